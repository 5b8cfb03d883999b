// SPDX-License-Identifier: Apache-2.0
// A band as it is passed to the kernels (kernels_cl/base/band.cl): by a few numbers, or by tables of rows for each pair
// of lengths.
#ifndef WAVEWARP_BAND_TABLE_H
#define WAVEWARP_BAND_TABLE_H

#include <stdbool.h>
#include <wavewarp/dataset.h>
#include <wavewarp/measure.h>

#include "base/option_names.h"

// How an engine divides the columns: blocks of `columns` columns, row-steps of `rows` rows (padding rows at the top
// fill the first), `width` blocks side by side. columns 0: rows alone, no blocks.
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

// How the kernels are told: WW_BAND in kernels_cl/base/option_names.h.
typedef enum wwi_band_form {
    WWI_BAND_NONE = WWK_BAND_NONE,
    WWI_BAND_TABLE = WWK_BAND_TABLE,
    WWI_BAND_DIAGONAL = WWK_BAND_DIAGONAL,
    WWI_BAND_SLANTED = WWK_BAND_SLANTED
} wwi_band_form;
wwi_band_form wwi_band_form_of(const ww_band *band);
// The same for all pairs of a job: with open ends a band that is too short for some of them needs a table.
wwi_band_form wwi_band_form_between(const ww_measure *measure, const ww_dataset *rows, const ww_dataset *columns);

// Appends (lo, hi) of each row of an n x m matrix; of a band that is too short for it as wwi_band_stretched() has them.
ww_status wwi_band_table(const ww_band *band, uint32_t n, uint32_t m, wwi_words *words);
// Whether in engine lanes each block of columns is done by the time its lane needs to begin the one `width` blocks
// later.
bool wwi_band_fits(const uint32_t *rows, uint32_t n, uint32_t m, wwi_tiling tiling);
// Row-steps that a pair takes each lane.
uint32_t wwi_band_duration(uint32_t n, uint32_t m, wwi_tiling tiling);

#endif
