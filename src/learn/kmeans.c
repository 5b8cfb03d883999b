// SPDX-License-Identifier: Apache-2.0
// k-means: Lloyd's iterations between the nearest centres (src/jobs/nearest.c) and averages (average.c); and k-shape,
// the same between shape-based distances and shapes (kshape.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <wavewarp/kmeans.h>

#include "base/kit.h"
#include "base/normal.h"
#include "base/random.h"
#include "base/run.h"
#include "data/dataset_host.h"
#include "host.h"
#include "learn/average.h"
#include "learn/labels.h"
#include "learn/shapes.h"
#include "measure/measure_table.h"
#include "options.h"

typedef struct centre {
    double *values; // channels x length
    size_t length;
} centre;

// Where a search stands. The numbers of clusters are those of its centres.
typedef struct state {
    size_t k;
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
    uint64_t done, total, random;
    unsigned char *distances; // of the device, one a series
    size_t *members, *sizes;
    double *weights;    // of the members; NULL: all count alike
    wwi_shapes *shapes; // NULL: a measure and averages
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
    return wwi_value_at(j->distances, j->data->precision, i);
}

static double weight_of(const job *j, size_t series) {
    return j->options.weights ? j->options.weights[series] : 1;
}

// ---- states

static void state_free(state *s) {
    for (size_t c = 0; s->centres && c < s->k; c++)
        free(s->centres[c].values);
    free(s->centres);
    free(s->labels);
    free(s->distances);
}

static ww_status state_create(const job *j, state *s) {
    s->k = j->k;
    s->info = (ww_kmeans_info)WW_KMEANS_INFO_INIT;
    WWI_TRY(wwi_new_zeroed(s->centres, j->k));
    WWI_TRY(wwi_new_zeroed(s->labels, j->count));
    return wwi_new_zeroed(s->distances, j->count);
}

// Stretches the values to `to` points where that is another number.
static ww_status set_centre(const job *j, centre *c, const double *values, size_t length, size_t to) {
    double *made;
    WWI_TRY(wwi_new_zeroed(made, to * j->channels));
    if (to == length)
        memcpy(made, values, length * j->channels * sizeof *made);
    else
        wwi_add_stretched(values, length, j->channels, 1, made, to);
    free(c->values);
    *c = (centre){made, to};
    return WW_OK;
}

// A first centre, of shapes z-normalised.
static ww_status first_centre(const job *j, centre *c, const double *values, size_t length) {
    WWI_TRY(set_centre(j, c, values, length, j->options.length ? j->options.length : length));
    for (size_t channel = 0; j->shapes && channel < j->channels; channel++)
        wwi_znormalise(c->values + channel * c->length, c->length);
    return WW_OK;
}

// A centre that is a series, stretched where all centres have a length of their own.
static ww_status start_centre(const job *j, centre *c, size_t series) {
    return first_centre(j, c, ww_series_set_values(j->set, series), ww_series_set_length(j->set, series));
}

static ww_status state_copy(const job *j, const state *from, state *to) {
    for (size_t c = 0; c < j->k; c++) {
        const centre *other = &from->centres[c];
        WWI_TRY(set_centre(j, &to->centres[c], other->values, other->length, other->length));
    }
    memcpy(to->labels, from->labels, j->count * sizeof *to->labels);
    memcpy(to->distances, from->distances, j->count * sizeof *to->distances);
    to->info = from->info;
    return WW_OK;
}

// ---- the first centres

// Distances, by the hard minimum, of all series to one of them: what is below `least` replaces it.
static ww_status lower_by(job *j, size_t series, double *least) {
    WWI_FREES size_t *rows = NULL, *columns = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    ww_measure hard = j->measure;
    const ww_output to = WW_OUTPUT_HOST(j->distances);
    hard.gamma = 0;
    if (j->shapes)
        return wwi_shapes_lower(j->shapes, series, least);
    WWI_TRY(wwi_new(rows, j->count));
    WWI_TRY(wwi_new(columns, j->count));
    for (size_t i = 0; i < j->count; i++) {
        rows[i] = series;
        columns[i] = i;
    }
    WWI_TRY(ww_plan_create_pairs(&hard, j->data, j->data, rows, columns, j->count, &j->plan, &plan));
    WWI_TRY(ww_plan_run(plan, &to));
    for (size_t i = 0; i < j->count; i++)
        least[i] = fmin(least[i], distance_at(j, i));
    return WW_OK;
}

// A series by the share of its distance in the sum of all; where all are 0, one that is not chosen yet.
static size_t draw(job *j, const double *least, const unsigned char *chosen) {
    double sum = 0;
    size_t found = j->count;
    for (size_t i = 0; i < j->count; i++)
        sum += chosen[i] ? 0 : weight_of(j, i) * fmax(least[i], 0);
    double rest = wwi_random_unit(&j->random) * sum;
    for (size_t i = 0; i < j->count; i++) {
        const double share = weight_of(j, i) * fmax(least[i], 0);
        if (chosen[i] || (sum > 0 && !(share > 0)))
            continue;
        found = i; // the last one, where rounding leaves a rest
        rest -= share;
        if (rest < 0 || sum == 0)
            break;
    }
    return found;
}

static ww_status given_centres(job *j, state *s) {
    const ww_series_set *first = j->options.first;
    for (size_t c = 0; c < j->k; c++)
        WWI_TRY(first_centre(j, &s->centres[c], ww_series_set_values(first, c), ww_series_set_length(first, c)));
    return WW_OK;
}

static ww_status first_centres(job *j, state *s) {
    if (j->options.first)
        return given_centres(j, s);
    WWI_FREES double *least = NULL;
    WWI_FREES unsigned char *chosen = NULL;
    size_t next = (size_t)(wwi_random_unit(&j->random) * (double)j->count);
    WWI_TRY(wwi_new(least, j->count));
    WWI_TRY(wwi_new_zeroed(chosen, j->count));
    for (size_t i = 0; i < j->count; i++)
        least[i] = INFINITY;
    for (size_t c = 0; c < j->k; c++) {
        chosen[next] = 1;
        WWI_TRY(start_centre(j, &s->centres[c], next));
        if (c + 1 == j->k)
            break;
        WWI_TRY(lower_by(j, next, least));
        next = draw(j, least, chosen);
    }
    return WW_OK;
}

// ---- an iteration

// The centres one after the other: as they are numbered, or as `order` says.
static ww_status collect(const job *j, const state *s, const size_t *order, ww_series_set **set) {
    WWI_TRY(ww_series_set_create(j->channels, set));
    for (size_t k = 0; k < j->k; k++) {
        const centre *c = &s->centres[order ? order[k] : k];
        WWI_TRY(ww_series_set_add(*set, c->length, c->values, NULL));
    }
    return WW_OK;
}

// The centres as a dataset.
static ww_status upload(const job *j, const state *s, ww_dataset **data) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset_options make = WW_DATASET_OPTIONS_INIT;
    make.precision = j->data->precision;
    WWI_TRY(collect(j, s, NULL, &set));
    WWI_TRY(ww_series_set_view(set, &view));
    return ww_dataset_create(j->data->context, &view, &make, data);
}

// The nearest centre of every series.
static ww_status assign(job *j, state *s) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *centres = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    WWI_TRY(upload(j, s, &centres));
    if (j->shapes)
        return wwi_shapes_place(j->shapes, centres, s->labels, s->distances);
    WWI_TRY(ww_plan_create_nearest(&j->measure, j->data, centres, 1, &j->plan, &plan));
    WWI_TRY(ww_plan_run_nearest(plan, s->labels, j->distances));
    for (size_t i = 0; i < j->count; i++)
        s->distances[i] = distance_at(j, i);
    return WW_OK;
}

// The distance of a series from a centre.
static ww_status measure_one(job *j, const state *s, size_t series, size_t c, double *distance) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *centres = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    const ww_output to = WW_OUTPUT_HOST(j->distances);
    WWI_TRY(upload(j, s, &centres));
    if (j->shapes)
        return wwi_shapes_place_one(j->shapes, centres, series, c, distance);
    WWI_TRY(ww_plan_create_pairs(&j->measure, j->data, centres, &series, &c, 1, &j->plan, &plan));
    WWI_TRY(ww_plan_run(plan, &to));
    *distance = distance_at(j, 0);
    return WW_OK;
}

// Gives each empty cluster the series that is worst placed.
static ww_status refill(job *j, state *s) {
    memset(j->sizes, 0, j->k * sizeof *j->sizes);
    for (size_t i = 0; i < j->count; i++)
        j->sizes[s->labels[i]]++;
    for (size_t c = 0; c < j->k; c++) {
        if (j->sizes[c])
            continue;
        size_t worst = j->count;
        for (size_t i = 0; i < j->count; i++)
            if (j->sizes[s->labels[i]] > 1 &&
                (worst == j->count || weight_of(j, i) * s->distances[i] > weight_of(j, worst) * s->distances[worst]))
                worst = i;
        j->sizes[s->labels[worst]]--;
        j->sizes[c] = 1;
        s->labels[worst] = (int64_t)c;
        s->info.refilled++;
        WWI_TRY(start_centre(j, &s->centres[c], worst));
        WWI_TRY(measure_one(j, s, worst, c, &s->distances[worst]));
    }
    return WW_OK;
}

static ww_status place(job *j, state *s) {
    WWI_TRY(assign(j, s));
    WWI_TRY(refill(j, s));
    s->info.objective = 0;
    for (size_t i = 0; i < j->count; i++)
        s->info.objective += weight_of(j, i) * s->distances[i];
    return WW_OK;
}

// The average, or the shape, of a cluster's series.
static ww_status move_centre(job *j, const ww_average_options *options, centre *c) {
    WWI_ENDS(ww_average_result_free) ww_average_result result = WW_AVERAGE_RESULT_INIT;
    WWI_FREES double *shape = NULL;
    if (j->shapes) {
        WWI_TRY(wwi_new(shape, c->length * j->channels));
        WWI_TRY(wwi_shapes_centre(j->shapes, j->members, options->member_count, c->values, shape));
        free(c->values);
        c->values = wwi_taken(&shape);
        return WW_OK;
    }
    WWI_TRY(ww_average(&j->measure, j->data, options, &result));
    free(c->values);
    *c = (centre){wwi_taken(&result.centre), result.length};
    return WW_OK;
}

static ww_status move_centres(job *j, state *s) {
    ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
    options.method = j->options.average;
    options.start = WW_AVERAGE_START_GIVEN;
    options.iterations = j->options.average_iterations;
    options.plan = &j->plan;
    options.members = j->members;
    options.weights = j->weights;
    for (size_t c = 0; c < j->k; c++) {
        double sum = 0;
        options.member_count = 0;
        for (size_t i = 0; i < j->count; i++) {
            if (s->labels[i] != (int64_t)c)
                continue;
            if (j->weights)
                j->weights[options.member_count] = weight_of(j, i);
            sum += weight_of(j, i);
            j->members[options.member_count++] = i;
        }
        if (!(sum > 0))
            continue; // none of its series counts: it stays where it is
        options.given = s->centres[c].values;
        options.given_length = s->centres[c].length;
        WWI_TRY(move_centre(j, &options, &s->centres[c]));
    }
    return WW_OK;
}

// One search, from first centres of its own to `s`. `before`: a state to use.
static ww_status search(job *j, state *s, state *before) {
    const uint64_t end = j->done + j->options.iterations + 1;
    s->info = (ww_kmeans_info)WW_KMEANS_INFO_INIT;
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

static ww_status check_given(const job *j) {
    const ww_kmeans_options *o = &j->options;
    const size_t given = o->first ? ww_series_set_count(o->first) : j->k;
    double most = 0;
    if (given != j->k)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there are %zu first centres for %zu clusters", given, j->k);
    if (o->first && ww_series_set_channels(o->first) != j->channels)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the first centres have %zu channels, the series %zu",
                        ww_series_set_channels(o->first), j->channels);
    if (o->first && o->starts != 1)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.starts is %zu; with first centres it must be 1", o->starts);
    for (size_t i = 0; o->weights && i < j->count; i++) {
        if (!(o->weights[i] >= 0 && isfinite(o->weights[i])))
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the weight of series %zu is %g", i, o->weights[i]);
        most = fmax(most, o->weights[i]);
    }
    return !o->weights || most > 0 ? WW_OK : wwi_fail(WW_ERROR_INVALID_ARGUMENT, "all weights are zero");
}

static ww_status check(const job *j, const int64_t *labels) {
    const ww_kmeans_options *o = &j->options;
    WWI_NEEDS("labels", labels);
    if (j->k < 1 || j->k > j->count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu clusters can't be made of %zu series", j->k, j->count);
    if (o->starts < 1 || o->starts > 1000000)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.starts is %zu, and must be from 1 to 10^6", o->starts);
    if (o->average_iterations < 1)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.average_iterations is 0");
    if (!(o->tolerance >= 0 && o->tolerance <= 1))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.tolerance is %g, and must be from 0 to 1", o->tolerance);
    if (o->length > 0x7fffffff || o->iterations > 0x7fffffff || o->average_iterations > 0x7fffffff)
        return wwi_fail(WW_ERROR_OVERFLOW, "a length or a number of iterations is beyond 2^31");
    return check_given(j);
}

// Numbers the clusters in the order of their first series, and gives the result to the caller.
static ww_status give(job *j, const state *s, int64_t *labels, double *distances, ww_series_set **centres) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    size_t *order = j->members; // it and the sizes are of no use any more
    memcpy(labels, s->labels, j->count * sizeof *labels);
    (void)wwi_number_clusters(labels, j->count, j->k, j->sizes, order);
    if (distances)
        memcpy(distances, s->distances, j->count * sizeof *distances);
    WWI_TRY(collect(j, s, order, &set));
    *centres = wwi_taken(&set);
    return WW_OK;
}

// k-shape: the series, and what is not for it.
static ww_status open_shapes(job *j) {
    const ww_kmeans_options *o = &j->options;
    if (o->weights)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "k-shape takes no weights");
    WWI_TRY(wwi_shapes_open(j->data, &j->part, &j->shapes));
    for (size_t c = 0; o->first && c < j->k; c++)
        if (ww_series_set_length(o->first, c) != wwi_shapes_length(j->shapes))
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "first centre %zu has %zu points, the series have %zu", c,
                            ww_series_set_length(o->first, c), wwi_shapes_length(j->shapes));
    j->options.length = 0;
    return WW_OK;
}

static ww_status create(job *j) {
    j->total = (uint64_t)j->options.starts * (j->options.iterations + 1);
    WWI_TRY(wwi_new_zeroed(j->members, j->count));
    WWI_TRY(wwi_new_zeroed(j->sizes, j->k));
    if (j->options.weights)
        WWI_TRY(wwi_new_zeroed(j->weights, j->count));
    WWI_TRY(wwi_new_zeroed(j->distances, j->count * wwi_precision_bytes(j->data->precision)));
    return wwi_dataset_series(j->data, &j->set);
}

static void job_close(job *j) {
    wwi_shapes_close(&j->shapes);
    ww_series_set_destroy(&j->set);
    free(j->distances);
    free(j->members);
    free(j->sizes);
    free(j->weights);
}

// The best of all starts.
static ww_status search_starts(job *j, state *best) {
    WWI_ENDS(state_free) state now = {0}, before = {0};
    WWI_TRY(state_create(j, &now));
    WWI_TRY(state_create(j, &before));
    WWI_TRY(state_create(j, best));
    for (size_t start = 0; start < j->options.starts; start++) {
        WWI_TRY(search(j, &now, &before));
        now.info.start = start;
        if (start == 0 || now.info.objective < best->info.objective)
            WWI_TRY(state_copy(j, &now, best));
    }
    return WW_OK;
}

// `measure` NULL: by shapes.
static ww_status cluster(const ww_measure *measure, ww_dataset *series, size_t k, const ww_kmeans_options *options,
                         int64_t *labels, double *distances, ww_series_set **centres, ww_kmeans_info *info) {
    const double begin = wwi_seconds();
    WWI_ENDS(state_free) state best = {0};
    WWI_ENDS(job_close)
    job j = {.data = series,
             .options = WW_KMEANS_OPTIONS_INIT,
             .plan = WW_PLAN_OPTIONS_INIT,
             .count = ww_dataset_count(series),
             .k = k,
             .channels = ww_dataset_channels(series)};
    WWI_TRY(info ? wwi_struct_check(info, "ww_kmeans_info") : WW_OK);
    WWI_TRY(wwi_options_take(&j.options, options, "ww_kmeans_options"));
    WWI_TRY(wwi_options_take(&j.plan, j.options.plan, "ww_plan_options"));
    WWI_TRY(wwi_run_take(j.plan.run, &j.run));
    if (measure)
        WWI_TRY(wwi_measure_take(measure, &j.measure));
    WWI_TRY(check(&j, labels));
    j.measure.root = 0;
    j.part = j.run;
    j.part.progress = j.run.progress ? go_on : NULL;
    j.part.progress_user = &j;
    j.plan.run = &j.part;
    j.random = j.options.seed;
    if (!measure)
        WWI_TRY(open_shapes(&j));
    WWI_TRY(create(&j));
    WWI_TRY(search_starts(&j, &best));
    best.info.seconds_wall = wwi_seconds() - begin;
    WWI_TRY(give(&j, &best, labels, distances, centres));
    return info ? wwi_struct_give(info, &best.info, "ww_kmeans_info") : WW_OK;
}

ww_status ww_cluster_kmeans(const ww_measure *measure, ww_dataset *series, size_t k, const ww_kmeans_options *options,
                            int64_t *labels, double *distances, ww_series_set **centres, ww_kmeans_info *info) {
    WWI_NEEDS("centres", centres);
    *centres = NULL;
    WWI_NEEDS("measure, series", measure, series);
    return cluster(measure, series, k, options, labels, distances, centres, info);
}

ww_status ww_cluster_kshape(ww_dataset *series, size_t k, const ww_kmeans_options *options, int64_t *labels,
                            double *distances, ww_series_set **centres, ww_kmeans_info *info) {
    WWI_NEEDS("centres", centres);
    *centres = NULL;
    WWI_NEEDS("series", series);
    return cluster(NULL, series, k, options, labels, distances, centres, info);
}
