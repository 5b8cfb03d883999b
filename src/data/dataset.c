// SPDX-License-Identifier: Apache-2.0
// Datasets: checks series, converts them to their precision, and uploads them, or keeps them in host memory where they
// do not fit (src/data/slice.c uploads those in slices). transform.c makes datasets from datasets.
#include "data/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kit.h"
#include "data/dataset_host.h"
#include "data/view.h"
#include "options.h"
#include "series/held.h"

void wwi_dataset_retain(ww_dataset *dataset) {
    atomic_fetch_add(&dataset->references, 1);
}

void ww_dataset_destroy(ww_dataset **dataset) {
    ww_dataset *d = wwi_taken(dataset);
    if (!d || atomic_fetch_sub(&d->references, 1) != 1)
        return;
    WWI_BUFFERS_DESTROY(&d->values, &d->series);
    free(d->lengths);
    free(d->offsets);
    free(d->ranks);
    free(d->rank_lengths);
    free(d->sorted);
    free(d->host);
    free(d->classes);
    wwi_class_names_free(&d->names);
    ww_series_set *set = atomic_load(&d->set);
    ww_series_set_destroy(&set);
    ww_dataset *in_double = atomic_load(&d->in_double);
    ww_dataset_destroy(&in_double);
    wwi_context_release(d->context);
    free(d);
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

// The caller's also after a failure.
static ww_status allocate(ww_context *context, size_t count, size_t channels, ww_precision precision,
                          ww_dataset **dataset) {
    ww_dataset *d;
    WWI_TRY(wwi_new_zeroed(d, 1));
    *dataset = d;
    atomic_init(&d->references, 1);
    atomic_init(&d->set, NULL);
    atomic_init(&d->in_double, NULL);
    d->context = context;
    wwi_context_retain(context);
    d->count = count;
    d->channels = channels;
    d->precision = precision;
    WWI_TRY(wwi_new(d->lengths, count));
    WWI_TRY(wwi_new(d->offsets, count + 1));
    WWI_TRY(wwi_new(d->ranks, count));
    WWI_TRY(wwi_new(d->rank_lengths, count));
    return wwi_new(d->sorted, count);
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
    wwi_fail_channel((int64_t)channel);
    return wwi_fail_where((int64_t)i, (int64_t)t);
}

// One channel of series i into `target`, in the dataset's precision; NULL: it is only looked at. Values that are not
// finite there are an error.
static ww_status convert_line(ww_dataset *d, wwi_line from, size_t i, size_t channel, bool check, void *target) {
    const bool is_float = d->precision == WW_FLOAT, is_time = channel == d->channels;
    wwi_rounded *rounded = is_time ? &d->rounded_time : &d->rounded_value;
    double *largest = is_time ? &d->largest_time : &d->largest_value;
    for (size_t t = 0; t < d->lengths[i]; t++) {
        if (t % WWI_INTERRUPTED == 0)
            WWI_TRY(wwi_interrupted());
        const double value = wwi_line_at(from, t);
        const float in_float = (float)value;
        if (check && !(is_float ? isfinite(in_float) : isfinite(value)))
            return fail_not_finite(value, i, channel, t);
        if (is_time && t > 0 && value < wwi_line_at(from, t - 1)) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the time stamps of series %zu decrease at point %zu", i, t);
            return wwi_fail_where((int64_t)i, (int64_t)t);
        }
        *largest = fabs(value) > *largest ? fabs(value) : *largest;
        const bool inexact = is_float && fabs(value) > 16777216.0 && (double)in_float != value;
        if ((inexact || (!is_time && fabs(value) >= WWI_MOST_WHOLE)) && !rounded->any)
            *rounded = (wwi_rounded){true, i, t, value};
        if (!target)
            continue;
        if (is_float)
            ((float *)target)[t] = in_float;
        else
            ((double *)target)[t] = value;
    }
    return WW_OK;
}

// All series of a view into `target`, each channel by channel; NULL: they are only looked at. `times`: time stamps
// separate from the view, a value a point, series after series; or NULL.
static ww_status convert(ww_dataset *d, const ww_series_view *view, const double *times, unsigned char *target) {
    const size_t size = wwi_precision_bytes(d->precision);
    uint64_t before = 0;
    for (size_t i = 0; i < d->count; before += d->lengths[i++])
        for (size_t c = 0; c < d->channels + d->extra; c++) {
            const wwi_line from =
                c == view->channels ? (wwi_line){NULL, times + before, 1} : wwi_view_line(view, i, before, c);
            unsigned char *to = target ? target + (d->offsets[i] + c * d->lengths[i]) * size : NULL;
            WWI_TRY(convert_line(d, from, i, c, !d->unspecified, to));
        }
    return WW_OK;
}

ww_status wwi_dataset_send_entries(const ww_dataset *d, uint64_t base, wwi_buffer **buffer) {
    WWI_FREES uint64_t *entries = NULL;
    WWI_TRY(wwi_new(entries, d->count * 2));
    for (size_t i = 0; i < d->count; i++) {
        entries[2 * i] = d->offsets[i] - base;
        entries[2 * i + 1] = (uint64_t)d->lengths[i] | (uint64_t)d->ranks[i] << 32;
    }
    return wwi_upload(d->context, buffer, entries, d->count * 16);
}

// Uploads the values, which are `given` where they are not in d->host, or keeps them in host memory where they are more
// than `max_bytes` (0: than fit).
static ww_status place(ww_dataset *d, uint64_t max_bytes, const void *given) {
    const uint64_t value_bytes = wwi_precision_bytes(d->precision), bytes = d->offsets[d->count] * value_bytes;
    // Half of the free memory is left for results and scratch.
    const uint64_t limit = d->max_bytes = wwi_memory_share(d->context, 2, max_bytes);
    if (given || bytes <= limit) {
        WWI_TRY(wwi_upload(d->context, &d->values, given ? given : d->host, bytes));
        WWI_TRY(wwi_dataset_send_entries(d, 0, &d->series));
        wwi_free_taken(&d->host);
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

// Where a view's values are, if they are as a dataset holds them; else NULL.
static const void *as_held(const ww_dataset *d, const ww_series_view *view, const double *times) {
    if (times || view->precision != d->precision || !wwi_view_is_dense(view))
        return NULL;
    return view->series ? view->series[0] : view->values;
}

static ww_status check_options(ww_context *context, const ww_dataset_options *o, const ww_series_view *view,
                               const double *times) {
    if (o->precision != WW_FLOAT && o->precision != WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.precision is %d", (int)o->precision);
    WWI_TRY(wwi_check_precision(context, o->precision));
    if (o->times && times)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "options.times is set for a series set that has time stamps of its own");
    if (o->times && view->channels < 2) {
        wwi_fail(WW_ERROR_CHANNELS, "series of one channel can't have time stamps as their last");
        return wwi_fail_hint("give the time stamps as one channel more");
    }
    return WW_OK;
}

// The view's values, labels and time stamps, to where the dataset has them.
static ww_status take_values(ww_dataset *d, const ww_series_view *view, const double *times,
                             const ww_dataset_options *o) {
    const uint64_t bytes = d->offsets[d->count] * wwi_precision_bytes(d->precision);
    // What does not fit the device as a whole is kept in host memory, which is asked for before the values are read.
    const void *held = bytes <= wwi_memory_share(d->context, 2, o->max_bytes) ? as_held(d, view, times) : NULL;
    if (!held)
        WWI_TRY(wwi_new(d->host, bytes));
    WWI_TRY(convert(d, view, times, d->host));
    WWI_TRY(wwi_dataset_label(d, o->labels, o->label_numbers));
    return place(d, o->max_bytes, held);
}

// From now on the caller writes the values.
static ww_status open_updates(ww_dataset *d) {
    if (d->host)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "a dataset for updates does not fit the device as a whole");
    d->foreign = true;
    d->largest_value = d->largest_time = (double)INFINITY;
    return WW_OK;
}

// `times`: time stamps separate from the view, a value a point, series after series; or NULL.
static ww_status create(ww_context *context, const ww_series_view *given, const double *times,
                        const ww_dataset_options *options, ww_dataset **dataset) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *d = NULL;
    ww_dataset_options o = WW_DATASET_OPTIONS_INIT;
    ww_series_view view = WW_SERIES_VIEW_INIT;

    if (dataset)
        *dataset = NULL;
    WWI_NEEDS("context, dataset", context, dataset);
    WWI_NEEDS("view", given);
    WWI_TRY(wwi_options_take(&o, options, "ww_dataset_options"));
    WWI_TRY(wwi_options_take(&view, given, "ww_series_view"));
    WWI_TRY(wwi_view_check(&view));
    WWI_TRY(check_options(context, &o, &view, times));
    WWI_TRY(allocate(context, view.count, view.channels - (o.times != 0), o.precision, &d));
    d->timed = o.times || times;
    d->extra = d->timed;
    d->unspecified = o.allow_not_finite != 0;
    for (size_t i = 0; i < d->count; i++)
        d->lengths[i] = (uint32_t)wwi_view_length(&view, i);
    WWI_TRY(index_series(d));
    WWI_TRY(take_values(d, &view, times, &o));
    if (o.updates)
        WWI_TRY(open_updates(d));
    *dataset = wwi_taken(&d);
    return WW_OK;
}

ww_status ww_dataset_create(ww_context *context, const ww_series_view *view, const ww_dataset_options *options,
                            ww_dataset **dataset) {
    return create(context, view, NULL, options, dataset);
}

ww_status wwi_dataset_fill(const ww_dataset *source, const uint32_t *lengths, size_t extra,
                           void (*fill)(void *user, size_t i, void *target), void *user, ww_dataset **dataset) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *d = NULL;
    WWI_TRY(allocate(source->context, source->count, source->channels, source->precision, &d));
    d->extra = extra;
    d->rounded_value = source->rounded_value;
    d->rounded_time = source->rounded_time;
    d->largest_value = source->largest_value;
    d->largest_time = source->largest_time;
    d->unspecified = source->unspecified;
    memcpy(d->lengths, lengths, d->count * sizeof *d->lengths);
    WWI_TRY(index_series(d));
    const uint64_t value_bytes = wwi_precision_bytes(d->precision);
    WWI_TRY(wwi_new(d->host, d->offsets[d->count] * value_bytes));
    for (size_t i = 0; i < d->count; i++)
        fill(user, i, d->host + d->offsets[i] * value_bytes);
    WWI_TRY(place(d, source->host ? source->max_bytes : 0, NULL));
    *dataset = wwi_taken(&d);
    return WW_OK;
}

ww_status wwi_dataset_of_doubles(ww_context *context, ww_precision precision, const double *values, size_t count,
                                 size_t channels, size_t length, ww_dataset **dataset) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    view.values = values;
    view.precision = WW_DOUBLE;
    view.count = count;
    view.channels = channels;
    view.length = length;
    options.precision = precision;
    return ww_dataset_create(context, &view, &options, dataset);
}

ww_status ww_dataset_create_from_set(ww_context *context, ww_series_set *set, const ww_dataset_options *options,
                                     ww_dataset **dataset) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset_options own = WW_DATASET_OPTIONS_INIT;
    if (dataset)
        *dataset = NULL;
    WWI_TRY(ww_series_set_view(set, &view));
    if (options && wwi_options_take(&own, options, "ww_dataset_options") == WW_OK && (own.labels || own.label_numbers))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "options.labels is set for a series set, which has labels of its own");
    // The time stamps of all series are stored one after the other.
    WWI_TRY(create(context, &view, ww_series_set_times(set, 0), options, dataset));
    wwi_series_set_retain(set);
    atomic_store(&(*dataset)->set, set);
    return WW_OK;
}

ww_status wwi_dataset_wrap(ww_context *context, void *memory, size_t count, size_t channels, size_t length,
                           ww_precision precision, ww_dataset **dataset) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *d = NULL;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    if (dataset)
        *dataset = NULL;
    WWI_NEEDS("context, buffer, dataset", context, memory, dataset);
    view.values = memory; // only tested for NULL
    view.precision = precision;
    view.count = count;
    view.channels = channels;
    view.length = length;
    WWI_TRY(wwi_view_check(&view));
    WWI_TRY(wwi_check_precision(context, precision));
    WWI_TRY(allocate(context, count, channels, precision, &d));
    for (size_t i = 0; i < count; i++)
        d->lengths[i] = (uint32_t)length;
    WWI_TRY(index_series(d));
    WWI_TRY(wwi_buffer_wrap(context, memory, &d->values));
    WWI_TRY(wwi_dataset_send_entries(d, 0, &d->series));
    if (wwi_buffer_bytes(d->values) < d->offsets[count] * wwi_precision_bytes(precision))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the buffer has %" PRIu64 " bytes, the series need %" PRIu64,
                        wwi_buffer_bytes(d->values), d->offsets[count] * wwi_precision_bytes(precision));
    d->max_bytes = wwi_buffer_bytes(d->values);
    d->largest_value = (double)INFINITY;
    d->foreign = true;
    *dataset = wwi_taken(&d);
    return WW_OK;
}

// ---- other values

static ww_status check_same_shape(const ww_dataset *d, const ww_series_view *view) {
    if (view->count != d->count || view->channels != d->channels + d->extra)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu series of %zu channels for a dataset of %zu of %zu",
                        view->count, view->channels, d->count, d->channels + d->extra);
    for (size_t i = 0; i < d->count; i++)
        if (wwi_view_length(view, i) != d->lengths[i]) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "series %zu has %zu points, in the dataset %" PRIu32, i,
                     wwi_view_length(view, i), d->lengths[i]);
            return wwi_fail_where((int64_t)i, -1);
        }
    return WW_OK;
}

ww_status ww_dataset_update(ww_dataset *d, const ww_series_view *given) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    WWI_NEEDS("dataset, view", d, given);
    if (!d->foreign) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the dataset was not created to be updated");
        return wwi_fail_hint("set options.updates when it is created");
    }
    WWI_TRY(wwi_options_take(&view, given, "ww_series_view"));
    WWI_TRY(wwi_view_check(&view));
    WWI_TRY(check_same_shape(d, &view));
    const uint64_t bytes = d->offsets[d->count] * wwi_precision_bytes(d->precision);
    const void *held = as_held(d, &view, NULL);
    WWI_FREES unsigned char *values = NULL;
    const wwi_rounded value = d->rounded_value, time = d->rounded_time;
    if (!held)
        WWI_TRY(wwi_new(values, bytes));
    d->rounded_value = d->rounded_time = (wwi_rounded){0};
    ww_status status = convert(d, &view, NULL, values);
    if (status == WW_OK)
        status = wwi_buffer_write(d->values, 0, bytes, held ? held : values);
    if (status != WW_OK) {
        d->rounded_value = value;
        d->rounded_time = time;
    }
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
