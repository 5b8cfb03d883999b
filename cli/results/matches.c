// SPDX-License-Identifier: Apache-2.0
// See matches.h.
#include "results/matches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int cli_matches_allocate(cli_matches *m) {
    m->matches = calloc(m->queries, m->k * sizeof *m->matches);
    m->found = calloc(m->queries, sizeof *m->found);
    return m->matches && m->found ? CLI_GO_ON : cli_error("not enough memory");
}

void cli_matches_free(cli_matches *m) {
    free(m->matches);
    free(m->found);
}

static void print_lines(const cli_matches *m, FILE *file, char between, int digits) {
    for (size_t q = 0; q < m->queries; q++)
        for (size_t i = 0; i < m->found[q]; i++) {
            const ww_match *at = &m->matches[q * m->k + i];
            fprintf(file, "%zu%c%" PRId64 "%c%" PRId64 "%c%" PRId64 "%c%.*g\n", q, between, at->stream, between,
                    at->begin, between, at->end, between, digits, at->distance);
        }
}

int cli_matches_write(const cli_matches *m, const char *path) {
    cli_output output;
    if (!path) {
        print_lines(m, stdout, '\t', 9);
        return CLI_GO_ON;
    }
    CLI_TRY(cli_output_open(path, &output));
    const bool csv = cli_name_ends_with(path, ".csv");
    if (csv)
        fputs("query,stream,begin,end,distance\n", output.file);
    print_lines(m, output.file, csv ? ',' : '\t', m->precision == WW_DOUBLE ? 17 : 9);
    return cli_output_close(&output);
}

void cli_matches_json(cli_json *json, const cli_matches *m) {
    cli_json_array(json, "matches");
    for (size_t q = 0; q < m->queries; q++) {
        cli_json_array(json, NULL);
        for (size_t i = 0; i < m->found[q]; i++) {
            const ww_match *at = &m->matches[q * m->k + i];
            cli_json_line(json);
            cli_json_object(json, NULL);
            cli_json_integer(json, "stream", at->stream);
            cli_json_integer(json, "begin", at->begin);
            cli_json_integer(json, "end", at->end);
            cli_json_number(json, "distance", at->distance, m->precision == WW_DOUBLE ? 17 : 9);
            cli_json_end(json);
        }
        cli_json_end(json);
    }
    cli_json_end(json);
}
