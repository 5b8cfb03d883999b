// SPDX-License-Identifier: Apache-2.0
// ARFF as the UCR and UEA archives use it: an attribute a point and a nominal one for the class; for several channels a
// relational attribute, whose text in quotes has a line a channel, "\n" written out between them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ends.h"
#include "files/read.h"
#include "host.h"

#define NO_CLASS SIZE_MAX

typedef struct header {
    size_t attributes;   // of the outer relation
    size_t points;       // numeric attributes; of a relation: those in it
    bool relational;     // the channels are in a relation
    size_t class_column; // NO_CLASS: none
    wwi_class_names *classes;
} header;

bool wwi_is_arff(wwi_span line) {
    wwi_span word;
    return wwi_next_field(&line, ' ', false, &word) && wwi_span_is(word, "@relation");
}

static bool is_quote(char c) {
    return c == '\'' || c == '"';
}

// A word, or a text in quotes, off *rest. An unclosed quote takes the rest.
static wwi_span take_word(wwi_span *rest) {
    wwi_span word = wwi_span_trim(*rest);
    const bool quoted = !wwi_span_is_empty(word) && is_quote(*word.begin);
    const char *at = word.begin + quoted;
    while (at < word.end && (quoted ? *at != *word.begin : *at != ' ' && *at != '\t'))
        at += *at == '\\' && at + 1 < word.end ? 2 : 1;
    rest->begin = at < rest->end ? at + quoted : at;
    return quoted ? (wwi_span){word.begin + 1, at} : (wwi_span){word.begin, at};
}

static wwi_span unquoted(wwi_span text) {
    text = wwi_span_trim(text);
    if (wwi_span_size(text) >= 2 && is_quote(*text.begin) && text.end[-1] == *text.begin)
        return (wwi_span){text.begin + 1, text.end - 1};
    return text;
}

// The text without a comment, which % begins outside quotes and braces and, `after` a blank alone, behind one.
static wwi_span uncommented(wwi_span text, bool after) {
    char quote = '\0';
    bool braces = false;
    for (const char *at = text.begin; at < text.end; at++) {
        const char c = *at;
        if (!quote && !braces && c == '%' && (!after || at == text.begin || at[-1] == ' ' || at[-1] == '\t'))
            return (wwi_span){text.begin, at};
        if (quote)
            quote = c == quote ? '\0' : quote;
        else if (is_quote(c))
            quote = c;
        else
            braces = c == '{' || (braces && c != '}');
    }
    return text;
}

// {a,'b c',d}
static ww_status parse_classes(const wwi_text *text, wwi_span list, header *head) {
    const char *close = memrchr(list.begin, '}', wwi_span_size(list));
    if (!close)
        return wwi_text_fail(text, WW_ERROR_FORMAT, list.begin, "the list of classes does not end with '}'");
    for (const char *at = list.begin + 1, *stop; at < close; at = stop + 1) {
        stop = at;
        for (char quote = '\0'; stop < close && (quote || *stop != ','); stop++)
            quote = quote ? (*stop == quote ? '\0' : quote) : is_quote(*stop) ? *stop : '\0';
        WWI_TRY(wwi_label_add(unquoted((wwi_span){at, stop}), head->classes));
    }
    return WW_OK;
}

// What follows "@attribute".
static ww_status parse_attribute(const wwi_text *text, wwi_span rest, bool inside, header *head) {
    take_word(&rest); // its name
    const wwi_span type = wwi_span_trim(uncommented(rest, false));
    const bool number = wwi_span_is(type, "numeric") || wwi_span_is(type, "real") || wwi_span_is(type, "integer");
    if (number && (inside || !head->relational)) {
        head->points++;
        head->attributes += !inside;
        return WW_OK;
    }
    if (wwi_span_is(type, "relational") && !inside && head->points == 0 && !head->relational) {
        head->relational = true;
        head->attributes++;
        return WW_OK;
    }
    if (!wwi_span_is_empty(type) && *type.begin == '{' && !inside && head->class_column == NO_CLASS) {
        head->class_column = head->attributes++;
        return parse_classes(text, type, head);
    }
    wwi_text_fail(text, WW_ERROR_UNSUPPORTED, type.begin, "the type '%.*s' of an attribute is not supported here",
                  WWI_SHOWN(type, 40));
    return wwi_fail_hint(
        "readable are numeric attributes or one relation of them, and one nominal attribute, the class");
}

static ww_status parse_header(wwi_text *text, header *head) {
    bool inside = false;
    while (wwi_text_next_line(text)) {
        wwi_span rest = wwi_span_trim(text->line), word;
        if (wwi_span_is_empty(rest) || *rest.begin == '%')
            continue;
        wwi_next_field(&rest, ' ', false, &word);
        if (wwi_span_is(word, "@attribute")) {
            const bool was = head->relational;
            WWI_TRY(parse_attribute(text, rest, inside, head));
            inside = inside || head->relational != was;
        } else if (wwi_span_is(word, "@end")) {
            inside = false;
        } else if (wwi_span_is(word, "@data")) {
            if (head->points == 0)
                return wwi_text_fail(text, WW_ERROR_FORMAT, word.begin, "there are no numeric attributes");
            if (head->class_column != NO_CLASS && head->class_column != 0 && head->class_column + 1 != head->attributes)
                return wwi_text_fail(text, WW_ERROR_UNSUPPORTED, word.begin,
                                     "the class is neither the first nor the last attribute");
            return WW_OK;
        } else if (!wwi_span_is(word, "@relation")) {
            return wwi_text_fail(text, WW_ERROR_FORMAT, word.begin,
                                 "expected @attribute, @end or @data before the series");
        }
    }
    return wwi_text_fail(text, WW_ERROR_FORMAT, text->line.begin, "there is no line @data");
}

// A channel's values: as many as there are attributes.
static ww_status parse_channel(const wwi_text *text, const header *head, wwi_span channel, wwi_values *values) {
    const size_t before = values->count;
    wwi_span rest = channel, field;
    while (!wwi_values_parse_plain(values, &rest, ',') && wwi_next_field(&rest, ',', false, &field))
        WWI_TRY(wwi_values_parse(values, text, unquoted(field)));
    if (values->count - before != head->points)
        return wwi_text_fail(text, WW_ERROR_FORMAT, channel.begin, "%zu values where the header has %zu attributes",
                             values->count - before, head->points);
    return WW_OK;
}

// The relation's text: channels with "\n" between them.
static ww_status parse_relation(const wwi_text *text, const header *head, wwi_span quoted, wwi_values *values,
                                size_t *channels) {
    const wwi_span inside = unquoted(quoted);
    const char *at = inside.begin;
    if (wwi_span_size(inside) + 2 != wwi_span_size(quoted))
        return wwi_text_fail(text, WW_ERROR_FORMAT, quoted.begin, "expected the channels in quotes");
    while (at < inside.end) {
        const char *stop = memmem(at, (size_t)(inside.end - at), "\\n", 2);
        WWI_TRY(parse_channel(text, head, (wwi_span){at, stop ? stop : inside.end}, values));
        at = stop ? stop + 2 : inside.end;
        ++*channels;
    }
    return WW_OK;
}

// Divides the line in the values' part and the class's field.
static ww_status find_class(const wwi_text *text, const header *head, wwi_span *values, wwi_span *label) {
    const wwi_span line = wwi_span_trim(uncommented(text->line, true));
    *values = line;
    *label = (wwi_span){line.end, line.end};
    if (head->class_column == NO_CLASS || wwi_span_is_empty(line))
        return WW_OK;
    if (head->class_column == 0) {
        wwi_span rest = line;
        if (is_quote(*line.begin))
            take_word(&rest);
        const char *comma = memchr(rest.begin, ',', wwi_span_size(rest));
        if (!comma)
            return wwi_text_fail(text, WW_ERROR_FORMAT, line.end, "expected ',' and values after the class");
        *label = unquoted((wwi_span){line.begin, comma});
        *values = wwi_span_trim((wwi_span){comma + 1, line.end});
        return WW_OK;
    }
    const char *end = line.end;
    if (is_quote(end[-1])) {
        const char *open = memrchr(line.begin, end[-1], wwi_span_size(line) - 1);
        end = open ? open : end;
    }
    const char *comma = memrchr(line.begin, ',', (size_t)(end - line.begin));
    if (!comma)
        return wwi_text_fail(text, WW_ERROR_FORMAT, line.end, "expected ',' and a class after the values");
    *values = wwi_span_trim((wwi_span){line.begin, comma});
    *label = unquoted((wwi_span){comma + 1, line.end});
    return WW_OK;
}

// Takes what is missing in all channels at the end, which pads shorter series; gives the length.
static size_t trim_channels(wwi_values *values, size_t channels, size_t points) {
    size_t length = 0;
    for (size_t c = 0; c < channels; c++)
        for (size_t t = points; t > length; t--)
            if (!isnan(values->data[c * points + t - 1])) {
                length = t;
                break;
            }
    for (size_t c = 1; c < channels && length < points; c++)
        memmove(values->data + c * length, values->data + c * points, length * sizeof *values->data);
    return length;
}

static ww_status parse_line(const wwi_text *text, const header *head, wwi_values *values, size_t *channels,
                            char **label) {
    wwi_span numbers, word;
    *channels = 0;
    values->count = 0;
    if (*wwi_span_trim(text->line).begin == '{')
        return wwi_text_fail(text, WW_ERROR_UNSUPPORTED, text->line.begin, "lines of sparse ARFF are not supported");
    WWI_TRY(find_class(text, head, &numbers, &word));
    if (head->relational) {
        WWI_TRY(parse_relation(text, head, numbers, values, channels));
    } else {
        WWI_TRY(parse_channel(text, head, numbers, values));
        *channels = 1;
    }
    WWI_TRY(wwi_label_parse(word, label));
    if (!*label || head->classes->count == 0 || wwi_class_is_known(head->classes, *label))
        return WW_OK;
    return wwi_text_fail(text, WW_ERROR_FORMAT, word.begin, "the class '%.64s' is not in the header's list", *label);
}

static ww_status read_lines(wwi_text *text, const void *how, ww_series_set **set) {
    const header *head = how;
    WWI_ENDS(wwi_values_free) wwi_values values = {NULL, 0, 0};
    while (wwi_text_next_line(text)) {
        WWI_FREES char *label = NULL;
        size_t channels;
        const wwi_span content = wwi_span_trim(text->line);
        if (wwi_span_is_empty(content) || *content.begin == '%')
            continue;
        WWI_TRY(parse_line(text, head, &values, &channels, &label));
        const size_t length = trim_channels(&values, channels, head->points);
        if (length == 0)
            return wwi_text_fail(text, WW_ERROR_EMPTY, content.begin, "the series has no values");
        if (!*set)
            WWI_TRY(ww_series_set_create(channels, set));
        if (channels != ww_series_set_channels(*set))
            return wwi_text_fail(text, WW_ERROR_CHANNELS, content.begin,
                                 "the series has %zu channels where %zu are expected", channels,
                                 ww_series_set_channels(*set));
        WWI_TRY(ww_series_set_add(*set, length, values.data, label));
    }
    return WW_OK;
}

ww_status wwi_read_arff(wwi_text *text, ww_series_set **set) {
    WWI_ENDS(wwi_class_names_free) wwi_class_names classes = {.count = 0};
    header head = {.class_column = NO_CLASS, .classes = &classes};
    WWI_TRY(parse_header(text, &head));
    return wwi_read_pieces(text, read_lines, &head, set);
}
