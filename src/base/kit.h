// SPDX-License-Identifier: Apache-2.0
// What every room needs of a device: its limits, a share of its memory, programs with their kernels, launches, buffers.
#ifndef WAVEWARP_KIT_H
#define WAVEWARP_KIT_H

#include <wavewarp/series.h>

#include "base/grow.h"

// A list in braces, that is written line by line as it fits.
#define WWI_LIST(...)                                                                                                  \
    { __VA_ARGS__ }

static inline size_t wwi_precision_bytes(ww_precision precision) {
    return precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
}

// Value `i` of an array in either precision.
static inline double wwi_value_at(const void *values, ww_precision precision, uint64_t i) {
    return precision == WW_DOUBLE ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static inline void wwi_set_value(void *values, ww_precision precision, uint64_t i, double value) {
    if (precision == WW_DOUBLE)
        ((double *)values)[i] = value;
    else
        ((float *)values)[i] = (float)value;
}

static inline uint64_t wwi_ceil_div(uint64_t a, uint64_t b) {
    return (a + b - 1) / b;
}

static inline uint64_t wwi_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

// qsort_r(), of which nothing is needed where the order is right already, as that of series of one length is.
void wwi_sort(void *elements, size_t count, size_t size, int (*order)(const void *, const void *, void *), void *user);

// ---- limits

static inline bool wwi_is_gpu(const ww_context *context) {
    return wwi_context_info(context)->type == WW_DEVICE_GPU;
}

// At least 1, whatever the driver says.
static inline uint64_t wwi_compute_units(const ww_context *context) {
    const uint64_t units = wwi_context_info(context)->compute_units;
    return units ? units : 1;
}

// WW_ERROR_UNSUPPORTED: double on a device without.
ww_status wwi_check_precision(const ww_context *context, ww_precision precision);
// wwi_tuning() for a precision.
long wwi_tuning_for(const ww_context *context, ww_precision precision, const char *name, long fallback);
// What a test has set of "form.*", when it is from 0 to `most`; else what the library chooses.
long wwi_forced(const ww_context *context, const char *name, long most, long fallback);
// Bytes for one buffer: a share of what is free, or `given` where that is not 0 and less.
uint64_t wwi_memory_share(const ww_context *context, unsigned share, uint64_t given);

// ---- programs

typedef struct wwi_define {
    const char *name; // NULL ends a list
    int64_t value;
} wwi_define;

typedef struct wwi_named_kernel {
    wwi_kernel **kernel; // NULL: it is not wanted
    const char *name;    // NULL ends a list
} wwi_named_kernel;

typedef struct wwi_program_parts {
    const char *texts[10]; // under kernels_cl/
    wwi_define defines[24];
    const char *more; // options besides
    wwi_named_kernel kernels[20];
} wwi_program_parts;

// Compiles a program and makes its kernels. After a failure the caller releases what there is, as always.
ww_status wwi_program_make(ww_context *context, wwi_stream *stream, const wwi_program_parts *parts,
                           wwi_program **program);
ww_status wwi_kernels_make(wwi_stream *stream, wwi_program *program, const wwi_named_kernel *kernels);
// Destroys what a list has, up to NULL.
void wwi_kernels_destroy(wwi_kernel **const *kernels);
#define WWI_KERNELS_DESTROY(...) wwi_kernels_destroy((wwi_kernel **const[]){__VA_ARGS__, NULL})

// wwi_launch() with the arguments one after the other; `items`: groups of `group` work-items for at least so many.
#define WWI_ARGS(...) (const wwi_arg[]){__VA_ARGS__}, sizeof((const wwi_arg[]){__VA_ARGS__}) / sizeof(wwi_arg)
#define WWI_LAUNCH(kernel, groups, group, ...) wwi_launch(kernel, groups, group, WWI_ARGS(__VA_ARGS__))
#define WWI_LAUNCH_ITEMS(kernel, items, group, ...) wwi_launch_items(kernel, items, group, WWI_ARGS(__VA_ARGS__))
static inline ww_status wwi_launch_items(wwi_kernel *kernel, uint64_t items, uint64_t group, const wwi_arg *args,
                                         size_t count) {
    return wwi_launch(kernel, wwi_ceil_div(items, group), group, args, count);
}

// ---- buffers

typedef struct wwi_buffer_size {
    wwi_buffer **buffer;
    uint64_t bytes;
} wwi_buffer_size;

// wwi_grow_buffer() for each.
ww_status wwi_grow_buffers(ww_context *context, const wwi_buffer_size *sizes, size_t count);
#define WWI_GROW(context, ...)                                                                                         \
    wwi_grow_buffers(context, (const wwi_buffer_size[]){__VA_ARGS__},                                                  \
                     sizeof((const wwi_buffer_size[]){__VA_ARGS__}) / sizeof(wwi_buffer_size))
// A buffer of at least so many bytes that begins with these.
ww_status wwi_upload(ww_context *context, wwi_buffer **buffer, const void *values, uint64_t bytes);
// Destroys what a list has, up to NULL.
void wwi_buffers_destroy(wwi_buffer **const *buffers);
#define WWI_BUFFERS_DESTROY(...) wwi_buffers_destroy((wwi_buffer **const[]){__VA_ARGS__, NULL})

// ---- runs

// How a run that began at `start` ends: wwi_finish_after(), and what an info tells of it.
ww_status wwi_run_end(wwi_stream *stream, ww_status status, double start, uint64_t *launches, double *seconds_device,
                      double *seconds_wall);

#endif
