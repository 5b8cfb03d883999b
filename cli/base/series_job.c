// SPDX-License-Identifier: Apache-2.0
// See series_job.h.
#include "base/series_job.h"

#include "base/precision.h"

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
    CLI_TRY(cli_division_open(&j->division, j->output));
    j->device.store = j->division.store;
    if (cli_ranks_of_job && !j->device.device)
        j->device.device = cli_ranks_of_job->device;
    CLI_TRY(cli_context_open(&j->device, &j->context));
    if (cli_ranks_of_job)
        CLI_TRY(cli_ranks_of_job->opened(j->context, j->division.any_device));
    cli_series_precision(j);
    return CLI_GO_ON;
}

void cli_series_precision(cli_series_job *j) {
    cli_precision_of_sets(&j->device, j->context, j->sets, j->paths, j->read.quiet);
}

int cli_series_put(cli_series_job *j) {
    ww_dataset_options make = WW_DATASET_OPTIONS_INIT;
    make.precision = cli_precision(&j->device);
    make.max_bytes = j->device.max_bytes;
    for (int i = 0; i < 2 && j->sets[i]; i++)
        if (ww_dataset_create_from_set(j->context, j->sets[i], &make, &j->data[i]) != WW_OK)
            return cli_fail_in(j->paths[i]);
    return CLI_GO_ON;
}

int cli_series_upload(cli_series_job *j) {
    CLI_TRY(cli_series_open(j));
    return cli_series_put(j);
}

int cli_pairs_check(const cli_series_job *j) {
    const size_t a = ww_series_set_count(j->sets[0]), b = ww_series_set_count(j->sets[1]);
    return a == b ? CLI_GO_ON
                  : cli_error("%s has %zu series and %s has %zu: pairs need equal numbers", j->paths[0], a, j->paths[1],
                              b);
}

int cli_series_end_part(const cli_series_job *j, const cli_command *command, bool json, int result) {
    cli_json to;
    if (result != CLI_PART)
        return result;
    if (json && !cli_ranks_of_job) {
        const cli_head head = cli_series_head(j, NULL);
        cli_json_head(&to, stdout, command, &head);
        cli_division_json(&to, &j->division);
        cli_json_end(&to);
    }
    return CLI_OK;
}

void cli_series_end(cli_series_job *j) {
    for (int i = 1; i >= 0; i--) {
        ww_dataset_destroy(&j->data[i]);
        ww_series_set_destroy(&j->sets[i]);
    }
    ww_context_destroy(&j->context);
    cli_division_close(&j->division);
    cli_measure_free(&j->measure);
}

cli_head cli_series_head(const cli_series_job *j, const char *output) {
    return (cli_head){.files = {j->paths[0], j->paths[1]},
                      .counts = {ww_series_set_count(j->sets[0]), ww_series_set_count(j->sets[1])},
                      .output = j->division.part ? j->division.path : output,
                      .measure = &j->measure,
                      .measure_options = &j->measure_options,
                      .read = &j->read,
                      .context = j->context,
                      .precision = ww_word(WW_WORD_PRECISION, cli_precision(&j->device)),
                      .seconds_compute = NAN,
                      .seconds_device = NAN};
}
