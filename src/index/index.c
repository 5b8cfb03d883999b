// SPDX-License-Identifier: Apache-2.0
// An index of series: made, changed, asked about.
#include <inttypes.h>
#include <stdlib.h>

#include "index/series_index.h"
#include "options.h"

ww_status wwi_index_build(ww_index *x) {
    WWI_FREES wwi_near *lists = NULL;
    WWI_TRY(x->count <= WWI_INDEX_EXACT ? wwi_index_search_all(x, &lists) : wwi_index_descend(x, &lists));
    return wwi_index_link(x, lists);
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
