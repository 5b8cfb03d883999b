// SPDX-License-Identifier: Apache-2.0
// The host layer on the available device: devices, buffers, launches, the caller's own objects.
#include <pthread.h>
#include <time.h>
#include <wavewarp/opencl.h>

#include "host_device.h"

// ---- devices

START_TEST(devices_are_listed) {
    ww_device_list *devices = NULL;
    ww_device_info info = WW_DEVICE_INFO_INIT;
    size_t chosen = 0;
    WWT_OK(ww_device_list_create(&devices));
    const size_t count = ww_device_list_count(devices);
    ck_assert_uint_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        WWT_OK(ww_device_list_get_info(devices, i, &info));
        chosen += info.chosen != 0;
        ck_assert_uint_eq(info.struct_size, sizeof info);
        ck_assert_uint_eq(info.index, i);
        ck_assert(info.name[0] && info.platform[0] && info.why[0]);
    }
    ck_assert_uint_eq(chosen, 1);
    WWT_FAILS(ww_device_list_get_info(devices, count, &info), WW_ERROR_INVALID_ARGUMENT);
    WWT_FAILS(ww_device_list_get_info(devices, 0, NULL), WW_ERROR_INVALID_ARGUMENT);
    // An older program's struct ends after the name; what is behind it stays.
    struct {
        ww_device_info known;
    } older;
    memset(&older, 0x5a, sizeof older);
    older.known.struct_size = offsetof(ww_device_info, vendor);
    WWT_OK(ww_device_list_get_info(devices, 0, &older.known));
    ck_assert_uint_eq(older.known.struct_size, offsetof(ww_device_info, vendor));
    ck_assert(older.known.name[0] != 0x5a && older.known.vendor[0] == 0x5a);
    ww_device_list_destroy(&devices);
    ck_assert_ptr_null(devices);
    ck_assert_uint_eq(ww_device_list_count(NULL), 0);
    WWT_FAILS(ww_device_list_create(NULL), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(device_by_any_of_its_names) {
    ww_device_info info = WW_DEVICE_INFO_INIT;
    char by_index[16], by_pair[32], upper[256];
    ww_context *context = open_context();
    WWT_OK(ww_context_get_device_info(context, &info));
    const bool by_opencl = !wwi_context_is_cuda(context); // else its names but one stand for OpenCL's device
    ww_context_destroy(&context);
    if (!by_opencl)
        return;
    (void)snprintf(by_index, sizeof by_index, "%u", info.index);
    (void)snprintf(by_pair, sizeof by_pair, "%u:0", info.platform_index);
    for (size_t i = 0; i < sizeof upper; i++)
        upper[i] = (char)(info.name[i] >= 'a' && info.name[i] <= 'z' ? info.name[i] - 32 : info.name[i]);
    const char *names[] = {NULL, "", by_index, by_pair, info.name, upper, info.platform, info.uuid, info.pci};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
        options.device = names[i];
        WWT_OK(ww_context_create(&options, &context));
        ck_assert_str_eq(wwi_context_info(context)->platform, info.platform);
        ww_context_destroy(&context);
        if (names[i] && names[i][0]) {
            ck_assert_int_eq(setenv("WAVEWARP_DEVICE", names[i], 1), 0);
            WWT_OK(ww_context_create(NULL, &context));
            ww_context_destroy(&context);
            ck_assert_int_eq(unsetenv("WAVEWARP_DEVICE"), 0);
        }
    }
}
END_TEST

START_TEST(unknown_device_lists_the_known) {
    static const char *const wrong[] = {"no such device", "99", "7:7", "-1", "1:"};
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = open_context();
    char name[64];
    (void)snprintf(name, sizeof name, "%.60s", wwi_context_info(context)->name);
    ww_context_destroy(&context);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        options.device = wrong[i];
        WWT_FAILS(ww_context_create(&options, &context), WW_ERROR_NO_DEVICE);
        ck_assert_ptr_null(context);
        ck_assert_msg(strstr(ww_last_error()->message, name) != NULL, "%s", ww_last_error()->message);
        ck_assert(ww_last_error()->hint[0] != '\0');
    }
}
END_TEST

START_TEST(options_may_grow) {
    struct {
        ww_context_options known;
        uint64_t unknown;
    } longer = {WW_CONTEXT_OPTIONS_INIT, 0};
    ww_context *context = NULL;
    longer.known.struct_size = sizeof longer;
    WWT_OK(ww_context_create(&longer.known, &context));
    ww_context_destroy(&context);
    longer.unknown = 1;
    WWT_FAILS(ww_context_create(&longer.known, &context), WW_ERROR_UNSUPPORTED);
    // A shorter one has the defaults for what it lacks.
    longer.known.struct_size = sizeof(size_t);
    longer.known.device = "no such device";
    WWT_OK(ww_context_create(&longer.known, &context));
    ww_context_destroy(&context);
    longer.known.struct_size = 1;
    WWT_FAILS(ww_context_create(&longer.known, &context), WW_ERROR_INVALID_ARGUMENT);
    WWT_FAILS(ww_context_create(NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_context_destroy(NULL);
    ww_context_destroy(&context);
}
END_TEST

START_TEST(exchange_falls_back_quietly) {
    ww_context *context = NULL;
    static const char *const ways[] = {"local", "nv", "amd", "subgroup", "nonsense"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        ck_assert_int_eq(setenv("WAVEWARP_EXCHANGE", ways[i], 1), 0);
        context = open_context();
        if (i == 0)
            ck_assert_int_eq(wwi_context_exchange(context), WWI_EXCHANGE_LOCAL);
        ck_assert_int_eq(wwi_context_exchange(context) == WWI_EXCHANGE_LOCAL, wwi_context_exchange_width(context) == 1);
        ww_context_destroy(&context);
    }
}
END_TEST

// ---- buffers

START_TEST(buffers_round_trip) {
    enum { WORDS = 1000 };
    ww_context *context = open_context();
    wwi_buffer *a = NULL, *b = NULL;
    uint32_t in[WORDS], out[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i * 2654435761u;
    WWT_OK(wwi_buffer_create(context, sizeof in, &a));
    WWT_OK(wwi_buffer_create(context, sizeof in, &b));
    ck_assert_uint_eq(ww_context_bytes(context), 2 * sizeof in);
    ck_assert_uint_eq(wwi_buffer_bytes(a), sizeof in);
    WWT_OK(wwi_buffer_fill_u32(b, 0, sizeof in, 0xABCD1234u));
    WWT_OK(wwi_buffer_write(a, 0, sizeof in, in));
    WWT_OK(wwi_buffer_copy(a, 40, b, 80, 400));
    WWT_OK(wwi_buffer_write(b, 2, 2, in));
    WWT_OK(wwi_buffer_write(b, 0, 0, NULL));
    WWT_OK(wwi_buffer_read(b, 0, sizeof out, out));
    ck_assert_uint_eq(out[1], 0xABCD1234u);
    ck_assert_int_eq(memcmp(out + 20, in + 10, 400), 0);
    ck_assert_uint_eq(out[120], 0xABCD1234u);
    wwi_buffer_destroy(&a);
    wwi_buffer_destroy(&a);
    wwi_buffer_destroy(NULL);
    ck_assert_uint_eq(ww_context_bytes(context), sizeof in);
    ww_context_destroy(&context); // the buffer keeps it
    WWT_OK(wwi_buffer_read(b, 4, 4, out));
    ck_assert_uint_eq(out[0], 0xABCD1234u);
    wwi_buffer_destroy(&b);
}
END_TEST

static void take_bytes(void *user, uint64_t at, uint64_t bytes, const void *data) {
    memcpy((char *)user + at, data, (size_t)bytes);
}

// More pieces than threads, one thread and several; every byte arrives, and none behind the last.
START_TEST(fetches_arrive_whole) {
    const size_t sizes[] = {(size_t)(37 * WWI_FETCH_PIECE) + 5, 7};
    unsigned char *in = malloc(sizes[0]), *out = malloc(sizes[0] + 1), few[8];
    ck_assert(in && out);
    for (size_t i = 0; i < sizes[0]; i++)
        in[i] = (unsigned char)(i * 2654435761u >> 13);
    for (long threads = 1; threads <= 4; threads += 3) {
        ww_context *context = open_context();
        wwi_buffer *buffers[2] = {NULL, NULL};
        WWT_OK(wwi_tuning_try(context, "fetch.threads", NULL, threads));
        for (int i = 0; i < 2; i++) {
            WWT_OK(wwi_buffer_create(context, sizes[i], &buffers[i]));
            WWT_OK(wwi_buffer_write(buffers[i], 0, sizes[i], in));
        }
        const wwi_fetch_part parts[] = {{buffers[0], sizes[0], take_bytes, out, 0},
                                        {buffers[1], sizes[1], take_bytes, few, 0}};
        const wwi_fetch_part beyond = {buffers[1], sizes[1] + 1, take_bytes, few, 0};
        for (int again = 0; again < 2; again++) {
            memset(out, 0xA5, sizes[0] + 1);
            memset(few, 0xA5, sizeof few);
            WWT_OK(wwi_fetch(parts, 2));
            ck_assert_int_eq(memcmp(out, in, sizes[0]), 0);
            ck_assert_int_eq(memcmp(few, in, sizes[1]), 0);
            ck_assert_uint_eq(out[sizes[0]], 0xA5);
            ck_assert_uint_eq(few[7], 0xA5);
        }
        const wwi_fetch_part middle = {buffers[0], WWI_FETCH_PIECE + 9, take_bytes, out, 12345},
                             behind = {buffers[1], 2, take_bytes, few, sizes[1] - 1};
        WWT_OK(wwi_fetch(&middle, 1));
        ck_assert_int_eq(memcmp(out, in + 12345, (size_t)middle.bytes), 0);
        WWT_OK(wwi_fetch(parts, 0));
        WWT_FAILS(wwi_fetch(&beyond, 1), WW_ERROR_INTERNAL);
        WWT_FAILS(wwi_fetch(&behind, 1), WW_ERROR_INTERNAL);
        wwi_buffer_destroy(&buffers[0]);
        wwi_buffer_destroy(&buffers[1]);
        ww_context_destroy(&context);
    }
    free(in);
    free(out);
}
END_TEST

// From any word on, also where a row goes beyond the next multiple of the stride.
START_TEST(rows_are_copied_apart) {
    enum { WORDS = 60, ROWS = 5, MOST = 9 };
    ww_context *context = open_context();
    wwi_buffer *from = NULL, *to = NULL;
    uint32_t in[WORDS], out[WORDS];
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i + 1;
    WWT_OK(wwi_buffer_create(context, sizeof in, &from));
    WWT_OK(wwi_buffer_create(context, sizeof out, &to));
    WWT_OK(wwi_buffer_write(from, 0, sizeof in, in));
    for (uint32_t stride = 1; stride <= MOST; stride++)
        for (uint32_t words = 1; words <= stride; words += 1 + stride / 4)
            for (uint32_t rows = 1; rows <= ROWS; rows += 2)
                for (uint32_t at = 0; at + (rows - 1) * stride + words <= WORDS; at += 1 + at / 4) {
                    WWT_OK(wwi_buffer_fill_u32(to, 0, sizeof out, 0));
                    WWT_OK(wwi_buffer_copy_rows(from, to, at * 4, words * 4, rows, stride * 4));
                    WWT_OK(wwi_buffer_read(to, 0, sizeof out, out));
                    for (uint32_t i = 0; i < WORDS; i++) {
                        const uint32_t row = i < at ? ROWS : (i - at) / stride, k = i < at ? 0 : (i - at) % stride;
                        ck_assert_uint_eq(out[i], row < rows && k < words ? in[row * words + k] : 0);
                    }
                }
    WWT_FAILS(wwi_buffer_copy_rows(from, to, 4, 8, WORDS / 2, 8), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_buffer_copy_rows(from, to, 0, 4, 3, WORDS * 2), WW_ERROR_INTERNAL);
    wwi_buffer_destroy(&from);
    wwi_buffer_destroy(&to);
    ww_context_destroy(&context);
}
END_TEST

START_TEST(buffers_stay_in_bounds) {
    ww_context *context = open_context();
    wwi_buffer *buffer = NULL, *other = NULL;
    uint32_t word = 0;
    WWT_OK(wwi_buffer_create(context, 64, &buffer));
    WWT_OK(wwi_buffer_create(context, 8, &other));
    WWT_FAILS(wwi_buffer_write(buffer, 61, 4, &word), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_buffer_read(buffer, 65, 0, &word), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_buffer_read(buffer, UINT64_MAX, 4, &word), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_buffer_read(buffer, 4, UINT64_MAX, &word), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_buffer_fill_u32(buffer, 0, 65, 0), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_buffer_fill_u32(buffer, 2, 4, 0), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_buffer_copy(buffer, 0, other, 4, 8), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_buffer_copy(other, 4, buffer, 0, 8), WW_ERROR_INTERNAL);
    wwi_buffer_destroy(&other);
    WWT_FAILS(wwi_buffer_create(context, 0, &other), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_buffer_create(context, wwi_context_max_buffer(context) + 1, &other), WW_ERROR_DEVICE_MEMORY);
    WWT_FAILS(wwi_buffer_create(context, UINT64_MAX, &other), WW_ERROR_DEVICE_MEMORY);
    ck_assert_ptr_null(other);
    ck_assert_str_eq(ww_last_error()->device, wwi_context_info(context)->name);
    ck_assert_uint_le(wwi_context_bytes_free(context), wwi_context_info(context)->global_bytes);
    wwi_buffer_destroy(&buffer);
    ww_context_destroy(&context);
}
END_TEST

// ---- launches

START_TEST(launches_compute) {
    ww_context *context = open_context();
    wwi_program *program = get_program(context, "");
    ck_assert_uint_eq(turn_and_check(program, 1), 1);
    ck_assert_uint_eq(turn_and_check(program, 2), 2);
    ww_context_destroy(&context); // the program keeps it
    ck_assert_uint_eq(turn_and_check(program, 3), 3);
    wwi_program_release(&program);
    wwi_program_release(&program);
}
END_TEST

START_TEST(launches_are_bounded_and_timed) {
    ww_context *context = open_context();
    wwi_program *program = get_program(context, "");
    ck_assert_uint_eq(turn_and_check(program, 1), 1);
    const long before = wwi_live_objects(); // context, queue, program; of a GPU memory of the host too
    ck_assert_int_le(before, 4);
    ck_assert_uint_eq(turn_and_check(program, 3 * WWI_PENDING_EVENTS), 3 * WWI_PENDING_EVENTS);
    ck_assert_int_eq(wwi_live_objects(), before);
    wwi_program_release(&program);
    ww_context_destroy(&context);
}
END_TEST

START_TEST(launches_are_checked_first) {
    ww_context *context = open_context();
    wwi_program *program = get_program(context, "");
    wwi_kernel *kernel = NULL, *fixed = NULL;
    wwi_stream *stream = NULL;
    uint32_t more = 0;
    WWT_OK(wwi_stream_create(context, &stream));
    WWT_OK(wwi_kernel_create(stream, program, "turn", &kernel));
    WWT_OK(wwi_kernel_create(stream, program, "fixed", &fixed));
    wwi_arg args[] = {WWI_BUFFER(NULL), WWI_VALUE(more), WWI_LOCAL(64)};
    uint64_t most = wwi_kernel_max_work_group(kernel);
    WWT_FAILS(wwi_launch(kernel, 0, 16, args, 3), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_launch(kernel, 1, 0, args, 3), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_launch(kernel, 1, 16, args, 2), WW_ERROR_INTERNAL);
    WWT_FAILS(wwi_launch(kernel, 1, most + 1, args, 3), WW_ERROR_UNSUPPORTED);
    WWT_FAILS(wwi_launch(kernel, UINT64_MAX, 16, args, 3), WW_ERROR_OVERFLOW);
    WWT_FAILS(wwi_launch(fixed, 1, 16, args, 1), WW_ERROR_INTERNAL);
    args[2].bytes = (size_t)wwi_context_info(context)->local_bytes + 1;
    WWT_FAILS(wwi_launch(kernel, 1, 16, args, 3), WW_ERROR_UNSUPPORTED);
    args[2].bytes = SIZE_MAX;
    ck_assert_int_ne(wwi_launch(kernel, 1, 16, args, 3), WW_OK);
    ck_assert_uint_eq(wwi_stream_launches(stream), 0);
    wwi_kernel_destroy(&kernel);
    WWT_FAILS(wwi_kernel_create(stream, program, "no_such_kernel", &kernel), WW_ERROR_OPENCL);
    ck_assert_str_eq(ww_last_error()->cl_name, "CL_INVALID_KERNEL_NAME");
    wwi_kernel_destroy(&fixed);
    wwi_stream_destroy(&stream);
    wwi_program_release(&program);
    ww_context_destroy(&context);
}
END_TEST

// ---- the caller's own objects

START_TEST(wrapped_objects_work) {
    ww_context *owner = open_context(), *guest = NULL;
    cl_context cl = NULL;
    cl_device_id device = NULL;
    cl_command_queue queue = NULL;
    if (wwi_context_is_cuda(owner)) {
        ww_context_destroy(&owner);
        return; // it has none for others
    }
    WWT_OK(ww_context_get_opencl(owner, &cl, &device, &queue));
    WWT_OK(ww_context_wrap(cl, device, queue, NULL, &guest));
    ww_context_destroy(&owner);
    wwi_program *program = get_program(guest, "");
    turn_and_check(program, 5);
    wwi_program_release(&program);

    cl_int code = CL_SUCCESS;
    uint32_t word = 17;
    wwi_buffer *buffer = NULL;
    cl_mem mem = clCreateBuffer(cl, CL_MEM_COPY_HOST_PTR, sizeof word, &word, &code);
    ck_assert_ptr_nonnull(mem);
    WWT_OK(wwi_buffer_wrap(guest, mem, &buffer));
    ck_assert_int_eq(clReleaseMemObject(mem), CL_SUCCESS); // the buffer keeps it
    word = 0;
    WWT_OK(wwi_buffer_read(buffer, 0, sizeof word, &word));
    ck_assert_uint_eq(word, 17);
    ck_assert_uint_eq(ww_context_bytes(guest), 0);
    wwi_buffer_destroy(&buffer);
    WWT_FAILS(wwi_buffer_wrap(guest, NULL, &buffer), WW_ERROR_INVALID_ARGUMENT);
    ww_context_destroy(&guest);
}
END_TEST

START_TEST(wrapped_objects_must_belong_together) {
    ww_context *a = open_context(), *b = open_context(), *guest = NULL;
    cl_context cl_a = NULL, cl_b = NULL;
    cl_device_id device = NULL;
    cl_command_queue queue = NULL;
    cl_int code = CL_SUCCESS;
    if (wwi_context_is_cuda(a)) {
        ww_context_destroy(&a);
        ww_context_destroy(&b);
        return; // it has none for others
    }
    WWT_OK(ww_context_get_opencl(a, &cl_a, &device, &queue));
    WWT_OK(ww_context_get_opencl(b, &cl_b, NULL, NULL));
    WWT_FAILS(ww_context_wrap(cl_b, device, queue, NULL, &guest), WW_ERROR_INVALID_ARGUMENT);
    WWT_FAILS(ww_context_wrap(NULL, device, queue, NULL, &guest), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(guest);
    cl_command_queue unordered = clCreateCommandQueue(cl_a, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (unordered) { // not every device has such queues
        WWT_FAILS(ww_context_wrap(cl_a, device, unordered, NULL, &guest), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_int_eq(clReleaseCommandQueue(unordered), CL_SUCCESS);
    }
    ww_context_destroy(&a);
    ww_context_destroy(&b);
}
END_TEST

// A half of the device, on a context of its own and on one of the whole device.
START_TEST(sub_devices_work) {
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    ww_context *owner = open_context(), *guest = NULL;
    cl_context cl = NULL;
    cl_device_id device = NULL, part[64];
    cl_uint parts = 0;
    cl_int code = CL_SUCCESS;
    if (wwi_context_is_cuda(owner)) {
        ww_context_destroy(&owner);
        return; // it has none for others
    }
    WWT_OK(ww_context_get_opencl(owner, &cl, &device, NULL));
    if (clCreateSubDevices(device, halves, 64, part, &parts) != CL_SUCCESS)
        parts = 0; // GPUs mostly can't be divided
    for (int whole = 0; parts && whole < 2; whole++) {
        cl_context context = whole ? cl : clCreateContext(NULL, 1, part, NULL, NULL, &code);
        ck_assert_ptr_nonnull(context);
        cl_command_queue queue = clCreateCommandQueue(context, part[0], CL_QUEUE_PROFILING_ENABLE, &code);
        ck_assert_ptr_nonnull(queue);
        WWT_OK(ww_context_wrap(context, part[0], queue, NULL, &guest));
        wwi_program *program = get_program(guest, "");
        turn_and_check(program, 3);
        wwi_program_release(&program);
        WWT_OK(ww_context_self_test(guest));
        ww_context_destroy(&guest);
        ck_assert_int_eq(clReleaseCommandQueue(queue), CL_SUCCESS);
        if (!whole)
            ck_assert_int_eq(clReleaseContext(context), CL_SUCCESS);
    }
    for (cl_uint i = 0; i < parts; i++)
        ck_assert_int_eq(clReleaseDevice(part[i]), CL_SUCCESS);
    ww_context_destroy(&owner);
}
END_TEST

// A context on fewer threads than a CPU has; of other devices, and of the caller's own, it is refused.
START_TEST(threads_of_a_cpu) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *owner = open_context(), *part = NULL;
    const ww_device_info info = *wwi_context_info(owner);
    options.threads = 1;
    if (info.type != WW_DEVICE_CPU) {
        WWT_FAILS(ww_context_create(&options, &part), WW_ERROR_UNSUPPORTED);
        ww_context_destroy(&owner);
        return;
    }
    const unsigned units = (unsigned)info.compute_units, counts[] = {1, units, units + 1};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        options.threads = counts[i];
        WWT_OK(ww_context_create(&options, &part));
        ck_assert_uint_eq(wwi_context_info(part)->compute_units, i ? units : 1);
        ck_assert_str_eq(wwi_context_info(part)->name, info.name);
        WWT_OK(ww_context_self_test(part));
        ww_context_destroy(&part);
    }
    cl_context cl = NULL;
    cl_device_id device = NULL;
    cl_command_queue queue = NULL;
    WWT_OK(ww_context_get_opencl(owner, &cl, &device, &queue));
    options.threads = 1;
    WWT_FAILS(ww_context_wrap(cl, device, queue, &options, &part), WW_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(part);
    ww_context_destroy(&owner);
}
END_TEST

int main(void) {
    const TTest *const tests[] = {devices_are_listed,
                                  device_by_any_of_its_names,
                                  unknown_device_lists_the_known,
                                  options_may_grow,
                                  exchange_falls_back_quietly,
                                  buffers_round_trip,
                                  fetches_arrive_whole,
                                  rows_are_copied_apart,
                                  buffers_stay_in_bounds,
                                  launches_compute,
                                  launches_are_bounded_and_timed,
                                  launches_are_checked_first,
                                  wrapped_objects_work,
                                  wrapped_objects_must_belong_together,
                                  sub_devices_work,
                                  threads_of_a_cpu};
    return run_on_device("host_device", tests, sizeof tests / sizeof *tests);
}
