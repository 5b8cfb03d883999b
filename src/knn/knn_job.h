// SPDX-License-Identifier: Apache-2.0
// What hashing and groups take of the exact search.
#ifndef WAVEWARP_KNN_JOB_H
#define WAVEWARP_KNN_JOB_H

#include <wavewarp/knn.h>

#include "host.h"
#include "knn/knn_args.h"

// A metric's WW_METRIC in kernels_cl/knn/knn.cl.
int wwi_metric_code(ww_metric metric);

// Refuses points (of both sides) whose coordinates are at most `largest` if the metric's values of them are no numbers
// of the precision, or have lost all their digits.
ww_status wwi_knn_check_scale(ww_metric metric, ww_precision precision, size_t dimension, double largest);
// Reads what ww_knn_norms() left in `buffer`, of 8 bytes: the largest squared norm; refuses norms too large or too
// small.
ww_status wwi_knn_read_norms(wwi_stream *stream, wwi_buffer *buffer, ww_metric metric, ww_precision precision,
                             float *largest);

// ww_knn_create_shard() on one device.
ww_status wwi_knn_create_alone(ww_points *base, ww_points *queries, size_t k, const ww_nearest_shard *shard,
                               const ww_knn_options *options, ww_knn **knn);
// Runs queries [first, first + rows) on one device; their results alone are written.
ww_status wwi_knn_run_alone(ww_knn *knn, size_t first, size_t rows, int64_t *ids, void *distances, uint32_t *found);

// The power of two that makes a point of length `reach` 64 to 128 long, for rows of halves
// (kernels_cl/knn/knn_halves.cl). (Data as small as 1e-18 stays smaller.) 0: it is too long for that; then all rows are
// zeros and everything passes.
float wwi_tensor_scale(float reach);

#endif
