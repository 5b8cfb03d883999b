// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a file of points. The input's first byte chooses the kind of points and the file's ending.
#include <string.h>
#include <wavewarp/points.h>

#include "fuzz/fuzz.h"

static void check_points(const ww_point_set *set) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    volatile double sum = 0;
    WWT_REQUIRE(ww_point_set_view(set, &view) == WW_OK);
    WWT_REQUIRE(view.count >= 1 && view.values);
    if (view.kind == WW_POINTS_SETS) {
        const uint32_t *items = view.values;
        for (size_t i = 0; i < view.count; i++)
            WWT_REQUIRE(view.offsets[i] <= view.offsets[i + 1]);
        for (uint64_t m = 0; m < view.offsets[view.count]; m++)
            sum = sum + items[m];
    } else if (view.kind == WW_POINTS_BITS) {
        const unsigned char *bytes = view.values;
        for (size_t b = 0; b < view.count * ((view.dimension + 7) / 8); b++)
            sum = sum + bytes[b];
    } else {
        for (size_t k = 0; k < view.count * view.dimension; k++)
            sum = sum + (view.precision == WW_DOUBLE ? ((const double *)view.values)[k]
                                                     : (double)((const float *)view.values)[k]);
    }
    if (view.kind == WW_POINTS_BITS && view.dimension > 0) {
        ww_point_set *sets = NULL;
        wwt_fuzz_status(ww_point_set_of_bits(&view, &sets));
        ww_point_set_destroy(&sets);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"a.fvecs", "a.bvecs", "a.ivecs", "a.npy",
                                        "a.txt",   "a.npz:x", "a",       "a.fvecs.gz"};
    if (size < 1)
        return 0;
    ww_point_set *set = NULL;
    wwt_fuzz_file(data + 1, size - 1);
    const ww_status status = ww_point_set_read(names[data[0] & 7], (ww_point_kind)((data[0] >> 4) % 3), &set);
    wwt_fuzz_status(status);
    WWT_REQUIRE(status != WW_ERROR_INVALID_ARGUMENT);
    WWT_REQUIRE((status == WW_OK) == (set != NULL));
    if (set)
        check_points(set);
    ww_point_set_destroy(&set);
    return 0;
}
