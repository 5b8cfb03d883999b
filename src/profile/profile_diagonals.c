// SPDX-License-Identifier: Apache-2.0
// Runs of profiles on one device, or on several, which take ranges of diagonals: each has a plan of its own, whose
// tables are made once, and finds the nearest windows on its diagonals. At the end the lists of all devices are joined.
#include <stdlib.h>
#include <wavewarp/topk.h>

#include "base/run.h"
#include "options.h"
#include "profile/profile_job.h"

typedef struct job {
    ww_profile *p;         // the caller's: takes what the others found
    wwi_profile_part part; // a rectangle
    int64_t first, end;    // its diagonals with pairs that may be neighbours
    size_t band;           // a unit: so many of them
    uint64_t candidates, launches;
    double seconds_device;
} job;

static ww_status run_bands(const wwi_seat *seat, wwi_span bands) {
    job *j = seat->of;
    ww_profile *p = seat->team->on[seat->device];
    wwi_profile_part part = j->part;
    part.diagonal = j->first + (int64_t)(bands.first * j->band);
    part.diagonal_end = part.diagonal + (int64_t)(bands.count * j->band);
    part.diagonal_end = part.diagonal_end < j->end ? part.diagonal_end : j->end;
    WWI_TRY(wwi_profile_add_part(p, &part));
    (void)pthread_mutex_lock(&seat->team->lock);
    j->candidates += p->info.candidates;
    j->launches += p->info.launches;
    j->seconds_device += p->info.seconds_device;
    (void)pthread_mutex_unlock(&seat->team->lock);
    return WW_OK;
}

// Pairs of the rectangle whose column is so many behind the row.
static double pairs_apart(const wwi_profile_part *of, int64_t apart) {
    const int64_t above = (int64_t)of->column - apart, below = (int64_t)of->column_end - apart;
    const int64_t first = above > (int64_t)of->row ? above : (int64_t)of->row;
    const int64_t end = below < (int64_t)of->row_end ? below : (int64_t)of->row_end;
    return end > first ? (double)(end - first) : 0;
}

static bool is_square(const wwi_profile_part *part) {
    return part->row == part->column && part->row_end == part->column_end;
}

// The pairs on a diagonal. Of one series each pair is there once, the later window as the column.
static double diagonal_pairs(const job *j, int64_t diagonal) {
    const double pairs = pairs_apart(&j->part, diagonal);
    return j->p->self && !is_square(&j->part) ? pairs + pairs_apart(&j->part, -diagonal) : pairs;
}

// Pairs in a band, about: they grow or shrink by one a diagonal, or stay.
static double band_work(const void *of, size_t at) {
    const job *j = of;
    const int64_t first = j->first + (int64_t)(at * j->band);
    const int64_t count = j->end - first < (int64_t)j->band ? j->end - first : (int64_t)j->band;
    return (double)count * (diagonal_pairs(j, first) + diagonal_pairs(j, first + count - 1)) / 2;
}

static void name_profile(const void *of, FILE *to) {
    const job *j = of;
    const ww_profile *p = j->p;
    fprintf(to,
            "profile\nwindow %zu k %zu exclusion %zu lists %d best channels %zu forced %x p %a flat %a %s self %d "
            "windows %zu %zu rectangle "
            "%zu %zu %zu %zu share %a",
            p->window, p->k, p->exclusion, p->nearest.lists, p->options.best_channels,
            (unsigned)p->options.forced_channels, p->options.p, p->options.flat_below,
            ww_word(WW_WORD_PRECISION, p->options.precision), p->self, p->series.windows, wwi_profile_other(p)->windows,
            j->part.row, j->part.row_end, j->part.column, j->part.column_end, p->options.share);
}

static ww_status fetch_lists(const wwi_seat *seat) {
    return wwi_profile_fetch(seat->team->on[seat->device]);
}

// All that the device has found so far: what other records have of that, too, changes nothing.
static ww_status give_lists(const wwi_seat *seat, wwi_span bands, wwi_bytes *to) {
    const wwi_profile_nearest *n = &((const ww_profile *)seat->team->on[seat->device])->nearest;
    (void)bands;
    for (int list = 0; list < n->lists; list++) {
        WWI_TRY(wwi_bytes_put(to, n->best[list], n->windows * n->k * sizeof *n->best[list]));
        WWI_TRY(wwi_bytes_put(to, n->ids[list], n->windows * n->k * sizeof *n->ids[list]));
    }
    return WW_OK;
}

static ww_status take_lists(void *of, wwi_span bands, wwi_taken_bytes *from) {
    wwi_profile_nearest *n = &((job *)of)->p->nearest;
    const size_t count = n->windows * n->k;
    (void)bands;
    n->empty = false;
    for (int list = 0; list < n->lists; list++) {
        const void *best, *ids;
        WWI_TRY(wwi_bytes_point(from, count * sizeof(double), &best));
        WWI_TRY(wwi_bytes_point(from, count * sizeof(int64_t), &ids));
        WWI_TRY(ww_neighbours_merge(n->windows, n->k, WW_DOUBLE, 0, n->ids[list], n->best[list], ids, best));
    }
    return WW_OK;
}

// Diagonals of a band: a record has the lists of all windows.
static size_t band_of(const ww_profile *p, int64_t diagonals) {
    enum { MOST_RECORDS = 64 };
    if (!wwi_context_store(p->team->context) || diagonals <= 0)
        return p->width;
    return wwi_ceil_div(wwi_ceil_div((uint64_t)diagonals, MOST_RECORDS), p->width) * p->width;
}

// What the other devices found of some windows comes to that of the caller's plan; what both have, once.
enum { MERGED = 1 << 15 };
static ww_status merge_windows(void *user, uint64_t piece) {
    const wwi_team *team = user;
    ww_profile *p = wwi_team_any(team);
    wwi_profile_nearest *to = &p->nearest;
    const size_t first = (size_t)piece * MERGED, at = first * to->k;
    const size_t count = (size_t)wwi_least(MERGED, to->windows - first);
    for (size_t i = 0; i < team->count; i++) {
        const ww_profile *own = team->on[i];
        const wwi_profile_nearest *from = own ? &own->nearest : to;
        for (int list = 0; from != to && list < to->lists; list++)
            WWI_TRY(ww_neighbours_merge(count, to->k, WW_DOUBLE, 0, to->ids[list] + at, to->best[list] + at,
                                        from->ids[list] + at, from->best[list] + at));
    }
    return WW_OK;
}

// The diagonals on all devices, then constant windows.
static ww_status run_all(job *j, bool forget) {
    ww_profile *p = j->p;
    wwi_team *team = p->team;
    const int64_t above = (int64_t)j->part.column_end - (int64_t)j->part.row,
                  below = (int64_t)j->part.row_end - (int64_t)j->part.column,
                  all = p->self && below > above ? below : above,
                  end = all < j->part.diagonal_end ? all : j->part.diagonal_end;
    static const wwi_job kind = {.work = band_work,
                                 .run = run_bands,
                                 .settle = fetch_lists,
                                 .name = name_profile,
                                 .give = give_lists,
                                 .take = take_lists};
    j->first = p->self ? (int64_t)p->exclusion + 1 : 1 - below;
    j->end = end > j->first ? end : j->first;
    j->band = band_of(p, j->end - j->first);
    for (size_t i = 0; i < team->count; i++) {
        ww_profile *own = team->on[i];
        if (own && (forget || own != p))
            WWI_TRY(wwi_profile_nearest_forget(&own->nearest));
        if (own)
            own->lists.current = false;
    }
    const size_t bands = wwi_ceil_div((uint64_t)(j->end - j->first), j->band);
    const ww_status status = bands > 0 ? wwi_team_run(team, &kind, j, bands) : WW_OK;
    p->lists.current = false;
    p->part = j->part;
    WWI_TRY(status);
    p->nearest.empty = false;
    WWI_TRY(wwi_share(wwi_processors(), wwi_ceil_div(p->series.windows, MERGED), merge_windows, team));
    return wwi_profile_enter_flats(p);
}

ww_status wwi_profile_run_anywhere(ww_profile *p, const wwi_profile_part *part, bool squared, bool forget,
                                   const ww_profile_output *output) {
    ww_profile_output to;
    if (!p->team)
        return wwi_profile_run_alone(p, part, squared, forget, output);
    WWI_TRY(wwi_profile_take_output(p->options.left_right, output, &to));
    job j = {.p = p, .part = *part};
    const double start = wwi_seconds();
    ww_status status = run_all(&j, forget);
    if (status == WW_OK)
        status = wwi_profile_nearest_give(&p->nearest, squared, &to);
    p->info.candidates = j.candidates;
    p->info.launches = j.launches;
    p->info.seconds_device = j.seconds_device;
    p->info.seconds_wall = wwi_seconds() - start;
    return status;
}

ww_status ww_profile_run(ww_profile *p, ww_profile_output *output) {
    WWI_NEEDS("profile, output", p, output);
    const wwi_profile_part all = WWI_PROFILE_RECTANGLE(0, p->series.windows, 0, wwi_profile_other(p)->windows);
    return wwi_profile_run_anywhere(p, &all, false, true, output);
}

static ww_status run_rectangle(ww_profile *p, const wwi_profile_part *part, bool forget, ww_profile_output *output) {
    WWI_NEEDS("profile, output", p, output);
    const size_t windows = p->series.windows, others = wwi_profile_other(p)->windows;
    if (abs(p->series.exponent) > 250) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "values of some 2^%d are too large or too small for a profile in parts",
                 p->series.exponent);
        return wwi_fail_hint("scale the values: double does not hold the squares of their distances");
    }
    if (part->row > part->row_end || part->row_end > windows || part->column > part->column_end ||
        part->column_end > others) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the rectangle of windows [%zu, %zu) x [%zu, %zu) is not in the profile",
                 part->row, part->row_end, part->column, part->column_end);
        return wwi_fail_hint("there are %zu x %zu windows", windows, others);
    }
    return wwi_profile_run_anywhere(p, part, true, forget, output);
}

ww_status ww_profile_run_rectangle(ww_profile *p, size_t row, size_t rows, size_t column, size_t columns,
                                   ww_profile_output *output) {
    const wwi_profile_part part = WWI_PROFILE_RECTANGLE(row, row + rows, column, column + columns);
    return run_rectangle(p, &part, true, output);
}

ww_status ww_profile_add_rectangle(ww_profile *p, size_t row, size_t rows, size_t column, size_t columns,
                                   ww_profile_output *output) {
    const wwi_profile_part part = WWI_PROFILE_RECTANGLE(row, row + rows, column, column + columns);
    return run_rectangle(p, &part, false, output);
}

ww_status ww_profile_find(ww_context *context, const ww_series_view *series, const ww_series_view *other, size_t window,
                          const ww_profile_options *options, double *distances, int64_t *indices) {
    WWI_ENDS(ww_profile_destroy) ww_profile *profile = NULL;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    output.distances = distances;
    output.indices = indices;
    WWI_TRY(ww_profile_create(context, series, 0, other, 0, window, options, &profile));
    return ww_profile_run(profile, &output);
}
