// SPDX-License-Identifier: Apache-2.0
// What is written reads back the same; what can't be written leaves no file.
#include <float.h>
#include <math.h>
#include <sys/stat.h>

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

static void add(size_t length, const double *values, const char *label) {
    ck_assert_int_eq(ww_series_set_add(set, length, values, label), WW_OK);
}

// Reads `path` and compares it with `set`, labels too where the format keeps them.
static void check_same(const char *path, bool labels) {
    ww_series_set *back = io_read(path);
    ck_assert_uint_eq(ww_series_set_count(back), ww_series_set_count(set));
    ck_assert_uint_eq(ww_series_set_channels(back), ww_series_set_channels(set));
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        const size_t length = ww_series_set_length(set, i);
        ck_assert_uint_eq(ww_series_set_length(back, i), length);
        for (size_t t = 0; t < length * ww_series_set_channels(set); t++) {
            const double x = ww_series_set_values(set, i)[t], y = ww_series_set_values(back, i)[t];
            ck_assert_msg(x == y || (isnan(x) && isnan(y)), "%s: series %zu at %zu: %.17g, %.17g", path, i, t, x, y);
        }
        const char *label = labels ? ww_series_set_label(set, i) : NULL;
        ck_assert_pstr_eq(ww_series_set_label(back, i), label);
    }
    ww_series_set_destroy(&back);
}

static void check_round_trip(const char *name, ww_precision precision, bool labels) {
    const char *path = io_path(name);
    const ww_status status = ww_series_set_write(set, path, WW_FORMAT_AUTO, precision);
    ck_assert_msg(status == WW_OK, "%s", ww_last_error()->message);
    ck_assert_int_eq(io_entries(false), 1);
    check_same(path, labels);
    unlink(path);
}

START_TEST(every_format_reads_back) {
    const double values[] = {0.1, -1e300, 5e-324, 1.0 / 3.0, 123456789.123456789};
    add(5, values, "a");
    add(5, values, "b");
    check_round_trip("a.tsv", WW_DOUBLE, true);
    check_round_trip("a.txt", WW_DOUBLE, true);
    check_round_trip("a.ts", WW_DOUBLE, true);
    check_round_trip("a.csv", WW_DOUBLE, false);
    check_round_trip("a.npy", WW_DOUBLE, false);
}
END_TEST

START_TEST(floats_read_back_as_floats) {
    const double values[] = {(double)0.1F, (double)FLT_MAX, (double)1e-45F, (double)(1.0F / 3.0F)};
    add(4, values, "a");
    const char *path = io_path("a.ts");
    ck_assert_int_eq(ww_series_set_write(set, path, WW_FORMAT_AUTO, WW_FLOAT), WW_OK);
    ww_series_set *back = io_read(path);
    for (size_t t = 0; t < 4; t++)
        ck_assert_float_eq((float)ww_series_set_values(back, 0)[t], (float)values[t]);
    ww_series_set_destroy(&back);
    check_round_trip("a.ts", WW_DOUBLE, true);
    check_round_trip("a.npy", WW_FLOAT, false);
}
END_TEST

START_TEST(lengths_gaps_and_half_labels) {
    add(3, (const double[]){1, NAN, 3}, "a");
    add(1, (const double[]){5}, NULL);
    check_round_trip("a.ts", WW_DOUBLE, true);
    check_round_trip("a.csv", WW_DOUBLE, false);
    ck_assert_int_eq(ww_series_set_write(set, io_path("a.npy"), WW_FORMAT_AUTO, WW_FLOAT), WW_ERROR_UNSUPPORTED);
    ck_assert_int_eq(ww_series_set_write(set, io_path("a.tsv"), WW_FORMAT_AUTO, WW_FLOAT), WW_ERROR_NO_LABELS);
    ck_assert_int_eq(ww_last_error()->series, 1);
    ck_assert_int_eq(io_entries(false), 0);
}
END_TEST

START_TEST(channels_read_back) {
    ww_series_set_destroy(&set);
    ck_assert_int_eq(ww_series_set_create(3, &set), WW_OK);
    add(2, (const double[]){1, 2, 3, 4, 5, 6}, NULL);
    add(2, (const double[]){7, 8, 9, 10, 11, 12}, NULL);
    check_round_trip("a.ts", WW_DOUBLE, true);
    check_round_trip("a.npy", WW_DOUBLE, false);
    ck_assert_int_eq(ww_series_set_write(set, io_path("a.csv"), WW_FORMAT_AUTO, WW_FLOAT), WW_ERROR_UNSUPPORTED);
    ck_assert_int_eq(ww_series_set_write(set, io_path("a.tsv"), WW_FORMAT_AUTO, WW_FLOAT), WW_ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(what_can_not_be_written) {
    ck_assert_int_eq(ww_series_set_write(set, io_path("a.ts"), WW_FORMAT_AUTO, WW_FLOAT), WW_ERROR_EMPTY);
    add(1, (const double[]){1e300}, "a b");
    ck_assert_int_eq(ww_series_set_write(set, io_path("a.csv"), WW_FORMAT_AUTO, WW_FLOAT), WW_ERROR_OVERFLOW);
    ck_assert_int_eq(ww_series_set_write(set, io_path("a.ts"), WW_FORMAT_AUTO, WW_DOUBLE), WW_ERROR_UNSUPPORTED);
    check_round_trip("a.tsv", WW_DOUBLE, true);
    ck_assert_int_eq(ww_series_set_write(set, io_path("a.xyz"), WW_FORMAT_AUTO, WW_DOUBLE), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_write(set, io_path("a"), (ww_format)9, WW_DOUBLE), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_write(set, io_path("none/a.csv"), WW_FORMAT_AUTO, WW_DOUBLE), WW_ERROR_IO);
    ck_assert_int_eq(ww_series_set_write(set, io_folder, WW_FORMAT_CSV, WW_DOUBLE), WW_ERROR_IO);
    ck_assert_int_eq(ww_series_set_write(NULL, "a", WW_FORMAT_CSV, WW_DOUBLE), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_write(set, NULL, WW_FORMAT_CSV, WW_DOUBLE), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_write(set, "a", WW_FORMAT_CSV, (ww_precision)3), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(io_entries(false), 0);
}
END_TEST

START_TEST(a_full_disk_is_an_error) {
    if (access("/dev/full", W_OK) != 0)
        return;
    double values[4096] = {0};
    add(4096, values, "a");
    ck_assert_int_eq(ww_series_set_write(set, "/dev/full", WW_FORMAT_CSV, WW_DOUBLE), WW_ERROR_IO);
    struct stat about;
    ck_assert_int_eq(stat("/dev/full", &about), 0);
    ck_assert(S_ISCHR(about.st_mode));
}
END_TEST

START_TEST(a_link_stays_a_link) {
    add(1, (const double[]){1}, "a");
    io_file("real.ts", "old", 3);
    ck_assert_int_eq(symlink("real.ts", io_path("link.ts")), 0);
    ck_assert_int_eq(ww_series_set_write(set, io_path("link.ts"), WW_FORMAT_AUTO, WW_DOUBLE), WW_OK);
    struct stat about;
    ck_assert_int_eq(lstat(io_path("link.ts"), &about), 0);
    ck_assert(S_ISLNK(about.st_mode));
    check_same(io_path("real.ts"), true);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("write");
    TCase *tcase = wwt_case(suite, "write", 20);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, every_format_reads_back);
    tcase_add_test(tcase, floats_read_back_as_floats);
    tcase_add_test(tcase, lengths_gaps_and_half_labels);
    tcase_add_test(tcase, channels_read_back);
    tcase_add_test(tcase, what_can_not_be_written);
    tcase_add_test(tcase, a_full_disk_is_an_error);
    tcase_add_test(tcase, a_link_stays_a_link);
    return wwt_run(suite);
}
