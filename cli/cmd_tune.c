// SPDX-License-Identifier: Apache-2.0
// wavewarp tune: finds the parameters a device runs fastest with and writes them to the user's tuning file.
#include <inttypes.h>

#include "commands.h"

typedef struct report {
    bool json, first;
} report;

static int print_result(void *user, const ww_tune_result *r) {
    report *state = user;
    const char *precision = r->precision == WW_DOUBLE ? "f64" : "f32";
    if (state->json) {
        printf("%s{\"parameter\": \"%s\", \"precision\": \"%s\", \"value\": %" PRId64 ", \"gcups\": ",
               state->first ? "" : ",\n", r->parameter, precision, r->value);
        cli_json_number(stdout, r->cells_per_second / 1e9, 6);
        printf(", \"correct\": %s, \"chosen\": %s}", r->correct ? "true" : "false", r->chosen ? "true" : "false");
    } else if (!r->correct) {
        printf("  %-16s %s %6" PRId64 "   %s\n", r->parameter, precision, r->value,
               r->cells_per_second > 0 ? "wrong result" : "does not run here");
    } else {
        printf("%c %-16s %s %6" PRId64 "   %10.3f GCUPS\n", r->chosen ? '*' : ' ', r->parameter, precision, r->value,
               r->cells_per_second / 1e9);
    }
    fflush(stdout);
    state->first = false;
    return 0;
}

int cmd_tune(const cli_command *command, int argc, char **argv) {
    report state = {false, true};
    bool dry = false;
    cli_device_options device = {NULL, NULL, NULL, 0, 0, 0, false};
    ww_context *context = NULL;
    ww_tune_options options = WW_TUNE_OPTIONS_INIT;
    const cli_option table[] = {
        {"device", 'd', CLI_TEXT, "D", "gpu, cpu, a number of 'wavewarp devices', or part of a name", &device.device, 0,
         0},
        {"tuning", 0, CLI_TEXT, "FILE", "the tuning file to write; it must exist", &device.tuning, 0, 0},
        {"dry", 0, CLI_FLAG, NULL, "measure only; write nothing", &dry, 0, 0},
        {"json", 'j', CLI_FLAG, NULL, "print one JSON array", &state.json, 0, 0},
    };
    int result = cli_parse(command, table, CLI_COUNT_OF(table), argc, argv, NULL, 0, 0, NULL);
    if (result != CLI_GO_ON)
        return result;
    if ((result = cli_context_open(&device, &context)) != CLI_GO_ON)
        return result;
    options.dry = dry;
    options.report = print_result;
    options.report_user = &state;
    if (state.json)
        fputs("[", stdout);
    const ww_status status = ww_tune(context, &options);
    if (state.json)
        fputs("]\n", stdout);
    if (status != WW_OK)
        result = cli_fail();
    else {
        result = CLI_OK;
        if (!state.json && !dry)
            printf("written to %s\n", ww_tuning_file(context));
    }
    ww_context_destroy(&context);
    return result;
}
