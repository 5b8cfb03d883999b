// SPDX-License-Identifier: Apache-2.0
// What the readers of series files share: the file in memory, its lines and fields, numbers and labels.
#ifndef WAVEWARP_READ_SERIES_H
#define WAVEWARP_READ_SERIES_H

#include <locale.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/points.h>

#include "series/classes.h"
#include "series/notes.h"

// A piece of a file; neither owned nor terminated.
typedef struct wwi_span {
    const char *begin;
    const char *end;
} wwi_span;

// A whole file in memory, and the position of reading.
typedef struct wwi_text {
    const char *name; // for messages
    char *bytes;      // size bytes, then a NUL, so that number parsing always ends, and WWI_NUMBER_SLACK more
    size_t size;
    const char *cursor;         // start of the next line
    wwi_span line;              // the current line without its end
    size_t line_number;         // of the current line, from 1
    locale_t c_locale;          // a program may run under a locale whose decimal point is a comma
    char stamps;                // its time stamps: 'n' numbers, 'd' dates, '\0' none so far
    unsigned threads;           // that may parse it
    wwi_notes *notes;           // what is said of it; NULL: nothing, and nothing is guessed
    bool spans;                 // a row of the table goes on behind a line's end that is in quotes
    const char *unclosed;       // of quotes that open before this no closing one was found
    size_t unasked;             // bytes from which on wwi_text_goes_on() is asked next
    atomic_bool stopped, *stop; // the caller was interrupted; stop: that of the whole text, which pieces share
} wwi_text;

// Values of the series being read.
typedef struct wwi_values {
    double *data;
    size_t count;
    size_t capacity;
} wwi_values;

// A text without bytes yet, which stays where it is.
void wwi_text_init(wwi_text *text, const char *name);
// The file's bytes; `path` "-" is standard input. wwi_text_close() frees what was opened, also after a failure.
ww_status wwi_text_open(const char *path, wwi_text *text);
// The same of what a source gives.
struct wwi_byte_source;
ww_status wwi_text_open_source(struct wwi_byte_source *source, wwi_text *text);
void wwi_text_close(wwi_text *text);

// Whether to read on: false in all threads once the caller's interrupt function has asked to stop.
bool wwi_text_goes_on(const wwi_text *text);
// What reading came to: WW_ERROR_CANCELLED where it was to stop, whatever followed from that; else `status`.
ww_status wwi_text_ended(const wwi_text *text, ww_status status);

// Steps to the next line; false at the end, and where reading is to stop.
bool wwi_text_next_line(wwi_text *text);
// Steps to the next line that is neither empty nor a comment (#).
bool wwi_text_next_content(wwi_text *text);
// Goes back to the first line.
void wwi_text_rewind(wwi_text *text);
// Starts an error record "name:line:column: ...", with the column of `at` in the current line.
ww_status wwi_text_fail_at(const wwi_text *text, const char *source, int source_line, ww_status status, const char *at,
                           const char *format, ...) __attribute__((format(printf, 6, 7)));
#define wwi_text_fail(text, status, at, ...) wwi_text_fail_at((text), __FILE__, __LINE__, (status), (at), __VA_ARGS__)

wwi_span wwi_span_trim(wwi_span span);
static inline bool wwi_span_is_empty(wwi_span span) {
    return span.begin == span.end;
}
static inline size_t wwi_span_size(wwi_span span) {
    return (size_t)(span.end - span.begin);
}
// The span's begin, for "%.*s" in a message.
#define WWI_SHOWN(span, most) (int)(wwi_span_size(span) < (most) ? wwi_span_size(span) : (most)), (span).begin
// Whether the span is this word, in upper or lower case.
bool wwi_span_is(wwi_span span, const char *word);

// Looks whether fields in quotes contain ends of lines (RFC 4180); then lines are rows, and one thread reads them.
void wwi_text_find_rows(wwi_text *text);
// Whether a field, which was in quotes where a quote is behind it, is this word in upper or lower case; a doubled quote
// in it is one.
bool wwi_field_is(wwi_span field, wwi_span word);
// The field's text, for the caller to free. NULL: no memory.
char *wwi_field_text(wwi_span field);

// Takes the next field off *rest, without the blanks around it. `separator` ' ' is any run of blanks; with '"' quotes a
// field may be in quotes. False when there is none left. *rest.begin becomes NULL after the last one.
bool wwi_next_field(wwi_span *rest, char separator, bool quotes, wwi_span *field);

// Appends the fields from rest->begin on that are plain numbers, as far as `values` has capacity, and takes them
// off. True: all were; rest->begin is NULL, except with separator ' '.
bool wwi_values_parse_plain(wwi_values *values, wwi_span *rest, char separator);
// Whether a field stands for a missing value: it is empty, '?', or a word as NA, N/A, NULL or None. (NaN is a number.)
bool wwi_is_missing(wwi_span field);
// Appends a field's number; a missing one and NaN give NaN.
ww_status wwi_values_parse(wwi_values *values, const wwi_text *text, wwi_span field);
bool wwi_number_parse(wwi_span field, locale_t c_locale, double *value);
// A date, with or without a time of day, as seconds since 1970-01-01; where it names no zone, UTC.
bool wwi_date_parse(wwi_span field, locale_t c_locale, double *seconds);
// Appends a field's time stamp, a number or a date; a file has only one of the two. `first`: the place in `times` of
// the series' first stamp; none may be less than the one before it.
ww_status wwi_time_parse(wwi_text *text, wwi_span field, size_t first, wwi_values *times);
ww_status wwi_values_append(wwi_values *values, double value);
static inline void wwi_values_free(wwi_values *values) {
    free(values->data);
}

// The class label a field holds, for the caller to free: NULL for none (empty or '?'). A number in any spelling
// ("1.0000000e+00") becomes plain ("1"), so that the labels of one data set's files are the same.
ww_status wwi_label_parse(wwi_span field, char **label);
// Adds the label that a field holds, if there is one, to a list of them.
ww_status wwi_label_add(wwi_span field, wwi_class_names *names);

// The separator of a file is that of its first line: tab, semicolon, comma, or ' ' for blanks. quotes: what is in
// quotes is none.
char wwi_separator_of(wwi_span line, bool quotes);

// Reads the lines from the text's cursor on; *set stays NULL where there are none.
typedef ww_status (*wwi_line_reader)(wwi_text *text, const void *how, ww_series_set **set);
// Lines that can be read in any order: with several threads each reads a piece of the text, and the sets are joined in
// the pieces' order, so that the result does not depend on the number of threads. What fails in a piece, and pieces
// that do not fit together, are read again by one thread, for the error that it reports.
ww_status wwi_read_pieces(wwi_text *text, wwi_line_reader read, const void *how, ww_series_set **set);
// The same with any results, of `bytes` bytes each, one a thread: false where a piece failed, or where the time stamps
// of two are of different kinds. The text is to be read again from where it was, then.
typedef ww_status (*wwi_piece_reader)(wwi_text *text, const void *how, void *result);
bool wwi_read_by_threads(wwi_text *text, wwi_piece_reader read, const void *how, void *results, size_t bytes);
// Threads for a text of so many bytes: `wanted`, or where it is 0 what $WAVEWARP_READ_THREADS says, or the processors
// this process may use; at least a mebibyte each.
unsigned wwi_read_threads(unsigned wanted, size_t bytes);

ww_status wwi_read_ts(wwi_text *text, ww_series_set **set);
// ARFF of the UCR and UEA archives: a series a line, or its channels in a relation.
ww_status wwi_read_arff(wwi_text *text, ww_series_set **set);
// Whether this first line with content is one of ARFF.
bool wwi_is_arff(wwi_span line);
// Numbers of this machine, one series: float, or double where the name says so.
ww_status wwi_read_raw(const wwi_text *text, ww_series_set **set);
bool wwi_is_raw_named(const char *name);
struct wwi_table;
// A line a series.
ww_status wwi_read_delimited(wwi_text *text, const struct wwi_table *table, ww_series_set **set);
// Lines of numbers without labels, NaN kept wherever it stands. *set: NULL, and the caller's also after a failure.
ww_status wwi_read_number_lines(wwi_text *text, ww_series_set **set);
// A line a point.
ww_status wwi_read_long(wwi_text *text, const struct wwi_table *table, ww_series_set **set);
// The time stamps of `set` from a file of them.
ww_status wwi_read_times(const char *path, ww_series_set *set);
ww_status wwi_read_npy(const wwi_text *text, ww_axes axes, ww_rows rows, ww_series_set **set);
// What WW_AXES_AUTO takes an array of 3 dimensions for; of 2 dimensions, whether WW_ROWS_AUTO takes it as one series.
static inline ww_axes wwi_axes_of(uint64_t second, uint64_t last) {
    return second > 1 && (last == 1 || second / 8 >= last) ? WW_AXES_NTC : WW_AXES_NCT;
}
static inline bool wwi_is_one_column(uint64_t rows, uint64_t columns) {
    return rows > 1 && columns == 1;
}
// A 2-D array in row order, for the caller to free: floats where they hold the elements exactly, else doubles.
ww_status wwi_npy_matrix(const wwi_text *text, size_t *rows, size_t *columns, ww_precision *precision, void **values);
// The same, whose bytes or halves stay: *element. Of other types it is WW_ELEMENT_PRECISION.
ww_status wwi_npy_narrow(const wwi_text *text, size_t *rows, size_t *columns, ww_precision *precision,
                         ww_element *element, void **values);
static inline bool wwi_text_begins(const wwi_text *text, const char *with) {
    return text->size >= strlen(with) && memcmp(text->bytes, with, strlen(with)) == 0;
}
static inline bool wwi_is_npy(const wwi_text *text) {
    return wwi_text_begins(text, "\x93NUMPY");
}

#endif
