// SPDX-License-Identifier: Apache-2.0
// Searches on a group of devices. Windows: parts of the joined streams, whose places are merged as they come and chosen
// from once; all devices know the same limits (search/search_limits.c). Open ends: parts of the queries, each through
// all streams.
#include <math.h>
#include <stdlib.h>

#include "base/run.h"
#include "data/view.h"
#include "group/group.h"
#include "host.h"
#include "options.h"
#include "search/search_internal.h"

// A part is so many times as long as what it reads of the next one, at least.
#define LEAST_SHARE 16

typedef struct job {
    ww_group *group;
    const ww_measure *measure;
    ww_series_view queries; // dense
    uint64_t *before;       // queries + 1: values before each query
    ww_search_options options;
    ww_run_options run, own; // the caller's; a device's
    wwi_joined streams;
    uint64_t points; // of the joined streams, with their separators
    size_t places;   // windows by parts: of each part; 0: the queries are divided
    bool similarity;
    double cells;       // of a place
    size_t *exclusions; // of each query
    wwi_limits limits;  // of all devices
    ww_match *merged;   // queries x places
    ww_match *matches;
    size_t *found;
} job;

static size_t length_of(const job *j, size_t query) {
    return wwi_view_length(&j->queries, query);
}

static void add_info(const job *j, const ww_search_info *info) {
    (void)pthread_mutex_lock(&j->group->lock);
    wwi_search_info_add(&j->group->last_search, info);
    (void)pthread_mutex_unlock(&j->group->lock);
}

// ---- parts of the streams

// What a device has.
typedef struct part_search {
    ww_search *search;
    ww_match *matches;
} part_search;

static void finish_parts(wwi_group_seat *seat) {
    part_search *s = seat->own;
    if (!s)
        return;
    ww_search_destroy(&s->search);
    free(s->matches);
    free(s);
}

static ww_status begin_parts(wwi_group_seat *seat) {
    job *j = seat->job;
    part_search *s;
    WWI_TRY(wwi_new_zeroed(s, 1));
    seat->own = s;
    WWI_TRY(wwi_new(s->matches, j->queries.count * j->places));
    WWI_TRY(ww_search_create(j->group->contexts[seat->device], j->measure, &j->queries, &j->options, &s->search));
    // Each device takes the same sample: none waits for another's.
    WWI_TRY(wwi_search_begin_parts(s->search, &j->streams, &j->limits));
    add_info(j, &s->search->info);
    return WW_OK;
}

static double part_work(const void *user, size_t unit) {
    const job *j = user;
    const uint64_t first = (uint64_t)unit * WW_SEARCH_PART_POINTS, left = j->points - first;
    return j->cells * (double)(left < WW_SEARCH_PART_POINTS ? left : WW_SEARCH_PART_POINTS);
}

// What all parts so far say of the k-th matches.
static void lower_limits(job *j) {
    enum { MOST_STEPS = 1 << 24 }; // of many far apart a part's own limits have to do
    if ((double)j->queries.count * (double)j->places * (double)j->options.k > MOST_STEPS)
        return;
    for (size_t q = 0; q < j->queries.count; q++) {
        const double limit = wwi_matches_limit(j->merged + q * j->places, j->places, j->options.k, j->exclusions[q]);
        (void)wwi_limits_lower(&j->limits, q, j->similarity ? -limit : limit);
    }
}

static ww_status run_part(const wwi_group_seat *seat, size_t first, size_t count) {
    job *j = seat->job;
    part_search *s = seat->own;
    const uint64_t at = (uint64_t)first * WW_SEARCH_PART_POINTS, points = (uint64_t)count * WW_SEARCH_PART_POINTS;
    WWI_TRY(wwi_search_run_places(s->search, &j->streams, at, points < j->points - at ? points : j->points - at,
                                  j->places, s->matches));
    add_info(j, &s->search->info);
    (void)pthread_mutex_lock(&j->group->lock);
    const ww_status status = ww_matches_merge(j->queries.count, j->places, j->similarity, j->merged, s->matches);
    if (status == WW_OK)
        lower_limits(j);
    (void)pthread_mutex_unlock(&j->group->lock);
    return status;
}

static void limits_free(job **j) {
    wwi_limits_free(&(*j)->limits);
}

static ww_status search_parts(job *j) {
    const size_t count = j->queries.count, all = count * j->places;
    WWI_FREES size_t *exclusions = NULL;
    WWI_FREES ww_match *merged = NULL;
    WWI_ENDS(limits_free) job *owner = j;
    size_t longest = 0;
    WWI_TRY(wwi_new(exclusions, count));
    WWI_TRY(wwi_new(merged, all));
    WWI_TRY(wwi_limits_make(&owner->limits, count));
    j->merged = merged;
    j->exclusions = exclusions;
    for (size_t i = 0; i < all; i++)
        merged[i] = (ww_match){-1, -1, -1, j->similarity ? -INFINITY : INFINITY};
    for (size_t q = 0; q < count; q++) {
        const size_t length = length_of(j, q);
        exclusions[q] = j->options.exclusion == WW_SEARCH_HALF ? (length + 1) / 2 : j->options.exclusion;
        longest = length > longest ? length : longest;
    }
    const wwi_group_kind kind = {.begin = begin_parts,
                                 .run = run_part,
                                 .finish = finish_parts,
                                 .work = part_work,
                                 .step = longest * LEAST_SHARE / WW_SEARCH_PART_POINTS + 1};
    WWI_TRY(wwi_group_run_units(j->group, &kind, j, (size_t)wwi_ceil_div(j->points, WW_SEARCH_PART_POINTS), &j->run));
    return ww_matches_choose(count, j->places, merged, j->options.k, exclusions, j->similarity, j->matches, j->found);
}

// ---- parts of the queries

static double query_work(const void *user, size_t query) {
    const job *j = user;
    return (double)j->points * (double)length_of(j, query);
}

static ww_status run_queries(const wwi_group_seat *seat, size_t first, size_t count) {
    const job *j = seat->job;
    WWI_ENDS(ww_search_destroy) ww_search *search = NULL;
    ww_series_view some = j->queries;
    const size_t value = wwi_precision_bytes(some.precision);
    ww_match *matches = j->matches + first * j->options.k;
    size_t *found = j->found ? j->found + first : NULL;
    some.count = count;
    some.lengths = some.lengths ? some.lengths + first : NULL;
    if (some.offsets)
        some.offsets += first;
    else
        some.values = (const unsigned char *)some.values + j->before[first] * value;
    WWI_TRY(ww_search_create(j->group->contexts[seat->device], j->measure, &some, &j->options, &search));
    WWI_TRY(j->streams.view ? ww_search_run(search, j->streams.view, matches, found)
                            : ww_search_run_source(search, j->streams.from, matches, found));
    add_info(j, &search->info);
    return WW_OK;
}

static ww_status search_queries(job *j) {
    static const wwi_group_kind kind = {.run = run_queries, .work = query_work};
    WWI_FREES uint64_t *before = NULL;
    WWI_TRY(wwi_new(before, j->queries.count + 1));
    j->before = before;
    before[0] = 0;
    for (size_t q = 0; q < j->queries.count; q++)
        before[q + 1] = before[q] + (uint64_t)length_of(j, q) * j->queries.channels;
    return wwi_group_run_units(j->group, &kind, j, j->queries.count, &j->run);
}

// ---- the search

static ww_status run(job *j, const ww_series_view *queries, const ww_search_options *options) {
    ww_measure measure;
    WWI_FREES void *copy = NULL;
    WWI_ENDS(wwi_joined_close) wwi_joined all = {.view = NULL};
    j->options = (ww_search_options)WW_SEARCH_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(&j->options, options, "ww_search_options"));
    WWI_TRY(wwi_run_take(j->options.run, &j->run));
    WWI_TRY(wwi_measure_take(j->measure, &measure));
    WWI_TRY(wwi_view_make_dense(queries, &j->queries, &copy));
    j->own = wwi_group_own_run(j->group, &j->run);
    j->options.run = &j->own;
    j->similarity = wwi_measure_is_similarity(&measure);
    if (!j->queries.values || j->queries.count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "no queries");
    WWI_TRY(wwi_search_check_options(&j->options));
    WWI_TRY(wwi_joined_open(&all, &j->streams));
    j->points = wwi_joined_length(&all);
    for (size_t q = 0; q < j->queries.count; q++)
        j->cells += (double)length_of(j, q);
    j->places = ww_search_part_places(&j->queries, &j->options);
    const double start = wwi_seconds();
    j->group->last_search = (ww_search_info)WW_SEARCH_INFO_INIT;
    const ww_status status = j->places ? search_parts(j) : search_queries(j);
    j->group->last_search.seconds_wall = wwi_seconds() - start;
    return status;
}

ww_status ww_group_search(ww_group *group, const ww_measure *measure, const ww_series_view *queries,
                          const ww_search_options *options, const ww_series_view *streams, ww_match *matches,
                          size_t *found) {
    ww_series_view view;
    WWI_FREES void *copy = NULL;
    job j = {.group = group, .measure = measure, .matches = matches, .found = found};
    if (!group || !queries || !streams || !matches)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the group, queries, streams or matches are NULL");
    WWI_TRY(wwi_view_make_dense(streams, &view, &copy));
    j.streams.view = &view;
    return view.values && view.count > 0 ? run(&j, queries, options) : wwi_fail(WW_ERROR_EMPTY, "no streams");
}

ww_status ww_group_search_source(ww_group *group, const ww_measure *measure, const ww_series_view *queries,
                                 const ww_search_options *options, const ww_search_source *source, ww_match *matches,
                                 size_t *found) {
    ww_search_source own = WW_SEARCH_SOURCE_INIT;
    job j = {.group = group, .measure = measure, .matches = matches, .found = found};
    if (!group || !queries || !source || !matches)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the group, queries, source or matches are NULL");
    WWI_TRY(wwi_options_take(&own, source, "ww_search_source"));
    if (!own.read || own.channels < 1 || (unsigned)own.precision > WW_DOUBLE || !own.concurrent)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "a source without a function, channels or a precision, or not for several threads");
    j.streams.from = &own;
    return run(&j, queries, options);
}

ww_status ww_group_get_search_info(const ww_group *group, ww_search_info *info) {
    WWI_NEEDS("group, info", group, info);
    return wwi_struct_give(info, &group->last_search, "ww_search_info");
}
