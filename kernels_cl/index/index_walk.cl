// SPDX-License-Identifier: Apache-2.0
// Walks of queries through the links of an index, a step of each: what src/index/index_walk.c does on the host.
//
// A work-group has a place, where a query walks. A step takes the distances that the step before asked for into the
// beam, the nearest series seen so far; looks at the links of the nearest at which it has not looked; and lists the
// series there that are new. The engines compute the distances of that list. A query at its end gives its results, and
// the place takes the next one. Which place a query has, and the order of the list, depend on the device; results do
// not: the keys (distance, number) of a beam are unique.
//
// In global memory: for each place the beam, sorted, of which the highest bit of a number says that its links were
// looked at, the series asked for, and a hash set of those seen. Local memory: WW_ASKED x (two numbers, two distances).
// Barriers: two for WW_WG series of the beam that are moved, four for a series looked at.
//
// Parameters:
//   WW_WG     work-items of a group; 1: CPUs
//   WW_WIDTH  series whose links a step looks at
//   WW_ASKED  most series asked for in a step
#define WW_INDEX_LOOKED 0x80000000u
#if WW_WG == 1
#define WW_INDEX_BARRIER // PoCL would compile barriers in loops for minutes
#else
#define WW_INDEX_BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

// A place: its beam, the series that it has asked for, and its marks.
typedef struct {
    __global ww_scalar *distances;
    __global uint *numbers, *asked;
    volatile __global uint *marks;
    uint room; // of the marks
} ww_place;

// What the work-items of a group share.
typedef struct {
    __local ww_scalar *distances, *sorted_distances;
    __local uint *numbers, *sorted_numbers;
    volatile __local uint *count;
} ww_asked;

WW_INLINE bool ww_before(ww_scalar a, uint ia, ww_scalar b, uint ib) {
    return a < b || (a == b && ia < ib);
}

// ---- taking distances

// How many of `count` sorted series come before (distance, number).
WW_INLINE uint ww_rank_in_beam(ww_place p, uint count, ww_scalar distance, uint number) {
    uint low = 0, high = count;
    while (low < high) {
        const uint middle = (low + high) / 2;
        const bool before = ww_before(p.distances[middle], p.numbers[middle] & ~WW_INDEX_LOOKED, distance, number);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

WW_INLINE uint ww_rank_in_asked(ww_asked a, uint count, ww_scalar distance, uint number) {
    uint low = 0, high = count;
    while (low < high) {
        const uint middle = (low + high) / 2;
        const bool before = ww_before(a.sorted_distances[middle], a.sorted_numbers[middle], distance, number);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

// Collects what was asked for and is near enough, sorted. Returns how many.
WW_INLINE uint ww_collect(ww_place p, ww_asked a, ww_index_args args, uint count, uint asked,
                          __global const ww_scalar *results) {
    const uint lane = get_local_id(0);
    const bool full = count == args.beam;
    const ww_scalar last = full ? p.distances[count - 1] : (ww_scalar)INFINITY;
    const uint last_number = full ? p.numbers[count - 1] & ~WW_INDEX_LOOKED : WW_INDEX_NONE;
    if (lane == 0)
        *a.count = 0;
    WW_INDEX_BARRIER;
    for (uint j = lane; j < asked; j += WW_WG) {
        const ww_scalar distance = args.flags & WW_INDEX_LARGEST ? 0 - results[j] : results[j];
        const uint number = p.asked[j];
        if (ww_before(distance, number, last, last_number)) { // never of NaN
            const uint to = atomic_inc(a.count);
            a.distances[to] = distance;
            a.numbers[to] = number;
        }
    }
    WW_INDEX_BARRIER;
    const uint near = *a.count;
    for (uint j = lane; j < near; j += WW_WG) {
        uint rank = 0;
        for (uint i = 0; i < near; i++)
            rank += ww_before(a.distances[i], a.numbers[i], a.distances[j], a.numbers[j]);
        a.sorted_distances[rank] = a.distances[j];
        a.sorted_numbers[rank] = a.numbers[j];
    }
    WW_INDEX_BARRIER;
    return near;
}

// Merges them with the beam. Returns how many series it has then.
WW_INLINE uint ww_merge(ww_place p, ww_asked a, uint beam, uint count, uint near) {
    const uint lane = get_local_id(0);
    // Where each goes, before anything moves.
    for (uint j = lane; j < near; j += WW_WG)
        a.numbers[j] = j + ww_rank_in_beam(p, count, a.sorted_distances[j], a.sorted_numbers[j]);
    WW_INDEX_BARRIER;
    const uint low = near ? a.numbers[0] : count;
    // From the end: what moves goes to where all has moved already.
    for (uint end = count; end > low;) {
        const uint begin = end > low + WW_WG ? end - WW_WG : low, i = begin + lane;
        ww_scalar distance = 0;
        uint number = 0;
        if (i < end) {
            distance = p.distances[i];
            number = p.numbers[i];
        }
        WW_INDEX_BARRIER;
        if (i < end) {
            const uint to = i + ww_rank_in_asked(a, near, distance, number & ~WW_INDEX_LOOKED);
            if (to < beam) {
                p.distances[to] = distance;
                p.numbers[to] = number;
            }
        }
        WW_INDEX_BARRIER;
        end = begin;
    }
    for (uint j = lane; j < near; j += WW_WG)
        if (a.numbers[j] < beam) {
            p.distances[a.numbers[j]] = a.sorted_distances[j];
            p.numbers[a.numbers[j]] = a.sorted_numbers[j];
        }
    WW_INDEX_BARRIER;
    return min(count + near, beam);
}

// ---- asking

// Whether a series had not been seen; now it has.
WW_INLINE bool ww_mark(ww_place p, uint number) {
    uint at = number * 2654435761u & (p.room - 1);
    uint there = atomic_cmpxchg(&p.marks[at], WW_INDEX_NONE, number);
    while (there != WW_INDEX_NONE && there != number) {
        at = (at + 1) & (p.room - 1);
        there = atomic_cmpxchg(&p.marks[at], WW_INDEX_NONE, number);
    }
    return there == WW_INDEX_NONE;
}

// Asks for those of a list that are new. Returns for how many it asks then.
WW_INLINE uint ww_ask(ww_place p, ww_asked a, __global const uint *list, uint count) {
    for (uint i = get_local_id(0); i < count; i += WW_WG) {
        const uint number = list[i];
        if (number != WW_INDEX_NONE && ww_mark(p, number))
            a.numbers[atomic_inc(a.count)] = number;
    }
    WW_INDEX_BARRIER;
    const uint asked = *a.count;
    WW_INDEX_BARRIER;
    return asked;
}

// The first series of the beam, from `from` on, at whose links nobody has looked; WW_INDEX_NONE: none.
WW_INLINE uint ww_first(ww_place p, uint count, uint from, volatile __local uint *least) {
    const uint lane = get_local_id(0);
    for (; from < count; from += WW_WG) {
        if (lane == 0)
            *least = WW_INDEX_NONE;
        WW_INDEX_BARRIER;
        if (from + lane < count && !(p.numbers[from + lane] & WW_INDEX_LOOKED))
            (void)atomic_min(least, from + lane);
        WW_INDEX_BARRIER;
        const uint found = *least;
        WW_INDEX_BARRIER;
        if (found != WW_INDEX_NONE)
            return found;
    }
    return WW_INDEX_NONE;
}

// ---- queries

// The next query, which has seen nothing but itself; WW_INDEX_IDLE: none is left.
WW_INLINE uint ww_next(ww_place p, ww_index_args args, __global const uint *owns, volatile __global uint *totals,
                       volatile __local uint *shared) {
    const uint lane = get_local_id(0);
    if (lane == 0)
        *shared = atomic_inc(&totals[WW_INDEX_NEXT]);
    WW_INDEX_BARRIER;
    const uint query = *shared;
    WW_INDEX_BARRIER;
    if (query >= args.queries)
        return WW_INDEX_IDLE;
    for (uint i = lane; i < p.room; i += WW_WG)
        p.marks[i] = WW_INDEX_NONE;
    WW_INDEX_BARRIER;
    if (args.flags & WW_INDEX_OWN && lane == 0)
        (void)ww_mark(p, owns[query]);
    WW_INDEX_BARRIER;
    return query;
}

// Asks for what the nearest of the beam lead to. Returns for how many; 0: the query is at its end.
WW_INLINE uint ww_look(ww_place p, ww_asked a, ww_index_args args, __global const uint *links, uint count,
                       volatile __local uint *shared) {
    uint asked = 0;
    for (uint looked = 0, from = 0; looked < WW_WIDTH; from++) {
        from = ww_first(p, count, from, shared);
        if (from == WW_INDEX_NONE)
            break;
        const uint number = p.numbers[from], before = asked;
        WW_INDEX_BARRIER; // all have read it
        if (get_local_id(0) == 0)
            p.numbers[from] = number | WW_INDEX_LOOKED;
        asked = ww_ask(p, a, links + (ulong)number * args.degree, args.degree);
        looked += asked > before; // what leads nowhere new costs nothing
    }
    return asked;
}

WW_INLINE void ww_give(ww_place p, uint count, uint keep, __global uint *numbers, __global ww_scalar *distances) {
    for (uint i = get_local_id(0); i < keep; i += WW_WG) {
        numbers[i] = i < count ? p.numbers[i] & ~WW_INDEX_LOOKED : WW_INDEX_NONE;
        distances[i] = i < count ? p.distances[i] : (ww_scalar)INFINITY;
    }
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_index_step(__global const uint *restrict links, __global const uint *restrict entries,
              __global const uint *restrict rows, __global const uint *restrict owns, const ww_index_args args,
              __global uint *restrict places, __global ww_scalar *beam_distances, __global uint *beam_numbers,
              __global uint *asked_numbers, volatile __global uint *marks, __global uint *restrict pairs,
              __global const ww_scalar *restrict results, volatile __global uint *totals,
              __global uint *restrict found_numbers, __global ww_scalar *restrict found_distances,
              __global uint *restrict left) {
    __local ww_scalar distances[WW_ASKED], sorted_distances[WW_ASKED];
    __local uint numbers[WW_ASKED], sorted_numbers[WW_ASKED], count_of_asked, shared;
    const uint lane = get_local_id(0), place = get_group_id(0);
    __global uint *state = places + place * WW_INDEX_WORDS;
    uint query = state[WW_INDEX_QUERY], count = state[WW_INDEX_COUNT], marked = state[WW_INDEX_MARKED];
    uint begun = state[WW_INDEX_BEGUN], asked = state[WW_INDEX_ASKED], at = state[WW_INDEX_AT];
    const ww_place p = {beam_distances + (ulong)place * args.beam, beam_numbers + (ulong)place * args.beam,
                        asked_numbers + (ulong)place * args.each, marks + (ulong)place * args.mark_room,
                        args.mark_room};
    const ww_asked a = {distances, sorted_distances, numbers, sorted_numbers, &count_of_asked};
    if (query == WW_INDEX_IDLE)
        return;
    if (asked)
        count = ww_merge(p, a, args.beam, count, ww_collect(p, a, args, count, asked, results + at));
    for (asked = 0; asked == 0;) {
        WW_INDEX_BARRIER; // the state was read, and the last count
        if (query == WW_INDEX_NONE) {
            query = ww_next(p, args, owns, totals, &shared);
            count = begun = 0;
            marked = 1;
        }
        if (query == WW_INDEX_IDLE)
            break;
        if (lane == 0)
            count_of_asked = 0;
        WW_INDEX_BARRIER;
        if (marked + args.each > args.mark_room / 4 * 3) {
            if (lane == 0)
                left[atomic_inc(&totals[WW_INDEX_LEFT])] = query;
            query = WW_INDEX_NONE;
        } else if (begun < args.entries && args.flags & WW_INDEX_LINKS) {
            asked = ww_ask(p, a, links + (ulong)owns[query] * args.degree, args.degree);
            begun = args.entries;
        } else if (begun < args.entries) {
            const uint some = min(args.each, args.entries - begun);
            asked = ww_ask(p, a, entries + begun, some);
            begun += some;
        } else if ((asked = ww_look(p, a, args, links, count, &shared)) == 0) {
            ww_give(p, count, args.keep, found_numbers + (ulong)query * args.keep,
                    found_distances + (ulong)query * args.keep);
            if (lane == 0)
                (void)atomic_inc(&totals[WW_INDEX_DONE]);
            query = WW_INDEX_NONE;
        }
    }
    WW_INDEX_BARRIER;
    if (lane == 0)
        shared = asked ? atomic_add(&totals[WW_INDEX_PAIRS], asked) : 0;
    WW_INDEX_BARRIER;
    at = shared;
    const uint row = asked ? rows[query] : 0;
    for (uint j = lane; j < asked; j += WW_WG) {
        p.asked[j] = numbers[j];
        pairs[3 * (ulong)(at + j)] = row;
        pairs[3 * (ulong)(at + j) + 1] = numbers[j];
        pairs[3 * (ulong)(at + j) + 2] = at + j;
    }
    if (lane == 0) {
        state[WW_INDEX_QUERY] = query;
        state[WW_INDEX_COUNT] = count;
        state[WW_INDEX_MARKED] = marked + asked;
        state[WW_INDEX_BEGUN] = begun;
        state[WW_INDEX_ASKED] = asked;
        state[WW_INDEX_AT] = at;
    }
}
