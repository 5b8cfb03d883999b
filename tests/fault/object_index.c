// SPDX-License-Identifier: Apache-2.0
// Indices of series: made, searched on the host and on the device, changed, chosen for, kept in files and memory.
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wavewarp/wavewarp.h>

#include "../memory_bytes.h"
#include "host.h"
#include "objects.h"

enum { COUNT = 48, MORE = 12, LENGTH = 16, K = 3 };

static struct {
    ww_context *context;
    ww_dataset *base, *more;
    ww_index *index;
    ww_measure measure;
    long form; // of walks on the device
    char path[128];
} s;

static ww_status set_form(long form) {
    s.form = form;
    return wwi_tuning_try(s.context, "form.index", NULL, form);
}

static void close_all(void) {
    if (s.form)
        (void)set_form(0);
    ww_index_destroy(&s.index);
    ww_dataset_destroy(&s.more);
    ww_dataset_destroy(&s.base);
    if (s.path[0])
        unlink(s.path);
    memset(&s, 0, sizeof s);
}

static ww_status upload(size_t count, ww_dataset **data) {
    ww_series_set *set = NULL;
    ww_status status = wwt_make_set(count, LENGTH, 1, &set);
    if (status == WW_OK)
        status = ww_dataset_create_from_set(s.context, set, NULL, data);
    ww_series_set_destroy(&set);
    return status;
}

static ww_status create(ww_index **index) {
    ww_index_options options = WW_INDEX_OPTIONS_INIT;
    options.beam = 6;
    options.degree = 8;
    options.neighbours = 8;
    return ww_index_create(&s.measure, s.base, &options, index);
}

static ww_status open_sets(ww_context *context) {
    s.context = context;
    ww_status status = ww_measure_init(&s.measure, sizeof s.measure, WW_DTW);
    if (status == WW_OK)
        status = ww_measure_set_text(&s.measure, "band=sakoe-chiba:4", LENGTH);
    if (status == WW_OK)
        status = upload(COUNT, &s.base);
    return status == WW_OK ? upload(MORE, &s.more) : status;
}

static ww_status open_index(ww_context *context) {
    const ww_status status = open_sets(context);
    return status == WW_OK ? create(&s.index) : status;
}

static ww_status open_on_device(ww_context *context) {
    const ww_status status = open_index(context);
    return status == WW_OK ? set_form(1) : status;
}

static ww_status open_short_of_marks(ww_context *context) {
    const ww_status status = open_index(context);
    return status == WW_OK ? set_form(2) : status;
}

static ww_status open_exact(ww_context *context) {
    const ww_status status = open_index(context);
    return status == WW_OK ? ww_index_set_beam(s.index, 0) : status;
}

static const int64_t removed[] = {0, 1, 31, 32, COUNT - 1};

static ww_status open_removed(ww_context *context) {
    const ww_status status = open_index(context);
    return status == WW_OK ? ww_index_remove(s.index, removed, sizeof removed / sizeof *removed) : status;
}

static ww_status search_index(ww_index *index, ww_dataset *queries, size_t count, wwt_answer *answer) {
    int64_t ids[(COUNT + MORE) * K];
    float distances[(COUNT + MORE) * K];
    const ww_status status = ww_index_search(index, queries, K, ids, distances);
    if (status == WW_OK) {
        wwt_add(answer, ids, count * K * sizeof *ids);
        wwt_add(answer, distances, count * K * sizeof *distances);
    }
    return status;
}

// Its own series and others, what it says of itself.
static ww_status ask(ww_index *index, wwt_answer *answer) {
    ww_index_info info = WW_INDEX_INFO_INIT;
    ww_status status = ww_index_get_info(index, &info);
    if (status == WW_OK)
        status = search_index(index, NULL, (size_t)(info.series + info.removed), answer);
    if (status == WW_OK)
        status = search_index(index, s.more, MORE, answer);
    if (status == WW_OK) {
        wwt_add(answer, &info.series, sizeof info.series);
        wwt_add(answer, &info.links, sizeof info.links);
        wwt_add(answer, &info.beam, sizeof info.beam);
        wwt_add(answer, &info.recall_low, sizeof info.recall_low);
    }
    return status;
}

static ww_status run(wwt_answer *answer) {
    return ask(s.index, answer);
}

static ww_status build(wwt_answer *answer) {
    ww_index *made = NULL;
    ww_status status = create(&made);
    if (status == WW_OK)
        status = ask(made, answer);
    else if (made)
        status = WW_ERROR_INTERNAL;
    ww_index_destroy(&made);
    return status;
}

static ww_status add(void) {
    return ww_index_add(s.index, s.more);
}

static ww_status remove_some(void) {
    const int64_t ids[] = {2, 31, 40};
    return ww_index_remove(s.index, ids, sizeof ids / sizeof *ids);
}

static ww_status choose(void) {
    ww_index_target target = WW_INDEX_TARGET_INIT;
    target.k = K;
    target.recall = 0.8;
    target.sample = 24;
    return ww_index_choose(s.index, &target);
}

// ---- kept

static ww_status open_save(ww_context *context) {
    const ww_status status = open_removed(context);
    snprintf(s.path, sizeof s.path, "%s", wwt_path("index"));
    FILE *file = fopen(s.path, "w");
    if (file)
        fputs("earlier", file);
    return file && fclose(file) == 0 ? status : WW_ERROR_IO;
}

static ww_status save(void) {
    return ww_index_save(s.index, s.path);
}

static ww_status read_saved(wwt_answer *answer) {
    const ww_status status = wwt_add_file(answer, s.path);
    return status == WW_OK ? run(answer) : status;
}

static ww_status open_load(ww_context *context) {
    const ww_status status = open_save(context);
    return status == WW_OK ? save() : status;
}

static ww_status load(wwt_answer *answer) {
    ww_index *loaded = NULL;
    ww_status status = ww_index_load(s.context, s.path, NULL, &loaded);
    if (status == WW_OK)
        status = ask(loaded, answer);
    ww_index_destroy(&loaded);
    return status;
}

static ww_status write_bytes(wwt_bytes *to) {
    return ww_index_save_to(s.index, wwt_bytes_write, to);
}

static ww_status give(wwt_answer *answer) {
    return wwt_give(write_bytes, answer);
}

const wwt_job wwt_index_jobs[] = {
    {"index build", open_sets, NULL, build, close_all, 0},
    {"index search", open_index, NULL, run, close_all, 0},
    {"index search on the device", open_on_device, NULL, run, close_all, 0},
    {"index search with few marks", open_short_of_marks, NULL, run, close_all, 0},
    {"index search, exact", open_exact, NULL, run, close_all, 0},
    {"index add", open_index, add, run, close_all, 0},
    {"index add after removals", open_removed, add, run, close_all, 0},
    {"index remove", open_index, remove_some, run, close_all, 0},
    {"index choose", open_index, choose, run, close_all, 0},
    {"index save", open_save, save, read_saved, close_all, 0},
    {"index load", open_load, NULL, load, close_all, 0},
    {"index save to", open_removed, NULL, give, close_all, 0},
};
const size_t wwt_index_job_count = sizeof wwt_index_jobs / sizeof *wwt_index_jobs;
