// SPDX-License-Identifier: Apache-2.0
// The parts of the host layer that need no device: error records, files, sums, tuning text.
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <wavewarp/file.h>

#include "host_main.h"
#include "internal.h"
#include "tuning_table.h"

static char folder[] = "/tmp/wavewarp-test-XXXXXX";

static char *path_of(const char *name) {
    char *path = wwi_path_join(folder, name);
    ck_assert_ptr_nonnull(path);
    return path;
}

static void make_folder(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void) {
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
}

// ---- error records

START_TEST(record_holds_what_was_said) {
    ck_assert_int_eq(wwi_fail(WW_ERROR_NOT_FINITE, "value %d", 7), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(wwi_fail_where(3, 4), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(wwi_fail_hint("do %s", "this"), WW_ERROR_NOT_FINITE);
    const ww_error *error = ww_last_error();
    ck_assert_str_eq(error->message, "value 7");
    ck_assert_str_eq(error->hint, "do this");
    ck_assert_str_eq(error->file, "test_host_text.c");
    ck_assert_int_eq(error->series, 3);
    ck_assert_int_eq(error->position, 4);
    wwi_fail(WW_ERROR_IO, "another");
    ck_assert_str_eq(error->hint, "");
    ck_assert_int_eq(error->series, -1);
}
END_TEST

START_TEST(record_cuts_at_whole_characters) {
    char text[1024] = "";
    for (int i = 0; i < 300; i++)
        strcat(text, "\xc3\xa4");
    wwi_fail(WW_ERROR_IO, "x%s", text);
    size_t length = strlen(ww_last_error()->message);
    ck_assert_uint_lt(length, sizeof ww_last_error()->message);
    ck_assert_int_eq((unsigned char)ww_last_error()->message[length - 1], 0xa4);
}
END_TEST

START_TEST(record_of_an_opencl_code) {
    ck_assert_int_eq(wwi_fail_cl(NULL, -4, "clCreateBuffer", "no %s", "room"), WW_ERROR_DEVICE_MEMORY);
    ck_assert_str_eq(ww_last_error()->cl_name, "CL_MEM_OBJECT_ALLOCATION_FAILURE");
    ck_assert_str_eq(ww_last_error()->call, "clCreateBuffer");
    ck_assert_int_eq(ww_last_error()->cl_code, -4);
    ck_assert(ww_last_error()->hint[0] != '\0');
    ck_assert_int_eq(wwi_fail_cl(NULL, -777, "clX", "odd"), WW_ERROR_OPENCL);
    ck_assert_int_eq(wwi_fail_cl(NULL, -6, "clX", "odd"), WW_ERROR_OUT_OF_MEMORY);
}
END_TEST

static void *fail_elsewhere(void *unused) {
    (void)unused;
    ck_assert_int_eq(ww_last_error()->status, WW_OK);
    wwi_keep_build_log("theirs");
    wwi_fail(WW_ERROR_IO, "theirs");
    return NULL;
}

START_TEST(threads_have_their_own) {
    pthread_t thread;
    wwi_keep_build_log("ours");
    wwi_fail(WW_ERROR_FORMAT, "ours");
    ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_str_eq(ww_last_error()->message, "ours");
    ck_assert_str_eq(ww_last_build_log(), "ours");
}
END_TEST

START_TEST(log_names_the_sources) {
    static const char source[] =
        "#line 1 \"a.cl\"\nfirst\nsecond\n#line 1 \"frame\"\n{\n#line 7 \"mine.cl\"\nwrong\n}\n";
    static const char *const known[][2] = {
        {"<kernel>:3:10: error: x\n<kernel>:7:1: note: y", "a.cl:2:10: error: x\nmine.cl:7:1: note: y"},
        {"<kernel>:5:1", "frame:1:1"},
        {"<kernel>:8", "mine.cl:8"},
        {"<kernel>: 1 error in <kernel>:1", "<kernel>: 1 error in <kernel>:1"},
        {"mine.cl:3:1: error", "mine.cl:3:1: error"},
        {"", ""}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char *log = wwi_log_by_sources(known[i][0], source);
        ck_assert_ptr_nonnull(log);
        ck_assert_str_eq(log, known[i][1]);
        free(log);
    }
}
END_TEST

START_TEST(every_status_has_a_name) {
    for (int status = WW_OK; status <= WW_ERROR_INTERNAL; status++)
        ck_assert_msg(strncmp(ww_status_name((ww_status)status), status ? "WW_ERROR_" : "WW_OK", 5) == 0, "%d", status);
    ck_assert_ptr_nonnull(ww_status_name((ww_status)99));
    ck_assert_ptr_nonnull(ww_status_name((ww_status)-1));
    ww_free(NULL);
}
END_TEST

// ---- sums and sizes

START_TEST(identities_in_every_form) {
    static const char *const right[] = {"3E8F1F6A-0000-11ef-8000-0123456789ab",
                                        "gpu-3e8f1f6a-0000-11ef-8000-0123456789ab", "0000:3b:00.1", "00000000:3B:00.1",
                                        "3b:0.1"};
    static const char *const wrong[] = {"3e8f1f6a",     "3e8f1f6a-0000-11ef-8000-0123456789ab-",
                                        "0001:3b:00.1", "3b:00.0",
                                        "3b:00.1 ",     "3b:00",
                                        "3b",           "",
                                        "GPU-",         "0:0",
                                        "gfx90a:xnack-"};
    ww_device_info info = WW_DEVICE_INFO_INIT;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        ck_assert(!wwi_device_has_identity(&info, right[i]));
    (void)snprintf(info.uuid, sizeof info.uuid, "%s", "3e8f1f6a-0000-11ef-8000-0123456789ab");
    (void)snprintf(info.pci, sizeof info.pci, "%s", "0000:3b:00.1");
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        ck_assert_msg(wwi_device_has_identity(&info, right[i]), "%s", right[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!wwi_device_has_identity(&info, wrong[i]), "%s", wrong[i]);
}
END_TEST

START_TEST(sha256_known_answers) { // FIPS 180-4's examples, and a million times 'a'
    static const char *const known[][2] = {{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
                                           {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
                                           {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                                            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    char hex[65];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        wwi_sha256_digest digest = wwi_sha256(known[i][0], strlen(known[i][0]));
        wwi_sha256_hex(&digest, hex);
        ck_assert_str_eq(hex, known[i][1]);
    }
    char *many = malloc(1000000);
    memset(many, 'a', 1000000);
    wwi_sha256_digest digest = wwi_sha256(many, 1000000);
    free(many);
    wwi_sha256_hex(&digest, hex);
    ck_assert_str_eq(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

START_TEST(sizes_overflow) {
    uint64_t result = 0;
    ck_assert(wwi_mul_u64(UINT32_MAX, UINT32_MAX, &result));
    ck_assert(!wwi_mul_u64(UINT64_MAX, 2, &result));
    ck_assert(wwi_add_u64(UINT64_MAX, 0, &result));
    ck_assert(!wwi_add_u64(UINT64_MAX, 1, &result));
}
END_TEST

// ---- files

START_TEST(files_come_back) {
    char *path = path_of("a/b/c.txt"), *parent = path_of("a/b"), *text = NULL;
    size_t bytes = 0;
    WWT_FAILS(wwi_file_replace(path, "x", 1), WW_ERROR_IO);
    WWT_OK(wwi_make_folders(parent, 0700));
    WWT_OK(wwi_make_folders(parent, 0700));
    WWT_OK(wwi_file_replace(path, "old", 3));
    WWT_OK(wwi_file_replace(path, "new text", 8));
    WWT_OK(wwi_file_read(path, WW_ERROR_IO, &text, &bytes));
    ck_assert_uint_eq(bytes, 8);
    ck_assert_str_eq(text, "new text");
    WWT_FAILS(wwi_file_read(parent, WW_ERROR_KERNEL_SOURCE, &text, NULL), WW_ERROR_KERNEL_SOURCE);
    WWT_FAILS(wwi_make_folders(path, 0700) == WW_OK ? wwi_file_read("", WW_ERROR_IO, &text, NULL) : WW_OK, WW_ERROR_IO);
    free(text);
    free(parent);
    free(path);
}
END_TEST

// A file of the cache: `number` gives it its name, `days` ago it was used.
static char *put_cached(int number, const char *end, size_t bytes, int days) {
    char name[96], content[4096] = "";
    (void)snprintf(name, sizeof name, "%064x%s", (unsigned)number, end);
    char *path = wwi_path_join(folder, name);
    const time_t then = time(NULL) - days * 86400;
    const struct timespec times[2] = {{then, 0}, {then, 0}};
    ck_assert_uint_le(bytes, sizeof content);
    WWT_OK(wwi_file_replace(path, content, bytes));
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    return path;
}

static bool is_left(char *path) {
    const bool left = access(path, F_OK) == 0;
    free(path);
    return left;
}

// Nothing is written under an empty name, and no bytes may be NULL.
START_TEST(files_of_nothing) {
    ww_file *file = NULL;
    WWT_FAILS(ww_file_create("", &file), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(file);
    char *path = path_of("nothing");
    WWT_OK(ww_file_create(path, &file));
    WWT_OK(ww_file_put(file, NULL, 0));
    WWT_FAILS(ww_file_put(file, NULL, 1), WW_ERROR_INVALID_ARGUMENT);
    WWT_OK(ww_file_close(&file, 1));
    free(path);
}
END_TEST

START_TEST(cache_is_bounded) {
    char *old = put_cached(1, ".bin", 10, 91), *third = put_cached(4, ".bin", 1000, 30),
         *second = put_cached(3, ".bin", 1000, 20), *first = put_cached(2, ".bin", 1000, 10),
         *dead = put_cached(5, ".bin.abcdef", 10, 1), *written = put_cached(6, ".bin.abcdef", 10, 0),
         *other = put_cached(7, ".txt", 10, 500), *linked = wwi_path_join(folder, "notes");
    wwi_cache_bound(folder, 2000, 90 * 86400);
    ck_assert(!is_left(old) && !is_left(third) && is_left(first) && !is_left(dead) && is_left(written));
    ck_assert(is_left(other));
    wwi_cache_used(second); // it was the older of the two
    wwi_cache_bound(folder, 1999, 90 * 86400);
    ck_assert(is_left(second));
    wwi_cache_bound(folder, 999, 90 * 86400);
    wwi_cache_bound(linked, 0, 0); // no such folder
    free(linked);
    char command[128];
    (void)snprintf(command, sizeof command, "test $(ls '%s' | grep -c 'bin$') = 0", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

// Writers, each with the same bound: what is left is within it, and is what was used last.
START_TEST(cache_is_bounded_by_several_processes) {
    enum { WRITERS = 4, FILES = 40, KEPT = 5 };
    pid_t children[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        children[w] = fork();
        if (children[w] == 0) {
            for (int i = 0; i < FILES; i++) {
                free(put_cached(w * FILES + i, ".bin", 1000, FILES - i));
                wwi_cache_bound(folder, KEPT * 1000, 90 * 86400);
            }
            _exit(0);
        }
    }
    for (int w = 0; w < WRITERS; w++) {
        int state = 0;
        ck_assert_int_eq(waitpid(children[w], &state, 0), children[w]);
        ck_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0);
    }
    wwi_cache_bound(folder, KEPT * 1000, 90 * 86400);
    char command[128];
    (void)snprintf(command, sizeof command, "test $(ls '%s' | wc -l) = %d", folder, KEPT);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(kernel_files_are_built_in) {
    ck_assert_ptr_nonnull(wwi_embedded_text("base/vendor.cl"));
    ck_assert_ptr_nonnull(wwi_embedded_text("tuning.txt"));
    ck_assert_ptr_null(wwi_embedded_text("no-such.cl"));
}
END_TEST

// ---- tuning

// A context as far as tuning looks at it.
static ww_context *fake_context(void) {
    static ww_context context;
    memset(&context, 0, sizeof context);
    strcpy(context.info.name, "NVIDIA Test 1");
    strcpy(context.info.vendor, "NVIDIA Corporation");
    strcpy(context.arch, "sm_90");
    context.info.type = WW_DEVICE_GPU;
    return &context;
}

static long ask(ww_context *context, const char *text, const char *name, const char *kind) {
    wwi_tuning_layer_free(&context->tuning[2]);
    WWT_OK(wwi_tuning_parse("test", text, &context->tuning[2]));
    long value = wwi_tuning(context, name, kind, -1);
    wwi_tuning_layer_free(&context->tuning[2]);
    return value;
}

START_TEST(tuning_from_the_particular_to_the_general) {
    ww_context *context = fake_context();
    static const char *const lines[] = {"default n 1\n",
                                        "type gpu n 2\n",
                                        "vendor nvidia n 3\n",
                                        "arch sm_90 n 4\n",
                                        "device NVIDIA  Test 1 n 5\n",
                                        "device nvidia test 1   n 6 # the last counts\n"};
    static const long expected[] = {1, 2, 3, 4, 4, 6}; // the fifth has two spaces, which the name has not
    char text[512] = "# comment\n\n  \t\nvendor AMD n 90\ntype cpu n 91\narch sm_80 n 92\ndevice NVIDIA Test n 93\n";
    ck_assert_int_eq(ask(context, text, "n", NULL), -1);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char backward[600];
        (void)snprintf(backward, sizeof backward, "%s%s", lines[i], text); // the order of lines does not matter
        ck_assert_int_eq(ask(context, backward, "n", NULL), expected[i]);
        strcat(text, lines[i]);
        ck_assert_int_eq(ask(context, text, "n", NULL), expected[i]);
    }
}
END_TEST

START_TEST(tuning_by_precision) {
    ww_context *context = fake_context();
    const char *text = "default a.b 1\ndefault a.b.f64 2\nvendor nvidia a.b 3\n";
    ck_assert_int_eq(ask(context, text, "a.b", NULL), 3);
    ck_assert_int_eq(ask(context, text, "a.b", "f32"), 3);
    ck_assert_int_eq(ask(context, text, "a.b", "f64"), 3); // nearer to the device beats the suffix
    ck_assert_int_eq(ask(context, "default a.b 1\ndefault a.b.f64 -2", "a.b", "f64"), -2);
    ck_assert_int_eq(ask(context, "default a.b 1\ndefault a.b.f64 2", "a", NULL), -1);
}
END_TEST

START_TEST(tuning_layers) {
    ww_context *context = fake_context();
    WWT_OK(wwi_tuning_parse("t", "default n 1\ndefault m 1\ndefault o 1", &context->tuning[2]));
    WWT_OK(wwi_tuning_parse("t", "default n 2\ndefault m 2", &context->tuning[1]));
    WWT_OK(wwi_tuning_parse("t", "default n 3", &context->tuning[0]));
    ck_assert_int_eq(wwi_tuning(context, "n", NULL, -1), 3);
    ck_assert_int_eq(wwi_tuning(context, "m", NULL, -1), 2);
    ck_assert_int_eq(wwi_tuning(context, "o", NULL, -1), 1);
    ck_assert_int_eq(wwi_tuning(context, "p", NULL, -1), -1);
    for (int i = 0; i < WWI_TUNING_LAYERS; i++)
        wwi_tuning_layer_free(&context->tuning[i]);
}
END_TEST

// What crashed, never ended or gave nonsense, and the ends of every range.
START_TEST(tuning_values_are_checked) {
    static const char *const bad[] = {"default packed.rows -1",        "default lanes.group 4294967297",
                                      "default strips.columns 0",      "default strips.columns 100000",
                                      "default packed.rows 100000",    "default lanes.rows.f32 3",
                                      "default packed.columns.dtw 6",  "device x y strips.rows.f64 16",
                                      "default form.items 1073741825", "default form.tiles -1"};
    wwi_tuning_layer layer;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        WWT_FAILS(wwi_tuning_parse("some/file", bad[i], &layer), WW_ERROR_FORMAT);
        ck_assert_msg(strstr(ww_last_error()->message, "some/file:1:"), "%s", ww_last_error()->message);
        ck_assert_msg(strstr(ww_last_error()->message, " must be from "), "%s", ww_last_error()->message);
    }
    for (size_t i = 0; i < wwi_tuning_count(); i++) {
        const wwi_tuning_entry *entry = wwi_tuning_at(i);
        const long values[] = {entry->least, entry->most, entry->least - 1, entry->most + 1};
        ck_assert_ptr_eq(wwi_tuning_find(entry->name), entry);
        for (size_t v = 0; v < 4; v++) {
            char line[128];
            snprintf(line, sizeof line, "default %s %ld", entry->name, values[v]);
            if (strchr(line, '*'))
                memcpy(strchr(line, '*'), "x", 1);
            ck_assert_msg((wwi_tuning_parse("t", line, &layer) == WW_OK) == (v < 2), "%s", line);
            wwi_tuning_layer_free(&layer);
        }
        for (size_t c = 0; c < WWI_TUNING_CANDIDATES && entry->candidates[c]; c++)
            ck_assert_msg(wwi_tuning_allows(entry, entry->candidates[c]), "%s %ld", entry->name, entry->candidates[c]);
    }
    // Forms for tests are one entry, which is never suggested.
    ck_assert_ptr_nonnull(wwi_tuning_find("form.items"));
    ck_assert_ptr_eq(wwi_tuning_find("form.items"), wwi_tuning_find("form.tiles"));
    ck_assert_ptr_null(wwi_tuning_find("form."));
    ck_assert_ptr_null(wwi_tuning_find("packed.items"));
    ck_assert_msg(!wwi_tuning_closest("form.item") || strncmp(wwi_tuning_closest("form.item"), "form", 4), "%s",
                  wwi_tuning_closest("form.item"));
    // The file that the library brings.
    const char *own = wwi_embedded_text("tuning.txt");
    ck_assert_ptr_nonnull(own);
    WWT_OK(wwi_tuning_parse("own", own, &layer));
    for (size_t i = 0; i < layer.count; i++)
        ck_assert_msg(wwi_tuning_find(layer.records[i].name), "%s", layer.records[i].name);
    wwi_tuning_layer_free(&layer);
}
END_TEST

START_TEST(tuning_names_the_bad_line) {
    static const char *const bad[] = {
        "devise x n 1",    "default n", "default n 1.5", "default n x", "device n 1",
        "default x n 1",   "vendor",    "default 3 3",   "type gpu 4",  "default n 99999999999999999999999",
        "default n 1 \x01"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wwi_tuning_layer layer;
        char text[200];
        (void)snprintf(text, sizeof text, "# one\ndefault fine 1\n%s\n", bad[i]);
        ck_assert_msg(wwi_tuning_parse("some/file", text, &layer) == WW_ERROR_FORMAT, "%s", bad[i]);
        ck_assert_msg(strncmp(ww_last_error()->message, "some/file:3: ", 13) == 0, "%s", ww_last_error()->message);
        ck_assert_ptr_null(layer.records);
    }
    wwi_tuning_layer layer;
    WWT_OK(wwi_tuning_parse("windows", "default a 1\r\n\r\n# x\r\ndefault b 2\r\n", &layer));
    ck_assert_uint_eq(layer.count, 2);
    wwi_tuning_layer_free(&layer);
}
END_TEST

START_TEST(tuning_is_saved) {
    ww_context *context = fake_context();
    static const char mine[] = "# mine\ndevice NVIDIA Test 1  lanes.x.f32   4 # old\ndevice Other lanes.x.f32 9";
    char *path = path_of("deep/er/tuning.txt"), *text = NULL;
    context->tuning_file = path;
    WWT_OK(wwi_tuning_save(context, "lanes.x", "f32", 4));
    WWT_OK(wwi_file_read(path, WW_ERROR_IO, &text, NULL));
    ck_assert_str_eq(text, "device NVIDIA Test 1 lanes.x.f32 4\n");
    free(text);
    WWT_OK(wwi_file_replace(path, mine, strlen(mine)));
    WWT_OK(wwi_tuning_save(context, "lanes.x", "f32", 5));
    WWT_OK(wwi_tuning_save(context, "lanes.y", NULL, 6));
    WWT_OK(wwi_file_read(path, WW_ERROR_IO, &text, NULL));
    ck_assert_str_eq(text, "# mine\ndevice Other lanes.x.f32 9\ndevice NVIDIA Test 1 lanes.x.f32 5\n"
                           "device NVIDIA Test 1 lanes.y 6\n");
    free(text);
    ck_assert_int_eq(wwi_tuning(context, "lanes.x", "f32", -1), 5);
    // A device whose name would be read as the beginning of a comment.
    static const char *const names[] = {"Test #1", "Test\nX", "Test ", ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        strcpy(context->info.name, names[i]);
        WWT_FAILS(wwi_tuning_save(context, "lanes.y", NULL, 7), WW_ERROR_UNSUPPORTED);
        ck_assert_int_eq(wwi_tuning(context, "lanes.y", NULL, -1), -1);
    }
    WWT_OK(wwi_file_read(path, WW_ERROR_IO, &text, NULL));
    ck_assert_ptr_nonnull(strstr(text, "lanes.y 6\n"));
    free(text);
    context->tuning_file = NULL;
    WWT_FAILS(wwi_tuning_save(context, "lanes.x", "f32", 5), WW_ERROR_IO);
    context->tuning_file = path;
    wwi_tuning_free(context);
}
END_TEST

START_TEST(tuning_file_must_be_there_when_named) {
    ww_context *context = fake_context();
    WWT_FAILS(wwi_tuning_load(context, "/no/such/file"), WW_ERROR_IO);
    free(context->tuning_file);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("host_text");
    TCase *tcase = tcase_create("text");
    tcase_set_timeout(tcase, 300); // for what hangs, not for what is slow
    tcase_add_checked_fixture(tcase, make_folder, remove_folder);
    tcase_add_test(tcase, record_holds_what_was_said);
    tcase_add_test(tcase, record_cuts_at_whole_characters);
    tcase_add_test(tcase, record_of_an_opencl_code);
    tcase_add_test(tcase, threads_have_their_own);
    tcase_add_test(tcase, log_names_the_sources);
    tcase_add_test(tcase, every_status_has_a_name);
    tcase_add_test(tcase, identities_in_every_form);
    tcase_add_test(tcase, sha256_known_answers);
    tcase_add_test(tcase, sizes_overflow);
    tcase_add_test(tcase, files_come_back);
    tcase_add_test(tcase, files_of_nothing);
    tcase_add_test(tcase, tuning_values_are_checked);
    tcase_add_test(tcase, cache_is_bounded);
    tcase_add_test(tcase, cache_is_bounded_by_several_processes);
    tcase_add_test(tcase, kernel_files_are_built_in);
    tcase_add_test(tcase, tuning_from_the_particular_to_the_general);
    tcase_add_test(tcase, tuning_by_precision);
    tcase_add_test(tcase, tuning_layers);
    tcase_add_test(tcase, tuning_names_the_bad_line);
    tcase_add_test(tcase, tuning_is_saved);
    tcase_add_test(tcase, tuning_file_must_be_there_when_named);
    suite_add_tcase(suite, tcase);
    return wwt_run_host(suite, false);
}
