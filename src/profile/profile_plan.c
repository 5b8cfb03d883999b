// SPDX-License-Identifier: Apache-2.0
// The plan of a profile on its device: the form of the kernels, the sizes of tiles and slices, buffers.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "profile/profile_job.h"

enum { MOST_CHANNELS_ITEMS = 8, MOST_DIAGONALS = 8, MOST_VECTOR_WIDTH = 16 * 8, ENTRY_BYTES = WWI_PROFILE_ENTRY_BYTES };

// Pairs by the rows of a tile: from here on tiles of 1024 diagonals are enough for a device.
#define TILES (4096 * 1024)
#define NARROWEST 64 // diagonals of a tile

static uint32_t tuned(const ww_profile *p, const char *name, uint32_t fallback) {
    return (uint32_t)wwi_tuning_for(p->context, p->options.precision, name, (long)fallback);
}

// The error of a correlation for a condition of 1. In float roundings are taken to be independent, since windows whose
// rows repeat have a larger condition: on walks, noise and ramps it is at most 4 to 10 times the root of the rows that
// a diagonal is followed. In double, and pairs of floats, it is what roundings of one sign sum up to (docs/profile.md).
// The first covariance is a sum of as many products as a window has points, in double also where rows are in float.
float wwi_profile_error(const ww_profile *p, bool is_double) {
    const double unit = p->narrow ? 0x1p-44 : is_double ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
    const double rows = (double)p->block_rows;
    // Of what lines leave the tables are less exact: the edges come from sums of a window's points.
    const double more = p->trend && (p->narrow || is_double) ? 2 : 1;
    const double sum = p->narrow || is_double ? more * (4 * rows + 2 * sqrt((double)p->window)) : 10 * sqrt(rows);
    return (float)((double)p->series.channels * unit * (sum + 16));
}

// The form of the kernel, and the sizes of its tiles.
ww_status wwi_profile_choose_form(ww_profile *p, size_t channels) {
    const ww_device_info *info = wwi_context_info(p->context);
    // form.profile: 1 items, 2 vectors, 3 the way of a device without double.
    const long forced = wwi_forced(p->context, "form.profile", 3, info->type == WW_DEVICE_CPU ? 2 : 1);
    p->narrow = !info->has_double || forced == 3;
    p->by_host = p->narrow;
    if (p->narrow && p->options.precision == WW_DOUBLE) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "the device has no double");
        return wwi_fail_hint("choose precision float, or another device");
    }
    if (p->options.p > 0) {
        // A power of double has other last bits on every device: the host's are the same everywhere.
        p->by_host = p->narrow || (p->options.p != 1 && p->options.p != 2 && isfinite(p->options.p));
        p->narrow = false;
        p->vector = forced == 2;
        p->info.form = "raw";
        return WW_OK;
    }
    // Many channels: the form for CPUs runs everywhere, one work-item a tile.
    p->vector = !p->narrow && (forced == 2 || channels > MOST_CHANNELS_ITEMS);
    p->info.form = p->narrow ? "pairs" : p->vector ? "vector" : "items";
    return WW_OK;
}

// Of some windows the largest condition in float, and whether one is close to a straight line.
typedef struct span {
    double condition;
    bool close;
} span;

static span span_of(const wwi_profile_series *s, size_t first, size_t count) {
    span of = {(double)wwi_profile_series_most_single(s, first, first + count), false};
    for (size_t i = first; i < first + count && i < s->windows && !of.close; i++)
        of.close = wwi_profile_series_close(s, i);
    return of;
}

// Whether the rule of kernels_cl/profile/profile.cl puts their tiles among those that are computed in double.
static bool is_deep(span rows, span columns) {
    return rows.condition * columns.condition >= (double)WW_PROFILE_DEEP || (rows.close && columns.close);
}

// What part of the tiles is computed in double, from some of them.
static double deep_share(const ww_profile *p, size_t rows) {
    enum { TRIED = 32, WIDTH = 1024 };
    const wwi_profile_series *other = wwi_profile_other(p);
    span own[TRIED], others[TRIED];
    size_t deep = 0;
    for (size_t i = 0; i < TRIED; i++) {
        own[i] = span_of(&p->series, i * p->series.windows / TRIED, rows);
        others[i] = span_of(other, i * other->windows / TRIED, rows + WIDTH);
    }
    for (size_t i = 0; i < TRIED; i++)
        for (size_t j = 0; j < TRIED; j++)
            deep += is_deep(own[i], others[j]);
    return (double)deep / (TRIED * TRIED);
}

// The input's series with what wwi_profile_series_reach() made of it.
struct wwi_profile_reach {
    wwi_counted counted;
    wwi_profile_reach *next; // of the input
    size_t before;
    double grain;
    bool watch;
    wwi_profile_series series;
};

static void destroy_reach(wwi_counted *counted) {
    wwi_profile_reach *r = (wwi_profile_reach *)counted;
    free(r->series.condition);
    free(r->series.single);
    free(r->series.bent);
    free(r);
}

void wwi_profile_reach_release(wwi_profile_reach **reach) {
    wwi_profile_reach *r = wwi_taken(reach);
    if (r)
        wwi_counted_release(&r->counted);
}

void wwi_profile_input_forget(wwi_profile_input *in) {
    for (int side = 0; side < 2; side++)
        while (in->reach[side]) {
            wwi_profile_reach *first = in->reach[side];
            in->reach[side] = first->next;
            wwi_profile_reach_release(&first);
        }
}

static ww_status find_reach(wwi_profile_input *in, int side, size_t before, double grain, bool watch,
                            wwi_profile_reach **reach) {
    wwi_profile_reach *r = in->reach[side];
    while (r && !(r->before == before && r->grain == grain && r->watch == watch))
        r = r->next;
    *reach = r;
    if (r)
        return WW_OK;
    WWI_ENDS(wwi_profile_reach_release) wwi_profile_reach *fresh = NULL;
    WWI_TRY(wwi_new_zeroed(fresh, 1));
    fresh->counted.destroy = destroy_reach;
    wwi_counted_retain(&fresh->counted);
    fresh->before = before;
    fresh->grain = grain;
    fresh->watch = watch;
    fresh->series = side ? in->other : in->series;
    WWI_TRY(wwi_profile_series_reach(&fresh->series, before, grain, watch, wwi_processors()));
    fresh->next = in->reach[side];
    *reach = in->reach[side] = wwi_taken(&fresh);
    return WW_OK;
}

// The reach becomes the plan's. Alike devices have the same: the first that needs it makes it.
static ww_status take_reach(ww_profile *p, int side, size_t before, double grain, bool watch) {
    wwi_profile_reach *reach;
    (void)pthread_mutex_lock(&p->input->lock);
    const ww_status status = find_reach(p->input, side, before, grain, watch, &reach);
    (void)pthread_mutex_unlock(&p->input->lock);
    WWI_TRY(status);
    wwi_counted_retain(&reach->counted);
    wwi_profile_reach_release(&p->reach[side]);
    p->reach[side] = reach;
    *(side ? &p->other : &p->series) = reach->series;
    return WW_OK;
}

static ww_status make_reach(ww_profile *p, size_t rows) {
    // First covariances take values less that of a column before, on the left of a tile.
    const size_t before = rows + (p->vector ? MOST_VECTOR_WIDTH : MOST_DIAGONALS);
    // Values of two floats have an error of their own, which matters in windows of small size.
    const double grain = p->narrow ? 4 * sqrt((double)p->window) * 0x1p-48 / (double)wwi_profile_error(p, false) : 0;
    const bool watch = !p->narrow && p->options.precision == WW_FLOAT;
    WWI_TRY(take_reach(p, 0, before, grain, watch));
    return p->self ? WW_OK : take_reach(p, 1, before, grain, watch);
}

// Of the candidates of a tile of `rows` rows: every pair, for each of its windows.
static uint64_t tile_bytes(const ww_profile *p, uint32_t width, uint32_t rows) {
    return (uint64_t)width * rows * (p->self ? 2 : 1) * ENTRY_BYTES;
}

// Tiles of so many rows are enough for the device, and one fits its list.
static bool fills_device(const ww_profile *p, uint32_t rows) {
    return (p->vector || p->info.pairs / rows >= TILES) &&
           tile_bytes(p, NARROWEST, rows) <= wwi_context_max_buffer(p->context);
}

// How far a diagonal is followed. The longer, the fewer covariances are summed anew, which takes the more the longer
// the window is; but the more tiles have a condition for which float does not do, and few tiles do not fill a device.
// The factors are those of an H200.
static ww_status choose_rows(ww_profile *p) {
    uint32_t made = 0, rows = tuned(p, "profile.rows", 0) / WWI_PROFILE_PART * WWI_PROFILE_PART;
    double least = INFINITY;
    const bool one = p->narrow || p->options.precision == WW_DOUBLE;
    for (uint32_t tried = 2048; !rows && !one && tried >= 128; tried /= 2) {
        if (tried > 128 && !fills_device(p, tried))
            continue;
        made = tried;
        WWI_TRY(make_reach(p, tried));
        const double share = deep_share(p, tried), cost = 1 + 2.5 * share + 0.5 * (double)p->window / tried;
        if (cost < least) {
            least = cost;
            p->block_rows = tried;
        }
        if (share == 0)
            break; // fewer rows would only cost more
    }
    if (rows || one)
        p->block_rows = !rows ? 512 : rows < 64 ? 64 : rows > 4096 ? 4096 : rows;
    return made != p->block_rows ? make_reach(p, p->block_rows) : WW_OK;
}

// The shape of a tile: work-items of a group, diagonals of one, rows staged at a time; lanes of a vector, vectors.
typedef struct shape {
    uint32_t group, diagonals, part, vector, vectors;
} shape;

// The same tile in double.
static shape deep_shape(const ww_profile *p, shape s) {
    if (p->options.precision == WW_DOUBLE)
        return s;
    if (p->vector) {
        s.vector /= 2;
        s.vectors *= 2;
    } else if (s.diagonals > 1) {
        s.diagonals /= 2;
        s.group *= 2;
    }
    return s;
}

// Local memory of kernels_cl/profile/profile_items.cl.
static uint64_t local_bytes(const ww_profile *p, shape s, bool is_double) {
    const uint64_t wide = s.group * s.diagonals + s.part, rows = s.part;
    const uint64_t places = wide + (s.diagonals > 1 ? wide / s.diagonals : 0) + 1;
    const uint64_t bends = p->trend && is_double ? 8 : 0;
    return (places + rows) * (p->series.channels * ((is_double ? 32 : 16) + bends) + 4) +
           s.group * (s.diagonals * p->series.channels * (is_double ? 8 : 4) + 8) + 4 + (wide + rows) / s.diagonals * 4;
}

static bool shape_fits(const ww_profile *p, shape s) {
    const ww_device_info *info = wwi_context_info(p->context);
    const bool is_double = p->options.precision == WW_DOUBLE;
    const shape deep = deep_shape(p, s);
    if (tile_bytes(p, s.group * s.diagonals * s.vector * s.vectors, p->block_rows) > wwi_context_max_buffer(p->context))
        return false;
    return local_bytes(p, s, is_double) <= info->local_bytes && s.group <= info->max_work_group &&
           (!p->deep || (local_bytes(p, deep, true) <= info->local_bytes && deep.group <= info->max_work_group));
}

// Many channels take less of everything.
static shape narrowed(const ww_profile *p, shape s) {
    while (!shape_fits(p, s) && s.part > 16) {
        if (s.group > 64)
            s.group /= 2;
        else if (s.diagonals > 2)
            s.diagonals /= 2;
        else
            s.part /= 2;
    }
    if (!shape_fits(p, s))
        s.diagonals = 1;
    return s;
}

static shape make_shape(const ww_profile *p) {
    const size_t channels = p->series.channels;
    const bool is_double = p->options.precision == WW_DOUBLE;
    shape s = {1, 1, WWI_PROFILE_PART, 1, 1};
    if (p->narrow) {
        s.group = wwi_context_info(p->context)->max_work_group < 64 ? 1 : 64;
        return s;
    }
    if (p->vector) {
        s.vector = is_double ? 8 : 16;
        s.vectors = channels == 1 ? 4 : channels <= 4 ? 2 : 1;
        return s;
    }
    s.group = tuned(p, "profile.group", 128) < 128 ? 64 : 128;
    s.diagonals = channels > 4 || (channels > 2 && is_double) ? 2
                  : channels > 1 || is_double                 ? 4
                                                              : tuned(p, "profile.diagonals", 8);
    s.diagonals = s.diagonals < 4 ? 2 : s.diagonals < 8 ? 4 : 8;
    return narrowed(p, s);
}

// The kernels of one set. `deep`: the same tiles in double.
static ww_status compile_set(ww_profile *p, shape s, bool deep) {
    const bool flats = p->series.has_flats || wwi_profile_other(p)->has_flats;
    const char *text = p->vector ? "profile/profile_vector.cl" : "profile/profile_items.cl";
    const char *name = p->vector ? "ww_profile_vector" : "ww_profile_items";
    const int last = p->self ? WWI_PROFILE_BOTH : WWI_PROFILE_COLUMNS_ALONE;
    if (deep)
        s = deep_shape(p, s);
    p->groups[deep] = s.group;
    for (int role = p->self ? WWI_PROFILE_BOTH : WWI_PROFILE_ROWS_ALONE; role <= last; role++) {
        const wwi_program_parts parts = {
            .texts = {"base/number.cl", "profile/profile_args.h", "profile/profile.cl",
                      p->narrow ? "profile/profile_pairs.cl" : text},
            .defines =
                WWI_LIST({"WWK_DOUBLE", deep || p->options.precision == WW_DOUBLE},
                         {"WW_CHANNELS", (int64_t)p->series.channels}, {"WW_BEST", (int64_t)p->series.best},
                         {"WW_FORCED", (int64_t)p->series.forced_count}, {"WW_TREND", wwi_profile_knows_lines(p, deep)},
                         {"WW_FLATS", flats}, {"WW_PROFILE_ROWS", role != WWI_PROFILE_COLUMNS_ALONE},
                         {"WW_PROFILE_COLUMNS", role != WWI_PROFILE_ROWS_ALONE}, {"WW_RAISES", p->k == 1},
                         {"WW_PROFILE_BLOCK_ROWS", p->block_rows}, {"WW_PROFILE_PART", s.part}, {"WW_WG", s.group},
                         {"WW_DIAGONALS", s.diagonals}, {"WW_VECTOR", s.vector}, {"WW_VECTORS", s.vectors}),
            .kernels = {{&p->tiles[deep][role], p->narrow ? "ww_profile_pairs" : name}},
        };
        WWI_TRY(wwi_program_make(p->context, p->stream, &parts, &p->programs[deep][role]));
    }
    return WW_OK;
}

static ww_status compile(ww_profile *p) {
    const wwi_profile_series *own = &p->series, *other = wwi_profile_other(p);
    const span rows = {(double)own->most_single, own->has_close},
               columns = {(double)other->most_single, other->has_close};
    p->deep = !p->narrow && (p->options.precision == WW_DOUBLE ? p->trend : is_deep(rows, columns));
    const shape s = make_shape(p);
    p->width = s.group * s.diagonals * s.vector * s.vectors;
    WWI_TRY(compile_set(p, s, false));
    if (p->deep)
        WWI_TRY(compile_set(p, s, true));
    return WW_OK;
}

static ww_status compile_merge(ww_profile *p) {
    const bool raw = p->series.p > 0, flats = p->series.has_flats || wwi_profile_other(p)->has_flats;
    const wwi_program_parts parts = {
        .texts = {"base/number.cl", "profile/profile_args.h", "profile/profile.cl",
                  raw ? "profile/profile_raw_distance.cl" : "profile/profile_distance.cl", "profile/profile_merge.cl"},
        .defines = WWI_LIST({"WW_CHANNELS", (int64_t)p->series.channels}, {"WW_BEST", (int64_t)p->series.best},
                            {"WW_FORCED", (int64_t)p->series.forced_count}, {"WW_NORM", raw ? wwi_profile_norm(p) : 0},
                            {"WW_FLATS", flats}, {"WW_TREND", 0}, {"WW_RAISES", p->k == 1},
                            {"WW_PROFILE_K", (int64_t)p->k}, {"WW_MERGE_WG", WWI_PROFILE_MERGE_GROUP}),
        .kernels = {{&p->merge, "ww_profile_merge"},
                    {raw ? NULL : &p->statistics, raw ? NULL : "ww_profile_statistics"}},
    };
    return wwi_program_make(p->context, p->stream, &parts, &p->merge_program);
}

// Bytes for candidates, of `budget`.
static uint64_t candidate_bytes(const ww_profile *p, uint64_t budget) {
    const uint64_t tile = tile_bytes(p, p->width, p->block_rows);
    uint64_t all, bytes = wwi_is_gpu(p->context) ? UINT64_C(1) << 30 : UINT64_C(1) << 27;
    // A small series needs no more candidates than it has pairs.
    if (wwi_mul_u64(p->info.pairs, 2 * ENTRY_BYTES, &all))
        bytes = wwi_least(bytes, all);
    bytes = wwi_least(wwi_least(bytes, budget / 2), wwi_context_max_buffer(p->context));
    return bytes < tile ? tile : bytes; // that of a tile must fit
}

// Windows of a slice and the list of candidates, in the memory that there is.
static ww_status divide(ww_profile *p) {
    const wwi_profile_series *other = wwi_profile_other(p);
    const uint64_t of_window = wwi_profile_window_bytes(p, &p->series);
    const uint64_t windows = p->series.windows > other->windows ? p->series.windows : other->windows;
    uint64_t budget = wwi_context_bytes_free(p->context) / 8 * 7;
    if (p->run.max_bytes)
        budget = wwi_least(budget, p->run.max_bytes);
    const uint64_t bytes = candidate_bytes(p, budget);
    p->capacity = wwi_least(bytes / ENTRY_BYTES, UINT32_MAX / 2);
    const uint64_t padding = (uint64_t)(p->padding + p->window) * of_window;
    const uint64_t sides = p->self ? 1 : 2;
    uint64_t slice = budget > bytes + sides * padding ? (budget - bytes - sides * padding) / sides / of_window : 0;
    if (p->self && slice < windows)
        slice /= 2;
    // No buffer above the device's limit: the widest is that of the table, or of the neighbours.
    const uint64_t real = p->deep || p->narrow || p->options.precision == WW_DOUBLE ? 8 : 4;
    const uint64_t table = p->series.channels * (p->trend ? 5 : 3) * real, list = p->k * 8;
    const uint64_t widest = wwi_context_max_buffer(p->context) / (table > list ? table : list);
    const uint64_t fits = widest > p->padding + p->window ? widest - p->padding - p->window : 0;
    slice = wwi_least(wwi_least(slice, fits), UINT64_C(1) << 30);
    if (slice < windows && slice < 256) {
        wwi_fail(WW_ERROR_DEVICE_MEMORY,
                 "a profile of windows of %zu points needs %" PRIu64 " bytes and %" PRIu64 " for a slice of 256",
                 p->window, bytes, sides * (padding + 256 * of_window));
        return wwi_fail_hint("raise max_bytes");
    }
    p->slice = (size_t)wwi_least(slice, windows);
    return WW_OK;
}

static ww_status plan_kernels(ww_profile *p) {
    p->padding = 2 * WWI_PROFILE_PART;
    if (p->series.p > 0) {
        WWI_TRY(wwi_profile_raw_plan(p));
    } else {
        WWI_TRY(choose_rows(p));
        WWI_TRY(compile(p));
    }
    if (!p->by_host)
        WWI_TRY(compile_merge(p));
    p->padding += p->width;
    p->rate = wwi_pace_guess(wwi_context_info(p->context), p->vector ? 2 : 8) / (double)p->series.channels;
    p->merge_rate = wwi_pace_guess(wwi_context_info(p->context), p->vector || p->by_host ? 0.5 : 8) /
                    ((double)p->window * (double)p->series.channels);
    return divide(p);
}

// The kernels, while another thread fills the lists, whose pages take as long.
typedef struct planning {
    ww_profile *p;
    ww_status kernels, lists;
} planning;

static void plan_half(void *user, unsigned half) {
    planning *own = user;
    if (half == 0)
        own->kernels = plan_kernels(own->p);
    else
        own->lists = wwi_profile_nearest_fill(&own->p->nearest);
}

ww_status wwi_profile_plan(ww_profile *p) {
    enum { LEAST_WINDOWS = 1 << 18 }; // of fewer the lists are filled in no time
    planning own = {.p = p};
    WWI_TRY(wwi_profile_nearest_allocate(p->series.windows, p->k, wwi_profile_lists(p), &p->nearest));
    p->nearest.exponent = p->series.exponent;
    const unsigned threads = p->series.windows < LEAST_WINDOWS ? 1 : 2;
    wwi_in_threads(threads, plan_half, &own);
    if (threads == 1)
        plan_half(&own, 1);
    WWI_TRY(own.kernels);
    if (own.lists != WW_OK)
        return wwi_fail(own.lists, "the lists of neighbours can't be made");
    return WWI_GROW(p->context, {&p->entries, p->capacity * ENTRY_BYTES},
                    {&p->counters, WWI_PROFILE_STRIPES * WWI_PROFILE_STRIPE * 4});
}
