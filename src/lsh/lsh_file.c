// SPDX-License-Identifier: Apache-2.0
// Saving and loading an index. Little endian throughout: magic, version, options, counts, mean, coefficients, removed
// bits, points as on the device but in row order, and the SHA-256 of everything before. docs/lsh.md has the table.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/sealed.h"
#include "lsh/lsh_index.h"

static const wwi_seal seal = {"WWLSH\r\n\x1a", 1, "make it again with ww_lsh_save() or 'wavewarp lsh --save'"};

// ---- writing

// Appends a block's numbers or bits in row order to `b`.
static ww_status put_rows(const ww_lsh *h, const wwi_lsh_block *block, wwi_sealed *b) {
    const ww_points *p = block->points;
    const uint64_t row = p->words * p->word_bytes;
    WWI_FREES unsigned char *rows = NULL;
    WWI_TRY(wwi_new(rows, WWI_TILE * row));
    // Blocks begin with a tile.
    for (uint64_t at = 0; at < block->count; at += WWI_TILE) {
        const size_t count = (size_t)wwi_least(block->count - at, WWI_TILE);
        WWI_TRY(wwi_points_rows(p, block->first + at, count, rows));
        wwi_swap_if_big(rows, count * p->words, (unsigned)p->word_bytes);
        for (size_t i = 0; i < count; i++)
            wwi_put(b, rows + i * row, h->kind == WW_POINTS_BITS ? (h->dimension + 7) / 8 : row);
    }
    return WW_OK;
}

static ww_status put_sets(const wwi_lsh_block *block, wwi_sealed *b) {
    const uint64_t *offsets = block->points->offsets + block->first;
    const uint64_t count = offsets[block->count] - offsets[0];
    WWI_FREES uint32_t *items = NULL;
    WWI_TRY(wwi_new(items, count + 1));
    WWI_TRY(wwi_points_members(block->points, block->first, block->count, items));
    wwi_put_array(b, items, count, 4);
    return WW_OK;
}

static void put_header(const ww_lsh *h, wwi_sealed *b) {
    const ww_lsh_options *o = &h->options;
    wwi_seal_begin(&seal, b);
    wwi_put_number(b, (uint64_t)h->kind, 4);
    wwi_put_number(b, (uint64_t)h->precision, 4);
    wwi_put_number(b, (uint64_t)o->metric, 4);
    wwi_put_number(b, o->tables, 4);
    wwi_put_number(b, o->functions, 4);
    wwi_put_number(b, h->made.probes, 4);
    wwi_put_number(b, h->made.candidates, 4);
    wwi_put_number(b, (uint64_t)o->complete, 4);
    wwi_put_number(b, h->removed.bits != NULL, 4);
    wwi_put_double(b, o->width);
    wwi_put_number(b, o->seed, 8);
    wwi_put_number(b, h->dimension, 8);
    wwi_put_number(b, h->total, 8);
    wwi_put_number(b, h->coefficient_bytes, 8);
    const unsigned size = h->family >= WWK_FAMILY_BITS ? 4 : (unsigned)h->value_bytes;
    wwi_put_array(b, h->coefficients, h->coefficient_bytes / size, size);
    if (h->removed.bits)
        wwi_put_array(b, h->removed.bits, (h->total + 31) / 32, 4);
}

static ww_status put_all(const ww_lsh *h, wwi_sealed *b) {
    put_header(h, b);
    if (h->kind == WW_POINTS_SETS) {
        uint64_t before = 0;
        wwi_put_number(b, 0, 8);
        for (size_t i = 0; i < h->block_count; i++) {
            const wwi_lsh_block *block = &h->blocks[i];
            const uint64_t *offsets = block->points->offsets + block->first;
            for (size_t j = 1; j <= block->count; j++)
                wwi_put_number(b, before + offsets[j] - offsets[0], 8);
            before += offsets[block->count] - offsets[0];
        }
    }
    for (size_t i = 0; i < h->block_count; i++)
        WWI_TRY(h->kind == WW_POINTS_SETS ? put_sets(&h->blocks[i], b) : put_rows(h, &h->blocks[i], b));
    return WW_OK;
}

// To a file, or to a function where `path` is NULL.
static ww_status save(const ww_lsh *h, const char *path, ww_write_fn write, void *user) {
    WWI_ENDS(wwi_sealed_free) wwi_sealed b = {0};
    WWI_TRY(put_all(h, &b));
    return wwi_seal_write(&b, path, write, user);
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
static const char *take_offsets(wwi_byte_reader *r, saved *s, uint64_t *members) {
    const uint64_t count = s->view.count;
    s->offsets = wwi_read_array(r, count + 1, 8);
    if (!s->offsets)
        return WWI_CUT_SHORT;
    if (s->offsets[0] != 0)
        return "the first set does not begin at 0";
    for (uint64_t i = 0; i < count; i++)
        if (s->offsets[i + 1] < s->offsets[i])
            return "a set ends before it begins";
    *members = s->offsets[count];
    return NULL;
}

static const char *take_header(wwi_byte_reader *r, saved *s, bool *removed) {
    ww_lsh_options *o = &s->options;
    const uint64_t kind = wwi_read_number(r, 4), precision = wwi_read_number(r, 4), metric = wwi_read_number(r, 4);
    o->tables = (uint32_t)wwi_read_number(r, 4);
    o->functions = (uint32_t)wwi_read_number(r, 4);
    o->probes = (uint32_t)wwi_read_number(r, 4);
    o->candidates = (uint32_t)wwi_read_number(r, 4);
    const uint64_t complete = wwi_read_number(r, 4), any = wwi_read_number(r, 4);
    o->width = wwi_read_double(r);
    o->seed = wwi_read_number(r, 8);
    const uint64_t dimension = wwi_read_number(r, 8), count = wwi_read_number(r, 8);
    s->coefficient_bytes = wwi_read_number(r, 8);
    if (r->failed)
        return WWI_CUT_SHORT;
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
static const char *take_all(wwi_byte_reader *r, saved *s) {
    bool removed = false;
    const char *wrong = take_header(r, s, &removed);
    if (wrong)
        return wrong;
    const uint64_t count = s->view.count, d = s->view.dimension;
    const unsigned size = s->precision == WW_DOUBLE ? 8 : 4;
    if (s->coefficient_bytes % size)
        return "half a coefficient";
    if (!(s->coefficients = wwi_read_array(r, s->coefficient_bytes / size, size)))
        return WWI_CUT_SHORT;
    if ((wrong = check_coefficients(s, size)))
        return wrong;
    if (removed && !(s->removed = wwi_read_array(r, (count + 31) / 32, 4)))
        return WWI_CUT_SHORT;
    if (removed && count % 32 && s->removed[count / 32] >> count % 32)
        return "a point is removed that there is not";
    uint64_t values = count * (s->view.kind == WW_POINTS_BITS ? (d + 7) / 8 : d);
    if (s->view.kind == WW_POINTS_SETS && (wrong = take_offsets(r, s, &values)))
        return wrong;
    if (!(s->values = wwi_read_array(r, values, s->view.kind == WW_POINTS_BITS ? 1 : size)))
        return WWI_CUT_SHORT;
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
    WWI_ENDS(wwi_sealed_free) wwi_sealed b = {0};
    WWI_ENDS(saved_free) saved s = {.view = WW_POINT_VIEW_INIT, .options = WW_LSH_OPTIONS_INIT};
    WWI_TRY(wwi_seal_read(&seal, source, &b));
    wwi_byte_reader r = wwi_seal_reader(&b);
    const char *wrong = take_all(&r, &s);
    if (r.lacking || wrong)
        return r.lacking ? wwi_fail_memory(r.lacking) : wwi_seal_damaged(&seal, source->name, wrong);
    const ww_status status = restore_on_all(context, &s, run, lsh);
    return status == WW_ERROR_INVALID_ARGUMENT || status == WW_ERROR_NOT_FINITE || status == WW_ERROR_FORMAT
               ? wwi_seal_damaged(&seal, source->name, ww_last_error()->message)
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
