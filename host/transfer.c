// SPDX-License-Identifier: Apache-2.0
// Copies between host memory and a buffer, in the way that is fast for their size: by the driver, or by several threads
// (send.c, fetch.c).
#include <string.h>

#include "internal.h"

#define AT_ONCE (UINT64_C(1) << 26) // bytes that a driver is asked to copy: some milliseconds

static bool is_gpu(const wwi_buffer *buffer) {
    return buffer->context->info.type == WW_DEVICE_GPU;
}

static ww_status copy_piece(void *user, uint64_t at, uint64_t bytes, void *target) {
    const unsigned char *from = user;
    memcpy(target, from + at, (size_t)bytes);
    return WW_OK;
}

ww_status wwi_buffer_write(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, const void *source) {
    const uint64_t few = is_gpu(buffer) ? WWI_SHORT : WWI_SEND_PIECES * WWI_SEND_PIECE - 1;
    return bytes <= few ? wwi_buffer_put(buffer, offset, bytes, source)
                        : wwi_send(buffer, offset, bytes, copy_piece, (void *)source);
}

// Where the pieces of a fetch go.
static void take_piece(void *user, uint64_t at, uint64_t bytes, const void *data) {
    unsigned char *to = user;
    memcpy(to + at, data, (size_t)bytes);
}

// Between two pieces of AT_ONCE bytes an interrupt may come.
ww_status wwi_buffer_read(wwi_buffer *buffer, uint64_t offset, uint64_t bytes, void *target) {
    unsigned char *to = target;
    if (is_gpu(buffer) && bytes > WWI_SHORT) {
        WWI_TRY(wwi_buffer_check_range(buffer, offset, bytes));
        WWI_TRY(wwi_make_pages(target, (size_t)bytes));
        const wwi_fetch_part part = {buffer, bytes, take_piece, target, offset};
        return wwi_fetch(&part, 1);
    }
    for (; bytes > AT_ONCE; offset += AT_ONCE, to += AT_ONCE, bytes -= AT_ONCE) {
        WWI_TRY(wwi_buffer_get(buffer, offset, AT_ONCE, to));
        WWI_TRY(wwi_interrupted());
    }
    return wwi_buffer_get(buffer, offset, bytes, to);
}
