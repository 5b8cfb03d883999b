// SPDX-License-Identifier: Apache-2.0
// k medoids: greedy first medoids, then exchanges that are made as soon as one lowers the cost (FasterPAM).
#include <stdlib.h>
#include <string.h>

#include <wavewarp/cluster.h>

#include "base/run.h"
#include "host.h"
#include "learn/condensed.h"
#include "learn/labels.h"
#include "options.h"

// Read between two calls of the progress function: some hundredths of a second.
#define REPORT_DISTANCES (UINT64_C(1) << 22)

typedef struct job {
    wwi_condensed distances;
    size_t k;
    size_t *medoids;
    size_t *nearest, *second; // of each item: positions in `medoids`; second unused where k = 1
    double *to_nearest, *to_second;
    double *removal; // of each medoid: what the cost grows by without it
    double *loss;
    bool *is_medoid;
    uint64_t passed; // distances since the progress function was called
} job;

static double distance(const job *j, size_t a, size_t b) {
    return wwi_condensed_at(&j->distances, a, b);
}

// A medoid belongs to itself, also where another is at distance 0 or, under a soft measure, below.
static void assign(job *j, size_t item) {
    j->to_nearest[item] = j->to_second[item] = INFINITY;
    for (size_t m = 0; m < j->k; m++) {
        const double d = j->medoids[m] == item ? -INFINITY : distance(j, item, j->medoids[m]);
        if (d < j->to_nearest[item]) {
            j->second[item] = j->nearest[item];
            j->to_second[item] = j->to_nearest[item];
            j->nearest[item] = m;
            j->to_nearest[item] = d;
        } else if (d < j->to_second[item]) {
            j->second[item] = m;
            j->to_second[item] = d;
        }
    }
    if (j->to_nearest[item] == -INFINITY)
        j->to_nearest[item] = 0;
}

static double assign_all(job *j) {
    double cost = 0;
    memset(j->removal, 0, j->k * sizeof *j->removal);
    for (size_t o = 0; o < j->distances.count; o++) {
        assign(j, o);
        cost += j->to_nearest[o];
        if (j->k > 1)
            j->removal[j->nearest[o]] += j->to_second[o] - j->to_nearest[o];
    }
    return cost;
}

// After a pass over all items: tells the progress function when it has not been called for long.
static ww_status passed(job *j, const ww_run_options *run, size_t done) {
    const size_t n = j->distances.count;
    j->passed += n;
    if (j->passed < REPORT_DISTANCES)
        return WW_OK;
    j->passed = 0;
    return wwi_run_report(run->progress, run->progress_user, done, (j->k + 1) * n);
}

// The item that lowers the cost most becomes a medoid, k times.
static ww_status first_medoids(job *j, const ww_run_options *run) {
    const size_t n = j->distances.count;
    for (size_t o = 0; o < n; o++)
        j->to_nearest[o] = INFINITY;
    for (size_t m = 0; m < j->k; m++) {
        size_t best = n;
        double best_cost = INFINITY;
        for (size_t c = 0; c < n; c++) {
            double cost = 0;
            for (size_t o = 0; o < n && !j->is_medoid[c]; o++)
                cost += j->is_medoid[o] ? 0 : fmin(distance(j, o, c), j->to_nearest[o]);
            if (!j->is_medoid[c] && cost < best_cost) {
                best = c;
                best_cost = cost;
            }
            WWI_TRY(passed(j, run, m * n + c));
        }
        if (best == n)
            return wwi_fail(WW_ERROR_OVERFLOW, "the sum of the distances");
        j->medoids[m] = best;
        j->is_medoid[best] = true;
        for (size_t o = 0; o < n; o++)
            j->to_nearest[o] = fmin(j->to_nearest[o], distance(j, o, best));
        WWI_TRY(wwi_run_report(run->progress, run->progress_user, (m + 1) * n, (j->k + 1) * n));
    }
    return WW_OK;
}

// By how much the cost changes when `candidate` replaces the medoid that is best to replace: negative is better.
static double best_exchange(job *j, size_t candidate, size_t *out) {
    double gain = 0;
    memcpy(j->loss, j->removal, j->k * sizeof *j->loss);
    for (size_t o = 0; o < j->distances.count; o++) {
        const double d = distance(j, o, candidate);
        if (j->medoids[j->nearest[o]] == o) { // a medoid that is replaced goes to the nearer of second and candidate
            j->loss[j->nearest[o]] += fmin(d, j->to_second[o]) - j->to_second[o];
        } else if (d < j->to_nearest[o] || o == candidate) { // the candidate would belong to itself
            gain += d - j->to_nearest[o];
            j->loss[j->nearest[o]] += j->to_nearest[o] - j->to_second[o];
        } else if (d < j->to_second[o]) {
            j->loss[j->nearest[o]] += d - j->to_second[o];
        }
    }
    *out = 0;
    for (size_t m = 1; m < j->k; m++)
        if (j->loss[m] < j->loss[*out])
            *out = m;
    return gain + j->loss[*out];
}

static ww_status exchange(job *j, const ww_medoids_options *options, const ww_run_options *run, ww_medoids_info *info) {
    const size_t n = j->distances.count;
    info->cost = info->first_cost = assign_all(j);
    info->converged = j->k == 1 || j->k == n; // one medoid is the best from the start
    for (size_t since = 0, c = 0; !info->converged; c = (c + 1) % n, since++) {
        size_t out;
        if (since == n) {
            info->converged = 1;
            break;
        }
        WWI_TRY(passed(j, run, (j->k + 1) * n - 1));
        if (j->is_medoid[c] || !(best_exchange(j, c, &out) < -1e-12 * fabs(info->cost)))
            continue;
        if (options->max_swaps && info->swaps == options->max_swaps)
            break;
        const size_t old = j->medoids[out];
        j->is_medoid[old] = false;
        j->is_medoid[c] = true;
        j->medoids[out] = c;
        const double cost = assign_all(j);
        if (!(cost < info->cost)) { // rounding: not an improvement after all
            j->is_medoid[old] = true;
            j->is_medoid[c] = false;
            j->medoids[out] = old;
            assign_all(j);
            continue;
        }
        info->cost = cost;
        info->swaps++;
        since = 0;
        WWI_TRY(wwi_run_report(run->progress, run->progress_user, (j->k + 1) * n - 1, (j->k + 1) * n));
    }
    return wwi_run_report(run->progress, run->progress_user, (j->k + 1) * n, (j->k + 1) * n);
}

// Numbers the clusters in the order of their first items. `number` has k elements.
static void order_clusters(job *j, int64_t *labels, size_t *number) {
    for (size_t o = 0; o < j->distances.count; o++)
        labels[o] = (int64_t)j->nearest[o];
    (void)wwi_number_clusters(labels, j->distances.count, j->k, number, NULL);
    for (size_t o = 0; o < j->distances.count; o++)
        if (j->is_medoid[o])
            j->medoids[labels[o]] = o;
}

static ww_status job_open(job *j, size_t count) {
    WWI_TRY(wwi_new_zeroed(j->nearest, count));
    WWI_TRY(wwi_new_zeroed(j->second, count));
    WWI_TRY(wwi_new(j->to_nearest, count));
    WWI_TRY(wwi_new(j->to_second, count));
    WWI_TRY(wwi_new(j->removal, j->k));
    WWI_TRY(wwi_new(j->loss, j->k));
    return wwi_new_zeroed(j->is_medoid, count);
}

static void job_close(job *j) {
    void *arrays[] = {j->nearest, j->second, j->to_nearest, j->to_second, j->removal, j->loss, j->is_medoid};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

ww_status ww_cluster_medoids(const void *condensed, ww_precision precision, size_t count, size_t k,
                             const ww_medoids_options *given, int64_t *labels, size_t *medoids, ww_medoids_info *info) {
    ww_medoids_options options = WW_MEDOIDS_OPTIONS_INIT;
    ww_run_options run;
    ww_medoids_info own = WW_MEDOIDS_INFO_INIT;
    WWI_ENDS(job_close) job j = {.k = k, .medoids = medoids};
    WWI_TRY(info ? wwi_struct_check(info, "ww_medoids_info") : WW_OK);
    WWI_TRY(wwi_options_take(&options, given, "ww_medoids_options"));
    WWI_TRY(wwi_run_take(options.run, &run));
    WWI_TRY(wwi_condensed_take(condensed, precision, count, -INFINITY, &j.distances));
    if (k < 1 || k > count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu clusters can't be made of %zu items", k, count);
    WWI_NEEDS("labels, medoids", labels, medoids);
    WWI_TRY(job_open(&j, count));
    WWI_TRY(first_medoids(&j, &run));
    WWI_TRY(exchange(&j, &options, &run, &own));
    order_clusters(&j, labels, j.second); // of no use any more
    return info ? wwi_struct_give(info, &own, "ww_medoids_info") : WW_OK;
}
