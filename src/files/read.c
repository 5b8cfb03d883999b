// SPDX-License-Identifier: Apache-2.0
// ww_series_set_read(): recognises the format and calls its reader.
#include "files/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "files/byte_source.h"
#include "files/file_name.h"
#include "files/read_symbols.h"
#include "files/table.h"
#include "host.h"
#include "options.h"

// The first line with content that is not a comment.
static bool first_line(wwi_text *text, wwi_span *line) {
    wwi_text_rewind(text);
    while (wwi_text_next_line(text)) {
        *line = wwi_span_trim(text->line);
        if (!wwi_span_is_empty(*line) && *line->begin != '#' && *line->begin != '%')
            return true;
    }
    return false;
}

// A file that another program reads: what it is.
static ww_status check_is_known(const wwi_text *text) {
    static const struct {
        const char *begin, *name;
    } others[] = {{"PAR1", "Parquet"},
                  {"ARROW1", "Arrow"},
                  {"\x89HDF\r\n\x1a\n", "HDF5"},
                  {"RIFF", "RIFF (.wav)"},
                  {"MATLAB 5.0 MAT", "MATLAB"},
                  {"MATLAB 7.3 MAT", "MATLAB"},
                  {"fLaC", "FLAC"},
                  {"OggS", "Ogg"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (wwi_text_begins(text, others[i].begin)) {
            wwi_fail(WW_ERROR_UNSUPPORTED, "%s: this is a file of %s", text->name, others[i].name);
            return wwi_fail_hint("wavewarp.read() in Python reads Parquet, Arrow, HDF5, MATLAB's and sound files, and "
                                 "wavewarp.write() makes .npy or .ts of them");
        }
    return WW_OK;
}

static ww_status check_is_text(const wwi_text *text) {
    WWI_TRY(check_is_known(text));
    if (!memchr(text->bytes, '\0', text->size))
        return WW_OK;
    wwi_fail(WW_ERROR_FORMAT, "%s: this is neither text nor a .npy file", text->name);
    if (wwi_text_begins(text, "\xFF\xFE") || wwi_text_begins(text, "\xFE\xFF"))
        return wwi_fail_hint("text in UTF-16: save it as UTF-8");
    return wwi_fail_hint("readable are .tsv, .ts, .arff, .csv, .npy, .npz, .f32, .f64 and FASTA, also packed by gzip");
}

// Whether a header that begins as ARFF's is of .tsf, which has tags that ARFF has not.
static bool is_forecasting(wwi_text text) {
    static const char *const tags[] = {"@frequency", "@horizon", "@missing", "@equallength"};
    wwi_span rest, word;
    do {
        rest = wwi_span_trim(text.line);
        if (!wwi_next_field(&rest, ' ', false, &word))
            continue;
        if (wwi_span_is(word, "@data"))
            return false;
        for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
            if (wwi_span_is(word, tags[i]))
                return true;
    } while (wwi_text_next_line(&text));
    return false;
}

// Names of FASTA: nucleotides, amino acids.
static bool is_fasta_named(const char *name) {
    static const char *const endings[] = {".fasta", ".fa", ".fna", ".ffn", ".faa", ".frn"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (wwi_unpacked_name_ends_with(name, endings[i]))
            return true;
    return false;
}

// By content; the name decides between kinds whose content can be the same: lines of numbers, and numbers alone.
static ww_status detect(wwi_text *text, int csv_label, ww_format *format) {
    if (wwi_is_npy(text)) {
        *format = WW_FORMAT_NPY;
        return WW_OK;
    }
    if (wwi_is_raw_named(text->name) || *text->bytes == '>') {
        *format = *text->bytes == '>' && !wwi_is_raw_named(text->name) ? WW_FORMAT_FASTA : WW_FORMAT_RAW;
        return WW_OK;
    }
    WWI_TRY(check_is_text(text));
    wwi_span line;
    if (!first_line(text, &line))
        return wwi_fail(WW_ERROR_EMPTY, "%s: the file holds no series", text->name);
    const bool commas = memchr(line.begin, ',', wwi_span_size(line)) || memchr(line.begin, ';', wwi_span_size(line));
    if (wwi_is_arff(line))
        *format = is_forecasting(*text) ? WW_FORMAT_TS : WW_FORMAT_ARFF;
    else if (*line.begin == '@')
        *format = WW_FORMAT_TS;
    else if (csv_label == 1 || csv_label == 2 || wwi_unpacked_name_ends_with(text->name, ".csv"))
        *format = WW_FORMAT_CSV;
    else if (wwi_unpacked_name_ends_with(text->name, ".tsv") || wwi_unpacked_name_ends_with(text->name, ".txt"))
        *format = WW_FORMAT_TSV;
    else
        *format = commas ? WW_FORMAT_CSV : WW_FORMAT_TSV;
    return WW_OK;
}

// Columns of time stamps or series: lines are points.
static ww_status check_columns(ww_read_options *o) {
    const char *what = o->time_column ? "time stamps" : "series";
    if (!o->time_column && !o->series_column)
        return WW_OK;
    if (o->format == WW_FORMAT_AUTO)
        o->format = WW_FORMAT_CSV;
    if (o->format != WW_FORMAT_CSV && o->format != WW_FORMAT_TSV) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "only a .csv has a column of %s", what);
        return wwi_fail_hint("time_column and series_column are for lines of points; see docs/files.md");
    }
    if (o->rows == WW_ROWS_SERIES)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a column of %s needs rows that are points, not series", what);
    if (o->times && o->time_column)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the time stamps are given twice: by a column and by %s", o->times);
    return WW_OK;
}

// Options that contradict each other, or that are out of range.
static ww_status check_options(ww_read_options *o) {
    WWI_TRY(check_columns(o));
    if (o->csv_label < 0 || o->csv_label > 3)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_read_options.csv_label is %d; it is 0 to 3", o->csv_label);
    if (o->csv_label && o->label_column)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_read_options.csv_label and label_column exclude each other");
    if ((unsigned)o->axes > WW_AXES_NTC || (unsigned)o->rows > WW_ROWS_POINTS || (unsigned)o->header > WW_HEADER_NO ||
        (unsigned)o->missing > WW_MISSING_DROP)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_read_options: axes %d, rows %d, header %d or missing %d",
                        (int)o->axes, (int)o->rows, (int)o->header, (int)o->missing);
    return WW_OK;
}

// A .csv or UCR text.
static ww_status read_table(wwi_text *text, const ww_read_options *options, ww_format format, ww_series_set **set) {
    WWI_ENDS(wwi_table_free) wwi_table table = {.left_out = NULL};
    if (format == WW_FORMAT_CSV)
        wwi_text_find_rows(text);
    WWI_TRY(wwi_table_examine(text, options, format, &table));
    return table.points ? wwi_read_long(text, &table, set) : wwi_read_delimited(text, &table, set);
}

static ww_status read_format(wwi_text *text, const ww_read_options *options, ww_format format, ww_series_set **set) {
    switch (format) {
    case WW_FORMAT_NPY:
        return wwi_read_npy(text, options->axes, options->rows, set);
    case WW_FORMAT_TS:
        return wwi_read_ts(text, set);
    case WW_FORMAT_ARFF:
        return wwi_read_arff(text, set);
    case WW_FORMAT_TSV:
    case WW_FORMAT_CSV:
        return read_table(text, options, format, set);
    case WW_FORMAT_TEXT:
        return wwi_read_symbols(text, set);
    case WW_FORMAT_FASTA:
        return wwi_read_fasta(text, set);
    case WW_FORMAT_RAW:
        return wwi_read_raw(text, set);
    default:
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_read_options.format is %d", (int)format);
    }
}

// ---- what looks odd in what was read

// Square, symmetric, zeros on the diagonal and not only there.
static bool looks_like_distances(const ww_series_set *set) {
    const size_t n = ww_series_set_count(set);
    bool zeros = true;
    if (n < 3 || ww_series_set_channels(set) != 1 || ww_series_set_min_length(set) != n ||
        ww_series_set_max_length(set) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double x = ww_series_set_values(set, i)[j];
            if (x != ww_series_set_values(set, j)[i] || (i == j && x != 0))
                return false;
            zeros = zeros && x == 0;
        }
    return !zeros;
}

static bool has_notice(const wwi_notes *notes, ww_notice kind) {
    for (size_t i = 0; i < notes->count; i++)
        if (notes->notices[i].kind == kind)
            return true;
    return false;
}

static void note_shape(const ww_series_set *set, const ww_read_options *options, wwi_notes *notes) {
    enum { MANY = 100, SHORT = 4 };
    const size_t count = ww_series_set_count(set), most = ww_series_set_max_length(set);
    if (options->rows != WW_ROWS_AUTO || notes->info.rows != WW_ROWS_SERIES || has_notice(notes, WW_NOTICE_ROWS))
        return;
    if (looks_like_distances(set))
        wwi_notes_add(
            notes, WW_NOTICE_DISTANCES,
            "it is symmetric with zeros on its diagonal, as a matrix of distances, and is taken as %zu series", count);
    else if (count >= MANY && most <= SHORT && ww_series_set_channels(set) == 1)
        wwi_notes_add(notes, WW_NOTICE_ROWS, "it is taken as %zu series of %zu point%s", count, most,
                      most == 1 ? "" : "s, at most");
}

static ww_status find_format(wwi_text *text, const ww_read_options *options, ww_format *format) {
    *format = options->format;
    if (*format == WW_FORMAT_AUTO)
        WWI_TRY(detect(text, options->csv_label, format));
    else if (*format != WW_FORMAT_NPY && *format != WW_FORMAT_RAW)
        WWI_TRY(check_is_text(text));
    if (*format == WW_FORMAT_TEXT && *text->bytes == '>' && is_fasta_named(text->name))
        *format = WW_FORMAT_FASTA;
    if ((options->columns || options->label_column) && *format != WW_FORMAT_CSV && *format != WW_FORMAT_TSV)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%s: columns are chosen of .csv and of UCR text alone", text->name);
    return WW_OK;
}

static ww_status read_text(wwi_text *text, const ww_read_options *options, wwi_notes *notes, ww_series_set **set) {
    WWI_TRY(find_format(text, options, &notes->info.format));
    text->threads = wwi_read_threads(options->threads > 0 ? (unsigned)options->threads : 0, text->size);
    text->notes = notes;
    wwi_text_rewind(text);
    WWI_TRY(read_format(text, options, notes->info.format, set));
    if (ww_series_set_count(*set) == 0)
        return wwi_fail(WW_ERROR_EMPTY, "%s: the file holds no series", text->name);
    if (options->times)
        WWI_TRY(wwi_read_times(options->times, *set));
    note_shape(*set, options, notes);
    return ww_series_set_fill_missing(*set, options->missing);
}

// From a file, or from a function.
static ww_status read_set(const char *path, wwi_byte_source *source, const ww_read_options *options,
                          ww_series_set **set) {
    ww_read_options chosen = WW_READ_OPTIONS_INIT;
    WWI_ENDS(wwi_notes_free) wwi_notes *notes = NULL;
    WWI_ENDS(wwi_text_close) wwi_text text = {.name = path};
    WWI_ENDS(ww_series_set_destroy) ww_series_set *read = NULL;
    WWI_TRY(wwi_options_take(&chosen, options, "ww_read_options"));
    WWI_TRY(check_options(&chosen));
    WWI_TRY(wwi_new_zeroed(notes, 1));
    notes->info = (ww_read_info)WW_READ_INFO_INIT;
    WWI_TRY(source ? wwi_text_open_source(source, &text) : wwi_text_open(path, &text));
    WWI_TRY(wwi_text_ended(&text, read_text(&text, &chosen, notes, &read)));
    wwi_series_set_take_notes(read, wwi_taken(&notes));
    *set = wwi_taken(&read);
    return WW_OK;
}

ww_status ww_series_set_read(const char *path, const ww_read_options *options, ww_series_set **set) {
    WWI_NEEDS("set", set);
    *set = NULL;
    WWI_NEEDS("path", path);
    return read_set(path, NULL, options, set);
}

ww_status ww_series_set_read_from(ww_read_fn read, void *user, const char *name, const ww_read_options *options,
                                  ww_series_set **set) {
    WWI_NEEDS("set", set);
    *set = NULL;
    WWI_NEEDS("read, name", read, name);
    wwi_byte_source source = {.name = name, .read = read, .user = user};
    return read_set(name, &source, options, set);
}

ww_status wwi_read_number_lines(wwi_text *text, ww_series_set **set) {
    WWI_ENDS(wwi_table_free) wwi_table table = {.left_out = NULL};
    ww_read_options options = WW_READ_OPTIONS_INIT;
    options.rows = WW_ROWS_SERIES;
    options.csv_label = 3;
    WWI_TRY(check_is_text(text));
    text->threads = wwi_read_threads(0, text->size);
    wwi_text_rewind(text);
    WWI_TRY(wwi_table_examine(text, &options, WW_FORMAT_CSV, &table));
    table.padded = false;
    WWI_TRY(wwi_read_delimited(text, &table, set));
    return ww_series_set_count(*set) > 0 ? WW_OK : wwi_fail(WW_ERROR_EMPTY, "%s: the file holds no points", text->name);
}
