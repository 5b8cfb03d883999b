// SPDX-License-Identifier: Apache-2.0
// Journals of long jobs: the file that all of them have, and units of a job that are marked as done.
#include "files/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "files/output.h"
#include "host.h"
#include "options.h"

#define HEAD "wavewarp journal 1\n"
#define RESULT "result "
enum { MOST_BYTES = 1 << 28, MOST_TEXT = 1 << 16, SUM_BYTES = 65 };

static const char *const names[WWI_JOURNAL_TEXTS] = {"job", "inputs", "options", "device"};

void wwi_journal_device(const ww_context *context, char text[WWI_JOURNAL_DEVICE_BYTES]) {
    const ww_device_info *info = wwi_context_info(context);
    snprintf(text, WWI_JOURNAL_DEVICE_BYTES, "%s, %s", info->name, info->driver);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
}

ww_status ww_checksum(const void *bytes, size_t size, char text[65]) {
    if ((!bytes && size) || !text)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_checksum: %s is NULL", text ? "bytes" : "text");
    wwi_checksum_text(bytes ? bytes : "", size, text);
    return WW_OK;
}

// ---- the file

void wwi_journal_add(wwi_journal_lines *lines, const char *format, ...) {
    va_list arguments, again;
    if (lines->status != WW_OK)
        return;
    va_start(arguments, format);
    va_copy(again, arguments);
    const size_t length = (size_t)vsnprintf(NULL, 0, format, arguments);
    lines->status = wwi_grow(&lines->bytes, &lines->capacity, lines->size + length + 1, 1);
    if (lines->status == WW_OK) {
        vsnprintf(lines->bytes + lines->size, length + 1, format, again);
        lines->size += length;
    }
    va_end(again);
    va_end(arguments);
}

void wwi_journal_lines_free(wwi_journal_lines *lines) {
    free(lines->bytes);
}

ww_status wwi_journal_save(const char *path, bool again, const wwi_journal_identity *identity,
                           const wwi_journal_lines *lines) {
    WWI_ENDS(wwi_journal_lines_free) wwi_journal_lines all = {.status = lines->status};
    wwi_output output;
    char sum[SUM_BYTES];
    wwi_journal_add(&all, HEAD "version %s\n", ww_version());
    for (int i = 0; i < WWI_JOURNAL_TEXTS; i++)
        wwi_journal_add(&all, "%s %s\n", names[i], identity->text[i]);
    wwi_journal_add(&all, "%s", lines->bytes ? lines->bytes : "");
    wwi_checksum_text(all.bytes ? all.bytes : "", all.size, sum);
    wwi_journal_add(&all, "%s\n", sum);
    WWI_TRY(all.status);
    WWI_TRY(again ? wwi_output_open_again(path, &output) : wwi_output_open(path, &output));
    wwi_output_bytes(&output, all.bytes, all.size);
    return wwi_output_close(&output, true);
}

ww_status wwi_journal_damaged(const char *path) {
    wwi_fail(WW_ERROR_FORMAT, "%s is not a journal of this version, or is damaged", path);
    return wwi_fail_hint("remove it, or name another file");
}

bool wwi_journal_number(const char **at, uint64_t most, uint64_t *value) {
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    const unsigned long long number = strtoull(*at, &end, 10);
    if (errno || (*end != ' ' && *end != '\n') || number > most)
        return false;
    *at = end + 1;
    *value = number;
    return true;
}

// The text behind `name` in the line at *at, which ends there; NULL: it is another line.
static const char *take_line(char **at, const char *name) {
    const size_t length = strlen(name);
    char *text = *at + length + 1, *end = strchr(*at, '\n');
    if (!end || strncmp(*at, name, length) != 0 || (*at)[length] != ' ' || text > end)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return text;
}

static ww_status parse(const char *path, char *bytes, size_t size, wwi_journal_past *past) {
    char sum[SUM_BYTES];
    const size_t head = strlen(HEAD);
    if (size < head + SUM_BYTES || memcmp(bytes, HEAD, head) != 0 || memchr(bytes, '\0', size))
        return wwi_journal_damaged(path);
    wwi_checksum_text(bytes, size - SUM_BYTES, sum);
    sum[64] = '\n';
    if (memcmp(bytes + size - SUM_BYTES, sum, SUM_BYTES) != 0)
        return wwi_journal_damaged(path);
    bytes[size - SUM_BYTES] = '\0';
    char *at = bytes + head;
    bool good = (past->version = take_line(&at, "version")) != NULL;
    for (int i = 0; good && i < WWI_JOURNAL_TEXTS; i++)
        good = (past->identity.text[i] = take_line(&at, names[i])) != NULL;
    past->lines = at;
    return good ? WW_OK : wwi_journal_damaged(path);
}

static ww_status compare(const char *path, const wwi_journal_past *past, const wwi_journal_identity *wanted,
                         bool any_device) {
    static const char *const hints[] = {"remove it, or name another file",
                                        "give the inputs that it was begun with, or name another file",
                                        "give the options that it was begun with, or name another file",
                                        "use a device of that kind, or allow any device"};
    if (strcmp(past->version, ww_version()) != 0) {
        wwi_fail(WW_ERROR_FORMAT, "%s is of another version: %s; this is %s", path, past->version, ww_version());
        return wwi_fail_hint("go on with that version, or remove it");
    }
    for (int i = 0; i < WWI_JOURNAL_TEXTS; i++) {
        const char *has = past->identity.text[i], *is = wanted->text[i];
        if (strcmp(has, is) == 0 || (i == WWI_JOURNAL_DEVICE && any_device))
            continue;
        if (i == WWI_JOURNAL_JOB || i == WWI_JOURNAL_DEVICE)
            wwi_fail(WW_ERROR_FORMAT, "%s is of another %s: %s; this is %s", path, names[i], has, is);
        else
            wwi_fail(WW_ERROR_FORMAT, "%s belongs to other %s", path, names[i]);
        return wwi_fail_hint("%s", hints[i]);
    }
    return WW_OK;
}

static ww_status read_all(const char *path, char **text, size_t *size) {
    struct stat about;
    if (stat(path, &about) != 0)
        return errno == ENOENT ? WW_OK : wwi_fail(WW_ERROR_IO, "%s can't be opened: %s", path, strerror(errno));
    // Reading a pipe might never end.
    if (!S_ISREG(about.st_mode))
        return wwi_fail(WW_ERROR_IO, "%s is not a file", path);
    if (about.st_size > MOST_BYTES)
        return wwi_journal_damaged(path);
    return wwi_file_read(path, WW_ERROR_IO, text, size);
}

ww_status wwi_journal_load(const char *path, const wwi_journal_identity *wanted, bool any_device,
                           wwi_journal_past *past) {
    WWI_FREES char *text = NULL;
    size_t size = 0;
    *past = (wwi_journal_past){.bytes = NULL};
    WWI_TRY(read_all(path, &text, &size));
    if (!text)
        return WW_OK;
    WWI_TRY(parse(path, text, size, past));
    if (wanted)
        WWI_TRY(compare(path, past, wanted, any_device));
    past->bytes = wwi_taken(&text);
    return WW_OK;
}

// ---- units

typedef struct range {
    uint64_t first, end;
} range;

struct ww_journal {
    char *path;
    char *texts; // of all of the identity
    const char *version;
    wwi_journal_identity identity;
    uint64_t first, count, done, found;
    range *ranges; // in order, apart from each other
    size_t range_count, range_capacity;
    char *result; // NULL: none yet
    bool read_only;
};

// The first range that ends at `unit` or behind it.
static size_t find(const ww_journal *journal, uint64_t unit) {
    size_t low = 0, high = journal->range_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (journal->ranges[middle].end < unit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int ww_journal_has(const ww_journal *journal, uint64_t unit) {
    if (!journal || unit == UINT64_MAX)
        return 0;
    const size_t at = find(journal, unit + 1);
    return at < journal->range_count && journal->ranges[at].first <= unit;
}

ww_status ww_journal_mark(ww_journal *journal, uint64_t first, uint64_t count) {
    WWI_NEEDS("journal", journal);
    if (first < journal->first || first - journal->first > journal->count ||
        count > journal->count - (first - journal->first))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "units %" PRIu64 " to %" PRIu64 " are not of this journal", first,
                        first + count);
    if (count == 0)
        return WW_OK;
    WWI_TRY(wwi_grow(&journal->ranges, &journal->range_capacity, journal->range_count + 1, sizeof *journal->ranges));
    range made = {first, first + count};
    const size_t begin = find(journal, first);
    size_t end = begin;
    for (; end < journal->range_count && journal->ranges[end].first <= made.end; end++) {
        const range *r = &journal->ranges[end];
        journal->done -= r->end - r->first;
        made.first = r->first < made.first ? r->first : made.first;
        made.end = r->end > made.end ? r->end : made.end;
    }
    memmove(journal->ranges + begin + 1, journal->ranges + end, (journal->range_count - end) * sizeof *journal->ranges);
    journal->ranges[begin] = made;
    journal->range_count += begin + 1 - end;
    journal->done += made.end - made.first;
    return WW_OK;
}

static ww_status write_units(ww_journal *journal, bool again) {
    WWI_ENDS(wwi_journal_lines_free) wwi_journal_lines lines = {.bytes = NULL};
    wwi_journal_add(&lines, "%" PRIu64 " %" PRIu64 "\n", journal->first, journal->count);
    for (size_t i = 0; i < journal->range_count; i++)
        wwi_journal_add(&lines, "%" PRIu64 " %" PRIu64 "\n", journal->ranges[i].first, journal->ranges[i].end);
    if (journal->result)
        wwi_journal_add(&lines, RESULT "%s\n", journal->result);
    return wwi_journal_save(journal->path, again, &journal->identity, &lines);
}

ww_status ww_journal_write(ww_journal *journal) {
    if (!journal || journal->read_only)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_journal_write: %s",
                        journal ? "this journal was only read" : "journal is NULL");
    return write_units(journal, true);
}

// The last line, behind its name.
static ww_status take_result(ww_journal *journal, const char *at) {
    const size_t length = strcspn(at, "\n");
    if (at[length] != '\n' || at[length + 1])
        return wwi_journal_damaged(journal->path);
    journal->result = strndup(at, length);
    return journal->result ? WW_OK : wwi_fail_memory(length);
}

static ww_status take_units(ww_journal *journal, const char *at) {
    uint64_t first, end, before = 0;
    if (!wwi_journal_number(&at, UINT64_MAX, &journal->first) ||
        !wwi_journal_number(&at, UINT64_MAX, &journal->count) || journal->count == 0 ||
        journal->first > UINT64_MAX - journal->count)
        return wwi_journal_damaged(journal->path);
    for (; *at && strncmp(at, RESULT, strlen(RESULT)) != 0; before = end) {
        if (!wwi_journal_number(&at, UINT64_MAX, &first) || !wwi_journal_number(&at, UINT64_MAX, &end) ||
            first >= end || first < before || first < journal->first || end > journal->first + journal->count)
            return wwi_journal_damaged(journal->path);
        WWI_TRY(ww_journal_mark(journal, first, end - first));
    }
    journal->found = journal->done;
    return *at ? take_result(journal, at + strlen(RESULT)) : WW_OK;
}

static ww_status make(const char *path, ww_journal **made) {
    WWI_TRY(wwi_new_zeroed(*made, 1));
    (*made)->path = strdup(path);
    return (*made)->path ? WW_OK : wwi_fail_memory(strlen(path) + 1);
}

// Of one that is not given to the caller; the file stays, and the first error is reported.
static void give_up(ww_journal **journal) {
    const ww_status closed = ww_journal_close(journal, 1);
    (void)closed;
}

static bool is_line(const char *text) {
    if (!text)
        return false;
    size_t length = 0;
    for (; text[length]; length++)
        if ((unsigned char)text[length] < ' ' || length >= MOST_TEXT)
            return false;
    return true;
}

// Copies of the texts, which are the journal's.
static ww_status take_identity(ww_journal *journal, const ww_journal_options *o) {
    char device[WWI_JOURNAL_DEVICE_BYTES] = "";
    if (o->context)
        wwi_journal_device(o->context, device);
    const char *given[WWI_JOURNAL_TEXTS] = {o->job, o->inputs, o->options, device};
    size_t bytes = 0;
    for (int i = 0; i < WWI_JOURNAL_TEXTS; i++) {
        if (!is_line(given[i]))
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a journal's %s is no line of text", names[i]);
        bytes += strlen(given[i]) + 1;
    }
    WWI_TRY(wwi_new(journal->texts, bytes));
    char *at = journal->texts;
    for (int i = 0; i < WWI_JOURNAL_TEXTS; i++) {
        journal->identity.text[i] = strcpy(at, given[i]);
        at += strlen(at) + 1;
    }
    journal->version = ww_version();
    journal->first = o->first_unit;
    journal->count = o->unit_count;
    return o->unit_count && o->first_unit <= UINT64_MAX - o->unit_count
               ? WW_OK
               : wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a journal of no units, or too many");
}

// Goes on with what is there.
static ww_status resume(ww_journal *journal, const ww_journal_options *o, const wwi_journal_past *past) {
    if (!o->resume) {
        wwi_fail(WW_ERROR_IO, "%s is there: a run that did not end left it", journal->path);
        return wwi_fail_hint("resume that run, or remove the file");
    }
    const uint64_t first = journal->first, count = journal->count;
    WWI_TRY(take_units(journal, past->lines));
    if (journal->first != first || journal->count != count)
        return wwi_fail(WW_ERROR_FORMAT,
                        "%s is of another part: units %" PRIu64 " to %" PRIu64 ", not %" PRIu64 " to %" PRIu64,
                        journal->path, journal->first, journal->first + journal->count, first, first + count);
    return WW_OK;
}

ww_status ww_journal_set_result(ww_journal *journal, const char *result) {
    WWI_NEEDS("journal", journal);
    if (!is_line(result) || !*result)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a journal's result is no line of text");
    char *copy = strdup(result);
    if (!copy)
        return wwi_fail_memory(strlen(result) + 1);
    free(journal->result);
    journal->result = copy;
    return WW_OK;
}

ww_status ww_journal_open(const char *path, const ww_journal_options *given, ww_journal **out) {
    ww_journal_options o = WW_JOURNAL_OPTIONS_INIT;
    WWI_ENDS(give_up) ww_journal *journal = NULL;
    wwi_journal_past past;
    if (out)
        *out = NULL;
    WWI_NEEDS("journal, path, options", out, path, given);
    WWI_TRY(wwi_options_take(&o, given, "ww_journal_options"));
    WWI_TRY(make(path, &journal));
    WWI_TRY(take_identity(journal, &o));
    WWI_TRY(wwi_journal_load(path, &journal->identity, o.any_device != 0, &past));
    WWI_FREES char *bytes = past.bytes;
    if (bytes)
        WWI_TRY(resume(journal, &o, &past));
    WWI_TRY(write_units(journal, false));
    *out = wwi_taken(&journal);
    return WW_OK;
}

ww_status ww_journal_read(const char *path, ww_journal **out) {
    WWI_ENDS(give_up) ww_journal *journal = NULL;
    wwi_journal_past past;
    if (out)
        *out = NULL;
    if (!out || !path)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_journal_read: %s is NULL", out ? "path" : "journal");
    WWI_TRY(make(path, &journal));
    WWI_TRY(wwi_journal_load(path, NULL, true, &past));
    if (!past.bytes)
        return wwi_fail(WW_ERROR_IO, "%s: there is no such journal", path);
    journal->texts = past.bytes;
    journal->version = past.version;
    journal->identity = past.identity;
    journal->read_only = true;
    WWI_TRY(take_units(journal, past.lines));
    *out = wwi_taken(&journal);
    return WW_OK;
}

ww_status ww_journal_get_info(const ww_journal *journal, ww_journal_info *info) {
    WWI_NEEDS("journal, info", journal, info);
    const char *const *text = journal->identity.text;
    const ww_journal_info own = {sizeof own,
                                 journal->version,
                                 text[WWI_JOURNAL_JOB],
                                 text[WWI_JOURNAL_INPUTS],
                                 text[WWI_JOURNAL_OPTIONS],
                                 text[WWI_JOURNAL_DEVICE],
                                 journal->first,
                                 journal->count,
                                 journal->done,
                                 journal->found,
                                 journal->result ? journal->result : ""};
    return wwi_struct_give(info, &own, "ww_journal_info");
}

ww_status ww_journal_close(ww_journal **journal, int keep) {
    ww_journal *j = wwi_taken(journal);
    ww_status status = WW_OK;
    if (!j)
        return WW_OK;
    if (!keep && !j->read_only && unlink(j->path) != 0 && errno != ENOENT)
        status = wwi_fail(WW_ERROR_IO, "%s can't be removed: %s", j->path, strerror(errno));
    free(j->path);
    free(j->texts);
    free(j->ranges);
    free(j->result);
    free(j);
    return status;
}
