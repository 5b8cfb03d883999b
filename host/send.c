// SPDX-License-Identifier: Apache-2.0
// Data that several threads make on its way to the device: in the buffer itself where the device is the host, else in a
// feed's memory (feed.c), which the device reads while the next pieces are made. A driver would copy the same through a
// small buffer of its own, on one core.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

typedef struct sending {
    wwi_buffer *buffer;
    uint64_t offset, bytes;
    wwi_send_fn make;
    void *user;
    unsigned char *memory; // the buffer's own, mapped
} sending;

static uint64_t bytes_at(const sending *s, uint64_t at) {
    return s->bytes - at < WWI_SEND_PIECE ? s->bytes - at : WWI_SEND_PIECE;
}

static ww_status make_mapped(void *user, uint64_t piece) {
    const sending *s = user;
    const uint64_t at = piece * WWI_SEND_PIECE;
    return s->make(s->user, at, bytes_at(s, at), s->memory + at);
}

static ww_status send_mapped(sending *s, unsigned threads, uint64_t pieces) {
    const ww_context *context = s->buffer->context;
    cl_int code = CL_SUCCESS;
    s->memory = clEnqueueMapBuffer(context->queue, s->buffer->mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION,
                                   (size_t)s->offset, (size_t)s->bytes, 0, NULL, NULL, &code);
    if (!s->memory)
        return wwi_fail_cl(context, code, "clEnqueueMapBuffer", "can't send %llu bytes to the device",
                           (unsigned long long)s->bytes);
    wwi_use_large_pages(s->memory, (size_t)s->bytes);
    const ww_status status = wwi_share(threads, pieces, make_mapped, s);
    code = clEnqueueUnmapMemObject(context->queue, s->buffer->mem, s->memory, 0, NULL, NULL);
    if (status != WW_OK || code == CL_SUCCESS)
        return status;
    return wwi_fail_cl(context, code, "clEnqueueUnmapMemObject", "can't send %llu bytes to the device",
                       (unsigned long long)s->bytes);
}

static ww_status make_fed(void *user, uint64_t piece, void *slot, wwi_feed_part *parts, size_t *count) {
    const sending *s = user;
    const uint64_t at = piece * WWI_SEND_PIECE;
    parts[0] = (wwi_feed_part){s->buffer, s->offset + at, bytes_at(s, at), 0};
    *count = 1;
    return s->make(s->user, at, bytes_at(s, at), slot);
}

static ww_status send_fed(sending *s, unsigned threads, uint64_t pieces) {
    ww_context *context = s->buffer->context;
    wwi_feed *feed;
    WWI_TRY(wwi_feed_take(context, threads - 1, WWI_SEND_PIECE, &feed));
    wwi_buffer_settle(s->buffer);
    wwi_feed_start(feed, pieces, make_fed, s);
    const ww_status status = wwi_feed_wait(feed);
    wwi_feed_rest(feed);
    if (status == WW_OK)
        wwi_feed_keep(feed);
    else
        wwi_feed_destroy(&feed);
    return status;
}

// Short data: nothing is gained by threads.
static ww_status send_few(const sending *s) {
    WWI_FREES unsigned char *memory = NULL;
    WWI_TRY(wwi_new(memory, bytes_at(s, 0)));
    for (uint64_t at = 0; at < s->bytes; at += WWI_SEND_PIECE) {
        WWI_TRY(s->make(s->user, at, bytes_at(s, at), memory));
        WWI_TRY(wwi_buffer_put(s->buffer, s->offset + at, bytes_at(s, at), memory));
    }
    return WW_OK;
}

ww_status wwi_send(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, wwi_send_fn make, void *user) {
    sending s = {buffer, offset, bytes, make, user, NULL};
    const uint64_t pieces = (bytes + WWI_SEND_PIECE - 1) / WWI_SEND_PIECE;
    WWI_TRY(wwi_buffer_check_range(buffer, offset, bytes));
    if (pieces < WWI_SEND_PIECES)
        return send_few(&s);
    const ww_context *context = buffer->context;
    const unsigned threads = wwi_send_threads(context);
    return wwi_tuning(context, "form.fed", NULL, context->info.type == WW_DEVICE_GPU)
               ? send_fed(&s, threads, pieces)
               : send_mapped(&s, threads, pieces);
}

unsigned wwi_send_threads(const ww_context *context) {
    const long threads = wwi_tuning(context, "send.threads", NULL, (long)wwi_processors());
    return threads < 1 ? 1 : threads > WWI_FEED_THREADS ? WWI_FEED_THREADS : (unsigned)threads;
}
