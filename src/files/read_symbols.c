// SPDX-License-Identifier: Apache-2.0
// Sequences of symbols: texts in UTF-8, whose code points are the symbols.
#include "files/read_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "files/output.h"
#include "host.h"

size_t wwi_utf8_decode(const unsigned char *at, size_t left, uint32_t *point) {
    const size_t size = at[0] < 0x80 ? 1 : at[0] >= 0xC2 && at[0] < 0xE0 ? 2 : (at[0] & 0xF0) == 0xE0 ? 3 : 4;
    if (size > left || at[0] > 0xF4 || (at[0] >= 0x80 && at[0] < 0xC2))
        return 0;
    *point = size == 1 ? at[0] : at[0] & (0x7Fu >> size);
    for (size_t b = 1; b < size; b++) {
        if ((at[b] & 0xC0) != 0x80)
            return 0;
        *point = *point << 6 | (at[b] & 0x3Fu);
    }
    const bool shortest = size < 3 || (size == 3 ? *point >= 0x800 : *point >= 0x10000);
    return shortest && *point <= 0x10FFFF && (*point < 0xD800 || *point > 0xDFFF) ? size : 0;
}

ww_status ww_series_set_add_text(ww_series_set *set, const char *text, size_t bytes, const char *label) {
    if (!set || (bytes && !text))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_series_set_add_text: %s is NULL", set ? "text" : "set");
    if (ww_series_set_channels(set) != 1) {
        wwi_fail(WW_ERROR_CHANNELS, "a text has one channel; the series of the set have %zu",
                 ww_series_set_channels(set));
        return wwi_fail_hint("make the set with 1 channel");
    }
    WWI_FREES double *points = NULL;
    size_t count = 0;
    WWI_TRY(wwi_new(points, bytes + 1));
    for (size_t at = 0, size; at < bytes; at += size) {
        uint32_t point = 0;
        size = wwi_utf8_decode((const unsigned char *)text + at, bytes - at, &point);
        if (size == 0) {
            wwi_fail(WW_ERROR_FORMAT, "text %zu is not UTF-8 at byte %zu", ww_series_set_count(set), at);
            return wwi_fail_where((int64_t)ww_series_set_count(set), (int64_t)at);
        }
        points[count++] = (double)point;
    }
    return ww_series_set_add(set, count, points, label);
}

// Adds the sequence that `symbols` has, which in the file are from `at` on.
static ww_status add_sequence(const wwi_text *text, const char *at, wwi_span symbols, ww_series_set *set) {
    const ww_status status = ww_series_set_add_text(set, symbols.begin, wwi_span_size(symbols), NULL);
    if (status == WW_ERROR_FORMAT) {
        wwi_text_fail(text, WW_ERROR_FORMAT, at + ww_last_error()->position, "this is not UTF-8");
        return wwi_fail_hint("convert it: iconv -f LATIN1 -t UTF-8");
    }
    return status;
}

ww_status wwi_read_symbols(wwi_text *text, ww_series_set **set) {
    WWI_TRY(ww_series_set_create(1, set));
    while (wwi_text_next_line(text)) {
        const wwi_span line = text->line;
        if (wwi_span_is_empty(line)) {
            wwi_text_fail(text, WW_ERROR_EMPTY, line.begin, "the line is empty: a sequence of length 0");
            return wwi_fail_hint("a sequence has at least one symbol; leave the line out");
        }
        WWI_TRY(add_sequence(text, line.begin, line, *set));
    }
    return WW_OK;
}

ww_status wwi_read_fasta(wwi_text *text, ww_series_set **set) {
    // A heading's sequence, its lines joined: in place, where they are shorter than what they were read from.
    char *begin = NULL, *end = NULL;
    WWI_TRY(ww_series_set_create(1, set));
    for (bool more = wwi_text_next_line(text); more || begin; more = more && wwi_text_next_line(text)) {
        const wwi_span line = more ? wwi_span_trim(text->line) : (wwi_span){NULL, NULL};
        const bool heading = !more || (!wwi_span_is_empty(line) && *line.begin == '>');
        if (heading && begin) {
            if (begin == end)
                return wwi_text_fail(text, WW_ERROR_EMPTY, more ? line.begin : text->line.begin,
                                     "the heading before this has no sequence");
            WWI_TRY(add_sequence(text, text->line.begin, (wwi_span){begin, end}, *set));
        }
        if (heading) {
            begin = end = more ? text->bytes + (line.end - text->bytes) : NULL;
            continue;
        }
        memmove(end, line.begin, wwi_span_size(line));
        end += wwi_span_size(line);
    }
    return WW_OK;
}

ww_status wwi_check_symbols(const ww_series_set *set, const char *path) {
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        const double *values = ww_series_set_values(set, i);
        for (size_t t = 0; t < ww_series_set_length(set, i); t++) {
            const double value = values[t];
            const uint32_t point = value >= 0 && value <= 0x10FFFF ? (uint32_t)value : UINT32_MAX;
            if ((double)point == value && (point < 0xD800 || point > 0xDFFF) && point != 0 && point != '\n' &&
                point != '\r')
                continue;
            wwi_fail(WW_ERROR_UNSUPPORTED, "%s: %g is no character that a line of text can hold", path, value);
            wwi_fail_hint("write .csv or .ts");
            return wwi_fail_where((int64_t)i, (int64_t)t);
        }
    }
    return WW_OK;
}

void wwi_write_symbols(wwi_output *output, const ww_series_set *set) {
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        for (size_t t = 0; t < ww_series_set_length(set, i); t++) {
            const uint32_t point = (uint32_t)ww_series_set_values(set, i)[t];
            unsigned char bytes[4];
            const size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            for (size_t b = size - 1; b > 0; b--)
                bytes[b] = (unsigned char)(0x80 | ((point >> 6 * (size - 1 - b)) & 0x3F));
            static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
            bytes[0] = (unsigned char)(leads[size] | point >> 6 * (size - 1));
            wwi_output_bytes(output, bytes, size);
        }
        wwi_output_text(output, "\n");
    }
}
