// SPDX-License-Identifier: Apache-2.0
// Where the chosen open matches begin. The columns before a match's end are computed again, each value with the column
// in which its path begins; twice as many as long as the value at the end is not the same, bit for bit. (With fewer
// columns no value is smaller, and the match's own path is there once its first column is.) Of each match only the last
// value comes back to the host.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/search_internal.h"

enum { MOST_POINTS = 1 << 24 }; // of one batch

typedef struct wanted {
    wwi_candidate *candidate;
    size_t query;
    uint64_t columns; // to be computed
    uint32_t at;      // where they begin in the batch
    bool whole;       // there are no more
} wanted;

// Some of them, computed together.
typedef struct batch {
    wanted *all;
    size_t count, stride; // stride: room for the columns of all of them
    unsigned char *values, *derived;
    wwi_buffer *points, *ends, *starts, *last, *last_starts;
} batch;

static void batch_free(batch *b) {
    WWI_BUFFERS_DESTROY(&b->points, &b->ends, &b->starts, &b->last, &b->last_starts);
    free(b->derived);
    free(b->values);
}

static uint64_t begin_of(const ww_search *s, const wanted *w) {
    uint64_t begin;
    (void)wwi_joined_stream(&s->joined, w->candidate->place, &begin);
    return begin;
}

// Reads the columns before a match's end, and forgets those before a missing point.
static ww_status read_columns(ww_search *s, batch *b, wanted *w) {
    const uint64_t place = w->candidate->place, lost = s->derivative ? 2 : 0, most = place - begin_of(s, w) + 1;
    w->whole = most <= w->columns;
    w->columns = wwi_least(w->columns, most);
    const size_t offset = (size_t)((w->at + s->block.lead) * s->value_bytes);
    WWI_TRY(wwi_joined_read(&s->joined, place + 1 - w->columns, (size_t)(w->columns + lost), s->of.precision, b->stride,
                            b->values + offset, s->derivative ? b->derived + offset : NULL));
    const unsigned char *used = s->derivative ? b->derived : b->values;
    uint64_t valid = 0;
    for (bool missing = false; valid < w->columns && !missing;) {
        for (size_t c = 0; c < s->of.all_channels; c++) {
            const size_t at = c * b->stride + s->block.lead + w->at + (size_t)(w->columns - 1 - valid);
            const double value = wwi_host_value(s, used, at);
            missing |= value != value;
        }
        valid += !missing;
    }
    w->whole |= valid < w->columns;
    w->at += (uint32_t)(w->columns - valid);
    w->columns = valid;
    return WW_OK;
}

// The columns of all of them on the device, one after the other.
static ww_status send_columns(ww_search *s, batch *b) {
    const size_t bytes = (size_t)(b->stride * s->of.all_channels * s->value_bytes);
    WWI_TRY(wwi_new_zeroed(b->values, bytes));
    if (s->derivative)
        WWI_TRY(wwi_new_zeroed(b->derived, bytes));
    uint32_t at = 0;
    for (size_t i = 0; i < b->count; i++) {
        b->all[i].at = at;
        at += (uint32_t)b->all[i].columns;
        // Two points after the end belong to derivatives: the next match's columns overwrite them.
        WWI_TRY(read_columns(s, b, &b->all[i]));
    }
    return wwi_upload(s->context, &b->points, s->derivative ? b->derived : b->values, bytes);
}

// The tasks of matches [first, end), which have one tiling.
static ww_status launch_matches(ww_search *s, const batch *b, const wwi_open_tiling *t, size_t first, size_t end) {
    const uint32_t together = wwi_open_together(s, t);
    const wwi_open_buffers buffers = {.values = b->points,
                                      .ends = b->ends,
                                      .starts = b->starts,
                                      .states_in = b->last, // not read: nothing goes on from a block before
                                      .states_out = b->last,
                                      .starts_in = b->last_starts,
                                      .starts_out = b->last_starts,
                                      .stride = b->stride,
                                      .begin_x = wwi_open_begin_x(s)};
    WWI_FREES ww_open_task *tasks = NULL;
    WWI_TRY(wwi_new(tasks, (end - first) * together));
    for (size_t k = first; k < end; k++)
        for (uint32_t g = 0; g < together; g++) {
            const wanted *w = &b->all[k];
            const wwi_query *own = &s->queries[w->query];
            tasks[(k - first) * together + g] =
                (ww_open_task){.rows_of = w->at,
                               .x = own->x,
                               .n = w->candidate->row + 1,
                               .x_stride = own->n,
                               .first = s->block.lead + w->at,
                               .count = (uint32_t)w->columns,
                               .flags = (w->candidate->place + 1 - w->columns == begin_of(s, w) ? WW_TASK_BEGIN : 0u) |
                                        (w->whole ? 0u : WW_TASK_INSIDE) | WW_TASK_LAST | (g ? WW_TASK_IDLE : 0u),
                               .state_out = (uint32_t)k};
        }
    return wwi_open_launch(s, t, true, tasks, (end - first) * together, &buffers);
}

static ww_status launch_batch(ww_search *s, batch *b) {
    WWI_TRY(WWI_GROW(s->context, {&b->ends, b->stride * s->value_bytes}, {&b->starts, b->stride * sizeof(int32_t)},
                     {&b->last, b->count * s->value_bytes}, {&b->last_starts, b->count * sizeof(int32_t)}));
    for (size_t i = 0, end; i < b->count; i = end) {
        const wwi_open_tiling t = wwi_open_tile(s, b->all[i].candidate->row + 1, b->count, true);
        // Those that follow with the same tiling go together.
        for (end = i + 1; end < b->count; end++) {
            const wwi_open_tiling other = wwi_open_tile(s, b->all[end].candidate->row + 1, b->count, true);
            if (memcmp(&other, &t, sizeof t) != 0)
                break;
        }
        WWI_TRY(launch_matches(s, b, &t, i, end));
    }
    return WW_OK;
}

static ww_status read_starts(ww_search *s, const batch *b) {
    WWI_FREES unsigned char *values = NULL;
    WWI_FREES int32_t *starts = NULL;
    WWI_TRY(wwi_new(values, b->count * s->value_bytes));
    WWI_TRY(wwi_new(starts, b->count));
    WWI_TRY(wwi_stream_read(s->stream, b->last, 0, b->count * s->value_bytes, values));
    WWI_TRY(wwi_stream_read(s->stream, b->last_starts, 0, b->count * sizeof *starts, starts));
    for (size_t i = 0; i < b->count; i++) {
        wwi_candidate *c = b->all[i].candidate;
        if (wwi_host_value(s, values, i) == c->value || b->all[i].whole)
            c->start = (int64_t)(c->place + 1 - b->all[i].columns) + starts[i];
    }
    return WW_OK;
}

// `count` matches, all of whose columns have room for `points`.
static ww_status run_batch(ww_search *s, wanted *all, size_t count, uint64_t points) {
    if (points > UINT32_MAX / 2)
        return wwi_fail(WW_ERROR_OVERFLOW, "a match has more than 2^31 points");
    WWI_ENDS(batch_free) batch b = {.all = all, .count = count, .stride = (size_t)points + 32};
    WWI_TRY(send_columns(s, &b));
    WWI_TRY(launch_batch(s, &b));
    return read_starts(s, &b);
}

// In batches of matches that have room for all of their columns; one match alone may have more.
static ww_status run_batches(ww_search *s, wanted *list, size_t count) {
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t points = 0;
        for (end = i; end < count && (end == i || points + list[end].columns <= MOST_POINTS); end++) {
            list[end].columns = wwi_least(list[end].columns, list[end].candidate->place - begin_of(s, &list[end]) + 1);
            points += list[end].columns;
        }
        WWI_TRY(run_batch(s, list + i, end - i, points));
    }
    return WW_OK;
}

ww_status wwi_open_starts(ww_search *s, wwi_candidate *picked, const size_t *found) {
    size_t all = 0, count = 1;
    for (size_t q = 0; q < s->query_count; q++)
        all += found[q];
    WWI_FREES wanted *list = NULL;
    WWI_TRY(wwi_new(list, all ? all : 1));
    // In quarters of the query's length: some matches are short, few are much longer than their query.
    for (uint64_t times = 1; count; times = times == 1 ? 5 : 2 * times) {
        count = 0;
        for (size_t q = 0; q < s->query_count; q++)
            for (size_t p = 0; p < found[q]; p++) {
                wwi_candidate *c = &picked[q * s->options.k + p];
                if (c->start < 0)
                    list[count++] = (wanted){c, q, times * s->queries[q].n / 4 + 16, 0, false};
            }
        WWI_TRY(run_batches(s, list, count));
    }
    return WW_OK;
}
