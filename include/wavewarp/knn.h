// SPDX-License-Identifier: Apache-2.0
/// \file
/// Exact nearest neighbours of points under a metric, and prediction from them.
#ifndef WAVEWARP_KNN_H
#define WAVEWARP_KNN_H

#include <wavewarp/distance.h>
#include <wavewarp/vectors.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Distances of points x and y. Formulae and errors: docs/knn.md.
typedef enum ww_metric {
    WW_METRIC_L2 = 0,            ///< sqrt(sum (x_j - y_j)^2)
    WW_METRIC_L2_SQUARED = 1,    ///< sum (x_j - y_j)^2
    WW_METRIC_L1 = 2,            ///< sum |x_j - y_j|
    WW_METRIC_LINF = 3,          ///< max |x_j - y_j|
    WW_METRIC_COSINE = 4,        ///< 1 - x.y / (|x| |y|); 1 when x or y is all zeros
    WW_METRIC_INNER_PRODUCT = 5, ///< -x.y: the nearest has the largest product
    WW_METRIC_HAMMING = 6,       ///< number of bits that differ
    WW_METRIC_JACCARD = 7,       ///< 1 - |x n y| / |x u y| of sets of integers; 0 for two empty sets
    WW_METRIC_JACCARD_BITS = 8   ///< the same of sets given as bits
} ww_metric;

/// "l2", "l2-squared", "l1", "linf", "cosine", "inner-product", "hamming", "jaccard" or "jaccard-bits".
WW_API const char *ww_metric_name(ww_metric metric);
WW_API ww_status ww_metric_by_name(const char *name, ww_metric *metric);
/// What a metric's points are made of.
WW_API ww_vector_kind ww_metric_kind(ww_metric metric);

/// Most neighbours a search finds.
#define WW_KNN_MOST 1024

typedef struct ww_knn_options {
    size_t struct_size; ///< sizeof(ww_knn_options)
    ww_metric metric;
    uint64_t max_bytes;      ///< most device bytes for scratch at a time; 0: as fits
    double launch_seconds;   ///< aim for launches no longer than this; 0: 0.25
    ww_progress_fn progress; ///< pairs done and pairs in all; NULL: none
    void *progress_user;
} ww_knn_options;

#define WW_KNN_OPTIONS_INIT                                                                                            \
    { sizeof(ww_knn_options), WW_METRIC_L2, 0, 0.0, NULL, NULL }

/// A search made ready: compiled, its scratch allocated.
typedef struct ww_knn ww_knn;

typedef struct ww_knn_info {
    const char *filter; ///< the kernel that most pairs went through: "tensor", "narrow", "wide", "vector"; "sets" and
                        ///< "all": none
    uint64_t pairs;     ///< queries x base
    uint64_t examined;  ///< distances computed exactly in the last run
    uint64_t launches;  ///< kernel launches of the last run
    double seconds_device; ///< device time of the last run's kernels; 0 when the device does not say
    double seconds_wall;   ///< wall time of the last run, transfers included
} ww_knn_info;

/// Plans the k nearest points of the base for every query, under one metric. Nearest first; of points equally far the
/// lower id comes first and stays in. (L2 is ordered by its square.)
/// \param queries NULL: the base's own points, each without itself.
/// \param k 1 to WW_KNN_MOST.
/// \return WW_ERROR_INVALID_ARGUMENT (k; points of different contexts, precisions, kinds or dimensions, or of a kind
/// the metric does not take), WW_ERROR_OVERFLOW (norms above the precision's range, found when it runs),
/// WW_ERROR_DEVICE_MEMORY. *Ownership*: the caller's. *Thread-safety*: one thread at a time.
WW_API ww_status ww_knn_create(ww_points *base, ww_points *queries, size_t k, const ww_knn_options *options,
                               ww_knn **knn);

/// Searches. \param ids queries x k; -1 where there are fewer than k. \param distances queries x k of the points'
/// precision, +infinity where there are fewer, or NULL. \param found how many there are for each query, or NULL.
/// On any error the arrays' content is unspecified. *Blocking*: until done.
WW_API ww_status ww_knn_run(ww_knn *knn, int64_t *ids, void *distances, uint32_t *found);

WW_API ww_status ww_knn_describe(const ww_knn *knn, ww_knn_info *info);
/// Frees a search and stores NULL in *knn.
WW_API void ww_knn_destroy(ww_knn **knn);

/// Uploads, plans and searches in one call; parameters as above. \param queries NULL: the base's own points.
WW_API ww_status ww_knn_find(ww_context *context, const ww_vector_view *base, const ww_vector_view *queries, size_t k,
                             ww_metric metric, ww_precision precision, int64_t *ids, void *distances);

/// The class most frequent among each query's neighbours; a tie goes to the class with the nearest member.
/// \param ids queries x k, -1 where there are fewer. \param labels a class number >= 0 for each point of the base.
/// \param predicted a class number for each query, -1 where it has no neighbour.
WW_API ww_status ww_knn_vote(const int64_t *ids, size_t queries, size_t k, const long *labels, size_t base_count,
                             long *predicted);

/// The mean of a value over each query's neighbours; NaN where it has none.
WW_API ww_status ww_knn_mean(const int64_t *ids, size_t queries, size_t k, const double *values, size_t base_count,
                             double *predicted);

/// A selection made ready: the k smallest values of every row of a matrix, smallest first.
typedef struct ww_topk ww_topk;

/// Plans selections from matrices of one size: compiles, and allocates for as many rows as fit the device. What finds
/// the nearest among computed distances is here for any numbers, such as the rows of a distance matrix.
/// \param columns 1 to 2^31 - 1, and so \param k, which may be more than there are columns. On a GPU k up to 1024 is
/// fast. \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OVERFLOW, WW_ERROR_UNSUPPORTED (double on a device without it),
/// WW_ERROR_DEVICE_MEMORY (not even one row fits). *Ownership*: the caller's. *Thread-safety*: one thread at a time.
WW_API ww_status ww_select_create(ww_context *context, size_t rows, size_t columns, size_t k, ww_precision precision,
                                  ww_topk **select);

/// Selects. Of equal values that of the lower column comes first and stays in; -0 counts as 0. NaN is never taken.
/// \param values rows x columns in row order, of the plan's precision; NULL: once more those of the run before, where
/// the device holds all rows at once (else WW_ERROR_INVALID_ARGUMENT).
/// \param indices rows x k columns, -1 where there are fewer than k. \param smallest rows x k values, +infinity where
/// there are fewer, or NULL. On any error the arrays' content is unspecified. *Blocking*: until done.
WW_API ww_status ww_select_run(ww_topk *select, const void *values, int64_t *indices, void *smallest);

/// Device time of the last run's kernels; 0 when the device does not say.
WW_API double ww_select_seconds(const ww_topk *select);
/// Frees a selection and stores NULL in *select.
WW_API void ww_select_destroy(ww_topk **select);

#ifdef __cplusplus
}
#endif
#endif
