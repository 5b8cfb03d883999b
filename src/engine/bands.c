// SPDX-License-Identifier: Apache-2.0
// Tables of the columns and row-steps of a band for an engine, for one pair of lengths.
#include "engine/bands.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "engine/batch.h"
#include "measure/band.h"

// Room for the words of all bands of a batch; larger batches are halved.
#define BAND_WORDS (64u << 20)

ww_status wwi_words_reserve(wwi_words *words, size_t more) {
    return wwi_grow(&words->data, &words->capacity, words->count + more, sizeof *words->data);
}

void wwi_words_free(wwi_words *words) {
    free(words->data);
    *words = (wwi_words){NULL, 0, 0};
}

// A warping path goes right and down only. So a cell right of a later row's end is on no complete path, and a cell left
// of an earlier row's beginning is reached by none from the corner: the ends may be made monotone without changing any
// result. Measures whose paths may begin elsewhere take no band whose rows go back to the left (wwi_measure_check()).
static void make_monotone(size_t n, size_t *lo, size_t *hi) {
    for (size_t i = 1; i < n; i++)
        if (lo[i] < lo[i - 1])
            lo[i] = lo[i - 1];
    for (size_t i = n - 1; i > 0; i--)
        if (hi[i - 1] > hi[i])
            hi[i - 1] = hi[i];
}

wwi_band_form wwi_band_form_of(const ww_band *band) {
    switch (band->kind) {
    case WW_BAND_NONE:
        return WWI_BAND_NONE;
    case WW_BAND_SAKOE_CHIBA:
    case WW_BAND_CORNER:
        return WWI_BAND_DIAGONAL;
    case WW_BAND_SLANTED:
        return WWI_BAND_SLANTED;
    default:
        return WWI_BAND_TABLE;
    }
}

wwi_band_form wwi_band_form_between(const ww_measure *measure, const ww_dataset *rows, const ww_dataset *columns) {
    const uint32_t *n = rows->rank_lengths, *m = columns->rank_lengths;
    if (wwi_measure_is_open(measure) && (wwi_band_is_short(&measure->band, n[0], m[columns->rank_count - 1]) ||
                                         wwi_band_is_short(&measure->band, n[rows->rank_count - 1], m[0])))
        return WWI_BAND_TABLE;
    return wwi_band_form_of(&measure->band);
}

ww_status wwi_band_table(const ww_band *band, uint32_t n, uint32_t m, wwi_words *words) {
    WWI_FREES size_t *lo = NULL, *hi = NULL;
    WWI_TRY(wwi_new(lo, (size_t)n));
    WWI_TRY(wwi_new(hi, (size_t)n));
    WWI_TRY(wwi_words_reserve(words, 2 * (size_t)n));
    WWI_TRY(wwi_band_stretched(band, n, m, lo, hi));
    make_monotone(n, lo, hi);
    for (uint32_t i = 0; i < n; i++) {
        words->data[words->count++] = (uint32_t)lo[i];
        words->data[words->count++] = (uint32_t)hi[i];
    }
    return WW_OK;
}

uint32_t wwi_band_duration(uint32_t n, uint32_t m, wwi_tiling tiling) {
    const uint32_t last = (m - 1) / tiling.columns; // block
    return (uint32_t)wwi_ceil_div(n, tiling.rows) + last - last % tiling.width;
}

bool wwi_band_fits(const uint32_t *rows, uint32_t n, uint32_t m, wwi_tiling tiling) {
    const uint32_t padding = (tiling.rows - n % tiling.rows) % tiling.rows;
    const uint32_t apart = tiling.width * tiling.columns;
    uint32_t top = 0, bottom = 0;
    // The block that ends at column `end`, and the one of its lane after it.
    for (uint32_t end = tiling.columns; end < m && apart < m - (end - tiling.columns); end += tiling.columns) {
        while (top < n && rows[2 * top + 1] <= end - tiling.columns + apart)
            top++;
        while (bottom < n && rows[2 * bottom] < end)
            bottom++;
        if ((top + padding) / tiling.rows + tiling.width < (bottom + padding + tiling.rows - 1) / tiling.rows)
            return false;
    }
    return true;
}

// Where block b+width begins at the earliest, less where b ends at the latest, in rows: the whole parts of both lose
// less than `rows` each. On a line of `slope` rows a column, that the band covers `reach` rows of in all.
static bool line_fits(double slope, double reach, wwi_tiling t) {
    return t.width * (t.columns * slope + t.rows) >= (t.columns + 1) * slope + reach + 2 * (t.rows + 1);
}

// The same for all pairs of lengths from the least to the most on both sides, of a band that needs no table: false
// where it may not be so.
static bool fits_all(const ww_band *band, const uint32_t n[2], const uint32_t m[2], wwi_tiling tiling) {
    if (wwi_ceil_div(m[1], tiling.columns) <= tiling.width)
        return true;
    if (band->kind == WW_BAND_SLANTED) {
        const uint32_t shorter = n[1] < m[1] ? n[1] : m[1];
        const double steep = ((double)n[1] + 1) / m[0], flat = n[0] / ((double)m[1] + 1);
        const double thickness = 2 * (double)wwi_band_thickness(band, shorter);
        // Where rows are more than columns, the thickness is of columns.
        return line_fits(flat, thickness * (flat > 1 ? flat : 1), tiling) &&
               line_fits(steep, thickness * (steep > 1 ? steep : 1), tiling);
    }
    double reach = 2 * band->width;
    if (band->kind == WW_BAND_CORNER) {
        const double down = (double)n[1] - m[0], across = (double)m[1] - n[0];
        reach += down > across ? down : across;
    }
    return line_fits(1, reach, tiling);
}

// Rows of all pairs of lengths, found by the table of their ranks. With a `tiling` of engine lanes, *fits is false, and
// the tables useless, when it fits not all of them.
static ww_status make_tables(wwi_runner *r, wwi_work *w, const wwi_tiling *tiling, bool *fits) {
    const ww_dataset *rows = w->sides.rows, *columns = w->sides.columns;
    const wwi_batch *b = &w->b;
    const uint64_t heads = (uint64_t)w->row_ranks * w->column_ranks;
    if (heads > BAND_WORDS) {
        w->too_large = true;
        return WW_OK;
    }
    WWI_TRY(wwi_words_reserve(&r->words, (size_t)heads));
    memset(r->words.data, 0, (size_t)heads * sizeof *r->words.data);
    r->words.count = (size_t)heads;
    const bool listed = b->list && heads > 1;
    const uint64_t pairs = listed ? b->rows : heads;
    for (uint64_t p = 0; p < pairs; p++) {
        const uint32_t row = listed ? rows->ranks[b->pairs[3 * p]] : w->row_rank + (uint32_t)(p / w->column_ranks);
        const uint32_t column =
            listed ? columns->ranks[b->pairs[3 * p + 1]] : w->column_rank + (uint32_t)(p % w->column_ranks);
        const uint32_t n = rows->rank_lengths[row], m = columns->rank_lengths[column];
        const size_t head = (size_t)(row - w->row_rank) * w->column_ranks + (column - w->column_rank);
        if (r->words.data[head])
            continue;
        if (r->words.count > BAND_WORDS && pairs > 1) {
            w->too_large = true;
            return WW_OK;
        }
        const size_t at = r->words.count;
        r->words.data[head] = (uint32_t)at;
        WWI_TRY(wwi_band_table(&r->of.measure.band, n, m, &r->words));
        if (tiling && !wwi_band_fits(r->words.data + at, n, m, *tiling)) {
            *fits = false;
            return WW_OK;
        }
    }
    return WW_OK;
}

ww_status wwi_work_bands(wwi_runner *r, wwi_work *w, const wwi_tiling *tiling, bool *fits) {
    const ww_band *band = &r->of.measure.band;
    const uint32_t *n = w->sides.rows->rank_lengths + w->row_rank;
    const uint32_t *m = w->sides.columns->rank_lengths + w->column_rank;
    const uint32_t rows[2] = {n[0], w->n}, columns[2] = {m[0], w->m};
    const wwi_band_form form = r->of.band;
    if (fits)
        *fits = true;
    if (form == WWI_BAND_NONE)
        return WW_OK;
    r->words.count = 0;
    if (form == WWI_BAND_TABLE)
        return make_tables(r, w, tiling, fits);
    // One pair of lengths the caller has looked at.
    if (tiling && (w->row_ranks > 1 || w->column_ranks > 1))
        *fits = fits_all(band, rows, columns, *tiling);
    if (form == WWI_BAND_DIAGONAL) {
        w->args.band_width = band->width < 0x7fffffff ? (uint32_t)band->width : 0x7fffffff;
        if (band->kind == WW_BAND_CORNER)
            w->args.flags |= WW_LAUNCH_CORNER;
        return WW_OK;
    }
    WWI_TRY(wwi_words_reserve(&r->words, (size_t)w->row_ranks + w->column_ranks));
    w->args.band_width = w->row_ranks;
    for (uint32_t i = 0; i < w->row_ranks; i++)
        r->words.data[r->words.count++] = (uint32_t)wwi_band_thickness(band, n[i]);
    for (uint32_t j = 0; j < w->column_ranks; j++)
        r->words.data[r->words.count++] = (uint32_t)wwi_band_thickness(band, m[j]);
    return WW_OK;
}
