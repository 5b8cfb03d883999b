// SPDX-License-Identifier: Apache-2.0
// A search that receives its stream point by point. Points that are pushed are a block; windows that began in earlier
// points are complete when their last point comes, so the last points of a block are kept. Open matches go on from the
// columns of the block before, which have the starts of their paths.
//
// A place within the threshold is reported when it is the best of all that are closer than the exclusion, before and
// after it: so it waits for exclusion - 1 places.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "data/view.h"
#include "search/search_internal.h"

enum { MOST_BLOCK = 1 << 16 };

struct ww_search_stream {
    ww_search *search;
    uint64_t received; // points
    double largest;    // absolute value of them
    size_t kept;       // of the last points, windows and derivatives need again
    double *tail;      // these, point by point
    size_t *before;    // candidates of each query that the blocks before left
    bool finished;
};

void ww_search_stream_destroy(ww_search_stream **stream) {
    ww_search_stream *m = wwi_taken(stream);
    if (!m)
        return;
    ww_search_destroy(&m->search);
    free(m->before);
    free(m->tail);
    free(m);
}

// How many points after a place its window, or derivative, ends.
static uint64_t reach_of(const ww_search *s, size_t q) {
    return s->windows ? s->queries[q].length - 1 : s->derivative ? 2 : 0;
}

size_t ww_search_stream_delay(const ww_search_stream *stream, size_t query) {
    if (!stream || query >= stream->search->query_count)
        return 0;
    return (size_t)(stream->search->queries[query].exclusion - 1);
}

ww_status ww_search_stream_create(ww_context *context, const ww_measure *measure, const ww_series_view *queries,
                                  const ww_search_options *options, ww_search_stream **stream) {
    WWI_ENDS(ww_search_stream_destroy) ww_search_stream *m = NULL;
    WWI_FREES void *copy = NULL;
    ww_series_view view;
    if (stream)
        *stream = NULL;
    WWI_NEEDS("context, queries, options, stream", context, queries, options, stream);
    context = wwi_context_first(context);
    WWI_TRY(wwi_new_zeroed(m, 1));
    WWI_TRY(wwi_view_make_dense(queries, &view, &copy));
    WWI_TRY(wwi_search_make(context, measure, &view, options, true, &m->search));
    ww_search *s = m->search;
    if (!s->options.has_threshold) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a pushed stream needs a threshold");
        return wwi_fail_hint("set has_threshold and threshold: matches are reported before the stream's end is known");
    }
    if (s->options.kind == WW_SEARCH_SUPER || s->given.relax_end_x) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a pushed stream has no end yet: %s",
                 s->given.relax_end_x ? "relax_end_x" : "WW_SEARCH_SUPER");
        return wwi_fail_hint(s->given.relax_end_x ? "leave relax_end_x at 0; relax_begin_x may be set"
                                                  : "search the whole stream by ww_search_run()");
    }
    for (size_t q = 0; q < s->query_count; q++) {
        const uint64_t reach = reach_of(s, q);
        m->kept = reach > m->kept ? (size_t)reach : m->kept;
        s->queries[q].stages = 3;
        s->queries[q].limit = wwi_search_threshold(s);
        // All places within the threshold are wanted.
        s->queries[q].kept = SIZE_MAX;
    }
    WWI_TRY(wwi_new(m->tail, (m->kept + 1) * s->of.all_channels));
    WWI_TRY(wwi_new(m->before, s->query_count));
    *stream = wwi_taken(&m);
    return WW_OK;
}

static int by_place(const void *a, const void *b) {
    const wwi_candidate *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

// Reports what is certain when all places before `known` have been looked at, and forgets what can't matter any more.
// *stopped: the function was asked, or is asked now, for no more; what it was not given is kept for a later call.
static void report_matches(ww_search_stream *m, size_t q, uint64_t known, ww_match_fn report, void *user,
                           bool *stopped) {
    ww_search *s = m->search;
    wwi_query *query = &s->queries[q];
    const uint64_t apart = query->exclusion;
    if (query->count > 1)
        qsort(query->candidates, query->count, sizeof *query->candidates, by_place);
    size_t first = 0, left = 0;
    for (size_t i = 0; i < query->count; i++) {
        wwi_candidate *c = &query->candidates[i];
        const bool certain = known == UINT64_MAX || c->place + apart <= known;
        while (query->candidates[first].place + apart <= c->place)
            first++;
        if (c->row) { // not yet decided
            bool best = true;
            for (size_t k = first; best && k < query->count && query->candidates[k].place < c->place + apart; k++) {
                const wwi_candidate *other = &query->candidates[k];
                best = other->value > c->value || (other->value == c->value && other->place >= c->place);
            }
            if (!best) {
                c->row = 0;
            } else if (certain && !*stopped) {
                const ww_match match = {0, s->windows ? (int64_t)c->place : c->start,
                                        (int64_t)(c->place + reach_of(s, q) + 1), s->similarity ? -c->value : c->value};
                c->row = 0;
                *stopped = report && report(user, q, &match) != 0;
            }
        }
    }
    // A place matters as long as one that is closer than the exclusion may come or is undecided.
    uint64_t oldest = known;
    for (size_t i = 0; i < query->count; i++)
        if (query->candidates[i].row && query->candidates[i].place < oldest)
            oldest = query->candidates[i].place;
    for (size_t i = 0; i < query->count; i++)
        if (query->candidates[i].place + apart > oldest)
            query->candidates[left++] = query->candidates[i];
    query->count = left;
    query->seen = known;
}

static ww_status stop(void) {
    return wwi_fail(WW_ERROR_CANCELLED, "the function that receives matches asked to stop");
}

// New points, of the caller, point by point.
typedef struct pushed {
    const void *values;
    ww_precision precision;
    size_t from, count;
} pushed;

// The point of the block `p` places after its lead's begin: that before it is the last column that was searched.
static ww_status block_value(const ww_search_stream *m, const pushed *of, size_t kept, size_t p, size_t c,
                             double *value) {
    const size_t channels = m->search->of.all_channels, lead = m->search->block.lead;
    if (p < lead + kept) {
        *value = p >= lead            ? m->tail[(p - lead) * channels + c]
                 : m->received > kept ? m->tail[m->kept * channels + c]
                                      : 0;
        return WW_OK;
    }
    const size_t at = p - lead - kept;
    const double given = wwi_value_at(of->values, of->precision, (of->from + at) * channels + c);
    return wwi_stream_value(m->search->of.precision, given, 0, m->received + at, value);
}

// What the next block needs: the last points, and the one before them.
static void keep_tail(ww_search_stream *m, size_t points) {
    const ww_search *s = m->search;
    const wwi_search_block *b = &s->block;
    const size_t channels = s->of.all_channels, keep = m->received < m->kept ? (size_t)m->received : m->kept;
    for (size_t c = 0; c < channels; c++) {
        const size_t at = c * b->stride + b->lead + points - keep;
        for (size_t p = 0; p < keep; p++)
            m->tail[p * channels + c] = wwi_host_value(s, b->host_values, at + p);
        if (points > keep)
            m->tail[m->kept * channels + c] = wwi_host_value(s, b->host_values, at - 1);
    }
}

// A block: the points kept and the new ones, on the host, channel by channel. What it finds are further candidates;
// else nothing of the stream changes unless it succeeds.
static ww_status search_block(ww_search_stream *m, const pushed *of) {
    ww_search *s = m->search;
    wwi_search_block *b = &s->block;
    const size_t channels = s->of.all_channels, kept = m->received < m->kept ? (size_t)m->received : m->kept,
                 points = kept + of->count, all = b->lead + points;
    const size_t stride = (all + s->most_points + 64) / 64 * 64 + 64;
    if (stride > b->stride)
        WWI_TRY(wwi_block_allocate(s, stride, true));
    for (size_t c = 0; c < channels; c++)
        for (size_t p = 0; p < all; p++) {
            double value;
            WWI_TRY(block_value(m, of, kept, p, c, &value));
            wwi_set_value(b->host_values, s->of.precision, c * b->stride + p, value);
        }
    if (s->derivative)
        wwi_points_derive(s->of.precision, channels, all, (size_t)b->stride, b->host_values, b->host_derived);
    b->first = m->received - kept;
    b->places = points;
    const size_t lost = s->derivative ? 2 : 0; // a derivative looks ahead
    if (s->windows || points > lost) {
        WWI_TRY(wwi_block_send(s, (uint32_t)points));
        WWI_TRY(s->windows ? wwi_windows_block(s, (uint32_t)points) : wwi_open_block(s, (uint32_t)(points - lost)));
    }
    m->received += of->count;
    for (size_t k = of->from * channels; k < (of->from + of->count) * channels; k++) {
        const double size = fabs(wwi_value_at(of->values, of->precision, k));
        m->largest = size > m->largest && isfinite(size) ? size : m->largest;
    }
    keep_tail(m, points);
    return WW_OK;
}

// A block, and the matches that are certain after it. A block that fails leaves the stream as it was.
static ww_status take_block(ww_search_stream *m, const pushed *of, ww_match_fn report, void *user, bool *stopped) {
    ww_search *s = m->search;
    const ww_search_info info = s->info;
    for (size_t q = 0; q < s->query_count; q++)
        m->before[q] = s->queries[q].count;
    const ww_status status = search_block(m, of);
    if (status != WW_OK) {
        for (size_t q = 0; q < s->query_count; q++)
            s->queries[q].count = m->before[q];
        s->info = info;
        return status;
    }
    for (size_t q = 0; q < s->query_count; q++) {
        const uint64_t reach = reach_of(s, q);
        report_matches(m, q, m->received > reach ? m->received - reach : 0, report, user, stopped);
    }
    return WW_OK;
}

ww_status ww_search_stream_push(ww_search_stream *stream, const void *values, ww_precision precision, size_t count,
                                ww_match_fn report, void *user) {
    ww_status status = WW_OK;
    if (!stream || (count && !values) || (unsigned)precision > WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "stream or values is NULL, or an unknown precision");
    if (stream->finished)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the stream has ended");
    bool stopped = false;
    wwi_stream_start(stream->search->stream);
    for (size_t from = 0; from < count && status == WW_OK;) {
        const pushed part = {values, precision, from, (size_t)wwi_least(count - from, MOST_BLOCK)};
        status = take_block(stream, &part, report, user, &stopped);
        from += part.count;
    }
    status = wwi_finish_after(stream->search->stream, status);
    return status == WW_OK && stopped ? stop() : status;
}

uint64_t ww_search_stream_points(const ww_search_stream *stream) {
    return stream ? stream->received : 0;
}

ww_status ww_search_stream_finish(ww_search_stream *stream, ww_match_fn report, void *user) {
    WWI_NEEDS("stream", stream);
    if (stream->finished)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the stream has ended");
    bool stopped = false;
    stream->finished = true;
    for (size_t q = 0; q < stream->search->query_count; q++)
        report_matches(stream, q, UINT64_MAX, report, user, &stopped);
    return stopped ? stop() : wwi_search_check_small(stream->search, stream->largest);
}
