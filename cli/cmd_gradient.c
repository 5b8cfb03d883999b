// SPDX-License-Identifier: Apache-2.0
// wavewarp gradient: how the distance of each pair of series changes with their values.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "gradients.h"
#include "group_job.h"
#include "pair_picture.h"

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
    ww_series_set *sets[2], *aligned;
    ww_dataset *data[2];
    ww_group *group; // several devices; then there is neither a context nor a gradient
    ww_group_dataset *shared[2];
    ww_gradient *gradient;
    ww_gradient_info info;
    cli_progress progress;
    cli_gradients found; // of series that are in several pairs, with --all-pairs, their sums
    cli_division division;
} job;

static void job_end(job *j) {
    cli_division_close(&j->division);
    ww_gradient_destroy(&j->gradient);
    for (int i = 1; i >= 0; i--) {
        ww_group_dataset_destroy(&j->shared[i]);
        ww_dataset_destroy(&j->data[i]);
        ww_series_set_destroy(&j->sets[i]);
    }
    ww_series_set_destroy(&j->aligned);
    ww_group_destroy(&j->group);
    ww_context_destroy(&j->context);
    cli_measure_free(&j->measure);
    cli_gradients_free(&j->found);
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

static size_t pair_count(const job *j) {
    const size_t rows = ww_series_set_count(j->sets[0]), columns = ww_series_set_count(j->sets[1]);
    return j->all_pairs ? rows * columns : rows;
}

// An array of pairs x rows x columns: a series for each pair, a channel for each row.
static int write_alignment(job *j) {
    const size_t n = ww_series_set_max_length(j->sets[0]), m = ww_series_set_max_length(j->sets[1]);
    uint64_t at = 0;
    int result = ww_series_set_create(n, &j->aligned) == WW_OK ? CLI_GO_ON : cli_fail();
    for (size_t p = 0; result == CLI_GO_ON && p < pair_count(j); p++)
        result = cli_gradients_add(j->aligned, j->found.precision, j->found.alignment, &at, m, NULL);
    if (result == CLI_GO_ON &&
        ww_series_set_write(j->aligned, j->alignment, WW_FORMAT_AUTO, j->found.precision) != WW_OK)
        result = cli_fail();
    return result;
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
                                    .value = cli_value_at(j->found.values, cli_precision(&j->device), pair)};
    for (size_t p = 0;; p++) {
        wanted.members[0] = j->all_pairs ? p / columns : p;
        wanted.members[1] = j->all_pairs ? p % columns : p;
        if (p == pair)
            break;
        first +=
            ww_series_set_length(j->sets[0], wanted.members[0]) * ww_series_set_length(j->sets[1], wanted.members[1]);
    }
    wanted.cells = (const char *)j->found.alignment + first * value;
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
    const ww_output values = WW_OUTPUT_HOST(j->found.values), slopes = WW_OUTPUT_HOST(j->found.slopes),
                    parameters = WW_OUTPUT_HOST(j->found.by_parameters), cells = WW_OUTPUT_HOST(j->found.alignment);
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

// The gradient's series, in the shape of those that it is of.
static int make_set(job *j) {
    const ww_series_set *of = j->sets[j->of];
    cli_gradients *g = &j->found;
    uint64_t at = 0;
    g->channels = ww_series_set_channels(of);
    int result = ww_series_set_create(g->channels, &g->set) == WW_OK ? CLI_GO_ON : cli_fail();
    for (size_t i = 0; result == CLI_GO_ON && i < ww_series_set_count(of); i++)
        result = cli_gradients_add(g->set, g->precision, g->slopes, &at, ww_series_set_length(of, i),
                                   ww_series_set_label(of, i));
    return result;
}

static int compute(job *j, ww_gradient_options *options) {
    cli_gradients *g = &j->found;
    options->per_pair = j->group != NULL; // a series is in one pair: the same gradient
    int result = prepare(j, options) == WW_OK ? CLI_GO_ON : cli_fail();
    g->precision = cli_precision(&j->device);
    g->pairs = (size_t)j->info.pairs;
    g->parameters = j->parameters ? (size_t)(j->info.parameters / j->info.pairs) : 0;
    if (result == CLI_GO_ON)
        result = cli_values_allocate(j->info.pairs, 1, g->precision, &g->values);
    if (result == CLI_GO_ON)
        result = cli_values_allocate(j->of ? j->info.columns : j->info.rows, 1, g->precision, &g->slopes);
    if (result == CLI_GO_ON && j->parameters)
        result = cli_values_allocate(j->info.parameters, 1, g->precision, &g->by_parameters);
    if (result == CLI_GO_ON && options->alignment)
        result = cli_values_allocate(j->info.alignment, 1, g->precision, &g->alignment);
    if (result == CLI_GO_ON && run(j, options) != WW_OK)
        result = cli_fail();
    return result == CLI_GO_ON ? make_set(j) : result;
}

// With a journal. Of a part: into its file; else as compute(), but that journal and file are left to be removed.
static int divide(job *j, const ww_gradient_options *options) {
    cli_gradient_rows gradients = {.measure = &j->measure,
                                   .context = j->context,
                                   .sets = {j->sets[0], j->sets[1]},
                                   .data = j->data,
                                   .of = j->of,
                                   .options = *options,
                                   .progress = &j->progress};
    cli_row_job rows = {
        .progress = &j->progress, .measure = &j->measure, .measure_options = &j->measure_options, .device = &j->device};
    int result = cli_gradients_divide(&gradients, cli_precision(&j->device), &rows);
    if (result == CLI_GO_ON)
        result = cli_rows_run(&j->division, &rows, NULL);
    j->info = gradients.did;
    j->found = gradients.shape;
    if (result != CLI_GO_ON || j->division.part)
        return result;
    result = cli_gradients_begin(&j->found);
    return result == CLI_GO_ON
               ? cli_rows_each(j->division.file, 0, rows.rows, rows.columns, cli_gradients_take, &j->found)
               : result;
}

static int find(job *j) {
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    options.divergence = j->divergence;
    options.parameters = j->parameters;
    options.alignment = j->alignment || j->svg;
    cli_plan_options(&j->device, &j->progress, &plan);
    options.run = plan.run;
    const int result = cli_divided(&j->division) ? divide(j, &options) : compute(j, &options);
    cli_progress_end(&j->progress);
    cli_group_report(j->group);
    return result;
}

static void print_json(const job *j, const cli_command *command) {
    cli_head head = CLI_HEAD_INIT;
    cli_json json;
    for (int i = 0; i < 2; i++) {
        head.files[i] = j->paths[i];
        head.counts[i] = ww_series_set_count(j->sets[i]);
    }
    head.output = j->division.part ? j->division.data_path : j->output;
    head.measure = &j->measure;
    head.measure_options = &j->measure_options;
    head.read = &j->read;
    head.context = j->context;
    head.precision = ww_precision_name(cli_precision(&j->device));
    head.seconds_compute = j->info.seconds_wall;
    head.seconds_device = j->info.seconds_device;
    if (j->group)
        cli_group_head(j->group, &head);
    cli_json_head(&json, stdout, command, &head);
    cli_division_json(&json, &j->division);
    cli_json_count(&json, "pairs", j->division.part ? j->division.units : j->found.pairs);
    if (j->group) {
        cli_group_json(j->group, NULL, &json);
    } else {
        cli_json_count(&json, "cells", j->info.cells);
        cli_json_count(&json, "segments", j->info.segments);
    }
    cli_json_flag(&json, "divergence", j->divergence);
    cli_json_text(&json, "of", cli_gradient_sides[j->of]);
    cli_json_text(&json, "expected_alignment", j->alignment);
    if (j->division.part)
        cli_json_null(&json, "gradient");
    else
        cli_gradients_json(&json, &j->found, !j->output);
    cli_json_end(&json);
}

static int output(job *j, const cli_command *command) {
    int result = CLI_GO_ON;
    if (!j->division.part && (j->output || !(j->json || j->svg)))
        result = cli_gradients_write(&j->found, j->output);
    if (result == CLI_GO_ON && j->alignment)
        result = write_alignment(j);
    if (result == CLI_GO_ON && j->svg)
        result = draw(j);
    if (result == CLI_GO_ON && j->json)
        print_json(j, command);
    if (result == CLI_GO_ON && j->division.checkpoint)
        result = cli_division_finish(&j->division, true);
    return result;
}

static int check_options(const cli_command *command, job *j) {
    const int result =
        cli_division_check_job(command->name, &j->division, &j->device, j->output || j->alignment || j->svg);
    if (result != CLI_GO_ON)
        return result;
    if (j->parameters && !j->json && !j->division.part)
        return cli_usage(command->name, "--by-parameters prints with --json");
    if (j->all_pairs && (cli_is_group(&j->device) || cli_divided(&j->division)))
        return cli_usage(
            command->name,
            "--all-pairs takes one device, no --part and no --checkpoint: sums over pairs are not divided");
    return CLI_GO_ON;
}

int cmd_gradient(const cli_command *command, int argc, char **argv) {
    job j;
    memset(&j, 0, sizeof j);
    const cli_option options[] = {
        {"output", 'o', CLI_OUTPUT, "FILE", "gradient, in the shape of the series: .npy, .csv, .ts; default '-', text",
         &j.output, 0, 0},
        {"of", 0, CLI_CHOICE, "SIDE", "by the series of X or of Y", &j.of, cli_gradient_sides, 0},
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
        CLI_PARTS_OPTIONS(j.division),
        CLI_CHECKPOINT_OPTION(j.division),
        CLI_MEASURE_OPTIONS(j.measure_options),
        CLI_READ_OPTIONS(j.read),
        CLI_DEVICE_OPTIONS(j.device),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 2, 2, NULL);
    if (result == CLI_GO_ON)
        result = check_options(command, &j);
    if (result != CLI_GO_ON)
        return result;
    result = job_begin(&j, command->name);
    if (result == CLI_GO_ON)
        result = check_alignment(&j);
    if (result == CLI_GO_ON)
        result = find(&j);
    if (result == CLI_GO_ON)
        result = output(&j, command);
    job_end(&j);
    return result == CLI_GO_ON ? CLI_OK : result;
}
