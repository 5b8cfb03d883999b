// SPDX-License-Identifier: Apache-2.0
// The bench of shapelets: discovery of whole trees on generated sets of the sizes of well-known ones. Verified in the
// same run: the root's gain, gap and threshold from distances computed by brute force, and candidates drawn at random,
// none of which may be better.
#include "bench_shapelets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/reference/shapelet_reference.h"
#include "bench.h"

typedef struct shapelet_case {
    const char *name;
    size_t series, points, classes, step, best;
    int on_cpu, quick;
} shapelet_case;

static const shapelet_case CASES[] = {
    {"shapelets/gunpoint", 50, 150, 2, 1, 0, 1, 1},
    {"shapelets/gunpoint/best10", 50, 150, 2, 1, 10, 1, 0},
    {"shapelets/car", 60, 577, 4, 1, 0, 0, 0},
    {"shapelets/osuleaf/every10", 200, 427, 6, 10, 0, 0, 0},
    {"shapelets/osuleaf", 200, 427, 6, 1, 0, 0, 0},
    {"shapelets/wafer/every10", 1000, 152, 2, 10, 0, 0, 0},
    {"shapelets/gunpoint/every10", 50, 150, 2, 10, 0, 1, 1},
};

typedef struct bench_set {
    ww_series_set *set;
    size_t *lengths, *labels;
    const double **values;
} bench_set;

static double uniform(uint64_t *state) {
    return (double)(bench_random(state) >> 11) * 0x1p-53;
}

static void set_free(bench_set *s) {
    ww_series_set_destroy(&s->set);
    free(s->lengths);
    free(s->labels);
    free(s->values);
}

// Random walks, each with a wave of its class's frequency at a random place.
static ww_status set_make(const shapelet_case *c, bench_set *s) {
    uint64_t state = 88172645463325252u;
    double *values = malloc(c->points * sizeof *values);
    memset(s, 0, sizeof *s);
    s->lengths = malloc(c->series * sizeof *s->lengths);
    s->labels = malloc(c->series * sizeof *s->labels);
    s->values = malloc(c->series * sizeof *s->values);
    ww_status status =
        values && s->lengths && s->labels && s->values ? ww_series_set_create(1, &s->set) : WW_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; status == WW_OK && i < c->series; i++) {
        char label[32];
        double at = 0;
        const size_t width = c->points / 6, place = (size_t)(uniform(&state) * (double)(c->points - width));
        s->labels[i] = i % c->classes;
        s->lengths[i] = c->points;
        snprintf(label, sizeof label, "%zu", s->labels[i]);
        for (size_t t = 0; t < c->points; t++) {
            at += uniform(&state) - 0.5;
            values[t] = at + 0.2 * (uniform(&state) - 0.5);
            if (t >= place && t < place + width)
                values[t] += 4 * sin((double)(s->labels[i] + 1) * 3.14159 * (double)(t - place) / (double)width);
        }
        status = ww_series_set_add(s->set, c->points, values, label);
    }
    for (size_t i = 0; status == WW_OK && i < c->series; i++)
        s->values[i] = ww_series_set_values(s->set, i);
    free(values);
    return status;
}

static void score(const shapelet_case *c, const bench_set *s, wwr_shapelet *one, double *distances) {
    for (size_t j = 0; j < c->series; j++)
        distances[j] = j == one->series
                           ? 0
                           : wwr_shapelet_distance(s->values[one->series] + one->start, c->points, one->length, 1,
                                                   s->values[j], c->points, false, false, NULL);
    wwr_shapelet_split(distances, NULL, s->labels, c->series, c->classes, 0, one);
}

// The largest difference of the root's figures; infinity where a drawn candidate is better.
static double verify(const shapelet_case *c, const bench_set *s, const ww_shapelets *model, double seconds,
                     size_t *verified) {
    uint64_t state = 777;
    ww_shapelet root = WW_SHAPELET_INIT;
    double *distances = malloc(c->series * sizeof *distances), error = INFINITY;
    if (!distances || ww_shapelets_get_shapelet(model, 0, &root) != WW_OK) {
        free(distances);
        return error;
    }
    wwr_shapelet one = {root.series, root.start, root.length, 0, 0, 0, 0};
    score(c, s, &one, distances);
    error = fmax(fabs(one.gain - root.gain), fmax(fabs(one.gap - root.gap), fabs(one.threshold - root.threshold)));
    *verified = 1;
    const double begin = bench_seconds();
    for (int i = 0; i < 200 && bench_seconds() - begin < seconds; i++) {
        wwr_shapelet other = {bench_random(&state) % c->series, 0, 3, 0, 0, 0, 0};
        other.length += bench_random(&state) % ((c->points - 3) / c->step + 1) * c->step;
        other.start = bench_random(&state) % (c->points - other.length + 1);
        score(c, s, &other, distances);
        if (other.gain > root.gain + 1e-9 || (other.gain > root.gain - 1e-9 && other.gap > root.gap + 1e-9))
            error = INFINITY;
        ++*verified;
    }
    free(distances);
    return error;
}

// Cells a second of textbook C on one core.
static double textbook(const shapelet_case *c, const bench_set *s, double seconds) {
    const size_t side = c->points + 1;
    double *scratch = malloc((side * side + 4 * side) * sizeof *scratch);
    double *nearest = malloc(c->points * c->points * sizeof *nearest);
    uint64_t cells = 0;
    const double begin = bench_seconds();
    double took = 0;
    for (size_t j = 0; scratch && nearest && took < seconds; j++, took = bench_seconds() - begin)
        cells += bench_shapelets_pair(s->values[j % c->series], s->values[(j + 1) % c->series], c->points, 3, c->step,
                                      scratch, nearest);
    free(scratch);
    free(nearest);
    return took > 0 ? (double)cells / took : 0;
}

static int run_case(const bench *b, const shapelet_case *c) {
    enum { MOST = 50 };
    bench_set s;
    ww_dataset *data = NULL;
    ww_shapelets *model = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    ww_shapelets_options options = WW_SHAPELETS_OPTIONS_INIT;
    bench_report report = {.name = c->name, .metric = "z-normalised euclidean", .error = INFINITY, .allowed = 1e-6};
    options.length_step = c->step;
    options.best = c->best;
    ww_status status = set_make(c, &s);
    if (status == WW_OK)
        status = ww_dataset_create_from_set(b->context, s.set, NULL, &data);
    if (status == WW_OK) // compiles
        status = ww_shapelets_create(data, &options, &model);
    bench_runs runs = bench_runs_begin(b, MOST);
    while (status == WW_OK && bench_runs_go_on(&runs)) {
        ww_shapelets_destroy(&model);
        status = ww_shapelets_create(data, &options, &model);
        if (status == WW_OK)
            status = ww_shapelets_get_info(model, &info);
        bench_runs_add(&runs, info.seconds_device, info.seconds_wall);
    }
    if (status == WW_OK) {
        report.error = verify(c, &s, model, b->options.quick ? 0.3 : 3, &report.verified);
        bench_report_runs(&report, &runs);
        const double rate = (double)info.cells / bench_report_seconds(&report);
        if (b->device.type == WW_DEVICE_CPU)
            report.ratio = (double)info.cells / report.wall.median / textbook(c, &s, b->options.quick ? 0.2 : 1);
        if (b->options.json) {
            cli_json json;
            bench_json_begin(b, &report, &json);
            cli_json_count(&json, "series", c->series);
            cli_json_count(&json, "points", c->points);
            cli_json_count(&json, "nodes", info.nodes);
            cli_json_count(&json, "candidates", info.candidates);
            cli_json_count(&json, "cells", info.cells);
            cli_json_count(&json, "examined", info.examined);
            cli_json_count(&json, "launches", info.launches);
            cli_json_number(&json, "cells_per_second", rate, 5);
            bench_json_end(&report, &json);
        } else {
            char ratio[32];
            printf("%-36s %7zu %11.3f %11.3f %6.1f%% %10.4g %9llu %9s %9.2g  %s\n", c->name, info.nodes,
                   1e3 * report.device.median, 1e3 * report.wall.median, 100 * report.wall.spread, rate * 1e-9,
                   (unsigned long long)info.examined, bench_ratio(ratio, sizeof ratio, report.ratio), report.error,
                   bench_right(&report) ? "" : "WRONG");
        }
        fflush(stdout);
    } else {
        bench_failure(c->name, status);
    }
    ww_shapelets_destroy(&model);
    ww_dataset_destroy(&data);
    set_free(&s);
    return !bench_right(&report);
}

static void print_header(void) {
    printf("\n%-36s %7s %11s %11s %7s %10s %9s %9s %9s\n", "case", "nodes", "device ms", "wall ms", "spread",
           "Gcells/s", "examined", "textbook", "error");
}

size_t bench_shapelets(const bench *b, int *failed) {
    size_t ran = 0;
    for (size_t i = 0; i < CLI_COUNT_OF(CASES); i++) {
        const shapelet_case *c = &CASES[i];
        if (!c->on_cpu && !b->options.list && b->device.type == WW_DEVICE_CPU)
            continue;
        if (bench_begin(b, c->name, c->quick, print_header, &ran))
            *failed |= run_case(b, c);
    }
    return ran;
}
