// SPDX-License-Identifier: Apache-2.0
/// \file
/// Values and gradients of measures, soft or hard: with respect to the series, the measure's parameters and the cost
/// matrix. The formulae are in docs/gradient.md.
#ifndef WAVEWARP_GRADIENT_H
#define WAVEWARP_GRADIENT_H

#include <wavewarp/dataset.h>
#include <wavewarp/measure.h>
#include <wavewarp/output.h>
#include <wavewarp/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What runs of a gradient will ask for, beside values and gradients by the series.
typedef struct ww_gradient_options {
    size_t struct_size; ///< sizeof(ww_gradient_options)
    /// 1: of the divergence V(x,y) - V(x,x)/2 - V(y,y)/2 (Blondel, Mensch and Vert 2021), whose value is 0 for x = y.
    int divergence;
    /// 0: a gradient for each series: that of the sum over all pairs of upstream times value. 1: one for each pair.
    int per_pair;
    int parameters; ///< 1: gradients by the measure's parameters
    int weights;    ///< 1: gradients by WDTW's weight of each |i-j|
    int alignment;  ///< 1: expected alignments
    /// NULL: all defaults. Progress is in cells; a gradient counts each of them twice. max_bytes limits the scratch
    /// memory: where it is too little for the checkpoints of a pair, these are computed again part by part.
    const ww_run_options *run;
} ww_gradient_options;

#define WW_GRADIENT_OPTIONS_INIT                                                                                       \
    { sizeof(ww_gradient_options), 0, 0, 0, 0, 0, NULL }

/// A prepared gradient of listed pairs. *Thread-safety*: one thread at a time; different ones, also on the same
/// datasets, in any number of threads.
typedef struct ww_gradient ww_gradient;

/// Sizes of the outputs, in values of the datasets' precision, and what the last run did. An output: set struct_size
/// first.
typedef struct ww_gradient_info {
    size_t struct_size;     ///< sizeof(ww_gradient_info)
    uint64_t pairs;         ///< pairs: values
    uint64_t rows, columns; ///< of the gradients by the row series and the column series
    uint64_t parameters;    ///< pairs x parameter_count of the measure
    uint64_t weights;       ///< pairs x the longest length
    uint64_t alignment;     ///< sum of n m over the pairs
    uint64_t cells;         ///< cells of the pairs, inside the band
    uint64_t launches;      ///< kernel launches of the last run
    uint64_t batches;       ///< parts that the pairs were computed in by the last run
    uint64_t segments;      ///< most parts of a pair whose checkpoints did not fit; 1: all fitted
    double seconds_device;  ///< device time of the last run's kernels; 0 when the device does not say
    double seconds_wall;    ///< wall time of the last run, transfers included
} ww_gradient_info;

#define WW_GRADIENT_INFO_INIT                                                                                          \
    { sizeof(ww_gradient_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0 }

/// Where a run's results go; each output to host or device memory, in the full layout. NULL: it is not computed.
typedef struct ww_gradient_outputs {
    size_t struct_size; ///< sizeof(ww_gradient_outputs)
    /// A factor for each pair, by which its gradients are multiplied (those of backpropagation); of the datasets'
    /// precision. Values and alignments are not multiplied. NULL: 1.
    const void *upstream;
    const ww_buffer *upstream_device; ///< the same in device memory; one of the two
    uint64_t upstream_offset;         ///< bytes before its first value, a multiple of a value's bytes
    const ww_output *values;          ///< one a pair
    /// Series after series (per_pair: pair after pair) with the shape of the series: channel by channel, without time
    /// stamps.
    const ww_output *rows;
    const ww_output *columns;    ///< likewise
    const ww_output *parameters; ///< pair after pair: one for each parameter of the measure; 0 where it has no slope
    const ww_output *weights;    ///< pair after pair: one for each |i-j| from 0 to below the longest length
    /// Pair after pair, n x m, row after row: dV/dD(i,j), which is the probability that a path goes through cell (i,j).
    /// With DTW it is the gradient by the cost matrix. Of V(x,y) also with `divergence`.
    const ww_output *alignment;
} ww_gradient_outputs;

#define WW_GRADIENT_OUTPUTS_INIT                                                                                       \
    { sizeof(ww_gradient_outputs), NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL }

/// Prepares gradients of listed pairs under a measure.
///
/// With `gamma` above 0 the gradient is that of the soft minimum; with 0 that along the best path, where the first of
/// diagonal, up, left wins among equals (a subgradient). |t| has slope 0 at 0, and so have norms.
/// \param measure DTW, DDTW, WDTW, WDDTW, ADTW, Fréchet (hard alone), ERP, MSM or TWED; closed ends; copied.
/// \param row_index, column_index `count` indices each, copied; NULL both: the i-th row with the i-th column.
/// \param count 1 to 2^31 - 1.
/// \param options read during the call only; NULL: all defaults.
/// \return WW_ERROR_UNSUPPORTED: a measure without slopes (EDR, LCSS, Levenshtein, LCS, WW_USER), a user's cost, open
/// ends, series that are not on the device at once; weights of a measure that has none; and as ww_plan_create_pairs().
/// *Ownership*: the caller's; keeps the datasets alive. *Thread-safety*: any thread. *Blocking*: while kernels are
/// compiled. Source: M. Cuturi, M. Blondel: Soft-DTW. ICML 2017.
WW_API_STATUS ww_gradient_create_pairs(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                       const size_t *row_index, const size_t *column_index, size_t count,
                                       const ww_gradient_options *options, ww_gradient **gradient);

/// The same for all rows with all columns, in row order. \param columns NULL: `rows` with itself; then the gradient by
/// a series is the sum of those given as `rows` and as `columns`.
/// \return as ww_gradient_create_pairs(). *Ownership*: the caller's; keeps the datasets alive. *Thread-safety*: any
/// thread. *Blocking*: while kernels are compiled.
WW_API_STATUS ww_gradient_create_matrix(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                        const ww_gradient_options *options, ww_gradient **gradient);

/// Computes what `outputs` asks for, in one pass forward and, where it asks for more than values, one back. The series'
/// present content is read: a wrapped buffer may have changed. Sums are in a fixed order, so equal runs give equal
/// bits. With a soft minimum, at any gamma, slopes of a pair of n and m points are right to 2u (n + m + |V|/gamma) of
/// the largest, u = 2^-24 in float and 2^-53 in double. \param outputs read during the call only. \return
/// WW_ERROR_INVALID_ARGUMENT (nothing to compute; an output that the options left out; a buffer that is too small),
/// WW_ERROR_DEVICE_MEMORY (not even one column of checkpoints fits), WW_ERROR_NOT_FINITE (upstream), WW_ERROR_OVERFLOW
/// (a value or slope too large for the precision), WW_ERROR_CANCELLED, WW_ERROR_OPENCL. *Thread-safety*: one thread at
/// a time. *Blocking*: until done, where an output goes to host memory or there is a progress function; else until all
/// work is enqueued.
WW_API_STATUS ww_gradient_run(ww_gradient *gradient, const ww_gradient_outputs *outputs);

/// Waits for a run into device memory. \return its error, WW_ERROR_OPENCL; WW_OK when there is none to wait for.
/// *Thread-safety*: one thread at a time. *Blocking*: until its work is done.
WW_API_STATUS ww_gradient_finish(ww_gradient *gradient);

/// Sizes, and what the last finished run did. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time.
/// *Blocking*: no.
WW_API_STATUS ww_gradient_get_info(const ww_gradient *gradient, ww_gradient_info *info);

/// Frees a gradient and stores NULL in *gradient. Work in progress continues. *Thread-safety*: one thread at a time.
/// *Blocking*: no.
WW_API void ww_gradient_destroy(ww_gradient **gradient);

#ifdef __cplusplus
}
#endif
#endif
