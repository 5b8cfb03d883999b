// SPDX-License-Identifier: Apache-2.0
// Locality-sensitive hashing: keys, tables, and the candidates of single queries. lsh/lsh_join.cl searches for many
// queries.
//
// Function m of table t of a point x: floor(a.x + b) with the segment's width divided into a and b (WWK_FAMILY_STABLE: l2,
// l1), whether a.x >= 0 (COSINE), one bit of x (BITS: hamming), or the least of the members' permuted values (SETS:
// jaccard). A table's functions are summed with odd multipliers and mixed to the key; its upper bits are the bucket.
// All sums are multiply-adds in the order of the coordinates, so that every device gives the same tables.
//
// Tables are stored one after the other: bucket b of table t is t * buckets + b; offsets[...] is the place of its first
// point. Arrays with an entry for every row and table have table t's rows after those of table t - 1. One work-item
// computes a row (or bucket) of one table; a table's groups are job.groups. The work of keys and tables may be divided
// among launches: each begins with group first_group of all.
//
// Parameters: WW_FAMILY; WW_FUNCTIONS of a table; WW_PROBING 0: there is only the first probe; WW_TOGETHER 0 ww_lsh_keys, 1
// ww_lsh_keys_together, 2 ww_lsh_keys_blocked; WW_SET slots of a query's set of points: more than its candidates plus a
// work-group.
#define WW_SIDES (WW_FAMILY == WWK_FAMILY_STABLE ? 2 : 1)
#define WW_POSITIONS (WW_SIDES * WW_FUNCTIONS)

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

#if WW_FAMILY >= WWK_FAMILY_BITS
typedef uint ww_coefficient;
#else
typedef ww_scalar ww_coefficient;
#endif

// A function's value, the change of the sum when it moves, and the cost of the move. (Family 2 and 3: all costs are
// equal.)
typedef struct {
    uint value;
    uint move[2];
    ww_scalar cost[2];
} ww_hash;

// `point` begins with the first coordinate, or member. Members: from `point` to `end`.
WW_INLINE ww_hash ww_hash_of(__global const ww_value *point, __global const ww_value *end,
                             __global const ww_coefficient *a, uint function, uint dimension) {
    ww_hash hash;
    hash.cost[0] = hash.cost[1] = 0;
    hash.move[1] = 0;
#if WW_FAMILY == WWK_FAMILY_SETS
    // Broder: On the resemblance and containment of documents (1997). A probe takes the second least value.
    const uint factor = a[2 * function] | 1u, summand = a[2 * function + 1];
    uint least = 0xffffffffu, second = 0xffffffffu;
    for (; point < end; point++) {
        const uint x = ww_mix((uint)*point * factor + summand);
        second = min(second, max(x, least));
        least = min(x, least);
    }
    hash.value = least;
    hash.move[0] = second - least;
#elif WW_FAMILY == WWK_FAMILY_BITS
    const uint bit = a[function];
    hash.value = (uint)point[bit / 32 * WW_KNN_TILE] >> bit % 32 & 1u;
    hash.move[0] = hash.value ? -1u : 1u;
#else
    __global const ww_coefficient *row = a + (ulong)function * (dimension + 1);
    ww_scalar sum = row[dimension];
    for (uint j = 0; j < dimension; j++)
        sum = fma(row[j], point[j * WW_KNN_TILE], sum);
#if WW_FAMILY == WWK_FAMILY_STABLE
    const int value = WW_PASTE(convert_int_sat, _rtn)(sum);
    hash.cost[0] = sum - (ww_scalar)value;
    hash.cost[1] = 1 - hash.cost[0];
    hash.move[0] = -1u;
    hash.move[1] = 1u;
    hash.value = (uint)value;
#else
    hash.value = sum >= 0;
    hash.cost[0] = fabs(sum);
    hash.move[0] = sum >= 0 ? -1u : 1u;
#endif
#endif
    return hash;
}

// ---- tables

// Keys of all rows for probes [job.probe, job.probe + job.probes). masks[p] are the positions, in order of their cost
// for this row, that probe p moves; mask 0 is the row's own bucket.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_keys(__global const ww_value *restrict points, __global const ulong *restrict starts,
            __global const ww_coefficient *restrict a, __global const ulong *restrict masks, const ww_lsh_args job,
            __global uint *restrict keys) {
    const uint group = job.first_group + (uint)get_group_id(0), table = group / job.groups;
    const uint row = ww_rest(group, job.groups, table) * WW_LSH_WG + (uint)get_local_id(0);
    if (row >= job.count)
        return;
#if WW_FAMILY == WWK_FAMILY_SETS
    __global const ww_value *point = points + starts[job.first + row], *end = points + starts[job.first + row + 1];
#else
    __global const ww_value *point = points + ww_tile_at(job.first + row, job.dimension), *end = point;
#endif
    uint sum = 0;
#if WW_PROBING
    ww_scalar costs[WW_POSITIONS];
    uint moves[WW_POSITIONS]; // change of the sum by a position
    uint positions = 0;
#endif
    for (uint m = 0; m < WW_FUNCTIONS; m++) {
        const uint function = table * WW_FUNCTIONS + m, multiplier = ww_multiplier(function);
        const ww_hash hash = ww_hash_of(point, end, a, function, job.dimension);
        sum += hash.value * multiplier;
#if WW_PROBING
#pragma unroll
        for (uint side = 0; side < WW_SIDES; side++) {
            uint to = positions++;
            for (; to > 0 && costs[to - 1] > hash.cost[side]; to--) {
                costs[to] = costs[to - 1];
                moves[to] = moves[to - 1];
            }
            costs[to] = hash.cost[side];
            moves[to] = hash.move[side] * multiplier;
        }
#endif
    }
    for (uint p = 0; p < job.probes; p++) {
        uint moved = sum;
#if WW_PROBING
        ulong mask = masks[job.probe + p];
        for (uint i = 0; mask; i++, mask >>= 1)
            if (mask & 1)
                moved += moves[i];
#endif
        keys[((ulong)p * job.tables + table) * job.count + row] = ww_mix(moved);
    }
}

#if WW_TOGETHER == 2
// The same of one probe of numbers on a GPU: a work-item computes WW_KEY_ROWS rows, 64 apart, and up to 16 functions at
// a time (in double 8), so that a coefficient or coordinate is fetched once for many multiply-adds. Neighbouring groups
// have the same rows and other tables. Local memory: coefficients of WW_KEY_DEPTH coordinates, 2 KiB. Barriers: two for
// each such block.
#define WW_KEY_ROWS 4
#define WW_KEY_DEPTH 32u
#define WW_KEY_PASSES ((WW_FUNCTIONS + (WWK_DOUBLE ? 7 : 15)) / (WWK_DOUBLE ? 8 : 16))
#define WW_KEY_FOURS ((WW_FUNCTIONS + 4 * WW_KEY_PASSES - 1) / (4 * WW_KEY_PASSES))
typedef WW_PASTE(WW_REAL_NAME, 4) ww_key_four;

WW_INLINE uint ww_key_hash(ww_scalar projected) {
#if WW_FAMILY == WWK_FAMILY_STABLE
    return (uint)WW_PASTE(convert_int_sat, _rtn)(projected);
#else
    return (uint)(projected >= 0);
#endif
}
// A row's sum with four functions of a table more, from number m on, of those that there are.
WW_INLINE uint ww_key_add(uint sum, const ww_key_four projected, const uint table, const uint m) {
    const uint function = table * WW_FUNCTIONS + m;
    if (m < WW_FUNCTIONS)
        sum += ww_key_hash(projected.x) * ww_multiplier(function);
    if (m + 1 < WW_FUNCTIONS)
        sum += ww_key_hash(projected.y) * ww_multiplier(function + 1);
    if (m + 2 < WW_FUNCTIONS)
        sum += ww_key_hash(projected.z) * ww_multiplier(function + 2);
    if (m + 3 < WW_FUNCTIONS)
        sum += ww_key_hash(projected.w) * ww_multiplier(function + 3);
    return sum;
}
// What the sums of four functions begin with.
WW_INLINE ww_key_four ww_key_start(__global const ww_coefficient *a, const uint dimension, const uint table, const uint m) {
    ww_coefficient last[4];
#pragma unroll
    for (uint i = 0; i < 4; i++) {
        const uint function = table * WW_FUNCTIONS + min(m + i, WW_FUNCTIONS - 1u);
        last[i] = a[(ulong)function * (dimension + 1) + dimension];
    }
    return (ww_key_four)(last[0], last[1], last[2], last[3]);
}

__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_keys_blocked(__global const ww_value *restrict points, __global const ulong *restrict starts,
                    __global const ww_coefficient *restrict a, __global const ulong *restrict masks,
                    const ww_lsh_args job, __global uint *restrict keys) {
    __local ww_key_four part[WW_KEY_DEPTH * WW_KEY_FOURS];
    const uint group = job.first_group + (uint)get_group_id(0), item = (uint)get_local_id(0), block = group / job.tables;
    const uint table = ww_rest(group, job.tables, block);
    const uint row = block * (WW_KEY_ROWS * WW_LSH_WG) + item;
    __global const ww_value *point[WW_KEY_ROWS];
    uint sums[WW_KEY_ROWS];
#pragma unroll
    for (uint r = 0; r < WW_KEY_ROWS; r++) {
        point[r] = points + ww_tile_at(job.first + min(row + r * WW_LSH_WG, job.count - 1), job.dimension);
        sums[r] = 0;
    }
    for (uint m = 0; m < WW_FUNCTIONS; m += 4 * WW_KEY_FOURS) {
        ww_key_four projected[WW_KEY_FOURS][WW_KEY_ROWS];
#pragma unroll
        for (uint f = 0; f < WW_KEY_FOURS; f++) {
            const ww_key_four start = ww_key_start(a, job.dimension, table, m + 4 * f);
#pragma unroll
            for (uint r = 0; r < WW_KEY_ROWS; r++)
                projected[f][r] = start;
        }
        for (uint first = 0; first < job.dimension; first += WW_KEY_DEPTH) {
            const uint depth = min(job.dimension - first, WW_KEY_DEPTH);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = item; i < depth * (4 * WW_KEY_FOURS); i += WW_LSH_WG) {
                const uint f = i / depth, j = ww_rest(i, depth, f);
                const uint function = table * WW_FUNCTIONS + min(m + f, WW_FUNCTIONS - 1u);
                ((__local ww_coefficient *)part)[j * (4 * WW_KEY_FOURS) + f] =
                    a[(ulong)function * (job.dimension + 1) + first + j];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint j = 0; j < depth; j++) {
                ww_scalar x[WW_KEY_ROWS];
#pragma unroll
                for (uint r = 0; r < WW_KEY_ROWS; r++)
                    x[r] = point[r][(ulong)(first + j) * WW_KNN_TILE];
#pragma unroll
                for (uint f = 0; f < WW_KEY_FOURS; f++) {
                    const ww_key_four coefficients = part[j * WW_KEY_FOURS + f];
#pragma unroll
                    for (uint r = 0; r < WW_KEY_ROWS; r++)
                        projected[f][r] = fma(coefficients, (ww_key_four)x[r], projected[f][r]);
                }
            }
        }
#pragma unroll
        for (uint f = 0; f < WW_KEY_FOURS; f++)
#pragma unroll
            for (uint r = 0; r < WW_KEY_ROWS; r++)
                sums[r] = ww_key_add(sums[r], projected[f][r], table, m + 4 * f);
    }
#pragma unroll
    for (uint r = 0; r < WW_KEY_ROWS; r++)
        if (row + r * WW_LSH_WG < job.count)
            keys[(ulong)table * job.count + row + r * WW_LSH_WG] = ww_mix(sums[r]);
}
#endif

#if WW_TOGETHER == 1
// The same of one probe on a CPU: one work-item computes a tile of 64 rows for a table, WW_VECTOR rows at a time.
typedef WW_PASTE(WW_REAL_NAME, WW_VECTOR) ww_lsh_scalars;
typedef WW_PASTE(uint, WW_VECTOR) ww_lsh_uints;
#define WW_LSH_PARTS (WW_KNN_TILE / WW_VECTOR)

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ww_lsh_keys_together(__global const ww_value *restrict points, __global const ulong *restrict starts,
                     __global const ww_coefficient *restrict a, __global const ulong *restrict masks,
                     const ww_lsh_args job, __global uint *restrict keys) {
    const uint group = job.first_group + (uint)get_group_id(0), table = group / job.groups;
    const uint row = ww_rest(group, job.groups, table) * WW_KNN_TILE;
    __global const ww_value *tile = points + ww_tile_at(job.first + row, job.dimension);
    ww_lsh_uints sums[WW_LSH_PARTS];
    for (uint v = 0; v < WW_LSH_PARTS; v++)
        sums[v] = 0;
    for (uint m = 0; m < WW_FUNCTIONS; m++) {
        const uint function = table * WW_FUNCTIONS + m;
        __global const ww_coefficient *coefficients = a + (ulong)function * (job.dimension + 1);
        ww_lsh_scalars projected[WW_LSH_PARTS];
#pragma unroll
        for (uint v = 0; v < WW_LSH_PARTS; v++)
            projected[v] = (ww_lsh_scalars)coefficients[job.dimension];
        for (uint j = 0; j < job.dimension; j++)
#pragma unroll
            for (uint v = 0; v < WW_LSH_PARTS; v++)
                projected[v] = fma((ww_lsh_scalars)coefficients[j], WW_VLOAD(v, tile + j * WW_KNN_TILE), projected[v]);
#pragma unroll
        for (uint v = 0; v < WW_LSH_PARTS; v++)
#if WW_FAMILY == WWK_FAMILY_STABLE
            sums[v] +=
                WW_PASTE(as_uint, WW_VECTOR)(WW_PASTE(WW_PASTE(convert_int, WW_VECTOR), _sat_rtn)(projected[v])) *
                ww_multiplier(function);
#else
            sums[v] += WW_PASTE(convert_uint, WW_VECTOR)(-(projected[v] >= 0)) * ww_multiplier(function);
#endif
    }
    uint all[WW_KNN_TILE];
#pragma unroll
    for (uint v = 0; v < WW_LSH_PARTS; v++)
        WW_VSTORE(sums[v], v, all);
    for (uint i = 0; i < min(WW_KNN_TILE, job.count - row); i++)
        keys[(ulong)table * job.count + row + i] = ww_mix(all[i]);
}
#endif

// Counts the rows of every bucket; ranks[...]: the number counted there before this one.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_count(__global const uint *restrict keys, const ulong first_key, const ww_lsh_args job,
             __global uint *restrict counts, __global uint *restrict ranks) {
    const uint group = job.first_group + (uint)get_group_id(0), table = group / job.groups;
    const uint row = ww_rest(group, job.groups, table) * WW_LSH_WG + (uint)get_local_id(0);
    if (row >= job.count)
        return;
    const ulong at = (ulong)table * job.count + row;
    ranks[at] = atomic_inc(counts + (((ulong)table << (32 - job.shift)) + (keys[first_key + at] >> job.shift)));
}

// Exclusive scan in three steps: sums of blocks; one work-group scans these; each block is scanned, starting from its
// scanned sum. `total` counts; offsets[total] becomes the sum of all.
#define WW_LSH_BLOCK 2048u
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_block_sums(__global const uint *restrict counts, const ulong total, const uint first_group,
                  __global uint *restrict sums) {
    __local uint part[WW_LSH_WG];
    const uint item = (uint)get_local_id(0), group = first_group + (uint)get_group_id(0);
    const ulong begin = group * (ulong)WW_LSH_BLOCK, end = min(begin + WW_LSH_BLOCK, total);
    uint sum = 0;
    for (ulong i = begin + item; i < end; i += WW_LSH_WG)
        sum += counts[i];
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        for (uint i = 1; i < WW_LSH_WG; i++)
            sum += part[i];
        sums[group] = sum;
    }
}
// Scans `count` values by one work-group, each work-item a part.
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
// A work-item scans a part of 32, in local memory with a word between the parts (8.25 KiB): without it there would be
// bank conflicts.
#define WW_STRETCH (WW_LSH_BLOCK / WW_LSH_WG)
#define WW_STRETCHED(i) ((i) + (i) / WW_STRETCH)
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_offsets(__global const uint *restrict counts, const ulong total, const uint first_group,
               __global const uint *restrict sums, __global uint *restrict offsets) {
    __local uint part[WW_LSH_WG], block[WW_STRETCHED(WW_LSH_BLOCK)];
    const uint item = (uint)get_local_id(0), group = first_group + (uint)get_group_id(0);
    const ulong begin = group * (ulong)WW_LSH_BLOCK;
    const uint there = (uint)min(total - begin, (ulong)WW_LSH_BLOCK);
    for (uint i = item; i < WW_LSH_BLOCK; i += WW_LSH_WG)
        block[WW_STRETCHED(i)] = i < there ? counts[begin + i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local uint *own = block + WW_STRETCHED(item * WW_STRETCH);
    uint sum = 0;
    for (uint i = 0; i < WW_STRETCH; i++)
        sum += own[i];
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = sums[group];
    for (uint i = 0; i < item; i++)
        before += part[i];
    for (uint i = 0; i < WW_STRETCH; i++) {
        const uint count = own[i];
        own[i] = before;
        before += count;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < there; i += WW_LSH_WG)
        offsets[begin + i] = block[WW_STRETCHED(i)];
    if (begin + there == total && item == WW_LSH_WG - 1)
        offsets[total] = before; // those after the last count 0
}

__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_scatter(__global const uint *restrict keys, const ulong first_key, __global const uint *restrict ranks,
               const ww_lsh_args job, __global const uint *restrict offsets, __global uint *restrict entries) {
    const uint group = job.first_group + (uint)get_group_id(0), table = group / job.groups;
    const uint row = ww_rest(group, job.groups, table) * WW_LSH_WG + (uint)get_local_id(0);
    if (row >= job.count)
        return;
    const ulong at = (ulong)table * job.count + row;
    const ulong bucket = ((ulong)table << (32 - job.shift)) + (keys[first_key + at] >> job.shift);
    entries[offsets[bucket] + ranks[at]] = row;
}

// ---- search, many queries

// Each bucket from first_bucket to end_bucket: as many tasks as tiles of its rows; none where there is nothing to find.
// One work-item computes WW_BUCKETS of them. counters: a 64-bit sum of all pairs, low word first; then the number of
// tasks.
#define WW_BUCKETS 4
// A bucket's tasks, of rows from *begin on; adds its pairs.
WW_INLINE uint ww_bucket_tasks(__global const uint *query_offsets, __global const uint *offsets, const ww_lsh_args job,
                               const uint bucket, uint *begin, ulong *pairs) {
    *begin = query_offsets[bucket];
    const uint rows = query_offsets[bucket + 1] - *begin, points = offsets[bucket + 1] - offsets[bucket];
    const bool alone = points == 1 && rows == 1 && job.inside && job.probe == 0; // only the row itself is there
    if (points == 0 || rows == 0 || alone)
        return 0;
    *pairs += (ulong)rows * points;
    return (rows + job.tile - 1) / job.tile;
}

__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_tasks(__global const uint *restrict query_offsets, __global const uint *restrict offsets, const ww_lsh_args job,
             const uint first_bucket, const uint end_bucket, __global uint *restrict counters,
             __global uint2 *restrict tasks) {
    __local uint count, first;
    __local uint pairs[2];
    const uint bucket = first_bucket + WW_BUCKETS * (uint)get_global_id(0);
    uint begin[WW_BUCKETS], own[WW_BUCKETS], all = 0, place = 0;
    ulong both = 0;
#pragma unroll
    for (uint b = 0; b < WW_BUCKETS; b++) {
        begin[b] = own[b] = 0;
        if (bucket + b < end_bucket)
            own[b] = ww_bucket_tasks(query_offsets, offsets, job, bucket + b, &begin[b], &both);
        all += own[b];
    }
    if (get_local_id(0) == 0) {
        count = first = 0;
        pairs[0] = pairs[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (all) {
        const uint low = (uint)both;
        place = atomic_add(&count, all);
        if (atomic_add(pairs, low) + low < low)
            atomic_inc(pairs + 1);
        atomic_add(pairs + 1, (uint)(both >> 32));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && count) {
        const uint low = pairs[0];
        first = atomic_add(counters + 2, count);
        if (atomic_add(counters, low) + low < low)
            atomic_inc(counters + 1);
        atomic_add(counters + 1, pairs[1]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    __global uint2 *to = tasks + first + place;
#pragma unroll
    for (uint b = 0; b < WW_BUCKETS; b++)
        for (uint i = 0; i < own[b]; i++)
            *to++ = (uint2)(bucket + b, begin[b] + i * job.tile);
}

#if WW_FAMILY != WWK_FAMILY_SETS
// Copies tiles to rows: `count` points, from `first` on. One work-item a point.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_rows(__global const ww_value *restrict tiles, const uint first, const uint count, const uint dimension,
            __global ww_value4 *restrict rows) {
    const uint point = (uint)get_global_id(0), vectors = (dimension + 3) / 4;
    if (point >= count)
        return;
    __global const ww_value *from = tiles + ww_tile_at(first + point, dimension);
    for (uint v = 0; v < vectors; v++)
        rows[(ulong)point * vectors + v] = ww_tile_four(from, 4 * v, dimension);
}
#endif

// ---- search, query by query

// Enters an id; whether it was not there.
WW_INLINE bool ww_set_enter(__local uint *set, const uint id) {
    uint slot = ww_mix(id) % WW_SET;
    for (;;) {
        const uint there = atomic_cmpxchg(set + slot, WW_NO_INDEX, id);
        if (there == WW_NO_INDEX || there == id)
            return there != id;
        slot = slot + 1 < WW_SET ? slot + 1 : 0;
    }
}

// One work-group a query: the ids of its buckets' points, each once. Local memory: WW_SET words. Two barriers.
__kernel __attribute__((reqd_work_group_size(WW_ROW_WG, 1, 1))) void
ww_lsh_gather(__global const uint *restrict keys, __global const uint *restrict offsets,
              __global const uint *restrict entries, __global const uint *restrict removed, const ww_lsh_args job,
              __global uint *restrict counts, __global uint *restrict ids) {
    __local uint set[WW_SET];
    __local uint found;
    const uint item = (uint)get_local_id(0), row = (uint)get_group_id(0);
    const uint own = job.own == WW_NO_INDEX ? WW_NO_INDEX : job.own + row;
    for (uint i = item; i < WW_SET; i += WW_ROW_WG)
        set[i] = WW_NO_INDEX;
    if (item == 0)
        found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool full = false;
    for (uint r = item; r < job.tables * job.probes && !full; r += WW_ROW_WG) {
        const ulong bucket =
            ((ulong)(r % job.tables) << (32 - job.shift)) + (keys[(ulong)r * job.count + row] >> job.shift);
        const uint end = offsets[bucket + 1];
        for (uint e = offsets[bucket]; e < end && !full; e++) {
            const uint id = job.base_id + entries[e];
            if (id == own || (removed && (removed[id / 32] >> id % 32 & 1u)))
                continue;
            if (!ww_set_enter(set, id))
                continue;
            const uint place = atomic_inc(&found);
            full = place >= job.capacity;
            if (!full)
                ids[(ulong)row * job.capacity + place] = id;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        counts[row] = found; // above the capacity: some were left out
}

// ---- a sample

// Points by their numbers, in row order. One work-item a coordinate.
__kernel __attribute__((reqd_work_group_size(WW_LSH_WG, 1, 1))) void
ww_lsh_take(__global const ww_value *restrict points, __global const uint *restrict numbers, const uint count,
            const uint dimension, __global ww_value *restrict rows) {
    const ulong at = get_global_id(0), row = at / dimension;
    if (row < count)
        rows[at] = points[ww_tile_at(numbers[row], dimension) + (at - row * dimension) * WW_KNN_TILE];
}
