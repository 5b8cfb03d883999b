// SPDX-License-Identifier: Apache-2.0
// A file in memory; its lines, fields, numbers and labels.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "files/byte_source.h"
#include "files/number.h"
#include "files/read.h"
#include "files/unpack.h"
#include "host.h"

#define AT_ONCE ((size_t)1 << 22) // bytes that are asked of the system: some milliseconds
#define UNASKED ((size_t)1 << 16) // bytes of text that are parsed between two questions whether to go on

bool wwi_text_goes_on(const wwi_text *text) {
    if (wwi_interrupted() != WW_OK)
        atomic_store(text->stop, true);
    return !atomic_load(text->stop);
}

ww_status wwi_text_ended(const wwi_text *text, ww_status status) {
    return atomic_load(text->stop) ? wwi_fail(WW_ERROR_CANCELLED, "%s: its reading was interrupted", text->name)
                                   : status;
}

// A regular file of known size, by several threads: copying from the system's cache is most of the time of reading.
typedef struct shares {
    int file;
    unsigned count;
    wwi_text *text;
    size_t size;
    size_t got[WWI_MOST_THREADS];
} shares;

static void read_share(void *user, unsigned index) {
    shares *s = user;
    const size_t each = s->size / s->count, begin = index * each;
    const size_t end = index + 1 < s->count ? begin + each : s->size;
    size_t at = begin;
    for (ssize_t got = 1; at < end && got != 0 && wwi_text_goes_on(s->text);) {
        got = pread(s->file, s->text->bytes + at, end - at < AT_ONCE ? end - at : AT_ONCE, (off_t)at);
        if (got > 0)
            at += (size_t)got;
        else if (got < 0 && errno != EINTR)
            break;
    }
    s->got[index] = at - begin;
}

// The beginning of the file, as far as it could be read so; read_all() does the rest, or finds what is wrong.
static ww_status read_shares(wwi_text *text, int file, size_t size, size_t *capacity) {
    shares s = {.file = file, .count = wwi_read_threads(0, size / 4), .text = text, .size = size};
    if (s.count < 2 || lseek(file, 0, SEEK_CUR) != 0)
        return WW_OK;
    WWI_TRY(wwi_grow(&text->bytes, capacity, size + 2 + WWI_NUMBER_SLACK, 1));
    wwi_in_threads(s.count, read_share, &s);
    const size_t each = size / s.count;
    for (unsigned i = 0; i < s.count; i++) {
        text->size += s.got[i];
        if (s.got[i] != (i + 1 < s.count ? each : size - i * each))
            break;
    }
    if (lseek(file, (off_t)text->size, SEEK_SET) < 0)
        return wwi_fail(WW_ERROR_IO, "%s: can't be read: %s", text->name, strerror(errno));
    return WW_OK;
}

static ww_status read_all(wwi_text *text, int file, bool regular, size_t expected) {
    size_t capacity = 0;
    if (regular)
        WWI_TRY(read_shares(text, file, expected, &capacity));
    // One byte more than expected shows the end of the file without another allocation; one more for the NUL.
    const size_t beyond = 1 + WWI_NUMBER_SLACK;
    WWI_TRY(wwi_grow(&text->bytes, &capacity, expected + 1 + beyond, 1));
    for (ssize_t got = 1; got != 0 && wwi_text_goes_on(text);) {
        if (capacity - text->size < 1 + beyond)
            WWI_TRY(wwi_grow(&text->bytes, &capacity, text->size + 65536, 1));
        const size_t room = capacity - text->size - beyond;
        got = read(file, text->bytes + text->size, room < AT_ONCE ? room : AT_ONCE);
        if (got < 0 && errno != EINTR)
            return wwi_fail(WW_ERROR_IO, "%s: can't be read: %s", text->name, strerror(errno));
        text->size += got > 0 ? (size_t)got : 0;
    }
    memset(text->bytes + text->size, 0, beyond);
    return WW_OK;
}

// Opens "-", a file, or the archive that `member` is in.
static ww_status open_file(const wwi_text *text, const char *path, const char *member, int *file) {
    if (strcmp(path, "-") == 0) {
        *file = STDIN_FILENO;
        return WW_OK;
    }
    WWI_FREES char *archive = member ? strndup(path, (size_t)(member - path)) : NULL;
    if (member && !archive)
        return wwi_fail_memory(strlen(path));
    *file = open(archive ? archive : path, O_RDONLY | O_CLOEXEC);
    return *file >= 0 ? WW_OK : wwi_fail(WW_ERROR_IO, "%s: can't be opened: %s", text->name, strerror(errno));
}

// What both kinds of opening end with: `member` of an archive, or NULL.
static ww_status end_open(wwi_text *text, const char *member) {
    WWI_TRY(wwi_text_unpack(text, member ? member + 1 : NULL));
    wwi_text_rewind(text);
    return text->size ? WW_OK : wwi_fail(WW_ERROR_EMPTY, "%s: the file is empty", text->name);
}

static ww_status read_file(wwi_text *text, int file, const char *member) {
    struct stat about;
    if (fstat(file, &about) != 0)
        return wwi_fail(WW_ERROR_IO, "%s: can't be opened: %s", text->name, strerror(errno));
    if (!(text->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0)))
        return wwi_fail_memory(sizeof(locale_t));
    const bool regular = S_ISREG(about.st_mode) && about.st_size > 0;
    WWI_TRY(wwi_text_ended(text, read_all(text, file, regular, regular ? (size_t)about.st_size : 65536)));
    return end_open(text, member);
}

void wwi_text_init(wwi_text *text, const char *name) {
    memset(text, 0, sizeof *text);
    text->name = name;
    text->c_locale = (locale_t)0;
    text->threads = 1;
    atomic_init(&text->stopped, false);
    text->stop = &text->stopped;
}

ww_status wwi_text_open(const char *path, wwi_text *text) {
    const bool standard = strcmp(path, "-") == 0;
    const char *member = standard ? NULL : wwi_member_of(path);
    int file = -1;
    wwi_text_init(text, standard ? "standard input" : path);
    WWI_TRY(open_file(text, path, member, &file));
    const ww_status status = read_file(text, file, member);
    if (!standard)
        close(file);
    return status;
}

ww_status wwi_text_open_source(wwi_byte_source *source, wwi_text *text) {
    const size_t beyond = 1 + WWI_NUMBER_SLACK;
    const char *member = wwi_member_of(source->name);
    size_t capacity = 0;
    wwi_text_init(text, source->name);
    if (!(text->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0)))
        return wwi_fail_memory(sizeof(locale_t));
    for (size_t got = 1; got > 0 && !source->ended;) {
        WWI_TRY(wwi_grow(&text->bytes, &capacity, text->size + 65536 + beyond, 1));
        got = wwi_byte_source_read(source, text->bytes + text->size, capacity - text->size - beyond);
        text->size += got;
    }
    WWI_TRY(source->status);
    memset(text->bytes + text->size, 0, beyond);
    return end_open(text, member);
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
    if (wwi_text_begins(text, "\xEF\xBB\xBF"))
        text->cursor += 3;
    text->line = (wwi_span){text->cursor, text->cursor};
    text->line_number = 0;
    text->unasked = 0;
}

// ---- quotes (RFC 4180): a doubled one in a field in quotes is one; separators and ends of lines there are text

// The quote that closes a field, whose first character is `at`; NULL: there is none.
static const char *closing_quote(const char *at, const char *end) {
    while ((at = memchr(at, '"', (size_t)(end - at))) && at + 1 < end && at[1] == '"')
        at += 2;
    return at;
}

static bool ends_field(const char *after, const char *end) {
    return after >= end || memchr(" \t;,\r\n", *after, 6);
}

// The end of the row that begins so, whose first line ends at `line_end`.
static const char *row_end(wwi_text *text, const char *begin, const char *line_end) {
    enum { MOST_FIELD = 1 << 20 };
    const char *end = text->bytes + text->size, *at = begin;
    while (at < line_end && (at = memchr(at, '"', (size_t)(line_end - at)))) {
        const bool opens = at == begin || memchr(" \t;,", at[-1], 4);
        if (!opens || at < text->unclosed) {
            at++;
            continue;
        }
        const char *most = end - at > MOST_FIELD ? at + MOST_FIELD : end, *close = closing_quote(at + 1, most);
        if (!close)
            text->unclosed = most;
        if (!close || !ends_field(close + 1, end))
            return line_end;
        if (close > line_end) {
            const char *stop = memchr(close, '\n', (size_t)(end - close));
            line_end = stop ? stop : end;
        }
        at = close + 1;
    }
    return line_end;
}

void wwi_text_find_rows(wwi_text *text) {
    wwi_text at = *text;
    text->spans = false;
    if (!memchr(text->bytes, '"', text->size))
        return;
    at.spans = true;
    at.unclosed = at.bytes;
    while (!text->spans && wwi_text_next_line(&at))
        text->spans = memchr(at.line.begin, '\n', wwi_span_size(at.line)) != NULL;
    text->unclosed = text->bytes;
    text->threads = text->spans ? 1 : text->threads;
}

char *wwi_field_text(wwi_span field) {
    char *copy = strndup(field.begin, wwi_span_size(field));
    if (!copy || *field.end != '"')
        return copy;
    char *to = copy;
    for (const char *from = copy; *from; from++) {
        from += from[0] == '"' && from[1] == '"';
        *to++ = *from;
    }
    *to = '\0';
    return copy;
}

bool wwi_field_is(wwi_span field, wwi_span word) {
    WWI_FREES char *text = wwi_field_text(field);
    return text && strlen(text) == wwi_span_size(word) && strncasecmp(text, word.begin, wwi_span_size(word)) == 0;
}

bool wwi_text_next_line(wwi_text *text) {
    const char *end = text->bytes + text->size;
    if (text->cursor >= end)
        return false;
    const size_t at = (size_t)(text->cursor - text->bytes);
    if (at >= text->unasked) {
        if (!wwi_text_goes_on(text))
            return false;
        text->unasked = at + UNASKED;
    }
    const char *stop = memchr(text->cursor, '\n', (size_t)(end - text->cursor));
    const char *line_end = stop ? stop : end;
    if (text->spans) {
        const char *first = line_end;
        line_end = row_end(text, text->cursor, line_end);
        stop = line_end < end ? line_end : NULL;
        for (; first < line_end; first++)
            text->line_number += *first == '\n';
    }
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

bool wwi_text_next_content(wwi_text *text) {
    while (wwi_text_next_line(text)) {
        const wwi_span content = wwi_span_trim(text->line);
        if (!wwi_span_is_empty(content) && *content.begin != '#')
            return true;
    }
    return false;
}

bool wwi_span_is(wwi_span span, const char *word) {
    return wwi_span_size(span) == strlen(word) && strncasecmp(span.begin, word, wwi_span_size(span)) == 0;
}

// The field in quotes that starts at rest->begin, if there is a whole one.
static bool quoted_field(wwi_span *rest, char separator, wwi_span *field) {
    const wwi_span inside = wwi_span_trim(*rest);
    if (wwi_span_is_empty(inside) || *inside.begin != '"')
        return false;
    const char *close = closing_quote(inside.begin + 1, inside.end);
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
    const char *scanned = wwi_number_scan(field.begin, value);
    if (scanned)
        return scanned == field.end;
    // "inf" and "nan" in their spellings, and what takes many digits; strtod also accepts blanks and hexadecimal
    // numbers: neither comes here, since a field is trimmed and the scan takes the 0 of 0x.
    char *end;
    *value = strtod_l(field.begin, &end, c_locale);
    return end == field.end && end != field.begin;
}

bool wwi_values_parse_plain(wwi_values *values, wwi_span *rest, char separator) {
    const char *at = rest->begin;
    const bool blanks = separator == ' ';
    if (!at)
        return true;
    for (;;) {
        const char *from = at;
        double value;
        while (*from == ' ' || (blanks && *from == '\t'))
            from++;
        const char *stop = wwi_number_scan(from, &value);
        if (!stop || stop > rest->end)
            break;
        while (!blanks && stop < rest->end && *stop == ' ')
            stop++;
        const bool last = stop == rest->end;
        if (!last && *stop != separator && !(blanks && is_blank(*stop)))
            break;
        if (values->count == values->capacity)
            break; // the caller enlarges it
        values->data[values->count++] = value;
        if (last && !blanks) {
            rest->begin = NULL;
            return true;
        }
        at = last ? stop : stop + 1;
    }
    rest->begin = at;
    return false;
}

bool wwi_is_missing(wwi_span field) {
    static const char *const words[] = {"?",   "NA",  "N/A",    "NULL",    "None",    "#N/A",    "<NA>",
                                        "#NA", "NaT", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"};
    enum { LONGEST = 8 };
    if (wwi_span_is_empty(field))
        return true;
    for (size_t i = 0; wwi_span_size(field) <= LONGEST && i < sizeof words / sizeof *words; i++)
        if (wwi_span_is(field, words[i]))
            return true;
    return false;
}

ww_status wwi_values_append(wwi_values *values, double value) {
    WWI_TRY(wwi_grow(&values->data, &values->capacity, values->count + 1, sizeof *values->data));
    values->data[values->count++] = value;
    return WW_OK;
}

static bool has_digits(wwi_span line) {
    for (const char *at = line.begin; at < line.end; at++)
        if (*at >= '0' && *at <= '9')
            return true;
    return false;
}

ww_status wwi_values_parse(wwi_values *values, const wwi_text *text, wwi_span field) {
    double value = NAN;
    if (!wwi_is_missing(field) && !wwi_number_parse(field, text->c_locale, &value)) {
        wwi_text_fail(text, WW_ERROR_FORMAT, field.begin, "'%.*s' is not a number", WWI_SHOWN(field, 40));
        if (memchr(field.begin, ',', wwi_span_size(field)))
            return wwi_fail_hint("the decimal sign is a point");
        return has_digits(text->line) ? WW_ERROR_FORMAT
                                      : wwi_fail_hint("sequences of characters, one a line, are read with the format "
                                                      "text: --format text");
    }
    return wwi_values_append(values, value);
}

ww_status wwi_label_parse(wwi_span field, char **label) {
    *label = NULL;
    if (wwi_span_is_empty(field) || wwi_span_is(field, "?"))
        return WW_OK;
    char plain[WWI_PLAIN_LABEL];
    WWI_FREES char *copy = wwi_field_text(field);
    if (!copy)
        return wwi_fail_memory(wwi_span_size(field) + 1);
    *label = wwi_label_make_plain(copy, plain) ? strdup(plain) : wwi_taken(&copy);
    return *label ? WW_OK : wwi_fail_memory(sizeof plain);
}

ww_status wwi_label_add(wwi_span field, wwi_class_names *names) {
    WWI_FREES char *label = NULL;
    long number;
    WWI_TRY(wwi_label_parse(field, &label));
    return label ? wwi_class_of_name(names, label, &number) : WW_OK;
}
