// SPDX-License-Identifier: Apache-2.0
// wavewarp info: what is in a file of series, how it was taken, and what a job would make of it. Needs no device.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "commands/commands.h"

enum { SHOWN_VALUES = 8, SHOWN_LABELS = 20 };

typedef struct content {
    const char *path;
    cli_read_options read;
    ww_series_set *set;
    ww_read_info how;
    size_t count, channels, classes;
    size_t least, median, most; // lengths
    size_t *class_counts, unlabelled;
    size_t gaps, constant;                          // series with missing values; series whose channels never change
    double minimum, maximum, first_time, last_time; // NAN: none
    double cells;                                   // of all pairs of two different series
} content;

// ---- counting

static int compare_sizes(const void *a, const void *b) {
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static int measure_lengths(content *c) {
    CLI_FREES size_t *lengths = malloc(c->count * sizeof *lengths);
    double sum = 0, squares = 0;
    if (!lengths)
        return cli_error("out of memory");
    for (size_t i = 0; i < c->count; i++) {
        lengths[i] = ww_series_set_length(c->set, i);
        sum += (double)lengths[i];
        squares += (double)lengths[i] * (double)lengths[i];
    }
    qsort(lengths, c->count, sizeof *lengths, compare_sizes);
    c->least = lengths[0];
    c->median = lengths[(c->count - 1) / 2];
    c->most = lengths[c->count - 1];
    c->cells = (sum * sum - squares) / 2;
    return CLI_GO_ON;
}

// Whether each channel of series i has one value alone; *gaps: some are missing.
static bool look_at_values(content *c, size_t i, bool *gaps) {
    const size_t n = ww_series_set_length(c->set, i);
    const double *x = ww_series_set_values(c->set, i);
    bool constant = true;
    *gaps = false;
    for (size_t k = 0; k < c->channels; k++, x += n) {
        double first = NAN;
        for (size_t t = 0; t < n; t++) {
            *gaps = *gaps || isnan(x[t]);
            first = isnan(first) ? x[t] : first;
            constant = constant && !(x[t] < first) && !(x[t] > first);
            c->minimum = fmin(c->minimum, x[t]);
            c->maximum = fmax(c->maximum, x[t]);
        }
    }
    return constant;
}

static int examine(content *c) {
    c->count = ww_series_set_count(c->set);
    c->channels = ww_series_set_channels(c->set);
    c->classes = ww_series_set_class_count(c->set);
    c->minimum = c->maximum = c->first_time = c->last_time = NAN;
    c->how = (ww_read_info)WW_READ_INFO_INIT;
    CLI_TRY(cli_status(ww_series_set_get_read_info(c->set, &c->how)));
    c->class_counts = calloc(c->classes + 1, sizeof *c->class_counts);
    if (!c->class_counts)
        return cli_error("out of memory");
    for (size_t i = 0; i < c->count; i++) {
        const int64_t k = ww_series_set_class(c->set, i);
        const double *times = ww_series_set_times(c->set, i);
        bool gaps;
        c->constant += look_at_values(c, i, &gaps);
        c->gaps += gaps;
        if (k < 0)
            c->unlabelled++;
        else
            c->class_counts[k]++;
        if (times) {
            c->first_time = fmin(c->first_time, times[0]);
            c->last_time = fmax(c->last_time, times[ww_series_set_length(c->set, i) - 1]);
        }
    }
    return measure_lengths(c);
}

// ---- as text

static void print_row(const char *name) {
    printf("%-11s ", name);
}

static void print_how(const content *c) {
    static const char *const rows[] = {"", ", a series a line", ", a point a line"};
    static const char *const axes[] = {"", ", (series, channel, time)", ", (series, time, channel)"};
    print_row("format");
    printf("%s%s%s\n", ww_word(WW_WORD_FORMAT, c->how.format), rows[c->how.rows], axes[c->how.axes]);
    if (!c->how.columns)
        return;
    print_row("heading");
    cli_print_escaped(stdout, c->how.heading ? c->how.heading : "none", "");
    putchar('\n');
    print_row("columns");
    printf("%zu", c->how.columns);
    const struct {
        const char *what;
        size_t column;
    } roles[] = {{"labels", c->how.label_column},
                 {"time stamps", c->how.time_column},
                 {"names of series", c->how.series_column}};
    for (size_t i = 0; i < CLI_COUNT_OF(roles); i++)
        if (roles[i].column)
            printf(", %s in column %zu", roles[i].what, roles[i].column);
    if (c->how.left_out)
        printf(", %zu left out", c->how.left_out);
    putchar('\n');
}

static void print_labels(const content *c) {
    print_row("labels");
    if (c->classes == 0)
        printf("none");
    for (size_t k = 0; k < c->classes && k < SHOWN_LABELS; k++) {
        fputs(k ? ", " : "", stdout);
        cli_print_escaped(stdout, ww_series_set_class_name(c->set, k), "");
        printf(": %zu", c->class_counts[k]);
    }
    if (c->classes > SHOWN_LABELS)
        printf(", ... (%zu labels)", c->classes);
    if (c->classes && c->unlabelled)
        printf(", without one: %zu", c->unlabelled);
    putchar('\n');
}

static void print_values(const content *c) {
    const size_t n = ww_series_set_length(c->set, 0);
    print_row("values");
    printf("%.9g to %.9g; series 0, channel 0:", c->minimum, c->maximum);
    for (size_t t = 0; t < n && t < SHOWN_VALUES; t++)
        printf(" %.9g", ww_series_set_values(c->set, 0)[t]);
    puts(n > SHOWN_VALUES ? " ..." : "");
}

// What the commands would make of the set.
static void print_jobs(const content *c) {
    const double pairs = (double)c->count * ((double)c->count - 1) / 2;
    print_row("jobs");
    if (c->gaps)
        puts("most commands refuse the missing values without --missing interpolate or drop");
    else if (c->count == 1)
        printf("a stream for search and profile: %zu point%s\n", c->most, c->most == 1 ? "" : "s");
    else
        printf("matrix: %.0f pairs, %.4g cells without a band\n", pairs, c->cells);
    print_row("");
    if (c->classes == 0)
        puts("classify and choose need labels");
    else
        printf("classify and choose: %zu classes%s\n", c->classes, c->unlabelled ? ", not all series have one" : "");
}

static void print_text(const content *c) {
    print_row("file");
    cli_print_escaped(stdout, c->path, "");
    putchar('\n');
    print_how(c);
    print_row("series");
    printf("%zu of %zu channel%s\n", c->count, c->channels, c->channels == 1 ? "" : "s");
    print_row("lengths");
    printf("least %zu, median %zu, most %zu\n", c->least, c->median, c->most);
    print_labels(c);
    print_row("missing");
    printf("%zu values in %zu series\n", ww_series_set_missing(c->set), c->gaps);
    print_row("constant");
    printf("%zu series\n", c->constant);
    print_row("time stamps");
    if (ww_series_set_times(c->set, 0))
        printf("%.17g to %.17g\n", c->first_time, c->last_time);
    else
        puts("none");
    print_values(c);
    print_jobs(c);
    for (size_t i = 0; i < ww_series_set_notice_count(c->set); i++) {
        ww_notice kind;
        print_row("note");
        cli_print_escaped(stdout, ww_series_set_notice(c->set, i, &kind), "");
        printf(" (settled by %s)\n", cli_notice_option(kind));
    }
}

// ---- as JSON

static void write_column(cli_json *json, const char *name, size_t column) {
    if (column)
        cli_json_count(json, name, column);
    else
        cli_json_null(json, name);
}

static void write_how(cli_json *json, const content *c) {
    cli_json_text(json, "format", ww_word(WW_WORD_FORMAT, c->how.format));
    cli_json_text(json, "rows", c->how.rows ? cli_rows[c->how.rows] : NULL);
    cli_json_text(json, "axes", c->how.axes ? cli_axes[c->how.axes] : NULL);
    cli_json_text(json, "heading", c->how.heading);
    write_column(json, "columns", c->how.columns);
    write_column(json, "label_column", c->how.label_column);
    write_column(json, "time_column", c->how.time_column);
    write_column(json, "series_column", c->how.series_column);
    cli_json_count(json, "left_out", c->how.left_out);
}

static void print_json(const content *c, const cli_command *command) {
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
    head.files[0] = c->path;
    head.counts[0] = c->count;
    head.read = &c->read;
    cli_json_head(&json, stdout, command, &head);
    write_how(&json, c);
    cli_json_count(&json, "series", c->count);
    cli_json_count(&json, "channels", c->channels);
    cli_json_count(&json, "min_length", c->least);
    cli_json_count(&json, "median_length", c->median);
    cli_json_count(&json, "max_length", c->most);
    cli_json_array(&json, "labels");
    for (size_t k = 0; k < c->classes; k++) {
        cli_json_object(&json, NULL);
        cli_json_text(&json, "label", ww_series_set_class_name(c->set, k));
        cli_json_count(&json, "series", c->class_counts[k]);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_count(&json, "unlabelled", c->unlabelled);
    cli_json_count(&json, "missing", ww_series_set_missing(c->set));
    cli_json_count(&json, "series_with_missing", c->gaps);
    cli_json_count(&json, "constant", c->constant);
    cli_json_number(&json, "first_time", c->first_time, 17);
    cli_json_number(&json, "last_time", c->last_time, 17);
    cli_json_number(&json, "minimum", c->minimum, 17);
    cli_json_number(&json, "maximum", c->maximum, 17);
    const size_t n = ww_series_set_length(c->set, 0);
    cli_json_values(&json, "values", ww_series_set_values(c->set, 0), WW_DOUBLE, n < SHOWN_VALUES ? n : SHOWN_VALUES);
    cli_json_number(&json, "cells", c->cells, 17);
    cli_json_array(&json, "notices");
    for (size_t i = 0; i < ww_series_set_notice_count(c->set); i++) {
        ww_notice kind;
        const char *text = ww_series_set_notice(c->set, i, &kind);
        cli_json_object(&json, NULL);
        cli_json_text(&json, "text", text);
        cli_json_text(&json, "settled_by", cli_notice_option(kind));
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

static void end(content *c) {
    free(c->class_counts);
    ww_series_set_destroy(&c->set);
}

int cmd_info(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(end) content c = {.read.quiet = true}; // the report has the notices
    bool json = false;
    const cli_option options[] = {
        CLI_SWITCH("json", 'j', "print one JSON object", &json),
        CLI_READ_OPTIONS(c.read),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, &c.path, 1, 1, NULL));
    CLI_TRY(cli_read(c.path, &c.read, 0, false, &c.set));
    CLI_TRY(examine(&c));
    if (json)
        print_json(&c, command);
    else
        print_text(&c);
    return CLI_GO_ON;
}
