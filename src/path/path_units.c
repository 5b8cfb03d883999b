// SPDX-License-Identifier: Apache-2.0
// Runs of plans for warping paths: of all pairs at once, or in runs of the list that several devices divide.
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/run.h"
#include "measure/measure_table.h"
#include "options.h"
#include "path/path.h"

// The paths of a run.
typedef struct part {
    size_t first; // pair
    ww_paths paths;
} part;

typedef struct job {
    const ww_plan *plan;
    part *parts;
    size_t count, capacity;
    ww_plan_info sum;
} job;

static ww_status keep(job *j, size_t first, ww_paths *paths) {
    WWI_TRY(wwi_grow(&j->parts, &j->capacity, j->count + 1, sizeof *j->parts));
    j->parts[j->count++] = (part){first, *paths};
    *paths = (ww_paths)WW_PATHS_INIT;
    return WW_OK;
}

static double pair_work(const void *of, size_t pair) {
    return wwi_plan_pair_work(((const job *)of)->plan, pair);
}

static ww_status run_pairs(const wwi_seat *seat, wwi_span pairs) {
    job *j = seat->of;
    ww_plan *plan = seat->team->on[seat->device];
    WWI_ENDS(ww_paths_free) ww_paths paths = WW_PATHS_INIT;
    WWI_TRY(wwi_plan_run_some_paths(plan, pairs.first, pairs.count, &paths));
    (void)pthread_mutex_lock(&seat->team->lock);
    wwi_plan_add_info(&j->sum, plan);
    const ww_status status = keep(j, pairs.first, &paths);
    (void)pthread_mutex_unlock(&seat->team->lock);
    return status;
}

static void name_pairs(const void *of, FILE *to) {
    const ww_plan *p = ((const job *)of)->plan;
    char sum[65];
    wwi_checksum_text(p->pairs, p->count * 3 * sizeof *p->pairs, sum);
    fprintf(to, "paths\nrows %zu columns %zu pairs %zu %s %s engine %s ", p->pair.rows->count, p->pair.columns->count,
            p->count, sum, wwi_pairing_precision(&p->pair), ww_word(WW_WORD_ENGINE, p->options.engine));
    wwi_measure_print(&p->pair.measure, to);
}

// The last run that began with this pair.
static const ww_paths *paths_from(const job *j, size_t first) {
    size_t i = j->count;
    while (i > 0 && j->parts[i - 1].first != first)
        i--;
    return i > 0 ? &j->parts[i - 1].paths : NULL;
}

static ww_status give_some(const ww_paths *p, wwi_bytes *to) {
    WWI_TRY(wwi_bytes_put(to, p->distances, p->count * sizeof *p->distances));
    WWI_TRY(wwi_bytes_put(to, p->offsets, (p->count + 1) * sizeof *p->offsets));
    return wwi_bytes_put(to, p->cells, p->offsets[p->count] * 2 * sizeof *p->cells);
}

static ww_status give_pairs(const wwi_seat *seat, wwi_span pairs, wwi_bytes *to) {
    (void)pthread_mutex_lock(&seat->team->lock);
    const ww_paths *p = paths_from(seat->of, pairs.first);
    const ww_status status = p && p->count == pairs.count
                                 ? give_some(p, to)
                                 : wwi_fail(WW_ERROR_INTERNAL, "the paths of a run are not there");
    (void)pthread_mutex_unlock(&seat->team->lock);
    return status;
}

static ww_status take_pairs(void *of, wwi_span pairs, wwi_taken_bytes *from) {
    WWI_ENDS(ww_paths_free) ww_paths p = WW_PATHS_INIT;
    p.count = pairs.count;
    WWI_TRY(wwi_new(p.distances, p.count));
    WWI_TRY(wwi_new(p.offsets, p.count + 1));
    WWI_TRY(wwi_bytes_take(from, p.distances, p.count * sizeof *p.distances));
    WWI_TRY(wwi_bytes_take(from, p.offsets, (p.count + 1) * sizeof *p.offsets));
    const uint64_t cells = from->left / (2 * sizeof *p.cells);
    bool ordered = p.offsets[0] == 0 && p.offsets[p.count] == cells;
    for (size_t i = 0; i < p.count; i++)
        ordered &= p.offsets[i] <= p.offsets[i + 1];
    if (!ordered)
        return wwi_fail(WW_ERROR_FORMAT, "a record of the store has no paths of its pairs");
    WWI_TRY(wwi_paths_hold(&p, cells));
    WWI_TRY(wwi_bytes_take(from, p.cells, cells * 2 * sizeof *p.cells));
    return keep(of, pairs.first, &p);
}

static int by_first(const void *a, const void *b) {
    const part *p = a, *q = b;
    return (p->first > q->first) - (p->first < q->first);
}

// The parts one after the other.
static ww_status join(job *j, ww_paths *paths) {
    uint64_t cells = 0;
    qsort(j->parts, j->count, sizeof *j->parts, by_first);
    for (size_t i = 0; i < j->count; i++)
        cells += j->parts[i].paths.offsets[j->parts[i].paths.count];
    paths->count = j->plan->count;
    WWI_TRY(wwi_new(paths->offsets, paths->count + 1));
    WWI_TRY(wwi_new(paths->distances, paths->count));
    WWI_TRY(wwi_paths_hold(paths, cells));
    paths->offsets[0] = 0;
    for (size_t i = 0; i < j->count; i++) {
        const size_t first = j->parts[i].first;
        ww_paths *from = &j->parts[i].paths;
        for (size_t p = 0; p < from->count; p++)
            paths->offsets[first + p + 1] = paths->offsets[first] + from->offsets[p + 1];
        memcpy(paths->distances + first, from->distances, from->count * sizeof *from->distances);
        memcpy(paths->cells + 2 * paths->offsets[first], from->cells,
               from->offsets[from->count] * 2 * sizeof *from->cells);
        ww_paths_free(from);
    }
    return WW_OK;
}

static void job_close(job *j) {
    for (size_t i = 0; i < j->count; i++)
        ww_paths_free(&j->parts[i].paths);
    free(j->parts);
}

static ww_status divide(ww_plan *plan, ww_paths *paths) {
    static const wwi_job kind = {
        .work = pair_work, .run = run_pairs, .name = name_pairs, .give = give_pairs, .take = take_pairs};
    const double start = wwi_seconds();
    WWI_ENDS(job_close) job j = {.plan = plan};
    WWI_ENDS(ww_paths_free) ww_paths found = WW_PATHS_INIT;
    WWI_TRY(wwi_team_run(plan->team, &kind, &j, plan->count));
    WWI_TRY(join(&j, &found));
    wwi_plan_give_info(plan, &j.sum, start);
    WWI_TRY(wwi_struct_give(paths, &found, "ww_paths"));
    found = (ww_paths)WW_PATHS_INIT; // the caller's now
    return WW_OK;
}

ww_status ww_plan_run_paths(ww_plan *plan, ww_paths *paths) {
    const ww_paths none = WW_PATHS_INIT;
    WWI_NEEDS("plan, paths", plan, paths);
    WWI_TRY(wwi_struct_give(paths, &none, "ww_paths"));
    if (plan->job != &wwi_paths_job)
        return wwi_plan_other_job(plan, "ww_plan_run_paths");
    return plan->team ? divide(plan, paths) : wwi_plan_run_some_paths(plan, 0, plan->count, paths);
}
