// SPDX-License-Identifier: Apache-2.0
// The run of a part of the matrix of correlations. It is divided into bands of diagonals and blocks of rows; a launch
// computes a number of these tiles and lists, for each window, the cells that may be among its k best: those below its
// bound. Between launches the lists are merged into the k best, by exact distances, which lowers the bounds. A launch
// with more candidates than the list holds is repeated with the bounds that it has lowered, or in parts.
#include <math.h>
#include <stdlib.h>

#include "profile/profile_job.h"

enum { SAMPLE = 64 };

// A part of the matrix: the diagonals [delta, end) of the rows' and the columns' windows.
typedef struct region {
    wwi_profile_slice *rows, *columns;
    int role;
    int row_list, column_list;
    uint64_t delta, end;
    int64_t lag; // of diagonal 0, the columns' index less the rows'
    uint32_t blocks;
    uint32_t active; // diagonals of a band that may have candidates
    uint64_t tiles;  // of the launch
    uint64_t reported;
} region;

static ww_status merge_list(ww_profile *p, wwi_profile_slice *own, const wwi_profile_slice *other, int list,
                            uint32_t stripes) {
    if (p->by_host)
        return wwi_profile_merge_host(p, own, other, list, stripes);
    const ww_profile_merge_args job = {.other_first = other->first + other->series->origin,
                                       .own = (uint32_t)own->count,
                                       .window = (uint32_t)p->window,
                                       .own_points = own->points,
                                       .other_points = other->points,
                                       .own_stride = own->stride,
                                       .other_stride = other->stride};
    return WWI_LAUNCH_ITEMS(p->merge, own->count, WWI_PROFILE_MERGE_GROUP, WWI_VALUE(job), WWI_BUFFER(own->values),
                            WWI_BUFFER(other->values), WWI_BUFFER(own->statistics), WWI_BUFFER(other->statistics),
                            WWI_BUFFER(own->bounds[list]), WWI_BUFFER(own->heads[list]), WWI_BUFFER(p->entries),
                            WWI_BUFFER(own->best[list]), WWI_BUFFER(own->best_ids[list]));
}

static ww_status clear_counters(ww_profile *p) {
    return wwi_buffer_fill_u32(p->counters, 0, wwi_buffer_bytes(p->counters), 0);
}

// Candidates whose merge ends in a launch's time.
static uint64_t merged_in_time(const ww_profile *p) {
    const double count = p->merge_rate * p->pace.aim;
    return count < 1 ? 1 : count < (double)p->capacity ? (uint64_t)count : p->capacity;
}

// Merges `all` candidates of the list. Waits where that takes long, to learn how long.
static ww_status merge(ww_profile *p, const region *r, uint32_t stripes, uint64_t all) {
    const double start = wwi_seconds();
    if (r->role != WWI_PROFILE_COLUMNS_ALONE)
        WWI_TRY(merge_list(p, r->rows, r->columns, r->row_list, stripes));
    if (r->role != WWI_PROFILE_ROWS_ALONE &&
        (r->role != WWI_PROFILE_BOTH || r->rows != r->columns || r->row_list != r->column_list))
        WWI_TRY(merge_list(p, r->columns, r->rows, r->column_list, stripes));
    if (all > merged_in_time(p) / 8) {
        WWI_TRY(wwi_finish(p->stream));
        p->merge_rate = wwi_pace_learn(&p->pace, p->merge_rate, (double)all, wwi_seconds() - start);
    }
    return clear_counters(p);
}

static ww_status launch_raw(ww_profile *p, const region *r, ww_profile_args *job) {
    const wwi_profile_slice *a = r->rows, *b = r->columns;
    const bool rows = r->role != WWI_PROFILE_COLUMNS_ALONE, columns = r->role != WWI_PROFILE_ROWS_ALONE;
    job->rounding = p->raw.rounding;
    job->relative = p->raw.relative;
    job->power = p->raw.power;
    return WWI_LAUNCH(
        p->tiles[0][r->role], r->tiles, p->groups[0], WWI_VALUE(*job),
        WWI_BUFFER(p->raw.in_double ? a->values : a->table[0]), WWI_BUFFER(p->raw.in_double ? b->values : b->table[0]),
        WWI_BUFFER(a->flat), WWI_BUFFER(b->flat), WWI_BUFFER(a->state), WWI_BUFFER(b->state),
        WWI_BUFFER(rows ? a->bounds[r->row_list] : NULL), WWI_BUFFER(columns ? b->bounds[r->column_list] : NULL),
        WWI_BUFFER(rows ? a->heads[r->row_list] : NULL), WWI_BUFFER(columns ? b->heads[r->column_list] : NULL),
        WWI_BUFFER(p->entries), WWI_BUFFER(p->counters));
}

static ww_status launch_set(ww_profile *p, const region *r, ww_profile_args *job, bool deep) {
    const wwi_profile_slice *a = r->rows, *b = r->columns;
    const bool rows = r->role != WWI_PROFILE_COLUMNS_ALONE, columns = r->role != WWI_PROFILE_ROWS_ALONE;
    const uint64_t tiles = r->tiles;
    job->error = wwi_profile_error(p, deep || p->options.precision == WW_DOUBLE);
    // What a float leaves of a correlation near 1; of double, and of pairs of floats, D keeps its own digits.
    const bool wide = deep || p->options.precision == WW_DOUBLE || (p->narrow && (p->trend || p->series.channels == 1));
    job->rounding = wide ? 0 : 4e-7f * (float)p->series.channels;
    if (wwi_profile_knows_lines(p, deep)) // for values less a mean
        job->rounding = (p->narrow ? 0x1p-42f : 0x1p-49f) * (float)p->series.channels;
    job->relative = wide ? 1e-6f : 0;
    job->least = deep ? WW_PROFILE_DEEP : 0;
    job->most = deep || !p->deep ? INFINITY : WW_PROFILE_DEEP;
    return WWI_LAUNCH(
        p->tiles[deep][r->role], tiles, p->groups[deep], WWI_VALUE(*job), WWI_BUFFER(a->table[deep]),
        WWI_BUFFER(b->table[deep]), WWI_BUFFER(a->values), WWI_BUFFER(b->values), WWI_BUFFER(a->means),
        WWI_BUFFER(b->means), WWI_BUFFER(a->condition[deep]), WWI_BUFFER(b->condition[deep]),
        WWI_BUFFER(a->conditions[deep]), WWI_BUFFER(b->conditions[deep]), WWI_BUFFER(a->flat), WWI_BUFFER(b->flat),
        WWI_BUFFER(a->state), WWI_BUFFER(b->state), WWI_BUFFER(rows ? a->bounds[r->row_list] : NULL),
        WWI_BUFFER(columns ? b->bounds[r->column_list] : NULL), WWI_BUFFER(rows ? a->heads[r->row_list] : NULL),
        WWI_BUFFER(columns ? b->heads[r->column_list] : NULL), WWI_BUFFER(p->entries), WWI_BUFFER(p->counters));
}

static ww_status launch(ww_profile *p, const region *r, uint64_t first, uint32_t stripes) {
    const wwi_profile_slice *a = r->rows, *b = r->columns;
    ww_profile_args job = {.first = first,
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
                           .exclusion = p->self ? (int64_t)p->exclusion : -1};
    if (p->series.p > 0)
        return launch_raw(p, r, &job);
    WWI_TRY(launch_set(p, r, &job, false));
    return p->deep ? launch_set(p, r, &job, true) : WW_OK;
}

// The most entries of a stripe, and of all together.
static ww_status read_counters(ww_profile *p, uint32_t stripes, uint64_t *most, uint64_t *all) {
    uint32_t counts[WWI_PROFILE_STRIPES * WWI_PROFILE_STRIPE];
    WWI_TRY(wwi_stream_read(p->stream, p->counters, 0, sizeof counts, counts));
    *most = *all = 0;
    for (uint32_t i = 0; i < stripes; i++) {
        const uint64_t count = counts[i * WWI_PROFILE_STRIPE];
        *most = count > *most ? count : *most;
        *all += count;
    }
    return WW_OK;
}

// Pairs on `count` diagonals from `delta` on.
static uint64_t pairs_of(uint64_t rows, uint64_t columns, uint64_t delta, uint64_t count) {
    if (delta >= columns)
        return 0;
    count = wwi_least(count, columns - delta);
    // Diagonals on which all rows have a column, then shorter ones.
    const uint64_t full = columns > rows && delta < columns - rows ? columns - rows - delta : 0;
    const uint64_t whole = wwi_least(full, count), longest = columns - delta - whole, rest = count - whole;
    return whole * rows + rest * longest - rest * (rest - (rest > 0)) / 2;
}

// Pairs in the tiles before one.
static uint64_t pairs_before(const ww_profile *p, const region *r, uint64_t tile) {
    const uint64_t rows = r->rows->count, columns = r->columns->count, band = tile / r->blocks;
    const uint64_t next = pairs_of(rows, columns, r->delta + band * p->width, p->width);
    return pairs_of(rows, columns, r->delta, band * p->width) + next / r->blocks * (tile % r->blocks);
}

// How many tiles the first launch may take, which list at most `listed` candidates each.
static uint64_t first_tiles(const ww_profile *p, const region *r, uint64_t listed) {
    const uint64_t least = WWI_PROFILE_STRIPES * 4;
    // A device works on so many at once: fewer take it as long.
    enum { TILES_OF_UNIT = 16 };
    const uint64_t wave = (uint64_t)wwi_context_info(p->context)->compute_units * TILES_OF_UNIT;
    const uint64_t sure = merged_in_time(p) / listed;
    if (p->k > 1)
        return sure < 1 ? 1 : wwi_least(sure, r->blocks);
    // The first tiles list most: of a random walk a sixteenth of their cells, less where they are many.
    const uint64_t some = p->capacity * 16 / ((uint64_t)p->width * p->block_rows), begin = some > wave ? some : wave;
    return p->vector || p->by_host || begin < least ? least : begin;
}

// Reports the pairs of all tiles before `at`. A sample (few active diagonals) reports nothing.
static ww_status report(ww_profile *p, region *r, uint64_t at) {
    const uint64_t tiles = wwi_ceil_div(r->end - r->delta, p->width) * r->blocks;
    const uint64_t all = pairs_of(r->rows->count, r->columns->count, r->delta, r->end - r->delta),
                   now = r->active < p->width ? 0
                         : at < tiles         ? pairs_before(p, r, at)
                                              : all;
    const uint64_t new = now > r->reported ? now - r->reported : 0;
    r->reported += new;
    return wwi_pace_report(&p->pace, new);
}

// The tiles [from, end).
static ww_status run_tiles(ww_profile *p, region *r, uint64_t from, uint64_t end) {
    WWI_TRY(clear_counters(p));
    const uint64_t tile_pairs = (uint64_t)p->width * p->block_rows;
    const uint64_t listed = (uint64_t)r->active * p->block_rows * (r->role == WWI_PROFILE_BOTH ? 2 : 1);
    const uint64_t sure = p->capacity / listed; // tiles that always fit the list
    uint64_t most = p->lists.tiles_next ? p->lists.tiles_next : first_tiles(p, r, listed);
    uint64_t held = 0; // candidates that are not merged
    for (uint64_t at = from; at < end;) {
        const double start = wwi_seconds();
        uint64_t fullest, all;
        const uint64_t take = wwi_least(wwi_pace_units(&p->pace, p->rate, end - at, (double)tile_pairs), most);
        const bool safe = take <= sure && held == 0;
        const uint32_t stripes = safe && take < WWI_PROFILE_STRIPES ? 1 : WWI_PROFILE_STRIPES;
        r->tiles = take;
        WWI_TRY(launch(p, r, at, stripes));
        WWI_TRY(read_counters(p, stripes, &fullest, &all));
        const uint64_t share = p->capacity / stripes;
        const bool full = fullest > share;
        if (full) {
            // The bounds are better now; what was listed of this launch is met again.
            most = take / 4 > 1 ? take / 4 : 1;
        } else {
            p->rate = wwi_pace_learn(&p->pace, p->rate, (double)(take * tile_pairs), wwi_seconds() - start);
            // A short launch, as the last one of a run, says little of a longer one.
            most = fullest - held < share / 16  ? (take * 4 > most ? take * 4 : most)
                   : fullest - held < share / 4 ? take * 2
                                                : take;
            p->info.candidates += all;
            held = fullest;
            at += take;
            // With several neighbours wanted only a merge lowers the bounds, and what is new should not be most of it.
            if (p->k > 1)
                most = wwi_least(wwi_least(most, p->lists.tiles_run + (at - from)),
                                 take * merged_in_time(p) / (all + 1) + 1);
        }
        if (full || stripes == 1 || p->k > 1 || held > share / 2 || all > merged_in_time(p) / 2 || at >= end) {
            WWI_TRY(merge(p, r, stripes, full ? p->capacity : all));
            held = 0;
        }
        if (!full)
            WWI_TRY(report(p, r, at));
    }
    if (r->active == p->width) {
        p->lists.tiles_run += end - from;
        p->lists.tiles_next = most;
    }
    return WW_OK;
}

// Whether a band of diagonals is of the share that is wanted: the multiples of the golden section are spread evenly
// wherever they end. Of all regions, and devices, the same lags.
static bool in_share(const ww_profile *p, const region *r, uint64_t band) {
    const int64_t apart = llabs(r->lag + (int64_t)(r->delta + band * p->width));
    const int64_t first = p->self ? (int64_t)p->exclusion + 1 : 0;
    const uint64_t number = apart > first ? (uint64_t)(apart - first) / p->width : 0;
    return !(p->options.share > 0 && p->options.share < 1) ||
           fmod((double)number * 0.6180339887498949, 1) < p->options.share;
}

static ww_status run_region(ww_profile *p, region *r) {
    const uint64_t rows = r->rows->count, reach = r->columns->count - r->delta;
    const uint64_t bands = wwi_ceil_div(r->end - r->delta, p->width);
    r->blocks = (uint32_t)wwi_ceil_div(wwi_least(rows, reach), p->block_rows);
    for (uint64_t band = 0, next; band < bands; band = next + 1) {
        while (band < bands && !in_share(p, r, band))
            band++;
        for (next = band; next < bands && in_share(p, r, next);)
            next++;
        // With several neighbours wanted: bounds from a few diagonals first.
        for (r->active = SAMPLE; p->k > 1 && p->lists.tiles_run == 0 && band < next && r->active < p->width;
             r->active *= 4)
            WWI_TRY(run_tiles(p, r, band * r->blocks, (band + 1) * r->blocks));
        r->active = p->width;
        WWI_TRY(run_tiles(p, r, band * r->blocks, next * r->blocks));
    }
    return report(p, r, bands * r->blocks);
}

// Limits a region to diagonals in [first, end) from `least` on. False: it has none.
static bool take_diagonals(region *r, size_t columns, int64_t least, int64_t first, int64_t end) {
    const int64_t from = first > least ? first : least, to = end < (int64_t)columns ? end : (int64_t)columns;
    r->delta = (uint64_t)from;
    r->end = (uint64_t)to;
    return from < to;
}

// Two slices: the diagonals on both sides of the one through their first windows. One with itself: those on one side.
static ww_status run_slices(ww_profile *p, size_t first, size_t count, size_t other_first, size_t other_count) {
    wwi_profile_slice *a = &p->slices[0], *b = &p->slices[1];
    const int left = wwi_profile_lists(p) - 1;
    const int64_t offset = (int64_t)other_first - (int64_t)first;
    const int64_t from = p->part.diagonal - offset, to = p->part.diagonal_end - offset;
    const bool same = p->self && first == other_first;
    region upper = {.rows = a,
                    .columns = same ? a : b,
                    .role = p->self ? WWI_PROFILE_BOTH : WWI_PROFILE_ROWS_ALONE,
                    .row_list = WWI_PROFILE_RIGHT,
                    .column_list = left,
                    .lag = offset};
    region lower = {.rows = b,
                    .columns = a,
                    .role = p->self ? WWI_PROFILE_BOTH : WWI_PROFILE_COLUMNS_ALONE,
                    .row_list = left,
                    .column_list = WWI_PROFILE_RIGHT,
                    .lag = -offset};
    const bool above = take_diagonals(&upper, other_count, same ? (int64_t)p->exclusion + 1 : 0, from, to);
    const bool below = !same && take_diagonals(&lower, count, 1, 1 - to, 1 - from);
    if (!above && !below)
        return WW_OK;
    if (!same)
        WWI_TRY(wwi_profile_slice_open(p, b, wwi_profile_other(p), other_first, other_count));
    if (above)
        WWI_TRY(run_region(p, &upper));
    if (below)
        WWI_TRY(run_region(p, &lower));
    if (p->self && !same)
        WWI_TRY(wwi_profile_slice_store(p, b));
    return p->lists.stays ? WW_OK : wwi_profile_slice_store(p, a);
}

// Rows with columns; of one series the two are the same windows, or the columns are later ones.
static ww_status run_part(ww_profile *p, const wwi_profile_part *part) {
    const bool triangle = p->self && part->row == part->column;
    for (size_t at = part->row, count; at < part->row_end; at += count) {
        count = wwi_least(part->row_end - at, p->slice);
        WWI_TRY(wwi_profile_slice_open(p, &p->slices[0], &p->series, at, count));
        for (size_t j = triangle ? at : part->column, taken; j < part->column_end; j += taken) {
            taken = wwi_least(part->column_end - j, p->slice);
            WWI_TRY(run_slices(p, at, count, j, taken));
        }
    }
    return WW_OK;
}

// Of one series rows and columns may have windows in common: all ranges that are in one of them, or in both, with each
// other. At most one range is in both.
ww_status wwi_profile_run_part(ww_profile *p) {
    const wwi_profile_part *all = &p->part;
    if (!p->self)
        return run_part(p, all);
    const size_t begin = all->row > all->column ? all->row : all->column,
                 end = all->row_end < all->column_end ? all->row_end : all->column_end;
    const bool common = begin < end;
    const size_t rows[] = {all->row, common ? begin : all->row_end, common ? end : all->row_end, all->row_end},
                 columns[] = {all->column, common ? begin : all->column_end, common ? end : all->column_end,
                              all->column_end};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const wwi_profile_part own = WWI_PROFILE_RECTANGLE(rows[i], rows[i + 1], columns[j], columns[j + 1]),
                                   turned = WWI_PROFILE_RECTANGLE(columns[j], columns[j + 1], rows[i], rows[i + 1]);
            if (own.row < own.row_end && own.column < own.column_end)
                WWI_TRY(run_part(p, own.row <= own.column ? &own : &turned));
        }
    return WW_OK;
}
