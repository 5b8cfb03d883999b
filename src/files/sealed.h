// SPDX-License-Identifier: Apache-2.0
// Saved objects: bytes in memory that begin with a magic word and a version, little endian throughout, and end with
// their checksum.
#ifndef WAVEWARP_SEALED_H
#define WAVEWARP_SEALED_H

#include <stdint.h>

#include "files/byte_source.h"

#define WWI_CUT_SHORT "it is shorter than its numbers say"

// Bytes that grow. Start with a zeroed one.
typedef struct wwi_sealed {
    unsigned char *at;
    size_t count, capacity;
    bool failed;
} wwi_sealed;

void wwi_sealed_free(wwi_sealed *bytes);
void wwi_put(wwi_sealed *bytes, const void *from, uint64_t count);
void wwi_put_number(wwi_sealed *bytes, uint64_t value, unsigned size);
void wwi_put_double(wwi_sealed *bytes, double value);
// `count` numbers of `size` bytes each.
void wwi_put_array(wwi_sealed *bytes, const void *values, uint64_t count, unsigned size);
// `count` numbers of `size` bytes, between this machine's order and the file's; its own inverse.
void wwi_swap_if_big(void *values, uint64_t count, unsigned size);

// What a kind of file is called, and says of itself.
typedef struct wwi_seal {
    const char *magic; // 8 bytes
    unsigned version;
    const char *hint; // how to make it again
} wwi_seal;

// Magic and version, before anything else.
void wwi_seal_begin(const wwi_seal *seal, wwi_sealed *bytes);
// Appends the checksum, and writes all to a file, or to a function where `path` is NULL.
ww_status wwi_seal_write(wwi_sealed *bytes, const char *path, ww_write_fn write, void *user);
// Reads all that a source has, and checks it. What does not begin as such a file is not read to its end.
ww_status wwi_seal_read(const wwi_seal *seal, wwi_byte_source *source, wwi_sealed *bytes);
// WW_ERROR_FORMAT: what is wrong with it.
ww_status wwi_seal_damaged(const wwi_seal *seal, const char *name, const char *how);

// Bytes that are read.
typedef struct wwi_byte_reader {
    const unsigned char *at;
    uint64_t left;
    bool failed;
    uint64_t lacking; // bytes of memory that there were not
} wwi_byte_reader;

// Between magic and version, and checksum.
wwi_byte_reader wwi_seal_reader(const wwi_sealed *bytes);
// NULL: there are not so many.
const unsigned char *wwi_read_bytes(wwi_byte_reader *reader, uint64_t count);
uint64_t wwi_read_number(wwi_byte_reader *reader, unsigned size);
double wwi_read_double(wwi_byte_reader *reader);
// A copy of `count` numbers in this machine's order; free with free.
void *wwi_read_array(wwi_byte_reader *reader, uint64_t count, unsigned size);

#endif
