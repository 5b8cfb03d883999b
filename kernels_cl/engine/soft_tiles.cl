// SPDX-License-Identifier: Apache-2.0
// Soft minima of engine packed on GPUs by tiles of WW_TILE_ROWS x WW_TILE_COLS cells: the sweep of packed_items.cl, which this
// text is before. Only where a cell is its cost and the soft minimum of its neighbours, without costs at edges
// (WW_SOFT_TILES 1), in float; else the sweep of walk.cl stays.
//
// With P = exp(-R/gamma) a cell is P = exp(-c/gamma) (P left + P up + P diagonal): one exponential, no minimum, no logarithm.
// Between tiles values are in the log domain: 4 x 8 cells take 13 exponentials in, 32 inside and 11 logarithms out, 1.75 special
// functions a cell instead of 3.
//
// Powers of two below 2^-126 are lost. A tile's result is taken where each of its outputs is at least 2^-80 of what comes in at
// most: there are fewer than 2^18 paths through a tile, so that what is lost is below 2^-28 of an output. Where that fails for a
// work-item the tile is computed in the log domain, and so are the next few, without a trial: neighbours are alike.
#ifndef WW_SOFT_TILES
#define WW_SOFT_TILES 0
#endif
#if WW_SOFT_TILES && WW_SELECT == WW_SELECT_SOFT && WW_VECTOR == 1 && !WWK_DOUBLE && !WW_BAND && !WW_OPEN
// Where the work-items of a warp can agree, all take the same way; else each takes its own.
#ifndef WW_HAS_AGREEMENT
#define ww_all_agree(own) (own)
#endif
#define WW_TILE_ROWS 4
#define WW_TILE_COLS 8
#define WW_TILE_LEAST 8.2718061e-25f  // 2^-80
#define WW_TILE_DOUBTS 12             // tiles without a trial
#define WW_EACH_COLUMN(r) _Pragma("unroll") for (int r = 0; r < WW_TILE_COLS; r++) if (t + r < WW_COLS)
#define WW_EACH_ROW(q) _Pragma("unroll") for (int q = 0; q < WW_TILE_ROWS; q++)

#undef WW_SWEEP
#define WW_SWEEP(rows)                                                                                                 \
    (void)shift;                                                                                                       \
    _Pragma("unroll") for (int q0 = 0; q0 < (rows); q0 += WW_TILE_ROWS) {                                              \
        real corner = d[q0];                                                                                           \
        _Pragma("unroll") for (int t = 0; t < WW_COLS; t += WW_TILE_COLS) {                                            \
            const real next = c[min(t + WW_TILE_COLS, WW_COLS) - 1];                                                   \
            bool done = false;                                                                                         \
            if (doubt == 0) {                                                                                          \
                real least = corner;                                                                                   \
                WW_EACH_ROW(q) least = fmin(least, v[q0 + q]);                                                         \
                WW_EACH_COLUMN(r) least = fmin(least, c[t + r]);                                                       \
                const real scale = args.parameters.soft_scale, unit = args.parameters.soft_unit;                       \
                real top[WW_TILE_COLS], side[WW_TILE_ROWS], diagonal = ww_exp2((least - corner) * scale), worst = 1;   \
                WW_EACH_COLUMN(r) top[r] = ww_exp2((least - c[t + r]) * scale);                                        \
                WW_EACH_ROW(q) {                                                                                       \
                    real last = diagonal, x = ww_exp2((least - v[q0 + q]) * scale);                                    \
                    diagonal = x;                                                                                      \
                    WW_EACH_COLUMN(r) {                                                                                \
                        const real up = top[r];                                                                        \
                        x = ww_exp2(-scale * ww_cost(e[q0 + q], b[t + r])) * ((up + last) + x);                        \
                        last = up;                                                                                     \
                        top[r] = x;                                                                                    \
                    }                                                                                                  \
                    side[q] = x;                                                                                       \
                    worst = fmin(worst, x);                                                                            \
                }                                                                                                      \
                WW_EACH_COLUMN(r) worst = fmin(worst, top[r]);                                                         \
                done = ww_all_agree(i + q0 >= 0 && worst >= WW_TILE_LEAST);                                            \
                if (done) {                                                                                            \
                    WW_EACH_ROW(q) v[q0 + q] = fma(ww_log2(side[q]), -unit, least);                                    \
                    WW_EACH_COLUMN(r) c[t + r] = fma(ww_log2(top[r]), -unit, least);                                   \
                } else {                                                                                               \
                    doubt = WW_TILE_DOUBTS;                                                                            \
                }                                                                                                      \
            } else {                                                                                                   \
                doubt--;                                                                                               \
            }                                                                                                          \
            if (!done) {                                                                                               \
                real before = corner;                                                                                  \
                WW_EACH_ROW(q) {                                                                                       \
                    real last = t ? before : d[q0 + q], x = v[q0 + q];                                                 \
                    before = x;                                                                                        \
                    WW_EACH_COLUMN(r) {                                                                                \
                        const real up = c[t + r];                                                                      \
                        const real value = WW_CELL(x, up, last, e[q0 + q], b[t + r], 0, lengths, 0);                   \
                        x = WW_PASS_ROW(value, up, q0 + q);                                                            \
                        last = up;                                                                                     \
                        c[t + r] = x;                                                                                  \
                    }                                                                                                  \
                    v[q0 + q] = x;                                                                                     \
                }                                                                                                      \
            }                                                                                                          \
            corner = next;                                                                                             \
        }                                                                                                              \
    }
#define WW_BEGIN_TILES uint doubt = 0;
#else
#define WW_BEGIN_TILES
#endif
