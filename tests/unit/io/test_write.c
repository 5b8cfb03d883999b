// SPDX-License-Identifier: Apache-2.0
// What is written reads back the same; what can't be written leaves no file.
#include <float.h>
#include <math.h>
#include <sys/stat.h>
#include <wavewarp/run.h>

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

static void check_refused(const char *name) {
    ck_assert_int_eq(ww_series_set_write(set, io_path(name), WW_FORMAT_AUTO, WW_DOUBLE), WW_ERROR_UNSUPPORTED);
    ck_assert_int_eq(io_entries(false), 0);
}

// Labels that the reader takes for something else are refused; the others come back.
static const char *const odd_labels[] = {"#a",       "@a",     "@relation", "%a",    "\xEF\xBB\xBF", "\x93NUMPY",
                                         "\x1F\x8B", "PK\3\4", "0.5",       "-1e-3", " a",           "a\f",
                                         "a\tb",     "a\nb",   "",          "?"};
static const char *const good_labels[] = {"1.0", "007", "1",   "-1", "a b", "nan",   "inf", "a#",    "\xEF\xBC\xA1",
                                          "PK",  "\"a", "a,b", "t",  "id",  "(1,2)", "+",   "label", "class"};

START_TEST(odd_labels_are_refused) {
    add(3, (const double[]){1, 2, 3}, odd_labels[_i]);
    add(3, (const double[]){4, 5.5, 6}, odd_labels[_i]);
    check_refused("a.tsv");
}
END_TEST

START_TEST(other_labels_read_back) {
    add(3, (const double[]){1, 2, 3}, good_labels[_i]);
    add(3, (const double[]){4, 5.5, 6}, good_labels[_i]);
    check_round_trip("a.tsv", WW_DOUBLE, true);
    if (!strpbrk(good_labels[_i], " :"))
        check_round_trip("a.ts", WW_DOUBLE, true);
}
END_TEST

// Sets that a reader could take for something else: a column, a heading, other axes.
START_TEST(odd_shapes_read_back) {
    const double ramp[] = {0, 1, 2, 3}, other[] = {0.5, 1, 2, NAN, 7};
    add(1, ramp + 2, "1");
    check_round_trip("a.csv", WW_DOUBLE, false); // one value
    add(1, ramp + 1, "2");
    check_round_trip("a.csv", WW_DOUBLE, false); // a column of values
    check_round_trip("a.npy", WW_DOUBLE, false);
    check_round_trip("a.tsv", WW_DOUBLE, true);
    add(5, other, "1");
    check_round_trip("a.csv", WW_DOUBLE, false); // the first line without a separator
    check_round_trip("a.tsv", WW_DOUBLE, true);
    ww_series_set_destroy(&set);
    for (size_t first = 0; first < 2; first++) {
        ck_assert_int_eq(ww_series_set_create(1, &set), WW_OK);
        add(3, ramp + first, first ? "0" : "class");
        add(5, other, "2");
        check_round_trip("a.csv", WW_DOUBLE, false); // a line that counts
        check_round_trip("a.csv", WW_FLOAT, false);
        check_round_trip("a.tsv", WW_DOUBLE, true);
        ww_series_set_destroy(&set);
    }
    double values[64];
    for (size_t i = 0; i < 64; i++)
        values[i] = (double)i;
    for (size_t channels = 1; channels <= 32; channels *= 2)
        for (size_t length = 1; length * channels <= 64; length *= 2) {
            ck_assert_int_eq(ww_series_set_create(channels, &set), WW_OK);
            for (size_t i = 0; i < 3; i++)
                add(length, values, NULL);
            check_round_trip("a.npy", WW_DOUBLE, false);
            check_round_trip("a.ts", WW_DOUBLE, false);
            ww_series_set_destroy(&set);
        }
}
END_TEST

START_TEST(missing_ends_are_refused) {
    add(3, (const double[]){1, 2, NAN}, "a");
    add(3, (const double[]){NAN, 2, 3}, "a");
    check_refused("a.csv");
    check_refused("a.tsv");
    check_round_trip("a.ts", WW_DOUBLE, true);
    check_round_trip("a.npy", WW_DOUBLE, false);
}
END_TEST

// ---- all formats, on generated sets and on those of the archives

// Writes the set in every format that holds it, and reads it again: the same values, lengths, channels, and labels
// where the format has them. Returns how many formats hold it.
static int check_formats(void) {
    static const struct {
        const char *name;
        bool labels;
    } formats[] = {{"a.ts", true}, {"a.tsv", true}, {"a.txt", true}, {"a.csv", false}, {"a.npy", false}};
    int held = 0;
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        const ww_status status = ww_series_set_write(set, io_path(formats[k].name), WW_FORMAT_AUTO, WW_DOUBLE);
        if (status == WW_ERROR_UNSUPPORTED || status == WW_ERROR_NO_LABELS) {
            ck_assert_int_eq(io_entries(false), 0);
            continue;
        }
        ck_assert_msg(status == WW_OK, "%s", ww_last_error()->message);
        check_same(io_path(formats[k].name), formats[k].labels);
        unlink(io_path(formats[k].name));
        held++;
    }
    return held;
}

START_TEST(generated_sets_read_back) {
    for (int kind = WW_GENERATE_CBF; kind <= WW_GENERATE_SINE; kind++)
        for (size_t shape = 0; shape < 24; shape++) {
            ww_generate_options options = WW_GENERATE_OPTIONS_INIT;
            options.count = shape % 4 ? 9 : 1;
            options.length = 1 + shape * shape / 8;
            options.max_length = shape % 3 ? 0 : options.length + shape;
            options.channels = shape % 5 == 4 ? 1 + 3 * shape : 1;
            options.seed = shape + 1;
            ww_series_set_destroy(&set);
            if (ww_series_set_generate((ww_generator)kind, &options, &set) != WW_OK) {
                ck_assert_int_eq(ww_series_set_create(1, &set), WW_OK); // too short for its kind
                continue;
            }
            ck_assert_int_ge(check_formats(), 1);
        }
}
END_TEST

static const char *data_folder(void) {
    return getenv("WAVEWARP_TEST_DATA");
}

static void check_data_file(const char *path) {
    ww_series_set_destroy(&set);
    ck_assert_msg(ww_series_set_read(path, NULL, &set) == WW_OK, "%s", ww_last_error()->message);
    ck_assert_msg(ww_series_set_notice_count(set) == 0, "%s: %s", path, ww_series_set_notice(set, 0, NULL));
    const bool univariate = ww_series_set_channels(set) == 1;
    const int held = check_formats();
    ck_assert_msg(held >= (univariate ? 4 : 1), "%s: %d formats hold it", path, held);
}

// Every .ts and .tsv of the folder's folders: no notice, and the same from every format.
START_TEST(data_sets_read_back) {
    DIR *folder = opendir(data_folder());
    int count = 0;
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *one; (one = readdir(folder));) {
        char path[768];
        snprintf(path, sizeof path, "%s/%s", data_folder(), one->d_name);
        DIR *files = *one->d_name == '.' ? NULL : opendir(path);
        for (struct dirent *file; files && (file = readdir(files));) {
            char name[1280];
            snprintf(name, sizeof name, "%s/%s", path, file->d_name);
            if (strstr(file->d_name, ".ts")) {
                check_data_file(name);
                count++;
            }
        }
        if (files)
            closedir(files);
    }
    closedir(folder);
    ck_assert_int_gt(count, 0);
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

static int stop(void *user) {
    (void)user;
    return 1;
}

// An interrupt ends writing, which leaves no file, and reading by any number of threads.
START_TEST(interrupts) {
    enum { SERIES = 40, POINTS = 2000 };
    static const char *const names[] = {"a.tsv", "a.csv", "a.ts", "a.npy"};
    double values[POINTS];
    const char *path = io_path(names[_i]);
    for (size_t i = 0; i < SERIES; i++) {
        for (size_t t = 0; t < POINTS; t++)
            values[t] = (double)(i * POINTS + t) / 7;
        add(POINTS, values, "a");
    }
    ww_thread_set_interrupt(stop, NULL);
    ck_assert_int_eq(ww_series_set_write(set, path, WW_FORMAT_AUTO, WW_DOUBLE), WW_ERROR_CANCELLED);
    ck_assert_int_eq(io_entries(false), 0);
    ww_thread_set_interrupt(NULL, NULL);
    ck_assert_int_eq(ww_series_set_write(set, path, WW_FORMAT_AUTO, WW_DOUBLE), WW_OK);
    for (int threads = 1; threads <= 3; threads += 2) {
        ww_read_options options = WW_READ_OPTIONS_INIT;
        ww_series_set *back = NULL;
        options.threads = threads;
        ww_thread_set_interrupt(stop, NULL);
        ck_assert_int_eq(ww_series_set_read(path, &options, &back), WW_ERROR_CANCELLED);
        ck_assert_ptr_null(back);
        ww_thread_set_interrupt(NULL, NULL);
    }
    check_same(path, _i != 1 && _i != 3);
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
    tcase_add_loop_test(tcase, odd_labels_are_refused, 0, (int)(sizeof odd_labels / sizeof *odd_labels));
    tcase_add_loop_test(tcase, other_labels_read_back, 0, (int)(sizeof good_labels / sizeof *good_labels));
    tcase_add_test(tcase, odd_shapes_read_back);
    tcase_add_test(tcase, generated_sets_read_back);
    tcase_add_test(tcase, missing_ends_are_refused);
    tcase_add_test(tcase, a_full_disk_is_an_error);
    tcase_add_test(tcase, a_link_stays_a_link);
    tcase_add_loop_test(tcase, interrupts, 0, 4);
    if (data_folder() && access(data_folder(), R_OK) == 0) {
        tcase = wwt_case(suite, "data", 120);
        tcase_add_checked_fixture(tcase, setup, teardown);
        tcase_add_test(tcase, data_sets_read_back);
    } else {
        printf("# skipped: data_sets_read_back, no data sets: set WAVEWARP_TEST_DATA to their folder\n");
    }
    return wwt_run(suite);
}
