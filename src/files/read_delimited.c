// SPDX-License-Identifier: Apache-2.0
// Lines of numbers: the UCR archive's text (label first) and .csv.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ends.h"
#include "files/read.h"
#include "files/table.h"
#include "host.h"

// A tab has priority, since a label may contain any other separator.
char wwi_separator_of(wwi_span line, bool quotes) {
    static const char candidates[] = "\t;,";
    size_t count = 0;
    for (const char *at = line.begin; quotes && at < line.end; at++)
        count += *at == '"';
    for (const char *c = candidates; *c; c++) {
        bool inside = false;
        for (const char *at = line.begin; at < line.end; at++) {
            inside = count % 2 == 0 && (inside != (*at == '"')); // quotes that do not close are text
            if (*at == *c && !(quotes && inside))
                return *c;
        }
    }
    return ' ';
}

// Appends the values of `rest`; *written: how many there are up to the last field that is not empty.
static ww_status parse_values(const wwi_text *text, const wwi_table *how, wwi_span rest, wwi_values *values,
                              size_t *written) {
    wwi_span field;
    while (rest.begin) {
        const size_t before = values->count;
        const bool all = wwi_values_parse_plain(values, &rest, how->separator);
        if (values->count > before)
            *written = values->count;
        // The next field is no plain number, or the array is full.
        if (all || !wwi_next_field(&rest, how->separator, how->quotes, &field))
            break;
        WWI_TRY(wwi_values_parse(values, text, field));
        if (!wwi_span_is_empty(wwi_span_trim(field)))
            *written = values->count;
    }
    return WW_OK;
}

// The place of the last separator in a line without quotes; NULL where there is none.
static const char *last_separator(wwi_span line, char separator) {
    if (separator != ' ')
        return memrchr(line.begin, separator, wwi_span_size(line));
    const char *at = line.end;
    while (at > line.begin && at[-1] != ' ' && at[-1] != '\t')
        at--;
    return at > line.begin ? at - 1 : NULL;
}

// Divides the current line, without quotes where its label is the last, in its values and the field of its label.
static void find_label(const wwi_text *text, const wwi_table *how, wwi_span *values, wwi_span *label) {
    *values = text->line;
    *label = (wwi_span){text->line.end, text->line.end};
    if (how->label == 0) {
        wwi_next_field(values, how->separator, how->quotes, label);
        return;
    }
    if (how->label != WWI_LAST_COLUMN)
        return;
    const wwi_span line = how->separator == ' ' ? wwi_span_trim(text->line) : text->line;
    const char *last = last_separator(line, how->separator);
    *label = wwi_span_trim((wwi_span){last ? last + 1 : line.begin, line.end});
    *values = last ? (wwi_span){line.begin, last} : (wwi_span){NULL, NULL};
}

// The same where only some columns have values, or the label is in one between them.
static ww_status parse_columns(const wwi_text *text, const wwi_table *how, wwi_values *values, size_t *written,
                               char **label) {
    wwi_span rest = text->line, field;
    for (size_t c = 0; wwi_next_field(&rest, how->separator, how->quotes, &field); c++) {
        const bool last = !rest.begin || (how->separator == ' ' && wwi_span_is_empty(wwi_span_trim(rest)));
        if (c == how->label || (last && how->label == WWI_LAST_COLUMN)) {
            WWI_TRY(wwi_label_parse(field, label));
        } else if (c < how->columns ? !how->left_out || !how->left_out[c] : how->rest) {
            WWI_TRY(wwi_values_parse(values, text, field));
            if (!wwi_span_is_empty(field))
                *written = values->count;
        }
    }
    return WW_OK;
}

// Parses the current line into values and its label.
static ww_status parse_line(const wwi_text *text, const wwi_table *how, wwi_values *values, char **label) {
    wwi_span rest, field;
    size_t written = 0; // values up to the last field that is not empty
    values->count = 0;
    const bool simple =
        how->label == 0 || how->label == WWI_NO_COLUMN ||
        (how->label == WWI_LAST_COLUMN && !(how->quotes && memchr(text->line.begin, '"', wwi_span_size(text->line))));
    if (how->left_out || !simple) {
        WWI_TRY(parse_columns(text, how, values, &written, label));
    } else {
        find_label(text, how, &rest, &field);
        if (how->label != WWI_NO_COLUMN)
            WWI_TRY(wwi_label_parse(field, label));
        WWI_TRY(parse_values(text, how, rest, values, &written));
    }
    // Shorter series are padded with NaN (UCR) or empty fields (spreadsheets).
    while (values->count > (how->padded ? 0 : written) && isnan(values->data[values->count - 1]))
        values->count--;
    return values->count ? WW_OK : wwi_text_fail(text, WW_ERROR_EMPTY, text->line.begin, "the series has no values");
}

static ww_status read_lines(wwi_text *text, const void *table, ww_series_set **set) {
    WWI_ENDS(wwi_values_free) wwi_values values = {NULL, 0, 0};
    WWI_TRY(ww_series_set_create(1, set));
    while (wwi_text_next_content(text)) {
        WWI_FREES char *label = NULL;
        WWI_TRY(parse_line(text, table, &values, &label));
        WWI_TRY(ww_series_set_add(*set, values.count, values.data, label));
    }
    return WW_OK;
}

ww_status wwi_read_delimited(wwi_text *text, const wwi_table *table, ww_series_set **set) {
    return wwi_read_pieces(text, read_lines, table, set);
}
