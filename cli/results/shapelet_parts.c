// SPDX-License-Identifier: Apache-2.0
// See shapelet_parts.h.
#include "results/shapelet_parts.h"

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

int cli_shapelet_part_open(cli_division *d, const cli_device_options *device, ww_context *context,
                           const ww_series_set *train, ww_shapelets_options *o, char **checkpoint,
                           ww_shapelets **model) {
    char inputs[256] = "";
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    const uint64_t count = ww_series_set_count(train);
    if (d->part_count > count)
        return cli_error("%" PRIu64 " parts of %" PRIu64 " series; at most a part a series", d->part_count, count);
    d->journal_path = cli_part_path(d->parts, d->part, d->part_count, ".journal");
    d->data_path = cli_part_path(d->parts, d->part, d->part_count, ".json");
    *checkpoint = cli_part_path(d->parts, d->part, d->part_count, ".checkpoint");
    CLI_FREES char *options = say_options(d, device, train, o);
    if (!d->journal_path || !d->data_path || !*checkpoint || !options)
        return cli_error("not enough memory");
    CLI_TRY(cli_division_sum(train, inputs));
    CLI_TRY(cli_division_sum_labels(train, inputs));
    const uint64_t first = count * (d->part - 1) / d->part_count;
    const cli_work work = {.job = "shapelets",
                           .inputs = inputs,
                           .options = options,
                           .context = context,
                           .first = first,
                           .count = count * d->part / d->part_count - first};
    CLI_TRY(cli_journal_open(d->journal_path, &work, d->resume, d->any_device, &d->journal));
    CLI_TRY(cli_status(ww_journal_get_info(d->journal, &info)));
    d->units = info.unit_count;
    d->resumed = info.found_done;
    o->part_first = (size_t)first;
    o->part_count = (size_t)d->units;
    o->checkpoint = *checkpoint;
    return d->resumed < d->units ? CLI_GO_ON : cli_status(ww_shapelets_read(d->data_path, model));
}

int cli_shapelet_part_done(cli_division *d, const ww_shapelets *model) {
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    CLI_TRY(cli_status(ww_shapelets_write(model, d->data_path)));
    CLI_TRY(cli_status(ww_journal_get_info(d->journal, &info)));
    CLI_TRY(cli_status(ww_journal_mark(d->journal, info.first_unit, info.unit_count)));
    return cli_part_sign(d);
}

// ---- merge

// Up to the NULL behind the last.
static void destroy_models(ww_shapelets ***models) {
    for (ww_shapelets **model = *models; model && *model; model++)
        ww_shapelets_destroy(model);
    free(*models);
}

int cli_shapelet_parts_merge(const char *folder, uint64_t count, const char *options, uint64_t units,
                             const char *output) {
    size_t series = 0, best = 0;
    uint64_t parts = 0;
    if (sscanf(options, "series %zu best %zu parts %" SCNu64, &series, &best, &parts) != 3 || parts != count ||
        series != units)
        return cli_error("%s: the parts are not all of the series", folder);
    CLI_ENDS(destroy_models) ww_shapelets **models = calloc((size_t)count + 1, sizeof *models);
    CLI_ENDS(ww_shapelets_destroy) ww_shapelets *merged = NULL;
    if (!models)
        return cli_error("not enough memory");
    for (uint64_t i = 0; i < count; i++) {
        CLI_FREES char *path = cli_part_path(folder, i + 1, count, ".json");
        if (!path)
            return cli_error("not enough memory");
        CLI_TRY(cli_status(ww_shapelets_read(path, &models[i])));
    }
    CLI_TRY(cli_status(ww_shapelets_merge((const ww_shapelets *const *)models, (size_t)count, best, &merged)));
    return cli_status(ww_shapelets_write(merged, output));
}
