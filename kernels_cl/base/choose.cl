// SPDX-License-Identifier: Apache-2.0
// How a cell chooses among its three neighbours, and the cell's value. This text is included after the recurrence,
// which defines a neighbour's value with its edge cost (ww_enter) and what the cell adds (ww_node), and before the
// engine, which uses WW_CELL(). Nothing here depends on a measure or an engine.
//
// Parameters:
//   WW_SELECT  WW_SELECT_VALUE  the least, or the most (WW_ORDER of the recurrence)
//              WW_SELECT_SOFT   -gamma log(sum of exp(-a/gamma)): p.soft_scale is log2(e)/gamma, p.soft_unit 1 over it
//   WW_FUSED   the recurrence's: 1: it has ww_cell(), which gives the same as ww_node() of the choice, in fewer instructions
//              or has no other form; taken for plain values. WW_PARTED 1, for a test: not taken where there is ww_enter()
//   WW_ANY_SIGN  the recurrence's: 1: cells may be negative, so the minimum of integers can't be used
#define WW_SELECT_VALUE 0
#define WW_SELECT_SOFT 1
#ifndef WW_SELECT
#define WW_SELECT WW_SELECT_VALUE
#endif
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
    const real sum = 1 + ww_exp2((least - second) * p.soft_scale) + ww_exp2((least - third) * p.soft_scale);
    return fma(ww_log2(sum), -(real)p.soft_unit, least);
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

#if WW_FUSED && !WW_PARTED && WW_SELECT == WW_SELECT_VALUE
#define WW_CELL(left, up, diagonal, x, y, lag, lengths, parity)                                                        \
    ww_cell(left, up, diagonal, x, y, lag, lengths, parity, WW_GIVEN)
#else
#define WW_CELL(left, up, diagonal, x, y, lag, lengths, parity)                                                        \
    ww_node(ww_choose(ww_enter(left, up, diagonal, x, y, lag, lengths, WW_GIVEN), parity, WW_GIVEN), x, y, lag, WW_GIVEN)
#endif
