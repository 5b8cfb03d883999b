// SPDX-License-Identifier: Apache-2.0
// ww_series_set_write().
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/file_name.h"
#include "files/output.h"
#include "files/read_symbols.h"
#include "host.h"

static ww_status format_by_name(const char *path, ww_format *format) {
    static const struct {
        const char *ending;
        ww_format format;
    } endings[] = {{".tsv", WW_FORMAT_TSV}, {".txt", WW_FORMAT_TSV}, {".ts", WW_FORMAT_TS},
                   {".csv", WW_FORMAT_CSV}, {".npy", WW_FORMAT_NPY}, {".arff", WW_FORMAT_ARFF}};
    if (strcmp(path, "-") == 0) {
        *format = WW_FORMAT_TS; // the format that can hold every set
        return WW_OK;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (wwi_name_ends_with(path, endings[i].ending)) {
            *format = endings[i].format;
            return WW_OK;
        }
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: the name does not say the format", path);
    return wwi_fail_hint("end it in .tsv, .ts, .csv or .npy");
}

static bool has_labels(const ww_series_set *set) {
    return ww_series_set_class_count(set) > 0;
}

// Characters that a label may not contain, because the reader would misread them.
static ww_status check_labels(const ww_series_set *set, const char *path, const char *forbidden) {
    for (size_t k = 0; k < ww_series_set_class_count(set); k++) {
        const char *name = ww_series_set_class_name(set, k);
        if (*name == '\0' || strcmp(name, "?") == 0 || strpbrk(name, forbidden) || *name == '#' || *name == ' ' ||
            name[strlen(name) - 1] == ' ') {
            wwi_fail(WW_ERROR_UNSUPPORTED, "%s: the format can't hold the label '%.64s'", path, name);
            return wwi_fail_hint("labels are plain words");
        }
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

// Whatever the format can't hold is found before the file is touched.
static ww_status check(const ww_series_set *set, const char *path, ww_format format, ww_precision precision) {
    if (ww_series_set_count(set) == 0)
        return wwi_fail(WW_ERROR_EMPTY, "%s: there are no series to write", path);
    if (format == WW_FORMAT_ARFF) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s: ARFF is only read", path);
        return wwi_fail_hint("write .ts");
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
    for (size_t i = 0; format == WW_FORMAT_TSV && i < ww_series_set_count(set); i++)
        if (!ww_series_set_label(set, i)) {
            wwi_fail(WW_ERROR_NO_LABELS, "%s: series %zu has no label, which UCR text needs", path, i);
            wwi_fail_hint("write .csv, .ts or .npy");
            return wwi_fail_where((int64_t)i, -1);
        }
    ww_status status = WW_OK;
    if (format == WW_FORMAT_TSV)
        status = check_labels(set, path, "\t\r\n");
    else if (format == WW_FORMAT_TS)
        status = check_labels(set, path, ": \t\r\n");
    else if (format == WW_FORMAT_TEXT)
        status = wwi_check_symbols(set, path);
    if (status == WW_OK && precision == WW_FLOAT)
        status = check_range(set, path);
    return status;
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
        wwi_output_text(output, t > 0 ? ",(" : "(");
        wwi_output_number(output, times[t], WW_DOUBLE);
        wwi_output_text(output, ",");
        wwi_output_number(output, values[t], precision);
        wwi_output_text(output, ")");
    }
}

static void write_lines(wwi_output *output, const ww_series_set *set, char separator, bool labels,
                        ww_precision precision) {
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        if (labels) {
            wwi_output_text(output, ww_series_set_label(set, i));
            wwi_output_bytes(output, &separator, 1);
        }
        write_values(output, ww_series_set_values(set, i), ww_series_set_length(set, i), separator, precision);
        wwi_output_text(output, "\n");
    }
}

static void write_ts_header(wwi_output *output, const ww_series_set *set) {
    char line[96];
    const size_t channels = ww_series_set_channels(set), length = ww_series_set_max_length(set);
    const bool equal = ww_series_set_min_length(set) == length;
    wwi_output_text(output, "@problemName series\n@timeStamps ");
    wwi_output_text(output, ww_series_set_times(set, 0) ? "true\n@missing " : "false\n@missing ");
    wwi_output_text(output, ww_series_set_missing(set) ? "true\n" : "false\n");
    snprintf(line, sizeof line, "@univariate %s\n@dimensions %zu\n", channels == 1 ? "true" : "false", channels);
    wwi_output_text(output, line);
    if (equal)
        snprintf(line, sizeof line, "@equalLength true\n@seriesLength %zu\n", length);
    else
        snprintf(line, sizeof line, "@equalLength false\n");
    wwi_output_text(output, line);
    wwi_output_text(output, has_labels(set) ? "@classLabel true" : "@classLabel false");
    for (size_t k = 0; k < ww_series_set_class_count(set); k++) {
        wwi_output_text(output, " ");
        wwi_output_text(output, ww_series_set_class_name(set, k));
    }
    wwi_output_text(output, "\n@data\n");
}

static void write_ts(wwi_output *output, const ww_series_set *set, ww_precision precision) {
    write_ts_header(output, set);
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
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
    wwi_output_npy_header(output, precision, shape, channels == 1 ? 2 : 3);
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
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

ww_status ww_series_set_write(const ww_series_set *set, const char *path, ww_format format, ww_precision precision) {
    if (!set || !path)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_write: %s is NULL", set ? "path" : "set");
    if (precision != WW_FLOAT && precision != WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_write: precision is %d", (int)precision);
    ww_status status = WW_OK;
    if (format == WW_FORMAT_AUTO)
        status = format_by_name(path, &format);
    if (status == WW_OK)
        status = check(set, path, format, precision);
    if (status != WW_OK)
        return status;

    wwi_output output;
    status = wwi_output_open(path, &output);
    if (status != WW_OK)
        return status;
    switch (format) {
    case WW_FORMAT_TSV:
        write_lines(&output, set, '\t', true, precision);
        break;
    case WW_FORMAT_CSV:
        write_lines(&output, set, ',', false, precision);
        break;
    case WW_FORMAT_TS:
        write_ts(&output, set, precision);
        break;
    case WW_FORMAT_NPY:
        write_npy(&output, set, precision);
        break;
    case WW_FORMAT_TEXT:
        wwi_write_symbols(&output, set);
        break;
    default:
        status = wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_write: format is %d", (int)format);
    }
    const ww_status closed = wwi_output_close(&output, status == WW_OK);
    return status == WW_OK ? closed : status;
}
