// SPDX-License-Identifier: Apache-2.0
// Engine packed on GPUs, of points of many channels: the costs of a work-item's pair are summed in its registers
// (kernels_cl/engine/packed_product.cl).
#ifndef WAVEWARP_PACKED_PRODUCT_H
#define WAVEWARP_PACKED_PRODUCT_H

#include "engine/runner.h"

// Whether engine packed has this form for the runner's points: of rectangles.
bool wwi_packed_product(const wwi_runner *r);
// Whether a batch is for it when the choice is free.
bool wwi_packed_product_pays(const wwi_runner *r, bool list, size_t rows, size_t columns);
bool wwi_packed_product_exchange(const wwi_work *w);
ww_status wwi_packed_product_takes(wwi_runner *r, wwi_work *w);
ww_status wwi_packed_product_run(wwi_runner *r, wwi_work *w);

#endif
