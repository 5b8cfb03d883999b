// SPDX-License-Identifier: Apache-2.0
// Runs one case: data, plan, size by calibration, warm-up, timed runs, check.
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUNS 1000
#define SYMBOLS 20 // different ones, in sequences of symbols

ww_status bench_measure(const bench_case *c, ww_measure *measure) {
    const ww_status status = ww_measure_init(measure, sizeof *measure, c->measure);
    if (c->band > 0) {
        measure->band.kind = WW_BAND_SAKOE_CHIBA;
        measure->band.width = floor(c->band * (double)c->max_length);
    }
    return status;
}

// How many different symbols the series are made of; 0: of numbers.
static size_t symbols_of(const bench_case *c) {
    return c->measure == WW_LEVENSHTEIN || c->measure == WW_LCS ? SYMBOLS : 0;
}

static double target_seconds(const bench *b) {
    double seconds = b->options.target_seconds;
    if (seconds <= 0)
        seconds = b->device.type == WW_DEVICE_GPU ? 0.03 : 0.3;
    return b->options.quick ? seconds / 4 : seconds;
}

// Most columns that the device may be given.
static size_t most_columns(const bench *b, const bench_case *c) {
    uint64_t bytes = b->options.max_bytes;
    if (bytes == 0) {
        bytes = UINT64_C(1) << 30;
        if (bytes > b->device.global_bytes / 8)
            bytes = b->device.global_bytes / 8;
        if (bytes > b->device.max_buffer_bytes)
            bytes = b->device.max_buffer_bytes;
    }
    uint64_t most = bytes / (c->max_length * (c->precision == WW_DOUBLE ? sizeof(double) : sizeof(float)));
    // For a square of results the size is chosen separately.
    if (c->rows == 0 && most > 16384)
        most = 16384;
    return most ? (size_t)most : 1;
}

// The data, plan and results for one size of a case.
typedef struct job {
    ww_measure measure;
    bench_data rows, columns;
    ww_dataset *row_set, *column_set;
    ww_plan *plan;
    void *distances;
    double upload, planning;
} job;

static void job_free(job *j) {
    ww_plan_destroy(&j->plan);
    ww_dataset_destroy(&j->row_set);
    ww_dataset_destroy(&j->column_set);
    bench_data_free(&j->rows);
    bench_data_free(&j->columns);
    free(j->distances);
    j->distances = NULL;
}

static ww_status job_make(const bench *b, const bench_case *c, size_t column_count, job *j) {
    ww_dataset_options data_options = WW_DATASET_OPTIONS_INIT;
    ww_plan_options plan_options = WW_PLAN_OPTIONS_INIT;
    size_t row_count = c->rows ? c->rows : column_count;
    size_t row_length = c->row_length ? c->row_length : c->length;
    size_t row_max = c->row_length ? c->row_length : c->max_length;
    size_t size = c->precision == WW_DOUBLE ? sizeof(double) : sizeof(float);

    memset(j, 0, sizeof *j);
    ww_status status = bench_measure(c, &j->measure);
    if (status != WW_OK)
        return status;
    data_options.precision = c->precision;
    plan_options.engine = (ww_engine)b->options.engine;
    const size_t symbols = symbols_of(c);
    if (!bench_data_make(&j->rows, row_count, row_length, row_max, symbols, c->precision, 1) ||
        !bench_data_make(&j->columns, column_count, c->length, c->max_length, symbols, c->precision, 2))
        return WW_ERROR_OUT_OF_MEMORY;
    j->distances = malloc(row_count * column_count * size);
    if (!j->distances)
        return WW_ERROR_OUT_OF_MEMORY;

    double start = bench_seconds();
    status = ww_dataset_create(b->context, &j->rows.view, &data_options, &j->row_set);
    if (status == WW_OK)
        status = ww_dataset_create(b->context, &j->columns.view, &data_options, &j->column_set);
    j->upload = bench_seconds() - start;
    if (status != WW_OK)
        return status;
    start = bench_seconds();
    status = ww_plan_create_matrix(&j->measure, j->row_set, j->column_set, &plan_options, &j->plan);
    j->planning = bench_seconds() - start;
    return status;
}

// One run. Device time where the device reports it, else wall time.
static ww_status job_run(job *j, ww_plan_info *info, double *wall) {
    double start = bench_seconds();
    const ww_output to = WW_OUTPUT_HOST(j->distances);
    ww_status status = ww_plan_run(j->plan, &to);
    *wall = bench_seconds() - start;
    return status == WW_OK ? ww_plan_get_info(j->plan, info) : status;
}

// Columns for pairs enough to fill a GPU; fewer measure how long its pipelines are.
static size_t filling_columns(const bench *b, const bench_case *c) {
    return b->device.type == WW_DEVICE_GPU && c->rows ? 1000 * (size_t)b->device.compute_units / c->rows : 0;
}

// Prepares the job at a size whose run takes about the target time.
static ww_status job_of_right_size(const bench *b, const bench_case *c, job *j) {
    double target = target_seconds(b);
    size_t most = most_columns(b, c);
    const size_t filling = filling_columns(b, c);
    size_t columns = c->columns ? c->columns : 64;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    double wall;

    for (;;) {
        ww_status status = job_make(b, c, columns, j);
        // The first run of a program includes delayed work of the driver.
        for (int k = 0; k < 2 && status == WW_OK; k++)
            status = job_run(j, &info, &wall);
        if (status != WW_OK || c->columns)
            return status;
        double seconds = info.seconds_device > 0 ? info.seconds_device : wall;
        double factor = target / fmax(seconds, 1e-7);
        if (c->rows == 0)
            factor = sqrt(factor);
        if ((factor < 1.5 && columns >= filling) || columns >= most)
            return WW_OK;
        // The rate of small sizes differs from that of large ones: approach in steps.
        double next = fmax((double)columns * fmin(factor, 32), factor < 4 ? (double)filling : 0);
        columns = next < (double)most ? (size_t)next : most;
        job_free(j);
    }
}

ww_status bench_matrix(const bench *b, const bench_case *c, bench_result *result) {
    double device[MAX_RUNS], wall[MAX_RUNS];
    double minimum_seconds = b->options.quick ? 0.2 : 1, begin;
    size_t count = 0, with_device = 0, least = b->options.quick ? 3 : 5;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    job j;

    ww_status status = job_of_right_size(b, c, &j);
    if (status != WW_OK)
        goto done;
    begin = bench_seconds();
    while (count < MAX_RUNS && (count < least || bench_seconds() - begin < minimum_seconds)) {
        status = job_run(&j, &info, &wall[count]);
        if (status != WW_OK)
            goto done;
        if (info.seconds_device > 0)
            device[with_device++] = info.seconds_device;
        count++;
    }
    result->engine = ww_word(WW_WORD_ENGINE, info.engine);
    result->rows = j.rows.view.count;
    result->columns = j.columns.view.count;
    result->cells = info.cells;
    result->upload = j.upload;
    result->plan = j.planning;
    result->wall = bench_summary(wall, count);
    result->device = bench_summary(device, with_device == count ? count : 0);
    result->cups = (double)info.cells / (result->device.count ? result->device.median : result->wall.median);
    if (b->device.type == WW_DEVICE_CPU && c->band <= 0)
        result->textbook =
            bench_textbook(c->measure, &j.columns, c->row_length ? c->row_length : (c->length + c->max_length) / 2,
                           (c->length + c->max_length) / 2, minimum_seconds / 4);
    if (bench_verify(c, &j.measure, &j.rows, &j.columns, j.distances, result) != 0)
        status = WW_ERROR_OUT_OF_MEMORY;
done:
    job_free(&j);
    return status;
}

ww_status bench_call(const bench *b, const bench_case *c, bench_result *result) {
    enum { CALLS = 4096 };
    const double seconds = b->options.quick ? 0.2 : 1;
    bench_data rows = {.values = NULL}, columns = {.values = NULL};
    double *distances = malloc(c->rows * c->columns * sizeof *distances), *wall = malloc(CALLS * sizeof *wall);
    size_t count = 0;
    ww_measure measure;
    ww_status status = bench_measure(c, &measure);
    if (status != WW_OK)
        goto done;
    const size_t symbols = symbols_of(c);
    if (!distances || !wall || !bench_data_make(&rows, c->rows, c->length, c->max_length, symbols, c->precision, 1) ||
        !bench_data_make(&columns, c->columns, c->length, c->max_length, symbols, c->precision, 2)) {
        status = WW_ERROR_OUT_OF_MEMORY;
        goto done;
    }
    // The first round, which compiles, is not timed.
    const size_t pairs = c->rows * c->columns;
    const double begin = bench_seconds();
    for (size_t k = 0; status == WW_OK && k < pairs + CALLS && (k < 2 * pairs || bench_seconds() - begin < seconds);
         k++) {
        const size_t i = k / c->columns % c->rows, j = k % c->columns;
        const double start = bench_seconds();
        status =
            ww_distance(b->context, &measure, (const double *)rows.values + i * c->length, c->length,
                        (const double *)columns.values + j * c->length, c->length, 1, &distances[i * c->columns + j]);
        if (k >= pairs)
            wall[count++] = bench_seconds() - start;
    }
    if (status != WW_OK)
        goto done;
    result->engine = "call";
    result->rows = result->columns = 1;
    result->cells = (uint64_t)c->length * c->length;
    result->wall = bench_summary(wall, count);
    result->cups = (double)result->cells / result->wall.median;
    result->textbook = bench_textbook(c->measure, &columns, c->length, c->length, seconds / 4);
    if (bench_verify(c, &measure, &rows, &columns, distances, result) != 0)
        status = WW_ERROR_OUT_OF_MEMORY;
done:
    bench_data_free(&columns);
    bench_data_free(&rows);
    free(distances);
    free(wall);
    return status;
}

// ---- nearest neighbours

typedef struct nearest_job {
    ww_series_set *sets[2]; // queries, base
    ww_dataset *queries, *base;
    ww_plan *plan, *plain; // with bounds, if the case has them, and without
    int64_t *found, *wanted;
} nearest_job;

static void nearest_free(nearest_job *j) {
    ww_plan_destroy(&j->plain);
    ww_plan_destroy(&j->plan);
    ww_dataset_destroy(&j->base);
    ww_dataset_destroy(&j->queries);
    for (int i = 0; i < 2; i++)
        ww_series_set_destroy(&j->sets[i]);
    free(j->wanted);
    free(j->found);
}

static ww_status nearest_make(const bench *b, const bench_case *c, size_t rows, size_t columns, nearest_job *j,
                              bench_result *result) {
    ww_generate_options generate = WW_GENERATE_OPTIONS_INIT;
    ww_dataset_options data_options = WW_DATASET_OPTIONS_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    ww_measure measure;
    ww_status status;
    memset(j, 0, sizeof *j);
    j->found = malloc(rows * sizeof *j->found);
    j->wanted = malloc(rows * sizeof *j->wanted);
    if (!j->found || !j->wanted)
        return WW_ERROR_OUT_OF_MEMORY;
    if ((status = bench_measure(c, &measure)) != WW_OK)
        return status;
    data_options.precision = c->precision;
    options.engine = (ww_engine)b->options.engine;
    generate.length = c->length;
    for (int i = 0; i < 2; i++) {
        generate.count = i ? columns : rows;
        generate.seed = (uint64_t)i + 1;
        if ((status = ww_series_set_generate(WW_GENERATE_CBF, &generate, &j->sets[i])) != WW_OK)
            return status;
    }
    double start = bench_seconds();
    if ((status = ww_dataset_create_from_set(b->context, j->sets[0], &data_options, &j->queries)) != WW_OK ||
        (status = ww_dataset_create_from_set(b->context, j->sets[1], &data_options, &j->base)) != WW_OK)
        return status;
    result->upload = bench_seconds() - start;
    options.no_bounds = 1;
    if ((status = ww_plan_create_nearest(&measure, j->queries, j->base, 1, &options, &j->plain)) != WW_OK)
        return status;
    options.no_bounds = c->no_bounds;
    start = bench_seconds();
    status = ww_plan_create_nearest(&measure, j->queries, j->base, 1, &options, &j->plan);
    result->plan = bench_seconds() - start;
    return status;
}

// Nearest neighbour of each query: the share that bounds save, and the same results with and without them.
ww_status bench_nearest(const bench *b, const bench_case *c, bench_result *result) {
    const size_t rows = b->options.quick ? c->rows / 8 : c->rows,
                 columns = b->options.quick ? c->columns / 8 : c->columns;
    double wall[MAX_RUNS], device[MAX_RUNS], start;
    size_t count = 0, with_device = 0;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    nearest_job j;
    ww_status status;
    // The first runs, which compile, are not timed.
    if ((status = nearest_make(b, c, rows, columns, &j, result)) != WW_OK ||
        (status = ww_plan_run_nearest(j.plain, j.wanted, NULL)) != WW_OK ||
        (status = ww_plan_run_nearest(j.plan, j.found, NULL)) != WW_OK)
        goto done;
    start = bench_seconds();
    while (count < MAX_RUNS && (count < 5 || bench_seconds() - start < 1)) {
        const double before = bench_seconds();
        status = ww_plan_run_nearest(j.plan, j.found, NULL);
        wall[count++] = bench_seconds() - before;
        if (status != WW_OK || (status = ww_plan_get_info(j.plan, &info)) != WW_OK)
            goto done;
        if (info.seconds_device > 0)
            device[with_device++] = info.seconds_device;
    }
    result->engine = ww_word(WW_WORD_ENGINE, info.engine);
    result->rows = rows;
    result->columns = columns;
    result->cells = info.cells;
    result->pruned = info.pairs_pruned;
    result->abandoned = info.pairs_abandoned;
    result->wall = bench_summary(wall, count);
    result->device = bench_summary(device, with_device == count ? count : 0);
    // The time that bounds save is measured in wall time: part of their work is on the host.
    result->cups = (double)info.cells / result->wall.median;
    result->verified = rows;
    result->error = memcmp(j.found, j.wanted, rows * sizeof *j.found) == 0 ? 0 : INFINITY;
    result->allowed = 0;
    snprintf(result->note, sizeof result->note, "%.1f%% pruned, %.1f%% abandoned",
             100.0 * (double)info.pairs_pruned / (double)info.pairs,
             100.0 * (double)info.pairs_abandoned / (double)info.pairs);
done:
    nearest_free(&j);
    return status;
}
