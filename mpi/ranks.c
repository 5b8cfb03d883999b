// SPDX-License-Identifier: Apache-2.0
// Agreement, series and a counter for the ranks of an MPI job, over MPI 3 calls alone.
#include "ranks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rank, ranks;

static FILE *kept; // what this rank would have printed

enum { MESSAGE = 4096, PIECE = 1 << 28 };
#define STOPPED ((int64_t)1 << 60)

void ranks_begin(void) {
    if (rank == 0 || !(kept = tmpfile()))
        return;
    (void)dup2(fileno(kept), STDERR_FILENO);
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

int ranks_agree(int result) {
    const int own = result == CLI_GO_ON ? ranks : rank;
    int first, code = result;
    MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == ranks) {
        // A note is no message of a failure that comes later.
        if (kept && fflush(stderr) == 0 && ftruncate(fileno(kept), 0) == 0)
            rewind(kept);
        return CLI_GO_ON;
    }
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

static int compare_texts(const char *what, const char *own, const char *first, bool lines) {
    if (strcmp(own, first) == 0)
        return CLI_GO_ON;
    if (!lines)
        return cli_error("%s: not as on rank 0", what);
    size_t line = 0;
    for (size_t i = 0; own[i] == first[i]; i++)
        line = own[i] == '\n' ? i + 1 : line;
    const int mine = (int)strcspn(own + line, "\n"), other = (int)strcspn(first + line, "\n");
    return cli_error("%s: '%.*s', but '%.*s' on rank 0", what, mine, own + line, other, first + line);
}

int ranks_same(const char *what, const char *text, bool lines) {
    uint64_t bytes = strlen(text) + 1;
    ranks_broadcast(&bytes, sizeof bytes);
    CLI_FREES char *first = calloc((size_t)bytes, 1);
    CLI_TRY(ranks_agree(first ? CLI_GO_ON : cli_error("not enough memory")));
    if (rank == 0)
        memcpy(first, text, (size_t)bytes);
    ranks_broadcast(first, (size_t)bytes);
    return ranks_agree(compare_texts(what, text, first, lines));
}

// ---- series

// More than an int counts goes in pieces.
void ranks_broadcast(void *values, size_t bytes) {
    for (size_t at = 0; at < bytes; at += PIECE)
        MPI_Bcast((char *)values + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE, 0, MPI_COMM_WORLD);
}

// Series go in blocks: the heads of all, then their values, time stamps and labels one after the other.
enum { BLOCK = 4096 };

typedef struct series_head {
    uint64_t length, times, label_bytes; // times: 1 where it has time stamps; the bytes with the end of the text
} series_head;

static size_t series_bytes(const series_head *head, size_t channels) {
    const size_t bytes = (size_t)head->length * (channels + (size_t)head->times) * sizeof(double);
    return bytes + ((size_t)head->label_bytes + 7) / 8 * 8; // doubles stay aligned
}

static series_head head_of(const ww_series_set *set, size_t i) {
    const char *label = ww_series_set_label(set, i);
    return (series_head){ww_series_set_length(set, i), ww_series_set_times(set, i) != NULL,
                         label ? strlen(label) + 1 : 0};
}

static void pack(const ww_series_set *set, size_t i, size_t channels, const series_head *head, unsigned char *to) {
    const size_t values = (size_t)head->length * channels * sizeof(double);
    const size_t times = (size_t)(head->times * head->length) * sizeof(double);
    memcpy(to, ww_series_set_values(set, i), values);
    if (times)
        memcpy(to + values, ww_series_set_times(set, i), times);
    if (head->label_bytes)
        memcpy(to + values + times, ww_series_set_label(set, i), (size_t)head->label_bytes);
}

static ww_status unpack(ww_series_set *set, size_t i, size_t channels, const series_head *head,
                        const unsigned char *from) {
    const size_t values = (size_t)head->length * channels * sizeof(double);
    const size_t times = (size_t)(head->times * head->length) * sizeof(double);
    const char *label = head->label_bytes ? (const char *)from + values + times : NULL;
    const ww_status status = ww_series_set_add(set, (size_t)head->length, (const double *)(const void *)from, label);
    return status == WW_OK && times ? ww_series_set_set_times(set, i, (const double *)(const void *)(from + values))
                                    : status;
}

static int share_block(ww_series_set *set, size_t first, size_t count, size_t channels) {
    static series_head heads[BLOCK];
    size_t bytes = 0, at = 0;
    int result = CLI_GO_ON;
    for (size_t i = 0; rank == 0 && i < count; i++)
        heads[i] = head_of(set, first + i);
    ranks_broadcast(heads, count * sizeof *heads);
    for (size_t i = 0; i < count; i++)
        bytes += series_bytes(&heads[i], channels);
    CLI_FREES unsigned char *block = calloc(1, bytes);
    CLI_TRY(ranks_agree(block ? CLI_GO_ON : cli_error("%zu bytes of series do not fit memory", bytes)));
    for (size_t i = 0; rank == 0 && i < count; at += series_bytes(&heads[i++], channels))
        pack(set, first + i, channels, &heads[i], block + at);
    ranks_broadcast(block, bytes);
    for (size_t i = 0; rank > 0 && i < count && result == CLI_GO_ON; at += series_bytes(&heads[i++], channels))
        result = cli_status(unpack(set, first + i, channels, &heads[i], block + at));
    return ranks_agree(result);
}

int ranks_share(ww_series_set **set) {
    uint64_t shape[2] = {ww_series_set_count(*set), ww_series_set_channels(*set)};
    ranks_broadcast(shape, sizeof shape);
    CLI_TRY(ranks_agree(rank == 0 ? CLI_GO_ON : cli_status(ww_series_set_create((size_t)shape[1], set))));
    for (size_t first = 0, count; first < shape[0]; first += count) {
        count = shape[0] - first < BLOCK ? (size_t)shape[0] - first : BLOCK;
        CLI_TRY(share_block(*set, first, count, (size_t)shape[1]));
    }
    return CLI_GO_ON;
}

// ---- points

// Addresses of rank 0 mean nothing to others.
int ranks_share_points(rank_view *p) {
    ww_point_view *v = &p->view;
    const void *const values = v->values;
    const uint64_t *const offsets = v->offsets;
    ranks_broadcast(v, sizeof *v);
    const bool sets = v->kind == WW_POINTS_SETS;
    uint64_t bytes = !sets ? v->count * cli_point_bytes(v) : rank == 0 ? offsets[v->count] * sizeof(uint32_t) : 0;
    ranks_broadcast(&bytes, sizeof bytes);
    if (rank > 0) {
        p->values = malloc((size_t)bytes + 1);
        p->offsets = sets ? malloc((v->count + 1) * sizeof *p->offsets) : NULL;
    }
    const bool room = rank == 0 || (p->values && (!sets || p->offsets));
    CLI_TRY(ranks_agree(room ? CLI_GO_ON : cli_error("the points do not fit memory")));
    v->values = rank == 0 ? values : p->values;
    v->offsets = rank == 0 ? offsets : p->offsets;
    // Rank 0 sends, and does not write.
    ranks_broadcast(rank == 0 ? (void *)(uintptr_t)values : p->values, (size_t)bytes);
    if (sets)
        ranks_broadcast(rank == 0 ? (void *)(uintptr_t)offsets : p->offsets, (v->count + 1) * sizeof *p->offsets);
    return CLI_GO_ON;
}

void rank_view_free(rank_view *p) {
    ww_point_set_destroy(&p->set);
    free(p->values);
    free(p->offsets);
}

// ---- the counter: on rank 0, which has nothing to do for it

void ranks_count_begin(rank_counter *counter) {
    const MPI_Aint bytes = rank == 0 ? sizeof *counter->next : 0;
    MPI_Win_allocate(bytes, sizeof *counter->next, MPI_INFO_NULL, MPI_COMM_WORLD, &counter->next, &counter->window);
    MPI_Win_lock_all(0, counter->window);
    if (rank == 0) {
        *counter->next = 0;
        MPI_Win_sync(counter->window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static int64_t add(rank_counter *counter, int64_t more) {
    int64_t value = 0;
    MPI_Fetch_and_op(&more, &value, MPI_INT64_T, 0, 0, MPI_SUM, counter->window);
    MPI_Win_flush(0, counter->window);
    return value;
}

int64_t ranks_count(rank_counter *counter) {
    return add(counter, 1);
}

void ranks_count_stop(rank_counter *counter) {
    (void)add(counter, STOPPED / ranks);
}

void ranks_count_end(rank_counter *counter) {
    MPI_Win_unlock_all(counter->window);
    MPI_Win_free(&counter->window);
}
