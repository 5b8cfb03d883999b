// SPDX-License-Identifier: Apache-2.0
// Lower bounds of the distances of a query to windows of a stream (T. Rakthanmanon et al., Searching and mining
// trillions of time series subsequences under dynamic time warping, KDD 2012): which windows have to be computed.
//
//   LB_Kim      the least costs of the first and of the last corners: corner s has the cells of row s up to the diagonal
//               and of column s; every path crosses it
//   LB_Keogh    these, and how far the window's points between them are outside the envelope of the query
//   the other   these, and how far the query's points are outside the envelope of the window
// Points are added in the order of the query's largest values; a bound is left as soon as it is above the limit. Each
// term is, in the same arithmetic, at most the cost of any cell in its column (row): so a bound exceeds the distance by
// the rounding of sums alone, which args.margin takes off.
//
// A bound costs n terms, a distance n cells in every row: where limits are low, few windows are left. Of the three bounds
// a query's stages are used. A bound that excludes few takes more time than it saves: so that the host sees when, one of
// WW_SEARCH_TRIED groups uses all three.
//
// A vector lane (WW_VECTOR 1: a work-item) has a window. Work-items gather the windows that a bound leaves of a tile of
// WW_SEARCH_KEPT and divide these anew for the next bound: else a few windows would keep all items of a group waiting.
// out: infinity for all windows. list, found: those left. counters: 4 a query: excluded by the three bounds.
//
// Parameters: search_points.cl's; WW_SEARCH_ENDS, corners at each end at most (1 where channels have paths of their
// own, each with its least cost in a corner of several cells); WW_SEARCH_TRIED; WW_SEARCH_MAXIMUM 1: the largest term in
// place of the sum (Frechet); WW_WG; WW_SEARCH_KEPT windows of a tile. Local memory: 3 counters; WW_VECTOR 1: of each
// window of a tile 4 bytes and a value. Two barriers, five more a tile.
#define WW_BOUND_CHECK 8                                               // terms from one look at the limit to the next
#define WW_ADDED (WW_COST == WWK_COST_ABSOLUTE || (WW_COST == WWK_COST_EUCLIDEAN && WW_CHANNELS == 1)) // no squares

// A window is still a candidate: what a comparison of lanes gives.
#if WW_VECTOR == 1
typedef int ww_alive;
#else
typedef ww_mask ww_alive;
#endif

// A term: the least and the largest point that the column's band has of the query; the query's point; the bits of which.
typedef WW_PASTE(WW_REAL_NAME, 4) ww_term;

// What the terms of a bound need.
typedef struct {
    __global const ww_scalar *x;              // the query
    __global const ww_term *terms;            // of its points but for those of the corners, largest first
    __global const ww_scalar *below, *above;  // the stream's envelope
    ww_scalar limit;
} ww_bound;

WW_INLINE bool ww_any(ww_alive mask) {
#if WW_VECTOR == 1
    return mask;
#else
    return any(mask);
#endif
}
// Lanes are -1 or 0; one alone 1 or 0.
WW_INLINE uint ww_how_many(ww_alive mask) {
#if WW_VECTOR == 1
    return mask ? 1u : 0u;
#else
#if WW_VECTOR == 16
    const WW_PASTE(WW_MASK_NAME, 8) eight = mask.lo + mask.hi;
    const WW_PASTE(WW_MASK_NAME, 4) four = eight.lo + eight.hi;
#elif WW_VECTOR == 8
    const WW_PASTE(WW_MASK_NAME, 4) four = mask.lo + mask.hi;
#else
    const WW_PASTE(WW_MASK_NAME, 4) four = mask;
#endif
    return (uint)(0 - (four.x + four.y + four.z + four.w));
#endif
}

// A point's cost from its channels' differences, and the bound with that.
WW_INLINE real ww_add_difference(real sum, real d) {
    return WW_ADDED ? sum + d : fma(d, d, sum);
}
WW_INLINE real ww_add_term(real total, real sum) {
    const real cost = WW_COST == WWK_COST_EUCLIDEAN && !WW_ADDED ? sqrt(sum) : sum;
    return !WW_SEARCH_MAXIMUM ? total + cost : total > cost ? total : cost;
}

// How far v is outside [low, high].
WW_INLINE real ww_outside_by(real v, real low, real high) {
    return ww_greater(ww_greater(v - high, low - v), (real)0);
}

// The cost of a point of the query and one of the window, i and j from x and y on.
WW_INLINE real ww_bound_cell(const ww_window *window, __global const ww_scalar *x, __global const ww_scalar *y, int i,
                             int j, const ww_window_args args) {
    real sum = 0;
    for (int c = 0; c < WW_CHANNELS; c++) {
        const real v = ww_window_affine(window, c, ww_load_lanes(y + (ulong)c * args.stride + j));
        sum = ww_add_difference(sum, fabs(v - (real)x[(ulong)c * args.x_stride + i]));
    }
    return sum;
}

// LB_Kim.
WW_INLINE real ww_bound_ends(const ww_bound *b, const ww_window *window, const ww_window_args args) {
    real ends = 0;
#pragma unroll
    for (int end = 0; end < 2; end++) {
        __global const ww_scalar *x = b->x + (end ? args.n - 1 : 0), *y = window->at + (end ? args.n - 1 : 0);
#pragma unroll
        for (int s = 0; s < WW_SEARCH_ENDS; s++) {
            if (s >= (int)args.corners || (end && args.n == 1))
                continue;
            const int corner = end ? -s : s;
            real least = ww_bound_cell(window, x, y, corner, corner, args);
#pragma unroll
            for (int t = 0; t < s; t++) {
                const int other = end ? -t : t;
                least = ww_lesser(least, ww_lesser(ww_bound_cell(window, x, y, corner, other, args),
                                                   ww_bound_cell(window, x, y, other, corner, args)));
            }
            ends = ww_add_term(ends, least);
        }
    }
    return ends;
}

WW_INLINE ww_alive ww_within(const ww_bound *b, real bound, const ww_window_args args) {
    return bound * (ww_scalar)args.margin <= b->limit;
}

WW_INLINE uint ww_term_point(ww_term term) {
#if WWK_DOUBLE
    return (uint)as_ulong(term.w);
#else
    return as_uint(term.w);
#endif
}

// The next terms of LB_Keogh, or with `turned` of the other, from the k-th in order on.
WW_INLINE real ww_bound_terms(const ww_bound *b, const ww_window *window, uint p, real bound, uint k, const bool turned,
                              const ww_window_args args) {
    for (const uint end = min(k + WW_BOUND_CHECK, args.terms); k < end; k++) {
        real sum = 0;
        for (int c = 0; c < WW_CHANNELS; c++) {
            const ww_term term = b->terms[k * WW_CHANNELS + c];
            const uint t = ww_term_point(term);
            real d;
            if (turned) {
                const ulong point = p + t + (ulong)c * args.stride;
                d = ww_outside_by((real)term.z, ww_window_affine(window, c, ww_load_lanes(b->below + point)),
                                  ww_window_affine(window, c, ww_load_lanes(b->above + point)));
            } else
                d = ww_outside_by(ww_window_value(window, args, c, t), (real)term.x, (real)term.y);
            sum = ww_add_difference(sum, d);
        }
        bound = ww_add_term(bound, sum);
    }
    return bound;
}

// A bound's windows: those that are left. Adds those that are not to *excluded.
WW_INLINE ww_alive ww_exclude(const ww_bound *b, ww_alive alive, real bound, uint *excluded, const ww_window_args args) {
    const ww_alive left = alive & ww_within(b, bound, args);
    *excluded += ww_how_many(alive) - ww_how_many(left);
    return left;
}

// The windows of a pack that can match. A window that can't has NaN, and no comparison with that is true.
WW_INLINE ww_alive ww_alive_of(const ww_window *window, real ends, const ww_window_query q, uint pack) {
    real valid = ends;
    for (int c = 0; c < WW_CHANNELS; c++)
        valid += window->scale[c];
    ww_alive alive = valid == valid;
#if WW_VECTOR > 1
    WW_MASK_NAME inside[WW_VECTOR];
    for (uint v = 0; v < WW_VECTOR; v++)
        inside[v] = pack * WW_VECTOR + v < q.count ? -1 : 0;
    alive &= WW_VLOAD(0, inside);
#endif
    return alive;
}

#if WW_VECTOR == 1
// The windows of a tile that are left, and the bound that they have so far.
typedef struct {
    __local uint *count;       // of both; where the group's windows begin in the list
    __local ushort *kept;      // after LB_Kim: which of the tile
    __local ushort *kept_next; // after LB_Keogh: which of those
    __local ww_scalar *ends;   // LB_Kim of those
} ww_bound_tile;

// A bound of the kept windows, those of LB_Kim or with `turned` those of LB_Keogh. A work-item takes its next window as
// soon as it is done with one: the items of a group keep step. first: the tile's first window.
WW_INLINE uint ww_bound_kept(const ww_bound *b, const ww_bound_tile *tile, __global const ww_scalar *values,
                             __global const ww_scalar *table, uint first, const bool turned, __global uint *list,
                             __global uint *found, const ww_window_args args) {
    const uint count = tile->count[turned];
    uint excluded = 0, at = (uint)get_local_id(0), k = 0, slot = 0, p = 0;
    ww_window window;
    real bound = 0;
    while (at < count) {
        if (k == 0) {
            slot = turned ? tile->kept_next[at] : at;
            p = first + tile->kept[slot];
            window = ww_window_at(values, table, args, p);
            bound = tile->ends[slot];
        }
        bound = ww_bound_terms(b, &window, p, bound, k, turned, args);
        k += WW_BOUND_CHECK;
        const bool within = ww_within(b, bound, args);
        if (within && k < args.terms)
            continue;
        excluded += !within;
        if (within && turned)
            list[atomic_inc(found)] = p;
        else if (within)
            tile->kept_next[atomic_inc(tile->count + 1)] = (ushort)slot;
        at += WW_WG;
        k = 0;
    }
    return excluded;
}

// Lists what the last bound has left. Work-items that count their windows one by one wait for each other.
WW_INLINE void ww_bound_list(const ww_bound_tile *tile, uint first, const bool next, __global uint *list,
                             __global uint *found) {
    const uint count = tile->count[next];
    if (get_local_id(0) == 0)
        tile->count[2] = atomic_add(found, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = (uint)get_local_id(0); k < count; k += WW_WG)
        list[tile->count[2] + k] = first + tile->kept[next ? tile->kept_next[k] : k];
}

// LB_Kim of a tile's windows: those left are kept.
WW_INLINE void ww_bound_all(const ww_bound *b, const ww_bound_tile *tile, __global const ww_scalar *values,
                            __global const ww_scalar *table, __global ww_scalar *out, const ww_window_query q,
                            uint first, uint count, uint *excluded, const ww_window_args args) {
    for (uint k = (uint)get_local_id(0); k < count; k += WW_WG) {
        const uint p = first + k;
        const ww_window window = ww_window_at(values, table, args, p);
        const real ends = ww_bound_ends(b, &window, args);
        out[p] = INFINITY;
        if (!ww_exclude(b, ww_alive_of(&window, ends, q, k), ends, excluded, args))
            continue;
        const uint slot = atomic_inc(tile->count);
        tile->kept[slot] = (ushort)k;
        tile->ends[slot] = ends;
    }
}

// The group's windows tile by tile: each bound of all that are left.
WW_INLINE void ww_bound_tiles(const ww_bound *b, const ww_bound_tile *tile, __global const ww_scalar *values,
                              __global const ww_scalar *table, __global ww_scalar *out, __global uint *list,
                              __global uint *found, const ww_window_query q, uint stages, uint begin, uint end,
                              uint *excluded, const ww_window_args args) {
    for (uint at = begin; at < end; at += WW_SEARCH_KEPT) {
        const uint first = q.first + at, count = min((uint)WW_SEARCH_KEPT, end - at);
        if (get_local_id(0) < 2)
            tile->count[get_local_id(0)] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        ww_bound_all(b, tile, values, table, out, q, first, count, &excluded[0], args);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (stages > 1) {
            excluded[1] += ww_bound_kept(b, tile, values, table, first, false, list, found, args);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (stages > 2)
            excluded[2] += ww_bound_kept(b, tile, values, table, first, true, list, found, args);
        else
            ww_bound_list(tile, first, stages > 1, list, found);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#else
// LB_Keogh of the windows from p on, or with `turned` the other; left where none can match.
WW_INLINE real ww_bound_envelope(const ww_bound *b, const ww_window *window, uint p, real ends, ww_alive alive,
                                 const bool turned, const ww_window_args args) {
    real bound = ends;
    for (uint k = 0; k < args.terms && ww_any(alive & ww_within(b, bound, args)); k += WW_BOUND_CHECK)
        bound = ww_bound_terms(b, window, p, bound, k, turned, args);
    return bound;
}

// Lists the windows left, of those from p on.
WW_INLINE void ww_list_alive(ww_alive alive, uint p, __global uint *list, __global uint *found) {
    if (!ww_any(alive))
        return;
    WW_MASK_NAME lanes[WW_VECTOR];
    WW_VSTORE(alive, 0, lanes);
    for (uint v = 0; v < WW_VECTOR; v++)
        if (lanes[v])
            list[atomic_inc(found)] = p + v;
}

// The group's packs of windows, each by one bound after the other.
WW_INLINE void ww_bound_packs(const ww_bound *b, __global const ww_scalar *values, __global const ww_scalar *table,
                              __global ww_scalar *out, __global uint *list, __global uint *found,
                              const ww_window_query q, uint stages, uint begin, uint end, uint *excluded,
                              const ww_window_args args) {
    for (uint pack = begin + (uint)get_local_id(0); pack < end; pack += WW_WG) {
        const uint p = q.first + pack * WW_VECTOR;
        const ww_window window = ww_window_at(values, table, args, p);
        const real ends = ww_bound_ends(b, &window, args);
        WW_VSTORE(WW_INF, 0, out + p);
        ww_alive alive = ww_exclude(b, ww_alive_of(&window, ends, q, pack), ends, &excluded[0], args);
        if (stages > 1 && ww_any(alive))
            alive = ww_exclude(b, alive, ww_bound_envelope(b, &window, p, ends, alive, false, args), &excluded[1], args);
        if (stages > 2 && ww_any(alive))
            alive = ww_exclude(b, alive, ww_bound_envelope(b, &window, p, ends, alive, true, args), &excluded[2], args);
        ww_list_alive(alive, p, list, found);
    }
}
#endif

// Neighbouring groups have the same windows of one query after the other, so that the windows stay in a cache.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_bounds(__global const ww_scalar *restrict values, __global const ww_scalar *restrict table,
                 __global const ww_scalar *restrict x, __global const ww_term *restrict terms,
                 __global const ww_scalar *restrict below, __global const ww_scalar *restrict above,
                 __global const ww_scalar *restrict limits, __global const ww_window_query *restrict queries,
                 __global ww_scalar *restrict out, __global uint *restrict list, __global uint *restrict found,
                 __global uint *restrict counters, const ww_window_args args) {
    __local uint excluded[3];
    uint own[3] = {0, 0, 0};
#if WW_VECTOR == 1
    __local uint kept_count[3];
    __local ushort kept[WW_SEARCH_KEPT], kept_next[WW_SEARCH_KEPT];
    __local ww_scalar kept_ends[WW_SEARCH_KEPT];
    const ww_bound_tile tile = {kept_count, kept, kept_next, kept_ends};
#endif
    for (uint k = (uint)get_local_id(0); k < 3; k += WW_WG)
        excluded[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint piece = (uint)get_group_id(0) / args.queries;
    const ww_window_query q = queries[args.query + ww_rest((uint)get_group_id(0), args.queries, piece)];
    out += q.query * args.out_stride;
    list += q.query * args.out_stride;
    const ww_scalar given = limits[q.query];
    ww_bound b;
    b.x = x + q.x_at;
    b.terms = terms + (ulong)q.order_at * WW_CHANNELS;
    b.below = below;
    b.above = above;
    b.limit = WW_ROOT ? given * given * (ww_scalar)(1 + 1e-6) : given;
    const uint stages = piece % WW_SEARCH_TRIED == 0 ? 3 : q.stages;
    const uint begin = piece * args.span, packs = min((q.count + WW_VECTOR - 1) / WW_VECTOR, begin + args.span);
    found += q.query;
#if WW_VECTOR == 1
    ww_bound_tiles(&b, &tile, values, table, out, list, found, q, stages, begin, packs, own, args);
#else
    ww_bound_packs(&b, values, table, out, list, found, q, stages, begin, packs, own, args);
#endif
    for (int k = 0; k < 3; k++)
        if (own[k])
            atomic_add(excluded + k, own[k]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = (uint)get_local_id(0); k < 3; k += WW_WG)
        if (excluded[k])
            atomic_add(counters + 4 * q.query + k, excluded[k]);
}
