// SPDX-License-Identifier: Apache-2.0
// The walk over the joined streams: how large a block is, and how its points come to the device. Where windows are
// searched on a GPU, threads prepare and send the next block while the device works on this one (host/feed.c); the two
// have buffers of their own. Else a block is sent before it is searched.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "search/search_internal.h"

enum { SLOT_BYTES = 1 << 20 };

static void forget_tables(ww_search *s) {
    s->table_of = 0;
    s->reach_of = UINT32_MAX;
}

ww_status wwi_search_send(ww_search *s, uint32_t points) {
    ww_status status = WW_OK;
    for (size_t c = 0; c < s->channels && status == WW_OK; c++) {
        const uint64_t at = c * s->block_stride * s->value_bytes, bytes = (s->lead + points) * s->value_bytes;
        status = wwi_buffer_write(s->values, at, bytes, (const unsigned char *)s->host_values + at);
        if (status == WW_OK && s->derivative)
            status = wwi_buffer_write(s->derived, at, bytes, (const unsigned char *)s->host_derived + at);
    }
    forget_tables(s);
    return status;
}

// How many places a block has, and its buffers.
static ww_status allocate_block(ww_search *s, uint64_t length, bool ahead) {
    const bool windows = s->options.kind == WW_SEARCH_WINDOWS;
    const uint64_t overlap = (windows ? s->most_points : 0) + (s->derivative ? 2 : 0) + s->lead + 32;
    const bool lists = windows && s->bounds;
    // Bytes of a place: points, derivatives, tables, envelopes; and of each query.
    const uint64_t each = s->channels * s->value_bytes *
                              ((windows         ? 6u
                                : s->derivative ? 2u
                                                : 1u) +
                               (ahead ? 1u + s->derivative : 0u)) +
                          s->query_count * (s->value_bytes + (lists ? 4u : 0u) + (s->streaming ? 4u : 0u));
    uint64_t most = wwi_context_bytes_free(s->context) / 2;
    most = s->run.max_bytes && s->run.max_bytes < most ? s->run.max_bytes : most;
    uint64_t block = most / each > overlap ? most / each - overlap : 1;
    const uint64_t widest = (s->query_count > 3 * s->channels ? s->query_count : 3 * s->channels) * s->value_bytes;
    const uint64_t largest = wwi_context_max_buffer(s->context) / widest;
    // The stride is whole groups of 32, and the rows of all queries have 32 places more.
    const uint64_t around = overlap + 31 + 32;
    block = largest > around ? (block < largest - around ? block : largest - around) : 1;
    // Long ones cost less, but the first block of a stream is waited for.
    const long whole = length / 12 > 1 << 26 ? 1L << 26 : length / 12 < 1 << 24 ? 1L << 24 : (long)(length / 12);
    uint64_t wanted = (uint64_t)wwi_tuning(s->context, "search.block", NULL, s->gpu ? whole : 1L << 17);
    if (!windows) {
        // As many columns as a launch has time for.
        const double points = (double)s->queries[s->query_count - 1].at + (double)s->queries[s->query_count - 1].n;
        const double columns = s->rate * s->pace.aim / points;
        wanted = columns < 4096 ? 4096 : columns < (double)wanted ? (uint64_t)columns : wanted;
    }
    block = block < wanted ? block : wanted;
    block = block < length ? block : length;
    // Sums of windows restart every 64: in the same places, however the stream is divided.
    s->block = block < 64 ? 64 : block - block % 64;
    s->block_stride = (s->block + overlap + 31) / 32 * 32;
    const uint64_t bytes = s->block_stride * s->channels * s->value_bytes,
                   rows = (s->block_stride * s->query_count + 32) * s->value_bytes;
    ww_status status;
    if ((status = wwi_grow_buffer(s->context, &s->values, bytes)) != WW_OK ||
        (s->derivative && (status = wwi_grow_buffer(s->context, &s->derived, bytes)) != WW_OK) ||
        (status = wwi_grow_buffer(s->context, &s->out, rows)) != WW_OK)
        return status;
    // What a vector reads and writes past the last window.
    if ((status = wwi_buffer_fill_u32(s->values, 0, bytes, 0)) != WW_OK)
        return status;
    if (ahead) {
        if ((status = wwi_grow_buffer(s->context, &s->next_values, bytes)) != WW_OK ||
            (s->derivative && (status = wwi_grow_buffer(s->context, &s->next_derived, bytes)) != WW_OK) ||
            (status = wwi_buffer_fill_u32(s->next_values, 0, bytes, 0)) != WW_OK)
            return status;
    } else if (!s->joined.dataset) {
        free(s->host_values);
        free(s->host_derived);
        s->host_derived = NULL;
        s->host_values = calloc(1, (size_t)bytes);
        if (s->derivative)
            s->host_derived = calloc(1, (size_t)bytes);
        if (!s->host_values || (s->derivative && !s->host_derived))
            return wwi_fail_memory(bytes);
    }
    if (!windows)
        return WW_OK;
    const uint64_t list_bytes = lists ? s->block_stride * s->query_count * sizeof(uint32_t) : sizeof(uint32_t);
    if ((status = wwi_grow_buffer(s->context, &s->table, 3 * bytes)) != WW_OK ||
        (status = wwi_grow_buffer(s->context, &s->lists, list_bytes)) != WW_OK ||
        (lists && ((status = wwi_grow_buffer(s->context, &s->below, bytes)) != WW_OK ||
                   (status = wwi_grow_buffer(s->context, &s->above, bytes)) != WW_OK)))
        return status;
    return status;
}

// Brings the block's `points` places to the device, behind its lead: the place before it, for recurrences that need it.
static ww_status bring_block(ww_search *s, uint64_t points) {
    const uint64_t stride = s->block_stride, lead = s->first ? s->lead : 0;
    if (s->joined.dataset) {
        forget_tables(s);
        return wwi_joined_copy(&s->joined, s->first - lead, lead + points, s->values, stride, s->lead - lead);
    }
    for (size_t c = 0; lead && c < s->channels; c++) {
        unsigned char *row =
            (unsigned char *)(s->derivative ? s->host_derived : s->host_values) + c * stride * s->value_bytes;
        memcpy(row, row + s->block * s->value_bytes, s->value_bytes);
    }
    unsigned char *values = (unsigned char *)s->host_values + s->lead * s->value_bytes;
    unsigned char *derived = s->derivative ? (unsigned char *)s->host_derived + s->lead * s->value_bytes : NULL;
    const ww_status status =
        wwi_joined_read(&s->joined, s->first, (size_t)points, s->precision, (size_t)stride, values, derived);
    return status == WW_OK ? wwi_search_send(s, (uint32_t)points) : status;
}

// ---- blocks sent ahead

typedef struct load {
    ww_search *s;
    uint64_t first, points, each; // places of the block, and of a piece of it
    wwi_buffer *values, *derived;
} load;

// A piece of the block's places in all channels; for derivatives also the two points after it.
static ww_status make_piece(void *user, uint64_t piece, void *slot, wwi_feed_part *parts, size_t *count) {
    const load *l = user;
    ww_search *s = l->s;
    const uint64_t at = piece * l->each, left = l->points - at, places = left < l->each ? left : l->each,
                   more = left - places < 2 ? left - places : 2, read = places + (s->derivative ? more : 0),
                   row = read * s->value_bytes;
    unsigned char *values = slot, *derived = s->derivative ? values + s->channels * row : NULL;
    const ww_status status =
        wwi_joined_read(&s->joined, l->first + at, (size_t)read, s->precision, (size_t)read, values, derived);
    *count = 0;
    for (size_t c = 0; c < s->channels; c++) {
        const uint64_t to = (c * s->block_stride + at) * s->value_bytes, bytes = places * s->value_bytes;
        parts[(*count)++] = (wwi_feed_part){l->values, to, bytes, c * row};
        if (s->derivative)
            parts[(*count)++] = (wwi_feed_part){l->derived, to, bytes, (s->channels + c) * row};
    }
    return status;
}

// How many threads send blocks ahead; 0: none.
static unsigned loaders(const ww_search *s) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN), most = cores > 14 ? 12 : cores > 8 ? cores - 2 : 6;
    const long threads = wwi_tuning(s->context, "search.loaders", NULL, s->gpu ? most : 0);
    return s->options.kind == WW_SEARCH_WINDOWS && threads > 0 ? (unsigned)threads : 0;
}

static ww_status begin_load(load *l, uint64_t first, uint64_t points, wwi_buffer *values, wwi_buffer *derived) {
    ww_search *s = l->s;
    l->first = first;
    l->points = points;
    l->values = values;
    l->derived = derived;
    // A source is read by the caller's thread, unless it says that others may.
    const ww_status status = wwi_joined_stage(&s->joined, first, points);
    if (status == WW_OK)
        wwi_feed_start(s->feed, (points + l->each - 1) / l->each, make_piece, l);
    return status;
}

static ww_status walk_ahead(ww_search *s, uint64_t length, uint64_t after) {
    load l = {.s = s};
    bool loading = false; // the block that comes now
    // The places of a slot; two more points for the derivatives at its end.
    const uint64_t place = s->channels * s->value_bytes * (s->derivative ? 2 : 1);
    l.each = SLOT_BYTES / place - 2;
    ww_status status = WW_OK;
    if (!s->feed && (status = wwi_feed_create(s->context, loaders(s), SLOT_BYTES, &s->feed)) != WW_OK)
        return status;
    wwi_buffer_settle(s->values);
    for (s->first = 0; s->first < length && status == WW_OK; s->first += s->block) {
        const uint64_t left = length - s->first, points = left < s->block + after ? left : s->block + after;
        if (!loading && (status = begin_load(&l, s->first, points, s->values, s->derived)) != WW_OK)
            break;
        loading = false;
        if ((status = wwi_feed_wait(s->feed)) != WW_OK)
            break;
        if (left > s->block) {
            const uint64_t next = left - s->block;
            if ((status = begin_load(&l, s->first + s->block, next < s->block + after ? next : s->block + after,
                                     s->next_values, s->next_derived)) != WW_OK)
                break;
            loading = true;
        }
        forget_tables(s);
        if ((status = wwi_windows_block(s, (uint32_t)points)) != WW_OK ||
            (status = wwi_finish(s->stream)) != WW_OK) // the block after the next is sent to this one's buffer
            break;
        wwi_buffer *values = s->values, *derived = s->derived;
        s->values = s->next_values;
        s->derived = s->next_derived;
        s->next_values = values;
        s->next_derived = derived;
    }
    wwi_feed_rest(s->feed);
    return status;
}

ww_status wwi_search_walk(ww_search *s) {
    const bool windows = s->options.kind == WW_SEARCH_WINDOWS;
    const uint64_t length = wwi_joined_length(&s->joined), lost = s->derivative ? 2 : 0,
                   after = (windows ? s->most_points - 1 : 0) + lost;
    const bool ahead = loaders(s) > 0 && !s->joined.dataset;
    uint64_t work;
    ww_status status = allocate_block(s, length, ahead);
    if (status != WW_OK)
        return status;
    if (!wwi_mul_u64(length, s->query_count, &work))
        work = UINT64_MAX;
    wwi_pace_start(&s->pace, work);
    if ((status = wwi_buffer_fill_u32(s->counters, 0, wwi_search_counters(s) * sizeof(uint32_t), 0)) != WW_OK)
        return status;
    if (ahead)
        return walk_ahead(s, length, after);
    for (s->first = 0; s->first < length && status == WW_OK; s->first += s->block) {
        const uint64_t left = length - s->first, points = left < s->block + after ? left : s->block + after;
        if ((status = bring_block(s, points)) == WW_OK)
            status = windows ? wwi_windows_block(s, (uint32_t)points)
                             : wwi_open_block(s, (uint32_t)(left < s->block ? left : s->block));
    }
    return status;
}
