// SPDX-License-Identifier: Apache-2.0
// What is measured. The names are those of docs/performance.md.
#include "bench.h"

#define QUERY(n, in_quick)                                                                                             \
    { "dtw/query/" #n, BENCH_MATRIX, WW_DTW, WW_FLOAT, 0, 1, 0, 0, n, n, in_quick, 0, "", "" }
#define BAND(n, in_quick)                                                                                              \
    { "dtw/band10/" #n, BENCH_MATRIX, WW_DTW, WW_FLOAT, 0.1, 1, 0, 0, n, n, in_quick, 0, "", "" }
#define DOUBLE(n, in_quick)                                                                                            \
    { "dtw/double/" #n, BENCH_MATRIX, WW_DTW, WW_DOUBLE, 0, 1, 0, 0, n, n, in_quick, 0, "", "" }
#define FRECHET(n, in_quick)                                                                                           \
    { "frechet/query/" #n, BENCH_MATRIX, WW_FRECHET, WW_FLOAT, 0, 1, 0, 0, n, n, in_quick, 0, "", "" }
#define PAIR(n, m, in_quick, gpu, cpu)                                                                                 \
    { "dtw/pair/" #n "x" #m, BENCH_MATRIX, WW_DTW, WW_FLOAT, 0, 1, 1, n, m, m, in_quick, 0, gpu, cpu }
#define NEAREST(name, length, share, in_quick, no_bounds)                                                              \
    { name, BENCH_NEAREST, WW_DTW, WW_FLOAT, share, 64, 4096, 0, length, length, in_quick, no_bounds, "", "" }

static const bench_case CASES[] = {
    // One query against many, data resident.
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
    // One pair alone.
    PAIR(16384, 16384, 1, "", ""),
    PAIR(131072, 131072, 0, "", "takes minutes on a CPU"),
    PAIR(1000000, 1000, 0, "", ""),
    PAIR(1000, 1000000, 0, "", ""),
    DOUBLE(128, 1),
    DOUBLE(512, 0),
    DOUBLE(1024, 0),
    DOUBLE(2048, 0),
    FRECHET(128, 1),
    FRECHET(512, 0),
    FRECHET(2048, 0),
    {"frechet/mixed/50-1000", BENCH_MATRIX, WW_FRECHET, WW_FLOAT, 0, 0, 0, 0, 50, 1000, 0, 0, "", ""},
    // Nearest neighbour with and without lower bounds; rates count the cells that bounds saved as done.
    NEAREST("dtw/nearest/bounds", 128, 0.1, 1, 0),
    NEAREST("dtw/nearest/no-bounds", 128, 0.1, 1, 1),
    NEAREST("dtw/nearest/bounds-1000", 1000, 0.1, 0, 0),
    NEAREST("dtw/nearest/no-bounds-1000", 1000, 0.1, 0, 1),
    // The whole program, start to accuracy.
    {"program/classify/GunPoint", BENCH_PROGRAM, WW_DTW, WW_FLOAT, 0, 0, 0, 0, 150, 150, 1, 0, "", ""},
};

const bench_case *bench_cases(size_t *count) {
    *count = sizeof CASES / sizeof CASES[0];
    return CASES;
}
