// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shape-based distances and k-shape.
#ifndef WAVEWARP_SHAPE_H
#define WAVEWARP_SHAPE_H

#include <wavewarp/dataset.h>
#include <wavewarp/kmeans.h>
#include <wavewarp/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_sbd_options {
    size_t struct_size;        ///< sizeof(ww_sbd_options)
    int raw;                   ///< 1: series are compared as they are; 0: each channel is z-normalised first
    const ww_run_options *run; ///< NULL: all defaults. Progress is in pairs
} ww_sbd_options;

#define WW_SBD_OPTIONS_INIT                                                                                            \
    { sizeof(ww_sbd_options), 0, NULL }

/// Shape-based distances of all rows to all columns (Paparrizos and Gravano, "k-Shape: Efficient and Accurate
/// Clustering of Time Series", SIGMOD 2015): 1 - max over s of sum over t of x(t) y(t - s) / (|x| |y|), from 0 to 2; 1
/// where a series is constant. Lengths may differ: what is outside a series is 0. Of several channels the sums and the
/// norms are those of all of them together.
///
/// Every shift is summed directly, n m multiply-adds a pair and channel, in the datasets' precision: error at most
/// n 2^-24 (double: 2^-53) for the shorter length n.
/// \param columns NULL: `rows` with itself. \param options read during the call only; NULL: all defaults.
/// \param distances rows x columns values of the datasets' precision, row after row. \param shifts rows x columns, or
/// NULL: the shift s of each, by which the column's series is to be delayed to lie on the row's; of equal sums the
/// lowest.
///
/// The device has both sets once more, the columns with 64 to 256 zeros at each end of a channel, and as many rows of
/// results as fit `max_bytes`. A context of several devices computes them on its first.
/// \return WW_ERROR_INVALID_ARGUMENT (different contexts, precisions; NULL), WW_ERROR_CHANNELS,
/// WW_ERROR_CANCELLED, WW_ERROR_DEVICE_MEMORY, WW_ERROR_OVERFLOW (a series of more than 2^30 points),
/// WW_ERROR_OUT_OF_MEMORY, WW_ERROR_OPENCL. On any error the arrays are unspecified. *Thread-safety*: any thread.
/// *Blocking*: until done.
WW_API_STATUS ww_sbd(ww_dataset *rows, ww_dataset *columns, const ww_sbd_options *options, void *distances,
                     int32_t *shifts);

/// k-shape: `k` centres and the clusters of the series that are nearest to each by shape-based distance, of
/// z-normalised series of one length. A centre becomes the shape of its cluster: in each channel the first eigenvector
/// of the members' sums of products, the members shifted onto the centre before and z-normalised, in the sign that is
/// nearer to them; it is z-normalised again. Iterations, first centres and empty clusters are those of
/// ww_cluster_kmeans(). \param options as there: seed, starts, iterations, tolerance, plan (its run), first; the others
/// are not used, and weights are refused. NULL: all defaults. \param labels, distances, centres, info as there. \return
/// as ww_cluster_kmeans() and ww_sbd(); WW_ERROR_UNSUPPORTED for weights; WW_ERROR_INVALID_ARGUMENT for series or first
/// centres of different lengths. *Ownership*: `centres` is the caller's; ww_series_set_destroy(). *Thread-safety*: any
/// thread. *Blocking*: until done.
WW_API_STATUS ww_cluster_kshape(ww_dataset *series, size_t k, const ww_kmeans_options *options, int64_t *labels,
                                double *distances, ww_series_set **centres, ww_kmeans_info *info);

#ifdef __cplusplus
}
#endif
#endif
