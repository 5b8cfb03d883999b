// SPDX-License-Identifier: Apache-2.0
// Tuning parameters: text, one record a line, `match-kind match-text name value`. docs/tuning.md has the rules.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "new_file.h"
#include "tuning_table.h"

static const char *const match_names[WWI_MATCH_COUNT] = {"device", "arch", "vendor", "type", "default"};
static const char *const type_names[] = {[WW_DEVICE_GPU] = "gpu", [WW_DEVICE_CPU] = "cpu", [WW_DEVICE_OTHER] = "other"};

// ---- reading

static void free_record(wwi_tuning_record *record) {
    free(record->text);
    free(record->name);
}

// Removes the last word of the text, which ends at *length. Points at the word's start; the rest is trimmed.
static const char *last_word(const char *text, size_t *length, size_t *word_length) {
    size_t end = *length;
    while (end > 0 && isspace((unsigned char)text[end - 1]))
        end--;
    size_t start = end;
    while (start > 0 && !isspace((unsigned char)text[start - 1]))
        start--;
    *word_length = end - start;
    *length = start;
    while (*length > 0 && isspace((unsigned char)text[*length - 1]))
        (*length)--;
    return text + start;
}

static bool parse_value(const char *word, size_t length, long *value) {
    char digits[24], *end = NULL;
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, word, length);
    digits[length] = '\0';
    errno = 0;
    *value = strtol(digits, &end, 10);
    return errno == 0 && *end == '\0';
}

static bool is_name(const char *word, size_t length) {
    if (length == 0 || !isalpha((unsigned char)word[0]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)word[i]) && word[i] != '.' && word[i] != '_' && word[i] != '-')
            return false;
    return true;
}

static wwi_match find_match(const char *word, size_t length) {
    int match = 0;
    while (match < WWI_MATCH_COUNT &&
           (strlen(match_names[match]) != length || strncmp(match_names[match], word, length) != 0))
        match++;
    return (wwi_match)match;
}

static ww_status fail_line(const char *file, size_t line, const char *what) {
    (void)wwi_fail(WW_ERROR_FORMAT, "%.200s:%zu: %s", file, line, what);
    return wwi_fail_hint("a line is `device|arch|vendor|type TEXT NAME VALUE` or `default NAME VALUE`, VALUE a whole "
                         "number; `#` starts a comment");
}

// Takes what the record has.
static ww_status add_record(wwi_tuning_layer *layer, wwi_tuning_record *record) {
    wwi_tuning_record *records = realloc(layer->records, (layer->count + 1) * sizeof *records);
    if (!records)
        return wwi_fail_memory((layer->count + 1) * sizeof *records);
    layer->records = records;
    records[layer->count++] = *record;
    *record = (wwi_tuning_record){.text = NULL};
    return WW_OK;
}

// A value that the kernels can't have would crash, never end or give a wrong result.
static ww_status check_value(const char *file, size_t line, const char *name, long value) {
    const wwi_tuning_entry *entry = wwi_tuning_find(name);
    if (!entry || wwi_tuning_allows(entry, value))
        return WW_OK;
    (void)wwi_fail(WW_ERROR_FORMAT, "%.200s:%zu: %s is %ld, but must be from %ld to %ld%s", file, line, name, value,
                   entry->least, entry->most, wwi_tuning_values(entry->kind));
    return wwi_fail_hint("docs/tuning.md and `wavewarp tune --list` have all parameters");
}

// The text to match may hold spaces ("NVIDIA H200"), so a line is read from both ends.
static ww_status parse_line(const char *file, size_t number, const char *line, size_t length, wwi_tuning_layer *layer) {
    size_t first = 0, value_length = 0, name_length = 0;
    WWI_ENDS(free_record) wwi_tuning_record record = {.text = NULL};
    while (first < length && !isspace((unsigned char)line[first]))
        first++;
    record.match = find_match(line, first);
    if (record.match == WWI_MATCH_COUNT)
        return fail_line(file, number, "starts with none of device, arch, vendor, type, default");
    const char *rest = line + first;
    size_t rest_length = length - first;
    const char *value = last_word(rest, &rest_length, &value_length);
    const char *name = last_word(rest, &rest_length, &name_length);
    if (!parse_value(value, value_length, &record.value))
        return fail_line(file, number, "does not end with a whole number");
    if (!is_name(name, name_length))
        return fail_line(file, number, "has no parameter name before its value");
    while (rest_length > 0 && isspace((unsigned char)*rest)) {
        rest++;
        rest_length--;
    }
    if ((rest_length == 0) != (record.match == WWI_MATCH_DEFAULT))
        return fail_line(file, number,
                         rest_length == 0 ? "has no text to match"
                                          : "has a text to match, which `default` does not take");
    record.line = number;
    record.text = strndup(rest, rest_length);
    record.name = strndup(name, name_length);
    if (!record.text || !record.name)
        return wwi_fail_memory(length);
    WWI_TRY(check_value(file, number, record.name, record.value));
    return add_record(layer, &record);
}

ww_status wwi_tuning_parse(const char *file, const char *text, wwi_tuning_layer *layer) {
    WWI_ENDS(wwi_tuning_layer_free) wwi_tuning_layer read = {NULL, 0};
    *layer = read;
    for (size_t number = 1; *text; number++) {
        size_t whole = strcspn(text, "\n"), length = strcspn(text, "#\n");
        const char *line = text;
        while (length > 0 && isspace((unsigned char)*line)) {
            line++;
            length--;
        }
        if (length > 0)
            WWI_TRY(parse_line(file, number, line, length, &read));
        text += whole + (text[whole] == '\n');
    }
    *layer = read;
    read = (wwi_tuning_layer){NULL, 0};
    return WW_OK;
}

void wwi_tuning_layer_free(wwi_tuning_layer *layer) {
    for (size_t i = 0; i < layer->count; i++)
        free_record(&layer->records[i]);
    free(layer->records);
    *layer = (wwi_tuning_layer){NULL, 0};
}

static ww_status load_file(const char *path, wwi_tuning_layer *layer) {
    WWI_FREES char *text = NULL;
    WWI_TRY(wwi_file_read(path, WW_ERROR_IO, &text, NULL));
    return wwi_tuning_parse(path, text, layer);
}

// Names that no version of the kernels reads: in the user's own file a slip of the pen.
static ww_status check_names(const char *path, const wwi_tuning_layer *layer) {
    for (size_t i = 0; i < layer->count; i++) {
        const char *name = layer->records[i].name, *closest = wwi_tuning_closest(name);
        if (wwi_tuning_find(name))
            continue;
        (void)wwi_fail(WW_ERROR_FORMAT, "%.200s:%zu: there is no parameter %.64s", path, layer->records[i].line, name);
        return closest ? wwi_fail_hint("did you mean %s? `wavewarp tune --list` names all", closest)
                       : wwi_fail_hint("`wavewarp tune --list` names all parameters");
    }
    return WW_OK;
}

static ww_status load_own(ww_context *context, const char *path) {
    WWI_TRY(load_file(path, &context->tuning[0]));
    return check_names(path, &context->tuning[0]);
}

// The user's own file: named (then it must be there), or at its usual place (then it may be).
static ww_status load_user_layer(ww_context *context, const char *file) {
    const char *named = file && file[0] ? file : wwi_environment("WAVEWARP_TUNING");
    if (named) {
        context->tuning_file = strdup(named);
        return context->tuning_file ? load_own(context, named) : wwi_fail_memory(strlen(named));
    }
    WWI_FREES char *folder = wwi_user_folder("XDG_CONFIG_HOME", ".config");
    if (!folder)
        return WW_OK;
    context->tuning_file = wwi_path_join(folder, "tuning.txt");
    if (!context->tuning_file)
        return wwi_fail_memory(64);
    return access(context->tuning_file, F_OK) == 0 ? load_own(context, context->tuning_file) : WW_OK;
}

static ww_status load_installed_layer(ww_context *context) {
    WWI_FREES char *folder = wwi_installed_folder();
    WWI_FREES char *path = folder ? wwi_path_join(folder, "tuning.txt") : NULL;
    return path && access(path, R_OK) == 0 ? load_file(path, &context->tuning[1]) : WW_OK;
}

ww_status wwi_tuning_load(ww_context *context, const char *file) {
    const char *embedded = wwi_embedded_text("tuning.txt");
    WWI_TRY(load_user_layer(context, file));
    WWI_TRY(load_installed_layer(context));
    return embedded ? wwi_tuning_parse("the built-in tuning.txt", embedded, &context->tuning[2]) : WW_OK;
}

// ---- look-up

static bool is_match(const ww_context *context, const wwi_tuning_record *record) {
    switch (record->match) {
    case WWI_MATCH_DEVICE:
        return strcasecmp(record->text, context->info.name) == 0;
    case WWI_MATCH_ARCH:
        return strcasecmp(record->text, context->arch) == 0;
    case WWI_MATCH_VENDOR:
        return wwi_text_contains(context->info.vendor, record->text);
    case WWI_MATCH_TYPE:
        return strcasecmp(record->text, type_names[context->info.type]) == 0;
    case WWI_MATCH_DEFAULT:
        return true;
    default:
        return false;
    }
}

static bool is_named(const wwi_tuning_record *record, const char *name, const char *kind) {
    size_t length = strlen(name);
    if (strncmp(record->name, name, length) != 0)
        return false;
    const char *suffix = record->name + length;
    return kind ? suffix[0] == '.' && strcmp(suffix + 1, kind) == 0 : suffix[0] == '\0';
}

// For one kind of match and one name of a parameter. Of equal records the last is used.
static bool find_record(const ww_context *context, const wwi_tuning_layer *layer, const wwi_tuning_tried *tried,
                        wwi_match match, const char *name, const char *kind, long *value) {
    const wwi_tuning_record *found = NULL;
    for (; tried && !found; tried = tried->next)
        if (tried->record.match == match && is_named(&tried->record, name, kind) && is_match(context, &tried->record))
            found = &tried->record;
    for (size_t i = layer->count; i-- > 0 && !found;)
        if (layer->records[i].match == match && is_named(&layer->records[i], name, kind) &&
            is_match(context, &layer->records[i]))
            found = &layer->records[i];
    if (found)
        *value = found->value;
    return found != NULL;
}

// In one layer: from the specific to the general; for each kind the parameter with its precision before the one
// without.
static bool find_in_layer(const ww_context *context, const wwi_tuning_layer *layer, const wwi_tuning_tried *tried,
                          const char *name, const char *kind, long *value) {
    for (int match = 0; match < WWI_MATCH_COUNT; match++)
        if ((kind && find_record(context, layer, tried, (wwi_match)match, name, kind, value)) ||
            find_record(context, layer, tried, (wwi_match)match, name, NULL, value))
            return true;
    return false;
}

long wwi_tuning(const ww_context *context, const char *name, const char *kind, long fallback) {
    long value = fallback;
    const wwi_tuning_tried *tried = atomic_load(&context->tried);
    for (size_t i = 0; i < WWI_TUNING_LAYERS; i++)
        if (find_in_layer(context, &context->tuning[i], i == 0 ? tried : NULL, name, kind, &value))
            break;
    return value;
}

// ---- writing

// Whether a line of the user's file is the record that a new one replaces. A line that can't be read is not.
static ww_status compare_record(const char *line, size_t length, const wwi_tuning_record *record, bool *same) {
    WWI_ENDS(wwi_tuning_layer_free) wwi_tuning_layer layer = {NULL, 0};
    WWI_FREES char *text = strndup(line, length);
    const ww_status status = text ? wwi_tuning_parse("", text, &layer) : wwi_fail_memory(length + 1);
    *same = status == WW_OK && layer.count == 1 && layer.records[0].match == record->match &&
            strcasecmp(layer.records[0].text, record->text) == 0 && strcmp(layer.records[0].name, record->name) == 0;
    return status == WW_ERROR_OUT_OF_MEMORY ? status : WW_OK;
}

// Copies all other lines and ends with the new one.
static ww_status edit_text(const char *old, const wwi_tuning_record *record, char **edited, size_t *bytes) {
    size_t capacity = strlen(old) + strlen(record->text) + strlen(record->name) + 64, length = 0;
    WWI_FREES char *text = NULL;
    WWI_TRY(wwi_new(text, capacity));
    while (*old) {
        size_t line = strcspn(old, "\n");
        bool same;
        WWI_TRY(compare_record(old, line, record, &same));
        if (!same) {
            memcpy(text + length, old, line);
            length += line;
            text[length++] = '\n';
        }
        old += line + (old[line] == '\n');
    }
    int more = snprintf(text + length, capacity - length, "%s %s %s %ld\n", match_names[record->match], record->text,
                        record->name, record->value);
    *bytes = length + (more > 0 ? (size_t)more : 0);
    *edited = wwi_taken(&text);
    return WW_OK;
}

static ww_status make_parent(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return WW_OK;
    WWI_FREES char *folder = strndup(path, (size_t)(slash - path));
    return folder ? wwi_make_folders(folder, 0777) : wwi_fail_memory(strlen(path));
}

static ww_status write_user_file(const char *path, const wwi_tuning_record *record) {
    WWI_FREES char *old = NULL, *text = NULL;
    size_t bytes = 0;
    wwi_new_file file;
    if (access(path, F_OK) == 0)
        WWI_TRY(wwi_file_read(path, WW_ERROR_IO, &old, NULL));
    WWI_TRY(edit_text(old ? old : "", record, &text, &bytes));
    WWI_TRY(make_parent(path));
    WWI_TRY(wwi_new_file_open(path, &file));
    const ww_status written = wwi_write_all(file.descriptor, text, bytes)
                                  ? WW_OK
                                  : wwi_fail(WW_ERROR_IO, "%.200s can't be written: %s", path, strerror(errno));
    const ww_status closed = wwi_new_file_close(&file, written == WW_OK);
    return written == WW_OK ? closed : written;
}

static void free_tried(wwi_tuning_tried **tried) {
    if (*tried)
        free_record(&(*tried)->record);
    free(*tried);
}

// A record for exactly this device.
static ww_status make_tried(const ww_context *context, const char *name, const char *kind, long value,
                            wwi_tuning_tried **made) {
    const size_t bytes = strlen(name) + (kind ? strlen(kind) : 0) + 2;
    WWI_ENDS(free_tried) wwi_tuning_tried *tried = NULL;
    WWI_TRY(check_value("this value", 0, name, value));
    WWI_TRY(wwi_new_zeroed(tried, 1));
    wwi_tuning_record *record = &tried->record;
    record->match = WWI_MATCH_DEVICE;
    record->value = value;
    record->text = strdup(context->info.name);
    record->name = malloc(bytes);
    if (!record->text || !record->name)
        return wwi_fail_memory(bytes);
    (void)snprintf(record->name, bytes, "%s%s%s", name, kind ? "." : "", kind ? kind : "");
    *made = wwi_taken(&tried);
    return WW_OK;
}

static void add_tried(ww_context *context, wwi_tuning_tried *tried) {
    tried->next = atomic_load(&context->tried);
    while (!atomic_compare_exchange_weak(&context->tried, &tried->next, tried))
        ;
}

ww_status wwi_tuning_try(ww_context *context, const char *name, const char *kind, long value) {
    wwi_tuning_tried *tried = NULL;
    if (!wwi_tuning_find(name))
        return wwi_fail(WW_ERROR_INTERNAL, "there is no tuning parameter \"%s\"", name);
    WWI_TRY(make_tried(context, name, kind, value, &tried));
    add_tried(context, tried);
    return WW_OK;
}

const wwi_tuning_tried *wwi_tuning_mark(const ww_context *context) {
    return atomic_load(&context->tried);
}

void wwi_tuning_go_back(ww_context *context, const wwi_tuning_tried *mark) {
    for (wwi_tuning_tried *tried; (tried = atomic_load(&context->tried)) != mark; free_tried(&tried))
        atomic_store(&context->tried, tried->next);
}

void wwi_tuning_free(ww_context *context) {
    wwi_tuning_go_back(context, NULL);
    for (size_t i = 0; i < WWI_TUNING_LAYERS; i++)
        wwi_tuning_layer_free(&context->tuning[i]);
    free(context->tuning_file);
}

// What a line can't hold: it would be read as another one, or as none.
static ww_status check_device_name(const char *name) {
    const size_t length = strlen(name);
    if (length > 0 && !strpbrk(name, "#\r\n") && !isspace((unsigned char)name[0]) &&
        !isspace((unsigned char)name[length - 1]))
        return WW_OK;
    (void)wwi_fail(WW_ERROR_UNSUPPORTED, "a tuning file can't name the device \"%.200s\"", name);
    return wwi_fail_hint("write a line for its arch, vendor or type by hand: see docs/tuning.md");
}

ww_status wwi_tuning_save(ww_context *context, const char *name, const char *kind, long value) {
    WWI_ENDS(free_tried) wwi_tuning_tried *tried = NULL;
    if (!context->tuning_file)
        return wwi_fail(WW_ERROR_IO, "there is no place for a tuning file: neither HOME nor WAVEWARP_TUNING is set");
    WWI_TRY(check_device_name(context->info.name));
    WWI_TRY(make_tried(context, name, kind, value, &tried));
    WWI_TRY(write_user_file(context->tuning_file, &tried->record));
    // Later look-ups of the context return the new value.
    add_tried(context, wwi_taken(&tried));
    return WW_OK;
}

const char *wwi_tuning_file(const ww_context *context) {
    return context->tuning_file ? context->tuning_file : "";
}
