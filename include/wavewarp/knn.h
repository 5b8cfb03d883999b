// SPDX-License-Identifier: Apache-2.0
/// \file
/// Exact nearest neighbours of points under a metric, and prediction from them.
#ifndef WAVEWARP_KNN_H
#define WAVEWARP_KNN_H

#include <wavewarp/plan.h>
#include <wavewarp/points.h>
#include <wavewarp/run.h>

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
    WW_METRIC_JACCARD_BITS = 8,  ///< the same of sets given as bits
    WW_METRIC_MINKOWSKI = 9,     ///< (sum |x_j - y_j|^p)^(1/p), p of ww_knn_options
    WW_METRIC_CANBERRA = 10,     ///< sum |x_j - y_j| / (|x_j| + |y_j|); a term of two zeros is 0
    WW_METRIC_BRAY_CURTIS = 11,  ///< sum |x_j - y_j| / sum |x_j + y_j|; 0 of two points of zeros
    WW_METRIC_CORRELATION = 12,  ///< 1 - Pearson's correlation of the coordinates; 1 when those of one are all alike
    /// sqrt(d / c * sum (x_j - y_j)^2) over the c of d coordinates that both points have (ww_points_options.missing);
    /// with none it is NaN, and such a point is no neighbour
    WW_METRIC_NAN_L2 = 13
} ww_metric;

/// What a metric's points are made of. *Thread-safety*: any thread. *Blocking*: no.
WW_API ww_point_kind ww_metric_kind(ww_metric metric);

/// The largest k of a search.
#define WW_KNN_MOST 1048576

typedef struct ww_knn_options {
    size_t struct_size; ///< sizeof(ww_knn_options)
    ww_metric metric;
    const ww_run_options *run; ///< NULL: all defaults. Progress is in pairs
    double p;                  ///< WW_METRIC_MINKOWSKI: 1 to 10^6; 0: 2
    /// The points of the base that count, by their ids: `subset_count` of them, in any order, read during the call
    /// only; NULL: all. All points of an id count. The search copies them on the device, and takes as long as one of so
    /// many points; its neighbours are those that a search of the whole base would give without the others, bit for
    /// bit.
    const int64_t *subset;
    size_t subset_count;
    /// The same as bits, one for each point of the base in its order, eight in a byte, the first in the lowest bit:
    /// only one of the two is given.
    const uint8_t *subset_bits;
} ww_knn_options;

#define WW_KNN_OPTIONS_INIT                                                                                            \
    { sizeof(ww_knn_options), WW_METRIC_L2, NULL, 0.0, NULL, 0, NULL }

/// A prepared search: compiled, its scratch memory allocated. *Thread-safety*: one thread at a time; different
/// searches, also of the same points, in any number of threads.
typedef struct ww_knn ww_knn;

/// What the last run did. An output: set struct_size first.
typedef struct ww_knn_info {
    size_t struct_size; ///< sizeof(ww_knn_info)
    const char *filter; ///< the kernel that most pairs went through: "tensor", "narrow", "wide", "vector"; "sets" and
                        ///< "all": none
    uint64_t pairs;     ///< queries x base
    uint64_t examined;  ///< distances computed exactly in the last run
    uint64_t launches;  ///< kernel launches of the last run
    double seconds_device; ///< device time of the last run's kernels; 0 when the device does not say
    double seconds_wall;   ///< wall time of the last run, transfers included
} ww_knn_info;

#define WW_KNN_INFO_INIT                                                                                               \
    { sizeof(ww_knn_info), "", 0, 0, 0, 0.0, 0.0 }

/// Plans the k nearest points of the base for every query, under one metric. Nearest first; of points at equal distance
/// the lower id comes first and is kept; of points with own ids, or of a subset, the one that comes first in the base.
/// (L2 is ordered by its square.)
/// \param base, queries kept alive. queries NULL: the base's own points, each without itself.
/// \param k 1 to WW_KNN_MOST. \param options read during the call only; NULL: all defaults.
/// \return WW_ERROR_INVALID_ARGUMENT (k; points of different contexts, precisions, kinds or dimensions, or of a kind
/// the metric does not take; missing coordinates under another metric than WW_METRIC_NAN_L2; p; a subset's id that no
/// point has), WW_ERROR_EMPTY (a subset of no point),
/// WW_ERROR_OVERFLOW (coordinates too large for the metric; norms, found when it runs), WW_ERROR_UNSUPPORTED (too
/// small), WW_ERROR_DEVICE_MEMORY. *Ownership*: the caller's. *Thread-safety*: any thread. *Blocking*: while kernels
/// are compiled.
WW_API_STATUS ww_knn_create(ww_points *base, ww_points *queries, size_t k, const ww_knn_options *options, ww_knn **knn);

/// The same for a part of the queries and of the base. ww_neighbours_merge() (wavewarp/topk.h) joins the results of the
/// parts of a base: ids and distances are then those of one search, bit for bit, on devices of one kind.
/// \param queries NULL: the base's own points, each without itself: both offsets have to be equal. \param shard read
/// during the call only, with what it points to; NULL: as ww_knn_create(). `initial` has a distance for each query, of
/// the points' precision: what is farther is passed over where the filter shows it, and is never reported.
/// \return as ww_knn_create(); WW_ERROR_UNSUPPORTED (WW_METRIC_L2: its neighbours are ordered by squares; search under
/// WW_METRIC_L2_SQUARED, and take the roots of the merged distances. Points with own ids, and subsets),
/// WW_ERROR_OVERFLOW (an id beyond 63 bits). *Ownership*: the caller's. *Thread-safety*: any thread. *Blocking*: while
/// kernels are compiled.
WW_API_STATUS ww_knn_create_shard(ww_points *base, ww_points *queries, size_t k, const ww_nearest_shard *shard,
                                  const ww_knn_options *options, ww_knn **knn);

/// Searches. \param ids queries x k; -1 where there are fewer than k. \param distances queries x k of the points'
/// precision, +infinity where there are fewer, or NULL. \param found how many there are for each query, or NULL.
/// The arrays are host memory: the device has ids of 32 bits and squares, of which 64 bits and roots are made on the
/// way. ww_buffer_write() brings them back to the device where they are needed there.
/// On any error the arrays' content is unspecified. \return WW_ERROR_CANCELLED, WW_ERROR_OVERFLOW (norms),
/// WW_ERROR_DEVICE_MEMORY, WW_ERROR_OPENCL. *Thread-safety*: one thread at a time. *Blocking*: until done.
WW_API_STATUS ww_knn_run(ww_knn *knn, int64_t *ids, void *distances, uint32_t *found);

/// What the last run did. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_knn_get_info(const ww_knn *knn, ww_knn_info *info);

/// Frees a search and stores NULL in *knn. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API void ww_knn_destroy(ww_knn **knn);

/// Uploads, plans and searches in one call; parameters as above. \param queries NULL: the base's own points.
/// \return as ww_points_create(), ww_knn_create() and ww_knn_run(). *Thread-safety*: any thread. *Blocking*: until
/// done.
WW_API_STATUS ww_knn_find(ww_context *context, const ww_point_view *base, const ww_point_view *queries, size_t k,
                          ww_metric metric, ww_precision precision, int64_t *ids, void *distances);

/// The class most frequent among each query's neighbours; a tie goes to the class with the nearest member.
/// \param ids queries x k, -1 where there are fewer. \param labels a class number >= 0 for each point of the base.
/// \param predicted a class number for each query, -1 where it has no neighbour.
/// \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_NO_LABELS (a negative one). *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_knn_vote(const int64_t *ids, size_t queries, size_t k, const int64_t *labels, size_t base_count,
                          int64_t *predicted);

/// The mean of a value over each query's neighbours; NaN where it has none.
/// \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_knn_mean(const int64_t *ids, size_t queries, size_t k, const double *values, size_t base_count,
                          double *predicted);

#ifdef __cplusplus
}
#endif
#endif
