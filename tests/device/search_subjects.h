// SPDX-License-Identifier: Apache-2.0
// Subjects of searches, their series, and brute force over every window and every end.
#ifndef WAVEWARP_TEST_SEARCH_SUBJECTS_H
#define WAVEWARP_TEST_SEARCH_SUBJECTS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/search_reference.h"
#include "support.h"

// A smooth random walk with noise; whole numbers for measures of symbols.
static inline wwt_set walks(size_t channels, const size_t *lengths, size_t count, bool symbols) {
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

static inline ww_measure measure_of(const subject *s) {
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

static inline ww_search_options options_of(const subject *s, ww_precision precision) {
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    options.kind = s->kind;
    options.znormalise = s->znormalise;
    options.k = s->k;
    options.exclusion = s->exclusion;
    options.precision = precision;
    return options;
}

// The distance of a query to the empty part.
static inline double deleted(const ww_measure *measure, const wwr_series *query) {
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
static inline double distance_of(const subject *s, const ww_measure *measure, const wwr_series *query,
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
static inline void compare(const subject *s, const ww_measure *measure, const wwt_set *queries, size_t q,
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

static inline void make_sets(const subject *s, wwt_set *queries, wwt_set *streams) {
    const bool symbols = !strcmp(s->measure, "lcs") || !strcmp(s->measure, "levenshtein");
    *queries = walks(s->channels, query_lengths, QUERIES, symbols);
    *streams = walks(s->channels, stream_lengths, STREAMS, symbols);
    streams->values[streams->offsets[0] + 150] = NAN;
    streams->values[streams->offsets[0] + 151] = INFINITY;
    // A flat part.
    for (size_t t = 200; t < 280; t++)
        streams->values[streams->offsets[3] + t] = 0.25;
}

static inline void run_subject(const subject *s, ww_precision precision, uint64_t max_bytes, bool bounds,
                               ww_match *matches, const wwt_set *queries, const wwt_set *streams, size_t *found) {
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

#endif
