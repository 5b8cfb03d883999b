// SPDX-License-Identifier: Apache-2.0
// Every place of small streams by every way of searching: streams in memory, in one block and in many; a stream that is
// read; points that are pushed; whole streams in the queries. All of them against brute force: the textbook distance of
// the query to each part of a stream, from each begin to each end, in double.
//
//
// Values are multiples of 1/2, so that most sums are exact in float as well.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "reference/search_reference.h"
#include "support.h"

enum { K = 2000, QUERIES = 4, STREAMS = 6, LONGEST = 90 };
static const size_t query_lengths[QUERIES] = {3, 5, 23, 140}, stream_lengths[STREAMS] = {1, 2, LONGEST, 3, 17, 40};

// Edits: a border of its own; what a place has there depends on the point. Columns take the point before.
static const char user_text[] =
    "#define WW_USER_BORDERS\n#define WW_USER_BEFORE\n#define WW_USER_OPEN_BORDER 0\n"
    "real ww_user_left(ww_point x, real t) {\n    return 2 * (t + 1) + fabs(WW_AT(x, 0));\n}\n"
    "real ww_user_top(ww_point y, real t) {\n    return t + 1;\n}\n"
    "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, ww_point x0, ww_point y0, real lag) "
    "{\n    return fmin(diagonal + fabs(WW_AT(x, 0) - WW_AT(y, 0)),\n"
    "        fmin(left + 1 + fabs(WW_AT(y, 0) - WW_AT(y0, 0)), up + 3 + fabs(WW_AT(x, 0) - WW_AT(x0, 0))));\n}\n";

typedef struct subject {
    ww_measure_id id;
    double parameters[3];
    bool set;              // these, in place of the defaults
    size_t begin_x, end_x; // relaxation
} subject;

static const subject subjects[] = {
    {WW_DTW, {0}, false, 0, 0},
    {WW_DTW, {0}, false, SIZE_MAX, 3},
    {WW_ADTW, {0.5}, true, 1, SIZE_MAX},
    {WW_DDTW, {0}, false, 0, 0},
    {WW_FRECHET, {0}, false, 0, 0},
    {WW_ERP, {0}, true, 0, 0},
    {WW_ERP, {0.5}, true, 0, 0},
    {WW_MSM, {1}, true, 0, 0},
    {WW_EDR, {0.5}, true, 0, 0},
    {WW_EDR, {0.5, 1}, true, 2, 4},
    {WW_LEVENSHTEIN, {1, 1, 1}, true, 0, 0},
    {WW_LEVENSHTEIN, {0.25, 1, 4}, true, SIZE_MAX, SIZE_MAX},
    {WW_USER, {0}, false, 0, 0},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };
// Channels: one or several; precision.
static const wwt_product product = {3, {SUBJECTS, 2, 2}};
enum { LOOPS = SUBJECTS * 4 };

typedef struct work {
    const subject *of;
    ww_measure measure;
    ww_precision precision;
    size_t channels;
    wwt_set queries, streams;
} work;

static void values_of(int loop, int *values) {
    values[0] = loop / 4;
    values[1] = loop / 2 % 2;
    values[2] = loop % 2;
}

static bool chosen(const void *subject_of, int loop) {
    int values[3];
    (void)subject_of;
    values_of(loop, values);
    return (values[2] == 0 || wwt_device_has_double()) && (values[1] == 0 || subjects[values[0]].id != WW_USER) &&
           (wwt_covers(&product, values) || subjects[values[0]].id == WW_USER);
}

static wwt_set halves(size_t channels, const size_t *lengths, size_t count) {
    wwt_set set = wwt_set_make(channels, lengths, count);
    for (size_t i = 0; i < set.offsets[count - 1] + channels * lengths[count - 1]; i++)
        set.values[i] = 0.5 * (double)wwt_random_size(0, 12) - 3;
    return set;
}

static work work_of(int loop) {
    int values[3];
    values_of(loop, values);
    work w = {.of = &subjects[values[0]],
              .channels = values[1] ? 2 + (size_t)values[0] % 2 : 1,
              .precision = values[2] ? WW_DOUBLE : WW_FLOAT};
    wwt_seed(7100 + (unsigned)loop);
    w.measure = wwt_measure(w.of->id);
    w.measure.independent = 0;
    for (size_t i = 0; w.of->set && i < 3; i++)
        w.measure.parameters[i] = w.of->parameters[i];
    if (w.of->id == WW_USER)
        w.measure.recurrence = user_text;
    w.measure.relax_begin_x = w.of->begin_x;
    w.measure.relax_end_x = w.of->end_x;
    // Of one subject on a CPU the form for GPUs too: compilers for CPUs take long for it.
    wwt_ok(wwi_tuning_try(wwt_context, "form.items", NULL, values[0] == 0));
    w.queries = halves(w.channels, query_lengths, QUERIES);
    w.streams = halves(w.channels, stream_lengths, STREAMS);
    return w;
}

static void work_free(work *w) {
    wwt_set_free(&w->streams);
    wwt_set_free(&w->queries);
}

// Missing points: in the middle, twice in a row, with one point between, at a begin and at an end.
static void set_gaps(work *w) {
    static const size_t gaps[][2] = {{2, 20}, {2, 21}, {2, 23}, {2, 70}, {4, 0}, {5, 39}};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++)
        w->streams.values[w->streams.offsets[gaps[i][0]] + i % w->channels * stream_lengths[gaps[i][0]] + gaps[i][1]] =
            i % 2 ? INFINITY : NAN;
}

// ---- brute force

static size_t least_of(size_t a, size_t b) {
    return a < b ? a : b;
}

// What the deletion of the query's first points costs where the measure has it.
static double deleted(const work *w, const wwr_series *query, size_t count) {
    const ww_measure *m = &w->measure;
    double sum = 0;
    if (m->id == WW_LEVENSHTEIN || m->id == WW_EDR)
        return (double)count * (m->id == WW_EDR ? 1 : m->parameters[1]);
    if (m->id != WW_ERP)
        return INFINITY;
    for (size_t t = 0; t < count; t++) {
        double squares = 0;
        for (size_t c = 0; c < query->channels; c++)
            squares += pow(query->values[c * query->length + t] - m->parameters[0], 2);
        sum += sqrt(squares);
    }
    return sum;
}

// The distance of a query to points [begin, end) of a stream; `ends`: the stream's end is known.
static double part_distance(const work *w, const wwr_series *query, const wwr_series *stream, size_t begin, size_t end,
                            bool ends) {
    const size_t n = end - begin, most = query->length - 1; // a match has a point of the query
    double part[3 * (LONGEST + 200)];
    ww_measure closed = w->measure;
    const wwr_series y = {part, n, stream->channels};
    const double scale = closed.id == WW_EDR && closed.parameters[1] != 0 ? (double)query->length : 1;
    closed.relax_begin_x = begin == 0 ? least_of(closed.relax_begin_x, most) : 0;
    closed.relax_end_x = end == stream->length && ends ? least_of(closed.relax_end_x, most) : 0;
    if (closed.id == WW_EDR)
        closed.parameters[1] = 0;
    if (n == 0)
        return deleted(w, query, query->length - closed.relax_end_x) / scale;
    for (size_t c = 0; c < stream->channels; c++)
        memcpy(part + c * n, stream->values + c * stream->length + begin, n * sizeof *part);
    const double value = wwr_distance(&closed, NULL, query, &y);
    return isnan(value) ? INFINITY : value / scale; // NaN: too few points for a derivative
}

// The user's recurrence: the values of all ends of points [begin, end), none of which is missing.
static void user_ends(const wwr_series *x, const double *y, size_t begin, size_t end, double *values) {
    const size_t n = x->length;
    double above[LONGEST + 200], row[LONGEST + 200];
    for (size_t j = begin; j <= end; j++)
        above[j] = 0;
    for (size_t i = 0; i < n; i++) {
        const double *own = x->values + i;
        row[begin] = 2 * ((double)i + 1) + fabs(*own);
        for (size_t j = begin; j < end; j++)
            row[j + 1] = fmin(above[j] + fabs(*own - y[j]), fmin(row[j] + 1 + fabs(y[j] - y[j > begin ? j - 1 : j]),
                                                                 above[j + 1] + 3 + fabs(*own - own[i ? -1 : 0])));
        memcpy(above, row, sizeof above);
    }
    memcpy(values + begin, row + begin + 1, (end - begin) * sizeof *values);
}

// values[j]: the least distance to a part that ends with point j; infinity where there is none.
static void all_ends(const work *w, const wwr_series *query, const wwr_series *stream, bool ends, double *values) {
    const bool empty = isfinite(deleted(w, query, 1));
    size_t first = 0;
    for (size_t j = 0; j < stream->length; j++) {
        bool missing = false;
        for (size_t c = 0; c < stream->channels; c++)
            missing |= !isfinite(stream->values[c * stream->length + j]);
        values[j] = INFINITY;
        if (missing) {
            first = j + 1;
            continue;
        }
        if (w->of->id == WW_USER) {
            user_ends(query, stream->values, first, j + 1, values);
            continue;
        }
        for (size_t begin = first; begin < j + 1 + empty; begin++)
            values[j] = fmin(values[j], part_distance(w, query, stream, begin, j + 1, ends));
    }
}

// ---- matches

static double tolerance(const work *w) {
    return w->precision == WW_DOUBLE ? 1e-12 : 2e-5;
}

// The matches of one query in one stream are all its ends, each with its value, and a begin that has it.
static void check(const work *w, const char *way, const wwr_series *query, const wwr_series *stream, int64_t number,
                  bool ends, const ww_match *matches, size_t found) {
    double *values = malloc(stream->length * sizeof *values);
    bool *seen = calloc(stream->length, sizeof *seen);
    const char *name = ww_measure_info_by_id(w->of->id)->name;
    all_ends(w, query, stream, ends, values);
    for (size_t i = 0; i < found; i++) {
        const ww_match *m = &matches[i];
        if (m->stream != number)
            continue;
        const size_t place = (size_t)m->end - 1;
        ck_assert_msg(m->end > 0 && (size_t)m->end <= stream->length && !seen[place], "%s, %s: %ld to %ld", name, way,
                      (long)m->begin, (long)m->end);
        seen[place] = true;
        ck_assert_msg(fabs(m->distance - values[place]) <= tolerance(w) * (1 + values[place]),
                      "%s, %s: query of %zu, stream %ld of %zu, %ld to %ld: %.9g, of all parts %.9g", name, way,
                      query->length, (long)number, stream->length, (long)m->begin, (long)m->end, m->distance,
                      values[place]);
        if (w->of->id == WW_USER)
            continue;
        ck_assert(m->begin >= 0 && m->begin <= m->end);
        const double own = part_distance(w, query, stream, (size_t)m->begin, (size_t)m->end, ends);
        ck_assert_msg(fabs(m->distance - own) <= tolerance(w) * (1 + own),
                      "%s, %s: query of %zu, stream %ld of %zu, %ld to %ld: %.9g, of this part %.9g", name, way,
                      query->length, (long)number, stream->length, (long)m->begin, (long)m->end, m->distance, own);
    }
    for (size_t j = 0; j < stream->length; j++)
        ck_assert_msg(seen[j] == (isfinite(values[j]) != 0),
                      "%s, %s: query of %zu, stream %ld of %zu: the end %zu is %s, of all parts %g", name, way,
                      query->length, (long)number, stream->length, j + 1, seen[j] ? "there" : "missing", values[j]);
    free(seen);
    free(values);
}

static ww_search_options options_of(const work *w, ww_search_kind kind, const ww_run_options *run) {
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    options.kind = kind;
    options.k = K;
    options.exclusion = 0;
    options.precision = w->precision;
    options.run = run;
    return options;
}

typedef struct reader {
    wwr_series of;
} reader;

static int read_points(void *user, uint64_t first, size_t count, void *values) {
    const wwr_series *s = &((reader *)user)->of;
    for (size_t t = 0; t < count; t++)
        for (size_t c = 0; c < s->channels; c++)
            ((double *)values)[t * s->channels + c] = s->values[c * s->length + first + t];
    return 0;
}

// ---- in memory, and read

START_TEST(in_memory) {
    work w = work_of(_i);
    set_gaps(&w);
    ww_match *matches = calloc(QUERIES * K, sizeof *matches);
    size_t found[QUERIES];
    const ww_series_view queries = wwt_view(&w.queries), streams = wwt_view(&w.streams);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    for (int small = 0; small < 2; small++) {
        ww_search *search = NULL;
        run.max_bytes = small ? 1 : 0; // blocks as small as they can be
        const ww_search_options options = options_of(&w, WW_SEARCH_OPEN, &run);
        wwt_ok(ww_search_create(wwt_context, &w.measure, &queries, &options, &search));
        wwt_ok(ww_search_run(search, &streams, matches, found));
        for (size_t q = 0; q < QUERIES; q++)
            for (size_t i = 0; i < STREAMS; i++) {
                const wwr_series x = wwt_series(&w.queries, q), y = wwt_series(&w.streams, i);
                check(&w, small ? "small blocks" : "memory", &x, &y, (int64_t)i, true, matches + q * K, found[q]);
            }
        for (size_t i = 0; i < STREAMS; i++) {
            reader r = {wwt_series(&w.streams, i)};
            ww_search_source source = WW_SEARCH_SOURCE_INIT;
            source.length = r.of.length;
            source.channels = w.channels;
            source.precision = WW_DOUBLE;
            source.read = read_points;
            source.user = &r;
            wwt_ok(ww_search_run_source(search, &source, matches, found));
            for (size_t q = 0; q < QUERIES; q++) {
                const wwr_series x = wwt_series(&w.queries, q);
                check(&w, "read", &x, &r.of, 0, true, matches + q * K, found[q]);
            }
        }
        ww_search_destroy(&search);
    }
    free(matches);
    work_free(&w);
}
END_TEST

// ---- pushed

typedef struct collected {
    ww_match matches[QUERIES][400];
    size_t count[QUERIES];
} collected;

static int collect(void *user, size_t query, const ww_match *match) {
    collected *c = user;
    ck_assert_uint_lt(c->count[query], 400);
    c->matches[query][c->count[query]++] = *match;
    return 0;
}

// All streams, a missing point after each, in parts of up to 9 points.
START_TEST(pushed) {
    work w = work_of(_i);
    size_t length = 0, at = 0;
    set_gaps(&w);
    w.measure.relax_end_x = 0;
    for (size_t i = 0; i < STREAMS; i++)
        length += stream_lengths[i] + 1;
    double *joined = malloc(length * w.channels * sizeof *joined),
           *points = malloc(length * w.channels * sizeof *points);
    for (size_t i = 0; i < STREAMS; i++) {
        for (size_t c = 0; c < w.channels; c++) {
            memcpy(joined + c * length + at, w.streams.values + w.streams.offsets[i] + c * stream_lengths[i],
                   stream_lengths[i] * sizeof *joined);
            joined[c * length + at + stream_lengths[i]] = NAN;
        }
        at += stream_lengths[i] + 1;
    }
    reader r = {{joined, length, w.channels}};
    (void)read_points(&r, 0, length, points);

    ww_search_stream *stream = NULL;
    collected *c = calloc(1, sizeof *c);
    ww_search_options options = options_of(&w, WW_SEARCH_OPEN, NULL);
    const ww_series_view queries = wwt_view(&w.queries);
    options.has_threshold = 1;
    options.threshold = 1e30;
    wwt_ok(ww_search_stream_create(wwt_context, &w.measure, &queries, &options, &stream));
    for (size_t t = 0; t < length;) {
        const size_t part = least_of(wwt_random_size(1, 9), length - t);
        wwt_ok(ww_search_stream_push(stream, points + t * w.channels, WW_DOUBLE, part, collect, c));
        t += part;
    }
    wwt_ok(ww_search_stream_finish(stream, collect, c));
    for (size_t q = 0; q < QUERIES; q++) {
        const wwr_series x = wwt_series(&w.queries, q);
        check(&w, "pushed", &x, &r.of, 0, false, c->matches[q], c->count[q]);
    }
    ww_search_stream_destroy(&stream);
    free(c);
    free(points);
    free(joined);
    work_free(&w);
}
END_TEST

// ---- whole streams in the queries

START_TEST(exchanged) {
    work w = work_of(_i);
    // These ends are the streams': a search for whole streams does not take them.
    w.measure.relax_begin_x = w.measure.relax_end_x = 0;
    ww_match *matches = calloc(STREAMS * K, sizeof *matches);
    size_t found[STREAMS];
    const ww_series_view longs = wwt_view(&w.streams), shorts = wwt_view(&w.queries);
    const ww_search_options options = options_of(&w, WW_SEARCH_SUPER, NULL);
    ww_search *search = NULL;
    wwt_ok(ww_search_create(wwt_context, &w.measure, &longs, &options, &search));
    wwt_ok(ww_search_run(search, &shorts, matches, found));
    for (size_t i = 0; i < STREAMS; i++)
        for (size_t q = 0; q < QUERIES; q++) {
            const wwr_series x = wwt_series(&w.queries, q), y = wwt_series(&w.streams, i);
            check(&w, "super", &x, &y, (int64_t)q, true, matches + i * K, found[i]);
        }
    ww_search_destroy(&search);
    free(matches);
    work_free(&w);
}
END_TEST

// ---- windows

static const ww_measure_id window_measures[] = {WW_DTW,  WW_ADTW, WW_WDTW, WW_FRECHET, WW_ERP,         WW_EDR,
                                                WW_LCSS, WW_MSM,  WW_TWED, WW_DDTW,    WW_LEVENSHTEIN, WW_LCS};
enum { WINDOW_MEASURES = sizeof window_measures / sizeof *window_measures, WINDOW = 9 };

// The windows of one search, with and without bounds, in one block and in many, of all streams and of one that is read:
// each window that has no missing value, and how many there are.
static void check_windows(work *w, const ww_series_view *queries, bool no_bounds, uint64_t max_bytes) {
    ww_search *search = NULL;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_search_info info = WW_SEARCH_INFO_INIT;
    ww_match *matches = calloc(2 * K, sizeof *matches);
    size_t found[2], whole = 0;
    ww_search_options options = options_of(w, WW_SEARCH_WINDOWS, &run);
    const ww_series_view streams = wwt_view(&w->streams);
    run.max_bytes = max_bytes;
    options.no_bounds = no_bounds;
    wwt_ok(ww_search_create(wwt_context, &w->measure, queries, &options, &search));
    for (size_t i = 0; i <= STREAMS; i++) { // the last: all of them
        reader r = {wwt_series(&w->streams, i < STREAMS ? i : 0)};
        ww_search_source source = WW_SEARCH_SOURCE_INIT;
        source.length = r.of.length;
        source.channels = w->channels;
        source.precision = WW_DOUBLE;
        source.read = read_points;
        source.user = &r;
        wwt_ok(i < STREAMS ? ww_search_run_source(search, &source, matches, found)
                           : ww_search_run(search, &streams, matches, found));
        wwt_ok(ww_search_get_info(search, &info));
        const size_t first = i < STREAMS ? i : 0, end = i < STREAMS ? i + 1 : STREAMS;
        size_t there = 0;
        for (size_t q = 0; q < 2; q++)
            for (size_t s = first; s < end; s++) {
                const wwr_series x = wwt_series(&w->queries, q), y = wwt_series(&w->streams, s);
                double values[LONGEST];
                if (y.length < x.length)
                    continue;
                wwr_search_windows(&w->measure, &x, &y, 0, values);
                size_t left = 0;
                for (size_t p = 0; p + x.length <= y.length; p++)
                    left += isfinite(values[p]) != 0;
                there += left;
                for (size_t k = 0; k < found[q]; k++) {
                    const ww_match *m = &matches[q * K + k];
                    if (m->stream != (int64_t)(s - first))
                        continue;
                    const double wanted = values[m->begin];
                    ck_assert_msg(fabs(m->distance - wanted) <= tolerance(w) * (1 + fabs(wanted)),
                                  "%s, band %d of width %g: window %ld of stream %zu: %.9g, expected %.9g",
                                  ww_measure_info_by_id(w->measure.id)->name, (int)w->measure.band.kind,
                                  w->measure.band.width, (long)m->begin, s, m->distance, wanted);
                    left--;
                }
                ck_assert_uint_eq(left, 0);
            }
        ck_assert_uint_eq(found[0] + found[1], there);
        ck_assert_msg(info.places == there, "%zu windows, not %zu", (size_t)info.places, there);
        ck_assert_uint_ge(info.cells, info.cells_started);
        whole += there;
    }
    ck_assert_uint_gt(whole, 0);
    ww_search_destroy(&search);
    free(matches);
}

// Every measure in every band, with a narrow one of one cell a row; in the daily run in a third of them.
START_TEST(windows) {
    size_t lo[WINDOW], hi[WINDOW];
    const ww_band bands[] = {{.kind = WW_BAND_NONE},
                             {.kind = WW_BAND_SAKOE_CHIBA, .width = 0},
                             {.kind = WW_BAND_SAKOE_CHIBA, .width = 2},
                             {.kind = WW_BAND_CORNER, .width = 1},
                             {.kind = WW_BAND_SLANTED, .width = 0.2},
                             {.kind = WW_BAND_ITAKURA, .width = 2},
                             {.kind = WW_BAND_ROWS, .lo = lo, .hi = hi, .rows = WINDOW}};
    static const size_t lengths[2] = {WINDOW, WINDOW};
    work w = {.channels = _i % 2 ? 2 : 1, .precision = _i / 2 % 2 && wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT};
    wwt_seed(7900 + (unsigned)_i);
    w.measure = wwt_measure(window_measures[_i]);
    w.measure.independent = 0;
    if (w.measure.id == WW_LCSS || w.measure.id == WW_EDR)
        w.measure.parameters[0] = w.channels == 2 ? 1.5 : 0.5;
    w.queries = halves(w.channels, lengths, 2);
    w.streams = halves(w.channels, stream_lengths, STREAMS);
    if (w.measure.id == WW_LEVENSHTEIN || w.measure.id == WW_LCS) // few symbols
        for (size_t i = 0; i < w.streams.offsets[STREAMS - 1] + stream_lengths[STREAMS - 1] * w.channels; i++)
            w.streams.values[i] = fabs(round(w.streams.values[i] / 3));
    for (size_t i = 0; (w.measure.id == WW_LEVENSHTEIN || w.measure.id == WW_LCS) && i < 2 * WINDOW * w.channels; i++)
        w.queries.values[i] = fabs(round(w.queries.values[i] / 3));
    set_gaps(&w);
    for (size_t t = 0; t < WINDOW; t++) { // steps of the band
        const size_t n = w.measure.id == WW_DDTW ? WINDOW - 2 : WINDOW;
        lo[t] = t < 3 ? 0 : t - 2;
        hi[t] = least_of(n, t < 2 ? 2 : t + 2);
    }
    for (size_t b = 0; b < sizeof bands / sizeof *bands; b++) {
        if (!wwt_turn((int)b + _i, 3))
            continue;
        const ww_series_view queries = wwt_view(&w.queries);
        w.measure.band = bands[b];
        if (w.measure.id == WW_DDTW && b == 6)
            w.measure.band.rows = WINDOW - 2;
        check_windows(&w, &queries, false, 0);
        check_windows(&w, &queries, true, 1);
    }
    work_free(&w);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("search_ways");
    wwt_add_chosen(suite, in_memory, LOOPS, NULL, chosen);
    wwt_add_chosen(suite, pushed, LOOPS, NULL, chosen);
    wwt_add_chosen(suite, exchanged, LOOPS, NULL, chosen);
    wwt_add(suite, windows, WINDOW_MEASURES);
    return wwt_run(suite);
}
