// SPDX-License-Identifier: Apache-2.0
// wavewarp cluster: groups of similar series, by medoids or by merging, from the matrix of all distances, or by
// k-means.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "distances_file.h"
#include "json.h"

static const char *const methods[] = {"medoids", "single", "complete", "average", "ward", "kmeans", NULL};

// ---- computing

static double distance_at(const cli_clustering *c, size_t i, size_t j) {
    const uint64_t n = c->count, low = i < j ? i : j, high = i < j ? j : i;
    return i == j ? 0
                  : cli_value_at(c->matrix, cli_precision(&c->device), low * (2 * n - low - 1) / 2 + high - low - 1);
}

static int compute_matrix(cli_clustering *c) {
    const uint64_t n = c->count, values = n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
    cli_progress progress;
    ww_plan_options options;
    ww_plan *plan = NULL;
    ww_dataset *data = NULL;
    int result = cli_values_allocate(values, 1, cli_precision(&c->device), &c->matrix);
    if (result == CLI_GO_ON)
        result = cli_context_open(&c->device, &c->context);
    if (result == CLI_GO_ON)
        result = cli_dataset_make(c->context, &c->device, c->set, &data);
    if (result != CLI_GO_ON || n == 1)
        goto done;
    cli_plan_options(&c->device, &progress, &options);
    ww_output to = WW_OUTPUT_HOST(c->matrix);
    to.layout = WW_LAYOUT_CONDENSED;
    ww_status status = ww_plan_create_matrix(&c->measure, data, NULL, &options, &plan);
    if (status == WW_OK)
        status = ww_plan_run(plan, &to);
    cli_progress_end(&progress);
    ww_plan_info_init(&c->plan, sizeof c->plan);
    if (status != WW_OK || ww_plan_get_info(plan, &c->plan) != WW_OK)
        result = cli_fail();
done:
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&data);
    return result;
}

// The most central member of each cluster, the first of equal ones.
static void find_medoids(cli_clustering *c) {
    for (size_t k = 0; k < c->clusters; k++) {
        double least = INFINITY;
        for (size_t i = 0; i < c->count; i++) {
            double sum = 0;
            for (size_t j = 0; j < c->count && c->labels[i] == (int64_t)k; j++)
                sum += c->labels[j] == (int64_t)k ? distance_at(c, i, j) : 0;
            if (c->labels[i] == (int64_t)k && sum < least) {
                least = sum;
                c->medoids[k] = i;
            }
        }
    }
}

static int find_means(cli_clustering *c) {
    cli_progress progress;
    ww_plan_options plan;
    ww_kmeans_options options = WW_KMEANS_OPTIONS_INIT;
    ww_dataset *data = NULL;
    CLI_TRY(cli_context_open(&c->device, &c->context));
    CLI_TRY(cli_dataset_make(c->context, &c->device, c->set, &data));
    cli_plan_options(&c->device, &progress, &plan);
    options.average = c->measure.gamma > 0 ? WW_AVERAGE_SOFT : WW_AVERAGE_DBA;
    options.length = (size_t)c->length;
    options.seed = c->seed;
    options.starts = (size_t)c->starts;
    options.iterations = (size_t)c->iterations;
    options.plan = &plan;
    c->clusters = (size_t)c->k;
    const ww_status status =
        ww_cluster_kmeans(&c->measure, data, c->clusters, &options, c->labels, NULL, &c->centres, &c->kmeans_info);
    cli_progress_end(&progress);
    ww_dataset_destroy(&data);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

// From the matrix of all distances.
static ww_status find_clusters(cli_clustering *c) {
    const ww_precision precision = cli_precision(&c->device);
    cli_progress progress;
    ww_plan_options plan;
    ww_status status;
    cli_plan_options(&c->device, &progress, &plan);
    if (c->method == CLI_MEDOIDS) {
        ww_medoids_options options = WW_MEDOIDS_OPTIONS_INIT;
        options.run = plan.run;
        c->clusters = (size_t)c->k;
        status = ww_cluster_medoids(c->matrix, precision, c->count, c->clusters, &options, c->labels, c->medoids,
                                    &c->medoids_info);
    } else {
        status =
            ww_cluster_agglomerate(c->matrix, precision, c->count, (ww_linkage)(c->method - 1), plan.run, c->merges);
        if (status == WW_OK)
            status = ww_cluster_cut(c->merges, c->count, c->distance, c->k ? (size_t)c->k : 1, c->labels, &c->clusters);
    }
    cli_progress_end(&progress);
    return status;
}

static int cluster_matrix(cli_clustering *c) {
    CLI_TRY(c->distances ? CLI_GO_ON : compute_matrix(c));
    const double begin = cli_seconds();
    if (find_clusters(c) != WW_OK)
        return cli_fail();
    if (c->method != CLI_MEDOIDS)
        find_medoids(c);
    // A soft measure can be negative, and then has no silhouette.
    if (ww_cluster_silhouette(c->matrix, cli_precision(&c->device), c->count, c->labels, c->silhouettes,
                              &c->silhouette) != WW_OK) {
        if (ww_last_error()->status != WW_ERROR_INVALID_ARGUMENT)
            return cli_fail();
        c->silhouette = NAN;
    }
    c->seconds = c->plan.seconds_wall + cli_seconds() - begin;
    return CLI_GO_ON;
}

static int compute(cli_clustering *c) {
    const size_t n = c->count;
    c->labels = malloc(n * sizeof *c->labels);
    c->classes = malloc(n * sizeof *c->classes);
    c->medoids = malloc(n * sizeof *c->medoids);
    c->silhouettes = malloc(n * sizeof *c->silhouettes);
    c->merges = malloc(n * sizeof *c->merges);
    if (!c->labels || !c->classes || !c->medoids || !c->silhouettes || !c->merges)
        return cli_error("clusters of %zu series do not fit memory", n);
    c->silhouette = NAN;
    CLI_TRY(c->method == CLI_KMEANS ? find_means(c) : cluster_matrix(c));
    if (c->method == CLI_KMEANS)
        c->seconds = c->kmeans_info.seconds_wall;
    for (size_t i = 0; i < n; i++)
        c->classes[i] = ww_series_set_class(c->set, i);
    if (ww_cluster_agreement(c->labels, c->classes, n, &c->agreement) != WW_OK) {
        if (ww_last_error()->status != WW_ERROR_EMPTY)
            return cli_fail();
        c->agreement = NAN; // no labels
    }
    return CLI_GO_ON;
}

bool cli_cluster_merges(int method) {
    return method != CLI_MEDOIDS && method != CLI_KMEANS;
}

size_t cli_cluster_size(const cli_clustering *c, size_t k) {
    size_t size = 0;
    for (size_t i = 0; i < c->count; i++)
        size += c->labels[i] == (int64_t)k;
    return size;
}

const double *cli_cluster_centre(const cli_clustering *c, size_t k, size_t *length) {
    const ww_series_set *set = c->centres ? c->centres : c->set;
    const size_t at = c->centres ? k : c->medoids[k];
    *length = ww_series_set_length(set, at);
    return ww_series_set_values(set, at);
}

// ---- files

static int write_labels(const cli_clustering *c) {
    cli_output output;
    const char between = cli_name_ends_with(c->output, ".csv") ? ',' : '\t';
    CLI_TRY(cli_output_open(c->output, &output));
    fprintf(output.file, "series%ccluster\n", between);
    for (size_t i = 0; i < c->count; i++)
        fprintf(output.file, "%zu%c%" PRId64 "\n", i, between, c->labels[i]);
    return cli_output_close(&output);
}

static int write_merges(const cli_clustering *c) {
    cli_output output;
    const char between = cli_name_ends_with(c->merges_path, ".csv") ? ',' : '\t';
    CLI_TRY(cli_output_open(c->merges_path, &output));
    fprintf(output.file, "left%cright%cdistance%csize\n", between, between, between);
    for (size_t m = 0; m + 1 < c->count; m++)
        fprintf(output.file, "%" PRId64 "%c%" PRId64 "%c%.17g%c%" PRId64 "\n", c->merges[m].left, between,
                c->merges[m].right, between, c->merges[m].distance, between, c->merges[m].size);
    return cli_output_close(&output);
}

// The centres as a set, each labelled by its cluster's number.
static int write_centres(const cli_clustering *c) {
    ww_series_set *centres = NULL;
    ww_status status = ww_series_set_create(ww_series_set_channels(c->set), &centres);
    for (size_t k = 0; status == WW_OK && k < c->clusters; k++) {
        char label[32];
        size_t length;
        const double *values = cli_cluster_centre(c, k, &length);
        snprintf(label, sizeof label, "%zu", k);
        status = ww_series_set_add(centres, length, values, label);
    }
    if (status == WW_OK)
        cli_note_dropped(centres, c->centres_path, WW_FORMAT_AUTO);
    if (status == WW_OK)
        status = ww_series_set_write(centres, c->centres_path, WW_FORMAT_AUTO, WW_DOUBLE);
    ww_series_set_destroy(&centres);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

// ---- reports

static void print_json(const cli_clustering *c, const cli_command *command) {
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
    head.files[0] = c->path ? c->path : c->distances;
    head.counts[0] = c->count;
    head.files[1] = c->path ? c->distances : NULL;
    head.counts[1] = c->count;
    head.output = c->output;
    head.measure = c->distances ? NULL : &c->measure;
    head.measure_options = &c->measure_options;
    head.read = c->distances ? NULL : &c->read;
    head.context = c->context;
    head.precision = ww_precision_name(cli_precision(&c->device));
    head.engine = c->distances ? NULL : ww_engine_name(c->plan.engine);
    head.seconds_compute = c->seconds;
    head.seconds_device = c->plan.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_json_plan(&json, &c->plan);
    cli_json_text(&json, "method", methods[c->method]);
    cli_json_count(&json, "clusters", c->clusters);
    cli_json_number(&json, "sum_of_distances", c->method == CLI_MEDOIDS ? c->medoids_info.cost : NAN, 17);
    cli_json_number(&json, "silhouette", c->silhouette, 10);
    cli_json_number(&json, "adjusted_rand_index", c->agreement, 10);
    cli_json_number(&json, "objective", c->method == CLI_KMEANS ? c->kmeans_info.objective : NAN, 17);
    if (c->method == CLI_KMEANS) {
        cli_json_count(&json, "iterations", c->kmeans_info.iterations);
        cli_json_flag(&json, "converged", c->kmeans_info.converged);
        cli_json_count(&json, "start", c->kmeans_info.start);
    }
    cli_json_array(&json, "sizes");
    for (size_t k = 0; k < c->clusters; k++)
        cli_json_count(&json, NULL, cli_cluster_size(c, k));
    cli_json_end(&json);
    cli_json_array(&json, "medoids");
    for (size_t k = 0; k < c->clusters && c->method != CLI_KMEANS; k++)
        cli_json_count(&json, NULL, c->medoids[k]);
    cli_json_end(&json);
    cli_json_array(&json, "labels");
    for (size_t i = 0; i < c->count; i++)
        cli_json_integer(&json, NULL, c->labels[i]);
    cli_json_end(&json);
    cli_json_end(&json);
}

static void print_text(const cli_clustering *c) {
    printf("clusters    %zu of %zu series, method %s\n", c->clusters, c->count, methods[c->method]);
    if (c->method == CLI_MEDOIDS)
        printf("cost        %.6g, the sum of the distances to the medoids (%" PRIu64 " exchanges)\n",
               c->medoids_info.cost, c->medoids_info.swaps);
    if (c->method == CLI_KMEANS)
        printf("objective   %.6g, the sum of the distances to the centres (%.6g at the start; %zu iterations%s)\n",
               c->kmeans_info.objective, c->kmeans_info.first_objective, c->kmeans_info.iterations,
               c->kmeans_info.converged ? "" : ", not converged");
    if (!isnan(c->silhouette))
        printf("silhouette  %.4f\n", c->silhouette);
    if (!isnan(c->agreement))
        printf("agreement   %.4f with the labels (adjusted Rand index)\n", c->agreement);
    printf("seconds     %.4g computing, %.4g in all\n\n%8s %8s", c->seconds, cli_seconds(), "cluster", "series");
    puts(c->method == CLI_KMEANS ? "" : "   medoid  silhouette");
    for (size_t k = 0; k < c->clusters; k++) {
        const size_t size = cli_cluster_size(c, k);
        double sum = 0;
        for (size_t i = 0; i < c->count && !isnan(c->silhouette); i++)
            sum += c->labels[i] == (int64_t)k ? c->silhouettes[i] : 0;
        printf("%8zu %8zu", k, size);
        if (c->method != CLI_KMEANS)
            printf(" %8zu", c->medoids[k]);
        if (!isnan(c->silhouette))
            printf(" %11.4f", sum / (double)size);
        putchar('\n');
    }
}

// ---- the command

// What a file of distances leaves no room for.
static int check_distances(const cli_clustering *c, const cli_command *command) {
    const cli_measure_options none = {0};
    if (c->method == CLI_KMEANS)
        return cli_usage(command->name, "kmeans needs series, not distances");
    if (memcmp(&c->measure_options, &none, sizeof none) != 0 || c->device.engine || c->read.znormalise)
        return cli_usage(command->name, "a measure, --engine and --znorm are of no use with --distances");
    if (!c->path && (c->centres_path || c->svg_path))
        return cli_usage(command->name, "--centres and --svg need the series: cluster INPUT --distances %s",
                         c->distances);
    return CLI_GO_ON;
}

static int check(cli_clustering *c, const cli_command *command) {
    c->distance = INFINITY;
    if (c->limit && (!cli_number(c->limit, &c->distance) || !cli_cluster_merges(c->method)))
        return cli_usage(command->name, "--distance is a number, and goes with the methods that merge");
    if (!c->path && !c->distances)
        return cli_usage(command->name, "usage: wavewarp %s %s", command->name, command->operands);
    if (!c->k && !c->limit)
        return cli_usage(command->name, "--k K is needed, or --distance D where a method merges");
    if (c->merges_path && !cli_cluster_merges(c->method))
        return cli_usage(command->name, "--merges goes with the methods that merge");
    return c->distances ? check_distances(c, command) : CLI_GO_ON;
}

// The series, and the distances where they are in a file.
static int load(cli_clustering *c, const cli_command *command) {
    const char *name = c->path ? c->path : c->distances;
    int result = c->distances ? CLI_GO_ON : cli_measure_make(command->name, &c->measure_options, &c->measure);
    if (result == CLI_GO_ON && c->path)
        result = cli_read(c->path, &c->read, 0, !c->distances, &c->set);
    if (result == CLI_GO_ON && c->path && !c->distances)
        result = cli_fit_times(&c->measure, c->set, NULL);
    if (result != CLI_GO_ON)
        return result;
    c->count = ww_series_set_count(c->set);
    if (c->distances) {
        double *distances = NULL;
        size_t count = 0;
        result = cli_distances_read(c->distances, &count, &distances);
        c->matrix = distances;
        c->device.precision = WW_DOUBLE; // that of the matrix: a file of floats is exact in it
        if (result == CLI_GO_ON && c->path && count != c->count)
            result = cli_error("%s has the distances of %zu series, %s has %zu series", c->distances, count, c->path,
                               c->count);
        c->count = count;
    } else {
        cli_fit_band(&c->measure_options, &c->measure, c->set, NULL);
    }
    if (result == CLI_GO_ON && c->k > c->count)
        result = cli_error("%s has %zu series: too few for %" PRIu64 " clusters", name, c->count, c->k);
    return result;
}

int cmd_cluster(const cli_command *command, int argc, char **argv) {
    cli_clustering c = {0};
    ww_medoids_info_init(&c.medoids_info, sizeof c.medoids_info);
    ww_plan_info_init(&c.plan, sizeof c.plan);
    ww_kmeans_info_init(&c.kmeans_info, sizeof c.kmeans_info);
    c.seed = c.starts = 1;
    c.iterations = 50;
    const cli_option options[] = {
        {"k", 'k', CLI_COUNT, "K", "number of clusters; with --distance: the fewest", &c.k, NULL, 1},
        {"method", 'M', CLI_CHOICE, "M", "k medoids (default), the linkage by which clusters are merged, or k-means",
         &c.method, methods, 0},
        {"seed", 0, CLI_COUNT, "N", "kmeans: seed of the first centres (default 1)", &c.seed, NULL, 0},
        {"starts", 0, CLI_COUNT, "N",
         "kmeans: searches from other first centres, of which the best is taken (default 1)", &c.starts, NULL, 1},
        {"iterations", 0, CLI_COUNT, "N", "kmeans: most iterations of a search (default 50)", &c.iterations, NULL, 0},
        {"length", 0, CLI_COUNT, "N", "kmeans: points of every centre (default: of the series it starts from)",
         &c.length, NULL, 1},
        {"distance", 0, CLI_TEXT, "D", "merge clusters up to this distance", &c.limit, 0, 0},
        {"distances", 0, CLI_INPUT, "FILE", "distances that 'wavewarp matrix' wrote; then INPUT may be left out",
         &c.distances, 0, 0},
        {"output", 'o', CLI_OUTPUT, "FILE", "write each series' cluster there; '-': in place of the report", &c.output,
         0, 0},
        {"centres", 0, CLI_OUTPUT, "FILE", "write the medoids or averages there, labelled by their cluster",
         &c.centres_path, 0, 0},
        {"merges", 0, CLI_OUTPUT, "FILE", "write the tree there: two clusters, their distance, the new one's size",
         &c.merges_path, 0, 0},
        {"svg", 0, CLI_OUTPUT, "FILE", "draw the clusters with their centres, and the tree", &c.svg_path, 0, 0},
        {"json", 'j', CLI_FLAG, NULL, "report as one JSON object", &c.json, 0, 0},
        CLI_MEASURE_OPTIONS(c.measure_options),
        CLI_ENGINE_OPTION(c.device),
        CLI_READ_OPTIONS(c.read),
        CLI_DEVICE_OPTIONS(c.device),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, &c.path, 0, 1, NULL));
    CLI_TRY(check(&c, command));
    int result = load(&c, command);
    if (result == CLI_GO_ON)
        result = compute(&c);
    if (result == CLI_GO_ON && c.centres_path)
        result = write_centres(&c);
    if (result == CLI_GO_ON && c.merges_path)
        result = write_merges(&c);
    if (result == CLI_GO_ON && c.svg_path)
        result = cli_cluster_draw(&c);
    if (result == CLI_GO_ON && c.output)
        result = write_labels(&c);
    if (result == CLI_GO_ON) {
        if (c.json)
            print_json(&c, command);
        else if (!cli_writes_to_stdout(options, CLI_COUNT_OF(options)))
            print_text(&c);
        result = CLI_OK;
    }
    free(c.matrix);
    free(c.labels);
    free(c.classes);
    free(c.medoids);
    free(c.silhouettes);
    free(c.merges);
    ww_series_set_destroy(&c.set);
    ww_series_set_destroy(&c.centres);
    ww_context_destroy(&c.context);
    cli_measure_free(&c.measure);
    return result;
}
