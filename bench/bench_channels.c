// SPDX-License-Identifier: Apache-2.0
// Points of 1 to 768 channels: DTW of all rows with all columns, values and gradients of soft-DTW of matched pairs. A
// run begins with the arrays in host memory and ends with the results there; objects are made anew, programs are
// compiled before. A sample is compared with the double reference in the same run.
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/reference/reference.h"

#define LENGTH 128
#define SAMPLES 5

enum { MATRIX, SOFT, GRADIENT };
static const char *const JOBS[] = {"matrix", "soft", "gradient"};
static const size_t NUMBERS[] = {1, 2, 3, 8, 12, 16, 32, 64, 256, 768};

typedef struct run {
    int job;
    size_t channels, series, results;
    ww_measure measure;
    ww_series_view views[2];
    float *points[2], *values, *slopes;
} run;

static void run_free(run *r) {
    free(r->points[0]);
    free(r->points[1]);
    free(r->values);
    free(r->slopes);
}

// Series enough for a tenth of a second on a GPU, and for a second on a CPU.
static size_t series_of(const bench *b, int job, size_t channels) {
    const double work = (b->device.type == WW_DEVICE_GPU ? 4e11 : 4e9) / (job == MATRIX ? 1 : 4);
    const double pairs = work / ((double)LENGTH * LENGTH * (double)channels),
                 wanted = job == MATRIX ? sqrt(pairs) : pairs;
    const double most = job == MATRIX ? 1024 : 16384;
    return wanted < 16 ? 16 : wanted > most ? (size_t)most : (size_t)wanted;
}

static bool run_make(const bench *b, int job, size_t channels, run *r) {
    memset(r, 0, sizeof *r);
    r->job = job;
    r->channels = channels;
    r->series = series_of(b, job, channels);
    r->results = job == MATRIX ? r->series * r->series : r->series;
    if (ww_measure_init(&r->measure, sizeof r->measure, WW_DTW) != WW_OK)
        return false;
    r->measure.gamma = job == MATRIX ? 0 : (double)channels;
    const size_t points = r->series * LENGTH * channels;
    uint64_t state = 11 + channels;
    for (int side = 0; side < 2; side++) {
        if (!(r->points[side] = malloc(points * sizeof(float))))
            return false;
        for (size_t k = 0; k < points; k++)
            r->points[side][k] = (float)(bench_random(&state) % 4096) / 2048.0f - 1.0f;
        ww_series_view view = WW_SERIES_VIEW_INIT;
        view.values = r->points[side];
        view.precision = WW_FLOAT;
        view.count = r->series;
        view.channels = channels;
        view.length = LENGTH;
        r->views[side] = view;
    }
    r->values = malloc(r->results * sizeof(float));
    r->slopes = job == GRADIENT ? malloc(points * sizeof(float)) : NULL;
    return r->values && (job != GRADIENT || r->slopes);
}

static ww_status compute_plan(run *r, ww_dataset *x, ww_dataset *y, double *device) {
    const ww_output to = WW_OUTPUT_HOST(r->values);
    ww_plan_info info = WW_PLAN_INFO_INIT;
    ww_plan *plan = NULL;
    ww_status status = r->job == MATRIX ? ww_plan_create_matrix(&r->measure, x, y, NULL, &plan)
                                        : ww_plan_create_pairs(&r->measure, x, y, NULL, NULL, r->series, NULL, &plan);
    if (status == WW_OK && (status = ww_plan_run(plan, &to)) == WW_OK)
        status = ww_plan_get_info(plan, &info);
    *device = info.seconds_device;
    ww_plan_destroy(&plan);
    return status;
}

static ww_status compute_gradient(run *r, ww_dataset *x, ww_dataset *y, double *device) {
    const ww_output values = WW_OUTPUT_HOST(r->values), rows = WW_OUTPUT_HOST(r->slopes);
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    ww_gradient_info info = WW_GRADIENT_INFO_INIT;
    ww_gradient *gradient = NULL;
    to.values = &values;
    to.rows = &rows;
    ww_status status = ww_gradient_create_pairs(&r->measure, x, y, NULL, NULL, r->series, NULL, &gradient);
    if (status == WW_OK && (status = ww_gradient_run(gradient, &to)) == WW_OK)
        status = ww_gradient_get_info(gradient, &info);
    *device = info.seconds_device;
    ww_gradient_destroy(&gradient);
    return status;
}

static ww_status compute(const bench *b, run *r, double *device) {
    ww_dataset *x = NULL, *y = NULL;
    ww_status status = ww_dataset_create(b->context, &r->views[0], NULL, &x);
    if (status == WW_OK)
        status = ww_dataset_create(b->context, &r->views[1], NULL, &y);
    if (status == WW_OK)
        status = (r->job == GRADIENT ? compute_gradient : compute_plan)(r, x, y, device);
    ww_dataset_destroy(&x);
    ww_dataset_destroy(&y);
    return status;
}

// Largest error of a sample: of values relative to their size, of slopes to the largest possible of a channel.
static double verify(const run *r) {
    const size_t each = LENGTH * r->channels;
    double worst = 0, *x = malloc(2 * each * sizeof *x), *y = x + each;
    uint64_t state = 7;
    for (int k = 0; x && k < SAMPLES; k++) {
        const size_t at = bench_random(&state) % r->results, i = r->job == MATRIX ? at / r->series : at;
        const size_t j = r->job == MATRIX ? at % r->series : at, v = bench_random(&state) % each;
        for (size_t t = 0; t < each; t++) {
            x[t] = (double)r->points[0][i * each + t];
            y[t] = (double)r->points[1][j * each + t];
        }
        const wwr_series a = {x, LENGTH, r->channels}, b = {y, LENGTH, r->channels};
        const double value = wwr_distance(&r->measure, NULL, &a, &b), kept = x[v];
        worst = fmax(worst, fabs((double)r->values[at] - value) / (fabs(value) + 2 * r->measure.gamma * LENGTH));
        if (r->job != GRADIENT)
            continue;
        x[v] = kept + 1e-4;
        const double above = wwr_distance(&r->measure, NULL, &a, &b);
        x[v] = kept - 1e-4;
        const double slope = (above - wwr_distance(&r->measure, NULL, &a, &b)) / 2e-4;
        worst = fmax(worst, fabs((double)r->slopes[i * each + v] - slope) / (4 + fabs(slope)));
    }
    const double found = x ? worst : (double)INFINITY;
    free(x);
    return found;
}

static void report_case(const bench *b, const run *r, const bench_report *report) {
    const double cells = (double)r->results * LENGTH * LENGTH, seconds = bench_report_seconds(report);
    const double rate = cells * (double)r->channels / seconds * 1e-9;
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, report, &json);
        cli_json_count(&json, "channels", r->channels);
        cli_json_count(&json, "length", LENGTH);
        cli_json_count(&json, "pairs", r->results);
        cli_json_number(&json, "channel_gcups", rate, 6);
        bench_json_end(report, &json);
    } else {
        printf("%-24s %8zu pairs %10.3f ms kernels %10.3f ms call %10.5g channels x GCUPS %9.2g%s\n", report->name,
               r->results, 1e3 * seconds, 1e3 * report->wall.median, rate, report->error,
               bench_right(report) ? "" : " WRONG");
    }
    fflush(stdout);
}

static int run_case(const bench *b, const char *name, int job, size_t channels) {
    bench_runs runs = bench_runs_begin(b, b->options.quick ? 3 : 7);
    double device = 0;
    run r;
    ww_status status = run_make(b, job, channels, &r) ? compute(b, &r, &device) : WW_ERROR_OUT_OF_MEMORY;
    while (status == WW_OK && bench_runs_go_on(&runs)) {
        const double begin = bench_seconds();
        if ((status = compute(b, &r, &device)) == WW_OK)
            bench_runs_add(&runs, device, bench_seconds() - begin);
    }
    if (status != WW_OK) {
        run_free(&r);
        return bench_failure(name, status);
    }
    bench_report report = {.name = name,
                           .measure = &r.measure,
                           .verified = SAMPLES,
                           .error = verify(&r),
                           .allowed = job == GRADIENT ? 1e-3 : 1e-5};
    bench_report_runs(&report, &runs);
    report_case(b, &r, &report);
    run_free(&r);
    return !bench_right(&report);
}

size_t bench_channels(const bench *b, int *failed) {
    size_t ran = 0;
    for (int job = MATRIX; job <= GRADIENT; job++)
        for (size_t i = 0; i < CLI_COUNT_OF(NUMBERS); i++) {
            char name[64];
            snprintf(name, sizeof name, "channels/%s/%zu", JOBS[job], NUMBERS[i]);
            if (bench_begin(b, name, NUMBERS[i] == 64, NULL, &ran))
                *failed |= run_case(b, name, job, NUMBERS[i]);
        }
    return ran;
}
