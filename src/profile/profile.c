// SPDX-License-Identifier: Apache-2.0
// Plans of profiles and their runs. The matrix of correlations is divided into bands of diagonals and blocks of rows;
// a launch computes a number of these tiles and lists, for each window, the cells that may be among its k best: those
// above its bound. Between launches the lists are merged into the k best, by exact distances, which raises the bounds.
// A launch with more candidates than there is room for is repeated with the bounds that it has raised, or in parts.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "data/dataset_host.h"
#include "data/view.h"
#include "options.h"
#include "profile/profile_job.h"

enum {
    BOTH = 0,
    ROWS_ALONE = 1,
    COLUMNS_ALONE = 2,
    ENTRY_BYTES = 16,
    MOST_CHANNELS_ITEMS = 8,
    SAMPLE = 64,
    MOST_DIAGONALS = 8,
    MOST_VECTOR_WIDTH = 16 * 8
};

// Pairs by the rows of a tile: from here on tiles of 1024 diagonals are enough for a device.
#define TILES (4096 * 1024)
#define NARROWEST 64 // diagonals of a tile

const wwi_profile_series *wwi_profile_other(const ww_profile *p) {
    return p->self ? &p->series : &p->other;
}

int wwi_profile_lists(const ww_profile *p) {
    return p->options.left_right ? WWI_PROFILE_LISTS : 1;
}

void ww_profile_destroy(ww_profile **profile) {
    if (!profile || !*profile)
        return;
    ww_profile *p = *profile;
    *profile = NULL;
    for (int i = 0; i < 2; i++)
        wwi_profile_slice_close(&p->slices[i]);
    WWI_BUFFERS_DESTROY(&p->entries, &p->counters);
    for (int i = 0; i < 6; i++) {
        wwi_kernel_destroy(&p->tiles[i / 3][i % 3]);
        wwi_program_release(&p->programs[i / 3][i % 3]);
    }
    wwi_kernel_destroy(&p->merge);
    wwi_program_release(&p->merge_program);
    for (int list = 0; list < WWI_PROFILE_LISTS; list++) {
        free(p->best[list]);
        free(p->best_ids[list]);
    }
    wwi_profile_series_free(&p->series);
    wwi_profile_series_free(&p->other);
    wwi_stream_destroy(&p->stream);
    wwi_context_release(p->context);
    free(p);
}

// ---- making a plan

static uint32_t tuned(const ww_profile *p, const char *name, uint32_t fallback) {
    const long value = wwi_tuning(p->context, name, p->options.precision == WW_DOUBLE ? "f64" : "f32", (long)fallback);
    return value >= 0 ? (uint32_t)value : fallback;
}

static ww_status check_series(const ww_series_view *view, size_t index, size_t window, const char *name) {
    if (!view->values || view->count == 0 || view->channels == 0)
        return wwi_fail(WW_ERROR_EMPTY, "%s: no series", name);
    if (index >= view->count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: series %zu of %zu", name, index, view->count);
    const size_t length = view->lengths ? view->lengths[index] : view->length;
    if (length == 0)
        return wwi_fail(WW_ERROR_EMPTY, "%s: series %zu has no points", name, index);
    if (window < WW_PROFILE_LEAST_WINDOW || window > length) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a window of %zu points; %s has %zu", window, name, length);
        return wwi_fail_hint("the window is %d points at least and no longer than a series", WW_PROFILE_LEAST_WINDOW);
    }
    if (length > INT64_MAX / 64)
        return wwi_fail(WW_ERROR_OVERFLOW, "%s has %zu points", name, length);
    return WW_OK;
}

// Pairs of windows, each once.
static ww_status count_pairs(ww_profile *p) {
    uint64_t pairs;
    const uint64_t n = p->series.windows;
    if (!p->self) {
        if (!wwi_mul_u64(n, p->other.windows, &pairs))
            return wwi_fail(WW_ERROR_OVERFLOW, "%zu x %zu windows", p->series.windows, p->other.windows);
    } else {
        if (n <= (uint64_t)p->exclusion + 1) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu windows of %zu points and an exclusion of %zu: no pair is left",
                     p->series.windows, p->window, p->exclusion);
            return wwi_fail_hint("take a shorter window or a smaller exclusion, or a longer series");
        }
        const uint64_t left = n - p->exclusion - 1;
        if (!wwi_mul_u64(left, left + 1, &pairs))
            return wwi_fail(WW_ERROR_OVERFLOW, "%zu windows", p->series.windows);
        pairs /= 2;
    }
    p->info.pairs = pairs;
    return WW_OK;
}

// The form of the kernel, and the sizes of its tiles.
static ww_status choose(ww_profile *p, size_t channels) {
    const ww_device_info *info = wwi_context_info(p->context);
    // The parameter form.profile.double 2 tries the way of a device without double.
    p->narrow = !info->has_double || tuned(p, "form.profile.double", 1) == 2;
    if (p->narrow && p->options.precision == WW_DOUBLE) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "the device has no double");
        return wwi_fail_hint("choose precision float, or another device");
    }
    if (p->narrow)
        return WW_OK;
    // Many channels: the form for CPUs runs everywhere, one work-item a tile.
    p->vector = tuned(p, "form.profile.vector", info->type == WW_DEVICE_CPU) > 0 || channels > MOST_CHANNELS_ITEMS;
    return WW_OK;
}

// The largest reach of `count` windows.
static double span_reach(const wwi_profile_series *s, size_t first, size_t count) {
    float most = 1;
    for (size_t i = first; i < first + count && i < s->windows; i++)
        if (s->state[i] == WWI_WINDOW_USABLE && s->reach[i] > most)
            most = s->reach[i];
    return most;
}

// What part of the tiles is computed in double, from some of them.
static double deep_share(const ww_profile *p, size_t rows) {
    enum { TRIED = 32, WIDTH = 1024 };
    const wwi_profile_series *other = wwi_profile_other(p);
    double own_reach[TRIED], other_reach[TRIED];
    size_t deep = 0;
    for (size_t i = 0; i < TRIED; i++) {
        own_reach[i] = span_reach(&p->series, i * p->series.windows / TRIED, rows);
        other_reach[i] = span_reach(other, i * other->windows / TRIED, rows + WIDTH);
    }
    for (size_t i = 0; i < TRIED; i++)
        for (size_t j = 0; j < TRIED; j++)
            deep += own_reach[i] * other_reach[j] >= WWI_PROFILE_DEEP;
    return (double)deep / (TRIED * TRIED);
}

static ww_status make_reach(ww_profile *p, size_t rows) {
    // First covariances take values less that of a column before, on the left of a tile.
    const size_t before = rows + (p->vector ? MOST_VECTOR_WIDTH : MOST_DIAGONALS);
    // Values of two floats have an error of their own, which matters in windows of small size.
    const double grain = p->narrow ? 4 * sqrt((double)p->window) * 0x1p-48 / (double)wwi_profile_error(p, false) : 0;
    const bool watch = !p->narrow && p->options.precision == WW_FLOAT;
    const ww_status status = wwi_profile_series_reach(&p->series, before, grain, watch);
    return status == WW_OK && !p->self ? wwi_profile_series_reach(&p->other, before, grain, watch) : status;
}

// Room for every pair of a tile of `rows` rows, for each of its windows.
static uint64_t room_of_tile(const ww_profile *p, uint32_t width, uint32_t rows) {
    return (uint64_t)width * rows * (p->self ? 2 : 1) * ENTRY_BYTES;
}

static uint64_t tile_bytes(const ww_profile *p, uint32_t width) {
    return room_of_tile(p, width, p->block_rows);
}

// How far a diagonal is followed. The longer, the fewer covariances are summed anew, which takes the more the longer
// the window is; but the more tiles have a reach for which float does not do, and few tiles do not fill a device. The
// factors are those of an H200.
static ww_status choose_rows(ww_profile *p) {
    ww_status status = WW_OK;
    uint32_t made = 0, rows = tuned(p, "profile.rows", 0) / WWI_PROFILE_PART * WWI_PROFILE_PART;
    double least = INFINITY;
    const bool one = p->narrow || p->options.precision == WW_DOUBLE;
    for (uint32_t tried = 2048; !rows && !one && tried >= 128 && status == WW_OK; tried /= 2) {
        if (tried > 128 && ((!p->vector && p->info.pairs / tried < TILES) ||
                            room_of_tile(p, NARROWEST, tried) > wwi_context_max_buffer(p->context)))
            continue;
        status = make_reach(p, made = tried);
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
    return status == WW_OK && made != p->block_rows ? make_reach(p, p->block_rows) : status;
}

// The shape of a tile: work-items of a group, diagonals of one, rows staged at a time; lanes of a vector, vectors.
typedef struct shape {
    uint32_t group, diagonals, part, vector, vectors;
} shape;

// The same tile in double.
static shape deep_shape(const ww_profile *p, shape s) {
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
    const uint64_t span = s.group * s.diagonals + s.part, rows = s.part;
    const uint64_t places = span + (s.diagonals > 1 ? span / s.diagonals : 0) + 1;
    return (places + rows) * (p->series.channels * (is_double ? 32 : 16) + 4) +
           s.group * (s.diagonals * p->series.channels * (is_double ? 8 : 4) + 8) + 4 + (span + rows) / s.diagonals * 4;
}

static bool shape_fits(const ww_profile *p, shape s) {
    const ww_device_info *info = wwi_context_info(p->context);
    const bool is_double = p->options.precision == WW_DOUBLE;
    const shape deep = deep_shape(p, s);
    if (tile_bytes(p, s.group * s.diagonals * s.vector * s.vectors) > wwi_context_max_buffer(p->context))
        return false;
    return local_bytes(p, s, is_double) <= info->local_bytes && s.group <= info->max_work_group &&
           (!p->deep || (local_bytes(p, deep, true) <= info->local_bytes && deep.group <= info->max_work_group));
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
    // Many channels take less of everything.
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

// The kernels of one set. `deep`: the same tiles in double.
static ww_status compile_set(ww_profile *p, shape s, bool deep) {
    ww_status status;
    char options[320];
    const bool is_double = deep || p->options.precision == WW_DOUBLE;
    const bool flats = p->series.has_flats || wwi_profile_other(p)->has_flats;
    if (deep)
        s = deep_shape(p, s);
    p->groups[deep] = s.group;
    for (int role = p->self ? BOTH : ROWS_ALONE; role <= (p->self ? BOTH : COLUMNS_ALONE); role++) {
        const wwi_source sources[] = {{"base/number.cl", NULL},
                                      {"profile/profile.cl", NULL},
                                      {p->narrow   ? "profile/profile_pairs.cl"
                                       : p->vector ? "profile/profile_vector.cl"
                                                   : "profile/profile_items.cl",
                                       NULL}};
        const char *name = p->narrow ? "ww_profile_pairs" : p->vector ? "ww_profile_vector" : "ww_profile_items";
        snprintf(
            options, sizeof options,
            "-DWWK_DOUBLE=%d -DWW_CHANNELS=%zu -DWW_BEST=%zu -DWW_FLATS=%d -DWW_ROWS=%d -DWW_COLUMNS=%d -DWW_RAISES=%d "
            "-DWW_BLOCK_ROWS=%" PRIu32 " -DWW_PART=%" PRIu32 " -DWW_WG=%" PRIu32 " -DWW_DIAGONALS=%" PRIu32
            " -DWW_VECTOR=%" PRIu32 " -DWW_VECTORS=%" PRIu32,
            is_double, p->series.channels, p->series.best, flats, role != COLUMNS_ALONE, role != ROWS_ALONE, p->k == 1,
            p->block_rows, s.part, s.group, s.diagonals, s.vector, s.vectors);
        if ((status = wwi_program_get(p->context, sources, sizeof sources / sizeof *sources, options,
                                      &p->programs[deep][role])) != WW_OK ||
            (status = wwi_kernel_create(p->stream, p->programs[deep][role], name, &p->tiles[deep][role])) != WW_OK)
            return status;
    }
    return WW_OK;
}

static ww_status compile(ww_profile *p) {
    ww_status status;
    char options[96];
    p->deep = !p->narrow && p->options.precision == WW_FLOAT && p->reach >= WWI_PROFILE_DEEP;
    const shape s = make_shape(p);
    p->width = s.group * s.diagonals * s.vector * s.vectors;
    if ((status = compile_set(p, s, false)) != WW_OK || (p->deep && (status = compile_set(p, s, true)) != WW_OK) ||
        p->narrow)
        return status;
    const wwi_source sources[] = {
        {"base/number.cl", NULL}, {"profile/profile.cl", NULL}, {"profile/profile_merge.cl", NULL}};
    snprintf(options, sizeof options, "-DWW_CHANNELS=%zu -DWW_BEST=%zu -DWW_MOST=%zu -DWW_MERGE_WG=%d",
             p->series.channels, p->series.best, p->k, WWI_PROFILE_MERGE_GROUP);
    if ((status = wwi_program_get(p->context, sources, sizeof sources / sizeof *sources, options, &p->merge_program)) !=
        WW_OK)
        return status;
    return wwi_kernel_create(p->stream, p->merge_program, "ww_profile_merge", &p->merge);
}

// Windows of a slice and room for candidates, in the memory that there is.
static ww_status divide(ww_profile *p) {
    const wwi_profile_series *other = wwi_profile_other(p);
    const uint64_t of_window = wwi_profile_window_bytes(p, &p->series);
    const uint64_t tile = tile_bytes(p, p->width);
    const uint64_t largest = wwi_context_max_buffer(p->context);
    uint64_t room = wwi_context_bytes_free(p->context) / 8 * 7;
    if (p->run.max_bytes && p->run.max_bytes < room)
        room = p->run.max_bytes;
    const bool is_gpu = wwi_context_info(p->context)->type == WW_DEVICE_GPU;
    uint64_t bytes = is_gpu ? UINT64_C(1) << 30 : UINT64_C(1) << 27;
    const uint64_t windows = p->series.windows > other->windows ? p->series.windows : other->windows;
    // A small series needs no more candidates than it has pairs.
    uint64_t all;
    if (wwi_mul_u64(p->info.pairs, 2 * ENTRY_BYTES, &all) && all < bytes)
        bytes = all;
    bytes = bytes > room / 2 ? room / 2 : bytes;
    bytes = bytes > largest ? largest : bytes;
    if (bytes < tile)
        bytes = tile; // that of a tile must fit
    p->capacity = bytes / ENTRY_BYTES;
    if (p->capacity > UINT32_MAX / 2)
        p->capacity = UINT32_MAX / 2;
    const uint64_t padding = (uint64_t)(p->padding + p->window) * of_window;
    const uint64_t sides = p->self ? 1 : 2;
    uint64_t slice = room > bytes + sides * padding ? (room - bytes - sides * padding) / sides / of_window : 0;
    if (p->self && slice < windows)
        slice /= 2;
    // No buffer above the device's limit: the widest is that of the table, or of the neighbours.
    const uint64_t real = p->narrow || p->options.precision == WW_DOUBLE ? 8 : 4;
    const uint64_t table = p->series.channels * 3 * (p->deep ? 8 : real), list = p->k * 8;
    const uint64_t widest = largest / (table > list ? table : list);
    const uint64_t fits = widest > p->padding + p->window ? widest - p->padding - p->window : 0;
    slice = slice > fits ? fits : slice;
    slice = slice > (UINT64_C(1) << 30) ? UINT64_C(1) << 30 : slice;
    if (slice < windows && slice < 256) {
        wwi_fail(WW_ERROR_DEVICE_MEMORY,
                 "a profile of windows of %zu points needs %" PRIu64 " bytes and %" PRIu64 " for a slice of 256",
                 p->window, bytes, sides * (padding + 256 * of_window));
        return wwi_fail_hint("raise max_bytes");
    }
    p->slice = slice < windows ? (size_t)slice : (size_t)windows;
    return WW_OK;
}

static float largest_reach(const wwi_profile_series *s) {
    float most = 1;
    for (size_t i = 0; i < s->windows; i++)
        if (s->state[i] == WWI_WINDOW_USABLE && s->reach[i] > most)
            most = s->reach[i];
    return most;
}

static ww_status allocate(ww_profile *p) {
    ww_status status;
    uint64_t count;
    if (!wwi_mul_u64(p->series.windows, p->k, &count) || count > PTRDIFF_MAX / sizeof(double))
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu windows with %zu neighbours", p->series.windows, p->k);
    for (int list = 0; list < wwi_profile_lists(p); list++) {
        p->best[list] = malloc(count * sizeof(double));
        p->best_ids[list] = malloc(count * sizeof(int64_t));
        if (!p->best[list] || !p->best_ids[list])
            return wwi_fail_memory(count * sizeof(double));
    }
    if ((status = wwi_buffer_create(p->context, p->capacity * ENTRY_BYTES, &p->entries)) != WW_OK)
        return status;
    return wwi_buffer_create(p->context, WWI_PROFILE_STRIPES * WWI_PROFILE_STRIPE * 4, &p->counters);
}

// Of dense series; `other` NULL: the series itself.
static ww_status create(ww_context *context, const ww_series_view *series, size_t index, const ww_series_view *other,
                        size_t other_index, size_t window, const ww_profile_options *options, ww_profile **profile) {
    ww_status status;
    ww_profile *p = NULL;
    ww_profile_options taken = WW_PROFILE_OPTIONS_INIT;
    ww_run_options run;
    if ((status = wwi_options_take(&taken, options, "ww_profile_options")) != WW_OK ||
        (status = wwi_run_take(taken.run, &run)) != WW_OK)
        return status;
    if (taken.k < 1 || taken.k > WW_PROFILE_MOST)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is %zu; 1 to %d", taken.k, WW_PROFILE_MOST);
    if (taken.precision != WW_FLOAT && taken.precision != WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "precision is %d", (int)taken.precision);
    if (other && taken.left_right) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "left and right neighbours of two series");
        return wwi_fail_hint("earlier and later are said of one series");
    }
    if ((status = check_series(series, index, window, "the series")) != WW_OK ||
        (other && (status = check_series(other, other_index, window, "the other series")) != WW_OK))
        return status;
    if (other && series->channels != other->channels)
        return wwi_fail(WW_ERROR_CHANNELS, "the series have %zu and %zu channels", series->channels, other->channels);
    const size_t best = taken.best_channels ? taken.best_channels : series->channels;
    if (best > series->channels)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "best_channels is %zu; the series have %zu channels", best,
                        series->channels);
    if (best < series->channels && series->channels > 32) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "the best %zu of %zu channels", best, series->channels);
        return wwi_fail_hint("of up to 32 channels some may count; of more, all");
    }
    if (window > UINT32_MAX / 8)
        return wwi_fail(WW_ERROR_OVERFLOW, "a window of %zu points", window);

    p = calloc(1, sizeof *p);
    if (!p)
        return wwi_fail_memory(sizeof *p);
    wwi_context_retain(context);
    p->context = context;
    p->options = taken;
    p->options.run = NULL;
    p->run = run;
    p->window = window;
    p->k = taken.k;
    p->self = !other;
    p->exclusion = other ? 0 : taken.exclusion == WW_PROFILE_EXCLUSION_AUTO ? (window + 3) / 4 : taken.exclusion;
    if (p->exclusion > INT64_MAX / 4)
        p->exclusion = INT64_MAX / 4;
    if ((status = wwi_run_stream(context, &p->run, &p->stream)) != WW_OK ||
        (status = choose(p, series->channels)) != WW_OK)
        goto done;
    if ((status = wwi_profile_series_make(series, index, window, best, &p->series)) != WW_OK ||
        (other && (status = wwi_profile_series_make(other, other_index, window, best, &p->other)) != WW_OK) ||
        (status = count_pairs(p)) != WW_OK || (status = choose_rows(p)) != WW_OK)
        goto done;
    p->reach = (double)largest_reach(&p->series) * (double)largest_reach(wwi_profile_other(p));
    if ((status = compile(p)) != WW_OK)
        goto done;
    p->padding = p->width + 2 * WWI_PROFILE_PART;
    if ((status = divide(p)) != WW_OK || (status = allocate(p)) != WW_OK)
        goto done;
    p->rate = wwi_pace_guess(wwi_context_info(context), p->vector ? 2 : 8) / (double)series->channels;
    p->info.struct_size = sizeof p->info;
    p->info.form = p->narrow ? "pairs" : p->vector ? "vector" : "items";
    p->info.windows = p->series.windows;
    p->info.other_windows = wwi_profile_other(p)->windows;
    p->info.exclusion = p->exclusion;
    p->info.slices = (p->series.windows + p->slice - 1) / p->slice;
    *profile = p;
    p = NULL;
done:
    ww_profile_destroy(&p);
    return status;
}

ww_status ww_profile_create(ww_context *context, const ww_series_view *series, size_t index,
                            const ww_series_view *other, size_t other_index, size_t window,
                            const ww_profile_options *options, ww_profile **profile) {
    ww_series_view one, two;
    void *copies[2] = {NULL, NULL};
    if (profile)
        *profile = NULL;
    if (!context || !series || !profile)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "context, series or profile is NULL");
    ww_status status = wwi_view_make_dense(series, SIZE_MAX, &one, &copies[0]);
    if (status == WW_OK && other)
        status = wwi_view_make_dense(other, SIZE_MAX, &two, &copies[1]);
    if (status == WW_OK)
        status = create(context, &one, index, other ? &two : NULL, other_index, window, options, profile);
    free(copies[0]);
    free(copies[1]);
    return status;
}

// One series of a dataset, for the precision and context that are asked for.
static ww_status check_dataset(const ww_dataset *d, const ww_context *context, const ww_profile_options *taken) {
    if (d->context != context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the two series are of different contexts");
    if (d->precision == taken->precision)
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a series in %s for a profile in %s", ww_precision_name(d->precision),
             ww_precision_name(taken->precision));
    return wwi_fail_hint("give ww_profile_options and ww_dataset_options the same precision");
}

ww_status ww_profile_create_from_datasets(ww_dataset *series, size_t index, ww_dataset *other, size_t other_index,
                                          size_t window, const ww_profile_options *options, ww_profile **profile) {
    ww_status status;
    ww_profile_options taken = WW_PROFILE_OPTIONS_INIT;
    ww_series_set *sets[2] = {NULL, NULL};
    ww_series_view views[2] = {WW_SERIES_VIEW_INIT, WW_SERIES_VIEW_INIT};
    if (profile)
        *profile = NULL;
    if (!series || !profile)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "series or profile is NULL");
    if ((status = wwi_options_take(&taken, options, "ww_profile_options")) != WW_OK ||
        (status = check_dataset(series, series->context, &taken)) != WW_OK ||
        (other && (status = check_dataset(other, series->context, &taken)) != WW_OK))
        return status;
    if ((status = wwi_dataset_series(series, &sets[0])) == WW_OK &&
        (status = ww_series_set_view(sets[0], &views[0])) == WW_OK && other &&
        (status = wwi_dataset_series(other, &sets[1])) == WW_OK)
        status = ww_series_set_view(sets[1], &views[1]);
    if (status == WW_OK)
        status =
            create(series->context, &views[0], index, other ? &views[1] : NULL, other_index, window, options, profile);
    ww_series_set_destroy(&sets[0]);
    ww_series_set_destroy(&sets[1]);
    return status;
}

// ---- running

// A part of the matrix: the diagonals from `delta` on of the rows' and the columns' windows.
typedef struct region {
    wwi_profile_slice *rows, *columns;
    int role;
    int row_list, column_list;
    uint64_t delta;
    uint32_t blocks;
    uint32_t active; // diagonals of a band that may have candidates
    uint64_t tiles;  // of the launch
    uint64_t reported;
} region;

static ww_status merge_list(ww_profile *p, wwi_profile_slice *own, const wwi_profile_slice *other, int list,
                            uint32_t stripes) {
    if (p->narrow)
        return wwi_profile_merge_host(p, own, other, list, stripes);
    const wwi_profile_merge_args job = {.other_first = other->first,
                                        .own = (uint32_t)own->count,
                                        .window = (uint32_t)p->window,
                                        .own_points = own->points,
                                        .other_points = other->points,
                                        .own_stride = own->stride,
                                        .other_stride = other->stride};
    return WWI_LAUNCH(p->merge, (own->count + WWI_PROFILE_MERGE_GROUP - 1) / WWI_PROFILE_MERGE_GROUP,
                      WWI_PROFILE_MERGE_GROUP, WWI_VALUE(job), WWI_BUFFER(own->values), WWI_BUFFER(other->values),
                      WWI_BUFFER(own->norms), WWI_BUFFER(other->norms), WWI_BUFFER(own->bounds[list]),
                      WWI_BUFFER(own->heads[list]), WWI_BUFFER(p->entries), WWI_BUFFER(own->best[list]),
                      WWI_BUFFER(own->best_ids[list]));
}

static ww_status clear_counters(ww_profile *p) {
    return wwi_buffer_fill_u32(p->counters, 0, wwi_buffer_bytes(p->counters), 0);
}

static ww_status merge(ww_profile *p, const region *r, uint32_t stripes) {
    ww_status status = WW_OK;
    if (r->role != COLUMNS_ALONE)
        status = merge_list(p, r->rows, r->columns, r->row_list, stripes);
    if (status == WW_OK && r->role != ROWS_ALONE &&
        (r->role != BOTH || r->rows != r->columns || r->row_list != r->column_list))
        status = merge_list(p, r->columns, r->rows, r->column_list, stripes);
    return status == WW_OK ? clear_counters(p) : status;
}

// The error of a correlation for a reach of 1. In float roundings are taken to be independent, since windows whose rows
// repeat have a larger reach: on walks, noise and ramps it is at most 4 to 10 times the root of the rows that a
// diagonal is followed. In double, and pairs of floats, it is what roundings of one sign sum up to (docs/profile.md).
// The first covariance is a sum of as many products as a window has points, in double also where rows are in float.
float wwi_profile_error(const ww_profile *p, bool is_double) {
    const double unit = p->narrow ? 0x1p-44 : is_double ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
    const double rows = (double)p->block_rows;
    const double sum = p->narrow || is_double ? 4 * rows + 2 * sqrt((double)p->window) : 10 * sqrt(rows);
    return (float)((double)p->series.channels * unit * (sum + 16));
}

static ww_status launch_set(ww_profile *p, const region *r, wwi_profile_args *job, bool deep) {
    const wwi_profile_slice *a = r->rows, *b = r->columns;
    const bool rows = r->role != COLUMNS_ALONE, columns = r->role != ROWS_ALONE;
    const uint64_t tiles = r->tiles;
    job->error = wwi_profile_error(p, deep || p->options.precision == WW_DOUBLE);
    job->least = deep ? WWI_PROFILE_DEEP : 0;
    job->most = deep || !p->deep ? INFINITY : WWI_PROFILE_DEEP;
    return WWI_LAUNCH(
        p->tiles[deep][r->role], tiles, p->groups[deep], WWI_VALUE(*job), WWI_BUFFER(deep ? a->wide_table : a->table),
        WWI_BUFFER(deep ? b->wide_table : b->table), WWI_BUFFER(a->values), WWI_BUFFER(b->values), WWI_BUFFER(a->means),
        WWI_BUFFER(b->means), WWI_BUFFER(a->reach), WWI_BUFFER(b->reach), WWI_BUFFER(a->reaches),
        WWI_BUFFER(b->reaches), WWI_BUFFER(a->flat), WWI_BUFFER(b->flat), WWI_BUFFER(a->state), WWI_BUFFER(b->state),
        WWI_BUFFER(rows ? a->bounds[r->row_list] : NULL), WWI_BUFFER(columns ? b->bounds[r->column_list] : NULL),
        WWI_BUFFER(rows ? a->heads[r->row_list] : NULL), WWI_BUFFER(columns ? b->heads[r->column_list] : NULL),
        WWI_BUFFER(p->entries), WWI_BUFFER(p->counters));
}

static ww_status launch(ww_profile *p, const region *r, uint64_t first, uint32_t stripes) {
    const wwi_profile_slice *a = r->rows, *b = r->columns;
    wwi_profile_args job = {.first = first,
                            .blocks = r->blocks,
                            .rows = (uint32_t)a->count,
                            .columns = (uint32_t)b->count,
                            .delta = (uint32_t)r->delta,
                            .window = (uint32_t)p->window,
                            .active = r->active,
                            .row_points = a->points,
                            .column_points = b->points,
                            .row_stride = a->stride,
                            .column_stride = b->stride,
                            .stripes = stripes,
                            .capacity = (uint32_t)(p->capacity / stripes),
                            .offset = (int64_t)b->first - (int64_t)a->first,
                            .exclusion = p->self ? (int64_t)p->exclusion : -1,
                            .rounding = 4e-7f * (float)p->series.channels};
    const ww_status status = launch_set(p, r, &job, false);
    return status == WW_OK && p->deep ? launch_set(p, r, &job, true) : status;
}

// The most entries of a stripe, and of all together.
static ww_status read_counters(ww_profile *p, uint32_t stripes, uint64_t *most, uint64_t *all) {
    uint32_t counts[WWI_PROFILE_STRIPES * WWI_PROFILE_STRIPE];
    const ww_status status = wwi_stream_read(p->stream, p->counters, 0, sizeof counts, counts);
    *most = *all = 0;
    for (uint32_t i = 0; status == WW_OK && i < stripes; i++) {
        const uint64_t count = counts[i * WWI_PROFILE_STRIPE];
        *most = count > *most ? count : *most;
        *all += count;
    }
    return status;
}

// Pairs on `count` diagonals from `delta` on.
static uint64_t pairs_of(uint64_t rows, uint64_t columns, uint64_t delta, uint64_t count) {
    uint64_t pairs = 0;
    if (delta >= columns)
        return 0;
    count = count < columns - delta ? count : columns - delta;
    // Diagonals on which all rows have a column, then shorter ones.
    const uint64_t full = columns > rows && delta < columns - rows ? columns - rows - delta : 0;
    const uint64_t whole = full < count ? full : count;
    pairs = whole * rows;
    const uint64_t longest = columns - delta - whole, rest = count - whole;
    return pairs + rest * longest - rest * (rest - (rest > 0)) / 2;
}

static uint64_t pairs_of_region(const region *r) {
    return pairs_of(r->rows->count, r->columns->count, r->delta, r->columns->count);
}

// Pairs in the tiles before one.
static uint64_t pairs_before(const ww_profile *p, const region *r, uint64_t tile) {
    const uint64_t rows = r->rows->count, columns = r->columns->count, band = tile / r->blocks;
    const uint64_t next = pairs_of(rows, columns, r->delta + band * p->width, p->width);
    return pairs_of(rows, columns, r->delta, band * p->width) + next / r->blocks * (tile % r->blocks);
}

// The first `tiles` tiles. A sample (few active diagonals) reports nothing.
static ww_status run_tiles(ww_profile *p, region *r, uint64_t tiles) {
    ww_status status = clear_counters(p);
    const bool sample = r->active < p->width;
    const uint64_t tile_pairs = (uint64_t)p->width * p->block_rows;
    const uint64_t listed = (uint64_t)r->active * p->block_rows * (r->role == BOTH ? 2 : 1);
    const uint64_t sure = p->capacity / listed; // tiles that always have room
    // The first tiles list most: of a random walk a sixteenth of their cells, less where they are many.
    const uint64_t begin = p->vector || p->narrow ? 0 : p->capacity * 16 / tile_pairs;
    uint64_t most = p->k > 1                          ? (sure > r->blocks ? r->blocks : sure)
                    : begin > WWI_PROFILE_STRIPES * 4 ? begin
                                                      : WWI_PROFILE_STRIPES * 4;
    uint64_t held = 0; // candidates that are not merged
    most = most < 1 ? 1 : most;
    for (uint64_t at = 0, take; status == WW_OK && at < tiles;) {
        const double start = wwi_seconds();
        uint64_t fullest, all;
        take = wwi_pace_units(&p->pace, p->rate, tiles - at, (double)tile_pairs);
        take = take < most ? take : most;
        const bool safe = take <= sure && held == 0;
        const uint32_t stripes = safe && take < WWI_PROFILE_STRIPES ? 1 : WWI_PROFILE_STRIPES;
        r->tiles = take;
        if ((status = launch(p, r, at, stripes)) != WW_OK ||
            (status = read_counters(p, stripes, &fullest, &all)) != WW_OK)
            break;
        const uint64_t room = p->capacity / stripes;
        if (fullest > room) {
            // The bounds are better now; what was listed of this launch is met again.
            most = take / 4 > 1 ? take / 4 : 1;
            if ((status = merge(p, r, stripes)) != WW_OK)
                break;
            held = 0;
            continue;
        }
        p->rate = wwi_pace_learn(p->rate, (double)(take * tile_pairs), wwi_seconds() - start);
        most = fullest - held < room / 16 ? take * 4 : fullest - held < room / 4 ? take * 2 : take;
        p->info.candidates += all;
        held = fullest;
        at += take;
        // With several neighbours wanted only a merge raises the bounds, and what is new should not be most of it.
        if (p->k > 1)
            most = most < at ? most : at;
        if (stripes == 1 || p->k > 1 || held > room / 2 || at >= tiles) {
            if ((status = merge(p, r, stripes)) != WW_OK)
                break;
            held = 0;
        }
        const uint64_t now = sample ? 0 : at < tiles ? pairs_before(p, r, at) : pairs_of_region(r);
        status = wwi_pace_report(&p->pace, now > r->reported ? now - r->reported : 0);
        r->reported = now > r->reported ? now : r->reported;
    }
    return status;
}

static ww_status run_region(ww_profile *p, region *r) {
    ww_status status = WW_OK;
    const uint64_t rows = r->rows->count, columns = r->columns->count;
    if (r->delta >= columns)
        return WW_OK;
    const uint64_t reached = rows < columns - r->delta ? rows : columns - r->delta;
    const uint64_t bands = (columns - r->delta + p->width - 1) / p->width;
    r->blocks = (uint32_t)((reached + p->block_rows - 1) / p->block_rows);
    // With several neighbours wanted: bounds from a few diagonals first.
    for (r->active = SAMPLE; p->k > 1 && r->active < p->width && status == WW_OK; r->active *= 4)
        status = run_tiles(p, r, r->blocks);
    r->active = p->width;
    return status == WW_OK ? run_tiles(p, r, bands * r->blocks) : status;
}

// Two slices: the diagonals on both sides of the one through their first windows.
static ww_status run_slices(ww_profile *p, size_t first, size_t count, size_t other_first, size_t other_count) {
    ww_status status;
    wwi_profile_slice *a = &p->slices[0], *b = &p->slices[1];
    const int left = wwi_profile_lists(p) - 1;
    if (p->self && first == other_first) {
        region r = {a, a, BOTH, WWI_PROFILE_RIGHT, left, (uint64_t)p->exclusion + 1, 0, 0, 0, 0};
        if ((status = run_region(p, &r)) != WW_OK)
            return status;
        return wwi_profile_slice_store(p, a);
    }
    if ((status = wwi_profile_slice_open(p, b, wwi_profile_other(p), other_first, other_count)) != WW_OK)
        return status;
    region upper = {a, b, p->self ? BOTH : ROWS_ALONE, WWI_PROFILE_RIGHT, left, 0, 0, 0, 0, 0};
    region lower = {b, a, p->self ? BOTH : COLUMNS_ALONE, left, WWI_PROFILE_RIGHT, 1, 0, 0, 0, 0};
    (void)count;
    if ((status = run_region(p, &upper)) != WW_OK || (status = run_region(p, &lower)) != WW_OK ||
        (p->self && (status = wwi_profile_slice_store(p, b)) != WW_OK))
        return status;
    return wwi_profile_slice_store(p, a);
}

// Rows with columns; of one series the two are the same windows, or the columns are later ones.
static ww_status run_part(ww_profile *p, const wwi_profile_part *part) {
    ww_status status = WW_OK;
    const bool triangle = p->self && part->row == part->column;
    for (size_t at = part->row, count; status == WW_OK && at < part->row_end; at += count) {
        count = part->row_end - at < p->slice ? part->row_end - at : p->slice;
        if ((status = wwi_profile_slice_open(p, &p->slices[0], &p->series, at, count)) != WW_OK)
            break;
        for (size_t j = triangle ? at : part->column, taken; status == WW_OK && j < part->column_end; j += taken) {
            taken = part->column_end - j < p->slice ? part->column_end - j : p->slice;
            status = run_slices(p, at, count, j, taken);
        }
    }
    return status;
}

// Of one series rows and columns may have windows in common: all ranges that are in one of them, or in both, with each
// other. At most one range is in both.
static ww_status run_all(ww_profile *p) {
    ww_status status = WW_OK;
    const wwi_profile_part *all = &p->part;
    if (!p->self)
        return run_part(p, all);
    const size_t begin = all->row > all->column ? all->row : all->column,
                 end = all->row_end < all->column_end ? all->row_end : all->column_end;
    const bool common = begin < end;
    const size_t rows[] = {all->row, common ? begin : all->row_end, common ? end : all->row_end, all->row_end},
                 columns[] = {all->column, common ? begin : all->column_end, common ? end : all->column_end,
                              all->column_end};
    for (int i = 0; i < 3 && status == WW_OK; i++)
        for (int j = 0; j < 3 && status == WW_OK; j++) {
            const wwi_profile_part own = {rows[i], rows[i + 1], columns[j], columns[j + 1]},
                                   turned = {columns[j], columns[j + 1], rows[i], rows[i + 1]};
            if (own.row < own.row_end && own.column < own.column_end)
                status = run_part(p, own.row <= own.column ? &own : &turned);
        }
    return status;
}

static void forget(ww_profile *p) {
    for (int list = 0; list < wwi_profile_lists(p); list++)
        for (size_t i = 0; i < p->series.windows * p->k; i++) {
            p->best[list][i] = INFINITY;
            p->best_ids[list][i] = -1;
        }
}

static void give(const ww_profile *p, int list, double *distances, int64_t *indices) {
    const size_t count = p->series.windows * p->k;
    for (size_t i = 0; i < count; i++) {
        if (distances)
            distances[i] = p->best[list][i];
        if (indices)
            indices[i] = p->best_ids[list][i];
    }
}

// Of the neighbours on both sides the k nearest.
static void give_joined(const ww_profile *p, double *distances, int64_t *indices) {
    const size_t k = p->k;
    for (size_t i = 0; i < p->series.windows; i++) {
        size_t at[WWI_PROFILE_LISTS] = {0, 0};
        for (size_t r = 0; r < k; r++) {
            const double right = p->best[WWI_PROFILE_RIGHT][i * k + at[WWI_PROFILE_RIGHT]];
            const double left = p->best[WWI_PROFILE_LEFT][i * k + at[WWI_PROFILE_LEFT]];
            const int list = left <= right ? WWI_PROFILE_LEFT : WWI_PROFILE_RIGHT; // the lower index
            const size_t from = i * k + at[list]++;
            if (distances)
                distances[i * k + r] = p->best[list][from];
            if (indices)
                indices[i * k + r] = p->best_ids[list][from];
        }
    }
}

// Pairs of windows of the part, some of them within the exclusion.
static uint64_t pairs_of_part(const ww_profile *p) {
    const wwi_profile_part *part = &p->part;
    uint64_t pairs;
    const bool all = part->row_end - part->row == p->series.windows &&
                     part->column_end - part->column == wwi_profile_other(p)->windows;
    if (all || !wwi_mul_u64(part->row_end - part->row, part->column_end - part->column, &pairs))
        return p->info.pairs;
    return pairs;
}

// The squared distances of the pairs of a part.
static ww_status run(ww_profile *p, const wwi_profile_part *part, const ww_profile_output *output,
                     ww_profile_output *taken) {
    ww_status status;
    ww_profile_output to = WW_PROFILE_OUTPUT_INIT;
    if ((status = wwi_options_take(&to, output, "ww_profile_output")) != WW_OK)
        return status;
    if (!p->options.left_right && (to.left_distances || to.left_indices || to.right_distances || to.right_indices)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "left or right neighbours are wanted from a plan without them");
        return wwi_fail_hint("set options.left_right");
    }
    const double start = wwi_seconds();
    wwi_stream_start(p->stream);
    p->info.candidates = 0;
    p->pace = wwi_pace_make(p->stream, p->run.launch_seconds, p->run.progress, p->run.progress_user);
    p->part = *part;
    wwi_pace_start(&p->pace, pairs_of_part(p));
    forget(p);
    status = wwi_finish_after(p->stream, run_all(p));
    if (status == WW_OK)
        status = wwi_profile_enter_flats(p);
    if (status == WW_OK && p->options.left_right) {
        give(p, WWI_PROFILE_LEFT, to.left_distances, to.left_indices);
        give(p, WWI_PROFILE_RIGHT, to.right_distances, to.right_indices);
        give_joined(p, to.distances, to.indices);
    } else if (status == WW_OK) {
        give(p, 0, to.distances, to.indices);
    }
    p->info.launches = wwi_stream_launches(p->stream);
    p->info.seconds_device = wwi_stream_seconds(p->stream);
    p->info.seconds_wall = wwi_seconds() - start;
    *taken = to;
    return status;
}

static void take_roots(double *distances, size_t count) {
    for (size_t i = 0; distances && i < count; i++)
        distances[i] = sqrt(distances[i]);
}

ww_status ww_profile_run(ww_profile *p, ww_profile_output *output) {
    ww_profile_output to;
    if (!p || !output)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "profile or output is NULL");
    const wwi_profile_part all = {0, p->series.windows, 0, wwi_profile_other(p)->windows};
    const ww_status status = run(p, &all, output, &to);
    if (status != WW_OK)
        return status;
    const size_t count = p->series.windows * p->k;
    take_roots(to.distances, count);
    take_roots(to.left_distances, count);
    take_roots(to.right_distances, count);
    return WW_OK;
}

ww_status ww_profile_run_rectangle(ww_profile *p, size_t row, size_t rows, size_t column, size_t columns,
                                   ww_profile_output *output) {
    ww_profile_output to;
    if (!p || !output)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "profile or output is NULL");
    const size_t windows = p->series.windows, others = wwi_profile_other(p)->windows;
    if (row > windows || rows > windows - row || column > others || columns > others - column) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a rectangle of %zu x %zu windows from window %zu and %zu on", rows,
                 columns, row, column);
        return wwi_fail_hint("there are %zu x %zu windows", windows, others);
    }
    const wwi_profile_part part = {row, row + rows, column, column + columns};
    return run(p, &part, output, &to);
}

ww_status ww_profile_get_info(const ww_profile *profile, ww_profile_info *info) {
    if (!profile || !info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "profile or info is NULL");
    return wwi_struct_give(info, &profile->info, "ww_profile_info");
}

ww_status ww_profile_find(ww_context *context, const ww_series_view *series, const ww_series_view *other, size_t window,
                          const ww_profile_options *options, double *distances, int64_t *indices) {
    ww_profile *profile = NULL;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    output.distances = distances;
    output.indices = indices;
    ww_status status = ww_profile_create(context, series, 0, other, 0, window, options, &profile);
    if (status == WW_OK)
        status = ww_profile_run(profile, &output);
    ww_profile_destroy(&profile);
    return status;
}
