// SPDX-License-Identifier: Apache-2.0
// Takes an options struct of any version: a shorter one is filled up, a longer one is accepted when its tail is zero.
#include "options.h"

#include <string.h>

#include "error.h"

ww_status wwi_options_take(void *known, const void *given, const char *name) {
    if (!given)
        return WW_OK;
    size_t known_size, given_size;
    memcpy(&known_size, known, sizeof known_size);
    memcpy(&given_size, given, sizeof given_size);
    if (given_size < sizeof given_size) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s.struct_size is %zu", name, given_size);
        return wwi_fail_hint("start from the structure's _INIT value");
    }
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
