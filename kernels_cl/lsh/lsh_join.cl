// SPDX-License-Identifier: Apache-2.0
// Hashing, many queries at a time: queries are sorted by bucket as the points are; a task compares some queries of one
// bucket with all points of that bucket, and keeps each query's k nearest in a list (lsh/lsh_lists.cl). A query is in a
// table once. A launch computes up to job.lists tables, and a query has a list for each: only one task writes it.
// Afterwards they are merged into the first. A point that is already in a list has the same distance and id, and is
// left out. So the result is that of all pairs that share a bucket, in any order.
//
// Tried, not taken: lists in global memory, all tables from the start, points gathered from tiles: 1.2 to 2.3 x slower.
//
// WW_METRIC, WW_DIRECT and WW_CENTRE are those of the exact search's filters (knn/knn.cl). Where WW_DIRECT is 1 the sums
// are the distances; else those of points that pass the cut are computed again, in the order of the coordinates.
//
// Both sides are read in row order, each row padded with zeros to a multiple of four.
//
// WW_JOIN: which of ww_lsh_join (PLAIN), ww_lsh_join_wide, ww_lsh_join_sets, ww_lsh_join_tensor (a file of its own); WW_JOIN_WG
// work-items of a group.
//
// ww_lsh_join: a work-item holds WW_QUERIES queries (WW_GROUPS times: on a CPU they are in local memory); 64 points at a
//   time in local memory, coordinate after coordinate. With WW_LSH_LIST each query's list is in registers meanwhile. Local
//   memory: 64 * (WW_D + 3) values, and with WW_GROUPS > 1 WW_GROUPS * WW_QUERIES * WW_D more. Barriers: two for 64 points.
// ww_lsh_join_wide: any dimension, 64 work-items: 64 queries by 64 points, 8 x 8 a work-item, WW_LSH_DEPTH coordinates of both
//   sides in local memory. Local memory: 2 * WW_LSH_DEPTH * 64 values and 1.3 KiB. Barriers: two for WW_LSH_DEPTH coordinates
//   of 64 points, and three.
// ww_lsh_join_sets: one set a work-item, merged with one set after the other.
#define WW_JOIN_POINTS 64u
#define WW_JOIN_VECTORS ((WW_D + 3) / 4) // of a row, where the dimension is fixed

#if WW_FAMILY == WWK_FAMILY_SETS
typedef ww_value ww_join_row;
#else
typedef ww_value4 ww_join_row;
#endif
// Rows are numbered from job.query_first, points from job.base_first. `queries` and `base` are rows (of sets: members).
#define WW_JOIN_SIDES __global const ww_join_row *restrict queries, __global const ww_join_row *restrict base,           \
    __global const ulong *restrict query_starts, __global const ulong *restrict base_starts,                           \
    __global const ww_scalar *restrict query_norms, __global const ww_scalar *restrict base_norms
#define WW_JOIN_TASKS __global const ww_join_row *restrict mean, __global const uint2 *restrict tasks,                   \
    __global const uint *restrict query_offsets, __global const uint *restrict query_entries,                          \
    __global const uint *restrict offsets, __global const uint *restrict entries
#define WW_JOIN_LISTS __global const uint *restrict removed, __global const ww_scalar *restrict radii,                   \
    const ww_join_args job, __global ww_scalar *restrict best_values, __global uint *restrict best_ids
#define WW_JOIN_ARGUMENTS WW_JOIN_SIDES, WW_JOIN_TASKS, WW_JOIN_LISTS

// ---- lists

// Where a row's list for a bucket's table begins.
WW_INLINE ulong ww_join_list(ww_join_args job, uint bucket, uint row) {
    const uint table = bucket >> (32 - job.shift);
    return ((ulong)(table % job.lists) * job.rows + row) * job.k;
}

// The radius: the distance up to which a row still accepts points.
WW_INLINE ww_scalar ww_join_radius(ww_join_args job, ulong list, uint row, __global const ww_scalar *radii,
                                   __global const ww_scalar *best_values) {
    return fmin(radii[row], best_values[list + job.k - 1]);
}

// Whether a point is the row itself, or was removed.
WW_INLINE bool ww_join_own(ww_join_args job, uint row, uint id) {
    return job.own != WW_NO_INDEX && id == job.own + row;
}
WW_INLINE bool ww_join_removed(__global const uint *removed, uint id) {
    return removed && (removed[id / 32] >> id % 32 & 1u);
}

// Offers a point to a row's list: except the row itself and removed points. Returns the new radius.
WW_INLINE ww_scalar ww_join_offer(ww_join_args job, ulong list, uint row, uint point, ww_scalar value,
                                  __global const uint *removed, __global const ww_scalar *radii,
                                  __global ww_scalar *best_values, __global uint *best_ids) {
    const uint id = job.base_id + point;
    const ww_scalar radius = radii[row];
    if (value > radius || ww_join_own(job, row, id) || ww_join_removed(removed, id))
        return fmin(radius, best_values[list + job.k - 1]);
    return fmin(radius, ww_list_insert(best_values + list, best_ids + list, job.k, value, id));
}

#if WW_FAMILY != WWK_FAMILY_SETS
// ---- numbers and bits

// The value with which sums are compared, from the radius; unlike ww_knn_cut() it accepts equal distances, whose ids
// may be lower.
WW_INLINE ww_value ww_join_cut(ww_join_args job, ww_scalar radius, ww_scalar norm) {
    if (radius == (ww_scalar)INFINITY)
        return WW_ALWAYS;
    if (WW_METRIC == WWK_METRIC_HAMMING)
        return (uint)radius + 1;
    if (WW_METRIC == WWK_METRIC_COSINE)
        return norm == 0 ? WW_ALWAYS : (1 - radius - job.margin) * sqrt(norm);
    if (WW_DIRECT)
        return radius;
    return (norm - radius) / 2 - 2 * job.margin * norm;
}

// Whether a row whose radius at a task's begin is this one has found all that it can: points equal to it, which have
// distance 0, are in its bucket of every table, and so of those before.
WW_INLINE bool ww_join_settled(ww_join_args job, ww_scalar radius) {
    return job.settled && radius == 0 && WW_METRIC != WWK_METRIC_COSINE;
}

// The cut at a task's begin, from the radius.
WW_INLINE ww_value ww_join_begin(ww_join_args job, ww_scalar radius, ww_scalar norm) {
    return ww_join_settled(job, radius) ? WW_NEVER : ww_join_cut(job, radius, norm);
}

#define WW_JOIN_NORM(norms, at)                                                                                        \
    (WW_METRIC == WWK_METRIC_HAMMING || WW_METRIC == WWK_METRIC_L1 || WW_METRIC == WWK_METRIC_LINF ? 0 : (norms)[at])
#define WW_JOIN_TAKE(x, v) (WW_CENTRE ? (x)-mean[v] : (x))
#endif

#if WW_JOIN == WWK_JOIN_PLAIN
// ---- few coordinates
typedef WW_PASTE(WW_VALUE_NAME, WW_VECTOR) ww_join_values;
#define WW_JOIN_LANES(values) ((__local ww_value *)(values))
// A work-item's queries: coordinate j of query r of group g.
#if WW_GROUPS == 1
#define WW_JOIN_SPACE __private
#else
#define WW_JOIN_SPACE __local
#endif
#define WW_JOIN_QUERY(q, g, r, j) q[(WW_GROUPS == 1 ? (j) : (g)*WW_D + (j)) * WW_QUERIES + (r)]

// What the kernel was given, of which bucket, and the points in local memory.
typedef struct {
    ww_join_args job;
    uint bucket;
    __global const ww_value4 *queries, *base;
    __global const ww_scalar *query_norms, *base_norms;
    __global const uint *removed;
    __global const ww_scalar *radii;
    __global ww_scalar *best_values;
    __global uint *best_ids;
    __local ww_join_values *points, *starts, *scales;
    __local uint *ids;
} ww_join_pass;

// Whether any of the sums' points may be near.
WW_INLINE int ww_join_any(ww_join_values sum, ww_value cut) {
#if WW_VECTOR == 4
    return ww_any4(sum, cut);
#else
    const ww_mask near = WW_NEAR(sum, (ww_join_values)cut);
#if WW_VECTOR == 16
    const WW_PASTE(WW_MASK_NAME, 4) four = near.lo.lo | near.lo.hi | near.hi.lo | near.hi.hi;
#else
    const WW_PASTE(WW_MASK_NAME, 4) four = near.lo | near.hi;
#endif
    return (four.x | four.y | four.z | four.w) != 0;
#endif
}

// Coordinate j, a constant, of the row that begins at `from`.
WW_INLINE ww_value ww_join_coordinate(__global const ww_value4 *from, __global const ww_value4 *mean, const uint j) {
    const ww_value4 four = WW_JOIN_TAKE(from[j / 4], j / 4);
    return j % 4 == 0 ? four.x : j % 4 == 1 ? four.y : j % 4 == 2 ? four.z : four.w;
}

// Sums of the queries of group g with the points in places c to c + WW_VECTOR of local memory.
WW_INLINE void ww_join_sums(const ww_join_pass *o, WW_JOIN_SPACE const ww_value *q, uint g, uint c,
                            ww_join_values *sum) {
#pragma unroll
    for (uint r = 0; r < WW_QUERIES; r++)
        sum[r] = o->starts[c / WW_VECTOR];
#pragma unroll
    for (uint j = 0; j < WW_D; j++) {
        const ww_join_values p = o->points[(j * WW_JOIN_POINTS + c) / WW_VECTOR];
#pragma unroll
        for (uint r = 0; r < WW_QUERIES; r++)
            sum[r] = WW_ADD(sum[r], (ww_join_values)WW_JOIN_QUERY(q, g, r, j), p);
    }
    if (WW_METRIC == WWK_METRIC_COSINE) {
#pragma unroll
        for (uint r = 0; r < WW_QUERIES; r++)
            sum[r] *= o->scales[c / WW_VECTOR];
    }
}

// The distance of query r of group g, which is `row`, and the point in place `c` of local memory.
WW_INLINE ww_scalar ww_join_value(const ww_join_pass *o, WW_JOIN_SPACE const ww_value *q, uint g, uint r, uint row,
                                  uint c) {
    if (WW_DIRECT || (WW_METRIC == WWK_METRIC_L2_SQUARED && !WW_CENTRE)) {
        ww_value total = 0;
#pragma unroll
        for (uint j = 0; j < WW_D; j++)
            total = WW_EXACT_ADD(total, WW_JOIN_QUERY(q, g, r, j), WW_JOIN_LANES(o->points)[j * WW_JOIN_POINTS + c], 0, 0);
        return (ww_scalar)total;
    }
    const uint point = o->ids[c];
    return ww_exact_rows(o->queries + (ulong)(o->job.query_row + row) * WW_JOIN_VECTORS,
                         o->base + (ulong)point * WW_JOIN_VECTORS, WW_JOIN_VECTORS,
                         WW_JOIN_NORM(o->query_norms, o->job.query_first + row),
                         WW_JOIN_NORM(o->base_norms, o->job.base_first + point));
}

#if WW_LSH_LIST
// A work-item's lists.
typedef struct {
    ww_scalar values[WW_QUERIES][WW_LSH_LIST], limits[WW_QUERIES];
    uint ids[WW_QUERIES][WW_LSH_LIST];
    bool changed[WW_QUERIES];
} ww_join_near;

// Compares the queries of group g with the `there` points in local memory. First the pairs that may be near; then each
// work-item processes its own: so many work-items are busy together.
WW_INLINE void ww_join_compare(const ww_join_pass *o, WW_JOIN_SPACE const ww_value *q, uint g, uint there,
                               const uint *rows, ww_value *cut, ww_join_near *lists) {
    ulong near[WW_QUERIES];
#pragma unroll
    for (uint r = 0; r < WW_QUERIES; r++)
        near[r] = 0;
    for (uint c = 0; c < there; c += WW_VECTOR) {
        ww_join_values sum[WW_QUERIES];
        ww_join_sums(o, q, g, c, sum);
#pragma unroll
        for (uint r = 0; r < WW_QUERIES; r++)
            if (ww_join_any(sum[r], cut[r]))
                near[r] |= (ulong)ww_near4(sum[r], cut[r], 0) << c;
    }
#pragma unroll
    for (uint r = 0; r < WW_QUERIES; r++) {
        const uint row = rows[r];
        ulong left = there < 64 ? near[r] & ((1ul << there) - 1) : near[r];
        if (!left)
            continue;
        for (; left; left &= left - 1) {
            const uint c = 63 - (uint)clz(left & -left), id = o->job.base_id + o->ids[c];
            if (ww_join_own(o->job, row, id))
                continue;
            const ww_scalar distance = ww_join_value(o, q, g, r, row, c);
            if (distance <= lists->limits[r] && distance <= lists->values[r][WW_LSH_LIST - 1] &&
                !ww_join_removed(o->removed, id)) {
                ww_near_insert(lists->values[r], lists->ids[r], distance, id);
                lists->changed[r] = true;
            }
        }
        cut[r] = ww_join_cut(o->job, fmin(lists->limits[r], lists->values[r][WW_LSH_LIST - 1]),
                             WW_JOIN_NORM(o->query_norms, o->job.query_first + row));
    }
}
#else
// Offers the point in place c to query r of group g, whose cut this changes.
WW_INLINE void ww_join_take(const ww_join_pass *o, WW_JOIN_SPACE const ww_value *q, uint g, uint r, uint row, uint c,
                            ww_value *cut) {
    const ww_scalar distance = ww_join_value(o, q, g, r, row, c);
    const ww_scalar radius = ww_join_offer(o->job, ww_join_list(o->job, o->bucket, row), row, o->ids[c], distance,
                                           o->removed, o->radii, o->best_values, o->best_ids);
    *cut = ww_join_cut(o->job, radius, WW_JOIN_NORM(o->query_norms, o->job.query_first + row));
}

// Compares the queries of group g with the `there` points in local memory.
WW_INLINE void ww_join_compare(const ww_join_pass *o, WW_JOIN_SPACE const ww_value *q, uint g, uint there,
                               const uint *rows, ww_value *cut) {
    for (uint c = 0; c < there; c += WW_VECTOR) {
        ww_join_values sum[WW_QUERIES];
        ww_join_sums(o, q, g, c, sum);
        int some = 0;
#pragma unroll
        for (uint r = 0; r < WW_QUERIES; r++)
            some |= ww_join_any(sum[r], cut[g * WW_QUERIES + r]);
        if (!some)
            continue;
#pragma unroll
        for (uint r = 0; r < WW_QUERIES; r++) {
            const uint at = g * WW_QUERIES + r;
#if WW_VECTOR == 4
            for (uint bits = ww_near4(sum[r], cut[at], 0); bits;) {
                const uint lane = ww_lowest(&bits);
                if (c + lane < there)
                    ww_join_take(o, q, g, r, rows[at], c + lane, cut + at);
            }
#else
            ww_value lanes[WW_VECTOR];
            WW_VSTORE(sum[r], 0, lanes);
            for (uint lane = 0; lane < WW_VECTOR; lane++)
                if (WW_NEAR(lanes[lane], cut[at]) && c + lane < there)
                    ww_join_take(o, q, g, r, rows[at], c + lane, cut + at);
#endif
        }
    }
}
#endif

__kernel __attribute__((reqd_work_group_size(WW_JOIN_WG, 1, 1))) void ww_lsh_join(WW_JOIN_ARGUMENTS) {
    __local ww_join_values points[WW_JOIN_POINTS / WW_VECTOR * WW_D], starts[WW_JOIN_POINTS / WW_VECTOR];
    __local ww_join_values scales[WW_METRIC == WWK_METRIC_COSINE ? WW_JOIN_POINTS / WW_VECTOR : 1];
    __local uint ids[WW_JOIN_POINTS];
    const uint item = (uint)get_local_id(0);
    const uint2 task = tasks[job.first_task + get_group_id(0)];
    const uint query_end = min(task.y + WW_JOIN_WG * WW_QUERIES * WW_GROUPS, query_offsets[task.x + 1]);
    const uint begin = offsets[task.x], end = offsets[task.x + 1];
    const ww_join_pass pass = {job,   task.x,      queries,  base,   query_norms, base_norms, removed,
                               radii, best_values, best_ids, points, starts,      scales,     ids};
    WW_JOIN_SPACE ww_value q[WW_GROUPS * WW_QUERIES * WW_D];
    ww_value cut[WW_GROUPS * WW_QUERIES];
    uint rows[WW_GROUPS * WW_QUERIES];
#if WW_LSH_LIST
    ww_join_near lists;
#endif
    bool some = false; // of the rows look for more
#if WW_GROUPS == 1
    const uint held = WW_QUERIES;
#pragma unroll
#else
    const uint held = (query_end - task.y + WW_QUERIES - 1) / WW_QUERIES * WW_QUERIES;
#endif
    for (uint r = 0; r < held; r++) {
        const uint entry = task.y + r * WW_JOIN_WG + item, row = query_entries[min(entry, query_end - 1)];
        rows[r] = row;
        cut[r] = WW_NEVER;
#if WW_LSH_LIST
        const ulong list = ww_join_list(job, task.x, row);
        // Merging empties all lists but the first. (Work-items without a query must not read the last row's list.)
        ww_near_start(entry >= query_end || list >= (ulong)job.rows * job.k, best_values + list, best_ids + list,
                      lists.values[r], lists.ids[r]);
        lists.limits[r] = radii[row];
        lists.changed[r] = false;
        if (entry < query_end)
            cut[r] = ww_join_cut(job, fmin(lists.limits[r], lists.values[r][WW_LSH_LIST - 1]),
                                 WW_JOIN_NORM(query_norms, job.query_first + row));
#else
        if (entry < query_end)
            cut[r] = ww_join_begin(job, ww_join_radius(job, ww_join_list(job, task.x, row), row, radii, best_values),
                                   WW_JOIN_NORM(query_norms, job.query_first + row));
#endif
        some |= cut[r] != WW_NEVER;
        __global const ww_value4 *query = queries + (ulong)(job.query_row + row) * WW_JOIN_VECTORS;
#pragma unroll
        for (uint j = 0; j < WW_D; j++)
            WW_JOIN_QUERY(q, r / WW_QUERIES, r % WW_QUERIES, j) = ww_join_coordinate(query, mean, j);
    }
    for (uint first = some || WW_JOIN_WG > 1 ? begin : end; first < end; first += WW_JOIN_POINTS) {
        const uint there = min(end - first, WW_JOIN_POINTS);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i < (there + WW_VECTOR - 1) / WW_VECTOR * WW_VECTOR; i += WW_JOIN_WG) {
            const uint point = entries[min(first + i, end - 1)];
            ids[i] = point;
            WW_JOIN_LANES(starts)[i] = ww_knn_start(base_norms[job.base_first + point]);
            if (WW_METRIC == WWK_METRIC_COSINE)
                WW_JOIN_LANES(scales)[i] = ww_knn_scale(base_norms[job.base_first + point]);
#pragma unroll
            for (uint j = 0; j < WW_D; j++)
                WW_JOIN_LANES(points)[j * WW_JOIN_POINTS + i] =
                    ww_join_coordinate(base + (ulong)point * WW_JOIN_VECTORS, mean, j);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint g = 0; g < WW_GROUPS && g * WW_QUERIES * WW_JOIN_WG < query_end - task.y; g++) {
#if WW_LSH_LIST
            ww_join_compare(&pass, q, g, there, rows, cut, &lists);
#else
            ww_join_compare(&pass, q, g, there, rows, cut);
#endif
        }
    }
#if WW_LSH_LIST
#pragma unroll
    for (uint r = 0; r < WW_QUERIES; r++) {
        const ulong list = ww_join_list(job, task.x, rows[r]);
        if (lists.changed[r])
            ww_near_store(lists.values[r], lists.ids[r], best_values + list, best_ids + list);
    }
#endif
}

#elif WW_JOIN == WWK_JOIN_WIDE
// ---- many coordinates
#define WW_LSH_DEPTH 8u

// A row's four coordinates, each behind those of the other rows.
WW_INLINE void ww_join_stage(__local ww_value *to, const ww_value4 four) {
    to[0] = four.x;
    to[64] = four.y;
    to[128] = four.z;
    to[192] = four.w;
}
// Marks the points near to each row, low and high ones, from a work-item's sums.
WW_INLINE void ww_join_mark(ww_value4 (*sum)[2], __local const ww_value4 *scales, __local const ww_value *cuts,
                            __local uint *near_low, __local uint *near_high, const uint down, const uint across) {
#pragma unroll
    for (uint r = 0; r < 8; r++) {
        const uint of = r / 4 * 32 + down * 4 + r % 4;
        const ww_value cut = cuts[of];
        if (WW_METRIC == WWK_METRIC_COSINE) {
            sum[r][0] *= scales[across];
            sum[r][1] *= scales[8 + across];
        }
        const uint low = ww_near4(sum[r][0], cut, 0), high = ww_near4(sum[r][1], cut, 0);
        if (low)
            atomic_or(near_low + of, low << 4 * across);
        if (high)
            atomic_or(near_high + of, high << 4 * across);
    }
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void ww_lsh_join_wide(WW_JOIN_ARGUMENTS) {
    __local ww_value4 query_part[WW_LSH_DEPTH * 16], point_part[WW_LSH_DEPTH * 16], starts[16];
    __local ww_value4 scales[WW_METRIC == WWK_METRIC_COSINE ? 16 : 1];
    __local ww_value cuts[64];
    __local uint ids[64], near_low[64], near_high[64];
    const uint item = (uint)get_local_id(0), across = item % 8, down = item / 8, vectors = (job.dimension + 3) / 4;
    const uint2 task = tasks[job.first_task + get_group_id(0)];
    const uint query_end = min(task.y + 64, query_offsets[task.x + 1]);
    const uint begin = offsets[task.x], end = offsets[task.x + 1];
    const uint row = query_entries[min(task.y + item, query_end - 1)];
    const ulong list = ww_join_list(job, task.x, row);
    const ww_scalar norm = WW_JOIN_NORM(query_norms, job.query_first + row);
    __global const ww_value4 *query = queries + (ulong)(job.query_row + row) * vectors;
    cuts[item] = WW_NEVER;
    if (task.y + item < query_end)
        cuts[item] = ww_join_begin(job, ww_join_radius(job, list, row, radii, best_values), norm);
    for (uint first = begin; first < end; first += 64) {
        const uint there = min(end - first, 64u), point = entries[min(first + item, end - 1)];
        __global const ww_value4 *from = base + (ulong)point * vectors;
        ids[item] = point;
        near_low[item] = near_high[item] = 0;
        ((__local ww_value *)starts)[item] = ww_knn_start(base_norms[job.base_first + point]);
        if (WW_METRIC == WWK_METRIC_COSINE)
            ((__local ww_value *)scales)[item] = ww_knn_scale(base_norms[job.base_first + point]);
        barrier(CLK_LOCAL_MEM_FENCE);
        ww_value4 sum[8][2];
#pragma unroll
        for (uint r = 0; r < 8; r++) {
            sum[r][0] = starts[across];
            sum[r][1] = starts[8 + across];
        }
        for (uint depth = 0; depth < vectors; depth += WW_LSH_DEPTH / 4) {
#pragma unroll
            for (uint v = 0; v < WW_LSH_DEPTH / 4; v++) {
                ww_value4 x = (ww_value4)0, y = (ww_value4)0;
                if (depth + v < vectors) {
                    x = WW_JOIN_TAKE(query[depth + v], depth + v);
                    y = WW_JOIN_TAKE(from[depth + v], depth + v);
                }
                ww_join_stage((__local ww_value *)query_part + v * 256 + item, x);
                ww_join_stage((__local ww_value *)point_part + v * 256 + item, y);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            ww_block_add(sum, query_part, point_part, WW_LSH_DEPTH, 8, down, across);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        ww_join_mark(sum, scales, cuts, near_low, near_high, down, across);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint side = 0; side < 2; side++)
            for (uint bits = side ? near_high[item] : near_low[item]; bits;) {
                const uint c = side * 32 + ww_lowest(&bits);
                if (c >= there)
                    continue;
                const ww_scalar value = ww_exact_rows(query, base + (ulong)ids[c] * vectors, vectors, norm,
                                                      WW_JOIN_NORM(base_norms, job.base_first + ids[c]));
                const ww_scalar radius =
                    ww_join_offer(job, list, row, ids[c], value, removed, radii, best_values, best_ids);
                cuts[item] = ww_join_cut(job, radius, norm);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#elif WW_JOIN == WWK_JOIN_SETS
// ---- sets

__kernel __attribute__((reqd_work_group_size(WW_JOIN_WG, 1, 1))) void ww_lsh_join_sets(WW_JOIN_ARGUMENTS) {
    const uint2 task = tasks[job.first_task + get_group_id(0)];
    const uint entry = task.y + (uint)get_local_id(0), query_end = query_offsets[task.x + 1];
    if (entry >= query_end)
        return;
    const uint row = query_entries[entry], end = offsets[task.x + 1];
    const ulong list = ww_join_list(job, task.x, row);
    if (job.settled && ww_join_radius(job, list, row, radii, best_values) == 0)
        return;
    __global const uint *a = queries + query_starts[job.query_first + row];
    const uint a_count = (uint)(query_starts[job.query_first + row + 1] - query_starts[job.query_first + row]);
    for (uint i = offsets[task.x]; i < end; i++) {
        const uint point = entries[i];
        const ulong b0 = base_starts[job.base_first + point];
        const uint b_count = (uint)(base_starts[job.base_first + point + 1] - b0);
        ww_join_offer(job, list, row, point, ww_jaccard(a, a_count, base + b0, b_count), removed, radii, best_values,
                      best_ids);
    }
}
#endif
