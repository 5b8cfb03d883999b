// SPDX-License-Identifier: Apache-2.0
// Value and gradient of few pairs of soft-DTW in one launch:
//
//   ww_gradient_wave   a work-group a pair, a work-item a row: an anti-diagonal of the matrix at a time, forward and back
//
// Few pairs wait for the chain of their cells, so a step of the chain is short: a work-item gives its cell to that of the row
// below by an exchange within its wave of 32, and waves hand on their last row through local memory, WW_WAVE_LAG chunks of
// WW_WAVE_STEPS steps behind each other. Where no exchange is known a wave is the whole group, by way of local memory.
//
// Forward, with P(i,j) = exp(-D(i,j)/gamma):  P = exp(-c/gamma) (P left + P up + P diagonal). P is `value` times 2^-bits, bits a
// whole number, so a step of the chain has no exponential and no logarithm, and P has the precision of `value` alone. Exponentials of
// costs do not wait for the chain. The shares that the neighbours to the left and above have in each cell are noted.
// Back: A(n,m) = 1, A(i,j) the sum of what its successors give it, their A times its share in them (gradient_backward.cl). The
// slopes by a row's point are summed by its work-item; those by a column's point go up from row to row with A. No atomic operations:
// a pair's bits are its own.
//
// With WW_TABLED costs come from a table, and W (gradient_table.cl) goes into another one.
//
// Parameters: WW_WG, a multiple of 32 and at least the rows of a pair; WW_ROWS 32; WW_WAVE_LIMITED 1: the host limits the
// registers, which NVIDIA's compiler heeds where the size of groups is left open. Local memory: WW_WAVE_LOCAL values. Barriers:
// one a chunk, or without exchange one a step.
#define WW_WAVE_OTHER 0x80000000u // of a series' id: it is one of the columns
// Large groups have 64 registers: of 512 work-items two fit a compute unit. H200, float: 1024 x 512 points 2.25 ms with 8 steps, 1.79
// with 4; 256 x 1000 points 1.60 and 1.96; 64 x 128 points of 8 channels 0.12 and 0.15.
#define WW_WAVE_STEPS (WW_WG == 512 || (WW_WG > 512 && (WWK_DOUBLE || WW_CHANNELS > 1)) ? 4 : 8)
#define WW_WAVE_BESIDE 40                   // columns that are noted besides: a wave's rows are apart
#ifndef WW_WAVE_LIMITED
#define WW_WAVE_LIMITED 0
#endif
#if WW_WAVE_LIMITED
#define WW_WAVE_GROUP
#else
#define WW_WAVE_GROUP __attribute__((reqd_work_group_size(WW_WG, 1, 1)))
#endif
#define WW_WAVE_BITS (WWK_DOUBLE ? -1022 : -126)
#define WW_WAVE_SUMS (WW_TABLED ? 0 : WW_CHANNELS) // slopes by a column's point
#if WW_EXCHANGE == WWK_EXCHANGE_NV_SHFL || WW_EXCHANGE == WWK_EXCHANGE_AMD_BPERMUTE
#define WW_WAVE 32
#define WW_WAVE_PLACES (WW_WG + 32) // of local memory: a ring of each wave, behind one of what is above the first
#else
#define WW_WAVE WW_WG
#define WW_WAVE_PLACES (2 * WW_WG) // lines that are written in turns
#endif
#define WW_WAVE_LAG (WW_WAVE / WW_WAVE_STEPS + 1)
// Of each work-item a cell's mass, or A and its column's sums.
#define WW_WAVE_LOCAL (WW_WAVE_PLACES * (WW_WAVE_SUMS > 1 ? 1 + WW_WAVE_SUMS : 2))

typedef WW_PASTE(WW_REAL_NAME, 2) ww_two;
typedef struct {
    real value, bits;
} ww_mass;
// A work-item's row in one of the passes, and where it is.
typedef struct {
    uint n, m, row;
    uint item, lane, wave, waves;  // in the pass: in the group, in the wave; waves that have rows
    __global ww_two *notes;        // of column 0
#if WW_TABLED
    ulong table;                      // where the pair's costs are
    __global const ww_scalar *costs;  // of the row
    __global ww_scalar *weights;
#else
    ww_point x;
    ww_series rows, y;
#endif
} ww_wave_row;

// Added and taken away again, it rounds to a whole number.
#define WW_WAVE_MAGIC ((real)(WWK_DOUBLE ? 6755399441055744.0 : 12582912.0))
// 2^a of a whole number that is not above 0; nothing below what is normal.
WW_INLINE real ww_wave_power(real a) {
    // The magic numbers put the exponent into the lowest bits.
#if WWK_DOUBLE
    // High words order as numbers not above 0 do; those from -1022 on have no low word.
    const uint high = min(as_uint2(a).y, as_uint2((double)WW_WAVE_BITS).y);
    return as_double((uint2)(0, as_uint2(as_double((uint2)(0, high)) + 6755399441056767.0).x << 20));
#else
    const real near = a > (real)WW_WAVE_BITS ? a : (real)WW_WAVE_BITS; // also where it is not a number
    return as_float(as_uint(near + 12583039.0f) << 23);
#endif
}
// 2^a of a fraction, -1/2 to 1/2: what is beyond, also what is not a number, is of a cost so large that this is nothing.
WW_INLINE real ww_wave_fraction(real a) {
    const real most = a < (real)0.5 ? a : (real)0.5, near = most > (real)-0.5 ? most : (real)-0.5;
#if WWK_DOUBLE
    return ww_soft_fraction(near);
#else
    return ww_exp2(near);
#endif
}
// 1/a of a sum of masses. One of them is settled, or a few steps old, so what is smaller is 0, and any number serves.
WW_INLINE real ww_wave_recip(real sum) {
#if WWK_DOUBLE
    const uint2 word = as_uint2(sum);
    const real a = as_double((uint2)(word.x, max(word.y, 0x3c000000u)));
    const real first = (real)native_recip((float)a), second = fma(first, fma(-a, first, 1.0), first);
    return fma(second, fma(-a, second, 1.0), second);
#else
    return ww_recip(fmax(sum, 0x1p-63f));
#endif
}
// The same mass with a value from 1 to 2; none remains none.
WW_INLINE ww_mass ww_wave_settle(ww_mass of) {
#if WWK_DOUBLE
    const uint2 word = as_uint2(of.value);
    const int exponent = (int)(word.y >> 20) - 1023;
    const real value = as_double((uint2)(word.x, (word.y & 0xfffffu) | 0x3ff00000u));
#else
    const int exponent = (int)(as_uint(of.value) >> 23) - 127;
    const real value = as_float((as_uint(of.value) & 0x7fffffu) | 0x3f800000u);
#endif
    const bool some = of.value > 0;
    ww_mass settled;
    settled.value = some ? value : of.value;
    settled.bits = some ? of.bits - (real)exponent : WW_INF;
    return settled;
}

WW_INLINE int ww_wave_column(const ww_wave_row *w, int j) {
    return clamp(j, 0, (int)w->m - 1);
}
// Whether a chunk of columns from `first` on is between the first and the last one.
WW_INLINE bool ww_wave_inside(const ww_wave_row *w, int first) {
    return first >= 0 && first + WW_WAVE_STEPS <= (int)w->m;
}
WW_INLINE real ww_wave_cost(const ww_wave_row *w, int column) {
#if WW_TABLED
    return w->costs[column];
#else
    return ww_cost(w->x, WW_POINT(w->y, (uint)column));
#endif
}

// What the work-item before gives in a step: `count` values of each. Those of a wave's first work-item come from the wave before, whose
// last one, which is 31 steps behind it, left them in a ring; those of the first wave are 0 and then `beyond`.
WW_INLINE void ww_wave_pass(const ww_wave_row *w, __local ww_scalar *line, const int count, real *values, uint step, const real beyond) {
#if WW_WAVE == 32
    __local const ww_scalar *ring = line + (w->wave * 32 + step % 32) * count;
#pragma unroll
    for (int k = 0; k < count; k++) {
        const real before = ww_exchange_up(values[k], 32), first = ring[k];
        values[k] = w->lane ? before : first;
    }
#else
    __local ww_scalar *place = line + ((step & 1) * WW_WG + w->item) * count;
    for (int k = 0; k < count; k++)
        place[k] = values[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < count; k++)
        values[k] = w->item ? place[k - count] : k == 1 ? beyond : (real)0;
#endif
}
// Leaves what the next wave's first work-item takes.
WW_INLINE void ww_wave_leave(const ww_wave_row *w, __local ww_scalar *line, const int count, const real *values, uint step) {
#if WW_WAVE == 32
    if (w->lane == 31) {
#pragma unroll
        for (int k = 0; k < count; k++)
            line[((w->wave + 1) * 32 + (step + 1) % 32) * count + k] = values[k];
    }
#endif
}
// The ring above the first wave, before a pass.
WW_INLINE void ww_wave_begin(const ww_wave_row *w, __local ww_scalar *line, const int count, const real beyond) {
#if WW_WAVE == 32
    if (w->item < 32) {
        for (int k = 0; k < count; k++)
            line[w->item * count + k] = k == 1 ? beyond : (real)0;
    }
#endif
}

// ---- forward

// Of a work-item: its last cell, and the one above that.
typedef struct {
    ww_mass own, above;
} ww_wave_masses;

WW_INLINE void ww_wave_cell(ww_wave_masses *at, ww_mass up, real factor, real whole, ww_two *shares) {
    const ww_mass left = at->own, diagonal = at->above;
    const real sides = left.bits < up.bits ? left.bits : up.bits, least = sides < diagonal.bits ? sides : diagonal.bits;
    const real by_left = left.value * ww_wave_power(least - left.bits);
    const real by_up = up.value * ww_wave_power(least - up.bits);
    const real sum = fma(diagonal.value, ww_wave_power(least - diagonal.bits), by_left) + by_up;
    const real over = ww_wave_recip(sum);
    *shares = (ww_two)(by_left * over, by_up * over);
    at->above = up;
    at->own.value = sum * factor;
    at->own.bits = least + whole;
}

// Steps of one chunk; `keep`: the shares are noted. The mass in column `end` is left in `ended`.
WW_INLINE void ww_wave_ahead(ww_wave_masses *at, const ww_wave_row *w, uint chunk, const real scale, bool keep, int end,
                             __local ww_scalar *line, __local ww_scalar *ended) {
    real factor[WW_WAVE_STEPS], whole[WW_WAVE_STEPS];
    const int first = (int)(chunk * WW_WAVE_STEPS) - (int)w->lane;
    if (ww_wave_inside(w, first)) {
#pragma unroll
        for (int k = 0; k < WW_WAVE_STEPS; k++)
            factor[k] = ww_wave_cost(w, first + k);
    } else {
#pragma unroll
        for (int k = 0; k < WW_WAVE_STEPS; k++)
            factor[k] = ww_wave_cost(w, ww_wave_column(w, first + k));
    }
#pragma unroll
    for (int k = 0; k < WW_WAVE_STEPS; k++) {
        const real cost = factor[k] * scale;
        whole[k] = (cost + WW_WAVE_MAGIC) - WW_WAVE_MAGIC;
        factor[k] = ww_wave_fraction(whole[k] - cost);
    }
#pragma unroll
    for (int k = 0; k < WW_WAVE_STEPS; k++) {
        const int j = first + k;
        const uint step = chunk * WW_WAVE_STEPS + (uint)k;
        real given[2] = {at->own.value, at->own.bits};
        ww_wave_pass(w, line, 2, given, step, WW_INF);
        ww_mass up;
        up.value = given[0];
        up.bits = given[1];
        ww_two shares;
        ww_wave_cell(at, up, factor[k], whole[k], &shares);
        if (j == end) {
            ended[0] = at->own.value;
            ended[1] = at->own.bits;
        }
        if (keep && (WW_WAVE == 32 || (j >= 0 && j < (int)w->m && w->row < w->waves * 32)))
            w->notes[j * 32] = shares;
        if (k == WW_WAVE_STEPS - 1) {
            at->own = ww_wave_settle(at->own);
            at->above = ww_wave_settle(at->above);
        }
        const real left[2] = {at->own.value, at->own.bits};
        ww_wave_leave(w, line, 2, left, step);
    }
}

// ---- back

// Of a work-item: what its last cell gives to the one on its left, and to the one above that; what it gives to the row above, A and
// the column's sums; its row's slopes; the shares of the next chunk.
typedef struct {
    real aside, away, up[WW_WAVE_SUMS + 1], slopes[WW_WAVE_SUMS + 1];
    ww_two next[WW_WAVE_STEPS];
} ww_wave_adjoints;
// Where slopes go: 0: nowhere; from one point to the next, from one channel to the next; what they are multiplied by.
typedef struct {
    __global ww_scalar *to;
    uint point, channel;
    ww_scalar factor;
} ww_wave_slopes;

WW_INLINE void ww_wave_look(ww_wave_adjoints *at, const ww_wave_row *w, uint chunk) {
    const int first = (int)w->m - 1 + (int)w->lane - (int)(chunk * WW_WAVE_STEPS);
    if (ww_wave_inside(w, first - (WW_WAVE_STEPS - 1))) {
#pragma unroll
        for (int k = 0; k < WW_WAVE_STEPS; k++)
            at->next[k] = w->notes[(first - k) * 32];
    } else {
#pragma unroll
        for (int k = 0; k < WW_WAVE_STEPS; k++)
            at->next[k] = w->notes[ww_wave_column(w, first - k) * 32];
    }
}
// Adds the slopes of a cell in column j, 0 where there is none; `given`: its column's sums.
WW_INLINE void ww_wave_slope(ww_wave_adjoints *at, const ww_wave_row *w, const real *given, int j, real all, bool here,
                             ww_wave_slopes columns) {
#if WW_TABLED
    ww_point x = ww_point_infinite(), y = x;
    y.value = ww_wave_cost(w, ww_wave_column(w, j));
    if (here)
        w->weights[j] = all * ww_node_slope(x, y, 0, 0);
#else
    const ww_point y = WW_POINT(w->y, (uint)ww_wave_column(w, j));
#pragma unroll
    for (int c = 0; c < WW_WAVE_SUMS; c++) {
        const real slope = all * ww_node_slope(w->x, y, 0, c);
        at->slopes[c] += slope;
        at->up[1 + c] = given[1 + c] - slope;
        if (here && w->row == 0 && columns.to)
            columns.to[(uint)j * columns.point + (uint)c * columns.channel] = columns.factor * at->up[1 + c];
    }
#endif
}
// Steps of one chunk. The first work-item has the last row.
WW_INLINE void ww_wave_back(ww_wave_adjoints *at, const ww_wave_row *w, uint chunk, __local ww_scalar *line,
                            ww_wave_slopes columns) {
    const int first = (int)w->m - 1 + (int)w->lane - (int)(chunk * WW_WAVE_STEPS);
    ww_two shares[WW_WAVE_STEPS];
#pragma unroll
    for (int k = 0; k < WW_WAVE_STEPS; k++)
        shares[k] = at->next[k];
    ww_wave_look(at, w, chunk + 1);
#pragma unroll
    for (int k = 0; k < WW_WAVE_STEPS; k++) {
        const int j = first - k;
        const uint step = chunk * WW_WAVE_STEPS + (uint)k;
        const bool here = j >= 0 && j < (int)w->m && w->row < w->n, last = w->row == w->n - 1 && j == (int)w->m - 1;
        real given[WW_WAVE_SUMS + 1];
#pragma unroll
        for (int c = 0; c < WW_WAVE_SUMS + 1; c++)
            given[c] = at->up[c];
        ww_wave_pass(w, line, WW_WAVE_SUMS + 1, given, step, 0);
        const real all = !here ? (real)0 : last ? (real)1 : at->aside + given[0];
        const real left = all * shares[k].x, above = all * shares[k].y;
        at->up[0] = above + at->away;
        at->away = all - left - above;
        at->aside = left;
        ww_wave_slope(at, w, given, j, all, here, columns);
        ww_wave_leave(w, line, WW_WAVE_SUMS + 1, at->up, step);
    }
}

// ---- the kernel

// Sets the row. Work-items without one have row n, and read another's. `steps`: that are noted of a wave.
WW_INLINE void ww_wave_place(ww_wave_row *w, uint row, uint steps, __global ww_two *notes, __global const ww_scalar *table,
                             __global ww_scalar *weights) {
    const uint own = min(row, w->waves * 32 - 1), last = min(row, w->n - 1);
    w->row = row;
    w->notes = notes + (((ulong)(own / 32) * steps + own % 32) * 32 + own % 32);
#if WW_TABLED
    const ulong first = w->table + (ulong)last * ((w->m + 3) & ~3u);
    w->costs = table + first;
    w->weights = weights + first;
#else
    w->x = WW_POINT(w->rows, last);
#endif
}
WW_INLINE ww_mass ww_wave_mass(const bool some) {
    ww_mass mass;
    mass.value = some ? (real)1 : (real)0;
    mass.bits = some ? (real)0 : WW_INF;
    return mass;
}

__kernel WW_WAVE_GROUP void
ww_gradient_wave(const ww_gradient_args args, __global const ww_gradient_task *restrict tasks,
                 __global const ww_scalar *restrict x_values, __global const ulong2 *restrict x_series,
                 __global const ww_scalar *restrict y_values, __global const ulong2 *restrict y_series,
                 __global ww_scalar *notes, __global ww_scalar *ends, __global ww_scalar *rows, __global ww_scalar *columns,
                 __global const ww_scalar *upstream
#if WW_TABLED
                 , __global const ww_scalar *restrict table, __global ww_scalar *restrict weights
#endif
) {
#if !WW_TABLED
    __global const ww_scalar *table = 0;
    __global ww_scalar *weights = 0;
#endif
    __local ww_scalar line[WW_WAVE_LOCAL], ended[2];
    const ww_gradient_task task = tasks[args.first + (uint)get_group_id(0)];
    const real scale = WW_GIVEN.soft_scale;
    ww_wave_row w;
    w.n = task.n;
    w.m = task.m;
    w.item = (uint)get_local_id(0);
    w.lane = w.item % WW_WAVE;
    w.wave = w.item / WW_WAVE;
    w.waves = (task.n + 31) / 32;
    const uint all = w.waves * 32, noted = task.wide * WW_COLS + WW_WAVE_BESIDE;
    const uint chunks = (task.m + (WW_WAVE == 32 ? 32 : all) - 1 + WW_WAVE_STEPS - 1) / WW_WAVE_STEPS;
    const uint turns = chunks + (WW_WAVE == 32 ? w.waves - 1 : 0) * WW_WAVE_LAG;
    __global ww_two *own_notes = (__global ww_two *)(notes + task.checkpoints);
#if WW_TABLED
    w.table = task.table;
#else
    const bool x_other = (task.x_id & WW_WAVE_OTHER) != 0, y_other = (task.y_id & WW_WAVE_OTHER) != 0;
    w.rows = ww_series_load(x_other ? y_values : x_values, x_other ? y_series : x_series, task.x_id & ~WW_WAVE_OTHER, args.channel);
    w.y = ww_series_load(y_other ? y_values : x_values, y_other ? y_series : x_series, task.y_id & ~WW_WAVE_OTHER, args.channel);
#endif

    ww_wave_place(&w, w.item, noted, own_notes, table, weights);
    ww_wave_masses ahead;
    ahead.own = ww_wave_mass(false);
    ahead.above = ww_wave_mass(w.item == 0);
    const int end = w.row == task.n - 1 ? (int)task.m - 1 : -WW_WG - 1;
    ww_wave_begin(&w, line, 2, WW_INF);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint turn = 0; turn < turns; turn++) {
        const uint chunk = turn - w.wave * WW_WAVE_LAG; // below 0 it is too large
        if (WW_WAVE != 32 || (chunk < chunks && w.wave < w.waves))
            ww_wave_ahead(&ahead, &w, chunk, scale, args.keep != 0, end, line, ended);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (w.item == 0) {
        ends[task.number] = WW_GIVEN.soft_unit * (ended[1] - log2(ended[0]));
    }
    ww_wave_begin(&w, line, WW_WAVE_SUMS + 1, 0);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!args.keep)
        return;

    const ww_scalar factor = args.direct && args.scaled ? upstream[task.number] : (ww_scalar)1;
    const bool apart = args.direct != 0; // a channel's values lie together
    const ww_wave_slopes by_columns = {args.wanted & 2 ? columns + task.y_slopes : 0, apart ? 1 : WW_CHANNELS,
                                       apart ? task.m : 1, factor};
    ww_wave_place(&w, w.item < all ? all - 1 - w.item : task.n, noted, own_notes, table, weights);
    ww_wave_adjoints back;
    back.aside = back.away = 0;
#pragma unroll
    for (int c = 0; c < WW_WAVE_SUMS + 1; c++)
        back.up[c] = back.slopes[c] = 0;
    ww_wave_look(&back, &w, 0);
    for (uint turn = 0; turn < turns; turn++) {
        const uint chunk = turn - w.wave * WW_WAVE_LAG;
        if (WW_WAVE != 32 || (chunk < chunks && w.wave < w.waves))
            ww_wave_back(&back, &w, chunk, line, by_columns);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int c = 0; c < WW_WAVE_SUMS; c++)
        if (w.row < task.n && (args.wanted & 1))
            rows[task.x_slopes + (apart ? (uint)c * task.n + w.row : w.row * WW_CHANNELS + (uint)c)] = factor * back.slopes[c];
}
