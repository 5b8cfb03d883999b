// SPDX-License-Identifier: Apache-2.0
// The quality of a candidate, from its distances in double: what decides between candidates that float left close.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shapelets/shapelet_search.h"

ww_status wwi_shapelet_gains_open(size_t most, wwi_shapelet_gains *gains) {
    memset(gains, 0, sizeof *gains);
    if (most >> 24)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu series; shapelets are for at most %u", most, 1u << 24);
    // Of k: the sum of the logarithms of its prime factors.
    WWI_FREES int64_t *logs = NULL;
    WWI_TRY(wwi_new_zeroed(logs, most + 1));
    WWI_TRY(wwi_new_zeroed(gains->entropy, most + 1));
    WWI_TRY(wwi_new_zeroed(gains->steps, most + 1));
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
    const ranked *all;
    size_t count;
    const double *errors; // NULL, or of each
    double same, most;    // what rounding leaves of differences; of each distance, where there are no errors
} sorted;

typedef enum apart { SAME, APART, UNKNOWN } apart;

// Whether the distances at the places p and p + 1 differ.
static inline apart apart_at(const sorted *s, size_t p) {
    const ranked *a = &s->all[p], *b = a + 1;
    const double gap = b->distance - a->distance;
    if (!(gap > s->same))
        return SAME;
    if (s->errors)
        return gap > s->errors[a->item] + s->errors[b->item] ? APART : SAME;
    return gap > 2 * s->most ? APART : UNKNOWN;
}

// sums: a zero for each class.
static double kruskal_wallis(const sorted *s, const uint32_t *classes, const size_t *totals, size_t class_count,
                             double *sums) {
    const size_t count = s->count;
    double value = 0;
    for (size_t p = 0; p < count;) {
        size_t end = p + 1;
        while (end < count && apart_at(s, end - 1) != APART)
            end++;
        for (size_t i = p; i < end; i++)
            sums[classes[s->all[i].item]] += 0.5 * (double)(p + 1 + end);
        p = end;
    }
    for (size_t k = 0; k < class_count; k++)
        if (totals[k]) {
            const double mean = sums[k] / (double)totals[k] - 0.5 * (double)(count + 1);
            value += mean * mean * (double)totals[k];
        }
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
            own += classes[s->all[p].item] == k;
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

// The split of the largest gain, of equal ones that of the largest gap. totals: of each class; left: a zero for each.
// False: it can't be told.
static bool split_by_gain(const wwi_shapelet_gains *gains, const sorted *s, const uint32_t *classes,
                          const size_t *totals, size_t *left, double sum, wwi_shapelet_score *score) {
    const size_t count = s->count;
    double before = 0;
    int64_t gain = 0;
    *score = (wwi_shapelet_score){.key = -1, .threshold = s->all[count - 1].distance};
    for (size_t p = 0; p + 1 < count; p++) {
        const double here = s->all[p].distance, next = s->all[p + 1].distance;
        const size_t k = classes[s->all[p].item], on_left = left[k]++, on_right = totals[k] - on_left;
        gain += gains->steps[on_left] - gains->steps[on_right - 1] - gains->steps[p] + gains->steps[count - p - 1];
        before += here;
        if (gain < score->key)
            continue;
        const apart differ = apart_at(s, p);
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
    return true;
}

ww_status wwi_shapelet_split(const wwi_shapelet_gains *gains, const wwi_shapelet_node *node,
                             ww_shapelet_quality quality, const double *distances, double most, const double *errors,
                             wwi_shapelet_score *score, bool *told) {
    const size_t count = node->count, class_count = node->class_count;
    WWI_FREES ranked *all = NULL;
    WWI_FREES size_t *counts = NULL;
    WWI_FREES double *sums = NULL;
    double sum = 0, largest = 0;
    WWI_TRY(wwi_new(all, 2 * count));
    WWI_TRY(wwi_new_zeroed(counts, 2 * class_count));
    WWI_TRY(wwi_new_zeroed(sums, class_count));
    size_t *totals = counts + class_count;
    for (size_t j = 0; j < count; j++) {
        totals[node->classes[j]]++;
        sum += distances[j];
        largest = fmax(largest, distances[j]);
        all[j] = (ranked){distances[j], (uint32_t)j};
    }
    const ranked *in_order = sort_ranked(all, all + count, count);
    const sorted s = {in_order, count, errors, isfinite(largest) ? 1e-10 * largest : 0, most};
    *told = split_by_gain(gains, &s, node->classes, totals, counts, sum, score);
    score->quality = score->gain;
    if (quality == WW_SHAPELET_GAIN)
        return WW_OK;
    for (size_t p = 0; *told && p + 1 < count; p++)
        *told = apart_at(&s, p) != UNKNOWN;
    if (!*told)
        return WW_OK;
    score->quality = !score->left               ? 0 // no distances that differ
                     : quality == WW_SHAPELET_F ? f_statistic(distances, node->classes, count, totals, class_count)
                     : quality == WW_SHAPELET_KRUSKAL_WALLIS
                         ? kruskal_wallis(&s, node->classes, totals, class_count, sums)
                         : mood(&s, node->classes, totals, class_count);
    score->key = llround(score->quality * WWI_QUALITY_UNIT);
    return WW_OK;
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
