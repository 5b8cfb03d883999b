// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the file of an index, its checksum made right, up to where the device would get it. The reader is
// included for its parts: ww_lsh_load() needs a device.
#include "lsh/lsh_file.c"

#include "fuzz/sealed_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wwi_sealed bytes = {0};
    const ww_status status = take_sealed(&seal, data, size, &bytes);
    saved s = {.view = WW_POINT_VIEW_INIT, .options = WW_LSH_OPTIONS_INIT};
    wwi_byte_reader r = status == WW_OK ? wwi_seal_reader(&bytes) : (wwi_byte_reader){0};
    if (status == WW_OK && !take_all(&r, &s)) {
        // All that is used later is there.
        volatile uint64_t sum = 0;
        const uint64_t count = s.view.count, d = s.view.dimension;
        const unsigned value = s.view.kind == WW_POINTS_NUMBERS && s.precision == WW_DOUBLE ? 8 : 4;
        const unsigned char *values = s.values;
        const uint64_t used = s.view.kind == WW_POINTS_BITS   ? count * ((d + 7) / 8)
                              : s.view.kind == WW_POINTS_SETS ? s.offsets[count] * 4
                                                              : count * d * value;
        for (uint64_t i = 0; i < used; i++)
            sum = sum + values[i];
        for (uint64_t i = 0; s.offsets && i < count; i++)
            for (uint64_t k = s.offsets[i]; k < s.offsets[i + 1]; k++)
                sum = sum + ((const uint32_t *)s.values)[k];
        for (uint64_t i = 0; s.removed && i < (count + 31) / 32; i++)
            sum = sum + s.removed[i];
        for (uint64_t i = 0; i < s.coefficient_bytes / value * value; i++)
            sum = sum + ((const unsigned char *)s.coefficients)[i];
    }
    saved_free(&s);
    wwi_sealed_free(&bytes);
    return 0;
}
