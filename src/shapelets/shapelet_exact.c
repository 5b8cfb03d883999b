// SPDX-License-Identifier: Apache-2.0
// Series for shapelets, and the distances of a few patterns to series in double: on the device where it has double
// (kernels_cl/shapelets/shapelet_exact.cl), else here. Long because: the device, its series, distances and the weighing
// of candidates share one program's kernels.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "shapelets/shapelet_search.h"

#define FLAT 1e-10

// ---- the device

long wwi_shapelet_tuned(const wwi_shapelet_device *device, const char *name, long fallback) {
    const long value = wwi_tuning(device->context, name, NULL, fallback);
    return value > 0 ? value : fallback;
}

uint32_t wwi_shapelet_power_below(long value, uint32_t most) {
    uint32_t power = 1;
    while (power * 2 <= (uint32_t)(value > 0 ? value : 1) && power < most)
        power *= 2;
    return power;
}

ww_status wwi_shapelet_device_open(ww_context *context, wwi_shapelet_kind kind, wwi_shapelet_device *d) {
    ww_status status;
    char options[256];
    memset(d, 0, sizeof *d);
    const ww_device_info *info = wwi_context_info(context);
    wwi_context_retain(context);
    d->context = context;
    d->kind = kind;
    // The tuning parameter shapelets.vector 1 gives a CPU the form for GPUs.
    d->gpu = info->type == WW_DEVICE_GPU || wwi_tuning(context, "shapelets.vector", NULL, 16) == 1;
    // The tuning parameter shapelets.double 2 tries the way of a device without double.
    d->has_double = info->has_double && wwi_tuning(context, "shapelets.double", NULL, 1) != 2;
    d->vector = d->gpu ? 1 : 16;
    const uint32_t sums = kind.raw ? 1 : (uint32_t)(kind.channels < 64 ? kind.channels : 64);
    const uint32_t registers = d->gpu ? 64 : 16;
    d->group = d->gpu ? wwi_shapelet_power_below(wwi_shapelet_tuned(d, "shapelets.group", 32), 256) : 1;
    // Several parts with the same columns: one channel, every length.
    d->parts = d->gpu && sums == 1 ? wwi_shapelet_power_below(wwi_shapelet_tuned(d, "shapelets.parts", 8), 8) : 1;
    d->columns = sums > 1 ? 1 : wwi_shapelet_power_below(wwi_shapelet_tuned(d, "shapelets.columns", 2), 8);
    const uint32_t most = registers / (sums * d->columns);
    d->windows = wwi_shapelet_power_below(wwi_shapelet_tuned(d, "shapelets.windows", d->gpu ? 16 : 8), most ? most : 1);
    d->row_group = d->gpu ? wwi_shapelet_power_below(wwi_shapelet_tuned(d, "shapelets.row_group", 32), 32) : 1;
    d->row_parts = d->gpu ? wwi_shapelet_power_below(wwi_shapelet_tuned(d, "shapelets.row_parts", 4), 8) : 1;
    d->diagonals = wwi_shapelet_power_below(wwi_shapelet_tuned(d, "shapelets.diagonals", d->gpu ? 16 : 8), 32);
    d->diagonals = d->gpu && d->diagonals < 4 ? 4 : d->diagonals; // read four at a time
    d->rows = wwi_shapelet_power_below(wwi_shapelet_tuned(d, "shapelets.rows", 32), 64);
    d->rows = d->rows < d->diagonals ? d->diagonals : d->rows;
    // Local memory: of each row of a lane four numbers and the best, and four of 512 windows and a row's.
    const uint64_t local = info->local_bytes > 1024 && info->local_bytes < 49152 ? info->local_bytes - 1024 : 48128;
    while (d->gpu && d->row_group > 1 && (uint64_t)d->rows * (d->row_group * 20 + 16) + 8192 > local)
        d->row_group /= 2;
    while (d->row_parts > 1 && (uint64_t)d->row_group * d->row_parts > info->max_work_group)
        d->row_parts /= 2;
    d->exact_group = d->gpu ? 64 : 1;
    d->table_group = d->gpu ? 64 : 16;
    if ((status = wwi_stream_create(context, &d->stream)) != WW_OK || !d->has_double)
        return status;
    snprintf(options, sizeof options,
             "-DWW_C=%zu -DWW_RAW=%d -DWW_V=1 -DWW_WG=%" PRIu32 " -DWW_U=%" PRIu32 " -DWW_DIAGONALS=%" PRIu32,
             kind.channels, kind.raw, d->exact_group, d->windows, d->diagonals);
    const wwi_source sources[] = {{"base/number.cl", NULL},
                                  {"shapelets/shapelet.cl", NULL},
                                  {"shapelets/shapelet_tables.cl", NULL},
                                  {"shapelets/shapelet_exact.cl", NULL}};
    if ((status = wwi_program_get(context, sources, 4, options, &d->double_program)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_exact", &d->exact)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_statistics", &d->statistics_of)) !=
            WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_patterns", &d->patterns_of)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_near", &d->near)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_weigh", &d->weigh)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_columns", &d->make_columns)) != WW_OK)
        return status;
    if ((status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_windows", &d->make_windows)) != WW_OK ||
        kind.raw || kind.channels > 1 ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_tensor_columns", &d->tensor_columns)) !=
            WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_tensor_windows", &d->tensor_windows)) !=
            WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_row_steps", &d->row_steps)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_angles", &d->make_angles)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_circle", &d->circle)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_fours", &d->make_fours)) != WW_OK ||
        (status = wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_near_fours", &d->near_fours)) != WW_OK)
        return status;
    return wwi_kernel_create(d->stream, d->double_program, "ww_shapelet_window_steps", &d->window_steps);
}

void wwi_shapelet_device_close(wwi_shapelet_device *d) {
    if (!d->context)
        return;
    wwi_buffer_destroy(&d->patterns);
    wwi_buffer_destroy(&d->places);
    wwi_buffer_destroy(&d->flats);
    wwi_buffer_destroy(&d->ids);
    wwi_buffer_destroy(&d->nearest);
    wwi_buffer_destroy(&d->at);
    wwi_shapelet_room *room = &d->room;
    wwi_buffer **const buffers[] = {&room->node_ids,
                                    &room->class_of,
                                    &room->totals,
                                    &room->before,
                                    &room->so_far,
                                    &room->steps,
                                    &room->bound,
                                    &room->column_buffer,
                                    &room->reaches,
                                    &room->own,
                                    &room->a,
                                    &room->norms,
                                    &room->b,
                                    &room->tile_buffer,
                                    &room->tile_first,
                                    &room->table_flats,
                                    &room->row_steps,
                                    &room->window_steps,
                                    &room->falls,
                                    &room->sums,
                                    &room->rises,
                                    &room->rows_scratch,
                                    &room->lefts,
                                    &room->points,
                                    &room->entropy,
                                    &room->sifted,
                                    &room->listed,
                                    &room->listed_count,
                                    &room->nearest,
                                    &room->most_gain,
                                    &room->most_gap,
                                    &room->best,
                                    &room->kept,
                                    &room->kept_count,
                                    &room->scratch,
                                    &room->fours,
                                    &room->all_columns,
                                    &room->all_lefts,
                                    &room->angles[0],
                                    &room->angles[1],
                                    &room->sorted_angles[0],
                                    &room->sorted_angles[1],
                                    &room->angle_counts[0],
                                    &room->angle_counts[1]};
    _Static_assert(sizeof buffers == sizeof *room, "every buffer of the room is in the list");
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wwi_buffer_destroy(buffers[i]);
    wwi_buffer_destroy(&d->candidates);
    wwi_buffer_destroy(&d->statistics);
    wwi_buffer_destroy(&d->gains);
    wwi_buffer_destroy(&d->gaps);
    wwi_kernel_destroy(&d->exact);
    wwi_kernel_destroy(&d->statistics_of);
    wwi_kernel_destroy(&d->patterns_of);
    wwi_kernel_destroy(&d->near);
    wwi_kernel_destroy(&d->make_angles);
    wwi_kernel_destroy(&d->circle);
    wwi_kernel_destroy(&d->make_fours);
    wwi_kernel_destroy(&d->near_fours);
    wwi_kernel_destroy(&d->weigh);
    wwi_kernel_destroy(&d->make_columns);
    wwi_kernel_destroy(&d->make_windows);
    wwi_kernel_destroy(&d->tensor_columns);
    wwi_kernel_destroy(&d->tensor_windows);
    wwi_kernel_destroy(&d->row_steps);
    wwi_kernel_destroy(&d->window_steps);
    wwi_program_release(&d->double_program);
    wwi_stream_destroy(&d->stream);
    wwi_context_release(d->context);
    memset(d, 0, sizeof *d);
}

// ---- series

static double extent(const double *x, size_t count) {
    double low = x[0], high = x[0];
    for (size_t t = 1; t < count; t++) {
        low = x[t] < low ? x[t] : low;
        high = x[t] > high ? x[t] : high;
    }
    return high - low;
}

// How coarse and how fine the series are. No window that is not constant has a smaller extent than the finest.
static void find_extents(wwi_shapelet_data *data) {
    data->finest = INFINITY;
    for (size_t i = 0; i < data->count && data->channels == 1; i++) {
        const double *x = data->values + data->offsets[i];
        const size_t length = (size_t)(data->offsets[i + 1] - data->offsets[i]);
        const double whole = length ? extent(x, length) : 0;
        data->widest = whole > data->widest ? whole : data->widest;
        for (size_t t = 0; t + 3 <= length; t++) {
            const double of = extent(x + t, 3);
            data->finest = of > 0 && of < data->finest ? of : data->finest;
        }
    }
}

static ww_status copy_series(const ww_series_set *set, wwi_shapelet_data *data) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < data->count; i++) {
        const size_t values = ww_series_set_length(set, i) * data->channels;
        double *to = data->values + data->offsets[i];
        memcpy(to, ww_series_set_values(set, i), values * sizeof *to);
        for (size_t t = 0; t < values; t++) {
            if (!isfinite(to[t])) {
                wwi_fail(WW_ERROR_NOT_FINITE, "series %zu has a value that is missing or infinite", i);
                wwi_fail_hint("shapelets need complete series");
                return wwi_fail_where((int64_t)i, (int64_t)(t % ww_series_set_length(set, i)));
            }
            low = to[t] < low ? to[t] : low;
            high = to[t] > high ? to[t] : high;
        }
    }
    data->centre = low + 0.5 * (high - low);
    data->range = high - low;
    return WW_OK;
}

ww_status wwi_shapelet_data_open(wwi_shapelet_device *device, const ww_series_set *set, wwi_shapelet_data *data) {
    ww_status status;
    memset(data, 0, sizeof *data);
    data->count = ww_series_set_count(set);
    data->channels = ww_series_set_channels(set);
    if (!data->count)
        return wwi_fail(WW_ERROR_EMPTY, "there are no series");
    data->shortest = ww_series_set_min_length(set);
    data->longest = ww_series_set_max_length(set);
    if (data->longest > INT32_MAX / 4 || data->count > INT32_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "series of %zu points, or %zu series, are too many", data->longest,
                        data->count);
    data->offsets = malloc((data->count + 1) * sizeof *data->offsets);
    if (!data->offsets)
        return wwi_fail_memory((data->count + 1) * sizeof *data->offsets);
    data->offsets[0] = 0;
    for (size_t i = 0; i < data->count; i++)
        data->offsets[i + 1] = data->offsets[i] + ww_series_set_length(set, i) * data->channels;
    const uint64_t bytes = data->offsets[data->count] * sizeof(double);
    if (!(data->values = malloc(bytes)))
        return wwi_fail_memory(bytes);
    if ((status = copy_series(set, data)) != WW_OK || !device->has_double)
        return status;
    find_extents(data);
    const uint64_t offset_bytes = (data->count + 1) * sizeof(uint64_t);
    if ((status = wwi_buffer_create(device->context, bytes, &data->device_values)) == WW_OK &&
        (status = wwi_buffer_write(data->device_values, 0, bytes, data->values)) == WW_OK &&
        (status = wwi_buffer_create(device->context, offset_bytes, &data->device_offsets)) == WW_OK)
        status = wwi_buffer_write(data->device_offsets, 0, offset_bytes, data->offsets);
    return status;
}

void wwi_shapelet_data_close(wwi_shapelet_data *data) {
    wwi_buffer_destroy(&data->device_values);
    wwi_buffer_destroy(&data->device_offsets);
    free(data->offsets);
    free(data->values);
    memset(data, 0, sizeof *data);
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
    return high - low <= FLAT * fmax(fabs(low), fabs(high));
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

// Runs the kernel for `count` prepared patterns. at: NULL or where the nearest windows are. What is sent stays until
// the reads at the end.
static ww_status on_device(wwi_shapelet_device *d, const wwi_shapelet_data *data, const uint32_t *ids, size_t series,
                           const double *values, uint64_t value_count, const uint32_t *places, const uint32_t *flats,
                           size_t count, double *nearest, uint32_t *at) {
    ww_status status;
    const uint64_t results = count * series;
    const uint32_t across = (uint32_t)series;
    if ((status = wwi_grow_buffer(d->context, &d->ids, series * 4)) != WW_OK ||
        (status = wwi_grow_buffer(d->context, &d->patterns, value_count * sizeof(double))) != WW_OK ||
        (status = wwi_grow_buffer(d->context, &d->places, count * 8)) != WW_OK ||
        (status = wwi_grow_buffer(d->context, &d->flats, count * d->kind.channels * 4)) != WW_OK ||
        (status = wwi_grow_buffer(d->context, &d->nearest, results * sizeof(double))) != WW_OK ||
        (status = wwi_grow_buffer(d->context, &d->at, results * 4)) != WW_OK)
        return status;
    const wwi_arg args[] = {WWI_BUFFER(data->device_values),
                            WWI_BUFFER(data->device_offsets),
                            WWI_BUFFER(d->ids),
                            WWI_VALUE(across),
                            WWI_BUFFER(d->patterns),
                            WWI_BUFFER(d->places),
                            WWI_BUFFER(d->flats),
                            WWI_BUFFER(d->nearest),
                            WWI_BUFFER(d->at)};
    if ((status = wwi_buffer_send(d->ids, series * 4, ids)) == WW_OK &&
        (status = wwi_buffer_send(d->patterns, value_count * sizeof(double), values)) == WW_OK &&
        (status = wwi_buffer_send(d->places, count * 8, places)) == WW_OK &&
        (status = wwi_buffer_send(d->flats, count * d->kind.channels * 4, flats)) == WW_OK &&
        (status = wwi_launch(d->exact, results, d->exact_group, args, sizeof args / sizeof *args)) == WW_OK &&
        (!at || (status = wwi_stream_read(d->stream, d->at, 0, results * 4, at)) == WW_OK))
        status = wwi_stream_read(d->stream, d->nearest, 0, results * sizeof(double), nearest);
    if (status != WW_OK)
        wwi_buffer_settle(d->ids);
    return status;
}

ww_status wwi_shapelet_exact(wwi_shapelet_device *d, const wwi_shapelet_data *data, const uint32_t *ids, size_t series,
                             const wwi_shapelet_pattern *patterns, size_t count, double *distances, uint32_t *at) {
    ww_status status = WW_OK;
    const size_t C = d->kind.channels;
    uint64_t value_count = 0;
    for (size_t p = 0; p < count; p++)
        value_count += patterns[p].length * C;
    double *values = malloc((value_count ? value_count : 1) * sizeof *values);
    uint32_t *places = malloc((count ? count : 1) * 8), *flats = malloc((count ? count : 1) * C * sizeof *flats);
    if (!values || !places || !flats || value_count >> 32) {
        status = wwi_fail_memory(value_count * sizeof *values);
        goto done;
    }
    for (size_t p = 0, first = 0; p < count; p++) {
        places[2 * p] = (uint32_t)first;
        places[2 * p + 1] = (uint32_t)patterns[p].length;
        prepare(&patterns[p], d->kind, values + first, flats + p * C);
        first += patterns[p].length * C;
    }
    if (d->has_double && count) {
        if ((status = on_device(d, data, ids, series, values, value_count, places, flats, count, distances, at)) !=
            WW_OK)
            goto done;
    } else {
        for (size_t p = 0; p < count; p++)
            on_host(data, d->kind, ids, series, values + places[2 * p], flats + p * C, places[2 * p + 1],
                    distances + p * series, at ? at + p * series : NULL);
    }
    for (size_t p = 0; p < count; p++)
        for (size_t j = 0; j < series; j++)
            distances[p * series + j] =
                sqrt(distances[p * series + j] * (d->kind.unscaled ? (double)patterns[p].length : 1.0));
done:
    free(values);
    free(places);
    free(flats);
    return status;
}

// ---- candidates weighed on the device

// Local memory of a group that weighs: a distance and a class of each series, a count of each class.
static uint64_t weigh_bytes(const wwi_shapelet_sides *sides) {
    return (uint64_t)sides->series * 12 + (uint64_t)sides->classes * 4;
}

size_t wwi_shapelet_weighs(const wwi_shapelet_device *d, const wwi_shapelet_sides *sides) {
    const uint64_t local = wwi_context_info(d->context)->local_bytes;
    if (!d->gpu || !d->has_double || weigh_bytes(sides) + 1024 > (local < 49152 ? local : 49152))
        return 0;
    const uint64_t room = wwi_context_bytes_free(d->context) / 16, most = UINT64_C(256) << 20;
    const uint64_t fits = (room < most ? room : most) / (8 * (uint64_t)sides->series);
    const uint64_t groups = INT32_MAX / (uint64_t)sides->series; // of a launch
    return (size_t)(fits < groups ? fits : groups);
}

// The order of candidates by their length: by counting. starts: of each length, up to `longest` + 1.
static void order_by_length(const uint32_t (*candidates)[4], size_t count, uint32_t longest, uint32_t *starts,
                            uint32_t *order) {
    memset(starts, 0, ((size_t)longest + 2) * sizeof *starts);
    for (size_t i = 0; i < count; i++)
        starts[candidates[i][2] + 1]++;
    for (size_t l = 1; l <= longest + (size_t)1; l++)
        starts[l] += starts[l - 1];
    for (size_t i = 0; i < count; i++)
        order[starts[candidates[i][2]]++] = (uint32_t)i;
}

// The distances of candidates first to first + count - 1, of l points each.
static ww_status near_of_length(wwi_shapelet_device *d, const wwi_shapelet_data *data, const wwi_shapelet_sides *sides,
                                uint32_t first, uint32_t count, uint32_t l) {
    enum { MOST_ACROSS = 16, GROUPS = 4096 };
    ww_status status;
    const uint32_t wide = (uint32_t)data->longest - l + 1;
    const uint64_t windows = (uint64_t)sides->series * d->kind.channels * wide, values = d->kind.channels * (uint64_t)l;
    const uint64_t at_once = (UINT64_C(64) << 20) / 8 / values + MOST_ACROSS;
    if ((status = wwi_grow_buffer(d->context, &d->statistics, windows * 16)) != WW_OK ||
        (status = wwi_grow_buffer(d->context, &d->patterns, (count < at_once ? count : at_once) * values * 8)) != WW_OK)
        return status;
    const wwi_arg statistics[] = {WWI_BUFFER(data->device_values),
                                  WWI_BUFFER(data->device_offsets),
                                  WWI_BUFFER(sides->ids),
                                  WWI_VALUE(sides->series),
                                  WWI_VALUE(wide),
                                  WWI_VALUE(l),
                                  WWI_BUFFER(d->statistics)};
    // As they are, windows have no statistics; the kernels do not read them.
    if (!d->kind.raw)
        status = wwi_launch(d->statistics_of, (windows + d->table_group - 1) / d->table_group, d->table_group,
                            statistics, sizeof statistics / sizeof *statistics);
    for (uint32_t many; status == WW_OK && count; first += many, count -= many) {
        many = count < at_once ? count : (uint32_t)at_once;
        // Of few candidates the windows are divided among more work-items, so that all of the device has work.
        uint32_t across = MOST_ACROSS;
        while (across > 1 && (uint64_t)((many + across - 1) / across) * sides->series < GROUPS)
            across /= 2;
        const wwi_arg patterns[] = {WWI_BUFFER(data->device_values),
                                    WWI_BUFFER(data->device_offsets),
                                    WWI_BUFFER(d->candidates),
                                    WWI_VALUE(first),
                                    WWI_VALUE(many),
                                    WWI_VALUE(wide),
                                    WWI_VALUE(l),
                                    WWI_BUFFER(d->statistics),
                                    WWI_BUFFER(d->patterns)};
        const wwi_arg near[] = {WWI_BUFFER(data->device_values),
                                WWI_BUFFER(data->device_offsets),
                                WWI_BUFFER(sides->ids),
                                WWI_VALUE(sides->series),
                                WWI_BUFFER(d->candidates),
                                WWI_VALUE(first),
                                WWI_VALUE(many),
                                WWI_VALUE(wide),
                                WWI_VALUE(l),
                                WWI_VALUE(across),
                                WWI_BUFFER(d->statistics),
                                WWI_BUFFER(d->patterns),
                                WWI_BUFFER(d->nearest)};
        status = wwi_launch(d->patterns_of, (many * values + d->table_group - 1) / d->table_group, d->table_group,
                            patterns, sizeof patterns / sizeof *patterns);
        if (status == WW_OK)
            status = wwi_launch(d->near, (uint64_t)((many + across - 1) / across) * sides->series, d->exact_group, near,
                                sizeof near / sizeof *near);
    }
    return status;
}

ww_status wwi_shapelet_weigh(wwi_shapelet_device *d, const wwi_shapelet_data *data, const wwi_shapelet_sides *sides,
                             const uint32_t (*candidates)[4], size_t count, int64_t *gains, double *gaps) {
    ww_status status;
    const uint64_t results = (uint64_t)count * sides->series;
    const uint32_t unscaled = d->kind.unscaled, longest = (uint32_t)data->longest;
    if (!count)
        return WW_OK;
    uint32_t(*sorted)[4] = malloc(count * sizeof *sorted);
    uint32_t *starts = malloc(((size_t)longest + 2) * sizeof *starts), *order = malloc(count * sizeof *order);
    int64_t *own_gains = malloc(count * sizeof *own_gains);
    double *own_gaps = malloc(count * sizeof *own_gaps);
    if (!sorted || !starts || !order || !own_gains || !own_gaps) {
        status = wwi_fail_memory(count * sizeof *sorted);
        goto done;
    }
    order_by_length(candidates, count, longest, starts, order);
    for (size_t i = 0; i < count; i++)
        memcpy(sorted[i], candidates[order[i]], sizeof *sorted);
    if ((status = wwi_grow_buffer(d->context, &d->candidates, count * sizeof *candidates)) != WW_OK ||
        (status = wwi_grow_buffer(d->context, &d->nearest, results * sizeof(double))) != WW_OK ||
        (status = wwi_grow_buffer(d->context, &d->gains, count * sizeof *gains)) != WW_OK ||
        (status = wwi_grow_buffer(d->context, &d->gaps, count * sizeof *gaps)) != WW_OK ||
        (status = wwi_buffer_write(d->candidates, 0, count * sizeof *sorted, sorted)) != WW_OK)
        goto done;
    for (uint32_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && sorted[next][2] == sorted[first][2];)
            next++;
        if ((status = near_of_length(d, data, sides, first, next - first, sorted[first][2])) != WW_OK)
            goto done;
    }
    const wwi_arg weigh[] = {WWI_BUFFER(d->nearest),
                             WWI_BUFFER(d->candidates),
                             WWI_BUFFER(sides->class_of),
                             WWI_BUFFER(sides->totals),
                             WWI_BUFFER(sides->before),
                             WWI_BUFFER(sides->steps),
                             WWI_VALUE(sides->series),
                             WWI_VALUE(sides->classes),
                             WWI_VALUE(sides->combine),
                             WWI_VALUE(unscaled),
                             WWI_LOCAL((size_t)sides->series * 8),
                             WWI_LOCAL((size_t)sides->series * 4),
                             WWI_LOCAL((size_t)sides->classes * 4),
                             WWI_BUFFER(d->gains),
                             WWI_BUFFER(d->gaps)};
    if ((status = wwi_launch(d->weigh, count, d->exact_group, weigh, sizeof weigh / sizeof *weigh)) != WW_OK ||
        (status = wwi_stream_read(d->stream, d->gains, 0, count * sizeof *gains, own_gains)) != WW_OK ||
        (status = wwi_stream_read(d->stream, d->gaps, 0, count * sizeof *gaps, own_gaps)) != WW_OK)
        goto done;
    for (size_t i = 0; i < count; i++) {
        gains[order[i]] = own_gains[i];
        gaps[order[i]] = own_gaps[i];
    }
done:
    free(sorted);
    free(starts);
    free(order);
    free(own_gains);
    free(own_gaps);
    return status;
}
