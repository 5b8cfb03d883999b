// SPDX-License-Identifier: Apache-2.0
// A run of a search: the walk over the streams (search_blocks.c), and the matches at the end.
#include <math.h>
#include <stdlib.h>

#include "base/run.h"
#include "search/search_internal.h"

void wwi_search_info_add(ww_search_info *sum, const ww_search_info *did) {
    sum->places += did->places;
    sum->excluded_kim += did->excluded_kim;
    sum->excluded_keogh += did->excluded_keogh;
    sum->excluded_keogh_turned += did->excluded_keogh_turned;
    sum->abandoned += did->abandoned;
    sum->cells += did->cells;
    sum->cells_started += did->cells_started;
    sum->launches += did->launches;
    sum->seconds_device += did->seconds_device;
}

// `in_parts`: this run goes on from what other parts of the whole tell.
static void restart(ww_search *s, bool in_parts) {
    for (size_t q = 0; q < s->query_count; q++) {
        wwi_query *query = &s->queries[q];
        query->count = 0;
        query->full = false;
        if (!in_parts || !query->stages) {
            query->share = 0;
            query->stages = 3;
        }
        query->limit = wwi_search_threshold(s);
    }
    s->info = (ww_search_info)WW_SEARCH_INFO_INIT;
    if (!in_parts)
        wwi_limits_forget(s->limits);
    if (s->open)
        wwi_open_restart(s);
}

// `found` of the candidates; the matches after them, `count` in all, are none.
static void give(const ww_search *s, size_t row, const wwi_candidate *picked, size_t found, size_t count,
                 ww_match *matches) {
    const uint64_t after = s->windows ? s->queries[row].length : s->derivative ? 3 : 1;
    for (size_t i = 0; i < count; i++) {
        ww_match *m = &matches[i];
        *m = (ww_match){-1, -1, -1, s->similarity ? -INFINITY : INFINITY};
        if (i >= found)
            continue;
        uint64_t begin;
        m->stream = (int64_t)wwi_joined_stream(&s->joined, picked[i].place, &begin);
        const uint64_t at = picked[i].place + s->joined.shift - begin;
        m->end = (int64_t)(at + after);
        m->begin = s->windows ? (int64_t)at : picked[i].start - (int64_t)begin;
        m->distance = s->similarity ? -picked[i].value : picked[i].value;
        m->begin += m->stream == 0 ? (int64_t)s->part.point_offset : 0;
        m->end += m->stream == 0 ? (int64_t)s->part.point_offset : 0;
        m->stream += (int64_t)s->part.stream_offset;
    }
}

static ww_status walk(ww_search *s, const wwi_joined *streams) {
    WWI_TRY(wwi_joined_open(&s->joined, streams));
    WWI_TRY(wwi_joined_check_channels(&s->joined, s->of.all_channels));
    return wwi_search_walk(s);
}

ww_status wwi_search_check_small(const ww_search *s, double largest) {
    // The windows of smaller values have no deviation: none of them would be found, without a word.
    const double least = s->of.precision == WW_DOUBLE ? 0x1p-1000 : WWI_SEARCH_LEAST_FLOAT;
    if (!s->options.znormalise || !(largest > 0) || largest >= least)
        return WW_OK;
    wwi_fail(WW_ERROR_UNSUPPORTED, "values of up to %g are too small for z-normalised windows in %s", largest,
             ww_word(WW_WORD_PRECISION, s->of.precision));
    return wwi_fail_hint("%smultiply the streams by a power of two, which changes no match",
                         s->of.precision == WW_FLOAT ? "search in double precision, or " : "");
}

// The matches of the whole.
static ww_status walk_whole(ww_search *s, const wwi_joined *streams, ww_match *matches, size_t *found) {
    const size_t k = s->options.k;
    WWI_FREES wwi_candidate *picked = NULL;
    WWI_FREES size_t *counts = NULL;
    WWI_TRY(walk(s, streams));
    WWI_TRY(wwi_search_check_small(s, atomic_load(&s->joined.largest)));
    WWI_TRY(wwi_new(picked, s->query_count * k));
    WWI_TRY(wwi_new(counts, s->query_count));
    for (size_t q = 0; q < s->query_count; q++)
        counts[q] = wwi_candidates_pick(s, &s->queries[q], picked + q * k);
    if (s->open)
        WWI_TRY(wwi_open_starts(s, picked, counts));
    for (size_t q = 0; q < s->query_count; q++) {
        give(s, q, picked + q * k, counts[q], k, matches + q * k);
        if (found)
            found[q] = counts[q];
    }
    return WW_OK;
}

// A part's places, of which the whole's matches are chosen.
static ww_status walk_part(ww_search *s, const wwi_joined *streams, size_t places, ww_match *matches) {
    WWI_TRY(walk(s, streams));
    atomic_fetch_add(&s->limits->windows, wwi_joined_length(streams));
    for (size_t q = 0; q < s->query_count; q++) {
        const wwi_query *query = &s->queries[q];
        const size_t found = query->count < places ? query->count : places;
        give(s, q, query->candidates, found, found < places ? found + 1 : places, matches + q * places);
    }
    return WW_OK;
}

static double begin_run(ww_search *s, bool in_parts) {
    const double began = wwi_seconds();
    wwi_joined_close(&s->joined);
    restart(s, in_parts);
    wwi_stream_start(s->stream);
    return began;
}

static ww_status end_run(ww_search *s, ww_status status, double began) {
    return wwi_run_end(s->stream, status, began, &s->info.launches, &s->info.seconds_device, &s->info.seconds_wall);
}

ww_status wwi_search_run(ww_search *s, const wwi_joined *streams, ww_match *matches, size_t *found) {
    s->limits = &s->own_limits;
    const double began = begin_run(s, false);
    return end_run(s, walk_whole(s, streams, matches, found), began);
}

// ---- parts

static ww_status begin_parts(ww_search *s, const wwi_joined *streams, wwi_span turn) {
    WWI_ENDS(wwi_joined_close) wwi_joined all = {.view = NULL};
    WWI_TRY(wwi_joined_open(&all, streams));
    // No tile of a device is longer than half of its share. Buffers that grow tile by tile are waited for.
    if (turn.count)
        WWI_TRY(wwi_search_reserve(s, wwi_ceil_div(wwi_joined_length(&all), 2 * (uint64_t)turn.count)));
    return wwi_limits_sample(s, streams, turn);
}

ww_status wwi_search_begin_parts(ww_search *s, const wwi_joined *streams, wwi_limits *limits, wwi_span turn) {
    s->limits = limits;
    const double began = begin_run(s, true);
    return end_run(s, begin_parts(s, streams, turn), began);
}

ww_status wwi_search_run_places(ww_search *s, const wwi_joined *streams, uint64_t first, uint64_t count, size_t places,
                                ww_match *matches) {
    WWI_ENDS(wwi_joined_close) wwi_joined part = {0};
    WWI_TRY(wwi_joined_open(&part, streams));
    const uint64_t most = part.begins[part.count] - 1 - first,
                   wanted = wwi_least(count, most) + s->most_points - 1 + (s->derivative ? 2 : 0);
    part.shift = first;
    part.part = wwi_least(wanted, most) + 1;
    const double began = begin_run(s, true);
    return end_run(s, walk_part(s, &part, places, matches), began);
}
