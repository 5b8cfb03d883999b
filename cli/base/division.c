// SPDX-License-Identifier: Apache-2.0
// See division.h.
#include "base/division.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/common.h"

enum { PIECES_A_RANK = 64 };

const cli_ranks *cli_ranks_of_job;
const char *cli_command_line;

// The arguments in one text, for 'wavewarp merge'; NULL: not enough memory, or one can't be told from the next.
char *cli_arguments_join(int argc, char **argv) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    for (int i = 1; to && i < argc; i++)
        fprintf(to, "%s%c", argv[i], CLI_LINE_SEPARATOR);
    return to && fclose(to) == 0 ? text : NULL;
}

bool cli_divided(const cli_division *d) {
    return d->checkpoint || d->part_text || cli_ranks_of_job;
}

int cli_division_check(const char *command, cli_division *d, bool outputs) {
    int end = 0;
    if (d->checkpoint && d->part_text)
        return cli_usage(command, "--checkpoint is for a whole job; a part is kept in --parts");
    if (!d->part_text != !d->parts)
        return cli_usage(command, "--part I/N and --parts DIR are given together");
    if ((d->resume || d->any_device) && !d->checkpoint && !d->part_text)
        return cli_usage(command, "--resume and --any-device need --checkpoint or --part");
    if (!d->part_text)
        return CLI_GO_ON;
    if (cli_ranks_of_job)
        return cli_usage(command, "the ranks of a job share it unit by unit: no --part");
    if ((d->joins = strcmp(d->part_text, "all") == 0))
        return CLI_GO_ON;
    if (strspn(d->part_text, "0123456789/") != strlen(d->part_text) || strlen(d->part_text) > 18 ||
        sscanf(d->part_text, "%u/%u%n", &d->part, &d->part_count, &end) != 2 || d->part_text[end] || d->part < 1 ||
        d->part > d->part_count)
        return cli_usage(command, "--part is '%s', but must be I/N: part I, from 1, of N; or all", d->part_text);
    if (outputs)
        return cli_usage(command, "--part I/N is kept in --parts DIR, and --part all writes the outputs: none here");
    return CLI_GO_ON;
}

// ---- the files of parts

static char *part_path(const char *folder, unsigned part, unsigned count) {
    return cli_text("%s/%u-of-%u.store", folder, part, count);
}

void cli_parts_free(char ***paths) {
    for (char **path = *paths; path && *path; path++)
        free(*path);
    free(*paths);
    *paths = NULL;
}

static void close_folder(DIR **folder) {
    if (*folder)
        closedir(*folder);
}

// How many parts there are to be: by the names of those that are there.
static int count_parts(const char *path, unsigned *count) {
    CLI_ENDS(close_folder) DIR *folder = opendir(path);
    *count = 0;
    if (!folder)
        return cli_error("%s: %s", path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder));) {
        unsigned number, of;
        int end = 0;
        if (sscanf(entry->d_name, "%u-of-%u.store%n", &number, &of, &end) != 2 || !end || entry->d_name[end])
            continue;
        if (*count && of != *count)
            return cli_error("%s has parts of two divisions: of %u and of %u", path, *count, of);
        *count = of;
    }
    return *count ? CLI_GO_ON : cli_error("%s has no parts of a job (no files such as 1-of-3.store)", path);
}

int cli_parts_find(const char *folder, char ***paths) {
    unsigned count;
    CLI_TRY(count_parts(folder, &count));
    *paths = calloc((size_t)count + 1, sizeof **paths);
    for (unsigned i = 0; *paths && i < count; i++) {
        if (!((*paths)[i] = part_path(folder, i + 1, count)))
            break;
        if (access((*paths)[i], F_OK) != 0 && errno == ENOENT)
            return cli_error("part %u of %u is missing: there is no %s", i + 1, count, (*paths)[i]);
    }
    return *paths && (*paths)[count - 1] ? CLI_GO_ON : cli_error("not enough memory");
}

// ---- ranks: a store each, NAME.0, NAME.1, ...

// Those of all other ranks, and of ranks that there were in a run before.
static int find_others(cli_division *d, const char *name) {
    const cli_ranks *r = cli_ranks_of_job;
    size_t count = 0, most = r->count;
    for (;; most++) {
        CLI_FREES char *path = cli_text("%s.%zu", name, most);
        if (!path || access(path, F_OK) != 0)
            break;
    }
    d->others = calloc(most + 1, sizeof *d->others);
    for (size_t i = 0; d->others && i < most; i++)
        if (i != r->rank && !(d->others[count++] = cli_text("%s.%zu", name, i)))
            return cli_error("not enough memory");
    return d->others ? CLI_GO_ON : cli_error("not enough memory");
}

static char *rank_stores; // NAME of NAME.0, NAME.1, ...
static bool rank_stores_stay;

void cli_ranks_end(bool succeeded) {
    for (size_t i = 0; rank_stores && (succeeded || !rank_stores_stay); i++) {
        CLI_FREES char *path = cli_text("%s.%zu", rank_stores, i);
        if (!path || unlink(path) != 0)
            break;
    }
    cli_free_taken(&rank_stores);
}

static int open_of_rank(cli_division *d, const char *output) {
    const cli_ranks *r = cli_ranks_of_job;
    ww_store_options options = WW_STORE_OPTIONS_INIT;
    ww_store_share share = WW_STORE_SHARE_INIT;
    const char *name = d->checkpoint ? d->checkpoint : output && strcmp(output, "-") != 0 ? output : NULL;
    if (!name)
        return cli_error("the ranks keep their work beside an output file, or in --checkpoint NAME: give one");
    CLI_FREES char *beside = d->checkpoint ? strdup(name) : cli_text("%s.part", name);
    if (!beside || !(d->path = cli_text("%s.%u", beside, r->rank)))
        return cli_error("not enough memory");
    rank_stores = strdup(beside);
    rank_stores_stay = d->checkpoint != NULL;
    if (!d->checkpoint)
        (void)unlink(d->path); // of a run that was killed
    if (r->wait(NULL) != 0)    // for those of others that are removed
        return CLI_FAILURE;
    CLI_TRY(find_others(d, beside));
    while (d->others[share.count])
        share.count++;
    share.paths = (const char *const *)d->others;
    share.whole = d->several || r->rank == 0;
    share.next = r->next;
    share.wait = r->wait;
    share.pieces = r->count * PIECES_A_RANK;
    options.resume = d->resume;
    options.any_device = d->any_device;
    options.share = &share;
    return cli_status(ww_store_open(d->path, &options, &d->store));
}

// ---- opening and closing

int cli_division_open(cli_division *d, const char *output) {
    ww_store_options options = WW_STORE_OPTIONS_INIT;
    size_t count = 0;
    if (d->checkpoint &&
        !(d->kept = cli_text("wavewarp: %s keeps what is done, and --resume goes on from it\n", d->checkpoint)))
        return cli_error("not enough memory");
    cli_interrupt_says(d->kept);
    if (cli_ranks_of_job)
        return open_of_rank(d, output);
    if (!cli_divided(d))
        return CLI_GO_ON;
    if (d->joins) {
        CLI_TRY(cli_parts_find(d->parts, &d->others));
        while (d->others[count])
            count++;
        return cli_status(ww_store_open_parts((const char *const *)d->others, count, d->any_device, &d->store));
    }
    if (d->part && mkdir(d->parts, 0777) != 0 && errno != EEXIST)
        return cli_error("%s can't be made: %s", d->parts, strerror(errno));
    d->path = d->part ? part_path(d->parts, d->part, d->part_count) : strdup(d->checkpoint);
    if (!d->path)
        return cli_error("not enough memory");
    options.resume = d->resume;
    options.any_device = d->any_device;
    options.part = d->part;
    options.part_count = d->part_count;
    options.note = cli_command_line;
    return cli_status(ww_store_open(d->path, &options, &d->store));
}

int cli_division_others_end(const cli_division *d) {
    (void)d;
    return cli_ranks_of_job && cli_ranks_of_job->rank > 0 ? CLI_OK : CLI_GO_ON;
}

int cli_division_finish(cli_division *d) {
    if (d->store && (fflush(stdout) != 0 || ferror(stdout)))
        return cli_error("standard output can't be written");
    d->finished = true;
    return CLI_GO_ON;
}

void cli_division_close(cli_division *d) {
    ww_store_info info = WW_STORE_INFO_INIT;
    const bool known = d->store && ww_store_get_info(d->store, &info) == WW_OK;
    // Rank 0 reads those of all ranks, and removes them. A checkpoint of which nothing is done is of no use.
    const bool keeps = d->part || cli_ranks_of_job || (!d->finished && (d->resume || info.done > 0));
    cli_interrupt_says(NULL);
    if (d->kept && known && cli_interrupted() && info.done > 0) {
        cli_line_clear();
        fputs(d->kept, stderr);
    }
    cli_free_taken(&d->kept);
    if (ww_store_close(&d->store, keeps) != WW_OK)
        cli_note("%s", ww_last_error()->message);
    cli_parts_free(&d->others);
    free(d->path);
    d->path = NULL;
}

void cli_division_json(cli_json *json, const cli_division *d) {
    ww_store_info info = WW_STORE_INFO_INIT;
    if (!d->store || ww_store_get_info(d->store, &info) != WW_OK)
        return;
    cli_json_count(json, "tiles", info.units);
    cli_json_count(json, "tiles_resumed", info.found_done);
}
