// SPDX-License-Identifier: Apache-2.0
// What a set says of the file that it was read from.
#include "series/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "ends.h"
#include "host.h"
#include "options.h"
#include "series/set.h"

void wwi_notes_add(wwi_notes *notes, ww_notice kind, const char *format, ...) {
    if (!notes || notes->count == WWI_MOST_NOTICES)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(notes->notices[notes->count].text, sizeof notes->notices[0].text, format, arguments);
    va_end(arguments);
    notes->notices[notes->count++].kind = kind;
}

void wwi_notes_free(wwi_notes **notes) {
    wwi_notes *n = wwi_taken(notes);
    if (n)
        free(n->heading);
    free(n);
}

void wwi_series_set_take_notes(ww_series_set *set, wwi_notes *notes) {
    wwi_notes_free(&set->notes);
    set->notes = notes;
}

size_t ww_series_set_notice_count(const ww_series_set *set) {
    return set && set->notes ? set->notes->count : 0;
}

const char *ww_series_set_notice(const ww_series_set *set, size_t i, ww_notice *kind) {
    if (i >= ww_series_set_notice_count(set))
        return NULL;
    if (kind)
        *kind = set->notes->notices[i].kind;
    return set->notes->notices[i].text;
}

ww_status ww_series_set_get_read_info(const ww_series_set *set, ww_read_info *info) {
    WWI_NEEDS("set, info", set, info);
    ww_read_info known = WW_READ_INFO_INIT;
    if (set->notes) {
        known = set->notes->info;
        known.heading = set->notes->heading;
    }
    return wwi_struct_give(info, &known, "ww_read_info");
}
