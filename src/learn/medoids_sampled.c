// SPDX-License-Identifier: Apache-2.0
// k medoids of many series from samples of them (CLARA): medoids.c finds those of a sample from the matrix of its
// distances, the search of the nearest series (src/jobs/nearest.c) gives each series to one of them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <wavewarp/cluster.h>
#include <wavewarp/plan.h>

#include "base/kit.h"
#include "base/random.h"
#include "base/run.h"
#include "data/dataset_host.h"
#include "host.h"
#include "learn/labels.h"
#include "measure/measure_table.h"
#include "options.h"

// Of a sample where the caller says nothing.
enum { SAMPLES = 5, SAMPLE = 200, SAMPLE_OF_MEDOID = 4 };

// Medoids, and what they give.
typedef struct solution {
    size_t *medoids; // k, ascending
    int64_t *labels; // of each series: a place among them
    unsigned char *distances;
    double cost;
} solution;

typedef struct job {
    const ww_measure *measure;
    ww_dataset *data;
    ww_series_set *set; // its series in double
    ww_medoids_options options;
    ww_plan_options plan;
    ww_run_options run, part;
    size_t count, k, sample;
    uint64_t random, done, total;
    size_t *order;  // the series: a sample is the first of them
    size_t *places; // of the sample, ascending
    unsigned char *matrix;
    int64_t *labels; // of the sample
    ww_medoids_info info;
} job;

static void solution_free(solution *s) {
    free(s->medoids);
    free(s->labels);
    free(s->distances);
}

static void job_close(job *j) {
    ww_series_set_destroy(&j->set);
    free(j->order);
    free(j->places);
    free(j->matrix);
    free(j->labels);
}

// Of the parts of a sample: only to be stopped.
static int go_on(void *user, uint64_t done, uint64_t total) {
    const job *j = user;
    (void)done, (void)total;
    return j->run.progress(j->run.progress_user, j->done, j->total);
}

// Some of the series as a dataset of their own, on the same devices.
static ww_status upload(const job *j, const size_t *places, size_t count, ww_dataset **made) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    options.precision = j->data->precision;
    WWI_TRY(ww_series_set_create(ww_series_set_channels(j->set), &set));
    for (size_t i = 0; i < count; i++) {
        const double *times = ww_series_set_times(j->set, places[i]);
        WWI_TRY(ww_series_set_add(set, ww_series_set_length(j->set, places[i]), ww_series_set_values(j->set, places[i]),
                                  NULL));
        if (times)
            WWI_TRY(ww_series_set_set_times(set, i, times));
    }
    ww_context *context = j->data->team ? j->data->team->context : j->data->context;
    return ww_dataset_create_from_set(context, set, &options, made);
}

static int by_place(const void *a, const void *b) {
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

// Other series each time, and the best medoids so far (NULL: none) among them.
static void draw(job *j, const size_t *best) {
    size_t kept = 0;
    for (size_t m = 0; best && m < j->k; m++)
        for (size_t i = m; i < j->count; i++)
            if (j->order[i] == best[m]) {
                j->order[i] = j->order[kept];
                j->order[kept++] = best[m];
                break;
            }
    for (size_t i = kept; i < j->sample; i++) {
        const size_t other = i + (size_t)(wwi_random_unit(&j->random) * (double)(j->count - i));
        const size_t series = j->order[other];
        j->order[other] = j->order[i];
        j->order[i] = series;
    }
    memcpy(j->places, j->order, j->sample * sizeof *j->places);
    qsort(j->places, j->sample, sizeof *j->places, by_place);
}

static ww_status find_medoids(job *j, size_t *medoids) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *sample = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    ww_medoids_options options = j->options;
    ww_medoids_info info = WW_MEDOIDS_INFO_INIT;
    ww_output to = WW_OUTPUT_HOST(j->matrix);
    to.layout = WW_LAYOUT_CONDENSED;
    options.run = &j->part;
    WWI_TRY(upload(j, j->places, j->sample, &sample));
    if (j->sample > 1) {
        WWI_TRY(ww_plan_create_matrix(j->measure, sample, NULL, &j->plan, &plan));
        WWI_TRY(ww_plan_run(plan, &to));
    }
    WWI_TRY(ww_cluster_medoids(j->matrix, j->data->precision, j->sample, j->k, &options, j->labels, medoids, &info));
    for (size_t m = 0; m < j->k; m++)
        medoids[m] = j->places[medoids[m]];
    qsort(medoids, j->k, sizeof *medoids, by_place);
    j->info.swaps += info.swaps;
    j->info.converged = j->info.converged && info.converged;
    return WW_OK;
}

// Every series to its nearest medoid; a medoid to itself, whatever the measure says of equal series.
static ww_status assign(job *j, solution *s) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *medoids = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    WWI_TRY(upload(j, s->medoids, j->k, &medoids));
    WWI_TRY(ww_plan_create_nearest(j->measure, j->data, medoids, 1, &j->plan, &plan));
    WWI_TRY(ww_plan_run_nearest(plan, s->labels, s->distances));
    for (size_t m = 0; m < j->k; m++) {
        s->labels[s->medoids[m]] = (int64_t)m;
        wwi_set_value(s->distances, j->data->precision, s->medoids[m], 0);
    }
    s->cost = 0;
    for (size_t i = 0; i < j->count; i++)
        s->cost += wwi_value_at(s->distances, j->data->precision, i);
    j->done += (uint64_t)j->count * j->k;
    return wwi_run_report(j->run.progress, j->run.progress_user, j->done, j->total);
}

static ww_status solution_create(const job *j, solution *s) {
    WWI_TRY(wwi_new(s->medoids, j->k));
    WWI_TRY(wwi_new(s->labels, j->count));
    return wwi_new(s->distances, j->count * wwi_precision_bytes(j->data->precision));
}

static ww_status try_samples(job *j, solution *best) {
    WWI_ENDS(solution_free) solution now = {0};
    WWI_TRY(solution_create(j, &now));
    WWI_TRY(solution_create(j, best));
    for (size_t i = 0; i < j->options.samples; i++) {
        draw(j, i ? best->medoids : NULL);
        WWI_TRY(find_medoids(j, now.medoids));
        WWI_TRY(assign(j, &now));
        if (i == 0)
            j->info.first_cost = now.cost;
        if (i == 0 || now.cost < best->cost) {
            const solution worse = *best;
            *best = now;
            now = worse;
        }
    }
    j->info.cost = best->cost;
    return isfinite(best->cost) ? WW_OK : wwi_fail(WW_ERROR_OVERFLOW, "the sum of the distances");
}

static ww_status check(job *j) {
    ww_medoids_options *o = &j->options;
    if (j->k < 1 || j->k > j->count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu clusters can't be made of %zu series", j->k, j->count);
    if (ww_measure_is_similarity(j->measure) || !ww_measure_is_symmetric(j->measure)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "sampled medoids need distances that are symmetric; this measure is a "
                                       "similarity, or not known to be symmetric");
        return wwi_fail_hint("compute the matrix, make it symmetric, and call ww_cluster_medoids()");
    }
    if (o->sample && o->sample <= j->k && o->sample < j->count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "samples of %zu series are too small for %zu medoids; take one more at least", o->sample, j->k);
    if (o->samples > 1000000)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.samples is %zu; it can be up to 10^6", o->samples);
    o->samples = o->samples ? o->samples : SAMPLES;
    j->sample = (size_t)wwi_least(o->sample ? o->sample : SAMPLE + SAMPLE_OF_MEDOID * (uint64_t)j->k, j->count);
    if (j->sample == j->count)
        o->samples = 1;
    return WW_OK;
}

static ww_status open(job *j) {
    const size_t bytes = wwi_precision_bytes(j->data->precision);
    j->random = j->options.seed;
    j->total = (uint64_t)j->options.samples * j->count * j->k;
    j->part = j->run;
    if (j->run.progress) {
        j->part.progress = go_on;
        j->part.progress_user = j;
    }
    j->plan.run = &j->part;
    WWI_TRY(wwi_new(j->order, j->count));
    for (size_t i = 0; i < j->count; i++)
        j->order[i] = i;
    WWI_TRY(wwi_new(j->places, j->sample));
    WWI_TRY(wwi_new(j->labels, j->sample));
    WWI_TRY(wwi_new_zeroed(j->matrix, j->sample * (j->sample - 1) / 2 * bytes + 1));
    return wwi_dataset_series(j->data, &j->set);
}

// Numbers the clusters in the order of their first series.
static ww_status give(const job *j, const solution *s, int64_t *labels, size_t *medoids, void *distances) {
    WWI_FREES size_t *number = NULL;
    WWI_TRY(wwi_new(number, j->k));
    memcpy(labels, s->labels, j->count * sizeof *labels);
    (void)wwi_number_clusters(labels, j->count, j->k, number, NULL);
    for (size_t m = 0; m < j->k; m++)
        medoids[labels[s->medoids[m]]] = s->medoids[m];
    if (distances)
        memcpy(distances, s->distances, j->count * wwi_precision_bytes(j->data->precision));
    return WW_OK;
}

ww_status ww_cluster_medoids_sampled(const ww_measure *measure, ww_dataset *series, size_t k,
                                     const ww_medoids_options *options, int64_t *labels, size_t *medoids,
                                     void *distances, ww_medoids_info *info) {
    ww_measure taken;
    WWI_ENDS(solution_free) solution best = {0};
    WWI_ENDS(job_close)
    job j = {.measure = &taken,
             .data = series,
             .options = WW_MEDOIDS_OPTIONS_INIT,
             .plan = WW_PLAN_OPTIONS_INIT,
             .count = ww_dataset_count(series),
             .k = k,
             .info = WW_MEDOIDS_INFO_INIT};
    WWI_NEEDS("measure, series, labels, medoids", measure, series, labels, medoids);
    WWI_TRY(info ? wwi_struct_check(info, "ww_medoids_info") : WW_OK);
    WWI_TRY(wwi_options_take(&j.options, options, "ww_medoids_options"));
    WWI_TRY(wwi_run_take(j.options.run, &j.run));
    WWI_TRY(wwi_measure_take(measure, &taken));
    WWI_TRY(check(&j));
    j.info.converged = 1;
    WWI_TRY(open(&j));
    WWI_TRY(try_samples(&j, &best));
    WWI_TRY(give(&j, &best, labels, medoids, distances));
    return info ? wwi_struct_give(info, &j.info, "ww_medoids_info") : WW_OK;
}
