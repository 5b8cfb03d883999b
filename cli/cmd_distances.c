// SPDX-License-Identifier: Apache-2.0
// wavewarp matrix, pairs and nearest.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "group_job.h"
#include "matrix_picture.h"
#include "neighbours.h"
#include "rows.h"
#include "series_rows.h"
#include "tiles.h"

// Two sets on a device under a measure, and a plan for them.
typedef struct job {
    cli_measure_options measure_options;
    cli_device_options device;
    cli_read_options read;
    const char *paths[2]; // the second NULL: the first set with itself
    const char *output;   // NULL: standard output
    bool json;
    ww_measure measure;
    ww_context *context;
    ww_series_set *sets[2];
    ww_dataset *data[2];
    ww_group *group; // several devices; then there is neither a context nor a plan
    ww_group_dataset *shared[2];
    ww_plan *plan;
    cli_progress progress;
    ww_plan_options plan_options;
    cli_range part[2]; // matrix: rows and columns
    cli_division division;
} job;

static void job_end(job *j) {
    cli_division_close(&j->division);
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

static int load(job *j, int i) {
    if (!j->paths[i])
        return CLI_GO_ON;
    return cli_read(j->paths[i], &j->read, i, true, &j->sets[i]);
}

static int upload(job *j, bool group) {
    int result = group ? cli_group_open(&j->device, &j->group) : cli_context_open(&j->device, &j->context);
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        if (j->sets[i])
            result = group ? cli_group_dataset_make(j->group, &j->device, j->sets[i], &j->shared[i])
                           : cli_dataset_make(j->context, &j->device, j->sets[i], &j->data[i]);
    return result;
}

// Reads the sets and uploads them.
static int job_begin(job *j, const char *command) {
    int result = cli_measure_make(command, &j->measure_options, &j->measure);
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        result = load(j, i);
    if (result == CLI_GO_ON)
        result = cli_fit_times(&j->measure, j->sets[0], j->sets[1]);
    if (result == CLI_GO_ON)
        cli_fit_band(&j->measure_options, &j->measure, j->sets[0], j->sets[1]);
    return result == CLI_GO_ON ? upload(j, cli_is_group(&j->device)) : result;
}

static size_t row_count(const job *j) {
    return ww_series_set_count(j->sets[0]);
}

static size_t column_count(const job *j) {
    return ww_series_set_count(j->sets[j->sets[1] ? 1 : 0]);
}

// What was computed; of work in several runs, all of them.
static bool get_info(const job *j, ww_plan_info *info) {
    if (ww_plan_get_info(j->plan, info) != WW_OK)
        return false;
    if (cli_divided(&j->division)) {
        info->cells = info->cells_done = j->progress.done_before;
        info->seconds_wall = j->division.seconds_wall;
        info->seconds_device = j->division.seconds_device;
    }
    return true;
}

// Prints a summary of the run on standard error, where that is a terminal.
static void report(const job *j) {
    ww_plan_info info = WW_PLAN_INFO_INIT;
    cli_group_report(j->group);
    if (!isatty(STDERR_FILENO) || !get_info(j, &info))
        return;
    fprintf(stderr, "%" PRIu64 " pairs, %" PRIu64 " cells in %.4g s, %.4g Gcells/s, engine %s\n", info.pairs,
            info.cells_done, info.seconds_wall, cli_rate(info.cells_done, info.seconds_wall) / 1e9,
            ww_engine_name(info.engine));
}

// The head of the command's object and what the plan did; the object stays open.
static void begin_json(const job *j, const cli_command *command, const char *output, cli_json *json) {
    ww_plan_info info = WW_PLAN_INFO_INIT;
    cli_head head = CLI_HEAD_INIT;
    if (!get_info(j, &info))
        ww_plan_info_init(&info, sizeof info);
    for (int i = 0; i < 2; i++) {
        head.files[i] = j->paths[i];
        head.counts[i] = j->sets[i] ? ww_series_set_count(j->sets[i]) : 0;
    }
    head.output = output;
    head.measure = &j->measure;
    head.measure_options = &j->measure_options;
    head.read = &j->read;
    head.context = j->context;
    head.precision = ww_precision_name(cli_precision(&j->device));
    head.engine = ww_engine_name(info.engine);
    head.seconds_compute = info.seconds_wall;
    head.seconds_device = info.seconds_device;
    if (j->group)
        cli_group_head(j->group, &head);
    cli_json_head(json, stdout, command, &head);
    if (j->group)
        cli_group_json(j->group, NULL, json);
    else
        cli_json_plan(json, &info);
}

#define JOB_OPTIONS(j)                                                                                                 \
    CLI_MEASURE_OPTIONS((j).measure_options), CLI_ENGINE_OPTION((j).device), CLI_READ_OPTIONS((j).read),               \
        CLI_DEVICE_OPTIONS((j).device)
#define DISTANCES_OPTIONS(j)                                                                                           \
    {                                                                                                                  \
        "output",    'o', CLI_OUTPUT, "FILE", "where to: .npy, .csv, else raw values; default '-', text",              \
        &(j).output, 0,   0},                                                                                          \
    {                                                                                                                  \
        "json", 'j', CLI_FLAG, NULL, "print one JSON object; the distances are in it, or in --output", &(j).json, 0, 0 \
    }

// ---- matrix

// The destination of blocks. When one can't be written, the plan is cancelled; the reason is kept here.
typedef struct sink {
    ww_array_file *file;
    ww_error error;
} sink;

static int put_block(void *user, size_t row, size_t rows, size_t column, size_t columns, const void *values) {
    sink *to = user;
    if (ww_array_file_put(to->file, row, rows, column, columns, values) == WW_OK)
        return 0;
    to->error = *ww_last_error();
    return 1;
}

static int put_condensed(void *user, uint64_t first, uint64_t count, const void *values) {
    sink *to = user;
    if (ww_array_file_put(to->file, (size_t)first, (size_t)count, 0, 1, values) == WW_OK)
        return 0;
    to->error = *ww_last_error();
    return 1;
}

// Whether a result of this size is better held in memory than streamed: a quarter of the memory, or as the user says.
static bool fits_memory(uint64_t rows, uint64_t columns, ww_precision precision) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const char *named = getenv("WAVEWARP_RESULT_BYTES");
    uint64_t most = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 4 : 0;
    if (named && *named && !cli_bytes(named, &most))
        fprintf(stderr, "wavewarp: note: WAVEWARP_RESULT_BYTES is no number of bytes and not used\n");
    return (double)rows * (double)columns * (double)cli_value_bytes(precision) <= (double)most;
}

static bool is_part(const job *j) {
    return j->part[0].given || j->part[1].given;
}

// Cuts a range at the number of series that there are.
static int fit_range(cli_range *range, const char *what, size_t count) {
    if (range->end == UINT64_MAX || !range->given)
        range->end = count;
    return range->begin < range->end && range->end <= count
               ? CLI_GO_ON
               : cli_error("--part-%s %" PRIu64 ":%" PRIu64 ": there are %zu %s, numbered from 0", what, range->begin,
                           range->end, count, what);
}

// Runs the plan into the file: through `values`, which hold the whole result, or NULL: block by block. Without a file
// the result stays in `values`.
static int run_matrix(job *j, bool condensed, void *values, size_t rows, size_t columns, ww_array_file *file) {
    if (!values) {
        sink to = {.file = file};
        const ww_status streamed = condensed ? ww_plan_run_condensed_blocks(j->plan, put_condensed, &to)
                                             : ww_plan_run_blocks(j->plan, put_block, &to);
        cli_progress_end(&j->progress);
        if (streamed == WW_OK)
            return CLI_GO_ON;
        return cli_fail_with(to.error.status != WW_OK ? &to.error : ww_last_error());
    }
    ww_output to = WW_OUTPUT_HOST(values);
    if (condensed)
        to.layout = WW_LAYOUT_CONDENSED;
    ww_status status = j->group ? ww_group_matrix(&j->measure, j->shared[0], j->shared[1], &j->plan_options, &to)
                       : is_part(j)
                           ? ww_plan_run_rectangle(j->plan, j->part[0].begin, rows, j->part[1].begin, columns, &to)
                           : ww_plan_run(j->plan, &to);
    cli_progress_end(&j->progress); // before a message, which would be written after the bar
    if (status == WW_OK && file)
        status = ww_array_file_put(file, 0, rows, 0, columns ? columns : 1, values);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

// "distances": the rows of the matrix, or its upper triangle in one list.
static void print_matrix_json(const job *j, const cli_command *command, bool condensed, const void *values,
                              uint64_t rows, uint64_t columns) {
    const ww_precision precision = cli_precision(&j->device);
    const size_t row_bytes = (size_t)columns * cli_value_bytes(precision);
    cli_json json;
    begin_json(j, command, values ? NULL : j->division.part ? j->division.data_path : j->output, &json);
    cli_division_json(&json, &j->division);
    cli_json_flag(&json, "condensed", condensed);
    if (is_part(j)) {
        cli_json_count(&json, "first_row", j->part[0].begin);
        cli_json_count(&json, "first_column", j->part[1].begin);
    }
    if (!values) {
        cli_json_null(&json, "distances");
    } else if (condensed) {
        cli_json_values(&json, "distances", values, precision, (size_t)rows);
    } else {
        cli_json_array(&json, "distances");
        for (size_t i = 0; i < rows; i++) {
            cli_json_line(&json);
            cli_json_values(&json, NULL, (const char *)values + i * row_bytes, precision, (size_t)columns);
        }
        cli_json_end(&json);
    }
    cli_json_end(&json);
}

// Where the result goes. Without any place it is standard output, as text.
static bool has_file(const job *j, const char *svg) {
    return j->output || !(j->json || svg);
}

// Tile by tile, with a journal. The result is in a file.
static int divide_matrix(job *j, const cli_command *command, bool condensed) {
    const size_t n = row_count(j);
    ww_plan_info info = WW_PLAN_INFO_INIT;
    cli_plan_options(&j->device, &j->progress, &j->plan_options);
    if (ww_plan_create_matrix(&j->measure, j->data[0], j->data[1], &j->plan_options, &j->plan) != WW_OK ||
        ww_plan_get_info(j->plan, &info) != WW_OK) {
        cli_progress_end(&j->progress);
        return cli_fail();
    }
    // Of a symmetric measure one half is planned. Up to 3 series that does not show, nor matter.
    const bool upper = condensed || (!j->data[1] && !is_part(j) && n > 3 && info.pairs <= n * (n + 1) / 2);
    cli_tile_job tiles = {
        {j->sets[0], j->sets[1]}, j->plan,    j->context, &j->progress, {.condensed = condensed}, &j->measure,
        &j->measure_options,      &j->device, j->output};
    tiles.shape.precision = cli_precision(&j->device);
    tiles.shape.tiles = (cli_tiles){.row = j->part[0].begin,
                                    .rows = j->part[0].end - j->part[0].begin,
                                    .column = j->part[1].begin,
                                    .columns = j->part[1].end - j->part[1].begin,
                                    .upper = upper};
    const int result = cli_tiles_run(&j->division, &tiles);
    if (result == CLI_GO_ON && j->json)
        print_matrix_json(j, command, condensed, NULL, 0, 0);
    return result;
}

static int compute_matrix(job *j, const cli_command *command, bool condensed, const char *svg) {
    const ww_precision precision = cli_precision(&j->device);
    const uint64_t n = j->part[0].end - j->part[0].begin;
    // The half of n x n; the even one of n and n-1 is halved before it is multiplied.
    const uint64_t rows = condensed ? (n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1)) : n;
    const uint64_t columns = condensed ? 0 : j->part[1].end - j->part[1].begin;
    const bool in_json = j->json && !j->output, to_file = has_file(j, svg);
    ww_array_file *file = NULL;
    void *values = NULL;
    int result = CLI_GO_ON;
    if (j->group && !fits_memory(rows, columns, precision))
        return cli_error("several devices write to host memory, and %" PRIu64 " x %" PRIu64
                         " distances are too many: compute parts, by --part-rows, on each device",
                         rows, columns);
    // One half computed in memory is twice as fast as the whole square in blocks.
    if (in_json || svg || is_part(j) || j->group ||
        (!j->data[1] && fits_memory(rows, columns ? columns : 1, precision)))
        result = cli_values_allocate(rows, columns ? columns : 1, precision, &values);
    if (result != CLI_GO_ON)
        return result;
    cli_plan_options(&j->device, &j->progress, &j->plan_options);
    if ((!j->group &&
         ww_plan_create_matrix(&j->measure, j->data[0], j->data[1], &j->plan_options, &j->plan) != WW_OK) ||
        (to_file &&
         ww_array_file_create(j->output ? j->output : "-", precision, (size_t)rows, (size_t)columns, &file) != WW_OK))
        result = cli_fail();
    else
        result = run_matrix(j, condensed, values, (size_t)rows, (size_t)columns, file);
    cli_progress_end(&j->progress);
    if (ww_array_file_close(&file, result == CLI_GO_ON) != WW_OK && result == CLI_GO_ON)
        result = cli_fail();
    const cli_matrix_picture picture = {svg, {j->sets[0], j->sets[1]}, values, precision, condensed, &j->measure};
    if (result == CLI_GO_ON && svg)
        result = cli_matrix_draw(&picture);
    if (result == CLI_GO_ON && j->json)
        print_matrix_json(j, command, condensed, in_json ? values : NULL, rows, columns);
    free(values);
    return result;
}

static int check_division(job *j, const char *command, const char *svg) {
    const cli_division *d = &j->division;
    const int result = cli_division_check(command, &j->division);
    if (result != CLI_GO_ON || !cli_divided(d))
        return result;
    if (svg)
        return cli_usage(command, "--svg draws a whole matrix: draw it from the finished file");
    if (d->part && (j->output || is_part(j)))
        return cli_usage(command,
                         "--part names its file itself and divides the whole matrix: no --output, no --part-rows");
    if (d->checkpoint && (!j->output || strcmp(j->output, "-") == 0 || cli_name_ends_with(j->output, ".csv")))
        return cli_usage(command, "--checkpoint needs --output FILE, .npy or raw values: what is done is kept in it");
    return CLI_GO_ON;
}

int cmd_matrix(const cli_command *command, int argc, char **argv) {
    job j = {0};
    bool condensed = false;
    const char *svg = NULL;
    const cli_option options[] = {
        DISTANCES_OPTIONS(j),
        {"svg", 0, CLI_OUTPUT, "FILE", "draw the matrix as a heat map; of one set, in the order of a tree", &svg, 0, 0},
        {"condensed", 0, CLI_FLAG, NULL, "upper triangle without the diagonal, row after row", &condensed, 0, 0},
        {"part-rows", 0, CLI_RANGE, "A:B", "only rows A to B-1, from 0: a part of the matrix", &j.part[0], 0, 0},
        {"part-columns", 0, CLI_RANGE, "C:D", "only columns C to D-1, from 0", &j.part[1], 0, 0},
        CLI_PARTS_OPTIONS(j.division),
        CLI_CHECKPOINT_OPTION(j.division),
        JOB_OPTIONS(j),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, 2, NULL);
    if (result == CLI_GO_ON && condensed && j.paths[1])
        result = cli_usage(command->name, "--condensed is for one set with itself");
    if (result == CLI_GO_ON && is_part(&j) && (condensed || svg))
        result = cli_usage(command->name, "--part-rows and --part-columns are not for --condensed or --svg");
    if (result == CLI_GO_ON)
        result = check_division(&j, command->name, svg);
    if (result == CLI_GO_ON && cli_is_group(&j.device) && (is_part(&j) || condensed || cli_divided(&j.division)))
        result = cli_usage(command->name,
                           "several devices compute a whole matrix, not --condensed, a part or from a checkpoint");
    if (result != CLI_GO_ON)
        return result;
    result = job_begin(&j, command->name);
    if (result == CLI_GO_ON)
        result = fit_range(&j.part[0], "rows", row_count(&j));
    if (result == CLI_GO_ON)
        result = fit_range(&j.part[1], "columns", column_count(&j));
    if (result == CLI_GO_ON)
        result = cli_divided(&j.division) ? divide_matrix(&j, command, condensed)
                                          : compute_matrix(&j, command, condensed, svg);
    if (result == CLI_GO_ON) {
        report(&j);
        result = CLI_OK;
    }
    job_end(&j);
    return result;
}

// ---- pairs

static void note_run(void *user) {
    job *j = user;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    if (ww_plan_get_info(j->plan, &info) != WW_OK)
        return;
    j->progress.done_before += info.cells_done;
    j->division.seconds_wall += info.seconds_wall;
    j->division.seconds_device += info.seconds_device;
}

static cli_series_rows series_of(job *j, size_t k) {
    return (cli_series_rows){&j->measure, &j->device, &j->plan_options, j->context, {j->sets[0], j->sets[1]},
                             j->data,     k,          &j->plan,         note_run,   j};
}

static cli_row_job rows_of(const job *j, cli_series_rows *series) {
    return (cli_row_job){.sets = {j->sets[0], j->sets[1]},
                         .context = j->context,
                         .measure = &j->measure,
                         .measure_options = &j->measure_options,
                         .device = &j->device,
                         .result = cli_precision(&j->device),
                         .rows = row_count(j),
                         .user = series};
}

// The distances of all pairs; of a part NULL: they are in its file.
static int print_pairs(job *j, const cli_command *command, const void *values) {
    const ww_precision precision = cli_precision(&j->device);
    const size_t n = row_count(j);
    const bool in_json = values && j->json && !j->output;
    cli_json json;
    if (values && !in_json && ww_array_write(j->output ? j->output : "-", values, precision, n, 0) != WW_OK)
        return cli_fail();
    if (!j->json)
        return CLI_GO_ON;
    begin_json(j, command, values ? j->output : j->division.data_path, &json);
    cli_division_json(&json, &j->division);
    if (in_json)
        cli_json_values(&json, "distances", values, precision, n);
    else
        cli_json_null(&json, "distances");
    cli_json_end(&json);
    return CLI_GO_ON;
}

static int write_pairs(job *j, const cli_command *command, const void *values) {
    CLI_TRY(print_pairs(j, command, values));
    return values && cli_divided(&j->division) ? cli_division_finish(&j->division, true) : CLI_GO_ON;
}

static int divide_pairs(job *j, void *values) {
    cli_series_rows series = series_of(j, 0);
    cli_row_job rows = rows_of(j, &series);
    rows.name = "pairs";
    rows.progress = &j->progress;
    rows.precision = cli_precision(&j->device);
    rows.weight = cli_pairs_weight;
    rows.compute = cli_pairs_compute;
    return cli_rows_run(&j->division, &rows, values);
}

static int run_pairs(job *j, void *values) {
    const size_t n = row_count(j);
    const ww_output to = WW_OUTPUT_HOST(values);
    ww_status status =
        j->group ? ww_group_pairs(&j->measure, j->shared[0], j->shared[1], NULL, NULL, n, &j->plan_options, &to)
                 : ww_plan_create_pairs(&j->measure, j->data[0], j->data[1], NULL, NULL, n, &j->plan_options, &j->plan);
    if (status == WW_OK && !j->group)
        status = ww_plan_run(j->plan, &to);
    cli_progress_end(&j->progress);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

static int compute_pairs(job *j, const cli_command *command) {
    void *values = NULL;
    int result =
        j->division.part ? CLI_GO_ON : cli_values_allocate(row_count(j), 1, cli_precision(&j->device), &values);
    if (result != CLI_GO_ON)
        return result;
    cli_plan_options(&j->device, &j->progress, &j->plan_options);
    result = cli_divided(&j->division) ? divide_pairs(j, values) : run_pairs(j, values);
    if (result == CLI_GO_ON)
        result = write_pairs(j, command, values);
    free(values);
    return result;
}

int cmd_pairs(const cli_command *command, int argc, char **argv) {
    job j = {0};
    const cli_option options[] = {
        DISTANCES_OPTIONS(j),
        CLI_PARTS_OPTIONS(j.division),
        CLI_CHECKPOINT_OPTION(j.division),
        JOB_OPTIONS(j),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 2, 2, NULL);
    if (result == CLI_GO_ON)
        result = cli_division_check_job(command->name, &j.division, &j.device, j.output);
    if (result != CLI_GO_ON)
        return result;
    result = job_begin(&j, command->name);
    if (result == CLI_GO_ON && row_count(&j) != column_count(&j))
        result = cli_error("%s has %zu series and %s has %zu: pairs need equal numbers", j.paths[0], row_count(&j),
                           j.paths[1], column_count(&j));
    if (result == CLI_GO_ON)
        result = compute_pairs(&j, command);
    if (result == CLI_GO_ON) {
        report(&j);
        result = CLI_OK;
    }
    job_end(&j);
    return result;
}

// ---- nearest

static void print_nearest_json(const job *j, const cli_command *command, const cli_neighbours *n,
                               const cli_neighbour_options *wanted) {
    cli_json json;
    begin_json(j, command, j->division.part ? j->division.data_path : wanted->output, &json);
    cli_division_json(&json, &j->division);
    cli_json_count(&json, "k", n->k);
    if (j->division.part)
        cli_json_null(&json, "neighbours");
    else
        cli_neighbours_json(&json, n, wanted);
    cli_json_end(&json);
}

static int divide_nearest(job *j, const cli_command *command, const cli_neighbour_options *wanted, bool no_bounds) {
    cli_neighbours n = {row_count(j), (size_t)wanted->k, cli_precision(&j->device), NULL, NULL};
    cli_series_rows series = series_of(j, n.k);
    cli_row_job rows = rows_of(j, &series);
    void *values = NULL;
    int result = CLI_GO_ON;
    cli_plan_options(&j->device, &j->progress, &j->plan_options);
    j->plan_options.no_bounds = no_bounds;
    rows.name = "nearest";
    rows.progress = &j->progress;
    rows.k = n.k;
    rows.columns = 2 * n.k;
    rows.precision = WW_DOUBLE;
    rows.weight = cli_nearest_weight;
    rows.compute = cli_nearest_compute;
    if (!j->division.part) {
        result = cli_neighbours_allocate(&n);
        if (result == CLI_GO_ON)
            result = cli_values_allocate(n.queries, rows.columns, WW_DOUBLE, &values);
    }
    if (result == CLI_GO_ON)
        result = cli_rows_run(&j->division, &rows, values);
    if (result == CLI_GO_ON && values) {
        cli_neighbours_unpack(&n, values, 0, n.queries);
        result = cli_neighbours_write(&n, wanted);
    }
    if (result == CLI_GO_ON && j->json)
        print_nearest_json(j, command, &n, wanted);
    if (result == CLI_GO_ON && values)
        result = cli_division_finish(&j->division, true);
    free(values);
    cli_neighbours_free(&n);
    return result;
}

static int compute_nearest(job *j, const cli_command *command, const cli_neighbour_options *wanted, bool no_bounds) {
    cli_neighbours n = {row_count(j), (size_t)wanted->k, cli_precision(&j->device), NULL, NULL};
    int result = cli_neighbours_allocate(&n);
    if (result != CLI_GO_ON)
        goto done;
    cli_plan_options(&j->device, &j->progress, &j->plan_options);
    j->plan_options.no_bounds = no_bounds;
    ww_status status =
        j->group ? ww_group_nearest(&j->measure, j->shared[0], j->shared[1], n.k, &j->plan_options, n.ids, n.distances)
                 : ww_plan_create_nearest(&j->measure, j->data[0], j->data[1], n.k, &j->plan_options, &j->plan);
    if (status == WW_OK && !j->group)
        status = ww_plan_run_nearest(j->plan, n.ids, n.distances);
    cli_progress_end(&j->progress);
    if (status != WW_OK) {
        result = cli_fail();
        goto done;
    }
    result = cli_neighbours_write(&n, wanted);
    if (result == CLI_GO_ON && j->json)
        print_nearest_json(j, command, &n, wanted);
done:
    cli_neighbours_free(&n);
    return result;
}

int cmd_nearest(const cli_command *command, int argc, char **argv) {
    job j = {0};
    cli_neighbour_options wanted = {.k = 1};
    bool no_bounds = false;
    const cli_option options[] = {
        CLI_NEIGHBOUR_OPTIONS(wanted),
        {"no-bounds", 0, CLI_FLAG, NULL, "compute every distance in full: no lower bounds, no abandoning", &no_bounds,
         0, 0},
        CLI_PARTS_OPTIONS(j.division),
        CLI_CHECKPOINT_OPTION(j.division),
        JOB_OPTIONS(j),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, 2, NULL);
    if (result == CLI_GO_ON)
        result = cli_division_check_job(command->name, &j.division, &j.device,
                                        wanted.output || wanted.ids || wanted.distances);
    if (result != CLI_GO_ON)
        return result;
    j.json = wanted.json;
    result = job_begin(&j, command->name);
    if (result == CLI_GO_ON)
        result = cli_divided(&j.division) ? divide_nearest(&j, command, &wanted, no_bounds)
                                          : compute_nearest(&j, command, &wanted, no_bounds);
    if (result == CLI_GO_ON) {
        report(&j);
        result = CLI_OK;
    }
    job_end(&j);
    return result;
}
