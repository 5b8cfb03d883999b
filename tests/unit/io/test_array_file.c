// SPDX-License-Identifier: Apache-2.0
// Arrays of distances, by one call and block by block.
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <wavewarp/file.h>

#include "check_main.h"
#include "io_support.h"

static const double values[] = {1, 2, 3, 4, 5, 6};
static const float floats[] = {0.5F, 0.25F, 0.125F, 1e-9F};

static size_t slurp(const char *path, char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(bytes, 1, room - 1, file);
    fclose(file);
    bytes[size] = '\0';
    return size;
}

START_TEST(formats_by_ending) {
    char bytes[1024];
    ck_assert_int_eq(ww_array_write(io_path("a.bin"), values, WW_DOUBLE, 2, 3), WW_OK);
    ck_assert_uint_eq(slurp(io_path("a.bin"), bytes, sizeof bytes), sizeof values);
    ck_assert_mem_eq(bytes, values, sizeof values);

    ck_assert_int_eq(ww_array_write(io_path("a.csv"), values, WW_DOUBLE, 2, 3), WW_OK);
    slurp(io_path("a.csv"), bytes, sizeof bytes);
    ck_assert_str_eq(bytes, "1,2,3\n4,5,6\n");

    ck_assert_int_eq(ww_array_write(io_path("c.csv"), floats, WW_FLOAT, 4, 0), WW_OK);
    slurp(io_path("c.csv"), bytes, sizeof bytes);
    ck_assert_str_eq(bytes, "0.5\n0.25\n0.125\n9.99999972e-10\n");

    ck_assert_int_eq(ww_array_write(io_path("a.npy"), values, WW_DOUBLE, 2, 3), WW_OK);
    ww_series_set *set = io_read(io_path("a.npy"));
    ck_assert_uint_eq(ww_series_set_count(set), 2);
    ck_assert_double_eq(ww_series_set_values(set, 1)[2], 6.0);
    ww_series_set_destroy(&set);

    ck_assert_int_eq(ww_array_write(io_path("c.npy"), floats, WW_FLOAT, 4, 0), WW_OK);
    set = io_read(io_path("c.npy"));
    ck_assert_uint_eq(ww_series_set_length(set, 0), 4);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(blocks_in_any_order) {
    ww_array_file *file = NULL;
    ck_assert_int_eq(ww_array_file_create(io_path("a.npy"), WW_DOUBLE, 2, 3, &file), WW_OK);
    ck_assert_int_eq(ww_array_file_put(file, 0, 2, 2, 1, (const double[]){3, 6}), WW_OK);
    ck_assert_int_eq(access(io_path("a.npy"), F_OK), -1);
    ck_assert_int_eq(ww_array_file_put(file, 0, 2, 0, 2, (const double[]){1, 2, 4, 5}), WW_OK);
    ck_assert_int_eq(ww_array_file_close(&file, 1), WW_OK);
    ck_assert_ptr_null(file);
    ww_series_set *set = io_read(io_path("a.npy"));
    ck_assert_mem_eq(ww_series_set_values(set, 0), values, sizeof values);
    ww_series_set_destroy(&set);
    ck_assert_int_eq(io_entries(false), 1);
}
END_TEST

START_TEST(text_wants_rows_in_order) {
    ww_array_file *file = NULL;
    ck_assert_int_eq(ww_array_file_create(io_path("a.csv"), WW_DOUBLE, 2, 3, &file), WW_OK);
    ck_assert_int_eq(ww_array_file_put(file, 1, 1, 0, 3, values), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_array_file_put(file, 0, 1, 1, 2, values), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_array_file_put(file, 0, 1, 0, 3, values), WW_OK);
    ck_assert_int_eq(ww_array_file_put(file, 1, 1, 0, 3, values + 3), WW_OK);
    ck_assert_int_eq(ww_array_file_close(&file, 1), WW_OK);
}
END_TEST

// Parts of rows, from the left, are the same text.
START_TEST(text_takes_parts_of_rows) {
    ww_array_file *file = NULL;
    ck_assert_int_eq(ww_array_write(io_path("whole.csv"), values, WW_DOUBLE, 2, 3), WW_OK);
    ck_assert_int_eq(ww_array_file_create(io_path("parts.csv"), WW_DOUBLE, 2, 3, &file), WW_OK);
    ck_assert_int_eq(ww_array_file_put(file, 0, 2, 0, 2, (const double[]){values[0], values[1], values[3], values[4]}),
                     WW_OK);
    ck_assert_int_eq(ww_array_file_put(file, 0, 1, 2, 1, values), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_array_file_put(file, 0, 2, 0, 3, values), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_array_file_put(file, 0, 2, 2, 1, (const double[]){values[2], values[5]}), WW_OK);
    ck_assert_int_eq(ww_array_file_close(&file, 1), WW_OK);
    char whole[256] = "", parts[256] = "";
    FILE *a = fopen(io_path("whole.csv"), "r"), *b = fopen(io_path("parts.csv"), "r");
    ck_assert(a && b);
    ck_assert_uint_gt(fread(whole, 1, sizeof whole - 1, a), 0);
    ck_assert_uint_gt(fread(parts, 1, sizeof parts - 1, b), 0);
    fclose(a);
    fclose(b);
    ck_assert_str_eq(whole, parts);
    // A file that is given up in the middle of a row leaves nothing.
    ck_assert_int_eq(ww_array_file_create(io_path("half.csv"), WW_DOUBLE, 2, 3, &file), WW_OK);
    ck_assert_int_eq(ww_array_file_put(file, 0, 1, 0, 2, values), WW_OK);
    ck_assert_int_eq(ww_array_file_close(&file, 1), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(io_entries(false), 2);
}
END_TEST

START_TEST(nothing_half_is_left) {
    ww_array_file *file = NULL;
    ck_assert_int_eq(ww_array_file_create(io_path("a.npy"), WW_DOUBLE, 2, 3, &file), WW_OK);
    ck_assert_int_eq(ww_array_file_put(file, 0, 1, 0, 3, values), WW_OK);
    ck_assert_int_eq(ww_array_file_close(&file, 1), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(io_entries(false), 0);
    ck_assert_int_eq(ww_array_file_create(io_path("a.npy"), WW_DOUBLE, 2, 3, &file), WW_OK);
    ck_assert_int_eq(ww_array_file_close(&file, 0), WW_OK);
    ck_assert_int_eq(io_entries(false), 0);
    ck_assert_int_eq(ww_array_file_close(&file, 0), WW_OK);
    ck_assert_int_eq(ww_array_file_close(NULL, 0), WW_OK);
}
END_TEST

START_TEST(what_is_refused) {
    ww_array_file *file = NULL;
    ck_assert_int_eq(ww_array_file_create(io_path("a.npy"), WW_DOUBLE, SIZE_MAX, SIZE_MAX, &file), WW_ERROR_OVERFLOW);
    ck_assert_int_eq(ww_array_file_create(io_path("a.npy"), WW_DOUBLE, SIZE_MAX / 16, 1, &file), WW_ERROR_OVERFLOW);
    ck_assert_int_eq(ww_array_file_create(io_path("a.npy"), WW_DOUBLE, (size_t)1 << 50, 64, &file), WW_ERROR_IO);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "disk"));
    ck_assert_ptr_null(file);
    ck_assert_int_eq(ww_array_file_create(io_path("none/a.npy"), WW_DOUBLE, 1, 1, &file), WW_ERROR_IO);
    ck_assert_int_eq(ww_array_file_create(NULL, WW_DOUBLE, 1, 1, &file), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_array_file_create("a", (ww_precision)5, 1, 1, &file), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_array_file_create("a", WW_DOUBLE, 1, 1, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(io_entries(false), 0);

    ck_assert_int_eq(ww_array_file_create(io_path("a"), WW_DOUBLE, 2, 3, &file), WW_OK);
    ck_assert_int_eq(ww_array_file_put(file, 2, 1, 0, 3, values), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_array_file_put(file, 0, SIZE_MAX, 0, 3, values), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_array_file_put(file, 0, 1, 1, 3, values), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_array_file_put(file, 0, 1, 0, 3, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_array_file_put(NULL, 0, 1, 0, 3, values), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_array_file_close(&file, 0), WW_OK);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("array_file");
    TCase *tcase = wwt_case(suite, "array_file", 20);
    tcase_add_checked_fixture(tcase, io_setup, io_teardown);
    tcase_add_test(tcase, formats_by_ending);
    tcase_add_test(tcase, blocks_in_any_order);
    tcase_add_test(tcase, text_wants_rows_in_order);
    tcase_add_test(tcase, text_takes_parts_of_rows);
    tcase_add_test(tcase, nothing_half_is_left);
    tcase_add_test(tcase, what_is_refused);
    return wwt_run(suite);
}
