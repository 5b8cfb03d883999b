// SPDX-License-Identifier: Apache-2.0
// A discovery that goes on: its checkpoint has the places that finished searches found, whose scores are computed
// again.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "files/output.h"
#include "shapelets/shapelet_growth.h"

// The sum of all that a search sees of the series.
static ww_status sum_series(const wwi_growth *g, char sum[65]) {
    const wwi_shapelet_data *d = &g->leading->data;
    const size_t values = d->offsets[d->count] * sizeof *d->values, offsets = (d->count + 1) * sizeof *d->offsets;
    const size_t classes = d->count * sizeof *g->classes, bytes = values + offsets + classes;
    WWI_FREES uint8_t *all = NULL;
    WWI_TRY(wwi_new(all, bytes));
    memcpy(all, d->offsets, offsets);
    memcpy(all + offsets, g->classes, classes);
    memcpy(all + offsets + classes, d->values, values);
    return ww_checksum(all, bytes, sum);
}

static ww_status identify(wwi_growth *g) {
    const ww_shapelets_options *o = &g->options;
    wwi_growth_texts *t = &g->texts;
    snprintf(t->options, sizeof t->options,
             "length %zu %zu %zu start %zu sample %zu seed %" PRIu64
             " quality %d raw %d unscaled %d no_tree %d best %zu "
             "depth %zu size %zu terms %zu channels %zu part %zu %zu",
             o->min_length, o->max_length, o->length_step, o->start_step, o->sample, o->seed, (int)o->quality,
             o->raw != 0, o->unscaled != 0, o->no_tree != 0, o->best, o->max_depth, o->min_size, o->terms,
             g->leading->data.channels, o->part_first, o->part_count);
    wwi_journal_device(g->leading->device.context, t->device);
    g->identity = (wwi_journal_identity){{"shapelets", t->inputs, t->options, t->device}};
    return sum_series(g, t->inputs);
}

ww_status wwi_growth_resume(wwi_growth *g) {
    if (!g->options.checkpoint)
        return WW_OK;
    WWI_TRY(identify(g));
    WWI_TRY(wwi_shapelet_past_read(g->options.checkpoint, &g->identity, &g->past));
    g->saved = wwi_seconds();
    // A folder that can't be written to is noticed before the search, not after its first minute.
    wwi_output probe;
    WWI_TRY(wwi_output_open(g->options.checkpoint, &probe));
    return wwi_output_close(&probe, false);
}

static ww_status remember(wwi_growth *g, const wwi_shapelet_found *found, size_t count) {
    wwi_shapelet_past *past = &g->past;
    WWI_TRY(wwi_grow(&past->found, &past->found_capacity, past->found_count + count + 1, sizeof *past->found));
    memcpy(past->found + past->found_count, found, count * sizeof *found);
    return WW_OK;
}

// After a part of a search.
static ww_status save_part(void *user, uint64_t columns, const wwi_shapelet_found *found, size_t count) {
    wwi_growth *g = user;
    WWI_TRY(remember(g, found, count));
    g->past.columns = columns;
    g->past.unfinished_count = count;
    if (wwi_seconds() - g->saved < g->options.checkpoint_seconds)
        return WW_OK;
    const ww_status status = wwi_shapelet_past_write(g->options.checkpoint, &g->identity, &g->past);
    g->saved = wwi_seconds();
    return status;
}

// A place that an earlier run found, with its score: computed again.
static ww_status score_place(wwi_growth *g, const wwi_shapelet_node *node, wwi_shapelet_found *found) {
    wwi_shapelet_device *device = &g->leading->device;
    const wwi_shapelet_data *data = &g->leading->data;
    const wwi_shapelet_place *place = &found->place;
    WWI_FREES double *distances = NULL;
    bool inside = false;
    for (size_t j = 0; j < node->count; j++)
        inside = inside || node->ids[j] == place->series;
    if (!inside || (size_t)place->start + place->length > wwi_shapelet_length(data, place->series) || place->length < 2)
        return wwi_fail(WW_ERROR_FORMAT, "the checkpoint %s names a candidate that there is not",
                        g->options.checkpoint);
    WWI_TRY(wwi_new(distances, node->count));
    WWI_TRY(wwi_shapelet_distances(device, data, node, place, 1, distances));
    return wwi_shapelet_judge(device, data, &g->gains, &g->options, node, distances, found);
}

// Places that an earlier run found, from the `first` on, with their scores.
static ww_status score_places(wwi_growth *g, const wwi_shapelet_node *node, size_t first, size_t count,
                              wwi_shapelet_found *found) {
    for (size_t i = 0; i < count; i++) {
        found[i] = g->past.found[first + i];
        WWI_TRY(score_place(g, node, &found[i]));
    }
    return WW_OK;
}

// The result of a search that an earlier run finished.
static ww_status replay(wwi_growth *g, const wwi_shapelet_node *node, size_t k, wwi_shapelet_found *found,
                        size_t *count) {
    const wwi_shapelet_past *past = &g->past;
    size_t first = 0;
    for (size_t i = 0; i < g->replayed; i++)
        first += past->counts[i];
    *count = past->counts[g->replayed++];
    if (*count > k)
        return wwi_fail(WW_ERROR_FORMAT, "the checkpoint %s has more results than were asked for",
                        g->options.checkpoint);
    return score_places(g, node, first, *count, found);
}

// A search is finished.
static ww_status keep(wwi_growth *g, const wwi_shapelet_found *found, size_t count) {
    wwi_shapelet_past *past = &g->past;
    WWI_TRY(remember(g, found, count));
    WWI_TRY(wwi_grow(&past->counts, &past->search_capacity, past->searches + 1, sizeof *past->counts));
    past->counts[past->searches++] = count;
    past->found_count += count;
    past->columns = past->unfinished_count = past->series_count = 0;
    g->replayed = past->searches;
    return WW_OK;
}

ww_status wwi_growth_divide(wwi_growth *g, size_t series) {
    wwi_shapelet_past *past = &g->past;
    if (!g->options.checkpoint || past->series_count == series)
        return WW_OK;
    if (past->series_count)
        return wwi_fail(WW_ERROR_FORMAT, "the checkpoint %s is of a node of %zu series, not of %zu",
                        g->options.checkpoint, past->series_count, series);
    free(past->series);
    WWI_TRY(wwi_new_zeroed(past->series, series));
    past->series_count = series;
    return WW_OK;
}

bool wwi_growth_has_series(const wwi_growth *g, size_t series) {
    return g->past.series_count && g->past.series[series];
}

ww_status wwi_growth_save_series(wwi_growth *g, size_t first, size_t count, const wwi_shapelet_found *found,
                                 size_t found_count) {
    if (!g->options.checkpoint)
        return WW_OK;
    memset(g->past.series + first, 1, count);
    return save_part(g, g->past.columns, found, found_count);
}

ww_status wwi_growth_find(wwi_growth *g, const wwi_shapelet_node *node, size_t k, wwi_shapelet_found *found,
                          size_t *count) {
    const wwi_shapelet_past *past = &g->past;
    *count = 0;
    if (!g->options.checkpoint)
        return g->devices->find(g, node, k, found, count);
    if (g->replayed < past->searches)
        return replay(g, node, k, found, count);
    g->progress.resume = past->columns;
    if (past->columns || past->series_count) {
        *count = wwi_least(past->unfinished_count, k);
        WWI_TRY(score_places(g, node, past->found_count, *count, found));
    }
    g->progress.save = save_part;
    g->progress.save_user = g;
    WWI_TRY(g->devices->find(g, node, k, found, count));
    return keep(g, found, *count);
}

ww_status wwi_growth_settle(wwi_growth *g, ww_status status) {
    const char *path = g->options.checkpoint;
    if (path && status == WW_OK)
        unlink(path);
    // The cancellation is the record that the caller reads.
    if (path && status == WW_ERROR_CANCELLED && g->saved > 0 &&
        wwi_shapelet_past_write(path, &g->identity, &g->past) == WW_OK)
        return wwi_fail(WW_ERROR_CANCELLED, "the progress function asked to stop; %s keeps what was found", path);
    return status;
}
