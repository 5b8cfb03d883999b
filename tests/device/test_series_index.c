// SPDX-License-Identifier: Apache-2.0
// Indices of series: what they find, against exact searches; recall; changes; files; refusals.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "support.h"

enum { BASE = 400, QUERIES = 24, K = 5 };

typedef struct found {
    int64_t *ids;
    void *distances;
} found;

static found room(size_t queries, size_t k, ww_precision precision) {
    return (found){calloc(queries * k, sizeof(int64_t)), wwt_guarded(queries * k, precision)};
}

static void found_free(found *f) {
    free(f->ids);
    wwt_guarded_free(f->distances);
}

static found exact_of(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t count, size_t k,
                      ww_precision precision) {
    found f = room(count, k, precision);
    ww_plan *plan = NULL;
    wwt_ok(ww_plan_create_nearest(measure, queries, base, k, NULL, &plan));
    wwt_ok(ww_plan_run_nearest(plan, f.ids, f.distances));
    ww_plan_destroy(&plan);
    return f;
}

static ww_index_info info_of(const ww_index *index) {
    ww_index_info info = WW_INDEX_INFO_INIT;
    wwt_ok(ww_index_get_info(index, &info));
    return info;
}

static ww_index *with_beam(const ww_measure *measure, ww_dataset *base, uint32_t beam) {
    ww_index_options options = WW_INDEX_OPTIONS_INIT;
    ww_index *index = NULL;
    options.beam = beam;
    wwt_ok(ww_index_create(measure, base, &options, &index));
    return index;
}

// What was found is sorted, without repetition, at its exact distance; `all`: of each query all series of the base in
// the exact order. Returns the share of the k nearest that is there.
static double check_found(const found *f, const found *all, size_t queries, size_t k, size_t base,
                          ww_precision precision) {
    size_t hits = 0;
    for (size_t i = 0; i < queries; i++) {
        for (size_t j = 0; j < k; j++) {
            const int64_t id = f->ids[i * k + j];
            ck_assert(id >= 0 && id < (int64_t)base);
            for (size_t before = 0; before < j; before++)
                ck_assert(f->ids[i * k + before] != id);
            size_t at = 0;
            while (at < base && all->ids[i * base + at] != id)
                at++;
            ck_assert_uint_lt(at, base);
            const double value = wwt_value(f->distances, precision, i * k + j);
            ck_assert_msg(wwt_close(value, wwt_value(all->distances, precision, i * base + at), precision),
                          "query %zu: %.17g of series %zu", i, value, (size_t)id);
            hits += at < k;
        }
    }
    return (double)hits / (double)(queries * k);
}

// ---- every kind of measure and of series

typedef struct sample {
    ww_measure_id id;
    const char *word; // of ww_measure_set_text(), or NULL
    size_t channels, least, most;
    ww_precision precision;
} sample;

static const sample samples[] = {
    {WW_DTW, "band=sakoe-chiba:4", 1, 24, 24, WW_FLOAT},
    {WW_DTW, NULL, 3, 8, 20, WW_FLOAT},
    {WW_DTW, "gamma=0.5", 1, 8, 20, WW_FLOAT},
    {WW_LCSS, "similarity=1", 1, 8, 20, WW_FLOAT},
    {WW_MSM, NULL, 1, 8, 20, WW_DOUBLE},
    {WW_DTW, "relax=0:0:all:all", 1, 8, 20, WW_FLOAT},
    {WW_LEVENSHTEIN, NULL, 1, 8, 20, WW_FLOAT},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

START_TEST(finds_near_series) {
    const sample *s = &samples[_i];
    if (s->precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    wwt_seed((unsigned)_i);
    wwt_set base = wwt_set_random(s->channels, s->least, s->most, BASE);
    wwt_set queries = wwt_set_random(s->channels, s->least, s->most, QUERIES);
    ww_measure measure = wwt_measure(s->id);
    if (s->word)
        wwt_ok(ww_measure_set_text(&measure, s->word, s->most));
    ww_dataset *b = wwt_dataset(&base, s->precision), *q = wwt_dataset(&queries, s->precision);
    ww_index *index = with_beam(&measure, b, 48);
    found all = exact_of(&measure, q, b, QUERIES, BASE, s->precision), f = room(QUERIES, K, s->precision);
    wwt_ok(ww_index_search(index, q, K, f.ids, f.distances));
    const double recall = check_found(&f, &all, QUERIES, K, BASE, s->precision);
    // Many symbols are as far as many others: any of them will do.
    ck_assert_msg(recall > 0.9 || s->id == WW_LEVENSHTEIN || s->id == WW_LCSS, "sample %d: recall %g", _i, recall);
    const ww_index_info info = info_of(index);
    ck_assert(info.examined > 0 && info.examined < (uint64_t)QUERIES * BASE && info.beam == 48 && !info.exact);
    // Exactly, by the same call.
    wwt_ok(ww_index_set_beam(index, 0));
    wwt_ok(ww_index_search(index, q, K, f.ids, f.distances));
    for (size_t i = 0; i < QUERIES; i++)
        ck_assert_mem_eq(f.ids + i * K, all.ids + i * BASE, K * sizeof *f.ids);
    found_free(&f);
    found_free(&all);
    ww_index_destroy(&index);
    ww_dataset_destroy(&q);
    ww_dataset_destroy(&b);
    wwt_set_free(&queries);
    wwt_set_free(&base);
}
END_TEST

// ---- recall

enum { MANY = 4200, POINTS = 16 }; // more than are searched exactly for their links

static wwt_set many_walks(size_t count) {
    size_t *lengths = calloc(count, sizeof *lengths);
    for (size_t i = 0; i < count; i++)
        lengths[i] = POINTS;
    const wwt_set set = wwt_set_make(1, lengths, count);
    free(lengths);
    return set;
}

static ww_measure banded(void) {
    ww_measure measure = wwt_measure(WW_DTW);
    wwt_ok(ww_measure_set_text(&measure, "band=sakoe-chiba:4", POINTS));
    return measure;
}

typedef struct bytes {
    unsigned char *at;
    size_t count, read;
} bytes;

static int write_bytes(void *user, const void *from, size_t size) {
    bytes *b = user;
    b->at = realloc(b->at, b->count + size);
    memcpy(b->at + b->count, from, size);
    b->count += size;
    return 0;
}

static int64_t read_bytes(void *user, void *to, size_t size) {
    bytes *b = user;
    const size_t some = size < b->count - b->read ? size : b->count - b->read;
    memcpy(to, b->at + b->read, some);
    b->read += some;
    return (int64_t)some;
}

static bytes bytes_of(const ww_index *index) {
    bytes b = {NULL, 0, 0};
    wwt_ok(ww_index_save_to(index, write_bytes, &b));
    return b;
}

// A descent, twice the same; its recall is what was promised, of series of its own and of others.
START_TEST(keeps_its_promise) {
    wwt_seed(3);
    wwt_set set = many_walks(MANY), other = many_walks(200);
    const ww_measure measure = banded();
    ww_dataset *b = wwt_dataset(&set, WW_FLOAT), *q = wwt_dataset(&other, WW_FLOAT);
    ww_index *index = NULL, *again = NULL;
    ww_index_options options = WW_INDEX_OPTIONS_INIT;
    ww_index_target target = WW_INDEX_TARGET_INIT;
    target.k = K;
    target.recall = 0.9;
    options.target = &target;
    wwt_ok(ww_index_create(&measure, b, &options, &index));
    wwt_ok(ww_index_create(&measure, b, &options, &again));
    bytes one = bytes_of(index), two = bytes_of(again);
    ck_assert(one.count == two.count && memcmp(one.at, two.at, one.count) == 0);
    const ww_index_info info = info_of(index);
    ck_assert(!info.exact && info.beam >= K && info.recall_low >= 0.9 && info.recall >= info.recall_low &&
              info.recall_high >= info.recall && info.recall_high <= 1);
    ck_assert(info.series == MANY && info.links > MANY && info.sample == 512 && info.sample_examined < MANY / 2.0);
    ck_assert_uint_lt(info.build_distances, (uint64_t)MANY * MANY);
    found exact = exact_of(&measure, q, b, 200, K, WW_FLOAT), f = room(200, K, WW_FLOAT);
    wwt_ok(ww_index_search(index, q, K, f.ids, f.distances));
    ck_assert(ww_knn_recall(exact.distances, f.distances, 200, K, WW_FLOAT) >= 0.87);
    found_free(&exact);
    found_free(&f);
    // Of the base itself; a series is not its own neighbour.
    exact = exact_of(&measure, b, NULL, MANY, K, WW_FLOAT);
    f = room(MANY, K, WW_FLOAT);
    wwt_ok(ww_index_search(index, NULL, K, f.ids, f.distances));
    for (size_t i = 0; i < (size_t)MANY * K; i++)
        ck_assert(f.ids[i] >= 0 && f.ids[i] != (int64_t)(i / K));
    ck_assert(ww_knn_recall(exact.distances, f.distances, MANY, K, WW_FLOAT) >= 0.9);
    // Of other queries, and a recall that can't be reached.
    target.asking = q;
    wwt_ok(ww_index_choose(index, &target));
    ck_assert_uint_eq(info_of(index).sample, 200);
    target.recall = 0.9999;
    wwt_ok(ww_index_choose(index, &target));
    ck_assert(info_of(index).exact == 1 && info_of(index).recall == 1);
    free(one.at);
    free(two.at);
    found_free(&exact);
    found_free(&f);
    ww_index_destroy(&again);
    ww_index_destroy(&index);
    ww_dataset_destroy(&q);
    ww_dataset_destroy(&b);
    wwt_set_free(&other);
    wwt_set_free(&set);
}
END_TEST

static ww_dataset *part_of(const wwt_set *set, size_t first, size_t count) {
    const wwt_set part = {count, 1, set->lengths + first, set->offsets, set->values + set->offsets[first]};
    return wwt_dataset(&part, WW_FLOAT);
}

// Equal series have no order among them: all are reached, and all that are found are at distance 0.
START_TEST(equal_series) {
    enum { COPIES = 300 };
    wwt_seed(5);
    wwt_set set = many_walks(4 * COPIES);
    for (size_t i = 4 * POINTS; i < (size_t)4 * COPIES * POINTS; i++)
        set.values[i] = set.values[i - 4 * POINTS];
    const ww_measure measure = banded();
    ww_dataset *b = wwt_dataset(&set, WW_FLOAT), *q = part_of(&set, 0, 4);
    ww_index *index = with_beam(&measure, b, 16);
    found f = room(4, K, WW_FLOAT);
    wwt_ok(ww_index_search(index, q, K, f.ids, f.distances));
    for (size_t i = 0; i < (size_t)4 * K; i++)
        ck_assert(f.ids[i] % 4 == (int64_t)(i / K) && wwt_value(f.distances, WW_FLOAT, i) == 0);
    found_free(&f);
    ww_index_destroy(&index);
    ww_dataset_destroy(&q);
    ww_dataset_destroy(&b);
    wwt_set_free(&set);
}
END_TEST

// ---- changes

// Series that are added are found, those that are removed are not, and a file keeps both.
START_TEST(adds_and_removes) {
    enum { OLD = 500, NEW = 300, ALL = OLD + NEW };
    wwt_seed(7);
    wwt_set set = many_walks(ALL);
    const ww_measure measure = banded();
    ww_dataset *whole = wwt_dataset(&set, WW_FLOAT), *old = part_of(&set, 0, OLD), *new = part_of(&set, OLD, NEW);
    ww_index *index = with_beam(&measure, old, 64), *loaded = NULL;
    found all = exact_of(&measure, whole, whole, ALL, ALL, WW_FLOAT), f = room(ALL, K, WW_FLOAT),
          g = room(ALL, K, WW_FLOAT);
    wwt_ok(ww_index_add(index, new));
    ww_dataset_destroy(&new);
    ww_dataset_destroy(&old);
    ck_assert_uint_eq(info_of(index).series, ALL);
    wwt_ok(ww_index_search(index, whole, K, f.ids, f.distances));
    ck_assert(check_found(&f, &all, ALL, K, ALL, WW_FLOAT) > 0.95);
    for (size_t i = 0; i < ALL; i++)
        ck_assert(wwt_value(f.distances, WW_FLOAT, i * K) == 0);
    // Every third series goes.
    int64_t removed[ALL / 3];
    for (size_t i = 0; i < ALL / 3; i++)
        removed[i] = (int64_t)(3 * i);
    wwt_fails(ww_index_remove(index, (const int64_t[]){1, ALL}, 2), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(info_of(index).removed, 0);
    wwt_ok(ww_index_remove(index, removed, ALL / 3));
    wwt_ok(ww_index_remove(index, removed, 2));
    ck_assert_uint_eq(info_of(index).removed, ALL / 3);
    wwt_ok(ww_index_search(index, NULL, K, f.ids, f.distances));
    for (size_t i = 0; i < ALL; i++)
        for (size_t j = 0; j < K; j++) {
            const int64_t id = f.ids[i * K + j];
            ck_assert(i % 3 == 0 && i < ALL / 3 * 3 ? id == -1 && isinf(wwt_value(f.distances, WW_FLOAT, i * K + j))
                                                    : id >= 0 && (id % 3 || id >= ALL / 3 * 3) && id != (int64_t)i);
        }
    // Exact searches leave the same out.
    wwt_ok(ww_index_search(index, whole, K, f.ids, f.distances));
    wwt_ok(ww_index_set_beam(index, 0));
    wwt_ok(ww_index_search(index, whole, K, g.ids, g.distances));
    ck_assert(ww_knn_recall(g.distances, f.distances, ALL, K, WW_FLOAT) > 0.9);
    for (size_t i = 0; i < (size_t)ALL * K; i++)
        ck_assert(g.ids[i] % 3 || g.ids[i] >= ALL / 3 * 3);
    // A file has all of it.
    wwt_ok(ww_index_set_beam(index, 64));
    bytes file = bytes_of(index);
    wwt_ok(ww_index_load_from(wwt_context, read_bytes, &file, NULL, &loaded));
    wwt_ok(ww_index_search(loaded, whole, K, g.ids, g.distances));
    ck_assert_mem_eq(f.ids, g.ids, (size_t)ALL * K * sizeof *f.ids);
    ck_assert(wwt_same(f.distances, g.distances, (size_t)ALL * K, WW_FLOAT));
    bytes second = bytes_of(loaded);
    ck_assert(second.count == file.count && memcmp(second.at, file.at, file.count) == 0);
    free(second.at);
    free(file.at);
    found_free(&g);
    found_free(&f);
    found_free(&all);
    ww_index_destroy(&loaded);
    ww_index_destroy(&index);
    ww_dataset_destroy(&whole);
    wwt_set_free(&set);
}
END_TEST

// As many as there are: the graph is built anew. Parts of a base, each with an index, are merged.
START_TEST(doubles_and_merges) {
    enum { EACH = 120 };
    wwt_seed(9);
    wwt_set set = many_walks(2 * EACH);
    const ww_measure measure = banded();
    ww_dataset *whole = wwt_dataset(&set, WW_FLOAT), *halves[2] = {part_of(&set, 0, EACH), part_of(&set, EACH, EACH)};
    ww_index *both = with_beam(&measure, halves[0], 64), *second = with_beam(&measure, halves[1], 64);
    found exact = exact_of(&measure, whole, whole, 2 * EACH, K, WW_FLOAT), f = room(2 * EACH, K, WW_FLOAT),
          g = room(2 * EACH, K, WW_FLOAT);
    wwt_ok(ww_index_search(both, whole, K, f.ids, f.distances));
    wwt_ok(ww_index_search(second, whole, K, g.ids, g.distances));
    for (size_t i = 0; i < (size_t)2 * EACH * K; i++)
        g.ids[i] += EACH;
    wwt_ok(ww_neighbours_merge(2 * EACH, K, WW_FLOAT, 0, f.ids, f.distances, g.ids, g.distances));
    ck_assert(ww_knn_recall(exact.distances, f.distances, 2 * EACH, K, WW_FLOAT) > 0.97);
    wwt_ok(ww_index_add(both, halves[1]));
    wwt_ok(ww_index_search(both, whole, K, f.ids, f.distances));
    ck_assert(ww_knn_recall(exact.distances, f.distances, 2 * EACH, K, WW_FLOAT) > 0.97);
    found_free(&g);
    found_free(&f);
    found_free(&exact);
    ww_index_destroy(&second);
    ww_index_destroy(&both);
    for (size_t i = 0; i < 2; i++)
        ww_dataset_destroy(&halves[i]);
    ww_dataset_destroy(&whole);
    wwt_set_free(&set);
}
END_TEST

// ---- walks on the device

typedef struct walked {
    found of_queries, of_all;
    uint64_t examined;
} walked;

// Searches of others and of the base itself; `form`: 0 on the host, 1 on the device, 2 there with too few marks and few
// places, which take a query after the other.
static walked walk(ww_index *index, ww_dataset *queries, size_t count, size_t base, ww_precision precision, long form) {
    walked w = {room(count, K, precision), room(base, K, precision), 0};
    wwt_ok(wwi_tuning_try(wwt_context, "form.index", NULL, form));
    wwt_ok(wwi_tuning_try(wwt_context, "form.index_places", NULL, form == 2 ? 9 : 1000));
    wwt_ok(ww_index_search(index, queries, K, w.of_queries.ids, w.of_queries.distances));
    w.examined = info_of(index).examined;
    wwt_ok(ww_index_search(index, NULL, K, w.of_all.ids, w.of_all.distances));
    return w;
}

static void check_same(const walked *a, const walked *b, size_t count, size_t base, ww_precision precision) {
    ck_assert_mem_eq(a->of_queries.ids, b->of_queries.ids, count * K * sizeof *a->of_queries.ids);
    ck_assert_mem_eq(a->of_all.ids, b->of_all.ids, base * K * sizeof *a->of_all.ids);
    ck_assert(wwt_same(a->of_queries.distances, b->of_queries.distances, count * K, precision));
    ck_assert(wwt_same(a->of_all.distances, b->of_all.distances, base * K, precision));
}

static void walked_free(walked *w) {
    found_free(&w->of_queries);
    found_free(&w->of_all);
}

typedef struct device_sample {
    ww_measure_id id;
    const char *word;
    ww_precision precision;
    uint32_t degree, beam;
} device_sample;

static const device_sample device_samples[] = {
    {WW_DTW, "band=sakoe-chiba:4", WW_FLOAT, 32, 40},
    {WW_LCSS, "similarity=1", WW_FLOAT, 40, 7},
    {WW_MSM, NULL, WW_DOUBLE, 6, 100},
};
enum { DEVICE_SAMPLES = sizeof device_samples / sizeof *device_samples };

// Walks that stay on the device find what walks of the host find, with as many distances, also after changes.
START_TEST(walks_on_the_device) {
    enum { OLD = 500, NEW = 100, ALL = OLD + NEW, ASKING = 70 };
    const device_sample *s = &device_samples[_i];
    if (s->precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    wwt_seed(17);
    wwt_set set = many_walks(ALL), other = many_walks(ASKING);
    ww_measure measure = wwt_measure(s->id);
    if (s->word)
        wwt_ok(ww_measure_set_text(&measure, s->word, POINTS));
    const wwt_set parts[] = {{OLD, 1, set.lengths, set.offsets, set.values},
                             {NEW, 1, set.lengths + OLD, set.offsets, set.values + set.offsets[OLD]}};
    ww_dataset *b = wwt_dataset(&parts[0], s->precision), *more = wwt_dataset(&parts[1], s->precision);
    ww_dataset *q = wwt_dataset(&other, s->precision);
    ww_index *index = NULL;
    ww_index_options options = WW_INDEX_OPTIONS_INIT;
    options.degree = s->degree;
    options.beam = s->beam;
    wwt_ok(ww_index_create(&measure, b, &options, &index));
    for (int change = 0; change < 3; change++) {
        if (change == 1)
            wwt_ok(ww_index_add(index, more));
        for (int64_t id = 0; change == 2 && id < ALL; id += 4)
            wwt_ok(ww_index_remove(index, &id, 1));
        const size_t count = change ? ALL : OLD;
        walked host = walk(index, q, ASKING, count, s->precision, 0);
        for (long form = 1; form <= 2; form++) {
            walked device = walk(index, q, ASKING, count, s->precision, form);
            check_same(&host, &device, ASKING, count, s->precision);
            ck_assert(form == 1 ? device.examined == host.examined : device.examined > host.examined);
            walked_free(&device);
        }
        walked_free(&host);
    }
    wwt_ok(wwi_tuning_try(wwt_context, "form.index", NULL, 3)); // the library's own choice
    wwt_ok(wwi_tuning_try(wwt_context, "form.index_places", NULL, 1 << 30));
    ww_index_destroy(&index);
    ww_dataset_destroy(&q);
    ww_dataset_destroy(&more);
    ww_dataset_destroy(&b);
    wwt_set_free(&other);
    wwt_set_free(&set);
}
END_TEST

// ---- files that are none

static ww_status load_changed(const bytes *file, size_t count, bool sealed) {
    bytes changed = {malloc(count), count, 0};
    ww_index *index = NULL;
    memcpy(changed.at, file->at, count);
    if (sealed)
        wwi_checksum(changed.at, count - 32, changed.at + count - 32);
    const ww_status status = ww_index_load_from(wwt_context, read_bytes, &changed, NULL, &index);
    ck_assert((status == WW_OK) == (index != NULL));
    if (index) { // a number that means something else: it can be searched
        int64_t id;
        const ww_status searched = ww_index_search(index, ww_index_base(index), 1, calloc(1, 1) ? &id : NULL, NULL);
        (void)searched;
    }
    ww_index_destroy(&index);
    free(changed.at);
    return status;
}

START_TEST(damaged_files) {
    enum { FEW = 9 };
    wwt_seed(11);
    wwt_set set = many_walks(FEW);
    const ww_measure measure = banded();
    ww_dataset *b = wwt_dataset(&set, WW_FLOAT);
    ww_index *index = with_beam(&measure, b, 4);
    wwt_ok(ww_index_remove(index, (const int64_t[]){2}, 1));
    bytes file = bytes_of(index);
    for (size_t cut = 0; cut < file.count; cut += 1 + cut / 7)
        wwt_fails(load_changed(&file, cut, false), WW_ERROR_FORMAT);
    for (size_t at = 0; at < file.count; at += 1 + at / 5) {
        file.at[at] ^= 0x41;
        wwt_fails(load_changed(&file, file.count, false), WW_ERROR_FORMAT);
        file.at[at] ^= 0x41;
    }
    free(file.at);
    ww_index_destroy(&index);
    ww_dataset_destroy(&b);
    wwt_set_free(&set);
}
END_TEST

// ---- refusals

static int stop(void *user, uint64_t done, uint64_t total) {
    int *left = user;
    ck_assert_uint_le(done, total);
    return --*left < 0;
}

START_TEST(refusals) {
    wwt_seed(13);
    const size_t lengths[] = {POINTS, POINTS + 9, POINTS};
    wwt_set set = wwt_set_make(1, lengths, 3), wide = wwt_set_make(2, lengths, 3), walks = many_walks(3);
    const ww_measure measure = banded();
    const ww_measure plain = wwt_measure(WW_DTW);
    ww_dataset *b = wwt_dataset(&set, WW_FLOAT), *w = wwt_dataset(&wide, WW_FLOAT), *e = wwt_dataset(&walks, WW_FLOAT);
    ww_index *index = NULL;
    ww_index_options options = WW_INDEX_OPTIONS_INIT;
    ww_index_target target = WW_INDEX_TARGET_INIT;
    int64_t ids[3 * K];
    float distances[3 * K];
    wwt_fails(ww_index_create(NULL, b, NULL, &index), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_index_create(&measure, NULL, NULL, &index), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_index_create(&measure, b, NULL, &index), WW_ERROR_NO_PATH);
    const struct {
        uint32_t degree, neighbours, beam;
    } wrong[] = {{3, 48, 0}, {129, 48, 0}, {32, 15, 0}, {32, 129, 0}, {32, 48, WW_INDEX_MOST_BEAM + 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.degree = wrong[i].degree;
        options.neighbours = wrong[i].neighbours;
        options.beam = wrong[i].beam;
        wwt_fails(ww_index_create(&plain, b, &options, &index), WW_ERROR_INVALID_ARGUMENT);
        ck_assert(!index);
    }
    options = (ww_index_options)WW_INDEX_OPTIONS_INIT;
    options.target = &target;
    for (size_t i = 0; i < 4; i++) {
        target = (ww_index_target)WW_INDEX_TARGET_INIT;
        target.k = i == 0 ? 0 : i == 1 ? WW_INDEX_MOST_BEAM + 1 : 10;
        target.recall = i == 2 ? 1 : i == 3 ? (double)NAN : 0.9;
        wwt_fails(ww_index_create(&plain, b, &options, &index), WW_ERROR_INVALID_ARGUMENT);
    }
    // Few series: exactly, and what is not there is not found.
    wwt_ok(ww_index_create(&plain, b, NULL, &index));
    ck_assert_int_eq(info_of(index).exact, 1);
    for (int beam = 0; beam <= 8; beam += 8) {
        wwt_ok(ww_index_set_beam(index, (uint32_t)beam));
        wwt_ok(ww_index_search(index, NULL, K, ids, distances));
        for (size_t i = 0; i < (size_t)3 * K; i++)
            ck_assert(i % K < 2 ? ids[i] >= 0 : ids[i] == -1 && isinf(distances[i]));
    }
    wwt_fails(ww_index_search(index, NULL, 0, ids, distances), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_index_search(index, NULL, WW_INDEX_MOST_BEAM + 1, ids, distances), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_index_search(index, w, 1, ids, distances), WW_ERROR_CHANNELS);
    wwt_fails(ww_index_add(index, w), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_index_set_beam(index, WW_INDEX_MOST_BEAM + 1), WW_ERROR_INVALID_ARGUMENT);
    wwt_ok(ww_index_remove(index, (const int64_t[]){0, 1, 2}, 3));
    wwt_fails(ww_index_choose(index, NULL), WW_ERROR_EMPTY);
    wwt_ok(ww_index_search(index, e, 1, ids, distances));
    ck_assert(ids[0] == -1 && ids[2] == -1);
    ww_index_destroy(&index);
    ww_index_destroy(&index);
    // Progress ends it, and leaves nothing.
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    int left = 1;
    run.progress = stop;
    run.progress_user = &left;
    options.run = &run;
    options.target = NULL;
    wwt_fails(ww_index_create(&measure, e, &options, &index), WW_ERROR_CANCELLED);
    ck_assert(!index);
    ck_assert(!ww_index_base(NULL) && !ww_index_measure(NULL));
    wwt_fails(ww_index_load(wwt_context, "/no/such/file", NULL, &index), WW_ERROR_IO);
    ww_dataset_destroy(&e);
    ww_dataset_destroy(&w);
    ww_dataset_destroy(&b);
    wwt_set_free(&walks);
    wwt_set_free(&wide);
    wwt_set_free(&set);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("series_index");
    wwt_add(suite, finds_near_series, SAMPLES);
    wwt_add(suite, keeps_its_promise, 1);
    wwt_add(suite, equal_series, 1);
    wwt_add(suite, adds_and_removes, 1);
    wwt_add(suite, doubles_and_merges, 1);
    wwt_add(suite, walks_on_the_device, DEVICE_SAMPLES);
    wwt_add(suite, damaged_files, 1);
    wwt_add(suite, refusals, 1);
    return wwt_run(suite);
}
