// SPDX-License-Identifier: Apache-2.0
// The quality of a candidate, from its distances in double: what decides between candidates that float left close.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "shapelets/shapelet_search.h"

WWI_NAMED(shapelet_quality, "quality", "gain", "f", "kruskal-wallis", "mood")

ww_status wwi_shapelet_gains_open(size_t most, wwi_shapelet_gains *gains) {
    memset(gains, 0, sizeof *gains);
    if (most >> 24)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu series; shapelets are for at most %u", most, 1u << 24);
    // least[k]: the logarithm of k, from its least prime factor's and the rest's.
    int64_t *logs = calloc(most + 1, sizeof *logs);
    gains->entropy = calloc(most + 1, sizeof *gains->entropy);
    gains->steps = calloc(most + 1, sizeof *gains->steps);
    if (!logs || !gains->entropy || !gains->steps) {
        free(logs);
        wwi_shapelet_gains_close(gains);
        return wwi_fail_memory((most + 1) * sizeof *logs);
    }
    for (size_t p = 2; p <= most; p++) {
        if (logs[p])
            continue;
        const int64_t own = llround(ldexp(log2((double)p), WWI_GAIN_BITS));
        for (size_t power = p; power <= most; power = power > most / p ? most + 1 : power * p)
            for (size_t k = power; k <= most; k += power)
                logs[k] += own;
    }
    for (size_t k = 0; k <= most; k++)
        gains->entropy[k] = (int64_t)k * logs[k];
    for (size_t k = 0; k < most; k++)
        gains->steps[k] = gains->entropy[k + 1] - gains->entropy[k];
    gains->most = most;
    free(logs);
    return WW_OK;
}

void wwi_shapelet_gains_close(wwi_shapelet_gains *gains) {
    free(gains->entropy);
    free(gains->steps);
    memset(gains, 0, sizeof *gains);
}

typedef struct ranked {
    double distance;
    uint32_t item;
} ranked;

// Sorts by distance, equal ones as they are: insertion in runs, then merging. spare: for `count`. Returns the one of
// both that is sorted.
static ranked *sort_ranked(ranked *all, ranked *spare, size_t count) {
    enum { RUN = 8 };
    for (size_t first = 0; first < count; first += RUN)
        for (size_t i = first + 1; i < first + RUN && i < count; i++) {
            const ranked one = all[i];
            size_t j = i;
            for (; j > first && all[j - 1].distance > one.distance; j--)
                all[j] = all[j - 1];
            all[j] = one;
        }
    for (size_t run = RUN; run < count; run *= 2) {
        for (size_t first = 0; first < count; first += 2 * run) {
            const size_t middle = count - first < run ? count : first + run;
            const size_t end = count - first < 2 * run ? count : first + 2 * run;
            size_t x = first, y = middle;
            for (size_t to = first; to < end; to++)
                spare[to] = y >= end || (x < middle && all[x].distance <= all[y].distance) ? all[x++] : all[y++];
        }
        ranked *const swapped = all;
        all = spare;
        spare = swapped;
    }
    return all;
}

// The places of distances in their order, equal ones by place.
static void sort_order(const double *distances, uint32_t *order, size_t count) {
    ranked few[512], *all = count <= 256 ? few : malloc(2 * count * sizeof *all);
    if (!all) { // slower, and the same
        for (size_t i = 0; i < count; i++) {
            size_t j = i;
            for (; j > 0 && distances[i] < distances[order[j - 1]]; j--)
                order[j] = order[j - 1];
            order[j] = (uint32_t)i;
        }
        return;
    }
    for (size_t i = 0; i < count; i++)
        all[i] = (ranked){distances[i], (uint32_t)i};
    const ranked *sorted = sort_ranked(all, all + count, count);
    for (size_t i = 0; i < count; i++)
        order[i] = sorted[i].item;
    if (all != few)
        free(all);
}

static double f_statistic(const double *distances, const uint32_t *classes, size_t count, const size_t *totals,
                          size_t class_count) {
    double mean = 0, between = 0, within = 0;
    size_t present = 0;
    for (size_t j = 0; j < count; j++)
        mean += distances[j];
    mean /= (double)count;
    for (size_t k = 0; k < class_count; k++) {
        if (!totals[k])
            continue;
        double own = 0;
        present++;
        for (size_t j = 0; j < count; j++)
            own += classes[j] == k ? distances[j] - mean : 0;
        own /= (double)totals[k];
        between += own * own * (double)totals[k];
        for (size_t j = 0; j < count; j++)
            if (classes[j] == k)
                within += (distances[j] - mean - own) * (distances[j] - mean - own);
    }
    if (present >= count)
        return 0;
    // Not above 1e9: classes without any variance are as good as can be.
    return fmin(between / (double)(present - 1) / (fmax(within, 1e-300) / (double)(count - present)), 1e9);
}

// Distances in their order, and what is told apart.
typedef struct sorted {
    const double *distances, *errors; // errors: NULL, or of each
    const uint32_t *order;
    size_t count;
    double same, most; // what rounding leaves of differences; of each distance, where there are no errors
} sorted;

typedef enum apart { SAME, APART, UNKNOWN } apart;

// Whether the distances at the places p and p + 1 differ.
static inline apart apart_at(const sorted *s, size_t p) {
    const uint32_t i = s->order[p], j = s->order[p + 1];
    const double gap = s->distances[j] - s->distances[i];
    if (!(gap > s->same))
        return SAME;
    if (s->errors)
        return gap > s->errors[i] + s->errors[j] ? APART : SAME;
    return gap > 2 * s->most ? APART : UNKNOWN;
}

static double kruskal_wallis(const sorted *s, const uint32_t *classes, const size_t *totals, size_t class_count) {
    const size_t count = s->count;
    double value = 0;
    double *sums = calloc(class_count, sizeof *sums);
    if (!sums)
        return 0;
    for (size_t p = 0; p < count;) {
        size_t end = p + 1;
        while (end < count && apart_at(s, end - 1) != APART)
            end++;
        for (size_t i = p; i < end; i++)
            sums[classes[s->order[i]]] += 0.5 * (double)(p + 1 + end);
        p = end;
    }
    for (size_t k = 0; k < class_count; k++)
        if (totals[k]) {
            const double mean = sums[k] / (double)totals[k] - 0.5 * (double)(count + 1);
            value += mean * mean * (double)totals[k];
        }
    free(sums);
    return value * 12 / ((double)count * (double)(count + 1));
}

// Above the median: from the first place on that differs from it.
static double mood(const sorted *s, const uint32_t *classes, const size_t *totals, size_t class_count) {
    const size_t count = s->count;
    double value = 0;
    size_t first = (count - 1) / 2 + 1;
    while (first < count && apart_at(s, first - 1) != APART)
        first++;
    if (first == count)
        return 0;
    const size_t above = count - first;
    const double share = (double)above / (double)count;
    for (size_t k = 0; k < class_count; k++) {
        double own = 0;
        for (size_t p = first; p < count; p++)
            own += classes[s->order[p]] == k;
        if (totals[k]) {
            const double gap = own - share * (double)totals[k];
            value += gap * gap / ((double)totals[k] * share * (1 - share));
        }
    }
    return value;
}

static int64_t key_of_gap(double gap) {
    return isfinite(gap) && fabs(gap) < 1e9 ? llround(gap * 4294967296.0) : INT64_MAX;
}

bool wwi_shapelet_split(const wwi_shapelet_gains *gains, const double *distances, const uint32_t *classes, size_t count,
                        size_t class_count, ww_shapelet_quality quality, double most, const double *errors,
                        uint32_t *order, size_t *counts, wwi_shapelet_score *score) {
    size_t *left = counts, *totals = counts + class_count;
    double sum = 0, before = 0;
    int64_t gain = 0;
    memset(counts, 0, 2 * class_count * sizeof *counts);
    for (size_t j = 0; j < count; j++) {
        totals[classes[j]]++;
        sum += distances[j];
    }
    sort_order(distances, order, count);
    const double largest = distances[order[count - 1]];
    const sorted s = {distances, errors, order, count, isfinite(largest) ? 1e-10 * largest : 0, most};
    memset(score, 0, sizeof *score);
    score->key = -1;
    score->threshold = largest;
    for (size_t p = 0; p + 1 < count; p++) {
        const size_t k = classes[order[p]], on_left = left[k]++, on_right = totals[k] - on_left;
        gain += gains->steps[on_left] - gains->steps[on_right - 1] - gains->steps[p] + gains->steps[count - p - 1];
        before += distances[order[p]];
        const double here = distances[order[p]], next = distances[order[p + 1]];
        if (gain < score->key)
            continue;
        const apart differ = apart_at(&s, p);
        if (differ == UNKNOWN)
            return false;
        if (differ == SAME)
            continue;
        const double gap = (sum - before) / (double)(count - p - 1) - before / (double)(p + 1);
        const int64_t gap_key = key_of_gap(gap);
        if (gain > score->key || (gain == score->key && gap_key > score->gap_key)) {
            score->key = gain;
            score->gap_key = gap_key;
            score->gap = gap;
            score->threshold = isfinite(next) ? here + 0.5 * (next - here) : here;
            score->left = p + 1;
        }
    }
    if (score->key < 0)
        score->key = 0;
    score->gain = ldexp((double)score->key, -WWI_GAIN_BITS) / (double)count;
    score->quality = score->gain;
    if (quality == WW_SHAPELET_GAIN)
        return true;
    for (size_t p = 0; p + 1 < count; p++)
        if (apart_at(&s, p) == UNKNOWN)
            return false;
    score->quality = !score->left               ? 0 // no distances that differ
                     : quality == WW_SHAPELET_F ? f_statistic(distances, classes, count, totals, class_count)
                     : quality == WW_SHAPELET_KRUSKAL_WALLIS ? kruskal_wallis(&s, classes, totals, class_count)
                                                             : mood(&s, classes, totals, class_count);
    score->key = llround(score->quality * WWI_QUALITY_UNIT);
    return true;
}

void wwi_shapelet_score_keys(ww_shapelet_quality quality, size_t series, double value, double gap,
                             wwi_shapelet_score *score) {
    score->key = quality == WW_SHAPELET_GAIN ? llround(ldexp(value * (double)series, WWI_GAIN_BITS))
                                             : llround(value * WWI_QUALITY_UNIT);
    score->gap_key = key_of_gap(gap);
}

int wwi_shapelet_compare(const wwi_shapelet_found *a, const wwi_shapelet_found *b) {
    const wwi_shapelet_place *p = &a->place, *q = &b->place;
    if (a->score.key != b->score.key)
        return a->score.key > b->score.key ? -1 : 1;
    if (a->score.gap_key != b->score.gap_key)
        return a->score.gap_key > b->score.gap_key ? -1 : 1;
    if (p->length != q->length)
        return p->length < q->length ? -1 : 1;
    if (p->series != q->series)
        return p->series < q->series ? -1 : 1;
    return p->start < q->start ? -1 : p->start > q->start;
}
