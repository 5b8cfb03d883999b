// SPDX-License-Identifier: Apache-2.0
// The plain Euclidean nearest neighbour: what an elastic measure has to be better than.
#ifndef WAVEWARP_CLI_EUCLID_H
#define WAVEWARP_CLI_EUCLID_H

#include "base/common.h"

enum { CLI_EUCLID_NONE = -1, CLI_EUCLID_NO_MEMORY = -2 };

// How many of `test`'s labelled series have their nearest training series' label; `test` NULL: leave-one-out.
// CLI_EUCLID_NONE where it is not defined (series of different lengths) or would take longer than a second or so.
int64_t cli_euclid_correct(const ww_series_set *train, const ww_series_set *test);

#endif
