// SPDX-License-Identifier: Apache-2.0
// The first limits of parts: from a few windows all over the streams, which are searched as a stream of their own.
#include <math.h>
#include <stdlib.h>

#include "search/search_internal.h"

// Runs of windows that a sample has; windows of it: a part of all, but no fewer and no more than these.
enum { PIECES = 32, SHARE = 128, LEAST_WINDOWS = 1 << 15, MOST_WINDOWS = 1 << 20 };

// Where a sample's pieces are: `windows` each, of the joined streams' places, and `points` of a piece in the sample,
// with at least one behind them that is not a number.
typedef struct pieces {
    uint64_t count, windows, points, apart;
} pieces;

// A sample's pieces begin, there and here, at multiples of 64 places: the sums of z-normalised windows restart there,
// so that the windows have the values that they have in the streams.
static pieces find_pieces(const ww_search *s, uint64_t length) {
    const uint64_t share = length / SHARE, wanted = share < LEAST_WINDOWS  ? LEAST_WINDOWS
                                                    : share > MOST_WINDOWS ? MOST_WINDOWS
                                                                           : share;
    pieces p = {.count = PIECES, .windows = (wanted / PIECES + 63) / 64 * 64};
    p.points = p.windows + s->most_points - 1 + (s->derivative ? 2 : 0);
    p.apart = length / PIECES / 64 * 64;
    return p;
}

// The pieces as one stream, channel by channel, in the search's precision.
static ww_status read_pieces(const ww_search *s, wwi_joined *from, const pieces *p, uint64_t each, void *values) {
    const size_t all = (size_t)(p->count * each), size = (size_t)s->value_bytes;
    for (size_t i = 0; i < all * s->of.all_channels; i++)
        wwi_set_value(values, s->of.precision, i, NAN);
    for (uint64_t i = 0; i < p->count; i++)
        WWI_TRY(wwi_joined_read(from, i * p->apart, (size_t)p->points, s->of.precision, all,
                                (unsigned char *)values + i * each * size, NULL));
    return WW_OK;
}

// Searches the sample as any stream. Its places are none of the streams': only the limits are kept.
static ww_status search_pieces(ww_search *s, const pieces *p, const ww_series_view *sample) {
    const ww_search_info info = s->info;
    int (*const progress)(void *, uint64_t, uint64_t) = s->pace.progress;
    wwi_joined_close(&s->joined);
    WWI_TRY(wwi_joined_open(&s->joined, &(wwi_joined){.view = sample}));
    s->pace.progress = NULL; // which is told of the streams' places
    const ww_status status = wwi_search_walk(s);
    s->pace.progress = progress;
    s->info = info;
    for (size_t q = 0; q < s->query_count; q++) {
        wwi_query *query = &s->queries[q];
        query->limit = wwi_limits_lower(s->limits, q, query->limit);
        query->count = 0;
        query->full = false;
    }
    atomic_fetch_add(&s->limits->windows, p->count * p->windows);
    return status;
}

ww_status wwi_limits_sample(ww_search *s, const wwi_joined *streams, wwi_span turn) {
    WWI_ENDS(wwi_joined_close) wwi_joined from = {.view = NULL};
    WWI_FREES void *values = NULL;
    ww_series_view sample = WW_SERIES_VIEW_INIT;
    WWI_TRY(wwi_joined_open(&from, streams));
    WWI_TRY(wwi_joined_check_channels(&from, s->of.all_channels));
    if (!(s->bounded || s->abandons) || (streams->from && !streams->from->concurrent) || turn.first >= s->query_count)
        return WW_OK;
    const uint64_t length = wwi_joined_length(&from);
    const pieces p = find_pieces(s, length);
    const uint64_t each = (p.points + 1 + 63) / 64 * 64;
    // Of a few windows more a sample is no small part.
    if (length / 16 < p.count * each)
        return WW_OK;
    WWI_TRY(wwi_new(values, (size_t)(p.count * each * s->of.all_channels) * s->value_bytes));
    WWI_TRY(read_pieces(s, &from, &p, each, values));
    sample.values = values;
    sample.count = 1;
    sample.length = (size_t)(p.count * each);
    sample.channels = s->of.all_channels;
    sample.precision = s->of.precision;
    for (size_t q = 0; q < s->query_count; q++)
        s->queries[q].idle = q % turn.count != turn.first;
    const ww_status status = search_pieces(s, &p, &sample);
    for (size_t q = 0; q < s->query_count; q++)
        s->queries[q].idle = false;
    return status;
}
