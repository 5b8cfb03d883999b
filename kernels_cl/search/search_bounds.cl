// SPDX-License-Identifier: Apache-2.0
// Lower bounds of the distances of a query to windows of a stream (T. Rakthanmanon et al., Searching and mining
// trillions of time series subsequences under dynamic time warping, KDD 2012): which windows have to be computed.
//
//   LB_Kim      the costs of the first and of the last points
//   LB_Keogh    these, and how far the window's points are outside the envelope of the query
//   the other   these, and how far the query's points are outside the envelope of the window
// Points are added in the order of the query's largest values; a bound is left as soon as it is above the limit. Each
// term is, in the same arithmetic, at most the cost of any cell in its column (row): so a bound exceeds the distance by
// the rounding of sums alone, which args.margin takes off.
//
// A vector lane (WW_VECTOR 1: a work-item) has a window. out: infinity for all windows. list, found: those left.
// counters: 4 a query: excluded by the three bounds.
// Parameters: search_points.cl's; WW_MAXIMUM 1: the largest term in place of the sum (Frechet); WW_ALONE 1: each channel
// alone; WW_WG. Local memory: 3 counters. Two barriers.
#ifndef WW_WG
#define WW_WG 64
#endif
#ifndef WW_MAXIMUM
#define WW_MAXIMUM 0
#endif
#define WW_STRIDE_CHECK 8

#define WW_GATHER(total, cost) (total) = !WW_MAXIMUM ? (total) + (cost) : (total) > (cost) ? (total) : (cost)
#define WW_ADDED (WW_COST == 2 || (WW_COST == 3 && WW_CHANNELS == 1)) // distances, not their squares
#define WW_ADD_CHANNEL(sum, d) (sum) = WW_ADDED ? (sum) + (d) : fma((d), (d), (sum))
#define WW_WHOLE(sum) (WW_COST == 3 && !WW_ADDED ? sqrt(sum) : (sum))

#if WW_VECTOR == 1
#define WW_ANY(mask) (mask)
#define WW_HOW_MANY(mask) ((mask) ? 1u : 0u)
typedef int ww_alive;
#define WW_TO_ALIVE(mask) (mask)
#else
typedef ww_mask ww_alive;
#define WW_ANY(mask) any(mask)
#define WW_TO_ALIVE(mask) (mask)
// Lanes are -1 or 0.
WW_INLINE uint ww_how_many(ww_mask mask) {
#if WW_VECTOR == 16
    const WW_PASTE(WW_MASK_NAME, 8) eight = mask.lo + mask.hi;
    const WW_PASTE(WW_MASK_NAME, 4) four = eight.lo + eight.hi;
#elif WW_VECTOR == 8
    const WW_PASTE(WW_MASK_NAME, 4) four = mask.lo + mask.hi;
#else
    const WW_PASTE(WW_MASK_NAME, 4) four = mask;
#endif
    return (uint)(0 - (four.x + four.y + four.z + four.w));
}
#define WW_HOW_MANY(mask) ww_how_many(mask)
#endif

// How far v is outside [low, high].
WW_INLINE real ww_outside_by(real v, real low, real high) {
    return ww_greater(ww_greater(v - high, low - v), (real)0);
}

// order: the query's points but for the first and the last, largest first. low, high: the query's envelope in each
// column. below, above: the stream's.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_bounds(__global const ww_scalar *restrict values, __global const ww_scalar *restrict table,
                 __global const ww_scalar *restrict x, __global const uint *restrict order,
                 __global const ww_scalar *restrict low, __global const ww_scalar *restrict high,
                 __global const ww_scalar *restrict below, __global const ww_scalar *restrict above,
                 __global const ww_scalar *restrict limits, __global ww_scalar *restrict out, __global uint *restrict list,
                 __global uint *restrict found, __global uint *restrict counters, const ww_window_args args) {
    __local uint excluded[3];
    uint own[3] = {0, 0, 0};
    if (get_local_id(0) < 3)
        excluded[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WW_OF_QUERY(args)
    order += args.order_at;
    low += args.x_at;
    high += args.x_at;
    const ww_scalar given = limits[args.query];
    const ww_scalar limit = WW_ROOT ? given * given * (ww_scalar)(1 + 1e-6) : given;
    const uint last = args.n - 1, packs = (args.count + WW_VECTOR - 1) / WW_VECTOR;
    for (uint pack = (uint)get_global_id(0); pack < packs; pack += (uint)get_global_size(0)) {
        const uint p = args.first + pack * WW_VECTOR;
        const ww_window window = ww_window_at(values, table, args, p);
        real ends = 0;
        for (uint end = 0; end < (last ? 2u : 1u); end++) {
            const uint t = end ? last : 0;
            real sum = 0;
            for (int c = 0; c < WW_CHANNELS; c++) {
                const real d = fabs(WW_WINDOW_VALUE(window, args, c, t) - (real)x[t + (ulong)c * args.x_stride]);
                WW_ADD_CHANNEL(sum, d);
            }
            sum = WW_WHOLE(sum);
            WW_GATHER(ends, sum);
        }
        // A window that can't match has NaN, and no comparison with that is true.
        real valid = ends;
        for (int c = 0; c < WW_CHANNELS; c++)
            valid += window.scale[c];
        ww_alive alive = valid == valid;
#if WW_VECTOR == 1
        out[p] = INFINITY;
#else
        WW_VSTORE(WW_INF, 0, out + p);
        {
            WW_MASK_NAME inside[WW_VECTOR];
            for (uint v = 0; v < WW_VECTOR; v++)
                inside[v] = pack * WW_VECTOR + v < args.count ? -1 : 0;
            alive &= WW_VLOAD(0, inside);
        }
#endif
        uint before = WW_HOW_MANY(alive);
        alive &= ends * (ww_scalar)args.margin <= limit;
        uint left = WW_HOW_MANY(alive);
        own[0] += before - left;
        before = left;
        if (!before)
            continue;
        real bound = ends;
        for (uint k = 0; k + 1 < last; k++) {
            const uint t = order[k];
            real sum = 0;
            for (int c = 0; c < WW_CHANNELS; c++) {
                const real d = ww_outside_by(WW_WINDOW_VALUE(window, args, c, t), (real)low[t + (ulong)c * args.x_stride],
                                             (real)high[t + (ulong)c * args.x_stride]);
                WW_ADD_CHANNEL(sum, d);
            }
            sum = WW_WHOLE(sum);
            WW_GATHER(bound, sum);
            if (k % WW_STRIDE_CHECK == WW_STRIDE_CHECK - 1 && !WW_ANY(alive & (bound * (ww_scalar)args.margin <= limit)))
                break;
        }
        alive &= bound * (ww_scalar)args.margin <= limit;
        left = WW_HOW_MANY(alive);
        own[1] += before - left;
        before = left;
        if (!before)
            continue;
        bound = ends;
        for (uint k = 0; k + 1 < last; k++) {
            const uint t = order[k];
            real sum = 0;
            for (int c = 0; c < WW_CHANNELS; c++) {
                const ulong at = p + t + (ulong)c * args.stride;
                real least = WW_LOAD_LANES(below + at), most = WW_LOAD_LANES(above + at);
                least = WW_NORMAL(window, c, least);
                most = WW_NORMAL(window, c, most);
                const real d = ww_outside_by((real)x[t + (ulong)c * args.x_stride], least, most);
                WW_ADD_CHANNEL(sum, d);
            }
            sum = WW_WHOLE(sum);
            WW_GATHER(bound, sum);
            if (k % WW_STRIDE_CHECK == WW_STRIDE_CHECK - 1 && !WW_ANY(alive & (bound * (ww_scalar)args.margin <= limit)))
                break;
        }
        alive &= bound * (ww_scalar)args.margin <= limit;
        left = WW_HOW_MANY(alive);
        own[2] += before - left;
#if WW_VECTOR == 1
        if (left)
            list[atomic_inc(found)] = p;
#else
        if (left) {
            WW_MASK_NAME lanes[WW_VECTOR];
            WW_VSTORE(alive, 0, lanes);
            for (uint v = 0; v < WW_VECTOR; v++)
                if (lanes[v])
                    list[atomic_inc(found)] = p + v;
        }
#endif
    }
    for (int b = 0; b < 3; b++)
        if (own[b])
            atomic_add(excluded + b, own[b]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 3 && excluded[get_local_id(0)])
        atomic_add(counters + 4 * args.query + get_local_id(0), excluded[get_local_id(0)]);
}
