// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of an object from a file or from a function of the caller's.
#include "files/byte_source.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "host.h"

static size_t read_file(wwi_byte_source *source, void *bytes, size_t room) {
    const size_t got = fread(bytes, 1, room, source->file);
    if (got < room) {
        const int error = errno;
        source->ended = true;
        if (ferror(source->file))
            source->status = wwi_fail(WW_ERROR_IO, "%s: can't be read: %s", source->name, strerror(error));
    }
    return got;
}

size_t wwi_byte_source_read(wwi_byte_source *source, void *bytes, size_t room) {
    size_t count = 0;
    if (source->file && !source->ended)
        return read_file(source, bytes, room);
    while (count < room && !source->ended) {
        const int64_t got = source->read(source->user, (unsigned char *)bytes + count, room - count);
        if (got > 0 && (uint64_t)got <= room - count) {
            count += (size_t)got;
            continue;
        }
        source->ended = true;
        if (got > 0)
            source->status = wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                                      "%s: the function that reads returned %" PRId64 ", with room for %zu",
                                      source->name, got, room - count);
        else if (got < 0)
            source->status =
                wwi_fail(WW_ERROR_IO, "%s: the function that reads failed: it returned %" PRId64, source->name, got);
    }
    return count;
}
