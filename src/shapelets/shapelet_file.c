// SPDX-License-Identifier: Apache-2.0
// Models of shapelets as JSON, in files or by functions of the caller's: written here, read by jansson (where the
// library was built with it), every number checked against every other.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "files/byte_source.h"
#include "files/output.h"
#include "files/read_symbols.h"
#include "shapelets/shapelet_model.h"

#define FORMAT "wavewarp-shapelets"
enum { VERSION = 1 };

static const char *const ops[] = {"and", "or"};

// ---- writing

// Bytes of the character at `at`; 0 where it is not well-formed. The NUL at a text's end ends every character.
static size_t utf8_length(const char *at) {
    uint32_t point;
    return wwi_utf8_decode((const unsigned char *)at, 4, &point);
}

static bool is_utf8(const char *text) {
    size_t length = 1;
    for (; *text && length > 0; text += length)
        length = utf8_length(text);
    return length > 0;
}

// A label: bytes that are not UTF-8 become the Latin-1 characters of their numbers.
static void write_text(wwi_output *out, const char *text) {
    wwi_output_text(out, "\"");
    for (const char *at = text; *at;) {
        const size_t length = utf8_length(at);
        if (length > 1 || (length == 1 && *at >= 0x20 && *at != '"' && *at != '\\' && *at != 0x7f)) {
            wwi_output_bytes(out, at, length);
            at += length;
        } else {
            wwi_output_print(out, "\\u%04x", (unsigned)(unsigned char)*at++);
        }
    }
    wwi_output_text(out, "\"");
}

// The labels byte by byte, where JSON's text can't have one of them: they are to be equal to those of other files.
static void write_bytes(wwi_output *out, const ww_shapelets *m) {
    size_t plain = 0;
    while (plain < m->class_count && is_utf8(m->names[plain]))
        plain++;
    if (plain == m->class_count)
        return;
    wwi_output_text(out, "],\n  \"class_bytes\": [");
    for (size_t k = 0; k < m->class_count; k++) {
        wwi_output_text(out, k ? ", \"" : "\"");
        for (const char *at = m->names[k]; *at; at++)
            wwi_output_print(out, "%02x", (unsigned)(unsigned char)*at);
        wwi_output_text(out, "\"");
    }
}

static void write_shapelet(wwi_output *out, const ww_shapelets *m, const wwi_shapelet *s) {
    wwi_output_print(out, "    {\"series\": %zu, \"start\": %zu, \"length\": %zu, \"class\": %zu, \"op\": \"%s\", ",
                     s->series, s->start, s->length, s->label, ops[s->op]);
    wwi_output_print(out, "\"quality\": %.17g, \"gain\": %.17g, \"gap\": %.17g, \"threshold\": %.17g,\n", s->quality,
                     s->gain, s->gap, s->threshold);
    wwi_output_text(out, "     \"values\": [");
    for (size_t ch = 0; ch < m->channels; ch++) {
        wwi_output_text(out, ch ? ",\n      [" : "[");
        for (size_t t = 0; t < s->length; t++)
            wwi_output_print(out, "%s%.17g", t ? ", " : "", s->values[ch * s->length + t]);
        wwi_output_text(out, "]");
    }
    wwi_output_text(out, "]}");
}

static void write_node(wwi_output *out, const ww_shapelet_node *n) {
    wwi_output_print(out, "    {\"depth\": %zu, \"series\": %zu, \"class\": %zu", n->depth, n->series, n->label);
    if (n->left >= 0)
        wwi_output_print(out,
                         ", \"left\": %" PRId64 ", \"right\": %" PRId64 ", \"first\": %zu, \"terms\": %zu, "
                         "\"threshold\": %.17g, \"gain\": %.17g, \"gap\": %.17g",
                         n->left, n->right, n->first, n->terms, n->threshold, n->gain, n->gap);
    wwi_output_text(out, "}");
}

static ww_status write_model(const ww_shapelets *m, wwi_output *out) {
    wwi_output_print(out, "{\n  \"format\": \"" FORMAT "\",\n  \"version\": %d,\n  \"quality\": \"%s\",\n", VERSION,
                     ww_word(WW_WORD_SHAPELET_QUALITY, m->quality));
    wwi_output_print(out, "  \"raw\": %s,\n  \"unscaled\": %s,\n", m->raw ? "true" : "false",
                     m->unscaled ? "true" : "false");
    wwi_output_print(out, "  \"channels\": %zu,\n  \"train\": %zu,\n  \"best\": %zu,\n  \"classes\": [", m->channels,
                     m->train, m->best);
    for (size_t k = 0; k < m->class_count; k++) {
        wwi_output_text(out, k ? ", " : "");
        write_text(out, m->names[k]);
    }
    write_bytes(out, m);
    wwi_output_text(out, "],\n  \"nodes\": [");
    for (size_t i = 0; i < m->node_count; i++) {
        wwi_output_text(out, i ? ",\n" : "\n");
        write_node(out, &m->nodes[i]);
    }
    wwi_output_text(out, "],\n  \"shapelets\": [");
    for (size_t i = 0; i < m->shapelet_count; i++) {
        wwi_output_text(out, i ? ",\n" : "\n");
        write_shapelet(out, m, &m->shapelets[i]);
    }
    wwi_output_text(out, "]\n}\n");
    return wwi_output_close(out, true);
}

ww_status ww_shapelets_write(const ww_shapelets *m, const char *path) {
    wwi_output out;
    WWI_NEEDS("shapelets, path", m, path);
    WWI_TRY(wwi_output_open(path, &out));
    return write_model(m, &out);
}

ww_status ww_shapelets_write_to(const ww_shapelets *m, ww_write_fn write, void *user) {
    wwi_output out;
    WWI_NEEDS("shapelets, write", m, write);
    WWI_TRY(wwi_output_open_to(write, user, &out));
    return write_model(m, &out);
}

// ---- reading

#if WWI_JANSSON
#include <jansson.h>

enum { MOST = INT32_MAX / 2 };

static ww_status wrong(const char *path, const char *what) {
    return wwi_fail(WW_ERROR_FORMAT, "%s: %s", path, what);
}

static bool get_count(const json_t *of, const char *name, uint64_t least, uint64_t most, size_t *value) {
    const json_t *number = json_object_get(of, name);
    const json_int_t count = json_integer_value(number);
    *value = (size_t)count;
    return json_is_integer(number) && count >= 0 && *value >= least && *value <= most;
}

static bool get_amount(const json_t *of, const char *name, double *value) {
    const json_t *number = json_object_get(of, name);
    *value = json_number_value(number);
    return json_is_number(number) && isfinite(*value) && *value >= 0;
}

static bool get_flag(const json_t *of, const char *name, bool *value) {
    const json_t *flag = json_object_get(of, name);
    *value = json_is_true(flag);
    return json_is_boolean(flag);
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// A label of pairs of hexadecimal digits, in place. False: it is none.
static bool take_bytes(char *name) {
    const size_t count = strlen(name) / 2;
    if (strlen(name) % 2)
        return false;
    for (size_t i = 0; i < count; i++) {
        const int high = digit(name[2 * i]), low = digit(name[2 * i + 1]);
        if (high < 0 || low < 0 || high + low == 0)
            return false;
        name[i] = (char)(unsigned char)(16 * high + low);
    }
    name[count] = '\0';
    return true;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static ww_status read_classes(const json_t *root, const char *path, ww_shapelets *m) {
    const json_t *classes = json_object_get(root, "classes");
    const json_t *bytes = json_object_get(root, "class_bytes");
    const size_t count = json_array_size(classes);
    if (count < 2 || count >> 16)
        return wrong(path, "\"classes\" is not a list of at least two names");
    if (bytes && json_array_size(bytes) != count)
        return wrong(path, "\"class_bytes\" has not as many names as \"classes\"");
    WWI_FREES char **sorted = NULL;
    WWI_TRY(wwi_new(sorted, count));
    WWI_TRY(wwi_new_zeroed(m->names, count));
    m->class_count = count;
    for (size_t k = 0; k < count; k++) {
        const char *name = json_string_value(json_array_get(bytes ? bytes : classes, k));
        if (!name)
            return wrong(path, "\"classes\" holds something that is not a name");
        if (!(m->names[k] = strdup(name)))
            return wwi_fail_memory(strlen(name));
        if (bytes && !take_bytes(m->names[k]))
            return wrong(path, "\"class_bytes\" holds something that is no list of bytes");
    }
    memcpy(sorted, m->names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t k = 1; k < count; k++)
        if (strcmp(sorted[k - 1], sorted[k]) == 0)
            return wrong(path, "two of \"classes\" are the same");
    return WW_OK;
}

static ww_status read_values(const json_t *of, const char *path, const ww_shapelets *m, wwi_shapelet *s) {
    const json_t *values = json_object_get(of, "values");
    if (json_array_size(values) != m->channels)
        return wrong(path, "a shapelet's \"values\" are not as many lists as there are channels");
    // Lists of these sizes exist in the file, so the memory is of its order.
    for (size_t ch = 0; ch < m->channels; ch++)
        if (json_array_size(json_array_get(values, ch)) != s->length)
            return wrong(path, "a list of a shapelet's \"values\" is not as long as its \"length\" says");
    WWI_TRY(wwi_new(s->values, m->channels * s->length));
    for (size_t ch = 0; ch < m->channels; ch++)
        for (size_t t = 0; t < s->length; t++) {
            const json_t *value = json_array_get(json_array_get(values, ch), t);
            s->values[ch * s->length + t] = json_number_value(value);
            if (!json_is_number(value) || !isfinite(json_number_value(value)))
                return wrong(path, "a shapelet's \"values\" hold something that is not a number");
        }
    return WW_OK;
}

// One of the model's, whose values are not read yet.
static ww_status read_shapelet(const json_t *of, const char *path, const ww_shapelets *m, wwi_shapelet *s) {
    const char *op = json_string_value(json_object_get(of, "op"));
    if (!get_count(of, "series", 0, m->train - 1, &s->series) || !get_count(of, "start", 0, MOST, &s->start) ||
        !get_count(of, "length", 2, MOST, &s->length) || !get_count(of, "class", 0, m->class_count - 1, &s->label))
        return wrong(path, "a shapelet's \"series\", \"start\", \"length\" or \"class\" is missing or out of range");
    if (!op || (strcmp(op, ops[0]) != 0 && strcmp(op, ops[1]) != 0))
        return wrong(path, "a shapelet's \"op\" is neither and nor or");
    s->op = strcmp(op, ops[1]) == 0 ? WW_SHAPELET_OR : WW_SHAPELET_AND;
    if (!get_amount(of, "quality", &s->quality) || !get_amount(of, "gain", &s->gain) ||
        !get_amount(of, "gap", &s->gap) || !get_amount(of, "threshold", &s->threshold))
        return wrong(path, "a shapelet's \"quality\", \"gain\", \"gap\" or \"threshold\" is missing or negative");
    return WW_OK;
}

static ww_status read_shapelets(const json_t *root, const char *path, ww_shapelets *m) {
    const json_t *list = json_object_get(root, "shapelets");
    const size_t count = json_array_size(list);
    if (!json_is_array(list))
        return wrong(path, "\"shapelets\" is not a list");
    if (count)
        WWI_TRY(wwi_new_zeroed(m->shapelets, count));
    for (size_t i = 0; i < count; i++) {
        const json_t *of = json_array_get(list, i);
        m->shapelet_count++;
        WWI_TRY(read_shapelet(of, path, m, &m->shapelets[i]));
        WWI_TRY(read_values(of, path, m, &m->shapelets[i]));
    }
    return WW_OK;
}

// Gives a node its shapelets. False where there are none such, or one belongs to another node or to the best.
static bool take_terms(const ww_shapelets *m, const ww_shapelet_node *n, bool *taken) {
    if (n->terms > m->shapelet_count || n->first > m->shapelet_count - n->terms)
        return false;
    for (size_t t = n->first; t < n->first + n->terms; t++) {
        if (taken[t])
            return false;
        taken[t] = true;
    }
    return true;
}

// The split of a node that is no leaf.
static ww_status read_split(const json_t *of, const char *path, const ww_shapelets *m, ww_shapelet_node *n,
                            bool *taken) {
    if (!get_count(of, "terms", 1, 8, &n->terms) || !get_count(of, "first", 0, m->shapelet_count, &n->first) ||
        !take_terms(m, n, taken))
        return wrong(path, "a node's \"first\" and \"terms\" are not shapelets of its own");
    if (!get_amount(of, "threshold", &n->threshold) || !get_amount(of, "gain", &n->gain) ||
        !get_amount(of, "gap", &n->gap))
        return wrong(path, "a node's \"threshold\", \"gain\" or \"gap\" is missing or negative");
    const wwi_shapelet *last = &m->shapelets[n->first + n->terms - 1];
    if (last->threshold != n->threshold || last->gain != n->gain || last->gap != n->gap)
        return wrong(path, "a node's \"threshold\", \"gain\" or \"gap\" is not that of its last shapelet");
    if (m->shapelets[n->first].op != WW_SHAPELET_AND)
        return wrong(path, "a node's first shapelet is joined by or, but to nothing");
    n->op = last->op;
    return WW_OK;
}

// Node `i`. taken: of each shapelet, whether it is one of the best or a node's before this one.
static ww_status read_node(const json_t *of, const char *path, ww_shapelets *m, size_t i, bool *taken) {
    size_t left, right;
    ww_shapelet_node *n = &m->nodes[i];
    *n = (ww_shapelet_node)WW_SHAPELET_NODE_INIT;
    if (!get_count(of, "depth", 0, m->node_count, &n->depth) || !get_count(of, "series", 1, m->train, &n->series) ||
        !get_count(of, "class", 0, m->class_count - 1, &n->label))
        return wrong(path, "a node's \"depth\", \"series\" or \"class\" is missing or out of range");
    if (!json_object_get(of, "left") && !json_object_get(of, "right"))
        return WW_OK;
    if (!get_count(of, "left", i + 1, m->node_count - 1, &left) ||
        !get_count(of, "right", i + 1, m->node_count - 1, &right) || left == right)
        return wrong(path, "a node's \"left\" or \"right\" is no later node");
    n->left = (int64_t)left;
    n->right = (int64_t)right;
    return read_split(of, path, m, n, taken);
}

// Whether the nodes are a tree, whose root has all series.
static ww_status check_tree(const char *path, const ww_shapelets *m) {
    WWI_FREES char *named = NULL; // how often each node is
    WWI_TRY(wwi_new_zeroed(named, m->node_count));
    if (m->nodes[0].depth != 0 || m->nodes[0].series != m->train)
        return wrong(path, "the first node is not the root of all training series");
    for (size_t i = 0; i < m->node_count; i++) {
        const ww_shapelet_node *n = &m->nodes[i];
        if (i && !named[i])
            return wrong(path, "a node is nobody's \"left\" or \"right\"");
        if (n->left < 0)
            continue;
        const ww_shapelet_node *l = &m->nodes[n->left], *r = &m->nodes[n->right];
        if (named[n->left]++ || named[n->right]++ || l->depth != n->depth + 1 || r->depth != n->depth + 1 ||
            l->series + r->series != n->series)
            return wrong(path, "\"depth\" or \"series\" of a node and of those below it do not fit");
    }
    return WW_OK;
}

static ww_status read_nodes(const json_t *root, const char *path, ww_shapelets *m) {
    const json_t *list = json_object_get(root, "nodes");
    const size_t count = json_array_size(list);
    if (!json_is_array(list))
        return wrong(path, "there are no \"nodes\"");
    if (!count)
        return m->shapelet_count == m->best ? WW_OK : wrong(path, "there are more \"shapelets\" than \"best\"");
    WWI_FREES bool *taken = NULL;
    WWI_TRY(wwi_new_zeroed(taken, m->shapelet_count + 1));
    memset(taken, true, m->best);
    WWI_TRY(wwi_new_zeroed(m->nodes, count));
    m->node_count = count;
    for (size_t i = 0; i < count; i++)
        WWI_TRY(read_node(json_array_get(list, i), path, m, i, taken));
    WWI_TRY(check_tree(path, m));
    for (size_t i = 0; i < m->shapelet_count; i++)
        if (!taken[i])
            return wrong(path, "a shapelet belongs to no node");
    return WW_OK;
}

static ww_status read_model(const json_t *root, const char *path, ww_shapelets *m) {
    size_t version;
    const char *format = json_string_value(json_object_get(root, "format"));
    const char *quality = json_string_value(json_object_get(root, "quality"));
    if (!format || strcmp(format, FORMAT) != 0)
        return wrong(path, "its \"format\" is not \"" FORMAT "\"");
    if (!get_count(root, "version", 1, MOST, &version))
        return wrong(path, "\"version\" is missing or out of range");
    if (version > VERSION)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%s is of version %zu; this library reads %d", path, version, VERSION);
    unsigned measure;
    if (ww_word_parse(WW_WORD_SHAPELET_QUALITY, quality, &measure) != WW_OK)
        return wrong(path, "\"quality\" is none of the measures");
    m->quality = (ww_shapelet_quality)measure;
    if (!get_flag(root, "raw", &m->raw) || !get_flag(root, "unscaled", &m->unscaled))
        return wrong(path, "\"raw\" or \"unscaled\" is not true or false");
    if (!get_count(root, "channels", 1, MOST, &m->channels) || !get_count(root, "train", 2, MOST, &m->train))
        return wrong(path, "\"channels\" or \"train\" is missing or out of range");
    WWI_TRY(read_classes(root, path, m));
    WWI_TRY(read_shapelets(root, path, m));
    if (!get_count(root, "best", 0, m->shapelet_count, &m->best))
        return wrong(path, "\"best\" is missing or above the number of shapelets");
    return read_nodes(root, path, m);
}

static size_t give(void *bytes, size_t room, void *source) {
    const size_t got = wwi_byte_source_read(source, bytes, room);
    return ((const wwi_byte_source *)source)->status == WW_OK ? got : (size_t)-1;
}

static void end_json(json_t **root) {
    json_decref(*root);
}

static ww_status read_source(wwi_byte_source *source, ww_shapelets **shapelets) {
    json_error_t error;
    WWI_ENDS(end_json) json_t *root = json_load_callback(give, source, JSON_REJECT_DUPLICATES, &error);
    WWI_TRY(source->status);
    if (!root)
        return wwi_fail(WW_ERROR_FORMAT, "%s:%d:%d: %s", source->name, error.line, error.column, error.text);
    WWI_ENDS(ww_shapelets_destroy) ww_shapelets *m = NULL;
    WWI_TRY(wwi_new_zeroed(m, 1));
    m->info = (ww_shapelets_info)WW_SHAPELETS_INFO_INIT;
    WWI_TRY(read_model(root, source->name, m));
    *shapelets = wwi_taken(&m);
    return WW_OK;
}

#else

static ww_status read_source(wwi_byte_source *source, ww_shapelets **shapelets) {
    (void)source;
    (void)shapelets;
    wwi_fail(WW_ERROR_UNSUPPORTED, "this library was built without jansson, which reads models");
    return wwi_fail_hint("install libjansson-dev and build again");
}

#endif

ww_status ww_shapelets_read(const char *path, ww_shapelets **shapelets) {
    if (shapelets)
        *shapelets = NULL;
    WWI_NEEDS("path, shapelets", path, shapelets);
    wwi_byte_source source = {.name = path, .file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb")};
    if (!source.file)
        return wwi_fail(WW_ERROR_IO, "%s can't be opened: %s", path, strerror(errno));
    const ww_status status = read_source(&source, shapelets);
    if (source.file != stdin)
        fclose(source.file);
    return status;
}

ww_status ww_shapelets_read_from(ww_read_fn read, void *user, ww_shapelets **shapelets) {
    if (shapelets)
        *shapelets = NULL;
    WWI_NEEDS("read, shapelets", read, shapelets);
    wwi_byte_source source = {.name = "the model", .read = read, .user = user};
    return read_source(&source, shapelets);
}
