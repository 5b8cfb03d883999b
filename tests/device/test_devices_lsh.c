// SPDX-License-Identifier: Apache-2.0
// Hash tables of groups: the bytes of one device; a device that fails in the middle, bad input.
#include "base/random.h"
#include "devices.h"

enum { BASE = 3000, QUERIES = 1700, DIMENSION = 12, K = 5, MOST = BASE * K };

typedef struct form {
    ww_metric metric;
    ww_lsh_path path;
    uint32_t probes;
    int complete;
    ww_precision precision;
} form;

static const form forms[] = {{WW_METRIC_L2, WW_LSH_AUTO, 1, 0, WW_FLOAT},
                             {WW_METRIC_L1, WW_LSH_QUERIES, 3, 0, WW_FLOAT},
                             {WW_METRIC_COSINE, WW_LSH_BUCKETS, 2, 1, WW_FLOAT},
                             {WW_METRIC_HAMMING, WW_LSH_AUTO, 2, 0, WW_FLOAT},
                             {WW_METRIC_L2_SQUARED, WW_LSH_BUCKETS, 3, 0, WW_DOUBLE}};
enum { FORMS = sizeof forms / sizeof *forms };

// Near a few centres, so that buckets are shared; many ties. Of bits as many words.
static void fill(ww_point_view *view, float *numbers, uint32_t *bits, size_t count, uint64_t seed, const form *f) {
    const bool numeric = f->metric != WW_METRIC_HAMMING;
    for (size_t i = 0; i < count; i++) {
        uint64_t centre = i % 40 + 1;
        for (size_t c = 0; c < DIMENSION; c++) {
            const uint64_t at = wwi_random(&centre);
            numbers[i * DIMENSION + c] = (float)(at % 9) + (float)(wwi_random(&seed) % 3) / 8;
            bits[i * DIMENSION + c] = (uint32_t)at ^ (UINT32_C(1) << wwi_random(&seed) % 32);
        }
    }
    *view = (ww_point_view)WW_POINT_VIEW_INIT;
    view->count = count;
    view->kind = numeric ? WW_POINTS_NUMBERS : WW_POINTS_BITS;
    view->dimension = numeric ? DIMENSION : DIMENSION * 32;
    view->values = numeric ? (const void *)numbers : bits;
}

static ww_lsh_options options_of(const form *f) {
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    options.metric = f->metric;
    options.tables = 6;
    options.functions = 4;
    options.width = 3;
    options.probes = f->probes;
    options.path = f->path;
    options.complete = f->complete;
    options.candidates = 4096;
    return options;
}

static ww_points *send(ww_context *group, const ww_point_view *view, ww_precision precision) {
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    ww_points *points = NULL;
    options.precision = precision;
    wwt_ok(ww_points_create(group, view, &options, &points));
    return points;
}

static float numbers[2][BASE * DIMENSION];
static uint32_t bits[2][BASE * DIMENSION];

START_TEST(neighbours_are_those_of_one_device) {
    static int64_t ids[2][MOST];
    static double distances[2][MOST]; // of either precision
    static uint32_t counts[2][BASE];
    const form *f = &forms[_i];
    if (f->precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    const ww_lsh_options options = options_of(f);
    const size_t bytes = f->precision == WW_DOUBLE ? 8 : 4;
    ww_points_options of_points = WW_POINTS_OPTIONS_INIT;
    ww_point_view b, q;
    ww_points *base = NULL, *queries = NULL;
    ww_lsh *lsh = NULL;
    ww_lsh *divided = NULL;
    ww_lsh_info info = WW_LSH_INFO_INIT, of_group = WW_LSH_INFO_INIT;
    ww_context *group = wwt_group_open(0.001);
    int lost;
    fill(&b, numbers[0], bits[0], BASE, 5, f);
    fill(&q, numbers[1], bits[1], QUERIES, 6, f);
    of_points.precision = f->precision;
    wwt_ok(ww_points_create(wwt_context, &b, &of_points, &base));
    wwt_ok(ww_points_create(wwt_context, &q, &of_points, &queries));
    wwt_ok(ww_lsh_create(base, &options, &lsh));
    ww_points *gb = send(group, &b, f->precision), *gq = send(group, &q, f->precision);
    wwt_ok(ww_lsh_create(gb, &options, &divided));
    ww_points_destroy(&gb); // the tables keep them
    ck_assert_uint_eq(ww_lsh_count(divided), BASE);
    for (int self = 0; self < 2; self++) {
        const size_t count = self ? BASE : QUERIES;
        wwt_ok(ww_lsh_run(lsh, self ? NULL : queries, K, ids[0], distances[0], counts[0]));
        wwt_ok(ww_lsh_get_info(lsh, &info));
        memset(ids[1], 0x55, sizeof ids[1]);
        wwt_ok(ww_lsh_run(divided, self ? NULL : gq, K, ids[1], distances[1], counts[1]));
        ck_assert(wwt_group_tiles(group, &lost) >= wwt_group_least(group) && lost == 0);
        wwt_ok(ww_lsh_get_info(divided, &of_group));
        ck_assert_uint_eq(info.capped, 0);
        ck_assert_uint_gt(info.examined, count);
        ck_assert(memcmp(ids[0], ids[1], count * K * sizeof **ids) == 0);
        ck_assert(memcmp(distances[0], distances[1], count * K * bytes) == 0);
        ck_assert(memcmp(counts[0], counts[1], count * sizeof **counts) == 0);
        ck_assert(of_group.path == info.path && of_group.capped == 0 && of_group.points == BASE);
        ck_assert_uint_eq(of_group.incomplete, info.incomplete);
        ck_assert_uint_eq(of_group.examined, info.examined);
        memset(ids[1], 0x55, sizeof ids[1]);
        wwt_ok(ww_lsh_run(divided, self ? NULL : gq, K, ids[1], NULL, NULL));
        ck_assert(memcmp(ids[0], ids[1], count * K * sizeof **ids) == 0);
    }
    ww_lsh_destroy(&divided);
    ww_points_destroy(&gq);
    ww_context_destroy(&group);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&queries);
    ww_points_destroy(&base);
}
END_TEST

static ww_status run_lsh(wwt_trial *t) {
    return ww_lsh_run(t->more, NULL, K, t->found, NULL, NULL);
}

START_TEST(a_device_fails_in_the_middle) {
    static int64_t ids[MOST];
    const ww_lsh_options options = options_of(&forms[_i]);
    ww_point_view view;
    ww_lsh *lsh = NULL;
    wwt_trial t = {.group = wwt_group_open(0.001), .run = run_lsh, .found = ids, .bytes = sizeof ids};
    fill(&view, numbers[0], bits[0], BASE, 5, &forms[_i]);
    ww_points *points = send(t.group, &view, WW_FLOAT);
    wwt_ok(ww_lsh_create(points, &options, &lsh));
    t.more = lsh;
    wwt_group_failures(&t);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    ww_context_destroy(&t.group);
}
END_TEST

// Tables that one device could not build: the others search.
START_TEST(a_device_fails_to_build) {
    static int64_t ids[2][MOST];
    const ww_lsh_options options = options_of(&forms[0]);
    ww_point_view view;
    ww_lsh *lsh = NULL;
    ww_context *group = wwt_group_open(0.001);
    wwt_fault_table *layer = wwt_in_layer("wwt_fault_control", "no device fails");
    int lost;
    fill(&view, numbers[0], bits[0], BASE, 5, &forms[0]);
    ww_points *points = send(group, &view, WW_FLOAT);
    wwt_ok(ww_lsh_create(points, &options, &lsh));
    wwt_ok(ww_lsh_run(lsh, NULL, K, ids[0], NULL, NULL));
    ww_lsh_destroy(&lsh);
    if (layer) {
        atomic_store(&layer->launches, 0);
        atomic_store(&layer->break_at, 2);
    }
    const ww_status status = ww_lsh_create(points, &options, &lsh);
    if (layer && ww_context_device_count(group) == 1) {
        ck_assert_int_eq(status, WW_ERROR_OPENCL);
    } else {
        ck_assert_int_eq(status, WW_OK);
        wwt_ok(ww_lsh_run(lsh, NULL, K, ids[1], NULL, NULL));
        (void)wwt_group_tiles(group, &lost);
        ck_assert_int_eq(lost, layer != NULL);
        ck_assert(memcmp(ids[0], ids[1], sizeof *ids) == 0);
    }
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    ww_context_destroy(&group);
}
END_TEST

typedef struct teller {
    uint64_t done, total; // of the last call
    bool stop;
} teller;

static int tell(void *user, uint64_t done, uint64_t total) {
    teller *t = user;
    ck_assert(done >= t->done && done <= total);
    t->done = done;
    t->total = total;
    return t->stop;
}

START_TEST(bad_input) {
    static int64_t ids[MOST];
    ww_lsh_options options = options_of(&forms[0]);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    teller told = {0};
    ww_point_view view;
    ww_lsh *lsh = NULL;
    ww_context *group = wwt_group_open(0.001), *apart = wwt_group_open(0.001);
    fill(&view, numbers[0], bits[0], BASE, 5, &forms[0]);
    ww_points *points = send(group, &view, WW_FLOAT), *far = send(apart, &view, WW_FLOAT);
    view.count = 10;
    view.dimension = DIMENSION - 1;
    ww_points *narrow = send(group, &view, WW_FLOAT);
    wwt_fails(ww_lsh_create(NULL, &options, &lsh), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_create(points, &options, NULL), WW_ERROR_INVALID_ARGUMENT);
    options.functions = 0;
    wwt_fails(ww_lsh_create(points, &options, &lsh), WW_ERROR_INVALID_ARGUMENT);
    options.functions = 4;
    options.metric = WW_METRIC_INNER_PRODUCT;
    wwt_fails(ww_lsh_create(points, &options, &lsh), WW_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(lsh);
    options.metric = WW_METRIC_L2;
    options.run = &run;
    run.progress = tell;
    run.progress_user = &told;
    told.stop = true;
    wwt_fails(ww_lsh_create(points, &options, &lsh), WW_ERROR_CANCELLED);
    ck_assert_ptr_null(lsh);
    told = (teller){0};
    wwt_ok(ww_lsh_create(points, &options, &lsh));
    ck_assert_uint_eq(told.total, (uint64_t)BASE * options.tables);
    ck_assert_uint_eq(told.done, told.total);
    told = (teller){.stop = true};
    wwt_fails(ww_lsh_run(lsh, NULL, K, ids, NULL, NULL), WW_ERROR_CANCELLED);
    wwt_fails(ww_lsh_run(NULL, NULL, K, ids, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_run(lsh, NULL, K, NULL, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_run(lsh, NULL, 0, ids, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_run(lsh, far, K, ids, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_run(lsh, narrow, K, ids, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_get_info(lsh, NULL), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(NULL);
    ww_lsh_destroy(&lsh);
    ww_lsh_destroy(&lsh);
    ww_lsh_destroy(NULL);
    ww_points_destroy(&narrow);
    ww_points_destroy(&far);
    ww_points_destroy(&points);
    ww_context_destroy(&apart);
    ww_context_destroy(&group);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("devices_lsh");
    wwt_add(suite, neighbours_are_those_of_one_device, FORMS);
    wwt_add(suite, a_device_fails_in_the_middle, 2);
    wwt_add(suite, a_device_fails_to_build, 1);
    wwt_add(suite, bad_input, 1);
    return wwt_run(suite);
}
