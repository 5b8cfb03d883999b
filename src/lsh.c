// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/lsh.h>

#include "dataset.h"
#include "knn_job.h"
#include "knn_points.h"
#include "options.h"
#include "select.h"

#define GROUP 64u   // WW_LSH_WG
#define BLOCK 1024u // WW_BLOCK

// The twin of ww_lsh_job in kernels_cl/lsh.cl.
typedef struct lsh_job {
    uint32_t count, dimension, tables, probes, shift, first, own, capacity;
} lsh_job;

struct ww_lsh {
    ww_context *context;
    ww_lsh_options options;
    ww_points *points;
    int family;    // WW_FAMILY
    uint32_t bits; // log2 of a table's buckets
    uint64_t value_bytes;
    uint32_t row_group;
    wwi_program *program;
    wwi_kernel *count, *block_sums, *scan_sums, *write_offsets, *scatter, *probe, *gather, *exact, *norms;
    wwi_buffer *coefficients, *masks, *offsets, *entries, *point_norms, *mean, *largest;
    ww_lsh_info info;
};

void ww_lsh_destroy(ww_lsh **lsh) {
    if (!lsh || !*lsh)
        return;
    ww_lsh *h = *lsh;
    *lsh = NULL;
    wwi_buffer *const buffers[] = {h->coefficients, h->masks, h->offsets, h->entries,
                                   h->point_norms,  h->mean,  h->largest};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        wwi_buffer *buffer = buffers[i];
        wwi_buffer_destroy(&buffer);
    }
    wwi_kernel *const kernels[] = {h->count, h->block_sums, h->scan_sums, h->write_offsets, h->scatter,
                                   h->probe, h->gather,     h->exact,     h->norms};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        wwi_kernel *kernel = kernels[i];
        wwi_kernel_destroy(&kernel);
    }
    wwi_program_release(&h->program);
    ww_points_destroy(&h->points);
    wwi_context_release(h->context);
    free(h);
}

// ---- what is drawn

// Counter-based (splitmix64's finaliser): number `at` of the stream `seed`, from 0 to 1 exclusive.
static double uniform(uint64_t seed, uint64_t at) {
    uint64_t z = seed * UINT64_C(0xd1342543de82ef95) + (at + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
}

static double draw(const ww_lsh *h, uint64_t at) {
    const double pi = 3.14159265358979323846;
    if (h->options.metric == WW_METRIC_L1)
        return tan(pi * (uniform(h->options.seed, 2 * at) - 0.5));
    return sqrt(-2 * log(uniform(h->options.seed, 2 * at))) * cos(2 * pi * uniform(h->options.seed, 2 * at + 1));
}

// a (and behind it b) of every function, divided by the width; or the bits that are sampled.
static ww_status send_coefficients(ww_lsh *h) {
    ww_status status;
    const uint32_t d = h->points->words, functions = h->options.tables * h->options.functions;
    const uint64_t row = h->family == 2 ? 1 : (uint64_t)d + 1, bytes = functions * row * h->value_bytes;
    unsigned char *values = malloc(bytes);
    if (!values)
        return wwi_fail_memory(bytes);
    for (uint64_t f = 0; f < functions; f++)
        for (uint64_t j = 0; j < row; j++) {
            const uint64_t at = f * row + j;
            double x = 0;
            if (h->family == 2) {
                ((uint32_t *)(void *)values)[at] =
                    (uint32_t)(uniform(h->options.seed, at) * (double)h->points->dimension);
                continue;
            }
            if (j < d)
                x = h->family == 0 ? draw(h, at) / h->options.width : draw(h, at);
            else if (h->family == 0)
                x = uniform(h->options.seed, 2 * at);
            if (h->value_bytes == sizeof(double))
                ((double *)(void *)values)[at] = x;
            else
                ((float *)(void *)values)[at] = (float)x;
        }
    if ((status = wwi_buffer_create(h->context, bytes, &h->coefficients)) == WW_OK)
        status = wwi_buffer_write(h->coefficients, 0, bytes, values);
    free(values);
    return status;
}

// ---- probes: sets of positions in order of their expected cost (Lv et al.: Multi-probe LSH, 2007)

// Expected cost of the j-th smallest of a table's 2M costs, in squared widths; j from 1.
static double expected_cost(const ww_lsh *h, uint32_t j) {
    const double m = h->options.functions, n = (m + 1) * (m + 2);
    if (h->family == 2)
        return 1;
    if (h->family == 1 || j <= h->options.functions)
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
static bool is_valid(const ww_lsh *h, uint64_t mask) {
    const uint32_t m = h->options.functions;
    for (uint32_t j = 1; h->family == 0 && j <= m; j++)
        if (mask >> (j - 1) & 1 && mask >> (2 * m - j) & 1)
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

// Fills `masks` with the wanted number of probes, or as many as there are; the first moves nothing.
static uint32_t make_masks(const ww_lsh *h, uint64_t *masks, probe *open, size_t most) {
    const uint32_t positions = h->family == 0 ? 2 * h->options.functions : h->options.functions;
    uint32_t made = 1;
    size_t count = 0;
    masks[0] = 0;
    push(open, &count, most, (probe){expected_cost(h, 1), 1, 1});
    while (made < h->options.probes && count > 0) {
        const probe p = open[0];
        memmove(open, open + 1, --count * sizeof *open);
        if (is_valid(h, p.mask))
            masks[made++] = p.mask;
        if (p.last == positions)
            continue;
        const double next = expected_cost(h, p.last + 1);
        const uint64_t bit = UINT64_C(1) << p.last;
        push(open, &count, most, (probe){p.cost + next, p.mask | bit, p.last + 1});
        push(open, &count, most,
             (probe){p.cost + next - expected_cost(h, p.last), (p.mask & ~(bit >> 1)) | bit, p.last + 1});
    }
    return made;
}

static ww_status send_masks(ww_lsh *h) {
    ww_status status;
    const size_t most = (size_t)h->options.probes * 4 + 16;
    uint64_t *masks = calloc(h->options.probes, sizeof *masks);
    probe *open = malloc(most * sizeof *open);
    if (!masks || !open) {
        status = wwi_fail_memory(most * sizeof *open);
    } else {
        h->options.probes = make_masks(h, masks, open, most);
        const uint64_t bytes = h->options.probes * sizeof *masks;
        if ((status = wwi_buffer_create(h->context, bytes, &h->masks)) == WW_OK)
            status = wwi_buffer_write(h->masks, 0, bytes, masks);
    }
    free(open);
    free(masks);
    return status;
}

// ---- building

static ww_status compile(ww_lsh *h) {
    ww_status status;
    char options[256];
    static const wwi_source sources[] = {
        {"number.cl", NULL}, {"knn.cl", NULL}, {"knn_points.cl", NULL}, {"knn_exact.cl", NULL}, {"lsh.cl", NULL}};
    const char *const names[] = {"ww_lsh_count",   "ww_lsh_block_sums", "ww_lsh_scan_sums",
                                 "ww_lsh_offsets", "ww_lsh_scatter",    "ww_lsh_probe",
                                 "ww_lsh_gather",  "ww_knn_exact",      "ww_knn_norms"};
    wwi_kernel **const kernels[] = {&h->count, &h->block_sums, &h->scan_sums, &h->write_offsets, &h->scatter,
                                    &h->probe, &h->gather,     &h->exact,     &h->norms};
    uint32_t set = 64;
    while (set < 2 * h->options.candidates)
        set *= 2;
    h->row_group = (uint32_t)wwi_tuning(h->context, "lsh.row_group", NULL,
                                        wwi_context_info(h->context)->type == WW_DEVICE_GPU ? 64 : 1);
    snprintf(options, sizeof options,
             "-DWW_DOUBLE=%d -DWW_METRIC=%d -DWW_FAMILY=%d -DWW_FUNCTIONS=%" PRIu32 " -DWW_SET=%" PRIu32
             " -DWW_ROW_WG=%" PRIu32,
             h->points->precision == WW_DOUBLE, wwi_metric_code(h->options.metric), h->family, h->options.functions,
             set, h->row_group);
    status = wwi_program_get(h->context, sources, sizeof sources / sizeof *sources, options, &h->program);
    for (size_t i = 0; status == WW_OK && i < sizeof names / sizeof *names; i++)
        status = wwi_kernel_create(h->program, names[i], kernels[i]);
    return status;
}

static uint64_t groups(uint64_t items) {
    return (items + GROUP - 1) / GROUP;
}

static ww_status norms_of(ww_lsh *h, const wwi_points_window *w, wwi_buffer **norms) {
    ww_status status;
    const uint64_t padded = wwi_points_padded(w->count);
    const uint32_t n = (uint32_t)w->count;
    if ((status = wwi_buffer_create(h->context, padded * h->value_bytes, norms)) != WW_OK)
        return status;
    const wwi_arg args[] = {WWI_BUFFER(w->tiles),        WWI_BUFFER(h->mean), WWI_VALUE(n),
                            WWI_VALUE(h->points->words), WWI_BUFFER(*norms),  WWI_BUFFER(h->largest)};
    return wwi_launch(h->norms, padded / WWI_TILE, WWI_TILE, args, sizeof args / sizeof *args);
}

// Counts become offsets, and cursors in their own place.
static ww_status scan(ww_lsh *h, wwi_buffer *counts, uint64_t total) {
    ww_status status;
    wwi_buffer *sums = NULL;
    const uint64_t blocks = (total + BLOCK - 1) / BLOCK;
    const uint32_t count = (uint32_t)blocks;
    if ((status = wwi_buffer_create(h->context, blocks * 4, &sums)) != WW_OK)
        return status;
    const wwi_arg first[] = {WWI_BUFFER(counts), WWI_VALUE(total), WWI_BUFFER(sums)};
    const wwi_arg second[] = {WWI_BUFFER(sums), WWI_VALUE(count)};
    const wwi_arg third[] = {WWI_BUFFER(counts), WWI_VALUE(total), WWI_BUFFER(sums), WWI_BUFFER(h->offsets)};
    if ((status = wwi_launch(h->block_sums, blocks, GROUP, first, 3)) == WW_OK &&
        (status = wwi_launch(h->scan_sums, 1, GROUP, second, 2)) == WW_OK)
        status = wwi_launch(h->write_offsets, blocks, GROUP, third, 4);
    if (status == WW_OK)
        status = wwi_finish(h->context);
    wwi_buffer_destroy(&sums);
    return status;
}

static lsh_job make_job(const ww_lsh *h) {
    return (lsh_job){.count = (uint32_t)h->points->count,
                     .dimension = h->points->words,
                     .tables = h->options.tables,
                     .probes = h->options.probes,
                     .shift = 32 - h->bits,
                     .own = WWI_NOBODY,
                     .capacity = h->options.candidates};
}

static ww_status build(ww_lsh *h) {
    ww_status status;
    wwi_buffer *counts = NULL, *buckets = NULL;
    const uint64_t total = (uint64_t)h->options.tables << h->bits,
                   entries = (uint64_t)h->options.tables * h->points->count;
    const lsh_job job = make_job(h);
    wwi_points_window window;
    memset(&window, 0, sizeof window);
    if ((status = wwi_points_window_open(h->points, 0, h->points->count, &window)) != WW_OK ||
        (status = wwi_buffer_create(h->context, 8, &h->mean)) != WW_OK ||
        (status = wwi_buffer_create(h->context, 4, &h->largest)) != WW_OK ||
        (status = wwi_buffer_fill_u32(h->largest, 0, 4, 0)) != WW_OK ||
        (status = norms_of(h, &window, &h->point_norms)) != WW_OK ||
        (status = wwi_buffer_create(h->context, (total + 1) * 4, &h->offsets)) != WW_OK ||
        (status = wwi_buffer_create(h->context, entries * 4, &h->entries)) != WW_OK ||
        (status = wwi_buffer_create(h->context, total * 4, &counts)) != WW_OK ||
        (status = wwi_buffer_create(h->context, entries * 4, &buckets)) != WW_OK ||
        (status = wwi_buffer_fill_u32(counts, 0, total * 4, 0)) != WW_OK)
        goto done;
    const wwi_arg count[] = {WWI_BUFFER(window.tiles), WWI_BUFFER(h->coefficients), WWI_VALUE(job), WWI_BUFFER(buckets),
                             WWI_BUFFER(counts)};
    const wwi_arg scatter[] = {WWI_BUFFER(buckets), WWI_VALUE(job), WWI_BUFFER(counts), WWI_BUFFER(h->entries)};
    if ((status = wwi_launch(h->count, groups(entries), GROUP, count, 5)) == WW_OK &&
        (status = scan(h, counts, total)) == WW_OK &&
        (status = wwi_launch(h->scatter, groups(entries), GROUP, scatter, 4)) == WW_OK)
        status = wwi_finish(h->context);
    h->info.bytes = (total + 1 + entries) * 4 + wwi_buffer_bytes(h->coefficients);
done:
    wwi_buffer_destroy(&buckets);
    wwi_buffer_destroy(&counts);
    return status;
}

static ww_status check_options(const ww_points *points, const ww_lsh_options *o, int *family) {
    switch (o->metric) {
    case WW_METRIC_L2:
    case WW_METRIC_L2_SQUARED:
    case WW_METRIC_L1:
        *family = 0;
        break;
    case WW_METRIC_COSINE:
        *family = 1;
        break;
    case WW_METRIC_HAMMING:
        *family = 2;
        break;
    default:
        wwi_fail(WW_ERROR_UNSUPPORTED, "there is no hash family for %s", ww_metric_name(o->metric));
        return wwi_fail_hint("l2, l2-squared, l1, cosine and hamming have one; the exact search takes all");
    }
    if (points->kind != ww_metric_kind(o->metric))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the metric %s is not for points of this kind",
                        ww_metric_name(o->metric));
    // A probe is a mask of 64 positions, two a function where there are two neighbours.
    const uint32_t positions = *family == 0 && o->probes > 1 ? 2 * o->functions : o->functions;
    if (o->tables < 1 || o->functions < 1 || o->functions > WW_LSH_MOST_FUNCTIONS || positions > 64 || o->probes < 1 ||
        o->probes > 1024 || o->candidates < 1 || o->candidates > 4096)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "tables %u, functions %u, probes %u or candidates %u is out of range", o->tables, o->functions,
                        o->probes, o->candidates);
    if (*family == 0 && !(o->width > 0 && isfinite(o->width)))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the width is %g", o->width);
    if ((uint64_t)o->tables * points->count * 2 > UINT32_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%u tables of %zu points; their product can be 2^31", o->tables,
                        points->count);
    if (!points->tiles) {
        wwi_fail(WW_ERROR_DEVICE_MEMORY, "the points do not stand on the device whole");
        return wwi_fail_hint("use a larger device, or the exact search, which takes them in windows");
    }
    return WW_OK;
}

ww_status ww_lsh_create(ww_points *points, const ww_lsh_options *options, ww_lsh **lsh) {
    ww_status status;
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    int family = 0;
    if (!points || !lsh)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "points or lsh is NULL");
    *lsh = NULL;
    if ((status = wwi_options_take(&o, options, "ww_lsh_options")) != WW_OK ||
        (status = check_options(points, &o, &family)) != WW_OK)
        return status;
    const double start = wwi_seconds();
    ww_lsh *h = calloc(1, sizeof *h);
    if (!h)
        return wwi_fail_memory(sizeof *h);
    h->context = points->context;
    wwi_context_retain(h->context);
    h->points = points;
    wwi_points_retain(points);
    h->options = o;
    h->family = family;
    h->value_bytes = wwi_precision_bytes(points->precision);
    h->bits = 1;
    while ((UINT64_C(1) << h->bits) < points->count)
        h->bits++;
    if ((status = compile(h)) == WW_OK && (status = send_coefficients(h)) == WW_OK && (status = send_masks(h)) == WW_OK)
        status = build(h);
    h->info.seconds_build = wwi_seconds() - start;
    if (status == WW_OK)
        *lsh = h;
    else
        ww_lsh_destroy(&h);
    return status;
}

// ---- searching

// Scratch of a search, and its results on the host.
typedef struct search {
    wwi_selector *selector;
    wwi_points_window window;
    wwi_buffer *norms, *own_norms; // of the queries; own_norms when made here
    wwi_buffer *ranges, *counts, *ids, *values, *best_values, *best_ids;
    uint32_t *host;
    size_t most_rows;
    uint32_t k;
    bool self;
} search;

static void search_free(search *s) {
    wwi_buffer_destroy(&s->own_norms);
    wwi_buffer_destroy(&s->ranges);
    wwi_buffer_destroy(&s->counts);
    wwi_buffer_destroy(&s->ids);
    wwi_buffer_destroy(&s->values);
    wwi_buffer_destroy(&s->best_values);
    wwi_buffer_destroy(&s->best_ids);
    wwi_selector_destroy(&s->selector);
    wwi_points_window_close(&s->window);
    free(s->host);
}

static ww_status search_allocate(ww_lsh *h, search *s, size_t queries) {
    ww_status status;
    const uint64_t capacity = h->options.candidates, ranges = (uint64_t)h->options.tables * h->options.probes * 8;
    const uint64_t row = ranges + capacity * (4 + h->value_bytes) + s->k * (4 + h->value_bytes) + 4;
    uint64_t room = wwi_context_bytes_free(h->context) / 2;
    if (room > wwi_context_max_buffer(h->context))
        room = wwi_context_max_buffer(h->context);
    if (h->options.max_bytes && room > h->options.max_bytes)
        room = h->options.max_bytes;
    if (wwi_context_info(h->context)->type != WW_DEVICE_GPU && room > (UINT64_C(16) << 20))
        room = UINT64_C(16) << 20; // stays in the caches
    uint64_t rows = room / row / WWI_TILE_PAIR * WWI_TILE_PAIR;
    if (rows < WWI_TILE_PAIR)
        rows = WWI_TILE_PAIR;
    if (rows > wwi_points_padded(queries))
        rows = wwi_points_padded(queries);
    s->most_rows = (size_t)rows;
    s->host = malloc((size_t)rows * (s->k > 1 ? s->k : 1) * sizeof *s->host);
    if (!s->host)
        return wwi_fail_memory(rows * s->k * sizeof *s->host);
    if ((status = wwi_buffer_create(h->context, rows * ranges, &s->ranges)) != WW_OK ||
        (status = wwi_buffer_create(h->context, rows * 4, &s->counts)) != WW_OK ||
        (status = wwi_buffer_create(h->context, rows * capacity * 4, &s->ids)) != WW_OK ||
        (status = wwi_buffer_create(h->context, rows * capacity * h->value_bytes, &s->values)) != WW_OK ||
        (status = wwi_buffer_create(h->context, rows * s->k * h->value_bytes, &s->best_values)) != WW_OK ||
        (status = wwi_buffer_create(h->context, rows * s->k * 4, &s->best_ids)) != WW_OK)
        return status;
    return wwi_selector_create(h->context, h->points->precision, s->k, &s->selector);
}

// Candidates, their distances and the best of them, for rows from `first` on.
static ww_status find(ww_lsh *h, search *s, size_t first, size_t rows) {
    ww_status status;
    lsh_job job = make_job(h);
    job.count = (uint32_t)rows;
    job.first = (uint32_t)(first - s->window.first);
    job.own = s->self ? (uint32_t)first : WWI_NOBODY;
    const wwi_knn_job exact = {.query_first = job.first,
                               .query_count = job.count,
                               .base_end = (uint32_t)h->points->count,
                               .own = job.own,
                               .dimension = h->points->words,
                               .k = s->k,
                               .capacity = job.capacity,
                               .listed = 1};
    const wwi_arg probing[] = {WWI_BUFFER(s->window.tiles),
                               WWI_BUFFER(h->coefficients),
                               WWI_BUFFER(h->masks),
                               WWI_BUFFER(h->offsets),
                               WWI_VALUE(job),
                               WWI_BUFFER(s->ranges)};
    const wwi_arg gather[] = {WWI_BUFFER(s->ranges), WWI_BUFFER(h->entries), WWI_VALUE(job), WWI_BUFFER(s->counts),
                              WWI_BUFFER(s->ids)};
    const wwi_arg distance[] = {WWI_BUFFER(s->window.tiles),
                                WWI_BUFFER(h->points->tiles),
                                WWI_BUFFER(s->norms),
                                WWI_BUFFER(h->point_norms),
                                WWI_VALUE(exact),
                                WWI_BUFFER(s->counts),
                                WWI_BUFFER(s->ids),
                                WWI_BUFFER(s->values)};
    const wwi_selection selection = {.values = s->values,
                                     .row_stride = job.capacity,
                                     .rows = rows,
                                     .columns = job.capacity,
                                     .indices = s->ids,
                                     .counts = s->counts,
                                     .fresh = true,
                                     .best_values = s->best_values,
                                     .best_indices = s->best_ids};
    if ((status = wwi_launch(h->probe, groups((uint64_t)rows * job.tables), GROUP, probing, 6)) != WW_OK ||
        (status = wwi_launch(h->gather, rows, h->row_group, gather, 5)) != WW_OK ||
        (status = wwi_launch(h->exact, rows, h->row_group, distance, 8)) != WW_OK ||
        (status = wwi_select(s->selector, &selection)) != WW_OK)
        return status;
    return wwi_buffer_read(s->counts, 0, rows * 4, s->host);
}

static ww_status fetch(ww_lsh *h, search *s, size_t first, size_t rows, int64_t *ids, void *distances,
                       uint32_t *found) {
    ww_status status;
    const size_t n = rows * s->k, from = first * s->k;
    for (size_t r = 0; r < rows; r++) {
        const bool capped = s->host[r] > h->options.candidates;
        h->info.capped += capped;
        h->info.candidates += capped ? h->options.candidates : s->host[r];
        h->info.incomplete += s->host[r] < s->k;
        if (found)
            found[first + r] = s->host[r] < s->k ? s->host[r] : s->k;
    }
    if ((status = wwi_buffer_read(s->best_ids, 0, n * 4, s->host)) != WW_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        ids[from + i] = s->host[i] == WWI_NOBODY ? -1 : (int64_t)s->host[i];
    if (!distances)
        return WW_OK;
    status = wwi_buffer_read(s->best_values, 0, n * h->value_bytes, (unsigned char *)distances + from * h->value_bytes);
    for (size_t i = from; status == WW_OK && h->options.metric == WW_METRIC_L2 && i < from + n; i++) {
        if (h->value_bytes == sizeof(double))
            ((double *)distances)[i] = sqrt(((double *)distances)[i]);
        else
            ((float *)distances)[i] = sqrtf(((float *)distances)[i]);
    }
    return status;
}

static ww_status search_window(ww_lsh *h, search *s, ww_points *queries, size_t at, size_t count, int64_t *ids,
                               void *distances, uint32_t *found) {
    ww_status status = wwi_points_window_open(queries, at, count, &s->window);
    if (status != WW_OK)
        return status;
    s->norms = h->point_norms;
    if (!s->self) {
        wwi_buffer_destroy(&s->own_norms);
        if ((status = norms_of(h, &s->window, &s->own_norms)) != WW_OK)
            return status;
        s->norms = s->own_norms;
    }
    for (size_t first = at, rows; status == WW_OK && first < at + count; first += rows) {
        rows = at + count - first < s->most_rows ? at + count - first : s->most_rows;
        if ((status = find(h, s, first, rows)) == WW_OK)
            status = fetch(h, s, first, rows, ids, distances, found);
    }
    return status;
}

ww_status ww_lsh_search(ww_lsh *h, ww_points *queries, size_t k, int64_t *ids, void *distances, uint32_t *found) {
    ww_status status;
    search s;
    if (!h || !ids || k < 1 || k > WW_KNN_MOST)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "lsh or ids is NULL, or k is not 1 to %d", WW_KNN_MOST);
    memset(&s, 0, sizeof s);
    s.self = !queries;
    if (s.self)
        queries = h->points;
    if (queries->context != h->context || queries->precision != h->points->precision ||
        queries->kind != h->points->kind || queries->dimension != h->points->dimension)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the queries are not of the tables' context, precision, kind or "
                                                   "dimension");
    const double start = wwi_seconds();
    h->info.candidates = h->info.capped = h->info.incomplete = 0;
    s.k = (uint32_t)k;
    status = search_allocate(h, &s, queries->count);
    for (size_t at = 0, count; status == WW_OK && at < queries->count; at += count) {
        count = wwi_points_window_limit(queries, at);
        status = search_window(h, &s, queries, at, count, ids, distances, found);
    }
    search_free(&s);
    h->info.seconds_search = wwi_seconds() - start;
    return status;
}

ww_status ww_lsh_describe(const ww_lsh *lsh, ww_lsh_info *info) {
    if (!lsh || !info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "lsh or info is NULL");
    *info = lsh->info;
    return WW_OK;
}
