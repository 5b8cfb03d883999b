// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distances in one call: short functions on top of datasets and plans (wavewarp/plan.h).
#ifndef WAVEWARP_DISTANCE_H
#define WAVEWARP_DISTANCE_H

#include <wavewarp/context.h>
#include <wavewarp/measure.h>
#include <wavewarp/series.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The distance of one pair, one channel. The context keeps what the last few calls made (a plan and two short series on
/// the device each), so calls with a measure and lengths of before take tens of microseconds on a CPU.
/// \param x n values; \param y m values; read during the call only.
/// \param distance the result, computed in double where the device has it, else in float.
/// \return as ww_dataset_create(), ww_plan_create_pairs() and ww_plan_run(). *Thread-safety*: any thread.
/// *Blocking*: until done.
WW_API_STATUS ww_distance(ww_context *context, const ww_measure *measure, const double *x, size_t n, const double *y,
                          size_t m, double *distance);

/// All distances between two sets, which are read during the call only.
/// \param columns NULL: `rows` with itself, full symmetric matrix.
/// \param distances rows x columns values of `precision`.
/// \return as ww_dataset_create(), ww_plan_create_matrix() and ww_plan_run(). *Thread-safety*: any thread, while nobody
/// changes the sets. *Blocking*: until done.
WW_API_STATUS ww_matrix(ww_context *context, const ww_measure *measure, const ww_series_set *rows,
                        const ww_series_set *columns, ww_precision precision, void *distances);

#ifdef __cplusplus
}
#endif
#endif
