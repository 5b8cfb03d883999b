// SPDX-License-Identifier: Apache-2.0
// Neighbours within a radius.
#ifndef WAVEWARP_CLI_RADIUS_H
#define WAVEWARP_CLI_RADIUS_H

#include "results/neighbours.h"

// Neighbours of a query that a radius asks for at first.
enum { CLI_RADIUS_K = 1024 };
// --radius, of distances alone. Without a text *radius stays as it is.
int cli_points_radius(const char *command, const char *text, ww_metric metric, double *radius);
// Takes out the neighbours beyond the radius. Gives the number of queries that have k within it.
size_t cli_points_within(const cli_neighbours *n, double radius);
// Says that these may have more, where the base has.
void cli_points_say_full(size_t full, const cli_neighbours *n, size_t base_count, double radius);

#endif
