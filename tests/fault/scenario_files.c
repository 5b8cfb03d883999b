// SPDX-License-Identifier: Apache-2.0
// Files read and written, for the test in which every call fails once.
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wavewarp/dataset.h>

#include "error.h"
#include "scenarios.h"

// A file of one kind, and beside it a file of time stamps.
typedef struct sample {
    const char *content;
    ww_format format;
    const char *time_column, *series_column;
    const char *times;
    size_t count; // of series
    double last;  // time stamp of the first series, or value where there is none
} sample;

static const sample samples[] = {
    {"@timeStamps true\n@classLabel true a b\n@data\n(0,1),(2.5,2):(0,3),(2.5,4):a\n(1,1):(1,2):b\n", WW_FORMAT_TS,
     NULL, NULL, NULL, 2, 2.5},
    {"id,when,x,class\ns,0,1,up\ns,4,2,up\nt,0,3,down\n", WW_FORMAT_CSV, "when", "id", NULL, 2, 4},
    {"1,2,3\n4,5,6\n", WW_FORMAT_CSV, NULL, NULL, "0,1,7\n", 2, 7},
    {"timestamp,x,is_anomaly\n0,1,0\n4,2,1\n", WW_FORMAT_CSV, NULL, NULL, NULL, 1, 4}, // a heading, a column left out
    {"kitten\nz\xC3\xA4\n", WW_FORMAT_TEXT, NULL, NULL, NULL, 2, 'n'},
};

static ww_status write_file(char *path, const char *content) {
    const int file = mkstemp(path);
    if (file < 0 || write(file, content, strlen(content)) != (ssize_t)strlen(content))
        return wwi_fail(WW_ERROR_IO, "%s can't be written", path); // the test's own write may be what fails
    close(file);
    return WW_OK;
}

static ww_status read_sample(const sample *s, const char *path, const char *times, ww_series_set **set) {
    ww_read_options options = WW_READ_OPTIONS_INIT;
    options.format = s->format;
    options.time_column = s->time_column;
    options.series_column = s->series_column;
    options.csv_label = s->series_column ? 2 : 0;
    options.times = s->times ? times : NULL;
    const ww_status status = ww_series_set_read(path, &options, set);
    if (status != WW_OK)
        return status;
    const double *stamps = ww_series_set_times(*set, 0), *values = ww_series_set_values(*set, 0);
    const size_t last = ww_series_set_length(*set, 0) - 1;
    if (ww_series_set_count(*set) != s->count || (stamps ? stamps : values)[last] != s->last)
        return wwi_fail(WW_ERROR_INTERNAL, "a sample is not as it was written");
    return WW_OK;
}

// The device's part: the set goes there, with its time stamps.
static ww_status upload(ww_context *context, ww_series_set *set) {
    ww_dataset *dataset = NULL;
    const ww_status status = ww_dataset_create_from_set(context, set, NULL, &dataset);
    const bool right = status != WW_OK || ww_dataset_channels(dataset) == ww_series_set_channels(set);
    ww_dataset_destroy(&dataset);
    return right ? status : wwi_fail(WW_ERROR_INTERNAL, "time stamps were taken for a channel");
}

static ww_status run_sample(ww_context *context, const sample *s) {
    char path[] = "/tmp/wavewarp-test-XXXXXX", times[] = "/tmp/wavewarp-test-XXXXXX";
    ww_series_set *set = NULL;
    ww_status status = write_file(path, s->content);
    if (status == WW_OK)
        status = write_file(times, s->times ? s->times : "");
    if (status == WW_OK)
        status = read_sample(s, path, times, &set);
    if (status == WW_OK)
        status = upload(context, set);
    ww_series_set_destroy(&set);
    unlink(path);
    unlink(times);
    return status;
}

ww_status wwt_scenario_files(void) {
    ww_context *context = NULL;
    ww_status status = ww_context_create(NULL, &context);
    for (size_t i = 0; status == WW_OK && i < sizeof samples / sizeof *samples; i++)
        status = run_sample(context, &samples[i]);
    ww_context_destroy(&context);
    return status;
}
