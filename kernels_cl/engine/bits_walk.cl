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
#define WW_READ_ROWS(target, s, step)                                                                                  \
    {                                                                                                                  \
        const int first = (int)(step)*WW_ROWS - (int)WW_PADDING((s).length);                                           \
        _Pragma("unroll") for (int q = 0; q < WW_ROWS; q++) target[q] = (s).planes[max(first + q, 0)];                 \
    }
WW_INLINE ww_scalar ww_column_held(ww_symbols s, uint w, uint b) {
    return s.planes[min(w * 32 + b, s.length - 1)];
}
#else
// The planes of the rows, from bit 0 up.
#define WW_READ_ROWS(target, s, step)                                                                                  \
    {                                                                                                                  \
        const uint bit = (s).words * 32 - (WW_STEPS((s).length) - (step)) * WW_ROWS;                                   \
        __global const uint *word = (s).planes + (ulong)(bit / 32) * WW_BITS;                                          \
        _Pragma("unroll") for (int b = 0; b < WW_BITS; b++)                                                            \
            target[b] = word[b] >> bit % 32;                                                                           \
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

// The state of a lane before the first row, and what the words' columns add to the result after the last.
#if WWK_LCS
#define WW_STATE ww_word v[WW_WORDS];
#define WW_CLEAR                                                                                                       \
    _Pragma("unroll") for (int w = 0; w < WW_WORDS; w++)                                                               \
        v[w] = ~(ww_word)0;
#define WW_COUNT(w, keep) popcount(~v[w] & (keep))
#define WW_FROM(n) 0
#else
#define WW_STATE ww_word vp[WW_WORDS], vn[WW_WORDS];
#define WW_CLEAR                                                                                                       \
    _Pragma("unroll") for (int w = 0; w < WW_WORDS; w++) {                                                             \
        vp[w] = ~(ww_word)0;                                                                                           \
        vn[w] = (ww_word)0;                                                                                            \
    }
#define WW_COUNT(w, keep) (popcount(vp[w] & (keep)) - popcount(vn[w] & (keep)))
#define WW_FROM(n) (n)
#endif

// One step over the lane's columns (own[w][b]): `rows`; `padding_mask`, from bit 0 up; `edge` in and out. Macros,
// because NVIDIA's compiler keeps arrays passed to a function in memory.
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
#define WW_MISMATCH(other, w)                                                                                          \
    ww_word other = 0;                                                                                                 \
    _Pragma("unroll") for (int b = 31; b >= 0; b--)                                                                    \
        other = WW_SHIFT_IN(other, ww_match_sign(rows[q], own[w][b], WW_AFTER_EPSILON));                                                 \
    other = ~other | dead;
#define WW_ROW_MASKS
#else
#define WW_MISMATCH(other, w)                                                                                          \
    ww_word other = WW_OR_DIFFER(dead, own[w][0], mask[0]);                                                            \
    _Pragma("unroll") for (int b = 1; b < WW_BITS; b++)                                                                \
        other = WW_OR_DIFFER(other, own[w][b], mask[b]);
#define WW_ROW_MASKS                                                                                                   \
    ww_row_word mask[WW_BITS];                                                                                         \
    _Pragma("unroll") for (int b = 0; b < WW_BITS; b++)                                                                \
        mask[b] = WW_ROW_SIGN(rows[b] << (31 - q));
#endif
#define WW_STEP                                                                                                        \
    {                                                                                                                  \
        WW_OPEN_EDGE                                                                                                   \
        WW_EACH_ROW for (int q = 0; q < WW_ROWS; q++) {                                                                \
            const ww_row_word dead = WW_ROW_SIGN(padding_mask << (31 - q));                                            \
            WW_ROW_MASKS                                                                                               \
            WW_ONE_ROW                                                                                                 \
        }                                                                                                              \
        WW_CLOSE_EDGE                                                                                                  \
    }

#if WWK_LCS
// The carry out of a word is the top bit of (both summands have the bit, or one has it and the sum does not).
#define WW_OPEN_EDGE ww_word in = edge << (32 - WW_ROWS), out = (ww_word)0;
#define WW_CLOSE_EDGE edge = out;
#define WW_BORDER_EDGE(padding) ((void)(padding), (ww_word)0)
#define WW_ONE_ROW                                                                                                     \
    ww_word carry = in;                                                                                                \
    _Pragma("unroll") for (int w = 0; w < WW_WORDS; w++) {                                                             \
        WW_MISMATCH(other, w)                                                                                          \
        const ww_word lengths = v[w] & ~other;                                                                            \
        const ww_word sum = WW_SUM_WITH_CARRY(w, lengths, v[w], carry >> 31);                                             \
        carry = lengths | (v[w] & ~sum);                                                                                  \
        v[w] = WW_OR_BOTH(sum, v[w], other);                                                                                  \
    }                                                                                                                  \
    out = WW_SHIFT_IN(out, carry);                                                                                     \
    in <<= 1;
#if WW_ADD_CARRY
#define WW_SUM_WITH_CARRY(w, a, b, carry) ((w) ? ww_add_next(a, b) : ww_add_first_carry(a, b, carry))
#else
#define WW_SUM_WITH_CARRY(w, a, b, carry) ((a) + (b) + (carry))
#endif
#else
#define WW_OPEN_EDGE                                                                                                   \
    ww_word in_p = edge << (16 - WW_ROWS), in_n = edge << (32 - WW_ROWS), out_p = (ww_word)0, out_n = (ww_word)0;
#define WW_CLOSE_EDGE edge = out_p << 16 | out_n;
#define WW_BORDER_EDGE(padding) ((~(ww_word)0 >> (16 - WW_ROWS + (padding))) & 0xffff0000u)
// Where a sum takes its carry from the word before, -1 from the left need not come in as a match.
#if WW_ADD_CARRY
#define WW_TAKE_NEGATIVE(other, w)                                                                                     \
    if ((w) == 0)                                                                                                      \
        other &= ~(left_n >> 31);
#define WW_SUM(w, a, b) ((w) ? ww_add_next(a, b) : ww_add_first(a, b))
#else
#define WW_TAKE_NEGATIVE(other, w) other &= ~(left_n >> 31);
#define WW_SUM(w, a, b) ((a) + (b))
#endif
#define WW_ONE_ROW                                                                                                     \
    ww_word left_p = in_p, left_n = in_n;                                                                              \
    _Pragma("unroll") for (int w = 0; w < WW_WORDS; w++) {                                                             \
        WW_MISMATCH(other, w)                                                                                          \
        WW_TAKE_NEGATIVE(other, w)                                                                                     \
        /* Except vn, which hp and hn do not need. */                                                                       \
        const ww_word zero = WW_DIFFER_OR_NOT(WW_SUM(w, vp[w] & ~other, vp[w]), vp[w], other);                         \
        const ww_word all_zero = zero | vn[w];                                                                         \
        const ww_word hp = WW_OR_NEITHER(vn[w], zero, vp[w]), hn = vp[w] & zero;                                       \
        const ww_word hp_in = WW_SHIFT_IN(hp, left_p);                                                                 \
        vp[w] = WW_OR_NEITHER(WW_SHIFT_IN(hn, left_n), all_zero, hp_in);                                               \
        vn[w] = hp_in & all_zero;                                                                                      \
        left_p = hp;                                                                                                   \
        left_n = hn;                                                                                                   \
    }                                                                                                                  \
    out_p = WW_SHIFT_IN(out_p, left_p);                                                                                \
    out_n = WW_SHIFT_IN(out_n, left_n);                                                                                \
    in_p <<= 1;                                                                                                        \
    in_n <<= 1;
#endif
