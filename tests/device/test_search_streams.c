// SPDX-License-Identifier: Apache-2.0
// Streams that are read and pushed, in pieces of any size and as one; a function that asks to stop loses no match.
#include <stdio.h>

#include "search_subjects.h"

typedef struct reader {
    const double *values;
    size_t length, channels;
    int calls, fails_at; // -1: never
} reader;

static int read_points(void *user, uint64_t first, size_t count, void *values) {
    reader *r = user;
    if (r->calls++ == r->fails_at)
        return 1;
    for (size_t t = 0; t < count; t++)
        for (size_t c = 0; c < r->channels; c++)
            ((double *)values)[t * r->channels + c] = r->values[c * r->length + first + t];
    return 0;
}

typedef struct reported {
    size_t query, pushed; // points pushed before it came
    ww_match match;
} reported;

typedef struct collector {
    reported list[512];
    size_t count, pushed;
} collector;

static int collect(void *user, size_t query, const ww_match *match) {
    collector *c = user;
    ck_assert_uint_lt(c->count, sizeof c->list / sizeof *c->list);
    c->list[c->count++] = (reported){query, c->pushed, *match};
    return 0;
}

static const size_t pushed_subjects[] = {0, 12, 16, 20}; // of `subjects`

// A stream that a function reads gives what the same stream in memory gives; and pushed in parts it gives every place
// that is the best of its surroundings, within the delay.
START_TEST(in_pieces) {
    const subject *s = &subjects[pushed_subjects[_i]];
    const ww_measure measure = measure_of(s);
    const size_t length = 700;
    wwt_seed(9400 + (unsigned)_i);
    wwt_set queries = walks(s->channels, query_lengths, QUERIES, false), stream = walks(s->channels, &length, 1, false);
    stream.values[333] = NAN;
    ww_match *whole = calloc(QUERIES * s->k, sizeof *whole), *read = calloc(QUERIES * s->k, sizeof *read);
    size_t found[QUERIES];
    run_subject(s, WW_FLOAT, 0, true, whole, &queries, &stream, found);

    ww_search *search = NULL;
    ww_search_options options = options_of(s, WW_FLOAT);
    ww_search_source source = WW_SEARCH_SOURCE_INIT;
    reader r = {stream.values, length, s->channels, 0, -1};
    const ww_series_view q = wwt_view(&queries);
    source.length = length;
    source.channels = s->channels;
    source.precision = WW_DOUBLE;
    source.read = read_points;
    source.user = &r;
    wwt_ok(ww_search_create(wwt_context, &measure, &q, &options, &search));
    wwt_ok(ww_search_run_source(search, &source, read, NULL));
    ck_assert(memcmp(whole, read, QUERIES * s->k * sizeof *whole) == 0);
    r = (reader){stream.values, length, s->channels, 0, 0};
    ck_assert_int_eq(ww_search_run_source(search, &source, read, NULL), WW_ERROR_IO);
    ww_search_destroy(&search);

    // The threshold is the k-th match of the longest query.
    const double threshold = whole[4 * s->k - 1].distance;
    ww_search_stream *pushed = NULL;
    collector *got = calloc(1, sizeof *got);
    options.has_threshold = 1;
    options.threshold = threshold;
    wwt_ok(ww_search_stream_create(wwt_context, &measure, &q, &options, &pushed));
    for (size_t at = 0, part; at < length; at += part) {
        part = wwt_random_size(1, 90);
        part = part < length - at ? part : length - at;
        got->pushed = at + part;
        wwt_ok(ww_search_stream_push(pushed, stream.values + at, WW_DOUBLE, part, collect, got));
    }
    got->pushed = SIZE_MAX;
    wwt_ok(ww_search_stream_finish(pushed, collect, got));
    size_t expected = 0;
    for (size_t i = 0; i < QUERIES; i++) {
        const wwr_series x = wwt_series(&queries, i), y = wwt_series(&stream, 0);
        const size_t exclusion = s->exclusion == WW_SEARCH_HALF ? (x.length + 1) / 2 : s->exclusion;
        double values[700];
        for (size_t p = 0; p < length; p++)
            values[p] = INFINITY;
        if (s->kind == WW_SEARCH_WINDOWS)
            wwr_search_windows(&measure, &x, &y, s->znormalise, values);
        else
            wwr_search_ends(&measure, &x, &y, values);
        ck_assert_uint_eq(ww_search_stream_delay(pushed, i), exclusion - 1);
        for (size_t p = 0; p < length; p++) {
            bool best = values[p] <= threshold * (1 + 1e-4);
            for (size_t o = p > exclusion - 1 ? p - exclusion + 1 : 0; best && o < p + exclusion && o < length; o++)
                best = o == p || values[o] > values[p] || (values[o] == values[p] && o > p);
            size_t k = 0;
            for (; k < got->count; k++)
                if (got->list[k].query == i && got->list[k].match.begin >= 0 &&
                    (size_t)(s->kind == WW_SEARCH_WINDOWS ? got->list[k].match.begin : got->list[k].match.end - 1) == p)
                    break;
            ck_assert_msg((k < got->count) == best || fabs(values[p] - threshold) < 1e-3 * threshold,
                          "%s: query %zu, place %zu: reported %d, expected %d", s->measure, i, p, k < got->count, best);
            if (k == got->count)
                continue;
            expected++;
            ck_assert(fabs(got->list[k].match.distance - values[p]) <= 2e-5 * (1 + values[p]));
            // Parts have up to 90 points.
            ck_assert(got->list[k].pushed == SIZE_MAX ||
                      got->list[k].pushed < (size_t)got->list[k].match.end + exclusion + 90);
            if (s->kind == WW_SEARCH_OPEN) {
                const double own = distance_of(s, &measure, &x, &y, &got->list[k].match);
                ck_assert_msg(fabs(own - values[p]) <= 2e-5 * (1 + own), "query %zu, %ld to %ld: %g, closed %g", i,
                              (long)got->list[k].match.begin, (long)got->list[k].match.end, values[p], own);
            }
        }
    }
    ck_assert_uint_ge(expected, s->k);
    ck_assert_uint_eq(expected, got->count);
    ck_assert_int_eq(ww_search_stream_push(pushed, stream.values, WW_DOUBLE, 1, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_search_stream_destroy(&pushed);
    free(got);
    free(read);
    free(whole);
    wwt_set_free(&stream);
    wwt_set_free(&queries);
}
END_TEST

// Whole streams in the queries: the other way round.
START_TEST(supersequence) {
    static const size_t longs[] = {120, 90}, shorts[] = {20, 33, 12};
    wwt_seed(9500);
    wwt_set queries = walks(1, longs, 2, false), streams = walks(1, shorts, 3, false);
    const subject s = {.measure = "dtw", .kind = WW_SEARCH_SUPER, .k = 4, .exclusion = 10, .channels = 1};
    const ww_measure measure = measure_of(&s);
    ww_match matches[8];
    size_t found[2];
    run_subject(&s, WW_FLOAT, 0, true, matches, &queries, &streams, found);
    for (size_t q = 0; q < 2; q++) {
        const wwr_series query = wwt_series(&queries, q);
        double wanted[12];
        size_t count = 0;
        for (size_t i = 0; i < 3; i++) {
            const wwr_series stream = wwt_series(&streams, i);
            double values[120];
            size_t places[4];
            wwr_search_ends(&measure, &stream, &query, values);
            const size_t own = wwr_search_choose(values, query.length, 10, 4, 0, places);
            for (size_t p = 0; p < own; p++)
                wanted[count++] = values[places[p]];
        }
        ck_assert_uint_eq(found[q], 4);
        for (size_t p = 0; p < 4; p++) {
            size_t least = p;
            for (size_t i = p + 1; i < count; i++)
                least = wanted[i] < wanted[least] ? i : least;
            const double value = wanted[least];
            wanted[least] = wanted[p];
            const ww_match *m = &matches[4 * q + p];
            ck_assert(fabs(m->distance - value) <= 2e-5 * (1 + value));
            const wwr_series stream = wwt_series(&streams, (size_t)m->stream);
            ck_assert(fabs(distance_of(&s, &measure, &stream, &query, m) - value) <= 2e-5 * (1 + value));
        }
    }
    wwt_set_free(&streams);
    wwt_set_free(&queries);
}
END_TEST

// dtaidistance's documented example of a subsequence search (its values are root distances divided by the length), and
// tslearn's definition of subsequence DTW, by the textbook reference.
START_TEST(documented) {
    const double query[] = {1, 2, 0}, series[] = {1, 0, 1, 2, 1, 0, 2, 0, 3, 0, 0};
    ww_series_view q = WW_SERIES_VIEW_INIT, t = WW_SERIES_VIEW_INIT;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_search *search = NULL;
    ww_match matches[3];
    ww_measure measure;
    double values[11];
    size_t places[3], found;
    const wwr_series x = {query, 3, 1}, y = {series, 11, 1};
    q.values = query;
    t.values = series;
    q.precision = t.precision = WW_DOUBLE;
    q.count = t.count = 1;
    q.length = 3;
    t.length = 11;
    wwt_ok(ww_measure_init(&measure, sizeof measure, WW_DTW));
    measure.root = 1;
    options.k = 3;
    options.exclusion = 2;
    wwt_ok(ww_search_create(wwt_context, &measure, &q, &options, &search));
    wwt_ok(ww_search_run(search, &t, matches, &found));
    wwr_search_ends(&measure, &x, &y, values);
    ck_assert_uint_eq(found, wwr_search_choose(values, 11, 2, 3, 0, places));
    for (size_t i = 0; i < found; i++) {
        ck_assert_int_eq(matches[i].end, (int64_t)places[i] + 1);
        ck_assert(fabs(matches[i].distance - values[places[i]]) < 1e-6);
    }
    // 1, 0 is as good as 1, 2, 1, 0, and ends first.
    ck_assert_int_eq(matches[0].begin, 0);
    ck_assert_int_eq(matches[0].end, 2);
    ck_assert(matches[0].distance == 1);
    ww_search_destroy(&search);
}
END_TEST

static int collect_and_stop(void *user, size_t query, const ww_match *match) {
    (void)collect(user, query, match);
    return 1;
}

// A function that asks to stop after each match gets all of them, each once: with the next call, or at the end.
START_TEST(a_stopped_push_loses_nothing) {
    static double values[600];
    const double query[4] = {0, 3, 0, 3};
    static collector quiet, stopped;
    ww_measure measure;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_series_view q = WW_SERIES_VIEW_INIT;
    wwt_seed(41);
    for (size_t i = 0; i < 600; i++)
        values[i] = 4 * wwt_random();
    options.kind = _i ? WW_SEARCH_WINDOWS : WW_SEARCH_OPEN;
    options.has_threshold = 1;
    options.threshold = 20;
    q.values = query;
    q.precision = WW_DOUBLE;
    q.count = 1;
    q.length = 4;
    wwt_ok(ww_measure_init(&measure, sizeof measure, WW_DTW));
    quiet.count = stopped.count = 0;
    size_t stops = 0;
    for (int stops_often = 0; stops_often < 2; stops_often++) {
        ww_search_stream *stream = NULL;
        wwt_ok(ww_search_stream_create(wwt_context, &measure, &q, &options, &stream));
        for (size_t at = 0; at < 600; at += 100) {
            const ww_status status =
                ww_search_stream_push(stream, values + at, WW_DOUBLE, 100, stops_often ? collect_and_stop : collect,
                                      stops_often ? &stopped : &quiet);
            ck_assert(status == WW_OK || (stops_often && status == WW_ERROR_CANCELLED));
            stops += status != WW_OK;
            ck_assert_uint_eq(ww_search_stream_points(stream), at + 100);
        }
        wwt_ok(ww_search_stream_finish(stream, collect, stops_often ? &stopped : &quiet));
        ww_search_stream_destroy(&stream);
    }
    ck_assert_uint_gt(stops, 2);
    ck_assert_uint_gt(quiet.count, 2 * stops);
    ck_assert_uint_eq(stopped.count, quiet.count);
    for (size_t i = 0; i < quiet.count; i++)
        ck_assert_int_eq(memcmp(&quiet.list[i].match, &stopped.list[i].match, sizeof(ww_match)), 0);
}
END_TEST

// Numbers and parameters whose sums are exact, in float too: what is equal in the textbook has the same bits, and of
// equal places the first is the match.
static const subject exact_subjects[] = {
    {OPEN("dtw", 2), .relax_begin_x = 3},
    {OPEN("adtw", 2), .relax_begin_x = 3, .parameter = "penalty", .value = 0.25},
    {OPEN("ddtw", 1), .relax_begin_x = 2, .cost = WW_COST_ABSOLUTE},
    {OPEN("frechet", 1), .relax_begin_x = 1},
    {OPEN("erp", 1), .parameter = "g", .value = 0.5},
    {OPEN("msm", 1), .parameter = "c", .value = 0.5},
    {OPEN("edr", 2), .relax_begin_x = 2},
    {OPEN("levenshtein", 1), .relax_begin_x = 9},
    {WINDOWS("dtw", false, 2), .band = SAKOE(1)},
    {WINDOWS("msm", false, 1), .parameter = "c", .value = 0.5},
    {WINDOWS("erp", false, 1), .parameter = "g", .value = 0.5},
};
enum { EXACT_SUBJECTS = sizeof exact_subjects / sizeof *exact_subjects, PERIODIC = 130 };

// The query's distance at each place of the stream: its end, or its window's begin.
static void exact_values(const subject *s, const wwr_series *x, const wwr_series *y, double *values) {
    const ww_measure measure = measure_of(s);
    for (size_t p = 0; p < PERIODIC; p++)
        values[p] = INFINITY;
    if (s->kind == WW_SEARCH_WINDOWS) {
        wwr_search_windows(&measure, x, y, 0, values);
    } else if (measure.id != WW_MSM) {
        wwr_search_ends(&measure, x, y, values);
    } else { // the least of all parts that end there (docs/search.md)
        for (size_t p = 0; p < PERIODIC; p++)
            for (size_t begin = 0; begin <= p; begin++) {
                const ww_match part = {0, (int64_t)begin, (int64_t)p + 1, 0};
                values[p] = fmin(values[p], distance_of(s, &measure, x, y, &part));
            }
    }
}

// A stream that repeats itself, of whole numbers and halves; the query is a part of it, or not.
static void make_periodic(const subject *s, size_t n, double *query, double *stream) {
    const size_t period = wwt_random_size(2, 8);
    const double unit = s->measure[0] == 'l' || wwt_random() < 0 ? 1 : 0.5;
    for (size_t c = 0; c < s->channels; c++) {
        for (size_t t = 0; t < PERIODIC; t++)
            stream[c * PERIODIC + t] =
                t < period ? unit * (double)wwt_random_size(0, 3) : stream[c * PERIODIC + t - period];
        for (size_t t = 0; t < n; t++)
            query[c * n + t] = wwt_random() < 0.5 ? stream[c * PERIODIC + t + 3] : unit * (double)wwt_random_size(0, 3);
    }
}

// Pushes the stream in parts, and compares the reported places with the definition.
static void push_exactly(const subject *s, const ww_search_options *options, const wwr_series *x, const wwr_series *y,
                         const double *values) {
    static collector got;
    double points[2 * PERIODIC];
    ww_search_stream *pushed = NULL;
    const ww_measure measure = measure_of(s);
    const ww_series_view q = wwt_view_of(x->values, x->length, x->channels);
    for (size_t t = 0; t < PERIODIC; t++)
        for (size_t c = 0; c < y->channels; c++)
            points[t * y->channels + c] = y->values[c * PERIODIC + t];
    got.count = 0;
    wwt_ok(ww_search_stream_create(wwt_context, &measure, &q, options, &pushed));
    for (size_t at = 0, part; at < PERIODIC; at += part) {
        part = wwt_random_size(1, 70);
        part = part < PERIODIC - at ? part : PERIODIC - at;
        wwt_ok(ww_search_stream_push(pushed, points + at * y->channels, WW_DOUBLE, part, collect, &got));
    }
    wwt_ok(ww_search_stream_finish(pushed, collect, &got));
    size_t taken = 0;
    for (size_t p = 0; p < PERIODIC; p++) {
        bool best = values[p] <= options->threshold;
        for (size_t o = p < options->exclusion ? 0 : p - options->exclusion + 1; o < p + options->exclusion; o++)
            best = best && (o >= PERIODIC || o == p || values[o] > values[p] || (values[o] == values[p] && o > p));
        if (!best)
            continue;
        ck_assert_msg(taken < got.count, "%s: place %zu is not reported", s->measure, p);
        const ww_match *m = &got.list[taken++].match;
        ck_assert_msg((size_t)(s->kind == WW_SEARCH_WINDOWS ? m->begin : m->end - 1) == p && m->distance == values[p],
                      "%s: %ld to %ld at %.17g, not place %zu at %.17g", s->measure, (long)m->begin, (long)m->end,
                      m->distance, p, values[p]);
    }
    ck_assert_uint_eq(taken, got.count);
    ww_search_stream_destroy(&pushed);
}

START_TEST(ties_of_a_periodic_stream) {
    const subject *s = &exact_subjects[_i / 2];
    const ww_precision precision = _i % 2 && wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    wwt_seed(9600 + (unsigned)_i);
    for (int trial = 0; trial < 6; trial++) {
        double query[2 * 8], stream[2 * PERIODIC], values[PERIODIC];
        const size_t n = wwt_random_size(3, 7);
        const wwr_series x = {query, n, s->channels}, y = {stream, PERIODIC, s->channels};
        ww_search_options options = options_of(s, precision);
        make_periodic(s, n, query, stream);
        exact_values(s, &x, &y, values);
        options.k = 1;
        options.exclusion = wwt_random_size(1, 5);
        options.has_threshold = 1;
        options.threshold = values[40 + (size_t)trial]; // a distance itself: such a place is within it
        push_exactly(s, &options, &x, &y, values);
    }
}
END_TEST

// A threshold is rounded as distances are: 0.1 is at most 0.1 in float, too.
START_TEST(threshold_of_a_precision) {
    const double query[2] = {0, 0}, values[] = {5, 0.1, 0, 5, 5, 0.1, 0, 5};
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_search *search = NULL;
    ww_search_stream *pushed = NULL;
    static collector got;
    ww_match matches[2];
    size_t found = 0;
    ww_measure measure = wwt_measure(WW_DTW);
    measure.cost = WW_COST_ABSOLUTE;
    const ww_series_view q = wwt_view_of(query, 2, 1), t = wwt_view_of(values, 8, 1);
    options.kind = WW_SEARCH_WINDOWS;
    options.k = 2;
    options.exclusion = 2;
    options.has_threshold = 1;
    options.threshold = _i ? nextafter(0.1, 0) : 0.1; // both are float's 0.1, which is larger
    wwt_ok(ww_search_create(wwt_context, &measure, &q, &options, &search));
    wwt_ok(ww_search_run(search, &t, matches, &found));
    ck_assert_uint_eq(found, 2);
    got.count = 0;
    wwt_ok(ww_search_stream_create(wwt_context, &measure, &q, &options, &pushed));
    wwt_ok(ww_search_stream_push(pushed, values, WW_DOUBLE, 8, collect, &got));
    wwt_ok(ww_search_stream_finish(pushed, collect, &got));
    ck_assert_uint_eq(got.count, 2);
    ww_search_stream_destroy(&pushed);
    ww_search_destroy(&search);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("search_streams");
    wwt_add(suite, in_pieces, 4);
    wwt_add(suite, supersequence, 1);
    wwt_add(suite, documented, 1);
    wwt_add(suite, a_stopped_push_loses_nothing, 2);
    wwt_add(suite, ties_of_a_periodic_stream, 2 * EXACT_SUBJECTS);
    wwt_add(suite, threshold_of_a_precision, 2);
    return wwt_run(suite);
}
