// SPDX-License-Identifier: Apache-2.0
// ww_series_set_read(): recognises the format and calls its reader.
#include "files/read.h"

#include <string.h>

#include "files/file_name.h"
#include "files/read_symbols.h"
#include "host.h"
#include "options.h"

static bool starts_with(const wwi_text *text, const char *magic, size_t size) {
    return text->size >= size && memcmp(text->bytes, magic, size) == 0;
}

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

static ww_status check_is_text(const wwi_text *text) {
    if (!memchr(text->bytes, '\0', text->size))
        return WW_OK;
    wwi_fail(WW_ERROR_FORMAT, "%s: this is neither text nor a .npy file", text->name);
    if (starts_with(text, "\xFF\xFE", 2) || starts_with(text, "\xFE\xFF", 2))
        return wwi_fail_hint("text in UTF-16: save it as UTF-8");
    return wwi_fail_hint("readable are .tsv, .ts, .arff, .csv, .npy and .npz, text also packed by gzip");
}

// By content; the name decides only between the two kinds of lines of numbers, whose content can be the same.
static ww_status detect(wwi_text *text, int csv_label, ww_format *format) {
    if (wwi_is_npy(text)) {
        *format = WW_FORMAT_NPY;
        return WW_OK;
    }
    const ww_status status = check_is_text(text);
    if (status != WW_OK)
        return status;
    wwi_span line;
    if (!first_line(text, &line))
        return wwi_fail(WW_ERROR_EMPTY, "%s: the file holds no series", text->name);
    const bool commas = memchr(line.begin, ',', wwi_span_size(line)) || memchr(line.begin, ';', wwi_span_size(line));
    if (wwi_is_arff(line))
        *format = WW_FORMAT_ARFF;
    else if (*line.begin == '@')
        *format = WW_FORMAT_TS;
    else if (csv_label != 0 || wwi_unpacked_name_ends_with(text->name, ".csv"))
        *format = WW_FORMAT_CSV;
    else if (wwi_unpacked_name_ends_with(text->name, ".tsv") || wwi_unpacked_name_ends_with(text->name, ".txt"))
        *format = WW_FORMAT_TSV;
    else
        *format = commas ? WW_FORMAT_CSV : WW_FORMAT_TSV;
    return WW_OK;
}

ww_status ww_series_set_read(const char *path, const ww_read_options *options, ww_series_set **set) {
    if (!set)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_read: set is NULL");
    *set = NULL;
    if (!path)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_read: path is NULL");
    ww_read_options chosen = WW_READ_OPTIONS_INIT;
    ww_status status = wwi_options_take(&chosen, options, "ww_read_options");
    if (status != WW_OK)
        return status;
    const bool rows_are_points = chosen.time_column || chosen.series_column;
    if (rows_are_points && chosen.format == WW_FORMAT_AUTO)
        chosen.format = WW_FORMAT_CSV;
    if (rows_are_points && chosen.format != WW_FORMAT_CSV) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a column of %s in a file that is no .csv",
                 chosen.time_column ? "time stamps" : "series");
        return wwi_fail_hint("time_column and series_column are for lines of points; see docs/files.md");
    }
    if (chosen.times && chosen.time_column)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "time stamps are to come from a column and from %s", chosen.times);
    if (chosen.csv_label < 0 || chosen.csv_label > 2)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_read_options.csv_label is %d; it is 0, 1 or 2",
                        chosen.csv_label);

    wwi_text text;
    ww_format format = chosen.format;
    status = wwi_text_open(path, &text);
    if (status == WW_OK && format == WW_FORMAT_AUTO)
        status = detect(&text, chosen.csv_label, &format);
    else if (status == WW_OK && format != WW_FORMAT_NPY)
        status = check_is_text(&text);
    if (status != WW_OK)
        goto done;

    text.threads = wwi_read_threads(chosen.threads > 0 ? (unsigned)chosen.threads : 0, text.size);
    wwi_text_rewind(&text);
    switch (format) {
    case WW_FORMAT_NPY:
        status = wwi_read_npy(&text, set);
        break;
    case WW_FORMAT_TS:
        status = wwi_read_ts(&text, set);
        break;
    case WW_FORMAT_ARFF:
        status = wwi_read_arff(&text, set);
        break;
    case WW_FORMAT_TSV:
        status = wwi_read_delimited(&text, format, 1, true, set);
        break;
    case WW_FORMAT_CSV:
        status = rows_are_points ? wwi_read_long(&text, &chosen, set)
                                 : wwi_read_delimited(&text, format, chosen.csv_label, true, set);
        break;
    case WW_FORMAT_TEXT:
        status = wwi_read_symbols(&text, set);
        break;
    default:
        status = wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_read_options.format is %d", (int)format);
    }
    if (status == WW_OK && ww_series_set_count(*set) == 0)
        status = wwi_fail(WW_ERROR_EMPTY, "%s: the file holds no series", text.name);
    if (status == WW_OK && chosen.times)
        status = wwi_read_times(chosen.times, *set);

done:
    wwi_text_close(&text);
    if (status != WW_OK)
        ww_series_set_destroy(set);
    return status;
}

ww_status wwi_read_number_lines(wwi_text *text, ww_series_set **set) {
    *set = NULL;
    ww_status status = check_is_text(text);
    if (status == WW_OK) {
        text->threads = wwi_read_threads(0, text->size);
        wwi_text_rewind(text);
        status = wwi_read_delimited(text, WW_FORMAT_CSV, 0, false, set);
    }
    if (status == WW_OK && ww_series_set_count(*set) == 0)
        status = wwi_fail(WW_ERROR_EMPTY, "%s: the file holds no points", text->name);
    if (status != WW_OK)
        ww_series_set_destroy(set);
    return status;
}
