// SPDX-License-Identifier: Apache-2.0
// See view.h.
#include "data/view.h"

#include <stdlib.h>

#include "base/kit.h"
#include "options.h"
#include "work/store.h"

// Bytes between the first and the last of `count` places, added to *sum. False: more than a pointer can move.
static bool add_extent(int64_t stride, size_t count, uint64_t *sum) {
    const uint64_t size = stride < 0 ? UINT64_C(0) - (uint64_t)stride : (uint64_t)stride;
    uint64_t bytes;
    return wwi_mul_u64(size, count - 1, &bytes) && wwi_mul_u64(bytes, sizeof(double), &bytes) &&
           wwi_add_u64(*sum, bytes, sum) && *sum <= PTRDIFF_MAX;
}

static ww_status check_no_strides(const ww_series_view *view) {
    if (!view->series_stride && !view->channel_stride && !view->time_stride)
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the view has strides, but is not strided");
    return wwi_fail_hint("set view.strided to 1");
}

static ww_status check_strides(const ww_series_view *view, size_t longest) {
    uint64_t extent = 0;
    if (!view->strided)
        return check_no_strides(view);
    if (view->time_major) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the view is strided and time_major");
        return wwi_fail_hint("say the order of the axes by the strides alone");
    }
    if ((view->series || view->offsets) && view->series_stride)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "view.series_stride together with %s",
                        view->series ? "pointers" : "offsets");
    if (!add_extent(view->series_stride, view->count, &extent) ||
        !add_extent(view->channel_stride, view->channels, &extent) || !add_extent(view->time_stride, longest, &extent))
        return wwi_fail(WW_ERROR_OVERFLOW, "the view's strides go beyond memory");
    for (size_t i = 0; view->offsets && i < view->count; i++)
        if (view->offsets[i] > PTRDIFF_MAX / sizeof(double)) {
            wwi_fail(WW_ERROR_OVERFLOW, "series %zu begins at element %zu", i, view->offsets[i]);
            return wwi_fail_where((int64_t)i, -1);
        }
    return WW_OK;
}

static ww_status check_pointers(const ww_series_view *view) {
    if (!view->series)
        return WW_OK;
    if (view->values || view->offsets)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "view.series together with view.%s",
                        view->values ? "values" : "offsets");
    for (size_t i = 0; i < view->count; i++)
        if (!view->series[i]) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "view.series[%zu] is NULL", i);
            return wwi_fail_where((int64_t)i, -1);
        }
    return WW_OK;
}

static ww_status check_precision(const ww_series_view *view) {
    if (view->precision == WW_FLOAT || view->precision == WW_DOUBLE)
        return WW_OK;
    return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "view.precision is %d", (int)view->precision);
}

static ww_status check(const ww_series_view *view, size_t limit) {
    size_t longest = 1;
    WWI_TRY(check_precision(view));
    if (view->count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "there are no series");
    if (view->channels == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "view.channels is 0");
    if (!view->values && !view->series)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "view.values is NULL");
    if (view->count > 0x7fffffffu || view->channels > 0x7fffffffu)
        return wwi_fail(WW_ERROR_OVERFLOW, "more than 2^31-1 series or channels");
    for (size_t i = 0; i < view->count; i++) {
        const size_t length = wwi_view_length(view, i);
        if (length == 0) {
            wwi_fail(WW_ERROR_EMPTY, "series %zu has length 0", i);
            wwi_fail_hint("leave it out: a series has a point at least");
            return wwi_fail_where((int64_t)i, -1);
        }
        if (length > limit) {
            wwi_fail(WW_ERROR_OVERFLOW, "series %zu has %zu points; the most is %zu", i, length, limit);
            return wwi_fail_where((int64_t)i, -1);
        }
        longest = length > longest ? length : longest;
    }
    WWI_TRY(check_pointers(view));
    return check_strides(view, longest);
}

ww_status wwi_view_check(const ww_series_view *view) {
    return check(view, WWI_LONGEST);
}

wwi_line wwi_view_line(const ww_series_view *view, size_t i, uint64_t before, size_t channel) {
    const size_t length = wwi_view_length(view, i);
    const void *values = view->series ? view->series[i] : view->values;
    int64_t at = view->series ? 0 : (int64_t)(view->offsets ? view->offsets[i] : before * view->channels);
    int64_t stride = view->time_major ? (int64_t)view->channels : 1;
    if (view->strided) {
        at = view->offsets ? at : (int64_t)i * view->series_stride;
        at += (int64_t)channel * view->channel_stride;
        stride = view->time_stride;
    } else {
        at += view->time_major ? (int64_t)channel : (int64_t)(channel * length);
    }
    if (view->precision == WW_FLOAT)
        return (wwi_line){(const float *)values + at, NULL, stride};
    return (wwi_line){NULL, (const double *)values + at, stride};
}

static void copy_line(wwi_line from, size_t length, ww_precision precision, void *target) {
    for (size_t t = 0; t < length; t++)
        wwi_set_value(target, precision, t, wwi_line_at(from, t));
}

// Of all values.
static ww_status count_bytes(const ww_series_view *view, uint64_t *bytes) {
    uint64_t points = 0;
    for (size_t i = 0; i < view->count; i++)
        if (!wwi_add_u64(points, wwi_view_length(view, i), &points))
            return wwi_fail(WW_ERROR_OVERFLOW, "the series have more points than 64 bits count");
    if (!wwi_mul_u64(points, view->channels, bytes) ||
        !wwi_mul_u64(*bytes, wwi_precision_bytes(view->precision), bytes) || *bytes > PTRDIFF_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "the series have more bytes than memory");
    return WW_OK;
}

ww_status wwi_view_make_dense(const ww_series_view *given, ww_series_view *own, void **copy) {
    uint64_t bytes, points = 0;
    *own = (ww_series_view)WW_SERIES_VIEW_INIT;
    *copy = NULL;
    WWI_TRY(wwi_options_take(own, given, "ww_series_view"));
    WWI_TRY(check_precision(own));
    if (!own->series && !own->strided)
        return check_no_strides(own);
    WWI_TRY(check(own, SIZE_MAX));
    WWI_TRY(count_bytes(own, &bytes));
    const size_t size = wwi_precision_bytes(own->precision);
    unsigned char *to;
    WWI_TRY(wwi_new(to, bytes));
    *copy = to;
    for (size_t i = 0; i < own->count; i++) {
        const size_t length = wwi_view_length(own, i);
        for (size_t c = 0; c < own->channels; c++, to += length * size)
            copy_line(wwi_view_line(own, i, points, c), length, own->precision, to);
        points += length;
    }
    own->values = *copy;
    own->series = NULL;
    own->offsets = NULL;
    own->time_major = own->strided = 0;
    own->series_stride = own->channel_stride = own->time_stride = 0;
    return WW_OK;
}

ww_status wwi_view_add_to(ww_store *store, const ww_series_view *view) {
    ww_series_view own;
    WWI_FREES void *copy = NULL;
    if (!store || !view)
        return WW_OK;
    WWI_TRY(wwi_view_make_dense(view, &own, &copy));
    const size_t size = wwi_precision_bytes(own.precision);
    const uint64_t shape[] = {(uint64_t)own.precision, own.count, own.channels, own.time_major != 0};
    wwi_store_add_input(store, shape, sizeof shape);
    uint64_t before = 0;
    for (size_t i = 0; i < own.count; i++) {
        const uint64_t values = (uint64_t)wwi_view_length(&own, i) * own.channels;
        wwi_store_add_input(store, (const unsigned char *)own.values + (own.offsets ? own.offsets[i] : before) * size,
                            (size_t)(values * size));
        before += values;
    }
    return WW_OK;
}
