// SPDX-License-Identifier: Apache-2.0
// See cuda.h. Here: programs, kernels and their launches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

// ---- programs

static cl_int CL_API_CALL release_program(cl_program program) {
    if (atomic_fetch_sub(&program->references, 1) != 1)
        return CL_SUCCESS;
    cl_context context = program->context;
    if (program->module && wwi_cuda_enter(context) == CL_SUCCESS)
        (void)wwi_cuda_leave(context, context->cuda->module_unload(program->module));
    free(program->source);
    free(program->ptx);
    free(program->log);
    free(program);
    wwi_cuda_release(context);
    return CL_SUCCESS;
}

// `text` is the source or the PTX, which the program takes.
static cl_program new_program(cl_context context, char *source, char *ptx, cl_int *code) {
    cl_program program = source || ptx ? wwi_cuda_new(context, sizeof *program) : NULL;
    *code = program ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (!program) {
        free(source);
        free(ptx);
        return NULL;
    }
    program->source = source;
    program->ptx = ptx;
    return program;
}

static cl_program CL_API_CALL create_with_source(cl_context context, cl_uint count, const char **texts,
                                                 const size_t *lengths, cl_int *code) {
    (void)count, (void)lengths; // one text that ends in a zero
    return new_program(context, strdup(texts[0]), NULL, code);
}

static cl_program CL_API_CALL create_with_binary(cl_context context, cl_uint count, const cl_device_id *devices,
                                                 const size_t *lengths, const unsigned char **binaries, cl_int *status,
                                                 cl_int *code) {
    (void)count, (void)devices;
    *status = CL_SUCCESS;
    return new_program(context, NULL, strndup((const char *)binaries[0], lengths[0]), code);
}

// The compiler's words, kept by the program.
static void keep_log(cl_program program, cl_program compiled, cl_device_id device) {
    size_t bytes = 0;
    if (clGetProgramBuildInfo(compiled, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS)
        return;
    char *log = calloc(bytes + 1, 1);
    if (log && clGetProgramBuildInfo(compiled, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) == CL_SUCCESS) {
        free(program->log);
        program->log = log;
        return;
    }
    free(log);
}

static char *take_ptx(cl_program compiled) {
    size_t bytes = 0;
    if (clGetProgramInfo(compiled, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || bytes == 0)
        return NULL;
    char *ptx = calloc(bytes + 1, 1);
    unsigned char *binary = (unsigned char *)ptx;
    if (ptx && clGetProgramInfo(compiled, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
        return ptx;
    free(ptx);
    return NULL;
}

static cl_context compiler_of(cl_context context, cl_int *code) {
    (void)pthread_mutex_lock(&context->lock);
    if (!context->compiler)
        context->compiler = clCreateContext(NULL, 1, &context->device.opencl, NULL, NULL, code);
    (void)pthread_mutex_unlock(&context->lock);
    return context->compiler;
}

// By NVIDIA's OpenCL.
static cl_int compile(cl_program program, const char *options) {
    cl_int code = CL_SUCCESS;
    cl_device_id device = program->context->device.opencl;
    cl_context context = compiler_of(program->context, &code);
    if (!context)
        return code;
    const char *source = program->source;
    cl_program compiled = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    if (!compiled)
        return code;
    code = clBuildProgram(compiled, 1, &device, options, NULL, NULL);
    keep_log(program, compiled, device);
    program->ptx = code == CL_SUCCESS ? take_ptx(compiled) : NULL;
    (void)clReleaseProgram(compiled);
    return code == CL_SUCCESS && !program->ptx ? CL_OUT_OF_HOST_MEMORY : code;
}

static cl_int load_module(cl_program program, const char *options) {
    enum { MAX_REGISTERS = 0, ERROR_LOG = 5, ERROR_LOG_BYTES = 6, LOG_BYTES = 4096 };
    static const char registers[] = "-cl-nv-maxrregcount=";
    const char *limit = strstr(options, registers);
    const uintptr_t most = limit ? strtoul(limit + strlen(registers), NULL, 10) : 0, log_bytes = LOG_BYTES;
    WWI_FREES char *text = wwi_ptx_for_cuda(program->ptx), *log = calloc(LOG_BYTES, 1);
    if (!text || !log)
        return CL_OUT_OF_HOST_MEMORY;
    // The driver takes numbers in place of pointers.
    int names[] = {ERROR_LOG, ERROR_LOG_BYTES, MAX_REGISTERS};
    void *values[] = {log, (void *)log_bytes, (void *)most}; // NOLINT
    cl_int code = wwi_cuda_enter(program->context);
    if (code != CL_SUCCESS)
        return code;
    const int loaded = program->context->cuda->module_load(&program->module, text, most ? 3 : 2, names, values);
    code = wwi_cuda_leave(program->context, loaded);
    if (code != CL_SUCCESS) {
        free(program->log);
        program->log = wwi_taken(&log);
        return loaded == 2 ? code : CL_BUILD_PROGRAM_FAILURE;
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                                void(CL_CALLBACK *done)(cl_program, void *), void *user) {
    (void)count, (void)devices, (void)done, (void)user;
    const cl_int code = program->ptx ? CL_SUCCESS : compile(program, options);
    return code == CL_SUCCESS ? load_module(program, options) : code;
}

static cl_int CL_API_CALL program_info(cl_program program, cl_program_info what, size_t room, void *target,
                                       size_t *needed) {
    cl_device_id device = &program->context->device;
    const size_t bytes = program->ptx ? strlen(program->ptx) + 1 : 0;
    if (what == CL_PROGRAM_BINARIES) {
        unsigned char *binary = room >= sizeof(unsigned char *) ? *(unsigned char **)target : NULL;
        if (binary)
            memcpy(binary, program->ptx, bytes);
        return CL_SUCCESS;
    }
    return what == CL_PROGRAM_DEVICES        ? WWI_CUDA_TELL(device)
           : what == CL_PROGRAM_BINARY_SIZES ? WWI_CUDA_TELL(bytes)
                                             : CL_INVALID_VALUE;
}

static cl_int CL_API_CALL build_info(cl_program program, cl_device_id device, cl_program_build_info what, size_t room,
                                     void *target, size_t *needed) {
    const cl_build_status state = program->module ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    const char *log = program->log ? program->log : "";
    (void)device;
    return what == CL_PROGRAM_BUILD_LOG      ? wwi_cuda_tell(log, strlen(log) + 1, room, target, needed)
           : what == CL_PROGRAM_BUILD_STATUS ? WWI_CUDA_TELL(state)
                                             : CL_INVALID_VALUE;
}

// ---- kernels

static cl_int CL_API_CALL release_kernel(cl_kernel kernel) {
    cl_program program = kernel->program;
    free(kernel);
    return release_program(program);
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *code) {
    cl_context context = program->context;
    cl_kernel kernel = calloc(1, sizeof *kernel);
    *code = kernel ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (kernel && !wwi_ptx_describe(program->ptx, name, &kernel->about))
        *code = CL_INVALID_KERNEL_NAME;
    if (*code == CL_SUCCESS)
        *code = wwi_cuda_enter(context);
    if (*code == CL_SUCCESS)
        *code = wwi_cuda_leave(context, context->cuda->function_get(&kernel->function, program->module, name));
    if (*code != CL_SUCCESS) {
        free(kernel);
        return NULL;
    }
    size_t at = 0;
    for (unsigned i = 0; i < kernel->about.count; i++) {
        kernel->values[i] = kernel->bytes + at;
        at += (kernel->about.bytes[i] + 15) / 16 * 16;
    }
    kernel->dispatch = program->dispatch;
    kernel->program = program;
    atomic_fetch_add(&program->references, 1);
    return kernel;
}

static cl_int CL_API_CALL set_argument(cl_kernel kernel, cl_uint i, size_t bytes, const void *value) {
    if (i >= kernel->about.count)
        return CL_INVALID_ARG_INDEX;
    if (kernel->about.local[i] && !value) {
        kernel->local_bytes[i] = bytes;
        return CL_SUCCESS;
    }
    if (kernel->about.local[i])
        return CL_INVALID_ARG_VALUE;
    if (!value || bytes != kernel->about.bytes[i])
        return value ? CL_INVALID_ARG_SIZE : CL_INVALID_ARG_VALUE;
    memcpy(kernel->values[i], value, bytes);
    if (kernel->about.global[i]) {
        cl_mem memory;
        memcpy(&memory, value, sizeof memory);
        const unsigned long long address = memory ? memory->memory : 0;
        memcpy(kernel->values[i], &address, sizeof address);
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL kernel_info(cl_kernel kernel, cl_kernel_info what, size_t room, void *target,
                                      size_t *needed) {
    const cl_uint count = kernel->about.count;
    return what == CL_KERNEL_NUM_ARGS ? WWI_CUDA_TELL(count) : CL_INVALID_VALUE;
}

static cl_int CL_API_CALL work_group_info(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                          size_t room, void *target, size_t *needed) {
    enum { MOST_ITEMS = 0, LOCAL_BYTES = 1 };
    cl_context context = kernel->program->context;
    const size_t required[3] = {kernel->about.group, kernel->about.group ? 1 : 0, kernel->about.group ? 1 : 0};
    int value = 0;
    (void)device;
    if (what == CL_KERNEL_COMPILE_WORK_GROUP_SIZE)
        return WWI_CUDA_TELL(required);
    const cl_int code = wwi_cuda_enter(context);
    if (code != CL_SUCCESS)
        return code;
    const cl_int told = wwi_cuda_leave(
        context, context->cuda->function_about(&value, what == CL_KERNEL_LOCAL_MEM_SIZE ? LOCAL_BYTES : MOST_ITEMS,
                                               kernel->function));
    const size_t items = (size_t)value;
    const cl_ulong bytes = (cl_ulong)value;
    return told != CL_SUCCESS                  ? told
           : what == CL_KERNEL_LOCAL_MEM_SIZE  ? WWI_CUDA_TELL(bytes)
           : what == CL_KERNEL_WORK_GROUP_SIZE ? WWI_CUDA_TELL(items)
                                               : CL_INVALID_VALUE;
}

// Parts of local memory follow one another: the addresses of parameters are offsets in it (cuda_ptx.c).
static size_t place_local(cl_kernel kernel) {
    size_t at = 0;
    for (unsigned i = 0; i < kernel->about.count; i++) {
        if (!kernel->about.local[i])
            continue;
        const unsigned long long offset = at;
        memcpy(kernel->values[i], &offset, sizeof offset);
        at += (kernel->local_bytes[i] + 15) / 16 * 16;
    }
    return at;
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                 const size_t *global, const size_t *group, cl_uint count, const cl_event *events,
                                 cl_event *event) {
    cl_context context = queue->context;
    const wwi_cuda *cuda = context->cuda;
    (void)dimensions, (void)offset, (void)count, (void)events;
    const cl_int entered = wwi_cuda_enter(context);
    if (entered != CL_SUCCESS)
        return entered;
    cl_event made = wwi_cuda_event(context, true);
    int code = made ? cuda->event_record(made->begin, queue->stream) : 2;
    if (code == 0)
        code = cuda->launch(kernel->function, (unsigned)(global[0] / group[0]), 1, 1, (unsigned)group[0], 1, 1,
                            (unsigned)place_local(kernel), queue->stream, kernel->values, NULL);
    if (code == 0)
        code = cuda->event_record(made->end, queue->stream);
    if (code != 0 && made)
        (void)clReleaseEvent(made);
    *event = made;
    return wwi_cuda_leave(context, code);
}

void wwi_cuda_of_programs(cl_icd_dispatch *dispatch) {
    dispatch->clCreateProgramWithSource = create_with_source;
    dispatch->clCreateProgramWithBinary = create_with_binary;
    dispatch->clReleaseProgram = release_program;
    dispatch->clBuildProgram = build;
    dispatch->clGetProgramInfo = program_info;
    dispatch->clGetProgramBuildInfo = build_info;
    dispatch->clCreateKernel = create_kernel;
    dispatch->clReleaseKernel = release_kernel;
    dispatch->clSetKernelArg = set_argument;
    dispatch->clGetKernelInfo = kernel_info;
    dispatch->clGetKernelWorkGroupInfo = work_group_info;
    dispatch->clEnqueueNDRangeKernel = launch;
}
