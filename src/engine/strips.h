// SPDX-License-Identifier: Apache-2.0
// Pipelines of strips: what the engine strips and bits for long pairs share on the host.
#ifndef WAVEWARP_STRIPS_H
#define WAVEWARP_STRIPS_H

#include "engine/runner.h"

// Runs the work in strips given by w->tiling, each `group` columns of `each` cells wide; `vector` 1: a work-group a
// strip.
ww_status wwi_strips_run(wwi_runner *r, wwi_work *w, const wwi_form *form, wwi_tiling tiling, uint32_t vector);

#endif
