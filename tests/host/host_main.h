// SPDX-License-Identifier: Apache-2.0
// What the host layer's tests share: the main function, which forks before any OpenCL call is made.
#ifndef WAVEWARP_HOST_MAIN_H
#define WAVEWARP_HOST_MAIN_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

// Asks in a child: PoCL hangs in the children of a process that has used it.
static inline bool wwt_has_device(void) {
    pid_t child = fork();
    if (child == 0) {
        ww_context *context = NULL;
        ww_status status = ww_context_create(NULL, &context);
        ww_context_destroy(&context);
        _exit(status == WW_ERROR_NO_PLATFORM || status == WW_ERROR_NO_DEVICE);
    }
    int state = 0;
    return child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

static inline int wwt_run_host(Suite *suite, bool needs_device) {
    SRunner *runner = srunner_create(suite);
    int failed = 0;
    if (needs_device && !wwt_has_device()) {
        const char *required = getenv("WAVEWARP_TEST_REQUIRE_DEVICE");
        failed = required && strcmp(required, "1") == 0;
        printf(failed ? "Bail out! no OpenCL device\n" : "1..0 # SKIP no OpenCL device\n");
    } else {
        srunner_set_tap(runner, "-");
        srunner_run_all(runner, CK_SILENT);
        failed = srunner_ntests_failed(runner);
    }
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define WWT_OK(call)                                                                                                   \
    do {                                                                                                               \
        ww_status status_ = (call);                                                                                    \
        ck_assert_msg(status_ == WW_OK, "%s: %s: %s", #call, ww_status_name(status_), ww_last_error()->message);       \
    } while (0)

#define WWT_FAILS(call, expected)                                                                                      \
    do {                                                                                                               \
        ww_status status_ = (call);                                                                                    \
        ck_assert_msg(status_ == (expected), "%s: %s: %s", #call, ww_status_name(status_), ww_last_error()->message);  \
        ck_assert_int_eq(ww_last_error()->status, (expected));                                                         \
        ck_assert(ww_last_error()->message[0] != '\0');                                                                \
    } while (0)

#endif
