// SPDX-License-Identifier: Apache-2.0
// Averages of series: options, members, the start. The methods are in files of their own: dba.c, soft.c.
#include "learn/average.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kit.h"
#include "data/dataset_host.h"
#include "error.h"
#include "host.h"
#include "measure/measure_table.h"
#include "options.h"

// By number.
static const wwi_average_method methods[] = {[WW_AVERAGE_DBA] = wwi_average_dba, [WW_AVERAGE_SOFT] = wwi_average_soft};
enum { METHODS = sizeof methods / sizeof *methods };
void ww_average_result_free(ww_average_result *result) {
    if (!result)
        return;
    const ww_average_result none = WW_AVERAGE_RESULT_INIT;
    ww_average_result own = none;
    const size_t covered = result->struct_size < sizeof own ? result->struct_size : sizeof own;
    memcpy(&own, result, covered);
    free(own.centre);
    free(own.objective);
    wwi_struct_init(result, covered, &none);
}

// ---- options

static ww_status check_weights(const ww_average_options *o, size_t count) {
    double sum = 0;
    for (size_t i = 0; o->weights && i < count; i++) {
        if (!isfinite(o->weights[i]) || o->weights[i] < 0)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "weight %zu is %g; weights are finite and not negative", i,
                            o->weights[i]);
        sum += o->weights[i];
    }
    if (o->weights && !(sum > 0 && isfinite(sum)))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the weights' sum is %g, and must be above 0", sum);
    return WW_OK;
}

static ww_status check_members(const wwi_average *a) {
    const ww_average_options *o = &a->options;
    if (!o->members && o->member_count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.member_count is %zu, and there is no list of members",
                        o->member_count);
    if (a->count == 0) {
        wwi_fail(WW_ERROR_EMPTY, "there is no series to average");
        return wwi_fail_hint("an empty class has no average");
    }
    for (size_t i = 0; o->members && i < a->count; i++)
        if (o->members[i] >= a->total)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "member %zu is series %zu of %zu", i, o->members[i], a->total);
    return check_weights(o, a->count);
}

static ww_status check_start(const wwi_average *a) {
    const ww_average_options *o = &a->options;
    if (o->start != WW_AVERAGE_START_GIVEN)
        return WW_OK;
    if (!o->given || o->given_length == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the given start has no points");
    for (size_t i = 0; i < o->given_length * a->channels; i++)
        if (!isfinite(o->given[i]))
            return wwi_fail(WW_ERROR_NOT_FINITE, "value %zu of the given start is %g", i, o->given[i]);
    return WW_OK;
}

static ww_status check_options(const wwi_average *a) {
    const ww_average_options *o = &a->options;
    if ((size_t)o->method >= METHODS)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.method is %d", (int)o->method);
    if ((unsigned)o->start > WW_AVERAGE_START_GIVEN)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.start is %d", (int)o->start);
    if (!(o->tolerance >= 0 && o->tolerance <= 1))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.tolerance is %g, and must be from 0 to 1", o->tolerance);
    if (o->length > 0x7fffffff || o->given_length > 0x7fffffff || o->iterations > 0x7fffffff)
        return wwi_fail(WW_ERROR_OVERFLOW, "a length or a number of iterations is beyond 2^31");
    WWI_TRY(check_members(a));
    return check_start(a);
}

// ---- the start

void wwi_add_stretched(const double *values, size_t length, size_t channels, double weight, double *to,
                       size_t to_length) {
    for (size_t c = 0; c < channels; c++)
        for (size_t t = 0; t < to_length; t++) {
            const double *from = values + c * length;
            double at = to_length > 1 ? (double)t * (double)(length - 1) / (double)(to_length - 1) : 0;
            size_t i = (size_t)at;
            if (i + 1 >= length) {
                i = length - 1;
                at = (double)i;
            }
            const double part = at - (double)i;
            const double value = part > 0 ? from[i] + part * (from[i + 1] - from[i]) : from[i];
            to[c * to_length + t] += weight * value;
        }
}

// The member with the least weighted sum of distances; ties to the first.
static ww_status find_medoid(const wwi_average *a, size_t *medoid) {
    WWI_FREES unsigned char *distances = NULL;
    WWI_ENDS(ww_dataset_destroy) ww_dataset *data = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    ww_dataset_options make = WW_DATASET_OPTIONS_INIT;
    uint64_t bytes;
    if (a->count == 1)
        return WW_OK;
    make.precision = a->precision;
    if (!wwi_mul_u64(a->count, a->count, &bytes) || !wwi_mul_u64(bytes, wwi_precision_bytes(a->precision), &bytes) ||
        bytes > PTRDIFF_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "the distances of %zu series are too many", a->count);
    WWI_TRY(wwi_new(distances, bytes));
    const ww_output to = WW_OUTPUT_HOST(distances);
    WWI_TRY(ww_dataset_create(a->context, &a->view, &make, &data));
    WWI_TRY(ww_plan_create_matrix(&a->measure, data, NULL, a->options.plan, &plan));
    WWI_TRY(ww_plan_run(plan, &to));
    double least = INFINITY;
    for (size_t i = 0; i < a->count; i++) {
        double sum = 0;
        for (size_t k = 0; k < a->count; k++)
            sum += a->weights[k] * wwi_value_at(distances, a->precision, i * a->count + k);
        if (sum < least) {
            least = sum;
            *medoid = i;
        }
    }
    return WW_OK;
}

// Adds a member's share to the centre.
static void add_member(wwi_average *a, size_t k, double share) {
    const double *values = (const double *)a->view.values + a->offsets[k];
    wwi_add_stretched(values, a->lengths[k], a->channels, share, a->result.centre, a->length);
}

// Sets the centre's length, and the centre to the start.
static ww_status make_start(wwi_average *a) {
    const ww_average_options *o = &a->options;
    size_t medoid = 0, longest = 0;
    double sum = 0;
    if (o->start == WW_AVERAGE_START_MEDOID)
        WWI_TRY(find_medoid(a, &medoid));
    for (size_t k = 0; k < a->count; k++) {
        longest = a->lengths[k] > longest ? a->lengths[k] : longest;
        sum += a->weights[k];
    }
    a->length = o->length                             ? o->length
                : o->start == WW_AVERAGE_START_GIVEN  ? o->given_length
                : o->start == WW_AVERAGE_START_MEDOID ? a->lengths[medoid]
                                                      : longest;
    WWI_TRY(wwi_new_zeroed(a->result.centre, a->length * a->channels));
    WWI_TRY(wwi_new_zeroed(a->result.objective, o->iterations + 1));
    if (o->start == WW_AVERAGE_START_GIVEN)
        wwi_add_stretched(o->given, o->given_length, a->channels, 1, a->result.centre, a->length);
    else if (o->start == WW_AVERAGE_START_MEDOID)
        add_member(a, medoid, 1);
    else
        for (size_t k = 0; k < a->count; k++)
            add_member(a, k, a->weights[k] / sum);
    return WW_OK;
}

// ---- the call

static ww_status list_members(wwi_average *a) {
    WWI_TRY(wwi_new(a->weights, a->count));
    WWI_TRY(wwi_new(a->lengths, a->count));
    WWI_TRY(wwi_new(a->offsets, a->count));
    a->view = (ww_series_view)WW_SERIES_VIEW_INIT;
    WWI_TRY(ww_series_set_view(a->set, &a->view));
    for (size_t k = 0; k < a->count; k++) {
        const size_t i = a->options.members ? a->options.members[k] : k;
        a->weights[k] = a->options.weights ? a->options.weights[k] : 1;
        a->lengths[k] = ww_series_set_length(a->set, i);
        a->offsets[k] = (size_t)(ww_series_set_values(a->set, i) - (const double *)a->view.values);
    }
    a->view.count = a->count;
    a->view.lengths = a->lengths;
    a->view.offsets = a->offsets;
    a->view.channels = a->channels;
    return WW_OK;
}

static void average_end(wwi_average *a) {
    free(a->lengths);
    free(a->offsets);
    free(a->weights);
    ww_series_set_destroy(&a->set);
    ww_average_result_free(&a->result);
}

ww_status ww_average(const ww_measure *measure, ww_dataset *series, const ww_average_options *options,
                     ww_average_result *result) {
    WWI_ENDS(average_end) wwi_average a = {.options = WW_AVERAGE_OPTIONS_INIT, .result = WW_AVERAGE_RESULT_INIT};
    WWI_NEEDS("result", result);
    WWI_TRY(wwi_struct_give(result, &a.result, "ww_average_result"));
    WWI_NEEDS("series", series);
    WWI_TRY(wwi_options_take(&a.options, options, "ww_average_options"));
    WWI_TRY(wwi_measure_take(measure, &a.measure));
    a.measure.root = 0;
    a.context = series->context;
    a.precision = series->precision;
    a.total = series->count;
    a.count = a.options.members ? a.options.member_count : a.total;
    a.channels = series->channels;
    WWI_TRY(check_options(&a));
    WWI_TRY(wwi_dataset_series(series, &a.set));
    WWI_TRY(list_members(&a));
    WWI_TRY(make_start(&a));
    a.result.length = a.length;
    a.result.channels = a.channels;
    WWI_TRY(methods[a.options.method](&a));
    WWI_TRY(wwi_struct_give(result, &a.result, "ww_average_result"));
    a.result = (ww_average_result)WW_AVERAGE_RESULT_INIT; // the caller's now
    return WW_OK;
}
