// SPDX-License-Identifier: Apache-2.0
// An object that is on each device of a context: a dataset, points, a plan, a search. The devices divide its work.
//
// What a caller holds of such an object is that of the first device that has it; the team hangs on this one. So whoever
// knows nothing of teams works with an object of one device.
#ifndef WAVEWARP_TEAM_H
#define WAVEWARP_TEAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/kit.h"
#include "work/store.h"

typedef struct wwi_team {
    ww_context *context; // of several devices, or of one whose jobs are kept in a store
    size_t count;
    void **on;            // what each device has; NULL where it could not be made
    wwi_worker *workers;  // in the last job; where an object could not be made, lost, and why
    ww_run_options run;   // the caller's
    ww_run_options own;   // a device's: its progress function ends the work when the caller's has asked to stop
    atomic_bool stop;     // it has
    bool made;            // wwi_team_make() has been called: a device that has nothing takes no part
    bool alone;           // one device works in the caller's thread, and tells the caller's progress function
    pthread_mutex_t lock; // of what the devices make together
} wwi_team;

// A device in a job.
typedef struct wwi_seat {
    wwi_team *team;
    void *of; // the job's own struct
    size_t device;
    void *own; // what the device keeps for its runs
} wwi_seat;

// A job that is divided: how it is counted, and what a device does. One constant a job. Units (queries, pairs, tiles)
// do not depend on each other. open, run and close are called by the device's thread, of different devices at once.
typedef struct wwi_job {
    double (*work)(const void *of, size_t unit); // NULL: the caller of wwi_team_go_on() knows
    size_t step;                                 // runs begin at its multiples; 0: at any unit
    size_t (*end)(const void *of, size_t first); // the largest end of a run that begins there; NULL: any
    ww_status (*open)(wwi_seat *seat);           // NULL: there is nothing to do
    ww_status (*run)(const wwi_seat *seat, wwi_span units);
    // Brings to the host what runs of the device have left there; NULL: they leave nothing (wwi_schedule.settle).
    ww_status (*settle)(const wwi_seat *seat);
    void (*close)(wwi_seat *seat); // likewise; also after a failure
    // What a context's store needs; NULL: the job is computed anew each time, and has no parts. `name` as of
    // wwi_store_job. `give`: after a run that is settled, what it gave, perhaps with what other runs of the device gave
    // before. `take`: before all runs, in the caller's thread; what units gave may come more than once.
    void (*name)(const void *of, FILE *to);
    ww_status (*give)(const wwi_seat *seat, wwi_span units, wwi_bytes *to);
    ww_status (*take)(void *of, wwi_span units, wwi_taken_bytes *from);
} wwi_job;

// `run`: the caller's options, or NULL. *team: NULL of a context of one device without a store.
ww_status wwi_team_open(ww_context *context, const ww_run_options *run, wwi_team **team);
// The caller's options of later runs.
ww_status wwi_team_set_run(wwi_team *team, const ww_run_options *run);
// Frees it, not what the devices have: see WWI_TEAM_CLOSE.
void wwi_team_close(wwi_team **team);
// Makes what each device has, all at once: `make` leaves it in seat->own. A device that can't is left out. Fails when
// none can, or by an error that every device would find. `report`, or NULL: its progress function is told 0 of `work`
// several times a second, and all of it at the end.
ww_status wwi_team_make(wwi_team *team, ww_status (*make)(wwi_seat *seat), void *of, double work,
                        const ww_run_options *report);
void *wwi_team_any(const wwi_team *team); // what the first device has that has it
// Whether device i has its object; else why not.
ww_status wwi_team_check(const wwi_team *team, size_t device);

// Runs a job on all devices.
ww_status wwi_team_run(wwi_team *team, const wwi_job *job, void *of, size_t units);
// A job in several runs: what the devices did adds up from one wwi_team_begin() to the next. `before`: units + 1, the
// work of all units before each. `report`: NULL, or whose progress function is told of that work.
void wwi_team_begin(wwi_team *team);
ww_status wwi_team_go_on(wwi_team *team, const wwi_job *job, void *of, size_t units, const double *before,
                         const ww_run_options *report);
// Tells the context what the devices did: by itself after each run, and after work that was none.
void wwi_team_note_shares(const wwi_team *team);

// Fails for work that is not divided, where only a part is to be done.
ww_status wwi_team_refuse_part(const wwi_team *team);

// The team that does a job of these objects, of which the second may be NULL: that of both, if both are on the devices
// of one context; else NULL, and the job is one device's.
static inline wwi_team *wwi_team_of(wwi_team *one, bool two_given, const wwi_team *two) {
    return one && (!two_given || (two && two->context == one->context)) ? one : NULL;
}

// A run by one device in the caller's thread, whose object the caller holds.
#define WWI_ALONE(team, ...)                                                                                           \
    do {                                                                                                               \
        WWI_TRY(wwi_team_refuse_part(team));                                                                           \
        if (team)                                                                                                      \
            (team)->alone = true;                                                                                      \
        const ww_status wwi_status = (__VA_ARGS__);                                                                    \
        if (team)                                                                                                      \
            (team)->alone = false;                                                                                     \
        return wwi_status;                                                                                             \
    } while (0)

// Ends a team with what its devices have, but for `held`, which is being freed.
#define WWI_TEAM_CLOSE(type, team_of_held, held)                                                                       \
    do {                                                                                                               \
        wwi_team *wwi_ended = (team_of_held);                                                                          \
        for (size_t wwi_i = 0; wwi_ended && wwi_i < wwi_ended->count; wwi_i++) {                                       \
            type *wwi_on = wwi_ended->on[wwi_i];                                                                       \
            if (wwi_on != (held))                                                                                      \
                type##_destroy(&wwi_on);                                                                               \
        }                                                                                                              \
        wwi_team_close(&wwi_ended);                                                                                    \
    } while (0)

#endif
