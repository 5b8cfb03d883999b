// SPDX-License-Identifier: Apache-2.0
// How a strip passes the values of its last column to the next one, in both kernels of engine `strips` and in `bits`.
//
// Every row has an entry in `edges`: each 32 bits of the value are in one 64-bit word with a tag, the number of strips
// that have written there. A 64-bit word is written and read as a whole on every device, so a word with the expected
// tag has the expected value: no flag and no fence are needed. An entry is read before it is written again.
WW_INLINE void ww_tag(__global volatile ulong *edges, uint at, uint strip, uint value) {
    edges[at] = (ulong)(strip + 1) << 32 | value;
}

// Waits until the strip to the left has written the entry; `word` is what was read there last.
WW_INLINE uint ww_await(__global volatile ulong *edges, uint at, uint strip, ulong word) {
    while ((uint)(word >> 32) != strip)
        word = edges[at];
    return (uint)word;
}

// Waits before the first row: its tag tells how many strips are still ahead of this one. A strip that is far behind
// polls less often; else all strips would poll the word that the next strip waits for. `idle`: any local word.
WW_INLINE void ww_await_turn(__global volatile ulong *edges, uint strip, __local volatile uint *idle) {
    uint before;
    while ((before = strip - (uint)(edges[0] >> 32)) > 1)
        for (uint pause = before * 64; pause; pause--)
            (void)*idle;
}

// A row's entry: ww_hand_over() writes it, ww_edge_at() reads what it holds now, ww_take_over_asked() waits until the strip to
// the left has written it; `word` is what was read there last.
#if WWK_DOUBLE
#define WW_EDGE_WORDS 2
typedef ulong2 ww_edge_word;
WW_INLINE void ww_hand_over(__global volatile ulong *edges, uint row, uint strip, ww_scalar value) {
    const ulong tag = (ulong)(strip + 1) << 32;
    const ulong bits = as_ulong(value);
    edges[2 * (ulong)row] = tag | (uint)bits;
    edges[2 * (ulong)row + 1] = tag | (bits >> 32);
}
WW_INLINE ww_edge_word ww_edge_at(__global volatile ulong *edges, uint row) {
    return (ulong2)(edges[2 * (ulong)row], edges[2 * (ulong)row + 1]);
}
WW_INLINE ww_scalar ww_take_over_asked(__global volatile ulong *edges, uint row, uint strip, ww_edge_word word) {
    while ((uint)(word.s0 >> 32) != strip || (uint)(word.s1 >> 32) != strip)
        word = ww_edge_at(edges, row);
    return as_double(word.s1 << 32 | (uint)word.s0);
}
#else
#define WW_EDGE_WORDS 1
typedef ulong ww_edge_word;
WW_INLINE void ww_hand_over(__global volatile ulong *edges, uint row, uint strip, ww_scalar value) {
    ww_tag(edges, row, strip, as_uint(value));
}
WW_INLINE ww_edge_word ww_edge_at(__global volatile ulong *edges, uint row) {
    return edges[row];
}
WW_INLINE ww_scalar ww_take_over_asked(__global volatile ulong *edges, uint row, uint strip, ww_edge_word word) {
    return as_float(ww_await(edges, row, strip, word));
}
#endif
WW_INLINE ww_scalar ww_take_over(__global volatile ulong *edges, uint row, uint strip) {
    return ww_take_over_asked(edges, row, strip, ww_edge_at(edges, row));
}
