// SPDX-License-Identifier: Apache-2.0
// Series on the device: the part of a dataset that jobs use.
#ifndef WAVEWARP_DATASET_INTERNAL_H
#define WAVEWARP_DATASET_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <wavewarp/dataset.h>

#include "base/kit.h"
#include "series/classes.h"
#include "work/team.h"

// From here on double does not have all whole numbers: what is given as one may have been another.
#define WWI_MOST_WHOLE 0x1p53

// The first value beyond 2^24 that float can't represent, or (not of times) as large as WWI_MOST_WHOLE.
typedef struct wwi_rounded {
    bool any;
    size_t series, point;
    double value;
} wwi_rounded;

// Only the reference count, `set` and `in_double` change after the creation, and the values of one that is `foreign`.
// src/data/slice.h uploads values kept on the host.
struct ww_dataset {
    atomic_long references;
    ww_context *context;
    ww_precision precision;
    size_t count, channels;
    size_t extra;           // values of a point besides the channels, stored after them
    bool timed;             // these are time stamps
    uint32_t *lengths;      // count
    uint64_t *offsets;      // count + 1: elements before each series; the last is the sum
    uint32_t *ranks;        // count: number of the series' length among the different lengths
    uint32_t *rank_lengths; // the different lengths, ascending
    uint32_t rank_count;
    uint32_t *sorted;    // ids by (length, id)
    wwi_buffer *values;  // all values, or NULL when they stay on the host
    wwi_buffer *series;  // of all, matching values
    unsigned char *host; // values, channel by channel; NULL when the device holds them
    uint64_t max_bytes;
    wwi_rounded rounded_value, rounded_time;
    double largest_value, largest_time; // absolute values; INFINITY: not known
    bool unspecified;                   // values that are not finite were accepted
    bool foreign; // the values may change between two runs: a caller's buffer, ww_dataset_update(), a pair's refill
    // Of jobs that learn (src/data/dataset_host.c).
    long *classes; // one a series, -1: none; NULL: those of the set
    wwi_class_names names;
    wwi_team *team;                  // several devices: the dataset on each of them
    _Atomic(ww_series_set *) set;    // the series in double in host memory; NULL: not needed yet
    _Atomic(ww_dataset *) in_double; // the dataset in double, likewise
};

// A dataset on a foreign cl_mem: see ww_dataset_wrap().
ww_status wwi_dataset_wrap(ww_context *context, void *memory, size_t count, size_t channels, const size_t *lengths,
                           size_t length, ww_precision precision, ww_dataset **dataset);
// A dataset like `source` with these lengths and extra values, filled series by series, by several threads.
ww_status wwi_dataset_fill(const ww_dataset *source, const uint32_t *lengths, size_t extra,
                           void (*fill)(void *user, size_t i, void *target), void *user, ww_dataset **dataset);
void wwi_dataset_retain(ww_dataset *dataset);
// The dataset on a device of its context, or why it is not there. NULL is on every device.
ww_status wwi_dataset_on(ww_dataset *dataset, size_t device, ww_dataset **on);
// The context whose devices divide a job of these: both are on each of them; `columns` may be NULL. NULL: one device's.
ww_context *wwi_datasets_divide(const ww_dataset *rows, const ww_dataset *columns);
// The (offset, length | rank << 32) entries of all series, offsets counted from element `base` on. *buffer NULL: it is
// created.
ww_status wwi_dataset_send_entries(const ww_dataset *dataset, uint64_t base, wwi_buffer **buffer);

// Made of `count` series of `length` points in double.
ww_status wwi_dataset_of_doubles(ww_context *context, ww_precision precision, const double *values, size_t count,
                                 size_t channels, size_t length, ww_dataset **dataset);

#endif
