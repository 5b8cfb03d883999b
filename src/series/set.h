// SPDX-License-Identifier: Apache-2.0
// What a series set is made of, for the files of this folder.
#ifndef WAVEWARP_SERIES_SET_H
#define WAVEWARP_SERIES_SET_H

#include <stdatomic.h>

#include "series/classes.h"
#include "series/notes.h"

struct ww_series_set {
    size_t channels;
    size_t count;
    size_t *offsets; // element where series i starts
    size_t *lengths;
    long *classes; // -1: no label
    size_t offsets_capacity, lengths_capacity, classes_capacity;
    double *values;
    size_t value_count, values_capacity;
    double *times; // one a point, series after series; unused until `timed`
    size_t times_capacity;
    bool timed;
    size_t missing;
    wwi_class_names names;
    atomic_long holders; // the caller and the datasets made from it
    wwi_notes *notes;    // of the file that it was read from; NULL: none
};

#endif
