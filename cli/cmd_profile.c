// SPDX-License-Identifier: Apache-2.0
// wavewarp profile: matrix profiles of series, their motifs and discords. What they are made of is in profiles.c,
// the picture in profile_picture.c.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "group_job.h"
#include "profile.h"

typedef cli_profile_found found;

typedef struct profile_job {
    cli_device_options device;
    cli_read_options read;
    cli_profile_wanted wanted;
    const char *paths[2], *svg_path, *separation_text, *radius_text;
    uint64_t motifs, discords;
    size_t separation; // SIZE_MAX: not given
    double radius;
    ww_series_set *sets[2];
    ww_context *context;
    ww_group *group;    // several devices; then there is no context
    ww_group_info *did; // of each of them, for all series
    cli_progress progress;
    cli_profiles results;
    cli_division division;
} profile_job;

static void job_end(profile_job *j) {
    cli_division_close(&j->division);
    cli_profiles_free(&j->results);
    ww_series_set_destroy(&j->sets[0]);
    ww_series_set_destroy(&j->sets[1]);
    free(j->did);
    ww_group_destroy(&j->group);
    ww_context_destroy(&j->context);
}

// ---- computing

// A profile's plan; on several devices with the group's, whose it is.
typedef struct planned {
    ww_profile *own;
    ww_group_profile *divided;
    const ww_profile *profile;
} planned;

static ww_status make_plan(const profile_job *j, const ww_series_view views[2], size_t series,
                           const ww_profile_options *options, planned *p) {
    const ww_series_view *other = j->paths[1] ? &views[1] : NULL;
    const size_t of = j->wanted.other_series, window = j->wanted.window;
    const ww_status status =
        j->group ? ww_group_profile_create(j->group, &views[0], series, other, of, window, options, &p->divided)
                 : ww_profile_create(j->context, &views[0], series, other, of, window, options, &p->own);
    p->profile = j->group ? ww_group_profile_plan(p->divided) : p->own;
    return status;
}

static ww_status run_plan(const profile_job *j, planned *p, ww_profile_output *output, ww_profile_info *info) {
    ww_status status = j->group ? ww_group_profile_run(p->divided, output) : ww_profile_run(p->own, output);
    ww_profile_info_init(info, sizeof *info);
    if (status == WW_OK)
        status = j->group ? ww_group_profile_get_info(p->divided, info) : ww_profile_get_info(p->own, info);
    if (j->group)
        cli_group_add(j->group, j->did);
    return status;
}

static int find(const profile_job *j, const ww_profile *profile, found *f) {
    if (j->motifs && !(f->motifs = calloc((size_t)j->motifs, sizeof *f->motifs)))
        return cli_error("not enough memory");
    if (j->discords && !(f->discords = calloc((size_t)j->discords, sizeof *f->discords)))
        return cli_error("not enough memory");
    ww_status status = WW_OK;
    if (j->motifs)
        status = ww_profile_find_motifs(profile, f->distances[0], f->indices[0], j->separation, j->radius,
                                        (size_t)j->motifs, f->motifs, &f->motif_count);
    if (status == WW_OK && j->discords)
        status = ww_profile_find_discords(profile, f->distances[0], j->separation, (size_t)j->discords, f->discords,
                                          &f->discord_count);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

static int compute_one(profile_job *j, found *f, const ww_run_options *run) {
    ww_series_view views[2] = {WW_SERIES_VIEW_INIT, WW_SERIES_VIEW_INIT};
    planned plan = {NULL, NULL, NULL};
    ww_profile_options options;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    for (int i = 0; i < 2 && j->paths[i]; i++)
        if (ww_series_set_view(j->sets[i], &views[i]) != WW_OK)
            return cli_fail();
    cli_profile_options(&j->wanted, cli_precision(&j->device), run, &options);
    if (make_plan(j, views, f->series, &options, &plan) != WW_OK)
        return cli_fail();
    f->windows = ww_series_set_length(j->sets[0], f->series) - j->wanted.window + 1;
    int result = cli_profiles_allocate(&j->results, f);
    if (result == CLI_GO_ON) {
        output.distances = f->distances[0];
        output.indices = f->indices[0];
        output.left_distances = f->distances[1];
        output.left_indices = f->indices[1];
        output.right_distances = f->distances[2];
        output.right_indices = f->indices[2];
        result = run_plan(j, &plan, &output, &f->info) == WW_OK ? find(j, plan.profile, f) : cli_fail();
    }
    ww_group_profile_destroy(&plan.divided);
    ww_profile_destroy(&plan.own);
    return result;
}

static int open_devices(profile_job *j) {
    if (!cli_is_group(&j->device))
        return cli_context_open(&j->device, &j->context);
    CLI_TRY(cli_group_open(&j->device, &j->group));
    j->did = calloc(ww_group_count(j->group), sizeof *j->did);
    return j->did ? CLI_GO_ON : cli_error("not enough memory");
}

static int compute_all(profile_job *j) {
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    const size_t chosen = j->wanted.series;
    j->results = (cli_profiles){.first = chosen == SIZE_MAX ? 0 : chosen,
                                .count = chosen == SIZE_MAX ? ww_series_set_count(j->sets[0]) : 1,
                                .k = (size_t)j->wanted.k,
                                .lists = j->wanted.left_right ? 3 : 1};
    int result = cli_profiles_begin(&j->results);
    for (size_t i = 0; result == CLI_GO_ON && i < j->results.count; i++) {
        memset(&j->progress, 0, sizeof j->progress);
        cli_plan_options(&j->device, &j->progress, &plan);
        result = compute_one(j, &j->results.found[i], plan.run);
        cli_progress_end(&j->progress);
        cli_group_report(j->group);
    }
    return result;
}

// Motifs and discords need each series' plan; so does the report.
static int take_results(profile_job *j, cli_profile_units *units, const cli_row_job *rows) {
    cli_profiles *p = &j->results;
    *p = units->shape;
    int result = cli_profiles_begin(p);
    if (result == CLI_GO_ON)
        result = cli_rows_each(j->division.file, 0, rows->rows, rows->columns, cli_profiles_take, p);
    if (result == CLI_GO_ON)
        result = cli_profiles_finish(p);
    for (size_t s = 0; result == CLI_GO_ON && s < p->count; s++) {
        result = cli_profile_plan(units, s, &p->found[s].info);
        if (result == CLI_GO_ON)
            result = find(j, units->plan, &p->found[s]);
    }
    return result;
}

// With a journal. Of a part: into its file; else as compute_all(), but that journal and file are left to be removed.
static int divide(profile_job *j) {
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    cli_profile_units units = {.context = j->context,
                               .wanted = &j->wanted,
                               .sets = {j->sets[0], j->sets[1]},
                               .precision = cli_precision(&j->device),
                               .progress = &j->progress};
    cli_row_job rows = {.progress = &j->progress, .device = &j->device};
    cli_plan_options(&j->device, &j->progress, &plan);
    units.run = plan.run;
    int result = cli_profile_divide(&units, &rows);
    if (result == CLI_GO_ON)
        result = cli_rows_run(&j->division, &rows, NULL);
    if (result == CLI_GO_ON && !j->division.part)
        result = take_results(j, &units, &rows);
    cli_progress_end(&j->progress);
    cli_profile_units_end(&units);
    return result;
}

// ---- reports

static void print_found(const profile_job *j) {
    for (size_t i = 0; i < j->results.count; i++) {
        const found *f = &j->results.found[i];
        for (size_t m = 0; m < f->motif_count; m++) {
            const ww_profile_motif *motif = &f->motifs[m];
            printf("series %zu\tmotif %zu\t%" PRId64 "\t%" PRId64 "\t%.9g", f->series, m + 1, motif->first,
                   motif->second, motif->distance);
            for (size_t n = 0; n < motif->count; n++)
                printf("\t%" PRId64, motif->neighbours[n]);
            putchar('\n');
        }
        for (size_t d = 0; d < f->discord_count; d++)
            printf("series %zu\tdiscord %zu\t%" PRId64 "\t%.9g\n", f->series, d + 1, f->discords[d],
                   f->distances[0][(size_t)f->discords[d] * j->results.k]);
    }
}

static void json_lists(const profile_job *j, const found *f, cli_json *json) {
    static const char *const names[][2] = {
        {"distances", "indices"}, {"left_distances", "left_indices"}, {"right_distances", "right_indices"}};
    const size_t count = f->windows * j->results.k;
    for (int list = 0; list < j->results.lists; list++) {
        cli_json_line(json);
        cli_json_values(json, names[list][0], f->distances[list], WW_DOUBLE, count);
        cli_json_array(json, names[list][1]);
        for (size_t w = 0; w < count; w++)
            cli_json_integer(json, NULL, f->indices[list][w]);
        cli_json_end(json);
    }
}

static void json_found(const profile_job *j, const found *f, cli_json *json) {
    cli_json_array(json, "motifs");
    for (size_t m = 0; m < f->motif_count; m++) {
        const ww_profile_motif *motif = &f->motifs[m];
        cli_json_line(json);
        cli_json_object(json, NULL);
        cli_json_integer(json, "first", motif->first);
        cli_json_integer(json, "second", motif->second);
        cli_json_number(json, "distance", motif->distance, 17);
        cli_json_array(json, "neighbours");
        for (size_t n = 0; n < motif->count; n++)
            cli_json_integer(json, NULL, motif->neighbours[n]);
        cli_json_end(json);
        cli_json_end(json);
    }
    cli_json_end(json);
    cli_json_array(json, "discords");
    for (size_t d = 0; d < f->discord_count; d++) {
        cli_json_line(json);
        cli_json_object(json, NULL);
        cli_json_integer(json, "window", f->discords[d]);
        cli_json_number(json, "distance", f->distances[0][(size_t)f->discords[d] * j->results.k], 17);
        cli_json_end(json);
    }
    cli_json_end(json);
}

static void print_json(const profile_job *j, const cli_command *command) {
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
    uint64_t pairs = 0;
    head.seconds_compute = head.seconds_device = 0;
    for (int i = 0; i < 2; i++) {
        head.files[i] = j->paths[i];
        head.counts[i] = ww_series_set_count(j->sets[i]);
    }
    for (size_t i = 0; i < j->results.count; i++) {
        pairs += j->results.found[i].info.pairs;
        head.seconds_compute += j->results.found[i].info.seconds_wall;
        head.seconds_device += j->results.found[i].info.seconds_device;
    }
    head.output = j->division.part ? j->division.data_path : j->wanted.output;
    head.metric = "z-normalised euclidean";
    head.read = &j->read;
    head.context = j->group ? ww_group_context(j->group, 0) : j->context;
    head.precision = ww_precision_name(cli_precision(&j->device));
    head.engine = j->results.count ? j->results.found[0].info.form : NULL;
    cli_json_head(&json, stdout, command, &head);
    cli_division_json(&json, &j->division);
    if (j->group)
        cli_group_json(j->group, j->did, &json);
    cli_json_count(&json, "pairs", pairs);
    cli_json_count(&json, "window", j->wanted.window);
    cli_json_count(&json, "k", j->wanted.k);
    if (j->division.part) {
        cli_json_null(&json, "profiles");
        cli_json_end(&json);
        return;
    }
    cli_json_array(&json, "profiles");
    for (size_t i = 0; i < j->results.count; i++) {
        const found *f = &j->results.found[i];
        cli_json_line(&json);
        cli_json_object(&json, NULL);
        cli_json_count(&json, "series", f->series);
        cli_json_count(&json, "windows", f->windows);
        cli_json_count(&json, "exclusion", f->info.exclusion);
        cli_json_count(&json, "candidates", f->info.candidates);
        if (j->motifs || j->discords)
            json_found(j, f, &json);
        if (!j->wanted.output)
            json_lists(j, f, &json);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

// ---- the command

static int check(const cli_command *command, profile_job *j) {
    CLI_TRY(cli_profile_count(command->name, "separation", j->separation_text, &j->separation));
    CLI_TRY(cli_profile_check(command->name, &j->wanted, j->paths[1] != NULL));
    if (j->radius_text && !(cli_number(j->radius_text, &j->radius) && j->radius >= 0))
        return cli_usage(command->name, "--radius takes a number from 0, not '%s'", j->radius_text);
    if (j->paths[1] && j->motifs)
        return cli_usage(command->name, "--left-right, --motifs and --exclusion are for one file");
    return cli_division_check_job(command->name, &j->division, &j->device,
                                  j->wanted.output || j->svg_path || j->motifs || j->discords);
}

static int compute(profile_job *j) {
    int result = CLI_GO_ON;
    for (int i = 0; result == CLI_GO_ON && i < 2 && j->paths[i]; i++)
        result = cli_read(j->paths[i], &j->read, i, false, &j->sets[i]);
    const ww_series_set *const sets[] = {j->sets[0], j->sets[1]};
    if (result == CLI_GO_ON)
        result = cli_profile_select(&j->wanted, j->paths, sets);
    if (result == CLI_GO_ON)
        result = open_devices(j);
    if (result != CLI_GO_ON)
        return result;
    return cli_divided(&j->division) ? divide(j) : compute_all(j);
}

static int report(profile_job *j, const cli_command *command, bool printed) {
    const cli_profile_picture picture = {j->svg_path,      j->sets[0],       j->results.found,
                                         j->results.count, j->wanted.window, j->results.k};
    const bool part = j->division.part != 0;
    int result = j->svg_path ? cli_profile_draw(&picture) : CLI_GO_ON;
    if (result == CLI_GO_ON && j->wanted.output)
        result = cli_profiles_write(&j->results, j->wanted.output);
    if (result != CLI_GO_ON)
        return result;
    if (j->wanted.json)
        print_json(j, command);
    else if ((j->motifs || j->discords) && !printed)
        print_found(j);
    else if (!j->wanted.output && !j->svg_path && !part)
        result = cli_profiles_write(&j->results, NULL);
    return result == CLI_GO_ON && j->division.checkpoint ? cli_division_finish(&j->division, true) : result;
}

int cmd_profile(const cli_command *command, int argc, char **argv) {
    profile_job j = {.wanted = CLI_PROFILE_WANTED_INIT, .separation = SIZE_MAX, .radius = 3};
    const cli_option options[] = {
        CLI_PROFILE_OPTIONS(j.wanted),
        {"svg", 0, CLI_OUTPUT, "FILE", "a picture: the series, its profile, motifs and discords", &j.svg_path, 0, 0},
        CLI_PARTS_OPTIONS(j.division),
        CLI_CHECKPOINT_OPTION(j.division),
        {NULL, 0, CLI_FLAG, NULL, "Motifs and discords", NULL, 0, 0},
        {"motifs", 0, CLI_COUNT, "K", "the K nearest pairs, and the windows near them", &j.motifs, 0, 1},
        {"radius", 0, CLI_TEXT, "R", "near: within R times the pair's distance; default 3", &j.radius_text, 0, 0},
        {"discords", 0, CLI_COUNT, "K", "the K windows farthest from their nearest neighbour", &j.discords, 0, 1},
        {"separation", 0, CLI_TEXT, "N", "no two of them begin so near; default: the exclusion", &j.separation_text, 0,
         0},
        CLI_READ_OPTIONS(j.read),
        CLI_DEVICE_OPTIONS(j.device),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, 2, NULL);
    if (result == CLI_GO_ON)
        result = check(command, &j);
    if (result == CLI_GO_ON)
        result = compute(&j);
    if (result == CLI_GO_ON)
        result = report(&j, command, cli_writes_to_stdout(options, CLI_COUNT_OF(options)));
    job_end(&j);
    return result == CLI_GO_ON ? CLI_OK : result;
}
