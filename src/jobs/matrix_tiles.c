// SPDX-License-Identifier: Apache-2.0
// The grid of a matrix' tiles, and where each is.
#include "jobs/matrix_tiles.h"

#include <stdlib.h>

#include "base/run.h"

#define MOST_ITEMS ((size_t)1 << 21)

// Where a band's items of the grid's width begin.
static size_t band_column(const wwi_tiles *t, size_t band) {
    return t->half ? wwi_between((band + 1) * t->height, 0, t->columns) : 0;
}

static size_t items_of(const wwi_tiles *t, size_t band) {
    return wwi_ceil_div(t->columns - band_column(t, band), t->width) + t->half;
}

static size_t count_items(wwi_tiles *t) {
    size_t items = 0;
    t->bands = wwi_ceil_div(t->rows, t->height);
    for (size_t band = 0; band < t->bands; band++)
        items += items_of(t, band);
    return items;
}

// Work of [first, end).
static double span(const double *points, size_t first, size_t end) {
    return points[end] - points[first];
}

ww_status wwi_tiles_make(wwi_tiles *t, const double *rows, const double *columns) {
    while ((t->items = count_items(t)) > MOST_ITEMS)
        t->height *= 2, t->width *= 2;
    WWI_TRY(wwi_new(t->first, t->bands + 1));
    WWI_TRY(wwi_new(t->before, t->items + 1));
    t->first[0] = 0;
    t->before[0] = 0;
    for (size_t band = 0, item = 0; band < t->bands; band++) {
        const double height = span(rows, band * t->height, wwi_between((band + 1) * t->height, 0, t->rows));
        if (t->half) {
            t->before[item + 1] = t->before[item] + height * height / 2;
            item++;
        }
        for (size_t column = band_column(t, band); column < t->columns; column += t->width, item++)
            t->before[item + 1] =
                t->before[item] + height * span(columns, column, wwi_between(column + t->width, 0, t->columns));
        t->first[band + 1] = item;
    }
    return WW_OK;
}

void wwi_tiles_free(wwi_tiles *t) {
    free(t->first);
    free(t->before);
}

static size_t band_of(const wwi_tiles *t, size_t item) {
    size_t low = 0, high = t->bands;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (t->first[middle] <= item)
            low = middle;
        else
            high = middle;
    }
    return low;
}

size_t wwi_tiles_end(const wwi_tiles *t, size_t first) {
    const size_t band = band_of(t, first);
    return t->half && first == t->first[band] ? first + 1 : t->first[band + 1];
}

wwi_tile wwi_tiles_at(const wwi_tiles *t, size_t first, size_t count) {
    const size_t band = band_of(t, first), row = band * t->height;
    const size_t rows = wwi_between(row + t->height, 0, t->rows) - row;
    if (t->half && first == t->first[band])
        return (wwi_tile){row, rows, row, rows};
    const size_t column = band_column(t, band) + (first - t->first[band] - t->half) * t->width;
    return (wwi_tile){row, rows, column, wwi_between(column + count * t->width, 0, t->columns) - column};
}
