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
// args.stages are used. A bound that excludes few takes more time than it saves: so that the host sees when, one of
// WW_SEARCH_TRIED groups uses all three.
//
// A vector lane (WW_VECTOR 1: a work-item) has a window. out: infinity for all windows. list, found: those left.
// counters: 4 a query: excluded by the three bounds.
// Parameters: search_points.cl's; WW_SEARCH_ENDS, corners at each end (1 where channels have paths of their own, each
// with its least cost in a corner of several cells); WW_SEARCH_TRIED; WW_SEARCH_MAXIMUM 1: the largest term in place of the sum (Frechet); WW_WG. Local memory:
// 3 counters. Two barriers.
#define WW_BOUND_CHECK 8                                               // terms from one look at the limit to the next
#define WW_ADDED (WW_COST == WWK_COST_ABSOLUTE || (WW_COST == WWK_COST_EUCLIDEAN && WW_CHANNELS == 1)) // no squares

// A window is still a candidate: what a comparison of lanes gives.
#if WW_VECTOR == 1
typedef int ww_alive;
#else
typedef ww_mask ww_alive;
#endif

// What the terms of a bound need.
typedef struct {
    __global const ww_scalar *x, *low, *high;  // the query, and its envelope in each column
    __global const uint *order;                // the query's points but for the first and the last, largest first
    __global const ww_scalar *below, *above;   // the stream's envelope
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

// The cost of the query's point i and the window's point j.
WW_INLINE real ww_bound_cell(const ww_bound *b, const ww_window *window, const ww_window_args args, uint i, uint j) {
    real sum = 0;
    for (int c = 0; c < WW_CHANNELS; c++)
        sum = ww_add_difference(
            sum, fabs(ww_window_value(window, args, c, j) - (real)b->x[i + (ulong)c * args.x_stride]));
    return sum;
}

// How many corners at each end.
WW_INLINE uint ww_bound_corners(const ww_window_args args) {
    return args.n >= 2 * WW_SEARCH_ENDS ? WW_SEARCH_ENDS : 1;
}

// LB_Kim.
WW_INLINE real ww_bound_ends(const ww_bound *b, const ww_window *window, const ww_window_args args) {
    const uint last = args.n - 1, corners = ww_bound_corners(args);
    real ends = 0;
#pragma unroll
    for (int end = 0; end < 2; end++) {
#pragma unroll
        for (int s = 0; s < WW_SEARCH_ENDS; s++) {
            if (s >= (int)corners || (end && !last))
                continue;
            const uint corner = end ? last - s : s;
            real least = ww_bound_cell(b, window, args, corner, corner);
#pragma unroll
            for (int t = 0; t < s; t++) {
                const uint other = end ? last - t : t;
                least = ww_lesser(least, ww_lesser(ww_bound_cell(b, window, args, corner, other),
                                                   ww_bound_cell(b, window, args, other, corner)));
            }
            ends = ww_add_term(ends, least);
        }
    }
    return ends;
}

WW_INLINE ww_alive ww_within(const ww_bound *b, real bound, const ww_window_args args) {
    return bound * (ww_scalar)args.margin <= b->limit;
}

// LB_Keogh, or with `turned` the other.
WW_INLINE real ww_bound_envelope(const ww_bound *b, const ww_window *window, uint p, real ends, ww_alive alive,
                                 const bool turned, const ww_window_args args) {
    real bound = ends;
    const uint corners = ww_bound_corners(args);
    for (uint k = 0; k + 2 < args.n; k++) {
        const uint t = b->order[k];
        if (t < corners || t + corners >= args.n)
            continue;
        real sum = 0;
        for (int c = 0; c < WW_CHANNELS; c++) {
            const ulong at = t + (ulong)c * args.x_stride, point = p + t + (ulong)c * args.stride;
            real d;
            if (turned)
                d = ww_outside_by((real)b->x[at], ww_window_affine(window, c, ww_load_lanes(b->below + point)),
                                  ww_window_affine(window, c, ww_load_lanes(b->above + point)));
            else
                d = ww_outside_by(ww_window_value(window, args, c, t), (real)b->low[at], (real)b->high[at]);
            sum = ww_add_difference(sum, d);
        }
        bound = ww_add_term(bound, sum);
        if (k % WW_BOUND_CHECK == WW_BOUND_CHECK - 1 && !ww_any(alive & ww_within(b, bound, args)))
            break;
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
WW_INLINE ww_alive ww_alive_of(const ww_window *window, real ends, uint pack, const ww_window_args args) {
    real valid = ends;
    for (int c = 0; c < WW_CHANNELS; c++)
        valid += window->scale[c];
    ww_alive alive = valid == valid;
#if WW_VECTOR > 1
    WW_MASK_NAME inside[WW_VECTOR];
    for (uint v = 0; v < WW_VECTOR; v++)
        inside[v] = pack * WW_VECTOR + v < args.count ? -1 : 0;
    alive &= WW_VLOAD(0, inside);
#endif
    return alive;
}

// Lists the windows left, of those from p on.
WW_INLINE void ww_list_alive(ww_alive alive, uint p, __global uint *list, __global uint *found) {
    if (!ww_how_many(alive))
        return;
    WW_MASK_NAME lanes[WW_VECTOR];
#if WW_VECTOR == 1
    lanes[0] = alive;
#else
    WW_VSTORE(alive, 0, lanes);
#endif
    for (uint v = 0; v < WW_VECTOR; v++)
        if (lanes[v])
            list[atomic_inc(found)] = p + v;
}

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_bounds(__global const ww_scalar *restrict values, __global const ww_scalar *restrict table,
                 __global const ww_scalar *restrict x, __global const uint *restrict order,
                 __global const ww_scalar *restrict low, __global const ww_scalar *restrict high,
                 __global const ww_scalar *restrict below, __global const ww_scalar *restrict above,
                 __global const ww_scalar *restrict limits, __global ww_scalar *restrict out, __global uint *restrict list,
                 __global uint *restrict found, __global uint *restrict counters, const ww_window_args args) {
    __local uint excluded[3];
    uint own[3] = {0, 0, 0};
    for (uint k = (uint)get_local_id(0); k < 3; k += WW_WG)
        excluded[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WW_OF_QUERY(args)
    const ww_scalar given = limits[args.query];
    ww_bound b;
    b.x = x;
    b.low = low + args.x_at;
    b.high = high + args.x_at;
    b.order = order + args.order_at;
    b.below = below;
    b.above = above;
    b.limit = WW_ROOT ? given * given * (ww_scalar)(1 + 1e-6) : given;
    const uint stages = get_group_id(0) % WW_SEARCH_TRIED == 0 ? 3 : args.stages;
    const uint packs = (args.count + WW_VECTOR - 1) / WW_VECTOR;
    for (uint pack = (uint)get_global_id(0); pack < packs; pack += (uint)get_global_size(0)) {
        const uint p = args.first + pack * WW_VECTOR;
        const ww_window window = ww_window_at(values, table, args, p);
        const real ends = ww_bound_ends(&b, &window, args);
        ww_alive alive = ww_alive_of(&window, ends, pack, args);
#if WW_VECTOR == 1
        out[p] = INFINITY;
#else
        WW_VSTORE(WW_INF, 0, out + p);
#endif
        alive = ww_exclude(&b, alive, ends, &own[0], args);
        if (!ww_how_many(alive))
            continue;
        if (stages > 1)
            alive = ww_exclude(&b, alive, ww_bound_envelope(&b, &window, p, ends, alive, false, args), &own[1], args);
        if (!ww_how_many(alive))
            continue;
        if (stages > 2)
            alive = ww_exclude(&b, alive, ww_bound_envelope(&b, &window, p, ends, alive, true, args), &own[2], args);
        ww_list_alive(alive, p, list, found);
    }
    for (int k = 0; k < 3; k++)
        if (own[k])
            atomic_add(excluded + k, own[k]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = (uint)get_local_id(0); k < 3; k += WW_WG)
        if (excluded[k])
            atomic_add(counters + 4 * args.query + k, excluded[k]);
}
