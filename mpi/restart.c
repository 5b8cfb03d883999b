// SPDX-License-Identifier: Apache-2.0
// Rank 0 reads all journals of the runs before and tells what is done; each rank writes its own one.
#include "restart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *numbered(const char *checkpoint, int number) {
    const size_t size = strlen(checkpoint) + 16;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s.%d", checkpoint, number);
    return path;
}

// Whether a journal of a rank that there is no longer belongs to the job; the others' ranks look at their own.
static int check_other(const ww_journal_info *info, const char *path, const restart_job *job) {
    if (strcmp(info->job, job->job) == 0 && strcmp(info->inputs, job->inputs) == 0 &&
        strcmp(info->options, job->options) == 0)
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
    const int result = check_other(&info, path, job);
    for (uint64_t i = 0; result == CLI_GO_ON && i < job->marks; i++)
        if (!r->known[i] && ww_journal_has(journal, i)) {
            r->known[i] = 1;
            r->found_done++;
        }
    return ww_journal_close(&journal, 1) == WW_OK ? result : cli_fail();
}

static int read_all(restart *r, const restart_job *job) {
    int result = CLI_GO_ON, number = 0;
    for (; result == CLI_GO_ON; number++) {
        char *path = numbered(job->checkpoint, number);
        result = path ? read_one(r, path, job) : cli_error("not enough memory");
        free(path);
    }
    r->found = number > 1; // the last one is not there
    return result == CLI_OK ? CLI_GO_ON : result;
}

// A file without a journal is another run's.
static int find_file(restart *r, const restart_job *job) {
    char *part = cli_unfinished_path(job->path);
    if (!part)
        return cli_error("not enough memory");
    r->found = r->found && access(part, F_OK) == 0;
    const int result = r->found || r->found_done == 0
                           ? CLI_GO_ON
                           : cli_error("%s.* say that a part of %s is done, which is not there", job->checkpoint, part);
    free(part);
    return result;
}

static int open_own(restart *r, const restart_job *job) {
    ww_journal_options o = WW_JOURNAL_OPTIONS_INIT;
    o.job = job->job;
    o.inputs = job->inputs;
    o.options = job->options;
    o.context = job->context;
    o.unit_count = job->marks;
    o.resume = job->resume;
    o.any_device = job->any_device;
    r->path = numbered(job->checkpoint, rank);
    r->checkpoint = strdup(job->checkpoint);
    if (!r->path || !r->checkpoint)
        return cli_error("not enough memory");
    r->was_there = access(r->path, F_OK) == 0;
    return ww_journal_open(r->path, &o, &r->journal) == WW_OK ? CLI_GO_ON : cli_fail();
}

int restart_open(restart *r, const restart_job *job) {
    uint64_t found[2] = {0, 0};
    r->known = calloc((size_t)job->marks, 1);
    CLI_TRY(ranks_agree(r->known ? CLI_GO_ON : cli_error("not enough memory")));
    CLI_TRY(ranks_agree(rank == 0 && job->resume ? read_all(r, job) : CLI_GO_ON));
    CLI_TRY(ranks_agree(rank == 0 ? find_file(r, job) : CLI_GO_ON));
    CLI_TRY(ranks_agree(open_own(r, job)));
    found[0] = r->found_done;
    found[1] = (uint64_t)r->found;
    ranks_broadcast(found, sizeof found);
    ranks_broadcast(r->known, (size_t)job->marks);
    r->found_done = found[0];
    r->found = (int)found[1];
    return CLI_GO_ON;
}

uint64_t restart_side(const char *checkpoint) {
    ww_journal *journal = NULL;
    ww_journal_info info = WW_JOURNAL_INFO_INIT;
    cli_tile_shape shape = {.tiles = {.side = 0}};
    uint64_t side = 0;
    char *path = rank == 0 && checkpoint ? numbered(checkpoint, 0) : NULL;
    if (path && ww_journal_read(path, &journal) == WW_OK && ww_journal_get_info(journal, &info) == WW_OK &&
        cli_tile_shape_read(info.options, &shape))
        side = shape.tiles.side;
    if (ww_journal_close(&journal, 1) != WW_OK)
        side = 0;
    free(path);
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
    if (ww_journal_mark(r->journal, first, count) != WW_OK)
        return cli_fail();
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
        char *path = numbered(r->checkpoint, number);
        const bool gone = !path || unlink(path) != 0;
        free(path);
        if (gone)
            break;
    }
    free(r->known);
    free(r->path);
    free(r->checkpoint);
    *r = (restart){.found_done = r->found_done}; // which is reported
}
