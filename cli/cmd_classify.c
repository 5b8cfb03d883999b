// SPDX-License-Identifier: Apache-2.0
// wavewarp classify: k nearest neighbours on labelled sets.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "centroids.h"
#include "commands.h"
#include "escape.h"
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
    ww_classification result;
    int64_t euclid; // correct ones by the Euclidean distance, -1: not defined
} classify;

static const char *const methods[] = {"nearest", "centroid", NULL};
enum { NEAREST, CENTROID };

static const char *predicted_label(const void *user, size_t i) {
    const classify *c = user;
    return c->result.predicted[i] < 0 ? NULL : ww_series_set_class_name(c->train, (size_t)c->result.predicted[i]);
}

static double accuracy(const ww_classification *result) {
    return result->labelled ? (double)result->correct / (double)result->labelled : 0.0;
}

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
    head.counts[1] = r->total;
    head.output = c->predictions_path;
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
    cli_json_text(&json, "method", methods[c->method]);
    cli_json_text(&json, "average", c->method == CENTROID ? cli_averages[c->average] : NULL);
    cli_json_count(&json, "k", c->k);
    cli_json_count(&json, "total", r->total);
    cli_json_count(&json, "labelled", r->labelled);
    cli_json_count(&json, "correct", r->correct);
    cli_json_number(&json, "accuracy", r->labelled ? accuracy(r) : NAN, 10);
    cli_json_number(&json, "euclidean_accuracy",
                    c->euclid >= 0 && r->labelled ? (double)c->euclid / (double)r->labelled : NAN, 10);
    cli_json_array(&json, "classes");
    for (size_t k = 0; k < r->classes; k++)
        cli_json_text(&json, NULL, ww_series_set_class_name(c->train, k));
    cli_json_end(&json);
    if (r->labelled) {
        cli_json_array(&json, "confusion");
        for (size_t i = 0; i < r->classes; i++) {
            cli_json_array(&json, NULL);
            for (size_t j = 0; j < r->classes; j++)
                cli_json_count(&json, NULL, r->confusion[i * r->classes + j]);
            cli_json_end(&json);
        }
        cli_json_end(&json);
    } else {
        cli_json_null(&json, "confusion");
    }
    cli_json_end(&json);
}

static void print_confusion(const classify *c) {
    enum { LEAST = 6, MOST = 16 };
    const ww_classification *r = &c->result;
    size_t width = LEAST;
    for (size_t k = 0; k < r->classes; k++) {
        const size_t length = cli_escaped_width(ww_series_set_class_name(c->train, k));
        if (length > width)
            width = length < MOST ? length : MOST;
    }
    printf("\nconfusion (rows actual, columns predicted)\n%*s", (int)width, "");
    for (size_t k = 0; k < r->classes; k++) {
        putchar(' ');
        cli_print_column(stdout, ww_series_set_class_name(c->train, k), width);
    }
    putchar('\n');
    for (size_t i = 0; i < r->classes; i++) {
        cli_print_column(stdout, ww_series_set_class_name(c->train, i), width);
        for (size_t j = 0; j < r->classes; j++)
            printf(" %*zu", (int)width, r->confusion[i * r->classes + j]);
        putchar('\n');
    }
}

static void print_text(const classify *c) {
    const ww_classification *r = &c->result;

    size_t strangers = 0;
    for (size_t i = 0; i < r->total; i++)
        strangers += r->actual[i] == -2;
    if (r->labelled)
        printf("accuracy  %.4f (%zu of %zu)\n", accuracy(r), r->correct, r->labelled);
    else
        puts("accuracy  unknown: the test series have no labels");
    if (c->euclid >= 0 && r->labelled)
        printf("euclidean %.4f (%" PRId64 " of %zu): 1-NN by the Euclidean distance\n",
               (double)c->euclid / (double)r->labelled, c->euclid, r->labelled);
    if (r->labelled && r->labelled < r->total)
        printf("          %zu test series without a label\n", r->total - r->labelled);
    if (strangers)
        printf("          %zu test series with a label that no training series has\n", strangers);
    printf("measure   %s, %zu against %zu series\n", ww_measure_info_by_id(c->used.id)->name, r->total,
           ww_series_set_count(c->train));
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
    if (r->labelled)
        print_confusion(c);
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
    int result = cli_measure_make(command, &c->measure, &c->used);
    if (result == CLI_GO_ON)
        result = cli_read(c->train_path, &c->read, 0, true, &c->train);
    if (result == CLI_GO_ON)
        result = cli_read(c->test_path, &c->read, 1, true, &c->test);
    if (result == CLI_GO_ON)
        result = cli_fit_times(&c->used, c->train, c->test);
    if (result == CLI_GO_ON)
        cli_fit_band(&c->measure, &c->used, c->train, c->test);
    return result;
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

static int compute(classify *c, const cli_command *command) {
    cli_progress progress;
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
    cli_plan_options(&c->device, &progress, &plan);
    plan.no_bounds = c->no_bounds;
    options.plan = &plan;
    ww_classification_init(&c->result, sizeof c->result);
    c->euclid = cli_euclid_correct(c->train, c->test);
    if (c->euclid == CLI_EUCLID_NO_MEMORY)
        result = cli_error("out of memory");
    if (result == CLI_GO_ON)
        result = c->group ? on_group(c, &options) : on_device(c, &options);
    cli_progress_end(&progress);
    cli_group_report(c->group);
    return result;
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
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, paths, 0, 2, &path_count);
    if (result != CLI_GO_ON)
        return result;
    for (size_t i = 0; i < path_count; i++) {
        const char **place = c.train_path ? &c.test_path : &c.train_path;
        if (*place)
            return cli_usage(command->name, "'%s' is one file too many: TRAIN and TEST", paths[i]);
        *place = paths[i];
    }
    if (!c.train_path || !c.test_path)
        return cli_usage(command->name, "TRAIN and TEST are needed, as arguments or by --train FILE and --test FILE");
    if (c.method == CENTROID && c.k != 1)
        return cli_usage(command->name, "--k is of no use with --method centroid: a class has one average");
    if (c.method != CENTROID && c.average != CLI_AVERAGE_DBA)
        return cli_usage(command->name, "--average goes with --method centroid");
    if (c.method == CENTROID && cli_is_group(&c.device))
        return cli_usage(command->name, "--method centroid takes one device: averages are not divided");

    result = compute(&c, command);
    if (result == CLI_GO_ON && c.predictions_path)
        result = cli_save_predictions(c.predictions_path, c.test, predicted_label, &c);
    if (result == CLI_GO_ON) {
        if (c.json)
            print_json(&c, command);
        else if (!cli_writes_to_stdout(options, CLI_COUNT_OF(options)))
            print_text(&c);
        result = CLI_OK;
    }
    ww_classification_free(&c.result);
    ww_series_set_destroy(&c.test);
    ww_series_set_destroy(&c.train);
    ww_group_destroy(&c.group);
    ww_context_destroy(&c.context);
    cli_measure_free(&c.used);
    return result;
}
