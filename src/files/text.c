// SPDX-License-Identifier: Apache-2.0
// A file in memory; its lines, fields, numbers and labels.
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "files/read.h"
#include "host.h"

static ww_status read_all(wwi_text *text, int file, size_t expected) {
    size_t capacity = 0;
    // One byte more than expected shows the end of the file without another allocation; one more for the NUL.
    ww_status status = wwi_grow(&text->bytes, &capacity, expected + 2, 1);
    while (status == WW_OK) {
        if (capacity - text->size < 2)
            status = wwi_grow(&text->bytes, &capacity, text->size + 65536, 1);
        if (status != WW_OK)
            break;
        const ssize_t got = read(file, text->bytes + text->size, capacity - text->size - 1);
        if (got == 0)
            break;
        if (got > 0)
            text->size += (size_t)got;
        else if (errno != EINTR)
            status = wwi_fail(WW_ERROR_IO, "%s: can't be read: %s", text->name, strerror(errno));
    }
    if (status == WW_OK)
        text->bytes[text->size] = '\0';
    return status;
}

ww_status wwi_text_open(const char *path, wwi_text *text) {
    ww_status status = WW_OK;
    const bool standard = strcmp(path, "-") == 0;
    memset(text, 0, sizeof *text);
    text->name = standard ? "standard input" : path;
    text->c_locale = (locale_t)0;

    const int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0) {
        status = wwi_fail(WW_ERROR_IO, "%s: can't be opened: %s", text->name, strerror(errno));
        goto done;
    }
    text->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (text->c_locale == (locale_t)0) {
        status = wwi_fail_memory(sizeof(locale_t));
        goto done;
    }
    status = read_all(text, file, S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size : 65536);
    if (status == WW_OK && text->size == 0)
        status = wwi_fail(WW_ERROR_EMPTY, "%s: the file is empty", text->name);
    if (status == WW_OK)
        wwi_text_rewind(text);

done:
    if (file >= 0 && !standard)
        close(file);
    return status;
}

void wwi_text_close(wwi_text *text) {
    if (text->c_locale != (locale_t)0)
        freelocale(text->c_locale);
    free(text->bytes);
    memset(text, 0, sizeof *text);
}

void wwi_text_rewind(wwi_text *text) {
    text->cursor = text->bytes;
    // A byte order mark, which Windows programs put before UTF-8.
    if (text->size >= 3 && memcmp(text->bytes, "\xEF\xBB\xBF", 3) == 0)
        text->cursor += 3;
    text->line = (wwi_span){text->cursor, text->cursor};
    text->line_number = 0;
}

bool wwi_text_next_line(wwi_text *text) {
    const char *end = text->bytes + text->size;
    if (text->cursor >= end)
        return false;
    const char *stop = memchr(text->cursor, '\n', (size_t)(end - text->cursor));
    const char *line_end = stop ? stop : end;
    text->line = (wwi_span){text->cursor, line_end};
    if (line_end > text->cursor && line_end[-1] == '\r')
        text->line.end--;
    text->cursor = stop ? stop + 1 : end;
    text->line_number++;
    return true;
}

ww_status wwi_text_fail_at(const wwi_text *text, const char *source, int source_line, ww_status status, const char *at,
                           const char *format, ...) {
    char message[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return wwi_fail_at(status, source, source_line, "%s:%zu:%zu: %s", text->name, text->line_number,
                       (size_t)(at - text->line.begin) + 1, message);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

wwi_span wwi_span_trim(wwi_span span) {
    while (span.begin < span.end && is_blank(*span.begin))
        span.begin++;
    while (span.end > span.begin && is_blank(span.end[-1]))
        span.end--;
    return span;
}

bool wwi_span_is(wwi_span span, const char *word) {
    return wwi_span_size(span) == strlen(word) && strncasecmp(span.begin, word, wwi_span_size(span)) == 0;
}

// The field in quotes that starts at rest->begin, if there is a whole one.
static bool quoted_field(wwi_span *rest, char separator, wwi_span *field) {
    const wwi_span inside = wwi_span_trim(*rest);
    if (wwi_span_is_empty(inside) || *inside.begin != '"')
        return false;
    const char *close = memchr(inside.begin + 1, '"', wwi_span_size(inside) - 1);
    if (!close)
        return false;
    const char *after = close + 1;
    while (after < rest->end && is_blank(*after) && *after != separator)
        after++;
    if (after < rest->end && *after != separator)
        return false;
    *field = (wwi_span){inside.begin + 1, close};
    rest->begin = after < rest->end ? after + 1 : NULL;
    return true;
}

bool wwi_next_field(wwi_span *rest, char separator, bool quotes, wwi_span *field) {
    if (!rest->begin)
        return false;
    if (separator == ' ') {
        const wwi_span left = wwi_span_trim(*rest);
        if (wwi_span_is_empty(left))
            return false;
        const char *stop = left.begin;
        while (stop < left.end && !is_blank(*stop))
            stop++;
        *field = (wwi_span){left.begin, stop};
        rest->begin = stop;
        return true;
    }
    if (quotes && quoted_field(rest, separator, field))
        return true;
    const char *stop = memchr(rest->begin, separator, wwi_span_size(*rest));
    *field = wwi_span_trim((wwi_span){rest->begin, stop ? stop : rest->end});
    rest->begin = stop ? stop + 1 : NULL;
    return true;
}

bool wwi_number_parse(wwi_span field, locale_t c_locale, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = field.begin;
    const bool negative = at < field.end && *at == '-';
    if (at < field.end && (*at == '-' || *at == '+'))
        at++;
    if (at == field.end || (*at != '.' && (*at < '0' || *at > '9'))) {
        // "inf" and "nan" in their spellings; strtod also accepts blanks, which can't occur here.
        if (at < field.end && strchr("iInN", *at)) {
            char *end;
            *value = strtod_l(field.begin, &end, c_locale);
            return end == field.end;
        }
        return false;
    }

    // Up to 19 digits fit 64 bits; with more digits, or a mantissa beyond 2^53, strtod is used.
    uint64_t mantissa = 0;
    int digits = 0, significant = 0;
    long exponent = 0;
    bool point = false;
    for (; at < field.end; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (*at < '0' || *at > '9')
            break;
        digits++;
        significant += significant || *at != '0';
        if (significant <= 19)
            mantissa = 10 * mantissa + (uint64_t)(*at - '0');
        exponent -= point;
    }
    if (digits == 0)
        return false;
    if (at < field.end && (*at == 'e' || *at == 'E')) {
        at++;
        const bool minus = at < field.end && *at == '-';
        if (at < field.end && (*at == '-' || *at == '+'))
            at++;
        if (at == field.end)
            return false;
        long written = 0;
        for (; at < field.end && *at >= '0' && *at <= '9'; at++)
            if (written < 100000)
                written = 10 * written + (*at - '0');
        exponent += minus ? -written : written;
    }
    if (at != field.end)
        return false;
    // Clinger's fast path: both factors are exact doubles, so the one rounding is the right one.
    if (FLT_EVAL_METHOD == 0 && significant <= 19 && mantissa <= UINT64_C(1) << 53 && exponent >= -22 &&
        exponent <= 22) {
        const double whole = (double)mantissa;
        const double magnitude = exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent];
        *value = negative ? -magnitude : magnitude;
        return true;
    }
    char *end;
    *value = strtod_l(field.begin, &end, c_locale);
    return end == field.end;
}

ww_status wwi_values_append(wwi_values *values, double value) {
    if (values->count == values->capacity) {
        const ww_status status = wwi_grow(&values->data, &values->capacity, values->count + 1, sizeof *values->data);
        if (status != WW_OK)
            return status;
    }
    values->data[values->count++] = value;
    return WW_OK;
}

ww_status wwi_values_parse(wwi_values *values, const wwi_text *text, wwi_span field) {
    double value = NAN;
    if (!wwi_span_is_empty(field) && !wwi_span_is(field, "?") && !wwi_number_parse(field, text->c_locale, &value)) {
        wwi_text_fail(text, WW_ERROR_FORMAT, field.begin, "'%.*s' is not a number",
                      (int)(wwi_span_size(field) < 40 ? wwi_span_size(field) : 40), field.begin);
        return memchr(field.begin, ',', wwi_span_size(field)) ? wwi_fail_hint("the decimal sign is a point")
                                                              : WW_ERROR_FORMAT;
    }
    return wwi_values_append(values, value);
}

ww_status wwi_label_parse(const wwi_text *text, wwi_span field, char **label) {
    *label = NULL;
    if (wwi_span_is_empty(field) || wwi_span_is(field, "?"))
        return WW_OK;
    double number;
    if (wwi_number_parse(field, text->c_locale, &number) && fabs(number) < 1e15 && number == floor(number)) {
        char plain[32];
        snprintf(plain, sizeof plain, "%lld", (long long)number);
        *label = strdup(plain);
    } else {
        *label = strndup(field.begin, wwi_span_size(field));
    }
    return *label ? WW_OK : wwi_fail_memory(wwi_span_size(field) + 1);
}
