// SPDX-License-Identifier: Apache-2.0
// See gradients.h. A row of a pair: the length of its series, the bytes of its label and one more (0: it has none), the
// cells of its alignment, the label, the value, the gradient by the measure's parameters, that by the series, the
// alignment. Rows are as long as the longest one, and end in zeros.
#include "results/gradients.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 3, PACKED = 6 }; // PACKED: bytes of a label in a double

const char *const cli_gradient_sides[] = {"x", "y", NULL};

static size_t packed(size_t bytes) {
    return (bytes + PACKED - 1) / PACKED;
}

// Where a row has what follows the label.
static size_t place_of_value(const cli_gradients *g) {
    return HEAD + packed(g->label);
}

size_t cli_gradients_columns(const cli_gradients *g) {
    return place_of_value(g) + 1 + g->parameters + g->longest * g->channels + g->cells;
}

bool cli_gradients_shape_read(const char *text, cli_gradients *g) {
    const size_t most = INT32_MAX;
    return sscanf(text, " channels %zu parameters %zu longest %zu cells %zu label %zu", &g->channels, &g->parameters,
                  &g->longest, &g->cells, &g->label) == 5 &&
           g->channels > 0 && g->channels <= most && g->parameters <= most && g->longest <= most &&
           g->cells <= most * most && g->label <= most;
}

// ---- what is joined

static void put(void *values, ww_precision precision, uint64_t at, const double *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        cli_value_put(values, precision, (size_t)at + i, from[i]);
}

int cli_gradients_begin(cli_gradients *g) {
    CLI_TRY(cli_values_allocate(g->pairs, 1, g->precision, &g->values));
    CLI_TRY(cli_values_allocate(g->pairs, g->longest * g->channels, g->precision, &g->slopes));
    if (g->parameters)
        CLI_TRY(cli_values_allocate(g->pairs, g->parameters, g->precision, &g->by_parameters));
    if (g->cells)
        CLI_TRY(cli_values_allocate(g->pairs, g->cells, g->precision, &g->alignment));
    return cli_status(ww_series_set_create(g->channels, &g->set));
}

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

// Adds the series whose values are there.
static int add_series(cli_gradients *g, size_t length, double label_size, const double *packed_label) {
    CLI_FREES char *label = label_size > 0 ? calloc(packed(g->label) + 1, PACKED) : NULL;
    if (label_size > 0 && !label)
        return cli_error("not enough memory");
    for (size_t i = 0; label && i < packed(g->label); i++) {
        uint64_t bits = (uint64_t)packed_label[i];
        for (size_t b = 0; b < PACKED; b++, bits >>= 8)
            label[i * PACKED + b] = (char)(unsigned char)(bits & 255);
    }
    return cli_gradients_add(g->set, g->precision, g->slopes, &g->at, length, label);
}

int cli_gradients_take(void *user, uint64_t row, const double *values) {
    cli_gradients *g = user;
    const double *at = values + place_of_value(g);
    const double length = values[0];
    const bool sizes = length >= 1 && length <= (double)g->longest && values[1] >= 0 &&
                       values[1] <= (double)g->label + 1 && values[2] >= 0 && values[2] <= (double)g->cells;
    if (!sizes || row != g->joined)
        return cli_error("row %zu of the gradients is damaged", (size_t)row);
    put(g->values, g->precision, row, at, 1);
    at += 1;
    put(g->by_parameters, g->precision, row * g->parameters, at, g->parameters);
    at += g->parameters;
    put(g->slopes, g->precision, g->at, at, (size_t)length * g->channels);
    at += g->longest * g->channels;
    put(g->alignment, g->precision, g->cells_at, at, (size_t)values[2]);
    g->cells_at += (uint64_t)values[2];
    g->joined++;
    return add_series(g, (size_t)length, values[1], values + HEAD);
}

int cli_gradients_join(cli_gradients *g, const cli_row_job *job, const ww_array_file *file) {
    CLI_TRY(cli_gradients_begin(g));
    return cli_rows_each(file, 0, job->rows, job->columns, cli_gradients_take, g);
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

// ---- rows

static double weight(void *user, uint64_t row) {
    const cli_gradient_rows *r = user;
    return (double)ww_series_set_length(r->s->sets[0], (size_t)row) *
           (double)ww_series_set_length(r->s->sets[1], (size_t)row);
}

static int run_some(cli_gradient_rows *r, ww_gradient *gradient, cli_gradients *some) {
    ww_gradient_info info = WW_GRADIENT_INFO_INIT;
    ww_gradient_outputs to;
    ww_output each[4];
    CLI_TRY(cli_status(ww_gradient_get_info(gradient, &info)));
    CLI_TRY(cli_gradients_outputs(some, &info, r->of, each, &to));
    CLI_TRY(cli_status_plainly(ww_gradient_run(gradient, &to)));
    CLI_TRY(cli_status_plainly(ww_gradient_get_info(gradient, &info)));
    r->did.pairs += info.pairs;
    r->did.cells += info.cells;
    r->did.segments = info.segments > r->did.segments ? info.segments : r->did.segments;
    r->did.seconds_device += info.seconds_device;
    r->did.seconds_wall += info.seconds_wall;
    r->s->progress.done_before += 2 * info.cells;
    return CLI_GO_ON;
}

static double *pack_values(const cli_gradients *g, const void *values, size_t first, size_t count, double *to) {
    for (size_t i = 0; i < count; i++)
        to[i] = cli_value_at(values, g->precision, first + i);
    return to + count;
}

static void pack_label(const char *label, double *row) {
    const size_t size = label ? strlen(label) : 0;
    row[1] = label ? (double)(size + 1) : 0;
    for (size_t i = 0; i < packed(size); i++) {
        uint64_t bits = 0;
        for (size_t b = 0; b < PACKED && i * PACKED + b < size; b++)
            bits |= (uint64_t)(unsigned char)label[i * PACKED + b] << 8 * b;
        row[HEAD + i] = (double)bits;
    }
}

static size_t cells_of(const cli_gradient_rows *r, size_t pair) {
    return r->options.alignment ? (ww_series_set_length(r->s->sets[0], pair) - r->shorter) *
                                      (ww_series_set_length(r->s->sets[1], pair) - r->shorter)
                                : 0;
}

static void pack_rows(const cli_gradient_rows *r, const cli_gradients *s, size_t first, size_t count, double *rows) {
    const cli_gradients *g = &r->shape;
    const ww_series_set *of = r->s->sets[r->of];
    const size_t columns = cli_gradients_columns(g);
    size_t at = 0, cells_at = 0;
    memset(rows, 0, count * columns * sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        double *row = rows + i * columns, *to = row + place_of_value(g);
        const size_t length = ww_series_set_length(of, first + i), values = length * g->channels;
        row[0] = (double)length;
        pack_label(ww_series_set_label(of, first + i), row);
        to = pack_values(g, s->values, i, 1, to);
        to = pack_values(g, s->by_parameters, i * g->parameters, g->parameters, to);
        (void)pack_values(g, s->slopes, at, values, to);
        row[2] = (double)cells_of(r, first + i);
        (void)pack_values(g, s->alignment, cells_at, (size_t)row[2], to + g->longest * g->channels);
        at += values;
        cells_at += (size_t)row[2];
    }
}

static int compute(void *user, uint64_t first, uint64_t count, void *values) {
    cli_gradient_rows *r = user;
    CLI_FREES size_t *index = malloc((size_t)count * sizeof *index);
    CLI_ENDS(ww_gradient_destroy) ww_gradient *gradient = NULL;
    CLI_ENDS(cli_gradients_free) cli_gradients some = r->shape; // no memory
    if (!index)
        return cli_error("not enough memory");
    for (size_t i = 0; i < count; i++)
        index[i] = (size_t)first + i;
    CLI_TRY(cli_status_plainly(ww_gradient_create_pairs(&r->s->measure, r->s->data[0], r->s->data[1], index, index,
                                                        (size_t)count, &r->options, &gradient)));
    CLI_TRY(run_some(r, gradient, &some));
    pack_rows(r, &some, (size_t)first, (size_t)count, values);
    return CLI_GO_ON;
}

// How many values a pair has, from a gradient of the first one.
static int take_sizes(cli_gradient_rows *r) {
    static const size_t first = 0;
    CLI_ENDS(ww_gradient_destroy) ww_gradient *gradient = NULL;
    ww_gradient_info info = WW_GRADIENT_INFO_INIT;
    cli_gradients *g = &r->shape;
    CLI_TRY(cli_status(ww_gradient_create_pairs(&r->s->measure, r->s->data[0], r->s->data[1], &first, &first, 1,
                                                &r->options, &gradient)));
    CLI_TRY(cli_status(ww_gradient_get_info(gradient, &info)));
    g->parameters = r->options.parameters ? (size_t)info.parameters : 0;
    // A derivative has two points fewer than its series.
    r->shorter = 0;
    r->shorter = info.alignment < cells_of(r, 0) ? 2 : 0;
    for (size_t i = 0; i < g->pairs; i++)
        g->cells = cells_of(r, i) > g->cells ? cells_of(r, i) : g->cells;
    return CLI_GO_ON;
}

int cli_gradients_divide(cli_gradient_rows *r, cli_row_job *job) {
    const ww_series_set *of = r->s->sets[r->of];
    cli_gradients *g = &r->shape;
    *g = (cli_gradients){.precision = job->result,
                         .pairs = ww_series_set_count(of),
                         .channels = ww_series_set_channels(of),
                         .longest = ww_series_set_max_length(of)};
    r->options.per_pair = 1;
    CLI_TRY(take_sizes(r));
    for (size_t i = 0; i < g->pairs; i++) {
        const char *label = ww_series_set_label(of, i);
        const size_t size = label ? strlen(label) : 0;
        g->label = size > g->label ? size : g->label;
    }
    r->labels[0] = '\0';
    CLI_TRY(cli_division_sum_labels(of, r->labels));
    snprintf(r->more, sizeof r->more, "channels %zu parameters %zu longest %zu cells %zu label %zu of %s divergence %d",
             g->channels, g->parameters, g->longest, g->cells, g->label, cli_gradient_sides[r->of],
             r->options.divergence != 0);
    job->name = "gradient";
    job->more = r->more;
    job->stream = r->labels;
    job->rows = g->pairs;
    job->columns = cli_gradients_columns(g);
    job->weight = weight;
    job->compute = compute;
    job->user = r;
    return CLI_GO_ON;
}
