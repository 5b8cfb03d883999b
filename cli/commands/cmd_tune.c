// SPDX-License-Identifier: Apache-2.0
// wavewarp tune: finds the parameters a device runs fastest with and writes them to the user's tuning file.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/json.h"
#include "commands/commands.h"

typedef struct report {
    bool json;
    cli_json out;
} report;

static int print_result(void *user, const ww_tune_result *r) {
    report *state = user;
    if (state->json) {
        cli_json *out = &state->out;
        cli_json_line(out);
        cli_json_object(out, NULL);
        cli_json_text(out, "parameter", r->parameter);
        cli_json_text(out, "precision", ww_word(WW_WORD_PRECISION, r->precision));
        cli_json_integer(out, "value", r->value);
        cli_json_number(out, "gcups", r->cells_per_second / 1e9, 6);
        cli_json_flag(out, "correct", r->correct);
        cli_json_flag(out, "chosen", r->chosen);
        cli_json_end(out);
    } else if (!r->correct) {
        printf("  %-16s %-6s %6ld   %s\n", r->parameter, ww_word(WW_WORD_PRECISION, r->precision), r->value,
               r->cells_per_second > 0 ? "wrong result" : "does not run here");
    } else {
        printf("%c %-16s %-6s %6ld   %10.3f GCUPS\n", r->chosen ? '*' : ' ', r->parameter,
               ww_word(WW_WORD_PRECISION, r->precision), r->value, r->cells_per_second / 1e9);
    }
    fflush(stdout);
    return cli_interrupted();
}

// A file that does not exist is created empty, because the library reads it before it writes to it; then *made.
static int make_file(const char *path, bool *made) {
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0)
        return errno == EEXIST ? CLI_GO_ON : cli_error("%s: can't be written: %s", path, strerror(errno));
    cli_interrupt_removes(path);
    *made = true;
    close(file);
    return CLI_GO_ON;
}

// Nothing was found: the new file is removed.
static void remove_empty(const char *path) {
    struct stat about;
    if (stat(path, &about) == 0 && about.st_size == 0)
        unlink(path);
}

static int tune(const cli_command *command, const cli_device_options *device, bool dry, report *state) {
    ww_tune_options options = WW_TUNE_OPTIONS_INIT;
    CLI_ENDS(ww_context_destroy) ww_context *context = NULL;
    CLI_TRY(cli_context_open(device, &context));
    options.dry = dry;
    options.report = print_result;
    options.report_user = state;
    if (state->json) {
        cli_head head = CLI_HEAD_INIT;
        head.output = dry ? NULL : ww_tuning_file(context);
        head.context = context;
        cli_json_head(&state->out, stdout, command, &head);
        cli_json_array(&state->out, "results");
    }
    const ww_status status = ww_tune(context, &options);
    if (state->json) {
        cli_json_end(&state->out);
        cli_json_end(&state->out);
    }
    CLI_TRY(cli_status(status));
    if (!state->json && !dry) {
        fputs("written to ", stdout);
        cli_print_escaped(stdout, ww_tuning_file(context), "");
        putchar('\n');
    }
    return CLI_GO_ON;
}

// ---- --list

static void list_json(const cli_command *command) {
    cli_json json;
    const cli_head head = CLI_HEAD_INIT;
    cli_json_head(&json, stdout, command, &head);
    cli_json_array(&json, "parameters");
    for (size_t i = 0; i < ww_tune_parameter_count(); i++) {
        ww_tune_parameter p = WW_TUNE_PARAMETER_INIT;
        if (ww_tune_get_parameter(i, &p) != WW_OK)
            continue;
        cli_json_line(&json);
        cli_json_object(&json, NULL);
        cli_json_text(&json, "name", p.name);
        cli_json_integer(&json, "least", p.least);
        cli_json_integer(&json, "most", p.most);
        cli_json_text(&json, "values", p.values);
        cli_json_text(&json, "default", p.standard);
        cli_json_text(&json, "meaning", p.meaning);
        cli_json_flag(&json, "tuned", p.tuned);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

// Lines of docs/tuning.md's table.
static void list_text(void) {
    puts("| parameter | values | default | meaning |\n| --- | --- | --- | --- |");
    for (size_t i = 0; i < ww_tune_parameter_count(); i++) {
        ww_tune_parameter p = WW_TUNE_PARAMETER_INIT;
        if (ww_tune_get_parameter(i, &p) == WW_OK)
            printf("| `%s`%s | %" PRId64 " to %" PRId64 "%s%s | %s | %s |\n", p.name, p.tuned ? " *" : "", p.least,
                   p.most, *p.values ? ", " : "", p.values, p.standard, p.meaning);
    }
}

int cmd_tune(const cli_command *command, int argc, char **argv) {
    report state = {.json = false};
    bool dry = false, made = false, list = false;
    cli_device_options device = {0};
    const cli_option table[] = {
        CLI_SWITCH("dry", 0, "measure only; write nothing", &dry),
        CLI_SWITCH("list", 0, "list all parameters with ranges, defaults and meanings; * marks those that are tuned",
                   &list),
        CLI_SWITCH("json", 'j', "print one JSON object", &state.json),
        CLI_HEADING("Device"),
        CLI_OPTION("device", 'd', CLI_TEXT, "D", "gpu, cpu, a number from 'wavewarp devices', or part of a name",
                   &device.device),
        CLI_OPTION("kernel-dir", 0, CLI_TEXT, "DIR", "folder of the kernels' sources", &device.kernel_dir),
        CLI_OPTION("tuning", 0, CLI_FILE, "FILE", "the tuning file to write; made where there is none", &device.tuning),
        CLI_SWITCH("verbose", 'v', "say on standard error what the library does", &device.verbose),
    };
    CLI_TRY(cli_parse(command, table, CLI_COUNT_OF(table), argc, argv, NULL, 0, 0, NULL));
    if (list) {
        if (state.json)
            list_json(command);
        else
            list_text();
        return CLI_OK;
    }
    // The variable names the same file; it too may be new.
    const char *path = device.tuning ? device.tuning : getenv("WAVEWARP_TUNING");
    if (path && *path && !dry)
        CLI_TRY(make_file(path, &made));
    // From here on an interrupt ends the work between two candidates; there is no plan that it would cancel.
    ww_plan_options plan;
    cli_progress progress;
    cli_plan_options(&device, &progress, &plan);
    progress.unit = "candidates";
    progress.each = 1;
    const int result = tune(command, &device, dry, &state);
    cli_progress_end();
    if (made && result != CLI_GO_ON)
        remove_empty(path);
    return result;
}
