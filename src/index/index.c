// SPDX-License-Identifier: Apache-2.0
// An index of series: its options, its life, removals, and what all its steps share.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "index/series_index.h"
#include "measure/measure_table.h"
#include "options.h"

void ww_index_destroy(ww_index **index) {
    ww_index *x = wwi_taken(index);
    if (!x)
        return;
    ww_dataset_destroy(&x->base);
    wwi_measure_disown(&x->measure);
    wwi_context_release(x->context);
    free(x->links);
    free(x->entries);
    free(x->removed);
    free(x);
}

// ---- threads and progress

typedef struct sharing {
    wwi_index_each each;
    void *user;
    size_t count;
    unsigned threads;
} sharing;

static void share_part(void *user, unsigned i) {
    const sharing *s = user;
    const size_t first = s->count / s->threads * i, end = i + 1 == s->threads ? s->count : s->count / s->threads * (i + 1);
    s->each(s->user, first, end);
}

void wwi_index_share(const ww_index *x, size_t count, wwi_index_each each, void *user) {
    enum { LEAST = 64 }; // of a thread
    sharing s = {each, user, count, (unsigned)wwi_least(x->threads, count / LEAST + 1)};
    if (s.threads == 1)
        each(user, 0, count);
    else
        wwi_in_threads(s.threads, share_part, &s);
}

// What plans say of their cells, the index says of its series.
static int tell(void *user, uint64_t done, uint64_t total) {
    const ww_index *x = user;
    (void)done, (void)total;
    return x->run.progress(x->run.progress_user, x->done, x->total);
}

void wwi_index_plan_run(ww_index *x, ww_run_options *run) {
    *run = x->run;
    if (run->progress) {
        run->progress = tell;
        run->progress_user = x;
    }
}

ww_status wwi_index_tell(ww_index *x, uint64_t done) {
    x->done = wwi_least(x->done + done, x->total);
    if (x->run.progress && x->run.progress(x->run.progress_user, x->done, x->total))
        return wwi_fail(WW_ERROR_CANCELLED, "the progress function asked to stop");
    return wwi_interrupted();
}

// ---- making

static ww_status check_options(const ww_index_options *o) {
    if (o->degree < 4 || o->degree > WW_INDEX_MOST_DEGREE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "degree is %u; 4 to %d", o->degree, WW_INDEX_MOST_DEGREE);
    if (o->neighbours < o->degree / 2 || o->neighbours > WW_INDEX_MOST_DEGREE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "neighbours is %u; half of the degree, which is %u, to %d",
                        o->neighbours, o->degree / 2, WW_INDEX_MOST_DEGREE);
    if (o->beam > WW_INDEX_MOST_BEAM)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "beam is %u; at most %d", o->beam, WW_INDEX_MOST_BEAM);
    return WW_OK;
}

ww_status wwi_index_open(const ww_measure *measure, ww_dataset *base, const ww_index_options *o,
                         const ww_run_options *run, ww_index **index) {
    WWI_ENDS(ww_index_destroy) ww_index *x = NULL;
    ww_measure taken;
    WWI_TRY(check_options(o));
    WWI_TRY(wwi_measure_take(measure, &taken));
    if (base->count > INT32_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu series; at most 2^31 - 1", base->count);
    WWI_TRY(wwi_new_zeroed(x, 1));
    x->context = base->context;
    wwi_context_retain(x->context);
    wwi_dataset_retain(base);
    x->base = base;
    WWI_TRY(wwi_measure_own(&taken, &x->measure));
    x->similarity = wwi_measure_is_similarity(&x->measure);
    x->symmetric = wwi_measure_is_symmetric(&x->measure);
    x->precision = base->precision;
    x->value_bytes = wwi_precision_bytes(base->precision);
    x->degree = o->degree;
    x->neighbours = o->neighbours;
    x->seed = o->seed;
    x->beam = o->beam;
    x->run = *run;
    x->threads = wwi_processors();
    x->count = base->count;
    x->info = (ww_index_info)WW_INDEX_INFO_INIT;
    *index = wwi_taken(&x);
    return WW_OK;
}

ww_status wwi_index_build(ww_index *x) {
    WWI_FREES wwi_near *lists = NULL;
    WWI_TRY(x->count <= WWI_INDEX_EXACT ? wwi_index_search_all(x, &lists) : wwi_index_descend(x, &lists));
    return wwi_index_link(x, lists);
}

void wwi_index_count(ww_index *x) {
    uint64_t links = 0;
    for (size_t i = 0; i < x->count * x->degree; i++)
        links += x->links[i] != WWI_NO_LINK;
    x->info.links = links;
    x->info.series = wwi_index_live(x);
    x->info.entries = x->start_count;
    x->info.host_bytes = (x->count * x->degree + x->entry_count) * sizeof(uint32_t) + (x->removed ? x->count / 8 : 0);
    x->info.degree = x->degree;
    x->info.neighbours = x->neighbours;
    x->info.beam = x->beam;
    x->info.exact = x->beam == 0;
}

ww_status ww_index_create(const ww_measure *measure, ww_dataset *base, const ww_index_options *options,
                          ww_index **index) {
    WWI_ENDS(ww_index_destroy) ww_index *x = NULL;
    ww_index_options o = WW_INDEX_OPTIONS_INIT;
    ww_run_options run;
    const double start = wwi_seconds();
    if (index)
        *index = NULL;
    WWI_NEEDS("measure, base, index", measure, base, index);
    WWI_TRY(wwi_options_take(&o, options, "ww_index_options"));
    WWI_TRY(wwi_run_take(o.run, &run));
    if (o.beam == 0)
        WWI_TRY(wwi_index_check_target(o.target));
    WWI_TRY(wwi_index_open(measure, base, &o, &run, &x));
    WWI_TRY(wwi_index_build(x));
    wwi_index_count(x);
    if (o.beam == 0)
        WWI_TRY(ww_index_choose(x, o.target));
    x->info.seconds_build = wwi_seconds() - start;
    *index = wwi_taken(&x);
    return WW_OK;
}

// ---- changes

ww_status ww_index_remove(ww_index *x, const int64_t *ids, size_t count) {
    if (!x || (!ids && count))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "index or ids is NULL");
    for (size_t i = 0; i < count; i++)
        if (ids[i] < 0 || (uint64_t)ids[i] >= x->count)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "series %" PRId64 " is not one of the %zu of the index", ids[i],
                            x->count);
    if (!x->removed && count)
        WWI_TRY(wwi_new_zeroed(x->removed, x->count / 32 + 1));
    for (size_t i = 0; i < count; i++) {
        x->info.removed += !wwi_index_is_removed(x, (size_t)ids[i]);
        x->removed[ids[i] / 32] |= 1u << ids[i] % 32;
    }
    wwi_index_count(x);
    return WW_OK;
}

ww_status ww_index_set_beam(ww_index *x, uint32_t beam) {
    WWI_NEEDS("index", x);
    if (beam > WW_INDEX_MOST_BEAM)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "beam is %u; at most %d", beam, WW_INDEX_MOST_BEAM);
    const ww_index_info before = x->info;
    x->info = (ww_index_info)WW_INDEX_INFO_INIT;
    x->info.removed = before.removed;
    x->info.parts = before.parts;
    x->info.build_distances = before.build_distances;
    x->info.seconds_build = before.seconds_build;
    x->beam = beam;
    x->beam_k = 0;
    wwi_index_count(x);
    return WW_OK;
}

ww_status ww_index_set_run(ww_index *x, const ww_run_options *run) {
    ww_run_options taken;
    WWI_NEEDS("index", x);
    WWI_TRY(wwi_run_take(run, &taken));
    x->run = taken;
    return WW_OK;
}

const ww_measure *ww_index_measure(const ww_index *x) {
    return x ? &x->measure : NULL;
}

ww_precision ww_index_precision(const ww_index *x) {
    return x ? x->precision : WW_FLOAT;
}

ww_dataset *ww_index_base(const ww_index *x) {
    return x ? x->base : NULL;
}

WWI_GIVES_INFO(index, index)
