// SPDX-License-Identifier: Apache-2.0
// wavewarp matrix, pairs and nearest.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/series_job.h"
#include "base/triangle.h"
#include "commands/commands.h"
#include "pictures/matrix_picture.h"
#include "results/neighbours.h"

// Two sets under a measure, and a plan for them.
typedef struct job {
    cli_series_job s;
    const char *output; // NULL: standard output
    bool json;
    ww_plan *plan;
    cli_range part[2]; // matrix: rows and columns
} job;

static void job_end(job *j) {
    ww_plan_destroy(&j->plan);
    cli_series_end(&j->s);
}

// Reads the sets and uploads them.
static int job_begin(job *j, const char *command) {
    CLI_TRY(cli_series_read(&j->s, command));
    CLI_TRY(cli_series_fit(&j->s));
    j->s.output = j->output;
    return cli_series_upload(&j->s);
}

static size_t row_count(const job *j) {
    return ww_series_set_count(j->s.sets[0]);
}

// Prints a summary of the run on standard error, where that is a terminal.
static void report(const job *j) {
    ww_plan_info info = WW_PLAN_INFO_INIT;
    cli_shares_report(j->s.context);
    if (!isatty(STDERR_FILENO) || ww_plan_get_info(j->plan, &info) != WW_OK)
        return;
    fprintf(stderr, "%" PRIu64 " pairs, %" PRIu64 " cells in %.4g s, %.4g Gcells/s, engine %s\n", info.pairs,
            info.cells_done, info.seconds_wall, cli_rate(info.cells_done, info.seconds_wall) / 1e9,
            ww_word(WW_WORD_ENGINE, info.engine));
}

static int finish(job *j) {
    CLI_TRY(cli_division_finish(&j->s.division));
    report(j);
    return CLI_GO_ON;
}

// The head of the command's object and what the plan did; the object stays open.
static void begin_json(const job *j, const cli_command *command, cli_json *json) {
    ww_plan_info info = WW_PLAN_INFO_INIT;
    cli_head head = cli_series_head(&j->s, j->output);
    (void)!ww_plan_get_info(j->plan, &info);
    head.engine = ww_word(WW_WORD_ENGINE, info.engine);
    head.seconds_compute = info.seconds_wall;
    head.seconds_device = info.seconds_device;
    cli_json_head(json, stdout, command, &head);
    cli_json_plan(json, &info);
    cli_shares_json(j->s.context, NULL, json);
}

#define JOB_OPTIONS(j)                                                                                                 \
    CLI_MEASURE_OPTIONS((j).s.measure_options), CLI_ENGINE_OPTION((j).s.device), CLI_READ_OPTIONS((j).s.read),         \
        CLI_DEVICE_OPTIONS((j).s.device)
#define DISTANCES_OPTIONS(j)                                                                                           \
    CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE", "where to: .npy, .csv, else raw values; default '-', text",          \
               &(j).output),                                                                                           \
        CLI_SWITCH("json", 'j', "print one JSON object; the distances are in it, or in --output", &(j).json)

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
    return put_block(user, (size_t)first, (size_t)count, 0, 1, values);
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

static int stream_matrix(job *j, bool condensed, ww_array_file *file) {
    sink to = {.file = file};
    const ww_status status = condensed ? ww_plan_run_condensed_blocks(j->plan, put_condensed, &to)
                                       : ww_plan_run_blocks(j->plan, put_block, &to);
    cli_progress_end();
    if (status == WW_OK)
        return CLI_GO_ON;
    return cli_fail_with(to.error.status != WW_OK ? &to.error : ww_last_error());
}

// Computes the matrix into a file: through `values`, which hold the whole result, or NULL: block by block. Without a
// path the result stays in `values`.
static int run_matrix(job *j, bool condensed, void *values, size_t rows, size_t columns, const char *path) {
    CLI_ENDS(cli_array_drop) ww_array_file *file = NULL;
    CLI_TRY(cli_status(ww_plan_create_matrix(&j->s.measure, j->s.data[0], j->s.data[1], &j->s.plan, &j->plan)));
    if (path)
        CLI_TRY(cli_status(ww_array_file_create(path, cli_precision(&j->s.device), rows, columns, &file)));
    if (!values) {
        CLI_TRY(stream_matrix(j, condensed, file));
        return cli_status(ww_array_file_close(&file, WW_ARRAY_FILE_FINISH));
    }
    ww_output to = WW_OUTPUT_HOST(values);
    if (condensed)
        to.layout = WW_LAYOUT_CONDENSED;
    const ww_status status =
        is_part(j) ? ww_plan_run_rectangle(j->plan, j->part[0].begin, rows, j->part[1].begin, columns, &to)
                   : ww_plan_run(j->plan, &to);
    cli_progress_end();
    CLI_TRY(cli_status(status));
    if (file)
        CLI_TRY(cli_status(ww_array_file_put(file, 0, rows, 0, columns ? columns : 1, values)));
    return cli_status(ww_array_file_close(&file, WW_ARRAY_FILE_FINISH));
}

// "distances": the rows of the matrix, or its upper triangle in one list.
static void print_matrix_json(const job *j, const cli_command *command, bool condensed, const void *values,
                              uint64_t rows, uint64_t columns) {
    const ww_precision precision = cli_precision(&j->s.device);
    const size_t row_bytes = (size_t)columns * cli_value_bytes(precision);
    cli_json json;
    begin_json(j, command, &json);
    cli_division_json(&json, &j->s.division);
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

static int compute_matrix(job *j, const cli_command *command, bool condensed, const char *svg) {
    const ww_precision precision = cli_precision(&j->s.device);
    const uint64_t n = j->part[0].end - j->part[0].begin;
    const uint64_t rows = condensed ? cli_condensed_count(n) : n;
    const uint64_t columns = condensed ? 0 : j->part[1].end - j->part[1].begin;
    const bool in_json = j->json && !j->output;
    const char *path = j->output ? j->output : j->json || svg ? NULL : "-"; // without any other place: text
    CLI_FREES void *values = NULL;
    // One half computed in memory is twice as fast as the whole square in blocks.
    if (in_json || svg || is_part(j) || (!j->s.data[1] && fits_memory(rows, columns ? columns : 1, precision)))
        CLI_TRY(cli_values_allocate(rows, columns ? columns : 1, precision, &values));
    cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
    j->s.plan.one_way = condensed; // check_condensed() has asked
    CLI_TRY(run_matrix(j, condensed, values, (size_t)rows, (size_t)columns, path));
    const cli_matrix_picture picture = {svg, {j->s.sets[0], j->s.sets[1]}, values, precision, condensed, &j->s.measure};
    if (svg)
        CLI_TRY(cli_matrix_draw(&picture));
    if (j->json)
        print_matrix_json(j, command, condensed, in_json ? values : NULL, rows, columns);
    return CLI_GO_ON;
}

static int check_matrix(job *j, const char *command, bool condensed, const char *svg) {
    if (condensed && j->s.paths[1])
        return cli_usage(command, "--condensed is for one set with itself");
    if (is_part(j) && (condensed || svg))
        return cli_usage(command, "--part-rows and --part-columns are not for --condensed or --svg");
    return cli_division_check(command, &j->s.division, j->output || svg);
}

// What reads a condensed file takes it for the distances of both ways.
static int check_condensed(const job *j, bool one_way) {
    CLI_TRY(cli_need_distances(&j->s.measure));
    if (one_way || ww_measure_is_symmetric(&j->s.measure))
        return CLI_GO_ON;
    return cli_error("under this measure d(x,y) and d(y,x) may differ, and a condensed matrix has one of them: leave "
                     "out --condensed, or say --one-way for d(x,y) of the earlier x");
}

int cmd_matrix(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) job j = {0};
    bool condensed = false, one_way = false;
    const char *svg = NULL;
    const cli_option options[] = {
        DISTANCES_OPTIONS(j),
        CLI_OPTION("svg", 0, CLI_OUTPUT, "FILE", "draw the matrix as a heat map; of one set, in the order of a tree",
                   &svg),
        CLI_SWITCH("condensed", 0, "upper triangle without the diagonal, row after row", &condensed),
        CLI_SWITCH("one-way", 0, "with --condensed: d(x,y) of the earlier x alone, where d(y,x) may differ", &one_way),
        CLI_OPTION("part-rows", 0, CLI_RANGE, "A:B", "only rows A to B-1, from 0: a part of the matrix", &j.part[0]),
        CLI_OPTION("part-columns", 0, CLI_RANGE, "C:D", "only columns C to D-1, from 0", &j.part[1]),
        CLI_DIVISION_OPTIONS(j.s.division),
        JOB_OPTIONS(j),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.s.paths, 1, 2, NULL));
    if (one_way && !condensed)
        return cli_usage(command->name, "--one-way goes with --condensed");
    CLI_TRY(check_matrix(&j, command->name, condensed, svg));
    CLI_TRY(job_begin(&j, command->name));
    CLI_TRY(condensed ? check_condensed(&j, one_way) : CLI_GO_ON);
    CLI_TRY(fit_range(&j.part[0], "rows", row_count(&j)));
    CLI_TRY(fit_range(&j.part[1], "columns", ww_series_set_count(j.s.sets[j.s.sets[1] ? 1 : 0])));
    CLI_TRY(cli_series_end_part(&j.s, command, j.json, compute_matrix(&j, command, condensed, svg)));
    return finish(&j);
}

// ---- pairs

static int print_pairs(job *j, const cli_command *command, const void *values) {
    const ww_precision precision = cli_precision(&j->s.device);
    const size_t n = row_count(j);
    const bool in_json = j->json && !j->output;
    cli_json json;
    if (!in_json && ww_array_write(j->output ? j->output : "-", values, precision, n, 0) != WW_OK)
        return cli_fail();
    if (!j->json)
        return CLI_GO_ON;
    begin_json(j, command, &json);
    cli_division_json(&json, &j->s.division);
    if (in_json)
        cli_json_values(&json, "distances", values, precision, n);
    else
        cli_json_null(&json, "distances");
    cli_json_end(&json);
    return CLI_GO_ON;
}

static int run_pairs(job *j, void *values) {
    const size_t n = row_count(j);
    const ww_output to = WW_OUTPUT_HOST(values);
    ww_status status =
        ww_plan_create_pairs(&j->s.measure, j->s.data[0], j->s.data[1], NULL, NULL, n, &j->s.plan, &j->plan);
    if (status == WW_OK)
        status = ww_plan_run(j->plan, &to);
    cli_progress_end();
    return cli_status(status);
}

int cmd_pairs(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) job j = {0};
    const cli_option options[] = {
        DISTANCES_OPTIONS(j),
        CLI_DIVISION_OPTIONS(j.s.division),
        JOB_OPTIONS(j),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.s.paths, 2, 2, NULL));
    CLI_TRY(cli_division_check(command->name, &j.s.division, j.output));
    CLI_FREES void *values = NULL;
    CLI_TRY(job_begin(&j, command->name));
    CLI_TRY(cli_pairs_check(&j.s));
    CLI_TRY(cli_values_allocate(row_count(&j), 1, cli_precision(&j.s.device), &values));
    cli_plan_options(&j.s.device, &j.s.progress, &j.s.plan);
    CLI_TRY(cli_series_end_part(&j.s, command, j.json, run_pairs(&j, values)));
    CLI_TRY(print_pairs(&j, command, values));
    return finish(&j);
}

// ---- nearest

static int compute_nearest(job *j, cli_neighbours *n) {
    const cli_series_job *s = &j->s;
    CLI_TRY(cli_neighbours_allocate(n));
    ww_status status = ww_plan_create_nearest(&s->measure, s->data[0], s->data[1], n->k, &s->plan, &j->plan);
    if (status == WW_OK)
        status = ww_plan_run_nearest(j->plan, n->ids, n->distances);
    cli_progress_end();
    return cli_status(status);
}

int cmd_nearest(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) job j = {0};
    cli_neighbour_options wanted = {.k = 1};
    CLI_ENDS(cli_neighbours_free) cli_neighbours n = {0};
    bool no_bounds = false;
    const cli_option options[] = {
        CLI_NEIGHBOUR_OPTIONS(wanted),
        CLI_SWITCH("no-bounds", 0, "compute every distance in full: no lower bounds, no abandoning", &no_bounds),
        CLI_DIVISION_OPTIONS(j.s.division),
        JOB_OPTIONS(j),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.s.paths, 1, 2, NULL));
    CLI_TRY(cli_division_check(command->name, &j.s.division, cli_neighbours_output(&wanted)));
    j.output = cli_neighbours_output(&wanted);
    CLI_TRY(job_begin(&j, command->name));
    j.output = wanted.output;
    n = (cli_neighbours){row_count(&j), (size_t)wanted.k, cli_precision(&j.s.device), NULL, NULL};
    cli_plan_options(&j.s.device, &j.s.progress, &j.s.plan);
    j.s.plan.no_bounds = no_bounds;
    CLI_TRY(cli_series_end_part(&j.s, command, wanted.json, compute_nearest(&j, &n)));
    CLI_TRY(cli_neighbours_write(&n, &wanted));
    if (wanted.json) {
        cli_json json;
        begin_json(&j, command, &json);
        cli_division_json(&json, &j.s.division);
        cli_json_count(&json, "k", n.k);
        cli_neighbours_json(&json, &n, &wanted);
        cli_json_end(&json);
    }
    return finish(&j);
}
