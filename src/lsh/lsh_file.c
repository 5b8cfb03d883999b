// SPDX-License-Identifier: Apache-2.0
// Saving and loading an index. Little endian throughout: magic, version, options, counts, mean, coefficients, removed
// bits, points as on the device but in row order, and the SHA-256 of everything before. docs/lsh.md has the table.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/byte_source.h"
#include "files/number.h"
#include "files/output.h"
#include "lsh/lsh_index.h"

#define MAGIC "WWLSH\r\n\x1a"
#define VERSION 1u
#define DIGEST_BYTES 32u
#define SHORT "it is shorter than its numbers say"

// ---- bytes in memory

typedef struct bytes {
    unsigned char *at;
    size_t count, capacity;
    bool failed;
} bytes;

static void bytes_free(bytes *b) {
    free(b->at);
}

static void put(bytes *b, const void *from, uint64_t count) {
    b->failed = b->failed || wwi_grow(&b->at, &b->capacity, b->count + count, 1) != WW_OK;
    if (b->failed)
        return;
    memcpy(b->at + b->count, from, count);
    b->count += count;
}

static void put_number(bytes *b, uint64_t value, unsigned size) {
    unsigned char little[8];
    for (unsigned i = 0; i < size; i++)
        little[i] = (unsigned char)(value >> (8 * i));
    put(b, little, size);
}

static void put_double(bytes *b, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(b, bits, 8);
}

// `count` numbers of `size` bytes, between this machine's order and the file's; its own inverse.
static void swap_if_big(void *values, uint64_t count, unsigned size) {
    unsigned char *at = values;
    for (uint64_t i = 0; !wwi_is_little_endian() && i < count; i++, at += size)
        for (unsigned j = 0; j < size / 2; j++) {
            const unsigned char byte = at[j];
            at[j] = at[size - 1 - j];
            at[size - 1 - j] = byte;
        }
}

static void put_array(bytes *b, const void *values, uint64_t count, unsigned size) {
    const uint64_t from = b->count;
    put(b, values, count * size);
    if (!b->failed)
        swap_if_big(b->at + from, count, size);
}

typedef struct reader {
    const unsigned char *at;
    uint64_t left;
    bool failed;
    uint64_t lacking; // bytes of memory that there were not
} reader;

static const unsigned char *take(reader *r, uint64_t count) {
    if (r->failed || r->left < count) {
        r->failed = true;
        return NULL;
    }
    const unsigned char *at = r->at;
    r->at += count;
    r->left -= count;
    return at;
}

static uint64_t take_number(reader *r, unsigned size) {
    const unsigned char *at = take(r, size);
    return at ? wwi_little((const char *)at, size) : 0;
}

static double take_double(reader *r) {
    const uint64_t bits = take_number(r, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A copy of `count` numbers in this machine's order; free with free.
static void *take_array(reader *r, uint64_t count, unsigned size) {
    const unsigned char *at = count > UINT64_MAX / 8 ? NULL : take(r, count * size);
    void *values = at ? malloc(count * size + 1) : NULL;
    if (!values) {
        r->lacking = at ? count * size + 1 : 0;
        r->failed = true;
        return NULL;
    }
    memcpy(values, at, count * size);
    swap_if_big(values, count, size);
    return values;
}

// ---- writing

// Appends a block's numbers or bits in row order to `b`.
static ww_status put_rows(const ww_lsh *h, const wwi_lsh_block *block, bytes *b) {
    const ww_points *p = block->points;
    const uint64_t row = p->words * p->word_bytes;
    WWI_FREES unsigned char *rows = NULL;
    WWI_TRY(wwi_new(rows, WWI_TILE * row));
    // Blocks begin with a tile.
    for (uint64_t at = 0; at < block->count; at += WWI_TILE) {
        const size_t count = (size_t)wwi_least(block->count - at, WWI_TILE);
        WWI_TRY(wwi_points_rows(p, block->first + at, count, rows));
        swap_if_big(rows, count * p->words, (unsigned)p->word_bytes);
        for (size_t i = 0; i < count; i++)
            put(b, rows + i * row, h->kind == WW_POINTS_BITS ? (h->dimension + 7) / 8 : row);
    }
    return WW_OK;
}

static ww_status put_sets(const wwi_lsh_block *block, bytes *b) {
    const uint64_t *offsets = block->points->offsets + block->first;
    const uint64_t count = offsets[block->count] - offsets[0];
    WWI_FREES uint32_t *items = NULL;
    WWI_TRY(wwi_new(items, count + 1));
    WWI_TRY(wwi_points_members(block->points, block->first, block->count, items));
    put_array(b, items, count, 4);
    return WW_OK;
}

static void put_header(const ww_lsh *h, bytes *b) {
    const ww_lsh_options *o = &h->options;
    put(b, MAGIC, 8);
    put_number(b, VERSION, 4);
    put_number(b, (uint64_t)h->kind, 4);
    put_number(b, (uint64_t)h->precision, 4);
    put_number(b, (uint64_t)o->metric, 4);
    put_number(b, o->tables, 4);
    put_number(b, o->functions, 4);
    put_number(b, h->made.probes, 4);
    put_number(b, h->made.candidates, 4);
    put_number(b, (uint64_t)o->complete, 4);
    put_number(b, h->removed.bits != NULL, 4);
    put_double(b, o->width);
    put_number(b, o->seed, 8);
    put_number(b, h->dimension, 8);
    put_number(b, h->total, 8);
    put_number(b, h->coefficient_bytes, 8);
    const unsigned size = h->family >= WWI_LSH_BITS ? 4 : (unsigned)h->value_bytes;
    put_array(b, h->coefficients, h->coefficient_bytes / size, size);
    if (h->removed.bits)
        put_array(b, h->removed.bits, (h->total + 31) / 32, 4);
}

static ww_status put_all(const ww_lsh *h, bytes *b) {
    put_header(h, b);
    if (h->kind == WW_POINTS_SETS) {
        uint64_t before = 0;
        put_number(b, 0, 8);
        for (size_t i = 0; i < h->block_count; i++) {
            const wwi_lsh_block *block = &h->blocks[i];
            const uint64_t *offsets = block->points->offsets + block->first;
            for (size_t j = 1; j <= block->count; j++)
                put_number(b, before + offsets[j] - offsets[0], 8);
            before += offsets[block->count] - offsets[0];
        }
    }
    for (size_t i = 0; i < h->block_count; i++)
        WWI_TRY(h->kind == WW_POINTS_SETS ? put_sets(&h->blocks[i], b) : put_rows(h, &h->blocks[i], b));
    if (!b->failed) {
        unsigned char digest[DIGEST_BYTES];
        wwi_checksum(b->at, b->count, digest);
        put(b, digest, sizeof digest);
    }
    return b->failed ? wwi_fail_memory(b->count) : WW_OK;
}

// To a file, or to a function where `path` is NULL.
static ww_status save(const ww_lsh *h, const char *path, ww_write_fn write, void *user) {
    WWI_ENDS(bytes_free) bytes b = {0};
    wwi_output output;
    WWI_TRY(put_all(h, &b));
    WWI_TRY(path ? wwi_output_open(path, &output) : wwi_output_open_to(write, user, &output));
    wwi_output_bytes(&output, b.at, b.count);
    return wwi_output_close(&output, true);
}

ww_status ww_lsh_save(const ww_lsh *h, const char *path) {
    WWI_NEEDS("lsh, path", h, path);
    return save(h, path, NULL, NULL);
}

ww_status ww_lsh_save_to(const ww_lsh *h, ww_write_fn write, void *user) {
    WWI_NEEDS("lsh, write", h, write);
    return save(h, NULL, write, user);
}

// ---- reading

static ww_status damaged(const char *path, const char *how) {
    char text[256]; // may be the record's own
    snprintf(text, sizeof text, "%.255s", how);
    wwi_fail(WW_ERROR_FORMAT, "%s: %s", path, text);
    return wwi_fail_hint("make it again with ww_lsh_save() or 'wavewarp lsh --save'");
}

// What does not begin as an index is not read to its end, which it may not have.
static ww_status read_whole(wwi_byte_source *source, bytes *b) {
    unsigned char piece[65536];
    size_t got;
    while (!b->failed && (got = wwi_byte_source_read(source, piece, sizeof piece)) > 0) {
        if (source->status == WW_OK && b->count == 0 && (got < 8 || memcmp(piece, MAGIC, 8) != 0))
            return damaged(source->name, "not a saved index");
        put(b, piece, got);
    }
    return source->status == WW_OK && b->failed ? wwi_fail_memory(b->count) : source->status;
}

// Checks the beginning and the end: kind of file, version, and whether it is complete.
static ww_status check_whole(const char *path, const unsigned char *content, uint64_t count) {
    if (count < 12)
        return damaged(path, "not a saved index");
    reader r = {content + 8, 4, false, 0};
    const uint64_t version = take_number(&r, 4);
    if (version != VERSION)
        return wwi_fail(WW_ERROR_FORMAT, "%s: version %" PRIu64 " of the format; this library reads %u", path, version,
                        VERSION);
    if (count < 12 + DIGEST_BYTES)
        return damaged(path, "cut short");
    unsigned char digest[DIGEST_BYTES];
    wwi_checksum(content, count - DIGEST_BYTES, digest);
    if (memcmp(digest, content + count - DIGEST_BYTES, DIGEST_BYTES) != 0)
        return damaged(path, "damaged or cut short");
    return WW_OK;
}

typedef struct saved {
    ww_point_view view;
    ww_precision precision;
    ww_lsh_options options;
    uint64_t coefficient_bytes;
    void *coefficients, *values;
    uint32_t *removed;
    uint64_t *offsets;
} saved;

// The bits that a hamming index samples are below the dimension; a number that a point's coordinates are multiplied by,
// or that is added, is finite.
static const char *check_coefficients(const saved *s, unsigned size) {
    const uint64_t count = s->coefficient_bytes / size;
    for (uint64_t i = 0; i < count; i++) {
        if (s->view.kind == WW_POINTS_BITS && ((const uint32_t *)s->coefficients)[i] >= s->view.dimension)
            return "a sampled bit is above the dimension";
        if (s->view.kind == WW_POINTS_NUMBERS && !isfinite(wwi_value_at(s->coefficients, s->precision, i)))
            return "a coefficient is not a finite number";
    }
    return NULL;
}

// Reads set offsets, which ascend from 0. *members: where the last one ends.
static const char *take_offsets(reader *r, saved *s, uint64_t *members) {
    const uint64_t count = s->view.count;
    s->offsets = take_array(r, count + 1, 8);
    if (!s->offsets)
        return SHORT;
    if (s->offsets[0] != 0)
        return "the first set does not begin at 0";
    for (uint64_t i = 0; i < count; i++)
        if (s->offsets[i + 1] < s->offsets[i])
            return "a set ends before it begins";
    *members = s->offsets[count];
    return NULL;
}

static const char *take_header(reader *r, saved *s, bool *removed) {
    ww_lsh_options *o = &s->options;
    (void)take(r, 12);
    const uint64_t kind = take_number(r, 4), precision = take_number(r, 4), metric = take_number(r, 4);
    o->tables = (uint32_t)take_number(r, 4);
    o->functions = (uint32_t)take_number(r, 4);
    o->probes = (uint32_t)take_number(r, 4);
    o->candidates = (uint32_t)take_number(r, 4);
    const uint64_t complete = take_number(r, 4), any = take_number(r, 4);
    o->width = take_double(r);
    o->seed = take_number(r, 8);
    const uint64_t dimension = take_number(r, 8), count = take_number(r, 8);
    s->coefficient_bytes = take_number(r, 8);
    if (r->failed)
        return SHORT;
    if (kind > WW_POINTS_SETS || precision > WW_DOUBLE || (kind != WW_POINTS_NUMBERS && precision != WW_FLOAT))
        return "its kind of points or their precision is unknown";
    if (metric > WW_METRIC_JACCARD_BITS || ww_metric_kind((ww_metric)metric) != (ww_point_kind)kind)
        return "its metric is not one of its kind of points";
    if (metric == WW_METRIC_LINF || metric == WW_METRIC_INNER_PRODUCT || metric == WW_METRIC_JACCARD_BITS)
        return "its metric has no hash family";
    if (complete > 1 || any > 1)
        return "a switch is neither on nor off";
    if (count < 1 || count > INT32_MAX || dimension > (1u << 24) || (kind == WW_POINTS_SETS) != (dimension == 0))
        return "its number of points or their dimension is out of range";
    s->view.kind = (ww_point_kind)kind;
    s->precision = s->view.precision = (ww_precision)precision;
    s->view.dimension = (size_t)dimension;
    s->view.count = (size_t)count;
    o->metric = (ww_metric)metric;
    o->complete = complete != 0;
    *removed = any != 0;
    return NULL;
}

// Fills `s`; else what is wrong. Options are checked when the index is opened, values when the points are made.
static const char *take_all(reader *r, saved *s) {
    bool removed = false;
    const char *wrong = take_header(r, s, &removed);
    if (wrong)
        return wrong;
    const uint64_t count = s->view.count, d = s->view.dimension;
    const unsigned size = s->precision == WW_DOUBLE ? 8 : 4;
    if (s->coefficient_bytes % size)
        return "half a coefficient";
    if (!(s->coefficients = take_array(r, s->coefficient_bytes / size, size)))
        return SHORT;
    if ((wrong = check_coefficients(s, size)))
        return wrong;
    if (removed && !(s->removed = take_array(r, (count + 31) / 32, 4)))
        return SHORT;
    if (removed && count % 32 && s->removed[count / 32] >> count % 32)
        return "a point is removed that there is not";
    uint64_t values = count * (s->view.kind == WW_POINTS_BITS ? (d + 7) / 8 : d);
    if (s->view.kind == WW_POINTS_SETS && (wrong = take_offsets(r, s, &values)))
        return wrong;
    if (!(s->values = take_array(r, values, s->view.kind == WW_POINTS_BITS ? 1 : size)))
        return SHORT;
    s->view.values = s->values;
    s->view.offsets = s->offsets;
    return r->left == 0 ? NULL : "there is more than its numbers say";
}

static void saved_free(saved *s) {
    free(s->coefficients);
    free(s->values);
    free(s->removed);
    free(s->offsets);
}

// What the file says is refused as an argument would be: options, sets that do not ascend, values that are not finite.
static ww_status restore(ww_context *context, const saved *s, const ww_run_options *run, ww_lsh **lsh) {
    WWI_ENDS(ww_points_destroy) ww_points *points = NULL;
    WWI_ENDS(ww_lsh_destroy) ww_lsh *h = NULL;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    options.precision = s->precision;
    const double start = wwi_seconds();
    WWI_TRY(ww_points_create(context, &s->view, &options, &points));
    WWI_TRY(wwi_lsh_open(points, &s->options, run, s->coefficients, s->coefficient_bytes, &h));
    WWI_TRY(wwi_lsh_append(h, points));
    if (s->removed)
        WWI_TRY(wwi_lsh_set_removed(h, s->removed));
    h->info.seconds_build = wwi_seconds() - start;
    *lsh = wwi_taken(&h);
    return WW_OK;
}

// On each device of a context.
static ww_status restore_on(wwi_seat *seat) {
    ww_lsh *made = NULL;
    const ww_status status =
        restore(wwi_context_on(seat->team->context, seat->device), seat->of, &seat->team->own, &made);
    seat->own = made;
    return status;
}

static void close_team(wwi_team **team) {
    WWI_TEAM_CLOSE(ww_lsh, wwi_taken(team), NULL);
}

static ww_status restore_on_all(ww_context *context, saved *s, const ww_run_options *run, ww_lsh **lsh) {
    WWI_ENDS(close_team) wwi_team *team = NULL;
    WWI_TRY(wwi_team_open(context, run, &team));
    if (!team)
        return restore(context, s, run, lsh);
    WWI_TRY(wwi_team_make(team, restore_on, s, 0, NULL));
    WWI_TRY(wwi_points_add_to(wwi_context_store(context), &s->view));
    ww_lsh *first = wwi_team_any(team);
    first->team = wwi_taken(&team);
    *lsh = first;
    return WW_OK;
}

static ww_status load(ww_context *context, wwi_byte_source *source, const ww_run_options *run, ww_lsh **lsh) {
    WWI_ENDS(bytes_free) bytes b = {0};
    WWI_ENDS(saved_free) saved s = {.view = WW_POINT_VIEW_INIT, .options = WW_LSH_OPTIONS_INIT};
    WWI_TRY(read_whole(source, &b));
    WWI_TRY(check_whole(source->name, b.at, b.count));
    reader r = {b.at, b.count - DIGEST_BYTES, false, 0};
    const char *wrong = take_all(&r, &s);
    if (r.lacking || wrong)
        return r.lacking ? wwi_fail_memory(r.lacking) : damaged(source->name, wrong);
    const ww_status status = restore_on_all(context, &s, run, lsh);
    return status == WW_ERROR_INVALID_ARGUMENT || status == WW_ERROR_NOT_FINITE || status == WW_ERROR_FORMAT
               ? damaged(source->name, ww_last_error()->message)
               : status;
}

ww_status ww_lsh_load(ww_context *context, const char *path, const ww_run_options *run, ww_lsh **lsh) {
    ww_run_options taken;
    if (lsh)
        *lsh = NULL;
    WWI_NEEDS("context, path, lsh", context, path, lsh);
    WWI_TRY(wwi_run_take(run, &taken));
    wwi_byte_source source = {.name = path, .file = fopen(path, "rb")};
    if (!source.file)
        return wwi_fail(WW_ERROR_IO, "can't open %s: %s", path, strerror(errno));
    const ww_status status = load(context, &source, &taken, lsh);
    fclose(source.file);
    return status;
}

ww_status ww_lsh_load_from(ww_context *context, ww_read_fn read, void *user, const ww_run_options *run, ww_lsh **lsh) {
    ww_run_options taken;
    if (lsh)
        *lsh = NULL;
    WWI_NEEDS("context, read, lsh", context, read, lsh);
    WWI_TRY(wwi_run_take(run, &taken));
    wwi_byte_source source = {.name = "the index", .read = read, .user = user};
    return load(context, &source, &taken, lsh);
}
