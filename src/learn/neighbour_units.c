// SPDX-License-Identifier: Apache-2.0
// The k nearest series, near ties decided in double, by one device or by several, which take runs of the test series;
// and ww_nearest().
#include <math.h>
#include <stdlib.h>
#include <wavewarp/distance.h>

#include "base/run.h"
#include "data/dataset.h"
#include "learn/exact_neighbours.h"
#include "measure/measure_table.h"
#include "options.h"

typedef struct job {
    wwi_neighbours *devices; // one a device
    wwi_neighbours *shared;  // whose `found` they fill
} job;

// A device's own search into the shared result.
static ww_status begin_sets(const job *j, const wwi_team *team, size_t device, wwi_neighbours *n) {
    const wwi_neighbours *s = j->shared;
    *n = (wwi_neighbours){
        .measure = s->measure, .plan = s->plan, .run = team->own, .k = s->k, .classes_alone = s->classes_alone};
    WWI_TRY(wwi_dataset_on(s->train, device, &n->train));
    WWI_TRY(wwi_dataset_on(s->self ? NULL : s->test, device, &n->test));
    return wwi_neighbours_begin(n);
}

static ww_status open_device(wwi_seat *seat) {
    const job *j = seat->of;
    wwi_neighbours *n = seat->own = &j->devices[seat->device];
    WWI_TRY(begin_sets(j, seat->team, seat->device, n));
    if (n->asked != j->shared->asked)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "near ties are decided in double, which this device has not");
    n->found = j->shared->found;
    return wwi_neighbours_plan(n);
}

static ww_status run_queries(const wwi_seat *seat, wwi_span queries) {
    return wwi_neighbours_some(seat->own, queries.first, queries.count);
}

static void close_device(wwi_seat *seat) {
    wwi_neighbours *n = seat->own;
    if (n)
        ww_plan_destroy(&n->search);
}

static double query_work(const void *of, size_t query) {
    const wwi_neighbours *s = ((const job *)of)->shared;
    const ww_dataset *train = s->train;
    return (double)s->test->lengths[query] *
           ((double)train->offsets[train->count] / (double)(train->channels + train->extra));
}

// What is decided in double depends on the classes.
static void print_classes(const ww_dataset *train, FILE *to) {
    WWI_FREES int64_t *classes = malloc((train->count + 1) * sizeof *classes);
    char sum[65] = "not known"; // without memory for them, by which no other run goes on
    for (size_t i = 0; classes && i < train->count; i++)
        classes[i] = ww_dataset_class(train, i);
    if (classes)
        wwi_checksum_text(classes, train->count * sizeof *classes, sum);
    fprintf(to, "classes %s ", sum);
}

static void name_queries(const void *of, FILE *to) {
    const wwi_neighbours *s = ((const job *)of)->shared;
    fprintf(to, "neighbours\ntest %zu train %zu self %d k %zu asked %zu classes alone %d %s engine %s ", s->count,
            s->train->count, s->self, s->k, s->asked, s->classes_alone, ww_word(WW_WORD_PRECISION, s->train->precision),
            ww_word(WW_WORD_ENGINE, s->plan.engine));
    if (s->classes_alone)
        print_classes(s->train, to);
    wwi_measure_print(s->measure, to);
}

static ww_status give_queries(const wwi_seat *seat, wwi_span queries, wwi_bytes *to) {
    const wwi_neighbours *s = ((const job *)seat->of)->shared;
    return wwi_bytes_put_rows(to, s->found, queries, s->asked * sizeof *s->found);
}

static ww_status take_queries(void *of, wwi_span queries, wwi_taken_bytes *from) {
    const wwi_neighbours *s = ((const job *)of)->shared;
    return wwi_bytes_take_rows(from, s->found, queries, s->asked * sizeof *s->found);
}

// What is asked for is as much as any device needs: one with double decides near ties, and then those without take no
// part.
static void ask(const job *j, const wwi_team *team) {
    wwi_neighbours n;
    for (size_t i = 0; i < team->count; i++)
        if (begin_sets(j, team, i, &n) == WW_OK && n.asked > j->shared->asked)
            j->shared->asked = n.asked;
}

static ww_status divide(wwi_neighbours *shared, ww_context *context) {
    static const wwi_job kind = {.work = query_work,
                                 .open = open_device,
                                 .run = run_queries,
                                 .close = close_device,
                                 .name = name_queries,
                                 .give = give_queries,
                                 .take = take_queries};
    WWI_ENDS(wwi_team_close) wwi_team *team = NULL;
    WWI_FREES wwi_neighbours *devices = NULL;
    WWI_TRY(wwi_team_open(context, &shared->run, &team));
    WWI_TRY(wwi_new_zeroed(devices, team->count));
    job j = {devices, shared};
    WWI_TRY(wwi_neighbours_begin(shared));
    ask(&j, team);
    WWI_TRY(wwi_neighbours_allocate(shared));
    const ww_status status = wwi_team_run(team, &kind, &j, shared->count);
    for (size_t i = 0; i < team->count; i++) {
        shared->seconds = devices[i].seconds > shared->seconds ? devices[i].seconds : shared->seconds;
        if (team->workers[i].tiles > 0)
            wwi_neighbours_add_info(&shared->info, &devices[i].info);
    }
    return status;
}

ww_status wwi_neighbours_find(wwi_neighbours *n) {
    ww_context *context = wwi_datasets_divide(n->train, n->test);
    if (context)
        return divide(n, context);
    WWI_TRY(wwi_neighbours_begin(n));
    WWI_TRY(wwi_neighbours_allocate(n));
    WWI_TRY(wwi_neighbours_plan(n));
    return wwi_neighbours_some(n, 0, n->count);
}

// ---- ww_nearest()

// k each; where there are fewer, index -1 and the distance of what is farthest.
static void give_neighbours(const wwi_neighbours *n, int64_t *indices, double *distances) {
    const double none = wwi_measure_is_similarity(n->measure) ? -INFINITY : INFINITY;
    for (size_t i = 0; i < n->count; i++)
        for (size_t s = 0; s < n->k; s++) {
            const wwi_neighbour *found = s < n->asked ? &n->found[i * n->asked + s] : NULL;
            indices[i * n->k + s] = found ? found->index : -1;
            if (distances)
                distances[i * n->k + s] = found && found->index >= 0 ? found->distance : none;
        }
}

ww_status ww_nearest(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                     const ww_plan_options *options, int64_t *indices, double *distances) {
    ww_measure own;
    WWI_ENDS(wwi_neighbours_free)
    wwi_neighbours n = {.measure = &own, .train = base ? base : queries, .test = base ? queries : NULL, .k = k};
    WWI_NEEDS("queries, indices", queries, indices);
    n.plan = (ww_plan_options)WW_PLAN_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(&n.plan, options, "ww_plan_options"));
    WWI_TRY(wwi_run_take(n.plan.run, &n.run));
    WWI_TRY(wwi_measure_take(measure, &own));
    WWI_TRY(wwi_neighbours_find(&n));
    give_neighbours(&n, indices, distances);
    return WW_OK;
}
