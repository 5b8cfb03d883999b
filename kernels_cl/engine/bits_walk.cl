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
// Parameters: WW_BITS; WW_WORDS; WW_ROWS 4, 8, 16; WWK_LCS; WW_POINTS; WW_UNROLL; WW_OWN_ROWS 1: each pair has rows of its own
// (in a vector).

// Unrolled rows are faster on GPUs; on CPUs they are not, and compile slowly.
#if WW_UNROLL
#define WW_EACH_ROW _Pragma("unroll")
#else
#define WW_EACH_ROW _Pragma("unroll 1")
#endif
#if WW_ROWS > 16 || (WW_ROWS & (WW_ROWS - 1))
#error "WW_ROWS is a power of two up to 16"
#endif

// 32 columns, or the same words of WW_VECTOR pairs. Rows that all lanes of a vector share are scalars.
#if WW_VECTOR == 1
typedef uint ww_word;
WW_INLINE ww_word ww_bits_sign(ww_word v) {
    return as_uint(as_int(v) >> 31);
}
// The columns of a word that exist: `left` is the number of columns from its first on, any integer.
WW_INLINE ww_word ww_bits_keep(ww_ints left) {
    return ~0u >> (32 - clamp(left, 1, 32)) & (left > 0 ? ~0u : 0u);
}
#else
typedef WW_PASTE(uint, WW_VECTOR) ww_word;
WW_INLINE ww_word ww_bits_sign(ww_word v) {
    return WW_PASTE(as_uint, WW_VECTOR)(WW_PASTE(as_int, WW_VECTOR)(v) >> 31);
}
WW_INLINE ww_word ww_bits_keep(ww_ints left) {
    return ~(ww_word)0 >> WW_PASTE(as_uint, WW_VECTOR)(32 - clamp(left, 1, 32)) & WW_PASTE(as_uint, WW_VECTOR)(left > 0);
}
#endif
#if WW_VECTOR == 1 || WW_OWN_ROWS
typedef ww_word ww_row_word;
WW_INLINE ww_row_word ww_bits_row_sign(ww_row_word v) {
    return ww_bits_sign(v);
}
#else
typedef uint ww_row_word;
WW_INLINE ww_row_word ww_bits_row_sign(ww_row_word v) {
    return as_uint(as_int(v) >> 31);
}
#endif

// Three-input operations; and one column to the right, the top bit of `low` enters.
#if !WW_LOGIC
WW_INLINE ww_word ww_or_differ(ww_word a, ww_word b, ww_word c) {
    return a | (b ^ c);
}
WW_INLINE ww_word ww_or_neither(ww_word a, ww_word b, ww_word c) {
    return a | ~(b | c);
}
WW_INLINE ww_word ww_differ_or_not(ww_word a, ww_word b, ww_word c) {
    return (a ^ b) | ~c;
}
WW_INLINE ww_word ww_or_both(ww_word a, ww_word b, ww_word c) {
    return a | (b & c);
}
WW_INLINE ww_word ww_shift_in(ww_word high, ww_word low) {
    // From the other form LLVM makes an instruction that Oclgrind does not know.
    return WW_EXCHANGE == WWK_EXCHANGE_LOCAL && WW_VECTOR == 1 ? high << 1 | (rotate(low, (ww_word)1) & 1u)
                                                               : high << 1 | low >> 31;
}
#endif

// What is stored in memory; WW_HELD of ww_held for each word of columns; WW_ROWS_HELD of ww_row_held for the rows of a step.
#if WW_POINTS
typedef ww_scalar ww_plane, ww_held, ww_row_held;
#else
typedef uint ww_plane;
typedef ww_word ww_held;
typedef ww_row_word ww_row_held;
#endif
enum { WW_HELD = WW_POINTS ? 32 : WW_BITS, WW_ROWS_HELD = WW_POINTS ? WW_ROWS : WW_BITS };

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

// Steps of n rows; the padding rows of the first; as a mask.
WW_INLINE uint ww_bits_steps(uint n) {
    return (n + WW_ROWS - 1) / WW_ROWS;
}
WW_INLINE uint ww_bits_padding(uint n) {
    return (0u - n) % WW_ROWS;
}
WW_INLINE ww_row_word ww_bits_padding_mask(ww_row_word padding) {
    return ((ww_row_word)1 << padding) - 1;
}

// A row: what its symbol is compared with, and all bits where it is padding.
typedef struct {
    ww_row_word dead;
#if WW_POINTS
    ww_scalar value, after_epsilon;
#else
    ww_row_word mask[WW_BITS];
#endif
} ww_bits_row;

// ww_bits_read_rows(): the values held for a step's rows. ww_bits_column(): for column 32*w + b or plane b of word w.
// ww_bits_mismatch(): the columns of a word whose symbol is not the row's.
#if WW_POINTS
WW_INLINE void ww_bits_read_rows(ww_plane *target, ww_symbols s, uint step) {
    const int first = (int)step * WW_ROWS - (int)ww_bits_padding(s.length);
#pragma unroll
    for (int q = 0; q < WW_ROWS; q++)
        target[q] = s.planes[max(first + q, 0)];
}
WW_INLINE ww_scalar ww_bits_column(ww_symbols s, uint w, uint b) {
    return s.planes[min(w * 32 + b, s.length - 1)];
}
// Its sign: the points match. Their distance is at most epsilon, that is below the next larger number. NaN is not below 0:
// nothing matches it.
#if WWK_DOUBLE
WW_INLINE ww_scalar ww_bits_after(ww_scalar epsilon) {
    return as_double(as_long(epsilon) + 1);
}
WW_INLINE uint ww_bits_high(ww_scalar v) {
    return (uint)(as_ulong(v) >> 32);
}
#else
WW_INLINE ww_scalar ww_bits_after(ww_scalar epsilon) {
    return as_float(as_int(epsilon) + 1);
}
WW_INLINE uint ww_bits_high(ww_scalar v) {
    return as_uint(v);
}
#endif
WW_INLINE uint ww_match_sign(ww_scalar row, ww_scalar column, ww_scalar after_epsilon) {
    ww_point x, y;
    x.value[0] = row;
    y.value[0] = column;
    return ww_bits_high(ww_apart(x, y) - after_epsilon);
}
WW_INLINE void ww_bits_set_row(ww_bits_row *row, const ww_row_held *rows, const int q, const ww_launch_args args) {
    row->value = rows[q];
    row->after_epsilon = ww_bits_after(args.parameters.epsilon);
}
WW_INLINE ww_word ww_bits_mismatch(const ww_held *own, const ww_bits_row *row) {
    ww_word other = 0;
#pragma unroll
    for (int b = 31; b >= 0; b--)
        other = ww_shift_in(other, ww_match_sign(row->value, own[b], row->after_epsilon));
    return ~other | row->dead;
}
WW_INLINE ww_scalar ww_bits_result(uint sum, uint n, uint m, const ww_launch_args args) {
    return ww_final((ww_scalar)sum, n, m, WW_GIVEN);
}
#else
// The planes of the rows, from bit 0 up.
WW_INLINE void ww_bits_read_rows(ww_plane *target, ww_symbols s, uint step) {
    const uint bit = s.words * 32 - (ww_bits_steps(s.length) - step) * WW_ROWS;
    __global const uint *word = s.planes + (ulong)(bit / 32) * WW_BITS;
#pragma unroll
    for (int b = 0; b < WW_BITS; b++)
        target[b] = word[b] >> bit % 32;
}
// Counted from column 0 on; after the last column there are zeros.
WW_INLINE uint ww_bits_column(ww_symbols s, uint w, uint b) {
    const uint unused = (0u - s.length) % 32;
    const uint low = w < s.words ? s.planes[(ulong)w * WW_BITS + b] : 0;
    const uint high = w + 1 < s.words ? s.planes[(ulong)(w + 1) * WW_BITS + b] : 0;
    return low >> unused | high << 1 << (31 - unused);
}
WW_INLINE void ww_bits_set_row(ww_bits_row *row, const ww_row_held *rows, const int q, const ww_launch_args args) {
#pragma unroll
    for (int b = 0; b < WW_BITS; b++)
        row->mask[b] = ww_bits_row_sign(rows[b] << (31 - q));
}
WW_INLINE ww_word ww_bits_mismatch(const ww_held *own, const ww_bits_row *row) {
    ww_word other = ww_or_differ(row->dead, own[0], row->mask[0]);
#pragma unroll
    for (int b = 1; b < WW_BITS; b++)
        other = ww_or_differ(other, own[b], row->mask[b]);
    return other;
}
WW_INLINE ww_scalar ww_bits_result(uint sum, uint n, uint m, const ww_launch_args args) {
    return ww_root((ww_scalar)sum);
}
#endif
WW_INLINE ww_bits_row ww_bits_row_of(const ww_row_held *rows, const ww_row_word padding_mask, const int q,
                                     const ww_launch_args args) {
    ww_bits_row row;
    row.dead = ww_bits_row_sign(padding_mask << (31 - q));
    ww_bits_set_row(&row, rows, q, args);
    return row;
}

// A lane's columns and its state; ww_bits_clear(): before the first row. ww_bits_count(): what a word's columns add to the result
// after the last; the result begins with the rows' number times WW_BITS_FROM. ww_bits_border(): the edge at the matrix's border.
// ww_bits_row_step(): a row. ww_bits_step(): one step, `padding_mask` from bit 0 up; the edge in, and out as the result.
#if WWK_LCS
enum { WW_BITS_FROM = 0 };
typedef struct {
    ww_held own[WW_WORDS][WW_HELD];
    ww_word v[WW_WORDS];
} ww_bits_block;
WW_INLINE void ww_bits_clear(ww_bits_block *s) {
#pragma unroll
    for (int w = 0; w < WW_WORDS; w++)
        s->v[w] = ~(ww_word)0;
}
WW_INLINE ww_word ww_bits_count(const ww_bits_block *s, const int w, ww_word keep) {
    return popcount(~s->v[w] & keep);
}
WW_INLINE ww_word ww_bits_border(ww_row_word padding) {
    return (ww_word)0;
}
WW_INLINE ww_word ww_bits_sum_of(const int w, ww_word a, ww_word b, ww_word carry) {
#if WW_ADD_CARRY
    return w ? ww_add_next(a, b) : ww_add_first_carry(a, b, carry);
#else
    return a + b + carry;
#endif
}
// The carry out of a word is the top bit of (both summands have the bit, or one has it and the sum does not).
WW_INLINE ww_word ww_bits_row_step(ww_bits_block *s, const ww_bits_row *row, ww_word carry) {
#pragma unroll
    for (int w = 0; w < WW_WORDS; w++) {
        const ww_word v = s->v[w], other = ww_bits_mismatch(s->own[w], row), same = v & ~other;
        const ww_word sum = ww_bits_sum_of(w, same, v, carry >> 31);
        carry = same | (v & ~sum);
        s->v[w] = ww_or_both(sum, v, other);
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
        out = ww_shift_in(out, carry);
        in <<= 1;
    }
    return out;
}
#else
enum { WW_BITS_FROM = 1 };
typedef struct {
    ww_held own[WW_WORDS][WW_HELD];
    ww_word vp[WW_WORDS], vn[WW_WORDS];
} ww_bits_block;
WW_INLINE void ww_bits_clear(ww_bits_block *s) {
#pragma unroll
    for (int w = 0; w < WW_WORDS; w++) {
        s->vp[w] = ~(ww_word)0;
        s->vn[w] = (ww_word)0;
    }
}
WW_INLINE ww_word ww_bits_count(const ww_bits_block *s, const int w, ww_word keep) {
    return popcount(s->vp[w] & keep) - popcount(s->vn[w] & keep);
}
WW_INLINE ww_word ww_bits_border(ww_row_word padding) {
    return (~(ww_word)0 >> (16 - WW_ROWS + padding)) & 0xffff0000u;
}
WW_INLINE ww_word ww_bits_sum_of(const int w, ww_word a, ww_word b) {
#if WW_ADD_CARRY
    return w ? ww_add_next(a, b) : ww_add_first(a, b);
#else
    return a + b;
#endif
}
// hn and hp of the column left of the first word, or of the last word's columns.
typedef struct {
    ww_word n, p;
} ww_bits_left;
WW_INLINE ww_bits_left ww_bits_row_step(ww_bits_block *s, const ww_bits_row *row, ww_bits_left left) {
#pragma unroll
    for (int w = 0; w < WW_WORDS; w++) {
        const ww_word vp = s->vp[w], vn = s->vn[w];
        ww_word other = ww_bits_mismatch(s->own[w], row);
        // Where a sum takes its carry from the word before, -1 from the left need not come in as a match.
        if (!WW_ADD_CARRY || w == 0)
            other &= ~(left.n >> 31);
        // Except vn, which hp and hn do not need.
        const ww_word zero = ww_differ_or_not(ww_bits_sum_of(w, vp & ~other, vp), vp, other);
        const ww_word all_zero = zero | vn;
        const ww_word hp = ww_or_neither(vn, zero, vp), hn = vp & zero;
        const ww_word hp_in = ww_shift_in(hp, left.p);
        s->vp[w] = ww_or_neither(ww_shift_in(hn, left.n), all_zero, hp_in);
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
        out.p = ww_shift_in(out.p, right.p);
        out.n = ww_shift_in(out.n, right.n);
        in.p <<= 1;
        in.n <<= 1;
    }
    return out.p << 16 | out.n;
}
#endif

// What a lane's columns add to the result, of which `left` exist.
WW_INLINE ww_word ww_bits_counts(const ww_bits_block *s, ww_ints left) {
    ww_word sum = (ww_word)0;
#pragma unroll
    for (int w = 0; w < WW_WORDS; w++)
        sum += ww_bits_count(s, w, ww_bits_keep(left - w * 32));
    return sum;
}
#if WW_VECTOR == 1
WW_INLINE void ww_bits_load(ww_bits_block *s, ww_symbols y, uint first_word) {
#pragma unroll
    for (uint w = 0; w < WW_WORDS; w++) {
#pragma unroll
        for (uint b = 0; b < WW_HELD; b++)
            s->own[w][b] = ww_bits_column(y, first_word + w, b);
    }
}
// A step of a lane; next_rows[] are its rows, then those of the next step, which are loaded while these are computed.
WW_INLINE uint ww_bits_lane_step(ww_bits_block *s, ww_symbols x, uint step, uint steps, ww_row_held *next_rows, uint padding,
                                 uint edge, const ww_launch_args args) {
    ww_row_held rows[WW_ROWS_HELD];
#pragma unroll
    for (int b = 0; b < WW_ROWS_HELD; b++)
        rows[b] = next_rows[b];
    ww_bits_read_rows(next_rows, x, min(step + 1, steps - 1));
    return ww_bits_step(s, rows, ww_bits_padding_mask(padding), edge, args);
}
// The edge and the sum go to the right-hand neighbour; without an exchange through `passed`, local memory in two halves that take
// turns.
#define WW_BITS_PASSED(items) (WW_EXCHANGE ? 1 : 4 * (items))
WW_INLINE void ww_bits_pass_right(uint *edge, uint *sum, __local uint *passed, const uint turn, const uint items, uint lid,
                                  uint lane, uint width) {
#if WW_EXCHANGE == WWK_EXCHANGE_LOCAL
    __local uint *own = passed + turn * 2 * items;
    const uint from = (lid & ~(width - 1)) | ((lane - 1) & (width - 1));
    own[lid] = *edge;
    own[items + lid] = *sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    *edge = own[from];
    *sum = own[items + from];
#else
    *edge = ww_exchange_up(*edge, width);
    *sum = ww_exchange_up(*sum, width);
#endif
}
#endif
