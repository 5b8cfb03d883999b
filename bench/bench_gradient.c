// SPDX-License-Identifier: Apache-2.0
// Soft-DTW: values, and values with gradients, of matched pairs of random walks. A sample of both is compared with the
// double reference in the same run: values, and central differences of these; on a CPU the speed with textbook C. And
// one long pair within 4 GB, whose slopes must sum to 0: its value does not change when both series are shifted.
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/reference/reference.h"

#define SAMPLES 6
#define MOST_SERIES 4096 // of a side, for values: pairs beyond are of other two

typedef struct gradient_case {
    char name[64];
    size_t length;
    double gamma;
    int slopes, quick;
} gradient_case;

static const gradient_case CASES[] = {
    {"softdtw/value/100", 100, 1, 0, 0},
    {"softdtw/value/128", 128, 1, 0, 0},
    {"softdtw/value/512", 512, 1, 0, 1},
    {"softdtw/value/1000", 1000, 1, 0, 0},
    {"softdtw/value/4096", 4096, 1, 0, 0},
    {"softdtw/value/512/gamma-10", 512, 10, 0, 0},
    {"softdtw/value/512/gamma-0.1", 512, 0.1, 0, 0},
    {"softdtw/value/512/gamma-0.01", 512, 0.01, 0, 0},
    {"softdtw/gradient/128", 128, 1, 1, 0},
    {"softdtw/gradient/512", 512, 1, 1, 1},
    {"softdtw/gradient/1000", 1000, 1, 1, 0},
    {"softdtw/gradient/4096", 4096, 1, 1, 0},
    {"softdtw/gradient/512/gamma-0.01", 512, 0.01, 1, 0},
};

typedef struct run {
    bench_data x, y;
    ww_dataset *rows, *columns;
    ww_gradient *gradient;
    ww_plan *plan; // of values alone
    float *values, *slopes;
    size_t pairs, *row_index, *column_index;
    ww_measure measure;
} run;

static void run_free(run *r) {
    ww_gradient_destroy(&r->gradient);
    ww_plan_destroy(&r->plan);
    ww_dataset_destroy(&r->rows);
    ww_dataset_destroy(&r->columns);
    bench_data_free(&r->x);
    bench_data_free(&r->y);
    free(r->values);
    free(r->slopes);
    free(r->row_index);
    free(r->column_index);
}

static ww_status run_make(const bench *b, const gradient_case *c, size_t pairs, run *r) {
    ww_status status;
    memset(r, 0, sizeof *r);
    if ((status = ww_measure_init(&r->measure, sizeof r->measure, WW_DTW)) != WW_OK)
        return status;
    const size_t series = c->slopes || pairs < MOST_SERIES ? pairs : MOST_SERIES;
    r->measure.gamma = c->gamma;
    r->pairs = pairs;
    if (!bench_data_make(&r->x, series, c->length, c->length, 0, WW_FLOAT, 1) ||
        !bench_data_make(&r->y, series, c->length, c->length, 0, WW_FLOAT, 2) ||
        !(r->values = malloc(pairs * sizeof *r->values)) || !(r->row_index = malloc(pairs * sizeof *r->row_index)) ||
        !(r->column_index = malloc(pairs * sizeof *r->column_index)) ||
        !(r->slopes = malloc(series * c->length * sizeof *r->slopes)))
        return WW_ERROR_OUT_OF_MEMORY;
    for (size_t p = 0; p < pairs; p++) {
        r->row_index[p] = p % series;
        r->column_index[p] = (p + p / series) % series;
    }
    if ((status = ww_dataset_create(b->context, &r->x.view, NULL, &r->rows)) != WW_OK ||
        (status = ww_dataset_create(b->context, &r->y.view, NULL, &r->columns)) != WW_OK)
        return status;
    if (!c->slopes)
        return ww_plan_create_pairs(&r->measure, r->rows, r->columns, r->row_index, r->column_index, pairs, NULL,
                                    &r->plan);
    return ww_gradient_create_pairs(&r->measure, r->rows, r->columns, NULL, NULL, pairs, NULL, &r->gradient);
}

static ww_status run_once(run *r, int slopes, double *device, double *wall, uint64_t *cells) {
    const ww_output values = WW_OUTPUT_HOST(r->values), by_rows = WW_OUTPUT_HOST(r->slopes);
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    ww_gradient_info info = WW_GRADIENT_INFO_INIT;
    if (!slopes) {
        ww_plan_info plan = WW_PLAN_INFO_INIT;
        const ww_status ran = ww_plan_run(r->plan, &values);
        if (ran != WW_OK)
            return ran;
        *cells = ww_plan_get_info(r->plan, &plan) == WW_OK ? plan.cells : 0;
        *device = plan.seconds_device;
        *wall = plan.seconds_wall;
        return WW_OK;
    }
    to.values = &values;
    to.rows = &by_rows;
    ww_status status = ww_gradient_run(r->gradient, &to);
    if (status == WW_OK)
        status = ww_gradient_get_info(r->gradient, &info);
    *device = info.seconds_device;
    *wall = info.seconds_wall;
    *cells = info.cells;
    return status;
}

// The largest error of the sample: values relative to themselves, slopes to 10.
static double verify(const run *r, const gradient_case *c) {
    double worst = 0, *x = malloc(2 * c->length * sizeof *x), *y = x + c->length;
    if (!x)
        return (double)INFINITY;
    uint64_t state = 7;
    for (int k = 0; k < SAMPLES; k++) {
        const size_t p = bench_random(&state) % r->pairs, t = bench_random(&state) % c->length;
        const float *from_x = (const float *)r->x.view.values + r->x.view.offsets[r->row_index[p]];
        const float *from_y = (const float *)r->y.view.values + r->y.view.offsets[r->column_index[p]];
        for (size_t i = 0; i < c->length; i++) {
            x[i] = (double)from_x[i];
            y[i] = (double)from_y[i];
        }
        const wwr_series a = {x, c->length, 1}, b = {y, c->length, 1};
        const double value = wwr_distance(&r->measure, NULL, &a, &b), kept = x[t];
        worst = fmax(worst, fabs((double)r->values[p] - value) / (fabs(value) + 2 * c->gamma * (double)c->length));
        if (!c->slopes)
            continue;
        x[t] = kept + 1e-5;
        const double above = wwr_distance(&r->measure, NULL, &a, &b);
        x[t] = kept - 1e-5;
        const double slope = (above - wwr_distance(&r->measure, NULL, &a, &b)) / 2e-5;
        x[t] = kept;
        worst = fmax(worst, fabs((double)r->slopes[p * c->length + t] - slope) / (10 + fabs(slope)));
    }
    free(x);
    return worst;
}

// The textbook form on one core: R the matrix, E the expected alignment.
typedef struct matrices {
    size_t n, stride;
    float gamma, *R, *E, *slope;
    const float *x, *y;
} matrices;

static float fill_values(const matrices *m) {
    const size_t n = m->n, stride = m->stride;
    const float gamma = m->gamma, *x = m->x, *y = m->y;
    float *R = m->R;
    for (size_t k = 0; k < stride * stride; k++)
        R[k] = 1e30f;
    R[0] = 0;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= n; j++) {
            const float a = R[i * stride + j - 1], u = R[(i - 1) * stride + j], d = R[(i - 1) * stride + j - 1];
            const float least = fminf(fminf(a, u), d), t = x[i - 1] - y[j - 1];
            const float sum = expf((least - a) / gamma) + expf((least - u) / gamma) + expf((least - d) / gamma);
            R[i * stride + j] = t * t + least - gamma * logf(sum);
        }
    return R[n * stride + n];
}

static float fill_alignment(const matrices *m) {
    const size_t n = m->n, stride = m->stride;
    const float gamma = m->gamma, *x = m->x, *y = m->y;
    float *R = m->R, *E = m->E, *slope = m->slope;
    memset(E, 0, stride * stride * sizeof *E);
    for (size_t i = 1; i <= n; i++)
        R[i * stride + n + 1] = R[(n + 1) * stride + i] = -1e30f;
    R[(n + 1) * stride + n + 1] = R[n * stride + n];
    E[(n + 1) * stride + n + 1] = 1;
    for (size_t i = n; i > 0; i--) {
        slope[i - 1] = 0;
        for (size_t j = n; j > 0; j--) {
            const size_t at = i * stride + j, down = at + stride;
            const float below = i < n ? x[i] - y[j - 1] : 0, right = j < n ? x[i - 1] - y[j] : 0;
            const float across = i < n && j < n ? x[i] - y[j] : 0;
            E[at] = E[down] * expf((R[down] - R[at] - below * below) / gamma) +
                    E[at + 1] * expf((R[at + 1] - R[at] - right * right) / gamma) +
                    E[down + 1] * expf((R[down + 1] - R[at] - across * across) / gamma);
            slope[i - 1] += 2 * E[at] * (x[i - 1] - y[j - 1]);
        }
    }
    return slope[0];
}

// Cells a second of the matrix, and with `slopes` of the alignment.
static double textbook(const run *r, const gradient_case *c, double seconds) {
    const size_t n = c->length, stride = n + 2;
    matrices m = {.n = n,
                  .stride = stride,
                  .gamma = (float)c->gamma,
                  .R = malloc(stride * stride * sizeof *m.R),
                  .E = malloc(stride * stride * sizeof *m.E),
                  .slope = malloc(n * sizeof *m.slope),
                  .x = r->x.view.values,
                  .y = r->y.view.values};
    const bool made = m.R && m.E && m.slope;
    uint64_t cells = 0;
    double taken = 0;
    volatile float kept = 0;
    for (const double begin = bench_seconds(); made && taken < seconds; taken = bench_seconds() - begin) {
        kept = fill_values(&m);
        if (c->slopes)
            kept = fill_alignment(&m);
        cells += (uint64_t)n * n;
    }
    (void)kept;
    free(m.R);
    free(m.E);
    free(m.slope);
    return taken > 0 ? (double)cells / taken : 0;
}

// Pairs enough for a run of about half the target time; the run is made, and made twice.
static ww_status run_of_right_size(const bench *b, const gradient_case *c, run *r, uint64_t *cells) {
    const bool gpu = b->device.type == WW_DEVICE_GPU;
    const double target = gpu ? 0.1 : 0.4;
    for (size_t pairs = 64;;) {
        double device = 0, wall = 0;
        ww_status status = run_make(b, c, pairs, r);
        for (int k = 0; k < 2 && status == WW_OK; k++)
            status = run_once(r, c->slopes, &device, &wall, cells);
        const double seconds = device > 0 ? device : wall;
        // On a GPU values of pairs enough to give each work-item its own.
        const bool many = c->slopes || !gpu || pairs >= 320 * (size_t)b->device.compute_units;
        if (status != WW_OK || (many && seconds > target / 2) || pairs >= (size_t)1 << 17)
            return status;
        pairs *= many && seconds > 0 && target / seconds < 8 ? 2 : 8;
        run_free(r);
    }
}

static void report_case(const bench *b, const gradient_case *c, const run *r, uint64_t cells, bench_report *report) {
    const bench_times *times = report->device.median > 0 ? &report->device : &report->wall;
    const double rate = (double)cells / times->median * 1e-9;
    if (b->device.type == WW_DEVICE_CPU)
        report->ratio = rate * 1e9 / textbook(r, c, 0.5);
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, report, &json);
        cli_json_count(&json, "pairs", r->pairs);
        cli_json_count(&json, "length", c->length);
        cli_json_count(&json, "cells", cells);
        cli_json_number(&json, "gcups", rate, 6);
        bench_json_end(report, &json);
    } else {
        char ratio[32];
        printf("%-28s %8zu pairs %10.3f ms %6.1f%% %10.4g GCUPS %9s %9.2g%s\n", c->name, r->pairs, 1e3 * times->median,
               100 * times->spread, rate, bench_ratio(ratio, sizeof ratio, report->ratio), report->error,
               bench_right(report) ? "" : " WRONG");
    }
    fflush(stdout);
}

static int run_case(const bench *b, const gradient_case *c) {
    bench_runs runs = bench_runs_begin(b, b->options.quick ? 3 : 10);
    uint64_t cells = 0;
    run r;
    ww_status status = run_of_right_size(b, c, &r, &cells);
    while (status == WW_OK && runs.count < runs.most) {
        double device = 0, wall = 0;
        status = run_once(&r, c->slopes, &device, &wall, &cells);
        bench_runs_add(&runs, device, wall);
    }
    if (status != WW_OK) {
        run_free(&r);
        return bench_failure(c->name, status);
    }
    bench_report report = {.name = c->name,
                           .measure = &r.measure,
                           .verified = SAMPLES,
                           .error = verify(&r, c),
                           .allowed = c->slopes ? 1e-3 : 1e-5};
    bench_report_runs(&report, &runs);
    report_case(b, c, &r, cells, &report);
    run_free(&r);
    return !bench_right(&report);
}

static ww_status long_make(const bench *b, size_t length, run *r) {
    const bool gpu = b->device.type == WW_DEVICE_GPU;
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    ww_run_options limits = WW_RUN_OPTIONS_INIT;
    ww_status status;
    memset(r, 0, sizeof *r);
    limits.max_bytes = gpu ? (uint64_t)4 << 30 : (uint64_t)16 << 20;
    options.run = &limits;
    if (!bench_data_make(&r->x, 1, length, length, 0, WW_FLOAT, 1) ||
        !bench_data_make(&r->y, 1, length, length, 0, WW_FLOAT, 2) ||
        !(r->slopes = malloc(2 * length * sizeof *r->slopes)))
        return WW_ERROR_OUT_OF_MEMORY;
    if ((status = ww_measure_init(&r->measure, sizeof r->measure, WW_DTW)) != WW_OK ||
        (status = ww_dataset_create(b->context, &r->x.view, NULL, &r->rows)) != WW_OK ||
        (status = ww_dataset_create(b->context, &r->y.view, NULL, &r->columns)) != WW_OK)
        return status;
    r->measure.gamma = 1;
    return ww_gradient_create_pairs(&r->measure, r->rows, r->columns, NULL, NULL, 1, &options, &r->gradient);
}

// Twice, since the first run compiles. *error: the sum of the slopes in their size.
static ww_status long_run(run *r, size_t length, ww_gradient_info *info, double *error) {
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    ww_status status = WW_OK;
    float value = 0;
    double sum = 0, size = 0;
    const ww_output values = WW_OUTPUT_HOST(&value), rows = WW_OUTPUT_HOST(r->slopes),
                    columns = WW_OUTPUT_HOST(r->slopes + length);
    to.values = &values;
    to.rows = &rows;
    to.columns = &columns;
    for (int k = 0; k < 2 && status == WW_OK; k++)
        status = ww_gradient_run(r->gradient, &to);
    if (status == WW_OK)
        status = ww_gradient_get_info(r->gradient, info);
    for (size_t k = 0; status == WW_OK && k < 2 * length; k++) {
        sum += (double)r->slopes[k];
        size += fabs((double)r->slopes[k]);
    }
    *error = size > 0 ? fabs(sum) / size : (double)INFINITY;
    return status;
}

// One long pair with the gradient by both series, within 4 GB of scratch (a CPU's is shorter, within 16 MB).
static int run_long(const bench *b, const char *name) {
    const size_t length = b->device.type == WW_DEVICE_GPU ? 65536 : 4096;
    ww_gradient_info info = WW_GRADIENT_INFO_INIT;
    bench_runs runs = bench_runs_begin(b, 1);
    bench_report report = {.name = name, .verified = 1, .allowed = 1e-3};
    run r;
    ww_status status = long_make(b, length, &r);
    if (status == WW_OK)
        status = long_run(&r, length, &info, &report.error);
    run_free(&r);
    if (status != WW_OK)
        return bench_failure(name, status);
    report.measure = &r.measure;
    bench_runs_add(&runs, info.seconds_device, info.seconds_wall);
    bench_report_runs(&report, &runs);
    const double seconds = bench_report_seconds(&report), rate = (double)info.cells / seconds * 1e-9;
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, &report, &json);
        cli_json_count(&json, "length", length);
        cli_json_count(&json, "cells", info.cells);
        cli_json_count(&json, "segments", info.segments);
        cli_json_number(&json, "gcups", rate, 6);
        bench_json_end(&report, &json);
    } else {
        printf("%-28s %8zu points %9.3f ms %zu segments %10.4g GCUPS %9.2g%s\n", name, length, 1e3 * seconds,
               (size_t)info.segments, rate, report.error, bench_right(&report) ? "" : " WRONG");
    }
    fflush(stdout);
    return !bench_right(&report);
}

size_t bench_gradient(const bench *b, int *failed) {
    static const char long_pair[] = "softdtw/gradient/long-pair";
    size_t ran = 0;
    if (bench_begin(b, long_pair, 0, NULL, &ran))
        *failed |= run_long(b, long_pair);
    for (size_t i = 0; i < CLI_COUNT_OF(CASES); i++)
        if (bench_begin(b, CASES[i].name, CASES[i].quick, NULL, &ran))
            *failed |= run_case(b, &CASES[i]);
    return ran;
}
