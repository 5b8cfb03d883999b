// SPDX-License-Identifier: Apache-2.0
// Distances of candidates of two to four points on GPUs, where correlations are too imprecise: of two and three points
// by the angles of z-normalised windows, of four by differences (kernels_cl/shapelets/shapelet_exact.cl).
#include "shapelets/shapelet_node.h"

enum { MOST_SHORT = 4 };    // points up to which distances are computed so
enum { SHORT_COLUMNS = 4 }; // WW_SHORT_COLUMNS in kernels_cl/shapelets/shapelet_exact.cl

// Local memory for a series' angles.
static uint32_t angle_places(const wwi_node_search *s) {
    uint32_t places = 2;
    while (places < s->data->longest)
        places *= 2;
    return places;
}

void wwi_brief_choose(wwi_node_search *s) {
    const wwi_shapelet_device *d = s->device;
    const uint64_t local = wwi_least(wwi_context_info(d->context)->local_bytes, 49152);
    if (d->gpu && d->kernels.circle && !s->job.single && s->options->quality == WW_SHAPELET_GAIN &&
        (uint64_t)angle_places(s) * 4 + 1024 <= local)
        s->job.shorts = MOST_SHORT;
}

static ww_status make_fours(wwi_node_search *s, uint32_t series, uint32_t wide) {
    const wwi_shapelet_device *d = s->device;
    const uint64_t windows = (uint64_t)series * wide;
    WWI_TRY(wwi_grow_buffer(d->context, &s->scratch->brief.fours, windows * 16));
    return WWI_LAUNCH_ITEMS(d->kernels.make_fours, windows, d->table_group, WWI_BUFFER(s->data->device_values),
                            WWI_BUFFER(s->data->device_offsets), WWI_BUFFER(s->scratch->node.ids), WWI_VALUE(series),
                            WWI_VALUE(wide), WWI_BUFFER(s->scratch->brief.fours));
}

// Of the node's windows of two and three points the angles, of four points the values.
ww_status wwi_brief_windows(wwi_node_search *s) {
    const wwi_shapelet_device *d = s->device;
    struct wwi_shapelet_brief_scratch *to = &s->scratch->brief;
    const uint32_t series = (uint32_t)s->node->count, wide = (uint32_t)s->data->longest, places = angle_places(s);
    const uint64_t bytes = (uint64_t)series * wide * 4;
    for (uint32_t li = 0; li < s->job.count; li++) {
        const uint32_t l = s->job.least + li * s->job.step, i = l - 2;
        if (l > s->job.shorts)
            break;
        if (l == 4)
            return make_fours(s, series, wide);
        WWI_TRY(WWI_GROW(d->context, {&to->angles[i], bytes}, {&to->sorted[i], bytes},
                         {&to->counts[i], (uint64_t)series * 4}));
        WWI_TRY(WWI_LAUNCH(d->kernels.make_angles, series, d->exact_group, WWI_BUFFER(s->data->device_values),
                           WWI_BUFFER(s->data->device_offsets), WWI_BUFFER(s->scratch->node.ids), WWI_VALUE(wide),
                           WWI_VALUE(l), WWI_VALUE(places), WWI_LOCAL((size_t)places * 4), WWI_BUFFER(to->angles[i]),
                           WWI_BUFFER(to->sorted[i]), WWI_BUFFER(to->counts[i])));
    }
    return WW_OK;
}

static ww_status find_fours(wwi_node_search *s, uint32_t li, uint64_t blocks) {
    const wwi_shapelet_scratch *scratch = s->scratch;
    const uint32_t wide = (uint32_t)s->data->longest;
    return WWI_LAUNCH(s->device->kernels.near_fours, blocks * s->node->count, s->device->exact_group,
                      WWI_BUFFER(s->data->device_offsets), WWI_BUFFER(scratch->node.ids),
                      WWI_BUFFER(scratch->columns.places), WWI_BUFFER(scratch->brief.fours), WWI_VALUE(wide),
                      WWI_VALUE(li), WWI_BUFFER(scratch->bounds.nearest), WWI_VALUE(s->job));
}

ww_status wwi_brief_find(wwi_node_search *s) {
    const wwi_shapelet_device *d = s->device;
    const struct wwi_shapelet_brief_scratch *of = &s->scratch->brief;
    const uint32_t wide = (uint32_t)s->data->longest, places = angle_places(s);
    const uint64_t blocks = wwi_ceil_div(s->job.columns, SHORT_COLUMNS * d->exact_group), series = s->node->count;
    // Series of a group: some, where there are groups enough.
    const uint32_t many = blocks * series / 16 > 8192 ? 16 : blocks * series / 4 > 8192 ? 4 : 1;
    for (uint32_t li = 0; li < s->job.count; li++) {
        const uint32_t l = s->job.least + li * s->job.step, i = l - 2;
        if (l > s->job.shorts)
            break;
        if (l == 4)
            return find_fours(s, li, blocks);
        WWI_TRY(WWI_LAUNCH(d->kernels.circle, blocks * wwi_ceil_div(series, many), d->exact_group,
                           WWI_BUFFER(s->scratch->columns.places), WWI_BUFFER(of->angles[i]), WWI_BUFFER(of->sorted[i]),
                           WWI_BUFFER(of->counts[i]), WWI_VALUE(wide), WWI_VALUE(l), WWI_VALUE(li), WWI_VALUE(places),
                           WWI_VALUE(many), WWI_LOCAL((size_t)places * 4), WWI_BUFFER(s->scratch->bounds.nearest),
                           WWI_VALUE(s->job)));
    }
    return WW_OK;
}
