// SPDX-License-Identifier: Apache-2.0
// What a launch of the kernels of shapelets takes.
#ifndef WAVEWARP_SHAPELET_ARGS_H
#define WAVEWARP_SHAPELET_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

typedef struct ww_shapelet_args {
    ww_uint columns;            // of the chunk, a multiple of the kernels' blocks
    ww_uint least, step, count; // the list of lengths
    ww_uint longest;            // the last length of the list
    ww_uint series;             // of the node
    ww_uint table;              // the first series of the tables of windows
    ww_uint first, many;        // the series of this launch
    ww_uint classes, class_bits;
    ww_uint combine;                     // 0; 1: the larger, 2: the smaller of q and `before`
    ww_uint quality;                     // ww_shapelet_quality
    ww_uint single;                      // 1: a column has one length, its reach
    ww_uint rows;                        // of the recurrence of sparse lengths; 0: cov is a sum of its own products
    ww_uint direct;                      // with rows: up to so many points cov is a sum of its own products all the same
    float error, error_root, error_each; // of q at length l: error + error_root * sqrt(l) + error_each * l
    float scale;                         // distance = scale * sqrt(q), times sqrt(l) where `unscaled`
    ww_uint unscaled;
    ww_uint gaps;   // 1: `nearest` has |column| - cov / |window| (shapelet_tensor.cl), 0: cov / |window|
    ww_uint shorts; // up to so many points `nearest` has sqrt(q) itself (ww_shapelet_circle in shapelet_exact.cl)
} ww_shapelet_args;

#endif
