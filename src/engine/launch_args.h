// SPDX-License-Identifier: Apache-2.0
// The by-value argument of every engine's kernel: the same struct as ww_launch_args in kernels_cl/base/tasks.cl.
#ifndef WAVEWARP_JOB_H
#define WAVEWARP_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The measure's parameters: engine/parameters.h. A kernel has as many of them as its measure, or none.
#define WWI_PARAMETER_VALUES 20
typedef union wwi_parameter_values {
    float f32[WWI_PARAMETER_VALUES];
    double f64[WWI_PARAMETER_VALUES / 2];
} wwi_parameter_values;

typedef struct wwi_launch_args {
    uint64_t row_stride, column_stride;
    uint32_t row_begin, row_end, column_begin, column_end;
    uint32_t row_base, column_base;
    uint32_t rows_per_group, group_width;
    uint32_t layout;
    uint32_t count;
    uint32_t flags;
    uint32_t channel;
    uint32_t rank_row_base, rank_column_base, rank_columns;
    uint32_t strip_begin, strip_end;
    uint32_t scratch;
    uint32_t band_width;
    uint32_t unit_begin;
    uint32_t begin_x, end_x, begin_y, end_y; // relaxation, x being the row series
    wwi_parameter_values parameters;
} wwi_launch_args;
_Static_assert(offsetof(wwi_launch_args, parameters) == 112, "ww_launch_args in kernels_cl/base/tasks.cl begins so");

// What a kernel with `bytes` bytes of parameters takes of the struct.
static inline size_t wwi_launch_args_bytes(size_t bytes) {
    return offsetof(wwi_launch_args, parameters) + (bytes + 7) / 8 * 8;
}

enum { WWI_LAYOUT_STRIDED = 0, WWI_LAYOUT_MIRRORED = 1, WWI_LAYOUT_CONDENSED = 2 };
enum { WWI_LAUNCH_HALF = 1u, WWI_LAUNCH_ACCUMULATE = 2u, WWI_LAUNCH_CORNER = 4u, WWI_LAUNCH_WHOLE = 8u };

#endif
