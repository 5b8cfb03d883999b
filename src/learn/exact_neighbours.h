// SPDX-License-Identifier: Apache-2.0
// The k nearest series with near ties decided in double, for ww_nearest() and classification.
#ifndef WAVEWARP_EXACT_NEIGHBOURS_H
#define WAVEWARP_EXACT_NEIGHBOURS_H

#include <stdbool.h>
#include <wavewarp/plan.h>

#include "measure/rounding.h"

typedef struct wwi_neighbour {
    int64_t index; // -1: none
    double distance;
} wwi_neighbour;

typedef struct wwi_neighbours {
    // Given.
    const ww_measure *measure;
    ww_dataset *train, *test; // test NULL: the train set with itself, each series without itself
    ww_plan_options plan;     // of the search, without its `run`
    ww_run_options run;
    size_t k;
    bool classes_alone; // of neighbours of one class neither the order nor the distance is wanted in double
    // Found.
    bool self, again;      // again: near ties are decided in double
    size_t count, others;  // test series; series that each has to choose from
    size_t asked;          // neighbours of each in `found`, k or more; the first k count
    wwi_rounding rounding; // what the error of a distance is made of
    double seconds;        // of computing
    ww_plan_info info;     // of the search: of all runs
    ww_plan *search;
    wwi_neighbour *found; // count x asked, nearest first
} wwi_neighbours;

// On the devices of the sets' context.
ww_status wwi_neighbours_find(wwi_neighbours *neighbours);
// The same of one device in steps: what is asked for, which the device's double decides; memory for `found`; the
// search; and test series [first, first + count).
ww_status wwi_neighbours_begin(wwi_neighbours *neighbours);
ww_status wwi_neighbours_allocate(wwi_neighbours *neighbours);
ww_status wwi_neighbours_plan(wwi_neighbours *neighbours);
ww_status wwi_neighbours_some(wwi_neighbours *neighbours, size_t first, size_t count);
// Adds a run, or what another device did.
void wwi_neighbours_add_info(ww_plan_info *info, const ww_plan_info *more);
void wwi_neighbours_free(wwi_neighbours *neighbours);

#endif
