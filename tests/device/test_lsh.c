// SPDX-License-Identifier: Apache-2.0
// Locality-sensitive hashing: both ways to search give the same and the right answer, functions agree as often as their
// family's closed form says, tables are partitions, probes come in order, recall never falls; refusals.
#include "lsh/lsh_index.h"
#include "lsh_points.h"

// ---- both ways to search

// The ways to join buckets, as the tuning parameter form.join has them; 0: what is best.
enum { BEST, NARROW, WIDE, TENSOR = 4 };

static const struct {
    ww_metric metric;
    ww_precision precision;
    size_t count, dimension;
    double centre, width;
    long join;
} cases[] = {
    {WW_METRIC_L2, WW_FLOAT, 600, 10, 0, 2, BEST},          {WW_METRIC_L2, WW_FLOAT, 500, 19, 90, 4, BEST},
    {WW_METRIC_L2_SQUARED, WW_DOUBLE, 400, 13, 0, 2, BEST}, {WW_METRIC_L1, WW_FLOAT, 500, 5, 0, 3, BEST},
    {WW_METRIC_COSINE, WW_FLOAT, 500, 16, 0, 1, BEST},      {WW_METRIC_HAMMING, WW_FLOAT, 500, 75, 0, 1, BEST},
    {WW_METRIC_JACCARD, WW_FLOAT, 500, 0, 0, 1, BEST},      {WW_METRIC_L2, WW_FLOAT, 200, 301, 7, 20, BEST},
    {WW_METRIC_L2, WW_FLOAT, 500, 10, 0, 2, NARROW},        {WW_METRIC_L2, WW_FLOAT, 400, 28, 0, 4, WIDE},
    {WW_METRIC_L2, WW_FLOAT, 700, 28, 0, 4, TENSOR},        {WW_METRIC_L2_SQUARED, WW_FLOAT, 500, 13, 90, 2, TENSOR},
    {WW_METRIC_L2, WW_DOUBLE, 300, 15, 0, 3, TENSOR},       {WW_METRIC_COSINE, WW_FLOAT, 500, 33, 0, 1, TENSOR},
    {WW_METRIC_L2, WW_FLOAT, 200, 62, 7, 9, TENSOR}};

static void join_by(long join) {
    if (join != BEST)
        wwt_ok(wwi_tuning_try(wwt_context, "form.join", NULL, join));
}

START_TEST(both_ways) {
    wwt_seed((unsigned)_i);
    const ww_metric metric = cases[_i].metric;
    const size_t n = cases[_i].count, asked = 90, k = 7;
    if (cases[_i].precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    join_by(cases[_i].join);
    cloud c = make_cloud(metric, cases[_i].precision, n, cases[_i].dimension, cases[_i].centre);
    cloud q = make_cloud(metric, cases[_i].precision, asked, cases[_i].dimension, cases[_i].centre);
    ww_points *points = upload(&c, 0, n, 0), *queries = upload(&q, 0, asked, 0);
    const ww_lsh_options o = options_of(metric, 4, metric == WW_METRIC_JACCARD ? 2 : 4, cases[_i].width, 3);
    ww_lsh *lsh = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    for (int self = 0; self < 2; self++) {
        ww_lsh_info info = WW_LSH_INFO_INIT;
        answer exact = ask_exactly(points, self ? NULL : queries, metric, k);
        walk(lsh, WW_LSH_BUCKETS, 0);
        answer buckets = ask(lsh, self ? NULL : queries, k);
        check_order(&buckets, &exact, self);
        wwt_ok(ww_lsh_get_info(lsh, &info));
        ck_assert_uint_gt(info.examined, 0);
        const double recall = ww_knn_recall(exact.distances, buckets.distances, buckets.queries, k, c.precision);
        ck_assert_msg(!self || (recall > 0.2 && recall < 1), "%s: recall %g", ww_word(WW_WORD_METRIC, metric), recall);
        if (metric != WW_METRIC_JACCARD) {
            walk(lsh, WW_LSH_QUERIES, 0);
            answer single = ask(lsh, self ? NULL : queries, k);
            same(&buckets, &single);
            answer_free(&single);
            walk(lsh, WW_LSH_QUERIES, 1);
            answer whole = ask(lsh, self ? NULL : queries, n);
            answer all = ask_exactly(points, self ? NULL : queries, metric, n);
            same(&whole, &all);
            answer_free(&all);
            answer_free(&whole);
        }
        // More than there are: completed, all are found.
        walk(lsh, WW_LSH_BUCKETS, 1);
        answer whole = ask(lsh, self ? NULL : queries, n + 3);
        answer all = ask_exactly(points, self ? NULL : queries, metric, n + 3);
        same(&whole, &all);
        answer_free(&all);
        answer_free(&whole);
        answer_free(&buckets);
        answer_free(&exact);
    }
    ww_lsh_destroy(&lsh);
    ck_assert_ptr_null(lsh);
    ww_points_destroy(&queries);
    ww_points_destroy(&points);
    cloud_free(&q);
    cloud_free(&c);
}
END_TEST

// Made for one probe or for more and then asked for one: the same tables, the same answer.
START_TEST(one_probe) {
    wwt_seed(20);
    const ww_metric metric = _i == 0 ? WW_METRIC_L2_SQUARED : WW_METRIC_COSINE;
    const ww_precision precision = _i == 0 && wwt_device_has_double() ? WW_DOUBLE : WW_FLOAT;
    cloud c = make_cloud(metric, precision, 333, _i == 0 ? 13 : 16, 0);
    ww_points *points = upload(&c, 0, 333, 0);
    ww_lsh_options o = options_of(metric, 4, 4, 2, 3);
    ww_lsh *one = NULL, *more = NULL;
    wwt_ok(ww_lsh_create(points, &o, &more));
    o.probes = 1;
    wwt_ok(ww_lsh_set_options(more, &o));
    wwt_ok(ww_lsh_create(points, &o, &one));
    answer a = ask(one, NULL, 6), b = ask(more, NULL, 6);
    same(&a, &b);
    answer_free(&a);
    answer_free(&b);
    ww_lsh_destroy(&one);
    ww_lsh_destroy(&more);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

// One bucket holds all: every pair is met once in each table, and the answer is exact.
START_TEST(one_bucket) {
    wwt_seed(21);
    enum { N = 500, K = 9 };
    cloud c = make_cloud(WW_METRIC_L2, WW_FLOAT, N, 10, 0);
    ww_points *points = upload(&c, 0, N, 0);
    ww_lsh_options o = options_of(WW_METRIC_L2, 3, 4, 1e12, 3);
    ww_lsh *lsh = NULL;
    ww_lsh_info info = WW_LSH_INFO_INIT;
    answer exact = ask_exactly(points, NULL, WW_METRIC_L2, K);
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    walk(lsh, WW_LSH_BUCKETS, 0);
    answer found = ask(lsh, NULL, K);
    same(&found, &exact);
    wwt_ok(ww_lsh_get_info(lsh, &info));
    ck_assert_uint_eq(info.examined, (uint64_t)3 * N * N);
    ck_assert_uint_eq(info.incomplete, 0);
    answer_free(&found);
    o.path = WW_LSH_QUERIES;
    o.candidates = 100;
    wwt_ok(ww_lsh_set_options(lsh, &o));
    found = ask(lsh, NULL, K);
    wwt_ok(ww_lsh_get_info(lsh, &info));
    ck_assert_uint_eq(info.capped, N);
    ck_assert_uint_eq(info.examined, 100 * N);
    answer_free(&found);
    answer_free(&exact);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

// ---- functions, tables and probes

// Queries at a distance from a table's only point: how often they share its bucket. (Functions and dimensions are those
// of the cases above, whose programs are compiled already.)
START_TEST(collision_rates) {
    enum { MOST = 16, BITS = 75, BIT_BYTES = 10, DIRECTIONS = 24, TABLES = 1500, ITEMS = 48 };
    static const ww_metric metrics[] = {WW_METRIC_L2, WW_METRIC_L1, WW_METRIC_COSINE, WW_METRIC_HAMMING,
                                        WW_METRIC_JACCARD};
    static const size_t dimensions[] = {10, 5, 16, BITS, 0};
    static const double steps[] = {0.1, 0.4, 1, 2, 4.5};
    const size_t D = dimensions[_i];
    const uint32_t functions = _i == 4 ? 2 : 4;
    wwt_seed(23);
    const ww_metric metric = metrics[_i];
    float origin[MOST] = {0}, x[DIRECTIONS * MOST];
    unsigned char zero_bits[BIT_BYTES] = {0}, bits[DIRECTIONS * BIT_BYTES];
    uint32_t items[DIRECTIONS * ITEMS];
    uint64_t offsets[DIRECTIONS + 1] = {0};
    origin[0] = metric == WW_METRIC_COSINE;
    ww_point_view view = WW_POINT_VIEW_INIT;
    view.kind = ww_metric_kind(metric);
    view.count = 1;
    view.dimension = D;
    for (uint32_t j = 0; j < ITEMS; j++)
        items[j] = j * 31;
    const uint64_t first_offsets[2] = {0, ITEMS / 2};
    view.values = metric == WW_METRIC_HAMMING   ? (const void *)zero_bits
                  : metric == WW_METRIC_JACCARD ? (const void *)items
                                                : (const void *)origin;
    view.offsets = first_offsets;
    ww_points *base = NULL;
    ww_lsh *lsh = NULL;
    ww_lsh_options o = options_of(metric, TABLES, functions, 3, 3);
    o.path = WW_LSH_BUCKETS;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &base));
    wwt_ok(ww_lsh_create(base, &o, &lsh));
    o.probes = 1;
    wwt_ok(ww_lsh_set_options(lsh, &o));
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        double distance = steps[s];
        for (size_t q = 0; q < DIRECTIONS; q++) {
            double norm = 0, *direction = (double[MOST]){0};
            const size_t numbers = view.kind == WW_POINTS_NUMBERS ? D : 0;
            for (size_t j = metric == WW_METRIC_COSINE; j < numbers; j++) {
                direction[j] = wwt_random();
                norm += metric == WW_METRIC_L1 ? fabs(direction[j]) : direction[j] * direction[j];
            }
            norm = metric == WW_METRIC_L1 ? norm : sqrt(norm);
            for (size_t j = 0; j < numbers; j++)
                x[q * D + j] = (float)(metric == WW_METRIC_COSINE
                                           ? (j == 0 ? cos(steps[s] * 0.6) : sin(steps[s] * 0.6) * direction[j] / norm)
                                           : steps[s] * direction[j] / norm);
            memset(bits + q * BIT_BYTES, 0, BIT_BYTES);
            for (size_t flips = (size_t)(steps[s] * 10); flips > 0;) {
                const size_t bit = wwt_random_size(0, BITS - 1);
                unsigned char *byte = bits + q * BIT_BYTES + bit / 8;
                flips -= !(*byte >> bit % 8 & 1);
                *byte |= (unsigned char)(1u << bit % 8);
            }
            // Members from `shift` on: the rest is common.
            const uint32_t shift = (uint32_t)(steps[s] * 5);
            for (uint32_t j = 0; j < ITEMS / 2; j++)
                items[q * (ITEMS / 2) + j] = (j + shift) * 31;
            offsets[q + 1] = (q + 1) * (ITEMS / 2);
        }
        if (metric == WW_METRIC_COSINE)
            distance = 1 - cos(steps[s] * 0.6);
        if (metric == WW_METRIC_HAMMING)
            distance = (double)(size_t)(steps[s] * 10);
        if (metric == WW_METRIC_JACCARD) {
            const double shift = (uint32_t)(steps[s] * 5);
            distance = 1 - fmax(ITEMS / 2 - shift, 0) / (ITEMS / 2 + fmin(shift, ITEMS / 2));
        }
        view.count = DIRECTIONS;
        view.offsets = offsets;
        view.values = metric == WW_METRIC_HAMMING   ? (const void *)bits
                      : metric == WW_METRIC_JACCARD ? (const void *)items
                                                    : (const void *)x;
        ww_points *queries = NULL;
        ww_lsh_info info = WW_LSH_INFO_INIT;
        wwt_ok(ww_points_create(wwt_context, &view, NULL, &queries));
        answer a = ask(lsh, queries, 1);
        wwt_ok(ww_lsh_get_info(lsh, &info));
        const double rate = (double)info.examined / (DIRECTIONS * TABLES);
        double p = pow(ww_lsh_collision(metric, distance, o.width, D), functions);
        p += (1 - p) / 64; // different values meet in one of the 64 buckets
        // Five deviations of four trials a table, not of all 24, which share its functions; of sets all are the same.
        const double trials = metric == WW_METRIC_JACCARD ? TABLES : 4 * TABLES;
        ck_assert_msg(fabs(rate - p) <= 5 * sqrt(p * (1 - p) / trials) + 1e-3, "%s distance %g: rate %g, expected %g",
                      ww_word(WW_WORD_METRIC, metric), distance, rate, p);
        answer_free(&a);
        ww_points_destroy(&queries);
    }
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&base);
}
END_TEST

// Offsets ascend, every table's entries are its points, each once, and equal points are in one bucket.
START_TEST(tables_are_partitions) {
    wwt_seed(24);
    enum { N = 777 };
    cloud c = make_cloud(WW_METRIC_L2, WW_FLOAT, N, 10, 0);
    memcpy((float *)c.values + 400 * 10, (float *)c.values + 5 * 10, 10 * sizeof(float));
    ww_points *points = upload(&c, 0, N, 0);
    const ww_lsh_options o = options_of(WW_METRIC_L2, 6, 4, 1, 3);
    ww_lsh *lsh = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    ck_assert_uint_eq(lsh->block_count, 1);
    const wwi_lsh_block *b = lsh->blocks;
    const size_t buckets = (size_t)1 << b->bits;
    uint32_t *offsets = malloc((o.tables * buckets + 1) * 4), *entries = malloc(o.tables * N * 4);
    wwt_ok(wwi_buffer_read(b->offsets, 0, (o.tables * buckets + 1) * 4, offsets));
    wwt_ok(wwi_buffer_read(b->entries, 0, o.tables * N * 4, entries));
    ck_assert_uint_eq(offsets[0], 0);
    for (size_t i = 0; i < o.tables * buckets; i++)
        ck_assert_uint_le(offsets[i], offsets[i + 1]);
    for (uint32_t t = 0; t <= o.tables; t++)
        ck_assert_uint_eq(offsets[t * buckets], t * N);
    for (uint32_t t = 0; t < o.tables; t++) {
        uint32_t seen[N] = {0}, bucket_of[N];
        for (size_t i = t * buckets; i < (t + 1) * buckets; i++)
            for (uint32_t e = offsets[i]; e < offsets[i + 1]; e++) {
                ck_assert_uint_lt(entries[e], N);
                seen[entries[e]]++;
                bucket_of[entries[e]] = (uint32_t)i;
            }
        for (size_t i = 0; i < N; i++)
            ck_assert_uint_eq(seen[i], 1);
        ck_assert_uint_eq(bucket_of[5], bucket_of[400]);
    }
    free(entries);
    free(offsets);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// All sets of moves, each once, in order of their mean cost over random points.
START_TEST(probe_sequence) {
    enum { DRAWS = 40000, MOST = 243 };
    wwt_seed(25);
    for (uint32_t m = 1; m <= 5; m++) {
        uint64_t masks[MOST + 7];
        uint32_t all = 1;
        double mean[10] = {0};
        for (uint32_t j = 0; j < m; j++)
            all *= 3; // each function stays, falls or rises
        ck_assert_uint_eq(wwi_lsh_make_masks(WWK_FAMILY_STABLE, m, MOST + 7, masks), all);
        for (int draw = 0; draw < DRAWS; draw++) {
            double costs[10];
            for (uint32_t j = 0; j < m; j++) {
                const double f = (wwt_random() + 1) / 2;
                costs[2 * j] = f * f;
                costs[2 * j + 1] = (1 - f) * (1 - f);
            }
            qsort(costs, 2 * m, sizeof *costs, compare);
            for (uint32_t j = 0; j < 2 * m; j++)
                mean[j] += costs[j] / DRAWS;
        }
        double last = 0;
        for (uint32_t p = 0; p < all; p++) {
            double cost = 0;
            for (uint32_t j = 0; j < 2 * m; j++)
                cost += masks[p] >> j & 1 ? mean[j] : 0;
            for (uint32_t j = 0; j < m; j++)
                ck_assert(!(masks[p] >> j & 1 && masks[p] >> (2 * m - 1 - j) & 1));
            for (uint32_t earlier = 0; earlier < p; earlier++)
                ck_assert(masks[earlier] != masks[p]);
            ck_assert_msg(cost >= last - 0.02, "%u functions, probe %u: cost %g after %g", m, p, cost, last);
            last = fmax(cost, last);
        }
    }
    uint64_t masks[64];
    ck_assert_uint_eq(wwi_lsh_make_masks(WWK_FAMILY_COSINE, 4, 64, masks), 16);
    ck_assert(masks[0] == 0 && masks[1] == 1 && masks[2] == 2);
}
END_TEST

START_TEST(recall_never_falls) {
    static const ww_metric families[] = {WW_METRIC_L2, WW_METRIC_COSINE};
    static const uint32_t dimensions[] = {10, 16}, most_probes[] = {48, 12};
    enum { N = 900, K = 5 };
    wwt_seed(30 + (unsigned)_i);
    cloud c = make_cloud(families[_i], WW_FLOAT, N, dimensions[_i], 0);
    ww_points *points = upload(&c, 0, N, 0);
    answer exact = ask_exactly(points, NULL, families[_i], K);
    double last = 0;
    for (uint32_t tables = 1; tables <= 8; tables *= 2) {
        ww_lsh_options o = options_of(families[_i], tables, 4, 1, most_probes[_i]);
        ww_lsh *lsh = NULL;
        wwt_ok(ww_lsh_create(points, &o, &lsh));
        double before = 0;
        for (o.probes = tables == 4 ? 1 : most_probes[_i]; o.probes <= most_probes[_i]; o.probes *= 3) {
            wwt_ok(ww_lsh_set_options(lsh, &o));
            answer a = ask(lsh, NULL, K);
            const double recall = ww_knn_recall(exact.distances, a.distances, N, K, WW_FLOAT);
            ck_assert_msg(recall >= before, "%u probes: %g after %g", o.probes, recall, before);
            before = recall;
            answer_free(&a);
        }
        ck_assert_msg(before >= last, "%u tables: %g after %g", tables, before, last);
        last = before;
        ww_lsh_destroy(&lsh);
    }
    ck_assert_msg(last > 0.6, "%s: recall %g", ww_word(WW_WORD_METRIC, families[_i]), last);
    answer_free(&exact);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

// ---- the rest

static int stop(void *user, uint64_t done, uint64_t total) {
    uint64_t *calls = user;
    if (total <= 1) // a compile, before the work is counted
        return 0;
    ck_assert_uint_le(done, total);
    return ++*calls == 3;
}

static int count_up(void *user, uint64_t done, uint64_t total) {
    uint64_t *last = user;
    if (total <= 1) // a compile, before the work is counted
        return 0;
    ck_assert(done > *last && done <= total);
    *last = done;
    return 0;
}

START_TEST(seeds_and_progress) {
    wwt_seed(80);
    enum { N = 500, K = 4 };
    cloud c = make_cloud(WW_METRIC_L2, WW_FLOAT, N, 10, 0);
    ww_points *points = upload(&c, 0, N, 0);
    ww_lsh_options o = small(WW_METRIC_L2);
    answer answers[3];
    for (int run = 0; run < 3; run++) {
        ww_lsh *lsh = NULL;
        o.seed = run == 2 ? 6 : 5;
        wwt_ok(ww_lsh_create(points, &o, &lsh));
        answers[run] = ask(lsh, NULL, K);
        ww_lsh_destroy(&lsh);
    }
    same(&answers[0], &answers[1]);
    ck_assert(memcmp(answers[0].ids, answers[2].ids, N * K * sizeof(int64_t)) != 0);
    uint64_t calls = 0, last = 0;
    ww_lsh *lsh = NULL;
    ww_run_options how = WW_RUN_OPTIONS_INIT;
    how.progress = stop;
    how.progress_user = &calls;
    o.run = &how;
    o.path = WW_LSH_BUCKETS;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    wwt_fails(ww_lsh_run(lsh, NULL, K, answers[0].ids, NULL, NULL), WW_ERROR_CANCELLED);
    how.progress = count_up;
    how.progress_user = &last;
    wwt_ok(ww_lsh_set_options(lsh, &o));
    wwt_ok(ww_lsh_run(lsh, NULL, K, answers[0].ids, NULL, NULL));
    ck_assert_uint_eq(last, (uint64_t)N * 4 * 3);
    ww_lsh_destroy(&lsh);
    for (int run = 0; run < 3; run++)
        answer_free(&answers[run]);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

static int grows(void *user, uint64_t done, uint64_t total) {
    uint64_t *calls = user;
    ck_assert_uint_le(done, total);
    calls[0]++;
    ck_assert(total <= 1 || done >= calls[1]);
    calls[1] = done;
    return 0;
}

// Tables whose building is divided into many launches: the bytes of the whole, and between any two it can be ended.
START_TEST(divided) {
    static const ww_metric metrics[] = {WW_METRIC_L2, WW_METRIC_COSINE, WW_METRIC_HAMMING, WW_METRIC_JACCARD};
    enum { N = 333, K = 5, TABLES = 3 };
    const ww_metric metric = metrics[_i];
    wwt_seed(81);
    cloud c = make_cloud(metric, WW_FLOAT, N, 20, 0);
    ww_points *points = upload(&c, 0, N, 0);
    ww_lsh_options o = options_of(metric, TABLES, 2, 2, metric == WW_METRIC_JACCARD ? 2 : 3);
    ww_lsh *whole = NULL, *lsh = NULL;
    wwt_ok(ww_lsh_create(points, &o, &whole));
    uint64_t calls[2] = {0};
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.launch_seconds = 1e-9;
    run.progress = grows;
    run.progress_user = calls;
    o.run = &run;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    ck_assert_uint_ge(calls[0], 2 * 6 * TABLES); // counts and entries alone: 6 work-groups a table
    ck_assert_uint_eq(calls[1], (uint64_t)N * TABLES);
    for (int own = 0; own < 2; own++) {
        calls[1] = 0;
        answer a = ask(whole, own ? NULL : points, K), b = ask(lsh, own ? NULL : points, K);
        same(&a, &b);
        answer_free(&a);
        answer_free(&b);
    }
    ww_lsh_destroy(&whole);
    ww_lsh_destroy(&lsh);
    run.progress = stop;
    calls[0] = 0;
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_CANCELLED);
    ck_assert_ptr_null(lsh);
    ck_assert_uint_eq(calls[0], 3);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

static int count(void *user, uint64_t done, uint64_t total) {
    (void)done, (void)total;
    ++*(uint64_t *)user;
    return 0;
}

// New options have another function: the first one hears of no program that is compiled later.
START_TEST(functions_are_replaced) {
    enum { N = 500, K = 4 };
    cloud c = make_cloud(WW_METRIC_L2, WW_FLOAT, N, 10, 0);
    ww_points *points = upload(&c, 0, N, 0);
    ww_lsh_options o = small(WW_METRIC_L2);
    uint64_t calls[2] = {0};
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_lsh *lsh = NULL;
    run.progress = count;
    run.progress_user = &calls[0];
    o.run = &run;
    o.path = WW_LSH_BUCKETS;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    const uint64_t before = calls[0];
    run.progress_user = &calls[1];
    wwt_ok(ww_lsh_set_options(lsh, &o));
    answer a = ask(lsh, NULL, K);
    ck_assert_uint_eq(calls[0], before);
    ck_assert_uint_gt(calls[1], 0);
    answer_free(&a);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

// On the device or on the host, whatever they are made of.
START_TEST(points_come_back) {
    static const ww_metric metrics[] = {WW_METRIC_L2, WW_METRIC_HAMMING, WW_METRIC_JACCARD};
    enum { N = 300, D = 75 };
    wwt_seed(82);
    for (size_t m = 0; m < 3; m++)
        for (uint64_t most = 0; most <= 128 * D * 4; most += 128 * D * 4) {
            cloud c = make_cloud(metrics[m], WW_FLOAT, N, D, 0);
            ww_points *points = upload(&c, 0, N, m == 2 ? most / 16 : most);
            ww_point_set *set = NULL;
            ww_point_view got = WW_POINT_VIEW_INIT, want = part_of(&c, 0, N);
            wwt_ok(ww_point_set_of_points(points, &set));
            ww_points_destroy(&points);
            wwt_ok(ww_point_set_view(set, &got));
            ck_assert(got.kind == want.kind && got.count == N && got.dimension == (m == 2 ? 0 : D));
            for (size_t i = 0; m == 1 && i < N; i++)
                ((unsigned char *)c.values)[i * 10 + 9] &= 7; // bits behind the last
            if (m == 2)
                ck_assert_mem_eq(got.offsets, want.offsets, (N + 1) * sizeof *got.offsets);
            ck_assert_mem_eq(got.values, want.values, m == 0 ? N * D * 4 : m == 1 ? N * 10 : want.offsets[N] * 4);
            ww_point_set_destroy(&set);
            cloud_free(&c);
        }
}
END_TEST

// Many equal points, in one dimension: the lowest ids, at distance 0.
START_TEST(duplicates) {
    float values[300];
    join_by(_i == 0 ? BEST : TENSOR);
    for (size_t i = 0; i < 300; i++)
        values[i] = (float)(i % 3);
    cloud c = {WW_METRIC_L2, WW_FLOAT, 300, 1, values, NULL};
    ww_points *points = upload(&c, 0, 300, 0);
    const ww_lsh_options o = options_of(WW_METRIC_L2, 9, 2, 0.7, 1);
    ww_lsh *lsh = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    for (int path = WW_LSH_BUCKETS; path <= WW_LSH_QUERIES; path++) {
        walk(lsh, (ww_lsh_path)path, 0);
        answer a = ask(lsh, NULL, 5);
        for (size_t q = 0; q < 300; q++)
            for (size_t i = 0; i < 5; i++) {
                const size_t own = q / 3;
                ck_assert_int_eq(a.ids[q * 5 + i], (int64_t)(q % 3 + 3 * (i + (i >= own))));
                ck_assert(((float *)a.distances)[q * 5 + i] <= 0);
            }
        answer_free(&a);
    }
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
}
END_TEST

// Very short and very long points, and points without a direction: the rows of halves leave nobody out.
START_TEST(halves_hold_all) {
    enum { N = 400, D = 28, K = 6 };
    static const float lengths[] = {1e-12f, 1e18f, 1};
    const ww_metric metric = _i < 2 ? WW_METRIC_L2 : WW_METRIC_COSINE;
    wwt_seed(85 + (unsigned)_i);
    join_by(TENSOR);
    cloud c = make_cloud(metric, WW_FLOAT, N, D, 0);
    float *values = c.values;
    for (size_t i = 0; i < (size_t)N * D; i++)
        values[i] *= metric == WW_METRIC_COSINE && i / D % 50 == 3 ? 0 : lengths[_i];
    ww_points *points = upload(&c, 0, N, 0);
    const ww_lsh_options o = options_of(metric, 5, 3, 5 * (double)lengths[_i], 1);
    ww_lsh *lsh = NULL;
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    walk(lsh, WW_LSH_BUCKETS, 0);
    answer buckets = ask(lsh, NULL, K);
    walk(lsh, WW_LSH_QUERIES, 0);
    answer single = ask(lsh, NULL, K);
    same(&buckets, &single);
    answer_free(&single);
    answer_free(&buckets);
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    cloud_free(&c);
}
END_TEST

START_TEST(refusals) {
    wwt_seed(90);
    cloud c = make_cloud(WW_METRIC_L2, WW_FLOAT, 10, 10, 0), other = make_cloud(WW_METRIC_L2, WW_FLOAT, 10, 4, 0);
    ww_points *points = upload(&c, 0, 10, 0), *wrong = upload(&other, 0, 10, 0);
    ww_lsh *lsh = NULL;
    ww_lsh_choice choice = WW_LSH_CHOICE_INIT;
    ww_lsh_options chosen = WW_LSH_OPTIONS_INIT;
    ww_lsh_target target = WW_LSH_TARGET_INIT;
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    const ww_lsh_options defaults = o;
    o.metric = WW_METRIC_LINF;
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_UNSUPPORTED);
    o.metric = WW_METRIC_HAMMING;
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_INVALID_ARGUMENT);
    o = defaults;
    o.width = 0;
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_INVALID_ARGUMENT);
    o = defaults;
    o.probes = 64;
    o.functions = 33; // more than 64 positions
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_INVALID_ARGUMENT);
    o = defaults;
    o.candidates = 4097;
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_INVALID_ARGUMENT);
    o = small(WW_METRIC_L2);
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    wwt_fails(ww_lsh_run(lsh, NULL, 0, &(int64_t){0}, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_run(lsh, wrong, 1, &(int64_t){0}, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_add(lsh, wrong), WW_ERROR_INVALID_ARGUMENT);
    o.tables++;
    wwt_fails(ww_lsh_set_options(lsh, &o), WW_ERROR_INVALID_ARGUMENT);
    ww_lsh_destroy(&lsh);
    target.metric = WW_METRIC_LINF;
    wwt_fails(ww_lsh_choose(points, &target, &chosen, &choice), WW_ERROR_UNSUPPORTED);
    target.metric = WW_METRIC_L2;
    target.recall = 1;
    wwt_fails(ww_lsh_choose(points, &target, &chosen, &choice), WW_ERROR_INVALID_ARGUMENT);
    ww_points_destroy(&wrong);
    ww_points_destroy(&points);
    // What is not a number never gets that far; what is too large for its norm is refused here.
    float odd[32] = {0, 1, 2, 3, 4, 5, 6, NAN};
    cloud bad = {WW_METRIC_COSINE, WW_FLOAT, 2, 16, odd, NULL};
    ww_point_view view = part_of(&bad, 0, 2);
    wwt_fails(ww_points_create(wwt_context, &view, NULL, &points), WW_ERROR_NOT_FINITE);
    odd[7] = 1e30f;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &points));
    o = small(WW_METRIC_COSINE);
    wwt_fails(ww_lsh_create(points, &o, &lsh), WW_ERROR_OVERFLOW);
    ck_assert_ptr_null(lsh);
    ww_points_destroy(&points);
    cloud_free(&other);
    cloud_free(&c);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("lsh");
    TCase *tcase = wwt_case(suite, "lsh", 300);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, both_ways, 0, sizeof cases / sizeof *cases);
    wwt_add_to(tcase, one_probe, 0, 2);
    wwt_add_to(tcase, one_bucket, 0, 1);
    wwt_add_to(tcase, collision_rates, 0, 5);
    wwt_add_to(tcase, tables_are_partitions, 0, 1);
    wwt_add_to(tcase, probe_sequence, 0, 1);
    wwt_add_to(tcase, recall_never_falls, 0, 2);
    wwt_add_to(tcase, seeds_and_progress, 0, 1);
    wwt_add_to(tcase, functions_are_replaced, 0, 1);
    wwt_add_to(tcase, divided, 0, 4);
    wwt_add_to(tcase, points_come_back, 0, 1);
    wwt_add_to(tcase, duplicates, 0, 2);
    wwt_add_to(tcase, halves_hold_all, 0, 3);
    wwt_add_to(tcase, refusals, 0, 1);
    return wwt_run(suite);
}
