// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels on points.
#ifndef WAVEWARP_KNN_JOB_H
#define WAVEWARP_KNN_JOB_H

#include <stdint.h>
#include <wavewarp/knn.h>

// The same struct as ww_knn_job in kernels_cl/knn/knn.cl.
typedef struct wwi_knn_job {
    uint32_t query_first, query_count, base_first, base_end, base_id, own, dimension, k, capacity, query_groups, part,
        listed;
    float margin, reach;
} wwi_knn_job;
_Static_assert(sizeof(wwi_knn_job) == 56, "ww_knn_job in kernels_cl/knn/knn.cl has this size");

// A metric's WW_METRIC in kernels_cl/knn/knn.cl.
int wwi_metric_code(ww_metric metric);

// Runs queries [first, first + rows) of a search without initial distances; their results alone are written.
ww_status wwi_knn_run_rows(ww_knn *knn, size_t first, size_t rows, int64_t *ids, void *distances);

// The power of two that makes a point of length `reach` 64 to 128 long, for rows of halves
// (kernels_cl/knn/knn_halves.cl). (Data as small as 1e-18 stays smaller.) 0: it is too long for that; then all rows are
// zeros and everything passes.
float wwi_tensor_scale(float reach);

#endif
