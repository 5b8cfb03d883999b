// SPDX-License-Identifier: Apache-2.0
// Data that several threads make on its way to the device: in the buffer itself where the device is the host, else in a
// feed's memory (feed.c), which the device reads while the next pieces are made. A driver would copy the same through a
// small buffer of its own, on one core.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

typedef struct mapping {
    const wwi_sent *of;
    unsigned char *memory; // the buffer's own, mapped
} mapping;

static uint64_t pieces_of(const wwi_sent *s) {
    return (s->bytes + WWI_SEND_PIECE - 1) / WWI_SEND_PIECE;
}

static uint64_t bytes_at(const wwi_sent *s, uint64_t at) {
    return s->bytes - at < WWI_SEND_PIECE ? s->bytes - at : WWI_SEND_PIECE;
}

static ww_status make_mapped(void *user, uint64_t piece) {
    const mapping *m = user;
    const uint64_t at = piece * WWI_SEND_PIECE;
    return m->of->make(m->of->user, at, bytes_at(m->of, at), m->memory + at);
}

static ww_status send_mapped(const wwi_sent *s) {
    const ww_context *context = s->buffer->context;
    cl_int code = CL_SUCCESS;
    mapping m = {s, clEnqueueMapBuffer(context->queue, s->buffer->mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                                       (size_t)s->offset, (size_t)s->bytes, 0, NULL, NULL, &code)};
    if (!m.memory)
        return wwi_fail_cl(context, code, "clEnqueueMapBuffer", "can't send %llu bytes to the device",
                           (unsigned long long)s->bytes);
    (void)wwi_in_large_pages(m.memory, (size_t)s->bytes);
    const ww_status status = wwi_share(wwi_send_threads(context, s->bytes), pieces_of(s), make_mapped, &m);
    code = clEnqueueUnmapMemObject(context->queue, s->buffer->mem, m.memory, 0, NULL, NULL);
    if (status != WW_OK || code == CL_SUCCESS)
        return status;
    return wwi_fail_cl(context, code, "clEnqueueUnmapMemObject", "can't send %llu bytes to the device",
                       (unsigned long long)s->bytes);
}

// Of all that is sent, one after the other.
static ww_status make_fed(void *user, uint64_t piece, void *slot, wwi_feed_part *parts, size_t *count) {
    const wwi_sent *s = user;
    for (; piece >= pieces_of(s); s++)
        piece -= pieces_of(s);
    const uint64_t at = piece * WWI_SEND_PIECE;
    parts[0] = (wwi_feed_part){s->buffer, s->offset + at, bytes_at(s, at), 0};
    *count = 1;
    return s->make(s->user, at, bytes_at(s, at), slot);
}

static ww_status send_fed(const wwi_sent *all, size_t count, uint64_t pieces) {
    ww_context *context = all->buffer->context;
    wwi_feed *feed;
    uint64_t bytes = 0;
    WWI_TRY(wwi_feed_take(context, wwi_send_threads(context, UINT64_MAX) - 1, WWI_SEND_PIECE, &feed));
    for (size_t i = 0; i < count; i++) {
        wwi_buffer_settle(all[i].buffer);
        bytes += all[i].bytes;
    }
    wwi_feed_start(feed, pieces, wwi_send_threads(context, bytes) - 1, make_fed, (void *)(uintptr_t)all);
    const ww_status status = wwi_feed_wait(feed);
    wwi_feed_rest(feed);
    if (status == WW_OK)
        wwi_feed_keep(&feed);
    else
        wwi_feed_destroy(&feed);
    return status;
}

static ww_status send_through(const wwi_sent *s, unsigned char *memory) {
    for (uint64_t at = 0; at < s->bytes; at += WWI_SEND_PIECE) {
        WWI_TRY(s->make(s->user, at, bytes_at(s, at), memory));
        WWI_TRY(wwi_buffer_put(s->buffer, s->offset + at, bytes_at(s, at), memory));
    }
    return WW_OK;
}

// Few data: nothing is gained by threads. What is not quite short takes a GPU's driver ten times as long out of other
// memory.
static ww_status send_few(const wwi_sent *s, bool fed) {
    WWI_FREES unsigned char *memory = NULL;
    wwi_feed *feed;
    if (!fed || s->bytes <= WWI_SHORT) {
        WWI_TRY(wwi_new(memory, bytes_at(s, 0)));
        return send_through(s, memory);
    }
    WWI_TRY(wwi_feed_take(s->buffer->context, 0, WWI_SEND_PIECE, &feed));
    const ww_status status = send_through(s, wwi_feed_memory(feed));
    wwi_feed_keep(&feed);
    return status;
}

ww_status wwi_send_all(const wwi_sent *all, size_t count) {
    uint64_t pieces = 0;
    for (size_t i = 0; i < count; i++) {
        WWI_TRY(wwi_buffer_check_range(all[i].buffer, all[i].offset, all[i].bytes));
        pieces += pieces_of(&all[i]);
    }
    WWI_TRY(wwi_interrupted());
    if (pieces == 0)
        return WW_OK;
    const ww_context *context = all->buffer->context;
    const bool fed = wwi_tuning(context, "form.fed", NULL, context->info.type == WW_DEVICE_GPU) != 0;
    if (fed && pieces >= WWI_SEND_PIECES)
        return send_fed(all, count, pieces);
    for (size_t i = 0; i < count; i++)
        WWI_TRY(pieces_of(&all[i]) < WWI_SEND_PIECES ? send_few(&all[i], fed) : send_mapped(&all[i]));
    return WW_OK;
}

ww_status wwi_send(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, wwi_send_fn make, void *user) {
    const wwi_sent one = {buffer, offset, bytes, make, user};
    return wwi_send_all(&one, 1);
}

// To start a thread takes as long as to convert a part of a mebibyte.
unsigned wwi_send_threads(const ww_context *context, uint64_t bytes) {
    const uint64_t worth = 2 + bytes / (4 * WWI_SEND_PIECE), there = wwi_processors();
    const long threads = wwi_tuning(context, "send.threads", NULL, (long)(worth < there ? worth : there));
    return threads < 1 ? 1 : threads > WWI_FEED_THREADS ? WWI_FEED_THREADS : (unsigned)threads;
}
