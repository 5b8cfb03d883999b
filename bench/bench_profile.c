// SPDX-License-Identifier: Apache-2.0
// Matrix profiles: time, pairs of windows a second, and a sample of the windows against brute force in double. On a CPU
// the time of STOMP in textbook C on one core beside it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/reference/profile_reference.h"
#include "bench.h"

typedef struct profile_case {
    const char *name;
    size_t windows, cpu_windows, window, k;
    int walk, two; // a walk or noise; against another series
    ww_precision precision;
    int quick;
} profile_case;

static const profile_case CASES[] = {
    {"profile/walk/2^20/256", 1u << 20, 1u << 17, 256, 1, 1, 0, WW_FLOAT, 1},
    {"profile/noise/2^20/256", 1u << 20, 1u << 17, 256, 1, 0, 0, WW_FLOAT, 0},
    {"profile/walk/2^20/256/k3", 1u << 20, 1u << 15, 256, 3, 1, 0, WW_FLOAT, 0},
    {"profile/two/2^20/256", 1u << 20, 1u << 16, 256, 1, 0, 1, WW_FLOAT, 0},
    {"profile/double/2^18/256", 1u << 18, 1u << 16, 256, 1, 1, 0, WW_DOUBLE, 0},
};

typedef struct job {
    const profile_case *c;
    size_t windows, length;
    double *series, *other;
    ww_profile *profile;
    double *distances;
    int64_t *indices;
    double prepare;
} job;

static double gauss(uint64_t *state) {
    const double u = ((double)(bench_random(state) >> 11) + 0.5) * 0x1p-53;
    const double v = (double)(bench_random(state) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static double *make(size_t length, int walk, uint64_t seed) {
    double *values = malloc(length * sizeof *values), at = 0;
    uint64_t state = seed * 0x2545f4914f6cdd1du + 88172645463325252u;
    for (size_t t = 0; values && t < length; t++) {
        at = walk ? at + gauss(&state) : gauss(&state);
        values[t] = at;
    }
    return values;
}

static void job_free(job *j) {
    ww_profile_destroy(&j->profile);
    free(j->series);
    free(j->other);
    free(j->distances);
    free(j->indices);
}

static ww_status job_make(const bench *b, const profile_case *c, job *j) {
    const int small = b->device.type != WW_DEVICE_GPU;
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_series_view view = WW_SERIES_VIEW_INIT, other;
    memset(j, 0, sizeof *j);
    j->c = c;
    j->windows = (small ? c->cpu_windows : c->windows) / (b->options.quick ? 4 : 1);
    j->length = j->windows + c->window - 1;
    j->series = make(j->length, c->walk, 1);
    j->other = c->two ? make(j->length, c->walk, 2) : NULL;
    j->distances = malloc(j->windows * c->k * sizeof *j->distances);
    j->indices = malloc(j->windows * c->k * sizeof *j->indices);
    if (!j->series || (c->two && !j->other) || !j->distances || !j->indices)
        return WW_ERROR_OUT_OF_MEMORY;
    view.values = j->series;
    view.precision = WW_DOUBLE;
    view.count = 1;
    view.length = j->length;
    other = view;
    other.values = j->other;
    options.k = c->k;
    options.precision = c->precision;
    const double start = bench_seconds();
    const ww_status status =
        ww_profile_create(b->context, &view, 0, c->two ? &other : NULL, 0, c->window, &options, &j->profile);
    j->prepare = bench_seconds() - start;
    return status;
}

// The largest difference of a sample of the windows from brute force, relative to the root of the window's length.
static double verify(const job *j, size_t exclusion, size_t *verified) {
    enum { SAMPLE = 5 };
    const size_t k = j->c->k, m = j->c->window;
    const double *other = j->other ? j->other : j->series;
    double worst = 0, *best = malloc(k * sizeof *best);
    uint64_t state = 7;
    *verified = 0;
    for (size_t s = 0; best && s < SAMPLE; s++) {
        const size_t i = bench_random(&state) % j->windows;
        for (size_t r = 0; r < k; r++)
            best[r] = INFINITY;
        for (size_t w = 0; w < j->windows; w++) {
            if (!j->other && (i < w ? w - i : i - w) <= exclusion)
                continue;
            double d = wwr_profile_distance(j->series, j->length, i, other, j->length, w, m, 1);
            for (size_t r = 0; r < k; r++)
                if (d < best[r]) {
                    const double next = best[r];
                    best[r] = d;
                    d = next;
                }
        }
        for (size_t r = 0; r < k; r++) {
            const double error = fabs(best[r] - j->distances[i * k + r]) / sqrt((double)m);
            worst = error >= 0 && error <= worst ? worst : error >= 0 ? error : INFINITY;
        }
        ++*verified;
    }
    free(best);
    return *verified ? worst : INFINITY;
}

// Seconds that STOMP takes for the whole profile, from its first rows.
static double textbook(const job *j, size_t exclusion, double seconds) {
    double *distances = malloc(j->windows * sizeof *distances);
    int64_t *indices = malloc(j->windows * sizeof *indices);
    double first = 0, more = 0;
    size_t rows = 16;
    while (distances && indices && rows < j->windows) {
        double start = bench_seconds();
        wwr_stomp(j->series, j->length, j->c->window, exclusion, 1, distances, indices);
        first = bench_seconds() - start;
        start = bench_seconds();
        wwr_stomp(j->series, j->length, j->c->window, exclusion, rows + 1, distances, indices);
        more = bench_seconds() - start - first;
        if (more > seconds)
            break;
        rows *= 2;
    }
    free(indices);
    free(distances);
    return more > 0 ? more / (double)rows * (double)j->windows : 0;
}

static int run_case(const bench *b, const profile_case *c) {
    enum { MOST = 20 };
    bench_report report = {.name = c->name, .metric = "z-normalised euclidean", .precision = c->precision};
    ww_profile_info info = WW_PROFILE_INFO_INIT;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    job j;
    ww_status status = job_make(b, c, &j);
    report.allowed = c->precision == WW_DOUBLE ? 1e-10 : 1e-5;
    output.distances = j.distances;
    output.indices = j.indices;
    if (status == WW_OK)
        status = ww_profile_run(j.profile, &output);
    bench_runs runs = bench_runs_begin(b, MOST);
    while (status == WW_OK && bench_runs_go_on(&runs)) {
        status = ww_profile_run(j.profile, &output);
        if (status == WW_OK)
            status = ww_profile_get_info(j.profile, &info);
        bench_runs_add(&runs, info.seconds_device, info.seconds_wall);
    }
    if (status != WW_OK) {
        job_free(&j);
        return bench_failure(c->name, status);
    }
    bench_report_runs(&report, &runs);
    report.engine = info.form;
    report.error = verify(&j, info.exclusion, &report.verified);
    if (b->device.type == WW_DEVICE_CPU && c->k == 1 && !c->two)
        report.ratio = textbook(&j, info.exclusion, b->options.quick ? 0.1 : 1) / report.wall.median;
    const double rate = (double)info.pairs / report.wall.median;
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, &report, &json);
        cli_json_count(&json, "windows", j.windows);
        cli_json_count(&json, "window", c->window);
        cli_json_count(&json, "k", c->k);
        cli_json_count(&json, "pairs", info.pairs);
        cli_json_count(&json, "candidates", info.candidates);
        cli_json_count(&json, "launches", info.launches);
        cli_json_number(&json, "seconds_prepare", j.prepare, 6);
        cli_json_number(&json, "pairs_per_second", rate, 5);
        bench_json_end(&report, &json);
    } else {
        bench_row(&report, 28, rate, 12, (double)info.candidates / (double)j.windows);
    }
    fflush(stdout);
    job_free(&j);
    return !bench_right(&report);
}

static void print_header(void) {
    printf("\n%-28s %-7s %11s %11s %7s %10s %12s %9s %9s\n", "case", "form", "device ms", "wall ms", "spread",
           "Gpairs/s", "candidates/w", "textbook", "error");
}

size_t bench_profile(const bench *b, int *failed) {
    size_t ran = 0;
    for (size_t i = 0; i < CLI_COUNT_OF(CASES); i++) {
        const profile_case *c = &CASES[i];
        if (c->precision == WW_DOUBLE && !b->options.list && !b->device.has_double)
            continue;
        if (bench_begin(b, c->name, c->quick, print_header, &ran))
            *failed |= run_case(b, c);
    }
    return ran;
}
