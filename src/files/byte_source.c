// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of an object from a file or from a function of the caller's.
#include "files/byte_source.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "host.h"

static size_t read_file(wwi_byte_source *source, void *bytes, size_t size) {
    const size_t got = fread(bytes, 1, size, source->file);
    if (got < size) {
        const int error = errno;
        source->ended = true;
        if (ferror(source->file))
            source->status = wwi_fail(WW_ERROR_IO, "%s: can't be read: %s", source->name, strerror(error));
    }
    return got;
}

size_t wwi_byte_source_read(wwi_byte_source *source, void *bytes, size_t size) {
    size_t count = 0;
    if (!source->ended && (source->status = wwi_interrupted()) != WW_OK)
        source->ended = true;
    if (source->file && !source->ended)
        return read_file(source, bytes, size);
    while (count < size && !source->ended) {
        const int64_t got = source->read(source->user, (unsigned char *)bytes + count, size - count);
        if (got > 0 && (uint64_t)got <= size - count) {
            count += (size_t)got;
            continue;
        }
        source->ended = true;
        if (got > 0)
            source->status = wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                                      "%s: the function that reads returned %" PRId64 ", of a buffer of %zu",
                                      source->name, got, size - count);
        else if (got < 0)
            source->status =
                wwi_fail(WW_ERROR_IO, "%s: the function that reads failed: it returned %" PRId64, source->name, got);
    }
    return count;
}
