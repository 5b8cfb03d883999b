// SPDX-License-Identifier: Apache-2.0
// Engine `lanes`: the matrix of a pair walked by G adjacent work-items (lanes), whole rows at a time.
//
// Lane l keeps columns l*WW_COLS .. (l+1)*WW_COLS-1 of the previous row in registers. A step takes WW_ROWS rows across the
// lane's columns, the q-th row one column behind the row above it, so that no register is copied; then each lane hands the
// value of its last column in each of these rows to its right-hand neighbour, which takes the same rows one step later.
// A group of lanes walks a list of pairs (tasks) without a pause: lane 0 begins the next pair while the others finish this one.
//
// Two ways to say which pairs:
//   WW_LIST 0: a rectangle. A group owns one column series and takes the row series of its chunk one after the other.
//   WW_LIST 1: a list of (row, column, result) triples, `rows_per_group` consecutive ones a group.
//
// Parameters: WW_COLS, WW_ROWS, WW_WG (work-group size), WW_EXCHANGE (vendor.cl; 0: through local memory).
// Local memory: with WW_EXCHANGE 0 2*WW_ROWS*WW_WG values, one barrier a step; else none.
#ifndef WW_COLS
#define WW_COLS 16
#endif
#ifndef WW_ROWS
#define WW_ROWS 2
#endif
#ifndef WW_WG
#define WW_WG 64
#endif
#ifndef WW_LIST
#define WW_LIST 0
#endif

// How results are laid out; the same in all engines.
typedef struct {
    ulong row_stride, column_stride;  // elements
    uint row_base, column_base;       // first row and column of the block
    uint count;                       // condensed: series in the set
    uint mode;                        // 0 strided, 1 strided and mirrored, 2 condensed
} ww_unused_layout;

// `rows` rows across this lane's columns. v: in: the left-hand neighbour's values in these rows; out: this lane's last
// column. d: in: the values above v. c: the previous row, and on return the last of these rows. A macro, because arrays
// passed to a function stay in memory with NVIDIA's compiler.
#define WW_SWEEP(rows)                                                                                                 \
    _Pragma("unroll") for (int w = 0; w < WW_COLS + (rows)-1; w++) {                                                   \
        _Pragma("unroll") for (int q = (rows)-1; q >= 0; q--) {                                                        \
            const int r = w - q;                                                                                       \
            if (r >= 0 && r < WW_COLS) {                                                                               \
                const real up = q ? v[q - 1] : c[r];                                                                   \
                const real value = ww_cell(v[q], up, d[q], e[q], b[r]);                                                \
                d[q] = up;                                                                                             \
                v[q] = value;                                                                                          \
                if (q == (rows)-1)                                                                                     \
                    c[r] = value;                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_lanes(__global const ww_scalar *restrict x, __global const ulong2 *restrict x_series,
         __global const ww_scalar *restrict y, __global const ulong2 *restrict y_series,
         __global const uint *restrict x_order, __global const uint *restrict y_order, __global const uint *restrict steps,
         const uint group_width, const uint row_begin, const uint row_end, const uint rows_per_group,
         const uint column_begin, const uint column_end, const uint column_tiles, 
         __global ww_scalar *restrict out, const ulong row_stride, const ulong column_stride, const uint row_base,
         const uint column_base) {
    const uint lid = get_local_id(0);
    const uint lane = lid & (group_width - 1);
    const uint groups = WW_WG / group_width;
    const uint chunk = get_group_id(0) / column_tiles;
    const uint slot = column_begin + (get_group_id(0) % column_tiles) * groups + lid / group_width;
    const uint total = steps[chunk] + group_width - 1;

    uint row = row_begin + chunk * rows_per_group;
    uint last = min(row + rows_per_group, row_end);
    uint y_id = 0, m = 0;
    ww_point b[WW_COLS];
    real c[WW_COLS];
    if (slot < column_end) {
        y_id = y_order[slot];
        const ulong2 series = y_series[y_id];
        m = (uint)series.y;
        __global const ww_scalar *at = y + series.x;
#pragma unroll
        for (uint r = 0; r < WW_COLS; r++)
            b[r] = ww_point_load(at + min(lane * WW_COLS + r, m - 1), m);
    } else {
        last = row;
    }
    const bool owner = lane == (m - 1) / WW_COLS;
    const uint owned = (m - 1) % WW_COLS;

    uint x_id = 0, n = 0, i = 0;
    __global const ww_scalar *xs = x;
    ww_point a[WW_ROWS];
    if (row < last) {
        x_id = x_order[row];
        const ulong2 series = x_series[x_id];
        xs = x + series.x;
        n = (uint)series.y;
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++)
            a[q] = ww_point_load(xs + min((uint)q, n - 1), n);
    }
    real l[WW_ROWS], v[WW_ROWS];
    real above = lane == 0 ? (real)0 : WW_BORDER;
#pragma unroll
    for (int r = 0; r < WW_COLS; r++)
        c[r] = WW_BORDER;
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        l[q] = WW_BORDER;
    uint next_id = row + 1 < last ? x_order[row + 1] : 0;

    for (uint k = 0; k < total; k++) {
        if (k >= lane && row < last) {
            real d[WW_ROWS];
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++) {
                v[q] = l[q];
                d[q] = q ? l[q - 1] : above;
            }
            above = l[WW_ROWS - 1];
            ww_point e[WW_ROWS];
#pragma unroll
            for (int q = 0; q < WW_ROWS; q++)
                e[q] = a[q];
            const uint next = i + WW_ROWS;
            if (next < n) {
#pragma unroll
                for (int q = 0; q < WW_ROWS; q++)
                    a[q] = ww_point_load(xs + min(next + q, n - 1), n);
            }
            real result = WW_BORDER;
            if (i + 1 < n) {
                WW_SWEEP(2)
                i = next;
                if (i >= n) {
#pragma unroll
                    for (uint r = 0; r < WW_COLS; r++) {
                        result = r <= owned ? c[r] : result;
                        c[r] = WW_BORDER;
                    }
                }
            } else {
                i = next;
                const ww_point end = ww_point_load(xs + (n - 1), n);
#pragma unroll
                for (int r = 0; r < WW_COLS; r++) {
                    const real up = c[r];
                    v[0] = ww_cell(v[0], up, d[0], end, b[r]);
                    d[0] = up;
                    result = r <= owned ? v[0] : result;
                    c[r] = WW_BORDER;
                }
            }
            if (i >= n) {
                if (owner)
                    out[(x_id - row_base) * row_stride + (y_id - column_base) * column_stride] = ww_final(result);
                above = lane == 0 ? (real)0 : WW_BORDER;
                i = 0;
                row++;
                if (row < last) {
                    x_id = next_id;
                    const ulong2 series = x_series[x_id];
                    xs = x + series.x;
                    n = (uint)series.y;
#pragma unroll
                    for (int q = 0; q < WW_ROWS; q++)
                        a[q] = ww_point_load(xs + min((uint)q, n - 1), n);
                    next_id = row + 1 < last ? x_order[row + 1] : 0;
                }
            }
        }
#pragma unroll
        for (int q = 0; q < WW_ROWS; q++) {
            const real edge = ww_exchange_up(v[q], group_width);
            l[q] = lane ? edge : WW_BORDER;
        }
    }
}
