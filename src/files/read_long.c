// SPDX-License-Identifier: Apache-2.0
// Lines of points (long format): a row is a point, its columns a time stamp, the name of its series, its label, and the
// values of its channels.
#include <stdlib.h>
#include <string.h>

#include "files/read.h"
#include "host.h"

#define NO_COLUMN SIZE_MAX

typedef struct table {
    wwi_text *text;
    char separator;
    size_t columns, channels;
    size_t time, series, label; // columns, or NO_COLUMN
    wwi_values points;          // of the current series, point by point
    wwi_values times;
    char *name, *class_name; // of the current series
    ww_series_set *names;    // a point for each series, with its name as the label: the names read so far
} table;

static size_t count_columns(const table *t) {
    wwi_span rest = t->text->line, field;
    size_t count = 0;
    while (wwi_next_field(&rest, t->separator, true, &field))
        count++;
    return count;
}

// The column given by `wanted`: its number from 1, or its name in the current line, the heading.
static ww_status find_column(const table *t, const char *wanted, bool heading, size_t *column) {
    *column = NO_COLUMN;
    if (!wanted)
        return WW_OK;
    if (*wanted && strspn(wanted, "0123456789") == strlen(wanted)) {
        const unsigned long long number = strtoull(wanted, NULL, 10);
        if (number < 1 || number > t->columns)
            return wwi_text_fail(t->text, WW_ERROR_FORMAT, t->text->line.begin, "there is no column %s among %zu",
                                 wanted, t->columns);
        *column = (size_t)number - 1;
        return WW_OK;
    }
    wwi_span rest = t->text->line, field;
    for (size_t c = 0; heading && wwi_next_field(&rest, t->separator, true, &field); c++)
        if (wwi_span_is(field, wanted)) {
            *column = c;
            return WW_OK;
        }
    wwi_text_fail(t->text, WW_ERROR_FORMAT, t->text->line.begin, "there is no column named '%.64s'", wanted);
    return wwi_fail_hint(heading ? "columns are named in the first line; a number counts them from 1"
                                 : "the first line has no names; a number counts the columns from 1");
}

static bool is_heading(const table *t) {
    wwi_span rest = t->text->line, field;
    while (wwi_next_field(&rest, t->separator, true, &field)) {
        double value;
        if (wwi_number_parse(field, t->text->c_locale, &value) || wwi_date_parse(field, t->text->c_locale, &value))
            return false;
    }
    return true;
}

static ww_status open_table(table *t, const ww_read_options *options, bool *heading) {
    ww_status status;
    t->separator = wwi_separator_of(wwi_span_trim(t->text->line));
    t->columns = count_columns(t);
    *heading = is_heading(t);
    if ((status = find_column(t, options->time_column, *heading, &t->time)) != WW_OK ||
        (status = find_column(t, options->series_column, *heading, &t->series)) != WW_OK)
        return status;
    t->label = options->csv_label == 1 ? 0 : options->csv_label == 2 ? t->columns - 1 : NO_COLUMN;
    const bool twice = (t->time == t->series && t->time != NO_COLUMN) ||
                       (t->label != NO_COLUMN && (t->label == t->time || t->label == t->series));
    if (twice)
        return wwi_text_fail(t->text, WW_ERROR_FORMAT, t->text->line.begin,
                             "time stamps, series and labels are to come from one column");
    const size_t used =
        (size_t)(t->time != NO_COLUMN) + (size_t)(t->series != NO_COLUMN) + (size_t)(t->label != NO_COLUMN);
    if (t->columns <= used)
        return wwi_text_fail(t->text, WW_ERROR_FORMAT, t->text->line.begin, "there is no column left for values");
    t->channels = t->columns - used;
    return WW_OK;
}

// Ends the current series and adds it to the set.
static ww_status finish_series(table *t, ww_series_set **set) {
    const size_t length = t->points.count / t->channels;
    double *values = NULL;
    ww_status status = *set ? WW_OK : ww_series_set_create(t->channels, set);
    if (status != WW_OK || length == 0)
        return status;
    values = malloc(t->points.count * sizeof *values);
    if (!values)
        return wwi_fail_memory(t->points.count * sizeof *values);
    for (size_t c = 0; c < t->channels; c++)
        for (size_t i = 0; i < length; i++)
            values[c * length + i] = t->points.data[i * t->channels + c];
    status = ww_series_set_add(*set, length, values, t->class_name);
    if (status == WW_OK && t->time != NO_COLUMN)
        status = ww_series_set_set_times(*set, ww_series_set_count(*set) - 1, t->times.data);
    free(values);
    t->points.count = t->times.count = 0;
    return status;
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

// Reads the row's series name: when it differs from that of the row before, the current series ends.
static ww_status take_name(table *t, wwi_span field, ww_series_set **set) {
    const double nothing = 0;
    char *name = strndup(field.begin, wwi_span_size(field));
    ww_status status = name ? WW_OK : wwi_fail_memory(wwi_span_size(field) + 1);
    if (status != WW_OK || same_text(name, t->name)) {
        free(name);
        return status;
    }
    status = finish_series(t, set);
    free(t->name);
    t->name = name;
    if (status == WW_OK)
        status = ww_series_set_add(t->names, 1, &nothing, name);
    if (status == WW_OK && ww_series_set_class_count(t->names) < ww_series_set_count(t->names)) {
        wwi_text_fail(t->text, WW_ERROR_FORMAT, field.begin, "the series '%.64s' comes again after another", name);
        return wwi_fail_hint("sort the rows by series, then by time");
    }
    return status;
}

static ww_status take_label(table *t, wwi_span field) {
    char *label = NULL;
    ww_status status = wwi_label_parse(t->text, field, &label);
    if (status == WW_OK && t->points.count > 0 && !same_text(label, t->class_name))
        status = wwi_text_fail(t->text, WW_ERROR_FORMAT, field.begin, "a series with two labels");
    free(t->class_name);
    t->class_name = label;
    return status;
}

// Finds a field of the current row; the row has t->columns of them.
static wwi_span field_at(const table *t, size_t column) {
    wwi_span rest = t->text->line, field = rest;
    for (size_t c = 0; c <= column; c++)
        wwi_next_field(&rest, t->separator, true, &field);
    return field;
}

static ww_status read_row(table *t, ww_series_set **set) {
    ww_status status = WW_OK;
    const size_t columns = count_columns(t);
    if (columns != t->columns)
        return wwi_text_fail(t->text, WW_ERROR_FORMAT, t->text->line.end,
                             "the row has %zu columns where %zu are expected", columns, t->columns);
    if (t->series != NO_COLUMN && (status = take_name(t, field_at(t, t->series), set)) != WW_OK)
        return status;
    if (t->label != NO_COLUMN && (status = take_label(t, field_at(t, t->label))) != WW_OK)
        return status;
    wwi_span rest = t->text->line, field;
    for (size_t c = 0; status == WW_OK && wwi_next_field(&rest, t->separator, true, &field); c++) {
        if (c == t->time)
            status = wwi_time_parse(t->text, field, 0, &t->times);
        else if (c != t->series && c != t->label)
            status = wwi_values_parse(&t->points, t->text, field);
    }
    return status;
}

ww_status wwi_read_long(wwi_text *text, const ww_read_options *options, ww_series_set **set) {
    table t = {.text = text};
    ww_status status = ww_series_set_create(1, &t.names);
    while (status == WW_OK && wwi_text_next_line(text)) {
        const wwi_span content = wwi_span_trim(text->line);
        bool heading = false;
        if (wwi_span_is_empty(content) || *content.begin == '#')
            continue;
        if (!t.separator)
            status = open_table(&t, options, &heading);
        if (status == WW_OK && !heading)
            status = read_row(&t, set);
    }
    if (status == WW_OK && t.separator)
        status = finish_series(&t, set);
    ww_series_set_destroy(&t.names);
    free(t.points.data);
    free(t.times.data);
    free(t.name);
    free(t.class_name);
    return status;
}
