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

#endif
