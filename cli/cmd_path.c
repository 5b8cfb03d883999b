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
#include "paths.h"

typedef struct job {
    cli_measure_options measure_options;
    cli_device_options device;
    cli_read_options read;
    const char *files[2];
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
    ww_paths found;        // of the library, or else
    cli_paths joined;      // from the journal's file
    const ww_paths *paths; // one of them
    cli_division division;
} job;

static size_t member(const job *j, int side, size_t pair) {
    return cli_series_member(j->sets[side], pair);
}

static int load(job *j, const char *command) {
    int result = cli_measure_make(command, &j->measure_options, &j->measure);
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        result = cli_read(j->files[i], &j->read, i, true, &j->sets[i]);
    if (result != CLI_GO_ON)
        return result;
    const ww_series_set *const sets[] = {j->sets[0], j->sets[1]};
    if ((result = cli_paths_check(j->files, sets)) != CLI_GO_ON)
        return result;
    j->count = cli_paths_count(sets);
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

static int compute(job *j, const ww_plan_options *options) {
    size_t *index[2] = {malloc(j->count * sizeof **index), malloc(j->count * sizeof **index)};
    int result = index[0] && index[1] ? CLI_GO_ON : cli_error("a list of %zu pairs does not fit memory", j->count);
    for (size_t p = 0; result == CLI_GO_ON && p < j->count; p++)
        for (int i = 0; i < 2; i++)
            index[i][p] = member(j, i, p);
    if (result == CLI_GO_ON && find(j, index[0], index[1], options) != WW_OK)
        result = cli_fail();
    j->paths = &j->found;
    free(index[0]);
    free(index[1]);
    return result;
}

// ---- parts and checkpoints

static void note_run(void *user) {
    job *j = user;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    if (ww_plan_get_info(j->plan, &info) != WW_OK)
        return;
    j->progress.done_before += info.cells_done;
    j->info.engine = info.engine;
    j->info.pairs += info.pairs;
    j->info.cells += info.cells;
    j->info.cells_done += info.cells_done;
    j->info.launches += info.launches;
    j->info.seconds_device += info.seconds_device;
    j->info.seconds_wall += info.seconds_wall;
}

// Of a part: into its file; else all paths, and journal and file are left to be removed.
static int divide(job *j, const ww_plan_options *options) {
    cli_path_rows paths = {.series = {.measure = &j->measure,
                                      .device = &j->device,
                                      .options = options,
                                      .context = j->context,
                                      .sets = {j->sets[0], j->sets[1]},
                                      .data = j->data,
                                      .plan = &j->plan,
                                      .note = note_run,
                                      .user = j}};
    cli_row_job rows = {
        .progress = &j->progress, .measure = &j->measure, .measure_options = &j->measure_options, .device = &j->device};
    int result = cli_paths_divide(&paths, &rows);
    if (result == CLI_GO_ON)
        result = cli_rows_run(&j->division, &rows, NULL);
    if (result != CLI_GO_ON || j->division.part)
        return result;
    j->paths = &j->joined.found;
    return cli_paths_join(&j->joined, &rows, j->division.file);
}

static int find_all(job *j) {
    ww_plan_options options;
    int result = upload(j);
    if (result != CLI_GO_ON)
        return result;
    cli_plan_options(&j->device, &j->progress, &options);
    result = cli_divided(&j->division) ? divide(j, &options) : compute(j, &options);
    cli_progress_end(&j->progress);
    cli_group_report(j->group);
    return result;
}

// ---- files

static void print_json(const job *j, const cli_command *command) {
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
    for (int i = 0; i < 2; i++) {
        head.files[i] = j->files[i];
        head.counts[i] = ww_series_set_count(j->sets[i]);
    }
    head.output = j->division.part ? j->division.data_path : j->output;
    head.measure = &j->measure;
    head.measure_options = &j->measure_options;
    head.read = &j->read;
    head.context = j->context;
    head.precision = ww_precision_name(cli_precision(&j->device));
    head.engine = ww_engine_name(j->info.engine);
    head.seconds_compute = j->info.seconds_wall;
    head.seconds_device = j->info.seconds_device;
    if (j->group)
        cli_group_head(j->group, &head);
    cli_json_head(&json, stdout, command, &head);
    if (j->group)
        cli_group_json(j->group, NULL, &json);
    else
        cli_json_plan(&json, &j->info);
    cli_division_json(&json, &j->division);
    if (j->paths) {
        cli_paths_json(&json, j->paths, !j->output);
    } else {
        cli_json_null(&json, "distances");
        cli_json_null(&json, "paths");
    }
    cli_json_end(&json);
}

static int draw(const job *j) {
    const size_t pair = (size_t)j->drawn;
    const uint64_t first = j->paths->offsets[pair];
    const cli_path_picture wanted = {.path = j->svg,
                                     .sets = {j->sets[0], j->sets[1]},
                                     .members = {member(j, 0, pair), member(j, 1, pair)},
                                     .pair = pair,
                                     .measure = &j->measure,
                                     .cells = j->paths->cells + 2 * first,
                                     .count = (size_t)(j->paths->offsets[pair + 1] - first),
                                     .distance = j->paths->distances[pair]};
    return cli_path_draw(&wanted);
}

static int output(const job *j, const cli_command *command) {
    int result = CLI_GO_ON;
    if (j->svg)
        result = draw(j);
    if (result == CLI_GO_ON && j->paths && (j->output || (!j->json && !j->svg)))
        result = cli_paths_write(j->paths, j->output);
    if (result == CLI_GO_ON && j->json)
        print_json(j, command);
    return result;
}

// ---- the command

static void job_end(job *j) {
    cli_division_close(&j->division);
    ww_paths_free(&j->found);
    cli_paths_free(&j->joined);
    ww_plan_destroy(&j->plan);
    for (int i = 1; i >= 0; i--) {
        ww_group_dataset_destroy(&j->shared[i]);
        ww_dataset_destroy(&j->data[i]);
        ww_series_set_destroy(&j->sets[i]);
    }
    ww_group_destroy(&j->group);
    ww_context_destroy(&j->context);
    cli_measure_free(&j->measure);
}

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
        CLI_PARTS_OPTIONS(j.division),
        CLI_CHECKPOINT_OPTION(j.division),
        CLI_MEASURE_OPTIONS(j.measure_options),
        CLI_ENGINE_OPTION(j.device),
        CLI_READ_OPTIONS(j.read),
        CLI_DEVICE_OPTIONS(j.device),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.files, 2, 2, NULL);
    if (result == CLI_GO_ON)
        result = cli_division_check_job(command->name, &j.division, &j.device, j.output || j.svg);
    if (result != CLI_GO_ON)
        return result;
    result = load(&j, command->name);
    if (result == CLI_GO_ON)
        result = find_all(&j);
    if (result == CLI_GO_ON)
        result = output(&j, command);
    if (result == CLI_GO_ON && j.division.checkpoint)
        result = cli_division_finish(&j.division, true);
    job_end(&j);
    return result == CLI_GO_ON ? CLI_OK : result;
}
