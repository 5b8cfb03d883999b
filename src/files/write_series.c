// SPDX-License-Identifier: Apache-2.0
// ww_series_set_write().
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "files/file_name.h"
#include "files/number.h"
#include "files/output.h"
#include "files/read.h"
#include "files/read_symbols.h"
#include "host.h"

static ww_status format_by_name(const char *path, ww_format *format) {
    static const struct {
        const char *ending;
        ww_format format;
    } endings[] = {{".tsv", WW_FORMAT_TSV}, {".txt", WW_FORMAT_TSV}, {".ts", WW_FORMAT_TS},
                   {".csv", WW_FORMAT_CSV}, {".npy", WW_FORMAT_NPY}, {".arff", WW_FORMAT_ARFF},
                   {".f32", WW_FORMAT_RAW}, {".f64", WW_FORMAT_RAW}};
    if (strcmp(path, "-") == 0) {
        *format = WW_FORMAT_TS; // the format that can hold every set
        return WW_OK;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (wwi_name_ends_with(path, endings[i].ending)) {
            *format = endings[i].format;
            return WW_OK;
        }
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: the name's ending does not say the format", path);
    return wwi_fail_hint("end it in .tsv, .ts, .csv, .npy, .f32 or .f64");
}

static bool has_labels(const ww_series_set *set) {
    return ww_series_set_class_count(set) > 0;
}

// Whether the reader takes a label as it is (it makes 1 of 1.0); *fraction: it is a number, but not a whole one.
static ww_status reads_the_same(const char *name, const wwi_text *text, bool *same, bool *fraction) {
    const size_t size = strlen(name);
    WWI_FREES char *padded = NULL;
    WWI_FREES char *label = NULL;
    double value = 0;
    WWI_TRY(wwi_new_zeroed(padded, size + 1 + WWI_NUMBER_SLACK));
    memcpy(padded, name, size);
    const wwi_span field = {padded, padded + size};
    *fraction = wwi_number_parse(field, text->c_locale, &value) && isfinite(value) && value != floor(value);
    WWI_TRY(wwi_label_parse(wwi_span_trim(field), &label));
    *same = label && strcmp(label, name) == 0;
    return WW_OK;
}

// What begins a file of another kind, or a comment there.
static bool begins_other_file(const char *name) {
    static const char *const others[] = {"@",        "%",         "\xEF\xBB\xBF", "\xFE\xFF",
                                         "\xFF\xFE", "\x93NUMPY", "\x1F\x8B",     "PK\x03\x04"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return true;
    return false;
}

// Labels that would be read as something else: one that contains a character of `forbidden`, a number in another
// form than the reader's, and at a line's begin (`first`) also one that begins another kind of file, and a number that
// would be taken for a value.
static ww_status check_labels(const ww_series_set *set, const char *path, const char *forbidden, bool first) {
    WWI_ENDS(wwi_text_close) wwi_text text = {.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (!text.c_locale)
        return wwi_fail_memory(sizeof(locale_t));
    for (size_t k = 0; k < ww_series_set_class_count(set); k++) {
        const char *name = ww_series_set_class_name(set, k);
        bool same, fraction;
        WWI_TRY(reads_the_same(name, &text, &same, &fraction));
        if (same && !strpbrk(name, forbidden) && *name != '#' && !(first && (fraction || begins_other_file(name))))
            continue;
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: the format can't hold the label '%.64s'", path, name);
        return wwi_fail_hint(first ? "labels are plain words or whole numbers; .ts holds more"
                                   : "labels are plain words, numbers as they are written in short");
    }
    return WW_OK;
}

// The reader takes missing values at a line's end for padding.
static ww_status check_ends(const ww_series_set *set, const char *path) {
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        const size_t last = ww_series_set_length(set, i) - 1;
        if (!isnan(ww_series_set_values(set, i)[last]))
            continue;
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: the format can't hold a missing value at the end of series %zu", path, i);
        wwi_fail_hint("write .ts or .npy, or fill the values in");
        return wwi_fail_where((int64_t)i, (int64_t)last);
    }
    return WW_OK;
}

static ww_status check_range(const ww_series_set *set, const char *path) {
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        const size_t length = ww_series_set_length(set, i);
        const double *values = ww_series_set_values(set, i);
        for (size_t t = 0; t < length * ww_series_set_channels(set); t++)
            if (isfinite(values[t]) && fabs(values[t]) > (double)FLT_MAX) {
                wwi_fail(WW_ERROR_OVERFLOW, "%s: %g does not fit a float", path, values[t]);
                wwi_fail_hint("write in double precision");
                return wwi_fail_where((int64_t)i, (int64_t)(t % length));
            }
    }
    return WW_OK;
}

static ww_status check_labelled(const ww_series_set *set, const char *path) {
    for (size_t i = 0; i < ww_series_set_count(set); i++)
        if (!ww_series_set_label(set, i)) {
            wwi_fail(WW_ERROR_NO_LABELS, "%s: series %zu has no label, which UCR text needs", path, i);
            wwi_fail_hint("write .csv, .ts or .npy");
            return wwi_fail_where((int64_t)i, -1);
        }
    return WW_OK;
}

static ww_status check_shape(const ww_series_set *set, const char *path, ww_format format) {
    if (ww_series_set_count(set) == 0)
        return wwi_fail(WW_ERROR_EMPTY, "%s: there are no series to write", path);
    if (format == WW_FORMAT_ARFF || format == WW_FORMAT_FASTA) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: %s is only read", path, format == WW_FORMAT_ARFF ? "ARFF" : "FASTA");
        return wwi_fail_hint("write %s", format == WW_FORMAT_ARFF ? ".ts" : "text");
    }
    if (format == WW_FORMAT_RAW && ww_series_set_count(set) > 1) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: a file of numbers alone holds one series, not %zu", path,
                 ww_series_set_count(set));
        return wwi_fail_hint("write .npy or .ts");
    }
    if (format == WW_FORMAT_NPY && ww_series_set_min_length(set) != ww_series_set_max_length(set)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: a .npy array can't hold series of different lengths", path);
        return wwi_fail_hint("write .ts");
    }
    const bool one_channel = format == WW_FORMAT_TSV || format == WW_FORMAT_CSV || format == WW_FORMAT_TEXT;
    if (one_channel && ww_series_set_channels(set) > 1) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: the format can't hold series of %zu channels", path,
                 ww_series_set_channels(set));
        return wwi_fail_hint("write .ts or .npy");
    }
    return WW_OK;
}

// What the text formats can't hold.
static ww_status check_content(const ww_series_set *set, const char *path, ww_format format) {
    switch (format) {
    case WW_FORMAT_TSV:
        WWI_TRY(check_labelled(set, path));
        WWI_TRY(check_labels(set, path, "\t\r\n", true));
        return check_ends(set, path);
    case WW_FORMAT_CSV:
        return check_ends(set, path);
    case WW_FORMAT_TS:
        return check_labels(set, path, ": \t\r\n", false);
    case WW_FORMAT_TEXT:
        return wwi_check_symbols(set, path);
    default:
        return WW_OK;
    }
}

// `n` values with a separator between them.
static void write_values(wwi_output *output, const double *values, size_t n, char separator, ww_precision precision) {
    for (size_t t = 0; t < n; t++) {
        if (t > 0)
            wwi_output_bytes(output, &separator, 1);
        wwi_output_number(output, values[t], precision);
    }
}

// (time,value) of each point. Times are written in full: dates in float would be minutes off.
static void write_tuples(wwi_output *output, const double *times, const double *values, size_t n,
                         ww_precision precision) {
    for (size_t t = 0; t < n; t++) {
        wwi_output_print(output, t > 0 ? ",(%.17g," : "(%.17g,", times[t]);
        wwi_output_number(output, values[t], precision);
        wwi_output_text(output, ")");
    }
}

static bool is_plain_whole(double x) {
    return x == floor(x) && fabs(x) < 1e9;
}

// A first series 0, 1, 2, ... or 1, 2, 3, ... before others that are not so plain: the reader would take it for names
// of the columns.
static bool looks_like_names(const ww_series_set *set) {
    const size_t n = ww_series_set_length(set, 0);
    const double *values = ww_series_set_values(set, 0);
    for (size_t t = 0; t < n; t++)
        if (!(values[0] == 0 || values[0] == 1) || values[t] != values[0] + (double)t)
            return false;
    for (size_t i = 1; i < ww_series_set_count(set); i++)
        for (size_t t = 0; t < ww_series_set_length(set, i); t++)
            if (!is_plain_whole(ww_series_set_values(set, i)[t]))
                return n > 1;
    return false;
}

static void write_lines(wwi_output *output, const ww_series_set *set, char separator, bool labels,
                        ww_precision precision) {
    for (size_t i = 0; i < ww_series_set_count(set) && wwi_output_goes_on(output); i++) {
        if (labels) {
            wwi_output_text(output, ww_series_set_label(set, i));
            wwi_output_bytes(output, &separator, 1);
        }
        const size_t length = ww_series_set_length(set, i);
        const double *values = ww_series_set_values(set, i);
        if (i == 0 && looks_like_names(set)) {
            wwi_output_text(output, values[0] == 0 ? "0.0" : "1.0");
            wwi_output_bytes(output, &separator, 1);
            write_values(output, values + 1, length - 1, separator, precision);
        } else {
            write_values(output, values, length, separator, precision);
        }
        // A series of one point still shows the separator; empty fields at the end are none.
        wwi_output_text(output, !labels && length == 1 ? ",\n" : "\n");
    }
}

static const char *truth(bool value) {
    return value ? "true" : "false";
}

static void write_ts_header(wwi_output *output, const ww_series_set *set) {
    const size_t channels = ww_series_set_channels(set), length = ww_series_set_max_length(set);
    const bool equal = ww_series_set_min_length(set) == length;
    wwi_output_print(output, "@problemName series\n@timeStamps %s\n@missing %s\n@univariate %s\n@dimensions %zu\n",
                     truth(ww_series_set_times(set, 0)), truth(ww_series_set_missing(set)), truth(channels == 1),
                     channels);
    wwi_output_print(output, "@equalLength %s\n", truth(equal));
    if (equal)
        wwi_output_print(output, "@seriesLength %zu\n", length);
    wwi_output_print(output, "@classLabel %s", truth(has_labels(set)));
    for (size_t k = 0; k < ww_series_set_class_count(set); k++) {
        wwi_output_text(output, " ");
        wwi_output_text(output, ww_series_set_class_name(set, k));
    }
    wwi_output_text(output, "\n@data\n");
}

static void write_ts(wwi_output *output, const ww_series_set *set, ww_precision precision) {
    write_ts_header(output, set);
    for (size_t i = 0; i < ww_series_set_count(set) && wwi_output_goes_on(output); i++) {
        const size_t length = ww_series_set_length(set, i);
        const char *label = ww_series_set_label(set, i);
        for (size_t c = 0; c < ww_series_set_channels(set); c++) {
            if (c > 0)
                wwi_output_text(output, ":");
            if (ww_series_set_times(set, i))
                write_tuples(output, ww_series_set_times(set, i), ww_series_set_values(set, i) + c * length, length,
                             precision);
            else
                write_values(output, ww_series_set_values(set, i) + c * length, length, ',', precision);
        }
        if (has_labels(set)) {
            wwi_output_text(output, ":");
            wwi_output_text(output, label ? label : "?");
        }
        wwi_output_text(output, "\n");
    }
}

static void write_npy(wwi_output *output, const ww_series_set *set, ww_precision precision) {
    const size_t channels = ww_series_set_channels(set), length = ww_series_set_max_length(set);
    const size_t shape[3] = {ww_series_set_count(set), channels == 1 ? length : channels, length};
    const bool mark =
        channels == 1 ? wwi_is_one_column(shape[0], length) : wwi_axes_of(channels, length) != WW_AXES_NCT;
    wwi_output_npy_header(output, precision, shape, channels == 1 ? 2 : 3, mark);
    for (size_t i = 0; i < ww_series_set_count(set) && wwi_output_goes_on(output); i++) {
        const double *values = ww_series_set_values(set, i);
        if (precision == WW_DOUBLE) {
            wwi_output_bytes(output, values, channels * length * sizeof *values);
            continue;
        }
        for (size_t t = 0; t < channels * length; t++) {
            const float value = (float)values[t];
            wwi_output_bytes(output, &value, sizeof value);
        }
    }
}

static void write_raw(wwi_output *output, const ww_series_set *set, ww_precision precision) {
    const size_t channels = ww_series_set_channels(set), length = ww_series_set_length(set, 0);
    const double *values = ww_series_set_values(set, 0);
    for (size_t i = 0; i < length * channels; i++) {
        const double value = values[i % channels * length + i / channels];
        const float rounded = (float)value;
        wwi_output_bytes(output, precision == WW_DOUBLE ? (const void *)&value : &rounded,
                         precision == WW_DOUBLE ? sizeof value : sizeof rounded);
    }
}

ww_status ww_series_set_write(const ww_series_set *set, const char *path, ww_format format, ww_precision precision) {
    if (!set || !path)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_write: %s is NULL", set ? "path" : "set");
    if (precision != WW_FLOAT && precision != WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_write: precision is %d", (int)precision);
    wwi_output output;
    if (format == WW_FORMAT_AUTO)
        WWI_TRY(format_by_name(path, &format));
    if (format == WW_FORMAT_RAW && wwi_is_raw_named(path))
        precision = wwi_name_ends_with(path, ".f64") ? WW_DOUBLE : WW_FLOAT;
    if ((unsigned)format > WW_FORMAT_FASTA)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_write: format is %d", (int)format);
    // Whatever the format can't hold is found before the file is touched.
    WWI_TRY(check_shape(set, path, format));
    WWI_TRY(check_content(set, path, format));
    if (precision == WW_FLOAT)
        WWI_TRY(check_range(set, path));
    WWI_TRY(wwi_output_open(path, &output));
    if (format == WW_FORMAT_NPY)
        write_npy(&output, set, precision);
    else if (format == WW_FORMAT_TS)
        write_ts(&output, set, precision);
    else if (format == WW_FORMAT_RAW)
        write_raw(&output, set, precision);
    else if (format == WW_FORMAT_TEXT)
        wwi_write_symbols(&output, set);
    else
        write_lines(&output, set, format == WW_FORMAT_TSV ? '\t' : ',', format == WW_FORMAT_TSV, precision);
    return wwi_output_close(&output, true);
}
