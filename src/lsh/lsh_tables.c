// SPDX-License-Identifier: Apache-2.0
// Tables: keys of points, sorted by bucket.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lsh/lsh_index.h"

// Work-groups that a compute unit is taken to do in a clock, before it is known.
#define GROUPS_A_CLOCK (1.0 / 16384)
// A launch that is expected to take less than this part of the longest is not waited for.
#define SHORT 8

ww_status wwi_lsh_norms(ww_lsh *h, const wwi_slice *w, wwi_buffer **norms, float *largest) {
    const uint64_t padded = wwi_points_padded(w->count);
    const uint32_t n = (uint32_t)w->count;
    // As of a search's base (knn.c): a query's norm may be less by that, too.
    const double wide = !h->direct && h->family == WWK_FAMILY_STABLE ? 1 - 4 * (double)h->scale.margin : 1;
    const float narrow = (float)wide;
    wwi_buffer_destroy(norms);
    *largest = 0;
    if (h->family == WWK_FAMILY_SETS)
        return WW_OK;
    WWI_TRY(wwi_buffer_create(h->context, padded * h->value_bytes, norms));
    WWI_TRY(wwi_buffer_fill_u32(h->largest, 0, 8, 0));
    WWI_TRY(WWI_LAUNCH(h->kernels.norms, padded / WWI_TILE, WWI_TILE, WWI_BUFFER(w->values), WWI_BUFFER(h->device_mean),
                       WWI_VALUE(n), WWI_VALUE(h->words), WWI_BUFFER(*norms), WWI_BUFFER(h->largest),
                       h->precision == WW_DOUBLE ? WWI_VALUE(wide) : WWI_VALUE(narrow)));
    return h->kind == WW_POINTS_NUMBERS
               ? wwi_knn_read_norms(h->stream, h->largest, h->options.metric, h->precision, largest)
               : WW_OK;
}

void wwi_lsh_start(ww_lsh *h, uint64_t work) {
    wwi_stream_start(h->stream);
    h->pace = wwi_pace_make(h->stream, h->run.launch_seconds, h->run.progress, h->run.progress_user);
    wwi_pace_start(&h->pace, work);
    h->building = 0;
}

// A launch of `groups` work-groups; with a progress function as many launches as end in time. *first_group, which the
// arguments hold, is the first group of each.
static ww_status divide(ww_lsh *h, int which, wwi_kernel *kernel, uint64_t groups, uint64_t group_size,
                        uint32_t *first_group, const wwi_arg *args, size_t count) {
    double *rate = &h->rates[which];
    if (!(*rate > 0))
        *rate = wwi_pace_guess(wwi_context_info(h->context), GROUPS_A_CLOCK);
    for (uint64_t at = 0, now; at < groups; at += now) {
        const double start = wwi_seconds();
        now = h->run.progress ? wwi_pace_units(&h->pace, *rate, groups - at, 1) : groups;
        *first_group = (uint32_t)at;
        WWI_TRY(wwi_launch(kernel, now, group_size, args, count));
        // A short one is not worth waiting for.
        if (!h->run.progress || (now == groups && (double)now < *rate * h->pace.aim / SHORT))
            continue;
        WWI_TRY(wwi_finish(h->stream));
        *rate = wwi_pace_learn(&h->pace, *rate, (double)now, wwi_seconds() - start);
        WWI_TRY(wwi_pace_report(&h->pace, h->building * now / groups));
    }
    return WW_OK;
}

ww_status wwi_lsh_keys(ww_lsh *h, const wwi_slice *w, const ww_lsh_args *of, wwi_buffer *keys) {
    ww_lsh_args job = *of;
    const uint64_t groups = h->together == 2 ? wwi_ceil_div(job.groups, WWI_LSH_KEY_ROWS) : job.groups;
    return divide(h, WWI_LSH_KEYS, h->kernels.keys, groups * job.tables, h->together == 1 ? 1 : WWI_LSH_GROUP,
                  &job.first_group,
                  WWI_ARGS(WWI_BUFFER(w->values), WWI_BUFFER(w->series), WWI_BUFFER(h->device_coefficients),
                           WWI_BUFFER(h->masks), WWI_VALUE(job), WWI_BUFFER(keys)));
}

ww_status wwi_lsh_sorter_create(ww_lsh *h, uint64_t rows, uint32_t bits, wwi_lsh_sorter *s) {
    const uint64_t tables = h->options.tables, buckets = tables << bits;
    memset(s, 0, sizeof *s);
    return WWI_GROW(h->context, {&s->ranks, tables * rows * 4}, {&s->counts, buckets * 4},
                    {&s->sums, (buckets / WWI_LSH_BLOCK + 1) * 4});
}

void wwi_lsh_sorter_free(wwi_lsh_sorter *s) {
    WWI_BUFFERS_DESTROY(&s->ranks, &s->counts, &s->sums);
}

ww_status wwi_lsh_sort(ww_lsh *h, wwi_lsh_sorter *s, const ww_lsh_args *of, wwi_buffer *keys, uint64_t first_key,
                       wwi_buffer *offsets, wwi_buffer *entries) {
    ww_lsh_args job = *of;
    const uint64_t groups = (uint64_t)job.groups * job.tables, total = (uint64_t)job.tables << (32 - job.shift);
    const uint64_t blocks = wwi_ceil_div(total, WWI_LSH_BLOCK);
    const uint32_t sums = (uint32_t)blocks;
    uint32_t first = 0;
    WWI_TRY(wwi_buffer_fill_u32(s->counts, 0, total * 4, 0));
    WWI_TRY(divide(
        h, WWI_LSH_COUNT, h->kernels.count, groups, WWI_LSH_GROUP, &job.first_group,
        WWI_ARGS(WWI_BUFFER(keys), WWI_VALUE(first_key), WWI_VALUE(job), WWI_BUFFER(s->counts), WWI_BUFFER(s->ranks))));
    WWI_TRY(divide(h, WWI_LSH_SUMS, h->kernels.block_sums, blocks, WWI_LSH_GROUP, &first,
                   WWI_ARGS(WWI_BUFFER(s->counts), WWI_VALUE(total), WWI_VALUE(first), WWI_BUFFER(s->sums))));
    WWI_TRY(WWI_LAUNCH(h->kernels.scan_sums, 1, WWI_LSH_GROUP, WWI_BUFFER(s->sums), WWI_VALUE(sums)));
    WWI_TRY(divide(
        h, WWI_LSH_OFFSETS, h->kernels.write_offsets, blocks, WWI_LSH_GROUP, &first,
        WWI_ARGS(WWI_BUFFER(s->counts), WWI_VALUE(total), WWI_VALUE(first), WWI_BUFFER(s->sums), WWI_BUFFER(offsets))));
    return divide(h, WWI_LSH_SCATTER, h->kernels.scatter, groups, WWI_LSH_GROUP, &job.first_group,
                  WWI_ARGS(WWI_BUFFER(keys), WWI_VALUE(first_key), WWI_BUFFER(s->ranks), WWI_VALUE(job),
                           WWI_BUFFER(offsets), WWI_BUFFER(entries)));
}

static ww_status build(ww_lsh *h, wwi_lsh_block *b) {
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *keys = NULL;
    WWI_ENDS(wwi_lsh_sorter_free) wwi_lsh_sorter sorter = {0};
    const uint64_t entries = (uint64_t)h->options.tables * b->count,
                   offsets = ((uint64_t)h->options.tables << b->bits) + 1;
    const ww_lsh_args job = {.count = b->count,
                             .groups = (uint32_t)wwi_lsh_groups(b->count),
                             .dimension = h->words,
                             .tables = h->options.tables,
                             .shift = 32 - b->bits,
                             .first = (uint32_t)(b->first - b->window.first),
                             .probes = 1,
                             .base_id = b->id,
                             .own = WWI_NO_INDEX};
    WWI_TRY(WWI_GROW(h->context, {&b->offsets, offsets * 4}, {&b->entries, entries * 4}, {&keys, entries * 4}));
    WWI_TRY(wwi_lsh_sorter_create(h, b->count, b->bits, &sorter));
    WWI_TRY(wwi_lsh_keys(h, &b->window, &job, keys));
    WWI_TRY(wwi_lsh_sort(h, &sorter, &job, keys, 0, b->offsets, b->entries));
    return wwi_finish(h->stream);
}

ww_status wwi_lsh_rows(ww_lsh *h, const wwi_slice *w, size_t first, size_t count, wwi_buffer **rows) {
    const uint32_t from = (uint32_t)(first - w->first), n = (uint32_t)count;
    if (h->family == WWK_FAMILY_SETS)
        return WW_OK;
    if (!*rows)
        WWI_TRY(wwi_buffer_create(h->context, count * wwi_lsh_row_bytes(h), rows));
    return WWI_LAUNCH(h->kernels.rows, wwi_lsh_groups(count), WWI_LSH_GROUP, WWI_BUFFER(w->values), WWI_VALUE(from),
                      WWI_VALUE(n), WWI_VALUE(h->words), WWI_BUFFER(*rows));
}

ww_status wwi_lsh_make_halves(ww_lsh *h, wwi_buffer *rows, wwi_buffer *norms, uint32_t first_norm, size_t count,
                              float scale, wwi_lsh_halves *halves) {
    const uint32_t n = (uint32_t)count;
    if (halves->rows && halves->scale >= scale && halves->scale <= scale)
        return WW_OK;
    if (!halves->rows)
        WWI_TRY(wwi_buffer_create(h->context, count * wwi_lsh_half_bytes(h), &halves->rows));
    halves->scale = scale;
    const ww_status status = WWI_LAUNCH(h->kernels.halves, wwi_lsh_groups(count), WWI_LSH_GROUP, WWI_BUFFER(rows),
                                        WWI_BUFFER(h->device_mean), WWI_BUFFER(norms), WWI_VALUE(first_norm),
                                        WWI_VALUE(n), WWI_VALUE(scale), WWI_BUFFER(halves->rows));
    if (status != WW_OK)
        wwi_buffer_destroy(&halves->rows);
    return status;
}

static void empty(wwi_lsh_block *b) {
    WWI_BUFFERS_DESTROY(&b->offsets, &b->entries, &b->norms, &b->rows, &b->halves.rows);
    wwi_slice_close(&b->window);
}

static ww_status fill(ww_lsh *h, wwi_lsh_block *b) {
    float largest = 0;
    WWI_TRY(wwi_points_slice(b->points, h->stream, b->first, b->count, &b->window));
    WWI_TRY(wwi_lsh_norms(h, &b->window, &b->norms, &largest));
    b->reach = sqrtf(largest) * 1.000001f;
    WWI_TRY(wwi_lsh_rows(h, &b->window, b->first, b->count, &b->rows));
    return build(h, b);
}

ww_status wwi_lsh_block_open(ww_lsh *h, wwi_lsh_block *b) {
    if (b->entries)
        return WW_OK;
    const ww_status status = fill(h, b);
    if (status != WW_OK)
        empty(b);
    return status;
}

void wwi_lsh_block_close(wwi_lsh_block *b) {
    if (!b->keep)
        empty(b);
}
