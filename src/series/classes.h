// SPDX-License-Identifier: Apache-2.0
// Names of classes, numbered by first appearance.
#ifndef WAVEWARP_CLASSES_H
#define WAVEWARP_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <wavewarp/status.h>

// All 0: no class.
typedef struct wwi_class_names {
    char **names;
    size_t count, capacity;
    size_t *slots; // hash table over names: class number + 1, 0 empty; a power of two, at most half full
    size_t slot_count;
} wwi_class_names;

// The number of the class of that name, which gets the next number when it is new.
ww_status wwi_class_of_name(wwi_class_names *names, const char *name, long *number);
bool wwi_class_is_known(const wwi_class_names *names, const char *name);
void wwi_class_names_free(wwi_class_names *names);

#endif
