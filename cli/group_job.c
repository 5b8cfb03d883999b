// SPDX-License-Identifier: Apache-2.0
// Groups of devices, for the commands that can divide their work.
#include "group_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *wanted_devices(const cli_device_options *options) {
    return options->device && *options->device ? options->device : getenv("WAVEWARP_DEVICE");
}

bool cli_is_group(const cli_device_options *options) {
    const char *device = wanted_devices(options);
    return device && (strcmp(device, "all") == 0 || strcmp(device, "gpus") == 0 || strchr(device, ','));
}

int cli_group_open(const cli_device_options *options, ww_group **group) {
    ww_context_options context = WW_CONTEXT_OPTIONS_INIT;
    ww_group_options open = WW_GROUP_OPTIONS_INIT;
    cli_context_options(options, &context);
    open.context = &context;
    open.devices = wanted_devices(options);
    return cli_status(ww_group_create(&open, group));
}

int cli_group_points_make(ww_group *group, const cli_device_options *options, const char *path,
                          const ww_point_view *view, ww_group_points **points) {
    ww_points_options make = WW_POINTS_OPTIONS_INIT;
    make.precision = cli_precision(options);
    make.max_bytes = options->max_bytes;
    return ww_group_points_create(group, view, &make, points) == WW_OK ? CLI_GO_ON : cli_fail_in(path);
}

static bool describe(const ww_group *group, size_t i, ww_device_info *device, ww_group_info *info) {
    ww_device_info_init(device, sizeof *device);
    ww_group_info_init(info, sizeof *info);
    return ww_context_get_device_info(ww_group_context(group, i), device) == WW_OK &&
           ww_group_get_info(group, i, info) == WW_OK;
}

static bool any_left(const ww_group *group) {
    ww_device_info device;
    ww_group_info info;
    for (size_t i = 0; i < ww_group_count(group); i++)
        if (describe(group, i, &device, &info) && !info.lost)
            return true;
    return false;
}

void cli_group_report(const ww_group *group) {
    ww_device_info device;
    ww_group_info info;
    const char *and_then = any_left(group) ? " was lost, and others did its work" : " failed";
    for (size_t i = 0; i < ww_group_count(group); i++) {
        if (!describe(group, i, &device, &info))
            continue;
        if (info.lost)
            fprintf(stderr, "wavewarp: note: device %u (%s)%s: %s\n", device.index, device.name, and_then,
                    info.message);
        else if (isatty(STDERR_FILENO))
            fprintf(stderr, "device %u (%s): %" PRIu64 " tiles in %.4g s\n", device.index, device.name, info.tiles,
                    info.seconds);
    }
}

void cli_group_add(const ww_group *group, ww_group_info *sums) {
    ww_device_info device;
    ww_group_info info;
    for (size_t i = 0; i < ww_group_count(group); i++) {
        if (!describe(group, i, &device, &info))
            continue;
        info.tiles += sums[i].tiles;
        info.work += sums[i].work;
        info.seconds += sums[i].seconds;
        if (sums[i].lost) {
            info.lost = 1;
            (void)snprintf(info.message, sizeof info.message, "%s", sums[i].message);
        }
        sums[i] = info;
    }
}

void cli_group_head(const ww_group *group, cli_head *head) {
    ww_device_info device;
    ww_group_info info;
    if (!group)
        return;
    head->seconds_compute = 0;
    head->seconds_device = NAN;
    for (size_t i = 0; i < ww_group_count(group); i++)
        if (describe(group, i, &device, &info) && info.seconds > head->seconds_compute)
            head->seconds_compute = info.seconds;
}

void cli_group_json(const ww_group *group, const ww_group_info *sums, cli_json *json) {
    ww_device_info device;
    ww_group_info info;
    cli_json_array(json, "devices");
    for (size_t i = 0; i < ww_group_count(group); i++) {
        if (!describe(group, i, &device, &info))
            continue;
        if (sums)
            info = sums[i];
        cli_json_line(json);
        cli_json_object(json, NULL);
        cli_json_count(json, "index", device.index);
        cli_json_text(json, "name", device.name);
        cli_json_count(json, "tiles", info.tiles);
        cli_json_number(json, "work", info.work, 17);
        cli_json_number(json, "seconds", info.seconds, 6);
        cli_json_text(json, "lost", info.lost ? info.message : NULL);
        cli_json_end(json);
    }
    cli_json_end(json);
}
