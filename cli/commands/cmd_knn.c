// SPDX-License-Identifier: Apache-2.0
// wavewarp knn: exact nearest neighbours of points, and prediction from them.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/point_options.h"
#include "base/precision.h"
#include "base/series_job.h"
#include "base/shares.h"
#include "commands/commands.h"
#include "results/neighbours.h"
#include "results/radius.h"

typedef struct knn_job {
    cli_series_job s; // without series: queries and base; the base alone comes first
    cli_neighbour_options wanted;
    const char *classes_path, *values_path;
    const char *radius_text, *p_text;
    const char *subset_path, *names_path;
    bool narrow;
    int64_t *subset, *names; // of the base's points: those that count, and their own ids; NULL: all, from 0
    size_t subset_count;
    double radius; // INFINITY: none
    double p;      // of Minkowski's metric; 0: none is given
    int metric;
    ww_point_set *sets[2];
    ww_point_view views[2];
    ww_points *points[2]; // as the paths
    ww_knn *knn;
    ww_knn_info info; // of all runs
    cli_neighbours found;
    size_t full;       // queries whose K neighbours are all within the radius
    double *known;     // of each point of the base its class or value, NULL: none is asked for
    double *predicted; // of each query
} knn_job;

static void job_end(knn_job *j) {
    ww_knn_destroy(&j->knn);
    for (int i = 1; i >= 0; i--) {
        ww_points_destroy(&j->points[i]);
        ww_point_set_destroy(&j->sets[i]);
    }
    cli_series_end(&j->s);
    cli_neighbours_free(&j->found);
    free(j->known);
    free(j->predicted);
    free(j->subset);
    free(j->names);
}

static int base_of(const knn_job *j) {
    return j->s.paths[1] ? 1 : 0;
}

static void note_run(void *user) {
    knn_job *j = user;
    ww_knn_info info = WW_KNN_INFO_INIT;
    if (ww_knn_get_info(j->knn, &info) != WW_OK)
        return;
    info.pairs += j->info.pairs;
    info.examined += j->info.examined;
    info.seconds_wall += j->info.seconds_wall;
    info.seconds_device += j->info.seconds_device;
    j->info = info;
}

static int search(knn_job *j) {
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    cli_neighbours *n = &j->found;
    const int base = base_of(j);
    CLI_TRY(cli_neighbours_allocate(n));
    options.metric = (ww_metric)j->metric;
    options.run = j->s.plan.run;
    options.p = j->p;
    options.subset = j->subset;
    options.subset_count = j->subset_count;
    ww_status status = ww_knn_create(j->points[base], base ? j->points[0] : NULL, n->k, &options, &j->knn);
    if (status == WW_OK)
        status = ww_knn_run(j->knn, n->ids, n->distances, NULL);
    cli_progress_end();
    CLI_TRY(cli_status(status));
    note_run(j);
    j->full = cli_points_within(n, j->radius);
    return CLI_GO_ON;
}

// ---- prediction

// The file of classes or values.
static int read_known(knn_job *j) {
    const char *path = j->classes_path ? j->classes_path : j->values_path;
    const size_t count = j->views[base_of(j)].count;
    CLI_ENDS(ww_point_set_destroy) ww_point_set *set = NULL;
    ww_point_view view;
    if (!path)
        return CLI_GO_ON;
    CLI_TRY(cli_points_read(path, WW_METRIC_L2, &set, &view));
    if (view.count * view.dimension != count)
        return cli_error("%s has %zu values, the base has %zu points", path, view.count * view.dimension, count);
    if (!(j->known = malloc(count * sizeof *j->known)))
        return cli_error("not enough memory");
    for (size_t i = 0; i < count; i++) {
        const double value = j->known[i] = cli_value_at(view.values, view.precision, i);
        if (j->classes_path && !(value >= 0 && value <= 2147483647.0 && value == (double)(int64_t)value))
            return cli_error("%s: the class of point %zu is %g; classes are whole numbers from 0", path, i, value);
    }
    return CLI_GO_ON;
}

// Of each query the mean over its neighbours, or the most frequent class.
static int predict(knn_job *j) {
    const cli_neighbours *n = &j->found;
    const size_t count = j->views[base_of(j)].count;
    if (!(j->predicted = malloc(n->queries * sizeof *j->predicted)))
        return cli_error("not enough memory");
    if (!j->classes_path)
        return cli_status(ww_knn_mean(n->ids, n->queries, n->k, j->known, count, j->predicted));
    CLI_FREES int64_t *labels = malloc(count * sizeof *labels);
    CLI_FREES int64_t *voted = malloc(n->queries * sizeof *voted);
    if (!labels || !voted)
        return cli_error("not enough memory");
    for (size_t i = 0; i < count; i++)
        labels[i] = (int64_t)j->known[i];
    CLI_TRY(cli_status(ww_knn_vote(n->ids, n->queries, n->k, labels, count, voted)));
    for (size_t q = 0; q < n->queries; q++)
        j->predicted[q] = (double)voted[q];
    return CLI_GO_ON;
}

static int compute(knn_job *j) {
    cli_neighbours *n = &j->found;
    n->queries = j->views[0].count;
    n->k = (size_t)j->wanted.k;
    n->precision = cli_points_precision(&j->s.device, &j->views[0]);
    cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
    cli_progress_unit(&j->s.progress, &j->s.device, j->s.context, "Gpairs", 1e9);
    const int result = search(j);
    cli_progress_end();
    return result;
}

// ---- what it writes

static void begin_json(const knn_job *j, const cli_command *command, cli_json *json) {
    const ww_knn_info *info = &j->info;
    cli_head head = cli_series_head(&j->s, j->wanted.output);
    for (int i = 0; i < 2; i++)
        head.counts[i] = j->views[i].count;
    head.measure = NULL;
    head.read = NULL;
    head.metric = ww_word(WW_WORD_METRIC, (ww_metric)j->metric);
    head.precision = ww_word(WW_WORD_PRECISION, j->found.precision);
    head.engine = info->filter;
    head.seconds_compute = info->seconds_wall;
    head.seconds_device = info->seconds_device;
    cli_json_head(json, stdout, command, &head);
    cli_division_json(json, &j->s.division);
    cli_json_count(json, "pairs", info->pairs);
    cli_json_count(json, "examined", info->examined);
    cli_shares_json(j->s.context, NULL, json);
    cli_json_count(json, "k", j->found.k);
    cli_json_number(json, "radius", j->radius, 17); // none: null
}

static int output(knn_job *j, const cli_command *command) {
    const cli_neighbours *n = &j->found;
    cli_json json;
    cli_shares_report(j->s.context);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "%" PRIu64 " pairs in %.4g s, filter %s\n", j->info.pairs, j->info.seconds_wall,
                j->info.filter);
    // A prediction replaces the neighbours on standard output.
    if (!j->known || !cli_neighbours_in_json(&j->wanted))
        CLI_TRY(cli_neighbours_write(n, &j->wanted));
    if (j->wanted.json) {
        begin_json(j, command, &json);
        if (j->known)
            cli_json_values(&json, "predictions", j->predicted, WW_DOUBLE, n->queries);
        cli_neighbours_json(&json, n, &j->wanted);
        cli_json_end(&json);
    } else if (j->known) {
        for (size_t q = 0; q < n->queries; q++)
            printf("%.17g\n", j->predicted[q]);
    }
    return cli_division_finish(&j->s.division);
}

static int check_options(const cli_command *command, knn_job *j) {
    const cli_neighbour_options *w = &j->wanted;
    if (j->classes_path && j->values_path)
        return cli_usage(command->name, "--classes and --values exclude each other");
    if (j->p_text && (!cli_number(j->p_text, &j->p) || !(j->p >= 1)))
        return cli_usage(command->name, "--p is '%s', but must be a number from 1", j->p_text);
    if (j->p_text && j->metric != WW_METRIC_MINKOWSKI)
        return cli_usage(command->name, "--p is for the metric minkowski");
    CLI_TRY(cli_points_radius(command->name, j->radius_text, (ww_metric)j->metric, &j->radius));
    CLI_TRY(cli_division_check(command->name, &j->s.division, cli_neighbours_output(w)));
    if (j->s.division.part && (j->classes_path || j->values_path))
        return cli_usage(command->name, "--classes and --values are for all queries, not for a part");
    if (j->names_path && (j->classes_path || j->values_path))
        return cli_usage(command->name, "--classes and --values count the base's points from 0: without --base-ids");
    return CLI_GO_ON;
}

static int read_ids(knn_job *j) {
    const size_t base = j->views[base_of(j)].count;
    size_t count = base;
    CLI_TRY(j->subset_path ? cli_points_read_ids(j->subset_path, &j->subset, &j->subset_count) : CLI_GO_ON);
    CLI_TRY(j->names_path ? cli_points_read_ids(j->names_path, &j->names, &count) : CLI_GO_ON);
    return count == base ? CLI_GO_ON : cli_error("%s has %zu ids, the base has %zu points", j->names_path, count, base);
}

// Reads and uploads the points.
static int load(knn_job *j) {
    for (int i = 0; i < 2 && j->s.paths[i]; i++)
        CLI_TRY((j->narrow ? cli_points_read_narrow : cli_points_read)(j->s.paths[i], (ww_metric)j->metric, &j->sets[i],
                                                                       &j->views[i]));
    CLI_TRY(read_known(j));
    CLI_TRY(read_ids(j));
    j->s.output = cli_neighbours_output(&j->wanted);
    CLI_TRY(cli_series_open(&j->s));
    cli_precision_of_points(&j->s.device, j->s.context, j->views, j->s.paths, false);
    for (int i = 0; i < 2 && j->s.paths[i]; i++)
        CLI_TRY(cli_points_upload_as(j->s.context, &j->s.device, j->s.paths[i], &j->views[i],
                                     j->metric == WW_METRIC_NAN_L2, i == base_of(j) ? j->names : NULL, &j->points[i]));
    return CLI_GO_ON;
}

static int work(knn_job *j, const cli_command *command) {
    const bool all = j->radius_text && j->wanted.k == 0;
    j->wanted.k = j->wanted.k ? j->wanted.k : all ? CLI_RADIUS_K : 1;
    CLI_TRY(load(j));
    const size_t most = j->views[base_of(j)].count < WW_KNN_MOST ? j->views[base_of(j)].count : WW_KNN_MOST;
    if (all && most < j->wanted.k)
        j->wanted.k = most;
    CLI_TRY(cli_series_end_part(&j->s, command, j->wanted.json, compute(j)));
    // A query that has as many within the radius as were asked for may have more.
    while (all && j->full && j->wanted.k < most && !cli_divided(&j->s.division)) {
        j->wanted.k = 8 * j->wanted.k < most ? 8 * j->wanted.k : most;
        cli_neighbours_free(&j->found);
        ww_knn_destroy(&j->knn);
        CLI_TRY(compute(j));
    }
    cli_points_say_full(j->full, &j->found, j->views[base_of(j)].count, j->radius);
    CLI_TRY(j->known ? predict(j) : CLI_GO_ON);
    return output(j, command);
}

int cmd_knn(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) knn_job j = {.radius = INFINITY, .info = WW_KNN_INFO_INIT};
    const cli_option options[] = {
        CLI_NEIGHBOUR_OPTIONS(j.wanted),
        CLI_ONE_OF("metric", 'm', "M", "distance of two points", &j.metric, cli_metrics),
        CLI_OPTION("p", 0, CLI_TEXT, "P", "p of the metric minkowski: 1 or more; default 2", &j.p_text),
        CLI_OPTION("radius", 0, CLI_TEXT, "R",
                   "only neighbours at most R away, all of them, or with --k the K nearest of them", &j.radius_text),
        CLI_OPTION("classes", 0, CLI_INPUT, "FILE", "class number of every point of the base: print each query's class",
                   &j.classes_path),
        CLI_OPTION("values", 0, CLI_INPUT, "FILE",
                   "value of every point of the base: print the mean over each query's neighbours", &j.values_path),
        CLI_OPTION("subset", 0, CLI_INPUT, "FILE", "only these points of the base count: their ids, as numbers",
                   &j.subset_path),
        CLI_OPTION("base-ids", 0, CLI_INPUT, "FILE", "ids of the base's points, one a point; default: 0, 1, 2, ...",
                   &j.names_path),
        CLI_SWITCH("narrow", 0,
                   "keep bytes (.bvecs, .npy) and halves (.npy) as they are, in less memory; the results are the same",
                   &j.narrow),
        CLI_DIVISION_OPTIONS(j.s.division),
        CLI_DEVICE_OPTIONS(j.s.device),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.s.paths, 1, 2, NULL));
    CLI_TRY(check_options(command, &j));
    return work(&j, command);
}
