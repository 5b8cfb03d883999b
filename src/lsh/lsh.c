// SPDX-License-Identifier: Apache-2.0
// A hashing index: its options, the random coefficients of its functions, its blocks of points. Searches are in
// lsh_search.c.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "data/dataset.h"
#include "lsh/lsh_index.h"
#include "options.h"

// Coordinates that matrix units are used for, and those compared without norms.
enum { LEAST_TENSOR = 5, MOST_TENSOR = 62, MOST_DIRECT = 12 };

// All blocks but the first `left`.
static void drop_blocks(ww_lsh *h, size_t left) {
    while (h->block_count > left) {
        wwi_lsh_block *block = &h->blocks[--h->block_count];
        block->keep = false;
        wwi_lsh_block_close(block);
        ww_points_destroy(&block->points);
    }
}

void ww_lsh_destroy(ww_lsh **lsh) {
    ww_lsh *h = wwi_taken(lsh);
    if (!h)
        return;
    WWI_TEAM_CLOSE(ww_lsh, h->team, h);
    drop_blocks(h, 0);
    WWI_BUFFERS_DESTROY(&h->device_coefficients, &h->masks, &h->device_mean, &h->largest, &h->removed.sent);
    WWI_KERNELS_DESTROY(&h->kernels.keys, &h->kernels.count, &h->kernels.block_sums, &h->kernels.scan_sums,
                        &h->kernels.write_offsets, &h->kernels.scatter, &h->kernels.tasks, &h->kernels.start,
                        &h->kernels.merge, &h->kernels.rows, &h->kernels.halves, &h->kernels.join, &h->kernels.gather,
                        &h->kernels.exact, &h->kernels.norms);
    wwi_program_release(&h->program);
    wwi_stream_destroy(&h->stream);
    wwi_context_release(h->context);
    free(h->blocks);
    free(h->removed.bits);
    free(h->mean);
    free(h->coefficients);
    free(h);
}

// ---- random coefficients

// Number `at` of the stream `seed`.
static uint64_t draw_bits(uint64_t seed, uint64_t at) {
    uint64_t state = seed * UINT64_C(0xd1342543de82ef95) + at * UINT64_C(0x9e3779b97f4a7c15);
    return wwi_random(&state);
}

// From 0 to 1 exclusive.
static double uniform(uint64_t seed, uint64_t at) {
    return ((double)(draw_bits(seed, at) >> 12) + 0.5) * 0x1p-52;
}

static double draw(const ww_lsh_options *o, uint64_t at) {
    const double pi = 3.14159265358979323846;
    if (o->metric == WW_METRIC_L1)
        return tan(pi * (uniform(o->seed, 2 * at) - 0.5));
    return sqrt(-2 * log(uniform(o->seed, 2 * at))) * cos(2 * pi * uniform(o->seed, 2 * at + 1));
}

// Numbers of a function: a (and behind it b), divided by the width; the bit that is sampled; a permutation's two words.
static uint64_t function_numbers(const ww_lsh *h) {
    return h->family == WWK_FAMILY_BITS ? 1 : h->family == WWK_FAMILY_SETS ? 2 : (uint64_t)h->words + 1;
}

static void draw_coefficients(ww_lsh *h) {
    const ww_lsh_options *o = &h->options;
    const uint64_t row = function_numbers(h), total = (uint64_t)o->tables * o->functions * row;
    for (uint64_t at = 0; at < total; at++) {
        if (h->family >= WWK_FAMILY_BITS) {
            ((uint32_t *)h->coefficients)[at] = h->family == WWK_FAMILY_SETS
                                                    ? (uint32_t)(draw_bits(o->seed, at) >> 32)
                                                    : (uint32_t)(uniform(o->seed, at) * (double)h->dimension);
            continue;
        }
        double x = 0;
        if (at % row < h->words)
            x = h->family == WWK_FAMILY_STABLE ? draw(o, at) / o->width : draw(o, at);
        else if (h->family == WWK_FAMILY_STABLE)
            x = uniform(o->seed, 2 * at);
        wwi_set_value(h->coefficients, h->precision, at, x);
    }
}

static ww_status send_coefficients(ww_lsh *h, const void *given, uint64_t given_bytes) {
    const uint64_t bytes = (uint64_t)h->options.tables * h->options.functions * function_numbers(h) *
                           (h->family >= WWK_FAMILY_BITS ? sizeof(uint32_t) : h->value_bytes);
    if (given && given_bytes != bytes)
        return wwi_fail(WW_ERROR_FORMAT, "%" PRIu64 " bytes of coefficients, not %" PRIu64, given_bytes, bytes);
    h->coefficients = malloc(bytes);
    if (!h->coefficients)
        return wwi_fail_memory(bytes);
    h->coefficient_bytes = bytes;
    if (given)
        memcpy(h->coefficients, given, bytes);
    else
        draw_coefficients(h);
    return wwi_upload(h->context, &h->device_coefficients, h->coefficients, bytes);
}

// ---- probes: sets of positions in order of their expected cost (Lv et al.: Multi-probe LSH, 2007)

// Expected cost of the j-th smallest of a table's costs, in squared widths; j from 1.
static double expected_cost(int family, uint32_t functions, uint32_t j) {
    const double m = functions, n = (m + 1) * (m + 2);
    if (family >= WWK_FAMILY_BITS)
        return 1;
    if (family == WWK_FAMILY_COSINE || j <= functions)
        return j * (j + 1.0) / (4 * n);
    const double back = 2 * m + 1 - j;
    return 1 - back / (m + 1) + back * (back + 1) / (4 * n);
}

typedef struct probe {
    double cost;
    uint64_t mask;
    uint32_t last; // highest position in it, from 1
} probe;

// No function is moved both ways: positions j and 2M + 1 - j are the two sides of one.
static bool is_valid(int family, uint32_t functions, uint64_t mask) {
    for (uint32_t j = 1; family == WWK_FAMILY_STABLE && j <= functions; j++)
        if (mask >> (j - 1) & 1 && mask >> (2 * functions - j) & 1)
            return false;
    return true;
}

static void push(probe *open, size_t *count, size_t most, probe p) {
    size_t to = *count;
    if (to == most && open[to - 1].cost <= p.cost)
        return;
    if (to < most)
        ++*count;
    else
        to--;
    for (; to > 0 && open[to - 1].cost > p.cost; to--)
        open[to] = open[to - 1];
    open[to] = p;
}

uint32_t wwi_lsh_make_masks(int family, uint32_t functions, uint32_t probes, uint64_t *masks) {
    const uint32_t positions = family == WWK_FAMILY_STABLE ? 2 * functions : functions;
    // More than half of those that are pushed may be invalid.
    const size_t most = (size_t)probes * 4 + 16;
    WWI_FREES probe *open = malloc(most * sizeof *open);
    uint32_t made = 1;
    size_t count = 0;
    if (!open)
        return 0;
    masks[0] = 0;
    push(open, &count, most, (probe){expected_cost(family, functions, 1), 1, 1});
    while (made < probes && count > 0) {
        const probe p = open[0];
        memmove(open, open + 1, --count * sizeof *open);
        if (is_valid(family, functions, p.mask))
            masks[made++] = p.mask;
        if (p.last == positions)
            continue;
        const double next = expected_cost(family, functions, p.last + 1);
        const uint64_t bit = UINT64_C(1) << p.last;
        push(open, &count, most, (probe){p.cost + next, p.mask | bit, p.last + 1});
        push(open, &count, most,
             (probe){p.cost + next - expected_cost(family, functions, p.last), (p.mask & ~(bit >> 1)) | bit,
                     p.last + 1});
    }
    return made;
}

static ww_status send_masks(ww_lsh *h) {
    WWI_FREES uint64_t *masks = NULL;
    WWI_TRY(wwi_new_zeroed(masks, h->options.probes));
    const uint32_t made = wwi_lsh_make_masks(h->family, h->options.functions, h->options.probes, masks);
    if (!made)
        return wwi_fail_memory(h->options.probes * sizeof *masks);
    h->options.probes = made;
    return wwi_upload(h->context, &h->masks, masks, made * sizeof *masks);
}

// ---- program

// The options of all of the index's programs.
static void set_defines(ww_lsh *h) {
    const ww_device_info *device = wwi_context_info(h->context);
    uint32_t set = 64;
    while (set < 2 * h->options.candidates)
        set *= 2;
    const uint64_t most = device->local_bytes / 4 - 16;
    if (set > most)
        set = (uint32_t)most;
    snprintf(h->defines, sizeof h->defines,
             "-DWWK_DOUBLE=%d -DWW_METRIC=%d -DWW_DIRECT=%d -DWW_CENTRE=%d -DWW_FAMILY=%d -DWW_FUNCTIONS=%" PRIu32
             " -DWW_PROBING=%d -DWW_TOGETHER=%d -DWW_SET=%" PRIu32 " -DWW_ROW_WG=%" PRIu32 " -DWW_VECTOR=%" PRIu32
             " -DWW_EXACT_ROWS=0 -DWW_STORED=0",
             h->precision == WW_DOUBLE,
             h->family == WWK_FAMILY_SETS ? WWK_METRIC_HAMMING : wwi_metric_code(h->options.metric), h->direct,
             h->centred, h->family, h->options.functions, h->options.probes > 1, h->together, set, h->row_group,
             h->gpu                      ? 4
             : h->precision == WW_DOUBLE ? 8
                                         : 16);
}

// Whether matrix units find the near points: form.join is 4, or it is not set and the device has them. Of 2 and 1 see
// cut_join().
static bool wants_tensor(const ww_lsh *h) {
    const bool possible =
        (h->family == WWK_FAMILY_STABLE && h->options.metric != WW_METRIC_L1) || h->family == WWK_FAMILY_COSINE;
    const long forced = wwi_forced(h->context, "form.join", 4, 0);
    if (!possible || h->words > MOST_TENSOR)
        return false;
    return forced ? forced == 4 : h->words >= LEAST_TENSOR && wwi_context_mma(h->context);
}

// The sizes of the kernel that searches buckets.
static void cut_join(ww_lsh *h) {
    const ww_device_info *device = wwi_context_info(h->context);
    const bool doubles = h->precision == WW_DOUBLE;
    const uint32_t d = h->words;
    uint32_t many = 1;
    h->join.kind = h->family == WWK_FAMILY_SETS ? WWK_JOIN_SETS : WWK_JOIN_WIDE;
    h->join.group = 64;
    h->join.queries = 1;
    // On a CPU both sides of a task are in local memory.
    const uint64_t local = (uint64_t)(WWI_TILE + 3 + (h->gpu ? 0 : WWI_TILE)) * d * h->value_bytes + 1024;
    if (h->tensor) {
        h->join.kind = WWK_JOIN_TENSOR;
        h->join.group = 32;
    } else if (h->join.kind == WWK_JOIN_WIDE && wwi_forced(h->context, "form.join", 4, 1) != 2 &&
               local <= device->local_bytes &&
               d <= (!h->gpu   ? 256u
                     : doubles ? 12u
                               : 32u)) {
        h->join.kind = WWK_JOIN_PLAIN;
        h->join.queries = h->gpu ? 1 : 8;
        h->join.group = !h->gpu ? 1 : d <= 12 ? 32 : 64;
        many = h->gpu ? 1 : 8;
    }
    h->join.parts = many;
    h->tile = h->join.kind == WWK_JOIN_WIDE ? WWI_TILE : h->join.group * h->join.queries * many;
}

static ww_status compile(ww_lsh *h) {
    h->gpu = wwi_is_gpu(h->context);
    h->together = h->family > WWK_FAMILY_COSINE || h->options.probes > 1 ? 0 : h->gpu ? 2 : 1;
    cut_join(h);
    // Tables searched at a time, so that the device does not wait for the largest bucket of one table.
    h->lists = h->gpu ? 8 : 1;
    h->row_group = h->gpu ? 64 : 1;
    set_defines(h);
    static const char *const keys[] = {"ww_lsh_keys", "ww_lsh_keys_together", "ww_lsh_keys_blocked"};
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "knn/knn_args.h", "knn/knn.cl", "lsh/lsh_args.h", "knn/knn_points.cl",
                  "knn/knn_exact.cl", "lsh/lsh.cl", "lsh/lsh_lists.cl"},
        .defines = WWI_LIST({"WW_LSH_LIST", 0}),
        .more = h->defines,
        .kernels = WWI_LIST({&h->kernels.keys, keys[h->together]}, {&h->kernels.count, "ww_lsh_count"},
                            {&h->kernels.block_sums, "ww_lsh_block_sums"}, {&h->kernels.scan_sums, "ww_lsh_scan_sums"},
                            {&h->kernels.scatter, "ww_lsh_scatter"}, {&h->kernels.write_offsets, "ww_lsh_offsets"},
                            {&h->kernels.tasks, "ww_lsh_tasks"}, {&h->kernels.start, "ww_lsh_start"},
                            {&h->kernels.gather, "ww_lsh_gather"}, {&h->kernels.exact, "ww_knn_exact"},
                            {&h->kernels.norms, "ww_knn_norms"},
                            {h->family == WWK_FAMILY_SETS ? NULL : &h->kernels.rows, "ww_lsh_rows"}),
    };
    return wwi_program_make(h->context, h->stream, &parts, &h->program);
}

ww_status wwi_lsh_get_join(ww_lsh *h, uint32_t k) {
    static const char *const names[] = {"ww_lsh_join", "ww_lsh_join_wide", "ww_lsh_join_sets", "ww_lsh_join_tensor"};
    WWI_ENDS(wwi_program_release) wwi_program *program = NULL;
    // In registers short lists only.
    uint32_t list = k;
    if ((h->join.kind != WWK_JOIN_PLAIN && !h->tensor) || h->join.parts > 1 ||
        k > (h->precision == WW_FLOAT && h->words <= 16 ? 16u : 8u))
        list = 0;
    if (h->kernels.join && h->join.list == list)
        return WW_OK;
    WWI_KERNELS_DESTROY(&h->kernels.join, &h->kernels.merge, &h->kernels.halves);
    h->join.list = list;
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "knn/knn_args.h", "knn/knn.cl", "lsh/lsh_args.h", "knn/knn_exact.cl",
                  "lsh/lsh_lists.cl", "lsh/lsh_join.cl", h->tensor ? "base/vendor.cl" : NULL, "knn/knn_halves.cl",
                  "lsh/lsh_join_tensor.cl"},
        .defines = WWI_LIST({"WW_JOIN", h->join.kind}, {"WW_JOIN_WG", h->join.group},
                            {"WW_D", h->join.kind == WWK_JOIN_PLAIN || h->tensor ? h->words : 0},
                            {"WW_QUERIES", h->join.queries}, {"WW_GROUPS", h->join.parts}, {"WW_LSH_LIST", list},
                            {"WW_MMA", h->tensor && wwi_context_mma(h->context)}),
        .more = h->defines,
        .kernels = {{h->tensor ? &h->kernels.halves : NULL, "ww_lsh_halves"},
                    {&h->kernels.merge, "ww_lsh_merge"},
                    {&h->kernels.join, names[h->join.kind]}},
    };
    return wwi_program_make(h->context, h->stream, &parts, &program);
}

// ---- options

static ww_status take_family(ww_lsh *h, ww_point_kind kind) {
    const ww_metric metric = h->options.metric;
    switch (metric) {
    case WW_METRIC_L2:
    case WW_METRIC_L2_SQUARED:
    case WW_METRIC_L1:
        h->family = WWK_FAMILY_STABLE;
        break;
    case WW_METRIC_COSINE:
        h->family = WWK_FAMILY_COSINE;
        break;
    case WW_METRIC_HAMMING:
        h->family = WWK_FAMILY_BITS;
        break;
    case WW_METRIC_JACCARD:
        h->family = WWK_FAMILY_SETS;
        break;
    default:
        wwi_fail(WW_ERROR_UNSUPPORTED, "there is no hash family for %s", ww_word(WW_WORD_METRIC, metric));
        if (metric == WW_METRIC_JACCARD_BITS)
            return wwi_fail_hint("ww_point_set_of_bits() makes lists of the bits, for jaccard");
        return wwi_fail_hint("l2, l2-squared, l1, cosine, hamming and jaccard have one; the exact search takes all");
    }
    if (kind != ww_metric_kind(metric))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the metric %s is not for points of this kind",
                        ww_word(WW_WORD_METRIC, metric));
    return WW_OK;
}

static ww_status check_search_options(const ww_lsh_options *o, int family) {
    if ((unsigned)o->path > WW_LSH_QUERIES || (o->path == WW_LSH_QUERIES && family == WWK_FAMILY_SETS))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.path is %d%s", (int)o->path,
                        family == WWK_FAMILY_SETS ? "; sets are searched by buckets" : "");
    if (o->candidates < 1 || o->candidates > 4096)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.candidates is %u; it can be 1 to 4096", o->candidates);
    return WW_OK;
}

static ww_status check_options(const ww_lsh *h) {
    const ww_lsh_options *o = &h->options;
    // A probe is a mask of 64 positions, two a function where there are two neighbours.
    const uint32_t positions = h->family == WWK_FAMILY_STABLE && o->probes > 1 ? 2 * o->functions : o->functions;
    if (o->tables < 1 || o->tables > (1u << 20) || o->functions < 1 || o->functions > WW_LSH_MOST_FUNCTIONS ||
        positions > 64 || o->probes < 1 || o->probes > 1024)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "tables %u, functions %u or probes %u is out of range", o->tables,
                        o->functions, o->probes);
    if (h->family == WWK_FAMILY_STABLE && !(o->width > 0 && isfinite(o->width)))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the width is %g", o->width);
    return check_search_options(o, h->family);
}

ww_status wwi_lsh_set_options_alone(ww_lsh *h, const ww_lsh_options *options) {
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    ww_run_options run = h->run;
    WWI_TRY(wwi_options_take(&o, options, "ww_lsh_options"));
    if (o.run)
        WWI_TRY(wwi_run_take(o.run, &run));
    WWI_TRY(check_search_options(&o, h->family));
    const ww_lsh_options *now = &h->options;
    if (o.metric != now->metric || o.tables != now->tables || o.functions != now->functions || o.seed != now->seed ||
        (h->family == WWK_FAMILY_STABLE && !(o.width >= now->width && o.width <= now->width)) || o.probes < 1 ||
        o.probes > h->made.probes || o.candidates > h->made.candidates)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the tables were made with other options, or fewer probes");
    run.max_bytes = h->run.max_bytes;
    o.run = NULL;
    h->options = o;
    h->run = run;
    wwi_stream_watch(h->stream, run.progress, run.progress_user);
    return WW_OK;
}

ww_status ww_lsh_get_options(const ww_lsh *h, ww_lsh_options *options) {
    WWI_NEEDS("lsh, options", h, options);
    return wwi_struct_give(options, &h->options, "ww_lsh_options");
}

// ---- blocks

static uint64_t most_bytes(const ww_lsh *h) {
    const uint64_t budget = wwi_context_bytes_free(h->context) / 2;
    return h->run.max_bytes && h->run.max_bytes < budget ? h->run.max_bytes : budget;
}

static uint32_t bits_of(const ww_lsh *h, uint64_t count) {
    uint32_t bits = (uint32_t)wwi_forced(h->context, "form.bits", 30, 6);
    bits = bits < 6 ? 6 : bits; // a work-group's buckets are of one table
    while ((UINT64_C(1) << bits) < count)
        bits++;
    return bits;
}

// Of a block's tables; and what building them takes besides.
static uint64_t table_bytes(const ww_lsh *h, uint64_t count) {
    return h->options.tables * (count + (UINT64_C(1) << bits_of(h, count))) * 4;
}
static uint64_t build_bytes(const ww_lsh *h, uint64_t count) {
    return table_bytes(h, count) * 2 + h->options.tables * count * 4 +
           count * (wwi_lsh_row_bytes(h) + wwi_lsh_half_bytes(h));
}

// Points from `first` on that can be hashed together.
static size_t block_limit(const ww_lsh *h, const ww_points *points, size_t first) {
    size_t count = wwi_points_slice_limit(points, first);
    const uint64_t budget = most_bytes(h), buffer = wwi_context_max_buffer(h->context);
    const uint64_t most = UINT64_C(1) << 31; // entries and buckets are counted in 32 bits
    while (count > WWI_TILE_PAIR &&
           ((uint64_t)h->options.tables << bits_of(h, count) > most || build_bytes(h, count) > budget ||
            (uint64_t)h->options.tables * 4 << bits_of(h, count) > buffer))
        count = wwi_points_padded((count + 1) / 2);
    return count;
}

static ww_status append(ww_lsh *h, ww_points *points) {
    const size_t had = h->block_count;
    size_t capacity = had;
    uint64_t bytes = 0;
    wwi_lsh_start(h, (uint64_t)points->count * h->options.tables);
    if (h->total + points->count > INT32_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu points; the most is 2^31 less a few", h->total + points->count);
    const double largest = fmax(h->scale.largest, points->largest);
    WWI_TRY(wwi_knn_check_scale(h->options.metric, h->precision, h->dimension, largest));
    for (size_t first = 0, count; first < points->count; first += count) {
        count = block_limit(h, points, first);
        WWI_TRY(wwi_grow(&h->blocks, &capacity, h->block_count + 1, sizeof *h->blocks));
        h->blocks[h->block_count++] = (wwi_lsh_block){.points = points,
                                                      .first = first,
                                                      .count = (uint32_t)count,
                                                      .id = (uint32_t)(h->total + first),
                                                      .bits = bits_of(h, count)};
        wwi_points_retain(points);
        bytes += table_bytes(h, count);
    }
    const bool keep = points->tiles && h->info.bytes + bytes <= most_bytes(h);
    for (size_t i = had; i < h->block_count; i++) {
        h->blocks[i].keep = keep;
        // Even tables that are not kept are built once, so that errors are found now.
        h->building = (uint64_t)h->blocks[i].count * h->options.tables / WWI_LSH_DIVIDED;
        WWI_TRY(wwi_lsh_block_open(h, &h->blocks[i]));
        wwi_lsh_block_close(&h->blocks[i]);
    }
    WWI_TRY(wwi_pace_report(&h->pace, h->pace.total));
    h->total += points->count;
    h->scale.largest = largest;
    h->info.bytes += bytes;
    return WW_OK;
}

ww_status wwi_lsh_append(ww_lsh *h, ww_points *points) {
    const size_t had = h->block_count;
    const ww_status status = append(h, points);
    if (status != WW_OK)
        drop_blocks(h, had);
    return status;
}

ww_status wwi_lsh_check_points(const ww_points *points, bool as_queries) {
    if (points && wwi_points_are_narrow(points)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "points in bytes or halves can't be hashed");
        return wwi_fail_hint("give them as float");
    }
    if (points && points->ids && !as_queries) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "points with ids of their own can't be hashed");
        return wwi_fail_hint("tables number the points from 0; ww_lsh_add() and ww_lsh_remove() change them");
    }
    return WW_OK;
}

ww_status wwi_lsh_open(const ww_points *like, const ww_lsh_options *options, const ww_run_options *run,
                       const void *coefficients, uint64_t coefficient_bytes, ww_lsh **lsh) {
    WWI_ENDS(ww_lsh_destroy) ww_lsh *h = NULL;
    WWI_TRY(wwi_lsh_check_points(like, false));
    WWI_TRY(wwi_new_zeroed(h, 1));
    h->context = like->context;
    wwi_context_retain(h->context);
    h->options = *options;
    h->options.run = NULL;
    h->run = *run;
    h->info = (ww_lsh_info)WW_LSH_INFO_INIT;
    h->kind = like->kind;
    h->precision = like->precision;
    h->dimension = like->dimension;
    h->words = like->words;
    h->value_bytes = wwi_precision_bytes(like->precision);
    WWI_TRY(wwi_run_stream(h->context, &h->run, &h->stream));
    WWI_TRY(take_family(h, like->kind));
    WWI_TRY(check_options(h));
    h->tensor = wants_tensor(h);
    // With few coordinates the differences cost no more than norms and a second computation.
    h->direct = (h->family != WWK_FAMILY_STABLE && h->family != WWK_FAMILY_COSINE) ||
                h->options.metric == WW_METRIC_L1 ||
                (h->family == WWK_FAMILY_STABLE && !h->tensor && h->words <= MOST_DIRECT);
    h->scale.margin = (float)((2 * (double)h->words + 16) * (h->precision == WW_DOUBLE ? DBL_EPSILON : FLT_EPSILON));
    // Sums of products lose digits when all points are far from the origin, those of halves the most.
    h->centred = !h->direct && h->family == WWK_FAMILY_STABLE && (h->tensor || like->mean_norm > 16 * like->variance);
    WWI_TRY(wwi_new_zeroed(h->mean, h->words + 1u));
    if (like->mean)
        memcpy(h->mean, like->mean, h->words * sizeof *h->mean);
    WWI_TRY(send_coefficients(h, coefficients, coefficient_bytes));
    WWI_TRY(send_masks(h));
    // Zeros where nothing is to be subtracted.
    WWI_TRY(wwi_points_send_mean(h->context, h->precision, h->mean, h->centred ? h->words : 0,
                                 wwi_lsh_row_bytes(h) + 32, &h->device_mean));
    WWI_TRY(wwi_buffer_create(h->context, 8, &h->largest));
    WWI_TRY(compile(h));
    h->made.probes = h->options.probes;
    h->made.candidates = h->options.candidates;
    *lsh = wwi_taken(&h);
    return WW_OK;
}

ww_status wwi_lsh_create_alone(ww_points *points, const ww_lsh_options *options, ww_lsh **lsh) {
    WWI_ENDS(ww_lsh_destroy) ww_lsh *h = NULL;
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    ww_run_options run;
    WWI_TRY(wwi_options_take(&o, options, "ww_lsh_options"));
    WWI_TRY(wwi_run_take(o.run, &run));
    const double start = wwi_seconds();
    WWI_TRY(wwi_lsh_open(points, &o, &run, NULL, 0, &h));
    WWI_TRY(wwi_lsh_append(h, points));
    h->info.seconds_build = wwi_seconds() - start;
    *lsh = wwi_taken(&h);
    return WW_OK;
}

// ---- adding and removing points

static void removed_free(wwi_lsh_removed *r) {
    free(r->bits);
    wwi_buffer_destroy(&r->sent);
}

static size_t words_of(size_t points) {
    return (points + 31) / 32;
}

// The index' bits, or those `given` (of its points), as bits of `total` points; the new ones are clear.
static ww_status copy_removed(const ww_lsh *h, const uint32_t *given, size_t total, wwi_lsh_removed *r) {
    const uint32_t *from = given ? given : h->removed.bits;
    WWI_TRY(wwi_new_zeroed(r->bits, words_of(total)));
    if (from)
        memcpy(r->bits, from, words_of(h->total) * sizeof *r->bits);
    for (size_t i = 0; from && i < h->total; i++)
        r->count += r->bits[i / 32] >> i % 32 & 1;
    return WW_OK;
}

// The index has these from now on.
static void take_removed(ww_lsh *h, wwi_lsh_removed *r) {
    removed_free(&h->removed);
    h->removed = *r;
    *r = (wwi_lsh_removed){0};
}

ww_status wwi_lsh_set_removed(ww_lsh *h, const uint32_t *bits) {
    WWI_ENDS(removed_free) wwi_lsh_removed r = {0};
    WWI_TRY(copy_removed(h, bits, h->total, &r));
    WWI_TRY(wwi_upload(h->context, &r.sent, r.bits, words_of(h->total) * sizeof *r.bits));
    take_removed(h, &r);
    return WW_OK;
}

ww_status wwi_lsh_add_alone(ww_lsh *h, ww_points *points) {
    WWI_ENDS(removed_free) wwi_lsh_removed r = {0};
    if (points->context != h->context || points->precision != h->precision || points->kind != h->kind ||
        points->dimension != h->dimension)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the points are not of the tables' context, precision, kind or "
                                                   "dimension");
    WWI_TRY(wwi_lsh_check_points(points, false));
    const double start = wwi_seconds();
    const size_t total = h->total + points->count;
    // All that can fail comes before what changes the index.
    if (h->removed.bits) {
        WWI_TRY(copy_removed(h, NULL, total, &r));
        WWI_TRY(wwi_upload(h->context, &r.sent, r.bits, words_of(total) * sizeof *r.bits));
    }
    WWI_TRY(wwi_lsh_append(h, points));
    take_removed(h, &r);
    h->info.seconds_build = wwi_seconds() - start;
    return WW_OK;
}

ww_status wwi_lsh_remove_alone(ww_lsh *h, const int64_t *ids, size_t count) {
    WWI_FREES uint32_t *bits = NULL;
    for (size_t i = 0; i < count; i++)
        if (ids[i] < 0 || (uint64_t)ids[i] >= h->total)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "id %" PRId64 " is not one of %zu points", ids[i], h->total);
    if (count == 0)
        return WW_OK;
    WWI_TRY(wwi_new_zeroed(bits, words_of(h->total)));
    if (h->removed.bits)
        memcpy(bits, h->removed.bits, words_of(h->total) * sizeof *bits);
    for (size_t i = 0; i < count; i++)
        bits[ids[i] / 32] |= 1u << (ids[i] % 32);
    return wwi_lsh_set_removed(h, bits);
}

ww_status ww_lsh_get_info(const ww_lsh *lsh, ww_lsh_info *info) {
    WWI_NEEDS("lsh, info", lsh, info);
    ww_lsh_info known = lsh->info;
    known.points = lsh->total - lsh->removed.count;
    known.dimension = lsh->kind == WW_POINTS_SETS ? 0 : lsh->dimension;
    return wwi_struct_give(info, &known, "ww_lsh_info");
}

size_t ww_lsh_count(const ww_lsh *lsh) {
    return lsh ? lsh->total : 0;
}

ww_point_kind ww_lsh_kind(const ww_lsh *lsh) {
    return lsh ? lsh->kind : WW_POINTS_NUMBERS;
}

ww_precision ww_lsh_precision(const ww_lsh *lsh) {
    return lsh ? lsh->precision : WW_FLOAT;
}
