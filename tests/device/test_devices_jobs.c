// SPDX-License-Identifier: Apache-2.0
// Jobs of groups whose results are records: the bytes of one device, and devices that fail in the middle. test_group.c
// has groups themselves, and the jobs that fill arrays.
#include "base/random.h"
#include "devices.h"
#include "host.h"
#include <math.h>

enum { SERIES = 120, POINTS = 20, K = 3, PAIRS = 700 };

// Series of few values: many ties.
static wwt_set coarse(size_t count, size_t points, uint64_t seed) {
    size_t lengths[SERIES];
    for (size_t i = 0; i < count; i++)
        lengths[i] = points - i % 3;
    wwt_set set = wwt_set_make(1, lengths, count);
    for (size_t i = 0; i < set.offsets[count - 1] + lengths[count - 1]; i++)
        set.values[i] = (double)(wwi_random(&seed) % 5) / 7;
    return set;
}

// ---- classify

static const int64_t *labels(void) {
    static int64_t numbers[SERIES];
    for (size_t i = 0; i < SERIES; i++)
        numbers[i] = (int64_t)(i * i % 7 % 4);
    return numbers;
}

static ww_dataset_options labelled(ww_precision precision) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    options.precision = precision;
    options.label_numbers = labels();
    return options;
}

static ww_dataset *send_labelled(ww_context *group, const wwt_set *set) {
    const ww_dataset_options options = labelled(WW_FLOAT);
    const ww_series_view view = wwt_view(set);
    ww_dataset *data = NULL;
    wwt_ok(ww_dataset_create(group, &view, &options, &data));
    return data;
}

static ww_dataset *labelled_dataset(const wwt_set *set) {
    const ww_dataset_options options = labelled(WW_FLOAT);
    const ww_series_view view = wwt_view(set);
    ww_dataset *data = NULL;
    wwt_ok(ww_dataset_create(wwt_context, &view, &options, &data));
    return data;
}

static void check_same_classes(const ww_classification *a, const ww_classification *b) {
    ck_assert_uint_eq(a->total, b->total);
    ck_assert_uint_eq(a->classes, b->classes);
    ck_assert_uint_eq(a->labelled, b->labelled);
    ck_assert_uint_eq(a->correct, b->correct);
    ck_assert_uint_eq(a->pairs, b->pairs);
    ck_assert_uint_eq(a->cells, b->cells);
    ck_assert_uint_eq(a->k, b->k);
    ck_assert(!a->values == !b->values && !a->predicted == !b->predicted);
    if (a->values) {
        ck_assert(memcmp(a->values, b->values, a->total * sizeof *a->values) == 0);
    } else {
        ck_assert(memcmp(a->predicted, b->predicted, a->total * sizeof *a->predicted) == 0);
        ck_assert(memcmp(a->actual, b->actual, a->total * sizeof *a->actual) == 0);
        ck_assert(memcmp(a->confusion, b->confusion, a->classes * a->classes * sizeof *a->confusion) == 0);
    }
    ck_assert(!a->neighbours == !b->neighbours && !a->probabilities == !b->probabilities);
    if (a->neighbours) {
        ck_assert(memcmp(a->neighbours, b->neighbours, a->total * a->k * sizeof *a->neighbours) == 0);
        ck_assert(memcmp(a->distances, b->distances, a->total * a->k * sizeof *a->distances) == 0);
    }
    if (a->probabilities)
        ck_assert(memcmp(a->probabilities, b->probabilities, a->total * a->classes * sizeof *a->probabilities) == 0);
}

// By classes alone and with all that can be wanted, of a test set and of the train set itself, and regression.
START_TEST(classes_are_those_of_one_device) {
    wwt_set train = coarse(SERIES, POINTS, 1), test = coarse(SERIES - 30, POINTS, 2);
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_context *group = wwt_group_open(0.001), *other = wwt_group_open(0);
    ww_dataset *a = labelled_dataset(&train), *b = labelled_dataset(&test);
    ww_dataset *ga = send_labelled(group, &train), *gb = send_labelled(group, &test);
    ww_dataset *apart = send_labelled(other, &test);
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    ww_classification one = WW_CLASSIFICATION_INIT, found = WW_CLASSIFICATION_INIT;
    double targets[SERIES];
    int lost;
    for (size_t i = 0; i < SERIES; i++)
        targets[i] = (double)i / 3;
    for (int self = 0; self < 2; self++)
        for (int form = 0; form < 3; form++) {
            options.k = form ? K : 1;
            options.want_neighbours = options.want_probabilities = form == 1;
            options.vote = form == 1 ? WW_VOTE_DISTANCE : WW_VOTE_UNIFORM;
            options.targets = form == 2 ? targets : NULL;
            wwt_ok(ww_classify(&measure, a, self ? NULL : b, &options, &one));
            wwt_ok(ww_classify(&measure, ga, self ? NULL : gb, &options, &found));
            check_same_classes(&one, &found);
            ck_assert(wwt_group_tiles(group, &lost) >= wwt_group_least(group) && lost == 0);
            ww_classification_free(&one);
            ww_classification_free(&found);
        }
    ck_assert_int_eq(ww_classify(&measure, ga, apart, NULL, &found), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_classify(&measure, NULL, gb, NULL, &found), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_classify(&measure, ga, gb, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    options.k = 0;
    ck_assert_int_eq(ww_classify(&measure, ga, gb, &options, &found), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(found.predicted);
    ww_dataset *plain = wwt_group_upload(group, &train, WW_FLOAT);
    ck_assert_int_eq(ww_classify(&measure, plain, gb, NULL, &found), WW_ERROR_NO_LABELS);
    ww_dataset_destroy(&plain);
    ww_dataset_destroy(&apart);
    ww_dataset_destroy(&gb);
    ww_dataset_destroy(&ga);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
    ww_context_destroy(&other);
    ww_context_destroy(&group);
    wwt_set_free(&test);
    wwt_set_free(&train);
}
END_TEST

// ---- paths

static ww_status group_paths(ww_dataset *rows, ww_dataset *columns, const ww_measure *measure, size_t count,
                             ww_paths *found) {
    static size_t x[PAIRS], y[PAIRS];
    for (size_t i = 0; i < PAIRS; i++)
        x[i] = i * i % SERIES, y[i] = i % (SERIES - 30);
    return wwt_run_paths(measure, rows, columns, x, y, count, NULL, found);
}

// Measures with and without a border, open ends, and derivatives.
START_TEST(paths_are_those_of_one_device) {
    static const ww_measure_id ids[] = {WW_DTW, WW_ERP, WW_DDTW, WW_DTW};
    if (ids[_i] == WW_ERP && wwt_device_is_gpu())
        return; // there the last bits also depend on the number of pairs: docs/scale.md
    wwt_set rows = wwt_set_random(1, 5, 60, SERIES), columns = wwt_set_random(1, 5, 60, SERIES - 30);
    ww_measure measure = wwt_measure(ids[_i]);
    ww_context *group = wwt_group_open(0.001);
    ww_dataset *ga = wwt_group_upload(group, &rows, WW_FLOAT), *gb = wwt_group_upload(group, &columns, WW_FLOAT);
    ww_dataset *a = wwt_dataset(&rows, WW_FLOAT), *b = wwt_dataset(&columns, WW_FLOAT);
    ww_plan *plan = NULL;
    ww_paths one = WW_PATHS_INIT, found = WW_PATHS_INIT;
    size_t x[PAIRS], y[PAIRS];
    int lost;
    if (_i == 3)
        measure.relax_begin_y = measure.relax_end_y = 4;
    for (size_t i = 0; i < PAIRS; i++)
        x[i] = i * i % SERIES, y[i] = i % (SERIES - 30);
    wwt_ok(ww_plan_create_paths(&measure, a, b, x, y, PAIRS, NULL, &plan));
    wwt_ok(ww_plan_run_paths(plan, &one));
    wwt_ok(group_paths(ga, gb, &measure, PAIRS, &found));
    ck_assert(wwt_group_tiles(group, &lost) >= wwt_group_least(group) && lost == 0);
    ck_assert_uint_eq(found.count, PAIRS);
    ck_assert(memcmp(one.offsets, found.offsets, (PAIRS + 1) * sizeof *one.offsets) == 0);
    ck_assert(memcmp(one.cells, found.cells, 2 * one.offsets[PAIRS] * sizeof *one.cells) == 0);
    ck_assert(memcmp(one.distances, found.distances, PAIRS * sizeof *one.distances) == 0);
    ww_paths_free(&found);
    wwt_ok(wwt_run_paths(&measure, ga, NULL, NULL, NULL, SERIES, NULL, &found));
    ck_assert_uint_eq(found.count, SERIES);
    ww_paths_free(&found);
    ck_assert_int_eq(group_paths(ga, gb, &measure, 0, &found), WW_ERROR_EMPTY);
    ck_assert_ptr_null(found.cells);
    ck_assert_int_eq(wwt_run_paths(&measure, ga, gb, NULL, NULL, SERIES, NULL, &found), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwt_run_paths(&measure, ga, gb, x, NULL, PAIRS, NULL, &found), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwt_run_paths(&measure, ga, gb, x, y, PAIRS, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    measure.gamma = 1;
    if (_i == 0)
        ck_assert_int_eq(group_paths(ga, gb, &measure, PAIRS, &found), WW_ERROR_UNSUPPORTED);
    ww_paths_free(&one);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&gb);
    ww_dataset_destroy(&ga);
    ww_context_destroy(&group);
    wwt_set_free(&columns);
    wwt_set_free(&rows);
}
END_TEST

static ww_status run_paths(wwt_trial *t) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_paths found = WW_PATHS_INIT;
    const ww_status status = group_paths(t->data, NULL, &measure, PAIRS, &found);
    if (status == WW_OK) {
        uint64_t sum = 0;
        memcpy(t->found, found.offsets, (PAIRS + 1) * sizeof *found.offsets);
        for (uint64_t i = 0; i < 2 * found.offsets[PAIRS]; i++)
            sum = sum * 31 + (uint64_t)found.cells[i];
        ((uint64_t *)t->found)[PAIRS + 1] = sum;
    }
    ww_paths_free(&found);
    return status;
}

// ---- gradients

enum { VALUES = 1 << 22 };

// All outputs of a gradient, one after the other; their number.
static size_t outputs_in(float *values, const ww_gradient_info *sizes, bool weights, bool parameters,
                         ww_output outputs[6], ww_gradient_outputs *to) {
    const uint64_t counts[] = {
        sizes->pairs,    sizes->rows, sizes->columns, parameters ? sizes->parameters : 0, weights ? sizes->weights : 0,
        sizes->alignment};
    const ww_output **const places[] = {&to->values,     &to->rows,    &to->columns,
                                        &to->parameters, &to->weights, &to->alignment};
    size_t at = 0;
    for (int o = 0; o < 6; o++) {
        if (counts[o] == 0)
            continue;
        outputs[o] = (ww_output)WW_OUTPUT_HOST_BYTES(values + at, counts[o] * sizeof *values);
        *places[o] = &outputs[o];
        at += counts[o];
        ck_assert_uint_le(at, VALUES);
    }
    return at;
}

// The same bytes; on a GPU the last bits of soft minima depend on the pairs that run beside them: docs/scale.md.
static bool same_gradients(const float *whole, const float *found, size_t count, bool soft) {
    bool same = true;
    for (size_t i = 0; soft && wwt_device_is_gpu() && i < count; i++)
        same = same && fabsf(whole[i] - found[i]) <= 1e-4f * (1 + fabsf(whole[i]));
    return soft && wwt_device_is_gpu() ? same : memcmp(whole, found, count * sizeof *whole) == 0;
}

// Soft and hard, with derivatives, weights and parameters, divergences, and an upstream.
START_TEST(gradients_are_those_of_one_device) {
    enum { FEW = 2000 };
    static float whole[VALUES], found[VALUES], upstream[FEW];
    static size_t x[FEW], y[FEW];
    static const ww_measure_id ids[] = {WW_DTW, WW_MSM, WW_WDTW, WW_DDTW};
    wwt_set rows = wwt_set_random(1 + (size_t)_i % 2, 20, 50, 20),
            columns = wwt_set_random(1 + (size_t)_i % 2, 20, 50, 30);
    ww_measure measure = wwt_measure(ids[_i]);
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    ww_context *group = wwt_group_open(0.001);
    ww_dataset *ga = wwt_group_upload(group, &rows, WW_FLOAT), *gb = wwt_group_upload(group, &columns, WW_FLOAT);
    ww_dataset *a = wwt_dataset(&rows, WW_FLOAT), *b = wwt_dataset(&columns, WW_FLOAT);
    ww_gradient *gradient = NULL;
    ww_gradient_info info = WW_GRADIENT_INFO_INIT, sizes = WW_GRADIENT_INFO_INIT;
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    ww_output outputs[6];
    int lost;
    for (size_t i = 0; i < FEW; i++) {
        x[i] = i * i % 20, y[i] = i * 7 % 30;
        upstream[i] = (float)i / 9;
    }
    measure.gamma = _i == 1 ? 0 : 0.5;
    options.per_pair = options.alignment = 1;
    measure.independent = 0;
    options.divergence = _i == 0;
    options.weights = _i == 2;
    options.parameters = _i == 1;
    wwt_ok(ww_gradient_create_pairs(&measure, a, b, x, y, FEW, &options, &gradient));
    wwt_ok(ww_gradient_get_info(gradient, &info));
    ww_gradient *of_all = NULL;
    wwt_ok(ww_gradient_create_pairs(&measure, ga, gb, x, y, FEW, &options, &of_all));
    wwt_ok(ww_gradient_get_info(of_all, &sizes));
    ck_assert(sizes.pairs == info.pairs && sizes.rows == info.rows && sizes.columns == info.columns);
    ck_assert(sizes.weights == info.weights && sizes.alignment == info.alignment);
    ck_assert_uint_eq(sizes.parameters, info.parameters);
    const size_t count = outputs_in(whole, &info, options.weights, options.parameters, outputs, &to);
    to.upstream = _i % 2 ? upstream : NULL;
    wwt_ok(ww_gradient_run(gradient, &to));
    ck_assert_uint_eq(outputs_in(found, &sizes, options.weights, options.parameters, outputs, &to), count);
    memset(found, 0xff, sizeof found);
    for (int again = 0; again < 2; again++)
        wwt_ok(ww_gradient_run(of_all, &to));
    ww_gradient_destroy(&of_all);
    ck_assert(wwt_group_tiles(group, &lost) >= wwt_group_least(group) && lost == 0);
    ck_assert(same_gradients(whole, found, count, measure.gamma > 0));
    // What it refuses.
    upstream[FEW - 1] = NAN;
    to.upstream = upstream;
    ck_assert_int_eq(wwt_run_gradient(&measure, ga, gb, x, y, FEW, &options, &to), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(ww_last_error()->series, FEW - 1);
    to.upstream = NULL;
    outputs[1].bytes -= 4;
    ck_assert_int_eq(wwt_run_gradient(&measure, ga, gb, x, y, FEW, &options, &to), WW_ERROR_INVALID_ARGUMENT);
    outputs[1].bytes += 4;
    // Sums over pairs are one device's.
    static float sums[2][2 * 50 * 20];
    options.per_pair = 0;
    outputs[1].host = sums[0];
    outputs[1].bytes = sizeof sums[0];
    to.columns = NULL;
    wwt_ok(wwt_run_gradient(&measure, ga, gb, x, y, FEW, &options, &to));
    outputs[1].host = sums[1];
    wwt_ok(wwt_run_gradient(&measure, a, b, x, y, FEW, &options, &to));
    ck_assert(memcmp(sums[0], sums[1], sizeof sums[0]) == 0 && sums[0][0] != 0);
    to.rows = NULL;
    wwt_ok(wwt_run_gradient(&measure, ga, gb, x, y, FEW, &options, &to));
    ck_assert_int_eq(wwt_run_gradient(&measure, ga, gb, x, y, FEW, &options, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwt_run_gradient(&measure, ga, gb, NULL, NULL, 21, &options, &to), WW_ERROR_INVALID_ARGUMENT);
    to = (ww_gradient_outputs)WW_GRADIENT_OUTPUTS_INIT;
    ck_assert_int_eq(wwt_run_gradient(&measure, ga, gb, x, y, FEW, &options, &to), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwt_run_gradient(&measure, ga, gb, x, y, 0, &options, &to), WW_ERROR_EMPTY);
    ww_gradient_destroy(&gradient);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&gb);
    ww_dataset_destroy(&ga);
    ww_context_destroy(&group);
    wwt_set_free(&columns);
    wwt_set_free(&rows);
}
END_TEST

static ww_status run_gradient(wwt_trial *t) {
    ww_measure measure = wwt_measure(WW_DTW);
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    const ww_output values = WW_OUTPUT_HOST(t->found);
    size_t x[SERIES], y[SERIES];
    measure.gamma = 1;
    to.values = &values;
    for (size_t i = 0; i < SERIES; i++)
        x[i] = i, y[i] = i * i % SERIES;
    return wwt_run_gradient(&measure, t->data, NULL, x, y, SERIES, NULL, &to);
}

// ---- searches

enum { SEARCHES = 8, STREAMS = 3, QUERIES = 4, BEST = 5 };

typedef struct search_case {
    ww_measure_id id;
    ww_search_kind kind;
    int znormalise;
    size_t channels, exclusion;
} search_case;

// Windows by parts, also derived, z-normalised, in channels and far apart; what is divided by queries.
static const search_case searches[SEARCHES] = {{WW_DTW, WW_SEARCH_WINDOWS, 0, 1, WW_SEARCH_HALF},
                                               {WW_DTW, WW_SEARCH_WINDOWS, 1, 1, 3},
                                               {WW_MSM, WW_SEARCH_WINDOWS, 1, 2, 0},
                                               {WW_DDTW, WW_SEARCH_WINDOWS, 0, 1, WW_SEARCH_HALF},
                                               {WW_LCSS, WW_SEARCH_WINDOWS, 0, 1, 2},
                                               {WW_DTW, WW_SEARCH_WINDOWS, 0, 1, 1 << 22},
                                               {WW_DTW, WW_SEARCH_OPEN, 0, 1, WW_SEARCH_HALF},
                                               {WW_DTW, WW_SEARCH_SUPER, 0, 1, 0}};

static int read_points(void *user, uint64_t first, size_t count, void *values) {
    memcpy(values, (const double *)user + first, count * sizeof(double));
    return 0;
}

static void round_values(wwt_set *set, size_t values) {
    for (size_t i = 0; i < values; i++)
        set->values[i] = floor(4 * set->values[i]) / 4; // many ties
}

START_TEST(matches_are_those_of_one_device) {
    const search_case *c = &searches[_i];
    const bool super = c->kind == WW_SEARCH_SUPER;
    size_t lengths[STREAMS] = {5000, 70, 9001}, short_lengths[QUERIES] = {20, 33, 20, 12};
    for (size_t i = 0; super && i < STREAMS; i++)
        lengths[i] = 30 + i;
    for (size_t i = 0; super && i < QUERIES; i++)
        short_lengths[i] *= 40;
    wwt_set streams = wwt_set_make(c->channels, lengths, STREAMS),
            queries = wwt_set_make(c->channels, short_lengths, QUERIES);
    round_values(&streams, (lengths[0] + lengths[1] + lengths[2]) * c->channels);
    round_values(&queries, (short_lengths[0] + short_lengths[1]) * c->channels);
    const ww_series_view x = wwt_view(&streams), q = wwt_view(&queries);
    const ww_measure measure = wwt_measure(c->id);
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_search *search = NULL;
    ww_context *group = wwt_group_open(0.001);
    ww_match one[QUERIES * BEST], found[QUERIES * BEST];
    size_t counts[2][QUERIES];
    int lost;
    options.kind = c->kind;
    options.znormalise = c->znormalise;
    options.k = BEST;
    options.exclusion = c->exclusion;
    wwt_ok(ww_search_create(wwt_context, &measure, &q, &options, &search));
    wwt_ok(ww_search_run(search, &x, one, counts[0]));
    memset(found, 0xff, sizeof found);
    wwt_ok(wwt_run_search(group, &measure, &q, &options, &x, found, counts[1]));
    ck_assert(memcmp(one, found, sizeof one) == 0 && memcmp(counts[0], counts[1], sizeof counts[0]) == 0);
    const ww_search_info of_group = wwt_searched;
    ww_search_info info = WW_SEARCH_INFO_INIT;
    wwt_ok(ww_search_get_info(search, &info));
    ck_assert(of_group.launches > 0 && of_group.cells_started <= of_group.cells);
    ck_assert_uint_ge(of_group.places, info.places);
    if (c->kind != WW_SEARCH_WINDOWS || c->exclusion == 1 << 22) // divided by queries
        ck_assert(of_group.places == info.places && of_group.excluded_kim == info.excluded_kim &&
                  of_group.abandoned == info.abandoned && of_group.cells == info.cells);
    const double tiles = wwt_group_tiles(group, &lost);
    ck_assert(lost == 0 && (tiles >= wwt_group_least(group) || super));
    // One stream that is read.
    ww_search_source source = WW_SEARCH_SOURCE_INIT;
    source.length = lengths[0];
    source.precision = WW_DOUBLE;
    source.read = read_points;
    source.user = streams.values;
    source.concurrent = 1;
    // One that only one thread at a time may read is one device's.
    for (source.concurrent = 1; source.concurrent >= 0 && c->channels == 1 && !super; source.concurrent--) {
        wwt_ok(ww_search_run_source(search, &source, one, counts[0]));
        memset(found, 0xff, sizeof found);
        wwt_ok(wwt_run_search_source(group, &measure, &q, &options, &source, found, counts[1]));
        ck_assert(memcmp(one, found, sizeof one) == 0 && memcmp(counts[0], counts[1], sizeof counts[0]) == 0);
    }
    ck_assert_int_eq(wwt_run_search(NULL, &measure, &q, &options, &x, found, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(wwt_run_search(group, NULL, &q, &options, &x, found, NULL), WW_ERROR_INVALID_ARGUMENT);
    options.k = 0;
    ck_assert_int_eq(wwt_run_search(group, &measure, &q, &options, &x, found, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_search_destroy(&search);
    ww_context_destroy(&group);
    wwt_set_free(&queries);
    wwt_set_free(&streams);
}
END_TEST

static ww_status run_search(wwt_trial *t) {
    const wwt_set *set = t->more;
    const ww_series_view streams = wwt_view(set);
    ww_series_view queries = streams;
    const ww_measure measure = wwt_measure(WW_MSM);
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    queries.count = 1;
    options.kind = WW_SEARCH_WINDOWS;
    options.k = BEST;
    return wwt_run_search(t->group, &measure, &queries, &options, &streams, t->found, NULL);
}

// ---- failures

static ww_status run_classes(wwt_trial *t) {
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    ww_classification found = WW_CLASSIFICATION_INIT;
    options.k = K;
    options.want_neighbours = 1;
    const ww_status status = ww_classify(&measure, t->data, NULL, &options, &found);
    if (status == WW_OK)
        memcpy(t->found, found.neighbours, t->bytes);
    ww_classification_free(&found);
    return status;
}

// Queries of several lengths, of which those of one length follow each other or not, in a stream that is long enough
// for a sample: with bounds on one device and on two, what no bounds find. Where the stream rests, more places are
// alike than a list has room for.
enum { MANY = 24, LONG = 600000, RESTS = 9000, MOST_LENGTH = 24 };

static void many_run(ww_context *context, const ww_measure *measure, const ww_series_view *queries,
                     const ww_series_view *stream, int no_bounds, ww_match *matches) {
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_search_info info = WW_SEARCH_INFO_INIT;
    ww_search *search = NULL;
    options.kind = WW_SEARCH_WINDOWS;
    options.k = BEST;
    options.znormalise = 1;
    options.no_bounds = no_bounds;
    wwt_ok(ww_search_create(context, measure, queries, &options, &search));
    wwt_ok(ww_search_run(search, stream, matches, NULL));
    wwt_ok(ww_search_get_info(search, &info));
    ck_assert(no_bounds == (info.excluded_kim + info.excluded_keogh + info.excluded_keogh_turned == 0));
    ww_search_destroy(&search);
}

START_TEST(many_queries_are_one_by_one) {
    static const ww_measure_id ids[] = {WW_DTW, WW_FRECHET};
    static float values[MANY * MOST_LENGTH], points[LONG];
    static ww_match whole[MANY * BEST], found[MANY * BEST];
    size_t lengths[MANY], before = 0;
    ww_context *group = wwt_group_open(0.01);
    ww_measure measure = wwt_measure(ids[_i]);
    ww_series_view queries = WW_SERIES_VIEW_INIT, stream = WW_SERIES_VIEW_INIT;
    wwt_seed(5500);
    measure.band = (ww_band){WW_BAND_SAKOE_CHIBA, 2, NULL, NULL, 0};
    for (size_t i = 0, t = 0; i < MANY; i++) {
        lengths[i] = i < 10 || i % 7 == 0 ? MOST_LENGTH : i % 2 ? 17 : 7;
        for (float v = 0; t < before + lengths[i]; t++)
            values[t] = v += (float)wwt_random();
        before += lengths[i];
    }
    for (size_t t = 0; t < LONG; t++)
        points[t] = t && t % (LONG / 3) > RESTS ? points[t - 1] + (float)wwt_random() : 1;
    queries.values = values;
    stream.values = points;
    queries.count = MANY;
    stream.count = 1;
    queries.lengths = lengths;
    stream.length = LONG;
    queries.precision = stream.precision = WW_FLOAT;
    many_run(wwt_context, &measure, &queries, &stream, 1, whole);
    many_run(wwt_context, &measure, &queries, &stream, 0, found);
    ck_assert(memcmp(whole, found, sizeof whole) == 0);
    many_run(group, &measure, &queries, &stream, 0, found);
    ck_assert(memcmp(whole, found, sizeof whole) == 0);
    // The form for GPUs of the bounds.
    wwt_ok(wwi_tuning_try(wwt_context, "form.items", NULL, 1));
    many_run(wwt_context, &measure, &queries, &stream, 0, found);
    ck_assert(memcmp(whole, found, sizeof whole) == 0);
    wwt_ok(wwi_tuning_try(wwt_context, "form.items", NULL, 0));
    ww_context_destroy(&group);
}
END_TEST

START_TEST(a_device_fails_in_the_middle) {
    wwt_set set = coarse(SERIES, 4 * POINTS, 3);
    static int64_t neighbours[SERIES * K];
    static uint64_t paths[PAIRS + 2];
    static float values[SERIES];
    static ww_match matches[BEST];
    wwt_trial t = {.group = wwt_group_open(0.001), .run = run_classes};
    t.data = send_labelled(t.group, &set);
    t.found = neighbours;
    t.bytes = sizeof neighbours;
    wwt_group_failures(&t);
    t.run = run_paths;
    t.found = paths;
    t.bytes = sizeof paths;
    wwt_group_failures(&t);
    t.run = run_gradient;
    t.found = values;
    t.bytes = sizeof values;
    wwt_group_failures(&t);
    size_t lengths[2] = {100, 15000};
    wwt_set streams = wwt_set_make(1, lengths, 2);
    t.run = run_search;
    t.more = &streams;
    t.found = matches;
    t.bytes = sizeof matches;
    wwt_group_failures(&t);
    wwt_set_free(&streams);
    ww_dataset_destroy(&t.data);
    ww_context_destroy(&t.group);
    wwt_set_free(&set);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("devices_jobs");
    wwt_add(suite, classes_are_those_of_one_device, 1);
    wwt_add(suite, paths_are_those_of_one_device, 4);
    wwt_add(suite, gradients_are_those_of_one_device, 4);
    wwt_add(suite, matches_are_those_of_one_device, SEARCHES);
    wwt_add(suite, many_queries_are_one_by_one, 2);
    wwt_add(suite, a_device_fails_in_the_middle, 1);
    return wwt_run(suite);
}
