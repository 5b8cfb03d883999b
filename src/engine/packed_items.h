// SPDX-License-Identifier: Apache-2.0
// Engine packed on GPUs: a work-item a pair (kernels_cl/engine/packed_items.cl).
#ifndef WAVEWARP_PACKED_ITEMS_H
#define WAVEWARP_PACKED_ITEMS_H

#include "engine/runner.h"

// Whether its soft minima are computed by tiles (kernels_cl/engine/packed_soft.cl): 0 they are not, 1 in the log
// domain, 2 also as products in double.
int wwi_soft_tiles(const wwi_runner *r);
// Whether engine packed gives a pair a work-item here, not a vector lane.
bool wwi_packed_items(const wwi_runner *r);
// Whether it is the engine for a batch of such sides, of series of up to n and m points, when the choice is free.
bool wwi_packed_items_pay(const wwi_runner *r, bool list, size_t rows, size_t columns, uint32_t n, uint32_t m);
bool wwi_packed_items_exchange(const wwi_work *w);
ww_status wwi_packed_items_run(wwi_runner *r, wwi_work *w);

#endif
