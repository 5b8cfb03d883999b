// SPDX-License-Identifier: Apache-2.0
// Files of distances: written by one call, or filled block by block.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
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
    bool condensed;
};

// What a file of this shape is, before it is opened.
static ww_status describe(const char *path, ww_precision precision, size_t rows, size_t columns, ww_array_file **file) {
    if (!path || (precision != WW_FLOAT && precision != WW_DOUBLE))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_array_file: %s", path ? "no such precision" : "path is NULL");
    ww_array_file *made;
    WWI_TRY(wwi_new_zeroed(made, 1));
    *file = made;
    made->output.file = (wwi_new_file){.descriptor = -1, .slot = -1};
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
    const ww_status closed = ww_array_file_close(file, 0);
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

// ---- blocks

static void put_text(ww_array_file *file, size_t rows, const void *values) {
    for (size_t i = 0; i < rows && wwi_output_goes_on(&file->output); i++)
        for (size_t j = 0; j < file->columns; j++) {
            const double value = wwi_value_at(values, file->precision, i * file->columns + j);
            wwi_output_number(&file->output, value, file->precision);
            wwi_output_text(&file->output, j + 1 < file->columns ? "," : "\n");
        }
}

static ww_status write_bytes(const ww_array_file *file, uint64_t offset, const char *from, uint64_t size) {
    const int descriptor = fileno(file->output.stream);
    for (uint64_t at = 0; at < size;) {
        WWI_TRY(wwi_interrupted());
        const ssize_t done = pwrite(descriptor, from + at, (size_t)wwi_least(size - at, AT_ONCE), (off_t)(offset + at));
        if (done < 0 && errno != EINTR)
            return wwi_fail(WW_ERROR_IO, "%s: can't be written: %s", file->output.file.path, strerror(errno));
        at += done > 0 ? (uint64_t)done : 0;
    }
    return WW_OK;
}

static ww_status write_block(const ww_array_file *file, size_t row, size_t row_count, size_t column,
                             size_t column_count, const char *from) {
    // Whole rows are one piece.
    const bool whole_rows = column_count == file->columns;
    const size_t pieces = whole_rows ? 1 : row_count;
    const uint64_t bytes = (uint64_t)(whole_rows ? row_count : 1) * column_count * file->element_bytes;
    for (size_t i = 0; i < pieces; i++) {
        const uint64_t first = ((uint64_t)row + i) * file->columns + column;
        WWI_TRY(write_bytes(file, file->data_offset + first * file->element_bytes, from + i * bytes, bytes));
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

ww_status ww_array_file_put(ww_array_file *file, size_t row, size_t row_count, size_t column, size_t column_count,
                            const void *values) {
    WWI_TRY(check_block(file, row, row_count, column, column_count, values));
    const uint64_t count = (uint64_t)row_count * column_count;
    if (count == 0)
        return WW_OK;
    WWI_TRY(file->in_order ? put_in_order(file, row, row_count, column, column_count, values)
                           : write_block(file, row, row_count, column, column_count, values));
    file->written += count;
    return WW_OK;
}

ww_status ww_array_file_close(ww_array_file **file, int keep) {
    ww_array_file *f = wwi_taken(file);
    ww_status status = WW_OK;
    if (!f)
        return WW_OK;
    if (keep && f->written != f->elements)
        status = wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: %llu of %llu distances were put in it", f->output.file.path,
                          (unsigned long long)f->written, (unsigned long long)f->elements);
    const ww_status closed = wwi_output_close(&f->output, keep && status == WW_OK);
    free(f->band);
    free(f);
    return status == WW_OK ? closed : status;
}

ww_status ww_array_write(const char *path, const void *values, ww_precision precision, size_t rows, size_t columns) {
    WWI_ENDS(give_up) ww_array_file *file = NULL;
    WWI_TRY(ww_array_file_create(path, precision, rows, columns, &file));
    WWI_TRY(ww_array_file_put(file, 0, rows, 0, columns ? columns : 1, values));
    return ww_array_file_close(&file, 1);
}
