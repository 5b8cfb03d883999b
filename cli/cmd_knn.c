// SPDX-License-Identifier: Apache-2.0
// wavewarp knn: exact nearest neighbours of points, and prediction from them.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "group_job.h"
#include "neighbours.h"
#include "point_options.h"

const char *const cli_metrics[] = {"l2",      "l2-squared", "l1",           "linf", "cosine", "inner-product",
                                   "hamming", "jaccard",    "jaccard-bits", NULL};

int cli_points_read(const char *path, ww_metric metric, ww_point_set **set, ww_point_view *view) {
    const ww_status status = ww_point_set_read(path, ww_metric_kind(metric), set);
    if (status != WW_OK)
        return cli_fail();
    ww_point_view_init(view, sizeof *view);
    return ww_point_set_view(*set, view) == WW_OK ? CLI_GO_ON : cli_fail();
}

int cli_points_upload(ww_context *context, const cli_device_options *device, const ww_point_view *view,
                      ww_points **points) {
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    options.precision = cli_precision(device);
    options.max_bytes = device->max_bytes;
    return ww_points_create(context, view, &options, points) == WW_OK ? CLI_GO_ON : cli_fail();
}

// A value for each query, printed or as "predictions": the mean over its neighbours, or with `classes` the most
// frequent.
static int predict(const char *path, bool classes, const cli_neighbours *n, size_t base_count, cli_json *json) {
    ww_point_set *set = NULL;
    ww_point_view view;
    int result = cli_points_read(path, WW_METRIC_L2, &set, &view);
    int64_t *labels = NULL, *voted = NULL;
    double *values = NULL, *means = NULL;
    if (result != CLI_GO_ON)
        return result;
    if (view.count * view.dimension != base_count) {
        result = cli_error("%s has %zu values, the base has %zu points", path, view.count * view.dimension, base_count);
        goto done;
    }
    labels = malloc(base_count * sizeof *labels);
    values = malloc(base_count * sizeof *values);
    voted = malloc(n->queries * sizeof *voted);
    means = malloc(n->queries * sizeof *means);
    if (!labels || !values || !voted || !means) {
        result = cli_error("not enough memory");
        goto done;
    }
    for (size_t i = 0; i < base_count; i++) {
        values[i] = cli_value_at(view.values, view.precision, i);
        if (classes && !(values[i] >= 0 && values[i] <= 2147483647.0 && values[i] == (double)(int64_t)values[i])) {
            result =
                cli_error("%s: the class of point %zu is %g; classes are whole numbers from 0", path, i, values[i]);
            goto done;
        }
        labels[i] = classes ? (int64_t)values[i] : 0;
    }
    if ((classes ? ww_knn_vote(n->ids, n->queries, n->k, labels, base_count, voted)
                 : ww_knn_mean(n->ids, n->queries, n->k, values, base_count, means)) != WW_OK) {
        result = cli_fail();
        goto done;
    }
    if (json)
        cli_json_array(json, "predictions");
    for (size_t q = 0; q < n->queries; q++) {
        if (json && classes)
            cli_json_integer(json, NULL, voted[q]);
        else if (json)
            cli_json_number(json, NULL, means[q], 17);
        else if (classes)
            printf("%ld\n", voted[q]);
        else
            printf("%.17g\n", means[q]);
    }
    if (json)
        cli_json_end(json);
done:
    free(means);
    free(voted);
    free(values);
    free(labels);
    ww_point_set_destroy(&set);
    return result;
}

typedef struct knn_job {
    cli_device_options device;
    cli_neighbour_options wanted;
    const char *paths[2], *classes_path, *values_path; // paths: queries and base; the base alone comes first
    const char *radius_text;
    double radius; // INFINITY: none
    int metric;
    ww_context *context;
    ww_point_set *sets[2];
    ww_points *points[2]; // as the paths
    ww_group *group;      // several devices; then there is neither a context nor points nor a search
    ww_group_points *shared[2];
    size_t counts[2];
    ww_knn *knn;
    cli_neighbours found;
} knn_job;

static void job_end(knn_job *j) {
    ww_knn_destroy(&j->knn);
    for (int i = 1; i >= 0; i--) {
        ww_group_points_destroy(&j->shared[i]);
        ww_points_destroy(&j->points[i]);
        ww_point_set_destroy(&j->sets[i]);
    }
    ww_group_destroy(&j->group);
    ww_context_destroy(&j->context);
    cli_neighbours_free(&j->found);
}

static int upload(knn_job *j, const ww_point_view *views) {
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    const bool group = cli_is_group(&j->device);
    int result = group ? cli_group_open(&j->device, &j->group) : cli_context_open(&j->device, &j->context);
    options.precision = cli_precision(&j->device);
    options.max_bytes = j->device.max_bytes;
    for (int i = 0; result == CLI_GO_ON && i < 2 && j->paths[i]; i++) {
        j->counts[i] = views[i].count;
        if (!group)
            result = cli_points_upload(j->context, &j->device, &views[i], &j->points[i]);
        else if (ww_group_points_create(j->group, &views[i], &options, &j->shared[i]) != WW_OK)
            result = cli_fail();
    }
    return result;
}

static int base_of(const knn_job *j) {
    return j->paths[1] ? 1 : 0;
}

// Takes out the neighbours beyond the radius. Where all K are within it there may be more: that is said.
static void keep_within(const knn_job *j) {
    const cli_neighbours *n = &j->found;
    size_t full = 0;
    for (size_t i = 0; i < n->queries * n->k; i++) {
        const bool within = n->ids[i] >= 0 && cli_value_at(n->distances, n->precision, i) <= j->radius;
        full += within && i % n->k == n->k - 1;
        if (within)
            continue;
        n->ids[i] = -1;
        if (n->precision == WW_DOUBLE)
            ((double *)n->distances)[i] = (double)INFINITY;
        else
            ((float *)n->distances)[i] = INFINITY;
    }
    if (full > 0 && n->k < j->counts[base_of(j)])
        fprintf(stderr, "wavewarp: %zu queries have %zu points within %g, and may have more (--k takes up to %d)\n",
                full, n->k, j->radius, WW_KNN_MOST);
}

static int search(knn_job *j) {
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    cli_progress progress;
    cli_neighbours *n = &j->found;
    n->queries = j->counts[0];
    n->k = (size_t)j->wanted.k;
    n->precision = cli_precision(&j->device);
    const int result = cli_neighbours_allocate(n);
    if (result != CLI_GO_ON)
        return result;
    memset(&progress, 0, sizeof progress);
    cli_plan_options(&j->device, &progress, &plan);
    options.metric = (ww_metric)j->metric;
    options.run = plan.run;
    const int base = base_of(j);
    ww_status status =
        j->group ? ww_group_knn(j->shared[base], base ? j->shared[0] : NULL, n->k, &options, n->ids, n->distances)
                 : ww_knn_create(j->points[base], base ? j->points[0] : NULL, n->k, &options, &j->knn);
    if (status == WW_OK && !j->group)
        status = ww_knn_run(j->knn, n->ids, n->distances, NULL);
    cli_progress_end(&progress);
    if (status != WW_OK)
        return cli_fail();
    if (isfinite(j->radius))
        keep_within(j);
    return CLI_GO_ON;
}

static void begin_json(const knn_job *j, const cli_command *command, const ww_knn_info *info, cli_json *json) {
    cli_head head = CLI_HEAD_INIT;
    for (int i = 0; i < 2; i++) {
        head.files[i] = j->paths[i];
        head.counts[i] = j->counts[i];
    }
    head.output = j->wanted.output;
    head.metric = ww_metric_name((ww_metric)j->metric);
    head.context = j->group ? ww_group_context(j->group, 0) : j->context;
    head.precision = ww_precision_name(cli_precision(&j->device));
    head.engine = info->filter;
    head.seconds_compute = info->seconds_wall;
    head.seconds_device = info->seconds_device;
    cli_json_head(json, stdout, command, &head);
    if (j->group) {
        cli_group_json(j->group, json);
    } else {
        cli_json_count(json, "pairs", info->pairs);
        cli_json_count(json, "examined", info->examined);
    }
    cli_json_count(json, "k", j->found.k);
    cli_json_number(json, "radius", j->radius, 17); // none: null
}

static int output(const knn_job *j, const cli_command *command) {
    const cli_neighbours *n = &j->found;
    const char *known = j->classes_path ? j->classes_path : j->values_path;
    ww_knn_info info = WW_KNN_INFO_INIT;
    cli_json json;
    cli_group_report(j->group);
    if (!j->group && ww_knn_get_info(j->knn, &info) != WW_OK)
        return cli_fail();
    if (!j->group && isatty(STDERR_FILENO))
        fprintf(stderr, "%" PRIu64 " pairs in %.4g s, filter %s\n", info.pairs, info.seconds_wall, info.filter);
    int result = CLI_GO_ON;
    // A prediction replaces the neighbours on standard output.
    if (!known || !cli_neighbours_in_json(&j->wanted))
        result = cli_neighbours_write(n, &j->wanted);
    if (result == CLI_GO_ON && j->wanted.json)
        begin_json(j, command, &info, &json);
    if (result == CLI_GO_ON && known)
        result = predict(known, j->classes_path != NULL, n, j->counts[base_of(j)], j->wanted.json ? &json : NULL);
    if (result == CLI_GO_ON && j->wanted.json) {
        cli_neighbours_json(&json, n, &j->wanted);
        cli_json_end(&json);
    }
    return result;
}

int cmd_knn(const cli_command *command, int argc, char **argv) {
    knn_job j;
    memset(&j, 0, sizeof j);
    j.wanted.k = 0; // not given
    j.radius = INFINITY;
    const cli_option options[] = {
        CLI_NEIGHBOUR_OPTIONS(j.wanted),
        {"metric", 'm', CLI_CHOICE, "M", "distance of two points", &j.metric, cli_metrics, 0},
        {"radius", 0, CLI_TEXT, "R",
         "only points at most R away, of the K nearest; then K is by default as many as can be", &j.radius_text, 0, 0},
        {"classes", 0, CLI_INPUT, "FILE", "class number of every point of the base: print each query's class",
         &j.classes_path, 0, 0},
        {"values", 0, CLI_INPUT, "FILE",
         "value of every point of the base: print the mean over each query's neighbours", &j.values_path, 0, 0},
        CLI_DEVICE_OPTIONS(j.device),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, 2, NULL);
    if (result != CLI_GO_ON)
        return result;
    if (j.classes_path && j.values_path)
        return cli_usage(command->name, "--classes and --values exclude each other");
    if (j.radius_text && (!cli_number(j.radius_text, &j.radius) || j.radius < 0))
        return cli_usage(command->name, "--radius is '%s', but must be a number from 0", j.radius_text);
    if (j.radius_text && j.metric == WW_METRIC_INNER_PRODUCT)
        return cli_usage(command->name, "--radius is for distances; an inner product is none");
    const bool all = j.radius_text && j.wanted.k == 0;
    j.wanted.k = j.wanted.k ? j.wanted.k : all ? WW_KNN_MOST : 1;
    ww_point_view views[2];
    for (int i = 0; result == CLI_GO_ON && i < 2 && j.paths[i]; i++)
        result = cli_points_read(j.paths[i], (ww_metric)j.metric, &j.sets[i], &views[i]);
    if (result == CLI_GO_ON)
        result = upload(&j, views);
    if (result == CLI_GO_ON && all && j.counts[base_of(&j)] < j.wanted.k)
        j.wanted.k = j.counts[base_of(&j)];
    if (result == CLI_GO_ON)
        result = search(&j);
    if (result == CLI_GO_ON)
        result = output(&j, command);
    job_end(&j);
    return result == CLI_GO_ON ? CLI_OK : result;
}
