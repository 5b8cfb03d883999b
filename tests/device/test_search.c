// SPDX-License-Identifier: Apache-2.0
// Searches against brute force over every window and every end: measures, channels, bands, gaps, blocks, bounds;
// planted patterns; refusals.
#include "search_subjects.h"

// Every place by brute force; in one block and in small ones; with and without bounds, bit for bit.
START_TEST(brute_force) {
    const subject *s = &subjects[_i];
    wwt_set queries, streams;
    wwt_seed(9100 + (unsigned)_i);
    make_sets(s, &queries, &streams);
    const ww_measure measure = measure_of(s);
    const size_t count = QUERIES * s->k;
    ww_match *whole = calloc(count, sizeof *whole), *parts = calloc(count, sizeof *parts);
    size_t found[QUERIES];
    const int precisions = s == &subjects[0] || s->kind == WW_SEARCH_OPEN ? wwt_precision_count() : 1;
    for (int precision = 0; precision < precisions; precision++) {
        run_subject(s, precision ? WW_DOUBLE : WW_FLOAT, 0, true, whole, &queries, &streams, found);
        for (size_t q = 0; q < QUERIES; q++)
            compare(s, &measure, &queries, q, &streams, whole + q * s->k, found[q], precision ? 1e-11 : 2e-5);
        run_subject(s, precision ? WW_DOUBLE : WW_FLOAT, 0, false, parts, &queries, &streams, found);
        ck_assert_msg(memcmp(whole, parts, count * sizeof *whole) == 0, "%s: other matches without bounds", s->measure);
        run_subject(s, precision ? WW_DOUBLE : WW_FLOAT, s->kind == WW_SEARCH_OPEN ? 9000 : 12000, true, parts,
                    &queries, &streams, found);
        ck_assert_msg(memcmp(whole, parts, count * sizeof *whole) == 0, "%s: other matches in small blocks",
                      s->measure);
    }
    free(parts);
    free(whole);
    wwt_set_free(&streams);
    wwt_set_free(&queries);
}
END_TEST

// What a search with open ends means: the least distance of the query to a part of the stream, over all parts, by the
// closed measure. Edit distances also have the empty part.
START_TEST(parts_of_a_stream) {
    static const char *const measures[] = {"dtw", "adtw", "frechet", "edr", "levenshtein", "erp", "msm", "msm"};
    static const size_t query_length = 13, stream_length = 70;
    const size_t channels = _i == 7 ? 2 : 1; // of MSM the channels together
    const bool empty = _i >= 3 && _i <= 5;
    const subject s = {OPEN(measures[_i], channels), .k = 70, .channels_are = TOGETHER};
    const ww_measure measure = measure_of(&s);
    ww_match matches[70];
    size_t found = 0;
    wwt_seed(9200 + (unsigned)_i);
    wwt_set queries = walks(channels, &query_length, 1, _i == 4), streams = walks(channels, &stream_length, 1, _i == 4);
    run_subject(&s, WW_FLOAT, 0, true, matches, &queries, &streams, &found);
    ck_assert_uint_eq(found, stream_length);
    const wwr_series x = wwt_series(&queries, 0), y = wwt_series(&streams, 0);
    const double none = deleted(&measure, &x);
    for (size_t m = 0; m < found; m++) {
        double least = empty ? none : INFINITY;
        for (size_t begin = 0; begin < (size_t)matches[m].end; begin++) {
            const ww_match part = {0, (int64_t)begin, matches[m].end, 0};
            least = fmin(least, distance_of(&s, &measure, &x, &y, &part));
        }
        ck_assert_msg(fabs(matches[m].distance - least) <= 2e-5 * (1 + least), "%s, end %ld: %.9g, of all parts %.9g",
                      s.measure, (long)matches[m].end, matches[m].distance, least);
        const double own = distance_of(&s, &measure, &x, &y, &matches[m]);
        ck_assert_msg(fabs(matches[m].distance - own) <= 2e-5 * (1 + own), "%s, %ld to %ld: %.9g, closed %.9g",
                      s.measure, (long)matches[m].begin, (long)matches[m].end, matches[m].distance, own);
    }
    wwt_set_free(&streams);
    wwt_set_free(&queries);
}
END_TEST

// A pattern in noise, with another offset and scale, and warped: found where it was planted, with numbers so large that
// sums of their squares have no digits left for the deviation.
START_TEST(planted) {
    enum { N = 50, LENGTH = 3000, PLACES = 3 };
    static const size_t places[PLACES] = {700, 1500, 2600};
    static const double offsets[PLACES] = {1e5, -3e5, 20}, scales[PLACES] = {40, 0.5, 7};
    double query[N], *stream = malloc(LENGTH * sizeof *stream);
    ww_series_view q = WW_SERIES_VIEW_INIT, t = WW_SERIES_VIEW_INIT;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_search *search = NULL;
    ww_match matches[PLACES];
    ww_measure measure;
    size_t found = 0;
    if (_i && !wwt_device_has_double()) {
        free(stream);
        return;
    }
    wwt_seed(9300);
    for (size_t i = 0; i < LENGTH; i++)
        stream[i] = 50 * wwt_random();
    for (size_t i = 0; i < N; i++)
        query[i] = sin(0.2 * (double)i) + (i > 30 ? 1.5 : 0);
    for (size_t p = 0; p < PLACES; p++)
        for (size_t i = 0; i < N; i++) {
            const double at = (double)i + 1.5 * sin(6.2831853 * (double)i / N); // up to 1.5 points early or late
            stream[places[p] + i] =
                offsets[p] + scales[p] * (sin(0.2 * at) + (at > 30 ? 1.5 : 0)) + 1e-3 * wwt_random();
        }
    q.values = query;
    t.values = stream;
    q.precision = t.precision = WW_DOUBLE;
    q.count = t.count = 1;
    q.length = N;
    t.length = LENGTH;
    wwt_ok(ww_measure_init(&measure, sizeof measure, WW_DTW));
    measure.band = (ww_band){WW_BAND_SAKOE_CHIBA, 4, NULL, NULL, 0};
    options.kind = WW_SEARCH_WINDOWS;
    options.znormalise = 1;
    options.k = PLACES;
    options.precision = _i ? WW_DOUBLE : WW_FLOAT;
    wwt_ok(ww_search_create(wwt_context, &measure, &q, &options, &search));
    wwt_ok(ww_search_run(search, &t, matches, &found));
    ck_assert_uint_eq(found, PLACES);
    for (size_t p = 0; p < PLACES; p++) {
        bool there = false;
        for (size_t i = 0; i < PLACES; i++)
            there |= matches[i].begin >= (int64_t)places[p] - 2 && matches[i].begin <= (int64_t)places[p] + 2;
        ck_assert_msg(there, "the pattern at %zu is not found", places[p]);
    }
    ww_search_destroy(&search);
    free(stream);
}
END_TEST

// ---- what is refused, and what is nothing

static ww_status create(ww_measure_id id, const double *query, size_t length, const ww_search_options *options,
                        ww_band_kind band, size_t relax_begin_y) {
    ww_series_view q = WW_SERIES_VIEW_INIT;
    ww_search *search = NULL;
    ww_measure measure;
    wwt_ok(ww_measure_init(&measure, sizeof measure, id));
    measure.band.kind = band;
    measure.band.width = band == WW_BAND_NONE ? 0 : 2;
    measure.relax_begin_y = relax_begin_y;
    q.values = query;
    q.precision = WW_DOUBLE;
    q.count = 1;
    q.length = length;
    const ww_status status = ww_search_create(wwt_context, &measure, &q, options, &search);
    ww_search_destroy(&search);
    return status;
}

START_TEST(refusals) {
    const double query[4] = {0, 1, 2, 1}, bad[4] = {0, NAN, 2, 1};
    ww_search_options open = WW_SEARCH_OPTIONS_INIT, windows = WW_SEARCH_OPTIONS_INIT, wrong = WW_SEARCH_OPTIONS_INIT;
    windows.kind = WW_SEARCH_WINDOWS;
    ck_assert_int_eq(create(WW_DTW, bad, 4, &open, WW_BAND_NONE, 0), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(create(WW_DTW, query, 0, &open, WW_BAND_NONE, 0), WW_ERROR_EMPTY);
    ck_assert_int_eq(create(WW_DDTW, query, 2, &open, WW_BAND_NONE, 0), WW_ERROR_EMPTY);
    static const ww_measure_id meaningless[] = {WW_WDTW, WW_WDDTW, WW_TWED, WW_LCSS, WW_LCS};
    static const char *const reasons[] = {"which is not known", "which is not known", "which is not known",
                                          "the whole stream", "the whole stream"};
    for (size_t i = 0; i < sizeof meaningless / sizeof *meaningless; i++) {
        ck_assert_int_eq(create(meaningless[i], query, 4, &open, WW_BAND_NONE, 0), WW_ERROR_UNSUPPORTED);
        ck_assert_msg(strstr(ww_last_error()->message, reasons[i]), "%s", ww_last_error()->message);
    }
    ck_assert_int_eq(create(WW_DTW, query, 4, &open, WW_BAND_SAKOE_CHIBA, 0), WW_ERROR_UNSUPPORTED);
    ck_assert_int_eq(create(WW_DTW, query, 4, &open, WW_BAND_NONE, 3), WW_ERROR_UNSUPPORTED);
    ck_assert_int_eq(create(WW_DTW, query, 4, &windows, WW_BAND_NONE, 3), WW_ERROR_UNSUPPORTED);
    wrong.k = 0;
    ck_assert_int_eq(create(WW_DTW, query, 4, &wrong, WW_BAND_NONE, 0), WW_ERROR_INVALID_ARGUMENT);
    wrong = open;
    wrong.znormalise = 1;
    ck_assert_int_eq(create(WW_DTW, query, 4, &wrong, WW_BAND_NONE, 0), WW_ERROR_UNSUPPORTED);
    wrong = open;
    wrong.kind = (ww_search_kind)7;
    ck_assert_int_eq(create(WW_DTW, query, 4, &wrong, WW_BAND_NONE, 0), WW_ERROR_INVALID_ARGUMENT);
    ww_search_stream *stream = NULL;
    ww_series_view q = WW_SERIES_VIEW_INIT;
    ww_measure measure;
    wwt_ok(ww_measure_init(&measure, sizeof measure, WW_DTW));
    q.values = query;
    q.precision = WW_DOUBLE;
    q.count = 1;
    q.length = 4;
    ck_assert_int_eq(ww_search_stream_create(wwt_context, &measure, &q, &open, &stream), WW_ERROR_INVALID_ARGUMENT);

    // A stream shorter than the query has no window; one of missing points has no match; k may be more than there are;
    // exclusion 0; and with more matches than a list on the device holds nothing is lost.
    ww_search *search = NULL;
    ww_match matches[8];
    size_t found = 9;
    const double few[3] = {0, 1, 2}, missing[5] = {NAN, NAN, INFINITY, NAN, NAN};
    ww_series_view t = q;
    windows.k = 8;
    windows.exclusion = 0;
    wwt_ok(ww_search_create(wwt_context, &measure, &q, &windows, &search));
    t.values = few;
    t.length = 3;
    wwt_ok(ww_search_run(search, &t, matches, &found));
    ck_assert_uint_eq(found, 0);
    ck_assert(matches[0].stream == -1);
    t.values = missing;
    t.length = 5;
    wwt_ok(ww_search_run(search, &t, matches, &found));
    ck_assert_uint_eq(found, 0);
    t.values = query;
    t.length = 4;
    wwt_ok(ww_search_run(search, &t, matches, &found));
    ck_assert_uint_eq(found, 1);
    ck_assert(matches[0].distance == 0 && matches[0].begin == 0 && matches[0].end == 4);
    double *flat = calloc(20000, sizeof *flat);
    t.values = flat;
    t.length = 20000;
    wwt_ok(ww_search_run(search, &t, matches, &found));
    ck_assert_uint_eq(found, 8);
    for (size_t i = 0; i < 8; i++)
        ck_assert(matches[i].begin == (int64_t)i && matches[i].distance == 6);
    t.channels = 2;
    t.length = 100;
    ck_assert_int_eq(ww_search_run(search, &t, matches, &found), WW_ERROR_CHANNELS);
    free(flat);
    ww_search_destroy(&search);
}
END_TEST

static int stop(void *user, uint64_t done, uint64_t total) {
    if (total <= 1) // a compile, before the work is counted
        return 0;
    (void)done;
    return ++*(int *)user >= 1;
}

START_TEST(cancelled) {
    const double query[4] = {0, 1, 2, 1};
    double *values = calloc(9000, sizeof *values);
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_series_view q = WW_SERIES_VIEW_INIT, t;
    ww_search *search = NULL;
    ww_match match;
    ww_measure measure;
    int calls = 0;
    run.progress = stop;
    run.progress_user = &calls;
    options.run = &run;
    options.kind = WW_SEARCH_WINDOWS;
    wwt_ok(ww_measure_init(&measure, sizeof measure, WW_DTW));
    q.values = query;
    q.precision = WW_DOUBLE;
    q.count = 1;
    q.length = 4;
    t = q;
    t.values = values;
    t.length = 9000;
    wwt_ok(ww_search_create(wwt_context, &measure, &q, &options, &search));
    ck_assert_int_eq(ww_search_run(search, &t, &match, NULL), WW_ERROR_CANCELLED);
    ck_assert_int_eq(calls, 1);
    ww_search_destroy(&search);
    free(values);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("search");
    wwt_add(suite, brute_force, SUBJECTS);
    wwt_add(suite, parts_of_a_stream, 8);
    wwt_add(suite, planted, 2);
    wwt_add(suite, refusals, 1);
    wwt_add(suite, cancelled, 1);
    return wwt_run(suite);
}
