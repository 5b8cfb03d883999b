// SPDX-License-Identifier: Apache-2.0
// Warping paths of pairs, of which one set may have a single series, and their output.
#ifndef WAVEWARP_CLI_PATHS_H
#define WAVEWARP_CLI_PATHS_H

#include "base/json.h"

// How many pairs there are. cli_paths_check(): whether the sets, from these files, have pairs.
size_t cli_paths_count(const ww_series_set *const sets[2]);
int cli_paths_check(const char *const files[2], const ww_series_set *const sets[2]);
// The series of a set that belongs to a pair.
size_t cli_paths_member(const ww_series_set *set, size_t pair);

// An .npy of pair, i and j, or lines of them; NULL: to standard output.
int cli_paths_write(const ww_paths *found, const char *path);
// "distances" and "paths": [...], without their cells where a file has these.
void cli_paths_json(cli_json *json, const ww_paths *found, bool cells);

#endif
