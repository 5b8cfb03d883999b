// SPDX-License-Identifier: Apache-2.0
// See shares.h.
#include "base/shares.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t shared_by(const ww_context *context) {
    const size_t count = ww_context_device_count(context);
    return count > 1 ? count : 0;
}

static bool describe(ww_context *context, size_t i, ww_device_info *device, ww_device_share *share) {
    *device = (ww_device_info)WW_DEVICE_INFO_INIT;
    *share = (ww_device_share)WW_DEVICE_SHARE_INIT;
    return ww_context_get_device_info(ww_context_device(context, i), device) == WW_OK &&
           ww_context_get_share(context, i, share) == WW_OK;
}

static bool any_left(ww_context *context) {
    ww_device_info device;
    ww_device_share share;
    for (size_t i = 0; i < shared_by(context); i++)
        if (describe(context, i, &device, &share) && !share.lost)
            return true;
    return false;
}

void cli_shares_report(ww_context *context) {
    ww_device_info device;
    ww_device_share share;
    const char *and_then = any_left(context) ? " was lost, and others did its work" : " failed";
    for (size_t i = 0; i < shared_by(context); i++) {
        if (!describe(context, i, &device, &share))
            continue;
        if (share.lost)
            fprintf(stderr, "wavewarp: note: device %u (%s)%s: %s\n", device.index, device.name, and_then,
                    share.message);
        else if (isatty(STDERR_FILENO))
            fprintf(stderr, "device %u (%s): %" PRIu64 " tiles in %.4g s\n", device.index, device.name, share.tiles,
                    share.seconds);
    }
}

void cli_shares_add(ww_context *context, ww_device_share *sums) {
    ww_device_info device;
    ww_device_share share;
    for (size_t i = 0; i < shared_by(context); i++) {
        if (!describe(context, i, &device, &share))
            continue;
        share.tiles += sums[i].tiles;
        share.work += sums[i].work;
        share.seconds += sums[i].seconds;
        if (sums[i].lost) {
            share.lost = 1;
            (void)snprintf(share.message, sizeof share.message, "%s", sums[i].message);
        }
        sums[i] = share;
    }
}

void cli_shares_json(ww_context *context, const ww_device_share *sums, cli_json *json) {
    ww_device_info device;
    ww_device_share share;
    if (!shared_by(context))
        return;
    cli_json_array(json, "devices");
    for (size_t i = 0; i < shared_by(context); i++) {
        if (!describe(context, i, &device, &share))
            continue;
        if (sums)
            share = sums[i];
        cli_json_line(json);
        cli_json_object(json, NULL);
        cli_json_count(json, "index", device.index);
        cli_json_text(json, "name", device.name);
        cli_json_count(json, "tiles", share.tiles);
        cli_json_number(json, "work", share.work, 17);
        cli_json_number(json, "seconds", share.seconds, 6);
        cli_json_text(json, "lost", share.lost ? share.message : NULL);
        cli_json_end(json);
    }
    cli_json_end(json);
}
