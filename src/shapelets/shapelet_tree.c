// SPDX-License-Identifier: Apache-2.0
// Discovery of a tree and of the best shapelets. The search of a node is in shapelet_node.c, what a model is used for
// in shapelet_model.c, its file in shapelet_file.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/run.h"
#include "data/dataset_host.h"
#include "shapelets/shapelet_growth.h"

typedef struct wwi_growth_waiting {
    size_t node, first, count; // node, and its series in ids
} waiting;

static ww_status add_shapelet(wwi_growth *g, const wwi_shapelet_found *found, ww_shapelet_op op) {
    ww_shapelets *m = g->model;
    const wwi_shapelet_place *p = &found->place;
    const size_t length = wwi_shapelet_length(&g->leading->data, p->series);
    WWI_TRY(wwi_grow(&m->shapelets, &m->shapelet_capacity, m->shapelet_count + 1, sizeof *m->shapelets));
    wwi_shapelet *s = &m->shapelets[m->shapelet_count];
    *s = (wwi_shapelet){.series = p->series,
                        .start = p->start,
                        .length = p->length,
                        .label = g->classes[p->series],
                        .op = op,
                        .quality = found->score.quality,
                        .gain = found->score.gain,
                        .gap = wwi_shapelet_told(&g->leading->data, g->kind, found->score.gap),
                        .threshold = wwi_shapelet_told(&g->leading->data, g->kind, found->score.threshold)};
    WWI_TRY(wwi_new(s->values, m->channels * p->length));
    m->shapelet_count++;
    for (size_t ch = 0; ch < m->channels; ch++) {
        const double *from = g->leading->data.values + g->leading->data.offsets[p->series] + ch * length + p->start;
        for (size_t t = 0; t < p->length; t++)
            s->values[ch * p->length + t] = ldexp(from[t], -g->leading->data.exponents[ch]);
    }
    return WW_OK;
}

static ww_status add_node(wwi_growth *g, size_t first, size_t count, size_t depth) {
    ww_shapelets *m = g->model;
    const ww_shapelets_options *o = &g->options;
    size_t label = 0; // the most frequent class
    WWI_FREES size_t *counts = NULL;
    WWI_TRY(wwi_new_zeroed(counts, m->class_count));
    for (size_t i = 0; i < count; i++)
        counts[g->classes[g->ids[first + i]]]++;
    for (size_t k = 1; k < m->class_count; k++)
        label = counts[k] > counts[label] ? k : label;
    WWI_TRY(wwi_grow(&m->nodes, &m->node_room, m->node_count + 1, sizeof *m->nodes));
    WWI_TRY(wwi_grow(&g->waiting, &g->waiting_capacity, g->waiting_count + 1, sizeof *g->waiting));
    const size_t number = m->node_count++;
    m->nodes[number] = (ww_shapelet_node)WW_SHAPELET_NODE_INIT;
    m->nodes[number].depth = depth;
    m->nodes[number].series = count;
    m->nodes[number].label = label;
    if (counts[label] < count && count >= o->min_size && (!o->max_depth || depth < o->max_depth))
        g->waiting[g->waiting_count++] = (waiting){number, first, count};
    return WW_OK;
}

// A search for the best candidate of the node that is split; *there: 0 or 1. One that is finished is not made again.
static ww_status find_one(wwi_growth *g, const wwi_shapelet_node *node, wwi_shapelet_found *found, size_t *there) {
    wwi_growth_searches *s = &g->searches;
    if (s->next == s->count) {
        s->there[s->count] = 0;
        WWI_TRY(g->devices->find(g, node, 1, &s->found[s->count], &s->there[s->count]));
        s->count++;
    }
    *found = s->found[s->next];
    *there = s->there[s->next++];
    return WW_OK;
}

// The best shapelet: `known`, or found. There is none where no candidate has a gain.
static ww_status find_first(wwi_growth *g, wwi_shapelet_node *node, const wwi_shapelet_found *known,
                            wwi_growth_terms *t) {
    size_t there = 1;
    wwi_shapelet_after after = {.distances = t->distances};
    t->ops[0] = WW_SHAPELET_AND;
    node->after = &after;
    if (known)
        t->found[0] = *known;
    else
        WWI_TRY(find_one(g, node, &t->found[0], &there));
    node->after = NULL;
    if (!there || t->found[0].score.key < 1)
        return WW_OK;
    t->count = 1;
    // Not where several searches, or an earlier one, told it.
    const bool told = memcmp(&after.found.place, &t->found[0].place, sizeof after.found.place) == 0;
    return told ? WW_OK
                : wwi_shapelet_distances(&g->leading->device, &g->leading->data, node, &t->found[0].place, 1,
                                         t->distances);
}

// Another term that makes the joined split better, by AND or by OR, where there is one.
static ww_status find_next(wwi_growth *g, wwi_shapelet_node *node, wwi_growth_terms *t) {
    wwi_shapelet_device *device = &g->leading->device;
    const wwi_shapelet_data *data = &g->leading->data;
    const wwi_shapelet_found *last = &t->found[t->count - 1];
    wwi_shapelet_found better = *last, one;
    WWI_FREES double *own = NULL;
    WWI_TRY(wwi_new(own, node->count));
    WWI_TRY(wwi_shapelet_rounding(device, data, node, &last->place, own));
    for (size_t j = 0; j < node->count; j++)
        t->errors[j] = fmax(t->errors[j], own[j]);
    node->before = t->distances;
    node->before_errors = t->errors;
    g->terms = t;
    for (int which = 0; which < 2; which++) {
        size_t there;
        node->op = (ww_shapelet_op)which;
        WWI_TRY(find_one(g, node, &one, &there));
        if (there && one.score.key > last->score.key && wwi_shapelet_compare(&one, &better) < 0) {
            better = one;
            t->ops[t->count] = node->op;
        }
    }
    if (better.score.key == last->score.key)
        return WW_OK;
    node->op = t->ops[t->count];
    WWI_TRY(wwi_shapelet_distances(device, data, node, &better.place, 1, own));
    memcpy(t->distances, own, node->count * sizeof *own);
    t->found[t->count++] = better;
    return WW_OK;
}

// The best shapelet, then greedily those that make the joined split better.
static ww_status find_terms(wwi_growth *g, wwi_shapelet_node *node, const wwi_shapelet_found *known,
                            wwi_growth_terms *t) {
    WWI_TRY(find_first(g, node, known, t));
    for (size_t before = 0; t->count > before && t->count < g->options.terms && !g->progress.stopped;) {
        before = t->count;
        WWI_TRY(find_next(g, node, t));
    }
    return WW_OK;
}

// The classes of a node's series by number among those that it has. Returns how many these are. numbers: a zero for
// each class.
static size_t number_classes(const wwi_growth *g, const uint32_t *ids, size_t count, uint32_t *numbers,
                             uint32_t *classes) {
    uint32_t present = 0;
    for (size_t j = 0; j < count; j++)
        numbers[g->classes[ids[j]]] = 1;
    for (size_t k = 0; k < g->model->class_count; k++)
        if (numbers[k])
            numbers[k] = present++;
    for (size_t j = 0; j < count; j++)
        classes[j] = numbers[g->classes[ids[j]]];
    return present;
}

// Puts the series within the threshold before the others, each in their order, and returns how many they are.
static size_t divide(uint32_t *ids, size_t count, const double *distances, double threshold, uint32_t *spare) {
    size_t left = 0, right = 0;
    for (size_t j = 0; j < count; j++)
        if (distances[j] <= threshold)
            ids[left++] = ids[j];
        else
            spare[right++] = ids[j];
    memcpy(ids + left, spare, right * sizeof *ids);
    return left;
}

static ww_status split_node(wwi_growth *g, const waiting *w, const wwi_shapelet_found *known) {
    ww_shapelets *m = g->model;
    const size_t n = w->count;
    uint32_t *ids = g->ids + w->first;
    WWI_FREES uint32_t *numbers = NULL, *classes = NULL, *spare = NULL;
    WWI_FREES double *distances = NULL, *errors = NULL;
    WWI_TRY(wwi_new_zeroed(numbers, m->class_count));
    WWI_TRY(wwi_new(classes, n));
    WWI_TRY(wwi_new(spare, n));
    WWI_TRY(wwi_new(distances, n));
    WWI_TRY(wwi_new_zeroed(errors, n));
    const size_t class_count = number_classes(g, ids, n, numbers, classes);
    wwi_shapelet_node node = {.ids = ids, .classes = classes, .count = n, .class_count = class_count};
    wwi_growth_terms t = {.distances = distances, .errors = errors};
    WWI_TRY(find_terms(g, &node, known, &t));
    if (!t.count)
        return WW_OK;
    const wwi_shapelet_score *score = &t.found[t.count - 1].score;
    const size_t left = divide(ids, n, distances, score->threshold, spare);
    if (left == 0 || left == n)
        return WW_OK; // by a quality without a split
    ww_shapelet_node *at = &m->nodes[w->node];
    at->terms = t.count;
    at->first = m->shapelet_count;
    at->op = t.ops[t.count - 1];
    at->threshold = wwi_shapelet_told(&g->leading->data, g->kind, score->threshold);
    at->gain = score->gain;
    at->gap = wwi_shapelet_told(&g->leading->data, g->kind, score->gap);
    for (size_t i = 0; i < t.count; i++)
        WWI_TRY(add_shapelet(g, &t.found[i], t.ops[i]));
    // The nodes below. The left one is split next: it is the last of those that wait.
    const size_t depth = at->depth + 1, there = g->waiting_count;
    at->left = (int64_t)m->node_count;
    at->right = at->left + 1;
    WWI_TRY(add_node(g, w->first, left, depth));
    WWI_TRY(add_node(g, w->first + left, n - left, depth));
    if (g->waiting_count == there + 2) {
        const waiting swapped = g->waiting[there];
        g->waiting[there] = g->waiting[there + 1];
        g->waiting[there + 1] = swapped;
    }
    return WW_OK;
}

// Whether another device takes the place of the leading one, which failed by this.
static bool goes_on(wwi_growth *g, ww_status status) {
    g->searches.next = 0;
    return g->devices->replace && g->devices->replace(g, status);
}

static ww_status find_best(wwi_growth *g, const wwi_shapelet_node *root, wwi_shapelet_found *best) {
    ww_status status;
    size_t count;
    const ww_shapelets_options *o = &g->options;
    do {
        count = 0;
        status = g->devices->find(g, root, o->best, best, &count);
    } while (status != WW_OK && goes_on(g, status));
    WWI_TRY(status);
    if (count < o->best && !g->progress.stopped && !o->fewer)
        return wwi_shapelet_fail_few(o->best, count);
    for (size_t i = 0; i < count; i++)
        WWI_TRY(add_shapelet(g, &best[i], WW_SHAPELET_AND));
    g->model->best = g->model->shapelet_count;
    return WW_OK;
}

static ww_status grow_tree(wwi_growth *g, const wwi_shapelet_found *known) {
    WWI_TRY(add_node(g, 0, g->model->train, 0));
    while (g->waiting_count && !(g->progress.stopped && g->model->node_count > 1)) {
        const waiting w = g->waiting[--g->waiting_count];
        wwi_pace *pace = &g->progress.pace;
        // Nodes below are not known beforehand: the total grows with each.
        if (!known || w.node) {
            const wwi_shapelet_node node = {.ids = g->ids + w.first, .count = w.count};
            pace->total = pace->done + wwi_shapelet_cells(&g->leading->data, &g->options, &node);
        }
        // Until it is found nothing else has changed.
        g->searches.count = g->searches.next = 0;
        ww_status status;
        do
            status = split_node(g, &w, w.node ? NULL : known);
        while (status != WW_OK && goes_on(g, status));
        WWI_TRY(status);
    }
    return WW_OK;
}

// The series are on the devices.
static ww_status grow(wwi_growth *g) {
    WWI_FREES wwi_shapelet_found *best = NULL;
    const ww_shapelets_options *o = &g->options;
    const wwi_shapelet_node root = {
        .ids = g->ids, .classes = g->classes, .count = g->model->train, .class_count = g->model->class_count};
    wwi_shapelet_device *device = &g->leading->device;
    g->progress.pace = wwi_pace_make(device->stream, g->run.launch_seconds, g->run.progress, g->run.progress_user);
    g->progress.rate = wwi_pace_guess(wwi_context_info(device->context), device->gpu ? 20 : 1);
    g->progress.deadline = o->seconds > 0 ? wwi_seconds() + o->seconds : 0;
    wwi_pace_start(&g->progress.pace, wwi_shapelet_cells(&g->leading->data, o, &root));
    if (o->best) {
        WWI_TRY(wwi_new(best, o->best));
        WWI_TRY(find_best(g, &root, best));
    }
    if (!o->no_tree)
        WWI_TRY(grow_tree(g, g->model->best ? best : NULL));
    if (!g->run.progress)
        return WW_OK;
    g->progress.pace.done = g->progress.pace.total;
    return wwi_pace_report(&g->progress.pace, 0);
}

static ww_status prepare(wwi_growth *g, const ww_series_set *train, const ww_shapelets_options *given) {
    if (ww_series_set_count(train) < 2)
        return wwi_fail(WW_ERROR_EMPTY, "%zu series; shapelets need at least two, of two classes",
                        ww_series_set_count(train));
    WWI_TRY(wwi_growth_take_options(g, train, given));
    WWI_TRY(wwi_growth_take_classes(g, train));
    ww_shapelets *m = g->model;
    m->raw = g->options.raw != 0;
    m->unscaled = g->options.unscaled != 0;
    m->quality = g->options.quality;
    g->kind = (wwi_shapelet_kind){m->channels, m->raw, m->unscaled};
    WWI_TRY(g->devices->open(g, train));
    return wwi_shapelet_gains_open(m->train, &g->gains);
}

ww_status wwi_shapelets_grow(wwi_growth *g, const ww_series_set *train, const ww_shapelets_options *options,
                             ww_shapelets **shapelets) {
    const double start = wwi_seconds();
    WWI_TRY(wwi_new_zeroed(g->model, 1));
    ww_shapelets_info *info = &g->model->info;
    *info = (ww_shapelets_info)WW_SHAPELETS_INFO_INIT;
    ww_status status = prepare(g, train, options);
    if (status == WW_OK) {
        status = grow(g);
        status = wwi_finish_after(g->leading->device.stream, status);
    }
    g->devices->close(g);
    info->stopped = g->progress.stopped;
    info->candidates = g->progress.candidates;
    info->cells = g->progress.cells;
    info->examined = g->progress.examined;
    info->seconds_wall = wwi_seconds() - start;
    wwi_shapelet_gains_close(&g->gains);
    free(g->classes);
    free(g->ids);
    free(g->waiting);
    if (status != WW_OK)
        ww_shapelets_destroy(&g->model);
    *shapelets = g->model;
    return status;
}

// ---- one device

ww_status wwi_shapelet_worker_open(ww_context *context, const ww_run_options *run, wwi_shapelet_kind kind,
                                   const ww_series_set *train, wwi_shapelet_worker *worker) {
    WWI_TRY(wwi_shapelet_device_open(context, run, kind, &worker->device));
    WWI_TRY(wwi_shapelet_data_open(&worker->device, train, &worker->data));
    wwi_stream_start(worker->device.stream);
    return WW_OK;
}

void wwi_shapelet_worker_close(wwi_shapelet_worker *worker) {
    wwi_shapelet_data_close(&worker->data);
    wwi_shapelet_device_close(&worker->device);
}

ww_status wwi_growth_find_alone(wwi_growth *g, const wwi_shapelet_node *node, size_t k, wwi_shapelet_found *found,
                                size_t *count) {
    return wwi_shapelet_search(&g->leading->device, &g->leading->data, &g->gains, &g->options, node, k, &g->progress,
                               found, count);
}

typedef struct alone {
    ww_context *context;
    wwi_shapelet_worker leading;
} alone;

static ww_status open_alone(wwi_growth *g, const ww_series_set *train) {
    alone *a = g->user;
    g->leading = &a->leading;
    return wwi_shapelet_worker_open(a->context, &g->run, g->kind, train, &a->leading);
}

static void close_alone(wwi_growth *g) {
    alone *a = g->user;
    if (a->leading.device.stream) {
        g->model->info.launches = wwi_stream_launches(a->leading.device.stream);
        g->model->info.seconds_device = wwi_stream_seconds(a->leading.device.stream);
    }
    wwi_shapelet_worker_close(&a->leading);
}

ww_status wwi_shapelets_create_alone(ww_dataset *train, const ww_shapelets_options *options, ww_shapelets **shapelets) {
    static const wwi_shapelet_devices devices = {
        .open = open_alone, .find = wwi_growth_find_alone, .close = close_alone};
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    alone a = {.context = train->context};
    wwi_growth g = {.devices = &devices, .user = &a};
    WWI_TRY(wwi_dataset_series(train, &set));
    return wwi_shapelets_grow(&g, set, options, shapelets);
}
