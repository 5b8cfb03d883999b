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

// Reads the columns before a match's end, and forgets those before a missing point.
static ww_status read_columns(ww_search *s, wanted *w, size_t stride, size_t lead, unsigned char *values,
                              unsigned char *derived) {
    uint64_t begin;
    const uint64_t place = w->candidate->place, lost = s->derivative ? 2 : 0;
    (void)wwi_joined_stream(&s->joined, place, &begin);
    w->whole = place - begin + 1 <= w->columns;
    if (w->whole)
        w->columns = place - begin + 1;
    const size_t offset = (size_t)((w->at + lead) * s->value_bytes);
    const uint64_t first = place + 1 - w->columns;
    const ww_status status = wwi_joined_read(&s->joined, first, (size_t)(w->columns + lost), s->precision, stride,
                                             values + offset, s->derivative ? derived + offset : NULL);
    if (status != WW_OK)
        return status;
    const unsigned char *used = s->derivative ? derived : values;
    uint64_t valid = 0;
    for (bool missing = false; valid < w->columns && !missing;) {
        for (size_t c = 0; c < s->channels; c++) {
            const double value = wwi_host_value(s, used, c * stride + lead + w->at + (size_t)(w->columns - 1 - valid));
            missing |= value != value;
        }
        valid += !missing;
    }
    w->whole |= valid < w->columns;
    w->at += (uint32_t)(w->columns - valid);
    w->columns = valid;
    return WW_OK;
}

// A batch of `count` matches, all of whose columns have room for `points`.
static ww_status run_batch(ww_search *s, wanted *all, size_t count, size_t points) {
    ww_status status = WW_OK;
    const size_t stride = points + 32, bytes = (size_t)(stride * s->channels * s->value_bytes);
    unsigned char *values = malloc(bytes), *derived = s->derivative ? malloc(bytes) : NULL;
    wwi_buffer *buffer = NULL, *ends = NULL, *starts = NULL, *last = NULL, *last_starts = NULL;
    wwi_open_task *tasks = NULL;
    void *found = malloc((size_t)(count * s->value_bytes));
    int32_t *found_starts = malloc(count * sizeof *found_starts);
    if (!values || (s->derivative && !derived) || !found || !found_starts) {
        status = wwi_fail_memory(bytes);
        goto done;
    }
    memset(values, 0, bytes);
    if (s->derivative)
        memset(derived, 0, bytes);
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        all[i].at = at;
        at += (uint32_t)all[i].columns;
        // Two points after the end belong to derivatives: the next match's columns overwrite them.
        if ((status = read_columns(s, &all[i], stride, 1, values, derived)) != WW_OK)
            goto done;
    }
    if ((status = wwi_buffer_create(s->context, bytes, &buffer)) != WW_OK ||
        (status = wwi_buffer_write(buffer, 0, bytes, s->derivative ? derived : values)) != WW_OK ||
        (status = wwi_buffer_create(s->context, stride * s->value_bytes, &ends)) != WW_OK ||
        (status = wwi_buffer_create(s->context, stride * sizeof(int32_t), &starts)) != WW_OK ||
        (status = wwi_buffer_create(s->context, count * s->value_bytes, &last)) != WW_OK ||
        (status = wwi_buffer_create(s->context, count * sizeof(int32_t), &last_starts)) != WW_OK)
        goto done;
    const wwi_open_buffers b = {
        .values = buffer,
        .ends = ends,
        .starts = starts,
        .states_in = last, // not read: nothing goes on from a block before
        .states_out = last,
        .starts_in = last_starts,
        .starts_out = last_starts,
        .stride = stride,
        .begin_x = s->measure.relax_begin_x > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)s->measure.relax_begin_x};
    for (size_t i = 0; i < count; i++) {
        const wwi_open_tiling t = wwi_open_tile(s, all[i].candidate->row + 1, count, true);
        const uint32_t together = wwi_open_together(s, &t);
        uint64_t begin;
        (void)wwi_joined_stream(&s->joined, all[i].candidate->place, &begin);
        free(tasks);
        // Those that follow with the same tiling go together.
        size_t end = i;
        for (; end < count; end++) {
            const wwi_open_tiling other = wwi_open_tile(s, all[end].candidate->row + 1, count, true);
            if (memcmp(&other, &t, sizeof t) != 0)
                break;
        }
        tasks = malloc((end - i) * together * sizeof *tasks);
        if (!tasks) {
            status = wwi_fail_memory((end - i) * together * sizeof *tasks);
            goto done;
        }
        for (size_t k = i; k < end; k++)
            for (uint32_t g = 0; g < together; g++) {
                const wwi_query *own = &s->queries[all[k].query];
                (void)wwi_joined_stream(&s->joined, all[k].candidate->place, &begin);
                tasks[(k - i) * together + g] = (wwi_open_task){
                    .rows_of = all[k].at,
                    .x = own->x,
                    .n = all[k].candidate->row + 1,
                    .x_stride = own->n,
                    .first = 1 + all[k].at,
                    .count = (uint32_t)all[k].columns,
                    .flags = (all[k].candidate->place + 1 - all[k].columns == begin ? WWI_TASK_BEGIN : 0u) |
                             (all[k].whole ? 0u : WWI_TASK_INSIDE) | WWI_TASK_LAST | (g ? WWI_TASK_IDLE : 0u),
                    .state_out = (uint32_t)k};
            }
        if ((status = wwi_open_launch(s, &t, true, tasks, (end - i) * together, &b)) != WW_OK)
            goto done;
        i = end - 1;
    }
    if ((status = wwi_stream_read(s->stream, last, 0, count * s->value_bytes, found)) != WW_OK ||
        (status = wwi_stream_read(s->stream, last_starts, 0, count * sizeof *found_starts, found_starts)) != WW_OK)
        goto done;
    for (size_t i = 0; i < count; i++) {
        wwi_candidate *c = all[i].candidate;
        if (wwi_host_value(s, found, i) == c->value || all[i].whole)
            c->start = (int64_t)(c->place + 1 - all[i].columns) + found_starts[i];
    }
done:
    free(tasks);
    free(found_starts);
    free(found);
    WWI_BUFFERS_DESTROY(&last_starts, &last, &starts, &ends, &buffer);
    free(derived);
    free(values);
    return status;
}

ww_status wwi_open_starts(ww_search *s, wwi_candidate **picked, const size_t *found) {
    ww_status status = WW_OK;
    size_t all = 0;
    for (size_t q = 0; q < s->query_count; q++)
        all += found[q];
    wanted *list = malloc((all ? all : 1) * sizeof *list), *batch = malloc((all ? all : 1) * sizeof *batch);
    if (!list || !batch)
        status = wwi_fail_memory(all * sizeof *list);
    bool open = true;
    // In quarters of the query's length: some matches are short, few are much longer than their query.
    for (uint64_t times = 1; open && status == WW_OK; times = times == 1 ? 5 : 2 * times) {
        size_t count = 0;
        open = false;
        for (size_t q = 0; q < s->query_count; q++)
            for (size_t p = 0; p < found[q]; p++)
                if (picked[q][p].start < 0)
                    list[count++] = (wanted){&picked[q][p], q, times * s->queries[q].n / 4 + 16, 0, false};
        open = count > 0;
        for (size_t i = 0; i < count && status == WW_OK;) {
            // A batch has room for all of its columns; one match alone may have more.
            uint64_t points = 0;
            size_t end = i;
            while (end < count && (end == i || points + list[end].columns <= MOST_POINTS)) {
                uint64_t begin;
                (void)wwi_joined_stream(&s->joined, list[end].candidate->place, &begin);
                const uint64_t most = list[end].candidate->place - begin + 1;
                list[end].columns = list[end].columns < most ? list[end].columns : most;
                points += list[end].columns;
                batch[end - i] = list[end];
                end++;
            }
            if (points > UINT32_MAX / 2)
                status = wwi_fail(WW_ERROR_OVERFLOW, "a match has more than 2^31 points");
            else
                status = run_batch(s, batch, end - i, (size_t)points);
            i = end;
        }
    }
    free(batch);
    free(list);
    return status;
}
