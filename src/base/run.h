// SPDX-License-Identifier: Apache-2.0
// The options common to all jobs (wavewarp/run.h): reading and checking them.
#ifndef WAVEWARP_RUN_OPTIONS_H
#define WAVEWARP_RUN_OPTIONS_H

#include <wavewarp/run.h>

#include "base/kit.h"

// Copies a caller's options, or the defaults for NULL, to `own`. WW_ERROR_INVALID_ARGUMENT, WW_ERROR_UNSUPPORTED.
ww_status wwi_run_take(const ww_run_options *given, ww_run_options *own);
// What wwi_run_take() puts in the place of a progress function that is not given, where the thread has an interrupt
// function: the job stops where it would tell its progress, and wwi_run_report() asks.
int wwi_run_silent(void *user, uint64_t done, uint64_t total);
// A stream whose compiles tell the options' progress function.
ww_status wwi_run_stream(ww_context *context, const ww_run_options *run, wwi_stream **stream);

#endif
