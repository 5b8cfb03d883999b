// SPDX-License-Identifier: Apache-2.0
// Slices of a series on the device: their tables, and their lists of neighbours.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_job.h"

#define NO_ENTRY UINT32_MAX
#define ALL 1e30f // the bound of a window that has not found its neighbours; the negative: of one that looks for none
// The size of a window that is nobody's neighbour, of one channel: no correlation with it is above a limit.
#define UNUSABLE_SIZE 1e15
// The same of tiles that know lines, above all bounds; and of a channel that is missing
// (kernels_cl/profile/profile.cl).
#define UNUSABLE_BEND 1e32
#define MISSING_BEND 1000

uint64_t wwi_profile_window_bytes(const ww_profile *p, const wwi_profile_series *s) {
    const uint64_t real = p->narrow || p->options.precision == WW_DOUBLE ? 8 : 4;
    if (s->p > 0)
        return s->channels * (8 + 4 + 16) + 5 + (uint64_t)wwi_profile_lists(p) * (8 + 16 * p->k);
    const uint64_t planes = p->trend ? 5 : 3;
    return s->channels * (8 + UINT64_C(8) * (p->trend ? 2 : 1) + 16 + planes * (real + (p->deep ? 8 : 0))) + 10 +
           (p->deep ? 5 : 0) + (uint64_t)wwi_profile_lists(p) * (8 + 16 * p->k);
}

void wwi_profile_slice_close(wwi_profile_slice *s) {
    WWI_BUFFERS_DESTROY(&s->values, &s->means, &s->statistics, &s->flat, &s->state);
    for (int deep = 0; deep < 2; deep++) {
        WWI_BUFFERS_DESTROY(&s->table[deep], &s->condition[deep], &s->conditions[deep]);
    }
    for (int list = 0; list < WWI_PROFILE_LISTS; list++) {
        WWI_BUFFERS_DESTROY(&s->bounds[list], &s->heads[list], &s->best[list], &s->best_ids[list]);
    }
    memset(s, 0, sizeof *s);
}

// A value of what is sent: place i of a row, where rows have `width` places.
typedef struct sending sending;
typedef double (*value_fn)(const sending *of, size_t row, size_t i);
struct sending {
    const ww_profile *p;
    const wwi_profile_slice *s;
    value_fn value;
    size_t width;
    bool wide; // in double, or what two floats hold of it; else in float
};

static void put(const sending *of, unsigned char *to, double value) {
    const float high = (float)value;
    const float both[2] = {high, (float)(value - (double)high)};
    if (!of->wide)
        memcpy(to, &high, 4);
    else if (of->p->narrow)
        memcpy(to, both, 8);
    else
        memcpy(to, &value, 8);
}

static ww_status make_bytes(void *user, uint64_t at, uint64_t bytes, void *target) {
    const sending *of = user;
    const size_t each = of->wide ? 8 : 4, end = (size_t)(at + bytes) / each;
    unsigned char *to = target;
    for (size_t place = (size_t)at / each, next; place < end; place = next) {
        const size_t row = place / of->width, first = row * of->width;
        next = first + of->width < end ? first + of->width : end;
        for (size_t i = place; i < next; i++, to += each)
            put(of, to, of->value(of, row, i - first));
    }
    return WW_OK;
}

// Makes a buffer of so many rows.
static ww_status send_rows(ww_profile *p, const wwi_profile_slice *s, size_t rows, size_t width, bool wide,
                           value_fn value, wwi_buffer **buffer) {
    sending of = {p, s, value, width, wide};
    const uint64_t bytes = (uint64_t)rows * width * (wide ? 8 : 4);
    WWI_TRY(wwi_buffer_create(p->context, bytes, buffer));
    return wwi_send(*buffer, 0, bytes, make_bytes, &of);
}

static double point_at(const sending *of, size_t channel, size_t t) {
    const wwi_profile_series *from = of->s->series;
    return t < of->s->count + from->window - 1 ? from->values[channel * from->points + of->s->first + t] : 0;
}

// The means of all channels, then the slopes of lines.
static double mean_at(const sending *of, size_t row, size_t i) {
    const wwi_profile_series *from = of->s->series;
    const size_t at = of->s->first + i, channels = from->channels;
    if (i >= of->s->count)
        return 0;
    return row < channels ? wwi_profile_series_mean(from, row, at)
                          : from->slopes[(row - channels) * from->windows + at];
}

static double norm_at(const sending *of, size_t channel, size_t i) {
    const wwi_profile_series *from = of->s->series;
    return i < of->s->count ? from->norms[channel * from->windows + of->s->first + i] : 0;
}

// What the recurrence adds, and the sizes (of several channels: the norms) of windows that may be neighbours: three
// rows a channel.
static double table_at(const sending *of, size_t row, size_t i) {
    const wwi_profile_series *from = of->s->series;
    const size_t c = row / 3, at = of->s->first + i;
    if (row % 3 < 2)
        return i >= of->s->count || at == 0 ? 0
               : row % 3                    ? wwi_profile_series_dg(from, c, at)
                                            : wwi_profile_series_df(from, c, at);
    const bool usable = i < of->s->count && from->state[at] == WWI_WINDOW_USABLE;
    if (from->channels == 1)
        return usable ? wwi_profile_series_size(from, c, at) : UNUSABLE_SIZE;
    return usable && from->norms[c * from->windows + at] > 0 ? 1 / wwi_profile_series_size(from, c, at) : 0;
}

// The same of what lines leave: five rows a channel. No sum with a window that is nobody's neighbour is below a bound.
static double bent_at(const sending *of, size_t row, size_t i) {
    const wwi_profile_series *from = of->s->series;
    const size_t c = row / 5, at = of->s->first + i, place = c * from->windows + at;
    if (row % 5 < 2)
        return i >= of->s->count || at == 0 ? 0
               : row % 5                    ? wwi_profile_series_bent_dg(from, c, at)
                                            : wwi_profile_series_bent_df(from, c, at);
    if (i >= of->s->count || from->state[at] != WWI_WINDOW_USABLE)
        return row % 5 == 3 ? UNUSABLE_BEND : 0;
    if (row % 5 == 3)
        return from->norms[place] < 0 ? MISSING_BEND : from->bends[place];
    if (row % 5 == 4)
        return wwi_profile_series_tilt(from, c, at);
    return from->norms[place] > 0 ? 1 / wwi_profile_series_size(from, c, at) : 0;
}

// What the merge compares windows with.
static ww_status make_statistics(ww_profile *p, wwi_profile_slice *s) {
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *norms = NULL;
    const uint32_t windows = (uint32_t)s->count, window = (uint32_t)p->window;
    WWI_TRY(send_rows(p, s, s->series->channels, s->stride, true, norm_at, &norms));
    WWI_TRY(wwi_buffer_create(p->context, 2 * wwi_buffer_bytes(norms), &s->statistics));
    WWI_TRY(WWI_LAUNCH_ITEMS(p->statistics, s->count, WWI_PROFILE_MERGE_GROUP, WWI_BUFFER(s->values), WWI_BUFFER(norms),
                             WWI_VALUE(windows), WWI_VALUE(window), WWI_VALUE(s->points), WWI_VALUE(s->stride),
                             WWI_BUFFER(s->statistics)));
    return wwi_finish(p->stream);
}

// Values, means and statistics, and the tables.
static ww_status open_channels(ww_profile *p, wwi_profile_slice *s) {
    const size_t channels = s->series->channels;
    const bool wide = p->narrow || p->options.precision == WW_DOUBLE;
    WWI_TRY(send_rows(p, s, channels, s->points, true, point_at, &s->values));
    WWI_TRY(send_rows(p, s, p->trend ? 2 * channels : channels, s->stride, true, mean_at, &s->means));
    if (!p->narrow)
        WWI_TRY(make_statistics(p, s));
    for (int deep = 0; deep <= (int)p->deep; deep++) {
        const bool lines = wwi_profile_knows_lines(p, deep);
        WWI_TRY(send_rows(p, s, (lines ? 5 : 3) * channels, s->stride, wide || deep, lines ? bent_at : table_at,
                          &s->table[deep]));
    }
    return WW_OK;
}

// Of windows that are not normalised: values of tiles in float, and in double; and which channels are missing.
static ww_status open_raw(ww_profile *p, wwi_profile_slice *s) {
    const wwi_profile_series *from = s->series;
    const uint64_t bytes = (uint64_t)s->points * from->channels * 8;
    WWI_FREES double *values = NULL;
    WWI_FREES float *rounded = NULL;
    WWI_FREES double *missing = NULL;
    WWI_TRY(wwi_new_zeroed(values, bytes / 8));
    WWI_TRY(wwi_new_zeroed(rounded, bytes / 8));
    for (size_t c = 0; c < from->channels; c++)
        for (size_t t = 0; t < s->count + from->window - 1; t++) {
            const double value = from->values[c * from->points + s->first + t];
            values[c * s->points + t] = value;
            rounded[c * s->points + t] = (float)value;
        }
    if (p->raw.in_double || !p->by_host)
        WWI_TRY(wwi_upload(p->context, &s->values, values, bytes));
    if (!p->raw.in_double)
        WWI_TRY(wwi_upload(p->context, &s->table[0], rounded, bytes / 2));
    if (p->by_host || !from->has_flats)
        return WW_OK;
    WWI_TRY(wwi_new_zeroed(missing, 2 * (size_t)s->stride * from->channels));
    for (size_t c = 0; c < from->channels; c++)
        for (size_t i = 0; i < s->count; i++)
            missing[2 * (c * s->stride + i) + 1] = from->norms[c * from->windows + s->first + i];
    return wwi_upload(p->context, &s->statistics, missing, 2 * (uint64_t)s->stride * from->channels * 8);
}

// The conditions of each set of kernels, and of WWI_PROFILE_PART windows the largest: first those in float, below 0
// with a close window, by which both sets know their tiles; then the set's own.
static ww_status open_conditions(ww_profile *p, wwi_profile_slice *s, bool deep, float *values, float *largest) {
    const wwi_profile_series *from = s->series;
    const size_t parts = s->stride / WWI_PROFILE_PART;
    const bool wide = deep || p->options.precision == WW_DOUBLE;
    for (size_t part = 0; part < 2 * parts; part++)
        largest[part] = part < parts || !wwi_profile_knows_lines(p, deep) ? 1 : 0;
    for (size_t i = 0; i < s->stride; i++) {
        const size_t at = s->first + i, part = i / WWI_PROFILE_PART;
        values[i] = 1;
        if (i >= s->count || from->state[at] != WWI_WINDOW_USABLE)
            continue;
        const float single = fmaxf(fabsf(largest[part]), from->single[at]);
        values[i] = wwi_profile_knows_lines(p, deep) ? from->bent[at] : wide ? from->condition[at] : from->single[at];
        largest[part] = wwi_profile_series_close(from, at) || largest[part] < 0 ? -single : single;
        largest[parts + part] = fmaxf(largest[parts + part], values[i]);
    }
    WWI_TRY(wwi_upload(p->context, &s->condition[deep], values, (uint64_t)s->stride * 4));
    return wwi_upload(p->context, &s->conditions[deep], largest, 2 * parts * 4);
}

static ww_status open_windows(ww_profile *p, wwi_profile_slice *s) {
    const wwi_profile_series *from = s->series;
    WWI_FREES float *values = NULL, *largest = NULL;
    WWI_FREES unsigned char *state = NULL;
    WWI_TRY(wwi_new(values, s->stride));
    WWI_TRY(wwi_new(largest, 2 * s->stride / WWI_PROFILE_PART));
    WWI_TRY(wwi_new(state, s->stride));
    for (int deep = 0; from->p == 0 && deep <= (int)p->deep; deep++)
        WWI_TRY(open_conditions(p, s, deep, values, largest));
    for (size_t i = 0; i < s->stride; i++)
        state[i] = i < s->count ? from->state[s->first + i] : WWI_WINDOW_NOT_FINITE;
    WWI_TRY(wwi_upload(p->context, &s->state, state, s->stride));
    for (size_t i = 0; i < s->stride; i++)
        if (from->best == from->channels || i >= s->count)
            values[i] = i < s->count ? from->flat[s->first + i] : 0;
        else
            memcpy(&values[i], &from->flat_bits[s->first + i], sizeof *values);
    return wwi_upload(p->context, &s->flat, values, (uint64_t)s->stride * 4);
}

float wwi_profile_bound(const wwi_profile_series *s, double worst) {
    if (s->p > 0)
        return (float)wwi_profile_raw_power(s, worst) * WW_BOUND_MORE + WW_RAW_LEAST;
    return (float)(worst / (2.0 * (double)s->window)) * WW_BOUND_MORE + WW_BOUND_LEAST;
}

static ww_status open_list(ww_profile *p, wwi_profile_slice *s, int list) {
    const wwi_profile_series *from = s->series;
    const size_t k = p->k;
    const uint64_t bytes = (uint64_t)s->stride * 4, list_bytes = (uint64_t)s->count * k * 8;
    const double *best = p->nearest.best[list] + s->first * k;
    WWI_FREES float *bounds = NULL;
    WWI_TRY(wwi_new(bounds, s->stride));
    for (size_t i = 0; i < s->stride; i++) {
        bounds[i] = -ALL;
        if (i >= s->count || from->state[s->first + i] != WWI_WINDOW_USABLE)
            continue;
        bounds[i] = ALL;
        const double worst = best[i * k + k - 1];
        if (from->kind[s->first + i] && worst <= 0) // wwi_profile_enter_kinds()
            bounds[i] = -ALL;
        else if (isfinite(worst))
            bounds[i] = fminf(bounds[i], wwi_profile_bound(from, worst));
    }
    WWI_TRY(wwi_upload(p->context, &s->bounds[list], bounds, bytes));
    WWI_TRY(wwi_buffer_create(p->context, bytes, &s->heads[list]));
    WWI_TRY(wwi_buffer_fill_u32(s->heads[list], 0, bytes, NO_ENTRY));
    if (p->by_host)
        return WW_OK;
    WWI_TRY(wwi_upload(p->context, &s->best[list], best, list_bytes));
    return wwi_upload(p->context, &s->best_ids[list], p->nearest.ids[list] + s->first * k, list_bytes);
}

static ww_status open_slice(ww_profile *p, wwi_profile_slice *s, const wwi_profile_series *series, size_t first,
                            size_t count) {
    if (!s->values || s->series != series || s->first != first || s->count != count) {
        wwi_profile_slice_close(s);
        s->series = series;
        s->first = first;
        s->count = count;
        s->points = (uint32_t)(count + series->window - 1 + p->padding);
        s->stride = (uint32_t)(wwi_ceil_div(count + p->padding, WWI_PROFILE_PART) * WWI_PROFILE_PART);
        WWI_TRY(series->p > 0 ? open_raw(p, s) : open_channels(p, s));
        WWI_TRY(open_windows(p, s));
    }
    // The lists are those of the series that is looked at; another series has none.
    for (int list = 0; series == &p->series && list < wwi_profile_lists(p); list++)
        if (!p->current || !s->bounds[list]) {
            WWI_BUFFERS_DESTROY(&s->bounds[list], &s->heads[list], &s->best[list], &s->best_ids[list]);
            WWI_TRY(open_list(p, s, list));
        }
    return WW_OK;
}

ww_status wwi_profile_slice_open(ww_profile *p, wwi_profile_slice *s, const wwi_profile_series *series, size_t first,
                                 size_t count) {
    const ww_status status = open_slice(p, s, series, first, count);
    if (status != WW_OK)
        wwi_profile_slice_close(s);
    return status;
}

ww_status wwi_profile_slice_store(ww_profile *p, wwi_profile_slice *s) {
    const uint64_t bytes = (uint64_t)s->count * p->k * 8;
    for (int list = 0; list < WWI_PROFILE_LISTS && s->best[list]; list++) {
        WWI_TRY(wwi_stream_read(p->stream, s->best[list], 0, bytes, p->nearest.best[list] + s->first * p->k));
        WWI_TRY(wwi_stream_read(p->stream, s->best_ids[list], 0, bytes, p->nearest.ids[list] + s->first * p->k));
    }
    return WW_OK;
}

void wwi_profile_enter(double *best, int64_t *ids, size_t k, double distance2, int64_t id) {
    for (size_t r = 0; r < k; r++)
        if (ids[r] == id)
            return;
    size_t at = k;
    while (at > 0 && (ids[at - 1] < 0 || best[at - 1] > distance2 || (best[at - 1] == distance2 && ids[at - 1] > id)))
        at--;
    if (at == k || !isfinite(distance2))
        return;
    memmove(best + at + 1, best + at, (k - 1 - at) * sizeof *best);
    memmove(ids + at + 1, ids + at, (k - 1 - at) * sizeof *ids);
    best[at] = distance2;
    ids[at] = id;
}
