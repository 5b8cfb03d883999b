// SPDX-License-Identifier: Apache-2.0
// Exact searches on one device, or on several: each has the whole base and takes runs of the queries.
#include <inttypes.h>

#include "base/run.h"
#include "knn/knn_job.h"
#include "knn/knn_search.h"
#include "options.h"

// ---- creation

typedef struct creation {
    ww_points *base, *queries;
    size_t k;
    const ww_nearest_shard *shard;
    ww_knn_options options;
} creation;

static ww_status create_on(wwi_seat *seat) {
    const creation *c = seat->of;
    ww_points *base, *queries;
    ww_knn *made = NULL;
    WWI_TRY(wwi_points_on(c->base, seat->device, &base));
    WWI_TRY(wwi_points_on(c->queries, seat->device, &queries));
    const ww_status status = wwi_knn_create_alone(base, queries, c->k, c->shard, &c->options, &made);
    seat->own = made;
    return status;
}

static void close_team(wwi_team **team) {
    WWI_TEAM_CLOSE(ww_knn, wwi_taken(team), NULL);
}

ww_status ww_knn_create_shard(ww_points *base, ww_points *queries, size_t k, const ww_nearest_shard *shard,
                              const ww_knn_options *options, ww_knn **knn) {
    WWI_ENDS(close_team) wwi_team *team = NULL;
    creation c = {base, queries, k, shard, WW_KNN_OPTIONS_INIT};
    if (knn)
        *knn = NULL;
    WWI_NEEDS("base, knn", base, knn);
    ww_context *context = wwi_points_divide(base, queries);
    if (!context)
        return wwi_knn_create_alone(base, queries, k, shard, options, knn);
    WWI_TRY(wwi_options_take(&c.options, options, "ww_knn_options"));
    WWI_TRY(wwi_team_open(context, c.options.run, &team));
    c.options.run = &team->own;
    WWI_TRY(wwi_team_make(team, create_on, &c, 0, NULL));
    ww_knn *first = wwi_team_any(team);
    first->team = wwi_taken(&team);
    *knn = first;
    return WW_OK;
}

ww_status ww_knn_create(ww_points *base, ww_points *queries, size_t k, const ww_knn_options *options, ww_knn **knn) {
    return ww_knn_create_shard(base, queries, k, NULL, options, knn);
}

// ---- runs

typedef struct job {
    const ww_knn *s; // the caller's
    int64_t *ids;
    unsigned char *distances;
    uint32_t *found;
    ww_knn_info sum;
} job;

static double query_work(const void *of, size_t query) {
    const ww_points *base = ((const job *)of)->s->base.points;
    (void)query;
    return (double)base->count * (double)(base->dimension ? base->dimension : 1);
}

static ww_status run_queries(const wwi_seat *seat, wwi_span queries) {
    job *j = seat->of;
    ww_knn *s = seat->team->on[seat->device];
    const size_t place = queries.first * wwi_knn_wanted(j->s);
    WWI_TRY(wwi_knn_run_alone(s, queries.first, queries.count, j->ids + place,
                              j->distances ? j->distances + place * s->value_bytes : NULL,
                              j->found ? j->found + queries.first : NULL));
    (void)pthread_mutex_lock(&seat->team->lock);
    j->sum.examined += s->info.examined;
    j->sum.launches += s->info.launches;
    j->sum.seconds_device += s->info.seconds_device;
    (void)pthread_mutex_unlock(&seat->team->lock);
    return WW_OK;
}

static void name_queries(const void *of, FILE *to) {
    const job *j = of;
    const ww_knn *s = j->s;
    char sum[65] = "", part[65] = "";
    if (s->places)
        wwi_checksum_text(s->places, s->base.points->count * sizeof *s->places, part);
    if (s->shard.initial)
        wwi_checksum_text(s->shard.initial, s->queries.points->count * s->value_bytes, sum);
    fprintf(to,
            "knn\nbase %zu queries %zu k %zu metric %s p %a missing %d %s self %d exclude %d %" PRId64
            " offset %" PRIu64 " initial %s distances %d found %d subset %s",
            s->base.points->count, s->queries.points->count, (size_t)wwi_knn_wanted(s),
            ww_word(WW_WORD_METRIC, s->options.metric), s->options.p, s->base.points->missing,
            ww_word(WW_WORD_PRECISION, s->precision), s->shard.self, s->shard.excludes, s->shard.apart,
            s->shard.base_offset, sum, j->distances != NULL, j->found != NULL, part);
}

static ww_status give_queries(const wwi_seat *seat, wwi_span queries, wwi_bytes *to) {
    const job *j = seat->of;
    WWI_TRY(wwi_bytes_put_rows(to, j->ids, queries, wwi_knn_wanted(j->s) * sizeof *j->ids));
    WWI_TRY(wwi_bytes_put_rows(to, j->distances, queries, wwi_knn_wanted(j->s) * j->s->value_bytes));
    return wwi_bytes_put_rows(to, j->found, queries, sizeof *j->found);
}

static ww_status take_queries(void *of, wwi_span queries, wwi_taken_bytes *from) {
    const job *j = of;
    WWI_TRY(wwi_bytes_take_rows(from, j->ids, queries, wwi_knn_wanted(j->s) * sizeof *j->ids));
    WWI_TRY(wwi_bytes_take_rows(from, j->distances, queries, wwi_knn_wanted(j->s) * j->s->value_bytes));
    return wwi_bytes_take_rows(from, j->found, queries, sizeof *j->found);
}

ww_status ww_knn_run(ww_knn *s, int64_t *ids, void *distances, uint32_t *found) {
    // On the device queries are in tiles, of which a search takes whole ones.
    static const wwi_job kind = {.work = query_work,
                                 .step = WWI_TILE_PAIR,
                                 .run = run_queries,
                                 .name = name_queries,
                                 .give = give_queries,
                                 .take = take_queries};
    WWI_NEEDS("knn, ids", s, ids);
    const size_t queries = s->queries.points->count;
    if (!s->team)
        return wwi_knn_run_alone(s, 0, queries, ids, distances, found);
    const double start = wwi_seconds();
    job j = {.s = s, .ids = ids, .distances = distances, .found = found};
    WWI_TRY(wwi_team_run(s->team, &kind, &j, queries));
    s->info.examined = j.sum.examined;
    s->info.launches = j.sum.launches;
    s->info.seconds_device = j.sum.seconds_device;
    s->info.seconds_wall = wwi_seconds() - start;
    return WW_OK;
}

ww_status ww_knn_find(ww_context *context, const ww_point_view *base, const ww_point_view *queries, size_t k,
                      ww_metric metric, ww_precision precision, int64_t *ids, void *distances) {
    WWI_ENDS(ww_points_destroy) ww_points *base_points = NULL, *query_points = NULL;
    WWI_ENDS(ww_knn_destroy) ww_knn *search = NULL;
    ww_points_options points_options = WW_POINTS_OPTIONS_INIT;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    points_options.precision = precision;
    options.metric = metric;
    WWI_TRY(ww_points_create(context, base, &points_options, &base_points));
    if (queries)
        WWI_TRY(ww_points_create(context, queries, &points_options, &query_points));
    WWI_TRY(ww_knn_create(base_points, query_points, k, &options, &search));
    return ww_knn_run(search, ids, distances, NULL);
}
