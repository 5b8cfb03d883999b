// SPDX-License-Identifier: Apache-2.0
// Texts as sequences of symbols: UTF-8 in and out, FASTA, what is refused, the helper for strings. Numbers alone; bytes
// that a function gives.
#include <wavewarp/file.h>

#include "check_main.h"
#include "io_support.h"

static ww_series_set *set;

static void setup(void) {
    io_setup();
    ck_assert_int_eq(ww_series_set_create(1, &set), WW_OK);
}

static void teardown(void) {
    ww_series_set_destroy(&set);
    io_teardown();
}

static ww_status read_text(const char *content, size_t size, ww_series_set **read) {
    ww_read_options options = WW_READ_OPTIONS_INIT;
    options.format = WW_FORMAT_TEXT;
    *read = NULL;
    return ww_series_set_read(io_file("a.txt", content, size), &options, read);
}

static void check_symbols(const ww_series_set *s, size_t i, size_t count, const double *wanted) {
    ck_assert_uint_eq(ww_series_set_length(s, i), count);
    for (size_t t = 0; t < count; t++)
        ck_assert_double_eq(ww_series_set_values(s, i)[t], wanted[t]);
}
#define CHECK_SYMBOLS(s, i, ...)                                                                                       \
    check_symbols(s, i, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

START_TEST(strings_become_code_points) {
    ck_assert_int_eq(ww_series_set_add_text(set, "ab\0c", 4, "x"), WW_OK);
    ck_assert_int_eq(ww_series_set_add_text(set, "z\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", 10, NULL), WW_OK);
    ck_assert_int_eq(ww_series_set_add_text(
                         set, "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", 19, NULL),
                     WW_OK);
    CHECK_SYMBOLS(set, 0, 'a', 'b', 0, 'c');
    CHECK_SYMBOLS(set, 1, 'z', 0xE4, 0x20AC, 0x1F600);
    CHECK_SYMBOLS(set, 2, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF);
    ck_assert_str_eq(ww_series_set_label(set, 0), "x");
    ck_assert_int_eq(ww_series_set_add_text(set, "", 0, NULL), WW_ERROR_EMPTY);
    ck_assert_int_eq(ww_series_set_add_text(set, NULL, 1, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_add_text(NULL, "a", 1, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_series_set *wide = NULL;
    ck_assert_int_eq(ww_series_set_create(2, &wide), WW_OK);
    ck_assert_int_eq(ww_series_set_add_text(wide, "ab", 2, NULL), WW_ERROR_CHANNELS);
    ww_series_set_destroy(&wide);
}
END_TEST

START_TEST(what_is_not_utf8) {
    static const char *const bad[] = {"a\x80",
                                      "a\xC0\x80",
                                      "a\xC1\xBF",
                                      "a\xC3",
                                      "a\xC3(",
                                      "a\xE0\x9F\xBF",
                                      "a\xED\xA0\x80",
                                      "a\xED\xBF\xBF",
                                      "a\xE2\x82",
                                      "a\xF0\x8F\xBF\xBF",
                                      "a\xF4\x90\x80\x80",
                                      "a\xF5\x80\x80\x80",
                                      "a\xF0\x9F\x98",
                                      "a\xFF",
                                      "a\xF8\x88\x80\x80\x80"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ck_assert_msg(ww_series_set_add_text(set, bad[k], strlen(bad[k]), NULL) == WW_ERROR_FORMAT, "number %zu", k);
        ck_assert_int_eq(ww_last_error()->position, 1);
        ck_assert_uint_eq(ww_series_set_count(set), 0);
    }
}
END_TEST

START_TEST(files_of_lines) {
    ww_series_set *read;
    const char *content = "\xEF\xBB\xBFkitten\r\n # 1,2\t?\nGr\xC3\xBC\xC3\x9F";
    ck_assert_int_eq(read_text(content, strlen(content), &read), WW_OK);
    ck_assert_uint_eq(ww_series_set_count(read), 3);
    CHECK_SYMBOLS(read, 0, 'k', 'i', 't', 't', 'e', 'n');
    CHECK_SYMBOLS(read, 1, ' ', '#', ' ', '1', ',', '2', '\t', '?');
    CHECK_SYMBOLS(read, 2, 'G', 'r', 0xFC, 0xDF);
    // And back.
    const char *path = io_path("b.txt");
    ck_assert_int_eq(ww_series_set_write(read, path, WW_FORMAT_TEXT, WW_FLOAT), WW_OK);
    ww_series_set_destroy(&read);
    char bytes[64];
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    const char *wanted = "kitten\n # 1,2\t?\nGr\xC3\xBC\xC3\x9F\n";
    ck_assert_uint_eq(size, strlen(wanted));
    ck_assert_mem_eq(bytes, wanted, size);
}
END_TEST

START_TEST(every_code_point_survives) {
    for (uint32_t block = 1; block < 0x110000; block += 0x1000) {
        double points[0x1000];
        size_t count = 0;
        for (uint32_t p = block; p < block + 0x1000 && p < 0x110000; p++)
            if (p != '\n' && p != '\r' && (p < 0xD800 || p > 0xDFFF))
                points[count++] = p;
        if (count)
            ck_assert_int_eq(ww_series_set_add(set, count, points, NULL), WW_OK);
    }
    const char *path = io_path("all.txt");
    ck_assert_int_eq(ww_series_set_write(set, path, WW_FORMAT_TEXT, WW_DOUBLE), WW_OK);
    ww_read_options options = WW_READ_OPTIONS_INIT;
    ww_series_set *back = NULL;
    options.format = WW_FORMAT_TEXT;
    ck_assert_int_eq(ww_series_set_read(path, &options, &back), WW_OK);
    ck_assert_uint_eq(ww_series_set_count(back), ww_series_set_count(set));
    for (size_t i = 0; i < ww_series_set_count(set); i++)
        check_symbols(back, i, ww_series_set_length(set, i), ww_series_set_values(set, i));
    ww_series_set_destroy(&back);
}
END_TEST

START_TEST(refused_with_its_place) {
    static const struct {
        const char *content, *message;
        ww_status status;
    } cases[] = {
        {"ab\nc\xFF\n", "a.txt:2:2: this is not UTF-8", WW_ERROR_FORMAT},
        {"ab\n\nc\n", "a.txt:2:1: the line is empty", WW_ERROR_EMPTY},
        {"\n", "a.txt:1:1: the line is empty", WW_ERROR_EMPTY},
        {"", "empty", WW_ERROR_EMPTY},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ww_series_set *read;
        ck_assert_int_eq(read_text(cases[k].content, strlen(cases[k].content), &read), cases[k].status);
        ck_assert_msg(strstr(ww_last_error()->message, cases[k].message), "%s", ww_last_error()->message);
        ck_assert_ptr_null(read);
    }
    ww_series_set *read;
    ck_assert_int_eq(read_text("a\0b\n", 4, &read), WW_ERROR_FORMAT);
}
END_TEST

START_TEST(long_sequences) {
    enum { LENGTH = 1000000 };
    char *text = malloc(2 * LENGTH + 1);
    ck_assert_ptr_nonnull(text);
    for (size_t t = 0; t < LENGTH; t++)
        memcpy(text + 2 * t, t % 3 ? "\xC3\xA4" : "\xC3\xB6", 2);
    text[2 * LENGTH] = '\n';
    ww_series_set *read;
    ck_assert_int_eq(read_text(text, 2 * LENGTH + 1, &read), WW_OK);
    ck_assert_uint_eq(ww_series_set_length(read, 0), LENGTH);
    ck_assert_double_eq(ww_series_set_values(read, 0)[LENGTH - 1], LENGTH % 3 == 1 ? 0xF6 : 0xE4);
    ww_series_set_destroy(&read);
    free(text);
}
END_TEST

START_TEST(what_is_no_text_is_not_written) {
    static const double values[] = {-1, 0.5, 0, '\n', '\r', 0xD800, 0x110000, 1e300};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        ww_series_set *one = NULL;
        ck_assert_int_eq(ww_series_set_create(1, &one), WW_OK);
        ck_assert_int_eq(ww_series_set_add(one, 1, &values[k], NULL), WW_OK);
        ck_assert_int_eq(ww_series_set_write(one, io_path("none"), WW_FORMAT_TEXT, WW_DOUBLE), WW_ERROR_UNSUPPORTED);
        ww_series_set_destroy(&one);
    }
    ck_assert_int_eq(io_entries(false), 0);
}
END_TEST

// ---- FASTA

START_TEST(headings_are_no_sequences) {
    static const char content[] = ">one of two\nAC\r\nG\n\n>two\nT";
    static const char *const names[] = {"a.fasta", "a.txt"}; // by its name, by its content
    ww_read_options options = WW_READ_OPTIONS_INIT;
    for (int named = 0; named < 2; named++) {
        ww_series_set *read = NULL;
        options.format = named == 0 ? WW_FORMAT_TEXT : WW_FORMAT_AUTO;
        ck_assert_int_eq(ww_series_set_read(io_file(names[named], content, strlen(content)), &options, &read), WW_OK);
        ck_assert_uint_eq(ww_series_set_count(read), 2);
        CHECK_SYMBOLS(read, 0, 'A', 'C', 'G');
        CHECK_SYMBOLS(read, 1, 'T');
        ck_assert_ptr_null(ww_series_set_label(read, 0));
        ck_assert_int_eq(ww_series_set_write(read, io_path("b.fasta"), WW_FORMAT_FASTA, WW_DOUBLE),
                         WW_ERROR_UNSUPPORTED);
        ww_series_set_destroy(&read);
    }
    static const struct {
        const char *content, *place;
        ww_status status;
    } bad[] = {{">a\n>b\nAC\n", ":2:1:", WW_ERROR_EMPTY},
               {">a\n", ":1:1:", WW_ERROR_EMPTY},
               {">a\nAC\n>b\n \n", ":4:1:", WW_ERROR_EMPTY},
               {">a\nA\xFF\n", ":2:2:", WW_ERROR_FORMAT}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ww_series_set *read = NULL;
        ck_assert_int_eq(ww_series_set_read(io_file("a.fa", bad[i].content, strlen(bad[i].content)), NULL, &read),
                         bad[i].status);
        ck_assert_msg(strstr(ww_last_error()->message, bad[i].place), "%s: %s", bad[i].content,
                      ww_last_error()->message);
        ck_assert_ptr_null(read);
    }
}
END_TEST

START_TEST(numbers_in_place_of_texts) {
    ww_series_set *read = NULL;
    ck_assert_int_eq(ww_series_set_read(io_file("a.txt", "kitten\nsitting\n", 15), NULL, &read), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->hint, "--format text"));
    ck_assert_int_eq(ww_series_set_read(io_file("a.csv", "1,2\n3,x\n", 8), NULL, &read), WW_ERROR_FORMAT);
    ck_assert_ptr_null(strstr(ww_last_error()->hint, "text"));
}
END_TEST

// ---- numbers alone, bytes of the caller's, files of others

typedef struct bytes {
    const char *at;
    size_t left, each;
} bytes;

static int64_t give(void *user, void *to, size_t room) {
    bytes *b = user;
    size_t count = b->each < room ? b->each : room;
    if (b->each == 0)
        return -1;
    count = count < b->left ? count : b->left;
    memcpy(to, b->at, count);
    b->at += count;
    b->left -= count;
    return (int64_t)count;
}

START_TEST(numbers_alone) {
    static const double values[] = {0.1, -2, 3.5};
    static const char *const names[] = {"a.f64", "a.f32"};
    ck_assert_int_eq(ww_series_set_add(set, 3, values, NULL), WW_OK);
    for (int single = 0; single < 2; single++) {
        ww_series_set *read = NULL;
        const char *path = io_path(names[single]);
        // The name's precision holds.
        ck_assert_int_eq(ww_series_set_write(set, path, WW_FORMAT_AUTO, single ? WW_DOUBLE : WW_FLOAT), WW_OK);
        ck_assert_int_eq(ww_series_set_read(path, NULL, &read), WW_OK);
        ck_assert_uint_eq(ww_series_set_length(read, 0), 3);
        for (size_t t = 0; t < 3; t++)
            ck_assert_double_eq(ww_series_set_values(read, 0)[t], single ? (double)(float)values[t] : values[t]);
        ww_series_set_destroy(&read);
    }
    ck_assert_int_eq(ww_series_set_add(set, 3, values, NULL), WW_OK);
    ck_assert_int_eq(ww_series_set_write(set, io_path("two.f32"), WW_FORMAT_AUTO, WW_FLOAT), WW_ERROR_UNSUPPORTED);
    ww_series_set *read = NULL;
    ck_assert_int_eq(ww_series_set_read(io_file("odd.f64", "12345", 5), NULL, &read), WW_ERROR_FORMAT);
}
END_TEST

START_TEST(bytes_of_the_caller) {
    static const char content[] = "1,2,3\n4,5,6\n";
    for (size_t each = 1; each < 20; each += 6) {
        ww_series_set *read = NULL;
        bytes b = {content, strlen(content), each};
        ck_assert_int_eq(ww_series_set_read_from(give, &b, "a.csv", NULL, &read), WW_OK);
        ck_assert_uint_eq(ww_series_set_count(read), 2);
        ck_assert_double_eq(ww_series_set_values(read, 1)[2], 6);
        ww_series_set_destroy(&read);
    }
    ww_series_set *read = NULL;
    bytes none = {content, 0, 1}, broken = {content, 1, 0};
    ck_assert_int_eq(ww_series_set_read_from(give, &none, "a.csv", NULL, &read), WW_ERROR_EMPTY);
    ck_assert_int_eq(ww_series_set_read_from(give, &broken, "a.csv", NULL, &read), WW_ERROR_IO);
    ck_assert_int_eq(ww_series_set_read_from(NULL, &none, "a.csv", NULL, &read), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_read_from(give, &none, NULL, NULL, &read), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_read_from(give, &none, "a.csv", NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(files_of_other_programs_are_named) {
    static const struct {
        const char *begin, *name;
    } others[] = {{"PAR1xxxx", "Parquet"},
                  {"\x89HDF\r\n\x1a\n", "HDF5"},
                  {"RIFF\1\1\1\1WAVE", ".wav"},
                  {"ARROW1\1\1", "Arrow"},
                  {"MATLAB 5.0 MAT-file", "MATLAB"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ww_series_set *read = NULL;
        ck_assert_int_eq(ww_series_set_read(io_file("a", others[i].begin, strlen(others[i].begin)), NULL, &read),
                         WW_ERROR_UNSUPPORTED);
        ck_assert_msg(strstr(ww_last_error()->message, others[i].name), "%s", ww_last_error()->message);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("symbols");
    TCase *tcase = wwt_case(suite, "symbols", 20);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, strings_become_code_points);
    tcase_add_test(tcase, what_is_not_utf8);
    tcase_add_test(tcase, files_of_lines);
    tcase_add_test(tcase, every_code_point_survives);
    tcase_add_test(tcase, refused_with_its_place);
    tcase_add_test(tcase, long_sequences);
    tcase_add_test(tcase, what_is_no_text_is_not_written);
    tcase_add_test(tcase, headings_are_no_sequences);
    tcase_add_test(tcase, numbers_in_place_of_texts);
    tcase_add_test(tcase, numbers_alone);
    tcase_add_test(tcase, bytes_of_the_caller);
    tcase_add_test(tcase, files_of_other_programs_are_named);
    return wwt_run(suite);
}
