// SPDX-License-Identifier: Apache-2.0
// Reads ww_run_options, and calls the progress function in them.
#include "base/run.h"

#include "error.h"
#include "options.h"

ww_status wwi_run_take(const ww_run_options *given, ww_run_options *own) {
    *own = (ww_run_options)WW_RUN_OPTIONS_INIT;
    const ww_status status = wwi_options_take(own, given, "ww_run_options");
    if (status != WW_OK)
        return status;
    if (!(own->launch_seconds >= 0 && own->launch_seconds <= 3600))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "run.launch_seconds is %g; 0 to 3600", own->launch_seconds);
    return WW_OK;
}

ww_status wwi_run_report(const ww_run_options *run, uint64_t done, uint64_t total) {
    if (run->progress && run->progress(run->progress_user, done, total) != 0)
        return wwi_fail(WW_ERROR_CANCELLED, "the progress function asked to stop");
    return WW_OK;
}
