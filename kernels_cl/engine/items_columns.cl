// SPDX-License-Identifier: Apache-2.0
// Engine `packed` on GPUs with many channels (packed_items.cl): the strip's columns in local memory, not in registers. No kernel is
// here; this text is before items_edges.cl. Rectangles of plain measures in float, without a band, open ends or a soft minimum.
//
// A column's point serves WW_ROWS rows: it is read once for them, with the value above each of these columns (`c`, which is each
// work-item's own). So a step goes column by column, in a loop, whose code is small, and a strip ends where the series ends. The
// registers hold the rows' points alone (two columns at a time). They are not fetched ahead, which would need them twice.
#define WW_COLUMNS_LOCAL 1
#define WW_FETCH_AHEAD 0
#define WW_COLUMN_WORDS ((WW_CHANNELS + 3) / 4 * 4)
#define WW_COLUMN(r) column_point

WW_INLINE ww_point ww_local_point(const __local float *at) {
    ww_point point;
#pragma unroll
    for (int c = 0; c < WW_CHANNELS; c += 4) {
        const float4 some = *(const __local float4 *)(at + c);
        const float four[4] = {some.x, some.y, some.z, some.w};
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (c + k < WW_CHANNELS)
                point.value[c + k < WW_CHANNELS ? c + k : 0] = four[k];
    }
    return point;
}
// The work-group brings a strip's points together. Each work-item has an odd number of values, so that neighbours use different
// banks.
#define WW_ITEM_LOCAL_COLUMNS                                                                                          \
    __local float column_points[WW_COLS * WW_COLUMN_WORDS] __attribute__((aligned(16)));                               \
    __local float columns_above[WW_WG * (WW_COLS | 1)];                                                                \
    __local float *const c = columns_above + lane * (WW_COLS | 1);
#define WW_ITEM_BRING_COLUMNS                                                                                          \
    const uint width = (min((uint)WW_COLS, m - first_column) + 1) & ~1u;                                               \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    for (uint r = lane; r < width; r += WW_WG)                                                                         \
        for (uint k = 0; k < WW_CHANNELS; k++)                                                                         \
            column_points[r * WW_COLUMN_WORDS + k] = y.at[k * (ulong)m + min(first_column + r, m - 1)];                          \
    barrier(CLK_LOCAL_MEM_FENCE);
#define WW_SWEEP_OF(rows, from, to, diagonal, keep, column, row)                                                       \
    _Pragma("unroll 1") for (int first = 0; first < (int)width; first += 2)                                            \
        _Pragma("unroll") for (int r = first; r < first + 2; r++) {                                                    \
            const ww_point column_point = ww_local_point(column_points + r * WW_COLUMN_WORDS);                         \
            _Pragma("unroll") for (int q = 0; q < (rows); q++)                                                         \
                WW_SWEEP_CELL(rows, q, r, diagonal, keep, column, row)                                                 \
        }
