// SPDX-License-Identifier: Apache-2.0
// Names of enumerations whose values count from 0: one table serves both directions.
#ifndef WAVEWARP_NAMES_H
#define WAVEWARP_NAMES_H

#include <stddef.h>

#include "error.h"

// The name of a value; "unknown" beyond the table.
const char *wwi_name_of(const char *const *names, size_t count, int value);
// The value of a name. WW_ERROR_INVALID_ARGUMENT: there is no such `what`; the hint lists the names.
ww_status wwi_name_find(const char *const *names, size_t count, const char *what, const char *name, int *value);

#define WWI_NAMES(names) (names), sizeof(names) / sizeof *(names)

// ww_X_name() and ww_X_by_name() of an enumeration ww_X, from its names in the order of its values.
#define WWI_NAMED(x, what, ...)                                                                                        \
    static const char *const x##_names[] = {__VA_ARGS__};                                                              \
    const char *ww_##x##_name(ww_##x value) {                                                                          \
        return wwi_name_of(WWI_NAMES(x##_names), (int)value);                                                          \
    }                                                                                                                  \
    ww_status ww_##x##_by_name(const char *name, ww_##x *value) {                                                      \
        int found = 0;                                                                                                 \
        WWI_TRY(wwi_name_find(WWI_NAMES(x##_names), what, value ? name : NULL, &found));                               \
        *value = (ww_##x)found;                                                                                        \
        return WW_OK;                                                                                                  \
    }

#endif
