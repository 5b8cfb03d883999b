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
// The same of a label, which is plain first: "1.0" and "1" are one class, whatever they came from.
ww_status wwi_class_of_label(wwi_class_names *names, const char *label, long *number);
// A number in another form than the plain one gets it: 1 of "1.0000000e+00" and of "01", 0.5 of ".50". False: nothing
// is to be changed, since the label is plain, or no number, or one of more digits than a double has.
enum { WWI_PLAIN_LABEL = 40 };
bool wwi_label_make_plain(const char *label, char plain[WWI_PLAIN_LABEL]);
bool wwi_class_is_known(const wwi_class_names *names, const char *name);
void wwi_class_names_free(wwi_class_names *names);

#endif
