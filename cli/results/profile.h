// SPDX-License-Identifier: Apache-2.0
// wavewarp profile: what the command and its picture share.
#ifndef WAVEWARP_CLI_PROFILE_H
#define WAVEWARP_CLI_PROFILE_H

#include "commands/commands.h"
#include "results/profiles.h"

typedef struct cli_profile_picture {
    const char *path;
    const ww_series_set *set;
    const cli_profile_found *results;
    size_t count, window, k;
} cli_profile_picture;
int cli_profile_draw(const cli_profile_picture *p);

#endif
