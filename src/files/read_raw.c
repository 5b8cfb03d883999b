// SPDX-License-Identifier: Apache-2.0
// Numbers of this machine and nothing else: one series of one channel.
#include <string.h>

#include "base/kit.h"
#include "files/file_name.h"
#include "files/read.h"
#include "host.h"

bool wwi_is_raw_named(const char *name) {
    return wwi_unpacked_name_ends_with(name, ".f32") || wwi_unpacked_name_ends_with(name, ".f64");
}

ww_status wwi_read_raw(const wwi_text *text, ww_series_set **set) {
    const size_t each = wwi_unpacked_name_ends_with(text->name, ".f64") ? sizeof(double) : sizeof(float);
    const size_t count = text->size / each;
    WWI_FREES double *values = NULL;
    if (text->size % each)
        return wwi_fail(WW_ERROR_FORMAT, "%s: its size of %zu bytes is no whole number of values of %zu", text->name,
                        text->size, each);
    WWI_TRY(wwi_new(values, count));
    for (size_t i = 0; i < count; i++) {
        float value;
        memcpy(each == sizeof value ? (void *)&value : &values[i], text->bytes + i * each, each);
        if (each == sizeof value)
            values[i] = (double)value;
    }
    WWI_TRY(ww_series_set_create(1, set));
    return ww_series_set_add(*set, count, values, NULL);
}
