// SPDX-License-Identifier: Apache-2.0
// See gradients.h.
#include "results/gradients.h"

#include <stdlib.h>
#include <string.h>

const char *const cli_gradient_sides[] = {"x", "y", NULL};

void cli_gradients_free(cli_gradients *g) {
    ww_series_set_destroy(&g->set);
    free(g->values);
    free(g->slopes);
    free(g->by_parameters);
    free(g->alignment);
    memset(g, 0, sizeof *g);
}

int cli_gradients_outputs(cli_gradients *g, const ww_gradient_info *info, int of, ww_output each[4],
                          ww_gradient_outputs *to) {
    CLI_TRY(cli_values_allocate(info->pairs, 1, g->precision, &g->values));
    CLI_TRY(cli_values_allocate(of ? info->columns : info->rows, 1, g->precision, &g->slopes));
    if (g->parameters)
        CLI_TRY(cli_values_allocate(info->parameters, 1, g->precision, &g->by_parameters));
    if (g->cells)
        CLI_TRY(cli_values_allocate(info->alignment, 1, g->precision, &g->alignment));
    void *const host[4] = {g->values, g->slopes, g->by_parameters, g->alignment};
    for (int i = 0; i < 4; i++)
        each[i] = (ww_output)WW_OUTPUT_HOST(host[i]);
    *to = (ww_gradient_outputs)WW_GRADIENT_OUTPUTS_INIT;
    to->values = &each[0];
    *(of ? &to->columns : &to->rows) = &each[1];
    to->parameters = g->parameters ? &each[2] : NULL;
    to->alignment = g->cells ? &each[3] : NULL;
    return CLI_GO_ON;
}

int cli_gradients_add(ww_series_set *set, ww_precision precision, const void *values, uint64_t *at, size_t length,
                      const char *label) {
    const size_t size = ww_series_set_channels(set) * length;
    CLI_FREES double *own = malloc((size ? size : 1) * sizeof *own);
    if (!own)
        return cli_error("not enough memory");
    for (size_t i = 0; i < size; i++)
        own[i] = cli_value_at(values, precision, (size_t)*at + i);
    *at += size;
    return cli_status(ww_series_set_add(set, length, own, label));
}

// ---- output

int cli_gradients_write(const cli_gradients *g, const char *path) {
    const bool text = !path || strcmp(path, "-") == 0;
    return cli_status(
        ww_series_set_write(g->set, text ? "-" : path, text ? WW_FORMAT_CSV : WW_FORMAT_AUTO, g->precision));
}

void cli_gradients_json(cli_json *json, const cli_gradients *g, bool listed) {
    const char *at = g->slopes;
    cli_json_values(json, "values", g->values, g->precision, g->pairs);
    if (g->parameters)
        cli_json_values(json, "by_parameters", g->by_parameters, g->precision, g->pairs * g->parameters);
    if (!listed) {
        cli_json_null(json, "gradient");
        return;
    }
    // A list a series, channel by channel.
    cli_json_array(json, "gradient");
    for (size_t i = 0; i < ww_series_set_count(g->set); i++) {
        const size_t values = ww_series_set_length(g->set, i) * g->channels;
        cli_json_line(json);
        cli_json_values(json, NULL, at, g->precision, values);
        at += values * cli_value_bytes(g->precision);
    }
    cli_json_end(json);
}
