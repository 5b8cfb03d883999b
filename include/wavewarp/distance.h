// SPDX-License-Identifier: Apache-2.0
/// \file
/// Jobs: pairs, matrix and nearest, under any measure. A plan does all that is slow or can fail; running it computes.
#ifndef WAVEWARP_DISTANCE_H
#define WAVEWARP_DISTANCE_H

#include <wavewarp/dataset.h>
#include <wavewarp/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How the matrix of a pair is walked. See docs/engines.md.
typedef enum ww_engine {
    WW_ENGINE_AUTO = 0,
    WW_ENGINE_LANES = 1,   ///< row state in registers, edges passed between work-items
    WW_ENGINE_STENCIL = 2, ///< anti-diagonals in local memory
    WW_ENGINE_PACKED = 3,  ///< one pair a vector lane
    WW_ENGINE_STRIPS = 4,  ///< column strips in a pipeline, for long series
    WW_ENGINE_BITS = 5     ///< a bit a cell; Levenshtein with all weights 1, LCS; EDR, LCSS of single channels; no band
} ww_engine;

/// "lanes", "stencil", "packed", "strips", "bits" or "auto".
WW_API const char *ww_engine_name(ww_engine engine);
WW_API ww_status ww_engine_by_name(const char *name, ww_engine *engine);

/// Called between launches with the cells done and the cells in all. Return 0 to go on, anything else to cancel.
typedef int (*ww_progress_fn)(void *user, uint64_t done, uint64_t total);

typedef struct ww_plan_options {
    size_t struct_size;      ///< sizeof(ww_plan_options)
    ww_engine engine;        ///< WW_ENGINE_AUTO: by device and shape
    uint64_t max_bytes;      ///< most device bytes for results and scratch at a time; 0: as fits
    double launch_seconds;   ///< aim for launches no longer than this; 0: 0.25
    int no_bounds;           ///< nearest: 1 computes every distance, without lower bounds and early abandoning
    ww_progress_fn progress; ///< NULL: none
    void *progress_user;
} ww_plan_options;

#define WW_PLAN_OPTIONS_INIT                                                                                           \
    { sizeof(ww_plan_options), WW_ENGINE_AUTO, 0, 0.0, 0, NULL, NULL }

typedef struct ww_plan ww_plan;

/// What a plan chose and what its last run did.
typedef struct ww_plan_info {
    ww_engine engine;         ///< the engine of most cells
    uint64_t pairs;           ///< pairs in all
    uint64_t cells;           ///< cells in all, inside the band
    uint64_t cells_done;      ///< cells of the last run; fewer than cells when pairs were pruned
    uint64_t pairs_pruned;    ///< nearest: pairs a lower bound left out in the last run
    uint64_t pairs_abandoned; ///< nearest: pairs given up part-way in the last run
    uint64_t launches;        ///< kernel launches of the last run
    double seconds_device;    ///< device time of the last run's kernels; 0 when the device does not say
    double seconds_wall;      ///< wall time of the last run, transfers included
} ww_plan_info;

/// Plans all distances between the rows of one dataset and the columns of another.
/// \param columns NULL: `rows` with itself; each unordered pair is computed once when the measure is symmetric, and the
/// diagonal is not computed.
/// \param options NULL: all defaults.
/// \return WW_ERROR_CHANNELS, WW_ERROR_NO_PATH (a pair of lengths that the band separates), WW_ERROR_BUILD (a user's
/// cost that does not compile: see ww_last_build_log()), WW_ERROR_UNSUPPORTED (an engine that can't; symbols or time
/// stamps beyond 2^24 that a float dataset rounded, under a measure that goes by them),
/// WW_ERROR_INVALID_ARGUMENT (datasets of different contexts or precisions). *Ownership*: the caller's.
/// *Thread-safety*: one thread at a time.
WW_API ww_status ww_plan_matrix(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                const ww_plan_options *options, ww_plan **plan);

/// Plans the distances of listed pairs.
/// \param row_index, column_index `count` indices each; NULL both: the i-th row with the i-th column.
WW_API ww_status ww_plan_pairs(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                               const size_t *row_index, const size_t *column_index, size_t count,
                               const ww_plan_options *options, ww_plan **plan);

/// Plans the k nearest columns (base) of every row (query): smallest distance first, ties to the lower index.
/// \param base NULL: `queries` with itself, each without itself.
/// Under a similarity (WW_LCS; LCSS with `similarity`) the largest first, and ties to the lower index too.
/// \param k >= 1. Fewer neighbours than k: index -1 and distance infinity (similarity: minus infinity).
/// Where it pays, lower bounds and early abandoning leave pairs out; indices and distances are the same, bit for bit,
/// with and without (`no_bounds`). See docs/nearest.md.
WW_API ww_status ww_plan_nearest(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                                 const ww_plan_options *options, ww_plan **plan);

/// Runs a matrix plan. \param distances rows x columns values of the datasets' precision, row after row.
/// With `columns` NULL: the full symmetric matrix, 0 on its diagonal (the diagonal of a measure that is not 0 there is
/// computed). *Blocking*: until done. On any error the array's content is unspecified.
WW_API ww_status ww_plan_run(ww_plan *plan, void *distances);

/// Runs a matrix plan with `columns` NULL into a condensed array: the upper triangle without its diagonal, row after
/// row, count*(count-1)/2 values. Runs a pairs plan into `count` values like ww_plan_run().
WW_API ww_status ww_plan_run_condensed(ww_plan *plan, void *distances);

/// Receives a finished block: `row_count x column_count` values, row after row, at (row, column). Return 0 to go on.
typedef int (*ww_block_fn)(void *user, size_t row, size_t row_count, size_t column, size_t column_count,
                           const void *values);
/// Runs a matrix plan block by block, for results larger than host memory. Blocks are whole rows when one row of
/// results fits `max_bytes`, in row order. With `columns` NULL the whole square is delivered (each block computed in
/// full).
WW_API ww_status ww_plan_run_blocks(ww_plan *plan, ww_block_fn block, void *user);

/// Runs a nearest plan. \param indices rows x k, -1 where there are fewer; \param distances rows x k of the datasets'
/// precision, or NULL.
WW_API ww_status ww_plan_run_nearest(ww_plan *plan, int64_t *indices, void *distances);

WW_API ww_status ww_plan_describe(const ww_plan *plan, ww_plan_info *info);
/// Frees a plan and stores NULL in *plan.
WW_API void ww_plan_destroy(ww_plan **plan);

/// The distance of one pair, one channel, in one call.
/// \param x n values; \param y m values; \param distance the result, computed in double where the device has it, else
/// in float.
WW_API ww_status ww_distance(ww_context *context, const ww_measure *measure, const double *x, size_t n, const double *y,
                             size_t m, double *distance);

/// All distances between two sets, in one call. \param columns NULL: `rows` with itself, full symmetric matrix.
/// \param distances rows x columns values of `precision`.
WW_API ww_status ww_matrix(ww_context *context, const ww_measure *measure, const ww_series_set *rows,
                           const ww_series_set *columns, ww_precision precision, void *distances);

typedef struct ww_classify_options {
    size_t struct_size; ///< sizeof(ww_classify_options)
    size_t k;           ///< neighbours that vote, default 1
    ww_precision precision;
    ww_plan_options plan;
} ww_classify_options;

#define WW_CLASSIFY_OPTIONS_INIT                                                                                       \
    { sizeof(ww_classify_options), 1, WW_FLOAT, WW_PLAN_OPTIONS_INIT }

/// What a classification gave.
typedef struct ww_classification {
    size_t total;      ///< test series
    size_t labelled;   ///< test series with a label: those that count below
    size_t correct;    ///< predictions equal to the label
    long *predicted;   ///< total class numbers of the train set
    long *actual;      ///< total class numbers of the train set; -1 no label, -2 a label the train set lacks
    size_t *confusion; ///< classes x classes of the train set: row actual, column predicted
    size_t classes;
    double seconds_compute; ///< wall time of the distances and the vote, without upload and compilation
    double seconds_total;   ///< wall time of the call
    ww_plan_info plan;
} ww_classification;

/// k-nearest-neighbour classification: every test series gets the class most frequent among its k nearest training
/// series; a tie goes to the class with the nearest member.
///
/// In float, on a device that has double, rounding decides nothing: where the k nearest, or their order, could be
/// others within the error of float (values and sums; docs/nearest.md has the bound) and the classes differ, those few
/// pairs are compared again in double, from the sets' own values. Not with a user's cost, of which no bound is known.
/// \return WW_ERROR_NO_LABELS when a training series has none, and what ww_plan_nearest() returns.
/// *Ownership*: free the result with ww_classification_free().
WW_API ww_status ww_classify(ww_context *context, const ww_measure *measure, const ww_series_set *train,
                             const ww_series_set *test, const ww_classify_options *options, ww_classification *result);
/// Frees what a classification holds and zeroes it.
WW_API void ww_classification_free(ww_classification *result);

#ifdef __cplusplus
}
#endif
#endif
