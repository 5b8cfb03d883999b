// SPDX-License-Identifier: Apache-2.0
// Contexts, buffers, programs and launches, for the test in which every call fails once.
#include <string.h>
#include <wavewarp/opencl.h>

#include "host.h"
#include "scenarios.h"

enum { ITEMS = 64 };

static const char kernel_text[] = "__kernel void add(__global uint *a, uint more, __local uint *t) {\n"
                                  "    t[get_local_id(0)] = a[get_global_id(0)];\n"
                                  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    a[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)] + more;\n"
                                  "}\n";

static ww_status launch_and_check(wwi_stream *stream, wwi_kernel *kernel, wwi_buffer *buffer, wwi_buffer *copy) {
    uint32_t words[ITEMS], more = 5;
    for (uint32_t i = 0; i < ITEMS; i++)
        words[i] = i;
    const wwi_arg args[] = {WWI_BUFFER(buffer), WWI_VALUE(more), WWI_LOCAL(16 * sizeof(uint32_t))};
    ww_status status = wwi_buffer_write(buffer, 0, sizeof words, words);
    for (int i = 0; i < 2 && status == WW_OK; i++) // twice: each group of 16 is turned around and back
        status = wwi_launch(kernel, ITEMS / 16, 16, args, 3);
    if (status == WW_OK)
        status = wwi_buffer_fill_u32(copy, 0, sizeof words, 7);
    if (status == WW_OK)
        status = wwi_buffer_copy(buffer, 0, copy, 0, sizeof words / 2);
    if (status == WW_OK)
        status = wwi_finish(stream);
    if (status == WW_OK)
        status = wwi_buffer_read(copy, 0, sizeof words, words);
    for (uint32_t i = 0; i < ITEMS && status == WW_OK; i++)
        if (words[i] != (i < ITEMS / 2 ? i + 2 * more : 7))
            status = wwi_fail(WW_ERROR_INTERNAL, "word %u is %u", i, words[i]);
    return status;
}

static ww_status use(ww_context *context) {
    const wwi_source sources[] = {{"base/vendor.cl", NULL}, {"scenario.cl", kernel_text}};
    wwi_buffer *buffer = NULL, *copy = NULL;
    wwi_program *program = NULL;
    wwi_stream *stream = NULL;
    wwi_kernel *kernel = NULL;
    ww_status status = wwi_buffer_create(context, ITEMS * sizeof(uint32_t), &buffer);
    if (status == WW_OK)
        status = wwi_buffer_create(context, ITEMS * sizeof(uint32_t), &copy);
    if (status == WW_OK)
        status = wwi_program_get(context, sources, 2, "-DWW_SCENARIO=1", &program);
    if (status == WW_OK)
        status = wwi_stream_create(context, &stream);
    if (status == WW_OK)
        status = wwi_kernel_create(stream, program, "add", &kernel);
    if (status == WW_OK)
        status = launch_and_check(stream, kernel, buffer, copy);
    wwi_kernel_destroy(&kernel);
    wwi_stream_destroy(&stream);
    wwi_program_release(&program);
    wwi_buffer_destroy(&copy);
    wwi_buffer_destroy(&buffer);
    return status;
}

ww_status wwt_scenario_host(void) {
    ww_context *context = NULL;
    ww_device_list *devices = NULL;
    ww_status status = ww_device_list_create(&devices);
    ww_device_list_destroy(&devices);
    if (status == WW_OK)
        status = ww_context_create(NULL, &context);
    if (status == WW_OK)
        status = use(context);
    ww_context_destroy(&context);
    return status;
}

static ww_status make_bytes(void *user, uint64_t at, uint64_t bytes, void *target) {
    (void)user;
    memset(target, (int)(at / WWI_SEND_PIECE) + 1, (size_t)bytes);
    return WW_OK;
}

static ww_status send(ww_context *context, unsigned pieces) {
    const uint64_t bytes = pieces * WWI_SEND_PIECE;
    wwi_buffer *buffer = NULL;
    unsigned char last = 0;
    ww_status status = wwi_buffer_create(context, bytes, &buffer);
    if (status == WW_OK)
        status = wwi_send(buffer, 0, bytes, make_bytes, NULL);
    if (status == WW_OK)
        status = wwi_buffer_read(buffer, bytes - 1, 1, &last);
    if (status == WW_OK && last != pieces)
        status = wwi_fail(WW_ERROR_INTERNAL, "the last byte is %d", last);
    wwi_buffer_destroy(&buffer);
    return status;
}

ww_status wwt_scenario_sends(void) {
    ww_context *context = NULL;
    ww_status status = ww_context_create(NULL, &context);
    if (status == WW_OK)
        status = wwi_tuning_try(context, "send.threads", NULL, 2);
    for (long fed = 0; fed < 2 && status == WW_OK; fed++) {
        status = wwi_tuning_try(context, "form.fed", NULL, fed);
        for (unsigned again = 0; again < 2 && status == WW_OK; again++)
            status = send(context, again ? 1 : WWI_SEND_PIECES + 2);
    }
    ww_context_destroy(&context);
    return status;
}

ww_status wwt_scenario_bad_build(void) {
    const wwi_source source = {"bad.cl", "__kernel void bad(void) { no_such_function(); }"};
    ww_context *context = NULL;
    wwi_program *program = NULL;
    ww_status status = ww_context_create(NULL, &context);
    if (status == WW_OK) {
        status = wwi_program_get(context, &source, 1, "", &program);
        if (status == WW_OK)
            status = wwi_fail(WW_ERROR_INTERNAL, "a wrong program compiled");
        else if (status == WW_ERROR_BUILD)
            status = WW_OK; // as it must be
    }
    wwi_program_release(&program);
    ww_context_destroy(&context);
    return status;
}

ww_status wwt_scenario_wrap(void) {
    ww_context *owner = NULL, *guest = NULL;
    wwi_buffer *buffer = NULL;
    cl_context cl = NULL;
    cl_device_id device = NULL;
    cl_command_queue queue = NULL;
    cl_int code = CL_SUCCESS;
    cl_mem mem = NULL;
    ww_status status = ww_context_create(NULL, &owner);
    if (status == WW_OK)
        status = ww_context_get_opencl(owner, &cl, &device, &queue);
    if (status == WW_OK)
        status = ww_context_wrap(cl, device, queue, NULL, &guest);
    if (status == WW_OK && !(mem = clCreateBuffer(cl, CL_MEM_READ_WRITE, 64, NULL, &code)))
        status = wwi_fail(WW_ERROR_OPENCL, "the caller's own buffer: %d", code);
    if (status == WW_OK)
        status = wwi_buffer_wrap(guest, mem, &buffer);
    if (status == WW_OK && wwi_buffer_bytes(buffer) != 64)
        status = wwi_fail(WW_ERROR_INTERNAL, "a wrapped buffer of 64 bytes has another size");
    if (mem)
        (void)clReleaseMemObject(mem);
    ww_context_destroy(&owner);
    if (status == WW_OK)
        status = use(guest);
    wwi_buffer_destroy(&buffer);
    ww_context_destroy(&guest);
    return status;
}
