// SPDX-License-Identifier: Apache-2.0
// wavewarp cluster: groups of similar series, by medoids or by merging, from the matrix of all distances, or by
// k-means or k-shape.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/triangle.h"
#include "results/cluster.h"
#include "results/distances_file.h"

static const char *const symmetrise[] = {"no", "mean", "least", "most", NULL};
// Series of which medoids are found from all distances, where the user does not say.
enum { MOST_IN_A_MATRIX = 20000 };

static const char *const methods[] = {"medoids", "single", "complete", "average", "ward", "kmeans", "kshape", NULL};

// ---- computing

static double distance_at(const cli_clustering *c, size_t i, size_t j) {
    return i == j ? 0 : cli_value_at(c->matrix, cli_precision(&c->s.device), (size_t)cli_condensed_at(c->count, i, j));
}

static int upload(cli_clustering *c) {
    c->s.output = c->output ? c->output : c->merges_path ? c->merges_path : c->centres_path;
    c->s.division.several = true;
    return cli_series_upload(&c->s);
}

// The two values of a pair as one. They differ by rounding alone, or the user has said what becomes of them.
static int fold_pair(const cli_clustering *c, size_t i, size_t j, double x, double y, double *value) {
    static const double tolerance = 1e-5;
    const bool differ = (x < y || x > y) && !(fabs(x - y) <= tolerance * fmax(fabs(x), fabs(y)));
    *value = c->symmetrise == CLI_MEAN ? x / 2 + y / 2 : c->symmetrise == CLI_MOST ? fmax(x, y) : fmin(x, y);
    if (c->symmetrise)
        return CLI_GO_ON;
    *value = x;
    return differ ? cli_error("under this measure series %zu and %zu have distance %.9g, and %.9g the other way: say "
                              "--symmetrise mean, least or most",
                              i, j, x, y)
                  : CLI_GO_ON;
}

// A square becomes condensed, in place: each value goes where all before it have been read.
static int fold(cli_clustering *c) {
    const ww_precision precision = cli_precision(&c->s.device);
    const size_t n = c->count;
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++, at++) {
            double value;
            CLI_TRY(fold_pair(c, i, j, cli_value_at(c->matrix, precision, i * n + j),
                              cli_value_at(c->matrix, precision, j * n + i), &value));
            if (precision == WW_FLOAT)
                ((float *)c->matrix)[at] = (float)value;
            else
                ((double *)c->matrix)[at] = value;
        }
    return CLI_GO_ON;
}

static int compute_matrix(cli_clustering *c) {
    const size_t n = c->count;
    const bool half = ww_measure_is_symmetric(&c->s.measure);
    CLI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    CLI_TRY(cli_need_distances(&c->s.measure));
    CLI_TRY(upload(c));
    CLI_TRY(
        cli_values_allocate(half ? cli_condensed_count(n) : n, half ? 1 : n, cli_precision(&c->s.device), &c->matrix));
    if (n == 1)
        return CLI_GO_ON;
    cli_plan_options(&c->s.device, &c->s.progress, &c->s.plan);
    ww_output to = WW_OUTPUT_HOST(c->matrix);
    to.layout = half ? WW_LAYOUT_CONDENSED : WW_LAYOUT_FULL;
    ww_status status = ww_plan_create_matrix(&c->s.measure, c->s.data[0], NULL, &c->s.plan, &plan);
    if (status == WW_OK)
        status = ww_plan_run(plan, &to);
    cli_progress_end();
    CLI_TRY(cli_status(status));
    CLI_TRY(cli_status(ww_plan_get_info(plan, &c->info)));
    return half ? CLI_GO_ON : fold(c);
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
    ww_kmeans_options options = WW_KMEANS_OPTIONS_INIT;
    CLI_TRY(upload(c));
    cli_plan_options(&c->s.device, &c->s.progress, &c->s.plan);
    options.average = c->s.measure.gamma > 0 ? WW_AVERAGE_SOFT : WW_AVERAGE_DBA;
    options.length = (size_t)c->length;
    options.seed = c->seed;
    options.starts = (size_t)c->starts;
    options.iterations = (size_t)c->iterations;
    options.plan = &c->s.plan;
    c->clusters = (size_t)c->k;
    const ww_status status =
        c->method == CLI_KSHAPE
            ? ww_cluster_kshape(c->s.data[0], c->clusters, &options, c->labels, NULL, &c->centres, &c->kmeans_info)
            : ww_cluster_kmeans(&c->s.measure, c->s.data[0], c->clusters, &options, c->labels, NULL, &c->centres,
                                &c->kmeans_info);
    cli_progress_end();
    return cli_status(status);
}

// Medoids of samples: no matrix of all distances is made.
static int sample_medoids(cli_clustering *c) {
    ww_medoids_options options = WW_MEDOIDS_OPTIONS_INIT;
    const double begin = cli_seconds();
    CLI_TRY(cli_need_distances(&c->s.measure));
    CLI_TRY(upload(c));
    cli_plan_options(&c->s.device, &c->s.progress, &c->s.plan);
    options.run = c->s.plan.run;
    options.sample = (size_t)c->sample;
    options.seed = c->seed;
    c->clusters = (size_t)c->k;
    const ww_status status = ww_cluster_medoids_sampled(&c->s.measure, c->s.data[0], c->clusters, &options, c->labels,
                                                        c->medoids, NULL, &c->medoids_info);
    cli_progress_end();
    c->seconds = cli_seconds() - begin;
    return cli_status(status);
}

static bool is_sampled(const cli_clustering *c) {
    return c->method == CLI_MEDOIDS && !c->distances && (c->sample || c->count > MOST_IN_A_MATRIX);
}

// From the matrix of all distances.
static ww_status find_clusters(cli_clustering *c) {
    const ww_precision precision = cli_precision(&c->s.device);
    ww_status status;
    cli_plan_options(&c->s.device, &c->s.progress, &c->s.plan);
    if (c->method == CLI_MEDOIDS) {
        ww_medoids_options options = WW_MEDOIDS_OPTIONS_INIT;
        options.run = c->s.plan.run;
        c->clusters = (size_t)c->k;
        status = ww_cluster_medoids(c->matrix, precision, c->count, c->clusters, &options, c->labels, c->medoids,
                                    &c->medoids_info);
    } else {
        status = ww_cluster_agglomerate(c->matrix, precision, c->count, (ww_linkage)(c->method - 1), c->s.plan.run,
                                        c->merges);
        if (status == WW_OK)
            status = ww_cluster_cut(c->merges, c->count, c->distance, c->k ? (size_t)c->k : 1, c->labels, &c->clusters);
    }
    cli_progress_end();
    return status;
}

static int cluster_matrix(cli_clustering *c) {
    CLI_TRY(c->distances ? CLI_GO_ON : compute_matrix(c));
    const double begin = cli_seconds();
    CLI_TRY(cli_status(find_clusters(c)));
    if (c->method != CLI_MEDOIDS)
        find_medoids(c);
    // A soft measure can be negative, and then has no silhouette.
    if (ww_cluster_silhouette(c->matrix, cli_precision(&c->s.device), c->count, c->labels, c->silhouettes,
                              &c->silhouette) != WW_OK) {
        if (ww_last_error()->status != WW_ERROR_INVALID_ARGUMENT)
            return cli_fail();
        c->silhouette = NAN;
    }
    c->seconds = c->info.seconds_wall + cli_seconds() - begin;
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
    if (is_sampled(c) && !c->sample)
        cli_note("note: medoids of samples of the %zu series, whose distances would take %.2g GB; --sample %zu takes "
                 "all",
                 n, (double)cli_condensed_count(n) * (cli_precision(&c->s.device) == WW_DOUBLE ? 8e-9 : 4e-9), n);
    CLI_TRY(cli_cluster_has_centres(c->method) ? find_means(c) : is_sampled(c) ? sample_medoids(c) : cluster_matrix(c));
    if (cli_cluster_has_centres(c->method))
        c->seconds = c->kmeans_info.seconds_wall;
    for (size_t i = 0; i < n; i++)
        c->classes[i] = ww_series_set_class(c->s.sets[0], i);
    if (ww_cluster_agreement(c->labels, c->classes, n, &c->agreement) != WW_OK) {
        if (ww_last_error()->status != WW_ERROR_EMPTY)
            return cli_fail();
        c->agreement = NAN; // no labels
    }
    return CLI_GO_ON;
}

bool cli_cluster_merges(int method) {
    return method != CLI_MEDOIDS && !cli_cluster_has_centres(method);
}

bool cli_cluster_has_centres(int method) {
    return method == CLI_KMEANS || method == CLI_KSHAPE;
}

static size_t size_of(const cli_clustering *c, size_t k) {
    size_t size = 0;
    for (size_t i = 0; i < c->count; i++)
        size += c->labels[i] == (int64_t)k;
    return size;
}

const double *cli_cluster_centre(const cli_clustering *c, size_t k, size_t *length) {
    const ww_series_set *set = c->centres ? c->centres : c->s.sets[0];
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
    CLI_ENDS(ww_series_set_destroy) ww_series_set *centres = NULL;
    CLI_TRY(cli_status(ww_series_set_create(ww_series_set_channels(c->s.sets[0]), &centres)));
    for (size_t k = 0; k < c->clusters; k++) {
        char label[32];
        size_t length;
        const double *values = cli_cluster_centre(c, k, &length);
        snprintf(label, sizeof label, "%zu", k);
        CLI_TRY(cli_status(ww_series_set_add(centres, length, values, label)));
    }
    cli_note_dropped(centres, c->centres_path, WW_FORMAT_AUTO);
    return cli_status(ww_series_set_write(centres, c->centres_path, WW_FORMAT_AUTO, WW_DOUBLE));
}

// ---- reports

static void print_json(const cli_clustering *c, const cli_command *command) {
    cli_json json;
    cli_head head = cli_series_head(&c->s, c->output);
    head.counts[0] = head.counts[1] = c->count;
    if (c->distances) {
        head.files[c->s.paths[0] ? 1 : 0] = c->distances;
        head.measure = NULL;
        head.read = NULL;
    } else {
        head.engine = ww_word(WW_WORD_ENGINE, c->info.engine);
    }
    head.seconds_compute = c->seconds;
    head.seconds_device = c->info.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_json_plan(&json, &c->info);
    cli_json_text(&json, "method", methods[c->method]);
    cli_json_count(&json, "clusters", c->clusters);
    cli_json_number(&json, "sum_of_distances", c->method == CLI_MEDOIDS ? c->medoids_info.cost : NAN, 17);
    cli_json_number(&json, "silhouette", c->silhouette, 10);
    cli_json_number(&json, "adjusted_rand_index", c->agreement, 10);
    cli_json_number(&json, "objective", cli_cluster_has_centres(c->method) ? c->kmeans_info.objective : NAN, 17);
    if (cli_cluster_has_centres(c->method)) {
        cli_json_count(&json, "iterations", c->kmeans_info.iterations);
        cli_json_flag(&json, "converged", c->kmeans_info.converged);
        cli_json_count(&json, "start", c->kmeans_info.start);
    }
    cli_json_array(&json, "sizes");
    for (size_t k = 0; k < c->clusters; k++)
        cli_json_count(&json, NULL, size_of(c, k));
    cli_json_end(&json);
    cli_json_array(&json, "medoids");
    for (size_t k = 0; k < c->clusters && !cli_cluster_has_centres(c->method); k++)
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
    if (cli_cluster_has_centres(c->method))
        printf("objective   %.6g, the sum of the distances to the centres (%.6g at the start; %zu iterations%s)\n",
               c->kmeans_info.objective, c->kmeans_info.first_objective, c->kmeans_info.iterations,
               c->kmeans_info.converged ? "" : ", not converged");
    if (!isnan(c->silhouette))
        printf("silhouette  %.4f\n", c->silhouette);
    if (!isnan(c->agreement))
        printf("agreement   %.4f with the labels (adjusted Rand index)\n", c->agreement);
    printf("seconds     %.4g computing, %.4g in all\n\n%8s %8s", c->seconds, cli_seconds(), "cluster", "series");
    puts(cli_cluster_has_centres(c->method) ? "" : "   medoid  silhouette");
    for (size_t k = 0; k < c->clusters; k++) {
        const size_t size = size_of(c, k);
        double sum = 0;
        for (size_t i = 0; i < c->count && !isnan(c->silhouette); i++)
            sum += c->labels[i] == (int64_t)k ? c->silhouettes[i] : 0;
        printf("%8zu %8zu", k, size);
        if (!cli_cluster_has_centres(c->method))
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
    if (cli_cluster_has_centres(c->method))
        return cli_usage(command->name, "%s needs series, not distances", methods[c->method]);
    if (memcmp(&c->s.measure_options, &none, sizeof none) != 0 || c->s.device.engine || c->s.read.znormalise ||
        c->s.read.embed)
        return cli_usage(command->name, "a measure, --engine, --znorm and --embed are of no use with --distances");
    if (!c->s.paths[0] && (c->centres_path || c->svg_path))
        return cli_usage(command->name, "--centres and --svg need the series: cluster INPUT --distances %s",
                         c->distances);
    return CLI_GO_ON;
}

static int check(cli_clustering *c, const cli_command *command) {
    const cli_measure_options none = {0};
    c->distance = INFINITY;
    if (c->limit && (!cli_number(c->limit, &c->distance) || !cli_cluster_merges(c->method)))
        return cli_usage(command->name, "--distance must be a number, and needs a method that merges");
    if (!c->s.paths[0] && !c->distances)
        return cli_usage(command->name, "usage: wavewarp %s %s", command->name, command->operands);
    if (!c->k && !c->limit)
        return cli_usage(command->name, "--k K is needed, or --distance D where a method merges");
    if (c->method == CLI_KSHAPE && (memcmp(&c->s.measure_options, &none, sizeof none) != 0 || c->length))
        return cli_usage(
            command->name,
            "kshape takes no measure and no --length: it has a distance of its own, and centres as long as the series");
    if (c->symmetrise && (c->distances || cli_cluster_has_centres(c->method)))
        return cli_usage(command->name, "--symmetrise is for medoids and methods that merge, without --distances");
    if (c->sample && (c->method != CLI_MEDOIDS || c->distances))
        return cli_usage(command->name, "--sample is for --method medoids, without --distances");
    if (c->sample && c->sample <= c->k)
        return cli_usage(command->name,
                         "--sample is %" PRIu64 " series, too few for %" PRIu64 " medoids; take one more at least",
                         c->sample, c->k);
    if (c->merges_path && !cli_cluster_merges(c->method))
        return cli_usage(command->name, "--merges needs a method that merges");
    return c->distances ? check_distances(c, command) : CLI_GO_ON;
}

// The series, and the distances where they are in a file.
static int load(cli_clustering *c, const cli_command *command) {
    const char *path = c->s.paths[0];
    CLI_FREES double *distances = NULL;
    if (!c->distances) {
        CLI_TRY(cli_series_read(&c->s, command->name));
        CLI_TRY(cli_series_fit(&c->s));
    } else if (path) {
        CLI_TRY(cli_read(path, &c->s.read, 0, false, &c->s.sets[0]));
    }
    c->count = ww_series_set_count(c->s.sets[0]);
    if (c->distances) {
        size_t count = 0;
        CLI_TRY(cli_distances_read(c->distances, &count, &distances));
        c->matrix = cli_taken(&distances);
        c->s.device.precision = WW_DOUBLE; // that of the matrix: a file of floats is exact in it
        if (path && count != c->count)
            return cli_error("%s has the distances of %zu series, %s has %zu series", c->distances, count, path,
                             c->count);
        c->count = count;
    }
    if (c->k > c->count)
        return cli_error("%s has %zu series: too few for %" PRIu64 " clusters", path ? path : c->distances, c->count,
                         c->k);
    return CLI_GO_ON;
}

static void end(cli_clustering *c) {
    free(c->matrix);
    free(c->labels);
    free(c->classes);
    free(c->medoids);
    free(c->silhouettes);
    free(c->merges);
    ww_series_set_destroy(&c->centres);
    cli_series_end(&c->s);
}

int cmd_cluster(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(end) cli_clustering c = {0};
    c.medoids_info = (ww_medoids_info)WW_MEDOIDS_INFO_INIT;
    c.info = (ww_plan_info)WW_PLAN_INFO_INIT;
    c.kmeans_info = (ww_kmeans_info)WW_KMEANS_INFO_INIT;
    c.seed = c.starts = 1;
    c.iterations = 50;
    const cli_option options[] = {
        CLI_NUMBER("k", 'k', "K", "number of clusters; with --distance: the least number", &c.k, 1),
        CLI_ONE_OF("method", 'M', "M",
                   "k medoids (default), the linkage by which clusters are merged, k-means or k-shape", &c.method,
                   methods),
        CLI_NUMBER("seed", 0, "N", "seed of the first centres of kmeans and kshape, and of samples (default 1)",
                   &c.seed, 0),
        CLI_NUMBER("sample", 0, "N",
                   "medoids: from 5 samples of N series, without all distances (default: above 20000 series 200 + 4 K)",
                   &c.sample, 1),
        CLI_NUMBER("starts", 0, "N",
                   "kmeans, kshape: N searches, each from other first centres; the best one is taken (default 1)",
                   &c.starts, 1),
        CLI_NUMBER("iterations", 0, "N", "kmeans, kshape: iterations of a search at most (default 50)", &c.iterations,
                   0),
        CLI_NUMBER("length", 0, "N",
                   "kmeans: points of every centre (default: those of the series that it starts from)", &c.length, 1),
        CLI_OPTION("distance", 0, CLI_TEXT, "D", "merge clusters up to this distance", &c.limit),
        CLI_OPTION("distances", 0, CLI_INPUT, "FILE",
                   "distances that 'wavewarp matrix' wrote; then INPUT may be left out", &c.distances),
        CLI_ONE_OF("symmetrise", 0, "HOW",
                   "where d(x,y) and d(y,x) differ, take their mean, the least or the most; default: refuse them",
                   &c.symmetrise, symmetrise),
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE",
                   "write each series' cluster; '-': to standard output, without the report", &c.output),
        CLI_OPTION("centres", 0, CLI_OUTPUT, "FILE",
                   "write the medoids or averages as series, labelled by their cluster", &c.centres_path),
        CLI_OPTION("merges", 0, CLI_OUTPUT, "FILE",
                   "write the tree: a line has two clusters, their distance, the new cluster's size", &c.merges_path),
        CLI_OPTION("svg", 0, CLI_OUTPUT, "FILE", "draw the clusters with their centres, and the tree", &c.svg_path),
        CLI_SWITCH("json", 'j', "report as one JSON object", &c.json),
        CLI_GO_ON_OPTIONS(c.s.division),
        CLI_MEASURE_OPTIONS(c.s.measure_options),
        CLI_ENGINE_OPTION(c.s.device),
        CLI_READ_OPTIONS(c.s.read),
        CLI_DEVICE_OPTIONS(c.s.device),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, c.s.paths, 0, 1, NULL));
    CLI_TRY(cli_division_check(command->name, &c.s.division, false));
    CLI_TRY(check(&c, command));
    CLI_TRY(load(&c, command));
    CLI_TRY(compute(&c));
    CLI_TRY(cli_division_others_end(&c.s.division));
    if (c.centres_path)
        CLI_TRY(write_centres(&c));
    if (c.merges_path)
        CLI_TRY(write_merges(&c));
    if (c.svg_path)
        CLI_TRY(cli_cluster_draw(&c));
    if (c.output)
        CLI_TRY(write_labels(&c));
    if (c.json)
        print_json(&c, command);
    else if (!cli_writes_to_stdout(options, CLI_COUNT_OF(options)))
        print_text(&c);
    return cli_division_finish(&c.s.division);
}
