// SPDX-License-Identifier: Apache-2.0
// From rows of values on the device to candidates on the host: the places within the limits are listed. Where more are
// than there is room for, as long as a limit is bad or none, the least value of each cell of places gives a better one,
// and they are listed again; a row that has still more is taken in halves.
#include <math.h>
#include <stdlib.h>

#include "search/search_internal.h"

// Of a list, of all lists, and of all where some have no room.
enum { CAPACITY = 4096, ALL_LISTS = 1 << 16, MOST_LISTS = 1 << 22 };
enum { GROUP = 64, CELL = 256, EACH = 64 };
// Cells of a row whose least values give a limit: more hardly lower it, and the host goes through all.
enum { MOST_CELLS = 4096, CELLS_OF_MATCH = 8 };
// Rows that are taken one by one, if others fit their lists; values that one thread sorts.
enum { MOST_ALONE = 4, SORTED_ALONE = 1 << 14, SORTERS = 8 };

struct wwi_collect {
    wwi_program *program;
    wwi_kernel *least, *take;
    wwi_buffer *values, *places;                // of the cells
    wwi_buffer *taken, *listed, *listed_places; // how many a row has; these, CAPACITY a row at most
};

// Places [first, first + count) of rows [row, row + rows): up to `capacity` of each are listed, from row * capacity on.
typedef struct stretch {
    uint32_t first, count, row, rows, capacity;
} stretch;

ww_status wwi_collect_prepare(ww_search *s) {
    WWI_TRY(wwi_new_zeroed(s->collect, 1));
    struct wwi_collect *c = s->collect;
    const uint64_t capacity = (uint64_t)s->query_count * CAPACITY;
    const wwi_program_parts parts = {.texts = {"base/number.cl", "search/search_take.cl"},
                                     .defines = {{"WWK_DOUBLE", s->of.precision == WW_DOUBLE},
                                                 {"WW_WG", GROUP},
                                                 {"WW_SEARCH_EACH", EACH},
                                                 {"WW_SEARCH_ALONG_ITEMS", s->gpu}},
                                     .kernels = {{&c->least, "ww_search_least"}, {&c->take, "ww_search_take"}}};
    WWI_TRY(wwi_program_make(s->context, s->stream, &parts, &c->program));
    return WWI_GROW(s->context, {&c->taken, s->query_count * sizeof(uint32_t)}, {&c->listed, capacity * s->value_bytes},
                    {&c->listed_places, capacity * sizeof(uint32_t)});
}

void wwi_collect_destroy(struct wwi_collect **collect) {
    struct wwi_collect *c = wwi_taken(collect);
    if (!c)
        return;
    WWI_KERNELS_DESTROY(&c->least, &c->take);
    wwi_program_release(&c->program);
    WWI_BUFFERS_DESTROY(&c->values, &c->places, &c->taken, &c->listed, &c->listed_places);
    free(c);
}

// Rounded up. Nothing of an idle query is taken, whatever its row has.
ww_status wwi_collect_limits(ww_search *s) {
    WWI_FREES double *limits = NULL;
    WWI_TRY(wwi_new(limits, s->query_count));
    for (size_t q = 0; q < s->query_count; q++) {
        if (!s->streaming) // its limits are the caller's
            s->queries[q].limit = wwi_limits_lower(s->limits, q, s->queries[q].limit);
        limits[q] = wwi_candidates_bar(s, &s->queries[q]);
        if (s->of.precision == WW_FLOAT && isfinite(limits[q]) && (double)(float)limits[q] < limits[q])
            limits[q] = (double)nextafterf((float)limits[q], INFINITY);
        if (s->queries[q].idle)
            limits[q] = NAN;
    }
    return wwi_search_upload(s, &s->limits_sent, limits, s->query_count);
}

// *taken: how many each row has, also those that are not listed.
static ww_status list_places(ww_search *s, const stretch *of, uint32_t *taken) {
    struct wwi_collect *c = s->collect;
    const uint64_t stride = s->block.stride, each = wwi_ceil_div(of->count, EACH), at = of->row * sizeof *taken,
                   bytes = of->rows * sizeof *taken;
    WWI_TRY(wwi_buffer_fill_u32(c->taken, at, bytes, 0));
    WWI_TRY(WWI_LAUNCH_ITEMS(c->take, each * of->rows, GROUP, WWI_BUFFER(s->block.out), WWI_BUFFER(s->limits_sent),
                             WWI_BUFFER(c->taken), WWI_BUFFER(c->listed), WWI_BUFFER(c->listed_places),
                             WWI_VALUE(stride), WWI_VALUE(of->first), WWI_VALUE(of->count), WWI_VALUE(of->capacity),
                             WWI_VALUE(of->row), WWI_VALUE(of->rows)));
    return wwi_stream_read(s->stream, c->taken, at, bytes, taken);
}

// What was listed of a row becomes candidates.
static ww_status add_places(ww_search *s, size_t row, const void *values, const uint32_t *places, size_t at,
                            uint32_t taken) {
    wwi_query *q = &s->queries[row];
    WWI_FREES wwi_candidate *added = NULL;
    WWI_TRY(wwi_new(added, taken));
    for (uint32_t i = 0; i < taken; i++)
        added[i] = (wwi_candidate){wwi_host_value(s, values, at + i), s->block.first + places[at + i],
                                   s->streaming ? 1 : q->n - 1, -1};
    return wwi_candidates_add(s, q, added, taken);
}

// The lists [first, first + count) from the device.
static ww_status read_lists(ww_search *s, uint64_t first, size_t count, unsigned char **values, uint32_t **places) {
    WWI_TRY(wwi_new(*places, count));
    WWI_TRY(wwi_new(*values, count * s->value_bytes));
    WWI_TRY(wwi_stream_read(s->stream, s->collect->listed_places, first * sizeof **places, count * sizeof **places,
                            *places));
    return wwi_stream_read(s->stream, s->collect->listed, first * s->value_bytes, count * s->value_bytes, *values);
}

// Takes a part of one row whose places may be too many for one list.
static ww_status take_part(ww_search *s, size_t row, uint32_t first, uint32_t count) {
    uint32_t taken = 0;
    const stretch own = {first, count, (uint32_t)row, 1, CAPACITY};
    WWI_FREES unsigned char *values = NULL;
    WWI_FREES uint32_t *places = NULL;
    WWI_TRY(wwi_collect_limits(s));
    WWI_TRY(list_places(s, &own, &taken));
    if (!taken)
        return WW_OK;
    if (taken > CAPACITY) {
        const uint32_t half = count / 2;
        WWI_TRY(take_part(s, row, first, half));
        return take_part(s, row, first + half, count - half);
    }
    WWI_TRY(read_lists(s, (uint64_t)row * CAPACITY, taken, &values, &places));
    return add_places(s, row, values, places, 0, taken);
}

// The values and places of rows, `capacity` or `cells` of each, as several threads go through them.
typedef struct listing {
    ww_search *s;
    uint32_t count, each;
    const unsigned char *values;
    const uint32_t *places, *taken;
} listing;

// All rows, by several threads where there is so much to sort that they are worth it.
static ww_status share_rows(listing *of, wwi_share_fn each) {
    uint64_t all = 0;
    for (uint32_t q = 0; q < of->count; q++)
        all += of->taken ? of->taken[q] : of->each;
    return wwi_share(all > SORTED_ALONE ? (unsigned)wwi_least(wwi_processors(), SORTERS) : 1, of->count, each, of);
}

static ww_status lower_row(void *user, uint64_t row) {
    const listing *of = user;
    ww_search *s = of->s;
    WWI_FREES wwi_candidate *some = NULL;
    size_t count = 0;
    if (s->queries[row].idle)
        return WW_OK;
    WWI_TRY(wwi_new(some, of->each));
    for (uint32_t i = 0; i < of->each; i++) {
        const size_t at = row * of->each + i;
        const double value = wwi_host_value(s, of->values, at);
        if (value < s->queries[row].limit) // others can't lower the limit
            some[count++] = (wwi_candidate){value, s->block.first + of->places[at], 0, -1};
    }
    return wwi_candidates_limit(s, &s->queries[row], some, count);
}

// The least value of each cell of `cell` places lowers the limits of all queries.
static ww_status lower_limits(ww_search *s, const stretch *of, uint32_t cell) {
    struct wwi_collect *c = s->collect;
    const uint32_t cells = (uint32_t)wwi_ceil_div(of->count, cell);
    const uint64_t stride = s->block.stride, all = (uint64_t)cells * of->rows;
    WWI_FREES unsigned char *values = NULL;
    WWI_FREES uint32_t *places = NULL;
    WWI_TRY(wwi_new(values, all * s->value_bytes));
    WWI_TRY(wwi_new(places, all));
    WWI_TRY(WWI_GROW(s->context, {&c->values, all * s->value_bytes}, {&c->places, all * sizeof *places}));
    // Rows are as long as the longest: what is past a row's end is never taken.
    WWI_TRY(WWI_LAUNCH_ITEMS(c->least, all, GROUP, WWI_BUFFER(s->block.out), WWI_BUFFER(c->values),
                             WWI_BUFFER(c->places), WWI_VALUE(stride), WWI_VALUE(of->count), WWI_VALUE(cell),
                             WWI_VALUE(cells), WWI_VALUE(of->rows), WWI_VALUE(of->first)));
    WWI_TRY(wwi_stream_read(s->stream, c->values, 0, all * s->value_bytes, values));
    WWI_TRY(wwi_stream_read(s->stream, c->places, 0, all * sizeof *places, places));
    return share_rows(&(listing){s, of->rows, cells, values, places, NULL}, lower_row);
}

static ww_status add_row(void *user, uint64_t row) {
    const listing *of = user;
    const uint32_t taken = of->taken[row];
    return taken && taken <= of->each ? add_places(of->s, row, of->values, of->places, row * of->each, taken) : WW_OK;
}

// What the lists of all rows have; a row that has more is taken alone.
static ww_status take_lists(ww_search *s, const stretch *of, const uint32_t *taken) {
    WWI_FREES unsigned char *values = NULL;
    WWI_FREES uint32_t *places = NULL;
    uint32_t end = of->rows; // of the rows up to the last one with places
    while (end && !taken[end - 1])
        end--;
    if (!end)
        return WW_OK;
    const size_t last = (size_t)wwi_least(taken[end - 1], of->capacity);
    WWI_TRY(read_lists(s, 0, (size_t)(end - 1) * of->capacity + last, &values, &places));
    WWI_TRY(share_rows(&(listing){s, end, of->capacity, values, places, taken}, add_row));
    for (size_t q = 0; q < end; q++)
        if (taken[q] > of->capacity)
            WWI_TRY(take_part(s, q, of->first, of->count));
    return WW_OK;
}

// Rows that have more places than their lists have room for; *most: those of the row that has most.
static uint32_t without_room(const stretch *of, const uint32_t *taken, uint32_t *most) {
    uint32_t rows = 0;
    *most = 0;
    for (size_t q = 0; q < of->rows; q++) {
        rows += taken[q] > of->capacity;
        *most = taken[q] > *most ? taken[q] : *most;
    }
    return rows;
}

ww_status wwi_collect(ww_search *s, uint32_t first, uint32_t count) {
    if (!count)
        return WW_OK;
    const uint64_t cells = CELLS_OF_MATCH * (uint64_t)s->options.k;
    uint64_t widest = CELL;
    for (size_t q = 0; q < s->query_count; q++) {
        const uint64_t wanted = 2 * s->queries[q].exclusion - 1;
        widest = wanted > widest ? wanted : widest;
    }
    // A cell has no fewer places than a match excludes.
    const uint64_t even = wwi_ceil_div(count, cells > MOST_CELLS ? cells : MOST_CELLS);
    widest = even > widest ? even : widest;
    const uint32_t rows = (uint32_t)s->query_count, share = ALL_LISTS / rows;
    // The lists of all rows are read at once: few of each where there are many rows.
    stretch all = {first, count, 0, rows, share > CAPACITY ? CAPACITY : share < 16 ? 16 : share};
    uint32_t most;
    WWI_FREES uint32_t *taken = NULL;
    WWI_TRY(wwi_new(taken, rows));
    WWI_TRY(wwi_collect_limits(s));
    WWI_TRY(list_places(s, &all, taken));
    if (!s->streaming && without_room(&all, taken, &most)) {
        WWI_TRY(lower_limits(s, &all, (uint32_t)wwi_least(widest, count)));
        WWI_TRY(wwi_collect_limits(s));
        WWI_TRY(list_places(s, &all, taken));
    }
    const uint32_t wider = (uint32_t)wwi_least(CAPACITY, MOST_LISTS / rows);
    if (without_room(&all, taken, &most) > MOST_ALONE && wider > all.capacity) {
        all.capacity = (uint32_t)wwi_least(most, wider);
        WWI_TRY(list_places(s, &all, taken));
    }
    return take_lists(s, &all, taken);
}
