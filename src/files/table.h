// SPDX-License-Identifier: Apache-2.0
// Tables of numbers (.csv and UCR text): what their lines and columns are, by options and by the first lines.
#ifndef WAVEWARP_FILES_TABLE_H
#define WAVEWARP_FILES_TABLE_H

#include "files/read.h"
#include "series/notes.h"

#define WWI_NO_COLUMN SIZE_MAX
#define WWI_LAST_COLUMN (SIZE_MAX - 1) // the last of each line, which may differ in length

typedef struct wwi_table {
    char separator;             // '\0': there is no line with content
    bool quotes;                // fields may be in quotes
    bool padded;                // NaN at the end of a line pads a shorter series
    bool heading;               // the first line names the columns
    bool points;                // a line is a point
    size_t columns;             // of the first line
    size_t label, time, series; // columns from 0
    bool *left_out;             // of each column; NULL: none is
    bool rest;                  // columns behind those of the first line are values
} wwi_table;

// Looks at the first lines behind the text's cursor, and leaves the cursor at the first line that is no heading.
// wwi_table_free() frees what the table holds, also after a failure.
ww_status wwi_table_examine(wwi_text *text, const ww_read_options *options, ww_format format, wwi_table *table);
void wwi_table_free(wwi_table *table);

// ---- the sample (table_sample.c)

// What the first lines of a table have in common.
typedef struct wwi_sample {
    char separator;
    size_t lines;         // looked at, without a heading
    size_t least_columns; // of a line, and most
    size_t most_columns;
    size_t first_fields;                          // that are not empty
    bool first_texts, first_dates, first_numbers; // all of them are such
    bool last_texts;
    bool fractions;      // a first field is a number that is not whole
    size_t distinct;     // first fields that are numbers
    bool plain, numeric; // all fields of the first few lines behind the first one are plain whole numbers; are
                         // numbers
    bool second_number;  // the second field of the last line looked at is a number
    bool second_dates;   // all second fields are dates
} wwi_sample;

// Examines lines from the text's cursor on, which stays: at most 1000, and 256 KiB. The first line is left out of the
// counts when `heading` says that it is one.
ww_status wwi_sample_take(const wwi_text *text, bool quotes, bool heading, wwi_sample *sample);

// The first line's numbers count its columns, from 0, or from 1 where there are some: names that a program gave.
// `texts`: of fields that are none.
bool wwi_counts_columns(const wwi_text *text, wwi_span line, char separator, size_t *texts);

#endif
