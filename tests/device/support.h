// SPDX-License-Identifier: Apache-2.0
// What all device tests share: the context, random series, guarded results, comparison with the reference.
//
// The device is $WAVEWARP_DEVICE, else the library's choice. Nothing here touches OpenCL in the process that forks the
// tests: PoCL's threads do not survive a fork.
#ifndef WAVEWARP_TEST_SUPPORT_H
#define WAVEWARP_TEST_SUPPORT_H

#include <stdbool.h>
#include <wavewarp/wavewarp.h>

#include "check_main.h"
#include "reference/reference.h"

// ---- the program

// Looks for the device in a process of its own. False when there is none: the skip (or, with
// WAVEWARP_TEST_REQUIRE_DEVICE=1, the failure) is already printed, and main returns *exit_code.
bool wwt_device_found(int *exit_code);
bool wwt_device_has_double(void);
bool wwt_device_is_gpu(void);
// 2 where the device has double, else 1: how many precisions a loop over them takes.
int wwt_precision_count(void);

// ---- the context: a checked fixture, one for each test

extern ww_context *wwt_context;
void wwt_context_setup(void);
void wwt_context_teardown(void); // fails when OpenCL objects are left
// A context of the test's own, with these lines of a tuning file.
ww_context *wwt_context_tuned(const char *text);

// ---- random numbers: printed, and settable by WAVEWARP_TEST_SEED

void wwt_seed(unsigned salt);
double wwt_random(void);                           // from -1 to 1, exact in float
size_t wwt_random_size(size_t least, size_t most); // least <= result <= most

// ---- sets of series

typedef struct wwt_set {
    size_t count;
    size_t channels;
    size_t *lengths;
    size_t *offsets;
    double *values; // channel by channel
} wwt_set;

// Random walks of the given lengths.
wwt_set wwt_set_make(size_t channels, const size_t *lengths, size_t count);
// `count` random walks of random length.
wwt_set wwt_set_random(size_t channels, size_t least, size_t most, size_t count);
void wwt_set_free(wwt_set *set);
wwr_series wwt_series(const wwt_set *set, size_t i);
ww_series_view wwt_view(const wwt_set *set);
// One series, channel by channel.
ww_series_view wwt_view_of(const double *values, size_t length, size_t channels);
ww_dataset *wwt_dataset(const wwt_set *set, ww_precision precision);

// ---- results

// Room for `count` values between guard zones, filled with NaN.
void *wwt_guarded(size_t count, ww_precision precision);
// Fails when a guard is overwritten; frees.
void wwt_guarded_free(void *values);
double wwt_value(const void *values, ww_precision precision, size_t i);
// Same bits.
bool wwt_same(const void *a, const void *b, size_t count, ww_precision precision);

// The stated error: 1e-5 relative in float, 1e-12 in double.
double wwt_tolerance(ww_precision precision);
bool wwt_close(double value, double expected, ww_precision precision);

// ---- jobs

ww_measure wwt_measure(ww_measure_id id);
ww_plan_options wwt_engine(ww_engine engine);
// Into host memory, full or condensed.
ww_status wwt_plan_run(ww_plan *plan, void *values);
ww_status wwt_plan_run_condensed(ww_plan *plan, void *values);

#define wwt_ok(call)                                                                                                   \
    do {                                                                                                               \
        ww_status wwt_status_ = (call);                                                                                \
        ck_assert_msg(wwt_status_ == WW_OK, "%s: %s: %s", #call, ww_status_name(wwt_status_),                          \
                      ww_last_error()->message);                                                                       \
    } while (0)

// The call fails with this status, and the record has a message.
#define wwt_fails(call, expected)                                                                                      \
    do {                                                                                                               \
        ww_status wwt_status_ = (call);                                                                                \
        ck_assert_msg(wwt_status_ == (expected), "%s: %s (%s), not %s", #call, ww_status_name(wwt_status_),            \
                      ww_last_error()->message, ww_status_name(expected));                                             \
        ck_assert_int_eq(ww_last_error()->status, (expected));                                                         \
        ck_assert_str_ne(ww_last_error()->message, "");                                                                \
    } while (0)

// All distances, row after row, in a guarded array; NULL when the engine does not accept this work.
// `columns` NULL: rows with itself.
void *wwt_matrix(const ww_measure *measure, const wwt_set *rows, const wwt_set *columns, ww_precision precision,
                 const ww_plan_options *options);
// The i-th row with the i-th column, likewise.
void *wwt_pairs(const ww_measure *measure, const wwt_set *rows, const wwt_set *columns, ww_precision precision,
                const ww_plan_options *options);

// Computes all distances and compares each with the reference. False when the engine does not accept this work.
bool wwt_check_matrix(const ww_measure *measure, wwr_value_cost user, const wwt_set *rows, const wwt_set *columns,
                      ww_precision precision, ww_engine engine);
bool wwt_check_pairs(const ww_measure *measure, wwr_value_cost user, const wwt_set *rows, const wwt_set *columns,
                     ww_precision precision, ww_engine engine);
// Computes a set with itself in float, condensed and full, and compares both halves with the reference.
void wwt_check_half(const ww_measure *measure, const wwt_set *set, ww_engine engine);

// ---- which cases are run

// Every case needs a program, which takes a compiler about a second. So a product of options is not run in full: its
// cases are chosen such that every value of an option is in one of them, and a third of the pairs of values of two
// options; WAVEWARP_TEST_ROTATION=NUMBER says which third. All cases with WAVEWARP_TEST_EXHAUSTIVE=1, and on a GPU,
// whose engines are the subject.
enum { WWT_MOST_OPTIONS = 5 };

typedef struct wwt_product {
    int options;                  // how many
    int counts[WWT_MOST_OPTIONS]; // of their values
} wwt_product;

bool wwt_all_cases(void); // whether that is so
// Whether the case with these values is one of those.
bool wwt_covers(const wwt_product *product, const int *values);

// Whether number `number` of a list has its turn: one in `turns`, each time another one, which WAVEWARP_TEST_ROTATION
// chooses. All where all cases are run.
bool wwt_turn(int number, int turns);
// Whether loop `number` of a test with `count` of them is run: those of the part that WAVEWARP_TEST_PART=I/N names,
// every N-th test of the program from the I-th. With WAVEWARP_TEST_DAILY_PARTS=N the daily run takes an N-th of the
// loops, one at least.
bool wwt_in_part(int number, int count);

// Adds loops [from, to) of the test to a case, those that are run.
#define wwt_add_to(tcase, test, from, to)                                                                              \
    do {                                                                                                               \
        for (int wwt_loop = (from); wwt_loop < (int)(to); wwt_loop++)                                                  \
            if (wwt_in_part(wwt_loop - (from), (int)(to) - (from)))                                                    \
                tcase_add_loop_test(tcase, test, wwt_loop, wwt_loop + 1);                                              \
    } while (0)

static inline bool wwt_always(int subject, int loop) {
    (void)subject;
    (void)loop;
    return true;
}

// Adds a test run `loops` times as a case of its name: CK_RUN_CASE=name runs it alone, so that many can run side by
// side.
#define wwt_add(suite, test, loops) wwt_add_some(suite, test, loops, 0, wwt_always, false)

// The same with those of the loops for which `chosen(subject, loop)` holds.
#define wwt_add_chosen(suite, test, loops, subject, chosen) wwt_add_some(suite, test, loops, subject, chosen, true)

#define wwt_add_some(suite, test, loops, subject, chosen, whole)                                                       \
    do {                                                                                                               \
        TCase *wwt_own = wwt_case(suite, #test, 120);                                                                  \
        tcase_add_checked_fixture(wwt_own, wwt_context_setup, wwt_context_teardown);                                   \
        for (int wwt_loop = 0; wwt_loop < (loops); wwt_loop++)                                                         \
            if (chosen(subject, wwt_loop) && wwt_in_part(wwt_loop, (whole) ? 1 : (loops)))                             \
                tcase_add_loop_test(wwt_own, test, wwt_loop, wwt_loop + 1);                                            \
    } while (0)

#endif
