// SPDX-License-Identifier: Apache-2.0
// The device for shapelets, and the distances of a few patterns to series in double: on the device where it has double
// (kernels_cl/shapelets/shapelet_exact.cl), else here.
#include <math.h>
#include <string.h>

#include "base/normal.h"
#include "base/run.h"
#include "shapelets/shapelet_search.h"

// ---- the device

bool wwi_shapelet_few(const wwi_shapelet_device *device) {
    return wwi_forced(device->context, "form.few", 1, 0) == 1;
}

// The sizes of groups and tables.
static void choose_sizes(wwi_shapelet_device *d) {
    const ww_device_info *info = wwi_context_info(d->context);
    const uint32_t sums = d->kind.raw ? 1 : (uint32_t)wwi_least(d->kind.channels, 64);
    d->vector = d->gpu ? 1 : 16;
    d->group = d->gpu ? 32 : 1;
    // Several parts with the same columns: one channel, every length.
    d->parts = d->gpu && sums == 1 ? 8 : 1;
    d->columns = sums > 1 ? 1 : 2;
    const uint32_t wanted = (d->gpu ? 64 : 16) / (sums * d->columns); // by the registers
    d->windows = d->gpu ? 16 : 8;
    while (d->windows > 1 && d->windows / 2 >= wanted)
        d->windows /= 2;
    d->row_group = d->gpu ? 32 : 1;
    d->row_parts = d->gpu ? 4 : 1;
    d->diagonals = d->gpu ? 16 : 8; // read four at a time
    d->rows = 32;
    // Local memory: of each row of a lane four numbers and the best, and four of 512 windows and a row's.
    const uint64_t local = info->local_bytes > 1024 && info->local_bytes < 49152 ? info->local_bytes - 1024 : 48128;
    while (d->gpu && d->row_group > 1 && (uint64_t)d->rows * (d->row_group * 20 + 16) + 8192 > local)
        d->row_group /= 2;
    while (d->row_parts > 1 && (uint64_t)d->row_group * d->row_parts > info->max_work_group)
        d->row_parts /= 2;
    d->exact_group = d->gpu ? 64 : 1;
    d->table_group = d->gpu ? 64 : 16;
}

ww_status wwi_shapelet_device_open(ww_context *context, const ww_run_options *run, wwi_shapelet_kind kind,
                                   wwi_shapelet_device *d) {
    memset(d, 0, sizeof *d);
    wwi_context_retain(context);
    d->context = context;
    d->kind = kind;
    // form.shapelets: 1 gives a CPU the form for GPUs, 2 any device the way of one without double.
    const long forced = wwi_forced(context, "form.shapelets", 2, 0);
    d->gpu = wwi_is_gpu(context) || forced == 1;
    d->has_double = wwi_context_info(context)->has_double && forced != 2;
    choose_sizes(d);
    WWI_TRY(wwi_run_stream(context, run, &d->stream));
    if (!d->has_double)
        return WW_OK;
    // Of one channel that is z-normalised there are more ways.
    const bool single = !kind.raw && kind.channels == 1;
    wwi_shapelet_kernels *k = &d->kernels;
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "shapelets/shapelet_args.h", "shapelets/shapelet.cl", "base/constant.h",
                  "shapelets/shapelet_tables.cl", "shapelets/shapelet_exact.cl"},
        .defines = WWI_LIST({"WW_C", (int64_t)kind.channels}, {"WW_RAW", kind.raw}, {"WW_V", 1},
                            {"WW_WG", d->exact_group}, {"WW_U", d->windows}, {"WW_DIAGONALS", d->diagonals}),
        .kernels = WWI_LIST({&k->exact, "ww_shapelet_exact"}, {&k->statistics_of, "ww_shapelet_statistics"},
                            {&k->patterns_of, "ww_shapelet_patterns"}, {&k->near, "ww_shapelet_near"},
                            {&k->rescore, "ww_shapelet_rescore"}, {&k->make_columns, "ww_shapelet_columns"},
                            {&k->make_windows, "ww_shapelet_windows"},
                            {single ? &k->tensor_columns : NULL, "ww_shapelet_tensor_columns"},
                            {single ? &k->tensor_windows : NULL, "ww_shapelet_tensor_windows"},
                            {single ? &k->row_steps : NULL, "ww_shapelet_row_steps"},
                            {single ? &k->make_angles : NULL, "ww_shapelet_angles"},
                            {single ? &k->circle : NULL, "ww_shapelet_circle"},
                            {single ? &k->make_fours : NULL, "ww_shapelet_fours"},
                            {single ? &k->near_fours : NULL, "ww_shapelet_near_fours"},
                            {single ? &k->window_steps : NULL, "ww_shapelet_window_steps"},
                            {single ? &k->row_conditions : NULL, "ww_shapelet_row_conditions"},
                            {single ? &k->window_conditions : NULL, "ww_shapelet_window_conditions"}),
    };
    return wwi_program_make(context, d->stream, &parts, &d->double_program);
}

void wwi_shapelet_device_close(wwi_shapelet_device *d) {
    if (!d->context)
        return;
    // Both are of pointers alone.
    wwi_buffer **buffers = (wwi_buffer **)(void *)&d->scratch;
    for (size_t i = 0; i < sizeof d->scratch / sizeof *buffers; i++)
        wwi_buffer_destroy(&buffers[i]);
    wwi_kernel **kernels = (wwi_kernel **)(void *)&d->kernels;
    for (size_t i = 0; i < sizeof d->kernels / sizeof *kernels; i++)
        wwi_kernel_destroy(&kernels[i]);
    wwi_program_release(&d->double_program);
    wwi_stream_destroy(&d->stream);
    wwi_context_release(d->context);
    memset(d, 0, sizeof *d);
}

// ---- distances

// Mean and norm of a window: z-normalised values are (x - first - mean) * unit. True where it is flat.
static bool normalise(const double *x, size_t length, double *mean, double *unit) {
    double sum = 0, squares = 0, low = x[0], high = x[0];
    for (size_t t = 0; t < length; t++) {
        sum += x[t] - x[0];
        low = fmin(low, x[t]);
        high = fmax(high, x[t]);
    }
    *mean = sum / (double)length;
    for (size_t t = 0; t < length; t++) {
        const double gap = (x[t] - x[0]) - *mean;
        squares += gap * gap;
    }
    *unit = sqrt((double)length / squares);
    return wwi_is_constant(low, high);
}

// The pattern as the kernel takes it.
static void prepare(const wwi_shapelet_pattern *pattern, wwi_shapelet_kind kind, double *to, uint32_t *flats) {
    const size_t l = pattern->length;
    for (size_t ch = 0; ch < kind.channels; ch++) {
        const double *x = pattern->values + ch * pattern->stride;
        double mean, unit;
        flats[ch] = !kind.raw && normalise(x, l, &mean, &unit);
        for (size_t t = 0; t < l; t++)
            to[ch * l + t] = kind.raw ? x[t] : flats[ch] ? 0 : ((x[t] - x[0]) - mean) * unit;
    }
}

static double window_distance(const double *pattern, const uint32_t *flats, wwi_shapelet_kind kind, size_t l,
                              const double *series, size_t length) {
    double sum = 0;
    for (size_t ch = 0; ch < kind.channels; ch++) {
        const double *x = pattern + ch * l, *y = series + ch * length;
        double mean, unit, own = 0;
        if (kind.raw) {
            for (size_t t = 0; t < l; t++)
                own += (x[t] - y[t]) * (x[t] - y[t]);
        } else {
            const bool flat = normalise(y, l, &mean, &unit);
            for (size_t t = 0; !flat && t < l; t++) {
                const double gap = x[t] - ((y[t] - y[0]) - mean) * unit;
                own += gap * gap;
            }
            if (flat || flats[ch])
                own = flat && flats[ch] ? 0 : (double)l;
        }
        sum += own;
    }
    return sum / ((double)l * (double)kind.channels);
}

static void on_host(const wwi_shapelet_data *data, wwi_shapelet_kind kind, const uint32_t *ids, size_t series,
                    const double *pattern, const uint32_t *flats, size_t l, double *nearest, uint32_t *at) {
    for (size_t j = 0; j < series; j++) {
        const size_t length = wwi_shapelet_length(data, ids[j]);
        nearest[j] = INFINITY;
        if (at)
            at[j] = 0;
        for (size_t u = 0; u + l <= length; u++) {
            const double d = window_distance(pattern, flats, kind, l, data->values + data->offsets[ids[j]] + u, length);
            if (d < nearest[j]) {
                nearest[j] = d;
                if (at)
                    at[j] = (uint32_t)u;
            }
        }
    }
}

static void settle(wwi_buffer **sent) {
    wwi_buffer_settle(*sent);
}

// Runs the kernel for `count` prepared patterns. at: NULL or where the nearest windows are. What is sent stays until
// the reads at the end.
static ww_status on_device(wwi_shapelet_device *d, const wwi_shapelet_data *data, const uint32_t *ids, size_t series,
                           const double *values, uint64_t value_count, const uint32_t *places, const uint32_t *flats,
                           size_t count, double *nearest, uint32_t *at) {
    const uint64_t results = count * series;
    const uint32_t across = (uint32_t)series;
    struct wwi_shapelet_exact_scratch *e = &d->scratch.exact;
    WWI_TRY(WWI_GROW(d->context, {&e->ids, series * 4}, {&e->patterns, value_count * sizeof(double)},
                     {&e->places, count * 8}, {&e->flats, count * d->kind.channels * 4},
                     {&e->nearest, results * sizeof(double)}, {&e->at, results * 4}));
    WWI_ENDS(settle) wwi_buffer *sent = e->ids;
    WWI_TRY(wwi_buffer_send(e->ids, series * 4, ids));
    WWI_TRY(wwi_buffer_send(e->patterns, value_count * sizeof(double), values));
    WWI_TRY(wwi_buffer_send(e->places, count * 8, places));
    WWI_TRY(wwi_buffer_send(e->flats, count * d->kind.channels * 4, flats));
    WWI_TRY(WWI_LAUNCH(d->kernels.exact, results, d->exact_group, WWI_BUFFER(data->device_values),
                       WWI_BUFFER(data->device_offsets), WWI_BUFFER(e->ids), WWI_VALUE(across), WWI_BUFFER(e->patterns),
                       WWI_BUFFER(e->places), WWI_BUFFER(e->flats), WWI_BUFFER(e->nearest), WWI_BUFFER(e->at)));
    if (at)
        WWI_TRY(wwi_stream_read(d->stream, e->at, 0, results * 4, at));
    WWI_TRY(wwi_stream_read(d->stream, e->nearest, 0, results * sizeof(double), nearest));
    sent = NULL;
    return WW_OK;
}

ww_status wwi_shapelet_exact(wwi_shapelet_device *d, const wwi_shapelet_data *data, const uint32_t *ids, size_t series,
                             const wwi_shapelet_pattern *patterns, size_t count, double *distances, uint32_t *at) {
    const size_t C = d->kind.channels;
    uint64_t value_count = 0;
    for (size_t p = 0; p < count; p++)
        value_count += patterns[p].length * C;
    WWI_FREES double *values = NULL;
    WWI_FREES uint32_t *places = NULL, *flats = NULL;
    if (value_count >> 32)
        return wwi_fail_memory(value_count * sizeof *values);
    WWI_TRY(wwi_new(values, value_count));
    WWI_TRY(wwi_new(places, 2 * count));
    WWI_TRY(wwi_new(flats, count * C));
    for (size_t p = 0, first = 0; p < count; p++) {
        places[2 * p] = (uint32_t)first;
        places[2 * p + 1] = (uint32_t)patterns[p].length;
        prepare(&patterns[p], d->kind, values + first, flats + p * C);
        first += patterns[p].length * C;
    }
    if (d->has_double)
        WWI_TRY(on_device(d, data, ids, series, values, value_count, places, flats, count, distances, at));
    for (size_t p = 0; !d->has_double && p < count; p++)
        on_host(data, d->kind, ids, series, values + places[2 * p], flats + p * C, places[2 * p + 1],
                distances + p * series, at ? at + p * series : NULL);
    for (size_t p = 0; p < count; p++)
        for (size_t j = 0; j < series; j++)
            distances[p * series + j] =
                sqrt(distances[p * series + j] * (d->kind.unscaled ? (double)patterns[p].length : 1.0));
    return WW_OK;
}

ww_status wwi_shapelet_distances(wwi_shapelet_device *d, const wwi_shapelet_data *data, const wwi_shapelet_node *node,
                                 const wwi_shapelet_place *places, size_t count, double *distances) {
    WWI_FREES wwi_shapelet_pattern *patterns = NULL;
    WWI_TRY(wwi_new_zeroed(patterns, count));
    for (size_t i = 0; i < count; i++)
        patterns[i] = wwi_shapelet_pattern_at(data, &places[i]);
    WWI_TRY(wwi_shapelet_exact(d, data, node->ids, node->count, patterns, count, distances, NULL));
    for (size_t i = 0; i < count; i++, distances += node->count)
        for (size_t j = 0; j < node->count; j++) {
            distances[j] = node->ids[j] == places[i].series ? 0 : distances[j];
            if (node->before)
                distances[j] = wwi_shapelet_join(node->op, distances[j], node->before[j]);
        }
    return WW_OK;
}
