// SPDX-License-Identifier: Apache-2.0
/// \file
/// k-means under an elastic measure: clusters around averages.
#ifndef WAVEWARP_KMEANS_H
#define WAVEWARP_KMEANS_H

#include <wavewarp/average.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_kmeans_options {
    size_t struct_size;        ///< sizeof(ww_kmeans_options)
    ww_average_method average; ///< how a centre is found from its cluster: WW_AVERAGE_DBA, or WW_AVERAGE_SOFT
    /// Points of every centre. 0: each keeps the length of the series that it starts from.
    size_t length;
    uint64_t seed;     ///< of the choice of the first centres; the same seed gives the same clusters on a device
    size_t starts;     ///< 1 to 10^6: searches, each from first centres of its own; the best is taken. Default 1
    size_t iterations; ///< most of a search; 0: the first centres are the result. Default 50
    /// A search ends when no series changes its cluster, or when an iteration lowers the objective by less than this
    /// share of it, 0 to 1. Default 1e-6
    double tolerance;
    size_t average_iterations;   ///< most iterations of an average in one iteration of the search, >= 1. Default 10
    const ww_plan_options *plan; ///< engine and limits; NULL: all defaults. Progress is in iterations of all searches
    /// The first centres, as many as clusters, with the series' channels, and `starts` 1. NULL: they are chosen.
    const ww_series_set *first;
    /// One a series, how much it counts in averages and in the objective: finite, none below 0, one above. NULL: all 1.
    const double *weights;
} ww_kmeans_options;

#define WW_KMEANS_OPTIONS_INIT                                                                                         \
    { sizeof(ww_kmeans_options), WW_AVERAGE_DBA, 0, 1, 1, 50, 1e-6, 10, NULL, NULL, NULL }

/// What ww_cluster_kmeans() did: of the search that was taken. An output: set struct_size first.
typedef struct ww_kmeans_info {
    size_t struct_size;     ///< sizeof(ww_kmeans_info)
    double objective;       ///< sum of the distances of all series, without a root, to their centres, by their weights
    double first_objective; ///< the same of the first centres
    size_t start;           ///< number of the search, from 0
    size_t iterations;      ///< that changed the centres
    size_t refilled;        ///< times that a cluster had lost all its series and got a new centre
    int converged;          ///< 1: ended before the most iterations
    double seconds_wall;    ///< of all searches
} ww_kmeans_info;

#define WW_KMEANS_INFO_INIT                                                                                            \
    { sizeof(ww_kmeans_info), 0.0, 0.0, 0, 0, 0, 0, 0.0 }

/// Finds `k` centres and the clusters of the series that are nearest to each, so that the sum of the distances to the
/// centres is small (Lloyd's iterations): every series goes to its nearest centre, ties to the lower one; every centre
/// becomes the average of its cluster (ww_average(), started from the centre before). An iteration that does not lower
/// the objective is undone and ends the search.
///
/// The first centres are series, chosen by k-means++ (Arthur and Vassilvitskii, "k-means++: the advantages of careful
/// seeding", SODA 2007): the first at random, each next with a probability proportional to its distance, without a root
/// and with the hard minimum, to the nearest chosen one. A cluster that loses all its series gets the series with the
/// largest distance to its centre, of clusters with more than one; no cluster is empty in the result.
/// \param measure as for ww_average() with the same method; its root is ignored. \param series their precision is that
/// of distances and sums on the device. \param k 1 to the number of series. \param options read during the call only;
/// NULL: all defaults.
/// \param labels one a series: cluster numbers, in the order of each cluster's first series. \param distances one a
/// series, to the centre of its cluster, without a root; may be NULL. \param centres receives a new set of k series,
/// in the order of the clusters. \param info may be NULL.
/// \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_CANCELLED, and what ww_average() and ww_plan_create_nearest() return. On
/// an error *centres is NULL and the arrays are unspecified. *Ownership*: `centres` is the caller's;
/// ww_series_set_destroy(). *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_cluster_kmeans(const ww_measure *measure, ww_dataset *series, size_t k,
                                const ww_kmeans_options *options, int64_t *labels, double *distances,
                                ww_series_set **centres, ww_kmeans_info *info);

#ifdef __cplusplus
}
#endif
#endif
