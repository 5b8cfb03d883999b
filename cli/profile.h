// SPDX-License-Identifier: Apache-2.0
// wavewarp profile: what the command and its picture share.
#ifndef WAVEWARP_CLI_PROFILE_H
#define WAVEWARP_CLI_PROFILE_H

#include "commands.h"

// What is found for one series.
typedef struct cli_profile_found {
    size_t series, windows;
    double *distances[3]; // all, left, right; windows x k
    int64_t *indices[3];
    ww_profile_motif *motifs;
    int64_t *discords;
    size_t motif_count, discord_count;
    ww_profile_info info;
} cli_profile_found;

typedef struct cli_profile_picture {
    const char *path;
    const ww_series_set *set;
    const cli_profile_found *results;
    size_t count, window, k;
} cli_profile_picture;
int cli_profile_draw(const cli_profile_picture *p);

#endif
