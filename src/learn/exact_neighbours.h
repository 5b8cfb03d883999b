// SPDX-License-Identifier: Apache-2.0
// The k nearest series with near ties decided in double, for ww_nearest() and classification.
#ifndef WAVEWARP_EXACT_NEIGHBOURS_H
#define WAVEWARP_EXACT_NEIGHBOURS_H

#include <stdbool.h>
#include <wavewarp/plan.h>

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
    bool self;
    size_t count, others;   // test series; series that each has to choose from
    size_t asked;           // neighbours of each in `found`, k or more; the first k count
    double largest, latest; // absolute value and time in either set
    double steps;           // most cells of a warping path
    double seconds;         // of computing
    ww_plan_info info;      // of the search
    wwi_neighbour *found;   // count x asked, nearest first
} wwi_neighbours;

ww_status wwi_neighbours_find(wwi_neighbours *neighbours);
void wwi_neighbours_free(wwi_neighbours *neighbours);

#endif
