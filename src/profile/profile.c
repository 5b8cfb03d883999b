// SPDX-License-Identifier: Apache-2.0
// Profiles: what is asked for and what is given. What a plan chooses for its device is in profile_plan.c, how it runs
// in profile_run.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "data/dataset_host.h"
#include "data/view.h"
#include "options.h"
#include "profile/profile_job.h"

void ww_profile_destroy(ww_profile **profile) {
    ww_profile *p = wwi_taken(profile);
    if (!p)
        return;
    WWI_TEAM_CLOSE(ww_profile, p->team, p);
    for (int i = 0; i < 2; i++)
        wwi_profile_slice_close(&p->slices[i]);
    WWI_BUFFERS_DESTROY(&p->entries, &p->counters);
    for (int i = 0; i < 2 * WWI_PROFILE_ROLES; i++) {
        wwi_kernel_destroy(&p->tiles[i / WWI_PROFILE_ROLES][i % WWI_PROFILE_ROLES]);
        wwi_program_release(&p->programs[i / WWI_PROFILE_ROLES][i % WWI_PROFILE_ROLES]);
    }
    WWI_KERNELS_DESTROY(&p->merge, &p->statistics);
    wwi_program_release(&p->merge_program);
    wwi_profile_nearest_free(&p->nearest);
    wwi_profile_reach_release(&p->reach[0]);
    wwi_profile_reach_release(&p->reach[1]);
    if (p->input)
        wwi_counted_release(&p->input->counted);
    wwi_stream_destroy(&p->stream);
    wwi_context_release(p->context);
    free(p);
}

static ww_status check_series(const ww_series_view *view, size_t index, size_t window, const char *name) {
    if (!view->values || view->count == 0 || view->channels == 0)
        return wwi_fail(WW_ERROR_EMPTY, "%s: there is none", name);
    if (index >= view->count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: there is no number %zu; there are %zu", name, index,
                        view->count);
    const size_t length = wwi_view_length(view, index);
    if (length == 0)
        return wwi_fail(WW_ERROR_EMPTY, "%s: series %zu has no points", name, index);
    if (window < WW_PROFILE_LEAST_WINDOW || window > length) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the window has %zu points, %s has %zu", window, name, length);
        return wwi_fail_hint("a window has %d points at least, and is no longer than the series",
                             WW_PROFILE_LEAST_WINDOW);
    }
    if (length > INT64_MAX / 64)
        return wwi_fail(WW_ERROR_OVERFLOW, "%s has %zu points, which is too long", name, length);
    return WW_OK;
}

// Pairs of windows, each once.
static ww_status count_pairs(ww_profile *p) {
    uint64_t pairs;
    const uint64_t n = p->series.windows;
    if (!p->self) {
        if (!wwi_mul_u64(n, p->other.windows, &pairs))
            return wwi_fail(WW_ERROR_OVERFLOW, "%zu x %zu windows are too many", p->series.windows, p->other.windows);
    } else {
        if (n <= (uint64_t)p->exclusion + 1) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                     "no pair is left of windows of %zu points: there are %zu, the exclusion is %zu", p->window,
                     p->series.windows, p->exclusion);
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

static ww_status check_options(const ww_profile_options *o, const ww_series_view *series, size_t index,
                               const ww_series_view *other, size_t other_index, size_t window) {
    if (o->k < 1 || o->k > WW_PROFILE_MOST)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is %zu; it can be 1 to %d", o->k, WW_PROFILE_MOST);
    if (o->precision != WW_FLOAT && o->precision != WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "precision is %d", (int)o->precision);
    if (other && o->left_right) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "two series have no left and right neighbours");
        return wwi_fail_hint("leave left_right out: only windows of one series are earlier or later");
    }
    WWI_TRY(check_series(series, index, window, "the series"));
    if (other)
        WWI_TRY(check_series(other, other_index, window, "the other series"));
    if (other && series->channels != other->channels)
        return wwi_fail(WW_ERROR_CHANNELS, "the series have %zu and %zu channels", series->channels, other->channels);
    if (o->best_channels > series->channels)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "best_channels is %zu; the series have %zu channels",
                        o->best_channels, series->channels);
    if (o->best_channels && o->best_channels < series->channels && series->channels > 32) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "best_channels is %zu; the series have %zu channels", o->best_channels,
                 series->channels);
        return wwi_fail_hint("best_channels is for series of at most 32 channels");
    }
    const size_t forced = (size_t)__builtin_popcount(o->forced_channels);
    if (forced &&
        (forced > o->best_channels || (series->channels < 32 && o->forced_channels >> series->channels != 0))) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                 "forced_channels has the bits %#x; the series have %zu channels, of which %zu count",
                 (unsigned)o->forced_channels, series->channels, o->best_channels);
        return wwi_fail_hint("set best_channels to as many as are forced, or more");
    }
    if (o->p != 0 && !(o->p >= 1)) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "p is %g", o->p);
        return wwi_fail_hint("a norm's p is 1 or more; 0 is for normalised windows");
    }
    if (!(o->flat_below >= 0) || (o->p > 0 && (o->flat_below > 0 || o->flat || o->other_flat))) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "flat_below is %g, p is %g", o->flat_below, o->p);
        return wwi_fail_hint("flat_below is a deviation of 0 or more, for normalised windows alone");
    }
    if (!(o->share >= 0 && o->share <= 1))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "share is %g; it must be above 0 and at most 1", o->share);
    if (window > UINT32_MAX / 8)
        return wwi_fail(WW_ERROR_OVERFLOW, "a window of %zu points is too long", window);
    return WW_OK;
}

// What a profile is created from: dense series; `other` NULL: the series itself.
typedef struct creation {
    const ww_series_view *series, *other;
    size_t index, other_index, window;
    ww_profile_options options;
    wwi_profile_input *input;
} creation;

static ww_status make_normalised(const creation *c, size_t best, unsigned threads) {
    const ww_profile_options *o = &c->options;
    wwi_profile_input *in = c->input;
    const wwi_profile_word word = {o->flat_below, o->flat}, others = {o->flat_below, o->other_flat};
    // D of two such windows is of this size: some 70 times the error of a covariance in float, and 10^5 times in
    // double.
    const double closeness = o->precision == WW_DOUBLE ? 1e-7 : 0.004;
    WWI_TRY(wwi_profile_series_make(c->series, c->index, c->window, best, word, closeness, threads, &in->series));
    if (c->other)
        WWI_TRY(
            wwi_profile_series_make(c->other, c->other_index, c->window, best, others, closeness, threads, &in->other));
    in->trend = in->series.has_close && (!c->other || in->other.has_close);
    if (in->trend)
        WWI_TRY(wwi_profile_series_find_bends(&in->series, threads));
    if (in->trend && c->other)
        WWI_TRY(wwi_profile_series_find_bends(&in->other, threads));
    // Two such windows are no farther apart than half of what is promised.
    const double tolerance = o->precision == WW_DOUBLE ? 2.5e-11 : 2.5e-6;
    WWI_TRY(wwi_profile_series_find_lines(&in->series, tolerance, threads));
    return c->other ? wwi_profile_series_find_lines(&in->other, tolerance, threads) : WW_OK;
}

static void destroy_input(wwi_counted *counted) {
    wwi_profile_input *in = (wwi_profile_input *)counted;
    wwi_profile_series_free(&in->series);
    wwi_profile_series_free(&in->other);
    (void)pthread_mutex_destroy(&in->lock);
    free(in);
}

static void end_creation(creation *c) {
    if (!c->input)
        return;
    wwi_profile_input_forget(c->input);
    wwi_counted_release(&c->input->counted);
}

// Checks what is asked for, and prepares the series.
static ww_status prepare(creation *c, unsigned threads) {
    const ww_profile_options *o = &c->options;
    WWI_TRY(check_options(o, c->series, c->index, c->other, c->other_index, c->window));
    WWI_TRY(wwi_new_zeroed(c->input, 1));
    wwi_profile_input *in = c->input;
    in->counted.destroy = destroy_input;
    wwi_counted_retain(&in->counted);
    (void)pthread_mutex_init(&in->lock, NULL);
    in->series.forced = in->other.forced = o->forced_channels;
    const size_t best = o->best_channels ? o->best_channels : c->series->channels;
    if (o->p > 0)
        WWI_TRY(wwi_profile_series_make_raw(c->series, c->index, c->other, c->other_index, c->window, best, o->p,
                                            threads, &in->series, &in->other));
    else
        WWI_TRY(make_normalised(c, best, threads));
    WWI_TRY(wwi_profile_series_list_kinds(&in->series));
    return c->other ? wwi_profile_series_list_kinds(&in->other) : WW_OK;
}

static ww_status create(ww_context *context, const creation *c, ww_profile **profile) {
    WWI_ENDS(ww_profile_destroy) ww_profile *p = NULL;
    ww_run_options run;
    WWI_TRY(wwi_run_take(c->options.run, &run));
    WWI_TRY(wwi_new_zeroed(p, 1));
    wwi_context_retain(context);
    p->context = context;
    p->options = c->options;
    p->options.run = NULL;
    p->options.flat = p->options.other_flat = NULL;
    p->run = run;
    p->window = c->window;
    p->k = c->options.k;
    p->self = !c->other;
    p->exclusion = c->other                                            ? 0
                   : c->options.exclusion == WW_PROFILE_EXCLUSION_AUTO ? (c->window + 3) / 4
                                                                       : c->options.exclusion;
    p->exclusion = wwi_least(p->exclusion, INT64_MAX / 4);
    WWI_TRY(wwi_run_stream(context, &p->run, &p->stream));
    WWI_TRY(wwi_profile_choose_form(p, c->series->channels));
    p->input = c->input;
    wwi_counted_retain(&p->input->counted);
    p->series = p->input->series;
    p->other = p->input->other;
    p->trend = p->input->trend;
    WWI_TRY(count_pairs(p));
    WWI_TRY(wwi_profile_plan(p));
    p->info.struct_size = sizeof p->info;
    p->info.windows = p->series.windows;
    p->info.other_windows = wwi_profile_other(p)->windows;
    p->info.exclusion = p->exclusion;
    p->info.slices = wwi_ceil_div(p->series.windows, p->slice);
    *profile = wwi_taken(&p);
    return WW_OK;
}

static ww_status create_on(wwi_seat *seat) {
    ww_profile *made = NULL;
    const ww_status status = create(wwi_context_on(seat->team->context, seat->device), seat->of, &made);
    seat->own = made;
    return status;
}

static void close_team(wwi_team **team) {
    WWI_TEAM_CLOSE(ww_profile, wwi_taken(team), NULL);
}

// On each device of a context.
static ww_status create_on_all(creation *c, ww_context *context, const ww_profile_options *options,
                               ww_profile **profile) {
    WWI_ENDS(close_team) wwi_team *team = NULL;
    c->options = (ww_profile_options)WW_PROFILE_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(&c->options, options, "ww_profile_options"));
    WWI_TRY(prepare(c, wwi_processors()));
    WWI_TRY(wwi_team_open(context, c->options.run, &team));
    if (!team)
        return create(context, c, profile);
    c->options.run = &team->own;
    WWI_TRY(wwi_team_make(team, create_on, c, 0, NULL));
    ww_profile *first = wwi_team_any(team);
    const uint64_t chosen[] = {c->index, c->other_index};
    WWI_TRY(wwi_view_add_to(wwi_context_store(context), c->series));
    WWI_TRY(wwi_view_add_to(wwi_context_store(context), c->other));
    wwi_store_add_input(wwi_context_store(context), chosen, sizeof chosen);
    const size_t channels = first->series.channels, others = wwi_profile_other(first)->windows;
    if (c->options.flat)
        wwi_store_add_input(wwi_context_store(context), c->options.flat, channels * first->series.windows);
    if (c->options.other_flat)
        wwi_store_add_input(wwi_context_store(context), c->options.other_flat, channels * others);
    first->team = wwi_taken(&team);
    *profile = first;
    return WW_OK;
}

ww_status ww_profile_create(ww_context *context, const ww_series_view *series, size_t index,
                            const ww_series_view *other, size_t other_index, size_t window,
                            const ww_profile_options *options, ww_profile **profile) {
    ww_series_view one, two;
    WWI_FREES void *copy = NULL, *other_copy = NULL;
    if (profile)
        *profile = NULL;
    WWI_NEEDS("context, series, profile", context, series, profile);
    WWI_TRY(wwi_view_make_dense(series, &one, &copy));
    if (other)
        WWI_TRY(wwi_view_make_dense(other, &two, &other_copy));
    WWI_ENDS(end_creation)
    creation c = {.series = &one, .other = other ? &two : NULL, .index = index, .other_index = other_index};
    c.window = window;
    return create_on_all(&c, context, options, profile);
}

// One series of a dataset, for the precision and context that are asked for.
static ww_status check_dataset(const ww_dataset *d, const ww_context *context, const ww_profile_options *taken) {
    if (d->context != context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the two series are of different contexts");
    if (d->precision == taken->precision)
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a series in %s for a profile in %s", ww_word(WW_WORD_PRECISION, d->precision),
             ww_word(WW_WORD_PRECISION, taken->precision));
    return wwi_fail_hint("give ww_profile_options and ww_dataset_options the same precision");
}

ww_status ww_profile_create_from_datasets(ww_dataset *series, size_t index, ww_dataset *other, size_t other_index,
                                          size_t window, const ww_profile_options *options, ww_profile **profile) {
    ww_profile_options taken = WW_PROFILE_OPTIONS_INIT;
    WWI_ENDS(ww_series_set_destroy) ww_series_set *one = NULL, *two = NULL;
    ww_series_view views[2] = {WW_SERIES_VIEW_INIT, WW_SERIES_VIEW_INIT};
    if (profile)
        *profile = NULL;
    WWI_NEEDS("series, profile", series, profile);
    WWI_TRY(wwi_options_take(&taken, options, "ww_profile_options"));
    WWI_TRY(check_dataset(series, series->context, &taken));
    if (other)
        WWI_TRY(check_dataset(other, series->context, &taken));
    WWI_TRY(wwi_dataset_series(series, &one));
    WWI_TRY(ww_series_set_view(one, &views[0]));
    if (other) {
        WWI_TRY(wwi_dataset_series(other, &two));
        WWI_TRY(ww_series_set_view(two, &views[1]));
    }
    WWI_ENDS(end_creation)
    creation c = {.series = &views[0], .other = other ? &views[1] : NULL, .index = index, .other_index = other_index};
    c.window = window;
    ww_context *several = wwi_datasets_divide(series, other);
    return create_on_all(&c, several ? several : series->context, options, profile);
}

// ---- running

// Whether lists come to the device once in a run: it is of all windows, which are one slice.
static bool is_one_slice(const ww_profile *p, const wwi_profile_part *part) {
    const size_t rows = p->series.windows, columns = wwi_profile_other(p)->windows;
    return part->row == 0 && part->row_end == rows && part->column == 0 && part->column_end == columns &&
           p->slice >= rows && p->slice >= columns;
}

static ww_status run_part(ww_profile *p, const wwi_profile_part *part) {
    const size_t rows = part->row_end - part->row, columns = part->column_end - part->column;
    uint64_t pairs; // of windows, some of them within the exclusion
    if ((rows == p->series.windows && columns == wwi_profile_other(p)->windows) || !wwi_mul_u64(rows, columns, &pairs))
        pairs = p->info.pairs;
    wwi_stream_start(p->stream);
    p->info.candidates = 0;
    p->lists.none_known =
        p->nearest.empty && (p->series.kinds == 0 || wwi_profile_other(p)->kinds == 0) && is_one_slice(p, part);
    p->nearest.empty = p->lists.none_known && p->lists.stays && !p->by_host; // until they are fetched
    p->pace = wwi_pace_make(p->stream, p->run.launch_seconds, p->run.progress, p->run.progress_user);
    p->part = *part;
    wwi_pace_start(&p->pace, pairs);
    WWI_TRY(wwi_profile_enter_kinds(p));
    return wwi_finish_after(p->stream, wwi_profile_run_part(p));
}

static ww_status end_run(ww_profile *p, ww_status status, double start) {
    return wwi_run_end(p->stream, status, start, &p->info.launches, &p->info.seconds_device, &p->info.seconds_wall);
}

ww_status wwi_profile_add_part(ww_profile *p, const wwi_profile_part *part) {
    const double start = wwi_seconds();
    p->lists.stays = is_one_slice(p, part);
    p->lists.current = p->lists.current && p->lists.stays;
    const ww_status status = run_part(p, part);
    p->lists.current = status == WW_OK && p->lists.stays;
    return end_run(p, status, start);
}

static void swap(wwi_profile_nearest *a, wwi_profile_nearest *b) {
    const wwi_profile_nearest kept = *a;
    *a = *b;
    *b = kept;
}

ww_status wwi_profile_fetch(ww_profile *p) {
    WWI_ENDS(wwi_profile_nearest_free) wwi_profile_nearest before = {.windows = 0};
    const bool empty = p->nearest.empty;
    if (!p->lists.current || p->by_host)
        return WW_OK;
    if (!empty) {
        // What the host has is from tiles that nobody runs again: a device that is lost in the midst must not spoil it.
        WWI_TRY(wwi_profile_nearest_make(p->nearest.windows, p->nearest.k, p->nearest.lists, &before));
        before.exponent = p->nearest.exponent;
        swap(&p->nearest, &before);
    }
    const ww_status status = wwi_profile_slice_store(p, &p->slices[0]);
    p->nearest.empty = false;
    if (status != WW_OK && empty)
        (void)wwi_profile_nearest_forget(&p->nearest);
    else if (status != WW_OK)
        swap(&p->nearest, &before);
    return status;
}

ww_status wwi_profile_run_alone(ww_profile *p, const wwi_profile_part *part, bool squared, bool forget,
                                const ww_profile_output *output) {
    ww_profile_output to;
    WWI_TRY(wwi_profile_take_output(p->options.left_right, output, &to));
    const double start = wwi_seconds();
    if (forget)
        WWI_TRY(wwi_profile_nearest_forget(&p->nearest));
    p->lists.stays = p->lists.current = false;
    ww_status status = run_part(p, part);
    if (status == WW_OK && (status = wwi_profile_enter_flats(p)) == WW_OK)
        status = wwi_profile_nearest_give(&p->nearest, squared, &to);
    return end_run(p, status, start);
}

WWI_GIVES_INFO(profile, profile)
