// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distances in one call: short functions on top of datasets and plans (wavewarp/plan.h).
#ifndef WAVEWARP_DISTANCE_H
#define WAVEWARP_DISTANCE_H

#include <wavewarp/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The distance of one pair. The context keeps what the last few calls made (a plan and two short series on the device
/// each), so calls with a measure, lengths and channels of before take tens of microseconds on a CPU.
/// \param x channels x n values, channel by channel; \param y channels x m values; read during the call only. \param
/// channels >= 1; with 1 they are plain series. \param distance the result, computed in double where the device has it,
/// else in float. \return as ww_dataset_create(), ww_plan_create_pairs() and ww_plan_run().
/// *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_distance(ww_context *context, const ww_measure *measure, const double *x, size_t n, const double *y,
                          size_t m, size_t channels, double *distance);

/// All distances between the series of two datasets: a matrix plan that is made, run and destroyed.
/// \param columns NULL: `rows` with itself. \param output as for ww_plan_run().
/// \return as ww_plan_create_matrix() and ww_plan_run(). *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_matrix(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, const ww_output *output);

/// The k nearest series of `base` (columns) to every series of `queries` (rows), in an order that rounding to float
/// does not change: near ties are computed again in double, as ww_classifier_run() says. A nearest plan alone
/// (ww_plan_create_nearest()) leaves them in the order of their float distances.
/// \param base NULL: `queries` with itself, each without itself. \param k >= 1. \param options read during the call
/// only; NULL: all defaults. \param indices queries x k, -1 where there are fewer. \param distances queries x k, or
/// NULL: those that were computed again in double, the others as the datasets' precision has them; infinity (a
/// similarity: minus infinity) where there are fewer.
/// \return as ww_plan_create_nearest() and ww_plan_run_nearest(); WW_ERROR_EMPTY (one series alone).
/// *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_nearest(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                         const ww_plan_options *options, int64_t *indices, double *distances);

#ifdef __cplusplus
}
#endif
#endif
