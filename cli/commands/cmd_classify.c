// SPDX-License-Identifier: Apache-2.0
// wavewarp classify: k nearest neighbours on labelled sets.
#include <inttypes.h>

#include "base/series_job.h"
#include "commands/centroids.h"
#include "commands/commands.h"
#include "pictures/confusion_picture.h"
#include "results/classified.h"
#include "results/euclid.h"

typedef struct classify {
    cli_series_job s; // the train and the test set
    const char *predictions_path, *svg;
    uint64_t k;
    int method, average;
    bool json, no_bounds;
    ww_device_info on;
    ww_classification result;
    cli_classified classified;
} classify;

static const char *const methods[] = {"nearest", "centroid", NULL};
enum { NEAREST, CENTROID };

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
    cli_head head = cli_series_head(&c->s, c->predictions_path);
    head.engine = ww_word(WW_WORD_ENGINE, plan.engine);
    head.seconds_compute = plan.seconds_wall = r->seconds_compute;
    head.seconds_device = plan.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_json_plan(&json, &plan);
    cli_shares_json(c->s.context, NULL, &json);
    cli_division_json(&json, &c->s.division);
    cli_classified_json(&json, &c->classified, methods[c->method],
                        c->method == CENTROID ? cli_averages[c->average] : NULL);
    cli_json_end(&json);
}

static void print_text(const classify *c) {
    const ww_classification *r = &c->result;
    const double done = r->cells ? (double)r->cells_done / (double)r->cells : 1.0;
    cli_classified_print(&c->classified);
    if (ww_context_device_count(c->s.context) > 1)
        printf("devices   %zu, engine %s, %s\n", ww_context_device_count(c->s.context),
               ww_word(WW_WORD_ENGINE, r->engine), ww_word(WW_WORD_PRECISION, cli_precision(&c->s.device)));
    else
        printf("device    %s (%s), engine %s, %s\n", c->on.name, c->on.platform, ww_word(WW_WORD_ENGINE, r->engine),
               ww_word(WW_WORD_PRECISION, cli_precision(&c->s.device)));
    printf("seconds   %.4g computing, %.4g in all\n", r->seconds_compute, cli_seconds());
    printf("cells     %" PRIu64 ", %.4g Gcells/s\n", r->cells_done, cli_rate(r->cells_done, r->seconds_compute) / 1e9);
    printf("pruned    %.1f %% of the cells (%" PRIu64 " of %" PRIu64 " pairs by bounds, %" PRIu64 " abandoned)\n",
           100.0 * (1.0 - done), r->pairs_pruned, r->pairs, r->pairs_abandoned);
    cli_classified_print_confusion(&c->classified);
}

// ---- the command

// The averages of the classes in place of the train set.
static int take_averages(classify *c) {
    CLI_ENDS(ww_series_set_destroy) ww_series_set *centroids = NULL;
    CLI_TRY(cli_centroids(&c->s.measure, c->s.data[0], c->average, &c->s.plan, &centroids));
    ww_dataset_destroy(&c->s.data[0]);
    ww_series_set_destroy(&c->s.sets[0]);
    c->s.sets[0] = cli_taken(&centroids);
    return cli_dataset_make(c->s.context, &c->s.device, NULL, c->s.sets[0], &c->s.data[0]);
}

// Of all test series: what the reports say.
static int classify_all(classify *c, const ww_classify_options *options) {
    cli_series_job *s = &c->s;
    const int64_t euclid = cli_euclid_correct(s->sets[0], s->sets[1]);
    if (euclid == CLI_EUCLID_NO_MEMORY)
        return cli_error("out of memory");
    CLI_TRY(cli_series_put(s));
    if (c->method == CENTROID)
        CLI_TRY(take_averages(c));
    CLI_TRY(cli_status(ww_classify(&s->measure, s->data[0], s->data[1], options, &c->result)));
    CLI_TRY(cli_classified_make(&s->measure, s->sets[0], s->sets[1], options->k, &c->classified));
    c->classified.found = c->result;
    c->classified.euclid = euclid;
    return CLI_GO_ON;
}

static int compute(classify *c, const cli_command *command) {
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    CLI_TRY(cli_series_read(&c->s, command->name));
    if (c->svg && !ww_series_set_class_count(c->s.sets[1]))
        return cli_error("--svg draws the confusion of the classes, and the series of %s have no labels",
                         c->s.paths[1]);
    CLI_TRY(cli_series_fit(&c->s));
    CLI_TRY(cli_series_open(&c->s));
    c->on = (ww_device_info)WW_DEVICE_INFO_INIT;
    CLI_TRY(cli_status(ww_context_get_device_info(c->s.context, &c->on)));
    cli_plan_options(&c->s.device, &c->s.progress, &c->s.plan);
    c->s.plan.no_bounds = c->no_bounds;
    options.k = (size_t)c->k;
    options.plan = &c->s.plan;
    const int result = classify_all(c, &options);
    cli_progress_end();
    cli_shares_report(c->s.context);
    return result;
}

static int check(classify *c, const char *command, const char *const *paths, size_t path_count) {
    for (size_t i = 0; i < path_count; i++) {
        const char **place = c->s.paths[0] ? &c->s.paths[1] : &c->s.paths[0];
        if (*place)
            return cli_usage(command, "'%s' is one file too many: TRAIN and TEST", paths[i]);
        *place = paths[i];
    }
    if (!c->s.paths[0] || !c->s.paths[1])
        return cli_usage(command, "TRAIN and TEST are needed, as arguments or by --train FILE and --test FILE");
    if (c->method == CENTROID && c->k != 1)
        return cli_usage(command, "--k is of no use with --method centroid: a class has one average");
    if (c->method != CENTROID && c->average != CLI_AVERAGE_DBA)
        return cli_usage(command, "--average goes with --method centroid");
    c->s.output = c->predictions_path;
    return cli_division_check(command, &c->s.division, c->predictions_path || c->svg);
}

static int output(classify *c, const cli_command *command, bool printed) {
    if (c->predictions_path)
        CLI_TRY(cli_classified_save(&c->classified, c->predictions_path));
    if (c->svg)
        CLI_TRY(cli_confusion_draw(&c->classified, c->svg));
    if (c->json)
        print_json(c, command);
    else if (!printed)
        print_text(c);
    return cli_division_finish(&c->s.division);
}

static void end(classify *c) {
    cli_classified_free(&c->classified);
    ww_classification_free(&c->result);
    cli_series_end(&c->s);
}

int cmd_classify(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(end) classify c = {.k = 1, .result = WW_CLASSIFICATION_INIT};
    const cli_option options[] = {
        CLI_OPTION("train", 't', CLI_INPUT, "FILE", "labelled series to learn from, in place of TRAIN", &c.s.paths[0]),
        CLI_OPTION("test", 'T', CLI_INPUT, "FILE", "series to classify, in place of TEST", &c.s.paths[1]),
        CLI_NUMBER("k", 'k', "K", "neighbours that vote, default 1", &c.k, 1),
        CLI_ONE_OF("method", 'M', "M", "by the nearest series, or by the nearest average of a class", &c.method,
                   methods),
        CLI_ONE_OF("average", 0, "A", "with centroid: how a class is averaged, default dba", &c.average, cli_averages),
        CLI_DIVISION_OPTIONS(c.s.division),
        CLI_MEASURE_OPTIONS(c.s.measure_options),
        CLI_ENGINE_OPTION(c.s.device),
        CLI_SWITCH("no-bounds", 0, "compute every distance in full: no lower bounds, no abandoning", &c.no_bounds),
        CLI_OPTION("predictions", 0, CLI_OUTPUT, "FILE",
                   "write index, actual and predicted label of every test series; .csv: commas", &c.predictions_path),
        CLI_OPTION("svg", 0, CLI_OUTPUT, "FILE", "draw how many series of each class were taken for each class",
                   &c.svg),
        CLI_SWITCH("json", 'j', "report as one JSON object", &c.json),
        CLI_READ_OPTIONS(c.s.read),
        CLI_DEVICE_OPTIONS(c.s.device),
    };
    const char *paths[2] = {NULL, NULL};
    size_t path_count = 0;
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, paths, 0, 2, &path_count));
    CLI_TRY(check(&c, command->name, paths, path_count));
    CLI_TRY(cli_series_end_part(&c.s, command, c.json, compute(&c, command)));
    return output(&c, command, cli_writes_to_stdout(options, CLI_COUNT_OF(options)));
}
