// SPDX-License-Identifier: Apache-2.0
// A band as the kernels read it: for each pair of lengths a table (kernels_cl/base/tasks.cl, WW_BAND 1).
#ifndef WAVEWARP_BAND_TABLE_H
#define WAVEWARP_BAND_TABLE_H

#include <stdbool.h>
#include <wavewarp/measure.h>

// How an engine cuts the columns: blocks of `columns` columns, row-steps of `rows` rows (padding rows at the top fill
// the first), `width` blocks side by side. columns 0: rows alone, no blocks.
typedef struct wwi_tiling {
    uint32_t columns, rows, width;
} wwi_tiling;

// Growing list of words.
typedef struct wwi_words {
    uint32_t *data;
    size_t count, capacity;
} wwi_words;

ww_status wwi_words_reserve(wwi_words *words, size_t more);
void wwi_words_free(wwi_words *words);

// Appends the table of an n x m matrix. *fits is false when the width is too small for a block to be free again by the
// time its lane needs it (the table is then useless for engine lanes).
ww_status wwi_band_table(const ww_band *band, uint32_t n, uint32_t m, wwi_tiling tiling, wwi_words *words, bool *fits);

#endif
