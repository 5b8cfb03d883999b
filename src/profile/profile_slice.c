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

// What is sent: rows of `width` places.
typedef struct sending sending;
typedef void (*values_fn)(const sending *of, size_t row, size_t first, size_t count, double *to);
struct sending {
    const ww_profile *p;
    const wwi_profile_slice *s;
    values_fn values;
    size_t width;
    bool wide; // in double, or what two floats hold of it; else in float
    bool deep; // for the second set of kernels
};

// A function that gives places of a row, of one that gives a place.
#define PLACES(name, value_at)                                                                                         \
    static void name(const sending *of, size_t row, size_t first, size_t count, double *to) {                          \
        for (size_t i = 0; i < count; i++)                                                                             \
            to[i] = value_at(of, row, first + i);                                                                      \
    }

static void put(const sending *of, const double *values, size_t count, void *to) {
    if (!of->wide) {
        float *floats = to;
        for (size_t i = 0; i < count; i++)
            floats[i] = (float)values[i];
    } else if (of->p->narrow) {
        float *floats = to;
        for (size_t i = 0; i < count; i++) {
            floats[2 * i] = (float)values[i];
            floats[2 * i + 1] = (float)(values[i] - (double)floats[2 * i]);
        }
    } else {
        memcpy(to, values, count * sizeof *values);
    }
}

static ww_status make_bytes(void *user, uint64_t at, uint64_t bytes, void *target) {
    enum { MOST = 512 };
    const sending *of = user;
    const size_t each = of->wide ? 8 : 4, end = (size_t)(at + bytes) / each;
    unsigned char *to = target;
    double values[MOST];
    for (size_t place = (size_t)at / each, count; place < end; place += count, to += count * each) {
        const size_t row = place / of->width, first = place % of->width, left = of->width - first;
        count = end - place < left ? end - place : left;
        count = count < MOST ? count : MOST;
        of->values(of, row, first, count, values);
        put(of, values, count, to);
    }
    return WW_OK;
}

// What is sent for a slice, all at once.
enum { MOST_SENT = 16 };
typedef struct batch {
    wwi_sent all[MOST_SENT];
    sending of[MOST_SENT];
    size_t count;
} batch;

// Makes a buffer, for what `make` writes.
static ww_status add_made(ww_profile *p, batch *b, uint64_t bytes, wwi_send_fn make, void *user, wwi_buffer **buffer) {
    WWI_TRY(wwi_buffer_create(p->context, bytes, buffer));
    b->all[b->count++] = (wwi_sent){*buffer, 0, bytes, make, user};
    return WW_OK;
}

// Makes a buffer, for so many rows.
static ww_status add_values(ww_profile *p, batch *b, sending of, size_t rows, size_t width, values_fn values,
                            wwi_buffer **buffer) {
    sending *kept = &b->of[b->count];
    of.values = values;
    of.width = width;
    *kept = of;
    return add_made(p, b, (uint64_t)rows * width * (of.wide ? 8 : 4), make_bytes, kept, buffer);
}

static ww_status add_rows(ww_profile *p, batch *b, const wwi_profile_slice *s, size_t rows, size_t width, bool wide,
                          values_fn values, wwi_buffer **buffer) {
    return add_values(p, b, (sending){.p = p, .s = s, .wide = wide}, rows, width, values, buffer);
}

static inline double point_at(const sending *of, size_t channel, size_t t) {
    const wwi_profile_series *from = of->s->series;
    return t < of->s->count + from->window - 1 ? from->values[channel * from->points + of->s->first + t] : 0;
}
PLACES(row_points, point_at)

// The means of all channels, then the slopes of lines.
static inline double mean_at(const sending *of, size_t row, size_t i) {
    const wwi_profile_series *from = of->s->series;
    const size_t at = of->s->first + i, channels = from->channels;
    if (i >= of->s->count)
        return 0;
    return row < channels ? wwi_profile_series_mean(from, row, at)
                          : from->slopes[(row - channels) * from->windows + at];
}
PLACES(row_means, mean_at)

static inline double norm_at(const sending *of, size_t channel, size_t i) {
    const wwi_profile_series *from = of->s->series;
    return i < of->s->count ? from->norms[channel * from->windows + of->s->first + i] : 0;
}
PLACES(row_norms, norm_at)

// What the recurrence adds, and the sizes (of several channels: the norms) of windows that may be neighbours: three
// rows a channel.
static inline double table_at(const sending *of, size_t row, size_t i) {
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
PLACES(row_tables, table_at)

// The same of what lines leave: five rows a channel. No sum with a window that is nobody's neighbour is below a bound.
static inline double bent_at(const sending *of, size_t row, size_t i) {
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
PLACES(row_bends, bent_at)

// What the merge compares windows with.
static ww_status make_statistics(ww_profile *p, wwi_profile_slice *s, const wwi_buffer *norms) {
    const uint32_t windows = (uint32_t)s->count, window = (uint32_t)p->window;
    WWI_TRY(wwi_buffer_create(p->context, 2 * wwi_buffer_bytes(norms), &s->statistics));
    WWI_TRY(WWI_LAUNCH_ITEMS(p->statistics, s->count, WWI_PROFILE_MERGE_GROUP, WWI_BUFFER(s->values), WWI_BUFFER(norms),
                             WWI_VALUE(windows), WWI_VALUE(window), WWI_VALUE(s->points), WWI_VALUE(s->stride),
                             WWI_BUFFER(s->statistics)));
    return wwi_finish(p->stream);
}

// Values and means, and the tables; norms for the statistics.
static ww_status add_channels(ww_profile *p, batch *b, wwi_profile_slice *s, wwi_buffer **norms) {
    const size_t channels = s->series->channels;
    const bool wide = p->narrow || p->options.precision == WW_DOUBLE;
    WWI_TRY(add_rows(p, b, s, channels, s->points, true, row_points, &s->values));
    WWI_TRY(add_rows(p, b, s, p->trend ? 2 * channels : channels, s->stride, true, row_means, &s->means));
    if (!p->narrow)
        WWI_TRY(add_rows(p, b, s, channels, s->stride, true, row_norms, norms));
    for (int deep = 0; deep <= (int)p->deep; deep++) {
        const bool lines = wwi_profile_knows_lines(p, deep);
        WWI_TRY(add_rows(p, b, s, (lines ? 5 : 3) * channels, s->stride, wide || deep, lines ? row_bends : row_tables,
                         &s->table[deep]));
    }
    return WW_OK;
}

// Pairs of which the second is a channel's norm.
static inline double missing_at(const sending *of, size_t channel, size_t place) {
    return place % 2 ? norm_at(of, channel, place / 2) : 0;
}
PLACES(row_missing, missing_at)

// Of windows that are not normalised: values of tiles in float, and in double; and which channels are missing.
static ww_status add_raw(ww_profile *p, batch *b, wwi_profile_slice *s) {
    const size_t channels = s->series->channels;
    if (p->raw.in_double || !p->by_host)
        WWI_TRY(add_rows(p, b, s, channels, s->points, true, row_points, &s->values));
    if (!p->raw.in_double)
        WWI_TRY(add_rows(p, b, s, channels, s->points, false, row_points, &s->table[0]));
    if (p->by_host || !s->series->has_flats)
        return WW_OK;
    return add_rows(p, b, s, channels, 2 * (size_t)s->stride, true, row_missing, &s->statistics);
}

// A window's condition, as a set of kernels has it.
static float condition_of(const sending *of, size_t i) {
    const wwi_profile_series *from = of->s->series;
    const size_t at = of->s->first + i;
    if (i >= of->s->count || from->state[at] != WWI_WINDOW_USABLE)
        return 1;
    if (wwi_profile_knows_lines(of->p, of->deep))
        return from->bent[at];
    return of->deep || of->p->options.precision == WW_DOUBLE ? from->condition[at] : from->single[at];
}

static inline double condition_at(const sending *of, size_t row, size_t i) {
    (void)row;
    return (double)condition_of(of, i);
}
PLACES(row_conditions, condition_at)

// Of WWI_PROFILE_PART windows the largest condition: first in float, below 0 with a close window, by which both sets
// know their tiles; then the set's own.
typedef struct largest {
    sending of;
    size_t parts;
    float *values; // two a part: the first of all parts, then the others
} largest;

static void find_largest(const largest *l, size_t part) {
    const wwi_profile_slice *s = l->of.s;
    const wwi_profile_series *from = s->series;
    const size_t end = (part + 1) * WWI_PROFILE_PART;
    float single = 1, own = wwi_profile_knows_lines(l->of.p, l->of.deep) ? 0 : 1;
    bool close = false;
    for (size_t i = part * WWI_PROFILE_PART; i < end && i < s->count; i++) {
        const size_t at = s->first + i;
        if (from->state[at] != WWI_WINDOW_USABLE)
            continue;
        single = fmaxf(single, from->single[at]);
        own = fmaxf(own, condition_of(&l->of, i));
        close = close || wwi_profile_series_close(from, at);
    }
    l->values[part] = close ? -single : single;
    l->values[l->parts + part] = own;
}

enum { PARTS = 256 }; // that a thread takes
static ww_status find_piece(void *user, uint64_t piece) {
    const largest *l = user;
    for (size_t part = (size_t)piece * PARTS; part < ((size_t)piece + 1) * PARTS && part < l->parts; part++)
        find_largest(l, part);
    return WW_OK;
}

static ww_status add_conditions(ww_profile *p, batch *b, wwi_profile_slice *s, bool deep) {
    largest l = {.of = {.p = p, .s = s, .deep = deep}, .parts = s->stride / WWI_PROFILE_PART};
    WWI_FREES float *values = NULL;
    WWI_TRY(add_values(p, b, l.of, 1, s->stride, row_conditions, &s->condition[deep]));
    WWI_TRY(wwi_new(values, 2 * l.parts));
    l.values = values;
    WWI_TRY(wwi_share(wwi_processors(), wwi_ceil_div(l.parts, PARTS), find_piece, &l));
    return wwi_upload(p->context, &s->conditions[deep], values, 2 * (uint64_t)l.parts * sizeof *values);
}

static ww_status make_states(void *user, uint64_t at, uint64_t bytes, void *target) {
    const wwi_profile_slice *s = user;
    unsigned char *to = target;
    for (size_t i = (size_t)at; i < at + bytes; i++, to++)
        *to = i < s->count ? s->series->state[s->first + i] : WWI_WINDOW_NOT_FINITE;
    return WW_OK;
}

// How many channels are constant, halved; where fewer than all count: which.
static ww_status make_flats(void *user, uint64_t at, uint64_t bytes, void *target) {
    const wwi_profile_slice *s = user;
    const wwi_profile_series *from = s->series;
    const float *counts = from->flat + s->first;
    const uint32_t *bits = from->flat_bits + s->first;
    unsigned char *to = target;
    for (size_t i = (size_t)at / 4; i < (at + bytes) / 4; i++, to += 4)
        if (i >= s->count)
            memset(to, 0, 4);
        else
            memcpy(to, from->best == from->channels ? (const void *)&counts[i] : &bits[i], 4);
    return WW_OK;
}

static ww_status open_windows(ww_profile *p, wwi_profile_slice *s) {
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *norms = NULL;
    batch b = {.count = 0};
    WWI_TRY(s->series->p > 0 ? add_raw(p, &b, s) : add_channels(p, &b, s, &norms));
    for (int deep = 0; s->series->p == 0 && deep <= (int)p->deep; deep++)
        WWI_TRY(add_conditions(p, &b, s, deep));
    WWI_TRY(add_made(p, &b, s->stride, make_states, s, &s->state));
    WWI_TRY(add_made(p, &b, (uint64_t)s->stride * 4, make_flats, s, &s->flat));
    WWI_TRY(wwi_send_all(b.all, b.count));
    return norms ? make_statistics(p, s, norms) : WW_OK;
}

float wwi_profile_bound(const wwi_profile_series *s, double worst) {
    if (s->p > 0)
        return (float)wwi_profile_raw_power(s, worst) * WW_BOUND_MORE + WW_RAW_LEAST;
    return (float)(worst / (2.0 * (double)s->window)) * WW_BOUND_MORE + WW_BOUND_LEAST;
}

// A list of a slice's windows.
typedef struct neighbours {
    const wwi_profile_slice *s;
    const double *best; // of the slice's first window
    size_t k;
} neighbours;

static ww_status make_bounds(void *user, uint64_t at, uint64_t bytes, void *target) {
    const neighbours *l = user;
    const wwi_profile_slice *s = l->s;
    const wwi_profile_series *from = s->series;
    unsigned char *to = target;
    for (size_t i = (size_t)at / 4; i < (at + bytes) / 4; i++, to += 4) {
        float bound = -ALL;
        if (i < s->count && from->state[s->first + i] == WWI_WINDOW_USABLE) {
            const double worst = l->best[i * l->k + l->k - 1];
            const bool known = from->kind[s->first + i] && worst <= 0; // wwi_profile_enter_kinds()
            bound = known ? -ALL : isfinite(worst) ? fminf(ALL, wwi_profile_bound(from, worst)) : ALL;
        }
        memcpy(to, &bound, 4);
    }
    return WW_OK;
}

static ww_status open_list(ww_profile *p, wwi_profile_slice *s, int list) {
    const uint64_t bytes = (uint64_t)s->stride * 4, list_bytes = (uint64_t)s->count * p->k * 8;
    const double *best = p->nearest.best[list] + s->first * p->k;
    const int64_t *ids = p->nearest.ids[list] + s->first * p->k;
    neighbours l = {s, best, p->k};
    WWI_TRY(wwi_buffer_create(p->context, bytes, &s->bounds[list]));
    WWI_TRY(wwi_send(s->bounds[list], 0, bytes, make_bounds, &l));
    WWI_TRY(wwi_buffer_create(p->context, bytes, &s->heads[list]));
    WWI_TRY(wwi_buffer_fill_u32(s->heads[list], 0, bytes, NO_ENTRY));
    if (p->by_host)
        return WW_OK;
    WWI_TRY(wwi_upload(p->context, &s->best[list], best, list_bytes));
    if (!p->lists.none_known)
        return wwi_upload(p->context, &s->best_ids[list], ids, list_bytes);
    WWI_TRY(wwi_buffer_create(p->context, list_bytes, &s->best_ids[list]));
    return wwi_buffer_fill_u32(s->best_ids[list], 0, list_bytes, UINT32_MAX);
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
        WWI_TRY(open_windows(p, s));
    }
    // The lists are those of the series that is looked at; another series has none.
    for (int list = 0; series == &p->series && list < wwi_profile_lists(p); list++)
        if (!p->lists.current || !s->bounds[list]) {
            WWI_BUFFERS_DESTROY(&s->bounds[list], &s->heads[list], &s->best[list], &s->best_ids[list]);
            WWI_TRY(open_list(p, s, list));
            p->lists.tiles_run = p->lists.tiles_next = 0;
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
