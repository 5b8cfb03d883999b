// SPDX-License-Identifier: Apache-2.0
// What each device of a context did, where a command's job was divided among several.
#ifndef WAVEWARP_CLI_SHARES_H
#define WAVEWARP_CLI_SHARES_H

#include "base/common.h"
#include "base/json.h"

// A line a device on standard error: what it did, where that is a terminal; which were lost, and why, always. Nothing
// of a context of one device, or of none.
void cli_shares_report(ww_context *context);
// Adds what the last job did to what jobs before it did; one for each device, zeroed at first.
void cli_shares_add(ww_context *context, ww_device_share *sums);
// "devices": an object each. `sums` NULL: of the last job. Nothing of a context of one device.
void cli_shares_json(ww_context *context, const ww_device_share *sums, cli_json *json);

#endif
