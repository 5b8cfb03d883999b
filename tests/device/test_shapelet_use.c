// SPDX-License-Identifier: Apache-2.0
// What is done with shapelets: transforms, files, refusals; trees of real sets.
#include <unistd.h>

#include "shapelet_sets.h"
#include "vectors/known_accuracy.h"

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

static ww_dataset *scaled_set(const labelled *l, size_t count, size_t channels, int exponent) {
    ww_series_set *set = NULL;
    wwt_ok(ww_series_set_create(channels, &set));
    for (size_t i = 0; i < count; i++) {
        double values[128];
        ck_assert_uint_le(channels * l->lengths[i], sizeof values / sizeof *values);
        for (size_t t = 0; t < channels * l->lengths[i]; t++)
            values[t] = ldexp(l->values[i][t], exponent);
        wwt_ok(ww_series_set_add(set, l->lengths[i], values, ww_series_set_label(l->set, i)));
    }
    ww_dataset *made = NULL;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    options.precision = WW_DOUBLE;
    wwt_ok(ww_dataset_create_from_set(wwt_context, set, &options, &made));
    ww_series_set_destroy(&set);
    return made;
}

// Times a power of two, at which float and double do not hold squares, all is the same: raw windows' distances are that
// many times as large.
START_TEST(odd_scales) {
    enum { COUNT = 12, CHANNELS = 2, OTHERS = 5, MOST = 64 };
    static const int exponents[] = {0, -90, -560, -1000, 90, 560, 990};
    const bool raw = _i == 1;
    static double expected[OTHERS * MOST], found[OTHERS * MOST];
    static ww_shapelet known[MOST];
    size_t shapelets = 0;
    if (!wwt_device_has_double())
        return;
    wwt_seed(33);
    labelled *l = make_set(COUNT, CHANNELS, 16, 20, 3, 1, 0), *other = make_set(OTHERS, CHANNELS, 18, 30, 3, 1, 0);
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        ww_shapelets *model = NULL;
        ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
        ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
        ww_dataset *set = scaled_set(l, COUNT, CHANNELS, exponents[e]),
                   *others = scaled_set(other, OTHERS, CHANNELS, exponents[e]);
        const int back = raw ? -exponents[e] : 0;
        o.raw = raw;
        wwt_ok(ww_shapelets_create(set, &o, &model));
        wwt_ok(ww_shapelets_get_info(model, &info));
        ck_assert_uint_le(info.shapelets, MOST);
        ck_assert_uint_eq(info.shapelets, e ? shapelets : info.shapelets);
        shapelets = info.shapelets;
        wwt_ok(ww_shapelets_transform(model, others, NULL, 0, shapelets, found, NULL));
        for (size_t k = 0; k < shapelets; k++) {
            ww_shapelet s = WW_SHAPELET_INIT;
            wwt_ok(ww_shapelets_get_shapelet(model, k, &s));
            ck_assert_double_eq(s.values[0], ldexp(l->values[s.series][s.start], exponents[e]));
            if (e == 0)
                known[k] = s;
            ck_assert(s.series == known[k].series && s.start == known[k].start && s.length == known[k].length);
            ck_assert_double_eq(ldexp(s.threshold, back), known[k].threshold);
            ck_assert_double_eq(ldexp(s.gap, back), known[k].gap);
            for (size_t i = 0; i < OTHERS; i++) {
                double *at = &expected[i * shapelets + k];
                *at = e == 0 ? found[i * shapelets + k] : *at;
                ck_assert_double_eq(ldexp(found[i * shapelets + k], back), *at);
            }
        }
        ww_shapelets_destroy(&model);
        ww_dataset_destroy(&set);
        ww_dataset_destroy(&others);
    }
    free_set(l);
    free_set(other);
}
END_TEST

// A part so small beside the rest that double does not hold its squares.
START_TEST(beyond_any_scale) {
    double values[20];
    ww_series_set *set = NULL;
    ww_shapelets *model = NULL;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    wwt_ok(ww_series_set_create(1, &set));
    for (size_t i = 0; i < 4; i++) {
        for (size_t t = 0; t < 20; t++)
            values[t] = wwt_random() * (i == 2 && t < 5 ? 1e-200 : 1);
        wwt_ok(ww_series_set_add(set, 20, values, i % 2 ? "b" : "a"));
    }
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_UNSUPPORTED);
    ck_assert_int_eq(ww_last_error()->series, 2);
    o.raw = 1;
    wwt_ok(wwt_shapelets(set, &o, &model));
    ww_shapelets_destroy(&model);
    ww_series_set_destroy(&set);
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
    Suite *suite = suite_create("shapelet_use");
    wwt_add(suite, transform, 1);
    wwt_add(suite, odd_scales, 2);
    wwt_add(suite, beyond_any_scale, 1);
    wwt_add(suite, model_files, 1);
    wwt_add(suite, refusals, 1);
    if (!known_accuracy_folder())
        printf("# no reference trees: set WAVEWARP_TEST_DATA to the folder of the data sets\n");
    wwt_add(suite, reference_trees, 3);
    return wwt_run(suite);
}
