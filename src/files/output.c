// SPDX-License-Identifier: Apache-2.0
// Writes a file under a temporary name in the same folder and renames it when it is complete, or gives its bytes to a
// function; numbers as text, the header of an .npy file.
#include "files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "files/number.h"
#include "host.h"

enum { MOST_HELD = 65536, UNASKED = 65536, AT_ONCE = 1 << 20 };

static ww_status fail_errno(const char *path) {
    return wwi_fail(WW_ERROR_IO, "%s: can't be written: %s", path, strerror(errno));
}

static ww_status open_stream(const char *path, wwi_output *output) {
    if (strcmp(path, "-") == 0) {
        // Whatever else the program prints to stdout stays in order with it.
        output->file.path = strdup("standard output");
        output->stream = stdout;
        return output->file.path ? WW_OK : wwi_fail_memory(16);
    }
    WWI_TRY(wwi_new_file_open(path, &output->file));
    // The stream has a descriptor of its own: closing it must not come before the other is on disk.
    const int descriptor = fcntl(output->file.descriptor, F_DUPFD_CLOEXEC, 0);
    output->stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (output->stream)
        return WW_OK;
    fail_errno(path);
    if (descriptor >= 0)
        close(descriptor);
    return WW_ERROR_IO;
}

// What the stream of a function gives it: nothing after it failed.
static ssize_t give(void *user, const char *bytes, size_t size) {
    wwi_output *output = user;
    for (size_t at = 0, piece; at < size && !output->error; at += piece) {
        piece = size - at < MOST_HELD ? size - at : MOST_HELD;
        output->error = output->write(output->user, bytes + at, piece);
    }
    return output->error ? 0 : (ssize_t)size;
}

static ww_status open_held(wwi_output *output) {
    output->held = malloc(MOST_HELD);
    output->stream = output->held ? fopencookie(output, "w", (cookie_io_functions_t){.write = give}) : NULL;
    return output->stream && setvbuf(output->stream, output->held, _IOFBF, MOST_HELD) == 0 ? WW_OK
                                                                                           : wwi_fail_memory(MOST_HELD);
}

// path NULL: `write` is there.
static ww_status open_either(const char *path, wwi_output *output) {
    output->file = (wwi_new_file){.descriptor = -1, .slot = -1};
    ww_status status = path ? open_stream(path, output) : open_held(output);
    if (status == WW_OK && !(output->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0)))
        status = wwi_fail_memory(sizeof(locale_t));
    if (status != WW_OK)
        wwi_output_close(output, false);
    return status;
}

ww_status wwi_output_open(const char *path, wwi_output *output) {
    *output = (wwi_output){.stream = NULL};
    return open_either(path, output);
}

ww_status wwi_output_open_to(ww_write_fn write, void *user, wwi_output *output) {
    *output = (wwi_output){.write = write, .user = user};
    return open_either(NULL, output);
}

// A stream that failed writes no more, and what is called until that is reported changes errno.
static void note(wwi_output *output, bool good) {
    if (!good && !output->error)
        output->error = errno;
}

// Before `size` bytes are written.
static bool goes_on(wwi_output *output, size_t size) {
    output->unasked += size;
    if (output->unasked >= UNASKED) {
        output->unasked = 0;
        output->interrupted = output->interrupted || wwi_interrupted() != WW_OK;
    }
    return wwi_output_goes_on(output);
}

ww_status wwi_output_check(const wwi_output *output) {
    const int error = output->error;
    if (output->interrupted)
        return wwi_fail(WW_ERROR_CANCELLED, "%s: its writing was interrupted",
                        output->write ? "an object" : output->file.path);
    if (!ferror(output->stream) && !error)
        return WW_OK;
    if (output->write)
        return wwi_fail(WW_ERROR_IO, "the function that writes failed: it returned %d", error);
    wwi_fail(WW_ERROR_IO, "%s: can't be written%s%s", output->file.path, error ? ": " : "",
             error ? strerror(error) : "");
    return error == ENOSPC ? wwi_fail_hint("the disk is full") : WW_ERROR_IO;
}

ww_status wwi_output_flush(wwi_output *output) {
    note(output, fflush(output->stream) == 0);
    return wwi_output_check(output);
}

ww_status wwi_output_finish(wwi_output *output) {
    WWI_TRY(wwi_output_flush(output));
    return wwi_new_file_sync(&output->file);
}

ww_status wwi_output_close(wwi_output *output, bool keep) {
    ww_status status = keep && output->stream ? wwi_output_flush(output) : WW_OK;
    if (!keep)
        output->error = ECANCELED; // a function gets nothing more
    if (output->stream && output->stream != stdout && fclose(output->stream) != 0 && keep && status == WW_OK)
        status = fail_errno(output->file.path);
    const ww_status closed = wwi_new_file_close(&output->file, keep && status == WW_OK);
    if (output->c_locale != (locale_t)0)
        freelocale(output->c_locale);
    free(output->held);
    *output = (wwi_output){.file = {.descriptor = -1, .slot = -1}};
    return status == WW_OK ? closed : status;
}

ww_status wwi_output_end(wwi_output *output, ww_status status) {
    const ww_status closed = wwi_output_close(output, status == WW_OK);
    return status == WW_OK ? closed : status;
}

void wwi_output_bytes(wwi_output *output, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    while (size > 0) {
        const size_t part = size < AT_ONCE ? size : AT_ONCE;
        if (!goes_on(output, part))
            return;
        note(output, fwrite(at, 1, part, output->stream) == part);
        at += part;
        size -= part;
    }
}

void wwi_output_text(wwi_output *output, const char *text) {
    wwi_output_bytes(output, text, strlen(text));
}

void wwi_output_print(wwi_output *output, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    const locale_t before = uselocale(output->c_locale);
    vsnprintf(text, sizeof text, format, arguments);
    uselocale(before); // before a function of the caller's runs
    va_end(arguments);
    wwi_output_text(output, text);
}

void wwi_output_number(wwi_output *output, double value, ww_precision precision) {
    if (isnan(value))
        wwi_output_text(output, "NaN");
    else
        wwi_output_print(output, "%.*g", precision == WW_FLOAT ? 9 : 17, value);
}

ww_status wwi_output_reserve(wwi_output *output, uint64_t bytes) {
    if (!output->file.temporary)
        return WW_OK;
    if (bytes > INT64_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%s: a file of %llu bytes", output->file.path, (unsigned long long)bytes);
    const int file = fileno(output->stream);
    struct statvfs disk;
    uint64_t available;
    bool full =
        fstatvfs(file, &disk) == 0 && wwi_mul_u64(disk.f_bavail, disk.f_frsize, &available) && available < bytes;
    // On a file system without reservations only the length is set.
    if (!full && fallocate(file, 0, 0, (off_t)bytes) != 0) {
        full = errno == ENOSPC || errno == EFBIG;
        if (!full && ftruncate(file, (off_t)bytes) != 0)
            return fail_errno(output->file.path);
    }
    if (!full)
        return WW_OK;
    wwi_fail(WW_ERROR_IO, "%s: needs %llu bytes, which the disk does not have", output->file.path,
             (unsigned long long)bytes);
    return wwi_fail_hint("write to another disk, or compute fewer distances");
}

void wwi_output_npy_header(wwi_output *output, ww_precision precision, const size_t *shape, size_t dimensions,
                           bool mark) {
    char tuple[80] = "";
    for (size_t d = 0; d < dimensions; d++)
        snprintf(tuple + strlen(tuple), sizeof tuple - strlen(tuple), "%zu%s", shape[d],
                 dimensions == 1      ? ","
                 : d + 1 < dimensions ? ", "
                                      : "");
    char text[WWI_NPY_HEADER_BYTES - 10]; // 10 bytes precede it, or 12
    const size_t size = sizeof text - (mark ? 2 : 0);
    const int length = snprintf(text, sizeof text, "{'descr': '%cf%d', 'fortran_order': False, 'shape': (%s), }",
                                wwi_is_little_endian() ? '<' : '>', precision == WW_FLOAT ? 4 : 8, tuple);
    memset(text + length, ' ', size - (size_t)length);
    text[size - 1] = '\n';
    const unsigned char bytes[4] = {(unsigned char)size, 0, 0, 0};
    wwi_output_bytes(output, mark ? "\x93NUMPY\x02\x00" : "\x93NUMPY\x01\x00", 8);
    wwi_output_bytes(output, bytes, mark ? 4 : 2);
    wwi_output_bytes(output, text, size);
}
