// SPDX-License-Identifier: Apache-2.0
// wavewarp devices: what the loader sees, what would be chosen, and whether it computes right.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

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

static void print_device(const ww_device_info *d, const check *result) {
    printf("%s%u  %s\n", d->chosen ? "*" : " ", d->index, d->name);
    printf("    platform    %s, %s\n", d->platform, d->version);
    printf("    driver      %s, %s\n", d->driver, d->vendor);
    printf("    type        %s, %" PRIu64 " compute units, %" PRIu64 " MHz\n", type_name(d->type), d->compute_units,
           d->clock_mhz);
    printf("    memory      %.1f GiB, largest buffer %.1f GiB, local %" PRIu64 " KiB\n", gib(d->global_bytes),
           gib(d->max_buffer_bytes), d->local_bytes / 1024);
    printf("    double      %s\n", d->has_double ? "yes" : "no");
    printf("    choice      %s\n", d->why);
    if (!result->done)
        return;
    if (result->kernels[0])
        printf("    kernels     %s\n", result->kernels);
    if (result->passed)
        printf("    self-test   passed in %.2f s\n", result->seconds);
    else
        printf("    self-test   failed: %s\n", result->message);
}

static void print_json(const ww_device_info *d, const check *result) {
    printf("{\"index\": %u, \"name\": ", d->index);
    cli_json_text(stdout, d->name);
    fputs(", \"vendor\": ", stdout);
    cli_json_text(stdout, d->vendor);
    fputs(", \"platform\": ", stdout);
    cli_json_text(stdout, d->platform);
    fputs(", \"version\": ", stdout);
    cli_json_text(stdout, d->version);
    fputs(", \"driver\": ", stdout);
    cli_json_text(stdout, d->driver);
    printf(", \"type\": \"%s\", \"compute_units\": %" PRIu64 ", \"clock_mhz\": %" PRIu64 ", \"global_bytes\": %" PRIu64
           ", \"max_buffer_bytes\": %" PRIu64 ", \"local_bytes\": %" PRIu64 ", \"max_work_group\": %" PRIu64,
           type_name(d->type), d->compute_units, d->clock_mhz, d->global_bytes, d->max_buffer_bytes, d->local_bytes,
           d->max_work_group);
    printf(", \"double\": %s, \"usable\": %s, \"chosen\": %s, \"why\": ", d->has_double ? "true" : "false",
           d->usable ? "true" : "false", d->chosen ? "true" : "false");
    cli_json_text(stdout, d->why);
    if (result->done) {
        printf(", \"self_test\": \"%s\", \"self_test_seconds\": ", result->passed ? "passed" : "failed");
        cli_json_number(stdout, result->seconds, 4);
        if (!result->passed) {
            fputs(", \"self_test_message\": ", stdout);
            cli_json_text(stdout, result->message);
        }
        fputs(", \"kernels\": ", stdout);
        cli_json_text(stdout, result->kernels);
    }
    fputs("}", stdout);
}

int cmd_devices(const cli_command *command, int argc, char **argv) {
    bool json = false, no_test = false, failed = false;
    const cli_option options[] = {
        {"json", 'j', CLI_FLAG, NULL, "print one JSON array", &json, 0, 0},
        {"no-self-test", 0, CLI_FLAG, NULL, "list only; compute nothing", &no_test, 0, 0},
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, NULL, 0, 0, NULL);
    if (result != CLI_GO_ON)
        return result;
    ww_device_list *devices = NULL;
    if (ww_device_list_create(&devices) != WW_OK)
        return cli_fail();
    if (json)
        fputs("[", stdout);
    for (size_t i = 0; i < ww_device_list_count(devices); i++) {
        ww_device_info device = WW_DEVICE_INFO_INIT;
        check checked;
        if (ww_device_list_get_info(devices, i, &device) != WW_OK) {
            failed = true;
            continue;
        }
        memset(&checked, 0, sizeof checked);
        if (!no_test && device.usable)
            run_check(&device, &checked);
        failed = failed || (checked.done && !checked.passed);
        if (json && i > 0)
            fputs(",\n", stdout);
        (json ? print_json : print_device)(&device, &checked);
    }
    if (json)
        fputs("]\n", stdout);
    ww_device_list_destroy(&devices);
    return failed ? CLI_FAILURE : CLI_OK;
}
