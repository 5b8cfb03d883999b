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

static void restart(ww_search *s) {
    for (size_t q = 0; q < s->query_count; q++) {
        wwi_query *query = &s->queries[q];
        query->count = 0;
        query->full = false;
        query->share = 0;
        query->limit = !s->options.has_threshold ? INFINITY
                       : s->similarity           ? -s->options.threshold
                                                 : s->options.threshold;
    }
    s->info = (ww_search_info)WW_SEARCH_INFO_INIT;
    if (s->open)
        wwi_open_restart(s);
}

static void give(const ww_search *s, size_t row, const wwi_candidate *picked, size_t found, ww_match *matches) {
    const size_t k = s->options.k;
    const uint64_t after = s->windows ? s->queries[row].length : s->derivative ? 3 : 1;
    for (size_t i = 0; i < k; i++) {
        ww_match *m = &matches[row * k + i];
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

static ww_status finish(ww_search *s, ww_match *matches, size_t *found) {
    const size_t k = s->options.k;
    ww_status status = WW_OK;
    wwi_candidate **picked = calloc(s->query_count, sizeof *picked);
    size_t *counts = calloc(s->query_count, sizeof *counts);
    if (!picked || !counts) {
        status = wwi_fail_memory(s->query_count * sizeof *picked);
        goto done;
    }
    for (size_t q = 0; q < s->query_count; q++) {
        picked[q] = malloc(k * sizeof **picked);
        if (!picked[q]) {
            status = wwi_fail_memory(k * sizeof **picked);
            goto done;
        }
        counts[q] = wwi_candidates_pick(s, &s->queries[q], picked[q]);
    }
    if (s->open && (status = wwi_open_starts(s, picked, counts)) != WW_OK)
        goto done;
    for (size_t q = 0; q < s->query_count; q++) {
        give(s, q, picked[q], counts[q], matches);
        if (found)
            found[q] = counts[q];
    }
done:
    for (size_t q = 0; picked && q < s->query_count; q++)
        free(picked[q]);
    free(counts);
    free(picked);
    return status;
}

ww_status wwi_search_run(ww_search *s, const wwi_joined *streams, ww_match *matches, size_t *found) {
    const double began = wwi_seconds();
    wwi_joined_close(&s->joined);
    restart(s);
    wwi_stream_start(s->stream);
    ww_status status = wwi_joined_open(&s->joined, streams, s->derivative);
    if (status == WW_OK && s->joined.channels != s->of.all_channels) {
        status = wwi_fail(WW_ERROR_CHANNELS, "the streams have %zu channels, the queries %zu", s->joined.channels,
                          (size_t)s->of.all_channels);
    }
    if (status == WW_OK && (status = wwi_search_walk(s)) == WW_OK)
        status = finish(s, matches, found);
    return wwi_run_end(s->stream, status, began, &s->info.launches, &s->info.seconds_device, &s->info.seconds_wall);
}

ww_status wwi_search_run_places(ww_search *s, const wwi_joined *streams, uint64_t first, uint64_t count,
                                ww_match *matches) {
    wwi_joined part = *streams;
    ww_status status = wwi_joined_open(&part, streams, s->derivative);
    if (status == WW_OK && (first % WW_SEARCH_PART_POINTS || first >= part.begins[part.count] || count == 0)) {
        status =
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a part of %llu points from point %llu of %llu on",
                     (unsigned long long)count, (unsigned long long)first, (unsigned long long)part.begins[part.count]);
        (void)wwi_fail_hint("parts begin at multiples of %d points", WW_SEARCH_PART_POINTS);
    }
    if (status == WW_OK) {
        const uint64_t end = part.begins[part.count] - 1, most = end - first,
                       wanted = (count < most ? count : most) + s->most_points - 1 + (s->derivative ? 2 : 0);
        part.shift = first;
        part.part = (wanted < most ? wanted : most) + 1;
        status = wwi_search_run(s, &part, matches, NULL);
    }
    wwi_joined_close(&part);
    return status;
}
