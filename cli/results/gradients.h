// SPDX-License-Identifier: Apache-2.0
// Gradients of pairs, and their output.
#ifndef WAVEWARP_CLI_GRADIENTS_H
#define WAVEWARP_CLI_GRADIENTS_H

#include "base/json.h"

extern const char *const cli_gradient_sides[]; // by the series of X, of Y

typedef struct cli_gradients {
    ww_precision precision;
    size_t pairs, channels, parameters; // parameters: values of a pair, 0 none
    size_t cells;                       // of all alignments; 0: they are not wanted
    ww_series_set *set;                 // a series for each pair
    void *values, *slopes, *by_parameters, *alignment;
} cli_gradients;

void cli_gradients_free(cli_gradients *g);

// Room for what such a gradient gives, by the series of X or (`of`) of Y, and its outputs, which are in `each`; where
// `parameters` and `cells` are 0 without these.
int cli_gradients_outputs(cli_gradients *g, const ww_gradient_info *info, int of, ww_output each[4],
                          ww_gradient_outputs *to);

// Adds a series of these values, from `at` on, to a set; *at is moved.
int cli_gradients_add(ww_series_set *set, ww_precision precision, const void *values, uint64_t *at, size_t length,
                      const char *label);
// Writes the gradient; NULL, "-": text to standard output.
int cli_gradients_write(const cli_gradients *g, const char *path);
// "values", "by_parameters" and "gradient"; `listed`: the gradient is not in a file.
void cli_gradients_json(cli_json *json, const cli_gradients *g, bool listed);

#endif
