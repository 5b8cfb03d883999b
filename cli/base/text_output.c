// SPDX-License-Identifier: Apache-2.0
// Text files of the program, as streams over the library's files, which get their names when they are complete.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/common.h"
#include "base/escape.h"

static ssize_t put(void *state, const char *bytes, size_t size) {
    cli_output *output = state;
    if (ww_file_put(output->target, bytes, size) == WW_OK)
        return (ssize_t)size;
    errno = EIO;
    return 0; // a short count is the failure
}

int cli_output_open(const char *path, cli_output *output) {
    *output = (cli_output){.target = NULL};
    CLI_TRY(cli_status(ww_file_create(path, &output->target)));
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
    CLI_TRY(cli_status(ww_file_finish(output->target)));
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

// ---- predictions

typedef struct field_style {
    bool csv, terminal;
} field_style;

// A label in a line of the file: in .csv with quotes where it needs them; by tabs what would end it is escaped.
static void write_label(FILE *file, const char *label, field_style style) {
    if (style.terminal || (!style.csv && strpbrk(label, "\t\r\n"))) {
        cli_print_escaped(file, label, "");
    } else if (style.csv && strpbrk(label, ",\"\r\n")) {
        fputc('"', file);
        for (; *label; label++) {
            if (*label == '"')
                fputc('"', file);
            fputc(*label, file);
        }
        fputc('"', file);
    } else {
        fputs(label, file);
    }
}

int cli_save_predictions(const char *path, size_t count, const char *(*label)(const void *user, size_t i),
                         const char *(*predicted)(const void *user, size_t i), const void *user) {
    const bool shown = strcmp(path, "-") == 0 && isatty(STDOUT_FILENO) == 1;
    const field_style style = {.csv = cli_name_ends_with(path, ".csv"), .terminal = shown};
    const char between = style.csv ? ',' : '\t';
    cli_output output;
    CLI_TRY(cli_output_open(path, &output));
    fprintf(output.file, "series%cactual%cpredicted\n", between, between);
    for (size_t i = 0; i < count; i++) {
        const char *own = label(user, i), *other = predicted(user, i);
        fprintf(output.file, "%zu%c", i, between);
        write_label(output.file, own ? own : "", style);
        fputc(between, output.file);
        write_label(output.file, other ? other : "", style);
        fputc('\n', output.file);
    }
    return cli_output_close(&output);
}
