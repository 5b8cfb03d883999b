// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its kin. Work that can be cancelled is, and the program ends by itself; where it does not within the time
// below, and everywhere else, the handler removes the parts of files and ends the program.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/common.h"

enum { PATIENCE_MICROSECONDS = 700000 };

static volatile sig_atomic_t interrupted; // the signal that came, 0 none
static volatile sig_atomic_t cancellable; // somebody looks at `interrupted` often
static volatile sig_atomic_t line_begun;  // the terminal's cursor is behind a bar
static const char *volatile empty_file;   // removed where it is empty
static const char *volatile last_line;    // what is said at the end

int cli_interrupted(void) {
    return interrupted;
}

// Only what is allowed in a signal handler.
static void stop(int signal_number) {
    static const char message[] = "\r\033[Kwavewarp: interrupted\n";
    const size_t skipped = line_begun ? 0 : 4; // what takes the bar away
    struct stat about;
    ww_unfinished_files_remove();
    if (empty_file && stat(empty_file, &about) == 0 && about.st_size == 0)
        (void)unlink(empty_file);
    if (write(STDERR_FILENO, message + skipped, sizeof message - 1 - skipped) < 0 ||
        (last_line && write(STDERR_FILENO, last_line, strlen(last_line)) < 0))
        _exit(128 + signal_number);
    _exit(128 + signal_number);
}

static void on_alarm(int signal_number) {
    stop(interrupted ? interrupted : signal_number);
}

static void on_signal(int signal_number) {
    const struct itimerval patience = {{0, 0}, {0, PATIENCE_MICROSECONDS}};
    if (!cancellable || interrupted)
        stop(interrupted ? interrupted : signal_number);
    interrupted = signal_number;
    (void)setitimer(ITIMER_REAL, &patience, NULL);
}

void cli_interrupt_begin(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_flags = SA_RESTART; // not every driver expects its calls to be interrupted
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    action.sa_handler = on_signal;
    // A signal that the caller ignores (nohup, a shell's background job) stays ignored.
    for (size_t i = 0; i < CLI_COUNT_OF(signals); i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    // A file above the limit of its size (ulimit -f) is a failed write, not the end of the program.
    action.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &action, NULL);
}

void cli_interrupt_cancels(bool does) {
    cancellable = does;
}

void cli_line_begin(void) {
    line_begun = 1;
}

void cli_line_clear(void) {
    if (line_begun)
        fputs("\r\033[K", stderr);
    line_begun = 0;
}

void cli_interrupt_removes(const char *path) {
    empty_file = path;
}

void cli_interrupt_says(const char *line) {
    last_line = line;
}
