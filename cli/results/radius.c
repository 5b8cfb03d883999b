// SPDX-License-Identifier: Apache-2.0
// See radius.h.
#include "results/radius.h"

#include <math.h>

int cli_points_radius(const char *command, const char *text, ww_metric metric, double *radius) {
    if (text && (!cli_number(text, radius) || *radius < 0))
        return cli_usage(command, "--radius is '%s', but must be a number from 0", text);
    if (text && metric == WW_METRIC_INNER_PRODUCT)
        return cli_usage(command, "--radius is for distances; an inner product is none");
    return CLI_GO_ON;
}

size_t cli_points_within(const cli_neighbours *n, double radius) {
    size_t full = 0;
    for (size_t i = 0; isfinite(radius) && i < n->queries * n->k; i++) {
        const bool within = n->ids[i] >= 0 && cli_value_at(n->distances, n->precision, i) <= radius;
        full += within && i % n->k == n->k - 1;
        if (within)
            continue;
        n->ids[i] = -1;
        cli_value_put(n->distances, n->precision, i, (double)INFINITY);
    }
    return full;
}

void cli_points_say_full(size_t full, const cli_neighbours *n, size_t base_count, double radius) {
    if (full > 0 && n->k < base_count)
        fprintf(stderr,
                "wavewarp: %zu queries have %zu points within %g, and may have more: --k is the limit (it can be up to "
                "%d)\n",
                full, n->k, radius, WW_KNN_MOST);
}
