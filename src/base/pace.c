// SPDX-License-Identifier: Apache-2.0
// Chooses the units of work of the next launch, from the time of the launches before it.
#include "base/pace.h"

#include "base/run.h"

// Times below this are mostly the launch itself.
#define LEAST_SECONDS 1e-3
// A launch has at most so many times the work of the one whose time was measured: a processor that was free for a short
// launch may be taken in the next.
#define MOST_GROWTH 4.0

wwi_pace wwi_pace_make(wwi_stream *stream, double launch_seconds,
                       int (*progress)(void *user, uint64_t done, uint64_t total), void *user) {
    return (wwi_pace){
        .stream = stream,
        .aim = launch_seconds > 0 ? launch_seconds : 0.25,
        .progress = progress,
        .user = user,
    };
}

void wwi_pace_start(wwi_pace *pace, uint64_t total) {
    pace->done = 0;
    pace->total = total;
    pace->waiting = 0;
    pace->since = wwi_seconds();
    wwi_stream_told(pace->stream, 0, total);
}

ww_status wwi_pace_report(wwi_pace *pace, uint64_t work) {
    pace->done += work; // often an estimate
    if (pace->done > pace->total)
        pace->done = pace->total;
    wwi_stream_told(pace->stream, pace->done, pace->total);
    return wwi_run_report(pace->progress, pace->user, pace->done, pace->total);
}

bool wwi_pace_may_enqueue(const wwi_pace *pace, double rate, double work) {
    return !pace->progress || (pace->progress == wwi_run_silent && work <= rate * pace->aim);
}

double wwi_pace_guess(const ww_device_info *info, double each_clock) {
    return wwi_device_clocks(info) * each_clock;
}

uint64_t wwi_pace_units(const wwi_pace *pace, double rate, uint64_t left, double work_each) {
    const double units = rate * pace->aim / (work_each > 1 ? work_each : 1);
    const uint64_t most = 0x7fffffff;
    uint64_t take = units < 1 ? 1 : units > (double)most ? most : (uint64_t)units;
    // Two halves instead of nearly all and a small rest.
    if (take < left && take * 2 > left)
        take = (left + 1) / 2;
    return take < left ? take : left;
}

double wwi_pace_learn(const wwi_pace *pace, double rate, double work, double seconds) {
    const double grown = MOST_GROWTH * work / pace->aim, most = grown > rate ? grown : rate;
    if (work <= 0)
        return rate;
    const double measured = work / (seconds > LEAST_SECONDS ? seconds : LEAST_SECONDS);
    if (seconds <= LEAST_SECONDS && measured < rate)
        return rate;
    return measured < most ? measured : most;
}

ww_status wwi_pace_launched(wwi_pace *pace, double *rate, double work, bool more) {
    if (pace->enqueue_only)
        return WW_OK;
    pace->waiting += (uint64_t)work;
    const bool told = pace->progress && pace->progress != wwi_run_silent;
    if (!more && !told && (double)pace->waiting <= *rate * pace->aim)
        return WW_OK;
    WWI_TRY(wwi_finish(pace->stream));
    *rate = wwi_pace_learn(pace, *rate, (double)pace->waiting, wwi_seconds() - pace->since);
    const ww_status status = wwi_pace_report(pace, pace->waiting);
    pace->waiting = 0;
    pace->since = wwi_seconds();
    return status;
}

uint64_t wwi_pace_next(const wwi_pace *pace, uint64_t work, double seconds) {
    const double in_time = (double)work * pace->aim / (seconds > 1e-6 ? seconds : 1e-6);
    const double grown = MOST_GROWTH * (double)work, most = in_time < grown ? in_time : grown;
    return most < 1024 ? 1024 : most > 1e9 ? 1000000000 : (uint64_t)most;
}
