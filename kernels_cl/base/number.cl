// SPDX-License-Identifier: Apache-2.0
// The number type of all kernels, its minima and its basic functions. No points, no recurrences.
//
// Parameters (all set by the host, part of the program's cache key):
//   WWK_DOUBLE    0: float, 1: double
//   WW_VECTOR    pairs in one `real`: 1 (engines lanes, strips) or 4, 8, 16 (engine packed)
#ifndef WWK_DOUBLE
#define WWK_DOUBLE 0
#endif
#ifndef WW_VECTOR
#define WW_VECTOR 1
#endif

#define WW_PASTE_(a, b) a##b
#define WW_PASTE(a, b) WW_PASTE_(a, b)
#define WW_INLINE static inline __attribute__((always_inline))

// The types of what C and kernels share (NAME_args.h): src/base/kernel_types.h has the same names for C.
#define WW_KERNEL_TYPES 1
typedef uint ww_uint;
typedef int ww_int;
typedef ulong ww_ulong;
typedef long ww_long;

// The remainder of a division: a - quotient*b. Written so that no compiler recognises a remainder: LLVM turns a
// quotient and a remainder of the same numbers into an instruction that Oclgrind does not know.
WW_INLINE uint ww_rest(uint a, uint b, uint quotient) {
    return a - min(quotient * b, a);
}

#if WWK_DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double ww_scalar;
typedef double4 ww_four;
#define WW_REAL_NAME double
#define WW_MASK_NAME long
#else
typedef float ww_scalar;
typedef float4 ww_four;
#define WW_REAL_NAME float
#define WW_MASK_NAME int
#endif
// A 32-bit integer beside each `real`, and what compares of these give as a mask of `real`s.
#if WW_VECTOR == 1
typedef ww_scalar real;
typedef int ww_ints;
#define WW_TO_MASK(v) (v)
#else
typedef WW_PASTE(int, WW_VECTOR) ww_ints;
#if WWK_DOUBLE
#define WW_TO_MASK(v) WW_PASTE(convert_long, WW_VECTOR)(v)
#else
#define WW_TO_MASK(v) (v)
#endif
typedef WW_PASTE(WW_REAL_NAME, WW_VECTOR) real;
typedef WW_PASTE(WW_MASK_NAME, WW_VECTOR) ww_mask;
#define WW_VLOAD WW_PASTE(vload, WW_VECTOR)
#define WW_VSTORE WW_PASTE(vstore, WW_VECTOR)
#endif
#define WW_INF ((real)INFINITY)

// The measure's parameters, by name (WW_PARAMETERS: `c, nu`, ...). Every function of a recurrence takes them last, as
// `p`: parameter c is p.c. They come with the launch, so that one program serves all values.
#ifdef WW_PARAMETERS
typedef struct {
    ww_scalar WW_PARAMETERS;
} ww_parameters;
#ifndef WW_GIVEN
#define WW_GIVEN args.parameters  // in a kernel
#endif
#else
typedef int ww_parameters;
#define WW_GIVEN 0
#endif

// pow() one lane after the other, where a probe (host/vector_pow.c) finds the device's pow() of vectors wrong. All
// texts after this one, a user's too, use this function.
#ifndef WW_POW_BY_LANES
#define WW_POW_BY_LANES 0
#endif
#if WW_POW_BY_LANES && WW_VECTOR > 1
#define WW_OVERLOAD static inline __attribute__((always_inline, overloadable))
WW_OVERLOAD ww_scalar ww_pow(ww_scalar a, ww_scalar b) {
    return pow(a, b);
}
WW_OVERLOAD real ww_pow(real a, real b) {
    ww_scalar base[WW_VECTOR], exponent[WW_VECTOR];
    WW_VSTORE(a, 0, base);
    WW_VSTORE(b, 0, exponent);
    for (int lane = 0; lane < WW_VECTOR; lane++)
        base[lane] = pow(base[lane], exponent[lane]);
    return WW_VLOAD(0, base);
}
#define pow(a, b) ww_pow(a, b)
#define powr(a, b) ww_pow(a, b)
#endif

// What no choice of the recurrence's order takes: the border of the matrix except its corner, which is 0, where there is no
// ww_left() and ww_top(); and a cell outside the band.
#define WW_BORDER_VALUE (WW_ORDER == WW_MOST ? 0.0f : INFINITY)
#define WW_OUTSIDE_VALUE WW_BORDER_VALUE
#define WW_BORDER ((real)WW_BORDER_VALUE)
#define WW_OUTSIDE ((real)WW_OUTSIDE_VALUE)

// Smallest of values that are not negative and not NaN. As integers they have the same order, and the minimum of three
// integers is one instruction on recent NVIDIA and AMD GPUs. On CPUs a vector compare-and-select is one instruction.
#if WW_VECTOR == 1 && !WWK_DOUBLE
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
// The smaller and the larger of two values of any sign.
#if WW_VECTOR == 1
#define ww_lesser(a, b) fmin(a, b)
#define ww_greater(a, b) fmax(a, b)
#else
WW_INLINE real ww_lesser(real a, real b) {
    return a < b ? a : b;
}
WW_INLINE real ww_greater(real a, real b) {
    return a > b ? a : b;
}
#endif
// Of two lengths, or times, as reals.
#if WW_VECTOR == 1
#define WW_TO_REAL(v) ((real)(v))
#else
#define WW_TO_REAL(v) WW_PASTE(WW_PASTE(convert_, WW_REAL_NAME), WW_VECTOR)(v)
#endif
#if WW_VECTOR == 1
WW_INLINE real ww_max2(real a, real b) {
    return fmax(a, b);
}
#else
WW_INLINE real ww_max2(real a, real b) {
    return a > b ? a : b;
}
#endif
// Of values that are not negative and not NaN.
WW_INLINE real ww_max3(real a, real b, real c) {
#if WW_VECTOR == 1 && !WWK_DOUBLE
    return as_float(max(max(as_int(a), as_int(b)), as_int(c)));
#else
    return ww_max2(ww_max2(a, b), c);
#endif
}
