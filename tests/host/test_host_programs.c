// SPDX-License-Identifier: Apache-2.0
// The programs of the host layer: shared, dropped, told of, built by several threads; where their texts are; the disk
// cache.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "host_device.h"

enum { THREADS = 4 };

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

// Every folder of kernels has them.
static void put_option_names(void) {
    char *base = wwi_path_join(folder, "base");
    WWT_OK(wwi_make_folders(base, 0700));
    free(base);
    put_file("base/option_names.h", "");
}

START_TEST(kernel_folder_wins) {
    const wwi_source source = {"base/vendor.cl", NULL}, absent = {"absent.cl", NULL};
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    wwi_program *program = NULL;
    wwi_stream *stream = NULL;
    wwi_kernel *kernel = NULL;
    put_option_names();
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
    put_option_names();
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

// A file that has not changed is kept; one that was written just now, whose times may not tell the next change, is not.
START_TEST(a_kernel_file_is_read_once) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    const char *first, *second;
    char *own = NULL;
    options.kernel_dir = folder;
    put_option_names();
    put_file("k.cl", "one");
    WWT_OK(ww_context_create(&options, &context));
    WWT_OK(wwi_kernel_text_read(context, "k.cl", &first, &own));
    ck_assert_str_eq(first, "one");
    ck_assert_ptr_eq(first, own);
    free(own);
    own = NULL;
    ck_assert_int_eq(sleep(4), 0);
    WWT_OK(wwi_kernel_text_read(context, "k.cl", &first, &own));
    ck_assert_str_eq(first, "one");
    ck_assert_ptr_null(own);
    WWT_OK(wwi_kernel_text_read(context, "k.cl", &second, &own));
    ck_assert_ptr_eq(first, second);
    put_file("k.cl", "two");
    WWT_OK(wwi_kernel_text_read(context, "k.cl", &second, &own));
    ck_assert_str_eq(second, "two");
    ck_assert_str_eq(first, "one"); // until the context's end
    free(own);
    own = NULL;
    WWT_FAILS(wwi_kernel_text_read(context, "none.cl", &second, &own), WW_ERROR_KERNEL_SOURCE);
    ck_assert_ptr_null(own);
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
    const TTest *const tests[] = {programs_are_shared,
                                  idle_programs_are_dropped,
                                  build_failure_keeps_the_log,
                                  kernel_folder_wins,
                                  kernel_folder_must_exist,
                                  a_changed_kernel_file_is_seen,
                                  a_kernel_file_is_read_once,
                                  bad_tuning_file_stops_the_context,
                                  compiles_are_told,
                                  threads_share_a_context,
                                  disk_cache_serves_and_survives_damage,
                                  disk_cache_forgets_what_is_not_used};
    return run_on_device("host_programs", tests, sizeof tests / sizeof *tests);
}
