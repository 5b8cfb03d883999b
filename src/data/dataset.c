// SPDX-License-Identifier: Apache-2.0
// Datasets: their creation on the device, or in host memory where they do not fit (src/data/slice.c uploads those in
// slices). values.c checks and converts the values, transform.c makes datasets from datasets.
#include "data/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kit.h"
#include "data/dataset_host.h"
#include "data/float_fit.h"
#include "data/values.h"
#include "data/view.h"
#include "options.h"
#include "series/held.h"

#define VALUES_AT_ONCE 65536 // about, that a thread makes

void wwi_dataset_retain(ww_dataset *dataset) {
    atomic_fetch_add(&dataset->references, 1);
}

void ww_dataset_destroy(ww_dataset **dataset) {
    ww_dataset *d = wwi_taken(dataset);
    if (!d || atomic_fetch_sub(&d->references, 1) != 1)
        return;
    WWI_TEAM_CLOSE(ww_dataset, d->team, d);
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
    wwi_sort(d->sorted, d->count, sizeof *d->sorted, by_length, d->lengths);
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

ww_status wwi_dataset_send_entries(const ww_dataset *d, uint64_t base, wwi_buffer **buffer) {
    WWI_FREES uint64_t *entries = NULL;
    WWI_TRY(wwi_new(entries, d->count * 2));
    for (size_t i = 0; i < d->count; i++) {
        entries[2 * i] = d->offsets[i] - base;
        entries[2 * i + 1] = (uint64_t)d->lengths[i] | (uint64_t)d->ranks[i] << 32;
    }
    return wwi_upload(d->context, buffer, entries, d->count * 16);
}

// A dataset that is kept in host memory is uploaded in slices of whole series.
static ww_status check_longest(const ww_dataset *d) {
    const uint64_t value_bytes = wwi_precision_bytes(d->precision);
    for (size_t i = 0; i < d->count; i++)
        if ((d->offsets[i + 1] - d->offsets[i]) * value_bytes > d->max_bytes) {
            wwi_fail(WW_ERROR_DEVICE_MEMORY, "series %zu needs %" PRIu64 " bytes, the limit is %" PRIu64, i,
                     (d->offsets[i + 1] - d->offsets[i]) * value_bytes, d->max_bytes);
            return wwi_fail_hint("use a larger device, or raise max_bytes");
        }
    return WW_OK;
}

// Whether the values are no more than `max_bytes` (0: than fit), half of the free memory being left for results and
// scratch.
static bool is_resident(ww_dataset *d, uint64_t max_bytes) {
    d->max_bytes = wwi_memory_share(d->context, 2, max_bytes);
    return d->offsets[d->count] * wwi_precision_bytes(d->precision) <= d->max_bytes;
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
        wwi_fail(WW_ERROR_CHANNELS, "the last channel is to be the time stamps, and the series have only one");
        return wwi_fail_hint("give the time stamps as one channel more");
    }
    return WW_OK;
}

// The view's values, labels and time stamps, to where the dataset has them.
static ww_status take_values(ww_dataset *d, const ww_series_view *view, const double *times,
                             const ww_dataset_options *o) {
    const uint64_t bytes = d->offsets[d->count] * wwi_precision_bytes(d->precision);
    if (is_resident(d, o->max_bytes))
        WWI_TRY(wwi_buffer_create(d->context, bytes, &d->values));
    else
        WWI_TRY(wwi_new(d->host, bytes));
    WWI_TRY(wwi_values_take(d, view, times));
    WWI_TRY(wwi_dataset_label(d, o->labels, o->label_numbers));
    return d->host ? check_longest(d) : wwi_dataset_send_entries(d, 0, &d->series);
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
    wwi_tell_series_fit(context, o.precision, &view);
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

// What a dataset is made of: a view, or a set.
typedef struct creation {
    const ww_series_view *view;
    ww_series_set *set;
    const ww_dataset_options *options;
} creation;

static ww_status create_from(const creation *c, ww_context *context, ww_dataset **dataset) {
    ww_dataset_options own = WW_DATASET_OPTIONS_INIT;
    if (!c->set)
        return create(context, c->view, NULL, c->options, dataset);
    if (c->options && wwi_options_take(&own, c->options, "ww_dataset_options") == WW_OK &&
        (own.labels || own.label_numbers))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "options.labels is set for a series set, which has labels of its own");
    // The time stamps of all series are stored one after the other.
    WWI_TRY(create(context, c->view, ww_series_set_times(c->set, 0), c->options, dataset));
    wwi_series_set_retain(c->set);
    atomic_store(&(*dataset)->set, c->set);
    return WW_OK;
}

static ww_status create_on(wwi_seat *seat) {
    ww_dataset *made = NULL;
    const ww_status status = create_from(seat->of, wwi_context_on(seat->team->context, seat->device), &made);
    seat->own = made;
    return status;
}

static void close_team(wwi_team **team) {
    WWI_TEAM_CLOSE(ww_dataset, wwi_taken(team), NULL);
}

// A store's jobs depend on these values.
static ww_status add_to_store(ww_store *store, const creation *c) {
    WWI_TRY(wwi_view_add_to(store, c->view));
    for (size_t i = 0; store && c->set && i < ww_series_set_count(c->set); i++)
        if (ww_series_set_times(c->set, i))
            wwi_store_add_input(store, ww_series_set_times(c->set, i),
                                ww_series_set_length(c->set, i) * sizeof(double));
    return WW_OK;
}

// On each device of a context.
static ww_status create_on_all(creation *c, ww_context *context, ww_dataset **dataset) {
    WWI_ENDS(close_team) wwi_team *team = NULL;
    if (dataset)
        *dataset = NULL;
    WWI_NEEDS("context, dataset", context, dataset);
    WWI_TRY(wwi_team_open(context, NULL, &team));
    if (!team)
        return create_from(c, context, dataset);
    WWI_TRY(wwi_team_make(team, create_on, c, 0, NULL));
    ww_dataset *first = wwi_team_any(team);
    WWI_TRY(add_to_store(wwi_context_store(context), c));
    first->team = wwi_taken(&team);
    *dataset = first;
    return WW_OK;
}

ww_status ww_dataset_create(ww_context *context, const ww_series_view *view, const ww_dataset_options *options,
                            ww_dataset **dataset) {
    return create_on_all(&(creation){view, NULL, options}, context, dataset);
}

ww_status wwi_dataset_on(ww_dataset *dataset, size_t device, ww_dataset **on) {
    *on = dataset;
    if (!dataset || !dataset->team)
        return WW_OK;
    WWI_TRY(wwi_team_check(dataset->team, device));
    *on = dataset->team->on[device];
    return WW_OK;
}

ww_context *wwi_datasets_divide(const ww_dataset *rows, const ww_dataset *columns) {
    const wwi_team *team = rows ? wwi_team_of(rows->team, columns != NULL, columns ? columns->team : NULL) : NULL;
    return team ? team->context : NULL;
}

// The making of a dataset's values, series by series.
typedef struct filling {
    const ww_dataset *dataset;
    size_t each; // series of a piece
    void (*fill)(void *user, size_t i, void *target);
    void *user;
} filling;

static ww_status fill_piece(void *user, uint64_t piece) {
    const filling *f = user;
    const ww_dataset *d = f->dataset;
    const size_t first = (size_t)piece * f->each, end = d->count - first < f->each ? d->count : first + f->each;
    for (size_t i = first; i < end; i++)
        f->fill(f->user, i, d->host + d->offsets[i] * wwi_precision_bytes(d->precision));
    return WW_OK;
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
    filling f = {d, (size_t)(wwi_ceil_div(VALUES_AT_ONCE * d->count, d->offsets[d->count])), fill, user};
    WWI_TRY(wwi_share(wwi_send_threads(d->context, d->offsets[d->count] * value_bytes), wwi_ceil_div(d->count, f.each),
                      fill_piece, &f));
    if (is_resident(d, source->host ? source->max_bytes : 0)) {
        WWI_TRY(wwi_upload(d->context, &d->values, d->host, d->offsets[d->count] * value_bytes));
        WWI_TRY(wwi_dataset_send_entries(d, 0, &d->series));
        wwi_free_taken(&d->host);
    } else {
        WWI_TRY(check_longest(d));
    }
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
    if (dataset)
        *dataset = NULL;
    WWI_TRY(ww_series_set_view(set, &view));
    return create_on_all(&(creation){&view, set, options}, context, dataset);
}

ww_status wwi_dataset_wrap(ww_context *context, void *memory, size_t count, size_t channels, const size_t *lengths,
                           size_t length, ww_precision precision, ww_dataset **dataset) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *d = NULL;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    if (dataset)
        *dataset = NULL;
    WWI_NEEDS("context, buffer, dataset", context, memory, dataset);
    context = wwi_context_first(context);
    view.values = memory; // only tested for NULL
    view.precision = precision;
    view.count = count;
    view.channels = channels;
    view.length = length;
    view.lengths = lengths;
    WWI_TRY(wwi_view_check(&view));
    WWI_TRY(wwi_check_precision(context, precision));
    WWI_TRY(allocate(context, count, channels, precision, &d));
    for (size_t i = 0; i < count; i++)
        d->lengths[i] = (uint32_t)(lengths ? lengths[i] : length);
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
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "%zu series of %zu channels can't update a dataset of %zu series of %zu channels", view->count,
                        view->channels, d->count, d->channels + d->extra);
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
    if (d->team)
        WWI_TRY(wwi_view_add_to(wwi_context_store(d->team->context), &view));
    for (size_t i = 0; d->team && i < d->team->count; i++)
        if (d->team->on[i] && d->team->on[i] != d)
            WWI_TRY(wwi_values_update(d->team->on[i], &view));
    return wwi_values_update(d, &view);
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
