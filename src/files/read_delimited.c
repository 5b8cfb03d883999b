// SPDX-License-Identifier: Apache-2.0
// Lines of numbers: the UCR archive's text (label first) and .csv.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/read.h"
#include "host.h"

// A tab has priority, since a label may contain any other separator.
char wwi_separator_of(wwi_span line) {
    static const char candidates[] = "\t;,";
    for (const char *c = candidates; *c; c++)
        if (memchr(line.begin, *c, wwi_span_size(line)))
            return *c;
    return ' ';
}

// A first line none of whose fields is a number names the columns.
static bool is_heading(const wwi_text *text, char separator) {
    wwi_span rest = text->line, field;
    while (wwi_next_field(&rest, separator, true, &field)) {
        double number;
        if (wwi_span_is_empty(field) || wwi_span_is(field, "?") || wwi_number_parse(field, text->c_locale, &number))
            return false;
    }
    return true;
}

// Parses the current line into values and its label.
static ww_status parse_line(const wwi_text *text, char separator, bool quotes, int label_column, bool padded,
                            wwi_values *values, char **label) {
    ww_status status = WW_OK;
    wwi_span rest = text->line, field;
    size_t written = 0; // values up to the last field that is not empty
    values->count = 0;
    for (size_t column = 0; status == WW_OK && wwi_next_field(&rest, separator, quotes, &field); column++) {
        const bool last = !rest.begin || (separator == ' ' && wwi_span_is_empty(wwi_span_trim(rest)));
        if ((label_column == 1 && column == 0) || (label_column == 2 && last))
            status = wwi_label_parse(text, field, label);
        else
            status = wwi_values_parse(values, text, field);
        if (!wwi_span_is_empty(wwi_span_trim(field)))
            written = values->count;
    }
    // Shorter series are padded with NaN (UCR) or empty fields (spreadsheets).
    while (values->count > (padded ? 0 : written) && isnan(values->data[values->count - 1]))
        values->count--;
    if (status == WW_OK && values->count == 0)
        status = wwi_text_fail(text, WW_ERROR_EMPTY, text->line.begin, "a series without values");
    return status;
}

ww_status wwi_read_delimited(wwi_text *text, ww_format format, int label_column, bool padded, ww_series_set **set) {
    const bool quotes = format == WW_FORMAT_CSV;
    char separator = '\0';
    char *label = NULL;
    wwi_values values = {NULL, 0, 0};
    ww_status status = ww_series_set_create(1, set);
    while (status == WW_OK && wwi_text_next_line(text)) {
        const wwi_span content = wwi_span_trim(text->line);
        if (wwi_span_is_empty(content) || *content.begin == '#')
            continue;
        if (!separator) {
            separator = wwi_separator_of(content);
            if (format == WW_FORMAT_CSV && is_heading(text, separator))
                continue;
        }
        status = parse_line(text, separator, quotes, label_column, padded, &values, &label);
        if (status == WW_OK)
            status = ww_series_set_add(*set, values.count, values.data, label);
        free(label);
        label = NULL;
    }
    free(values.data);
    return status;
}
