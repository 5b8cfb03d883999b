// SPDX-License-Identifier: Apache-2.0
// What the kernels with a work-item a pair share (packed_items.cl, packed_soft.cl): their arguments, which unit of work is
// next and which pairs are in it. No kernel.
//
// Work-groups take units from a counter until none is left, the longest first: in a rectangle a pack of row series and a
// chunk of column series (rows_per_group of them), in a list a pack. The row series of a pack are interleaved (interleave.cl)
// so that they end together, with padding rows before the shorter ones; in a list the column series are interleaved too.
#ifndef WW_WG
#define WW_WG 32
#endif
#ifndef WW_PACK
#define WW_PACK WW_WG
#endif

#define WW_ITEMS_ARGUMENTS                                                                                             \
    __global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,                             \
        __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,                         \
        __global const uint *restrict x_order, __global const uint *restrict y_order, __global const uint *restrict band, \
        __global ww_scalar *restrict out, const ww_launch_args args, __global const ww_scalar *restrict x_packed,      \
        __global const ulong *restrict x_pack_offset, __global const ww_scalar *restrict y_packed,                     \
        __global const ulong *restrict y_pack_offset, __global ww_scalar *scratch, __global uint *restrict counter,    \
        const uint packs, const uint units

// Where this work-item hands values on to the next strip: args.scratch rows x WW_PACK values a work-group.
#define WW_ITEMS_EDGES (scratch + (ulong)get_group_id(0) * args.scratch * WW_PACK + lane)

// The next unit, or the kernel's end: `xs`, `rows` of the pack's row series; `mine`: this work-item has a pair. Needs `lane`
// and `__local uint taken`.
#define WW_ITEMS_UNIT                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    if (lane == 0)                                                                                                     \
        taken = atomic_inc(counter);                                                                                   \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    const uint unit = taken;                                                                                           \
    if (unit >= units)                                                                                                 \
        return;                                                                                                        \
    const uint chunk = unit / packs, pack = packs - 1 - ww_rest(unit, packs, chunk);                                   \
    const uint slot = args.row_begin + pack * WW_PACK + lane;                                                          \
    const bool mine = slot < args.row_end;                                                                             \
    __global const ww_scalar *xs = x_packed + x_pack_offset[pack] + lane;                                              \
    /* Values of a pack: all its row-steps. */                                                                         \
    const uint rows = (uint)((x_pack_offset[pack + 1] - x_pack_offset[pack]) / (WW_PARTS * WW_PACK));                  \
    WW_ITEMS_ROW                                                                                                       \
    const uint n = x.length;

// The row series x; the column series y, `ys` in a list, of `widest` points and, before others are behind its last, m. A unit's
// pairs are WW_ITEMS_EACH { WW_ITEMS_COLUMN ... WW_ITEMS_STORE(result) }.
#if WW_LIST
#define WW_ITEMS_ROW                                                                                                   \
    const uint task = min(slot, args.row_end - 1);                                                                     \
    const ww_series x = ww_series_load(x_values, x_series, WW_TASK_X(task), args.channel);
#define WW_ITEMS_EACH
#define WW_ITEMS_COLUMN                                                                                                \
    const ww_series y = ww_series_load(y_values, y_series, WW_TASK_Y(task), args.channel);                             \
    __global const ww_scalar *ys = y_packed + y_pack_offset[pack] + lane;                                              \
    const uint widest = (uint)((y_pack_offset[pack + 1] - y_pack_offset[pack]) / (WW_PARTS * WW_PACK)), m = y.length;
#define WW_ITEMS_STORE(result)                                                                                         \
    if (mine)                                                                                                          \
        ww_store(out, args, 0, 0, WW_TASK_RESULT(task), ww_final(result, n, m));
#else
#define WW_ITEMS_ROW                                                                                                   \
    const uint id = x_order[min(slot, args.row_end - 1)];                                                              \
    const ww_series x = ww_series_load(x_values, x_series, id, args.channel);                                          \
    /* The longest columns first, too. */                                                                              \
    const uint chunks = (args.column_end - args.column_begin + args.rows_per_group - 1) / args.rows_per_group;         \
    const uint column_begin = args.column_begin + (chunks - 1 - chunk) * args.rows_per_group;                          \
    const uint column_end = min(column_begin + args.rows_per_group, args.column_end);
#define WW_ITEMS_EACH for (uint column = column_begin; column < column_end; column++)
// Half: a pack's first row has the smallest slot; where even that is not below, nothing is wanted.
#define WW_ITEMS_COLUMN                                                                                                \
    if ((args.flags & WW_LAUNCH_HALF) && column <= args.row_begin + pack * WW_PACK)                                    \
        continue;                                                                                                      \
    const uint y_id = y_order[column];                                                                                 \
    const ww_series y = ww_series_load(y_values, y_series, y_id, args.channel);                                        \
    const uint m = y.length, widest = m;
#define WW_ITEMS_STORE(result)                                                                                         \
    if (mine && (!(args.flags & WW_LAUNCH_HALF) || slot < column))                                                     \
        ww_store(out, args, id, y_id, 0, ww_final(result, n, m));
#endif
