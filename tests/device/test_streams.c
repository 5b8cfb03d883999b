// SPDX-License-Identifier: Apache-2.0
// Streams on the device: searches and profiles of datasets give the bytes that views of the same values give, at every
// run. Searches in parts give those of the whole.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "support.h"

enum { QUERIES = 3, K = 6 };

static const size_t query_lengths[QUERIES] = {40, 12, 40};

// A walk of all series, with queries that occur in it.
static void walk(wwt_set *set) {
    double at = 0;
    const size_t count = set->offsets[set->count - 1] + set->lengths[set->count - 1] * set->channels;
    for (size_t t = 0; t < count; t++)
        set->values[t] = at = round((at + wwt_random()) * 1024) / 1024;
}

typedef struct job {
    ww_measure_id measure;
    ww_search_kind kind;
    int znormalise;
    size_t channels;
    size_t lengths[3];
    bool gaps;
} job;

static const job jobs[] = {{WW_DTW, WW_SEARCH_WINDOWS, 1, 1, {9000, 0, 0}, false},
                           {WW_DTW, WW_SEARCH_OPEN, 0, 1, {9000, 0, 0}, false},
                           {WW_DTW, WW_SEARCH_WINDOWS, 1, 2, {5000, 60, 9000}, false},
                           {WW_DTW, WW_SEARCH_OPEN, 0, 1, {9000, 4000, 20}, false},
                           // What is made on the host:
                           {WW_DDTW, WW_SEARCH_WINDOWS, 1, 1, {6000, 0, 0}, false},
                           {WW_DTW, WW_SEARCH_OPEN, 0, 1, {700, 41, 300}, false},
                           {WW_DTW, WW_SEARCH_WINDOWS, 1, 1, {9000, 0, 0}, true},
                           {WW_DTW, WW_SEARCH_OPEN, 0, 1, {9000, 0, 0}, true},
                           {WW_DTW, WW_SEARCH_SUPER, 0, 1, {30, 9, 12}, false}};
enum { JOBS = sizeof jobs / sizeof *jobs };

static ww_dataset *upload(const wwt_set *set, ww_precision precision, bool gaps) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *data = NULL;
    const ww_series_view view = wwt_view(set);
    options.precision = precision;
    options.allow_not_finite = gaps;
    wwt_ok(ww_dataset_create(wwt_context, &view, &options, &data));
    return data;
}

// Loops: jobs, and the first in double.
START_TEST(searches) {
    const job *j = &jobs[_i % JOBS];
    const ww_precision precision = _i / JOBS ? WW_DOUBLE : WW_FLOAT;
    if (precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    size_t count = 0;
    while (count < 3 && j->lengths[count])
        count++;
    wwt_seed((unsigned)_i);
    wwt_set queries = wwt_set_make(j->channels, query_lengths, QUERIES),
            streams = wwt_set_make(j->channels, j->lengths, count);
    walk(&queries);
    walk(&streams);
    for (size_t t = 0; j->gaps && t < 5; t++)
        streams.values[900 * t + 77] = t % 2 ? NAN : INFINITY;
    wwt_ok((ww_status)wwi_tuning_try(wwt_context, "search.block", NULL, 4096));
    const ww_measure measure = wwt_measure(j->measure);
    const ww_series_view x = wwt_view(&queries), y = wwt_view(&streams);
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_search *search = NULL;
    ww_match wanted[QUERIES * K], found[QUERIES * K];
    size_t counts[2][QUERIES];
    options.kind = j->kind;
    options.znormalise = j->znormalise;
    options.k = K;
    options.precision = precision;
    wwt_ok(ww_search_create(wwt_context, &measure, &x, &options, &search));
    wwt_ok(ww_search_run(search, &y, wanted, counts[0]));
    ck_assert_uint_gt(counts[0][1], 1);
    ww_search_info infos[2] = {WW_SEARCH_INFO_INIT, WW_SEARCH_INFO_INIT};
    wwt_ok(ww_search_get_info(search, &infos[0]));
    ww_dataset *data = upload(&streams, precision, j->gaps);
    for (int run = 0; run < 2; run++) {
        memset(found, 1, sizeof found);
        wwt_ok(ww_search_run_dataset(search, data, found, counts[1]));
        ck_assert_mem_eq(found, wanted, sizeof wanted);
        ck_assert_mem_eq(counts[0], counts[1], sizeof counts[0]);
        wwt_ok(ww_search_get_info(search, &infos[1]));
        ck_assert_uint_eq(infos[1].places, infos[0].places);
        ck_assert_uint_eq(infos[1].cells, infos[0].cells);
    }
    // A view again, with the memory that the dataset's runs left.
    wwt_ok(ww_search_run(search, &y, found, NULL));
    ck_assert_mem_eq(found, wanted, sizeof wanted);
    ww_search_destroy(&search);
    ww_dataset_destroy(&data);
    wwt_set_free(&streams);
    wwt_set_free(&queries);
}
END_TEST

// Values that change between two runs, and series that do not fit the device.
START_TEST(other_datasets) {
    const size_t length[2] = {8192, 5000}, query = 32;
    wwt_seed(1);
    wwt_set x = wwt_set_make(1, &query, 1), y = wwt_set_make(1, length, 2), z = wwt_set_make(1, length, 2);
    walk(&x);
    walk(&y);
    walk(&z);
    const ww_measure measure = wwt_measure(WW_DTW);
    const ww_series_view queries = wwt_view(&x), one = wwt_view(&y), two = wwt_view(&z);
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_dataset_options data_options = WW_DATASET_OPTIONS_INIT;
    ww_search *search = NULL;
    ww_dataset *data = NULL;
    ww_match wanted[K], found[K];
    options.kind = WW_SEARCH_WINDOWS;
    options.k = K;
    wwt_ok(ww_search_create(wwt_context, &measure, &queries, &options, &search));
    wwt_ok(ww_search_run(search, &two, wanted, NULL));
    data_options.updates = 1;
    wwt_ok(ww_dataset_create(wwt_context, &one, &data_options, &data));
    wwt_ok(ww_search_run_dataset(search, data, found, NULL));
    ck_assert(memcmp(found, wanted, sizeof found) != 0);
    wwt_ok(ww_dataset_update(data, &two));
    wwt_ok(ww_search_run_dataset(search, data, found, NULL));
    ck_assert_mem_eq(found, wanted, sizeof found);
    ww_dataset_destroy(&data);
    data_options.updates = 0;
    data_options.max_bytes = 40000;
    wwt_ok(ww_dataset_create(wwt_context, &two, &data_options, &data));
    wwt_ok(ww_search_run_dataset(search, data, found, NULL));
    ck_assert_mem_eq(found, wanted, sizeof found);
    ww_dataset_destroy(&data);
    ww_search_destroy(&search);
    wwt_set_free(&z);
    wwt_set_free(&y);
    wwt_set_free(&x);
}
END_TEST

// Loops: one series or two.
START_TEST(profiles) {
    enum { WINDOW = 24, LENGTH = 700 };
    const ww_precision precision = WW_FLOAT;
    const size_t lengths[2] = {300, LENGTH};
    wwt_seed((unsigned)_i);
    wwt_set set = wwt_set_make(2, lengths, 2);
    walk(&set);
    const ww_series_view view = wwt_view(&set);
    const ww_series_view *other = _i % 2 ? &view : NULL;
    ww_dataset *data = upload(&set, precision, false);
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile *made[2] = {NULL, NULL};
    double distances[2][LENGTH];
    int64_t indices[2][LENGTH];
    options.precision = precision;
    wwt_ok(ww_profile_create(wwt_context, &view, 1, other, 0, WINDOW, &options, &made[0]));
    wwt_ok(ww_profile_create_from_datasets(data, 1, other ? data : NULL, 0, WINDOW, &options, &made[1]));
    ww_dataset_destroy(&data);
    memset(distances, 0, sizeof distances);
    memset(indices, 0, sizeof indices);
    for (int i = 0; i < 3; i++) {
        ww_profile_output to = WW_PROFILE_OUTPUT_INIT;
        to.distances = distances[i > 0];
        to.indices = indices[i > 0];
        wwt_ok(ww_profile_run(made[i > 0], &to));
    }
    ck_assert_mem_eq(distances[0], distances[1], sizeof distances[0]);
    ck_assert_mem_eq(indices[0], indices[1], sizeof indices[0]);
    ck_assert(distances[0][0] > 0 && isfinite(distances[0][0]));
    ww_profile_destroy(&made[0]);
    ww_profile_destroy(&made[1]);
    wwt_set_free(&set);
}
END_TEST

START_TEST(refusals) {
    const size_t length = 5000, query = 32;
    wwt_seed(2);
    wwt_set x = wwt_set_make(1, &query, 1), y = wwt_set_make(1, &length, 1), wide = wwt_set_make(2, &length, 1);
    const ww_measure measure = wwt_measure(WW_DTW);
    const ww_series_view queries = wwt_view(&x), stream = wwt_view(&y);
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_profile_options narrow = WW_PROFILE_OPTIONS_INIT;
    ww_search *search = NULL;
    ww_profile *profile = NULL;
    ww_match match;
    ww_dataset *good = upload(&y, WW_FLOAT, false), *channels = upload(&wide, WW_FLOAT, false), *foreign = NULL,
               *freed = upload(&y, WW_FLOAT, false);
    ww_context *context = wwt_context_tuned("");
    options.kind = WW_SEARCH_WINDOWS;
    wwt_ok(ww_dataset_create(context, &stream, NULL, &foreign));
    wwt_ok(ww_search_create(wwt_context, &measure, &queries, &options, &search));
    ww_dataset_destroy(&freed);
    wwt_fails(ww_search_run_dataset(search, freed, &match, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_search_run_dataset(NULL, good, &match, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_search_run_dataset(search, good, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_search_run_dataset(search, foreign, &match, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_search_run_dataset(search, channels, &match, NULL), WW_ERROR_CHANNELS);
    wwt_fails(ww_profile_create_from_datasets(freed, 0, NULL, 0, 9, NULL, &profile), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_create_from_datasets(good, 0, foreign, 0, 9, NULL, &profile), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_create_from_datasets(good, 0, channels, 0, 9, NULL, &profile), WW_ERROR_CHANNELS);
    wwt_fails(ww_profile_create_from_datasets(good, 1, NULL, 0, 9, NULL, &profile), WW_ERROR_INVALID_ARGUMENT);
    if (wwt_device_has_double()) {
        ww_dataset *fine = upload(&y, WW_DOUBLE, false);
        wwt_fails(ww_search_run_dataset(search, fine, &match, NULL), WW_ERROR_INVALID_ARGUMENT);
        wwt_fails(ww_profile_create_from_datasets(fine, 0, NULL, 0, 9, &narrow, &profile), WW_ERROR_INVALID_ARGUMENT);
        wwt_fails(ww_profile_create_from_datasets(good, 0, fine, 0, 9, &narrow, &profile), WW_ERROR_INVALID_ARGUMENT);
        ww_dataset_destroy(&fine);
    }
    wwt_ok(ww_search_run_dataset(search, good, &match, NULL));
    ww_search_destroy(&search);
    ww_dataset_destroy(&good);
    ww_dataset_destroy(&channels);
    ww_dataset_destroy(&foreign);
    ww_context_destroy(&context);
    wwt_set_free(&wide);
    wwt_set_free(&y);
    wwt_set_free(&x);
}
END_TEST

// ---- parts

enum { PART_QUERIES = 2, POINTS = 5003 };

typedef struct whole {
    ww_measure measure;
    ww_search_options options;
    ww_series_view queries;
    size_t exclusions[PART_QUERIES], places;
    ww_match *wanted, *joined, *own, *chosen;
} whole;

static ww_search *search_of(const whole *w, bool part) {
    ww_search_options options = w->options;
    ww_search *search = NULL;
    if (part) {
        options.k = w->places;
        options.exclusion = 0;
    }
    wwt_ok(ww_search_create(wwt_context, &w->measure, &w->queries, &options, &search));
    return search;
}

static void check_choice(const whole *w, const size_t *counts, bool similarity) {
    size_t found[PART_QUERIES];
    wwt_ok(ww_matches_choose(PART_QUERIES, w->places, w->joined, w->options.k, w->exclusions, similarity, w->chosen,
                             found));
    ck_assert_mem_eq(found, counts, sizeof found);
    for (size_t i = 0; i < PART_QUERIES * w->options.k; i++) {
        ck_assert_int_eq(w->chosen[i].stream, w->wanted[i].stream);
        ck_assert_int_eq(w->chosen[i].begin, w->wanted[i].begin);
        ck_assert_int_eq(w->chosen[i].end, w->wanted[i].end);
        ck_assert(memcmp(&w->chosen[i].distance, &w->wanted[i].distance, sizeof(double)) == 0);
    }
}

static void join(const whole *w, size_t parts, bool similarity) {
    if (parts)
        wwt_ok(ww_matches_merge(PART_QUERIES, w->places, similarity, w->joined, w->own));
    else
        memcpy(w->joined, w->own, PART_QUERIES * w->places * sizeof *w->own);
}

static void whole_make(whole *w, const wwt_set *queries, size_t k) {
    w->queries = wwt_view(queries);
    w->options.k = k;
    w->places = 0;
    for (size_t q = 0; q < PART_QUERIES; q++) {
        const size_t own =
            w->options.exclusion == WW_SEARCH_HALF ? (queries->lengths[q] + 1) / 2 : w->options.exclusion;
        w->exclusions[q] = own;
        const size_t places = ww_search_places(k, own);
        w->places = places > w->places ? places : w->places;
    }
    w->wanted = calloc(PART_QUERIES * k, sizeof *w->wanted);
    w->chosen = calloc(PART_QUERIES * k, sizeof *w->chosen);
    w->joined = calloc(PART_QUERIES * w->places, sizeof *w->joined);
    w->own = calloc(PART_QUERIES * w->places, sizeof *w->own);
}

static void whole_free(whole *w) {
    free(w->wanted);
    free(w->chosen);
    free(w->joined);
    free(w->own);
}

// One stream of windows in parts that begin at `cuts`.
static void check_cuts(const whole *w, const wwt_set *stream, const size_t *cuts, size_t parts, const size_t *counts) {
    const bool similarity = w->measure.id == WW_LCS;
    const size_t overlap = w->queries.lengths[0] - 1; // the longest
    ww_search *search = search_of(w, true);
    for (size_t p = 0; p < parts; p++) {
        const size_t end = p + 1 < parts && cuts[p + 1] + overlap < POINTS ? cuts[p + 1] + overlap : POINTS;
        ww_series_view view = wwt_view(stream);
        ww_search_part part = WW_SEARCH_PART_INIT;
        view.values = stream->values + cuts[p];
        view.lengths = NULL;
        view.offsets = NULL;
        view.length = end - cuts[p];
        part.point_offset = cuts[p];
        wwt_ok(ww_search_set_part(search, &part));
        wwt_ok(ww_search_run(search, &view, w->own, NULL));
        join(w, p, similarity);
    }
    check_choice(w, counts, similarity);
    ww_search_destroy(&search);
}

// Loops: z-normalised walks; symbols without and with a similarity, which tie; by k and exclusion.
START_TEST(parts_of_a_stream) {
    static const size_t ks[] = {1, 7, 40}, exclusions[] = {0, 5, WW_SEARCH_HALF};
    static const size_t lengths[PART_QUERIES] = {45, 31}, points = POINTS;
    const size_t cuts[][5] = {{0}, {0, 64}, {0, 2496, 4992}, {0, 1024, 1088, 4928}, {0, 640, 1280, 2560, 4096}};
    const size_t odd[][5] = {{0}, {0, 1}, {0, 2501, 4999}, {0, 17, 1009, 3001}, {0, 1, 2, 3, 5002}};
    const int what = _i % 3;
    wwt_seed((unsigned)_i);
    wwt_set x = wwt_set_make(1, lengths, PART_QUERIES), y = wwt_set_make(1, &points, 1);
    walk(&x);
    walk(&y);
    for (size_t t = 0; what && t < POINTS; t++)
        y.values[t] = t % 97 == 13 ? NAN : (double)wwt_random_size(0, 1);
    for (size_t t = 0; what && t < lengths[0] + lengths[1]; t++)
        x.values[t] = (double)wwt_random_size(0, 1);
    // Before each cut a window that only the overlap completes.
    for (size_t n = 1; n < 5; n++)
        for (size_t p = 1; p <= n; p++) {
            const size_t at = (what ? odd : cuts)[n][p] - 1;
            for (size_t t = 0; t < lengths[0] && at + t < POINTS; t++)
                y.values[at + t] = x.values[t] + (what ? 0 : (double)(n + p) * wwt_random() / 4096);
        }
    for (size_t n = 0; n < 9; n++) {
        whole w = {.measure = wwt_measure(what == 2 ? WW_LCS : WW_DTW), .options = WW_SEARCH_OPTIONS_INIT};
        size_t counts[PART_QUERIES];
        const ww_series_view stream = wwt_view(&y);
        w.options.kind = WW_SEARCH_WINDOWS;
        w.options.znormalise = what == 0;
        w.options.exclusion = exclusions[n / 3];
        whole_make(&w, &x, ks[n % 3]);
        ww_search *search = search_of(&w, false);
        wwt_ok(ww_search_run(search, &stream, w.wanted, counts));
        ww_search_destroy(&search);
        for (size_t parts = 1; parts <= 5; parts++)
            check_cuts(&w, &y, what ? odd[parts - 1] : cuts[parts - 1], parts, counts);
        whole_free(&w);
    }
    wwt_set_free(&y);
    wwt_set_free(&x);
}
END_TEST

// Open matches: the streams are divided. Loops: one stream a part, or several.
START_TEST(parts_of_many_streams) {
    enum { STREAMS = 5 };
    static const size_t lengths[PART_QUERIES] = {20, 33}, streams[STREAMS] = {300, 7, 900, 411, 60};
    wwt_seed(9);
    wwt_set x = wwt_set_make(1, lengths, PART_QUERIES), y = wwt_set_make(1, streams, STREAMS);
    for (size_t t = 0; t < y.offsets[4] + streams[4]; t++)
        y.values[t] = (double)wwt_random_size(0, 2);
    for (size_t t = 0; t < lengths[0] + lengths[1]; t++)
        x.values[t] = (double)wwt_random_size(0, 2);
    whole w = {.measure = wwt_measure(WW_DTW), .options = WW_SEARCH_OPTIONS_INIT};
    size_t counts[PART_QUERIES];
    const ww_series_view all = wwt_view(&y);
    whole_make(&w, &x, 12);
    ww_search *search = search_of(&w, false);
    wwt_ok(ww_search_run(search, &all, w.wanted, counts));
    ww_search_destroy(&search);
    search = search_of(&w, true);
    const size_t each = (size_t)_i + 1;
    for (size_t first = 0; first < STREAMS; first += each) {
        const size_t count = first + each <= STREAMS ? each : STREAMS - first;
        const wwt_set some = {count, 1, y.lengths + first, y.offsets, y.values + y.offsets[first]};
        const ww_series_view view = wwt_view(&some);
        ww_search_part part = WW_SEARCH_PART_INIT;
        part.stream_offset = first;
        wwt_ok(ww_search_set_part(search, &part));
        wwt_ok(ww_search_run(search, &view, w.own, NULL));
        join(&w, first, false);
    }
    check_choice(&w, counts, false);
    ww_search_destroy(&search);
    whole_free(&w);
    wwt_set_free(&y);
    wwt_set_free(&x);
}
END_TEST

// ---- parts of a job: contexts with a store

enum { KEPT_PARTS = 3 };

// A search in a context with this store, of `streams`, or else of `source`; its info.
static ww_status run_kept(const whole *w, ww_store *store, const ww_series_view *streams,
                          const ww_search_source *source, size_t *found, ww_search_info *info) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    ww_search *search = NULL;
    options.store = store;
    wwt_ok(ww_context_create(&options, &context));
    wwt_ok(ww_search_create(context, &w->measure, &w->queries, &w->options, &search));
    const ww_status status = streams ? ww_search_run(search, streams, w->chosen, found)
                                     : ww_search_run_source(search, source, w->chosen, found);
    wwt_ok(ww_search_get_info(search, info));
    ww_search_destroy(&search);
    ww_context_destroy(&context);
    return status;
}

// All parts, the last one first, then the whole of their stores: its bytes. Returns the share of cells that was begun.
static double check_kept(const whole *w, const ww_series_view *streams, const ww_search_source *source,
                         const size_t *counts) {
    char paths[KEPT_PARTS][64];
    const char *names[KEPT_PARTS];
    double begun = 0, all = 0;
    size_t found[PART_QUERIES];
    ww_store *store = NULL;
    char folder[] = "/tmp/wwt-streams-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (unsigned part = KEPT_PARTS; part > 0; part--) {
        ww_store_options options = WW_STORE_OPTIONS_INIT;
        ww_search_info info = WW_SEARCH_INFO_INIT;
        snprintf(paths[part - 1], sizeof paths[0], "%s/%u", folder, part);
        names[part - 1] = paths[part - 1];
        options.part = part;
        options.part_count = KEPT_PARTS;
        wwt_ok(ww_store_open(names[part - 1], &options, &store));
        wwt_fails(run_kept(w, store, streams, source, found, &info), WW_ERROR_PART);
        begun += (double)info.cells_started;
        all += (double)info.cells;
        wwt_ok(ww_store_close(&store, 1));
    }
    ww_search_info info = WW_SEARCH_INFO_INIT;
    wwt_ok(ww_store_open_parts(names, KEPT_PARTS, 0, &store));
    wwt_ok(run_kept(w, store, streams, source, found, &info));
    ck_assert_uint_eq(info.cells_started, 0);
    wwt_ok(ww_store_close(&store, 0));
    ck_assert_mem_eq(found, counts, sizeof found);
    ck_assert_mem_eq(w->chosen, w->wanted, PART_QUERIES * w->options.k * sizeof *w->wanted);
    for (int part = 0; part < KEPT_PARTS; part++)
        ck_assert_int_eq(unlink(names[part]), 0);
    ck_assert_int_eq(rmdir(folder), 0);
    return all > 0 ? begun / all : 1;
}

// Several streams, z-normalised or not.
START_TEST(kept_parts_of_joined_streams) {
    enum { STREAMS = 4 };
    static const size_t lengths[PART_QUERIES] = {45, 31}, streams[STREAMS] = {700, 20, 1203, 333};
    wwt_seed(11);
    wwt_set x = wwt_set_make(1, lengths, PART_QUERIES), y = wwt_set_make(1, streams, STREAMS);
    walk(&x);
    walk(&y);
    const ww_series_view view = wwt_view(&y);
    whole w = {.measure = wwt_measure(WW_DTW), .options = WW_SEARCH_OPTIONS_INIT};
    size_t counts[PART_QUERIES];
    w.options.kind = WW_SEARCH_WINDOWS;
    w.options.znormalise = _i;
    whole_make(&w, &x, 6);
    ww_search *search = search_of(&w, false);
    wwt_ok(ww_search_run(search, &view, w.wanted, counts));
    ck_assert_uint_eq(counts[0], 6);
    ww_search_destroy(&search);
    check_kept(&w, &view, NULL, counts);
    whole_free(&w);
    wwt_set_free(&y);
    wwt_set_free(&x);
}
END_TEST

// A long stream: a walk, or whole numbers, of which each window is there many times; copies of the queries, of which
// a part has many and the cuts go through some.
static void make_long(const wwt_set *queries, bool ties, double *values, size_t points) {
    double at = 0;
    for (size_t t = 0; t < points; t++)
        values[t] = ties ? (double)(t % 7 * (t / 4096 % 5)) : (at = round((at + wwt_random()) * 1024) / 1024);
    for (size_t i = 0; i < 12; i++) {
        const size_t place = i < 6 ? points - 90 * (i + 1) : (i - 5) * 65536 - 20;
        for (size_t t = 0; t < queries->lengths[0]; t++)
            values[place + t] = queries->values[t];
    }
}

static int read_long(void *user, uint64_t first, size_t count, void *values) {
    memcpy(values, (const double *)user + first, count * sizeof(double));
    return 0;
}

// Each part begins with a sample of the whole: few cells are begun. Loops: k and exclusion; ties. The last one is read.
START_TEST(kept_parts_of_a_long_stream) {
    enum { LONG = 620000 };
    static const size_t lengths[PART_QUERIES] = {45, 31}, points = LONG;
    static const size_t ks[] = {1, 10, 5, 30}, exclusions[] = {WW_SEARCH_HALF, WW_SEARCH_HALF, 0, 3};
    const bool ties = _i % 2;
    whole w = {.measure = wwt_measure(WW_DTW), .options = WW_SEARCH_OPTIONS_INIT};
    size_t counts[PART_QUERIES];
    wwt_seed(23);
    wwt_set x = wwt_set_make(1, lengths, PART_QUERIES), y = wwt_set_make(1, &points, 1);
    walk(&x);
    make_long(&x, ties, y.values, LONG);
    const ww_series_view view = wwt_view(&y);
    w.measure.band = (ww_band){WW_BAND_SAKOE_CHIBA, 3, NULL, NULL, 0};
    w.options.kind = WW_SEARCH_WINDOWS;
    w.options.znormalise = !ties;
    w.options.exclusion = exclusions[_i / 2];
    whole_make(&w, &x, ks[_i / 2]);
    ww_search *search = search_of(&w, false);
    wwt_ok(ww_search_run(search, &view, w.wanted, counts));
    ww_search_info info = WW_SEARCH_INFO_INIT;
    wwt_ok(ww_search_get_info(search, &info));
    ck_assert(ties || (info.excluded_kim > 0 && info.excluded_keogh > 0));
    ck_assert_uint_le(info.excluded_kim + info.excluded_keogh + info.excluded_keogh_turned, info.places);
    ww_search_destroy(&search);
    ww_search_source source = WW_SEARCH_SOURCE_INIT;
    source.length = LONG;
    source.precision = WW_DOUBLE;
    source.read = read_long;
    source.user = y.values;
    source.concurrent = 1;
    const double begun = check_kept(&w, _i < 7 ? &view : NULL, &source, counts);
    ck_assert_msg(ties || begun < 0.3, "%g of the cells are begun", begun);
    whole_free(&w);
    wwt_set_free(&y);
    wwt_set_free(&x);
}
END_TEST

START_TEST(part_refusals) {
    const size_t query = 32;
    wwt_seed(3);
    wwt_set x = wwt_set_make(1, &query, 1);
    const ww_measure measure = wwt_measure(WW_DTW);
    const ww_series_view queries = wwt_view(&x);
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_search_part part = WW_SEARCH_PART_INIT;
    ww_search *search = NULL;
    ww_match one[1] = {{0, 0, 1, 1}}, two[1] = {{0, 0, 2, 1}}, none[1] = {{-1, -1, -1, INFINITY}};
    const size_t exclusion[1] = {3};
    options.kind = WW_SEARCH_WINDOWS;
    options.znormalise = 1;
    wwt_ok(ww_search_create(wwt_context, &measure, &queries, &options, &search));
    part.point_offset = 63;
    wwt_fails(ww_search_set_part(NULL, &part), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_search_set_part(search, &part), WW_ERROR_INVALID_ARGUMENT);
    part.point_offset = UINT64_MAX / 64 * 64;
    wwt_fails(ww_search_set_part(search, &part), WW_ERROR_OVERFLOW);
    wwt_ok(ww_search_set_part(search, NULL));
    ww_search_destroy(&search);
    options.znormalise = 0;
    options.kind = WW_SEARCH_SUPER;
    wwt_ok(ww_search_create(wwt_context, &measure, &queries, &options, &search));
    wwt_fails(ww_search_set_part(search, NULL), WW_ERROR_UNSUPPORTED);
    ww_search_destroy(&search);
    options.k = WW_SEARCH_MOST + 1;
    wwt_fails(ww_search_create(wwt_context, &measure, &queries, &options, &search), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(ww_search_places(5, 3), 21);
    ck_assert_uint_eq(ww_search_places(5, 0), 5);
    ck_assert_uint_eq(ww_search_places(0, 9), 0);
    ck_assert_uint_eq(ww_search_places(1, SIZE_MAX), SIZE_MAX);
    ck_assert_uint_eq(ww_search_places(SIZE_MAX, 4), SIZE_MAX);
    wwt_fails(ww_matches_merge(1, 0, 0, one, two), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_matches_merge(1, 1, 0, NULL, two), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_matches_merge(SIZE_MAX, 2, 0, one, two), WW_ERROR_OVERFLOW);
    wwt_fails(ww_matches_choose(1, 1, one, 2, exclusion, 0, two, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_matches_choose(1, 1, one, 1, NULL, 0, two, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_ok(ww_matches_merge(1, 1, 0, two, one));
    ck_assert_int_eq(two[0].end, 1);
    wwt_ok(ww_matches_merge(1, 1, 0, none, two));
    ck_assert_int_eq(none[0].end, 1);
    wwt_set_free(&x);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("streams");
    wwt_add(suite, searches, JOBS + 1);
    wwt_add(suite, other_datasets, 1);
    wwt_add(suite, profiles, 2);
    wwt_add(suite, refusals, 1);
    wwt_add(suite, parts_of_a_stream, 3);
    wwt_add(suite, parts_of_many_streams, 3);
    wwt_add(suite, kept_parts_of_joined_streams, 2);
    wwt_add(suite, kept_parts_of_a_long_stream, 8);
    wwt_add(suite, part_refusals, 1);
    return wwt_run(suite);
}
