// SPDX-License-Identifier: Apache-2.0
// Saved indices with a wrong number and the right checksum: each is refused, or it is an index that can be searched.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "support.h"

enum { COUNT = 70, K = 3, MOST = 1 << 16 };
enum { TABLES = 3, FUNCTIONS = 4, PROBES = 2 };
// Where the header's numbers are; behind it: coefficients, removed bits, offsets of sets, values, checksum.
enum { KIND = 12, PRECISION = 16, METRIC = 20, AT_TABLES = 24, AT_FUNCTIONS = 28, AT_PROBES = 32, CANDIDATES = 36 };
enum {
    COMPLETE = 40,
    REMOVED = 44,
    WIDTH = 48,
    SEED = 56,
    DIMENSION = 64,
    POINTS = 72,
    COEFFICIENTS = 80,
    HEADER = 88
};

typedef struct sample {
    const char *name;
    ww_metric metric;
    ww_precision precision;
    size_t dimension; // of sets: 0
    unsigned size;    // bytes of a coefficient
} sample;

static const sample samples[] = {
    {"l2", WW_METRIC_L2, WW_FLOAT, 5, 4},
    {"cosine in double", WW_METRIC_COSINE, WW_DOUBLE, 3, 8},
    {"hamming", WW_METRIC_HAMMING, WW_FLOAT, 44, 4},
    {"jaccard", WW_METRIC_JACCARD, WW_FLOAT, 0, 4},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static unsigned char whole[MOST], changed[MOST];
static size_t bytes; // of the file
static char path[] = "/tmp/wavewarp-index-XXXXXX";

// ---- the file

static uint64_t get(const unsigned char *from, size_t at, unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)from[at + i] << (8 * i);
    return value;
}

static void put(size_t at, unsigned size, uint64_t value) {
    for (unsigned i = 0; i < size; i++)
        changed[at + i] = (unsigned char)(value >> (8 * i));
}

static void save_sample(const sample *s) {
    static float numbers[COUNT * 8];
    static double wide[COUNT * 8];
    static unsigned char bits[COUNT * 8];
    static uint32_t items[COUNT * 4];
    static uint64_t offsets[COUNT + 1];
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    ww_points *points = NULL;
    ww_lsh *lsh = NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        wide[i] = wwt_random();
        numbers[i] = (float)wide[i];
        bits[i] = (unsigned char)wwt_random_size(0, 255);
    }
    for (size_t i = 0, at = 0; i < COUNT; i++) {
        for (uint32_t k = 0; k < 1 + i % 4; k++)
            items[at++] = k * 10 + (uint32_t)(i % 3);
        offsets[i + 1] = at;
    }
    view.kind = ww_metric_kind(s->metric);
    view.values = view.kind == WW_POINTS_BITS   ? (const void *)bits
                  : view.kind == WW_POINTS_SETS ? (const void *)items
                  : s->precision == WW_DOUBLE   ? (const void *)wide
                                                : numbers;
    view.precision = view.kind == WW_POINTS_NUMBERS ? s->precision : WW_FLOAT;
    view.offsets = view.kind == WW_POINTS_SETS ? offsets : NULL;
    view.count = COUNT;
    view.dimension = s->dimension;
    options.precision = s->precision;
    o.metric = s->metric;
    o.tables = TABLES;
    o.functions = FUNCTIONS;
    o.probes = PROBES;
    wwt_ok(ww_points_create(wwt_context, &view, &options, &points));
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    wwt_ok(ww_lsh_remove(lsh, (const int64_t[]){2, COUNT - 1}, 2));
    wwt_ok(ww_lsh_save(lsh, path));
    ww_lsh_destroy(&lsh);
    ww_points_destroy(&points);
    FILE *file = fopen(path, "rb");
    bytes = fread(whole, 1, sizeof whole, file);
    fclose(file);
    ck_assert(bytes > HEADER + 32 && bytes < sizeof whole);
    ck_assert_uint_eq(get(whole, POINTS, 8), COUNT);
    ck_assert_uint_eq(get(whole, DIMENSION, 8), s->dimension);
}

static size_t removed_at(void) {
    return HEADER + (size_t)get(whole, COEFFICIENTS, 8);
}

// The offsets of sets, or the values of other points.
static size_t content_at(void) {
    return removed_at() + (COUNT + 31) / 32 * 4;
}

// Loads what was changed, cut to `count` bytes and with a checksum that is right.
static ww_status load(size_t count, ww_lsh **lsh) {
    wwi_checksum(changed, count - 32, changed + count - 32);
    FILE *file = fopen(path, "wb");
    ck_assert_uint_eq(fwrite(changed, 1, count, file), count);
    fclose(file);
    return ww_lsh_load(wwt_context, path, NULL, lsh);
}

static void refuses(const sample *s, const char *what, size_t at, unsigned size, uint64_t value) {
    ww_lsh *lsh = NULL;
    memcpy(changed, whole, bytes);
    put(at, size, value);
    const ww_status status = load(bytes, &lsh);
    ck_assert_msg(status == WW_ERROR_FORMAT, "%s, %s: %s", s->name, what, ww_status_name(status));
    ck_assert_msg(strstr(ww_last_error()->message, path) != NULL, "%s, %s: \"%s\" does not name the file", s->name,
                  what, ww_last_error()->message);
    ck_assert_ptr_null(lsh);
}

// ---- what is known to be wrong

static const uint64_t not_finite[][2] = {{0x7fc00000, 0x7ff8000000000000}, {0x7f800000, 0x7ff0000000000000}};

START_TEST(wrong_numbers_are_refused) {
    const sample *s = &samples[_i];
    const ww_point_kind kind = ww_metric_kind(s->metric);
    wwt_seed(5);
    save_sample(s);
    refuses(s, "a kind that there is not", KIND, 4, 3);
    refuses(s, "another kind", KIND, 4, kind == WW_POINTS_BITS ? WW_POINTS_SETS : WW_POINTS_BITS);
    refuses(s, "a metric of another kind", METRIC, 4, kind == WW_POINTS_BITS ? WW_METRIC_L2 : WW_METRIC_HAMMING);
    refuses(s, "a metric that there is not", METRIC, 4, 1000);
    refuses(s, "a precision that there is not", PRECISION, 4, 2);
    if (kind != WW_POINTS_NUMBERS)
        refuses(s, "bits or sets in double", PRECISION, 4, WW_DOUBLE);
    refuses(s, "no tables", AT_TABLES, 4, 0);
    refuses(s, "more tables", AT_TABLES, 4, TABLES + 1);
    refuses(s, "tables beyond 32 bits of bytes", AT_TABLES, 4, 1u << 31);
    refuses(s, "fewer functions", AT_FUNCTIONS, 4, FUNCTIONS - 1);
    refuses(s, "too many functions", AT_FUNCTIONS, 4, UINT32_MAX);
    refuses(s, "no probes", AT_PROBES, 4, 0);
    refuses(s, "too many probes", AT_PROBES, 4, 1025);
    refuses(s, "no candidates", CANDIDATES, 4, 0);
    refuses(s, "too many candidates", CANDIDATES, 4, 4097);
    refuses(s, "a switch that is 2", COMPLETE, 4, 2);
    refuses(s, "removals that are 2", REMOVED, 4, 2);
    refuses(s, "no removals, but their bits", REMOVED, 4, 0);
    refuses(s, "a dimension more", DIMENSION, 8, s->dimension + (kind == WW_POINTS_BITS ? 8 : 1));
    refuses(s, "a dimension of 2^32", DIMENSION, 8, UINT64_C(1) << 32);
    refuses(s, "a dimension that wraps around", DIMENSION, 8, UINT64_C(1) << 62);
    refuses(s, "no points", POINTS, 8, 0);
    refuses(s, "a point less", POINTS, 8, COUNT - 1);
    refuses(s, "a point more", POINTS, 8, COUNT + 1);
    refuses(s, "2^31 points", POINTS, 8, UINT64_C(1) << 31);
    refuses(s, "points that wrap around", POINTS, 8, UINT64_C(1) << 61);
    refuses(s, "no coefficients", COEFFICIENTS, 8, 0);
    refuses(s, "half a coefficient", COEFFICIENTS, 8, get(whole, COEFFICIENTS, 8) + 2);
    refuses(s, "all are coefficients", COEFFICIENTS, 8, UINT64_MAX);
    refuses(s, "a removed point that there is not", removed_at() + 8, 4, 1u << (COUNT % 32));
    if (s->metric == WW_METRIC_L2) {
        refuses(s, "a width of 0", WIDTH, 8, 0);
        refuses(s, "a width below 0", WIDTH, 8, 0xbff0000000000000);
        refuses(s, "a width that is not a number", WIDTH, 8, not_finite[0][1]);
    }
    const size_t last = removed_at() - s->size;
    for (int i = 0; i < 2 && kind == WW_POINTS_NUMBERS; i++) {
        refuses(s, "a coefficient that is not finite", HEADER, s->size, not_finite[i][s->size == 8]);
        refuses(s, "the last coefficient not finite", last, s->size, not_finite[i][s->size == 8]);
        refuses(s, "a value that is not finite", content_at() + s->size, s->size, not_finite[i][s->size == 8]);
    }
    if (kind == WW_POINTS_BITS) {
        refuses(s, "a sampled bit at the dimension", HEADER, 4, s->dimension);
        refuses(s, "a sampled bit far away", last, 4, UINT32_MAX);
    }
    if (kind == WW_POINTS_SETS) {
        const size_t end = content_at() + COUNT * 8;
        refuses(s, "a set that ends before it begins", content_at() + 8 * 20, 8, 0);
        refuses(s, "a set that is too long", content_at() + 8, 8, get(whole, end, 8) + 1);
        refuses(s, "a set of 2^63", content_at() + 8, 8, UINT64_C(1) << 63);
        refuses(s, "a set that ends where an address wraps around", end, 8, UINT64_C(1) << 62);
        refuses(s, "sets that begin late", content_at(), 8, 1);
        refuses(s, "fewer members than there are", end, 8, get(whole, end, 8) - 1);
        refuses(s, "a set that does not ascend", end + 8 + 4 * 2, 4, 0);
    }
    unlink(path);
}
END_TEST

// ---- any number, anywhere

// Numbers that are near a limit of something.
static uint64_t strange(uint64_t old, unsigned size) {
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       64,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       UINT64_C(1) << 32,
                                       UINT64_C(1) << 61,
                                       UINT64_C(1) << 63,
                                       UINT64_MAX};
    const size_t which = wwt_random_size(0, 15);
    (void)size;
    return which < 11    ? numbers[which]
           : which == 11 ? old + 1
           : which == 12 ? old - 1
           : which == 13 ? old * 2
           : which == 14 ? old + (UINT64_C(1) << 32)
                         : wwt_random_size(0, 255);
}

// A number of the header that does not ask for another program, or one of what is behind it.
static void change(const sample *s) {
    static const struct {
        size_t at;
        unsigned size;
    } fields[] = {{KIND, 4}, {PRECISION, 4}, {AT_TABLES, 4}, {COMPLETE, 4},     {REMOVED, 4}, {WIDTH, 8},
                  {SEED, 8}, {DIMENSION, 8}, {POINTS, 8},    {COEFFICIENTS, 8}, {METRIC, 4}};
    const size_t behind = bytes - 32 - HEADER, which = wwt_random_size(0, 21);
    size_t at = HEADER + wwt_random_size(0, behind / 4 - 2) * 4;
    unsigned size = wwt_random() > 0 ? 4 : 8;
    if (which < 11) {
        at = fields[which].at;
        size = fields[which].size;
    } else if (which < 14) {
        at = removed_at() + wwt_random_size(0, 2) * 4;
        size = 4;
    } else if (which < 18 && s->dimension == 0) {
        at = content_at() + wwt_random_size(0, COUNT) * 8;
        size = 8;
    }
    put(at, size, strange(get(changed, at, size), size));
}

START_TEST(a_changed_file_is_refused_or_an_index) {
    const sample *s = &samples[_i];
    static int64_t ids[COUNT * K];
    size_t loaded = 0, refused = 0;
    wwt_seed(90 + (unsigned)_i);
    save_sample(s);
    for (int n = 0; n < 400; n++) {
        ww_lsh *lsh = NULL;
        memcpy(changed, whole, bytes);
        for (size_t k = wwt_random_size(1, 3); k > 0; k--)
            change(s);
        // Sometimes cut at the end too.
        const ww_status status = load(wwt_random() > 0.9 ? bytes - wwt_random_size(1, 64) : bytes, &lsh);
        refused += status == WW_ERROR_FORMAT;
        if (status != WW_OK) {
            ck_assert_msg(status == WW_ERROR_FORMAT || status == WW_ERROR_OVERFLOW || status == WW_ERROR_DEVICE_MEMORY,
                          "%s, file %d: %s: %s", s->name, n, ww_status_name(status), ww_last_error()->message);
            ck_assert_ptr_null(lsh);
            continue;
        }
        loaded++;
        ck_assert_uint_eq(ww_lsh_count(lsh), COUNT);
        const ww_status found = ww_lsh_run(lsh, NULL, K, ids, NULL, NULL);
        ck_assert_msg(found == WW_OK, "%s, file %d: %s", s->name, n, ww_last_error()->message);
        for (size_t i = 0; i < COUNT * K; i++)
            ck_assert(ids[i] >= -1 && ids[i] < COUNT);
        ww_lsh_destroy(&lsh);
    }
    ck_assert_uint_gt(loaded, 10);
    ck_assert_uint_gt(refused, 100);
    unlink(path);
}
END_TEST

// What does not begin as an index is not read to its end.
START_TEST(an_endless_file_is_refused) {
    ww_lsh *lsh = NULL;
    wwt_fails(ww_lsh_load(wwt_context, "/dev/zero", NULL, &lsh), WW_ERROR_FORMAT);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    close(mkstemp(path));
    Suite *suite = suite_create("index files");
    TCase *tcase = wwt_case(suite, "index files", 120);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, wrong_numbers_are_refused, 0, SAMPLES);
    wwt_add_to(tcase, a_changed_file_is_refused_or_an_index, 0, SAMPLES);
    wwt_add_to(tcase, an_endless_file_is_refused, 0, 1);
    return wwt_run(suite);
}
