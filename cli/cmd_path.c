// SPDX-License-Identifier: Apache-2.0
// wavewarp path: warping paths as lists of index pairs; the picture of one is in path_picture.c.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "group_job.h"
#include "json.h"
#include "pair_picture.h"

typedef struct job {
    cli_measure_options measure_options;
    cli_device_options device;
    cli_read_options read;
    const char *paths[2];
    const char *output, *svg;
    uint64_t drawn; // the pair in the picture
    bool json;
    ww_measure measure;
    ww_context *context;
    ww_series_set *sets[2];
    ww_dataset *data[2];
    ww_group *group; // several devices; then there is neither a context nor a plan
    ww_group_dataset *shared[2];
    ww_plan *plan;
    ww_plan_info info;
    cli_progress progress;
    size_t count;
    ww_paths found;
} job;

// Series of a set that belongs to a pair: one series is in all pairs.
static size_t member(const job *j, int side, size_t pair) {
    return ww_series_set_count(j->sets[side]) == 1 ? 0 : pair;
}

static int load(job *j, const char *command) {
    int result = cli_measure_make(command, &j->measure_options, &j->measure);
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        result = cli_read(j->paths[i], &j->read, i, true, &j->sets[i]);
    if (result != CLI_GO_ON)
        return result;
    const size_t a = ww_series_set_count(j->sets[0]), b = ww_series_set_count(j->sets[1]);
    if (a != b && a != 1 && b != 1)
        return cli_error("%s has %zu series and %s has %zu: paths need equal numbers, or one series on a side",
                         j->paths[0], a, j->paths[1], b);
    j->count = a > b ? a : b;
    if (j->svg && j->drawn >= j->count)
        return cli_error("--pair %" PRIu64 ": there are %zu pairs, counted from 0", j->drawn, j->count);
    result = cli_fit_times(&j->measure, j->sets[0], j->sets[1]);
    if (result == CLI_GO_ON)
        cli_fit_band(&j->measure_options, &j->measure, j->sets[0], j->sets[1]);
    return result;
}

static int upload(job *j) {
    const bool group = cli_is_group(&j->device);
    int result = group ? cli_group_open(&j->device, &j->group) : cli_context_open(&j->device, &j->context);
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        result = group ? cli_group_dataset_make(j->group, &j->device, j->sets[i], &j->shared[i])
                       : cli_dataset_make(j->context, &j->device, j->sets[i], &j->data[i]);
    return result;
}

static ww_status find(job *j, const size_t *row_index, const size_t *column_index, const ww_plan_options *options) {
    if (j->group)
        return ww_group_paths(&j->measure, j->shared[0], j->shared[1], row_index, column_index, j->count, options,
                              &j->found);
    ww_status status =
        ww_plan_create_paths(&j->measure, j->data[0], j->data[1], row_index, column_index, j->count, options, &j->plan);
    if (status == WW_OK)
        status = ww_plan_run_paths(j->plan, &j->found);
    return status == WW_OK ? ww_plan_get_info(j->plan, &j->info) : status;
}

static int compute(job *j) {
    ww_plan_options options;
    size_t *index[2] = {malloc(j->count * sizeof **index), malloc(j->count * sizeof **index)};
    int result = index[0] && index[1] ? upload(j) : cli_error("a list of %zu pairs does not fit memory", j->count);
    if (result != CLI_GO_ON)
        goto done;
    for (size_t p = 0; p < j->count; p++)
        for (int i = 0; i < 2; i++)
            index[i][p] = member(j, i, p);
    cli_plan_options(&j->device, &j->progress, &options);
    result = find(j, index[0], index[1], &options) == WW_OK ? CLI_GO_ON : cli_fail();
    cli_progress_end(&j->progress);
    cli_group_report(j->group);
done:
    free(index[0]);
    free(index[1]);
    return result;
}

// ---- files

static int write_array(const job *j) {
    const size_t total = (size_t)j->found.offsets[j->count];
    double *rows = malloc((total ? total : 1) * 3 * sizeof *rows);
    if (!rows)
        return cli_error("%zu cells do not fit memory", total);
    for (size_t p = 0; p < j->count; p++)
        for (uint64_t c = j->found.offsets[p]; c < j->found.offsets[p + 1]; c++) {
            rows[3 * c] = (double)p;
            rows[3 * c + 1] = j->found.cells[2 * c];
            rows[3 * c + 2] = j->found.cells[2 * c + 1];
        }
    const ww_status status = ww_array_write(j->output, rows, WW_DOUBLE, total, 3);
    free(rows);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

static int write_text(const job *j) {
    cli_output output;
    if (cli_output_open(j->output ? j->output : "-", &output) != CLI_GO_ON)
        return CLI_FAILURE;
    FILE *file = output.file;
    fputs("pair,i,j\n", file);
    for (size_t p = 0; p < j->count; p++)
        for (uint64_t c = j->found.offsets[p]; c < j->found.offsets[p + 1]; c++)
            fprintf(file, "%zu,%" PRId32 ",%" PRId32 "\n", p, j->found.cells[2 * c], j->found.cells[2 * c + 1]);
    return cli_output_close(&output);
}

static void print_json(const job *j, const cli_command *command) {
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
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
    head.engine = ww_engine_name(j->info.engine);
    head.seconds_compute = j->info.seconds_wall;
    head.seconds_device = j->info.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    if (j->group)
        cli_group_json(j->group, NULL, &json);
    else
        cli_json_plan(&json, &j->info);
    cli_json_values(&json, "distances", j->found.distances, WW_DOUBLE, j->count);
    cli_json_array(&json, "paths");
    for (size_t p = 0; p < j->count; p++) {
        cli_json_line(&json);
        cli_json_object(&json, NULL);
        cli_json_count(&json, "length", j->found.offsets[p + 1] - j->found.offsets[p]);
        cli_json_array(&json, "cells");
        for (uint64_t c = j->found.offsets[p]; !j->output && c < j->found.offsets[p + 1]; c++) {
            cli_json_array(&json, NULL);
            cli_json_integer(&json, NULL, j->found.cells[2 * c]);
            cli_json_integer(&json, NULL, j->found.cells[2 * c + 1]);
            cli_json_end(&json);
        }
        cli_json_end(&json);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

static int draw(const job *j) {
    const size_t pair = (size_t)j->drawn;
    const uint64_t first = j->found.offsets[pair];
    const cli_path_picture wanted = {.path = j->svg,
                                     .sets = {j->sets[0], j->sets[1]},
                                     .members = {member(j, 0, pair), member(j, 1, pair)},
                                     .pair = pair,
                                     .measure = &j->measure,
                                     .cells = j->found.cells + 2 * first,
                                     .count = (size_t)(j->found.offsets[pair + 1] - first),
                                     .distance = j->found.distances[pair]};
    return cli_path_draw(&wanted);
}

// ---- the command

int cmd_path(const cli_command *command, int argc, char **argv) {
    job j;
    memset(&j, 0, sizeof j);
    ww_paths_init(&j.found, sizeof j.found);
    ww_plan_info_init(&j.info, sizeof j.info);
    const cli_option options[] = {
        {"output", 'o', CLI_OUTPUT, "FILE", "where to: .npy (pair, i, j), else lines 'pair,i,j'; default '-'",
         &j.output, 0, 0},
        {"json", 'j', CLI_FLAG, NULL, "print one JSON object; the paths are in it, or in --output", &j.json, 0, 0},
        {"svg", 0, CLI_OUTPUT, "FILE", "draw a pair: both series, their links, the matrix with band and path", &j.svg,
         0, 0},
        {"pair", 0, CLI_COUNT, "N", "the pair that is drawn, from 0; default 0", &j.drawn, 0, 0},
        CLI_MEASURE_OPTIONS(j.measure_options),
        CLI_ENGINE_OPTION(j.device),
        CLI_READ_OPTIONS(j.read),
        CLI_DEVICE_OPTIONS(j.device),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 2, 2, NULL);
    if (result != CLI_GO_ON)
        return result;
    result = load(&j, command->name);
    if (result == CLI_GO_ON)
        result = compute(&j);
    if (result == CLI_GO_ON && j.svg)
        result = draw(&j);
    if (result == CLI_GO_ON && j.output && cli_name_ends_with(j.output, ".npy"))
        result = write_array(&j);
    else if (result == CLI_GO_ON && (j.output || (!j.json && !j.svg)))
        result = write_text(&j);
    if (result == CLI_GO_ON && j.json)
        print_json(&j, command);
    if (result == CLI_GO_ON)
        result = CLI_OK;
    ww_paths_free(&j.found);
    ww_plan_destroy(&j.plan);
    for (int i = 1; i >= 0; i--) {
        ww_group_dataset_destroy(&j.shared[i]);
        ww_dataset_destroy(&j.data[i]);
        ww_series_set_destroy(&j.sets[i]);
    }
    ww_group_destroy(&j.group);
    ww_context_destroy(&j.context);
    cli_measure_free(&j.measure);
    return result;
}
