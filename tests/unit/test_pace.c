// SPDX-License-Identifier: Apache-2.0
// Launches bounded in time: the number of units of a launch, and the rate measured from its time.
#include <wavewarp/run.h>

#include "base/pace.h"
#include "check_main.h"

START_TEST(device_without_numbers) {
    // Some drivers report no clock, or no compute units.
    const ww_device_info none = {.compute_units = 0, .clock_mhz = 0};
    const wwi_pace pace = wwi_pace_make(NULL, 0, NULL, NULL);
    const double rate = wwi_pace_guess(&none, 0.5);
    ck_assert_double_gt(rate, 0);
    ck_assert_uint_gt(wwi_pace_units(&pace, rate, 1000000, 1000), 1000);
}
END_TEST

START_TEST(short_times_raise_the_rate) {
    // A launch of one unit that takes no measurable time: the next ones grow until they can be measured.
    const wwi_pace pace = wwi_pace_make(NULL, 0.25, NULL, NULL);
    double rate = 1;
    uint64_t take = wwi_pace_units(&pace, rate, 1000000, 10000);
    ck_assert_uint_eq(take, 1);
    for (int launch = 0; launch < 20; launch++) {
        rate = wwi_pace_learn(&pace, rate, (double)take * 10000, 1e-5);
        take = wwi_pace_units(&pace, rate, 1000000, 10000);
    }
    ck_assert_uint_gt(take, 100000);
    ck_assert_double_eq(wwi_pace_learn(&pace, 1e9, 1000, 1e-5), 1e9); // nor does it fall by them
    ck_assert_double_eq(wwi_pace_learn(&pace, 1e9, 0, 1), 1e9);
    ck_assert_double_eq(wwi_pace_learn(&pace, 1e9, 1e6, 0.5), 2e6);
}
END_TEST

// A processor that is free for 0.1 ms and then taken: no launch is built on that.
START_TEST(no_launch_is_much_larger_than_the_one_measured) {
    const wwi_pace pace = wwi_pace_make(NULL, 0.25, NULL, NULL);
    const double seconds[] = {1e-9, 1e-4, 2e-3, 0.01};
    for (int i = 0; i < 4; i++) {
        const double rate = wwi_pace_learn(&pace, 100, 1e6, seconds[i]);
        ck_assert_uint_le(wwi_pace_units(&pace, rate, UINT64_MAX, 1), 4000000);
        ck_assert_uint_le(wwi_pace_next(&pace, 1000000, seconds[i]), 4000000);
    }
    // What was found to be fast stays so.
    ck_assert_double_eq(wwi_pace_learn(&pace, 1e12, 1e6, 1e-5), 1e12);
}
END_TEST

START_TEST(units_of_a_launch) {
    const wwi_pace pace = wwi_pace_make(NULL, 0.5, NULL, NULL);
    ck_assert_uint_eq(wwi_pace_units(&pace, 1000, 1000000, 10), 50);
    ck_assert_uint_eq(wwi_pace_units(&pace, 1000, 40, 10), 40);
    ck_assert_uint_eq(wwi_pace_units(&pace, 1000, 60, 10), 30); // rather two halves than 50 and 10
    ck_assert_uint_eq(wwi_pace_units(&pace, 1e300, UINT64_MAX, 1), 0x7fffffff);
    ck_assert_uint_eq(wwi_pace_next(&pace, 1000000, 0.25), 2000000);
    ck_assert_uint_eq(wwi_pace_next(&pace, 1, 100), 1024);
    ck_assert_uint_eq(wwi_pace_next(&pace, UINT64_MAX, 0), 1000000000);
}
END_TEST

static int stop_at_ten(void *user, uint64_t done, uint64_t total) {
    *(uint64_t *)user = total;
    return done >= 10;
}

START_TEST(progress_and_cancelling) {
    uint64_t told = 0;
    wwi_pace pace = wwi_pace_make(NULL, 0, stop_at_ten, &told);
    wwi_pace_start(&pace, 20);
    ck_assert_int_eq(wwi_pace_report(&pace, 9), WW_OK);
    ck_assert_uint_eq(told, 20);
    ck_assert_int_eq(wwi_pace_report(&pace, 1), WW_ERROR_CANCELLED);
}
END_TEST

// How often it is asked, and what it answers.
typedef struct asked {
    int questions, answer;
    ww_status inside; // of a question during a question
} asked;

static int answer(void *user) {
    asked *a = user;
    a->questions++;
    a->inside = wwi_interrupted();
    return a->answer;
}

START_TEST(interrupts) {
    asked a = {0, 0, WW_ERROR_INTERNAL};
    uint64_t told = 0;
    wwi_pace pace = wwi_pace_make(NULL, 0, stop_at_ten, &told);
    ck_assert(!wwi_can_interrupt());
    ck_assert_int_eq(wwi_interrupted(), WW_OK);
    ww_thread_set_interrupt(answer, &a);
    ck_assert(wwi_can_interrupt());
    ck_assert_int_eq(wwi_interrupted(), WW_OK);
    ck_assert_int_eq(a.questions, 1);
    ck_assert_int_eq(a.inside, WW_OK);
    // Asked as often as is documented, however often it could be.
    const double start = wwi_seconds();
    double seconds;
    while ((seconds = wwi_seconds() - start) < 0.1)
        ck_assert_int_eq(wwi_interrupted(), WW_OK);
    ck_assert_int_gt(a.questions, 1);
    ck_assert_int_le(a.questions, 2 + (int)(50 * seconds));
    // A job with a progress function asks both.
    a.answer = 1;
    ww_thread_set_interrupt(answer, &a);
    wwi_pace_start(&pace, 20);
    ck_assert_int_eq(wwi_pace_report(&pace, 9), WW_ERROR_CANCELLED);
    ck_assert_uint_eq(told, 20);
    ww_thread_set_interrupt(NULL, NULL);
    ck_assert_int_eq(wwi_pace_report(&pace, 0), WW_OK);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("pace");
    TCase *tcase = wwt_case(suite, "pace", 20);
    tcase_add_test(tcase, device_without_numbers);
    tcase_add_test(tcase, short_times_raise_the_rate);
    tcase_add_test(tcase, no_launch_is_much_larger_than_the_one_measured);
    tcase_add_test(tcase, units_of_a_launch);
    tcase_add_test(tcase, progress_and_cancelling);
    tcase_add_test(tcase, interrupts);
    return wwt_run(suite);
}
