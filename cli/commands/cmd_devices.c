// SPDX-License-Identifier: Apache-2.0
// wavewarp devices: the devices that the loader finds, the one that would be chosen, and the self-test of each.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "commands/commands.h"

typedef struct check {
    bool done, passed;
    double seconds;
    char message[1100];
    char kernels[512];
} check;

static void run_check(const ww_device_info *device, check *result) {
    char index[16];
    ww_context *context = NULL;
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    const double start = cli_seconds();
    snprintf(index, sizeof index, "%u", device->index);
    options.device = index;
    options.log = cli_log_compiling;
    ww_status status = ww_context_create(&options, &context);
    if (status == WW_OK) {
        snprintf(result->kernels, sizeof result->kernels, "%s", ww_context_kernel_source(context));
        status = ww_context_self_test(context);
    }
    result->done = true;
    result->passed = status == WW_OK;
    if (status != WW_OK)
        snprintf(result->message, sizeof result->message, "%s%s%s%s", ww_last_error()->message,
                 ww_last_error()->hint[0] ? " (" : "", ww_last_error()->hint, ww_last_error()->hint[0] ? ")" : "");
    ww_context_destroy(&context);
    result->seconds = cli_seconds() - start;
}

static const char *type_name(ww_device_type type) {
    return type == WW_DEVICE_GPU ? "gpu" : type == WW_DEVICE_CPU ? "cpu" : "other";
}

static double gib(uint64_t bytes) {
    return (double)bytes / (double)(1U << 30);
}

static void print_device(const ww_device_info *d) {
    printf("%s%u  %s\n", d->chosen ? "*" : " ", d->index, d->name);
    printf("    platform    %s, %s\n", d->platform, d->version);
    printf("    driver      %s, %s\n", d->driver, d->vendor);
    printf("    type        %s, %" PRIu64 " compute units, %" PRIu64 " MHz\n", type_name(d->type), d->compute_units,
           d->clock_mhz);
    printf("    memory      %.1f GiB, largest buffer %.1f GiB, local %" PRIu64 " KiB\n", gib(d->global_bytes),
           gib(d->max_buffer_bytes), d->local_bytes / 1024);
    printf("    double      %s\n", d->has_double ? "yes" : "no");
    if (d->uuid[0])
        printf("    uuid        %s\n", d->uuid);
    if (d->pci[0])
        printf("    pci         %s\n", d->pci);
    printf("    choice      %s\n", d->why);
}

// Text with names of files in it.
static void print_line(const char *begin, const char *text) {
    fputs(begin, stdout);
    cli_print_escaped(stdout, text, "");
    putchar('\n');
}

static void print_check(const check *result) {
    if (result->kernels[0])
        print_line("    kernels     ", result->kernels);
    if (result->passed)
        printf("    self-test   passed in %.2f s\n", result->seconds);
    else
        print_line("    self-test   failed: ", result->message);
}

static void write_json(cli_json *json, const ww_device_info *d, const check *result) {
    cli_json_line(json);
    cli_json_object(json, NULL);
    cli_json_count(json, "index", d->index);
    cli_json_text(json, "name", d->name);
    cli_json_text(json, "vendor", d->vendor);
    cli_json_text(json, "platform", d->platform);
    cli_json_text(json, "version", d->version);
    cli_json_text(json, "driver", d->driver);
    cli_json_text(json, "type", type_name(d->type));
    cli_json_count(json, "compute_units", d->compute_units);
    cli_json_count(json, "clock_mhz", d->clock_mhz);
    cli_json_count(json, "global_bytes", d->global_bytes);
    cli_json_count(json, "max_buffer_bytes", d->max_buffer_bytes);
    cli_json_count(json, "local_bytes", d->local_bytes);
    cli_json_count(json, "max_work_group", d->max_work_group);
    cli_json_flag(json, "double", d->has_double);
    cli_json_text(json, "uuid", d->uuid[0] ? d->uuid : NULL);
    cli_json_text(json, "pci", d->pci[0] ? d->pci : NULL);
    cli_json_flag(json, "usable", d->usable);
    cli_json_flag(json, "chosen", d->chosen);
    cli_json_text(json, "why", d->why);
    cli_json_text(json, "self_test", !result->done ? NULL : result->passed ? "passed" : "failed");
    cli_json_number(json, "self_test_seconds", result->done ? result->seconds : NAN, 4);
    cli_json_text(json, "self_test_message", result->done && !result->passed ? result->message : NULL);
    cli_json_text(json, "kernels", result->done ? result->kernels : NULL);
    cli_json_end(json);
}

int cmd_devices(const cli_command *command, int argc, char **argv) {
    bool json = false, no_test = false, failed = false;
    const cli_option options[] = {
        CLI_SWITCH("json", 'j', "print one JSON object", &json),
        CLI_SWITCH("no-self-test", 0, "list only; compute nothing", &no_test),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, NULL, 0, 0, NULL));
    CLI_ENDS(ww_device_list_destroy) ww_device_list *devices = NULL;
    CLI_TRY(cli_status(ww_device_list_create(&devices)));
    const size_t count = ww_device_list_count(devices);
    CLI_FREES check *checks = calloc(count + 1, sizeof *checks);
    CLI_FREES ww_device_info *infos = calloc(count + 1, sizeof *infos);
    if (!checks || !infos)
        return cli_error("out of memory");
    for (size_t i = 0; i < count; i++) {
        infos[i] = (ww_device_info)WW_DEVICE_INFO_INIT;
        if (ww_device_list_get_info(devices, i, &infos[i]) != WW_OK) {
            failed = true;
            continue;
        }
        // The properties are printed first: the test may take minutes on a slow device.
        if (!json) {
            print_device(&infos[i]);
            fflush(stdout);
        }
        if (!no_test && infos[i].usable)
            run_check(&infos[i], &checks[i]);
        failed = failed || (checks[i].done && !checks[i].passed);
        if (!json && checks[i].done)
            print_check(&checks[i]);
    }
    if (json) {
        const cli_head head = CLI_HEAD_INIT;
        cli_json out;
        cli_json_head(&out, stdout, command, &head);
        cli_json_array(&out, "devices");
        for (size_t i = 0; i < count; i++)
            write_json(&out, &infos[i], &checks[i]);
        cli_json_end(&out);
        cli_json_end(&out);
    }
    return failed ? CLI_FAILURE : CLI_OK;
}
