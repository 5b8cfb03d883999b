// SPDX-License-Identifier: Apache-2.0
// Saved objects: their bytes, and what guards them.
#include "files/sealed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "error.h"
#include "files/number.h"
#include "files/output.h"
#include "host.h"

#define DIGEST_BYTES 32u
#define HEAD_BYTES 12u

// ---- bytes in memory

void wwi_sealed_free(wwi_sealed *b) {
    free(b->at);
}

void wwi_put(wwi_sealed *b, const void *from, uint64_t count) {
    b->failed = b->failed || wwi_grow(&b->at, &b->capacity, b->count + count, 1) != WW_OK;
    if (b->failed || count == 0)
        return;
    memcpy(b->at + b->count, from, count);
    b->count += count;
}

void wwi_put_number(wwi_sealed *b, uint64_t value, unsigned size) {
    unsigned char little[8];
    for (unsigned i = 0; i < size; i++)
        little[i] = (unsigned char)(value >> (8 * i));
    wwi_put(b, little, size);
}

void wwi_put_double(wwi_sealed *b, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wwi_put_number(b, bits, 8);
}

void wwi_swap_if_big(void *values, uint64_t count, unsigned size) {
    unsigned char *at = values;
    for (uint64_t i = 0; !wwi_is_little_endian() && i < count; i++, at += size)
        for (unsigned j = 0; j < size / 2; j++) {
            const unsigned char byte = at[j];
            at[j] = at[size - 1 - j];
            at[size - 1 - j] = byte;
        }
}

void wwi_put_array(wwi_sealed *b, const void *values, uint64_t count, unsigned size) {
    const uint64_t from = b->count;
    wwi_put(b, values, count * size);
    if (!b->failed)
        wwi_swap_if_big(b->at + from, count, size);
}

const unsigned char *wwi_read_bytes(wwi_byte_reader *r, uint64_t count) {
    if (r->failed || r->left < count) {
        r->failed = true;
        return NULL;
    }
    const unsigned char *at = r->at;
    r->at += count;
    r->left -= count;
    return at;
}

uint64_t wwi_read_number(wwi_byte_reader *r, unsigned size) {
    const unsigned char *at = wwi_read_bytes(r, size);
    return at ? wwi_little((const char *)at, size) : 0;
}

double wwi_read_double(wwi_byte_reader *r) {
    const uint64_t bits = wwi_read_number(r, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void *wwi_read_array(wwi_byte_reader *r, uint64_t count, unsigned size) {
    const unsigned char *at = count > UINT64_MAX / 8 ? NULL : wwi_read_bytes(r, count * size);
    void *values = at ? malloc(count * size + 1) : NULL;
    if (!values) {
        r->lacking = at ? count * size + 1 : 0;
        r->failed = true;
        return NULL;
    }
    memcpy(values, at, count * size);
    wwi_swap_if_big(values, count, size);
    return values;
}

// ---- whole files

void wwi_seal_begin(const wwi_seal *seal, wwi_sealed *b) {
    wwi_put(b, seal->magic, 8);
    wwi_put_number(b, seal->version, 4);
}

ww_status wwi_seal_write(wwi_sealed *b, const char *path, ww_write_fn write, void *user) {
    wwi_output output;
    if (!b->failed) {
        unsigned char digest[DIGEST_BYTES];
        wwi_checksum(b->at, b->count, digest);
        wwi_put(b, digest, sizeof digest);
    }
    if (b->failed)
        return wwi_fail_memory(b->count);
    WWI_TRY(path ? wwi_output_open(path, &output) : wwi_output_open_to(write, user, &output));
    wwi_output_bytes(&output, b->at, b->count);
    return wwi_output_close(&output, true);
}

ww_status wwi_seal_damaged(const wwi_seal *seal, const char *name, const char *how) {
    char text[256]; // may be the record's own
    snprintf(text, sizeof text, "%.255s", how);
    wwi_fail(WW_ERROR_FORMAT, "%s: %s", name, text);
    return wwi_fail_hint("%s", seal->hint);
}

static ww_status read_whole(const wwi_seal *seal, wwi_byte_source *source, wwi_sealed *b) {
    unsigned char piece[65536];
    size_t got;
    while (!b->failed && (got = wwi_byte_source_read(source, piece, sizeof piece)) > 0) {
        if (source->status == WW_OK && b->count == 0 && (got < 8 || memcmp(piece, seal->magic, 8) != 0))
            return wwi_seal_damaged(seal, source->name, "not a saved index");
        wwi_put(b, piece, got);
    }
    return source->status == WW_OK && b->failed ? wwi_fail_memory(b->count) : source->status;
}

ww_status wwi_seal_read(const wwi_seal *seal, wwi_byte_source *source, wwi_sealed *b) {
    WWI_TRY(read_whole(seal, source, b));
    if (b->count < HEAD_BYTES)
        return wwi_seal_damaged(seal, source->name, "not a saved index");
    wwi_byte_reader r = {b->at + 8, 4, false, 0};
    const uint64_t version = wwi_read_number(&r, 4);
    if (version != seal->version)
        return wwi_fail(WW_ERROR_FORMAT, "%s: version %" PRIu64 " of the format; this library reads %u", source->name,
                        version, seal->version);
    if (b->count < HEAD_BYTES + DIGEST_BYTES)
        return wwi_seal_damaged(seal, source->name, "cut short");
    unsigned char digest[DIGEST_BYTES];
    wwi_checksum(b->at, b->count - DIGEST_BYTES, digest);
    if (memcmp(digest, b->at + b->count - DIGEST_BYTES, DIGEST_BYTES) != 0)
        return wwi_seal_damaged(seal, source->name, "damaged or cut short");
    return WW_OK;
}

wwi_byte_reader wwi_seal_reader(const wwi_sealed *b) {
    return (wwi_byte_reader){b->at + HEAD_BYTES, b->count - HEAD_BYTES - DIGEST_BYTES, false, 0};
}
