// SPDX-License-Identifier: Apache-2.0
// wavewarp gradient: how the distance of each pair of series changes with their values.
#include <inttypes.h>
#include <stdlib.h>

#include "base/series_job.h"
#include "commands/commands.h"
#include "pictures/pair_picture.h"
#include "results/gradients.h"

typedef struct job {
    cli_series_job s;
    const char *output, *alignment, *svg;
    uint64_t drawn; // the pair in the picture
    int of;         // 0: by the series of X, 1: of Y
    bool divergence, all_pairs, parameters, json;
    ww_gradient *gradient;
    ww_gradient_info info;
    cli_gradients found; // of series that are in several pairs, with --all-pairs, their sums
} job;

static void job_end(job *j) {
    ww_gradient_destroy(&j->gradient);
    cli_gradients_free(&j->found);
    cli_series_end(&j->s);
}

static int load(job *j, const char *command) {
    ww_series_set *const *sets = j->s.sets;
    CLI_TRY(cli_series_read(&j->s, command));
    if (!j->all_pairs && ww_series_set_count(sets[0]) != ww_series_set_count(sets[1]))
        return cli_error("%s has %zu series and %s has %zu: pairs need equal numbers; --all-pairs takes every pair",
                         j->s.paths[0], ww_series_set_count(sets[0]), j->s.paths[1], ww_series_set_count(sets[1]));
    CLI_TRY(cli_series_fit(&j->s));
    return cli_series_upload(&j->s);
}

static size_t pair_count(const job *j) {
    const size_t rows = ww_series_set_count(j->s.sets[0]), columns = ww_series_set_count(j->s.sets[1]);
    return j->all_pairs ? rows * columns : rows;
}

// An array of pairs x rows x columns: a series for each pair, a channel for each row.
static int write_alignment(const job *j) {
    const size_t n = ww_series_set_max_length(j->s.sets[0]), m = ww_series_set_max_length(j->s.sets[1]);
    CLI_ENDS(ww_series_set_destroy) ww_series_set *aligned = NULL;
    uint64_t at = 0;
    CLI_TRY(cli_status(ww_series_set_create(n, &aligned)));
    for (size_t p = 0; p < pair_count(j); p++)
        CLI_TRY(cli_gradients_add(aligned, j->found.precision, j->found.alignment, &at, m, NULL));
    return cli_status(ww_series_set_write(aligned, j->alignment, WW_FORMAT_AUTO, j->found.precision));
}

static int draw(const job *j) {
    const size_t pair = (size_t)j->drawn, columns = ww_series_set_count(j->s.sets[1]);
    const size_t value = cli_value_bytes(cli_precision(&j->s.device));
    size_t first = 0; // the pairs before this one have their cells before it
    cli_alignment_picture wanted = {.path = j->svg,
                                    .sets = {j->s.sets[0], j->s.sets[1]},
                                    .pair = pair,
                                    .measure = &j->s.measure,
                                    .precision = cli_precision(&j->s.device),
                                    .value = cli_value_at(j->found.values, cli_precision(&j->s.device), pair)};
    for (size_t p = 0;; p++) {
        wanted.members[0] = j->all_pairs ? p / columns : p;
        wanted.members[1] = j->all_pairs ? p % columns : p;
        if (p == pair)
            break;
        first += ww_series_set_length(j->s.sets[0], wanted.members[0]) *
                 ww_series_set_length(j->s.sets[1], wanted.members[1]);
    }
    wanted.cells = (const char *)j->found.alignment + first * value;
    return cli_alignment_draw(&wanted);
}

static int check_alignment(const job *j) {
    if (j->svg && j->drawn >= pair_count(j))
        return cli_error("--pair %" PRIu64 ": there are %zu pairs, counted from 0", j->drawn, pair_count(j));
    if (!j->alignment)
        return CLI_GO_ON;
    for (int i = 0; i < 2; i++)
        if (ww_series_set_min_length(j->s.sets[i]) != ww_series_set_max_length(j->s.sets[i]))
            return cli_error("%s: --expected-alignment needs series of one length", j->s.paths[i]);
    return CLI_GO_ON;
}

// The sizes of what is computed.
static int prepare(job *j, const ww_gradient_options *options) {
    const cli_series_job *s = &j->s;
    const size_t rows = ww_series_set_count(s->sets[0]);
    j->info = (ww_gradient_info)WW_GRADIENT_INFO_INIT;
    CLI_TRY(cli_status(
        j->all_pairs
            ? ww_gradient_create_matrix(&s->measure, s->data[0], s->data[1], options, &j->gradient)
            : ww_gradient_create_pairs(&s->measure, s->data[0], s->data[1], NULL, NULL, rows, options, &j->gradient)));
    return cli_status(ww_gradient_get_info(j->gradient, &j->info));
}

static int run(job *j, const ww_gradient_outputs *to) {
    CLI_TRY(cli_status(ww_gradient_run(j->gradient, to)));
    return cli_status(ww_gradient_get_info(j->gradient, &j->info));
}

// The gradient's series, in the shape of those that it is of.
static int make_set(job *j) {
    const ww_series_set *of = j->s.sets[j->of];
    cli_gradients *g = &j->found;
    uint64_t at = 0;
    g->channels = ww_series_set_channels(of);
    CLI_TRY(cli_status(ww_series_set_create(g->channels, &g->set)));
    for (size_t i = 0; i < ww_series_set_count(of); i++)
        CLI_TRY(cli_gradients_add(g->set, g->precision, g->slopes, &at, ww_series_set_length(of, i),
                                  ww_series_set_label(of, i)));
    return CLI_GO_ON;
}

static int compute(job *j, ww_gradient_options *options) {
    cli_gradients *g = &j->found;
    ww_gradient_outputs to;
    ww_output each[4];
    options->per_pair = !j->all_pairs; // a series is in one pair: the same gradient, which devices divide
    CLI_TRY(prepare(j, options));
    g->precision = cli_precision(&j->s.device);
    g->pairs = (size_t)j->info.pairs;
    g->parameters = j->parameters ? (size_t)(j->info.parameters / j->info.pairs) : 0;
    g->cells = options->alignment ? (size_t)j->info.alignment : 0;
    CLI_TRY(cli_gradients_outputs(g, &j->info, j->of, each, &to));
    CLI_TRY(run(j, &to));
    return make_set(j);
}

static int find(job *j) {
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    options.divergence = j->divergence;
    options.parameters = j->parameters;
    options.alignment = j->alignment || j->svg;
    cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
    options.run = j->s.plan.run;
    const int result = compute(j, &options);
    cli_progress_end();
    cli_shares_report(j->s.context);
    return result;
}

static void print_json(const job *j, const cli_command *command) {
    cli_head head = cli_series_head(&j->s, j->output);
    cli_json json;
    head.seconds_compute = j->info.seconds_wall;
    head.seconds_device = j->info.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_division_json(&json, &j->s.division);
    cli_json_count(&json, "pairs", j->found.pairs);
    cli_json_count(&json, "cells", j->info.cells);
    cli_json_count(&json, "segments", j->info.segments);
    cli_shares_json(j->s.context, NULL, &json);
    cli_json_flag(&json, "divergence", j->divergence);
    cli_json_text(&json, "of", cli_gradient_sides[j->of]);
    cli_json_text(&json, "expected_alignment", j->alignment);
    cli_gradients_json(&json, &j->found, !j->output);
    cli_json_end(&json);
}

static int output(job *j, const cli_command *command) {
    if (j->alignment)
        CLI_TRY(write_alignment(j));
    if (j->svg)
        CLI_TRY(draw(j));
    if (j->output || !(j->json || j->svg))
        CLI_TRY(cli_gradients_write(&j->found, j->output));
    if (j->json)
        print_json(j, command);
    return cli_division_finish(&j->s.division);
}

static int check_options(const cli_command *command, job *j) {
    CLI_TRY(cli_division_check(command->name, &j->s.division, j->output || j->alignment || j->svg));
    if (j->parameters && !j->json && !j->s.division.part)
        return cli_usage(command->name, "--by-parameters prints with --json");
    if (j->all_pairs && cli_divided(&j->s.division))
        return cli_usage(command->name,
                         "--all-pairs takes no --part and no --checkpoint: sums over pairs are not divided");
    return CLI_GO_ON;
}

int cmd_gradient(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) job j = {0};
    const cli_option options[] = {
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE",
                   "gradient, in the shape of the series: .npy, .csv, .ts; default '-', text", &j.output),
        CLI_ONE_OF("of", 0, "SIDE", "the gradient by the series of X or of Y", &j.of, cli_gradient_sides),
        CLI_SWITCH("divergence", 0, "the gradient of V(x,y) - V(x,x)/2 - V(y,y)/2", &j.divergence),
        CLI_SWITCH("all-pairs", 0, "every series of X with every one of Y; the gradient of the sum", &j.all_pairs),
        CLI_OPTION("expected-alignment", 0, CLI_MADE, "FILE",
                   "the probability that a path goes through each cell: .npy, pairs x rows x columns", &j.alignment),
        CLI_OPTION("svg", 0, CLI_OUTPUT, "FILE", "draw the expected alignment of a pair, with its series", &j.svg),
        CLI_NUMBER("pair", 0, "N", "the pair that is drawn, from 0; default 0", &j.drawn, 0),
        CLI_SWITCH("by-parameters", 0, "with --json: gradients by the measure's parameters too", &j.parameters),
        CLI_SWITCH("json", 'j', "print one JSON object, with the values; the gradient is in it, or in --output",
                   &j.json),
        CLI_DIVISION_OPTIONS(j.s.division),
        CLI_MEASURE_OPTIONS(j.s.measure_options),
        CLI_READ_OPTIONS(j.s.read),
        CLI_DEVICE_OPTIONS(j.s.device),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.s.paths, 2, 2, NULL));
    CLI_TRY(check_options(command, &j));
    j.s.output = j.output ? j.output : j.alignment;
    CLI_TRY(load(&j, command->name));
    CLI_TRY(check_alignment(&j));
    CLI_TRY(cli_series_end_part(&j.s, command, j.json, find(&j)));
    return output(&j, command);
}
