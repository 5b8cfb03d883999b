// SPDX-License-Identifier: Apache-2.0
// Engine `packed` on GPUs with many channels (packed_items.cl): the strip's columns in local memory, not in registers. No kernel is
// here; this text is before items_edges.cl. Rectangles of plain measures in float, without a band, open ends or a soft minimum.
//
// A column's point serves WW_ROWS rows: it is read once for them, and so is the value above it (`c`, which is each
// work-item's own). So a row-step is a loop over WW_COLUMNS_EACH columns at a time: its code is small, and a strip ends
// where the series ends. Registers hold the rows' points, which are not fetched ahead: they would be there twice.
#define WW_COLUMNS_LOCAL 1
#define WW_FETCH_AHEAD 0
#define WW_COLUMN_FOURS ((WW_CHANNELS + 3) / 4)
#define WW_COLUMN(r) column_point[(r)-first]
// Four are a little faster on NVIDIA with few channels; others would spill.
#define WW_COLUMNS_EACH (WW_EXCHANGE == 1 && WW_CHANNELS <= 8 ? 4 : 2)

WW_INLINE ww_point ww_local_point(const __local float4 *at) {
    ww_point point;
#pragma unroll
    for (int c = 0; c < WW_CHANNELS; c += 4) {
        const float4 some = at[c / 4];
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
    __local float4 column_points[WW_COLS * WW_COLUMN_FOURS];                                                           \
    __local float columns_above[WW_WG * (WW_COLS | 1)];                                                                \
    __local float *const c = columns_above + lane * (WW_COLS | 1);
#define WW_ITEM_BRING_COLUMNS                                                                                          \
    const uint width = (min((uint)WW_COLS, m - first_column) + WW_COLUMNS_EACH - 1) & ~(WW_COLUMNS_EACH - 1u);         \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    for (uint r = lane; r < width; r += WW_WG)                                                                         \
        for (uint k = 0; k < WW_CHANNELS; k++)                                                                         \
            ((__local float *)column_points)[4 * r * WW_COLUMN_FOURS + k] =                                            \
                y.at[k * (ulong)m + min(first_column + r, m - 1)];                                                     \
    barrier(CLK_LOCAL_MEM_FENCE);
#define WW_SWEEP_OF(rows, from, to, diagonal, keep, column, row)                                                       \
    _Pragma("unroll 1") for (int first = 0; first < (int)width; first += WW_COLUMNS_EACH) {                            \
        ww_point column_point[WW_COLUMNS_EACH];                                                                        \
        _Pragma("unroll") for (int k = 0; k < WW_COLUMNS_EACH; k++)                                                    \
            column_point[k] = ww_local_point(column_points + (first + k) * WW_COLUMN_FOURS);                           \
        _Pragma("unroll") for (int w = 0; w < WW_COLUMNS_EACH + (rows)-1; w++)                                         \
            _Pragma("unroll") for (int q = (rows)-1; q >= 0; q--)                                                      \
                if (w - q >= 0 && w - q < WW_COLUMNS_EACH)                                                             \
                    WW_SWEEP_CELL(rows, q, first + w - q, diagonal, keep, column, row)                                 \
    }
