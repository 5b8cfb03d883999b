// SPDX-License-Identifier: Apache-2.0
// Taking ww_run_options.
#include "base/run.h"

#include "error.h"
#include "options.h"

int wwi_run_silent(void *user, uint64_t done, uint64_t total) {
    (void)user, (void)done, (void)total;
    return 0;
}

ww_status wwi_run_take(const ww_run_options *given, ww_run_options *own) {
    *own = (ww_run_options)WW_RUN_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(own, given, "ww_run_options"));
    if (!(own->launch_seconds >= 0 && own->launch_seconds <= 3600))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "run.launch_seconds is %g; 0 to 3600", own->launch_seconds);
    if (!own->progress && wwi_can_interrupt())
        own->progress = wwi_run_silent;
    return WW_OK;
}

ww_status wwi_run_stream(ww_context *context, const ww_run_options *run, wwi_stream **stream) {
    WWI_TRY(wwi_stream_create(context, stream));
    wwi_stream_watch(*stream, run->progress, run->progress_user);
    return WW_OK;
}
