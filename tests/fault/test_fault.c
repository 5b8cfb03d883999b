// SPDX-License-Identifier: Apache-2.0
// Runs each scenario with its first OpenCL call failing, then a later one, and so on until no call fails; then the same
// with its allocations and its operations on files. Every time: a status with a record, or a right result; and no
// object left. Every fifth call fails, with one of three codes; with WAVEWARP_TEST_EXHAUSTIVE=1 every call with every
// code.
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault_layer.h"
#include "fault_libc.h"
#include "fault_main.h"
#include "host.h"
#include "scenarios.h"

static const wwt_scenario scenarios[] = {
    {"host", wwt_scenario_host},     {"bad build", wwt_scenario_bad_build}, {"wrap", wwt_scenario_wrap},
    {"files", wwt_scenario_files},   {"bits", wwt_scenario_bits},           {"knn", wwt_scenario_knn},
    {"slices", wwt_scenario_slices}, {"call", wwt_scenario_call},           {"shapelets", wwt_scenario_shapelets},
    {"search", wwt_scenario_search}, {"sends", wwt_scenario_sends},
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0], MOST_CALLS = 20000 };

static const int codes[] = {-5, -6, -30}; // out of resources, out of host memory, invalid value
enum { CODES = sizeof codes / sizeof codes[0] };

static wwt_fault_table *layer;
static bool exhaustive;
static long step, seed;

static void check_outcome(const wwt_scenario *scenario, ww_status status, const char *call, long number) {
    const ww_error *error = ww_last_error();
    ck_assert_msg(status != WW_ERROR_INTERNAL, "%s, %s (%ld): %s", scenario->name, call, number, error->message);
    if (status != WW_OK)
        ck_assert_msg(error->status == status && error->message[0] && error->line > 0,
                      "%s, %s (%ld): %s without its record", scenario->name, call, number, ww_status_name(status));
    ck_assert_msg(wwi_live_objects() == 0, "%s, %s (%ld): %ld objects by our own count", scenario->name, call, number,
                  wwi_live_objects());
    ck_assert_msg(atomic_load(&layer->objects) == 0, "%s, %s (%ld): %ld objects left", scenario->name, call, number,
                  atomic_load(&layer->objects));
}

START_TEST(every_call_fails_once) {
    const wwt_scenario *scenario = &scenarios[exhaustive ? _i / CODES : _i];
    long number = 1 + seed % step - step, calls = 0, seen = 0;
    do {
        number += step;
        atomic_store(&layer->code, codes[(exhaustive ? _i : number / step) % CODES]);
        layer->failed_call = NULL;
        atomic_store(&layer->calls, 0);
        atomic_store(&layer->fail_at, number);
        ww_status status = scenario->run();
        atomic_store(&layer->fail_at, 0);
        calls = atomic_load(&layer->calls);
        seen += status != WW_OK;
        check_outcome(scenario, status, layer->failed_call ? layer->failed_call : "no call", number);
        if (calls < number)
            ck_assert_msg(status == WW_OK, "%s fails by itself: %s", scenario->name, ww_last_error()->message);
    } while (calls >= number && number < MOST_CALLS);
    ck_assert_int_lt(number, MOST_CALLS);
    ck_assert_int_gt(seen, 0); // or the layer is not there
}
END_TEST

// What `made` counts fails, from the first to the last, `by` at a time.
static long fail_each(const wwt_scenario *scenario, atomic_long *made, atomic_long *to_fail, long by) {
    long number = 1 + seed % by - by, calls = 0, seen = 0;
    do {
        number += by;
        wwt_failed_operation = NULL;
        atomic_store(made, 0);
        atomic_store(to_fail, number);
        ww_status status = scenario->run();
        atomic_store(to_fail, 0);
        calls = atomic_load(made);
        seen += status != WW_OK;
        check_outcome(scenario, status, wwt_failed_operation ? wwt_failed_operation : "nothing", number);
        if (calls < number)
            ck_assert_msg(status == WW_OK, "%s fails by itself: %s", scenario->name, ww_last_error()->message);
    } while (calls >= number && number < MOST_CALLS);
    ck_assert_int_lt(number, MOST_CALLS);
    return seen;
}

START_TEST(every_allocation_fails_once) {
    ck_assert_int_gt(fail_each(&scenarios[_i], &wwt_allocations, &wwt_allocation_to_fail, step), 3);
}
END_TEST

// Not each scenario has files of its own; all look for the installed ones.
START_TEST(every_file_operation_fails_once) {
    (void)fail_each(&scenarios[_i], &wwt_file_operations, &wwt_file_operation_to_fail, step);
}
END_TEST

int main(void) {
    int exit_code;
    exhaustive = wwt_fails_all();
    step = exhaustive ? 1 : 5;
    seed = wwt_fault_seed();
    layer = wwt_fault_begin(&exit_code);
    if (!layer)
        return exit_code;
    Suite *suite = suite_create("fault");
    TCase *calls = tcase_create("calls"), *allocations = tcase_create("allocations"), *files = tcase_create("files");
    tcase_add_loop_test(calls, every_call_fails_once, 0, SCENARIOS * (exhaustive ? CODES : 1));
    tcase_add_loop_test(allocations, every_allocation_fails_once, 0, SCENARIOS);
    tcase_add_loop_test(files, every_file_operation_fails_once, 0, SCENARIOS);
    suite_add_tcase(suite, calls);
    suite_add_tcase(suite, allocations);
    suite_add_tcase(suite, files);
    return wwt_fault_end(suite);
}
