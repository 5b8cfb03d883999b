// SPDX-License-Identifier: Apache-2.0
// The ending of a file's name.
#ifndef WAVEWARP_FILE_NAME_H
#define WAVEWARP_FILE_NAME_H

#include <stdbool.h>
#include <string.h>
#include <strings.h>

// Whether a name has this ending, in upper or lower case.
static inline bool wwi_name_ends_with(const char *name, const char *ending) {
    const size_t length = strlen(name), wanted = strlen(ending);
    return length >= wanted && strcasecmp(name + length - wanted, ending) == 0;
}

// The same for a name that ".gz" may follow.
static inline bool wwi_unpacked_name_ends_with(const char *name, const char *ending) {
    const size_t packed = wwi_name_ends_with(name, ".gz") ? 3 : 0;
    const size_t length = strlen(name) - packed, wanted = strlen(ending);
    return length >= wanted && strncasecmp(name + length - wanted, ending, wanted) == 0;
}

#endif
