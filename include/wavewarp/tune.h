// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finding the parameters with which the kernels run fastest on a device. See docs/tuning.md.
#ifndef WAVEWARP_TUNE_H
#define WAVEWARP_TUNE_H

#include <wavewarp/context.h>
#include <wavewarp/run.h>
#include <wavewarp/series.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One candidate that was tried, or (chosen not 0) the final value of a parameter. Filled only by the library.
typedef struct ww_tune_result {
    size_t struct_size;    ///< of the library's struct
    const char *parameter; ///< for example "lanes.rows"
    ww_precision precision;
    int64_t value;
    double cells_per_second; ///< 0 when it could not run
    int correct;             ///< 0: it gave a wrong result or could not run, and is never chosen
    int chosen;
} ww_tune_result;

/// Receives each result, which is valid during the call. Return 0 to go on, anything else to stop.
typedef int (*ww_tune_fn)(void *user, const ww_tune_result *result);

typedef struct ww_tune_options {
    size_t struct_size; ///< sizeof(ww_tune_options)
    double seconds;     ///< time for each candidate, without compiling; 0: 0.2
    int dry;            ///< 1: the user's tuning file is not changed
    ww_tune_fn report;  ///< NULL: none
    void *report_user;
    const ww_run_options *run; ///< NULL: all defaults. Progress is in candidates
} ww_tune_options;

#define WW_TUNE_OPTIONS_INIT                                                                                           \
    { sizeof(ww_tune_options), 0.0, 0, NULL, NULL, NULL }

/// Tries candidates for every parameter of the engines that suit the device, checks each against a double-precision
/// reference, and writes the fastest of each to the user's tuning file as soon as it is known.
/// \param options read during the call only; NULL: all defaults.
/// \return WW_ERROR_CANCELLED when `report` or `run->progress` asked to stop (what was written stays), WW_ERROR_IO when
/// the file can't be written. *Thread-safety*: nobody else may use the context meanwhile. *Blocking*: for a minute or
/// so.
WW_API_STATUS ww_tune(ww_context *context, const ww_tune_options *options);

/// A parameter that a tuning file may set. Filled by ww_tune_get_parameter(); set its struct_size first.
typedef struct ww_tune_parameter {
    size_t struct_size;   ///< sizeof(ww_tune_parameter)
    const char *name;     ///< for example "lanes.rows"; "packed.columns.*": one for each measure
    int64_t least, most;  ///< what it can be; anything else in a file is WW_ERROR_FORMAT
    const char *values;   ///< "", or of these only "a power of two" or "a multiple of 4"
    const char *standard; ///< its default, in words: it may depend on the device
    const char *meaning;
    int tuned; ///< whether ww_tune() tries it
} ww_tune_parameter;

#define WW_TUNE_PARAMETER_INIT                                                                                         \
    { sizeof(ww_tune_parameter), NULL, 0, 0, NULL, NULL, NULL, 0 }

/// Number of tuning parameters. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_tune_parameter_count(void);

/// Describes parameter i (0 <= i < count). \return WW_ERROR_INVALID_ARGUMENT. *Ownership*: the texts are the library's,
/// for ever. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_tune_get_parameter(size_t i, ww_tune_parameter *parameter);

/// The file ww_tune() writes; "" when there is no place for one. *Ownership*: the context's, as long as it lives.
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API const char *ww_tuning_file(const ww_context *context);

#ifdef __cplusplus
}
#endif
#endif
