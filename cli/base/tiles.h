// SPDX-License-Identifier: Apache-2.0
// A matrix as square tiles: computed tile by tile into a file, by one run or several (division.h).
#ifndef WAVEWARP_CLI_TILES_H
#define WAVEWARP_CLI_TILES_H

#include "base/grid.h"
#include "base/series_job.h"

// Where the values of tiles go: the file of the whole result.
typedef struct cli_tile_target {
    const cli_tiles *tiles;
    ww_array_file *file;
    ww_precision precision;
    bool condensed;
} cli_tile_target;
// Writes `tile` (or several that follow each other in a row, as one), and of a symmetric matrix what is below it. The
// values of a diagonal tile become symmetric.
int cli_tile_put(const cli_tile_target *target, const cli_tile *tile, void *values);

// "rows 7 columns 7 ..." as the options of a journal begin, with all that says where a part's values belong.
typedef struct cli_tile_shape {
    cli_tiles tiles;
    bool condensed;
    ww_precision precision;
    uint64_t parts; // 0: not divided
} cli_tile_shape;
void cli_tile_shape_print(const cli_tile_shape *shape, char text[256]);
bool cli_tile_shape_read(const char *text, cli_tile_shape *shape);

typedef struct cli_tile_job {
    cli_series_job *s; // its sets: rows and columns; the second NULL: the first
    ww_plan *plan;
    cli_tile_shape shape; // all but tiles.side and what follows from it
    const char *output;
} cli_tile_job;
int cli_tiles_run(cli_division *d, cli_tile_job *job);

#endif
