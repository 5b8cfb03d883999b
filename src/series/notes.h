// SPDX-License-Identifier: Apache-2.0
// What a reader says of a file: how it was taken, and what in it looks odd. It stays with the set that was read.
#ifndef WAVEWARP_SERIES_NOTES_H
#define WAVEWARP_SERIES_NOTES_H

#include <stdbool.h>
#include <wavewarp/series.h>

enum { WWI_MOST_NOTICES = 8 };

typedef struct wwi_notes {
    ww_read_info info; // heading: `heading` below
    char *heading;     // NULL: none
    size_t count;
    struct {
        ww_notice kind;
        char text[224];
    } notices[WWI_MOST_NOTICES];
} wwi_notes;

// Appends a notice; `notes` NULL: nobody wants it.
void wwi_notes_add(wwi_notes *notes, ww_notice kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
void wwi_notes_free(wwi_notes **notes); // and what it holds

// Gives the set its notes, which it owns from now on; those that it had are freed.
void wwi_series_set_take_notes(ww_series_set *set, wwi_notes *notes);

#endif
