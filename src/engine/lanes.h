// SPDX-License-Identifier: Apache-2.0
// Groups of neighbouring work-items a pair: what the engines lanes and bits share on the host.
#ifndef WAVEWARP_LANES_H
#define WAVEWARP_LANES_H

#include "engine/tiling.h"

// The tiling for a length: engine/tiling.h.
typedef wwi_tiling wwi_tiling_fn(const wwi_runner *r, wwi_shape shape);
// Runs the work in groups; columns that share a tiling are launched together. Which do is found in the work's first
// run.
ww_status wwi_lanes_run(wwi_runner *r, wwi_work *w, const wwi_form *form, wwi_tiling_fn *tiling_of);
// A few series against many: the few stay in registers, the many are read one after the other.
bool wwi_lanes_few(const wwi_work *w, uint32_t limit);

#endif
