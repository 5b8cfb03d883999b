// SPDX-License-Identifier: Apache-2.0
// Searches in streams: time, cells a second, and the matches against textbook C in the same run: the UCR Suite's
// cascade for windows, the whole recurrence for open ends. On a CPU the ratio to that cascade on one core.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/reference/search_reference.h"
#include "bench.h"
#include "bench_points.h"

enum { PLANTED = 5 };

typedef struct search_case {
    const char *name;
    ww_search_kind kind;
    size_t queries, length, points, cpu_queries, cpu_points;
    double band; // share of the length; 0: none
    int no_bounds, quick;
    size_t planted; // copies of the query in the stream, all of which have to be found
    size_t k;       // matches of each query; 0: as many as copies, at least 1
} search_case;

static const search_case CASES[] = {
    {"search/windows/128/1e8", WW_SEARCH_WINDOWS, 1, 128, 100000000, 1, 10000000, 0.05, 0, 1, 0, 0},
    {"search/windows/128/1e8/no-bounds", WW_SEARCH_WINDOWS, 1, 128, 100000000, 1, 1000000, 0.05, 1, 1, 0, 0},
    {"search/windows/1024/1e7", WW_SEARCH_WINDOWS, 1, 1024, 10000000, 1, 500000, 0.05, 0, 0, 0, 0},
    {"search/windows/128/1e9", WW_SEARCH_WINDOWS, 1, 128, 1000000000, 1, 20000000, 0.05, 0, 0, PLANTED, 0},
    {"search/windows/32x128/1e8", WW_SEARCH_WINDOWS, 32, 128, 100000000, 4, 1000000, 0, 0, 1, 0, 10},
    {"search/open/512x2000/1e5", WW_SEARCH_OPEN, 512, 2000, 100000, 8, 20000, 0, 0, 1, 0, 0},
    {"search/open/1x128/1e6", WW_SEARCH_OPEN, 1, 128, 1000000, 1, 200000, 0, 0, 0, 0, 0},
};

// A random walk, as the cited paper's streams are.
static float *walk(size_t count, uint64_t seed) {
    float *values = malloc(count * sizeof *values);
    uint64_t state = seed;
    double at = 0;
    for (size_t i = 0; values && i < count; i++) {
        at += (double)(bench_random(&state) >> 11) * 0x1p-53 - 0.5;
        values[i] = (float)at;
    }
    return values;
}

// Where copy i of the query is: at the stream's begin and end, and between them.
static size_t planted_place(const search_case *c, size_t points, size_t i) {
    return i * ((points - c->length) / (c->planted - 1));
}

// With another offset and scale, and a little noise.
static void plant(const search_case *c, float *stream, size_t points, const float *query) {
    uint64_t state = 7;
    for (size_t i = 0; i < c->planted; i++)
        for (size_t t = 0; t < c->length; t++)
            stream[planted_place(c, points, i) + t] =
                (float)(10.0 * (double)i + (0.5 + (double)i) * (double)query[t] +
                        1e-3 * (double)(i + 1) * ((double)(bench_random(&state) >> 11) * 0x1p-53 - 0.5));
}

typedef struct job {
    float *stream, *queries;
    size_t points, count;
    ww_search *search;
    ww_match *matches;
    ww_search_info info;
} job;

// Seconds of the cascade on one core, and whether the winner is the same. Where the stream is longer than `most`, the
// part around the winner is searched.
static double cascade(const search_case *c, const job *j, size_t most, double *error) {
    const size_t n = c->length, radius = c->band > 0 ? (size_t)(c->band * (double)n) : n;
    const size_t all = j->points < most ? j->points : most, won = (size_t)j->matches[0].begin;
    size_t first = won > all / 2 ? won - all / 2 : 0, place;
    first = first + all > j->points ? j->points - all : first;
    double *stream = malloc(all * sizeof *stream), *query = malloc(n * sizeof *query), distance = INFINITY;
    *error = INFINITY;
    double seconds = 0;
    if (stream && query) {
        for (size_t t = 0; t < all; t++)
            stream[t] = (double)j->stream[first + t];
        for (size_t t = 0; t < n; t++)
            query[t] = (double)j->queries[t];
        const double start = bench_seconds();
        wwr_ucr_search(query, n, stream, all, radius, &place, &distance);
        seconds = bench_seconds() - start;
        *error = fabs(distance - j->matches[0].distance) / (distance > 0 ? distance : 1);
        if (first + place != won && *error > 1e-5)
            *error = INFINITY;
    }
    free(query);
    free(stream);
    return seconds;
}

// How many of the copies are among the matches.
static size_t planted_found(const search_case *c, const job *j) {
    size_t found = 0;
    for (size_t i = 0; i < c->planted; i++)
        for (size_t m = 0; m < c->planted; m++)
            if (j->matches[m].begin == (int64_t)planted_place(c, j->points, i)) {
                found++;
                break;
            }
    return found;
}

// The winners of some queries under the recurrence in double.
static double open_error(const search_case *c, const job *j, size_t *verified) {
    double worst = 0, *row = malloc((c->length + 1) * sizeof *row);
    *verified = 0;
    for (size_t q = 0; row && q < j->count && *verified < 3; q += j->count / 3 + 1, ++*verified) {
        const float *x = j->queries + q * c->length;
        double best = INFINITY, value = INFINITY;
        for (size_t i = 0; i <= c->length; i++)
            row[i] = i ? INFINITY : 0;
        for (size_t t = 0; t < j->points; t++) {
            double diagonal = 0, up = 0;
            for (size_t i = 1; i <= c->length; i++) {
                const double d = (double)x[i - 1] - (double)j->stream[t], left = row[i];
                up = d * d + fmin(fmin(diagonal, up), left);
                diagonal = left;
                row[i] = up;
            }
            value = t + 1 == (size_t)j->matches[q].end ? up : value;
            best = fmin(best, up);
        }
        worst = fmax(worst, fmax(fabs(j->matches[q].distance - best), fabs(value - best)) / fmax(best, 1e-3));
    }
    free(row);
    return *verified ? worst : INFINITY;
}

static ww_status make(const bench *b, const search_case *c, ww_measure *measure, job *j) {
    const int small = b->device.type != WW_DEVICE_GPU;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_series_view queries = WW_SERIES_VIEW_INIT;
    memset(j, 0, sizeof *j);
    j->points = small ? c->cpu_points : c->points;
    if (b->options.quick && small)
        j->points /= 10;
    j->count = small ? c->cpu_queries : c->queries;
    j->stream = walk(j->points, 88172645463325252u);
    j->queries = walk(j->count * c->length, 42);
    options.k = c->k ? c->k : c->planted ? c->planted : 1;
    j->matches = malloc(j->count * options.k * sizeof *j->matches);
    if (!j->stream || !j->queries || !j->matches)
        return WW_ERROR_OUT_OF_MEMORY;
    if (c->planted)
        plant(c, j->stream, j->points, j->queries);
    options.kind = c->kind;
    options.znormalise = c->kind == WW_SEARCH_WINDOWS;
    options.no_bounds = c->no_bounds;
    queries.values = j->queries;
    queries.count = j->count;
    queries.length = c->length;
    ww_status status = ww_measure_init(measure, sizeof *measure, WW_DTW);
    if (c->band > 0) {
        measure->band.kind = WW_BAND_SAKOE_CHIBA;
        measure->band.width = floor(c->band * (double)c->length);
    }
    return status == WW_OK ? ww_search_create(b->context, measure, &queries, &options, &j->search) : status;
}

// Windows with the cascade, open ends with the recurrence.
static void verify(const search_case *c, const job *j, bench_report *report) {
    enum { MOST_POINTS = 20000000, MOST_WITHOUT_BAND = 200000 };
    if (c->kind != WW_SEARCH_WINDOWS) {
        report->error = open_error(c, j, &report->verified);
        return;
    }
    const size_t most = c->band > 0 ? MOST_POINTS : MOST_WITHOUT_BAND;
    const double seconds = cascade(c, j, most, &report->error);
    if (j->points <= most && j->count == 1)
        report->ratio = seconds / report->wall.median;
    if (planted_found(c, j) < c->planted) {
        fprintf(stderr, "wavewarp-bench: %s: %zu of %zu copies of the query are found\n", c->name, planted_found(c, j),
                c->planted);
        report->error = INFINITY;
    }
}

static void report_case(const bench *b, const search_case *c, const job *j, const bench_report *report, bench_bus bus) {
    const double rate = (double)j->info.cells / bench_report_seconds(report);
    const double sent = (double)j->points * sizeof *j->stream / report->wall.median;
    const double left = j->info.cells ? (double)j->info.cells_started / (double)j->info.cells : 0;
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, report, &json);
        cli_json_count(&json, "queries", j->count);
        cli_json_count(&json, "length", c->length);
        cli_json_count(&json, "points", j->points);
        cli_json_count(&json, "places", j->info.places);
        cli_json_count(&json, "cells", j->info.cells);
        cli_json_count(&json, "cells_started", j->info.cells_started);
        cli_json_count(&json, "abandoned", j->info.abandoned);
        cli_json_count(&json, "launches", j->info.launches);
        cli_json_number(&json, "cups", rate, 5);
        if (bus.pinned > 0) {
            cli_json_number(&json, "bytes_per_second", sent, 5);
            cli_json_number(&json, "bus_pinned", bus.pinned, 5);
            cli_json_number(&json, "bus_pageable", bus.pageable, 5);
        }
        bench_json_end(report, &json);
    } else {
        char ratio[32];
        printf("%-36s %11.3f %11.3f %6.1f%% %10.4g %8.3f%% %9s %9.2g  %s\n", c->name, 1e3 * report->device.median,
               1e3 * report->wall.median, 100 * report->wall.spread, rate * 1e-12, 100 * left,
               bench_ratio(ratio, sizeof ratio, report->ratio), report->error, bench_right(report) ? "" : "WRONG");
        if (bus.pinned > 0)
            printf(
                "%-36s %.1f GB/s of points; the bus %.1f GB/s from pinned memory (%.0f %%), %.1f GB/s from ordinary\n",
                "", 1e-9 * sent, 1e-9 * bus.pinned, 100 * sent / bus.pinned, 1e-9 * bus.pageable);
    }
    fflush(stdout);
}

static int run_case(const bench *b, const search_case *c) {
    enum { MOST = 20 };
    bench_report report = {.name = c->name, .verified = 1, .error = INFINITY, .allowed = 1e-4};
    ww_measure measure;
    ww_series_view stream = WW_SERIES_VIEW_INIT;
    bench_bus bus = {0, 0};
    job j;
    ww_status status = make(b, c, &measure, &j);
    stream.values = j.stream;
    stream.count = 1;
    stream.length = j.points;
    j.info = (ww_search_info)WW_SEARCH_INFO_INIT;
    if (status == WW_OK)
        status = ww_search_run(j.search, &stream, j.matches, NULL);
    bench_runs runs = bench_runs_begin(b, MOST);
    while (status == WW_OK && bench_runs_go_on(&runs)) {
        status = ww_search_run(j.search, &stream, j.matches, NULL);
        if (status == WW_OK)
            status = ww_search_get_info(j.search, &j.info);
        bench_runs_add(&runs, j.info.seconds_device, j.info.seconds_wall);
    }
    if (status != WW_OK) {
        bench_failure(c->name, status);
        goto done;
    }
    // Beside the runs: the share of the bus's speed at which a stream goes through.
    if (c->kind == WW_SEARCH_WINDOWS && b->device.type == WW_DEVICE_GPU)
        bus = bench_bus_measure(b);
    report.measure = &measure;
    bench_report_runs(&report, &runs);
    verify(c, &j, &report);
    report_case(b, c, &j, &report, bus);
done:
    ww_search_destroy(&j.search);
    free(j.matches);
    free(j.queries);
    free(j.stream);
    return !bench_right(&report);
}

static void print_header(void) {
    printf("\n%-36s %11s %11s %7s %10s %9s %9s %9s\n", "case", "device ms", "wall ms", "spread", "TCUPS", "started",
           "cascade", "error");
}

size_t bench_search(const bench *b, int *failed) {
    size_t ran = 0;
    for (size_t i = 0; i < CLI_COUNT_OF(CASES); i++)
        if (bench_begin(b, CASES[i].name, CASES[i].quick, print_header, &ran))
            *failed |= run_case(b, &CASES[i]);
    return ran;
}
