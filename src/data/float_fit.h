// SPDX-License-Identifier: Apache-2.0
// Whether float holds what values differ by, said to whoever reads a context's messages.
#ifndef WAVEWARP_FLOAT_FIT_H
#define WAVEWARP_FLOAT_FIT_H

#include <wavewarp/points.h>
#include <wavewarp/series.h>

#include "host.h"

// A warning where the precision in which values are taken is float, they are given in double, and float does not hold
// them.
void wwi_tell_series_fit(const ww_context *context, ww_precision taken, const ww_series_view *view);
void wwi_tell_point_fit(const ww_context *context, ww_precision taken, const ww_point_view *view);

#endif
