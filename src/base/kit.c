// SPDX-License-Identifier: Apache-2.0
// See kit.h.
#include "base/kit.h"

#include <inttypes.h>
#include <stdio.h>

ww_status wwi_check_precision(const ww_context *context, ww_precision precision) {
    const ww_device_info *info = wwi_context_info(context);
    if (precision != WW_DOUBLE || info->has_double)
        return WW_OK;
    wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no double precision", info->name);
    return wwi_fail_hint("use float, or another device");
}

long wwi_tuning_for(const ww_context *context, ww_precision precision, const char *name, long fallback) {
    return wwi_tuning(context, name, precision == WW_DOUBLE ? "f64" : "f32", fallback);
}

long wwi_forced(const ww_context *context, const char *name, long most, long fallback) {
    const long value = wwi_tuning(context, name, NULL, fallback);
    return value <= most ? value : fallback;
}

uint64_t wwi_memory_share(const ww_context *context, unsigned share, uint64_t given) {
    const uint64_t most = wwi_least(wwi_context_bytes_free(context) / share, wwi_context_max_buffer(context));
    return given ? wwi_least(given, most) : most;
}

ww_status wwi_kernels_make(wwi_stream *stream, wwi_program *program, const wwi_named_kernel *kernels) {
    for (; kernels->name; kernels++)
        if (kernels->kernel)
            WWI_TRY(wwi_kernel_create(stream, program, kernels->name, kernels->kernel));
    return WW_OK;
}

ww_status wwi_program_make(ww_context *context, wwi_stream *stream, const wwi_program_parts *parts,
                           wwi_program **program) {
    enum { TEXTS = sizeof parts->texts / sizeof *parts->texts };
    char options[1024] = "";
    size_t used = 0, count = 0;
    wwi_source sources[TEXTS];
    for (; count < TEXTS && parts->texts[count]; count++)
        sources[count] = (wwi_source){parts->texts[count], NULL};
    for (const wwi_define *d = parts->defines; d->name && used < sizeof options; d++)
        used += (size_t)snprintf(options + used, sizeof options - used, "%s-D%s=%" PRId64, used ? " " : "", d->name,
                                 d->value);
    if (parts->more && used < sizeof options)
        used += (size_t)snprintf(options + used, sizeof options - used, "%s%s", used ? " " : "", parts->more);
    if (used >= sizeof options)
        return wwi_fail(WW_ERROR_INTERNAL, "the options of a program are too long");
    WWI_TRY(wwi_stream_program(stream, context, sources, count, options, program));
    return wwi_kernels_make(stream, *program, parts->kernels);
}

void wwi_kernels_destroy(wwi_kernel **const *kernels) {
    for (; *kernels; kernels++)
        wwi_kernel_destroy(*kernels);
}

ww_status wwi_grow_buffers(ww_context *context, const wwi_buffer_size *sizes, size_t count) {
    for (size_t i = 0; i < count; i++)
        WWI_TRY(wwi_grow_buffer(context, sizes[i].buffer, sizes[i].bytes));
    return WW_OK;
}

void wwi_sort(void *elements, size_t count, size_t size, int (*order)(const void *, const void *, void *), void *user) {
    const unsigned char *at = elements;
    size_t i = 1;
    while (i < count && order(at + (i - 1) * size, at + i * size, user) <= 0)
        i++;
    if (i < count)
        qsort_r(elements, count, size, order, user);
}

ww_status wwi_upload(ww_context *context, wwi_buffer **buffer, const void *values, uint64_t bytes) {
    WWI_TRY(wwi_grow_buffer(context, buffer, bytes));
    return wwi_buffer_write(*buffer, 0, bytes, values);
}

void wwi_buffers_destroy(wwi_buffer **const *buffers) {
    for (; *buffers; buffers++)
        wwi_buffer_destroy(*buffers);
}

ww_status wwi_run_end(wwi_stream *stream, ww_status status, double start, uint64_t *launches, double *seconds_device,
                      double *seconds_wall) {
    status = wwi_finish_after(stream, status);
    *launches = wwi_stream_launches(stream);
    *seconds_device = wwi_stream_seconds(stream);
    *seconds_wall = wwi_seconds() - start;
    return status;
}
