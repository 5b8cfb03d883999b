// SPDX-License-Identifier: Apache-2.0
// Searches for near points, the selection of the smallest, and hashing indices, which calls change.
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wavewarp/wavewarp.h>

#include "../memory_bytes.h"
#include "objects.h"

enum { COUNT = 300, MORE = 140, DIMENSION = 8, K = 3 };

static struct {
    ww_context *context;
    ww_points *points, *more;
    ww_knn *knn;
    ww_topk *topk;
    ww_lsh *lsh;
    char path[128];
} s;

static float values[(COUNT + MORE) * DIMENSION];
static unsigned char bits[(COUNT + MORE) * DIMENSION];

static void close_all(void) {
    ww_lsh_destroy(&s.lsh);
    ww_topk_destroy(&s.topk);
    ww_knn_destroy(&s.knn);
    ww_points_destroy(&s.more);
    ww_points_destroy(&s.points);
    if (s.path[0])
        unlink(s.path);
    memset(&s, 0, sizeof s);
}

static void fill(void) {
    unsigned noise = 99;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        noise = noise * 1103515245u + 12345u;
        values[i] = (float)(noise >> 16 & 1023) / 256;
        bits[i] = (unsigned char)(noise >> 20);
    }
}

static ww_status make(ww_context *context, size_t dimension, ww_point_kind kind, uint64_t max_bytes) {
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    fill();
    s.context = context;
    options.max_bytes = max_bytes;
    view.kind = kind;
    view.values = kind == WW_POINTS_BITS ? (const void *)bits : values;
    view.count = COUNT;
    view.dimension = dimension;
    ww_status status = ww_points_create(context, &view, &options, &s.points);
    view.values = kind == WW_POINTS_BITS ? (const void *)(bits + COUNT * dimension / 8) : values + COUNT * dimension;
    view.count = MORE;
    return status == WW_OK ? ww_points_create(context, &view, NULL, &s.more) : status;
}

static ww_status open_knn(ww_context *context) {
    const ww_status status = make(context, DIMENSION, WW_POINTS_NUMBERS, 0);
    return status == WW_OK ? ww_knn_create(s.points, NULL, K, NULL, &s.knn) : status;
}

static ww_status open_slices(ww_context *context) {
    const ww_status status = make(context, DIMENSION, WW_POINTS_NUMBERS, 128 * DIMENSION * sizeof(float));
    return status == WW_OK ? ww_knn_create(s.points, s.more, K, NULL, &s.knn) : status;
}

static ww_status open_shard(ww_context *context) {
    const ww_status status = make(context, DIMENSION, WW_POINTS_NUMBERS, 0);
    ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    float initial[MORE];
    for (size_t i = 0; i < MORE; i++)
        initial[i] = 6;
    shard.initial = initial;
    shard.base_offset = 1;
    shard.exclude_self = 1;
    options.metric = WW_METRIC_L1;
    return status == WW_OK ? ww_knn_create_shard(s.points, s.more, K, &shard, &options, &s.knn) : status;
}

static ww_status run_knn(wwt_answer *answer) {
    int64_t ids[COUNT * K];
    float distances[COUNT * K];
    memset(ids, 0, sizeof ids);
    memset(distances, 0, sizeof distances);
    const ww_status status = ww_knn_run(s.knn, ids, distances, NULL);
    if (status == WW_OK) {
        wwt_add(answer, ids, sizeof ids);
        wwt_add(answer, distances, sizeof distances);
    }
    return status;
}

static ww_status open_topk(ww_context *context) {
    fill();
    return ww_topk_create(context, 40, 50, K, NULL, &s.topk);
}

static ww_status run_topk(wwt_answer *answer) {
    int64_t ids[40 * K];
    float smallest[40 * K];
    ww_status status = ww_topk_run(s.topk, values, ids, smallest);
    if (status == WW_OK)
        status = ww_topk_run(s.topk, NULL, ids, smallest);
    if (status == WW_OK) {
        wwt_add(answer, ids, sizeof ids);
        wwt_add(answer, smallest, sizeof smallest);
    }
    return status;
}

// ---- hashing

static ww_status index_points(ww_metric metric, ww_lsh_path path, uint64_t max_bytes) {
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    run.max_bytes = max_bytes;
    options.run = &run;
    options.metric = metric;
    options.tables = 4;
    options.functions = 4;
    options.width = 4;
    options.probes = 3;
    options.path = path;
    options.complete = 1;
    return ww_lsh_create(s.points, &options, &s.lsh);
}

static ww_status open_buckets(ww_context *context) {
    const ww_status status = make(context, DIMENSION, WW_POINTS_NUMBERS, 0);
    return status == WW_OK ? index_points(WW_METRIC_L2, WW_LSH_BUCKETS, 0) : status;
}

// Several blocks of tables, which are built again for every search.
static ww_status open_blocks(ww_context *context) {
    const ww_status status = make(context, DIMENSION, WW_POINTS_NUMBERS, 0);
    return status == WW_OK ? index_points(WW_METRIC_L2, WW_LSH_BUCKETS, 20000) : status;
}

static ww_status open_queries(ww_context *context) {
    const ww_status status = make(context, DIMENSION, WW_POINTS_NUMBERS, 0);
    return status == WW_OK ? index_points(WW_METRIC_COSINE, WW_LSH_QUERIES, 0) : status;
}

static ww_status open_bits(ww_context *context) {
    const ww_status status = make(context, 8 * DIMENSION, WW_POINTS_BITS, 0);
    return status == WW_OK ? index_points(WW_METRIC_HAMMING, WW_LSH_BUCKETS, 0) : status;
}

static const int64_t removed[] = {0, 1, 31, 32, 77, COUNT - 1};

static ww_status open_removed(ww_context *context) {
    const ww_status status = open_buckets(context);
    return status == WW_OK ? ww_lsh_remove(s.lsh, removed, sizeof removed / sizeof *removed) : status;
}

// The tables' own points, and those that may have been added.
static ww_status run_lsh(wwt_answer *answer) {
    static int64_t ids[(COUNT + MORE) * K];
    static float distances[(COUNT + MORE) * K];
    ww_lsh_info info = WW_LSH_INFO_INIT;
    memset(ids, 0, sizeof ids);
    memset(distances, 0, sizeof distances);
    ww_status status = ww_lsh_run(s.lsh, NULL, K, ids, distances, NULL);
    if (status == WW_OK) {
        wwt_add(answer, ids, sizeof ids);
        wwt_add(answer, distances, sizeof distances);
        status = ww_lsh_run(s.lsh, s.more, K, ids, distances, NULL);
    }
    if (status == WW_OK)
        status = ww_lsh_get_info(s.lsh, &info);
    if (status == WW_OK) {
        wwt_add(answer, ids, MORE * K * sizeof *ids);
        wwt_add(answer, &info.points, sizeof info.points);
        wwt_add(answer, &info.bytes, sizeof info.bytes);
    }
    return status;
}

static ww_status add(void) {
    return ww_lsh_add(s.lsh, s.more);
}

static ww_status remove_some(void) {
    const int64_t ids[] = {2, 31, 64, 65, 66, 200};
    return ww_lsh_remove(s.lsh, ids, sizeof ids / sizeof *ids);
}

// A file that is there stays as it is until the new one is whole.
static ww_status open_save(ww_context *context) {
    const ww_status status = open_removed(context);
    snprintf(s.path, sizeof s.path, "%s", wwt_path("lsh"));
    FILE *file = fopen(s.path, "w");
    if (file)
        fputs("earlier", file);
    return file && fclose(file) == 0 ? status : WW_ERROR_IO;
}

static ww_status save(void) {
    return ww_lsh_save(s.lsh, s.path);
}

static ww_status read_saved(wwt_answer *answer) {
    const ww_status status = wwt_add_file(answer, s.path);
    return status == WW_OK ? run_lsh(answer) : status;
}

static ww_status open_load(ww_context *context) {
    const ww_status status = open_save(context);
    return status == WW_OK ? save() : status;
}

// The answer of an index that was read; it is destroyed.
static ww_status run_loaded(ww_status status, ww_lsh *loaded, wwt_answer *answer) {
    ww_lsh *made = s.lsh;
    if (status == WW_OK) {
        s.lsh = loaded;
        status = run_lsh(answer);
        s.lsh = made;
    }
    ww_lsh_destroy(&loaded);
    return status;
}

static ww_status load(wwt_answer *answer) {
    ww_lsh *loaded = NULL;
    const ww_status status = ww_lsh_load(s.context, s.path, NULL, &loaded);
    return run_loaded(status, loaded, answer);
}

// The same by functions, from and to memory.
static ww_status write_bytes(wwt_bytes *to) {
    return ww_lsh_save_to(s.lsh, wwt_bytes_write, to);
}

static ww_status give(wwt_answer *answer) {
    return wwt_give(write_bytes, answer);
}

static ww_status open_take(ww_context *context) {
    static wwt_answer given;
    const ww_status status = open_removed(context);
    return status == WW_OK ? give(&given) : status;
}

static ww_lsh *read_back;

static ww_status read_bytes(wwt_bytes *from) {
    const ww_status status = ww_lsh_load_from(s.context, wwt_bytes_read, from, NULL, &read_back);
    return status != WW_OK && read_back ? WW_ERROR_INTERNAL : status;
}

static ww_status take(wwt_answer *answer) {
    read_back = NULL;
    const ww_status status = wwt_take(read_bytes);
    return run_loaded(status, read_back, answer);
}

static ww_status choose(wwt_answer *answer) {
    ww_lsh_target target = WW_LSH_TARGET_INIT;
    ww_lsh_options options = WW_LSH_OPTIONS_INIT;
    ww_lsh_choice choice = WW_LSH_CHOICE_INIT;
    target.k = K;
    target.recall = 0.5;
    target.sample = 64;
    const ww_status status = ww_lsh_choose(s.points, &target, &options, &choice);
    if (status == WW_OK) {
        wwt_add(answer, &options.tables, sizeof options.tables);
        wwt_add(answer, &options.functions, sizeof options.functions);
        wwt_add(answer, &options.width, sizeof options.width);
        wwt_add(answer, &choice.measured_recall, sizeof choice.measured_recall);
    }
    return status;
}

static ww_status open_points(ww_context *context) {
    return make(context, DIMENSION, WW_POINTS_NUMBERS, 0);
}

// Buckets searched anew for each k: the kernels for lists of another length take the place of the first.
static ww_status run_other_k(void) {
    static int64_t ids[COUNT * 20];
    return ww_lsh_run(s.lsh, NULL, 20, ids, NULL, NULL);
}

const wwt_job wwt_point_jobs[] = {
    {"knn", open_knn, NULL, run_knn, close_all, 0},
    {"knn in slices", open_slices, NULL, run_knn, close_all, 0},
    {"knn of a shard", open_shard, NULL, run_knn, close_all, 0},
    {"topk", open_topk, NULL, run_topk, close_all, 0},
    {"lsh run by buckets", open_buckets, NULL, run_lsh, close_all, 0},
    {"lsh run by blocks", open_blocks, NULL, run_lsh, close_all, 0},
    {"lsh run by queries", open_queries, NULL, run_lsh, close_all, 0},
    {"lsh run of bits", open_bits, NULL, run_lsh, close_all, 0},
    {"lsh run with another k", open_buckets, run_other_k, run_lsh, close_all, 0},
    {"lsh add", open_buckets, add, run_lsh, close_all, 0},
    {"lsh add after removals", open_removed, add, run_lsh, close_all, 0},
    {"lsh remove", open_buckets, remove_some, run_lsh, close_all, 0},
    {"lsh remove more", open_removed, remove_some, run_lsh, close_all, 0},
    {"lsh save", open_save, save, read_saved, close_all, 0},
    {"lsh load", open_load, NULL, load, close_all, 0},
    {"lsh save to", open_removed, NULL, give, close_all, 0},
    {"lsh load from", open_take, NULL, take, close_all, 0},
    {"lsh choose", open_points, NULL, choose, close_all, 0},
};
const size_t wwt_point_job_count = sizeof wwt_point_jobs / sizeof *wwt_point_jobs;
