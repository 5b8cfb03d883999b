// SPDX-License-Identifier: Apache-2.0
// Locality-sensitive hashing: time of build and search, recall against the exact search on the same device, whose own
// answer is compared with brute force on a sample.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_points.h"

typedef struct lsh_case {
    const char *name;
    bench_cloud cloud;
    size_t count, cpu_count, dimension, k;
    uint32_t tables, functions;
    double width;
    uint32_t probes, candidates;
    double recall; // least that is right; 0: whatever comes
    int quick;
} lsh_case;

static const lsh_case CASES[] = {
    {"lsh/500000x10/k5", BENCH_UNIFORM, 500000, 20000, 10, 5, 10, 15, 1.0, 64, 2048, 0.9, 1},
    {"lsh/500000x10/k5/8x12", BENCH_UNIFORM, 500000, 20000, 10, 5, 8, 12, 0.9, 64, 4096, 0.9, 0},
    {"lsh/500000x10/k5/single-probe", BENCH_UNIFORM, 500000, 20000, 10, 5, 50, 15, 1.3, 1, 2048, 0.9, 0},
    {"lsh/1000000x28/k5", BENCH_MIXTURE, 1000000, 20000, 28, 5, 16, 20, 9.0, 128, 4096, 0, 0},
    {"lsh/thesis/30-50-2.0", BENCH_UNIFORM, 500000, 20000, 10, 5, 30, 50, 2.0, 1, 4096, 0, 0},
    {"lsh/thesis/30-40-2.0", BENCH_UNIFORM, 500000, 20000, 10, 5, 30, 40, 2.0, 1, 4096, 0, 0},
    {"lsh/thesis/50-15-1.0", BENCH_UNIFORM, 500000, 20000, 10, 5, 50, 15, 1.0, 1, 4096, 0, 0},
    {"lsh/thesis/110-20-2.0", BENCH_UNIFORM, 500000, 20000, 10, 5, 110, 20, 2.0, 1, 4096, 0, 0},
};

typedef struct lsh_times {
    double build, search, exact;
    double recall, ratio, error;
    size_t verified;
    ww_lsh_info info;
} lsh_times;

// Mean of the distances found over the exact ones.
static double distance_ratio(const float *exact, const float *found, size_t count) {
    double sum = 0, n = 0;
    for (size_t i = 0; i < count; i++)
        if (exact[i] > 0 && isfinite(found[i])) {
            sum += (double)found[i] / (double)exact[i];
            n++;
        }
    return n > 0 ? sum / n : 1;
}

static ww_status exact_search(ww_points *points, size_t k, int64_t *ids, float *distances, double *seconds) {
    ww_knn *knn = NULL;
    ww_knn_info info = {0};
    ww_status status = ww_knn_create(points, NULL, k, NULL, &knn);
    for (int run = 0; status == WW_OK && run < 2; run++)
        status = ww_knn_run(knn, ids, distances, NULL);
    if (status == WW_OK)
        status = ww_knn_describe(knn, &info);
    *seconds = info.seconds_wall;
    ww_knn_destroy(&knn);
    return status;
}

static ww_status measure(const bench *b, const lsh_case *c, size_t n, lsh_times *t) {
    enum { RUNS = 5 };
    double build[RUNS], search[RUNS];
    float *values = bench_cloud_make(c->cloud, n, c->dimension, 1);
    float *exact = malloc(n * c->k * sizeof *exact), *found = malloc(n * c->k * sizeof *found);
    int64_t *ids = malloc(n * c->k * sizeof *ids);
    ww_points *points = NULL;
    ww_lsh *lsh = NULL;
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    ww_status status = values && exact && found && ids ? WW_OK : WW_ERROR_OUT_OF_MEMORY;
    options.tables = c->tables;
    options.functions = c->functions;
    options.width = c->width;
    options.probes = c->probes;
    options.candidates = c->candidates;
    if (status == WW_OK)
        status = bench_points_upload(b, values, n, c->dimension, WW_FLOAT, &points);
    if (status == WW_OK)
        status = exact_search(points, c->k, ids, exact, &t->exact);
    if (status == WW_OK)
        t->error = bench_points_verify(values, n, NULL, n, c->dimension, WW_METRIC_L2, c->k, ids, exact, WW_FLOAT,
                                       &t->verified);
    // The first run pays for compilation.
    for (int run = -1; status == WW_OK && run < RUNS; run++) {
        ww_lsh_destroy(&lsh);
        status = ww_lsh_create(points, &options, &lsh);
        if (status == WW_OK)
            status = ww_lsh_search(lsh, NULL, c->k, ids, found, NULL);
        if (status == WW_OK)
            status = ww_lsh_describe(lsh, &t->info);
        if (run >= 0) {
            build[run] = t->info.seconds_build;
            search[run] = t->info.seconds_search;
        }
    }
    if (status == WW_OK) {
        t->build = bench_summary(build, RUNS).median;
        t->search = bench_summary(search, RUNS).median;
        t->recall = ww_knn_recall(exact, found, n, c->k, WW_FLOAT);
        t->ratio = distance_ratio(exact, found, n * c->k);
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
    if (status != WW_OK) {
        fprintf(stderr, "wavewarp-bench: %s: %s: %s\n", c->name, ww_status_name(status), ww_last_error()->message);
        return 1;
    }
    // The least recall is that of the full size: fewer points are farther apart.
    const double least = n == c->count ? c->recall : 0;
    const int right = t.error <= 2e-5 && t.recall >= least;
    const double per_query = (double)t.info.examined / (double)n;
    if (b->options.json)
        printf("{\"name\": \"%s\", \"device\": \"%s\", \"version\": \"%s\", \"points\": %zu, \"dimension\": %zu, "
               "\"k\": %zu, "
               "\"tables\": %u, \"functions\": %u, \"width\": %g, \"probes\": %u, \"seconds_build\": %.6g, "
               "\"seconds_search\": %.6g, \"seconds_exact\": %.6g, \"recall\": %.5g, \"distance_ratio\": %.5g, "
               "\"candidates_per_query\": %.5g, \"capped\": %llu, \"incomplete\": %llu, \"bytes\": %llu, "
               "\"verified\": %zu, \"right\": %s}\n",
               c->name, b->device.name, ww_version(), n, c->dimension, c->k, c->tables, c->functions, c->width,
               c->probes, t.build, t.search, t.exact, t.recall, t.ratio, per_query, (unsigned long long)t.info.capped,
               (unsigned long long)t.info.incomplete, (unsigned long long)t.info.bytes, t.verified,
               right ? "true" : "false");
    else
        printf("%-32s %9.3f %9.3f %9.3f %8.1fx %8.4f %8.4f %9.1f %8llu %9.1f  %s\n", c->name, 1e3 * t.build,
               1e3 * t.search, 1e3 * t.exact, t.exact / (t.build + t.search), t.recall, t.ratio, per_query,
               (unsigned long long)t.info.capped, (double)t.info.bytes / 1e6, right ? "" : "WRONG");
    fflush(stdout);
    return !right;
}

size_t bench_lsh(const bench *b, int *failed) {
    size_t ran = 0;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const lsh_case *c = &CASES[i];
        if (b->options.filter ? !strstr(c->name, b->options.filter) : b->options.quick && !c->quick)
            continue;
        if (ran++ == 0 && !b->options.json && !b->options.list)
            printf("\n%-32s %9s %9s %9s %9s %8s %8s %9s %8s %9s\n", "case", "build ms", "search ms", "exact ms",
                   "speed-up", "recall", "ratio", "points/q", "capped", "MB");
        if (b->options.list)
            printf("%s\n", c->name);
        else
            *failed |= run_case(b, c);
    }
    return ran;
}
