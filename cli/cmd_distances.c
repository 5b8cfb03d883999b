// SPDX-License-Identifier: Apache-2.0
// wavewarp matrix, pairs and nearest.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"

// Two sets on a device under a measure, and a plan for them.
typedef struct job {
    cli_measure_options measure_options;
    cli_device_options device;
    cli_read_options read;
    const char *paths[2]; // the second NULL: the first set with itself
    const char *output;
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

// Reads the sets and brings them to the device.
static int job_begin(job *j, const char *command) {
    if (j->paths[1] && strcmp(j->paths[0], "-") == 0 && strcmp(j->paths[1], "-") == 0)
        return cli_usage(command, "only one of the files can be standard input");
    int result = cli_measure_make(command, &j->measure_options, &j->measure);
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        result = load(j, i);
    if (result == CLI_GO_ON)
        result = cli_fit_times(&j->measure, j->sets[0], j->sets[1]);
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

// What was done, on standard error where a person reads it.
static void report(const job *j) {
    ww_plan_info info = WW_PLAN_INFO_INIT;
    if (!isatty(STDERR_FILENO) || ww_plan_get_info(j->plan, &info) != WW_OK)
        return;
    fprintf(stderr, "%" PRIu64 " pairs, %" PRIu64 " cells in %.4g s, %.4g Gcells/s, engine %s\n", info.pairs,
            info.cells_done, info.seconds_wall, cli_rate(info.cells_done, info.seconds_wall) / 1e9,
            ww_engine_name(info.engine));
}

#define JOB_OPTIONS(j)                                                                                                 \
    CLI_MEASURE_OPTIONS((j).measure_options), CLI_READ_OPTIONS((j).read), CLI_DEVICE_OPTIONS((j).device)

// ---- matrix

// Where blocks go. When one can't be written the plan is told to stop, and says so; the reason is kept here.
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

// Whether a result of this size is better held in memory than streamed.
static bool fits_memory(uint64_t rows, uint64_t columns, ww_precision precision) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const double bytes = (double)rows * (double)columns * (double)cli_value_bytes(precision);
    return pages > 0 && page > 0 && bytes < 0.25 * (double)pages * (double)page;
}

// Runs the plan into the file: through `values`, which hold the whole result, or NULL: block by block.
static int run_matrix(job *j, bool condensed, void *values, size_t rows, size_t columns, ww_array_file *file) {
    if (!values) {
        sink to = {.file = file};
        if (ww_plan_run_blocks(j->plan, put_block, &to) == WW_OK)
            return CLI_GO_ON;
        return cli_fail_with(to.error.status != WW_OK ? &to.error : ww_last_error());
    }
    ww_output to = WW_OUTPUT_HOST(values);
    if (condensed)
        to.layout = WW_LAYOUT_CONDENSED;
    ww_status status = ww_plan_run(j->plan, &to);
    if (status == WW_OK)
        status = ww_array_file_put(file, 0, rows, 0, columns ? columns : 1, values);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

static int compute_matrix(job *j, bool condensed) {
    const ww_precision precision = cli_precision(&j->device);
    const uint64_t n = row_count(j);
    // The half of n x n; the even one of n and n-1 is halved before it is multiplied.
    const uint64_t rows = condensed ? (n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1)) : n;
    const uint64_t columns = condensed ? 0 : column_count(j);
    ww_array_file *file = NULL;
    void *values = NULL;
    int result = CLI_GO_ON;
    // One half computed in memory is twice as fast as the whole square in blocks.
    if (condensed || (!j->data[1] && fits_memory(rows, columns, precision)))
        result = cli_values_allocate(rows, columns ? columns : 1, precision, &values);
    if (result != CLI_GO_ON)
        return result;
    cli_plan_options(&j->device, &j->progress, &j->plan_options);
    if (ww_plan_create_matrix(&j->measure, j->data[0], j->data[1], &j->plan_options, &j->plan) != WW_OK ||
        ww_array_file_create(j->output, precision, (size_t)rows, (size_t)columns, &file) != WW_OK)
        result = cli_fail();
    else
        result = run_matrix(j, condensed, values, (size_t)rows, (size_t)columns, file);
    cli_progress_end(&j->progress);
    if (ww_array_file_close(&file, result == CLI_GO_ON) != WW_OK && result == CLI_GO_ON)
        result = cli_fail();
    free(values);
    return result;
}

int cmd_matrix(const cli_command *command, int argc, char **argv) {
    job j;
    memset(&j, 0, sizeof j);
    bool condensed = false;
    j.output = "-";
    const cli_option options[] = {
        {"output", 'o', CLI_TEXT, "FILE", "where to: .npy, .csv, else raw values; default '-', text", &j.output, 0, 0},
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
        result = compute_matrix(&j, condensed);
    if (result == CLI_GO_ON) {
        report(&j);
        result = CLI_OK;
    }
    job_end(&j);
    return result;
}

// ---- pairs

static int compute_pairs(job *j) {
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
    if (status == WW_OK)
        status = ww_array_write(j->output, values, precision, n, 0);
    free(values);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

int cmd_pairs(const cli_command *command, int argc, char **argv) {
    job j;
    memset(&j, 0, sizeof j);
    j.output = "-";
    const cli_option options[] = {
        {"output", 'o', CLI_TEXT, "FILE", "where to: .npy, .csv, else raw values; default '-', text", &j.output, 0, 0},
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
        result = compute_pairs(&j);
    if (result == CLI_GO_ON) {
        report(&j);
        result = CLI_OK;
    }
    job_end(&j);
    return result;
}

// ---- nearest

static void print_neighbours(const job *j, size_t k, const int64_t *indices, const void *distances) {
    const ww_precision precision = cli_precision(&j->device);
    const int digits = precision == WW_DOUBLE ? 17 : 9;
    for (size_t i = 0; i < row_count(j); i++) {
        printf("%zu", i);
        for (size_t n = i * k; n < (i + 1) * k && indices[n] >= 0; n++)
            printf("\t%" PRId64 ":%.*g", indices[n], digits, cli_value_at(distances, precision, n));
        putchar('\n');
    }
}

static int print_neighbours_json(const job *j, size_t k, const int64_t *indices, const void *distances) {
    const ww_precision precision = cli_precision(&j->device);
    const int digits = precision == WW_DOUBLE ? 17 : 9;
    ww_device_info on = WW_DEVICE_INFO_INIT;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    if (ww_context_get_device_info(j->context, &on) != WW_OK || ww_plan_get_info(j->plan, &info) != WW_OK)
        return cli_fail();
    fputs("{\"measure\": ", stdout);
    cli_json_text(stdout, j->measure_options.measure ? j->measure_options.measure : "dtw");
    cli_json_device(stdout, &on);
    printf(", \"engine\": \"%s\", \"k\": %zu, \"cells\": %" PRIu64 ", \"cells_done\": %" PRIu64
           ", \"pairs_pruned\": %" PRIu64 ", \"pairs_abandoned\": %" PRIu64 ", \"seconds_compute\": ",
           ww_engine_name(info.engine), k, info.cells, info.cells_done, info.pairs_pruned, info.pairs_abandoned);
    cli_json_number(stdout, info.seconds_wall, 6);
    fputs(", \"neighbours\": [", stdout);
    for (size_t i = 0; i < row_count(j); i++) {
        printf("%s\n{\"query\": %zu, \"indices\": [", i ? "," : "", i);
        for (size_t n = i * k; n < (i + 1) * k && indices[n] >= 0; n++)
            printf("%s%" PRId64, n > i * k ? ", " : "", indices[n]);
        fputs("], \"distances\": [", stdout);
        for (size_t n = i * k; n < (i + 1) * k && indices[n] >= 0; n++) {
            fputs(n > i * k ? ", " : "", stdout);
            cli_json_number(stdout, cli_value_at(distances, precision, n), digits);
        }
        fputs("]}", stdout);
    }
    fputs("]}\n", stdout);
    return CLI_GO_ON;
}

static int compute_nearest(job *j, size_t k, bool no_bounds, bool json) {
    void *distances = NULL, *indices = NULL;
    int result = cli_values_allocate(row_count(j), k, cli_precision(&j->device), &distances);
    if (result == CLI_GO_ON)
        result = cli_values_allocate(row_count(j), k, WW_DOUBLE, &indices); // 8 bytes, as an index has
    if (result != CLI_GO_ON)
        goto done;
    cli_plan_options(&j->device, &j->progress, &j->plan_options);
    j->plan_options.no_bounds = no_bounds;
    ww_status status = ww_plan_create_nearest(&j->measure, j->data[0], j->data[1], k, &j->plan_options, &j->plan);
    if (status == WW_OK)
        status = ww_plan_run_nearest(j->plan, indices, distances);
    cli_progress_end(&j->progress);
    if (status != WW_OK) {
        result = cli_fail();
        goto done;
    }
    if (json)
        result = print_neighbours_json(j, k, indices, distances);
    else
        print_neighbours(j, k, indices, distances);
done:
    free(indices);
    free(distances);
    return result;
}

int cmd_nearest(const cli_command *command, int argc, char **argv) {
    job j;
    memset(&j, 0, sizeof j);
    uint64_t k = 1;
    bool json = false, no_bounds = false;
    const cli_option options[] = {
        {"k", 'k', CLI_COUNT, "K", "neighbours of every query, default 1", &k, NULL, 1},
        {"no-bounds", 0, CLI_FLAG, NULL, "compute every distance in full: no lower bounds, no abandoning", &no_bounds,
         0, 0},
        {"json", 'j', CLI_FLAG, NULL, "print one JSON object", &json, 0, 0},
        JOB_OPTIONS(j),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, 2, NULL);
    if (result != CLI_GO_ON)
        return result;
    result = job_begin(&j, command->name);
    if (result == CLI_GO_ON)
        result = compute_nearest(&j, (size_t)k, no_bounds, json);
    if (result == CLI_GO_ON) {
        report(&j);
        result = CLI_OK;
    }
    job_end(&j);
    return result;
}
