// SPDX-License-Identifier: Apache-2.0
// Large texts are read by several threads: each takes a piece, cut at a line's end.
#include <stdlib.h>
#include <string.h>

#include "ends.h"
#include "files/read.h"
#include "host.h"
#include "series/join.h"

enum { MOST_THREADS = WWI_MOST_THREADS, LEAST_BYTES = 1 << 20 };

unsigned wwi_read_threads(unsigned wanted, size_t bytes) {
    const char *named = getenv("WAVEWARP_READ_THREADS");
    const unsigned long asked = wanted ? wanted : named ? strtoul(named, NULL, 10) : 0;
    if (asked)
        return asked < MOST_THREADS ? (unsigned)asked : MOST_THREADS;
    unsigned threads = wwi_processors();
    if (threads > bytes / LEAST_BYTES)
        threads = (unsigned)(bytes / LEAST_BYTES);
    return threads ? threads : 1;
}

typedef struct job {
    wwi_text texts[MOST_THREADS];
    ww_status statuses[MOST_THREADS];
    wwi_piece_reader read;
    const void *how;
    unsigned char *results;
    size_t bytes;
} job;

static void read_piece(void *user, unsigned index) {
    job *j = user;
    j->statuses[index] = j->read(&j->texts[index], j->how, j->results + index * j->bytes);
}

// Piece `index` of `count` of the text behind the cursor, whole lines; a piece may be empty.
static void cut(const wwi_text *text, unsigned count, unsigned index, wwi_text *to) {
    const char *end = text->bytes + text->size, *from = text->cursor;
    const size_t all = (size_t)(end - from), each = all / count;
    // The ends of the line after the index-th part of the text, and of the part before.
    const char *ends[2] = {from, end};
    for (unsigned i = 0; i < 2; i++) {
        const unsigned part = index + i;
        if (part == 0 || part == count)
            continue;
        const char *line_end = memchr(from + part * each, '\n', all - part * each);
        ends[i] = line_end ? line_end + 1 : end;
    }
    *to = *text;
    to->bytes = (char *)ends[0];
    to->size = (size_t)(ends[1] - ends[0]);
    to->cursor = ends[0];
    to->line_number = 0;
    to->unasked = 0;
}

bool wwi_read_by_threads(wwi_text *text, wwi_piece_reader read, const void *how, void *results, size_t bytes) {
    job j = {.read = read, .how = how, .results = results, .bytes = bytes};
    for (unsigned i = 0; i < text->threads; i++)
        cut(text, text->threads, i, &j.texts[i]);
    wwi_in_threads(text->threads, read_piece, &j);
    for (unsigned i = 0; i < text->threads; i++) {
        const char kind = j.texts[i].stamps;
        if (j.statuses[i] != WW_OK || (text->stamps && kind && kind != text->stamps))
            return false;
        text->stamps = kind ? kind : text->stamps;
    }
    return true;
}

// ---- series

typedef struct lines {
    wwi_line_reader read;
    const void *how;
} lines;

static ww_status read_set(wwi_text *text, const void *user, void *set) {
    const lines *l = user;
    return l->read(text, l->how, set);
}

// Joins the pieces' sets; false where they differ in what a file has one of.
static bool join(ww_series_set **sets, unsigned count, ww_series_set **set) {
    ww_series_set *there[MOST_THREADS];
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++)
        if (ww_series_set_count(sets[i]))
            there[n++] = sets[i];
    if (!wwi_series_set_join(there, n, wwi_in_threads))
        return false;
    unsigned first = 0;
    while (n && sets[first] != there[0])
        first++;
    *set = wwi_taken(&sets[first]);
    return true;
}

ww_status wwi_read_pieces(wwi_text *text, wwi_line_reader read, const void *how, ww_series_set **set) {
    ww_series_set *sets[MOST_THREADS] = {NULL};
    const lines l = {read, how};
    const wwi_text start = *text;
    if (text->threads < 2)
        return read(text, how, set);
    const bool joined = wwi_read_by_threads(text, read_set, &l, sets, sizeof *sets) && join(sets, text->threads, set);
    for (unsigned i = 0; i < text->threads; i++)
        ww_series_set_destroy(&sets[i]);
    if (joined)
        return WW_OK;
    *text = start;
    return read(text, how, set);
}
