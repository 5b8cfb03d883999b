// SPDX-License-Identifier: Apache-2.0
// The limits of a whole's queries, which all searches of its parts share: docs/search.md has the proof that any places
// of a stream give one, and that the least of many is one.
#include <math.h>
#include <stdlib.h>

#include "search/search_internal.h"

ww_status wwi_limits_make(wwi_limits *limits, size_t count) {
    WWI_TRY(wwi_new(limits->values, count));
    limits->count = count;
    wwi_limits_forget(limits);
    return WW_OK;
}

void wwi_limits_free(wwi_limits *limits) {
    free(limits->values);
    *limits = (wwi_limits){.count = 0};
}

void wwi_limits_forget(wwi_limits *limits) {
    for (size_t q = 0; q < limits->count; q++)
        atomic_store(&limits->values[q], (double)INFINITY);
    atomic_store(&limits->windows, 0);
}

double wwi_limits_lower(wwi_limits *limits, size_t query, double value) {
    double known = atomic_load(&limits->values[query]);
    while (value < known)
        if (atomic_compare_exchange_weak(&limits->values[query], &known, value))
            return value;
    return known;
}
