// SPDX-License-Identifier: Apache-2.0
/// \file
/// Jobs: pairs, matrix and nearest, under any measure. Creating a plan does what is slow or can fail; running it
/// computes.
#ifndef WAVEWARP_PLAN_H
#define WAVEWARP_PLAN_H

#include <wavewarp/dataset.h>
#include <wavewarp/measure.h>
#include <wavewarp/output.h>
#include <wavewarp/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/// In which order, and where, the matrix of a pair is computed. See docs/engines.md.
typedef enum ww_engine {
    WW_ENGINE_AUTO = 0,
    WW_ENGINE_LANES = 1,  ///< row state in registers, edges passed between work-items
    WW_ENGINE_PACKED = 2, ///< one pair a vector lane
    WW_ENGINE_STRIPS = 3, ///< column strips in a pipeline, for long series
    WW_ENGINE_BITS = 4    ///< a bit a cell; Levenshtein with all weights 1, LCS; EDR, LCSS of single channels; no band
} ww_engine;

typedef struct ww_plan_options {
    size_t struct_size;        ///< sizeof(ww_plan_options)
    ww_engine engine;          ///< WW_ENGINE_AUTO: by device and shape
    int no_bounds;             ///< nearest: 1 computes every distance, without lower bounds and early abandoning
    const ww_run_options *run; ///< NULL: all defaults. Progress is in cells
    int one_way; ///< matrix: 1 gives condensed results of d(x,y) of the earlier x, where d(y,x) may differ
} ww_plan_options;

#define WW_PLAN_OPTIONS_INIT                                                                                           \
    { sizeof(ww_plan_options), WW_ENGINE_AUTO, 0, NULL, 0 }

/// A prepared job. *Thread-safety*: one thread at a time; different plans, also on the same datasets, in any number of
/// threads. Errors, launches and times are those of the plan's own work.
typedef struct ww_plan ww_plan;

/// What a plan chose and what its last finished run did. An output: set struct_size first.
typedef struct ww_plan_info {
    size_t struct_size;       ///< sizeof(ww_plan_info)
    ww_engine engine;         ///< the engine of most cells
    uint64_t pairs;           ///< pairs in all
    uint64_t cells;           ///< cells in all, inside the band
    uint64_t cells_done;      ///< cells of the last run; fewer than cells when pairs were pruned
    uint64_t pairs_pruned;    ///< nearest: pairs that a lower bound excluded in the last run
    uint64_t pairs_abandoned; ///< nearest: pairs abandoned early in the last run
    uint64_t launches;        ///< kernel launches of the last run
    double seconds_device;    ///< device time of the last run's kernels; 0 when the device does not say
    double seconds_wall;      ///< wall time of the last run, transfers included
} ww_plan_info;

#define WW_PLAN_INFO_INIT                                                                                              \
    { sizeof(ww_plan_info), WW_ENGINE_AUTO, 0, 0, 0, 0, 0, 0, 0.0, 0.0 }

/// Plans all distances between the rows of one dataset and the columns of another.
/// \param measure copied, with what it points to.
/// \param rows, columns kept alive. columns NULL: `rows` with itself; each unordered pair is computed once when the
/// measure is symmetric, and the diagonal is computed only where the measure is not 0 there.
/// \param options read during the call only; NULL: all defaults.
/// \return WW_ERROR_CHANNELS, WW_ERROR_NO_PATH (a pair of lengths that the band separates), WW_ERROR_BUILD (a user's
/// cost that does not compile: see ww_last_build_log()), WW_ERROR_UNSUPPORTED (an engine that can't; symbols or time
/// stamps beyond 2^24 that a float dataset rounded, with a measure that depends on them), WW_ERROR_DEVICE_MEMORY,
/// WW_ERROR_INVALID_ARGUMENT (datasets of different contexts or precisions). *Ownership*: the caller's.
/// *Thread-safety*: any thread. *Blocking*: while kernels are compiled.
WW_API_STATUS ww_plan_create_matrix(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                    const ww_plan_options *options, ww_plan **plan);

/// Plans the distances of listed pairs.
/// \param row_index, column_index `count` indices each, copied; NULL both: the i-th row with the i-th column.
/// \param count 1 to 2^31 - 1.
/// \return as ww_plan_create_matrix(); WW_ERROR_EMPTY, WW_ERROR_OVERFLOW (count). *Ownership*: the caller's.
/// *Thread-safety*: any thread. *Blocking*: while kernels are compiled.
WW_API_STATUS ww_plan_create_pairs(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                   const size_t *row_index, const size_t *column_index, size_t count,
                                   const ww_plan_options *options, ww_plan **plan);

/// Plans the k nearest columns (base) of every row (query): smallest distance first, ties to the lower index.
/// \param base NULL: `queries` with itself, each without itself.
/// Under a similarity (WW_LCS; LCSS with `similarity`) the largest first, and ties to the lower index too.
/// \param k >= 1. Fewer neighbours than k: index -1 and distance infinity (similarity: minus infinity).
/// Where it saves time, lower bounds and early abandoning leave pairs out; indices and distances are the same, bit for
/// bit, with and without them (`no_bounds`). See docs/nearest.md.
/// \return as ww_plan_create_matrix(); WW_ERROR_OVERFLOW. *Ownership*: the caller's. *Thread-safety*: any thread.
/// *Blocking*: while kernels are compiled.
WW_API_STATUS ww_plan_create_nearest(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                                     const ww_plan_options *options, ww_plan **plan);

/// Which part of a larger search a nearest plan is. See docs/scale.md.
typedef struct ww_nearest_shard {
    size_t struct_size;    ///< sizeof(ww_nearest_shard)
    uint64_t query_offset; ///< number of the first query among all queries
    uint64_t base_offset;  ///< number of the first series of this base in the whole base: indices count from there
    int exclude_self;      ///< 1: a query is not its own neighbour: the two sets are one, and equal numbers one series
    /// NULL, or for each query its k-th distance so far, of the datasets' precision: infinity (a similarity: minus
    /// infinity) or NaN where it has fewer than k neighbours. What is farther is not computed where bounds show it, and
    /// is never reported: index -1 instead. An equal distance is reported.
    const void *initial;
} ww_nearest_shard;

#define WW_NEAREST_SHARD_INIT                                                                                          \
    { sizeof(ww_nearest_shard), 0, 0, 0, NULL }

/// The same for a part of the queries and of the base. ww_neighbours_merge() (wavewarp/topk.h) joins the results of the
/// parts of a base: indices and distances are then those of one plan, bit for bit, on devices of one kind (soft
/// measures, ERP and a user's own: with the same engine).
/// \param base NULL: `queries` with itself, each without itself: both offsets have to be equal.
/// \param shard read during the call only, with what it points to; NULL: as ww_plan_create_nearest().
/// ww_plan_info: where sets of a shard overlap, a series and itself count as a pair.
/// \return as ww_plan_create_nearest(); WW_ERROR_INVALID_ARGUMENT; WW_ERROR_OVERFLOW (an index beyond 63 bits).
/// *Ownership*: the caller's. *Thread-safety*: any thread. *Blocking*: while kernels are compiled.
WW_API_STATUS ww_plan_create_nearest_shard(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                                           const ww_nearest_shard *shard, const ww_plan_options *options,
                                           ww_plan **plan);

/// Makes ready what the first run would make: device memory for results and, for a matrix or pairs of one block, the
/// programs, scratch and uploads of all of the work, which the plan keeps. Runs work without it.
/// \return WW_ERROR_DEVICE_MEMORY, WW_ERROR_BUILD, WW_ERROR_OPENCL. *Thread-safety*: one thread at a time.
/// *Blocking*: while kernels are compiled and lists and tables uploaded.
WW_API_STATUS ww_plan_prepare(ww_plan *plan);

/// Runs a plan whose result is one array: a matrix, pairs, or accumulated costs (ww_plan_create_costs()).
/// \param output where the distances go, of the datasets' precision. Matrix, full: rows x columns values; of a set with
/// itself the full symmetric matrix, 0 on its diagonal (the diagonal of a measure that is not 0 there is computed).
/// Matrix of a set with itself, condensed: count*(count-1)/2, of a measure that is symmetric
/// (ww_measure_is_symmetric()), or with options.one_way. Pairs (full): `count` values. The struct is read during the
/// call only. On any error the result is unspecified. \return WW_ERROR_INVALID_ARGUMENT (a plan of another job: the
/// hint says what runs it; the output); WW_ERROR_CANCELLED; WW_ERROR_UNSUPPORTED (a device output of series or results
/// that are more than one block; a condensed matrix of a measure that is not symmetric, without options.one_way);
/// WW_ERROR_DEVICE_MEMORY, WW_ERROR_OPENCL. *Ownership*: the output stays the caller's; a device output's memory lives
/// until the work in progress is done. *Thread-safety*: one thread at a time. *Blocking*: host output: until the result
/// is there. Device output: no; its launches are on the context's queue when it returns, and failures that come later
/// are what ww_plan_finish() returns. How long a launch may be then follows from the runs that were waited for. Such a
/// run does wait
/// - with a progress function, after each launch;
/// - while more than 256 launches of the plan are under way;
/// - where it has to make what ww_plan_prepare() makes: without that the first time;
/// - in parts, where its tables of bands (WW_BAND_ROWS, WW_BAND_ITAKURA) take more than 256 MiB or the listed pairs'
///   series do not fit the device side by side: these are uploaded again for each part.
WW_API_STATUS ww_plan_run(ww_plan *plan, const ww_output *output);

/// Runs rows [row, row + rows) x columns [column, column + columns) of a matrix plan: a part of work that several
/// devices or machines share. See docs/scale.md.
/// \param row, rows, column, columns inside the matrix; 0 rows or columns are nothing to do. \param output as for
/// ww_plan_run(), in the full layout, for rows x columns values.
/// The values are those that a run of the whole matrix has there, bit for bit, on a device of the same kind: of a set
/// with itself 0 on its diagonal where that run writes 0, and below it what is above. (Soft measures, ERP and a user's
/// own have the whole matrix's last bits only where it is one block on the device: see ww_plan_prepare(). ERP in float
/// may differ in them on GPUs, where a pair's work is divided as the number of pairs asks for.) Rectangles of one plan
/// run one after another: what the first has made serves the next, where it is large enough. Of a square on
/// the diagonal of a set with itself, under a symmetric measure, one half is computed where the square is one block on
/// the device; else every cell of a rectangle. Progress counts to ww_plan_cells(), as if all were. \return
/// WW_ERROR_INVALID_ARGUMENT (a range outside the matrix; an output that is too small; a plan for another job);
/// WW_ERROR_UNSUPPORTED (a device output of series or results that are more than one block); and as ww_plan_run().
/// *Ownership*, *Blocking*: as ww_plan_run(), but a run into device memory waits for the upload of its indices.
/// *Thread-safety*: one thread at a time.
WW_API_STATUS ww_plan_run_rectangle(ww_plan *plan, size_t row, size_t rows, size_t column, size_t columns,
                                    const ww_output *output);

/// The cells inside the band of such a rectangle, for a schedule. A number beyond 64 bits is UINT64_MAX.
/// \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_plan_cells(const ww_plan *plan, size_t row, size_t rows, size_t column, size_t columns,
                            uint64_t *cells);

/// Receives a finished block: `row_count x column_count` values, row after row, at (row, column). The values are valid
/// during the call. Return 0 to go on, anything else to cancel.
typedef int (*ww_block_fn)(void *user, size_t row, size_t row_count, size_t column, size_t column_count,
                           const void *values);

/// Runs a matrix plan block by block, for results larger than host memory. Blocks are whole rows, in row order, when
/// one row of results fits `max_bytes`; else no block's results are more than `max_bytes`. Of a set with itself the
/// whole square is delivered (each block computed in full). \return WW_ERROR_CANCELLED (also by `block`), and as
/// ww_plan_run(). *Thread-safety*: one thread at a time; `block` is called by it. *Blocking*: until all blocks are
/// delivered.
WW_API_STATUS ww_plan_run_blocks(ww_plan *plan, ww_block_fn block, void *user);

/// Receives `count` values of a condensed matrix, from its element `first` on. They are valid during the call. Return 0
/// to go on, anything else to cancel.
typedef int (*ww_condensed_fn)(void *user, uint64_t first, uint64_t count, const void *values);

/// Runs a matrix plan of a set with itself and delivers the values above the diagonal as WW_LAYOUT_CONDENSED has them,
/// for results larger than host memory. They come in order when one row of results fits `max_bytes`; else in parts of
/// rows. Each value is computed once; only the blocks at the diagonal are computed in full.
/// \return WW_ERROR_CANCELLED (also by `values`), WW_ERROR_INVALID_ARGUMENT for two sets,
/// WW_ERROR_UNSUPPORTED for a measure that is not symmetric without options.one_way, and as ww_plan_run().
/// *Thread-safety*: one thread at a time; `values` is called by it. *Blocking*: until all are delivered.
WW_API_STATUS ww_plan_run_condensed_blocks(ww_plan *plan, ww_condensed_fn values, void *user);

/// Runs a nearest plan. The result goes to host memory: the host decides between blocks what is computed next.
/// ww_buffer_write() brings it to the device where it is needed there.
/// \param indices rows x k, -1 where there are fewer. \param distances rows x k of the datasets' precision, or NULL.
/// On any error the arrays' content is unspecified. \return WW_ERROR_CANCELLED, WW_ERROR_DEVICE_MEMORY,
/// WW_ERROR_OPENCL. *Thread-safety*: one thread at a time. *Blocking*: until done.
WW_API_STATUS ww_plan_run_nearest(ww_plan *plan, int64_t *indices, void *distances);

/// The same for rows (queries) [row, row + rows) alone: a part of work that several workers share, from one plan each.
/// Indices and distances are those of the whole run. \param indices, distances of these rows. \return
/// WW_ERROR_INVALID_ARGUMENT (a range outside the plan), and as ww_plan_run_nearest(). *Thread-safety*: one thread at a
/// time. *Blocking*: until done.
WW_API_STATUS ww_plan_run_nearest_rows(ww_plan *plan, size_t row, size_t rows, int64_t *indices, void *distances);

/// Waits for a run into device memory. \return the error of that run, WW_ERROR_OPENCL; WW_OK when there is no run to
/// wait for. *Thread-safety*: one thread at a time. *Blocking*: until its work is done.
WW_API_STATUS ww_plan_finish(ww_plan *plan);

/// What the plan chose and did. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time.
/// *Blocking*: no; a run into device memory is included after ww_plan_finish() has returned.
WW_API_STATUS ww_plan_get_info(const ww_plan *plan, ww_plan_info *info);

/// Frees a plan and stores NULL in *plan. Work in progress continues. *Thread-safety*: one thread at a time.
/// *Blocking*: no.
WW_API void ww_plan_destroy(ww_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
