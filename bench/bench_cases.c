// SPDX-License-Identifier: Apache-2.0
// Cases of series: the table, whose names are those of docs/performance.md, and how a case's figures are printed.
#include <string.h>

#include "bench.h"

#define QUERY(n, in_quick)                                                                                             \
    { "dtw/query/" #n, BENCH_MATRIX, WW_DTW, WW_FLOAT, 0, 1, 0, 0, n, n, in_quick, 0, "", "" }
#define BAND(n, in_quick)                                                                                              \
    { "dtw/band10/" #n, BENCH_MATRIX, WW_DTW, WW_FLOAT, 0.1, 1, 0, 0, n, n, in_quick, 0, "", "" }
#define DOUBLE(n, in_quick)                                                                                            \
    { "dtw/double/" #n, BENCH_MATRIX, WW_DTW, WW_DOUBLE, 0, 1, 0, 0, n, n, in_quick, 0, "", "" }
// One query against many under any measure.
#define OTHER(name, measure, precision, n, in_quick)                                                                   \
    { name "/" #n, BENCH_MATRIX, measure, precision, 0, 1, 0, 0, n, n, in_quick, 0, "", "" }
// As many queries as series.
#define MANY(name, measure, n, in_quick)                                                                               \
    { name "/many/" #n, BENCH_MATRIX, measure, WW_FLOAT, 0, 0, 0, 0, n, n, in_quick, 0, "", "" }
#define TWED_PAIR(n, in_quick, cpu)                                                                                    \
    { "twed/pair/" #n "x" #n, BENCH_MATRIX, WW_TWED, WW_FLOAT, 0, 1, 1, n, n, n, in_quick, 0, "", cpu }
#define SYMBOL_PAIR(name, measure, n, in_quick, cpu)                                                                   \
    { name "/pair/" #n "x" #n, BENCH_MATRIX, measure, WW_FLOAT, 0, 1, 1, n, n, n, in_quick, 0, "", cpu }
#define PAIR(n, m, in_quick, gpu, cpu)                                                                                 \
    { "dtw/pair/" #n "x" #m, BENCH_MATRIX, WW_DTW, WW_FLOAT, 0, 1, 1, n, m, m, in_quick, 0, gpu, cpu }
#define CALL(name, measure, in_quick)                                                                                  \
    { name "/call/150x150", BENCH_CALL, measure, WW_DOUBLE, 0, 16, 16, 0, 150, 150, in_quick, 0, "", "" }
#define NEAREST(name, length, share, in_quick, no_bounds)                                                              \
    { name, BENCH_NEAREST, WW_DTW, WW_FLOAT, share, 64, 4096, 0, length, length, in_quick, no_bounds, "", "" }

static const bench_case CASES[] = {
    // One query against many, data resident.
    QUERY(64, 0),
    QUERY(90, 0),
    QUERY(100, 0),
    QUERY(128, 1),
    QUERY(256, 0),
    QUERY(500, 0),
    QUERY(512, 1),
    QUERY(1000, 1),
    QUERY(1024, 0),
    QUERY(2048, 0),
    QUERY(4096, 0),
    // Many against many, any mix of lengths; rates are per useful cell.
    {"dtw/mixed/50-1000", BENCH_MATRIX, WW_DTW, WW_FLOAT, 0, 0, 0, 0, 50, 1000, 1, 0, "", ""},
    // Sakoe-Chiba, 10 % of the length; rates are per cell in the band.
    BAND(128, 0),
    BAND(256, 0),
    BAND(512, 1),
    BAND(1024, 0),
    BAND(2048, 0),
    // One pair alone.
    PAIR(16384, 16384, 1, "", ""),
    PAIR(131072, 131072, 0, "", "takes minutes on a CPU"),
    PAIR(1000000, 1000, 0, "", ""),
    PAIR(1000, 1000000, 0, "", ""),
    DOUBLE(128, 1),
    DOUBLE(512, 0),
    DOUBLE(1024, 0),
    DOUBLE(2048, 0),
    OTHER("frechet/query", WW_FRECHET, WW_FLOAT, 128, 1),
    OTHER("frechet/query", WW_FRECHET, WW_FLOAT, 512, 0),
    OTHER("frechet/query", WW_FRECHET, WW_FLOAT, 2048, 0),
    {"frechet/mixed/50-1000", BENCH_MATRIX, WW_FRECHET, WW_FLOAT, 0, 0, 0, 0, 50, 1000, 0, 0, "", ""},
    // The other measures.
    OTHER("adtw/query", WW_ADTW, WW_FLOAT, 128, 0),
    OTHER("adtw/query", WW_ADTW, WW_FLOAT, 512, 1),
    OTHER("wdtw/query", WW_WDTW, WW_FLOAT, 128, 0),
    OTHER("wdtw/query", WW_WDTW, WW_FLOAT, 512, 1),
    OTHER("ddtw/query", WW_DDTW, WW_FLOAT, 512, 0),
    OTHER("wddtw/query", WW_WDDTW, WW_FLOAT, 512, 0),
    OTHER("erp/query", WW_ERP, WW_FLOAT, 128, 0),
    OTHER("erp/query", WW_ERP, WW_FLOAT, 512, 1),
    OTHER("edr/query", WW_EDR, WW_FLOAT, 128, 0),
    OTHER("edr/query", WW_EDR, WW_FLOAT, 512, 1),
    OTHER("lcss/query", WW_LCSS, WW_FLOAT, 128, 0),
    OTHER("lcss/query", WW_LCSS, WW_FLOAT, 512, 1),
    OTHER("msm/query", WW_MSM, WW_FLOAT, 128, 0),
    OTHER("msm/query", WW_MSM, WW_FLOAT, 512, 1),
    OTHER("twed/query", WW_TWED, WW_FLOAT, 128, 0),
    OTHER("twed/query", WW_TWED, WW_FLOAT, 256, 0),
    OTHER("twed/query", WW_TWED, WW_FLOAT, 512, 1),
    OTHER("twed/query", WW_TWED, WW_FLOAT, 1024, 0),
    OTHER("twed/double", WW_TWED, WW_DOUBLE, 128, 0),
    OTHER("twed/double", WW_TWED, WW_DOUBLE, 512, 0),
    TWED_PAIR(16384, 1, ""),
    TWED_PAIR(65536, 0, "takes minutes on a CPU"),
    TWED_PAIR(131072, 0, "takes minutes on a CPU"),
    OTHER("levenshtein/query", WW_LEVENSHTEIN, WW_FLOAT, 512, 1),
    OTHER("lcs/query", WW_LCS, WW_FLOAT, 512, 1),
    // Enough pairs for every lane of a vector engine.
    MANY("adtw", WW_ADTW, 250, 0),
    MANY("wdtw", WW_WDTW, 250, 0),
    MANY("erp", WW_ERP, 250, 0),
    MANY("edr", WW_EDR, 250, 0),
    MANY("lcss", WW_LCSS, 250, 0),
    MANY("msm", WW_MSM, 250, 0),
    MANY("twed", WW_TWED, 250, 0),
    MANY("levenshtein", WW_LEVENSHTEIN, 512, 1),
    MANY("lcs", WW_LCS, 512, 1),
    SYMBOL_PAIR("levenshtein", WW_LEVENSHTEIN, 16384, 1, ""),
    SYMBOL_PAIR("levenshtein", WW_LEVENSHTEIN, 131072, 0, "its textbook takes minutes"),
    SYMBOL_PAIR("levenshtein", WW_LEVENSHTEIN, 1000000, 0, "its textbook takes minutes"),
    SYMBOL_PAIR("lcs", WW_LCS, 16384, 0, ""),
    SYMBOL_PAIR("lcs", WW_LCS, 1000000, 0, "its textbook takes minutes"),
    // Nearest neighbour with and without lower bounds; rates count the cells that bounds saved as done.
    NEAREST("dtw/nearest/bounds", 128, 0.1, 1, 0),
    NEAREST("dtw/nearest/no-bounds", 128, 0.1, 1, 1),
    NEAREST("dtw/nearest/bounds-1000", 1000, 0.1, 0, 0),
    NEAREST("dtw/nearest/no-bounds-1000", 1000, 0.1, 0, 1),
    // ww_distance() of one pair, from call to return.
    CALL("dtw", WW_DTW, 1),
    CALL("frechet", WW_FRECHET, 0),
    CALL("adtw", WW_ADTW, 0),
    CALL("wdtw", WW_WDTW, 0),
    CALL("ddtw", WW_DDTW, 0),
    CALL("wddtw", WW_WDDTW, 0),
    CALL("erp", WW_ERP, 0),
    CALL("edr", WW_EDR, 0),
    CALL("lcss", WW_LCSS, 0),
    CALL("msm", WW_MSM, 0),
    CALL("twed", WW_TWED, 0),
    CALL("levenshtein", WW_LEVENSHTEIN, 0),
    CALL("lcs", WW_LCS, 0),
    // The whole program, start to accuracy.
    {"program/classify/GunPoint", BENCH_PROGRAM, WW_DTW, WW_FLOAT, 0, 0, 0, 0, 150, 150, 1, 0, "", ""},
};

// ---- reports

static void print_json(const bench *b, const bench_report *report, const bench_case *c, const bench_result *r) {
    cli_json json;
    bench_json_begin(b, report, &json);
    cli_json_count(&json, "rows", r->rows);
    cli_json_count(&json, "columns", r->columns);
    cli_json_count(&json, "cells", r->cells);
    cli_json_number(&json, "seconds_upload", r->upload, 6);
    cli_json_number(&json, "seconds_plan", r->plan, 6);
    cli_json_number(&json, "gcups", r->cups * 1e-9, 6);
    if (r->textbook > 0)
        cli_json_number(&json, "textbook_gcups", r->textbook * 1e-9, 4);
    if (c->job == BENCH_NEAREST) {
        cli_json_count(&json, "pairs_pruned", r->pruned);
        cli_json_count(&json, "pairs_abandoned", r->abandoned);
    }
    cli_json_text(&json, "note", r->note);
    bench_json_end(report, &json);
}

static void print_header(void) {
    printf("%-28s %-8s %10s %11s %11s %7s %10s %9s %9s  %s\n", "case", "engine", "cells", "device ms", "wall ms",
           "spread", "GCUPS", "textbook", "error", "");
}

static void print_row(const bench_report *report, const bench_result *r) {
    const bench_times *times = r->device.count ? &r->device : &r->wall;
    char device[32] = "-", ratio[32];
    if (r->device.count)
        snprintf(device, sizeof device, "%.3f", 1e3 * r->device.median);
    printf("%-28s %-8s %10.3g %11s %11.3f %6.1f%% %10.4g %9s %9.2g  %s%s\n", report->name, r->engine, (double)r->cells,
           device, 1e3 * r->wall.median, 100 * times->spread, r->cups * 1e-9,
           bench_ratio(ratio, sizeof ratio, report->ratio), r->error, bench_right(report) ? "" : "WRONG ", r->note);
}

// ---- running

// "" when the case can run here, else why not.
static const char *reason_to_skip(const bench *b, const bench_case *c) {
    if (c->precision == WW_DOUBLE && !b->device.has_double)
        return "the device has no double";
    return b->device.type == WW_DEVICE_CPU ? c->cpu : c->gpu;
}

// 0: right or skipped; 1: wrong or failed.
static int run_case(const bench *b, const bench_case *c) {
    bench_result result = {.engine = NULL};
    ww_measure measure;
    bench_report report = {.name = c->name, .precision = c->precision};
    ww_status status = bench_measure(c, &measure);
    if (status != WW_OK)
        return bench_failure(c->name, status);
    report.measure = &measure;
    const char *why = reason_to_skip(b, c);
    if (*why)
        return bench_skipped(b, &report, why);
    if (c->job == BENCH_PROGRAM) {
        if (bench_program(b, &result) != 0)
            return bench_skipped(b, &report, result.note);
    } else {
        status = c->job == BENCH_NEAREST ? bench_nearest(b, c, &result)
                 : c->job == BENCH_CALL  ? bench_call(b, c, &result)
                                         : bench_matrix(b, c, &result);
    }
    if (status == WW_ERROR_UNSUPPORTED)
        return bench_skipped(b, &report, ww_last_error()->message);
    if (status != WW_OK)
        return bench_failure(c->name, status);
    report.engine = result.engine;
    report.wall = result.wall;
    report.device = result.device;
    report.ratio = result.textbook > 0 ? result.cups / result.textbook : 0;
    report.verified = result.verified;
    report.error = result.error;
    report.allowed = result.allowed;
    if (b->speeds && c->job != BENCH_PROGRAM && (c->row_length == 0 || c->row_length == c->length))
        bench_speeds_add(b->speeds, c->name, c->max_length, result.cups);
    if (b->options.json)
        print_json(b, &report, c, &result);
    else
        print_row(&report, &result);
    fflush(stdout);
    return !bench_right(&report);
}

size_t bench_series(const bench *b, int *failed) {
    size_t ran = 0;
    for (size_t i = 0; i < CLI_COUNT_OF(CASES); i++)
        if (bench_begin(b, CASES[i].name, CASES[i].quick, print_header, &ran))
            *failed |= run_case(b, &CASES[i]);
    return ran;
}
