// SPDX-License-Identifier: Apache-2.0
// The clock, the summary of samples, and random numbers of the bench.
#include "bench.h"

#include <stdlib.h>
#include <time.h>

double bench_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_times bench_summary(double *samples, size_t count) {
    bench_times times = {0, 0, 0, count};
    if (count == 0)
        return times;
    qsort(samples, count, sizeof *samples, by_value);
    times.minimum = samples[0];
    times.median = (samples[(count - 1) / 2] + samples[count / 2]) / 2;
    times.spread = times.median > 0 ? (samples[count - 1] - samples[0]) / times.median : 0;
    return times;
}

bench_runs bench_runs_begin(const bench *b, size_t most) {
    return (bench_runs){.begin = bench_seconds(), .seconds = b->options.quick ? 0.2 : 1, .most = most};
}

bool bench_runs_go_on(const bench_runs *r) {
    return r->count < r->most && (r->count < 3 || bench_seconds() - r->begin < r->seconds);
}

void bench_runs_add(bench_runs *r, double device, double wall) {
    r->device[r->count] = device;
    r->wall[r->count++] = wall;
}

// xorshift64* (Vigna 2016).
uint64_t bench_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}
