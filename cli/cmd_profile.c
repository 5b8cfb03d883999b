// SPDX-License-Identifier: Apache-2.0
// wavewarp profile: matrix profiles of series, their motifs and discords, files of them. The picture is in
// profile_picture.c.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "group_job.h"
#include "profile.h"

typedef cli_profile_found found;

typedef struct profile_job {
    cli_device_options device;
    cli_read_options read;
    const char *paths[2], *output, *svg_path, *window_text, *exclusion_text, *series_text, *other_text,
        *separation_text, *radius_text;
    uint64_t k, motifs, discords, best_channels;
    size_t window, exclusion, separation, series, other_series; // SIZE_MAX: not given
    double radius;
    bool left_right, json;
    ww_series_set *sets[2];
    ww_context *context;
    ww_group *group;    // several devices; then there is no context
    ww_group_info *did; // of each of them, for all series
    cli_progress progress;
    found *results;
    size_t count;
} profile_job;

static int lists_of(const profile_job *j) {
    return j->left_right ? 3 : 1;
}

static void job_end(profile_job *j) {
    for (size_t i = 0; i < j->count; i++) {
        found *f = &j->results[i];
        for (int list = 0; list < 3; list++) {
            free(f->distances[list]);
            free(f->indices[list]);
        }
        ww_profile_motifs_free(f->motifs, f->motif_count);
        free(f->motifs);
        free(f->discords);
    }
    free(j->results);
    ww_series_set_destroy(&j->sets[0]);
    ww_series_set_destroy(&j->sets[1]);
    free(j->did);
    ww_group_destroy(&j->group);
    ww_context_destroy(&j->context);
}

// ---- computing

static int allocate(const profile_job *j, found *f) {
    const size_t count = f->windows * (size_t)j->k;
    bool full = count / (size_t)j->k == f->windows && count <= SIZE_MAX / sizeof(double);
    for (int list = 0; full && list < lists_of(j); list++) {
        f->distances[list] = malloc(count * sizeof(double));
        f->indices[list] = malloc(count * sizeof(int64_t));
        full = f->distances[list] && f->indices[list];
    }
    if (full && j->motifs)
        full = (f->motifs = calloc((size_t)j->motifs, sizeof *f->motifs)) != NULL;
    if (full && j->discords)
        full = (f->discords = calloc((size_t)j->discords, sizeof *f->discords)) != NULL;
    return full ? CLI_GO_ON : cli_error("a profile of %zu windows does not fit memory", f->windows);
}

// A profile's plan; on several devices with the group's, whose it is.
typedef struct planned {
    ww_profile *own;
    ww_group_profile *divided;
    const ww_profile *profile;
} planned;

static ww_status make_plan(const profile_job *j, const ww_series_view views[2], size_t series,
                           const ww_profile_options *options, planned *p) {
    const ww_series_view *other = j->paths[1] ? &views[1] : NULL;
    const ww_status status = j->group ? ww_group_profile_create(j->group, &views[0], series, other, j->other_series,
                                                                j->window, options, &p->divided)
                                      : ww_profile_create(j->context, &views[0], series, other, j->other_series,
                                                          j->window, options, &p->own);
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

static ww_status find(const profile_job *j, const ww_profile *profile, found *f) {
    ww_status status = WW_OK;
    if (j->motifs)
        status = ww_profile_find_motifs(profile, f->distances[0], f->indices[0], j->separation, j->radius,
                                        (size_t)j->motifs, f->motifs, &f->motif_count);
    if (status == WW_OK && j->discords)
        status = ww_profile_find_discords(profile, f->distances[0], j->separation, (size_t)j->discords, f->discords,
                                          &f->discord_count);
    return status;
}

static int compute_one(profile_job *j, found *f, const ww_run_options *run) {
    ww_series_view views[2];
    planned plan = {NULL, NULL, NULL};
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    for (int i = 0; i < 2 && j->paths[i]; i++) {
        ww_series_view_init(&views[i], sizeof views[i]);
        if (ww_series_set_view(j->sets[i], &views[i]) != WW_OK)
            return cli_fail();
    }
    options.k = (size_t)j->k;
    options.exclusion = j->exclusion;
    options.best_channels = (size_t)j->best_channels;
    options.left_right = j->left_right;
    options.precision = cli_precision(&j->device);
    options.run = run;
    ww_status status = make_plan(j, views, f->series, &options, &plan);
    if (status != WW_OK)
        return cli_fail();
    f->windows = ww_series_set_length(j->sets[0], f->series) - j->window + 1;
    const int result = allocate(j, f);
    if (result == CLI_GO_ON) {
        output.distances = f->distances[0];
        output.indices = f->indices[0];
        output.left_distances = f->distances[1];
        output.left_indices = f->indices[1];
        output.right_distances = f->distances[2];
        output.right_indices = f->indices[2];
        status = run_plan(j, &plan, &output, &f->info);
        if (status == WW_OK)
            status = find(j, plan.profile, f);
    }
    ww_group_profile_destroy(&plan.divided);
    ww_profile_destroy(&plan.own);
    return result != CLI_GO_ON ? result : status == WW_OK ? CLI_GO_ON : cli_fail();
}

static int open_devices(profile_job *j) {
    if (!cli_is_group(&j->device))
        return cli_context_open(&j->device, &j->context);
    const int result = cli_group_open(&j->device, &j->group);
    if (result != CLI_GO_ON)
        return result;
    j->did = calloc(ww_group_count(j->group), sizeof *j->did);
    return j->did ? CLI_GO_ON : cli_error("not enough memory");
}

static int compute(profile_job *j) {
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    const size_t all = ww_series_set_count(j->sets[0]);
    j->count = j->series == SIZE_MAX ? all : 1;
    j->results = calloc(j->count, sizeof *j->results);
    if (!j->results) {
        j->count = 0;
        return cli_error("not enough memory");
    }
    int result = open_devices(j);
    for (size_t i = 0; result == CLI_GO_ON && i < j->count; i++) {
        j->results[i].series = j->series == SIZE_MAX ? i : j->series;
        memset(&j->progress, 0, sizeof j->progress);
        cli_plan_options(&j->device, &j->progress, &plan);
        result = compute_one(j, &j->results[i], plan.run);
        cli_progress_end(&j->progress);
        cli_group_report(j->group);
    }
    return result;
}

// ---- files

// A row: series, window, and distance and index of each neighbour; with left and right, theirs follow.
static size_t columns_of(const profile_job *j) {
    return 2 + 2 * (size_t)j->k * (size_t)lists_of(j);
}

static int write_npy(const profile_job *j) {
    ww_array_file *file = NULL;
    const size_t columns = columns_of(j), k = (size_t)j->k;
    size_t rows = 0, at = 0;
    for (size_t i = 0; i < j->count; i++)
        rows += j->results[i].windows;
    double *row = malloc(columns * sizeof *row);
    if (!row)
        return cli_error("not enough memory");
    ww_status status = ww_array_file_create(j->output, WW_DOUBLE, rows, columns, &file);
    for (size_t i = 0; status == WW_OK && i < j->count; i++) {
        const found *f = &j->results[i];
        for (size_t w = 0; status == WW_OK && w < f->windows; w++) {
            size_t column = 0;
            row[column++] = (double)f->series;
            row[column++] = (double)w;
            for (int list = 0; list < lists_of(j); list++)
                for (size_t r = 0; r < k; r++) {
                    row[column++] = f->distances[list][w * k + r];
                    row[column++] = (double)f->indices[list][w * k + r];
                }
            status = ww_array_file_put(file, at++, 1, 0, columns, row);
        }
    }
    free(row);
    const int result = status == WW_OK ? CLI_GO_ON : cli_fail();
    if (file && ww_array_file_close(&file, status == WW_OK) != WW_OK && result == CLI_GO_ON)
        return cli_fail();
    return result;
}

static void write_lines(const profile_job *j, FILE *file, char between) {
    static const char *const names[] = {"", "left_", "right_"};
    const size_t k = (size_t)j->k;
    fprintf(file, "series%cwindow", between);
    for (int list = 0; list < lists_of(j); list++)
        for (size_t r = 1; r <= k; r++)
            fprintf(file, "%c%sdistance_%zu%c%sindex_%zu", between, names[list], r, between, names[list], r);
    fputc('\n', file);
    for (size_t i = 0; i < j->count; i++) {
        const found *f = &j->results[i];
        for (size_t w = 0; w < f->windows; w++) {
            fprintf(file, "%zu%c%zu", f->series, between, w);
            for (int list = 0; list < lists_of(j); list++)
                for (size_t r = 0; r < k; r++)
                    fprintf(file, "%c%.17g%c%" PRId64, between, f->distances[list][w * k + r], between,
                            f->indices[list][w * k + r]);
            fputc('\n', file);
        }
    }
}

static int write_file(const profile_job *j) {
    cli_output output;
    if (cli_name_ends_with(j->output, ".npy"))
        return write_npy(j);
    const char between = cli_name_ends_with(j->output, ".csv") ? ',' : '\t';
    const int result = cli_output_open(j->output, &output);
    if (result != CLI_GO_ON)
        return result;
    write_lines(j, output.file, between);
    return cli_output_close(&output);
}

// ---- reports

static void print_found(const profile_job *j) {
    for (size_t i = 0; i < j->count; i++) {
        const found *f = &j->results[i];
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
                   f->distances[0][(size_t)f->discords[d] * (size_t)j->k]);
    }
}

static void json_lists(const profile_job *j, const found *f, cli_json *json) {
    static const char *const names[][2] = {
        {"distances", "indices"}, {"left_distances", "left_indices"}, {"right_distances", "right_indices"}};
    const size_t count = f->windows * (size_t)j->k;
    for (int list = 0; list < lists_of(j); list++) {
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
        cli_json_number(json, "distance", f->distances[0][(size_t)f->discords[d] * (size_t)j->k], 17);
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
    for (size_t i = 0; i < j->count; i++) {
        pairs += j->results[i].info.pairs;
        head.seconds_compute += j->results[i].info.seconds_wall;
        head.seconds_device += j->results[i].info.seconds_device;
    }
    head.output = j->output;
    head.metric = "z-normalised euclidean";
    head.read = &j->read;
    head.context = j->group ? ww_group_context(j->group, 0) : j->context;
    head.precision = ww_precision_name(cli_precision(&j->device));
    head.engine = j->results[0].info.form;
    cli_json_head(&json, stdout, command, &head);
    if (j->group)
        cli_group_json(j->group, j->did, &json);
    cli_json_count(&json, "pairs", pairs);
    cli_json_count(&json, "window", j->window);
    cli_json_count(&json, "k", j->k);
    cli_json_array(&json, "profiles");
    for (size_t i = 0; i < j->count; i++) {
        const found *f = &j->results[i];
        cli_json_line(&json);
        cli_json_object(&json, NULL);
        cli_json_count(&json, "series", f->series);
        cli_json_count(&json, "windows", f->windows);
        cli_json_count(&json, "exclusion", f->info.exclusion);
        cli_json_count(&json, "candidates", f->info.candidates);
        if (j->motifs || j->discords)
            json_found(j, f, &json);
        if (!j->output)
            json_lists(j, f, &json);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

// ---- the command

// A whole number from an option that was given; `value` stays as it is without one.
static int take_count(const char *command, const char *name, const char *text, size_t *value) {
    double number;
    if (!text)
        return CLI_GO_ON;
    if (!cli_number(text, &number) || !(number >= 0 && number < 1e15) || number != floor(number))
        return cli_usage(command, "--%s takes a whole number, not '%s'", name, text);
    *value = (size_t)number;
    return CLI_GO_ON;
}

static int check(const cli_command *command, profile_job *j) {
    int result = take_count(command->name, "window", j->window_text, &j->window);
    if (result == CLI_GO_ON)
        result = take_count(command->name, "exclusion", j->exclusion_text, &j->exclusion);
    if (result == CLI_GO_ON)
        result = take_count(command->name, "separation", j->separation_text, &j->separation);
    if (result == CLI_GO_ON)
        result = take_count(command->name, "series", j->series_text, &j->series);
    if (result == CLI_GO_ON)
        result = take_count(command->name, "other-series", j->other_text, &j->other_series);
    if (result != CLI_GO_ON)
        return result;
    if (j->window == SIZE_MAX)
        return cli_usage(command->name, "--window is missing");
    if (j->radius_text && !(cli_number(j->radius_text, &j->radius) && j->radius >= 0))
        return cli_usage(command->name, "--radius takes a number from 0, not '%s'", j->radius_text);
    if (j->paths[1] && (j->left_right || j->motifs || j->exclusion_text))
        return cli_usage(command->name, "--left-right, --motifs and --exclusion are for one file");
    if (!j->paths[1] && j->other_text)
        return cli_usage(command->name, "--other-series needs a second file");
    return CLI_GO_ON;
}

static int read_files(profile_job *j) {
    for (int i = 0; i < 2 && j->paths[i]; i++) {
        const int result = cli_read(j->paths[i], &j->read, i, false, &j->sets[i]);
        if (result != CLI_GO_ON)
            return result;
    }
    const size_t count = ww_series_set_count(j->sets[0]), others = ww_series_set_count(j->sets[1]);
    if (j->series != SIZE_MAX && j->series >= count)
        return cli_error("%s has %zu series; there is no number %zu (they count from 0)", j->paths[0], count,
                         j->series);
    if (j->paths[1] && j->other_series == SIZE_MAX && others > 1)
        return cli_error("%s has %zu series: choose one by --other-series", j->paths[1], others);
    if (j->other_series == SIZE_MAX)
        j->other_series = 0;
    if (j->paths[1] && j->other_series >= others)
        return cli_error("%s has %zu series; there is no number %zu (they count from 0)", j->paths[1], others,
                         j->other_series);
    return CLI_GO_ON;
}

static int report(const profile_job *j, const cli_command *command, bool printed) {
    const cli_profile_picture picture = {j->svg_path, j->sets[0], j->results, j->count, j->window, (size_t)j->k};
    int result = j->svg_path ? cli_profile_draw(&picture) : CLI_GO_ON;
    if (result == CLI_GO_ON && j->output)
        result = write_file(j);
    if (result != CLI_GO_ON)
        return result;
    if (j->json)
        print_json(j, command);
    else if ((j->motifs || j->discords) && !printed)
        print_found(j);
    else if (!j->output && !j->svg_path)
        write_lines(j, stdout, '\t');
    return CLI_GO_ON;
}

int cmd_profile(const cli_command *command, int argc, char **argv) {
    profile_job j;
    memset(&j, 0, sizeof j);
    j.k = 1;
    j.window = j.exclusion = j.separation = j.series = j.other_series = SIZE_MAX;
    j.radius = 3;
    const cli_option options[] = {
        {"window", 'w', CLI_TEXT, "N", "points of a window, at least 3", &j.window_text, 0, 0},
        {"k", 'k', CLI_COUNT, "K", "neighbours of each window, up to 64; default 1", &j.k, 0, 1},
        {"exclusion", 0, CLI_TEXT, "N",
         "windows that begin so near are no neighbours; default: a quarter of the window", &j.exclusion_text, 0, 0},
        {"best-channels", 0, CLI_COUNT, "N", "only the N channels in which two windows are nearest count; default: all",
         &j.best_channels, 0, 1},
        {"left-right", 0, CLI_FLAG, NULL, "also the nearest among earlier and among later windows", &j.left_right, 0,
         0},
        {"series", 0, CLI_TEXT, "I", "only this series of the file, from 0; default: each", &j.series_text, 0, 0},
        {"other-series", 0, CLI_TEXT, "I", "which series of OTHER, where it has several", &j.other_text, 0, 0},
        {"output", 'o', CLI_OUTPUT, "FILE", "the profile: .npy, .csv, else text with tabs; '-': standard output",
         &j.output, 0, 0},
        {"json", 'j', CLI_FLAG, NULL, "print one JSON object", &j.json, 0, 0},
        {"svg", 0, CLI_OUTPUT, "FILE", "a picture: the series, its profile, motifs and discords", &j.svg_path, 0, 0},
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
        result = read_files(&j);
    if (result == CLI_GO_ON)
        result = compute(&j);
    if (result == CLI_GO_ON)
        result = report(&j, command, cli_writes_to_stdout(options, CLI_COUNT_OF(options)));
    job_end(&j);
    return result == CLI_GO_ON ? CLI_OK : result;
}
