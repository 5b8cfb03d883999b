// SPDX-License-Identifier: Apache-2.0
// An index of series: its struct, and what all its steps share: threads, progress.
#include <stdlib.h>

#include "index/series_index.h"
#include "measure/measure_table.h"

void wwi_index_forget(ww_index *x) {
    for (size_t i = 0; x->device_links && i < wwi_index_devices(x); i++)
        wwi_buffer_destroy(&x->device_links[i]);
    wwi_free_taken(&x->device_links);
}

void ww_index_destroy(ww_index **index) {
    ww_index *x = wwi_taken(index);
    if (!x)
        return;
    wwi_index_forget(x);
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
    const size_t first = s->count / s->threads * i,
                 end = i + 1 == s->threads ? s->count : s->count / s->threads * (i + 1);
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

typedef struct besides {
    sharing rest; // of all threads but the caller's
    ww_status (*run)(void *user);
    ww_status status;
} besides;

static void run_or_share(void *user, unsigned i) {
    besides *b = user;
    if (i == 0)
        b->status = b->run(b->rest.user);
    else
        share_part(&b->rest, i - 1);
}

ww_status wwi_index_beside(const ww_index *x, ww_status (*run)(void *user), size_t count, wwi_index_each each,
                           void *user) {
    besides b = {{each, user, count, x->threads > 1 ? x->threads - 1 : 1}, run, WW_OK};
    if (x->threads > 1) {
        wwi_in_threads(x->threads, run_or_share, &b);
        return b.status;
    }
    each(user, 0, count);
    return run(user);
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
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "degree is %u; it can be 4 to %d", o->degree, WW_INDEX_MOST_DEGREE);
    if (o->neighbours < o->degree / 2 || o->neighbours > WW_INDEX_MOST_DEGREE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "neighbours is %u; it can be half of the degree, %u, to %d",
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
