// SPDX-License-Identifier: Apache-2.0
// wavewarp lsh: approximate nearest neighbours, and how good they are.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "points.h"

typedef struct lsh_job {
    cli_device_options device;
    const char *paths[2], *ids_path, *distances_path, *width, *svg_path;
    uint64_t k, tables, functions, probes, candidates, seed;
    int metric;
    bool evaluate;
    ww_context *context;
    ww_vector_set *sets[2];
    ww_points *points[2];
    ww_lsh_options options;
    cli_neighbours found;
} lsh_job;

static void job_end(lsh_job *j) {
    for (int i = 1; i >= 0; i--) {
        ww_points_destroy(&j->points[i]);
        ww_vector_set_destroy(&j->sets[i]);
    }
    ww_context_destroy(&j->context);
    free(j->found.ids);
    free(j->found.distances);
}

static int allocate(cli_neighbours *n) {
    void *ids = NULL;
    int result = cli_values_allocate(n->queries, n->k, n->precision, &n->distances);
    if (result == CLI_GO_ON)
        result = cli_values_allocate(n->queries, n->k, WW_DOUBLE, &ids); // 8 bytes, as an id has
    n->ids = ids;
    return result;
}

static ww_status search(const lsh_job *j, const ww_lsh_options *options, const cli_neighbours *n, ww_lsh_info *info) {
    ww_lsh *lsh = NULL;
    ww_status status = ww_lsh_create(j->points[0], options, &lsh);
    if (status == WW_OK)
        status = ww_lsh_search(lsh, j->points[1], n->k, n->ids, n->distances, NULL);
    if (status == WW_OK)
        status = ww_lsh_describe(lsh, info);
    ww_lsh_destroy(&lsh);
    return status;
}

// ---- evaluation: the same tables with more and more probes, against the exact answer

typedef struct trial {
    uint32_t probes;
    double recall, ratio, seconds;
    ww_lsh_info info;
} trial;

// Mean ratio of the distances found to the exact ones, where both are there and not 0.
static double distance_ratio(const cli_neighbours *exact, const cli_neighbours *found) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < exact->queries * exact->k; i++) {
        const double e = cli_value_at(exact->distances, exact->precision, i);
        const double f = cli_value_at(found->distances, found->precision, i);
        if (e > 0 && isfinite(e) && isfinite(f)) {
            sum += f / e;
            count++;
        }
    }
    return count > 0 ? sum / count : 1;
}

// Recall upwards, seconds on a logarithmic scale to the right; the exact search's time is a line.
static int draw(const char *path, const trial *trials, size_t count, double exact_seconds) {
    cli_output out;
    double least = exact_seconds, most = exact_seconds;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, trials[i].seconds);
        most = fmax(most, trials[i].seconds);
    }
    const double from = floor(log10(least)), to = fmax(ceil(log10(most)), from + 1);
#define X(seconds) (70 + 540 * (log10(seconds) - from) / (to - from))
#define Y(recall) (350 - 320 * (recall))
    int result = cli_output_open(path, &out);
    if (result != CLI_GO_ON)
        return result;
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 400\" font-family=\"sans-serif\" "
          "font-size=\"12\">\n<rect width=\"640\" height=\"400\" fill=\"white\"/>\n",
          out.file);
    for (int tenth = 0; tenth <= 10; tenth += 2)
        fprintf(out.file,
                "<path d=\"M70 %.1fH610\" stroke=\"#ddd\"/><text x=\"62\" y=\"%.1f\" text-anchor=\"end\">%.1f</text>\n",
                Y(tenth / 10.0), Y(tenth / 10.0) + 4, tenth / 10.0);
    for (double decade = from; decade <= to; decade++)
        fprintf(
            out.file,
            "<path d=\"M%.1f 30V350\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"368\" text-anchor=\"middle\">%g</text>\n",
            X(pow(10, decade)), X(pow(10, decade)), pow(10, decade));
    fprintf(out.file, "<path d=\"M%.1f 30V350\" stroke=\"#c00\" stroke-dasharray=\"4\"/>\n", X(exact_seconds));
    fprintf(out.file, "<text x=\"%.1f\" y=\"24\" text-anchor=\"middle\" fill=\"#c00\">exact</text>\n",
            X(exact_seconds));
    fputs("<polyline fill=\"none\" stroke=\"#06c\" stroke-width=\"2\" points=\"", out.file);
    for (size_t i = 0; i < count; i++)
        fprintf(out.file, "%.1f,%.1f ", X(trials[i].seconds), Y(trials[i].recall));
    fputs("\"/>\n", out.file);
    for (size_t i = 0; i < count; i++)
        fprintf(out.file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#06c\"><title>%u probes</title></circle>\n",
                X(trials[i].seconds), Y(trials[i].recall), trials[i].probes);
    fputs("<text x=\"340\" y=\"390\" text-anchor=\"middle\">seconds, build and search</text>\n"
          "<text x=\"16\" y=\"190\" text-anchor=\"middle\" transform=\"rotate(-90 16 190)\">recall</text>\n</svg>\n",
          out.file);
#undef X
#undef Y
    return cli_output_close(&out);
}

static int exact_search(const lsh_job *j, cli_neighbours *exact, double *seconds) {
    ww_knn_options options = WW_KNN_OPTIONS_INIT;
    ww_knn_info info;
    ww_knn *knn = NULL;
    options.metric = (ww_metric)j->metric;
    ww_status status = ww_knn_create(j->points[0], j->points[1], exact->k, &options, &knn);
    if (status == WW_OK)
        status = ww_knn_run(knn, exact->ids, exact->distances, NULL);
    if (status == WW_OK)
        status = ww_knn_describe(knn, &info);
    *seconds = status == WW_OK ? info.seconds_wall : 0;
    ww_knn_destroy(&knn);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

static int evaluate(lsh_job *j) {
    enum { MOST = 11 };
    trial trials[MOST];
    size_t count = 0;
    double seconds = 0;
    cli_neighbours exact = j->found;
    exact.ids = NULL;
    exact.distances = NULL;
    int result = allocate(&exact);
    // Once for what the driver does late, once for the time.
    for (int run = 0; result == CLI_GO_ON && run < 2; run++)
        result = exact_search(j, &exact, &seconds);
    if (result == CLI_GO_ON && search(j, &j->options, &j->found, &trials[0].info) != WW_OK)
        result = cli_fail();
    if (result == CLI_GO_ON)
        printf("%8s %9s %9s %12s %9s %9s %9s %9s %10s\n", "probes", "recall", "ratio", "points/query", "capped",
               "build s", "search s", "x exact", "MB");
    for (uint64_t probes = 1; result == CLI_GO_ON && probes <= j->probes && count < MOST; probes *= 2) {
        ww_lsh_options options = j->options;
        trial *t = &trials[count++];
        options.probes = t->probes = (uint32_t)probes;
        if (search(j, &options, &j->found, &t->info) != WW_OK) {
            result = cli_fail();
            break;
        }
        t->recall = ww_knn_recall(exact.distances, j->found.distances, exact.queries, exact.k, exact.precision);
        t->ratio = distance_ratio(&exact, &j->found);
        t->seconds = fmax(t->info.seconds_build + t->info.seconds_search, 1e-9);
        printf("%8u %9.4f %9.4f %12.1f %9" PRIu64 " %9.4f %9.4f %9.2f %10.1f\n", t->probes, t->recall, t->ratio,
               (double)t->info.examined / (double)exact.queries, t->info.capped, t->info.seconds_build,
               t->info.seconds_search, seconds / t->seconds, (double)t->info.bytes / 1e6);
    }
    if (result == CLI_GO_ON)
        printf("   exact %9.4f %9.4f %12zu %9d %9.4f %9.4f %9.2f\n", 1.0, 1.0, ww_points_count(j->points[0]), 0, 0.0,
               seconds, 1.0);
    if (result == CLI_GO_ON && j->svg_path)
        result = draw(j->svg_path, trials, count, fmax(seconds, 1e-9));
    free(exact.ids);
    free(exact.distances);
    return result;
}

static int work(lsh_job *j) {
    ww_lsh_info info;
    cli_neighbours *n = &j->found;
    n->queries = ww_points_count(j->points[j->paths[1] ? 1 : 0]);
    n->k = (size_t)j->k;
    n->precision = ww_points_precision(j->points[0]);
    int result = allocate(n);
    if (result != CLI_GO_ON)
        return result;
    if (j->evaluate)
        return evaluate(j);
    if (search(j, &j->options, n, &info) != WW_OK)
        return cli_fail();
    if (info.capped)
        fprintf(stderr, "wavewarp: %" PRIu64 " queries found more than %" PRIu64 " points and kept those\n",
                info.capped, j->candidates);
    if (j->ids_path || j->distances_path)
        return cli_neighbours_write(n, j->ids_path, j->distances_path);
    cli_neighbours_print(n);
    return CLI_GO_ON;
}

int cmd_lsh(const cli_command *command, int argc, char **argv) {
    lsh_job j;
    const ww_lsh_options defaults = WW_LSH_OPTIONS_INIT;
    memset(&j, 0, sizeof j);
    j.k = 1;
    j.tables = defaults.tables;
    j.functions = defaults.functions;
    j.probes = defaults.probes;
    j.candidates = defaults.candidates;
    j.seed = defaults.seed;
    j.options = defaults;
    const cli_option options[] = {
        {"k", 'k', CLI_COUNT, "K", "neighbours of every query, default 1, at most 1024", &j.k, NULL, 1},
        {"metric", 'm', CLI_CHOICE, "M", "l2, l2-squared, l1, cosine or hamming", &j.metric, cli_metrics, 0},
        {"tables", 'l', CLI_COUNT, "L", "tables, default 10", &j.tables, NULL, 1},
        {"functions", 'n', CLI_COUNT, "M", "hash functions of a table, default 15, at most 64", &j.functions, NULL, 1},
        {"width", 'w', CLI_TEXT, "W", "l2 and l1: width of a segment, default 1", &j.width, 0, 0},
        {"probes", 't', CLI_COUNT, "T", "buckets looked into in every table, default 64", &j.probes, NULL, 1},
        {"candidates", 0, CLI_COUNT, "N", "most points a query looks at, default 2048, at most 4096", &j.candidates,
         NULL, 1},
        {"seed", 's', CLI_COUNT, "N", "the same seed gives the same tables, default 1", &j.seed, NULL, 0},
        {"evaluate", 0, CLI_FLAG, NULL,
         "print recall, distances and time against the exact search, with 1, 2, 4... probes", &j.evaluate, 0, 0},
        {"svg", 0, CLI_TEXT, "FILE", "with --evaluate: draw recall over time", &j.svg_path, 0, 0},
        {"ids", 0, CLI_TEXT, "FILE", "write the ids there: .ivecs, .npy, else text", &j.ids_path, 0, 0},
        {"distances", 0, CLI_TEXT, "FILE", "write the distances there: .fvecs, .npy, else text", &j.distances_path, 0,
         0},
        CLI_DEVICE_OPTIONS(j.device),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, 2, NULL);
    if (result != CLI_GO_ON)
        return result;
    if (j.width && !cli_number(j.width, &j.options.width))
        return cli_usage(command->name, "--width: '%s' is not a number", j.width);
    if (j.svg_path && !j.evaluate)
        return cli_usage(command->name, "--svg goes with --evaluate");
    // Larger numbers are refused by the library all the same.
    j.options.metric = (ww_metric)j.metric;
    j.options.tables = (uint32_t)(j.tables < UINT32_MAX ? j.tables : UINT32_MAX);
    j.options.functions = (uint32_t)(j.functions < UINT32_MAX ? j.functions : UINT32_MAX);
    j.options.probes = (uint32_t)(j.probes < UINT32_MAX ? j.probes : UINT32_MAX);
    j.options.candidates = (uint32_t)(j.candidates < UINT32_MAX ? j.candidates : UINT32_MAX);
    j.options.seed = j.seed;
    j.options.max_bytes = j.device.max_bytes;
    ww_vector_view views[2];
    for (int i = 0; result == CLI_GO_ON && i < 2 && j.paths[i]; i++)
        result = cli_points_read(j.paths[i], (ww_metric)j.metric, &j.sets[i], &views[i]);
    if (result == CLI_GO_ON)
        result = cli_context_open(&j.device, &j.context);
    for (int i = 0; result == CLI_GO_ON && i < 2 && j.paths[i]; i++)
        result = cli_points_upload(j.context, &j.device, &views[i], &j.points[i]);
    if (result == CLI_GO_ON)
        result = work(&j);
    job_end(&j);
    return result == CLI_GO_ON ? CLI_OK : result;
}
