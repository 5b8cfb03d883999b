// SPDX-License-Identifier: Apache-2.0
// What the kernels of engine `bits` share: WW_ROWS rows across WW_WORDS words of 32 columns, a bit a cell. No kernel is
// here.
//
// Edit distance (all weights 1; Myers 1999 in the form of Hyyro 2003). Neighbouring cells of a row differ by -1, 0 or 1:
// vp and vn have a bit for each column j where D(i,j) - D(i,j-1) is 1 or -1; hp and hn likewise for D(i,j) - D(i-1,j). With
// `same` the columns whose symbol is the row's:
//   zero = (((same & vp) + vp) ^ vp) | same | vn         D(i,j) = D(i-1,j-1)
//   hp = vn | ~(zero | vp), hn = vp & zero
//   vp = hn' | ~(zero | hp'), vn = zero & hp'            hp', hn': shifted by a column, the left edge's bit enters
// LCS (Hyyro 2004): v has a bit for each column where L(i,j) = L(i,j-1):
//   v = (v + (v & same)) | (v & ~same)                   the sum's carry is passed to the right
// Distance and length are counts of bits of the last row.
//
// There is no table of matches. The numbers of symbols (WW_POINTS 0) are stored as WW_BITS bit planes
// (src/engine/bit_planes.h), a row's bit becomes a mask of 0 or -1, and a column has the row's symbol where no plane
// differs from its mask: one three-input operation a plane. For points (WW_POINTS 1: EDR and LCSS, which are edit
// distance and LCS of points that match within epsilon) a lane holds the values of its columns and shifts the signs of
// ww_apart() - epsilon into a word: three instructions a cell.
//
// Rows are computed WW_ROWS at a time; those that fill the first step are padding: nothing matches and no difference
// comes from the left, so they give the border row itself. A step passes one word to the right, the edge: a bit a row,
// the first row's highest, hn below and hp above bit 16 (LCS: the carry below).
//
// Parameters: WW_BITS; WW_WORDS; WW_ROWS 4, 8, 16; WWK_LCS; WW_POINTS; WW_UNROLL.
#ifndef WW_BITS
#define WW_BITS 2
#endif
#ifndef WW_WORDS
#define WW_WORDS 4
#endif
#ifndef WW_ROWS
#define WW_ROWS 16
#endif
#ifndef WWK_LCS
#define WWK_LCS 0
#endif
#ifndef WW_POINTS
#define WW_POINTS 0
#endif
// Unrolled rows are faster on GPUs; on CPUs they are not, and compile slowly.
#ifndef WW_UNROLL
#define WW_UNROLL 1
#endif
#if WW_UNROLL
#define WW_EACH_ROW _Pragma("unroll")
#else
#define WW_EACH_ROW _Pragma("unroll 1")
#endif
#if WW_ROWS > 16 || (WW_ROWS & (WW_ROWS - 1))
#error "WW_ROWS is a power of two up to 16"
#endif

// 32 columns, or the same words of WW_VECTOR pairs.
#if WW_VECTOR == 1
typedef uint ww_word;
#define WW_SIGN(v) as_uint(as_int(v) >> 31)
#else
typedef WW_PASTE(uint, WW_VECTOR) ww_word;
#define WW_SIGN(v) WW_PASTE(as_uint, WW_VECTOR)(WW_PASTE(as_int, WW_VECTOR)(v) >> 31)
#endif
// Rows that all lanes of a vector share are scalars.
#ifndef WW_OWN_ROWS
#define WW_OWN_ROWS WW_LIST
#endif
#if WW_VECTOR == 1 || WW_OWN_ROWS
typedef ww_word ww_row_word;
#define WW_ROW_SIGN WW_SIGN
#else
typedef uint ww_row_word;
#define WW_ROW_SIGN(v) as_uint(as_int(v) >> 31)
#endif
// One column to the right; the top bit of `low` enters.
#if WW_LOGIC
#define WW_SHIFT_IN ww_shift_in
#define WW_OR_DIFFER ww_or_differ
#define WW_OR_NEITHER ww_or_neither
#define WW_DIFFER_OR_NOT ww_differ_or_not
#define WW_OR_BOTH ww_or_both
#else
#if WW_EXCHANGE == 0 && WW_VECTOR == 1
// From the other form LLVM makes an instruction that Oclgrind does not know.
#define WW_SHIFT_IN(high, low) ((high) << 1 | (rotate(low, 1u) & 1u))
#else
#define WW_SHIFT_IN(high, low) ((high) << 1 | (low) >> 31)
#endif
#define WW_OR_DIFFER(a, b, c) ((a) | ((b) ^ (c)))
#define WW_OR_NEITHER(a, b, c) ((a) | ~((b) | (c)))
#define WW_DIFFER_OR_NOT(a, b, c) (((a) ^ (b)) | ~(c))
#define WW_OR_BOTH(a, b, c) ((a) | ((b) & (c)))
#endif

#if WW_POINTS
typedef ww_scalar ww_plane;  // what is stored in memory
typedef ww_scalar ww_held, ww_row_held;
#define WW_HELD 32
#define WW_ROWS_HELD WW_ROWS
#define WW_RESULT(sum, n, m) ww_final((ww_scalar)(sum), n, m, WW_GIVEN)
#else
typedef uint ww_plane;
typedef ww_word ww_held;         // WW_HELD of them for each word of columns
typedef ww_row_word ww_row_held; // WW_ROWS_HELD for the rows of a step
#define WW_HELD WW_BITS
#define WW_ROWS_HELD WW_BITS
#define WW_RESULT(sum, n, m) ww_root((ww_scalar)(sum))
#endif

// A series of one channel.
typedef struct {
    __global const ww_plane *planes;
    uint length, words;
} ww_symbols;

WW_INLINE ww_symbols ww_symbols_load(__global const ww_plane *planes, __global const ulong2 *series, uint id,
                                     uint channel) {
    const ulong2 entry = series[id];
    ww_symbols s;
    s.length = (uint)entry.y;
    s.words = (s.length + 31) / 32;
    s.planes = planes + entry.x + (ulong)channel * (WW_POINTS ? s.length : s.words * WW_BITS);
    return s;
}

#define WW_STEPS(n) (((n) + WW_ROWS - 1) / WW_ROWS)
#define WW_PADDING(n) ((0u - (n)) % WW_ROWS)
#define WW_PADDING_MASK(padding) (((ww_row_word)1 << (padding)) - 1)
// The values held for a step's rows, and for column 32*w + b or plane b of word w.
#if WW_POINTS
WW_INLINE void ww_read_rows(ww_plane *target, ww_symbols s, uint step) {
    const int first = (int)step * WW_ROWS - (int)WW_PADDING(s.length);
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        target[q] = s.planes[max(first + q, 0)];
}
WW_INLINE ww_scalar ww_column_held(ww_symbols s, uint w, uint b) {
    return s.planes[min(w * 32 + b, s.length - 1)];
}
#else
// The planes of the rows, from bit 0 up.
WW_INLINE void ww_read_rows(ww_plane *target, ww_symbols s, uint step) {
    const uint bit = s.words * 32 - (WW_STEPS(s.length) - step) * WW_ROWS;
    __global const uint *word = s.planes + (ulong)(bit / 32) * WW_BITS;
#pragma unroll
    for (int b = 0; b < WW_BITS; b++)
        target[b] = word[b] >> bit % 32;
}
// Counted from column 0 on; after the last column there are zeros.
WW_INLINE uint ww_column_held(ww_symbols s, uint w, uint b) {
    const uint unused = (0u - s.length) % 32;
    const uint low = w < s.words ? s.planes[(ulong)w * WW_BITS + b] : 0;
    const uint high = w + 1 < s.words ? s.planes[(ulong)(w + 1) * WW_BITS + b] : 0;
    return low >> unused | high << 1 << (31 - unused);
}
#endif

// The columns of a word that exist: `left` is the number of columns from its first on, any integer.
#if WW_VECTOR == 1
#define WW_KEEP(left) (~0u >> (32 - clamp(left, 1, 32)) & ((left) > 0 ? ~0u : 0u))
#else
#define WW_KEEP(left)                                                                                                  \
    (~(ww_word)0 >> WW_PASTE(as_uint, WW_VECTOR)(32 - clamp(left, 1, 32)) & WW_PASTE(as_uint, WW_VECTOR)((left) > 0))
#endif

// A lane's columns and its state.
typedef struct {
    ww_held own[WW_WORDS][WW_HELD];
#if WWK_LCS
    ww_word v[WW_WORDS];
#else
    ww_word vp[WW_WORDS], vn[WW_WORDS];
#endif
} ww_bits_block;
WW_INLINE void ww_bits_load(ww_bits_block *s, ww_symbols y, uint first_word) {
#if WW_VECTOR == 1
#pragma unroll
    for (uint w = 0; w < WW_WORDS; w++) {
#pragma unroll
        for (uint b = 0; b < WW_HELD; b++)
            s->own[w][b] = ww_column_held(y, first_word + w, b);
    }
#endif
}

// Before the first row; and what a word's columns add to the result after the last.
#if WWK_LCS
WW_INLINE void ww_bits_clear(ww_bits_block *s) {
#pragma unroll
    for (int w = 0; w < WW_WORDS; w++)
        s->v[w] = ~(ww_word)0;
}
#define WW_COUNT(s, w, keep) popcount(~(s).v[w] & (keep))
#define WW_FROM(n) 0
#else
WW_INLINE void ww_bits_clear(ww_bits_block *s) {
#pragma unroll
    for (int w = 0; w < WW_WORDS; w++) {
        s->vp[w] = ~(ww_word)0;
        s->vn[w] = (ww_word)0;
    }
}
#define WW_COUNT(s, w, keep) (popcount((s).vp[w] & (keep)) - popcount((s).vn[w] & (keep)))
#define WW_FROM(n) (n)
#endif

// A row: what its symbol is compared with, and all bits where it is padding.
typedef struct {
    ww_row_word dead;
#if WW_POINTS
    ww_scalar value, after_epsilon;
#else
    ww_row_word mask[WW_BITS];
#endif
} ww_bits_row;
#if WW_POINTS
// Below 0 where the points match: their distance is at most epsilon, that is below the next larger number. NaN is not
// below 0: nothing matches it.
#if WWK_DOUBLE
#define WW_AFTER_EPSILON as_double(as_long(args.parameters.epsilon) + 1)
#define WW_SIGN_WORD(v) ((uint)(as_ulong(v) >> 32))
#else
#define WW_AFTER_EPSILON as_float(as_int(args.parameters.epsilon) + 1)
#define WW_SIGN_WORD(v) as_uint(v)
#endif
WW_INLINE uint ww_match_sign(ww_scalar row, ww_scalar column, ww_scalar after_epsilon) {
    ww_point x, y;
    x.value[0] = row;
    y.value[0] = column;
    return WW_SIGN_WORD(ww_apart(x, y) - after_epsilon);
}
#endif
WW_INLINE ww_bits_row ww_bits_row_of(const ww_row_held *rows, const ww_row_word padding_mask, const int q,
                                     const ww_launch_args args) {
    ww_bits_row row;
    row.dead = WW_ROW_SIGN(padding_mask << (31 - q));
#if WW_POINTS
    row.value = rows[q];
    row.after_epsilon = WW_AFTER_EPSILON;
#else
#pragma unroll
    for (int b = 0; b < WW_BITS; b++)
        row.mask[b] = WW_ROW_SIGN(rows[b] << (31 - q));
#endif
    return row;
}
// The columns of word w whose symbol is not the row's.
WW_INLINE ww_word ww_bits_mismatch(const ww_bits_block *s, const ww_bits_row *row, const int w) {
#if WW_POINTS
    ww_word other = 0;
#pragma unroll
    for (int b = 31; b >= 0; b--)
        other = WW_SHIFT_IN(other, ww_match_sign(row->value, s->own[w][b], row->after_epsilon));
    return ~other | row->dead;
#else
    ww_word other = WW_OR_DIFFER(row->dead, s->own[w][0], row->mask[0]);
#pragma unroll
    for (int b = 1; b < WW_BITS; b++)
        other = WW_OR_DIFFER(other, s->own[w][b], row->mask[b]);
    return other;
#endif
}

// One step over the lane's columns: `rows`; `padding_mask`, from bit 0 up; the edge in, and out as the result.
#if WWK_LCS
#define WW_BORDER_EDGE(padding) ((void)(padding), (ww_word)0)
#if WW_ADD_CARRY
#define WW_SUM_WITH_CARRY(w, a, b, carry) ((w) ? ww_add_next(a, b) : ww_add_first_carry(a, b, carry))
#else
#define WW_SUM_WITH_CARRY(w, a, b, carry) ((a) + (b) + (carry))
#endif
// The carry out of a word is the top bit of (both summands have the bit, or one has it and the sum does not).
WW_INLINE ww_word ww_bits_row_step(ww_bits_block *s, const ww_bits_row *row, ww_word carry) {
#pragma unroll
    for (int w = 0; w < WW_WORDS; w++) {
        const ww_word v = s->v[w], other = ww_bits_mismatch(s, row, w), same = v & ~other;
        const ww_word sum = WW_SUM_WITH_CARRY(w, same, v, carry >> 31);
        carry = same | (v & ~sum);
        s->v[w] = WW_OR_BOTH(sum, v, other);
    }
    return carry;
}
WW_INLINE ww_word ww_bits_step(ww_bits_block *s, const ww_row_held *rows, const ww_row_word padding_mask, const ww_word edge,
                               const ww_launch_args args) {
    ww_word in = edge << (32 - WW_ROWS), out = (ww_word)0;
    WW_EACH_ROW
    for (int q = 0; q < WW_ROWS; q++) {
        const ww_bits_row row = ww_bits_row_of(rows, padding_mask, q, args);
        const ww_word carry = ww_bits_row_step(s, &row, in);
        out = WW_SHIFT_IN(out, carry);
        in <<= 1;
    }
    return out;
}
#else
#define WW_BORDER_EDGE(padding) ((~(ww_word)0 >> (16 - WW_ROWS + (padding))) & 0xffff0000u)
#if WW_ADD_CARRY
#define WW_SUM(w, a, b) ((w) ? ww_add_next(a, b) : ww_add_first(a, b))
#else
#define WW_SUM(w, a, b) ((a) + (b))
#endif
// hn and hp of the column left of the first word, or of the last word's columns.
typedef struct {
    ww_word n, p;
} ww_bits_left;
WW_INLINE ww_bits_left ww_bits_row_step(ww_bits_block *s, const ww_bits_row *row, ww_bits_left left) {
#pragma unroll
    for (int w = 0; w < WW_WORDS; w++) {
        const ww_word vp = s->vp[w], vn = s->vn[w];
        ww_word other = ww_bits_mismatch(s, row, w);
        // Where a sum takes its carry from the word before, -1 from the left need not come in as a match.
        if (!WW_ADD_CARRY || w == 0)
            other &= ~(left.n >> 31);
        // Except vn, which hp and hn do not need.
        const ww_word zero = WW_DIFFER_OR_NOT(WW_SUM(w, vp & ~other, vp), vp, other);
        const ww_word all_zero = zero | vn;
        const ww_word hp = WW_OR_NEITHER(vn, zero, vp), hn = vp & zero;
        const ww_word hp_in = WW_SHIFT_IN(hp, left.p);
        s->vp[w] = WW_OR_NEITHER(WW_SHIFT_IN(hn, left.n), all_zero, hp_in);
        s->vn[w] = hp_in & all_zero;
        left.p = hp;
        left.n = hn;
    }
    return left;
}
WW_INLINE ww_word ww_bits_step(ww_bits_block *s, const ww_row_held *rows, const ww_row_word padding_mask, const ww_word edge,
                               const ww_launch_args args) {
    ww_bits_left in, out;
    in.p = edge << (16 - WW_ROWS);
    in.n = edge << (32 - WW_ROWS);
    out.p = out.n = (ww_word)0;
    WW_EACH_ROW
    for (int q = 0; q < WW_ROWS; q++) {
        const ww_bits_row row = ww_bits_row_of(rows, padding_mask, q, args);
        const ww_bits_left right = ww_bits_row_step(s, &row, in);
        out.p = WW_SHIFT_IN(out.p, right.p);
        out.n = WW_SHIFT_IN(out.n, right.n);
        in.p <<= 1;
        in.n <<= 1;
    }
    return out.p << 16 | out.n;
}
#endif
