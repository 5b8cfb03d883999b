// SPDX-License-Identifier: Apache-2.0
// Deterministic mutations of good files through every reader: no crash, no leak, and either a whole set or an error.
// Worth most under the address sanitizer. WAVEWARP_FUZZ_SEED and WAVEWARP_FUZZ_RUNS change what is tried.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
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
static const struct {
    const char *text;
    size_t size;
} seeds[] = {
#define SEED(text)                                                                                                     \
    { text, sizeof text - 1 }
    SEED("1\t1.5\t-2e-3\t3\n2\t4\tNaN\t6\n"),
    SEED("  1.0000000e+00   1.5000000e+00\n 2 4 5 6\n"),
    SEED("t0,t1,t2\n1,2,3\n4,,6\n\"7\",8,?\n"),
    SEED("#c\n@problemName x\n@timeStamps false\n@univariate false\n@dimensions 2\n@equalLength false\n"
         "@classLabel true a b\n@data\n1,2,3:4,5,6:a\n7,?:8,-9.25:b\n"),
    SEED(NPY("\x3c", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n") "abcdefghijklmnopqrstuvwx"),
    SEED(NPY("\x3e", "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 2), }\n") "abcdefghijklmnopqrstuvwx"),
};
static const char *const pieces[] = {
    ",", ":", "\t", "\n",  "\"",   "@data\n", "?",     "NaN",  "1e999",    "-",         "e",   "0x",   "\r\n",
    "@", "#", "(",  "inf", "\x00", "';'",     "'<f8'", "(0,)", "99999999", "true\n@cl", ":::", " \t ", "False"};

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

static long from_environment(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

START_TEST(seeds_are_good_files) {
    char path[] = "/tmp/wavewarp-fuzz-XXXXXX";
    const int file = open_file(path);
    ww_series_set *set = NULL;
    fill(file, seeds[_i].text, seeds[_i].size);
    const ww_status status = ww_series_set_read(path, NULL, &set);
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
        ww_read_options options = WW_READ_OPTIONS_INIT;
        options.format = (ww_format)(below(8) < 4 ? WW_FORMAT_AUTO : below(5));
        options.csv_label = (int)below(3);
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
