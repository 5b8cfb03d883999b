// SPDX-License-Identifier: Apache-2.0
// Text files of the program, as streams over the library's files, which get their names when they are complete.
#include <errno.h>
#include <string.h>

#include "common.h"

static ssize_t put(void *state, const char *bytes, size_t size) {
    cli_output *output = state;
    if (ww_file_put(output->target, bytes, size) == WW_OK)
        return (ssize_t)size;
    errno = EIO;
    return 0; // a short count is the failure
}

int cli_output_open(const char *path, cli_output *output) {
    *output = (cli_output){.target = NULL};
    if (ww_file_create(path, &output->target) != WW_OK)
        return cli_fail();
    output->file = fopencookie(output, "w", (cookie_io_functions_t){.write = put});
    if (output->file)
        return CLI_GO_ON;
    cli_output_drop(output);
    return cli_error("out of memory");
}

int cli_output_finish(cli_output *output) {
    if (!output->file)
        return CLI_GO_ON;
    const bool good = !ferror(output->file), flushed = fclose(output->file) == 0;
    output->file = NULL;
    // What could not be put is said again here.
    if (ww_file_finish(output->target) != WW_OK)
        return cli_fail();
    return good && flushed ? CLI_GO_ON : cli_error("a file can't be written");
}

int cli_output_close(cli_output *output) {
    const int result = cli_output_finish(output);
    if (ww_file_close(&output->target, result == CLI_GO_ON) != WW_OK && result == CLI_GO_ON)
        return cli_fail();
    return result;
}

void cli_output_drop(cli_output *output) {
    if (output->file)
        (void)fclose(output->file);
    output->file = NULL;
    const ww_status removed = ww_file_close(&output->target, 0);
    (void)removed; // there is nothing more to do
}
