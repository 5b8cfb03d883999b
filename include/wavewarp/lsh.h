// SPDX-License-Identifier: Apache-2.0
/// \file
/// Approximate nearest neighbours of points by locality-sensitive hashing.
///
/// `tables` tables, each keyed by `functions` hash functions under which near points often agree. A query searches its
/// own bucket of every table and, with probes > 1, the neighbouring buckets most likely to hold near points; the points
/// found are ranked by exact distance. Method and formulae: docs/lsh.md.
#ifndef WAVEWARP_LSH_H
#define WAVEWARP_LSH_H

#include <wavewarp/file.h>
#include <wavewarp/knn.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Most hash functions a table has; under l2 and l1 with more than one probe half of it.
#define WW_LSH_MOST_FUNCTIONS 64
/// The largest k of a search by hashing.
#define WW_LSH_MOST_K 1024

/// How a search is done. The result is the same, except for queries that find more than `candidates` points.
typedef enum ww_lsh_path {
    WW_LSH_AUTO = 0,    ///< by buckets for many queries (and always for sets), else by queries
    WW_LSH_BUCKETS = 1, ///< bucket after bucket: all its queries with all its points
    WW_LSH_QUERIES = 2  ///< query after query; not for sets
} ww_lsh_path;

typedef struct ww_lsh_options {
    size_t struct_size; ///< sizeof(ww_lsh_options)
    ww_metric metric;   ///< l2 and l2-squared, l1, cosine, hamming, jaccard; the others have no family
    uint32_t tables;    ///< >= 1
    uint32_t functions; ///< of a table, 1 to WW_LSH_MOST_FUNCTIONS
    double width;       ///< l2 and l1: width of a segment, > 0; else not used
    uint32_t probes;    ///< buckets searched in every table, 1 to 1024
    /// By queries: most different points that a query may examine, 1 to 4096. A query that finds more keeps those it
    /// finds first: ww_lsh_info.capped counts such queries, whose results may differ from run to run.
    uint32_t candidates;
    uint64_t seed; ///< the same seed gives the same tables on every device
    ww_lsh_path path;
    int complete; ///< 1: a query that finds fewer than k neighbours is searched again, exactly
    /// NULL: all defaults. Tables that need more than max_bytes are built block by block while a search runs. Progress
    /// of a build is in points entered into tables, of a search in buckets searched by all queries.
    const ww_run_options *run;
} ww_lsh_options;

#define WW_LSH_OPTIONS_INIT                                                                                            \
    { sizeof(ww_lsh_options), WW_METRIC_L2, 10, 10, 1.5, 1, 2048, 1, WW_LSH_AUTO, 0, NULL }

/// Hash tables of points. *Thread-safety*: one thread at a time.
typedef struct ww_lsh ww_lsh;

/// An output: set struct_size first.
typedef struct ww_lsh_info {
    size_t struct_size;    ///< sizeof(ww_lsh_info)
    size_t points;         ///< in the tables, without removed ones
    uint64_t bytes;        ///< device bytes of the tables, while they are on the device
    ww_lsh_path path;      ///< of the last search
    uint64_t examined;     ///< distances of the last search; by buckets a pair counts once for each bucket it shares
    uint64_t capped;       ///< queries of the last search that found more than options.candidates
    uint64_t incomplete;   ///< queries of the last search that found fewer than k
    double seconds_build;  ///< wall time of ww_lsh_create(), ww_lsh_load() or the last ww_lsh_add()
    double seconds_search; ///< wall time of the last search, transfers included
    size_t dimension;      ///< numbers or bits of a point; 0 of sets
} ww_lsh_info;

#define WW_LSH_INFO_INIT                                                                                               \
    { sizeof(ww_lsh_info), 0, 0, WW_LSH_AUTO, 0, 0, 0, 0.0, 0.0, 0 }

/// Probability that one hash function gives two points at this distance the same value.
/// \param dimension hamming: number of bits; else not used. \param width l2 and l1: the segment's width.
/// \return 0 to 1, NaN for a metric without a family. (l2-squared takes the square.) *Thread-safety*: any thread.
/// *Blocking*: no.
WW_API double ww_lsh_collision(ww_metric metric, double distance, double width, size_t dimension);

/// Builds the tables. Points, or tables, that do not fit the device whole are searched block by block.
/// \param points kept alive. \param options read during the call only; NULL: all defaults.
/// \return WW_ERROR_INVALID_ARGUMENT (an option out of range), WW_ERROR_UNSUPPORTED (a metric without a family),
/// WW_ERROR_OVERFLOW (norms above the precision's range), WW_ERROR_DEVICE_MEMORY, WW_ERROR_CANCELLED.
/// *Ownership*: the caller's. *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_lsh_create(ww_points *points, const ww_lsh_options *options, ww_lsh **lsh);

/// Adds points, whose ids continue after the last. Later searches find what they would have found had all points been
/// there from the start, but for points that only share a bucket: a table's number of buckets depends on the points
/// added together (docs/lsh.md). Every call builds tables of its own, and each search reads all tables: add many points
/// at a time. \param points of the same context, kind, precision and dimension; kept alive. \return
/// WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OVERFLOW, WW_ERROR_DEVICE_MEMORY, WW_ERROR_CANCELLED. *Thread-safety*: one
/// thread at a time. *Blocking*: until done.
WW_API_STATUS ww_lsh_add(ww_lsh *lsh, ww_points *points);

/// Removes points: no search finds them any more. Other ids do not change. Removing a point twice is no error.
/// \param ids `count` ids, 0 to one less than all that were ever added (else WW_ERROR_INVALID_ARGUMENT, and none is
/// removed). \return that, WW_ERROR_OPENCL. *Thread-safety*: one thread at a time. *Blocking*: until done.
WW_API_STATUS ww_lsh_remove(ww_lsh *lsh, const int64_t *ids, size_t count);

/// Searches; parameters as of ww_knn_run(). \param queries NULL: the tables' own points, each without itself (a removed
/// one finds nothing); there are as many as were ever added. The distance of every returned neighbour is exact; some
/// neighbours may be missing. \return WW_ERROR_CANCELLED, and as ww_knn_run(). *Thread-safety*: one thread at a time.
/// *Blocking*: until done.
WW_API_STATUS ww_lsh_run(ww_lsh *lsh, ww_points *queries, size_t k, int64_t *ids, void *distances, uint32_t *found);

/// The same for queries [row, row + rows) alone: a part of work that several workers share, with the same tables each.
/// Ids and distances are those of the whole run, under the path that it takes. \param ids, distances, found of these
/// rows. \return WW_ERROR_INVALID_ARGUMENT (a range outside the queries), and as ww_lsh_run(). *Thread-safety*: one
/// thread at a time. *Blocking*: until done.
WW_API_STATUS ww_lsh_run_rows(ww_lsh *lsh, ww_points *queries, size_t row, size_t rows, size_t k, int64_t *ids,
                              void *distances, uint32_t *found);

/// Searches tables over a part of the points; parameters as of ww_lsh_run(). ww_neighbours_merge() (wavewarp/topk.h)
/// joins the results of the parts. They are those of tables to which the parts were added by ww_lsh_add(), bit for bit,
/// with the same options (no search may be capped, nor `complete`, which looks at what a part alone finds). \param
/// queries NULL: the tables' own points, each without itself: both offsets have to be equal. \param k with exclude_self
/// and other queries one less at most. \param shard NULL: as ww_lsh_run(). `initial` leaves out what is farther, and
/// saves no time. \return as ww_lsh_run(); WW_ERROR_UNSUPPORTED (WW_METRIC_L2, as ww_knn_create_shard()),
/// WW_ERROR_OVERFLOW. *Thread-safety*: one thread at a time. *Blocking*: until done.
WW_API_STATUS ww_lsh_run_shard(ww_lsh *lsh, ww_points *queries, size_t k, const ww_nearest_shard *shard, int64_t *ids,
                               void *distances, uint32_t *found);

/// What the tables are and what the last search did. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at
/// a time. *Blocking*: no.
WW_API_STATUS ww_lsh_get_info(const ww_lsh *lsh, ww_lsh_info *info);

/// The options it has (set the struct's struct_size first); `run` is returned as NULL, which keeps the present one when
/// the options are set again. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_lsh_get_options(const ww_lsh *lsh, ww_lsh_options *options);

/// Number of points that were ever added, their kind, their precision; 0 for NULL. *Thread-safety*: one thread at a
/// time. *Blocking*: no.
WW_API size_t ww_lsh_count(const ww_lsh *lsh);
WW_API ww_point_kind ww_lsh_kind(const ww_lsh *lsh);
WW_API ww_precision ww_lsh_precision(const ww_lsh *lsh);

/// Changes how later searches are done: probes (not more than at creation), candidates (likewise), path, complete, run
/// (NULL: unchanged; its max_bytes does not change in any case). The other options must be the present ones.
/// \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_lsh_set_options(ww_lsh *lsh, const ww_lsh_options *options);

/// Frees the tables and stores NULL in *lsh. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API void ww_lsh_destroy(ww_lsh **lsh);

/// Writes points, options, coefficients and removals; tables are built again when it is loaded. Format: docs/lsh.md. A
/// file appears under its name only when complete. \return WW_ERROR_IO, WW_ERROR_OPENCL. *Thread-safety*: one thread at
/// a time. *Blocking*: while it writes.
WW_API_STATUS ww_lsh_save(const ww_lsh *lsh, const char *path);

/// Gives the bytes of that file to a function. \return WW_ERROR_IO (also by `write`), WW_ERROR_OPENCL.
/// *Thread-safety*: one thread at a time; `write` is called by it. *Blocking*: until all are given.
WW_API_STATUS ww_lsh_save_to(const ww_lsh *lsh, ww_write_fn write, void *user);

/// Reads what ww_lsh_save() wrote, on any machine. \param run as in the options; NULL: all defaults.
/// \return WW_ERROR_IO, WW_ERROR_FORMAT (not such a file, of another version, damaged or cut short), and what
/// ww_points_create() and ww_lsh_create() return. *Ownership*: the caller's. *Thread-safety*: any thread. *Blocking*:
/// until done.
WW_API_STATUS ww_lsh_load(ww_context *context, const char *path, const ww_run_options *run, ww_lsh **lsh);

/// Reads the same from a function. \return as ww_lsh_load(); WW_ERROR_IO by `read`, WW_ERROR_INVALID_ARGUMENT (`read`
/// returned more than `room`). *Ownership*: the caller's. *Thread-safety*: any thread; `read` is called by it.
/// *Blocking*: until done.
WW_API_STATUS ww_lsh_load_from(ww_context *context, ww_read_fn read, void *user, const ww_run_options *run,
                               ww_lsh **lsh);

/// What ww_lsh_choose() has to reach.
typedef struct ww_lsh_target {
    size_t struct_size; ///< sizeof(ww_lsh_target)
    ww_metric metric;
    size_t k;       ///< 1 to WW_LSH_MOST_K
    double recall;  ///< share of the k nearest that must be found, above 0 and below 1
    size_t queries; ///< how many there will be; 0: as many as `asking`, or all points against all
    size_t sample;  ///< points to learn from, and as many to verify with; 0: 512
    uint64_t seed;
    /// NULL: all defaults. max_bytes limits the tables; progress is that of each search that is tried, one after the
    /// other.
    const ww_run_options *run;
    /// The points that will ask, or many like them; NULL: the points of the tables. Parameters are learnt from and
    /// verified with a sample of them: queries unlike the points need others. Read during the call only.
    ww_points *asking;
} ww_lsh_target;

#define WW_LSH_TARGET_INIT                                                                                             \
    { sizeof(ww_lsh_target), WW_METRIC_L2, 1, 0.9, 0, 0, 1, NULL, NULL }

/// What was expected and measured. An output: set struct_size first.
typedef struct ww_lsh_choice {
    size_t struct_size;     ///< sizeof(ww_lsh_choice)
    double recall;          ///< predicted
    double examined;        ///< predicted distances of a query, by buckets
    double measured_recall; ///< of points that were not learnt from, against the exact search
    double measured_examined;
    uint32_t rounds;     ///< number of parameter sets that were tried
    double neighbour;    ///< mean distance of the sample's k-th neighbour
    double random;       ///< mean distance of a query and a point
    double recall_low;   ///< lower end of the 95 % confidence interval of measured_recall: what reached the target
    double recall_high;  ///< upper end
    int exact_is_faster; ///< 1: no parameters were found that reach the recall and cost less than ww_knn
} ww_lsh_choice;

#define WW_LSH_CHOICE_INIT                                                                                             \
    { sizeof(ww_lsh_choice), 0.0, 0.0, 0.0, 0.0, 0, 0.0, 0.0, 0.0, 0.0, 0 }

/// Chooses tables, functions and width that reach a given recall in the least expected time, from a sample's exact
/// neighbours and the closed forms of the hash families, and corrects them by searching for points of another sample
/// until the lower end of the measured recall's confidence interval reaches the target, four times at most.
/// \param points as for ww_lsh_create(). \param options an output, for ww_lsh_create(); `run` is NULL (set both
/// structs' struct_size first). \param choice what was predicted and measured, or NULL. \return
/// WW_ERROR_INVALID_ARGUMENT, WW_ERROR_UNSUPPORTED (a metric without a family, or no parameters within max_bytes reach
/// nearly that recall: then `choice` says exact_is_faster), and what searches return. *Thread-safety*: any thread.
/// *Blocking*: until done.
WW_API_STATUS ww_lsh_choose(ww_points *points, const ww_lsh_target *target, ww_lsh_options *options,
                            ww_lsh_choice *choice);

/// Share of the exact neighbours that were found: by distance, so that a point at the distance of the k-th counts.
/// \param exact, approximate distances, queries x k, +infinity where there are fewer. *Thread-safety*: any thread.
/// *Blocking*: no.
WW_API double ww_knn_recall(const void *exact, const void *approximate, size_t queries, size_t k,
                            ww_precision precision);

#ifdef __cplusplus
}
#endif
#endif
