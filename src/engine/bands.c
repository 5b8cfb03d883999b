// SPDX-License-Identifier: Apache-2.0
#include "engine/bands.h"

#include <stdlib.h>

#include "error.h"

ww_status wwi_words_reserve(wwi_words *words, size_t more) {
    if (words->capacity - words->count >= more)
        return WW_OK;
    if (more > SIZE_MAX / 8 - words->count)
        return wwi_fail(WW_ERROR_OVERFLOW, "tables of bands too large to count");
    size_t capacity = words->count + more;
    if (capacity < 2 * words->capacity)
        capacity = 2 * words->capacity;
    uint32_t *data = realloc(words->data, capacity * sizeof *data);
    if (!data)
        return wwi_fail_memory(capacity * sizeof *data);
    words->data = data;
    words->capacity = capacity;
    return WW_OK;
}

void wwi_words_free(wwi_words *words) {
    free(words->data);
    *words = (wwi_words){NULL, 0, 0};
}

// A warping path goes right and down only. So what a later row keeps out on the right leads nowhere, and what an
// earlier row keeps out on the left no path from the corner reaches: the ends may be made monotone without changing any
// result. Measures whose paths may begin elsewhere take no band whose rows go back to the left (wwi_measure_check()).
static void make_monotone(size_t n, size_t *lo, size_t *hi) {
    for (size_t i = 1; i < n; i++)
        if (lo[i] < lo[i - 1])
            lo[i] = lo[i - 1];
    for (size_t i = n - 1; i > 0; i--)
        if (hi[i - 1] > hi[i])
            hi[i - 1] = hi[i];
}

// First and end row-step of each block of columns, monotone in both, and the row-steps a pair takes each lane.
static bool cut_blocks(size_t n, uint32_t m, const size_t *lo, const size_t *hi, wwi_tiling tiling, uint32_t blocks,
                       uint32_t *table) {
    const uint32_t padding = (tiling.rows - (uint32_t)n % tiling.rows) % tiling.rows;
    uint32_t *steps = table + 2;
    size_t top = 0, bottom = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        const size_t first_column = (size_t)b * tiling.columns;
        const size_t end_column = first_column + tiling.columns < m ? first_column + tiling.columns : m;
        while (top < n && hi[top] <= first_column)
            top++;
        while (bottom < n && lo[bottom] < end_column)
            bottom++;
        steps[2 * b] = b == 0 ? 0 : (uint32_t)((top + padding) / tiling.rows);
        steps[2 * b + 1] = (uint32_t)((bottom + padding + tiling.rows - 1) / tiling.rows);
    }
    uint32_t duration = 0;
    bool fits = true;
    for (uint32_t b = 0; b < blocks; b++) {
        const uint32_t busy = steps[2 * b + 1] + b - b % tiling.width;
        if (busy > duration)
            duration = busy;
        if (b + tiling.width < blocks && steps[2 * (b + tiling.width)] + tiling.width < steps[2 * b + 1])
            fits = false;
    }
    table[0] = duration;
    table[1] = blocks;
    return fits;
}

ww_status wwi_band_table(const ww_band *band, uint32_t n, uint32_t m, wwi_tiling tiling, wwi_words *words, bool *fits) {
    ww_status status;
    size_t *lo = malloc((size_t)n * sizeof *lo), *hi = malloc((size_t)n * sizeof *hi);
    const uint32_t blocks = tiling.columns ? (m + tiling.columns - 1) / tiling.columns : 0;
    *fits = true;
    if (!lo || !hi) {
        status = wwi_fail_memory(2 * (uint64_t)n * sizeof *lo);
        goto done;
    }
    if ((status = wwi_words_reserve(words, 2 + 2 * (size_t)blocks + 2 * (size_t)n)) != WW_OK ||
        (status = ww_band_rows(band, n, m, lo, hi)) != WW_OK)
        goto done;
    make_monotone(n, lo, hi);
    uint32_t *table = words->data + words->count;
    table[0] = 0;
    table[1] = 0;
    if (blocks)
        *fits = cut_blocks(n, m, lo, hi, tiling, blocks, table);
    uint32_t *intervals = table + 2 + 2 * (size_t)blocks;
    for (uint32_t i = 0; i < n; i++) {
        intervals[2 * i] = (uint32_t)lo[i];
        intervals[2 * i + 1] = (uint32_t)hi[i];
    }
    words->count += 2 + 2 * (size_t)blocks + 2 * (size_t)n;
done:
    free(lo);
    free(hi);
    return status;
}
