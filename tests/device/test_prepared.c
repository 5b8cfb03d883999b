// SPDX-License-Identifier: Apache-2.0
// A prepared plan's runs into device memory: they only enqueue, as often as one likes, and give the same bits as
// others. And a search of a stream at rest, whose windows are all alike, waits as rarely as any. The layer of
// tests/fault counts the OpenCL calls that wait.
#include <stdlib.h>
#include <string.h>

#include "fault/fault_layer.h"
#include "fault/find_layer.h"
#include "support.h"

// A launch a pair in two runs is fewer than a stream keeps track of (WWI_PENDING_EVENTS).
enum { N = 11, COLUMNS = 9, LEAST = 8, MOST = 40, EQUAL = 24 };

typedef enum shape { FULL, CONDENSED, RECTANGLE, PAIRS } shape;
typedef enum kind { PLAIN, BY_ROWS, TIMED, SYMBOLS, APART } kind; // of the measure or its series

typedef struct subject {
    ww_measure_id id;
    kind kind;
    ww_engine engine;
    shape shape;
    bool short_launches; // a unit each
} subject;

static const subject subjects[] = {
    {WW_DTW, PLAIN, WW_ENGINE_LANES, FULL, true},        {WW_DTW, PLAIN, WW_ENGINE_LANES, CONDENSED, false},
    {WW_DTW, PLAIN, WW_ENGINE_LANES, RECTANGLE, false},  {WW_DTW, PLAIN, WW_ENGINE_STRIPS, PAIRS, false},
    {WW_DTW, PLAIN, WW_ENGINE_PACKED, RECTANGLE, true},  {WW_DTW, PLAIN, WW_ENGINE_PACKED, PAIRS, false},
    {WW_DTW, BY_ROWS, WW_ENGINE_LANES, RECTANGLE, true}, {WW_DTW, BY_ROWS, WW_ENGINE_PACKED, PAIRS, false},
    {WW_TWED, TIMED, WW_ENGINE_AUTO, FULL, false},       {WW_LCS, SYMBOLS, WW_ENGINE_BITS, FULL, false},
    {WW_LCS, SYMBOLS, WW_ENGINE_BITS, PAIRS, false},     {WW_DTW, APART, WW_ENGINE_PACKED, FULL, false},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static size_t low[EQUAL], high[EQUAL];

static ww_measure measure_of(const subject *s) {
    ww_measure measure = wwt_measure(s->id);
    for (size_t i = 0; i < EQUAL; i++) {
        low[i] = i < 3 ? 0 : i - 3;
        high[i] = i + 5 < EQUAL ? i + 5 : EQUAL;
    }
    if (s->kind == BY_ROWS)
        measure.band = (ww_band){.kind = WW_BAND_ROWS, .lo = low, .hi = high, .rows = EQUAL};
    measure.independent = s->kind == APART;
    return measure;
}

static ww_dataset *dataset_of(const subject *s, size_t count) {
    const bool equal = s->kind == BY_ROWS;
    wwt_set set = wwt_set_random(s->kind == TIMED || s->kind == APART ? 2 : 1, equal ? EQUAL : LEAST,
                                 equal ? EQUAL : MOST, count);
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < set.lengths[i]; t++) {
            double *value = set.values + set.offsets[i] + t;
            if (s->kind == SYMBOLS)
                *value = (double)(int)(*value * 3);
            if (s->kind == TIMED)
                value[set.lengths[i]] = (double)(t + t / 3);
        }
    ww_series_view view = wwt_view(&set);
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *dataset = NULL;
    options.times = s->kind == TIMED;
    wwt_ok(ww_dataset_create(wwt_context, &view, &options, &dataset));
    wwt_set_free(&set);
    return dataset;
}

static size_t values_of(shape of) {
    return of == FULL ? N * N : of == CONDENSED ? N * (N - 1) / 2 : N * COLUMNS;
}

// A plan, its datasets given up, and what another one of the same brings to host memory.
typedef struct made {
    ww_plan *plan;
    float wanted[N * N];
    ww_output to[2]; // to the device, at its begin and at an offset
} made;

static void make(const subject *s, made *m) {
    const ww_measure measure = measure_of(s);
    const bool self = s->shape == FULL || s->shape == CONDENSED;
    ww_dataset *rows = dataset_of(s, N), *columns = self ? NULL : dataset_of(s, COLUMNS);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_plan_options options = wwt_engine(s->engine);
    ww_plan *plans[2];
    ww_output to = WW_OUTPUT_HOST(m->wanted);
    size_t row_index[N * COLUMNS], column_index[N * COLUMNS];
    run.launch_seconds = s->short_launches ? 1e-12 : 0;
    options.run = &run;
    to.layout = s->shape == CONDENSED ? WW_LAYOUT_CONDENSED : WW_LAYOUT_FULL;
    // Neither by length nor in the matrix's order.
    for (size_t i = 0; i < N * COLUMNS; i++) {
        row_index[i] = (7 * i + 3) % N;
        column_index[i] = (5 * i + i / 4) % COLUMNS;
    }
    for (int i = 0; i < 2; i++)
        if (s->shape == PAIRS)
            wwt_ok(ww_plan_create_pairs(&measure, rows, columns, row_index, column_index, N * COLUMNS, &options,
                                        &plans[i]));
        else
            wwt_ok(ww_plan_create_matrix(&measure, rows, columns, &options, &plans[i]));
    wwt_ok(ww_plan_run(plans[1], &to));
    ww_plan_destroy(&plans[1]);
    m->plan = plans[0];
    for (int i = 0; i < 2; i++) {
        m->to[i] = to;
        m->to[i].host = NULL;
        m->to[i].offset = i ? 8 : 0;
        wwt_ok(ww_buffer_create(wwt_context, sizeof m->wanted + 8, &m->to[i].device));
    }
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
}

static void compare(const subject *s, const made *m, int which) {
    float found[N * N];
    const size_t values = values_of(s->shape);
    wwt_ok(ww_buffer_read(m->to[which].device, m->to[which].offset, values * sizeof *found, found));
    ck_assert_msg(wwt_same(found, m->wanted, values, WW_FLOAT), "output %d differs", which);
}

static void forget(made *m) {
    ww_plan_destroy(&m->plan);
    ww_buffer_destroy(&m->to[0].device);
    ww_buffer_destroy(&m->to[1].device);
}

// Two plans on one context, turn about.
START_TEST(runs_only_enqueue) {
    const subject *of[2] = {&subjects[_i], &subjects[(_i + 5) % SUBJECTS]};
    made m[2];
    wwt_seed(700 + (unsigned)_i);
    wwt_fault_table *counts = wwt_in_layer("wwt_fault_control", "calls that wait are not counted");
    for (int k = 0; k < 2; k++) {
        make(of[k], &m[k]);
        wwt_ok(ww_plan_prepare(m[k].plan));
    }
    for (int again = 0; again < 2; again++) {
        // An offset's results go through the plan's own memory, which is there.
        if (counts)
            atomic_store(&counts->waits, 0);
        for (int which = 0; which < 2; which++)
            for (int k = 0; k < 2; k++)
                wwt_ok(ww_plan_run(m[k].plan, &m[k].to[which]));
        if (counts)
            ck_assert_int_eq(atomic_load(&counts->waits), 0);
        for (int k = 0; k < 2; k++) {
            ww_plan_info info = WW_PLAN_INFO_INIT;
            wwt_ok(ww_plan_finish(m[k].plan));
            wwt_ok(ww_plan_get_info(m[k].plan, &info));
            ck_assert(again || !of[k]->short_launches || info.launches > 3);
            compare(of[k], &m[k], 0);
            compare(of[k], &m[k], 1);
        }
    }
    if (counts)
        ck_assert_int_gt(atomic_load(&counts->waits), 0); // it does count
    // And the same plan to host memory.
    float host[N * N];
    ww_output to = m[0].to[0];
    to.device = NULL;
    to.host = host;
    wwt_ok(ww_plan_run(m[0].plan, &to));
    ck_assert(wwt_same(host, m[0].wanted, values_of(of[0]->shape), WW_FLOAT));
    forget(&m[0]);
    forget(&m[1]);
}
END_TEST

// What a run needs is made by the first one too.
START_TEST(runs_without_preparing) {
    made m;
    wwt_seed(720 + (unsigned)_i);
    make(&subjects[_i], &m);
    wwt_ok(ww_plan_run(m.plan, &m.to[0]));
    wwt_ok(ww_plan_run(m.plan, &m.to[1]));
    wwt_ok(ww_plan_finish(m.plan));
    compare(&subjects[_i], &m, 0);
    compare(&subjects[_i], &m, 1);
    forget(&m);
}
END_TEST

// Of one stream values are 0, of the other they are not: all windows of the first, and none of the second, are equal.
START_TEST(stream_at_rest) {
    enum { QUERY = 16, POINTS = 1 << 18, K = 2 };
    const ww_precision precision = _i ? WW_DOUBLE : WW_FLOAT;
    wwt_fault_table *counts = wwt_in_layer("wwt_fault_control", "calls that wait are not counted");
    double query[QUERY], *points = calloc(POINTS, sizeof *points);
    long waits[2] = {0, 0};
    wwt_seed(740);
    for (size_t i = 0; i < QUERY; i++)
        query[i] = wwt_random();
    for (int moving = 0; moving < 2; moving++) {
        ww_series_view queries = WW_SERIES_VIEW_INIT, streams = WW_SERIES_VIEW_INIT;
        ww_search_options options = WW_SEARCH_OPTIONS_INIT;
        ww_search *search = NULL;
        ww_match matches[K];
        size_t found;
        for (size_t i = 0; moving && i < POINTS; i++)
            points[i] = wwt_random();
        queries.precision = streams.precision = WW_DOUBLE;
        queries.count = streams.count = 1;
        queries.values = query;
        queries.length = QUERY;
        streams.values = points;
        streams.length = POINTS;
        options.kind = WW_SEARCH_WINDOWS;
        options.k = K;
        options.precision = precision;
        const ww_measure measure = wwt_measure(WW_DTW);
        wwt_ok(ww_search_create(wwt_context, &measure, &queries, &options, &search));
        if (counts)
            atomic_store(&counts->waits, 0);
        wwt_ok(ww_search_run(search, &streams, matches, &found));
        if (counts)
            waits[moving] = atomic_load(&counts->waits);
        ck_assert_uint_eq(found, K);
        if (!moving) {
            ck_assert_int_eq(matches[0].begin, 0);
            ck_assert_int_eq(matches[1].begin, QUERY / 2);
        }
        ww_search_destroy(&search);
    }
    free(points);
    ck_assert_int_le(waits[0], 2 * waits[1] + 40);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("prepared");
    wwt_add(suite, runs_only_enqueue, SUBJECTS);
    wwt_add(suite, runs_without_preparing, SUBJECTS);
    wwt_add(suite, stream_at_rest, wwt_precision_count());
    return wwt_run(suite);
}
