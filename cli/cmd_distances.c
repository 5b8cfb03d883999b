// SPDX-License-Identifier: Apache-2.0
// wavewarp matrix, pairs and nearest.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "neighbours.h"

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
    ww_plan *plan;
    cli_progress progress;
    ww_plan_options plan_options;
} job;

static void job_end(job *j) {
    ww_plan_destroy(&j->plan);
    for (int i = 1; i >= 0; i--) {
        ww_dataset_destroy(&j->data[i]);
        ww_series_set_destroy(&j->sets[i]);
    }
    ww_context_destroy(&j->context);
    cli_measure_free(&j->measure);
}

static int load(job *j, int i) {
    if (!j->paths[i])
        return CLI_GO_ON;
    return cli_read(j->paths[i], &j->read, i, true, &j->sets[i]);
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
    if (result == CLI_GO_ON)
        result = cli_context_open(&j->device, &j->context);
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        if (j->sets[i])
            result = cli_dataset_make(j->context, &j->device, j->sets[i], &j->data[i]);
    return result;
}

static size_t row_count(const job *j) {
    return ww_series_set_count(j->sets[0]);
}

static size_t column_count(const job *j) {
    return ww_series_set_count(j->sets[j->sets[1] ? 1 : 0]);
}

// Prints a summary of the run on standard error, where that is a terminal.
static void report(const job *j) {
    ww_plan_info info = WW_PLAN_INFO_INIT;
    if (!isatty(STDERR_FILENO) || ww_plan_get_info(j->plan, &info) != WW_OK)
        return;
    fprintf(stderr, "%" PRIu64 " pairs, %" PRIu64 " cells in %.4g s, %.4g Gcells/s, engine %s\n", info.pairs,
            info.cells_done, info.seconds_wall, cli_rate(info.cells_done, info.seconds_wall) / 1e9,
            ww_engine_name(info.engine));
}

// The head of the command's object and what the plan did; the object stays open.
static void begin_json(const job *j, const cli_command *command, const char *output, cli_json *json) {
    ww_plan_info info = WW_PLAN_INFO_INIT;
    cli_head head = CLI_HEAD_INIT;
    if (ww_plan_get_info(j->plan, &info) != WW_OK)
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
    head.precision = cli_precisions[j->device.precision];
    head.engine = ww_engine_name(info.engine);
    head.seconds_compute = info.seconds_wall;
    head.seconds_device = info.seconds_device;
    cli_json_head(json, stdout, command, &head);
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
    ww_status status = ww_plan_run(j->plan, &to);
    cli_progress_end(&j->progress); // before a message, which would be written after the bar
    if (status == WW_OK && file)
        status = ww_array_file_put(file, 0, rows, 0, columns ? columns : 1, values);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

// "distances": the rows of the matrix, or its upper triangle in one list.
static void print_matrix_json(const job *j, const cli_command *command, const void *values, uint64_t rows,
                              uint64_t columns) {
    const ww_precision precision = cli_precision(&j->device);
    const size_t row_bytes = (size_t)columns * cli_value_bytes(precision);
    cli_json json;
    begin_json(j, command, values ? NULL : j->output, &json);
    cli_json_flag(&json, "condensed", columns == 0);
    if (!values) {
        cli_json_null(&json, "distances");
    } else if (columns == 0) {
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

static int compute_matrix(job *j, const cli_command *command, bool condensed) {
    const ww_precision precision = cli_precision(&j->device);
    const uint64_t n = row_count(j);
    // The half of n x n; the even one of n and n-1 is halved before it is multiplied.
    const uint64_t rows = condensed ? (n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1)) : n;
    const uint64_t columns = condensed ? 0 : column_count(j);
    const bool in_json = j->json && !j->output;
    ww_array_file *file = NULL;
    void *values = NULL;
    int result = CLI_GO_ON;
    // One half computed in memory is twice as fast as the whole square in blocks.
    if (in_json || (!j->data[1] && fits_memory(rows, columns ? columns : 1, precision)))
        result = cli_values_allocate(rows, columns ? columns : 1, precision, &values);
    if (result != CLI_GO_ON)
        return result;
    cli_plan_options(&j->device, &j->progress, &j->plan_options);
    if (ww_plan_create_matrix(&j->measure, j->data[0], j->data[1], &j->plan_options, &j->plan) != WW_OK ||
        (!in_json &&
         ww_array_file_create(j->output ? j->output : "-", precision, (size_t)rows, (size_t)columns, &file) != WW_OK))
        result = cli_fail();
    else
        result = run_matrix(j, condensed, values, (size_t)rows, (size_t)columns, file);
    cli_progress_end(&j->progress);
    if (ww_array_file_close(&file, result == CLI_GO_ON) != WW_OK && result == CLI_GO_ON)
        result = cli_fail();
    if (result == CLI_GO_ON && j->json)
        print_matrix_json(j, command, in_json ? values : NULL, rows, columns);
    free(values);
    return result;
}

int cmd_matrix(const cli_command *command, int argc, char **argv) {
    job j;
    memset(&j, 0, sizeof j);
    bool condensed = false;
    const cli_option options[] = {
        DISTANCES_OPTIONS(j),
        {"condensed", 0, CLI_FLAG, NULL, "upper triangle without the diagonal, row after row", &condensed, 0, 0},
        JOB_OPTIONS(j),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, 2, NULL);
    if (result == CLI_GO_ON && condensed && j.paths[1])
        result = cli_usage(command->name, "--condensed is for one set with itself");
    if (result != CLI_GO_ON)
        return result;
    result = job_begin(&j, command->name);
    if (result == CLI_GO_ON)
        result = compute_matrix(&j, command, condensed);
    if (result == CLI_GO_ON) {
        report(&j);
        result = CLI_OK;
    }
    job_end(&j);
    return result;
}

// ---- pairs

static int compute_pairs(job *j, const cli_command *command) {
    const ww_precision precision = cli_precision(&j->device);
    const size_t n = row_count(j);
    void *values = NULL;
    int result = cli_values_allocate(n, 1, precision, &values);
    if (result != CLI_GO_ON)
        return result;
    cli_plan_options(&j->device, &j->progress, &j->plan_options);
    ww_status status =
        ww_plan_create_pairs(&j->measure, j->data[0], j->data[1], NULL, NULL, n, &j->plan_options, &j->plan);
    const ww_output to = WW_OUTPUT_HOST(values);
    if (status == WW_OK)
        status = ww_plan_run(j->plan, &to);
    cli_progress_end(&j->progress);
    if (status == WW_OK && !(j->json && !j->output))
        status = ww_array_write(j->output ? j->output : "-", values, precision, n, 0);
    if (status == WW_OK && j->json) {
        cli_json json;
        begin_json(j, command, j->output, &json);
        if (j->output)
            cli_json_null(&json, "distances");
        else
            cli_json_values(&json, "distances", values, precision, n);
        cli_json_end(&json);
    }
    free(values);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

int cmd_pairs(const cli_command *command, int argc, char **argv) {
    job j;
    memset(&j, 0, sizeof j);
    const cli_option options[] = {
        DISTANCES_OPTIONS(j),
        JOB_OPTIONS(j),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 2, 2, NULL);
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

static int compute_nearest(job *j, const cli_command *command, const cli_neighbour_options *wanted, bool no_bounds) {
    cli_neighbours n = {row_count(j), (size_t)wanted->k, cli_precision(&j->device), NULL, NULL};
    int result = cli_neighbours_allocate(&n);
    if (result != CLI_GO_ON)
        goto done;
    cli_plan_options(&j->device, &j->progress, &j->plan_options);
    j->plan_options.no_bounds = no_bounds;
    ww_status status = ww_plan_create_nearest(&j->measure, j->data[0], j->data[1], n.k, &j->plan_options, &j->plan);
    if (status == WW_OK)
        status = ww_plan_run_nearest(j->plan, n.ids, n.distances);
    cli_progress_end(&j->progress);
    if (status != WW_OK) {
        result = cli_fail();
        goto done;
    }
    result = cli_neighbours_write(&n, wanted);
    if (result == CLI_GO_ON && j->json) {
        cli_json json;
        begin_json(j, command, wanted->output, &json);
        cli_json_count(&json, "k", n.k);
        cli_neighbours_json(&json, &n, wanted);
        cli_json_end(&json);
    }
done:
    cli_neighbours_free(&n);
    return result;
}

int cmd_nearest(const cli_command *command, int argc, char **argv) {
    job j;
    cli_neighbour_options wanted = {.k = 1};
    memset(&j, 0, sizeof j);
    bool no_bounds = false;
    const cli_option options[] = {
        CLI_NEIGHBOUR_OPTIONS(wanted),
        {"no-bounds", 0, CLI_FLAG, NULL, "compute every distance in full: no lower bounds, no abandoning", &no_bounds,
         0, 0},
        JOB_OPTIONS(j),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, 2, NULL);
    if (result != CLI_GO_ON)
        return result;
    j.json = wanted.json;
    result = job_begin(&j, command->name);
    if (result == CLI_GO_ON)
        result = compute_nearest(&j, command, &wanted, no_bounds);
    if (result == CLI_GO_ON) {
        report(&j);
        result = CLI_OK;
    }
    job_end(&j);
    return result;
}
