// SPDX-License-Identifier: Apache-2.0
// A profile's plan, its slices of series on the device, and what is shared with the kernels.
#ifndef WAVEWARP_PROFILE_JOB_H
#define WAVEWARP_PROFILE_JOB_H

#include <wavewarp/profile.h>

#include "base/pace.h"
#include "profile/profile_args.h"
#include "profile/profile_series.h"
#include "work/team.h"

// Which windows of a tile have lists.
enum { WWI_PROFILE_BOTH = 0, WWI_PROFILE_ROWS_ALONE = 1, WWI_PROFILE_COLUMNS_ALONE = 2, WWI_PROFILE_ROLES = 3 };

enum {
    WWI_PROFILE_ENTRY_BYTES = 16,
    WWI_PROFILE_PART = 64,
    WWI_PROFILE_STRIPES = 64,
    WWI_PROFILE_STRIPE = 16,
    WWI_PROFILE_MERGE_GROUP = 64
};

// Lists of neighbours: of all windows or, with options.left_right, of later ones; of earlier ones.
enum { WWI_PROFILE_RIGHT = 0, WWI_PROFILE_LEFT = 1, WWI_PROFILE_LISTS = 2 };

// Windows of a series on the device, and their lists.
typedef struct wwi_profile_slice {
    const wwi_profile_series *series;
    size_t first, count;
    uint32_t points, stride; // of a channel: values, and windows; both with padding
    wwi_buffer *values, *means, *statistics, *flat, *state;
    wwi_buffer *table[2], *condition[2], *conditions[2]; // of each set of kernels
    wwi_buffer *bounds[WWI_PROFILE_LISTS], *heads[WWI_PROFILE_LISTS];
    wwi_buffer *best[WWI_PROFILE_LISTS], *best_ids[WWI_PROFILE_LISTS];
} wwi_profile_slice;

// The neighbours of all windows: squared distances, and indices of windows, windows x k each.
typedef struct wwi_profile_nearest {
    size_t windows, k;
    int lists;
    int exponent; // a distance is the root of what is here, times 2^exponent
    bool empty;   // no window has a neighbour; false: some may
    double *best[WWI_PROFILE_LISTS];
    int64_t *ids[WWI_PROFILE_LISTS];
} wwi_profile_nearest;

// A part of the matrix of windows.
typedef struct wwi_profile_part {
    size_t row, row_end, column, column_end;
    int64_t diagonal, diagonal_end; // of them the pairs with column - row in [diagonal, diagonal_end)
    size_t apart;                   // of a stream that forgets: windows so far apart or farther do not meet; 0: all do
} wwi_profile_part;
// All pairs of windows of a rectangle.
#define WWI_PROFILE_RECTANGLE(row, row_end, column, column_end)                                                        \
    { (row), (row_end), (column), (column_end), INT64_MIN / 2, INT64_MAX / 2, 0 }

// Of windows that are not normalised: whether tiles are in double, and what these take (profile/profile_args.h).
typedef struct wwi_profile_raw {
    bool in_double;
    float relative, rounding, power;
} wwi_profile_raw;

// How the lists of a slice are on the device.
typedef struct wwi_profile_lists_there {
    bool none_known; // they are empty when they come there
    bool stays;      // what a run finds stays there until wwi_profile_fetch()
    bool current;    // those of the one slice are those of the host, or better
    // Since they came there: tiles that were run, and how many the next launch may take (0: not known).
    uint64_t tiles_run, tiles_next;
} wwi_profile_lists_there;

typedef struct wwi_profile_reach wwi_profile_reach;

// The prepared series. Plans on several devices share one.
typedef struct wwi_profile_input {
    wwi_counted counted;
    wwi_profile_series series, other; // other: unused for one series; both without a reach
    pthread_mutex_t lock;
    wwi_profile_reach *reach[2]; // of each, while plans are made: what one of them has made
    bool trend;                  // some tiles are of windows close to lines
} wwi_profile_input;

struct ww_profile {
    ww_context *context;
    wwi_stream *stream;
    ww_profile_options options;
    ww_run_options run;
    size_t window, k, exclusion;
    wwi_profile_input *input;
    wwi_profile_series series, other; // those of the input, with the plan's reach
    wwi_profile_reach *reach[2];
    bool self;
    wwi_profile_part part; // of the last run
    bool vector;           // the kernel for CPUs
    bool narrow;           // without double on the device: normalised windows by pairs of floats
    bool by_host;          // the host compares candidates
    wwi_profile_raw raw;
    uint32_t groups[2]; // work-items of a group, of each set
    uint32_t width, block_rows;
    uint32_t padding; // of tables and values, in windows
    size_t slice;     // most windows of a slice
    // Of tiles: with both roles; rows alone; columns alone. The second set, in double, computes for the first the tiles
    // of a large condition, and those of windows close to straight lines.
    wwi_program *programs[2][WWI_PROFILE_ROLES];
    wwi_kernel *tiles[2][WWI_PROFILE_ROLES];
    bool deep;  // there is a second set
    bool trend; // the input's: the second set, or without double all, know lines (profile_trend.c)
    wwi_program *merge_program;
    wwi_kernel *merge, *statistics;
    wwi_buffer *entries, *counters;
    uint64_t capacity; // entries
    wwi_profile_slice slices[2];
    wwi_profile_nearest nearest;
    wwi_profile_lists_there lists;
    wwi_pace pace;
    double rate;       // pairs a second
    double merge_rate; // candidates a second
    ww_profile_info info;
    wwi_team *team; // several devices: the profile on each of them
};

// The other series, or the series itself.
static inline const wwi_profile_series *wwi_profile_other(const ww_profile *p) {
    return p->self ? &p->series : &p->other;
}
// How many lists a window has.
static inline int wwi_profile_lists(const ww_profile *p) {
    return p->options.left_right ? WWI_PROFILE_LISTS : 1;
}

// ---- profile_plan.c

void wwi_profile_reach_release(wwi_profile_reach **reach);
// The plans are made: what none of them has taken is freed.
void wwi_profile_input_forget(wwi_profile_input *input);

// The form of the kernels, for so many channels.
ww_status wwi_profile_choose_form(ww_profile *p, size_t channels);
// All that follows from the form and the series: sizes, kernels, buffers.
ww_status wwi_profile_plan(ww_profile *p);
// The error of a correlation for a condition of 1, by the arithmetic of the tiles.
float wwi_profile_error(const ww_profile *p, bool is_double);
// Whether tiles of a set know lines.
static inline bool wwi_profile_knows_lines(const ww_profile *p, bool deep) {
    return p->trend && (deep || p->narrow);
}

// ---- profile_raw_plan.c

// The same of windows that are not normalised: rows, sizes, kernels.
ww_status wwi_profile_raw_plan(ww_profile *p);
// How the kernels name such a norm.
int64_t wwi_profile_norm(const ww_profile *p);

// ---- profile_nearest.c

// Allocates lists, in a zeroed struct, and fills them; both. To forget is to make them empty.
ww_status wwi_profile_nearest_allocate(size_t windows, size_t k, int lists, wwi_profile_nearest *nearest);
ww_status wwi_profile_nearest_fill(wwi_profile_nearest *nearest);
ww_status wwi_profile_nearest_make(size_t windows, size_t k, int lists, wwi_profile_nearest *nearest);
ww_status wwi_profile_nearest_forget(wwi_profile_nearest *nearest);
void wwi_profile_nearest_free(wwi_profile_nearest *nearest);
// To the caller's arrays, as distances or their squares.
ww_status wwi_profile_nearest_give(const wwi_profile_nearest *nearest, bool squared, const ww_profile_output *to);
// Checks what a plan can give.
ww_status wwi_profile_take_output(int left_right, const ww_profile_output *given, ww_profile_output *to);

// ---- profile.c

// Runs a part, without constant windows (wwi_profile_enter_flats()): its neighbours come to those that the plan's lists
// have, which keep others from being looked at. Of the whole's diagonals the lists may stay on the device, for the next
// run, until they are fetched.
ww_status wwi_profile_add_part(ww_profile *p, const wwi_profile_part *part);
ww_status wwi_profile_fetch(ww_profile *p);
// The run of a part on one device, by distances or their squares; `forget`: without what the lists have.
ww_status wwi_profile_run_alone(ww_profile *p, const wwi_profile_part *part, bool squared, bool forget,
                                const ww_profile_output *output);

// ---- profile_diagonals.c

// The same on the device or the devices of the plan.
ww_status wwi_profile_run_anywhere(ww_profile *p, const wwi_profile_part *part, bool squared, bool forget,
                                   const ww_profile_output *output);

// ---- profile_run.c

// Puts what p->part has into the lists.
ww_status wwi_profile_run_part(ww_profile *p);

// ---- profile_slice.c

// Device bytes that a window of a slice takes.
uint64_t wwi_profile_window_bytes(const ww_profile *p, const wwi_profile_series *series);
// Puts windows on the device, with what is known of their neighbours; and takes that back.
ww_status wwi_profile_slice_open(ww_profile *p, wwi_profile_slice *slice, const wwi_profile_series *series,
                                 size_t first, size_t count);
ww_status wwi_profile_slice_store(ww_profile *p, wwi_profile_slice *slice);
void wwi_profile_slice_close(wwi_profile_slice *slice);
// Enters a neighbour into a sorted list of k.
void wwi_profile_enter(double *best, int64_t *ids, size_t k, double distance2, int64_t id);
// A window's bound (kernels_cl/profile/profile.cl), where its k-th neighbour has this squared distance.
float wwi_profile_bound(const wwi_profile_series *series, double worst);

// ---- profile_host.c

// What kernels_cl/profile/profile_merge.cl does, by the host. `stripes` counters have `capacity` entries each.
ww_status wwi_profile_merge_host(ww_profile *p, wwi_profile_slice *own, const wwi_profile_slice *other, int list,
                                 uint32_t stripes);

// ---- profile_flat.c

// Enters the neighbours of windows of a kind, as straight lines, into their lists; before the part is run.
ww_status wwi_profile_enter_kinds(ww_profile *p);
// Enters constant windows, and the neighbours of constant windows, into all lists.
ww_status wwi_profile_enter_flats(ww_profile *p);

#endif
