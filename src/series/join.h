// SPDX-License-Identifier: Apache-2.0
// Sets that were read from the pieces of one file become one.
#ifndef WAVEWARP_SERIES_JOIN_H
#define WAVEWARP_SERIES_JOIN_H

#include <stdbool.h>
#include <wavewarp/series.h>

// Appends sets 1 .. count-1 to the first one, in order: what adding their series one after the other would give. The
// values are copied by as many calls of `work`, all made by `in_threads`. False, the first set unchanged but for its
// classes: their channels differ, some have time stamps and others none, or memory is short.
bool wwi_series_set_join(ww_series_set *const *sets, unsigned count,
                         void (*in_threads)(unsigned count, void (*work)(void *user, unsigned index), void *user));

#endif
