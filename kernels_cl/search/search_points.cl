// SPDX-License-Identifier: Apache-2.0
// Windows of a stream as the kernels of a search see them: which windows a work-item has, and their normalised points.
// The stream is not copied: a point is normalised when it is loaded, by the table of search_moments.cl (WW_AFFINE).
//
// Parameters: base/points.cl's; WW_AFFINE 0: points as they are, 1: (v - centre) * scale + shift, 2: v * scale (of
// differences); WW_LISTED 1: the windows of a list, 0: consecutive ones. WW_VECTOR windows a work-item at a time.
#ifndef WW_AFFINE
#define WW_AFFINE 1
#endif
#ifndef WW_LISTED
#define WW_LISTED 0
#endif

// The host's twin is wwi_window_args in src/search/search_internal.h.
typedef struct {
    ulong stride;        // elements from one channel to the next, and from one row of the table to the next
    uint n;              // points of a window
    uint first, count;   // consecutive windows
    uint channel;        // of a pass over one channel, else 0
    uint accumulate;     // 1: adds to what is there
    uint query;          // whose limit and counters
    uint x_stride;       // elements from one channel of the query to the next
    float margin;        // a bound times this is never above the computed value
    uint x_at, order_at; // where the query begins among the values of all, and among their points
    ulong out_stride;    // from a query's row of results, and of windows left, to the next one's
#ifdef WW_PARAMETERS
    ww_parameters parameters;
#endif
} ww_window_args;
// In a kernel: its query, results, list and counter.
#define WW_OF_QUERY(args)                                                                                              \
    x += (args).x_at, out += (args).query * (args).out_stride, list += (args).query * (args).out_stride;               \
    found += (args).query;

typedef struct {
    __global const ww_scalar *at;  // of the first window
    real centre[WW_CHANNELS], scale[WW_CHANNELS], shift[WW_CHANNELS];
} ww_window;

#if WW_VECTOR == 1
#define WW_LOAD_LANES(at) (*(at))
#else
#define WW_LOAD_LANES(at) WW_VLOAD(0, at)
#endif
#define WW_TABLE(table, args, c, kind) ((table) + (3 * (ulong)((args).channel + (c)) + (kind)) * (args).stride)

// Consecutive windows from p on. Also without normalisation scale is NaN for a window that can't match.
WW_INLINE ww_window ww_window_at(__global const ww_scalar *values, __global const ww_scalar *table, ww_window_args args,
                                 uint p) {
    ww_window w;
    w.at = values + args.channel * args.stride + p;
    for (int c = 0; c < WW_CHANNELS; c++) {
#if WW_AFFINE == 1
        w.centre[c] = WW_LOAD_LANES(WW_TABLE(table, args, c, 0) + p);
        w.shift[c] = WW_LOAD_LANES(WW_TABLE(table, args, c, 2) + p);
#else
        w.centre[c] = 0;
        w.shift[c] = 0;
#endif
        w.scale[c] = WW_LOAD_LANES(WW_TABLE(table, args, c, 1) + p);
    }
    return w;
}

WW_INLINE real ww_affine(real value, real centre, real scale, real shift) {
#if WW_AFFINE == 1
    return fma(value - centre, scale, shift);
#elif WW_AFFINE == 2
    return value * scale;
#else
    return value;
#endif
}
#define WW_NORMAL(w, c, value) ww_affine(value, (w).centre[c], (w).scale[c], (w).shift[c])
// Channel c of point j of each window.
#define WW_WINDOW_VALUE(w, args, c, j)                                                                                 \
    WW_NORMAL(w, c, WW_LOAD_LANES((w).at + (c) * (args).stride + (j)))
