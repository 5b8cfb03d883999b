// SPDX-License-Identifier: Apache-2.0
// Warping paths and averages: cells a second; a sample of the paths is compared with the double reference, and on a CPU
// textbook C, full matrix and walk back on one core, is timed in the same run.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/reference/choices.h"
#include "bench.h"

typedef struct path_case {
    const char *name;
    ww_measure_id measure;
    ww_precision precision;
    double band; // share of the length; 0: none
    size_t pairs, cpu_pairs, length, cpu_length;
    int quick, averages; // averages: of these series, cells of an iteration; 2: soft, gamma 1
} path_case;

static const path_case CASES[] = {
    {"path/batch/128", WW_DTW, WW_FLOAT, 0, 50000, 4000, 128, 128, 0, 0},
    {"path/batch/512", WW_DTW, WW_FLOAT, 0, 10000, 512, 512, 512, 1, 0},
    {"path/batch/512/band10", WW_DTW, WW_FLOAT, 0.1, 10000, 512, 512, 512, 0, 0},
    {"path/batch/512/msm", WW_MSM, WW_FLOAT, 0, 10000, 256, 512, 512, 0, 0},
    {"path/batch/512/double", WW_DTW, WW_DOUBLE, 0, 10000, 512, 512, 512, 0, 0},
    {"path/batch/2048", WW_DTW, WW_FLOAT, 0, 1000, 32, 2048, 2048, 0, 0},
    {"path/pair/100000", WW_DTW, WW_FLOAT, 0, 1, 1, 100000, 16384, 0, 0},
    {"average/dba/1000x512", WW_DTW, WW_FLOAT, 0, 1000, 200, 512, 512, 0, 1},
    {"average/soft/1000x512", WW_DTW, WW_FLOAT, 0, 1000, 50, 512, 512, 0, 2},
};

static double value_of(const bench_data *data, size_t series, size_t t) {
    const size_t at = data->offsets[series] + t;
    return data->view.precision == WW_DOUBLE ? ((const double *)data->values)[at]
                                             : (double)((const float *)data->values)[at];
}

// The path's distance in double; NAN when its cells are no path, or it is not the least.
static double verify(const ww_measure *measure, const bench_data *rows, const bench_data *columns, size_t length,
                     const ww_paths *found, size_t p) {
    const size_t count = (size_t)(found->offsets[p + 1] - found->offsets[p]);
    double *x = malloc(length * sizeof *x), *y = malloc(length * sizeof *y), value = NAN;
    int32_t(*cells)[2] = malloc((count + 1) * sizeof *cells);
    if (x && y && cells) {
        for (size_t t = 0; t < length; t++) {
            x[t] = value_of(rows, p, t);
            y[t] = value_of(columns, p, t);
        }
        const wwr_series a = {x, length, 1}, b = {y, length, 1};
        memcpy(cells, found->cells + 2 * found->offsets[p], count * sizeof *cells);
        const double along = wwr_path_value(measure, &a, &b, cells, count), least = wwr_distance(measure, NULL, &a, &b);
        value = fabs(along - least) <= 1e-5 * (1 + least) ? along : NAN;
    }
    free(x);
    free(y);
    free(cells);
    return value;
}

typedef struct path_times {
    bench_times wall, device;
    uint64_t cells;
    double error, textbook;
    size_t verified;
} path_times;

// Longer pairs would take the reference minutes.
static void verify_some(const ww_measure *measure, const bench_data data[2], size_t pairs, size_t length,
                        const ww_paths *found, path_times *t) {
    for (size_t s = 0; length <= 4096 && s < 5; s++) {
        const size_t p = s * (pairs - 1) / 4;
        const double expected = verify(measure, &data[0], &data[1], length, found, p);
        t->error =
            fmax(t->error, isnan(expected) ? INFINITY : fabs(found->distances[p] - expected) / (expected + 1e-9));
        t->verified++;
    }
}

static ww_status measure_paths(const bench *b, const path_case *c, const ww_measure *measure, size_t pairs,
                               size_t length, path_times *t) {
    enum { RUNS = 5 };
    bench_runs runs = bench_runs_begin(b, RUNS);
    bench_data data[2] = {{.values = NULL}, {.values = NULL}};
    ww_dataset *sets[2] = {NULL, NULL};
    ww_plan *plan = NULL;
    ww_paths found = WW_PATHS_INIT;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    ww_dataset_options make = WW_DATASET_OPTIONS_INIT;
    ww_status status = WW_OK;
    make.precision = c->precision;
    for (int i = 0; status == WW_OK && i < 2; i++) {
        if (!bench_data_make(&data[i], pairs, length, length, 0, c->precision, (uint64_t)i + 1))
            status = WW_ERROR_OUT_OF_MEMORY;
        else
            status = ww_dataset_create(b->context, &data[i].view, &make, &sets[i]);
    }
    if (status == WW_OK)
        status = ww_plan_create_paths(measure, sets[0], sets[1], NULL, NULL, pairs, NULL, &plan);
    // The first run pays for compilation.
    for (int run = -1; status == WW_OK && run < RUNS; run++) {
        ww_paths_free(&found);
        status = ww_plan_run_paths(plan, &found);
        if (status == WW_OK)
            status = ww_plan_get_info(plan, &info);
        if (run >= 0)
            bench_runs_add(&runs, info.seconds_device, info.seconds_wall);
    }
    if (status == WW_OK) {
        t->cells = info.cells;
        t->wall = bench_summary(runs.wall, RUNS);
        t->device = bench_summary(runs.device, RUNS);
        verify_some(measure, data, pairs, length, &found, t);
        if (b->device.type != WW_DEVICE_GPU && c->measure == WW_DTW && c->band == 0)
            t->textbook = bench_textbook_paths(&data[0], length, 0.3);
    }
    ww_paths_free(&found);
    ww_plan_destroy(&plan);
    for (int i = 0; i < 2; i++) {
        ww_dataset_destroy(&sets[i]);
        bench_data_free(&data[i]);
    }
    return status;
}

// An iteration of DBA, or of a soft barycentre: what ten take more than one, a ninth of it.
static ww_status measure_averages(const bench *b, const ww_measure *measure, size_t count, size_t length,
                                  path_times *t) {
    enum { MORE = 10 };
    ww_generate_options make = WW_GENERATE_OPTIONS_INIT;
    ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
    ww_average_result result = WW_AVERAGE_RESULT_INIT;
    ww_series_set *set = NULL;
    ww_dataset *data = NULL;
    double wall[2] = {0, 0}, device[2] = {0, 0};
    make.count = count;
    make.length = length;
    ww_status status = ww_series_set_generate(WW_GENERATE_CBF, &make, &set);
    if (status == WW_OK)
        status = ww_dataset_create_from_set(b->context, set, NULL, &data);
    options.tolerance = 0;
    options.method = measure->gamma > 0 ? WW_AVERAGE_SOFT : WW_AVERAGE_DBA;
    for (int run = -1; status == WW_OK && run < 2; run++) {
        options.iterations = run == 1 ? MORE : 1;
        status = ww_average(measure, data, &options, &result);
        if (status == WW_OK && run >= 0) {
            wall[run] = result.seconds_wall;
            device[run] = result.seconds_device;
            for (size_t i = 1; i <= result.iterations; i++)
                t->error = result.objective[i] > result.objective[i - 1] ? INFINITY : t->error;
            t->verified = count;
        }
        ww_average_result_free(&result);
    }
    t->cells = (uint64_t)count * length * length;
    wall[0] = (wall[1] - wall[0]) / (MORE - 1);
    device[0] = (device[1] - device[0]) / (MORE - 1);
    t->wall = bench_summary(wall, 1);
    t->device = bench_summary(device, 1);
    ww_dataset_destroy(&data);
    ww_series_set_destroy(&set);
    return status;
}

static int run_case(const bench *b, const path_case *c) {
    const int gpu = b->device.type == WW_DEVICE_GPU;
    const size_t pairs = gpu ? c->pairs : c->cpu_pairs, length = gpu ? c->length : c->cpu_length;
    path_times t;
    ww_measure measure;
    memset(&t, 0, sizeof t);
    ww_status status = ww_measure_init(&measure, sizeof measure, c->measure);
    measure.gamma = c->averages == 2 ? 1 : 0;
    if (c->band > 0)
        measure.band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = floor(c->band * (double)length)};
    if (status == WW_OK)
        status = c->averages ? measure_averages(b, &measure, pairs, length, &t)
                             : measure_paths(b, c, &measure, pairs, length, &t);
    if (status != WW_OK)
        return bench_failure(c->name, status);
    bench_report report = {.name = c->name,
                           .measure = &measure,
                           .precision = c->precision,
                           .wall = t.wall,
                           .device = t.device,
                           .verified = t.verified,
                           .error = t.error,
                           .allowed = c->precision == WW_DOUBLE ? 1e-10 : 1e-4};
    const double rate = bench_right(&report) ? (double)t.cells / bench_report_seconds(&report) : 0;
    report.ratio = t.textbook > 0 ? rate / t.textbook : 0;
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, &report, &json);
        cli_json_count(&json, "pairs", pairs);
        cli_json_count(&json, "length", length);
        cli_json_count(&json, "cells", t.cells);
        cli_json_number(&json, "gcups", rate * 1e-9, 6);
        bench_json_end(&report, &json);
    } else {
        char ratio[32];
        printf("%-28s %8zu %8zu %10.3f %10.3f %10.2f %10s  %s\n", c->name, pairs, length, 1e3 * t.device.median,
               1e3 * t.wall.median, rate * 1e-9, bench_ratio(ratio, sizeof ratio, report.ratio),
               bench_right(&report) ? "" : "WRONG");
    }
    fflush(stdout);
    return !bench_right(&report);
}

static void print_header(void) {
    printf("\n%-28s %8s %8s %10s %10s %10s %10s\n", "case", "pairs", "length", "device ms", "wall ms", "GCUPS",
           "textbook");
}

size_t bench_paths(const bench *b, int *failed) {
    size_t ran = 0;
    for (size_t i = 0; i < CLI_COUNT_OF(CASES); i++) {
        const path_case *c = &CASES[i];
        if (c->precision == WW_DOUBLE && !b->options.list && !b->device.has_double)
            continue;
        if (bench_begin(b, c->name, c->quick, print_header, &ran))
            *failed |= run_case(b, c);
    }
    return ran;
}
