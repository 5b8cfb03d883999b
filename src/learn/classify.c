// SPDX-License-Identifier: Apache-2.0
// Classification by the k nearest neighbours, with near ties decided in double. The search is in src/jobs/nearest.c.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/classify.h>

#include "base/run.h"
#include "data/dataset.h"
#include "measure/measure_table.h"
#include "options.h"

// Neighbours requested beyond the k-th, where near ties are decided in double.
#define SPARE 7
// Pairs compared again at a time.
#define AGAIN (1u << 22)

typedef struct neighbour {
    int64_t index;
    double distance;
} neighbour;

// The datasets that were needed so far, by precision (float, double) and set (train, test).
struct ww_classify_data {
    ww_context *context;
    const ww_series_set *sets[2];
    ww_dataset *uploaded[2][2];
};

typedef struct job {
    ww_context *context;
    ww_classify_data *data;
    const ww_measure *measure;
    const ww_series_set *train, *test;
    const ww_classify_options *options;
    ww_plan_options plan; // of the search, without its `run`
    ww_run_options run;
    bool self; // the train set with itself, each series without itself; `test` is `train`
    size_t train_count, test_count;
    size_t others;    // series that a test series has to choose from
    size_t k, asked;  // neighbours that vote; neighbours requested
    bool again;       // near ties are decided in double
    double largest;   // absolute value in either set
    double latest;    // absolute time in either set
    double steps;     // most cells of a warping path
    double seconds;   // of computing
    neighbour *found; // test_count x asked, nearest first
    ww_classification *result;
} job;

// ---- the sets on the device

ww_status ww_classify_data_create(ww_context *context, const ww_series_set *train, const ww_series_set *test,
                                  ww_classify_data **data) {
    if (!data || !context || !train)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the context, the train set or the result is NULL");
    *data = calloc(1, sizeof **data);
    if (!*data)
        return wwi_fail_memory(sizeof **data);
    wwi_context_retain(context);
    **data = (ww_classify_data){.context = context, .sets = {train, test}};
    return WW_OK;
}

static void forget_datasets(ww_classify_data *data) {
    for (int i = 0; i < 4; i++)
        ww_dataset_destroy(&data->uploaded[i / 2][i % 2]);
}

void ww_classify_data_destroy(ww_classify_data **data) {
    if (data && *data) {
        forget_datasets(*data);
        ww_context_destroy(&(*data)->context);
        free(*data);
        *data = NULL;
    }
}

// Both sets in a precision; the test set's is the train set's where they are one. Owned by `data`.
static ww_status take_datasets(const job *j, ww_precision precision, ww_dataset **train, ww_dataset **test) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset **uploaded = j->data->uploaded[precision == WW_DOUBLE];
    ww_status status = WW_OK;
    options.precision = precision;
    for (int s = 0; status == WW_OK && s < (j->self ? 1 : 2); s++)
        if (!uploaded[s])
            status = ww_dataset_create_from_set(j->context, j->data->sets[s], &options, &uploaded[s]);
    *train = uploaded[0];
    *test = uploaded[j->self ? 0 : 1];
    return status;
}

// ---- the error of a distance in float

// Rounding to float moves a value by at most 2^-24 of it, so a difference of two by at most e = 2^-23 largest, and by
// 2^-24 of itself when it is taken. Along a path of S cells over C channels that moves a sum of squares D by at most 2
// e sqrt(C S D) + C S e^2 (Cauchy-Schwarz), a sum of absolute values by C S e, of Euclidean costs by sqrt(C) S e; a
// maximum is one cell, S = 1. Sums add 2^-24 of D for each addition. The factor of other measures is in the table
// (`rounding`); the errors of their parameters are added below.
static double float_error(const job *j, double distance) {
    const wwi_measure_row *row = wwi_measure_row_by_id(j->measure->id);
    const double *p = j->measure->parameters;
    const double u = ldexp(1.0, -24), channels = (double)ww_series_set_channels(j->train);
    const double steps = row->flags & WWI_MEASURE_BOUND_MAX ? 1 : j->steps;
    double e = 2 * u * row->rounding * j->largest, error = 0, more = 4;
    double d = j->measure->root ? distance * distance : distance;
    switch (j->measure->id) {
    case WW_ERP:
        e += 2 * u * fabs(p[0]);
        break;
    case WW_MSM: // a quotient of differences
        more += 16;
        break;
    case WW_WDTW:
    case WW_WDDTW: // an exponential whose argument is at most g S / 4
        more += 8 + p[0] * steps / 4;
        e *= fmax(p[1], 1);
        break;
    case WW_TWED: // times nu, four to a step; a power, whose slope is largest at the largest difference
        error = 8 * u * steps * p[0] * j->latest;
        more += p[2] == 1 || p[2] == 2 ? 0 : 32;
        e *= p[3] != 0 ? p[2] * pow(2 * j->largest, p[2] - 1) * sqrt(channels) : p[2] < 2 ? sqrt(channels) : 1;
        break;
    default:
        break;
    }
    switch (wwi_measure_cost(j->measure)) {
    case WW_COST_SQUARED:
        error += 2 * e * sqrt(channels * steps * d) + channels * steps * e * e;
        break;
    case WW_COST_ABSOLUTE:
        error += channels * steps * e;
        break;
    default:
        error += sqrt(channels) * steps * e;
    }
    error = 1.1 * (error + (steps + channels + more) * u * d + steps * (double)FLT_MIN);
    if (!j->measure->root)
        return error;
    // Independent channels have a root each, and some may be near 0.
    const double root = sqrt(error);
    if (j->measure->independent && channels > 1)
        return channels * root;
    return distance > root ? error / distance + u * distance : root;
}

// Candidates for the k nearest of a test series within the error of the distances; 0 where their order is certain or
// all are of one class.
static size_t candidates_of(const job *j, const neighbour *found) {
    const size_t k = j->k < j->others ? j->k : j->others;
    bool near = false;
    size_t end = 0;
    for (size_t s = 0; s + 1 < j->asked && s < k; s++)
        near = near || found[s + 1].distance - found[s].distance <=
                           float_error(j, found[s].distance) + float_error(j, found[s + 1].distance);
    const double reach = found[k - 1].distance + float_error(j, found[k - 1].distance);
    while (end < j->asked && found[end].distance - float_error(j, found[end].distance) <= reach)
        end++;
    if (end == j->asked)
        end = j->others;
    if (!near)
        return 0;
    bool one_class = end <= j->asked;
    for (size_t s = 1; one_class && s < end; s++)
        one_class = ww_series_set_class(j->train, (size_t)found[s].index) ==
                    ww_series_set_class(j->train, (size_t)found[0].index);
    return one_class ? 0 : end;
}

static int by_distance(const void *a, const void *b) {
    const neighbour *p = a, *q = b;
    const int order = (p->distance > q->distance) - (p->distance < q->distance);
    return order ? order : (p->index > q->index) - (p->index < q->index);
}

// Compares the candidates of `rows` test series in double and puts the nearest in their place.
static ww_status compare_again(job *j, ww_dataset *test, ww_dataset *train, const size_t *rows, const size_t *counts,
                               size_t row_count, size_t pairs) {
    ww_status status;
    ww_plan *plan = NULL;
    ww_plan_options options = j->plan;
    ww_run_options run = j->run;
    size_t *row_index = malloc(pairs * sizeof *row_index), *column_index = malloc(pairs * sizeof *column_index);
    double *distances = malloc(pairs * sizeof *distances);
    neighbour *candidates = malloc(pairs * sizeof *candidates);
    if (!row_index || !column_index || !distances || !candidates) {
        status = wwi_fail_memory(pairs * 40);
        goto done;
    }
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
    if ((status = ww_plan_create_pairs(j->measure, test, train, row_index, column_index, pairs, &options, &plan)) !=
        WW_OK)
        goto done;
    const double begin = wwi_seconds();
    if ((status = ww_plan_run(plan, &to)) != WW_OK)
        goto done;
    for (size_t r = 0, at = 0; r < row_count; at += counts[r], r++) {
        for (size_t s = 0; s < counts[r]; s++)
            candidates[at + s].distance = distances[at + s];
        qsort(candidates + at, counts[r], sizeof *candidates, by_distance);
        const size_t kept = counts[r] < j->asked ? counts[r] : j->asked;
        memcpy(j->found + rows[r] * j->asked, candidates + at, kept * sizeof *candidates);
    }
    j->seconds += wwi_seconds() - begin;
done:
    ww_plan_destroy(&plan);
    free(row_index);
    free(column_index);
    free(distances);
    free(candidates);
    return status;
}

static ww_status decide_in_double(job *j) {
    ww_status status = WW_OK;
    ww_dataset *test, *train;
    size_t *rows = malloc(j->test_count * sizeof *rows), *counts = malloc(j->test_count * sizeof *counts);
    size_t taken = 0;
    if (!rows || !counts) {
        status = wwi_fail_memory(2 * j->test_count * sizeof *rows);
        goto done;
    }
    for (size_t i = 0; i < j->test_count; i++) {
        counts[taken] = candidates_of(j, j->found + i * j->asked);
        rows[taken] = i;
        taken += counts[taken] != 0;
    }
    if (taken == 0)
        goto done;
    if ((status = take_datasets(j, WW_DOUBLE, &train, &test)) != WW_OK)
        goto done;
    for (size_t begin = 0, end; status == WW_OK && begin < taken; begin = end) {
        size_t pairs = counts[begin];
        for (end = begin + 1; end < taken && pairs + counts[end] <= AGAIN; end++)
            pairs += counts[end];
        status = compare_again(j, test, train, rows + begin, counts + begin, end - begin, pairs);
    }
done:
    free(rows);
    free(counts);
    return status;
}

// ---- neighbours

static ww_status find_neighbours(job *j) {
    ww_status status;
    ww_dataset *train, *test;
    ww_plan *plan = NULL;
    const bool wide = j->options->precision == WW_DOUBLE;
    const size_t count = j->test_count * j->asked;
    int64_t *indices = malloc(count * sizeof *indices);
    void *distances = malloc(count * wwi_precision_bytes(j->options->precision));
    ww_plan_options options_of_plan = j->plan;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    options_of_plan.run = &j->run;
    if (!indices || !distances) {
        status = wwi_fail_memory(count * 16);
        goto done;
    }
    if ((status = take_datasets(j, j->options->precision, &train, &test)) != WW_OK ||
        (status = ww_plan_create_nearest(j->measure, test, j->self ? NULL : train, j->asked, &options_of_plan,
                                         &plan)) != WW_OK)
        goto done;
    const double begin = wwi_seconds();
    if ((status = ww_plan_run_nearest(plan, indices, distances)) != WW_OK ||
        (status = ww_plan_get_info(plan, &info)) != WW_OK)
        goto done;
    ww_classification *r = j->result;
    r->engine = info.engine;
    r->pairs = info.pairs;
    r->cells = info.cells;
    r->cells_done = info.cells_done;
    r->pairs_pruned = info.pairs_pruned;
    r->pairs_abandoned = info.pairs_abandoned;
    r->launches = info.launches;
    r->seconds_device = info.seconds_device;
    for (size_t i = 0; i < count; i++)
        j->found[i] = (neighbour){indices[i], wide ? ((double *)distances)[i] : (double)((float *)distances)[i]};
    j->seconds += wwi_seconds() - begin;
done:
    ww_plan_destroy(&plan);
    free(indices);
    free(distances);
    return status;
}

// ---- votes

// The class most frequent among the k nearest; of several, the one met first. `votes` is all 0, before and after.
static int64_t vote(const job *j, const neighbour *found, size_t *votes) {
    int64_t winner = -1;
    size_t most = 0;
    for (size_t s = 0; s < j->k && s < j->asked && found[s].index >= 0; s++) {
        const size_t count = ++votes[ww_series_set_class(j->train, (size_t)found[s].index)];
        most = count > most ? count : most;
    }
    for (size_t s = 0; s < j->k && s < j->asked && found[s].index >= 0; s++) {
        const int64_t class_number = ww_series_set_class(j->train, (size_t)found[s].index);
        if (winner < 0 && votes[class_number] == most)
            winner = class_number;
    }
    for (size_t s = 0; s < j->k && s < j->asked && found[s].index >= 0; s++)
        votes[ww_series_set_class(j->train, (size_t)found[s].index)] = 0;
    return winner;
}

// For each class of the test set its number in the train set, -2 where that lacks it.
static void map_classes(const job *j, int64_t *numbers) {
    for (size_t c = 0; c < ww_series_set_class_count(j->test); c++) {
        numbers[c] = -2;
        for (size_t t = 0; t < j->result->classes && numbers[c] < 0; t++)
            if (strcmp(ww_series_set_class_name(j->test, c), ww_series_set_class_name(j->train, t)) == 0)
                numbers[c] = (int64_t)t;
    }
}

static ww_status count_votes(job *j) {
    ww_classification *r = j->result;
    const double begin = wwi_seconds();
    const size_t test_classes = ww_series_set_class_count(j->test);
    size_t *votes = calloc(r->classes, sizeof *votes);
    int64_t *numbers = malloc((test_classes + 1) * sizeof *numbers);
    ww_status status = WW_OK;
    if (!votes || !numbers) {
        status = wwi_fail_memory((r->classes + test_classes) * sizeof *votes);
        goto done;
    }
    map_classes(j, numbers);
    for (size_t i = 0; i < j->test_count; i++) {
        const int64_t label = ww_series_set_class(j->test, i);
        r->predicted[i] = vote(j, j->found + i * j->asked, votes);
        r->actual[i] = label < 0 ? -1 : numbers[label];
        r->labelled += label >= 0;
        r->correct += r->actual[i] >= 0 && r->actual[i] == r->predicted[i];
        if (r->actual[i] >= 0 && r->predicted[i] >= 0)
            r->confusion[(size_t)r->actual[i] * r->classes + (size_t)r->predicted[i]]++;
    }
    j->seconds += wwi_seconds() - begin;
done:
    free(votes);
    free(numbers);
    return status;
}

// ---- the call

static ww_status check(const job *j) {
    if (!j->context || !j->train)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the context or the train set is NULL");
    const ww_classify_data *data = j->options->data;
    if (data && (data->context != j->context || data->sets[0] != j->train || (!j->self && data->sets[1] != j->test)))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.data is of other sets or of another context");
    if (j->train_count == 0 || j->test_count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "the %s set has no series", j->train_count ? "test" : "train");
    if (j->others == 0)
        return wwi_fail(WW_ERROR_EMPTY, "one series has no other to be compared with");
    if (j->k == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is 0; at least one neighbour has to vote");
    if (j->options->precision != WW_FLOAT && j->options->precision != WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.precision is %d", (int)j->options->precision);
    for (size_t i = 0; i < j->train_count; i++)
        if (ww_series_set_class(j->train, i) < 0) {
            wwi_fail(WW_ERROR_NO_LABELS, "series %zu of the train set has no label", i);
            wwi_fail_hint("every series to learn from needs its class; is the label column read?");
            return wwi_fail_where((int64_t)i, -1);
        }
    return WW_OK;
}

static double largest_value(const ww_series_set *set) {
    double largest = 0;
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        const double *values = ww_series_set_values(set, i);
        const size_t count = ww_series_set_length(set, i) * ww_series_set_channels(set);
        for (size_t t = 0; t < count; t++)
            largest = fmax(largest, fabs(values[t]));
    }
    return largest;
}

static double latest_time(const ww_series_set *set) {
    double latest = 0;
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        const double *times = ww_series_set_times(set, i);
        const size_t length = ww_series_set_length(set, i);
        latest = fmax(latest, times ? fmax(fabs(times[0]), fabs(times[length - 1])) : (double)length);
    }
    return latest;
}

static ww_status allocate(job *j) {
    ww_classification *r = j->result;
    uint64_t found, confusion;
    r->total = j->test_count;
    r->classes = ww_series_set_class_count(j->train);
    if (!wwi_mul_u64(j->test_count, j->asked, &found) || !wwi_mul_u64(found, sizeof *j->found, &found) ||
        !wwi_mul_u64(r->classes, r->classes, &confusion) || confusion > SIZE_MAX / sizeof *r->confusion)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu test series with %zu neighbours, %zu classes", j->test_count, j->asked,
                        r->classes);
    r->predicted = malloc(j->test_count * sizeof *r->predicted);
    r->actual = malloc(j->test_count * sizeof *r->actual);
    r->confusion = calloc((size_t)confusion, sizeof *r->confusion);
    j->found = malloc((size_t)found);
    if (!r->predicted || !r->actual || !r->confusion || !j->found)
        return wwi_fail_memory(found + (confusion + 2 * j->test_count) * sizeof(size_t));
    return WW_OK;
}

static void free_result(ww_classification *r) {
    free(r->predicted);
    free(r->actual);
    free(r->confusion);
    *r = (ww_classification)WW_CLASSIFICATION_INIT;
}

// A result of any version's size has the arrays, or a size that was never set.
#define LEAST_BYTES (offsetof(ww_classification, classes) + sizeof(size_t))

void ww_classification_free(ww_classification *result) {
    ww_classification r = WW_CLASSIFICATION_INIT;
    if (!result || result->struct_size < LEAST_BYTES)
        return;
    r.predicted = result->predicted;
    r.actual = result->actual;
    r.confusion = result->confusion;
    free_result(&r);
    (void)wwi_struct_give(result, &r, "ww_classification");
}

ww_status ww_classify(ww_context *context, const ww_measure *measure, const ww_series_set *train,
                      const ww_series_set *test, const ww_classify_options *options, ww_classification *given) {
    ww_status status;
    const double begin = wwi_seconds();
    ww_classify_options o = WW_CLASSIFY_OPTIONS_INIT;
    ww_classification result = WW_CLASSIFICATION_INIT;
    ww_measure own;
    ww_classify_data of_call = {.context = context, .sets = {train, test}};
    job j = {
        .context = context,
        .measure = &own,
        .train = train,
        .test = test ? test : train,
        .self = !test,
        .options = &o,
        .plan = WW_PLAN_OPTIONS_INIT,
        .train_count = ww_series_set_count(train),
        .test_count = ww_series_set_count(test ? test : train),
        .result = &result,
    };
    if ((status = wwi_struct_check(given, "ww_classification")) != WW_OK)
        return status;
    if (given->struct_size < LEAST_BYTES)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_classification.struct_size is %zu", given->struct_size);
    (void)wwi_struct_give(given, &result, "ww_classification");
    if ((status = wwi_options_take(&o, options, "ww_classify_options")) != WW_OK ||
        (status = wwi_options_take(&j.plan, o.plan, "ww_plan_options")) != WW_OK ||
        (status = wwi_run_take(j.plan.run, &j.run)) != WW_OK)
        return status;
    j.k = o.k;
    j.data = o.data ? o.data : &of_call;
    j.others = j.train_count - (j.self && j.train_count > 0);
    if ((status = check(&j)) != WW_OK || (status = wwi_measure_take(measure, &own)) != WW_OK)
        return status;
    j.again = o.precision == WW_FLOAT && wwi_context_info(context)->has_double &&
              wwi_measure_cost(&own) != WW_COST_USER && wwi_measure_row_by_id(own.id)->rounding > 0;
    j.asked = j.again && j.k < j.others ? j.k + SPARE : j.k;
    if (j.asked > j.others)
        j.asked = j.others;
    if ((status = allocate(&j)) != WW_OK || (status = find_neighbours(&j)) != WW_OK)
        goto done;
    if (j.again) {
        j.largest = fmax(largest_value(train), largest_value(j.test));
        j.latest = fmax(latest_time(train), latest_time(j.test));
        j.steps = (double)ww_series_set_max_length(train) + (double)ww_series_set_max_length(j.test);
        if ((status = decide_in_double(&j)) != WW_OK)
            goto done;
    }
    status = count_votes(&j);
done:
    forget_datasets(&of_call);
    free(j.found);
    if (status != WW_OK)
        free_result(&result);
    result.seconds_compute = j.seconds;
    result.seconds_total = wwi_seconds() - begin;
    (void)wwi_struct_give(given, &result, "ww_classification");
    return status;
}
