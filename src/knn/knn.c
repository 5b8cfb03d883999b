// SPDX-License-Identifier: Apache-2.0
// Exact search: the base is processed in chunks, each about three times as long as all before it. A filter lists for
// every query the points that may be among its k nearest, the exact kernel computes their distances, the selection
// keeps the best. The first chunk, and a chunk with more listed points than fit the lists, are computed exactly in
// full.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/knn.h>

#include "base/pace.h"
#include "base/run.h"
#include "data/dataset.h"
#include "data/points.h"
#include "knn/knn_job.h"
#include "knn/knn_shard.h"
#include "options.h"
#include "topk/results.h"
#include "topk/topk.h"

typedef enum filter { FILTER_NARROW, FILTER_WIDE, FILTER_VECTOR, FILTER_TENSOR, FILTER_SETS, FILTER_ALL } filter;

static const struct {
    const char *name, *file, *kernel;
} filters[] = {{"narrow", "knn/knn_narrow.cl", "ww_knn_narrow"},
               {"wide", "knn/knn_wide.cl", "ww_knn_wide"},
               {"vector", "knn/knn_vector.cl", "ww_knn_vector"},
               {"tensor", "knn/knn_tensor.cl", "ww_knn_tensor"},
               {"sets", "knn/knn_sets.cl", "ww_knn_sets"},
               {"all", NULL, NULL}}; // none: the exact kernel computes every pair

typedef struct side {
    ww_points *points;
    wwi_slice window;
    wwi_buffer *norms;
    size_t normed_first, normed_count; // the slice to which the norms belong
    float reach;                       // norm of its longest point
    wwi_buffer *rows;                  // in row order, for the exact kernel; NULL: it reads tiles
    wwi_buffer *halves;                // for the tensor filter: of the slice, or of a block of queries
} side;

// The sizes of the tensor filter; see kernels_cl/knn/knn_tensor.cl.
typedef struct tensor {
    uint32_t width; // of a row: a multiple of 16
    uint32_t steps; // width / 16 where that is compiled in, else 0
    uint32_t down, across;
} tensor;

struct ww_knn {
    ww_context *context;
    wwi_stream *stream;
    ww_knn_options options;
    ww_run_options run;
    side base, queries;
    wwi_knn_shard shard;
    bool gpu, centred, direct, rows;
    uint32_t k;
    ww_precision precision;
    uint64_t value_bytes;
    filter filter;
    tensor tensor;
    uint32_t group, group_rows; // work-items of the filter's groups, and rows of each group
    uint32_t row_group;         // work-items of the exact kernel's groups, one a row
    uint32_t first_chunk, capacity;
    size_t most_rows;
    float margin;
    wwi_program *program;
    wwi_kernel *filter_kernel, *exact, *norms, *make_rows, *make_halves, *make_cuts;
    wwi_selector *selector;
    wwi_buffer *counts, *ids, *values, *best_values, *best_ids, *overflow, *mean;
    wwi_pace pace; // in pairs
    ww_knn_info info;
};

// ---- metrics

static const struct {
    const char *name;
    ww_point_kind kind;
    int code; // WW_METRIC in kernels_cl/knn/knn.cl
} metrics[] = {
    {"l2", WW_POINTS_NUMBERS, 0},   {"l2-squared", WW_POINTS_NUMBERS, 0}, {"l1", WW_POINTS_NUMBERS, 1},
    {"linf", WW_POINTS_NUMBERS, 2}, {"cosine", WW_POINTS_NUMBERS, 3},     {"inner-product", WW_POINTS_NUMBERS, 4},
    {"hamming", WW_POINTS_BITS, 5}, {"jaccard", WW_POINTS_SETS, 0},       {"jaccard-bits", WW_POINTS_BITS, 6}};
#define METRICS (sizeof metrics / sizeof *metrics)

enum { LEAST_TENSOR = 5 };   // fewest coordinates for matrix units
enum { GROUPS_A_UNIT = 24 }; // of a launch

const char *ww_metric_name(ww_metric metric) {
    return (unsigned)metric < METRICS ? metrics[metric].name : "unknown";
}

ww_point_kind ww_metric_kind(ww_metric metric) {
    return (unsigned)metric < METRICS ? metrics[metric].kind : WW_POINTS_NUMBERS;
}

ww_status ww_metric_by_name(const char *name, ww_metric *metric) {
    if (!name || !metric)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "name or metric is NULL");
    for (size_t i = 0; i < METRICS; i++)
        if (strcmp(name, metrics[i].name) == 0) {
            *metric = (ww_metric)i;
            return WW_OK;
        }
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no metric '%s'", name);
    return wwi_fail_hint("l2, l2-squared, l1, linf, cosine, inner-product, hamming, jaccard, jaccard-bits");
}

// ---- making a search

static void side_free(side *s) {
    wwi_slice_close(&s->window);
    wwi_buffer_destroy(&s->norms);
    wwi_buffer_destroy(&s->rows);
    wwi_buffer_destroy(&s->halves);
    ww_points_destroy(&s->points);
}

void ww_knn_destroy(ww_knn **knn) {
    if (!knn || !*knn)
        return;
    ww_knn *s = *knn;
    *knn = NULL;
    wwi_buffer *const buffers[] = {s->counts, s->ids, s->values, s->best_values, s->best_ids, s->overflow, s->mean};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        wwi_buffer *buffer = buffers[i];
        wwi_buffer_destroy(&buffer);
    }
    wwi_selector_destroy(&s->selector);
    wwi_kernel *const kernels[] = {s->filter_kernel, s->exact, s->norms, s->make_rows, s->make_halves, s->make_cuts};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        wwi_kernel *kernel = kernels[i];
        wwi_kernel_destroy(&kernel);
    }
    wwi_program_release(&s->program);
    side_free(&s->queries);
    side_free(&s->base);
    wwi_stream_destroy(&s->stream);
    wwi_context_release(s->context);
    wwi_knn_shard_free(&s->shard);
    free(s);
}

static ww_status check_points(const ww_points *base, const ww_points *queries, ww_metric metric) {
    if (base->kind != metrics[metric].kind || queries->kind != metrics[metric].kind) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the metric %s is not for points of this kind", metrics[metric].name);
        return wwi_fail_hint("hamming and jaccard-bits are for bits, jaccard for sets, the others are for numbers");
    }
    if (base->context != queries->context || base->precision != queries->precision)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "queries and base have different contexts or precisions");
    if (base->dimension != queries->dimension)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the queries have %zu coordinates, the base has %zu",
                        queries->dimension, base->dimension);
    return WW_OK;
}

static uint32_t tuned(const ww_knn *s, const char *name, uint32_t fallback) {
    const long value = wwi_tuning(s->context, name, s->precision == WW_DOUBLE ? "f64" : "f32", (long)fallback);
    return value > 0 ? (uint32_t)value : fallback;
}

static uint32_t round_up(uint64_t value, uint32_t to) {
    return (uint32_t)((value + to - 1) / to * to);
}

// No filter: every chunk is computed exactly.
static bool computes_all(const ww_knn *s) {
    return s->filter == FILTER_SETS || s->filter == FILTER_ALL;
}

// Coordinates of a point in row order.
static uint32_t row_stride(const ww_knn *s) {
    return round_up(s->base.points->words, 4);
}

// Points of both sides.
static uint64_t both_sides(const ww_knn *s) {
    return wwi_points_padded(s->base.points->count) + (s->shard.self ? 0 : wwi_points_padded(s->queries.points->count));
}

// False: the sides are not on the device as a whole, or so many bytes for each point would leave too little memory.
static bool has_room(const ww_knn *s, uint64_t of_a_point) {
    const ww_points *b = s->base.points, *q = s->queries.points;
    const uint64_t points = both_sides(s);
    uint64_t room = wwi_context_bytes_free(s->context) / 4, each = wwi_context_max_buffer(s->context);
    if (s->run.max_bytes && room > s->run.max_bytes / 4)
        room = s->run.max_bytes / 4;
    return b->tiles && q->tiles && points * of_a_point <= (room < each ? room : each);
}

// Rows of as many halves as the coordinates and four more need, in registers where they are few.
static void cut_tensor(ww_knn *s) {
    tensor *t = &s->tensor;
    t->width = round_up(s->base.points->words + 4, 16);
    t->steps = t->width <= 64 ? t->width / 16 : 0;
    t->down = t->steps == 1 || t->steps == 2 ? 8 : 4;
    t->across = t->steps ? 1 : 4;
}

// The parameter form.knn.filter: 1 narrow, 2 wide, 3 vector, 4 tensor.
static filter choose_filter(ww_knn *s, uint32_t dimension) {
    static const filter named[] = {FILTER_NARROW, FILTER_WIDE, FILTER_VECTOR, FILTER_TENSOR};
    const uint32_t most_narrow = s->precision == WW_DOUBLE ? 10 : 32;
    const uint32_t forced = tuned(s, "form.knn.filter", 5);
    if (s->base.points->kind == WW_POINTS_SETS)
        return FILTER_SETS;
    if (s->options.metric == WW_METRIC_JACCARD_BITS)
        return FILTER_ALL;
    cut_tensor(s);
    const bool possible = !s->direct && has_room(s, s->tensor.width * 2);
    if (forced <= 4 && !(forced == 1 && dimension > most_narrow) && !(forced == 4 && !possible))
        return named[forced - 1];
    if (!s->gpu)
        return FILTER_VECTOR;
    if (possible && dimension >= LEAST_TENSOR && wwi_context_mma(s->context))
        return FILTER_TENSOR;
    return dimension <= most_narrow ? FILTER_NARROW : FILTER_WIDE;
}

// Compiles the filter, and gives the sizes of its groups.
static ww_status compile(ww_knn *s) {
    ww_status status;
    char options[384];
    const uint32_t d = s->base.points->words;
    const bool doubles = s->precision == WW_DOUBLE;
    const bool nvidia = strstr(wwi_context_info(s->context)->vendor, "NVIDIA") != NULL;
    uint32_t queries = 8, vector = 1, fixed = 0;
    s->row_group = tuned(s, "knn.row_group", s->gpu ? 64 : 1);
    s->rows = s->filter != FILTER_SETS && s->row_group > 1 && has_room(s, row_stride(s) * s->base.points->word_bytes);
    switch (s->filter) {
    case FILTER_SETS:
    case FILTER_ALL:
        vector = s->row_group == 1 ? 16 : 1;
        s->group = s->row_group;
        s->group_rows = 1;
        break;
    case FILTER_VECTOR:
        vector = doubles ? 8 : 16;
        fixed = d <= 64 ? d : 0;
        s->group = 1;
        s->group_rows = WWI_TILE;
        break;
    case FILTER_NARROW:
        queries = doubles ? 2 : d <= 12 ? 8 : d <= 20 ? 6 : 4;
        fixed = d;
        s->group = tuned(s, "knn.group", 128);
        s->group_rows = s->group * queries;
        break;
    case FILTER_WIDE:
        s->group = 256;
        s->group_rows = WWI_TILE_PAIR;
        break;
    case FILTER_TENSOR:
        s->group = 256;
        s->group_rows = (s->tensor.steps ? s->group / 32 : 2) * s->tensor.down * 16;
        break;
    }
    const wwi_source sources[] = {{"base/number.cl", NULL},       {"knn/knn.cl", NULL},     {"knn/knn_points.cl", NULL},
                                  {"knn/knn_exact.cl", NULL},     {"base/vendor.cl", NULL}, {"knn/knn_halves.cl", NULL},
                                  {filters[s->filter].file, NULL}};
    snprintf(options, sizeof options,
             "-DWWK_DOUBLE=%d -DWW_METRIC=%d -DWW_DIRECT=%d -DWW_CENTRE=%d -DWW_D=%" PRIu32 " -DWW_WG=%" PRIu32
             " -DWW_ROW_WG=%" PRIu32 " -DWW_QUERIES=%" PRIu32 " -DWW_VECTOR=%" PRIu32
             " -DWW_EXACT_ROWS=%d -DWW_MMA=%d -DWW_STEPS=%" PRIu32 " -DWW_DOWN16=%" PRIu32 " -DWW_ACROSS8=%" PRIu32
             "%s",
             doubles, metrics[s->options.metric].code, s->direct, s->centred, fixed, s->group, s->row_group, queries,
             vector, s->rows, s->filter == FILTER_TENSOR && wwi_context_mma(s->context), s->tensor.steps,
             s->tensor.down, s->tensor.across,
             // So that two groups of 256 share a multiprocessor; kernels above this limit exceed it by a few registers.
             nvidia && s->filter == FILTER_WIDE && !s->direct && !doubles ? " -cl-nv-maxrregcount=128" : "");
    const size_t count = sizeof sources / sizeof *sources - (filters[s->filter].file ? 0 : 1);
    if ((status = wwi_program_get(s->context, sources, count, options, &s->program)) != WW_OK ||
        (filters[s->filter].file &&
         (status = wwi_kernel_create(s->stream, s->program, filters[s->filter].kernel, &s->filter_kernel)) != WW_OK) ||
        (status = wwi_kernel_create(s->stream, s->program, "ww_knn_exact", &s->exact)) != WW_OK ||
        (status = wwi_kernel_create(s->stream, s->program, "ww_knn_norms", &s->norms)) != WW_OK ||
        (status = wwi_kernel_create(s->stream, s->program, "ww_knn_rows", &s->make_rows)) != WW_OK)
        return status;
    if (s->filter == FILTER_TENSOR &&
        ((status = wwi_kernel_create(s->stream, s->program, "ww_tensor_rows", &s->make_halves)) != WW_OK ||
         (status = wwi_kernel_create(s->stream, s->program, "ww_tensor_cuts", &s->make_cuts)) != WW_OK))
        return status;
    return wwi_selector_create(s->context, s->stream, s->precision, s->k, &s->selector);
}

// The error of the filter's sums; see docs/knn.md.
static void set_margin(ww_knn *s) {
    const double unit = s->precision == WW_DOUBLE ? DBL_EPSILON : FLT_EPSILON;
    const double d = (double)s->base.points->words;
    const ww_points *b = s->base.points;
    s->margin = (float)((2 * d + 16) * unit);
    // Sums of products lose digits when all points are far from the origin, those of halves the most.
    s->centred = !s->direct && metrics[s->options.metric].code == 0 && b->kind == WW_POINTS_NUMBERS &&
                 (s->filter == FILTER_TENSOR || b->mean_norm > 16 * b->variance);
}

static ww_status send_mean(ww_knn *s) {
    ww_status status;
    const ww_points *b = s->base.points;
    const uint64_t bytes = (b->words ? b->words : 1) * s->value_bytes;
    unsigned char *mean = calloc(1, bytes);
    if (!mean)
        return wwi_fail_memory(bytes);
    for (uint32_t j = 0; s->centred && j < b->words; j++) {
        if (s->precision == WW_DOUBLE)
            memcpy(mean + j * sizeof(double), &b->mean[j], sizeof(double));
        else
            memcpy(mean + j * sizeof(float), &(float){(float)b->mean[j]}, sizeof(float));
    }
    if ((status = wwi_buffer_create(s->context, bytes, &s->mean)) == WW_OK)
        status = wwi_buffer_write(s->mean, 0, bytes, mean);
    free(mean);
    return status;
}

// Sizes of chunks and lists, and the scratch for as many rows as may be processed at a time.
static ww_status allocate(ww_knn *s) {
    ww_status status;
    const bool sets = s->filter == FILTER_SETS;
    s->first_chunk =
        round_up((uint64_t)s->k * 2 > (s->gpu ? 256 : 128) ? s->k * 2 : (s->gpu ? 256 : 128), WWI_TILE_PAIR);
    s->capacity = round_up(s->k * 6 + 128 > s->first_chunk ? s->k * 6 + 128 : s->first_chunk, WWI_TILE_PAIR);
    if (computes_all(s))
        s->capacity = s->capacity < 4096 ? 4096 : s->capacity;
    const uint64_t halves_bytes = s->filter == FILTER_TENSOR ? s->tensor.width * 2 : 0;
    const uint64_t row_bytes =
        s->capacity * (s->value_bytes + (sets ? 0 : 4)) + s->k * (s->value_bytes + 4) + 4 + halves_bytes;
    // The memory that the first run needs for the points besides these buffers: has_room() has checked that it is less
    // than the free memory.
    const uint64_t later = both_sides(s) * ((s->rows ? row_stride(s) * s->base.points->word_bytes : 0) + halves_bytes);
    const uint64_t available = wwi_context_bytes_free(s->context);
    uint64_t room = (available > later ? available - later : 0) / 2;
    if (room > wwi_context_max_buffer(s->context))
        room = wwi_context_max_buffer(s->context);
    if (s->run.max_bytes && room > s->run.max_bytes)
        room = s->run.max_bytes;
    // A GPU is fastest with as many rows as possible; on a CPU the lists should stay in the caches.
    if (!s->gpu && room > (UINT64_C(16) << 20))
        room = UINT64_C(16) << 20;
    uint64_t rows = room / row_bytes / WWI_TILE_PAIR * WWI_TILE_PAIR;
    if (rows < WWI_TILE_PAIR)
        rows = WWI_TILE_PAIR;
    const uint64_t padded = wwi_points_padded(s->queries.points->count);
    if (rows > padded)
        rows = padded;
    s->most_rows = (size_t)rows;
    if ((status = wwi_buffer_create(s->context, rows * s->capacity * s->value_bytes, &s->values)) != WW_OK ||
        (status = wwi_buffer_create(s->context, sets ? 4 : rows * s->capacity * 4, &s->ids)) != WW_OK ||
        (status = wwi_buffer_create(s->context, rows * 4, &s->counts)) != WW_OK ||
        (status = wwi_buffer_create(s->context, rows * s->k * s->value_bytes, &s->best_values)) != WW_OK ||
        (status = wwi_buffer_create(s->context, rows * s->k * 4, &s->best_ids)) != WW_OK ||
        (status = wwi_buffer_create(s->context, 4, &s->overflow)) != WW_OK ||
        (halves_bytes && (status = wwi_buffer_create(s->context, round_up(rows, s->group_rows) * halves_bytes,
                                                     &s->queries.halves)) != WW_OK))
        return status;
    return send_mean(s);
}

ww_status ww_knn_create(ww_points *base, ww_points *queries, size_t k, const ww_knn_options *options, ww_knn **knn) {
    return ww_knn_create_shard(base, queries, k, NULL, options, knn);
}

ww_status ww_knn_create_shard(ww_points *base, ww_points *queries, size_t k, const ww_nearest_shard *shard,
                              const ww_knn_options *options, ww_knn **knn) {
    ww_status status;
    ww_knn_options o = WW_KNN_OPTIONS_INIT;
    ww_run_options run;
    if (knn)
        *knn = NULL;
    if (!base || !knn)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "base or knn is NULL");
    if ((status = wwi_options_take(&o, options, "ww_knn_options")) != WW_OK ||
        (status = wwi_run_take(o.run, &run)) != WW_OK)
        return status;
    if (k < 1 || k > WW_KNN_MOST)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is %zu; it can be 1 to %d", k, WW_KNN_MOST);
    if ((unsigned)o.metric >= METRICS)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.metric is %d", (int)o.metric);
    const bool self = !queries;
    if (self)
        queries = base;
    if ((status = check_points(base, queries, o.metric)) != WW_OK)
        return status;
    ww_knn *s = calloc(1, sizeof *s);
    if (!s)
        return wwi_fail_memory(sizeof *s);
    s->options = o;
    s->run = run;
    s->info = (ww_knn_info)WW_KNN_INFO_INIT;
    s->context = base->context;
    wwi_context_retain(s->context);
    wwi_points_retain(base);
    wwi_points_retain(queries);
    s->base.points = base;
    s->queries.points = queries;
    s->shard.self = self;
    s->k = (uint32_t)k;
    s->precision = base->precision;
    s->value_bytes = wwi_precision_bytes(s->precision);
    s->info.pairs = (uint64_t)base->count * queries->count;
    const int code = metrics[o.metric].code;
    s->direct = code == 1 || code == 2 || code == 5 || code == 6;
    s->gpu = wwi_context_info(s->context)->type == WW_DEVICE_GPU;
    s->filter = choose_filter(s, base->words);
    set_margin(s);
    if ((status = wwi_knn_shard_take(shard, self, queries->count, base->count, o.metric, s->precision, &s->shard)) ==
            WW_OK &&
        (status = wwi_run_stream(s->context, &s->run, &s->stream)) == WW_OK && (status = compile(s)) == WW_OK)
        status = allocate(s);
    s->info.filter = filters[s->filter].name;
    if (status == WW_OK)
        *knn = s;
    else
        ww_knn_destroy(&s);
    return status;
}

// ---- running

// After a failure nothing that launches made, or were to make, is known to be there.
static void forget(ww_knn *s) {
    side *const sides[] = {&s->base, &s->queries};
    for (size_t i = 0; i < 2; i++) {
        wwi_slice_close(&sides[i]->window);
        wwi_buffer_destroy(&sides[i]->norms);
        wwi_buffer_destroy(&sides[i]->rows);
    }
    wwi_buffer_destroy(&s->base.halves); // the queries' are made anew for every block
}

// Opens a slice of a side and computes its norms.
static ww_status open_side(ww_knn *s, side *of, size_t first, size_t count) {
    ww_status status = wwi_points_slice(of->points, s->stream, first, count, &of->window);
    if (status != WW_OK || s->filter == FILTER_SETS ||
        (of->norms && of->normed_first == of->window.first && of->normed_count == of->window.count))
        return status;
    const uint64_t padded = wwi_points_padded(of->window.count);
    const uint32_t n = (uint32_t)of->window.count;
    uint32_t largest = 0;
    wwi_buffer_destroy(&of->norms);
    if ((status = wwi_buffer_create(s->context, padded * s->value_bytes, &of->norms)) != WW_OK)
        return status;
    const wwi_arg args[] = {WWI_BUFFER(of->window.values), WWI_BUFFER(s->mean),   WWI_VALUE(n),
                            WWI_VALUE(of->points->words),  WWI_BUFFER(of->norms), WWI_BUFFER(s->overflow)};
    if ((status = wwi_buffer_write(s->overflow, 0, 4, &largest)) != WW_OK ||
        (status = wwi_launch(s->norms, padded / WWI_TILE, WWI_TILE, args, sizeof args / sizeof *args)) != WW_OK ||
        (status = wwi_stream_read(s->stream, s->overflow, 0, 4, &largest)) != WW_OK)
        return status;
    float norm;
    memcpy(&norm, &largest, sizeof norm);
    if (!isfinite(norm) && !s->direct && s->precision == WW_FLOAT) {
        wwi_fail(WW_ERROR_OVERFLOW, "a point's squared norm is too large for float");
        return wwi_fail_hint("use double precision, or scale the points");
    }
    of->reach = sqrtf(norm) * 1.000001f;
    of->normed_first = of->window.first;
    of->normed_count = of->window.count;
    // Rows are made only where a side is on the device as a whole: once.
    if (!s->rows || of->rows || (s->shard.self && of == &s->queries))
        return WW_OK;
    const uint32_t stride = row_stride(s);
    if ((status = wwi_buffer_create(s->context, padded * stride * of->points->word_bytes, &of->rows)) != WW_OK)
        return status;
    const wwi_arg rows_args[] = {WWI_BUFFER(of->window.values), WWI_VALUE(of->points->words), WWI_VALUE(stride),
                                 WWI_BUFFER(of->rows)};
    return wwi_launch(s->make_rows, padded / WWI_TILE, WWI_TILE, rows_args, sizeof rows_args / sizeof *rows_args);
}

// One block of rows, and the part of the base that has been processed for it.
typedef struct block {
    size_t first, rows;  // queries
    size_t result;       // the first one's place in the arrays of the results
    uint32_t base_id;    // first point of the base's slice
    uint32_t base_count; // points of it
    uint64_t seen;       // points processed, in all slices
    uint32_t at;         // in this slice
    uint64_t most;       // points that a launch may take
    uint32_t growth;     // a chunk is this many quarters of the points seen
    uint32_t own, shift; // wwi_knn_shard_own()
    bool fresh;
} block;

static wwi_knn_job make_job(const ww_knn *s, const block *b, uint32_t count) {
    return (wwi_knn_job){
        .query_first = (uint32_t)(b->first - s->queries.window.first),
        .query_count = (uint32_t)b->rows,
        .base_first = b->at,
        .base_end = b->at + count,
        .base_id = b->base_id,
        .own = b->own,
        .dimension = s->base.points->words,
        .k = s->k,
        .capacity = s->capacity,
        .margin = s->margin,
        .reach = s->base.reach,
    };
}

static ww_status launch_exact(ww_knn *s, const block *b, const wwi_knn_job *job) {
    if (s->filter == FILTER_SETS) {
        const wwi_arg args[] = {WWI_BUFFER(s->queries.window.values),
                                WWI_BUFFER(s->queries.window.series),
                                WWI_BUFFER(s->base.window.values),
                                WWI_BUFFER(s->base.window.series),
                                WWI_VALUE(*job),
                                WWI_BUFFER(s->values)};
        return wwi_launch(s->filter_kernel, b->rows, s->row_group, args, sizeof args / sizeof *args);
    }
    wwi_buffer *const query_rows = s->shard.self ? s->base.rows : s->queries.rows;
    wwi_buffer *const queries = s->rows ? query_rows : s->queries.window.values;
    wwi_buffer *const base = s->rows ? s->base.rows : s->base.window.values;
    const wwi_arg args[] = {WWI_BUFFER(queries),       WWI_BUFFER(base),     WWI_BUFFER(s->queries.norms),
                            WWI_BUFFER(s->base.norms), WWI_VALUE(*job),      WWI_BUFFER(s->counts),
                            WWI_BUFFER(s->ids),        WWI_BUFFER(s->values)};
    return wwi_launch(s->exact, b->rows, s->row_group, args, sizeof args / sizeof *args);
}

static ww_status take_best(ww_knn *s, block *b, const wwi_knn_job *job) {
    const wwi_selection selection = {
        .values = s->values,
        .row_stride = s->capacity,
        .rows = b->rows,
        .columns = job->listed ? s->capacity : job->base_end - job->base_first,
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

// All of a chunk, exactly; at most `capacity` points.
static ww_status go_through_all(ww_knn *s, block *b, uint32_t count) {
    const wwi_knn_job job = make_job(s, b, count);
    const ww_status status = launch_exact(s, b, &job);
    s->info.examined += (uint64_t)b->rows * count;
    return status == WW_OK ? take_best(s, b, &job) : status;
}

// ---- the tensor filter

float wwi_tensor_scale(float reach) {
    if (!(reach < 1e18f))
        return 0;
    const int exponent = reach > 0 ? 6 - ilogbf(reach) : 0;
    return ldexpf(1, exponent > 60 ? 60 : exponent);
}

static float scale_of(const ww_knn *s, const side *of) {
    // Differences need one scale for both sides.
    const bool both = metrics[s->options.metric].code == 0;
    return wwi_tensor_scale(both ? fmaxf(s->base.reach, s->queries.reach) : of->reach);
}

// Halves of points [first, first + count) of a side's slice, padded to `rows` with zeros.
static ww_status make_halves(ww_knn *s, side *of, uint32_t first, uint32_t count, uint64_t rows) {
    const uint32_t for_queries = of == &s->queries;
    const float scale = scale_of(s, of);
    const wwi_arg args[] = {WWI_BUFFER(of->window.values),
                            WWI_BUFFER(s->mean),
                            WWI_BUFFER(of->norms),
                            WWI_VALUE(first),
                            WWI_VALUE(count),
                            WWI_VALUE(of->points->words),
                            WWI_VALUE(s->tensor.width),
                            WWI_VALUE(for_queries),
                            WWI_VALUE(scale),
                            WWI_BUFFER(of->halves)};
    return wwi_launch(s->make_halves, rows / 64, 64, args, sizeof args / sizeof *args);
}

// Computes the base's halves, once, and those of a block of queries. Both sides are on the device as a whole.
static ww_status make_all_halves(ww_knn *s, const block *b) {
    ww_status status;
    if (!s->base.halves) {
        const uint64_t padded = wwi_points_padded(s->base.window.count);
        if ((status = wwi_buffer_create(s->context, padded * s->tensor.width * 2, &s->base.halves)) != WW_OK)
            return status;
        if ((status = make_halves(s, &s->base, 0, (uint32_t)s->base.window.count, padded)) != WW_OK) {
            wwi_buffer_destroy(&s->base.halves);
            return status;
        }
    }
    return make_halves(s, &s->queries, (uint32_t)b->first, (uint32_t)b->rows, round_up(b->rows, s->group_rows));
}

static ww_status launch_tensor(ww_knn *s, const wwi_knn_job *job, uint64_t groups) {
    ww_status status;
    const tensor *t = &s->tensor;
    const uint32_t steps = t->width / 16, slot = s->base.points->words + 2;
    const float scale = scale_of(s, &s->queries), square_scale = scale * scale_of(s, &s->base);
    const wwi_arg cuts[] = {WWI_BUFFER(s->queries.norms),
                            WWI_BUFFER(s->best_values),
                            WWI_VALUE(*job),
                            WWI_VALUE(t->width),
                            WWI_VALUE(slot),
                            WWI_VALUE(scale),
                            WWI_VALUE(square_scale),
                            WWI_BUFFER(s->queries.halves)};
    const wwi_arg args[] = {
        WWI_BUFFER(s->queries.halves), WWI_BUFFER(s->base.halves), WWI_VALUE(*job),        WWI_VALUE(steps),
        WWI_BUFFER(s->counts),         WWI_BUFFER(s->ids),         WWI_BUFFER(s->overflow)};
    status = wwi_launch(s->make_cuts, (uint64_t)job->query_groups * s->group_rows / 64, 64, cuts,
                        sizeof cuts / sizeof *cuts);
    return status == WW_OK ? wwi_launch(s->filter_kernel, groups, s->group, args, sizeof args / sizeof *args) : status;
}

// Filters a chunk and computes the listed points. *full: some query's list was too short, and nothing was done.
static ww_status go_through_listed(ww_knn *s, block *b, uint32_t count, bool *full) {
    ww_status status;
    uint32_t flag = 0;
    wwi_knn_job job = make_job(s, b, count);
    job.listed = 1;
    job.query_groups = round_up(b->rows, s->group_rows) / s->group_rows;
    uint64_t part;
    if (s->filter == FILTER_VECTOR) {
        part = (UINT64_C(1) << 17) / (s->base.points->words * s->base.points->word_bytes);
    } else {
        // Several groups for each place on the device, so that little is idle at the end.
        const uint64_t wanted = wwi_context_info(s->context)->compute_units * GROUPS_A_UNIT;
        part = (uint64_t)count * job.query_groups / wanted;
        part = part < 1024 ? 1024 : part;
    }
    job.part = round_up(part < count ? part : count, WWI_TILE_PAIR);
    if (job.part == 0)
        job.part = WWI_TILE_PAIR;
    const uint64_t parts = (count + job.part - 1) / job.part;
    const wwi_arg args[] = {WWI_BUFFER(s->queries.window.values),
                            WWI_BUFFER(s->base.window.values),
                            WWI_BUFFER(s->queries.norms),
                            WWI_BUFFER(s->base.norms),
                            WWI_BUFFER(s->mean),
                            WWI_BUFFER(s->best_values),
                            WWI_VALUE(job),
                            WWI_BUFFER(s->counts),
                            WWI_BUFFER(s->ids),
                            WWI_BUFFER(s->overflow)};
    if ((status = wwi_buffer_fill_u32(s->counts, 0, b->rows * 4, 0)) != WW_OK ||
        (status = wwi_buffer_fill_u32(s->overflow, 0, 4, 0)) != WW_OK ||
        (status = s->filter == FILTER_TENSOR ? launch_tensor(s, &job, job.query_groups * parts)
                                             : wwi_launch(s->filter_kernel, job.query_groups * parts, s->group, args,
                                                          sizeof args / sizeof *args)) != WW_OK ||
        (status = wwi_stream_read(s->stream, s->overflow, 0, 4, &flag)) != WW_OK)
        return status;
    *full = flag != 0;
    if (*full)
        return WW_OK;
    return (status = launch_exact(s, b, &job)) == WW_OK ? take_best(s, b, &job) : status;
}

// Searches the base's slice for one block of rows.
static ww_status go_through_window(ww_knn *s, block *b) {
    ww_status status = WW_OK;
    while (status == WW_OK && b->at < b->base_count) {
        const uint32_t left = b->base_count - b->at;
        uint64_t chunk = b->seen * b->growth / 4;
        chunk = chunk > b->most ? b->most : chunk;
        chunk = chunk / WWI_TILE_PAIR * WWI_TILE_PAIR;
        chunk = chunk < WWI_TILE_PAIR ? WWI_TILE_PAIR : chunk;
        const double start = wwi_seconds();
        if (b->seen <= s->k || chunk <= s->first_chunk || computes_all(s)) {
            const uint32_t all = computes_all(s) || b->most < s->first_chunk ? s->capacity : s->first_chunk;
            chunk = all < left ? all : left;
            status = go_through_all(s, b, (uint32_t)chunk);
            if (b->most < chunk * 2)
                b->most = chunk * 2;
        } else {
            bool full = false;
            chunk = chunk < left ? chunk : left;
            status = go_through_listed(s, b, (uint32_t)chunk, &full);
            if (full) {
                b->most = chunk / 4;
                b->growth = b->growth > 2 ? b->growth / 2 : 1;
                continue;
            }
            b->most = wwi_pace_next(&s->pace, chunk, wwi_seconds() - start);
            if (b->most > chunk * 8)
                b->most = chunk * 8;
        }
        b->at += (uint32_t)chunk;
        b->seen += chunk;
        if (status == WW_OK)
            status = wwi_pace_report(&s->pace, chunk * b->rows);
    }
    return status;
}

// Copies the results of a block to the caller.
static ww_status fetch(ww_knn *s, const block *b, int64_t *ids, void *distances, uint32_t *found) {
    const size_t first = b->result, from = first * s->k;
    unsigned char *const values = (unsigned char *)distances;
    const ww_status status =
        wwi_results_fetch(s->best_ids, s->best_values, b->rows, s->k, s->precision, s->options.metric == WW_METRIC_L2,
                          ids + from, values ? values + from * s->value_bytes : NULL, NULL);
    if (status == WW_OK)
        wwi_knn_shard_place(&s->shard, b->first, b->rows, s->k, b->shift, ids + from,
                            values ? values + from * s->value_bytes : NULL);
    for (size_t r = first; status == WW_OK && found && r < first + b->rows; r++)
        found[r] = wwi_count_found(ids + r * s->k, s->k);
    return status;
}

static ww_status run_block(ww_knn *s, size_t first, size_t rows, size_t result, int64_t *ids, void *distances,
                           uint32_t *found) {
    ww_status status = WW_OK;
    block b = {.first = first,
               .rows = rows,
               .result = result,
               .most = UINT64_C(1) << 20,
               .growth = s->gpu ? 12 : 4,
               .fresh = true};
    b.own = wwi_knn_shard_own(&s->shard, first, rows, s->base.points->count, &b.shift);
    if (s->shard.initial) {
        b.fresh = false;
        status = wwi_knn_shard_seed(&s->shard, first, rows, s->k, s->best_values, s->best_ids);
    }
    for (size_t at = 0, count; status == WW_OK && at < s->base.points->count; at += count) {
        count = wwi_points_slice_limit(s->base.points, at);
        if ((status = open_side(s, &s->base, at, count)) != WW_OK)
            break;
        b.base_id = (uint32_t)at + b.shift;
        b.base_count = (uint32_t)count;
        b.at = 0;
        if (s->filter == FILTER_TENSOR)
            status = make_all_halves(s, &b);
        if (status == WW_OK)
            status = go_through_window(s, &b);
    }
    return status == WW_OK ? fetch(s, &b, ids, distances, found) : status;
}

// Queries [from, end); their results begin where the arrays do.
static ww_status run_queries(ww_knn *s, size_t from, size_t end, int64_t *ids, void *distances, uint32_t *found) {
    ww_status status = WW_OK;
    const double start = wwi_seconds();
    wwi_stream_start(s->stream);
    s->info.examined = 0;
    s->pace = wwi_pace_make(s->stream, s->run.launch_seconds, s->run.progress, s->run.progress_user);
    wwi_pace_start(&s->pace, (uint64_t)(end - from) * s->base.points->count);
    for (size_t at = 0, count; status == WW_OK && at < end; at += count) {
        count = wwi_points_slice_limit(s->queries.points, at);
        if (at + count <= from)
            continue;
        if ((status = open_side(s, &s->queries, at, count)) != WW_OK)
            break;
        const size_t last = at + count < end ? at + count : end;
        for (size_t first = at > from ? at : from, rows; status == WW_OK && first < last; first += rows) {
            rows = last - first < s->most_rows ? last - first : s->most_rows;
            status = run_block(s, first, rows, first - from, ids, distances, found);
        }
    }
    status = wwi_finish_after(s->stream, status);
    if (status != WW_OK)
        forget(s);
    s->info.seconds_device = wwi_stream_seconds(s->stream);
    s->info.launches = wwi_stream_launches(s->stream);
    s->info.seconds_wall = wwi_seconds() - start;
    return status;
}

ww_status ww_knn_run(ww_knn *s, int64_t *ids, void *distances, uint32_t *found) {
    if (!s || !ids)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "knn or ids is NULL");
    void *own = NULL; // distances tell what is farther than an initial one
    if (s->shard.initial && !distances && !(own = malloc(s->queries.points->count * s->k * s->value_bytes)))
        return wwi_fail_memory(s->queries.points->count * s->k * s->value_bytes);
    const ww_status status = run_queries(s, 0, s->queries.points->count, ids, distances ? distances : own, found);
    free(own);
    return status;
}

ww_status wwi_knn_run_rows(ww_knn *s, size_t first, size_t rows, int64_t *ids, void *distances) {
    return run_queries(s, first, first + rows, ids, distances, NULL);
}

ww_status ww_knn_get_info(const ww_knn *knn, ww_knn_info *info) {
    if (!knn || !info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "knn or info is NULL");
    return wwi_struct_give(info, &knn->info, "ww_knn_info");
}

ww_status ww_knn_find(ww_context *context, const ww_point_view *base, const ww_point_view *queries, size_t k,
                      ww_metric metric, ww_precision precision, int64_t *ids, void *distances) {
    ww_status status;
    ww_points *base_points = NULL, *query_points = NULL;
    ww_knn *search = NULL;
    ww_points_options points_options = WW_POINTS_OPTIONS_INIT;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    points_options.precision = precision;
    options.metric = metric;
    if ((status = ww_points_create(context, base, &points_options, &base_points)) == WW_OK && queries)
        status = ww_points_create(context, queries, &points_options, &query_points);
    if (status == WW_OK)
        status = ww_knn_create(base_points, query_points, k, &options, &search);
    if (status == WW_OK)
        status = ww_knn_run(search, ids, distances, NULL);
    ww_knn_destroy(&search);
    ww_points_destroy(&query_points);
    ww_points_destroy(&base_points);
    return status;
}

int wwi_metric_code(ww_metric metric) {
    return metrics[metric].code;
}
