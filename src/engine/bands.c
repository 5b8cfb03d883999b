// SPDX-License-Identifier: Apache-2.0
// Tables of the columns and row-steps that a band leaves to an engine, for one pair of lengths.
#include "engine/bands.h"

#include <stdlib.h>
#include <string.h>

#include "engine/batch.h"

// Room for the words of all bands of a batch; larger batches are halved.
#define BAND_WORDS (64u << 20)

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

ww_status wwi_work_bands(wwi_runner *r, wwi_work *w, wwi_tiling tiling, bool *fits) {
    ww_status status;
    const ww_dataset *rows = w->sides.rows, *columns = w->sides.columns;
    const wwi_batch *b = &w->b;
    *fits = true;
    r->words.count = 0;
    const uint64_t heads = (uint64_t)w->row_ranks * w->column_ranks;
    if (heads > BAND_WORDS) {
        w->too_large = true;
        return WW_OK;
    }
    if ((status = wwi_words_reserve(&r->words, (size_t)heads)) != WW_OK)
        return status;
    memset(r->words.data, 0, (size_t)heads * sizeof *r->words.data);
    r->words.count = (size_t)heads;
    const uint64_t pairs = b->list ? b->rows : heads;
    for (uint64_t p = 0; p < pairs; p++) {
        const uint32_t row = b->list ? rows->ranks[b->pairs[3 * p]] : w->row_rank + (uint32_t)(p / w->column_ranks);
        const uint32_t column =
            b->list ? columns->ranks[b->pairs[3 * p + 1]] : w->column_rank + (uint32_t)(p % w->column_ranks);
        const size_t head = (size_t)(row - w->row_rank) * w->column_ranks + (column - w->column_rank);
        if (r->words.data[head])
            continue;
        if (r->words.count > BAND_WORDS && pairs > 1) {
            w->too_large = true;
            return WW_OK;
        }
        r->words.data[head] = (uint32_t)r->words.count;
        status = wwi_band_table(&r->measure.band, rows->rank_lengths[row], columns->rank_lengths[column], tiling,
                                &r->words, fits);
        if (status != WW_OK || !*fits)
            return status;
    }
    return WW_OK;
}
