// SPDX-License-Identifier: Apache-2.0
// Names of classes: a list and a hash table over it.
#include "series/classes.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "host.h"

void wwi_class_names_free(wwi_class_names *n) {
    for (size_t k = 0; k < n->count; k++)
        free(n->names[k]);
    free(n->names);
    free(n->slots);
    *n = (wwi_class_names){0};
}

// FNV-1a.
static size_t hash_text(const char *text) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return (size_t)(hash ^ (hash >> 32));
}

// The slot that holds `name`, or the empty one where it belongs.
static size_t find_slot(const wwi_class_names *n, const char *name) {
    size_t slot = hash_text(name) & (n->slot_count - 1);
    while (n->slots[slot] && strcmp(n->names[n->slots[slot] - 1], name) != 0)
        slot = (slot + 1) & (n->slot_count - 1);
    return slot;
}

static ww_status grow_slots(wwi_class_names *n) {
    const size_t count = n->slot_count ? 2 * n->slot_count : 16;
    size_t *slots;
    WWI_TRY(wwi_new_zeroed(slots, count));
    free(n->slots);
    n->slots = slots;
    n->slot_count = count;
    for (size_t k = 0; k < n->count; k++)
        n->slots[find_slot(n, n->names[k])] = k + 1;
    return WW_OK;
}

bool wwi_class_is_known(const wwi_class_names *n, const char *name) {
    return n->count > 0 && n->slots[find_slot(n, name)] > 0;
}

ww_status wwi_class_of_name(wwi_class_names *n, const char *name, long *number) {
    if (2 * (n->count + 1) > n->slot_count)
        WWI_TRY(grow_slots(n));
    const size_t slot = find_slot(n, name);
    if (!n->slots[slot]) {
        WWI_TRY(wwi_grow(&n->names, &n->capacity, n->count + 1, sizeof *n->names));
        char *copy = strdup(name);
        if (!copy)
            return wwi_fail_memory(strlen(name) + 1);
        n->names[n->count++] = copy;
        n->slots[slot] = n->count;
    }
    *number = (long)n->slots[slot] - 1;
    return WW_OK;
}
