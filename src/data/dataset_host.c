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

static ww_status make_set(const ww_dataset *d, const void *values, ww_series_set **given) {
    const size_t longest = d->rank_lengths[d->rank_count - 1], points = d->channels + d->extra;
    WWI_FREES double *series = NULL;
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    WWI_TRY(wwi_new(series, longest * points));
    WWI_TRY(ww_series_set_create(d->channels, &set));
    for (size_t i = 0; i < d->count; i++) {
        const int64_t number = ww_dataset_class(d, i);
        to_double(d, values, i, series);
        WWI_TRY(ww_series_set_add(set, d->lengths[i], series,
                                  number < 0 ? NULL : ww_dataset_class_name(d, (size_t)number)));
        if (d->timed)
            WWI_TRY(ww_series_set_set_times(set, i, series + d->lengths[i] * d->channels));
    }
    *given = wwi_taken(&set);
    return WW_OK;
}

ww_status wwi_dataset_series(ww_dataset *d, ww_series_set **set) {
    WWI_FREES unsigned char *read = NULL;
    // What may have changed since is read anew.
    *set = d->foreign ? NULL : atomic_load(&d->set);
    if (*set) {
        wwi_series_set_retain(*set);
        return WW_OK;
    }
    const uint64_t bytes = d->offsets[d->count] * wwi_precision_bytes(d->precision);
    if (!d->host) {
        WWI_TRY(wwi_new(read, bytes));
        WWI_TRY(wwi_buffer_read(d->values, 0, bytes, read));
    }
    WWI_TRY(make_set(d, read ? read : d->host, set));
    ww_series_set *none = NULL;
    // Another thread may have been first: one of the two is kept, and they are equal.
    if (!d->foreign && atomic_compare_exchange_strong(&d->set, &none, *set))
        wwi_series_set_retain(*set);
    return WW_OK;
}

ww_status ww_dataset_series(ww_dataset *d, ww_series_set **set) {
    if (set)
        *set = NULL;
    if (!d || !set)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a dataset and a place for the set are needed");
    return wwi_dataset_series(d, set);
}

ww_status wwi_dataset_in_double(ww_dataset *d, ww_dataset **in_double) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    *in_double = d->precision == WW_DOUBLE ? d : atomic_load(&d->in_double);
    if (*in_double) {
        wwi_dataset_retain(*in_double);
        return WW_OK;
    }
    options.precision = WW_DOUBLE;
    options.allow_not_finite = d->unspecified;
    WWI_TRY(wwi_dataset_series(d, &set));
    WWI_TRY(ww_dataset_create_from_set(d->context, set, &options, in_double));
    ww_dataset *none = NULL;
    if (!d->foreign && atomic_compare_exchange_strong(&d->in_double, &none, *in_double))
        wwi_dataset_retain(*in_double);
    return WW_OK;
}
