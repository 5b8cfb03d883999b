// SPDX-License-Identifier: Apache-2.0
// See lsh_options.h.
#include "results/lsh_options.h"

#include <inttypes.h>

const char *const cli_lsh_paths[] = {"auto", "buckets", "queries", NULL};

static uint32_t option_value(uint64_t given, uint32_t otherwise) {
    // The library refuses larger numbers.
    return given == CLI_LSH_NOT_GIVEN ? otherwise : given < UINT32_MAX ? (uint32_t)given : UINT32_MAX;
}

int cli_lsh_take(const char *command, const cli_lsh_wanted *w, uint64_t k, ww_lsh_options *o) {
    const bool of_numbers = w->metric == CLI_LSH_NO_METRIC || w->metric == WW_METRIC_L2 ||
                            w->metric == WW_METRIC_L2_SQUARED || w->metric == WW_METRIC_L1;
    *o = (ww_lsh_options)WW_LSH_OPTIONS_INIT;
    if (w->width && !of_numbers)
        return cli_usage(command, "--width is of no use with --metric %s; only l2 and l1 use it",
                         cli_metrics[w->metric]);
    if (w->width && !cli_number(w->width, &o->width))
        return cli_usage(command, "--width: '%s' is not a number", w->width);
    if (k > WW_LSH_MOST_K)
        return cli_error("k is %" PRIu64 "; it can be 1 to %d", k, WW_LSH_MOST_K);
    o->metric = w->metric == CLI_LSH_NO_METRIC        ? WW_METRIC_L2
                : w->metric == WW_METRIC_JACCARD_BITS ? WW_METRIC_JACCARD
                                                      : (ww_metric)w->metric;
    o->tables = option_value(w->tables, o->tables);
    o->functions = option_value(w->functions, o->functions);
    o->probes = option_value(w->probes, o->probes);
    o->candidates = option_value(w->candidates, o->candidates);
    o->seed = w->seed == CLI_LSH_NOT_GIVEN ? o->seed : w->seed;
    o->path = (ww_lsh_path)w->path;
    o->complete = w->complete;
    return CLI_GO_ON;
}

int cli_lsh_read(const char *path, ww_metric metric, bool bits, ww_point_set **set, ww_point_view *view) {
    CLI_TRY(cli_points_read(path, bits ? WW_METRIC_JACCARD_BITS : metric, set, view));
    if (!bits)
        return CLI_GO_ON;
    // As lists, which have a hash family.
    ww_point_set *lists = NULL;
    CLI_TRY(cli_status(ww_point_set_of_bits(view, &lists)));
    ww_point_set_destroy(set);
    *set = lists;
    return cli_status(ww_point_set_view(lists, view));
}

void cli_lsh_say(const ww_lsh_info *info, const ww_lsh_options *options, size_t k) {
    if (info->capped)
        fprintf(stderr, "wavewarp: %" PRIu64 " queries found more than %u points and kept those\n", info->capped,
                options->candidates);
    if (info->incomplete && !options->complete)
        fprintf(stderr, "wavewarp: %" PRIu64 " queries found fewer than %zu points (--complete answers them exactly)\n",
                info->incomplete, k);
}
