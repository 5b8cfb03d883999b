// SPDX-License-Identifier: Apache-2.0
// wavewarp cluster: what the command and its picture share.
#ifndef WAVEWARP_CLI_CLUSTER_H
#define WAVEWARP_CLI_CLUSTER_H

#include "base/series_job.h"
#include "commands/commands.h"

enum cli_cluster_method { CLI_MEDOIDS = 0, CLI_KMEANS = 5, CLI_KSHAPE }; // between: linkages, in their order

enum cli_symmetrise { CLI_MEAN = 1, CLI_LEAST, CLI_MOST };

typedef struct cli_clustering {
    cli_series_job s;
    const char *output, *centres_path, *merges_path, *svg_path, *limit, *distances;
    int method, symmetrise;
    uint64_t k, seed, starts, iterations, length, sample;
    double distance;
    bool json;
    ww_series_set *centres; // kmeans, kshape
    ww_plan_info info;      // of the matrix
    size_t count, clusters;
    void *matrix; // condensed, of the device's precision
    int64_t *labels, *classes;
    size_t *medoids; // of each cluster: the member with the least sum of distances to the others
    double *silhouettes;
    ww_merge *merges;
    ww_medoids_info medoids_info;
    ww_kmeans_info kmeans_info;
    double silhouette, agreement, seconds; // NAN: not defined
} cli_clustering;

// Whether a method makes a tree; whether it has centres of its own in place of medoids.
bool cli_cluster_merges(int method);
bool cli_cluster_has_centres(int method);
// A cluster's centre, an average or a medoid.
const double *cli_cluster_centre(const cli_clustering *c, size_t k, size_t *length);

int cli_cluster_draw(const cli_clustering *c);

#endif
