// SPDX-License-Identifier: Apache-2.0
// What every engine and every recurrence is written on: the number type, the points of a series, the local costs.
//
// Parameters (all set by the host, part of the program's cache key):
//   WW_DOUBLE    0: float, 1: double
//   WW_VECTOR    pairs in one `real`: 1 (engines lanes, stencil, strips) or 4, 8, 16 (engine packed)
//   WW_CHANNELS  channels of a point
//   WW_POINT_REGISTERS  1: a point is held in registers; 0: it stays in memory and is read channel by channel
//   WW_COST      1 squared, 2 absolute, 3 euclidean, 4 the user's expression over x and y (ww_user_cost)
//   WW_ROOT      1: the square root of the final value
#ifndef WW_DOUBLE
#define WW_DOUBLE 0
#endif
#ifndef WW_VECTOR
#define WW_VECTOR 1
#endif
#ifndef WW_CHANNELS
#define WW_CHANNELS 1
#endif
#ifndef WW_POINT_REGISTERS
#define WW_POINT_REGISTERS 1
#endif
#ifndef WW_COST
#define WW_COST 1
#endif
#ifndef WW_ROOT
#define WW_ROOT 0
#endif

#define WW_PASTE_(a, b) a##b
#define WW_PASTE(a, b) WW_PASTE_(a, b)
#define WW_INLINE static inline __attribute__((always_inline))

#if WW_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double ww_scalar;
#define WW_REAL_NAME double
#define WW_MASK_NAME long
#else
typedef float ww_scalar;
#define WW_REAL_NAME float
#define WW_MASK_NAME int
#endif
#if WW_VECTOR == 1
typedef ww_scalar real;
#else
typedef WW_PASTE(WW_REAL_NAME, WW_VECTOR) real;
typedef WW_PASTE(WW_MASK_NAME, WW_VECTOR) ww_mask;
#define WW_VLOAD WW_PASTE(vload, WW_VECTOR)
#define WW_VSTORE WW_PASTE(vstore, WW_VECTOR)
#endif
#define WW_INF ((real)INFINITY)
// Of the recurrence: the border of the matrix but for its corner, which is 0, and what a cell outside the band counts as.
#define WW_BORDER ((real)WW_BORDER_VALUE)
#define WW_OUTSIDE ((real)WW_OUTSIDE_VALUE)

// Smallest of values that are not negative and not NaN. As integers they order alike, and the minimum of three integers
// is one instruction on recent NVIDIA and AMD GPUs. A vector compare-and-select is what CPUs do in one instruction.
#if WW_VECTOR == 1 && !WW_DOUBLE
WW_INLINE real ww_min2(real a, real b) {
    return as_float(min(as_int(a), as_int(b)));
}
WW_INLINE real ww_min3(real a, real b, real c) {
    return as_float(min(min(as_int(a), as_int(b)), as_int(c)));
}
#else
WW_INLINE real ww_min2(real a, real b) {
    return a < b ? a : b;
}
WW_INLINE real ww_min3(real a, real b, real c) {
    return ww_min2(ww_min2(a, b), c);
}
#endif
// The least of a cell's three neighbours. `turn` (a constant: the row's parity) says which of left and up is named first.
WW_INLINE real ww_least(real left, real up, real diagonal, const int turn) {
    return turn ? ww_min3(left, up, diagonal) : ww_min3(up, left, diagonal);
}
#if WW_VECTOR == 1
WW_INLINE real ww_max2(real a, real b) {
    return fmax(a, b);
}
#else
WW_INLINE real ww_max2(real a, real b) {
    return a > b ? a : b;
}
#endif

// A point: the values of all channels at one time.
#if WW_POINT_REGISTERS
typedef struct {
    real value[WW_CHANNELS];
} ww_point;
#define WW_AT(point, channel) ((point).value[channel])
#else
typedef struct {
    __global const ww_scalar *at;  // channel 0
    ulong stride;                  // elements from one channel to the next
} ww_point;
#if WW_VECTOR == 1
#define WW_AT(point, channel) ((point).at[(channel) * (point).stride])
#else
#define WW_AT(point, channel) ww_at(point, channel)
#endif
#endif

#if WW_VECTOR == 1
WW_INLINE ww_point ww_point_load(__global const ww_scalar *at, ulong stride) {
    ww_point point;
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

#if WW_POINT_REGISTERS
// A point infinitely far from every other.
WW_INLINE ww_point ww_point_infinite(void) {
    ww_point point;
#pragma unroll
    for (int c = 0; c < WW_CHANNELS; c++)
        point.value[c] = WW_INF;
    return point;
}
#endif

// The cost of matching two points, and that cost added to a value (one multiply-add when there is one channel).
#if WW_COST == 4
WW_INLINE real ww_user_cost(real x, real y) {
    // The made-up rows of engine lanes: infinitely dear, whatever the expression makes of infinity.
    return x == WW_INF ? WW_INF : (real)(WW_USER_EXPRESSION);
}
#endif
WW_INLINE real ww_channel_cost(real x, real y) {
#if WW_COST == 1 || WW_COST == 3
    const real t = x - y;
    return t * t;
#elif WW_COST == 2
    return fabs(x - y);
#else
    return ww_user_cost(x, y);
#endif
}
WW_INLINE real ww_cost(ww_point x, ww_point y) {
#if WW_CHANNELS == 1 && WW_COST == 3
    return fabs(WW_AT(x, 0) - WW_AT(y, 0));
#else
    real sum = ww_channel_cost(WW_AT(x, 0), WW_AT(y, 0));
#if WW_POINT_REGISTERS
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int c = 1; c < WW_CHANNELS; c++) {
#if WW_COST == 1 || WW_COST == 3
        const real t = WW_AT(x, c) - WW_AT(y, c);
        sum = fma(t, t, sum);
#else
        sum += ww_channel_cost(WW_AT(x, c), WW_AT(y, c));
#endif
    }
#if WW_COST == 3
    sum = sqrt(sum);
#endif
    return sum;
#endif
}
WW_INLINE real ww_add_cost(ww_point x, ww_point y, real base) {
#if WW_CHANNELS == 1 && WW_COST == 1
    const real t = WW_AT(x, 0) - WW_AT(y, 0);
    return fma(t, t, base);
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
