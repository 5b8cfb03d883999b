// SPDX-License-Identifier: Apache-2.0
// The search of one node: the best candidates among all windows of its series. Columns (places where candidates start)
// are processed in chunks that fit the memory; for each chunk the device finds the correlations of all its candidates
// with all series and the bounds of their gains (kernels_cl/shapelets/), and lists those that may be among the best.
// The list is then examined in double, best first, until no other can be better.
#include <math.h>
#include <stdlib.h>

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
    WWI_TRY(wwi_new_zeroed(s->sent.totals, node->class_count));
    WWI_TRY(wwi_new(s->sent.points, n));
    WWI_TRY(wwi_new_zeroed(s->sent.before, n));
    WWI_TRY(wwi_new(s->sent.lefts, blocks + 1));
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
    if (!to->steps)
        WWI_TRY(wwi_upload(s->device->context, &to->steps, s->gains->steps, most * 8));
    return to->entropy ? WW_OK : wwi_upload(s->device->context, &to->entropy, s->gains->entropy, (most + 1) * 8);
}

static ww_status send_columns(wwi_node_search *s) {
    struct wwi_shapelet_node_scratch *to = &s->scratch->node;
    const size_t blocks = blocks_of(s), bytes = s->candidates.count * sizeof *s->candidates.columns;
    if (blocks)
        WWI_TRY(wwi_node_post(s->device, &to->lefts, s->sent.lefts, blocks * 4));
    return s->device->has_double ? wwi_node_post(s->device, &to->columns, s->candidates.columns, bytes) : WW_OK;
}

// What does not change from chunk to chunk.
static ww_status send_node(wwi_node_search *s) {
    wwi_shapelet_device *d = s->device;
    struct wwi_shapelet_node_scratch *to = &s->scratch->node;
    struct wwi_shapelet_bounds_scratch *bounds = &s->scratch->bounds;
    const wwi_shapelet_node *node = s->node;
    const size_t n = node->count;
    WWI_TRY(describe_node(s));
    WWI_TRY(wwi_node_post(d, &to->ids, node->ids, n * 4));
    WWI_TRY(wwi_node_post(d, &to->class_of, node->classes, n * 4));
    WWI_TRY(wwi_node_post(d, &to->totals, s->sent.totals, node->class_count * 4));
    WWI_TRY(wwi_node_post(d, &to->points, s->sent.points, n * 4));
    WWI_TRY(wwi_grow_buffer(d->context, &to->before, n * 4));
    if (node->before) { // the distances so far
        WWI_TRY(wwi_buffer_send(to->before, n * 4, s->sent.before));
        WWI_TRY(wwi_node_post(d, &to->so_far, node->before, n * 8));
    }
    WWI_TRY(send_gains(s));
    WWI_TRY(send_columns(s));
    WWI_TRY(WWI_GROW(d->context, {&bounds->pruned, n * 4}, {&bounds->listed_count, 4}, {&bounds->bound, 16}));
    return wwi_buffer_fill_u32(bounds->pruned, 0, n * 4, 0);
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

static void release(wwi_node_search *s) {
    wwi_node_bounds *b = &s->bounds;
    if (!s->ended)
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
    if (s->job.shorts)
        WWI_TRY(wwi_brief_find(s));
    return wwi_node_bounds_find(s);
}

// The chunk that begins at `at` of a section.
static wwi_node_chunk chunk_at(const wwi_node_search *s, const wwi_node_section *part, size_t at) {
    return wwi_node_chunk_of(s, part->first + at, wwi_least(part->count - at, s->candidates.most));
}

// next: of those from `end` of the section on, made while the device works.
static ww_status go_through_chunk(wwi_node_search *s, const wwi_node_section *part, const wwi_node_chunk *now,
                                  size_t end, wwi_node_chunk *next) {
    bool whole; // there is room for a chunk's candidates
    WWI_TRY(queue_chunk(s, now));
    *next = chunk_at(s, part, end);
    s->progress->cells += now->cells;
    s->progress->candidates += now->candidates;
    return wwi_shortlist_take(s, now->first, &whole);
}

// All chunks of the node, one queued behind the other. done: false where the list has no room for what they kept.
static ww_status go_ahead(wwi_node_search *s, bool *done) {
    const wwi_node_section *part = &s->candidates.sections[0];
    uint64_t cells = 0, candidates = 0;
    s->ahead = true;
    WWI_TRY(wwi_node_bounds_send(s));
    WWI_TRY(wwi_buffer_fill_u32(s->scratch->bounds.kept_count, 0, 4, 0));
    for (size_t at = 0; at < part->count;) {
        const wwi_node_chunk now = chunk_at(s, part, at);
        WWI_TRY(queue_chunk(s, &now));
        at += now.count;
        cells += now.cells;
        candidates += now.candidates;
    }
    wwi_stream_follow(s->device->stream);
    WWI_TRY(wwi_shortlist_take(s, 0, done));
    s->ahead = false;
    if (!*done)
        return WW_OK;
    s->progress->cells += cells;
    s->progress->candidates += candidates;
    return wwi_shortlist_select(s);
}

// The chunks of a section.
static ww_status go_through_section(wwi_node_search *s, const wwi_node_section *part, bool *send) {
    wwi_shapelet_progress *p = s->progress;
    wwi_node_chunk next = chunk_at(s, part, 0);
    for (size_t at = 0; at < part->count;) {
        const wwi_node_chunk now = next;
        if (p->deadline > 0 && (part != s->candidates.sections || at > 0) && wwi_seconds() > p->deadline) {
            p->stopped = true;
            return wwi_shortlist_select(s);
        }
        if (*send)
            WWI_TRY(wwi_node_bounds_send(s));
        // The device itself raises the bound of a single best one.
        *send = s->k > 1;
        at += now.count;
        WWI_TRY(go_through_chunk(s, part, &now, at, &next));
        if (s->k == 1 && (s->shortlist.count > 4096 || at == part->count)) {
            WWI_TRY(wwi_shortlist_select(s));
            *send = true;
        }
    }
    return s->k > 1 ? wwi_shortlist_select(s) : WW_OK;
}

static ww_status go_through(wwi_node_search *s) {
    const wwi_node_candidates *c = &s->candidates;
    const wwi_shapelet_progress *p = s->progress;
    bool send = true, done = false;
    const bool alone = c->section_count == 1 && s->k == 1;
    if (alone && !(p->deadline > 0) && (c->count + c->block) * (uint64_t)s->job.count <= UINT32_MAX)
        WWI_TRY(go_ahead(s, &done));
    for (size_t i = 0; !done && !p->stopped && i < c->section_count; i++)
        WWI_TRY(go_through_section(s, &c->sections[i], &send));
    return WW_OK;
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
    if (s->options->sample)
        WWI_TRY(wwi_node_sample(s, s->options->sample));
    wwi_correlate_choose(s);
    WWI_TRY(wwi_node_columns(s));
    if (!s->candidates.count)
        return WW_OK; // nothing of a sample is in this part
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
    WWI_ENDS(release)
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
    WWI_TRY(prepare(&s));
    WWI_TRY(go_through(&s));
    *count = s.best_count;
    s.ended = true;
    return WW_OK;
}
