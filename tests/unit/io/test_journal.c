// SPDX-License-Identifier: Apache-2.0
// Journals: marks against a plain list, what is refused and why, damage.
#include <stdlib.h>
#include <wavewarp/journal.h>

#include "check_main.h"
#include "io_support.h"

static ww_journal_options plain(void) {
    ww_journal_options o = WW_JOURNAL_OPTIONS_INIT;
    o.job = "matrix";
    o.inputs = "a b";
    o.options = "dtw";
    o.first_unit = 10;
    o.unit_count = 300;
    return o;
}

static ww_status refused(const ww_journal_options *o, const char *why) {
    ww_journal *journal = NULL;
    const ww_status status = ww_journal_open(io_path("j"), o, &journal);
    ck_assert_ptr_null(journal);
    ck_assert_msg(strstr(ww_last_error()->message, why) != NULL, "%s", ww_last_error()->message);
    return status;
}

START_TEST(marks) {
    ww_journal_options o = plain();
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    for (unsigned seed = 1; seed <= 20; seed++) {
        bool known[310] = {false};
        uint64_t done = 0;
        ww_journal *journal = NULL;
        remove(io_path("j"));
        srand(seed);
        o.resume = 0;
        ck_assert_int_eq(ww_journal_open(io_path("j"), &o, &journal), WW_OK);
        for (int step = 0; step < 60; step++) {
            const uint64_t first = 10 + (uint64_t)rand() % 300, most = 310 - first,
                           count = (uint64_t)rand() % (most < 9 ? most : 9);
            ck_assert_int_eq(ww_journal_mark(journal, first, count), WW_OK);
            for (uint64_t i = first; i < first + count; i++)
                known[i] = true;
            if (step % 20 != 19)
                continue;
            ck_assert_int_eq(ww_journal_write(journal), WW_OK);
            ck_assert_int_eq(ww_journal_close(&journal, 1), WW_OK);
            o.resume = 1;
            ck_assert_int_eq(ww_journal_open(io_path("j"), &o, &journal), WW_OK);
        }
        for (uint64_t i = 0; i < 310; i++) {
            ck_assert_int_eq(ww_journal_has(journal, i), known[i]);
            done += known[i];
        }
        ck_assert_int_eq(ww_journal_get_info(journal, &info), WW_OK);
        ck_assert_uint_eq(info.done, done);
        ck_assert_uint_eq(info.found_done, done);
        ck_assert_int_eq(ww_journal_mark(journal, 9, 1), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_int_eq(ww_journal_mark(journal, 309, 2), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_int_eq(ww_journal_mark(journal, UINT64_MAX, 1), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_int_eq(ww_journal_mark(journal, 10, 300), WW_OK);
        ck_assert_int_eq(ww_journal_has(journal, UINT64_MAX), 0);
        ck_assert_int_eq(ww_journal_close(&journal, 0), WW_OK);
        ck_assert_int_eq(io_entries(false), 0);
    }
}
END_TEST

START_TEST(refusals) {
    ww_journal_options o = plain();
    ww_journal *journal = NULL;
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    o.options = "two\nlines";
    ck_assert_int_eq(refused(&o, "options"), WW_ERROR_INVALID_ARGUMENT);
    o = plain();
    o.unit_count = 0;
    ck_assert_int_eq(refused(&o, "no units"), WW_ERROR_INVALID_ARGUMENT);
    o = plain();
    ck_assert_int_eq(io_entries(false), 0);
    ck_assert_int_eq(ww_journal_open(io_path("none/j"), &o, &journal), WW_ERROR_IO);
    ck_assert_int_eq(ww_journal_read(io_path("j"), &journal), WW_ERROR_IO);
    ck_assert_int_eq(ww_journal_open(io_path("j"), &o, &journal), WW_OK);
    ck_assert_int_eq(ww_journal_mark(journal, 20, 5), WW_OK);
    ck_assert_int_eq(ww_journal_write(journal), WW_OK);
    ck_assert_int_eq(ww_journal_close(&journal, 1), WW_OK);

    ck_assert_int_eq(refused(&o, "is there"), WW_ERROR_IO);
    o.resume = 1;
    o.inputs = "a c";
    ck_assert_int_eq(refused(&o, "other inputs"), WW_ERROR_FORMAT);
    o.inputs = "a b", o.options = "dtw,root";
    ck_assert_int_eq(refused(&o, "other options"), WW_ERROR_FORMAT);
    o.options = "dtw", o.job = "nearest";
    ck_assert_int_eq(refused(&o, "another job: matrix; this is nearest"), WW_ERROR_FORMAT);
    o.job = "matrix", o.first_unit = 11;
    ck_assert_int_eq(refused(&o, "another part"), WW_ERROR_FORMAT);

    ck_assert_int_eq(ww_journal_read(io_path("j"), &journal), WW_OK);
    ck_assert_int_eq(ww_journal_get_info(journal, &info), WW_OK);
    ck_assert_str_eq(info.inputs, "a b");
    ck_assert_str_eq(info.version, ww_version());
    ck_assert_uint_eq(info.first_unit, 10);
    ck_assert_uint_eq(info.done, 5);
    ck_assert_int_eq(ww_journal_write(journal), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_journal_close(&journal, 0), WW_OK);
    ck_assert_int_eq(io_entries(false), 1);
    ck_assert_int_eq(ww_journal_close(&journal, 0), WW_OK);
}
END_TEST

// Writes the journal with `from` replaced by `to`, and a right sum.
static void rewrite(const char *from, const char *to) {
    char bytes[1024] = "", sum[65];
    FILE *file = fopen(io_path("j"), "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[size - 65] = '\0';
    char *at = strstr(bytes, from), made[2048];
    ck_assert_ptr_nonnull(at);
    snprintf(made, sizeof made, "%.*s%s%s", (int)(at - bytes), bytes, to, at + strlen(from));
    ck_assert_int_eq(ww_checksum(made, strlen(made), sum), WW_OK);
    file = fopen(io_path("j"), "wb");
    fprintf(file, "%s%s\n", made, sum);
    fclose(file);
}

// Other versions and devices, and units that can't be.
START_TEST(foreign) {
    static const char *const units[] = {"20 25\n",        "25 20\n", "5 20\n", "20 311\n",
                                        "20 25\n22 30\n", "20 x\n",  "20 25"};
    ww_journal_options o = plain();
    ww_journal *journal = NULL;
    ck_assert_int_eq(ww_journal_open(io_path("j"), &o, &journal), WW_OK);
    ck_assert_int_eq(ww_journal_mark(journal, 20, 5), WW_OK);
    ck_assert_int_eq(ww_journal_write(journal), WW_OK);
    ck_assert_int_eq(ww_journal_close(&journal, 1), WW_OK);
    o.resume = 1;
    rewrite("\ndevice ", "\ndevice other, 1");
    ck_assert_int_eq(refused(&o, "another device: other, 1"), WW_ERROR_FORMAT);
    o.any_device = 1;
    ck_assert_int_eq(ww_journal_open(io_path("j"), &o, &journal), WW_OK);
    ck_assert_int_eq(ww_journal_close(&journal, 1), WW_OK);
    for (size_t i = 1; i < sizeof units / sizeof *units; i++) {
        rewrite(units[i - 1], units[i]);
        ck_assert_int_eq(refused(&o, "damaged"), WW_ERROR_FORMAT);
    }
    rewrite("version ", "version 0.0-");
    ck_assert_int_eq(refused(&o, "another version: 0.0-"), WW_ERROR_FORMAT);
}
END_TEST

// No cut and no flipped bit is taken, nor a folder.
START_TEST(damage) {
    ww_journal_options o = plain();
    ww_journal *journal = NULL;
    char bytes[1024];
    ck_assert_int_eq(ww_journal_open(io_path("j"), &o, &journal), WW_OK);
    ck_assert_int_eq(ww_journal_close(&journal, 1), WW_OK);
    FILE *file = fopen(io_path("j"), "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    o.resume = 1;
    for (size_t at = 0; at < 2 * size; at++) {
        bytes[at % size] ^= at < size ? 1 : 0;
        file = fopen(io_path("j"), "wb");
        fwrite(bytes, 1, at < size ? size : at - size, file);
        fclose(file);
        bytes[at % size] ^= at < size ? 1 : 0;
        ck_assert_int_eq(refused(&o, "damaged"), WW_ERROR_FORMAT);
    }
    ck_assert_int_eq(ww_journal_open(io_path("."), &o, &journal), WW_ERROR_IO);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("journal");
    TCase *tcase = wwt_case(suite, "journal", 20);
    tcase_add_checked_fixture(tcase, io_setup, io_teardown);
    tcase_add_test(tcase, marks);
    tcase_add_test(tcase, refusals);
    tcase_add_test(tcase, foreign);
    tcase_add_test(tcase, damage);
    return wwt_run(suite);
}
