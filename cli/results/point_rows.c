// SPDX-License-Identifier: Apache-2.0
// See point_rows.h.
#include "results/point_rows.h"

#include <math.h>
#include <stdlib.h>

// Uploads these queries.
static int take_queries(const cli_point_rows *r, size_t first, size_t count, ww_points **queries) {
    ww_point_view view = *r->queries;
    CLI_FREES uint64_t *offsets = NULL;
    view.count = count;
    if (view.kind == WW_POINTS_SETS) {
        if (!(offsets = malloc((count + 1) * sizeof *offsets)))
            return cli_error("not enough memory");
        for (size_t i = 0; i <= count; i++)
            offsets[i] = view.offsets[first + i] - view.offsets[first];
        view.values = (const uint32_t *)view.values + view.offsets[first];
        view.offsets = offsets;
    } else {
        view.values = (const char *)view.values + first * cli_point_bytes(&view);
    }
    return cli_points_upload(r->s->context, &r->s->device, NULL, &view, queries);
}

static void take_roots(const cli_neighbours *n) {
    for (size_t i = 0; i < n->queries * n->k; i++)
        cli_value_put(n->distances, n->precision, i, sqrt(cli_value_at(n->distances, n->precision, i)));
}

double cli_points_weight(void *user, uint64_t row) {
    (void)user;
    (void)row;
    return 1;
}

static int compute(void *user, uint64_t first, uint64_t count, void *values) {
    cli_point_rows *r = user;
    const bool root = r->metric == WW_METRIC_L2; // by which parts are not ordered
    const ww_precision precision = cli_points_precision(&r->s->device, r->queries);
    CLI_ENDS(ww_points_destroy) ww_points *queries = NULL;
    CLI_ENDS(cli_neighbours_free) cli_neighbours n = {(size_t)count, r->k, precision, NULL, NULL};
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    options.metric = root ? WW_METRIC_L2_SQUARED : r->metric;
    options.run = r->s->plan.run;
    shard.query_offset = first;
    shard.exclude_self = r->self;
    ww_knn_destroy(r->knn);
    CLI_TRY(cli_neighbours_allocate(&n));
    CLI_TRY(take_queries(r, (size_t)first, (size_t)count, &queries));
    CLI_TRY(cli_status_plainly(ww_knn_create_shard(r->base, queries, n.k, &shard, &options, r->knn)));
    CLI_TRY(cli_status_plainly(ww_knn_run(*r->knn, n.ids, n.distances, NULL)));
    if (r->note)
        r->note(r->user);
    if (root)
        take_roots(&n);
    r->full += cli_points_within(&n, r->part ? r->radius : (double)INFINITY);
    cli_neighbours_pack(&n, values);
    return CLI_GO_ON;
}

void cli_points_divide(cli_point_rows *r, cli_row_job *job) {
    snprintf(r->more, sizeof r->more, "metric %s radius %.17g", ww_metric_name(r->metric), r->radius);
    job->name = "knn";
    job->more = r->more;
    job->rows = r->queries->count;
    job->columns = 2 * r->k;
    job->k = r->k;
    job->precision = WW_DOUBLE;
    job->result = cli_points_precision(&r->s->device, r->queries);
    job->weight = cli_points_weight;
    job->compute = compute;
    job->user = r;
}

int cli_points_radius(const char *command, const char *text, ww_metric metric, double *radius) {
    if (text && (!cli_number(text, radius) || *radius < 0))
        return cli_usage(command, "--radius is '%s', but must be a number from 0", text);
    if (text && metric == WW_METRIC_INNER_PRODUCT)
        return cli_usage(command, "--radius is for distances; an inner product is none");
    return CLI_GO_ON;
}

size_t cli_points_within(const cli_neighbours *n, double radius) {
    size_t full = 0;
    for (size_t i = 0; isfinite(radius) && i < n->queries * n->k; i++) {
        const bool within = n->ids[i] >= 0 && cli_value_at(n->distances, n->precision, i) <= radius;
        full += within && i % n->k == n->k - 1;
        if (within)
            continue;
        n->ids[i] = -1;
        cli_value_put(n->distances, n->precision, i, (double)INFINITY);
    }
    return full;
}

void cli_points_say_full(size_t full, const cli_neighbours *n, size_t base_count, double radius) {
    if (full > 0 && n->k < base_count)
        fprintf(stderr, "wavewarp: %zu queries have %zu points within %g, and may have more (--k takes up to %d)\n",
                full, n->k, radius, WW_KNN_MOST);
}
