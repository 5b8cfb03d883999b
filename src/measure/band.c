// SPDX-License-Identifier: Apache-2.0
// Bands as an interval of columns a row. Indices count from 0 here: cell (i, j), 0 <= i < n, 0 <= j < m.
#include "measure/band.h"

#include <math.h>

#include "base/kit.h"

// Goes down the rows of a matrix. Each row costs O(1) on average: both ends only move forward.
typedef struct band_walk {
    const ww_band *band;
    size_t n, m;
    size_t left, right; // sakoe_chiba, corner: columns before and after column i that row i covers
    size_t thickness;   // slanted
    size_t first, last; // slanted: steps; itakura: columns
} band_walk;

static size_t max_size(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t minus_or_zero(size_t a, size_t b) {
    return a > b ? a - b : 0;
}

// A width as a count of columns; `limit` is as good as anything wider.
static size_t width_up_to(double width, size_t limit) {
    return width < (double)limit ? (size_t)width : limit;
}

size_t wwi_band_thickness(const ww_band *band, size_t size) {
    return width_up_to(band->width * (double)size, size);
}

static band_walk walk_begin(const ww_band *band, size_t n, size_t m) {
    band_walk walk = {.band = band, .n = n, .m = m};
    if (band->kind == WW_BAND_SAKOE_CHIBA || band->kind == WW_BAND_CORNER)
        walk.left = walk.right = width_up_to(band->width, max_size(n, m));
    if (band->kind == WW_BAND_CORNER) {
        walk.left += minus_or_zero(n, m);
        walk.right += minus_or_zero(m, n);
    }
    if (band->kind == WW_BAND_SLANTED)
        walk.thickness = wwi_band_thickness(band, wwi_least(n, m));
    return walk;
}

// Where the centre line is at `step` of `steps` along a side of `size`: floor(step / steps * size).
static size_t slanted_centre(size_t step, size_t steps, size_t size) {
    if (size + 1 == steps) // the longer side: exactly this, at every length
        return minus_or_zero(step, 1);
    if (steps >> 26) // beyond what a double's rounding can be trusted with
        return step * size / steps;
    // As aeon computes it, in double: where the quotient is whole it may fall just below, and the cells are the same.
    double fraction = (double)step / (double)steps;
    return (size_t)floor(fraction * (double)size);
}

// aeon marks, at every step, the cells within the thickness of the centre along the shorter side.
static void row_slanted(band_walk *walk, size_t i, size_t *lo, size_t *hi) {
    size_t n = walk->n, m = walk->m;
    size_t steps = max_size(n, m) + 1;
    size_t above = n <= m ? walk->thickness : 0;
    size_t beside = n <= m ? 0 : walk->thickness;
    while (slanted_centre(walk->first, steps, n) + above < i)
        walk->first++;
    while (walk->last + 1 < steps && slanted_centre(walk->last + 1, steps, n) <= i + above)
        walk->last++;
    *lo = minus_or_zero(slanted_centre(walk->first, steps, m), beside);
    *hi = wwi_least(m, slanted_centre(walk->last, steps, m) + beside + 1);
}

static double round_to_hundredth(double value) {
    return rint(value * 100.0) / 100.0;
}

// The line of `slope` through the last cell, at column j. Product and sum are statements of their own: a compiler may
// fuse them within one, and the rounding below would then give other cells on other machines.
static double itakura_line_to_end(const band_walk *walk, double slope, size_t j) {
    double whole = slope * (double)(walk->m - 1);
    double start = (double)(walk->n - 1) - whole;
    double rise = slope * (double)j;
    return start + rise;
}

// First row, and row after the last, of column j: as tslearn's itakura_mask, its rounding to two decimals included.
static double itakura_first_row(const band_walk *walk, size_t j) {
    double scale = (double)walk->n / (double)walk->m;
    double steep = walk->band->width * scale, flat = 1.0 / walk->band->width * scale;
    double from_start = round_to_hundredth(flat * (double)j);
    double to_end = round_to_hundredth(itakura_line_to_end(walk, steep, j));
    return ceil(fmax(from_start, to_end));
}

static double itakura_end_row(const band_walk *walk, size_t j) {
    double scale = (double)walk->n / (double)walk->m;
    double steep = walk->band->width * scale, flat = 1.0 / walk->band->width * scale;
    double from_start = round_to_hundredth(steep * (double)j);
    double to_end = round_to_hundredth(itakura_line_to_end(walk, flat, j));
    return floor(fmin(from_start, to_end) + 1.0);
}

// Both ends of a column only go down with j, so that a row is an interval too.
static void row_itakura(band_walk *walk, size_t i, size_t *lo, size_t *hi) {
    while (walk->first < walk->m && itakura_end_row(walk, walk->first) <= (double)i)
        walk->first++;
    while (walk->last < walk->m && itakura_first_row(walk, walk->last) <= (double)i)
        walk->last++;
    *lo = walk->first;
    *hi = walk->last;
}

static void walk_row(band_walk *walk, size_t i, size_t *lo, size_t *hi) {
    switch (walk->band->kind) {
    case WW_BAND_NONE:
        *lo = 0;
        *hi = walk->m;
        break;
    case WW_BAND_SAKOE_CHIBA:
    case WW_BAND_CORNER:
        *lo = minus_or_zero(i, walk->left);
        *hi = wwi_least(walk->m, i + walk->right + 1);
        break;
    case WW_BAND_SLANTED:
        row_slanted(walk, i, lo, hi);
        break;
    case WW_BAND_ITAKURA:
        row_itakura(walk, i, lo, hi);
        break;
    case WW_BAND_ROWS:
        *lo = walk->band->lo[i];
        *hi = walk->band->hi[i];
        break;
    }
}

// Walks all rows, keeping them in lo and hi where these are not NULL. False when no path of steps right, down and
// diagonal goes from the first cell to the last. `reached` is the first column of the row above that a path comes to;
// all columns of that row after it are reached by steps to the right.
static bool walk_all(const ww_band *band, size_t n, size_t m, size_t *lo, size_t *hi, uint64_t *cells) {
    band_walk walk = walk_begin(band, n, m);
    size_t reached = 0, above_end = 0;
    *cells = 0;
    for (size_t i = 0; i < n; i++) {
        size_t first = 0, end = 0;
        walk_row(&walk, i, &first, &end);
        first = wwi_least(first, end);
        if (lo)
            lo[i] = first;
        if (hi)
            hi[i] = end;
        *cells += end - first;
        reached = max_size(reached, first);
        if (reached > above_end || reached >= end || end > m)
            return false;
        above_end = end;
    }
    return above_end == m;
}

// All that is counted here stays below (n+1)(m+1).
static bool sizes_fit(size_t n, size_t m) {
    uint64_t product;
    return n < SIZE_MAX && m < SIZE_MAX && wwi_mul_u64((uint64_t)n + 1, (uint64_t)m + 1, &product);
}

static ww_status check_width(const ww_band *band, double minimum, double maximum) {
    // Written so that NaN fails.
    if (band->width >= minimum && band->width <= maximum && isfinite(band->width))
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the width of the band is %g", band->width);
    if (isinf(maximum))
        return wwi_fail_hint("give a finite width of at least %g", minimum);
    return wwi_fail_hint("give a width from %g to %g", minimum, maximum);
}

static ww_status check_rows(const ww_band *band) {
    if (!band->lo || !band->hi || band->rows == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a band by rows needs lo, hi and at least one row");
    for (size_t i = 0; i < band->rows; i++)
        if (band->lo[i] > band->hi[i]) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "row %zu of the band begins at column %zu, after its end %zu", i,
                     band->lo[i], band->hi[i]);
            return wwi_fail_where(-1, (int64_t)i);
        }
    return WW_OK;
}

ww_status wwi_band_check(const ww_band *band) {
    switch (band->kind) {
    case WW_BAND_NONE:
        if (band->width < 0 || band->width > 0 || isnan(band->width)) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the band has a width, %g, and no kind", band->width);
            return wwi_fail_hint("set its kind, for example WW_BAND_SAKOE_CHIBA, or its width to 0");
        }
        return WW_OK;
    case WW_BAND_SAKOE_CHIBA:
    case WW_BAND_CORNER:
        return check_width(band, 0.0, INFINITY);
    case WW_BAND_SLANTED:
        return check_width(band, 0.0, 1.0);
    case WW_BAND_ITAKURA:
        return check_width(band, 1.0, INFINITY);
    case WW_BAND_ROWS:
        return check_rows(band);
    }
    return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no band kind number %d", (int)band->kind);
}

// Itakura's is symmetric but for its rounding; a caller's rows are not looked at.
bool wwi_band_is_symmetric(const ww_band *band) {
    return band->kind != WW_BAND_ITAKURA && band->kind != WW_BAND_ROWS;
}

bool wwi_band_has_diagonal(const ww_band *band) {
    return band->kind != WW_BAND_ROWS;
}

// A caller's rows against the lengths of a pair.
static ww_status check_rows_fit(const ww_band *band, size_t n, size_t m) {
    if (band->rows != n)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the band has %zu rows, the series %zu points", band->rows, n);
    for (size_t i = 0; i < n; i++)
        if (band->hi[i] > m) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "row %zu of the band ends at column %zu of %zu", i, band->hi[i], m);
            return wwi_fail_where(-1, (int64_t)i);
        }
    return WW_OK;
}

// Cells of a band of `left` columns before and `right` columns after the diagonal: the sum of the rows' ends less that
// of their beginnings. 0 when it does not come to the first or the last cell.
static uint64_t cells_about_diagonal(const band_walk *walk) {
    const uint64_t n = walk->n, m = walk->m, left = walk->left, right = walk->right;
    if (n > m + left || m > n + right)
        return 0;
    const uint64_t short_rows = m > right + 1 ? wwi_least(n, m - right - 1) : 0; // those that end before column m
    const uint64_t late_rows = n > left + 1 ? n - 1 - left : 0;                  // those that begin after column 0
    return short_rows * (right + 1) + short_rows * (short_rows - (short_rows > 0)) / 2 + (n - short_rows) * m -
           late_rows * (late_rows + 1) / 2;
}

// Slanted: each point of the longer side has the cells within the thickness of the centre, and there is always a path.
static uint64_t cells_slanted(const band_walk *walk) {
    const size_t longer = max_size(walk->n, walk->m), shorter = wwi_least(walk->n, walk->m), around = walk->thickness;
    uint64_t cells = 0;
    for (size_t step = 1; step <= longer; step++) {
        const size_t centre = slanted_centre(step, longer + 1, shorter);
        cells += wwi_least(shorter, centre + around + 1) - minus_or_zero(centre, around);
    }
    return cells;
}

uint64_t wwi_band_cells(const ww_band *band, size_t n, size_t m) {
    uint64_t cells;
    if (n == 0 || m == 0)
        return 0;
    if (!sizes_fit(n, m))
        return UINT64_MAX;
    if (band->kind == WW_BAND_NONE)
        return (uint64_t)n * m;
    if (band->kind == WW_BAND_ROWS && band->rows != n)
        return 0;
    const band_walk walk = walk_begin(band, n, m);
    if (band->kind == WW_BAND_SAKOE_CHIBA || band->kind == WW_BAND_CORNER)
        return cells_about_diagonal(&walk);
    if (band->kind == WW_BAND_SLANTED)
        return cells_slanted(&walk);
    return walk_all(band, n, m, NULL, NULL, &cells) ? cells : 0;
}

bool wwi_band_is_short(const ww_band *band, size_t n, size_t m) {
    const size_t longer = max_size(n, m);
    return band->kind == WW_BAND_SAKOE_CHIBA && longer - wwi_least(n, m) > width_up_to(band->width, longer);
}

ww_status wwi_band_stretched(const ww_band *band, size_t n, size_t m, size_t *lo, size_t *hi) {
    if (!wwi_band_is_short(band, n, m))
        return ww_band_rows(band, n, m, lo, hi);
    band_walk walk = walk_begin(band, n, m);
    for (size_t i = 0; i < n; i++) {
        walk_row(&walk, i, &lo[i], &hi[i]);
        lo[i] = wwi_least(lo[i], m - 1);
    }
    hi[n - 1] = m;
    return WW_OK;
}

ww_status ww_band_rows(const ww_band *band, size_t n, size_t m, size_t *lo, size_t *hi) {
    uint64_t cells;
    WWI_NEEDS("band, lo, hi", band, lo, hi);
    if (n == 0 || m == 0)
        return wwi_fail(WW_ERROR_EMPTY, "a series has length 0");
    if (!sizes_fit(n, m))
        return wwi_fail(WW_ERROR_OVERFLOW, "a matrix of %zu x %zu cells", n, m);
    WWI_TRY(wwi_band_check(band));
    if (band->kind == WW_BAND_ROWS)
        WWI_TRY(check_rows_fit(band, n, m));
    if (walk_all(band, n, m, lo, hi, &cells))
        return WW_OK;
    wwi_fail(WW_ERROR_NO_PATH, "the band leaves no path through a matrix of %zu x %zu cells", n, m);
    return wwi_fail_hint("widen the band, or use the corner or slanted band, which always leave one");
}
