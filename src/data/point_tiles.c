// SPDX-License-Identifier: Apache-2.0
// See point_tiles.h. A piece of the points is sent as the view has them, row after row or column after column, and a
// kernel writes them into tiles.
#include "data/point_tiles.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/element.h"
#include "data/values.h"

// Bytes uploaded at a time before they are copied into tiles.
#define PIECE_BYTES (UINT64_C(64) << 20)

typedef struct taking {
    const ww_points *points;
    wwi_point_source source;
    size_t first, count; // points that are taken, in the source's order
    pthread_mutex_t lock;
    double largest;   // absolute value
    uint64_t refused; // number of the first value that is, in the order that is sent; UINT64_MAX: none
    size_t point, coordinate;
    double value;
} taking;

// Where value `number` of those that are sent is: point and coordinate. Returns how many more follow it in the source.
static uint64_t find(const taking *t, uint64_t number, size_t *point, size_t *coordinate) {
    const uint64_t d = t->points->words;
    if (t->points->column_order) {
        *point = t->first + (size_t)(number % t->count);
        *coordinate = (size_t)(number / t->count);
        return t->count - number % t->count;
    }
    *point = t->first + (size_t)(number / d);
    *coordinate = (size_t)(number % d);
    return UINT64_MAX;
}

static uint64_t place_of(const taking *t, size_t point, size_t coordinate) {
    const ww_points *p = t->points;
    return p->column_order ? (uint64_t)coordinate * p->count + point : (uint64_t)point * p->words + coordinate;
}

static ww_status report(const taking *t) {
    if (isfinite(t->value)) {
        wwi_fail(WW_ERROR_NOT_FINITE, "value %g of point %zu, coordinate %zu is too large for float", t->value,
                 t->point, t->coordinate);
        wwi_fail_hint("use double precision, or scale the points");
    } else {
        wwi_fail(WW_ERROR_NOT_FINITE, "point %zu has %s at coordinate %zu", t->point,
                 isnan(t->value) ? "NaN" : "infinity", t->coordinate);
        wwi_fail_hint("drop the point, or fill in its missing values");
    }
    return wwi_fail_where((int64_t)t->point, (int64_t)t->coordinate);
}

// One of values [number, number + count) is refused: the first is kept.
static ww_status refuse(taking *t, uint64_t number, uint64_t count) {
    size_t point = 0, coordinate = 0;
    double value = 0;
    for (uint64_t end = number + count; number < end; number++) {
        (void)find(t, number, &point, &coordinate);
        value =
            wwi_element_at(t->source.values, t->points->element, t->source.precision, place_of(t, point, coordinate));
        if (t->points->missing && isnan(value))
            continue;
        if (!isfinite(t->points->precision == WW_FLOAT ? (double)(float)value : value))
            break;
    }
    (void)pthread_mutex_lock(&t->lock);
    if (number < t->refused) {
        t->refused = number;
        t->point = point;
        t->coordinate = coordinate;
        t->value = value;
    }
    const ww_status status = report(t);
    (void)pthread_mutex_unlock(&t->lock);
    return status;
}

// The largest absolute value of those that are no NaN.
static double largest_there(wwi_line line, size_t count) {
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = fabs(wwi_line_at(line, i));
        largest = value > largest ? value : largest;
    }
    return largest;
}

// The same of narrow numbers; infinity where one is, or where NaN is and is not a missing coordinate.
static double largest_narrow(const ww_points *p, const void *values, uint64_t from, uint64_t count) {
    double largest = 0;
    for (uint64_t i = from; i < from + count; i++) {
        const double value = fabs(wwi_element_at(values, p->element, p->precision, i));
        if (isnan(value) && !p->missing)
            return INFINITY;
        largest = value > largest ? value : largest;
    }
    return largest;
}

static ww_status take_piece(void *user, uint64_t at, uint64_t bytes, void *target) {
    taking *t = user;
    const ww_points *p = t->points;
    const bool is_double = t->source.precision == WW_DOUBLE;
    unsigned char *to = target;
    uint64_t number = at / p->word_bytes, left = bytes / p->word_bytes;
    double largest_of_all = 0;
    while (left) {
        size_t point, coordinate;
        const uint64_t some = wwi_least(find(t, number, &point, &coordinate), left);
        const uint64_t from = place_of(t, point, coordinate);
        if (p->kind == WW_POINTS_BITS || wwi_points_are_narrow(p))
            memcpy(to, (const unsigned char *)t->source.values + from * p->word_bytes, (size_t)some * p->word_bytes);
        if (wwi_points_are_narrow(p)) {
            const double largest = largest_narrow(p, t->source.values, from, some);
            if (!isfinite(largest))
                return refuse(t, number, some);
            largest_of_all = fmax(largest_of_all, largest);
        } else if (p->kind == WW_POINTS_NUMBERS) {
            const wwi_line line = {is_double ? NULL : (const float *)t->source.values + from,
                                   is_double ? (const double *)t->source.values + from : NULL, 1};
            double largest = wwi_line_take(line, 0, (size_t)some, p->precision, to);
            if (p->missing && !isfinite(largest))
                largest = largest_there(line, (size_t)some);
            if (!isfinite(p->precision == WW_FLOAT ? (double)(float)largest : largest))
                return refuse(t, number, some);
            largest_of_all = fmax(largest_of_all, largest);
        }
        number += some;
        left -= some;
        to += some * p->word_bytes;
    }
    (void)pthread_mutex_lock(&t->lock);
    t->largest = fmax(t->largest, largest_of_all);
    (void)pthread_mutex_unlock(&t->lock);
    return WW_OK;
}

static uint64_t bytes_of(const taking *t) {
    return (uint64_t)t->count * t->points->words * t->points->word_bytes;
}

static ww_status take_in_memory(void *user, uint64_t piece) {
    taking *t = user;
    const uint64_t at = piece * WWI_SEND_PIECE;
    return take_piece(t, at, wwi_least(bytes_of(t) - at, WWI_SEND_PIECE), t->points->host + at);
}

// To a buffer, or without one to the points' host memory.
static ww_status take(taking *t, wwi_buffer *to) {
    const ww_context *context = t->points->context;
    const uint64_t bytes = bytes_of(t);
    t->refused = UINT64_MAX;
    (void)pthread_mutex_init(&t->lock, NULL);
    const ww_status status =
        to ? wwi_send(to, 0, bytes, take_piece, t)
           : wwi_share(wwi_send_threads(context, bytes), wwi_ceil_div(bytes, WWI_SEND_PIECE), take_in_memory, t);
    (void)pthread_mutex_destroy(&t->lock);
    // Of several pieces that failed at once any may have been told.
    return status == WW_ERROR_NOT_FINITE ? report(t) : status;
}

ww_status wwi_points_keep_numbers(const ww_points *p, const ww_point_view *view, double *largest) {
    taking t = {.points = p, .source = {view->values, view->precision}, .count = p->count};
    WWI_TRY(take(&t, NULL));
    *largest = t.largest;
    return WW_OK;
}

ww_status wwi_points_tile(const ww_points *p, wwi_stream *stream, wwi_point_source source, size_t first, size_t count,
                          wwi_buffer *tiles, double *largest) {
    WWI_ENDS(wwi_kernel_destroy) wwi_kernel *kernel = NULL;
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *piece = NULL;
    const uint64_t point_bytes = p->words * p->word_bytes;
    size_t most = (size_t)(PIECE_BYTES / point_bytes) / WWI_TILE_PAIR * WWI_TILE_PAIR;
    if (most < WWI_TILE_PAIR)
        most = WWI_TILE_PAIR;
    most = wwi_least(most, wwi_points_padded(count));
    WWI_TRY(wwi_kernel_create(stream, p->program, "ww_knn_tile", &kernel));
    WWI_TRY(wwi_buffer_create(p->context, most * point_bytes, &piece));
    for (size_t at = 0; at < count; at += most) {
        const size_t some = wwi_least(count - at, most);
        taking t = {.points = p, .source = source, .first = first + at, .count = some};
        const uint64_t row_step = p->column_order ? 1 : p->words, column_step = p->column_order ? some : 1;
        const uint32_t to = (uint32_t)at, n = (uint32_t)some;
        WWI_TRY(take(&t, piece));
        *largest = fmax(*largest, t.largest);
        WWI_TRY(WWI_LAUNCH(kernel, (uint64_t)wwi_points_padded(some) / WWI_TILE * p->words, WWI_TILE, WWI_BUFFER(piece),
                           WWI_VALUE(row_step), WWI_VALUE(column_step), WWI_VALUE(to), WWI_VALUE(n),
                           WWI_VALUE(p->words), WWI_BUFFER(tiles)));
    }
    return wwi_finish(stream);
}
