// SPDX-License-Identifier: Apache-2.0
// Shapelets on groups: the bytes of one device; a device that fails in the middle, the time given, cancelling, bad
// input.
#include <unistd.h>

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

// Parts of the candidates, each by a group.
START_TEST(parts_of_groups) {
    wwt_seed(3);
    ww_series_set *set = set_of(&forms[2]);
    ww_context *group = wwt_group_open(0.001);
    ww_dataset *data = send(group, set);
    ww_shapelets_options o = options_of(&forms[2]);
    ww_shapelets *whole = NULL, *merged = NULL, *parts[2] = {NULL, NULL};
    wwt_ok(wwt_shapelets(set, &o, &whole));
    o.part_count = 11;
    wwt_ok(ww_shapelets_create(data, &o, &parts[0]));
    o.part_first = 11;
    o.part_count = forms[2].count - 11;
    wwt_ok(ww_shapelets_create(data, &o, &parts[1]));
    wwt_ok(ww_shapelets_merge((const ww_shapelets *const *)parts, 2, o.best, &merged));
    wwt_same_model(merged, whole);
    ww_shapelets_destroy(&merged);
    ww_shapelets_destroy(&parts[0]);
    ww_shapelets_destroy(&parts[1]);
    ww_shapelets_destroy(&whole);
    ww_dataset_destroy(&data);
    ww_context_destroy(&group);
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

// Stopped at one report after another, and gone on with, also by one device: the model of one run.
START_TEST(checkpoints) {
    char path[64];
    snprintf(path, sizeof path, "group-checkpoint-%ld.txt", (long)getpid());
    wwt_seed(13);
    const form *f = &forms[_i];
    ww_series_set *set = set_of(f);
    ww_context *group = wwt_group_open(0.001);
    ww_dataset *data = send(group, set);
    ww_shapelets_options o = options_of(f);
    ww_shapelets *whole = NULL, *model = NULL;
    ww_shapelets_info one = WW_SHAPELETS_INFO_INIT, last = WW_SHAPELETS_INFO_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    seen s = {0, 0, 0, 0};
    size_t stops = 0, resumed = 0;
    wwt_ok(wwt_shapelets(set, &o, &whole));
    wwt_ok(ww_shapelets_get_info(whole, &one));
    run.progress = look;
    run.progress_user = &s;
    o.run = &run;
    o.checkpoint = path;
    for (size_t ends_alone = 0; ends_alone < 2; ends_alone++) {
        (void)remove(path);
        for (size_t at = 2; !model; at += 2) {
            s = (seen){.stop_at = at < 9 ? at : 0};
            const bool alone = ends_alone && at >= 5;
            const ww_status status = alone ? wwt_shapelets(set, &o, &model) : ww_shapelets_create(data, &o, &model);
            ck_assert(status == WW_OK || status == WW_ERROR_CANCELLED);
            ck_assert_int_eq(access(path, R_OK) == 0, status != WW_OK);
            stops += status != WW_OK;
        }
        wwt_same_model(model, whole);
        wwt_ok(ww_shapelets_get_info(model, &last));
        ck_assert(last.candidates <= one.candidates);
        resumed += last.candidates < one.candidates;
        ww_shapelets_destroy(&model);
    }
    // A GPU may be done before the second report, and so may a device alone, whose parts are larger.
    ck_assert(wwt_device_is_gpu() || ww_context_device_count(group) == 1 || (stops > 0 && resumed > 0));
    // Another run's.
    s = (seen){.stop_at = 3};
    wwt_fails(ww_shapelets_create(data, &o, &model), WW_ERROR_CANCELLED);
    o.min_size = 5;
    wwt_fails(ww_shapelets_create(data, &o, &model), WW_ERROR_FORMAT);
    ck_assert_ptr_null(model);
    (void)remove(path);
    ww_shapelets_destroy(&whole);
    ww_dataset_destroy(&data);
    ww_context_destroy(&group);
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
    wwt_add(suite, parts_of_groups, 1);
    wwt_add(suite, a_device_fails_in_the_middle, 2);
    wwt_add(suite, the_time_given, 1);
    wwt_add(suite, progress_and_the_end_by_it, 1);
    wwt_add(suite, checkpoints, 4);
    wwt_add(suite, bad_input, 1);
    return wwt_run(suite);
}
