// SPDX-License-Identifier: Apache-2.0
// Indices of series: time of build and search, and recall against the exact search of the same device in the same run,
// whose distances the found ones must have.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct index_case {
    const char *name;
    ww_generator kind;
    size_t count, cpu_count;
    double recall;
    int quick;
} index_case;

// Z-normalised series of LENGTH points under DTW with a band of a tenth, and queries of the same kind.
enum { LENGTH = 128, K = 10, QUERIES = 500, GPU_QUERIES = 50000 };

static const index_case CASES[] = {
    {"index/random-walk", WW_GENERATE_RANDOM_WALK, 1000000, 50000, 0.95, 0},
    {"index/cbf", WW_GENERATE_CBF, 1000000, 50000, 0.95, 0},
    {"index/two-patterns", WW_GENERATE_TWO_PATTERNS, 1000000, 50000, 0.95, 0},
    {"index/random-walk/6000", WW_GENERATE_RANDOM_WALK, 6000, 6000, 0.95, 1},
    {"index/cbf/6000", WW_GENERATE_CBF, 6000, 6000, 0.95, 0},
    {"index/two-patterns/6000", WW_GENERATE_TWO_PATTERNS, 6000, 6000, 0.95, 0},
};

typedef struct index_times {
    double search, exact; // seconds of a query
    double recall, error;
    size_t exact_queries;
    ww_index_info info;
} index_times;

typedef struct subject {
    ww_measure measure;
    ww_dataset *base, *queries, *few; // few: those that are searched exactly
    ww_index *index;
    int64_t *ids, *exact_ids;
    float *found, *exact;
} subject;

static void subject_end(subject *s) {
    ww_index_destroy(&s->index);
    ww_dataset_destroy(&s->few);
    ww_dataset_destroy(&s->queries);
    ww_dataset_destroy(&s->base);
    free(s->ids);
    free(s->exact_ids);
    free(s->found);
    free(s->exact);
}

static ww_status make_set(const bench *b, const index_case *c, size_t count, uint64_t seed, ww_dataset **dataset) {
    ww_generate_options o = WW_GENERATE_OPTIONS_INIT;
    ww_series_set *set = NULL;
    o.count = count;
    o.length = LENGTH;
    o.seed = seed;
    ww_status status = ww_series_set_generate(c->kind, &o, &set);
    if (status == WW_OK)
        status = ww_series_set_znormalise(set);
    if (status == WW_OK)
        status = ww_dataset_create_from_set(b->context, set, NULL, dataset);
    ww_series_set_destroy(&set);
    return status;
}

static ww_status search_exactly(subject *s, index_times *t) {
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_nearest(&s->measure, s->few, s->base, K, NULL, &plan);
    for (int run = 0; status == WW_OK && run < 2; run++) {
        const double start = bench_seconds();
        status = ww_plan_run_nearest(plan, s->exact_ids, s->exact);
        t->exact = (bench_seconds() - start) / (double)t->exact_queries;
    }
    ww_plan_destroy(&plan);
    return status;
}

static ww_status search(subject *s, size_t queries, index_times *t) {
    enum { RUNS = 5 };
    double seconds[RUNS];
    ww_status status = WW_OK;
    for (int run = -1; status == WW_OK && run < RUNS; run++) {
        status = ww_index_search(s->index, s->queries, K, s->ids, s->found);
        if (status == WW_OK)
            status = ww_index_get_info(s->index, &t->info);
        if (run >= 0)
            seconds[run] = t->info.seconds_search;
    }
    if (status == WW_OK)
        t->search = bench_summary(seconds, RUNS).median / (double)queries;
    return status;
}

// What both found has the same distance.
static void compare(const subject *s, index_times *t) {
    t->recall = ww_knn_recall(s->exact, s->found, t->exact_queries, K, WW_FLOAT);
    for (size_t i = 0; i < t->exact_queries; i++)
        for (size_t j = 0; j < K; j++)
            for (size_t e = 0; e < K; e++)
                if (s->ids[i * K + j] == s->exact_ids[i * K + e])
                    t->error = fmax(t->error, fabs((double)s->found[i * K + j] / (double)s->exact[i * K + e] - 1));
}

static ww_status measure(const bench *b, const index_case *c, size_t count, size_t queries, index_times *t) {
    subject s;
    ww_index_options o = WW_INDEX_OPTIONS_INIT;
    ww_index_target target = WW_INDEX_TARGET_INIT;
    memset(&s, 0, sizeof s);
    target.recall = c->recall;
    o.target = &target;
    t->exact_queries = QUERIES;
    s.ids = malloc(queries * K * sizeof *s.ids);
    s.exact_ids = malloc(QUERIES * K * sizeof *s.exact_ids);
    s.found = malloc(queries * K * sizeof *s.found);
    s.exact = malloc(QUERIES * K * sizeof *s.exact);
    ww_status status = s.ids && s.exact_ids && s.found && s.exact ? WW_OK : WW_ERROR_OUT_OF_MEMORY;
    if (status == WW_OK)
        status = ww_measure_init(&s.measure, sizeof s.measure, WW_DTW);
    if (status == WW_OK)
        status = ww_measure_set_text(&s.measure, "band=sakoe-chiba:10%", LENGTH);
    if (status == WW_OK)
        status = make_set(b, c, count, 5, &s.base);
    if (status == WW_OK)
        status = make_set(b, c, queries, 6, &s.queries);
    if (status == WW_OK) // a larger set begins with the smaller one
        status = make_set(b, c, QUERIES, 6, &s.few);
    if (status == WW_OK)
        status = ww_index_create(&s.measure, s.base, &o, &s.index);
    if (status == WW_OK)
        status = search(&s, queries, t);
    if (status == WW_OK)
        status = search_exactly(&s, t);
    if (status == WW_OK)
        compare(&s, t);
    subject_end(&s);
    return status;
}

static int run_case(const bench *b, const index_case *c) {
    const bool gpu = b->device.type == WW_DEVICE_GPU;
    const size_t count = gpu ? c->count : c->cpu_count, queries = gpu ? GPU_QUERIES : QUERIES;
    index_times t;
    memset(&t, 0, sizeof t);
    t.info = (ww_index_info)WW_INDEX_INFO_INIT;
    const ww_status status = measure(b, c, count, queries, &t);
    if (status != WW_OK)
        return bench_failure(c->name, status);
    const ww_index_info *i = &t.info;
    bench_report report = {.name = c->name,
                           .metric = "dtw",
                           .precision = WW_FLOAT,
                           .wall = bench_summary(&t.search, 1),
                           .verified = t.exact_queries * K,
                           .error = t.recall >= c->recall - 0.03 ? t.error : INFINITY,
                           .allowed = 1e-5};
    const double per_query = (double)i->examined / (double)queries, build = i->seconds_build - i->seconds_choose;
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, &report, &json);
        cli_json_count(&json, "series", count);
        cli_json_count(&json, "k", K);
        cli_json_count(&json, "beam", i->beam);
        cli_json_count(&json, "entries", i->entries);
        cli_json_flag(&json, "exact", i->exact);
        cli_json_number(&json, "seconds_build", build, 6);
        cli_json_number(&json, "seconds_choose", i->seconds_choose, 6);
        cli_json_number(&json, "queries_a_second", 1 / t.search, 6);
        cli_json_number(&json, "exact_queries_a_second", 1 / t.exact, 6);
        cli_json_number(&json, "recall", t.recall, 5);
        cli_json_number(&json, "recall_measured", i->recall, 5);
        cli_json_number(&json, "recall_low", i->recall_low, 5);
        cli_json_number(&json, "recall_high", i->recall_high, 5);
        cli_json_number(&json, "examined_per_query", per_query, 5);
        cli_json_number(&json, "build_distances_per_series", (double)i->build_distances / (double)count, 5);
        bench_json_end(&report, &json);
    } else {
        printf("%-24s %8zu %8.2f %8.2f %5u %5zu %10.1f %10.1f %7.1fx %7.4f %7.4f %9.1f  %s\n", c->name, count, build,
               i->seconds_choose, i->beam, i->entries, 1 / t.search, 1 / t.exact, t.exact / t.search, t.recall,
               i->recall_low, per_query, bench_right(&report) ? "" : "WRONG");
    }
    fflush(stdout);
    return !bench_right(&report);
}

static void print_header(void) {
    printf("\n%-24s %8s %8s %8s %5s %5s %10s %10s %8s %7s %7s %9s\n", "case", "series", "build s", "choose s", "beam",
           "entr", "queries/s", "exact q/s", "speed-up", "recall", "low", "met/q");
}

size_t bench_index(const bench *b, int *failed) {
    size_t ran = 0;
    for (size_t i = 0; i < CLI_COUNT_OF(CASES); i++)
        if (bench_begin(b, CASES[i].name, CASES[i].quick, print_header, &ran))
            *failed |= run_case(b, &CASES[i]);
    return ran;
}
