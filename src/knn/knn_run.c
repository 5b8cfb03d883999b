// SPDX-License-Identifier: Apache-2.0
// The run of an exact search: the base is processed in chunks, each about three times as long as all before it. A
// filter lists for every query the points that may be among its k nearest, the exact kernel computes their distances,
// the selection keeps the best. The first chunk, and a chunk with more listed points than fit the lists, are computed
// exactly in full.
#include <math.h>
#include <string.h>
#include <wavewarp/knn.h>

#include "knn/knn_search.h"
#include "topk/results.h"

enum { GROUPS_A_UNIT = 24 }; // of a launch

// The norms of a side's slice, and the longest.
static ww_status make_norms(ww_knn *s, knn_side *of, uint64_t padded) {
    const uint32_t n = (uint32_t)of->window.count;
    float norm = 0;
    const double wide = of == &s->base ? s->allowed.base : 1;
    const float narrow = (float)wide;
    wwi_buffer_destroy(&of->norms);
    WWI_TRY(wwi_buffer_create(s->context, padded * s->value_bytes, &of->norms));
    WWI_TRY(wwi_buffer_fill_u32(s->overflow, 0, 8, 0));
    WWI_TRY(WWI_LAUNCH_ITEMS(of->make.norms, padded, WWI_TILE, WWI_BUFFER(of->window.values), WWI_BUFFER(s->mean),
                             WWI_VALUE(n), WWI_VALUE(of->points->words), WWI_BUFFER(of->norms), WWI_BUFFER(s->overflow),
                             s->precision == WW_DOUBLE ? WWI_VALUE(wide) : WWI_VALUE(narrow)));
    WWI_TRY(wwi_knn_read_norms(s->stream, s->overflow, s->options.metric, s->precision, &norm));
    of->reach = sqrtf(norm) * 1.000001f;
    of->normed_first = of->window.first;
    of->normed_count = of->window.count;
    return WW_OK;
}

static ww_status make_rows(ww_knn *s, knn_side *of, uint64_t padded, uint64_t word_bytes) {
    const uint32_t stride = wwi_knn_row_stride(s);
    WWI_TRY(WWI_GROW(s->context, {&of->rows, padded * stride * word_bytes}));
    return WWI_LAUNCH_ITEMS(of->make.rows, padded, WWI_TILE, WWI_BUFFER(of->window.values),
                            WWI_VALUE(of->points->words), WWI_VALUE(stride), WWI_BUFFER(of->rows));
}

// Opens a slice of a side and computes its norms.
static ww_status open_side(ww_knn *s, knn_side *of, size_t first, size_t count) {
    WWI_TRY(wwi_points_slice(of->points, s->stream, first, count, &of->window));
    if (s->filter == FILTER_SETS ||
        (of->norms && of->normed_first == of->window.first && of->normed_count == of->window.count))
        return WW_OK;
    const uint64_t padded = wwi_points_padded(of->window.count);
    WWI_TRY(make_norms(s, of, padded));
    // Rows are made only where a side is on the device as a whole: once.
    if (!s->rows || of->rows || (of == &s->queries && !wwi_knn_has_query_rows(s)))
        return WW_OK;
    return make_rows(s, of, padded, of->points->word_bytes);
}

// The same of a block of narrow queries, as sums have them. What is said of all queries' norms does not depend on the
// block: the base's halves are scaled by it.
static ww_status open_wide(ww_knn *s, size_t first, size_t count) {
    knn_side *q = &s->queries;
    const uint64_t padded = wwi_points_padded(count);
    WWI_TRY(wwi_points_slice(q->points, s->stream, first, count, &q->stored));
    WWI_TRY(WWI_GROW(s->context, {&q->wide, padded * q->points->words * s->value_bytes}));
    WWI_TRY(wwi_points_widen(q->points, s->stream, &q->stored, first, count, q->wide));
    q->window = (wwi_slice){q->wide, NULL, first, count, false};
    WWI_TRY(make_norms(s, q, padded));
    const double most = sqrt((double)q->points->words) * q->points->largest;
    q->reach = (float)(most + (s->centred ? sqrt(s->base.points->mean_norm) : 0)) * 1.000001f;
    return wwi_knn_has_query_rows(s) ? make_rows(s, q, padded, s->value_bytes) : WW_OK;
}

static ww_status open_queries(ww_knn *s, size_t first, size_t count) {
    return wwi_points_are_narrow(s->queries.points) ? open_wide(s, first, count)
                                                    : open_side(s, &s->queries, first, count);
}

// One block of rows, and the part of the base that has been processed for it.
typedef struct block {
    size_t first, rows;  // queries
    uint32_t base_id;    // first point of the base's slice
    uint32_t base_count; // points of it
    uint64_t seen;       // points processed, in all slices
    uint32_t at;         // in this slice
    uint64_t most;       // points that a launch may take
    uint32_t growth;     // a chunk is this many quarters of the points seen
    uint32_t own, shift; // wwi_knn_shard_own()
    bool fresh;
} block;

static ww_knn_args make_job(const ww_knn *s, const block *b, uint32_t count) {
    return (ww_knn_args){
        .query_first = (uint32_t)(b->first - s->queries.window.first),
        .query_count = (uint32_t)b->rows,
        .base_first = b->at,
        .base_end = b->at + count,
        .base_id = b->base_id,
        .own = b->own,
        .dimension = s->base.points->words,
        .k = s->k,
        .capacity = s->room.capacity,
        .margin = s->allowed.margin,
        .reach = s->base.reach,
        .slack = s->allowed.slack,
    };
}

static ww_status launch_exact(ww_knn *s, const block *b, const ww_knn_args *job) {
    if (s->filter == FILTER_SETS)
        return WWI_LAUNCH(s->filter_kernel, b->rows, s->row_group, WWI_BUFFER(s->queries.window.values),
                          WWI_BUFFER(s->queries.window.series), WWI_BUFFER(s->base.window.values),
                          WWI_BUFFER(s->base.window.series), WWI_VALUE(*job), WWI_BUFFER(s->values));
    wwi_buffer *const query_rows = wwi_knn_has_query_rows(s) ? s->queries.rows : s->base.rows;
    return WWI_LAUNCH(s->exact, b->rows, s->row_group, WWI_BUFFER(s->rows ? query_rows : s->queries.window.values),
                      WWI_BUFFER(s->rows ? s->base.rows : s->base.window.values), WWI_BUFFER(s->queries.norms),
                      WWI_BUFFER(s->base.norms), WWI_VALUE(*job), WWI_BUFFER(s->counts), WWI_BUFFER(s->ids),
                      WWI_BUFFER(s->values));
}

static ww_status take_best(ww_knn *s, block *b, const ww_knn_args *job) {
    const wwi_selection selection = {
        .values = s->values,
        .row_stride = s->room.capacity,
        .rows = b->rows,
        .columns = job->listed ? s->room.capacity : job->base_end - job->base_first,
        .column_base = b->base_id + b->at,
        .indices = job->listed ? s->ids : NULL,
        .counts = job->listed ? s->counts : NULL,
        .exclude_self = b->own != WWI_NO_INDEX && !job->listed,
        .own_base = b->own,
        .fresh = b->fresh,
        .best_values = s->best_values,
        .best_indices = s->best_ids,
    };
    b->fresh = false;
    return wwi_topk(s->selector, &selection);
}

// ---- the tensor filter

float wwi_tensor_scale(float reach) {
    if (!(reach < 1e18f))
        return 0;
    const int exponent = reach > 0 ? 6 - ilogbf(reach) : 0;
    return ldexpf(1, exponent > 60 ? 60 : exponent);
}

static float scale_of(const ww_knn *s, const knn_side *of) {
    // Differences need one scale for both sides.
    const bool both = wwi_metric_code(s->options.metric) == WWK_METRIC_L2_SQUARED;
    return wwi_tensor_scale(both ? fmaxf(s->base.reach, s->queries.reach) : of->reach);
}

// Halves of points [first, first + count) of a side's slice, padded to `rows` with zeros.
static ww_status make_halves(ww_knn *s, knn_side *of, uint32_t first, uint32_t count, uint64_t rows) {
    const uint32_t for_queries = of == &s->queries;
    const float scale = scale_of(s, of);
    return WWI_LAUNCH_ITEMS(of->make.halves, rows, 64, WWI_BUFFER(of->window.values), WWI_BUFFER(s->mean),
                            WWI_BUFFER(of->norms), WWI_VALUE(first), WWI_VALUE(count), WWI_VALUE(of->points->words),
                            WWI_VALUE(s->tensor.width), WWI_VALUE(for_queries), WWI_VALUE(scale),
                            WWI_BUFFER(of->halves));
}

// Computes the base's halves, once, and those of a block of queries. The base is on the device as a whole.
static ww_status make_all_halves(ww_knn *s, const block *b) {
    if (!s->base.halves) {
        const uint64_t padded = wwi_points_padded(s->base.window.count);
        WWI_TRY(wwi_buffer_create(s->context, padded * s->tensor.width * 2, &s->base.halves));
        WWI_TRY(make_halves(s, &s->base, 0, (uint32_t)s->base.window.count, padded));
    }
    return make_halves(s, &s->queries, (uint32_t)(b->first - s->queries.window.first), (uint32_t)b->rows,
                       wwi_knn_round_up(b->rows, s->group_rows));
}

static ww_status launch_tensor(ww_knn *s, const ww_knn_args *job, uint64_t groups) {
    const knn_tensor *t = &s->tensor;
    const uint32_t steps = t->width / 16, slot = s->base.points->words + 2;
    const float scale = scale_of(s, &s->queries), square_scale = scale * scale_of(s, &s->base);
    WWI_TRY(WWI_LAUNCH_ITEMS(s->make_cuts, (uint64_t)job->query_groups * s->group_rows, 64,
                             WWI_BUFFER(s->queries.norms), WWI_BUFFER(s->best_values), WWI_VALUE(*job),
                             WWI_VALUE(t->width), WWI_VALUE(slot), WWI_VALUE(scale), WWI_VALUE(square_scale),
                             WWI_BUFFER(s->queries.halves)));
    return WWI_LAUNCH(s->filter_kernel, groups, s->group, WWI_BUFFER(s->queries.halves), WWI_BUFFER(s->base.halves),
                      WWI_VALUE(*job), WWI_VALUE(steps), WWI_BUFFER(s->counts), WWI_BUFFER(s->ids),
                      WWI_BUFFER(s->overflow));
}

static ww_status launch_filter(ww_knn *s, const ww_knn_args *job, uint64_t groups) {
    if (s->filter == FILTER_TENSOR)
        return launch_tensor(s, job, groups);
    return WWI_LAUNCH(s->filter_kernel, groups, s->group, WWI_BUFFER(s->queries.window.values),
                      WWI_BUFFER(s->base.window.values), WWI_BUFFER(s->queries.norms), WWI_BUFFER(s->base.norms),
                      WWI_BUFFER(s->mean), WWI_BUFFER(s->best_values), WWI_VALUE(*job), WWI_BUFFER(s->counts),
                      WWI_BUFFER(s->ids), WWI_BUFFER(s->overflow));
}

// Filters a chunk and computes the listed points. *full: some query's list was too short, and nothing was done.
static ww_status go_through_listed(ww_knn *s, block *b, uint32_t count, bool *full) {
    uint32_t flag = 0;
    ww_knn_args job = make_job(s, b, count);
    job.listed = 1;
    job.query_groups = (uint32_t)wwi_ceil_div(b->rows, s->group_rows);
    // Several groups for each place on the device, so that little is idle at the end.
    const uint64_t places = wwi_context_info(s->context)->compute_units * GROUPS_A_UNIT;
    const bool vector = s->filter == FILTER_VECTOR;
    const uint64_t part = vector ? (UINT64_C(1) << 17) / (s->base.points->words * s->base.points->word_bytes)
                                 : (uint64_t)count * job.query_groups / places;
    const uint64_t least = vector ? 1 : 1024;
    job.part = wwi_knn_round_up(wwi_least(part > least ? part : least, count), WWI_TILE_PAIR);
    const uint64_t parts = wwi_ceil_div(count, job.part);
    WWI_TRY(wwi_buffer_fill_u32(s->counts, 0, b->rows * 4, 0));
    WWI_TRY(wwi_buffer_fill_u32(s->overflow, 0, 4, 0));
    WWI_TRY(launch_filter(s, &job, job.query_groups * parts));
    WWI_TRY(wwi_stream_read(s->stream, s->overflow, 0, 4, &flag));
    *full = flag != 0;
    if (*full)
        return WW_OK;
    WWI_TRY(launch_exact(s, b, &job));
    return take_best(s, b, &job);
}

// Searches the base's slice for one block of rows.
static ww_status go_through_window(ww_knn *s, block *b) {
    while (b->at < b->base_count) {
        const uint32_t left = b->base_count - b->at;
        uint64_t chunk = b->seen * b->growth / 4;
        chunk = wwi_least(chunk, b->most) / WWI_TILE_PAIR * WWI_TILE_PAIR;
        chunk = chunk < WWI_TILE_PAIR ? WWI_TILE_PAIR : chunk;
        const double start = wwi_seconds();
        if (b->seen <= s->k || chunk <= s->room.first_chunk || wwi_knn_computes_all(s)) {
            const uint32_t all =
                wwi_knn_computes_all(s) || b->most < s->room.first_chunk ? s->room.capacity : s->room.first_chunk;
            chunk = wwi_least(all, left);
            const ww_knn_args job = make_job(s, b, (uint32_t)chunk);
            s->info.examined += b->rows * chunk;
            WWI_TRY(launch_exact(s, b, &job));
            WWI_TRY(take_best(s, b, &job));
            if (b->most < chunk * 2)
                b->most = chunk * 2;
        } else {
            bool full = false;
            chunk = wwi_least(chunk, left);
            WWI_TRY(go_through_listed(s, b, (uint32_t)chunk, &full));
            if (full) {
                b->most = chunk / 4;
                b->growth = b->growth > 2 ? b->growth / 2 : 1;
                continue;
            }
            b->most = wwi_least(wwi_pace_next(&s->pace, chunk, wwi_seconds() - start), chunk * 8);
        }
        b->at += (uint32_t)chunk;
        b->seen += chunk;
        WWI_TRY(wwi_pace_report(&s->pace, chunk * b->rows));
    }
    return WW_OK;
}

static ww_status run_block(ww_knn *s, size_t first, size_t rows, size_t result, int64_t *ids, void *distances) {
    block b = {
        .first = first, .rows = rows, .most = UINT64_C(1) << 20, .growth = s->gpu ? 12 : 4, .fresh = !s->shard.initial};
    b.own = wwi_knn_shard_own(&s->shard, first, rows, s->base.points->count, &b.shift);
    if (s->shard.initial)
        WWI_TRY(wwi_knn_shard_seed(&s->shard, first, rows, s->k, s->best_values, s->best_ids));
    for (size_t at = 0, count; at < s->base.points->count; at += count) {
        count = wwi_points_slice_limit(s->base.points, at);
        WWI_TRY(open_side(s, &s->base, at, count));
        b.base_id = (uint32_t)at + b.shift;
        b.base_count = (uint32_t)count;
        b.at = 0;
        if (s->filter == FILTER_TENSOR)
            WWI_TRY(make_all_halves(s, &b));
        WWI_TRY(go_through_window(s, &b));
    }
    // The results, to the caller.
    ids += result * s->k;
    distances = distances ? (unsigned char *)distances + result * s->k * s->value_bytes : NULL;
    WWI_TRY(wwi_results_fetch(s->best_ids, s->best_values, rows, s->k, s->precision, s->options.metric == WW_METRIC_L2,
                              ids, distances, NULL));
    wwi_knn_shard_place(&s->shard, first, rows, s->k, b.shift, ids, distances);
    return WW_OK;
}

// Queries [from, end); their results begin where the arrays do.
static ww_status run_queries(ww_knn *s, size_t from, size_t end, int64_t *ids, void *distances) {
    ww_status status = WW_OK;
    const double start = wwi_seconds();
    wwi_stream_start(s->stream);
    s->info.examined = 0;
    s->pace = wwi_pace_make(s->stream, s->run.launch_seconds, s->run.progress, s->run.progress_user);
    wwi_pace_start(&s->pace, (uint64_t)(end - from) * s->base.points->count);
    for (size_t at = 0, count; status == WW_OK && at < end; at += count) {
        count = wwi_points_slice_limit(s->queries.points, at);
        if (wwi_points_are_narrow(s->queries.points))
            count = wwi_least(count, s->room.most_rows);
        if (at + count <= from)
            continue;
        if ((status = open_queries(s, at, count)) != WW_OK)
            break;
        const size_t last = at + count < end ? at + count : end;
        for (size_t first = at > from ? at : from, rows; status == WW_OK && first < last; first += rows) {
            rows = wwi_least(last - first, s->room.most_rows);
            status = run_block(s, first, rows, first - from, ids, distances);
        }
    }
    status = wwi_run_end(s->stream, status, start, &s->info.launches, &s->info.seconds_device, &s->info.seconds_wall);
    if (status == WW_OK)
        return WW_OK;
    // Nothing that launches made, or were to make, is known to be there. The halves of queries are made anew for every
    // block.
    wwi_slice_close(&s->base.window);
    wwi_slice_close(&s->queries.window);
    wwi_slice_close(&s->queries.stored);
    WWI_BUFFERS_DESTROY(&s->base.norms, &s->queries.norms, &s->base.rows, &s->queries.rows, &s->base.halves);
    return status;
}

// Of the neighbours of query `own`, its k and one more, all but its own point; distances NULL: they are not wanted.
static void drop_self(const ww_knn *s, size_t own, const int64_t *from_ids, const unsigned char *from, int64_t *ids,
                      unsigned char *distances) {
    const size_t size = s->value_bytes;
    size_t to = 0;
    for (size_t i = 0; i < s->k && to < wwi_knn_wanted(s); i++) {
        if (from_ids[i] >= 0 && s->places[from_ids[i]] == own)
            continue;
        ids[to] = from_ids[i];
        if (distances)
            memcpy(distances + to * size, from + i * size, size);
        to++;
    }
}

static ww_status run_dropping(ww_knn *s, size_t first, size_t rows, int64_t *ids, unsigned char *distances) {
    const size_t k = wwi_knn_wanted(s), size = s->value_bytes;
    WWI_FREES int64_t *more = NULL;
    WWI_FREES unsigned char *more_distances = NULL;
    WWI_TRY(wwi_new(more, rows * s->k));
    WWI_TRY(wwi_new(more_distances, rows * s->k * size));
    WWI_TRY(run_queries(s, first, first + rows, more, more_distances));
    for (size_t r = 0; r < rows; r++)
        drop_self(s, first + r, more + r * s->k, more_distances + r * s->k * size, ids + r * k,
                  distances ? distances + r * k * size : NULL);
    return WW_OK;
}

ww_status wwi_knn_run_alone(ww_knn *s, size_t first, size_t rows, int64_t *ids, void *distances, uint32_t *found) {
    WWI_FREES unsigned char *own = NULL; // distances tell what is farther than an initial one
    const size_t k = wwi_knn_wanted(s);
    const int64_t *names = s->base.points->ids;
    if (s->shard.initial && !distances)
        WWI_TRY(wwi_new(own, rows * s->k * s->value_bytes));
    WWI_TRY(s->drops_self ? run_dropping(s, first, rows, ids, distances)
                          : run_queries(s, first, first + rows, ids, distances ? distances : own));
    for (size_t i = 0; names && i < rows * k; i++)
        ids[i] = ids[i] < 0 ? ids[i] : names[ids[i]];
    for (size_t r = 0; found && r < rows; r++)
        found[r] = wwi_count_found(ids + r * k, k);
    return WW_OK;
}
