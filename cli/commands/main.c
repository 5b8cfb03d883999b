// SPDX-License-Identifier: Apache-2.0
// The program's main().
#include "base/division.h"
#include "commands/commands.h"

// What a run that was killed left beside a file that this one writes.
static void mention_part(void *user, const char *part) {
    (void)user;
    cli_note("note: %s was left by a run that did not end; it can be deleted", part);
}

int main(int argc, char **argv) {
    CLI_FREES char *line = cli_arguments_join(argc, argv);
    cli_command_line = line;
    cli_seconds(); // starts the clock
    cli_interrupt_begin();
    ww_unfinished_files_notice(mention_part, NULL);
    const int result = cli_run(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == CLI_OK)
        return cli_error("standard output can't be written");
    return result;
}
