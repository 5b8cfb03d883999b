// SPDX-License-Identifier: Apache-2.0
// The k nearest series, near ties decided in double. The search is in src/jobs/nearest.c.
#include "learn/exact_neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/distance.h>

#include "base/kit.h"
#include "base/run.h"
#include "data/dataset_host.h"
#include "jobs/plan.h"
#include "measure/measure_table.h"
#include "options.h"

// Neighbours requested beyond the k-th, where near ties are decided in double.
#define SPARE 7
// Pairs compared again at a time.
#define AGAIN (1u << 22)

static double float_error(const wwi_neighbours *j, double distance) {
    return wwi_rounding_error(j->measure, &j->rounding, distance);
}

// Candidates for the k nearest of a test series within the error of the distances; 0 where their order is certain or
// all are of one class and nothing else counts.
static size_t candidates_of(const wwi_neighbours *j, const wwi_neighbour *found) {
    const size_t k = j->k < j->others ? j->k : j->others;
    bool near = false;
    size_t end = 0;
    for (size_t s = 0; s + 1 < j->asked && s < k; s++)
        near = near || found[s + 1].distance - found[s].distance <=
                           float_error(j, found[s].distance) + float_error(j, found[s + 1].distance);
    const double farthest = found[k - 1].distance + float_error(j, found[k - 1].distance);
    while (end < j->asked && found[end].distance - float_error(j, found[end].distance) <= farthest)
        end++;
    if (end == j->asked)
        end = j->others;
    if (!near)
        return 0;
    bool one_class = j->classes_alone && end <= j->asked;
    for (size_t s = 1; one_class && s < end; s++)
        one_class =
            ww_dataset_class(j->train, (size_t)found[s].index) == ww_dataset_class(j->train, (size_t)found[0].index);
    return one_class ? 0 : end;
}

static int by_distance(const void *a, const void *b) {
    const wwi_neighbour *p = a, *q = b;
    const int order = (p->distance > q->distance) - (p->distance < q->distance);
    return order ? order : (p->index > q->index) - (p->index < q->index);
}

// Compares the candidates of `rows` test series in double and puts the nearest in their place.
static ww_status compare_again(wwi_neighbours *j, ww_dataset *test, ww_dataset *train, const size_t *rows,
                               const size_t *counts, size_t row_count, size_t pairs) {
    ww_plan_options options = j->plan;
    ww_run_options run = j->run;
    WWI_FREES size_t *row_index = NULL, *column_index = NULL;
    WWI_FREES double *distances = NULL;
    WWI_FREES wwi_neighbour *candidates = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    WWI_TRY(wwi_new(row_index, pairs));
    WWI_TRY(wwi_new(column_index, pairs));
    WWI_TRY(wwi_new(distances, pairs));
    WWI_TRY(wwi_new(candidates, pairs));
    for (size_t r = 0, at = 0; r < row_count; r++)
        for (size_t s = 0; s < counts[r]; s++, at++) {
            row_index[at] = rows[r];
            column_index[at] = counts[r] <= j->asked ? (size_t)j->found[rows[r] * j->asked + s].index
                                                     : s + (j->self && s >= rows[r]); // all others
            candidates[at].index = (int64_t)column_index[at];
        }
    run.progress = NULL; // progress has already reported the total
    options.run = &run;
    const ww_output to = WW_OUTPUT_HOST(distances);
    WWI_TRY(ww_plan_create_pairs(j->measure, test, train, row_index, column_index, pairs, &options, &plan));
    const double begin = wwi_seconds();
    WWI_TRY(ww_plan_run(plan, &to));
    for (size_t r = 0, at = 0; r < row_count; at += counts[r], r++) {
        for (size_t s = 0; s < counts[r]; s++)
            candidates[at + s].distance = distances[at + s];
        qsort(candidates + at, counts[r], sizeof *candidates, by_distance);
        const size_t kept = counts[r] < j->asked ? counts[r] : j->asked;
        memcpy(j->found + rows[r] * j->asked, candidates + at, kept * sizeof *candidates);
    }
    j->seconds += wwi_seconds() - begin;
    return WW_OK;
}

static ww_status decide_in_double(wwi_neighbours *j, size_t first, size_t count) {
    WWI_FREES size_t *rows = NULL, *counts = NULL;
    WWI_ENDS(ww_dataset_destroy) ww_dataset *test = NULL, *train = NULL;
    size_t taken = 0;
    WWI_TRY(wwi_new(rows, count));
    WWI_TRY(wwi_new(counts, count));
    for (size_t i = first; i < first + count; i++) {
        counts[taken] = candidates_of(j, j->found + i * j->asked);
        rows[taken] = i;
        taken += counts[taken] != 0;
    }
    if (taken == 0)
        return WW_OK;
    WWI_TRY(wwi_dataset_in_double(j->train, &train));
    WWI_TRY(wwi_dataset_in_double(j->test, &test));
    for (size_t begin = 0, end; begin < taken; begin = end) {
        size_t pairs = counts[begin];
        for (end = begin + 1; end < taken && pairs + counts[end] <= AGAIN; end++)
            pairs += counts[end];
        WWI_TRY(compare_again(j, test, train, rows + begin, counts + begin, end - begin, pairs));
    }
    return WW_OK;
}

void wwi_neighbours_add_info(ww_plan_info *info, const ww_plan_info *more) {
    const ww_plan_info before = *info;
    *info = *more;
    info->cells_done += before.cells_done;
    info->pairs_pruned += before.pairs_pruned;
    info->pairs_abandoned += before.pairs_abandoned;
    info->launches += before.launches;
    info->seconds_device += before.seconds_device;
}

static ww_status find_neighbours(wwi_neighbours *j, size_t first, size_t count) {
    const ww_precision precision = ww_dataset_precision(j->train);
    const size_t all = count * j->asked;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    wwi_neighbour *found = j->found + first * j->asked;
    WWI_FREES int64_t *indices = NULL;
    WWI_FREES unsigned char *distances = NULL;
    WWI_TRY(wwi_new(indices, all));
    WWI_TRY(wwi_new(distances, all * wwi_precision_bytes(precision)));
    const double begin = wwi_seconds();
    WWI_TRY(ww_plan_run_nearest_rows(j->search, first, count, indices, distances));
    WWI_TRY(ww_plan_get_info(j->search, &info));
    wwi_neighbours_add_info(&j->info, &info);
    for (size_t i = 0; i < all; i++)
        found[i] = (wwi_neighbour){indices[i], wwi_value_at(distances, precision, i)};
    j->seconds += wwi_seconds() - begin;
    return WW_OK;
}

// ---- the search

static uint32_t longest(const ww_dataset *d) {
    return d->rank_lengths[d->rank_count - 1];
}

// The largest absolute time stamp; without any a point's time is its index.
static double latest_time(const ww_dataset *d) {
    return d->timed ? d->largest_time : (double)longest(d);
}

// The largest absolute value. That of a caller's own memory is not known before it is read.
static ww_status largest_value(ww_dataset *d, double *largest) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    *largest = d->largest_value;
    if (!isinf(*largest))
        return WW_OK;
    WWI_TRY(wwi_dataset_series(d, &set));
    *largest = 0;
    for (size_t i = 0; i < d->count; i++)
        for (size_t t = 0; t < d->lengths[i] * d->channels; t++)
            *largest = fmax(*largest, fabs(ww_series_set_values(set, i)[t]));
    return WW_OK;
}

// What the bound of the error is made of.
static ww_status measure_sets(wwi_neighbours *j) {
    double train, test;
    WWI_TRY(largest_value(j->train, &train));
    WWI_TRY(largest_value(j->test, &test));
    j->rounding = (wwi_rounding){.largest = fmax(train, test),
                                 .latest = fmax(latest_time(j->train), latest_time(j->test)),
                                 .steps = (double)longest(j->train) + (double)longest(j->test),
                                 .channels = (double)j->train->channels};
    return WW_OK;
}

ww_status wwi_neighbours_begin(wwi_neighbours *j) {
    const ww_dataset *train = j->train;
    j->self = !j->test;
    j->test = j->test ? j->test : j->train;
    j->count = j->test->count;
    j->others = train->count - j->self;
    if (j->others == 0)
        return wwi_fail(WW_ERROR_EMPTY, "one series has no other to be compared with");
    if (j->k == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is 0; at least one neighbour is needed");
    j->again = train->precision == WW_FLOAT && wwi_context_info(train->context)->has_double &&
               wwi_measure_cost(j->measure) != WW_COST_USER && wwi_measure_row_by_id(j->measure->id)->rounding > 0;
    j->asked = j->again && j->k < j->others ? j->k + SPARE : j->k;
    if (j->asked > j->others)
        j->asked = j->others;
    return j->again ? measure_sets(j) : WW_OK;
}

ww_status wwi_neighbours_allocate(wwi_neighbours *j) {
    uint64_t bytes;
    if (!wwi_mul_u64(j->count, j->asked, &bytes) || !wwi_mul_u64(bytes, sizeof *j->found, &bytes) || bytes > SIZE_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu series with %zu neighbours", j->count, j->asked);
    j->found = malloc((size_t)bytes);
    return j->found ? WW_OK : wwi_fail_memory(bytes);
}

ww_status wwi_neighbours_plan(wwi_neighbours *j) {
    ww_plan_options options = j->plan;
    options.run = &j->run;
    return wwi_plan_create_nearest_alone(j->measure, j->test, j->self ? NULL : j->train, j->asked, &options,
                                         &j->search);
}

ww_status wwi_neighbours_some(wwi_neighbours *j, size_t first, size_t count) {
    WWI_TRY(find_neighbours(j, first, count));
    return j->again ? decide_in_double(j, first, count) : WW_OK;
}

void wwi_neighbours_free(wwi_neighbours *j) {
    ww_plan_destroy(&j->search);
    wwi_free_taken(&j->found);
}
