// SPDX-License-Identifier: Apache-2.0
// Agreement and a counter for the ranks of an MPI job, over MPI 3 calls alone.
#include "ranks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rank, ranks;

static FILE *kept; // what this rank would have printed
static bool failed;

enum { MESSAGE = 4096 };

// ---- the counter: on rank 0, which has nothing to do for it. Two jobs' numbers: nobody asks for those of a job any
// more when one has begun the job after the next.

static MPI_Win window;
static int64_t *numbers;
static uint64_t last; // job that this rank took a piece of

static void open_counter(void) {
    const MPI_Aint bytes = rank == 0 ? 2 * sizeof *numbers : 0;
    MPI_Win_allocate(bytes, sizeof *numbers, MPI_INFO_NULL, MPI_COMM_WORLD, &numbers, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        numbers[0] = numbers[1] = 0;
        MPI_Win_sync(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

uint64_t ranks_next(void *user, uint64_t job, uint64_t pieces) {
    const int64_t one = 1;
    int64_t value = 0;
    (void)user;
    (void)pieces;
    last = job;
    MPI_Fetch_and_op(&one, &value, MPI_INT64_T, 0, (MPI_Aint)(job % 2), MPI_SUM, window);
    MPI_Win_flush(0, window);
    return (uint64_t)value;
}

int ranks_wait(void *user) {
    const int64_t none = 0;
    int64_t before;
    (void)user;
    if (ranks_agree(CLI_GO_ON, false, NULL) != CLI_GO_ON)
        return 1;
    if (rank > 0)
        return 0;
    MPI_Fetch_and_op(&none, &before, MPI_INT64_T, 0, (MPI_Aint)(last % 2), MPI_REPLACE, window);
    MPI_Win_flush(0, window);
    return 0;
}

// ---- agreement

void ranks_begin(void) {
    open_counter();
    if (rank > 0 && (kept = tmpfile()))
        (void)dup2(fileno(kept), STDERR_FILENO);
}

void ranks_end(void) {
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

bool ranks_failed(void) {
    return failed;
}

static void send_message(void) {
    char text[MESSAGE] = "";
    if (kept) {
        fflush(stderr);
        rewind(kept);
        text[fread(text, 1, sizeof text - 1, kept)] = '\0';
    }
    MPI_Send(text, MESSAGE, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

int ranks_agree(int result, bool finished, bool *all) {
    const int own[2] = {result == CLI_GO_ON ? ranks : rank, finished};
    int least[2], code = result;
    MPI_Allreduce(own, least, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    const int first = least[0];
    if (all)
        *all = least[1] != 0;
    if (first == ranks) {
        // A note is no message of a failure that comes later.
        if (kept && fflush(stderr) == 0 && ftruncate(fileno(kept), 0) == 0)
            rewind(kept);
        return CLI_GO_ON;
    }
    failed = true;
    MPI_Bcast(&code, 1, MPI_INT, first, MPI_COMM_WORLD);
    if (first > 0 && rank == first)
        send_message();
    if (first > 0 && rank == 0) {
        char text[MESSAGE];
        MPI_Recv(text, MESSAGE, MPI_CHAR, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fprintf(stderr, "rank %d: %s", first, text[0] ? text : "failed\n");
    }
    return code;
}

static int compare_texts(const char *what, const char *own, const char *first, char separator) {
    const char separators[2] = {separator, '\0'};
    size_t word = 0;
    if (strcmp(own, first) == 0)
        return CLI_GO_ON;
    for (size_t i = 0; own[i] == first[i]; i++)
        word = own[i] == separator ? i + 1 : word;
    const int mine = (int)strcspn(own + word, separators), other = (int)strcspn(first + word, separators);
    return cli_error("%s: '%.*s', but '%.*s' on rank 0", what, mine, own + word, other, first + word);
}

int ranks_same(const char *what, const char *text, char separator) {
    uint64_t bytes = strlen(text) + 1;
    MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    CLI_FREES char *first = calloc((size_t)bytes, 1);
    CLI_TRY(ranks_agree(first ? CLI_GO_ON : cli_error("not enough memory"), false, NULL));
    if (rank == 0)
        memcpy(first, text, (size_t)bytes);
    MPI_Bcast(first, (int)bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    return ranks_agree(compare_texts(what, text, first, separator), false, NULL);
}
