// SPDX-License-Identifier: Apache-2.0
// Fuzz target: packed files whose checksums are right, so that what is inside is reached: the input's first byte
// chooses gzip or a zip archive, stored or deflated; the second counts pairs of bytes that damage the result at a
// place; the rest is what is packed.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#ifdef WWI_HAVE_ZLIB
#include <zlib.h>
#endif

#include "fuzz/fuzz.h"

enum { MOST = 1 << 14, AROUND = 256 };

typedef struct packed {
    unsigned char bytes[MOST + AROUND];
    size_t size;
} packed;

static void put(packed *p, const void *bytes, size_t size) {
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
}

static void put_little(packed *p, uint64_t value, size_t size) {
    for (size_t b = 0; b < size; b++)
        p->bytes[p->size++] = (unsigned char)(b < 8 ? value >> (8 * b) : 0);
}

static uint32_t sum_of(const uint8_t *data, size_t size) {
#ifdef WWI_HAVE_ZLIB
    return (uint32_t)crc32(0, data, (unsigned)size);
#else
    (void)data, (void)size;
    return 0;
#endif
}

// Raw deflated data (window -15), or a gzip file (31). What can't be packed smaller than the room is left out.
static size_t deflate_to(unsigned char *to, size_t room, const uint8_t *data, size_t size, int window) {
#ifdef WWI_HAVE_ZLIB
    // Kept: setting one up takes longer than the rest.
    static z_stream streams[2];
    z_stream *const stream = &streams[window > 0];
    WWT_REQUIRE(stream->state ? deflateReset(stream) == Z_OK
                              : deflateInit2(stream, 1, Z_DEFLATED, window, 1, Z_FIXED) == Z_OK);
    stream->next_in = (unsigned char *)data;
    stream->avail_in = (unsigned)size;
    stream->next_out = to;
    stream->avail_out = (unsigned)room;
    const size_t packed_size = deflate(stream, Z_FINISH) == Z_STREAM_END ? room - stream->avail_out : 0;
    return packed_size;
#else
    (void)to, (void)room, (void)data, (void)size, (void)window;
    return 0;
#endif
}

static void pack_zip(packed *p, const uint8_t *data, size_t size, bool deflated, bool large) {
    static const char name[] = "x.npy";
    const uint32_t sum = sum_of(data, size);
    put(p, "PK\x03\x04\x14\0\0\0", 8);
    put_little(p, deflated ? 8 : 0, 2);
    put_little(p, 0, 16); // time, checksum and sizes: the directory has them
    put_little(p, sizeof name - 1, 2);
    put_little(p, 0, 2);
    put(p, name, sizeof name - 1);
    const size_t begin = p->size;
    if (deflated)
        p->size += deflate_to(p->bytes + begin, MOST, data, size, -15);
    else
        put(p, data, size);
    const size_t inside = p->size - begin, directory = p->size;
    put(p, "PK\x01\x02\x14\0\x14\0\0\0", 10);
    put_little(p, deflated ? 8 : 0, 2);
    put_little(p, 0, 4);
    put_little(p, sum, 4);
    put_little(p, large ? UINT32_MAX : inside, 4);
    put_little(p, large ? UINT32_MAX : size, 4);
    put_little(p, sizeof name - 1, 2);
    put_little(p, large ? 20 : 0, 2);
    put_little(p, 0, 14); // no comment; the first byte of the file
    put(p, name, sizeof name - 1);
    if (large) {
        put_little(p, 1, 2);
        put_little(p, 16, 2);
        put_little(p, size, 8);
        put_little(p, inside, 8);
    }
    const size_t end = p->size;
    put(p, "PK\x05\x06\0\0\0\0\x01\0\x01\0", 12);
    put_little(p, end - directory, 4);
    put_little(p, directory, 4);
    put_little(p, 0, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static packed p;
    if (size < 2)
        return 0;
    const unsigned how = data[0];
    const size_t damages = data[1] % 8;
    const uint8_t *content = data + 2 + 2 * damages;
    if (size < 2 + 2 * damages || size - (2 + 2 * damages) > MOST / 2)
        return 0;
    const size_t inside = size - (2 + 2 * damages);
    p.size = 0;
    if (how & 1)
        pack_zip(&p, content, inside, how & 2, how & 4);
    else
        p.size = deflate_to(p.bytes, MOST, content, inside, 31);
    for (size_t i = 0; i < damages && p.size; i++) {
        // From either end, where the headers are.
        const size_t at = data[2 + 2 * i] & 127, place = at < p.size ? at : p.size - 1;
        p.bytes[data[2 + 2 * i] & 128 ? p.size - 1 - place : place] = data[3 + 2 * i];
    }
    ww_read_options options = WW_READ_OPTIONS_INIT;
    options.threads = 1;
    ww_series_set *set = NULL;
    wwt_fuzz_file(p.bytes, p.size);
    const ww_status status = ww_series_set_read(how & 8 ? "a.npz:x" : "a", &options, &set);
    wwt_fuzz_status(status);
    WWT_REQUIRE(status != WW_ERROR_INVALID_ARGUMENT);
    WWT_REQUIRE((status == WW_OK) == (set != NULL));
    if (set)
        wwt_fuzz_set(set);
    ww_series_set_destroy(&set);
    return 0;
}
