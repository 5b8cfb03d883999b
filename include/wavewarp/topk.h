// SPDX-License-Identifier: Apache-2.0
/// \file
/// Selection alone: the k smallest values of every row of a matrix. The same selection finds the nearest among computed
/// distances; here it takes any numbers.
#ifndef WAVEWARP_TOPK_H
#define WAVEWARP_TOPK_H

#include <wavewarp/context.h>
#include <wavewarp/run.h>
#include <wavewarp/series.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A prepared selection. *Thread-safety*: one thread at a time.
typedef struct ww_topk ww_topk;

typedef struct ww_topk_options {
    size_t struct_size;        ///< sizeof(ww_topk_options)
    ww_precision precision;    ///< of the values
    const ww_run_options *run; ///< NULL: all defaults. Progress is in rows; `launch_seconds` is not used
} ww_topk_options;

#define WW_TOPK_OPTIONS_INIT                                                                                           \
    { sizeof(ww_topk_options), WW_FLOAT, NULL }

/// What the last run did. An output: set struct_size first.
typedef struct ww_topk_info {
    size_t struct_size;    ///< sizeof(ww_topk_info)
    uint64_t launches;     ///< kernel launches
    double seconds_device; ///< device time of the kernels; 0 when the device does not say
    double seconds_wall;   ///< wall time, transfers included
} ww_topk_info;

#define WW_TOPK_INFO_INIT                                                                                              \
    { sizeof(ww_topk_info), 0, 0.0, 0.0 }

/// Plans selections from matrices of one size: compiles, and allocates for as many rows as fit the device.
/// \param columns 1 to 2^31 - 1. \param k 1 to 2^31 - 1, which may be more than there are columns. On a GPU k up to
/// 1024 is fast. \param options read during the call only; NULL: all defaults. \return WW_ERROR_INVALID_ARGUMENT,
/// WW_ERROR_OVERFLOW, WW_ERROR_UNSUPPORTED (double on a device without it), WW_ERROR_DEVICE_MEMORY (not even one row
/// fits). *Ownership*: the caller's. *Thread-safety*: any thread. *Blocking*: while kernels are compiled.
WW_API_STATUS ww_topk_create(ww_context *context, size_t rows, size_t columns, size_t k, const ww_topk_options *options,
                             ww_topk **topk);

/// Selects. Of equal values that of the lower column comes first and is kept; -0 counts as 0. NaN is never selected.
/// \param values rows x columns in row order, of the options' precision; NULL: those of the previous run again, where
/// the device holds all rows at once (else WW_ERROR_INVALID_ARGUMENT).
/// \param indices rows x k columns, -1 where there are fewer than k. \param smallest rows x k values, +infinity where
/// there are fewer, or NULL. On any error the arrays' content is unspecified.
/// \return WW_ERROR_CANCELLED, WW_ERROR_DEVICE_MEMORY, WW_ERROR_OPENCL. *Thread-safety*: one thread at a time.
/// *Blocking*: until done.
WW_API_STATUS ww_topk_run(ww_topk *topk, const void *values, int64_t *indices, void *smallest);

/// What the last run did. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_topk_get_info(const ww_topk *topk, ww_topk_info *info);

/// Joins the nearest of two parts of a base: for each query the k nearest of both lists, by distance and then by index.
/// Lists are as ww_plan_run_nearest() gives them, nearest first, behind them -1 with infinity (a similarity: minus
/// infinity). A neighbour that is in both lists is taken once. No device takes part.
/// \param similarity not 0: larger is nearer. \param indices, distances queries x k each: a part's, then the result.
/// \param other_indices, other_distances the other part's.
/// \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OUT_OF_MEMORY, WW_ERROR_OVERFLOW. On an error nothing is changed.
/// *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_neighbours_merge(size_t queries, size_t k, ww_precision precision, int similarity, int64_t *indices,
                                  void *distances, const int64_t *other_indices, const void *other_distances);

/// Frees a selection and stores NULL in *topk. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API void ww_topk_destroy(ww_topk **topk);

#ifdef __cplusplus
}
#endif
#endif
