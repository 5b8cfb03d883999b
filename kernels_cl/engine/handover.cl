// SPDX-License-Identifier: Apache-2.0
// How a strip hands the values of its last column to the next one, in both texts of engine `strips` and in `bits`.
//
// Every row has an entry in `edges`: each 32 bits of the value stand in one 64-bit word beside a tag, the number of strips
// that have written there. A 64-bit word is written and read whole on every device, so a word with the expected tag holds
// the expected value: there is no flag to set after it and no fence to wait for. An entry is read before it is written anew.
WW_INLINE void ww_tag(__global volatile ulong *edges, uint at, uint strip, uint value) {
    edges[at] = (ulong)(strip + 1) << 32 | value;
}

// Waits until the strip to the left has written the entry; `word` is what was read there last.
WW_INLINE uint ww_await(__global volatile ulong *edges, uint at, uint strip, ulong word) {
    while ((uint)(word >> 32) != strip)
        word = edges[at];
    return (uint)word;
}

#if WW_DOUBLE
#define WW_EDGE_WORDS 2
#else
#define WW_EDGE_WORDS 1
#endif

WW_INLINE void ww_hand_over(__global volatile ulong *edges, uint row, uint strip, ww_scalar value) {
    const ulong tag = (ulong)(strip + 1) << 32;
#if WW_DOUBLE
    const ulong bits = as_ulong(value);
    edges[2 * (ulong)row] = tag | (uint)bits;
    edges[2 * (ulong)row + 1] = tag | (bits >> 32);
#else
    edges[row] = tag | as_uint(value);
#endif
}

// Waits until the strip to the left has written the row.
WW_INLINE ww_scalar ww_take_over(__global volatile ulong *edges, uint row, uint strip) {
#if WW_DOUBLE
    ulong low, high;
    do {
        low = edges[2 * (ulong)row];
        high = edges[2 * (ulong)row + 1];
    } while ((uint)(low >> 32) != strip || (uint)(high >> 32) != strip);
    return as_double(high << 32 | (uint)low);
#else
    ulong word;
    do {
        word = edges[row];
    } while ((uint)(word >> 32) != strip);
    return as_float((uint)word);
#endif
}
