// SPDX-License-Identifier: Apache-2.0
// The end of every Check program: TAP to standard output, for Meson.
//
// All tests of a program run in one process: opening a device and compiling in a fresh process cost more than most
// tests. When one of them fails, or ends the process, all run again in a process each: what they say then is what is
// printed, so a crash names its test. A program that fails only in one process fails. With a sanitizer, with
// WAVEWARP_TEST_EXHAUSTIVE=1 and with CK_FORK set, the tests are in a process each from the start (CK_FORK=no: in the
// program's own).
#ifndef WAVEWARP_CHECK_MAIN_H
#define WAVEWARP_CHECK_MAIN_H

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define WWT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WWT_SANITIZED 1
#endif
#endif
#ifndef WWT_SANITIZED
#define WWT_SANITIZED 0
#endif

// A time limit is for tests that hang, not for slow ones: a machine with other work takes many times as long.
// CK_TIMEOUT_MULTIPLIER lengthens it further.
enum { WWT_PATIENCE = 10, WWT_HANGS_SECONDS = 1200 };

static inline bool wwt_in_one_process(void) {
    const char *exhaustive = getenv("WAVEWARP_TEST_EXHAUSTIVE");
    return !WWT_SANITIZED && !getenv("CK_FORK") && !(exhaustive && strcmp(exhaustive, "1") == 0);
}

// Before each test, and after it: SIGALRM ends a process whose test hangs, where Check can't.
static inline void wwt_alarm(void) {
    const char *times = getenv("CK_TIMEOUT_MULTIPLIER");
    const int multiplier = times ? atoi(times) : 1;
    (void)alarm(WWT_HANGS_SECONDS * (unsigned)(multiplier > 0 ? multiplier : 1));
}

static inline void wwt_no_alarm(void) {
    (void)alarm(0);
}

// The wait status of a child that runs all tests and writes to `out`; -1: there is no child.
static inline int wwt_run_child(SRunner *runner, FILE *out) {
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (dup2(fileno(out), STDOUT_FILENO) < 0)
            _exit(EXIT_FAILURE);
        srunner_set_fork_status(runner, CK_NOFORK);
        srunner_run_all(runner, CK_SILENT);
        exit(srunner_ntests_failed(runner) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return status;
}

// Line by line, each behind `before`.
static inline void wwt_copy(FILE *from, const char *before) {
    char line[4096];
    bool begins = true;
    rewind(from);
    while (fgets(line, sizeof line, from)) {
        printf("%s%s", begins ? before : "", line);
        begins = line[strlen(line) - 1] == '\n';
    }
    fflush(stdout);
}

static inline int wwt_run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    FILE *out = wwt_in_one_process() ? tmpfile() : NULL;
    int status = -1;
    srunner_set_tap(runner, "-");
    if (out)
        status = wwt_run_child(runner, out);
    const bool passed = status == 0;
    if (passed)
        wwt_copy(out, "");
    else if (out) {
        wwt_copy(out, "# in one process: ");
        if (status != -1 && WIFSIGNALED(status))
            printf("# in one process: ended by signal %d\n", WTERMSIG(status));
    }
    if (!passed)
        srunner_run_all(runner, CK_SILENT);
    if (out && !passed && srunner_ntests_failed(runner) == 0)
        printf("Bail out! fails when the tests share a process, not when each has one\n");
    const bool failed = out ? !passed : srunner_ntests_failed(runner) != 0;
    if (out)
        (void)fclose(out);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

// A case of the suite, one of whose tests takes at most `seconds` on two cores without other work.
static inline TCase *wwt_case(Suite *suite, const char *name, double seconds) {
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, seconds * WWT_PATIENCE);
    tcase_add_checked_fixture(tcase, wwt_alarm, wwt_no_alarm);
    suite_add_tcase(suite, tcase);
    return tcase;
}

#endif
