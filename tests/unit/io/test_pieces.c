// SPDX-License-Identifier: Apache-2.0
// Text files read by several threads: the set, and the error where there is one, are those of one thread.
#include <math.h>
#include <stdarg.h>

#include "check_main.h"
#include "unit/io/io_support.h"

static char *content;
static size_t content_size;

static void print(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    content = realloc(content, content_size + (size_t)size + 1);
    ck_assert_ptr_nonnull(content);
    memcpy(content + content_size, text, (size_t)size + 1);
    content_size += (size_t)size;
}

static void setup(void) {
    io_setup();
    content = NULL;
    content_size = 0;
}

static void teardown(void) {
    free(content);
    io_teardown();
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_same(const ww_series_set *a, const ww_series_set *b) {
    ck_assert_uint_eq(ww_series_set_count(a), ww_series_set_count(b));
    ck_assert_uint_eq(ww_series_set_channels(a), ww_series_set_channels(b));
    ck_assert_uint_eq(ww_series_set_missing(a), ww_series_set_missing(b));
    ck_assert_uint_eq(ww_series_set_class_count(a), ww_series_set_class_count(b));
    for (size_t k = 0; k < ww_series_set_class_count(a); k++)
        ck_assert(same_text(ww_series_set_class_name(a, k), ww_series_set_class_name(b, k)));
    for (size_t i = 0; i < ww_series_set_count(a); i++) {
        const size_t length = ww_series_set_length(a, i);
        ck_assert_uint_eq(length, ww_series_set_length(b, i));
        ck_assert_int_eq(ww_series_set_class(a, i), ww_series_set_class(b, i));
        ck_assert_mem_eq(ww_series_set_values(a, i), ww_series_set_values(b, i),
                         length * ww_series_set_channels(a) * sizeof(double));
        ck_assert_int_eq(!ww_series_set_times(a, i), !ww_series_set_times(b, i));
        if (ww_series_set_times(a, i))
            ck_assert_mem_eq(ww_series_set_times(a, i), ww_series_set_times(b, i), length * sizeof(double));
    }
}

// Reads the content with 1 to 9 threads, each way the same.
static void check_threads(const char *name, ww_read_options options, ww_status wanted) {
    const char *path = io_file(name, content, content_size);
    ww_series_set *one = NULL;
    char message[sizeof ww_last_error()->message] = "";
    options.threads = 1;
    const ww_status status = ww_series_set_read(path, &options, &one);
    ck_assert_msg(status == wanted, "%s", ww_last_error()->message);
    if (status != WW_OK)
        snprintf(message, sizeof message, "%s", ww_last_error()->message);
    for (options.threads = 2; options.threads < 10; options.threads++) {
        ww_series_set *several = NULL;
        ck_assert_int_eq(ww_series_set_read(path, &options, &several), status);
        if (status == WW_OK)
            check_same(one, several);
        else
            ck_assert_str_eq(ww_last_error()->message, message);
        ww_series_set_destroy(&several);
    }
    ww_series_set_destroy(&one);
}

static const ww_read_options plain = WW_READ_OPTIONS_INIT;

static void print_ts(size_t series, size_t channels, bool ragged) {
    for (size_t i = 0; i < series; i++) {
        for (size_t c = 0; c < channels; c++)
            for (size_t t = 0; t < 5 + (ragged ? i % 4 : 0); t++)
                print("%s%.7g", t ? "," : c ? ":" : "", sin((double)(31 * i + 7 * c + t)));
        print(":%c%s\n", "zyxw"[i % 7 % 4], i % 9 ? "" : "\r");
        if (i % 11 == 3)
            print("# a remark\n\n");
    }
}

START_TEST(ts) {
    print("@univariate false\n@classLabel true w x y z\n@data\n");
    print_ts(101, 3, true);
    check_threads("a.ts", plain, WW_OK);
    content[--content_size] = '\0'; // no line end at the end
    check_threads("a.ts", plain, WW_OK);
}
END_TEST

START_TEST(ts_with_fewer_lines_than_threads) {
    print("@univariate true\n@classLabel false\n@data\n1,2,3\n");
    check_threads("a.ts", plain, WW_OK);
    print("4,5");
    check_threads("a.ts", plain, WW_OK);
}
END_TEST

START_TEST(ts_errors) {
    static const char *const bad[] = {"1,2,x:3,4,5:w\n", "1,2:3,4:5,6:w\n", "1,2,3:4,5:w\n", "1,2,3:4,5,6:q\n"};
    static const ww_status statuses[] = {WW_ERROR_FORMAT, WW_ERROR_CHANNELS, WW_ERROR_FORMAT, WW_ERROR_FORMAT};
    print("@univariate false\n@classLabel true w x y z\n@data\n");
    print_ts(40, 2, true);
    print("%s", bad[_i]);
    print_ts(40, 2, true);
    check_threads("a.ts", plain, statuses[_i]);
}
END_TEST

// What the first series fixes for all of the file, not for a piece.
START_TEST(ts_length_of_the_first) {
    print("@equalLength true\n@classLabel false\n@data\n1,2,3\n1,2,3\n1,2,3\n1,2\n1,2\n1,2\n");
    check_threads("a.ts", plain, WW_ERROR_FORMAT);
}
END_TEST

START_TEST(ts_channels_of_the_first) {
    print("@classLabel false\n@data\n1,2,3:1,2,3\n1,2,3:1,2,3\n1,2,3\n1,2,3\n");
    check_threads("a.ts", plain, WW_ERROR_CHANNELS);
}
END_TEST

START_TEST(ts_with_time_stamps) {
    print("@timeStamps true\n@classLabel true a b\n@data\n");
    for (int i = 0; i < 60; i++) {
        for (int t = 0; t < 4; t++)
            print("%s(%d.5,%d)", t ? "," : "", i + t, i * t);
        print(":%s\n", i % 2 ? "a" : "b");
    }
    check_threads("a.ts", plain, WW_OK);
    print("(2024-01-01,5):a\n");
    check_threads("a.ts", plain, WW_ERROR_FORMAT);
}
END_TEST

START_TEST(delimited) {
    ww_read_options options = plain;
    options.csv_label = _i;
    print("c0,c1,c2,c3\n");
    for (int i = 0; i < 80; i++)
        print(i % 5 ? "%d,%g,%g,%d\n" : "%d, %g ,,%d\n", i % 3, i * 0.37, i * 1e-9, i % 4);
    check_threads("a.csv", options, WW_OK);
    check_threads("a.tsv", plain, WW_OK);
    options = plain;
    options.header = WW_HEADER_NO;
    check_threads("a.tsv", options, WW_ERROR_FORMAT); // the heading
}
END_TEST

START_TEST(ucr) {
    for (int i = 0; i < 80; i++)
        print("%d\t%g\t%g\t%s\n", 9 - i % 7, i * 0.37, i * 1e-9, i % 6 ? "1.0000000e+00" : "NaN");
    check_threads("a.tsv", plain, WW_OK);
    print("1\t2\t\"3\"\n");
    check_threads("a.tsv", plain, WW_ERROR_FORMAT);
}
END_TEST

static ww_read_options points(void) {
    ww_read_options options = plain;
    options.time_column = "when";
    options.series_column = "who";
    options.csv_label = 2;
    return options;
}

START_TEST(rows_of_points) {
    print("who,when,x,y,class\n");
    for (int i = 0; i < 30; i++)
        for (int t = 0; t <= i % 7; t++)
            print("s%d,%d,%g,%d,%s\n", i, 100 * i + t, t * 0.1, t, i % 2 ? "1" : t % 2 ? "2.0" : "2");
    check_threads("a.csv", points(), WW_OK);
    print("s3,1,2,3,1\n"); // again
    check_threads("a.csv", points(), WW_ERROR_FORMAT);
}
END_TEST

START_TEST(rows_of_one_series) {
    ww_read_options options = plain;
    options.time_column = "1";
    for (int t = 0; t < 200; t++)
        print("2024-01-01 10:%02d:%02d,%d,%g\n", t / 60, t % 60, t, t * 0.5);
    check_threads("a.csv", options, WW_OK);
    print("2023-01-01,1,2\n"); // back in time
    check_threads("a.csv", options, WW_ERROR_FORMAT);
}
END_TEST

START_TEST(errors_in_rows_of_points) {
    static const char *const bad[] = {"s3,7,x,1,1\n",          "s3,7,1,1\n",      "s3,7,1,1,1,1\n", "s3,7,x,1\n",
                                      "s3,2024-01-01,1,1,1\n", "s3,7,1,1,other\n"};
    print("who,when,x,y,class\n");
    for (int i = 0; i < 4; i++)
        for (int t = 0; t < 10; t++)
            print("s%d,%d,%g,%d,%s\n", i, t < 5 ? 1 : 7, t * 0.1, t, i % 2 ? "1" : "2");
    print("%s", bad[_i]);
    check_threads("a.csv", points(), WW_ERROR_FORMAT);
    const size_t size = strlen(bad[_i]);
    for (int t = 0; t < 10; t++)
        print("s3,8,1,%d,1\n", t);
    ck_assert_uint_gt(content_size, size);
    check_threads("a.csv", points(), WW_ERROR_FORMAT);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("pieces");
    TCase *tcase = wwt_case(suite, "pieces", 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, ts);
    tcase_add_test(tcase, ts_with_fewer_lines_than_threads);
    tcase_add_loop_test(tcase, ts_errors, 0, 4);
    tcase_add_test(tcase, ts_length_of_the_first);
    tcase_add_test(tcase, ts_channels_of_the_first);
    tcase_add_test(tcase, ts_with_time_stamps);
    tcase_add_loop_test(tcase, delimited, 0, 3);
    tcase_add_test(tcase, ucr);
    tcase_add_test(tcase, rows_of_points);
    tcase_add_test(tcase, rows_of_one_series);
    tcase_add_loop_test(tcase, errors_in_rows_of_points, 0, 6);
    return wwt_run(suite);
}
