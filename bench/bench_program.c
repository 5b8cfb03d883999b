// SPDX-License-Identifier: Apache-2.0
// The whole program from its start to the accuracy on a real set, caches warm.
#include "bench.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// 1-NN with DTW, squared cost, no band: the published accuracy, which the reference gives too.
#define GUNPOINT_CORRECT 136

// Runs a program with its output into `text`. Its exit status, or -1.
static int run(char *const arguments[], char *text, size_t size) {
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1;
    size_t used = 0;
    ssize_t got;
    pid_t child;

    if (pipe(ends) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int failed = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while (!failed && used + 1 < size &&
           ((got = read(ends[0], text + used, size - 1 - used)) > 0 || (got < 0 && errno == EINTR)))
        used += got > 0 ? (size_t)got : 0;
    text[used] = 0;
    close(ends[0]);
    if (failed || waitpid(child, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The number behind a name in one JSON object; -1 when it is not there.
static long number_of(const char *json, const char *name) {
    const char *at = strstr(json, name);
    at = at ? strchr(at, ':') : NULL;
    return at ? strtol(at + 1, NULL, 10) : -1;
}

int bench_program(const bench *b, bench_result *result) {
    char train[1024], test[1024], text[1 << 16];
    double wall[10];
    size_t count = b->options.quick ? 3 : 10;

    if (!b->options.data) {
        snprintf(result->note, sizeof result->note, "needs --data FOLDER");
        return -1;
    }
    snprintf(train, sizeof train, "%s/GunPoint/GunPoint_TRAIN.ts", b->options.data);
    snprintf(test, sizeof test, "%s/GunPoint/GunPoint_TEST.ts", b->options.data);
    char index[16];
    snprintf(index, sizeof index, "%u", b->device.index);
    char *arguments[] = {(char *)b->options.program,
                         "classify",
                         "--measure",
                         "dtw",
                         "--train",
                         train,
                         "--test",
                         test,
                         "--device",
                         index,
                         "--json",
                         NULL};
    // The first fills the driver's caches.
    for (size_t k = 0; k <= count; k++) {
        double start = bench_seconds();
        int status = run(arguments, text, sizeof text);
        if (status != 0) {
            snprintf(result->note, sizeof result->note, "%.80s: exit status %d", b->options.program, status);
            return -1;
        }
        if (k > 0)
            wall[k - 1] = bench_seconds() - start;
    }
    result->engine = "program";
    result->wall = bench_summary(wall, count);
    result->verified = 1;
    result->error = number_of(text, "\"correct\"") == GUNPOINT_CORRECT ? 0 : 1;
    long cells = number_of(text, "\"cells\"");
    result->cells = cells > 0 ? (uint64_t)cells : 0;
    result->cups = (double)result->cells / result->wall.median;
    snprintf(result->note, sizeof result->note, "%ld of 150 correct", number_of(text, "\"correct\""));
    return 0;
}
