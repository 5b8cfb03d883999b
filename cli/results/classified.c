// SPDX-License-Identifier: Apache-2.0
// See classified.h.
#include "results/classified.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "results/euclid.h"

static bool take_names(const ww_series_set *set, size_t *count, const char ***names) {
    *count = ww_series_set_class_count(set);
    *names = calloc(*count + 1, sizeof **names);
    for (size_t i = 0; *names && i < *count; i++)
        (*names)[i] = ww_series_set_class_name(set, i);
    return *names != NULL;
}

int cli_classified_make(const ww_measure *measure, const ww_series_set *train, const ww_series_set *test, size_t k,
                        cli_classified *c) {
    const size_t total = ww_series_set_count(test);
    size_t classes, test_classes;
    *c = (cli_classified){.k = k, .train = ww_series_set_count(train)};
    c->measure = ww_measure_info_by_id(measure->id)->name;
    c->labels = calloc(total + 1, sizeof *c->labels);
    if (!take_names(train, &classes, &c->classes) || !take_names(test, &test_classes, &c->test_classes) || !c->labels)
        return cli_error("not enough memory");
    for (size_t i = 0; i < total; i++)
        c->labels[i] = ww_series_set_class(test, i);
    return CLI_GO_ON;
}

void cli_classified_free(cli_classified *c) {
    free(c->classes);
    free(c->test_classes);
    free(c->labels);
    *c = (cli_classified){.found = WW_CLASSIFICATION_INIT};
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
    printf("measure   %s, %zu against %zu series\n", c->measure, r->total, c->train);
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
