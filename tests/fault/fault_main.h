// SPDX-License-Identifier: Apache-2.0
// The beginning and the end of the programs in which OpenCL calls fail. They use OpenCL themselves, so no test is a
// process of its own.
#ifndef WAVEWARP_FAULT_MAIN_H
#define WAVEWARP_FAULT_MAIN_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/context.h>

#include "fault_layer.h"
#include "find_layer.h"

// The layer's table. NULL: main returns *exit_code; the skip, or the failure, is printed.
static inline wwt_fault_table *wwt_fault_begin(int *exit_code) {
    const char *required = getenv("WAVEWARP_TEST_REQUIRE_DEVICE");
    ww_device_list *devices = NULL;
    const size_t count = ww_device_list_create(&devices) == WW_OK ? ww_device_list_count(devices) : 0;
    const bool fails = count == 0 && required && strcmp(required, "1") == 0;
    ww_device_list_destroy(&devices);
    wwt_fault_table *table = count > 0 ? wwt_in_layer("wwt_fault_control", "nothing can be made to fail") : NULL;
    if (!table)
        printf(fails ? "Bail out! %s\n" : "1..0 # SKIP %s\n",
               count > 0 ? "the OpenCL loader opened no layer" : "no OpenCL device");
    *exit_code = fails ? EXIT_FAILURE : EXIT_SUCCESS;
    return table;
}

static inline int wwt_fault_end(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// WAVEWARP_TEST_EXHAUSTIVE=1: everything fails, one after the other.
static inline bool wwt_fails_all(void) {
    const char *all = getenv("WAVEWARP_TEST_EXHAUSTIVE");
    return all && strcmp(all, "1") == 0;
}

// WAVEWARP_TEST_SEED: what fails of the rest.
static inline long wwt_fault_seed(void) {
    const char *number = getenv("WAVEWARP_TEST_SEED");
    return number ? strtol(number, NULL, 10) & 0xffff : 0;
}

#endif
