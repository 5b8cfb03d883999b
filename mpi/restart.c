// SPDX-License-Identifier: Apache-2.0
// Rank 0 reads all journals of the runs before and tells what is done; each rank writes its own one.
#include "restart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Whether a journal of a rank that there is no longer belongs to the job; the others' ranks look at their own.
static int check_other(const ww_journal_info *info, const char *path, const cli_work *work) {
    if (strcmp(info->job, work->job) == 0 && strcmp(info->inputs, work->inputs) == 0 &&
        strcmp(info->options, work->options) == 0)
        return CLI_GO_ON;
    return cli_error("%s belongs to a job of other inputs or options", path);
}

// Adds what a journal knows; CLI_OK where there is none.
static int read_one(restart *r, const char *path, const restart_job *job) {
    ww_journal *journal = NULL;
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    if (access(path, F_OK) != 0)
        return CLI_OK;
    if (ww_journal_read(path, &journal) != WW_OK || ww_journal_get_info(journal, &info) != WW_OK)
        return cli_fail();
    const int result = check_other(&info, path, &job->work);
    for (uint64_t i = 0; result == CLI_GO_ON && i < job->work.count; i++)
        if (!r->known[i] && ww_journal_has(journal, i)) {
            r->known[i] = 1;
            r->found_done++;
        }
    return ww_journal_close(&journal, 1) == WW_OK ? result : cli_fail();
}

static int read_all(restart *r, const restart_job *job) {
    for (int number = 0;; number++) {
        CLI_FREES char *path = cli_text("%s.%d", job->checkpoint, number);
        const int result = path ? read_one(r, path, job) : cli_error("not enough memory");
        r->found = number > 0; // this one may not be there
        if (result != CLI_GO_ON)
            return result == CLI_OK ? CLI_GO_ON : result;
    }
}

// A file without a journal is another run's.
static int find_file(restart *r, const restart_job *job) {
    CLI_FREES char *part = cli_unfinished_path(job->path);
    if (!part)
        return cli_error("not enough memory");
    r->found = r->found && access(part, F_OK) == 0;
    if (r->found || r->found_done == 0)
        return CLI_GO_ON;
    return cli_error("%s.* say that a part of %s is done, which is not there", job->checkpoint, part);
}

static int open_own(restart *r, const restart_job *job) {
    r->path = cli_text("%s.%d", job->checkpoint, rank);
    r->checkpoint = strdup(job->checkpoint);
    if (!r->path || !r->checkpoint)
        return cli_error("not enough memory");
    r->was_there = access(r->path, F_OK) == 0;
    return cli_journal_open(r->path, &job->work, job->resume, job->any_device, &r->journal);
}

int restart_open(restart *r, const restart_job *job) {
    const size_t marks = (size_t)job->work.count;
    r->known = calloc(marks, 1);
    CLI_TRY(ranks_agree(r->known ? CLI_GO_ON : cli_error("not enough memory")));
    CLI_TRY(ranks_agree(rank == 0 && job->resume ? read_all(r, job) : CLI_GO_ON));
    CLI_TRY(ranks_agree(rank == 0 ? find_file(r, job) : CLI_GO_ON));
    CLI_TRY(ranks_agree(open_own(r, job)));
    ranks_broadcast(&r->found_done, sizeof r->found_done);
    ranks_broadcast(&r->found, sizeof r->found);
    ranks_broadcast(r->known, marks);
    return CLI_GO_ON;
}

uint64_t restart_side(const char *checkpoint) {
    ww_journal *journal = NULL;
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    cli_tile_shape shape = {.tiles = {.side = 0}};
    uint64_t side = 0;
    CLI_FREES char *path = rank == 0 && checkpoint ? cli_text("%s.0", checkpoint) : NULL;
    if (path && ww_journal_read(path, &journal) == WW_OK && ww_journal_get_info(journal, &info) == WW_OK &&
        cli_tile_shape_read(info.options, &shape))
        side = shape.tiles.side;
    if (ww_journal_close(&journal, 1) != WW_OK)
        side = 0;
    ranks_broadcast(&side, sizeof side);
    return side;
}

bool restart_has(const restart *r, uint64_t first, uint64_t count) {
    return r->known && memchr(r->known + first, 0, (size_t)count) == NULL;
}

int restart_write(restart *r, ww_array_file *file) {
    if (!r->journal || !r->unwritten)
        return CLI_GO_ON;
    const int result = cli_marks_write(&r->marks, file, r->journal);
    r->unwritten = result != CLI_GO_ON;
    return result;
}

int restart_done(restart *r, ww_array_file *file, uint64_t first, uint64_t count) {
    if (!r->journal)
        return CLI_GO_ON;
    CLI_TRY(cli_status(ww_journal_mark(r->journal, first, count)));
    r->unwritten = true;
    return cli_marks_due(&r->marks) ? restart_write(r, file) : CLI_GO_ON;
}

bool restart_begun(const restart *r) {
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    int own = r->found_done > 0 || (r->journal && (ww_journal_get_info(r->journal, &info) != WW_OK || info.done > 0)),
        any;
    MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    return any != 0;
}

void restart_close(restart *r, bool finished, bool begun) {
    const bool keep = !finished && (begun || r->was_there);
    if (r->journal && ww_journal_close(&r->journal, keep) != WW_OK)
        cli_note("%s: %s", r->path, ww_last_error()->message);
    for (int number = ranks; rank == 0 && finished && r->checkpoint; number++) {
        CLI_FREES char *path = cli_text("%s.%d", r->checkpoint, number);
        if (!path || unlink(path) != 0)
            break;
    }
    free(r->known);
    free(r->path);
    free(r->checkpoint);
    *r = (restart){.found_done = r->found_done}; // which is reported
}
