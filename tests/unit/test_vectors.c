// SPDX-License-Identifier: Apache-2.0
// Files of points: what is written is read again, and damage is refused.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wavewarp/wavewarp.h>

#include "check_main.h"

static char folder[] = "/tmp/wavewarp-vectors-XXXXXX";

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, const void *bytes, size_t count) {
    FILE *file = fopen(path_of(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static void setup(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void) {
    static const char *const names[] = {"a.fvecs", "a.ivecs", "a.bvecs", "a.npy", "a.csv", "a.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i]));
    rmdir(folder);
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
}

static void put(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(path_of(name), "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

// A .npy of 2 x 3 elements of this type.
static void put_npy(const char *type, int fortran, const void *values, size_t size) {
    char bytes[256];
    const int head =
        snprintf(bytes, sizeof bytes, "%c%s%c%c%c%c{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3), }\n", 0x93,
                 "NUMPY", 1, 0, 'x', 0, type, fortran ? "True" : "False");
    bytes[7] = 0;
    bytes[8] = (char)(head - 10);
    bytes[9] = 0;
    memcpy(bytes + head, values, size);
    put("narrow.npy", bytes, (size_t)head + size);
}

static void check_narrow(const char *name, bool stays, ww_element element, const void *values, size_t size,
                         const double *numbers) {
    for (int narrow = 0; narrow < 2; narrow++) {
        ww_point_set *set = NULL;
        ww_point_view view = WW_POINT_VIEW_INIT;
        ck_assert_int_eq(
            (narrow ? ww_point_set_read_narrow : ww_point_set_read)(path_of(name), WW_POINTS_NUMBERS, &set), WW_OK);
        ck_assert_int_eq(ww_point_set_view(set, &view), WW_OK);
        ck_assert_uint_eq(view.count, 2);
        ck_assert_uint_eq(view.dimension, 3);
        ck_assert_int_eq(view.element, narrow && stays ? element : WW_ELEMENT_PRECISION);
        if (narrow && stays)
            ck_assert_mem_eq(view.values, values, size);
        for (size_t i = 0; i < 6 && !(narrow && stays); i++)
            ck_assert_double_eq(view.precision == WW_DOUBLE ? ((const double *)view.values)[i]
                                                            : (double)((const float *)view.values)[i],
                                numbers[i]);
        ww_point_set_destroy(&set);
    }
}

// Bytes and halves stay where they are asked to, and become numbers else; of both byte orders and orders of axes.
START_TEST(narrow_numbers) {
    static const uint8_t bytes[] = {1, 2, 3, 250, 0, 7},
                         swapped[] = {0x3c, 0, 0xc0, 0, 0, 1, 0x7b, 0xff, 0, 0, 0x04, 0},
                         turned[] = {1, 250, 2, 0, 3, 7};
    static const int8_t chars[] = {1, -2, 3, -128, 0, 127};
    static const uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x7bff, 0, 0x0400};
    const double numbers[] = {1, 2, 3, 250, 0, 7}, signs[] = {1, -2, 3, -128, 0, 127},
                 values[] = {1, -2, 0x1p-24, 65504, 0, 0x1p-14};
    uint8_t vecs[14] = {3, 0, 0, 0, 1, 2, 3, 3, 0, 0, 0, 250, 0, 7};
    put("narrow.bvecs", vecs, sizeof vecs);
    check_narrow("narrow.bvecs", true, WW_ELEMENT_UINT8, bytes, sizeof bytes, numbers);
    put_npy("|u1", 0, bytes, sizeof bytes);
    check_narrow("narrow.npy", true, WW_ELEMENT_UINT8, bytes, sizeof bytes, numbers);
    put_npy("|u1", 1, turned, sizeof turned);
    check_narrow("narrow.npy", true, WW_ELEMENT_UINT8, bytes, sizeof bytes, numbers);
    put_npy("|i1", 0, chars, sizeof chars);
    check_narrow("narrow.npy", true, WW_ELEMENT_INT8, chars, sizeof chars, signs);
    put_npy("<f2", 0, halves, sizeof halves);
    check_narrow("narrow.npy", true, WW_ELEMENT_FLOAT16, halves, sizeof halves, values);
    put_npy(">f2", 0, swapped, sizeof swapped);
    check_narrow("narrow.npy", true, WW_ELEMENT_FLOAT16, halves, sizeof halves, values);
    ck_assert_int_eq(ww_point_view_write(path_of("wide.npy"), &(ww_point_view){.struct_size = sizeof(ww_point_view),
                                                                               .values = halves,
                                                                               .count = 2,
                                                                               .dimension = 3,
                                                                               .element = WW_ELEMENT_FLOAT16}),
                     WW_OK);
    check_narrow("wide.npy", false, WW_ELEMENT_PRECISION, NULL, 0, values);
}
END_TEST

START_TEST(numbers_come_back) {
    static const char *const names[] = {"a.fvecs", "a.ivecs", "a.bvecs", "a.npy", "a.csv"};
    const double values[] = {1, 2, 3, 250, 0, 7};
    const ww_point_view view = {sizeof view, WW_POINTS_NUMBERS, values, WW_DOUBLE, 2, 3, 0, NULL, WW_ELEMENT_PRECISION};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        ww_point_set *set = NULL;
        ww_point_view got = WW_POINT_VIEW_INIT;
        ck_assert_int_eq(ww_point_view_write(path_of(names[n]), &view), WW_OK);
        ck_assert_int_eq(ww_point_set_read(path_of(names[n]), WW_POINTS_NUMBERS, &set), WW_OK);
        ck_assert_int_eq(ww_point_set_view(set, &got), WW_OK);
        ck_assert_uint_eq(got.count, 2);
        ck_assert_uint_eq(got.dimension, 3);
        for (size_t i = 0; i < 6; i++) {
            const double x =
                got.precision == WW_DOUBLE ? ((const double *)got.values)[i] : (double)((const float *)got.values)[i];
            ck_assert_double_eq(x, values[i]);
        }
        ww_point_set_destroy(&set);
        ck_assert_ptr_null(set);
    }
}
END_TEST

START_TEST(bits_and_sets_come_back) {
    const unsigned char bits[] = {0x05, 0x01, 0xff, 0x00};
    const ww_point_view bit_view = {sizeof bit_view,     WW_POINTS_BITS, bits, WW_FLOAT, 2, 10, 0, NULL,
                                    WW_ELEMENT_PRECISION};
    ww_point_set *set = NULL;
    ww_point_view got = WW_POINT_VIEW_INIT;
    ck_assert_int_eq(ww_point_view_write(path_of("a.txt"), &bit_view), WW_OK);
    ck_assert_int_eq(ww_point_set_read(path_of("a.txt"), WW_POINTS_BITS, &set), WW_OK);
    ck_assert_int_eq(ww_point_set_view(set, &got), WW_OK);
    ck_assert_uint_eq(got.dimension, 10);
    ck_assert_int_eq(memcmp(got.values, bits, 4), 0);
    ww_point_set_destroy(&set);

    const uint32_t items[] = {3, 4000000000u, 1};
    const uint64_t offsets[] = {0, 2, 2, 3};
    const ww_point_view set_view = {sizeof set_view, WW_POINTS_SETS,      items, WW_FLOAT, 3, 0, 0,
                                    offsets,         WW_ELEMENT_PRECISION};
    ck_assert_int_eq(ww_point_view_write(path_of("a.ivecs"), &set_view), WW_OK);
    ck_assert_int_eq(ww_point_set_read(path_of("a.ivecs"), WW_POINTS_SETS, &set), WW_OK);
    ck_assert_int_eq(ww_point_set_view(set, &got), WW_OK);
    ck_assert_uint_eq(got.count, 3);
    ck_assert_int_eq(memcmp(got.offsets, offsets, sizeof offsets), 0);
    ck_assert_int_eq(memcmp(got.values, items, sizeof items), 0);
    ww_point_set_destroy(&set);

    write_bytes("a.txt", "7 3 3 5\n\n2,1\n", 13);
    ck_assert_int_eq(ww_point_set_read(path_of("a.txt"), WW_POINTS_SETS, &set), WW_OK);
    ck_assert_int_eq(ww_point_set_view(set, &got), WW_OK);
    ck_assert_uint_eq(got.count, 3);
    const uint32_t *members = got.values;
    ck_assert_uint_eq(got.offsets[1], 3);
    ck_assert_uint_eq(got.offsets[2], 3);
    ck_assert_uint_eq(members[0], 3);
    ck_assert_uint_eq(members[2], 7);
    ck_assert_uint_eq(members[3], 1);
    ww_point_set_destroy(&set);
}
END_TEST

// A coordinate that is missing is not one coordinate less: the search reports which one is missing.
START_TEST(bits_become_sets) {
    // 11 bits in two bytes, those behind the last set too.
    const unsigned char bits[] = {0x81, 0xfc, 0x00, 0xf8, 0x06, 0x01};
    static const uint32_t members[] = {0, 7, 10, 1, 2, 8};
    static const uint64_t offsets[] = {0, 3, 3, 6};
    ww_point_view view = {sizeof view, WW_POINTS_BITS, bits, WW_FLOAT, 3, 11, 0, NULL, WW_ELEMENT_PRECISION},
                  got = WW_POINT_VIEW_INIT;
    ww_point_set *set = NULL;
    ck_assert_int_eq(ww_point_set_of_bits(&view, &set), WW_OK);
    ck_assert_int_eq(ww_point_set_view(set, &got), WW_OK);
    ck_assert_int_eq(got.kind, WW_POINTS_SETS);
    ck_assert_uint_eq(got.count, 3);
    ck_assert_int_eq(memcmp(got.offsets, offsets, sizeof offsets), 0);
    ck_assert_int_eq(memcmp(got.values, members, sizeof members), 0);
    ww_point_set_destroy(&set);
    view.kind = WW_POINTS_NUMBERS;
    ck_assert_int_eq(ww_point_set_of_bits(&view, &set), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(set);
    view.kind = WW_POINTS_BITS;
    view.dimension = 0;
    ck_assert_int_eq(ww_point_set_of_bits(&view, &set), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_point_set_of_bits(NULL, &set), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(missing_coordinates_stay) {
    static const char *const texts[] = {"1,2,nan\n", "1 2 NaN\n", "1,2,?\n", "1;2;nan;\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ww_point_set *set = NULL;
        ww_point_view got = WW_POINT_VIEW_INIT;
        write_bytes("a.csv", texts[i], strlen(texts[i]));
        ck_assert_int_eq(ww_point_set_read(path_of("a.csv"), WW_POINTS_NUMBERS, &set), WW_OK);
        ck_assert_int_eq(ww_point_set_view(set, &got), WW_OK);
        ck_assert_uint_eq(got.count, 1);
        ck_assert_uint_eq(got.dimension, 3);
        ck_assert(isnan(((const double *)got.values)[2]));
        ww_point_set_destroy(&set);
    }
    ww_point_set *set = NULL;
    ww_point_view got = WW_POINT_VIEW_INIT;
    write_bytes("a.csv", "1,2,\n3,4,\n", 10);
    ck_assert_int_eq(ww_point_set_read(path_of("a.csv"), WW_POINTS_NUMBERS, &set), WW_OK);
    ck_assert_int_eq(ww_point_set_view(set, &got), WW_OK);
    ck_assert_uint_eq(got.dimension, 2);
    ww_point_set_destroy(&set);
    write_bytes("a.csv", "1,2\n3,\n", 7);
    ck_assert_int_eq(ww_point_set_read(path_of("a.csv"), WW_POINTS_NUMBERS, &set), WW_ERROR_FORMAT);
}
END_TEST

START_TEST(damage_is_refused) {
    ww_point_set *set = NULL;
    const unsigned char truncated[] = {2, 0, 0, 0, 1, 2, 3, 4, 5, 6};
    const unsigned char huge[] = {255, 255, 255, 127, 1, 2, 3, 4};
    const unsigned char unequal[] = {1, 0, 0, 0, 9, 2, 0, 0, 0, 1, 1};
    write_bytes("a.fvecs", truncated, sizeof truncated);
    ck_assert_int_eq(ww_point_set_read(path_of("a.fvecs"), WW_POINTS_NUMBERS, &set), WW_ERROR_FORMAT);
    write_bytes("a.fvecs", huge, sizeof huge);
    ck_assert_int_eq(ww_point_set_read(path_of("a.fvecs"), WW_POINTS_NUMBERS, &set), WW_ERROR_FORMAT);
    write_bytes("a.bvecs", unequal, sizeof unequal);
    ck_assert_int_eq(ww_point_set_read(path_of("a.bvecs"), WW_POINTS_NUMBERS, &set), WW_ERROR_FORMAT);
    write_bytes("a.fvecs", "", 0);
    ck_assert_int_eq(ww_point_set_read(path_of("a.fvecs"), WW_POINTS_NUMBERS, &set), WW_ERROR_EMPTY);
    write_bytes("a.npy", "no", 2);
    ck_assert_int_eq(ww_point_set_read(path_of("a.npy"), WW_POINTS_NUMBERS, &set), WW_ERROR_FORMAT);
    write_bytes("a.txt", "1 2\n1\n", 6);
    ck_assert_int_eq(ww_point_set_read(path_of("a.txt"), WW_POINTS_NUMBERS, &set), WW_ERROR_FORMAT);
    write_bytes("a.txt", "1 -2\n", 5);
    ck_assert_int_eq(ww_point_set_read(path_of("a.txt"), WW_POINTS_SETS, &set), WW_ERROR_FORMAT);
    write_bytes("a.txt", "1 0\n1 2\n", 8);
    ck_assert_int_eq(ww_point_set_read(path_of("a.txt"), WW_POINTS_BITS, &set), WW_ERROR_FORMAT);
    ck_assert_int_eq(ww_point_set_read(path_of("none.fvecs"), WW_POINTS_NUMBERS, &set), WW_ERROR_IO);
    ck_assert_ptr_null(set);
    const double half = 0.5;
    const ww_point_view view = {sizeof view, WW_POINTS_NUMBERS, &half, WW_DOUBLE, 1, 1, 0, NULL, WW_ELEMENT_PRECISION};
    ck_assert_int_eq(ww_point_view_write(path_of("a.ivecs"), &view), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_ne(access(path_of("a.ivecs"), F_OK), 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("vectors");
    TCase *tcase = wwt_case(suite, "vectors", 30);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, numbers_come_back);
    tcase_add_test(tcase, narrow_numbers);
    tcase_add_test(tcase, bits_and_sets_come_back);
    tcase_add_test(tcase, bits_become_sets);
    tcase_add_test(tcase, missing_coordinates_stay);
    tcase_add_test(tcase, damage_is_refused);
    return wwt_run(suite);
}
