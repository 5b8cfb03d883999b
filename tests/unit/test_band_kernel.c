// SPDX-License-Identifier: Apache-2.0
// Bands as kernels compute them (kernels_cl/base/band.cl, compiled here as C for one WW_BAND) against ww_band_rows():
// for all small lengths, and some large ones, every row's interval and every column's first and end row.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "check_main.h"
#include "measure/band.h"

typedef uint32_t uint;
typedef uint64_t ulong;
#define WW_INLINE static inline __attribute__((unused))
#define __global
WW_INLINE uint min_uint(uint a, uint b) {
    return a < b ? a : b;
}
WW_INLINE uint max_uint(uint a, uint b) {
    return a > b ? a : b;
}
WW_INLINE int min_int(int a, int b) {
    return a < b ? a : b;
}
WW_INLINE int max_int(int a, int b) {
    return a > b ? a : b;
}
#define min(a, b) _Generic((a), uint : min_uint, int : min_int)(a, b)
#define max(a, b) _Generic((a), uint : max_uint, int : max_int)(a, b)
WW_INLINE uint clz(uint a) {
    return a ? (uint)__builtin_clz(a) : 32;
}
WW_INLINE uint mul_hi_uint(uint a, uint b) {
    return (uint)((ulong)a * b >> 32);
}
WW_INLINE ulong mul_hi_ulong(ulong a, ulong b) {
    return (ulong)((unsigned __int128)a * b >> 64);
}
#define mul_hi(a, b) _Generic((a), uint : mul_hi_uint, ulong : mul_hi_ulong)(a, b)
#include "../../kernels_cl/base/option_names.h"

#include "../../kernels_cl/base/band.cl"

static size_t *lo, *hi;
static uint *table;

static void reserve(size_t n) {
    static size_t capacity;
    if (n <= capacity)
        return;
    capacity = n;
    lo = realloc(lo, n * sizeof *lo);
    hi = realloc(hi, n * sizeof *hi);
    table = realloc(table, (2 * n + 2) * sizeof *table);
    ck_assert(lo && hi && table);
}

// The pair's band as a kernel gets it from src/engine/bands.c.
static ww_pair_band make(const ww_band *band, size_t n, size_t m) {
    uint width = 0;
#if WW_BAND == 1
    table[0] = 1;
    for (size_t i = 0; i < n; i++) {
        table[1 + 2 * i] = (uint)lo[i];
        table[2 + 2 * i] = (uint)hi[i];
    }
#elif WW_BAND == 2
    width = band->width < 0x7fffffff ? (uint)band->width : 0x7fffffff;
#else
    // The lengths' ranks are 0, and 1 after the row's.
    table[0] = (uint)wwi_band_thickness(band, n);
    table[1] = (uint)wwi_band_thickness(band, m);
    width = 1;
#endif
    return ww_band_make(table, 0, 0, 1, width, band->kind == WW_BAND_CORNER, (uint)n, (uint)m);
}

#if WW_BAND == 3
// One row after another, from a row that may be padding: the same ends wherever both rests are above 0. The number of
// rows where they are.
static size_t check_walk(ww_pair_band made, size_t n, size_t m, int from) {
    size_t exact = 0;
    ww_band_walk walk = ww_band_walk_from(made, from);
    for (int i = from; i < (int)n; i++, walk = ww_band_walk_on(walk)) {
        if (i < 0 || !walk.lo_rest || !walk.hi_rest)
            continue;
        exact++;
        if ((size_t)WW_BAND_WALK_LO(walk) != lo[i] || (size_t)WW_BAND_WALK_HI(walk, m) != hi[i])
            ck_abort_msg("%zu x %zu row %d from %d: [%d, %d) instead of [%zu, %zu)", n, m, i, from,
                         WW_BAND_WALK_LO(walk), WW_BAND_WALK_HI(walk, m), lo[i], hi[i]);
    }
    return exact;
}
#endif

static void check(ww_band_kind kind, double width, size_t n, size_t m) {
    const ww_band band = {.kind = kind, .width = width};
    reserve(n);
    if (ww_band_rows(&band, n, m, lo, hi) != WW_OK)
        return; // no path: no kernel ever sees it
    const ww_pair_band made = make(&band, n, m);
    for (size_t i = 0; i < n; i++)
        if (ww_band_lo(made, (uint)i) != lo[i] || ww_band_hi(made, (uint)i) != hi[i])
            ck_abort_msg("kind %d width %g %zu x %zu row %zu: [%u, %u) instead of [%zu, %zu)", (int)kind, width, n, m,
                         i, ww_band_lo(made, (uint)i), ww_band_hi(made, (uint)i), lo[i], hi[i]);
#if WW_BAND == 3
    const size_t exact = check_walk(made, n, m, -7) + check_walk(made, n, m, (int)(n / 2));
    if (n > 100 && n == m)
        ck_assert_uint_gt(exact, n);
#endif
    size_t top = 0, bottom = 0;
    for (size_t j = 0; j <= m; j++) {
        while (top < n && hi[top] <= j)
            top++;
        while (bottom < n && lo[bottom] < j)
            bottom++;
        if ((j < m && ww_band_top(made, (uint)j) != top) || ww_band_bottom(made, (uint)j) != bottom)
            ck_abort_msg("kind %d width %g %zu x %zu column %zu: other rows", (int)kind, width, n, m, j);
    }
}

#if WW_BAND == 1
static const ww_band_kind kinds[] = {WW_BAND_ITAKURA};
static const double widths[] = {1, 1.2, 2, 3.5, 40};
#elif WW_BAND == 2
static const ww_band_kind kinds[] = {WW_BAND_SAKOE_CHIBA, WW_BAND_CORNER};
static const double widths[] = {0, 1, 2.5, 3, 7, 20, 39, 40, 1e300};
#else
static const ww_band_kind kinds[] = {WW_BAND_SLANTED};
static const double widths[] = {0, 0.01, 0.03, 0.05, 0.1, 0.15, 0.29, 0.33, 0.5, 0.57, 0.99, 1};
#endif
#define COUNT(array) (sizeof(array) / sizeof *(array))

START_TEST(all_small_lengths) {
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t w = 0; w < COUNT(widths); w++)
            for (size_t n = 1; n <= 48; n++)
                for (size_t m = 1; m <= 48; m++)
                    check(kinds[k], widths[w], n, m);
}
END_TEST

// Where the longer side has a point less than a multiple, most quotients are whole, and rounded.
START_TEST(multiples) {
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t w = 0; w < COUNT(widths); w += 3)
            for (size_t n = 3; n <= 300; n += 11)
                for (size_t times = 1; times <= 12; times++) {
                    check(kinds[k], widths[w], n, n * times - 1);
                    check(kinds[k], widths[w], n * times - 1, n);
                    check(kinds[k], widths[w], n * 3, n * 3 * times / 2);
                }
}
END_TEST

START_TEST(long_series) {
    static const size_t sizes[][2] = {{99999, 100000}, {65536, 65535}, {30000, 89999},
                                      {120000, 7},     {1, 100000},    {49151, 65535}};
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t w = 0; w < COUNT(widths); w++)
            for (size_t s = 0; s < COUNT(sizes); s++) {
                check(kinds[k], widths[w] * (WW_BAND == 2 ? 1000 : 1), sizes[s][0], sizes[s][1]);
                check(kinds[k], widths[w], sizes[s][1], sizes[s][0]);
            }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("band_kernel");
    TCase *tcase = wwt_case(suite, "band_kernel", 120);
    tcase_add_test(tcase, all_small_lengths);
    tcase_add_test(tcase, multiples);
    tcase_add_test(tcase, long_series);
    return wwt_run(suite);
}
