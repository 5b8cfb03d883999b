// SPDX-License-Identifier: Apache-2.0
// The picture of wavewarp matrix: the distances as a heat map.
#ifndef WAVEWARP_CLI_MATRIX_PICTURE_H
#define WAVEWARP_CLI_MATRIX_PICTURE_H

#include "base/common.h"

typedef struct cli_matrix_picture {
    const char *path;
    const ww_series_set *sets[2]; // the second NULL: the first with itself
    const void *values;           // of `precision`: rows, or the upper triangle in one list
    ww_precision precision;
    bool condensed;
    const ww_measure *measure;
} cli_matrix_picture;

int cli_matrix_draw(const cli_matrix_picture *p);

#endif
