// SPDX-License-Identifier: Apache-2.0
// Jobs that go on after an end (--checkpoint, --resume), that several runs share (--part, --parts), or the ranks of an
// MPI job: by the library's stores (wavewarp/store.h), which a command's context works with. A job is the same for all
// of these; what is not the whole result ends it early, with WW_ERROR_PART (cli_series_end_part()).
#ifndef WAVEWARP_CLI_DIVISION_H
#define WAVEWARP_CLI_DIVISION_H

#include "base/json.h"

// Processes that run one command together; `next` and `wait` as of ww_store_share.
typedef struct cli_ranks {
    unsigned rank, count;
    const char *device; // for one that is not chosen; NULL: the library's choice
    uint64_t (*next)(void *user, uint64_t job, uint64_t pieces);
    int (*wait)(void *user);
    bool (*failed)(void);                                // one has: its message is printed, and no other
    int (*opened)(ww_context *context, bool any_device); // called by all with their contexts
} cli_ranks;
// NULL: this process is alone.
extern const cli_ranks *cli_ranks_of_job;

// When all ranks have ended: their stores are removed, or stay for --resume. By one of them.
void cli_ranks_end(bool succeeded);

// The command line, by which 'wavewarp merge' runs a command again; NULL: it can't.
extern const char *cli_command_line;
char *cli_arguments_join(int argc, char **argv); // free() it
#define CLI_LINE_SEPARATOR '\x1f'

typedef struct cli_division {
    const char *checkpoint, *parts, *part_text;
    bool resume, any_device;
    unsigned part, part_count; // part: 1 to part_count; 0: not a part
    bool joins;                // --part all
    bool several;              // set by the command: its jobs follow from the results of those before
    char *path;                // of the store
    char *kept;                // what an interrupted run says of the checkpoint
    char **others;             // stores that are read: all parts, or those of the ranks; NULL ends them
    ww_store *store;
    bool finished; // the outputs are written
} cli_division;

#define CLI_GO_ON_OPTIONS(d)                                                                                           \
    CLI_OPTION("checkpoint", 0, CLI_MADE, "FILE", "keep what is done in FILE, from which --resume goes on",            \
               &(d).checkpoint),                                                                                       \
        CLI_SWITCH("resume", 0, "go on from the file of --checkpoint or of --part, if there is one", &(d).resume),     \
        CLI_SWITCH("any-device", 0, "accept what another kind of device computed", &(d).any_device)
#define CLI_DIVISION_OPTIONS(d)                                                                                        \
    CLI_OPTION("part", 0, CLI_TEXT, "I/N",                                                                             \
               "compute part I of N and keep it in --parts; 'all' joins them, as does 'wavewarp merge'",               \
               &(d).part_text),                                                                                        \
        CLI_OPTION("parts", 0, CLI_TEXT, "DIR", "the folder of the parts", &(d).parts), CLI_GO_ON_OPTIONS(d)

bool cli_divided(const cli_division *d);
// Checks the options, and reads which part it is. `outputs`: some are given, which a part does not have.
int cli_division_check(const char *command, cli_division *d, bool outputs);
// Opens the store; NULL in *store: there is none. `output`: the command's, beside which those of ranks are without a
// checkpoint; NULL or "-": there is none.
int cli_division_open(cli_division *d, const char *output);
// A command of several jobs has its result on every rank: gives CLI_OK on those whose result nobody wants.
int cli_division_others_end(const cli_division *d);
// The outputs are written: the store of a checkpoint is removed when it is closed. Not where standard output can't be
// written, which may be the only output.
int cli_division_finish(cli_division *d);
// When the context is destroyed.
void cli_division_close(cli_division *d);
// "tiles" and "tiles_resumed": units of the store.
void cli_division_json(cli_json *json, const cli_division *d);

// The files of all parts in a folder, as of `others`; free_parts() frees them. The error says which is missing.
int cli_parts_find(const char *folder, char ***paths);
void cli_parts_free(char ***paths);

#endif
