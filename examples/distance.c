// SPDX-License-Identifier: Apache-2.0
// The DTW distance of two series, on the best device.
#include <stdio.h>
#include <wavewarp/wavewarp.h>

int main(void) {
    const double x[] = {0, 1, 2, 3, 2}, y[] = {0, 0, 1, 3, 3, 2};
    ww_context *context = NULL;
    ww_measure dtw;
    double distance = 0;

    ww_status status = ww_context_create(NULL, &context);
    if (status == WW_OK)
        status = ww_measure_init(&dtw, sizeof dtw, WW_DTW);
    if (status == WW_OK)
        status = ww_distance(context, &dtw, x, 5, y, 6, 1, &distance);
    if (status == WW_OK)
        printf("%g\n", distance);
    else
        fprintf(stderr, "%s. %s\n", ww_last_error()->message, ww_last_error()->hint);
    ww_context_destroy(&context);
    return status != WW_OK;
}
