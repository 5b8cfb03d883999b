// SPDX-License-Identifier: Apache-2.0
// The table of all tuning parameters.
#ifndef WAVEWARP_TUNING_TABLE_H
#define WAVEWARP_TUNING_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum wwi_tuning_kind { WWI_TUNING_ANY, WWI_TUNING_POWER, WWI_TUNING_FOURS } wwi_tuning_kind;

#define WWI_TUNING_CANDIDATES 5

typedef struct wwi_tuning_entry {
    const char *name; // ending in '*': a family
    wwi_tuning_kind kind;
    long least, most;
    const char *standard; // the default, in words: it may depend on the device
    const char *meaning;
    bool gpu, cpu;                          // where ww_tune() tries it
    long candidates[WWI_TUNING_CANDIDATES]; // up to the first 0
} wwi_tuning_entry;

size_t wwi_tuning_count(void);
const wwi_tuning_entry *wwi_tuning_at(size_t i); // NULL behind the last
// The entry for a name, which may end in .f32 or .f64; NULL: there is none.
const wwi_tuning_entry *wwi_tuning_find(const char *name);
bool wwi_tuning_allows(const wwi_tuning_entry *entry, long value);
// What a message says after the range: "", ", a power of two", ...
const char *wwi_tuning_values(wwi_tuning_kind kind);
const char *wwi_tuning_closest(const char *name); // NULL: none is like it

#endif
