// SPDX-License-Identifier: Apache-2.0
// Points made of other points: a subset by places, points that are added, points that stay when others are removed. On
// the device where they are there as a whole; else, and of sets, from host memory.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/kit.h"
#include "data/points.h"
#include "host.h"

// Some of some points, in their order.
typedef struct part {
    const ww_points *points;
    const uint32_t *places; // ascending; NULL: all
    size_t count;
} part;

static size_t place_of(const part *from, size_t i) {
    return from->places ? from->places[i] : i;
}

// ---- on the device

static ww_status take_part(wwi_stream *stream, const part *from, size_t to, wwi_buffer *tiles) {
    const ww_points *p = from->points;
    WWI_ENDS(wwi_kernel_destroy) wwi_kernel *kernel = NULL;
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *places = NULL;
    const uint32_t listed = from->places != NULL, first = 0, count = (uint32_t)from->count, at = (uint32_t)to;
    const uint64_t touched = (wwi_points_padded(to + from->count) - to / WWI_TILE * WWI_TILE) / WWI_TILE;
    if (listed)
        WWI_TRY(wwi_upload(p->context, &places, from->places, from->count * sizeof *from->places));
    WWI_TRY(wwi_kernel_create(stream, p->program, "ww_knn_take", &kernel));
    WWI_TRY(WWI_LAUNCH(kernel, touched * p->words, WWI_TILE, WWI_BUFFER(p->tiles),
                       WWI_BUFFER(listed ? places : p->tiles), WWI_VALUE(listed), WWI_VALUE(first), WWI_VALUE(count),
                       WWI_VALUE(at), WWI_VALUE(p->words), WWI_BUFFER(tiles)));
    return wwi_finish(stream);
}

// Points without values, of the kind of others.
static ww_status make_like(const ww_points *p, size_t count, ww_points **made) {
    WWI_ENDS(ww_points_destroy) ww_points *like = NULL;
    WWI_TRY(wwi_new_zeroed(like, 1));
    *like = (ww_points){.kind = p->kind,
                        .precision = p->precision,
                        .element = p->element,
                        .count = count,
                        .dimension = p->dimension,
                        .words = p->words,
                        .word_bytes = p->word_bytes,
                        .missing = p->missing,
                        .max_bytes = p->max_bytes,
                        .mean_norm = p->mean_norm,
                        .variance = p->variance,
                        .largest = p->largest};
    atomic_init(&like->references, 1);
    wwi_context_retain(p->context);
    like->context = p->context;
    WWI_TRY(wwi_points_program(like));
    if (p->mean) {
        WWI_TRY(wwi_new(like->mean, p->dimension));
        memcpy(like->mean, p->mean, p->dimension * sizeof *p->mean);
    }
    *made = wwi_taken(&like);
    return WW_OK;
}

static ww_status gather_there(const part *parts, size_t part_count, size_t count, size_t room, ww_points **made) {
    WWI_ENDS(ww_points_destroy) ww_points *p = NULL;
    WWI_ENDS(wwi_stream_destroy) wwi_stream *stream = NULL;
    WWI_TRY(make_like(parts->points, count, &p));
    WWI_TRY(wwi_stream_create(p->context, &stream));
    WWI_TRY(wwi_buffer_create(p->context, wwi_points_bytes(p, 0, room), &p->tiles));
    for (size_t i = 0, to = 0; i < part_count; to += parts[i++].count)
        WWI_TRY(take_part(stream, &parts[i], to, p->tiles));
    *made = wwi_taken(&p);
    return WW_OK;
}

// ---- in host memory

static ww_status take_rows(const part *from, unsigned char *to) {
    const ww_points *p = from->points;
    const uint64_t row = p->words * p->word_bytes;
    WWI_FREES unsigned char *all = NULL;
    if (!from->places)
        return wwi_points_rows(p, 0, p->count, to);
    if (!p->tiles) {
        for (size_t i = 0; i < from->count; i++)
            WWI_TRY(wwi_points_rows(p, from->places[i], 1, to + i * row));
        return WW_OK;
    }
    WWI_TRY(wwi_new(all, p->count * row));
    WWI_TRY(wwi_points_rows(p, 0, p->count, all));
    for (size_t i = 0; i < from->count; i++)
        memcpy(to + i * row, all + from->places[i] * row, row);
    return WW_OK;
}

// Numbers, or bytes of bits.
static ww_status gather_values(const part *parts, size_t part_count, size_t count, void **values) {
    const ww_points *like = parts->points;
    const uint64_t row = like->words * like->word_bytes;
    WWI_FREES unsigned char *rows = NULL;
    WWI_TRY(wwi_new(rows, count * row));
    for (size_t i = 0, at = 0; i < part_count; at += parts[i++].count)
        WWI_TRY(take_rows(&parts[i], rows + at * row));
    if (like->kind == WW_POINTS_NUMBERS) {
        *values = wwi_taken(&rows);
        return WW_OK;
    }
    unsigned char *bytes;
    WWI_TRY(wwi_new(bytes, count * ((like->dimension + 7) / 8)));
    wwi_points_pack(like, (const uint32_t *)(const void *)rows, count, bytes);
    *values = bytes;
    return WW_OK;
}

static ww_status gather_sets(const part *parts, size_t part_count, void **values, uint64_t *offsets) {
    WWI_FREES uint32_t *members = NULL;
    size_t sets = 0;
    offsets[0] = 0;
    for (size_t i = 0; i < part_count; i++)
        for (size_t s = 0; s < parts[i].count; s++, sets++) {
            const uint64_t *from = parts[i].points->offsets + place_of(&parts[i], s);
            offsets[sets + 1] = offsets[sets] + from[1] - from[0];
        }
    WWI_TRY(wwi_new(members, offsets[sets] + 1));
    sets = 0;
    for (size_t i = 0; i < part_count; i++) {
        const ww_points *p = parts[i].points;
        WWI_FREES uint32_t *all = NULL;
        WWI_TRY(wwi_new(all, p->offsets[p->count] + 1));
        WWI_TRY(wwi_points_members(p, 0, p->count, all));
        for (size_t s = 0; s < parts[i].count; s++, sets++)
            memcpy(members + offsets[sets], all + p->offsets[place_of(&parts[i], s)],
                   (size_t)(offsets[sets + 1] - offsets[sets]) * sizeof *members);
    }
    *values = wwi_taken(&members);
    return WW_OK;
}

static ww_status gather_here(const part *parts, size_t part_count, size_t count, ww_points **made) {
    const ww_points *like = parts->points;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    ww_point_view view = WW_POINT_VIEW_INIT;
    WWI_FREES void *values = NULL;
    WWI_FREES uint64_t *offsets = NULL;
    WWI_TRY(wwi_new(offsets, count + 1));
    WWI_TRY(like->kind == WW_POINTS_SETS ? gather_sets(parts, part_count, &values, offsets)
                                         : gather_values(parts, part_count, count, &values));
    view.kind = like->kind;
    view.values = values;
    view.precision = like->precision;
    view.element = like->element;
    view.count = count;
    view.dimension = like->dimension;
    view.offsets = offsets;
    options.precision = like->precision;
    options.max_bytes = like->max_bytes;
    options.missing = like->missing;
    return wwi_points_create_alone(like->context, &view, &options, made);
}

// Points of all parts, one after the other, and room for `room` of them, without ids. *anew: all is made of their
// values; else mean and the like are those of the first part.
static ww_status gather(const part *parts, size_t part_count, size_t room, ww_points **made, bool *anew) {
    const ww_points *like = parts->points;
    bool there = like->kind != WW_POINTS_SETS;
    size_t count = 0;
    for (size_t i = 0; i < part_count; i++) {
        there = there && parts[i].points->tiles;
        count += parts[i].count;
    }
    const uint64_t limit = wwi_memory_share(like->context, 2, like->max_bytes);
    *anew = !there || wwi_points_bytes(like, 0, count) > limit;
    if (*anew)
        return gather_here(parts, part_count, count, made);
    if (wwi_points_bytes(like, 0, room) > limit)
        room = count;
    return gather_there(parts, part_count, count, room, made);
}

// ---- a subset

static int by_id(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static ww_status fail_id(int64_t id, size_t count) {
    return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "id %" PRId64 " is not one of the %zu points", id, count);
}

// Sets the flag of each point whose id is one of `ids`; *unknown: one that no point has, or -1.
static ww_status mark(const ww_points *p, const int64_t *ids, size_t count, bool *is_there, int64_t *unknown) {
    WWI_FREES int64_t *sorted = NULL;
    WWI_FREES bool *met = NULL;
    *unknown = -1;
    for (size_t i = 0; i < count && !p->ids; i++) {
        if (ids[i] < 0 || (uint64_t)ids[i] >= p->count)
            *unknown = ids[i];
        else
            is_there[ids[i]] = true;
    }
    if (!p->ids)
        return WW_OK;
    WWI_TRY(wwi_new(sorted, count + 1));
    WWI_TRY(wwi_new_zeroed(met, count + 1));
    memcpy(sorted, ids, count * sizeof *ids);
    qsort(sorted, count, sizeof *sorted, by_id);
    size_t different = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sorted[i] != sorted[different - 1])
            sorted[different++] = sorted[i];
    for (size_t i = 0; i < p->count; i++) {
        const int64_t *at = bsearch(&p->ids[i], sorted, different, sizeof *sorted, by_id);
        is_there[i] = is_there[i] || at;
        if (at)
            met[at - sorted] = true;
    }
    for (size_t i = 0; i < different; i++)
        if (!met[i])
            *unknown = sorted[i];
    return WW_OK;
}

ww_status wwi_points_places(const ww_points *p, const int64_t *ids, size_t ids_count, const uint8_t *bits,
                            uint32_t **places, size_t *count) {
    WWI_FREES bool *is_there = NULL;
    int64_t unknown = 0;
    WWI_TRY(wwi_new_zeroed(is_there, p->count));
    for (size_t i = 0; bits && i < p->count; i++)
        is_there[i] = bits[i / 8] >> i % 8 & 1;
    if (!bits) {
        for (size_t i = 0; i < ids_count; i++)
            if (ids[i] < 0)
                return fail_id(ids[i], p->count);
        WWI_TRY(mark(p, ids, ids_count, is_there, &unknown));
        if (unknown != -1)
            return fail_id(unknown, p->count);
    }
    *count = 0;
    for (size_t i = 0; i < p->count; i++)
        *count += is_there[i];
    if (*count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "the subset has no point");
    WWI_TRY(wwi_new(*places, *count));
    for (size_t i = 0, at = 0; i < p->count; i++)
        if (is_there[i])
            (*places)[at++] = (uint32_t)i;
    return WW_OK;
}

ww_status wwi_points_select(ww_points *p, const uint32_t *places, size_t count, ww_points **selected) {
    WWI_ENDS(ww_points_destroy) ww_points *made = NULL;
    const part all = {p, places, count};
    bool anew;
    WWI_TRY(gather(&all, 1, count, &made, &anew));
    WWI_TRY(wwi_new(made->ids, count));
    for (size_t i = 0; i < count; i++)
        made->ids[i] = wwi_points_id(p, places[i]);
    made->next_id = p->next_id;
    *selected = wwi_taken(&made);
    return WW_OK;
}

// ---- adding and removing

// What the points of a device become.
typedef struct change {
    ww_points *points;
    ww_points *made;       // NULL: the new ones went into the room behind the others
    const ww_points *more; // numbers that were added, and whose mean is not in that of the others yet
    int64_t *ids;          // NULL: they count from 0
    size_t count;
    int64_t next_id;
} change;

typedef struct changes {
    change *of; // of each device
    size_t count;
} changes;

static void changes_free(changes *all) {
    for (size_t i = 0; i < all->count; i++) {
        ww_points_destroy(&all->of[i].made);
        free(all->of[i].ids);
    }
    free(all->of);
}

// The points of each device that has them. A search, or tables, may hold none of them.
static ww_status changes_begin(ww_points *points, changes *all) {
    const wwi_team *team = points->team;
    WWI_TRY(wwi_new_zeroed(all->of, team ? team->count : 1));
    for (size_t i = 0; i < (team ? team->count : 1); i++) {
        ww_points *p = team ? team->on[i] : points;
        if (p && atomic_load(&p->references) != 1) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the points are in use by a search, or by tables");
            return wwi_fail_hint("destroy what was made of them first, and make it anew afterwards");
        }
        if (p)
            all->of[all->count++] = (change){.points = p, .count = p->count, .next_id = p->next_id};
    }
    return WW_OK;
}

#define EXCHANGE(type, field)                                                                                          \
    do {                                                                                                               \
        type kept = p->field;                                                                                          \
        p->field = made->field;                                                                                        \
        made->field = kept;                                                                                            \
    } while (0)

// The mean, the variance and the largest value of both: of p's points so far, and of more.
static void join_means(ww_points *p, const ww_points *more) {
    const double share = (double)more->count / (double)(p->count + more->count);
    p->mean_norm = 0;
    p->variance += share * (more->variance - p->variance);
    p->largest = p->largest > more->largest ? p->largest : more->largest;
    for (size_t j = 0; j < p->dimension; j++) {
        const double apart = more->mean[j] - p->mean[j];
        p->variance += share * (1 - share) * apart * apart;
        p->mean[j] = (double)(float)(p->mean[j] + share * apart);
        p->mean_norm += p->mean[j] * p->mean[j];
    }
}

// Nothing fails any more.
static void changes_end(changes *all) {
    for (size_t i = 0; i < all->count; i++) {
        change *c = &all->of[i];
        ww_points *p = c->points, *made = c->made;
        if (made) {
            EXCHANGE(wwi_buffer *, tiles);
            EXCHANGE(wwi_buffer *, starts);
            EXCHANGE(unsigned char *, host);
            EXCHANGE(uint64_t *, offsets);
            EXCHANGE(double *, mean);
            p->mean_norm = made->mean_norm;
            p->variance = made->variance;
            p->largest = made->largest;
            p->column_order = made->column_order;
        }
        if (c->more)
            join_means(p, c->more);
        free(p->ids);
        p->ids = wwi_taken(&c->ids);
        p->count = c->count;
        p->next_id = c->next_id;
    }
}

static ww_status add_ids(const ww_points *p, const ww_points *more, change *c) {
    c->count = p->count + more->count;
    c->next_id =
        more->ids ? more->next_id > p->next_id ? more->next_id : p->next_id : p->next_id + (int64_t)more->count;
    if (!more->ids && p->next_id > INT64_MAX - (int64_t)more->count)
        return wwi_fail(WW_ERROR_OVERFLOW, "an id is beyond 63 bits");
    if (!p->ids && !more->ids && p->next_id == (int64_t)p->count)
        return WW_OK;
    WWI_TRY(wwi_new(c->ids, c->count));
    for (size_t i = 0; i < p->count; i++)
        c->ids[i] = wwi_points_id(p, i);
    for (size_t i = 0; i < more->count; i++)
        c->ids[p->count + i] = more->ids ? more->ids[i] : p->next_id + (int64_t)i;
    return WW_OK;
}

static ww_status add_on(ww_points *p, const ww_points *more, change *c) {
    const part both[] = {{p, NULL, p->count}, {more, NULL, more->count}};
    WWI_ENDS(wwi_stream_destroy) wwi_stream *stream = NULL;
    WWI_TRY(add_ids(p, more, c));
    if (p->kind != WW_POINTS_SETS && p->tiles && more->tiles &&
        wwi_points_bytes(p, 0, c->count) <= wwi_buffer_bytes(p->tiles)) {
        WWI_TRY(wwi_stream_create(p->context, &stream));
        c->more = p->mean ? more : NULL;
        return take_part(stream, &both[1], p->count, p->tiles);
    }
    bool anew;
    WWI_TRY(gather(both, 2, c->count + c->count / 2, &c->made, &anew));
    c->more = p->mean && !anew ? more : NULL;
    return WW_OK;
}

ww_status ww_points_add(ww_points *points, ww_points *more) {
    WWI_NEEDS("points, more", points, more);
    WWI_ENDS(changes_free) changes all = {NULL, 0};
    if (points->context != more->context || points->kind != more->kind || points->precision != more->precision ||
        points->element != more->element || points->dimension != more->dimension || points->missing != more->missing)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the points that are added are not of the others' context, kind, "
                                                   "precision, element, dimension, or kind of missing values");
    if (points == more)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "points are not added to themselves");
    if (points->count + more->count > INT32_MAX - WWI_TILE_PAIR)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu points; the most is 2^31 less a few", points->count + more->count);
    WWI_TRY(changes_begin(points, &all));
    for (size_t i = 0; i < all.count; i++) {
        const ww_points *there = more;
        for (size_t d = 0; more->team && d < more->team->count; d++)
            if (more->team->on[d] && ((ww_points *)more->team->on[d])->context == all.of[i].points->context)
                there = more->team->on[d];
        if (there->context != all.of[i].points->context)
            return wwi_fail(WW_ERROR_DEVICE_MEMORY, "a device does not have the points that are added");
        WWI_TRY(add_on(all.of[i].points, there, &all.of[i]));
    }
    changes_end(&all);
    return WW_OK;
}

ww_status ww_points_remove(ww_points *points, const int64_t *ids, size_t count) {
    WWI_NEEDS("points", points);
    WWI_ENDS(changes_free) changes all = {NULL, 0};
    WWI_FREES bool *is_gone = NULL;
    WWI_FREES uint32_t *places = NULL;
    int64_t unknown = 0;
    if (count == 0)
        return WW_OK;
    WWI_NEEDS("ids", ids);
    for (size_t i = 0; i < count; i++)
        if (ids[i] < 0 || ids[i] >= points->next_id)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "id %" PRId64 " is not one of points 0 to %" PRId64, ids[i],
                            points->next_id - 1);
    WWI_TRY(changes_begin(points, &all));
    WWI_TRY(wwi_new_zeroed(is_gone, points->count));
    WWI_TRY(mark(points, ids, count, is_gone, &unknown)); // one that is not there was removed before
    WWI_TRY(wwi_new(places, points->count));
    size_t left = 0;
    for (size_t i = 0; i < points->count; i++)
        if (!is_gone[i])
            places[left++] = (uint32_t)i;
    if (left == 0)
        return wwi_fail(WW_ERROR_EMPTY, "no point would be left");
    if (left == points->count)
        return WW_OK;
    for (size_t i = 0; i < all.count; i++) {
        change *c = &all.of[i];
        WWI_TRY(wwi_points_select(c->points, places, left, &c->made));
        c->ids = wwi_taken(&c->made->ids);
        c->count = left;
    }
    changes_end(&all);
    if (points->team && wwi_context_store(points->team->context))
        wwi_store_add_input(wwi_context_store(points->team->context), ids, count * sizeof *ids);
    return WW_OK;
}

ww_status ww_points_get_ids(const ww_points *points, int64_t *ids) {
    WWI_NEEDS("points, ids", points, ids);
    for (size_t i = 0; i < points->count; i++)
        ids[i] = wwi_points_id(points, i);
    return WW_OK;
}
