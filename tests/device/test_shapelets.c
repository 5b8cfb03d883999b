// SPDX-License-Identifier: Apache-2.0
// Discovery of shapelets against an exhaustive search in double: lengths, channels, scales, classes, qualities, ways to
// correlate, samples, logical shapelets.
#include "base/random.h"
#include "host.h"
#include "shapelet_sets.h"

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
// series or candidates: pruning, rescoring on the device, several work-items to a candidate's keys.
typedef struct way {
    size_t shape;
    const char *name; // of a tuning parameter; NULL: in chunks
    long value;
} way;

static const way ways[] = {
    {4, NULL, 0},
    {1, NULL, 0},
    {4, "form.shapelets", 2},
    {1, "form.shapelets", 2},
    {4, "form.shapelets", 1},
    {1, "form.shapelets", 1},
    {0, "form.shapelets", 1},  // two classes
    {2, "form.shapelets", 1},  // offset
    {7, "form.shapelets", 1},  // sparse lengths
    {7, "form.rows", 1},       // a part has a series
    {6, "form.shapelets", 1},  // raw
    {11, "form.shapelets", 1}, // two and three points
    {12, "form.shapelets", 1},
    {1, "form.tensor", 1},
    {2, "form.tensor", 1},
    {13, "form.tensor", 1},
    {14, "form.shapelets", 1},
    {15, "form.shapelets", 1}, // in pieces; these two not where few are wanted
    {15, "form.rows", 1},
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
        wwt_ok(wwi_tuning_try(wwt_context, "form.few", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets", NULL, 1));
        // Only where that is meant: products by matrix units, or by their twin.
        wwt_ok(wwi_tuning_try(wwt_context, "form.tensor", NULL, 0));
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
        wwt_ok(wwi_tuning_try(wwt_context, "form.few", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.tensor", NULL, _i == 3));
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

// Of few series of many classes very many candidates are equally good: the best that do not overlap are found when more
// than are rescored at once overlap with those that are taken.
START_TEST(many_that_overlap) {
    enum { BEST = 10 };
    ww_shapelet found[2][BEST];
    ww_shapelets *model = NULL;
    labelled *l = calloc(1, sizeof *l);
    ww_generate_options generated = WW_GENERATE_OPTIONS_INIT;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    generated.count = 12;
    generated.length = 80;
    wwt_ok(ww_series_set_generate(WW_GENERATE_SYNTHETIC_CONTROL, &generated, &l->set));
    o.no_tree = 1;
    o.best = BEST;
    for (int device = 0; device < 2; device++) { // on a CPU its form, and the form for GPUs
        if (device)
            wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets", NULL, 1));
        wwt_ok(wwt_shapelets(l->set, &o, &model));
        for (size_t i = 0; i < BEST; i++) {
            found[device][i] = (ww_shapelet)WW_SHAPELET_INIT;
            wwt_ok(ww_shapelets_get_shapelet(model, i, &found[device][i]));
        }
        ww_shapelets_destroy(&model);
    }
    for (size_t i = 0; i < BEST; i++) {
        const ww_shapelet *x = &found[0][i], *y = &found[1][i];
        ck_assert(x->series == y->series && x->start == y->start && x->length == y->length && x->gain == y->gain);
        for (size_t j = 0; j < i; j++)
            ck_assert(x->series != found[0][j].series || x->start >= found[0][j].start + found[0][j].length ||
                      found[0][j].start >= x->start + x->length);
    }
    free_set(l);
}
END_TEST

// In small nodes of several classes most candidates have several splits of the same gain: their gaps tell them apart,
// and few are examined in double. On a CPU its form, and the form for GPUs.
START_TEST(equal_splits) {
    ww_shapelets *model = NULL;
    labelled *l = calloc(1, sizeof *l);
    ww_generate_options generated = WW_GENERATE_OPTIONS_INIT;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    generated.count = 12;
    generated.length = 80;
    if (_i)
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets", NULL, 1));
    wwt_ok(ww_series_set_generate(WW_GENERATE_SYNTHETIC_CONTROL, &generated, &l->set));
    wwt_ok(wwt_shapelets(l->set, &o, &model));
    wwt_ok(ww_shapelets_get_info(model, &info));
    ck_assert_uint_gt(info.nodes, 5);
    ck_assert_uint_lt(info.examined, info.candidates / 100);
    ww_shapelets_destroy(&model);
    free_set(l);
}
END_TEST

// Flat windows: equal to one another, at a distance of 1 from others.
START_TEST(flat_windows) {
    ww_shapelets *model = NULL;
    if (_i) { // on a CPU the form for GPUs
        wwt_ok(wwi_tuning_try(wwt_context, "form.few", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.shapelets", NULL, 1));
        wwt_ok(wwi_tuning_try(wwt_context, "form.tensor", NULL, _i == 2));
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

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("shapelets");
    const bool few = getenv("WAVEWARP_TEST_FEW") != NULL;
    wwt_add(suite, brute_force, few ? SHAPES - 1 : SHAPES);
    wwt_add(suite, other_ways, few ? WAYS - 2 : WAYS);
    wwt_add(suite, close_series, 4);
    wwt_add(suite, many_that_overlap, 1);
    wwt_add(suite, equal_splits, 2);
    wwt_add(suite, flat_windows, 3);
    wwt_add(suite, samples, 1);
    wwt_add(suite, best_of_a_sample, 4);
    wwt_add(suite, terms, 2);
    return wwt_run(suite);
}
