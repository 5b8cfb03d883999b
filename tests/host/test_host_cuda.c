// SPDX-License-Identifier: Apache-2.0
// The OpenCL objects that work in a CUDA context (host/cuda.h), on a driver of the test's own, whose device memory is
// the host's: what arrives in it, in which order, and that nothing is left when any of its calls fails. Kernels run on
// GPUs alone: there the tests of the device run with WAVEWARP_DEVICE=cuda.
#include <wavewarp/cuda.h>
#include <wavewarp/opencl.h>
#include <wavewarp/wavewarp.h>

#include "cuda.h"
#include "host_device.h"

// ---- a driver

static atomic_long calls, alive, deep; // alive: what was made and not freed; deep: contexts pushed
static long fails_at;                  // the call that fails; 0: none

static struct {
    char text[4096];
    int registers;
    unsigned groups, items, shared;
    unsigned long long pointer, first, second;
    unsigned word;
} seen;

static bool fails(void) {
    return atomic_fetch_add(&calls, 1) + 1 == fails_at;
}

#define FAKE(name, parameters, does)                                                                                   \
    static int fake_##name parameters {                                                                                \
        if (fails())                                                                                                   \
            return 2;                                                                                                  \
        does;                                                                                                          \
        return 0;                                                                                                      \
    }
#define MADE(place) (void)atomic_fetch_add(&alive, 1), *(place) = malloc(16)
#define FREED(object) (void)atomic_fetch_sub(&alive, 1), free(object)
typedef unsigned long long address;

FAKE(init, (unsigned flags), (void)flags)
FAKE(device_count, (int *count), *count = 1)
FAKE(device_get, (int *device, int ordinal), *device = ordinal)
FAKE(device_pci, (char *text, int bytes, int device), ((void)device, (void)snprintf(text, (size_t)bytes, "none")))
FAKE(context_retain, (void **context, int device), ((void)device, MADE(context)))
FAKE(stream_create, (void **stream, unsigned flags), ck_assert_uint_eq(flags, 1); MADE(stream))
FAKE(stream_wait, (void *stream), (void)stream)
FAKE(write, (address to, const void *from, size_t bytes, void *stream),
     ((void)stream, memcpy((void *)(uintptr_t)to, from, bytes)))
FAKE(read, (void *to, address from, size_t bytes, void *stream),
     ((void)stream, memcpy(to, (const void *)(uintptr_t)from, bytes)))
FAKE(copy, (address to, address from, size_t bytes, void *stream),
     ((void)stream, memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes)))
FAKE(function_get, (void **function, void *module, const char *name), ((void)name, *function = module))
FAKE(function_about, (int *value, int what, void *function), ((void)function, *value = what == 0 ? 128 : 40))
FAKE(event_new, (void **event, unsigned flags), ck_assert_uint_eq(flags, 0); MADE(event))
FAKE(event_record, (void *event, void *stream), ((void)event, (void)stream))
FAKE(event_wait, (void *event), (void)event)
FAKE(event_state, (void *event), (void)event)
FAKE(event_between, (float *milliseconds, void *from, void *to), ((void)from, (void)to, *milliseconds = 0.25F))

static void *context_made; // there is one at a time

static int fake_context_release(int device) {
    (void)device;
    FREED(context_made);
    return 0;
}

static int fake_retain(void **context, int device) {
    const int code = fake_context_retain(context, device);
    context_made = code ? NULL : *context;
    return code;
}

// What frees succeeds, and what it needs: there would be nothing that could be done.
static int fake_push(void *context) {
    (void)context;
    (void)atomic_fetch_add(&deep, 1);
    return 0;
}

static int fake_pop(void **context) {
    *context = NULL;
    (void)atomic_fetch_sub(&deep, 1);
    return 0;
}

static int fake_destroy(void *object) {
    FREED(object);
    return 0;
}

static int fake_memory_new(address *memory, size_t bytes) {
    void *made;
    if (fails())
        return 2;
    ck_assert_int_eq(posix_memalign(&made, 256, bytes), 0);
    (void)atomic_fetch_add(&alive, 1);
    *memory = (address)(uintptr_t)made;
    return 0;
}

static int fake_memory_free(address memory) {
    return fake_destroy((void *)(uintptr_t)memory);
}

static int fake_host_new(void **memory, size_t bytes) {
    if (fails())
        return 2;
    (void)atomic_fetch_add(&alive, 1);
    *memory = malloc(bytes);
    return 0;
}

static int fake_rows(const wwi_cuda_rows *rows, void *stream) {
    (void)stream;
    if (fails())
        return 2;
    ck_assert(rows->from_type == 2 && rows->to_type == 2);
    for (size_t r = 0; r < rows->rows; r++)
        memcpy((char *)(uintptr_t)rows->to + (rows->to_y + r) * rows->to_pitch + rows->to_x,
               (const char *)(uintptr_t)rows->from + (rows->from_y + r) * rows->from_pitch + rows->from_x, rows->bytes);
    return 0;
}

static int fake_fill(address memory, unsigned word, size_t words, void *stream) {
    (void)stream;
    if (fails())
        return 2;
    for (size_t i = 0; i < words; i++)
        ((unsigned *)(uintptr_t)memory)[i] = word;
    return 0;
}

static int fake_module_load(void **module, const void *image, unsigned count, int *options, void **values) {
    if (fails())
        return 2;
    seen.registers = 0;
    for (unsigned i = 0; i < count; i++)
        if (options[i] == 0)
            seen.registers = (int)(intptr_t)values[i];
    (void)snprintf(seen.text, sizeof seen.text, "%s", (const char *)image);
    MADE(module);
    return 0;
}

static int fake_launch(void *function, unsigned groups, unsigned y, unsigned z, unsigned items, unsigned b, unsigned c,
                       unsigned shared, void *stream, void **parameters, void **extra) {
    (void)function, (void)stream;
    if (fails())
        return 2;
    ck_assert(y == 1 && z == 1 && b == 1 && c == 1 && !extra);
    seen.groups = groups;
    seen.items = items;
    seen.shared = shared;
    memcpy(&seen.pointer, parameters[0], sizeof(address));
    memcpy(&seen.word, parameters[1], sizeof(unsigned));
    memcpy(&seen.first, parameters[2], sizeof(address));
    memcpy(&seen.second, parameters[3], sizeof(address));
    return 0;
}

static const wwi_cuda fake = {.init = fake_init,
                              .device_count = fake_device_count,
                              .device_get = fake_device_get,
                              .device_pci = fake_device_pci,
                              .context_retain = fake_retain,
                              .context_release = fake_context_release,
                              .push = fake_push,
                              .pop = fake_pop,
                              .stream_create = fake_stream_create,
                              .stream_destroy = fake_destroy,
                              .stream_wait = fake_stream_wait,
                              .memory_new = fake_memory_new,
                              .memory_free = fake_memory_free,
                              .host_new = fake_host_new,
                              .host_free = fake_destroy,
                              .write = fake_write,
                              .read = fake_read,
                              .copy = fake_copy,
                              .copy_rows = fake_rows,
                              .fill = fake_fill,
                              .module_load = fake_module_load,
                              .module_unload = fake_destroy,
                              .function_get = fake_function_get,
                              .function_about = fake_function_about,
                              .launch = fake_launch,
                              .event_new = fake_event_new,
                              .event_free = fake_destroy,
                              .event_record = fake_event_record,
                              .event_wait = fake_event_wait,
                              .event_state = fake_event_state,
                              .event_between = fake_event_between};

// A context on it. All else that is told of the device is that of one of the machine's.
static ww_status open_fake(cl_device_id device, ww_context **context) {
    cl_context cl = NULL;
    cl_int code = CL_SUCCESS;
    *context = NULL;
    WWI_TRY(wwi_cuda_context(&fake, 0, device, &cl));
    cl_command_queue queue = clCreateCommandQueue(cl, &cl->device, 0, &code);
    const ww_status status = queue ? ww_context_wrap(cl, &cl->device, queue, NULL, context) : WW_ERROR_DEVICE_MEMORY;
    if (queue)
        ck_assert_int_eq(clReleaseCommandQueue(queue), CL_SUCCESS);
    ck_assert_int_eq(clReleaseContext(cl), CL_SUCCESS);
    if (status == WW_OK)
        (*context)->info.type = WW_DEVICE_GPU; // whose memory is not the host's
    return status;
}

// ---- what is done with it

// Large enough for the ways by several threads.
static ww_status move(ww_context *context) {
    enum { WORDS = 1 << 20, ROW = 24, ROWS = 5, STRIDE = 40 };
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *a = NULL;
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *b = NULL;
    static uint32_t from[WORDS], to[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        from[i] = i * 2654435761u;
    WWI_TRY(wwi_buffer_create(context, sizeof from, &a));
    WWI_TRY(wwi_buffer_create(context, sizeof from, &b));
    WWI_TRY(wwi_buffer_write(a, 0, sizeof from, from));
    WWI_TRY(wwi_buffer_copy(a, 0, b, 0, sizeof from));
    WWI_TRY(wwi_buffer_fill_u32(b, 8, 4, 7));
    WWI_TRY(wwi_buffer_read(b, 0, sizeof to, to));
    ck_assert(to[2] == 7 && to[1] == from[1] && to[3] == from[3]);
    ck_assert(memcmp(to + 3, from + 3, sizeof to - 12) == 0);
    WWI_TRY(wwi_buffer_copy_rows(a, b, 80, ROW, ROWS, STRIDE));
    WWI_TRY(wwi_buffer_read(b, 80, STRIDE * ROWS, to));
    for (int r = 0; r < ROWS; r++)
        ck_assert(memcmp((char *)to + r * STRIDE, (char *)from + r * ROW, ROW) == 0);
    // As where it is not fed, host/send.c.
    cl_int code = CL_SUCCESS;
    for (int pass = 0; pass < 2; pass++) {
        unsigned char *mapped = clEnqueueMapBuffer(context->queue, b->mem, CL_TRUE, pass ? CL_MAP_READ : CL_MAP_WRITE,
                                                   100, 50, 0, NULL, NULL, &code);
        if (!mapped)
            return WW_ERROR_OPENCL;
        ck_assert(!pass || (mapped[0] == 9 && mapped[49] == 9));
        memset(mapped, 9, 50);
        if (clEnqueueUnmapMemObject(context->queue, b->mem, mapped, 0, NULL, NULL) != CL_SUCCESS)
            return WW_ERROR_OPENCL;
    }
    return WW_OK;
}

static const char ptx[] =
    "// made by nobody\n"
    ".version 8.0\n.target sm_90, texmode_independent\n.address_size 64\n\n"
    ".entry other(\n\t.param .u64 .ptr .global .align 4 other_param_0\n)\n{\n\tret;\n}\n"
    ".entry turn(\n\t.param .u64 .ptr .global .align 4 turn_param_0,\n\t.param .u32 turn_param_1,\n"
    "\t.param .u64 .ptr .shared .align 4 turn_param_2,\n"
    "\t.param .u64 .ptr .shared .align 8 turn_param_3,\n\t.param .align 8 .b8 turn_param_4[24]\n)\n"
    ".reqntid 64, 1, 1\n{\n"
    "\tld.param.u64 \t%rd1, [turn_param_0];\n\tld.param.u64 \t%rd22, [turn_param_3];\n"
    "\tmov.b32 \t%r1, %envreg3;\n\tmov.b32 \t%r2, %envreg6;\n\tmov.b32 \t%r3, %envreg8;\n\tret;\n}\n";

// As wwi_launch() does it, with a program that is there as PTX.
static ww_status compute(ww_context *context) {
    const unsigned char *binary = (const unsigned char *)ptx;
    const size_t bytes = sizeof ptx, global = 640, local = 64;
    const uint32_t word = 77, more[6] = {1, 2, 3, 4, 5, 6};
    uint64_t wide = 5;
    cl_int code = CL_SUCCESS, state = CL_SUCCESS;
    cl_event event = NULL;
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *buffer = NULL;
    WWI_TRY(wwi_buffer_create(context, 4096, &buffer));
    cl_mem mem = buffer->mem;
    cl_program program = clCreateProgramWithBinary(context->cl, 1, &context->device, &bytes, &binary, &state, &code);
    if (!program)
        return WW_ERROR_OUT_OF_MEMORY;
    code = clBuildProgram(program, 1, &context->device, "-w -cl-nv-maxrregcount=96", NULL, NULL);
    cl_kernel kernel = code == CL_SUCCESS ? clCreateKernel(program, "turn", &code) : NULL;
    if (kernel) {
        ck_assert_ptr_null(clCreateKernel(program, "tur", &state));
        ck_assert_int_eq(clSetKernelArg(kernel, 0, sizeof mem, &mem), CL_SUCCESS);
        ck_assert_int_eq(clSetKernelArg(kernel, 1, sizeof word, &word), CL_SUCCESS);
        ck_assert_int_eq(clSetKernelArg(kernel, 2, 100, NULL), CL_SUCCESS);
        ck_assert_int_eq(clSetKernelArg(kernel, 3, 8, NULL), CL_SUCCESS);
        ck_assert_int_eq(clSetKernelArg(kernel, 4, sizeof more, more), CL_SUCCESS);
        ck_assert_int_eq(clSetKernelArg(kernel, 4, 4, more), CL_INVALID_ARG_SIZE);
        ck_assert_int_eq(clSetKernelArg(kernel, 1, sizeof wide, &wide), CL_INVALID_ARG_SIZE);
        ck_assert_int_eq(clSetKernelArg(kernel, 1, 4, NULL), CL_INVALID_ARG_VALUE);
        ck_assert_int_eq(clSetKernelArg(kernel, 2, 4, &word), CL_INVALID_ARG_VALUE);
        ck_assert_int_eq(clSetKernelArg(kernel, 5, 4, &word), CL_INVALID_ARG_INDEX);
        code = clEnqueueNDRangeKernel(context->queue, kernel, 1, NULL, &global, &local, 0, NULL, &event);
    }
    if (code == CL_SUCCESS) {
        cl_ulong begin = 1, end = 0;
        code = clWaitForEvents(1, &event);
        if (code == CL_SUCCESS)
            code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
        ck_assert_int_eq(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL), 0);
        ck_assert(code != CL_SUCCESS || end - begin == 250000);
        ck_assert_int_eq(clReleaseEvent(event), CL_SUCCESS);
    }
    if (kernel)
        ck_assert_int_eq(clReleaseKernel(kernel), CL_SUCCESS);
    ck_assert_int_eq(clReleaseProgram(program), CL_SUCCESS);
    return code == CL_SUCCESS ? WW_OK : WW_ERROR_OPENCL;
}

static ww_context *of_opencl(void) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    options.device = "cpu";
    if (ww_context_create(&options, &context) != WW_OK)
        WWT_OK(ww_context_create(NULL, &context));
    return context;
}

static cl_device_id some_device(void) {
    ww_context *context = of_opencl();
    const cl_device_id device = context->device;
    ww_context_destroy(&context);
    return device;
}

static void check_nothing_is_left(void) {
    ck_assert_int_eq(atomic_load(&alive), 0);
    ck_assert_int_eq(atomic_load(&deep), 0);
    ck_assert_int_eq(wwi_live_objects(), 0);
}

// ---- tests

START_TEST(data_arrive) {
    ww_context *context = NULL;
    fails_at = 0;
    WWT_OK(open_fake(some_device(), &context));
    ck_assert(wwi_context_is_cuda(context));
    WWT_OK(move(context));
    ck_assert_int_eq(ww_context_get_opencl(context, NULL, NULL, NULL), WW_ERROR_UNSUPPORTED);
    ww_context_destroy(&context);
    check_nothing_is_left();
}
END_TEST

START_TEST(kernels_get_their_arguments) {
    ww_context *context = NULL;
    fails_at = 0;
    memset(&seen, 0, sizeof seen);
    WWT_OK(open_fake(some_device(), &context));
    WWT_OK(compute(context));
    ck_assert_int_eq(seen.registers, 96);
    ck_assert(seen.groups == 10 && seen.items == 64 && seen.word == 77 && seen.pointer != 0);
    ck_assert_uint_eq(seen.first, 0);
    ck_assert_uint_eq(seen.second, 112);
    ck_assert_uint_eq(seen.shared, 128);
    ck_assert_ptr_null(strstr(seen.text, "envreg"));
    ck_assert_ptr_null(strstr(seen.text, ".ptr .shared"));
    ck_assert_ptr_nonnull(strstr(seen.text, ".ptr .global .align 4 turn_param_0,"));
    ck_assert_ptr_nonnull(strstr(seen.text, "\t.param .u64 turn_param_2,\n\t.param .u64 turn_param_3,\n"));
    ck_assert_ptr_nonnull(
        strstr(seen.text, "mov.b32 \t%r1, 0;\n\tmov.b32 \t%r2, %nctaid.x;\n\tmov.b32 \t%r3, %nctaid.z;"));
    ck_assert_ptr_nonnull(strstr(seen.text, "[turn_param_3];\n{ .reg .u64 %base; mov.u64 %base, ww_local_memory; "
                                            "add.u64 %rd22, %rd22, %base; }\n"));
    ck_assert_ptr_null(strstr(seen.text, "add.u64 %rd1, "));
    ww_context_destroy(&context);
    check_nothing_is_left();
}
END_TEST

START_TEST(ptx_is_read) {
    wwi_ptx_kernel about;
    ck_assert(wwi_ptx_describe(ptx, "turn", &about));
    ck_assert(about.count == 5 && about.group == 64);
    ck_assert(about.bytes[0] == 8 && about.bytes[1] == 4 && about.bytes[2] == 8 && about.bytes[4] == 24);
    ck_assert(about.global[0] && !about.local[0] && about.local[2] && about.local[3] && !about.global[4]);
    ck_assert(wwi_ptx_describe(ptx, "other", &about));
    ck_assert(about.count == 1 && about.group == 0);
    ck_assert(!wwi_ptx_describe(ptx, "turned", &about));
    ck_assert(!wwi_ptx_describe("", "turn", &about));
    ck_assert(!wwi_ptx_describe(".entry turn(", "turn", &about));
    ck_assert(!wwi_ptx_describe(".entry turn(.param .b8 a[99999])\n{}", "turn", &about));
    // A register whose meaning is not known.
    ck_assert_ptr_null(wwi_ptx_for_cuda("mov.b32 %r1, %envreg9;\n"));
    char *text = wwi_ptx_for_cuda("mov.b32 %r1, %envreg2;");
    ck_assert_str_eq(text, "mov.b32 %r1, 0;");
    free(text);
}
END_TEST

START_TEST(memory_of_the_caller) {
    ww_context *context = NULL, *other = NULL;
    ww_buffer *buffer = NULL;
    ww_dataset *dataset = NULL;
    _Alignas(256) static float values[256];
    float got[256];
    const uint64_t at = (uint64_t)(uintptr_t)values;
    fails_at = 0;
    for (int i = 0; i < 256; i++)
        values[i] = (float)i;
    WWT_OK(open_fake(some_device(), &context));
    other = of_opencl();
    WWT_FAILS(ww_buffer_wrap_cuda(other, at, sizeof values, &buffer), WW_ERROR_INVALID_ARGUMENT);
    WWT_FAILS(ww_buffer_wrap_cuda(context, at + 4, 16, &buffer), WW_ERROR_INVALID_ARGUMENT);
    WWT_FAILS(ww_buffer_wrap_cuda(context, 0, 16, &buffer), WW_ERROR_INVALID_ARGUMENT);
    WWT_FAILS(ww_buffer_wrap_cuda(context, at, 0, &buffer), WW_ERROR_INVALID_ARGUMENT);
    WWT_FAILS(ww_buffer_wrap_cuda(NULL, at, 16, &buffer), WW_ERROR_INVALID_ARGUMENT);
    WWT_FAILS(ww_buffer_wrap_cuda(context, at, 16, NULL), WW_ERROR_INVALID_ARGUMENT);
    WWT_OK(ww_buffer_wrap_cuda(context, at, sizeof values, &buffer));
    ck_assert_uint_eq(ww_buffer_bytes(buffer), sizeof values);
    ck_assert_ptr_null(ww_buffer_opencl(buffer));
    ck_assert_uint_eq(ww_context_bytes(context), 0); // it is not the context's
    WWT_OK(ww_dataset_create_from_buffer(context, buffer, 4, 2, 32, WW_FLOAT, &dataset));
    WWT_FAILS(ww_dataset_create_from_buffer(context, buffer, 4, 2, 33, WW_FLOAT, &(ww_dataset *){NULL}),
              WW_ERROR_INVALID_ARGUMENT);
    WWT_OK(ww_buffer_read(buffer, 0, sizeof got, got));
    ck_assert(memcmp(got, values, sizeof got) == 0);
    ww_dataset_destroy(&dataset);
    ww_buffer_destroy(&buffer);
    ww_context_destroy(&other);
    ww_context_destroy(&context);
    check_nothing_is_left();
}
END_TEST

START_TEST(any_call_may_fail) {
    const cl_device_id device = some_device();
    long failed = 0;
    bool whole = false;
    for (long n = 1; !whole; n += n < 60 ? 1 : 7) {
        ww_context *context = NULL;
        fails_at = n;
        atomic_store(&calls, 0);
        ww_status status = open_fake(device, &context);
        if (status == WW_OK)
            status = compute(context);
        if (status == WW_OK)
            status = move(context);
        ww_context_destroy(&context);
        whole = atomic_load(&calls) < n;
        ck_assert(!whole || status == WW_OK);
        failed += status != WW_OK;
        check_nothing_is_left();
    }
    ck_assert_int_gt(failed, 20);
}
END_TEST

START_TEST(what_is_not_there_is_said) {
    ww_context *context = NULL;
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    WWT_FAILS(ww_context_create_cuda(9999, NULL, NULL, &context), WW_ERROR_NO_DEVICE);
    ck_assert_ptr_null(context);
    WWT_FAILS(ww_context_create_cuda(-1, NULL, NULL, &context), WW_ERROR_NO_DEVICE);
    WWT_FAILS(ww_context_create_cuda(0, NULL, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    options.device = "cuda:9999";
    WWT_FAILS(ww_context_create(&options, &context), WW_ERROR_NO_DEVICE);
    ck_assert(strstr(ww_last_error()->message, "CUDA") || strstr(ww_last_error()->message, "libcuda"));
    options.device = "cuda:x";
    WWT_FAILS(ww_context_create(&options, &context), WW_ERROR_NO_DEVICE);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {ptx_is_read,          data_arrive,       kernels_get_their_arguments,
                                  memory_of_the_caller, any_call_may_fail, what_is_not_there_is_said};
    return run_on_device("host_cuda", tests, sizeof tests / sizeof *tests);
}
