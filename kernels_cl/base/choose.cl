// SPDX-License-Identifier: Apache-2.0
// How a cell chooses among its three neighbours, and the cell's value. This text is included after the recurrence,
// which defines a neighbour's value with its edge cost (ww_enter) and what the cell adds (ww_node), and before the
// engine, which uses WW_CELL(). Nothing here depends on a measure or an engine.
//
// Parameters:
//   WW_SELECT  WW_SELECT_VALUE  the least, or the most (WW_ORDER of the recurrence)
//              WW_SELECT_SOFT   -gamma log(sum of exp(-a/gamma)): p.soft_scale is log2(e)/gamma, p.soft_unit 1 over it
//              WW_SELECT_DIRECTION  the value as with WW_SELECT_VALUE, and which neighbour it came from: the engine has a
//                               variable `ww_direction WW_DIRECTION;`, which WW_CELL() sets
//   WW_FUSED   the recurrence's: 1: it has ww_cell(), which gives the same as ww_node() of the choice, in fewer instructions
//              or has no other form; taken for plain values. WW_PARTED 1, for a test: not taken where there is ww_enter()
//   WW_ANY_SIGN  the recurrence's: 1: cells may be negative, so the minimum of integers can't be used
#define WW_SELECT_VALUE 0
#define WW_SELECT_SOFT 1
#define WW_SELECT_DIRECTION 2
#ifndef WW_FUSED
#define WW_FUSED 0
#endif
#ifndef WW_PARTED
#define WW_PARTED 0
#endif
#ifndef WW_ANY_SIGN
#define WW_ANY_SIGN 0
#endif

// The value of a cell that the engines store.
typedef real ww_state;

#if WW_SELECT == WW_SELECT_SOFT
#if WW_ORDER != WW_LEAST
#error "a soft minimum of a recurrence that takes the most"
#endif
// 2^a of a at most 0 (2^-126 and in double 2^-1022 for all below), and log2 of a from 1 to 3.
#if WWK_DOUBLE
// 2^f with f in [-1/2, 1/2], error 1e-15.
WW_INLINE real ww_soft_fraction(real f) {
    real p = fma(f, (real)2.5769630006023985e-10, (real)7.11241788166262e-09);
    p = fma(f, p, (real)1.0191198409435894e-07);
    p = fma(f, p, (real)1.3215218473446369e-06);
    p = fma(f, p, (real)1.5252700137065192e-05);
    p = fma(f, p, (real)0.00015403530867208687);
    p = fma(f, p, (real)0.0013333558185157194);
    p = fma(f, p, (real)0.009618129107298649);
    p = fma(f, p, (real)0.05550410866462554);
    p = fma(f, p, (real)0.24022650695910847);
    p = fma(f, p, (real)0.6931471805599493);
    return fma(f, p, (real)1.0);
}
#endif
#if WW_VECTOR == 1
#define ww_soft_exp2(a) ww_exp2(a)
#define ww_soft_log2(a) ww_log2(a)
#elif WWK_DOUBLE
// In vectors these are polynomials: the built-in functions go lane by lane on some devices. a = n + f with f in
// [-1/2, 1/2]; log2((1 + u)/(1 - u)) by its series with a/2^k in [2/3, 4/3], error 1e-15.
WW_INLINE real ww_soft_exp2(real a) {
    const real limited = a > (real)-1022.0 ? a : (real)-1022.0, near = limited + (real)6755399441055744.0;
    const real p = ww_soft_fraction(limited - (near - (real)6755399441055744.0));
    return WW_PASTE(as_double, WW_VECTOR)(WW_PASTE(as_long, WW_VECTOR)(p) +
                                          (WW_PASTE(as_long, WW_VECTOR)(near) << (ww_mask)52));
}
WW_INLINE real ww_soft_log2(real a) {
    const ww_mask bits = WW_PASTE(as_long, WW_VECTOR)(a), k = (bits - (ww_mask)0x3fe5555555555555l) >> (ww_mask)52;
    const real m = WW_PASTE(as_double, WW_VECTOR)(bits - (k << (ww_mask)52)), u = (m - 1) / (m + 1), v = u * u;
    real p = fma(v, (real)(1.0 / 21), (real)(1.0 / 19));
    p = fma(v, p, (real)(1.0 / 17));
    p = fma(v, p, (real)(1.0 / 15));
    p = fma(v, p, (real)(1.0 / 13));
    p = fma(v, p, (real)(1.0 / 11));
    p = fma(v, p, (real)(1.0 / 9));
    p = fma(v, p, (real)(1.0 / 7));
    p = fma(v, p, (real)(1.0 / 5));
    p = fma(v, p, (real)(1.0 / 3));
    p = fma(v, p, (real)1);
    return fma(u * p, (real)(2 * M_LOG2E), WW_PASTE(convert_double, WW_VECTOR)(k));
}
#else
// In vectors these are polynomials: the built-in functions go lane by lane on some devices. a = n + f with f in
// [-1/2, 1/2], relative error 3e-9; log2(1 + r) with a/2^k = 1 + r, r in [-1/3, 1/3], error 2e-8.
WW_INLINE real ww_soft_exp2(real a) {
    // The magic number puts the whole part, rounded, into the lowest bits.
    const real limited = a > (real)-126.0f ? a : (real)-126.0f, near = limited + (real)12582912.0f;
    const real f = limited - (near - (real)12582912.0f);
    real p = fma(f, (real)0.00015469732170458883f, (real)0.0013400432653725147f);
    p = fma(f, p, (real)0.00961802527308464f);
    p = fma(f, p, (real)0.05550327152013779f);
    p = fma(f, p, (real)0.24022650718688965f);
    p = fma(f, p, (real)0.6931471824645996f);
    p = fma(f, p, (real)1.0f);
    return WW_PASTE(as_float, WW_VECTOR)(WW_PASTE(as_int, WW_VECTOR)(p) +
                                         (WW_PASTE(as_int, WW_VECTOR)(near) << (ww_mask)23));
}
WW_INLINE real ww_soft_log2(real a) {
    const ww_mask bits = WW_PASTE(as_int, WW_VECTOR)(a), k = (bits - (ww_mask)0x3f2aaaab) >> (ww_mask)23;
    const real r = WW_PASTE(as_float, WW_VECTOR)(bits - (k << (ww_mask)23)) - 1;
    real p = fma(r, (real)0.20323719084262848f, (real)-0.2222205549478531f);
    p = fma(r, p, (real)0.20169900357723236f);
    p = fma(r, p, (real)-0.2367866337299347f);
    p = fma(r, p, (real)0.2887182831764221f);
    p = fma(r, p, (real)-0.36078956723213196f);
    p = fma(r, p, (real)0.4808958172798157f);
    p = fma(r, p, (real)-0.7213465571403503f);
    p = fma(r, p, (real)1.4426950216293335f);
    return fma(r, p, WW_PASTE(convert_float, WW_VECTOR)(k));
}
#endif
// With an infinite minimum the difference of two infinities would be NaN. All valid values are far below.
#if WWK_DOUBLE
#define WW_FAR ((real)1e300)
#else
#define WW_FAR ((real)1e36f)
#endif
// The minimum is subtracted first: its power of two is 1, and the other two are at most 1.
WW_INLINE real ww_choose(ww_entries e, const int parity, ww_parameters p) {
    const real lesser = ww_lesser(e.left, e.up), third = ww_greater(e.left, e.up);
    const real least = ww_lesser(ww_lesser(lesser, e.diagonal), WW_FAR), second = ww_greater(lesser, e.diagonal);
    const real sum = 1 + ww_soft_exp2((least - second) * p.soft_scale) + ww_soft_exp2((least - third) * p.soft_scale);
    return fma(ww_soft_log2(sum), -(real)p.soft_unit, least);
}
#elif WW_ORDER == WW_MOST
WW_INLINE real ww_choose(ww_entries e, const int parity, ww_parameters p) {
    return ww_max3(e.left, e.up, e.diagonal);
}
#elif WW_ANY_SIGN
WW_INLINE real ww_choose(ww_entries e, const int parity, ww_parameters p) {
    return ww_lesser(ww_lesser(e.left, e.up), e.diagonal);
}
#else
WW_INLINE real ww_choose(ww_entries e, const int parity, ww_parameters p) {
    return ww_least(e.left, e.up, e.diagonal, parity);
}
#endif

#if WW_SELECT == WW_SELECT_DIRECTION
// `away`: not from the diagonal; `aside`: of the others, from the left. The first of diagonal, up and left that is the
// best. A vector's are masks of its lanes. A scalar's are words of which the sign bit counts: in float that of a
// difference, which needs no comparison; where that is not a number, no neighbour leads to the cell.
#if WW_VECTOR == 1
typedef uint ww_flag;
#if WWK_DOUBLE
#define WW_FLAG_LESS(a, b) ((a) < (b) ? 0x80000000u : 0u)
#else
#define WW_FLAG_LESS(a, b) as_uint((a) - (b))
#endif
#else
typedef ww_mask ww_flag;
#define WW_FLAG_LESS(a, b) ((a) < (b))
#endif
typedef struct {
    real value;
    ww_flag away, aside;
} ww_direction;
#define WW_DIRECTION found
#if WW_VECTOR == 1
// Puts both signs below a word's bits: `away` is the lowest.
WW_INLINE uint ww_push_direction(uint word, ww_direction d) {
#if WW_LOGIC
    return ww_shift_in(ww_shift_in(word, d.aside), d.away);
#else
    word = word << 1 | d.aside >> 31;
    return word << 1 | d.away >> 31;
#endif
}
#endif
#ifdef WW_CELL_ALONE
// What the cell is with one neighbour alone says which it came from.
#if WW_VECTOR == 1
#define WW_FLAG_DIFFER(a, b) ((a) != (b) ? 0x80000000u : 0u)
#else
#define WW_FLAG_DIFFER(a, b) ((a) != (b))
#endif
WW_INLINE ww_direction ww_cell_from(real left, real up, real diagonal, ww_row x, ww_column y, real lag,
                                    ww_pair lengths, const int parity, ww_parameters p) {
    ww_direction from;
    from.value = ww_cell(left, up, diagonal, x, y, lag, lengths, 0, p);
    from.away = WW_FLAG_DIFFER(ww_cell(WW_OUTSIDE, WW_OUTSIDE, diagonal, x, y, lag, lengths, 0, p), from.value);
    from.aside = WW_FLAG_DIFFER(ww_cell(WW_OUTSIDE, up, WW_OUTSIDE, x, y, lag, lengths, 0, p), from.value);
    return from;
}
#define WW_CELL(left, up, diagonal, x, y, lag, lengths, parity)                                                        \
    (WW_DIRECTION = ww_cell_from(left, up, diagonal, x, y, lag, lengths, parity, WW_GIVEN)).value
#else
WW_INLINE ww_direction ww_choose_from(ww_entries e, const int parity, ww_parameters p) {
    ww_direction from;
    from.value = ww_choose(e, parity, p);
#if WW_ORDER == WW_MOST
    from.away = WW_FLAG_LESS(e.diagonal, from.value);
    from.aside = WW_FLAG_LESS(e.up, e.left);
#else
    from.away = WW_FLAG_LESS(from.value, e.diagonal);
    from.aside = WW_FLAG_LESS(e.left, e.up);
#endif
    return from;
}
#define WW_CELL(left, up, diagonal, x, y, lag, lengths, parity)                                                        \
    (WW_DIRECTION = ww_choose_from(ww_enter(left, up, diagonal, x, y, lag, lengths, WW_GIVEN), parity, WW_GIVEN),                          \
     ww_node(WW_DIRECTION.value, x, y, lag, WW_GIVEN))
#endif
#elif WW_FUSED && !WW_PARTED && WW_SELECT == WW_SELECT_VALUE
#define WW_CELL(left, up, diagonal, x, y, lag, lengths, parity)                                                        \
    ww_cell(left, up, diagonal, x, y, lag, lengths, parity, WW_GIVEN)
#else
#define WW_CELL(left, up, diagonal, x, y, lag, lengths, parity)                                                        \
    ww_node(ww_choose(ww_enter(left, up, diagonal, x, y, lag, lengths, WW_GIVEN), parity, WW_GIVEN), x, y, lag, WW_GIVEN)
#endif
