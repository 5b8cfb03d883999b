// SPDX-License-Identifier: Apache-2.0
// A search before its first run: the options and the measure are checked, programs are compiled, what does not change
// is allocated; and its end.
#include <math.h>
#include <stdlib.h>

#include "base/run.h"
#include "options.h"
#include "search/search_internal.h"

enum { MOST_CHANNELS = 64 };

void ww_search_destroy(ww_search **search) {
    ww_search *s = wwi_taken(search);
    if (!s)
        return;
    WWI_TEAM_CLOSE(ww_search, s->team, s);
    free(s->all_values);
    free(s->all_lengths);
    free(s->all_begins);
    wwi_feed_keep(&s->ahead.feed);
    wwi_open_destroy(&s->open);
    wwi_windows_destroy(&s->windows);
    wwi_collect_destroy(&s->collect);
    wwi_super_destroy(&s->super);
    wwi_block_destroy(s);
    wwi_search_queries_destroy(s);
    wwi_buffer_destroy(&s->limits_sent);
    wwi_limits_free(&s->own_limits);
    wwi_joined_close(&s->joined);
    wwi_measure_disown(&s->given);
    wwi_stream_destroy(&s->stream);
    wwi_context_release(s->context);
    free(s);
}

static ww_status unsupported(const char *what, const char *hint) {
    wwi_fail(WW_ERROR_UNSUPPORTED, "%s", what);
    return wwi_fail_hint("%s", hint);
}

ww_status wwi_search_check_options(const ww_search_options *o) {
    if ((unsigned)o->kind > WW_SEARCH_SUPER)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "search.kind is %d", (int)o->kind);
    const size_t most = o->exclusion <= 1 ? WW_SEARCH_MOST_PLACES : WW_SEARCH_MOST;
    if (o->k < 1 || o->k > most)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is %zu; it can be 1 to %zu", o->k, most);
    if (o->has_threshold && isnan(o->threshold))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "search.threshold is NaN");
    if (o->znormalise && o->kind != WW_SEARCH_WINDOWS)
        return unsupported("matches with open ends can't be z-normalised",
                           "z-normalise windows (WW_SEARCH_WINDOWS), or the whole series before the search");
    if ((unsigned)o->precision > WW_DOUBLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the search's precision is %d", (int)o->precision);
    return WW_OK;
}

static ww_status check_windows(const ww_context *context, const ww_measure *m) {
    if (wwi_context_loses_arrays(context)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "windows on %s: its driver computes them wrongly",
                 wwi_context_info(context)->name);
        return wwi_fail_hint("choose another device (PoCL for a CPU), or search with open ends (WW_SEARCH_OPEN)");
    }
    if (wwi_measure_is_open(m))
        return unsupported("windows have no open ends",
                           "leave the relaxation at 0, or search with open ends (WW_SEARCH_OPEN)");
    if (wwi_measure_has_total_borders(m))
        return unsupported("ERP with border_total can't search windows", "leave border_total at 0");
    return WW_OK;
}

static ww_status check_open_measure(const ww_measure *m, const char *name) {
    if (m->band.kind != WW_BAND_NONE)
        return unsupported("a search with open ends has no band: a match may begin anywhere",
                           "search windows (WW_SEARCH_WINDOWS, --kind windows), or without a band");
    if (wwi_measure_has(m, WWI_MEASURE_FROM_BEGIN)) {
        wwi_fail(WW_ERROR_UNSUPPORTED,
                 "%s has no search with open ends: a cell depends on how far it is from the match's begin, which is "
                 "not known",
                 name);
        return wwi_fail_hint("search windows (WW_SEARCH_WINDOWS, --kind windows), or choose dtw, adtw or msm");
    }
    if (wwi_measure_has(m, WWI_MEASURE_MATCHES)) {
        wwi_fail(WW_ERROR_UNSUPPORTED,
                 "%s has no search with open ends: it skips points free of cost, so the whole stream is the best match",
                 name);
        return wwi_fail_hint("search windows (WW_SEARCH_WINDOWS, --kind windows), or choose edr or levenshtein");
    }
    if (m->gamma != 0.0)
        return unsupported("the soft minimum has no search with open ends",
                           "search windows (WW_SEARCH_WINDOWS, --kind windows), or leave gamma at 0");
    if (wwi_measure_has_total_borders(m))
        return unsupported("ERP with border_total can't search", "leave border_total at 0");
    return WW_OK;
}

// The streams' ends are open altogether, and the measure's own check is to see that.
static ww_status open_ends(ww_measure *m, const wwi_measure_row *row) {
    if (m->relax_end_x && (row->flags & WWI_MEASURE_OF_TEXT))
        return unsupported("under a recurrence of your own the query's end can't be skipped",
                           "leave relax_end_x at 0; relax_begin_x may be set");
    if ((m->relax_begin_y && m->relax_begin_y != SIZE_MAX) || (m->relax_end_y && m->relax_end_y != SIZE_MAX))
        return unsupported("a search always has both ends of its streams open",
                           "leave relax_begin_y and relax_end_y at 0");
    const bool closed = row->flags & WWI_MEASURE_OPEN_STREAMS; // that of a measure which knows of no other ends
    if (closed && (m->relax_begin_x || m->relax_end_x)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "under %s the query's ends can't be skipped", row->info.name);
        return wwi_fail_hint("leave relax_begin_x and relax_end_x at 0");
    }
    m->relax_begin_y = m->relax_end_y = closed ? 0 : SIZE_MAX;
    return wwi_measure_check(m);
}

static ww_status check_measure(const ww_search *s, size_t channels, ww_measure *m) {
    const wwi_measure_row *row = wwi_measure_row_by_id(m->id);
    if (s->options.kind == WW_SEARCH_WINDOWS)
        return check_windows(s->context, m);
    WWI_TRY(check_open_measure(m, row->info.name));
    if (m->independent && channels > 1)
        return unsupported("independent channels have no search with open ends: each would end in its own place",
                           "take the channels together (independent = 0)");
    return open_ends(m, row);
}

// What the bounds and early abandoning may assume.
static void choose_bounds(ww_search *s) {
    const unsigned flags = s->of.row->flags;
    const ww_cost cost = wwi_measure_cost(&s->of.measure);
    const bool alone = s->of.passes > 1, may = !s->options.no_bounds && !s->of.soft;
    s->abandons = may && (flags & WWI_MEASURE_MONOTONE) && !s->similarity && !alone && !(flags & WWI_MEASURE_OF_TEXT);
    s->bounded = may && (flags & (WWI_MEASURE_BOUND_SUM | WWI_MEASURE_BOUND_MAX)) && cost != WW_COST_USER &&
                 !(alone && (s->of.measure.root || (flags & WWI_MEASURE_BOUND_MAX) || cost == WW_COST_EUCLIDEAN));
}

// The options, and what they point to.
static ww_status take_options(ww_search *s, const ww_measure *measure, const ww_search_options *options) {
    ww_measure taken;
    s->options = (ww_search_options)WW_SEARCH_OPTIONS_INIT;
    s->info = (ww_search_info)WW_SEARCH_INFO_INIT;
    WWI_TRY(wwi_options_take(&s->options, options, "ww_search_options"));
    WWI_TRY(wwi_search_check_options(&s->options));
    WWI_TRY(wwi_run_take(s->options.run, &s->run));
    WWI_TRY(wwi_measure_take(measure, &taken));
    s->options.run = NULL;
    return wwi_measure_own(&taken, &s->given);
}

static ww_status check_queries(const ww_series_view *view) {
    if (!view->values || view->count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "no queries");
    if (view->channels < 1 || view->channels > MOST_CHANNELS)
        return wwi_fail(WW_ERROR_CHANNELS, "the queries have %zu channels; a search takes 1 to %d", view->channels,
                        MOST_CHANNELS);
    if (view->count > UINT32_MAX / 16)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu queries", view->count);
    return WW_OK;
}

// The recurrence of a search of windows or with open ends, its stream and what follows from both.
static ww_status prepare(ww_search *s, const ww_series_view *view, const ww_measure *measure) {
    const ww_device_info *info = wwi_context_info(s->context);
    const bool open = s->options.kind == WW_SEARCH_OPEN;
    // Mesa's llvmpipe takes minutes to compile wider ones.
    const int most = wwi_context_loses_arrays(s->context) ? 4 : s->options.precision == WW_DOUBLE ? 8 : 16;
    WWI_TRY(wwi_run_stream(s->context, &s->run, &s->stream));
    s->query_count = view->count;
    s->value_bytes = wwi_precision_bytes(s->options.precision);
    s->gpu = wwi_is_gpu(s->context);
    s->vector = wwi_forced(s->context, "form.items", 1, s->gpu) == 1 ? 1 : most;
    s->block.lead = open ? 1 : 0;
    s->pace = wwi_pace_make(s->stream, s->run.launch_seconds, s->run.progress, s->run.progress_user);
    s->rate = wwi_pace_guess(info, s->gpu ? 16.0 : 0.25);
    wwi_recurrence_of(s->context, s->stream, measure, s->options.precision, view->channels, &s->of);
    s->of.extra = s->of.row->transform == WWI_TRANSFORM_ERP;
    s->of.open = false; // of the texts that are tested
    choose_bounds(s);
    WWI_TRY(wwi_limits_make(&s->own_limits, s->query_count));
    s->limits = &s->own_limits;
    WWI_TRY(wwi_search_queries(s, view));
    WWI_TRY(wwi_recurrence_test(&s->of));
    WWI_TRY(wwi_collect_prepare(s));
    s->of.open = open;
    return open ? wwi_open_prepare(s) : wwi_windows_prepare(s);
}

ww_status wwi_search_make(ww_context *context, const ww_measure *measure, const ww_series_view *queries,
                          const ww_search_options *options, bool streaming, ww_search **search) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_search *s;
    WWI_TRY(wwi_new_zeroed(s, 1));
    *search = s;
    WWI_TRY(take_options(s, measure, options));
    WWI_TRY(wwi_options_take(&view, queries, "ww_series_view"));
    WWI_TRY(check_queries(&view));
    WWI_TRY(wwi_check_precision(context, s->options.precision));
    wwi_context_retain(context);
    s->context = context;
    s->streaming = streaming;
    s->derivative = wwi_measure_row_by_id(s->given.id)->transform == WWI_TRANSFORM_DERIVATIVE;
    s->similarity = wwi_measure_is_similarity(&s->given);
    ww_measure searched = s->given;
    WWI_TRY(check_measure(s, view.channels, &searched));
    return s->options.kind == WW_SEARCH_SUPER ? wwi_super_make(s, &view) : prepare(s, &view, &searched);
}
