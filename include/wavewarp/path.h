// SPDX-License-Identifier: Apache-2.0
/// \file
/// Warping paths: which points of two series a measure matches, for one pair or a batch; and the accumulated costs that
/// they go through.
#ifndef WAVEWARP_PATH_H
#define WAVEWARP_PATH_H

#include <wavewarp/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Warping paths. A path is the list of the cells that a pair's distance is made of, from its beginning to its end:
/// each cell (i, j) says that point i of the row series is matched with point j of the column series. From a cell a
/// path goes on to (i+1, j+1), (i+1, j) or (i, j+1). An output: set struct_size first.
///
/// Indices count from 0. Measures with a border of their own (ERP, EDR, LCSS, Levenshtein, LCS) begin with points that
/// have no partner: its index is -1. With closed ends a path begins at the first points and ends at the last ones; with
/// open ends (ww_measure.relax_...) where it is best, and a path that skips everything has no cells. Of DDTW and WDDTW
/// the indices are those of the original series.
typedef struct ww_paths {
    size_t struct_size; ///< sizeof(ww_paths)
    size_t count;       ///< paths: pairs of the plan
    uint64_t *offsets;  ///< count + 1: the cells of path p are offsets[p] to offsets[p + 1]
    int32_t *cells;     ///< 2 * offsets[count]: i and j of each cell
    double *distances;  ///< count: each path's distance, as ww_plan_run() of a pairs plan gives it
} ww_paths;

#define WW_PATHS_INIT                                                                                                  \
    { sizeof(ww_paths), 0, NULL, NULL, NULL }

/// Plans the warping paths of listed pairs. The direction of a cell is the first of diagonal, up (the row series goes
/// on alone) and left that is the best; of several equally good open ends it is the first, row by row.
///
/// The device keeps 2 bits a cell of the pairs in progress. Where that is more than `max_bytes`, or a pair is long, it
/// keeps the last rows and columns of tiles and computes again those tiles that the path goes through: docs/path.md has
/// the formula. Results are the same.
/// \param row_index, column_index `count` indices each, copied; NULL both: the i-th row with the i-th column.
/// \param columns not NULL. \param count 1 to 2^31 - 1.
/// \param options the engine is WW_ENGINE_AUTO, WW_ENGINE_LANES or WW_ENGINE_PACKED.
/// \return as ww_plan_create_pairs(); WW_ERROR_UNSUPPORTED for a soft minimum, which has no path, for another engine,
/// and for several independent channels, each of which has a path of its own.
/// *Ownership*: the caller's; ww_plan_destroy(). *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_plan_create_paths(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                   const size_t *row_index, const size_t *column_index, size_t count,
                                   const ww_plan_options *options, ww_plan **plan);

/// Runs a plan of paths. On any error the record is empty. \param paths what it held is not freed.
/// \return WW_ERROR_CANCELLED; WW_ERROR_DEVICE_MEMORY (also where `max_bytes` is too small for the longest pair);
/// WW_ERROR_BUILD, WW_ERROR_OVERFLOW, WW_ERROR_OPENCL. *Ownership*: free what it holds with ww_paths_free().
/// *Thread-safety*: one thread at a time. *Blocking*: until done; the first run also while kernels are compiled.
WW_API_STATUS ww_plan_run_paths(ww_plan *plan, ww_paths *paths);

/// The warping path of one pair.
/// \param x channels x n values, channel by channel; \param y channels x m values; read during the call only. In double
/// where the device has it, else in float.
/// \return as ww_dataset_create(), ww_plan_create_paths() and ww_plan_run_paths(). *Ownership*: free what the record
/// holds with ww_paths_free(). *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_path(ww_context *context, const ww_measure *measure, const double *x, size_t n, const double *y,
                      size_t m, size_t channels, ww_paths *path);

/// Plans the accumulated costs of one pair: its whole matrix D, of which the distance is the last cell, and whose least
/// neighbours a path follows. ww_plan_run() runs it.
///
/// D(i,j), i from 0 to n-1 the points of the row series, j from 0 to m-1 those of the column series, is what the
/// measure's recurrence has there: before a root, and before LCSS and EDR are divided by a length (LCSS and LCS:
/// matches so far). The matrix's border, the points before the first, is no part of it. Cells outside the band are
/// infinite, of LCSS and LCS too. A soft minimum has its own values, an open begin its 0 on the border; with open ends
/// the distance is the best of the last row and column that may be ends. Several independent channels: the sum of their
/// matrices. Of DDTW and WDDTW the points are those of the derivative, n-2 and m-2. \param row, column which series;
/// one pair is computed by one device. \param options the engine is WW_ENGINE_AUTO. \return as ww_plan_create_pairs();
/// WW_ERROR_UNSUPPORTED for another engine.
///
/// The output has n rows of m values of the datasets' precision, 4 or 8 bytes n m; `row_stride` may set them apart.
/// Into host memory the device has as many rows at a time as fit `max_bytes` or half of what is free, at least 64
/// (GPUs: 8), and n + m values besides; the matrix itself is the caller's. Into device memory it is there as a whole. A
/// run is WW_ERROR_DEVICE_MEMORY where not even these rows fit, else as ww_plan_run(). *Ownership*: the caller's;
/// ww_plan_destroy(). *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_plan_create_costs(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, size_t row,
                                   size_t column, const ww_plan_options *options, ww_plan **plan);

/// The accumulated costs of one pair in one call.
/// \param x channels x n values, channel by channel; \param y channels x m values; read during the call only.
/// \param values n x m of them (DDTW, WDDTW: (n-2) x (m-2)), row after row; computed in double where the device has it,
/// else in float. On any error they are unspecified.
/// \return as ww_dataset_create(), ww_plan_create_costs() and ww_plan_run(). *Thread-safety*: any thread. *Blocking*:
/// until done.
WW_API_STATUS ww_costs(ww_context *context, const ww_measure *measure, const double *x, size_t n, const double *y,
                       size_t m, size_t channels, double *values);

/// Frees what a record holds and makes it empty; the struct itself is the caller's. *Thread-safety*: one thread at a
/// time. *Blocking*: no.
WW_API void ww_paths_free(ww_paths *paths);

#ifdef __cplusplus
}
#endif
#endif
