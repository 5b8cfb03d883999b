// SPDX-License-Identifier: Apache-2.0
// What a table or an array is taken for: by options, by its heading, by its first lines; and the notices.
#include <math.h>

#include "check_main.h"
#include "io_support.h"

#define OPTIONS(...)                                                                                                   \
    &(const ww_read_options) {                                                                                         \
        .struct_size = sizeof(ww_read_options), __VA_ARGS__                                                            \
    }
#define VALUES(...) (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)

static ww_series_set *read_with(const char *name, const char *content, const ww_read_options *options) {
    ww_series_set *set = NULL;
    const ww_status status = ww_series_set_read(io_file(name, content, strlen(content)), options, &set);
    ck_assert_msg(status == WW_OK, "%s: %s", content, ww_last_error()->message);
    return set;
}

static void check(const ww_series_set *set, size_t count, size_t channels, size_t i, const char *label,
                  const double *values, size_t value_count) {
    ck_assert_uint_eq(ww_series_set_count(set), count);
    ck_assert_uint_eq(ww_series_set_channels(set), channels);
    ck_assert_uint_eq(ww_series_set_length(set, i) * channels, value_count);
    for (size_t t = 0; t < value_count; t++) {
        const double x = ww_series_set_values(set, i)[t];
        ck_assert_msg(x == values[t] || (isnan(x) && isnan(values[t])), "value %zu is %g, not %g", t, x, values[t]);
    }
    ck_assert_pstr_eq(ww_series_set_label(set, i), label);
}

// The kinds of all notices, as digits.
static void check_notices(const ww_series_set *set, const char *kinds) {
    char got[16] = "";
    for (size_t i = 0; i < ww_series_set_notice_count(set); i++) {
        ww_notice kind = (ww_notice)0;
        ck_assert_ptr_nonnull(ww_series_set_notice(set, i, &kind));
        snprintf(got + strlen(got), sizeof got - strlen(got), "%d", (int)kind);
    }
    ck_assert_msg(strcmp(got, kinds) == 0, "notices %s, not %s: %s", got, kinds,
                  *got ? ww_series_set_notice(set, 0, NULL) : "");
    ck_assert_ptr_null(ww_series_set_notice(set, ww_series_set_notice_count(set), NULL));
}

// ---- arrays

static const char *npy(unsigned version, const char *shape, size_t count) {
    char bytes[4096] = "\x93NUMPY";
    const size_t start = version == 1 ? 10 : 12;
    bytes[6] = (char)version;
    const int size = snprintf(bytes + start, 128, "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", shape);
    bytes[8] = (char)size;
    for (size_t i = 0; i < count; i++) {
        const double value = (double)i;
        memcpy(bytes + start + (size_t)size + i * sizeof value, &value, sizeof value);
    }
    return io_file("a.npy", bytes, start + (size_t)size + count * sizeof(double));
}

static ww_series_set *read_array(const char *path, ww_axes axes, ww_rows rows) {
    ww_series_set *set = NULL;
    ck_assert_int_eq(ww_series_set_read(path, OPTIONS(.axes = axes, .rows = rows), &set), WW_OK);
    return set;
}

static const struct {
    const char *shape;
    size_t count;
    unsigned version;
    ww_axes axes;
    ww_rows rows;
    size_t series, channels, length;
    double second; // value of channel 0 of the first series
    const char *notices;
} arrays[] = {
    {"3, 50, 1", 150, 1, WW_AXES_AUTO, WW_ROWS_AUTO, 3, 1, 50, 1, "1"},
    {"3, 50, 1", 150, 1, WW_AXES_NTC, WW_ROWS_AUTO, 3, 1, 50, 1, ""},
    {"3, 50, 1", 150, 1, WW_AXES_NCT, WW_ROWS_AUTO, 3, 50, 1, 0, ""},
    {"3, 50, 1", 150, 2, WW_AXES_AUTO, WW_ROWS_AUTO, 3, 50, 1, 0, ""}, // as this library writes it
    {"2, 24, 3", 144, 1, WW_AXES_AUTO, WW_ROWS_AUTO, 2, 3, 24, 3, "1"},
    {"2, 8, 4", 64, 1, WW_AXES_AUTO, WW_ROWS_AUTO, 2, 8, 4, 1, "1"}, // not certain: as always
    {"2, 8, 4", 64, 1, WW_AXES_NTC, WW_ROWS_AUTO, 2, 4, 8, 4, ""},
    {"2, 3, 24", 144, 1, WW_AXES_AUTO, WW_ROWS_AUTO, 2, 3, 24, 1, ""},
    {"2, 6, 4", 48, 1, WW_AXES_AUTO, WW_ROWS_AUTO, 2, 6, 4, 1, ""},
    {"2, 1, 1", 2, 1, WW_AXES_AUTO, WW_ROWS_AUTO, 2, 1, 1, 0, ""},
    {"40, 1", 40, 1, WW_AXES_AUTO, WW_ROWS_AUTO, 1, 1, 40, 1, "2"},
    {"40, 1", 40, 1, WW_AXES_AUTO, WW_ROWS_SERIES, 40, 1, 1, 0, ""},
    {"40, 1", 40, 2, WW_AXES_AUTO, WW_ROWS_AUTO, 40, 1, 1, 0, ""},
    {"40, 2", 80, 1, WW_AXES_AUTO, WW_ROWS_AUTO, 40, 1, 2, 1, ""},
    {"40, 2", 80, 1, WW_AXES_AUTO, WW_ROWS_POINTS, 1, 2, 40, 2, ""},
    {"120, 3", 360, 1, WW_AXES_AUTO, WW_ROWS_AUTO, 120, 1, 3, 1, "2"},
    {"1, 1", 1, 1, WW_AXES_AUTO, WW_ROWS_AUTO, 1, 1, 1, 0, ""},
    {"7,", 7, 1, WW_AXES_AUTO, WW_ROWS_AUTO, 1, 1, 7, 1, ""},
};

START_TEST(axes_of_arrays) {
    ww_series_set *set =
        read_array(npy(arrays[_i].version, arrays[_i].shape, arrays[_i].count), arrays[_i].axes, arrays[_i].rows);
    ck_assert_uint_eq(ww_series_set_count(set), arrays[_i].series);
    ck_assert_uint_eq(ww_series_set_channels(set), arrays[_i].channels);
    ck_assert_uint_eq(ww_series_set_max_length(set), arrays[_i].length);
    if (arrays[_i].length > 1)
        ck_assert_double_eq(ww_series_set_values(set, 0)[1], arrays[_i].second);
    check_notices(set, arrays[_i].notices);
    ww_series_set_destroy(&set);
}
END_TEST

// ---- points a line

START_TEST(a_table_of_points) {
    const char *content = "timestamp,value,is_anomaly\n10,1.5,0\n11,2.5,0\n12,3.5,1\n13,4.5,0\n";
    ww_series_set *set = read_with("a.csv", content, NULL);
    check(set, 1, 1, 0, NULL, VALUES(1.5, 2.5, 3.5, 4.5));
    ck_assert_double_eq(ww_series_set_times(set, 0)[3], 13);
    check_notices(set, "25");
    ww_read_info info = WW_READ_INFO_INIT;
    ck_assert_int_eq(ww_series_set_get_read_info(set, &info), WW_OK);
    ck_assert_str_eq(info.heading, "timestamp,value,is_anomaly");
    ck_assert_int_eq(info.format, WW_FORMAT_CSV);
    ck_assert_int_eq(info.rows, WW_ROWS_POINTS);
    ck_assert_uint_eq(info.columns, 3);
    ck_assert_uint_eq(info.time_column, 1);
    ck_assert_uint_eq(info.left_out, 1);
    ck_assert_uint_eq(info.label_column, 0);
    ww_series_set_destroy(&set);

    set = read_with("a.csv", content, OPTIONS(.time_column = "timestamp"));
    check(set, 1, 1, 0, NULL, VALUES(1.5, 2.5, 3.5, 4.5));
    check_notices(set, "5");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", content, OPTIONS(.rows = WW_ROWS_POINTS, .columns = "is_anomaly,value"));
    check(set, 1, 2, 0, NULL, VALUES(1.5, 2.5, 3.5, 4.5, 0, 0, 1, 0));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", content, OPTIONS(.rows = WW_ROWS_POINTS, .columns = "1-2"));
    check(set, 1, 2, 0, NULL, VALUES(10, 11, 12, 13, 1.5, 2.5, 3.5, 4.5));
    ck_assert_ptr_null(ww_series_set_times(set, 0));
    ww_series_set_destroy(&set);
    set = read_with("a.csv", content, OPTIONS(.rows = WW_ROWS_SERIES));
    check(set, 4, 1, 1, NULL, VALUES(11, 2.5, 0));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    // Without a name that says it, a line is a series, and that is said.
    set = read_with("a.csv", "x,y,z\n1,2,3\n4,5,6\n7,8,9\n1,2,3\n", NULL);
    check(set, 4, 1, 1, NULL, VALUES(4, 5, 6));
    check_notices(set, "2");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "x1,x2,x3\n1,2,3\n4,5,6\n7,8,9\n1,2,3\n", NULL);
    check_notices(set, "");
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(dates_and_names_of_series) {
    ww_series_set *set = read_with("a.csv", "unique_id,ds,y\na,2024-01-01,1\na,2024-01-02,2\nb,2024-01-01,3\n", NULL);
    check(set, 2, 1, 0, NULL, VALUES(1, 2));
    ck_assert_double_eq(ww_series_set_times(set, 0)[1], 1704153600);
    check_notices(set, "22");
    ww_series_set_destroy(&set);
    // pandas' index of dates, and dates without a heading.
    set = read_with("a.csv", ",x,y\n2024-01-01,1,2\n2024-01-02,3,4\n", NULL);
    check(set, 1, 2, 0, NULL, VALUES(1, 3, 2, 4));
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "2024-01-01,1\n2024-01-02,3\n", NULL);
    check(set, 1, 1, 0, NULL, VALUES(1, 3));
    check_notices(set, "2");
    ww_series_set_destroy(&set);
    // In UCR text and where labels are asked for they are labels.
    set = read_with("a.tsv", "2024-01-01\t1\n2024-01-02\t3\n", NULL);
    check(set, 2, 1, 1, "2024-01-02", VALUES(3));
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "2024-01-01,1\n2024-01-02,3\n", OPTIONS(.csv_label = 1));
    check(set, 2, 1, 1, "2024-01-02", VALUES(3));
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(one_value_a_line) {
    static const char *const names[] = {"a.csv", "a.txt", "a.tsv", "a"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        ww_series_set *set = read_with(names[k], "# made\n1.5\n2\n\n3\n", NULL);
        check(set, 1, 1, 0, NULL, VALUES(1.5, 2, 3));
        check_notices(set, "2");
        ww_series_set_destroy(&set);
    }
    ww_series_set *set = read_with("a.csv", "value\n1.5\n2\n", NULL);
    check(set, 1, 1, 0, NULL, VALUES(1.5, 2));
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "1.5\n2\n", OPTIONS(.rows = WW_ROWS_POINTS));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "1.5\n2\n", OPTIONS(.rows = WW_ROWS_SERIES));
    check(set, 2, 1, 1, NULL, VALUES(2));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    // A first series of one point.
    set = read_with("a.csv", "5\n1,2,3\n", NULL);
    check(set, 2, 1, 1, NULL, VALUES(1, 2, 3));
    ww_series_set_destroy(&set);
    ck_assert_int_eq(ww_series_set_read(io_file("a.csv", "1.5\n2\n", 6), OPTIONS(.time_column = "1"), &set),
                     WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->hint, "one column"));
}
END_TEST

// ---- headings

START_TEST(headings_that_count) {
    ww_series_set *set = read_with("a.csv", "0,1,2,3\n0.5,1.5,2.5,3.5\n1.0,2.0,3.0,4.0\n", NULL);
    check(set, 2, 1, 0, NULL, VALUES(0.5, 1.5, 2.5, 3.5));
    check_notices(set, "3");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "0,1,2,3\n0.5,1.5,2.5,3.5\n", OPTIONS(.header = WW_HEADER_NO));
    check(set, 2, 1, 0, NULL, VALUES(0, 1, 2, 3));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "0,1,2,3\n4,5,6,7\n", NULL); // as whole as the first line
    check(set, 2, 1, 0, NULL, VALUES(0, 1, 2, 3));
    check_notices(set, "3");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "0,1,2,3\n4,5,6,7\n", OPTIONS(.header = WW_HEADER_YES));
    check(set, 1, 1, 0, NULL, VALUES(4, 5, 6, 7));
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "0,1,2,4\n0.5,1.5,2.5,3.5\n", NULL);
    check(set, 2, 1, 0, NULL, VALUES(0, 1, 2, 4));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "1,2,3\n0.5,1.5,2.5\n", NULL); // too few to be names
    check(set, 2, 1, 0, NULL, VALUES(1, 2, 3));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "1,2,3,4,5,6,7,8\n0.5,1.5,2.5,3.5,4.5,5.5,6.5,7.5\n", NULL);
    check(set, 1, 1, 0, NULL, VALUES(0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5));
    check_notices(set, "3");
    ww_series_set_destroy(&set);
    // pandas with its index, and with a column of classes.
    set = read_with("a.csv", ",0,1,2\n0,0.5,1.5,2.5\n1,3.0,4.0,5.0\n", NULL);
    check(set, 2, 1, 1, NULL, VALUES(3, 4, 5));
    check_notices(set, "5");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "0,1,2,target\n0.5,1.5,2.5,7\n3.0,4.0,5.0,8\n", NULL);
    check(set, 2, 1, 1, "8", VALUES(3, 4, 5));
    check_notices(set, "4");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "y,0,1,2\n7,0.5,1.5,2.5\n8,3.0,4.0,5.0\n", NULL);
    check(set, 2, 1, 1, "8", VALUES(3, 4, 5));
    check_notices(set, "4");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "x,y\n1,2\n3,4\n", NULL); // of points y is a value
    check(set, 2, 1, 1, NULL, VALUES(3, 4));
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "a,0,1,2\nb,0.5,1.5,2.5\n", NULL); // labels
    check(set, 2, 1, 0, "a", VALUES(0, 1, 2));
    ww_series_set_destroy(&set);
    set = read_with("a.tsv", "label\tt0\tt1\n7\t1.5\t2.5\n8\t3.5\t4.5\n", NULL);
    check(set, 2, 1, 1, "8", VALUES(3.5, 4.5));
    ww_series_set_destroy(&set);
}
END_TEST

// ---- labels

START_TEST(labels_or_values) {
    // What numpy.savetxt writes.
    const char *saved = "5.000000000000000000e-01 1.000000000000000000e+00 2.0e+00\n"
                        "2.500000000000000000e-01 3.000000000000000000e+00 4.0e+00\n";
    ww_series_set *set = read_with("a.txt", saved, NULL);
    check(set, 2, 1, 1, NULL, VALUES(0.25, 3, 4));
    check_notices(set, "4");
    ww_series_set_destroy(&set);
    set = read_with("a.txt", saved, OPTIONS(.csv_label = 3));
    check(set, 2, 1, 1, NULL, VALUES(0.25, 3, 4));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    set = read_with("a.txt", saved, OPTIONS(.csv_label = 1));
    check(set, 2, 1, 1, "0.25", VALUES(3, 4));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    // Labels: whole, words, or a few that come again.
    set = read_with("a.txt", "1.0e+00 0.5\n2.0e+00 0.7\n3.0e+00 0.7\n", NULL);
    check(set, 3, 1, 1, "2", VALUES(0.7));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    set = read_with("a.txt", "0.5 1\n1.5 2\n0.5 3\n1.5 4\n", NULL);
    check(set, 4, 1, 1, "1.5", VALUES(2));
    check_notices(set, "4");
    ww_series_set_destroy(&set);
    // Words in a .csv.
    set = read_with("a.csv", "up,1,2\ndown,3,4\n", NULL);
    check(set, 2, 1, 1, "down", VALUES(3, 4));
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "1,2,up\n3,4,down\n", NULL);
    check(set, 2, 1, 1, "down", VALUES(3, 4));
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "1,2,3,class\n0.5,2,3,4\n0.5,3,4,4\n", OPTIONS(.label_column = "CLASS"));
    check(set, 2, 1, 1, "4", VALUES(0.5, 3, 4));
    check_notices(set, "");
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(chosen_columns) {
    const char *content = "a,kind,b,c\n1,x,2,3\n4,y,5,6\n";
    ww_series_set *set = read_with("a.csv", content, OPTIONS(.columns = "c, A", .label_column = "kind"));
    check(set, 2, 1, 1, "y", VALUES(4, 6));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", content, OPTIONS(.label_column = "2", .rows = WW_ROWS_SERIES));
    check(set, 2, 1, 1, "y", VALUES(4, 5, 6));
    ww_series_set_destroy(&set);
    set = read_with("a.txt", "1 2 3 4\n5 6 7\n", OPTIONS(.columns = "2-3", .csv_label = 3));
    check(set, 2, 1, 1, NULL, VALUES(6, 7));
    ww_series_set_destroy(&set);
    static const struct {
        const char *columns, *message;
    } bad[] = {{"d", "no column named 'd'"}, {"0", "no column 0 among 4"}, {"3-5", "no column 5 among 4"},
               {"3-", "no column named"},    {"", "no column named"},      {"3-1", "no column left for values"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ck_assert_int_eq(ww_series_set_read(io_path("a.csv"), OPTIONS(.columns = bad[k].columns), &set),
                         WW_ERROR_FORMAT);
        ck_assert_msg(strstr(ww_last_error()->message, bad[k].message), "%s: %s", bad[k].columns,
                      ww_last_error()->message);
        ck_assert_ptr_null(set);
    }
    ck_assert_int_eq(ww_series_set_read(npy(1, "2, 2", 4), OPTIONS(.columns = "1"), &set), WW_ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(contradictions_are_refused) {
    const ww_read_options bad[] = {*OPTIONS(.csv_label = 4),
                                   *OPTIONS(.csv_label = 1, .label_column = "1"),
                                   *OPTIONS(.time_column = "1", .rows = WW_ROWS_SERIES),
                                   *OPTIONS(.axes = (ww_axes)3),
                                   *OPTIONS(.rows = (ww_rows)-1),
                                   *OPTIONS(.header = (ww_header)3),
                                   *OPTIONS(.missing = (ww_missing)3)};
    ww_series_set *set = NULL;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        ck_assert_int_eq(ww_series_set_read(io_file("a.csv", "1,2\n", 4), &bad[k], &set), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(ww_series_set_notice_count(NULL), 0);
    ww_read_info info = WW_READ_INFO_INIT;
    ck_assert_int_eq(ww_series_set_get_read_info(NULL, &info), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_create(1, &set), WW_OK);
    ck_assert_int_eq(ww_series_set_get_read_info(set, &info), WW_OK);
    ck_assert_int_eq(info.format, WW_FORMAT_AUTO);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(a_matrix_of_distances_is_noticed) {
    const char *square = "0,1,2.5\n1,0,1.5\n2.5,1.5,0\n";
    ww_series_set *set = read_with("a.csv", square, NULL);
    check(set, 3, 1, 1, NULL, VALUES(1, 0, 1.5));
    check_notices(set, "6");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", square, OPTIONS(.header = WW_HEADER_NO, .rows = WW_ROWS_SERIES));
    check_notices(set, "");
    ww_series_set_destroy(&set);
    set = read_with("a.csv", "0,0,0\n0,0,0\n0,0,0\n", NULL);
    check_notices(set, "");
    ww_series_set_destroy(&set);
}
END_TEST

// ---- missing values

START_TEST(missing_values) {
    const char *content = "?,1,,3,\"\",6\n2,4,6,8\n";
    ww_series_set *set = read_with("a.csv", content, OPTIONS(.missing = WW_MISSING_INTERPOLATE));
    check(set, 2, 1, 0, NULL, VALUES(1, 1, 2, 3, 4.5, 6));
    ck_assert_uint_eq(ww_series_set_missing(set), 0);
    ww_series_set_destroy(&set);
    set = read_with("a.csv", content, OPTIONS(.missing = WW_MISSING_DROP));
    check(set, 2, 1, 0, NULL, VALUES(1, 3, 6));
    check(set, 2, 1, 1, NULL, VALUES(2, 4, 6, 8));
    ww_series_set_destroy(&set);
    // By time stamps, and a point for all channels.
    const char *stamped = "@timeStamps true\n@data\n(0,1),(1,?),(4,5):(0,7),(1,8),(4,?)\n(0,1):(0,2)\n";
    set = read_with("a.ts", stamped, OPTIONS(.missing = WW_MISSING_INTERPOLATE));
    check(set, 2, 2, 0, NULL, VALUES(1, 2, 5, 7, 8, 8));
    ww_series_set_destroy(&set);
    set = read_with("a.ts", stamped, OPTIONS(.missing = WW_MISSING_DROP));
    check(set, 2, 2, 0, NULL, VALUES(1, 7));
    check(set, 2, 2, 1, NULL, VALUES(1, 2));
    ck_assert_double_eq(ww_series_set_times(set, 1)[0], 0);
    ck_assert_int_eq(ww_series_set_add(set, 1, (const double[]){5, 6}, NULL), WW_OK);
    check(set, 3, 2, 2, NULL, VALUES(5, 6));
    ww_series_set_destroy(&set);
    // What can't be done leaves the set as it was.
    const char *empty = "@data\n1,?:?,2\n";
    for (int how = WW_MISSING_INTERPOLATE; how <= WW_MISSING_DROP; how++) {
        set = read_with("a.ts", how == WW_MISSING_DROP ? empty : "@data\n1,?:?,?\n", NULL);
        ck_assert_int_eq(ww_series_set_fill_missing(set, (ww_missing)how), WW_ERROR_EMPTY);
        ck_assert_int_eq(ww_last_error()->series, 0);
        ck_assert_uint_eq(ww_series_set_missing(set), how == WW_MISSING_DROP ? 2 : 3);
        ck_assert_int_eq(ww_series_set_fill_missing(set, WW_MISSING_KEEP), WW_OK);
        ck_assert_int_eq(ww_series_set_fill_missing(set, (ww_missing)9), WW_ERROR_INVALID_ARGUMENT);
        ww_series_set_destroy(&set);
    }
    ck_assert_int_eq(ww_series_set_fill_missing(NULL, WW_MISSING_DROP), WW_ERROR_INVALID_ARGUMENT);
    // Values far apart do not overflow between.
    set = read_with("a.csv", "-1.7e308,?,1.7e308\n1,2,3\n", OPTIONS(.missing = WW_MISSING_INTERPOLATE));
    ck_assert_double_eq(ww_series_set_values(set, 0)[1], 0);
    ww_series_set_destroy(&set);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

int main(void) {
    Suite *suite = suite_create("table");
    TCase *tcase = wwt_case(suite, "table", 20);
    tcase_add_checked_fixture(tcase, io_setup, io_teardown);
    tcase_add_loop_test(tcase, axes_of_arrays, 0, COUNT(arrays));
    tcase_add_test(tcase, a_table_of_points);
    tcase_add_test(tcase, dates_and_names_of_series);
    tcase_add_test(tcase, one_value_a_line);
    tcase_add_test(tcase, headings_that_count);
    tcase_add_test(tcase, labels_or_values);
    tcase_add_test(tcase, chosen_columns);
    tcase_add_test(tcase, contradictions_are_refused);
    tcase_add_test(tcase, a_matrix_of_distances_is_noticed);
    tcase_add_test(tcase, missing_values);
    return wwt_run(suite);
}
