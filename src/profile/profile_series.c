// SPDX-License-Identifier: Apache-2.0
// Prepares a series for its profile. Means and norms take two passes over blocks of a window's length: a window is the
// end of one block and the beginning of the next, and both parts' sums are merged (T. Chan et al., COMPSTAT 1982), so
// nothing that lies outside the window is ever added or taken off.
#include "profile/profile_series.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/kit.h"
#include "base/normal.h"
#include "data/view.h"
#include "error.h"
#include "host.h"
#include "profile/profile_sums.h"

// The squares of a smaller range are not all numbers of double, where the largest value is about 1.
#define LEAST_RANGE 1e-140
#define PIECE 16384 // windows that a thread takes, or more

void wwi_profile_series_free(wwi_profile_series *s) {
    free(s->values);
    free(s->lasts);
    free(s->sizes);
    free(s->norms);
    free(s->state);
    free(s->flat);
    free(s->flat_bits);
    free(s->kind);
    free(s->kind_windows);
    free(s->kind_starts);
    free(s->close);
    free(s->slopes);
    free(s->edges);
    free(s->left);
    free(s->bends);
}

// Window i has a value in channel c that is not finite.
static void leave_out(wwi_profile_series *s, size_t c, size_t i) {
    if (!s->partial) {
        s->state[i] = WWI_WINDOW_NOT_FINITE;
        return;
    }
    s->norms[c * s->windows + i] = -1;
    s->flat_bits[i] |= UINT32_C(0x10000) << c;
}

// The values of a channel, in pieces.
typedef struct channel_values {
    double *to;
    wwi_line from;
    size_t points;
    wwi_extremes of;
    bool odd;             // some are not finite
    pthread_mutex_t lock; // of the last two
    double offset, scale; // to be taken off, and to be multiplied with
} channel_values;

static ww_status copy_piece(void *user, uint64_t piece) {
    channel_values *v = user;
    const size_t first = (size_t)piece * PIECE, end = (size_t)wwi_least(first + PIECE, v->points);
    wwi_extremes of = {INFINITY, -INFINITY};
    bool odd = false;
    for (size_t t = first; t < end; t++) {
        const double value = v->to[t] = wwi_line_at(v->from, t);
        if (!isfinite(value)) {
            odd = true;
            continue;
        }
        of.least = value < of.least ? value : of.least;
        of.most = value > of.most ? value : of.most;
    }
    (void)pthread_mutex_lock(&v->lock);
    v->odd = v->odd || odd;
    v->of.least = fmin(v->of.least, of.least);
    v->of.most = fmax(v->of.most, of.most);
    (void)pthread_mutex_unlock(&v->lock);
    return WW_OK;
}

// Values of a channel that are not finite become the value before, and their windows' state says so.
static void hold_finite(wwi_profile_series *s, size_t c) {
    double *x = s->values + c * s->points;
    double held = NAN;
    size_t bad = 0; // windows that end at t or later and contain something not finite begin before this
    for (size_t t = 0; t < s->points && !isfinite(held); t++) // the first that is finite
        held = x[t];
    held = isfinite(held) ? held : 0;
    for (size_t t = 0; t < s->points; t++) {
        if (isfinite(x[t])) {
            held = x[t];
            continue;
        }
        const size_t first = t + 1 >= s->window ? t + 1 - s->window : 0;
        for (size_t i = first > bad ? first : bad; i <= t && i < s->windows; i++)
            leave_out(s, c, i);
        bad = t + 1;
        x[t] = held;
    }
}

static ww_status copy_channel(wwi_profile_series *s, wwi_line from, size_t c, unsigned threads, wwi_extremes *of) {
    channel_values v = {s->values + c * s->points, from, s->points, {INFINITY, -INFINITY}, .odd = false};
    (void)pthread_mutex_init(&v.lock, NULL);
    const ww_status status = wwi_share(threads, wwi_ceil_div(s->points, PIECE), copy_piece, &v);
    (void)pthread_mutex_destroy(&v.lock);
    if (status == WW_OK && v.odd)
        hold_finite(s, c);
    *of = v.of;
    return status;
}

static ww_status scale_piece(void *user, uint64_t piece) {
    const channel_values *v = user;
    const size_t first = (size_t)piece * PIECE, end = (size_t)wwi_least(first + PIECE, v->points);
    for (size_t t = first; t < end; t++)
        v->to[t] = (v->to[t] - v->offset) * v->scale;
    return WW_OK;
}

// Takes off a common offset where that is exact, and scales by a power of two: values are between -2 and 2.
static ww_status scale_channel(wwi_profile_series *s, size_t c, wwi_extremes of, unsigned threads) {
    double *x = s->values + c * s->points;
    s->sizes[c * s->windows] = 1;
    if (!(of.least <= of.most))
        return WW_OK;
    const bool centred = (of.least > 0 && of.most <= 2 * of.least) || (of.most < 0 && of.least >= 2 * of.most);
    const double offset = centred ? of.least : 0;
    const double range = centred ? of.most - of.least : fmax(fabs(of.least), fabs(of.most));
    const int exponent = range > 0 ? -ilogb(range) : 0;
    const double scale = ldexp(1, exponent);
    channel_values v = {.to = x, .points = s->points, .offset = offset, .scale = scale};
    if (isfinite(scale))
        WWI_TRY(wwi_share(threads, wwi_ceil_div(s->points, PIECE), scale_piece, &v));
    for (size_t t = 0; !isfinite(scale) && t < s->points; t++)
        x[t] = ldexp(x[t] - offset, exponent);
    // What the test for constant windows compares with is the value before the offset was taken off.
    s->lasts[c * s->windows] = ldexp(offset, exponent);
    s->sizes[c * s->windows] = ldexp(1, exponent);
    return WW_OK;
}

static ww_status refuse_range(size_t index, size_t window, size_t c) {
    wwi_fail(WW_ERROR_UNSUPPORTED,
             "window %zu of series %zu, channel %zu: its values differ by less than %g of the channel's largest",
             window, index, c, LEAST_RANGE);
    wwi_fail_where((int64_t)index, (int64_t)window);
    return wwi_fail_hint("double does not hold their squares: if a huge value stands for a missing one, put NaN there");
}

// The windows of a channel, in pieces of whole blocks.
typedef struct channel_sums {
    wwi_profile_series *s;
    size_t channel, each;      // each: blocks of a piece
    double offset;             // that was taken off the values
    const unsigned char *flat; // windows that are constant by the caller's word, or NULL
    double least_size;         // a window whose norm is less is constant, too
    atomic_bool refused;       // the norm of a window that double does not hold is infinite
} channel_sums;

// The windows that begin in the block from b on. `ends`: room for as many as a window has points.
static ww_status block_sums(channel_sums *of, size_t b, wwi_profile_part_sums *ends) {
    wwi_profile_series *s = of->s;
    const size_t m = s->window, c = of->channel;
    const double *x = s->values + c * s->points;
    double *lasts = s->lasts + c * s->windows, *sizes = s->sizes + c * s->windows, *norms = s->norms + c * s->windows;
    const double squared = (double)m * ((double)m * (double)m - 1) / 12; // of a line of slope 1
    // Relative to a value that all windows of this block contain.
    const double origin = x[b + m - 1];
    wwi_profile_part_sums p = {0, 0, 0, 0, 0}, beginning = {0, 0, 0, 0, 0};
    for (size_t t = m; t-- > 0;)
        ends[t] = p = wwi_profile_extend(p, m - t, x[b + t] - origin);
    for (size_t i = b; i < b + m && i < s->windows; i++) {
        const size_t after = i - b;
        if (i % WWI_INTERRUPTED == 0)
            WWI_TRY(wwi_interrupted());
        if (after > 0)
            beginning = wwi_profile_extend(beginning, after, x[b + m + after - 1] - origin);
        const wwi_profile_part_sums w = wwi_profile_join(ends[after], m - after, beginning, after);
        const double size = sqrt(w.squares);
        const double largest = fmax(fabs(w.least + origin + of->offset), fabs(w.most + origin + of->offset));
        const bool told = size < of->least_size || (of->flat && of->flat[i]);
        const bool flat = told || WW_IS_CONSTANT(w.least, w.most, largest, DBL_EPSILON);
        lasts[i] = (x[i + m - 1] - origin) - w.mean;
        sizes[i] = size;
        if (norms[i] < 0)
            continue;
        norms[i] = flat || !(size > 0) ? 0 : 1 / size;
        if (!flat && w.most - w.least < LEAST_RANGE && s->state[i] == WWI_WINDOW_USABLE) {
            norms[i] = INFINITY;
            atomic_store(&of->refused, true);
        }
        if (flat || w.tilt * w.tilt >= (1 - s->closeness) * squared * w.squares)
            s->close[i]++;
        if (!flat)
            continue;
        s->flat[i] += 0.5f;
        s->flat_bits[i] |= c < 32 ? UINT32_C(1) << c : 0;
    }
    return WW_OK;
}

static ww_status piece_sums(void *user, uint64_t piece) {
    channel_sums *of = user;
    const size_t m = of->s->window, first = (size_t)piece * of->each * m, left = of->s->windows - first;
    WWI_FREES wwi_profile_part_sums *ends = NULL;
    WWI_TRY(wwi_new(ends, m));
    for (size_t at = 0; at < left && at < of->each * m; at += m)
        WWI_TRY(block_sums(of, first + at, ends));
    return WW_OK;
}

static ww_status window_sums(wwi_profile_series *s, size_t index, size_t c, wwi_profile_word word, unsigned threads) {
    const double *norms = s->norms + c * s->windows, scale = s->sizes[c * s->windows];
    const size_t told = wwi_profile_series_channel(s, c);
    channel_sums of = {.s = s,
                       .channel = c,
                       .each = wwi_ceil_div(PIECE, s->window),
                       .offset = s->lasts[c * s->windows],
                       .flat = word.flat ? word.flat + told * s->windows : NULL,
                       .least_size = word.below * sqrt((double)s->window) * scale};
    atomic_init(&of.refused, false);
    WWI_TRY(wwi_share(threads, wwi_ceil_div(s->windows, of.each * s->window), piece_sums, &of));
    for (size_t i = 0; atomic_load(&of.refused) && i < s->windows; i++)
        if (isinf(norms[i]))
            return refuse_range(index, i, told);
    return WW_OK;
}

// ---- rows that repeat

// What has been met: patterns of rows, each at the place that its key gives, and the last window that ended with it.
typedef struct met {
    uint64_t key, end; // end: the window + 1, 0 for none
} met;

// Whether the rows of the last windows repeat. A row's pattern is how it and the ones before differ from theirs before.
typedef struct repeats {
    met *table;
    uint64_t mask;
    uint64_t keys[4];    // of the last rows
    unsigned char *seen; // of the last `rows` windows, in a ring: that end with a pattern met before
    size_t rows, turn, count, most;
    double largest, scale; // the unit of differences is 1 / scale
} repeats;

static void repeats_close(repeats *r) {
    free(r->table);
    free(r->seen);
}

static ww_status repeats_open(repeats *r, size_t rows) {
    uint64_t places = 1024;
    while (places < 8 * (uint64_t)rows)
        places *= 2;
    r->mask = places - 1;
    r->rows = rows;
    r->most = (size_t)(2 * sqrt((double)rows));
    WWI_TRY(wwi_new_zeroed(r->table, places));
    return wwi_new_zeroed(r->seen, rows);
}

static void repeats_clear(repeats *r) {
    memset(r->table, 0, (size_t)(r->mask + 1) * sizeof *r->table);
    memset(r->seen, 0, r->rows);
    memset(r->keys, 0, sizeof r->keys);
    r->turn = r->count = 0;
}

static uint64_t scatter(uint64_t a) {
    a = (a ^ (a >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return a ^ (a >> 32);
}

// A difference of rows in units of 1 / scale, rounded: adding 1.5 * 2^52 leaves a whole number. Whole numbers and
// halves, which values often are, are not at a border.
static uint64_t cell(double difference, double scale) {
    const double rounded = (difference * scale + 0.118) + 0x1.8p52;
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

// Takes the next window, whose row is df and dg. `largest`: the largest size on the way. True: on the way to this
// window too many rows repeat (docs/profile.md).
static bool repeats_next(repeats *r, size_t i, const double row[2], const double before[2], double largest,
                         size_t window) {
    unsigned char *seen = &r->seen[r->turn];
    r->turn = r->turn + 1 < r->rows ? r->turn + 1 : 0;
    r->count -= *seen;
    *seen = 0;
    memmove(r->keys + 1, r->keys, sizeof r->keys - sizeof *r->keys);
    r->keys[0] = 0;
    if (!(largest > 0))
        return false;
    if (largest != r->largest) { // the step of a row that changes a covariance by about two roundings
        r->largest = largest;
        r->scale = ldexp(1, 22 - ilogb(largest * sqrt((double)window)));
    }
    r->keys[0] = scatter(cell(row[0] - before[0], r->scale) * 3 + scatter(cell(row[1] - before[1], r->scale)));
    if (row[0] == 0 && row[1] == 0) // adds nothing
        return r->count > r->most;
    const uint64_t key = scatter(r->keys[0] + 3 * r->keys[1] + 5 * r->keys[2] + 7 * r->keys[3]);
    met *m = &r->table[key & r->mask];
    *seen = i >= 5 && m->end > 0 && m->key == key && i + 1 - m->end < r->rows;
    r->count += *seen;
    *m = (met){key, i + 1};
    return r->count > r->most;
}

static void raise_to(float *to, double condition) {
    if ((float)condition > *to)
        *to = condition < (double)WWI_PROFILE_LOST / 2 ? (float)condition * 1.000001f : WWI_PROFILE_LOST;
}

// Windows in pieces.
typedef struct reaching {
    wwi_profile_series *s;
    size_t rows, each; // each: windows of a piece
    double grain;
    bool watch;
    pthread_mutex_t lock; // of s->most_single
} reaching;

// The conditions of windows [first, end) in a channel, by a queue of windows of falling size. What is known of repeated
// rows at the first of them depends on three times `rows` windows before. `r` NULL: repeated rows do not matter.
static ww_status find_reach(const reaching *of, size_t c, size_t first, size_t end, size_t *queue, repeats *r) {
    wwi_profile_series *s = of->s;
    const double *sizes = s->sizes + c * s->windows, *norms = s->norms + c * s->windows;
    const size_t before = (r ? 3 : 1) * of->rows + 8;
    double row_before[2] = {0, 0};
    size_t head = 0, tail = 0;
    for (size_t i = first > before ? first - before : 0; i < end; i++) {
        if (i % WWI_INTERRUPTED == 0)
            WWI_TRY(wwi_interrupted());
        while (tail > head && sizes[queue[tail - 1]] <= sizes[i])
            tail--;
        queue[tail++] = i;
        while (queue[head] + of->rows <= i)
            head++;
        bool repeated = false;
        if (r && i > 0) {
            const double row[2] = {wwi_profile_series_df(s, c, i), wwi_profile_series_dg(s, c, i)};
            repeated = repeats_next(r, i, row, row_before, sizes[queue[head]], s->window);
            memcpy(row_before, row, sizeof row);
        }
        if (i < first)
            continue;
        const double condition = fmax(sizes[queue[head]], of->grain) * norms[i];
        raise_to(&s->condition[i], condition);
        raise_to(&s->single[i], condition);
        if (norms[i] > WWI_PROFILE_MOST_NORM)
            raise_to(&s->single[i], (double)WW_PROFILE_DEEP);
        if (repeated)
            raise_to(&s->single[i], (double)WWI_PROFILE_REPEATS);
    }
    return WW_OK;
}

static ww_status piece_reach(void *user, uint64_t piece) {
    reaching *of = user;
    wwi_profile_series *s = of->s;
    const size_t first = (size_t)piece * of->each, end = (size_t)wwi_least(first + of->each, s->windows);
    WWI_FREES size_t *queue = NULL;
    WWI_ENDS(repeats_close) repeats r = {.table = NULL};
    WWI_TRY(wwi_new(queue, of->each + 3 * of->rows + 8));
    if (of->watch)
        WWI_TRY(repeats_open(&r, of->rows));
    for (size_t i = first; i < end; i++)
        s->condition[i] = s->single[i] = 1;
    for (size_t c = 0; c < s->channels; c++) {
        if (of->watch)
            repeats_clear(&r);
        WWI_TRY(find_reach(of, c, first, end, queue, of->watch ? &r : NULL));
    }
    const float most = wwi_profile_series_most_single(s, first, end);
    (void)pthread_mutex_lock(&of->lock);
    s->most_single = fmaxf(s->most_single, most);
    (void)pthread_mutex_unlock(&of->lock);
    return WW_OK;
}

float wwi_profile_series_most_single(const wwi_profile_series *s, size_t first, size_t end) {
    float most = 1;
    for (size_t i = first; i < end && i < s->windows; i++)
        if (s->state[i] == WWI_WINDOW_USABLE)
            most = fmaxf(most, s->single[i]);
    return most;
}

ww_status wwi_profile_series_reach(wwi_profile_series *s, size_t rows, double grain, bool watch, unsigned threads) {
    const size_t least = 4 * (size_t)PIECE, each = 16 * rows > least ? 16 * rows : least;
    reaching of = {s, rows, each, grain, watch, .lock = PTHREAD_MUTEX_INITIALIZER};
    WWI_TRY(wwi_new(s->condition, s->windows));
    WWI_TRY(wwi_new(s->single, s->windows));
    s->most_single = 1;
    WWI_TRY(wwi_share(threads, wwi_ceil_div(s->windows, each), piece_reach, &of));
    return wwi_profile_series_bent_reach(s, rows, grain);
}

// By several threads: to make them takes as long as to fill them. Arrays that are 0 for most series have none until
// then.
static ww_status make_pages(const wwi_profile_series *s, size_t points, size_t windows) {
    const struct {
        void *array;
        size_t bytes;
    } all[] = {
        {s->values, points * sizeof(double)},
        {s->norms, windows * sizeof(double)},
        {s->lasts, windows * sizeof(double)},
        {s->sizes, windows * sizeof(double)},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].array)
            WWI_TRY(wwi_make_pages(all[i].array, all[i].bytes));
    return WW_OK;
}

static ww_status take_arrays(wwi_profile_series *s) {
    uint64_t points, windows;
    if (!wwi_mul_u64(s->points, s->channels, &points) || !wwi_mul_u64(s->windows, s->channels, &windows))
        return wwi_fail(WW_ERROR_OVERFLOW, "a series of %zu points and %zu channels is too large", s->points,
                        s->channels);
    WWI_TRY(wwi_new_zeroed(s->values, points));
    WWI_TRY(wwi_new_zeroed(s->norms, windows));
    WWI_TRY(wwi_new_zeroed(s->state, s->windows));
    WWI_TRY(wwi_new_zeroed(s->flat, s->windows));
    WWI_TRY(wwi_new_zeroed(s->kind, s->windows));
    WWI_TRY(wwi_new_zeroed(s->flat_bits, s->windows));
    if (s->p == 0) {
        WWI_TRY(wwi_new_zeroed(s->lasts, windows));
        WWI_TRY(wwi_new_zeroed(s->sizes, windows));
        WWI_TRY(wwi_new_zeroed(s->close, s->windows));
    }
    return make_pages(s, points, windows);
}

typedef struct states {
    wwi_profile_series *s;
    atomic_size_t flats; // windows with constant or missing channels
    atomic_bool close;   // there is a window close to a line
} states;

static ww_status piece_states(void *user, uint64_t piece) {
    states *of = user;
    wwi_profile_series *s = of->s;
    const size_t first = (size_t)piece * PIECE, end = (size_t)wwi_least(first + PIECE, s->windows);
    size_t flats = 0;
    bool close = false;
    for (size_t i = first; i < end; i++) {
        const uint32_t missing = s->partial ? s->flat_bits[i] >> 16 : 0;
        if (s->channels - (size_t)__builtin_popcount(missing) < s->best)
            s->state[i] = WWI_WINDOW_NOT_FINITE;
        if (s->state[i] == WWI_WINDOW_USABLE && (s->flat[i] > 0 || missing)) {
            s->state[i] = s->channels == 1 ? WWI_WINDOW_FLAT : WWI_WINDOW_USABLE;
            flats++;
        }
        close = close || (s->close && wwi_profile_series_close(s, i));
    }
    atomic_fetch_add(&of->flats, flats);
    if (close)
        atomic_store(&of->close, true);
    return WW_OK;
}

// Of one channel constant windows are a state; of several, a window may be constant in some.
ww_status wwi_profile_series_end(wwi_profile_series *s, unsigned threads) {
    states of = {.s = s};
    atomic_init(&of.flats, 0);
    atomic_init(&of.close, false);
    WWI_TRY(wwi_share(threads, wwi_ceil_div(s->windows, PIECE), piece_states, &of));
    const size_t flats = atomic_load(&of.flats);
    s->has_flats = s->channels > 1 && flats > 0;
    s->flat_count = s->channels == 1 ? flats : 0;
    s->has_close = atomic_load(&of.close);
    return WW_OK;
}

// The channels that always count come first.
static void order_channels(wwi_profile_series *s) {
    if (s->best == s->channels)
        s->forced = 0;
    s->forced_count = (size_t)__builtin_popcount(s->forced);
    size_t first = 0, other = s->forced_count;
    for (size_t c = 0; s->forced_count && c < s->channels; c++)
        s->order[s->forced >> c & 1 ? first++ : other++] = (unsigned char)c;
}

ww_status wwi_profile_series_begin(const ww_series_view *view, size_t index, size_t window, size_t best, double p,
                                   unsigned threads, wwi_profile_series *s, wwi_extremes *extremes) {
    uint64_t before = 0;
    s->channels = view->channels;
    s->window = window;
    s->best = best;
    s->p = p;
    s->partial = best < view->channels && view->channels <= 16;
    s->points = wwi_view_length(view, index);
    for (size_t i = 0; i < index; i++)
        before += wwi_view_length(view, i);
    s->windows = s->points - window + 1;
    order_channels(s);
    WWI_TRY(take_arrays(s));
    for (size_t c = 0; c < s->channels; c++)
        WWI_TRY(copy_channel(s, wwi_view_line(view, index, before, wwi_profile_series_channel(s, c)), c, threads,
                             &extremes[c]));
    return WW_OK;
}

ww_status wwi_profile_series_make(const ww_series_view *view, size_t index, size_t window, size_t best,
                                  wwi_profile_word word, double closeness, unsigned threads, wwi_profile_series *s) {
    WWI_FREES wwi_extremes *extremes = NULL;
    WWI_TRY(wwi_new(extremes, view->channels));
    s->closeness = closeness;
    WWI_TRY(wwi_profile_series_begin(view, index, window, best, 0, threads, s, extremes));
    for (size_t c = 0; c < s->channels; c++)
        WWI_TRY(scale_channel(s, c, extremes[c], threads));
    for (size_t c = 0; c < s->channels; c++)
        WWI_TRY(window_sums(s, index, c, word, threads));
    return wwi_profile_series_end(s, threads);
}

// A line's deviation is its rise by the root of 12, or a little more.
static bool is_line(const double *x, size_t m, double tolerance) {
    const double rise = x[m - 1] - x[0], most = tolerance * fabs(rise) / sqrt(12), step = rise / (double)(m - 1);
    const size_t middle = m / 2;
    // What is no line mostly shows that here.
    if (!(fabs((x[middle] - x[0]) - step * (double)middle) <= most))
        return false;
    for (size_t t = 1; t + 1 < m; t++)
        if (!(fabs((x[t] - x[0]) - step * (double)t) <= most))
            return false;
    return true;
}

typedef struct line_kinds {
    wwi_profile_series *s;
    double tolerance;
    atomic_bool found;
} line_kinds;

static ww_status piece_lines(void *user, uint64_t piece) {
    line_kinds *of = user;
    wwi_profile_series *s = of->s;
    const size_t first = (size_t)piece * PIECE, end = (size_t)wwi_least(first + PIECE, s->windows);
    for (size_t i = first; i < end; i++) {
        const double *x = s->values + i;
        if (s->state[i] == WWI_WINDOW_USABLE && is_line(x, s->window, of->tolerance)) {
            s->kind[i] = x[s->window - 1] > x[0] ? 1 : 2;
            atomic_store(&of->found, true);
        }
    }
    return WW_OK;
}

ww_status wwi_profile_series_find_lines(wwi_profile_series *s, double tolerance, unsigned threads) {
    line_kinds of = {.s = s, .tolerance = tolerance};
    atomic_init(&of.found, false);
    if (s->channels > 1)
        return WW_OK;
    WWI_TRY(wwi_share(threads, wwi_ceil_div(s->windows, PIECE), piece_lines, &of));
    s->kinds = atomic_load(&of.found) ? 2 : 0;
    return WW_OK;
}

// By counting.
ww_status wwi_profile_series_list_kinds(wwi_profile_series *s) {
    if (s->kinds == 0)
        return WW_OK;
    WWI_TRY(wwi_new(s->kind_windows, s->windows));
    WWI_TRY(wwi_new_zeroed(s->kind_starts, s->kinds + 3));
    size_t *starts = s->kind_starts;
    for (size_t j = 0; j < s->windows; j++)
        starts[s->kind[j] + 1] += s->kind[j] > 0;
    for (size_t i = 1; i <= s->kinds + 1; i++)
        starts[i + 1] += starts[i]; // for now the end
    for (size_t j = s->windows; j-- > 0;)
        if (s->kind[j])
            s->kind_windows[--starts[s->kind[j] + 1]] = j;
    return WW_OK;
}

// A window's mean, relative to its first value, and 1 / |x - mean|.
static double statistics(const double *x, size_t m, double *norm) {
    const size_t whole = m / 4 * 4;
    double sums[5] = {0, 0, 0, 0, 0};
    for (size_t t = 0; t < m; t++)
        sums[t < whole ? t % 4 : 4] += x[t] - x[0];
    const double mean = (((sums[0] + sums[1]) + (sums[2] + sums[3])) + sums[4]) / (double)m;
    memset(sums, 0, sizeof sums);
    for (size_t t = 0; t < m; t++) {
        const double d = (x[t] - x[0]) - mean;
        sums[t < whole ? t % 4 : 4] += d * d;
    }
    *norm = 1 / sqrt(((sums[0] + sums[1]) + (sums[2] + sums[3])) + sums[4]);
    return mean;
}

double wwi_profile_channel_distance2(const wwi_profile_series *a, size_t i, const wwi_profile_series *b, size_t j,
                                     size_t c) {
    const size_t m = a->window, whole = m / 4 * 4;
    const double *x = a->values + c * a->points + i, *y = b->values + c * b->points + j;
    double nx, ny, sums[4] = {0, 0, 0, 0};
    const double mx = statistics(x, m, &nx), my = statistics(y, m, &ny);
    const double a_norm = a->norms[c * a->windows + i], b_norm = b->norms[c * b->windows + j];
    if (a_norm < 0 || b_norm < 0)
        return INFINITY;
    nx = a_norm > 0 ? nx : 0;
    ny = b_norm > 0 ? ny : 0;
    for (size_t t = 0; t < whole; t++) {
        const double d = ((x[t] - x[0]) - mx) * nx - ((y[t] - y[0]) - my) * ny;
        sums[t % 4] += d * d;
    }
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (size_t t = whole; t < m; t++) {
        const double d = ((x[t] - x[0]) - mx) * nx - ((y[t] - y[0]) - my) * ny;
        sum += d * d;
    }
    return sum;
}

double wwi_profile_normal_distance2(const wwi_profile_series *a, size_t i, const wwi_profile_series *b, size_t j) {
    const size_t kept = a->best < a->channels ? a->best : 0;
    double total = 0, least[32]; // of the channels that count, the least first
    for (size_t r = 0; r < kept; r++)
        least[r] = INFINITY;
    for (size_t c = 0; c < a->channels; c++) {
        const double sum = wwi_profile_channel_distance2(a, i, b, j, c);
        if (kept == 0)
            total += sum;
        else
            wwi_profile_keep_least(a, c, sum, least);
    }
    for (size_t r = 0; r < kept; r++)
        total += least[r];
    return total * (double)a->window;
}
