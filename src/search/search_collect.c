// SPDX-License-Identifier: Apache-2.0
// From rows of values on the device to candidates on the host. The least value of each cell of places gives a limit;
// then the places within the limit are listed. Where more are listed than there is room for, the places are taken in
// halves.
#include <math.h>
#include <stdlib.h>

#include "search/search_internal.h"

enum { CAPACITY = 4096, ALL_LISTS = 1 << 16, GROUP = 64, CELL = 256, EACH = 64 };

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
    struct wwi_collect *c = s->collect = calloc(1, sizeof *c);
    if (!c)
        return wwi_fail_memory(sizeof *c);
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
    struct wwi_collect *c = *collect;
    if (!c)
        return;
    WWI_KERNELS_DESTROY(&c->least, &c->take);
    wwi_program_release(&c->program);
    WWI_BUFFERS_DESTROY(&c->values, &c->places, &c->taken, &c->listed, &c->listed_places);
    free(c);
    *collect = NULL;
}

// The limits of all queries, rounded up.
ww_status wwi_collect_limits(ww_search *s) {
    double *limits;
    WWI_TRY(wwi_new(limits, s->query_count));
    for (size_t q = 0; q < s->query_count; q++) {
        limits[q] = wwi_candidates_bar(s, &s->queries[q]);
        if (s->of.precision == WW_FLOAT && isfinite(limits[q]) && (double)(float)limits[q] < limits[q])
            limits[q] = (double)nextafterf((float)limits[q], INFINITY);
    }
    const ww_status status = wwi_search_upload(s, &s->limits, limits, s->query_count);
    free(limits);
    return status;
}

// *taken: how many each row has, also those that are not listed.
static ww_status list_places(ww_search *s, const stretch *of, uint32_t *taken) {
    struct wwi_collect *c = s->collect;
    const uint64_t stride = s->block.stride, each = wwi_ceil_div(of->count, EACH), at = of->row * sizeof *taken,
                   bytes = of->rows * sizeof *taken;
    WWI_TRY(wwi_buffer_fill_u32(c->taken, at, bytes, 0));
    WWI_TRY(WWI_LAUNCH_ITEMS(c->take, each * of->rows, GROUP, WWI_BUFFER(s->block.out), WWI_BUFFER(s->limits),
                             WWI_BUFFER(c->taken), WWI_BUFFER(c->listed), WWI_BUFFER(c->listed_places),
                             WWI_VALUE(stride), WWI_VALUE(of->first), WWI_VALUE(of->count), WWI_VALUE(of->capacity),
                             WWI_VALUE(of->row), WWI_VALUE(of->rows)));
    return wwi_stream_read(s->stream, c->taken, at, bytes, taken);
}

// What was listed of a row becomes candidates.
static ww_status add_places(ww_search *s, size_t row, const void *values, const uint32_t *places, size_t at,
                            uint32_t taken) {
    wwi_query *q = &s->queries[row];
    wwi_candidate *added;
    WWI_TRY(wwi_new(added, taken));
    for (uint32_t i = 0; i < taken; i++)
        added[i] = (wwi_candidate){wwi_host_value(s, values, at + i), s->block.first + places[at + i],
                                   s->streaming ? 1 : q->n - 1, -1};
    const ww_status status = wwi_candidates_add(s, q, added, taken);
    free(added);
    return status;
}

// The lists [first, first + count) from the device.
static ww_status read_lists(ww_search *s, uint64_t first, size_t count, void **values, uint32_t **places) {
    *places = malloc(count * sizeof **places);
    *values = malloc((size_t)(count * s->value_bytes));
    if (!*places || !*values)
        return wwi_fail_memory(count * s->value_bytes);
    WWI_TRY(wwi_stream_read(s->stream, s->collect->listed_places, first * sizeof **places, count * sizeof **places,
                            *places));
    return wwi_stream_read(s->stream, s->collect->listed, first * s->value_bytes, count * s->value_bytes, *values);
}

// Takes a part of one row whose places may be too many for one list.
static ww_status take_part(ww_search *s, size_t row, uint32_t first, uint32_t count) {
    uint32_t taken = 0;
    const stretch own = {first, count, (uint32_t)row, 1, CAPACITY};
    ww_status status = wwi_collect_limits(s);
    if (status == WW_OK)
        status = list_places(s, &own, &taken);
    if (status != WW_OK || !taken)
        return status;
    if (taken <= CAPACITY) {
        void *values = NULL;
        uint32_t *places = NULL;
        if ((status = read_lists(s, (uint64_t)row * CAPACITY, taken, &values, &places)) == WW_OK)
            status = add_places(s, row, values, places, 0, taken);
        free(places);
        free(values);
        return status;
    }
    const uint32_t half = count / 2;
    WWI_TRY(take_part(s, row, first, half));
    return take_part(s, row, first + half, count - half);
}

// The least value of each cell of `cell` places lowers the limits of all queries.
static ww_status lower_limits(ww_search *s, const stretch *of, uint32_t cell) {
    struct wwi_collect *c = s->collect;
    const uint32_t cells = (uint32_t)wwi_ceil_div(of->count, cell);
    const uint64_t stride = s->block.stride, all = (uint64_t)cells * of->rows;
    void *values = malloc((size_t)(all * s->value_bytes));
    uint32_t *places = malloc((size_t)all * sizeof *places);
    wwi_candidate *some = malloc(cells * sizeof *some);
    ww_status status = values && places && some ? WW_OK : wwi_fail_memory(all * s->value_bytes);
    if (status == WW_OK)
        status = WWI_GROW(s->context, {&c->values, all * s->value_bytes}, {&c->places, all * sizeof *places});
    // Rows are as long as the longest: what is past a row's end is never taken.
    if (status == WW_OK)
        status = WWI_LAUNCH_ITEMS(c->least, all, GROUP, WWI_BUFFER(s->block.out), WWI_BUFFER(c->values),
                                  WWI_BUFFER(c->places), WWI_VALUE(stride), WWI_VALUE(of->count), WWI_VALUE(cell),
                                  WWI_VALUE(cells), WWI_VALUE(of->rows), WWI_VALUE(of->first));
    if (status == WW_OK)
        status = wwi_stream_read(s->stream, c->values, 0, all * s->value_bytes, values);
    if (status == WW_OK)
        status = wwi_stream_read(s->stream, c->places, 0, all * sizeof *places, places);
    for (size_t q = 0; q < of->rows && status == WW_OK; q++) {
        size_t count = 0;
        for (uint32_t i = 0; i < cells; i++) {
            const double value = wwi_host_value(s, values, q * cells + i);
            if (value < s->queries[q].limit) // others can't lower the limit
                some[count++] = (wwi_candidate){value, s->block.first + places[q * cells + i], 0, -1};
        }
        status = wwi_candidates_limit(s, &s->queries[q], some, count);
    }
    free(some);
    free(places);
    free(values);
    return status;
}

// What the lists of all rows have; a row that has more is taken alone.
static ww_status take_lists(ww_search *s, const stretch *of, const uint32_t *taken) {
    void *values = NULL;
    uint32_t *places = NULL;
    uint32_t end = of->rows; // of the rows up to the last one with places
    while (end && !taken[end - 1])
        end--;
    if (!end)
        return WW_OK;
    const size_t last = (size_t)wwi_least(taken[end - 1], of->capacity);
    ww_status status = read_lists(s, 0, (size_t)(end - 1) * of->capacity + last, &values, &places);
    for (size_t q = 0; q < end && status == WW_OK; q++)
        if (taken[q] > of->capacity)
            status = take_part(s, q, of->first, of->count);
        else if (taken[q])
            status = add_places(s, q, values, places, q * of->capacity, taken[q]);
    free(places);
    free(values);
    return status;
}

ww_status wwi_collect(ww_search *s, uint32_t first, uint32_t count) {
    if (!count)
        return WW_OK;
    uint64_t widest = CELL;
    for (size_t q = 0; q < s->query_count; q++) {
        const uint64_t wanted = 2 * s->queries[q].exclusion - 1;
        widest = wanted > widest ? wanted : widest;
    }
    const uint32_t rows = (uint32_t)s->query_count, share = ALL_LISTS / rows;
    // The lists of all rows are read at once: few of each where there are many rows.
    const stretch all = {first, count, 0, rows, share > CAPACITY ? CAPACITY : share < 16 ? 16 : share};
    uint32_t *taken = malloc(rows * sizeof *taken);
    ww_status status = taken ? WW_OK : wwi_fail_memory(rows * sizeof *taken);
    if (status == WW_OK && !s->streaming)
        status = lower_limits(s, &all, (uint32_t)wwi_least(widest, count));
    if (status == WW_OK && (status = wwi_collect_limits(s)) == WW_OK && (status = list_places(s, &all, taken)) == WW_OK)
        status = take_lists(s, &all, taken);
    free(taken);
    return status;
}
