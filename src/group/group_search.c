// SPDX-License-Identifier: Apache-2.0
// Searches on a group of devices. Windows: parts of the joined streams, whose places are merged as they come and chosen
// from once. Open ends: parts of the queries, each through all streams.
#include <math.h>
#include <pthread.h>
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
    double cells; // of a place
    pthread_mutex_t lock;
    ww_match *merged; // queries x places
    ww_match *matches;
    size_t *found;
} job;

// What a device has.
typedef struct seat {
    ww_context *context;
    ww_search *search;
    ww_match *matches; // of its part
} seat;

static size_t length_of(const job *j, size_t query) {
    return wwi_view_length(&j->queries, query);
}

static size_t exclusion_of(const job *j, size_t query) {
    return j->options.exclusion == WW_SEARCH_HALF ? (length_of(j, query) + 1) / 2 : j->options.exclusion;
}

static void finish_device(void *own) {
    seat *s = own;
    if (!s)
        return;
    ww_search_destroy(&s->search);
    free(s->matches);
    free(s);
}

static ww_status begin_device(void *user, size_t device, void **own) {
    const job *j = user;
    seat *s;
    WWI_TRY(wwi_new_zeroed(s, 1));
    *own = s;
    s->context = j->group->contexts[device];
    if (!j->places)
        return WW_OK;
    ww_search_options options = j->options;
    options.k = j->places;
    options.exclusion = 0;
    s->matches = malloc(j->queries.count * j->places * sizeof *s->matches);
    return s->matches ? ww_search_create(s->context, j->measure, &j->queries, &options, &s->search)
                      : wwi_fail_memory(j->queries.count * j->places * sizeof *s->matches);
}

// ---- parts of the streams

static double part_work(const void *user, size_t unit) {
    const job *j = user;
    const uint64_t first = (uint64_t)unit * WW_SEARCH_PART_POINTS, left = j->points - first;
    return j->cells * (double)(left < WW_SEARCH_PART_POINTS ? left : WW_SEARCH_PART_POINTS);
}

static ww_status run_part(void *user, void *own, size_t first, size_t count) {
    job *j = user;
    seat *s = own;
    const uint64_t at = (uint64_t)first * WW_SEARCH_PART_POINTS, points = (uint64_t)count * WW_SEARCH_PART_POINTS;
    WWI_TRY(wwi_search_run_places(s->search, &j->streams, at, points < j->points - at ? points : j->points - at,
                                  s->matches));
    (void)pthread_mutex_lock(&j->lock);
    wwi_search_info_add(&j->group->last_search, &s->search->info);
    const ww_status status = ww_matches_merge(j->queries.count, j->places, j->similarity, j->merged, s->matches);
    (void)pthread_mutex_unlock(&j->lock);
    return status;
}

static ww_status search_parts(job *j) {
    const size_t count = j->queries.count, all = count * j->places;
    size_t longest = 0, *exclusions = malloc(count * sizeof *exclusions);
    j->merged = malloc(all * sizeof *j->merged);
    ww_status status = exclusions && j->merged ? WW_OK : wwi_fail_memory(all * sizeof *j->merged);
    for (size_t i = 0; status == WW_OK && i < all; i++)
        j->merged[i] = (ww_match){-1, -1, -1, j->similarity ? -INFINITY : INFINITY};
    for (size_t q = 0; status == WW_OK && q < count; q++) {
        exclusions[q] = exclusion_of(j, q);
        longest = length_of(j, q) > longest ? length_of(j, q) : longest;
    }
    const wwi_group_kind kind = {.begin = begin_device,
                                 .run = run_part,
                                 .finish = finish_device,
                                 .work = part_work,
                                 .step = longest * LEAST_SHARE / WW_SEARCH_PART_POINTS + 1};
    if (status == WW_OK)
        status =
            wwi_group_run_units(j->group, &kind, j, (size_t)wwi_ceil_div(j->points, WW_SEARCH_PART_POINTS), &j->run);
    if (status == WW_OK)
        status = ww_matches_choose(count, j->places, j->merged, j->options.k, exclusions, j->similarity, j->matches,
                                   j->found);
    free(j->merged);
    free(exclusions);
    return status;
}

// ---- parts of the queries

static double query_work(const void *user, size_t query) {
    const job *j = user;
    return (double)j->points * (double)length_of(j, query);
}

static ww_status run_queries(void *user, void *own, size_t first, size_t count) {
    job *j = user;
    const seat *s = own;
    ww_search *search = NULL;
    ww_series_view some = j->queries;
    const size_t value = some.precision == WW_DOUBLE ? sizeof(double) : sizeof(float), k = j->options.k;
    size_t *found = j->found ? j->found + first : NULL;
    some.count = count;
    some.lengths = some.lengths ? some.lengths + first : NULL;
    if (some.offsets)
        some.offsets += first;
    else
        some.values = (const unsigned char *)some.values + j->before[first] * value;
    ww_status status = ww_search_create(s->context, j->measure, &some, &j->options, &search);
    if (status == WW_OK)
        status = j->streams.view ? ww_search_run(search, j->streams.view, j->matches + first * k, found)
                                 : ww_search_run_source(search, j->streams.from, j->matches + first * k, found);
    if (status == WW_OK) {
        (void)pthread_mutex_lock(&j->lock);
        wwi_search_info_add(&j->group->last_search, &search->info);
        (void)pthread_mutex_unlock(&j->lock);
    }
    ww_search_destroy(&search);
    return status;
}

static ww_status search_queries(job *j) {
    static const wwi_group_kind kind = {
        .begin = begin_device, .run = run_queries, .finish = finish_device, .work = query_work};
    WWI_TRY(wwi_new(j->before, j->queries.count + 1));
    j->before[0] = 0;
    for (size_t q = 0; q < j->queries.count; q++)
        j->before[q + 1] = j->before[q] + (uint64_t)length_of(j, q) * j->queries.channels;
    const ww_status status = wwi_group_run_units(j->group, &kind, j, j->queries.count, &j->run);
    free(j->before);
    return status;
}

// ---- the search

static ww_status run(job *j, const ww_series_view *queries, const ww_search_options *options) {
    ww_measure measure;
    void *copy = NULL;
    wwi_joined all = {.view = NULL};
    j->options = (ww_search_options)WW_SEARCH_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(&j->options, options, "ww_search_options"));
    WWI_TRY(wwi_run_take(j->options.run, &j->run));
    WWI_TRY(wwi_measure_take(j->measure, &measure));
    WWI_TRY(wwi_view_make_dense(queries, &j->queries, &copy));
    j->own = wwi_group_own_run(j->group, &j->run);
    j->options.run = &j->own;
    j->similarity = wwi_measure_is_similarity(&measure);
    ww_status status = j->queries.values && j->queries.count > 0 ? wwi_search_check_options(&j->options)
                                                                 : wwi_fail(WW_ERROR_EMPTY, "no queries");
    if (status == WW_OK)
        status = wwi_joined_open(&all, &j->streams, false);
    if (status == WW_OK) {
        j->points = wwi_joined_length(&all);
        for (size_t q = 0; q < j->queries.count; q++)
            j->cells += (double)length_of(j, q);
        j->places = ww_search_part_places(&j->queries, &j->options);
        const double start = wwi_seconds();
        j->group->last_search = (ww_search_info)WW_SEARCH_INFO_INIT;
        (void)pthread_mutex_init(&j->lock, NULL);
        status = j->places ? search_parts(j) : search_queries(j);
        j->group->last_search.seconds_wall = wwi_seconds() - start;
        (void)pthread_mutex_destroy(&j->lock);
    }
    wwi_joined_close(&all);
    free(copy);
    return status;
}

ww_status ww_group_search(ww_group *group, const ww_measure *measure, const ww_series_view *queries,
                          const ww_search_options *options, const ww_series_view *streams, ww_match *matches,
                          size_t *found) {
    ww_series_view view;
    void *copy;
    job j = {.group = group, .measure = measure, .matches = matches, .found = found};
    if (!group || !queries || !streams || !matches)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the group, queries, streams or matches are NULL");
    WWI_TRY(wwi_view_make_dense(streams, &view, &copy));
    j.streams.view = &view;
    const ww_status status =
        view.values && view.count > 0 ? run(&j, queries, options) : wwi_fail(WW_ERROR_EMPTY, "no streams");
    free(copy);
    return status;
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
    if (!group || !info)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the group or the record is NULL");
    return wwi_struct_give(info, &group->last_search, "ww_search_info");
}
