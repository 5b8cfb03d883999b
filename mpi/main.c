// SPDX-License-Identifier: Apache-2.0
// wavewarp-mpi: the commands of the program on the ranks of an MPI job. All ranks run one command. Its jobs are shared
// by the library's stores (base/division.h); rank 0 has the results and writes them.
#include <stdlib.h>
#include <string.h>

#include "base/division.h"
#include "commands/commands.h"
#include "devices.h"

static bool share_devices;

// Those whose jobs are shared; the others are rank 0's alone.
static const char *const shared[] = {"matrix", "pairs", "path",     "classify", "choose",  "cluster",  "nearest",
                                     "knn",    "lsh",   "gradient", "search",   "profile", "shapelets"};

static bool is_shared(const char *command) {
    for (size_t i = 0; i < CLI_COUNT_OF(shared); i++)
        if (strcmp(command, shared[i]) == 0)
            return true;
    return false;
}

static int opened(ww_context *context, bool any_device) {
    return rank_device_compare(context, share_devices, any_device);
}

// Takes out --share-devices, which is no option of a command. *help: one is asked for, or the version.
static int take_options(int argc, char **argv, bool *help) {
    int kept = 0;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--share-devices") == 0)
            share_devices = true;
        else
            argv[kept++] = argv[i];
        *help = *help || strncmp(argv[i], "--help", 6) == 0 || strcmp(argv[i], "-h") == 0 ||
                strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0;
    }
    *help = *help || argc < 2 || strcmp(argv[1], "help") == 0;
    return kept;
}

static int run(int argc, char **argv) {
    static cli_ranks of_job = {.next = ranks_next, .wait = ranks_wait, .failed = ranks_failed, .opened = opened};
    bool help = false;
    // Ranks of several commands would wait for each other.
    CLI_TRY(ranks_same("the command", cli_command_line, CLI_LINE_SEPARATOR));
    argc = take_options(argc, argv, &help);
    if (help || !is_shared(argv[1]))
        return rank == 0 ? cli_run(argc, argv) : CLI_GO_ON;
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "-") == 0)
            return rank > 0 ? CLI_USAGE : cli_usage(argv[1], "ranks read files, and not standard input or output");
    of_job.rank = (unsigned)rank;
    of_job.count = (unsigned)ranks;
    cli_ranks_of_job = &of_job;
    const int chosen = rank_device_choose(share_devices, &of_job.device);
    return chosen == CLI_GO_ON ? cli_run(argc, argv) : chosen;
}

// Until no rank has anything to do: one that has ended goes on agreeing with those that work.
static int end(int result) {
    bool all = false;
    int code = result == CLI_OK ? CLI_GO_ON : result;
    while (!ranks_failed() && !all)
        code = ranks_agree(code, true, &all);
    if (rank == 0)
        cli_ranks_end(!ranks_failed() && code == CLI_GO_ON);
    return code == CLI_GO_ON ? CLI_OK : code;
}

int main(int argc, char **argv) {
    int given;
    cli_program = "wavewarp-mpi";
    CLI_FREES char *line = cli_arguments_join(argc, argv);
    cli_command_line = line ? line : "";
    cli_seconds(); // starts the clock
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
        return CLI_FAILURE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    cli_interrupt_begin();
    ranks_begin();
    const int result = end(run(argc, argv));
    ranks_end();
    MPI_Finalize();
    return result;
}
