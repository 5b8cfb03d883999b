// SPDX-License-Identifier: Apache-2.0
// Distances of an index: batches of listed pairs, all of which the engines compute.
#include <math.h>
#include <stdlib.h>

#include "index/series_index.h"

void wwi_index_pairs_close(wwi_index_pairs *p) {
    ww_plan_destroy(&p->plan);
    wwi_free_taken(&p->pairs);
    wwi_free_taken(&p->radii);
    wwi_free_taken(&p->distances);
}

ww_status wwi_index_pairs_plan(ww_index *x, ww_dataset *rows, ww_dataset *columns, wwi_index_pairs *p) {
    ww_run_options run;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    wwi_index_plan_run(x, &run);
    options.run = &run;
    *p = (wwi_index_pairs){.plan = NULL};
    return wwi_plan_create_lists(&x->measure, rows, columns, &options, &p->plan);
}

ww_status wwi_index_pairs_room(const ww_index *x, size_t room, wwi_index_pairs *p) {
    p->room = room;
    WWI_TRY(wwi_new(p->pairs, room * 3));
    // Of a GPU engines give nothing up.
    p->bounded = !wwi_is_gpu(x->context) && !x->similarity;
    if (p->bounded)
        WWI_TRY(wwi_new(p->radii, room * x->value_bytes));
    return wwi_new(p->distances, room * x->value_bytes);
}

ww_status wwi_index_pairs_open(ww_index *x, ww_dataset *rows, ww_dataset *columns, size_t room, wwi_index_pairs *p) {
    WWI_TRY(wwi_index_pairs_plan(x, rows, columns, p));
    return wwi_index_pairs_room(x, room, p);
}

static void negate(void *user, size_t first, size_t end) {
    const wwi_index_pairs *p = user;
    const ww_precision precision = p->plan->pair.rows->precision;
    for (size_t i = first; i < end; i++)
        wwi_set_value(p->distances, precision, i, 0 - wwi_value_at(p->distances, precision, i));
}

ww_status wwi_index_pairs_run(ww_index *x, wwi_index_pairs *p) {
    const wwi_list list = {p->pairs, p->bounded ? p->radii : NULL};
    WWI_TRY(wwi_plan_run_list(p->plan, &list, p->count, p->distances));
    if (x->similarity)
        wwi_index_share(x, p->count, negate, p);
    return WW_OK;
}
