// SPDX-License-Identifier: Apache-2.0
// k-means: Lloyd's iterations between the nearest centres (src/jobs/nearest.c) and averages (average.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <wavewarp/kmeans.h>

#include "base/kit.h"
#include "base/random.h"
#include "base/run.h"
#include "data/dataset_host.h"
#include "host.h"
#include "learn/average.h"
#include "learn/labels.h"
#include "measure/measure_table.h"
#include "options.h"

typedef struct centre {
    double *values; // channels x length
    size_t length;
} centre;

// Where a search stands. The numbers of clusters are those of its centres.
typedef struct state {
    centre *centres;
    int64_t *labels;   // one a series
    double *distances; // of each series to its centre, without a root
    ww_kmeans_info info;
} state;

typedef struct job {
    ww_dataset *data;
    ww_series_set *set; // its series in double
    ww_measure measure; // without a root
    ww_kmeans_options options;
    ww_plan_options plan; // of all parts; its run is `part`
    ww_run_options run, part;
    size_t count, k, channels;
    size_t value; // bytes of a distance on the device
    uint64_t done, total, random;
    void *distances; // of the device, one a series
    size_t *members, *sizes;
} job;

static ww_status report(const job *j) {
    return wwi_run_report(j->run.progress, j->run.progress_user, j->done, j->total);
}

// Of the parts of an iteration: only to be stopped.
static int go_on(void *user, uint64_t done, uint64_t total) {
    const job *j = user;
    (void)done, (void)total;
    return j->run.progress(j->run.progress_user, j->done, j->total);
}

static double distance_at(const job *j, size_t i) {
    return wwi_value_at(j->distances, j->value == 8 ? WW_DOUBLE : WW_FLOAT, i);
}

// ---- states

static void state_free(state *s, size_t k) {
    for (size_t c = 0; s->centres && c < k; c++)
        free(s->centres[c].values);
    free(s->centres);
    free(s->labels);
    free(s->distances);
    memset(s, 0, sizeof *s);
}

static ww_status state_create(const job *j, state *s) {
    s->centres = calloc(j->k, sizeof *s->centres);
    s->labels = calloc(j->count, sizeof *s->labels);
    s->distances = calloc(j->count, sizeof *s->distances);
    ww_kmeans_info_init(&s->info, sizeof s->info);
    return s->centres && s->labels && s->distances ? WW_OK : wwi_fail_memory(j->k * sizeof *s->centres + j->count * 16);
}

static ww_status set_centre(const job *j, centre *c, const double *values, size_t length) {
    const size_t size = length * j->channels * sizeof *values;
    double *copy = malloc(size);
    if (!copy)
        return wwi_fail_memory(size);
    memcpy(copy, values, size);
    free(c->values);
    *c = (centre){copy, length};
    return WW_OK;
}

// A centre that is a series, stretched where all centres have a length of their own.
static ww_status start_centre(const job *j, centre *c, size_t series) {
    const double *values = ww_series_set_values(j->set, series);
    const size_t from = ww_series_set_length(j->set, series), length = j->options.length;
    if (length == 0 || length == from)
        return set_centre(j, c, values, from);
    double *stretched = calloc(length, j->channels * sizeof *stretched);
    if (!stretched)
        return wwi_fail_memory(length * j->channels * sizeof *stretched);
    wwi_add_stretched(values, from, j->channels, 1, stretched, length);
    free(c->values);
    *c = (centre){stretched, length};
    return WW_OK;
}

static ww_status state_copy(const job *j, const state *from, state *to) {
    ww_status status = WW_OK;
    for (size_t c = 0; status == WW_OK && c < j->k; c++)
        status = set_centre(j, &to->centres[c], from->centres[c].values, from->centres[c].length);
    memcpy(to->labels, from->labels, j->count * sizeof *to->labels);
    memcpy(to->distances, from->distances, j->count * sizeof *to->distances);
    to->info = from->info;
    return status;
}

// ---- the first centres

// Distances, by the hard minimum, of all series to one of them: what is below `least` replaces it.
static ww_status lower_by(job *j, size_t series, double *least) {
    ww_status status;
    ww_plan *plan = NULL;
    ww_measure hard = j->measure;
    const ww_output to = WW_OUTPUT_HOST(j->distances);
    size_t *rows = malloc(j->count * sizeof *rows), *columns = malloc(j->count * sizeof *columns);
    hard.gamma = 0;
    if (!rows || !columns) {
        status = wwi_fail_memory(j->count * 2 * sizeof *rows);
        goto done;
    }
    for (size_t i = 0; i < j->count; i++) {
        rows[i] = series;
        columns[i] = i;
    }
    if ((status = ww_plan_create_pairs(&hard, j->data, j->data, rows, columns, j->count, &j->plan, &plan)) != WW_OK ||
        (status = ww_plan_run(plan, &to)) != WW_OK)
        goto done;
    for (size_t i = 0; i < j->count; i++)
        least[i] = fmin(least[i], distance_at(j, i));
done:
    ww_plan_destroy(&plan);
    free(rows);
    free(columns);
    return status;
}

// A series by the share of its distance in the sum of all; where all are 0, one that is not chosen yet.
static size_t draw(job *j, const double *least, const unsigned char *chosen) {
    double sum = 0;
    size_t found = j->count;
    for (size_t i = 0; i < j->count; i++)
        sum += chosen[i] ? 0 : fmax(least[i], 0);
    double rest = wwi_random_unit(&j->random) * sum;
    for (size_t i = 0; i < j->count; i++) {
        if (chosen[i] || (sum > 0 && !(least[i] > 0)))
            continue;
        found = i; // the last one, where rounding leaves a rest
        rest -= fmax(least[i], 0);
        if (rest < 0 || sum == 0)
            break;
    }
    return found;
}

static ww_status first_centres(job *j, state *s) {
    ww_status status = WW_OK;
    double *least = malloc(j->count * sizeof *least);
    unsigned char *chosen = calloc(j->count, 1);
    size_t next = (size_t)(wwi_random_unit(&j->random) * (double)j->count);
    if (!least || !chosen)
        status = wwi_fail_memory(j->count * 9);
    for (size_t i = 0; status == WW_OK && i < j->count; i++)
        least[i] = INFINITY;
    for (size_t c = 0; status == WW_OK && c < j->k; c++) {
        chosen[next] = 1;
        status = start_centre(j, &s->centres[c], next);
        if (status == WW_OK && c + 1 < j->k && (status = lower_by(j, next, least)) == WW_OK)
            next = draw(j, least, chosen);
    }
    free(least);
    free(chosen);
    return status;
}

// ---- an iteration

// The centres as a dataset.
static ww_status upload(const job *j, const state *s, ww_dataset **data) {
    ww_series_set *set = NULL;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset_options make = WW_DATASET_OPTIONS_INIT;
    make.precision = j->data->precision;
    ww_status status = ww_series_set_create(j->channels, &set);
    for (size_t c = 0; status == WW_OK && c < j->k; c++)
        status = ww_series_set_add(set, s->centres[c].length, s->centres[c].values, NULL);
    if (status == WW_OK && (status = ww_series_set_view(set, &view)) == WW_OK)
        status = ww_dataset_create(j->data->context, &view, &make, data);
    ww_series_set_destroy(&set);
    return status;
}

// The nearest centre of every series.
static ww_status assign(job *j, state *s) {
    ww_status status;
    ww_dataset *centres = NULL;
    ww_plan *plan = NULL;
    if ((status = upload(j, s, &centres)) == WW_OK &&
        (status = ww_plan_create_nearest(&j->measure, j->data, centres, 1, &j->plan, &plan)) == WW_OK)
        status = ww_plan_run_nearest(plan, s->labels, j->distances);
    for (size_t i = 0; status == WW_OK && i < j->count; i++)
        s->distances[i] = distance_at(j, i);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&centres);
    return status;
}

// The distance of a series from a centre.
static ww_status measure_one(job *j, const state *s, size_t series, size_t c, double *distance) {
    ww_status status;
    ww_dataset *centres = NULL;
    ww_plan *plan = NULL;
    const ww_output to = WW_OUTPUT_HOST(j->distances);
    if ((status = upload(j, s, &centres)) == WW_OK &&
        (status = ww_plan_create_pairs(&j->measure, j->data, centres, &series, &c, 1, &j->plan, &plan)) == WW_OK &&
        (status = ww_plan_run(plan, &to)) == WW_OK)
        *distance = distance_at(j, 0);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&centres);
    return status;
}

// Gives each empty cluster the series that is worst placed.
static ww_status refill(job *j, state *s) {
    ww_status status = WW_OK;
    memset(j->sizes, 0, j->k * sizeof *j->sizes);
    for (size_t i = 0; i < j->count; i++)
        j->sizes[s->labels[i]]++;
    for (size_t c = 0; status == WW_OK && c < j->k; c++) {
        if (j->sizes[c])
            continue;
        size_t worst = j->count;
        for (size_t i = 0; i < j->count; i++)
            if (j->sizes[s->labels[i]] > 1 && (worst == j->count || s->distances[i] > s->distances[worst]))
                worst = i;
        j->sizes[s->labels[worst]]--;
        j->sizes[c] = 1;
        s->labels[worst] = (int64_t)c;
        s->info.refilled++;
        if ((status = start_centre(j, &s->centres[c], worst)) == WW_OK)
            status = measure_one(j, s, worst, c, &s->distances[worst]);
    }
    return status;
}

static ww_status place(job *j, state *s) {
    ww_status status = assign(j, s);
    if (status == WW_OK)
        status = refill(j, s);
    s->info.objective = 0;
    for (size_t i = 0; i < j->count; i++)
        s->info.objective += s->distances[i];
    return status;
}

static ww_status move_centres(job *j, state *s) {
    ww_status status = WW_OK;
    ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
    options.method = j->options.average;
    options.start = WW_AVERAGE_START_GIVEN;
    options.iterations = j->options.average_iterations;
    options.plan = &j->plan;
    options.members = j->members;
    for (size_t c = 0; status == WW_OK && c < j->k; c++) {
        ww_average_result result = WW_AVERAGE_RESULT_INIT;
        options.member_count = 0;
        for (size_t i = 0; i < j->count; i++)
            if (s->labels[i] == (int64_t)c)
                j->members[options.member_count++] = i;
        options.given = s->centres[c].values;
        options.given_length = s->centres[c].length;
        status = ww_average(&j->measure, j->data, &options, &result);
        if (status == WW_OK) {
            free(s->centres[c].values);
            s->centres[c] = (centre){result.centre, result.length};
            result.centre = NULL;
        }
        ww_average_result_free(&result);
    }
    return status;
}

// One search, from first centres of its own to `s`. `before`: a state to use.
static ww_status search(job *j, state *s, state *before) {
    const uint64_t end = j->done + j->options.iterations + 1;
    ww_kmeans_info_init(&s->info, sizeof s->info);
    WWI_TRY(first_centres(j, s));
    WWI_TRY(place(j, s));
    s->info.first_objective = s->info.objective;
    for (size_t i = 0; i < j->options.iterations && !s->info.converged; i++) {
        j->done++;
        WWI_TRY(report(j));
        WWI_TRY(state_copy(j, s, before));
        WWI_TRY(move_centres(j, s));
        WWI_TRY(place(j, s));
        const double gain = before->info.objective - s->info.objective;
        if (!(gain >= 0)) {
            const state worse = *s;
            *s = *before;
            *before = worse;
            s->info.converged = 1;
            break;
        }
        s->info.iterations++;
        s->info.converged = gain <= j->options.tolerance * fabs(before->info.objective) ||
                            memcmp(s->labels, before->labels, j->count * sizeof *s->labels) == 0;
    }
    j->done = end;
    return report(j);
}

// ---- the call

static ww_status check(const job *j, const int64_t *labels) {
    const ww_kmeans_options *o = &j->options;
    if (!labels)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "labels is NULL");
    if (j->k < 1 || j->k > j->count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu clusters of %zu series", j->k, j->count);
    if (o->starts < 1 || o->starts > 1000000)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.starts is %zu, and must be from 1 to 10^6", o->starts);
    if (o->average_iterations < 1)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.average_iterations is 0");
    if (!(o->tolerance >= 0 && o->tolerance <= 1))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.tolerance is %g, and must be from 0 to 1", o->tolerance);
    if (o->length > 0x7fffffff || o->iterations > 0x7fffffff || o->average_iterations > 0x7fffffff)
        return wwi_fail(WW_ERROR_OVERFLOW, "a length or a number of iterations beyond 2^31");
    return WW_OK;
}

// Numbers the clusters in the order of their first series, and gives the result to the caller.
static ww_status give(job *j, const state *s, int64_t *labels, double *distances, ww_series_set **centres) {
    size_t *order = j->members; // it and the sizes are of no use any more
    memcpy(labels, s->labels, j->count * sizeof *labels);
    (void)wwi_number_clusters(labels, j->count, j->k, j->sizes, order);
    if (distances)
        memcpy(distances, s->distances, j->count * sizeof *distances);
    ww_status status = ww_series_set_create(j->channels, centres);
    for (size_t c = 0; status == WW_OK && c < j->k; c++)
        status = ww_series_set_add(*centres, s->centres[order[c]].length, s->centres[order[c]].values, NULL);
    if (status != WW_OK)
        ww_series_set_destroy(centres);
    return status;
}

static ww_status create(job *j) {
    j->distances = calloc(j->count, j->value);
    j->members = calloc(j->count, sizeof *j->members);
    j->sizes = calloc(j->k, sizeof *j->sizes);
    if (!j->distances || !j->members || !j->sizes)
        return wwi_fail_memory(j->count * 16 + j->k * 8);
    return wwi_dataset_series(j->data, &j->set);
}

// The best of all starts.
static ww_status search_starts(job *j, state *best) {
    ww_status status;
    state now = {0}, before = {0};
    if ((status = state_create(j, &now)) != WW_OK || (status = state_create(j, &before)) != WW_OK ||
        (status = state_create(j, best)) != WW_OK)
        goto done;
    for (size_t start = 0; start < j->options.starts; start++) {
        if ((status = search(j, &now, &before)) != WW_OK)
            goto done;
        now.info.start = start;
        if ((start == 0 || now.info.objective < best->info.objective) && (status = state_copy(j, &now, best)) != WW_OK)
            goto done;
    }
done:
    state_free(&now, j->k);
    state_free(&before, j->k);
    return status;
}

ww_status ww_cluster_kmeans(const ww_measure *measure, ww_dataset *series, size_t k, const ww_kmeans_options *options,
                            int64_t *labels, double *distances, ww_series_set **centres, ww_kmeans_info *info) {
    ww_status status;
    const double begin = wwi_seconds();
    state best = {0};
    job j = {.data = series,
             .options = WW_KMEANS_OPTIONS_INIT,
             .plan = WW_PLAN_OPTIONS_INIT,
             .count = ww_dataset_count(series),
             .k = k,
             .channels = ww_dataset_channels(series),
             .value = wwi_precision_bytes(ww_dataset_precision(series))};
    if (!centres)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "centres is NULL");
    *centres = NULL;
    if (!series)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the dataset is NULL");
    WWI_TRY(info ? wwi_struct_check(info, "ww_kmeans_info") : WW_OK);
    WWI_TRY(wwi_options_take(&j.options, options, "ww_kmeans_options"));
    WWI_TRY(wwi_options_take(&j.plan, j.options.plan, "ww_plan_options"));
    WWI_TRY(wwi_run_take(j.plan.run, &j.run));
    WWI_TRY(wwi_measure_take(measure, &j.measure));
    WWI_TRY(check(&j, labels));
    j.measure.root = 0;
    j.part = j.run;
    j.part.progress = j.run.progress ? go_on : NULL;
    j.part.progress_user = &j;
    j.plan.run = &j.part;
    j.random = j.options.seed;
    j.total = (uint64_t)j.options.starts * (j.options.iterations + 1);
    if ((status = create(&j)) == WW_OK && (status = search_starts(&j, &best)) == WW_OK) {
        best.info.seconds_wall = wwi_seconds() - begin;
        if ((status = give(&j, &best, labels, distances, centres)) == WW_OK && info)
            status = wwi_struct_give(info, &best.info, "ww_kmeans_info");
    }
    state_free(&best, k);
    ww_series_set_destroy(&j.set);
    free(j.distances);
    free(j.members);
    free(j.sizes);
    return status;
}
