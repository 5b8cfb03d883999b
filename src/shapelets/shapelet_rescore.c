// SPDX-License-Identifier: Apache-2.0
// The gains of many candidates by distances in double (kernels_cl/shapelets/shapelet_exact.cl): by length,
// the statistics of all windows, then the candidates' patterns, their distances and the best split of each.
#include <string.h>

#include "shapelets/shapelet_node.h"

size_t wwi_node_rescores(const wwi_node_search *s) {
    const wwi_shapelet_device *d = s->device;
    const uint64_t local = wwi_context_info(d->context)->local_bytes, series = s->job.series;
    // Of a group: a distance and a class of each series, a count of each class.
    const uint64_t needed = series * 12 + (uint64_t)s->job.classes * 4;
    if (!d->has_double || needed + 1024 > wwi_least(local, d->gpu ? 49152 : UINT64_MAX))
        return 0;
    const uint64_t budget = wwi_least(wwi_context_bytes_free(d->context) / 16, UINT64_C(256) << 20);
    return (size_t)wwi_least(budget / (8 * series), INT32_MAX / series); // groups of a launch
}

// The order of the items that are not rescored, by their length: by counting. Returns how many they are. starts: a zero
// for each length up to `longest` + 1.
static size_t order_by_length(const wwi_node_listed *items, size_t count, size_t longest, uint32_t *starts,
                              uint32_t *order) {
    for (size_t i = 0; i < count; i++)
        starts[items[i].place.length + 1] += !items[i].rescored;
    for (size_t l = 1; l <= longest + 1; l++)
        starts[l] += starts[l - 1];
    for (size_t i = 0; i < count; i++)
        if (!items[i].rescored)
            order[starts[items[i].place.length]++] = (uint32_t)i;
    return starts[longest + 1];
}

// The distances of candidates first to first + count - 1, of l points each.
static ww_status near_of_length(wwi_node_search *s, uint32_t first, uint32_t count, uint32_t l) {
    enum { MOST_ACROSS = 16, GROUPS = 4096 };
    const wwi_shapelet_device *d = s->device;
    const wwi_shapelet_data *data = s->data;
    struct wwi_shapelet_exact_scratch *e = &s->scratch->exact;
    const uint32_t wide = (uint32_t)data->longest - l + 1, series = s->job.series;
    const uint64_t windows = (uint64_t)series * d->kind.channels * wide, values = d->kind.channels * (uint64_t)l;
    const uint64_t at_once = (UINT64_C(64) << 20) / 8 / values + MOST_ACROSS;
    WWI_TRY(wwi_grow_buffer(d->context, &e->statistics, windows * 16));
    WWI_TRY(wwi_grow_buffer(d->context, &e->patterns, wwi_least(count, at_once) * values * 8));
    // As they are, windows have no statistics; the kernels do not read them.
    if (!d->kind.raw)
        WWI_TRY(WWI_LAUNCH_ITEMS(d->kernels.statistics_of, windows, d->table_group, WWI_BUFFER(data->device_values),
                                 WWI_BUFFER(data->device_offsets), WWI_BUFFER(s->scratch->node.ids), WWI_VALUE(series),
                                 WWI_VALUE(wide), WWI_VALUE(l), WWI_BUFFER(e->statistics)));
    for (uint32_t many; count; first += many, count -= many) {
        many = (uint32_t)wwi_least(count, at_once);
        // Of few candidates the windows are divided among more work-items, so that all of the device has work.
        uint32_t across = d->gpu ? MOST_ACROSS : 1;
        while (across > 1 && wwi_ceil_div(many, across) * series < GROUPS)
            across /= 2;
        WWI_TRY(WWI_LAUNCH_ITEMS(d->kernels.patterns_of, many * values, d->table_group, WWI_BUFFER(data->device_values),
                                 WWI_BUFFER(data->device_offsets), WWI_BUFFER(e->candidates), WWI_VALUE(first),
                                 WWI_VALUE(many), WWI_VALUE(wide), WWI_VALUE(l), WWI_BUFFER(e->statistics),
                                 WWI_BUFFER(e->patterns)));
        WWI_TRY(WWI_LAUNCH(d->kernels.near, wwi_ceil_div(many, across) * series, d->exact_group,
                           WWI_BUFFER(data->device_values), WWI_BUFFER(data->device_offsets),
                           WWI_BUFFER(s->scratch->node.ids), WWI_VALUE(series), WWI_BUFFER(e->candidates),
                           WWI_VALUE(first), WWI_VALUE(many), WWI_VALUE(wide), WWI_VALUE(l), WWI_VALUE(across),
                           WWI_BUFFER(e->statistics), WWI_BUFFER(e->patterns), WWI_BUFFER(e->nearest)));
    }
    return WW_OK;
}

ww_status wwi_node_rescore(wwi_node_search *s, wwi_node_listed *items, size_t item_count) {
    const wwi_shapelet_device *d = s->device;
    struct wwi_shapelet_exact_scratch *e = &s->scratch->exact;
    const struct wwi_shapelet_node_scratch *node = &s->scratch->node;
    const uint32_t unscaled = d->kind.unscaled, series = s->job.series, classes = s->job.classes;
    WWI_FREES uint32_t(*candidates)[4] = NULL;
    WWI_FREES uint32_t *starts = NULL, *order = NULL;
    WWI_FREES int64_t *gains = NULL;
    WWI_FREES double *gaps = NULL;
    WWI_TRY(wwi_new_zeroed(starts, s->data->longest + 2));
    WWI_TRY(wwi_new(order, item_count));
    const size_t count = order_by_length(items, item_count, s->data->longest, starts, order);
    if (!count)
        return WW_OK;
    s->progress->examined += count;
    WWI_TRY(wwi_new(candidates, count));
    WWI_TRY(wwi_new(gains, count));
    WWI_TRY(wwi_new(gaps, count));
    for (size_t i = 0; i < count; i++) {
        const wwi_node_listed *from = &items[order[i]];
        memcpy(candidates[i], (uint32_t[4]){from->place.series, from->place.start, from->place.length, from->own}, 16);
    }
    WWI_TRY(wwi_upload(d->context, &e->candidates, candidates, count * sizeof *candidates));
    WWI_TRY(WWI_GROW(d->context, {&e->nearest, (uint64_t)count * series * sizeof(double)},
                     {&e->gains, count * sizeof *gains}, {&e->gaps, count * sizeof *gaps}));
    for (uint32_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && candidates[next][2] == candidates[first][2];)
            next++;
        WWI_TRY(near_of_length(s, first, next - first, candidates[first][2]));
    }
    WWI_TRY(WWI_LAUNCH(d->kernels.rescore, count, d->exact_group, WWI_BUFFER(e->nearest), WWI_BUFFER(e->candidates),
                       WWI_BUFFER(node->class_of), WWI_BUFFER(node->totals), WWI_BUFFER(node->so_far),
                       WWI_BUFFER(node->steps), WWI_VALUE(series), WWI_VALUE(classes), WWI_VALUE(s->job.combine),
                       WWI_VALUE(unscaled), WWI_LOCAL((size_t)series * 8), WWI_LOCAL((size_t)series * 4),
                       WWI_LOCAL((size_t)classes * 4), WWI_BUFFER(e->gains), WWI_BUFFER(e->gaps)));
    WWI_TRY(wwi_stream_read(d->stream, e->gains, 0, count * sizeof *gains, gains));
    WWI_TRY(wwi_stream_read(d->stream, e->gaps, 0, count * sizeof *gaps, gaps));
    for (size_t i = 0; i < count; i++) {
        wwi_node_listed *to = &items[order[i]];
        to->gain = gains[i];
        to->gap = (float)gaps[i];
        to->rescored = true;
    }
    return WW_OK;
}
