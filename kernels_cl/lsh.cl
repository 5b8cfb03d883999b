// SPDX-License-Identifier: Apache-2.0
// Locality-sensitive hashing: signatures, tables, probes, candidates.
//
// Function m of table t of a point x: floor(a.x + b) with the segment's width divided into a and b (WW_FAMILY 0: l2, l1),
// whether a.x >= 0 (1: cosine), or one bit of x (2: hamming). A table's functions are summed with odd multipliers and
// mixed; the upper bits of that are the bucket. All sums are multiply-adds in the order of the coordinates, so that every
// device makes the same tables.
//
// Tables lie behind each other: bucket b of table t is t * buckets + b; offsets[...] says where its points begin.
#ifndef WW_FAMILY
#define WW_FAMILY 0
#endif
#ifndef WW_FUNCTIONS
#define WW_FUNCTIONS 15
#endif
#ifndef WW_SET
#define WW_SET 4096 // slots of a query's set of points: a power of two, over twice its candidates
#endif
#define WW_LSH_WG 64
#define WW_POSITIONS (WW_FAMILY == 0 ? 2 * WW_FUNCTIONS : WW_FUNCTIONS)

// The host's twin is in src/lsh.c.
typedef struct {
    uint count, dimension, tables, probes;
    uint shift;    // 32 - log2 of the buckets of a table
    uint first;    // first of the queries in their tiles
    uint own;      // id of that query in the tables, never its own neighbour; or WW_NOBODY
    uint capacity; // candidates of a query
} ww_lsh_job;

WW_INLINE uint ww_mix(uint h) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}
// An odd multiplier for each function of each table.
WW_INLINE uint ww_multiplier(uint function) {
    return ww_mix(function * 0x9e3779b9u + 0x7f4a7c15u) | 1u;
}

#if WW_FAMILY == 2
typedef uint ww_coefficient;
#else
typedef ww_scalar ww_coefficient;
#endif

// What a function takes a point to, before it is rounded.
WW_INLINE ww_scalar ww_project(__global const ww_value *point, __global const ww_coefficient *a, uint function,
                               uint dimension) {
#if WW_FAMILY == 2
    const uint bit = a[function];
    return (ww_scalar)(point[bit / 32 * WW_TILE] >> bit % 32 & 1u);
#else
    __global const ww_coefficient *row = a + (ulong)function * (dimension + 1);
    ww_scalar sum = row[dimension];
    for (uint j = 0; j < dimension; j++)
        sum = fma(row[j], point[j * WW_TILE], sum);
    return sum;
#endif
}
WW_INLINE int ww_round(ww_scalar projected) {
#if WW_FAMILY == 0
    return WW_PASTE(convert_int_sat, _rtn)(projected);
#elif WW_FAMILY == 1
    return projected >= 0;
#else
    return (int)projected;
#endif
}

// ---- tables

// One work-item a point and table. Writes its bucket and counts it.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_count(__global const ww_value *restrict points, __global const ww_coefficient *restrict a, const ww_lsh_job job,
             __global uint *restrict buckets, __global uint *restrict counts) {
    const ulong at = get_global_id(0);
    if (at >= (ulong)job.count * job.tables)
        return;
    const uint table = (uint)(at / job.count), i = (uint)(at % job.count);
    __global const ww_value *point = points + ww_tile_at(i, job.dimension);
    uint sum = 0;
    for (uint m = 0; m < WW_FUNCTIONS; m++) {
        const uint function = table * WW_FUNCTIONS + m;
        sum += (uint)ww_round(ww_project(point, a, function, job.dimension)) * ww_multiplier(function);
    }
    const uint bucket = ww_mix(sum) >> job.shift;
    buckets[at] = bucket;
    atomic_inc(counts + (((ulong)table << (32 - job.shift)) + bucket));
}

// Exclusive scan in three steps: sums of blocks; one work-group scans these; each block scans itself upon its sum.
// `total` counts; offsets[total] becomes the sum of all.
#define WW_BLOCK 1024u
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_block_sums(__global const uint *restrict counts, const ulong total, __global uint *restrict sums) {
    __local uint part[WW_LSH_WG];
    const uint item = (uint)get_local_id(0);
    const ulong begin = get_group_id(0) * (ulong)WW_BLOCK, end = min(begin + WW_BLOCK, total);
    uint sum = 0;
    for (ulong i = begin + item; i < end; i += WW_LSH_WG)
        sum += counts[i];
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        for (uint i = 1; i < WW_LSH_WG; i++)
            sum += part[i];
        sums[get_group_id(0)] = sum;
    }
}
// Scans `count` values by one work-group, each work-item a stretch.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void ww_lsh_scan_sums(__global uint *restrict sums,
                                                                                      const uint count) {
    __local uint part[WW_LSH_WG];
    const uint item = (uint)get_local_id(0), stretch = (count + WW_LSH_WG - 1) / WW_LSH_WG;
    const uint begin = min(item * stretch, count), end = min(begin + stretch, count);
    uint sum = 0;
    for (uint i = begin; i < end; i++)
        sum += sums[i];
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0;
    for (uint i = 0; i < item; i++)
        before += part[i];
    for (uint i = begin; i < end; i++) {
        const uint own = sums[i];
        sums[i] = before;
        before += own;
    }
}
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_offsets(__global uint *restrict counts, const ulong total, __global const uint *restrict sums,
               __global uint *restrict offsets) {
    __local uint part[WW_LSH_WG];
    const uint item = (uint)get_local_id(0), stretch = WW_BLOCK / WW_LSH_WG;
    const ulong begin = get_group_id(0) * (ulong)WW_BLOCK + item * stretch;
    uint sum = 0;
    for (ulong i = begin; i < min(begin + stretch, total); i++)
        sum += counts[i];
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = sums[get_group_id(0)];
    for (uint i = 0; i < item; i++)
        before += part[i];
    for (ulong i = begin; i < min(begin + stretch, total); i++) {
        const uint own = counts[i];
        offsets[i] = before;
        counts[i] = before; // where the next point of the bucket goes
        before += own;
        if (i + 1 == total)
            offsets[total] = before;
    }
}

__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_scatter(__global const uint *restrict buckets, const ww_lsh_job job, __global uint *restrict cursors,
               __global uint *restrict entries) {
    const ulong at = get_global_id(0);
    if (at >= (ulong)job.count * job.tables)
        return;
    const ulong table = at / job.count;
    entries[atomic_inc(cursors + ((table << (32 - job.shift)) + buckets[at]))] = (uint)(at % job.count);
}

// ---- search

// One work-item a query and table: where its buckets begin, and how many points they have. masks[p] are the positions, in
// order of their cost for this query, that probe p moves; mask 0 is the query's own bucket.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_probe(__global const ww_value *restrict queries, __global const ww_coefficient *restrict a,
             __global const ulong *restrict masks, __global const uint *restrict offsets, const ww_lsh_job job,
             __global uint2 *restrict ranges) {
    const ulong at = get_global_id(0);
    if (at >= (ulong)job.count * job.tables)
        return;
    const uint row = (uint)(at / job.tables), table = (uint)(at % job.tables);
    __global const ww_value *query = queries + ww_tile_at(job.first + row, job.dimension);
    __global const uint *start = offsets + ((ulong)table << (32 - job.shift));
    ww_scalar costs[WW_POSITIONS];
    uint moves[WW_POSITIONS]; // what a position adds to the sum
    uint sum = 0, positions = 0;
    for (uint m = 0; m < WW_FUNCTIONS; m++) {
        const uint function = table * WW_FUNCTIONS + m, multiplier = ww_multiplier(function);
        const ww_scalar projected = ww_project(query, a, function, job.dimension);
        const int value = ww_round(projected);
        sum += (uint)value * multiplier;
        for (uint side = 0; job.probes > 1 && side < WW_POSITIONS / WW_FUNCTIONS; side++) {
#if WW_FAMILY == 0
            const ww_scalar below = projected - (ww_scalar)value;
            const ww_scalar cost = side ? 1 - below : below;
            const uint move = side ? multiplier : -multiplier;
#elif WW_FAMILY == 1
            const ww_scalar cost = fabs(projected);
            const uint move = value ? -multiplier : multiplier;
#else
            const ww_scalar cost = 0;
            const uint move = value ? -multiplier : multiplier;
#endif
            uint to = positions++;
            for (; to > 0 && costs[to - 1] > cost; to--) {
                costs[to] = costs[to - 1];
                moves[to] = moves[to - 1];
            }
            costs[to] = cost;
            moves[to] = move;
        }
    }
    for (uint p = 0; p < job.probes; p++) {
        uint moved = sum;
        ulong mask = masks[p];
        for (uint i = 0; mask; i++, mask >>= 1)
            if (mask & 1)
                moved += moves[i];
        const uint bucket = ww_mix(moved) >> job.shift;
        ranges[at * job.probes + p] = (uint2)(start[bucket], start[bucket + 1] - start[bucket]);
    }
}

// One work-group a query: the points of its buckets, each once. Local memory: WW_SET words. Two barriers.
__kernel __attribute__((reqd_work_group_size(WW_ROW_WG, 1, 1))) void
ww_lsh_gather(__global const uint2 *restrict ranges, __global const uint *restrict entries, const ww_lsh_job job,
              __global uint *restrict counts, __global uint *restrict ids) {
    __local uint set[WW_SET];
    __local uint found;
    const uint item = (uint)get_local_id(0), row = (uint)get_group_id(0);
    const uint own = job.own == WW_NOBODY ? WW_NOBODY : job.own + row;
    const uint range_count = job.tables * job.probes;
    for (uint i = item; i < WW_SET; i += WW_ROW_WG)
        set[i] = WW_NOBODY;
    if (item == 0)
        found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool full = false;
    for (uint r = item; r < range_count && !full; r += WW_ROW_WG) {
        const uint2 range = ranges[(ulong)row * range_count + r];
        for (uint e = 0; e < range.y && !full; e++) {
            const uint id = entries[range.x + e];
            uint slot = ww_mix(id) & (WW_SET - 1), there = id == own ? id : ~id;
            while (there != id) {
                there = atomic_cmpxchg(set + slot, WW_NOBODY, id);
                if (there == WW_NOBODY) {
                    const uint place = atomic_inc(&found);
                    full = place >= job.capacity;
                    if (!full)
                        ids[(ulong)row * job.capacity + place] = id;
                    break;
                }
                slot = (slot + 1) & (WW_SET - 1);
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        counts[row] = found; // above the capacity: some were left out
}
