// SPDX-License-Identifier: Apache-2.0
// Time stamps: of sets, in .ts tuples, in columns of .csv, in files of their own.
#include <math.h>

#include "check_main.h"
#include "files/read.h"
#include "io_support.h"

static void check_times(const ww_series_set *set, size_t i, size_t count, const double *wanted) {
    const double *times = ww_series_set_times(set, i);
    ck_assert_ptr_nonnull(times);
    ck_assert_uint_eq(ww_series_set_length(set, i), count);
    for (size_t t = 0; t < count; t++)
        ck_assert_msg(times[t] == wanted[t], "series %zu, point %zu: %.17g, not %.17g", i, t, times[t], wanted[t]);
}
#define CHECK_TIMES(set, i, ...)                                                                                       \
    check_times(set, i, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

// ---- sets

START_TEST(sets_have_all_or_none) {
    ww_series_set *set = NULL;
    const double values[] = {9, 8, 7, 6, 5, 4};
    ck_assert_int_eq(ww_series_set_create(2, &set), WW_OK);
    ck_assert_int_eq(ww_series_set_add(set, 2, values, NULL), WW_OK);
    ck_assert_int_eq(ww_series_set_add(set, 3, values, NULL), WW_OK);
    ck_assert_ptr_null(ww_series_set_times(set, 0));
    ck_assert_ptr_null(ww_series_set_times(NULL, 0));
    ck_assert_int_eq(ww_series_set_set_times(set, 1, (const double[]){-1, 0.5, 0.5}), WW_OK);
    ck_assert_int_eq(ww_series_set_add(set, 3, values, NULL), WW_OK);
    CHECK_TIMES(set, 0, 1, 2);
    CHECK_TIMES(set, 1, -1, 0.5, 0.5);
    CHECK_TIMES(set, 2, 1, 2, 3);
    ck_assert_ptr_null(ww_series_set_times(set, 3));
    ck_assert_mem_eq(ww_series_set_values(set, 1), values, sizeof values);
    ck_assert_int_eq(ww_series_set_shift_times(set, 1), WW_OK);
    CHECK_TIMES(set, 1, 0, 1.5, 1.5);
    ck_assert_int_eq(ww_series_set_znormalise(set), WW_OK);
    CHECK_TIMES(set, 1, 0, 1.5, 1.5);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(sets_refuse_what_is_no_time) {
    ww_series_set *set = NULL;
    const double values[] = {1, 2, 3};
    ck_assert_int_eq(ww_series_set_create(1, &set), WW_OK);
    ck_assert_int_eq(ww_series_set_add(set, 3, values, NULL), WW_OK);
    ck_assert_int_eq(ww_series_set_set_times(set, 0, (const double[]){1, 3, 2}), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_last_error()->position, 2);
    ck_assert_int_eq(ww_series_set_set_times(set, 0, (const double[]){1, NAN, 2}), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(ww_last_error()->position, 1);
    ck_assert_int_eq(ww_series_set_set_times(set, 0, (const double[]){-INFINITY, 1, 2}), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(ww_series_set_set_times(set, 1, values), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_set_times(set, 0, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_set_times(NULL, 0, values), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_shift_times(NULL, 1), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_shift_times(set, NAN), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(ww_series_set_times(set, 0));
    ww_series_set_destroy(&set);
}
END_TEST

// ---- dates

static bool parse_date(const char *text, double *seconds) {
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *padded = io_padded(text);
    const bool good = wwi_date_parse((wwi_span){padded, padded + strlen(text)}, c, seconds);
    free(padded);
    freelocale(c);
    return good;
}

START_TEST(dates_are_seconds_since_1970) {
    // As GNU date has them: date -ud TEXT +%s
    static const struct {
        const char *text;
        double seconds;
    } dates[] = {
        {"1970-01-01", 0},
        {"1969-12-31T23:59:59", -1},
        {"2000-02-29", 951782400},
        {"2000/03/01", 951868800},
        {"1900-03-01", -2203891200},
        {"2013-07-05 10:00:00", 1373018400},
        {"2013-07-05 10:00", 1373018400},
        {"2013-07-05   10:00:00.25", 1373018400.25},
        {"2013-07-05T10:00:00Z", 1373018400},
        {"2013-07-05t12:00:00+02:00", 1373018400},
        {"2013-07-05 06:30:00 -0330", 1373018400},
        {"2013-07-05 08:00:00-02", 1373018400},
        {"2013-07", 1372636800},
        {"2013/07", 1372636800},
        {"2013 Jul", 1372636800},
        {"2013-jul", 1372636800},
        {"2013 Q3", 1372636800},
        {"2013Q3", 1372636800},
        {"2016-12-31 23:59:60", 1483228800},
        {"9999-12-31", 253402214400},
        {"0000-01-01", -62167219200},
    };
    for (size_t k = 0; k < sizeof dates / sizeof *dates; k++) {
        double seconds = 0;
        ck_assert_msg(parse_date(dates[k].text, &seconds), "%s", dates[k].text);
        ck_assert_msg(seconds == dates[k].seconds, "%s: %.17g", dates[k].text, seconds);
    }
}
END_TEST

START_TEST(what_is_no_date) {
    static const char *const texts[] = {"",
                                        "2013",
                                        "2013-7",
                                        "2013 Q5",
                                        "2013 Q3 10:00",
                                        "2013 Juli",
                                        "2013-13",
                                        "2013-7-5",
                                        "2013-13-01",
                                        "2013-00-01",
                                        "2013-02-29",
                                        "1900-02-29",
                                        "2013-04-31",
                                        "2013-07-05 ",
                                        "2013-07-05T",
                                        "2013-07-05 10",
                                        "2013-07-05 24:00",
                                        "2013-07-05 10:60",
                                        "2013-07-05 10:00:61",
                                        "2013-07-05 10:00:00.5x",
                                        "2013-07-05 10:00:00+",
                                        "2013-07-05 10:00:00+2",
                                        "2013-07-05 10:00:00+24:00",
                                        "2013-07/05",
                                        "13-07-05",
                                        "+2013-07-05"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        double seconds;
        ck_assert_msg(!parse_date(texts[k], &seconds), "%s", texts[k]);
    }
}
END_TEST

// ---- .ts

START_TEST(ts_tuples) {
    ww_series_set *set = io_read_text("a.ts", "@timeStamps true\n@classLabel true a b\n@data\n"
                                              "(0,1),(0.5,2),( 0.5 , ?):(0,4),(0.5,5),(0.5,6):a\n"
                                              "(-3,7):(-3,8):b\n");
    ck_assert_uint_eq(ww_series_set_count(set), 2);
    ck_assert_uint_eq(ww_series_set_channels(set), 2);
    CHECK_TIMES(set, 0, 0, 0.5, 0.5);
    CHECK_TIMES(set, 1, -3);
    ck_assert_double_eq(ww_series_set_values(set, 0)[1], 2);
    ck_assert(isnan(ww_series_set_values(set, 0)[2]));
    ck_assert_double_eq(ww_series_set_values(set, 0)[5], 6);
    ck_assert_double_eq(ww_series_set_values(set, 1)[1], 8);
    ck_assert_str_eq(ww_series_set_label(set, 1), "b");
    // And back.
    const char *path = io_path("b.ts");
    ck_assert_int_eq(ww_series_set_write(set, path, WW_FORMAT_AUTO, WW_FLOAT), WW_OK);
    ww_series_set *back = io_read(path);
    CHECK_TIMES(back, 0, 0, 0.5, 0.5);
    CHECK_TIMES(back, 1, -3);
    ck_assert_double_eq(ww_series_set_values(back, 0)[5], 6);
    ww_series_set_destroy(&back);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(ts_dates) {
    ww_series_set *set = io_read_text("a.ts", "@timeStamps true\n@classLabel false\n@data\n"
                                              "(2013-07-05 10:00:00,1),(2013-07-05T10:00:02.5Z,2)\n(2013-07-06,1)\n");
    CHECK_TIMES(set, 0, 1373018400, 1373018402.5);
    CHECK_TIMES(set, 1, 1373068800);
    // Times are written in full, in float too.
    const char *path = io_path("b.ts");
    ck_assert_int_eq(ww_series_set_write(set, path, WW_FORMAT_AUTO, WW_FLOAT), WW_OK);
    ww_series_set *back = io_read(path);
    CHECK_TIMES(back, 0, 1373018400, 1373018402.5);
    ww_series_set_destroy(&back);
    ww_series_set_destroy(&set);
}
END_TEST

// ---- files that are refused

static const struct refused {
    const char *name, *content, *message, *time_column, *series_column;
    ww_status status;
} refusals[] = {
    {"a.ts", "@timeStamps true\n@data\n(0,1),(2,1),(1,1)\n", ":3:14: the time stamp '1' is before", 0, 0,
     WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(2013-07-05,1),(2013-07-04 23:59:59,1)\n", ":3:17: the time stamp '2013-07-04",
     0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(0,1),(1,1)\n(2013-07-05,1)\n", ":4:2: the time stamp '2013-07-05' is a date", 0,
     0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(noon,1)\n", ":3:2: the time stamp 'noon' is neither", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(inf,1)\n", "is not a time", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(nan,1)\n", "is not a time", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(,1)\n", "the time stamp ''", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(1,x)\n", ":3:4: 'x' is not a number", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n1,2\n", ":3:1: expected (time stamp,value)", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(1,2\n", ":3:1: expected (time stamp,value)", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(12)\n", ":3:2: expected ','", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(1,2)(2,3)\n", ":3:6: expected ','", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(1,2),\n", "expected a point after ','", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps true\n@data\n(1,2):(2,3)\n", ":3:7: channel 2 has other time stamps", 0, 0,
     WW_ERROR_UNSUPPORTED},
    {"a.ts", "@timeStamps true\n@data\n(1,2):(1,2),(2,3)\n", ":3:7: channel 2 has 2 values", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps maybe\n@data\n(1,2)\n", ":1:13: expected true or false", 0, 0, WW_ERROR_FORMAT},
    {"a.ts", "@timeStamps false\n@data\n(0,1),(1,2)\n", ":3:1: the point has a time stamp", 0, 0, WW_ERROR_FORMAT},
    {"a.csv", "t,a\n0,1\n2,1\n1,1\n", ":4:1: the time stamp '1' is before", "t", 0, WW_ERROR_FORMAT},
    {"a.csv", "t,a\n0,1\n2\n", ":3:2: the row has 1 columns where 2", "t", 0, WW_ERROR_FORMAT},
    {"a.csv", "t,a\n0,1\n", ":1:1: there is no column named 'b'", "b", 0, WW_ERROR_FORMAT},
    {"a.csv", "0,1\n", ":1:1: there is no column named 't'", "t", 0, WW_ERROR_FORMAT},
    {"a.csv", "0,1\n", "there is no column 3 among 2", "3", 0, WW_ERROR_FORMAT},
    {"a.csv", "0,1\n", "there is no column 0 among 2", "0", 0, WW_ERROR_FORMAT},
    {"a.csv", "0\n", "no column left", "1", 0, WW_ERROR_FORMAT},
    {"a.csv", "0,1\n", "from one column", "1", "1", WW_ERROR_FORMAT},
    {"a.csv", "s,t,a\nx,0,1\ny,0,1\nx,1,1\n", ":4:1: the series 'x' comes again", "t", "s", WW_ERROR_FORMAT},
    {"a.csv", "t,a\n", "no series", "t", 0, WW_ERROR_EMPTY},
    {"a.csv", "\n", "no series", "t", 0, WW_ERROR_EMPTY},
};

START_TEST(refused_with_its_place) {
    const struct refused *bad = &refusals[_i];
    ww_series_set *set = NULL;
    ww_read_options options = WW_READ_OPTIONS_INIT;
    options.time_column = bad->time_column;
    options.series_column = bad->series_column;
    const char *path = io_file(bad->name, bad->content, strlen(bad->content));
    const ww_status status = ww_series_set_read(path, &options, &set);
    ck_assert_msg(status == bad->status, "status %d: %s", (int)status, ww_last_error()->message);
    ck_assert_ptr_null(set);
    ck_assert_msg(strstr(ww_last_error()->message, bad->message), "%s", ww_last_error()->message);
    ck_assert_msg(strstr(ww_last_error()->message, path), "%s", ww_last_error()->message);
}
END_TEST

// ---- .csv of points

static ww_series_set *read_long(const char *content, const char *time, const char *series, int label) {
    ww_series_set *set = NULL;
    ww_read_options options = WW_READ_OPTIONS_INIT;
    options.time_column = time;
    options.series_column = series;
    options.csv_label = label;
    const ww_status status = ww_series_set_read(io_file("a.csv", content, strlen(content)), &options, &set);
    ck_assert_msg(status == WW_OK, "%s", ww_last_error()->message);
    return set;
}

START_TEST(csv_rows_are_points) {
    ww_series_set *set =
        read_long("# a comment\nwhen,a,b\n2024-01-01 00:00,1,2\n\n2024-01-01 00:01,3,?\n", "when", NULL, 0);
    ck_assert_uint_eq(ww_series_set_count(set), 1);
    ck_assert_uint_eq(ww_series_set_channels(set), 2);
    CHECK_TIMES(set, 0, 1704067200, 1704067260);
    ck_assert_double_eq(ww_series_set_values(set, 0)[1], 3);
    ck_assert_double_eq(ww_series_set_values(set, 0)[2], 2);
    ck_assert_uint_eq(ww_series_set_missing(set), 1);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(csv_rows_of_several_series) {
    const char *content = "id\twhen\tvalue\tclass\ns1\t0\t1\tup\ns1\t0.5\t2\tup\ns2\t7\t3\tdown\n";
    for (int by_number = 0; by_number <= 1; by_number++) {
        ww_series_set *set = read_long(content, by_number ? "2" : "when", by_number ? "1" : "id", 2);
        ck_assert_uint_eq(ww_series_set_count(set), 2);
        ck_assert_uint_eq(ww_series_set_channels(set), 1);
        CHECK_TIMES(set, 0, 0, 0.5);
        CHECK_TIMES(set, 1, 7);
        ck_assert_double_eq(ww_series_set_values(set, 0)[1], 2);
        ck_assert_str_eq(ww_series_set_label(set, 0), "up");
        ck_assert_str_eq(ww_series_set_label(set, 1), "down");
        ww_series_set_destroy(&set);
    }
    // Without time stamps the rows are in order.
    ww_series_set *set = read_long("1,10\n1,11\n2,12\n", NULL, "1", 0);
    ck_assert_uint_eq(ww_series_set_count(set), 2);
    ck_assert_ptr_null(ww_series_set_times(set, 0));
    ck_assert_double_eq(ww_series_set_values(set, 0)[1], 11);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(a_series_has_one_label) {
    const char *content = "id,value,class\ns1,1,up\ns1,2,down\n";
    ww_series_set *set = NULL;
    ww_read_options options = WW_READ_OPTIONS_INIT;
    options.series_column = "id";
    options.csv_label = 2;
    ck_assert_int_eq(ww_series_set_read(io_file("a.csv", content, strlen(content)), &options, &set), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, ":3:6: the series has two labels"));
    options.format = WW_FORMAT_TS;
    ck_assert_int_eq(ww_series_set_read(io_path("a.csv"), &options, &set), WW_ERROR_INVALID_ARGUMENT);
    options.format = WW_FORMAT_AUTO;
    options.times = "t.csv";
    options.time_column = "id";
    ck_assert_int_eq(ww_series_set_read(io_path("a.csv"), &options, &set), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

// ---- a file of time stamps

static ww_status read_with_times(const char *content, const char *times, size_t times_size, ww_series_set **set) {
    ww_read_options options = WW_READ_OPTIONS_INIT;
    const char *path = io_file("a.csv", content, strlen(content));
    options.times = io_file("t", times, times_size);
    *set = NULL;
    return ww_series_set_read(path, &options, set);
}

START_TEST(files_of_times) {
    ww_series_set *set;
    const char *two = "0,1,1\n-5,6\n", *one = "# all\n2024-01-01,2024-01-02,2024-01-03\n", *padded = "0 1 2 NaN\n3 4\n";
    ck_assert_int_eq(read_with_times("1,2,3\n4,5\n", two, strlen(two), &set), WW_OK);
    CHECK_TIMES(set, 0, 0, 1, 1);
    CHECK_TIMES(set, 1, -5, 6);
    ww_series_set_destroy(&set);
    ck_assert_int_eq(read_with_times("1,2,3\n4,5\n", one, strlen(one), &set), WW_OK);
    CHECK_TIMES(set, 0, 1704067200, 1704153600, 1704240000);
    CHECK_TIMES(set, 1, 1704067200, 1704153600);
    ww_series_set_destroy(&set);
    ck_assert_int_eq(read_with_times("1,2,3\n4,5\n", padded, strlen(padded), &set), WW_OK);
    CHECK_TIMES(set, 0, 0, 1, 2);
    CHECK_TIMES(set, 1, 3, 4);
    ww_series_set_destroy(&set);
}
END_TEST

static size_t npy(char *bytes, const char *dictionary, const double *values, size_t count) {
    const size_t size = strlen(dictionary);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (char)size;
    bytes[9] = 0;
    memcpy(bytes + 10, dictionary, size);
    memcpy(bytes + 10 + size, values, count * sizeof *values);
    return 10 + size + count * sizeof *values;
}

START_TEST(arrays_of_times) {
    ww_series_set *set;
    char bytes[256];
    const double times[] = {0, 0.5, 2, 3, 3, 4}, wrong[] = {0, 1, 2, 3, 2, 4};
    size_t size = npy(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}", times, 6);
    ck_assert_int_eq(read_with_times("1,2,3\n4,5,6\n", bytes, size, &set), WW_OK);
    CHECK_TIMES(set, 0, 0, 0.5, 2);
    CHECK_TIMES(set, 1, 3, 3, 4);
    ww_series_set_destroy(&set);
    size = npy(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", times, 3);
    ck_assert_int_eq(read_with_times("1,2,3\n4,5,6\n", bytes, size, &set), WW_OK);
    CHECK_TIMES(set, 1, 0, 0.5, 2);
    ww_series_set_destroy(&set);
    size = npy(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}", wrong, 6);
    ck_assert_int_eq(read_with_times("1,2,3\n4,5,6\n", bytes, size, &set), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "row 2: time stamp 2 is before"));
    size = npy(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3)}", times, 6);
    ck_assert_int_eq(read_with_times("1,2,3\n4,5,6\n", bytes, size, &set), WW_ERROR_CHANNELS);
}
END_TEST

START_TEST(files_of_times_that_do_not_fit) {
    static const struct {
        const char *times, *message;
        ww_status status;
    } cases[] = {
        {"0,1,2\n0,1,2\n0,1\n", "3 rows of time stamps for 2 series", WW_ERROR_FORMAT},
        {"0,1,2\n0,1,2\n", "row 2 has 3 time stamps, series 1 has 2 points", WW_ERROR_FORMAT},
        {"0,1\n", "row 1 has 2 time stamps, series 0 has 3 points", WW_ERROR_FORMAT},
        {"0,2,1\n", "t:1:5: the time stamp '1' is before", WW_ERROR_FORMAT},
        {"0,,1\n", "t:1:4: a time stamp is missing", WW_ERROR_FORMAT},
        {"NaN,NaN\n", "t:1:1: the row has no time stamps", WW_ERROR_EMPTY},
        {"# none\n", "no time stamps", WW_ERROR_EMPTY},
        {"", "empty", WW_ERROR_EMPTY},
        {"0,1,2\n2024-01-01,2024-01-02\n", "t:2:1:", WW_ERROR_FORMAT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ww_series_set *set;
        const ww_status status = read_with_times("1,2,3\n4,5\n", cases[k].times, strlen(cases[k].times), &set);
        ck_assert_msg(status == cases[k].status, "%s: %d, %s", cases[k].times, (int)status, ww_last_error()->message);
        ck_assert_msg(strstr(ww_last_error()->message, cases[k].message), "%s", ww_last_error()->message);
        ck_assert_ptr_null(set);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("times");
    TCase *tcase = wwt_case(suite, "times", 20);
    tcase_add_checked_fixture(tcase, io_setup, io_teardown);
    tcase_add_test(tcase, sets_have_all_or_none);
    tcase_add_test(tcase, sets_refuse_what_is_no_time);
    tcase_add_test(tcase, dates_are_seconds_since_1970);
    tcase_add_test(tcase, what_is_no_date);
    tcase_add_test(tcase, ts_tuples);
    tcase_add_test(tcase, ts_dates);
    tcase_add_loop_test(tcase, refused_with_its_place, 0, (int)(sizeof refusals / sizeof *refusals));
    tcase_add_test(tcase, csv_rows_are_points);
    tcase_add_test(tcase, csv_rows_of_several_series);
    tcase_add_test(tcase, a_series_has_one_label);
    tcase_add_test(tcase, files_of_times);
    tcase_add_test(tcase, arrays_of_times);
    tcase_add_test(tcase, files_of_times_that_do_not_fit);
    return wwt_run(suite);
}
