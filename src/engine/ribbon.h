// SPDX-License-Identifier: Apache-2.0
// Narrow bands along the diagonal in engine lanes: the whole width of the band in one lane
// (kernels_cl/engine/ribbon.cl).
#ifndef WAVEWARP_RIBBON_H
#define WAVEWARP_RIBBON_H

#include "engine/runner.h"

// Columns of the ribbon, 0 when the band is none: the same for all pairs, `below` of them left of the diagonal.
uint32_t wwi_ribbon_columns(const wwi_runner *r, const wwi_work *w, uint32_t *below);
// The same for a batch of series of up to n and m points, all of them where `one_length`.
uint32_t wwi_ribbon_width(const wwi_runner *r, bool list, bool one_length, uint32_t n, uint32_t m, uint32_t *below);
// Runs the work with w->ribbon and w->below.
ww_status wwi_ribbon_run(wwi_runner *r, wwi_work *w);

#endif
