// SPDX-License-Identifier: Apache-2.0
// Agglomerative clustering by chains of nearest neighbours, cutting its tree, silhouettes, agreement of partitions.
#include <stdlib.h>
#include <string.h>

#include <wavewarp/cluster.h>

#include "base/run.h"
#include "host.h"
#include "learn/condensed.h"
#include "learn/labels.h"

// ---- merging

typedef struct tree {
    size_t count;
    double *distances; // condensed; a merged cluster takes the place of its second part
    size_t *size;      // items of the cluster at this place; 0: merged into another
    size_t *chain, *name;
    ww_linkage linkage;
} tree;

static double *between(const tree *t, size_t a, size_t b) {
    return t->distances + (a < b ? wwi_condensed_index(t->count, a, b) : wwi_condensed_index(t->count, b, a));
}

// The nearest other cluster; of equal ones `preferred`, where that is one of them, so that chains end.
static size_t nearest_of(const tree *t, size_t place, size_t preferred) {
    size_t best = preferred;
    double least = preferred < t->count ? *between(t, place, preferred) : INFINITY;
    for (size_t c = 0; c < t->count; c++)
        if (t->size[c] > 0 && c != place && (*between(t, place, c) < least || best == t->count)) {
            best = c;
            least = *between(t, place, c);
        }
    return best;
}

// The mean of distances `a` and `b` of na and nb items; their products need be no numbers.
static double mean_of(double na, double a, double nb, double b) {
    const double sum = na * a + nb * b;
    return isinf(sum) ? na / (na + nb) * a + nb / (na + nb) * b : sum / (na + nb);
}

// Ward's distance of cluster c to the cluster made of a and b. Of distances whose squares may be no numbers a power of
// two is taken off, which changes no digit.
static double ward(double na, double nb, double nc, double ac, double bc, double ab) {
    const double most = fmax(fmax(ac, bc), ab);
    if (most > 0 && !isinf(most) && (most < 1e-100 || most > 1e100)) {
        const int e = ilogb(most);
        return ldexp(ward(na, nb, nc, ldexp(ac, -e), ldexp(bc, -e), ldexp(ab, -e)), e);
    }
    return sqrt(fmax(0, ((na + nc) * ac * ac + (nb + nc) * bc * bc - nc * ab * ab) / (na + nb + nc)));
}

// The distances of the cluster made of those at `a` and `b` (Lance and Williams), put at `b`.
static void unite(tree *t, size_t a, size_t b) {
    const double na = (double)t->size[a], nb = (double)t->size[b], ab = *between(t, a, b);
    for (size_t c = 0; c < t->count; c++) {
        if (t->size[c] == 0 || c == a || c == b)
            continue;
        const double ac = *between(t, a, c), nc = (double)t->size[c];
        double *bc = between(t, b, c);
        switch (t->linkage) {
        case WW_LINKAGE_SINGLE:
            *bc = fmin(ac, *bc);
            break;
        case WW_LINKAGE_COMPLETE:
            *bc = fmax(ac, *bc);
            break;
        case WW_LINKAGE_AVERAGE:
            *bc = mean_of(na, ac, nb, *bc);
            break;
        case WW_LINKAGE_WARD:
            *bc = ward(na, nb, nc, ac, *bc, ab);
            break;
        }
    }
    t->size[b] += t->size[a];
    t->size[a] = 0;
}

// Follows nearest neighbours until two are each other's, merges these, and goes on from the rest of the chain. The
// merges hold places, and come in another order than that of their distances.
static ww_status merge_all(tree *t, const ww_run_options *run, ww_merge *merges) {
    size_t length = 0;
    for (size_t m = 0; m + 1 < t->count; m++) {
        if (length == 0) {
            size_t first = 0;
            while (t->size[first] == 0)
                first++;
            t->chain[length++] = first;
        }
        for (;;) {
            const size_t last = t->chain[length - 1], before = length > 1 ? t->chain[length - 2] : t->count;
            const size_t next = nearest_of(t, last, before);
            if (next == before)
                break;
            t->chain[length++] = next;
        }
        const size_t a = t->chain[length - 1], b = t->chain[length - 2];
        const size_t low = a < b ? a : b, high = a < b ? b : a;
        merges[m] = (ww_merge){(int64_t)low, (int64_t)high, *between(t, low, high), 0};
        unite(t, low, high);
        length -= 2;
        WWI_TRY(wwi_run_report(run->progress, run->progress_user, m + 1, t->count - 1));
    }
    return WW_OK;
}

static int by_distance(const void *a, const void *b) {
    const ww_merge *p = a, *q = b;
    if (p->distance != q->distance)
        return p->distance < q->distance ? -1 : 1;
    return p->size < q->size ? -1 : p->size > q->size; // the order in which they were made
}

static size_t root_of(size_t *parent, size_t place) {
    while (parent[place] != place)
        place = parent[place] = parent[parent[place]];
    return place;
}

// Sorts the merges and names clusters by their merges instead of by places. `parent` and `name` have `count` elements.
static void name_clusters(ww_merge *merges, size_t count, size_t *parent, size_t *name, size_t *size) {
    for (size_t m = 0; m + 1 < count; m++)
        merges[m].size = (int64_t)m;
    qsort(merges, count - 1, sizeof *merges, by_distance);
    for (size_t i = 0; i < count; i++) {
        parent[i] = name[i] = i;
        size[i] = 1;
    }
    for (size_t m = 0; m + 1 < count; m++) {
        const size_t a = root_of(parent, (size_t)merges[m].left), b = root_of(parent, (size_t)merges[m].right);
        const size_t low = name[a] < name[b] ? name[a] : name[b], high = name[a] < name[b] ? name[b] : name[a];
        parent[a] = b;
        size[b] += size[a];
        name[b] = count + m;
        merges[m] = (ww_merge){(int64_t)low, (int64_t)high, merges[m].distance, (int64_t)size[b]};
    }
}

static void tree_free(tree *t) {
    free(t->distances);
    free(t->size);
    free(t->chain);
    free(t->name);
}

// Every item a cluster.
static ww_status tree_open(tree *t, const wwi_condensed *matrix) {
    const uint64_t pairs = (uint64_t)t->count * (t->count - 1) / 2;
    WWI_TRY(wwi_new(t->distances, pairs));
    WWI_TRY(wwi_new(t->size, t->count));
    WWI_TRY(wwi_new(t->chain, t->count));
    WWI_TRY(wwi_new(t->name, t->count));
    for (uint64_t p = 0; p < pairs; p++)
        t->distances[p] = wwi_value_at(matrix->values, matrix->precision, p);
    for (size_t i = 0; i < t->count; i++)
        t->size[i] = 1;
    return WW_OK;
}

ww_status ww_cluster_agglomerate(const void *condensed, ww_precision precision, size_t count, ww_linkage linkage,
                                 const ww_run_options *given, ww_merge *merges) {
    ww_run_options run;
    wwi_condensed matrix;
    WWI_ENDS(tree_free) tree t = {.count = count, .linkage = linkage};
    WWI_TRY(wwi_run_take(given, &run));
    if ((unsigned)linkage > WW_LINKAGE_WARD)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "linkage %d is unknown", (int)linkage);
    WWI_TRY(wwi_condensed_take(condensed, precision, count, linkage == WW_LINKAGE_WARD ? 0 : -INFINITY, &matrix));
    if (!merges && count > 1)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "merges is NULL");
    if (count == 1)
        return WW_OK;
    WWI_TRY(tree_open(&t, &matrix));
    WWI_TRY(merge_all(&t, &run, merges));
    name_clusters(merges, count, t.chain, t.name, t.size);
    return WW_OK;
}

// ---- cutting

// into[c]: the cluster that the first `made` merges put item or cluster c into, or -1.
static ww_status follow_merges(const ww_merge *merges, size_t count, size_t made, int64_t *into) {
    for (size_t c = 0; c < 2 * count; c++)
        into[c] = -1;
    for (size_t m = 0; m < made; m++) {
        const int64_t left = merges[m].left, right = merges[m].right, next = (int64_t)(count + m);
        if (left < 0 || left >= right || right >= next || into[left] >= 0 || into[right] >= 0)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "merge %zu joins clusters %lld and %lld, which it can't", m,
                            (long long)left, (long long)right);
        into[left] = into[right] = next;
    }
    return WW_OK;
}

ww_status ww_cluster_cut(const ww_merge *merges, size_t count, double distance, size_t least, int64_t *labels,
                         size_t *clusters) {
    if (count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "there is no item");
    if ((!merges && count > 1) || !labels || isnan(distance) || least < 1 || least > count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "merges or labels is NULL, the distance is NaN, or %zu clusters are asked for of %zu items",
                        least, count);
    WWI_FREES int64_t *into = NULL;
    WWI_FREES size_t *number = NULL;
    size_t made = 0;
    WWI_TRY(wwi_new(into, 2 * count));
    WWI_TRY(wwi_new(number, 2 * count));
    while (made < count - least && merges[made].distance <= distance)
        made++;
    WWI_TRY(follow_merges(merges, count, made, into));
    for (size_t c = count + made; c-- > count;) // later merges first: their cluster is known
        into[c] = into[c] < 0 ? (int64_t)c : into[into[c]];
    for (size_t i = 0; i < count; i++)
        labels[i] = into[i] < 0 ? (int64_t)i : into[into[i]];
    const size_t found = wwi_number_clusters(labels, count, 2 * count, number, NULL);
    if (clusters)
        *clusters = found;
    return WW_OK;
}

// ---- quality

// The largest number and 1 more; 0 where there is none.
static size_t clusters_of(const int64_t *labels, size_t count) {
    size_t clusters = 0;
    for (size_t i = 0; i < count; i++)
        if (labels[i] >= 0 && (size_t)labels[i] >= clusters)
            clusters = (size_t)labels[i] + 1;
    return clusters;
}

// Of item i. `sums`: of its distances to the items of each cluster, filled here.
static double silhouette_of(const wwi_condensed *matrix, size_t i, const int64_t *labels, const size_t *sizes,
                            size_t clusters, double *sums) {
    const size_t own = (size_t)labels[i];
    double other = INFINITY;
    memset(sums, 0, clusters * sizeof *sums);
    for (size_t k = 0; k < matrix->count; k++)
        sums[labels[k]] += wwi_condensed_at(matrix, i, k);
    for (size_t c = 0; c < clusters; c++)
        if (c != own && sizes[c] > 0)
            other = fmin(other, sums[c] / (double)sizes[c]);
    if (sizes[own] <= 1 || !isfinite(other))
        return 0;
    const double inside = sums[own] / (double)(sizes[own] - 1), larger = fmax(inside, other);
    return larger > 0 ? (other - inside) / larger : 0;
}

ww_status ww_cluster_silhouette(const void *condensed, ww_precision precision, size_t count, const int64_t *labels,
                                double *each, double *mean) {
    wwi_condensed matrix;
    WWI_FREES double *sums = NULL;
    WWI_FREES size_t *sizes = NULL;
    WWI_TRY(wwi_condensed_take(condensed, precision, count, 0, &matrix));
    WWI_NEEDS("labels, mean", labels, mean);
    const size_t clusters = clusters_of(labels, count);
    for (size_t i = 0; i < count; i++)
        if (labels[i] < 0 || clusters > count)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "cluster number %lld is out of range for %zu items",
                            (long long)labels[i], count);
    WWI_TRY(wwi_new(sums, clusters));
    WWI_TRY(wwi_new_zeroed(sizes, clusters));
    for (size_t i = 0; i < count; i++)
        sizes[labels[i]]++;
    *mean = 0;
    for (size_t i = 0; i < count; i++) {
        WWI_TRY(wwi_interrupted());
        const double value = silhouette_of(&matrix, i, labels, sizes, clusters, sums);
        if (each)
            each[i] = value;
        *mean += value / (double)count;
    }
    return WW_OK;
}

static double pairs_of(double n) {
    return n * (n - 1) / 2;
}

static int by_cell(const void *a, const void *b) {
    return memcmp(a, b, 2 * sizeof(int64_t));
}

static int by_number(const void *a, const void *b) {
    const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return p < q ? -1 : p > q;
}

// The pairs of items that share a number of `width` values each, after sorting: the sum over equal numbers.
static double shared_pairs(int64_t *numbers, size_t count, size_t width, int (*order)(const void *, const void *)) {
    double sum = 0;
    qsort(numbers, count, width * sizeof *numbers, order);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && order(numbers + begin * width, numbers + end * width) == 0; end++)
            ;
        sum += pairs_of((double)(end - begin));
    }
    return sum;
}

ww_status ww_cluster_agreement(const int64_t *a, const int64_t *b, size_t count, double *index) {
    if ((count > 0 && (!a || !b)) || !index)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a, b or index is NULL");
    WWI_FREES int64_t *both = NULL, *one = NULL;
    size_t n = 0;
    WWI_TRY(wwi_new(both, (count + 1) * 2));
    WWI_TRY(wwi_new(one, count + 1));
    for (size_t i = 0; i < count; i++)
        if (a[i] >= 0 && b[i] >= 0) {
            both[2 * n] = a[i];
            both[2 * n++ + 1] = b[i];
        }
    if (n < 2)
        return wwi_fail(WW_ERROR_EMPTY, "%zu items have a number in both partitions; two are needed", n);
    for (size_t i = 0; i < n; i++)
        one[i] = both[2 * i];
    const double in_a = shared_pairs(one, n, 1, by_number);
    for (size_t i = 0; i < n; i++)
        one[i] = both[2 * i + 1];
    const double in_b = shared_pairs(one, n, 1, by_number), all = pairs_of((double)n);
    const double shared = shared_pairs(both, n, 2, by_cell), expected = in_a * in_b / all, most = (in_a + in_b) / 2;
    *index = most == expected ? 1 : (shared - expected) / (most - expected);
    return WW_OK;
}
