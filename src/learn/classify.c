// SPDX-License-Identifier: Apache-2.0
// Classification and regression by the k nearest neighbours: the votes. The neighbours are found in exact_neighbours.c.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/classify.h>

#include "base/grow.h"
#include "base/run.h"
#include "data/dataset_host.h"
#include "learn/exact_neighbours.h"
#include "measure/measure_table.h"
#include "options.h"

struct ww_classifier {
    ww_measure measure; // with copies of what the caller's points to
    ww_dataset *train;
    ww_classify_options options; // `plan` is NULL, `targets` a copy
    ww_plan_options plan;
    ww_run_options run;
    double *targets; // one a training series; NULL: classes
};

// ---- the object

void ww_classifier_destroy(ww_classifier **classifier) {
    ww_classifier *c = wwi_taken(classifier);
    if (!c)
        return;
    ww_dataset_destroy(&c->train);
    wwi_measure_disown(&c->measure);
    free(c->targets);
    free(c);
}

static ww_status take_targets(ww_classifier *c) {
    const double *given = c->options.targets;
    const size_t count = c->train->count;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(given[i])) {
            wwi_fail(WW_ERROR_NOT_FINITE, "target %zu is %g", i, given[i]);
            return wwi_fail_where((int64_t)i, -1);
        }
    WWI_TRY(wwi_new(c->targets, count));
    memcpy(c->targets, given, count * sizeof *c->targets);
    return WW_OK;
}

static ww_status fill(ww_classifier *c, const ww_measure *measure, const ww_classify_options *options) {
    ww_measure taken;
    WWI_TRY(wwi_options_take(&c->options, options, "ww_classify_options"));
    WWI_TRY(wwi_options_take(&c->plan, c->options.plan, "ww_plan_options"));
    WWI_TRY(wwi_run_take(c->plan.run, &c->run));
    WWI_TRY(wwi_measure_take(measure, &taken));
    c->options.plan = NULL;
    c->plan.run = NULL;
    if (c->options.k == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is 0; at least one neighbour has to vote");
    if ((unsigned)c->options.vote > WW_VOTE_DISTANCE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.vote is %d", (int)c->options.vote);
    if (c->options.vote == WW_VOTE_DISTANCE && (wwi_measure_is_similarity(&taken) || wwi_measure_is_soft(&taken))) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "votes by distance need distances that are not negative");
        return wwi_fail_hint(
            "give each neighbour one vote (WW_VOTE_UNIFORM), or use a distance without the soft minimum");
    }
    WWI_TRY(wwi_measure_own(&taken, &c->measure));
    return c->options.targets ? take_targets(c) : wwi_dataset_need_labels(c->train);
}

ww_status ww_classifier_create(const ww_measure *measure, ww_dataset *train, const ww_classify_options *options,
                               ww_classifier **classifier) {
    WWI_NEEDS("classifier", classifier);
    *classifier = NULL;
    WWI_NEEDS("train", train);
    WWI_ENDS(ww_classifier_destroy) ww_classifier *c = NULL;
    WWI_TRY(wwi_new_zeroed(c, 1));
    c->options = (ww_classify_options)WW_CLASSIFY_OPTIONS_INIT;
    c->plan = (ww_plan_options)WW_PLAN_OPTIONS_INIT;
    wwi_dataset_retain(train);
    c->train = train;
    WWI_TRY(fill(c, measure, options));
    *classifier = wwi_taken(&c);
    return WW_OK;
}

// ---- votes

// The weight of each neighbour's vote, 0 where there is none; returns their sum. With votes by distance and some
// distance 0, these alone vote.
static double take_weights(const ww_classifier *c, const wwi_neighbour *found, size_t k, double *weights) {
    const bool by_distance = c->options.vote == WW_VOTE_DISTANCE, exact = by_distance && !(found[0].distance > 0);
    double sum = 0;
    for (size_t s = 0; s < k; s++) {
        weights[s] = found[s].index < 0 ? 0 : !by_distance ? 1 : exact ? found[s].distance <= 0 : 1 / found[s].distance;
        sum += weights[s];
    }
    return sum;
}

// The class with the largest vote; of several, the one met first. `votes` is all 0, before and after.
static int64_t vote(const ww_classifier *c, const wwi_neighbour *found, size_t k, const double *weights, double sum,
                    double *votes, double *probabilities) {
    int64_t winner = -1;
    double most = 0;
    for (size_t s = 0; s < k && found[s].index >= 0; s++)
        votes[ww_dataset_class(c->train, (size_t)found[s].index)] += weights[s];
    for (size_t s = 0; s < k && found[s].index >= 0; s++) {
        const int64_t class_number = ww_dataset_class(c->train, (size_t)found[s].index);
        if (votes[class_number] > most) {
            most = votes[class_number];
            winner = class_number;
        }
    }
    for (size_t s = 0; s < k && found[s].index >= 0; s++) {
        const int64_t class_number = ww_dataset_class(c->train, (size_t)found[s].index);
        if (probabilities)
            probabilities[class_number] += sum > 0 ? weights[s] / sum : 0;
        votes[class_number] = 0;
    }
    return winner;
}

static double mean_of_targets(const ww_classifier *c, const wwi_neighbour *found, size_t k, const double *weights,
                              double sum) {
    double mean = 0;
    for (size_t s = 0; s < k && found[s].index >= 0; s++)
        mean += weights[s] / sum * c->targets[found[s].index];
    return sum > 0 ? mean : (double)NAN;
}

// For each class of the test set its number in the train set, -2 where that lacks it. Sets mostly name their classes in
// one order: the one behind the last that was found is looked at first.
static void map_classes(const ww_classifier *c, const ww_dataset *test, int64_t *numbers) {
    const size_t known = ww_dataset_class_count(c->train);
    size_t next = 0;
    for (size_t k = 0; k < ww_dataset_class_count(test); k++) {
        const char *name = ww_dataset_class_name(test, k);
        numbers[k] = -2;
        for (size_t t = 0; t < known && numbers[k] < 0; t++) {
            const size_t at = next + t < known ? next + t : next + t - known;
            if (strcmp(name, ww_dataset_class_name(c->train, at)) == 0)
                numbers[k] = (int64_t)at;
        }
        next = numbers[k] < 0 ? next : ((size_t)numbers[k] + 1) % known;
    }
}

// The class that series i has, if any, beside the predicted one. `numbers`: of the test set's classes.
static void compare_label(ww_classification *r, size_t i, int64_t label, const int64_t *numbers) {
    r->actual[i] = label < 0 ? -1 : numbers[label];
    r->labelled += label >= 0;
    r->correct += r->actual[i] >= 0 && r->actual[i] == r->predicted[i];
    if (r->confusion && r->actual[i] >= 0 && r->predicted[i] >= 0)
        r->confusion[(size_t)r->actual[i] * r->classes + (size_t)r->predicted[i]]++;
}

static ww_status count_votes(const ww_classifier *c, const wwi_neighbours *n, ww_classification *r) {
    const size_t test_classes = ww_dataset_class_count(n->test), k = n->k < n->asked ? n->k : n->asked;
    WWI_FREES double *votes = NULL, *weights = NULL;
    WWI_FREES int64_t *numbers = NULL;
    WWI_TRY(wwi_new_zeroed(votes, r->classes + 1));
    WWI_TRY(wwi_new(weights, k));
    WWI_TRY(wwi_new(numbers, test_classes + 1));
    map_classes(c, n->test, numbers);
    for (size_t i = 0; i < n->count; i++) {
        const wwi_neighbour *found = n->found + i * n->asked;
        const double sum = take_weights(c, found, k, weights);
        for (size_t s = 0; r->neighbours && s < n->k; s++) {
            r->neighbours[i * n->k + s] = s < k ? found[s].index : -1;
            r->distances[i * n->k + s] = s < k ? found[s].distance : (double)INFINITY;
        }
        if (c->targets) {
            r->values[i] = mean_of_targets(c, found, k, weights, sum);
            continue;
        }
        r->predicted[i] =
            vote(c, found, k, weights, sum, votes, r->probabilities ? r->probabilities + i * r->classes : NULL);
        compare_label(r, i, ww_dataset_class(n->test, i), numbers);
    }
    return WW_OK;
}

// ---- the result

static void free_result(ww_classification *r) {
    free(r->predicted);
    free(r->actual);
    free(r->confusion);
    free(r->neighbours);
    free(r->distances);
    free(r->probabilities);
    free(r->values);
    *r = (ww_classification)WW_CLASSIFICATION_INIT;
}

// a x b values, zeroed, into *array. WW_ERROR_OVERFLOW.
static ww_status make_array(uint64_t a, uint64_t b, void *array) {
    uint64_t count, bytes;
    if (!wwi_mul_u64(a, b, &count) || !wwi_mul_u64(count, 8, &bytes) || bytes > PTRDIFF_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "a result of %" PRIu64 " x %" PRIu64 " values", a, b);
    uint64_t *made;
    WWI_TRY(wwi_new_zeroed(made, count ? (size_t)count : 1));
    memcpy(array, &made, sizeof made);
    return WW_OK;
}

static ww_status make_result(const ww_classifier *c, const wwi_neighbours *n, ww_classification *r) {
    r->total = n->test ? n->test->count : n->train->count;
    r->k = n->k;
    if (c->targets) {
        WWI_TRY(make_array(r->total, 1, &r->values));
    } else {
        r->classes = ww_dataset_class_count(c->train);
        WWI_TRY(make_array(r->total, 1, &r->predicted));
        WWI_TRY(make_array(r->total, 1, &r->actual));
        if (r->classes <= WW_CLASSIFY_MOST_CONFUSED)
            WWI_TRY(make_array(r->classes, r->classes, &r->confusion));
        if (c->options.want_probabilities)
            WWI_TRY(make_array(r->total, r->classes, &r->probabilities));
    }
    if (!c->options.want_neighbours)
        return WW_OK;
    WWI_TRY(make_array(r->total, n->k, &r->neighbours));
    return make_array(r->total, n->k, &r->distances);
}

// A result of any version's size has the arrays, or a size that was never set.
#define LEAST_BYTES (offsetof(ww_classification, classes) + sizeof(size_t))

void ww_classification_free(ww_classification *result) {
    ww_classification r = WW_CLASSIFICATION_INIT;
    if (!result || result->struct_size < LEAST_BYTES)
        return;
    memcpy(&r, result, result->struct_size < sizeof r ? result->struct_size : sizeof r);
    free_result(&r);
    (void)wwi_struct_give(result, &r, "ww_classification");
}

// ---- the call

static ww_status fill_result(const ww_classifier *c, wwi_neighbours *n, ww_classification *r) {
    WWI_TRY(make_result(c, n, r));
    WWI_TRY(wwi_neighbours_find(n));
    const double voting = wwi_seconds();
    WWI_TRY(count_votes(c, n, r));
    n->seconds += wwi_seconds() - voting;
    return WW_OK;
}

ww_status ww_classifier_run(const ww_classifier *c, ww_dataset *test, ww_classification *given) {
    const double begin = wwi_seconds();
    ww_classification r = WW_CLASSIFICATION_INIT;
    WWI_TRY(wwi_struct_check(given, "ww_classification"));
    if (given->struct_size < LEAST_BYTES)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_classification.struct_size is %zu", given->struct_size);
    (void)wwi_struct_give(given, &r, "ww_classification");
    WWI_NEEDS("classifier", c);
    wwi_neighbours n = {
        .measure = &c->measure, .train = c->train, .test = test, .plan = c->plan, .run = c->run, .k = c->options.k};
    n.classes_alone = !c->targets && !c->options.want_neighbours && c->options.vote == WW_VOTE_UNIFORM;
    const ww_status status = fill_result(c, &n, &r);
    wwi_neighbours_free(&n);
    if (status != WW_OK)
        free_result(&r);
    r.engine = n.info.engine;
    r.pairs = n.info.pairs;
    r.cells = n.info.cells;
    r.cells_done = n.info.cells_done;
    r.pairs_pruned = n.info.pairs_pruned;
    r.pairs_abandoned = n.info.pairs_abandoned;
    r.launches = n.info.launches;
    r.seconds_device = n.info.seconds_device;
    r.seconds_compute = n.seconds;
    r.seconds_total = wwi_seconds() - begin;
    (void)wwi_struct_give(given, &r, "ww_classification");
    return status;
}

ww_status ww_classify(const ww_measure *measure, ww_dataset *train, ww_dataset *test,
                      const ww_classify_options *options, ww_classification *result) {
    WWI_ENDS(ww_classifier_destroy) ww_classifier *classifier = NULL;
    WWI_TRY(wwi_struct_give(result, &(ww_classification)WW_CLASSIFICATION_INIT, "ww_classification"));
    WWI_TRY(ww_classifier_create(measure, train, options, &classifier));
    return ww_classifier_run(classifier, test, result);
}
