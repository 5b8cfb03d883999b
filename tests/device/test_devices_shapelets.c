// SPDX-License-Identifier: Apache-2.0
// Shapelets on groups: the bytes of one device; a device that fails in the middle, the time given, cancelling, bad
// input. With a store: stopped and gone on with, in parts, with a device that fails, and what is refused.
#include <sys/stat.h>
#include <unistd.h>

#include "../store_sums.h"
#include "devices.h"
#include "set_jobs.h"
#include "vectors/known_accuracy.h"

typedef struct form {
    size_t count, channels, least, most, classes;
    size_t best, terms, sample, start_step, max_depth;
    int no_tree, raw;
    ww_shapelet_quality quality;
} form;

static const form forms[] = {
    {36, 1, 30, 40, 3, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_GAIN},
    {36, 1, 30, 40, 3, 4, 0, 0, 0, 0, 0, 0, WW_SHAPELET_GAIN},
    {36, 1, 30, 40, 2, 6, 0, 0, 0, 0, 1, 0, WW_SHAPELET_GAIN},
    {30, 1, 30, 36, 3, 1, 3, 0, 0, 0, 0, 0, WW_SHAPELET_GAIN},
    {30, 2, 24, 28, 3, 3, 0, 0, 2, 2, 0, 0, WW_SHAPELET_GAIN},
    {30, 1, 30, 30, 2, 2, 2, 0, 0, 0, 0, 1, WW_SHAPELET_GAIN},
    {30, 1, 30, 34, 3, 3, 0, 0, 0, 1, 0, 0, WW_SHAPELET_F},
    {30, 1, 30, 34, 3, 2, 0, 0, 0, 1, 0, 0, WW_SHAPELET_KRUSKAL_WALLIS},
    {30, 1, 30, 34, 3, 0, 0, 0, 0, 2, 0, 0, WW_SHAPELET_MOOD},
    {36, 1, 30, 40, 3, 3, 0, 2000, 0, 0, 0, 0, WW_SHAPELET_GAIN},
};
enum { FORMS = sizeof forms / sizeof *forms };

static ww_shapelets_options options_of(const form *f) {
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.best = f->best;
    o.terms = f->terms;
    o.sample = f->sample;
    o.start_step = f->start_step;
    o.max_depth = f->max_depth;
    o.no_tree = f->no_tree;
    o.raw = f->raw;
    o.quality = f->quality;
    return o;
}

static ww_series_set *set_of(const form *f) {
    return wwt_set_of_bumps(f->count, f->channels, f->least, f->most, f->classes, 1, 0);
}

static ww_dataset *send(ww_context *group, ww_series_set *set) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *data = NULL;
    options.precision = wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    wwt_ok(ww_dataset_create_from_set(group, set, &options, &data));
    return data;
}

// Of the group's devices and of one.
static void check_group(ww_series_set *set, const ww_shapelets_options *o) {
    ww_context *group = wwt_group_open(0.001);
    ww_dataset *data = send(group, set);
    ww_shapelets *whole = NULL, *divided = NULL;
    ww_shapelets_info one = WW_SHAPELETS_INFO_INIT, all = WW_SHAPELETS_INFO_INIT;
    int lost;
    wwt_ok(wwt_shapelets(set, o, &whole));
    for (int again = 0; again < 2; again++) {
        wwt_ok(ww_shapelets_create(data, o, &divided));
        wwt_same_model(divided, whole);
        ck_assert(wwt_group_tiles(group, &lost) >= wwt_group_least(group) && lost == 0);
        wwt_ok(ww_shapelets_get_info(whole, &one));
        wwt_ok(ww_shapelets_get_info(divided, &all));
        ck_assert_uint_eq(all.candidates, one.candidates);
        ck_assert_uint_eq(all.cells, one.cells);
        ck_assert(all.launches > 0 && all.examined > 0 && !all.stopped);
        ww_shapelets_destroy(&divided);
    }
    ww_shapelets_destroy(&whole);
    ww_dataset_destroy(&data);
    ww_context_destroy(&group);
}

START_TEST(models_are_those_of_one_device) {
    wwt_seed((unsigned)_i);
    ww_series_set *set = set_of(&forms[_i]);
    const ww_shapelets_options o = options_of(&forms[_i]);
    check_group(set, &o);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(models_of_archive_sets) {
    static const char *const names[] = {"ItalyPowerDemand", "GunPoint"};
    const known_accuracy name = {.name = names[_i]};
    if (!known_accuracy_folder())
        return;
    ww_series_set *set = known_accuracy_read(&name, "TRAIN");
    ck_assert_ptr_nonnull(set);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    o.best = 5;
    o.length_step = _i ? 12 : 0;
    check_group(set, &o);
    ww_series_set_destroy(&set);
}
END_TEST

// ---- failures

enum { MOST_BYTES = 1 << 16 };

static ww_status run_shapelets(wwt_trial *t) {
    ww_shapelets *model = NULL;
    const ww_status status = ww_shapelets_create(t->data, t->more, &model);
    if (status != WW_OK)
        return status;
    size_t count;
    unsigned char *bytes = wwt_model_bytes(model, &count);
    ck_assert_uint_lt(count, MOST_BYTES);
    memset(t->found, 0, MOST_BYTES);
    memcpy(t->found, bytes, count);
    free(bytes);
    ww_shapelets_destroy(&model);
    return WW_OK;
}

START_TEST(a_device_fails_in_the_middle) {
    static unsigned char found[MOST_BYTES];
    ww_shapelets_options o = options_of(&forms[1]);
    wwt_seed(5);
    ww_series_set *set = set_of(&forms[1]);
    wwt_trial t = {.group = wwt_group_open(_i ? 3600 : 0.001),
                   .run = run_shapelets,
                   .more = &o,
                   .found = found,
                   .bytes = sizeof found};
    t.data = send(t.group, set);
    wwt_group_failures(&t);
    ww_dataset_destroy(&t.data);
    ww_context_destroy(&t.group);
    ww_series_set_destroy(&set);
}
END_TEST

// ---- the end before the end

START_TEST(the_time_given) {
    wwt_seed(6);
    ww_series_set *set = set_of(&forms[1]);
    ww_context *group = wwt_group_open(0.001);
    ww_dataset *data = send(group, set);
    ww_shapelets_options o = options_of(&forms[1]);
    ww_shapelets *model = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    ww_shapelet first = WW_SHAPELET_INIT;
    o.seconds = 1e-9;
    o.best = 1;
    wwt_ok(ww_shapelets_create(data, &o, &model));
    wwt_ok(ww_shapelets_get_info(model, &info));
    ck_assert(info.stopped && info.best == 1 && info.candidates > 0 && info.nodes > 1);
    wwt_ok(ww_shapelets_get_shapelet(model, 0, &first));
    ck_assert(first.gain > 0);
    ww_shapelets_destroy(&model);
    o.seconds = 1e6;
    ww_shapelets *whole = NULL;
    wwt_ok(ww_shapelets_create(data, &o, &model));
    o.seconds = 0;
    wwt_ok(wwt_shapelets(set, &o, &whole));
    wwt_same_model(model, whole);
    ww_shapelets_destroy(&whole);
    ww_shapelets_destroy(&model);
    ww_dataset_destroy(&data);
    ww_context_destroy(&group);
    ww_series_set_destroy(&set);
}
END_TEST

typedef struct seen {
    uint64_t done, total;
    size_t calls, stop_at;
} seen;

static int look(void *user, uint64_t done, uint64_t total) {
    seen *s = user;
    if (total <= 1)
        return 0; // a compile
    ck_assert(done <= total && total >= s->total && done >= s->done);
    s->done = done;
    s->total = total;
    return ++s->calls == s->stop_at;
}

START_TEST(progress_and_the_end_by_it) {
    wwt_seed(7);
    ww_series_set *set = set_of(&forms[1]);
    ww_context *group = wwt_group_open(0.001);
    ww_dataset *data = send(group, set);
    ww_shapelets_options o = options_of(&forms[1]);
    ww_shapelets *model = NULL;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    seen s = {0, 0, 0, 0};
    int lost;
    run.progress = look;
    run.progress_user = &s;
    o.run = &run;
    wwt_ok(ww_shapelets_create(data, &o, &model));
    ck_assert(s.calls > 3 && s.done == s.total);
    ww_shapelets_destroy(&model);
    // How often it is called depends on the time: a run may be over before.
    const size_t calls = s.calls;
    for (size_t at = 1; at <= calls; at += calls / 4 + 1) {
        s = (seen){.stop_at = at};
        const ww_status status = ww_shapelets_create(data, &o, &model);
        ck_assert_int_eq(status, s.calls < at ? WW_OK : WW_ERROR_CANCELLED);
        ck_assert(at > 1 || status == WW_ERROR_CANCELLED);
        ck_assert((model == NULL) == (status != WW_OK));
        ww_shapelets_destroy(&model);
        (void)wwt_group_tiles(group, &lost);
        ck_assert_int_eq(lost, 0);
    }
    ww_dataset_destroy(&data);
    ww_context_destroy(&group);
    ww_series_set_destroy(&set);
}
END_TEST

// ---- with a store

static const char *path_of(unsigned part) {
    static char paths[4][64];
    (void)snprintf(paths[part], sizeof paths[part], "shapelets-%ld.%u", (long)getpid(), part);
    return paths[part];
}

static ww_store *open_store(unsigned part, unsigned parts) {
    ww_store_options options = WW_STORE_OPTIONS_INIT;
    ww_store *store = NULL;
    options.resume = 1;
    options.part = part;
    options.part_count = parts;
    wwt_ok(ww_store_open(path_of(part), &options, &store));
    return store;
}

// By so many devices.
static ww_status run_with(ww_store *store, size_t devices, ww_series_set *set, const ww_shapelets_options *o,
                          ww_shapelets **model) {
    ww_context *group = wwt_group_open_kept(0.001, devices, store);
    ww_dataset *data = send(group, set);
    const ww_status status = ww_shapelets_create(data, o, model);
    ck_assert((*model != NULL) == (status == WW_OK));
    ww_dataset_destroy(&data);
    ww_context_destroy(&group);
    return status;
}

static uint64_t size_of(const char *path) {
    struct stat about;
    ck_assert_int_eq(stat(path, &about), 0);
    return (uint64_t)about.st_size;
}

// Stopped at one report after another, and gone on with by one device and by two: the model of one run.
START_TEST(stopped_and_gone_on_with) {
    wwt_seed(13 + (unsigned)_i);
    ww_series_set *set = set_of(&forms[_i]);
    ww_shapelets_options o = options_of(&forms[_i]);
    ww_shapelets *whole = NULL, *model = NULL;
    ww_shapelets_info one = WW_SHAPELETS_INFO_INIT, last = WW_SHAPELETS_INFO_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    seen s = {0, 0, 0, 0};
    uint64_t found = 0;
    wwt_ok(wwt_shapelets(set, &o, &whole));
    wwt_ok(ww_shapelets_get_info(whole, &one));
    run.progress = look;
    run.progress_user = &s;
    o.run = &run;
    for (size_t turn = 0; !model; turn++) {
        ww_store_info info = WW_STORE_INFO_INIT;
        ww_store *store = open_store(0, 0);
        wwt_ok(ww_store_get_info(store, &info));
        found = info.found_done;
        s = (seen){.stop_at = turn < 2 ? 2 + 3 * turn : 0};
        const ww_status status = run_with(store, 2 - turn % 2, set, &o, &model);
        ck_assert(status == WW_OK || status == WW_ERROR_CANCELLED);
        wwt_ok(ww_store_close(&store, 1));
    }
    wwt_same_model(model, whole);
    wwt_ok(ww_shapelets_get_info(model, &last));
    // What a GPU does before the second report is all; what is kept is not searched.
    ck_assert(wwt_device_is_gpu() || (found > 0 && last.candidates < one.candidates));
    ww_shapelets_destroy(&model);
    // All of it is kept: nothing is searched, nothing is written.
    const uint64_t bytes = size_of(path_of(0));
    ww_store *store = open_store(0, 0);
    s = (seen){0, 0, 0, 0};
    wwt_ok(run_with(store, 2, set, &o, &model));
    wwt_same_model(model, whole);
    wwt_ok(ww_shapelets_get_info(model, &last));
    ck_assert_uint_eq(last.candidates, 0);
    ck_assert_uint_eq(size_of(path_of(0)), bytes);
    ck_assert_uint_eq(s.done, s.total);
    wwt_ok(ww_store_close(&store, 0));
    ww_shapelets_destroy(&model);
    ww_shapelets_destroy(&whole);
    ww_series_set_destroy(&set);
}
END_TEST

// The best of three parts, each by one device or by two, joined.
static void check_parts(ww_series_set *set, const ww_shapelets_options *o) {
    enum { PARTS = 3 };
    const char *paths[PARTS];
    ww_shapelets *whole = NULL, *model = NULL;
    ww_shapelets_info one = WW_SHAPELETS_INFO_INIT, last = WW_SHAPELETS_INFO_INIT;
    ww_store *store = NULL;
    wwt_ok(wwt_shapelets(set, o, &whole));
    wwt_ok(ww_shapelets_get_info(whole, &one));
    for (unsigned part = 1; part <= PARTS; part++) {
        store = open_store(part, PARTS);
        wwt_fails(run_with(store, 1 + part % 2, set, o, &model), WW_ERROR_PART);
        wwt_ok(ww_store_close(&store, 1));
        paths[PARTS - part] = path_of(part);
    }
    wwt_ok(ww_store_open_parts(paths, PARTS, 0, &store));
    wwt_ok(run_with(store, 1, set, o, &model));
    wwt_same_model(model, whole);
    wwt_ok(ww_shapelets_get_info(model, &last));
    ck_assert(last.candidates == 0 && last.best == one.best && last.train == one.train);
    wwt_ok(ww_store_close(&store, 1));
    for (unsigned part = 1; part <= PARTS; part++)
        ck_assert_int_eq(unlink(path_of(part)), 0);
    ww_shapelets_destroy(&model);
    ww_shapelets_destroy(&whole);
}

START_TEST(parts_give_the_whole) {
    wwt_seed((unsigned)_i);
    ww_series_set *set = set_of(&forms[_i]);
    ww_shapelets_options o = options_of(&forms[_i]);
    o.no_tree = 1;
    o.best = o.best ? o.best : 2;
    check_parts(set, &o);
    ww_series_set_destroy(&set);
}
END_TEST

// Series of one value, as many of either class, tell nothing apart: a part of them finds nothing, and a set of them has
// fewer shapelets than are asked for.
START_TEST(parts_without_shapelets) {
    enum { FLAT = 6, MORE = 10, LENGTH = 18 };
    const double flat[LENGTH] = {0};
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    ww_shapelets *model = NULL;
    ww_series_set *set = NULL;
    wwt_seed(4);
    ww_series_set *bumps = wwt_set_of_bumps(MORE, 1, LENGTH, LENGTH, 2, 1, 0);
    wwt_ok(ww_series_set_create(1, &set));
    for (size_t i = 0; i < FLAT; i++)
        wwt_ok(ww_series_set_add(set, LENGTH, flat, i % 2 ? "c1" : "c0"));
    o.no_tree = 1;
    o.best = 5;
    wwt_fails(wwt_shapelets(set, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o.fewer = 1;
    wwt_ok(wwt_shapelets(set, &o, &model));
    wwt_ok(ww_shapelets_get_info(model, &info));
    ck_assert(info.best == 0 && info.shapelets == 0 && info.candidates > 0);
    ww_shapelets_destroy(&model);
    check_parts(set, &o);
    for (size_t i = 0; i < MORE; i++)
        wwt_ok(ww_series_set_add(set, LENGTH, ww_series_set_values(bumps, i), ww_series_set_label(bumps, i)));
    check_parts(set, &o);
    o.fewer = 0;
    check_parts(set, &o);
    o.fewer = 1;
    o.best = 1000;
    check_parts(set, &o);
    ww_series_set_destroy(&bumps);
    ww_series_set_destroy(&set);
}
END_TEST

// With launch `at` failing. The store is then as if none had failed: all is taken from it. Returns whether there was
// such a launch.
static bool fails_at(wwt_fault_table *layer, long at, ww_series_set *set, const ww_shapelets_options *o,
                     const ww_shapelets *whole) {
    ww_shapelets *model = NULL;
    ww_shapelets_info info = WW_SHAPELETS_INFO_INIT;
    ww_store *store = open_store(0, 0);
    ww_context *group = wwt_group_open_kept(0.001, 2, store);
    ww_dataset *data = send(group, set);
    const bool several = ww_context_device_count(group) > 1;
    atomic_store(&layer->launches, 0);
    atomic_store(&layer->break_at, at);
    const ww_status status = ww_shapelets_create(data, o, &model);
    const bool broke = atomic_load(&layer->launches) >= at;
    atomic_store(&layer->break_at, 0);
    ck_assert_msg(status == WW_OK || (!several && broke && status == WW_ERROR_OPENCL), "launch %ld: %s", at,
                  ww_last_error()->message);
    if (status == WW_OK)
        wwt_same_model(model, whole);
    ww_shapelets_destroy(&model);
    ww_dataset_destroy(&data);
    ww_context_destroy(&group);
    wwt_ok(ww_store_close(&store, 1));
    const uint64_t bytes = size_of(path_of(0));
    store = open_store(0, 0);
    wwt_ok(run_with(store, 2, set, o, &model));
    wwt_same_model(model, whole);
    wwt_ok(ww_shapelets_get_info(model, &info));
    ck_assert(!several || (info.candidates == 0 && size_of(path_of(0)) == bytes));
    ww_shapelets_destroy(&model);
    wwt_ok(ww_store_close(&store, 1));
    return broke;
}

// Of a new store, and of one that has all: there the launches are the leading device's, which compares what the
// searches of a node found.
START_TEST(a_device_fails_and_all_is_kept) {
    wwt_fault_table *layer = wwt_in_layer("wwt_fault_control", "no device fails");
    ww_shapelets_options o = options_of(&forms[3]);
    ww_shapelets *whole = NULL;
    wwt_seed(5);
    ww_series_set *set = set_of(&forms[3]);
    wwt_ok(wwt_shapelets(set, &o, &whole));
    for (long at = 1; layer && fails_at(layer, at, set, &o, whole); at += 1 + at / 3)
        ck_assert_int_eq(unlink(path_of(0)), 0);
    long at = 1;
    while (layer && fails_at(layer, at, set, &o, whole))
        at++;
    ck_assert(!layer || at > 4);
    (void)unlink(path_of(0));
    ww_shapelets_destroy(&whole);
    ww_series_set_destroy(&set);
}
END_TEST

static void refuses(ww_series_set *set, const ww_shapelets_options *o, unsigned parts, ww_status status,
                    const char *word) {
    ww_shapelets *model = NULL;
    ww_store *store = open_store(parts ? 1 : 0, parts);
    wwt_fails(run_with(store, 2, set, o, &model), status);
    ck_assert_msg(strstr(ww_last_error()->message, word) != NULL, "%s", ww_last_error()->message);
    wwt_ok(ww_store_close(&store, 1));
}

// A record that names what is no candidate, with its sums made right.
static void change_place(const char *path, size_t field, uint32_t value) {
    unsigned char bytes[1 << 16];
    FILE *file = fopen(path, "r+b");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    ck_assert_uint_lt(size, sizeof bytes);
    size_t at = 0; // the third record: the first units
    for (int record = 0; record < 2; record++)
        at = wwt_store_record_end(bytes, size, at);
    memcpy(bytes + at + WWT_RECORD_HEAD + field * sizeof value, &value, sizeof value);
    wwt_store_sums(bytes, size);
    rewind(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(what_a_store_refuses) {
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    ww_shapelets *model = NULL;
    wwt_seed(17);
    ww_series_set *set = wwt_set_of_bumps(12, 1, 20, 24, 2, 1, 0), *other = NULL;
    o.best = 2;
    // What is kept of them would not be the whole.
    o.seconds = 100;
    refuses(set, &o, 0, WW_ERROR_UNSUPPORTED, "100 seconds");
    o.seconds = 0;
    refuses(set, &o, 2, WW_ERROR_UNSUPPORTED, "a tree of shapelets has no parts");
    ck_assert_int_ne(access(path_of(0), F_OK), 0);
    ck_assert_int_ne(access(path_of(1), F_OK), 0);
    // Other options, and other labels of the same series.
    o.no_tree = 1;
    ww_store *store = open_store(0, 0);
    wwt_ok(run_with(store, 2, set, &o, &model));
    wwt_ok(ww_store_close(&store, 1));
    ww_shapelets_destroy(&model);
    const ww_shapelets_options kept = o;
    o.best = 3;
    refuses(set, &o, 0, WW_ERROR_FORMAT, "other options");
    o = kept;
    o.seed = 9;
    refuses(set, &o, 0, WW_ERROR_FORMAT, "other options");
    o = kept;
    wwt_ok(ww_series_set_create(1, &other));
    for (size_t i = 0; i < ww_series_set_count(set); i++)
        wwt_ok(ww_series_set_add(other, ww_series_set_length(set, i), ww_series_set_values(set, i),
                                 i == 3 ? "c0" : ww_series_set_label(set, i)));
    refuses(other, &o, 0, WW_ERROR_FORMAT, "other inputs");
    // Candidates that there are not.
    static const uint32_t places[][2] = {{0, 12}, {0, UINT32_MAX}, {1, 23},        {1, UINT32_MAX},
                                         {2, 2},  {2, 25},         {2, UINT32_MAX}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        ck_assert(unlink(path_of(0)) == 0);
        store = open_store(0, 0);
        wwt_ok(run_with(store, 2, set, &o, &model));
        wwt_ok(ww_store_close(&store, 1));
        ww_shapelets_destroy(&model);
        change_place(path_of(0), places[i][0], places[i][1]);
        refuses(set, &o, 0, WW_ERROR_FORMAT, "a candidate that there is not");
    }
    ck_assert_int_eq(unlink(path_of(0)), 0);
    ww_series_set_destroy(&other);
    ww_series_set_destroy(&set);
}
END_TEST

START_TEST(bad_input) {
    wwt_seed(9);
    ww_series_set *set = set_of(&forms[0]), *unlabelled = NULL;
    ww_context *group = wwt_group_open(0.001);
    ww_dataset *data = send(group, set);
    ww_shapelets_options o = WW_SHAPELETS_OPTIONS_INIT;
    ww_shapelets *model = (ww_shapelets *)&model;
    wwt_fails(ww_shapelets_create(NULL, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(model);
    wwt_fails(ww_shapelets_create(data, &o, NULL), WW_ERROR_INVALID_ARGUMENT);
    o.min_length = 1000;
    wwt_fails(ww_shapelets_create(data, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    // Few windows each: all that do not overlap are examined.
    o.min_length = o.max_length = ww_series_set_min_length(set);
    o.best = 100000;
    wwt_fails(ww_shapelets_create(data, &o, &model), WW_ERROR_INVALID_ARGUMENT);
    o.best = o.min_length = o.max_length = 0;
    ww_dataset_destroy(&data);
    wwt_ok(ww_series_set_create(1, &unlabelled));
    for (size_t i = 0; i < 4; i++)
        wwt_ok(ww_series_set_add(unlabelled, ww_series_set_length(set, i), ww_series_set_values(set, i), NULL));
    data = send(group, unlabelled);
    wwt_fails(ww_shapelets_create(data, &o, &model), WW_ERROR_NO_LABELS);
    ck_assert_ptr_null(model);
    ww_dataset_destroy(&data);
    ww_context_destroy(&group);
    ww_series_set_destroy(&unlabelled);
    ww_series_set_destroy(&set);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("devices_shapelets");
    wwt_add(suite, models_are_those_of_one_device, FORMS);
    if (!known_accuracy_folder())
        printf("# no archive sets: set WAVEWARP_TEST_DATA to the folder of the data sets\n");
    wwt_add(suite, models_of_archive_sets, 2);
    wwt_add(suite, a_device_fails_in_the_middle, 2);
    wwt_add(suite, the_time_given, 1);
    wwt_add(suite, progress_and_the_end_by_it, 1);
    wwt_add(suite, stopped_and_gone_on_with, FORMS);
    wwt_add(suite, parts_give_the_whole, FORMS);
    wwt_add(suite, parts_without_shapelets, 1);
    wwt_add(suite, a_device_fails_and_all_is_kept, 1);
    wwt_add(suite, what_a_store_refuses, 1);
    wwt_add(suite, bad_input, 1);
    return wwt_run(suite);
}
