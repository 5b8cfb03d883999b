// SPDX-License-Identifier: Apache-2.0
// Shapelets: what the kernels of this folder share. No kernel is here.
//
// A candidate is a window of `l` points of a training series; a *column* is a place where candidates start, and holds
// all lengths of the list (least, least + step, ...) up to its reach. Its distance to a series is the least over the
// windows of that series. Tables hold, for every column and for every window of the series, what one more point adds
// to the covariance (shapelet_tables.cl); shapelet_tensor.cl, shapelet_extend.cl and shapelet_diagonal.cl make of them the best
// correlation of every candidate with every series; shapelet_split.cl sorts those and finds the best split.
//
// Distances are handled as q, from 0 to 1: (1 - correlation) / 2, or without z-normalisation the mean squared
// difference divided by the square of the data's range.
//
// Parameters, all given by the host:
//   WW_C     channels
//   WW_RAW   1: windows are not z-normalised
//   WW_V     columns in one `columns_` vector: 1, or 16 on CPUs
//   WW_WG    work-items of a group

// Where the sums of the first rows for length number li begin (shapelet_tables.cl).
WW_INLINE uint ww_sums_of(const ww_shapelet_args job, uint li) {
    return li ? (job.least + 3) / 4 * 4 + (li - 1) * ((job.step + 3) / 4 * 4) : 0;
}

#if WW_V == 1
typedef float ww_columns;
typedef uint ww_column_ids;
#define WW_SHAPELET_LOAD_COLUMNS(p) (*(p))
#define WW_LOAD_IDS(p) (*(p))
#define WW_STORE_COLUMNS(v, p) (*(p) = (v))
#else
typedef float16 ww_columns;
typedef uint16 ww_column_ids;
#define WW_SHAPELET_LOAD_COLUMNS(p) vload16(0, p)
#define WW_LOAD_IDS(p) vload16(0, p)
#define WW_STORE_COLUMNS(v, p) vstore16(v, 0, p)
#endif
// A `value` that is NaN counts for nothing.
WW_INLINE ww_columns ww_larger(ww_columns value, ww_columns old) {
    return WW_V == 1 ? fmax(value, old) : value > old ? value : old;
}
WW_INLINE ww_columns ww_smaller(ww_columns value, ww_columns old) {
    return WW_V == 1 ? fmin(value, old) : value < old ? value : old;
}

// What q is made of: the tables of shapelet_tables.cl, and q of each series that is combined with. flats: of each series and
// length 1 where it has a constant window; by diagonals the other bits are the worst condition number of its windows, a float,
// and behind the last series is that of all.
typedef struct {
    global const float *nearest, *norms;
    global const uint *flats, *reaches, *own;
    global const float *before;
} ww_q_tables;

// The error of q of a candidate (the length number li from column c, of l points), or of sqrt(q): x, and y for each unit of the
// windows' condition number. By diagonals it is u / 2 times the condition numbers of both (docs/shapelets.md).
WW_INLINE float2 ww_error_parts(const ww_q_tables *tables, uint li, uint c, uint l, const ww_shapelet_args job) {
    const float unit = 1.0f / 16777216;
    if (l <= job.shorts)
        return (float2)(job.error + (0.5f * (float)l + 1.0f) * unit, 0);
    if (job.rows == 0)
        return (float2)(job.error + job.error_root * sqrt((float)l) + job.error_each * (float)l, 0);
    // Of three points: 2 u (|A| |dy|) for the tables, |A| |dy| at most sqrt(3) times the norms, and two roundings.
    if (l <= job.direct)
        return (float2)(job.error + 4.0f * unit, 0);
    return (float2)(job.error, 0.505f * unit * tables->norms[((ulong)job.count + li) * job.columns + c]);
}

// The error to any series; 1: nothing is known.
WW_INLINE float ww_error(const ww_q_tables *tables, uint li, uint c, uint l, const ww_shapelet_args job) {
    const float2 parts = ww_error_parts(tables, li, c, l, job);
    return parts.y > 0 ? fmin(fma(parts.y, as_float(tables->flats[job.series * job.count + li]), parts.x), 1.0f) : parts.x;
}

#if WW_V == 1
// q of a candidate (the length number li from column c, of l points) and series j; of a short one sqrt(q).
WW_INLINE float ww_q_of(const ww_q_tables *tables, uint j, uint li, uint c, uint l, const ww_shapelet_args job) {
    const float value = tables->nearest[((ulong)j * job.count + li) * job.columns + c];
    float q;
    if (WW_RAW) {
        q = value * job.scale / (float)l;
    } else if (WW_C == 1) {
        const float norm = tables->norms[(ulong)li * job.columns + c];
        const uint length = job.single ? max(l, 1u) - 1 : li;
        const uint flat = tables->flats[(ulong)j * (job.single ? job.longest : job.count) + length] & 1u;
        const float r = job.gaps ? 1.0f - value * norm : value * norm;
        const float close = norm == 0 ? (flat ? 1.0f : 0.5f) : fmax(r, flat ? 0.5f : -1.0f);
        q = l <= job.shorts ? value : (1.0f - close) * 0.5f;
    } else {
        const float halves = tables->norms[((ulong)WW_C * job.count + li) * job.columns + c];
        q = (1.0f - (value + halves) * (1.0f / WW_C)) * 0.5f;
    }
    // The distance of a candidate to its own series is 0.
    q = tables->own[c] == j ? 0.0f : q;
    if (job.combine) {
        const float so_far = l <= job.shorts ? sqrt(tables->before[j]) : tables->before[j];
        q = job.combine == 1 ? fmax(q, so_far) : fmin(q, so_far);
    }
    return fmin(fmax(q, 0.0f), 1.0f);
}
#endif
