// SPDX-License-Identifier: Apache-2.0
// Shapelets: against a brute force in double, the reference trees of three archive sets, model files whole, cut and
// damaged, checkpoints, refusals.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "host.h"
#include "reference/shapelet_reference.h"
#include "set_jobs.h"
#include "support.h"
#include "vectors/known_accuracy.h"

// ---- sets

typedef struct labelled {
    ww_series_set *set;
    wwr_shapelet_set reference;
    size_t lengths[64], labels[64];
    const double *values[64];
} labelled;

static labelled *make_set(size_t count, size_t channels, size_t least, size_t most, size_t classes, double scale,
                          double offset) {
    labelled *l = calloc(1, sizeof *l);
    l->set = wwt_set_of_bumps(count, channels, least, most, classes, scale, offset);
    for (size_t i = 0; i < count; i++) {
        l->labels[i] = i % classes;
        l->lengths[i] = ww_series_set_length(l->set, i);
        l->values[i] = ww_series_set_values(l->set, i);
    }
    l->reference = (wwr_shapelet_set){count, channels, classes, l->lengths, l->values, l->labels};
    return l;
}

static void free_set(labelled *l) {
    ww_series_set_destroy(&l->set);
    free(l);
}

static void same_shapelet(const ww_shapelets *model, size_t i, const wwr_shapelet *expected) {
    ww_shapelet s = WW_SHAPELET_INIT;
    wwt_ok(ww_shapelets_get_shapelet(model, i, &s));
    ck_assert_msg(s.series == expected->series && s.start == expected->start && s.length == expected->length,
                  "shapelet %zu is %zu %zu %zu (quality %.9g gain %.9g gap %.9g), not %zu %zu %zu (%.9g %.9g %.9g)", i,
                  s.series, s.start, s.length, s.quality, s.gain, s.gap, expected->series, expected->start,
                  expected->length, expected->quality, expected->gain, expected->gap);
    ck_assert_double_eq_tol(s.quality, expected->quality, 1e-9 * fmax(1, expected->quality));
    ck_assert_double_eq_tol(s.gain, expected->gain, 1e-9);
    ck_assert_double_eq_tol(s.gap, expected->gap, 1e-7 * fmax(1, expected->gap));
    ck_assert_double_eq_tol(s.threshold, expected->threshold, 1e-7 * fmax(1, expected->threshold));
}

static wwr_shapelet_search search_of(const ww_shapelets_options *o, const labelled *l) {
    return (wwr_shapelet_search){o->min_length ? o->min_length : 3,
                                 o->max_length ? o->max_length : ww_series_set_min_length(l->set),
                                 o->length_step ? o->length_step : 1,
                                 o->start_step ? o->start_step : 1,
                                 o->raw != 0,
                                 o->unscaled != 0,
                                 (int)o->quality,
                                 NULL,
                                 false};
}

static void check_best(const labelled *l, ww_shapelets_options *o, size_t k) {
    ww_shapelets *model = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    wwr_shapelet expected[8];
    const wwr_shapelet_search search = search_of(o, l);
    o->best = k;
    o->no_tree = 1;
    const size_t found = wwr_shapelet_best(&l->reference, &search, k, expected);
    ck_assert_uint_eq(found, k);
    wwt_ok(wwt_shapelets(l->set, o, &model));
    wwt_ok(ww_shapelets_get_info(model, &info));
    ck_assert_uint_eq(info.best, k);
    ck_assert_uint_eq(info.nodes, 0);
    for (size_t i = 0; i < k; i++)
        same_shapelet(model, i, &expected[i]);
    ww_shapelets_destroy(&model);
}

// ---- discovery

typedef struct shape {
    size_t count, channels, least, most, classes;
    double scale, offset;
    size_t min_length, max_length, length_step, start_step;
    int raw, unscaled;
    ww_shapelet_quality quality;
} shape;

static const shape shapes[] = {
    {12, 1, 20, 20, 2, 1, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_GAIN},
    {18, 1, 16, 26, 3, 1, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_GAIN},
    {12, 1, 18, 24, 5, 1e-3, 1e6, 3, 15, 0, 0, 0, 0, WW_SHAPELET_GAIN},
    {10, 1, 20, 20, 2, 1e-3, 1e6, 4, 0, 3, 2, 0, 0, WW_SHAPELET_GAIN},
    {18, 3, 14, 16, 3, 1, 5, 0, 0, 0, 0, 0, 0, WW_SHAPELET_GAIN},
    {12, 2, 16, 20, 2, 1, 0, 5, 14, 4, 3, 1, 0, WW_SHAPELET_GAIN},
    {12, 1, 20, 20, 3, 10, 100, 0, 0, 0, 0, 1, 1, WW_SHAPELET_GAIN},
    {12, 1, 20, 24, 3, 1, 0, 0, 0, 5, 0, 0, 1, WW_SHAPELET_GAIN},
    {12, 1, 20, 20, 3, 1, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_F},
    {12, 1, 20, 20, 3, 1, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_KRUSKAL_WALLIS},
    {13, 1, 20, 20, 3, 1, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_MOOD},
    {20, 1, 30, 60, 3, 1, 1e4, 3, 3, 0, 0, 0, 0, WW_SHAPELET_GAIN},
    {14, 1, 20, 24, 2, 1, 0, 2, 3, 0, 0, 0, 1, WW_SHAPELET_GAIN},
    // Several tiles of windows.
    {6, 1, 90, 140, 2, 1, 0, 3, 11, 0, 0, 0, 0, WW_SHAPELET_GAIN},
    {6, 1, 90, 140, 2, 1e-3, 1e6, 5, 80, 7, 0, 0, 0, WW_SHAPELET_GAIN},
    // More windows than local memory holds. Not where few are wanted: rusticl's llvmpipe (22.3) gets it wrong, in every
    // form.
    {4, 1, 520, 530, 2, 1, 0, 18, 259, 241, 0, 0, 0, WW_SHAPELET_GAIN},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static ww_shapelets_options options_of(const shape *s) {
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.min_length = s->min_length;
    o.max_length = s->max_length;
    o.length_step = s->length_step;
    o.start_step = s->start_step;
    o.raw = s->raw;
    o.unscaled = s->unscaled;
    o.quality = s->quality;
    return o;
}

// The best, and the best four without overlap.
START_TEST(brute_force) {
    const shape *s = &shapes[_i];
    wwt_seed((unsigned)_i);
    labelled *l = make_set(s->count, s->channels, s->least, s->most, s->classes, s->scale, s->offset);
    ww_shapelets_options o = options_of(s);
    check_best(l, &o, 1);
    check_best(l, &o, 4);
    free_set(l);
}
END_TEST

// Chunks of few columns, tables of few series; the host's tables; on a CPU the form for GPUs. With what is for many
// series or candidates: sifting, weighing on the device, several work-items to a candidate's keys.
typedef struct way {
    size_t shape;
    const char *name; // of a tuning parameter; NULL: in chunks
    long value;
} way;

static const way ways[] = {
    {4, NULL, 0},
    {1, NULL, 0},
    {4, "form.shapelets.double", 2},
    {1, "form.shapelets.double", 2},
    {4, "form.shapelets.vector", 1},
    {1, "form.shapelets.vector", 1},
    {0, "form.shapelets.vector", 1},     // two classes
    {2, "form.shapelets.vector", 1},     // offset
    {7, "form.shapelets.vector", 1},     // sparse lengths
    {7, "form.shapelets.row_series", 1}, // a part has a series
    {6, "form.shapelets.vector", 1},     // raw
    {11, "form.shapelets.vector", 1},    // two and three points
    {12, "form.shapelets.vector", 1},
    {1, "form.shapelets.tensor", 1},
    {2, "form.shapelets.tensor", 1},
    {13, "form.shapelets.tensor", 1},
    {14, "form.shapelets.vector", 1},
    {15, "form.shapelets.vector", 1}, // in pieces; these two not where few are wanted
    {15, "form.shapelets.row_series", 1},
};
enum { WAYS = sizeof ways / sizeof *ways };

START_TEST(other_ways) {
    const way *w = &ways[_i];
    const shape *s = &shapes[w->shape];
    wwt_seed(77);
    labelled *l = make_set(s->count, s->channels, s->least, s->most, s->classes, s->scale, s->offset);
    ww_shapelets_options o = options_of(s);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    if (!w->name) {
        run.max_bytes = 60000;
        run.launch_seconds = 1e-6;
        o.run = &run;
    } else {
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets.sift", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets.weigh", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets.split_across", NULL, 8)); // shares of a candidate's keys
        if (strcmp(w->name, "form.shapelets.double") != 0)
            wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets.vector", NULL, 1));
        // Only where that is meant: products by matrix units, or by their twin.
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets.tensor", NULL, 2));
        wwt_ok(wwi_tuning_try(wwt_context, w->name, NULL, w->value));
    }
    check_best(l, &o, 1);
    check_best(l, &o, 3);
    free_set(l);
}
END_TEST

// Series that differ by less than float can tell: only the bounds keep candidates until double decides.
START_TEST(close_series) {
    double base[24];
    labelled *l = calloc(1, sizeof *l);
    wwt_ok(ww_series_set_create(1, &l->set));
    wwt_seed(9);
    const size_t classes = _i < 2 ? 3 : 2;
    for (size_t t = 0; t < 24; t++)
        base[t] = wwt_random();
    for (size_t i = 0; i < 18; i++) {
        double values[24];
        for (size_t t = 0; t < 24; t++)
            values[t] = base[t] + 1e-6 * wwt_random() +
                        (i % classes && t > 7 && t < 16 ? 3e-6 * (double)(i % classes) * cos((double)t) : 0);
        l->lengths[i] = 24;
        l->labels[i] = i % classes;
        wwt_ok(ww_series_set_add(l->set, 24, values, i % classes == 0 ? "a" : i % classes == 1 ? "b" : "c"));
    }
    for (size_t i = 0; i < 18; i++)
        l->values[i] = ww_series_set_values(l->set, i);
    l->reference = (wwr_shapelet_set){18, 1, classes, l->lengths, l->values, l->labels};
    if (_i) {
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets.sift", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets.vector", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets.tensor", NULL, _i == 3 ? 1 : 2));
    }
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    check_best(l, &o, 1);
    check_best(l, &o, 3);
    // In small chunks: their lists have no room for all that is kept.
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.max_bytes = 30000;
    o.run = &run;
    check_best(l, &o, 1);
    o.length_step = 4;
    check_best(l, &o, 2);
    free_set(l);
}
END_TEST

// Flat windows: equal to one another, at a distance of 1 from others.
START_TEST(flat_windows) {
    ww_shapelets *model = NULL;
    if (_i) { // on a CPU the form for GPUs
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets.sift", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets.vector", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets.tensor", NULL, _i == 2 ? 1 : 2));
    }
    labelled *l = calloc(1, sizeof *l);
    wwt_ok(ww_series_set_create(1, &l->set));
    wwt_seed(5);
    for (size_t i = 0; i < 8; i++) {
        double values[16];
        for (size_t t = 0; t < 16; t++)
            values[t] = i % 2 && t > 3 && t < 3 + 4 + i ? 1e6 : 1e6 + 1e-3 * wwt_random();
        l->lengths[i] = 16;
        l->labels[i] = i % 2;
        wwt_ok(ww_series_set_add(l->set, 16, values, i % 2 ? "flat" : "not"));
    }
    for (size_t i = 0; i < 8; i++)
        l->values[i] = ww_series_set_values(l->set, i);
    l->reference = (wwr_shapelet_set){8, 1, 2, l->lengths, l->values, l->labels};
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    check_best(l, &o, 1);
    o.length_step = 4;
    check_best(l, &o, 2);
    o.max_length = 3;
    check_best(l, &o, 2);
    // A series of one value only.
    double same[16] = {0};
    ww_series_set *set = NULL;
    wwt_ok(ww_series_set_create(1, &set));
    wwt_ok(ww_series_set_add(set, 16, same, "a"));
    wwt_ok(ww_series_set_add(set, 16, same, "b"));
    ww_shapelets_options tree = WW_SHAPELETS_OPTIONS_INIT;
    wwt_ok(wwt_shapelets(set, &tree, &model));
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    wwt_ok(ww_shapelets_get_info(model, &info));
    ck_assert_uint_eq(info.nodes, 1); // nothing tells them apart
    int64_t classes[2];
    wwt_ok(wwt_predict(model, set, NULL, classes, NULL));
    ck_assert_int_eq(classes[0], 0);
    ck_assert_int_eq(classes[1], 0);
    ww_shapelets_destroy(&model);
    ww_series_set_destroy(&set);
    free_set(l);
}
END_TEST

// A sample is of the candidates, the same for the same seed; as large as all, it is all.
START_TEST(samples) {
    ww_shapelets *model = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    ww_shapelet first = WW_SHAPELET_INIT, s = WW_SHAPELET_INIT;
    wwt_seed(9);
    labelled *l = make_set(10, 1, 18, 22, 2, 1, 0);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.sample = 100;
    o.no_tree = 1;
    o.best = 1;
    for (int again = 0; again < 2; again++) {
        wwt_ok(wwt_shapelets(l->set, &o, &model));
        wwt_ok(ww_shapelets_get_info(model, &info));
        ck_assert_uint_eq(info.candidates, 100);
        wwt_ok(ww_shapelets_get_shapelet(model, 0, &s));
        if (again)
            ck_assert(s.series == first.series && s.start == first.start && s.length == first.length);
        first = s;
        // Its gain is what the brute force computes for that candidate.
        double d[10];
        wwr_shapelet expected = {s.series, s.start, s.length, 0, 0, 0, 0};
        for (size_t j = 0; j < 10; j++)
            d[j] = j == s.series ? 0
                                 : wwr_shapelet_distance(s.values, s.length, s.length, 1, l->values[j], l->lengths[j],
                                                         false, false, NULL);
        wwr_shapelet_split(d, NULL, l->labels, 10, 2, 0, &expected);
        same_shapelet(model, 0, &expected);
        ww_shapelets_destroy(&model);
    }
    o.sample = 1000000;
    check_best(l, &o, 2);
    o.sample = 0;
    o.seconds = 3600; // in another order, and still all
    check_best(l, &o, 1);
    check_best(l, &o, 3);
    o.seconds = 1e-9;
    o.best = 1;
    wwt_ok(wwt_shapelets(l->set, &o, &model));
    wwt_ok(ww_shapelets_get_info(model, &info));
    ck_assert_int_eq(info.stopped, 1);
    ck_assert_uint_gt(info.candidates, 0);
    ww_shapelets_destroy(&model);
    free_set(l);
}
END_TEST

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Different numbers below `total`, as the search draws them.
static void draw(uint64_t *numbers, size_t wanted, uint64_t total, uint64_t seed) {
    for (size_t drawn = 0; drawn < wanted;) {
        while (drawn < wanted)
            numbers[drawn++] = wwi_random(&seed) % total;
        qsort(numbers, wanted, sizeof *numbers, by_number);
        drawn = 0;
        for (size_t i = 0; i < wanted; i++)
            if (i == 0 || numbers[i] != numbers[i - 1])
                numbers[drawn++] = numbers[i];
    }
}

// The gain that candidate `number` has: of all series, starts and lengths from `least` to `most`, in this order.
static double gain_of(const labelled *l, size_t least, size_t most, uint64_t number, bool raw) {
    for (size_t i = 0; i < l->reference.count; i++)
        for (size_t start = 0; start + least <= l->lengths[i]; start++) {
            const size_t left = l->lengths[i] - start, lengths = (left < most ? left : most) - least + 1;
            if (number >= lengths) {
                number -= lengths;
                continue;
            }
            double d[64];
            wwr_shapelet found = {i, start, least + (size_t)number, 0, 0, 0, 0};
            for (size_t j = 0; j < l->reference.count; j++)
                d[j] = j == i ? 0
                              : wwr_shapelet_distance(l->values[i] + start, found.length, found.length, 1, l->values[j],
                                                      l->lengths[j], raw, false, NULL);
            wwr_shapelet_split(d, NULL, l->labels, l->reference.count, l->reference.classes, 0, &found);
            return found.gain;
        }
    return NAN;
}

// The best of a small sample, whose lengths are far apart.
START_TEST(best_of_a_sample) {
    enum { SAMPLE = 60, LEAST = 3, MOST = 40 };
    uint64_t numbers[SAMPLE];
    ww_shapelets *model = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    wwt_seed(12 + (unsigned)_i / 2);
    labelled *l = make_set(40, 1, MOST, 60, 3, 1, 0);
    o.no_tree = 1;
    o.best = 1;
    o.min_length = LEAST;
    o.max_length = MOST;
    o.raw = _i % 2;
    uint64_t total = 0;
    for (size_t i = 0; i < 40; i++)
        for (size_t start = 0; start + LEAST <= l->lengths[i]; start++)
            total += (l->lengths[i] - start < MOST ? l->lengths[i] - start : MOST) - LEAST + 1;
    o.sample = SAMPLE;
    for (o.seed = 1; o.seed <= 6; o.seed++) {
        double best = 0;
        ww_shapelet s = WW_SHAPELET_INIT;
        draw(numbers, SAMPLE, total, o.seed);
        for (size_t i = 0; i < SAMPLE; i++)
            best = fmax(best, gain_of(l, LEAST, MOST, numbers[i], o.raw != 0));
        wwt_ok(wwt_shapelets(l->set, &o, &model));
        wwt_ok(ww_shapelets_get_info(model, &info));
        ck_assert_uint_eq(info.candidates, SAMPLE);
        wwt_ok(ww_shapelets_get_shapelet(model, 0, &s));
        ck_assert_double_eq_tol(s.gain, best, 1e-9);
        ww_shapelets_destroy(&model);
    }
    free_set(l);
}
END_TEST

// ---- logical shapelets

// Terms are taken greedily: the second is the best of all candidates joined to the first, by and or by or.
START_TEST(terms) {
    ww_shapelets *model = NULL;
    ww_shapelet_node root = WW_SHAPELET_NODE_INIT;
    ww_shapelet first = WW_SHAPELET_INIT;
    wwt_seed(31 + (unsigned)_i);
    labelled *l = make_set(12, 1, 14, 16, 2, 1, 0);
    // Labels that no single shapelet explains.
    ww_series_set *set = NULL;
    wwt_ok(ww_series_set_create(1, &set));
    for (size_t i = 0; i < 12; i++) {
        l->labels[i] = (i / 2 + i / 5) % 2;
        wwt_ok(ww_series_set_add(set, l->lengths[i], l->values[i], l->labels[i] ? "b" : "a"));
    }
    const size_t swap = l->labels[0]; // class numbers count labels in order
    for (size_t i = 0; i < 12; i++)
        l->labels[i] ^= swap;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.terms = 2;
    o.max_depth = 1;
    o.length_step = _i ? 3 : 1;
    wwt_ok(wwt_shapelets(set, &o, &model));
    wwt_ok(ww_shapelets_get_node(model, 0, &root));
    wwt_ok(ww_shapelets_get_shapelet(model, 0, &first));
    wwr_shapelet_search search = search_of(&o, l);
    wwr_shapelet expected[3];
    double before[12];
    ck_assert_uint_eq(wwr_shapelet_best(&l->reference, &search, 1, expected), 1);
    same_shapelet(model, 0, &expected[0]);
    for (size_t j = 0; j < 12; j++)
        before[j] = j == first.series ? 0
                                      : wwr_shapelet_distance(first.values, first.length, first.length, 1, l->values[j],
                                                              l->lengths[j], false, false, NULL);
    search.before = before;
    for (int any = 0; any < 2; any++) {
        search.any = any;
        ck_assert_uint_eq(wwr_shapelet_best(&l->reference, &search, 1, &expected[1 + any]), 1);
    }
    const int any = expected[2].gain > expected[1].gain + 1e-9 ||
                    (expected[2].gain > expected[1].gain - 1e-9 && expected[2].gap > expected[1].gap);
    const bool better = expected[1 + any].gain > expected[0].gain + 1e-9;
    ck_assert_uint_eq(root.terms, better ? 2 : 1);
    if (better) {
        ck_assert_int_eq(ww_shapelets_get_op(model, 1), any ? WW_SHAPELET_OR : WW_SHAPELET_AND);
        same_shapelet(model, 1, &expected[1 + any]);
        ck_assert_double_eq_tol(root.threshold, expected[1 + any].threshold, 1e-9);
    }
    // The training series fall to the sides that the joined distance says.
    int64_t classes[12];
    wwt_ok(wwt_predict(model, set, NULL, classes, NULL));
    ww_shapelets_destroy(&model);
    ww_series_set_destroy(&set);
    free_set(l);
}
END_TEST

// ---- use

START_TEST(transform) {
    ww_shapelets *model = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    wwt_seed(3);
    labelled *l = make_set(9, 2, 16, 20, 3, 1, 0), *other = make_set(7, 2, 4, 30, 3, 1, 0);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.best = 3;
    o.min_length = 5;
    wwt_ok(wwt_shapelets(l->set, &o, &model));
    wwt_ok(ww_shapelets_get_info(model, &info));
    double d[7 * 3];
    uint64_t at[7 * 3];
    wwt_ok(wwt_transform(model, other->set, NULL, 0, 3, d, at));
    for (size_t i = 0; i < 7; i++)
        for (size_t k = 0; k < 3; k++) {
            ww_shapelet s = WW_SHAPELET_INIT;
            size_t start = 0;
            wwt_ok(ww_shapelets_get_shapelet(model, k, &s));
            const double expected = wwr_shapelet_distance(s.values, s.length, s.length, 2, other->values[i],
                                                          other->lengths[i], false, false, &start);
            if (other->lengths[i] < s.length) {
                ck_assert(isinf(d[i * 3 + k]));
                continue;
            }
            ck_assert_double_eq_tol(d[i * 3 + k], expected, 1e-9);
            ck_assert_uint_eq(at[i * 3 + k], start);
        }
    // A tree predicts its own training series where its leaves are pure.
    int64_t classes[9];
    wwt_ok(wwt_predict(model, l->set, NULL, classes, NULL));
    for (size_t i = 0; i < 9; i++)
        ck_assert_uint_eq((size_t)classes[i], l->labels[i]);
    ww_series_set *one = NULL;
    wwt_ok(ww_series_set_create(1, &one));
    wwt_fails(wwt_transform(model, one, NULL, 0, 3, d, NULL), WW_ERROR_EMPTY);
    wwt_ok(ww_series_set_add(one, 6, l->values[0], NULL));
    wwt_fails(wwt_transform(model, one, NULL, 0, 3, d, NULL), WW_ERROR_CHANNELS);
    wwt_fails(wwt_predict(model, one, NULL, classes, NULL), WW_ERROR_CHANNELS);
    wwt_fails(wwt_transform(model, l->set, NULL, 1, info.shapelets, d, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_series_set_destroy(&one);
    ww_shapelets_destroy(&model);
    free_set(l);
    free_set(other);
}
END_TEST

// ---- files

static size_t read_bytes(const char *path, char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static void write_bytes(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

// A model is the same when read; cut anywhere it is refused; with any byte or number changed it is refused or a model
// whose use is safe.
START_TEST(model_files) {
    enum { ROOM = 1 << 16 };
    static char bytes[ROOM], again[ROOM], changed[ROOM];
    char path[64];
    ww_shapelets *model = NULL, *read = NULL;
    snprintf(path, sizeof path, "shapelets-%ld.json", (long)getpid());
    wwt_seed(8);
    labelled *l = make_set(9, 2, 14, 16, 3, 1, 0);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.best = 2;
    o.terms = 2;
    o.max_length = 6;
    wwt_ok(wwt_shapelets(l->set, &o, &model));
    wwt_ok(ww_shapelets_write(model, path));
    const size_t size = read_bytes(path, bytes, ROOM);
    if (ww_shapelets_read(path, &read) == WW_ERROR_UNSUPPORTED) {
        remove(path);
        ww_shapelets_destroy(&model);
        free_set(l);
        return; // built without jansson
    }
    wwt_ok(ww_shapelets_write(read, path));
    ck_assert_uint_eq(read_bytes(path, again, ROOM), size);
    ck_assert_mem_eq(bytes, again, size);
    ww_shapelets_destroy(&read);
    for (size_t cut = 0; cut + 3 < size; cut += 1 + cut / 40) {
        write_bytes(path, bytes, cut);
        wwt_fails(ww_shapelets_read(path, &read), WW_ERROR_FORMAT);
        ck_assert_ptr_null(read);
    }
    int64_t classes[9];
    size_t refused = 0, tried = 0;
    for (int i = 0; i < 600; i++) {
        const size_t at = wwt_random_size(0, size - 2);
        static const char others[] = "0123456789-.e,:[]{}\"x";
        memcpy(changed, bytes, size);
        changed[at] = others[wwt_random_size(0, sizeof others - 2)];
        if (changed[at] == bytes[at])
            continue;
        write_bytes(path, changed, size);
        tried++;
        const ww_status status = ww_shapelets_read(path, &read);
        ck_assert_msg(status == WW_OK || status == WW_ERROR_FORMAT || status == WW_ERROR_UNSUPPORTED, "%s",
                      ww_status_name(status));
        refused += status != WW_OK;
        if (status == WW_OK && i % 20 == 0 && ww_series_set_channels(l->set) == 2)
            wwt_ok(wwt_predict(read, l->set, NULL, classes, NULL));
        ww_shapelets_destroy(&read);
    }
    ck_assert_uint_gt(refused, tried / 10);
    // Numbers that contradict each other.
    static const char *const swaps[][2] = {
        {"\"version\": 1", "\"version\": 2"},    {"\"best\": 2", "\"best\": 99"},
        {"\"train\": 9", "\"train\": 8"},        {"\"channels\": 2", "\"channels\": 1"},
        {"\"depth\": 0", "\"depth\": 1"},        {"\"left\": 1", "\"left\": 0"},
        {"\"raw\": false", "\"raw\": 0"},        {"\"quality\": \"gain\"", "\"quality\": \"pain\""},
        {"\"terms\": ", "\"terms\": 9"},         {"\"length\": ", "\"length\": 1"},
        {"\"threshold\": ", "\"threshold\": -"}, {"\"format\": \"", "\"format\": \"x"}};
    for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++) {
        bytes[size] = '\0';
        const char *found = strstr(bytes, swaps[i][0]);
        ck_assert_msg(found != NULL, "%s", swaps[i][0]);
        const size_t before = (size_t)(found - bytes), old = strlen(swaps[i][0]), new = strlen(swaps[i][1]);
        memcpy(changed, bytes, before);
        memcpy(changed + before, swaps[i][1], new);
        memcpy(changed + before + new, found + old, size - before - old);
        write_bytes(path, changed, size - old + new);
        wwt_fails(ww_shapelets_read(path, &read), i ? WW_ERROR_FORMAT : WW_ERROR_UNSUPPORTED);
    }
    remove(path);
    wwt_fails(ww_shapelets_read(path, &read), WW_ERROR_IO);
    wwt_fails(ww_shapelets_write(model, "nowhere/model.json"), WW_ERROR_IO);
    ww_shapelets_destroy(&model);
    free_set(l);
}
END_TEST

typedef struct stopper {
    int calls, at;
} stopper;

static int stop(void *user, uint64_t done, uint64_t total) {
    stopper *s = user;
    if (total <= 1) // a compile, before the work is counted
        return 0;
    ck_assert_uint_le(done, total);
    return ++s->calls == s->at;
}

// Cancelled at each report in turn, and gone on with: the same as in one run. A checkpoint of other options, or a
// damaged one, is refused.
START_TEST(checkpoints) {
    char path[64];
    ww_shapelets *model = NULL, *whole = NULL;
    ww_shapelet a = WW_SHAPELET_INIT, b = WW_SHAPELET_INIT;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT, other = WW_SHAPELETS_INFO_INIT;
    snprintf(path, sizeof path, "checkpoint-%ld.txt", (long)getpid());
    wwt_seed(12);
    labelled *l = make_set(16, 1, 14, 18, 3, 1, 0);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    stopper s = {0, 0};
    run.max_bytes = 40000;
    run.progress = stop;
    run.progress_user = &s;
    o.run = &run;
    o.best = 3;
    wwt_ok(wwt_shapelets(l->set, &o, &whole));
    wwt_ok(ww_shapelets_get_info(whole, &info));
    const int reports = s.calls;
    ck_assert_int_gt(reports, 6);
    o.checkpoint = path;
    for (int step = 0; step < 4; step++) {
        int runs = 0;
        remove(path);
        do {
            s = (stopper){0, runs < 6 ? reports * (step + 1) / 6 + 1 : 0};
            runs++;
            const ww_status status = wwt_shapelets(l->set, &o, &model);
            if (status != WW_OK)
                ck_assert_int_eq(status, WW_ERROR_CANCELLED);
            if (status != WW_OK && runs == 1) {
                ck_assert_int_eq(access(path, R_OK), 0);
                o.min_size = 5;
                wwt_fails(wwt_shapelets(l->set, &o, &model), WW_ERROR_FORMAT);
                o.min_size = 0;
            }
        } while (!model);
        ck_assert_int_ne(access(path, R_OK), 0);
        wwt_ok(ww_shapelets_get_info(model, &other));
        ck_assert_uint_eq(other.shapelets, info.shapelets);
        for (size_t i = 0; i < info.shapelets; i++) {
            wwt_ok(ww_shapelets_get_shapelet(whole, i, &a));
            wwt_ok(ww_shapelets_get_shapelet(model, i, &b));
            ck_assert(a.series == b.series && a.start == b.start && a.length == b.length);
            ck_assert_double_eq(a.threshold, b.threshold);
        }
        ww_shapelets_destroy(&model);
    }
    s = (stopper){0, 3};
    wwt_fails(wwt_shapelets(l->set, &o, &model), WW_ERROR_CANCELLED);
    static char bytes[4096];
    const size_t size = read_bytes(path, bytes, sizeof bytes);
    for (size_t cut = 0; cut < size; cut += 7) {
        write_bytes(path, bytes, cut);
        wwt_fails(wwt_shapelets(l->set, &o, &model), WW_ERROR_FORMAT);
    }
    for (size_t at = 0; at < size; at += 5) {
        bytes[at] ^= 1;
        write_bytes(path, bytes, size);
        wwt_fails(wwt_shapelets(l->set, &o, &model), WW_ERROR_FORMAT);
        bytes[at] ^= 1;
    }
    remove(path);
    ww_shapelets_destroy(&whole);
    free_set(l);
}
END_TEST

START_TEST(refusals) {
    ww_shapelets *model = NULL;
    ww_series_set *set = NULL, *unnamed = NULL;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    double values[12];
    for (size_t t = 0; t < 12; t++)
        values[t] = wwt_random();
    wwt_ok(ww_series_set_create(1, &set));
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_EMPTY);
    wwt_ok(ww_series_set_add(set, 12, values, "a"));
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_EMPTY);
    wwt_ok(ww_series_set_add(set, 10, values + 1, "a"));
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_NO_LABELS);
    wwt_ok(ww_series_set_add(set, 11, values, "b"));
    wwt_fails(wwt_shapelets(NULL, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o.max_length = 11;
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o.max_length = 4;
    o.min_length = 5;
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o.max_length = 0;
    o.min_length = 1;
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o = (ww_shapelets_options)WW_SHAPELETS_OPTIONS_INIT;
    o.best = 100;
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o.best = 0;
    o.no_tree = 1;
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o.no_tree = 0;
    o.terms = 9;
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o.terms = 2;
    o.unscaled = 1;
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o = (ww_shapelets_options)WW_SHAPELETS_OPTIONS_INIT;
    o.quality = (ww_shapelet_quality)4;
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o.quality = WW_SHAPELET_GAIN;
    o.seconds = -1;
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o.seconds = 0;
    wwt_ok(ww_series_set_create(1, &unnamed));
    wwt_ok(ww_series_set_add(unnamed, 10, values, "a"));
    wwt_ok(ww_series_set_add(unnamed, 10, values, "b"));
    wwt_ok(ww_series_set_add(unnamed, 10, values, NULL));
    wwt_fails(wwt_shapelets(unnamed, &o, &model), WW_ERROR_NO_LABELS);
    ww_series_set_destroy(&unnamed);
    values[3] = NAN;
    wwt_ok(ww_series_set_add(set, 10, values, "b"));
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(ww_last_error()->series, 3);
    ck_assert_int_eq(ww_last_error()->position, 3);
    ck_assert_ptr_null(model);
    ww_series_set_destroy(&set);
}
END_TEST

// ---- trees

typedef struct known_tree {
    const char *name;
    size_t series, start, length, left, right;
    double gain, gap, threshold;
    size_t correct, nodes;
    size_t second[3]; // series, start, length; zeros: none
} known_tree;

// Exhaustive in double, all lengths from 3 on, by another program.
static const known_tree known_trees[] = {
    {"GunPoint", 8, 105, 36, 26, 24, .998846, .551840, 1.090428, 134, 3, {0, 0, 0}},
    {"ItalyPowerDemand", 44, 8, 15, 33, 34, .902694, .514670, .890715, 963, 5, {5, 7, 17}},
    {"ArrowHead", 15, 137, 86, 12, 24, .918296, .298610, .609598, 122, 5, {31, 76, 52}},
};

START_TEST(reference_trees) {
    const known_tree *known = &known_trees[_i];
    const known_accuracy name = {.name = known->name};
    ww_shapelets *model = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    ww_shapelet s = WW_SHAPELET_INIT;
    ww_shapelet_node root = WW_SHAPELET_NODE_INIT, below = WW_SHAPELET_NODE_INIT;
    if (!known_accuracy_folder())
        return;
    ww_series_set *train = known_accuracy_read(&name, "TRAIN"), *test = known_accuracy_read(&name, "TEST");
    ck_assert(train && test);
    wwt_ok(wwt_shapelets(train, NULL, &model));
    wwt_ok(ww_shapelets_get_info(model, &info));
    wwt_ok(ww_shapelets_get_shapelet(model, 0, &s));
    wwt_ok(ww_shapelets_get_node(model, 0, &root));
    ck_assert_uint_eq(info.nodes, known->nodes);
    ck_assert_uint_eq(s.series, known->series);
    ck_assert_uint_eq(s.start, known->start);
    ck_assert_uint_eq(s.length, known->length);
    ck_assert_double_eq_tol(root.gain, known->gain, 1e-6);
    ck_assert_double_eq_tol(root.gap, known->gap, 1e-6);
    ck_assert_double_eq_tol(root.threshold, known->threshold, 1e-6);
    wwt_ok(ww_shapelets_get_node(model, (size_t)root.left, &below));
    ck_assert_uint_eq(below.series, known->left);
    wwt_ok(ww_shapelets_get_node(model, (size_t)root.right, &below));
    ck_assert_uint_eq(below.series, known->right);
    if (known->second[2]) {
        wwt_ok(ww_shapelets_get_shapelet(model, 1, &s));
        ck_assert_uint_eq(s.series, known->second[0]);
        ck_assert_uint_eq(s.start, known->second[1]);
        ck_assert_uint_eq(s.length, known->second[2]);
    }
    const size_t count = ww_series_set_count(test);
    int64_t *classes = malloc(count * sizeof *classes);
    wwt_ok(wwt_predict(model, test, NULL, classes, NULL));
    size_t correct = 0;
    for (size_t i = 0; i < count; i++)
        correct += strcmp(ww_shapelets_class_name(model, (size_t)classes[i]), ww_series_set_label(test, i)) == 0;
    ck_assert_uint_eq(correct, known->correct);
    free(classes);
    ww_shapelets_destroy(&model);
    ww_series_set_destroy(&train);
    ww_series_set_destroy(&test);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("shapelets");
    const bool few = getenv("WAVEWARP_TEST_FEW") != NULL;
    wwt_add(suite, brute_force, few ? SHAPES - 1 : SHAPES);
    wwt_add(suite, other_ways, few ? WAYS - 2 : WAYS);
    wwt_add(suite, close_series, 4);
    wwt_add(suite, flat_windows, 3);
    wwt_add(suite, samples, 1);
    wwt_add(suite, best_of_a_sample, 4);
    wwt_add(suite, terms, 2);
    wwt_add(suite, transform, 1);
    wwt_add(suite, model_files, 1);
    wwt_add(suite, checkpoints, 1);
    wwt_add(suite, refusals, 1);
    if (!known_accuracy_folder())
        printf("# no reference trees: set WAVEWARP_TEST_DATA to the folder of the data sets\n");
    wwt_add(suite, reference_trees, 3);
    return wwt_run(suite);
}
