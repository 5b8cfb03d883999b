// SPDX-License-Identifier: Apache-2.0
// A saved object made of a fuzzer's bytes: the magic word before them, and a checksum that is right.
#ifndef WAVEWARP_FUZZ_SEALED_BYTES_H
#define WAVEWARP_FUZZ_SEALED_BYTES_H

#include <stdlib.h>
#include <string.h>

#include "files/sealed.h"
#include "fuzz/fuzz.h"

typedef struct sealed_bytes {
    unsigned char *at;
    size_t count, read;
} sealed_bytes;

static int64_t read_sealed(void *user, void *to, size_t room) {
    sealed_bytes *s = user;
    const size_t some = room < s->count - s->read ? room : s->count - s->read;
    memcpy(to, s->at + s->read, some);
    s->read += some;
    return (int64_t)some;
}

// Reads it as files are read. `bytes`: free with wwi_sealed_free().
static ww_status take_sealed(const wwi_seal *kind, const uint8_t *data, size_t size, wwi_sealed *bytes) {
    enum { MAGIC = 8, DIGEST = 32 };
    sealed_bytes s = {malloc(MAGIC + size + DIGEST), MAGIC + size + DIGEST, 0};
    wwi_byte_source source = {.name = "index", .read = read_sealed, .user = &s};
    WWT_REQUIRE(s.at);
    memcpy(s.at, kind->magic, MAGIC);
    if (size)
        memcpy(s.at + MAGIC, data, size);
    wwi_checksum(s.at, MAGIC + size, s.at + MAGIC + size);
    const ww_status status = wwi_seal_read(kind, &source, bytes);
    wwt_fuzz_status(status);
    free(s.at);
    return status;
}

#endif
