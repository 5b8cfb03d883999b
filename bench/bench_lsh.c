// SPDX-License-Identifier: Apache-2.0
// Locality-sensitive hashing: time of build and search, recall against the exact search on the same device, whose own
// result is compared with brute force on a sample.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_points.h"

typedef struct lsh_case {
    const char *name;
    bench_cloud cloud;
    ww_precision precision;
    size_t count, cpu_count, dimension, k;
    uint32_t tables, functions; // 0: chosen for the recall
    double width;
    uint32_t probes;
    ww_lsh_path path;
    double recall; // least accepted recall; 0: any
    int quick;
    double published_seconds, published_recall; // 0: none
} lsh_case;

// The published rows are those of a thesis on hashing with OpenCL, in double on a Quadro GP100, where the exact search
// took 14.08 s. Its functions round towards zero, so its recall is higher with the same parameters.
static const lsh_case CASES[] = {
    {"lsh/500000x10/k5", BENCH_UNIFORM, WW_FLOAT, 500000, 20000, 10, 5, 12, 11, 1.6, 1, WW_LSH_AUTO, 0.9, 1, 0, 0},
    {"lsh/500000x10/k5/chosen", BENCH_UNIFORM, WW_FLOAT, 500000, 20000, 10, 5, 0, 0, 0, 1, WW_LSH_AUTO, 0.9, 0, 0, 0},
    {"lsh/500000x10/k5/probes", BENCH_UNIFORM, WW_FLOAT, 500000, 20000, 10, 5, 6, 10, 1.5, 2, WW_LSH_AUTO, 0.9, 0, 0,
     0},
    {"lsh/500000x10/k5/by-queries", BENCH_UNIFORM, WW_FLOAT, 500000, 20000, 10, 5, 10, 15, 1.0, 64, WW_LSH_QUERIES, 0.9,
     0, 0, 0},
    {"lsh/1000000x28/k5", BENCH_EVENTS, WW_FLOAT, 1000000, 20000, 28, 5, 52, 12, 8.3, 1, WW_LSH_AUTO, 0.9, 1, 0, 0},
    {"lsh/1000000x28/k5/chosen", BENCH_EVENTS, WW_FLOAT, 1000000, 20000, 28, 5, 0, 0, 0, 1, WW_LSH_AUTO, 0.9, 0, 0, 0},
    {"lsh/1000000x28/k5/mixture", BENCH_MIXTURE, WW_FLOAT, 1000000, 20000, 28, 5, 18, 9, 10.0, 1, WW_LSH_AUTO, 0.9, 0,
     0, 0},
    {"lsh/thesis/30-50-2.0", BENCH_UNIFORM, WW_DOUBLE, 500000, 20000, 10, 5, 30, 50, 2.0, 1, WW_LSH_AUTO, 0, 0, 0.76,
     0.502},
    {"lsh/thesis/30-40-2.0", BENCH_UNIFORM, WW_DOUBLE, 500000, 20000, 10, 5, 30, 40, 2.0, 1, WW_LSH_AUTO, 0, 0, 1.13,
     0.759},
    {"lsh/thesis/50-15-1.0", BENCH_UNIFORM, WW_DOUBLE, 500000, 20000, 10, 5, 50, 15, 1.0, 1, WW_LSH_AUTO, 0, 0, 1.41,
     0.904},
    {"lsh/thesis/110-20-2.0", BENCH_UNIFORM, WW_DOUBLE, 500000, 20000, 10, 5, 110, 20, 2.0, 1, WW_LSH_AUTO, 0, 0, 92.9,
     1.0},
    {"lsh/thesis/ours", BENCH_UNIFORM, WW_DOUBLE, 500000, 20000, 10, 5, 15, 12, 1.6, 1, WW_LSH_AUTO, 0.9, 0, 1.41,
     0.904},
};

typedef struct lsh_times {
    double choose, build, search, exact;
    double recall, ratio, error;
    size_t verified;
    ww_lsh_options options;
    ww_lsh_info info;
} lsh_times;

static double value_at(const void *values, ww_precision precision, size_t i) {
    return precision == WW_DOUBLE ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

// Mean of the distances found over the exact ones.
static double distance_ratio(const void *exact, const void *found, size_t count, ww_precision precision) {
    double sum = 0, n = 0;
    for (size_t i = 0; i < count; i++) {
        const double e = value_at(exact, precision, i), f = value_at(found, precision, i);
        if (e > 0 && isfinite(f)) {
            sum += f / e;
            n++;
        }
    }
    return n > 0 ? sum / n : 1;
}

static ww_status exact_search(ww_points *points, size_t k, int64_t *ids, void *distances, double *seconds) {
    ww_knn *knn = NULL;
    ww_knn_info info = WW_KNN_INFO_INIT;
    ww_status status = ww_knn_create(points, NULL, k, NULL, &knn);
    for (int run = 0; status == WW_OK && run < 2; run++)
        status = ww_knn_run(knn, ids, distances, NULL);
    if (status == WW_OK)
        status = ww_knn_get_info(knn, &info);
    *seconds = info.seconds_wall;
    ww_knn_destroy(&knn);
    return status;
}

// The case's parameters, or those that are chosen; choosing is timed warm.
static ww_status take_parameters(const lsh_case *c, ww_points *points, lsh_times *t) {
    const ww_lsh_options defaults = WW_LSH_OPTIONS_INIT;
    ww_lsh_target target = WW_LSH_TARGET_INIT;
    ww_status status = WW_OK;
    t->options = defaults;
    t->info = (ww_lsh_info)WW_LSH_INFO_INIT;
    t->options.tables = c->tables;
    t->options.functions = c->functions;
    t->options.width = c->width;
    t->options.probes = c->probes;
    t->options.path = c->path;
    t->options.candidates = 4096;
    target.k = c->k;
    target.recall = c->recall;
    for (int run = 0; c->tables == 0 && status == WW_OK && run < 2; run++) {
        const double start = bench_seconds();
        status = ww_lsh_choose(points, &target, &t->options, NULL);
        t->choose = bench_seconds() - start;
    }
    return status;
}

static ww_status measure(const bench *b, const lsh_case *c, size_t n, lsh_times *t) {
    enum { RUNS = 5 };
    const size_t size = c->precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
    double build[RUNS], search[RUNS];
    float *values = bench_cloud_make(c->cloud, n, c->dimension, 1);
    void *exact = malloc(n * c->k * size), *found = malloc(n * c->k * size);
    int64_t *ids = malloc(n * c->k * sizeof *ids);
    ww_points *points = NULL;
    ww_lsh *lsh = NULL;
    ww_status status = values && exact && found && ids ? WW_OK : WW_ERROR_OUT_OF_MEMORY;
    if (status == WW_OK)
        status = bench_points_upload(b, values, n, c->dimension, c->precision, &points);
    if (status == WW_OK)
        status = exact_search(points, c->k, ids, exact, &t->exact);
    if (status == WW_OK)
        t->error = bench_points_verify(values, n, NULL, n, c->dimension, WW_METRIC_L2, c->k, ids, exact, c->precision,
                                       &t->verified);
    if (status == WW_OK)
        status = take_parameters(c, points, t);
    // The first run pays for compilation.
    for (int run = -1; status == WW_OK && run < RUNS; run++) {
        ww_lsh_destroy(&lsh);
        status = ww_lsh_create(points, &t->options, &lsh);
        if (status == WW_OK)
            status = ww_lsh_run(lsh, NULL, c->k, ids, found, NULL);
        if (status == WW_OK)
            status = ww_lsh_get_info(lsh, &t->info);
        if (run >= 0) {
            build[run] = t->info.seconds_build;
            search[run] = t->info.seconds_search;
        }
    }
    if (status == WW_OK) {
        t->build = bench_summary(build, RUNS).median;
        t->search = bench_summary(search, RUNS).median;
        t->recall = ww_knn_recall(exact, found, n, c->k, c->precision);
        t->ratio = distance_ratio(exact, found, n * c->k, c->precision);
    }
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    free(ids);
    free(found);
    free(exact);
    free(values);
    return status;
}

static int run_case(const bench *b, const lsh_case *c) {
    size_t n = b->device.type == WW_DEVICE_GPU ? c->count : c->cpu_count;
    lsh_times t;
    memset(&t, 0, sizeof t);
    const ww_status status = measure(b, c, n, &t);
    if (status != WW_OK)
        return bench_failure(c->name, status);
    // The least recall is that of the full size: fewer points are farther apart. A chosen one is checked on a sample of
    // 512 queries.
    const double least = n == c->count || c->tables == 0 ? c->recall - (c->tables == 0 ? 0.03 : 0) : 0;
    bench_report report = {.name = c->name,
                           .metric = ww_word(WW_WORD_METRIC, WW_METRIC_L2),
                           .precision = c->precision,
                           .wall = bench_summary(&t.search, 1),
                           .verified = t.verified,
                           .error = t.recall >= least ? t.error : INFINITY,
                           .allowed = 2e-5};
    const double per_query = (double)t.info.examined / (double)n;
    const ww_lsh_options *o = &t.options;
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, &report, &json);
        cli_json_count(&json, "points", n);
        cli_json_count(&json, "dimension", c->dimension);
        cli_json_count(&json, "k", c->k);
        cli_json_count(&json, "tables", o->tables);
        cli_json_count(&json, "functions", o->functions);
        cli_json_number(&json, "width", o->width, 17);
        cli_json_count(&json, "probes", o->probes);
        cli_json_number(&json, "seconds_choose", t.choose, 6);
        cli_json_number(&json, "seconds_build", t.build, 6);
        cli_json_number(&json, "seconds_search", t.search, 6);
        cli_json_number(&json, "seconds_exact", t.exact, 6);
        cli_json_number(&json, "recall", t.recall, 5);
        cli_json_number(&json, "distance_ratio", t.ratio, 5);
        cli_json_number(&json, "examined_per_query", per_query, 5);
        cli_json_count(&json, "capped", t.info.capped);
        cli_json_count(&json, "incomplete", t.info.incomplete);
        cli_json_count(&json, "bytes", t.info.bytes);
        cli_json_number(&json, "published_seconds", c->published_seconds, 6);
        cli_json_number(&json, "published_recall", c->published_recall, 6);
        bench_json_end(&report, &json);
    } else {
        printf("%-28s %4u %3u %6.2f %4u %8.2f %8.2f %9.2f %7.1fx %7.4f %7.4f %9.1f %7.1f %6.2f %6.3f  %s\n", c->name,
               o->tables, o->functions, o->width, o->probes, 1e3 * t.build, 1e3 * t.search, 1e3 * t.exact,
               t.exact / (t.build + t.search), t.recall, t.ratio, per_query, (double)t.info.bytes / 1e6,
               c->published_seconds, c->published_recall, bench_right(&report) ? "" : "WRONG");
    }
    fflush(stdout);
    return !bench_right(&report);
}

static void print_header(void) {
    printf("\n%-28s %4s %3s %6s %4s %8s %8s %9s %8s %7s %7s %9s %7s %6s %6s\n", "case", "L", "M", "W", "T", "build ms",
           "srch ms", "exact ms", "speed-up", "recall", "ratio", "met/q", "MB", "publ s", "recall");
}

size_t bench_lsh(const bench *b, int *failed) {
    size_t ran = 0;
    for (size_t i = 0; i < CLI_COUNT_OF(CASES); i++) {
        const lsh_case *c = &CASES[i];
        if (c->precision == WW_DOUBLE && !b->options.list && !b->device.has_double)
            continue;
        if (bench_begin(b, c->name, c->quick, print_header, &ran))
            *failed |= run_case(b, c);
    }
    return ran;
}
