// SPDX-License-Identifier: Apache-2.0
// Exact nearest neighbours of points: time, rate, and a sample of the queries against brute force in double.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/reference/knn_reference.h"
#include "bench.h"
#include "bench_points.h"

typedef struct knn_case {
    const char *name;
    bench_cloud cloud;
    size_t queries, count, cpu_queries, cpu_count; // queries 0: all against all
    size_t dimension, k;
    ww_metric metric;
    ww_precision precision;
    int quick;
} knn_case;

static const knn_case CASES[] = {
    {"knn/500000x10/k5", BENCH_UNIFORM, 0, 500000, 0, 60000, 10, 5, WW_METRIC_L2, WW_FLOAT, 1},
    {"knn/1000000x28/k5", BENCH_MIXTURE, 0, 1000000, 0, 20000, 28, 5, WW_METRIC_L2, WW_FLOAT, 0},
    {"knn/10000-1000000x128/k100", BENCH_MIXTURE, 10000, 1000000, 1000, 20000, 128, 100, WW_METRIC_L2, WW_FLOAT, 0},
    {"knn/all-against-all-128/k5", BENCH_UNIFORM, 0, 100000, 0, 5000, 128, 5, WW_METRIC_L2, WW_FLOAT, 1},
    {"knn/500000x16/k5", BENCH_UNIFORM, 0, 500000, 0, 20000, 16, 5, WW_METRIC_L2, WW_FLOAT, 0},
    {"knn/l1/500000x10/k5", BENCH_UNIFORM, 0, 500000, 0, 20000, 10, 5, WW_METRIC_L1, WW_FLOAT, 0},
    {"knn/cosine/10000-1000000x128/k10", BENCH_MIXTURE, 10000, 1000000, 1000, 20000, 128, 10, WW_METRIC_COSINE,
     WW_FLOAT, 0},
    {"knn/double/100000x10/k5", BENCH_UNIFORM, 0, 100000, 0, 10000, 10, 5, WW_METRIC_L2, WW_DOUBLE, 0},
    {"knn/500000x10/k1000", BENCH_UNIFORM, 10000, 500000, 200, 20000, 10, 1000, WW_METRIC_L2, WW_FLOAT, 0},
};

// ---- points

static double gauss(uint64_t *state) {
    const double u = ((double)(bench_random(state) >> 11) + 0.5) * 0x1p-53;
    const double v = (double)(bench_random(state) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

float *bench_cloud_make(bench_cloud kind, size_t count, size_t dimension, uint64_t seed) {
    enum { CENTRES = 64, FACTORS = 8 };
    float *values = malloc(count * dimension * sizeof *values);
    double *centres = malloc((CENTRES + FACTORS) * dimension * sizeof *centres);
    uint64_t state = 0x9e3779b97f4a7c15u; // the mixture is the same for every seed; its points are not
    if (!values || !centres) {
        free(values);
        free(centres);
        return NULL;
    }
    for (size_t i = 0; i < (CENTRES + FACTORS) * dimension; i++)
        centres[i] = gauss(&state);
    state = seed * 0x2545f4914f6cdd1du + 88172645463325252u;
    for (size_t i = 0; i < count; i++) {
        float *point = values + i * dimension;
        if (kind == BENCH_UNIFORM) {
            for (size_t j = 0; j < dimension; j++)
                point[j] = (float)(bench_random(&state) >> 40) * 0x1p-24f;
            continue;
        }
        if (kind == BENCH_EVENTS) {
            bench_event(&state, point);
            continue;
        }
        const double *centre = centres + bench_random(&state) % CENTRES * dimension;
        double factors[FACTORS];
        for (size_t f = 0; f < FACTORS; f++)
            factors[f] = gauss(&state);
        for (size_t j = 0; j < dimension; j++) {
            double x = centre[j] + 0.3 * gauss(&state);
            for (size_t f = 0; f < FACTORS; f++)
                x += 0.3 * factors[f] * centres[(CENTRES + f) * dimension + j];
            point[j] = (float)x;
        }
    }
    free(centres);
    return values;
}

// ---- one case

typedef struct knn_job {
    const knn_case *c;
    size_t queries, count;
    float *base_values, *query_values; // query_values NULL: all against all
    ww_points *base, *asked;
    ww_knn *knn;
    int64_t *ids;
    void *distances;
    double upload;
} knn_job;

static void job_free(knn_job *j) {
    ww_knn_destroy(&j->knn);
    ww_points_destroy(&j->asked);
    ww_points_destroy(&j->base);
    free(j->base_values);
    free(j->query_values);
    free(j->ids);
    free(j->distances);
}

ww_status bench_points_upload(const bench *b, const float *values, size_t count, size_t dimension,
                              ww_precision precision, ww_points **points) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    view.values = values;
    view.count = count;
    view.dimension = dimension;
    options.precision = precision;
    options.max_bytes = b->options.max_bytes;
    return ww_points_create(b->context, &view, &options, points);
}

static ww_status job_make(const bench *b, const knn_case *c, knn_job *j) {
    const int small = b->device.type != WW_DEVICE_GPU;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    memset(j, 0, sizeof *j);
    j->c = c;
    j->count = small ? c->cpu_count : c->count;
    j->queries = small ? c->cpu_queries : c->queries;
    if (b->options.quick && !small)
        j->count /= 4;
    j->base_values = bench_cloud_make(c->cloud, j->count, c->dimension, 1);
    if (j->queries)
        j->query_values = bench_cloud_make(c->cloud, j->queries, c->dimension, 2);
    const size_t asked = j->queries ? j->queries : j->count;
    j->ids = malloc(asked * c->k * sizeof *j->ids);
    j->distances = malloc(asked * c->k * sizeof(double));
    if (!j->base_values || (j->queries && !j->query_values) || !j->ids || !j->distances)
        return WW_ERROR_OUT_OF_MEMORY;
    const double start = bench_seconds();
    ww_status status = bench_points_upload(b, j->base_values, j->count, c->dimension, c->precision, &j->base);
    if (status == WW_OK && j->queries)
        status = bench_points_upload(b, j->query_values, j->queries, c->dimension, c->precision, &j->asked);
    j->upload = bench_seconds() - start;
    options.metric = c->metric;
    return status == WW_OK ? ww_knn_create(j->base, j->asked, c->k, &options, &j->knn) : status;
}

// Distances of a sample of the queries against brute force. The largest error, relative to 1 or the distance.
double bench_points_verify(const float *base, size_t count, const float *queries, size_t asked, size_t dimension,
                           ww_metric metric, size_t k, const int64_t *ids, const void *distances,
                           ww_precision precision, size_t *verified) {
    enum { SAMPLE = 24 };
    double worst = 0;
    double *all = malloc(count * sizeof *all), *wanted = malloc(k * sizeof *wanted);
    double *points = malloc(2 * dimension * sizeof *points);
    int64_t *wanted_ids = malloc(k * sizeof *wanted_ids);
    uint64_t state = 7;
    *verified = 0;
    for (size_t s = 0; all && wanted && points && wanted_ids && s < SAMPLE && s < asked; s++) {
        const size_t q = bench_random(&state) % asked;
        const float *query = (queries ? queries : base) + q * dimension;
        for (size_t j = 0; j < dimension; j++)
            points[j] = (double)query[j];
        for (size_t c = 0; c < count; c++) {
            for (size_t j = 0; j < dimension; j++)
                points[dimension + j] = (double)base[c * dimension + j];
            all[c] = wwr_point_distance(metric, points, points + dimension, dimension);
        }
        const size_t self = queries ? SIZE_MAX : q;
        wwr_k_smallest(all, count, self, k, wanted_ids, wanted);
        for (size_t i = 0; i < k; i++) {
            const double got = precision == WW_DOUBLE ? ((const double *)distances)[q * k + i]
                                                      : (double)((const float *)distances)[q * k + i];
            const int64_t id = ids[q * k + i];
            const double scale = fmax(fabs(wanted[i]), metric == WW_METRIC_COSINE ? 0.1 : 1e-3);
            if (id < 0 || (size_t)id >= count || (size_t)id == self)
                worst = INFINITY;
            else
                worst = fmax(worst, fmax(fabs(got - wanted[i]), fabs(all[id] - wanted[i])) / scale);
        }
        ++*verified;
    }
    free(wanted_ids);
    free(points);
    free(wanted);
    free(all);
    return *verified ? worst : INFINITY;
}

// Seconds a pair takes textbook C on one core.
static double textbook(const knn_job *j, double seconds) {
    const float *queries = j->query_values ? j->query_values : j->base_values;
    const size_t asked = j->queries ? j->queries : j->count;
    uint32_t *ids = malloc(j->c->k * sizeof *ids);
    float *squares = malloc(j->c->k * sizeof *squares);
    double pairs = 0;
    const double start = bench_seconds();
    for (size_t q = 0; ids && squares && q < asked && bench_seconds() - start < seconds; q++) {
        wwr_knn_float(queries + q * j->c->dimension, j->base_values, j->count, j->c->dimension, j->c->k, ids, squares);
        pairs += (double)j->count;
    }
    free(squares);
    free(ids);
    return (bench_seconds() - start) / pairs;
}

static void report_case(const bench *b, const bench_report *report, const knn_job *j, const ww_knn_info *info) {
    const double rate = (double)info->pairs * (double)j->c->dimension / report->wall.median;
    const size_t asked = j->queries ? j->queries : j->count;
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, report, &json);
        cli_json_count(&json, "queries", asked);
        cli_json_count(&json, "base", j->count);
        cli_json_count(&json, "dimension", j->c->dimension);
        cli_json_count(&json, "k", j->c->k);
        cli_json_count(&json, "pairs", info->pairs);
        cli_json_count(&json, "examined", info->examined);
        cli_json_count(&json, "launches", info->launches);
        cli_json_number(&json, "seconds_upload", j->upload, 6);
        cli_json_number(&json, "coordinates_per_second", rate, 5);
        bench_json_end(report, &json);
    } else {
        bench_row(report, 36, rate, 9, (double)info->examined / (double)asked);
    }
    fflush(stdout);
}

static int run_case(const bench *b, const knn_case *c) {
    enum { MOST = 50 };
    bench_report report = {.name = c->name, .metric = ww_word(WW_WORD_METRIC, c->metric), .precision = c->precision};
    ww_knn_info info = WW_KNN_INFO_INIT;
    knn_job j;
    ww_status status = job_make(b, c, &j);
    report.allowed = c->precision == WW_DOUBLE ? 1e-12 : 2e-5;
    if (status == WW_OK)
        status = ww_knn_run(j.knn, j.ids, j.distances, NULL);
    bench_runs runs = bench_runs_begin(b, MOST);
    while (status == WW_OK && bench_runs_go_on(&runs)) {
        status = ww_knn_run(j.knn, j.ids, j.distances, NULL);
        if (status == WW_OK)
            status = ww_knn_get_info(j.knn, &info);
        bench_runs_add(&runs, info.seconds_device, info.seconds_wall);
    }
    if (status != WW_OK) {
        job_free(&j);
        return status == WW_ERROR_UNSUPPORTED ? bench_skipped(b, &report, ww_last_error()->message)
                                              : bench_failure(c->name, status);
    }
    bench_report_runs(&report, &runs);
    report.engine = info.filter;
    report.error =
        bench_points_verify(j.base_values, j.count, j.query_values, j.queries ? j.queries : j.count, c->dimension,
                            c->metric, c->k, j.ids, j.distances, c->precision, &report.verified);
    if (b->device.type == WW_DEVICE_CPU && c->metric == WW_METRIC_L2)
        report.ratio = textbook(&j, b->options.quick ? 0.1 : 0.5) * (double)info.pairs / report.wall.median;
    report_case(b, &report, &j, &info);
    job_free(&j);
    return !bench_right(&report);
}

// ---- selection alone

enum { SELECT_COLUMNS = 1 << 17, SELECT_K = 32 };
static const char SELECT_NAME[] = "knn/select/131072/k32";

// The largest difference of a few rows from what sorting finds; infinity where an index is wrong.
static double select_error(const float *values, size_t rows, const int64_t *indices, const float *smallest) {
    double worst = 0, wanted[SELECT_K], *row = malloc(SELECT_COLUMNS * sizeof *row);
    int64_t wanted_ids[SELECT_K];
    for (size_t r = 0; row && r < rows; r += rows / 8 + 1) {
        for (size_t c = 0; c < SELECT_COLUMNS; c++)
            row[c] = (double)values[r * SELECT_COLUMNS + c];
        wwr_k_smallest(row, SELECT_COLUMNS, SIZE_MAX, SELECT_K, wanted_ids, wanted);
        for (size_t i = 0; i < SELECT_K; i++)
            worst = wanted_ids[i] != indices[r * SELECT_K + i]
                        ? INFINITY
                        : fmax(worst, fabs(wanted[i] - (double)smallest[r * SELECT_K + i]));
    }
    free(row);
    return row ? worst : INFINITY;
}

static void report_select(const bench *b, const bench_report *report, size_t rows) {
    const double bytes = (double)rows * SELECT_COLUMNS * sizeof(float) / bench_report_seconds(report);
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, report, &json);
        cli_json_count(&json, "rows", rows);
        cli_json_count(&json, "columns", SELECT_COLUMNS);
        cli_json_count(&json, "k", SELECT_K);
        cli_json_number(&json, "bytes_per_second", bytes, 5);
        bench_json_end(report, &json);
    } else {
        printf("%-36s %-7s %11.3f %11.3f %6.1f%% %7.1f GB/s %19s %9.2g  %s\n", SELECT_NAME, "-",
               1e3 * report->device.median, 1e3 * report->wall.median, 100 * report->wall.spread, bytes * 1e-9, "",
               report->error, bench_right(report) ? "" : "WRONG");
    }
}

static int run_select(const bench *b) {
    enum { MOST = 50 };
    const size_t rows = b->device.type == WW_DEVICE_GPU ? 4096 : 64, total = rows * SELECT_COLUMNS;
    float *values = malloc(total * sizeof *values), *smallest = malloc(rows * SELECT_K * sizeof *smallest);
    int64_t *indices = malloc(rows * SELECT_K * sizeof *indices);
    bench_report report = {.name = SELECT_NAME, .error = INFINITY};
    uint64_t state = 88172645463325252u;
    ww_topk *select = NULL;
    ww_status status = values && smallest && indices ? WW_OK : WW_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; status == WW_OK && i < total; i++)
        values[i] = (float)(bench_random(&state) >> 40) * 0x1p-24f;
    if (status == WW_OK)
        status = ww_topk_create(b->context, rows, SELECT_COLUMNS, SELECT_K, NULL, &select);
    if (status == WW_OK)
        status = ww_topk_run(select, values, indices, smallest);
    bench_runs runs = bench_runs_begin(b, MOST);
    while (status == WW_OK && bench_runs_go_on(&runs)) {
        const double start = bench_seconds();
        ww_topk_info info = WW_TOPK_INFO_INIT;
        status = ww_topk_run(select, NULL, indices, smallest);
        const double wall = bench_seconds() - start;
        if (status == WW_OK)
            status = ww_topk_get_info(select, &info);
        bench_runs_add(&runs, info.seconds_device, wall);
    }
    if (status == WW_OK) {
        report.error = select_error(values, rows, indices, smallest);
        report.verified = 1 + (rows - 1) / (rows / 8 + 1); // see select_error()
        bench_report_runs(&report, &runs);
        report_select(b, &report, rows);
    } else {
        bench_failure(SELECT_NAME, status);
    }
    ww_topk_destroy(&select);
    free(values);
    free(smallest);
    free(indices);
    return !bench_right(&report);
}

static void print_header(void) {
    printf("\n%-36s %-7s %11s %11s %7s %10s %9s %9s %9s\n", "case", "filter", "device ms", "wall ms", "spread",
           "Gcoord/s", "exact/q", "textbook", "error");
}

size_t bench_knn(const bench *b, int *failed) {
    size_t ran = 0;
    for (size_t i = 0; i < CLI_COUNT_OF(CASES); i++) {
        const knn_case *c = &CASES[i];
        if (c->precision == WW_DOUBLE && !b->options.list && !b->device.has_double)
            continue;
        if (bench_begin(b, c->name, c->quick, print_header, &ran))
            *failed |= run_case(b, c);
    }
    if (bench_begin(b, SELECT_NAME, 0, print_header, &ran))
        *failed |= run_select(b);
    return ran;
}
