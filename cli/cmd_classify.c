// SPDX-License-Identifier: Apache-2.0
// wavewarp classify: k nearest neighbours on labelled sets.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"

typedef struct classify {
    cli_measure_options measure;
    cli_device_options device;
    cli_read_options read;
    const char *train_path, *test_path, *predictions_path;
    uint64_t k;
    bool json, no_bounds;
    ww_series_set *train, *test;
    ww_device_info on;
    ww_classification result;
    double seconds_total;
} classify;

static const char *actual_label(const classify *c, size_t i) {
    const char *label = ww_series_set_label(c->test, i);
    return label ? label : "";
}

static const char *predicted_label(const classify *c, size_t i) {
    const char *label =
        c->result.predicted[i] < 0 ? NULL : ww_series_set_class_name(c->train, (size_t)c->result.predicted[i]);
    return label ? label : "";
}

static double accuracy(const ww_classification *result) {
    return result->labelled ? (double)result->correct / (double)result->labelled : 0.0;
}

static double share_pruned(const ww_classification *r) {
    return r->cells ? 1.0 - (double)r->cells_done / (double)r->cells : 0.0;
}

// ---- predictions

static void write_predictions(const classify *c, FILE *file) {
    fputs("series\tactual\tpredicted\n", file);
    for (size_t i = 0; i < c->result.total; i++)
        fprintf(file, "%zu\t%s\t%s\n", i, actual_label(c, i), predicted_label(c, i));
}

static int save_predictions(const classify *c) {
    if (strcmp(c->predictions_path, "-") == 0) {
        write_predictions(c, stdout);
        return CLI_GO_ON;
    }
    cli_output output;
    int result = cli_output_open(c->predictions_path, &output);
    if (result != CLI_GO_ON)
        return result;
    write_predictions(c, output.file);
    return cli_output_close(&output);
}

// ---- reports

static void print_json(const classify *c) {
    const ww_classification *r = &c->result;
    fputs("{\"measure\": ", stdout);
    cli_json_text(stdout, c->measure.measure ? c->measure.measure : "dtw");
    cli_json_device(stdout, &c->on);
    printf(", \"engine\": \"%s\", \"precision\": \"%s\", \"train\": ", ww_engine_name(r->engine),
           cli_precisions[c->device.precision]);
    cli_json_text(stdout, c->train_path);
    fputs(", \"test\": ", stdout);
    cli_json_text(stdout, c->test_path);
    printf(", \"train_count\": %zu, \"test_count\": %zu, \"k\": %" PRIu64, ww_series_set_count(c->train), r->total,
           c->k);
    printf(", \"correct\": %zu, \"labelled\": %zu, \"total\": %zu, \"accuracy\": ", r->correct, r->labelled, r->total);
    if (r->labelled)
        cli_json_number(stdout, accuracy(r), 10);
    else
        fputs("null", stdout);
    printf(", \"cells\": %" PRIu64 ", \"cells_done\": %" PRIu64 ", \"pairs\": %" PRIu64 ", \"pairs_pruned\": %" PRIu64
           ", \"pairs_abandoned\": %" PRIu64 ", \"share_pruned\": ",
           r->cells, r->cells_done, r->pairs, r->pairs_pruned, r->pairs_abandoned);
    cli_json_number(stdout, share_pruned(r), 6);
    fputs(", \"seconds_compute\": ", stdout);
    cli_json_number(stdout, r->seconds_compute, 6);
    fputs(", \"seconds_device\": ", stdout);
    cli_json_number(stdout, r->seconds_device, 6);
    fputs(", \"seconds_total\": ", stdout);
    cli_json_number(stdout, c->seconds_total, 6);
    fputs(", \"gcups\": ", stdout);
    cli_json_number(stdout, cli_rate(r->cells_done, r->seconds_compute) / 1e9, 6);
    fputs(", \"classes\": [", stdout);
    for (size_t k = 0; k < r->classes; k++) {
        fputs(k ? ", " : "", stdout);
        cli_json_text(stdout, ww_series_set_class_name(c->train, k));
    }
    fputs("], \"confusion\": [", stdout);
    for (size_t i = 0; i < r->classes; i++) {
        fputs(i ? ", [" : "[", stdout);
        for (size_t j = 0; j < r->classes; j++)
            printf("%s%zu", j ? ", " : "", r->confusion[i * r->classes + j]);
        fputs("]", stdout);
    }
    fputs("]}\n", stdout);
}

static void print_confusion(const classify *c) {
    const ww_classification *r = &c->result;
    int width = 6;
    for (size_t k = 0; k < r->classes; k++) {
        const size_t length = strlen(ww_series_set_class_name(c->train, k));
        if ((int)length > width)
            width = length < 16 ? (int)length : 16;
    }
    printf("\nconfusion (rows actual, columns predicted)\n%*s", width, "");
    for (size_t k = 0; k < r->classes; k++)
        printf(" %*.*s", width, width, ww_series_set_class_name(c->train, k));
    putchar('\n');
    for (size_t i = 0; i < r->classes; i++) {
        printf("%*.*s", width, width, ww_series_set_class_name(c->train, i));
        for (size_t j = 0; j < r->classes; j++)
            printf(" %*zu", width, r->confusion[i * r->classes + j]);
        putchar('\n');
    }
}

static void print_text(const classify *c) {
    const ww_classification *r = &c->result;

    size_t strangers = 0;
    for (size_t i = 0; i < r->total; i++)
        strangers += r->actual[i] == -2;
    if (r->labelled)
        printf("accuracy  %.4f (%zu of %zu)\n", accuracy(r), r->correct, r->labelled);
    else
        puts("accuracy  unknown: the test series have no labels");
    if (r->labelled && r->labelled < r->total)
        printf("          %zu test series without a label\n", r->total - r->labelled);
    if (strangers)
        printf("          %zu test series with a label that no training series has\n", strangers);
    printf("measure   %s, %zu against %zu series\n", c->measure.measure ? c->measure.measure : "dtw", r->total,
           ww_series_set_count(c->train));
    printf("device    %s (%s), engine %s, %s\n", c->on.name, c->on.platform, ww_engine_name(r->engine),
           cli_precisions[c->device.precision]);
    printf("seconds   %.4g computing, %.4g in all\n", r->seconds_compute, c->seconds_total);
    printf("cells     %" PRIu64 ", %.4g Gcells/s\n", r->cells_done, cli_rate(r->cells_done, r->seconds_compute) / 1e9);
    printf("pruned    %.1f %% of the cells (%" PRIu64 " of %" PRIu64 " pairs by bounds, %" PRIu64 " abandoned)\n",
           100.0 * share_pruned(r), r->pairs_pruned, r->pairs, r->pairs_abandoned);
    print_confusion(c);
}

// ---- the command

static int compute(classify *c, const cli_command *command) {
    ww_context *context = NULL;
    ww_measure measure;
    cli_progress progress;
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    ww_plan_options plan;
    int result = cli_measure_make(command->name, &c->measure, &measure);
    if (result == CLI_GO_ON)
        result = cli_read(c->train_path, &c->read, 0, true, &c->train);
    if (result == CLI_GO_ON)
        result = cli_read(c->test_path, &c->read, 1, true, &c->test);
    if (result == CLI_GO_ON)
        result = cli_fit_times(&measure, c->train, c->test);
    if (result == CLI_GO_ON)
        result = cli_context_open(&c->device, &context);
    ww_device_info_init(&c->on, sizeof c->on);
    if (result == CLI_GO_ON && ww_context_get_device_info(context, &c->on) != WW_OK)
        result = cli_fail();
    if (result != CLI_GO_ON)
        goto done;

    options.k = (size_t)c->k;
    options.precision = cli_precision(&c->device);
    cli_plan_options(&c->device, &progress, &plan);
    plan.no_bounds = c->no_bounds;
    options.plan = &plan;
    ww_classification_init(&c->result, sizeof c->result);
    const ww_status status = ww_classify(context, &measure, c->train, c->test, &options, &c->result);
    cli_progress_end(&progress);
    if (status != WW_OK)
        result = cli_fail();

done:
    ww_context_destroy(&context);
    cli_measure_free(&measure);
    return result;
}

int cmd_classify(const cli_command *command, int argc, char **argv) {
    classify c;
    memset(&c, 0, sizeof c);
    c.k = 1;
    const cli_option options[] = {
        {"train", 't', CLI_TEXT, "FILE", "labelled series to learn from ('-': standard input)", &c.train_path, 0, 0},
        {"test", 'T', CLI_TEXT, "FILE", "series to classify ('-': standard input)", &c.test_path, 0, 0},
        {"k", 'k', CLI_COUNT, "K", "neighbours that vote, default 1", &c.k, NULL, 1},
        CLI_MEASURE_OPTIONS(c.measure),
        {"no-bounds", 0, CLI_FLAG, NULL, "compute every distance in full: no lower bounds, no abandoning", &c.no_bounds,
         0, 0},
        {"predictions", 0, CLI_TEXT, "FILE", "write index, actual and predicted label of every test series",
         &c.predictions_path, 0, 0},
        {"json", 'j', CLI_FLAG, NULL, "report as one JSON object", &c.json, 0, 0},
        CLI_READ_OPTIONS(c.read),
        CLI_DEVICE_OPTIONS(c.device),
    };
    const char *operands[2];
    size_t count = 0;
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, operands, 0, 2, &count);
    if (result != CLI_GO_ON)
        return result;
    for (size_t i = 0; i < count; i++) {
        const char **empty = !c.train_path ? &c.train_path : &c.test_path;
        if (*empty)
            return cli_usage(command->name, "'%s' is one argument too many", operands[i]);
        *empty = operands[i];
    }
    if (!c.train_path || !c.test_path)
        return cli_usage(command->name, "--train FILE and --test FILE are needed");
    if (strcmp(c.train_path, "-") == 0 && strcmp(c.test_path, "-") == 0)
        return cli_usage(command->name, "only one of --train and --test can be standard input");

    result = compute(&c, command);
    if (result == CLI_GO_ON && c.predictions_path)
        result = save_predictions(&c);
    c.seconds_total = cli_seconds();
    if (result == CLI_GO_ON) {
        if (c.json)
            print_json(&c);
        else
            print_text(&c);
        result = CLI_OK;
    }
    ww_classification_free(&c.result);
    ww_series_set_destroy(&c.test);
    ww_series_set_destroy(&c.train);
    return result;
}
