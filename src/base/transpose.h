// SPDX-License-Identifier: Apache-2.0
// A matrix in host memory turned into its transpose.
#ifndef WAVEWARP_TRANSPOSE_H
#define WAVEWARP_TRANSPOSE_H

#include <stddef.h>

// to[j][i] = from[i][j] for `rows` x `columns` values of `size` bytes, 4 or 8; strides in values. What is read and what
// is written do not overlap.
void wwi_transpose(void *to, size_t to_stride, const void *from, size_t from_stride, size_t rows, size_t columns,
                   size_t size);

#endif
