// SPDX-License-Identifier: Apache-2.0
// The transpose of a matrix in host memory: every value, and nothing beside it.
#include <stdint.h>
#include <string.h>

#include "base/transpose.h"
#include "check_main.h"

enum { MOST = 40, STRIDE = 43, EMPTY = 0xee };

static unsigned char from[STRIDE * MOST * 8], to[STRIDE * MOST * 8], nothing[8];

static void check(size_t rows, size_t columns, size_t size) {
    memset(to, EMPTY, sizeof to);
    wwi_transpose(to, STRIDE, from, STRIDE, rows, columns, size);
    for (size_t j = 0; j < MOST; j++)
        for (size_t i = 0; i < STRIDE; i++) {
            const void *wanted = i < rows && j < columns ? from + (i * STRIDE + j) * size : nothing;
            ck_assert_mem_eq(to + (j * STRIDE + i) * size, wanted, size);
        }
}

START_TEST(all_shapes) {
    for (size_t i = 0; i < sizeof from; i++) // never EMPTY
        from[i] = (unsigned char)(i * 131 % 251 % 0xee);
    memset(nothing, EMPTY, sizeof nothing);
    static const size_t sizes[] = {0, 1, 15, 16, 17, 32, MOST};
    for (size_t r = 0; r < sizeof sizes / sizeof *sizes; r++)
        for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
            check(sizes[r], sizes[c], 4);
            check(sizes[r], sizes[c], 8);
        }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("transpose");
    TCase *tcase = wwt_case(suite, "transpose", 20);
    tcase_add_test(tcase, all_shapes);
    return wwt_run(suite);
}
