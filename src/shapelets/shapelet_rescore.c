// SPDX-License-Identifier: Apache-2.0
// The gains of many candidates by distances in double, on a GPU (kernels_cl/shapelets/shapelet_exact.cl): by length,
// the statistics of all windows, then the candidates' patterns, their distances and the best split of each.
#include <stdlib.h>
#include <string.h>

#include "shapelets/shapelet_search.h"

// Local memory of a group that rescores: a distance and a class of each series, a count of each class.
static uint64_t rescore_bytes(const wwi_shapelet_sides *sides) {
    return (uint64_t)sides->series * 12 + (uint64_t)sides->classes * 4;
}

size_t wwi_shapelet_rescores(const wwi_shapelet_device *d, const wwi_shapelet_sides *sides) {
    const uint64_t local = wwi_context_info(d->context)->local_bytes;
    if (!d->gpu || !d->has_double || rescore_bytes(sides) + 1024 > wwi_least(local, 49152))
        return 0;
    const uint64_t budget = wwi_least(wwi_context_bytes_free(d->context) / 16, UINT64_C(256) << 20);
    const uint64_t groups = INT32_MAX / (uint64_t)sides->series; // of a launch
    return (size_t)wwi_least(budget / (8 * (uint64_t)sides->series), groups);
}

// The order of candidates by their length: by counting. starts: of each length, up to `longest` + 1.
static void order_by_length(const uint32_t (*candidates)[4], size_t count, uint32_t longest, uint32_t *starts,
                            uint32_t *order) {
    memset(starts, 0, ((size_t)longest + 2) * sizeof *starts);
    for (size_t i = 0; i < count; i++)
        starts[candidates[i][2] + 1]++;
    for (size_t l = 1; l <= longest + (size_t)1; l++)
        starts[l] += starts[l - 1];
    for (size_t i = 0; i < count; i++)
        order[starts[candidates[i][2]]++] = (uint32_t)i;
}

// The distances of candidates first to first + count - 1, of l points each.
static ww_status near_of_length(wwi_shapelet_device *d, const wwi_shapelet_data *data, const wwi_shapelet_sides *sides,
                                uint32_t first, uint32_t count, uint32_t l) {
    enum { MOST_ACROSS = 16, GROUPS = 4096 };
    struct wwi_shapelet_exact_scratch *e = &d->scratch.exact;
    const uint32_t wide = (uint32_t)data->longest - l + 1;
    const uint64_t windows = (uint64_t)sides->series * d->kind.channels * wide, values = d->kind.channels * (uint64_t)l;
    const uint64_t at_once = (UINT64_C(64) << 20) / 8 / values + MOST_ACROSS;
    WWI_TRY(wwi_grow_buffer(d->context, &e->statistics, windows * 16));
    WWI_TRY(wwi_grow_buffer(d->context, &e->patterns, wwi_least(count, at_once) * values * 8));
    // As they are, windows have no statistics; the kernels do not read them.
    if (!d->kind.raw)
        WWI_TRY(WWI_LAUNCH_ITEMS(d->kernels.statistics_of, windows, d->table_group, WWI_BUFFER(data->device_values),
                                 WWI_BUFFER(data->device_offsets), WWI_BUFFER(sides->ids), WWI_VALUE(sides->series),
                                 WWI_VALUE(wide), WWI_VALUE(l), WWI_BUFFER(e->statistics)));
    for (uint32_t many; count; first += many, count -= many) {
        many = (uint32_t)wwi_least(count, at_once);
        // Of few candidates the windows are divided among more work-items, so that all of the device has work.
        uint32_t across = MOST_ACROSS;
        while (across > 1 && wwi_ceil_div(many, across) * sides->series < GROUPS)
            across /= 2;
        WWI_TRY(WWI_LAUNCH_ITEMS(d->kernels.patterns_of, many * values, d->table_group, WWI_BUFFER(data->device_values),
                                 WWI_BUFFER(data->device_offsets), WWI_BUFFER(e->candidates), WWI_VALUE(first),
                                 WWI_VALUE(many), WWI_VALUE(wide), WWI_VALUE(l), WWI_BUFFER(e->statistics),
                                 WWI_BUFFER(e->patterns)));
        WWI_TRY(WWI_LAUNCH(d->kernels.near, wwi_ceil_div(many, across) * sides->series, d->exact_group,
                           WWI_BUFFER(data->device_values), WWI_BUFFER(data->device_offsets), WWI_BUFFER(sides->ids),
                           WWI_VALUE(sides->series), WWI_BUFFER(e->candidates), WWI_VALUE(first), WWI_VALUE(many),
                           WWI_VALUE(wide), WWI_VALUE(l), WWI_VALUE(across), WWI_BUFFER(e->statistics),
                           WWI_BUFFER(e->patterns), WWI_BUFFER(e->nearest)));
    }
    return WW_OK;
}

ww_status wwi_shapelet_rescore(wwi_shapelet_device *d, const wwi_shapelet_data *data, const wwi_shapelet_sides *sides,
                               const uint32_t (*candidates)[4], size_t count, int64_t *gains, double *gaps) {
    struct wwi_shapelet_exact_scratch *e = &d->scratch.exact;
    const uint32_t unscaled = d->kind.unscaled, longest = (uint32_t)data->longest;
    WWI_FREES uint32_t(*sorted)[4] = NULL;
    WWI_FREES uint32_t *starts = NULL, *order = NULL;
    WWI_FREES int64_t *own_gains = NULL;
    WWI_FREES double *own_gaps = NULL;
    if (!count)
        return WW_OK;
    WWI_TRY(wwi_new(sorted, count));
    WWI_TRY(wwi_new(starts, (size_t)longest + 2));
    WWI_TRY(wwi_new(order, count));
    WWI_TRY(wwi_new(own_gains, count));
    WWI_TRY(wwi_new(own_gaps, count));
    order_by_length(candidates, count, longest, starts, order);
    for (size_t i = 0; i < count; i++)
        memcpy(sorted[i], candidates[order[i]], sizeof *sorted);
    WWI_TRY(wwi_upload(d->context, &e->candidates, sorted, count * sizeof *sorted));
    WWI_TRY(WWI_GROW(d->context, {&e->nearest, (uint64_t)count * sides->series * sizeof(double)},
                     {&e->gains, count * sizeof *gains}, {&e->gaps, count * sizeof *gaps}));
    for (uint32_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && sorted[next][2] == sorted[first][2];)
            next++;
        WWI_TRY(near_of_length(d, data, sides, first, next - first, sorted[first][2]));
    }
    WWI_TRY(WWI_LAUNCH(d->kernels.rescore, count, d->exact_group, WWI_BUFFER(e->nearest), WWI_BUFFER(e->candidates),
                       WWI_BUFFER(sides->class_of), WWI_BUFFER(sides->totals), WWI_BUFFER(sides->before),
                       WWI_BUFFER(sides->steps), WWI_VALUE(sides->series), WWI_VALUE(sides->classes),
                       WWI_VALUE(sides->combine), WWI_VALUE(unscaled), WWI_LOCAL((size_t)sides->series * 8),
                       WWI_LOCAL((size_t)sides->series * 4), WWI_LOCAL((size_t)sides->classes * 4),
                       WWI_BUFFER(e->gains), WWI_BUFFER(e->gaps)));
    WWI_TRY(wwi_stream_read(d->stream, e->gains, 0, count * sizeof *gains, own_gains));
    WWI_TRY(wwi_stream_read(d->stream, e->gaps, 0, count * sizeof *gaps, own_gaps));
    for (size_t i = 0; i < count; i++) {
        gains[order[i]] = own_gains[i];
        gaps[order[i]] = own_gaps[i];
    }
    return WW_OK;
}
