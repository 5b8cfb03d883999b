// SPDX-License-Identifier: Apache-2.0
// Points on a group of devices, and their exact nearest neighbours by parts of the queries.
#include <stdlib.h>

#include "base/run.h"
#include "data/points.h"
#include "group/group.h"
#include "knn/knn_job.h"
#include "options.h"

// ---- points

typedef struct source {
    ww_group_points *to;
    const ww_point_view *view;
    const ww_points_options *options;
} source;

static ww_status make_part(void *user, size_t device) {
    const source *from = user;
    return ww_points_create(from->to->group->contexts[device], from->view, from->options, &from->to->parts[device]);
}

ww_status ww_group_points_create(ww_group *group, const ww_point_view *view, const ww_points_options *options,
                                 ww_group_points **points) {
    if (points)
        *points = NULL;
    WWI_NEEDS("group, points, view", group, points, view);
    WWI_ENDS(ww_group_points_destroy) ww_group_points *p = NULL;
    WWI_TRY(wwi_new_zeroed(p, 1));
    p->group = wwi_group_retain(group);
    WWI_TRY(wwi_new_zeroed(p->parts, group->count));
    WWI_TRY(wwi_new_zeroed(p->errors, group->count));
    WWI_TRY(wwi_group_make_parts(group, p->errors, &(source){p, view, options}, make_part));
    *points = wwi_taken(&p);
    return WW_OK;
}

void ww_group_points_destroy(ww_group_points **points) {
    ww_group_points *p = wwi_taken(points);
    if (!p)
        return;
    for (size_t i = 0; p->parts && i < p->group->count; i++)
        ww_points_destroy(&p->parts[i]);
    wwi_group_release(p->group);
    free(p->parts);
    free(p->errors);
    free(p);
}

// ---- nearest points

typedef struct job {
    const ww_group_points *base, *queries; // queries: the base of a set with itself
    size_t k, value_bytes;
    ww_knn_options options;
    double work; // of a query
    int64_t *ids;
    unsigned char *distances;
} job;

static double query_work(const void *user, size_t i) {
    (void)i;
    return ((const job *)user)->work;
}

static ww_status begin_device(wwi_group_seat *seat) {
    const job *j = seat->job;
    ww_points *base = j->base->parts[seat->device], *queries = j->queries->parts[seat->device];
    ww_knn *search = NULL;
    WWI_TRY(wwi_group_check_part(base, &j->base->errors[seat->device]));
    WWI_TRY(wwi_group_check_part(queries, &j->queries->errors[seat->device]));
    WWI_TRY(ww_knn_create(base, queries == base ? NULL : queries, j->k, &j->options, &search));
    seat->own = search;
    return WW_OK;
}

static void finish_device(wwi_group_seat *seat) {
    ww_knn *search = seat->own;
    ww_knn_destroy(&search);
}

static ww_status run_queries(const wwi_group_seat *seat, size_t first, size_t count) {
    const job *j = seat->job;
    return wwi_knn_run_rows(seat->own, first, count, j->ids + first * j->k,
                            j->distances ? j->distances + first * j->k * j->value_bytes : NULL);
}

ww_status ww_group_knn(ww_group_points *base, ww_group_points *queries, size_t k, const ww_knn_options *options,
                       int64_t *ids, void *distances) {
    // On the device queries are in tiles, of which a search takes whole ones.
    static const wwi_group_kind kind = {
        .begin = begin_device, .run = run_queries, .finish = finish_device, .work = query_work, .step = WWI_TILE_PAIR};
    ww_run_options run;
    job j = {.base = base, .queries = queries ? queries : base, .k = k, .ids = ids, .distances = distances};
    j.options = (ww_knn_options)WW_KNN_OPTIONS_INIT;
    if (!base || !ids)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_group_knn: the base or the ids are NULL");
    if (j.queries->group != base->group)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the points belong to different groups");
    WWI_TRY(wwi_options_take(&j.options, options, "ww_knn_options"));
    WWI_TRY(wwi_run_take(j.options.run, &run));
    const ww_run_options own = wwi_group_own_run(base->group, &run);
    j.options.run = &own;
    const ww_points *b = wwi_group_any(base->group, base->parts), *q = wwi_group_any(base->group, j.queries->parts);
    j.value_bytes = wwi_precision_bytes(q->precision);
    j.work = (double)b->count * (double)(b->dimension ? b->dimension : 1);
    return wwi_group_run_units(base->group, &kind, &j, q->count, &run);
}
