// SPDX-License-Identifier: Apache-2.0
// Datasets made from datasets: a measure's transformation of the series before they are compared.
#include "data/transform.h"

#include <math.h>
#include <stdlib.h>

// The conversion of one dataset into another, both channel by channel.
typedef struct derivation {
    const ww_dataset *source;
    unsigned char *values; // of the source
    wwi_transform transform;
    double gap;
    bool total; // the border of ERP is the sum of all gaps in every cell
    bool each;  // a border for each channel alone
} derivation;

static double get(const derivation *d, size_t i, size_t channel, size_t t) {
    const uint64_t at = d->source->offsets[i] + (uint64_t)channel * d->source->lengths[i] + t;
    return wwi_value_at(d->values, d->source->precision, at);
}

static void put(const derivation *d, void *target, uint64_t at, double value) {
    wwi_set_value(target, d->source->precision, at, value);
}

// x'[i] = ((x[i] - x[i-1]) + (x[i+1] - x[i-1]) / 2) / 2
static void fill_derivative(const derivation *d, size_t i, void *target) {
    const size_t length = d->source->lengths[i] - 2;
    for (size_t c = 0; c < d->source->channels; c++)
        for (size_t t = 0; t < length; t++) {
            const double before = get(d, i, c, t), here = get(d, i, c, t + 1), after = get(d, i, c, t + 2);
            put(d, target, c * length + t, ((here - before) + (after - before) / 2) / 2);
        }
}

// The norm of a point minus the gap's value, over channels [first, end). One channel's has no square, which may be no
// number.
static double gap_cost(const derivation *d, size_t i, size_t first, size_t end, size_t t) {
    double sum = 0;
    if (end - first == 1)
        return fabs(get(d, i, first, t) - d->gap);
    for (size_t c = first; c < end; c++) {
        const double value = get(d, i, c, t) - d->gap;
        sum += value * value;
    }
    return sqrt(sum);
}

static void fill_border(const derivation *d, size_t i, size_t first, size_t end, void *target, uint64_t at) {
    const size_t length = d->source->lengths[i];
    double total = 0, sum = 0;
    for (size_t t = 0; t < length; t++)
        total += gap_cost(d, i, first, end, t);
    for (size_t t = 0; t < length; t++) {
        sum += gap_cost(d, i, first, end, t);
        put(d, target, at + t, d->total ? total : sum);
    }
}

static void fill_borders(const derivation *d, size_t i, void *target) {
    const uint64_t length = d->source->lengths[i], channels = d->source->channels;
    if (!d->each)
        fill_border(d, i, 0, channels, target, channels * length);
    for (size_t c = 0; d->each && c < channels; c++)
        fill_border(d, i, c, c + 1, target, (channels + c) * length);
}

static void fill(void *user, size_t i, void *target) {
    const derivation *d = user;
    const size_t length = d->source->lengths[i], channels = d->source->channels;
    if (d->transform == WWI_TRANSFORM_DERIVATIVE) {
        fill_derivative(d, i, target);
        return;
    }
    for (size_t c = 0; c < channels; c++)
        for (size_t t = 0; t < length; t++)
            put(d, target, c * length + t, get(d, i, c, t));
    if (d->transform == WWI_TRANSFORM_ERP)
        fill_borders(d, i, target);
    for (size_t t = 0; d->transform == WWI_TRANSFORM_TIMES && t < length; t++)
        put(d, target, channels * length + t, (double)(t + 1));
}

static ww_status derived_lengths(const derivation *d, uint32_t *lengths) {
    for (size_t i = 0; i < d->source->count; i++) {
        lengths[i] = d->source->lengths[i];
        if (d->transform != WWI_TRANSFORM_DERIVATIVE)
            continue;
        if (lengths[i] < 3) {
            wwi_fail(WW_ERROR_EMPTY, "series %zu has %u points, too few for a derivative", i, lengths[i]);
            wwi_fail_hint("give series of at least 3 points");
            return wwi_fail_where((int64_t)i, -1);
        }
        lengths[i] -= 2;
    }
    return WW_OK;
}

// Sets what of a derivation depends on the measure; how many values a point has besides the channels.
static size_t set_measure(derivation *d, const ww_measure *measure) {
    d->transform = wwi_measure_row_by_id(measure->id)->transform;
    if (d->transform != WWI_TRANSFORM_ERP)
        return d->transform != WWI_TRANSFORM_DERIVATIVE;
    d->gap = measure->parameters[0];
    d->total = measure->parameters[1] != 0.0;
    d->each = measure->independent && d->source->channels > 1;
    return d->each ? d->source->channels : 1;
}

void wwi_dataset_derive_values(const ww_dataset *source, const ww_measure *measure, void *values,
                               const ww_dataset *derived, void *target) {
    derivation d = {.source = source, .values = values};
    set_measure(&d, measure);
    for (size_t i = 0; i < source->count; i++)
        fill(&d, i, (unsigned char *)target + derived->offsets[i] * wwi_precision_bytes(source->precision));
}

ww_status wwi_dataset_derive(ww_dataset *source, const ww_measure *measure, ww_dataset **derived) {
    const uint64_t bytes = source->offsets[source->count] * wwi_precision_bytes(source->precision);
    derivation d = {.source = source, .values = source->host};
    const size_t extra = set_measure(&d, measure);
    WWI_FREES uint32_t *lengths = NULL;
    WWI_FREES unsigned char *copy = NULL;
    *derived = NULL;
    WWI_TRY(wwi_new(lengths, source->count));
    WWI_TRY(derived_lengths(&d, lengths));
    if (!d.values) {
        WWI_TRY(wwi_new(copy, bytes));
        WWI_TRY(wwi_buffer_read(source->values, 0, bytes, copy));
        d.values = copy;
    }
    return wwi_dataset_fill(source, lengths, extra, fill, &d, derived);
}
