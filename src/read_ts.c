// SPDX-License-Identifier: Apache-2.0
// The .ts format of sktime and aeon: a header of @ lines, then one series a line, channels separated by ':', the class
// label last.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "read_series.h"

typedef struct header {
    size_t channels; // 0: as the first series has
    size_t length;   // 0: not said
    bool equal_length;
    bool labels;
} header;

static ww_status parse_flag(const wwi_text *text, wwi_span word, bool *flag) {
    *flag = wwi_span_is(word, "true");
    if (*flag || wwi_span_is(word, "false"))
        return WW_OK;
    return wwi_text_fail(text, WW_ERROR_FORMAT, word.begin, "expected true or false");
}

static ww_status parse_size(const wwi_text *text, wwi_span word, size_t *size) {
    double number;
    if (!wwi_number_parse(word, text->c_locale, &number) || !(number >= 1.0 && number <= 9e15) ||
        number != (double)(size_t)number)
        return wwi_text_fail(text, WW_ERROR_FORMAT, word.begin, "expected a whole number of 1 or more");
    *size = (size_t)number;
    return WW_OK;
}

// One line that starts with '@', other than @data.
static ww_status parse_tag(const wwi_text *text, header *head) {
    wwi_span rest = text->line, tag, word;
    wwi_next_field(&rest, ' ', false, &tag);
    if (!wwi_next_field(&rest, ' ', false, &word))
        word = (wwi_span){tag.end, tag.end};
    bool flag = false;
    ww_status status = WW_OK;
    if (wwi_span_is(tag, "@timestamps")) {
        status = parse_flag(text, word, &flag);
        if (status == WW_OK && flag) {
            wwi_text_fail(text, WW_ERROR_UNSUPPORTED, word.begin, "series with time stamps can't be read");
            status = wwi_fail_hint("resample to equal steps and write plain values with @timeStamps false");
        }
    } else if (wwi_span_is(tag, "@univariate")) {
        status = parse_flag(text, word, &flag);
        if (flag)
            head->channels = 1;
    } else if (wwi_span_is(tag, "@dimensions") || wwi_span_is(tag, "@dimension")) {
        status = parse_size(text, word, &head->channels);
    } else if (wwi_span_is(tag, "@equallength")) {
        status = parse_flag(text, word, &head->equal_length);
    } else if (wwi_span_is(tag, "@serieslength")) {
        // sktime writes 0 or -1 for series of different lengths.
        if (!wwi_span_is(word, "0") && !wwi_span_is(word, "-1"))
            status = parse_size(text, word, &head->length);
    } else if (wwi_span_is(tag, "@classlabel") || wwi_span_is(tag, "@targetlabel")) {
        status = parse_flag(text, word, &head->labels);
    }
    return status;
}

static ww_status parse_header(wwi_text *text, header *head) {
    while (wwi_text_next_line(text)) {
        const wwi_span content = wwi_span_trim(text->line);
        if (wwi_span_is_empty(content) || *content.begin == '#')
            continue;
        if (*content.begin != '@') {
            wwi_text_fail(text, WW_ERROR_FORMAT, content.begin, "expected a line that starts with '@'");
            return wwi_fail_hint("a .ts file's header ends with the line @data");
        }
        if (wwi_span_is(content, "@data"))
            return WW_OK;
        const ww_status status = parse_tag(text, head);
        if (status != WW_OK)
            return status;
    }
    return wwi_text_fail(text, WW_ERROR_FORMAT, text->line.begin, "the header has no line @data");
}

// Appends one channel's values and gives their number.
static ww_status parse_channel(const wwi_text *text, wwi_span channel, wwi_values *values, size_t *length) {
    const size_t before = values->count;
    ww_status status = WW_OK;
    wwi_span rest = wwi_span_trim(channel), field;
    if (wwi_span_is_empty(rest))
        return wwi_text_fail(text, WW_ERROR_EMPTY, channel.begin, "a channel without values");
    if (*rest.begin == '(')
        return wwi_text_fail(text, WW_ERROR_UNSUPPORTED, rest.begin, "series with time stamps can't be read");
    while (status == WW_OK && wwi_next_field(&rest, ',', false, &field))
        status = wwi_values_parse(values, text, field);
    *length = values->count - before;
    return status;
}

// Splits the current line in channels and label. `length` and `channels` are what the line has.
static ww_status parse_series(const wwi_text *text, const header *head, wwi_values *values, size_t *channels,
                              size_t *length, char **label) {
    ww_status status = WW_OK;
    wwi_span rest = text->line;
    values->count = 0;
    *channels = 0;
    while (status == WW_OK && rest.begin) {
        wwi_span part;
        wwi_next_field(&rest, ':', false, &part);
        if (head->labels && !rest.begin) {
            if (*channels == 0) {
                wwi_text_fail(text, WW_ERROR_FORMAT, part.end, "expected ':' and a class label after the values");
                return wwi_fail_hint("the header says @classLabel true");
            }
            return wwi_label_parse(text, part, label);
        }
        size_t values_here = 0;
        status = parse_channel(text, part, values, &values_here);
        if (status == WW_OK && *channels > 0 && values_here != *length)
            status =
                wwi_text_fail(text, WW_ERROR_FORMAT, part.begin, "channel %zu has %zu values where channel 1 has %zu",
                              *channels + 1, values_here, *length);
        *length = values_here;
        ++*channels;
    }
    return status;
}

// Holds a series against the header and the series before it.
static ww_status check_series(const wwi_text *text, header *head, size_t channels, size_t length) {
    if (head->channels == 0)
        head->channels = channels;
    if (channels != head->channels)
        return wwi_text_fail(text, WW_ERROR_CHANNELS, text->line.end,
                             "the series has %zu channels where %zu are expected", channels, head->channels);
    if (head->equal_length && head->length == 0)
        head->length = length;
    if (head->equal_length && length != head->length) {
        wwi_text_fail(text, WW_ERROR_FORMAT, text->line.end, "the series has %zu values where %zu are expected", length,
                      head->length);
        return wwi_fail_hint("the header says @equalLength true");
    }
    return WW_OK;
}

ww_status wwi_read_ts(wwi_text *text, ww_series_set **set) {
    header head = {0, 0, false, false};
    wwi_values values = {NULL, 0, 0};
    char *label = NULL;
    ww_status status = parse_header(text, &head);
    while (status == WW_OK && wwi_text_next_line(text)) {
        const wwi_span content = wwi_span_trim(text->line);
        if (wwi_span_is_empty(content) || *content.begin == '#')
            continue;
        size_t channels = 0, length = 0;
        status = parse_series(text, &head, &values, &channels, &length, &label);
        if (status == WW_OK)
            status = check_series(text, &head, channels, length);
        if (status == WW_OK && !*set)
            status = ww_series_set_create(channels, set);
        if (status == WW_OK)
            status = ww_series_set_add(*set, length, values.data, label);
        free(label);
        label = NULL;
    }
    free(values.data);
    return status;
}
