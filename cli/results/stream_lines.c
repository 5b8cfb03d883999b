// SPDX-License-Identifier: Apache-2.0
// See stream_lines.h.
#include "results/stream_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct fields {
    size_t count;
    char *at[CLI_MOST_COLUMNS]; // each ends in a zero, blanks and quotes around it are gone
} fields;

static char *trim(char *begin, char *end) {
    while (begin < end && strchr(" \t\r", *begin))
        begin++;
    while (end > begin && strchr(" \t\r", end[-1]))
        end--;
    if (end - begin > 1 && *begin == '"' && end[-1] == '"') {
        begin++;
        end--;
    }
    *end = '\0';
    return begin;
}

static char separator_of(const char *line) {
    const char *found = strpbrk(line, ",;\t");
    return found ? *found : ' ';
}

// The fields of a line, which it cuts.
static int cut(const cli_stream_lines *lines, char *line, char *end, fields *f) {
    f->count = 0;
    for (char *at = line; at <= end;) {
        char *stop = memchr(at, lines->separator, (size_t)(end - at));
        char *next = (stop ? stop : end) + 1;
        while (lines->separator == ' ' && next < end && *next == ' ')
            next++;
        if (f->count == CLI_MOST_COLUMNS)
            return cli_error("standard input, line %" PRIu64 ": more than %d columns", lines->number, CLI_MOST_COLUMNS);
        f->at[f->count++] = trim(at, stop ? stop : end);
        at = next;
    }
    return CLI_GO_ON;
}

static bool is_missing(const char *field) {
    return !*field || strcmp(field, "?") == 0 || strcasecmp(field, "na") == 0 || strcasecmp(field, "null") == 0;
}

static bool is_number(const char *field, double *value) {
    char *after;
    *value = is_missing(field) ? NAN : strtod(field, &after);
    return is_missing(field) || (after != field && !*after);
}

static bool has_heading(const cli_stream_lines *lines, const fields *f) {
    double value;
    if (lines->read->header != 0)
        return lines->read->header == 1;
    for (size_t i = 0; i < f->count; i++)
        if (*f->at[i] && is_number(f->at[i], &value))
            return false;
    return true;
}

static bool is_time(const cli_stream_lines *lines, const char *name) {
    static const char *const words[] = {"time", "timestamp", "timestamps", "date", "datetime", "ds", "t"};
    if (lines->read->time_column)
        return strcmp(lines->read->time_column, name) == 0;
    for (size_t i = 0; i < CLI_COUNT_OF(words); i++)
        if (strcasecmp(words[i], name) == 0)
            return true;
    return false;
}

// The column that a word of --columns names; its number where it is one.
static int find(const fields *f, bool heading, const char *word, size_t size, size_t *column) {
    for (size_t i = 0; heading && i < f->count; i++)
        if (strlen(f->at[i]) == size && strncasecmp(f->at[i], word, size) == 0) {
            *column = i;
            return CLI_GO_ON;
        }
    char *end;
    const unsigned long number = strtoul(word, &end, 10);
    if (size == 0 || *word < '0' || *word > '9' || end != word + size || number < 1 || number > f->count)
        return cli_error("standard input has no column '%.*s' (%s)", (int)size, word,
                         heading ? "the first line names them; a number counts them from 1"
                                 : "a number counts them from 1");
    *column = number - 1;
    return CLI_GO_ON;
}

static int choose(cli_stream_lines *lines, const fields *f, bool heading, size_t *count) {
    for (const char *at = lines->read->columns; at && *at;) {
        const size_t size = strcspn(at, ","), left = strspn(at, "0123456789");
        const bool range = left > 0 && left < size && at[left] == '-';
        size_t from, to;
        CLI_TRY(find(f, heading, at, range ? left : size, &from));
        to = from;
        if (range)
            CLI_TRY(find(f, heading, at + left + 1, size - left - 1, &to));
        for (size_t c = from; c <= to && *count < CLI_MOST_COLUMNS; c++)
            lines->columns[(*count)++] = c;
        at += size + (at[size] == ',');
    }
    return CLI_GO_ON;
}

// Which columns are channels, by the first line.
static int begin(cli_stream_lines *lines, const fields *f, bool heading) {
    size_t count = 0;
    if (lines->read->columns)
        CLI_TRY(choose(lines, f, heading, &count));
    else
        for (size_t i = 0; i < f->count; i++)
            if (!heading || !is_time(lines, f->at[i]))
                lines->columns[count++] = i;
    if (count != lines->channels)
        return cli_error("standard input has %zu column%s with values, and the queries have %zu channel%s (--columns "
                         "says which columns have values)",
                         count, count == 1 ? "" : "s", lines->channels, lines->channels == 1 ? "" : "s");
    return CLI_GO_ON;
}

// Numbers of all channels, separated by blanks or commas.
static int take_all(const cli_stream_lines *lines, const char *line, const char *end, double *values) {
    const char *at = line;
    for (size_t c = 0; c < lines->channels; c++) {
        char *after;
        at += strspn(at, " \t,;");
        values[c] = strtod(at, &after);
        if (after == at)
            return cli_error("standard input, line %" PRIu64 ": %zu numbers are expected", lines->number,
                             lines->channels);
        at = after;
    }
    if (at + strspn(at, " \t,;\r") != end)
        return cli_error("standard input, line %" PRIu64 ": more than %zu numbers", lines->number, lines->channels);
    return CLI_GO_ON;
}

static int take_chosen(const cli_stream_lines *lines, const fields *f, double *values) {
    for (size_t c = 0; c < lines->channels; c++) {
        const size_t column = lines->columns[c];
        if (column >= f->count)
            return cli_error("standard input, line %" PRIu64 ": there is no column %zu", lines->number, column + 1);
        if (!is_number(f->at[column], &values[c]))
            return cli_error("standard input, line %" PRIu64 ": '%.40s' is not a number", lines->number, f->at[column]);
    }
    return CLI_GO_ON;
}

int cli_stream_line(cli_stream_lines *lines, char *line, char *end, double *values, bool *point) {
    fields f;
    lines->number++;
    *point = false;
    if (line + strspn(line, " \t\r") == end)
        return CLI_GO_ON;
    if (!lines->begun) {
        lines->begun = true;
        CLI_FREES char *copy = strdup(line);
        if (!copy)
            return cli_error("not enough memory");
        lines->separator = separator_of(line);
        CLI_TRY(cut(lines, copy, copy + strlen(copy), &f));
        const bool heading = has_heading(lines, &f);
        if (heading || lines->read->columns)
            CLI_TRY(begin(lines, &f, heading));
        else
            lines->separator = '\0';
        if (heading)
            return CLI_GO_ON;
    }
    *point = true;
    if (!lines->separator)
        return take_all(lines, line, end, values);
    CLI_TRY(cut(lines, line, end, &f));
    return take_chosen(lines, &f, values);
}

bool cli_columns_are_named(const char *columns) {
    return columns && strspn(columns, "0123456789,-") != strlen(columns);
}
