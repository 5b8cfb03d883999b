// SPDX-License-Identifier: Apache-2.0
// wavewarp sbd: shape-based distances between two sets, or within one.
#include <stdlib.h>

#include "base/series_job.h"
#include "commands/commands.h"

typedef struct job {
    cli_series_job s;
    const char *output, *shifts_path;
    bool raw, json;
    void *distances;
    int32_t *shifts;
} job;

static void job_end(job *j) {
    free(j->distances);
    free(j->shifts);
    cli_series_end(&j->s);
}

// Whether the JSON has the results.
static bool is_in_json(const job *j) {
    return j->json && !j->output;
}

static int compute(job *j, size_t rows, size_t columns) {
    ww_sbd_options options = WW_SBD_OPTIONS_INIT;
    CLI_TRY(cli_values_allocate(rows, columns, cli_precision(&j->s.device), &j->distances));
    if ((j->shifts_path || is_in_json(j)) && !(j->shifts = malloc(rows * columns * sizeof *j->shifts)))
        return cli_error("%zu x %zu shifts do not fit memory", rows, columns);
    cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
    cli_progress_unit(&j->s.progress, &j->s.device, j->s.context, "Mpairs", 1e6);
    options.raw = j->raw;
    options.run = j->s.plan.run;
    const ww_status status = ww_sbd(j->s.data[0], j->s.data[1], &options, j->distances, j->shifts);
    cli_progress_end();
    return cli_status(status);
}

static void json_rows(cli_json *json, const char *name, const void *values, ww_precision precision, size_t rows,
                      size_t columns) {
    cli_json_array(json, name);
    for (size_t i = 0; i < rows; i++) {
        cli_json_line(json);
        cli_json_values(json, NULL, (const char *)values + i * columns * cli_value_bytes(precision), precision,
                        columns);
    }
    cli_json_end(json);
}

static void print_json(const job *j, const cli_command *command, const double *shifts, size_t rows, size_t columns) {
    cli_json json;
    cli_head head = cli_series_head(&j->s, j->output);
    head.measure = NULL;
    head.metric = "shape-based";
    cli_json_head(&json, stdout, command, &head);
    cli_json_flag(&json, "raw", j->raw);
    if (is_in_json(j)) {
        json_rows(&json, "distances", j->distances, cli_precision(&j->s.device), rows, columns);
        json_rows(&json, "shifts", shifts, WW_DOUBLE, rows, columns);
    } else {
        cli_json_null(&json, "distances");
        cli_json_null(&json, "shifts");
    }
    cli_json_end(&json);
}

static int write_results(const job *j, const cli_command *command, size_t rows, size_t columns) {
    CLI_FREES double *shifts = NULL;
    if (j->shifts && !(shifts = malloc(rows * columns * sizeof *shifts)))
        return cli_error("%zu x %zu shifts do not fit memory", rows, columns);
    for (size_t i = 0; shifts && i < rows * columns; i++)
        shifts[i] = j->shifts[i];
    if (j->shifts_path)
        CLI_TRY(cli_status(ww_array_write(j->shifts_path, shifts, WW_DOUBLE, rows, columns)));
    if (!is_in_json(j))
        CLI_TRY(cli_status(
            ww_array_write(j->output ? j->output : "-", j->distances, cli_precision(&j->s.device), rows, columns)));
    if (j->json)
        print_json(j, command, shifts, rows, columns);
    return CLI_OK;
}

int cmd_sbd(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) job j = {.output = NULL};
    const cli_option options[] = {
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE", "where to: .npy, .csv, else raw values; default '-', text",
                   &j.output),
        CLI_OPTION("shifts", 0, CLI_OUTPUT, "FILE",
                   "write the shifts: by how many points a series of B is delayed to lie on the series of A",
                   &j.shifts_path),
        CLI_SWITCH("json", 'j', "print one JSON object; distances and shifts are in it, or with --output null",
                   &j.json),
        CLI_SWITCH("raw", 0, "compare the series as they are: no z-normalisation", &j.raw),
        CLI_READ_OPTIONS(j.s.read),
        CLI_DEVICE_OPTIONS(j.s.device),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.s.paths, 1, 2, NULL));
    CLI_TRY(cli_series_read(&j.s, command->name));
    CLI_TRY(cli_series_upload(&j.s));
    const size_t rows = ww_series_set_count(j.s.sets[0]), columns = ww_series_set_count(j.s.sets[j.s.sets[1] ? 1 : 0]);
    CLI_TRY(compute(&j, rows, columns));
    return write_results(&j, command, rows, columns);
}
