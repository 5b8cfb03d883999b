// SPDX-License-Identifier: Apache-2.0
// wavewarp knn: exact nearest neighbours of points, and prediction from them.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
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

void cli_neighbours_print(const cli_neighbours *n) {
    const int digits = n->precision == WW_DOUBLE ? 17 : 9;
    for (size_t i = 0; i < n->queries; i++) {
        printf("%zu", i);
        for (size_t j = i * n->k; j < (i + 1) * n->k && n->ids[j] >= 0; j++)
            printf("\t%" PRId64 ":%.*g", n->ids[j], digits, cli_value_at(n->distances, n->precision, j));
        putchar('\n');
    }
}

void cli_neighbours_json(const cli_neighbours *n) {
    const int digits = n->precision == WW_DOUBLE ? 17 : 9;
    fputs("\"neighbours\": [", stdout);
    for (size_t i = 0; i < n->queries; i++) {
        printf("%s\n{\"query\": %zu, \"indices\": [", i ? "," : "", i);
        for (size_t j = i * n->k; j < (i + 1) * n->k && n->ids[j] >= 0; j++)
            printf("%s%" PRId64, j > i * n->k ? ", " : "", n->ids[j]);
        fputs("], \"distances\": [", stdout);
        for (size_t j = i * n->k; j < (i + 1) * n->k && n->ids[j] >= 0; j++) {
            fputs(j > i * n->k ? ", " : "", stdout);
            cli_json_number(stdout, cli_value_at(n->distances, n->precision, j), digits);
        }
        fputs("]}", stdout);
    }
    fputs("]", stdout);
}

int cli_neighbours_write(const cli_neighbours *n, const char *ids, const char *distances) {
    int result = CLI_GO_ON;
    if (ids) {
        double *values = malloc(n->queries * n->k * sizeof *values);
        if (!values)
            return cli_error("not enough memory");
        for (size_t i = 0; i < n->queries * n->k; i++)
            values[i] = (double)n->ids[i];
        const ww_point_view view = {sizeof view, WW_POINTS_NUMBERS, values, WW_DOUBLE, n->queries, n->k, 0, NULL};
        result = ww_point_view_write(ids, &view) == WW_OK ? CLI_GO_ON : cli_fail();
        free(values);
    }
    if (distances && result == CLI_GO_ON) {
        const ww_point_view view = {sizeof view, WW_POINTS_NUMBERS, n->distances, n->precision, n->queries, n->k, 0,
                                    NULL};
        result = ww_point_view_write(distances, &view) == WW_OK ? CLI_GO_ON : cli_fail();
    }
    return result;
}

// Prints a value for each query: the mean over its neighbours, or with `classes` the most frequent.
static int predict(const char *path, bool classes, const cli_neighbours *n, size_t base_count) {
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
    for (size_t q = 0; q < n->queries; q++) {
        if (classes)
            printf("%" PRId64 "\n", voted[q]);
        else
            printf("%.17g\n", means[q]);
    }
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
    const char *paths[2], *ids_path, *distances_path, *classes_path, *values_path;
    uint64_t k;
    int metric;
    bool json;
    ww_context *context;
    ww_point_set *sets[2];
    ww_points *points[2];
    ww_knn *knn;
    cli_neighbours found;
} knn_job;

static void job_end(knn_job *j) {
    ww_knn_destroy(&j->knn);
    for (int i = 1; i >= 0; i--) {
        ww_points_destroy(&j->points[i]);
        ww_point_set_destroy(&j->sets[i]);
    }
    ww_context_destroy(&j->context);
    free(j->found.ids);
    free(j->found.distances);
}

static int search(knn_job *j) {
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    cli_progress progress;
    void *ids = NULL;
    cli_neighbours *n = &j->found;
    n->queries = ww_points_count(j->points[j->paths[1] ? 1 : 0]);
    n->k = (size_t)j->k;
    n->precision = ww_points_precision(j->points[0]);
    int result = cli_values_allocate(n->queries, n->k, n->precision, &n->distances);
    if (result == CLI_GO_ON)
        result = cli_values_allocate(n->queries, n->k, WW_DOUBLE, &ids); // 8 bytes, as an id has
    n->ids = ids;
    if (result != CLI_GO_ON)
        return result;
    memset(&progress, 0, sizeof progress);
    cli_plan_options(&j->device, &progress, &plan);
    options.metric = (ww_metric)j->metric;
    options.run = plan.run;
    ww_status status = ww_knn_create(j->points[0], j->points[1], n->k, &options, &j->knn);
    if (status == WW_OK)
        status = ww_knn_run(j->knn, n->ids, n->distances, NULL);
    cli_progress_end(&progress);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

static int output(const knn_job *j) {
    const cli_neighbours *n = &j->found;
    ww_knn_info info = WW_KNN_INFO_INIT;
    ww_device_info on = WW_DEVICE_INFO_INIT;
    if (ww_knn_get_info(j->knn, &info) != WW_OK || ww_context_get_device_info(j->context, &on) != WW_OK)
        return cli_fail();
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "%" PRIu64 " pairs in %.4g s, filter %s\n", info.pairs, info.seconds_wall, info.filter);
    if (j->ids_path || j->distances_path)
        return cli_neighbours_write(n, j->ids_path, j->distances_path);
    if (j->classes_path || j->values_path)
        return predict(j->classes_path ? j->classes_path : j->values_path, j->classes_path != NULL, n,
                       ww_points_count(j->points[0]));
    if (!j->json) {
        cli_neighbours_print(n);
        return CLI_GO_ON;
    }
    printf("{\"metric\": \"%s\"", ww_metric_name((ww_metric)j->metric));
    cli_json_device(stdout, &on);
    printf(", \"filter\": \"%s\", \"k\": %zu, \"pairs\": %" PRIu64 ", \"seconds_compute\": ", info.filter, n->k,
           info.pairs);
    cli_json_number(stdout, info.seconds_wall, 6);
    fputs(", ", stdout);
    cli_neighbours_json(n);
    fputs("}\n", stdout);
    return CLI_GO_ON;
}

int cmd_knn(const cli_command *command, int argc, char **argv) {
    knn_job j;
    memset(&j, 0, sizeof j);
    j.k = 1;
    const cli_option options[] = {
        {"k", 'k', CLI_COUNT, "K", "neighbours of every query, default 1, at most 1024", &j.k, NULL, 1},
        {"metric", 'm', CLI_CHOICE, "M", "distance of two points", &j.metric, cli_metrics, 0},
        {"classes", 0, CLI_TEXT, "FILE", "class number of every point of the base: print each query's class",
         &j.classes_path, 0, 0},
        {"values", 0, CLI_TEXT, "FILE", "value of every point of the base: print the mean over each query's neighbours",
         &j.values_path, 0, 0},
        {"ids", 0, CLI_TEXT, "FILE", "write the ids there: .ivecs, .npy, else text", &j.ids_path, 0, 0},
        {"distances", 0, CLI_TEXT, "FILE", "write the distances there: .fvecs, .npy, else text", &j.distances_path, 0,
         0},
        {"json", 'j', CLI_FLAG, NULL, "print one JSON object", &j.json, 0, 0},
        CLI_DEVICE_OPTIONS(j.device),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, 2, NULL);
    if (result != CLI_GO_ON)
        return result;
    if (j.classes_path && j.values_path)
        return cli_usage(command->name, "--classes and --values exclude each other");
    ww_point_view views[2];
    for (int i = 0; result == CLI_GO_ON && i < 2 && j.paths[i]; i++)
        result = cli_points_read(j.paths[i], (ww_metric)j.metric, &j.sets[i], &views[i]);
    if (result == CLI_GO_ON)
        result = cli_context_open(&j.device, &j.context);
    for (int i = 0; result == CLI_GO_ON && i < 2 && j.paths[i]; i++)
        result = cli_points_upload(j.context, &j.device, &views[i], &j.points[i]);
    if (result == CLI_GO_ON)
        result = search(&j);
    if (result == CLI_GO_ON)
        result = output(&j);
    job_end(&j);
    return result == CLI_GO_ON ? CLI_OK : result;
}
