// SPDX-License-Identifier: Apache-2.0
// A matrix, or a rectangle of one, cut into square tiles.
#ifndef WAVEWARP_CLI_GRID_H
#define WAVEWARP_CLI_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Tiles are numbered row after row; of a symmetric matrix those on and above the diagonal.
typedef struct cli_tiles {
    size_t row, rows, column, columns; // the rectangle of the whole matrix
    size_t side;
    size_t tile_rows, tile_columns;
    bool upper;
} cli_tiles;

typedef struct cli_tile {
    size_t row, rows, column, columns; // in the rectangle
    bool diagonal;
} cli_tile;

void cli_tiles_fit(cli_tiles *tiles, size_t side);
uint64_t cli_tiles_count(const cli_tiles *tiles);
cli_tile cli_tiles_at(const cli_tiles *tiles, uint64_t number);
// Values in all tiles before this one.
uint64_t cli_tiles_offset(const cli_tiles *tiles, uint64_t number);

// The values above the diagonal of a matrix of n rows, as a list: how many they are, and where it has those of i and j.
uint64_t cli_condensed_count(uint64_t n);
uint64_t cli_condensed_at(uint64_t n, uint64_t i, uint64_t j);

#endif
