// SPDX-License-Identifier: Apache-2.0
// Chooses parameters for a given recall. A sample's exact neighbours give the distances of neighbours, its pairs the
// distances of all points; with the families' collision probabilities both give recall and work for every number of
// functions and every width, with the least number of tables that reaches the recall. Then the parameters of least work
// are tried on points of another sample.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lsh/lsh_index.h"
#include "options.h"

#define BINS 96         // distances are kept as means of quantiles
#define PAIR_POINTS 384 // all pairs of as many points of the sample
#define MOST_TABLES 1024u
#define ROUNDS 4
#define MOST_WIDTHS 80
#define SET_MEMBERS 64 // assumed size of a set

// Work, in multiply-adds: of a pair besides its coordinates, and of a point in a table besides its functions.
#define PAIR_WORK 6.0
#define ENTRY_WORK 4000.0
// The same on a GPU; and of all of a pair by matrix units, besides a share of its coordinates.
#define GPU_ENTRY_WORK 2000.0
#define TENSOR_PAIR_WORK 3.0
#define TENSOR_SHARE (1.0 / 16)
// Of a pair of the exact search besides its coordinates.
#define EXACT_WORK 2.0

typedef struct sample {
    size_t count;
    uint32_t *numbers;     // of its points
    unsigned char *values; // of numbers and bits, in row order; of sets: members
    uint64_t *offsets;     // of sets
    ww_points *points;
} sample;

static void sample_free(sample *s) {
    ww_points_destroy(&s->points);
    free(s->numbers);
    free(s->values);
    free(s->offsets);
}

typedef struct statistics {
    double near[BINS], far[BINS]; // quantiles of distances to neighbours, and of all pairs
    double mean_last, mean_far;   // of the k-th neighbours, of pairs
} statistics;

typedef struct model {
    const ww_points *points;
    const ww_lsh_target *target;
    statistics of;
    uint32_t most_tables;
    double queries, coordinates;
    double pair_work, entry_work; // functions not counted
    double exact_work;            // of the exact search
} model;

// Parameters, and their expected recall and work.
typedef struct trial {
    ww_lsh_options options; // its `run` is the target's
    ww_lsh_choice choice;
} trial;

// A choice in progress: the samples, one to learn from and one held back to verify with, and what is known of them.
typedef struct choosing {
    ww_points *points, *asking; // `asking`: whose points search
    ww_lsh_target target;
    ww_run_options run;
    ww_lsh *lsh;    // compiles what takes the samples, and refuses metrics without a family
    bool few;       // points that ask: each is in both samples
    bool foreign;   // they are not those that are searched: none is its own neighbour
    size_t k, half; // neighbours; points of a sample
    sample learnt, held, base;
    model model;
    uint64_t most_bytes;
    int64_t *ids;
    void *distances, *exact;
    trial best;
} choosing;

static void choosing_free(choosing *c) {
    free(c->exact);
    free(c->distances);
    free(c->ids);
    sample_free(&c->base);
    sample_free(&c->held);
    sample_free(&c->learnt);
    ww_lsh_destroy(&c->lsh);
}

// ---- taking a sample

static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static ww_status take_resident(ww_lsh *h, ww_points *p, sample *s) {
    WWI_ENDS(wwi_kernel_destroy) wwi_kernel *kernel = NULL;
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *numbers = NULL, *rows = NULL;
    const uint32_t count = (uint32_t)s->count;
    const uint64_t items = s->count * (uint64_t)p->words, bytes = items * p->word_bytes;
    WWI_TRY(wwi_kernel_create(h->stream, h->program, "ww_lsh_take", &kernel));
    WWI_TRY(wwi_upload(h->context, &numbers, s->numbers, s->count * 4));
    WWI_TRY(wwi_buffer_create(h->context, bytes, &rows));
    WWI_TRY(WWI_LAUNCH(kernel, wwi_lsh_groups(items), WWI_LSH_GROUP, WWI_BUFFER(p->tiles), WWI_BUFFER(numbers),
                       WWI_VALUE(count), WWI_VALUE(p->words), WWI_BUFFER(rows)));
    return wwi_stream_read(h->stream, rows, 0, bytes, s->values);
}

static ww_status take_sets(const ww_points *p, sample *s) {
    WWI_TRY(wwi_new_zeroed(s->offsets, s->count + 1));
    for (size_t i = 0; i < s->count; i++)
        s->offsets[i + 1] = s->offsets[i] + p->offsets[s->numbers[i] + 1] - p->offsets[s->numbers[i]];
    WWI_TRY(wwi_new(s->values, s->offsets[s->count] * 4 + 1));
    for (size_t i = 0; i < s->count; i++)
        WWI_TRY(wwi_points_members(p, s->numbers[i], 1, (uint32_t *)(void *)(s->values + s->offsets[i] * 4)));
    return WW_OK;
}

// The points of these numbers, as points of their own.
static ww_status take_sample(ww_lsh *h, ww_points *p, const uint32_t *numbers, size_t count, sample *s) {
    const uint64_t row = p->words * p->word_bytes;
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    WWI_FREES unsigned char *bytes = NULL;
    s->count = count;
    WWI_TRY(wwi_new(s->numbers, count));
    memcpy(s->numbers, numbers, count * sizeof *s->numbers);
    if (p->kind == WW_POINTS_SETS) {
        WWI_TRY(take_sets(p, s));
    } else {
        WWI_TRY(wwi_new(s->values, count * row));
        if (p->tiles)
            WWI_TRY(take_resident(h, p, s));
        for (size_t i = 0; !p->tiles && i < count; i++)
            for (uint64_t j = 0; j < p->words; j++)
                memcpy(s->values + i * row + j * p->word_bytes,
                       p->host + (p->column_order ? j * p->count + numbers[i] : numbers[i] * (uint64_t)p->words + j) *
                                     p->word_bytes,
                       p->word_bytes);
    }
    view.kind = p->kind;
    view.precision = options.precision = p->precision;
    view.count = count;
    view.dimension = p->dimension;
    view.offsets = s->offsets;
    view.values = s->values;
    if (p->kind == WW_POINTS_BITS) {
        WWI_TRY(wwi_new(bytes, count * ((p->dimension + 7) / 8)));
        wwi_points_pack(p, (const uint32_t *)(const void *)s->values, count, bytes);
        view.values = bytes;
    }
    return ww_points_create(p->context, &view, &options, &s->points);
}

// ---- distances

static double set_distance(const sample *s, size_t a, const sample *t, size_t b) {
    const uint32_t *items = (const uint32_t *)(const void *)s->values;
    const uint32_t *others = (const uint32_t *)(const void *)t->values;
    uint64_t i = s->offsets[a], j = t->offsets[b], common = 0;
    const uint64_t all = s->offsets[a + 1] - i + t->offsets[b + 1] - j;
    while (i < s->offsets[a + 1] && j < t->offsets[b + 1]) {
        const uint32_t x = items[i], y = others[j];
        common += x == y;
        i += x <= y;
        j += y <= x;
    }
    return all ? (double)(all - 2 * common) / (double)(all - common) : 0;
}

// Of point a of one sample and point b of another or the same.
static double distance(const ww_points *p, ww_metric metric, const sample *s, size_t a, const sample *t, size_t b) {
    double sum = 0, x_norm = 0, y_norm = 0;
    if (metric == WW_METRIC_JACCARD)
        return set_distance(s, a, t, b);
    for (size_t j = 0; j < p->words; j++) {
        if (metric == WW_METRIC_HAMMING) {
            const uint32_t *words = (const uint32_t *)(const void *)s->values;
            const uint32_t *others = (const uint32_t *)(const void *)t->values;
            sum += __builtin_popcount(words[a * p->words + j] ^ others[b * p->words + j]);
            continue;
        }
        const double x = wwi_value_at(s->values, p->precision, a * p->words + j),
                     y = wwi_value_at(t->values, p->precision, b * p->words + j);
        sum += metric == WW_METRIC_L1 ? fabs(x - y) : metric == WW_METRIC_COSINE ? x * y : (x - y) * (x - y);
        x_norm += x * x;
        y_norm += y * y;
    }
    if (metric == WW_METRIC_COSINE)
        return x_norm > 0 && y_norm > 0 ? fmax(1 - sum / sqrt(x_norm * y_norm), 0) : 1;
    return metric == WW_METRIC_L2 ? sqrt(sum) : sum;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Means of quantiles; `values` is sorted in place.
static void bin(double *values, size_t count, double bins[BINS]) {
    qsort(values, count, sizeof *values, compare);
    for (size_t i = 0; i < BINS; i++) {
        const size_t from = i * count / BINS, to = (i + 1) * count / BINS > from ? (i + 1) * count / BINS : from + 1;
        double sum = 0;
        for (size_t j = from; j < to; j++)
            sum += values[j < count ? j : count - 1];
        bins[i] = sum / (double)(to - from);
    }
}

// Takes a sample's own points out of its neighbours, of a foreign sample the last one: rows of k + 1 become rows of k,
// in place.
static void drop_own(choosing *c, const sample *s, void *distances) {
    for (size_t i = 0; i < s->count; i++)
        wwi_lsh_drop_own(i, c->k, c->foreign ? -2 : (int64_t)s->numbers[i], c->points->precision, c->ids, distances,
                         c->ids, distances);
}

// Exact neighbours of a sample.
static ww_status find_exact(choosing *c, const sample *s, void *distances) {
    WWI_ENDS(ww_knn_destroy) ww_knn *knn = NULL;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    options.metric = c->target.metric;
    options.run = c->target.run;
    WWI_TRY(wwi_knn_create_alone(c->points, s->points, c->k + 1, NULL, &options, &knn));
    WWI_TRY(wwi_knn_run_alone(knn, 0, s->points->count, c->ids, distances, NULL));
    drop_own(c, s, distances);
    return WW_OK;
}

// From the first sample, whose neighbours are known, and from points that are searched: where these ask, the sample's.
static ww_status learn(choosing *c) {
    statistics *of = &c->model.of;
    const sample *s = &c->learnt, *base = c->foreign ? &c->base : s;
    const size_t k = c->k, n = wwi_least(s->count, PAIR_POINTS), most = s->count * k;
    const size_t columns = wwi_least(base->count, PAIR_POINTS);
    const size_t capacity = most > n * columns ? most : n * columns;
    WWI_FREES double *values = NULL;
    WWI_TRY(wwi_new(values, capacity));
    size_t count = 0, last = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t j = 0; j < k; j++) {
            const double d = wwi_value_at(c->distances, c->points->precision, i * k + j);
            if (!isfinite(d))
                continue;
            values[count++] = d;
            if (j + 1 == k) {
                of->mean_last += d;
                last++;
            }
        }
    of->mean_last /= (double)(last ? last : 1);
    if (count)
        bin(values, count, of->near);
    count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < (base == s ? i : columns); j++) {
            values[count] = distance(c->points, c->target.metric, s, i, base, j);
            of->mean_far += values[count++];
        }
    of->mean_far /= (double)(count ? count : 1);
    if (count)
        bin(values, count, of->far);
    c->best.choice.neighbour = of->mean_last;
    c->best.choice.random = of->mean_far;
    return WW_OK;
}

// ---- the model

static double mean_recall(const double p[BINS], double tables) {
    double sum = 0;
    for (size_t i = 0; i < BINS; i++)
        sum -= expm1(tables * log1p(-fmin(p[i], 1 - 1e-12)));
    return sum / BINS;
}

// Tables for the recall; 0: more than may be.
static uint32_t tables_for(const model *m, const double p[BINS], double recall) {
    uint32_t low = 1, high = m->most_tables;
    if (mean_recall(p, high) < recall)
        return 0;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (mean_recall(p, middle) >= recall)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double width_of(ww_metric metric, double distance) {
    return metric == WW_METRIC_L2_SQUARED ? sqrt(distance) : distance;
}

// Work of tables in which a query meets `met` points.
static double work_of(const model *m, const ww_lsh_options *options, double met) {
    return m->queries * met * m->pair_work + options->tables * ((double)m->points->count + m->queries) *
                                                 (m->entry_work + options->functions * m->coordinates);
}

// The best number of tables, functions and width for a recall. False: there is none.
static bool search_parameters(const model *m, double recall, trial *found) {
    const ww_metric metric = m->target->metric;
    const bool stable = metric == WW_METRIC_L2 || metric == WW_METRIC_L2_SQUARED || metric == WW_METRIC_L1;
    const double n = (double)m->points->count;
    // From less than most neighbours' distances to more than most points' distances; a few outliers change neither.
    const double near_low = width_of(metric, m->of.near[BINS / 8]), far_high = width_of(metric, m->of.far[BINS / 2]);
    const double last = far_high > 0 ? 8 * far_high : 1;
    const double first = !stable ? last : near_low > 0 ? fmin(0.2 * near_low, last) : 1e-3 * last;
    const double step = fmax(1.12, pow(last / first, 1.0 / MOST_WIDTHS));
    const uint32_t most_functions = stable ? 32 : metric == WW_METRIC_JACCARD ? 16 : 64;
    double best = INFINITY;
    for (double width = first; width <= last * 1.0001; width *= step) {
        double near[BINS], far[BINS], near_all[BINS];
        for (size_t i = 0; i < BINS; i++) {
            near[i] = fmax(ww_lsh_collision(metric, m->of.near[i], width, m->points->dimension), 1e-30);
            far[i] = fmax(ww_lsh_collision(metric, m->of.far[i], width, m->points->dimension), 1e-30);
            near_all[i] = 1;
        }
        for (uint32_t functions = 1; functions <= most_functions; functions++) {
            double share = 0;
            for (size_t i = 0; i < BINS; i++) {
                near_all[i] *= near[i];
                share += pow(far[i], functions) / BINS;
            }
            const uint32_t tables = tables_for(m, near_all, recall);
            if (!tables)
                continue;
            const double met = tables * (n * share + 1);
            const double work = work_of(m, &(ww_lsh_options){.tables = tables, .functions = functions}, met);
            if (work < best) {
                best = work;
                found->options.tables = tables;
                found->options.functions = functions;
                found->options.width = stable ? width : 1;
                found->choice.recall = mean_recall(near_all, tables);
                found->choice.examined = met;
            }
        }
    }
    return best < INFINITY;
}

// ---- trials

// The mean recall of a sample's queries and its 95 % confidence interval, from the spread between queries, with two
// found and two missed ones more (Agresti and Coull, "Approximate is better than 'exact'", The American Statistician
// 1998, for shares in place of successes): no interval is empty because all of a sample were found.
static void measure_recall(const void *exact, const void *found, size_t queries, size_t k, ww_precision precision,
                           ww_lsh_choice *choice) {
    const size_t row = k * wwi_precision_bytes(precision);
    double sum = 2, squares = 2;
    const double n = (double)queries + 4;
    for (size_t i = 0; i < queries; i++) {
        const double one = ww_knn_recall((const char *)exact + i * row, (const char *)found + i * row, 1, k, precision);
        sum += one;
        squares += one * one;
    }
    const double mean = sum / n, half = 1.96 * sqrt(fmax(squares / n - mean * mean, 0) / n);
    choice->measured_recall = ww_knn_recall(exact, found, queries, k, precision);
    choice->recall_low = fmax(fmin(mean - half, choice->measured_recall), 0);
    choice->recall_high = fmin(fmax(mean + half, choice->measured_recall), 1);
}

// Builds with the best parameters, and searches for the points held back, whose exact neighbours are known.
static ww_status try_it(choosing *c) {
    WWI_ENDS(ww_lsh_destroy) ww_lsh *lsh = NULL;
    ww_lsh_options options = c->best.options;
    ww_lsh_choice *choice = &c->best.choice;
    options.path = WW_LSH_BUCKETS;
    WWI_TRY(wwi_lsh_create_alone(c->points, &options, &lsh));
    WWI_TRY(wwi_lsh_run_alone(lsh, c->held.points, 0, c->held.points->count, c->k + 1, c->ids, c->distances, NULL));
    drop_own(c, &c->held, c->distances);
    measure_recall(c->exact, c->distances, c->half, c->k, c->points->precision, choice);
    choice->measured_examined = (double)lsh->info.examined / (double)c->half;
    choice->rounds++;
    return WW_OK;
}

// Corrects the recall for the model by the result of the trial.
static ww_status correct(choosing *c) {
    const double wanted = c->target.recall;
    double asked = wanted;
    for (int round = 0; round < ROUNDS; round++) {
        WWI_TRY(try_it(c));
        if (c->best.choice.recall_low >= wanted)
            break;
        // In terms of what is missed: as much less as there was too much.
        const double missed = (1 - c->best.choice.recall_low) / (1 - wanted);
        asked = 1 - (1 - asked) / fmax(missed * 1.05, 1.05);
        if (!search_parameters(&c->model, asked, &c->best))
            break;
    }
    return WW_OK;
}

static ww_status check_wish(const ww_points *points, const ww_lsh_target *w) {
    if (w->k < 1 || w->k > WW_LSH_MOST_K)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "k is %zu; it can be 1 to %d", w->k, WW_LSH_MOST_K);
    if (!(w->recall > 0 && w->recall < 1))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the recall is %g; it must lie between 0 and 1", w->recall);
    if (w->asking && (w->asking->kind != points->kind || w->asking->dimension != points->dimension ||
                      w->asking->precision != points->precision || w->asking->context != points->context))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                        "the queries differ from the points in kind, dimension, precision or context");
    if (points->count < 3)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%zu points are too few to learn from", points->count);
    return WW_OK;
}

// Different points in any order; free with free.
static ww_status shuffle(size_t points, size_t wanted, uint64_t seed, uint32_t **shuffled) {
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 88172645463325252u;
    WWI_TRY(wwi_new(*shuffled, wanted));
    uint32_t *numbers = *shuffled;
    // One from each of `wanted` parts, then shuffled.
    for (size_t i = 0; i < wanted; i++) {
        const uint64_t from = i * (uint64_t)points / wanted, to = (i + 1) * (uint64_t)points / wanted;
        numbers[i] = (uint32_t)(from + next(&state) % (to - from));
    }
    for (size_t i = wanted; i > 1; i--) {
        const size_t other = next(&state) % i;
        const uint32_t number = numbers[i - 1];
        numbers[i - 1] = numbers[other];
        numbers[other] = number;
    }
    return WW_OK;
}

static ww_status open_choice(choosing *c, ww_points *points) {
    c->points = points;
    c->best = (trial){WW_LSH_OPTIONS_INIT, WW_LSH_CHOICE_INIT};
    c->best.options.metric = c->target.metric;
    c->best.options.seed = c->target.seed;
    c->best.options.run = &c->run;
    c->best.options.candidates = 4096;
    ww_lsh_options first = c->best.options;
    first.tables = first.functions = 1;
    return wwi_lsh_open(points, &first, &c->run, NULL, 0, &c->lsh);
}

// The sizes of the samples, and room for their neighbours. Where the points ask each is its own neighbour: one more is
// requested, and the point itself is removed.
static ww_status size_samples(choosing *c) {
    const ww_lsh_target *w = &c->target;
    const size_t wanted = w->sample ? w->sample : 512;
    c->asking = w->asking ? w->asking : c->points;
    c->foreign = c->asking != c->points;
    c->few = c->asking->count < 4;
    c->half = c->few ? c->asking->count : wanted > c->asking->count / 2 ? c->asking->count / 2 : wanted;
    c->k = w->k < WW_LSH_MOST_K ? w->k : WW_LSH_MOST_K - 1;
    if (c->k > c->points->count - 1)
        c->k = c->points->count - 1;
    const size_t values = c->half * (c->k + 1);
    c->ids = malloc(values * sizeof *c->ids);
    c->distances = malloc(values * sizeof(double));
    c->exact = malloc(values * sizeof(double));
    return c->ids && c->distances && c->exact ? WW_OK : wwi_fail_memory(values * sizeof(double));
}

// What pairs, entries and the exact search cost here, and how many tables there may be.
static void set_costs(choosing *c) {
    const ww_points *points = c->points;
    const ww_lsh *h = c->lsh;
    model *m = &c->model;
    m->points = points;
    m->target = &c->target;
    m->queries = (double)(c->target.queries ? c->target.queries : c->asking->count);
    m->coordinates = points->words ? points->words : SET_MEMBERS;
    m->pair_work = h->tensor ? TENSOR_PAIR_WORK + TENSOR_SHARE * m->coordinates : PAIR_WORK + m->coordinates;
    m->entry_work = h->gpu ? GPU_ENTRY_WORK : ENTRY_WORK;
    m->exact_work = m->queries * (double)points->count *
                    (h->tensor ? EXACT_WORK + TENSOR_SHARE * m->coordinates : EXACT_WORK + m->coordinates);
    c->most_bytes = wwi_context_bytes_free(points->context) / 4;
    if (c->run.max_bytes && c->run.max_bytes < c->most_bytes)
        c->most_bytes = c->run.max_bytes;
    const uint64_t most = c->most_bytes / (12 * (uint64_t)points->count);
    m->most_tables = most > MOST_TABLES ? MOST_TABLES : most < 1 ? 1 : (uint32_t)most;
}

// From both samples of the points that ask and, where these are others, from one of those that are searched.
static ww_status learn_model(choosing *c) {
    const size_t held_from = c->few ? 0 : c->half, of_base = wwi_least(c->points->count, PAIR_POINTS);
    WWI_FREES uint32_t *asking = NULL, *searched = NULL;
    set_costs(c);
    WWI_TRY(shuffle(c->asking->count, held_from + c->half, c->target.seed, &asking));
    WWI_TRY(take_sample(c->lsh, c->asking, asking, c->half, &c->learnt));
    WWI_TRY(take_sample(c->lsh, c->asking, asking + held_from, c->half, &c->held));
    WWI_TRY(find_exact(c, &c->learnt, c->distances));
    if (c->foreign) {
        WWI_TRY(shuffle(c->points->count, of_base, c->target.seed, &searched));
        WWI_TRY(take_sample(c->lsh, c->points, searched, of_base, &c->base));
    }
    return learn(c);
}

static ww_status fail_to_reach(choosing *c, ww_lsh_choice *choice) {
    c->best.choice.exact_is_faster = 1;
    (void)wwi_struct_give(choice, &c->best.choice, "ww_lsh_choice");
    wwi_fail(WW_ERROR_UNSUPPORTED, "no parameters reach a recall of %g within %" PRIu64 " bytes", c->target.recall,
             c->most_bytes);
    return wwi_fail_hint("allow more bytes, or use the exact search");
}

// Tries the best parameters on the points held back.
static ww_status verify(choosing *c) {
    const ww_lsh_choice *choice = &c->best.choice;
    WWI_TRY(find_exact(c, &c->held, c->exact));
    WWI_TRY(correct(c));
    if (choice->measured_examined > c->best.options.candidates / 2)
        c->best.options.path = WW_LSH_BUCKETS;
    c->best.choice.exact_is_faster =
        choice->recall_low < c->target.recall ||
        work_of(&c->model, &c->best.options, fmax(choice->measured_examined, choice->examined)) >= c->model.exact_work;
    return WW_OK;
}

ww_status ww_lsh_choose(ww_points *points, const ww_lsh_target *target, ww_lsh_options *options,
                        ww_lsh_choice *choice) {
    WWI_ENDS(choosing_free) choosing c = {.target = WW_LSH_TARGET_INIT};
    ww_lsh_choice unwanted = WW_LSH_CHOICE_INIT;
    choice = choice ? choice : &unwanted;
    WWI_NEEDS("points", points);
    WWI_TRY(wwi_struct_check(options, "ww_lsh_options"));
    WWI_TRY(wwi_struct_check(choice, "ww_lsh_choice"));
    WWI_TRY(wwi_options_take(&c.target, target, "ww_lsh_target"));
    WWI_TRY(wwi_run_take(c.target.run, &c.run));
    WWI_TRY(check_wish(points, &c.target));
    WWI_TRY(wwi_lsh_check_points(c.target.asking, true));
    WWI_TRY(open_choice(&c, points));
    WWI_TRY(size_samples(&c));
    WWI_TRY(learn_model(&c));
    if (!search_parameters(&c.model, c.target.recall, &c.best))
        return fail_to_reach(&c, choice);
    WWI_TRY(verify(&c));
    c.best.options.run = NULL;
    WWI_TRY(wwi_struct_give(options, &c.best.options, "ww_lsh_options"));
    return wwi_struct_give(choice, &c.best.choice, "ww_lsh_choice");
}
