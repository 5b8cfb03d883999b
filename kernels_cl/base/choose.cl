// SPDX-License-Identifier: Apache-2.0
// How a cell chooses among its three neighbours, and the cell's value. This text is included after the recurrence,
// which defines a neighbour's value with its edge cost (ww_enter) and what the cell adds (ww_node), and before the
// engine, which uses WW_CELL(). Nothing here depends on a measure or an engine.
//
// Parameters:
//   WW_SELECT  WW_SELECT_VALUE  the least, or the most (WW_ORDER of the recurrence)
//              WW_SELECT_SOFT   -gamma log(sum of exp(-a/gamma)): WW_SOFT_SCALE is log2(e)/gamma, WW_SOFT_UNIT 1 over it
//              WW_SELECT_DIRECTION  the value as with WW_SELECT_VALUE, and which neighbour it came from: the engine has a
//                               variable `ww_direction WW_DIRECTION;`, which WW_CELL() sets
//   WW_FUSED   the recurrence's: 1: it has ww_cell(), which gives the same as ww_node() of the choice, in fewer instructions
//              or has no other form; taken for plain values. WW_PARTED 1, for a test: not taken where there is ww_enter()
//   WW_ANY_SIGN  the recurrence's: 1: cells may be negative, so the minimum of integers can't be used
#define WW_SELECT_VALUE 0
#define WW_SELECT_SOFT 1
#define WW_SELECT_DIRECTION 2
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
WW_INLINE real ww_choose(ww_entries e, const int parity) {
    const real lesser = ww_lesser(e.left, e.up), third = ww_greater(e.left, e.up);
    const real least = ww_lesser(ww_lesser(lesser, e.diagonal), WW_FAR), second = ww_greater(lesser, e.diagonal);
    const real sum = 1 + ww_exp2((least - second) * WW_SOFT_SCALE) + ww_exp2((least - third) * WW_SOFT_SCALE);
    return fma(ww_log2(sum), -(real)WW_SOFT_UNIT, least);
}
#elif WW_ORDER == WW_MOST
WW_INLINE real ww_choose(ww_entries e, const int parity) {
    return ww_max3(e.left, e.up, e.diagonal);
}
#elif WW_ANY_SIGN
WW_INLINE real ww_choose(ww_entries e, const int parity) {
    return ww_lesser(ww_lesser(e.left, e.up), e.diagonal);
}
#else
WW_INLINE real ww_choose(ww_entries e, const int parity) {
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
    word = word << 1 | d.aside >> 31;
    return word << 1 | d.away >> 31;
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
                                    ww_pair lengths, const int parity) {
    ww_direction from;
    from.value = ww_cell(left, up, diagonal, x, y, lag, lengths, 0);
    from.away = WW_FLAG_DIFFER(ww_cell(WW_OUTSIDE, WW_OUTSIDE, diagonal, x, y, lag, lengths, 0), from.value);
    from.aside = WW_FLAG_DIFFER(ww_cell(WW_OUTSIDE, up, WW_OUTSIDE, x, y, lag, lengths, 0), from.value);
    return from;
}
#define WW_CELL(left, up, diagonal, x, y, lag, lengths, parity)                                                        \
    (WW_DIRECTION = ww_cell_from(left, up, diagonal, x, y, lag, lengths, parity)).value
#else
// Results by value: NVIDIA's compiler keeps what has an address in memory.
WW_INLINE ww_direction ww_choose_from(ww_entries e, const int parity) {
    ww_direction from;
    from.value = ww_choose(e, parity);
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
    (WW_DIRECTION = ww_choose_from(ww_enter(left, up, diagonal, x, y, lag, lengths), parity),                          \
     ww_node(WW_DIRECTION.value, x, y, lag))
#endif
#elif WW_FUSED && !WW_PARTED && WW_SELECT == WW_SELECT_VALUE
#define WW_CELL(left, up, diagonal, x, y, lag, lengths, parity) ww_cell(left, up, diagonal, x, y, lag, lengths, parity)
#else
#define WW_CELL(left, up, diagonal, x, y, lag, lengths, parity)                                                        \
    ww_node(ww_choose(ww_enter(left, up, diagonal, x, y, lag, lengths), parity), x, y, lag)
#endif
