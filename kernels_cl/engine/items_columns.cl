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
// Four are a little faster on NVIDIA with few channels; others would spill.
#define WW_COLUMNS_EACH (WW_EXCHANGE == WWK_EXCHANGE_NV_SHFL && WW_CHANNELS <= 8 ? 4 : 2)
// Values above the columns of a work-item: an odd number, so that neighbours use different banks.
#define WW_COLUMNS_APART (WW_COLS | 1)

typedef struct {
    __local float4 *points;  // of the work-group, WW_COLUMN_FOURS a column
    __local float *c;        // the values above the columns
    uint width;              // columns of the strip, in whole turns
} ww_local_columns;

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
// The work-group brings a strip's points together; nothing is above them yet.
WW_INLINE void ww_local_bring(ww_local_columns *s, ww_series y, uint first_column, uint lane) {
    s->width = (min((uint)WW_COLS, y.length - first_column) + WW_COLUMNS_EACH - 1) & ~(WW_COLUMNS_EACH - 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = lane; r < s->width; r += WW_WG)
        for (uint k = 0; k < WW_CHANNELS; k++)
            ((__local float *)s->points)[4 * r * WW_COLUMN_FOURS + k] =
                y.at[k * (ulong)y.length + min(first_column + r, y.length - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = 0; r < s->width; r++)
        s->c[r] = WW_BORDER;
}
// `rows` rows across the strip.
WW_INLINE void ww_sweep_local(ww_block *w, const ww_launch_args args, const ww_local_columns s, const int rows,
                              const int what) {
#pragma unroll 1
    for (int first = 0; first < (int)s.width; first += WW_COLUMNS_EACH) {
        ww_point column[WW_COLUMNS_EACH];
#pragma unroll
        for (int k = 0; k < WW_COLUMNS_EACH; k++)
            column[k] = ww_local_point(s.points + (first + k) * WW_COLUMN_FOURS);
#pragma unroll
        for (int k = 0; k < WW_COLUMNS_EACH + rows - 1; k++)
#pragma unroll
            for (int q = rows - 1; q >= 0; q--)
                if (k - q >= 0 && k - q < WW_COLUMNS_EACH) {
                    const int r = first + k - q;
                    ww_block_cell(w, args, q, r, q ? w->v[q ? q - 1 : 0] : s.c[r], column[k - q], what);
                    if (q == rows - 1)
                        s.c[r] = w->v[q];
                }
    }
}
