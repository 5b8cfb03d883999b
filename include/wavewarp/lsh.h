// SPDX-License-Identifier: Apache-2.0
/// \file
/// Approximate nearest neighbours of points by locality-sensitive hashing.
///
/// `tables` tables, each keyed by `functions` hash functions under which near points often agree. A query looks into
/// its own bucket of every table, and with probes > 1 into the likeliest neighbouring ones; what it finds is ranked by
/// exact distance. Method and formulae: docs/lsh.md.
#ifndef WAVEWARP_LSH_H
#define WAVEWARP_LSH_H

#include <wavewarp/knn.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Most hash functions a table has; under l2 and l1 with more than one probe half of it.
#define WW_LSH_MOST_FUNCTIONS 64

typedef struct ww_lsh_options {
    size_t struct_size; ///< sizeof(ww_lsh_options)
    ww_metric metric;   ///< l2 and l2-squared, l1, cosine, hamming; the others have no family here
    uint32_t tables;    ///< >= 1
    uint32_t functions; ///< of a table, 1 to WW_LSH_MOST_FUNCTIONS
    double width;       ///< l2 and l1: width of a segment, > 0; else not used
    uint32_t probes;    ///< buckets looked into in every table, 1 to 1024
    /// Most different points a query may look at, 1 to 4096. A query that finds more keeps those it finds first:
    /// ww_lsh_info.capped counts such queries, whose answers may differ from run to run.
    uint32_t candidates;
    uint64_t seed;      ///< the same seed gives the same tables on every device
    uint64_t max_bytes; ///< most device bytes for a search's scratch; 0: as fits
} ww_lsh_options;

#define WW_LSH_OPTIONS_INIT                                                                                            \
    { sizeof(ww_lsh_options), WW_METRIC_L2, 10, 15, 1.0, 64, 2048, 1, 0 }

typedef struct ww_lsh ww_lsh;

typedef struct ww_lsh_info {
    uint64_t bytes;        ///< device bytes of the tables
    uint64_t candidates;   ///< different points looked at by all queries of the last search
    uint64_t capped;       ///< queries of the last search that found more than options.candidates
    uint64_t incomplete;   ///< queries of the last search with fewer than k neighbours
    double seconds_build;  ///< wall time
    double seconds_search; ///< wall time of the last search, transfers included
} ww_lsh_info;

/// Probability that one hash function gives two points at this distance the same value.
/// \param dimension hamming: number of bits; else not used. \param width l2 and l1: the segment's width.
/// \return 0 to 1, NaN for a metric without a family. (l2-squared takes the square.)
WW_API double ww_lsh_collision(ww_metric metric, double distance, double width, size_t dimension);

/// Builds the tables.
/// \param points kept alive; they must stand on the device whole (else WW_ERROR_DEVICE_MEMORY).
/// \param options NULL: all defaults.
/// \return WW_ERROR_INVALID_ARGUMENT (an option out of range), WW_ERROR_UNSUPPORTED (a metric without a family),
/// WW_ERROR_DEVICE_MEMORY. *Ownership*: the caller's. *Thread-safety*: one thread at a time. *Blocking*: yes.
WW_API ww_status ww_lsh_create(ww_points *points, const ww_lsh_options *options, ww_lsh **lsh);

/// Searches; parameters as of ww_knn_run(). \param queries NULL: the tables' own points, each without itself. Every
/// neighbour that is given is right at its distance; some may be missing.
WW_API ww_status ww_lsh_search(ww_lsh *lsh, ww_points *queries, size_t k, int64_t *ids, void *distances,
                               uint32_t *found);

WW_API ww_status ww_lsh_describe(const ww_lsh *lsh, ww_lsh_info *info);
/// Frees the tables and stores NULL in *lsh.
WW_API void ww_lsh_destroy(ww_lsh **lsh);

/// Share of the exact neighbours that were found: by distance, so that a point as far as the k-th counts.
/// \param exact, approximate distances, queries x k, +infinity where there are fewer.
WW_API double ww_knn_recall(const void *exact, const void *approximate, size_t queries, size_t k,
                            ww_precision precision);

#ifdef __cplusplus
}
#endif
#endif
