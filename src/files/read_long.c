// SPDX-License-Identifier: Apache-2.0
// Lines of points (long format): a row is a point, its columns a time stamp, the name of its series, its label, and the
// values of its channels.
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "files/number.h"
#include "files/read.h"
#include "files/table.h"
#include "host.h"

// The table and its text.
typedef struct table {
    wwi_text *text;
    char separator;
    size_t columns, channels;
    size_t time, series, label; // columns, or WWI_NO_COLUMN
    const bool *left_out;       // of each column; NULL: none is
} table;

// Where a series starts; its name and label as the file has them.
typedef struct start {
    size_t row;
    wwi_span name, label;
} start;

// The fields of a row that are no values.
typedef struct fields {
    wwi_span time, name, label;
} fields;

// The rows of a piece of the file.
typedef struct rows {
    wwi_values points; // point by point
    wwi_values times;
    size_t count; // of rows
    start *series;
    size_t series_count, series_capacity;
    wwi_class_names names; // of the series
} rows;

static bool same_bytes(wwi_span a, wwi_span b) {
    return wwi_span_size(a) == wwi_span_size(b) && memcmp(a.begin, b.begin, wwi_span_size(a)) == 0;
}

// A series has one label; in most rows it is the same bytes.
static ww_status check_label(const wwi_text *text, const table *t, wwi_span before, wwi_span now) {
    WWI_FREES char *first = NULL;
    WWI_FREES char *second = NULL;
    if (t->label == WWI_NO_COLUMN || same_bytes(before, now))
        return WW_OK;
    WWI_TRY(wwi_label_parse(before, &first));
    WWI_TRY(wwi_label_parse(now, &second));
    const bool same = first && second ? strcmp(first, second) == 0 : first == second;
    return same ? WW_OK : wwi_text_fail(text, WW_ERROR_FORMAT, now.begin, "the series has two labels");
}

// Adds a series' name, which must be new.
static ww_status add_name(const wwi_text *text, wwi_class_names *names, wwi_span name) {
    const size_t before = names->count;
    long number;
    WWI_FREES char *copy = wwi_field_text(name);
    if (!copy)
        return wwi_fail_memory(wwi_span_size(name) + 1);
    WWI_TRY(wwi_class_of_name(names, copy, &number));
    if (names->count > before)
        return WW_OK;
    wwi_text_fail(text, WW_ERROR_FORMAT, name.begin, "the series '%.64s' comes again after another", copy);
    return wwi_fail_hint("sort the rows by series, then by time");
}

// Starts a series at the next row.
static ww_status start_series(const wwi_text *text, rows *r, const start *begun) {
    WWI_TRY(wwi_grow(&r->series, &r->series_capacity, r->series_count + 1, sizeof *r->series));
    r->series[r->series_count++] = *begun;
    return begun->name.begin ? add_name(text, &r->names, begun->name) : WW_OK;
}

// Compares the row's name and label with those of the row before: another name starts a series.
static ww_status take_series(wwi_text *text, const table *t, rows *r, wwi_span name, wwi_span label) {
    const start *now = r->series_count ? &r->series[r->series_count - 1] : NULL;
    if (!now || (t->series != WWI_NO_COLUMN && !same_bytes(now->name, name)))
        return start_series(text, r, &(start){r->count, name, label});
    return check_label(text, t, now->label, label);
}

static bool is_value(const table *t, size_t column) {
    return column != t->time && column != t->series && column != t->label && !(t->left_out && t->left_out[column]);
}

// The row's fields from `rest` on, the first of which is column *column, as far as they are plain values.
static void take_plain(const table *t, rows *r, wwi_span *rest, size_t *column) {
    size_t end = *column;
    while (end < t->columns && is_value(t, end))
        end++;
    for (double value; *column < end && rest->begin; ++*column) {
        const char *stop = wwi_number_scan(rest->begin, &value);
        if (!stop || stop > rest->end || (stop < rest->end && *stop != t->separator) ||
            r->points.count == r->points.capacity)
            return;
        r->points.data[r->points.count++] = value;
        rest->begin = stop < rest->end ? stop + 1 : NULL;
    }
}

// The row's fields: values to r->points, the others to their places. *columns: how many there are, as far as they can
// be read.
static ww_status take_fields(wwi_text *text, const table *t, rows *r, wwi_span *rest, fields *f, size_t *columns) {
    ww_status status = WW_OK;
    wwi_span field;
    size_t c = 0;
    for (; status == WW_OK; c++) {
        if (t->separator != ' ' && c < t->columns)
            take_plain(t, r, rest, &c);
        if (!wwi_next_field(rest, t->separator, true, &field))
            break;
        if (c >= t->columns)
            ; // counted
        else if (c == t->time)
            f->time = field;
        else if (c == t->series)
            f->name = field;
        else if (c == t->label)
            f->label = field;
        else if (is_value(t, c))
            status = wwi_values_parse(&r->points, text, field);
    }
    *columns = c;
    return status;
}

static ww_status read_row(wwi_text *text, const table *t, rows *r) {
    wwi_span rest = text->line, field;
    fields f = {.name = {NULL, NULL}};
    size_t c;
    const ww_status status = take_fields(text, t, r, &rest, &f, &c);
    if (c != t->columns && (status == WW_OK || status == WW_ERROR_FORMAT)) {
        // Counted first: a row that is no row of this table says nothing of its fields.
        while (wwi_next_field(&rest, t->separator, true, &field))
            c++;
        if (c != t->columns)
            return wwi_text_fail(text, WW_ERROR_FORMAT, text->line.end,
                                 "the row has %zu columns where %zu are expected", c, t->columns);
    }
    WWI_TRY(status);
    WWI_TRY(take_series(text, t, r, f.name, f.label));
    if (t->time != WWI_NO_COLUMN)
        WWI_TRY(wwi_time_parse(text, f.time, r->series[r->series_count - 1].row, &r->times));
    r->count++;
    return WW_OK;
}

static ww_status read_rows(wwi_text *text, const void *how, void *result) {
    while (wwi_text_next_content(text))
        WWI_TRY(read_row(text, how, result));
    return WW_OK;
}

static void free_rows(rows *r) {
    wwi_class_names_free(&r->names);
    wwi_values_free(&r->points);
    wwi_values_free(&r->times);
    free(r->series);
}

// ---- from rows to series

// Rows [from, to) of a piece go on with the series being assembled.
typedef struct series {
    wwi_values points, times;
    const start *from;
    wwi_class_names names; // of those begun so far
} series;

static void free_series(series *s) {
    wwi_class_names_free(&s->names);
    wwi_values_free(&s->points);
    wwi_values_free(&s->times);
}

static ww_status append(wwi_values *to, const double *data, size_t count) {
    WWI_TRY(wwi_grow(&to->data, &to->capacity, to->count + count, sizeof *to->data));
    if (count)
        memcpy(to->data + to->count, data, count * sizeof *data);
    to->count += count;
    return WW_OK;
}

// Adds the assembled series to the set, channel by channel.
static ww_status finish_series(const table *t, series *s, ww_series_set *set) {
    const size_t length = s->points.count / t->channels;
    WWI_FREES char *label = NULL;
    WWI_FREES double *values = NULL;
    if (length == 0)
        return WW_OK;
    WWI_TRY(wwi_new(values, s->points.count));
    for (size_t c = 0; c < t->channels; c++)
        for (size_t i = 0; i < length; i++)
            values[c * length + i] = s->points.data[i * t->channels + c];
    if (t->label != WWI_NO_COLUMN)
        WWI_TRY(wwi_label_parse(s->from->label, &label));
    WWI_TRY(ww_series_set_add(set, length, values, label));
    if (t->time != WWI_NO_COLUMN)
        WWI_TRY(ww_series_set_set_times(set, ww_series_set_count(set) - 1, s->times.data));
    s->points.count = s->times.count = 0;
    return WW_OK;
}

// Ends the series before `now`, if any; the name of `now` must be new.
static ww_status begin_series(const table *t, series *s, const start *now, ww_series_set *set) {
    if (s->from)
        WWI_TRY(finish_series(t, s, set));
    s->from = now;
    return t->series != WWI_NO_COLUMN ? add_name(t->text, &s->names, now->name) : WW_OK;
}

static ww_status assemble_piece(const table *t, const rows *r, series *s, ww_series_set *set) {
    for (size_t i = 0; i < r->series_count; i++) {
        const start *now = &r->series[i];
        const size_t count = (i + 1 < r->series_count ? r->series[i + 1].row : r->count) - now->row;
        // A piece's first rows may go on with the series that the piece before ended with.
        const bool joined = i == 0 && s->from && (t->series == WWI_NO_COLUMN || same_bytes(s->from->name, now->name));
        WWI_TRY(joined ? check_label(t->text, t, s->from->label, now->label) : begin_series(t, s, now, set));
        WWI_TRY(append(&s->points, r->points.data + now->row * t->channels, count * t->channels));
        if (t->time != WWI_NO_COLUMN)
            WWI_TRY(append(&s->times, r->times.data + now->row, count));
    }
    return WW_OK;
}

// The series of all pieces; one that a cut divided is joined. Any failure but one of memory means that the pieces do
// not fit together.
static ww_status assemble(const table *t, const rows *pieces, unsigned count, ww_series_set **set) {
    WWI_ENDS(free_series) series s = {.from = NULL};
    WWI_TRY(ww_series_set_create(t->channels, set));
    for (unsigned p = 0; p < count; p++)
        WWI_TRY(assemble_piece(t, &pieces[p], &s, *set));
    return s.from ? finish_series(t, &s, *set) : WW_OK;
}

// By several threads. False: something failed, and one thread is to read everything.
static bool read_in_pieces(wwi_text *text, const table *t, ww_series_set **set) {
    rows pieces[WWI_MOST_THREADS] = {{.count = 0}};
    const bool good = wwi_read_by_threads(text, read_rows, t, pieces, sizeof *pieces) &&
                      assemble(t, pieces, text->threads, set) == WW_OK;
    for (unsigned i = 0; i < text->threads; i++)
        free_rows(&pieces[i]);
    if (!good)
        ww_series_set_destroy(set);
    return good;
}

ww_status wwi_read_long(wwi_text *text, const wwi_table *of, ww_series_set **set) {
    table t = {text, of->separator, of->columns, 0, of->time, of->series, of->label, of->left_out};
    WWI_ENDS(free_rows) rows all = {.count = 0};
    const wwi_text begin = *text;
    for (size_t c = 0; c < t.columns; c++)
        t.channels += is_value(&t, c);
    if (text->threads > 1 && read_in_pieces(text, &t, set))
        return WW_OK;
    *text = begin;
    WWI_TRY(read_rows(text, &t, &all));
    return assemble(&t, &all, 1, set);
}
