// SPDX-License-Identifier: Apache-2.0
// What the lines and columns of a table are: its options first, then what its heading and its first lines say. What is
// not certain becomes a notice.
#include "files/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "files/number.h"

// Names that say what a column is.
static const char *const time_words[] = {"time",     "timestamp", "timestamps", "time_stamp", "date",
                                         "datetime", "date_time", "ds",         "t",          NULL};
static const char *const series_words[] = {"id", "series", "series_id", "unique_id", "case_id", NULL};
static const char *const label_words[] = {"label", "labels", "class", "classes", "class_label", "target", NULL};
static const char *const target_words[] = {"y", NULL}; // of columns that are counted: else y is a value
static const char *const mark_words[] = {"label",   "labels",    "class",      "classes", "class_label",  "is_anomaly",
                                         "anomaly", "anomalies", "is_outlier", "outlier", "ground_truth", NULL};

typedef struct examined {
    const wwi_text *start; // of the table
    const wwi_text *at;    // its current line is the first one with content
    const ww_read_options *options;
    wwi_notes *notes; // NULL: nothing is guessed
    bool is_tsv;
    bool counted;      // the heading's numbers count the columns
    wwi_sample sample; // without the heading
    wwi_table *table;
} examined;

static bool is_one_of(wwi_span field, const char *const *words) {
    for (; *words; words++)
        if (wwi_span_is(field, *words))
            return true;
    return false;
}

static size_t count_fields(wwi_span line, char separator) {
    wwi_span field;
    size_t count = 0;
    while (wwi_next_field(&line, separator, true, &field))
        count++;
    return count;
}

// Field `column` of the first line.
static wwi_span name_of(const examined *e, size_t column) {
    wwi_span rest = e->at->line, field = {rest.end, rest.end};
    for (size_t c = 0; c <= column; c++)
        if (!wwi_next_field(&rest, e->table->separator, true, &field))
            return (wwi_span){e->at->line.end, e->at->line.end};
    return field;
}

#define NAME(span) WWI_SHOWN(span, 40)

// ---- the heading

// No field is a number or a date, and none but the first is empty.
static bool is_of_words(const examined *e) {
    wwi_span rest = e->at->line, field;
    bool words = false;
    double value;
    for (size_t c = 0; wwi_next_field(&rest, e->table->separator, true, &field); c++) {
        if (wwi_span_is_empty(field) && c == 0)
            continue;
        if (wwi_is_missing(field) || wwi_number_parse(field, e->at->c_locale, &value) ||
            wwi_date_parse(field, e->at->c_locale, &value))
            return false;
        words = true;
    }
    return words;
}

// Every field that is no number is empty and the first one, or says what its column is.
static bool has_known_words(const examined *e) {
    wwi_span rest = e->at->line, field;
    double value;
    for (size_t c = 0; wwi_next_field(&rest, e->table->separator, true, &field); c++)
        if (!wwi_number_parse(field, e->at->c_locale, &value) && !(c == 0 && wwi_span_is_empty(field)) &&
            !is_one_of(field, label_words) && !is_one_of(field, target_words) && !is_one_of(field, series_words) &&
            !is_one_of(field, time_words))
            return false;
    return true;
}

static bool looks_like_numbers(const wwi_sample *s) {
    return s->first_numbers && s->fractions && 2 * s->distinct > s->lines;
}

// A first line of numbers that count: names that pandas gave, or a series.
static ww_status guess_heading(examined *e) {
    wwi_sample behind;
    size_t texts;
    if (!e->notes || !wwi_counts_columns(e->at, e->at->line, e->table->separator, &texts))
        return WW_OK;
    if (texts > 0) {
        e->table->heading = e->counted = has_known_words(e);
        return WW_OK;
    }
    if (e->sample.lines < 2 || !e->sample.numeric)
        return WW_OK;
    if (!e->sample.plain && e->is_tsv) {
        WWI_TRY(wwi_sample_take(e->start, false, true, &behind));
        if (!looks_like_numbers(&behind))
            return WW_OK;
    }
    e->table->heading = !e->sample.plain;
    wwi_notes_add(e->notes, WW_NOTICE_HEADER, "its first line only counts the columns and is taken as %s",
                  e->table->heading ? "their names" : "a series");
    return WW_OK;
}

static ww_status find_heading(examined *e) {
    wwi_table *t = e->table;
    const ww_header header = e->options->header;
    if (header != WW_HEADER_AUTO) {
        t->heading = header == WW_HEADER_YES;
        return WW_OK;
    }
    t->heading = is_of_words(e) && (e->notes || !wwi_span_is_empty(name_of(e, 0)));
    return t->heading ? WW_OK : guess_heading(e);
}

// The names are one word with numbers that count: x1, x2, x3, or the numbers alone.
static bool is_numbered(const examined *e) {
    size_t before = 0, numbered = 0;
    for (size_t c = 0; c < e->table->columns; c++) {
        const wwi_span name = name_of(e, c);
        const char *digits = name.end;
        size_t number = 0;
        if (c == e->table->label || (e->table->left_out && e->table->left_out[c]) ||
            (c + 1 == e->table->columns && e->table->label == WWI_LAST_COLUMN))
            continue;
        while (digits > name.begin && digits[-1] >= '0' && digits[-1] <= '9' && name.end - digits < 9)
            digits--;
        for (const char *d = digits; d < name.end; d++)
            number = 10 * number + (size_t)(*d - '0');
        if (digits == name.end || (numbered && number != before + 1))
            return false;
        before = number;
        numbered++;
    }
    return numbered > 1;
}

// ---- columns by name

// The column given by `wanted`: its number from 1, or its name in the heading.
static ww_status find_column(const examined *e, wwi_span wanted, size_t *column) {
    const wwi_table *t = e->table;
    const char *begin = e->at->line.begin;
    bool digits = !wwi_span_is_empty(wanted);
    for (const char *at = wanted.begin; at < wanted.end; at++)
        digits = digits && *at >= '0' && *at <= '9';
    if (digits) {
        const unsigned long long number = strtoull(wanted.begin, NULL, 10);
        if (number < 1 || number > t->columns)
            return wwi_text_fail(e->at, WW_ERROR_FORMAT, begin, "there is no column %.*s among %zu", NAME(wanted),
                                 t->columns);
        *column = (size_t)number - 1;
        return WW_OK;
    }
    wwi_span rest = e->at->line, field;
    for (size_t c = 0; t->heading && wwi_next_field(&rest, t->separator, true, &field); c++)
        if (wwi_field_is(field, wanted)) {
            *column = c;
            return WW_OK;
        }
    wwi_text_fail(e->at, WW_ERROR_FORMAT, begin, "there is no column named '%.*s'", WWI_SHOWN(wanted, 64));
    return wwi_fail_hint(t->heading ? "columns are named in the first line; a number counts them from 1"
                                    : "the first line has no names; a number counts the columns from 1");
}

static wwi_span span_of(const char *word) {
    return (wwi_span){word, word + strlen(word)};
}

static ww_status leave_out(wwi_table *t, size_t column) {
    if (!t->left_out)
        WWI_TRY(wwi_new_zeroed(t->left_out, t->columns));
    t->left_out[column] = true;
    return WW_OK;
}

// "a,b,7-9": everything else is left out.
static ww_status choose_columns(examined *e) {
    wwi_table *t = e->table;
    wwi_span rest = span_of(e->options->columns), item;
    for (size_t c = 0; c < t->columns; c++)
        WWI_TRY(leave_out(t, c));
    t->rest = false;
    while (wwi_next_field(&rest, ',', false, &item)) {
        size_t from, to;
        const char *dash = memchr(item.begin, '-', wwi_span_size(item));
        const bool range = dash && dash > item.begin && strspn(item.begin, "0123456789") == (size_t)(dash - item.begin);
        WWI_TRY(find_column(e, range ? (wwi_span){item.begin, dash} : item, &from));
        to = from;
        if (range)
            WWI_TRY(find_column(e, (wwi_span){dash + 1, item.end}, &to));
        for (size_t c = from; c <= to; c++)
            t->left_out[c] = false;
    }
    return WW_OK;
}

// The options name it among the columns that have values.
static bool is_chosen(const examined *e, size_t column) {
    return e->options->columns && !e->table->left_out[column];
}

// ---- guesses

// A column that no option has named and that its name, or dates in the first one, or behind an index without a name,
// make the time stamps'.
static size_t guess_time(const examined *e) {
    const wwi_table *t = e->table;
    for (size_t c = 0; t->heading && c < t->columns; c++)
        if (is_one_of(name_of(e, c), time_words) && c != t->series && c != t->label)
            return c;
    if (t->heading && wwi_span_is_empty(name_of(e, 0)) && e->sample.first_numbers && e->sample.second_dates &&
        e->sample.least_columns > 2 && e->sample.lines > 0 && t->series != 1 && t->label != 1)
        return 1;
    const bool dates = e->sample.first_fields && e->sample.first_dates && e->sample.most_columns > 1;
    return dates && t->series != 0 && t->label != 0 && (t->heading || !e->is_tsv) ? 0 : WWI_NO_COLUMN;
}

// Whether a line is a point.
static bool guess_points(examined *e) {
    const wwi_table *t = e->table;
    const ww_read_options *o = e->options;
    if (o->rows != WW_ROWS_AUTO)
        return o->rows == WW_ROWS_POINTS;
    if (o->time_column || o->series_column)
        return true;
    if (!e->notes)
        return false;
    const size_t time = guess_time(e);
    const bool labelled = o->csv_label == 1 || o->csv_label == 2 || o->label_column;
    if (time != WWI_NO_COLUMN && t->columns > 1 && (t->heading || !labelled)) {
        const wwi_span name = name_of(e, time);
        if (t->heading && !wwi_span_is_empty(name))
            wwi_notes_add(e->notes, WW_NOTICE_ROWS, "a line is taken as a point, column %zu '%.*s' as its time stamp",
                          time + 1, NAME(name));
        else
            wwi_notes_add(e->notes, WW_NOTICE_ROWS, "a line is taken as a point, its date as the time stamp");
        return true;
    }
    const bool column = e->sample.most_columns == 1 && e->sample.lines > 1 && !labelled;
    if (column)
        wwi_notes_add(e->notes, WW_NOTICE_ROWS, "its one column is taken as one series");
    return column;
}

// Columns of points whose names say that they mark anomalies and have no values.
static ww_status leave_marks_out(examined *e) {
    wwi_table *t = e->table;
    if (e->options->csv_label == 3 || e->options->columns || !t->heading)
        return WW_OK;
    for (size_t c = 0; c < t->columns; c++) {
        const wwi_span name = name_of(e, c);
        if (c == t->time || c == t->series || c == t->label || !is_one_of(name, mark_words))
            continue;
        WWI_TRY(leave_out(t, c));
        wwi_notes_add(e->notes, WW_NOTICE_COLUMNS, "column %zu '%.*s' is no channel", c + 1, NAME(name));
    }
    return WW_OK;
}

// A first column of numbers without a name is an index.
static ww_status leave_index_out(examined *e) {
    const wwi_table *t = e->table;
    const bool is_index =
        t->heading && wwi_span_is_empty(name_of(e, 0)) && e->sample.first_numbers && !e->options->columns;
    if (!is_index || t->time == 0 || t->series == 0 || t->label == 0)
        return WW_OK;
    wwi_notes_add(e->notes, WW_NOTICE_COLUMNS, "the first column, which has no name, is left out");
    return leave_out(e->table, 0);
}

// A column whose name says that it has the series' names.
static void guess_series(examined *e) {
    wwi_table *t = e->table;
    for (size_t c = 0; t->heading && t->series == WWI_NO_COLUMN && c < t->columns; c++) {
        const wwi_span name = name_of(e, c);
        if (c == t->time || c == t->label || !is_one_of(name, series_words) || is_chosen(e, c))
            continue;
        t->series = c;
        wwi_notes_add(e->notes, WW_NOTICE_ROWS, "column %zu '%.*s' names its series", c + 1, NAME(name));
    }
}

static bool are_one_column(const wwi_table *t) {
    return (t->time != WWI_NO_COLUMN && t->time == t->series) ||
           (t->label != WWI_NO_COLUMN && (t->label == t->time || t->label == t->series));
}

static ww_status find_points(examined *e) {
    wwi_table *t = e->table;
    const ww_read_options *o = e->options;
    if (t->label == WWI_NO_COLUMN && (o->csv_label == 1 || o->csv_label == 2))
        t->label = o->csv_label == 1 ? 0 : t->columns - 1;
    if (are_one_column(t))
        return wwi_text_fail(e->at, WW_ERROR_FORMAT, e->at->line.begin,
                             "time stamps, series and labels are to come from one column");
    if (!e->notes)
        return WW_OK;
    if (t->time == WWI_NO_COLUMN && t->columns > 1) {
        const size_t time = guess_time(e);
        t->time = time != WWI_NO_COLUMN && is_chosen(e, time) ? WWI_NO_COLUMN : time;
    }
    if (t->time != WWI_NO_COLUMN && !o->series_column)
        guess_series(e);
    WWI_TRY(leave_index_out(e));
    return leave_marks_out(e);
}

// The first or the last column, where its name says that it has labels.
static size_t find_label_word(const examined *e) {
    const size_t ends[2] = {0, e->table->columns - 1};
    for (size_t i = 0; e->table->heading && e->table->columns > 1 && i < 2; i++)
        if (is_one_of(name_of(e, ends[i]), label_words) || (e->counted && is_one_of(name_of(e, ends[i]), target_words)))
            return ends[i];
    return WWI_NO_COLUMN;
}

// Where each line's label is.
static size_t guess_label(examined *e) {
    const wwi_table *t = e->table;
    const wwi_sample *s = &e->sample;
    const size_t named = find_label_word(e);
    if (named != WWI_NO_COLUMN) {
        const wwi_span name = name_of(e, named);
        wwi_notes_add(e->notes, WW_NOTICE_LABELS, "column %zu '%.*s' is taken as the labels", named + 1, NAME(name));
        return named;
    }
    const bool several = s->lines > 0 && s->least_columns > 1;
    if (s->first_fields && s->first_texts && several && (e->is_tsv || s->second_number))
        return 0;
    if (e->is_tsv && !t->heading) {
        if (s->first_fields && s->first_numbers && s->fractions)
            wwi_notes_add(e->notes, WW_NOTICE_LABELS, "its first column, whose numbers are not whole, is taken as %s",
                          looks_like_numbers(s) ? "values" : "labels");
        return looks_like_numbers(s) ? WWI_NO_COLUMN : 0;
    }
    return s->last_texts && several ? WWI_LAST_COLUMN : WWI_NO_COLUMN;
}

static ww_status find_series(examined *e) {
    wwi_table *t = e->table;
    const int label = e->options->csv_label;
    if (t->label == WWI_NO_COLUMN)
        t->label = label == 1   ? 0
                   : label == 2 ? WWI_LAST_COLUMN
                   : label == 3 ? WWI_NO_COLUMN
                   : e->notes   ? guess_label(e)
                   : e->is_tsv  ? 0
                                : WWI_NO_COLUMN;
    if (!e->notes)
        return WW_OK;
    WWI_TRY(leave_index_out(e));
    if (t->heading && e->sample.lines > t->columns && !is_numbered(e))
        wwi_notes_add(e->options->rows == WW_ROWS_AUTO ? e->notes : NULL, WW_NOTICE_ROWS,
                      "its lines, more than its %zu named columns, are taken as series", t->columns);
    return WW_OK;
}

// ---- the whole

// What options have settled is no notice.
static void forget_settled(const examined *e) {
    const ww_read_options *o = e->options;
    size_t kept = 0;
    for (size_t i = 0; e->notes && i < e->notes->count; i++) {
        const ww_notice kind = e->notes->notices[i].kind;
        if ((kind == WW_NOTICE_ROWS && (o->rows != WW_ROWS_AUTO || o->time_column || o->series_column)) ||
            (kind == WW_NOTICE_LABELS && (o->csv_label || o->label_column)) ||
            (kind == WW_NOTICE_COLUMNS && o->columns))
            continue;
        e->notes->notices[kept++] = e->notes->notices[i];
    }
    if (e->notes)
        e->notes->count = kept;
}

static size_t count_values(const wwi_table *t, size_t *left_out) {
    size_t values = 0;
    *left_out = 0;
    for (size_t c = 0; c < t->columns; c++) {
        const bool role =
            c == t->time || c == t->series || c == t->label || (t->label == WWI_LAST_COLUMN && c + 1 == t->columns);
        values += !role && !(t->left_out && t->left_out[c]);
        *left_out += !role && t->left_out && t->left_out[c];
    }
    return values;
}

static ww_status note_info(const examined *e, size_t left_out) {
    const wwi_table *t = e->table;
    if (!e->notes)
        return WW_OK;
    ww_read_info *info = &e->notes->info;
    info->rows = t->points ? WW_ROWS_POINTS : WW_ROWS_SERIES;
    info->columns = t->columns;
    info->left_out = left_out;
    info->label_column = t->label == WWI_LAST_COLUMN ? t->columns : t->label == WWI_NO_COLUMN ? 0 : t->label + 1;
    info->time_column = t->time == WWI_NO_COLUMN ? 0 : t->time + 1;
    info->series_column = t->series == WWI_NO_COLUMN ? 0 : t->series + 1;
    if (t->heading && !(e->notes->heading = strndup(e->at->line.begin, wwi_span_size(e->at->line))))
        return wwi_fail_memory(wwi_span_size(e->at->line) + 1);
    return WW_OK;
}

// The separator, the columns, whether they have names, and which of them the options name.
static ww_status find_columns(examined *e) {
    wwi_table *t = e->table;
    WWI_TRY(wwi_sample_take(e->start, t->quotes, false, &e->sample));
    t->separator = e->sample.separator;
    t->columns = count_fields(e->at->line, t->separator);
    WWI_TRY(find_heading(e));
    if (t->heading)
        WWI_TRY(wwi_sample_take(e->start, t->quotes, true, &e->sample));
    if (e->options->time_column)
        WWI_TRY(find_column(e, span_of(e->options->time_column), &t->time));
    if (e->options->series_column)
        WWI_TRY(find_column(e, span_of(e->options->series_column), &t->series));
    if (e->options->label_column)
        WWI_TRY(find_column(e, span_of(e->options->label_column), &t->label));
    return e->options->columns ? choose_columns(e) : WW_OK;
}

ww_status wwi_table_examine(wwi_text *text, const ww_read_options *options, ww_format format, wwi_table *table) {
    const bool is_tsv = format == WW_FORMAT_TSV;
    *table = (wwi_table){.quotes = !is_tsv,
                         .padded = true,
                         .rest = true,
                         .label = WWI_NO_COLUMN,
                         .time = WWI_NO_COLUMN,
                         .series = WWI_NO_COLUMN};
    wwi_text at = *text;
    examined e = {.start = text, .at = &at, .options = options, .notes = text->notes, .is_tsv = is_tsv, .table = table};
    if (!wwi_text_next_content(&at))
        return WW_OK;
    WWI_TRY(find_columns(&e));
    table->points = guess_points(&e);
    WWI_TRY(table->points ? find_points(&e) : find_series(&e));
    size_t left_out;
    if (count_values(table, &left_out) == 0 && (table->points || table->left_out)) {
        wwi_text_fail(&at, WW_ERROR_FORMAT, at.line.begin, "there is no column left for values");
        return wwi_fail_hint(table->columns == 1 ? "a file of one column has its values there"
                                                 : "say which columns have values");
    }
    WWI_TRY(note_info(&e, left_out));
    forget_settled(&e);
    if (table->heading)
        *text = at;
    return WW_OK;
}

void wwi_table_free(wwi_table *table) {
    wwi_free_taken(&table->left_out);
}
