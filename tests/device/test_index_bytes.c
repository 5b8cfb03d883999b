// SPDX-License-Identifier: Apache-2.0
// Hashing tables through functions that take and give their bytes: the bytes of the file, the same answers from what is
// loaded, functions that fail, bytes that end early. Of all metrics with tables, kinds of points and precisions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory_bytes.h"
#include "support.h"

enum { MOST_POINTS = 200, MOST_DIMENSION = 24, K = 4, MOST = 1 << 20 };

static const struct {
    ww_metric metric;
    ww_precision precision;
} kinds[] = {{WW_METRIC_L2, WW_FLOAT},          {WW_METRIC_L2, WW_DOUBLE},     {WW_METRIC_L2_SQUARED, WW_FLOAT},
             {WW_METRIC_L2_SQUARED, WW_DOUBLE}, {WW_METRIC_L1, WW_FLOAT},      {WW_METRIC_L1, WW_DOUBLE},
             {WW_METRIC_COSINE, WW_FLOAT},      {WW_METRIC_COSINE, WW_DOUBLE}, {WW_METRIC_HAMMING, WW_FLOAT},
             {WW_METRIC_JACCARD, WW_FLOAT}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static unsigned char written[MOST], other[MOST], file[MOST];
static char path[] = "/tmp/wavewarp-bytes-XXXXXX";

// Points at random, of `dimension` coordinates or bits; sets of few members.
static ww_points *make_points(ww_metric metric, ww_precision precision, size_t count, size_t dimension) {
    static double wide[MOST_POINTS * MOST_DIMENSION];
    static float narrow[MOST_POINTS * MOST_DIMENSION];
    static unsigned char bits[MOST_POINTS * MOST_DIMENSION];
    static uint32_t members[MOST_POINTS * 5];
    static uint64_t offsets[MOST_POINTS + 1];
    ww_points *points = NULL;
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    for (size_t i = 0; i < count * dimension; i++) {
        wide[i] = wwt_random();
        narrow[i] = (float)wide[i];
        bits[i] = (unsigned char)wwt_random_size(0, 255);
    }
    for (size_t i = 0, at = 0; i < count; i++) {
        const uint32_t most = (uint32_t)wwt_random_size(1, 5);
        for (uint32_t m = 0; m < most; m++)
            members[at++] = 9 * m + (uint32_t)wwt_random_size(0, 8);
        offsets[i + 1] = at;
    }
    view.kind = ww_metric_kind(metric);
    view.count = count;
    view.precision = precision;
    view.dimension = view.kind == WW_POINTS_SETS ? 0 : dimension;
    view.offsets = view.kind == WW_POINTS_SETS ? offsets : NULL;
    view.values = view.kind == WW_POINTS_SETS   ? (const void *)members
                  : view.kind == WW_POINTS_BITS ? (const void *)bits
                  : precision == WW_DOUBLE      ? (const void *)wide
                                                : narrow;
    options.precision = precision;
    wwt_ok(ww_points_create(wwt_context, &view, &options, &points));
    return points;
}

// Tables, with points that were added later or removed.
static ww_lsh *make_tables(size_t kind, bool added) {
    // Few dimensions: each is a program.
    static const size_t dimensions[] = {1, 7, MOST_DIMENSION};
    const size_t count = wwt_random_size(2, MOST_POINTS), dimension = dimensions[wwt_random_size(0, 2)];
    ww_lsh *lsh = NULL;
    ww_lsh_options o = WW_LSH_OPTIONS_INIT;
    ww_points *points = make_points(kinds[kind].metric, kinds[kind].precision, count, dimension);
    o.metric = kinds[kind].metric;
    o.tables = 3;
    o.functions = 2;
    o.probes = 2;
    o.width = 0.5 + (double)wwt_random_size(0, 3);
    o.seed = wwt_random_size(0, 1000);
    o.complete = (int)wwt_random_size(0, 1);
    wwt_ok(ww_lsh_create(points, &o, &lsh));
    if (added) {
        ww_points *more =
            make_points(kinds[kind].metric, kinds[kind].precision, wwt_random_size(1, MOST_POINTS), dimension);
        wwt_ok(ww_lsh_add(lsh, more));
        ww_points_destroy(&more);
    }
    if (wwt_random() > 0)
        wwt_ok(ww_lsh_remove(lsh, (const int64_t[]){(int64_t)wwt_random_size(0, count - 1)}, 1));
    ww_points_destroy(&points);
    return lsh;
}

static wwt_bytes give(const ww_lsh *lsh, void *at) {
    wwt_bytes bytes = wwt_bytes_at(at, MOST, 0);
    wwt_ok(ww_lsh_save_to(lsh, wwt_bytes_write, &bytes));
    ck_assert(!bytes.wrong && bytes.count > 0);
    return bytes;
}

static ww_status take(const wwt_bytes *from, size_t piece, ww_lsh **lsh) {
    wwt_bytes bytes = wwt_bytes_at(from->at, from->room, from->count);
    bytes.piece = piece;
    bytes.fails = from->fails;
    bytes.failure = from->failure;
    const ww_status status = ww_lsh_load_from(wwt_context, wwt_bytes_read, &bytes, NULL, lsh);
    ck_assert(!bytes.wrong && (status == WW_OK) == (*lsh != NULL));
    return status;
}

static void same_answers(ww_lsh *a, ww_lsh *b) {
    static int64_t ids[2][2 * MOST_POINTS * K];
    static double distances[2][2 * MOST_POINTS * K];
    const size_t count = ww_lsh_count(a);
    ck_assert_uint_eq(count, ww_lsh_count(b));
    memset(ids, 0, sizeof ids);
    memset(distances, 0, sizeof distances);
    wwt_ok(ww_lsh_run(a, NULL, K, ids[0], distances[0], NULL));
    wwt_ok(ww_lsh_run(b, NULL, K, ids[1], distances[1], NULL));
    ck_assert_mem_eq(ids[0], ids[1], sizeof *ids);
    ck_assert_mem_eq(distances[0], distances[1], sizeof *distances);
}

START_TEST(the_bytes_of_the_file) {
    static const size_t pieces[] = {0, 1, 13, 5000};
    enum { TABLES = 30 };
    if (kinds[_i].precision == WW_DOUBLE && !wwt_device_has_double())
        return;
    wwt_seed(400 + (unsigned)_i);
    for (int n = 0; n < TABLES; n++) {
        const bool added = n % 3 == 2;
        ww_lsh *lsh = make_tables((size_t)_i, added), *loaded = NULL, *from_file = NULL;
        const wwt_bytes bytes = give(lsh, written);
        wwt_ok(ww_lsh_save(lsh, path));
        FILE *saved = fopen(path, "rb");
        ck_assert_ptr_nonnull(saved);
        ck_assert_uint_eq(fread(file, 1, sizeof file, saved), bytes.count);
        fclose(saved);
        ck_assert_mem_eq(file, written, bytes.count);
        wwt_ok(take(&bytes, pieces[n % 4], &loaded));
        wwt_ok(ww_lsh_load(wwt_context, path, NULL, &from_file));
        same_answers(from_file, loaded);
        // Points that were added become points of the first tables, in which other keys share a bucket.
        if (!added)
            same_answers(lsh, loaded);
        const wwt_bytes more = give(loaded, other);
        ck_assert_uint_eq(more.count, bytes.count);
        ck_assert_mem_eq(other, written, bytes.count);
        ww_lsh_destroy(&from_file);
        ww_lsh_destroy(&loaded);
        ww_lsh_destroy(&lsh);
    }
    unlink(path);
}
END_TEST

static int64_t too_many(void *user, void *bytes, size_t room) {
    ++*(size_t *)user;
    memset(bytes, 0, room);
    return (int64_t)room + 1;
}

static int64_t endless(void *user, void *bytes, size_t room) {
    ++*(size_t *)user;
    memset(bytes, 0, room);
    return (int64_t)room;
}

// 400 x 100 floats: more than two pieces.
static ww_lsh *make_large(void) {
    static float values[400 * 100];
    ww_lsh *lsh = NULL;
    ww_points *points = NULL;
    ww_point_view view = WW_POINT_VIEW_INIT;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        values[i] = (float)wwt_random();
    view.values = values;
    view.count = 400;
    view.dimension = 100;
    wwt_ok(ww_points_create(wwt_context, &view, NULL, &points));
    wwt_ok(ww_lsh_create(points, NULL, &lsh));
    ww_points_destroy(&points);
    return lsh;
}

START_TEST(functions_that_fail) {
    size_t calls = 0;
    wwt_seed(12);
    ww_lsh *lsh = make_large(), *loaded = NULL;
    wwt_bytes bytes = give(lsh, written);
    ck_assert_uint_ge(bytes.calls, 3);
    for (size_t n = 1; n <= bytes.calls; n++) {
        wwt_bytes stopped = wwt_bytes_at(other, MOST, 0);
        stopped.fails = n;
        stopped.failure = n % 2 ? -1 : 7;
        wwt_fails(ww_lsh_save_to(lsh, wwt_bytes_write, &stopped), WW_ERROR_IO);
        ck_assert(!stopped.wrong && stopped.calls == n);
        ck_assert_mem_eq(written, other, stopped.count);
    }
    for (bytes.fails = 1; bytes.fails <= bytes.count / 1000; bytes.fails += 1 + bytes.fails / 4)
        wwt_fails(take(&bytes, 1000, &loaded), WW_ERROR_IO);
    bytes.fails = 0;
    const size_t whole = bytes.count;
    for (bytes.count = 0; bytes.count < whole; bytes.count += 1 + bytes.count / 4)
        wwt_fails(take(&bytes, 1000, &loaded), WW_ERROR_FORMAT);
    bytes.count = whole + 1;
    wwt_fails(take(&bytes, 0, &loaded), WW_ERROR_FORMAT);
    wwt_fails(ww_lsh_load_from(wwt_context, too_many, &calls, NULL, &loaded), WW_ERROR_INVALID_ARGUMENT);
    ck_assert(!loaded && calls == 1);
    // What does not begin as tables is not read to its end.
    wwt_fails(ww_lsh_load_from(wwt_context, endless, &calls, NULL, &loaded), WW_ERROR_FORMAT);
    ck_assert(!loaded && calls == 2);
    wwt_fails(ww_lsh_save_to(NULL, wwt_bytes_write, &bytes), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_save_to(lsh, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    loaded = lsh;
    wwt_fails(ww_lsh_load_from(NULL, wwt_bytes_read, &bytes, NULL, &loaded), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(loaded);
    wwt_fails(ww_lsh_load_from(wwt_context, NULL, NULL, NULL, &loaded), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_lsh_load_from(wwt_context, wwt_bytes_read, &bytes, NULL, NULL), WW_ERROR_INVALID_ARGUMENT);
    ww_lsh_destroy(&lsh);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    close(mkstemp(path));
    Suite *suite = suite_create("index bytes");
    wwt_add(suite, the_bytes_of_the_file, KINDS);
    wwt_add(suite, functions_that_fail, 1);
    const int failed = wwt_run(suite);
    unlink(path);
    return failed;
}
