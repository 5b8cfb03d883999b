// SPDX-License-Identifier: Apache-2.0
// The options common to all jobs (wavewarp/run.h): reading and checking them.
#ifndef WAVEWARP_RUN_OPTIONS_H
#define WAVEWARP_RUN_OPTIONS_H

#include <wavewarp/run.h>

#include "base/kit.h"

// Copies a caller's options, or the defaults for NULL, to `own`. WW_ERROR_INVALID_ARGUMENT, WW_ERROR_UNSUPPORTED.
ww_status wwi_run_take(const ww_run_options *given, ww_run_options *own);
// A stream whose compiles tell the options' progress function.
ww_status wwi_run_stream(ww_context *context, const ww_run_options *run, wwi_stream **stream);

#endif
