// SPDX-License-Identifier: Apache-2.0
// A scenario does one whole job, checks its result, and releases everything. It is run repeatedly, with another call
// failing each time.
#ifndef WAVEWARP_FAULT_SCENARIOS_H
#define WAVEWARP_FAULT_SCENARIOS_H

#include <wavewarp/status.h>

typedef struct wwt_scenario {
    const char *name;
    // WW_OK with a right result, or the failure's status; WW_ERROR_INTERNAL for a wrong result.
    ww_status (*run)(void);
} wwt_scenario;

ww_status wwt_scenario_host(void);      // context, buffers, program, kernel, launch
ww_status wwt_scenario_sends(void);     // data that threads make, into a buffer and through a feed
ww_status wwt_scenario_bad_build(void); // a program that does not compile
ww_status wwt_scenario_wrap(void);      // the caller's own OpenCL objects
ww_status wwt_scenario_files(void);     // series of several kinds of files, with time stamps, to the device
ww_status wwt_scenario_bits(void);      // distances of symbols by engine bits
ww_status wwt_scenario_call(void);      // one call for a pair, again and again
ww_status wwt_scenario_knn(void);       // nearest neighbours of points
ww_status wwt_scenario_slices(void);    // the same, of points that are sent in slices
ww_status wwt_scenario_search(void);    // blocks of a stream that threads send ahead
ww_status wwt_scenario_shapelets(void); // discovery, its files, prediction

#endif
