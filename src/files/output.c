// SPDX-License-Identifier: Apache-2.0
// Writes a file under a temporary name in the same folder and renames it when it is complete; numbers as text, the
// header of an .npy file.
#include "files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

static ww_status fail_errno(const char *path, const char *what) {
    return wwi_fail(WW_ERROR_IO, "%s: %s: %s", path, what, strerror(errno));
}

// A new file in the folder of the final one. Not mkstemp(), with which only the owner could read the file.
static int create_beside(wwi_output *output) {
    const size_t size = strlen(output->path) + 48;
    output->temporary = malloc(size);
    if (!output->temporary)
        return -1;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int file = -1;
    for (long attempt = 0; file < 0 && attempt < 100; attempt++) {
        snprintf(output->temporary, size, "%s.part-%ld-%ld", output->path, (long)getpid(), now.tv_nsec + attempt);
        file = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            break;
    }
    if (file < 0) {
        free(output->temporary);
        output->temporary = NULL;
    }
    return file;
}

static ww_status open_stream(const char *path, wwi_output *output) {
    if (strcmp(path, "-") == 0) {
        // Whatever else the program prints to stdout stays in order with it.
        output->path = strdup("standard output");
        output->stream = stdout;
        return output->path ? WW_OK : wwi_fail_memory(16);
    }
    struct stat about;
    const bool exists = stat(path, &about) == 0;
    if (exists && S_ISDIR(about.st_mode))
        return wwi_fail(WW_ERROR_IO, "%s: is a folder", path);
    // Renaming over a link would replace the link, not what it points to.
    output->path = exists ? realpath(path, NULL) : strdup(path);
    if (!output->path)
        return exists ? fail_errno(path, "can't be written") : wwi_fail_memory(strlen(path) + 1);
    // A device or a pipe must be written itself: renaming over it would take its place.
    const int file =
        exists && !S_ISREG(about.st_mode) ? open(output->path, O_WRONLY | O_CLOEXEC) : create_beside(output);
    if (file < 0)
        return fail_errno(path, "can't be written");
    output->stream = fdopen(file, "w");
    if (!output->stream) {
        fail_errno(path, "can't be written");
        close(file);
        return WW_ERROR_IO;
    }
    return WW_OK;
}

ww_status wwi_output_open(const char *path, wwi_output *output) {
    memset(output, 0, sizeof *output);
    ww_status status = open_stream(path, output);
    if (status == WW_OK) {
        output->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        if (output->c_locale == (locale_t)0)
            status = wwi_fail_memory(sizeof(locale_t));
    }
    if (status != WW_OK)
        wwi_output_close(output, false);
    return status;
}

ww_status wwi_output_check(const wwi_output *output) {
    if (!ferror(output->stream))
        return WW_OK;
    wwi_fail(WW_ERROR_IO, "%s: can't be written%s%s", output->path, errno ? ": " : "", errno ? strerror(errno) : "");
    return errno == ENOSPC ? wwi_fail_hint("the disk is full") : WW_ERROR_IO;
}

ww_status wwi_output_close(wwi_output *output, bool keep) {
    ww_status status = WW_OK;
    if (output->stream) {
        if (keep) {
            errno = ferror(output->stream) ? errno : 0;
            fflush(output->stream);
            status = wwi_output_check(output);
        }
        if (output->stream != stdout && fclose(output->stream) != 0 && keep && status == WW_OK)
            status = fail_errno(output->path, "can't be written");
    }
    if (output->temporary) {
        if (keep && status == WW_OK && rename(output->temporary, output->path) != 0)
            status = fail_errno(output->path, "can't be written");
        if (!keep || status != WW_OK)
            unlink(output->temporary);
    }
    if (output->c_locale != (locale_t)0)
        freelocale(output->c_locale);
    free(output->temporary);
    free(output->path);
    memset(output, 0, sizeof *output);
    return status;
}

void wwi_output_bytes(wwi_output *output, const void *bytes, size_t size) {
    fwrite(bytes, 1, size, output->stream);
}

void wwi_output_text(wwi_output *output, const char *text) {
    fputs(text, output->stream);
}

void wwi_output_number(wwi_output *output, double value, ww_precision precision) {
    if (isnan(value)) {
        wwi_output_text(output, "NaN");
        return;
    }
    const locale_t before = uselocale(output->c_locale);
    fprintf(output->stream, "%.*g", precision == WW_FLOAT ? 9 : 17, value);
    uselocale(before);
}

ww_status wwi_output_reserve(wwi_output *output, uint64_t bytes) {
    if (!output->temporary)
        return WW_OK;
    if (bytes > INT64_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%s: a file of %llu bytes", output->path, (unsigned long long)bytes);
    const int file = fileno(output->stream);
    struct statvfs disk;
    uint64_t room;
    bool full = fstatvfs(file, &disk) == 0 && wwi_mul_u64(disk.f_bavail, disk.f_frsize, &room) && room < bytes;
    // On a file system without reservations only the length is set.
    if (!full && fallocate(file, 0, 0, (off_t)bytes) != 0) {
        full = errno == ENOSPC || errno == EFBIG;
        if (!full && ftruncate(file, (off_t)bytes) != 0)
            return fail_errno(output->path, "can't be written");
    }
    if (!full)
        return WW_OK;
    wwi_fail(WW_ERROR_IO, "%s: needs %llu bytes, which the disk does not have", output->path,
             (unsigned long long)bytes);
    return wwi_fail_hint("write to another disk, or compute fewer distances");
}

void wwi_output_npy_header(wwi_output *output, ww_precision precision, const size_t *shape, size_t dimensions) {
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    char tuple[80] = "";
    for (size_t d = 0; d < dimensions; d++)
        snprintf(tuple + strlen(tuple), sizeof tuple - strlen(tuple), "%zu%s", shape[d],
                 dimensions == 1      ? ","
                 : d + 1 < dimensions ? ", "
                                      : "");
    char text[WWI_NPY_HEADER_BYTES - 10]; // 10 bytes precede it
    const int length = snprintf(text, sizeof text, "{'descr': '%cf%d', 'fortran_order': False, 'shape': (%s), }",
                                low ? '<' : '>', precision == WW_FLOAT ? 4 : 8, tuple);
    memset(text + length, ' ', sizeof text - (size_t)length);
    text[sizeof text - 1] = '\n';
    const unsigned char size[2] = {sizeof text, 0};
    wwi_output_bytes(output, "\x93NUMPY\x01\x00", 8);
    wwi_output_bytes(output, size, 2);
    wwi_output_bytes(output, text, sizeof text);
}
