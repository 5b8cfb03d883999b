// SPDX-License-Identifier: Apache-2.0
// The list of candidates that may be among the best: what the device kept of a chunk, examined in double, best first,
// until no other can be better.
#include <stdlib.h>
#include <string.h>

#include "shapelets/shapelet_node.h"

ww_status wwi_shortlist_take(wwi_node_search *s, size_t first, bool *whole) {
    uint32_t count = 0;
    WWI_FREES uint32_t(*kept)[4] = NULL;
    *whole = true;
    WWI_TRY(wwi_stream_read(s->device->stream, s->scratch->bounds.kept_count, 0, 4, &count));
    *whole = count <= wwi_buffer_bytes(s->scratch->bounds.kept) / 16;
    if (!count || !*whole)
        return WW_OK;
    WWI_TRY(wwi_new(kept, count));
    WWI_TRY(wwi_stream_read(s->device->stream, s->scratch->bounds.kept, 0, count * sizeof *kept, kept));
    WWI_TRY(
        wwi_grow(&s->shortlist.items, &s->shortlist.capacity, s->shortlist.count + count, sizeof *s->shortlist.items));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t li = kept[i][0] / s->shortlist.columns, c = kept[i][0] % s->shortlist.columns;
        const wwi_shapelet_column *column = &s->candidates.columns[first + c];
        wwi_node_listed *one = &s->shortlist.items[s->shortlist.count++];
        one->gain = (int64_t)((uint64_t)kept[i][3] << 32 | kept[i][2]);
        memcpy(&one->gap, &kept[i][1], sizeof one->gap);
        one->place = (wwi_shapelet_place){column->series, column->start,
                                          s->job.single ? column->reach : s->job.least + li * s->job.step};
        one->own = column->own;
        one->rescored = false;
    }
    return WW_OK;
}

static int by_most(const void *a, const void *b) {
    const wwi_node_listed *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    if (x->gap != y->gap)
        return x->gap > y->gap ? -1 : 1;
    if (x->place.length != y->place.length)
        return x->place.length < y->place.length ? -1 : 1;
    if (x->place.series != y->place.series)
        return x->place.series < y->place.series ? -1 : 1;
    return x->place.start < y->place.start ? -1 : x->place.start > y->place.start;
}

static bool overlap(const wwi_shapelet_place *a, const wwi_shapelet_place *b) {
    return a->series == b->series && a->start < b->start + b->length && b->start < a->start + a->length;
}

// Whether a listed candidate may still be as good as `found`.
static bool may_reach(const wwi_node_search *s, const wwi_node_listed *one, const wwi_shapelet_found *found) {
    const wwi_shapelet_score *score = &found->score;
    if (s->options->quality != WW_SHAPELET_GAIN)
        return one->gain + 2 >= score->key;
    if (one->gain != score->key)
        return one->gain > score->key;
    return score->gap_key == INT64_MAX || (double)one->gap * (1 + 1e-6) + 1e-6 >= score->gap;
}

typedef struct chosen {
    wwi_shapelet_found found;
    bool used;
} chosen;

// The least of those examined may be `used`; the list's next, and where its order ends.
typedef struct selection {
    wwi_node_search *s;
    chosen *all;
    size_t examined, capacity;
    wwi_shapelet_place *out;
    size_t taken, next, ordered_to, at_once;
} selection;

void wwi_shapelet_insert(wwi_shapelet_found *best, size_t *count, size_t k, const wwi_shapelet_found *found) {
    size_t at = *count;
    // What was found by another search of the same series comes again.
    for (size_t i = 0; i < *count; i++)
        if (memcmp(&best[i].place, &found->place, sizeof found->place) == 0)
            return;
    if (at == k) {
        if (wwi_shapelet_compare(found, &best[at - 1]) >= 0)
            return;
        at--;
    } else {
        ++*count;
    }
    for (; at > 0 && wwi_shapelet_compare(found, &best[at - 1]) < 0; at--)
        best[at] = best[at - 1];
    best[at] = *found;
}

// Puts the candidates of `list` from `first` on that come next into order, and returns where they end. In a long list,
// where one is wanted, these are those of the largest gain.
static size_t order_list(wwi_node_search *s, size_t first) {
    enum { FEW = 4096 };
    wwi_node_listed *from = s->shortlist.items + first;
    size_t count = s->shortlist.count - first, taken = 0;
    if (s->k == 1 && count > FEW) {
        int64_t most = from[0].gain;
        for (size_t i = 1; i < count; i++)
            most = from[i].gain > most ? from[i].gain : most;
        for (size_t i = 0; i < count; i++)
            if (from[i].gain == most) {
                const wwi_node_listed swapped = from[taken];
                from[taken++] = from[i];
                from[i] = swapped;
            }
        count = taken;
    }
    qsort(from, count, sizeof *from, by_most);
    return first + count;
}

// The gains of listed candidates by distances in double, in place of what float left possible.
static ww_status rescore(wwi_node_search *s, size_t first, size_t count) {
    const size_t most = wwi_node_rescores(s);
    for (size_t at = 0, many; at < count; at += many) {
        many = wwi_least(count - at, most);
        WWI_TRY(wwi_node_rescore(s, s->shortlist.items + first + at, many));
        WWI_TRY(wwi_pace_report(&s->progress->pace, 0));
    }
    return WW_OK;
}

static chosen *best_examined(const selection *t) {
    chosen *top = NULL;
    for (size_t i = 0; i < t->examined; i++)
        if (!t->all[i].used && (!top || wwi_shapelet_compare(&t->all[i].found, &top->found) < 0))
            top = &t->all[i];
    return top;
}

// The next candidates that may be as good as `need` (NULL: any) and overlap with none that is taken: their places in
// the list, how many they are and how many of them are not rescored. Where the search for more goes on.
static size_t gather(const selection *t, const wwi_shapelet_found *need, size_t *which, size_t *count, size_t *light) {
    const wwi_node_shortlist *list = &t->s->shortlist;
    size_t at = t->next;
    *count = *light = 0;
    for (; at < t->ordered_to && *count < t->at_once && (!need || may_reach(t->s, &list->items[at], need)); at++) {
        bool apart = true;
        for (size_t i = 0; i < t->taken && apart; i++)
            apart = !overlap(&t->out[i], &list->items[at].place);
        if (apart) {
            *light += !list->items[at].rescored;
            which[(*count)++] = at;
        }
    }
    return at;
}

// Where those end that may be as good as `need`, as far as they are rescored at once; not before `reached`, since
// many may overlap with those that are taken.
static size_t end_of_many(const selection *t, const wwi_shapelet_found *need, size_t reached) {
    enum { RESCORED = 4096 };
    size_t end = reached;
    while (end < t->s->shortlist.count && end - t->next < RESCORED &&
           (!need || may_reach(t->s, &t->s->shortlist.items[end], need)))
        end++;
    return end;
}

// Examines candidates in double.
static ww_status examine(selection *t, const size_t *which, size_t count, size_t most) {
    wwi_node_search *s = t->s;
    const size_t n = s->node->count;
    wwi_shapelet_after *after = s->node->after;
    WWI_FREES wwi_shapelet_place *places = NULL;
    WWI_FREES double *distances = NULL;
    WWI_TRY(wwi_grow(&t->all, &t->capacity, t->examined + count, sizeof *t->all));
    WWI_TRY(wwi_new(places, count));
    WWI_TRY(wwi_new(distances, count * n));
    for (size_t i = 0; i < count; i++)
        places[i] = s->shortlist.items[which[i]].place;
    WWI_TRY(wwi_shapelet_distances(s->device, s->data, s->node, places, count, distances));
    for (size_t i = 0; i < count; i++) {
        const double *own = distances + i * n;
        chosen *one = &t->all[t->examined++];
        *one = (chosen){.found.place = places[i]};
        WWI_TRY(wwi_shapelet_judge(s->device, s->data, s->gains, s->options, s->node, own, &one->found));
        if (after && (after->found.place.length == 0 || wwi_shapelet_compare(&one->found, &after->found) < 0)) {
            after->found = one->found;
            memcpy(after->distances, own, n * sizeof *own);
        }
    }
    s->progress->examined += count;
    t->at_once = s->device->gpu && t->at_once < most ? t->at_once * 2 : t->at_once;
    return wwi_pace_report(&s->progress->pace, 0);
}

static void take(selection *t, chosen *top) {
    t->out[t->taken++] = top->found.place;
    wwi_shapelet_insert(t->s->best_found, &t->s->best_count, t->s->k, &top->found);
    for (size_t i = 0; i < t->examined; i++)
        if (overlap(&top->found.place, &t->all[i].found.place))
            t->all[i].used = true;
}

static void end_selection(selection *t) {
    free(t->all);
    free(t->out);
}

ww_status wwi_shortlist_select(wwi_node_search *s) {
    enum { MOST_AT_ONCE = 256 };
    // Up to so many the best are examined first, of more all are rescored at once. (A CPU rescores one in a tenth of
    // the time that it takes to examine it.)
    const size_t many = wwi_shapelet_few(s->device) ? 1 : s->device->gpu ? 2048 : 64;
    const bool rescores = s->options->quality == WW_SHAPELET_GAIN && wwi_node_rescores(s) > 0;
    size_t which[MOST_AT_ONCE], count, light;
    WWI_ENDS(end_selection) selection t = {.s = s, .at_once = 16};
    WWI_TRY(wwi_new(t.out, s->k));
    // On a CPU those that may be the best come first, some thousands at a time, and take out most of the others.
    if (rescores && s->device->gpu && s->k == 1 && s->shortlist.count > many)
        WWI_TRY(rescore(s, 0, s->shortlist.count));
    while (t.taken < s->k) {
        chosen *top = best_examined(&t);
        const wwi_shapelet_found *full = s->best_count == s->k ? &s->best_found[s->k - 1] : NULL;
        const bool beaten = top && full && wwi_shapelet_compare(&top->found, full) > 0;
        const wwi_shapelet_found *need = top && !beaten ? &top->found : full;
        if (t.next == t.ordered_to && t.next < s->shortlist.count)
            t.ordered_to = order_list(s, t.next);
        const size_t reached = gather(&t, need, which, &count, &light);
        if (rescores && light) {
            const size_t end = end_of_many(&t, need, reached);
            if (end - t.next > many) {
                WWI_TRY(rescore(s, t.next, end - t.next));
                t.ordered_to = t.next;
                continue;
            }
        }
        t.next = reached;
        if (count) {
            WWI_TRY(examine(&t, which, count, MOST_AT_ONCE));
        } else if (reached < t.ordered_to || reached == s->shortlist.count) {
            if (!top || top->found.score.key < 1 || (full && wwi_shapelet_compare(&top->found, full) >= 0))
                break;
            take(&t, top);
        }
    }
    s->shortlist.count = 0;
    return WW_OK;
}
