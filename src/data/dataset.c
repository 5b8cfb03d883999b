// SPDX-License-Identifier: Apache-2.0
// Datasets: checks series, converts them to their precision, and uploads them, or keeps them in host memory where they
// do not fit (src/data/slice.c uploads those in slices). transform.c makes datasets from datasets.
#include "data/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

// Kernels index within a series with signed 32-bit numbers; some range is left for what engines add.
#define LONGEST 0x7fff0000u

size_t wwi_precision_bytes(ww_precision precision) {
    return precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
}

void wwi_dataset_retain(ww_dataset *dataset) {
    atomic_fetch_add(&dataset->references, 1);
}

void ww_dataset_destroy(ww_dataset **dataset) {
    if (!dataset || !*dataset)
        return;
    ww_dataset *d = *dataset;
    *dataset = NULL;
    if (atomic_fetch_sub(&d->references, 1) != 1)
        return;
    wwi_buffer_destroy(&d->values);
    wwi_buffer_destroy(&d->series);
    free(d->lengths);
    free(d->offsets);
    free(d->ranks);
    free(d->rank_lengths);
    free(d->sorted);
    free(d->host);
    wwi_context_release(d->context);
    free(d);
}

static ww_status check_view(const ww_series_view *view) {
    if (view->precision != WW_FLOAT && view->precision != WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "view.precision is %d", (int)view->precision);
    if (view->count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "there are no series");
    if (view->channels == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "view.channels is 0");
    if (!view->values)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "view.values is NULL");
    if (view->count > 0x7fffffffu || view->channels > 0x7fffffffu)
        return wwi_fail(WW_ERROR_OVERFLOW, "more than 2^31-1 series or channels");
    for (size_t i = 0; i < view->count; i++) {
        const size_t length = view->lengths ? view->lengths[i] : view->length;
        if (length == 0) {
            wwi_fail(WW_ERROR_EMPTY, "series %zu has length 0", i);
            return wwi_fail_where((int64_t)i, -1);
        }
        if (length > LONGEST) {
            wwi_fail(WW_ERROR_OVERFLOW, "series %zu has %zu points; the most is %u", i, length, LONGEST);
            return wwi_fail_where((int64_t)i, -1);
        }
    }
    return WW_OK;
}

// Lengths, offsets, ranks and the sorted order of a dataset whose count, channels and lengths are set.
static int by_length(const void *a, const void *b, void *lengths) {
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const uint32_t *length = lengths;
    if (length[i] != length[j])
        return length[i] < length[j] ? -1 : 1;
    return i < j ? -1 : i > j;
}

static ww_status index_series(ww_dataset *d) {
    uint64_t total = 0;
    for (size_t i = 0; i < d->count; i++) {
        uint64_t elements;
        d->offsets[i] = total;
        if (!wwi_mul_u64(d->lengths[i], d->channels + d->extra, &elements) || !wwi_add_u64(total, elements, &total) ||
            total > UINT64_MAX / 16)
            return wwi_fail(WW_ERROR_OVERFLOW, "the series have more values than 64 bits count");
        d->sorted[i] = (uint32_t)i;
    }
    d->offsets[d->count] = total;
    qsort_r(d->sorted, d->count, sizeof *d->sorted, by_length, d->lengths);
    for (size_t s = 0; s < d->count; s++) {
        const uint32_t length = d->lengths[d->sorted[s]];
        if (s == 0 || length != d->rank_lengths[d->rank_count - 1])
            d->rank_lengths[d->rank_count++] = length;
        d->ranks[d->sorted[s]] = d->rank_count - 1;
    }
    return WW_OK;
}

static ww_status allocate(ww_context *context, size_t count, size_t channels, ww_precision precision,
                          ww_dataset **dataset) {
    ww_dataset *d = calloc(1, sizeof *d);
    if (!d)
        return wwi_fail_memory(sizeof *d);
    atomic_init(&d->references, 1);
    d->context = context;
    wwi_context_retain(context);
    d->count = count;
    d->channels = channels;
    d->precision = precision;
    d->lengths = malloc(count * sizeof *d->lengths);
    d->offsets = malloc((count + 1) * sizeof *d->offsets);
    d->ranks = malloc(count * sizeof *d->ranks);
    d->rank_lengths = malloc(count * sizeof *d->rank_lengths);
    d->sorted = malloc(count * sizeof *d->sorted);
    if (!d->lengths || !d->offsets || !d->ranks || !d->rank_lengths || !d->sorted) {
        ww_dataset_destroy(&d);
        return wwi_fail_memory(count * 28);
    }
    *dataset = d;
    return WW_OK;
}

// The source of a series.
typedef struct origin {
    const ww_series_view *view;
    uint64_t offset;     // of its first value
    const double *times; // one a point, separate from the view; NULL: none, or the last channel
} origin;

// One channel of a series, or its time stamps: the value at time t is at t * stride of the pointer that is not NULL.
typedef struct line {
    const float *narrow;
    const double *wide;
    size_t stride;
} line;

static line line_of(const origin *s, size_t length, size_t channel) {
    if (channel == s->view->channels)
        return (line){NULL, s->times, 1};
    const uint64_t at = s->offset + (s->view->time_major ? channel : (uint64_t)channel * length);
    const size_t stride = s->view->time_major ? s->view->channels : 1;
    if (s->view->precision == WW_FLOAT)
        return (line){(const float *)s->view->values + at, NULL, stride};
    return (line){NULL, (const double *)s->view->values + at, stride};
}

static inline double value_at(line from, size_t t) {
    return from.wide ? from.wide[t * from.stride] : (double)from.narrow[t * from.stride];
}

static ww_status fail_not_finite(double value, size_t i, size_t channel, size_t t) {
    if (isfinite(value))
        wwi_fail(WW_ERROR_NOT_FINITE, "value %g of series %zu (point %zu, channel %zu) is too large for float", value,
                 i, t, channel);
    else
        wwi_fail(WW_ERROR_NOT_FINITE, "series %zu has %s at point %zu, channel %zu", i,
                 isnan(value) ? "NaN (a missing value)" : "infinity", t, channel);
    wwi_fail_hint(isfinite(value) ? "use double precision, or scale the series"
                                  : "fill or drop missing values before computing");
    return wwi_fail_where((int64_t)i, (int64_t)t);
}

// One channel of series i into `target`, in the dataset's precision. Values that are not finite there are an error.
static ww_status convert_line(ww_dataset *d, line from, size_t i, size_t channel, bool check, void *target) {
    const bool is_float = d->precision == WW_FLOAT, is_time = channel == d->channels;
    wwi_rounded *rounded = is_time ? &d->rounded_time : &d->rounded_value;
    double *largest = is_time ? &d->largest_time : &d->largest_value;
    for (size_t t = 0; t < d->lengths[i]; t++) {
        const double value = value_at(from, t);
        const float narrow = (float)value;
        if (check && !(is_float ? isfinite(narrow) : isfinite(value)))
            return fail_not_finite(value, i, channel, t);
        if (is_time && t > 0 && value < value_at(from, t - 1)) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the time stamps of series %zu decrease at point %zu", i, t);
            return wwi_fail_where((int64_t)i, (int64_t)t);
        }
        *largest = fabs(value) > *largest ? fabs(value) : *largest;
        if (is_float && fabs(value) > 16777216.0 && (double)narrow != value && !rounded->any)
            *rounded = (wwi_rounded){true, i, t, value};
        if (is_float)
            ((float *)target)[t] = narrow;
        else
            ((double *)target)[t] = value;
    }
    return WW_OK;
}

// One series into `target`, channel by channel.
static ww_status convert(ww_dataset *d, const origin *s, size_t i, bool check, unsigned char *target) {
    ww_status status = WW_OK;
    const size_t n = d->lengths[i], line_bytes = n * wwi_precision_bytes(d->precision);
    for (size_t c = 0; status == WW_OK && c < d->channels + d->extra; c++)
        status = convert_line(d, line_of(s, n, c), i, c, check, target + c * line_bytes);
    return status;
}

ww_status wwi_dataset_send_entries(const ww_dataset *d, uint64_t base, wwi_buffer **buffer) {
    ww_status status;
    uint64_t *entries = malloc(d->count * 16);
    if (!entries)
        return wwi_fail_memory(d->count * 16);
    for (size_t i = 0; i < d->count; i++) {
        entries[2 * i] = d->offsets[i] - base;
        entries[2 * i + 1] = (uint64_t)d->lengths[i] | (uint64_t)d->ranks[i] << 32;
    }
    status = *buffer ? WW_OK : wwi_buffer_create(d->context, d->count * 16, buffer);
    if (status == WW_OK)
        status = wwi_buffer_write(*buffer, 0, d->count * 16, entries);
    free(entries);
    return status;
}

// Uploads the values, or keeps them in host memory where they are more than `max_bytes` (0: than fit).
static ww_status place(ww_dataset *d, uint64_t max_bytes) {
    ww_status status;
    const uint64_t value_bytes = wwi_precision_bytes(d->precision), bytes = d->offsets[d->count] * value_bytes;
    // Half of the free memory is left for results and scratch.
    uint64_t limit = wwi_context_bytes_free(d->context) / 2;
    if (limit > wwi_context_max_buffer(d->context))
        limit = wwi_context_max_buffer(d->context);
    if (max_bytes && max_bytes < limit)
        limit = max_bytes;
    d->max_bytes = limit;
    if (bytes <= limit) {
        if ((status = wwi_buffer_create(d->context, bytes, &d->values)) != WW_OK ||
            (status = wwi_buffer_write(d->values, 0, bytes, d->host)) != WW_OK ||
            (status = wwi_dataset_send_entries(d, 0, &d->series)) != WW_OK)
            return status;
        free(d->host);
        d->host = NULL;
        return WW_OK;
    }
    for (size_t i = 0; i < d->count; i++)
        if ((d->offsets[i + 1] - d->offsets[i]) * value_bytes > limit) {
            wwi_fail(WW_ERROR_DEVICE_MEMORY, "series %zu needs %" PRIu64 " bytes, the limit is %" PRIu64, i,
                     (d->offsets[i + 1] - d->offsets[i]) * value_bytes, limit);
            return wwi_fail_hint("use a larger device, or raise max_bytes");
        }
    return WW_OK;
}

static bool device_has_double(const ww_context *context) {
    return wwi_context_info(context)->has_double != 0;
}

// `times`: time stamps separate from the view, a value a point, series after series; or NULL.
static ww_status create(ww_context *context, const ww_series_view *given, const double *times,
                        const ww_dataset_options *options, ww_dataset **dataset) {
    ww_status status;
    ww_dataset *d = NULL;
    ww_dataset_options o = WW_DATASET_OPTIONS_INIT;
    ww_series_view taken = WW_SERIES_VIEW_INIT;
    const ww_series_view *view = &taken;
    uint64_t offset = 0;

    if (!context || !dataset)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "context or dataset is NULL");
    *dataset = NULL;
    if (!given)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the view is NULL");
    if ((status = wwi_options_take(&o, options, "ww_dataset_options")) != WW_OK ||
        (status = wwi_options_take(&taken, given, "ww_series_view")) != WW_OK || (status = check_view(view)) != WW_OK)
        return status;
    if (o.precision != WW_FLOAT && o.precision != WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.precision is %d", (int)o.precision);
    if (o.precision == WW_DOUBLE && !device_has_double(context)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no double precision", wwi_context_info(context)->name);
        return wwi_fail_hint("use float, or another device");
    }
    if (o.times && times)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "options.times is set for a series set that has time stamps of its own");
    if (o.times && view->channels < 2) {
        wwi_fail(WW_ERROR_CHANNELS, "series of one channel can't have time stamps as their last");
        return wwi_fail_hint("give the time stamps as one channel more");
    }
    if ((status = allocate(context, view->count, view->channels - (o.times != 0), o.precision, &d)) != WW_OK)
        return status;
    d->timed = o.times || times;
    d->extra = d->timed;
    d->unspecified = o.allow_not_finite != 0;
    for (size_t i = 0; i < d->count; i++)
        d->lengths[i] = (uint32_t)(view->lengths ? view->lengths[i] : view->length);
    if ((status = index_series(d)) != WW_OK)
        goto done;

    const uint64_t value_bytes = wwi_precision_bytes(d->precision);
    const uint64_t bytes = d->offsets[d->count] * value_bytes;
    d->host = malloc(bytes);
    if (!d->host) {
        status = wwi_fail_memory(bytes);
        goto done;
    }
    for (size_t i = 0; i < d->count; i++) {
        const origin from = {view, view->offsets ? view->offsets[i] : offset, times};
        offset = from.offset + (uint64_t)d->lengths[i] * view->channels;
        status = convert(d, &from, i, !o.allow_not_finite, d->host + d->offsets[i] * value_bytes);
        if (status != WW_OK)
            goto done;
        times = times ? times + d->lengths[i] : NULL;
    }
    if ((status = place(d, o.max_bytes)) != WW_OK)
        goto done;
    *dataset = d;
    d = NULL;
done:
    ww_dataset_destroy(&d);
    return status;
}

ww_status ww_dataset_create(ww_context *context, const ww_series_view *view, const ww_dataset_options *options,
                            ww_dataset **dataset) {
    return create(context, view, NULL, options, dataset);
}

ww_status wwi_dataset_fill(const ww_dataset *source, const uint32_t *lengths, size_t extra,
                           void (*fill)(void *user, size_t i, void *target), void *user, ww_dataset **dataset) {
    ww_status status;
    ww_dataset *d = NULL;
    if ((status = allocate(source->context, source->count, source->channels, source->precision, &d)) != WW_OK)
        return status;
    d->extra = extra;
    d->rounded_value = source->rounded_value;
    d->rounded_time = source->rounded_time;
    d->largest_value = source->largest_value;
    d->largest_time = source->largest_time;
    d->unspecified = source->unspecified;
    memcpy(d->lengths, lengths, d->count * sizeof *d->lengths);
    if ((status = index_series(d)) != WW_OK)
        goto done;
    const uint64_t value_bytes = wwi_precision_bytes(d->precision);
    d->host = malloc(d->offsets[d->count] * value_bytes);
    if (!d->host) {
        status = wwi_fail_memory(d->offsets[d->count] * value_bytes);
        goto done;
    }
    for (size_t i = 0; i < d->count; i++)
        fill(user, i, d->host + d->offsets[i] * value_bytes);
    if ((status = place(d, source->host ? source->max_bytes : 0)) != WW_OK)
        goto done;
    *dataset = d;
    d = NULL;
done:
    ww_dataset_destroy(&d);
    return status;
}

ww_status ww_dataset_create_from_set(ww_context *context, const ww_series_set *set, const ww_dataset_options *options,
                                     ww_dataset **dataset) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    if (dataset)
        *dataset = NULL;
    const ww_status status = ww_series_set_view(set, &view);
    // The time stamps of all series are stored one after the other.
    return status == WW_OK ? create(context, &view, ww_series_set_times(set, 0), options, dataset) : status;
}

ww_status wwi_dataset_wrap(ww_context *context, void *memory, size_t count, size_t channels, size_t length,
                           ww_precision precision, ww_dataset **dataset) {
    ww_status status;
    ww_dataset *d = NULL;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    if (!context || !memory || !dataset)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "context, buffer or dataset is NULL");
    *dataset = NULL;
    view.values = memory; // only tested for NULL
    view.precision = precision;
    view.count = count;
    view.channels = channels;
    view.length = length;
    if ((status = check_view(&view)) != WW_OK)
        return status;
    if (precision == WW_DOUBLE && !device_has_double(context))
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no double precision", wwi_context_info(context)->name);
    if ((status = allocate(context, count, channels, precision, &d)) != WW_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        d->lengths[i] = (uint32_t)length;
    if ((status = index_series(d)) != WW_OK || (status = wwi_buffer_wrap(context, memory, &d->values)) != WW_OK ||
        (status = wwi_dataset_send_entries(d, 0, &d->series)) != WW_OK)
        goto done;
    if (wwi_buffer_bytes(d->values) < d->offsets[count] * wwi_precision_bytes(precision)) {
        status = wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the buffer has %" PRIu64 " bytes, the series need %" PRIu64,
                          wwi_buffer_bytes(d->values), d->offsets[count] * wwi_precision_bytes(precision));
        goto done;
    }
    d->max_bytes = wwi_buffer_bytes(d->values);
    d->largest_value = (double)INFINITY;
    d->foreign = true;
    *dataset = d;
    d = NULL;
done:
    ww_dataset_destroy(&d);
    return status;
}

size_t ww_dataset_count(const ww_dataset *dataset) {
    return dataset ? dataset->count : 0;
}

size_t ww_dataset_channels(const ww_dataset *dataset) {
    return dataset ? dataset->channels : 0;
}

size_t ww_dataset_length(const ww_dataset *dataset, size_t i) {
    return dataset && i < dataset->count ? dataset->lengths[i] : 0;
}

ww_precision ww_dataset_precision(const ww_dataset *dataset) {
    return dataset ? dataset->precision : WW_FLOAT;
}
