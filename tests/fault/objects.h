// SPDX-License-Identifier: Apache-2.0
// A job on an object: the object is made, a call on it is disturbed, and the object is asked for its answers.
#ifndef WAVEWARP_FAULT_OBJECTS_H
#define WAVEWARP_FAULT_OBJECTS_H

#include <stddef.h>
#include <wavewarp/context.h>
#include <wavewarp/status.h>

typedef struct wwt_answer {
    size_t bytes; // that were added; those beyond the array are only counted
    unsigned char at[1 << 16];
} wwt_answer;
void wwt_add(wwt_answer *answer, const void *bytes, size_t count);
// Adds a file's content. WW_ERROR_IO.
ww_status wwt_add_file(wwt_answer *answer, const char *path);

// An object's bytes by functions, to memory and from there.
struct wwt_bytes;
ww_status wwt_give(ww_status (*write)(struct wwt_bytes *to), wwt_answer *answer);
ww_status wwt_take(ww_status (*read)(struct wwt_bytes *from));

typedef struct wwt_job {
    const char *name;
    ww_status (*open)(ww_context *context); // not disturbed. What it made so far is closed also when it failed
    // The disturbed call; NULL: `answer` is. It changes the object as it does after an undisturbed call, or not at all.
    ww_status (*call)(void);
    ww_status (*answer)(wwt_answer *answer);
    void (*close)(void);
    int once; // the answer ends the object
} wwt_job;

extern const wwt_job wwt_plan_jobs[], wwt_point_jobs[], wwt_learn_jobs[], wwt_search_jobs[], wwt_file_jobs[],
    wwt_index_jobs[];
extern const size_t wwt_plan_job_count, wwt_point_job_count, wwt_learn_job_count, wwt_search_job_count,
    wwt_file_job_count, wwt_index_job_count;

// Series with two classes that are easily told apart; the same ones every time.
struct ww_series_set;
ww_status wwt_make_set(size_t count, size_t length, size_t channels, struct ww_series_set **set);
// A name in the working folder that is this process' own.
const char *wwt_path(const char *ending);

#endif
