// SPDX-License-Identifier: Apache-2.0
// Files of distances: written by one call, or filled block by block, by one writer or by several.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kit.h"
#include "files/file_name.h"
#include "files/output.h"
#include "host.h"

#define AT_ONCE ((size_t)1 << 24) // bytes that the system is asked for: some milliseconds

struct ww_array_file {
    wwi_output output;
    bool text;     // .csv, or standard output
    bool in_order; // the output has no seek: rows are written in their order
    size_t rows, columns;
    size_t element_bytes;
    ww_precision precision;
    uint64_t data_offset; // of the first element in the file
    uint64_t written;     // elements put so far
    uint64_t elements;
    // In order: rows of which a part of the columns came, from the left.
    unsigned char *band;
    size_t band_rows, band_columns;
    // Shared: output.file has its path alone.
    bool shared, condensed;
    int descriptor; // of the file; -1: the output's
    char *part;     // its name until it is finished; NULL: it is
};

// What a file of this shape is, before it is opened.
static ww_status describe(const char *path, ww_precision precision, size_t rows, size_t columns, ww_array_file **file) {
    if (!path || (precision != WW_FLOAT && precision != WW_DOUBLE))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_array_file: %s", path ? "no such precision" : "path is NULL");
    ww_array_file *made;
    WWI_TRY(wwi_new_zeroed(made, 1));
    *file = made;
    made->output.file = (wwi_new_file){.descriptor = -1, .slot = -1};
    made->descriptor = -1;
    uint64_t bytes;
    made->rows = rows;
    made->condensed = columns == 0;
    made->columns = made->condensed ? 1 : columns;
    made->precision = precision;
    made->element_bytes = precision == WW_FLOAT ? sizeof(float) : sizeof(double);
    made->text = strcmp(path, "-") == 0 || wwi_name_ends_with(path, ".csv");
    made->data_offset = wwi_name_ends_with(path, ".npy") ? WWI_NPY_HEADER_BYTES : 0;
    if (!wwi_mul_u64(made->rows, made->columns, &made->elements) ||
        !wwi_mul_u64(made->elements, made->element_bytes, &bytes) || bytes > INT64_MAX - WWI_NPY_HEADER_BYTES)
        return wwi_fail(WW_ERROR_OVERFLOW, "%s: an array of %zu x %zu distances", path, rows, columns);
    return WW_OK;
}

static uint64_t size_of(const ww_array_file *file) {
    return file->data_offset + file->elements * file->element_bytes;
}

static void put_header(const ww_array_file *file, wwi_output *output) {
    const size_t shape[2] = {file->rows, file->columns};
    if (file->data_offset)
        wwi_output_npy_header(output, file->precision, shape, file->condensed ? 1 : 2, false);
}

// Opens the output, all of it reserved, its header written.
static ww_status begin(ww_array_file *file, const char *path, wwi_output *output) {
    WWI_TRY(wwi_output_open(path, output));
    file->in_order = file->text || !output->file.temporary;
    put_header(file, output);
    // The length of the text is not known before.
    if (!file->text)
        WWI_TRY(wwi_output_reserve(output, size_of(file)));
    return wwi_output_flush(output);
}

// Of one that is not given to the caller; the first error is reported.
static void give_up(ww_array_file **file) {
    const ww_status closed = ww_array_file_close(file, *file && (*file)->shared ? WW_ARRAY_FILE_LEAVE : 0);
    (void)closed;
}

ww_status ww_array_file_create(const char *path, ww_precision precision, size_t rows, size_t columns,
                               ww_array_file **file) {
    WWI_NEEDS("file", file);
    *file = NULL;
    WWI_ENDS(give_up) ww_array_file *made = NULL;
    WWI_TRY(describe(path, precision, rows, columns, &made));
    WWI_TRY(begin(made, path, &made->output));
    *file = wwi_taken(&made);
    return WW_OK;
}

// ---- several writers

static const char *name_of(const ww_array_file *file) {
    return file->part ? file->part : file->output.file.path;
}

static ww_status fail_part(const ww_array_file *file, const char *what) {
    return wwi_fail(WW_ERROR_IO, "%s: %s: %s", name_of(file), what, strerror(errno));
}

static void drop_output(wwi_output *output) {
    wwi_output_close(output, false);
}

// The file gets the name under which others join, whole: never in the place of one that is there.
static ww_status create_part(ww_array_file *file, const char *path) {
    WWI_ENDS(drop_output) wwi_output output = {.file = {.descriptor = -1, .slot = -1}};
    if (access(file->part, F_OK) == 0) {
        wwi_fail(WW_ERROR_IO, "%s is there: another run writes it, or one that ended wrote it", file->part);
        return wwi_fail_hint("go on with that run, or remove the file");
    }
    WWI_TRY(begin(file, path, &output));
    WWI_TRY(wwi_output_finish(&output));
    if (!output.file.temporary)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%s is a device or a pipe, which one writer fills", path);
    // Without links (some network file systems) a rename does it, unless two create it in the same moment.
    if (link(output.file.temporary, file->part) != 0 &&
        (errno == EEXIST || rename(output.file.temporary, file->part) != 0))
        return fail_part(file, "can't be written");
    WWI_TRY(wwi_output_close(&output, false));
    wwi_folder_sync(file->part);
    return WW_OK;
}

static int compare_bytes(void *user, const void *bytes, size_t count) {
    return memcmp(user, bytes, count) != 0;
}

// Size and header are those of the array.
static ww_status check_shape(const ww_array_file *file) {
    unsigned char bytes[WWI_NPY_HEADER_BYTES];
    const char *path = name_of(file);
    struct stat about;
    wwi_output header;
    if (fstat(file->descriptor, &about) != 0)
        return fail_part(file, "can't be read");
    if (!S_ISREG(about.st_mode) || (uint64_t)about.st_size != size_of(file))
        return wwi_fail(WW_ERROR_FORMAT, "%s has %lld bytes instead of %llu: another array, or cut off", path,
                        (long long)about.st_size, (unsigned long long)size_of(file));
    if (!file->data_offset)
        return WW_OK;
    if (pread(file->descriptor, bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return fail_part(file, "can't be read");
    WWI_TRY(wwi_output_open_to(compare_bytes, bytes, &header));
    put_header(file, &header);
    const ww_status status = wwi_output_close(&header, true);
    return status == WW_OK ? WW_OK : wwi_fail(WW_ERROR_FORMAT, "%s holds an array of another type or shape", path);
}

// Nobody finished it since it was opened.
static bool is_current(const ww_array_file *file) {
    struct stat open_one, named;
    return !file->part || (fstat(file->descriptor, &open_one) == 0 && stat(file->part, &named) == 0 &&
                           open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev);
}

static ww_status fail_gone(const ww_array_file *file) {
    if (access(file->output.file.path, F_OK) == 0)
        return wwi_fail(WW_ERROR_IO, "%s is not there; %s may be finished already", file->part, file->output.file.path);
    return wwi_fail(WW_ERROR_IO, "%s is not there: nobody has begun it, or it was removed", file->part);
}

// Each handle holds a lock that all writers share: who finishes has it alone.
static ww_status join(ww_array_file *file) {
    const char *path = name_of(file);
    file->descriptor = open(path, (file->part ? O_RDWR | O_NOFOLLOW : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
    if (file->descriptor < 0)
        return file->part && errno == ENOENT ? fail_gone(file) : fail_part(file, "can't be opened");
    if (file->part && flock(file->descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return wwi_fail(WW_ERROR_IO, "%s: another writer is finishing it", path);
    return is_current(file) ? check_shape(file) : fail_gone(file);
}

// The names: a link at `path` is followed.
static ww_status name_shared(ww_array_file *file, const char *path, ww_array_shared shared) {
    struct stat about;
    char *final = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? realpath(path, NULL) : strdup(path);
    file->output.file.path = final;
    if (final && shared != WW_ARRAY_READ && (file->part = malloc(strlen(final) + sizeof WWI_SHARED_PART)))
        strcat(strcpy(file->part, final), WWI_SHARED_PART);
    return final && (file->part || shared == WW_ARRAY_READ) ? WW_OK : wwi_fail_memory(strlen(path) + 1);
}

ww_status ww_array_file_open_shared(const char *path, ww_precision precision, size_t rows, size_t columns,
                                    ww_array_shared shared, ww_array_file **file) {
    if (file)
        *file = NULL;
    if (!file || (unsigned)shared > WW_ARRAY_READ)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_array_file_open_shared: %s",
                        file ? "no such way to open it" : "file is NULL");
    WWI_ENDS(give_up) ww_array_file *made = NULL;
    WWI_TRY(describe(path, precision, rows, columns, &made));
    made->shared = true;
    if (made->text) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: text is written by one writer, from its beginning to its end", path);
        return wwi_fail_hint("name a file that ends in .npy, or one of raw values");
    }
    WWI_TRY(name_shared(made, path, shared));
    if (shared == WW_ARRAY_CREATE)
        WWI_TRY(create_part(made, path));
    WWI_TRY(join(made));
    *file = wwi_taken(&made);
    return WW_OK;
}

ww_status ww_array_file_sync(ww_array_file *file) {
    if (!file || !file->shared)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_array_file_sync: not a shared file");
    // File systems that have nothing to do say EINVAL.
    return fsync(file->descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ? WW_OK
                                                                               : fail_part(file, "can't be written");
}

// The lock goes with the descriptor.
static ww_status finish_shared(ww_array_file *file) {
    if (!file->part)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s was opened only to be read", file->output.file.path);
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        wwi_fail(WW_ERROR_IO, "%s can't be finished: another writer has it open", file->part);
        return wwi_fail_hint("the last one finishes it");
    }
    WWI_TRY(is_current(file) ? check_shape(file) : fail_gone(file));
    WWI_TRY(ww_array_file_sync(file));
    if (rename(file->part, file->output.file.path) != 0)
        return fail_part(file, "can't be renamed");
    wwi_folder_sync(file->output.file.path);
    return WW_OK;
}

static ww_status close_shared(ww_array_file *file, int keep) {
    ww_status status = WW_OK;
    if (file->descriptor < 0)
        return WW_OK;
    if (keep == WW_ARRAY_FILE_FINISH)
        status = finish_shared(file);
    else if (keep)
        status = file->part ? ww_array_file_sync(file) : WW_OK;
    else if (file->part && is_current(file))
        unlink(file->part);
    close(file->descriptor);
    return status;
}

// ---- blocks

static void put_text(ww_array_file *file, size_t rows, const void *values) {
    for (size_t i = 0; i < rows && wwi_output_goes_on(&file->output); i++)
        for (size_t j = 0; j < file->columns; j++) {
            const double value = wwi_value_at(values, file->precision, i * file->columns + j);
            wwi_output_number(&file->output, value, file->precision);
            wwi_output_text(&file->output, j + 1 < file->columns ? "," : "\n");
        }
}

// Writes bytes, or reads them where `from` is NULL.
static ww_status move_bytes(const ww_array_file *file, uint64_t offset, const char *from, char *to, uint64_t size) {
    const int descriptor = file->shared ? file->descriptor : fileno(file->output.stream);
    for (uint64_t at = 0; at < size;) {
        WWI_TRY(wwi_interrupted());
        const size_t some = (size_t)wwi_least(size - at, AT_ONCE);
        const ssize_t done = from ? pwrite(descriptor, from + at, some, (off_t)(offset + at))
                                  : pread(descriptor, to + at, some, (off_t)(offset + at));
        if (done == 0 && !from)
            return wwi_fail(WW_ERROR_IO, "%s became shorter", name_of(file));
        if (done < 0 && errno != EINTR)
            return fail_part(file, from ? "can't be written" : "can't be read");
        at += done > 0 ? (uint64_t)done : 0;
    }
    return WW_OK;
}

// The same of a block.
static ww_status move_block(const ww_array_file *file, size_t row, size_t row_count, size_t column, size_t column_count,
                            const char *from, char *to) {
    // Whole rows are one piece.
    const bool whole_rows = column_count == file->columns;
    const size_t pieces = whole_rows ? 1 : row_count;
    const uint64_t bytes = (uint64_t)(whole_rows ? row_count : 1) * column_count * file->element_bytes;
    for (size_t i = 0; i < pieces; i++) {
        const uint64_t first = ((uint64_t)row + i) * file->columns + column;
        WWI_TRY(move_bytes(file, file->data_offset + first * file->element_bytes, from ? from + i * bytes : NULL,
                           to ? to + i * bytes : NULL, bytes));
    }
    return WW_OK;
}

static ww_status put_rows(ww_array_file *file, size_t rows, const void *values) {
    if (file->text)
        put_text(file, rows, values);
    else
        wwi_output_bytes(&file->output, values, rows * file->columns * file->element_bytes);
    return wwi_output_check(&file->output);
}

// A block of an output that is written in order: whole rows, or parts of the same rows from the left to the right.
static ww_status put_in_order(ww_array_file *file, size_t row, size_t row_count, size_t column, size_t column_count,
                              const void *values) {
    const uint64_t above = file->written - (uint64_t)file->band_rows * file->band_columns;
    const size_t size = file->element_bytes, part = column_count * size;
    if ((uint64_t)row * file->columns != above || column != file->band_columns ||
        (file->band_rows && row_count != file->band_rows))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: blocks must come in the order of rows, each from the left",
                        file->output.file.path);
    if (column_count == file->columns)
        return put_rows(file, row_count, values);
    if (!file->band_rows)
        WWI_TRY(wwi_new(file->band, row_count * file->columns * size));
    file->band_rows = row_count;
    for (size_t i = 0; i < row_count; i++)
        memcpy(file->band + (i * file->columns + column) * size, (const unsigned char *)values + i * part, part);
    file->band_columns += column_count;
    if (file->band_columns < file->columns)
        return WW_OK;
    const ww_status status = put_rows(file, row_count, file->band);
    free(file->band);
    file->band = NULL;
    file->band_rows = file->band_columns = 0;
    return status;
}

static ww_status check_block(const ww_array_file *file, size_t row, size_t row_count, size_t column,
                             size_t column_count, const void *values) {
    if (!file || (!values && row_count && column_count))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_array_file: %s is NULL", file ? "values" : "file");
    if (row > file->rows || row_count > file->rows - row || column > file->columns ||
        column_count > file->columns - column)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a block of %zu x %zu at (%zu, %zu) in an array of %zu x %zu",
                        row_count, column_count, row, column, file->rows, file->columns);
    return WW_OK;
}

ww_status ww_array_file_get(const ww_array_file *file, size_t row, size_t row_count, size_t column, size_t column_count,
                            void *values) {
    WWI_TRY(check_block(file, row, row_count, column, column_count, values));
    if (!file->shared)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s is not a shared file", file->output.file.path);
    return move_block(file, row, row_count, column, column_count, NULL, values);
}

ww_status ww_array_file_put(ww_array_file *file, size_t row, size_t row_count, size_t column, size_t column_count,
                            const void *values) {
    WWI_TRY(check_block(file, row, row_count, column, column_count, values));
    const uint64_t count = (uint64_t)row_count * column_count;
    if (count == 0)
        return WW_OK;
    WWI_TRY(file->in_order ? put_in_order(file, row, row_count, column, column_count, values)
                           : move_block(file, row, row_count, column, column_count, values, NULL));
    file->written += count;
    return WW_OK;
}

ww_status ww_array_file_close(ww_array_file **file, int keep) {
    ww_array_file *f = wwi_taken(file);
    ww_status status = WW_OK;
    if (!f)
        return WW_OK;
    if (f->shared)
        status = close_shared(f, keep);
    else if (keep && f->written != f->elements)
        status = wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: %llu of %llu distances were put in it", f->output.file.path,
                          (unsigned long long)f->written, (unsigned long long)f->elements);
    const ww_status closed = wwi_output_close(&f->output, !f->shared && keep && status == WW_OK);
    free(f->band);
    free(f->part);
    free(f);
    return status == WW_OK ? closed : status;
}

ww_status ww_array_write(const char *path, const void *values, ww_precision precision, size_t rows, size_t columns) {
    WWI_ENDS(give_up) ww_array_file *file = NULL;
    WWI_TRY(ww_array_file_create(path, precision, rows, columns, &file));
    WWI_TRY(ww_array_file_put(file, 0, rows, 0, columns ? columns : 1, values));
    return ww_array_file_close(&file, 1);
}
