// SPDX-License-Identifier: Apache-2.0
// Soft barycentres: the series z that lowers the sum of w_k V(z, x_k), V a measure with the soft minimum.
#ifndef WAVEWARP_SOFT_H
#define WAVEWARP_SOFT_H

#include <wavewarp/gradient.h>
#include <wavewarp/series.h>

typedef struct wwi_soft {
    ww_context *context;
    const ww_measure *measure; // gamma above 0
    const ww_series_view *members;
    const double *weights; // one a member
    ww_precision precision;
    const ww_run_options *run;
    size_t length, channels, iterations; // of the barycentre; most iterations
    double tolerance;
    double *centre;    // the start, then the barycentre: channels x length
    double *objective; // iterations + 1 values: of the start, and after each iteration; none is above the one before
    // The results.
    size_t steps;
    int converged; // by the tolerance, or because no step lowers the objective
    int stuck;     // the latter
    double seconds_device, seconds_wall;
} wwi_soft;

// WW_ERROR_UNSUPPORTED: a hard minimum, or a measure without a gradient; WW_ERROR_CANCELLED and others of gradients.
// The centre is then the best so far.
ww_status wwi_soft_barycentre(wwi_soft *s);

#endif
