// SPDX-License-Identifier: Apache-2.0
// What a discovery takes: options with their defaults and limits, classes of the series.
#include <string.h>

#include "base/run.h"
#include "options.h"
#include "shapelets/shapelet_growth.h"

static ww_status check_lengths(const ww_shapelets_options *o, size_t shortest) {
    if (shortest < 2)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "candidates have 2 points at least, but the shortest series has %zu",
                        shortest);
    if (o->min_length < 2)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "min_length is %zu; it must be at least 2", o->min_length);
    if (o->max_length > shortest || o->min_length > shortest) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "candidates have up to %zu points, the shortest series has %zu",
                 o->max_length > o->min_length ? o->max_length : o->min_length, shortest);
        return wwi_fail_hint("every series needs a window of every length");
    }
    if (o->min_length > o->max_length)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "min_length %zu is above max_length %zu", o->min_length,
                        o->max_length);
    if (o->length_step > INT32_MAX || o->start_step > INT32_MAX)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "length_step or start_step is above 2^31");
    return WW_OK;
}

static ww_status check_terms(const ww_shapelets_options *o) {
    if (o->terms > WWI_MOST_TERMS)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "terms is %zu; it can be at most %d", o->terms, WWI_MOST_TERMS);
    if (o->terms > 1 && o->unscaled)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "unscaled distances grow with the length, so shapelets of several "
                                                   "lengths can't be joined: leave terms at 1");
    if (o->no_tree && !o->best)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "no_tree is set and best is 0: there is nothing to find");
    if (o->best > INT32_MAX)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "best is %zu, which is too large", o->best);
    return WW_OK;
}

static ww_status check_options(const ww_shapelets_options *o, const ww_series_set *train) {
    WWI_TRY(check_lengths(o, ww_series_set_min_length(train)));
    if (!(o->seconds >= 0))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "seconds is negative");
    if ((unsigned)o->quality > WW_SHAPELET_MOOD)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no quality %d", (int)o->quality);
    return check_terms(o);
}

ww_status wwi_growth_take_options(wwi_growth *g, const ww_series_set *train, const ww_shapelets_options *given) {
    ww_shapelets_options *o = &g->options;
    *o = (ww_shapelets_options)WW_SHAPELETS_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(o, given, "ww_shapelets_options"));
    WWI_TRY(wwi_run_take(o->run, &g->run));
    const size_t shortest = ww_series_set_min_length(train);
    o->run = &g->run;
    o->min_length = o->min_length ? o->min_length : shortest < 3 ? shortest : 3;
    o->max_length = o->max_length ? o->max_length : shortest;
    o->length_step = o->length_step ? o->length_step : 1;
    o->start_step = o->start_step ? o->start_step : 1;
    o->terms = o->terms ? o->terms : 1;
    o->min_size = o->min_size ? o->min_size : 2;
    return check_options(o, train);
}

ww_status wwi_growth_take_classes(wwi_growth *g, const ww_series_set *train) {
    ww_shapelets *m = g->model;
    m->class_count = ww_series_set_class_count(train);
    m->train = ww_series_set_count(train);
    m->channels = ww_series_set_channels(train);
    for (size_t i = 0; i < m->train; i++)
        if (ww_series_set_class(train, i) < 0) {
            wwi_fail(WW_ERROR_NO_LABELS, "series %zu has no label", i);
            return wwi_fail_where((int64_t)i, -1);
        }
    if (m->class_count < 2)
        return wwi_fail(WW_ERROR_NO_LABELS, "all series are of one class: there is nothing to tell apart");
    if (m->class_count >> 16)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%zu classes; at most 65535", m->class_count);
    WWI_TRY(wwi_new_zeroed(m->names, m->class_count));
    WWI_TRY(wwi_new(g->classes, m->train));
    WWI_TRY(wwi_new(g->ids, m->train));
    for (size_t k = 0; k < m->class_count; k++)
        if (!(m->names[k] = strdup(ww_series_set_class_name(train, k))))
            return wwi_fail_memory(strlen(ww_series_set_class_name(train, k)));
    for (size_t i = 0; i < m->train; i++) {
        g->classes[i] = (uint32_t)ww_series_set_class(train, i);
        g->ids[i] = (uint32_t)i;
    }
    return WW_OK;
}
