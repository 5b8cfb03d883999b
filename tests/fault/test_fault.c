// SPDX-License-Identifier: Apache-2.0
// Runs each scenario with its first OpenCL call failing, then its second, and so on until no call fails; then the same
// with its allocations. Every time: a status with a record, or a right result; and no object left.
#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault_layer.h"
#include "fault_libc.h"
#include "host.h"
#include "scenarios.h"

static const wwt_scenario scenarios[] = {
    {"host", wwt_scenario_host},     {"bad build", wwt_scenario_bad_build}, {"wrap", wwt_scenario_wrap},
    {"files", wwt_scenario_files},   {"bits", wwt_scenario_bits},           {"knn", wwt_scenario_knn},
    {"slices", wwt_scenario_slices}, {"call", wwt_scenario_call},           {"shapelets", wwt_scenario_shapelets},
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0], MOST_CALLS = 20000 };

static const int codes[] = {-5, -6, -30}; // out of resources, out of host memory, invalid value
enum { CODES = sizeof codes / sizeof codes[0] };

static wwt_fault_table *layer;

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
    const wwt_scenario *scenario = &scenarios[_i / CODES];
    long number = 0, calls = 0, seen = 0;
    atomic_store(&layer->code, codes[_i % CODES]);
    do {
        layer->failed_call = NULL;
        atomic_store(&layer->calls, 0);
        atomic_store(&layer->fail_at, ++number);
        ww_status status = scenario->run();
        atomic_store(&layer->fail_at, 0);
        calls = atomic_load(&layer->calls);
        seen += status != WW_OK;
        check_outcome(scenario, status, layer->failed_call ? layer->failed_call : "no call", number);
        if (calls < number)
            ck_assert_msg(status == WW_OK, "%s fails by itself: %s", scenario->name, ww_last_error()->message);
    } while (calls >= number && number < MOST_CALLS);
    ck_assert_int_lt(number, MOST_CALLS);
    ck_assert_int_gt(seen, 10); // or the layer is not there
}
END_TEST

START_TEST(every_allocation_fails_once) {
    const wwt_scenario *scenario = &scenarios[_i];
    long number = 0, calls = 0, seen = 0;
    do {
        atomic_store(&wwt_allocations, 0);
        atomic_store(&wwt_allocation_to_fail, ++number);
        ww_status status = scenario->run();
        atomic_store(&wwt_allocation_to_fail, 0);
        calls = atomic_load(&wwt_allocations);
        seen += status != WW_OK;
        check_outcome(scenario, status, "allocation", number);
        if (calls < number)
            ck_assert_msg(status == WW_OK, "%s fails by itself: %s", scenario->name, ww_last_error()->message);
    } while (calls >= number && number < MOST_CALLS);
    ck_assert_int_lt(number, MOST_CALLS);
    ck_assert_int_gt(seen, 3);
}
END_TEST

// The loader opened the layer already if it heeds OPENCL_LAYERS and has seen a first call.
static wwt_fault_table *find_layer(void) {
    const char *path = getenv("OPENCL_LAYERS");
    ww_device_list *devices = NULL;
    const size_t count = ww_device_list_create(&devices) == WW_OK ? ww_device_list_count(devices) : 0;
    ww_device_list_destroy(&devices);
    void *library = path && count > 0 ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    return library ? dlsym(library, "wwt_fault_control") : NULL;
}

static int give_up(const char *reason) {
    const char *required = getenv("WAVEWARP_TEST_REQUIRE_DEVICE");
    bool fail = required && strcmp(required, "1") == 0;
    printf(fail ? "Bail out! %s\n" : "1..0 # SKIP %s\n", reason);
    return fail ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(void) {
    layer = find_layer();
    if (!layer)
        return give_up("no OpenCL device, or the loader does not know layers");
    Suite *suite = suite_create("fault");
    TCase *calls = tcase_create("calls"), *allocations = tcase_create("allocations");
    tcase_add_loop_test(calls, every_call_fails_once, 0, SCENARIOS * CODES);
    tcase_add_loop_test(allocations, every_allocation_fails_once, 0, SCENARIOS);
    suite_add_tcase(suite, calls);
    suite_add_tcase(suite, allocations);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK); // OpenCL was used in this process
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
