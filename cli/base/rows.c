// SPDX-License-Identifier: Apache-2.0
// See rows.h.
#include "base/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

cli_row_job cli_rows_of(cli_series_job *s) {
    return (cli_row_job){.sets = {s->sets[0], s->sets[1]},
                         .s = s,
                         .measure = &s->measure,
                         .rows = ww_series_set_count(s->sets[0]),
                         .precision = WW_DOUBLE,
                         .result = cli_precision(&s->device)};
}

char *cli_rows_options(const cli_row_job *job, uint64_t parts) {
    CLI_FREES char *shape = cli_text(
        "rows %" PRIu64 " columns %" PRIu64 " k %" PRIu64 " double %d parts %" PRIu64 "%s%s", job->rows, job->columns,
        job->k, job->result == WW_DOUBLE, parts, job->more ? " " : "", job->more ? job->more : "");
    return shape ? cli_division_options(shape, job->measure, &job->s->measure_options, &job->s->device) : NULL;
}

int cli_rows_inputs(const cli_row_job *job, char inputs[256]) {
    for (int i = 0; i < 2; i++)
        CLI_TRY(job->points[i] ? cli_division_sum_points(job->points[i], inputs)
                               : cli_division_sum(job->sets[i], inputs));
    if (job->stream)
        snprintf(inputs + strlen(inputs), 256 - strlen(inputs), " %s", job->stream);
    return CLI_GO_ON;
}

bool cli_row_shape_read(const char *text, cli_row_shape *s) {
    int precision, end = 0;
    if (sscanf(text, "rows %" SCNu64 " columns %" SCNu64 " k %" SCNu64 " double %d parts %" SCNu64 "%n", &s->rows,
               &s->columns, &s->k, &precision, &s->parts, &end) != 5 ||
        s->rows == 0 || s->parts == 0 || s->k > UINT32_MAX)
        return false;
    s->more = text + end;
    s->precision = precision ? WW_DOUBLE : WW_FLOAT;
    return true;
}

// The first row of part `part` (from 0): as near to its share of the work as rows allow, and a row at least each.
static uint64_t begin_of(const cli_row_job *job, uint64_t part, uint64_t parts) {
    double all = 0, sum = 0;
    uint64_t next = 0;
    for (uint64_t i = 0; i < job->rows; i++)
        all += job->weight(job->user, i);
    for (uint64_t i = 0; i < job->rows; i++) {
        const double weight = job->weight(job->user, i);
        const bool due = sum + weight / 2 >= all * (double)next / (double)parts || job->rows - i == parts - next;
        if (due && next == part)
            return i;
        next += due;
        sum += weight;
    }
    return job->rows;
}

// Rows of a run: a second or two, which an interrupt waits for, and each prepares its plan. They fit memory.
static uint64_t next_run(uint64_t rows, double took, size_t columns) {
    const uint64_t most = ((uint64_t)1 << 26) / columns;
    rows = took < 1.0 ? 2 * rows : took > 2.0 && rows > 1 ? rows / 2 : rows;
    return rows < most ? rows : most ? most : 1;
}

static int run_rows(cli_division *d, const cli_row_job *job, uint64_t first, uint64_t count) {
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    cli_progress *progress = &job->s->progress;
    const size_t columns = cli_row_values(job);
    CLI_TRY(cli_status(ww_journal_get_info(d->journal, &info)));
    uint64_t most = 1, done = info.done;
    progress->share_begin = (double)done / (double)count;
    for (uint64_t i = first, run; i < first + count; i += run) {
        run = 1;
        if (ww_journal_has(d->journal, i))
            continue;
        while (run < most && i + run < first + count && !ww_journal_has(d->journal, i + run))
            run++;
        CLI_FREES void *values = NULL;
        CLI_TRY(cli_values_allocate(run, columns, job->precision, &values));
        const double begin = cli_seconds();
        progress->share_before = (double)done / (double)count;
        progress->share_run = (double)run / (double)count;
        CLI_TRY(job->compute(job->user, i, run, values));
        most = next_run(most, cli_seconds() - begin, columns);
        CLI_TRY(cli_status_plainly(ww_array_file_put(d->file, (size_t)(i - first), (size_t)run, 0, columns, values)));
        done += run;
        CLI_TRY(cli_division_done(d, i, run));
    }
    return CLI_GO_ON;
}

static int fill_file(cli_division *d, const cli_row_job *job) {
    char inputs[256] = "";
    const uint64_t parts = d->part ? d->part_count : 1;
    if (parts > job->rows)
        return cli_error("%" PRIu64 " parts of %" PRIu64 " rows or tiles; at most a part each", parts, job->rows);
    CLI_FREES char *options = cli_rows_options(job, d->part_count);
    if (!options)
        return cli_error("not enough memory");
    CLI_TRY(cli_rows_inputs(job, inputs));
    const uint64_t first = d->part ? begin_of(job, d->part - 1, parts) : 0;
    const uint64_t end = d->part && d->part < parts ? begin_of(job, d->part, parts) : job->rows;
    const cli_work work = {job->name,   inputs, options,        job->s->context, first,
                           end - first, NULL,   job->precision, end - first,     job->columns};
    CLI_TRY(cli_division_open(d, &work));
    return run_rows(d, job, first, end - first);
}

int cli_rows_run(cli_division *d, const cli_row_job *job, void *whole) {
    const int filled = fill_file(d, job);
    cli_progress_end();
    CLI_TRY(filled);
    if (whole)
        CLI_TRY(cli_status_plainly(ww_array_file_get(d->file, 0, (size_t)job->rows, 0, cli_row_values(job), whole)));
    return d->part ? cli_division_finish(d, false) : CLI_GO_ON;
}

int cli_rows_each(const ww_array_file *file, uint64_t first, uint64_t count, uint64_t columns,
                  int (*take)(void *user, uint64_t row, const double *values), void *user) {
    CLI_FREES void *values = NULL;
    CLI_TRY(cli_values_allocate(1, columns, WW_DOUBLE, &values));
    for (uint64_t i = 0; i < count; i++) {
        CLI_TRY(cli_status_plainly(ww_array_file_get(file, (size_t)i, 1, 0, (size_t)columns, values)));
        CLI_TRY(take(user, first + i, values));
    }
    return CLI_GO_ON;
}
