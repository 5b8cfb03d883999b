// SPDX-License-Identifier: Apache-2.0
// A search in parts: which part a search has, how many places of it the whole may need, and the choice among the places
// of all parts. docs/scale.md has the proof.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/view.h"
#include "options.h"
#include "search/search_internal.h"

size_t ww_search_places(size_t k, size_t exclusion) {
    uint64_t apart, places;
    const uint64_t nearest = exclusion ? exclusion : 1;
    if (k == 0 || !wwi_mul_u64(nearest, 2, &apart) || !wwi_mul_u64(k - 1, apart - 1, &places) || places >= SIZE_MAX)
        return k == 0 ? 0 : SIZE_MAX;
    return (size_t)places + 1;
}

ww_status ww_search_set_part(ww_search *s, const ww_search_part *part) {
    ww_search_part own = WW_SEARCH_PART_INIT;
    WWI_NEEDS("search", s);
    WWI_TRY(wwi_options_take(&own, part, "ww_search_part"));
    if (s->super)
        return wwi_fail(WW_ERROR_UNSUPPORTED,
                        "a search for whole streams has no parts of a stream: divide the list of streams");
    if (own.stream_offset > INT64_MAX / 2 || own.point_offset > INT64_MAX / 2)
        return wwi_fail(WW_ERROR_OVERFLOW, "the part begins beyond 2^62");
    if (s->options.znormalise && own.stream_offset == 0 && own.point_offset % WW_SEARCH_PART_POINTS) {
        wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a part can't begin at point %llu", (unsigned long long)own.point_offset);
        return wwi_fail_hint("sums for z-normalised windows restart every %d points: begin a part there",
                             WW_SEARCH_PART_POINTS);
    }
    for (size_t i = 0; s->team && i < s->team->count; i++)
        if (s->team->on[i])
            ((ww_search *)s->team->on[i])->part = own;
    s->part = own;
    return WW_OK;
}

// Where a match ends tells its place also of windows, which are all of one length.
int wwi_match_order(const ww_match *a, const ww_match *b, bool similarity) {
    if (a->stream < 0 || b->stream < 0)
        return (a->stream < 0) - (b->stream < 0);
    if (a->distance != b->distance)
        return (similarity ? a->distance > b->distance : a->distance < b->distance) ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

ww_status ww_matches_merge(size_t queries, size_t places, int similarity, ww_match *matches, const ww_match *other) {
    uint64_t all;
    if (!matches || !other || places == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "matches or other is NULL, or there are no places");
    if (!wwi_mul_u64(queries, places, &all) || !wwi_mul_u64(all, sizeof *matches, &all) || all > PTRDIFF_MAX)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu queries with %zu places", queries, places);
    WWI_FREES ww_match *merged = NULL;
    WWI_TRY(wwi_new(merged, places));
    for (size_t q = 0; q < queries; q++) {
        const ww_match *a = matches + q * places, *b = other + q * places;
        if (b->stream < 0) // as in most parts of a long stream
            continue;
        size_t count = 0;
        for (; count < places && (a->stream >= 0 || b->stream >= 0); count++) {
            const int first = wwi_match_order(a, b, similarity != 0);
            merged[count] = first <= 0 ? *a : *b;
            a += first <= 0;
            b += first >= 0;
        }
        memcpy(matches + q * places, merged, count * sizeof *merged);
    }
    return WW_OK;
}

static bool is_free(const ww_match *match, const ww_match *chosen, size_t count, uint64_t exclusion) {
    for (size_t i = 0; i < count; i++) {
        const int64_t from = match->end < chosen[i].end ? match->end : chosen[i].end,
                      to = match->end < chosen[i].end ? chosen[i].end : match->end;
        if (match->stream == chosen[i].stream && (uint64_t)(to - from) < exclusion)
            return false;
    }
    return true;
}

double wwi_matches_limit(const ww_match *matches, size_t places, size_t k, size_t exclusion) {
    const uint64_t apart = exclusion > 1 ? 2 * (uint64_t)exclusion - 1 : 1;
    WWI_FREES ww_match *taken = malloc(k * sizeof *taken); // without it nothing is known
    size_t count = 0;
    for (size_t i = 0; taken && i < places && matches[i].stream >= 0; i++) {
        if (!is_free(&matches[i], taken, count, apart))
            continue;
        taken[count++] = matches[i];
        if (count == k)
            return matches[i].distance;
    }
    return NAN;
}

ww_status ww_matches_choose(size_t queries, size_t places, const ww_match *matches, size_t k, const size_t *exclusions,
                            int similarity, ww_match *chosen, size_t *found) {
    if (!matches || !exclusions || !chosen || k == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "matches, exclusions or chosen is NULL, or k is 0");
    for (size_t q = 0; q < queries; q++)
        if (ww_search_places(k, exclusions[q]) > places) {
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "query %zu: %zu places for %zu matches and an exclusion of %zu", q,
                     places, k, exclusions[q]);
            return wwi_fail_hint("search the parts for ww_search_places() places");
        }
    for (size_t q = 0; q < queries; q++) {
        ww_match *own = chosen + q * k;
        size_t count = 0;
        for (size_t i = 0; i < places && count < k && matches[q * places + i].stream >= 0; i++)
            if (is_free(&matches[q * places + i], own, count, exclusions[q]))
                own[count++] = matches[q * places + i];
        if (found)
            found[q] = count;
        for (; count < k; count++)
            own[count] = (ww_match){-1, -1, -1, similarity ? -INFINITY : INFINITY};
    }
    return WW_OK;
}
