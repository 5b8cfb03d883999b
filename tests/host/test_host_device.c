// SPDX-License-Identifier: Apache-2.0
// The host layer on the available device. Every case ends with no OpenCL object alive.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <wavewarp/opencl.h>

#include "host_main.h"
#include "internal.h"

static const char reverse_text[] = "__kernel void turn(__global uint *a, uint more, __local uint *t) {\n"
                                   "    t[get_local_id(0)] = a[get_global_id(0)];\n"
                                   "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                   "    a[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)] + more;\n"
                                   "}\n"
                                   "__kernel __attribute__((reqd_work_group_size(32, 1, 1)))\n"
                                   "void fixed(__global uint *a) { a[get_global_id(0)] += 1; }\n";

enum { THREADS = 4 };
static int at_once = 1; // threads that launch

static char folder[] = "/tmp/wavewarp-test-XXXXXX";
static atomic_int compiled, cached;

static void listen(void *user, int level, const char *text) {
    (void)user, (void)level;
    if (strncmp(text, "compiled", 8) == 0)
        atomic_fetch_add(&compiled, 1);
    if (strstr(text, "disk cache"))
        atomic_fetch_add(&cached, 1);
}

static ww_context *open_context(void) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    options.log = listen;
    WWT_OK(ww_context_create(&options, &context));
    return context;
}

static void begin(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void end(void) {
    char command[128];
    ck_assert_int_eq(wwi_live_objects(), 0);
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
}

static bool is_platform(const char *name) {
    ww_context *context = open_context();
    bool is = wwi_text_contains(wwi_context_info(context)->platform, name);
    ww_context_destroy(&context);
    return is;
}

static void put_file(const char *name, const char *text) {
    char *path = wwi_path_join(folder, name);
    WWT_OK(wwi_file_replace(path, text, strlen(text)));
    free(path);
}

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
    ww_context_destroy(&context);
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
        const wwi_fetch_part parts[] = {{buffers[0], sizes[0], take_bytes, out},
                                        {buffers[1], sizes[1], take_bytes, few}};
        const wwi_fetch_part beyond = {buffers[1], sizes[1] + 1, take_bytes, few};
        for (int again = 0; again < 2; again++) {
            memset(out, 0xA5, sizes[0] + 1);
            memset(few, 0xA5, sizeof few);
            WWT_OK(wwi_fetch(parts, 2));
            ck_assert_int_eq(memcmp(out, in, sizes[0]), 0);
            ck_assert_int_eq(memcmp(few, in, sizes[1]), 0);
            ck_assert_uint_eq(out[sizes[0]], 0xA5);
            ck_assert_uint_eq(few[7], 0xA5);
        }
        WWT_OK(wwi_fetch(parts, 0));
        WWT_FAILS(wwi_fetch(&beyond, 1), WW_ERROR_INTERNAL);
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

// ---- programs and launches

static wwi_program *get_program(ww_context *context, const char *options) {
    const wwi_source source = {"turn.cl", reverse_text};
    wwi_program *program = NULL;
    WWT_OK(wwi_program_get(context, &source, 1, options, &program));
    return program;
}

// The number of launches that the stream counts.
static uint64_t turn_and_check(wwi_program *program, int times) {
    enum { WORDS = 64 };
    ww_context *context = program->context;
    wwi_stream *stream = NULL;
    wwi_kernel *kernel = NULL;
    wwi_buffer *buffer = NULL;
    uint32_t words[WORDS], more = 3;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i;
    WWT_OK(wwi_stream_create(context, &stream));
    WWT_OK(wwi_kernel_create(stream, program, "turn", &kernel));
    WWT_OK(wwi_buffer_create(context, sizeof words, &buffer));
    WWT_OK(wwi_buffer_write(buffer, 0, sizeof words, words));
    const wwi_arg args[] = {WWI_BUFFER(buffer), WWI_VALUE(more), WWI_LOCAL(16 * sizeof(uint32_t))};
    for (int i = 0; i < times; i++)
        WWT_OK(wwi_launch(kernel, WORDS / 16, 16, args, 3));
    WWT_OK(wwi_buffer_read(buffer, 0, sizeof words, words));
    for (uint32_t i = 0; i < WORDS; i++)
        ck_assert_uint_eq(words[i], (times % 2 ? i / 16 * 16 + 15 - i % 16 : i) + more * (uint32_t)times);
    ck_assert_int_le(wwi_live_objects(), 2 + at_once * (WWI_PENDING_EVENTS + 3));
    const uint64_t launches = wwi_stream_launches(stream);
    WWT_OK(wwi_finish(stream));
    ck_assert(wwi_stream_seconds(stream) > 0);
    wwi_stream_start(stream);
    ck_assert(wwi_stream_seconds(stream) == 0 && wwi_stream_launches(stream) == 0);
    wwi_buffer_destroy(&buffer);
    wwi_kernel_destroy(&kernel);
    wwi_stream_destroy(&stream);
    return launches;
}

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
    ck_assert_uint_eq(turn_and_check(program, 3 * WWI_PENDING_EVENTS), 3 * WWI_PENDING_EVENTS);
    ck_assert_int_eq(wwi_live_objects(), 3); // context, queue, program
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

START_TEST(programs_are_shared) {
    ww_context *context = open_context();
    atomic_store(&compiled, 0);
    wwi_program *a = get_program(context, "-DX=1"), *b = get_program(context, "-DX=1"),
                *c = get_program(context, "-DX=2");
    ck_assert_ptr_eq(a, b);
    ck_assert_ptr_ne(a, c);
    wwi_program_release(&a);
    wwi_program_release(&b);
    b = get_program(context, "-DX=1"); // kept, though nobody held it
    ck_assert_int_eq(atomic_load(&compiled), 2);
    wwi_program_release(&b);
    wwi_program_release(&c);
    ww_context_destroy(&context);
}
END_TEST

START_TEST(idle_programs_are_dropped) {
    enum { PROGRAMS = WWI_IDLE_PROGRAMS + 10 };
    ww_context *context = open_context();
    for (int i = 0; i < PROGRAMS; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "__kernel void k%d(void) {}", i);
        const wwi_source source = {"k.cl", text};
        wwi_program *program = NULL;
        WWT_OK(wwi_program_get(context, &source, 1, NULL, &program));
        wwi_program_release(&program);
    }
    ck_assert_int_le(wwi_live_objects(), WWI_IDLE_PROGRAMS + 1 + 2);
    ww_context_destroy(&context);
}
END_TEST

START_TEST(build_failure_keeps_the_log) {
    ww_context *context = open_context();
    char text[8192] = "__kernel void f(__global int *a) {\n";
    for (int i = 0; i < 15; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "    a[0] = missing_name_number_%d;\n", i);
    strcat(text, "}\n");
    const wwi_source sources[] = {{"base/vendor.cl", NULL}, {"user's \"text\"\n", text}};
    wwi_program *program = NULL;
    WWT_FAILS(wwi_program_get(context, sources, 2, "-DY=1", &program), WW_ERROR_BUILD);
    ck_assert_ptr_null(program);
    ck_assert_uint_gt(strlen(ww_last_build_log()), sizeof ww_last_error()->message);
    ck_assert_ptr_nonnull(strstr(ww_last_build_log(), "missing_name_number_0"));
    ck_assert_ptr_nonnull(strstr(ww_last_build_log(), "missing_name_number_14"));
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "error"));
    ck_assert_str_eq(ww_last_error()->device, wwi_context_info(context)->name);
    program = get_program(context, ""); // the context is none the worse
    turn_and_check(program, 1);
    wwi_program_release(&program);
    ww_context_destroy(&context);
}
END_TEST

// ---- where the kernels are

START_TEST(kernel_folder_wins) {
    const wwi_source source = {"base/vendor.cl", NULL}, absent = {"absent.cl", NULL};
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    wwi_program *program = NULL;
    wwi_stream *stream = NULL;
    wwi_kernel *kernel = NULL;
    char *base = wwi_path_join(folder, "base");
    WWT_OK(wwi_make_folders(base, 0700));
    free(base);
    put_file("base/vendor.cl", "__kernel void only_here(void) {}");
    options.kernel_dir = folder;
    for (int by_environment = 0; by_environment < 2; by_environment++) {
        WWT_OK(ww_context_create(by_environment ? NULL : &options, &context));
        ck_assert_str_eq(ww_context_kernel_source(context), folder);
        WWT_OK(wwi_program_get(context, &source, 1, "", &program));
        WWT_OK(wwi_stream_create(context, &stream));
        WWT_OK(wwi_kernel_create(stream, program, "only_here", &kernel));
        wwi_kernel_destroy(&kernel);
        wwi_stream_destroy(&stream);
        wwi_program_release(&program);
        WWT_FAILS(wwi_program_get(context, &absent, 1, "", &program), WW_ERROR_KERNEL_SOURCE);
        ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "absent.cl"));
        ww_context_destroy(&context);
        ck_assert_int_eq(setenv("WAVEWARP_KERNEL_DIR", folder, 1), 0);
    }
}
END_TEST

START_TEST(kernel_folder_must_exist) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    options.kernel_dir = "/no/such/folder";
    WWT_FAILS(ww_context_create(&options, &context), WW_ERROR_KERNEL_SOURCE);
    ck_assert_ptr_null(context);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "/no/such/folder"));
    ck_assert_int_eq(setenv("WAVEWARP_KERNEL_DIR", "/dev/null", 1), 0);
    WWT_FAILS(ww_context_create(NULL, &context), WW_ERROR_KERNEL_SOURCE);
}
END_TEST

START_TEST(a_changed_kernel_file_is_seen) {
    const wwi_source source = {"k.cl", NULL};
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    wwi_program *first = NULL, *second = NULL;
    options.kernel_dir = folder;
    put_file("k.cl", "__kernel void one(void) {}");
    WWT_OK(ww_context_create(&options, &context));
    WWT_OK(wwi_program_get(context, &source, 1, "", &first));
    put_file("k.cl", "__kernel void two(void) {}");
    WWT_OK(wwi_program_get(context, &source, 1, "", &second));
    ck_assert_ptr_ne(first, second);
    wwi_program_release(&first);
    wwi_program_release(&second);
    ww_context_destroy(&context);
}
END_TEST

typedef struct teller {
    int calls, stop_at; // 0: never
} teller;

static int told(void *user, uint64_t done, uint64_t total) {
    teller *t = user;
    ck_assert_uint_eq(done, 0);
    ck_assert_uint_eq(total, 1);
    return ++t->calls == t->stop_at;
}

// A compile is told before and after, and may be stopped at both; a program that is there is not told.
START_TEST(compiles_are_told) {
    static const wwi_source source = {"k.cl", "__kernel void one(void) {}"};
    const struct {
        const char *options;
        int stop_at, calls;
        ww_status status;
    } cases[] = {
        {"-DTOLD=1", 0, 2, WW_OK},
        {"-DTOLD=1", 1, 0, WW_OK},
        {"-DTOLD=2", 1, 1, WW_ERROR_CANCELLED},
        {"-DTOLD=2", 0, 2, WW_OK},
        {"-DTOLD=3", 2, 2, WW_ERROR_CANCELLED},
        {"-DTOLD=3", 1, 0, WW_OK}, // it was compiled
    };
    ww_context *context = open_context();
    wwi_stream *stream = NULL;
    WWT_OK(wwi_stream_create(context, &stream));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        teller t = {0, cases[i].stop_at};
        wwi_program *program = NULL;
        wwi_stream_watch(stream, told, &t);
        ck_assert_int_eq(wwi_stream_program(stream, context, &source, 1, cases[i].options, &program), cases[i].status);
        ck_assert_int_eq(t.calls, cases[i].calls);
        ck_assert_int_eq(program != NULL, cases[i].status == WW_OK);
        wwi_program_release(&program);
    }
    wwi_stream_destroy(&stream);
    ww_context_destroy(&context);
}
END_TEST

START_TEST(bad_tuning_file_stops_the_context) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    char *path = wwi_path_join(folder, "tuning.txt");
    options.tuning_file = path;
    put_file("tuning.txt", "default lanes.values 12\n");
    WWT_OK(ww_context_create(&options, &context));
    ck_assert_int_eq(wwi_tuning(context, "lanes.values", "f32", 0), 12);
    ww_context_destroy(&context);
    put_file("tuning.txt", "# mine\ndefault lanes.valeus 12\n");
    WWT_FAILS(ww_context_create(&options, &context), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "tuning.txt:2:"));
    ck_assert_ptr_nonnull(strstr(ww_last_error()->hint, "lanes.values"));
    put_file("tuning.txt", "default some.name twelve\n");
    WWT_FAILS(ww_context_create(&options, &context), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "tuning.txt:1:"));
    free(path);
}
END_TEST

// ---- threads

static void *build_and_turn(void *argument) {
    wwi_program *program = get_program(argument, "-DTHREADS=1");
    ck_assert_uint_eq(turn_and_check(program, 50), 50);
    wwi_program_release(&program);
    return NULL;
}

static void *build_wrongly(void *argument) {
    const wwi_source source = {"bad.cl", "__kernel void bad(void) { no_such_thing; }"};
    wwi_program *program = NULL;
    WWT_FAILS(wwi_program_get(argument, &source, 1, "", &program), WW_ERROR_BUILD);
    ck_assert_ptr_nonnull(strstr(ww_last_build_log(), "no_such_thing"));
    return NULL;
}

static void in_threads(void *(*work)(void *), ww_context *context) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, work, context), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

START_TEST(threads_share_a_context) {
    if (is_platform("Oclgrind")) // takes one host thread only
        return;
    ww_context *context = open_context();
    atomic_store(&compiled, 0);
    at_once = THREADS;
    in_threads(build_and_turn, context);
    ck_assert_int_eq(atomic_load(&compiled), 1);
    in_threads(build_wrongly, context);
    ck_assert_uint_eq(ww_context_bytes(context), 0);
    ww_context_destroy(&context);
}
END_TEST

// ---- the caller's own objects

START_TEST(wrapped_objects_work) {
    ww_context *owner = open_context(), *guest = NULL;
    cl_context cl = NULL;
    cl_device_id device = NULL;
    cl_command_queue queue = NULL;
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

// ---- the disk cache

static char *only_cached_file(void) {
    char *programs = wwi_path_join(folder, "wavewarp/programs"), *path = NULL;
    DIR *entries = opendir(programs);
    ck_assert_ptr_nonnull(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        if (entry->d_name[0] != '.') {
            ck_assert_ptr_null(path);
            path = wwi_path_join(programs, entry->d_name);
        }
    (void)closedir(entries);
    free(programs);
    return path;
}

static void use_cache(int expect_cached) {
    atomic_store(&cached, 0);
    ww_context *context = open_context();
    wwi_program *program = get_program(context, "");
    turn_and_check(program, 1);
    ck_assert_int_eq(atomic_load(&cached), expect_cached);
    wwi_program_release(&program);
    ww_context_destroy(&context);
}

START_TEST(disk_cache_serves_and_survives_damage) {
    struct stat about;
    ck_assert_int_eq(setenv("XDG_CACHE_HOME", folder, 1), 0);
    ck_assert_int_eq(setenv("WAVEWARP_PROGRAM_CACHE", "1", 1), 0);
    ck_assert_int_eq(setenv("WAVEWARP_EXCHANGE", "local", 1), 0);
    use_cache(0);
    char *path = only_cached_file(), *text = NULL;
    size_t bytes = 0;
    ck_assert_ptr_nonnull(path);
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_eq(about.st_mode & 0777, 0600);
    use_cache(1);

    WWT_OK(wwi_file_read(path, WW_ERROR_IO, &text, &bytes));
    for (int way = 0; way < 4; way++) { // one bit in the middle, one in the head, cut short, empty
        char *damaged = malloc(bytes);
        memcpy(damaged, text, bytes);
        damaged[way == 0 ? bytes / 2 : 10] ^= 1;
        WWT_OK(wwi_file_replace(path, damaged, way < 2 ? bytes : way == 2 ? bytes / 2 : 0));
        free(damaged);
        use_cache(0);
        use_cache(1);
    }
    ck_assert_int_eq(chmod(path, 0666), 0); // anyone could have written it
    use_cache(0);
    ck_assert_int_eq(chmod(folder, 0777), 0); // anyone could have put another folder there
    use_cache(0);
    use_cache(0);
    ck_assert_int_eq(chmod(folder, 0700), 0);
    use_cache(1);
    free(text);
    free(path);
    ck_assert_int_eq(setenv("XDG_CACHE_HOME", "/proc/no/such", 1), 0);
    (void)wwi_fail(WW_ERROR_EMPTY, "what failed last");
    use_cache(0);
    ck_assert_int_eq(ww_last_error()->status, WW_ERROR_EMPTY); // nothing that was asked for failed
}
END_TEST

// A use keeps a program; one that nobody used for long goes when another is stored.
START_TEST(disk_cache_forgets_what_is_not_used) {
    struct stat about;
    const time_t now = time(NULL);
    const struct timespec month[2] = {{now - 30 * 86400, 0}, {now - 30 * 86400, 0}};
    ck_assert_int_eq(setenv("XDG_CACHE_HOME", folder, 1), 0);
    ck_assert_int_eq(setenv("WAVEWARP_PROGRAM_CACHE", "1", 1), 0);
    ck_assert_int_eq(setenv("WAVEWARP_EXCHANGE", "local", 1), 0);
    use_cache(0);
    char *path = only_cached_file();
    ck_assert_int_eq(utimensat(AT_FDCWD, path, month, 0), 0);
    use_cache(1);
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_ge(about.st_mtime, now);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, month, 0), 0);
    for (int days = 0; days < 2; days++) {
        ck_assert_int_eq(setenv("WAVEWARP_PROGRAM_CACHE_DAYS", days ? "29" : "-7", 1), 0); // -7: the standard, 90
        ww_context *context = open_context();
        wwi_program *program = get_program(context, days ? "-DOTHER=1" : "-DOTHER=0");
        wwi_program_release(&program);
        ww_context_destroy(&context);
        ck_assert_int_eq(stat(path, &about) == 0, !days);
    }
    free(path);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("host_device");
    TCase *tcase = tcase_create("device");
    tcase_set_timeout(tcase, 1200); // for what hangs, not for what is slow
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, devices_are_listed);
    tcase_add_test(tcase, device_by_any_of_its_names);
    tcase_add_test(tcase, unknown_device_lists_the_known);
    tcase_add_test(tcase, options_may_grow);
    tcase_add_test(tcase, exchange_falls_back_quietly);
    tcase_add_test(tcase, buffers_round_trip);
    tcase_add_test(tcase, fetches_arrive_whole);
    tcase_add_test(tcase, rows_are_copied_apart);
    tcase_add_test(tcase, buffers_stay_in_bounds);
    tcase_add_test(tcase, launches_compute);
    tcase_add_test(tcase, launches_are_bounded_and_timed);
    tcase_add_test(tcase, launches_are_checked_first);
    tcase_add_test(tcase, programs_are_shared);
    tcase_add_test(tcase, idle_programs_are_dropped);
    tcase_add_test(tcase, build_failure_keeps_the_log);
    tcase_add_test(tcase, kernel_folder_wins);
    tcase_add_test(tcase, kernel_folder_must_exist);
    tcase_add_test(tcase, a_changed_kernel_file_is_seen);
    tcase_add_test(tcase, bad_tuning_file_stops_the_context);
    tcase_add_test(tcase, compiles_are_told);
    tcase_add_test(tcase, threads_share_a_context);
    tcase_add_test(tcase, wrapped_objects_work);
    tcase_add_test(tcase, wrapped_objects_must_belong_together);
    tcase_add_test(tcase, sub_devices_work);
    tcase_add_test(tcase, disk_cache_serves_and_survives_damage);
    tcase_add_test(tcase, disk_cache_forgets_what_is_not_used);
    suite_add_tcase(suite, tcase);
    return wwt_run_host(suite, true);
}
