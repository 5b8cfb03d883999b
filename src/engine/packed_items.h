// SPDX-License-Identifier: Apache-2.0
// Engine packed on GPUs: a work-item a pair (kernels_cl/engine/packed_items.cl).
#ifndef WAVEWARP_PACKED_ITEMS_H
#define WAVEWARP_PACKED_ITEMS_H

#include "engine/runner.h"

// Whether engine packed gives a pair a work-item here, not a vector lane.
bool wwi_packed_items(const wwi_runner *r);
// Whether so many pairs fill the device that this is the engine to take.
bool wwi_packed_items_fill(const wwi_runner *r, uint64_t pairs);
bool wwi_packed_items_exchange(const wwi_work *w);
ww_status wwi_packed_items_run(wwi_runner *r, wwi_work *w);

#endif
