// SPDX-License-Identifier: Apache-2.0
// The merge of candidates by the host, for devices without double and powers that devices compute differently: those
// that may be among a window's k best are compared with it in double, and lower its bound. The rules are those of
// kernels_cl/profile/profile_merge.cl.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_job.h"

#define NO_ENTRY UINT32_MAX

// An entry of kernels_cl/profile/profile.cl: the other window, the next entry, D and its error.
typedef struct entry {
    uint32_t other, next;
    float value, error;
} entry;

typedef struct lists {
    uint32_t *heads;
    entry *entries;
    float *bounds;
} lists;

static void lists_free(lists *l) {
    free(l->heads);
    free(l->entries);
    free(l->bounds);
}

// The lists of `own`, and the entries of each stripe as far as they are used.
static ww_status read_lists(ww_profile *p, const wwi_profile_slice *own, int list, uint32_t stripes, lists *l) {
    uint32_t counts[WWI_PROFILE_STRIPES * WWI_PROFILE_STRIPE];
    const uint64_t bytes = (uint64_t)own->count * 4, capacity = p->capacity / stripes;
    WWI_TRY(wwi_stream_read(p->stream, p->counters, 0, sizeof counts, counts));
    WWI_TRY(wwi_new(l->heads, own->count));
    WWI_TRY(wwi_new(l->bounds, own->count));
    WWI_TRY(wwi_new(l->entries, stripes * capacity));
    WWI_TRY(wwi_stream_read(p->stream, own->heads[list], 0, bytes, l->heads));
    WWI_TRY(wwi_stream_read(p->stream, own->bounds[list], 0, bytes, l->bounds));
    for (uint32_t s = 0; s < stripes; s++) {
        const uint64_t count = wwi_least(counts[s * WWI_PROFILE_STRIPE], capacity);
        if (count)
            WWI_TRY(wwi_stream_read(p->stream, p->entries, s * capacity * sizeof *l->entries,
                                    count * sizeof *l->entries, l->entries + s * capacity));
    }
    return WW_OK;
}

enum { EACH = 256 }; // windows of a piece

typedef struct merging {
    ww_profile *p;
    const lists *l;
    const wwi_profile_slice *own, *other;
    int list;
} merging;

static void merge_window(const merging *m, size_t i) {
    ww_profile *p = m->p;
    const lists *l = m->l;
    const size_t at = m->own->first + i;
    double *best = p->nearest.best[m->list] + at * p->k;
    int64_t *ids = p->nearest.ids[m->list] + at * p->k;
    for (uint32_t e = l->heads[i]; e != NO_ENTRY; e = l->entries[e].next) {
        const entry *one = &l->entries[e];
        if (one->value - one->error > l->bounds[i])
            continue;
        const size_t j = m->other->first + one->other;
        wwi_profile_enter(best, ids, p->k, wwi_profile_distance2(m->own->series, at, m->other->series, j),
                          (int64_t)(j + m->other->series->origin));
    }
    if (isfinite(best[p->k - 1]))
        l->bounds[i] = fminf(l->bounds[i], wwi_profile_bound(m->own->series, best[p->k - 1]));
}

// Windows have nothing in common but what is read.
static ww_status merge_piece(void *user, uint64_t piece) {
    const merging *m = user;
    const size_t end = wwi_least((piece + 1) * EACH, m->own->count);
    for (size_t i = (size_t)piece * EACH; i < end; i++) {
        WWI_TRY(wwi_interrupted());
        if (m->l->heads[i] != NO_ENTRY)
            merge_window(m, i);
    }
    return WW_OK;
}

ww_status wwi_profile_merge_host(ww_profile *p, wwi_profile_slice *own, const wwi_profile_slice *other, int list,
                                 uint32_t stripes) {
    WWI_ENDS(lists_free) lists l = {NULL, NULL, NULL};
    WWI_TRY(read_lists(p, own, list, stripes, &l));
    merging m = {p, &l, own, other, list};
    WWI_TRY(wwi_share(wwi_processors(), wwi_ceil_div(own->count, EACH), merge_piece, &m));
    WWI_TRY(wwi_buffer_write(own->bounds[list], 0, (uint64_t)own->count * 4, l.bounds));
    return wwi_buffer_fill_u32(own->heads[list], 0, (uint64_t)own->count * 4, NO_ENTRY);
}
