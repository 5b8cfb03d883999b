// SPDX-License-Identifier: Apache-2.0
// Saving and loading an index. Little endian throughout: magic, version, options, counts, mean, coefficients, removed
// bits, points as on the device but in row order, and the SHA-256 of everything before. docs/lsh.md has the table.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/output.h"
#include "lsh/lsh_index.h"

#define MAGIC "WWLSH\r\n\x1a"
#define VERSION 1u
#define DIGEST_BYTES 32u

// ---- bytes in memory

typedef struct bytes {
    unsigned char *at;
    uint64_t count, room;
    bool failed;
} bytes;

static void put(bytes *b, const void *from, uint64_t count) {
    if (b->failed)
        return;
    if (b->room - b->count < count) {
        uint64_t room = b->room * 2 > b->count + count ? b->room * 2 : b->count + count;
        unsigned char *more = realloc(b->at, room);
        if (!more) {
            b->failed = true;
            return;
        }
        b->at = more;
        b->room = room;
    }
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
    const uint16_t one = 1;
    unsigned char first, *at = values;
    memcpy(&first, &one, 1);
    for (uint64_t i = 0; !first && i < count; i++, at += size)
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
    uint64_t value = 0;
    for (unsigned i = 0; at && i < size; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
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
        r->failed = true;
        return NULL;
    }
    memcpy(values, at, count * size);
    swap_if_big(values, count, size);
    return values;
}

// ---- writing

// Appends a block's numbers or bits, from tiles or from the host's copy, in row order to `b`.
static ww_status put_rows(const ww_lsh *h, const wwi_lsh_block *block, bytes *b) {
    ww_status status = WW_OK;
    const ww_points *p = block->points;
    const uint64_t d = p->words, size = p->word_bytes;
    const uint64_t tiles = (block->count + WWI_TILE - 1) / WWI_TILE, tile = WWI_TILE * d * size;
    unsigned char *from = NULL, *row = malloc(d * size);
    if (!row || (p->tiles && !(from = malloc(tile)))) {
        status = wwi_fail_memory(tile);
        goto done;
    }
    for (uint64_t t = 0; t < tiles; t++) {
        // Blocks begin with a tile.
        if (p->tiles && (status = wwi_buffer_read(p->tiles, (block->first / WWI_TILE + t) * tile, tile, from)) != WW_OK)
            goto done;
        for (uint64_t i = 0; i < WWI_TILE && t * WWI_TILE + i < block->count; i++) {
            const uint64_t point = block->first + t * WWI_TILE + i;
            for (uint64_t j = 0; j < d; j++)
                memcpy(row + j * size,
                       from              ? from + (j * WWI_TILE + i) * size
                       : p->column_order ? p->host + (j * p->count + point) * size
                                         : p->host + (point * d + j) * size,
                       size);
            swap_if_big(row, d, (unsigned)size);
            put(b, row, h->kind == WW_POINTS_BITS ? (h->dimension + 7) / 8 : d * size);
        }
    }
done:
    free(from);
    free(row);
    return status;
}

static ww_status put_sets(const wwi_lsh_block *block, bytes *b) {
    ww_status status = WW_OK;
    const ww_points *p = block->points;
    const uint64_t begin = p->offsets[block->first], count = p->offsets[block->first + block->count] - begin;
    if (!p->tiles) {
        put_array(b, p->host + begin * 4, count, 4);
        return WW_OK;
    }
    uint32_t *items = malloc(count * 4 + 1);
    if (!items)
        return wwi_fail_memory(count * 4);
    if (count == 0 || (status = wwi_buffer_read(p->tiles, begin * 4, count * 4, items)) == WW_OK)
        put_array(b, items, count, 4);
    free(items);
    return status;
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
    put_number(b, h->most_probes, 4);
    put_number(b, h->most_candidates, 4);
    put_number(b, (uint64_t)o->complete, 4);
    put_number(b, h->removed != NULL, 4);
    put_double(b, o->width);
    put_number(b, o->seed, 8);
    put_number(b, h->dimension, 8);
    put_number(b, h->total, 8);
    put_number(b, h->coefficient_bytes, 8);
    const unsigned size = h->family >= WWI_LSH_BITS ? 4 : (unsigned)h->value_bytes;
    put_array(b, h->coefficients, h->coefficient_bytes / size, size);
    if (h->removed)
        put_array(b, h->removed, (h->total + 31) / 32, 4);
}

static ww_status put_all(const ww_lsh *h, bytes *b) {
    ww_status status = WW_OK;
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
    for (size_t i = 0; status == WW_OK && i < h->block_count; i++)
        status = h->kind == WW_POINTS_SETS ? put_sets(&h->blocks[i], b) : put_rows(h, &h->blocks[i], b);
    if (status == WW_OK && !b->failed) {
        unsigned char digest[DIGEST_BYTES];
        wwi_checksum(b->at, b->count, digest);
        put(b, digest, sizeof digest);
    }
    return status == WW_OK && b->failed ? wwi_fail_memory(b->count) : status;
}

ww_status ww_lsh_save(const ww_lsh *h, const char *path) {
    ww_status status;
    bytes b = {0};
    wwi_output output;
    if (!h || !path)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "lsh or path is NULL");
    if ((status = put_all(h, &b)) == WW_OK && (status = wwi_output_open(path, &output)) == WW_OK) {
        wwi_output_bytes(&output, b.at, b.count);
        status = wwi_output_close(&output, true);
    }
    free(b.at);
    return status;
}

// ---- reading

static ww_status read_whole(const char *path, unsigned char **content, uint64_t *count) {
    ww_status status = WW_OK;
    bytes b = {0};
    FILE *file = fopen(path, "rb");
    unsigned char piece[65536];
    size_t got;
    if (!file)
        return wwi_fail(WW_ERROR_IO, "can't open %s: %s", path, strerror(errno));
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        put(&b, piece, got);
    if (ferror(file))
        status = wwi_fail(WW_ERROR_IO, "can't read %s: %s", path, strerror(errno));
    else if (b.failed)
        status = wwi_fail_memory(b.count);
    fclose(file);
    if (status != WW_OK) {
        free(b.at);
        b.at = NULL;
    }
    *content = b.at;
    *count = b.count;
    return status;
}

static ww_status damaged(const char *path, const char *how) {
    wwi_fail(WW_ERROR_FORMAT, "%s: %s", path, how);
    return wwi_fail_hint("make it again with ww_lsh_save() or 'wavewarp lsh --save'");
}

// Checks the beginning and the end: kind of file, version, and whether it is complete.
static ww_status check_whole(const char *path, const unsigned char *content, uint64_t count) {
    if (count < 12 || memcmp(content, MAGIC, 8) != 0)
        return damaged(path, "not a saved index");
    reader r = {content + 8, 4, false};
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

// Fills `s`; false where the numbers are inconsistent.
static bool take_all(reader *r, saved *s) {
    ww_lsh_options *o = &s->options;
    (void)take(r, 12);
    const uint64_t kind = take_number(r, 4), precision = take_number(r, 4);
    s->view.kind = (ww_point_kind)kind;
    s->precision = s->view.precision = (ww_precision)precision;
    o->metric = (ww_metric)take_number(r, 4);
    o->tables = (uint32_t)take_number(r, 4);
    o->functions = (uint32_t)take_number(r, 4);
    o->probes = (uint32_t)take_number(r, 4);
    o->candidates = (uint32_t)take_number(r, 4);
    o->complete = take_number(r, 4) != 0;
    const bool removed = take_number(r, 4) != 0;
    o->width = take_double(r);
    o->seed = take_number(r, 8);
    s->view.dimension = (size_t)take_number(r, 8);
    s->view.count = (size_t)take_number(r, 8);
    s->coefficient_bytes = take_number(r, 8);
    const uint64_t count = s->view.count, d = s->view.dimension;
    if (r->failed || kind > WW_POINTS_SETS || precision > WW_DOUBLE || count < 1 || count > INT32_MAX || d > (1u << 24))
        return false;
    const unsigned size = kind == WW_POINTS_NUMBERS && precision == WW_DOUBLE ? 8 : 4;
    s->coefficients = take_array(r, s->coefficient_bytes / size, size);
    if (removed)
        s->removed = take_array(r, (count + 31) / 32, 4);
    uint64_t values = count * (kind == WW_POINTS_BITS ? (d + 7) / 8 : d);
    if (kind == WW_POINTS_SETS) {
        s->offsets = take_array(r, count + 1, 8);
        values = s->offsets ? s->offsets[count] : 0;
    }
    s->values = take_array(r, values, kind == WW_POINTS_BITS ? 1 : size);
    s->view.values = s->values;
    s->view.offsets = s->offsets;
    return !r->failed && r->left == 0;
}

static void saved_free(saved *s) {
    free(s->coefficients);
    free(s->values);
    free(s->removed);
    free(s->offsets);
}

static ww_status restore(ww_context *context, const saved *s, const ww_run_options *run, ww_lsh **lsh) {
    ww_status status;
    ww_points *points = NULL;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    options.precision = s->precision;
    const double start = wwi_seconds();
    if ((status = ww_points_create(context, &s->view, &options, &points)) != WW_OK ||
        (status = wwi_lsh_open(points, &s->options, run, s->coefficients, s->coefficient_bytes, lsh)) != WW_OK)
        goto done;
    ww_lsh *h = *lsh;
    if ((status = wwi_lsh_append(h, points)) != WW_OK)
        goto done;
    if (s->removed && (status = wwi_lsh_set_removed(h, s->removed)) != WW_OK)
        goto done;
    h->info.seconds_build = wwi_seconds() - start;
done:
    ww_points_destroy(&points);
    if (status != WW_OK)
        ww_lsh_destroy(lsh);
    return status;
}

ww_status ww_lsh_load(ww_context *context, const char *path, const ww_run_options *run, ww_lsh **lsh) {
    ww_status status;
    ww_run_options taken;
    unsigned char *content = NULL;
    uint64_t count = 0;
    if (!context || !path || !lsh)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "context, path or lsh is NULL");
    *lsh = NULL;
    saved s = {.view = WW_POINT_VIEW_INIT, .options = WW_LSH_OPTIONS_INIT};
    if ((status = wwi_run_take(run, &taken)) == WW_OK && (status = read_whole(path, &content, &count)) == WW_OK &&
        (status = check_whole(path, content, count)) == WW_OK) {
        reader r = {content, count - DIGEST_BYTES, false};
        status =
            take_all(&r, &s) ? restore(context, &s, &taken, lsh) : damaged(path, "its numbers do not fit each other");
    }
    saved_free(&s);
    free(content);
    return status;
}
