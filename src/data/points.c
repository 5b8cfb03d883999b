// SPDX-License-Identifier: Apache-2.0
// Points: vectors, bits and sets are checked and uploaded in tiles, or kept in host memory where they do not fit, and
// uploaded in slices.
#include "data/points.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/kit.h"
#include "data/dataset.h"
#include "data/float_fit.h"
#include "data/point_tiles.h"
#include "files/point_files.h"
#include "options.h"

// Points from which the mean is computed.
#define SAMPLE 4096

void wwi_points_retain(ww_points *points) {
    atomic_fetch_add(&points->references, 1);
}

void ww_points_destroy(ww_points **points) {
    ww_points *p = wwi_taken(points);
    if (!p || atomic_fetch_sub(&p->references, 1) != 1)
        return;
    WWI_TEAM_CLOSE(ww_points, p->team, p);
    WWI_BUFFERS_DESTROY(&p->tiles, &p->starts);
    wwi_program_release(&p->program);
    free(p->offsets);
    free(p->ids);
    free(p->host);
    free(p->mean);
    wwi_context_release(p->context);
    free(p);
}

// ---- the caller's view

static ww_status check_sets(const ww_point_view *view) {
    const uint32_t *items = view->values;
    if (!view->offsets || view->offsets[0] != 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "sets need offsets that start at 0");
    for (size_t i = 0; i < view->count; i++) {
        const uint64_t begin = view->offsets[i], end = view->offsets[i + 1];
        if (end < begin || end - begin > INT32_MAX) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "set %zu has a wrong offset", i);
            return wwi_fail_where((int64_t)i, -1);
        }
        for (uint64_t j = begin + 1; j < end; j++)
            if (items[j] <= items[j - 1]) {
                wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the members of set %zu do not ascend", i);
                return wwi_fail_where((int64_t)i, (int64_t)(j - begin));
            }
    }
    return WW_OK;
}

static ww_status check_view(const ww_point_view *view) {
    uint64_t product;
    if ((unsigned)view->kind > WW_POINTS_SETS || (unsigned)view->precision > WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the view's kind is %d, its precision %d", (int)view->kind,
                        (int)view->precision);
    if ((unsigned)view->element > WW_ELEMENT_FLOAT16 ||
        (view->element != WW_ELEMENT_PRECISION && view->kind != WW_POINTS_NUMBERS))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "the view's element is %d; only numbers have another one than WW_ELEMENT_PRECISION",
                        (int)view->element);
    if (view->count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "there are no points");
    if (view->count > INT32_MAX - WWI_TILE_PAIR)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu points; the most is 2^31 less a few", view->count);
    if (!view->values)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "view.values is NULL");
    if (view->kind == WW_POINTS_SETS)
        return check_sets(view);
    if (view->dimension == 0)
        return wwi_fail(WW_ERROR_EMPTY, "the points have no coordinates");
    // Distances of bits are counted in floats.
    if (view->dimension > (1u << 24) || !wwi_mul_u64(view->count + WWI_TILE_PAIR, view->dimension, &product) ||
        product > UINT64_MAX / 16)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu coordinates; the most is 2^24", view->dimension);
    if (view->kind == WW_POINTS_BITS && view->column_order)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "bits can't be in column order: they come point after point");
    return WW_OK;
}

// Packed bytes into 32-bit words; bits after the last are cleared.
static void take_bits(const ww_points *p, const ww_point_view *view, uint32_t *target) {
    const size_t bytes = (p->dimension + 7) / 8;
    for (size_t i = 0; i < p->count; i++) {
        const unsigned char *from = (const unsigned char *)view->values + i * bytes;
        uint32_t *words = target + i * p->words;
        memset(words, 0, p->words * sizeof *words);
        for (size_t b = 0; b < bytes; b++) {
            const unsigned left = (unsigned)(p->dimension - b * 8);
            const unsigned byte = left < 8 ? from[b] & ((1u << left) - 1) : from[b];
            words[b / 4] |= (uint32_t)byte << (b % 4 * 8);
        }
    }
}

static ww_status take_mean(ww_points *p, const ww_point_view *view) {
    const size_t step = p->count / SAMPLE + 1;
    const double n = (double)((p->count + step - 1) / step);
    WWI_FREES double *squares = NULL;
    WWI_TRY(wwi_new_zeroed(squares, p->dimension));
    WWI_TRY(wwi_new_zeroed(p->mean, p->dimension));
    for (size_t i = 0; i < p->count; i += step)
        for (size_t j = 0; j < p->dimension; j++) {
            const double value = wwi_point_value(view, i, j), x = p->missing && isnan(value) ? 0 : value;
            p->mean[j] += x;
            squares[j] += x * x;
        }
    for (size_t j = 0; j < p->dimension; j++) {
        const double mean = p->mean[j] / n;
        p->mean[j] = (double)(float)mean;
        p->mean_norm += mean * mean;
        p->variance += fmax(squares[j] / n - mean * mean, 0);
    }
    return WW_OK;
}

ww_status wwi_points_send_mean(ww_context *context, ww_precision precision, const double *mean, size_t count,
                               uint64_t bytes, wwi_buffer **buffer) {
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new_zeroed(values, bytes));
    for (size_t j = 0; j < count; j++)
        wwi_set_value(values, precision, j, mean[j]);
    return wwi_upload(context, buffer, values, bytes);
}

// ---- to the device

ww_status wwi_points_program(ww_points *p) {
    const bool bits = p->kind == WW_POINTS_BITS;
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "knn/knn_args.h", "knn/knn.cl", "knn/knn_points.cl"},
        .defines = {{"WWK_DOUBLE", !bits && p->precision == WW_DOUBLE},
                    {"WW_METRIC", bits ? WWK_METRIC_HAMMING : WWK_METRIC_L2_SQUARED},
                    {"WW_DIRECT", 0},
                    {"WW_CENTRE", 0},
                    {"WW_STORED", p->element}},
    };
    return wwi_program_make(p->context, NULL, &parts, &p->program);
}

static ww_status upload_sets(ww_points *p, const uint32_t *items, size_t first, size_t count, wwi_buffer **members,
                             wwi_buffer **starts) {
    const uint64_t bytes = (p->offsets[first + count] - p->offsets[first]) * sizeof *items;
    WWI_FREES uint64_t *offsets = NULL;
    WWI_TRY(wwi_new(offsets, count + 1));
    for (size_t i = 0; i <= count; i++)
        offsets[i] = p->offsets[first + i] - p->offsets[first];
    WWI_TRY(wwi_upload(p->context, members, items + p->offsets[first], bytes));
    return wwi_upload(p->context, starts, offsets, (count + 1) * sizeof *offsets);
}

uint64_t wwi_points_bytes(const ww_points *p, size_t first, size_t count) {
    return p->kind == WW_POINTS_SETS ? (p->offsets[first + count] - p->offsets[first]) * p->word_bytes + count * 8
                                     : wwi_points_padded(count) * p->words * p->word_bytes;
}

// Points [first, first + count): tiles, or the members of sets and where each set begins.
static ww_status upload_points(ww_points *p, wwi_stream *stream, wwi_point_source source, size_t first, size_t count,
                               wwi_buffer **points, wwi_buffer **starts, double *largest) {
    if (p->kind == WW_POINTS_SETS)
        return upload_sets(p, source.values, first, count, points, starts);
    WWI_TRY(wwi_buffer_create(p->context, wwi_points_bytes(p, first, count), points));
    return wwi_points_tile(p, stream, source, first, count, *points, largest);
}

static ww_status describe(ww_points *p, const ww_point_view *view) {
    p->kind = view->kind;
    p->count = view->count;
    p->dimension = view->kind == WW_POINTS_SETS ? 0 : view->dimension;
    p->column_order = view->kind == WW_POINTS_NUMBERS && view->column_order;
    p->words = view->kind == WW_POINTS_BITS ? (uint32_t)((view->dimension + 31) / 32) : (uint32_t)p->dimension;
    p->word_bytes = view->kind == WW_POINTS_NUMBERS ? wwi_element_bytes(view->element, p->precision) : sizeof(uint32_t);
    p->element = view->element;
    if (view->kind != WW_POINTS_SETS)
        return WW_OK;
    WWI_TRY(wwi_new(p->offsets, p->count + 1));
    memcpy(p->offsets, view->offsets, (p->count + 1) * sizeof *p->offsets);
    return WW_OK;
}

// What stays in host memory, or is uploaded in another form, to p->host.
static ww_status keep_values(ww_points *p, const ww_point_view *view, bool keep) {
    const uint64_t bytes = p->kind == WW_POINTS_SETS ? p->offsets[p->count] * p->word_bytes
                                                     : (uint64_t)p->count * p->words * p->word_bytes;
    if (!keep && p->kind != WW_POINTS_BITS)
        return WW_OK;
    WWI_TRY(wwi_new(p->host, bytes + 1));
    if (p->kind == WW_POINTS_NUMBERS)
        return wwi_points_keep_numbers(p, view, &p->largest);
    if (p->kind == WW_POINTS_BITS)
        take_bits(p, view, (uint32_t *)(void *)p->host);
    else
        memcpy(p->host, view->values, bytes);
    return WW_OK;
}

// The values, where they are needed, and whether all are on the device at once.
static ww_status upload(ww_points *p, wwi_stream *stream, const ww_point_view *view, uint64_t max_bytes) {
    // Half of the free memory is left for the other side and for scratch.
    const uint64_t limit = p->max_bytes = wwi_memory_share(p->context, 2, max_bytes);
    const bool resident = wwi_points_bytes(p, 0, p->count) <= limit;
    WWI_TRY(keep_values(p, view, !resident));
    if (p->kind == WW_POINTS_NUMBERS)
        WWI_TRY(take_mean(p, view));
    if (p->kind != WW_POINTS_SETS)
        WWI_TRY(wwi_points_program(p));
    if (resident) {
        const wwi_point_source source = {p->host ? p->host : view->values, p->host ? p->precision : view->precision};
        WWI_TRY(upload_points(p, stream, source, 0, p->count, &p->tiles, &p->starts, &p->largest));
        wwi_free_taken(&p->host);
        return WW_OK;
    }
    // Each slice is at least one pair of tiles.
    if (p->kind != WW_POINTS_SETS && wwi_points_bytes(p, 0, 1) > limit) {
        wwi_fail(WW_ERROR_DEVICE_MEMORY, "%u points need %" PRIu64 " bytes, the limit is %" PRIu64, WWI_TILE_PAIR,
                 wwi_points_bytes(p, 0, 1), limit);
        return wwi_fail_hint("use a larger device, or raise max_bytes");
    }
    return WW_OK;
}

static ww_status take_ids(ww_points *p, const int64_t *ids) {
    p->next_id = (int64_t)p->count;
    if (!ids)
        return WW_OK;
    WWI_TRY(wwi_new(p->ids, p->count));
    p->next_id = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (ids[i] < 0 || ids[i] == INT64_MAX) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the id of point %zu is %" PRId64 "; ids are 0 or more", i, ids[i]);
            return wwi_fail_where((int64_t)i, -1);
        }
        p->ids[i] = ids[i];
        p->next_id = ids[i] < p->next_id ? p->next_id : ids[i] + 1;
    }
    return WW_OK;
}

ww_status wwi_points_create_alone(ww_context *context, const ww_point_view *given, const ww_points_options *options,
                                  ww_points **points) {
    ww_points_options o = WW_POINTS_OPTIONS_INIT;
    ww_point_view view = WW_POINT_VIEW_INIT;
    WWI_ENDS(ww_points_destroy) ww_points *p = NULL;
    WWI_ENDS(wwi_stream_destroy) wwi_stream *stream = NULL;
    WWI_TRY(wwi_options_take(&o, options, "ww_points_options"));
    WWI_TRY(wwi_options_take(&view, given, "ww_point_view"));
    WWI_TRY(check_view(&view));
    if ((unsigned)o.precision > WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.precision is %d", (int)o.precision);
    WWI_TRY(wwi_check_precision(context, o.precision));
    wwi_tell_point_fit(context, o.precision, &view);
    WWI_TRY(wwi_new_zeroed(p, 1));
    atomic_init(&p->references, 1);
    p->context = context;
    wwi_context_retain(context);
    // Distances of bits and sets are exact in float, or rounded once.
    p->precision = view.kind == WW_POINTS_NUMBERS ? o.precision : WW_FLOAT;
    p->missing = o.missing && view.kind == WW_POINTS_NUMBERS;
    WWI_TRY(wwi_stream_create(context, &stream));
    WWI_TRY(describe(p, &view));
    WWI_TRY(take_ids(p, o.ids));
    WWI_TRY(upload(p, stream, &view, o.max_bytes));
    *points = wwi_taken(&p);
    return WW_OK;
}

typedef struct creation {
    const ww_point_view *view;
    const ww_points_options *options;
} creation;

static ww_status create_on(wwi_seat *seat) {
    const creation *c = seat->of;
    ww_points *made = NULL;
    const ww_status status =
        wwi_points_create_alone(wwi_context_on(seat->team->context, seat->device), c->view, c->options, &made);
    seat->own = made;
    return status;
}

ww_status wwi_points_add_to(ww_store *store, const ww_point_view *given) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    if (!store)
        return WW_OK;
    WWI_TRY(wwi_options_take(&view, given, "ww_point_view"));
    const uint64_t shape[] = {(uint64_t)view.kind, (uint64_t)view.precision, view.count,
                              view.dimension,      view.column_order != 0,   (uint64_t)view.element};
    const size_t numbers = view.count * view.dimension;
    wwi_store_add_input(store, shape, sizeof shape);
    switch (view.kind) {
    case WW_POINTS_NUMBERS:
        wwi_store_add_input(store, view.values, numbers * wwi_element_bytes(view.element, view.precision));
        break;
    case WW_POINTS_BITS:
        wwi_store_add_input(store, view.values, view.count * ((view.dimension + 7) / 8));
        break;
    default:
        wwi_store_add_input(store, view.offsets, (view.count + 1) * sizeof *view.offsets);
        wwi_store_add_input(store, view.values, (size_t)view.offsets[view.count] * sizeof(uint32_t));
    }
    return WW_OK;
}

static void close_team(wwi_team **team) {
    WWI_TEAM_CLOSE(ww_points, wwi_taken(team), NULL);
}

ww_status ww_points_create(ww_context *context, const ww_point_view *view, const ww_points_options *options,
                           ww_points **points) {
    WWI_ENDS(close_team) wwi_team *team = NULL;
    creation c = {view, options};
    if (points)
        *points = NULL;
    WWI_NEEDS("context, points", context, points);
    WWI_TRY(wwi_team_open(context, NULL, &team));
    if (!team)
        return wwi_points_create_alone(context, view, options, points);
    WWI_TRY(wwi_team_make(team, create_on, &c, 0, NULL));
    ww_points *first = wwi_team_any(team);
    WWI_TRY(wwi_points_add_to(wwi_context_store(context), view));
    if (first->ids && wwi_context_store(context))
        wwi_store_add_input(wwi_context_store(context), first->ids, first->count * sizeof *first->ids);
    first->team = wwi_taken(&team);
    *points = first;
    return WW_OK;
}

ww_status wwi_points_on(ww_points *points, size_t device, ww_points **on) {
    *on = points;
    if (!points || !points->team)
        return WW_OK;
    WWI_TRY(wwi_team_check(points->team, device));
    *on = points->team->on[device];
    return WW_OK;
}

ww_context *wwi_points_divide(const ww_points *base, const ww_points *queries) {
    const wwi_team *team = base ? wwi_team_of(base->team, queries != NULL, queries ? queries->team : NULL) : NULL;
    return team ? team->context : NULL;
}

// ---- slices

size_t wwi_points_slice_limit(const ww_points *p, size_t first) {
    const size_t left = p->count - first;
    if (p->tiles)
        return left;
    if (p->kind != WW_POINTS_SETS) {
        const size_t most = (size_t)(p->max_bytes / (p->words * p->word_bytes)) / WWI_TILE_PAIR * WWI_TILE_PAIR;
        return wwi_least(most, left);
    }
    size_t count = 1;
    while (count < left && wwi_points_bytes(p, first, count + 1) <= p->max_bytes)
        count++;
    return count;
}

ww_status wwi_points_widen(const ww_points *p, wwi_stream *stream, const wwi_slice *slice, size_t first, size_t count,
                           wwi_buffer *tiles) {
    WWI_ENDS(wwi_kernel_destroy) wwi_kernel *kernel = NULL;
    const uint32_t tile = (uint32_t)((first - slice->first) / WWI_TILE);
    WWI_TRY(wwi_kernel_create(stream, p->program, "ww_knn_widen", &kernel));
    return WWI_LAUNCH(kernel, (uint64_t)wwi_points_padded(count) / WWI_TILE * p->words, WWI_TILE,
                      WWI_BUFFER(slice->values), WWI_VALUE(tile), WWI_VALUE(p->words), WWI_BUFFER(tiles));
}

ww_status wwi_points_slice(ww_points *p, wwi_stream *stream, size_t first, size_t count, wwi_slice *slice) {
    if (slice->own && slice->first == first && slice->count == count)
        return WW_OK;
    wwi_slice_close(slice);
    if (p->tiles) {
        *slice = (wwi_slice){p->tiles, p->starts, 0, p->count, false};
        return WW_OK;
    }
    *slice = (wwi_slice){NULL, NULL, first, count, true};
    double largest = 0; // which is known since the points were made
    const ww_status status = upload_points(p, stream, (wwi_point_source){p->host, p->precision}, first, count,
                                           &slice->values, &slice->series, &largest);
    if (status != WW_OK)
        wwi_slice_close(slice);
    return status;
}

// ---- back to the host

ww_status wwi_points_rows(const ww_points *p, size_t first, size_t count, void *rows) {
    const uint64_t d = p->words, size = p->word_bytes, tile = WWI_TILE * d * size;
    unsigned char *to = rows;
    WWI_FREES unsigned char *columns = NULL;
    if (p->tiles)
        WWI_TRY(wwi_new(columns, tile));
    for (size_t i = first; i < first + count; i++) {
        const uint64_t in = i % WWI_TILE;
        if (columns && in == 0)
            WWI_TRY(wwi_buffer_read(p->tiles, i / WWI_TILE * tile, tile, columns));
        for (uint64_t j = 0; j < d; j++, to += size)
            memcpy(to,
                   columns           ? columns + (j * WWI_TILE + in) * size
                   : p->column_order ? p->host + (j * p->count + i) * size
                                     : p->host + (i * d + j) * size,
                   size);
    }
    return WW_OK;
}

ww_status wwi_points_members(const ww_points *p, size_t first, size_t count, uint32_t *members) {
    const uint64_t from = p->offsets[first] * sizeof *members,
                   bytes = p->offsets[first + count] * sizeof *members - from;
    if (bytes == 0)
        return WW_OK;
    if (p->tiles)
        return wwi_buffer_read(p->tiles, from, bytes, members);
    memcpy(members, p->host + from, bytes);
    return WW_OK;
}

void wwi_points_pack(const ww_points *p, const uint32_t *words, size_t count, unsigned char *bytes) {
    for (size_t i = 0; i < count; i++, words += p->words)
        for (size_t b = 0; b < (p->dimension + 7) / 8; b++)
            *bytes++ = (unsigned char)(words[b / 4] >> (b % 4 * 8));
}

static ww_status read_back(const ww_points *p, ww_point_set *set) {
    WWI_FREES uint32_t *words = NULL;
    const bool bits = p->kind == WW_POINTS_BITS;
    const uint64_t bytes = p->kind == WW_POINTS_SETS ? p->offsets[p->count] * sizeof(uint32_t) + 1
                           : bits                    ? p->count * ((p->dimension + 7) / 8)
                                                     : (uint64_t)p->count * p->words * p->word_bytes;
    if (!(set->values = malloc(bytes)))
        return wwi_fail_memory(bytes);
    if (p->kind == WW_POINTS_SETS) {
        WWI_TRY(wwi_new(set->offsets, p->count + 1));
        memcpy(set->offsets, p->offsets, (p->count + 1) * sizeof *set->offsets);
        return wwi_points_members(p, 0, p->count, set->values);
    }
    if (bits)
        WWI_TRY(wwi_new(words, (uint64_t)p->count * p->words));
    WWI_TRY(wwi_points_rows(p, 0, p->count, bits ? words : set->values));
    if (bits)
        wwi_points_pack(p, words, p->count, set->values);
    return WW_OK;
}

ww_status ww_point_set_of_points(const ww_points *p, ww_point_set **set) {
    if (set)
        *set = NULL;
    WWI_NEEDS("points, set", p, set);
    WWI_ENDS(ww_point_set_destroy) ww_point_set *made = NULL;
    WWI_TRY(wwi_new_zeroed(made, 1));
    *made = (ww_point_set){.kind = p->kind,
                           .precision = p->precision,
                           .element = p->element,
                           .count = p->count,
                           .dimension = p->dimension};
    WWI_TRY(read_back(p, made));
    *set = wwi_taken(&made);
    return WW_OK;
}

size_t ww_points_count(const ww_points *points) {
    return points ? points->count : 0;
}

size_t ww_points_dimension(const ww_points *points) {
    return points ? points->dimension : 0;
}

ww_point_kind ww_points_kind(const ww_points *points) {
    return points ? points->kind : WW_POINTS_NUMBERS;
}

ww_element ww_points_element(const ww_points *points) {
    return points ? points->element : WW_ELEMENT_PRECISION;
}

ww_precision ww_points_precision(const ww_points *points) {
    return points ? points->precision : WW_FLOAT;
}
