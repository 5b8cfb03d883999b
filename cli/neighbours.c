// SPDX-License-Identifier: Apache-2.0
// Output of neighbours: lines, JSON, files of ids and distances.
#include "neighbours.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int cli_neighbours_check(const cli_command *command, const cli_neighbour_options *options) {
    const char *paths[] = {options->output, options->ids, options->distances};
    static const char *const names[] = {"output", "ids", "distances"};
    for (size_t i = 0; options->json && i < CLI_COUNT_OF(paths); i++)
        if (paths[i] && strcmp(paths[i], "-") == 0)
            return cli_usage(command->name, "--json and --%s - both write to standard output", names[i]);
    return CLI_GO_ON;
}

int cli_neighbours_allocate(cli_neighbours *n) {
    void *ids = NULL;
    int result = cli_values_allocate(n->queries, n->k, n->precision, &n->distances);
    if (result == CLI_GO_ON)
        result = cli_values_allocate(n->queries, n->k, WW_DOUBLE, &ids); // 8 bytes, as an index has
    n->ids = ids;
    return result;
}

void cli_neighbours_free(cli_neighbours *n) {
    free(n->ids);
    free(n->distances);
    n->ids = NULL;
    n->distances = NULL;
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

static int write_lines(const cli_neighbours *n, const char *path) {
    cli_output output;
    if (strcmp(path, "-") == 0) {
        print_lines(n, false, stdout);
        return CLI_GO_ON;
    }
    const int result = cli_output_open(path, &output);
    if (result != CLI_GO_ON)
        return result;
    print_lines(n, cli_name_ends_with(path, ".csv"), output.file);
    return cli_output_close(&output);
}

// An .npy of 64-bit integers; the library writes floating-point numbers alone.
static int write_npy_ids(const cli_neighbours *n, const char *path) {
    enum { HEADER = 128, PREFIX = 10 };
    const uint16_t one = 1;
    unsigned char low;
    char text[HEADER - PREFIX];
    cli_output output;
    const int result = cli_output_open(path, &output);
    if (result != CLI_GO_ON)
        return result;
    memcpy(&low, &one, 1);
    const int length = snprintf(text, sizeof text, "{'descr': '%ci8', 'fortran_order': False, 'shape': (%zu, %zu), }",
                                low ? '<' : '>', n->queries, n->k);
    memset(text + length, ' ', sizeof text - (size_t)length);
    text[sizeof text - 1] = '\n';
    const unsigned char prefix[PREFIX] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof text, 0};
    fwrite(prefix, 1, sizeof prefix, output.file);
    fwrite(text, 1, sizeof text, output.file);
    fwrite(n->ids, sizeof *n->ids, n->queries * n->k, output.file);
    return cli_output_close(&output);
}

static int write_ids(const cli_neighbours *n, const char *path) {
    if (cli_name_ends_with(path, ".npy"))
        return write_npy_ids(n, path);
    double *values = malloc(n->queries * n->k * sizeof *values);
    if (!values)
        return cli_error("not enough memory");
    for (size_t i = 0; i < n->queries * n->k; i++)
        values[i] = (double)n->ids[i];
    const ww_point_view view = {sizeof view, WW_POINTS_NUMBERS, values, WW_DOUBLE, n->queries, n->k, 0, NULL};
    const int result = ww_point_view_write(path, &view) == WW_OK ? CLI_GO_ON : cli_fail();
    free(values);
    return result;
}

int cli_neighbours_write(const cli_neighbours *n, const cli_neighbour_options *options) {
    int result = CLI_GO_ON;
    if (options->ids)
        result = write_ids(n, options->ids);
    if (options->distances && result == CLI_GO_ON) {
        const ww_point_view view = {sizeof view, WW_POINTS_NUMBERS, n->distances, n->precision, n->queries, n->k, 0,
                                    NULL};
        result = ww_point_view_write(options->distances, &view) == WW_OK ? CLI_GO_ON : cli_fail();
    }
    if (options->output && result == CLI_GO_ON)
        result = write_lines(n, options->output);
    if (result == CLI_GO_ON && !options->json && cli_neighbours_in_json(options))
        print_lines(n, false, stdout);
    return result;
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
