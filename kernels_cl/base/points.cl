// SPDX-License-Identifier: Apache-2.0
// The points of a series and the cost of matching two of them.
//
// Parameters:
//   WW_CHANNELS  channels of a point
//   WW_POINT_REGISTERS  1: a point is held in registers; 0: it stays in memory and is read channel by channel
//   WW_COST      WWK_COST_...
//   WW_ROOT      1: the square root of the final value
//   WW_EXTRA     1: a value beside the channels, the same for all of them (0) or one for each (WW_EXTRA_EACH 1); what it is,
//                the recurrence knows (time stamps, sums of gaps)
//   WW_ALL_CHANNELS  channels of the series, of which a pass over independent channels takes one
//   WW_TABLED    1: points have many channels, and the costs of all cells are in a table that is made before (engine/costs.cl); a
//                row's point is where its costs begin, a column's which of them it is. WW_CHANNELS is 1 and WW_POINT_REGISTERS 0:
//                one program serves any number of channels
//   WW_SUMMED    1: the same in vectors of pairs, but a block sums its cells' costs over the channels itself (engine/packed_block.cl);
//                a point is where its channels begin
#ifndef WW_CHANNELS
#define WW_CHANNELS 1
#endif
#ifndef WW_POINT_REGISTERS
#define WW_POINT_REGISTERS 1
#endif
#ifndef WW_COST
#define WW_COST WWK_COST_SQUARED
#endif
#ifndef WW_ROOT
#define WW_ROOT 0
#endif

#ifndef WW_EXTRA
#define WW_EXTRA 0
#endif
#ifndef WW_EXTRA_EACH
#define WW_EXTRA_EACH 0
#endif
#ifndef WW_ALL_CHANNELS
#define WW_ALL_CHANNELS WW_CHANNELS
#endif
#ifndef WW_TABLED
#define WW_TABLED 0
#endif
#ifndef WW_SUMMED
#define WW_SUMMED 0
#endif
// Values of a point where the channels are interleaved.
#define WW_PARTS (WW_CHANNELS + WW_EXTRA)

// 1 where a <= b, else 0; a product limited to 0 to 1 (0 where it is not a number); 2^a, log2 a and 1/a, in float to a
// few units of the last place (log2 of a from 1 to 3: of 1).
#if defined(WW_HAS_FLOAT_FORMS) && WW_VECTOR == 1 && !WWK_DOUBLE
#define ww_at_most(a, b) ww_at_most_float(a, b)
#define ww_unit_product(a, b) ww_unit_product_float(a, b)
#define ww_exp2(a) ww_exp2_float(a)
#define ww_log2(a) ww_log2_float(a)
#define ww_recip(a) ww_recip_float(a)
#else
WW_INLINE real ww_at_most(real a, real b) {
    return a <= b ? (real)1 : (real)0;
}
WW_INLINE real ww_unit_product(real a, real b) {
    return ww_min2(ww_max2(a * b, (real)0), (real)1);
}
#define ww_exp2(a) exp2(a)
#define ww_log2(a) log2(a)
#if WWK_DOUBLE
#define ww_recip(a) (1 / (a))
#else
#define ww_recip(a) native_recip(a)
#endif
#endif

// The least of a cell's three neighbours. `parity` (a constant) is the row's parity where rows are computed diagonally: it
// decides which of left and up is the first operand. It is 2 where up was just computed: then that comes last.
WW_INLINE real ww_least(real left, real up, real diagonal, const int parity) {
    return parity == 2 ? ww_min3(left, diagonal, up) : parity ? ww_min3(left, up, diagonal) : ww_min3(up, left, diagonal);
}

// The lengths of a pair's series; with WW_EMIT ends also how many points of each end may be skipped free of cost, x being
// the row series.
#define WW_EMIT_RESULT 0
#define WW_EMIT_ENDS 1
// Of the paths' kernels, with or without the ends: two bits of direction a cell.
#define WW_EMIT_DIRECTIONS 2
#ifndef WW_EMIT
#define WW_EMIT WW_EMIT_RESULT
#endif
#define WW_OPEN (WW_EMIT & WW_EMIT_ENDS)
typedef struct {
    real rows, columns;
    real scale, unscaled;  // of a recurrence with WW_PAIR_READY: what it computes once for a pair
#if WW_OPEN
    real begin_x, end_x, begin_y, end_y;
#endif
} ww_pair;

// The values of a cell's neighbours, each with the cost of its edge added; and the best of them (WW_ORDER).
typedef struct {
    real left, up, diagonal;
} ww_entries;
#define WW_LEAST 0
#define WW_MOST 1
WW_INLINE ww_entries ww_entries_of(real left, real up, real diagonal) {
    ww_entries e;
    e.left = left;
    e.up = up;
    e.diagonal = diagonal;
    return e;
}

// A point: the values of all channels at one time.
#if WW_TABLED
typedef struct {
    real value;                    // a column's cost in the row that it has met (WW_MEET)
    __global const ww_scalar *at;  // a row's costs; 0: a padding row
    uint column;                   // a column's place among them
} ww_point;
#define WW_AT(point, channel) ((point).value)
#elif WW_SUMMED
typedef struct {
    real value;                    // a column's cost in the row that it has met
    __global const ww_scalar *at;  // channel 0
} ww_point;
#define WW_AT(point, channel) ((point).value)
#elif WW_POINT_REGISTERS
typedef struct {
    real value[WW_CHANNELS];
#if WW_EXTRA
    real extra;
#endif
} ww_point;
#define WW_AT(point, channel) ((point).value[channel])
#if WW_VECTOR > 1
// Point t of interleaved series (engine/interleave.cl).
WW_INLINE ww_point ww_packed_point(__global const ww_scalar *at, uint t) {
    ww_point point;
    for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = WW_VLOAD((ulong)t * WW_PARTS + c, at);
#if WW_EXTRA
    point.extra = WW_VLOAD((ulong)t * WW_PARTS + WW_CHANNELS, at);
#endif
    return point;
}
#endif
#else
typedef struct {
    __global const ww_scalar *at;  // channel 0
    ulong stride;                  // elements from one channel to the next
#if WW_EXTRA
    real extra;
#endif
} ww_point;
#if WW_VECTOR == 1
#define WW_AT(point, channel) ((point).at[(channel) * (point).stride])
#else
#define WW_AT(point, channel) ww_at(point, channel)
#endif
#endif

#if WW_VECTOR == 1 && !WW_TABLED
WW_INLINE ww_point ww_point_load(__global const ww_scalar *at, ulong stride, __global const ww_scalar *extra) {
    ww_point point;
#if WW_EXTRA
    point.extra = extra[0];
#endif
#if WW_POINT_REGISTERS
#pragma unroll
    for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = at[c * stride];
#else
    point.at = at;
    point.stride = stride;
#endif
    return point;
}
#endif

#if WW_TABLED
WW_INLINE ww_point ww_point_infinite(void) {
    ww_point point;
    point.value = WW_INF;
    point.at = 0;
    point.column = 0;
    return point;
}
#if WW_VECTOR == 1
// The cost of a row's and a column's point.
WW_INLINE real ww_table_cost(ww_point x, ww_point y) {
    return x.at ? x.at[y.column] : WW_INF;
}
#endif
#elif WW_POINT_REGISTERS
// A point infinitely far from every other.
WW_INLINE ww_point ww_point_infinite(void) {
    ww_point point;
#pragma unroll
    for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = WW_INF;
#if WW_EXTRA
    point.extra = 0;
#endif
    return point;
}
#endif

// The cost of matching two points, and that cost added to a value (one multiply-add when there is one channel).
#if WW_COST == WWK_COST_USER
WW_INLINE real ww_user_cost(real x, real y) {
    // Padding rows and columns: their cost is infinite, whatever the expression gives for infinity.
    return x == WW_INF ? WW_INF : y == -WW_INF ? WW_INF : ww_user_expression(x, y);
}
#endif
WW_INLINE real ww_channel_cost(real x, real y) {
#if WW_COST == WWK_COST_SQUARED || WW_COST == WWK_COST_EUCLIDEAN
    const real t = x - y;
    return t * t;
#elif WW_COST == WWK_COST_ABSOLUTE
    return fabs(x - y);
#else
    return ww_user_cost(x, y);
#endif
}
WW_INLINE real ww_cost(ww_point x, ww_point y) {
#if WW_TABLED || WW_SUMMED
    return y.value;
#elif WW_CHANNELS == 1 && WW_COST == WWK_COST_EUCLIDEAN
    return fabs(WW_AT(x, 0) - WW_AT(y, 0));
#else
    real sum = ww_channel_cost(WW_AT(x, 0), WW_AT(y, 0));
#if WW_POINT_REGISTERS
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int c = 1; c < WW_CHANNELS; c++) {
#if WW_COST == WWK_COST_SQUARED || WW_COST == WWK_COST_EUCLIDEAN
        const real t = WW_AT(x, c) - WW_AT(y, c);
        sum = fma(t, t, sum);
#else
        sum += ww_channel_cost(WW_AT(x, c), WW_AT(y, c));
#endif
    }
#if WW_COST == WWK_COST_EUCLIDEAN
    sum = sqrt(sum);
#endif
    return sum;
#endif
}
WW_INLINE real ww_add_cost(ww_point x, ww_point y, real base) {
#if WW_TABLED || WW_SUMMED
    return base + y.value;
#elif WW_CHANNELS == 1 && WW_COST == WWK_COST_SQUARED
    const real t = WW_AT(x, 0) - WW_AT(y, 0);
    return fma(t, t, base);
#elif WW_COST == WWK_COST_SQUARED && WW_POINT_REGISTERS && WW_EXCHANGE
    // On GPUs a multiply-add a channel, and no addition more.
    real sum = base;
#pragma unroll
    for (int c = 0; c < WW_CHANNELS; c++) {
        const real t = WW_AT(x, c) - WW_AT(y, c);
        sum = fma(t, t, sum);
    }
    return sum;
#else
    return base + ww_cost(x, y);
#endif
}

WW_INLINE ww_scalar ww_root(ww_scalar value) {
#if WW_ROOT
    return sqrt(value);
#else
    return value;
#endif
}
