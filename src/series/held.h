// SPDX-License-Identifier: Apache-2.0
// Series sets that datasets hold: ww_series_set_destroy() frees a set when its last holder calls it, and a set with
// more than one holder refuses to change.
#ifndef WAVEWARP_HELD_H
#define WAVEWARP_HELD_H

#include <wavewarp/series.h>

void wwi_series_set_retain(ww_series_set *set);
// WW_ERROR_INVALID_ARGUMENT where a dataset holds it.
ww_status wwi_series_set_check_own(const ww_series_set *set);

#endif
