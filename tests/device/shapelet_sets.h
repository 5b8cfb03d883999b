// SPDX-License-Identifier: Apache-2.0
// Labelled sets with a shape for each class, and models compared with the exhaustive search in double.
#ifndef WAVEWARP_TEST_SHAPELET_SETS_H
#define WAVEWARP_TEST_SHAPELET_SETS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/shapelet_reference.h"
#include "set_jobs.h"
#include "support.h"

typedef struct labelled {
    ww_series_set *set;
    wwr_shapelet_set reference;
    size_t lengths[64], labels[64];
    const double *values[64];
} labelled;

static inline labelled *make_set(size_t count, size_t channels, size_t least, size_t most, size_t classes, double scale,
                                 double offset) {
    labelled *l = calloc(1, sizeof *l);
    l->set = wwt_set_of_bumps(count, channels, least, most, classes, scale, offset);
    for (size_t i = 0; i < count; i++) {
        l->labels[i] = i % classes;
        l->lengths[i] = ww_series_set_length(l->set, i);
        l->values[i] = ww_series_set_values(l->set, i);
    }
    l->reference = (wwr_shapelet_set){count, channels, classes, l->lengths, l->values, l->labels};
    return l;
}

static inline void free_set(labelled *l) {
    ww_series_set_destroy(&l->set);
    free(l);
}

static inline void same_shapelet(const ww_shapelets *model, size_t i, const wwr_shapelet *expected) {
    ww_shapelet s = WW_SHAPELET_INIT;
    wwt_ok(ww_shapelets_get_shapelet(model, i, &s));
    ck_assert_msg(s.series == expected->series && s.start == expected->start && s.length == expected->length,
                  "shapelet %zu is %zu %zu %zu (quality %.9g gain %.9g gap %.9g), not %zu %zu %zu (%.9g %.9g %.9g)", i,
                  s.series, s.start, s.length, s.quality, s.gain, s.gap, expected->series, expected->start,
                  expected->length, expected->quality, expected->gain, expected->gap);
    ck_assert_double_eq_tol(s.quality, expected->quality, 1e-9 * fmax(1, expected->quality));
    ck_assert_double_eq_tol(s.gain, expected->gain, 1e-9);
    ck_assert_double_eq_tol(s.gap, expected->gap, 1e-7 * fmax(1, expected->gap));
    ck_assert_double_eq_tol(s.threshold, expected->threshold, 1e-7 * fmax(1, expected->threshold));
}

static inline wwr_shapelet_search search_of(const ww_shapelets_options *o, const labelled *l) {
    return (wwr_shapelet_search){o->min_length ? o->min_length : 3,
                                 o->max_length ? o->max_length : ww_series_set_min_length(l->set),
                                 o->length_step ? o->length_step : 1,
                                 o->start_step ? o->start_step : 1,
                                 o->raw != 0,
                                 o->unscaled != 0,
                                 (int)o->quality,
                                 NULL,
                                 false};
}

static inline void check_best(const labelled *l, ww_shapelets_options *o, size_t k) {
    ww_shapelets *model = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    wwr_shapelet expected[8];
    const wwr_shapelet_search search = search_of(o, l);
    o->best = k;
    o->no_tree = 1;
    const size_t found = wwr_shapelet_best(&l->reference, &search, k, expected);
    ck_assert_uint_eq(found, k);
    wwt_ok(wwt_shapelets(l->set, o, &model));
    wwt_ok(ww_shapelets_get_info(model, &info));
    ck_assert_uint_eq(info.best, k);
    ck_assert_uint_eq(info.nodes, 0);
    for (size_t i = 0; i < k; i++)
        same_shapelet(model, i, &expected[i]);
    ww_shapelets_destroy(&model);
}

#endif
