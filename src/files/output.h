// SPDX-License-Identifier: Apache-2.0
// A file being written: under a temporary name in the folder of its final one, which it gets only when complete. Or the
// same bytes given to a function of the caller's.
#ifndef WAVEWARP_WRITE_FILE_H
#define WAVEWARP_WRITE_FILE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <wavewarp/file.h>
#include <wavewarp/series.h>

#include "new_file.h"

typedef struct wwi_output {
    wwi_new_file file; // path: the final name, or "standard output"; temporary NULL: written directly
    FILE *stream;
    locale_t c_locale; // numbers are written in it whatever the program's locale
    int error;         // errno of the first write that failed, or what `write` returned; 0: none so far
    ww_write_fn write; // NULL: a file
    void *user;
    char *held;       // what `write` gets next
    size_t unasked;   // bytes since the thread's interrupt function was asked
    bool interrupted; // it asked to stop: nothing is written from then on
} wwi_output;

// Opens `path` for writing; "-" is standard output.
ww_status wwi_output_open(const char *path, wwi_output *output);
// Everything goes to a function, which is called by this thread alone, when enough is there and when it is closed.
// `output` stays where it is until then.
ww_status wwi_output_open_to(ww_write_fn write, void *user, wwi_output *output);
// Brings everything to the disk; after that only the renaming can fail.
ww_status wwi_output_finish(wwi_output *output);
// Finishes the file (`keep`) or removes it, and frees what `output` holds. A file that can't be finished is removed.
ww_status wwi_output_close(wwi_output *output, bool keep);
// The same with what writing came to: kept where that is WW_OK; the first error.
ww_status wwi_output_end(wwi_output *output, ww_status status);
// Appends; the stream records a failed write, which is reported when it is closed. wwi_output_check() reports it at
// once.
void wwi_output_bytes(wwi_output *output, const void *bytes, size_t size);
void wwi_output_text(wwi_output *output, const char *text);
// Up to 1023 bytes, in the C locale.
void wwi_output_print(wwi_output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A value in 9 (float) or 17 (double) significant digits.
void wwi_output_number(wwi_output *output, double value, ww_precision precision);
ww_status wwi_output_check(const wwi_output *output);
// Whether more will be written: nothing has failed, and no interrupt has come.
static inline bool wwi_output_goes_on(const wwi_output *output) {
    return !output->error && !output->interrupted;
}
// What was written so far is the system's.
ww_status wwi_output_flush(wwi_output *output);
// Reserves `bytes` of disk space now, so that a long job does not fail at its end.
ww_status wwi_output_reserve(wwi_output *output, uint64_t bytes);

#define WWI_NPY_HEADER_BYTES 128
// The header of a .npy file in this machine's byte order: version 1.0, or with `mark` 2.0, which NumPy reads alike and
// does not write itself. The reader of series takes the axes of such an array as (series, channel, time) whatever its
// shape.
void wwi_output_npy_header(wwi_output *output, ww_precision precision, const size_t *shape, size_t dimensions,
                           bool mark);

#endif
