// SPDX-License-Identifier: Apache-2.0
// See series_job.h.
#include "series_job.h"

int cli_series_read(cli_series_job *j, const char *command) {
    CLI_TRY(cli_measure_make(command, &j->measure_options, &j->measure));
    for (int i = 0; i < 2 && j->paths[i]; i++)
        CLI_TRY(cli_read(j->paths[i], &j->read, i, true, &j->sets[i]));
    return CLI_GO_ON;
}

int cli_series_fit(cli_series_job *j) {
    CLI_TRY(cli_fit_times(&j->measure, j->sets[0], j->sets[1]));
    cli_fit_band(&j->measure_options, &j->measure, j->sets[0], j->sets[1]);
    return CLI_GO_ON;
}

int cli_series_open(cli_series_job *j) {
    return cli_devices_open(&j->device, &j->context, &j->group);
}

int cli_series_put(cli_series_job *j) {
    for (int i = 0; i < 2 && j->sets[i]; i++)
        CLI_TRY(j->group ? cli_group_dataset_make(j->group, &j->device, j->paths[i], j->sets[i], &j->shared[i])
                         : cli_dataset_make(j->context, &j->device, j->paths[i], j->sets[i], &j->data[i]));
    return CLI_GO_ON;
}

int cli_series_upload(cli_series_job *j) {
    CLI_TRY(cli_series_open(j));
    return cli_series_put(j);
}

void cli_series_end(cli_series_job *j) {
    cli_division_close(&j->division);
    for (int i = 1; i >= 0; i--) {
        ww_group_dataset_destroy(&j->shared[i]);
        ww_dataset_destroy(&j->data[i]);
        ww_series_set_destroy(&j->sets[i]);
    }
    ww_group_destroy(&j->group);
    ww_context_destroy(&j->context);
    cli_measure_free(&j->measure);
}

cli_head cli_series_head(const cli_series_job *j, const char *output) {
    return (cli_head){.files = {j->paths[0], j->paths[1]},
                      .counts = {ww_series_set_count(j->sets[0]), ww_series_set_count(j->sets[1])},
                      .output = j->division.part ? j->division.data_path : output,
                      .measure = &j->measure,
                      .measure_options = &j->measure_options,
                      .read = &j->read,
                      .context = j->group ? ww_group_context(j->group, 0) : j->context,
                      .precision = ww_precision_name(cli_precision(&j->device)),
                      .seconds_compute = NAN,
                      .seconds_device = NAN};
}

cli_row_job cli_series_row_job(cli_series_job *j) {
    return (cli_row_job){.sets = {j->sets[0], j->sets[1]},
                         .context = j->context,
                         .progress = &j->progress,
                         .measure = &j->measure,
                         .measure_options = &j->measure_options,
                         .device = &j->device,
                         .rows = ww_series_set_count(j->sets[0]),
                         .precision = cli_precision(&j->device),
                         .result = cli_precision(&j->device)};
}

cli_series_rows cli_series_rows_of(const cli_series_job *j, size_t k, ww_plan **plan) {
    return (cli_series_rows){.measure = &j->measure,
                             .device = &j->device,
                             .options = &j->plan,
                             .context = j->context,
                             .sets = {j->sets[0], j->sets[1]},
                             .data = j->data,
                             .k = k,
                             .plan = plan};
}

cli_row_job cli_series_rows_job(cli_series_job *j, cli_series_rows *rows) {
    cli_row_job job = cli_series_row_job(j);
    job.name = rows->k ? "nearest" : "pairs";
    job.columns = 2 * rows->k;
    job.k = rows->k;
    job.precision = rows->k ? WW_DOUBLE : job.result;
    job.weight = rows->k ? cli_nearest_weight : cli_pairs_weight;
    job.compute = rows->k ? cli_nearest_compute : cli_pairs_compute;
    job.user = rows;
    return job;
}
