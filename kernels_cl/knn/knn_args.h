// SPDX-License-Identifier: Apache-2.0
// What a launch of the kernels on points takes.
#ifndef WAVEWARP_KNN_ARGS_H
#define WAVEWARP_KNN_ARGS_H

#ifndef WW_KERNEL_TYPES
#include "base/kernel_types.h"
#endif

typedef struct ww_knn_args {
    ww_uint query_first, query_count; // rows, in the queries' tiles
    ww_uint base_first, base_end;     // the chunk, in the base's tiles; base_first is a multiple of 128
    ww_uint base_id;                  // id of the first point in the base's tiles
    ww_uint own; // id of row 0 in the base, which is no neighbour of row 0 (own + 1 none of row 1, ...); or WW_NO_INDEX
    ww_uint dimension, k;
    ww_uint capacity;     // entries of a row in `ids` and `values`
    ww_uint query_groups; // work-groups, or parts of them, that share a part of the chunk
    ww_uint part;         // points of a part, a multiple of 128
    ww_uint listed;       // ww_knn_exact: 1 those in `ids`, 0 all of the chunk
    float margin, reach;  // relative error of the filter; norm of the longest point of the base
    float slack;          // of sums of products: so much of the query's squared norm may be lost to rounding
} ww_knn_args;

#endif
