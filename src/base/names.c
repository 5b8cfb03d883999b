// SPDX-License-Identifier: Apache-2.0
// See names.h.
#include "base/names.h"

#include <stdio.h>
#include <string.h>

const char *wwi_name_of(const char *const *names, size_t count, int value) {
    return value >= 0 && (size_t)value < count ? names[value] : "unknown";
}

ww_status wwi_name_find(const char *const *names, size_t count, const char *what, const char *name, int *value) {
    char known[256] = "";
    if (!name || !value)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the name of a %s, or where its value goes, is NULL", what);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            *value = (int)i;
            return WW_OK;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
    }
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no %s '%.64s'", what, name);
    return wwi_fail_hint("%s", known);
}
