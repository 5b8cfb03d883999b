// SPDX-License-Identifier: Apache-2.0
// A search before its first run: the options and the measure are checked, programs are compiled, what does not change
// is allocated; and its end.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "options.h"
#include "search/search_internal.h"

enum { MOST_CHANNELS = 64 };

void ww_search_destroy(ww_search **search) {
    if (!search || !*search)
        return;
    ww_search *s = *search;
    *search = NULL;
    wwi_feed_destroy(&s->feed); // before the buffers that it fills
    wwi_open_destroy(&s->open);
    wwi_super_destroy(&s->super);
    wwi_kernel *kernels[] = {s->moments,      s->whole, s->envelope,   s->bounds,
                             s->least_kernel, s->take,  s->windows[0], s->windows[1]};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        wwi_kernel_destroy(&kernels[i]);
    wwi_program *programs[] = {s->moments_program, s->bounds_program, s->take_program, s->windows_program[0],
                               s->windows_program[1]};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        wwi_program_release(&programs[i]);
    wwi_buffer *buffers[] = {s->x,       s->envelopes[0], s->envelopes[1], s->order,       s->rows,        s->values,
                             s->derived, s->table,        s->below,        s->above,       s->out,         s->lists,
                             s->found,   s->limits,       s->least,        s->counters,    s->place,       s->taken,
                             s->listed,  s->places,       s->scratch,      s->next_values, s->next_derived};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        wwi_buffer_destroy(&buffers[i]);
    wwi_joined_close(&s->joined);
    for (size_t q = 0; s->queries && q < s->query_count; q++)
        free(s->queries[q].candidates);
    free(s->queries);
    free(s->reach);
    free(s->points);
    free(s->host_values);
    free(s->host_derived);
    wwi_measure_disown(&s->given);
    wwi_stream_destroy(&s->stream);
    if (s->context)
        wwi_context_release(s->context);
    free(s);
}

static ww_status check_precision(ww_precision precision, const char *whose) {
    if ((unsigned)precision <= WW_DOUBLE)
        return WW_OK;
    return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s precision is %d", whose, (int)precision);
}

ww_status wwi_search_check_options(const ww_search_options *o) {
    if ((unsigned)o->kind > WW_SEARCH_SUPER)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "search.kind is %d", (int)o->kind);
    const size_t most = o->exclusion <= 1 ? WW_SEARCH_MOST_PLACES : WW_SEARCH_MOST;
    if (o->k < 1 || o->k > most)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is %zu; 1 to %zu", o->k, most);
    if (o->has_threshold && isnan(o->threshold))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "search.threshold is NaN");
    if (o->znormalise && o->kind != WW_SEARCH_WINDOWS) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "z-normalised matches with open ends");
        return wwi_fail_hint("z-normalise windows (WW_SEARCH_WINDOWS), or the whole series before the search");
    }
    return check_precision(o->precision, "the search's");
}

static ww_status check_measure(ww_search *s) {
    ww_measure *m = &s->measure;
    const char *name = s->row->info.name;
    if (s->options.kind == WW_SEARCH_WINDOWS) {
        if (wwi_context_loses_arrays(s->context)) {
            wwi_fail(WW_ERROR_UNSUPPORTED, "windows on %s: its driver computes them wrongly",
                     wwi_context_info(s->context)->name);
            return wwi_fail_hint("choose another device (PoCL for a CPU), or search with open ends (WW_SEARCH_OPEN)");
        }
        if (wwi_measure_is_open(m)) {
            wwi_fail(WW_ERROR_UNSUPPORTED, "windows with open ends");
            return wwi_fail_hint("leave the relaxation at 0, or search with open ends (WW_SEARCH_OPEN)");
        }
        if (m->id == WW_ERP && m->parameters[1] != 0.0) {
            wwi_fail(WW_ERROR_UNSUPPORTED, "windows under ERP with border_total");
            return wwi_fail_hint("leave border_total at 0");
        }
        return WW_OK;
    }
    if (m->band.kind != WW_BAND_NONE) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a band in a search with open ends");
        return wwi_fail_hint("a match may begin anywhere: search windows (WW_SEARCH_WINDOWS), or without a band");
    }
    if (m->id == WW_WDTW || m->id == WW_WDDTW || m->id == WW_TWED) {
        wwi_fail(WW_ERROR_UNSUPPORTED,
                 "%s with open ends: a cell depends on how far it is from the match's begin, which is not known", name);
        return wwi_fail_hint("search windows (WW_SEARCH_WINDOWS), or choose dtw, adtw or msm");
    }
    if (m->id == WW_LCSS || m->id == WW_LCS) {
        wwi_fail(WW_ERROR_UNSUPPORTED,
                 "%s with open ends: it skips points free of cost, so the whole stream is the best", name);
        return wwi_fail_hint("search windows (WW_SEARCH_WINDOWS), or choose edr or levenshtein");
    }
    if (m->gamma != 0.0) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a soft minimum together with open ends");
        return wwi_fail_hint("search windows (WW_SEARCH_WINDOWS), or leave gamma at 0");
    }
    if (m->independent && s->channels > 1) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "independent channels with open ends: each would end in its own place");
        return wwi_fail_hint("take the channels together (independent = 0)");
    }
    if (m->relax_end_x && m->id == WW_USER) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a recurrence of your own with a query whose end may be skipped");
        return wwi_fail_hint("leave relax_end_x at 0; relax_begin_x may be set");
    }
    if ((m->relax_begin_y && m->relax_begin_y != SIZE_MAX) || (m->relax_end_y && m->relax_end_y != SIZE_MAX)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a search in a part of the streams' relaxation");
        return wwi_fail_hint("the streams' ends are open altogether: leave relax_begin_y and relax_end_y at 0");
    }
    if (!(s->row->flags & WWI_MEASURE_OPEN_STREAMS)) {
        // Where the streams' ends count as open the table says whether the measure has any.
        m->relax_begin_y = m->relax_end_y = SIZE_MAX;
        return wwi_measure_check(m);
    }
    if (m->relax_begin_x || m->relax_end_x) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s with a query whose ends may be skipped", name);
        return wwi_fail_hint("leave relax_begin_x and relax_end_x at 0");
    }
    if (m->id == WW_ERP && m->parameters[1] != 0.0) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "ERP with border_total in a search");
        return wwi_fail_hint("leave border_total at 0");
    }
    m->relax_begin_y = m->relax_end_y = 0; // the measure's own check is of closed ends
    return wwi_measure_check(m);
}

// What the bounds and early abandoning may assume.
static void choose_bounds(ww_search *s) {
    const unsigned flags = s->row->flags;
    const ww_cost cost = wwi_measure_cost(&s->measure);
    const bool soft = wwi_measure_is_soft(&s->measure), alone = s->passes > 1;
    s->abandons = !s->options.no_bounds && (flags & WWI_MEASURE_MONOTONE) && !soft && !s->similarity && !alone &&
                  s->measure.id != WW_USER;
    s->bounded = !s->options.no_bounds && (flags & (WWI_MEASURE_BOUND_SUM | WWI_MEASURE_BOUND_MAX)) && !soft &&
                 cost != WW_COST_USER &&
                 !(alone && (s->measure.root || (flags & WWI_MEASURE_BOUND_MAX) || cost == WW_COST_EUCLIDEAN));
}

static ww_status allocate_counters(ww_search *s) {
    ww_status status = wwi_buffer_create(s->context, wwi_search_counters(s) * sizeof(uint32_t), &s->counters);
    return status == WW_OK ? wwi_buffer_create(s->context, s->query_count * sizeof(uint32_t), &s->found) : status;
}

ww_status wwi_search_make(ww_context *context, const ww_measure *measure, const ww_series_view *queries,
                          const ww_search_options *options, bool streaming, ww_search **search) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_search *s = calloc(1, sizeof *s);
    ww_status status = WW_OK;
    if (!s)
        return wwi_fail_memory(sizeof *s);
    *search = s;
    s->options = (ww_search_options)WW_SEARCH_OPTIONS_INIT;
    s->info = (ww_search_info)WW_SEARCH_INFO_INIT;
    if ((status = wwi_options_take(&s->options, options, "ww_search_options")) != WW_OK ||
        (status = wwi_search_check_options(&s->options)) != WW_OK ||
        (status = wwi_run_take(s->options.run, &s->run)) != WW_OK ||
        (status = wwi_measure_take(measure, &s->measure)) != WW_OK ||
        (status = wwi_options_take(&view, queries, "ww_series_view")) != WW_OK ||
        (status = wwi_measure_own(&s->measure, &s->given)) != WW_OK)
        return status;
    s->measure = s->given;
    s->options.run = NULL;
    if (!view.values || view.count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "no queries");
    if (view.channels < 1 || view.channels > MOST_CHANNELS)
        return wwi_fail(WW_ERROR_CHANNELS, "%zu channels; a search takes 1 to %d", view.channels, MOST_CHANNELS);
    if (view.count > UINT32_MAX / 16)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu queries", view.count);
    const ww_device_info *info = wwi_context_info(context);
    wwi_context_retain(context);
    s->context = context;
    s->row = wwi_measure_row_by_id(s->measure.id);
    s->precision = s->options.precision;
    if (s->precision == WW_DOUBLE && !info->has_double) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s has no double precision", info->name);
        return wwi_fail_hint("search in WW_FLOAT");
    }
    s->value_bytes = s->precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
    s->channels = view.channels;
    s->query_count = view.count;
    s->streaming = streaming;
    s->gpu = info->type == WW_DEVICE_GPU;
    s->wide = info->has_double != 0;
    s->derivative = s->row->transform == WWI_TRANSFORM_DERIVATIVE;
    s->similarity = wwi_measure_is_similarity(&s->measure);
    s->passes = s->measure.independent && s->channels > 1 ? (uint32_t)s->channels : 1;
    s->point_channels = s->passes > 1 ? 1 : (uint32_t)s->channels;
    s->extra = s->row->transform == WWI_TRANSFORM_ERP;
    s->lead = s->options.kind == WW_SEARCH_WINDOWS ? 0 : 1;
    // Mesa's llvmpipe takes minutes to compile wider ones.
    const int widest = wwi_context_loses_arrays(context) ? 4 : s->precision == WW_DOUBLE ? 8 : 16;
    s->vector = s->gpu ? 1 : widest;
    if ((status = check_measure(s)) != WW_OK)
        return status;
    if (s->options.kind == WW_SEARCH_SUPER)
        return wwi_super_make(s, &view);
    choose_bounds(s);
    wwi_parameters_make(&s->measure, s->precision, &s->parameters);
    if ((status = wwi_run_stream(context, &s->run, &s->stream)) != WW_OK ||
        (status = wwi_search_queries(s, &view)) != WW_OK)
        return status;
    s->pace = wwi_pace_make(s->stream, s->run.launch_seconds, s->run.progress, s->run.progress_user);
    s->rate = wwi_pace_guess(info, s->gpu ? 16.0 : 1.0);
    const wwi_recurrence_program wanted = {.context = context,
                                           .stream = s->stream,
                                           .measure = &s->measure,
                                           .precision = s->precision,
                                           .channels = s->point_channels,
                                           .all_channels = (uint32_t)s->channels};
    if ((status = wwi_recurrence_check(&wanted)) != WW_OK || (status = wwi_collect_prepare(s)) != WW_OK ||
        (status = allocate_counters(s)) != WW_OK)
        return status;
    return s->options.kind == WW_SEARCH_WINDOWS ? wwi_windows_prepare(s) : wwi_open_prepare(s);
}
