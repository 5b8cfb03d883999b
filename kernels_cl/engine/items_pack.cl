// SPDX-License-Identifier: Apache-2.0
// What the kernels with a work-item a pair share (packed_items.cl, packed_soft.cl): which unit of work is next and which pairs
// are in it. No kernel.
//
// Work-groups take units from a counter until none is left, the longest first: in a rectangle a pack of row series and a
// chunk of column series (rows_per_group of them), in a list a pack. The row series of a pack are interleaved (interleave.cl)
// so that they end together, with padding rows before the shorter ones; in a list the column series are interleaved too.

// A unit, and what of it is this work-item's.
typedef struct {
    uint pack, rows;                // the pack, and its row-steps
    uint slot;                      // of the row series, or the task; may be behind the last (not `mine`)
    uint x, result;                 // the row series; in a list the number of the result
    uint column_begin, column_end;  // column slots; in a list one, without a meaning
    bool mine;
} ww_items_unit;

// The number of the next unit, the same for all work-items. `taken` is a word of local memory.
WW_INLINE uint ww_items_next(__global uint *counter, __local uint *taken, uint lane) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0)
        *taken = atomic_inc(counter);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *taken;
}
// Values of a pack are those of all its row-steps (or columns).
WW_INLINE uint ww_items_length(__global const ulong *pack_offset, uint pack) {
    return (uint)((pack_offset[pack + 1] - pack_offset[pack]) / (WW_PARTS * WW_PACK));
}
WW_INLINE ww_items_unit ww_items_unit_of(const ww_launch_args args, uint unit, uint packs, __global const uint *x_order,
                                         __global const ulong *x_pack_offset, uint lane) {
    ww_items_unit u;
    const uint chunk = unit / packs;
    u.pack = packs - 1 - ww_rest(unit, packs, chunk);
    u.slot = args.row_begin + u.pack * WW_PACK + lane;
    u.mine = u.slot < args.row_end;
    u.rows = ww_items_length(x_pack_offset, u.pack);
    const uint slot = min(u.slot, args.row_end - 1);
    u.x = WW_STEP_X(slot);
    u.result = WW_LIST ? WW_TASK_RESULT(slot) : 0;
    // The longest columns first, too.
    const uint chunks = (args.column_end - args.column_begin + args.rows_per_group - 1) / args.rows_per_group;
    u.column_begin = WW_LIST ? 0 : args.column_begin + (chunks - 1 - chunk) * args.rows_per_group;
    u.column_end = WW_LIST ? 1 : min(u.column_begin + args.rows_per_group, args.column_end);
    return u;
}
// Whether a row slot has a pair with the column: in a half not all have.
WW_INLINE bool ww_items_wants(const ww_launch_args args, uint slot, uint column) {
    return WW_LIST || !(args.flags & WW_LAUNCH_HALF) || slot < column;
}
WW_INLINE uint ww_items_column(const ww_launch_args args, ww_items_unit u, __global const uint *x_order,
                               __global const uint *y_order, uint column) {
    return WW_LIST ? WW_TASK_Y(min(u.slot, args.row_end - 1)) : y_order[column];
}
// Where this work-item passes values on to the next strip: args.scratch rows x WW_PACK values a work-group.
WW_INLINE __global ww_scalar *ww_items_edges(__global ww_scalar *scratch, const ww_launch_args args, uint lane) {
    return scratch + (ulong)get_group_id(0) * args.scratch * WW_PACK + lane;
}
