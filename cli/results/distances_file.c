// SPDX-License-Identifier: Apache-2.0
// See distances_file.h.
#include "results/distances_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/triangle.h"

// Both halves are computed apart where a matrix is streamed; they differ by rounding alone.
static const double tolerance = 1e-5;

static int check_value(const char *path, double value, size_t i, size_t j) {
    return isnan(value) ? cli_error("%s: the distance of series %zu and %zu is missing (NaN)", path, i, j) : CLI_GO_ON;
}

// The upper triangle of n lines of n values.
static int take_square(const char *path, const ww_series_set *set, double *condensed) {
    const size_t n = ww_series_set_count(set);
    double most = 0;
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const double x = ww_series_set_values(set, i)[j], y = ww_series_set_values(set, j)[i];
            CLI_TRY(check_value(path, isnan(y) ? y : x, i, j));
            const double scale = fmax(fabs(x), fabs(y));
            // Equal ones may both be infinite.
            const bool differ = x < y || x > y;
            if (differ && !(fabs(x - y) <= tolerance * scale))
                return cli_error("%s: not symmetric, so no distances of a set with itself: %.9g of series %zu and "
                                 "%zu, %.9g the other way",
                                 path, x, i, j, y);
            most = isfinite(scale) ? fmax(most, scale) : most;
            condensed[at++] = x;
        }
    for (size_t i = 0; i < n; i++) {
        const double x = ww_series_set_values(set, i)[i];
        CLI_TRY(check_value(path, x, i, i));
        if (!(fabs(x) <= tolerance * most))
            return cli_error("%s: series %zu has distance %.9g to itself; it must be 0, so similarities and soft "
                             "measures are refused",
                             path, i, x);
    }
    return CLI_GO_ON;
}

// All values in order: one a line, or in one line.
static int take_condensed(const char *path, const ww_series_set *set, size_t n, double *condensed) {
    size_t at = 0;
    for (size_t i = 0; i < ww_series_set_count(set); i++)
        for (size_t t = 0; t < ww_series_set_length(set, i); t++)
            condensed[at++] = ww_series_set_values(set, i)[t];
    at = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            CLI_TRY(check_value(path, condensed[at++], i, j));
    return CLI_GO_ON;
}

// Series whose condensed distances are so many; 0: there is no such number.
static size_t count_of(size_t distances) {
    size_t n = (size_t)sqrt(2.0 * (double)distances);
    while (n * (n + 1) / 2 < distances)
        n++;
    return n * (n + 1) / 2 == distances ? n + 1 : 0;
}

int cli_distances_read(const char *path, size_t *count, double **condensed) {
    const cli_read_options plain = {
        .rows = WW_ROWS_SERIES, .header = WW_HEADER_NO, .labels = "none", .axes = WW_AXES_NCT, .quiet = true};
    CLI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    *condensed = NULL;
    CLI_TRY(cli_read(path, &plain, 0, false, &set));
    const size_t lines = ww_series_set_count(set), least = ww_series_set_min_length(set),
                 most = ww_series_set_max_length(set);
    const bool plain_lines = ww_series_set_channels(set) == 1 && least == most;
    // One value is the square of one series where it is 0, else the distance of two.
    const bool single = lines == 1 && most == 1;
    const bool square = plain_lines && lines == most && !(single && ww_series_set_values(set, 0)[0] > 0);
    const bool list = plain_lines && (lines == 1 || most == 1);
    *count = square ? lines : list ? count_of(lines * most) : 0;
    if (*count == 0)
        return cli_error("%s: %zu lines of %zu to %zu values are neither a square matrix nor condensed, which has "
                         "N (N - 1) / 2 values",
                         path, lines, least, most);
    const size_t distances = (size_t)cli_condensed_count(*count);
    *condensed = malloc((distances + 1) * sizeof **condensed);
    if (!*condensed)
        return cli_error("%zu distances do not fit memory", distances);
    return square ? take_square(path, set, *condensed) : take_condensed(path, set, *count, *condensed);
}
