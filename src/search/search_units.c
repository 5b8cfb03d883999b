// SPDX-License-Identifier: Apache-2.0
// Searches on one device, or on several. Windows: the devices divide the joined streams, merge the places that they
// find as they come, and choose from these once; all know the same limits (search_limits.c). Open ends and whole
// streams: the devices divide the queries, each of which goes through all streams.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/run.h"
#include "data/view.h"
#include "options.h"
#include "search/search_internal.h"

// A part is so many times as long as what it reads of the next one, at least.
#define LEAST_SHARE 16

typedef struct job {
    ww_search *s; // the caller's
    const wwi_joined *streams;
    uint64_t points;    // of the joined streams, with their separators
    double cells;       // of a place, under all queries
    double largest;     // absolute value that the devices read
    size_t *exclusions; // of each query
    ww_match *matches;  // parts: merged, queries x places; else the results
    size_t *found;
    ww_search_info sum;
} job;

static void add_info(const wwi_seat *seat, const ww_search *did) {
    job *j = seat->of;
    (void)pthread_mutex_lock(&seat->team->lock);
    wwi_search_info_add(&j->sum, &did->info);
    (void)pthread_mutex_unlock(&seat->team->lock);
}

static size_t length_of(const ww_search *s, size_t query) {
    return s->queries[query].length;
}

// ---- parts of the streams

static ww_match no_match(const ww_search *s) {
    return (ww_match){-1, -1, -1, s->similarity ? -INFINITY : INFINITY};
}

// Each device takes the same sample for queries of its own.
static ww_status begin_on(wwi_seat *seat) {
    const job *j = seat->of;
    const wwi_team *team = seat->team;
    wwi_span turn = {0, 0};
    WWI_TRY(wwi_team_check(team, seat->device));
    for (size_t i = 0; i < team->count; i++) {
        turn.first += i < seat->device && team->on[i];
        turn.count += team->on[i] != NULL;
    }
    WWI_TRY(wwi_search_begin_parts(team->on[seat->device], j->streams, &j->s->own_limits, turn));
    add_info(seat, team->on[seat->device]);
    return WW_OK;
}

static ww_status begin_parts(job *j) {
    static const wwi_job begin = {.open = begin_on};
    const double none = 0;
    wwi_limits_forget(&j->s->own_limits);
    return wwi_team_go_on(j->s->team, &begin, j, 0, &none, NULL);
}

// What a device keeps: room for a part's places.
static ww_status open_places(wwi_seat *seat) {
    const ww_search *s = ((const job *)seat->of)->s;
    ww_match *places;
    WWI_TRY(wwi_new(places, s->query_count * s->places));
    seat->own = places;
    return WW_OK;
}

static void close_places(wwi_seat *seat) {
    free(seat->own);
}

static double part_work(const void *of, size_t unit) {
    const job *j = of;
    const uint64_t left = j->points - (uint64_t)unit * WW_SEARCH_PART_POINTS;
    return j->cells * (double)(left < WW_SEARCH_PART_POINTS ? left : WW_SEARCH_PART_POINTS);
}

// What all parts so far say of the k-th matches.
static void lower_limits(const job *j) {
    enum { MOST_STEPS = 1 << 24 }; // of many far apart a part's own limits have to do
    ww_search *s = j->s;
    if ((double)s->query_count * (double)s->places * (double)s->options.k > MOST_STEPS)
        return;
    for (size_t q = 0; q < s->query_count; q++) {
        const double limit = wwi_matches_limit(j->matches + q * s->places, s->places, s->options.k, j->exclusions[q]);
        (void)wwi_limits_lower(&s->own_limits, q, s->similarity ? -limit : limit);
    }
}

static ww_status run_part(const wwi_seat *seat, wwi_span units) {
    job *j = seat->of;
    const ww_search *s = j->s;
    ww_search *own = seat->team->on[seat->device];
    const uint64_t at = (uint64_t)units.first * WW_SEARCH_PART_POINTS,
                   points = (uint64_t)units.count * WW_SEARCH_PART_POINTS;
    WWI_TRY(wwi_search_run_places(own, j->streams, at, wwi_least(points, j->points - at), s->places, seat->own));
    add_info(seat, own);
    (void)pthread_mutex_lock(&seat->team->lock);
    j->largest = fmax(j->largest, atomic_load(&own->joined.largest));
    const ww_status status = ww_matches_merge(s->query_count, s->places, s->similarity, j->matches, seat->own);
    if (status == WW_OK)
        lower_limits(j);
    (void)pthread_mutex_unlock(&seat->team->lock);
    return status;
}

static void name_search(const void *of, FILE *to) {
    const job *j = of;
    const ww_search *s = j->s;
    const ww_search_options *o = &s->options;
    fprintf(to,
            "search\nrows of queries %zu k %zu kind %d normalise %d exclusion %zu threshold %.17g %s places %zu points "
            "%" PRIu64 " offsets %" PRIu64 " %" PRIu64 " threshold %d ",
            s->query_count, o->k, (int)o->kind, o->znormalise, o->exclusion, o->threshold,
            ww_word(WW_WORD_PRECISION, o->precision), s->places, j->points, s->part.stream_offset, s->part.point_offset,
            o->has_threshold != 0);
    wwi_measure_print(&s->given, to);
}

// Of each query how many places it has, and these.
static ww_status give_places(const wwi_seat *seat, wwi_span units, wwi_bytes *to) {
    const job *j = seat->of;
    const ww_search *s = j->s;
    const ww_match *row = seat->own;
    const double largest = atomic_load(&((ww_search *)seat->team->on[seat->device])->joined.largest);
    (void)units;
    WWI_TRY(wwi_bytes_put(to, &largest, sizeof largest));
    for (size_t q = 0; q < s->query_count; q++, row += s->places) {
        uint64_t count = 0;
        while (count < s->places && row[count].stream >= 0)
            count++;
        WWI_TRY(wwi_bytes_put(to, &count, sizeof count));
        WWI_TRY(wwi_bytes_put(to, row, count * sizeof *row));
    }
    return WW_OK;
}

static ww_status take_rows(const ww_search *s, wwi_taken_bytes *from, ww_match *rows) {
    for (size_t q = 0; q < s->query_count; q++, rows += s->places) {
        uint64_t count;
        const void *row;
        WWI_TRY(wwi_bytes_take(from, &count, sizeof count));
        if (count > s->places)
            return wwi_fail(WW_ERROR_FORMAT, "a record has %" PRIu64 " places of a query", count);
        WWI_TRY(wwi_bytes_point(from, count * sizeof *rows, &row));
        memcpy(rows, row, count * sizeof *rows);
        if (count < s->places)
            rows[count] = no_match(s);
    }
    return WW_OK;
}

static ww_status take_places(void *of, wwi_span units, wwi_taken_bytes *from) {
    job *j = of;
    const ww_search *s = j->s;
    WWI_FREES ww_match *rows = NULL;
    double largest;
    (void)units;
    WWI_TRY(wwi_new(rows, s->query_count * s->places));
    WWI_TRY(wwi_bytes_take(from, &largest, sizeof largest));
    WWI_TRY(take_rows(s, from, rows));
    WWI_TRY(ww_matches_merge(s->query_count, s->places, s->similarity, j->matches, rows));
    j->largest = fmax(j->largest, largest);
    lower_limits(j);
    return WW_OK;
}

// The places of all parts, merged.
static ww_status run_parts(job *j) {
    const ww_search *s = j->s;
    size_t longest = 0;
    for (size_t i = 0; i < s->query_count * s->places; i++)
        j->matches[i] = no_match(s);
    for (size_t q = 0; q < s->query_count; q++) {
        const size_t length = length_of(s, q);
        j->exclusions[q] = s->options.exclusion == WW_SEARCH_HALF ? (length + 1) / 2 : s->options.exclusion;
        longest = length > longest ? length : longest;
        j->cells += (double)wwi_search_window_cells(s, q);
    }
    const wwi_job parts = {.work = part_work,
                           .step = longest * LEAST_SHARE / WW_SEARCH_PART_POINTS + 1,
                           .open = open_places,
                           .run = run_part,
                           .close = close_places,
                           .name = name_search,
                           .give = give_places,
                           .take = take_places};
    WWI_TRY(wwi_team_run(s->team, &parts, j, (size_t)wwi_ceil_div(j->points, WW_SEARCH_PART_POINTS)));
    return wwi_search_check_small(s, j->largest);
}

// The points of the joined streams.
static ww_status count_points(const wwi_joined *streams, uint64_t *points) {
    WWI_ENDS(wwi_joined_close) wwi_joined all = {.view = NULL};
    WWI_TRY(wwi_joined_open(&all, streams));
    *points = wwi_joined_length(&all);
    return WW_OK;
}

static ww_status search_parts(ww_search *s, const wwi_joined *streams, ww_match *matches, size_t *found) {
    WWI_FREES size_t *exclusions = NULL;
    WWI_FREES ww_match *merged = NULL;
    const double start = wwi_seconds();
    WWI_TRY(wwi_new(exclusions, s->query_count));
    WWI_TRY(wwi_new(merged, s->query_count * s->places));
    job j = {.s = s, .streams = streams, .exclusions = exclusions, .matches = merged, .sum = WW_SEARCH_INFO_INIT};
    WWI_TRY(count_points(streams, &j.points));
    WWI_TRY(begin_parts(&j));
    WWI_TRY(run_parts(&j));
    s->info = j.sum;
    s->info.seconds_wall = wwi_seconds() - start;
    return ww_matches_choose(s->query_count, s->places, merged, s->options.k, exclusions, s->similarity, matches,
                             found);
}

// ---- parts of the queries

static double query_work(const void *of, size_t query) {
    const job *j = of;
    return (double)j->points * (double)wwi_view_length(&j->s->all, query);
}

static ww_status run_alone(ww_search *s, const wwi_joined *streams, ww_match *matches, size_t *found) {
    return s->super ? wwi_super_run(s, streams->view, matches, found) : wwi_search_run(s, streams, matches, found);
}

static ww_status run_queries(const wwi_seat *seat, wwi_span queries) {
    const job *j = seat->of;
    const ww_search *s = j->s;
    WWI_ENDS(ww_search_destroy) ww_search *search = NULL;
    ww_series_view some = s->all;
    ww_search_options options = s->options;
    some.count = queries.count;
    some.lengths = some.lengths ? some.lengths + queries.first : NULL;
    some.values =
        (const unsigned char *)some.values + s->all_begins[queries.first] * wwi_precision_bytes(some.precision);
    options.run = &seat->team->own;
    WWI_TRY(
        wwi_search_make(wwi_context_on(seat->team->context, seat->device), &s->given, &some, &options, false, &search));
    search->part = s->part;
    WWI_TRY(run_alone(search, j->streams, j->matches + queries.first * s->options.k,
                      j->found ? j->found + queries.first : NULL));
    add_info(seat, search);
    return WW_OK;
}

static ww_status give_matches(const wwi_seat *seat, wwi_span queries, wwi_bytes *to) {
    const job *j = seat->of;
    WWI_TRY(wwi_bytes_put_rows(to, j->matches, queries, j->s->options.k * sizeof *j->matches));
    return wwi_bytes_put_rows(to, j->found, queries, sizeof *j->found);
}

static ww_status take_matches(void *of, wwi_span queries, wwi_taken_bytes *from) {
    const job *j = of;
    WWI_TRY(wwi_bytes_take_rows(from, j->matches, queries, j->s->options.k * sizeof *j->matches));
    return wwi_bytes_take_rows(from, j->found, queries, sizeof *j->found);
}

static ww_status search_queries(ww_search *s, const wwi_joined *streams, ww_match *matches, size_t *found) {
    static const wwi_job kind = {
        .work = query_work, .run = run_queries, .name = name_search, .give = give_matches, .take = take_matches};
    const double start = wwi_seconds();
    job j = {.s = s, .streams = streams, .matches = matches, .found = found, .sum = WW_SEARCH_INFO_INIT};
    WWI_TRY(count_points(streams, &j.points));
    WWI_TRY(wwi_team_run(s->team, &kind, &j, s->all.count));
    s->info = j.sum;
    s->info.seconds_wall = wwi_seconds() - start;
    return WW_OK;
}

// ---- streams that a store's jobs depend on

// Of its size and of blocks all over it: the whole of a long one takes longer to add up than to search.
static ww_status add_source(ww_store *store, const ww_search_source *from) {
    enum { BLOCKS = 256, POINTS = 4096 };
    const size_t bytes = from->channels * wwi_precision_bytes(from->precision);
    const uint64_t all = wwi_ceil_div(from->length, POINTS), count = wwi_least(all, BLOCKS);
    const uint64_t shape[] = {from->length, from->channels, (uint64_t)from->precision};
    WWI_FREES unsigned char *values = NULL;
    WWI_TRY(wwi_new(values, POINTS * bytes));
    wwi_store_add_input(store, shape, sizeof shape);
    for (uint64_t i = 0; i < count; i++) {
        // The first and the last are among them.
        const uint64_t block = count == all ? i : (uint64_t)((double)i * (double)(all - 1) / (double)(count - 1));
        const size_t points = (size_t)wwi_least(from->length - block * POINTS, POINTS);
        if (from->read(from->user, block * POINTS, points, values) != 0)
            return wwi_fail(WW_ERROR_IO, "the stream can't be read");
        wwi_store_add_input(store, values, points * bytes);
    }
    return WW_OK;
}

static ww_status add_streams(const ww_search *s, const wwi_joined *streams) {
    ww_store *store = wwi_context_store(s->team->context);
    return store && streams->from ? add_source(store, streams->from) : wwi_view_add_to(store, streams->view);
}

// ---- one device, or several

// A source that several threads may not read is one device's, and so is a set that is on the device.
static bool is_divided(const ww_search *s, const wwi_joined *streams) {
    return s->team && (streams->view || (streams->from && streams->from->concurrent));
}

ww_status wwi_search_streams(ww_search *s, const wwi_joined *streams, ww_match *matches, size_t *found) {
    if (!is_divided(s, streams))
        WWI_ALONE(s->team, run_alone(s, streams, matches, found));
    WWI_TRY(add_streams(s, streams));
    return s->places ? search_parts(s, streams, matches, found) : search_queries(s, streams, matches, found);
}

// ---- opening

// How many places each part of the streams is searched for, of all queries at most 2^22. 0: their sum is larger, or the
// search is not for windows: the queries are divided, each with all streams.
static size_t part_places(const ww_series_view *queries, const ww_search_options *o) {
    const uint64_t most_places = (uint64_t)1 << 22;
    size_t most = 1;
    uint64_t all;
    if (o->kind != WW_SEARCH_WINDOWS)
        return 0;
    for (size_t q = 0; q < queries->count; q++) {
        const size_t half = (wwi_view_length(queries, q) + 1) / 2,
                     places = ww_search_places(o->k, o->exclusion == WW_SEARCH_HALF ? half : o->exclusion);
        most = places > most ? places : most;
    }
    return most <= WW_SEARCH_MOST_PLACES && wwi_mul_u64(most, queries->count, &all) && all <= most_places ? most : 0;
}

typedef struct creation {
    const ww_measure *measure;
    const ww_series_view *queries; // dense
    ww_search_options options;
} creation;

static ww_status create_on(wwi_seat *seat) {
    const creation *c = seat->of;
    WWI_ENDS(ww_search_destroy) ww_search *made = NULL;
    WWI_TRY(wwi_search_make(wwi_context_on(seat->team->context, seat->device), c->measure, c->queries, &c->options,
                            false, &made));
    seat->own = wwi_taken(&made);
    return WW_OK;
}

static void close_team(wwi_team **team) {
    WWI_TEAM_CLOSE(ww_search, wwi_taken(team), NULL);
}

// Copies the queries, of which devices take some.
static ww_status copy_queries(ww_search *s, const ww_series_view *queries) {
    const size_t count = queries->count;
    WWI_TRY(wwi_new(s->all_lengths, count));
    WWI_TRY(wwi_new(s->all_begins, count + 1));
    s->all_begins[0] = 0;
    for (size_t q = 0; q < count; q++) {
        s->all_lengths[q] = wwi_view_length(queries, q);
        s->all_begins[q + 1] = s->all_begins[q] + (uint64_t)s->all_lengths[q] * queries->channels;
    }
    const uint64_t size = wwi_precision_bytes(queries->precision);
    unsigned char *values;
    WWI_TRY(wwi_new(values, s->all_begins[count] * size));
    s->all_values = values;
    for (size_t q = 0; q < count; q++)
        memcpy(values + s->all_begins[q] * size,
               (const unsigned char *)queries->values +
                   (queries->offsets ? queries->offsets[q] : s->all_begins[q]) * size,
               (s->all_begins[q + 1] - s->all_begins[q]) * size);
    s->all = *queries;
    s->all.values = values;
    s->all.lengths = s->all_lengths;
    s->all.offsets = NULL;
    return WW_OK;
}

ww_status wwi_search_open(ww_context *context, const ww_measure *measure, const ww_series_view *queries,
                          const ww_search_options *options, ww_search **search) {
    creation c = {measure, queries, WW_SEARCH_OPTIONS_INIT};
    WWI_ENDS(close_team) wwi_team *team = NULL;
    WWI_ENDS(ww_search_destroy) ww_search *s = NULL;
    WWI_TRY(wwi_options_take(&c.options, options, "ww_search_options"));
    WWI_TRY(wwi_team_open(context, c.options.run, &team));
    const size_t places = team ? part_places(queries, &c.options) : 0;
    if (places) {
        c.options.run = &team->own;
        WWI_TRY(wwi_team_make(team, create_on, &c, 0, NULL));
        s = wwi_team_any(team);
        s->places = places;
    } else {
        WWI_TRY(wwi_search_make(wwi_context_first(context), measure, queries, options, false, &s));
        if (team)
            WWI_TRY(copy_queries(s, queries));
    }
    if (team)
        WWI_TRY(wwi_view_add_to(wwi_context_store(context), queries));
    s->team = wwi_taken(&team);
    *search = wwi_taken(&s);
    return WW_OK;
}
