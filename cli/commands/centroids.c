// SPDX-License-Identifier: Apache-2.0
// See centroids.h.
#include "commands/centroids.h"

#include <stdlib.h>

const char *const cli_averages[] = {"dba", "soft", "mean", NULL};

static int add_class(const ww_measure *measure, ww_dataset *train, size_t number, ww_average_options *options,
                     size_t *members, ww_series_set *centroids) {
    CLI_ENDS(ww_average_result_free) ww_average_result result = WW_AVERAGE_RESULT_INIT;
    options->members = members;
    options->member_count = 0;
    for (size_t i = 0; i < ww_dataset_count(train); i++)
        if (ww_dataset_class(train, i) == (int64_t)number)
            members[options->member_count++] = i;
    if (options->member_count == 0) // a class of the file's head without a series
        return CLI_GO_ON;
    CLI_TRY(cli_status(ww_average(measure, train, options, &result)));
    return cli_status(ww_series_set_add(centroids, result.length, result.centre, ww_dataset_class_name(train, number)));
}

int cli_centroids(const ww_measure *measure, ww_dataset *train, int average, const ww_plan_options *plan,
                  ww_series_set **centroids) {
    ww_average_options options = WW_AVERAGE_OPTIONS_INIT;
    CLI_FREES size_t *members = malloc((ww_dataset_count(train) + 1) * sizeof *members);
    if (!members)
        return cli_error("out of memory");
    options.method = average == CLI_AVERAGE_SOFT ? WW_AVERAGE_SOFT : WW_AVERAGE_DBA;
    if (average == CLI_AVERAGE_MEAN)
        options.iterations = 0; // the start alone
    options.plan = plan;
    CLI_TRY(cli_status(ww_series_set_create(ww_dataset_channels(train), centroids)));
    for (size_t k = 0; k < ww_dataset_class_count(train); k++)
        CLI_TRY(add_class(measure, train, k, &options, members, *centroids));
    return CLI_GO_ON;
}
