// SPDX-License-Identifier: Apache-2.0
// Soft barycentres as a method of ww_average(). The search is in soft.c.
#include "learn/average.h"
#include "learn/soft.h"

ww_status wwi_average_soft(wwi_average *a) {
    wwi_soft s = {
        .context = a->context,
        .measure = &a->measure,
        .members = &a->view,
        .weights = a->weights,
        .precision = a->precision,
        .run = a->options.plan ? a->options.plan->run : NULL,
        .length = a->length,
        .channels = a->channels,
        .iterations = a->options.iterations,
        .tolerance = a->options.tolerance,
        .centre = a->result.centre,
        .objective = a->result.objective,
    };
    const ww_status status = wwi_soft_barycentre(&s);
    a->result.iterations = s.steps;
    a->result.converged = s.converged;
    a->result.seconds_device = s.seconds_device;
    a->result.seconds_wall = s.seconds_wall;
    return status;
}
