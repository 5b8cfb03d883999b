// SPDX-License-Identifier: Apache-2.0
// Profiles of groups: the bytes of one device, of all lists; a device that fails in the middle, bad input.
#include "devices.h"
#include <math.h>

enum { WINDOW = 16, POINTS = 2100, OTHERS = 1300, K = 3, LISTS = 3, MOST = POINTS * K };

typedef struct form {
    bool self, left_right;
    ww_precision precision;
    size_t k, channels;
    bool parts; // constant and missing ones
    double p;   // 0: normalised
} form;

static const form forms[] = {{true, false, WW_FLOAT, 1, 1, false, 0}, {true, true, WW_FLOAT, K, 1, true, 0},
                             {false, false, WW_FLOAT, 1, 1, true, 0}, {false, false, WW_FLOAT, K, 2, false, 0},
                             {true, true, WW_DOUBLE, 2, 1, false, 0}, {true, false, WW_FLOAT, 2, 2, false, 0},
                             {true, true, WW_FLOAT, 2, 1, true, 2},   {false, false, WW_FLOAT, 1, 1, true, 3}};
enum { FORMS = sizeof forms / sizeof *forms };

static wwt_set make(size_t length, const form *f) {
    wwt_set set = wwt_set_make(f->channels, &length, 1);
    for (size_t t = 0; t < length * f->channels; t++) {
        set.values[t] = floor(4 * set.values[t]) / 4; // many ties
        if (f->parts && t % 150 > 110)
            set.values[t] = t % 300 > 150 ? 3 : set.values[t - 1];
        if (f->parts && t % 331 == 330)
            set.values[t] = NAN;
    }
    return set;
}

typedef struct lists {
    double distances[LISTS][MOST];
    int64_t indices[LISTS][MOST];
} lists;

static ww_profile_output output_of(lists *l, bool left_right) {
    ww_profile_output to = WW_PROFILE_OUTPUT_INIT;
    memset(l, 0x55, sizeof *l);
    to.distances = l->distances[0];
    to.indices = l->indices[0];
    to.left_distances = left_right ? l->distances[1] : NULL;
    to.left_indices = left_right ? l->indices[1] : NULL;
    to.right_distances = left_right ? l->distances[2] : NULL;
    to.right_indices = left_right ? l->indices[2] : NULL;
    return to;
}

static ww_dataset *send(ww_context *group, const ww_series_view *view, ww_precision precision) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *data = NULL;
    options.precision = precision;
    options.allow_not_finite = 1;
    wwt_ok(ww_dataset_create(group, view, &options, &data));
    return data;
}

START_TEST(profiles_are_those_of_one_device) {
    static lists one, found;
    const form *f = &forms[_i];
    if (f->precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    wwt_seed((unsigned)_i);
    wwt_set sets[2] = {make(POINTS, f), make(OTHERS, f)};
    const ww_series_view own = wwt_view(&sets[0]), others = wwt_view(&sets[1]), *other = f->self ? NULL : &others;
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile *profile = NULL;
    ww_profile *divided = NULL;
    ww_profile_info info = WW_PROFILE_INFO_INIT, of_group = WW_PROFILE_INFO_INIT;
    ww_context *group = wwt_group_open(0.001);
    int lost;
    options.k = f->k;
    options.p = f->p;
    options.left_right = f->left_right;
    options.precision = f->precision;
    ww_profile_output to = output_of(&one, f->left_right);
    wwt_ok(ww_profile_create(wwt_context, &own, 0, other, 0, WINDOW, &options, &profile));
    wwt_ok(ww_profile_run(profile, &to));
    wwt_ok(ww_profile_get_info(profile, &info));
    wwt_ok(ww_profile_create(group, &own, 0, other, 0, WINDOW, &options, &divided));
    for (int again = 0; again < 2; again++) {
        to = output_of(&found, f->left_right);
        wwt_ok(ww_profile_run(divided, &to));
        ck_assert(wwt_group_tiles(group, &lost) >= wwt_group_least(group) && lost == 0);
        ck_assert(memcmp(&one, &found, sizeof one) == 0);
    }
    wwt_ok(ww_profile_get_info(divided, &of_group));
    ck_assert(of_group.pairs == info.pairs && of_group.windows == info.windows);
    ck_assert(of_group.exclusion == info.exclusion && of_group.other_windows == info.other_windows);
    ck_assert(of_group.candidates > 0 && of_group.launches > 0);
    int64_t discords[2][2];
    size_t counts[2];
    wwt_ok(ww_profile_find_discords(profile, one.distances[0], 4, 2, discords[0], &counts[0]));
    wwt_ok(ww_profile_find_discords(divided, one.distances[0], 4, 2, discords[1], &counts[1]));
    ck_assert(counts[0] == counts[1] && memcmp(discords[0], discords[1], counts[0] * sizeof **discords) == 0);
    ww_profile_destroy(&divided);
    ck_assert_ptr_null(divided);
    // Of datasets, and indices alone.
    ww_dataset *data = send(group, &own, f->precision), *second = f->self ? NULL : send(group, &others, f->precision);
    to = output_of(&found, f->left_right);
    to.distances = NULL;
    wwt_ok(ww_profile_create_from_datasets(data, 0, second, 0, WINDOW, &options, &divided));
    wwt_ok(ww_profile_run(divided, &to));
    ww_profile_destroy(&divided);
    ck_assert(memcmp(one.indices, found.indices, sizeof one.indices) == 0);
    ww_dataset_destroy(&second);
    ww_dataset_destroy(&data);
    ww_context_destroy(&group);
    ww_profile_destroy(&profile);
    wwt_set_free(&sets[1]);
    wwt_set_free(&sets[0]);
}
END_TEST

// Slices of a profile within so many bytes; 0: they don't suffice.
static uint64_t slices_within(const ww_series_view *own, const ww_series_view *other, ww_profile_options options,
                              uint64_t bytes) {
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_profile *profile = NULL;
    ww_profile_info info = WW_PROFILE_INFO_INIT;
    run.max_bytes = bytes;
    options.run = &run;
    if (ww_profile_create(wwt_context, own, 0, other, 0, WINDOW, &options, &profile) != WW_OK)
        return 0;
    wwt_ok(ww_profile_get_info(profile, &info));
    ww_profile_destroy(&profile);
    return info.slices;
}

// A series that a device has no room for at once.
START_TEST(diagonals_of_several_slices) {
    static lists one, found;
    const form *f = &forms[_i];
    wwt_seed(8);
    wwt_set sets[2] = {make(POINTS, f), make(OTHERS, f)};
    const ww_series_view own = wwt_view(&sets[0]), others = wwt_view(&sets[1]), *other = f->self ? NULL : &others;
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_profile *profile = NULL;
    ww_profile *divided = NULL;
    uint64_t too_few = 1 << 16, enough = 1 << 30;
    options.k = f->k;
    options.p = f->p;
    options.left_right = f->left_right;
    while (enough - too_few > 4096) {
        const uint64_t bytes = too_few + (enough - too_few) / 2;
        if (slices_within(&own, other, options, bytes) == 1)
            enough = bytes;
        else
            too_few = bytes;
    }
    run.max_bytes = too_few;
    ck_assert_uint_gt(slices_within(&own, other, options, too_few), 1);
    ww_context *group = wwt_group_open(0.001);
    ww_profile_output to = output_of(&one, f->left_right);
    wwt_ok(ww_profile_create(wwt_context, &own, 0, other, 0, WINDOW, &options, &profile));
    wwt_ok(ww_profile_run(profile, &to));
    options.run = &run;
    wwt_ok(ww_profile_create(group, &own, 0, other, 0, WINDOW, &options, &divided));
    to = output_of(&found, f->left_right);
    wwt_ok(ww_profile_run(divided, &to));
    ck_assert(memcmp(&one, &found, sizeof one) == 0);
    ww_profile_destroy(&divided);
    ww_context_destroy(&group);
    ww_profile_destroy(&profile);
    wwt_set_free(&sets[1]);
    wwt_set_free(&sets[0]);
}
END_TEST

static ww_status run_profile(wwt_trial *t) {
    ww_profile_output to = WW_PROFILE_OUTPUT_INIT;
    to.indices = t->found;
    return ww_profile_run(t->more, &to);
}

START_TEST(a_device_fails_in_the_middle) {
    static int64_t indices[POINTS - WINDOW + 1];
    wwt_seed(3);
    wwt_set set = make(POINTS, &forms[0]);
    const ww_series_view view = wwt_view(&set);
    ww_profile *profile = NULL;
    wwt_trial t = {.group = wwt_group_open(0.001), .run = run_profile, .found = indices, .bytes = sizeof indices};
    wwt_ok(ww_profile_create(t.group, &view, 0, NULL, 0, WINDOW, NULL, &profile));
    t.more = profile;
    wwt_group_failures(&t);
    ww_profile_destroy(&profile);
    ww_context_destroy(&t.group);
    wwt_set_free(&set);
}
END_TEST

// Any call fails, also in the midst of bringing lists to the host, which a device does several times in a run: what it
// brought before stays whole.
START_TEST(a_call_fails_in_the_middle) {
    enum { RUNS = 80 };
    static int64_t indices[POINTS - WINDOW + 1], whole[POINTS - WINDOW + 1];
    wwt_fault_table *layer = wwt_in_layer("wwt_fault_control", "no call fails");
    wwt_seed(4);
    wwt_set set = make(POINTS, &forms[0]);
    const ww_series_view view = wwt_view(&set);
    ww_profile *profile = NULL;
    ww_profile_output to = WW_PROFILE_OUTPUT_INIT;
    ww_context *group = wwt_group_open(0.0002);
    const bool several = layer && ww_context_device_count(group) > 1;
    int times = 0, lost;
    wwt_ok(ww_profile_create(group, &view, 0, NULL, 0, WINDOW, NULL, &profile));
    to.indices = whole;
    wwt_ok(ww_profile_run(profile, &to));
    if (layer)
        atomic_store(&layer->calls, 0);
    wwt_ok(ww_profile_run(profile, &to));
    const long calls = layer ? atomic_load(&layer->calls) : 0;
    to.indices = indices;
    for (long at = 1; several && at <= calls; at += calls / RUNS + 1) {
        memset(indices, 0xff, sizeof indices);
        atomic_store(&layer->calls, 0);
        atomic_store(&layer->code, -5); // CL_OUT_OF_RESOURCES
        atomic_store(&layer->fail_at, at);
        const ww_status status = ww_profile_run(profile, &to);
        atomic_store(&layer->fail_at, 0);
        (void)wwt_group_tiles(group, &lost);
        ck_assert_int_eq(status, WW_OK);
        ck_assert_msg(memcmp(indices, whole, sizeof whole) == 0, "other bytes, call %ld of %ld, %d lost", at, calls,
                      lost);
        times += lost;
    }
    ck_assert(!several || times > RUNS / 4);
    ww_profile_destroy(&profile);
    ww_context_destroy(&group);
    wwt_set_free(&set);
}
END_TEST

static int stop(void *user, uint64_t done, uint64_t total) {
    (void)user, (void)done;
    return total > 1; // not a compile
}

START_TEST(bad_input) {
    static lists found;
    wwt_seed(4);
    wwt_set set = make(POINTS, &forms[0]);
    const ww_series_view view = wwt_view(&set);
    ww_context *group = wwt_group_open(0.001), *apart = wwt_group_open(0.001);
    ww_dataset *data = send(group, &view, WW_FLOAT), *far = send(apart, &view, WW_FLOAT);
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_profile_output to = output_of(&found, false), sides = output_of(&found, true);
    ww_profile *profile = NULL;
    const struct {
        ww_context *group;
        const ww_series_view *series;
        size_t index, window, k;
    } wrong[] = {{NULL, &view, 0, WINDOW, 1}, {group, NULL, 0, WINDOW, 1},      {group, &view, 1, WINDOW, 1},
                 {group, &view, 0, 2, 1},     {group, &view, 0, POINTS + 1, 1}, {group, &view, 0, WINDOW, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.k = wrong[i].k;
        wwt_fails(ww_profile_create(wrong[i].group, wrong[i].series, wrong[i].index, NULL, 0, wrong[i].window, &options,
                                    &profile),
                  WW_ERROR_INVALID_ARGUMENT);
        ck_assert_ptr_null(profile);
    }
    options.k = 1;
    wwt_fails(ww_profile_create(group, &view, 0, NULL, 0, WINDOW, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_create_from_datasets(NULL, 0, NULL, 0, WINDOW, NULL, &profile), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_create_from_datasets(data, 0, far, 0, WINDOW, NULL, &profile), WW_ERROR_INVALID_ARGUMENT);
    if (wwt_device_has_double()) {
        options.precision = WW_DOUBLE;
        wwt_fails(ww_profile_create_from_datasets(data, 0, NULL, 0, WINDOW, &options, &profile),
                  WW_ERROR_INVALID_ARGUMENT);
        options.precision = WW_FLOAT;
    }
    options.run = &run;
    run.progress = stop;
    wwt_ok(ww_profile_create(group, &view, 0, NULL, 0, WINDOW, &options, &profile));
    wwt_fails(ww_profile_run(profile, &to), WW_ERROR_CANCELLED);
    wwt_fails(ww_profile_run(profile, &sides), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_run(profile, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_run(NULL, &to), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_get_info(profile, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(NULL);
    ww_profile_destroy(&profile);
    ww_profile_destroy(&profile);
    ww_profile_destroy(NULL);
    ww_dataset_destroy(&far);
    ww_dataset_destroy(&data);
    ww_context_destroy(&apart);
    ww_context_destroy(&group);
    wwt_set_free(&set);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("devices_profile");
    wwt_add(suite, profiles_are_those_of_one_device, FORMS);
    wwt_add(suite, diagonals_of_several_slices, 3);
    wwt_add(suite, a_device_fails_in_the_middle, 1);
    wwt_add(suite, a_call_fails_in_the_middle, 1);
    wwt_add(suite, bad_input, 1);
    return wwt_run(suite);
}
