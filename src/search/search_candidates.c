// SPDX-License-Identifier: Apache-2.0
// The k best places of a query, no two of one stream closer than the exclusion: which places have to be kept until the
// end, and the choice among them.
//
// The choice takes the best place, leaves out all that are too close to it, takes the best of the others, and so on.
// Two facts make it exact without keeping all places:
// - A place that is chosen leaves out at most 2 * exclusion - 2 others. So the k-th is among the
//   (k-1) * (2 * exclusion - 1) + 1 best, if a place is there once.
// - If k places that are no closer than 2 * exclusion - 1 have values up to v, so has the k-th that is chosen at the
//   end, whatever else comes: a better place takes away at most one of them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "search/search_internal.h"

static int compare(const void *a, const void *b) {
    const wwi_candidate *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static bool too_close(const ww_search *s, const wwi_candidate *a, const wwi_candidate *b, uint64_t distance) {
    const uint64_t apart = a->place > b->place ? a->place - b->place : b->place - a->place;
    uint64_t x, y;
    if (apart >= distance)
        return false;
    return s->streaming || wwi_joined_stream(&s->joined, a->place, &x) == wwi_joined_stream(&s->joined, b->place, &y);
}

// Of candidates in order, the first k that keep the distance.
static size_t choose(const ww_search *s, const wwi_candidate *sorted, size_t count, uint64_t distance, size_t k,
                     wwi_candidate *picked) {
    size_t found = 0;
    if (distance <= 1) { // places differ
        found = count < k ? count : k;
        if (found)
            memcpy(picked, sorted, found * sizeof *picked);
        return found;
    }
    for (size_t i = 0; i < count && found < k; i++) {
        bool taken = true;
        for (size_t p = 0; taken && p < found; p++)
            taken = !too_close(s, &sorted[i], &picked[p], distance);
        if (taken)
            picked[found++] = sorted[i];
    }
    return found;
}

// Puts `count` more, in order, to those that are there, for which there is room.
static void join(wwi_candidate *there, size_t have, const wwi_candidate *more, size_t count) {
    while (count) {
        const bool last = !have || compare(&there[have - 1], &more[count - 1]) < 0;
        there[have + count - 1] = last ? more[count - 1] : there[have - 1];
        have -= !last;
        count -= last;
    }
}

// The value that the k-th of these has at most, which are in order. picked: room for k.
static void lower(const ww_search *s, wwi_query *q, const wwi_candidate *sorted, size_t count, wwi_candidate *picked) {
    const size_t k = s->options.k;
    if (choose(s, sorted, count, 2 * q->exclusion - 1, k, picked) == k && picked[k - 1].value < q->limit)
        q->limit = picked[k - 1].value;
}

ww_status wwi_candidates_limit(ww_search *s, wwi_query *q, wwi_candidate *more, size_t count) {
    const size_t all = q->count + count, k = s->options.k;
    if (all < k)
        return WW_OK;
    WWI_FREES wwi_candidate *sorted = NULL;
    WWI_TRY(wwi_new(sorted, all + k));
    if (q->count)
        memcpy(sorted, q->candidates, q->count * sizeof *sorted);
    qsort(more, count, sizeof *more, compare);
    join(sorted, q->count, more, count);
    lower(s, q, sorted, all, sorted + all);
    return WW_OK;
}

ww_status wwi_candidates_add(ww_search *s, wwi_query *q, wwi_candidate *found, size_t count) {
    WWI_FREES wwi_candidate *picked = NULL;
    size_t fresh = 0;
    WWI_TRY(wwi_grow(&q->candidates, &q->capacity, q->count + count, sizeof *q->candidates));
    for (size_t i = 0; i < count; i++)
        if (found[i].place >= q->seen)
            found[fresh++] = found[i];
    if (!fresh)
        return WW_OK;
    if (s->streaming) {
        memcpy(q->candidates + q->count, found, fresh * sizeof *found);
        q->count += fresh;
        return WW_OK;
    }
    WWI_TRY(wwi_new(picked, s->options.k));
    qsort(found, fresh, sizeof *found, compare);
    join(q->candidates, q->count, found, fresh);
    q->count += fresh;
    lower(s, q, q->candidates, q->count, picked);
    while (q->count && q->candidates[q->count - 1].value > q->limit)
        q->count--;
    q->full = q->count >= q->kept;
    if (q->full)
        q->count = q->kept;
    return WW_OK;
}

ww_status wwi_candidates_add_row(ww_search *s, wwi_query *q, const wwi_candidate *found) {
    wwi_candidate added = *found;
    for (size_t i = 0; i < q->count; i++)
        if (q->candidates[i].place == found->place) {
            if (q->candidates[i].value < found->value)
                return WW_OK;
            memmove(q->candidates + i, q->candidates + i + 1, (--q->count - i) * sizeof *q->candidates);
            break;
        }
    return wwi_candidates_add(s, q, &added, 1);
}

double wwi_candidates_bar(const ww_search *s, const wwi_query *q) {
    if (!q->full)
        return q->limit;
    // Places come in ascending order: of equal values the first one is kept. Below it is another number of the
    // precision, so that a stream at rest, whose windows are all alike, is not listed again and again.
    const double last = q->candidates[q->count - 1].value;
    return s->of.precision == WW_FLOAT ? (double)nextafterf((float)last, -INFINITY) : nextafter(last, -INFINITY);
}

size_t wwi_candidates_pick(ww_search *s, wwi_query *q, wwi_candidate *picked) {
    return choose(s, q->candidates, q->count, q->exclusion, s->options.k, picked);
}
