// SPDX-License-Identifier: Apache-2.0
// Kernels and launches; stream.c waits for launches and handles their failures. A launch is checked against every limit
// before it is enqueued: PoCL, for example, aborts or continues where it should return an error.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

// ---- kernels

static uint64_t work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what) {
    // Some values are size_t and some cl_ulong; where both have 8 bytes one variable is used.
    union {
        size_t size;
        cl_ulong number;
    } value = {.number = 0};
    size_t bytes = 0;
    if (clGetKernelWorkGroupInfo(kernel, device, what, sizeof value, &value, &bytes) != CL_SUCCESS)
        return 0;
    return bytes == sizeof(size_t) ? value.size : value.number;
}

static ww_status describe_kernel(wwi_kernel *kernel, const ww_context *context) {
    size_t required[3] = {0};
    cl_int code = clGetKernelInfo(kernel->cl, CL_KERNEL_NUM_ARGS, sizeof kernel->arg_count, &kernel->arg_count, NULL);
    if (code != CL_SUCCESS)
        return wwi_fail_cl(context, code, "clGetKernelInfo", "can't ask about the kernel %s", kernel->name);
    kernel->max_work_group = work_group_info(kernel->cl, context->device, CL_KERNEL_WORK_GROUP_SIZE);
    kernel->local_bytes = work_group_info(kernel->cl, context->device, CL_KERNEL_LOCAL_MEM_SIZE);
    // rusticl of Mesa 22.3 returns its sub-group's size here, but runs larger groups correctly.
    if (kernel->max_work_group == 0 || kernel->max_work_group > context->info.max_work_group ||
        wwi_text_contains(context->info.platform, "rusticl"))
        kernel->max_work_group = context->info.max_work_group;
    if (clGetKernelWorkGroupInfo(kernel->cl, context->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required,
                                 required, NULL) == CL_SUCCESS)
        kernel->required_work_group = required[0];
    return WW_OK;
}

ww_status wwi_kernel_create(wwi_stream *stream, wwi_program *program, const char *name, wwi_kernel **out) {
    ww_context *context = program->context;
    cl_int code = CL_SUCCESS;
    WWI_ENDS(wwi_kernel_destroy) wwi_kernel *kernel = NULL;
    *out = NULL;
    WWI_TRY(wwi_check_process(context));
    WWI_TRY(wwi_new_zeroed(kernel, 1));
    (void)snprintf(kernel->name, sizeof kernel->name, "%s", name);
    wwi_program_retain(program);
    kernel->program = program;
    kernel->stream = stream;
    kernel->cl = clCreateKernel(program->cl, name, &code);
    if (!kernel->cl)
        return wwi_fail_cl(context, code, "clCreateKernel", "can't make the kernel %s", name);
    wwi_count_objects(1);
    WWI_TRY(describe_kernel(kernel, context));
    *out = wwi_taken(&kernel);
    return WW_OK;
}

void wwi_kernel_destroy(wwi_kernel **pointer) {
    wwi_kernel *kernel = wwi_taken(pointer);
    if (!kernel)
        return;
    if (kernel->cl)
        WWI_RELEASE(kernel->program->context, clReleaseKernel(kernel->cl));
    wwi_program_release(&kernel->program);
    free(kernel);
}

uint64_t wwi_kernel_max_work_group(const wwi_kernel *kernel) {
    return kernel->max_work_group;
}

// ---- launching

static ww_status set_arguments(const wwi_kernel *kernel, const ww_context *context, const wwi_arg *args, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t bytes = args[i].bytes;
        const void *value = args[i].kind == WWI_ARG_LOCAL ? NULL : args[i].value;
        cl_mem mem = NULL;
        if (args[i].kind == WWI_ARG_BUFFER) {
            const wwi_buffer *buffer = args[i].value;
            mem = buffer ? buffer->mem : NULL;
            value = &mem;
            bytes = sizeof(cl_mem);
        }
        cl_int code = clSetKernelArg(kernel->cl, (cl_uint)i, bytes, value);
        if (code != CL_SUCCESS)
            return wwi_fail_cl(context, code, "clSetKernelArg", "argument %zu of the kernel %s", i, kernel->name);
    }
    return WW_OK;
}

static ww_status check_sizes(const wwi_kernel *kernel, uint64_t groups, uint64_t group_size) {
    uint64_t work_items = 0;
    if (groups == 0 || group_size == 0)
        return wwi_fail(WW_ERROR_INTERNAL, "a launch of the kernel %s has no work-items", kernel->name);
    if (kernel->required_work_group != 0 && group_size != kernel->required_work_group)
        return wwi_fail(WW_ERROR_INTERNAL, "the kernel %s is compiled for groups of %llu work-items, not %llu",
                        kernel->name, (unsigned long long)kernel->required_work_group, (unsigned long long)group_size);
    if (group_size > kernel->max_work_group)
        return wwi_fail(WW_ERROR_UNSUPPORTED,
                        "the kernel %s needs groups of %llu work-items; the device has at most "
                        "%llu for it",
                        kernel->name, (unsigned long long)group_size, (unsigned long long)kernel->max_work_group);
    // 2^31 - 1 groups is the most any device takes in one dimension.
    if (groups > INT32_MAX || !wwi_mul_u64(groups, group_size, &work_items) || work_items > SIZE_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "a launch of the kernel %s with %llu groups is too large", kernel->name,
                        (unsigned long long)groups);
    return WW_OK;
}

static ww_status check_local(const wwi_kernel *kernel, const ww_context *context, const wwi_arg *args, size_t count) {
    uint64_t bytes = kernel->local_bytes;
    for (size_t i = 0; i < count; i++)
        if (args[i].kind == WWI_ARG_LOCAL && !wwi_add_u64(bytes, args[i].bytes, &bytes))
            return wwi_fail(WW_ERROR_OVERFLOW, "the local memory of the kernel %s overflows", kernel->name);
    if (bytes <= context->info.local_bytes)
        return WW_OK;
    (void)wwi_fail(WW_ERROR_UNSUPPORTED, "the kernel %s needs %llu bytes of local memory; the device has %llu",
                   kernel->name, (unsigned long long)bytes, (unsigned long long)context->info.local_bytes);
    return wwi_fail_device(context->info.name);
}

ww_status wwi_launch(wwi_kernel *kernel, uint64_t groups, uint64_t group_size, const wwi_arg *args, size_t count) {
    const ww_context *context = kernel->program->context;
    cl_event event = NULL;
    WWI_TRY(wwi_check_process(context));
    WWI_TRY(wwi_stream_check(kernel->stream));
    WWI_TRY(check_sizes(kernel, groups, group_size));
    if (count != kernel->arg_count)
        return wwi_fail(WW_ERROR_INTERNAL, "the kernel %s takes %u arguments and was given %zu", kernel->name,
                        kernel->arg_count, count);
    WWI_TRY(check_local(kernel, context, args, count));
    WWI_TRY(set_arguments(kernel, context, args, count));
    const size_t global = (size_t)(groups * group_size), local = (size_t)group_size;
    cl_int code = clEnqueueNDRangeKernel(context->queue, kernel->cl, 1, NULL, &global, &local, 0, NULL, &event);
    if (code != CL_SUCCESS)
        return wwi_fail_cl(context, code, "clEnqueueNDRangeKernel", "the kernel %s can't be run", kernel->name);
    wwi_count_objects(1);
    kernel->stream->launches++;
    wwi_stream_keep(kernel->stream, event);
    return WW_OK;
}
