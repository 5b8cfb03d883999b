// SPDX-License-Identifier: Apache-2.0
/// \file
/// Averages of series under an elastic measure.
#ifndef WAVEWARP_AVERAGE_H
#define WAVEWARP_AVERAGE_H

#include <wavewarp/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How an average is found.
typedef enum ww_average_method {
    /// DTW barycentre averaging (Petitjean, Ketterlin and Gancarski 2011): each member is aligned to the centre along
    /// its warping path, and each point of the centre becomes the weighted mean of the points matched with it.
    WW_AVERAGE_DBA = 0,
    /// Soft barycentre (Cuturi and Blondel 2017): the sum of soft distances is lowered by its gradient (L-BFGS). The
    /// measure's gamma is above 0.
    WW_AVERAGE_SOFT = 1
} ww_average_method;

/// The centre at the beginning.
typedef enum ww_average_start {
    WW_AVERAGE_START_MEAN = 0,   ///< the weighted mean, point by point, of the members stretched to the centre's length
    WW_AVERAGE_START_MEDOID = 1, ///< the member with the least weighted sum of distances to the others
    WW_AVERAGE_START_GIVEN = 2   ///< ww_average_options.given
} ww_average_start;

typedef struct ww_average_options {
    size_t struct_size; ///< sizeof(ww_average_options)
    ww_average_method method;
    /// Points of the centre. 0: of the start: of the longest member, of the medoid, or given_length. A start of another
    /// length is stretched linearly.
    size_t length;
    const size_t *members; ///< indices of the series that are averaged; NULL: all
    size_t member_count;   ///< 0 with members NULL
    const double *weights; ///< one a member, none negative, their sum above 0; NULL: all 1
    ww_average_start start;
    const double *given; ///< WW_AVERAGE_START_GIVEN: channels x given_length values, channel by channel
    size_t given_length;
    size_t iterations; ///< most; 0: the start and its objective alone. Default 100
    /// Ends when an iteration lowers the objective by less than this share of it, 0 to 1. Default 1e-6
    double tolerance;
    const ww_plan_options *plan; ///< engine and limits; NULL: all defaults. Progress is in cells of all iterations
} ww_average_options;

#define WW_AVERAGE_OPTIONS_INIT                                                                                        \
    { sizeof(ww_average_options), WW_AVERAGE_DBA, 0, NULL, 0, NULL, WW_AVERAGE_START_MEAN, NULL, 0, 100, 1e-6, NULL }

/// An average. An output: set struct_size first.
typedef struct ww_average_result {
    size_t struct_size; ///< sizeof(ww_average_result)
    size_t length, channels;
    double *centre; ///< channels x length values, channel by channel
    /// iterations + 1 values: the weighted sum of the members' distances from the centre, without a root, of the start
    /// and after each iteration. None is above the one before.
    double *objective;
    size_t iterations;     ///< that changed the centre
    int converged;         ///< 1: ended by the tolerance, or because nothing improved the centre
    double seconds_device; ///< device time; 0 when the device does not say
    double seconds_wall;   ///< wall time of the iterations
} ww_average_result;

#define WW_AVERAGE_RESULT_INIT                                                                                         \
    { sizeof(ww_average_result), 0, 0, NULL, NULL, 0, 0, 0.0, 0.0 }

/// The average of series of a dataset, whose precision is that of distances and sums on the device: the centre c that
/// lowers the sum of w_k D(c, x_k).
///
/// DBA takes measures whose paths match every point of the centre: DTW, ADTW, WDTW, Fréchet, MSM (dependent channels)
/// and TWED without time stamps, any band that suits the lengths. With DTW's squared cost every iteration lowers the
/// objective; with others the first that does not is undone and ends the search. Sums are made on the device; no path
/// comes to the host. Soft barycentres take DTW, ADTW, WDTW and MSM with gamma above 0; a search that finds no way down
/// ends there, and counts as converged.
/// \param measure its root is ignored. \param options read during the call only; NULL: all defaults.
/// \return WW_ERROR_EMPTY (no member), WW_ERROR_INVALID_ARGUMENT (weights, a start of a wrong shape, an index
/// out of range), WW_ERROR_UNSUPPORTED (the method does not take the measure), WW_ERROR_NO_PATH, WW_ERROR_NOT_FINITE,
/// WW_ERROR_CANCELLED, and what ww_plan_create_paths() and ww_plan_run_paths() return. On an error the result holds
/// nothing.
/// *Ownership*: free what the result holds with ww_average_result_free(). *Thread-safety*: any thread.
/// *Blocking*: until done.
WW_API_STATUS ww_average(const ww_measure *measure, ww_dataset *series, const ww_average_options *options,
                         ww_average_result *result);

/// Frees what a result holds and makes it empty; the struct itself is the caller's. *Thread-safety*: one thread at a
/// time. *Blocking*: no.
WW_API void ww_average_result_free(ww_average_result *result);

#ifdef __cplusplus
}
#endif
#endif
