// SPDX-License-Identifier: Apache-2.0
// wavewarp path: warping paths as lists of index pairs, and the accumulated costs of a pair; the picture of a path is
// in path_picture.c.
#include <inttypes.h>
#include <stdlib.h>

#include "base/series_job.h"
#include "commands/commands.h"
#include "pictures/pair_picture.h"
#include "results/paths.h"

typedef struct job {
    cli_series_job s;
    const char *output, *svg, *costs;
    uint64_t drawn; // the pair in the picture, and whose costs are written
    bool json;
    ww_plan *plan;
    ww_plan_info info;
    size_t count;
    ww_paths found;
} job;

static int load(job *j, const char *command) {
    CLI_TRY(cli_series_read(&j->s, command));
    const ww_series_set *const sets[] = {j->s.sets[0], j->s.sets[1]};
    CLI_TRY(cli_paths_check(j->s.paths, sets));
    j->count = cli_paths_count(sets);
    if ((j->svg || j->costs) && j->drawn >= j->count)
        return cli_error("--pair %" PRIu64 ": there are %zu pairs, counted from 0", j->drawn, j->count);
    return cli_series_fit(&j->s);
}

static int compute(job *j) {
    const cli_series_job *s = &j->s;
    CLI_FREES size_t *rows = malloc(j->count * sizeof *rows);
    CLI_FREES size_t *columns = malloc(j->count * sizeof *columns);
    if (!rows || !columns)
        return cli_error("a list of %zu pairs does not fit memory", j->count);
    for (size_t p = 0; p < j->count; p++) {
        rows[p] = cli_paths_member(j->s.sets[0], p);
        columns[p] = cli_paths_member(j->s.sets[1], p);
    }
    CLI_TRY(cli_status(
        ww_plan_create_paths(&s->measure, s->data[0], s->data[1], rows, columns, j->count, &s->plan, &j->plan)));
    CLI_TRY(cli_status(ww_plan_run_paths(j->plan, &j->found)));
    return cli_status(ww_plan_get_info(j->plan, &j->info));
}

// Whether paths are asked for besides the costs.
static bool wants_paths(const job *j) {
    return !j->costs || j->output || j->svg || j->json || cli_divided(&j->s.division);
}

// The points of a series that the measure compares: of a derivative two fewer.
static size_t length_of(const job *j, size_t side) {
    const size_t length = ww_series_set_length(j->s.sets[side], cli_paths_member(j->s.sets[side], (size_t)j->drawn));
    return j->s.measure.id == WW_DDTW || j->s.measure.id == WW_WDDTW ? length - 2 : length;
}

// The accumulated costs of a pair, to a file.
static int write_costs(const job *j) {
    const cli_series_job *s = &j->s;
    const size_t pair = (size_t)j->drawn;
    const ww_precision precision = cli_precision(&s->device);
    CLI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    CLI_TRY(cli_status(ww_plan_create_costs(&s->measure, s->data[0], s->data[1], cli_paths_member(s->sets[0], pair),
                                            cli_paths_member(s->sets[1], pair), &s->plan, &plan)));
    const size_t rows = length_of(j, 0), columns = length_of(j, 1), size = precision == WW_DOUBLE ? 8 : 4;
    CLI_FREES void *values = columns <= SIZE_MAX / size / rows ? malloc(rows * columns * size) : NULL;
    if (!values)
        return cli_error("--costs: %zu x %zu values do not fit memory", rows, columns);
    const ww_output to = WW_OUTPUT_HOST(values);
    CLI_TRY(cli_status(ww_plan_run(plan, &to)));
    return cli_status(ww_array_write(j->costs, values, precision, rows, columns));
}

static int find_all(job *j) {
    CLI_TRY(cli_series_upload(&j->s));
    cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
    if (j->costs)
        CLI_TRY(write_costs(j));
    if (!wants_paths(j))
        return CLI_GO_ON;
    const int result = compute(j);
    cli_progress_end();
    cli_shares_report(j->s.context);
    return result;
}

// ---- files

static void print_json(const job *j, const cli_command *command) {
    cli_json json;
    cli_head head = cli_series_head(&j->s, j->output);
    head.engine = ww_word(WW_WORD_ENGINE, j->info.engine);
    head.seconds_compute = j->info.seconds_wall;
    head.seconds_device = j->info.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_json_plan(&json, &j->info);
    cli_shares_json(j->s.context, NULL, &json);
    cli_division_json(&json, &j->s.division);
    cli_paths_json(&json, &j->found, !j->output);
    cli_json_end(&json);
}

static int draw(const job *j) {
    const size_t pair = (size_t)j->drawn;
    const uint64_t first = j->found.offsets[pair];
    const cli_path_picture wanted = {
        .path = j->svg,
        .sets = {j->s.sets[0], j->s.sets[1]},
        .members = {cli_paths_member(j->s.sets[0], pair), cli_paths_member(j->s.sets[1], pair)},
        .pair = pair,
        .measure = &j->s.measure,
        .cells = j->found.cells + 2 * first,
        .count = (size_t)(j->found.offsets[pair + 1] - first),
        .distance = j->found.distances[pair]};
    return cli_path_draw(&wanted);
}

static int output(job *j, const cli_command *command) {
    if (j->svg)
        CLI_TRY(draw(j));
    if (j->output || (!j->json && !j->svg && !j->costs))
        CLI_TRY(cli_paths_write(&j->found, j->output));
    if (j->json)
        print_json(j, command);
    return cli_division_finish(&j->s.division);
}

// ---- the command

static void job_end(job *j) {
    ww_paths_free(&j->found);
    ww_plan_destroy(&j->plan);
    cli_series_end(&j->s);
}

int cmd_path(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) job j = {.info = WW_PLAN_INFO_INIT, .found = WW_PATHS_INIT};
    const cli_option options[] = {
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE", "where to: .npy (pair, i, j), else lines 'pair,i,j'; default '-'",
                   &j.output),
        CLI_SWITCH("json", 'j', "print one JSON object; the paths are in it, or in --output", &j.json),
        CLI_OPTION("svg", 0, CLI_OUTPUT, "FILE", "draw a pair: both series, their links, the matrix with band and path",
                   &j.svg),
        CLI_OPTION("costs", 0, CLI_OUTPUT, "FILE",
                   "write a pair's accumulated costs, also soft ones: .npy (rows, columns), else lines; 'inf' outside "
                   "the band. Without --output, --json and --svg no path is searched for",
                   &j.costs),
        CLI_NUMBER("pair", 0, "N", "the pair that is drawn, or whose costs are written, from 0; default 0", &j.drawn,
                   0),
        CLI_DIVISION_OPTIONS(j.s.division),
        CLI_MEASURE_OPTIONS(j.s.measure_options),
        CLI_ENGINE_OPTION(j.s.device),
        CLI_READ_OPTIONS(j.s.read),
        CLI_DEVICE_OPTIONS(j.s.device),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.s.paths, 2, 2, NULL));
    CLI_TRY(cli_division_check(command->name, &j.s.division, j.output || j.svg || j.costs));
    j.s.output = j.output;
    CLI_TRY(load(&j, command->name));
    CLI_TRY(cli_series_end_part(&j.s, command, j.json, find_all(&j)));
    return output(&j, command);
}
