// SPDX-License-Identifier: Apache-2.0
// Shapelets of series that are the same but for rounding: no split is made in that noise, by no quality, with no term
// and in no length; differences just above it still split.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "reference/shapelet_reference.h"
#include "set_jobs.h"
#include "support.h"

enum { POINTS = 24 };

// Adds scale * x + offset, with a bump.
static void add(ww_series_set *set, const double *x, size_t channels, double scale, double offset, double bump,
                const char *label) {
    double values[3 * POINTS];
    for (size_t c = 0; c < channels; c++)
        for (size_t t = 0; t < POINTS; t++)
            values[c * POINTS + t] =
                scale * (x[c * POINTS + t] + (t >= 10 && t < 14 ? bump * cos((double)t) : 0)) + offset;
    wwt_ok(ww_series_set_add(set, POINTS, values, label));
}

static void draw(double *x, size_t channels) {
    for (size_t i = 0; i < channels * POINTS; i++)
        x[i] = wwt_random() + 0.001 * wwt_random();
}

// The tree's nodes; root: its first one.
static size_t grow(ww_series_set *set, const ww_shapelets_options *o, ww_shapelet_node *root) {
    ww_shapelets *model = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    *root = (ww_shapelet_node)WW_SHAPELET_NODE_INIT;
    wwt_ok(wwt_shapelets(set, o, &model));
    wwt_ok(ww_shapelets_get_info(model, &info));
    wwt_ok(ww_shapelets_get_node(model, 0, root));
    ww_shapelets_destroy(&model);
    return info.nodes;
}

// A device's ways: as it is; on a CPU the form for GPUs; without double.
static void choose_way(int way) {
    if (way == 1) {
        wwt_ok(wwi_tuning_try(wwt_context, "form.few", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.tensor", NULL, 0));
    } else if (way == 2) {
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets", NULL, 2));
    }
}

// Two series of two classes, the same but for what a scale and an offset round, and one more pair that differ by
// little.
typedef struct pair {
    double scale, offset, small; // small: a bump that is found
    size_t channels, min_length, length_step;
    int raw, unscaled;
    ww_shapelet_quality quality;
} pair;

static const pair pairs[] = {
    {1, 0, 1e-10, 1, 0, 3, 0, 0, WW_SHAPELET_GAIN},     {3, 7, 1e-10, 1, 0, 1, 0, 0, WW_SHAPELET_GAIN},
    {3, 7, 1e-10, 1, 2, 1, 0, 0, WW_SHAPELET_GAIN},     {1.0 / 3, 1e6, 1e-6, 1, 0, 1, 0, 0, WW_SHAPELET_GAIN},
    {1e-3, 1e5, 1e-4, 1, 4, 4, 0, 0, WW_SHAPELET_GAIN}, {3, 7, 1e-10, 1, 0, 3, 0, 1, WW_SHAPELET_GAIN},
    {3, -7, 1e-10, 3, 0, 3, 0, 0, WW_SHAPELET_GAIN},    {1, 0, 1e-14, 1, 0, 3, 1, 0, WW_SHAPELET_GAIN},
    {1, 0, 1e-13, 2, 0, 3, 1, 1, WW_SHAPELET_GAIN},     {3, 7, 1e-10, 1, 0, 3, 0, 0, WW_SHAPELET_KRUSKAL_WALLIS},
    {3, 7, 1e-10, 1, 0, 3, 0, 0, WW_SHAPELET_MOOD},
};
enum { PAIRS = sizeof pairs / sizeof *pairs, WAYS = 3 };

START_TEST(same_series) {
    const pair *p = &pairs[_i / WAYS];
    ww_shapelet_node root;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.min_length = p->min_length;
    o.length_step = p->length_step;
    o.raw = p->raw;
    o.unscaled = p->unscaled;
    o.quality = p->quality;
    choose_way(_i % WAYS);
    wwt_seed(100 + (unsigned)_i);
    for (int repeat = 0; repeat < 6; repeat++) {
        double x[3 * POINTS];
        ww_series_set *set = NULL;
        draw(x, p->channels);
        wwt_ok(ww_series_set_create(p->channels, &set));
        add(set, x, p->channels, 1, 0, 0, "a");
        add(set, x, p->channels, p->scale, p->offset, 0, "b");
        const size_t nodes = grow(set, &o, &root);
        ck_assert_msg(nodes == 1, "%zu nodes; threshold %.3g, gap %.3g", nodes, root.threshold, root.gap);
        ww_series_set_destroy(&set);
        wwt_ok(ww_series_set_create(p->channels, &set));
        add(set, x, p->channels, 1, 0, 0, "a");
        add(set, x, p->channels, p->scale, p->offset, p->small, "b");
        ck_assert_uint_eq(grow(set, &o, &root), 3);
        ck_assert_double_eq(root.gain, 1);
        ck_assert_double_gt(root.threshold, 0.01 * p->small);
        ww_series_set_destroy(&set);
    }
}
END_TEST

// F of two series is none; of four it is.
START_TEST(variance) {
    ww_shapelet_node root;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.quality = WW_SHAPELET_F;
    o.length_step = 3;
    choose_way(_i);
    wwt_seed(200 + (unsigned)_i);
    for (int bumped = 0; bumped < 2; bumped++) {
        double x[POINTS];
        ww_series_set *set = NULL;
        draw(x, 1);
        wwt_ok(ww_series_set_create(1, &set));
        for (int i = 0; i < 6; i++)
            add(set, x, 1, 1 + i, 3 * i, bumped && i % 2 ? 1e-3 : 0, i % 2 ? "b" : "a");
        ck_assert_uint_eq(grow(set, &o, &root), bumped ? 3 : 1);
        ww_series_set_destroy(&set);
    }
}
END_TEST

// Windows of two points go up or down: every series here has both, and rounding alone is left.
START_TEST(two_points) {
    ww_shapelet_node root;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.min_length = o.max_length = 2;
    choose_way(_i);
    wwt_seed(300 + (unsigned)_i);
    for (int repeat = 0; repeat < 6; repeat++) {
        ww_series_set *set = NULL;
        wwt_ok(ww_series_set_create(1, &set));
        for (int i = 0; i < 8; i++) {
            double x[POINTS];
            draw(x, 1);
            add(set, x, 1, 1, 0, 0, i % 2 ? "b" : "a");
        }
        ck_assert_uint_eq(grow(set, &o, &root), 1);
        ww_series_set_destroy(&set);
    }
}
END_TEST

// Three shapes: the first of one class, the others of both, the same but for rounding. One split and no more, and no
// second term.
START_TEST(no_noisy_terms) {
    ww_shapelet_node root;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.terms = _i % 2 ? 4 : 2;
    o.length_step = 4;
    choose_way(_i / 2);
    wwt_seed(400 + (unsigned)_i);
    for (int repeat = 0; repeat < 4; repeat++) {
        double x[POINTS], y[POINTS];
        ww_series_set *set = NULL;
        wwt_ok(ww_series_set_create(1, &set));
        draw(x, 1);
        draw(y, 1);
        for (int i = 0; i < 4; i++)
            add(set, x, 1, 1 + 0.3 * i, i, 0, "a");
        for (int i = 0; i < 6; i++)
            add(set, y, 1, 1 + 0.7 * i, 5 - 3 * i, 0, i % 2 ? "b" : "a");
        ck_assert_uint_eq(grow(set, &o, &root), 3);
        ck_assert_uint_eq(root.terms, 1);
        ck_assert_double_gt(root.gap, 1e-3);
        ww_series_set_destroy(&set);
    }
}
END_TEST

// Copies of four shapes, each of some classes, against the brute force in double, which has the same rule.
START_TEST(brute_force) {
    enum { SERIES = 12, SHAPES = 4 };
    double x[SHAPES][POINTS];
    size_t lengths[SERIES], labels[SERIES];
    const double *values[SERIES];
    static const char *const names[] = {"a", "b", "c"};
    ww_series_set *set = NULL;
    ww_shapelets *model = NULL;
    ww_shapelet found = WW_SHAPELET_INIT;
    wwr_shapelet expected;
    choose_way(_i % WAYS);
    wwt_seed(600 + (unsigned)_i);
    for (size_t i = 0; i < SHAPES; i++)
        draw(x[i], 1);
    wwt_ok(ww_series_set_create(1, &set));
    for (size_t i = 0; i < SERIES; i++) {
        labels[i] = i < 3 ? i : wwt_random_size(0, 2);
        lengths[i] = POINTS;
        add(set, x[i % SHAPES], 1, 1 + wwt_random() / 2, 10 * wwt_random(), 0, names[labels[i]]);
    }
    for (size_t i = 0; i < SERIES; i++)
        values[i] = ww_series_set_values(set, i);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.no_tree = 1;
    o.best = 1;
    o.min_length = 2;
    o.raw = _i % 2;
    const wwr_shapelet_set reference = {SERIES, 1, 3, lengths, values, labels};
    const wwr_shapelet_search search = {2, POINTS, 1, 1, o.raw, false, 0, NULL, false};
    ck_assert_uint_eq(wwr_shapelet_best(&reference, &search, 1, &expected), 1);
    wwt_ok(wwt_shapelets(set, &o, &model));
    wwt_ok(ww_shapelets_get_shapelet(model, 0, &found));
    ck_assert_double_eq_tol(found.gain, expected.gain, 1e-9);
    ck_assert_double_eq_tol(found.gap, expected.gap, 1e-9 * fmax(1, expected.gap));
    ck_assert_uint_eq(found.length, expected.length);
    ww_shapelets_destroy(&model);
    ww_series_set_destroy(&set);
}
END_TEST

// Plateaus that rounding makes rough do not hide what is elsewhere.
START_TEST(rough_plateaus) {
    ww_shapelet_node root;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.min_length = 8;
    choose_way(_i);
    ww_series_set *set = NULL;
    wwt_seed(500);
    double x[POINTS];
    wwt_ok(ww_series_set_create(1, &set));
    draw(x, 1);
    for (int i = 0; i < 6; i++) {
        for (size_t t = 0; t < 6; t++)
            x[t] = (double)(t % 2 ? 0.1 + 0.2 : 0.3);
        add(set, x, 1, 1, 0, i % 2 ? 1e-9 : 0, i % 2 ? "b" : "a");
    }
    ck_assert_uint_eq(grow(set, &o, &root), 3);
    ck_assert_double_eq(root.gain, 1);
    ww_series_set_destroy(&set);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("shapelet noise");
    wwt_add(suite, same_series, PAIRS * WAYS);
    wwt_add(suite, variance, WAYS);
    wwt_add(suite, two_points, WAYS);
    wwt_add(suite, no_noisy_terms, 2 * WAYS);
    wwt_add(suite, brute_force, 4 * WAYS);
    wwt_add(suite, rough_plateaus, WAYS);
    return wwt_run(suite);
}
