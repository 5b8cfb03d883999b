// SPDX-License-Identifier: Apache-2.0
// See matches.h.
#include "results/matches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 4 }; // of a place

static ww_match none(const cli_matches *m) {
    return (ww_match){-1, -1, -1, m->similarity ? -(double)INFINITY : (double)INFINITY};
}

int cli_matches_allocate(cli_matches *m) {
    const size_t all = m->queries * m->places;
    m->matches = calloc(m->queries, m->k * sizeof *m->matches);
    m->found = calloc(m->queries, sizeof *m->found);
    m->own = calloc(m->places ? all : m->k, sizeof *m->own);
    m->joined = calloc(all + 1, sizeof *m->joined);
    m->exclusions = calloc(m->queries, sizeof *m->exclusions);
    if (!m->matches || !m->found || !m->own || !m->joined || !m->exclusions)
        return cli_error("not enough memory");
    for (size_t i = 0; i < m->queries * m->k; i++)
        m->matches[i] = none(m);
    for (size_t i = 0; i < all; i++)
        m->joined[i] = none(m);
    return CLI_GO_ON;
}

void cli_matches_free(cli_matches *m) {
    free(m->matches);
    free(m->found);
    free(m->joined);
    free(m->own);
    free(m->exclusions);
}

void cli_matches_shape(const cli_matches *m, char *text, size_t size) {
    snprintf(text, size, "queries %zu k %zu places %zu similarity %d", m->queries, m->k, m->places, m->similarity);
}

bool cli_matches_shape_read(const char *text, cli_matches *m) {
    int similarity;
    if (sscanf(text, " queries %zu k %zu places %zu similarity %d", &m->queries, &m->k, &m->places, &similarity) != 4)
        return false;
    m->similarity = similarity != 0;
    const size_t most = m->k > m->places ? m->k : m->places;
    return m->queries && m->k && most <= SIZE_MAX / sizeof(ww_match) / m->queries;
}

size_t cli_matches_columns(const cli_matches *m) {
    return m->places ? m->queries * (1 + VALUES * m->places) : 1 + VALUES * m->k;
}

void cli_matches_pack(size_t queries, size_t places, const size_t *exclusions, const ww_match *matches, double *row) {
    for (size_t q = 0; q < queries; q++) {
        *row++ = exclusions ? (double)exclusions[q] : 0.0;
        for (size_t i = 0; i < places; i++, row += VALUES) {
            const ww_match m = matches ? matches[q * places + i] : (ww_match){-1, -1, -1, 0};
            row[0] = (double)m.stream;
            row[1] = (double)m.begin;
            row[2] = (double)m.end;
            row[3] = m.distance;
        }
    }
}

// NULL: what a file has is damaged.
static const double *unpack(const cli_matches *m, const double *row, size_t places, ww_match *to) {
    for (size_t i = 0; i < places; i++, row += VALUES) {
        for (int number = 0; number < 3; number++)
            if (!cli_row_index(row[number], CLI_ROW_MOST))
                return NULL;
        to[i] = row[0] >= 0 ? (ww_match){(int64_t)row[0], (int64_t)row[1], (int64_t)row[2], row[3]} : none(m);
    }
    return row;
}

static int damaged(uint64_t row) {
    return cli_error("row %" PRIu64 " of the search is damaged", row);
}

// The best of one query in some streams: no match excludes one of another stream.
static int take_streams(cli_matches *m, uint64_t row, const double *values) {
    const size_t query = (size_t)(row % m->queries);
    ww_match *to = m->matches + query * m->k;
    if (!unpack(m, values + 1, m->k, m->own))
        return damaged(row);
    CLI_TRY(cli_status(ww_matches_merge(1, m->k, m->similarity, to, m->own)));
    m->found[query] = 0;
    while (m->found[query] < m->k && to[m->found[query]].stream >= 0)
        m->found[query]++;
    return CLI_GO_ON;
}

int cli_matches_take(void *user, uint64_t row, const double *values) {
    cli_matches *m = user;
    if (!m->places)
        return take_streams(m, row, values);
    for (size_t q = 0; q < m->queries; q++) {
        if (!(*values >= 0 && *values <= CLI_ROW_MOST))
            return damaged(row);
        m->exclusions[q] = (size_t)*values;
        values = unpack(m, values + 1, m->places, m->own + q * m->places);
        if (!values)
            return damaged(row);
    }
    return cli_status(ww_matches_merge(m->queries, m->places, m->similarity, m->joined, m->own));
}

int cli_matches_choose(cli_matches *m) {
    return m->places ? cli_status(ww_matches_choose(m->queries, m->places, m->joined, m->k, m->exclusions,
                                                    m->similarity, m->matches, m->found))
                     : CLI_GO_ON;
}

int cli_matches_join(cli_matches *m, const cli_row_job *job, const ww_array_file *file) {
    CLI_TRY(cli_matches_allocate(m));
    CLI_TRY(cli_rows_each(file, 0, job->rows, job->columns, cli_matches_take, m));
    return cli_matches_choose(m);
}

// ---- output

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
