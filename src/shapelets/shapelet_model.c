// SPDX-License-Identifier: Apache-2.0
// What a model of shapelets is used for: reading it, the transform, prediction.
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "data/dataset_host.h"
#include "options.h"
#include "shapelets/shapelet_model.h"

void ww_shapelets_destroy(ww_shapelets **shapelets) {
    ww_shapelets *m = wwi_taken(shapelets);
    if (!m)
        return;
    for (size_t k = 0; m->names && k < m->class_count; k++)
        free(m->names[k]);
    for (size_t i = 0; i < m->shapelet_count; i++)
        free(m->shapelets[i].values);
    free(m->names);
    free(m->shapelets);
    free(m->nodes);
    free(m);
}

ww_status wwi_shapelet_fail_few(size_t wanted, size_t there) {
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu best shapelets were asked for; without overlap there are %zu", wanted,
             there);
    return wwi_fail_hint("ask for fewer, or allow shorter candidates");
}

ww_status ww_shapelets_get_info(const ww_shapelets *m, ww_shapelets_info *info) {
    WWI_NEEDS("shapelets, info", m, info);
    ww_shapelets_info own = m->info;
    own.classes = m->class_count;
    own.channels = m->channels;
    own.train = m->train;
    own.nodes = m->node_count;
    own.shapelets = m->shapelet_count;
    own.best = m->best;
    own.raw = m->raw;
    own.unscaled = m->unscaled;
    own.quality = m->quality;
    own.longest = 0;
    for (size_t i = 0; i < m->shapelet_count; i++)
        if (m->shapelets[i].length > own.longest)
            own.longest = m->shapelets[i].length;
    return wwi_struct_give(info, &own, "ww_shapelets_info");
}

ww_status ww_shapelets_get_shapelet(const ww_shapelets *m, size_t i, ww_shapelet *shapelet) {
    WWI_NEEDS("shapelets, shapelet", m, shapelet);
    if (i >= m->shapelet_count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no shapelet %zu; there are %zu", i, m->shapelet_count);
    const wwi_shapelet *s = &m->shapelets[i];
    const ww_shapelet own = {sizeof own, s->series, s->start, s->length,    s->label,
                             s->quality, s->gain,   s->gap,   s->threshold, s->values};
    return wwi_struct_give(shapelet, &own, "ww_shapelet");
}

ww_status ww_shapelets_get_node(const ww_shapelets *m, size_t i, ww_shapelet_node *node) {
    WWI_NEEDS("shapelets, node", m, node);
    if (i >= m->node_count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "there is no node %zu; there are %zu", i, m->node_count);
    return wwi_struct_give(node, &m->nodes[i], "ww_shapelet_node");
}

ww_shapelet_op ww_shapelets_get_op(const ww_shapelets *m, size_t i) {
    return m && i < m->shapelet_count ? m->shapelets[i].op : WW_SHAPELET_AND;
}

const char *ww_shapelets_class_name(const ww_shapelets *m, size_t k) {
    return m && k < m->class_count ? m->names[k] : NULL;
}

// ---- use

static ww_status check_channels(const ww_shapelets *m, const ww_dataset *series) {
    if (series->channels == m->channels)
        return WW_OK;
    return wwi_fail(WW_ERROR_CHANNELS, "the series have %zu channels, the shapelets %zu", series->channels,
                    m->channels);
}

enum { AT_ONCE = 64, PART = 4096 };

// Room for a part of the series and some patterns.
typedef struct block {
    wwi_shapelet_pattern patterns[AT_ONCE];
    uint32_t ids[PART], at[PART * AT_ONCE];
    double distances[PART * AT_ONCE];
} block;

// Windows' points times shapelets' points that a compute unit is taken to do in a clock, before it is known: few.
#define FIRST_GPU 1.0
#define FIRST_CPU (1.0 / 16)

// The windows of shapelets first to first + count - 1 as the series are scaled; begins[i]: where the i-th is.
static ww_status scale_windows(const ww_shapelets *m, const wwi_shapelet_data *data, wwi_shapelet_kind kind,
                               size_t first, size_t count, size_t *begins, double **values) {
    size_t all = 0;
    for (size_t i = 0; i < count; i++) {
        begins[i] = all;
        all += m->channels * m->shapelets[first + i].length;
    }
    WWI_TRY(wwi_new(*values, all));
    for (size_t i = 0; i < count; i++) {
        const wwi_shapelet *s = &m->shapelets[first + i];
        memcpy(*values + begins[i], s->values, m->channels * s->length * sizeof *s->values);
        wwi_shapelet_scale(data, kind, *values + begins[i], s->length);
    }
    return WW_OK;
}

static ww_status transform(const ww_shapelets *m, wwi_shapelet_device *device, const wwi_shapelet_data *data,
                           const ww_run_options *run, size_t first, size_t count, block *b, double *distances,
                           uint64_t *starts) {
    const size_t n = data->count;
    const wwi_pace pace = wwi_pace_make(device->stream, run->launch_seconds, run->progress, run->progress_user);
    double rate = wwi_pace_guess(wwi_context_info(device->context), device->gpu ? FIRST_GPU : FIRST_CPU), cells = 0;
    WWI_FREES size_t *begins = NULL;
    WWI_FREES double *values = NULL;
    WWI_TRY(wwi_new(begins, count));
    WWI_TRY(scale_windows(m, data, device->kind, first, count, begins, &values));
    for (size_t i = 0; i < count && i < AT_ONCE; i++)
        cells += (double)data->longest * (double)m->shapelets[first + i].length;
    for (size_t begin = 0, some; begin < n; begin += some) {
        some = wwi_least(n - begin, PART);
        if (run->progress)
            some = wwi_pace_units(&pace, rate, some, cells);
        for (size_t j = 0; j < some; j++)
            b->ids[j] = (uint32_t)(begin + j);
        for (size_t p = 0; p < count; p += AT_ONCE) {
            const size_t many = wwi_least(count - p, AT_ONCE);
            for (size_t i = 0; i < many; i++) {
                const wwi_shapelet *s = &m->shapelets[first + p + i];
                b->patterns[i] = (wwi_shapelet_pattern){values + begins[p + i], s->length, s->length};
            }
            const double start = wwi_seconds();
            WWI_TRY(wwi_shapelet_exact(device, data, b->ids, some, b->patterns, many, b->distances, b->at));
            if (many == wwi_least(count, AT_ONCE))
                rate = wwi_pace_learn(&pace, rate, (double)some * cells, wwi_seconds() - start);
            for (size_t i = 0; i < many; i++)
                for (size_t j = 0; j < some; j++) {
                    distances[(begin + j) * count + p + i] =
                        wwi_shapelet_told(data, device->kind, b->distances[i * some + j]);
                    if (starts)
                        starts[(begin + j) * count + p + i] = b->at[i * some + j];
                }
            WWI_TRY(wwi_run_report(run->progress, run->progress_user, begin * count + some * (p + many), n * count));
        }
    }
    return WW_OK;
}

ww_status ww_shapelets_transform(const ww_shapelets *m, ww_dataset *series, const ww_run_options *given, size_t first,
                                 size_t count, double *distances, uint64_t *starts) {
    WWI_FREES block *b = NULL;
    WWI_ENDS(wwi_shapelet_device_close) wwi_shapelet_device device = {0};
    WWI_ENDS(wwi_shapelet_data_close) wwi_shapelet_data data = {0};
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    ww_run_options run;
    WWI_NEEDS("shapelets, series, distances", m, series, distances);
    if (count == 0 || first > m->shapelet_count || count > m->shapelet_count - first)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "shapelets %zu to %zu are asked for; there are %zu", first,
                        first + count, m->shapelet_count);
    WWI_TRY(wwi_run_take(given, &run));
    WWI_TRY(check_channels(m, series));
    const wwi_shapelet_kind kind = {m->channels, m->raw, m->unscaled};
    WWI_TRY(wwi_shapelet_device_open(series->context, &run, kind, &device));
    WWI_TRY(wwi_new(b, 1));
    WWI_TRY(wwi_dataset_series(series, &set));
    WWI_TRY(wwi_shapelet_data_open(&device, set, &data));
    wwi_stream_start(device.stream);
    return wwi_finish_after(device.stream, transform(m, &device, &data, &run, first, count, b, distances, starts));
}

static size_t predict_one(const ww_shapelets *m, const double *distances) {
    const ww_shapelet_node *node = &m->nodes[0];
    while (node->left >= 0) {
        double d = distances[node->first];
        for (size_t i = node->first + 1; i < node->first + node->terms; i++)
            d = wwi_shapelet_join(m->shapelets[i].op, d, distances[i]);
        node = &m->nodes[d <= node->threshold ? node->left : node->right];
    }
    return node->label;
}

ww_status ww_shapelets_predict(const ww_shapelets *m, ww_dataset *series, const ww_run_options *run, int64_t *classes,
                               double *distances) {
    WWI_FREES double *own = NULL;
    uint64_t bytes;
    WWI_NEEDS("shapelets, series, classes", m, series, classes);
    if (!m->node_count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "this model has no tree, only shapelets to transform with");
    const size_t n = series->count, all = m->shapelet_count;
    WWI_TRY(check_channels(m, series));
    if (!wwi_mul_u64(n * sizeof *own, all, &bytes))
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu series and %zu shapelets", n, all);
    if (all && !distances) {
        WWI_TRY(wwi_new(own, n * all));
        distances = own;
    }
    if (all)
        WWI_TRY(ww_shapelets_transform(m, series, run, 0, all, distances, NULL));
    for (size_t i = 0; i < n; i++)
        classes[i] = (int64_t)predict_one(m, all ? distances + i * all : NULL);
    return WW_OK;
}
