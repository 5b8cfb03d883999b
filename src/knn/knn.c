// SPDX-License-Identifier: Apache-2.0
// Exact search: the metrics, the choice of a filter, and what a search allocates. How it runs is in knn_run.c.
#include <float.h>
#include <math.h>
#include <string.h>
#include <wavewarp/knn.h>

#include "base/run.h"
#include "knn/knn_search.h"
#include "options.h"

static const struct {
    const char *name, *file, *kernel;
} filters[] = {{"narrow", "knn/knn_narrow.cl", "ww_knn_narrow"},
               {"wide", "knn/knn_wide.cl", "ww_knn_wide"},
               {"vector", "knn/knn_vector.cl", "ww_knn_vector"},
               {"tensor", "knn/knn_tensor.cl", "ww_knn_tensor"},
               {"sets", "knn/knn_sets.cl", "ww_knn_sets"},
               {"all", NULL, NULL}}; // none: the exact kernel computes every pair

// ---- metrics

static const struct {
    ww_point_kind kind;
    int code; // WW_METRIC of the kernels
} metrics[] = {[WW_METRIC_L2] = {WW_POINTS_NUMBERS, WWK_METRIC_L2_SQUARED},
               [WW_METRIC_L2_SQUARED] = {WW_POINTS_NUMBERS, WWK_METRIC_L2_SQUARED},
               [WW_METRIC_L1] = {WW_POINTS_NUMBERS, WWK_METRIC_L1},
               [WW_METRIC_LINF] = {WW_POINTS_NUMBERS, WWK_METRIC_LINF},
               [WW_METRIC_COSINE] = {WW_POINTS_NUMBERS, WWK_METRIC_COSINE},
               [WW_METRIC_INNER_PRODUCT] = {WW_POINTS_NUMBERS, WWK_METRIC_INNER_PRODUCT},
               [WW_METRIC_HAMMING] = {WW_POINTS_BITS, WWK_METRIC_HAMMING},
               [WW_METRIC_JACCARD] = {WW_POINTS_SETS, WWK_METRIC_L2_SQUARED},
               [WW_METRIC_JACCARD_BITS] = {WW_POINTS_BITS, WWK_METRIC_JACCARD_BITS},
               [WW_METRIC_MINKOWSKI] = {WW_POINTS_NUMBERS, WWK_METRIC_MINKOWSKI},
               [WW_METRIC_CANBERRA] = {WW_POINTS_NUMBERS, WWK_METRIC_CANBERRA},
               [WW_METRIC_BRAY_CURTIS] = {WW_POINTS_NUMBERS, WWK_METRIC_BRAY_CURTIS},
               [WW_METRIC_NAN_L2] = {WW_POINTS_NUMBERS, WWK_METRIC_NAN_L2},
               [WW_METRIC_CORRELATION] = {WW_POINTS_NUMBERS, WWK_METRIC_CORRELATION}};
// Of numbers, and every pair is computed: knn/knn_every.cl.
static bool computes_every(ww_metric metric) {
    return metrics[metric].code >= WWK_METRIC_MINKOWSKI;
}
#define METRICS (sizeof metrics / sizeof *metrics)

enum { LEAST_TENSOR = 5 }; // fewest coordinates for matrix units

ww_point_kind ww_metric_kind(ww_metric metric) {
    return (unsigned)metric < METRICS ? metrics[metric].kind : WW_POINTS_NUMBERS;
}

// ---- points at odd scales

static ww_status fail_scale(ww_status status, const char *what, ww_metric metric, ww_precision precision) {
    wwi_fail(status, "%s for %s in %s", what, ww_word(WW_WORD_METRIC, metric), ww_word(WW_WORD_PRECISION, precision));
    return wwi_fail_hint("%smultiply all coordinates by the same power of two, which changes no digit and no neighbour",
                         precision == WW_FLOAT ? "use double precision, or " : "");
}

ww_status wwi_knn_check_scale(ww_metric metric, ww_precision precision, size_t dimension, double largest) {
    const int code = metrics[metric].code;
    const double top = precision == WW_DOUBLE ? DBL_MAX : (double)FLT_MAX;
    const double least = precision == WW_DOUBLE ? DBL_MIN / DBL_EPSILON : (double)(FLT_MIN / FLT_EPSILON);
    const bool square = code == WWK_METRIC_L2_SQUARED || code == WWK_METRIC_INNER_PRODUCT || code == WWK_METRIC_NAN_L2;
    const bool sum = code == WWK_METRIC_L1 || code == WWK_METRIC_CANBERRA || code == WWK_METRIC_BRAY_CURTIS;
    if (metrics[metric].kind != WW_POINTS_NUMBERS)
        return WW_OK;
    // Of a direction wwi_knn_read_norms() looks at each point, but not at what float has made 0.
    if (code == WWK_METRIC_COSINE || code == WWK_METRIC_CORRELATION)
        return largest > 0 && precision == WW_FLOAT && largest < (double)FLT_MIN
                   ? fail_scale(WW_ERROR_UNSUPPORTED, "the points' coordinates are all too small", metric, precision)
                   : WW_OK;
    if (largest > 0 && (square ? largest * largest : largest) < least)
        return fail_scale(WW_ERROR_UNSUPPORTED, "the points' coordinates are all too small", metric, precision);
    if (code == WWK_METRIC_NAN_L2 && largest > sqrt(top / (double)dimension) / 4)
        return fail_scale(WW_ERROR_OVERFLOW, "a point's coordinate is too large", metric, precision);
    if ((sum || code == WWK_METRIC_LINF) && largest > top / 2 / (sum ? (double)dimension : 1))
        return fail_scale(WW_ERROR_OVERFLOW, "a point's coordinate is too large", metric, precision);
    return WW_OK;
}

ww_status wwi_knn_read_norms(wwi_stream *stream, wwi_buffer *buffer, ww_metric metric, ww_precision precision,
                             float *largest) {
    uint32_t read[2];
    WWI_TRY(wwi_stream_read(stream, buffer, 0, sizeof read, read));
    memcpy(largest, read, sizeof *largest);
    if (read[1] & 1)
        return fail_scale(WW_ERROR_OVERFLOW, "a point's squared norm is too large", metric, precision);
    if (read[1] & 2)
        return fail_scale(WW_ERROR_UNSUPPORTED, "a point's squared norm is too small", metric, precision);
    return WW_OK;
}

// ---- making a search

static void side_free(knn_side *s) {
    WWI_KERNELS_DESTROY(&s->make.norms, &s->make.rows, &s->make.halves);
    wwi_slice_close(&s->window);
    wwi_slice_close(&s->stored);
    WWI_BUFFERS_DESTROY(&s->norms, &s->rows, &s->halves, &s->wide);
    ww_points_destroy(&s->points);
}

void ww_knn_destroy(ww_knn **knn) {
    ww_knn *s = wwi_taken(knn);
    if (!s)
        return;
    WWI_TEAM_CLOSE(ww_knn, s->team, s);
    WWI_BUFFERS_DESTROY(&s->counts, &s->ids, &s->values, &s->best_values, &s->best_ids, &s->overflow, &s->mean);
    wwi_selector_destroy(&s->selector);
    WWI_KERNELS_DESTROY(&s->filter_kernel, &s->exact, &s->make_cuts);
    side_free(&s->queries);
    side_free(&s->base);
    wwi_program_release(&s->program);
    wwi_program_release(&s->wide_program);
    wwi_stream_destroy(&s->stream);
    wwi_context_release(s->context);
    wwi_knn_shard_free(&s->shard);
    free(s->places);
    free(s);
}

static ww_status check_points(const ww_points *base, const ww_points *queries, ww_metric metric) {
    if (base->kind != metrics[metric].kind || queries->kind != metrics[metric].kind) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the metric %s is not for points of this kind",
                 ww_word(WW_WORD_METRIC, metric));
        return wwi_fail_hint("hamming and jaccard-bits are for bits, jaccard for sets, the others are for numbers");
    }
    if ((base->missing || queries->missing) && metric != WW_METRIC_NAN_L2) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the metric %s is not for points with missing coordinates",
                 ww_word(WW_WORD_METRIC, metric));
        return wwi_fail_hint("nan-l2 is");
    }
    if (base->context != queries->context || base->precision != queries->precision)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "queries and base have different contexts or precisions");
    if (base->dimension != queries->dimension)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the queries have %zu coordinates, the base has %zu",
                        queries->dimension, base->dimension);
    return WW_OK;
}

// Minkowski's p, and whether the sums of powers are numbers of the precision that have their digits.
static ww_status take_power(ww_knn_options *o, const ww_points *base, double largest) {
    const bool doubles = base->precision == WW_DOUBLE;
    const double most = doubles ? DBL_MAX_EXP : FLT_MAX_EXP, least = doubles ? DBL_MIN_EXP + 52 : FLT_MIN_EXP + 23;
    o->p = o->p != 0 ? o->p : 2;
    if (o->metric != WW_METRIC_MINKOWSKI)
        return WW_OK;
    if (!(o->p >= 1 && o->p <= 1e6))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.p is %g; Minkowski's p is at least 1 (linf is its limit)",
                        o->p);
    if (largest > 0 && o->p * (log2(largest) + 1) + log2((double)base->dimension) >= most)
        return fail_scale(WW_ERROR_OVERFLOW, "a coordinate's power is too large", o->metric, base->precision);
    if (largest > 0 && o->p * log2(largest) < least)
        return fail_scale(WW_ERROR_UNSUPPORTED, "the coordinates' powers are too small", o->metric, base->precision);
    return WW_OK;
}

// Points of both sides.
static uint64_t both_sides(const ww_knn *s) {
    return wwi_points_padded(s->base.points->count) + (s->shard.self ? 0 : wwi_points_padded(s->queries.points->count));
}

// False: the sides are not on the device as a whole, or so many bytes for each point would leave too little memory.
static bool has_room(const ww_knn *s, uint64_t of_a_point) {
    return s->base.points->tiles && s->queries.points->tiles &&
           both_sides(s) * of_a_point <= wwi_memory_share(s->context, 4, wwi_ceil_div(s->run.max_bytes, 4));
}

// Rows of as many halves as the coordinates and four more need, in registers where they are few.
static void cut_tensor(ww_knn *s) {
    knn_tensor *t = &s->tensor;
    t->width = wwi_knn_round_up(s->base.points->words + 4, 16);
    t->steps = t->width <= 64 ? t->width / 16 : 0;
    t->down = t->steps == 1 || t->steps == 2 ? 8 : 4;
    t->across = t->steps ? 1 : 4;
}

// form.filter: 1 narrow, 2 wide, 3 vector, 4 tensor.
static knn_filter choose_filter(ww_knn *s, uint32_t dimension) {
    static const knn_filter named[] = {FILTER_NARROW, FILTER_WIDE, FILTER_VECTOR, FILTER_TENSOR};
    const uint32_t most_narrow = s->precision == WW_DOUBLE ? 10 : 32;
    const long forced = wwi_forced(s->context, "form.filter", 4, 0);
    if (s->base.points->kind == WW_POINTS_SETS)
        return FILTER_SETS;
    if (s->options.metric == WW_METRIC_JACCARD_BITS || computes_every(s->options.metric))
        return FILTER_ALL;
    cut_tensor(s);
    const bool possible = !s->direct && has_room(s, s->tensor.width * 2);
    if (forced > 0 && !(forced == 1 && dimension > most_narrow) && !(forced == 4 && !possible))
        return named[forced - 1];
    if (!s->gpu)
        return FILTER_VECTOR;
    if (possible && dimension >= LEAST_TENSOR && wwi_context_mma(s->context))
        return FILTER_TENSOR;
    return dimension <= most_narrow ? FILTER_NARROW : FILTER_WIDE;
}

// What a filter's kernel is compiled for: queries of a work-item, lanes of a vector, the dimension or 0.
typedef struct shape {
    uint32_t queries, vector, fixed;
} shape;

// Also gives the sizes of the filter's groups.
static shape choose_shape(ww_knn *s) {
    const uint32_t d = s->base.points->words;
    const bool doubles = s->precision == WW_DOUBLE;
    shape of = {8, 1, 0};
    s->group = 256;
    s->group_rows = WWI_TILE_PAIR;
    switch (s->filter) {
    case FILTER_SETS:
    case FILTER_ALL:
        of.vector = s->row_group > 1 ? 1 : doubles && s->base.points->kind == WW_POINTS_NUMBERS ? 8 : 16;
        s->group = s->row_group;
        s->group_rows = 1;
        break;
    case FILTER_VECTOR:
        of.vector = doubles ? 8 : 16;
        of.fixed = d <= 64 ? d : 0;
        s->group = 1;
        s->group_rows = WWI_TILE;
        break;
    case FILTER_NARROW:
        of.queries = doubles ? 2 : d <= 12 ? 8 : d <= 20 ? 6 : 4;
        of.fixed = d;
        s->group = (uint32_t)wwi_tuning_for(s->context, s->precision, "knn.group", 128);
        s->group_rows = s->group * of.queries;
        break;
    case FILTER_WIDE:
        break;
    case FILTER_TENSOR:
        s->group_rows = (s->tensor.steps ? s->group / 32 : 2) * s->tensor.down * 16;
        break;
    }
    return of;
}

// A power in halves, where it is a multiple of 1/2 and small; else 0.
static int64_t halves_of(double p) {
    return p <= 8 && 2 * p == floor(2 * p) ? (int64_t)(2 * p) : 0;
}

// The bits of a number as its precision has it.
static int64_t bits_of(double value, bool doubles) {
    const float narrow = (float)value;
    int64_t bits = 0;
    if (doubles)
        memcpy(&bits, &value, sizeof value);
    else
        memcpy(&bits, &narrow, sizeof narrow);
    return bits;
}

// A program for a base whose coordinates are stored so.
static ww_status make_program(ww_knn *s, shape of, ww_element stored, wwi_program **program) {
    const bool doubles = s->precision == WW_DOUBLE, halves = s->filter == FILTER_TENSOR;
    const bool nvidia = strstr(wwi_context_info(s->context)->vendor, "NVIDIA") != NULL;
    const bool every = computes_every(s->options.metric);
    const double p = s->options.p;
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "knn/knn_args.h", "knn/knn.cl", "knn/knn_points.cl",
                  every ? "knn/knn_every.cl" : "knn/knn_exact.cl", "base/vendor.cl", "knn/knn_halves.cl",
                  filters[s->filter].file},
        .defines =
            WWI_LIST({"WWK_DOUBLE", doubles}, {"WW_METRIC", metrics[s->options.metric].code}, {"WW_DIRECT", s->direct},
                     {"WW_CENTRE", s->centred}, {"WW_D", of.fixed}, {"WW_WG", s->group}, {"WW_ROW_WG", s->row_group},
                     {"WW_QUERIES", of.queries}, {"WW_VECTOR", of.vector}, {"WW_EXACT_ROWS", s->rows},
                     {"WW_MMA", halves && wwi_context_mma(s->context)}, {"WW_STEPS", s->tensor.steps},
                     {"WW_DOWN16", s->tensor.down}, {"WW_ACROSS8", s->tensor.across}, {"WW_P_WHOLE", halves_of(p) / 2},
                     {"WW_P_HALF", halves_of(p) % 2}, {"WW_P_BITS", bits_of(p, doubles)}, {"WW_STORED", stored}),
        // So that two groups of 256 share a multiprocessor; kernels above this limit exceed it by a few registers.
        .more = nvidia && s->filter == FILTER_WIDE && !s->direct && !doubles ? "-cl-nv-maxrregcount=128" : NULL,
    };
    return wwi_program_make(s->context, s->stream, &parts, program);
}

static ww_status make_side(const ww_knn *s, wwi_program *program, knn_side *of) {
    const wwi_named_kernel kernels[] = {{&of->make.norms, "ww_knn_norms"},
                                        {&of->make.rows, "ww_knn_rows"},
                                        {s->filter == FILTER_TENSOR ? &of->make.halves : NULL, "ww_tensor_rows"},
                                        {NULL, NULL}};
    return wwi_kernels_make(s->stream, program, kernels);
}

static ww_status compile(ww_knn *s) {
    const bool halves = s->filter == FILTER_TENSOR;
    s->row_group = (uint32_t)wwi_tuning_for(s->context, s->precision, "knn.row_group", s->gpu ? 64 : 1);
    s->rows =
        s->filter != FILTER_SETS && s->row_group > 1 && has_room(s, wwi_knn_row_stride(s) * s->base.points->word_bytes);
    const shape of = choose_shape(s);
    const wwi_named_kernel kernels[] = {
        {&s->exact, "ww_knn_exact"},
        {halves ? &s->make_cuts : NULL, "ww_tensor_cuts"},
        {filters[s->filter].kernel ? &s->filter_kernel : NULL, filters[s->filter].kernel},
        {NULL, NULL}};
    WWI_TRY(make_program(s, of, s->base.points->element, &s->program));
    WWI_TRY(wwi_kernels_make(s->stream, s->program, kernels));
    WWI_TRY(make_side(s, s->program, &s->base));
    // Queries are as sums have them.
    if (wwi_points_are_narrow(s->base.points))
        WWI_TRY(make_program(s, of, WW_ELEMENT_PRECISION, &s->wide_program));
    WWI_TRY(make_side(s, s->wide_program ? s->wide_program : s->program, &s->queries));
    return wwi_selector_create(s->context, s->stream, s->precision, s->k, &s->selector);
}

// The error of the filter's sums; see docs/knn.md.
static void set_margin(ww_knn *s) {
    const double unit = s->precision == WW_DOUBLE ? DBL_EPSILON : FLT_EPSILON;
    const double d = (double)s->base.points->words;
    const ww_points *b = s->base.points;
    s->allowed.margin = (float)((2 * d + 16) * unit);
    // (|q| + |c|)^2 is at most 2 |q|^2 + 2 |c|^2; |q| |c| at most (|q|^2 / r + r |c|^2) / 2, with r the usual |q| /
    // |c|.
    const double q = s->queries.points->mean_norm + s->queries.points->variance, c = b->mean_norm + b->variance;
    const float ratio = q > 0 && c > 0 ? (float)fmin(fmax(sqrt(q / c), 1e-6), 1e6) : 1;
    const bool product = s->options.metric == WW_METRIC_INNER_PRODUCT;
    // Sums start at -1/2 of what is stored. (The tensor filter has bounds of its own.)
    const double margin = (double)s->allowed.margin;
    const bool alone = s->direct || s->filter == FILTER_TENSOR || metrics[s->options.metric].code == WWK_METRIC_COSINE;
    s->allowed.base = alone ? 1 : product ? -margin * (double)ratio : 1 - 4 * margin;
    s->allowed.slack = product ? s->allowed.margin / ratio / 2 : 2 * s->allowed.margin;
    // Sums of products lose digits when all points are far from the origin, those of halves the most.
    s->centred = !s->direct && metrics[s->options.metric].code == WWK_METRIC_L2_SQUARED &&
                 b->kind == WW_POINTS_NUMBERS && (s->filter == FILTER_TENSOR || b->mean_norm > 16 * b->variance);
}

// How many rows are processed at a time, of so many bytes each; `point_bytes` of each point are needed besides.
static size_t choose_rows(const ww_knn *s, uint64_t row_bytes, uint64_t point_bytes) {
    // The memory that the first run needs for the points besides these buffers: has_room() has checked that it is less
    // than the free memory.
    const uint64_t later = both_sides(s) * point_bytes, available = wwi_context_bytes_free(s->context);
    uint64_t budget = wwi_least((available > later ? available - later : 0) / 2, wwi_context_max_buffer(s->context));
    if (s->run.max_bytes)
        budget = wwi_least(budget, s->run.max_bytes);
    // A GPU is fastest with as many rows as possible; on a CPU the lists should stay in the caches.
    if (!s->gpu)
        budget = wwi_least(budget, UINT64_C(16) << 20);
    const uint64_t pairs = budget / row_bytes / WWI_TILE_PAIR;
    return (size_t)wwi_least((pairs ? pairs : 1) * WWI_TILE_PAIR, wwi_points_padded(s->queries.points->count));
}

// Sizes of chunks and lists, and the scratch for as many rows as may be processed at a time.
static ww_status allocate(ww_knn *s) {
    const uint32_t least_chunk = s->gpu ? 256 : 128, k = s->k;
    s->room.first_chunk = wwi_knn_round_up(k * 2 > least_chunk ? k * 2 : least_chunk, WWI_TILE_PAIR);
    s->room.capacity =
        wwi_knn_round_up(k * 6 + 128 > s->room.first_chunk ? k * 6 + 128 : s->room.first_chunk, WWI_TILE_PAIR);
    if (wwi_knn_computes_all(s) && s->room.capacity < 4096)
        s->room.capacity = 4096;
    const uint64_t halves = s->filter == FILTER_TENSOR ? s->tensor.width * 2 : 0;
    const uint64_t listed = s->filter == FILTER_SETS ? 0 : 4; // bytes of an entry's id
    const uint64_t in_rows = s->rows ? wwi_knn_row_stride(s) * s->base.points->word_bytes : 0;
    const uint64_t wide = wwi_points_are_narrow(s->queries.points) ? 2 * wwi_knn_row_stride(s) * s->value_bytes : 0;
    const uint64_t row_bytes =
        s->room.capacity * (s->value_bytes + listed) + k * (s->value_bytes + 4) + 4 + halves + wide;
    const uint64_t rows = s->room.most_rows = choose_rows(s, row_bytes, in_rows + halves);
    WWI_TRY(WWI_GROW(s->context, {&s->values, rows * s->room.capacity * s->value_bytes},
                     {&s->ids, listed ? rows * s->room.capacity * listed : 4}, {&s->counts, rows * 4},
                     {&s->best_values, rows * k * s->value_bytes}, {&s->best_ids, rows * k * 4}, {&s->overflow, 8}));
    if (halves)
        WWI_TRY(wwi_buffer_create(s->context, wwi_knn_round_up(rows, s->group_rows) * halves, &s->queries.halves));
    return wwi_points_send_mean(s->context, s->precision, s->base.points->mean, s->centred ? s->base.points->words : 0,
                                (s->base.points->words ? s->base.points->words : 1) * s->value_bytes, &s->mean);
}

// queries NULL: the base's own points, each without itself.
static ww_status make_search(ww_points *base, ww_points *queries, size_t k, const ww_nearest_shard *shard,
                             const ww_knn_options *o, ww_knn **knn) {
    const bool self = !queries;
    if (self)
        queries = base;
    WWI_ENDS(ww_knn_destroy) ww_knn *s = NULL;
    WWI_TRY(wwi_new_zeroed(s, 1));
    s->options = *o;
    s->options.subset = NULL;
    s->options.subset_bits = NULL;
    WWI_TRY(wwi_run_take(o->run, &s->run));
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
    const int code = metrics[o->metric].code;
    s->direct = code == WWK_METRIC_L1 || code == WWK_METRIC_LINF || s->base.points->kind == WW_POINTS_BITS;
    s->gpu = wwi_is_gpu(s->context);
    s->filter = choose_filter(s, base->words);
    set_margin(s);
    s->info.filter = filters[s->filter].name;
    WWI_TRY(wwi_knn_shard_take(shard, self, queries->count, base->count, o->metric, s->precision, &s->shard));
    WWI_TRY(wwi_run_stream(s->context, &s->run, &s->stream));
    WWI_TRY(compile(s));
    WWI_TRY(allocate(s));
    *knn = wwi_taken(&s);
    return WW_OK;
}

// The same in a part of the base. With queries NULL it has all points as queries, of which those in the part would find
// themselves: one neighbour more is searched for, and the run drops them.
static ww_status make_subset_search(ww_points *base, ww_points *queries, size_t k, const ww_knn_options *o,
                                    ww_knn **knn) {
    WWI_ENDS(ww_points_destroy) ww_points *part = NULL;
    WWI_FREES uint32_t *places = NULL;
    size_t count = 0;
    WWI_TRY(wwi_points_places(base, o->subset, o->subset_count, o->subset_bits, &places, &count));
    WWI_TRY(wwi_points_select(base, places, count, &part));
    WWI_TRY(make_search(part, queries ? queries : base, queries ? k : k + 1, NULL, o, knn));
    (*knn)->places = wwi_taken(&places);
    (*knn)->drops_self = !queries;
    return WW_OK;
}

ww_status wwi_knn_create_alone(ww_points *base, ww_points *queries, size_t k, const ww_nearest_shard *shard,
                               const ww_knn_options *options, ww_knn **knn) {
    ww_knn_options o = WW_KNN_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(&o, options, "ww_knn_options"));
    const bool is_part = o.subset || o.subset_bits;
    if (k < 1 || k > WW_KNN_MOST)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is %zu; it can be 1 to %d", k, WW_KNN_MOST);
    if ((unsigned)o.metric >= METRICS)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.metric is %d", (int)o.metric);
    if (o.subset && o.subset_bits)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options has both subset and subset_bits");
    if (shard && (is_part || base->ids)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a base with a subset or with ids of its own has no shards");
        return wwi_fail_hint(
            "search the part as a base of its own: ww_neighbours_merge() joins by distance and then by id");
    }
    WWI_TRY(check_points(base, queries ? queries : base, o.metric));
    const double largest = queries ? fmax(base->largest, queries->largest) : base->largest;
    WWI_TRY(wwi_knn_check_scale(o.metric, base->precision, base->dimension, largest));
    WWI_TRY(take_power(&o, base, largest));
    return is_part ? make_subset_search(base, queries, k, &o, knn) : make_search(base, queries, k, shard, &o, knn);
}

WWI_GIVES_INFO(knn, knn)

int wwi_metric_code(ww_metric metric) {
    return metrics[metric].code;
}
