// SPDX-License-Identifier: Apache-2.0
// Searches in streams as they come: blocks that are sent ahead, streams that end or fail in the middle, missing points,
// constant parts, more wanted than there is, and sums of large numbers against the double reference.
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "reference/search_reference.h"
#include "support.h"

enum { K = 6 };

typedef struct job {
    ww_measure measure;
    ww_search_options options;
    ww_series_view queries, streams;
    ww_match matches[4 * K];
    size_t found[4];
} job;

static void begin(job *j, ww_measure_id id, ww_search_kind kind, const double *query, size_t n, const double *stream,
                  size_t length) {
    memset(j, 0, sizeof *j);
    wwt_ok(ww_measure_init(&j->measure, sizeof j->measure, id));
    j->options = (ww_search_options)WW_SEARCH_OPTIONS_INIT;
    j->options.kind = kind;
    j->options.k = K;
    j->queries = j->streams = (ww_series_view)WW_SERIES_VIEW_INIT;
    j->queries.precision = j->streams.precision = WW_DOUBLE;
    j->queries.count = j->streams.count = 1;
    j->queries.values = query;
    j->queries.length = n;
    j->streams.values = stream;
    j->streams.length = length;
}

static ww_status run(job *j) {
    ww_search *search = NULL;
    ww_status status = ww_search_create(wwt_context, &j->measure, &j->queries, &j->options, &search);
    if (status == WW_OK)
        status = ww_search_run(search, &j->streams, j->matches, j->found);
    ww_search_destroy(&search);
    return status;
}

static double *noise(size_t count) {
    double *values = malloc(count * sizeof *values);
    double level = 0;
    for (size_t t = 0; t < count; t++)
        values[t] = (double)(float)(level += wwt_random());
    return values;
}

// ---- blocks that are sent ahead

typedef struct reader {
    const double *values;
    size_t length, channels, fails_at;
    atomic_size_t calls;
} reader;

static int read_points(void *user, uint64_t first, size_t count, void *values) {
    reader *r = user;
    ck_assert_uint_le(first + count, r->length);
    if (atomic_fetch_add(&r->calls, 1) == r->fails_at)
        return 1;
    for (size_t t = 0; t < count; t++)
        for (size_t c = 0; c < r->channels; c++)
            ((double *)values)[t * r->channels + c] = r->values[c * r->length + first + t];
    return 0;
}

typedef struct stopper {
    int calls, at;
} stopper;

static int stop_later(void *user, uint64_t done, uint64_t total) {
    stopper *s = user;
    if (total <= 1) // a compile, before the work is counted
        return 0;
    ck_assert_uint_le(done, total);
    return s->calls++ == s->at;
}

static void set_tuning(long loaders) {
    wwt_ok(wwi_tuning_try(wwt_context, "search.loaders", NULL, loaders));
    wwt_ok(wwi_tuning_try(wwt_context, "search.block", NULL, 4096));
}

// With blocks sent ahead by threads the matches have the same bits as without; from memory and from a source, read by
// one thread or by all; with derivatives, channels, several streams and missing points. A read that fails, and a run
// that is cancelled, leave a search that can be used.
START_TEST(sent_ahead) {
    enum { N = 40, LENGTH = 30000 };
    const size_t channels = _i == 1 ? 2 : 1;
    const ww_measure_id id = _i == 1 ? WW_DDTW : WW_DTW;
    wwt_seed(9600 + (unsigned)_i);
    double *query = noise(channels * N), *stream = noise(channels * LENGTH);
    const size_t lengths[] = {11000, 17, 18983}, offsets[] = {0, 11000, 11017};
    job j, ahead;
    stream[5000] = NAN;
    stream[8191] = INFINITY;
    begin(&j, id, WW_SEARCH_WINDOWS, query, N, stream, LENGTH);
    j.queries.channels = j.streams.channels = channels;
    j.options.znormalise = 1;
    j.options.exclusion = 5;
    j.measure.band = (ww_band){WW_BAND_SAKOE_CHIBA, 3, NULL, NULL, 0};
    if (_i == 2) {
        j.streams.count = 3;
        j.streams.lengths = lengths;
        j.streams.offsets = offsets;
    }
    ahead = j;
    set_tuning(0);
    wwt_ok(run(&j));
    ck_assert_uint_eq(j.found[0], K);
    set_tuning(3);
    wwt_ok(run(&ahead));
    ck_assert_uint_eq(ahead.found[0], K);
    ck_assert(memcmp(j.matches, ahead.matches, K * sizeof *j.matches) == 0);

    ww_search *search = NULL;
    ww_run_options options = WW_RUN_OPTIONS_INIT;
    stopper stops = {0, -1};
    options.progress = stop_later;
    options.progress_user = &stops;
    ahead.options.run = &options;
    wwt_ok(ww_search_create(wwt_context, &ahead.measure, &ahead.queries, &ahead.options, &search));
    if (_i < 2) {
        ww_search_source source = WW_SEARCH_SOURCE_INIT;
        for (int way = 0; way < 4; way++) { // the caller's thread reads, or all do; and a read fails
            const int fails = way % 2;
            reader r = {stream, LENGTH, channels, fails ? 3 : SIZE_MAX, 0};
            source.concurrent = way / 2;
            source.length = LENGTH;
            source.channels = channels;
            source.precision = WW_DOUBLE;
            source.read = read_points;
            source.user = &r;
            memset(ahead.matches, 0, sizeof ahead.matches);
            const ww_status status = ww_search_run_source(search, &source, ahead.matches, ahead.found);
            ck_assert_int_eq(status, fails ? WW_ERROR_IO : WW_OK);
            ck_assert(fails || memcmp(j.matches, ahead.matches, K * sizeof *j.matches) == 0);
        }
    }
    stops = (stopper){0, 2};
    wwt_fails(ww_search_run(search, &ahead.streams, ahead.matches, ahead.found), WW_ERROR_CANCELLED);
    ck_assert_int_eq(stops.calls, 3);
    wwt_ok(ww_search_run(search, &ahead.streams, ahead.matches, ahead.found));
    ck_assert(memcmp(j.matches, ahead.matches, K * sizeof *j.matches) == 0);
    ww_search_destroy(&search);
    free(stream);
    free(query);
}
END_TEST

// ---- large numbers

// A stream with an offset of a million, and one with bursts of a million in tiny noise: every window against the double
// reference. The restarts of the sums keep what a burst leaves behind out of the windows after it.
START_TEST(large_numbers) {
    enum { N = 32, LENGTH = 9000 };
    const bool precise = _i / 2 % 2; // and the moments in both of their forms
    double *query = noise(N), *stream = malloc(LENGTH * sizeof *stream), *values = malloc(LENGTH * sizeof *values);
    if (precise && !wwt_device_has_double())
        goto done;
    wwt_seed(9700 + (unsigned)_i);
    for (size_t t = 0; t < LENGTH; t++) {
        const double quiet = 1e-3 * wwt_random();
        stream[t] = _i % 2 ? quiet + (t % 700 < 3 ? 1e6 * wwt_random() : 0) : 1e6 + 4 * wwt_random();
        stream[t] = precise ? stream[t] : (double)(float)stream[t];
    }
    job j;
    begin(&j, WW_DTW, WW_SEARCH_WINDOWS, query, N, stream, LENGTH);
    j.options.znormalise = 1;
    j.options.exclusion = 1;
    j.options.precision = precise ? WW_DOUBLE : WW_FLOAT;
    j.measure.band = (ww_band){WW_BAND_SAKOE_CHIBA, 2, NULL, NULL, 0};
    const wwr_series x = {query, N, 1}, y = {stream, LENGTH, 1};
    wwr_search_windows(&j.measure, &x, &y, 1, values);
    wwt_ok(wwi_tuning_try(wwt_context, "search.block", NULL, 4096));
    wwt_ok(wwi_tuning_try(wwt_context, "form.items", NULL, _i / 4));
    const double tolerance = precise ? 1e-9 : 1e-4;
    // All windows: a threshold that none exceeds, in parts that have room.
    ww_search *search = NULL;
    enum { ALL = WW_SEARCH_MOST };
    ww_match *matches = malloc(ALL * sizeof *matches);
    j.options.k = ALL;
    wwt_ok(ww_search_create(wwt_context, &j.measure, &j.queries, &j.options, &search));
    wwt_ok(ww_search_run(search, &j.streams, matches, j.found));
    ck_assert_uint_eq(j.found[0], ALL);
    size_t better = 0;
    for (size_t i = 0; i < ALL; i++) {
        const double wanted = values[matches[i].begin];
        ck_assert_msg(fabs(matches[i].distance - wanted) <= tolerance * (1 + wanted),
                      "window %ld: %.9g, reference %.9g", (long)matches[i].begin, matches[i].distance, wanted);
    }
    for (size_t p = 0; p + N <= LENGTH; p++)
        better += values[p] < matches[ALL - 1].distance * (1 - 2 * tolerance) - 2 * tolerance;
    ck_assert_uint_le(better, ALL);
    ww_search_destroy(&search);
    free(matches);
done:
    free(values);
    free(stream);
    free(query);
}
END_TEST

// ---- what is wrong with streams and queries

// The same pattern whole, with a missing point, and cut by the stream's end: only the first is a match; with open ends
// the last is found as far as it goes.
START_TEST(incomplete) {
    enum { N = 20, LENGTH = 400 };
    double query[N], stream[LENGTH];
    job j;
    wwt_seed(9800);
    for (size_t t = 0; t < LENGTH; t++)
        stream[t] = 30 + wwt_random();
    for (size_t i = 0; i < N; i++) {
        query[i] = (double)(i * i % 17);
        stream[50 + i] = stream[200 + i] = query[i];
        if (i < 12)
            stream[LENGTH - 12 + i] = query[i];
    }
    stream[207] = _i % 2 ? NAN : -INFINITY;
    begin(&j, WW_DTW, _i < 2 ? WW_SEARCH_WINDOWS : WW_SEARCH_OPEN, query, N, stream, LENGTH);
    j.options.has_threshold = 1;
    j.options.threshold = 0.5;
    wwt_ok(run(&j));
    ck_assert_uint_eq(j.found[0], 1);
    ck_assert(j.matches[0].begin == 50 && j.matches[0].end == 50 + N && j.matches[0].distance == 0);
    ck_assert_int_eq(j.matches[1].stream, -1);
    // No match has the missing point, however many are wanted.
    j.options.has_threshold = 0;
    j.options.exclusion = 0;
    wwt_ok(run(&j));
    ck_assert_uint_eq(j.found[0], K);
    for (size_t i = 0; i < K; i++)
        ck_assert(j.matches[i].end <= 207 || j.matches[i].begin > 207);
}
END_TEST

// A query longer than its streams: with windows no match, with open ends the whole of it may be one. More wanted than
// there are places; exclusion beyond the stream; exclusion 0.
START_TEST(more_than_there_is) {
    enum { N = 9 };
    const double query[N] = {3, 1, 4, 1, 5, 9, 2, 6, 5}, stream[5] = {3, 1, 4, 1, 5};
    job j;
    begin(&j, WW_DTW, WW_SEARCH_WINDOWS, query, N, stream, 5);
    wwt_ok(run(&j));
    ck_assert_uint_eq(j.found[0], 0);
    for (size_t i = 0; i < K; i++)
        ck_assert(j.matches[i].stream == -1 && isinf(j.matches[i].distance));
    begin(&j, WW_DTW, WW_SEARCH_OPEN, query, N, stream, 5);
    j.options.exclusion = 0;
    wwt_ok(run(&j));
    ck_assert_uint_eq(j.found[0], 5);
    double values[5];
    const wwr_series x = {query, N, 1}, y = {stream, 5, 1};
    wwr_search_ends(&j.measure, &x, &y, values);
    for (size_t i = 0; i < 5; i++)
        ck_assert(j.matches[i].distance == values[j.matches[i].end - 1]);
    j.options.exclusion = SIZE_MAX - 1;
    wwt_ok(run(&j));
    ck_assert_uint_eq(j.found[0], 1);
    // An empty stream is refused; so is one with fewer points than a derivative takes, as a query.
    j.streams.length = 0;
    wwt_fails(run(&j), WW_ERROR_EMPTY);
    begin(&j, WW_DDTW, WW_SEARCH_OPEN, query, 2, stream, 5);
    wwt_fails(run(&j), WW_ERROR_EMPTY);
    begin(&j, WW_DDTW, WW_SEARCH_OPEN, query, N, stream, 2);
    wwt_ok(run(&j));
    ck_assert_uint_eq(j.found[0], 0);
}
END_TEST

// Relaxation beyond the query's length means all of it. A place is one match, however many rows of the query may end
// there: all that are wanted are found.
START_TEST(relaxed_beyond) {
    enum { N = 7, LENGTH = 40, TIMES = 12 };
    const double query[N] = {5, -5, 5, 0, 1, -4, 6};
    static const size_t relaxed[] = {N, N + 1, 1000, SIZE_MAX};
    for (unsigned time = 0; time < TIMES; time++) {
        double values[LENGTH];
        size_t places[K];
        job j;
        wwt_seed(9850 + time);
        double *stream = noise(LENGTH);
        begin(&j, WW_DTW, WW_SEARCH_OPEN, query, N, stream, LENGTH);
        j.options.exclusion = 0;
        j.measure.relax_begin_x = relaxed[_i];
        j.measure.relax_end_x = relaxed[3 - _i];
        wwt_ok(run(&j));
        const wwr_series x = {query, N, 1}, y = {stream, LENGTH, 1};
        wwr_search_ends(&j.measure, &x, &y, values);
        ck_assert_uint_eq(j.found[0], K);
        ck_assert_uint_eq(wwr_search_choose(values, LENGTH, 0, K, 0, places), K);
        for (size_t i = 0; i < K; i++) {
            const double own = values[j.matches[i].end - 1];
            ck_assert_msg(fabs(j.matches[i].distance - own) < 1e-4 && fabs(own - values[places[i]]) < 1e-4,
                          "stream %u, match %zu: %g, expected %g", time, i, j.matches[i].distance, values[places[i]]);
            for (size_t o = 0; o < i; o++)
                ck_assert(j.matches[o].end != j.matches[i].end);
        }
        free(stream);
    }
}
END_TEST

// A constant window is all zero: the same as a constant query, and as far from another as that is long.
START_TEST(constant) {
    enum { N = 16, LENGTH = 200 };
    double flat[N], rising[N], stream[LENGTH];
    job j;
    wwt_seed(9900);
    for (size_t i = 0; i < N; i++) {
        flat[i] = -7;
        rising[i] = (double)i;
    }
    for (size_t t = 0; t < LENGTH; t++)
        stream[t] = t >= 60 && t < 60 + N + 3 ? 1e5 + 0.1 : wwt_random();
    begin(&j, WW_DTW, WW_SEARCH_WINDOWS, flat, N, stream, LENGTH);
    j.options.znormalise = 1;
    j.options.exclusion = 0;
    j.options.k = 4;
    j.measure.band = (ww_band){WW_BAND_SAKOE_CHIBA, 2, NULL, NULL, 0};
    wwt_ok(run(&j));
    for (int i = 0; i < 4; i++)
        ck_assert(j.matches[i].distance == 0 && j.matches[i].begin == 60 + i);
    j.queries.values = rising;
    j.options.k = 1;
    j.streams.values = stream + 61;
    j.streams.length = N;
    wwt_ok(run(&j));
    ck_assert(fabs(j.matches[0].distance - N) < 1e-4); // deviation 1: the sum of squares
}
END_TEST

// Windows whose variation is far above what rounding makes, whatever their level and their scale: the query is found
// where it is from, and the values are those of the reference.
START_TEST(small_variations) {
    enum { N = 60, LENGTH = 2000, AT = 700 };
    static const struct {
        double level, size;
        ww_precision precision;
    } cases[] = {{1e7, 0.05, WW_DOUBLE}, {-1e12, 0.01, WW_DOUBLE}, {0, 1e-21, WW_DOUBLE}, {0, 1e-170, WW_DOUBLE},
                 {0, 1e-300, WW_DOUBLE}, {0, 1e200, WW_DOUBLE},    {0, 1e-21, WW_FLOAT}};
    if (cases[_i].precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    double stream[LENGTH], *values = malloc(LENGTH * sizeof *values);
    job j;
    wwt_seed(9940);
    for (size_t t = 0; t < LENGTH; t++)
        stream[t] = cases[_i].level + cases[_i].size * wwt_random();
    begin(&j, WW_DTW, WW_SEARCH_WINDOWS, stream + AT, N, stream, LENGTH);
    j.options.znormalise = 1;
    j.options.k = 3;
    j.options.precision = cases[_i].precision;
    j.measure.band = (ww_band){WW_BAND_SAKOE_CHIBA, 2, NULL, NULL, 0};
    wwt_ok(run(&j));
    const wwr_series x = {stream + AT, N, 1}, y = {stream, LENGTH, 1};
    wwr_search_windows(&j.measure, &x, &y, 1, values);
    ck_assert_uint_eq(j.found[0], 3);
    ck_assert_int_eq(j.matches[0].begin, AT);
    for (size_t i = 0; i < 3; i++) {
        const double wanted = values[j.matches[i].begin];
        ck_assert_msg(fabs(j.matches[i].distance - wanted) <=
                          (cases[_i].precision == WW_DOUBLE ? 1e-8 : 1e-4) * (1 + wanted),
                      "match %zu: %g, reference %g", i, j.matches[i].distance, wanted);
        ck_assert(i == 0 || wanted > 1);
    }
    free(values);
}
END_TEST

// Raw values at scales where their squares are no numbers are refused; symbols that the precision may have made equal
// too.
START_TEST(odd_scales) {
    const ww_precision precision = wwt_device_has_double() && _i ? WW_DOUBLE : WW_FLOAT;
    const double small = precision == WW_DOUBLE ? 1e-170 : 1e-25, large = precision == WW_DOUBLE ? 1e160 : 1e25;
    double query[3] = {small, -small, small}, stream[5] = {small, 0, small, 0, small};
    job j;
    for (int kind = WW_SEARCH_WINDOWS; kind <= WW_SEARCH_OPEN; kind++) {
        begin(&j, WW_DTW, (ww_search_kind)kind, query, 3, stream, 5);
        j.options.precision = precision;
        query[0] = small;
        query[1] = -small;
        wwt_fails(run(&j), WW_ERROR_UNSUPPORTED);
        query[0] = query[1] = large;
        wwt_fails(run(&j), WW_ERROR_OVERFLOW);
    }
    begin(&j, WW_LEVENSHTEIN, WW_SEARCH_WINDOWS, query, 3, stream, 5);
    j.options.precision = precision;
    query[1] = precision == WW_DOUBLE ? 9007199254740992.0 : 16777216.0;
    query[0] = query[2] = 1;
    wwt_fails(run(&j), WW_ERROR_UNSUPPORTED);
    ck_assert_int_eq(ww_last_error()->position, 1);
}
END_TEST

static int take_none(void *user, size_t query, const ww_match *match) {
    (void)query, (void)match;
    (*(size_t *)user)++;
    return 0;
}

// The same through the other doors: a source, a dataset, a stream that is pushed. Gives the first failure.
static ww_status by_other_doors(const job *j, size_t *found) {
    ww_search *search = NULL;
    ww_dataset *dataset = NULL;
    ww_search_stream *pushed = NULL;
    ww_match matches[K];
    const double *values = j->streams.values;
    reader r = {values, j->streams.length, 1, SIZE_MAX, 0};
    ww_search_source source = WW_SEARCH_SOURCE_INIT;
    ww_dataset_options taken = WW_DATASET_OPTIONS_INIT;
    ww_search_options monitored = j->options;
    source.length = j->streams.length;
    source.channels = 1;
    source.precision = WW_DOUBLE;
    source.read = read_points;
    source.user = &r;
    taken.precision = j->options.precision;
    monitored.has_threshold = 1;
    monitored.threshold = 1e30;
    *found = 0;
    wwt_ok(ww_search_create(wwt_context, &j->measure, &j->queries, &j->options, &search));
    const ww_status by_source = ww_search_run_source(search, &source, matches, NULL);
    ck_assert(by_source != WW_OK || memcmp(matches, j->matches, sizeof matches) == 0);
    ww_status by_dataset = ww_dataset_create(wwt_context, &j->streams, &taken, &dataset);
    if (by_dataset == WW_OK)
        by_dataset = ww_search_run_dataset(search, dataset, matches, NULL);
    ck_assert_int_eq(by_dataset, by_source);
    wwt_ok(ww_search_stream_create(wwt_context, &j->measure, &j->queries, &monitored, &pushed));
    ww_status by_push = ww_search_stream_push(pushed, values, WW_DOUBLE, j->streams.length, take_none, found);
    if (by_push == WW_OK)
        by_push = ww_search_stream_finish(pushed, take_none, found);
    ck_assert_int_eq(by_push, by_source);
    ww_search_stream_destroy(&pushed);
    ww_dataset_destroy(&dataset);
    ww_search_destroy(&search);
    return by_source;
}

static int read_floats(void *user, uint64_t first, size_t count, void *values) {
    memcpy(values, (const float *)user + first, count * sizeof(float));
    return 0;
}

// The same stream as floats, whole, as a part and from a source.
static ww_status of_floats(const job *j) {
    job narrow = *j;
    float *values = malloc(j->streams.length * sizeof *values);
    ww_search *search = NULL;
    for (size_t t = 0; t < j->streams.length; t++)
        values[t] = (float)((const double *)j->streams.values)[t];
    narrow.streams.values = values;
    narrow.streams.precision = WW_FLOAT;
    const ww_status status = run(&narrow);
    wwt_ok(ww_search_create(wwt_context, &j->measure, &j->queries, &j->options, &search));
    ww_search_source source = WW_SEARCH_SOURCE_INIT;
    source.length = j->streams.length;
    source.channels = 1;
    source.concurrent = 1;
    source.precision = WW_FLOAT;
    source.read = read_floats;
    source.user = values;
    ck_assert_int_eq(ww_search_run_source(search, &source, narrow.matches, NULL), status);
    ww_search_destroy(&search);
    free(values);
    return status;
}

// z-normalised windows at any scale of the stream: the same matches, or refused with the reason, by every door.
START_TEST(scales_of_windows) {
    enum { N = 16, LENGTH = 300 };
    static const struct {
        int exponent;
        ww_status status[2];
    } cases[] = {{0, {WW_OK, WW_OK}},
                 {-60, {WW_OK, WW_OK}},
                 {60, {WW_OK, WW_OK}},
                 {-130, {WW_ERROR_UNSUPPORTED, WW_OK}},
                 {-400, {WW_ERROR_UNSUPPORTED, WW_OK}},
                 {140, {WW_ERROR_NOT_FINITE, WW_OK}},
                 {-900, {WW_ERROR_UNSUPPORTED, WW_OK}},
                 {1000, {WW_ERROR_NOT_FINITE, WW_OK}},
                 {-1040, {WW_ERROR_UNSUPPORTED, WW_ERROR_UNSUPPORTED}}};
    const int wide = wwt_device_has_double() && _i;
    double *given = noise(LENGTH), query[N], stream[LENGTH];
    job whole, j;
    size_t reported = 0, found = 0;
    for (size_t t = 0; t < N; t++)
        query[t] = given[100 + t] + 0.25 * wwt_random();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t t = 0; t < LENGTH; t++)
            stream[t] = ldexp(given[t], cases[i].exponent);
        begin(&j, WW_DTW, WW_SEARCH_WINDOWS, query, N, stream, LENGTH);
        j.options.znormalise = 1;
        j.options.precision = wide ? WW_DOUBLE : WW_FLOAT;
        const ww_status status = run(&j);
        ck_assert_msg(status == cases[i].status[wide], "2^%d: %s", cases[i].exponent, ww_last_error()->message);
        ck_assert_int_eq(by_other_doors(&j, &found), status);
        if (abs(cases[i].exponent) <= 130)
            ck_assert_int_eq(of_floats(&j), status);
        if (i == 0) {
            whole = j;
            reported = found;
        }
        for (size_t k = 0; k < K && status == WW_OK; k++)
            ck_assert(j.matches[k].begin == whole.matches[k].begin &&
                      fabs(j.matches[k].distance - whole.matches[k].distance) < 1e-5);
        ck_assert(status != WW_OK || found == reported);
    }
    free(given);
}
END_TEST

// One channel's gaps under ERP have no squares: a power of two scales the distance, exactly.
START_TEST(scales_of_gaps) {
    double query[12], stream[40];
    job j;
    ww_match first[K];
    const ww_precision precision = wwt_device_has_double() && _i ? WW_DOUBLE : WW_FLOAT;
    const int exponents[] = {0, precision == WW_DOUBLE ? 540 : 90, precision == WW_DOUBLE ? -600 : -90};
    for (size_t t = 0; t < 12; t++)
        query[t] = wwt_random();
    for (size_t t = 0; t < 40; t++)
        stream[t] = wwt_random();
    for (int i = 0; i < 3; i++) {
        double scaled_query[12], scaled[40], distance;
        for (size_t t = 0; t < 40; t++)
            scaled[t] = ldexp(stream[t], exponents[i]);
        for (size_t t = 0; t < 12; t++)
            scaled_query[t] = ldexp(query[t], exponents[i]);
        begin(&j, WW_ERP, WW_SEARCH_OPEN, scaled_query, 12, scaled, 40);
        j.options.precision = precision;
        wwt_ok(run(&j));
        if (i == 0)
            memcpy(first, j.matches, sizeof first);
        for (size_t k = 0; k < K; k++)
            ck_assert(j.matches[k].end == first[k].end && j.matches[k].begin == first[k].begin &&
                      j.matches[k].distance == ldexp(first[k].distance, exponents[i]));
        wwt_ok(ww_distance(wwt_context, &j.measure, scaled_query, 12, scaled, 40, 1, &distance));
        const wwr_series x = {query, 12, 1}, y = {stream, 40, 1};
        ck_assert(wwt_close(ldexp(distance, -exponents[i]), wwr_distance(&j.measure, NULL, &x, &y), precision));
    }
}
END_TEST

// A window that is the query itself, in values whose differences are small: the derivatives of both come from the
// values as the search has them, so that it is found without an error; z-normalised with that of a rounding of each
// point.
START_TEST(derivatives_of_rounded) {
    enum { N = 128, LENGTH = 3000, AT = 1000 };
    job j;
    wwt_seed(9950);
    double *stream = malloc(LENGTH * sizeof *stream), level = 3000;
    for (size_t t = 0; t < LENGTH; t++)
        stream[t] = level += 0.7 * wwt_random() / 3; // no number of float
    begin(&j, WW_DDTW, _i == 2 ? WW_SEARCH_OPEN : WW_SEARCH_WINDOWS, stream + AT, N, stream, LENGTH);
    j.options.znormalise = _i == 1;
    j.options.k = 1;
    j.measure.root = 1;
    wwt_ok(run(&j));
    ck_assert_int_eq(j.matches[0].begin, AT);
    ck_assert_msg(j.matches[0].distance <= (_i == 1 ? 2e-6 : 0), "%g", j.matches[0].distance);
    free(stream);
}
END_TEST

// Precisions that are none: of the options, of the queries, of the streams, of a source and of what is pushed.
START_TEST(unknown_precisions) {
    const double query[3] = {0, 1, 2}, stream[5] = {3, 0, 1, 2, 4};
    static const int unknown[] = {-1, 2, 3, 5};
    job j;
    begin(&j, WW_DTW, WW_SEARCH_WINDOWS, query, 3, stream, 5);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        const ww_precision none = (ww_precision)unknown[i];
        for (int which = 0; which < 3; which++) {
            job other = j;
            *(which == 0   ? &other.options.precision
              : which == 1 ? &other.queries.precision
                           : &other.streams.precision) = none;
            wwt_fails(run(&other), WW_ERROR_INVALID_ARGUMENT);
        }
        ww_search *search = NULL;
        ww_search_source source = WW_SEARCH_SOURCE_INIT;
        reader r = {stream, 5, 1, SIZE_MAX, 0};
        source.length = 5;
        source.read = read_points;
        source.user = &r;
        source.precision = none;
        wwt_ok(ww_search_create(wwt_context, &j.measure, &j.queries, &j.options, &search));
        wwt_fails(ww_search_run_source(search, &source, j.matches, NULL), WW_ERROR_INVALID_ARGUMENT);
        ww_search_destroy(&search);
        ww_search_stream *pushed = NULL;
        j.options.has_threshold = 1;
        wwt_ok(ww_search_stream_create(wwt_context, &j.measure, &j.queries, &j.options, &pushed));
        wwt_fails(ww_search_stream_push(pushed, stream, none, 5, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
        ww_search_stream_destroy(&pushed);
        ww_series_view own = j.queries;
        own.precision = none;
        wwt_fails(ww_search_stream_create(wwt_context, &j.measure, &own, &j.options, &pushed),
                  WW_ERROR_INVALID_ARGUMENT);
        ww_profile *profile = NULL;
        own = j.streams;
        own.precision = none;
        wwt_fails(ww_profile_create(wwt_context, &own, 0, NULL, 0, 2, NULL, &profile), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_msg(strstr(ww_last_error()->message, "precision"), "%s", ww_last_error()->message);
        ww_point_view points = WW_POINT_VIEW_INIT;
        points.values = stream;
        points.count = 5;
        points.dimension = 1;
        points.precision = none;
        wwt_fails(ww_point_view_write("/nonexistent/points.csv", &points), WW_ERROR_INVALID_ARGUMENT);
    }
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("search_input");
    wwt_add(suite, sent_ahead, 3);
    wwt_add(suite, large_numbers, 8);
    wwt_add(suite, incomplete, 4);
    wwt_add(suite, more_than_there_is, 1);
    wwt_add(suite, relaxed_beyond, 4);
    wwt_add(suite, constant, 1);
    wwt_add(suite, small_variations, 7);
    wwt_add(suite, odd_scales, 2);
    wwt_add(suite, scales_of_windows, 2);
    wwt_add(suite, scales_of_gaps, 2);
    wwt_add(suite, derivatives_of_rounded, 3);
    wwt_add(suite, unknown_precisions, 1);
    return wwt_run(suite);
}
