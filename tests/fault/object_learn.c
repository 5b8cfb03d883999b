// SPDX-License-Identifier: Apache-2.0
// Averages, clusters, classification, shapelets, the matrix profile, tuning: what stays is the caller's, the model's
// and the context's.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wavewarp/wavewarp.h>

#include "../memory_bytes.h"
#include "host.h"
#include "objects.h"

enum { COUNT = 8, LENGTH = 16 };

static struct {
    ww_context *context, *own;
    ww_series_set *set; // of the profiles
    ww_dataset *data, *other_data;
    ww_shapelets *shapelets;
    ww_store *store; // of `own`
    ww_profile *profile;
    ww_measure measure;
    char model[128], kept[128];
} s;

static void close_all(void) {
    ww_profile_destroy(&s.profile);
    ww_shapelets_destroy(&s.shapelets);
    ww_dataset_destroy(&s.other_data);
    ww_dataset_destroy(&s.data);
    ww_series_set_destroy(&s.set);
    ww_context_destroy(&s.own);
    if (ww_store_close(&s.store, 1) != WW_OK)
        fprintf(stderr, "%s\n", ww_last_error()->message);
    if (s.model[0])
        unlink(s.model);
    if (s.kept[0])
        unlink(s.kept);
    memset(&s, 0, sizeof s);
}

static ww_status upload(ww_context *context, size_t count, ww_dataset **data) {
    ww_series_set *set = NULL;
    ww_status status = wwt_make_set(count, LENGTH, 1, &set);
    if (status == WW_OK)
        status = ww_dataset_create_from_set(context, set, NULL, data);
    ww_series_set_destroy(&set);
    return status;
}

static ww_status open_sets(ww_context *context) {
    s.context = context;
    snprintf(s.model, sizeof s.model, "%s", wwt_path("json"));
    snprintf(s.kept, sizeof s.kept, "%s", wwt_path("store"));
    ww_status status = ww_measure_init(&s.measure, sizeof s.measure, WW_DTW);
    if (status == WW_OK)
        status = upload(context, COUNT, &s.data);
    return status == WW_OK ? upload(context, COUNT + 3, &s.other_data) : status;
}

static ww_status average(wwt_answer *answer, ww_average_method method) {
    ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
    ww_average_result result = WW_AVERAGE_RESULT_INIT;
    options.method = method;
    options.iterations = 3;
    s.measure.gamma = method == WW_AVERAGE_SOFT ? 1 : 0;
    const ww_status status = ww_average(&s.measure, s.data, &options, &result);
    if (status == WW_OK)
        wwt_add(answer, result.centre, result.length * sizeof *result.centre);
    ww_average_result_free(&result);
    return status;
}

static ww_status average_dba(wwt_answer *answer) {
    return average(answer, WW_AVERAGE_DBA);
}

static ww_status average_soft(wwt_answer *answer) {
    return average(answer, WW_AVERAGE_SOFT);
}

static ww_status shapes(wwt_answer *answer) {
    int64_t labels[COUNT];
    int32_t shifts[COUNT * (COUNT + 3)];
    float distances[COUNT * (COUNT + 3)];
    ww_kmeans_options options = WW_KMEANS_OPTIONS_INIT;
    ww_series_set *centres = NULL;
    options.iterations = 2;
    ww_status status = ww_sbd(s.data, s.other_data, NULL, distances, shifts);
    if (status == WW_OK)
        status = ww_cluster_kshape(s.data, 2, &options, labels, NULL, &centres, NULL);
    if (status == WW_OK) {
        wwt_add(answer, distances, sizeof distances);
        wwt_add(answer, shifts, sizeof shifts);
        wwt_add(answer, labels, sizeof labels);
    }
    ww_series_set_destroy(&centres);
    return status;
}

static ww_status cluster(wwt_answer *answer) {
    double distances[COUNT * (COUNT - 1) / 2], each[COUNT], mean = 0, index = 0;
    int64_t labels[COUNT], cut[COUNT];
    size_t medoids[2], clusters = 0;
    ww_merge merges[COUNT - 1];
    ww_medoids_info info = WW_MEDOIDS_INFO_INIT;
    for (size_t i = 0, at = 0; i < COUNT; i++)
        for (size_t j = i + 1; j < COUNT; j++)
            distances[at++] = (double)(j - i) + (i % 2 == j % 2 ? 0 : 50);
    memset(merges, 0, sizeof merges);
    ww_status status = ww_cluster_medoids(distances, WW_DOUBLE, COUNT, 2, NULL, labels, medoids, &info);
    if (status == WW_OK)
        status = ww_cluster_agglomerate(distances, WW_DOUBLE, COUNT, WW_LINKAGE_AVERAGE, NULL, merges);
    if (status == WW_OK)
        status = ww_cluster_cut(merges, COUNT, 20, 1, cut, &clusters);
    if (status == WW_OK)
        status = ww_cluster_silhouette(distances, WW_DOUBLE, COUNT, labels, each, &mean);
    if (status == WW_OK)
        status = ww_cluster_agreement(labels, cut, COUNT, &index);
    if (status == WW_OK) {
        wwt_add(answer, labels, sizeof labels);
        wwt_add(answer, merges, sizeof merges);
        wwt_add(answer, each, sizeof each);
        wwt_add(answer, &index, sizeof index);
    }
    return status;
}

static ww_status classify(wwt_answer *answer) {
    ww_classification result = WW_CLASSIFICATION_INIT;
    s.measure.gamma = 0;
    const ww_status status = ww_classify(&s.measure, s.data, s.other_data, NULL, &result);
    if (status == WW_OK)
        wwt_add(answer, result.predicted, result.total * sizeof *result.predicted);
    ww_classification_free(&result);
    return status;
}

// ---- shapelets

static ww_status fit(ww_shapelets **made) {
    ww_shapelets_options options = WW_SHAPELETS_OPTIONS_INIT;
    options.min_length = 3;
    options.max_length = 4;
    options.best = 2;
    return ww_shapelets_create(s.data, &options, made);
}

static ww_status use(const ww_shapelets *model, wwt_answer *answer) {
    int64_t classes[COUNT + 3];
    double distances[2 * (COUNT + 3)];
    uint64_t starts[2 * (COUNT + 3)];
    ww_status status = ww_shapelets_predict(model, s.other_data, NULL, classes, NULL);
    if (status == WW_OK)
        status = ww_shapelets_transform(model, s.other_data, NULL, 0, 2, distances, starts);
    if (status == WW_OK) {
        wwt_add(answer, classes, sizeof classes);
        wwt_add(answer, distances, sizeof distances);
        wwt_add(answer, starts, sizeof starts);
    }
    return status;
}

static ww_status open_model(ww_context *context) {
    const ww_status status = open_sets(context);
    return status == WW_OK ? fit(&s.shapelets) : status;
}

static ww_status use_model(wwt_answer *answer) {
    return use(s.shapelets, answer);
}

static ww_status fit_anew(wwt_answer *answer) {
    ww_shapelets *made = NULL;
    ww_status status = fit(&made);
    if (status == WW_OK)
        status = use(made, answer);
    ww_shapelets_destroy(&made);
    return status;
}

// The series in a context with a store.
static ww_status open_own(const ww_store_options *how) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    options.tile_seconds = 1e-6; // a tile is a series
    ww_dataset_destroy(&s.data);
    ww_status status = ww_store_open(s.kept, how, &s.store);
    options.store = s.store;
    if (status == WW_OK)
        status = ww_context_create(&options, &s.own);
    return status == WW_OK ? upload(s.own, COUNT, &s.data) : status;
}

// What a run leaves that ended in the middle is there.
static ww_status open_stopped(ww_context *context) {
    ww_shapelets *made = NULL;
    ww_store_options options = WW_STORE_OPTIONS_INIT;
    struct stat about;
    options.resume = 1;
    ww_status status = open_sets(context);
    if (status == WW_OK)
        status = open_own(NULL);
    if (status == WW_OK)
        status = fit(&made);
    ww_shapelets_destroy(&made);
    ww_dataset_destroy(&s.data);
    ww_context_destroy(&s.own);
    const ww_status closed = ww_store_close(&s.store, 1);
    if (status != WW_OK || closed != WW_OK)
        return status != WW_OK ? status : closed;
    if (stat(s.kept, &about) != 0 || truncate(s.kept, about.st_size / 2) != 0)
        return WW_ERROR_IO;
    return open_own(&options);
}

static ww_status write_model(void) {
    return ww_shapelets_write(s.shapelets, s.model);
}

// What is in the file; "earlier" was before.
static ww_status read_model(wwt_answer *answer) {
    return wwt_add_file(answer, s.model);
}

// The same by functions, from and to memory.
static ww_status write_bytes(wwt_bytes *to) {
    return ww_shapelets_write_to(s.shapelets, wwt_bytes_write, to);
}

static ww_status give_model(wwt_answer *answer) {
    return wwt_give(write_bytes, answer);
}

static ww_status open_take(ww_context *context) {
    static wwt_answer given;
    const ww_status status = open_model(context);
    return status == WW_OK ? give_model(&given) : status;
}

static ww_shapelets *read_back;

static ww_status read_bytes(wwt_bytes *from) {
    const ww_status status = ww_shapelets_read_from(wwt_bytes_read, from, &read_back);
    return status != WW_OK && read_back ? WW_ERROR_INTERNAL : status;
}

static ww_status take_model(wwt_answer *answer) {
    read_back = NULL;
    ww_status status = wwt_take(read_bytes);
    if (status == WW_OK)
        status = use(read_back, answer);
    ww_shapelets_destroy(&read_back);
    return status;
}

static ww_status open_write(ww_context *context) {
    const ww_status status = open_model(context);
    FILE *file = fopen(s.model, "w");
    if (file)
        fputs("earlier", file);
    return file && fclose(file) == 0 ? status : WW_ERROR_IO;
}

static ww_status open_read(ww_context *context) {
    const ww_status status = open_model(context);
    return status == WW_OK ? write_model() : status;
}

static ww_status use_read(wwt_answer *answer) {
    ww_shapelets *model = NULL;
    ww_status status = ww_shapelets_read(s.model, &model);
    if (status == WW_OK)
        status = use(model, answer);
    ww_shapelets_destroy(&model);
    return status;
}

// ---- the matrix profile

static ww_status open_profile(ww_context *context) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_status status = wwt_make_set(2, 300, 1, &s.set);
    options.k = 2;
    options.left_right = 1;
    if (status == WW_OK)
        status = ww_series_set_view(s.set, &view);
    return status == WW_OK ? ww_profile_create(context, &view, 0, NULL, 0, 10, &options, &s.profile) : status;
}

static ww_status open_sliced_profile(ww_context *context) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_run_options run = WW_RUN_OPTIONS_INIT;
    ww_status status = wwt_make_set(2, 512, 1, &s.set);
    options.run = &run;
    if (status == WW_OK)
        status = ww_series_set_view(s.set, &view);
    if (status != WW_OK)
        return status;
    // The first step of memory that suffices: for a tile, whose size the device has a say in, and slices of about half.
    static uint64_t bytes = 20000;
    for (;; bytes += 20000) {
        run.max_bytes = bytes;
        status = ww_profile_create(context, &view, 0, &view, 1, 10, &options, &s.profile);
        if (status != WW_ERROR_DEVICE_MEMORY || bytes > 100000000)
            break;
    }
    return status;
}

static ww_status profile(wwt_answer *answer) {
    static double distances[2 * 512];
    static int64_t indices[2 * 512];
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    memset(distances, 0, sizeof distances);
    memset(indices, 0, sizeof indices);
    output.distances = distances;
    output.indices = indices;
    const ww_status status = ww_profile_run(s.profile, &output);
    if (status == WW_OK) {
        wwt_add(answer, distances, sizeof distances);
        wwt_add(answer, indices, sizeof indices);
    }
    return status;
}

// ---- the context: a tuning value that is tried for it alone

static ww_status open_tried(ww_context *context) {
    const ww_status status = open_sets(context);
    return status == WW_OK ? wwi_tuning_try(context, "fetch.threads", NULL, 2) : status;
}

static ww_status try_value(void) {
    return wwi_tuning_try(s.context, "fetch.threads", NULL, 3);
}

static ww_status ask_value(wwt_answer *answer) {
    const long value = wwi_tuning(s.context, "fetch.threads", NULL, 1);
    wwt_add(answer, &value, sizeof value);
    return WW_OK;
}

// ---- tuning, stopped as soon as the first parameter is decided

static const char others[] = "# kept\ndefault strips.rows 8\n";

static ww_status write_tuning(void) {
    FILE *file = fopen(wwt_path("tuning"), "w");
    const bool written = file && fputs(others, file) >= 0;
    return file && fclose(file) == 0 && written ? WW_OK : WW_ERROR_IO;
}

static ww_status open_tuning(ww_context *context) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    (void)context;
    options.tuning_file = wwt_path("tuning");
    const ww_status status = write_tuning();
    return status == WW_OK ? ww_context_create(&options, &s.own) : status;
}

static int stop_at_choice(void *user, const ww_tune_result *result) {
    (void)user;
    return result->chosen;
}

static ww_status tune(void) {
    ww_tune_options options = WW_TUNE_OPTIONS_INIT;
    options.seconds = 1e-9;
    options.report = stop_at_choice;
    const ww_status status = ww_tune(s.own, &options);
    return status == WW_ERROR_CANCELLED ? WW_OK : status;
}

// The file's lines and whether the context goes by the last one; not which value was the fastest.
static ww_status ask_tuning(wwt_answer *answer) {
    char text[1024] = "";
    const char *name = wwi_context_info(s.own)->type == WW_DEVICE_GPU ? "lanes.values" : "packed.vector";
    FILE *file = fopen(wwt_path("tuning"), "r");
    const size_t bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (!file || fclose(file) != 0 || bytes == 0)
        return WW_ERROR_IO;
    char *line = strstr(text, name), *value = line ? strchr(line, ' ') : NULL;
    const long found = wwi_tuning(s.own, name, "f32", 0);
    const bool same = found == (value ? strtol(value, NULL, 10) : 0);
    if (value)
        memset(value, '\0', strlen(value));
    wwt_add(answer, text, sizeof text);
    wwt_add(answer, &same, sizeof same);
    return WW_OK;
}

static void close_tuning(void) {
    ww_context_destroy(&s.own);
    (void)remove(wwt_path("tuning"));
}

const wwt_job wwt_learn_jobs[] = {
    {"average dba", open_sets, NULL, average_dba, close_all, 0},
    {"average soft", open_sets, NULL, average_soft, close_all, 0},
    {"shapes", open_sets, NULL, shapes, close_all, 0},
    {"cluster", open_sets, NULL, cluster, close_all, 0},
    {"classify", open_sets, NULL, classify, close_all, 0},
    {"shapelets fit", open_sets, NULL, fit_anew, close_all, 0},
    {"shapelets go on", open_stopped, NULL, fit_anew, close_all, 0},
    {"shapelets use", open_model, NULL, use_model, close_all, 0},
    {"shapelets write", open_write, write_model, read_model, close_all, 0},
    {"shapelets read", open_read, NULL, use_read, close_all, 0},
    {"shapelets write to", open_model, NULL, give_model, close_all, 0},
    {"shapelets read from", open_take, NULL, take_model, close_all, 0},
    {"profile", open_profile, NULL, profile, close_all, 0},
    {"profile in slices", open_sliced_profile, NULL, profile, close_all, 0},
    {"tune", open_tuning, tune, ask_tuning, close_tuning, 0},
    {"tuning of a context", open_tried, try_value, ask_value, close_all, 0},
};
const size_t wwt_learn_job_count = sizeof wwt_learn_jobs / sizeof *wwt_learn_jobs;
