// SPDX-License-Identifier: Apache-2.0
// Fuzz target: bands. Rows are inside the matrix and in order, and the cells of all rows are what is counted for work.
#include <stdlib.h>
#include <string.h>
#include <wavewarp/measure.h>

#include "fuzz/fuzz.h"
#include "measure/band.h"

enum { LONGEST = 96 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct {
        uint8_t kind, n, m, rows;
        double width;
    } head;
    size_t own_lo[LONGEST], own_hi[LONGEST];
    if (size < 12)
        return 0;
    head.kind = data[0];
    head.n = data[1];
    head.m = data[2];
    head.rows = data[3];
    memcpy(&head.width, data + 4, sizeof head.width);
    const size_t n = head.n % LONGEST, m = head.m % LONGEST, rows = head.rows % LONGEST;
    for (size_t i = 0; i < rows; i++) {
        own_lo[i] = 12 + 2 * i < size ? data[12 + 2 * i] : 0;
        own_hi[i] = 13 + 2 * i < size ? data[13 + 2 * i] : m;
    }
    const ww_band band = {(ww_band_kind)(head.kind % 7), head.width, own_lo, own_hi, rows};
    size_t *lo = malloc((n + 1) * sizeof *lo), *hi = malloc((n + 1) * sizeof *hi);
    WWT_REQUIRE(lo && hi);
    const ww_status status = ww_band_rows(&band, n, m, lo, hi);
    wwt_fuzz_status(status);
    uint64_t cells = 0;
    for (size_t i = 0; status == WW_OK && i < n; i++) {
        WWT_REQUIRE(lo[i] < hi[i] && hi[i] <= m);
        cells += hi[i] - lo[i];
    }
    if (status == WW_OK)
        WWT_REQUIRE(lo[0] == 0 && hi[n - 1] == m);
    if (status == WW_OK || status == WW_ERROR_NO_PATH)
        WWT_REQUIRE(wwi_band_cells(&band, n, m) == cells);
    free(lo);
    free(hi);
    return 0;
}
