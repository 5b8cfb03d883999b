// SPDX-License-Identifier: Apache-2.0
// Time stamps in files: numbers, or dates with or without a time of day, which become seconds since 1970.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ends.h"
#include "files/read.h"
#include "host.h"

// ---- dates: 2024-02-29, 2024-02, 2024/02/29 13:05, 2024-02-29T13:05:07.25Z, 2024-02-29 13:05:07+02:00

// Takes `count` digits off the span.
static bool take_digits(wwi_span *rest, size_t count, int *value) {
    if (wwi_span_size(*rest) < count)
        return false;
    *value = 0;
    for (size_t i = 0; i < count; i++) {
        const char digit = *rest->begin++;
        if (digit < '0' || digit > '9')
            return false;
        *value = 10 * *value + (digit - '0');
    }
    return true;
}

static bool take(wwi_span *rest, char wanted) {
    if (wwi_span_is_empty(*rest) || *rest->begin != wanted)
        return false;
    rest->begin++;
    return true;
}

// Days from 1970-01-01 in the Gregorian calendar. Years are counted from March, so that a leap day is a year's last.
static bool days_of(int year, int month, int day, long *days) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (month < 1 || month > 12 || day < 1 || day > lengths[month - 1] + (month == 2 && leap))
        return false;
    const long from_march = (month + 9) % 12, y = year - (month <= 2) + 400;
    *days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * from_march + 2) / 5 + day - 1 - 719468 - 146097;
    return true;
}

// Of a month or a quarter, "1949-01", "1991 Jul", "1970 Q1": its first month.
static bool take_month(wwi_span *rest, int *month) {
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    wwi_span after = *rest;
    (void)(take(&after, ' ') || take(&after, '-'));
    if (take(&after, 'Q') || take(&after, 'q')) {
        if (!take_digits(&after, 1, month) || *month > 4)
            return false;
        *month = 3 * *month - 2;
        *rest = after;
        return true;
    }
    for (int m = 0; m < 12; m++)
        if (wwi_span_size(after) == 3 && strncasecmp(after.begin, names + 3 * (size_t)m, 3) == 0) {
            *month = m + 1;
            rest->begin = rest->end;
            return true;
        }
    return false;
}

static bool take_date(wwi_span *rest, long *days) {
    int year, month, day = 1;
    if (!take_digits(rest, 4, &year) || wwi_span_is_empty(*rest))
        return false;
    if (take_month(rest, &month))
        return wwi_span_is_empty(*rest) && days_of(year, month, day, days);
    const char dash = *rest->begin;
    if ((dash != '-' && dash != '/') || !take(rest, dash) || !take_digits(rest, 2, &month))
        return false;
    if (!wwi_span_is_empty(*rest) && !(take(rest, dash) && take_digits(rest, 2, &day)))
        return false;
    return days_of(year, month, day, days);
}

static bool take_time_of_day(wwi_span *rest, locale_t c_locale, double *seconds) {
    int hour, minute, second;
    if (!take_digits(rest, 2, &hour) || !take(rest, ':') || !take_digits(rest, 2, &minute) || hour > 23 || minute > 59)
        return false;
    *seconds = 3600.0 * hour + 60.0 * minute;
    if (!take(rest, ':'))
        return true;
    wwi_span fraction = *rest;
    if (!take_digits(rest, 2, &second) || second > 60)
        return false;
    double exact = second;
    if (take(rest, '.')) {
        while (!wwi_span_is_empty(*rest) && *rest->begin >= '0' && *rest->begin <= '9')
            rest->begin++;
        fraction.end = rest->begin;
        if (!wwi_number_parse(fraction, c_locale, &exact))
            return false;
    }
    *seconds += exact;
    return true;
}

// "Z", "+02", "+0200", "+02:00", or nothing.
static bool take_zone(wwi_span *rest, double *seconds) {
    *seconds = 0;
    if (wwi_span_is_empty(*rest) || take(rest, 'Z') || take(rest, 'z'))
        return true;
    const bool east = take(rest, '+');
    int hours, minutes = 0;
    if ((!east && !take(rest, '-')) || !take_digits(rest, 2, &hours))
        return false;
    take(rest, ':');
    if (!wwi_span_is_empty(*rest) && !take_digits(rest, 2, &minutes))
        return false;
    *seconds = (east ? 60.0 : -60.0) * (60 * hours + minutes);
    return hours < 24 && minutes < 60;
}

bool wwi_date_parse(wwi_span field, locale_t c_locale, double *seconds) {
    wwi_span rest = field;
    long days = 0;
    double of_day = 0, zone = 0;
    if (!take_date(&rest, &days))
        return false;
    if (!wwi_span_is_empty(rest)) {
        if (!take(&rest, 'T') && !take(&rest, 't') && !take(&rest, ' '))
            return false;
        rest = wwi_span_trim(rest);
        if (!take_time_of_day(&rest, c_locale, &of_day))
            return false;
        rest = wwi_span_trim(rest);
        if (!take_zone(&rest, &zone))
            return false;
    }
    *seconds = 86400.0 * (double)days + of_day - zone;
    return wwi_span_is_empty(rest);
}

// ---- stamps

ww_status wwi_time_parse(wwi_text *text, wwi_span field, size_t first, wwi_values *times) {
    double value;
    char kind = 'n';
    if (!wwi_number_parse(field, text->c_locale, &value)) {
        if (!wwi_date_parse(field, text->c_locale, &value)) {
            wwi_text_fail(text, WW_ERROR_FORMAT, field.begin, "the time stamp '%.*s' is neither a number nor a date",
                          WWI_SHOWN(field, 40));
            return wwi_fail_hint("dates are written 2024-12-31, 2024-12-31 23:59:59.5 or 2024-12-31T23:59:59Z");
        }
        kind = 'd';
    }
    if (!isfinite(value))
        return wwi_text_fail(text, WW_ERROR_FORMAT, field.begin, "the time stamp '%.*s' is not a time",
                             WWI_SHOWN(field, 40));
    if (text->stamps && text->stamps != kind)
        return wwi_text_fail(text, WW_ERROR_FORMAT, field.begin, "the time stamp '%.*s' is a %s, those before are %s",
                             WWI_SHOWN(field, 40), kind == 'd' ? "date" : "number", kind == 'd' ? "numbers" : "dates");
    text->stamps = kind;
    if (times->count > first && value < times->data[times->count - 1]) {
        wwi_text_fail(text, WW_ERROR_FORMAT, field.begin, "the time stamp '%.*s' is before the one before it",
                      WWI_SHOWN(field, 40));
        return wwi_fail_hint("time stamps may repeat but not decrease");
    }
    return wwi_values_append(times, value);
}

// ---- a file of time stamps: a row a series, or one row for all

static ww_status read_lines(wwi_text *text, ww_series_set **rows) {
    char separator = '\0';
    WWI_ENDS(wwi_values_free) wwi_values times = {NULL, 0, 0};
    WWI_TRY(ww_series_set_create(1, rows));
    while (wwi_text_next_content(text)) {
        if (!separator)
            separator = wwi_separator_of(wwi_span_trim(text->line), true);
        wwi_span rest = text->line, field;
        size_t missing = 0; // at the end: padding
        times.count = 0;
        while (wwi_next_field(&rest, separator, true, &field)) {
            const bool padding = wwi_is_missing(field) || wwi_span_is(field, "nan");
            if (!padding && missing)
                return wwi_text_fail(text, WW_ERROR_FORMAT, field.begin, "a time stamp is missing before this one");
            missing += padding;
            if (!padding)
                WWI_TRY(wwi_time_parse(text, field, 0, &times));
        }
        if (times.count == 0)
            return wwi_text_fail(text, WW_ERROR_EMPTY, text->line.begin, "the row has no time stamps");
        WWI_TRY(ww_series_set_add(*rows, times.count, times.data, NULL));
    }
    return WW_OK;
}

static ww_status apply(const char *name, const ww_series_set *rows, ww_series_set *set) {
    const size_t count = ww_series_set_count(rows), wanted = ww_series_set_count(set);
    if (ww_series_set_channels(rows) != 1)
        return wwi_fail(WW_ERROR_CHANNELS, "%s: time stamps are one row a series, not an array of 3 dimensions", name);
    if (count != 1 && count != wanted) {
        wwi_fail(WW_ERROR_FORMAT, "%s: %zu rows of time stamps for %zu series", name, count, wanted);
        return wwi_fail_hint("give a row for every series, or one row for all");
    }
    for (size_t i = 0; i < wanted; i++) {
        const size_t row = count == 1 ? 0 : i, there = ww_series_set_length(rows, row);
        const size_t length = ww_series_set_length(set, i);
        // One row is used for shorter series too.
        if (there < length || (there > length && count != 1))
            return wwi_fail(WW_ERROR_FORMAT, "%s: row %zu has %zu time stamps, series %zu has %zu points", name,
                            row + 1, there, i, length);
        const ww_status status = ww_series_set_set_times(set, i, ww_series_set_values(rows, row));
        if (status == WW_OK)
            continue;
        const long long at = (long long)ww_last_error()->position;
        wwi_fail(WW_ERROR_FORMAT, "%s: row %zu: time stamp %lld is %s", name, row + 1, at + 1,
                 status == WW_ERROR_NOT_FINITE ? "not a time" : "before the one before it");
        return wwi_fail_where((int64_t)i, at);
    }
    return WW_OK;
}

ww_status wwi_read_times(const char *path, ww_series_set *set) {
    WWI_ENDS(wwi_text_close) wwi_text text = {.name = path};
    WWI_ENDS(ww_series_set_destroy) ww_series_set *rows = NULL;
    WWI_TRY(wwi_text_open(path, &text));
    WWI_TRY(wwi_text_ended(&text, wwi_is_npy(&text) ? wwi_read_npy(&text, WW_AXES_NCT, WW_ROWS_AUTO, &rows)
                                                    : read_lines(&text, &rows)));
    if (ww_series_set_count(rows) == 0)
        return wwi_fail(WW_ERROR_EMPTY, "%s: the file holds no time stamps", text.name);
    return apply(text.name, rows, set);
}
