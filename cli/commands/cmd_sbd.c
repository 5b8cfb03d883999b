// SPDX-License-Identifier: Apache-2.0
// wavewarp sbd: shape-based distances between two sets, or within one.
#include <stdlib.h>

#include "base/series_job.h"
#include "commands/commands.h"

typedef struct job {
    cli_series_job s;
    const char *output, *shifts_path;
    bool raw;
    void *distances;
    int32_t *shifts;
} job;

static void job_end(job *j) {
    free(j->distances);
    free(j->shifts);
    cli_series_end(&j->s);
}

static int compute(job *j, size_t rows, size_t columns) {
    ww_sbd_options options = WW_SBD_OPTIONS_INIT;
    CLI_TRY(cli_values_allocate(rows, columns, cli_precision(&j->s.device), &j->distances));
    if (j->shifts_path && !(j->shifts = malloc(rows * columns * sizeof *j->shifts)))
        return cli_error("%zu x %zu shifts do not fit memory", rows, columns);
    cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
    cli_progress_unit(&j->s.progress, &j->s.device, j->s.context, "Mpairs", 1e6);
    options.raw = j->raw;
    options.run = j->s.plan.run;
    const ww_status status = ww_sbd(j->s.data[0], j->s.data[1], &options, j->distances, j->shifts);
    cli_progress_end();
    return cli_status(status);
}

static int write_shifts(const job *j, size_t rows, size_t columns) {
    CLI_FREES double *values = malloc(rows * columns * sizeof *values);
    if (!values)
        return cli_error("%zu x %zu shifts do not fit memory", rows, columns);
    for (size_t i = 0; i < rows * columns; i++)
        values[i] = j->shifts[i];
    return cli_status(ww_array_write(j->shifts_path, values, WW_DOUBLE, rows, columns));
}

int cmd_sbd(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) job j = {.output = NULL};
    const cli_option options[] = {
        CLI_OPTION("output", 'o', CLI_OUTPUT, "FILE", "where to: .npy, .csv, else raw values; default '-', text",
                   &j.output),
        CLI_OPTION("shifts", 0, CLI_OUTPUT, "FILE",
                   "write the shifts: by how many points a series of B is delayed to lie on the series of A",
                   &j.shifts_path),
        CLI_SWITCH("raw", 0, "compare the series as they are: no z-normalisation", &j.raw),
        CLI_READ_OPTIONS(j.s.read),
        CLI_DEVICE_OPTIONS(j.s.device),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.s.paths, 1, 2, NULL));
    CLI_TRY(cli_series_read(&j.s, command->name));
    CLI_TRY(cli_series_upload(&j.s));
    const size_t rows = ww_series_set_count(j.s.sets[0]), columns = ww_series_set_count(j.s.sets[j.s.sets[1] ? 1 : 0]);
    CLI_TRY(compute(&j, rows, columns));
    if (j.shifts_path)
        CLI_TRY(write_shifts(&j, rows, columns));
    return cli_status(
        ww_array_write(j.output ? j.output : "-", j.distances, cli_precision(&j.s.device), rows, columns));
}
