// SPDX-License-Identifier: Apache-2.0
// See shapelet_parts.h.
#include "shapelet_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char *say_options(const cli_division *d, const cli_device_options *device, const ww_series_set *train,
                         const ww_shapelets_options *o) {
    char shape[512];
    snprintf(shape, sizeof shape,
             "series %zu best %zu parts %" PRIu64 " length %zu %zu %zu start %zu sample %zu seed %" PRIu64
             " quality %s raw %d unscaled %d",
             ww_series_set_count(train), o->best, d->part_count, o->min_length, o->max_length, o->length_step,
             o->start_step, o->sample, o->seed, ww_shapelet_quality_name(o->quality), o->raw, o->unscaled);
    return cli_division_options(shape, NULL, NULL, device);
}

static int open_journal(cli_division *d, const char *inputs, const char *options, ww_context *context, uint64_t count) {
    ww_journal_options o = WW_JOURNAL_OPTIONS_INIT;
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    o.job = "shapelets";
    o.inputs = inputs;
    o.options = options;
    o.context = context;
    o.first_unit = count * (d->part - 1) / d->part_count;
    o.unit_count = count * d->part / d->part_count - o.first_unit;
    o.resume = d->resume;
    o.any_device = d->any_device;
    if (ww_journal_open(d->journal_path, &o, &d->journal) != WW_OK || ww_journal_get_info(d->journal, &info) != WW_OK)
        return cli_fail();
    d->units = info.unit_count;
    d->resumed = info.found_done;
    return CLI_GO_ON;
}

int cli_shapelet_part_open(cli_division *d, const cli_device_options *device, ww_context *context,
                           const ww_series_set *train, ww_shapelets_options *o, char **checkpoint,
                           ww_shapelets **model) {
    char inputs[256] = "";
    const uint64_t count = ww_series_set_count(train);
    if (d->part_count > count)
        return cli_error("%" PRIu64 " parts of %" PRIu64 " series; at most a part a series", d->part_count, count);
    d->journal_path = cli_part_path(d->parts, d->part, d->part_count, ".journal");
    d->data_path = cli_part_path(d->parts, d->part, d->part_count, ".json");
    *checkpoint = cli_part_path(d->parts, d->part, d->part_count, ".checkpoint");
    char *options = say_options(d, device, train, o);
    int result = d->journal_path && d->data_path && *checkpoint && options ? cli_division_sum(train, inputs)
                                                                           : cli_error("not enough memory");
    if (result == CLI_GO_ON)
        result = cli_division_sum_labels(train, inputs);
    if (result == CLI_GO_ON)
        result = open_journal(d, inputs, options, context, count);
    free(options);
    if (result != CLI_GO_ON)
        return result;
    o->part_first = (size_t)(count * (d->part - 1) / d->part_count);
    o->part_count = (size_t)d->units;
    o->checkpoint = *checkpoint;
    return d->resumed < d->units || ww_shapelets_read(d->data_path, model) == WW_OK ? CLI_GO_ON : cli_fail();
}

int cli_shapelet_part_done(cli_division *d, const ww_shapelets *model) {
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    return ww_shapelets_write(model, d->data_path) == WW_OK && ww_journal_get_info(d->journal, &info) == WW_OK &&
                   ww_journal_mark(d->journal, info.first_unit, info.unit_count) == WW_OK &&
                   ww_journal_write(d->journal) == WW_OK
               ? CLI_GO_ON
               : cli_fail();
}

// ---- merge

static int read_models(const char *folder, uint64_t count, ww_shapelets **parts) {
    for (uint64_t i = 0; i < count; i++) {
        char *path = cli_part_path(folder, i + 1, count, ".json");
        const int result = !path                                         ? cli_error("not enough memory")
                           : ww_shapelets_read(path, &parts[i]) == WW_OK ? CLI_GO_ON
                                                                         : cli_fail();
        free(path);
        if (result != CLI_GO_ON)
            return result;
    }
    return CLI_GO_ON;
}

int cli_shapelet_parts_merge(const char *folder, uint64_t count, const char *options, uint64_t units,
                             const char *output) {
    size_t series = 0, best = 0;
    uint64_t parts = 0;
    ww_shapelets *merged = NULL;
    if (sscanf(options, "series %zu best %zu parts %" SCNu64, &series, &best, &parts) != 3 || parts != count ||
        series != units)
        return cli_error("%s: the parts are not all of the series", folder);
    ww_shapelets **models = calloc((size_t)count, sizeof *models);
    int result = models ? read_models(folder, count, models) : cli_error("not enough memory");
    if (result == CLI_GO_ON &&
        (ww_shapelets_merge((const ww_shapelets *const *)models, (size_t)count, best, &merged) != WW_OK ||
         ww_shapelets_write(merged, output) != WW_OK))
        result = cli_fail();
    ww_shapelets_destroy(&merged);
    for (uint64_t i = 0; models && i < count; i++)
        ww_shapelets_destroy(&models[i]);
    free(models);
    return result;
}
