// SPDX-License-Identifier: Apache-2.0
// Variables whose objects end with their block, whichever way it is left: an early return releases what there is.
//
//     WWI_FREES double *values = NULL;
//     WWI_ENDS(ww_points_destroy) ww_points *points = NULL;
//     WWI_TRY(wwi_new(values, count));
//     WWI_TRY(ww_points_create(context, &view, NULL, &points));
//     *given = wwi_taken(&points); // the caller's now
//
// Each has a value where it is declared. They end in reverse order of their declarations, after the result of `return`
// has been computed. No goto leads over such a declaration.
#ifndef WAVEWARP_ENDS_H
#define WAVEWARP_ENDS_H

#include <stdlib.h>
#include <string.h>

#include "error.h"

// What the pointer at `address` points to, which becomes NULL; NULL where that is NULL.
static inline void *wwi_taken(void *address) {
    void *taken = NULL, *const none = NULL;
    if (address) {
        memcpy(&taken, address, sizeof taken);
        memcpy(address, &none, sizeof none);
    }
    return taken;
}

static inline void wwi_free_taken(void *address) {
    free(wwi_taken(address));
}

// An attribute that gcc and clang have. `function` gets the variable's address and accepts what it holds at any time.
#define WWI_ENDS(function) __attribute__((cleanup(function)))
#define WWI_FREES WWI_ENDS(wwi_free_taken)

// Asks for large pages under a large array, or NULL, before it is written to: a page fault for each 4 KiB takes longer
// than filling them. Gives the array.
void *wwi_in_large_pages(void *array, size_t bytes);
// Memory for so many elements of what `pointer` points to, as it comes or zeroed: WW_OK, or the failure.
#define wwi_new(pointer, count)                                                                                        \
    (((pointer) = wwi_in_large_pages(malloc((count) * sizeof *(pointer)), (count) * sizeof *(pointer)))                \
         ? WW_OK                                                                                                       \
         : wwi_fail_memory((count) * sizeof *(pointer)))
#define wwi_new_zeroed(pointer, count)                                                                                 \
    (((pointer) = wwi_in_large_pages(calloc((count), sizeof *(pointer)), (count) * sizeof *(pointer)))                 \
         ? WW_OK                                                                                                       \
         : wwi_fail_memory((count) * sizeof *(pointer)))

#endif
