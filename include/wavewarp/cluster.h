// SPDX-License-Identifier: Apache-2.0
/// \file
/// Clusters from a matrix of distances: k medoids, agglomerative clustering, and how well clusters are separated.
///
/// All functions take the distances in the condensed layout (wavewarp/output.h): the upper triangle without its
/// diagonal, row after row, count*(count-1)/2 values, as a matrix plan of a set with itself gives them. They compute on
/// the host, on the calling thread, in double. Distances may be negative (soft measures), but must be finite.
#ifndef WAVEWARP_CLUSTER_H
#define WAVEWARP_CLUSTER_H

#include <wavewarp/dataset.h>
#include <wavewarp/measure.h>
#include <wavewarp/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_medoids_options {
    size_t struct_size;        ///< sizeof(ww_medoids_options)
    uint64_t max_swaps;        ///< most exchanges of a medoid; 0: until none lowers the cost
    const ww_run_options *run; ///< NULL: all defaults. Progress is in candidates looked at, of an unknown total; of
                               ///< samples, in distances of series to medoids
    size_t samples;            ///< ww_cluster_medoids_sampled(): how many samples are tried; 0: 5
    size_t sample;             ///< likewise: series of a sample, at least k + 1; 0: 200 + 4 k
    uint64_t seed;             ///< likewise: the same seed draws the same samples
} ww_medoids_options;

#define WW_MEDOIDS_OPTIONS_INIT                                                                                        \
    { sizeof(ww_medoids_options), 0, NULL, 0, 0, 0 }

/// What ww_cluster_medoids() did. An output: set struct_size first.
typedef struct ww_medoids_info {
    size_t struct_size; ///< sizeof(ww_medoids_info)
    double cost;        ///< sum of the distances of all items to their medoids
    double first_cost;  ///< the same of the first medoids, before any exchange
    uint64_t swaps;     ///< exchanges made
    int converged;      ///< 1: no exchange lowers the cost; 0: max_swaps was reached
} ww_medoids_info;

#define WW_MEDOIDS_INFO_INIT                                                                                           \
    { sizeof(ww_medoids_info), 0.0, 0.0, 0, 0 }

/// Finds `k` items, the medoids, so that the sum of all items' distances to the nearest of them is small: a local
/// minimum, in which no exchange of one medoid for another item lowers the sum. The result depends on nothing but the
/// distances.
///
/// The first medoids are chosen greedily (BUILD of Kaufman and Rousseeuw, 1990); exchanges are made as soon as one
/// lowers the sum (FasterPAM: Schubert and Rousseeuw, "Fast and eager k-medoids clustering", Information Systems 2021).
/// \param condensed count*(count-1)/2 distances of `precision`. \param count at least 1. \param k 1 to `count`.
/// \param labels `count` cluster numbers, in the order of each cluster's first item: the cluster of the nearest medoid.
/// \param medoids k item numbers, the medoid of each cluster. \param info may be NULL.
/// \return WW_ERROR_NOT_FINITE (the record names the two items), WW_ERROR_CANCELLED, WW_ERROR_OUT_OF_MEMORY.
/// On an error the outputs are unspecified. *Ownership*: all arrays are the caller's. *Thread-safety*: any thread.
/// *Blocking*: until done; k * count^2 steps for the first medoids, count^2 for each pass over all candidates.
WW_API_STATUS ww_cluster_medoids(const void *condensed, ww_precision precision, size_t count, size_t k,
                                 const ww_medoids_options *options, int64_t *labels, size_t *medoids,
                                 ww_medoids_info *info);

/// Finds medoids of many series without the matrix of their distances (CLARA: Kaufman and Rousseeuw, "Finding groups in
/// data", 1990, chapter 3): draws samples, finds the medoids of each by ww_cluster_medoids(), gives every series to the
/// nearest of them, and keeps those whose sum of distances to all series is least. Each sample after the first has the
/// best medoids so far among its series. A sample of s series takes s (s - 1) / 2 distances and count * k for all
/// series; the memory is that of a sample's distances, 32 bytes a series (40 in double), and the series once in double.
/// \param measure symmetric, and no similarity. \param series their precision is that of the distances. \param options
/// NULL: all defaults. Where the sample would have all series it has them: then one is enough, and medoids and cost are
/// those of ww_cluster_medoids(). \param labels, medoids as of ww_cluster_medoids(). \param distances `count`, of the
/// dataset's precision: of each series to its medoid; or NULL. \param info or NULL. cost: of all series; first_cost: of
/// the first sample's medoids; swaps: of all samples; converged: none reached max_swaps. \return
/// WW_ERROR_INVALID_ARGUMENT, WW_ERROR_UNSUPPORTED (a similarity, or a measure that is not symmetric),
/// WW_ERROR_CANCELLED, and what a matrix and a search of the nearest return. *Thread-safety*: any thread. *Blocking*:
/// until done.
WW_API_STATUS ww_cluster_medoids_sampled(const ww_measure *measure, ww_dataset *series, size_t k,
                                         const ww_medoids_options *options, int64_t *labels, size_t *medoids,
                                         void *distances, ww_medoids_info *info);

/// The distance of two clusters, from those of their items.
typedef enum ww_linkage {
    WW_LINKAGE_SINGLE = 0,   ///< the least
    WW_LINKAGE_COMPLETE = 1, ///< the largest
    WW_LINKAGE_AVERAGE = 2,  ///< the mean of all pairs (UPGMA)
    WW_LINKAGE_WARD = 3      ///< growth of the sum of squares, as if the distances were Euclidean; none negative
} ww_linkage;

/// Two clusters become one. Never changes: it is used in arrays.
typedef struct ww_merge {
    int64_t left, right; ///< left < right; below `count`: an item; count + m: the cluster that merge m made
    double distance;     ///< of the two; never less than that of an earlier merge
    int64_t size;        ///< items in the new cluster
} ww_merge;

/// Merges the two nearest clusters until one is left (by chains of nearest neighbours: Murtagh, "A survey of recent
/// advances in hierarchical clustering algorithms", The Computer Journal 1983): count^2 steps, and 8 bytes of host
/// memory a distance.
/// \param merges count - 1 merges, the nearest first.
/// \return WW_ERROR_NOT_FINITE (the record names the two items), WW_ERROR_INVALID_ARGUMENT (a negative distance under
/// WW_LINKAGE_WARD), WW_ERROR_CANCELLED, WW_ERROR_OUT_OF_MEMORY. \param run NULL: all defaults. Progress is in merges.
/// On an error the merges are unspecified. *Ownership*: the array is the caller's. *Thread-safety*: any thread.
/// *Blocking*: until done.
WW_API_STATUS ww_cluster_agglomerate(const void *condensed, ww_precision precision, size_t count, ww_linkage linkage,
                                     const ww_run_options *run, ww_merge *merges);

/// The clusters that are left when only merges up to `distance` are made, but never fewer than `least` clusters: for
/// exactly k clusters, INFINITY and k.
/// \param merges of ww_cluster_agglomerate(). \param least 1 to `count`.
/// \param labels `count` cluster numbers, in the order of each cluster's first item.
/// \param clusters how many there are; may be NULL.
/// \return WW_ERROR_EMPTY (no item), WW_ERROR_INVALID_ARGUMENT (`least` outside its range, a distance of NaN, merges
/// that no such function made), WW_ERROR_OUT_OF_MEMORY. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_cluster_cut(const ww_merge *merges, size_t count, double distance, size_t least, int64_t *labels,
                             size_t *clusters);

/// How well clusters are separated (Rousseeuw, "Silhouettes", J. Comput. Appl. Math. 1987): with a the item's mean
/// distance to its own cluster's others and b the least mean distance to another cluster, (b - a) / max(a, b), from -1
/// to 1; 0 for an item alone in its cluster, or where a = b = 0.
/// \param labels `count` cluster numbers from 0. \param each `count` silhouettes, or NULL.
/// \param mean of all items; 0 where there is one cluster.
/// \return WW_ERROR_NOT_FINITE, WW_ERROR_INVALID_ARGUMENT (a negative label or distance), WW_ERROR_OUT_OF_MEMORY.
/// *Thread-safety*: any thread. *Blocking*: until done, count^2 steps.
WW_API_STATUS ww_cluster_silhouette(const void *condensed, ww_precision precision, size_t count, const int64_t *labels,
                                    double *each, double *mean);

/// Agreement of two partitions of `count` items, beyond chance (adjusted Rand index: Hubert and Arabie, "Comparing
/// partitions", J. Classification 1985): 1 equal, about 0 for independent ones.
/// \param a, b cluster numbers from 0. An item whose number is negative in either is left out.
/// \return WW_ERROR_EMPTY (fewer than two items are left), WW_ERROR_OUT_OF_MEMORY. *Thread-safety*: any thread.
/// *Blocking*: no.
WW_API_STATUS ww_cluster_agreement(const int64_t *a, const int64_t *b, size_t count, double *index);

#ifdef __cplusplus
}
#endif
#endif
