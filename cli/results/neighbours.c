// SPDX-License-Identifier: Apache-2.0
// Output of neighbours: lines, JSON, files of ids and distances.
#include "results/neighbours.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int cli_neighbours_allocate(cli_neighbours *n) {
    void *ids = NULL;
    CLI_TRY(cli_values_allocate(n->queries, n->k, n->precision, &n->distances));
    CLI_TRY(cli_values_allocate(n->queries, n->k, WW_DOUBLE, &ids)); // 8 bytes, as an index has
    n->ids = ids;
    return CLI_GO_ON;
}

void cli_neighbours_free(cli_neighbours *n) {
    free(n->ids);
    free(n->distances);
    n->ids = NULL;
    n->distances = NULL;
}

const char *cli_neighbours_output(const cli_neighbour_options *options) {
    return options->output ? options->output : options->ids ? options->ids : options->distances;
}

// Number of neighbours of query i.
static size_t found(const cli_neighbours *n, size_t i) {
    size_t count = 0;
    while (count < n->k && n->ids[i * n->k + count] >= 0)
        count++;
    return count;
}

static void print_lines(const cli_neighbours *n, bool csv, FILE *file) {
    const int digits = n->precision == WW_DOUBLE ? 17 : 9;
    if (csv)
        fputs("query,index,distance\n", file);
    for (size_t i = 0; i < n->queries; i++) {
        const size_t first = i * n->k, end = first + found(n, i);
        if (!csv)
            fprintf(file, "%zu", i);
        for (size_t j = first; j < end; j++) {
            const double distance = cli_value_at(n->distances, n->precision, j);
            if (csv)
                fprintf(file, "%zu,%" PRId64 ",%.*g\n", i, n->ids[j], digits, distance);
            else
                fprintf(file, "\t%" PRId64 ":%.*g", n->ids[j], digits, distance);
        }
        if (!csv)
            fputc('\n', file);
    }
}

// An .npy of 64-bit integers; the library writes floating-point numbers alone.
static void write_npy_ids(const cli_neighbours *n, FILE *file) {
    enum { HEADER = 128, PREFIX = 10 };
    const uint16_t one = 1;
    unsigned char low;
    char text[HEADER - PREFIX];
    memcpy(&low, &one, 1);
    const int length = snprintf(text, sizeof text, "{'descr': '%ci8', 'fortran_order': False, 'shape': (%zu, %zu), }",
                                low ? '<' : '>', n->queries, n->k);
    memset(text + length, ' ', sizeof text - (size_t)length);
    text[sizeof text - 1] = '\n';
    const unsigned char prefix[PREFIX] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof text, 0};
    fwrite(prefix, 1, sizeof prefix, file);
    fwrite(text, 1, sizeof text, file);
    fwrite(n->ids, sizeof *n->ids, n->queries * n->k, file);
}

static int put_values(const cli_neighbours *n, const void *values, ww_precision precision, ww_file *file) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    view.values = values;
    view.precision = precision;
    view.count = n->queries;
    view.dimension = n->k;
    return cli_status(ww_point_view_put(&view, file));
}

static int put_ids(const cli_neighbours *n, const char *path, cli_output *output) {
    if (cli_name_ends_with(path, ".npy")) {
        write_npy_ids(n, output->file);
        return CLI_GO_ON;
    }
    CLI_FREES double *values = malloc(n->queries * n->k * sizeof *values);
    if (!values)
        return cli_error("not enough memory");
    for (size_t i = 0; i < n->queries * n->k; i++)
        values[i] = (double)n->ids[i];
    return put_values(n, values, WW_DOUBLE, output->target);
}

enum { IDS, DISTANCES, LINES, FILES };

static void drop_outputs(cli_output (*outputs)[FILES]) {
    for (int i = 0; i < FILES; i++)
        cli_output_drop(&(*outputs)[i]);
}

int cli_neighbours_write(const cli_neighbours *n, const cli_neighbour_options *options) {
    const char *paths[FILES] = {options->ids, options->distances, options->output};
    CLI_ENDS(drop_outputs) cli_output outputs[FILES] = {{.file = NULL}};
    for (int i = 0; i < FILES; i++)
        if (paths[i])
            CLI_TRY(cli_output_open(paths[i], &outputs[i]));
    if (paths[IDS])
        CLI_TRY(put_ids(n, paths[IDS], &outputs[IDS]));
    if (paths[DISTANCES])
        CLI_TRY(put_values(n, n->distances, n->precision, outputs[DISTANCES].target));
    if (paths[LINES])
        print_lines(n, cli_name_ends_with(paths[LINES], ".csv"), outputs[LINES].file);
    // All or none: the first gets its name when all are on disk.
    for (int i = 0; i < FILES; i++)
        CLI_TRY(cli_output_finish(&outputs[i]));
    for (int i = 0; i < FILES; i++)
        CLI_TRY(cli_output_close(&outputs[i]));
    if (!options->json && cli_neighbours_in_json(options))
        print_lines(n, false, stdout);
    return CLI_GO_ON;
}

bool cli_neighbours_in_json(const cli_neighbour_options *options) {
    return !options->output && !options->ids && !options->distances;
}

void cli_neighbours_json(cli_json *json, const cli_neighbours *n, const cli_neighbour_options *options) {
    if (!cli_neighbours_in_json(options)) {
        cli_json_null(json, "neighbours");
        return;
    }
    cli_json_array(json, "neighbours");
    for (size_t i = 0; i < n->queries; i++) {
        const size_t first = i * n->k, count = found(n, i);
        cli_json_line(json);
        cli_json_object(json, NULL);
        cli_json_count(json, "query", i);
        cli_json_array(json, "indices");
        for (size_t j = first; j < first + count; j++)
            cli_json_integer(json, NULL, n->ids[j]);
        cli_json_end(json);
        cli_json_values(json, "distances", (const char *)n->distances + first * cli_value_bytes(n->precision),
                        n->precision, count);
        cli_json_end(json);
    }
    cli_json_end(json);
}
