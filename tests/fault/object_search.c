// SPDX-License-Identifier: Apache-2.0
// Searches in streams: given whole, read in blocks, or pushed point by point.
#include <stdbool.h>
#include <string.h>
#include <wavewarp/wavewarp.h>

#include "objects.h"

enum { QUERIES = 2, LENGTH = 12, POINTS = 400, K = 3, LONG = 4200 };

static struct {
    ww_context *context;
    ww_series_set *queries, *streams;
    ww_search *search;
    ww_search_stream *stream;
    ww_dataset *data;
    wwt_answer *reported;
} s;

static void close_all(void) {
    ww_search_stream_destroy(&s.stream);
    ww_search_destroy(&s.search);
    ww_dataset_destroy(&s.data);
    ww_series_set_destroy(&s.streams);
    ww_series_set_destroy(&s.queries);
    memset(&s, 0, sizeof s);
}

static ww_status make(ww_context *context, ww_search_kind kind, bool pushed) {
    ww_measure measure;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    s.context = context;
    options.kind = kind;
    options.k = K;
    options.has_threshold = pushed;
    options.threshold = 40;
    options.znormalise = kind == WW_SEARCH_WINDOWS;
    ww_status status = ww_measure_init(&measure, sizeof measure, WW_DTW);
    if (status == WW_OK)
        status = wwt_make_set(QUERIES, LENGTH, 1, &s.queries);
    if (status == WW_OK)
        status = wwt_make_set(2, POINTS, 1, &s.streams);
    if (status == WW_OK)
        status = ww_series_set_view(s.queries, &view);
    if (status != WW_OK)
        return status;
    return pushed ? ww_search_stream_create(context, &measure, &view, &options, &s.stream)
                  : ww_search_create(context, &measure, &view, &options, &s.search);
}

static ww_status open_open(ww_context *context) {
    return make(context, WW_SEARCH_OPEN, false);
}

static ww_status open_windows(ww_context *context) {
    return make(context, WW_SEARCH_WINDOWS, false);
}

// The queries are the longer ones: the streams are looked for in them.
static ww_status open_super(ww_context *context) {
    ww_measure measure;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    options.kind = WW_SEARCH_SUPER;
    options.k = K;
    ww_status status = ww_measure_init(&measure, sizeof measure, WW_DTW);
    if (status == WW_OK)
        status = wwt_make_set(QUERIES, POINTS, 1, &s.queries);
    if (status == WW_OK)
        status = wwt_make_set(3, LENGTH, 1, &s.streams);
    if (status == WW_OK)
        status = ww_series_set_view(s.queries, &view);
    return status == WW_OK ? ww_search_create(context, &measure, &view, &options, &s.search) : status;
}

static ww_status run(wwt_answer *answer) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_match matches[QUERIES * K];
    size_t found[QUERIES];
    ww_status status = ww_series_set_view(s.streams, &view);
    if (status == WW_OK)
        status = ww_search_run(s.search, &view, matches, found);
    if (status == WW_OK) {
        wwt_add(answer, matches, sizeof matches);
        wwt_add(answer, found, sizeof found);
    }
    return status;
}

static int read_points(void *user, uint64_t first, size_t count, void *values) {
    (void)user;
    for (size_t i = 0; i < count; i++)
        ((float *)values)[i] = (float)ww_series_set_values(s.streams, 0)[first + i];
    return 0;
}

static ww_status run_source(wwt_answer *answer) {
    ww_search_source source = WW_SEARCH_SOURCE_INIT;
    ww_match matches[QUERIES * K];
    source.length = POINTS;
    source.read = read_points;
    const ww_status status = ww_search_run_source(s.search, &source, matches, NULL);
    if (status == WW_OK)
        wwt_add(answer, matches, sizeof matches);
    return status;
}

// A stream long enough to be searched where it is.
static ww_status open_dataset(ww_context *context) {
    ww_status status = make(context, WW_SEARCH_WINDOWS, false);
    ww_series_set_destroy(&s.streams);
    if (status == WW_OK)
        status = wwt_make_set(1, LONG, 1, &s.streams);
    return status == WW_OK ? ww_dataset_create_from_set(context, s.streams, NULL, &s.data) : status;
}

static ww_status run_dataset(wwt_answer *answer) {
    ww_match matches[QUERIES * K];
    const ww_status status = ww_search_run_dataset(s.search, s.data, matches, NULL);
    if (status == WW_OK)
        wwt_add(answer, matches, sizeof matches);
    return status;
}

// ---- pushed

static int take_match(void *user, size_t query, const ww_match *match) {
    wwt_add(user, &query, sizeof query);
    wwt_add(user, match, sizeof *match);
    return 0;
}

static wwt_answer reported;

static ww_status push(size_t from, size_t count) {
    return ww_search_stream_push(s.stream, ww_series_set_values(s.streams, 0) + from, WW_DOUBLE, count, take_match,
                                 &reported);
}

// Some points went before.
static ww_status open_pushed(ww_context *context, ww_search_kind kind) {
    const ww_status status = make(context, kind, true);
    reported.bytes = 0;
    return status == WW_OK ? push(0, POINTS / 2) : status;
}

static ww_status open_pushed_open(ww_context *context) {
    return open_pushed(context, WW_SEARCH_OPEN);
}

static ww_status open_pushed_windows(ww_context *context) {
    return open_pushed(context, WW_SEARCH_WINDOWS);
}

static ww_status push_more(void) {
    return push(POINTS / 2, POINTS / 4);
}

// All that was reported, and will be when some more points have come and the stream ends.
static ww_status end_stream(wwt_answer *answer) {
    ww_status status = push(POINTS / 4 * 3, POINTS / 8);
    if (status == WW_OK)
        status = ww_search_stream_finish(s.stream, take_match, &reported);
    if (status == WW_OK)
        wwt_add(answer, reported.at, reported.bytes);
    return status;
}

const wwt_job wwt_search_jobs[] = {
    {"search open", open_open, NULL, run, close_all, 0},
    {"search windows", open_windows, NULL, run, close_all, 0},
    {"search super", open_super, NULL, run, close_all, 0},
    {"search a source", open_open, NULL, run_source, close_all, 0},
    {"search a dataset", open_dataset, NULL, run_dataset, close_all, 0},
    {"search pushed open", open_pushed_open, push_more, end_stream, close_all, 1},
    {"search pushed windows", open_pushed_windows, push_more, end_stream, close_all, 1},
};
const size_t wwt_search_job_count = sizeof wwt_search_jobs / sizeof *wwt_search_jobs;
