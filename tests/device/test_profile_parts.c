// SPDX-License-Identifier: Apache-2.0
// Profiles in rectangles, and of series that grow: they give the bytes of the whole, of all lists. And the consensus of
// several series, which is made of their profiles.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/profile_reference.h"
#include "support.h"

enum { WINDOW = 16, POINTS = 700, OTHERS = 431, LISTS = 3 };

typedef struct job {
    bool self, left_right;
    ww_precision precision;
    size_t k, channels;
    int what; // 0: a walk; 1: with constant and missing parts; 2: whole numbers, which repeat
    const char *tuning;
} job;

static const job jobs[] = {{true, false, WW_FLOAT, 1, 1, 0, ""},
                           {true, true, WW_FLOAT, 3, 1, 1, ""},
                           {true, true, WW_FLOAT, 1, 1, 2, ""},
                           {false, false, WW_FLOAT, 1, 1, 1, ""},
                           {false, false, WW_FLOAT, 4, 2, 0, ""},
                           {true, false, WW_DOUBLE, 2, 1, 2, ""},
                           {true, true, WW_FLOAT, 2, 1, 1, "default form.profile 3\n"}};
enum { JOBS = sizeof jobs / sizeof *jobs };

static double *make(size_t length, size_t channels, int what) {
    double *x = malloc(length * channels * sizeof *x), at = 0;
    for (size_t t = 0; t < length * channels; t++) {
        at += wwt_random();
        x[t] = what == 2 ? (double)wwt_random_size(0, 1) : at;
        if (what == 1 && t % 150 > 90)
            x[t] = t % 300 > 150 ? 3 : x[t - 1];
        if (what == 1 && t % 331 == 330)
            x[t] = NAN;
    }
    return x;
}

typedef struct lists {
    double *distances[LISTS];
    int64_t *indices[LISTS];
    size_t count;
} lists;

static lists lists_make(size_t count) {
    lists l = {.count = count};
    for (int i = 0; i < LISTS; i++) {
        l.distances[i] = malloc(count * sizeof(double));
        l.indices[i] = malloc(count * sizeof(int64_t));
    }
    return l;
}

static void lists_free(lists *l) {
    for (int i = 0; i < LISTS; i++) {
        free(l->distances[i]);
        free(l->indices[i]);
    }
}

static ww_profile_output output_of(const lists *l, bool left_right) {
    ww_profile_output to = WW_PROFILE_OUTPUT_INIT;
    to.distances = l->distances[0];
    to.indices = l->indices[0];
    to.left_distances = left_right ? l->distances[1] : NULL;
    to.left_indices = left_right ? l->indices[1] : NULL;
    to.right_distances = left_right ? l->distances[2] : NULL;
    to.right_indices = left_right ? l->indices[2] : NULL;
    return to;
}

static void join(const job *j, size_t windows, lists *joined, const lists *own) {
    for (int i = 0; i < (j->left_right ? LISTS : 1); i++)
        wwt_ok(ww_neighbours_merge(windows, j->k, WW_DOUBLE, 0, joined->indices[i], joined->distances[i],
                                   own->indices[i], own->distances[i]));
}

static void check_same(const job *j, lists *joined, const lists *wanted) {
    for (int i = 0; i < (j->left_right ? LISTS : 1); i++) {
        for (size_t t = 0; t < joined->count; t++)
            joined->distances[i][t] = sqrt(joined->distances[i][t]);
        ck_assert_mem_eq(joined->indices[i], wanted->indices[i], joined->count * sizeof(int64_t));
        ck_assert_mem_eq(joined->distances[i], wanted->distances[i], joined->count * sizeof(double));
    }
}

// Loops: the jobs.
START_TEST(bytes_of_the_whole) {
    const job *j = &jobs[_i];
    const size_t cuts[][6] = {{0}, {0, 1}, {0, 333, 680}, {0, 100, 101, 500}, {0, 64, 257, 300, 411}};
    if (j->precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    wwt_seed((unsigned)_i);
    ww_context *context = wwt_context_tuned(j->tuning);
    double *x = make(POINTS, j->channels, j->what), *y = make(OTHERS, j->channels, j->what);
    ww_series_view own = WW_SERIES_VIEW_INIT, other;
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile *profile = NULL;
    own.values = x;
    own.precision = WW_DOUBLE;
    own.count = 1;
    own.channels = j->channels;
    own.length = POINTS;
    other = own;
    other.values = y;
    other.length = OTHERS;
    options.k = j->k;
    options.left_right = j->left_right;
    options.precision = j->precision;
    wwt_ok(ww_profile_create(context, &own, 0, j->self ? NULL : &other, 0, WINDOW, &options, &profile));
    const size_t windows = POINTS - WINDOW + 1, others = j->self ? windows : OTHERS - WINDOW + 1;
    lists wanted = lists_make(windows * j->k), joined = lists_make(windows * j->k), part = lists_make(windows * j->k);
    ww_profile_output to = output_of(&wanted, j->left_right), of_part = output_of(&part, j->left_right),
                      of_joined = output_of(&joined, j->left_right);
    wwt_ok(ww_profile_run(profile, &to));
    ck_assert(wanted.indices[0][5] >= 0);
    for (size_t n = 0; n < 5; n++) {
        wwt_ok(ww_profile_run_rectangle(profile, 7, 0, 0, others, &of_joined)); // nothing
        for (size_t a = 0; a <= n; a++)
            for (size_t b = j->self ? a : 0; b <= n; b++) {
                const size_t row_end = a < n ? cuts[n][a + 1] : windows;
                size_t column = cuts[n][b], column_end = b < n ? cuts[n][b + 1] : others;
                if (!j->self) {
                    column = column * others / windows;
                    column_end = b < n ? column_end * others / windows : others;
                }
                // Of every other division what was found before is in the lists, and leaves out candidates.
                wwt_ok((n % 2 ? ww_profile_add_rectangle : ww_profile_run_rectangle)(
                    profile, cuts[n][a], row_end - cuts[n][a], column, column_end - column, &of_part));
                join(j, windows, &joined, &part);
            }
        check_same(j, &joined, &wanted);
        if (n % 2)
            check_same(j, &part, &wanted);
    }
    // Rectangles across the diagonal, and below it: together every pair.
    wwt_ok(ww_profile_run_rectangle(profile, 0, 400, 0, others, &of_joined));
    wwt_ok(ww_profile_run_rectangle(profile, 399, windows - 399, 0, others, &of_part));
    join(j, windows, &joined, &part);
    check_same(j, &joined, &wanted);
    if (j->self) {
        wwt_ok(ww_profile_run_rectangle(profile, 300, windows - 300, 0, 500, &of_joined));
        wwt_ok(ww_profile_run_rectangle(profile, 0, 300, 0, 300, &of_part));
        join(j, windows, &joined, &part);
        wwt_ok(ww_profile_run_rectangle(profile, 500, windows - 500, 500, windows - 500, &of_part));
        join(j, windows, &joined, &part);
        check_same(j, &joined, &wanted);
    }
    wwt_fails(ww_profile_run_rectangle(profile, 0, windows + 1, 0, 1, &of_part), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_run_rectangle(profile, windows, 1, 0, 1, &of_part), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_run_rectangle(profile, 0, 1, 1, others, &of_part), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_run_rectangle(profile, 0, 1, SIZE_MAX, 2, &of_part), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_run_rectangle(NULL, 0, 1, 0, 1, &of_part), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_add_rectangle(profile, 1, SIZE_MAX, 0, 1, &of_part), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_add_rectangle(NULL, 0, 1, 0, 1, &of_part), WW_ERROR_INVALID_ARGUMENT);
    wwt_ok(ww_profile_run(profile, &of_joined));
    ck_assert_mem_eq(joined.distances[0], wanted.distances[0], joined.count * sizeof(double));
    lists_free(&part);
    lists_free(&joined);
    lists_free(&wanted);
    ww_profile_destroy(&profile);
    free(y);
    free(x);
    ww_context_destroy(&context);
}
END_TEST

// A series that is pushed in pieces, and what is refused.
START_TEST(streams) {
    enum { PUSHED = 300, WINDOWS = PUSHED - WINDOW + 1 };
    static const size_t ends[] = {10, 16, 17, 140, PUSHED};
    double x[PUSHED], distances[WINDOWS], whole[WINDOWS], curve[WINDOWS];
    int64_t indices[WINDOWS], whole_indices[WINDOWS], place;
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile_output to = WW_PROFILE_OUTPUT_INIT;
    ww_profile_stream *stream = NULL;
    size_t found;
    ww_context *context = wwt_context_tuned("");
    wwt_seed(40);
    for (size_t t = 0; t < PUSHED; t++)
        x[t] = t % 90 > 60 ? 3 : wwt_random();
    options.precision = _i ? WW_FLOAT : wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    options.p = _i;
    wwt_ok(ww_profile_stream_create(context, 1, WINDOW, 0, &options, &stream));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        wwt_ok(ww_profile_stream_push(stream, x + ww_profile_stream_points(stream),
                                      ends[i] - (size_t)ww_profile_stream_points(stream)));
    ck_assert_uint_eq(ww_profile_stream_windows(stream), WINDOWS);
    to.distances = distances;
    to.indices = indices;
    wwt_ok(ww_profile_stream_get(stream, &to));
    const ww_series_view view = wwt_view_of(x, PUSHED, 1);
    wwt_ok(ww_profile_find(context, &view, NULL, WINDOW, &options, whole, whole_indices));
    ck_assert(memcmp(distances, whole, sizeof whole) == 0 && memcmp(indices, whole_indices, sizeof indices) == 0);
    to.left_indices = indices;
    wwt_fails(ww_profile_stream_get(stream, &to), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_stream_push(stream, NULL, 1), WW_ERROR_INVALID_ARGUMENT);
    wwt_ok(ww_profile_stream_push(stream, NULL, 0));
    ww_profile_stream_destroy(&stream);
    wwt_fails(ww_profile_stream_create(context, 1, 2, 0, &options, &stream), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_stream_create(context, 1, WINDOW, WINDOW + 4, &options, &stream), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_stream_create(context, 0, WINDOW, 0, &options, &stream), WW_ERROR_EMPTY);
    wwt_fails(ww_profile_get_arcs(WINDOWS, 0, indices, 0, WINDOW, 0, curve), WW_ERROR_INVALID_ARGUMENT);
    wwt_ok(ww_profile_get_arcs(WINDOWS, 1, indices, 0, WINDOW, 0, curve));
    wwt_ok(ww_profile_find_regimes(WINDOWS, curve, WINDOW, 1, &place, &found));
    for (size_t t = 0; t < WINDOWS; t++)
        ck_assert(curve[t] <= 1 && (found == 0 || curve[t] >= curve[place]));
    ww_context_destroy(&context);
}
END_TEST

// ---- consensus

enum { SERIES = 4 };

typedef struct consensus_job {
    double p;
    size_t count, channels, more; // more: points of each series, in which there is a common shape twice
    int what;
    ww_precision precision;
} consensus_job;

static const consensus_job consensus_jobs[] = {{0, SERIES, 1, 0, 0, WW_FLOAT},
                                               {0, SERIES, 1, 0, 0, WW_DOUBLE},
                                               {0, 3, 2, 0, 1, WW_FLOAT},
                                               {1, SERIES, 1, 0, 0, WW_FLOAT},
                                               {(double)INFINITY, 3, 2, 0, 1, WW_FLOAT},
                                               {0, 2, 1, 0, 0, WW_FLOAT},
                                               {0, SERIES, 1, 600, 0, WW_FLOAT},
                                               {2, 3, 1, 500, 1, WW_FLOAT}};
enum { CONSENSUS_JOBS = sizeof consensus_jobs / sizeof *consensus_jobs };

START_TEST(consensus) {
    size_t lengths[SERIES] = {90, 61, 120, WINDOW + 2};
    const consensus_job *j = &consensus_jobs[_i];
    ww_context *context = wwt_context_tuned("");
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    double *series[SERIES], distances[SERIES], radius = -1;
    int64_t windows[SERIES];
    size_t of = SERIES;
    wwt_seed(300 + (unsigned)_i);
    for (size_t i = 0; i < SERIES; i++) {
        series[i] = make(lengths[i] += j->more, j->channels, j->what);
        for (size_t t = 0; t < WINDOW && j->more > 0; t++) {
            series[i][20 + t] = (double)(t * t % 11) + 0.01 * wwt_random();
            series[i][j->more - 50 + t] = (double)(t * t % 11) + 0.01 * wwt_random();
        }
    }
    view.precision = WW_DOUBLE;
    view.series = (const void *const *)series;
    view.count = j->count;
    view.channels = j->channels;
    view.lengths = lengths;
    options.p = j->p;
    options.precision = j->precision;
    if (j->precision == WW_FLOAT || wwt_device_has_double()) {
        const wwr_consensus right =
            wwr_profile_consensus((const double *const *)series, lengths, j->count, WINDOW, j->channels, j->p);
        wwt_ok(ww_profile_find_consensus(context, &view, WINDOW, &options, &of, &radius, windows, distances));
        ck_assert_double_eq_tol(radius, right.radius, 1e-9);
        ck_assert_uint_eq(of, right.of);
        for (size_t b = 0; b < j->count; b++) {
            ck_assert_int_eq(windows[b], right.windows[b]);
            ck_assert_double_eq_tol(distances[b], right.distances[b], 1e-9);
        }
        wwt_ok(ww_profile_find_consensus(context, &view, WINDOW, &options, &of, &radius, NULL, NULL));
        ck_assert(of == right.of && fabs(radius - right.radius) <= 1e-9);
    }
    for (size_t i = 0; i < SERIES; i++)
        free(series[i]);
    ww_context_destroy(&context);
}
END_TEST

START_TEST(consensus_refusals) {
    double x[3 * 40], radius;
    size_t of;
    ww_context *context = wwt_context_tuned("");
    ww_series_view view = WW_SERIES_VIEW_INIT;
    wwt_seed(9);
    for (size_t t = 0; t < 3 * 40; t++)
        x[t] = t < 80 ? wwt_random() : t % 5 ? 1 : NAN; // no window of the last has all values
    view.values = x;
    view.precision = WW_DOUBLE;
    view.count = 3;
    view.length = 40;
    for (int i = 0; i < 9; i++) {
        ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
        options.k = i == 1 ? 2 : 1;
        options.left_right = i == 2;
        options.share = i == 3 ? 0.5 : i == 4 ? -1 : 0;
        options.flat = i == 5 ? (const unsigned char *)"flat" : NULL;
        view.count = i == 6 ? 1 : 3;
        wwt_fails(ww_profile_find_consensus(context, &view,
                                            i == 7   ? 41
                                            : i == 8 ? 2
                                                     : 6,
                                            &options, &of, &radius, NULL, NULL),
                  WW_ERROR_INVALID_ARGUMENT);
    }
    view.count = 2;
    wwt_ok(ww_profile_find_consensus(context, &view, 6, NULL, &of, &radius, NULL, NULL));
    wwt_ok(ww_profile_find_consensus(context, &view, 40, NULL, &of, &radius, NULL, NULL)); // a window of each series
    ck_assert(of == 0 && radius > 0);
    wwt_fails(ww_profile_find_consensus(context, &view, 6, NULL, NULL, &radius, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_find_consensus(context, NULL, 6, NULL, &of, &radius, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_context_destroy(&context);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("profile_parts");
    wwt_add(suite, bytes_of_the_whole, JOBS);
    wwt_add(suite, streams, 2);
    wwt_add(suite, consensus, CONSENSUS_JOBS);
    wwt_add(suite, consensus_refusals, 1);
    return wwt_run(suite);
}
