// SPDX-License-Identifier: Apache-2.0
// The best places of a block of values, one row of values a query: the least of each cell of `cell` places, from which
// the host derives how small a value must be to matter, and the list of the places whose values are so small.
// Infinity and NaN are never taken.
//
// Parameters: base/number.cl's (WW_VECTOR 1); WW_WG work-items of a group; WW_SEARCH_EACH values of a work-item of ww_search_take. No
// local memory, no barrier.

// least: for each row and cell of the places [begin, begin + count) its least value; place: where that is, the first of equal ones.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_least(__global const ww_scalar *restrict values, __global ww_scalar *restrict least,
                __global uint *restrict place, const ulong stride, const uint count, const uint cell, const uint cells,
                const uint rows, const uint begin) {
    const uint unit = (uint)get_global_id(0);
    const uint row = unit / cells;
    if (row >= rows)
        return;
    const uint first = ww_rest(unit, cells, row) * cell, end = min(first + cell, count);
    __global const ww_scalar *at = values + row * stride + begin;
    ww_scalar best = INFINITY;
    uint where = first;
    for (uint p = first; p < end; p++) {
        const ww_scalar value = at[p];
        where = value < best ? p : where;
        best = value < best ? value : best;
    }
    least[unit] = best;
    place[unit] = begin + where;
}

// Lists (value, place) of row `row_first + row` for places [first, first + count) with values not above its limit; found[row]
// counts all of them, `capacity` are stored.
__kernel __attribute__((reqd_work_group_size(WW_WG, 1, 1))) void
ww_search_take(__global const ww_scalar *restrict values, __global const ww_scalar *restrict limits,
               __global uint *restrict found, __global ww_scalar *restrict listed, __global uint *restrict places,
               const ulong stride, const uint first, const uint count, const uint capacity, const uint row_first,
               const uint rows) {
    const uint each = (count + WW_SEARCH_EACH - 1) / WW_SEARCH_EACH;
    const uint unit = (uint)get_global_id(0);
    const uint at_row = unit / each;
    if (at_row >= rows)
        return;
    const uint row = row_first + at_row;
    const uint begin = ww_rest(unit, each, at_row);
    __global const ww_scalar *at = values + row * stride + first;
    const ww_scalar limit = limits[row];
    for (uint k = 0; k < WW_SEARCH_EACH; k++) {
#if WW_SEARCH_ALONG_ITEMS
        const uint p = k * each + begin;
#else
        const uint p = begin * WW_SEARCH_EACH + k;
#endif
        if (p < count && at[p] <= limit && at[p] < INFINITY) {
            const uint slot = atomic_inc(found + row);
            if (slot < capacity) {
                listed[(ulong)row * capacity + slot] = at[p];
                places[(ulong)row * capacity + slot] = first + p;
            }
        }
    }
}
