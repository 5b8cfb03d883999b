// SPDX-License-Identifier: Apache-2.0
// Averages: what the methods share.
#ifndef WAVEWARP_AVERAGE_INTERNAL_H
#define WAVEWARP_AVERAGE_INTERNAL_H

#include <wavewarp/average.h>

// One call of ww_average(), checked: members, weights and start are there.
typedef struct wwi_average {
    ww_context *context;
    ww_measure measure; // without a root
    ww_series_set *set; // of which the members are
    size_t total;       // its series
    ww_precision precision;
    ww_average_options options;
    size_t *lengths, *offsets; // of the members: where their values are in the set
    double *weights;
    size_t count, channels, length;
    ww_series_view view;      // the members
    ww_average_result result; // of which `centre` has the start, and `objective` an element for every iteration
} wwi_average;

// A method: changes a->result.centre, and fills objective, iterations, converged and the times.
typedef ww_status (*wwi_average_method)(wwi_average *a);
ww_status wwi_average_dba(wwi_average *a);
ww_status wwi_average_soft(wwi_average *a);

// What a method needs to compare the centre with every member on the device.
typedef struct wwi_average_pairs {
    ww_dataset *centre, *members;
    size_t *rows, *columns;
    unsigned char *weights; // in the datasets' precision
} wwi_average_pairs;
// Made in zeroed memory; released also after a failure.
ww_status wwi_average_pairs_make(const wwi_average *a, wwi_average_pairs *pairs);
void wwi_average_pairs_free(wwi_average_pairs *pairs);

// Adds `weight` times a series of `length` points, stretched linearly to `to_length` points, to `to`.
void wwi_add_stretched(const double *values, size_t length, size_t channels, double weight, double *to,
                       size_t to_length);

#endif
