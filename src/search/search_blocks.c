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

ww_status wwi_block_send(ww_search *s, uint32_t points) {
    const wwi_search_block *b = &s->block;
    for (size_t c = 0; c < s->of.all_channels; c++) {
        const uint64_t at = c * b->stride * s->value_bytes, bytes = (b->lead + points) * s->value_bytes;
        WWI_TRY(wwi_buffer_write(b->values, at, bytes, b->host_values + at));
        if (s->derivative)
            WWI_TRY(wwi_buffer_write(b->derived, at, bytes, b->host_derived + at));
    }
    return WW_OK;
}

void wwi_block_destroy(ww_search *s) {
    wwi_free_taken(&s->block.host_values);
    wwi_free_taken(&s->block.host_derived);
    WWI_BUFFERS_DESTROY(&s->block.values, &s->block.derived, &s->block.out, &s->ahead.values, &s->ahead.derived);
}

ww_status wwi_block_allocate(ww_search *s, uint64_t stride, bool host) {
    wwi_search_block *b = &s->block;
    const uint64_t bytes = stride * s->of.all_channels * s->value_bytes,
                   rows = (stride * s->query_count + 32) * s->value_bytes;
    wwi_free_taken(&b->host_values);
    wwi_free_taken(&b->host_derived);
    b->stride = 0;
    if (host)
        WWI_TRY(wwi_new_zeroed(b->host_values, bytes));
    if (host && s->derivative)
        WWI_TRY(wwi_new_zeroed(b->host_derived, bytes));
    WWI_TRY(WWI_GROW(s->context, {&b->values, bytes}, {&b->out, rows}));
    if (s->derivative)
        WWI_TRY(wwi_grow_buffer(s->context, &b->derived, bytes));
    if (s->windows)
        WWI_TRY(wwi_windows_begin(s, bytes));
    b->stride = stride;
    return WW_OK;
}

// Bytes of a place on the device: points, derivatives, tables, envelopes; and of each query.
static uint64_t place_bytes(const ww_search *s, bool ahead) {
    const uint64_t points = (s->windows      ? 6u
                             : s->derivative ? 2u
                                             : 1u) +
                            (ahead ? 1u + s->derivative : 0u),
                   each = s->value_bytes + (s->windows && s->bounded ? 4u : 0u) + (s->streaming ? 4u : 0u);
    return s->of.all_channels * s->value_bytes * points + s->query_count * each;
}

// Long blocks cost less, but the first one of a stream is waited for.
static uint64_t wanted_places(const ww_search *s, uint64_t length) {
    const long whole = length / 12 > 1 << 26 ? 1L << 26 : length / 12 < 1 << 24 ? 1L << 24 : (long)(length / 12);
    const uint64_t wanted = (uint64_t)wwi_tuning(s->context, "search.block", NULL, s->gpu ? whole : 1L << 17);
    if (s->windows)
        return wanted;
    // As many columns as a launch has time for.
    const wwi_query *last = &s->queries[s->query_count - 1];
    const double columns = s->rate * s->pace.aim / ((double)last->at + (double)last->n);
    return columns < 4096 ? 4096 : columns < (double)wanted ? (uint64_t)columns : wanted;
}

// How many threads send blocks ahead; 0: none.
static unsigned loaders(const ww_search *s) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN), most = cores > 14 ? 12 : cores > 8 ? cores - 2 : 6;
    const long threads = wwi_tuning(s->context, "search.loaders", NULL, s->gpu ? most : 0);
    return s->windows && threads > 0 ? (unsigned)threads : 0;
}

// How many places a block has, and its buffers.
static ww_status make_block(ww_search *s, uint64_t length, bool ahead) {
    wwi_search_block *b = &s->block;
    const uint64_t overlap = (s->windows ? s->most_points : 0) + (s->derivative ? 2 : 0) + b->lead + 32;
    const uint64_t free_bytes = (wwi_context_bytes_free(s->context) + b->bytes) / 2,
                   bytes = s->run.max_bytes ? wwi_least(s->run.max_bytes, free_bytes) : free_bytes,
                   most = bytes / place_bytes(s, ahead);
    const uint64_t rows = s->query_count > 3 * (size_t)s->of.all_channels ? s->query_count : 3 * s->of.all_channels,
                   largest = wwi_context_max_buffer(s->context) / (rows * s->value_bytes);
    // The stride is whole groups of 32, and the rows of all queries have 32 places more.
    const uint64_t around = overlap + 31 + 32;
    uint64_t places = most > overlap ? most - overlap : 1;
    places = wwi_least(places, largest > around ? largest - around : 1);
    places = wwi_least(wwi_least(places, wanted_places(s, length)), length);
    // Sums of windows restart every 64: in the same places, however the stream is divided.
    b->places = places < 64 ? 64 : places - places % 64;
    WWI_TRY(wwi_block_allocate(s, (b->places + overlap + 31) / 32 * 32, !ahead && !s->joined.dataset));
    const uint64_t taken = b->stride * place_bytes(s, ahead);
    b->bytes = taken > b->bytes ? taken : b->bytes;
    return WW_OK;
}

static ww_status begin_blocks(ww_search *s, uint64_t length, bool ahead) {
    WWI_TRY(make_block(s, length, ahead));
    // What a vector reads and writes past the last window.
    return wwi_buffer_fill_u32(s->block.values, 0, wwi_buffer_bytes(s->block.values), 0);
}

ww_status wwi_search_reserve(ww_search *s, uint64_t length) {
    return make_block(s, length, loaders(s) > 0);
}

// Brings the block's `points` places to the device, behind its lead: the place before it, for recurrences that need it.
static ww_status bring_block(ww_search *s, uint64_t points) {
    const wwi_search_block *b = &s->block;
    const uint64_t lead = b->first ? b->lead : 0;
    if (s->joined.dataset)
        return wwi_joined_copy(&s->joined, b->first - lead, lead + points, b->values, b->stride, b->lead - lead);
    for (size_t c = 0; lead && c < s->of.all_channels; c++) {
        unsigned char *row = (s->derivative ? b->host_derived : b->host_values) + c * b->stride * s->value_bytes;
        memcpy(row, row + b->places * s->value_bytes, s->value_bytes);
    }
    unsigned char *values = b->host_values + b->lead * s->value_bytes;
    unsigned char *derived = s->derivative ? b->host_derived + b->lead * s->value_bytes : NULL;
    WWI_TRY(wwi_joined_read(&s->joined, b->first, (size_t)points, s->of.precision, (size_t)b->stride, values, derived));
    return wwi_block_send(s, (uint32_t)points);
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
    const size_t channels = s->of.all_channels;
    const uint64_t at = piece * l->each, left = l->points - at, places = wwi_least(left, l->each),
                   more = wwi_least(left - places, 2), read = places + (s->derivative ? more : 0),
                   row = read * s->value_bytes;
    unsigned char *values = slot, *derived = s->derivative ? values + channels * row : NULL;
    const ww_status status =
        wwi_joined_read(&s->joined, l->first + at, (size_t)read, s->of.precision, (size_t)read, values, derived);
    *count = 0;
    for (size_t c = 0; c < channels; c++) {
        const uint64_t to = (c * s->block.stride + at) * s->value_bytes, bytes = places * s->value_bytes;
        parts[(*count)++] = (wwi_feed_part){l->values, to, bytes, c * row};
        if (s->derivative)
            parts[(*count)++] = (wwi_feed_part){l->derived, to, bytes, (channels + c) * row};
    }
    return status;
}

static ww_status begin_load(load *l, uint64_t first, uint64_t points, wwi_buffer *values, wwi_buffer *derived) {
    ww_search *s = l->s;
    l->first = first;
    l->points = points;
    l->values = values;
    l->derived = derived;
    // A source is read by the caller's thread, unless it says that others may.
    WWI_TRY(wwi_joined_stage(&s->joined, first, points));
    wwi_feed_start(s->ahead.feed, wwi_ceil_div(points, l->each), loaders(s), make_piece, l);
    return WW_OK;
}

static ww_status begin_ahead(ww_search *s) {
    wwi_ahead *a = &s->ahead;
    const uint64_t bytes = wwi_buffer_bytes(s->block.values);
    WWI_TRY(wwi_grow_buffer(s->context, &a->values, bytes));
    if (s->derivative)
        WWI_TRY(wwi_grow_buffer(s->context, &a->derived, bytes));
    WWI_TRY(wwi_buffer_fill_u32(a->values, 0, bytes, 0));
    if (!a->feed)
        WWI_TRY(wwi_feed_take(s->context, loaders(s), SLOT_BYTES, &a->feed));
    wwi_buffer_settle(s->block.values);
    return WW_OK;
}

static void rest(wwi_ahead **ahead) {
    wwi_feed_rest((*ahead)->feed);
}

// A block has `after` points of the next one too.
static ww_status walk_ahead(ww_search *s, uint64_t length, uint64_t after) {
    wwi_search_block *b = &s->block;
    // The places of a slot; two more points for the derivatives at its end.
    const uint64_t place = s->of.all_channels * s->value_bytes * (s->derivative ? 2 : 1);
    load l = {.s = s, .each = SLOT_BYTES / place - 2};
    WWI_ENDS(rest) wwi_ahead *a = &s->ahead; // its threads read `l`
    WWI_TRY(begin_ahead(s));
    WWI_TRY(begin_load(&l, 0, wwi_least(length, b->places + after), b->values, b->derived));
    for (b->first = 0; b->first < length; b->first += b->places) {
        const uint64_t left = length - b->first, points = wwi_least(left, b->places + after);
        WWI_TRY(wwi_feed_wait(a->feed));
        if (left > b->places)
            WWI_TRY(begin_load(&l, b->first + b->places, wwi_least(left - b->places, b->places + after), a->values,
                               a->derived));
        WWI_TRY(wwi_windows_block(s, (uint32_t)points));
        WWI_TRY(wwi_finish(s->stream)); // the block after the next is sent to this one's buffer
        wwi_buffers_swap(&b->values, &a->values);
        wwi_buffers_swap(&b->derived, &a->derived);
    }
    return WW_OK;
}

ww_status wwi_search_walk(ww_search *s) {
    wwi_search_block *b = &s->block;
    const uint64_t length = wwi_joined_length(&s->joined),
                   after = (s->windows ? s->most_points - 1 : 0) + (s->derivative ? 2 : 0);
    const bool ahead = loaders(s) > 0 && !s->joined.dataset;
    uint64_t work;
    WWI_TRY(begin_blocks(s, length, ahead));
    if (!wwi_mul_u64(length, s->query_count, &work))
        work = UINT64_MAX;
    wwi_pace_start(&s->pace, work);
    if (ahead)
        return walk_ahead(s, length, after);
    for (b->first = 0; b->first < length; b->first += b->places) {
        const uint64_t left = length - b->first, points = wwi_least(left, b->places + after);
        WWI_TRY(bring_block(s, points));
        WWI_TRY(s->windows ? wwi_windows_block(s, (uint32_t)points)
                           : wwi_open_block(s, (uint32_t)wwi_least(left, b->places)));
    }
    return WW_OK;
}
