// SPDX-License-Identifier: Apache-2.0
// What the host layer's tests on a device share: contexts whose log is counted, a folder, a program that is checked.
#ifndef WAVEWARP_HOST_DEVICE_H
#define WAVEWARP_HOST_DEVICE_H

#include "host_main.h"
#include "internal.h"

static const char reverse_text[] = "__kernel void turn(__global uint *a, uint more, __local uint *t) {\n"
                                   "    t[get_local_id(0)] = a[get_global_id(0)];\n"
                                   "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                   "    a[get_global_id(0)] = t[get_local_size(0) - 1 - get_local_id(0)] + more;\n"
                                   "}\n"
                                   "__kernel __attribute__((reqd_work_group_size(32, 1, 1)))\n"
                                   "void fixed(__global uint *a) { a[get_global_id(0)] += 1; }\n";

static int at_once = 1; // threads that launch

static char folder[] = "/tmp/wavewarp-test-XXXXXX";
static atomic_int compiled, cached;

static inline void listen(void *user, int level, const char *text) {
    (void)user, (void)level;
    if (strncmp(text, "compiled", 8) == 0)
        atomic_fetch_add(&compiled, 1);
    if (strstr(text, "disk cache"))
        atomic_fetch_add(&cached, 1);
}

static inline ww_context *open_context(void) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    options.log = listen;
    WWT_OK(ww_context_create(&options, &context));
    return context;
}

static inline void begin(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static inline void end(void) {
    char command[128];
    ck_assert_int_eq(wwi_live_objects(), 0);
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
}

static inline bool is_platform(const char *name) {
    ww_context *context = open_context();
    bool is = wwi_text_contains(wwi_context_info(context)->platform, name);
    ww_context_destroy(&context);
    return is;
}

static inline void put_file(const char *name, const char *text) {
    char *path = wwi_path_join(folder, name);
    WWT_OK(wwi_file_replace(path, text, strlen(text)));
    free(path);
}

static inline wwi_program *get_program(ww_context *context, const char *options) {
    const wwi_source source = {"turn.cl", reverse_text};
    wwi_program *program = NULL;
    WWT_OK(wwi_program_get(context, &source, 1, options, &program));
    return program;
}

// The number of launches that the stream counts.
static inline uint64_t turn_and_check(wwi_program *program, int times) {
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

// A suite of one case whose tests begin and end with no object alive.
static inline int run_on_device(const char *name, const TTest *const *tests, size_t count) {
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create("device");
    tcase_set_timeout(tcase, 1200); // for what hangs, not for what is slow
    tcase_add_checked_fixture(tcase, begin, end);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return wwt_run_host(suite, true);
}

#endif
