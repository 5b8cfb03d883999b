// SPDX-License-Identifier: Apache-2.0
// ww_distance() of a pair, three times: the second and the third call use what the first one made.
#include <wavewarp/wavewarp.h>

#include "error.h"
#include "scenarios.h"

enum { CALLS = 3, LENGTH = 8 };

ww_status wwt_scenario_call(void) {
    ww_context *context = NULL;
    ww_measure measure;
    double x[LENGTH] = {0}, y[LENGTH], distance = 0;
    ww_status status = ww_measure_init(&measure, sizeof measure, WW_DTW);
    if (status == WW_OK)
        status = ww_context_create(NULL, &context);
    for (int k = 1; status == WW_OK && k <= CALLS; k++) {
        // Every point of y is k away from every point of x.
        for (int t = 0; t < LENGTH; t++)
            y[t] = k;
        status = ww_distance(context, &measure, x, LENGTH, y, LENGTH, 1, &distance);
        if (status == WW_OK && distance != (double)(LENGTH * k * k))
            status = wwi_fail(WW_ERROR_INTERNAL, "call %d gives %g", k, distance);
    }
    ww_context_destroy(&context);
    return status;
}
