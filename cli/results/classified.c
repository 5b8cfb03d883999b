// SPDX-License-Identifier: Apache-2.0
// See classified.h.
#include "results/classified.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "results/euclid.h"

enum { PREDICTED, LABEL, EUCLID }; // of a row

// ---- names in a line of text

// A word: blanks, control characters, '%' and bytes beyond ASCII as %20 and so on; an empty one is a %.
static void put_word(FILE *file, const char *word) {
    fputs(*word ? " " : " %", file);
    for (; *word; word++) {
        const unsigned char c = (unsigned char)*word;
        fprintf(file, c <= ' ' || c == '%' || c >= 127 ? "%%%02x" : "%c", c);
    }
}

// The next word, in place.
static const char *take_word(char **at) {
    char *word = *at + strspn(*at, " "), *to = word;
    const char *from = word;
    unsigned code;
    while (*from && *from != ' ') {
        if (*from != '%')
            *to++ = *from++;
        else if (sscanf(from, "%%%2x", &code) == 1)
            *to++ = (char)code, from += 3;
        else
            from++;
    }
    *at = (char *)from + (*from == ' ');
    *to = '\0';
    return word;
}

static bool take_names(char **at, size_t *count, const char ***names) {
    int end = 0;
    if (sscanf(*at, "%zu%n", count, &end) != 1 || *count > strlen(*at) + 1)
        return false;
    *at += end;
    *names = calloc(*count + 1, sizeof **names);
    for (size_t i = 0; *names && i < *count; i++) {
        if (!**at)
            return false;
        (*names)[i] = take_word(at);
    }
    return *names != NULL;
}

static void put_names(FILE *file, const ww_series_set *set) {
    fprintf(file, " %zu", ww_series_set_class_count(set));
    for (size_t k = 0; k < ww_series_set_class_count(set); k++)
        put_word(file, ww_series_set_class_name(set, k));
}

// What the reports need of the sets and the measure, as one line of text, which a journal has: numbers of series and
// classes, and names. free() it; NULL: not enough memory.
static char *shape_text(const ww_measure *measure, const ww_series_set *train, const ww_series_set *test) {
    CLI_FREES char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fprintf(file, "train %zu", ww_series_set_count(train));
    put_word(file, ww_measure_info_by_id(measure->id)->name);
    put_names(file, train);
    put_names(file, test);
    return fclose(file) == 0 ? cli_taken(&text) : NULL;
}

bool cli_classified_shape_read(const char *text, size_t k, size_t total, cli_classified *c) {
    int begin = 0;
    size_t count;
    *c = (cli_classified){.found = WW_CLASSIFICATION_INIT, .k = k};
    if (sscanf(text, " train %zu %n", &c->train, &begin) != 1 || !begin || !(c->text = strdup(text + begin)))
        return false;
    char *at = c->text;
    c->measure = take_word(&at);
    if (!take_names(&at, &count, &c->classes) || !take_names(&at, &c->test_class_count, &c->test_classes))
        return false;
    c->found.total = total;
    c->found.classes = count;
    c->labels = calloc(total + 1, sizeof *c->labels);
    c->numbers = calloc(c->test_class_count + 1, sizeof *c->numbers);
    for (size_t t = 0; c->numbers && t < c->test_class_count; t++) {
        c->numbers[t] = -2;
        for (size_t i = 0; c->numbers[t] < 0 && i < count; i++)
            if (strcmp(c->test_classes[t], c->classes[i]) == 0)
                c->numbers[t] = (int64_t)i;
    }
    return c->labels && c->numbers;
}

int cli_classified_make(const ww_measure *measure, const ww_series_set *train, const ww_series_set *test, size_t k,
                        cli_classified *c) {
    CLI_FREES char *text = shape_text(measure, train, test);
    const size_t total = ww_series_set_count(test);
    if (!text || !cli_classified_shape_read(text, k, total, c))
        return cli_error("not enough memory");
    for (size_t i = 0; i < total; i++)
        c->labels[i] = ww_series_set_class(test, i);
    return CLI_GO_ON;
}

// ---- what is joined

int cli_classified_begin(cli_classified *c) {
    ww_classification *r = &c->found;
    c->joined = true;
    r->predicted = calloc(r->total + 1, sizeof *r->predicted);
    r->actual = calloc(r->total + 1, sizeof *r->actual);
    const bool confuses = r->classes <= WW_CLASSIFY_MOST_CONFUSED;
    r->confusion = confuses ? calloc(r->classes + 1, (r->classes + 1) * sizeof *r->confusion) : NULL;
    return r->predicted && r->actual && (r->confusion || !confuses) ? CLI_GO_ON : cli_error("not enough memory");
}

int cli_classified_take(void *user, uint64_t row, const double *values) {
    cli_classified *c = user;
    ww_classification *r = &c->found;
    if (!cli_row_index(values[PREDICTED], (double)r->classes - 1) ||
        !cli_row_index(values[LABEL], (double)c->test_class_count - 1) ||
        !(values[EUCLID] >= (double)CLI_EUCLID_NONE && values[EUCLID] <= (double)r->total))
        return cli_error("row %" PRIu64 " of the classes is damaged", row);
    const int64_t predicted = (int64_t)values[PREDICTED], label = (int64_t)values[LABEL],
                  actual = label < 0 ? -1 : c->numbers[label];
    c->labels[row] = label;
    r->predicted[row] = predicted;
    r->actual[row] = actual;
    r->labelled += label >= 0;
    r->correct += actual >= 0 && actual == predicted;
    if (r->confusion && actual >= 0 && predicted >= 0)
        r->confusion[(size_t)actual * r->classes + (size_t)predicted]++;
    c->euclid = values[EUCLID] < 0 || c->euclid < 0 ? CLI_EUCLID_NONE : c->euclid + (int64_t)values[EUCLID];
    return CLI_GO_ON;
}

int cli_classified_join(cli_classified *c, const char *text, size_t k, uint64_t rows, const ww_array_file *file) {
    CLI_TRY(cli_classified_shape_read(text, k, (size_t)rows, c) ? cli_classified_begin(c)
                                                                : cli_error("not enough memory"));
    return cli_rows_each(file, 0, rows, CLI_CLASSIFIED_COLUMNS, cli_classified_take, c);
}

void cli_classified_free(cli_classified *c) {
    if (c->joined) {
        free(c->found.predicted);
        free(c->found.actual);
        free(c->found.confusion);
    }
    free(c->classes);
    free(c->test_classes);
    free(c->numbers);
    free(c->labels);
    free(c->text);
    *c = (cli_classified){.found = WW_CLASSIFICATION_INIT};
}

// ---- rows

static int compute(void *user, uint64_t first, uint64_t count, void *values) {
    cli_classify_rows *rows = user;
    const ww_series_set *train = rows->s->sets[0], *test = rows->s->sets[1];
    CLI_ENDS(ww_dataset_destroy) ww_dataset *some = NULL;
    CLI_ENDS(ww_classification_free) ww_classification own = WW_CLASSIFICATION_INIT;
    ww_classification *did = &rows->did;
    double *row = values;
    CLI_TRY(cli_series_some(rows->s, test, first, count, &some));
    CLI_TRY(cli_status_plainly(ww_classifier_run(rows->classifier, some, &own)));
    // Of all of them in the first row.
    const int64_t euclid = cli_euclid_some(train, test, (size_t)first, (size_t)count);
    if (euclid == CLI_EUCLID_NO_MEMORY)
        return cli_error("out of memory");
    for (size_t i = 0; i < count; i++, row += CLI_CLASSIFIED_COLUMNS) {
        row[PREDICTED] = (double)own.predicted[i];
        row[LABEL] = (double)ww_series_set_class(test, (size_t)first + i);
        row[EUCLID] = i == 0 || euclid < 0 ? (double)euclid : 0;
    }
    did->engine = own.engine;
    did->pairs += own.pairs;
    did->cells += own.cells;
    did->cells_done += own.cells_done;
    did->pairs_pruned += own.pairs_pruned;
    did->pairs_abandoned += own.pairs_abandoned;
    did->launches += own.launches;
    did->seconds_device += own.seconds_device;
    did->seconds_compute += own.seconds_compute;
    return CLI_GO_ON;
}

static double weight(void *user, uint64_t row) {
    return (double)ww_series_set_length(((const cli_classify_rows *)user)->s->sets[1], (size_t)row);
}

int cli_classify_divide(cli_classify_rows *rows, const ww_classify_options *options, cli_row_job *job) {
    const cli_series_job *s = rows->s;
    CLI_FREES char *line = shape_text(&s->measure, s->sets[0], s->sets[1]);
    char sums[2 * 65] = ""; // of labels, which those of the values don't tell apart
    rows->did = (ww_classification)WW_CLASSIFICATION_INIT;
    CLI_TRY(cli_status(ww_classifier_create(&s->measure, s->data[0], options, &rows->classifier)));
    CLI_TRY(cli_division_sum_labels(s->sets[0], sums));
    CLI_TRY(cli_division_sum_labels(s->sets[1], sums));
    rows->more = line ? cli_text("%s of %s", line, sums) : NULL;
    if (!rows->more)
        return cli_error("not enough memory");
    job->name = "classify";
    job->sets[0] = s->sets[1];
    job->sets[1] = s->sets[0];
    job->more = rows->more;
    job->rows = ww_series_set_count(s->sets[1]);
    job->columns = CLI_CLASSIFIED_COLUMNS;
    job->k = options->k;
    job->weight = weight;
    job->compute = compute;
    job->user = rows;
    return CLI_GO_ON;
}

void cli_classify_end(cli_classify_rows *rows) {
    ww_classifier_destroy(&rows->classifier);
    free(rows->more);
    rows->more = NULL;
}

// ---- reports

static double accuracy(const ww_classification *r) {
    return r->labelled ? (double)r->correct / (double)r->labelled : 0.0;
}

void cli_classified_print(const cli_classified *c) {
    const ww_classification *r = &c->found;
    size_t strangers = 0;
    for (size_t i = 0; i < r->total; i++)
        strangers += r->actual[i] == -2;
    if (r->labelled)
        printf("accuracy  %.4f (%zu of %zu)\n", accuracy(r), r->correct, r->labelled);
    else
        puts("accuracy  unknown: the test series have no labels");
    if (c->euclid >= 0 && r->labelled)
        printf("euclidean %.4f (%" PRId64 " of %zu): 1-NN by the Euclidean distance\n",
               (double)c->euclid / (double)r->labelled, c->euclid, r->labelled);
    if (r->labelled && r->labelled < r->total)
        printf("          %zu test series without a label\n", r->total - r->labelled);
    if (strangers)
        printf("          %zu test series with a label that no training series has\n", strangers);
    fputs("measure   ", stdout);
    cli_print_escaped(stdout, c->measure, ""); // a part's may have anything
    printf(", %zu against %zu series\n", r->total, c->train);
}

void cli_classified_print_confusion(const cli_classified *c) {
    enum { LEAST = 6, MOST = 16 };
    const ww_classification *r = &c->found;
    size_t width = LEAST;
    if (!r->labelled || !r->confusion)
        return;
    for (size_t k = 0; k < r->classes; k++) {
        const size_t length = cli_escaped_width(c->classes[k]);
        if (length > width)
            width = length < MOST ? length : MOST;
    }
    printf("\nconfusion (rows actual, columns predicted)\n%*s", (int)width, "");
    for (size_t k = 0; k < r->classes; k++) {
        putchar(' ');
        cli_print_column(stdout, c->classes[k], width);
    }
    putchar('\n');
    for (size_t i = 0; i < r->classes; i++) {
        cli_print_column(stdout, c->classes[i], width);
        for (size_t j = 0; j < r->classes; j++)
            printf(" %*zu", (int)width, r->confusion[i * r->classes + j]);
        putchar('\n');
    }
}

void cli_classified_json(cli_json *json, const cli_classified *c, const char *method, const char *average) {
    const ww_classification *r = &c->found;
    cli_json_text(json, "method", method);
    cli_json_text(json, "average", average);
    cli_json_count(json, "k", c->k);
    cli_json_count(json, "total", r->total);
    cli_json_count(json, "labelled", r->labelled);
    cli_json_count(json, "correct", r->correct);
    cli_json_number(json, "accuracy", r->labelled ? accuracy(r) : NAN, 10);
    cli_json_number(json, "euclidean_accuracy",
                    c->euclid >= 0 && r->labelled ? (double)c->euclid / (double)r->labelled : NAN, 10);
    cli_json_array(json, "classes");
    for (size_t k = 0; k < r->classes; k++)
        cli_json_text(json, NULL, c->classes[k]);
    cli_json_end(json);
    if (!r->labelled || !r->confusion) {
        cli_json_null(json, "confusion");
        return;
    }
    cli_json_array(json, "confusion");
    for (size_t i = 0; i < r->classes; i++) {
        cli_json_array(json, NULL);
        for (size_t j = 0; j < r->classes; j++)
            cli_json_count(json, NULL, r->confusion[i * r->classes + j]);
        cli_json_end(json);
    }
    cli_json_end(json);
}

static const char *label(const void *user, size_t i) {
    const cli_classified *c = user;
    return c->labels[i] < 0 ? NULL : c->test_classes[c->labels[i]];
}

static const char *predicted(const void *user, size_t i) {
    const cli_classified *c = user;
    return c->found.predicted[i] < 0 ? NULL : c->classes[c->found.predicted[i]];
}

int cli_classified_save(const cli_classified *c, const char *path) {
    return cli_save_predictions(path, c->found.total, label, predicted, c);
}
