// SPDX-License-Identifier: Apache-2.0
// Indices whose points come and go, blocks, files, chosen parameters.
#include <stdio.h>
#include <unistd.h>

#include "lsh/lsh_index.h"
#include "lsh_points.h"

// ---- points that come and go, blocks, files

static const struct {
    ww_metric metric;
    size_t dimension;
} kinds[] = {{WW_METRIC_L2, 10}, {WW_METRIC_HAMMING, 75}, {WW_METRIC_JACCARD, 0}};

// Different keys that share a bucket do so by its number, which goes by the points of a block: so many that none do.
static void many_buckets(void) {
    wwt_ok(wwi_tuning_try(wwt_context, "form.bits", NULL, 18));
}

// Ids of an answer through a list of those that were left.
static void rename_ids(answer *a, const int64_t *left) {
    for (size_t i = 0; i < a->queries * a->k; i++)
        a->ids[i] = a->ids[i] < 0 ? -1 : left[a->ids[i]];
}

START_TEST(add_and_remove) {
    many_buckets();
    wwt_seed(40 + (unsigned)_i);
    enum { N = 600, HALF = 256, K = 6 };
    const ww_metric metric = kinds[_i].metric;
    cloud c = make_cloud(metric, WW_FLOAT, N, kinds[_i].dimension, 0);
    if (metric == WW_METRIC_JACCARD) {
        // A view of sets begins with the first.
        cloud_free(&c);
        c = make_cloud(metric, WW_FLOAT, N, 0, 0);
    }
    ww_points *whole = upload(&c, 0, N, 0), *first = upload(&c, 0, HALF, 0), *second = NULL;
    ww_point_view rest = part_of(&c, HALF, N - HALF);
    uint64_t *offsets = NULL;
    if (c.offsets) {
        offsets = malloc((N - HALF + 1) * sizeof *offsets);
        for (size_t i = 0; i <= N - HALF; i++)
            offsets[i] = c.offsets[HALF + i] - c.offsets[HALF];
        rest.values = (const uint32_t *)c.values + c.offsets[HALF];
        rest.offsets = offsets;
    }
    wwt_ok(ww_points_create(wwt_context, &rest, NULL, &second));
    const ww_lsh_options o = small(metric);
    ww_lsh *grown = NULL, *fresh = NULL;
    wwt_ok(ww_lsh_create(whole, &o, &fresh));
    wwt_ok(ww_lsh_create(first, &o, &grown));
    wwt_ok(ww_lsh_remove(grown, (const int64_t[]){3}, 1));
    wwt_ok(ww_lsh_add(grown, second));
    wwt_ok(ww_lsh_remove(fresh, (const int64_t[]){3, 3}, 2));
    for (int path = WW_LSH_BUCKETS; path <= (metric == WW_METRIC_JACCARD ? WW_LSH_BUCKETS : WW_LSH_QUERIES); path++) {
        walk(grown, (ww_lsh_path)path, 0);
        walk(fresh, (ww_lsh_path)path, 0);
        answer a = ask(grown, NULL, K), b = ask(fresh, NULL, K);
        same(&a, &b);
        ck_assert_uint_eq(a.found[3], 0);
        for (size_t i = 0; i < N * K; i++)
            ck_assert_int_ne(a.ids[i], 3);
        answer_free(&a);
        answer_free(&b);
    }
    if (!c.offsets) {
        // Without every third point: the same as an index that never had them.
        int64_t gone[N], left[N];
        size_t gone_count = 0, left_count = 0;
        unsigned char *values = malloc(N * 10 * sizeof(float));
        const size_t row = metric == WW_METRIC_HAMMING ? 10 : 10 * sizeof(float);
        for (int64_t i = 0; i < N; i++) {
            if (i % 3 == 0) {
                gone[gone_count++] = i;
                continue;
            }
            memcpy(values + left_count * row, (unsigned char *)c.values + (size_t)i * row, row);
            left[left_count++] = i;
        }
        ww_point_view view = part_of(&c, 0, left_count);
        view.values = values;
        ww_points *kept = NULL;
        ww_lsh *without = NULL;
        ww_lsh_info info = WW_LSH_INFO_INIT;
        wwt_ok(ww_points_create(wwt_context, &view, NULL, &kept));
        wwt_ok(ww_lsh_create(kept, &o, &without));
        wwt_ok(ww_lsh_remove(grown, gone, gone_count));
        wwt_ok(ww_lsh_get_info(grown, &info));
        ck_assert_uint_eq(info.points, left_count);
        walk(grown, WW_LSH_BUCKETS, 1);
        walk(without, WW_LSH_BUCKETS, 1);
        answer a = ask(grown, kept, K), b = ask(without, kept, K);
        rename_ids(&b, left);
        same(&a, &b);
        answer_free(&a);
        answer_free(&b);
        ww_lsh_destroy(&without);
        ww_points_destroy(&kept);
        free(values);
    }
    wwt_fails(ww_lsh_remove(grown, (const int64_t[]){1, N}, 2), WW_ERROR_INVALID_ARGUMENT);
    ww_lsh_destroy(&grown);
    ww_lsh_destroy(&fresh);
    ww_points_destroy(&second);
    ww_points_destroy(&first);
    ww_points_destroy(&whole);
    free(offsets);
    cloud_free(&c);
}
END_TEST

// Queries [first, first + count) of the whole: their tiles begin elsewhere.
static void check_rows(ww_lsh *lsh, ww_points *queries, const answer *whole, size_t first, size_t count,
                       ww_lsh_info *sum) {
    const size_t k = whole->k, value = whole->precision == WW_DOUBLE ? 8 : 4;
    ww_lsh_info info = WW_LSH_INFO_INIT;
    answer a = make_answer(count, k, whole->precision);
    wwt_ok(ww_lsh_run_rows(lsh, queries, first, count, k, a.ids, NULL, NULL));
    ck_assert_mem_eq(a.ids, whole->ids + first * k, count * k * sizeof *a.ids);
    wwt_ok(ww_lsh_run_rows(lsh, queries, first, count, k, a.ids, a.distances, a.found));
    ck_assert_mem_eq(a.ids, whole->ids + first * k, count * k * sizeof *a.ids);
    ck_assert_mem_eq(a.distances, (unsigned char *)whole->distances + first * k * value, count * k * value);
    ck_assert_mem_eq(a.found, whole->found + first, count * sizeof *a.found);
    wwt_ok(ww_lsh_get_info(lsh, &info));
    sum->incomplete += info.incomplete;
    sum->capped += info.capped;
    answer_free(&a);
}

// Of two blocks, of which the second begins within a tile. Counts add up to the whole's.
START_TEST(rows_are_those_of_the_whole) {
    wwt_seed(60 + (unsigned)_i);
    enum { N = 330, K = 7 };
    static const size_t cuts[] = {0, 1, 64, 130, 131, 300, N, N + 7, 2 * N};
    const ww_metric metric = kinds[_i].metric;
    cloud c = make_cloud(metric, WW_FLOAT, N, kinds[_i].dimension, 0);
    ww_points *all = upload(&c, 0, N, 0);
    const ww_lsh_options o = small(metric);
    ww_lsh *lsh = NULL;
    wwt_ok(ww_lsh_create(all, &o, &lsh));
    wwt_ok(ww_lsh_add(lsh, all));
    for (int turn = 0; turn < 8; turn++) {
        ww_points *queries = turn & 1 ? all : NULL;
        ww_lsh_info whole = WW_LSH_INFO_INIT, sum = WW_LSH_INFO_INIT;
        if (turn == 4)
            wwt_ok(ww_lsh_remove(lsh, (const int64_t[]){3, 64, N, N + 5}, 4));
        if (metric == WW_METRIC_JACCARD && !(turn & 2))
            continue;
        walk(lsh, turn & 2 ? WW_LSH_BUCKETS : WW_LSH_QUERIES, turn == 7);
        answer a = ask(lsh, queries, K);
        wwt_ok(ww_lsh_get_info(lsh, &whole));
        for (size_t i = 0; cuts[i] < a.queries; i++)
            check_rows(lsh, queries, &a, cuts[i], cuts[i + 1] - cuts[i], &sum);
        ck_assert_uint_eq(sum.incomplete, whole.incomplete);
        ck_assert_uint_eq(sum.capped, whole.capped);
        if (!queries)
            check_rows(lsh, NULL, &a, N - 5, 170, &sum);
        answer_free(&a);
    }
    int64_t none[K];
    wwt_ok(ww_lsh_run_rows(lsh, all, N, 0, K, none, NULL, NULL));
    wwt_fails(ww_lsh_run_rows(lsh, all, N, 1, K, none, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_run_rows(lsh, all, 1, SIZE_MAX, K, none, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_run_rows(NULL, all, 0, 1, K, none, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_run_rows(lsh, all, 0, 1, 0, none, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&all);
    cloud_free(&c);
}
END_TEST

START_TEST(blocks_change_nothing) {
    many_buckets();
    wwt_seed(50 + (unsigned)_i);
    enum { N = 700, K = 6 };
    const ww_metric metric = kinds[_i].metric;
    cloud c = make_cloud(metric, WW_FLOAT, N, kinds[_i].dimension, 0);
    ww_points *points = upload(&c, 0, N, 0);
    ww_points *streamed = upload(&c, 0, N, metric == WW_METRIC_HAMMING ? 128 * 12 * 2 : 128 * 40 * 2);
    ww_lsh_options o = small(metric);
    ww_lsh *lsh = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    answer expected = ask(lsh, NULL, K);
    ww_lsh_destroy(&lsh);
    wwt_ok(ww_lsh_create(streamed, &o, &lsh)); // the points do not stay on the device
    ck_assert_uint_gt(lsh->block_count, 2);
    answer found = ask(lsh, NULL, K);
    same(&found, &expected);
    answer_free(&found);
    found = ask(lsh, points, K + 1);
    ck_assert_uint_eq(found.found[0] > 0, 1);
    answer_free(&found);
    ww_lsh_destroy(&lsh);
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.max_bytes = 40000; // nor do the tables
    o.run = &run;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    ck_assert_uint_gt(lsh->block_count, 1);
    found = ask(lsh, NULL, K);
    same(&found, &expected);
    answer_free(&found);
    answer_free(&expected);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&streamed);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

static void write_bytes(const char *path, const unsigned char *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

START_TEST(save_and_load) {
    many_buckets();
    wwt_seed(60 + (unsigned)_i);
    enum { N = 300, K = 6 };
    const ww_metric metric = kinds[_i].metric;
    char path[] = "/tmp/wavewarp-lsh-XXXXXX";
    close(mkstemp(path));
    cloud c = make_cloud(metric, WW_FLOAT, N, kinds[_i].dimension, 0);
    ww_points *points = upload(&c, 0, N, _i == 0 ? 128 * 40 : 0);
    ww_lsh_options o = small(metric);
    o.seed = 99;
    ww_lsh *lsh = NULL, *loaded = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    wwt_ok(ww_lsh_remove(lsh, (const int64_t[]){7, 290}, 2));
    wwt_ok(ww_lsh_save(lsh, path));
    wwt_ok(ww_lsh_load(wwt_context, path, NULL, &loaded));
    answer a = ask(lsh, NULL, K), b = ask(loaded, NULL, K);
    same(&a, &b);
    ck_assert_uint_eq(ww_lsh_count(loaded), N);
    wwt_ok(ww_lsh_get_options(loaded, &o));
    ck_assert(o.seed == 99 && o.metric == metric && o.tables == 4);
    ww_lsh_destroy(&loaded);
    // Damaged anywhere, cut anywhere, of another version, or something else.
    FILE *file = fopen(path, "rb");
    static unsigned char bytes[1 << 20];
    const size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t at = 0; at < count; at += at < 100 ? 9 : count / 7) {
        bytes[at] ^= 0x10;
        write_bytes(path, bytes, count);
        wwt_fails(ww_lsh_load(wwt_context, path, NULL, &loaded), WW_ERROR_FORMAT);
        ck_assert_ptr_null(loaded);
        bytes[at] ^= 0x10;
        write_bytes(path, bytes, at);
        wwt_fails(ww_lsh_load(wwt_context, path, NULL, &loaded), WW_ERROR_FORMAT);
    }
    bytes[8]++;
    write_bytes(path, bytes, count);
    wwt_fails(ww_lsh_load(wwt_context, path, NULL, &loaded), WW_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "version 2"));
    unlink(path);
    wwt_fails(ww_lsh_load(wwt_context, path, NULL, &loaded), WW_ERROR_IO);
    wwt_fails(ww_lsh_save(lsh, "/nowhere/at/all"), WW_ERROR_IO);
    answer_free(&a);
    answer_free(&b);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

// ---- chosen parameters

static void choose(ww_metric metric, size_t dimension) {
    wwt_seed(70 + (unsigned)metric);
    enum { N = 4000, K = 4 };
    cloud c = make_cloud(metric, WW_FLOAT, N, dimension, 0);
    ww_points *points = upload(&c, 0, N, 0);
    ww_lsh_target target = WW_LSH_TARGET_INIT;
    ww_lsh_choice choice = WW_LSH_CHOICE_INIT;
    ww_lsh_options chosen = WW_LSH_OPTIONS_INIT;
    ww_lsh *lsh = NULL;
    target.metric = metric;
    target.k = K;
    target.recall = 0.85;
    target.sample = 250;
    wwt_ok(ww_lsh_choose(points, &target, &chosen, &choice));
    ck_assert_msg(choice.measured_recall >= target.recall, "%s: measured %g, predicted %g",
                  ww_word(WW_WORD_METRIC, metric), choice.measured_recall, choice.recall);
    ck_assert(choice.recall >= target.recall && choice.neighbour > 0 && choice.neighbour < choice.random);
    wwt_ok(ww_lsh_create(points, &chosen, &lsh));
    answer exact = ask_exactly(points, NULL, metric, K), found = ask(lsh, NULL, K);
    // A sample of 1000 neighbours, whose tables are the same: five deviations.
    const double recall = ww_knn_recall(exact.distances, found.distances, N, K, WW_FLOAT);
    ck_assert_msg(recall >= target.recall - 5 * sqrt(0.85 * 0.15 / 1000), "%s: recall %g",
                  ww_word(WW_WORD_METRIC, metric), recall);
    answer_free(&exact);
    answer_free(&found);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    cloud_free(&c);
}

START_TEST(chosen_parameters_reach_the_recall) {
    choose(WW_METRIC_L2, 10);
}
END_TEST

START_TEST(chosen_parameters_of_sets) {
    choose(WW_METRIC_JACCARD, 0);
}
END_TEST

// Queries unlike the points: parameters that are learnt from the points miss most of their neighbours; learnt from the
// queries they do not. Outliers in the points, which set the mean distance, change nothing.
START_TEST(chosen_for_other_queries) {
    enum { N = 4000, Q = 600, K = 4, D = 3 };
    float *values = malloc((N + Q) * D * sizeof *values);
    wwt_seed(91);
    for (size_t i = 0; i < N + Q; i++)
        for (size_t d = 0; d < D; d++) { // dense clusters; queries anywhere among them
            const double anywhere = 2 + 2 * wwt_random();
            values[i * D + d] = (float)(i < N ? floor(anywhere) + 0.01 * wwt_random() : anywhere);
        }
    values[0] = 1e5f;
    values[D] = -1e5f;
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points *points = NULL, *queries = NULL;
    view.precision = WW_FLOAT;
    view.dimension = D;
    view.count = N;
    view.values = values;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &points));
    view.count = Q;
    view.values = values + N * D;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &queries));
    ww_lsh_target target = WW_LSH_TARGET_INIT;
    ww_lsh_choice choice = WW_LSH_CHOICE_INIT;
    target.k = K;
    target.recall = 0.95;
    answer exact = ask_exactly(points, queries, WW_METRIC_L2, K);
    double recall[2];
    for (int own = 0; own < 2; own++) {
        ww_lsh_options chosen = WW_LSH_OPTIONS_INIT;
        ww_lsh *lsh = NULL;
        target.asking = own ? queries : NULL;
        wwt_ok(ww_lsh_choose(points, &target, &chosen, &choice));
        wwt_ok(ww_lsh_create(points, &chosen, &lsh));
        answer found = ask(lsh, queries, K);
        recall[own] = ww_knn_recall(exact.distances, found.distances, Q, K, WW_FLOAT);
        answer_free(&found);
        ww_lsh_destroy(&lsh);
        ck_assert(choice.recall_low <= choice.measured_recall && choice.measured_recall <= choice.recall_high);
        ck_assert(choice.recall_low < choice.recall_high);
    }
    ck_assert_msg(recall[0] < 0.9, "%g: the test's data do not tell", recall[0]);
    ck_assert_msg(recall[1] >= 0.95 && choice.recall_low >= 0.95, "%g, measured %g to %g", recall[1], choice.recall_low,
                  choice.recall_high);
    answer_free(&exact);
    ww_points_destroy(&queries);
    ww_points_destroy(&points);
    free(values);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("lsh_changes");
    TCase *tcase = wwt_case(suite, "lsh_changes", 300);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, add_and_remove, 0, 3);
    wwt_add_to(tcase, rows_are_those_of_the_whole, 0, 3);
    wwt_add_to(tcase, blocks_change_nothing, 0, 3);
    wwt_add_to(tcase, save_and_load, 0, 3);
    wwt_add_to(tcase, chosen_parameters_reach_the_recall, 0, 1);
    wwt_add_to(tcase, chosen_parameters_of_sets, 0, 1);
    wwt_add_to(tcase, chosen_for_other_queries, 0, 1);
    return wwt_run(suite);
}
