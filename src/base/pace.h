// SPDX-License-Identifier: Apache-2.0
// Launches bounded in time: how much work goes into the next one, how fast a device is found to be, progress and
// cancelling. The caller defines the unit of work: cells, points, tasks.
#ifndef WAVEWARP_PACE_H
#define WAVEWARP_PACE_H

#include "base/kit.h"

typedef struct wwi_pace {
    wwi_stream *stream;
    double aim; // seconds that a launch should last
    int (*progress)(void *user, uint64_t done, uint64_t total);
    void *user;
    uint64_t done, total; // what the progress function is told
    uint64_t waiting;     // work enqueued since the last wait
    double since;         // when that was
    bool enqueue_only;    // never wait, learn nothing
} wwi_pace;

// `launch_seconds` 0: a quarter of a second. `progress` may be NULL.
wwi_pace wwi_pace_make(wwi_stream *stream, double launch_seconds,
                       int (*progress)(void *user, uint64_t done, uint64_t total), void *user);
// Begins to count towards `total`.
void wwi_pace_start(wwi_pace *pace, uint64_t total);
// Adds finished work and calls the progress function. WW_ERROR_CANCELLED when that asks to stop.
ww_status wwi_pace_report(wwi_pace *pace, uint64_t work);

// Whether a run of `work` may end before its launches have: nobody is told of them, and an interrupt, if there can be
// one, waits no longer than for a launch.
bool wwi_pace_may_enqueue(const wwi_pace *pace, double rate, double work);

// A first estimate of work a second, from work per clock of each compute unit. Above 0, whatever the driver reports.
double wwi_pace_guess(const ww_device_info *info, double each_clock);
// How many of the `left` units of `work_each` go into one launch: as many as last `aim` at `rate` work a second.
uint64_t wwi_pace_units(const wwi_pace *pace, double rate, uint64_t left, double work_each);
// The rate after `work` took `seconds`. A time too short to be measured can only raise it, and no time by more than
// lets the next launch have four times the work.
double wwi_pace_learn(const wwi_pace *pace, double rate, double work, double seconds);
// After a launch of `work`; `more` when others follow. Waits where a launch has to end before the next, learns the rate
// from the time it took and reports it.
ww_status wwi_pace_launched(wwi_pace *pace, double *rate, double work, bool more);
// For work that is measured launch by launch: the work of the next one when `work` took `seconds`, at most four times
// as much, 1024 to 1e9.
uint64_t wwi_pace_next(const wwi_pace *pace, uint64_t work, double seconds);

#endif
