// SPDX-License-Identifier: Apache-2.0
// Walks on the device (kernels_cl/index/index_walk.cl): beams, links and lists of pairs stay there, and the host reads
// how many pairs a step has. The same steps as on the host, the same results. Several devices divide the queries.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "index/index_args.h"
#include "index/series_index.h"

// Pairs of a step at most; work-items of a place on GPUs; bytes of results that are read at a time.
enum { PAIRS = 1 << 22, GROUP = 32, RESULTS = 1 << 28 };
// How much larger the marks of a query are that found no room.
enum { MORE_MARKS = 4 };

// The walks of a call.
typedef struct walks {
    ww_index *index;
    wwi_index_walk *of;
    ww_plan *plan;
    uint32_t beam;
    atomic_uint_least64_t examined;
} walks;

// Those of a device.
typedef struct device_walk {
    ww_index *index;
    walks *all;
    const wwi_index_walk *of;
    ww_plan *plan;
    wwi_buffer *links; // the index's
    uint32_t *left;    // queries that are not at their end
    size_t left_count;
    uint64_t places;
    ww_index_args args;
    long group;
    wwi_program *program;
    wwi_kernel *kernel;
    wwi_buffer *entries, *rows, *owns, *states, *beam_distances, *beam_numbers, *asked, *marks, *pairs, *results,
        *totals, *found_numbers, *found_distances, *given_up;
    uint32_t *numbers; // results of a run
    unsigned char *distances;
} device_walk;

static void walk_close(device_walk *w) {
    wwi_kernel_destroy(&w->kernel);
    wwi_program_release(&w->program);
    WWI_BUFFERS_DESTROY(&w->entries, &w->rows, &w->owns, &w->states, &w->beam_distances, &w->beam_numbers, &w->asked,
                        &w->marks, &w->pairs, &w->results, &w->totals, &w->found_numbers, &w->found_distances,
                        &w->given_up);
    free(w->left);
    free(w->numbers);
    free(w->distances);
}

// Where walks are: a test forces ON_HOST, ON_DEVICE or, with marks that many queries have no room for, SHORT_OF_MARKS.
enum { ON_HOST, ON_DEVICE, SHORT_OF_MARKS };

static long form(const ww_plan *plan) {
    ww_context *context = plan->pair.context;
    return wwi_forced(context, "form.index", SHORT_OF_MARKS, wwi_is_gpu(context) ? ON_DEVICE : ON_HOST);
}

static bool is_fit(const ww_index *x, const ww_plan *plan) {
    return form(plan) != ON_HOST && wwi_plan_takes_tasks(plan) &&
           (uint64_t)x->count * x->degree * sizeof *x->links <= wwi_context_max_buffer(plan->pair.context);
}

bool wwi_index_on_device(const ww_index *x, const ww_plan *plan) {
    const wwi_team *t = plan->team;
    bool fit = is_fit(x, plan);
    for (size_t i = 0; t && i < t->count; i++)
        fit = fit && (!t->on[i] || is_fit(x, t->on[i]));
    return fit;
}

// ---- room

// A power of two of which half are more than a walk usually sees.
static uint32_t usual_marks(const ww_index *x, const ww_plan *plan, uint32_t beam) {
    const uint64_t seen = wwi_least(x->count, x->start_count + (uint64_t)beam * x->degree);
    uint32_t room = 256;
    while (room < 2 * seen && room < 1u << 30 && form(plan) != SHORT_OF_MARKS)
        room *= 2;
    return room;
}

// Places, and queries of a run, *most, for which there is memory. WW_ERROR_DEVICE_MEMORY.
static ww_status make_places(device_walk *w, size_t *most) {
    const wwi_pairing *pair = &w->plan->pair;
    const ww_index_args *a = &w->args;
    const uint64_t size = w->index->value_bytes, largest = wwi_context_max_buffer(pair->context);
    // Engines have a copy of the series of each pair.
    const uint64_t points = (uint64_t)pair->rows->rank_lengths[0] + pair->columns->rank_lengths[0];
    const uint64_t copies = points * (pair->rows->channels + pair->rows->extra) * size, of_marks = a->mark_room * 4ull;
    const uint64_t beam = a->beam * (4 + size), each = a->each * (16 + size + copies);
    const uint64_t memory = wwi_memory_share(pair->context, 4, w->index->run.max_bytes);
    uint64_t places = (uint64_t)wwi_forced(pair->context, "form.index_places", PAIRS, PAIRS / a->each);
    places = wwi_least(places, memory / (of_marks + beam + each));
    places = wwi_least(places, largest / of_marks);
    *most = (size_t)wwi_least(w->left_count, RESULTS / (a->keep * (4 + size)));
    *most = *most ? *most : 1;
    places = wwi_least(places ? places : 1, *most);
    w->places = places;
    return WWI_GROW(pair->context, {&w->beam_distances, places * a->beam * size},
                    {&w->beam_numbers, places * a->beam * 4}, {&w->asked, places * a->each * 4},
                    {&w->marks, places * of_marks}, {&w->pairs, places * a->each * 12},
                    {&w->results, places * a->each * size}, {&w->totals, WW_INDEX_TOTALS * 4},
                    {&w->found_numbers, *most * a->keep * 4}, {&w->found_distances, *most * a->keep * size},
                    {&w->given_up, *most * 4});
}

// ---- a run of queries

// Uploads which they are, and places that have none yet.
static ww_status send(device_walk *w, const uint32_t *queries, size_t count) {
    static const uint32_t none[WW_INDEX_TOTALS] = {0};
    ww_context *context = w->plan->pair.context;
    const wwi_index_walk *of = w->of;
    WWI_FREES uint32_t *words = NULL;
    const size_t states = (size_t)w->places * WW_INDEX_WORDS;
    WWI_TRY(wwi_new(words, states > count ? states : count));
    for (size_t i = 0; i < count; i++)
        words[i] = of->rows ? of->rows[queries[i]] : queries[i];
    WWI_TRY(wwi_upload(context, &w->rows, words, count * sizeof *words));
    for (size_t i = 0; i < count; i++)
        words[i] = of->own ? of->own[queries[i]] : WW_INDEX_NONE;
    WWI_TRY(wwi_upload(context, &w->owns, words, count * sizeof *words));
    for (size_t i = 0; i < states; i++)
        words[i] = i % WW_INDEX_WORDS == WW_INDEX_QUERY ? WW_INDEX_NONE : 0;
    WWI_TRY(wwi_upload(context, &w->states, words, states * sizeof *words));
    WWI_TRY(wwi_upload(context, &w->totals, none, sizeof none));
    w->args.queries = (uint32_t)count;
    return WW_OK;
}

static ww_status launch(device_walk *w) {
    return WWI_LAUNCH(w->kernel, w->places, (uint64_t)w->group, WWI_BUFFER(w->links), WWI_BUFFER(w->entries),
                      WWI_BUFFER(w->rows), WWI_BUFFER(w->owns), WWI_VALUE(w->args), WWI_BUFFER(w->states),
                      WWI_BUFFER(w->beam_distances), WWI_BUFFER(w->beam_numbers), WWI_BUFFER(w->asked),
                      WWI_BUFFER(w->marks), WWI_BUFFER(w->pairs), WWI_BUFFER(w->results), WWI_BUFFER(w->totals),
                      WWI_BUFFER(w->found_numbers), WWI_BUFFER(w->found_distances), WWI_BUFFER(w->given_up));
}

// Of one device the index tells its progress; several tell their team's, and hear whether they are to stop.
static ww_status say(const device_walk *w, uint32_t done) {
    const wwi_plan_settings *o = &w->plan->options;
    return w->all->plan->team ? wwi_run_report(o->progress, o->progress_user, 0, 1) : wwi_index_tell(w->index, done);
}

// Steps until no place has a query.
static ww_status step_all(device_walk *w, uint32_t *given_up) {
    uint32_t totals[WW_INDEX_TOTALS] = {0}, done = 0;
    for (;;) {
        WWI_TRY(wwi_buffer_fill_u32(w->totals, 4 * WW_INDEX_PAIRS, 4, 0));
        WWI_TRY(launch(w));
        WWI_TRY(wwi_stream_read(w->plan->pair.stream, w->totals, 0, sizeof totals, totals));
        WWI_TRY(say(w, totals[WW_INDEX_DONE] - done));
        done = totals[WW_INDEX_DONE];
        *given_up = totals[WW_INDEX_LEFT];
        if (totals[WW_INDEX_PAIRS] == 0)
            return WW_OK;
        atomic_fetch_add(&w->all->examined, totals[WW_INDEX_PAIRS]);
        WWI_TRY(wwi_plan_run_tasks(w->plan, w->pairs, totals[WW_INDEX_PAIRS], w->results));
    }
}

// Of what a query kept, the k nearest that are not removed.
static void give(const device_walk *w, size_t query, const uint32_t *numbers, const unsigned char *distances) {
    const ww_index *x = w->index;
    const wwi_index_walk *of = w->of;
    const bool none = of->from_links && wwi_index_is_removed(x, of->own[query]);
    size_t made = 0;
    for (uint32_t i = 0; !none && i < w->args.keep && numbers[i] != WWI_NO_LINK && made < of->k; i++) {
        if (!of->removed && wwi_index_is_removed(x, numbers[i]))
            continue;
        of->ids[query * of->k + made] = numbers[i];
        of->distances[query * of->k + made++] = wwi_value_at(distances, x->precision, i);
    }
    for (; made < of->k; made++) {
        of->ids[query * of->k + made] = WWI_NO_LINK;
        of->distances[query * of->k + made] = (double)INFINITY;
    }
}

// Walks of `count` queries. Those that found no room for their marks are put at the end of `left`.
static ww_status run(device_walk *w, const uint32_t *queries, size_t count, size_t *left) {
    wwi_stream *stream = w->plan->pair.stream;
    const size_t keep = w->args.keep, row = keep * w->index->value_bytes;
    WWI_FREES uint32_t *given_up = NULL;
    WWI_FREES bool *is_left = NULL;
    uint32_t given_up_count = 0;
    WWI_TRY(send(w, queries, count));
    WWI_TRY(step_all(w, &given_up_count));
    WWI_TRY(wwi_new(given_up, given_up_count + 1));
    WWI_TRY(wwi_new_zeroed(is_left, count));
    if (given_up_count)
        WWI_TRY(wwi_stream_read(stream, w->given_up, 0, given_up_count * sizeof *given_up, given_up));
    WWI_TRY(wwi_stream_read(stream, w->found_numbers, 0, count * keep * sizeof *w->numbers, w->numbers));
    WWI_TRY(wwi_stream_read(stream, w->found_distances, 0, count * row, w->distances));
    for (size_t i = 0; i < given_up_count; i++)
        is_left[given_up[i]] = true;
    for (size_t i = 0; i < count; i++)
        if (is_left[i])
            w->left[(*left)++] = queries[i]; // `queries` are further on in the same array
        else
            give(w, queries[i], w->numbers + i * keep, w->distances + i * row);
    return WW_OK;
}

// All that are left; those that find no room stay.
static ww_status run_left(device_walk *w) {
    size_t left = 0, most;
    WWI_TRY(make_places(w, &most));
    wwi_free_taken(&w->numbers);
    wwi_free_taken(&w->distances);
    WWI_TRY(wwi_new(w->numbers, most * w->args.keep));
    WWI_TRY(wwi_new(w->distances, most * w->args.keep * w->index->value_bytes));
    for (size_t first = 0; first < w->left_count; first += most)
        WWI_TRY(run(w, w->left + first, (size_t)wwi_least(most, w->left_count - first), &left));
    w->left_count = left;
    return WW_OK;
}

// ---- a device

static ww_status send_links(device_walk *w, size_t device) {
    ww_index *x = w->index;
    wwi_buffer **links = &x->device_links[device];
    if (!*links)
        WWI_TRY(wwi_upload(w->plan->pair.context, links, x->links, (uint64_t)x->count * x->degree * sizeof *x->links));
    w->links = *links;
    return WW_OK;
}

static ww_status open(device_walk *w, walks *all, ww_plan *plan, size_t device) {
    ww_index *x = all->index;
    const wwi_index_walk *of = all->of;
    ww_context *context = plan->pair.context;
    const uint32_t beam = all->beam;
    *w = (device_walk){.index = x, .all = all, .of = of, .plan = plan};
    w->group = wwi_is_gpu(context) ? GROUP : 1; // compilers for CPUs take minutes for groups of it
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "index/index_args.h", "index/index_walk.cl"},
        .defines =
            WWI_LIST({"WWK_DOUBLE", x->precision == WW_DOUBLE}, {"WW_WG", w->group}, {"WW_WIDTH", WWI_INDEX_WIDTH},
                     {"WW_ASKED", WWI_INDEX_WIDTH * (x->degree > 32 ? WW_INDEX_MOST_DEGREE : 32)}),
        .kernels = {{&w->kernel, "ww_index_step"}},
    };
    WWI_TRY(wwi_program_make(context, plan->pair.stream, &parts, &w->program));
    w->args = (ww_index_args){
        .degree = x->degree,
        .entries = (uint32_t)x->start_count,
        .beam = beam,
        .keep = x->removed && !of->removed ? beam : (uint32_t)wwi_least(beam, of->k),
        .each = WWI_INDEX_WIDTH * x->degree,
        .flags = (of->own ? WW_INDEX_OWN : 0u) | (of->own && of->from_links ? WW_INDEX_LINKS : 0u) |
                 (x->similarity ? WW_INDEX_LARGEST : 0u),
    };
    WWI_TRY(send_links(w, device));
    return wwi_upload(context, &w->entries, x->entries, x->start_count * sizeof *x->entries);
}

static ww_status walk_all(device_walk *w, wwi_span queries) {
    w->args.mark_room = usual_marks(w->index, w->plan, w->args.beam);
    wwi_free_taken(&w->left);
    WWI_TRY(wwi_new(w->left, queries.count));
    for (size_t i = 0; i < queries.count; i++)
        w->left[i] = (uint32_t)(queries.first + i);
    w->left_count = queries.count;
    for (;;) {
        WWI_TRY(run_left(w));
        if (w->left_count == 0)
            return WW_OK;
        w->args.mark_room *= MORE_MARKS;
    }
}

static ww_status walk(device_walk *w, wwi_span queries) {
    wwi_plan_start(w->plan);
    return wwi_plan_end(w->plan, walk_all(w, queries));
}

// ---- several devices

static double query_work(const void *of, size_t query) {
    const walks *all = of;
    const wwi_pairing *pair = &all->plan->pair;
    (void)query;
    return ((double)all->index->start_count + (double)all->beam * all->index->degree) *
           (double)wwi_pairing_cells(pair, pair->rows->rank_lengths[0], pair->columns->rank_lengths[0]);
}

static ww_status open_seat(wwi_seat *seat) {
    device_walk *w;
    WWI_TRY(wwi_new_zeroed(w, 1));
    seat->own = w;
    return open(w, seat->of, seat->team->on[seat->device], seat->device);
}

static ww_status run_seat(const wwi_seat *seat, wwi_span queries) {
    return walk(seat->own, queries);
}

static void close_seat(wwi_seat *seat) {
    if (seat->own)
        walk_close(seat->own);
    free(seat->own);
    seat->own = NULL;
}

ww_status wwi_index_run_on_device(ww_index *x, ww_plan *plan, uint32_t beam, wwi_index_walk *of) {
    static const wwi_job kind = {.work = query_work, .open = open_seat, .run = run_seat, .close = close_seat};
    walks all = {.index = x, .of = of, .plan = plan, .beam = beam};
    WWI_ENDS(walk_close) device_walk alone = {.index = x};
    ww_status status;
    if (!x->device_links)
        WWI_TRY(wwi_new_zeroed(x->device_links, wwi_index_devices(x)));
    if (plan->team) {
        status = wwi_team_run(plan->team, &kind, &all, of->count);
        status = status == WW_OK ? wwi_index_tell(x, of->count) : status;
    } else {
        status = open(&alone, &all, plan, 0);
        status = status == WW_OK ? walk(&alone, (wwi_span){0, of->count}) : status;
    }
    of->examined = atomic_load(&all.examined);
    return status;
}
