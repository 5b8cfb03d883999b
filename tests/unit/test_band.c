// SPDX-License-Identifier: Apache-2.0
// Bands as row intervals against the same bands marked cell by cell, and their bad input.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check_main.h"
#include "measure/band.h"
#include "reference/reference.h"

enum { MOST = 130 };

static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 49, 50, 64, 97, 98, 99, 100, 127, 130};
enum { SIZE_COUNT = sizeof(sizes) / sizeof(sizes[0]) };

static unsigned char mask[MOST * MOST], rows_mask[MOST * MOST], transposed[MOST * MOST];
static size_t lo[MOST], hi[MOST];

static void mask_from_rows(size_t n, size_t m) {
    memset(rows_mask, 0, n * m);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_le(lo[i], hi[i]);
        ck_assert_uint_le(hi[i], m);
        memset(rows_mask + i * m + lo[i], 1, hi[i] - lo[i]);
    }
}

static void check_band(const ww_band *band, size_t n, size_t m) {
    uint64_t cells = 0;
    wwr_band_mask(band, n, m, mask);
    for (size_t k = 0; k < n * m; k++)
        cells += mask[k];
    ww_status status = ww_band_rows(band, n, m, lo, hi);
    if (!wwr_mask_has_path(mask, n, m)) {
        ck_assert_msg(status == WW_ERROR_NO_PATH, "kind %d width %g %zu x %zu: status %d, no path", (int)band->kind,
                      band->width, n, m, (int)status);
        ck_assert_uint_eq(wwi_band_cells(band, n, m), 0);
        return;
    }
    ck_assert_msg(status == WW_OK, "kind %d width %g %zu x %zu: status %d", (int)band->kind, band->width, n, m,
                  (int)status);
    mask_from_rows(n, m);
    ck_assert_msg(memcmp(mask, rows_mask, n * m) == 0, "kind %d width %g %zu x %zu: other cells", (int)band->kind,
                  band->width, n, m);
    ck_assert_uint_eq(wwi_band_cells(band, n, m), cells);
}

static void check_kind(ww_band_kind kind, const double *widths, size_t count) {
    for (size_t w = 0; w < count; w++) {
        ww_band band = {.kind = kind, .width = widths[w]};
        for (size_t a = 0; a < SIZE_COUNT; a++)
            for (size_t b = 0; b < SIZE_COUNT; b++)
                check_band(&band, sizes[a], sizes[b]);
    }
}

#define CHECK_KIND(kind, ...)                                                                                          \
    do {                                                                                                               \
        const double widths[] = {__VA_ARGS__};                                                                         \
        check_kind(kind, widths, sizeof(widths) / sizeof(widths[0]));                                                  \
    } while (0)

START_TEST(cell_by_cell) {
    CHECK_KIND(WW_BAND_NONE, 0.0);
    CHECK_KIND(WW_BAND_SAKOE_CHIBA, 0.0, 1.0, 2.5, 10.0, 64.0, 1e300);
    CHECK_KIND(WW_BAND_CORNER, 0.0, 1.0, 2.5, 10.0, 64.0, 1e300);
    CHECK_KIND(WW_BAND_SLANTED, 0.0, 0.03, 0.1, 0.33, 0.5, 0.99, 1.0);
    CHECK_KIND(WW_BAND_ITAKURA, 1.0, 1.001, 1.5, 2.0, 3.0, 4.7, 300.0, 1e300);
}
END_TEST

START_TEST(own_rows) {
    // Wavy, with rows that end before others above them.
    size_t own_lo[20], own_hi[20];
    for (size_t i = 0; i < 20; i++) {
        own_lo[i] = i < 6 ? 0 : i - 5 - i % 3;
        own_hi[i] = i == 19 ? 20 : i + 1 - i % 2;
    }
    own_hi[0] = 3;
    ww_band band = {.kind = WW_BAND_ROWS, .lo = own_lo, .hi = own_hi, .rows = 20};
    check_band(&band, 20, 20);
    own_hi[1] = 0; // an empty row
    check_band(&band, 20, 20);
    own_hi[1] = 2;
    own_lo[0] = 1; // the first cell is out
    check_band(&band, 20, 20);
    own_lo[0] = 0;
    check_band(&band, 20, 20);
    own_hi[19] = 19; // the last cell is out
    check_band(&band, 20, 20);
}
END_TEST

// aeon 1.6, create_bounding_matrix(5, 8, window=0.2); tslearn 0.10, itakura_mask(6, 6, 3).
START_TEST(as_the_libraries) {
    const size_t slanted_lo[] = {0, 0, 1, 3, 5}, slanted_hi[] = {3, 5, 7, 8, 8};
    const size_t itakura_lo[] = {0, 1, 1, 1, 2, 5}, itakura_hi[] = {1, 4, 5, 5, 5, 6};
    ww_band band = {.kind = WW_BAND_ITAKURA, .width = 3.0};
    ck_assert_int_eq(ww_band_rows(&band, 6, 6, lo, hi), WW_OK);
    ck_assert_mem_eq(lo, itakura_lo, sizeof(itakura_lo));
    ck_assert_mem_eq(hi, itakura_hi, sizeof(itakura_hi));
    band = (ww_band){.kind = WW_BAND_SLANTED, .width = 0.2};
    ck_assert_int_eq(ww_band_rows(&band, 5, 8, lo, hi), WW_OK);
    ck_assert_mem_eq(lo, slanted_lo, sizeof(slanted_lo));
    ck_assert_mem_eq(hi, slanted_hi, sizeof(slanted_hi));
}
END_TEST

START_TEST(symmetric_kinds_transpose) {
    for (int kind = WW_BAND_NONE; kind <= WW_BAND_ITAKURA; kind++) {
        ww_band band = {.kind = (ww_band_kind)kind, .width = kind == WW_BAND_SLANTED ? 0.1 : 3.0};
        ck_assert(wwi_band_has_diagonal(&band));
        for (size_t a = 0; wwi_band_is_symmetric(&band) && a < SIZE_COUNT; a++)
            for (size_t b = 0; b < SIZE_COUNT; b++) {
                size_t n = sizes[a], m = sizes[b];
                if (ww_band_rows(&band, n, m, lo, hi) != WW_OK)
                    continue;
                mask_from_rows(n, m);
                for (size_t i = 0; i < n; i++)
                    for (size_t j = 0; j < m; j++)
                        transposed[j * n + i] = rows_mask[i * m + j];
                ck_assert_int_eq(ww_band_rows(&band, m, n, lo, hi), WW_OK);
                mask_from_rows(m, n);
                ck_assert_mem_eq(rows_mask, transposed, n * m);
            }
    }
}
END_TEST

// The corner and slanted bands and no band leave a path between any lengths; so does Itakura's for one length.
START_TEST(always_a_path) {
    for (size_t n = 1; n <= MOST; n += n < 40 ? 1 : 9) {
        ww_band itakura = {.kind = WW_BAND_ITAKURA, .width = 1.0};
        ck_assert_uint_gt(wwi_band_cells(&itakura, n, n), 0);
        for (size_t m = 1; m <= MOST; m += m < 40 ? 1 : 9) {
            ww_band corner = {.kind = WW_BAND_CORNER}, slanted = {.kind = WW_BAND_SLANTED};
            ck_assert_uint_gt(wwi_band_cells(&corner, n, m), 0);
            ck_assert_uint_gt(wwi_band_cells(&slanted, n, m), 0);
        }
    }
}
END_TEST

START_TEST(long_series) {
    ww_band band = {.kind = WW_BAND_SLANTED};
    ck_assert_uint_eq(wwi_band_cells(&band, 1000000, 1000000), 1000000);
    ck_assert_uint_eq(wwi_band_cells(&band, 1000000, 1000), 1000000);
    // Beyond 2^26, where steps are counted in whole numbers.
    ck_assert_uint_eq(wwi_band_cells(&band, (1u << 26) + 5, 7), (1u << 26) + 5);
    band = (ww_band){.kind = WW_BAND_SAKOE_CHIBA, .width = 10.0};
    ck_assert_uint_eq(wwi_band_cells(&band, 1000000, 1000000), 21u * 1000000 - 110);
    band = (ww_band){.kind = WW_BAND_NONE};
    ck_assert_uint_eq(wwi_band_cells(&band, 1u << 31, 1u << 31), (uint64_t)1 << 62);
    ck_assert_uint_eq(wwi_band_cells(&band, SIZE_MAX, 3), UINT64_MAX);
    ck_assert_int_eq(ww_band_rows(&band, SIZE_MAX, 3, lo, hi), WW_ERROR_OVERFLOW);
    ck_assert_int_eq(ww_band_rows(&band, (size_t)1 << 33, (size_t)1 << 33, lo, hi), WW_ERROR_OVERFLOW);
}
END_TEST

static void check_refused(ww_band_kind kind, double width) {
    ww_band band = {.kind = kind, .width = width};
    ck_assert_int_eq(ww_band_rows(&band, 5, 5, lo, hi), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_last_error()->status, WW_ERROR_INVALID_ARGUMENT);
    ck_assert_str_ne(ww_last_error()->message, "");
    ck_assert_str_ne(ww_last_error()->hint, "");
}

START_TEST(widths_out_of_range) {
    for (int kind = WW_BAND_SAKOE_CHIBA; kind <= WW_BAND_ITAKURA; kind++) {
        check_refused((ww_band_kind)kind, NAN);
        check_refused((ww_band_kind)kind, INFINITY);
        check_refused((ww_band_kind)kind, -1.0);
    }
    check_refused(WW_BAND_SLANTED, 1.001);
    check_refused(WW_BAND_ITAKURA, 0.999);
    ww_band band = {.kind = (ww_band_kind)17};
    ck_assert_int_eq(ww_band_rows(&band, 5, 5, lo, hi), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(bad_rows) {
    const size_t row_lo[] = {0, 1, 2}, row_hi[] = {3, 3, 3}, crossed[] = {0, 3, 2}, crossed_hi[] = {3, 2, 3};
    ww_band band = {.kind = WW_BAND_ROWS, .lo = row_lo, .hi = row_hi, .rows = 3};
    ck_assert_int_eq(ww_band_rows(&band, 3, 3, lo, hi), WW_OK);
    ck_assert_int_eq(ww_band_rows(&band, 4, 3, lo, hi), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(wwi_band_cells(&band, 4, 3), 0);
    ck_assert_int_eq(ww_band_rows(&band, 3, 2, lo, hi), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(wwi_band_cells(&band, 3, 2), 0);
    ck_assert_int_eq(ww_band_rows(&band, 3, 4, lo, hi), WW_ERROR_NO_PATH);
    band.lo = crossed;
    band.hi = crossed_hi;
    ck_assert_int_eq(ww_band_rows(&band, 3, 3, lo, hi), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_last_error()->position, 1);
    band.hi = NULL;
    ck_assert_int_eq(ww_band_rows(&band, 3, 3, lo, hi), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(nulls_and_empty) {
    ww_band band = {.kind = WW_BAND_NONE};
    ck_assert_int_eq(ww_band_rows(NULL, 3, 3, lo, hi), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_band_rows(&band, 3, 3, NULL, hi), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_band_rows(&band, 3, 3, lo, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_band_rows(&band, 0, 3, lo, hi), WW_ERROR_EMPTY);
    ck_assert_int_eq(ww_band_rows(&band, 3, 0, lo, hi), WW_ERROR_EMPTY);
    ck_assert_uint_eq(wwi_band_cells(&band, 0, 3), 0);
}
END_TEST

// Most likely a kind that was forgotten: without it the band would be none.
START_TEST(width_without_kind) {
    const double widths[] = {1, 0.1, -1, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const ww_band band = {.kind = WW_BAND_NONE, .width = widths[i]};
        ck_assert_int_eq(ww_band_rows(&band, 3, 3, lo, hi), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(ww_last_error()->hint, "kind"));
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("band");
    TCase *tcase = wwt_case(suite, "band", 60);
    tcase_add_test(tcase, cell_by_cell);
    tcase_add_test(tcase, own_rows);
    tcase_add_test(tcase, as_the_libraries);
    tcase_add_test(tcase, symmetric_kinds_transpose);
    tcase_add_test(tcase, always_a_path);
    tcase_add_test(tcase, long_series);
    tcase_add_test(tcase, widths_out_of_range);
    tcase_add_test(tcase, bad_rows);
    tcase_add_test(tcase, nulls_and_empty);
    tcase_add_test(tcase, width_without_kind);
    return wwt_run(suite);
}
