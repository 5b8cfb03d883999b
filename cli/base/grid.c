// SPDX-License-Identifier: Apache-2.0
// See grid.h.
#include "base/grid.h"

void cli_tiles_fit(cli_tiles *t, size_t side) {
    t->side = side;
    t->tile_rows = (t->rows - 1) / side + 1;
    t->tile_columns = (t->columns - 1) / side + 1;
}

// The number of the first tile in a row of tiles.
static uint64_t first_of(const cli_tiles *t, uint64_t tile_row) {
    return tile_row * t->tile_columns - (t->upper ? cli_condensed_count(tile_row) : 0);
}

uint64_t cli_tiles_count(const cli_tiles *t) {
    return first_of(t, t->tile_rows);
}

static size_t tile_row_of(const cli_tiles *t, uint64_t number) {
    size_t low = 0, high = t->tile_rows;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (first_of(t, middle) <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

cli_tile cli_tiles_at(const cli_tiles *t, uint64_t number) {
    const size_t r = tile_row_of(t, number), c = (size_t)(number - first_of(t, r)) + (t->upper ? r : 0);
    cli_tile tile = {r * t->side, t->side, c * t->side, t->side, t->upper && r == c};
    tile.rows = tile.rows < t->rows - tile.row ? tile.rows : t->rows - tile.row;
    tile.columns = tile.columns < t->columns - tile.column ? tile.columns : t->columns - tile.column;
    return tile;
}

uint64_t cli_tiles_offset(const cli_tiles *t, uint64_t number) {
    const uint64_t whole = cli_tiles_count(t);
    const size_t end = number < whole ? tile_row_of(t, number) : t->tile_rows;
    uint64_t sum = 0;
    for (size_t r = 0; r < end; r++) {
        const cli_tile first = cli_tiles_at(t, first_of(t, r));
        sum += (uint64_t)first.rows * (t->columns - first.column);
    }
    if (number < whole) {
        const cli_tile first = cli_tiles_at(t, first_of(t, end)), tile = cli_tiles_at(t, number);
        sum += (uint64_t)first.rows * (tile.column - first.column);
    }
    return sum;
}

// The even one of two neighbours is halved, before anything is multiplied.
uint64_t cli_condensed_count(uint64_t n) {
    return n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
}

uint64_t cli_condensed_at(uint64_t n, uint64_t i, uint64_t j) {
    const uint64_t low = i < j ? i : j, high = i < j ? j : i;
    return (low % 2 ? low * (n - (low + 1) / 2) : low / 2 * (2 * n - low - 1)) + high - low - 1;
}
