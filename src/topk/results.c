// SPDX-License-Identifier: Apache-2.0
// Reads ids and distances back and converts them for the caller: 64-bit ids, roots, counts.
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <wavewarp/points.h>

#include "data/dataset.h"
#include "topk/results.h"

// ---- ids

typedef struct ids_target {
    int64_t *ids;
    size_t k;
    _Atomic uint64_t incomplete;
} ids_target;

static void take_ids(void *user, uint64_t at, uint64_t bytes, const void *data) {
    ids_target *t = user;
    const int32_t *from = data; // ids are below 2^31, and WWI_NO_INDEX is -1
    int64_t *to = t->ids + at / sizeof *from;
    const size_t first = at / sizeof *from, count = bytes / sizeof *from;
    uint64_t missing = 0, incomplete = 0;
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        missing += from[i] < 0;
    }
    for (size_t i = 0; missing && i < count; i++)
        incomplete += from[i] < 0 && (first + i) % t->k == t->k - 1;
    atomic_fetch_add(&t->incomplete, incomplete);
}

uint32_t wwi_count_found(const int64_t *ids, size_t k) {
    uint32_t count = 0;
    while (count < k && ids[count] >= 0)
        count++;
    return count;
}

// ---- distances

static void take_values(void *user, uint64_t at, uint64_t bytes, const void *data) {
    memcpy((unsigned char *)user + at, data, bytes);
}

static void take_float_roots(void *user, uint64_t at, uint64_t bytes, const void *data) {
    const float *from = data;
    float *to = (float *)user + at / sizeof *from;
    for (size_t i = 0; i < bytes / sizeof *from; i++)
        to[i] = sqrtf(from[i]);
}

static void take_double_roots(void *user, uint64_t at, uint64_t bytes, const void *data) {
    const double *from = data;
    double *to = (double *)user + at / sizeof *from;
    for (size_t i = 0; i < bytes / sizeof *from; i++)
        to[i] = sqrt(from[i]);
}

ww_status wwi_results_fetch(wwi_buffer *best_ids, wwi_buffer *best_values, size_t rows, size_t k,
                            ww_precision precision, bool roots, int64_t *ids, void *distances, uint64_t *incomplete) {
    ids_target target = {.ids = ids, .k = k};
    const uint64_t count = (uint64_t)rows * k;
    const wwi_fetch_part parts[] = {{best_ids, count * sizeof(uint32_t), take_ids, &target, 0},
                                    {best_values, count * wwi_precision_bytes(precision),
                                     !roots                   ? take_values
                                     : precision == WW_DOUBLE ? take_double_roots
                                                              : take_float_roots,
                                     distances, 0}};
    const ww_status status = wwi_fetch(parts, distances ? 2 : 1);
    if (incomplete)
        *incomplete = atomic_load(&target.incomplete);
    return status;
}
