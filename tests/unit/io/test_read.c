// SPDX-License-Identifier: Apache-2.0
// Reading every format; bad input gives its status and the place.
#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <math.h>

#include "check_main.h"
#include "files/read.h"
#include "io_support.h"

// ---- numbers

static bool parse(const char *text, double *value) {
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *padded = io_padded(text);
    const bool good = wwi_number_parse((wwi_span){padded, padded + strlen(text)}, c, value);
    free(padded);
    freelocale(c);
    return good;
}

START_TEST(numbers_are_rounded_right) {
    static const char *const numbers[] = {"0",
                                          "-0",
                                          "1",
                                          "+1.5",
                                          ".5",
                                          "5.",
                                          "-1.1250133",
                                          "1e22",
                                          "1e23",
                                          "123456789012345678901234567890",
                                          "9007199254740993",
                                          "9007199254740992.5",
                                          "0.1",
                                          "3.14159265358979323846264338327950288",
                                          "1e-22",
                                          "1e-23",
                                          "2.2250738585072011e-308",
                                          "4.9406564584124654e-324",
                                          "1.7976931348623157e308",
                                          "1e-400",
                                          "0.000000000000000000000000000001",
                                          "-5.8E-5",
                                          "1.0000000e+00",
                                          "00000000000000000000000012",
                                          "1e0000000000000000000000001",
                                          "0e999999999999999999"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double value = NAN;
        ck_assert_msg(parse(numbers[i], &value), "%s", numbers[i]);
        const double right = strtod(numbers[i], NULL);
        ck_assert_msg(memcmp(&value, &right, sizeof value) == 0, "%s: %.17g", numbers[i], value);
    }
}
END_TEST

START_TEST(random_numbers_survive_17_digits) {
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t mixed = bits ^ bits >> 31;
        double value, back;
        memcpy(&value, &mixed, sizeof value);
        if (!isfinite(value))
            continue;
        char text[40];
        snprintf(text, sizeof text, "%.17g", value);
        ck_assert(parse(text, &back));
        ck_assert_msg(memcmp(&value, &back, sizeof value) == 0, "%s", text);
    }
}
END_TEST

START_TEST(what_is_no_number) {
    static const char *const others[] = {"",    "-",   ".",   "e5",  "1e",   "1e+",     "1..2",  "1.2.3", "0x10",
                                         "1 2", "1,5", "--1", "abc", "nanx", "infinit", "1e5e5", "+-1",   "1f"};
    double value;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_msg(!parse(others[i], &value), "%s", others[i]);
    ck_assert(parse("NaN", &value) && isnan(value));
    ck_assert(parse("-inf", &value) && value < -DBL_MAX);
    ck_assert(parse("Infinity", &value) && value > DBL_MAX);
    ck_assert(parse("1e999", &value) && value > DBL_MAX);
}
END_TEST

// ---- text formats

// Checks one series of a one-channel set.
static void check_series(const ww_series_set *set, size_t i, const char *label, size_t length, const double *values) {
    if (label)
        ck_assert_str_eq(ww_series_set_label(set, i), label);
    else
        ck_assert_ptr_null(ww_series_set_label(set, i));
    ck_assert_uint_eq(ww_series_set_length(set, i), length);
    for (size_t t = 0; t < length; t++) {
        const double value = ww_series_set_values(set, i)[t];
        ck_assert_msg(isnan(values[t]) ? isnan(value) : value == values[t], "series %zu at %zu: %g", i, t, value);
    }
}

START_TEST(ucr_text_in_every_dress) {
    static const char *const contents[] = {
        "1\t1.5\t2\t3\n2\t4\t5\t6\n",
        "1\t1.5\t2\t3\r\n2\t4\t5\t6\r\n",
        "1,1.5,2,3\n2,4,5,6",
        "  1.0000000e+00   1.5000000e+00   2.0e+00   3\n   2.0000000e+00 4 5 6  \n\n",
        "1 , 1.5, 2, 3 \n\n2 ,4, 5, 6\n",
        ("\xEF\xBB\xBF"
         "1\t1.5\t2\t3\n2\t4\t5\t6\n"),
        "# made by hand\n1;1.5;2;3\n2;4;5;6\n",
    };
    for (size_t k = 0; k < sizeof contents / sizeof *contents; k++) {
        ww_series_set *set = io_read_text("a.txt", contents[k]);
        ck_assert_uint_eq(ww_series_set_count(set), 2);
        check_series(set, 0, "1", 3, (const double[]){1.5, 2, 3});
        check_series(set, 1, "2", 3, (const double[]){4, 5, 6});
        ww_series_set_destroy(&set);
    }
}
END_TEST

START_TEST(ucr_padding_is_cut_and_gaps_stay) {
    ww_series_set *set = io_read_text("a.tsv", "a b\t1\t2\tNaN\tNaN\n-1\t3\tNaN\t4\tnan\n007\t\t1\t?\t2\n\t9\t\t\t\n");
    ck_assert_uint_eq(ww_series_set_count(set), 4);
    check_series(set, 0, "a b", 2, (const double[]){1, 2});
    check_series(set, 1, "-1", 3, (const double[]){3, NAN, 4});
    check_series(set, 2, "7", 4, (const double[]){NAN, 1, NAN, 2});
    check_series(set, 3, NULL, 1, (const double[]){9});
    ck_assert_uint_eq(ww_series_set_missing(set), 3);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(csv_is_lines_of_numbers) {
    ww_series_set *set = io_read_text("a.csv", "t0,t1,t2\n1,2,3\n4,,6\n\"7\", 8 ,\n");
    ck_assert_uint_eq(ww_series_set_count(set), 3);
    check_series(set, 0, NULL, 3, (const double[]){1, 2, 3});
    check_series(set, 1, NULL, 3, (const double[]){4, NAN, 6});
    check_series(set, 2, NULL, 2, (const double[]){7, 8});
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(csv_labels_where_asked_for) {
    ww_read_options options = WW_READ_OPTIONS_INIT;
    ww_series_set *set = NULL;
    options.csv_label = 1;
    const char *path = io_path("a.csv");
    io_file("a.csv", "\"x, y\",1,2\nz,3,4\n", 17);
    ck_assert_int_eq(ww_series_set_read(path, &options, &set), WW_OK);
    check_series(set, 0, "x, y", 2, (const double[]){1, 2});
    check_series(set, 1, "z", 2, (const double[]){3, 4});
    ww_series_set_destroy(&set);

    options.csv_label = 2;
    io_file("a.csv", "1 2 x\n3 4 5 y\n", 14);
    ck_assert_int_eq(ww_series_set_read(path, &options, &set), WW_OK);
    check_series(set, 0, "x", 2, (const double[]){1, 2});
    check_series(set, 1, "y", 3, (const double[]){3, 4, 5});
    ww_series_set_destroy(&set);

    options.csv_label = 4;
    ck_assert_int_eq(ww_series_set_read(path, &options, &set), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(the_locale_does_not_matter) {
    static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8", "pt_BR.UTF-8"};
    for (size_t k = 0; k < sizeof commas / sizeof *commas && !setlocale(LC_ALL, commas[k]); k++)
        continue;
    // 18 digits take the slow way. Where none of the locales is installed this checks little, but costs nothing.
    ww_series_set *set = io_read_text("a.csv", "1.5,0.123456789012345678\n");
    check_series(set, 0, NULL, 2, (const double[]){1.5, 0x1.f9add3746f65fp-4});
    ck_assert_int_eq(ww_series_set_write(set, io_path("b.csv"), WW_FORMAT_AUTO, WW_DOUBLE), WW_OK);
    ww_series_set *back = io_read(io_path("b.csv"));
    check_series(back, 0, NULL, 2, ww_series_set_values(set, 0));
    ww_series_set_destroy(&back);
    ww_series_set_destroy(&set);
}
END_TEST

#define TS_HEAD "#comment\n\n@problemName x\n@timeStamps false\n"

START_TEST(ts_univariate) {
    ww_series_set *set =
        io_read_text("a.ts", TS_HEAD "@univariate true\n@classLabel true a b\n@data\n1,2,3:a\r\n4,?,NaN,5: b \n6:?\n");
    ck_assert_uint_eq(ww_series_set_count(set), 3);
    check_series(set, 0, "a", 3, (const double[]){1, 2, 3});
    check_series(set, 1, "b", 4, (const double[]){4, NAN, NAN, 5});
    check_series(set, 2, NULL, 1, (const double[]){6});
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(ts_multivariate) {
    // Content, not name, decides the format.
    ww_series_set *set =
        io_read_text("a.csv", TS_HEAD
                     "@dimensions 2\n@equalLength false\n@seriesLength 0\n@classLabel false\n@DATA\n1,2:3,4\n5:6\n");
    ck_assert_uint_eq(ww_series_set_channels(set), 2);
    ck_assert_uint_eq(ww_series_set_length(set, 0), 2);
    ck_assert_double_eq(ww_series_set_values(set, 0)[2], 3.0);
    ck_assert_double_eq(ww_series_set_values(set, 1)[1], 6.0);
    ck_assert_ptr_null(ww_series_set_label(set, 0));
    ww_series_set_destroy(&set);
}
END_TEST

// Content that is refused, with its status and what the message has in it.
static const struct refused {
    const char *name, *content, *message;
    ww_status status;
} refusals[] = {
    {"a.tsv", "1\t2\t3\n1\t2\tx\n", ":2:5: 'x' is not a number", WW_ERROR_FORMAT},
    {"a.tsv", "1\n", ":1:1: the series has no values", WW_ERROR_EMPTY},
    {"a.tsv", "1\tNaN\tNaN\n", "has no values", WW_ERROR_EMPTY},
    {"a.tsv", "\n\n \n", "no series", WW_ERROR_EMPTY},
    {"a.tsv", "# nothing\n", "no series", WW_ERROR_EMPTY},
    {"a.csv", "t0,t1\n", "no series", WW_ERROR_EMPTY},
    {"a.csv", "1,2\n3,four\n", ":2:3: 'four'", WW_ERROR_FORMAT},
    {"a.csv", "1;2\n1,5;2\n", ":2:1: '1,5' is not", WW_ERROR_FORMAT},
    {"a.csv", "1,\"2\n", ":1:3:", WW_ERROR_FORMAT},
    {"a.ts", "", "empty", WW_ERROR_EMPTY},
    {"a.ts", "@data\n", "no series", WW_ERROR_EMPTY},
    {"a.ts", "@classLabel true 1\n", "no line @data", WW_ERROR_FORMAT},
    {"a.ts", "@classLabel maybe\n@data\n1\n", ":1:13: expected true or false", WW_ERROR_FORMAT},
    {"a.ts", "@classLabel\n@data\n1\n", ":1:12: expected true or false", WW_ERROR_FORMAT},
    {"a.ts", "@dimensions 0\n@data\n1\n", ":1:13: expected a whole number", WW_ERROR_FORMAT},
    {"a.ts", "@dimensions 1e99\n@data\n1\n", "whole number", WW_ERROR_FORMAT},
    {"a.ts", "@univariate true\n1,2\n", ":2:1: expected a line", WW_ERROR_FORMAT},
    {"a.ts", "@univariate true\n@data\n1,2:3,4\n", ":3:8: the series has 2 channels", WW_ERROR_CHANNELS},
    {"a.ts", "@data\n1,2:3,4\n1,2\n", ":3:4: the series has 1 channels where 2", WW_ERROR_CHANNELS},
    {"a.ts", "@data\n1,2:3\n", ":2:5: channel 2 has 1 values", WW_ERROR_FORMAT},
    {"a.ts", "@data\n1,2::3,4\n", ":2:5: the channel has no values", WW_ERROR_EMPTY},
    {"a.ts", "@dimensions 2\n@data\n1,2:\n", ":3:5: the series has 1 channels where 2", WW_ERROR_CHANNELS},
    {"a.ts", "@classLabel true a\n@data\n1,2,3\n", ":3:6: expected ':' and a class label", WW_ERROR_FORMAT},
    {"a.ts", "@equalLength true\n@data\n1,2\n1,2,3\n", ":4:6: the series has 3 values where 2", WW_ERROR_FORMAT},
    {"a.ts", "@equalLength true\n@seriesLength 3\n@data\n1,2\n", "where 3 are expected", WW_ERROR_FORMAT},
    {"a.npy", "\x93NUMPY", "ends in its header", WW_ERROR_FORMAT},
};

START_TEST(bad_text_is_refused_with_its_place) {
    const struct refused *bad = &refusals[_i];
    ww_series_set *set = NULL;
    const char *path = io_file(bad->name, bad->content, strlen(bad->content));
    const ww_status status = ww_series_set_read(path, NULL, &set);
    ck_assert_msg(status == bad->status, "status %d: %s", (int)status, ww_last_error()->message);
    ck_assert_ptr_null(set);
    ck_assert_msg(strstr(ww_last_error()->message, bad->message), "%s", ww_last_error()->message);
    ck_assert_msg(strstr(ww_last_error()->message, path), "%s", ww_last_error()->message);
}
END_TEST

START_TEST(files_that_are_something_else) {
    ww_series_set *set = NULL;
    ck_assert_int_eq(ww_series_set_read(io_path("none"), NULL, &set), WW_ERROR_IO);
    ck_assert_int_eq(ww_series_set_read(io_folder, NULL, &set), WW_ERROR_IO);
    ck_assert_int_eq(ww_series_set_read(NULL, NULL, &set), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_series_set_read("x", NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    static const char zip[] = "PK\x03\x04\x00\x00", wide[] = "\xFF\xFE"
                                                             "1\x00\t\x00";
#ifdef WWI_HAVE_ZLIB
    static const char gzip[] = "\x1F\x8B\x08\x00";
#endif
    ck_assert_int_eq(ww_series_set_read(io_file("a.npz", zip, sizeof zip), NULL, &set), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "directory"));
#ifdef WWI_HAVE_ZLIB
    ck_assert_int_eq(ww_series_set_read(io_file("a.gz", gzip, sizeof gzip), NULL, &set), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "damaged"));
#endif
    ck_assert_int_eq(ww_series_set_read(io_file("a.txt", wide, sizeof wide), NULL, &set), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->hint, "UTF-16"));
    ww_read_options options = WW_READ_OPTIONS_INIT;
    options.format = WW_FORMAT_TSV;
    ck_assert_int_eq(ww_series_set_read(io_file("a", "1\0", 3), &options, &set), WW_ERROR_FORMAT);
    options.format = WW_FORMAT_NPY;
    ck_assert_int_eq(ww_series_set_read(io_file("a", "1,2", 3), &options, &set), WW_ERROR_FORMAT);
    options.format = (ww_format)77;
    ck_assert_int_eq(ww_series_set_read(io_file("a", "1,2", 3), &options, &set), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(standard_input_is_a_file_too) {
    ck_assert_int_ge(dup2(open(io_file("a", "1,2\n3,4\n", 8), O_RDONLY), STDIN_FILENO), 0);
    ww_series_set *set = io_read("-");
    ck_assert_uint_eq(ww_series_set_count(set), 2);
    ww_series_set_destroy(&set);
}
END_TEST

// ---- .npy

// Writes a .npy file of format `version` with this dictionary and these data.
static const char *npy_file(unsigned version, const char *dictionary, const void *data, size_t data_size) {
    char bytes[1024] = "\x93NUMPY";
    const size_t size = strlen(dictionary), start = version == 1 ? 10 : 12;
    bytes[6] = (char)version;
    bytes[8] = (char)(size & 255);
    bytes[9] = (char)(size >> 8);
    memcpy(bytes + start, dictionary, size);
    memcpy(bytes + start + size, data, data_size);
    return io_file("a.npy", bytes, start + size + data_size);
}

START_TEST(npy_types_orders_and_shapes) {
    const float singles[] = {1, 2, 3, 4, 5, 6};
    ww_series_set *set =
        io_read(npy_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", singles, sizeof singles));
    check_series(set, 1, NULL, 3, (const double[]){4, 5, 6});
    ww_series_set_destroy(&set);

    set = io_read(
        npy_file(2, "{\"shape\": (2,3), \"fortran_order\": True, \"descr\": \"<f4\"}", singles, sizeof singles));
    check_series(set, 1, NULL, 3, (const double[]){2, 4, 6});
    ww_series_set_destroy(&set);

    set = io_read(npy_file(3, "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", singles, sizeof singles));
    check_series(set, 0, NULL, 6, (const double[]){1, 2, 3, 4, 5, 6});
    ww_series_set_destroy(&set);

    set = io_read(npy_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 2)}", singles, sizeof singles));
    ck_assert_uint_eq(ww_series_set_channels(set), 3);
    check_series(set, 0, NULL, 2, (const double[]){1, 2});
    ww_series_set_destroy(&set);

    set = io_read(npy_file(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3, 2)}", singles, sizeof singles));
    check_series(set, 0, NULL, 2, (const double[]){1, 4});
    ww_series_set_destroy(&set);

    static const unsigned char big[] = {0x40, 0x09, 0x21, 0xFB, 0x54, 0x44, 0x2D, 0x18};
    set = io_read(npy_file(1, "{'descr': '>f8', 'fortran_order': False, 'shape': (1, 1)}", big, sizeof big));
    check_series(set, 0, NULL, 1, (const double[]){3.14159265358979311600});
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(npy_integers) {
    static const unsigned char bytes[] = {0xFF, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    static const struct {
        const char *type;
        size_t size;
        double first;
    } types[] = {{"|u1", 1, 255},
                 {"|i1", 1, -1},
                 {"<i2", 2, -257},
                 {">i2", 2, -2},
                 {"<u2", 2, 65279},
                 {"<i4", 4, -257},
                 {"<u4", 4, 4294967039.0},
                 {">i4", 4, -65537},
                 {"<i8", 8, -257},
                 {">i8", 8, -281474976710657.0},
                 {"<u8", 8, 18446744073709551359.0}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        char dictionary[128];
        snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }",
                 types[k].type);
        ww_series_set *set = io_read(npy_file(1, dictionary, bytes, types[k].size));
        check_series(set, 0, NULL, 1, &types[k].first);
        ww_series_set_destroy(&set);
    }
}
END_TEST

static const struct {
    const char *dictionary;
    unsigned version;
    ww_status status;
} bad_arrays[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", 1, WW_ERROR_FORMAT}, // 16 bytes, 8 are there
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 1, WW_ERROR_FORMAT},   // 4 bytes, 8 are there
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 1)}", 1, WW_ERROR_FORMAT},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 1, WW_ERROR_FORMAT},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,)}", 1, WW_ERROR_FORMAT},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1000000000000)}", 1, WW_ERROR_FORMAT},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2)}", 1, WW_ERROR_EMPTY},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 1, WW_ERROR_UNSUPPORTED},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 2)}", 1, WW_ERROR_UNSUPPORTED},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2", 1, WW_ERROR_FORMAT},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2)}", 1, WW_ERROR_FORMAT},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': 2}", 1, WW_ERROR_FORMAT},
    {"{'descr': '<f4', 'fortran_order': False}", 1, WW_ERROR_FORMAT},
    {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", 1, WW_ERROR_FORMAT},
    {"{'descr': '<f4', 'shape': (2,)}", 1, WW_ERROR_FORMAT},
    {"{'fortran_order': False, 'shape': (2,)}", 1, WW_ERROR_FORMAT},
    {"{'descr' '<f4', 'fortran_order': False, 'shape': (2,)}", 1, WW_ERROR_FORMAT},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 1, WW_ERROR_UNSUPPORTED},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 1, WW_ERROR_UNSUPPORTED},
    {"{'descr': '<f2", 1, WW_ERROR_UNSUPPORTED},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 1, WW_ERROR_UNSUPPORTED},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9, WW_ERROR_UNSUPPORTED},
    {"", 1, WW_ERROR_FORMAT},
};

START_TEST(bad_npy_is_refused) {
    const float data[] = {1, 2};
    ww_series_set *set = NULL;
    const char *path = npy_file(bad_arrays[_i].version, bad_arrays[_i].dictionary, data, sizeof data);
    const ww_status status = ww_series_set_read(path, NULL, &set);
    ck_assert_msg(status == bad_arrays[_i].status, "%s: status %d: %s", bad_arrays[_i].dictionary, (int)status,
                  ww_last_error()->message);
    ck_assert_ptr_null(set);
}
END_TEST

START_TEST(truncated_npy_is_refused_at_every_length) {
    const float data[] = {1, 2};
    const char *path = npy_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", data, sizeof data);
    char bytes[256];
    FILE *file = fopen(path, "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 0; cut < size; cut++) {
        ww_series_set *set = NULL;
        const ww_status status = ww_series_set_read(io_file("cut.npy", bytes, cut), NULL, &set);
        ck_assert_msg(status == WW_ERROR_FORMAT || status == WW_ERROR_EMPTY, "cut at %zu: %d", cut, (int)status);
    }
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

int main(void) {
    Suite *suite = suite_create("read");
    TCase *tcase = wwt_case(suite, "numbers", 20);
    tcase_add_test(tcase, numbers_are_rounded_right);
    tcase_add_test(tcase, random_numbers_survive_17_digits);
    tcase_add_test(tcase, what_is_no_number);

    tcase = wwt_case(suite, "files", 20);
    tcase_add_checked_fixture(tcase, io_setup, io_teardown);
    tcase_add_test(tcase, ucr_text_in_every_dress);
    tcase_add_test(tcase, ucr_padding_is_cut_and_gaps_stay);
    tcase_add_test(tcase, csv_is_lines_of_numbers);
    tcase_add_test(tcase, csv_labels_where_asked_for);
    tcase_add_test(tcase, the_locale_does_not_matter);
    tcase_add_test(tcase, ts_univariate);
    tcase_add_test(tcase, ts_multivariate);
    tcase_add_loop_test(tcase, bad_text_is_refused_with_its_place, 0, COUNT(refusals));
    tcase_add_test(tcase, files_that_are_something_else);
    tcase_add_test(tcase, standard_input_is_a_file_too);
    tcase_add_test(tcase, npy_types_orders_and_shapes);
    tcase_add_test(tcase, npy_integers);
    tcase_add_loop_test(tcase, bad_npy_is_refused, 0, COUNT(bad_arrays));
    tcase_add_test(tcase, truncated_npy_is_refused_at_every_length);
    return wwt_run(suite);
}
