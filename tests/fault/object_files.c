// SPDX-License-Identifier: Apache-2.0
// Files of series, of distances and of any kind: one that is there is replaced by a whole one, or stays.
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wavewarp/wavewarp.h>

#include "host.h"
#include "objects.h"

static struct {
    ww_context *context;
    ww_series_set *set;
    char path[128];
} s;

static void close_all(void) {
    ww_series_set_destroy(&s.set);
    unlink(s.path);
    memset(&s, 0, sizeof s);
}

static ww_status open_earlier(ww_context *context) {
    snprintf(s.path, sizeof s.path, "%s", wwt_path("file"));
    s.context = context;
    FILE *file = fopen(s.path, "w");
    if (file)
        fputs("earlier", file);
    if (!file || fclose(file) != 0)
        return WW_ERROR_IO;
    return wwt_make_set(6, 20, 2, &s.set);
}

static ww_status read_back(wwt_answer *answer) {
    return wwt_add_file(answer, s.path);
}

static ww_status write_ts(void) {
    return ww_series_set_write(s.set, s.path, WW_FORMAT_TS, WW_DOUBLE);
}

static ww_status write_npy(void) {
    return ww_series_set_write(s.set, s.path, WW_FORMAT_NPY, WW_FLOAT);
}

static ww_status read_set(wwt_answer *answer) {
    ww_series_set *set = NULL;
    const ww_status status = ww_series_set_read(s.path, NULL, &set);
    for (size_t i = 0; status == WW_OK && i < ww_series_set_count(set); i++)
        wwt_add(answer, ww_series_set_values(set, i),
                ww_series_set_length(set, i) * ww_series_set_channels(set) * sizeof(double));
    ww_series_set_destroy(&set);
    return status;
}

static ww_status open_ts(ww_context *context) {
    const ww_status status = open_earlier(context);
    return status == WW_OK ? write_ts() : status;
}

static ww_status open_npy(ww_context *context) {
    const ww_status status = open_earlier(context);
    return status == WW_OK ? write_npy() : status;
}

// A set that grows: a series that can't be added is not there.
static ww_status add_series(void) {
    const double values[40] = {1, 2, 3};
    return ww_series_set_add(s.set, 20, values, "new");
}

static ww_status ask_set(wwt_answer *answer) {
    const size_t count = ww_series_set_count(s.set), classes = ww_series_set_class_count(s.set);
    wwt_add(answer, &count, sizeof count);
    wwt_add(answer, &classes, sizeof classes);
    for (size_t i = 0; i < count; i++) {
        const int64_t number = ww_series_set_class(s.set, i);
        wwt_add(answer, ww_series_set_values(s.set, i), ww_series_set_length(s.set, i) * 2 * sizeof(double));
        wwt_add(answer, &number, sizeof number);
    }
    return WW_OK;
}

static ww_status set_times(void) {
    double times[20];
    for (int t = 0; t < 20; t++)
        times[t] = t * 2;
    ww_status status = WW_OK;
    for (size_t i = 0; status == WW_OK && i < ww_series_set_count(s.set); i++)
        status = ww_series_set_set_times(s.set, i, times);
    return status;
}

static ww_status write_any(void) {
    ww_file *file = NULL;
    ww_status status = ww_file_create(s.path, &file);
    if (status == WW_OK)
        status = ww_file_put(file, "content", 7);
    if (status == WW_OK)
        status = ww_file_finish(file);
    const ww_status closed = file ? ww_file_close(&file, status == WW_OK) : WW_OK;
    return status == WW_OK ? closed : status;
}

static ww_status write_array(void) {
    ww_array_file *file = NULL;
    const float values[6] = {1, 2, 3, 4, 5, 6};
    ww_status status = ww_array_file_create(s.path, WW_FLOAT, 2, 3, &file);
    if (status == WW_OK)
        status = ww_array_file_put(file, 0, 2, 0, 3, values);
    const ww_status closed = file ? ww_array_file_close(&file, status == WW_OK) : WW_OK;
    return status == WW_OK ? closed : status;
}

static ww_status write_points(void) {
    const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    ww_point_view view = WW_POINT_VIEW_INIT;
    view.values = values;
    view.count = 4;
    view.dimension = 2;
    return ww_point_view_write(s.path, &view);
}

static ww_status generate(wwt_answer *answer) {
    ww_series_set *set = NULL;
    ww_generate_options options = WW_GENERATE_OPTIONS_INIT;
    options.count = 5;
    const ww_status status = ww_series_set_generate(WW_GENERATE_CBF, &options, &set);
    for (size_t i = 0; status == WW_OK && i < ww_series_set_count(set); i++)
        wwt_add(answer, ww_series_set_values(set, i), ww_series_set_length(set, i) * sizeof(double));
    ww_series_set_destroy(&set);
    return status;
}

const wwt_job wwt_file_jobs[] = {
    {"series write ts", open_earlier, write_ts, read_back, close_all, 0},
    {"series write npy", open_earlier, write_npy, read_back, close_all, 0},
    {"series read ts", open_ts, NULL, read_set, close_all, 0},
    {"series read npy", open_npy, NULL, read_set, close_all, 0},
    {"series add", open_earlier, add_series, ask_set, close_all, 0},
    {"series times", open_earlier, set_times, ask_set, close_all, 0},
    {"file write", open_earlier, write_any, read_back, close_all, 0},
    {"array write", open_earlier, write_array, read_back, close_all, 0},
    {"points write", open_earlier, write_points, read_back, close_all, 0},
    {"series generate", open_earlier, NULL, generate, close_all, 0},
};
const size_t wwt_file_job_count = sizeof wwt_file_jobs / sizeof *wwt_file_jobs;
