// SPDX-License-Identifier: Apache-2.0
// What the pictures of a pair of series share: the matrix of a pair with the series at its sides.
#ifndef WAVEWARP_CLI_PAIR_PICTURE_H
#define WAVEWARP_CLI_PAIR_PICTURE_H

#include "pictures/picture.h"

enum { CLI_PAIR_X = 0, CLI_PAIR_Y = 1, CLI_PAIR_PATH = 3 }; // looks
enum { CLI_PAIR_SIDE = 60, CLI_PAIR_LEFT = CLI_PAIR_SIDE + CLI_LEFT + 8, CLI_PAIR_ABOVE = CLI_PAIR_SIDE + 10 };

typedef struct cli_pair {
    cli_picture *picture;
    const double *values[2]; // x (rows) and y (columns), channel by channel
    size_t lengths[2], channels;
    double least, most; // of both
} cli_pair;

void cli_pair_make(cli_picture *picture, const ww_series_set *const sets[2], const size_t members[2], cli_pair *pair);
// All channels of a series; the first is thick.
void cli_pair_series(const cli_pair *pair, const cli_panel *panel, int side);
// A panel of size x size for the matrix, rows downwards, with the series above and to the left (CLI_PAIR_ABOVE and
// CLI_PAIR_LEFT units are needed there). What is in it is drawn before cli_pair_axes().
cli_panel cli_pair_matrix(const cli_pair *pair, double left, double top, double size);
void cli_pair_axes(const cli_panel *matrix);
// The names of the looks, from x on; the place for the next one.
double cli_pair_keys(const cli_pair *pair, double x, double y);
// Says which channels are drawn, where there are several.
void cli_pair_channels(const cli_pair *pair, double x, double y);

// The pictures of `wavewarp path` and `wavewarp gradient`.
typedef struct cli_path_picture {
    const char *path;
    const ww_series_set *sets[2];
    size_t members[2], pair;
    const ww_measure *measure;
    const int32_t *cells; // of the path: i, j
    size_t count;
    double distance;
} cli_path_picture;
int cli_path_draw(const cli_path_picture *wanted);

typedef struct cli_alignment_picture {
    const char *path;
    const ww_series_set *sets[2];
    size_t members[2], pair;
    const ww_measure *measure;
    const void *cells; // rows x columns of `precision`
    ww_precision precision;
    double value;
} cli_alignment_picture;
int cli_alignment_draw(const cli_alignment_picture *wanted);

#endif
