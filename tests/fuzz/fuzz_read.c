// SPDX-License-Identifier: Apache-2.0
// Deterministic mutations of good files through every reader: no crash, no leak, and either a complete set or an error.
// Most useful with AddressSanitizer. WAVEWARP_FUZZ_SEED and WAVEWARP_FUZZ_RUNS change what is tried.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "fuzz/packed_seeds.h"
#include <wavewarp/series.h>

enum { ROOM = 4096 };

static uint64_t state;

static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static size_t below(size_t n) {
    return n ? (size_t)(next_random() % n) : 0;
}

#define NPY(size, dictionary) "\x93NUMPY\x01\x00" size "\x00" dictionary
// A good file, and how it is read.
static const struct {
    const char *text;
    size_t size;
    ww_format format;
    const char *time_column, *series_column;
} seeds[] = {
#define SEED_AS(text, format, time, series)                                                                            \
    { text, sizeof text - 1, format, time, series }
#define SEED(text) SEED_AS(text, WW_FORMAT_AUTO, NULL, NULL)
    SEED("1\t1.5\t-2e-3\t3\n2\t4\tNaN\t6\n"),
    SEED("  1.0000000e+00   1.5000000e+00\n 2 4 5 6\n"),
    SEED("t0,t1,t2\n1,2,3\n4,,6\n\"7\",8,?\n"),
    SEED("#c\n@problemName x\n@timeStamps false\n@univariate false\n@dimensions 2\n@equalLength false\n"
         "@classLabel true a b\n@data\n1,2,3:4,5,6:a\n7,?:8,-9.25:b\n"),
    SEED("@timeStamps true\n@classLabel true a b\n@data\n(0,1),(0.5,2):(0,3),(0.5,?):a\n(7,-1.5):(7,8):b\n"),
    SEED("@timeStamps true\n@data\n(2024-02-29 10:00:00,1),(2024-02-29T10:00:00.5-02:00,2)\n"),
    SEED_AS("who,when,x,y\na,2024-02-29,1,2\na,2024-02-29 10:00,3,\nb,1999/12/31,5,6\n", WW_FORMAT_AUTO, "when", "who"),
    SEED_AS("kitten\r\nGr\xC3\xBC\xC3\x9F\xE2\x82\xAC\xF0\x9F\x98\x80\nabc", WW_FORMAT_TEXT, NULL, NULL),
    SEED("@relation r\n@attribute a real\n@attribute 'b b' numeric\n@attribute c {x,'y z'}\n@data\n1,2,x\n3,?,'y z'\n"),
    SEED("@relation r\n@attribute m relational\n@attribute a real\n@attribute b real\n@end m\n@attribute c {x,y}\n"
         "@data\n'1,2\\n3,4',x\n\"5,6\\n7,8\",y\n"),
    SEED(SEED_STORED),
#ifdef WWI_HAVE_ZLIB
    SEED(SEED_DEFLATED),
    SEED(SEED_GZIP),
#endif
    SEED(NPY("\x3c", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n") "abcdefghijklmnopqrstuvwx"),
    SEED(NPY("\x3e", "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 2), }\n") "abcdefghijklmnopqrstuvwx"),
};
static const char *const pieces[] = {",",
                                     ":",
                                     "\t",
                                     "\n",
                                     "\"",
                                     "@data\n",
                                     "?",
                                     "NaN",
                                     "1e999",
                                     "-",
                                     "e",
                                     "0x",
                                     "\r\n",
                                     "@",
                                     "#",
                                     "(",
                                     "inf",
                                     "\x00",
                                     "';'",
                                     "'<f8'",
                                     "(0,)",
                                     "99999999",
                                     "true\n@cl",
                                     ":::",
                                     " \t ",
                                     "False",
                                     "),(",
                                     "2024-13-32T25:61:61",
                                     "\xC3",
                                     "\xED\xA0\x80",
                                     "true\n@timeStamps true\n",
                                     "@relation ",
                                     "@attribute q {",
                                     "relational\n",
                                     "\\n",
                                     "PK\x01\x02",
                                     "\xFF\xFF\xFF\xFF",
                                     "0.12345678901234567890123",
                                     "'"};

static size_t mutate(char *bytes, size_t size) {
    for (size_t changes = 1 + below(6); changes > 0; changes--) {
        const size_t at = below(size + 1);
        const size_t kind = below(5);
        if (kind == 0 && size > 0) {
            bytes[at % size] = (char)next_random();
        } else if (kind == 1 && size > 0) {
            bytes[at % size] = (char)(bytes[at % size] ^ (1 << below(8)));
        } else if (kind == 2) {
            const size_t gone = below(size - at + 1) % 40;
            memmove(bytes + at, bytes + at + gone, size - at - gone);
            size -= gone;
        } else if (kind == 3) {
            const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
            const size_t more = *piece ? strlen(piece) : 1;
            if (size + more <= ROOM) {
                memmove(bytes + at + more, bytes + at, size - at);
                memcpy(bytes + at, piece, more);
                size += more;
            }
        } else if (size > 0) {
            const size_t from = below(size), more = below(size - from + 1);
            if (size + more <= ROOM) {
                char copy[ROOM];
                memcpy(copy, bytes + from, more);
                memmove(bytes + at + more, bytes + at, size - at);
                memcpy(bytes + at, copy, more);
                size += more;
            }
        }
    }
    return size;
}

// A set that was read is whole, whatever it was read from.
static void check_set(const ww_series_set *set) {
    ck_assert_uint_ge(ww_series_set_count(set), 1);
    ck_assert_uint_ge(ww_series_set_channels(set), 1);
    volatile double sum = 0;
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        const size_t length = ww_series_set_length(set, i);
        ck_assert_uint_ge(length, 1);
        for (size_t t = 0; t < length * ww_series_set_channels(set); t++)
            sum = sum + ww_series_set_values(set, i)[t];
        ck_assert_int_lt(ww_series_set_class(set, i), (long)ww_series_set_class_count(set));
        const double *times = ww_series_set_times(set, i);
        for (size_t t = 0; times && t < length; t++)
            ck_assert(times[t] < INFINITY && times[t] > -INFINITY && (t == 0 || times[t] >= times[t - 1]));
    }
}

// A temporary file that the caller unlinks; its path replaces the X's.
static int open_file(char *path) {
    const int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    return file;
}

static void fill(int file, const char *bytes, size_t size) {
    ck_assert_int_eq(ftruncate(file, 0), 0);
    ck_assert_int_eq(pwrite(file, bytes, size, 0), (ssize_t)size);
}

static ww_read_options options_of(size_t seed) {
    ww_read_options options = WW_READ_OPTIONS_INIT;
    options.format = seeds[seed].format;
    options.time_column = seeds[seed].time_column;
    options.series_column = seeds[seed].series_column;
    return options;
}

static long from_environment(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

START_TEST(seeds_are_good_files) {
    char path[] = "/tmp/wavewarp-fuzz-XXXXXX";
    const int file = open_file(path);
    ww_series_set *set = NULL;
    fill(file, seeds[_i].text, seeds[_i].size);
    const ww_read_options options = options_of((size_t)_i);
    const ww_status status = ww_series_set_read(path, &options, &set);
    close(file);
    unlink(path);
    ck_assert_msg(status == WW_OK, "%s", ww_last_error()->message);
    check_set(set);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(mutated_files) {
    char path[] = "/tmp/wavewarp-fuzz-XXXXXX", bytes[ROOM];
    const int file = open_file(path);
    const long runs = from_environment("WAVEWARP_FUZZ_RUNS", 20000);
    state = (uint64_t)from_environment("WAVEWARP_FUZZ_SEED", 20240229) * 2 + 1;
    long good = 0;
    for (long run = 0; run < runs; run++) {
        const size_t k = below(sizeof seeds / sizeof *seeds);
        memcpy(bytes, seeds[k].text, seeds[k].size);
        const size_t size = mutate(bytes, seeds[k].size);
        fill(file, bytes, size);
        // Mostly as the seed is read, else in some way.
        ww_read_options options = options_of(k);
        if (below(4) == 0 && !options.series_column)
            options.format = (ww_format)below(7);
        if (below(16) == 0)
            options.threads = 2 + (int)below(3);
        if (below(4) == 0)
            options.csv_label = (int)below(3);
        if (options.series_column && below(4) == 0)
            options.time_column = below(2) ? "2" : NULL;
        if (!options.time_column && below(8) == 0)
            options.times = path; // of itself
        ww_series_set *set = NULL;
        const ww_status status = ww_series_set_read(path, &options, &set);
        if (status == WW_OK) {
            good++;
            check_set(set);
        } else {
            ck_assert_ptr_null(set);
            ck_assert_int_eq(ww_last_error()->status, status);
            ck_assert_int_ne(ww_last_error()->message[0], '\0');
            ck_assert_int_ne(status, WW_ERROR_INVALID_ARGUMENT);
            ck_assert_int_ne(status, WW_ERROR_INTERNAL);
            ck_assert_int_ne(status, WW_ERROR_OUT_OF_MEMORY);
        }
        ww_series_set_destroy(&set);
    }
    close(file);
    unlink(path);
    // Mutations that all fail at the first byte would test nothing.
    ck_assert_int_gt(good, runs / 50);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("fuzz-read");
    TCase *tcase = wwt_case(suite, "read", 280);
    tcase_add_loop_test(tcase, seeds_are_good_files, 0, (int)(sizeof seeds / sizeof *seeds));
    tcase_add_test(tcase, mutated_files);
    return wwt_run(suite);
}
