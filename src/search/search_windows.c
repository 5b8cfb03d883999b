// SPDX-License-Identifier: Apache-2.0
// A block's windows under every query: moments, lower bounds, the distances of the windows left. The first windows of a
// search are computed in full, so that there is a limit; then the parts of a block grow.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "search/search_internal.h"

enum { RUN = 64, FIRST = 4096, MOST_ROWS = 8000, RIBBON_ROWS = 4 };
static const double NARROW = 63; // columns of a band that is held in registers

static bool is_ribbon(const ww_search *s) {
    const ww_band *band = &s->measure.band;
    return s->gpu && s->point_channels == 1 && (s->row->flags & WWI_MEASURE_PLAIN) &&
           !wwi_measure_is_soft(&s->measure) && (band->kind == WW_BAND_SAKOE_CHIBA || band->kind == WW_BAND_CORNER) &&
           2 * band->width + 1 <= NARROW && s->most_points <= MOST_ROWS;
}

static int affine(const ww_search *s) {
    return !s->options.znormalise ? 0 : s->derivative ? 2 : 1;
}

// The kernel that computes windows, those of a list or consecutive ones.
static ww_status make_windows(ww_search *s, bool listed) {
    static const char *const ribbon_texts[] = {"search/search_points.cl", "search/search_ribbon.cl", NULL};
    static const char *const texts[] = {"search/search_points.cl", "search/search_windows.cl", NULL};
    char options[256];
    const bool ribbon = is_ribbon(s);
    if (s->windows[listed])
        return WW_OK;
    if (ribbon) {
        const int reach = (int)s->measure.band.width;
        snprintf(options, sizeof options,
                 "-DWW_AFFINE=%d -DWW_LISTED=%d -DWW_WG=64 -DWW_ROWS=%d -DWW_COLS=%d -DWW_BELOW=%d -DWW_ABANDON=%d",
                 affine(s), listed, RIBBON_ROWS, 2 * reach + 1, reach, s->abandons && s->passes == 1);
    } else {
        snprintf(options, sizeof options,
                 "-DWW_AFFINE=%d -DWW_LISTED=%d -DWW_WG=%d -DWW_ROWS=%d -DWW_ABANDON=%d -DWW_SIMILARITY=%d%s",
                 affine(s), listed, s->vector > 1 ? 1 : 64, s->vector > 1 || s->point_channels == 1 ? 8 : 4,
                 s->abandons && s->passes == 1, s->similarity,
                 // Its cell knows of the band: a step from outside is not that of a match.
                 s->measure.id == WW_LCSS && s->measure.band.kind != WW_BAND_NONE ? " -DWW_BAND=1" : "");
    }
    const wwi_recurrence_program wanted = {.context = s->context,
                                           .stream = s->stream,
                                           .measure = &s->measure,
                                           .precision = s->precision,
                                           .channels = s->point_channels,
                                           .all_channels = (uint32_t)s->channels,
                                           .extra = s->extra,
                                           .vector = ribbon ? 1 : s->vector,
                                           .exchanges = s->gpu, // it does not, but NVIDIA's instructions come with it
                                           .texts = ribbon ? ribbon_texts : texts,
                                           .options = options};
    wwi_program_release(&s->windows_program[listed]); // of an attempt that got no further
    const ww_status status = wwi_recurrence_program_get(&wanted, &s->windows_program[listed]);
    return status == WW_OK ? wwi_kernel_create(s->stream, s->windows_program[listed],
                                               ribbon ? "ww_search_ribbon" : "ww_search_windows", &s->windows[listed])
                           : status;
}

static ww_status make_bounds(ww_search *s) {
    static const char *const texts[] = {"search/search_points.cl", "search/search_bounds.cl", NULL};
    char options[128];
    if (!s->bounded || s->options.no_bounds || s->bounds)
        return WW_OK;
    snprintf(options, sizeof options, "-DWW_AFFINE=%d -DWW_WG=%d -DWW_MAXIMUM=%d%s", affine(s), s->vector > 1 ? 1 : 64,
             (s->row->flags & WWI_MEASURE_BOUND_MAX) != 0,
             s->passes > 1 && wwi_measure_cost(&s->measure) == WW_COST_EUCLIDEAN ? " -DWW_ALONE=1" : "");
    const wwi_recurrence_program wanted = {.context = s->context,
                                           .stream = s->stream,
                                           .measure = &s->measure,
                                           .precision = s->precision,
                                           .channels = (uint32_t)s->channels,
                                           .all_channels = (uint32_t)s->channels,
                                           .vector = s->vector,
                                           .plain = true,
                                           .texts = texts,
                                           .options = options};
    const ww_status status = wwi_recurrence_program_get(&wanted, &s->bounds_program);
    return status == WW_OK ? wwi_kernel_create(s->stream, s->bounds_program, "ww_search_bounds", &s->bounds) : status;
}

static bool wants_tile(const ww_search *s) {
    return wwi_tuning(s->context, "form.search.tile", NULL, s->gpu) != 0;
}

// Windows whose moments a work-item computes side by side, and work-items of a group.
static int many(const ww_search *s) {
    return s->vector > 1 && s->wide && !wants_tile(s) ? 8 : 1;
}

static int moments_group(const ww_search *s) {
    return many(s) > 1 ? 4 : 64;
}

// Bytes of local memory for the points of a group's runs (ww_search_moments_tile); 0: they are read one by one.
static size_t tile_bytes(const ww_search *s) {
    const uint64_t points = (uint64_t)(moments_group(s) * RUN) + s->most_points + 2,
                   bytes = (points + points / RUN) * s->value_bytes;
    const uint64_t results = 3 * 64 * 9 * s->value_bytes, room = wwi_context_info(s->context)->local_bytes;
    return wants_tile(s) && bytes + results <= room ? (size_t)bytes : 0;
}

ww_status wwi_windows_prepare(ww_search *s) {
    static const char *const texts[] = {"search/search_moments.cl", NULL};
    char options[128];
    const bool tile = tile_bytes(s) > 0;
    snprintf(options, sizeof options, "-DWW_ZNORM=%d -DWW_WIDE=%d -DWW_RUN=%d -DWW_WG=%d -DWW_MANY=%d -DWW_TILE=%d",
             s->options.znormalise != 0, s->wide, RUN, moments_group(s), many(s), tile);
    const wwi_recurrence_program wanted = {.context = s->context,
                                           .stream = s->stream,
                                           .measure = &s->measure,
                                           .precision = s->precision,
                                           .channels = 1,
                                           .all_channels = 1,
                                           .vector = 1,
                                           .plain = true,
                                           .texts = texts,
                                           .options = options};
    ww_status status = wwi_recurrence_program_get(&wanted, &s->moments_program);
    if (status == WW_OK &&
        (status = wwi_kernel_create(s->stream, s->moments_program,
                                    tile ? "ww_search_moments_tile" : "ww_search_moments", &s->moments)) == WW_OK &&
        (status = wwi_kernel_create(s->stream, s->moments_program, "ww_search_whole", &s->whole)) == WW_OK &&
        (status = wwi_kernel_create(s->stream, s->moments_program, "ww_search_envelope", &s->envelope)) == WW_OK &&
        (status = make_windows(s, false)) == WW_OK)
        status = make_bounds(s);
    return status;
}

// The table of all windows of `length` points of the block.
static ww_status launch_moments(ww_search *s, uint32_t length, uint32_t windows) {
    const uint32_t channels = (uint32_t)s->channels;
    const uint64_t stride = s->block_stride, runs = (windows + RUN - 1) / RUN, tile = tile_bytes(s);
    const uint64_t group = (uint64_t)moments_group(s);
    if (tile) {
        const uint32_t groups = (uint32_t)((runs + group - 1) / group);
        return WWI_LAUNCH(s->moments, (uint64_t)groups * channels, group, WWI_BUFFER(s->values), WWI_BUFFER(s->table),
                          WWI_VALUE(stride), WWI_VALUE(length), WWI_VALUE(windows), WWI_VALUE(groups), WWI_LOCAL(tile));
    }
    return WWI_LAUNCH(s->moments, (runs * channels + group - 1) / group, group, WWI_BUFFER(s->values),
                      WWI_BUFFER(s->table), WWI_VALUE(stride), WWI_VALUE(length), WWI_VALUE(windows),
                      WWI_VALUE(channels));
}

// Counts the windows of the block's table that have no missing value, for query i.
static ww_status launch_whole(ww_search *s, size_t i, uint32_t first, uint32_t count) {
    const uint32_t channels = (uint32_t)s->channels, at = (uint32_t)(4 * s->query_count + i);
    const uint64_t stride = s->block_stride, group = (uint64_t)moments_group(s),
                   runs = (count + (uint64_t)RUN - 1) / RUN;
    return WWI_LAUNCH(s->whole, (runs + group - 1) / group, group, WWI_BUFFER(s->table), WWI_BUFFER(s->counters),
                      WWI_VALUE(stride), WWI_VALUE(first), WWI_VALUE(count), WWI_VALUE(channels), WWI_VALUE(at));
}

static ww_status launch_envelope(ww_search *s, uint32_t points, uint32_t reach) {
    const uint32_t channels = (uint32_t)s->channels;
    const uint64_t stride = s->block_stride;
    const uint64_t group = (uint64_t)moments_group(s), each = (points + (uint64_t)many(s) - 1) / (uint64_t)many(s);
    return WWI_LAUNCH(s->envelope, (each * channels + group - 1) / group, group,
                      WWI_BUFFER(s->derivative ? s->derived : s->values), WWI_BUFFER(s->below), WWI_BUFFER(s->above),
                      WWI_VALUE(stride), WWI_VALUE(points), WWI_VALUE(channels), WWI_VALUE(reach));
}

static wwi_window_args window_args(const ww_search *s, size_t i, uint32_t first, uint32_t count) {
    const wwi_query *q = &s->queries[i];
    // A sum of n terms, and the path's sum, round this much at most.
    const double unit = s->precision == WW_DOUBLE ? DBL_EPSILON : (double)FLT_EPSILON;
    return (wwi_window_args){.stride = s->block_stride,
                             .n = q->n,
                             .first = first,
                             .count = count,
                             .query = (uint32_t)i,
                             .x_stride = q->n,
                             .margin = (float)fmax(0, (1 - (4.0 * q->n + 64) * unit) * (1 - 2e-7)),
                             .x_at = q->x,
                             .order_at = q->at,
                             .out_stride = s->block_stride,
                             .parameters = s->parameters.values};
}

static uint64_t resident(const ww_search *s) {
    const uint64_t units = wwi_context_info(s->context)->compute_units;
    return (units ? units : 1) * (s->gpu ? 32 : 4);
}

static ww_status launch_bounds(ww_search *s, size_t i, uint32_t first, uint32_t count) {
    const wwi_window_args job = window_args(s, i, first, count);
    const uint64_t group = s->vector > 1 ? 1 : 64, packs = (count + (uint64_t)s->vector - 1) / (uint64_t)s->vector,
                   needed = (packs + group - 1) / group, most = resident(s) * 4;
    return WWI_LAUNCH(s->bounds, needed < most ? needed : most, group,
                      WWI_BUFFER(s->derivative ? s->derived : s->values), WWI_BUFFER(s->table), WWI_BUFFER(s->x),
                      WWI_BUFFER(s->order), WWI_BUFFER(s->envelopes[0]), WWI_BUFFER(s->envelopes[1]),
                      WWI_BUFFER(s->below), WWI_BUFFER(s->above), WWI_BUFFER(s->limits), WWI_BUFFER(s->out),
                      WWI_BUFFER(s->lists), WWI_BUFFER(s->found), WWI_BUFFER(s->counters),
                      {WWI_ARG_VALUE, offsetof(wwi_window_args, parameters), &job});
}

// Of a window under query i, inside the band.
static uint64_t window_cells(const ww_search *s, size_t i) {
    const wwi_query *q = &s->queries[i];
    const uint64_t cells = ww_measure_cells(&s->measure, q->n, q->n);
    return cells ? cells * s->passes : 1;
}

// Computes `count` windows: those listed, or from `first` on.
static ww_status launch_windows(ww_search *s, size_t i, bool listed, uint32_t first, uint32_t count) {
    wwi_window_args job = window_args(s, i, first, count);
    const bool ribbon = is_ribbon(s);
    const uint64_t group = s->vector > 1 && !ribbon ? 1 : 64, lanes = ribbon ? 1 : (uint64_t)s->vector;
    const uint64_t needed = ((count + lanes - 1) / lanes + group - 1) / group, most = resident(s) * (ribbon ? 4 : 1);
    const uint64_t groups = needed < most ? needed : most;
    ww_status status = make_windows(s, listed);
    const uint64_t scratch =
        ribbon ? 1
               : groups * group * s->queries[i].n * lanes * (lanes > 1 ? 1 + s->point_channels : 1) * s->value_bytes;
    const uint64_t rows = (s->queries[i].n + UINT64_C(64)) * s->value_bytes;
    if (status == WW_OK)
        status = wwi_grow_buffer(s->context, &s->scratch, scratch);
    for (uint32_t pass = 0; pass < s->passes && status == WW_OK; pass++) {
        job.channel = pass;
        job.accumulate = pass > 0;
        const wwi_arg args[] = {WWI_BUFFER(s->derivative ? s->derived : s->values),
                                WWI_BUFFER(s->table),
                                WWI_BUFFER(s->x),
                                WWI_BUFFER(s->rows),
                                WWI_BUFFER(s->lists),
                                WWI_BUFFER(s->found),
                                WWI_BUFFER(s->out),
                                WWI_BUFFER(s->scratch),
                                WWI_BUFFER(s->limits),
                                WWI_BUFFER(s->counters),
                                {WWI_ARG_VALUE, wwi_search_args_bytes(s, offsetof(wwi_window_args, parameters)), &job},
                                WWI_LOCAL((size_t)rows)};
        status = wwi_launch(s->windows[listed], groups, group, args, sizeof args / sizeof *args - (ribbon ? 0 : 1));
    }
    return status;
}

// The same in launches that are not too long; a list is computed by one.
static ww_status compute_windows(ww_search *s, size_t i, bool listed, uint32_t first, uint32_t count) {
    const double each = (double)window_cells(s, i);
    ww_status status = WW_OK;
    if (listed)
        s->info.cells_started += (uint64_t)each * count; // the others: with the windows that are there
    while (count && status == WW_OK) {
        uint64_t units = wwi_pace_units(&s->pace, s->rate, count, each);
        units = listed || units > count ? count : units < 1024 ? (count < 1024 ? count : 1024) : units;
        status = launch_windows(s, i, listed, first, (uint32_t)units);
        first += (uint32_t)units;
        count -= (uint32_t)units;
        // Without a limit on what is enqueued nothing is learned of the rate.
        const double began = wwi_seconds();
        if (status == WW_OK && count) {
            status = wwi_finish(s->stream);
            s->rate = wwi_pace_learn(s->rate, each * (double)units, wwi_seconds() - began);
        }
    }
    return status;
}

// Windows [first, first + count) of every query; `points` points are there.
static ww_status part(ww_search *s, uint32_t points, uint32_t first, uint32_t count) {
    ww_status status = WW_OK;
    uint32_t *left = calloc(s->query_count, sizeof *left), *counts = calloc(s->query_count, sizeof *counts);
    const uint64_t each = s->block_stride * s->value_bytes;
    if (!left || !counts) {
        status = wwi_fail_memory(s->query_count * sizeof *left);
        goto done;
    }
    bool any_bounds = false;
    size_t counted = SIZE_MAX; // the query for which the table's windows were counted
    if ((status = wwi_collect_limits(s)) != WW_OK)
        goto done;
    for (size_t i = 0; i < s->query_count; i++) {
        const uint32_t length = (uint32_t)s->queries[i].length, windows = points >= length ? points - length + 1 : 0;
        counts[i] = windows <= first ? 0 : windows - first < count ? windows - first : count;
        if (counts[i] < count && (status = wwi_buffer_fill_u32(s->out, i * each + first * s->value_bytes,
                                                               count * s->value_bytes, UINT32_MAX)) != WW_OK)
            goto done;
        s->queries[i].in_part = counts[i] > 0;
    }
    // Queries of one length follow each other where the caller has them so: a table serves for all of them.
    for (int phase = 0; phase < 2; phase++) {
        for (size_t i = 0; i < s->query_count; i++) {
            wwi_query *q = &s->queries[i];
            const bool bounds = s->bounds && isfinite(wwi_candidates_bar(s, q)) && q->share < 0.5;
            if (!counts[i] || (phase == 1 && bounds && !left[i]))
                continue;
            if (s->table_of != q->length) {
                const uint32_t length = (uint32_t)q->length;
                if ((status = launch_moments(s, length, points - length + 1)) != WW_OK)
                    goto done;
                s->table_of = length;
                counted = SIZE_MAX;
            }
            if (phase == 0) {
                q->bounded = bounds;
                if (counted == SIZE_MAX || counts[counted] != counts[i]) {
                    if ((status = launch_whole(s, i, first, counts[i])) != WW_OK)
                        goto done;
                    counted = i;
                }
                q->counted = counted;
            }
            if (phase == 0 && bounds) {
                if (s->reach_of != s->reach[i] && (status = launch_envelope(s, points, s->reach[i])) != WW_OK)
                    goto done;
                s->reach_of = s->reach[i];
                const uint32_t none = 0;
                if ((status = wwi_buffer_fill_u32(s->found, i * sizeof none, sizeof none, 0)) != WW_OK ||
                    (status = launch_bounds(s, i, first, counts[i])) != WW_OK)
                    goto done;
                any_bounds = true;
                left[i] = 1;
            } else if (phase == 1) {
                if ((status = compute_windows(s, i, bounds, bounds ? 0 : first, bounds ? left[i] : counts[i])) != WW_OK)
                    goto done;
                // After a while the bounds are tried again.
                q->share = bounds ? (double)left[i] / counts[i] : q->share * 0.9;
            }
        }
        if (phase == 0 && any_bounds) {
            uint32_t *found = malloc(s->query_count * sizeof *found);
            if (!found) {
                status = wwi_fail_memory(s->query_count * sizeof *found);
                goto done;
            }
            status = wwi_stream_read(s->stream, s->found, 0, s->query_count * sizeof *found, found);
            for (size_t i = 0; i < s->query_count; i++)
                left[i] = left[i] ? found[i] : 0;
            free(found);
            if (status != WW_OK)
                goto done;
        }
    }
    status = wwi_collect(s, first, count);
done:
    free(counts);
    free(left);
    return status;
}

// What the kernels counted of the last part.
static ww_status take_counters(ww_search *s) {
    const size_t count = wwi_search_counters(s);
    uint32_t *counters = malloc(count * sizeof *counters);
    if (!counters)
        return wwi_fail_memory(count * sizeof *counters);
    ww_status status = wwi_stream_read(s->stream, s->counters, 0, count * sizeof *counters, counters);
    for (size_t q = 0; q < s->query_count && status == WW_OK; q++) {
        const wwi_query *query = &s->queries[q];
        const uint64_t whole = query->in_part ? counters[4 * s->query_count + query->counted] : 0,
                       cells = whole * window_cells(s, q);
        s->info.places += whole;
        s->info.cells += cells;
        s->info.cells_started += query->bounded ? 0 : cells;
        s->info.excluded_kim += counters[4 * q];
        s->info.excluded_keogh += counters[4 * q + 1];
        s->info.excluded_keogh_turned += counters[4 * q + 2];
        s->info.abandoned += counters[4 * q + 3];
    }
    free(counters);
    return status == WW_OK ? wwi_buffer_fill_u32(s->counters, 0, count * sizeof *counters, 0) : status;
}

ww_status wwi_windows_block(ww_search *s, uint32_t points) {
    const size_t shortest = s->least_points + (s->derivative ? 2 : 0);
    if (points < shortest)
        return WW_OK;
    const uint32_t windows = (uint32_t)(points - shortest + 1);
    const uint32_t end = windows < s->block ? windows : (uint32_t)s->block;
    ww_status status = WW_OK;
    for (uint32_t first = 0; first < end && status == WW_OK;) {
        // A part is at most three times what is done: until there is a good limit, little is computed in vain.
        const uint64_t grown = s->done_place < FIRST ? FIRST : 3 * s->done_place;
        const uint32_t count = s->streaming || grown > end - first ? end - first : (uint32_t)grown;
        if ((status = part(s, points, first, count)) == WW_OK && (status = take_counters(s)) == WW_OK)
            status = wwi_pace_report(&s->pace, (uint64_t)count * s->query_count);
        first += count;
        s->done_place += count;
    }
    return status;
}
