// SPDX-License-Identifier: Apache-2.0
// Discovery of a tree and of the best shapelets. The search of a node is in shapelet_node.c, what a model is used for
// in shapelet_model.c, its file in shapelet_file.c.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/run.h"
#include "data/dataset_host.h"
#include "files/output.h"
#include "options.h"
#include "shapelets/shapelet_model.h"

enum { MOST_TERMS = 8 };

typedef struct checkpoint_texts {
    char inputs[65], options[512], device[WWI_JOURNAL_DEVICE_BYTES];
} checkpoint_texts;

typedef struct growth {
    ww_context *context;
    ww_shapelets *model;
    ww_shapelets_options options;
    ww_run_options run;
    wwi_shapelet_device device;
    wwi_shapelet_data data;
    wwi_shapelet_gains gains;
    wwi_shapelet_progress progress;
    uint32_t *classes; // of each series
    uint32_t *ids;     // the series; those of a node are together
    size_t waiting_room;
    struct waiting *waiting; // nodes to be split
    size_t waiting_count;
    // the checkpoint
    checkpoint_texts texts;
    wwi_journal_identity identity; // these texts
    wwi_shapelet_past past;        // what an earlier run found, then what this one does
    size_t replayed;               // searches answered from it
    double saved;                  // when it was written
    bool resumable;
} growth;

typedef struct waiting {
    size_t node, first, count; // node, and its series in ids
} waiting;

// ---- options

static ww_status check_options(const ww_shapelets_options *o, const ww_series_set *train) {
    const size_t shortest = ww_series_set_min_length(train);
    if (shortest < 2)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "candidates have 2 points at least, but the shortest series has %zu",
                        shortest);
    if (o->min_length < 2)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "min_length is %zu; at least 2", o->min_length);
    if (o->max_length > shortest || o->min_length > shortest) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "candidates of %zu points, but the shortest series has %zu",
                 o->max_length > o->min_length ? o->max_length : o->min_length, shortest);
        return wwi_fail_hint("every series needs a window of every length");
    }
    if (o->min_length > o->max_length)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "min_length %zu is above max_length %zu", o->min_length,
                        o->max_length);
    if (o->length_step > INT32_MAX || o->start_step > INT32_MAX)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "length_step or start_step is above 2^31");
    if (!(o->seconds >= 0) || !(o->checkpoint_seconds >= 0))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "seconds or checkpoint_seconds is negative");
    if ((unsigned)o->quality > WW_SHAPELET_MOOD)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no quality %d", (int)o->quality);
    if (o->terms > MOST_TERMS)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu terms; at most %d", o->terms, MOST_TERMS);
    if (o->terms > 1 && o->unscaled)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "terms of different length need distances that length does not scale");
    if (o->no_tree && !o->best)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "no_tree, and no best: there is nothing to find");
    if (o->best > INT32_MAX)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "best is %zu", o->best);
    if (!o->part_count)
        return o->part_first ? wwi_fail(WW_ERROR_INVALID_ARGUMENT, "part_first is given, and part_count is 0") : WW_OK;
    if (!o->no_tree || o->sample)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a part of the candidates is for no_tree, and not for a sample");
    const size_t count = ww_series_set_count(train);
    if (o->part_first >= count || o->part_count > count - o->part_first)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "part_first %zu and part_count %zu; there are %zu series",
                        o->part_first, o->part_count, count);
    return WW_OK;
}

static ww_status take_options(growth *g, const ww_series_set *train, const ww_shapelets_options *given) {
    ww_shapelets_options *o = &g->options;
    ww_status status;
    *o = (ww_shapelets_options)WW_SHAPELETS_OPTIONS_INIT;
    if ((status = wwi_options_take(o, given, "ww_shapelets_options")) != WW_OK ||
        (status = wwi_run_take(o->run, &g->run)) != WW_OK)
        return status;
    const size_t shortest = ww_series_set_min_length(train);
    o->run = &g->run;
    o->min_length = o->min_length ? o->min_length : shortest < 3 ? shortest : 3;
    o->max_length = o->max_length ? o->max_length : shortest;
    o->length_step = o->length_step ? o->length_step : 1;
    o->start_step = o->start_step ? o->start_step : 1;
    o->terms = o->terms ? o->terms : 1;
    o->min_size = o->min_size ? o->min_size : 2;
    o->checkpoint_seconds = o->checkpoint_seconds > 0 ? o->checkpoint_seconds : 60;
    return check_options(o, train);
}

static ww_status take_classes(growth *g, const ww_series_set *train) {
    ww_shapelets *m = g->model;
    m->class_count = ww_series_set_class_count(train);
    m->train = ww_series_set_count(train);
    m->channels = ww_series_set_channels(train);
    for (size_t i = 0; i < m->train; i++)
        if (ww_series_set_class(train, i) < 0) {
            wwi_fail(WW_ERROR_NO_LABELS, "series %zu has no label", i);
            return wwi_fail_where((int64_t)i, -1);
        }
    if (m->class_count < 2)
        return wwi_fail(WW_ERROR_NO_LABELS, "all series are of one class: there is nothing to tell apart");
    if (m->class_count >> 16)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "%zu classes; at most 65535", m->class_count);
    m->names = calloc(m->class_count, sizeof *m->names);
    g->classes = malloc(m->train * sizeof *g->classes);
    g->ids = malloc(m->train * sizeof *g->ids);
    if (!m->names || !g->classes || !g->ids)
        return wwi_fail_memory(m->train * sizeof *g->ids);
    for (size_t k = 0; k < m->class_count; k++)
        if (!(m->names[k] = strdup(ww_series_set_class_name(train, k))))
            return wwi_fail_memory(strlen(ww_series_set_class_name(train, k)));
    for (size_t i = 0; i < m->train; i++) {
        g->classes[i] = (uint32_t)ww_series_set_class(train, i);
        g->ids[i] = (uint32_t)i;
    }
    return WW_OK;
}

// ---- the checkpoint

// The sum of all that a search sees of the series.
static ww_status sum_series(const growth *g, char sum[65]) {
    const size_t values = g->data.offsets[g->data.count] * sizeof(double), offsets = (g->data.count + 1) * 8;
    const size_t classes = g->data.count * 4, bytes = values + offsets + classes;
    uint8_t *all = malloc(bytes);
    if (!all)
        return wwi_fail_memory(bytes);
    memcpy(all, g->data.offsets, offsets);
    memcpy(all + offsets, g->classes, classes);
    memcpy(all + offsets + classes, g->data.values, values);
    const ww_status status = ww_checksum(all, bytes, sum);
    free(all);
    return status;
}

static ww_status identify(growth *g) {
    const ww_shapelets_options *o = &g->options;
    checkpoint_texts *t = &g->texts;
    snprintf(t->options, sizeof t->options,
             "length %zu %zu %zu start %zu sample %zu seed %" PRIu64
             " quality %d raw %d unscaled %d no_tree %d best %zu "
             "depth %zu size %zu terms %zu channels %zu part %zu %zu",
             o->min_length, o->max_length, o->length_step, o->start_step, o->sample, o->seed, (int)o->quality,
             o->raw != 0, o->unscaled != 0, o->no_tree != 0, o->best, o->max_depth, o->min_size, o->terms,
             g->data.channels, o->part_first, o->part_count);
    wwi_journal_device(g->context, t->device);
    g->identity = (wwi_journal_identity){{"shapelets", t->inputs, t->options, t->device}};
    return sum_series(g, t->inputs);
}

static ww_status open_checkpoint(growth *g) {
    bool there = false;
    ww_status status;
    if (!g->options.checkpoint)
        return WW_OK;
    if ((status = identify(g)) != WW_OK ||
        (status = wwi_shapelet_past_read(g->options.checkpoint, &g->identity, &g->past, &there)) != WW_OK)
        return status;
    g->saved = wwi_seconds();
    // A folder that can't be written to is noticed before the search, not after its first minute.
    wwi_output probe;
    return (status = wwi_output_open(g->options.checkpoint, &probe)) == WW_OK ? wwi_output_close(&probe, false)
                                                                              : status;
}

static ww_status remember(growth *g, const wwi_shapelet_found *found, size_t count) {
    wwi_shapelet_past *past = &g->past;
    const ww_status status =
        wwi_grow(&past->found, &past->found_room, past->found_count + count + 1, sizeof *past->found);
    if (status == WW_OK)
        memcpy(past->found + past->found_count, found, count * sizeof *found);
    return status;
}

// After a part of a search.
static ww_status save_part(void *user, uint64_t columns, const wwi_shapelet_found *found, size_t count) {
    growth *g = user;
    ww_status status = remember(g, found, count);
    g->past.columns = columns;
    g->past.unfinished_count = count;
    if (status == WW_OK && wwi_seconds() - g->saved >= g->options.checkpoint_seconds) {
        status = wwi_shapelet_past_write(g->options.checkpoint, &g->identity, &g->past);
        g->saved = wwi_seconds();
    }
    return status;
}

// A place that an earlier run found, with its score: computed again.
static ww_status score_place(growth *g, const wwi_shapelet_node *node, wwi_shapelet_found *found) {
    ww_status status;
    const wwi_shapelet_place *place = &found->place;
    double *distances = malloc(node->count * sizeof *distances);
    uint32_t *order = malloc(node->count * sizeof *order);
    size_t *counts = malloc(2 * node->class_count * sizeof *counts);
    bool inside = false;
    if (!distances || !order || !counts) {
        status = wwi_fail_memory(node->count * sizeof *distances);
        goto done;
    }
    for (size_t j = 0; j < node->count; j++)
        inside = inside || node->ids[j] == place->series;
    if (!inside || (size_t)place->start + place->length > wwi_shapelet_length(&g->data, place->series) ||
        place->length < 2) {
        status =
            wwi_fail(WW_ERROR_FORMAT, "the checkpoint %s names a candidate that there is not", g->options.checkpoint);
        goto done;
    }
    const wwi_shapelet_pattern pattern = wwi_shapelet_pattern_at(&g->data, place);
    if ((status = wwi_shapelet_exact(&g->device, &g->data, node->ids, node->count, &pattern, 1, distances, NULL)) !=
        WW_OK)
        goto done;
    for (size_t j = 0; j < node->count; j++) {
        distances[j] = node->ids[j] == place->series ? 0 : distances[j];
        if (node->before)
            distances[j] = wwi_shapelet_join(node->op, distances[j], node->before[j]);
    }
    status = wwi_shapelet_judge(&g->device, &g->data, &g->gains, &g->options, node, distances, order, counts, found);
done:
    free(distances);
    free(order);
    free(counts);
    return status;
}

// ---- growth

// A search, or its result from the checkpoint.
static ww_status find(growth *g, const wwi_shapelet_node *node, size_t k, wwi_shapelet_found *found, size_t *count) {
    ww_status status = WW_OK;
    wwi_shapelet_past *past = &g->past;
    const bool keeps = g->options.checkpoint != NULL;
    *count = 0;
    if (g->replayed < past->searches) {
        size_t first = 0;
        for (size_t i = 0; i < g->replayed; i++)
            first += past->counts[i];
        *count = past->counts[g->replayed++];
        if (*count > k)
            return wwi_fail(WW_ERROR_FORMAT, "the checkpoint %s has more results than were asked for",
                            g->options.checkpoint);
        for (size_t i = 0; status == WW_OK && i < *count; i++) {
            found[i] = past->found[first + i];
            status = score_place(g, node, &found[i]);
        }
        return status;
    }
    g->progress.resume = keeps ? past->columns : 0;
    if (g->progress.resume) {
        *count = past->unfinished_count < k ? past->unfinished_count : k;
        for (size_t i = 0; status == WW_OK && i < *count; i++) {
            found[i] = past->found[past->found_count + i];
            status = score_place(g, node, &found[i]);
        }
    }
    g->progress.save = keeps ? save_part : NULL;
    g->progress.save_user = g;
    if (status == WW_OK)
        status = wwi_shapelet_search(&g->device, &g->data, &g->gains, &g->options, node, k, &g->progress, found, count);
    if (status != WW_OK || !keeps)
        return status;
    if ((status = remember(g, found, *count)) != WW_OK ||
        (status = wwi_grow(&past->counts, &past->search_room, past->searches + 1, sizeof *past->counts)) != WW_OK)
        return status;
    past->counts[past->searches++] = *count;
    past->found_count += *count;
    past->columns = past->unfinished_count = 0;
    g->replayed = past->searches;
    return WW_OK;
}

static ww_status add_shapelet(growth *g, const wwi_shapelet_found *found, ww_shapelet_op op) {
    ww_shapelets *m = g->model;
    const wwi_shapelet_place *p = &found->place;
    const size_t length = wwi_shapelet_length(&g->data, p->series);
    const ww_status status = wwi_grow(&m->shapelets, &m->shapelet_room, m->shapelet_count + 1, sizeof *m->shapelets);
    if (status != WW_OK)
        return status;
    wwi_shapelet *s = &m->shapelets[m->shapelet_count];
    *s = (wwi_shapelet){.series = p->series,
                        .start = p->start,
                        .length = p->length,
                        .label = g->classes[p->series],
                        .op = op,
                        .quality = found->score.quality,
                        .gain = found->score.gain,
                        .gap = found->score.gap,
                        .threshold = found->score.threshold};
    if (!(s->values = malloc(m->channels * p->length * sizeof *s->values)))
        return wwi_fail_memory(m->channels * p->length * sizeof *s->values);
    m->shapelet_count++;
    for (size_t ch = 0; ch < m->channels; ch++)
        memcpy(s->values + ch * p->length, g->data.values + g->data.offsets[p->series] + ch * length + p->start,
               p->length * sizeof *s->values);
    return WW_OK;
}

// Counts classes: the most frequent, and whether there is only one.
static ww_status most_frequent(const growth *g, const uint32_t *ids, size_t count, size_t *best, bool *pure) {
    size_t *counts = calloc(g->model->class_count, sizeof *counts);
    if (!counts)
        return wwi_fail_memory(g->model->class_count * sizeof *counts);
    for (size_t i = 0; i < count; i++)
        counts[g->classes[ids[i]]]++;
    *best = 0;
    for (size_t k = 1; k < g->model->class_count; k++)
        *best = counts[k] > counts[*best] ? k : *best;
    *pure = counts[*best] == count;
    free(counts);
    return WW_OK;
}

static ww_status add_node(growth *g, size_t first, size_t count, size_t depth, size_t *number) {
    ww_status status;
    ww_shapelets *m = g->model;
    bool pure = false;
    size_t label = 0;
    if ((status = most_frequent(g, g->ids + first, count, &label, &pure)) != WW_OK ||
        (status = wwi_grow(&m->nodes, &m->node_room, m->node_count + 1, sizeof *m->nodes)) != WW_OK ||
        (status = wwi_grow(&g->waiting, &g->waiting_room, g->waiting_count + 1, sizeof *g->waiting)) != WW_OK)
        return status;
    *number = m->node_count++;
    m->nodes[*number] = (ww_shapelet_node)WW_SHAPELET_NODE_INIT;
    m->nodes[*number].depth = depth;
    m->nodes[*number].series = count;
    m->nodes[*number].label = label;
    const ww_shapelets_options *o = &g->options;
    if (!pure && count >= o->min_size && (!o->max_depth || depth < o->max_depth))
        g->waiting[g->waiting_count++] = (waiting){*number, first, count};
    return WW_OK;
}

// Distances of a node's series to its terms together; those to the last term are joined to `distances`.
static ww_status join(growth *g, const wwi_shapelet_node *node, const wwi_shapelet_found *found, ww_shapelet_op op,
                      bool first, double *distances) {
    const wwi_shapelet_place *p = &found->place;
    const wwi_shapelet_pattern pattern = wwi_shapelet_pattern_at(&g->data, p);
    double *own = malloc(node->count * sizeof *own);
    if (!own)
        return wwi_fail_memory(node->count * sizeof *own);
    const ww_status status = wwi_shapelet_exact(&g->device, &g->data, node->ids, node->count, &pattern, 1, own, NULL);
    for (size_t j = 0; status == WW_OK && j < node->count; j++) {
        const double d = node->ids[j] == p->series ? 0 : own[j];
        distances[j] = first ? d : wwi_shapelet_join(op, distances[j], d);
    }
    free(own);
    return status;
}

// Adds to `errors` what the distances of a node's series to a term are off by.
static ww_status join_errors(growth *g, const wwi_shapelet_node *node, const wwi_shapelet_found *found,
                             double *errors) {
    double *own = malloc(node->count * sizeof *own);
    if (!own)
        return wwi_fail_memory(node->count * sizeof *own);
    const ww_status status = wwi_shapelet_rounding(&g->device, &g->data, node->ids, node->count, &found->place, own);
    for (size_t j = 0; status == WW_OK && j < node->count; j++)
        errors[j] = fmax(errors[j], own[j]);
    free(own);
    return status;
}

// The terms of a node: the best shapelet, then greedily those that make the joined split better. errors: zeros.
static ww_status find_terms(growth *g, wwi_shapelet_node *node, const wwi_shapelet_found *known, double *distances,
                            double *errors, wwi_shapelet_found *terms, ww_shapelet_op *ops, size_t *count) {
    ww_status status = WW_OK;
    size_t there = 0;
    wwi_shapelet_after after = {.distances = distances};
    *count = 0;
    node->before = NULL;
    if (known) {
        terms[0] = *known;
        there = 1;
    } else {
        node->after = &after;
        status = find(g, node, 1, &terms[0], &there);
        node->after = NULL;
        if (status != WW_OK)
            return status;
    }
    if (!there || terms[0].score.key < 1)
        return WW_OK;
    ops[0] = WW_SHAPELET_AND;
    *count = 1;
    // Not where a checkpoint told it.
    if (memcmp(&after.found.place, &terms[0].place, sizeof terms[0].place) != 0 &&
        (status = join(g, node, &terms[0], ops[0], true, distances)) != WW_OK)
        return status;
    while (*count < g->options.terms && !g->progress.stopped) {
        if ((status = join_errors(g, node, &terms[*count - 1], errors)) != WW_OK)
            return status;
        wwi_shapelet_found better = terms[*count - 1];
        ww_shapelet_op op = WW_SHAPELET_AND;
        bool any = false;
        for (int which = 0; status == WW_OK && which < 2; which++) {
            wwi_shapelet_found one;
            node->before = distances;
            node->before_errors = errors;
            node->op = (ww_shapelet_op)which;
            status = find(g, node, 1, &one, &there);
            if (status == WW_OK && there && one.score.key > terms[*count - 1].score.key &&
                (!any || wwi_shapelet_compare(&one, &better) < 0)) {
                better = one;
                op = node->op;
                any = true;
            }
        }
        node->before = NULL;
        if (status != WW_OK || !any)
            break;
        terms[*count] = better;
        ops[(*count)++] = op;
        status = join(g, node, &better, op, false, distances);
    }
    return status;
}

// The classes of a node's series by number among those that it has. Returns how many these are.
static size_t number_classes(const growth *g, const uint32_t *ids, size_t count, uint32_t *numbers, uint32_t *classes) {
    uint32_t present = 0;
    memset(numbers, 0, g->model->class_count * sizeof *numbers);
    for (size_t j = 0; j < count; j++)
        numbers[g->classes[ids[j]]] = 1;
    for (size_t k = 0; k < g->model->class_count; k++)
        if (numbers[k])
            numbers[k] = present++;
    for (size_t j = 0; j < count; j++)
        classes[j] = numbers[g->classes[ids[j]]];
    return present;
}

static ww_status split_node(growth *g, const waiting *w, const wwi_shapelet_found *known) {
    ww_status status;
    ww_shapelets *m = g->model;
    wwi_shapelet_found terms[MOST_TERMS];
    ww_shapelet_op ops[MOST_TERMS];
    size_t count = 0, left = 0, below[2];
    uint32_t *ids = g->ids + w->first;
    uint32_t *classes = malloc(w->count * sizeof *classes), *sorted = malloc(w->count * sizeof *sorted);
    uint32_t *numbers = malloc(m->class_count * sizeof *numbers);
    double *distances = malloc(w->count * sizeof *distances), *errors = calloc(w->count, sizeof *errors);
    if (!classes || !sorted || !numbers || !distances || !errors) {
        status = wwi_fail_memory(w->count * sizeof *distances);
        goto done;
    }
    wwi_shapelet_node node = {ids,  classes, w->count,        number_classes(g, ids, w->count, numbers, classes),
                              NULL, NULL,    WW_SHAPELET_AND, NULL};
    if ((status = find_terms(g, &node, known, distances, errors, terms, ops, &count)) != WW_OK || !count)
        goto done;
    const wwi_shapelet_score *score = &terms[count - 1].score;
    size_t right = w->count;
    for (size_t j = 0; j < w->count; j++)
        left += distances[j] <= score->threshold;
    if (left == 0 || left == w->count)
        goto done; // by a quality without a split
    for (size_t j = 0, l = 0, r = left; j < w->count; j++)
        sorted[distances[j] <= score->threshold ? l++ : r++] = ids[j];
    memcpy(ids, sorted, w->count * sizeof *ids);
    right -= left;
    ww_shapelet_node *at = &m->nodes[w->node];
    at->terms = count;
    at->first = m->shapelet_count;
    at->op = ops[count - 1];
    at->threshold = score->threshold;
    at->gain = score->gain;
    at->gap = score->gap;
    for (size_t i = 0; status == WW_OK && i < count; i++)
        status = add_shapelet(g, &terms[i], ops[i]);
    const size_t depth = at->depth + 1;
    // The left one is split next: it was added last.
    if (status == WW_OK && (status = add_node(g, w->first, left, depth, &below[0])) == WW_OK) {
        const bool open = g->waiting_count && g->waiting[g->waiting_count - 1].node == below[0];
        const waiting kept = open ? g->waiting[--g->waiting_count] : *w;
        status = add_node(g, w->first + left, right, depth, &below[1]);
        if (status == WW_OK && open)
            status = wwi_grow(&g->waiting, &g->waiting_room, g->waiting_count + 1, sizeof *g->waiting);
        if (status == WW_OK && open)
            g->waiting[g->waiting_count++] = kept;
        m->nodes[w->node].left = (int64_t)below[0];
        m->nodes[w->node].right = (int64_t)below[1];
    }
done:
    free(classes);
    free(sorted);
    free(numbers);
    free(distances);
    free(errors);
    return status;
}

static ww_status find_best(growth *g, wwi_shapelet_found *best) {
    ww_status status;
    size_t count = 0;
    const wwi_shapelet_node root = {g->ids, g->classes, g->data.count,   g->model->class_count,
                                    NULL,   NULL,       WW_SHAPELET_AND, NULL};
    if ((status = find(g, &root, g->options.best, best, &count)) != WW_OK)
        return status;
    if (count < g->options.best && !g->progress.stopped && !g->options.part_count)
        return wwi_shapelet_fail_few(g->options.best, count);
    g->model->best = count;
    for (size_t i = 0; status == WW_OK && i < count; i++)
        status = add_shapelet(g, &best[i], WW_SHAPELET_AND);
    return status;
}

static ww_status grow_tree(growth *g, const wwi_shapelet_found *known) {
    ww_status status;
    size_t root;
    if ((status = add_node(g, 0, g->data.count, 0, &root)) != WW_OK)
        return status;
    while (status == WW_OK && g->waiting_count && !(g->progress.stopped && g->model->node_count > 1)) {
        const waiting w = g->waiting[--g->waiting_count];
        const wwi_pace *pace = &g->progress.pace;
        // Nodes below are not known beforehand: the total grows with each.
        if (!known || w.node != root) {
            const uint64_t cells = wwi_shapelet_cells(&g->data, &g->options, g->ids + w.first, w.count);
            g->progress.pace.total = pace->done + cells;
        }
        status = split_node(g, &w, w.node == root ? known : NULL);
    }
    return status;
}

static ww_status create(growth *g, const ww_series_set *train, const ww_shapelets_options *given) {
    ww_status status;
    wwi_shapelet_found *best = NULL;
    if ((status = take_options(g, train, given)) != WW_OK || (status = take_classes(g, train)) != WW_OK)
        return status;
    const ww_shapelets_options *o = &g->options;
    ww_shapelets *m = g->model;
    m->raw = o->raw != 0;
    m->unscaled = o->unscaled != 0;
    m->quality = o->quality;
    const wwi_shapelet_kind kind = {m->channels, m->raw, m->unscaled};
    if ((status = wwi_shapelet_device_open(g->context, &g->run, kind, &g->device)) != WW_OK ||
        (status = wwi_shapelet_data_open(&g->device, train, &g->data)) != WW_OK ||
        (status = wwi_shapelet_gains_open(m->train, &g->gains)) != WW_OK || (status = open_checkpoint(g)) != WW_OK)
        return status;
    g->progress.pace = wwi_pace_make(g->device.stream, g->run.launch_seconds, g->run.progress, g->run.progress_user);
    g->progress.rate = wwi_pace_guess(wwi_context_info(g->context), g->device.gpu ? 20 : 1);
    g->progress.deadline = o->seconds > 0 ? wwi_seconds() + o->seconds : 0;
    wwi_stream_start(g->device.stream);
    wwi_pace_start(&g->progress.pace, wwi_shapelet_cells(&g->data, o, g->ids, m->train));
    if (o->best) {
        if (!(best = malloc(o->best * sizeof *best)))
            return wwi_fail_memory(o->best * sizeof *best);
        status = find_best(g, best);
    }
    if (status == WW_OK && !o->no_tree)
        status = grow_tree(g, m->best ? best : NULL);
    free(best);
    if (status == WW_OK && g->run.progress) {
        g->progress.pace.done = g->progress.pace.total;
        status = wwi_pace_report(&g->progress.pace, 0);
    }
    return wwi_finish_after(g->device.stream, status);
}

ww_status ww_shapelets_create(ww_dataset *train, const ww_shapelets_options *options, ww_shapelets **shapelets) {
    growth g;
    ww_series_set *set = NULL;
    const double start = wwi_seconds();
    if (shapelets)
        *shapelets = NULL;
    if (!train || !shapelets)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "train or shapelets is NULL");
    if (train->count < 2)
        return wwi_fail(WW_ERROR_EMPTY, "%zu series; shapelets need at least two, of two classes", train->count);
    memset(&g, 0, sizeof g);
    if (!(g.model = calloc(1, sizeof *g.model)))
        return wwi_fail_memory(sizeof *g.model);
    g.model->info = (ww_shapelets_info)WW_SHAPELETS_INFO_INIT;
    g.context = train->context;
    ww_status status = wwi_dataset_series(train, &set);
    if (status == WW_OK)
        status = create(&g, set, options);
    if (status == WW_ERROR_CANCELLED && g.options.checkpoint) {
        // The cancellation is the record that the caller reads.
        if (wwi_shapelet_past_write(g.options.checkpoint, &g.identity, &g.past) == WW_OK)
            status = wwi_fail(WW_ERROR_CANCELLED, "the progress function asked to stop; %s keeps what was found",
                              g.options.checkpoint);
    } else if (status == WW_OK && g.options.checkpoint) {
        unlink(g.options.checkpoint);
    }
    ww_shapelets_info *info = &g.model->info;
    info->stopped = g.progress.stopped;
    info->candidates = g.progress.candidates;
    info->cells = g.progress.cells;
    info->examined = g.progress.examined;
    if (g.device.stream) {
        info->launches = wwi_stream_launches(g.device.stream);
        info->seconds_device = wwi_stream_seconds(g.device.stream);
    }
    info->seconds_wall = wwi_seconds() - start;
    ww_series_set_destroy(&set);
    wwi_shapelet_past_free(&g.past);
    wwi_shapelet_gains_close(&g.gains);
    wwi_shapelet_data_close(&g.data);
    wwi_shapelet_device_close(&g.device);
    free(g.classes);
    free(g.ids);
    free(g.waiting);
    if (status == WW_OK)
        *shapelets = g.model;
    else
        ww_shapelets_destroy(&g.model);
    return status;
}
