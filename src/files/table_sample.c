// SPDX-License-Identifier: Apache-2.0
// The first lines of a table: what kinds of fields are where. What follows from it is decided in table.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "files/table.h"
#include "host.h"

enum { MOST_LINES = 1000, MOST_BYTES = 256 << 10, PLAIN_LINES = 8 };

// The separator of the first line that has one: a series of one point has none.
static char find_separator(const wwi_text *text, bool quotes) {
    wwi_text at = *text;
    while (wwi_text_next_content(&at)) {
        const wwi_span line = wwi_span_trim(at.line);
        const char separator = wwi_separator_of(line, quotes);
        if (separator != ' ' || memchr(line.begin, ' ', wwi_span_size(line)))
            return separator;
        if (at.cursor - text->cursor > MOST_BYTES)
            break;
    }
    return ' ';
}

static bool is_plain_whole(wwi_span field) {
    const char *at = field.begin;
    at += at < field.end && *at == '-';
    if (at == field.end)
        return false;
    while (at < field.end && *at >= '0' && *at <= '9')
        at++;
    return at == field.end;
}

// Not a number, and no half of a field in quotes.
static bool is_text(const wwi_text *text, wwi_span field) {
    double value;
    // A word that stands for a missing value may be a label.
    return !wwi_span_is_empty(field) && !wwi_span_is(field, "?") && *field.begin != '"' &&
           !wwi_number_parse(field, text->c_locale, &value);
}

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t count_distinct(double *numbers, size_t count) {
    size_t distinct = count > 0;
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (size_t i = 1; i < count; i++)
        distinct += numbers[i] > numbers[i - 1];
    return distinct;
}

// One line's fields, the first of which is `first`.
static void take_first(const wwi_text *text, wwi_span first, wwi_sample *s, double *numbers, size_t *count) {
    double value;
    if (wwi_is_missing(first))
        return;
    s->first_fields++;
    const bool number = wwi_number_parse(first, text->c_locale, &value);
    s->first_dates = s->first_dates && wwi_date_parse(first, text->c_locale, &value);
    s->first_numbers = s->first_numbers && number;
    s->first_texts = s->first_texts && is_text(text, first);
    if (number && isfinite(value)) {
        s->fractions = s->fractions || value != floor(value);
        numbers[(*count)++] = value;
    }
}

static void take_line(const wwi_text *text, wwi_span rest, bool quotes, wwi_sample *s, double *numbers, size_t *count) {
    wwi_span field, last = {rest.begin, rest.begin};
    size_t columns = 0;
    double value;
    while (wwi_next_field(&rest, s->separator, quotes, &field)) {
        if (columns == 0)
            take_first(text, field, s, numbers, count);
        if (columns == 1) {
            s->second_number = wwi_number_parse(field, text->c_locale, &value);
            s->second_dates = s->second_dates && wwi_date_parse(field, text->c_locale, &value);
        }
        if (s->lines > 0 && s->lines < PLAIN_LINES) {
            s->plain = s->plain && (wwi_is_missing(field) || is_plain_whole(field));
            s->numeric = s->numeric && (wwi_is_missing(field) || wwi_number_parse(field, text->c_locale, &value));
        }
        last = field;
        columns++;
    }
    s->last_texts = s->last_texts && is_text(text, last);
    s->least_columns = columns < s->least_columns ? columns : s->least_columns;
    s->most_columns = columns > s->most_columns ? columns : s->most_columns;
}

ww_status wwi_sample_take(const wwi_text *text, bool quotes, bool heading, wwi_sample *sample) {
    wwi_text at = *text;
    size_t count = 0, seen = 0;
    WWI_FREES double *numbers = NULL;
    WWI_TRY(wwi_new(numbers, MOST_LINES));
    *sample = (wwi_sample){.separator = find_separator(text, quotes),
                           .least_columns = SIZE_MAX,
                           .first_texts = true,
                           .first_dates = true,
                           .first_numbers = true,
                           .last_texts = true,
                           .second_dates = true,
                           .plain = true,
                           .numeric = true};
    while (sample->lines < MOST_LINES && at.cursor - text->cursor < MOST_BYTES && wwi_text_next_content(&at)) {
        if (seen++ == 0 && heading)
            continue;
        take_line(text, at.line, quotes, sample, numbers, &count);
        sample->lines++;
    }
    sample->distinct = count_distinct(numbers, count);
    return WW_OK;
}

bool wwi_counts_columns(const wwi_text *text, wwi_span line, char separator, size_t *texts) {
    enum { LEAST_FROM_ONE = 8 }; // 1,2,3 is rather a series
    wwi_span field;
    size_t numbers = 0;
    double value, first = 0;
    *texts = 0;
    while (wwi_next_field(&line, separator, true, &field)) {
        if (!wwi_number_parse(field, text->c_locale, &value)) {
            ++*texts;
            continue;
        }
        if (!is_plain_whole(field))
            return false;
        if (numbers == 0)
            first = value;
        if ((first != 0 && first != 1) || value != first + (double)numbers)
            return false;
        numbers++;
    }
    return numbers >= (*texts || first == 0 ? 2 : LEAST_FROM_ONE);
}
