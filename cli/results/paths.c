// SPDX-License-Identifier: Apache-2.0
// See paths.h.
#include "results/paths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DISTANCE, COUNT, CELLS }; // of a row

// ---- rows

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

static double base_of(const ww_series_set *columns) {
    return (double)ww_series_set_max_length(columns) + 1;
}

// A path has at most a cell for each of both series' points.
static uint64_t columns_of(const ww_series_set *const sets[2]) {
    uint64_t most = 0;
    for (size_t p = 0; p < cli_paths_count(sets); p++) {
        const uint64_t cells = ww_series_set_length(sets[0], cli_series_member(sets[0], p)) +
                               ww_series_set_length(sets[1], cli_series_member(sets[1], p));
        most = cells > most ? cells : most;
    }
    return CELLS + most;
}

static void pack(const ww_paths *found, double base, uint64_t columns, double *row) {
    for (size_t p = 0; p < found->count; p++, row += columns) {
        const uint64_t first = found->offsets[p], count = found->offsets[p + 1] - first;
        memset(row, 0, (size_t)columns * sizeof *row);
        row[DISTANCE] = found->distances[p];
        row[COUNT] = (double)count;
        for (uint64_t c = 0; c < count; c++) {
            const int32_t *cell = found->cells + 2 * (first + c);
            row[CELLS + c] = ((double)cell[0] + 1) * base + (double)cell[1] + 1;
        }
    }
}

static int compute(void *user, uint64_t first, uint64_t count, void *values) {
    const cli_path_rows *rows = user;
    const cli_series_rows *r = &rows->series;
    CLI_ENDS(ww_paths_free) ww_paths found = WW_PATHS_INIT;
    CLI_TRY(cli_pairs_plan(r, first, count, ww_plan_create_paths));
    CLI_TRY(cli_status_plainly(ww_plan_run_paths(*r->plan, &found)));
    cli_series_note(r);
    pack(&found, rows->base, rows->columns, values);
    return CLI_GO_ON;
}

int cli_paths_divide(cli_path_rows *rows, cli_row_job *job) {
    rows->base = base_of(job->sets[1]);
    rows->columns = columns_of(job->sets);
    // Whole numbers up to here are exact.
    if (rows->base * ((double)ww_series_set_max_length(job->sets[0]) + 1) > 9007199254740992.0)
        return cli_error("the series are too long for a file of their paths' cells");
    snprintf(rows->more, sizeof rows->more, "base %.0f", rows->base);
    job->name = "path";
    job->more = rows->more;
    job->rows = cli_paths_count(job->sets);
    job->columns = rows->columns;
    job->weight = cli_pairs_weight;
    job->compute = compute;
    job->user = rows;
    return CLI_GO_ON;
}

bool cli_paths_shape_read(const cli_row_shape *shape, cli_paths *paths) {
    paths->columns = shape->columns;
    return sscanf(shape->more, " base %lf", &paths->base) == 1 && paths->base >= 1 && paths->columns > CELLS;
}

int cli_paths_allocate(cli_paths *paths, size_t count) {
    ww_paths *found = &paths->found;
    *found = (ww_paths)WW_PATHS_INIT;
    found->count = count;
    found->offsets = calloc(count + 1, sizeof *found->offsets);
    found->distances = calloc(count, sizeof *found->distances);
    return found->offsets && found->distances ? CLI_GO_ON : cli_error("not enough memory");
}

void cli_paths_free(cli_paths *paths) {
    free(paths->found.offsets);
    free(paths->found.cells);
    free(paths->found.distances);
    *paths = (cli_paths){.found = WW_PATHS_INIT};
}

static bool grow(cli_paths *paths, uint64_t cells) {
    if (cells <= paths->capacity && paths->capacity)
        return true;
    const uint64_t most = cells < 512 ? 1024 : 2 * cells;
    int32_t *grown = most <= SIZE_MAX / 8 ? realloc(paths->found.cells, (size_t)most * 2 * sizeof *grown) : NULL;
    if (grown)
        paths->found.cells = grown, paths->capacity = most;
    return grown != NULL;
}

int cli_paths_take(void *user, uint64_t row, const double *values) {
    cli_paths *paths = user;
    ww_paths *found = &paths->found;
    const uint64_t begin = found->offsets[row];
    if (!(values[COUNT] >= 0 && values[COUNT] <= (double)(paths->columns - CELLS)))
        return cli_error("row %" PRIu64 " of the paths is damaged", row);
    const uint64_t count = (uint64_t)values[COUNT];
    if (!grow(paths, begin + count))
        return cli_error("%" PRIu64 " cells do not fit memory", begin + count);
    for (uint64_t c = 0; c < count; c++) {
        const double number = values[CELLS + c], i = floor(number / paths->base);
        if (!(number >= 0 && i <= INT32_MAX))
            return cli_error("row %" PRIu64 " of the paths is damaged", row);
        found->cells[2 * (begin + c)] = (int32_t)i - 1;
        found->cells[2 * (begin + c) + 1] = (int32_t)(number - i * paths->base) - 1;
    }
    found->distances[row] = values[DISTANCE];
    found->offsets[row + 1] = begin + count;
    return CLI_GO_ON;
}

int cli_paths_join(cli_paths *paths, const cli_row_job *job, const ww_array_file *file) {
    paths->columns = job->columns;
    paths->base = base_of(job->sets[1]);
    CLI_TRY(cli_paths_allocate(paths, (size_t)job->rows));
    return cli_rows_each(file, 0, job->rows, job->columns, cli_paths_take, paths);
}

// ---- output

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
