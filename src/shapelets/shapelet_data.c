// SPDX-License-Identifier: Apache-2.0
// The series that shapelets are searched in: in double, here and on the device, and what is known of their values.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/normal.h"
#include "base/run.h"
#include "shapelets/shapelet_search.h"

static double extent(const double *x, size_t count) {
    double low = x[0], high = x[0];
    for (size_t t = 1; t < count; t++) {
        low = x[t] < low ? x[t] : low;
        high = x[t] > high ? x[t] : high;
    }
    return high - low;
}

// How coarse and how fine the series are. No window that is not constant has a smaller extent than the finest.
static void find_extents(wwi_shapelet_data *data) {
    data->finest = INFINITY;
    for (size_t i = 0; i < data->count && data->channels == 1; i++) {
        const double *x = data->values + data->offsets[i];
        const size_t length = wwi_shapelet_length(data, i);
        const double whole = length ? extent(x, length) : 0;
        data->widest = whole > data->widest ? whole : data->widest;
        for (size_t t = 0; t + 3 <= length; t++) {
            const double of = extent(x + t, 3);
            data->finest = of > 0 && of < data->finest ? of : data->finest;
        }
    }
}

// Ranges of up to 2^this, or down to its inverse, are as they are.
enum { MOST_EXPONENT = 20 };

static int exponent_for(double low, double high) {
    const double half = high / 2 - low / 2; // the range itself may be infinite
    const int exponent = half > 0 ? ilogb(half) + 1 : 0;
    return abs(exponent) <= MOST_EXPONENT ? 0 : -exponent;
}

// Scales values at odd scales by a power of two, which changes no z-normalised distance: each channel by itself, or of
// windows as they are all alike. The range of all is known then.
static ww_status scale_series(wwi_shapelet_kind kind, wwi_shapelet_data *data) {
    double all[2] = {INFINITY, -INFINITY}, scaled[2] = {INFINITY, -INFINITY};
    WWI_TRY(wwi_new_zeroed(data->exponents, data->channels));
    for (size_t ch = 0; ch < data->channels; ch++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < data->count; i++) {
            const size_t length = wwi_shapelet_length(data, i);
            const double *x = data->values + data->offsets[i] + ch * length;
            for (size_t t = 0; t < length; t++) {
                low = x[t] < low ? x[t] : low;
                high = x[t] > high ? x[t] : high;
            }
        }
        data->exponents[ch] = exponent_for(low, high);
        all[0] = fmin(all[0], low);
        all[1] = fmax(all[1], high);
        scaled[0] = fmin(scaled[0], ldexp(low, data->exponents[ch]));
        scaled[1] = fmax(scaled[1], ldexp(high, data->exponents[ch]));
    }
    for (size_t ch = 0; ch < data->channels; ch++) {
        if (kind.raw)
            data->exponents[ch] = exponent_for(all[0], all[1]);
        for (size_t i = 0; data->exponents[ch] && i < data->count; i++) {
            const size_t length = wwi_shapelet_length(data, i);
            double *x = data->values + data->offsets[i] + ch * length;
            for (size_t t = 0; t < length; t++)
                x[t] = ldexp(x[t], data->exponents[ch]);
        }
    }
    const double low = kind.raw ? ldexp(all[0], data->exponents[0]) : scaled[0],
                 high = kind.raw ? ldexp(all[1], data->exponents[0]) : scaled[1];
    data->centre = low + 0.5 * (high - low);
    data->range = high - low;
    return WW_OK;
}

void wwi_shapelet_scale(const wwi_shapelet_data *data, wwi_shapelet_kind kind, double *values, size_t length) {
    for (size_t ch = 0; ch < kind.channels; ch++) {
        double *x = values + ch * length, low = x[0], high = x[0];
        for (size_t t = 1; t < length; t++) {
            low = fmin(low, x[t]);
            high = fmax(high, x[t]);
        }
        const int exponent = kind.raw ? data->exponents[ch] : exponent_for(low, high);
        for (size_t t = 0; exponent && t < length; t++)
            x[t] = ldexp(x[t], exponent);
    }
}

// The squares of a smaller extent are not all numbers of double, where the range of all values is about 1.
#define LEAST_EXTENT 1e-140

// Windows that are not constant and whose squares are no numbers would be without a deviation.
static ww_status check_extents(const wwi_shapelet_data *data) {
    for (size_t i = 0; i < data->count; i++) {
        const size_t length = wwi_shapelet_length(data, i);
        for (size_t ch = 0; ch < data->channels; ch++) {
            const double *x = data->values + data->offsets[i] + ch * length;
            for (size_t t = 0; t + 3 <= length; t++) {
                const double low = fmin(fmin(x[t], x[t + 1]), x[t + 2]), high = fmax(fmax(x[t], x[t + 1]), x[t + 2]);
                if (high - low >= LEAST_EXTENT || wwi_is_constant(low, high))
                    continue;
                wwi_fail(WW_ERROR_UNSUPPORTED,
                         "series %zu, channel %zu: values differ by less than %g of the largest difference", i, ch,
                         LEAST_EXTENT);
                wwi_fail_hint("double does not hold their squares: if a huge value stands for a missing one, fill it");
                return wwi_fail_where((int64_t)i, (int64_t)t);
            }
        }
    }
    return WW_OK;
}

static ww_status copy_series(const ww_series_set *set, wwi_shapelet_kind kind, wwi_shapelet_data *data) {
    for (size_t i = 0; i < data->count; i++) {
        const size_t values = ww_series_set_length(set, i) * data->channels;
        double *to = data->values + data->offsets[i];
        memcpy(to, ww_series_set_values(set, i), values * sizeof *to);
        for (size_t t = 0; t < values; t++) {
            if (!isfinite(to[t])) {
                wwi_fail(WW_ERROR_NOT_FINITE, "series %zu has a value that is missing or infinite", i);
                wwi_fail_hint("shapelets need complete series");
                return wwi_fail_where((int64_t)i, (int64_t)(t % ww_series_set_length(set, i)));
            }
        }
    }
    WWI_TRY(scale_series(kind, data));
    return kind.raw ? WW_OK : check_extents(data);
}

ww_status wwi_shapelet_data_open(wwi_shapelet_device *device, const ww_series_set *set, wwi_shapelet_data *data) {
    memset(data, 0, sizeof *data);
    data->count = ww_series_set_count(set);
    data->channels = ww_series_set_channels(set);
    if (!data->count)
        return wwi_fail(WW_ERROR_EMPTY, "there are no series");
    data->longest = ww_series_set_max_length(set);
    if (data->longest > INT32_MAX / 4 || data->count > INT32_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "series of %zu points, or %zu series, are too many", data->longest,
                        data->count);
    WWI_TRY(wwi_new(data->offsets, data->count + 1));
    data->offsets[0] = 0;
    for (size_t i = 0; i < data->count; i++)
        data->offsets[i + 1] = data->offsets[i] + ww_series_set_length(set, i) * data->channels;
    const uint64_t bytes = data->offsets[data->count] * sizeof *data->values;
    WWI_TRY(wwi_new(data->values, data->offsets[data->count]));
    WWI_TRY(copy_series(set, device->kind, data));
    wwi_shapelet_find_steepest(data);
    if (!device->has_double)
        return WW_OK;
    find_extents(data);
    const uint64_t offset_bytes = (data->count + 1) * sizeof(uint64_t);
    WWI_TRY(wwi_upload(device->context, &data->device_values, data->values, bytes));
    return wwi_upload(device->context, &data->device_offsets, data->offsets, offset_bytes);
}

void wwi_shapelet_data_close(wwi_shapelet_data *data) {
    WWI_BUFFERS_DESTROY(&data->device_values, &data->device_offsets);
    free(data->offsets);
    free(data->values);
    free(data->exponents);
    memset(data, 0, sizeof *data);
}
