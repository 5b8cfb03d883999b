// SPDX-License-Identifier: Apache-2.0
// Hashing, many queries at a time: queries are sorted by bucket as the points are; a task takes some queries of one
// bucket past all points of that bucket, and keeps each query's k nearest in a list in global memory, ordered by
// distance, then id. A query stands once in a table, and a launch works on one table: nobody else touches its list. A
// point that is in the list already has the same distance and id, and is left out. So the answer is that of all pairs
// that share a bucket, in whatever order they come.
//
// WW_METRIC, WW_DIRECT and WW_CENTRE are those of the exact search's filters (knn.cl). Where WW_DIRECT is 1 the sums
// are the distances; else what passes the cut is computed again by ww_exact().
//
// ww_lsh_join: a work-item holds WW_QUERIES queries (WW_GROUPS times: on a CPU they are in local memory); 64 points at
// a
//   time in local memory, coordinate after coordinate. Local memory: 64 * (WW_D + 3) values, and with WW_GROUPS > 1
//   WW_GROUPS * WW_QUERIES * WW_D more. Barriers: two for 64 points.
// ww_lsh_join_wide: any dimension, 64 work-items: 64 queries by 64 points, 8 x 8 a work-item, WW_DEPTH coordinates of
// both
//   sides in local memory. Local memory: 2 * WW_DEPTH * 64 values and 1.3 KiB. Barriers: two for WW_DEPTH coordinates
//   of 64 points, and three.
// ww_lsh_join_sets: one set a work-item, merged with one set after the other.
#ifndef WW_QUERIES
#define WW_QUERIES 4
#endif
#ifndef WW_GROUPS
#define WW_GROUPS 1
#endif
#ifndef WW_JOIN
#define WW_JOIN 0 // 0 ww_lsh_join, 1 ww_lsh_join_wide, 2 ww_lsh_join_sets
#endif
#define WW_STEP 64u

// The host's twin is in src/lsh_index.h.
typedef struct {
    uint first_task;
    uint query_first, base_first; // of the rows and points in their tiles
    uint base_id, own;            // ids as in ww_lsh_job
    uint dimension, k;
    float margin, reach; // as in ww_knn_job
} ww_join_job;

// Rows are numbered from job.query_first, points from job.base_first.
#define WW_JOIN_ARGUMENTS                                                                                              \
    __global const ww_value *restrict queries, __global const ww_value *restrict base,                                 \
        __global const ulong *restrict query_starts, __global const ulong *restrict base_starts,                       \
        __global const ww_scalar *restrict query_norms, __global const ww_scalar *restrict base_norms,                 \
        __global const ww_scalar *restrict mean, __global const uint2 *restrict tasks,                                 \
        __global const uint *restrict query_offsets, __global const uint *restrict query_entries,                      \
        __global const uint *restrict offsets, __global const uint *restrict entries,                                  \
        __global const uint *restrict removed, const ww_join_job job, __global ww_scalar *restrict best_values,        \
        __global uint *restrict best_ids

// ---- tasks

// One work-item a bucket of a table: as many tasks as its rows fill tiles; none where there is nothing to find.
// counters: a 64-bit sum of all pairs, low word first; then the tasks of each table, which stand at table * stride.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_tasks(__global const uint *restrict query_offsets, __global const uint *restrict offsets, const ww_lsh_job job,
             const ulong stride, __global uint *restrict counters, __global uint2 *restrict tasks) {
    __local uint count, first;
    __local uint pairs[2];
    const uint buckets = 1u << (32 - job.shift), table = (uint)(get_global_id(0) / buckets);
    const uint bucket = (uint)get_global_id(0);
    const uint begin = query_offsets[bucket], rows = query_offsets[bucket + 1] - begin;
    const uint points = offsets[bucket + 1] - offsets[bucket];
    const bool alone = points == 1 && rows == 1 && job.inside && job.probe == 0; // it would find itself
    const uint own = points && rows && !alone ? (rows + job.tile - 1) / job.tile : 0;
    uint place = 0;
    if (get_local_id(0) == 0) {
        count = first = 0;
        pairs[0] = pairs[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own) {
        const uint low = rows * points;
        place = atomic_add(&count, own);
        if (atomic_add(pairs, low) + low < low)
            atomic_inc(pairs + 1);
        atomic_add(pairs + 1, mul_hi(rows, points));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && count) {
        const uint low = pairs[0];
        first = atomic_add(counters + 2 + table, count);
        if (atomic_add(counters, low) + low < low)
            atomic_inc(counters + 1);
        atomic_add(counters + 1, pairs[1]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    __global uint2 *to = tasks + table * stride + first + place;
    for (uint i = 0; i < own; i++)
        to[i] = (uint2)(bucket, begin + i * job.tile);
}

// Empty lists.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_start(const ulong count, __global ww_scalar *restrict best_values, __global uint *restrict best_ids) {
    const ulong at = get_global_id(0);
    if (at >= count)
        return;
    best_values[at] = (ww_scalar)INFINITY;
    best_ids[at] = WW_NOBODY;
}

// ---- a query's list

// Puts a point into a row's list, unless it is there, the row's own, or removed. Returns the k-th best that then
// stands.
WW_INLINE ww_scalar ww_join_offer(ww_join_job job, uint row, uint point, ww_scalar value, __global const uint *removed,
                                  __global ww_scalar *best_values, __global uint *best_ids) {
    const uint id = job.base_id + point, k = job.k;
    __global ww_scalar *values = best_values + (ulong)row * k;
    __global uint *ids = best_ids + (ulong)row * k;
    const ww_scalar last = values[k - 1];
    if (value > last || (value == last && id >= ids[k - 1]) || (job.own != WW_NOBODY && id == job.own + row) ||
        (removed && (removed[id / 32] >> id % 32 & 1u)))
        return last;
    uint low = 0, high = k - 1; // the first that comes after
    while (low < high) {
        const uint middle = (low + high) / 2;
        const ww_scalar there = values[middle];
        if (there < value || (there == value && ids[middle] <= id))
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && ids[low - 1] == id)
        return last;
    for (uint i = k - 1; i > low; i--) {
        values[i] = values[i - 1];
        ids[i] = ids[i - 1];
    }
    values[low] = value;
    ids[low] = id;
    return values[k - 1];
}

// What sums are held against, from the k-th best; unlike ww_knn_cut() it lets equals pass, which may have a lower id.
WW_INLINE ww_value ww_join_cut(ww_join_job job, ww_scalar best, ww_scalar norm) {
    if (best == (ww_scalar)INFINITY)
        return WW_ALWAYS;
#if WW_METRIC == 5
    (void)norm;
    return (uint)best + 1;
#elif WW_METRIC == 3
    return norm == 0 ? WW_ALWAYS : (1 - best - job.margin) * sqrt(norm);
#elif !WW_DIRECT
    const ww_scalar longest = sqrt(norm) + job.reach;
    return (norm - best) / 2 - job.margin * longest * longest;
#else
    (void)norm;
    return best;
#endif
}

#if WW_FAMILY != 3
// The distance behind a sum that passed.
#if WW_DIRECT
#define WW_JOIN_VALUE(sum, row, point) ((ww_scalar)(sum))
#else
#define WW_JOIN_VALUE(sum, row, point)                                                                                 \
    ww_exact(queries + ww_tile_at(job.query_first + (row), dimension),                                                 \
             base + ww_tile_at(job.base_first + (point), dimension), dimension, query_norms[job.query_first + (row)],  \
             base_norms[job.base_first + (point)])
#endif
#if WW_CENTRE
#define WW_JOIN_TAKE(x, j) ((x)-mean[j])
#else
#define WW_JOIN_TAKE(x, j) (x)
#endif
#if WW_METRIC == 5 || WW_METRIC == 1 || WW_METRIC == 2
#define WW_JOIN_NORM(norms, at) 0
#else
#define WW_JOIN_NORM(norms, at) (norms)[at]
#endif
#endif

#if WW_JOIN == 0
// ---- few coordinates
typedef WW_PASTE(WW_VALUE_NAME, WW_VECTOR) ww_join_values;

#if WW_VECTOR == 4
#define WW_JOIN_ANY(sum, cut) WW_ANY4(sum, cut)
// Goes through the sums that may be near: `lane` and `value`.
#define WW_JOIN_EACH(sum, cut, body)                                                                                   \
    for (uint bits = WW_NEAR4(sum, cut, 0); bits;) {                                                                   \
        const uint lane = ww_lowest(&bits);                                                                            \
        const ww_value value = lane < 2 ? (lane ? (sum).y : (sum).x) : (lane & 1 ? (sum).w : (sum).z);                 \
        body                                                                                                           \
    }
#else
#if WW_VECTOR == 16
#define WW_JOIN_FOLD(m) ((m).lo.lo | (m).lo.hi | (m).hi.lo | (m).hi.hi)
#else
#define WW_JOIN_FOLD(m) ((m).lo | (m).hi)
#endif
WW_INLINE int ww_join_somewhere(ww_mask m) {
    const WW_PASTE(WW_MASK_NAME, 4) four = WW_JOIN_FOLD(m);
    return (four.x | four.y | four.z | four.w) != 0;
}
#define WW_JOIN_ANY(sum, cut) ww_join_somewhere(WW_NEAR(sum, (ww_join_values)(cut)))
#define WW_JOIN_EACH(sum, cut, body)                                                                                   \
    ww_value lanes[WW_VECTOR];                                                                                         \
    WW_VSTORE(sum, 0, lanes);                                                                                          \
    for (uint lane = 0; lane < WW_VECTOR; lane++)                                                                      \
        if (WW_NEAR(lanes[lane], cut)) {                                                                               \
            const ww_value value = lanes[lane];                                                                        \
            body                                                                                                       \
        }
#endif

// The first ROWS queries of group g past the points in local memory.
#define WW_JOIN_PASS(ROWS)                                                                                             \
    for (uint c = 0; c < there; c += WW_VECTOR) {                                                                      \
        ww_join_values sum[ROWS];                                                                                      \
        _Pragma("unroll") for (uint r = 0; r < ROWS; r++) sum[r] = starts[c / WW_VECTOR];                              \
        _Pragma("unroll") for (uint j = 0; j < WW_D; j++) {                                                            \
            const ww_join_values p = points[(j * WW_STEP + c) / WW_VECTOR];                                            \
            _Pragma("unroll") for (uint r = 0; r < ROWS; r++) sum[r] =                                                 \
                WW_ADD(sum[r], (ww_join_values)WW_JOIN_QUERY(g, r, j), p);                                             \
        }                                                                                                              \
        int near = 0;                                                                                                  \
        _Pragma("unroll") for (uint r = 0; r < ROWS; r++) {                                                            \
            WW_JOIN_SCALE(sum[r], c);                                                                                  \
            near |= WW_JOIN_ANY(sum[r], cut[g * WW_QUERIES + r]);                                                      \
        }                                                                                                              \
        if (!near)                                                                                                     \
            continue;                                                                                                  \
        _Pragma("unroll") for (uint r = 0; r < ROWS; r++) {                                                            \
            const uint at = g * WW_QUERIES + r;                                                                        \
            WW_JOIN_EACH(                                                                                              \
                sum[r], cut[at], if (c + lane < there) {                                                               \
                    const uint point = ids[c + lane];                                                                  \
                    cut[at] = ww_join_cut(job,                                                                         \
                                          ww_join_offer(job, rows[at], point, WW_JOIN_VALUE(value, rows[at], point),   \
                                                        removed, best_values, best_ids),                               \
                                          WW_JOIN_NORM(query_norms, job.query_first + rows[at]));                      \
                })                                                                                                     \
        }                                                                                                              \
    }
#if WW_METRIC == 3
#define WW_JOIN_SCALE(sum, c) (sum) *= scales[(c) / WW_VECTOR]
#else
#define WW_JOIN_SCALE(sum, c)
#endif
#if WW_GROUPS == 1
#define WW_JOIN_QUERY(g, r, j) q[r][j]
#else
#define WW_JOIN_QUERY(g, r, j) q[((g)*WW_D + (j)) * WW_QUERIES + (r)]
#endif

__kernel __attribute__((reqd_work_group_size(WW_JOIN_WG, 1, 1))) void ww_lsh_join(WW_JOIN_ARGUMENTS) {
    __local ww_join_values points[WW_STEP / WW_VECTOR * WW_D], starts[WW_STEP / WW_VECTOR];
#if WW_METRIC == 3
    __local ww_join_values scales[WW_STEP / WW_VECTOR];
#endif
    __local uint ids[WW_STEP];
    const uint item = (uint)get_local_id(0), dimension = WW_D;
    const uint2 task = tasks[job.first_task + get_group_id(0)];
    const uint query_end = min(task.y + WW_JOIN_WG * WW_QUERIES * WW_GROUPS, query_offsets[task.x + 1]);
    const uint begin = offsets[task.x], end = offsets[task.x + 1];
#if WW_GROUPS == 1
    ww_value q[WW_QUERIES][WW_D];
#else
    __local ww_value q[WW_GROUPS * WW_QUERIES * WW_D];
#endif
    ww_value cut[WW_GROUPS * WW_QUERIES];
    uint rows[WW_GROUPS * WW_QUERIES];
#pragma unroll
    for (uint r = 0; r < WW_GROUPS * WW_QUERIES; r++) {
        const uint entry = task.y + r * WW_JOIN_WG + item;
        rows[r] = query_entries[min(entry, query_end - 1)];
        const ulong at = ww_tile_at(job.query_first + rows[r], WW_D);
        cut[r] = entry < query_end ? ww_join_cut(job, best_values[(ulong)rows[r] * job.k + job.k - 1],
                                                 WW_JOIN_NORM(query_norms, job.query_first + rows[r]))
                                   : WW_NEVER;
#pragma unroll
        for (uint j = 0; j < WW_D; j++)
            WW_JOIN_QUERY(r / WW_QUERIES, r % WW_QUERIES, j) = WW_JOIN_TAKE(queries[at + j * WW_TILE], j);
    }
    for (uint first = begin; first < end; first += WW_STEP) {
        const uint there = min(end - first, WW_STEP);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i < WW_STEP; i += WW_JOIN_WG) {
            const uint point = entries[min(first + i, end - 1)];
            const ulong at = ww_tile_at(job.base_first + point, WW_D);
            ids[i] = point;
            ((__local ww_value *)starts)[i] = WW_START(base_norms[job.base_first + point]);
#if WW_METRIC == 3
            ((__local ww_value *)scales)[i] = ww_knn_scale(base_norms[job.base_first + point]);
#endif
#pragma unroll
            for (uint j = 0; j < WW_D; j++)
                ((__local ww_value *)points)[j * WW_STEP + i] = WW_JOIN_TAKE(base[at + j * WW_TILE], j);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if WW_GROUPS == 1
        const uint g = 0;
        if (query_end - task.y <= WW_JOIN_WG) {
            WW_JOIN_PASS(1)
        } else {
            WW_JOIN_PASS(WW_QUERIES)
        }
#else
        for (uint g = 0; g * WW_QUERIES * WW_JOIN_WG < query_end - task.y; g++) {
            WW_JOIN_PASS(WW_QUERIES)
        }
#endif
    }
}

#elif WW_JOIN == 1
// ---- many coordinates
#ifndef WW_DEPTH
#define WW_DEPTH 8u
#endif

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void ww_lsh_join_wide(WW_JOIN_ARGUMENTS) {
    __local ww_value4 query_part[WW_DEPTH * 16], point_part[WW_DEPTH * 16], starts[16];
#if WW_METRIC == 3
    __local ww_value4 scales[16];
#endif
    __local ww_value cuts[64];
    __local uint ids[64], near_low[64], near_high[64];
    const uint item = (uint)get_local_id(0), across = item % 8, down = item / 8, dimension = job.dimension;
    const uint2 task = tasks[job.first_task + get_group_id(0)];
    const uint query_end = min(task.y + 64, query_offsets[task.x + 1]);
    const uint begin = offsets[task.x], end = offsets[task.x + 1];
    const uint row = query_entries[min(task.y + item, query_end - 1)];
    const ww_scalar norm = WW_JOIN_NORM(query_norms, job.query_first + row);
    __global const ww_value *query = queries + ww_tile_at(job.query_first + row, dimension);
    cuts[item] =
        task.y + item < query_end ? ww_join_cut(job, best_values[(ulong)row * job.k + job.k - 1], norm) : WW_NEVER;
    for (uint first = begin; first < end; first += 64) {
        const uint there = min(end - first, 64u), point = entries[min(first + item, end - 1)];
        __global const ww_value *from = base + ww_tile_at(job.base_first + point, dimension);
        ids[item] = point;
        near_low[item] = near_high[item] = 0;
        ((__local ww_value *)starts)[item] = WW_START(base_norms[job.base_first + point]);
#if WW_METRIC == 3
        ((__local ww_value *)scales)[item] = ww_knn_scale(base_norms[job.base_first + point]);
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        ww_value4 sum[8][2];
#pragma unroll
        for (uint r = 0; r < 8; r++) {
            sum[r][0] = starts[across];
            sum[r][1] = starts[8 + across];
        }
        for (uint depth = 0; depth < dimension; depth += WW_DEPTH) {
#pragma unroll
            for (uint j = 0; j < WW_DEPTH; j++) {
                const bool inside = depth + j < dimension;
                ((__local ww_value *)query_part)[j * 64 + item] =
                    inside ? WW_JOIN_TAKE(query[(depth + j) * WW_TILE], depth + j) : 0;
                ((__local ww_value *)point_part)[j * 64 + item] =
                    inside ? WW_JOIN_TAKE(from[(depth + j) * WW_TILE], depth + j) : 0;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (uint j = 0; j < WW_DEPTH; j++) {
                const ww_value4 p0 = point_part[j * 16 + across], p1 = point_part[j * 16 + 8 + across];
                const ww_value4 q0 = query_part[j * 16 + down], q1 = query_part[j * 16 + 8 + down];
#define WW_JOIN_ROW(r, q)                                                                                              \
    sum[r][0] = WW_ADD(sum[r][0], (ww_value4)(q), p0);                                                                 \
    sum[r][1] = WW_ADD(sum[r][1], (ww_value4)(q), p1)
                WW_JOIN_ROW(0, q0.x);
                WW_JOIN_ROW(1, q0.y);
                WW_JOIN_ROW(2, q0.z);
                WW_JOIN_ROW(3, q0.w);
                WW_JOIN_ROW(4, q1.x);
                WW_JOIN_ROW(5, q1.y);
                WW_JOIN_ROW(6, q1.z);
                WW_JOIN_ROW(7, q1.w);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
#pragma unroll
        for (uint r = 0; r < 8; r++) {
            const uint of = r / 4 * 32 + down * 4 + r % 4;
            const ww_value cut = cuts[of];
#if WW_METRIC == 3
            sum[r][0] *= scales[across];
            sum[r][1] *= scales[8 + across];
#endif
            const uint low = WW_NEAR4(sum[r][0], cut, 0), high = WW_NEAR4(sum[r][1], cut, 0);
            if (low)
                atomic_or(near_low + of, low << 4 * across);
            if (high)
                atomic_or(near_high + of, high << 4 * across);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint half = 0; half < 2; half++)
            for (uint bits = half ? near_high[item] : near_low[item]; bits;) {
                const uint c = half * 32 + ww_lowest(&bits);
                if (c < there)
                    cuts[item] = ww_join_cut(
                        job,
                        ww_join_offer(job, row, ids[c],
                                      ww_exact(query, base + ww_tile_at(job.base_first + ids[c], dimension), dimension,
                                               norm, WW_JOIN_NORM(base_norms, job.base_first + ids[c])),
                                      removed, best_values, best_ids),
                        norm);
            }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#else
// ---- sets

__kernel __attribute__((reqd_work_group_size(WW_JOIN_WG, 1, 1))) void ww_lsh_join_sets(WW_JOIN_ARGUMENTS) {
    const uint2 task = tasks[job.first_task + get_group_id(0)];
    const uint entry = task.y + (uint)get_local_id(0), query_end = query_offsets[task.x + 1];
    if (entry >= query_end)
        return;
    const uint row = query_entries[entry], end = offsets[task.x + 1];
    __global const uint *a = queries + query_starts[job.query_first + row];
    const uint a_count = (uint)(query_starts[job.query_first + row + 1] - query_starts[job.query_first + row]);
    for (uint i = offsets[task.x]; i < end; i++) {
        const uint point = entries[i];
        const ulong b0 = base_starts[job.base_first + point];
        const uint b_count = (uint)(base_starts[job.base_first + point + 1] - b0);
        __global const uint *b = base + b0;
        uint common = 0, s = 0, t = 0;
        while (s < a_count && t < b_count) {
            const uint x = a[s], y = b[t];
            common += x == y;
            s += x <= y;
            t += y <= x;
        }
        const uint all = a_count + b_count - common;
        ww_join_offer(job, row, point, all ? (ww_scalar)(all - common) / (ww_scalar)all : 0, removed, best_values,
                      best_ids);
    }
}
#endif
