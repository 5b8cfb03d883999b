// SPDX-License-Identifier: Apache-2.0
// Numbers and bits on their way into tiles: converted and checked by several threads.
#ifndef WAVEWARP_POINT_TILES_H
#define WAVEWARP_POINT_TILES_H

#include "data/points.h"

// Numbers or words in host memory, in the points' order of coordinates.
typedef struct wwi_point_source {
    const void *values;
    ww_precision precision; // of numbers
} wwi_point_source;

// All numbers of a view in the points' precision to p->host; `largest`: their largest absolute value, as it was given.
// WW_ERROR_NOT_FINITE.
ww_status wwi_points_keep_numbers(const ww_points *points, const ww_point_view *view, double *largest);
// Points [first, first + count) of a source into tiles, piece by piece. `largest` is raised to the largest absolute
// value of numbers. WW_ERROR_NOT_FINITE.
ww_status wwi_points_tile(const ww_points *points, wwi_stream *stream, wwi_point_source source, size_t first,
                          size_t count, wwi_buffer *tiles, double *largest);

#endif
