// SPDX-License-Identifier: Apache-2.0
// A dataset's series in double, in host memory and on the device, for jobs that learn. They are made when the first
// job asks, and kept.
#include "data/dataset_host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/kit.h"
#include "host.h"
#include "series/held.h"

// Series i of `values`, which are in the dataset's precision: its channels to `to`, its time stamps behind them.
static void to_double(const ww_dataset *d, const void *values, size_t i, double *to) {
    const size_t count = d->lengths[i] * (d->channels + d->extra);
    for (size_t t = 0; t < count; t++)
        to[t] = wwi_value_at(values, d->precision, d->offsets[i] + t);
}

static ww_status make_set(const ww_dataset *d, const void *values, ww_series_set **set) {
    const size_t longest = d->rank_lengths[d->rank_count - 1], points = d->channels + d->extra;
    double *series;
    WWI_TRY(wwi_new(series, longest * points));
    ww_status status = ww_series_set_create(d->channels, set);
    for (size_t i = 0; status == WW_OK && i < d->count; i++) {
        const int64_t class_number = ww_dataset_class(d, i);
        to_double(d, values, i, series);
        status = ww_series_set_add(*set, d->lengths[i], series,
                                   class_number < 0 ? NULL : ww_dataset_class_name(d, (size_t)class_number));
        if (status == WW_OK && d->timed)
            status = ww_series_set_set_times(*set, i, series + d->lengths[i] * d->channels);
    }
    if (status != WW_OK)
        ww_series_set_destroy(set);
    free(series);
    return status;
}

ww_status wwi_dataset_series(ww_dataset *d, ww_series_set **set) {
    ww_status status = WW_OK;
    void *read = NULL;
    // What may have changed since is read anew.
    *set = d->foreign ? NULL : atomic_load(&d->set);
    if (*set) {
        wwi_series_set_retain(*set);
        return WW_OK;
    }
    const uint64_t bytes = d->offsets[d->count] * wwi_precision_bytes(d->precision);
    if (!d->host) {
        if (!(read = malloc(bytes)))
            return wwi_fail_memory(bytes);
        status = wwi_buffer_read(d->values, 0, bytes, read);
    }
    if (status == WW_OK)
        status = make_set(d, read ? read : d->host, set);
    free(read);
    ww_series_set *none = NULL;
    // Another thread may have been first: one of the two is kept, and they are equal.
    if (status == WW_OK && !d->foreign && atomic_compare_exchange_strong(&d->set, &none, *set))
        wwi_series_set_retain(*set);
    return status;
}

ww_status ww_dataset_series(ww_dataset *d, ww_series_set **set) {
    if (set)
        *set = NULL;
    if (!d || !set)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a dataset and a place for the set are needed");
    const ww_status status = wwi_dataset_series(d, set);
    if (status != WW_OK)
        *set = NULL;
    return status;
}

ww_status wwi_dataset_in_double(ww_dataset *d, ww_dataset **in_double) {
    ww_series_set *set;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    *in_double = d->precision == WW_DOUBLE ? d : atomic_load(&d->in_double);
    if (*in_double) {
        wwi_dataset_retain(*in_double);
        return WW_OK;
    }
    options.precision = WW_DOUBLE;
    options.allow_not_finite = d->unspecified;
    WWI_TRY(wwi_dataset_series(d, &set));
    const ww_status status = ww_dataset_create_from_set(d->context, set, &options, in_double);
    ww_series_set_destroy(&set);
    ww_dataset *none = NULL;
    if (status == WW_OK && !d->foreign && atomic_compare_exchange_strong(&d->in_double, &none, *in_double))
        wwi_dataset_retain(*in_double);
    return status;
}
