// SPDX-License-Identifier: Apache-2.0
// Reading and filling structs of other sizes than this version's, byte by byte.
#include "options.h"

#include <string.h>

#include "error.h"

// A size this much larger than the known one is not that of a later version: it was never set.
#define MOST_GROWTH 4096

static size_t size_of(const void *sized) {
    size_t size;
    memcpy(&size, sized, sizeof size);
    return size;
}

static ww_status fail_size(size_t size, const char *name) {
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s.struct_size is %zu", name, size);
    return wwi_fail_hint("start from the structure's _INIT value, or from ww_struct_init()");
}

ww_status wwi_options_take(void *known, const void *given, const char *name) {
    if (!given)
        return WW_OK;
    const size_t known_size = size_of(known), given_size = size_of(given);
    if (given_size < sizeof given_size || given_size > known_size + MOST_GROWTH)
        return fail_size(given_size, name);
    const unsigned char *bytes = given;
    for (size_t i = known_size; i < given_size; i++)
        if (bytes[i] != 0) {
            wwi_fail(WW_ERROR_UNSUPPORTED, "%s sets an option this version does not know", name);
            return wwi_fail_hint("the program was built for a newer libwavewarp; this one is %s", ww_version());
        }
    const size_t size = given_size < known_size ? given_size : known_size;
    memcpy((unsigned char *)known + sizeof known_size, bytes + sizeof known_size, size - sizeof known_size);
    return WW_OK;
}

ww_status wwi_struct_check(const void *given, const char *name) {
    if (!given)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s is NULL", name);
    // The known size is not needed here: no output of this library is larger than the allowed growth.
    const size_t size = size_of(given);
    return size < sizeof size || size > 2 * MOST_GROWTH ? fail_size(size, name) : WW_OK;
}

ww_status wwi_struct_give(void *given, const void *known, const char *name) {
    WWI_TRY(wwi_struct_check(given, name));
    const size_t known_size = size_of(known), given_size = size_of(given);
    const size_t size = given_size < known_size ? given_size : known_size;
    unsigned char *bytes = given;
    memcpy(bytes + sizeof size, (const unsigned char *)known + sizeof size, size - sizeof size);
    memset(bytes + size, 0, given_size - size);
    return WW_OK;
}

void wwi_struct_init(void *given, size_t struct_size, const void *known) {
    if (!given || struct_size < sizeof struct_size)
        return;
    const size_t known_size = size_of(known), size = struct_size < known_size ? struct_size : known_size;
    memcpy(given, known, size);
    memset((unsigned char *)given + size, 0, struct_size - size);
    memcpy(given, &struct_size, sizeof struct_size);
}
