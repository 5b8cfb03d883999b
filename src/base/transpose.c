// SPDX-License-Identifier: Apache-2.0
// By squares: value by value along a column each would fetch a cache line and a page of its own. A matrix of 16384
// series took as long to mirror in this way as a GPU takes to compute it.
#include "base/transpose.h"

#include <string.h>

#include "base/kit.h"

enum { SQUARE = 16 };

static inline void turn(unsigned char *to, size_t to_stride, const unsigned char *from, size_t from_stride, size_t rows,
                        size_t columns, size_t size) {
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            memcpy(to + (j * to_stride + i) * size, from + (i * from_stride + j) * size, size);
}

void wwi_transpose(void *to, size_t to_stride, const void *from, size_t from_stride, size_t rows, size_t columns,
                   size_t size) {
    for (size_t j = 0; j < columns; j += SQUARE)
        for (size_t i = 0; i < rows; i += SQUARE) {
            unsigned char *at = (unsigned char *)to + (j * to_stride + i) * size;
            const unsigned char *of = (const unsigned char *)from + (i * from_stride + j) * size;
            const size_t height = wwi_least(SQUARE, rows - i), width = wwi_least(SQUARE, columns - j);
            if (size == 4) // a constant: a load and a store
                turn(at, to_stride, of, from_stride, height, width, 4);
            else
                turn(at, to_stride, of, from_stride, height, width, 8);
        }
}
