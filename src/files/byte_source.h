// SPDX-License-Identifier: Apache-2.0
// Where an object is read from: a file, or a function of the caller's.
#ifndef WAVEWARP_BYTE_SOURCE_H
#define WAVEWARP_BYTE_SOURCE_H

#include <stdbool.h>
#include <stdio.h>
#include <wavewarp/file.h>

typedef struct wwi_byte_source {
    const char *name; // in messages
    FILE *file;       // NULL: `read` is called, by this thread alone
    ww_read_fn read;
    void *user;
    bool ended;
    ww_status status; // why it ended early; the thread's record has the rest
} wwi_byte_source;

// Stores the next `size` bytes; fewer only at the end and where it fails. How many.
size_t wwi_byte_source_read(wwi_byte_source *source, void *bytes, size_t size);

#endif
