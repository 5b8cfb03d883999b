// SPDX-License-Identifier: Apache-2.0
// From rows of values on the device to candidates on the host. The least value of each cell of places gives a limit;
// then the places within the limit are listed. Where more are listed than there is room for, the places are taken in
// halves.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "search/search_internal.h"

enum { CAPACITY = 4096, ALL_LISTS = 1 << 16, GROUP = 64, CELL = 256, EACH = 64 };

double wwi_host_value(const ww_search *s, const void *values, size_t i) {
    return s->precision == WW_DOUBLE ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

ww_status wwi_collect_prepare(ww_search *s) {
    static const char *const texts[] = {"search/search_take.cl", NULL};
    char options[128];
    snprintf(options, sizeof options, "-DWW_WG=%d -DWW_EACH=%d -DWW_ALONG_ITEMS=%d", GROUP, EACH, s->gpu);
    const wwi_recurrence_program wanted = {.context = s->context,
                                           .stream = s->stream,
                                           .measure = &s->measure,
                                           .precision = s->precision,
                                           .channels = 1,
                                           .all_channels = 1,
                                           .vector = 1,
                                           .plain = true,
                                           .texts = texts,
                                           .options = options};
    ww_status status = wwi_recurrence_program_get(&wanted, &s->take_program);
    const uint64_t room = (uint64_t)s->query_count * CAPACITY;
    if (status == WW_OK &&
        (status = wwi_kernel_create(s->stream, s->take_program, "ww_search_least", &s->least_kernel)) == WW_OK &&
        (status = wwi_kernel_create(s->stream, s->take_program, "ww_search_take", &s->take)) == WW_OK &&
        (status = wwi_buffer_create(s->context, s->query_count * s->value_bytes, &s->limits)) == WW_OK &&
        (status = wwi_buffer_create(s->context, s->query_count * sizeof(uint32_t), &s->taken)) == WW_OK &&
        (status = wwi_buffer_create(s->context, room * s->value_bytes, &s->listed)) == WW_OK)
        status = wwi_buffer_create(s->context, room * sizeof(uint32_t), &s->places);
    return status;
}

// The limits of all queries, rounded up.
ww_status wwi_collect_limits(ww_search *s) {
    double *limits = malloc(s->query_count * sizeof *limits);
    if (!limits)
        return wwi_fail_memory(s->query_count * sizeof *limits);
    for (size_t q = 0; q < s->query_count; q++) {
        limits[q] = wwi_candidates_bar(s, &s->queries[q]);
        if (s->precision == WW_FLOAT && isfinite(limits[q]) && (double)(float)limits[q] < limits[q])
            limits[q] = (double)nextafterf((float)limits[q], INFINITY);
    }
    const ww_status status = wwi_search_upload(s, s->limits, limits, s->query_count);
    free(limits);
    return status;
}

static uint64_t groups_of(uint64_t items) {
    return (items + GROUP - 1) / GROUP;
}

// Lists the places [first, first + count) of rows [row, row + rows), up to `capacity` of each, from row * capacity on.
static ww_status list_places(ww_search *s, uint32_t first, uint32_t count, uint32_t row, uint32_t rows,
                             uint32_t capacity) {
    const uint64_t stride = s->block_stride, each = (count + EACH - 1) / EACH;
    const ww_status status =
        wwi_buffer_fill_u32(s->taken, row * sizeof(uint32_t), (uint64_t)rows * sizeof(uint32_t), 0);
    return status == WW_OK
               ? WWI_LAUNCH(s->take, groups_of(each * rows), GROUP, WWI_BUFFER(s->out), WWI_BUFFER(s->limits),
                            WWI_BUFFER(s->taken), WWI_BUFFER(s->listed), WWI_BUFFER(s->places), WWI_VALUE(stride),
                            WWI_VALUE(first), WWI_VALUE(count), WWI_VALUE(capacity), WWI_VALUE(row), WWI_VALUE(rows))
               : status;
}

// What was listed of a row becomes candidates.
static ww_status add_places(ww_search *s, size_t row, const void *values, const uint32_t *places, size_t at,
                            uint32_t taken) {
    wwi_query *q = &s->queries[row];
    wwi_candidate *added = malloc(taken * sizeof *added);
    ww_status status = WW_OK;
    if (!added)
        return wwi_fail_memory(taken * sizeof *added);
    for (uint32_t i = 0; i < taken; i++)
        added[i] = (wwi_candidate){wwi_host_value(s, values, at + i), s->first + places[at + i],
                                   s->streaming ? 1 : q->n - 1, -1};
    for (uint32_t i = 0; i < taken && s->start_at && status == WW_OK; i++)
        status = s->start_at(s, row, places[at + i], &added[i].start);
    if (status == WW_OK)
        status = wwi_candidates_add(s, q, added, taken);
    free(added);
    return status;
}

// The lists [first, first + count) from the device.
static ww_status read_lists(ww_search *s, uint64_t first, size_t count, void **values, uint32_t **places) {
    *places = malloc(count * sizeof **places);
    *values = malloc((size_t)(count * s->value_bytes));
    if (!*places || !*values)
        return wwi_fail_memory(count * s->value_bytes);
    const ww_status status =
        wwi_stream_read(s->stream, s->places, first * sizeof **places, count * sizeof **places, *places);
    return status == WW_OK
               ? wwi_stream_read(s->stream, s->listed, first * s->value_bytes, count * s->value_bytes, *values)
               : status;
}

// Takes a part of one row whose places may be too many for one list.
static ww_status take_part(ww_search *s, size_t row, uint32_t first, uint32_t count) {
    uint32_t taken = 0;
    ww_status status = wwi_collect_limits(s);
    if (status == WW_OK)
        status = list_places(s, first, count, (uint32_t)row, 1, CAPACITY);
    if (status == WW_OK)
        status = wwi_stream_read(s->stream, s->taken, row * sizeof taken, sizeof taken, &taken);
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
    if ((status = take_part(s, row, first, half)) != WW_OK)
        return status;
    return take_part(s, row, first + half, count - half);
}

ww_status wwi_collect(ww_search *s, uint32_t first, uint32_t most) {
    ww_status status = WW_OK;
    uint64_t widest = CELL;
    for (size_t q = 0; q < s->query_count; q++) {
        const uint64_t wanted = 2 * s->queries[q].exclusion - 1;
        widest = wanted > widest ? wanted : widest;
    }
    if (!most)
        return WW_OK;
    const uint32_t rows = (uint32_t)s->query_count, cell = (uint32_t)(widest < most ? widest : most),
                   cells = (most + cell - 1) / cell;
    const uint64_t stride = s->block_stride, all = (uint64_t)cells * rows;
    // The lists of all rows are read at once: few of each where there are many rows.
    const uint32_t share = ALL_LISTS / rows, capacity = share > CAPACITY ? CAPACITY : share < 16 ? 16 : share;
    void *least = malloc((size_t)(all * s->value_bytes)), *values = NULL;
    uint32_t *places = NULL;
    uint32_t *place = malloc((size_t)all * sizeof *place), *taken = calloc(rows, sizeof *taken);
    wwi_candidate *some = malloc(cells * sizeof *some);
    if (!least || !place || !taken || !some) {
        status = wwi_fail_memory(all * s->value_bytes);
        goto done;
    }
    if ((status = wwi_grow_buffer(s->context, &s->least, all * s->value_bytes)) != WW_OK ||
        (status = wwi_grow_buffer(s->context, &s->place, all * sizeof *place)) != WW_OK)
        goto done;
    // Rows are as long as the longest: what is past a row's end is never taken.
    if (!s->streaming) {
        if ((status = WWI_LAUNCH(s->least_kernel, groups_of(all), GROUP, WWI_BUFFER(s->out), WWI_BUFFER(s->least),
                                 WWI_BUFFER(s->place), WWI_VALUE(stride), WWI_VALUE(most), WWI_VALUE(cell),
                                 WWI_VALUE(cells), WWI_VALUE(rows), WWI_VALUE(first))) != WW_OK ||
            (status = wwi_stream_read(s->stream, s->least, 0, all * s->value_bytes, least)) != WW_OK ||
            (status = wwi_stream_read(s->stream, s->place, 0, all * sizeof *place, place)) != WW_OK)
            goto done;
        for (size_t q = 0; q < rows; q++) {
            size_t count = 0;
            for (uint32_t c = 0; c < cells; c++) {
                const double value = wwi_host_value(s, least, q * cells + c);
                if (value < s->queries[q].limit) // others can't lower the limit
                    some[count++] = (wwi_candidate){value, s->first + place[q * cells + c], 0, -1};
            }
            if ((status = wwi_candidates_limit(s, &s->queries[q], some, count)) != WW_OK)
                goto done;
        }
    }
    if ((status = wwi_collect_limits(s)) != WW_OK ||
        (status = list_places(s, first, most, 0, rows, capacity)) != WW_OK ||
        (status = wwi_stream_read(s->stream, s->taken, 0, rows * sizeof *taken, taken)) != WW_OK)
        goto done;
    uint32_t end = 0; // rows up to the last one with places
    size_t last = 0;
    for (uint32_t q = 0; q < rows; q++)
        if (taken[q]) {
            end = q + 1;
            last = taken[q] < capacity ? taken[q] : capacity;
        }
    if (end && (status = read_lists(s, 0, (size_t)(end - 1) * capacity + last, &values, &places)) != WW_OK)
        goto done;
    for (size_t q = 0; q < end && status == WW_OK; q++)
        if (taken[q] > capacity)
            status = take_part(s, q, first, most);
        else if (taken[q])
            status = add_places(s, q, values, places, q * capacity, taken[q]);
done:
    free(places);
    free(values);
    free(some);
    free(taken);
    free(place);
    free(least);
    return status;
}
