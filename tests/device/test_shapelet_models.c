// SPDX-License-Identifier: Apache-2.0
// Models of shapelets of several numbers of classes: what is written is read again, predicts and transforms by the same
// bits, by files and by functions that take and give their bytes, and is refused where a node's shapelets are not its
// own; names of many classes, trees of many nodes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory_bytes.h"
#include "set_jobs.h"
#include "support.h"

static char path[64];

// `each` series of each of the classes: waves of the class's frequency, some of them longer than others.
static ww_series_set *make_waves(size_t classes, size_t each, size_t channels) {
    ww_series_set *set = NULL;
    wwt_ok(ww_series_set_create(channels, &set));
    for (size_t i = 0; i < classes * each; i++) {
        char label[32];
        double values[4 * 40];
        const size_t k = i % classes, points = 24 + i % 5;
        const double phase = 3 * wwt_random();
        for (size_t c = 0; c < channels; c++)
            for (size_t t = 0; t < points; t++)
                values[c * points + t] =
                    sin(phase + (double)t * (0.3 + 0.2 * (double)k + 0.1 * (double)c)) + 0.1 * wwt_random();
        snprintf(label, sizeof label, "class %zu", k);
        wwt_ok(ww_series_set_add(set, points, values, label));
    }
    return set;
}

// False where models can't be read: the library was built without jansson.
static bool read_model(ww_shapelets **model) {
    const ww_status status = ww_shapelets_read(path, model);
    if (status == WW_ERROR_UNSUPPORTED)
        return false;
    wwt_ok(status);
    return true;
}

static char *read_text(void) {
    enum { ROOM = 1 << 20 };
    char *text = malloc(ROOM);
    FILE *file = fopen(path, "rb");
    ck_assert(text && file);
    const size_t size = fread(text, 1, ROOM - 1, file);
    fclose(file);
    text[size] = '\0';
    return text;
}

static void write_text(const char *text) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

// Whether some node's shapelets come before those of a node with a lower number.
static bool out_of_order(const ww_shapelets *model, size_t nodes) {
    size_t last = 0;
    for (size_t i = 0; i < nodes; i++) {
        ww_shapelet_node n = WW_SHAPELET_NODE_INIT;
        wwt_ok(ww_shapelets_get_node(model, i, &n));
        if (n.left < 0)
            continue;
        if (n.first < last)
            return true;
        last = n.first;
    }
    return false;
}

// Predictions are compared where there is a tree.
static void same_use(const ww_shapelets *a, const ww_shapelets *b, ww_series_set *set, size_t shapelets, bool tree) {
    const size_t n = ww_series_set_count(set), bytes = n * shapelets * sizeof(double);
    int64_t *classes = malloc(2 * n * sizeof *classes);
    double *d = malloc(2 * bytes), *features = malloc(2 * bytes);
    uint64_t *starts = malloc(2 * n * shapelets * sizeof *starts);
    ck_assert(classes && d && features && starts);
    if (tree) {
        wwt_ok(wwt_predict(a, set, NULL, classes, d));
        wwt_ok(wwt_predict(b, set, NULL, classes + n, d + n * shapelets));
        ck_assert_mem_eq(classes, classes + n, n * sizeof *classes);
        ck_assert_mem_eq(d, d + n * shapelets, bytes);
    }
    wwt_ok(wwt_transform(a, set, NULL, 0, shapelets, features, starts));
    wwt_ok(wwt_transform(b, set, NULL, 0, shapelets, features + n * shapelets, starts + n * shapelets));
    ck_assert_mem_eq(features, features + n * shapelets, bytes);
    ck_assert_mem_eq(starts, starts + n * shapelets, n * shapelets * sizeof *starts);
    free(classes);
    free(d);
    free(features);
    free(starts);
}

static unsigned char written[1 << 20], other[1 << 20];

// The bytes of a file, by a function.
static wwt_bytes give_model(const ww_shapelets *model, void *at) {
    wwt_bytes bytes = wwt_bytes_at(at, sizeof written, 0);
    wwt_ok(ww_shapelets_write_to(model, wwt_bytes_write, &bytes));
    ck_assert(!bytes.wrong && bytes.count > 0);
    return bytes;
}

static ww_status take_model(const wwt_bytes *from, size_t piece, ww_shapelets **model) {
    wwt_bytes bytes = wwt_bytes_at(from->at, from->room, from->count);
    bytes.piece = piece;
    bytes.fails = from->fails;
    bytes.failure = from->failure;
    const ww_status status = ww_shapelets_read_from(wwt_bytes_read, &bytes, model);
    ck_assert(!bytes.wrong && (status == WW_OK) == (*model != NULL));
    return status;
}

// What functions get is the file, and what is read from it is the model.
static void check_bytes(const ww_shapelets *model, ww_series_set *set) {
    static const size_t pieces[] = {0, 1, 7, 1000};
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    wwt_ok(ww_shapelets_get_info(model, &info));
    wwt_ok(ww_shapelets_write(model, path));
    char *text = read_text();
    const wwt_bytes bytes = give_model(model, written);
    ck_assert_uint_eq(bytes.count, strlen(text));
    ck_assert_mem_eq(text, written, bytes.count);
    free(text);
    remove(path);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        ww_shapelets *read = NULL;
        const ww_status status = take_model(&bytes, pieces[i], &read);
        if (status == WW_ERROR_UNSUPPORTED)
            return;
        wwt_ok(status);
        const wwt_bytes more = give_model(read, other);
        ck_assert_uint_eq(more.count, bytes.count);
        ck_assert_mem_eq(other, written, bytes.count);
        if (i == 1 && info.shapelets > 0)
            same_use(model, read, set, info.shapelets, info.nodes > 0);
        ww_shapelets_destroy(&read);
    }
}

// Two to ten classes, one to four channels, also with several terms and the best besides.
START_TEST(written_and_read) {
    const size_t classes = 2 + (size_t)_i;
    ww_shapelets *model = NULL, *read = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    wwt_seed(50 + (unsigned)_i);
    ww_series_set *train = make_waves(classes, 4, 1 + (size_t)_i % 4),
                  *test = make_waves(classes, 2, 1 + (size_t)_i % 4);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.min_length = 4;
    o.max_length = 12;
    o.length_step = 4;
    o.terms = _i % 3 == 2 ? 2 : 1;
    o.best = _i % 2 ? 3 : 0;
    wwt_ok(wwt_shapelets(train, &o, &model));
    wwt_ok(ww_shapelets_get_info(model, &info));
    ck_assert_uint_ge(info.nodes, 2 * classes - 1);
    wwt_ok(ww_shapelets_write(model, path));
    char *text = read_text();
    if (read_model(&read)) {
        same_use(model, read, train, info.shapelets, true);
        same_use(model, read, test, info.shapelets, true);
        wwt_ok(ww_shapelets_write(read, path));
        char *again = read_text();
        ck_assert_str_eq(text, again);
        free(again);
    }
    free(text);
    remove(path);
    check_bytes(model, train);
    check_bytes(model, test);
    ww_shapelets_destroy(&read);
    ww_shapelets_destroy(&model);
    ww_series_set_destroy(&train);
    ww_series_set_destroy(&test);
}
END_TEST

// Shapelets are numbered as nodes are split, depth first, and not by their nodes' numbers. Each belongs to one node.
START_TEST(one_node_each) {
    static const char start[] =
        "{\"format\": \"wavewarp-shapelets\", \"version\": 1, \"quality\": \"gain\", \"raw\": false, \"unscaled\": "
        "false, "
        "\"channels\": 1, \"train\": 4, \"best\": 0, \"classes\": [\"a\", \"b\", \"c\", \"d\"], \"nodes\": [";
    static const char split[] =
        "{\"depth\": %d, \"series\": %d, \"class\": 0, \"left\": %d, \"right\": %d, \"first\": %d, \"terms\": %d, "
        "\"threshold\": 1, \"gain\": 1, \"gap\": 1}, ";
    static const char leaf[] = "{\"depth\": 2, \"series\": 1, \"class\": %d}%s";
    static const char shapelet[] =
        "{\"series\": 0, \"start\": 0, \"length\": 2, \"class\": 0, \"op\": \"and\", \"quality\": "
        "1, \"gain\": 1, \"gap\": 1, \"threshold\": 1, \"values\": [[%d, 2]]}%s";
    // The first shapelet and the number of them, of the root and of the two nodes below it.
    static const struct {
        int first[3], terms[3], shapelets;
        bool right;
    } models[] = {
        {{0, 1, 2}, {1, 1, 1}, 3, true},  {{0, 2, 1}, {1, 1, 1}, 3, true},  {{2, 0, 1}, {1, 1, 1}, 3, true},
        {{4, 0, 1}, {1, 1, 3}, 5, true},  {{0, 1, 1}, {1, 1, 1}, 3, false}, {{0, 0, 2}, {1, 1, 1}, 3, false},
        {{0, 1, 3}, {1, 1, 1}, 3, false}, {{0, 1, 2}, {1, 1, 1}, 4, false}, {{0, 1, 2}, {2, 1, 1}, 3, false},
        {{0, 1, 2}, {1, 1, 2}, 3, false}, {{0, 2, 1}, {1, 1, 2}, 3, false},
    };
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        ww_shapelets *model = NULL;
        FILE *file = fopen(path, "wb");
        ck_assert_ptr_nonnull(file);
        fputs(start, file);
        for (int n = 0; n < 3; n++)
            fprintf(file, split, n > 0, n ? 2 : 4, n ? 2 * n + 1 : 1, n ? 2 * n + 2 : 2, models[m].first[n],
                    models[m].terms[n]);
        for (int n = 0; n < 4; n++)
            fprintf(file, leaf, n, n < 3 ? ", " : "], \"shapelets\": [");
        for (int s = 0; s < models[m].shapelets; s++)
            fprintf(file, shapelet, s, s + 1 < models[m].shapelets ? ", " : "]}\n");
        fclose(file);
        const ww_status status = ww_shapelets_read(path, &model);
        if (status != WW_ERROR_UNSUPPORTED)
            ck_assert_msg((status == WW_OK) == models[m].right && (model != NULL) == models[m].right, "model %zu: %s",
                          m, ww_last_error()->message);
        ww_shapelets_destroy(&model);
    }
    remove(path);
}
END_TEST

// A model that this program made, of which the order is not that of the nodes.
START_TEST(depth_first) {
    ww_shapelets *model = NULL, *read = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    wwt_seed(7);
    ww_series_set *train = make_waves(8, 3, 1);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.min_length = 5;
    o.max_length = 15;
    o.length_step = 5;
    wwt_ok(wwt_shapelets(train, &o, &model));
    wwt_ok(ww_shapelets_get_info(model, &info));
    ck_assert(out_of_order(model, info.nodes));
    wwt_ok(ww_shapelets_write(model, path));
    // A shapelet of two nodes.
    if (read_model(&read)) {
        char *text = read_text(), *second = strstr(text, "\"first\": 1,");
        ck_assert_ptr_nonnull(second);
        second[strlen("\"first\": ")] = '0';
        write_text(text);
        free(text);
        ww_shapelets_destroy(&read);
        wwt_fails(ww_shapelets_read(path, &read), WW_ERROR_FORMAT);
    }
    remove(path);
    ww_shapelets_destroy(&model);
    ww_series_set_destroy(&train);
}
END_TEST

// Many small models of all options.
START_TEST(models_by_functions) {
    enum { MODELS = 60 };
    size_t with_or = 0, without_tree = 0;
    wwt_seed(300 + (unsigned)_i);
    for (int n = 0; n < MODELS; n++) {
        ww_shapelets *model = NULL;
        ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
        ww_series_set *train = make_waves(wwt_random_size(2, 5), wwt_random_size(2, 4), wwt_random_size(1, 3));
        ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
        o.min_length = 4;
        o.max_length = 8;
        o.length_step = 4;
        o.start_step = 3;
        o.quality = (ww_shapelet_quality)wwt_random_size(0, 3);
        o.raw = (int)wwt_random_size(0, 1);
        o.terms = wwt_random_size(1, 3);
        o.unscaled = o.terms == 1 && wwt_random() > 0;
        o.best = wwt_random_size(0, 4);
        o.no_tree = o.best > 0 && wwt_random() > 0;
        wwt_ok(wwt_shapelets(train, &o, &model));
        wwt_ok(ww_shapelets_get_info(model, &info));
        for (size_t i = 0; i < info.shapelets; i++)
            with_or += ww_shapelets_get_op(model, i) == WW_SHAPELET_OR;
        without_tree += info.nodes == 0;
        check_bytes(model, train);
        ww_shapelets_destroy(&model);
        ww_series_set_destroy(&train);
    }
    ck_assert_uint_gt(with_or, 0);
    ck_assert_uint_gt(without_tree, 0);
}
END_TEST

// Every `step`-th series of a file.
static ww_series_set *read_some(const char *name, size_t step) {
    char file[1024];
    ww_series_set *whole = NULL, *part = NULL;
    snprintf(file, sizeof file, "%s/%s/%s_TRAIN.ts", getenv("WAVEWARP_TEST_DATA"), name, name);
    wwt_ok(ww_series_set_read(file, NULL, &whole));
    wwt_ok(ww_series_set_create(ww_series_set_channels(whole), &part));
    for (size_t i = 0; i < ww_series_set_count(whole); i += step)
        wwt_ok(ww_series_set_add(part, ww_series_set_length(whole, i), ww_series_set_values(whole, i),
                                 ww_series_set_label(whole, i)));
    ww_series_set_destroy(&whole);
    return part;
}

static const struct {
    const char *name;
    size_t step, terms, best;
} data[] = {
    {"GunPoint", 4, 2, 0}, {"BasicMotions", 3, 1, 3}, {"SyntheticControl", 12, 1, 5}, {"JapaneseVowels", 9, 1, 0}};

START_TEST(models_of_data) {
    ww_shapelets *model = NULL;
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    ww_series_set *train = read_some(data[_i].name, data[_i].step);
    o.min_length = 3;
    o.max_length = ww_series_set_min_length(train) < 24 ? 7 : 24;
    o.length_step = o.max_length - 3;
    o.start_step = 2;
    o.terms = data[_i].terms;
    o.best = data[_i].best;
    wwt_ok(wwt_shapelets(train, &o, &model));
    check_bytes(model, train);
    ww_shapelets_destroy(&model);
    ww_series_set_destroy(&train);
}
END_TEST

static int64_t too_many(void *user, void *bytes, size_t room) {
    ++*(size_t *)user;
    memset(bytes, ' ', room);
    return (int64_t)room + 1;
}

// A function that fails at any call ends the job; what is cut anywhere is no model.
START_TEST(functions_that_fail) {
    ww_shapelets *model = NULL, *read = NULL;
    wwt_seed(11);
    ww_series_set *train = make_waves(4, 18, 4);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.min_length = o.max_length = 24;
    o.best = 60;
    wwt_ok(wwt_shapelets(train, &o, &model));
    wwt_bytes bytes = give_model(model, written);
    ck_assert_uint_ge(bytes.calls, 3);
    for (size_t n = 1; n <= bytes.calls; n++) {
        wwt_bytes stopped = wwt_bytes_at(other, sizeof other, 0);
        stopped.fails = n;
        stopped.failure = n % 2 ? -1 : 7;
        wwt_fails(ww_shapelets_write_to(model, wwt_bytes_write, &stopped), WW_ERROR_IO);
        ck_assert(!stopped.wrong && stopped.calls == n);
        ck_assert_ptr_nonnull(strstr(ww_last_error()->message, n % 2 ? "-1" : "7"));
        ck_assert_mem_eq(written, other, stopped.count);
    }
    wwt_fails(ww_shapelets_write_to(NULL, wwt_bytes_write, &bytes), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_shapelets_write_to(model, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    read = model;
    wwt_fails(ww_shapelets_read_from(NULL, NULL, &read), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(read);
    wwt_fails(ww_shapelets_read_from(wwt_bytes_read, &bytes, NULL), WW_ERROR_INVALID_ARGUMENT);
    if (take_model(&bytes, 0, &read) == WW_OK) {
        size_t calls = 0;
        ww_shapelets_destroy(&read);
        for (bytes.fails = 1; bytes.fails < bytes.count / 50; bytes.fails += 1 + bytes.fails / 3) {
            bytes.failure = bytes.fails % 2 ? -1 : -9;
            wwt_fails(take_model(&bytes, 50, &read), WW_ERROR_IO);
            ck_assert_ptr_nonnull(strstr(ww_last_error()->message, bytes.fails % 2 ? "-1" : "-9"));
        }
        bytes.fails = 0;
        const size_t whole = bytes.count - 1; // the last character is the end of a line
        for (bytes.count = 0; bytes.count < whole; bytes.count += 1 + bytes.count / 20)
            wwt_fails(take_model(&bytes, 4096, &read), WW_ERROR_FORMAT);
        wwt_fails(ww_shapelets_read_from(too_many, &calls, &read), WW_ERROR_INVALID_ARGUMENT);
        ck_assert(!read && calls == 1);
    }
    ww_shapelets_destroy(&model);
    ww_series_set_destroy(&train);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("shapelet models");
    snprintf(path, sizeof path, "shapelet-models-%ld.json", (long)getpid());
    wwt_add(suite, written_and_read, 9);
    wwt_add(suite, one_node_each, 1);
    wwt_add(suite, depth_first, 1);
    wwt_add(suite, models_by_functions, 4);
    wwt_add(suite, functions_that_fail, 1);
    if (getenv("WAVEWARP_TEST_DATA") && access(getenv("WAVEWARP_TEST_DATA"), R_OK) == 0)
        wwt_add(suite, models_of_data, (int)(sizeof data / sizeof *data));
    else
        printf("# skipped: models_of_data, no data sets: set WAVEWARP_TEST_DATA to their folder\n");
    return wwt_run(suite);
}
