// SPDX-License-Identifier: Apache-2.0
// The caller's streams as one long stream: one after the other, each followed by a point that is not a number. Values
// that are not finite become NaN.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "data/view.h"
#include "search/search_internal.h"

ww_status wwi_joined_open(wwi_joined *j, const wwi_joined *streams) {
    *j = (wwi_joined){.view = streams->view,
                      .from = streams->from,
                      .dataset = streams->dataset,
                      .shift = streams->shift,
                      .part = streams->part};
    j->count = j->dataset ? j->dataset->count : j->view ? j->view->count : 1;
    j->channels = j->dataset ? j->dataset->channels : j->view ? j->view->channels : j->from->channels;
    WWI_TRY(wwi_new(j->begins, j->count + 1));
    j->begins[0] = 0;
    for (size_t i = 0; i < j->count; i++) {
        const uint64_t length = j->dataset ? j->dataset->lengths[i]
                                : j->view  ? wwi_view_length(j->view, i)
                                           : j->from->length;
        if (length == 0) {
            wwi_fail(WW_ERROR_EMPTY, "stream %zu has no points", i);
            return wwi_fail_where((int64_t)i, -1);
        }
        if (length > UINT64_MAX / 4 - j->begins[i])
            return wwi_fail(WW_ERROR_OVERFLOW, "the streams have too many points");
        j->begins[i + 1] = j->begins[i] + length + 1;
    }
    return WW_OK;
}

ww_status wwi_joined_check_channels(const wwi_joined *j, size_t queries) {
    if (j->channels == queries)
        return WW_OK;
    return wwi_fail(WW_ERROR_CHANNELS, "the streams have %zu channels, the queries %zu", j->channels, queries);
}

void wwi_joined_close(wwi_joined *j) {
    free(j->begins);
    free(j->staging);
    memset(j, 0, sizeof *j);
}

uint64_t wwi_joined_length(const wwi_joined *j) {
    return j->part ? j->part : j->begins[j->count];
}

size_t wwi_joined_stream(const wwi_joined *j, uint64_t place, uint64_t *begin) {
    size_t first = 0, end = j->count;
    while (end - first > 1) {
        const size_t middle = first + (end - first) / 2;
        if (j->begins[middle] <= place + j->shift)
            first = middle;
        else
            end = middle;
    }
    *begin = j->begins[first];
    return first;
}

static ww_status too_large(double value, size_t stream, uint64_t point) {
    wwi_fail(WW_ERROR_NOT_FINITE, "value %g of stream %zu, point %llu, is too large for float", value, stream,
             (unsigned long long)point);
    wwi_fail_hint("search in double precision, or make it NaN where it stands for a missing value");
    return wwi_fail_where((int64_t)stream, (int64_t)point);
}

ww_status wwi_stream_value(ww_precision precision, double value, size_t stream, uint64_t point, double *taken) {
    *taken = isfinite(value) ? value : NAN;
    if (precision == WW_DOUBLE || !isfinite(value))
        return WW_OK;
    if (isinf((float)value))
        return too_large(value, stream, point);
    if ((float)value == 0 && value != 0)
        *taken = copysign((double)FLT_TRUE_MIN, value);
    return WW_OK;
}

static void note_largest(wwi_joined *j, double largest) {
    double known = atomic_load(&j->largest);
    while (largest > known && !atomic_compare_exchange_weak(&j->largest, &known, largest))
        continue;
}

static size_t point_bytes(const wwi_joined *j) {
    return j->channels * wwi_precision_bytes(j->from->precision);
}

static ww_status read_source(const wwi_joined *j, uint64_t t, size_t count, void *values) {
    if (j->from->read(j->from->user, t, count, values) != 0)
        return wwi_fail(WW_ERROR_IO, "points %llu to %llu of the stream can't be read", (unsigned long long)t,
                        (unsigned long long)(t + count));
    return WW_OK;
}

// Points [t, t+count) of the source to the staging.
static ww_status stage(wwi_joined *j, uint64_t t, size_t count) {
    const size_t each = point_bytes(j);
    j->staged_count = 0;
    if (j->staged < count) {
        free(j->staging);
        j->staged = 0;
        WWI_TRY(wwi_new(j->staging, count * each));
        j->staged = count;
    }
    WWI_TRY(read_source(j, t, count, j->staging));
    j->staged_first = t;
    j->staged_count = count;
    return WW_OK;
}

ww_status wwi_joined_stage(wwi_joined *j, uint64_t first, uint64_t count) {
    const uint64_t length = wwi_joined_length(j) - 1; // the last place is no point
    if (!j->from || j->from->concurrent || first >= length)
        return WW_OK;
    return stage(j, first, (size_t)wwi_least(count, length - first));
}

// Gives a value that z-normalised windows do with, where one is so large; else the largest absolute value.
static double copy_floats(wwi_line line, size_t count, float *to) {
    const float enough = (float)WWI_SEARCH_LEAST_FLOAT;
    int any = 0;
    for (size_t p = 0; p < count; p++) {
        const float x = line.floats[(ptrdiff_t)p * line.stride], size = fabsf(x);
        to[p] = size <= FLT_MAX ? x : NAN;
        any |= (size >= enough) & (size <= FLT_MAX);
    }
    if (any)
        return enough;
    double largest = 0;
    for (size_t p = 0; p < count; p++)
        largest = fmax(largest, fabs((double)to[p]));
    return largest;
}

// Sets the largest absolute value. False: float makes one of them infinite or, perhaps, 0.
static bool round_doubles(wwi_line line, size_t count, float *to, double *largest) {
    bool odd = false;
    for (size_t p = 0; p < count; p++) {
        const double x = line.doubles[(ptrdiff_t)p * line.stride], size = fabs(x);
        to[p] = size <= DBL_MAX ? (float)x : NAN;
        *largest = size <= DBL_MAX && size > *largest ? size : *largest;
        odd |= (size > FLT_MAX) & (size <= DBL_MAX);
        odd |= (size < FLT_MIN) & (size > 0);
    }
    return !odd;
}

// `count` values of a channel of a stream, from point t on, to `values` from `at` on.
static ww_status put_line(wwi_joined *j, wwi_line line, size_t stream, uint64_t t, size_t count, ww_precision precision,
                          void *values, size_t at) {
    double largest = 0, taken;
    bool done = false;
    if (precision == WW_FLOAT && line.floats) {
        largest = copy_floats(line, count, (float *)values + at);
        done = true;
    } else if (precision == WW_FLOAT) {
        done = round_doubles(line, count, (float *)values + at, &largest);
    }
    for (size_t p = 0; p < count && !done; p++) {
        WWI_TRY(wwi_stream_value(precision, wwi_line_at(line, p), stream, t + p, &taken));
        wwi_set_value(values, precision, at + p, taken);
        largest = fabs(taken) > largest ? fabs(taken) : largest;
    }
    note_largest(j, largest);
    return WW_OK;
}

// `count` points of a source from point t on, point by point, to columns from `at` on.
static ww_status put_points(wwi_joined *j, const void *points, uint64_t t, size_t count, ww_precision precision,
                            size_t stride, void *values, size_t at) {
    const bool is_double = j->from->precision == WW_DOUBLE;
    for (size_t c = 0; c < j->channels; c++) {
        const wwi_line line = {is_double ? NULL : (const float *)points + c,
                               is_double ? (const double *)points + c : NULL, (int64_t)j->channels};
        WWI_TRY(put_line(j, line, 0, t, count, precision, values, c * stride + at));
    }
    return WW_OK;
}

// The same of points [t, t+count), read by this thread, while others may read too.
static ww_status read_points(wwi_joined *j, uint64_t t, size_t count, ww_precision precision, size_t stride,
                             void *values, size_t at) {
    if (precision == WW_FLOAT && j->from->precision == WW_FLOAT && j->channels == 1) {
        float *to = (float *)values + at;
        WWI_TRY(read_source(j, t, count, to));
        return put_line(j, (wwi_line){to, NULL, 1}, 0, t, count, precision, values, at);
    }
    WWI_FREES unsigned char *points = NULL;
    WWI_TRY(wwi_new(points, count * point_bytes(j)));
    WWI_TRY(read_source(j, t, count, points));
    return put_points(j, points, t, count, precision, stride, values, at);
}

// The same of stream i of a dataset.
static ww_status read_device(const wwi_joined *j, size_t i, uint64_t t, size_t count, size_t stride, void *values,
                             size_t at) {
    const ww_dataset *d = j->dataset;
    const size_t size = wwi_precision_bytes(d->precision);
    for (size_t c = 0; c < j->channels; c++)
        WWI_TRY(wwi_buffer_read(d->values, (d->offsets[i] + c * d->lengths[i] + t) * size, count * size,
                                (unsigned char *)values + (c * stride + at) * size));
    return WW_OK;
}

// The same of stream i of a view.
static ww_status read_view(wwi_joined *j, size_t i, uint64_t t, size_t count, ww_precision precision, size_t stride,
                           void *values, size_t at) {
    for (size_t c = 0; c < j->channels; c++) {
        wwi_line line = wwi_view_line(j->view, i, j->begins[i] - i, c);
        if (line.floats)
            line.floats += (ptrdiff_t)t * line.stride;
        else
            line.doubles += (ptrdiff_t)t * line.stride;
        WWI_TRY(put_line(j, line, i, t, count, precision, values, c * stride + at));
    }
    return WW_OK;
}

// Points [t, t+count) of stream i to columns from `at` on. `count` of them exist.
static ww_status read_part(wwi_joined *j, size_t i, uint64_t t, size_t count, ww_precision precision, size_t stride,
                           void *values, size_t at) {
    if (j->dataset)
        return read_device(j, i, t, count, stride, values, at);
    if (j->view)
        return read_view(j, i, t, count, precision, stride, values, at);
    if (j->from->concurrent)
        return read_points(j, t, count, precision, stride, values, at);
    if (t < j->staged_first || t + count > j->staged_first + j->staged_count)
        WWI_TRY(stage(j, t, count));
    return put_points(j, j->staging + (t - j->staged_first) * point_bytes(j), t, count, precision, stride, values, at);
}

void wwi_points_derive(ww_precision precision, size_t channels, size_t count, size_t stride, const void *values,
                       void *derived) {
    for (size_t c = 0; c < channels; c++)
        for (size_t p = 0; p < count; p++) {
            const size_t k = c * stride + p;
            wwi_set_value(derived, precision, k,
                          p + 2 >= count ? NAN
                                         : wwi_derivative(wwi_value_at(values, precision, k),
                                                          wwi_value_at(values, precision, k + 1),
                                                          wwi_value_at(values, precision, k + 2)));
        }
}

ww_status wwi_joined_read(wwi_joined *j, uint64_t first, size_t count, ww_precision precision, size_t stride,
                          void *values, void *derived) {
    const uint64_t end = wwi_joined_length(j) - 1; // which is no point
    for (size_t at = 0, part; at < count; at += part) {
        const uint64_t place = first + at;
        uint64_t begin = 0, left = 0;
        size_t i = 0;
        if (place < end) {
            i = wwi_joined_stream(j, place, &begin);
            left = wwi_least(j->begins[i + 1] - 1 - place - j->shift, end - place);
        }
        part = left ? (size_t)wwi_least(left, count - at) : 1;
        for (size_t c = 0; c < j->channels && !left; c++)
            wwi_set_value(values, precision, c * stride + at, NAN);
        WWI_TRY(left ? read_part(j, i, place + j->shift - begin, part, precision, stride, values, at) : WW_OK);
    }
    if (derived)
        wwi_points_derive(precision, j->channels, count, stride, values, derived);
    return WW_OK;
}

ww_status wwi_joined_copy(const wwi_joined *j, uint64_t first, uint64_t count, wwi_buffer *values, uint64_t stride,
                          uint64_t at) {
    const ww_dataset *d = j->dataset;
    const uint64_t size = wwi_precision_bytes(d->precision);
    for (uint64_t done = 0, part; done < count; done += part) {
        uint64_t begin;
        const size_t i = wwi_joined_stream(j, first + done, &begin);
        const uint64_t t = first + done - begin, left = d->lengths[i] - t;
        part = left ? wwi_least(left, count - done) : 1;
        for (size_t c = 0; c < j->channels; c++) {
            const uint64_t to = (c * stride + at + done) * size;
            WWI_TRY(left ? wwi_buffer_copy(d->values, (d->offsets[i] + c * d->lengths[i] + t) * size, values, to,
                                           part * size)
                         : wwi_buffer_fill_u32(values, to, size, UINT32_MAX)); // NaN between the streams
        }
    }
    return WW_OK;
}
