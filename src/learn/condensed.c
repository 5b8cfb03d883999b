// SPDX-License-Identifier: Apache-2.0
// Checks of a condensed matrix.
#include "learn/condensed.h"

#include "host.h"

ww_status wwi_condensed_take(const void *values, ww_precision precision, size_t count, double least,
                             wwi_condensed *matrix) {
    uint64_t twice;
    if (count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "there is no item");
    if (!values && count > 1)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the distances are NULL");
    if (precision != WW_FLOAT && precision != WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "precision is %d; it must be WW_FLOAT or WW_DOUBLE", (int)precision);
    if (!wwi_mul_u64(count, count - 1, &twice) || twice / 2 > PTRDIFF_MAX / sizeof(double))
        return wwi_fail(WW_ERROR_OVERFLOW, "the distances of %zu items are too many", count);
    *matrix = (wwi_condensed){values, precision, count};
    for (size_t i = 0; i + 1 < count; i++) {
        WWI_TRY(wwi_interrupted());
        for (size_t j = i + 1; j < count; j++) {
            const double d = wwi_condensed_at(matrix, i, j);
            if (!isfinite(d))
                return wwi_fail(WW_ERROR_NOT_FINITE, "the distance of items %zu and %zu is %g", i, j, d);
            if (d < least)
                return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the distance of items %zu and %zu is %g, negative", i, j,
                                d);
        }
    }
    return WW_OK;
}
