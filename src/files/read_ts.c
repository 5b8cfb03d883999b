// SPDX-License-Identifier: Apache-2.0
// The .ts format of sktime and aeon: a header of @ lines, then one series a line, channels separated by ':', the class
// label last. The .tsf format of forecasting sets: attributes of a series, then its values.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ends.h"
#include "files/number.h"
#include "files/read.h"
#include "host.h"

typedef struct header {
    size_t channels;           // 0: as the first series has
    size_t length;             // 0: not said
    size_t attributes;         // of .tsf: parts before the values
    bool equal_length, ragged; // @equalLength is true, is false
    bool labels;
    bool times;               // a point is (time stamp,value)
    wwi_class_names *classes; // that @classLabel lists
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

// The labels after "@classLabel true".
static ww_status parse_classes(wwi_span rest, header *head) {
    wwi_span word;
    while (wwi_next_field(&rest, ' ', false, &word))
        WWI_TRY(wwi_label_add(word, head->classes));
    return WW_OK;
}

// One line that starts with '@', other than @data.
static ww_status parse_tag(const wwi_text *text, header *head) {
    wwi_span rest = text->line, tag, word;
    wwi_next_field(&rest, ' ', false, &tag);
    if (!wwi_next_field(&rest, ' ', false, &word))
        word = (wwi_span){tag.end, tag.end};
    bool flag = false;
    if (wwi_span_is(tag, "@timestamps"))
        return parse_flag(text, word, &head->times);
    if (wwi_span_is(tag, "@dimensions") || wwi_span_is(tag, "@dimension"))
        return parse_size(text, word, &head->channels);
    if (wwi_span_is(tag, "@univariate")) {
        WWI_TRY(parse_flag(text, word, &flag));
        head->channels = flag ? 1 : head->channels;
    } else if (wwi_span_is(tag, "@equallength")) {
        WWI_TRY(parse_flag(text, word, &head->equal_length));
        head->ragged = !head->equal_length;
    } else if (wwi_span_is(tag, "@serieslength")) {
        // sktime writes 0 or -1 for series of different lengths.
        if (!wwi_span_is(word, "0") && !wwi_span_is(word, "-1"))
            return parse_size(text, word, &head->length);
    } else if (wwi_span_is(tag, "@classlabel") || wwi_span_is(tag, "@targetlabel")) {
        // A file has one of the two, and may say that it has not the other.
        WWI_TRY(parse_flag(text, word, &flag));
        head->labels = head->labels || flag;
        if (flag && wwi_span_is(tag, "@classlabel"))
            return parse_classes(rest, head);
    } else if (wwi_span_is(tag, "@attribute")) {
        head->attributes++;
    }
    return WW_OK;
}

// The next line with content; comments begin with # or, as in ARFF, with %.
static bool next_content(wwi_text *text) {
    while (wwi_text_next_content(text))
        if (*wwi_span_trim(text->line).begin != '%')
            return true;
    return false;
}

static ww_status parse_header(wwi_text *text, header *head) {
    while (next_content(text)) {
        const wwi_span content = wwi_span_trim(text->line);
        if (*content.begin != '@') {
            wwi_text_fail(text, WW_ERROR_FORMAT, content.begin, "expected a line that starts with '@'");
            return wwi_fail_hint("a .ts file's header ends with the line @data");
        }
        if (wwi_span_is(content, "@data"))
            return WW_OK;
        WWI_TRY(parse_tag(text, head));
    }
    return wwi_text_fail(text, WW_ERROR_FORMAT, text->line.begin, "the header has no line @data");
}

// The data read from a line.
typedef struct series {
    wwi_values values, times;
    size_t channels, length;
    char *label;
} series;

static void free_series(series *s) {
    wwi_values_free(&s->values);
    wwi_values_free(&s->times);
    free(s->label);
}

// What most points are: (number,number) without blanks. False, and nothing is taken: some other point.
static bool parse_plain_tuple(wwi_text *text, wwi_span *rest, series *s, size_t first) {
    double time, value;
    const char *at = rest->begin;
    if (text->stamps == 'd' || s->times.count == s->times.capacity || s->values.count == s->values.capacity ||
        *at != '(' || !(at = wwi_number_scan(at + 1, &time)) || *at != ',' || !(at = wwi_number_scan(at + 1, &value)) ||
        *at != ')' || at >= rest->end || time - time != 0)
        return false;
    if (s->times.count > first && time < s->times.data[s->times.count - 1])
        return false;
    const char *next = at + 1;
    if (next < rest->end && (*next != ',' || next + 1 == rest->end))
        return false;
    text->stamps = 'n';
    s->times.data[s->times.count++] = time;
    s->values.data[s->values.count++] = value;
    rest->begin = next < rest->end ? next + 1 : next;
    return true;
}

// One point, "(time stamp,value)", and the comma after it.
static ww_status parse_tuple(wwi_text *text, wwi_span *rest, series *s, size_t first) {
    const char *close = memchr(rest->begin, ')', wwi_span_size(*rest));
    if (*rest->begin != '(' || !close)
        return wwi_text_fail(text, WW_ERROR_FORMAT, rest->begin, "expected (time stamp,value)");
    const wwi_span inside = {rest->begin + 1, close};
    const char *comma = memrchr(inside.begin, ',', wwi_span_size(inside));
    if (!comma)
        return wwi_text_fail(text, WW_ERROR_FORMAT, inside.begin, "expected ',' between a time stamp and its value");
    WWI_TRY(wwi_time_parse(text, wwi_span_trim((wwi_span){inside.begin, comma}), first, &s->times));
    WWI_TRY(wwi_values_parse(&s->values, text, wwi_span_trim((wwi_span){comma + 1, inside.end})));
    *rest = wwi_span_trim((wwi_span){close + 1, rest->end});
    if (wwi_span_is_empty(*rest))
        return WW_OK;
    if (*rest->begin != ',')
        return wwi_text_fail(text, WW_ERROR_FORMAT, rest->begin, "expected ',' after a point");
    *rest = wwi_span_trim((wwi_span){rest->begin + 1, rest->end});
    return wwi_span_is_empty(*rest) ? wwi_text_fail(text, WW_ERROR_FORMAT, rest->begin, "expected a point after ','")
                                    : WW_OK;
}

// Appends one channel's values, and gives their number. The time stamps of the first channel are the series'; those of
// the others must be the same.
static ww_status parse_channel(wwi_text *text, const header *head, wwi_span channel, series *s, size_t *length) {
    const size_t before = s->values.count, first = s->times.count;
    wwi_span rest = wwi_span_trim(channel), field;
    if (wwi_span_is_empty(rest))
        return wwi_text_fail(text, WW_ERROR_EMPTY, channel.begin, "the channel has no values");
    if (!head->times && *rest.begin == '(') {
        wwi_text_fail(text, WW_ERROR_FORMAT, rest.begin, "the point has a time stamp");
        return wwi_fail_hint("the header has to say @timeStamps true");
    }
    while (head->times && !wwi_span_is_empty(rest))
        WWI_TRY(parse_plain_tuple(text, &rest, s, first) ? WW_OK : parse_tuple(text, &rest, s, first));
    while (!head->times && !wwi_values_parse_plain(&s->values, &rest, ',') && wwi_next_field(&rest, ',', false, &field))
        WWI_TRY(wwi_values_parse(&s->values, text, field));
    *length = s->values.count - before;
    if (first == 0 || *length != first)
        return WW_OK;
    s->times.count = first;
    if (memcmp(s->times.data, s->times.data + first, first * sizeof *s->times.data) == 0)
        return WW_OK;
    wwi_text_fail(text, WW_ERROR_UNSUPPORTED, channel.begin, "channel %zu has other time stamps than channel 1",
                  s->channels + 1);
    return wwi_fail_hint("resample the channels to common times");
}

// Takes the text before the next ':' off *rest; a time stamp in parentheses may contain ':'.
static wwi_span next_part(const header *head, wwi_span *rest) {
    const char *at = rest->begin;
    if (!head->times) {
        at = memchr(at, ':', wwi_span_size(*rest));
        at = at ? at : rest->end;
    }
    for (bool inside = false; head->times && at < rest->end && (inside || *at != ':'); at++)
        inside = *at == '(' || (inside && *at != ')');
    const wwi_span part = {rest->begin, at};
    rest->begin = at < rest->end ? at + 1 : NULL;
    return wwi_span_trim(part);
}

// Splits the current line in channels and label.
static ww_status parse_series(wwi_text *text, const header *head, series *s) {
    wwi_span rest = text->line;
    s->values.count = s->times.count = s->channels = 0;
    for (size_t i = 0; i < head->attributes && rest.begin; i++)
        next_part(head, &rest);
    if (!rest.begin)
        return wwi_text_fail(text, WW_ERROR_FORMAT, text->line.end, "expected %zu attributes and values",
                             head->attributes);
    while (rest.begin) {
        const wwi_span part = next_part(head, &rest);
        // aeon ends every channel with ':', also where no label follows.
        if (!head->labels && !rest.begin && s->channels > 0 && wwi_span_is_empty(part))
            return WW_OK;
        if (head->labels && !rest.begin) {
            if (s->channels == 0) {
                wwi_text_fail(text, WW_ERROR_FORMAT, part.end, "expected ':' and a class label after the values");
                return wwi_fail_hint("the header says @classLabel true");
            }
            WWI_TRY(wwi_label_parse(part, &s->label));
            if (!s->label || head->classes->count == 0 || wwi_class_is_known(head->classes, s->label))
                return WW_OK;
            wwi_text_fail(text, WW_ERROR_FORMAT, part.begin, "the label '%.64s' is none of those of @classLabel",
                          s->label);
            return wwi_fail_hint("name it there, or write @classLabel true alone");
        }
        size_t values_here = 0;
        WWI_TRY(parse_channel(text, head, part, s, &values_here));
        if (s->channels > 0 && values_here != s->length)
            return wwi_text_fail(text, WW_ERROR_FORMAT, part.begin,
                                 "channel %zu has %zu values where channel 1 has %zu", s->channels + 1, values_here,
                                 s->length);
        s->length = values_here;
        s->channels++;
    }
    return WW_OK;
}

// Checks a series against the header and the series before it.
static ww_status check_series(const wwi_text *text, header *head, size_t channels, size_t length) {
    if (head->channels == 0)
        head->channels = channels;
    if (channels != head->channels)
        return wwi_text_fail(text, WW_ERROR_CHANNELS, text->line.end,
                             "the series has %zu channels where %zu are expected", channels, head->channels);
    if (head->equal_length && head->length == 0)
        head->length = length;
    if (head->length != 0 && length != head->length && !head->ragged) {
        wwi_text_fail(text, WW_ERROR_FORMAT, text->line.end, "the series has %zu values where %zu are expected", length,
                      head->length);
        return wwi_fail_hint(head->equal_length
                                 ? "the header says @equalLength true"
                                 : "the header says @seriesLength; for lengths that differ it says @equalLength false");
    }
    return WW_OK;
}

static ww_status read_lines(wwi_text *text, const void *how, ww_series_set **set) {
    header head = *(const header *)how;
    WWI_ENDS(free_series) series s = {.label = NULL};
    while (next_content(text)) {
        wwi_free_taken(&s.label);
        WWI_TRY(parse_series(text, &head, &s));
        WWI_TRY(check_series(text, &head, s.channels, s.length));
        if (!*set)
            WWI_TRY(ww_series_set_create(s.channels, set));
        WWI_TRY(ww_series_set_add(*set, s.length, s.values.data, s.label));
        if (head.times)
            WWI_TRY(ww_series_set_set_times(*set, ww_series_set_count(*set) - 1, s.times.data));
    }
    return WW_OK;
}

ww_status wwi_read_ts(wwi_text *text, ww_series_set **set) {
    WWI_ENDS(wwi_class_names_free) wwi_class_names classes = {.count = 0};
    header head = {.classes = &classes};
    WWI_TRY(parse_header(text, &head));
    const wwi_text start = *text;
    WWI_TRY(wwi_read_pieces(text, read_lines, &head, set));
    if (!head.equal_length || ww_series_set_min_length(*set) == ww_series_set_max_length(*set))
        return WW_OK;
    // Each piece took its own first length for all.
    ww_series_set_destroy(set);
    *text = start;
    return read_lines(text, &head, set);
}
