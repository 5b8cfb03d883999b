// SPDX-License-Identifier: Apache-2.0
// Options structs of any version of the headers.
#ifndef WAVEWARP_OPTIONS_H
#define WAVEWARP_OPTIONS_H

#include <stddef.h>
#include <wavewarp/status.h>

// Copies a caller's options over `known`, which holds this library's defaults and starts with their size. `given` may
// be NULL (all defaults), shorter (an older header) or longer, as long as what is unknown here is zero.
ww_status wwi_options_take(void *known, const void *given, const char *name);

#endif
