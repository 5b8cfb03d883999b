// SPDX-License-Identifier: Apache-2.0
// The end of every Check program: TAP to standard output, for Meson.
#ifndef WAVEWARP_CHECK_MAIN_H
#define WAVEWARP_CHECK_MAIN_H

#include <check.h>
#include <stdlib.h>

static inline int wwt_run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// A time limit is for tests that hang, not for slow ones: a machine with other work takes many times as long.
// CK_TIMEOUT_MULTIPLIER lengthens it further.
enum { WWT_PATIENCE = 10 };

// A case of the suite, one of whose tests takes at most `seconds` on two cores without other work.
static inline TCase *wwt_case(Suite *suite, const char *name, double seconds) {
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, seconds * WWT_PATIENCE);
    suite_add_tcase(suite, tcase);
    return tcase;
}

#endif
