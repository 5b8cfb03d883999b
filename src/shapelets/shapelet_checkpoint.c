// SPDX-License-Identifier: Apache-2.0
// The checkpoint of a discovery: a journal whose lines are the places that finished searches found, and how far the
// unfinished one is.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "shapelets/shapelet_model.h"

void wwi_shapelet_past_free(wwi_shapelet_past *past) {
    free(past->found);
    free(past->counts);
    free(past->series);
    memset(past, 0, sizeof *past);
}

static void add_places(wwi_journal_lines *lines, const wwi_shapelet_found *found, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const wwi_shapelet_place *p = &found[i].place;
        wwi_journal_add(lines, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", p->series, p->start, p->length);
    }
}

// From `at` on: where the next run of series that are done begins; *end: where it ends.
static size_t next_run(const wwi_shapelet_past *past, size_t at, size_t *end) {
    while (at < past->series_count && !past->series[at])
        at++;
    for (*end = at; *end < past->series_count && past->series[*end]; ++*end) {
    }
    return at;
}

static void add_series(wwi_journal_lines *lines, const wwi_shapelet_past *past) {
    size_t runs = 0, end = 0;
    for (size_t at = 0; (at = next_run(past, at, &end)) < past->series_count; at = end)
        runs++;
    wwi_journal_add(lines, "%zu %zu\n", past->series_count, runs);
    for (size_t at = 0; (at = next_run(past, at, &end)) < past->series_count; at = end)
        wwi_journal_add(lines, "%zu %zu\n", at, end - at);
}

ww_status wwi_shapelet_past_write(const char *path, const wwi_journal_identity *identity,
                                  const wwi_shapelet_past *past) {
    WWI_ENDS(wwi_journal_lines_free) wwi_journal_lines lines = {.bytes = NULL};
    const wwi_shapelet_found *at = past->found;
    wwi_journal_add(&lines, "%zu\n", past->searches);
    for (size_t i = 0; i < past->searches; i++) {
        wwi_journal_add(&lines, "%zu\n", past->counts[i]);
        add_places(&lines, at, past->counts[i]);
        at = past->counts[i] ? at + past->counts[i] : at; // without any there may be no memory
    }
    wwi_journal_add(&lines, "%" PRIu64 " %zu\n", past->columns, past->unfinished_count);
    add_places(&lines, at, past->unfinished_count);
    add_series(&lines, past);
    return wwi_journal_save(path, true, identity, &lines);
}

// ---- reading

static ww_status read_places(const char **at, const char *path, wwi_shapelet_past *past, size_t count) {
    WWI_TRY(wwi_grow(&past->found, &past->found_capacity, past->found_count + count + 1, sizeof *past->found));
    for (size_t i = 0; i < count; i++) {
        uint64_t v[3];
        for (int k = 0; k < 3; k++)
            if (!wwi_journal_number(at, INT32_MAX, &v[k]))
                return wwi_journal_damaged(path);
        wwi_shapelet_found *one = &past->found[past->found_count + i];
        memset(one, 0, sizeof *one);
        one->place = (wwi_shapelet_place){(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]};
    }
    return WW_OK;
}

static ww_status read_series(const char **at, const char *path, wwi_shapelet_past *past, size_t size) {
    uint64_t count, runs, first, length;
    if (!wwi_journal_number(at, INT32_MAX, &count) || !wwi_journal_number(at, size, &runs))
        return wwi_journal_damaged(path);
    if (count)
        WWI_TRY(wwi_new_zeroed(past->series, (size_t)count));
    past->series_count = (size_t)count;
    for (uint64_t i = 0; i < runs; i++) {
        if (!wwi_journal_number(at, count, &first) || !wwi_journal_number(at, count - first, &length))
            return wwi_journal_damaged(path);
        memset(past->series + first, 1, (size_t)length);
    }
    return WW_OK;
}

static ww_status parse(const char *at, const char *path, wwi_shapelet_past *past) {
    uint64_t searches, value;
    const size_t size = strlen(at);
    const char *end = at + size;
    // A place takes six bytes at least, so no count is above the size.
    if (!wwi_journal_number(&at, size, &searches))
        return wwi_journal_damaged(path);
    for (uint64_t i = 0; i < searches; i++) {
        if (!wwi_journal_number(&at, size, &value))
            return wwi_journal_damaged(path);
        WWI_TRY(wwi_grow(&past->counts, &past->search_capacity, past->searches + 1, sizeof *past->counts));
        WWI_TRY(read_places(&at, path, past, (size_t)value));
        past->counts[past->searches++] = (size_t)value;
        past->found_count += (size_t)value;
    }
    if (!wwi_journal_number(&at, INT32_MAX, &past->columns) || !wwi_journal_number(&at, size, &value))
        return wwi_journal_damaged(path);
    past->unfinished_count = (size_t)value;
    WWI_TRY(read_places(&at, path, past, (size_t)value));
    WWI_TRY(read_series(&at, path, past, size));
    return at == end ? WW_OK : wwi_journal_damaged(path);
}

ww_status wwi_shapelet_past_read(const char *path, const wwi_journal_identity *wanted, wwi_shapelet_past *past) {
    wwi_journal_past journal;
    memset(past, 0, sizeof *past);
    // The order of the candidates, and so how far a search is, depends on the device.
    WWI_TRY(wwi_journal_load(path, wanted, false, &journal));
    WWI_FREES char *bytes = journal.bytes;
    return bytes ? parse(journal.lines, path, past) : WW_OK;
}
