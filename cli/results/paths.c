// SPDX-License-Identifier: Apache-2.0
// See paths.h.
#include "results/paths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

size_t cli_paths_count(const ww_series_set *const sets[2]) {
    const size_t a = ww_series_set_count(sets[0]), b = ww_series_set_count(sets[1]);
    return a > b ? a : b;
}

int cli_paths_check(const char *const files[2], const ww_series_set *const sets[2]) {
    const size_t a = ww_series_set_count(sets[0]), b = ww_series_set_count(sets[1]);
    return a == b || a == 1 || b == 1
               ? CLI_GO_ON
               : cli_error("%s has %zu series and %s has %zu: paths need equal numbers, or one series on a side",
                           files[0], a, files[1], b);
}

size_t cli_paths_member(const ww_series_set *set, size_t pair) {
    return ww_series_set_count(set) == 1 ? 0 : pair;
}

static int write_array(const ww_paths *found, const char *path) {
    const size_t total = (size_t)found->offsets[found->count];
    CLI_FREES double *rows = malloc((total ? total : 1) * 3 * sizeof *rows);
    if (!rows)
        return cli_error("%zu cells do not fit memory", total);
    for (size_t p = 0; p < found->count; p++)
        for (uint64_t c = found->offsets[p]; c < found->offsets[p + 1]; c++) {
            rows[3 * c] = (double)p;
            rows[3 * c + 1] = found->cells[2 * c];
            rows[3 * c + 2] = found->cells[2 * c + 1];
        }
    return cli_status(ww_array_write(path, rows, WW_DOUBLE, total, 3));
}

int cli_paths_write(const ww_paths *found, const char *path) {
    cli_output output;
    if (path && cli_name_ends_with(path, ".npy"))
        return write_array(found, path);
    CLI_TRY(cli_output_open(path ? path : "-", &output));
    FILE *file = output.file;
    fputs("pair,i,j\n", file);
    for (size_t p = 0; p < found->count; p++)
        for (uint64_t c = found->offsets[p]; c < found->offsets[p + 1]; c++)
            fprintf(file, "%zu,%" PRId32 ",%" PRId32 "\n", p, found->cells[2 * c], found->cells[2 * c + 1]);
    return cli_output_close(&output);
}

void cli_paths_json(cli_json *json, const ww_paths *found, bool cells) {
    cli_json_values(json, "distances", found->distances, WW_DOUBLE, found->count);
    cli_json_array(json, "paths");
    for (size_t p = 0; p < found->count; p++) {
        cli_json_line(json);
        cli_json_object(json, NULL);
        cli_json_count(json, "length", found->offsets[p + 1] - found->offsets[p]);
        cli_json_array(json, "cells");
        for (uint64_t c = found->offsets[p]; cells && c < found->offsets[p + 1]; c++) {
            cli_json_array(json, NULL);
            cli_json_integer(json, NULL, found->cells[2 * c]);
            cli_json_integer(json, NULL, found->cells[2 * c + 1]);
            cli_json_end(json);
        }
        cli_json_end(json);
        cli_json_end(json);
    }
    cli_json_end(json);
}
