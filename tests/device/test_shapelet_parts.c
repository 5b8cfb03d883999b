// SPDX-License-Identifier: Apache-2.0
// Shapelets of parts of the candidates: joined they are those of one search, byte for byte; what can't be joined.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "set_jobs.h"
#include "shapelets/shapelet_search.h"
#include "support.h"
#include "vectors/known_accuracy.h"

enum { MOST_PARTS = 4 };

typedef struct form {
    size_t count, channels, least, most, classes;
    size_t min_length, max_length, length_step, start_step, sample;
    int raw, unscaled;
    ww_shapelet_quality quality;
} form;

static const form forms[] = {
    {12, 1, 20, 20, 2, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_GAIN},
    {17, 1, 16, 26, 3, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_GAIN}, // ragged
    {14, 1, 20, 24, 2, 4, 0, 3, 2, 0, 0, 0, WW_SHAPELET_GAIN}, // not all lengths and starts
    {13, 2, 16, 20, 3, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_GAIN},
    {12, 2, 16, 20, 2, 5, 14, 4, 3, 0, 1, 0, WW_SHAPELET_GAIN},
    {12, 1, 20, 20, 3, 0, 0, 0, 0, 0, 1, 1, WW_SHAPELET_GAIN},
    {12, 1, 20, 22, 3, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_F},
    {13, 1, 20, 20, 2, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_KRUSKAL_WALLIS},
    {13, 1, 20, 20, 3, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_MOOD},
    {13, 1, 20, 26, 3, 0, 0, 0, 0, 60, 0, 0, WW_SHAPELET_GAIN},
    {12, 1, 18, 20, 2, 0, 0, 0, 0, 100000, 0, 0, WW_SHAPELET_F}, // a sample of all
};
enum { FORMS = sizeof forms / sizeof *forms };

static ww_shapelets_options options_of(const form *f) {
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.min_length = f->min_length;
    o.max_length = f->max_length;
    o.length_step = f->length_step;
    o.start_step = f->start_step;
    o.sample = f->sample;
    o.seed = 3;
    o.raw = f->raw;
    o.unscaled = f->unscaled;
    o.quality = f->quality;
    o.no_tree = 1;
    return o;
}

typedef struct span {
    const unsigned char *at;
    size_t count;
} span;

static int64_t read_bytes(void *user, void *bytes, size_t room) {
    span *from = user;
    const size_t count = from->count < room ? from->count : room;
    memcpy(bytes, from->at, count);
    from->at += count;
    from->count -= count;
    return (int64_t)count;
}

// The same model from its file.
static ww_shapelets *reread(const ww_shapelets *model) {
    ww_shapelets *read = NULL;
    size_t count;
    unsigned char *bytes = wwt_model_bytes(model, &count);
    span from = {bytes, count};
    wwt_ok(ww_shapelets_read_from(read_bytes, &from, &read));
    free(bytes);
    return read;
}

static ww_shapelets_info info_of(const ww_shapelets *model) {
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    wwt_ok(ww_shapelets_get_info(model, &info));
    return info;
}

// Joins the parts in their order, backwards, and as they are in files.
static void check_merge(ww_shapelets **parts, size_t count, size_t best, const ww_shapelets *whole) {
    ww_shapelets *backwards[MOST_PARTS], *read[MOST_PARTS], *merged = NULL;
    const ww_shapelets_info all = info_of(whole);
    for (size_t i = 0; i < count; i++) {
        backwards[count - 1 - i] = parts[i];
        read[i] = reread(parts[i]);
    }
    wwt_ok(ww_shapelets_merge((const ww_shapelets *const *)parts, count, best, &merged));
    wwt_same_model(merged, whole);
    const ww_shapelets_info info = info_of(merged);
    ck_assert_uint_eq(info.candidates, all.candidates);
    ck_assert_uint_eq(info.cells, all.cells);
    ck_assert(info.best == all.best && info.shapelets == all.best && info.nodes == 0 && !info.stopped);
    ck_assert(info.train == all.train && info.classes == all.classes && info.channels == all.channels);
    ww_shapelets_destroy(&merged);
    wwt_ok(ww_shapelets_merge((const ww_shapelets *const *)backwards, count, best, &merged));
    wwt_same_model(merged, whole);
    ww_shapelets_destroy(&merged);
    wwt_ok(ww_shapelets_merge((const ww_shapelets *const *)read, count, best, &merged));
    wwt_same_model(merged, whole);
    ww_shapelets_destroy(&merged);
    for (size_t i = 0; i < count; i++)
        ww_shapelets_destroy(&read[i]);
}

// The parts [ends[i - 1], ends[i]) of a set against the whole.
static void check_parts(ww_series_set *set, const ww_shapelets_options *options, const size_t *ends, size_t count,
                        const ww_shapelets *whole) {
    ww_shapelets_options o = *options;
    ww_shapelets *parts[MOST_PARTS];
    for (size_t i = 0; i < count; i++) {
        o.part_first = i ? ends[i - 1] : 0;
        o.part_count = ends[i] - o.part_first;
        wwt_ok(wwt_shapelets(set, &o, &parts[i]));
        for (size_t s = 0; s < info_of(parts[i]).shapelets; s++) {
            ww_shapelet one = WW_SHAPELET_INIT;
            wwt_ok(ww_shapelets_get_shapelet(parts[i], s, &one));
            ck_assert(one.series >= o.part_first && one.series < ends[i]);
        }
    }
    check_merge(parts, count, options->best, whole);
    for (size_t i = 0; i < count; i++)
        ww_shapelets_destroy(&parts[i]);
}

// In one to four parts, even and uneven.
static void check_all_parts(ww_series_set *set, ww_shapelets_options *o, size_t best) {
    ww_shapelets *whole = NULL;
    const size_t n = ww_series_set_count(set);
    o->best = best;
    wwt_ok(wwt_shapelets(set, o, &whole));
    for (size_t count = 1; count <= MOST_PARTS; count++) {
        size_t ends[MOST_PARTS];
        for (size_t i = 0; i < count; i++)
            ends[i] = (i + 1) * n / count;
        check_parts(set, o, ends, count, whole);
    }
    check_parts(set, o, (size_t[]){1, 2, n - 3, n}, 4, whole);
    check_parts(set, o, (size_t[]){n - 1, n}, 2, whole);
    ww_shapelets_destroy(&whole);
}

START_TEST(parts_give_the_whole) {
    const form *f = &forms[_i];
    wwt_seed((unsigned)_i);
    ww_series_set *set = wwt_set_of_bumps(f->count, f->channels, f->least, f->most, f->classes, 1, 0);
    ww_shapelets_options o = options_of(f);
    check_all_parts(set, &o, 1);
    check_all_parts(set, &o, 3);
    check_all_parts(set, &o, 7);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(parts_of_archive_sets) {
    static const char *const names[] = {"ItalyPowerDemand", "BasicMotions"};
    const known_accuracy name = {.name = names[_i]};
    if (!known_accuracy_folder())
        return;
    ww_series_set *set = known_accuracy_read(&name, "TRAIN");
    ck_assert_ptr_nonnull(set);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.no_tree = 1;
    o.length_step = _i ? 17 : 0;
    o.start_step = _i ? 9 : 0;
    check_all_parts(set, &o, 1);
    check_all_parts(set, &o, 10);
    ww_series_set_destroy(&set);
}
END_TEST

// Series of one value, as many of either class: they tell nothing apart, and a part of them finds nothing. What is
// joined is joined again.
START_TEST(parts_without_shapelets) {
    enum { FLAT = 4, MORE = 10, LENGTH = 18 };
    const double flat[LENGTH] = {0};
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    ww_series_set *set = NULL;
    wwt_seed(4);
    ww_series_set *bumps = wwt_set_of_bumps(MORE, 1, LENGTH, LENGTH, 2, 1, 0);
    wwt_ok(ww_series_set_create(1, &set));
    for (size_t i = 0; i < FLAT; i++)
        wwt_ok(ww_series_set_add(set, LENGTH, flat, i % 2 ? "c1" : "c0"));
    for (size_t i = 0; i < MORE; i++)
        wwt_ok(ww_series_set_add(set, LENGTH, ww_series_set_values(bumps, i), ww_series_set_label(bumps, i)));
    o.no_tree = 1;
    o.best = 5;
    ww_shapelets *whole = NULL, *parts[4], *first = NULL, *second = NULL;
    static const size_t ends[] = {FLAT, 7, 9, FLAT + MORE};
    wwt_ok(wwt_shapelets(set, &o, &whole));
    check_parts(set, &o, ends, 4, whole);
    for (size_t i = 0; i < 4; i++) {
        o.part_first = i ? ends[i - 1] : 0;
        o.part_count = ends[i] - o.part_first;
        wwt_ok(wwt_shapelets(set, &o, &parts[i]));
    }
    ck_assert_uint_eq(info_of(parts[0]).shapelets, 0);
    ck_assert_uint_gt(info_of(parts[0]).candidates, 0);
    ck_assert_uint_eq(info_of(parts[1]).shapelets, 5);
    // What has nothing can't give one.
    wwt_fails(ww_shapelets_merge((const ww_shapelets *const *)parts, 1, 1, &first), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(first);
    wwt_ok(ww_shapelets_merge((const ww_shapelets *const *)parts, 2, 5, &first));
    wwt_ok(ww_shapelets_merge((const ww_shapelets *const *)parts + 2, 2, 5, &second));
    check_merge((ww_shapelets *[]){second, first}, 2, 5, whole);
    ww_shapelets_destroy(&first);
    ww_shapelets_destroy(&second);
    for (size_t i = 0; i < 4; i++)
        ww_shapelets_destroy(&parts[i]);
    ww_shapelets_destroy(&whole);
    ww_series_set_destroy(&bumps);
    ww_series_set_destroy(&set);
}
END_TEST

static int stop_late(void *user, uint64_t done, uint64_t total) {
    (void)user;
    return total > 1 && done * 2 > total;
}

// Parts keep checkpoints: one that was stopped goes on.
START_TEST(a_part_goes_on) {
    ww_shapelets *whole = NULL, *parts[2] = {NULL, NULL};
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    char path[64];
    (void)snprintf(path, sizeof path, "/tmp/wavewarp-part-%d.txt", (int)getpid());
    wwt_seed(8);
    ww_series_set *set = wwt_set_of_bumps(16, 1, 24, 30, 2, 1, 0);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.no_tree = 1;
    o.best = 3;
    wwt_ok(wwt_shapelets(set, &o, &whole));
    o.part_count = 9;
    o.checkpoint = path;
    o.run = &run;
    run.max_bytes = 60000;
    run.progress = stop_late;
    wwt_fails(wwt_shapelets(set, &o, &parts[0]), WW_ERROR_CANCELLED);
    run.progress = NULL;
    // It is another part's.
    o.part_first = 9;
    o.part_count = 7;
    wwt_fails(wwt_shapelets(set, &o, &parts[1]), WW_ERROR_FORMAT);
    o.part_first = 0;
    o.part_count = 9;
    wwt_ok(wwt_shapelets(set, &o, &parts[0]));
    ck_assert_int_ne(access(path, F_OK), 0);
    o.checkpoint = NULL;
    o.part_first = 9;
    o.part_count = 7;
    wwt_ok(wwt_shapelets(set, &o, &parts[1]));
    ww_shapelets *merged = NULL;
    wwt_ok(ww_shapelets_merge((const ww_shapelets *const *)parts, 2, 3, &merged));
    wwt_same_model(merged, whole);
    ww_shapelets_destroy(&merged);
    ww_shapelets_destroy(&parts[0]);
    ww_shapelets_destroy(&parts[1]);
    ww_shapelets_destroy(&whole);
    ww_series_set_destroy(&set);
}
END_TEST

// The keys that candidates are ordered by, from what a model has of them.
START_TEST(keys_from_models) {
    uint64_t state = 1;
    wwi_shapelet_score score;
    for (size_t i = 0; i < 2000000; i++) {
        const uint64_t series = i % 3 ? (UINT64_C(1) << 18) - wwi_random(&state) % 1000 : 2 + wwi_random(&state) % 5000;
        const int64_t most = (int64_t)(series << WWI_GAIN_BITS),
                      key = most - (int64_t)(wwi_random(&state) % (uint64_t)most);
        const double gain = ldexp((double)key, -WWI_GAIN_BITS) / (double)series;
        wwi_shapelet_score_keys(WW_SHAPELET_GAIN, series, gain, 0.25, &score);
        ck_assert_int_eq(score.key, key);
        ck_assert_int_eq(score.gap_key, INT64_C(1) << 30);
    }
    // As wwi_shapelet_split() makes those of the other measures and of gaps.
    const double values[] = {0, 1e-9, 0.5, 12.25, 3.3333333333333335, 999999999.5, 1e9};
    for (int q = WW_SHAPELET_F; q <= WW_SHAPELET_MOOD; q++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            wwi_shapelet_score_keys((ww_shapelet_quality)q, 10, values[i], values[i], &score);
            ck_assert_int_eq(score.key, llround(values[i] * WWI_QUALITY_UNIT));
            ck_assert_int_eq(score.gap_key, values[i] < 1e9 ? llround(values[i] * 4294967296.0) : INT64_MAX);
        }
    wwi_shapelet_score_keys(WW_SHAPELET_F, 10, 1, INFINITY, &score);
    ck_assert_int_eq(score.gap_key, INT64_MAX);
    wwi_shapelet_score_keys(WW_SHAPELET_F, 10, 1, NAN, &score);
    ck_assert_int_eq(score.gap_key, INT64_MAX);
}
END_TEST

// The score of a split, and its keys from what a model keeps, whatever the distances.
START_TEST(keys_of_splits) {
    enum { SERIES = 40, CLASSES = 3 };
    wwi_shapelet_gains gains;
    uint64_t state = 5;
    double distances[SERIES];
    uint32_t classes[SERIES];
    const wwi_shapelet_node node = {.classes = classes, .count = SERIES, .class_count = CLASSES};
    static const double scales[] = {1, 1e-12, 1e8, 1e12, 1e300};
    wwt_ok(wwi_shapelet_gains_open(SERIES, &gains));
    for (size_t i = 0; i < 20000; i++) {
        for (size_t j = 0; j < SERIES; j++) {
            classes[j] = (uint32_t)(wwi_random(&state) % CLASSES);
            distances[j] = (double)(wwi_random(&state) % 50) * scales[i % 5] * (i % 7 ? 1 : 1e10);
        }
        for (int q = WW_SHAPELET_GAIN; q <= WW_SHAPELET_MOOD; q++) {
            wwi_shapelet_score score, again;
            bool told;
            wwt_ok(wwi_shapelet_split(&gains, &node, (ww_shapelet_quality)q, distances, 0, NULL, &score, &told));
            ck_assert(told);
            wwi_shapelet_score_keys((ww_shapelet_quality)q, SERIES, score.quality, score.gap, &again);
            ck_assert_int_eq(again.key, score.key);
            ck_assert_int_eq(again.gap_key, score.gap_key);
        }
    }
    wwi_shapelet_gains_close(&gains);
}
END_TEST

// ---- refusals

static void refuses(ww_series_set *set, size_t first, size_t count, bool tree) {
    ww_shapelets *model = NULL;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.best = 1;
    o.no_tree = !tree;
    o.part_first = first;
    o.part_count = count;
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(model);
}

START_TEST(parts_out_of_range) {
    wwt_seed(1);
    ww_series_set *set = wwt_set_of_bumps(8, 1, 16, 16, 2, 1, 0);
    refuses(set, 1, 0, false);
    refuses(set, 8, 1, false);
    refuses(set, 0, 9, false);
    refuses(set, 5, 4, false);
    refuses(set, 5, SIZE_MAX - 2, false);
    refuses(set, SIZE_MAX, 2, false);
    refuses(set, 0, 4, true);
    refuses(set, 0, 8, true);
    ww_series_set_destroy(&set);
}
END_TEST

static ww_shapelets *part_of(ww_series_set *set, size_t first, size_t count, ww_shapelet_quality quality, int raw) {
    ww_shapelets *model = NULL;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.best = 2;
    o.no_tree = 1;
    o.part_first = first;
    o.part_count = count;
    o.quality = quality;
    o.raw = raw;
    wwt_ok(wwt_shapelets(set, &o, &model));
    return model;
}

static void no_merge(const ww_shapelets *a, const ww_shapelets *b, const char *word) {
    const ww_shapelets *parts[] = {a, b};
    ww_shapelets *merged = (ww_shapelets *)&merged;
    wwt_fails(ww_shapelets_merge(parts, 2, 2, &merged), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(merged);
    ck_assert_msg(strstr(ww_last_error()->message, word) != NULL, "%s", ww_last_error()->message);
}

START_TEST(what_is_not_joined) {
    wwt_seed(2);
    ww_series_set *set = wwt_set_of_bumps(8, 1, 16, 16, 2, 1, 0), *larger = wwt_set_of_bumps(9, 1, 16, 16, 2, 1, 0),
                  *wide = wwt_set_of_bumps(8, 2, 16, 16, 2, 1, 0), *more = wwt_set_of_bumps(8, 1, 16, 16, 3, 1, 0);
    ww_shapelets *first = part_of(set, 0, 4, WW_SHAPELET_GAIN, 0), *tree = NULL, *merged = NULL;
    ww_shapelets *others[] = {part_of(larger, 4, 4, WW_SHAPELET_GAIN, 0), part_of(wide, 4, 4, WW_SHAPELET_GAIN, 0),
                              part_of(more, 4, 4, WW_SHAPELET_GAIN, 0),   part_of(set, 4, 4, WW_SHAPELET_F, 0),
                              part_of(set, 4, 4, WW_SHAPELET_GAIN, 1),    part_of(set, 3, 4, WW_SHAPELET_GAIN, 0)};
    for (size_t i = 0; i < 5; i++)
        no_merge(first, others[i], "another training set or quality");
    wwt_ok(wwt_shapelets(set, NULL, &tree));
    no_merge(first, tree, "tree");
    no_merge(first, NULL, "NULL");
    no_merge(first, first, "both have candidates");
    const ww_shapelets *parts[] = {first};
    wwt_fails(ww_shapelets_merge(NULL, 1, 1, &merged), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_shapelets_merge(parts, 0, 1, &merged), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_shapelets_merge(parts, 1, 0, &merged), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_shapelets_merge(parts, 1, 1, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_shapelets_merge(parts, 1, 3, &merged), WW_ERROR_INVALID_ARGUMENT); // there are two
    ck_assert_ptr_null(merged);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ww_shapelets_destroy(&others[i]);
    ww_shapelets_destroy(&tree);
    ww_shapelets_destroy(&first);
    ww_series_set_destroy(&more);
    ww_series_set_destroy(&wide);
    ww_series_set_destroy(&larger);
    ww_series_set_destroy(&set);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("shapelet_parts");
    wwt_add(suite, parts_give_the_whole, FORMS);
    if (!known_accuracy_folder())
        printf("# no archive sets: set WAVEWARP_TEST_DATA to the folder of the data sets\n");
    wwt_add(suite, parts_of_archive_sets, 2);
    wwt_add(suite, parts_without_shapelets, 1);
    wwt_add(suite, a_part_goes_on, 1);
    wwt_add(suite, keys_from_models, 1);
    wwt_add(suite, keys_of_splits, 1);
    wwt_add(suite, parts_out_of_range, 1);
    wwt_add(suite, what_is_not_joined, 1);
    return wwt_run(suite);
}
