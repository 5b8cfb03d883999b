// SPDX-License-Identifier: Apache-2.0
// One series a class: the classes' averages, to classify by the nearest of them.
#ifndef WAVEWARP_CLI_CENTROIDS_H
#define WAVEWARP_CLI_CENTROIDS_H

#include "base/common.h"

// How the members of a class are averaged: along warping paths, by the soft minimum, or point by point.
extern const char *const cli_averages[];
enum { CLI_AVERAGE_DBA, CLI_AVERAGE_SOFT, CLI_AVERAGE_MEAN };

// Every class's average under the measure, labelled by the class, in the order of the classes.
int cli_centroids(const ww_measure *measure, ww_dataset *train, int average, const ww_plan_options *plan,
                  ww_series_set **centroids);

#endif
