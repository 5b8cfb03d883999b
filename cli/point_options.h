// SPDX-License-Identifier: Apache-2.0
// What the commands on points share.
#ifndef WAVEWARP_CLI_POINTS_H
#define WAVEWARP_CLI_POINTS_H

#include "common.h"

extern const char *const cli_metrics[]; // as enum ww_metric counts them

int cli_points_read(const char *path, ww_metric metric, ww_point_set **set, ww_point_view *view);
int cli_points_upload(ww_context *context, const cli_device_options *device, const ww_point_view *view,
                      ww_points **points);

typedef struct cli_neighbours {
    size_t queries, k;
    ww_precision precision;
    int64_t *ids;
    void *distances;
} cli_neighbours;

// A line for each query: its number, then id:distance of each neighbour.
void cli_neighbours_print(const cli_neighbours *n);
// `"neighbours": [...]`
void cli_neighbours_json(const cli_neighbours *n);
// Either path may be NULL.
int cli_neighbours_write(const cli_neighbours *n, const char *ids, const char *distances);

#endif
