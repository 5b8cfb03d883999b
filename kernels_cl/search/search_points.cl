// SPDX-License-Identifier: Apache-2.0
// Windows of a stream as the kernels of a search see them: which windows a work-item has, and their normalised points.
// The stream is not copied: a point is normalised when it is loaded, by the table of search_moments.cl.
//
// Parameters: base/points.cl's; WW_SEARCH_AFFINE: WWK_AFFINE_..., SCALED of differences; WW_SEARCH_LISTED 1: the windows of a list, 0: consecutive ones. WW_VECTOR windows a work-item at a time.

typedef struct {
    __global const ww_scalar *at;  // of the first window
    real centre[WW_CHANNELS], scale[WW_CHANNELS], shift[WW_CHANNELS];
} ww_window;

// The table's row of a channel. kind: 0 centre, 1 scale, 2 shift.
WW_INLINE __global const ww_scalar *ww_table_of(__global const ww_scalar *table, const ww_window_args args, int c,
                                                int kind) {
    return table + (3 * (ulong)(args.channel + c) + kind) * args.stride;
}

// The numbers of all lanes.
WW_INLINE real ww_load_lanes(__global const ww_scalar *at) {
#if WW_VECTOR == 1
    return *at;
#else
    return WW_VLOAD(0, at);
#endif
}

// Consecutive windows from p on. Also without normalisation scale is NaN for a window that can't match.
WW_INLINE ww_window ww_window_at(__global const ww_scalar *values, __global const ww_scalar *table,
                                 const ww_window_args args, uint p) {
    ww_window w;
    w.at = values + args.channel * args.stride + p;
    for (int c = 0; c < WW_CHANNELS; c++) {
        w.centre[c] = WW_SEARCH_AFFINE == WWK_AFFINE_SHIFTED ? ww_load_lanes(ww_table_of(table, args, c, 0) + p) : 0;
        w.shift[c] = WW_SEARCH_AFFINE == WWK_AFFINE_SHIFTED ? ww_load_lanes(ww_table_of(table, args, c, 2) + p) : 0;
        w.scale[c] = ww_load_lanes(ww_table_of(table, args, c, 1) + p);
    }
    return w;
}

// A value of one window, or of all lanes.
#define ww_affine(value, centre, scale, shift)                                                                         \
    (WW_SEARCH_AFFINE == WWK_AFFINE_SHIFTED ? fma((value) - (centre), scale, shift)                                    \
                                            : WW_SEARCH_AFFINE == WWK_AFFINE_SCALED ? (value) * (scale) : (value))
WW_INLINE real ww_window_affine(const ww_window *w, int c, real value) {
    return ww_affine(value, w->centre[c], w->scale[c], w->shift[c]);
}
// Channel c of point j of each window.
WW_INLINE real ww_window_value(const ww_window *w, const ww_window_args args, int c, uint j) {
    return ww_window_affine(w, c, ww_load_lanes(w->at + c * args.stride + j));
}
