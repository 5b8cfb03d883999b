// SPDX-License-Identifier: Apache-2.0
// A stream that arrives line by line, a point each: which of its columns are the channels, and the points' values.
#ifndef WAVEWARP_CLI_STREAM_LINES_H
#define WAVEWARP_CLI_STREAM_LINES_H

#include "base/common.h"

enum { CLI_MOST_COLUMNS = 256 };

typedef struct cli_stream_lines {
    const cli_read_options *read; // --columns, --header, --time-column
    size_t channels;              // as many columns have values
    uint64_t number;              // lines so far
    bool begun;                   // the first line with content was seen
    char separator;               // '\0': no column is left out, and blanks and commas separate
    size_t columns[CLI_MOST_COLUMNS];
} cli_stream_lines;

// Takes the next line, whose end is a zero at `end`: its values, and whether it is a point. A heading and an empty line
// are none. An error names the line.
int cli_stream_line(cli_stream_lines *lines, char *line, char *end, double *values, bool *point);

// Whether --columns has names, which only a file with a heading has.
bool cli_columns_are_named(const char *columns);

#endif
