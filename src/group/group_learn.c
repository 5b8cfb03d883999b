// SPDX-License-Identifier: Apache-2.0
// Classification on a group of devices, by parts of the test series.
#include <stdlib.h>

#include "group/group.h"
#include "host.h"
#include "learn/classify.h"
#include "options.h"

typedef struct job {
    wwi_group_job pairs;     // test series with training series
    wwi_neighbours *devices; // one a device
    wwi_neighbours *shared;  // whose `found` they fill
} job;

// A device's own search into the shared result.
static ww_status begin_sets(const job *j, size_t device, wwi_neighbours *n) {
    ww_dataset *test, *train;
    WWI_TRY(wwi_group_sides(&j->pairs, device, &test, &train));
    *n = (wwi_neighbours){.measure = j->shared->measure,
                          .train = train ? train : test,
                          .test = train ? test : NULL,
                          .plan = j->shared->plan,
                          .run = j->pairs.own,
                          .k = j->shared->k,
                          .classes_alone = j->shared->classes_alone};
    return wwi_neighbours_begin(n);
}

static ww_status begin_device(wwi_group_seat *seat) {
    job *j = seat->job;
    wwi_neighbours *n = seat->own = &j->devices[seat->device];
    WWI_TRY(begin_sets(j, seat->device, n));
    if (n->asked != j->shared->asked)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "near ties are decided in double, which this device has not");
    n->found = j->shared->found;
    return wwi_neighbours_plan(n);
}

static ww_status run_queries(const wwi_group_seat *seat, size_t first, size_t count) {
    return wwi_neighbours_some(seat->own, first, count);
}

static void finish_device(wwi_group_seat *seat) {
    wwi_neighbours *n = seat->own;
    ww_plan_destroy(&n->search);
}

// As much as any device needs: one with double decides near ties, and then those without take no part.
static ww_status allocate(job *j) {
    wwi_neighbours n;
    WWI_TRY(wwi_neighbours_begin(j->shared));
    for (size_t i = 0; i < j->pairs.group->count; i++)
        if (begin_sets(j, i, &n) == WW_OK && n.asked > j->shared->asked)
            j->shared->asked = n.asked;
    return wwi_neighbours_allocate(j->shared);
}

static ww_status find(void *user, wwi_neighbours *shared) {
    static const wwi_group_kind kind = {
        .begin = begin_device, .run = run_queries, .finish = finish_device, .work = wwi_group_query_work};
    job *j = user;
    ww_group *g = j->pairs.group;
    j->shared = shared;
    WWI_TRY(allocate(j));
    const ww_status status = wwi_group_run_units(g, &kind, j, shared->count, &j->pairs.run);
    for (size_t i = 0; i < g->count; i++) {
        const wwi_neighbours *n = &j->devices[i];
        shared->seconds = n->seconds > shared->seconds ? n->seconds : shared->seconds;
        if (g->workers[i].tiles > 0)
            wwi_neighbours_add_info(&shared->info, &n->info);
    }
    return status;
}

// The datasets of a device that has both.
static ww_status any_sets(const wwi_group_job *pairs, ww_dataset **test, ww_dataset **train) {
    ww_status status = WW_ERROR_INTERNAL;
    for (size_t i = 0; status != WW_OK && i < pairs->group->count; i++)
        status = wwi_group_sides(pairs, i, test, train);
    return status;
}

ww_status ww_group_classify(const ww_measure *measure, ww_group_dataset *train, ww_group_dataset *test,
                            const ww_classify_options *options, ww_classification *result) {
    ww_classify_options own = WW_CLASSIFY_OPTIONS_INIT;
    ww_dataset *queries, *base;
    WWI_ENDS(ww_classifier_destroy) ww_classifier *classifier = NULL;
    WWI_FREES wwi_neighbours *devices = NULL;
    job j = {.shared = NULL};
    WWI_TRY(wwi_struct_give(result, &(ww_classification)WW_CLASSIFICATION_INIT, "ww_classification"));
    WWI_NEEDS("train", train);
    WWI_TRY(wwi_options_take(&own, options, "ww_classify_options"));
    WWI_TRY(wwi_group_job_begin(&j.pairs, measure, test ? test : train, test ? train : NULL, own.plan));
    WWI_TRY(any_sets(&j.pairs, &queries, &base));
    WWI_TRY(ww_classifier_create(measure, base ? base : queries, &own, &classifier));
    WWI_TRY(wwi_new_zeroed(devices, j.pairs.group->count));
    j.devices = devices;
    return wwi_classifier_run(classifier, base ? queries : NULL, find, &j, result);
}
