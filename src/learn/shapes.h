// SPDX-License-Identifier: Apache-2.0
// Shape-based distances to centres and the shapes of clusters: what k-means (kmeans.c) needs to be k-shape.
#ifndef WAVEWARP_SHAPES_H
#define WAVEWARP_SHAPES_H

#include <wavewarp/shape.h>

// Series of one length, z-normalised; and the shifts by which they were placed last.
typedef struct wwi_shapes wwi_shapes;

// WW_ERROR_INVALID_ARGUMENT where lengths differ. `run` is borrowed.
ww_status wwi_shapes_open(ww_dataset *series, const ww_run_options *run, wwi_shapes **shapes);
void wwi_shapes_close(wwi_shapes **shapes);
size_t wwi_shapes_length(const wwi_shapes *shapes);
// The nearest of `centres` for every series, ties to the lower one, and its distance.
ww_status wwi_shapes_place(wwi_shapes *shapes, ww_dataset *centres, int64_t *labels, double *distances);
// The distance of series `series`, which is placed anew, to centre `c` of `centres`.
ww_status wwi_shapes_place_one(wwi_shapes *shapes, ww_dataset *centres, size_t series, size_t c, double *distance);
// The distances of all series to one of them: what is below `least` replaces it.
ww_status wwi_shapes_lower(wwi_shapes *shapes, size_t series, double *least);
// The shape of `count` members as they were placed, channels x length; `before`: the centre that it replaces.
ww_status wwi_shapes_centre(const wwi_shapes *shapes, const size_t *members, size_t count, const double *before,
                            double *shape);

#endif
