// SPDX-License-Identifier: Apache-2.0
// A matrix as items of a schedule: rectangles of a grid, in bands of rows. A tile is neighbours of one band. Of a half
// a band begins with its own square on the diagonal, of which a plan computes one half: a tile by itself.
#ifndef WAVEWARP_MATRIX_TILES_H
#define WAVEWARP_MATRIX_TILES_H

#include <stdbool.h>
#include <wavewarp/status.h>

typedef struct wwi_tiles {
    // Set before wwi_tiles_make():
    size_t rows, columns; // of the matrix
    size_t height, width; // of an item; the last ones are smaller. All are doubled where there are too many
    bool half;            // only what reaches above the diagonal
    // Made:
    size_t bands, items;
    size_t *first;  // bands + 1: the first item of each band
    double *before; // items + 1: the work before each
} wwi_tiles;

// Of a half a tile on the diagonal is a square with row == column.
typedef struct wwi_tile {
    size_t row, rows, column, columns;
} wwi_tile;

static inline size_t wwi_between(size_t value, size_t least, size_t most) {
    return value < least ? least : value > most ? most : value;
}

// `row_points`: rows + 1, what the rows before each take, `column_points` likewise.
ww_status wwi_tiles_make(wwi_tiles *tiles, const double *row_points, const double *column_points);
void wwi_tiles_free(wwi_tiles *tiles);
// The largest end of a tile that begins there.
size_t wwi_tiles_end(const wwi_tiles *tiles, size_t first);
wwi_tile wwi_tiles_at(const wwi_tiles *tiles, size_t first, size_t count);

#endif
