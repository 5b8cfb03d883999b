// SPDX-License-Identifier: Apache-2.0
// Searches against brute force over every window and every end: measures, channels, bands, gaps, blocks, bounds;
// planted patterns; streams that are read and pushed; refusals.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/search_reference.h"
#include "support.h"

// A smooth random walk with noise; whole numbers for measures of symbols.
static wwt_set walks(size_t channels, const size_t *lengths, size_t count, bool symbols) {
    wwt_set set = wwt_set_make(channels, lengths, count);
    for (size_t i = 0; symbols && i < set.offsets[count - 1] + channels * lengths[count - 1]; i++)
        set.values[i] = floor(fabs(set.values[i]) * 3);
    return set;
}

typedef struct subject {
    const char *measure;
    ww_search_kind kind;
    bool znormalise;
    size_t channels;
    ww_band band;
    ww_cost cost;
    bool root;
    size_t exclusion, k;
    enum { OWN, TOGETHER, APART } channels_are; // as the measure has them, or so
    double gamma;
    const char *parameter; // set to `value`
    double value;
    size_t relax_begin_x, relax_end_x;
} subject;

#define SAKOE(r)                                                                                                       \
    { WW_BAND_SAKOE_CHIBA, r, NULL, NULL, 0 }

static ww_measure measure_of(const subject *s) {
    const ww_measure_info *info = ww_measure_info_by_name(s->measure);
    ww_measure measure;
    ck_assert_ptr_nonnull(info);
    wwt_ok(ww_measure_init(&measure, sizeof measure, info->id));
    measure.band = s->band;
    measure.cost = s->cost;
    measure.root = s->root;
    if (s->channels_are)
        measure.independent = s->channels_are == APART;
    measure.gamma = s->gamma;
    if (s->parameter)
        wwt_ok(ww_measure_set(&measure, s->parameter, s->value));
    measure.relax_begin_x = s->relax_begin_x;
    measure.relax_end_x = s->relax_end_x;
    return measure;
}

static ww_search_options options_of(const subject *s, ww_precision precision) {
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    options.kind = s->kind;
    options.znormalise = s->znormalise;
    options.k = s->k;
    options.exclusion = s->exclusion;
    options.precision = precision;
    return options;
}

// The distance of a query to the empty part.
static double deleted(const ww_measure *measure, const wwr_series *query) {
    double sum = 0;
    if (measure->id != WW_ERP)
        return (double)query->length;
    for (size_t t = 0; t < query->length; t++) {
        double squares = 0;
        for (size_t c = 0; c < query->channels; c++) {
            const double apart = query->values[c * query->length + t] - measure->parameters[0];
            squares += apart * apart;
        }
        sum += sqrt(squares);
    }
    return sum;
}

// The distance of a query to the part of a stream that a match says.
static double distance_of(const subject *s, const ww_measure *measure, const wwr_series *query,
                          const wwr_series *stream, const ww_match *match) {
    const size_t n = (size_t)(match->end - match->begin);
    double *part = malloc((n ? n : 1) * stream->channels * sizeof *part);
    wwr_series y = {part, n, stream->channels};
    ww_measure closed = *measure;
    for (size_t c = 0; c < stream->channels; c++)
        memcpy(part + c * n, stream->values + c * stream->length + match->begin, n * sizeof *part);
    closed.relax_begin_x = match->begin == 0 ? measure->relax_begin_x : 0;
    closed.relax_end_x = (size_t)match->end == stream->length ? measure->relax_end_x : 0;
    closed.relax_begin_y = closed.relax_end_y = 0;
    (void)s;
    const double distance = n ? wwr_distance(&closed, NULL, query, &y) : deleted(measure, query);
    free(part);
    return distance;
}

// Compares a search's matches of one query with brute force over all streams. Ties by rounding: a place is right where
// its own value is as good as that of the place expected.
static void compare(const subject *s, const ww_measure *measure, const wwt_set *queries, size_t q,
                    const wwt_set *streams, const ww_match *matches, size_t found, double tolerance) {
    const wwr_series query = wwt_series(queries, q);
    const size_t exclusion = s->exclusion == WW_SEARCH_HALF ? (query.length + 1) / 2 : s->exclusion;
    const int most = !strcmp(s->measure, "lcs");
    size_t total = 0, *begins = malloc((streams->count + 1) * sizeof *begins);
    for (size_t i = 0; i < streams->count; i++) {
        begins[i] = total;
        total += streams->lengths[i] + (exclusion < 4096 ? exclusion : 4096) + 1;
    }
    // Streams so far apart that no match excludes one of another.
    double *values = malloc(total * sizeof *values);
    size_t *places = malloc(s->k * sizeof *places);
    for (size_t p = 0; p < total; p++)
        values[p] = INFINITY;
    for (size_t i = 0; i < streams->count; i++) {
        const wwr_series stream = wwt_series(streams, i);
        if (s->kind == WW_SEARCH_WINDOWS && stream.length >= query.length)
            wwr_search_windows(measure, &query, &stream, s->znormalise, values + begins[i]);
        else if (s->kind == WW_SEARCH_OPEN)
            wwr_search_ends(measure, &query, &stream, values + begins[i]);
    }
    const size_t expected = wwr_search_choose(values, total, exclusion, s->k, most, places);
    ck_assert_msg(found == expected, "%s: query %zu: %zu matches, not %zu", s->measure, q, found, expected);
    for (size_t i = 0; i < found; i++) {
        const ww_match *m = &matches[i];
        const size_t place = begins[m->stream] + (size_t)(s->kind == WW_SEARCH_WINDOWS ? m->begin : m->end - 1);
        const double wanted = values[places[i]];
        ck_assert_msg(fabs(m->distance - wanted) <= tolerance * (1 + fabs(wanted)),
                      "%s: query %zu match %zu: %.17g at stream %ld, %ld to %ld; expected %.17g", s->measure, q, i,
                      m->distance, (long)m->stream, (long)m->begin, (long)m->end, wanted);
        ck_assert_msg(fabs(values[place] - wanted) <= 2 * tolerance * (1 + fabs(wanted)),
                      "%s: query %zu match %zu: its place has %.17g, expected %.17g", s->measure, q, i, values[place],
                      wanted);
        if (s->kind == WW_SEARCH_OPEN) {
            const wwr_series stream = wwt_series(streams, (size_t)m->stream);
            const double own = distance_of(s, measure, &query, &stream, m);
            ck_assert_msg(fabs(own - m->distance) <= tolerance * (1 + fabs(own)),
                          "%s: query %zu match %zu, %ld to %ld: %.17g, closed %.17g", s->measure, q, i, (long)m->begin,
                          (long)m->end, m->distance, own);
        }
    }
    for (size_t i = found; i < s->k; i++)
        ck_assert(matches[i].stream == -1 && isinf(matches[i].distance));
    free(places);
    free(values);
    free(begins);
}

// Queries of several lengths in streams of several lengths, some with gaps, one shorter than any query.
static const size_t query_lengths[] = {24, 24, 17, 40}, stream_lengths[] = {300, 61, 9, 430};
enum { QUERIES = 4, STREAMS = 4 };

static void make_sets(const subject *s, wwt_set *queries, wwt_set *streams) {
    const bool symbols = !strcmp(s->measure, "lcs") || !strcmp(s->measure, "levenshtein");
    *queries = walks(s->channels, query_lengths, QUERIES, symbols);
    *streams = walks(s->channels, stream_lengths, STREAMS, symbols);
    streams->values[streams->offsets[0] + 150] = NAN;
    streams->values[streams->offsets[0] + 151] = INFINITY;
    // A flat part.
    for (size_t t = 200; t < 280; t++)
        streams->values[streams->offsets[3] + t] = 0.25;
}

static void run_subject(const subject *s, ww_precision precision, uint64_t max_bytes, bool bounds, ww_match *matches,
                        const wwt_set *queries, const wwt_set *streams, size_t *found) {
    ww_search *search = NULL;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_search_options options = options_of(s, precision);
    const ww_measure measure = measure_of(s);
    const ww_series_view q = wwt_view(queries), t = wwt_view(streams);
    run.max_bytes = max_bytes;
    options.run = &run;
    options.no_bounds = !bounds;
    wwt_ok(ww_search_create(wwt_context, &measure, &q, &options, &search));
    wwt_ok(ww_search_run(search, &t, matches, found));
    ww_search_destroy(&search);
}

#define WINDOWS(name, normalised, count)                                                                               \
    .measure = (name), .kind = WW_SEARCH_WINDOWS, .znormalise = (normalised), .channels = (count)
#define OPEN(name, count) .measure = (name), .kind = WW_SEARCH_OPEN, .channels = (count)
static const subject subjects[] = {
    {WINDOWS("dtw", true, 1), .band = SAKOE(3), .exclusion = WW_SEARCH_HALF, .k = 5},
    {WINDOWS("dtw", true, 2), .root = true, .exclusion = 3, .k = 9},
    {WINDOWS("dtw", true, 2), .band = SAKOE(3), .exclusion = 1, .k = 4, .channels_are = APART},
    {WINDOWS("dtw", false, 1), .band = SAKOE(0), .root = true, .exclusion = 0, .k = 30},
    {WINDOWS("frechet", true, 1), .band = {WW_BAND_SLANTED, 0.2, NULL, NULL, 0}, .exclusion = 5, .k = 3},
    {WINDOWS("ddtw", true, 1), .band = SAKOE(3), .exclusion = 5, .k = 3},
    {WINDOWS("wdtw", true, 1), .exclusion = 5, .k = 3},
    {WINDOWS("erp", true, 1), .exclusion = 5, .k = 3, .parameter = "g", .value = 0.5},
    {WINDOWS("msm", false, 1), .band = SAKOE(5), .exclusion = 5, .k = 3},
    {WINDOWS("twed", true, 1), .exclusion = 5, .k = 3},
    {WINDOWS("lcs", false, 1), .exclusion = 5, .k = 3},
    {WINDOWS("dtw", false, 1), .exclusion = 5, .k = 3, .gamma = 0.5},
    {OPEN("dtw", 1), .exclusion = WW_SEARCH_HALF, .k = 5},
    {OPEN("dtw", 1), .root = true, .exclusion = 7, .k = 3, .relax_begin_x = 10, .relax_end_x = 12},
    {OPEN("frechet", 2), .exclusion = 9, .k = 4},
    {OPEN("adtw", 1), .exclusion = 9, .k = 4, .parameter = "penalty", .value = 0.1},
    {OPEN("ddtw", 1), .exclusion = 9, .k = 4},
    {OPEN("edr", 1), .exclusion = 9, .k = 4, .parameter = "epsilon", .value = 0.3},
    {OPEN("levenshtein", 1), .exclusion = 9, .k = 4},
    {OPEN("erp", 2), .exclusion = 9, .k = 4, .parameter = "g", .value = 0.3},
    {OPEN("msm", 1), .exclusion = 9, .k = 4},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

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

// ---- streams that are read, and streams that are pushed

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

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("search");
    wwt_add(suite, brute_force, SUBJECTS);
    wwt_add(suite, parts_of_a_stream, 8);
    wwt_add(suite, planted, 2);
    wwt_add(suite, in_pieces, 4);
    wwt_add(suite, supersequence, 1);
    wwt_add(suite, documented, 1);
    wwt_add(suite, refusals, 1);
    wwt_add(suite, cancelled, 1);
    wwt_add(suite, a_stopped_push_loses_nothing, 2);
    return wwt_run(suite);
}
