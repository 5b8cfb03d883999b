// SPDX-License-Identifier: Apache-2.0
// wavewarp cluster: groups of similar series, by medoids or by merging, from the matrix of all distances.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "escape.h"
#include "json.h"
#include "picture.h"

static const char *const methods[] = {"medoids", "single", "complete", "average", "ward", NULL};
enum { MEDOIDS = 0 }; // the others are linkages, in their order

typedef struct clustering {
    cli_measure_options measure_options;
    cli_device_options device;
    cli_read_options read;
    const char *path, *output, *centres_path, *merges_path, *svg_path, *limit;
    int method;
    uint64_t k;
    double distance;
    bool json;
    ww_series_set *set;
    ww_measure measure;
    ww_context *context;
    ww_plan_info plan;
    size_t count, clusters;
    void *matrix; // condensed, of the device's precision
    int64_t *labels, *classes;
    size_t *medoids; // of each cluster: the member with the least sum of distances to the others
    double *silhouettes;
    ww_merge *merges;
    ww_medoids_info medoids_info;
    double silhouette, agreement, seconds; // NAN: not defined
} clustering;

// ---- computing

static double distance_at(const clustering *c, size_t i, size_t j) {
    const uint64_t n = c->count, low = i < j ? i : j, high = i < j ? j : i;
    return i == j ? 0
                  : cli_value_at(c->matrix, cli_precision(&c->device), low * (2 * n - low - 1) / 2 + high - low - 1);
}

static int compute_matrix(clustering *c) {
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
static void find_medoids(clustering *c) {
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

static ww_status find_clusters(clustering *c) {
    const ww_precision precision = cli_precision(&c->device);
    cli_progress progress;
    ww_plan_options plan;
    ww_status status;
    cli_plan_options(&c->device, &progress, &plan);
    if (c->method == MEDOIDS) {
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

static int compute(clustering *c) {
    const size_t n = c->count;
    int result = compute_matrix(c);
    if (result != CLI_GO_ON)
        return result;
    const double begin = cli_seconds();
    c->labels = malloc(n * sizeof *c->labels);
    c->classes = malloc(n * sizeof *c->classes);
    c->medoids = malloc(n * sizeof *c->medoids);
    c->silhouettes = malloc(n * sizeof *c->silhouettes);
    c->merges = malloc(n * sizeof *c->merges);
    if (!c->labels || !c->classes || !c->medoids || !c->silhouettes || !c->merges)
        return cli_error("clusters of %zu series do not fit memory", n);
    if (find_clusters(c) != WW_OK)
        return cli_fail();
    if (c->method != MEDOIDS)
        find_medoids(c);
    // A soft measure can be negative, and then has no silhouette.
    if (ww_cluster_silhouette(c->matrix, cli_precision(&c->device), n, c->labels, c->silhouettes, &c->silhouette) !=
        WW_OK) {
        if (ww_last_error()->status != WW_ERROR_INVALID_ARGUMENT)
            return cli_fail();
        c->silhouette = NAN;
    }
    for (size_t i = 0; i < n; i++)
        c->classes[i] = ww_series_set_class(c->set, i);
    if (ww_cluster_agreement(c->labels, c->classes, n, &c->agreement) != WW_OK)
        c->agreement = NAN; // no labels
    c->seconds = c->plan.seconds_wall + cli_seconds() - begin;
    return CLI_GO_ON;
}

// ---- files

static int open_text(const char *path, cli_output *output) {
    if (strcmp(path, "-") != 0)
        return cli_output_open(path, output);
    output->file = stdout;
    return CLI_GO_ON;
}

static int close_text(const char *path, cli_output *output) {
    return strcmp(path, "-") != 0 ? cli_output_close(output) : CLI_GO_ON;
}

static int write_labels(const clustering *c) {
    cli_output output;
    const char between = cli_name_ends_with(c->output, ".csv") ? ',' : '\t';
    const int result = open_text(c->output, &output);
    if (result != CLI_GO_ON)
        return result;
    fprintf(output.file, "series%ccluster\n", between);
    for (size_t i = 0; i < c->count; i++)
        fprintf(output.file, "%zu%c%" PRId64 "\n", i, between, c->labels[i]);
    return close_text(c->output, &output);
}

static int write_merges(const clustering *c) {
    cli_output output;
    const char between = cli_name_ends_with(c->merges_path, ".csv") ? ',' : '\t';
    const int result = open_text(c->merges_path, &output);
    if (result != CLI_GO_ON)
        return result;
    fprintf(output.file, "left%cright%cdistance%csize\n", between, between, between);
    for (size_t m = 0; m + 1 < c->count; m++)
        fprintf(output.file, "%" PRId64 "%c%" PRId64 "%c%.17g%c%" PRId64 "\n", c->merges[m].left, between,
                c->merges[m].right, between, c->merges[m].distance, between, c->merges[m].size);
    return close_text(c->merges_path, &output);
}

// The medoids as a set, each labelled by its cluster's number.
static int write_centres(const clustering *c) {
    ww_series_set *centres = NULL;
    ww_status status = ww_series_set_create(ww_series_set_channels(c->set), &centres);
    for (size_t k = 0; status == WW_OK && k < c->clusters; k++) {
        char label[32];
        snprintf(label, sizeof label, "%zu", k);
        status = ww_series_set_add(centres, ww_series_set_length(c->set, c->medoids[k]),
                                   ww_series_set_values(c->set, c->medoids[k]), label);
    }
    if (status == WW_OK)
        status = ww_series_set_write(centres, c->centres_path, WW_FORMAT_AUTO, WW_DOUBLE);
    ww_series_set_destroy(&centres);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

// ---- the picture

enum { ACROSS = 3, CELL_WIDTH = 280, CELL_HEIGHT = 170, TREE_HEIGHT = 280, MOST_LEAVES = 2000, MOST_MEMBERS = 100 };

static size_t size_of(const clustering *c, size_t k) {
    size_t size = 0;
    for (size_t i = 0; i < c->count; i++)
        size += c->labels[i] == (int64_t)k;
    return size;
}

// Members of a cluster, their first channel, under its medoid.
static void draw_cluster(const clustering *c, cli_picture *picture, size_t k, double left, double top) {
    cli_panel panel = {picture, left, top, CELL_WIDTH - 60, CELL_HEIGHT - 60, 0, 1, INFINITY, -INFINITY, false, false};
    const size_t size = size_of(c, k), step = (size + MOST_MEMBERS - 1) / MOST_MEMBERS;
    char title[96];
    for (size_t i = 0; i < c->count; i++)
        if (c->labels[i] == (int64_t)k) {
            const size_t length = ww_series_set_length(c->set, i);
            cli_range_add(ww_series_set_values(c->set, i), length, 1, &panel.y_from, &panel.y_to);
            panel.x_to = fmax(panel.x_to, (double)length - 1);
        }
    cli_range_finish(0.03, &panel.y_from, &panel.y_to);
    cli_panel_axes(&panel, NULL, NULL);
    for (size_t i = 0, member = 0; i < c->count; i++)
        if (c->labels[i] == (int64_t)k && member++ % step == 0)
            cli_panel_line(&panel, ww_series_set_values(c->set, i), ww_series_set_length(c->set, i), 1, 0, 1, CLI_FAINT,
                           0.6);
    const size_t medoid = c->medoids[k];
    cli_panel_line(&panel, ww_series_set_values(c->set, medoid), ww_series_set_length(c->set, medoid), 1, 0, 1, (int)k,
                   2);
    snprintf(title, sizeof title, "cluster %zu: %zu series, medoid %zu", k, size, medoid);
    cli_picture_text(picture, left, top - 6, "start", CLI_INK, title);
}

// The order of the leaves in which no lines cross: each merge's left part before its right part.
static void order_leaves(const clustering *c, double *place, size_t *stack) {
    size_t depth = 0, next = 0;
    stack[depth++] = 2 * c->count - 2;
    while (depth > 0) {
        const size_t node = stack[--depth];
        if (node < c->count) {
            place[node] = (double)next++;
        } else {
            stack[depth++] = (size_t)c->merges[node - c->count].right;
            stack[depth++] = (size_t)c->merges[node - c->count].left;
        }
    }
    for (size_t m = 0; m + 1 < c->count; m++)
        place[c->count + m] = (place[c->merges[m].left] + place[c->merges[m].right]) / 2;
}

static int draw_tree(const clustering *c, cli_picture *picture, double top) {
    const size_t n = c->count;
    cli_panel panel = {picture, 60, top, ACROSS * CELL_WIDTH - 80, TREE_HEIGHT - 70, -1, (double)n, 0, 0, false, false};
    double *place = malloc(2 * n * sizeof *place);
    size_t *stack = malloc(2 * n * sizeof *stack);
    int64_t *owner = malloc(2 * n * sizeof *owner); // the cluster a node is in, -1: above the cut
    int result = CLI_GO_ON;
    if (!place || !stack || !owner) {
        result = cli_error("a tree of %zu series does not fit memory", n);
        goto done;
    }
    order_leaves(c, place, stack);
    for (size_t i = 0; i < n; i++)
        owner[i] = c->labels[i];
    panel.y_from = fmin(0, c->merges[0].distance);
    panel.y_to = c->merges[n - 2].distance;
    cli_range_finish(0.03, &panel.y_from, &panel.y_to);
    panel.y_from = fmin(0, c->merges[0].distance);
    cli_panel_axes(&panel, "series, in the order of the tree", "distance");
    for (size_t m = 0; m + 1 < n; m++) {
        const size_t a = (size_t)c->merges[m].left, b = (size_t)c->merges[m].right;
        const double height = c->merges[m].distance;
        owner[n + m] = owner[a] == owner[b] ? owner[a] : -1;
        const double xs[4] = {place[a], place[a], place[b], place[b]};
        const double ys[4] = {a < n ? panel.y_from : c->merges[a - n].distance, height, height,
                              b < n ? panel.y_from : c->merges[b - n].distance};
        cli_panel_points_line(&panel, xs, ys, 4, owner[n + m] < 0 ? CLI_FAINT : (int)owner[n + m], 1);
    }
done:
    free(place);
    free(stack);
    free(owner);
    return result;
}

static int draw(const clustering *c) {
    const bool tree = c->method != MEDOIDS && c->count > 1 && c->count <= MOST_LEAVES;
    const size_t rows = (c->clusters + ACROSS - 1) / ACROSS;
    cli_picture picture;
    int result = cli_picture_open(c->svg_path, ACROSS * CELL_WIDTH,
                                  (double)(rows * CELL_HEIGHT + (tree ? TREE_HEIGHT : 0)), "Clusters", &picture);
    if (result != CLI_GO_ON)
        return result;
    for (size_t k = 0; k < c->clusters; k++)
        draw_cluster(c, &picture, k, (double)(k % ACROSS * CELL_WIDTH + 50), (double)(k / ACROSS * CELL_HEIGHT + 24));
    if (tree)
        result = draw_tree(c, &picture, (double)(rows * CELL_HEIGHT + 10));
    const int closed = cli_picture_close(&picture);
    return result == CLI_GO_ON ? closed : result;
}

// ---- reports

static void print_json(const clustering *c, const cli_command *command) {
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
    head.files[0] = c->path;
    head.counts[0] = c->count;
    head.output = c->output;
    head.measure = &c->measure;
    head.measure_options = &c->measure_options;
    head.read = &c->read;
    head.context = c->context;
    head.precision = cli_precisions[c->device.precision];
    head.engine = ww_engine_name(c->plan.engine);
    head.seconds_compute = c->seconds;
    head.seconds_device = c->plan.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_json_plan(&json, &c->plan);
    cli_json_text(&json, "method", methods[c->method]);
    cli_json_count(&json, "clusters", c->clusters);
    cli_json_number(&json, "sum_of_distances", c->method == MEDOIDS ? c->medoids_info.cost : NAN, 17);
    cli_json_number(&json, "silhouette", c->silhouette, 10);
    cli_json_number(&json, "adjusted_rand_index", c->agreement, 10);
    cli_json_array(&json, "sizes");
    for (size_t k = 0; k < c->clusters; k++)
        cli_json_count(&json, NULL, size_of(c, k));
    cli_json_end(&json);
    cli_json_array(&json, "medoids");
    for (size_t k = 0; k < c->clusters; k++)
        cli_json_count(&json, NULL, c->medoids[k]);
    cli_json_end(&json);
    cli_json_array(&json, "labels");
    for (size_t i = 0; i < c->count; i++)
        cli_json_integer(&json, NULL, c->labels[i]);
    cli_json_end(&json);
    cli_json_end(&json);
}

static void print_text(const clustering *c) {
    printf("clusters    %zu of %zu series, method %s\n", c->clusters, c->count, methods[c->method]);
    if (c->method == MEDOIDS)
        printf("cost        %.6g, the sum of the distances to the medoids (%" PRIu64 " exchanges)\n",
               c->medoids_info.cost, c->medoids_info.swaps);
    if (!isnan(c->silhouette))
        printf("silhouette  %.4f\n", c->silhouette);
    if (!isnan(c->agreement))
        printf("agreement   %.4f with the labels (adjusted Rand index)\n", c->agreement);
    printf("seconds     %.4g computing, %.4g in all\n\n%8s %8s %8s %11s\n", c->seconds, cli_seconds(), "cluster",
           "series", "medoid", "silhouette");
    for (size_t k = 0; k < c->clusters; k++) {
        const size_t size = size_of(c, k);
        double sum = 0;
        for (size_t i = 0; i < c->count && !isnan(c->silhouette); i++)
            sum += c->labels[i] == (int64_t)k ? c->silhouettes[i] : 0;
        printf("%8zu %8zu %8zu", k, size, c->medoids[k]);
        if (!isnan(c->silhouette))
            printf(" %11.4f", sum / (double)size);
        putchar('\n');
    }
}

// ---- the command

static int check(clustering *c, const cli_command *command) {
    c->distance = INFINITY;
    if (c->limit && (!cli_number(c->limit, &c->distance) || c->method == MEDOIDS))
        return cli_usage(command->name, "--distance is a number, and goes with the methods that merge");
    if (!c->k && !c->limit)
        return cli_usage(command->name, "--k K is needed, or --distance D where a method merges");
    if (c->merges_path && c->method == MEDOIDS)
        return cli_usage(command->name, "--merges goes with the methods that merge");
    if (c->json && ((c->output && strcmp(c->output, "-") == 0) || (c->merges_path && strcmp(c->merges_path, "-") == 0)))
        return cli_usage(command->name, "--json and a file '-' both write to standard output");
    return CLI_GO_ON;
}

int cmd_cluster(const cli_command *command, int argc, char **argv) {
    clustering c;
    memset(&c, 0, sizeof c);
    ww_medoids_info_init(&c.medoids_info, sizeof c.medoids_info);
    ww_plan_info_init(&c.plan, sizeof c.plan);
    const cli_option options[] = {
        {"k", 'k', CLI_COUNT, "K", "number of clusters; with --distance: the fewest", &c.k, NULL, 1},
        {"method", 'M', CLI_CHOICE, "M", "k medoids (default), or the linkage by which clusters are merged", &c.method,
         methods, 0},
        {"distance", 0, CLI_TEXT, "D", "merge clusters up to this distance", &c.limit, 0, 0},
        {"output", 'o', CLI_TEXT, "FILE", "write each series' cluster there; '-': in place of the report", &c.output, 0,
         0},
        {"centres", 0, CLI_TEXT, "FILE", "write the medoids there, as series labelled by their cluster",
         &c.centres_path, 0, 0},
        {"merges", 0, CLI_TEXT, "FILE", "write the tree there: two clusters, their distance, the new one's size",
         &c.merges_path, 0, 0},
        {"svg", 0, CLI_TEXT, "FILE", "draw the clusters with their medoids, and the tree", &c.svg_path, 0, 0},
        {"json", 'j', CLI_FLAG, NULL, "report as one JSON object", &c.json, 0, 0},
        CLI_MEASURE_OPTIONS(c.measure_options),
        CLI_ENGINE_OPTION(c.device),
        CLI_READ_OPTIONS(c.read),
        CLI_DEVICE_OPTIONS(c.device),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, &c.path, 1, 1, NULL);
    if (result == CLI_GO_ON)
        result = check(&c, command);
    if (result != CLI_GO_ON)
        return result;
    result = cli_measure_make(command->name, &c.measure_options, &c.measure);
    if (result == CLI_GO_ON)
        result = cli_read(c.path, &c.read, 0, true, &c.set);
    if (result == CLI_GO_ON)
        result = cli_fit_times(&c.measure, c.set, NULL);
    if (result == CLI_GO_ON) {
        c.count = ww_series_set_count(c.set);
        cli_fit_band(&c.measure_options, &c.measure, c.set, NULL);
        if (c.k > c.count)
            result = cli_error("%s has %zu series: too few for %" PRIu64 " clusters", c.path, c.count, c.k);
    }
    if (result == CLI_GO_ON)
        result = compute(&c);
    if (result == CLI_GO_ON && c.centres_path)
        result = write_centres(&c);
    if (result == CLI_GO_ON && c.merges_path)
        result = write_merges(&c);
    if (result == CLI_GO_ON && c.svg_path)
        result = draw(&c);
    if (result == CLI_GO_ON && c.output)
        result = write_labels(&c);
    if (result == CLI_GO_ON) {
        if (c.json)
            print_json(&c, command);
        else if (!(c.output && strcmp(c.output, "-") == 0) && !(c.merges_path && strcmp(c.merges_path, "-") == 0))
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
    ww_context_destroy(&c.context);
    cli_measure_free(&c.measure);
    return result;
}
