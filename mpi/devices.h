// SPDX-License-Identifier: Apache-2.0
// The devices of the ranks: one each, which fit together.
#ifndef WAVEWARP_MPI_DEVICES_H
#define WAVEWARP_MPI_DEVICES_H

#include "ranks.h"

// The GPUs of a machine are dealt to its ranks; a machine without one gives all of them its best device. *device: "3",
// or NULL for the best, or where $WAVEWARP_DEVICE chooses. `share`: ranks may share one.
int rank_device_choose(bool share, const char **device);
// Called by all with their contexts, which have to be alike.
int rank_device_compare(ww_context *context, bool share, bool any_device);

#endif
