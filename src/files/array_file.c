// SPDX-License-Identifier: Apache-2.0
// Files of distances: written by one call, or filled block by block.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/file_name.h"
#include "files/output.h"
#include "host.h"

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
};

ww_status ww_array_file_create(const char *path, ww_precision precision, size_t rows, size_t columns,
                               ww_array_file **file) {
    if (!file)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_array_file_create: file is NULL");
    *file = NULL;
    if (!path || (precision != WW_FLOAT && precision != WW_DOUBLE))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_array_file_create: %s",
                        path ? "no such precision" : "path is NULL");
    ww_array_file *made = calloc(1, sizeof *made);
    if (!made)
        return wwi_fail_memory(sizeof *made);
    made->output.file = (wwi_new_file){.descriptor = -1, .slot = -1};
    const bool condensed = columns == 0, npy = wwi_name_ends_with(path, ".npy");
    const size_t shape[2] = {rows, columns};
    uint64_t bytes;
    made->rows = rows;
    made->columns = condensed ? 1 : columns;
    made->precision = precision;
    made->element_bytes = precision == WW_FLOAT ? sizeof(float) : sizeof(double);
    made->text = strcmp(path, "-") == 0 || wwi_name_ends_with(path, ".csv");
    ww_status status = WW_OK;
    if (!wwi_mul_u64(made->rows, made->columns, &made->elements) ||
        !wwi_mul_u64(made->elements, made->element_bytes, &bytes) || bytes > INT64_MAX - WWI_NPY_HEADER_BYTES)
        status = wwi_fail(WW_ERROR_OVERFLOW, "%s: an array of %zu x %zu distances", path, rows, columns);
    if (status == WW_OK)
        status = wwi_output_open(path, &made->output);
    if (status == WW_OK) {
        made->in_order = made->text || !made->output.file.temporary;
        if (npy) {
            wwi_output_npy_header(&made->output, precision, shape, condensed ? 1 : 2);
            made->data_offset = WWI_NPY_HEADER_BYTES;
        }
        // The length of the text is not known before.
        if (!made->text)
            status = wwi_output_reserve(&made->output, bytes + made->data_offset);
        if (status == WW_OK)
            status = wwi_output_flush(&made->output);
    }
    if (status == WW_OK)
        *file = made;
    else {
        const ww_status removed = ww_array_file_close(&made, 0); // the first error is reported
        (void)removed;
    }
    return status;
}

static void put_text(ww_array_file *file, size_t rows, const void *values) {
    const float *singles = values;
    const double *doubles = values;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < file->columns; j++) {
            const size_t at = i * file->columns + j;
            wwi_output_number(&file->output, file->precision == WW_FLOAT ? (double)singles[at] : doubles[at],
                              file->precision);
            wwi_output_text(&file->output, j + 1 < file->columns ? "," : "\n");
        }
}

static ww_status put_at(ww_array_file *file, uint64_t offset, const char *bytes, uint64_t size) {
    const int to = fileno(file->output.stream);
    while (size > 0) {
        const size_t part = size < (1U << 30) ? (size_t)size : 1U << 30;
        const ssize_t done = pwrite(to, bytes, part, (off_t)offset);
        if (done < 0 && errno != EINTR)
            return wwi_fail(WW_ERROR_IO, "%s: can't be written: %s", file->output.file.path, strerror(errno));
        if (done > 0) {
            bytes += done;
            offset += (uint64_t)done;
            size -= (uint64_t)done;
        }
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
    if (!file->band_rows && !(file->band = malloc(row_count * file->columns * size)))
        return wwi_fail_memory(row_count * file->columns * size);
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

ww_status ww_array_file_put(ww_array_file *file, size_t row, size_t row_count, size_t column, size_t column_count,
                            const void *values) {
    if (!file || (!values && row_count && column_count))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_array_file_put: %s is NULL", file ? "values" : "file");
    if (row > file->rows || row_count > file->rows - row || column > file->columns ||
        column_count > file->columns - column)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a block of %zu x %zu at (%zu, %zu) in an array of %zu x %zu",
                        row_count, column_count, row, column, file->rows, file->columns);
    const bool whole_rows = column_count == file->columns;
    const uint64_t first = (uint64_t)row * file->columns + column, count = (uint64_t)row_count * column_count;
    ww_status status = WW_OK;
    if (file->in_order) {
        status = count ? put_in_order(file, row, row_count, column, column_count, values) : WW_OK;
    } else if (whole_rows) {
        status = put_at(file, file->data_offset + first * file->element_bytes, values, count * file->element_bytes);
    } else {
        const char *from = values;
        const uint64_t bytes = column_count * file->element_bytes;
        for (size_t i = 0; status == WW_OK && i < row_count; i++)
            status = put_at(file, file->data_offset + (first + (uint64_t)i * file->columns) * file->element_bytes,
                            from + i * bytes, bytes);
    }
    if (status == WW_OK)
        file->written += count;
    return status;
}

ww_status ww_array_file_close(ww_array_file **file, int keep) {
    if (!file || !*file)
        return WW_OK;
    ww_array_file *f = *file;
    ww_status status = WW_OK;
    if (keep && f->written != f->elements)
        status = wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: %llu of %llu distances were put in it", f->output.file.path,
                          (unsigned long long)f->written, (unsigned long long)f->elements);
    const ww_status closed = wwi_output_close(&f->output, keep && status == WW_OK);
    free(f->band);
    free(f);
    *file = NULL;
    return status == WW_OK ? closed : status;
}

ww_status ww_array_write(const char *path, const void *values, ww_precision precision, size_t rows, size_t columns) {
    ww_array_file *file = NULL;
    ww_status status = ww_array_file_create(path, precision, rows, columns, &file);
    if (status != WW_OK)
        return status;
    status = ww_array_file_put(file, 0, rows, 0, columns ? columns : 1, values);
    const ww_status closed = ww_array_file_close(&file, status == WW_OK);
    return status == WW_OK ? closed : status;
}
