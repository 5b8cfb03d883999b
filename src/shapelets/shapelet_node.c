// SPDX-License-Identifier: Apache-2.0
// The search of one node: the best candidates among all windows of its series. Columns (places where candidates start)
// are processed in chunks that fit the memory; for each chunk the device finds the correlations of all its candidates
// with all series and the bounds of their gains (kernels_cl/shapelets/), and lists those that may be among the best.
// The list is then examined in double, best first, until no other can be better.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shapelets/shapelet_node.h"

// ---- what is sent, and its room

// Blocks of columns by diagonals.
static size_t blocks_of(const wwi_node_search *s) {
    return s->correlator.way->diagonals ? s->candidates.count / s->candidates.block : 0;
}

// What is told of the node's series and of the columns' blocks.
static ww_status describe_node(wwi_node_search *s) {
    const wwi_shapelet_node *node = s->node;
    const size_t n = node->count, blocks = blocks_of(s);
    const double scale = s->device->kind.raw ? (double)s->job.scale * (double)s->data->channels : 0.25;
    s->sent.totals = calloc(node->class_count, sizeof *s->sent.totals);
    s->sent.points = malloc(n * sizeof *s->sent.points);
    s->sent.before = calloc(n, sizeof *s->sent.before);
    s->sent.lefts = malloc((blocks + 1) * sizeof *s->sent.lefts);
    if (!s->sent.totals || !s->sent.before || !s->sent.points || !s->sent.lefts)
        return wwi_fail_memory((n + blocks) * sizeof *s->sent.points);
    for (size_t j = 0; j < n; j++) {
        s->sent.totals[node->classes[j]]++;
        s->sent.points[j] = (uint32_t)wwi_shapelet_length(s->data, node->ids[j]);
        if (node->before)
            s->sent.before[j] = (float)fmin(node->before[j] * node->before[j] * scale, 1.0);
    }
    for (size_t i = 0; i < blocks; i++) {
        const wwi_shapelet_column *column = &s->candidates.columns[i * s->candidates.block];
        s->sent.lefts[i] = (uint32_t)wwi_shapelet_length(s->data, column->series) - column->start;
    }
    return WW_OK;
}

// Of the whole tree.
static ww_status send_gains(wwi_node_search *s) {
    struct wwi_shapelet_node_scratch *to = &s->scratch->node;
    const size_t most = s->gains->most;
    ww_status status = WW_OK;
    if (!to->steps)
        status = wwi_upload(s->device->context, &to->steps, s->gains->steps, most * 8);
    return status == WW_OK && !to->entropy
               ? wwi_upload(s->device->context, &to->entropy, s->gains->entropy, (most + 1) * 8)
               : status;
}

// The distances so far of the node's series, where there are any.
static ww_status send_before(wwi_node_search *s) {
    struct wwi_shapelet_node_scratch *to = &s->scratch->node;
    const size_t n = s->node->count;
    ww_status status = wwi_grow_buffer(s->device->context, &to->before, n * 4);
    if (status == WW_OK && s->node->before)
        status = wwi_buffer_send(to->before, n * 4, s->sent.before);
    return status == WW_OK && s->node->before ? wwi_node_post(s->device, &to->so_far, s->node->before, n * 8) : status;
}

static ww_status send_columns(wwi_node_search *s) {
    struct wwi_shapelet_node_scratch *to = &s->scratch->node;
    const size_t blocks = blocks_of(s), bytes = s->candidates.count * sizeof *s->candidates.columns;
    const ww_status status = blocks ? wwi_node_post(s->device, &to->lefts, s->sent.lefts, blocks * 4) : WW_OK;
    return status == WW_OK && s->device->has_double
               ? wwi_node_post(s->device, &to->columns, s->candidates.columns, bytes)
               : status;
}

// What does not change from chunk to chunk.
static ww_status send_node(wwi_node_search *s) {
    wwi_shapelet_device *d = s->device;
    wwi_shapelet_scratch *scratch = s->scratch;
    const wwi_shapelet_node *node = s->node;
    const size_t n = node->count;
    WWI_TRY(describe_node(s));
    WWI_TRY(wwi_node_post(d, &scratch->node.ids, node->ids, n * 4));
    WWI_TRY(wwi_node_post(d, &scratch->node.class_of, node->classes, n * 4));
    WWI_TRY(wwi_node_post(d, &scratch->node.totals, s->sent.totals, node->class_count * 4));
    WWI_TRY(wwi_node_post(d, &scratch->node.points, s->sent.points, n * 4));
    WWI_TRY(send_before(s));
    WWI_TRY(send_gains(s));
    WWI_TRY(send_columns(s));
    WWI_TRY(WWI_GROW(d->context, {&scratch->bounds.pruned, n * 4}, {&scratch->bounds.listed_count, 4},
                     {&scratch->bounds.bound, 16}));
    return wwi_buffer_fill_u32(scratch->bounds.pruned, 0, n * 4, 0);
}

// Bytes of a column in all buffers of a chunk.
static uint64_t column_bytes(const wwi_node_search *s) {
    const uint64_t C = s->data->channels, count = s->job.count;
    return 24 + s->correlator.way->column_bytes(s) + 4 * (C + 1) * count + 4 * count * s->node->count +
           (12 + 16 + 4) * count;
}

static void cut_chunks(wwi_node_search *s) {
    wwi_node_candidates *c = &s->candidates;
    const uint64_t buffer = wwi_context_max_buffer(s->device->context);
    uint64_t most = wwi_node_memory(s) * 3 / 4 / column_bytes(s);
    c->block = s->correlator.way->block(s);
    if (c->block < s->bounds.across)
        c->block = s->bounds.across;
    most = wwi_least(most, buffer / (4 * (uint64_t)s->job.count * s->node->count));
    most = wwi_least(most, buffer / (4 * (uint64_t)s->data->channels * s->job.longest));
    most = wwi_least(most, INT32_MAX / s->job.count) / c->block * c->block;
    c->most = most > c->block ? (size_t)most : c->block;
}

static ww_status allocate(wwi_node_search *s) {
    ww_context *context = s->device->context;
    struct wwi_shapelet_columns_scratch *to = &s->scratch->columns;
    const uint32_t block = s->candidates.block;
    const uint64_t W = wwi_least(wwi_ceil_div(s->candidates.count, block) * block, s->candidates.most);
    // By diagonals also the condition number of each length.
    const uint64_t flat_bytes = (s->node->count + 1) * (s->job.single ? s->job.longest : s->job.count) * 4;
    WWI_TRY(WWI_GROW(context, {&to->places, W * 16}, {&to->reaches, W * 4}, {&to->own, W * 4},
                     {&to->norms, W * (s->data->channels + 1) * s->job.count * 4},
                     {&s->scratch->windows.constant, flat_bytes}));
    WWI_TRY(s->correlator.way->allocate(s, W));
    WWI_TRY(wwi_node_bounds_allocate(s, W));
    return wwi_buffer_fill_u32(s->scratch->windows.constant, 0, flat_bytes, 0);
}

static void release(wwi_node_search *s, ww_status status) {
    wwi_node_bounds *b = &s->bounds;
    if (status != WW_OK && s->scratch->node.ids)
        wwi_buffer_settle(s->scratch->node.ids); // what is posted
    WWI_KERNELS_DESTROY(&s->correlator.kernel, &s->correlator.clear, &b->split, &b->raise, &b->rank, &b->keep,
                        &b->prune, &b->survive);
    wwi_program_release(&s->correlator.program);
    wwi_program_release(&b->split_program);
    wwi_program_release(&b->prune_program);
    void *arrays[] = {s->sent.totals,        s->sent.points,         s->sent.before,      s->sent.lefts,
                      s->candidates.columns, s->candidates.sections, s->candidates.cells, s->candidates.lengths,
                      s->table.tiles,        s->table.first_tile,    s->shortlist.items};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

// ---- chunks

// Queues all work for a chunk.
static ww_status queue_chunk(wwi_node_search *s, const wwi_node_chunk *now) {
    const uint32_t block = s->candidates.block;
    s->job.columns = (uint32_t)(wwi_ceil_div(now->count, block) * block);
    s->shortlist.first = s->ahead ? (uint32_t)now->first : 0;
    s->shortlist.columns = s->ahead ? (uint32_t)s->candidates.count + block : s->job.columns;
    WWI_TRY(wwi_correlate(s, now));
    const ww_status brief = s->job.shorts ? wwi_brief_find(s) : WW_OK;
    return brief == WW_OK ? wwi_node_bounds_find(s) : brief;
}

// next: made while the device works.
static ww_status go_through_chunk(wwi_node_search *s, const wwi_node_chunk *now, size_t next_count,
                                  wwi_node_chunk *next) {
    bool whole; // there is room for a chunk's candidates
    WWI_TRY(queue_chunk(s, now));
    *next = wwi_node_chunk_of(s, now->first + now->count, next_count);
    s->progress->cells += now->cells;
    s->progress->candidates += now->candidates;
    return wwi_shortlist_take(s, now->first, &whole);
}

// Columns of the chunk that begins at `at` of a section.
static size_t chunk_at(const wwi_node_search *s, const wwi_node_section *part, size_t at) {
    return part->count - at < s->candidates.most ? part->count - at : s->candidates.most;
}

// All chunks of the node, one queued behind the other. done: false where the list has no room for what they kept.
static ww_status go_ahead(wwi_node_search *s, bool *done) {
    ww_status status = WW_OK;
    const wwi_node_section *part = &s->candidates.sections[0];
    wwi_shapelet_progress *p = s->progress;
    uint64_t cells = 0, candidates = 0;
    s->ahead = true;
    WWI_TRY(wwi_node_bounds_send(s));
    WWI_TRY(wwi_buffer_fill_u32(s->scratch->bounds.kept_count, 0, 4, 0));
    for (size_t at = 0; status == WW_OK && at < part->count;) {
        const wwi_node_chunk now = wwi_node_chunk_of(s, part->first + at, chunk_at(s, part, at));
        status = queue_chunk(s, &now);
        at += now.count;
        cells += now.cells;
        candidates += now.candidates;
    }
    if (status == WW_OK) {
        wwi_stream_follow(s->device->stream);
        status = wwi_shortlist_take(s, 0, done);
    }
    s->ahead = false;
    if (status == WW_OK && *done) {
        p->cells += cells;
        p->candidates += candidates;
        status = wwi_shortlist_select(s);
    }
    return status;
}

// The chunks of a section from its column `begin` on.
static ww_status go_through_section(wwi_node_search *s, const wwi_node_section *part, size_t begin, bool *send) {
    ww_status status = WW_OK;
    wwi_shapelet_progress *p = s->progress;
    wwi_node_chunk next = wwi_node_chunk_of(s, part->first + begin, chunk_at(s, part, begin));
    for (size_t at = begin, count; status == WW_OK && at < part->count; at += count) {
        const wwi_node_chunk now = next;
        if (p->deadline > 0 && (part != s->candidates.sections || at > 0) && wwi_seconds() > p->deadline) {
            p->stopped = true;
            return wwi_shortlist_select(s);
        }
        count = now.count;
        if (*send)
            status = wwi_node_bounds_send(s);
        // The device itself raises the bound of a single best one.
        *send = s->k > 1;
        if (status == WW_OK)
            status = go_through_chunk(s, &now, chunk_at(s, part, at + count), &next);
        if (status == WW_OK && s->k == 1 && (p->save || s->shortlist.count > 4096 || at + count == part->count)) {
            status = wwi_shortlist_select(s);
            *send = true;
            if (status == WW_OK && p->save)
                status = p->save(p->save_user, part->first + at + count, s->best_found, s->best_count);
        }
    }
    if (status == WW_OK && s->k > 1 && (status = wwi_shortlist_select(s)) == WW_OK && p->save)
        status = p->save(p->save_user, part->first + part->count, s->best_found, s->best_count);
    return status;
}

static ww_status go_through(wwi_node_search *s) {
    ww_status status = WW_OK;
    const wwi_node_candidates *c = &s->candidates;
    wwi_shapelet_progress *p = s->progress;
    bool send = true, done = false;
    const bool alone = c->section_count == 1 && s->k == 1;
    if (alone && !p->save && !p->resume && !(p->deadline > 0) &&
        (c->count + c->block) * (uint64_t)s->job.count <= UINT32_MAX &&
        ((status = go_ahead(s, &done)) != WW_OK || done))
        return status;
    for (size_t i = 0; status == WW_OK && !p->stopped && i < c->section_count; i++) {
        const wwi_node_section *part = &c->sections[i];
        if (part->first + part->count <= p->resume)
            p->cells += wwi_node_chunk_of(s, part->first, part->count).cells;
        else
            status = go_through_section(s, part, alone ? (size_t)p->resume : 0, &send);
    }
    return status;
}

// What the kernels are told of the node.
static void describe(wwi_node_search *s) {
    const wwi_shapelet_node *node = s->node;
    const wwi_shapelet_kind kind = s->device->kind, scaled = {kind.channels, kind.raw, false};
    ww_shapelet_args *job = &s->job;
    *job = wwi_node_job(s->data, s->options);
    job->series = (uint32_t)node->count;
    job->classes = (uint32_t)node->class_count;
    while (job->class_bits < 1 || (UINT64_C(1) << job->class_bits) < node->class_count)
        job->class_bits++;
    // Keys hold q in the bits that the classes leave.
    job->error += 1.0f / (float)(UINT64_C(1) << (32 - job->class_bits));
    // A split that float is certain of has distances that differ by more than rounding.
    const double rounding = wwi_shapelet_rounding_most(s->data, scaled, job->longest);
    job->error += (float)(!kind.raw ? rounding : s->data->range > 0 ? 2 * rounding / s->data->range : 0);
    job->combine = node->before ? (node->op == WW_SHAPELET_AND ? 1 : 2) : 0;
}

// All that comes before the first chunk.
static ww_status prepare(wwi_node_search *s) {
    ww_status status;
    const size_t sample = s->options->sample;
    if (sample)
        WWI_TRY(wwi_node_sample(s, sample));
    wwi_correlate_choose(s);
    if ((status = wwi_node_columns(s)) != WW_OK || !s->candidates.count)
        return status; // nothing of a sample is in this part
    wwi_brief_choose(s);
    WWI_TRY(s->correlator.way->compile(s));
    WWI_TRY(wwi_node_bounds_compile(s));
    cut_chunks(s);
    WWI_TRY(wwi_node_sections(s));
    WWI_TRY(send_node(s));
    WWI_TRY(allocate(s));
    return s->job.shorts ? wwi_brief_windows(s) : WW_OK;
}

ww_status wwi_shapelet_search(wwi_shapelet_device *device, const wwi_shapelet_data *data,
                              const wwi_shapelet_gains *gains, const ww_shapelets_options *options,
                              const wwi_shapelet_node *node, size_t k, wwi_shapelet_progress *progress,
                              wwi_shapelet_found *found, size_t *count) {
    wwi_node_search s = {.device = device,
                         .scratch = &device->scratch,
                         .data = data,
                         .gains = gains,
                         .options = options,
                         .node = node,
                         .progress = progress,
                         .k = k,
                         .best_found = found,
                         .best_count = *count};
    describe(&s);
    WWI_TRY(wwi_new(s.table.first_tile, node->count + 1));
    ww_status status = prepare(&s);
    if (status == WW_OK) {
        status = go_through(&s);
        *count = s.best_count;
    }
    release(&s, status);
    return status;
}
