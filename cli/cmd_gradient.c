// SPDX-License-Identifier: Apache-2.0
// wavewarp gradient: how the distance of each pair of series changes with their values.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "group_job.h"
#include "json.h"
#include "pair_picture.h"

static const char *const sides[] = {"x", "y", NULL};

typedef struct job {
    cli_measure_options measure_options;
    cli_device_options device;
    cli_read_options read;
    const char *paths[2], *output, *alignment, *svg;
    uint64_t drawn; // the pair in the picture
    int of;         // 0: by the series of X, 1: of Y
    bool divergence, all_pairs, parameters, json;
    ww_measure measure;
    ww_context *context;
    ww_series_set *sets[2], *result, *aligned;
    ww_dataset *data[2];
    ww_group *group; // several devices; then there is neither a context nor a gradient
    ww_group_dataset *shared[2];
    ww_gradient *gradient;
    ww_gradient_info info;
    cli_progress progress;
    void *values, *slopes, *by_parameters, *cells;
} job;

static void job_end(job *j) {
    ww_gradient_destroy(&j->gradient);
    for (int i = 1; i >= 0; i--) {
        ww_group_dataset_destroy(&j->shared[i]);
        ww_dataset_destroy(&j->data[i]);
        ww_series_set_destroy(&j->sets[i]);
    }
    ww_series_set_destroy(&j->result);
    ww_series_set_destroy(&j->aligned);
    ww_group_destroy(&j->group);
    ww_context_destroy(&j->context);
    cli_measure_free(&j->measure);
    free(j->values);
    free(j->slopes);
    free(j->by_parameters);
    free(j->cells);
}

static int job_begin(job *j, const char *command) {
    int result = cli_measure_make(command, &j->measure_options, &j->measure);
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        result = cli_read(j->paths[i], &j->read, i, true, &j->sets[i]);
    if (result == CLI_GO_ON && !j->all_pairs && ww_series_set_count(j->sets[0]) != ww_series_set_count(j->sets[1]))
        result = cli_error("%s has %zu series and %s has %zu: pairs need equal numbers; --all-pairs takes every pair",
                           j->paths[0], ww_series_set_count(j->sets[0]), j->paths[1], ww_series_set_count(j->sets[1]));
    if (result == CLI_GO_ON)
        result = cli_fit_times(&j->measure, j->sets[0], j->sets[1]);
    if (result != CLI_GO_ON)
        return result;
    cli_fit_band(&j->measure_options, &j->measure, j->sets[0], j->sets[1]);
    const bool group = cli_is_group(&j->device);
    result = group ? cli_group_open(&j->device, &j->group) : cli_context_open(&j->device, &j->context);
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        result = group ? cli_group_dataset_make(j->group, &j->device, j->sets[i], &j->shared[i])
                       : cli_dataset_make(j->context, &j->device, j->sets[i], &j->data[i]);
    return result;
}

// Series of these shapes with consecutive values; labels of `like`, where it is not NULL.
static ww_status make_set(const job *j, const void *values, size_t channels, const ww_series_set *like, size_t count,
                          const size_t *lengths, ww_series_set **set) {
    const ww_precision precision = cli_precision(&j->device);
    ww_status status = ww_series_set_create(channels, set);
    size_t at = 0;
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        const size_t size = channels * lengths[i];
        double *own = malloc(size * sizeof *own);
        if (!own) {
            cli_error("out of memory");
            return WW_ERROR_OUT_OF_MEMORY;
        }
        for (size_t k = 0; k < size; k++)
            own[k] = cli_value_at(values, precision, at + k);
        status = ww_series_set_add(*set, lengths[i], own, like ? ww_series_set_label(like, i) : NULL);
        at += size;
        free(own);
    }
    return status;
}

static int write_gradient(job *j) {
    const ww_series_set *of = j->sets[j->of];
    const size_t count = ww_series_set_count(of);
    size_t *lengths = malloc(count * sizeof *lengths);
    if (!lengths)
        return cli_error("out of memory");
    for (size_t i = 0; i < count; i++)
        lengths[i] = ww_series_set_length(of, i);
    ww_status status = make_set(j, j->slopes, ww_series_set_channels(of), of, count, lengths, &j->result);
    if (status == WW_OK && (j->output || !(j->json || j->svg)))
        status = ww_series_set_write(j->result, j->output ? j->output : "-",
                                     j->output && strcmp(j->output, "-") != 0 ? WW_FORMAT_AUTO : WW_FORMAT_CSV,
                                     cli_precision(&j->device));
    free(lengths);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

static size_t pair_count(const job *j) {
    const size_t rows = ww_series_set_count(j->sets[0]), columns = ww_series_set_count(j->sets[1]);
    return j->all_pairs ? rows * columns : rows;
}

// An array of pairs x rows x columns: a series for each pair, a channel for each row.
static int write_alignment(job *j) {
    const size_t n = ww_series_set_max_length(j->sets[0]), m = ww_series_set_max_length(j->sets[1]);
    const size_t pairs = pair_count(j);
    size_t *lengths = malloc(pairs * sizeof *lengths);
    if (!lengths)
        return cli_error("out of memory");
    for (size_t p = 0; p < pairs; p++)
        lengths[p] = m;
    ww_status status = make_set(j, j->cells, n, NULL, pairs, lengths, &j->aligned);
    if (status == WW_OK)
        status = ww_series_set_write(j->aligned, j->alignment, WW_FORMAT_AUTO, cli_precision(&j->device));
    free(lengths);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

static int draw(const job *j) {
    const size_t pair = (size_t)j->drawn, columns = ww_series_set_count(j->sets[1]);
    const size_t value = cli_value_bytes(cli_precision(&j->device));
    size_t first = 0; // the pairs before this one have their cells before it
    cli_alignment_picture wanted = {.path = j->svg,
                                    .sets = {j->sets[0], j->sets[1]},
                                    .pair = pair,
                                    .measure = &j->measure,
                                    .precision = cli_precision(&j->device),
                                    .value = cli_value_at(j->values, cli_precision(&j->device), pair)};
    for (size_t p = 0;; p++) {
        wanted.members[0] = j->all_pairs ? p / columns : p;
        wanted.members[1] = j->all_pairs ? p % columns : p;
        if (p == pair)
            break;
        first +=
            ww_series_set_length(j->sets[0], wanted.members[0]) * ww_series_set_length(j->sets[1], wanted.members[1]);
    }
    wanted.cells = (const char *)j->cells + first * value;
    return cli_alignment_draw(&wanted);
}

static int check_alignment(const job *j) {
    if (j->svg && j->drawn >= pair_count(j))
        return cli_error("--pair %" PRIu64 ": there are %zu pairs, counted from 0", j->drawn, pair_count(j));
    if (!j->alignment)
        return CLI_GO_ON;
    for (int i = 0; i < 2; i++)
        if (ww_series_set_min_length(j->sets[i]) != ww_series_set_max_length(j->sets[i]))
            return cli_error("%s: --expected-alignment needs series of one length", j->paths[i]);
    return CLI_GO_ON;
}

// The sizes of what is computed.
static ww_status prepare(job *j, const ww_gradient_options *options) {
    const size_t rows = ww_series_set_count(j->sets[0]);
    ww_gradient_info_init(&j->info, sizeof j->info);
    if (j->group)
        return ww_group_gradient_sizes(&j->measure, j->shared[0], j->shared[1], NULL, NULL, rows, options, &j->info);
    const ww_status status =
        j->all_pairs
            ? ww_gradient_create_matrix(&j->measure, j->data[0], j->data[1], options, &j->gradient)
            : ww_gradient_create_pairs(&j->measure, j->data[0], j->data[1], NULL, NULL, rows, options, &j->gradient);
    return status == WW_OK ? ww_gradient_get_info(j->gradient, &j->info) : status;
}

static ww_status run(job *j, const ww_gradient_options *options) {
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    const ww_output values = WW_OUTPUT_HOST(j->values), slopes = WW_OUTPUT_HOST(j->slopes),
                    parameters = WW_OUTPUT_HOST(j->by_parameters), cells = WW_OUTPUT_HOST(j->cells);
    to.values = &values;
    *(j->of ? &to.columns : &to.rows) = &slopes;
    to.parameters = j->parameters ? &parameters : NULL;
    to.alignment = options->alignment ? &cells : NULL;
    if (j->group)
        return ww_group_gradient(&j->measure, j->shared[0], j->shared[1], NULL, NULL, (size_t)j->info.pairs, options,
                                 &to);
    const ww_status status = ww_gradient_run(j->gradient, &to);
    return status == WW_OK ? ww_gradient_get_info(j->gradient, &j->info) : status;
}

static int compute(job *j) {
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    const ww_precision precision = cli_precision(&j->device);
    options.divergence = j->divergence;
    options.parameters = j->parameters;
    options.alignment = j->alignment || j->svg;
    options.per_pair = j->group != NULL; // a series is in one pair: the same gradient
    cli_plan_options(&j->device, &j->progress, &plan);
    options.run = plan.run;
    int result = prepare(j, &options) == WW_OK ? CLI_GO_ON : cli_fail();
    if (result == CLI_GO_ON)
        result = cli_values_allocate(j->info.pairs, 1, precision, &j->values);
    if (result == CLI_GO_ON)
        result = cli_values_allocate(j->of ? j->info.columns : j->info.rows, 1, precision, &j->slopes);
    if (result == CLI_GO_ON && j->parameters)
        result = cli_values_allocate(j->info.parameters, 1, precision, &j->by_parameters);
    if (result == CLI_GO_ON && options.alignment)
        result = cli_values_allocate(j->info.alignment, 1, precision, &j->cells);
    if (result == CLI_GO_ON && run(j, &options) != WW_OK)
        result = cli_fail();
    cli_progress_end(&j->progress);
    cli_group_report(j->group);
    return result;
}

static void print_json(const job *j, const cli_command *command) {
    const ww_precision precision = cli_precision(&j->device);
    const ww_series_set *of = j->sets[j->of];
    const size_t size = cli_value_bytes(precision);
    cli_head head = CLI_HEAD_INIT;
    cli_json json;
    for (int i = 0; i < 2; i++) {
        head.files[i] = j->paths[i];
        head.counts[i] = ww_series_set_count(j->sets[i]);
    }
    head.output = j->output;
    head.measure = &j->measure;
    head.measure_options = &j->measure_options;
    head.read = &j->read;
    head.context = j->group ? ww_group_context(j->group, 0) : j->context;
    head.precision = ww_precision_name(cli_precision(&j->device));
    head.seconds_compute = j->info.seconds_wall;
    head.seconds_device = j->info.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_json_count(&json, "pairs", j->info.pairs);
    if (j->group) {
        cli_group_json(j->group, NULL, &json);
    } else {
        cli_json_count(&json, "cells", j->info.cells);
        cli_json_count(&json, "segments", j->info.segments);
    }
    cli_json_flag(&json, "divergence", j->divergence);
    cli_json_text(&json, "of", sides[j->of]);
    cli_json_text(&json, "expected_alignment", j->alignment);
    cli_json_values(&json, "values", j->values, precision, (size_t)j->info.pairs);
    if (j->parameters)
        cli_json_values(&json, "by_parameters", j->by_parameters, precision, (size_t)j->info.parameters);
    if (j->output) {
        cli_json_null(&json, "gradient");
    } else {
        // A list a series, channel by channel.
        const char *at = j->slopes;
        cli_json_array(&json, "gradient");
        for (size_t i = 0; i < ww_series_set_count(of); i++) {
            const size_t values = ww_series_set_length(of, i) * ww_series_set_channels(of);
            cli_json_line(&json);
            cli_json_values(&json, NULL, at, precision, values);
            at += values * size;
        }
        cli_json_end(&json);
    }
    cli_json_end(&json);
}

int cmd_gradient(const cli_command *command, int argc, char **argv) {
    job j;
    memset(&j, 0, sizeof j);
    const cli_option options[] = {
        {"output", 'o', CLI_OUTPUT, "FILE", "gradient, in the shape of the series: .npy, .csv, .ts; default '-', text",
         &j.output, 0, 0},
        {"of", 0, CLI_CHOICE, "SIDE", "by the series of X or of Y", &j.of, sides, 0},
        {"divergence", 0, CLI_FLAG, NULL, "of V(x,y) - V(x,x)/2 - V(y,y)/2", &j.divergence, 0, 0},
        {"all-pairs", 0, CLI_FLAG, NULL, "every series of X with every one of Y; the gradient of the sum", &j.all_pairs,
         0, 0},
        {"expected-alignment", 0, CLI_MADE, "FILE",
         "the probability that a path goes through each cell: .npy, pairs x rows x columns", &j.alignment, 0, 0},
        {"svg", 0, CLI_OUTPUT, "FILE", "draw the expected alignment of a pair, with its series", &j.svg, 0, 0},
        {"pair", 0, CLI_COUNT, "N", "the pair that is drawn, from 0; default 0", &j.drawn, 0, 0},
        {"by-parameters", 0, CLI_FLAG, NULL, "with --json: gradients by the measure's parameters too", &j.parameters, 0,
         0},
        {"json", 'j', CLI_FLAG, NULL, "print one JSON object, with the values; the gradient is in it, or in --output",
         &j.json, 0, 0},
        CLI_MEASURE_OPTIONS(j.measure_options),
        CLI_READ_OPTIONS(j.read),
        CLI_DEVICE_OPTIONS(j.device),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 2, 2, NULL);
    if (result != CLI_GO_ON)
        return result;
    if (j.parameters && !j.json)
        return cli_usage(command->name, "--by-parameters prints with --json");
    if (j.all_pairs && cli_is_group(&j.device))
        return cli_usage(command->name, "--all-pairs takes one device: sums over pairs are not divided");
    result = job_begin(&j, command->name);
    if (result == CLI_GO_ON)
        result = check_alignment(&j);
    if (result == CLI_GO_ON)
        result = compute(&j);
    if (result == CLI_GO_ON)
        result = write_gradient(&j);
    if (result == CLI_GO_ON && j.alignment)
        result = write_alignment(&j);
    if (result == CLI_GO_ON && j.svg)
        result = draw(&j);
    if (result == CLI_GO_ON && j.json)
        print_json(&j, command);
    job_end(&j);
    return result == CLI_GO_ON ? CLI_OK : result;
}
