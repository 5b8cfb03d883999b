// SPDX-License-Identifier: Apache-2.0
// wavewarp classify: k nearest neighbours on labelled sets.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "centroids.h"
#include "classified.h"
#include "commands.h"
#include "euclid.h"
#include "group_job.h"
#include "json.h"

typedef struct classify {
    cli_measure_options measure;
    cli_device_options device;
    cli_read_options read;
    const char *train_path, *test_path, *predictions_path;
    uint64_t k;
    int method, average;
    bool json, no_bounds;
    ww_series_set *train, *test;
    ww_measure used;
    ww_context *context;
    ww_group *group; // several devices, in place of the context
    ww_device_info on;
    ww_classification result; // of a part and a checkpoint, its counts alone
    cli_classified classified;
    cli_division division;
    cli_progress progress;
} classify;

static const char *const methods[] = {"nearest", "centroid", NULL};
enum { NEAREST, CENTROID };

static double share_pruned(const ww_classification *r) {
    return r->cells ? 1.0 - (double)r->cells_done / (double)r->cells : 0.0;
}

// ---- reports

static void print_json(const classify *c, const cli_command *command) {
    const ww_classification *r = &c->result;
    ww_plan_info plan = WW_PLAN_INFO_INIT;
    plan.engine = r->engine;
    plan.pairs = r->pairs;
    plan.cells = r->cells;
    plan.cells_done = r->cells_done;
    plan.pairs_pruned = r->pairs_pruned;
    plan.pairs_abandoned = r->pairs_abandoned;
    plan.launches = r->launches;
    plan.seconds_device = r->seconds_device;
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
    head.files[0] = c->train_path;
    head.files[1] = c->test_path;
    head.counts[0] = ww_series_set_count(c->train);
    head.counts[1] = ww_series_set_count(c->test);
    head.output = c->division.part ? c->division.data_path : c->predictions_path;
    head.measure = &c->used;
    head.measure_options = &c->measure;
    head.read = &c->read;
    head.context = c->group ? ww_group_context(c->group, 0) : c->context;
    head.precision = ww_precision_name(cli_precision(&c->device));
    head.engine = ww_engine_name(plan.engine);
    head.seconds_compute = plan.seconds_wall = r->seconds_compute;
    head.seconds_device = plan.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_json_plan(&json, &plan);
    if (c->group)
        cli_group_json(c->group, NULL, &json);
    cli_division_json(&json, &c->division);
    if (c->division.part)
        cli_json_null(&json, "total");
    else
        cli_classified_json(&json, &c->classified, methods[c->method],
                            c->method == CENTROID ? cli_averages[c->average] : NULL);
    cli_json_end(&json);
}

static void print_text(const classify *c) {
    const ww_classification *r = &c->result;
    cli_classified_print(&c->classified);
    if (c->group)
        printf("devices   %zu, engine %s, %s\n", ww_group_count(c->group), ww_engine_name(r->engine),
               ww_precision_name(cli_precision(&c->device)));
    else
        printf("device    %s (%s), engine %s, %s\n", c->on.name, c->on.platform, ww_engine_name(r->engine),
               ww_precision_name(cli_precision(&c->device)));
    printf("seconds   %.4g computing, %.4g in all\n", r->seconds_compute, cli_seconds());
    printf("cells     %" PRIu64 ", %.4g Gcells/s\n", r->cells_done, cli_rate(r->cells_done, r->seconds_compute) / 1e9);
    printf("pruned    %.1f %% of the cells (%" PRIu64 " of %" PRIu64 " pairs by bounds, %" PRIu64 " abandoned)\n",
           100.0 * share_pruned(r), r->pairs_pruned, r->pairs, r->pairs_abandoned);
    cli_classified_print_confusion(&c->classified);
}

// ---- the command

// The averages of the classes in place of the train set.
static int take_averages(classify *c, const ww_plan_options *plan, ww_dataset **train) {
    ww_series_set *centroids = NULL;
    int result = cli_centroids(&c->used, *train, c->average, plan, &centroids);
    ww_dataset_destroy(train);
    if (result == CLI_GO_ON) {
        ww_series_set_destroy(&c->train);
        c->train = centroids;
        centroids = NULL;
        result = cli_dataset_make(c->context, &c->device, c->train, train);
    }
    ww_series_set_destroy(&centroids);
    return result;
}

static int read_sets(classify *c, const char *command) {
    CLI_TRY(cli_measure_make(command, &c->measure, &c->used));
    CLI_TRY(cli_read(c->train_path, &c->read, 0, true, &c->train));
    CLI_TRY(cli_read(c->test_path, &c->read, 1, true, &c->test));
    CLI_TRY(cli_fit_times(&c->used, c->train, c->test));
    cli_fit_band(&c->measure, &c->used, c->train, c->test);
    return CLI_GO_ON;
}

static int on_group(classify *c, const ww_classify_options *options) {
    ww_group_dataset *train = NULL, *test = NULL;
    int result = cli_group_dataset_make(c->group, &c->device, c->train, &train);
    if (result == CLI_GO_ON)
        result = cli_group_dataset_make(c->group, &c->device, c->test, &test);
    if (result == CLI_GO_ON && ww_group_classify(&c->used, train, test, options, &c->result) != WW_OK)
        result = cli_fail();
    ww_group_dataset_destroy(&train);
    ww_group_dataset_destroy(&test);
    return result;
}

static int on_device(classify *c, const ww_classify_options *options) {
    ww_dataset *train = NULL, *test = NULL;
    int result = cli_dataset_make(c->context, &c->device, c->train, &train);
    if (result == CLI_GO_ON)
        result = cli_dataset_make(c->context, &c->device, c->test, &test);
    if (result == CLI_GO_ON && c->method == CENTROID)
        result = take_averages(c, options->plan, &train);
    if (result == CLI_GO_ON && ww_classify(&c->used, train, test, options, &c->result) != WW_OK)
        result = cli_fail();
    ww_dataset_destroy(&train);
    ww_dataset_destroy(&test);
    return result;
}

// Of all test series: what the reports say.
static int classify_all(classify *c, const ww_classify_options *options) {
    const int64_t euclid = cli_euclid_correct(c->train, c->test);
    if (euclid == CLI_EUCLID_NO_MEMORY)
        return cli_error("out of memory");
    int result = c->group ? on_group(c, options) : on_device(c, options);
    if (result == CLI_GO_ON)
        result = cli_classified_make(&c->used, c->train, c->test, options->k, &c->classified);
    c->classified.found = c->result;
    c->classified.euclid = euclid;
    return result;
}

// Of a part: into its file; else all test series, and journal and file are left to be removed.
static int divide(classify *c, const ww_classify_options *options) {
    ww_dataset *data[2] = {NULL, NULL};
    cli_classify_rows rows = {.series = {.measure = &c->used,
                                         .device = &c->device,
                                         .context = c->context,
                                         .sets = {c->test, c->train},
                                         .data = data}};
    cli_row_job job = {
        .progress = &c->progress, .measure = &c->used, .measure_options = &c->measure, .device = &c->device};
    int result = cli_dataset_make(c->context, &c->device, c->train, &data[1]);
    if (result == CLI_GO_ON)
        result = cli_classify_divide(&rows, options, &job);
    if (result == CLI_GO_ON)
        result = cli_rows_run(&c->division, &job, NULL);
    c->result = rows.did;
    if (result == CLI_GO_ON && !c->division.part)
        result = cli_classified_join(&c->classified, rows.more, options->k, job.rows, c->division.file);
    cli_classify_end(&rows);
    ww_dataset_destroy(&data[1]);
    return result;
}

static int compute(classify *c, const cli_command *command) {
    ww_plan_options plan;
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    int result = read_sets(c, command->name);
    if (result == CLI_GO_ON)
        result = cli_is_group(&c->device) ? cli_group_open(&c->device, &c->group)
                                          : cli_context_open(&c->device, &c->context);
    ww_device_info_init(&c->on, sizeof c->on);
    if (result == CLI_GO_ON && !c->group && ww_context_get_device_info(c->context, &c->on) != WW_OK)
        result = cli_fail();
    if (result != CLI_GO_ON)
        return result;
    options.k = (size_t)c->k;
    cli_plan_options(&c->device, &c->progress, &plan);
    plan.no_bounds = c->no_bounds;
    options.plan = &plan;
    result = cli_divided(&c->division) ? divide(c, &options) : classify_all(c, &options);
    cli_progress_end(&c->progress);
    cli_group_report(c->group);
    return result;
}

static int check(classify *c, const char *command, const char *const *paths, size_t path_count) {
    for (size_t i = 0; i < path_count; i++) {
        const char **place = c->train_path ? &c->test_path : &c->train_path;
        if (*place)
            return cli_usage(command, "'%s' is one file too many: TRAIN and TEST", paths[i]);
        *place = paths[i];
    }
    if (!c->train_path || !c->test_path)
        return cli_usage(command, "TRAIN and TEST are needed, as arguments or by --train FILE and --test FILE");
    if (c->method == CENTROID && c->k != 1)
        return cli_usage(command, "--k is of no use with --method centroid: a class has one average");
    if (c->method != CENTROID && c->average != CLI_AVERAGE_DBA)
        return cli_usage(command, "--average goes with --method centroid");
    if (c->method == CENTROID && cli_is_group(&c->device))
        return cli_usage(command, "--method centroid takes one device: averages are not divided");
    if (c->method == CENTROID && cli_divided(&c->division))
        return cli_usage(command, "--method centroid has no parts and no checkpoint: averages are not divided");
    return cli_division_check_job(command, &c->division, &c->device, c->predictions_path != NULL);
}

static int output(const classify *c, const cli_command *command, bool printed) {
    int result = CLI_GO_ON;
    if (c->predictions_path)
        result = cli_classified_save(&c->classified, c->predictions_path);
    if (result != CLI_GO_ON)
        return result;
    if (c->json)
        print_json(c, command);
    else if (!printed && !c->division.part)
        print_text(c);
    return CLI_GO_ON;
}

int cmd_classify(const cli_command *command, int argc, char **argv) {
    classify c;
    memset(&c, 0, sizeof c);
    c.k = 1;
    const cli_option options[] = {
        {"train", 't', CLI_INPUT, "FILE", "labelled series to learn from, in place of TRAIN", &c.train_path, 0, 0},
        {"test", 'T', CLI_INPUT, "FILE", "series to classify, in place of TEST", &c.test_path, 0, 0},
        {"k", 'k', CLI_COUNT, "K", "neighbours that vote, default 1", &c.k, NULL, 1},
        {"method", 'M', CLI_CHOICE, "M", "by the nearest series, or by the nearest average of a class", &c.method,
         methods, 0},
        {"average", 0, CLI_CHOICE, "A", "with centroid: how a class is averaged, default dba", &c.average, cli_averages,
         0},
        CLI_PARTS_OPTIONS(c.division),
        CLI_CHECKPOINT_OPTION(c.division),
        CLI_MEASURE_OPTIONS(c.measure),
        CLI_ENGINE_OPTION(c.device),
        {"no-bounds", 0, CLI_FLAG, NULL, "compute every distance in full: no lower bounds, no abandoning", &c.no_bounds,
         0, 0},
        {"predictions", 0, CLI_OUTPUT, "FILE",
         "write index, actual and predicted label of every test series; .csv: commas", &c.predictions_path, 0, 0},
        {"json", 'j', CLI_FLAG, NULL, "report as one JSON object", &c.json, 0, 0},
        CLI_READ_OPTIONS(c.read),
        CLI_DEVICE_OPTIONS(c.device),
    };
    const char *paths[2] = {NULL, NULL};
    size_t path_count = 0;
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, paths, 0, 2, &path_count));
    CLI_TRY(check(&c, command->name, paths, path_count));
    ww_classification_init(&c.result, sizeof c.result);
    int result = compute(&c, command);
    if (result == CLI_GO_ON)
        result = output(&c, command, cli_writes_to_stdout(options, CLI_COUNT_OF(options)));
    if (result == CLI_GO_ON && c.division.checkpoint)
        result = cli_division_finish(&c.division, true);
    cli_division_close(&c.division);
    cli_classified_free(&c.classified);
    ww_classification_free(&c.result);
    ww_series_set_destroy(&c.test);
    ww_series_set_destroy(&c.train);
    ww_group_destroy(&c.group);
    ww_context_destroy(&c.context);
    cli_measure_free(&c.used);
    return result == CLI_GO_ON ? CLI_OK : result;
}
