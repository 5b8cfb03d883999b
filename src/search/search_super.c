// SPDX-License-Identifier: Apache-2.0
// Whole streams in parts of the queries: the same search with the sides exchanged, a query after the other as the
// stream. Its matches are put in the order of each query.
#include <math.h>
#include <stdlib.h>

#include "search/search_internal.h"

static int by_distance(const void *a, const void *b) {
    return wwi_match_order(a, b, false);
}

// Of the matches in query q, one list a stream of `k` places, the k best.
static void choose(size_t streams, size_t k, ww_match *all, const size_t *counts, ww_match *matches, size_t *found) {
    size_t count = 0;
    for (size_t i = 0; i < streams; i++)
        for (size_t p = 0; p < counts[i]; p++) {
            all[count] = all[i * k + p];
            all[count++].stream = (int64_t)i;
        }
    qsort(all, count, sizeof *all, by_distance);
    for (size_t p = 0; p < k; p++)
        matches[p] = p < count ? all[p] : (ww_match){-1, -1, -1, INFINITY};
    if (found)
        *found = count < k ? count : k;
}

// A query as the stream of the search with the sides exchanged.
static ww_status run_query(ww_search *s, ww_search *inner, size_t q, ww_match *all, size_t *counts) {
    const struct wwi_super *own = s->super;
    ww_series_view query = WW_SERIES_VIEW_INIT;
    query.values = own->values + own->offsets[q];
    query.precision = WW_DOUBLE;
    query.count = 1;
    query.channels = own->channels;
    query.length = own->lengths[q];
    WWI_TRY(wwi_search_run(inner, &(wwi_joined){.view = &query}, all, counts));
    wwi_search_info_add(&s->info, &inner->info);
    return WW_OK;
}

static ww_status run_queries(ww_search *s, const ww_series_view *streams, ww_match *matches, size_t *found) {
    const struct wwi_super *own = s->super;
    const size_t k = s->options.k;
    ww_search_options options = s->options;
    WWI_ENDS(ww_search_destroy) ww_search *inner = NULL;
    WWI_FREES ww_match *all = NULL;
    WWI_FREES size_t *counts = NULL;
    options.kind = WW_SEARCH_OPEN;
    options.run = &s->run;
    if (streams->channels != own->channels)
        return wwi_fail(WW_ERROR_CHANNELS, "the streams have %zu channels, the queries %zu", streams->channels,
                        own->channels);
    WWI_TRY(wwi_search_make(s->context, &s->given, streams, &options, false, &inner));
    uint64_t bytes;
    if (!wwi_mul_u64(streams->count, k * sizeof *all, &bytes) || bytes > PTRDIFF_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu streams", streams->count);
    WWI_TRY(wwi_new(all, streams->count * k));
    WWI_TRY(wwi_new(counts, streams->count));
    for (size_t q = 0; q < own->count; q++) {
        WWI_TRY(run_query(s, inner, q, all, counts));
        choose(streams->count, k, all, counts, matches + q * k, found ? found + q : NULL);
    }
    return WW_OK;
}

ww_status wwi_super_run(ww_search *s, const ww_series_view *streams, ww_match *matches, size_t *found) {
    const double began = wwi_seconds();
    s->info = (ww_search_info)WW_SEARCH_INFO_INIT;
    const ww_status status = run_queries(s, streams, matches, found);
    s->info.seconds_wall = wwi_seconds() - began;
    return status;
}
