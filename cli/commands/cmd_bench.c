// SPDX-License-Identifier: Apache-2.0
// wavewarp bench: runs the bench program in its place.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"

static const char program[] = "wavewarp-bench";

int cmd_bench(const cli_command *command, int argc, char **argv) {
    (void)command;
    (void)argc;
    // In this program's folder (installed), or in the build folder; else found by PATH.
    static const char *const places[] = {"", "../bench/", "../libexec/wavewarp/"};
    char self[3000], path[3072];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = NULL;
    if (length > 0) {
        self[length] = '\0';
        slash = strrchr(self, '/');
    }
    argv[0] = (char *)(uintptr_t)program;
    for (size_t i = 0; slash && i < CLI_COUNT_OF(places); i++) {
        snprintf(path, sizeof path, "%.*s/%s%s", (int)(slash - self), self, places[i], program);
        if (access(path, X_OK) == 0)
            execv(path, argv);
    }
    execvp(program, argv);
    return cli_error("%s can't be started: %s (it is built with the library, in bench/, and installed beside wavewarp)",
                     program, strerror(errno));
}
