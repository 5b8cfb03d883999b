// SPDX-License-Identifier: Apache-2.0
// Series of symbols as bit planes: the input of engine bits.
#ifndef WAVEWARP_BIT_PLANES_H
#define WAVEWARP_BIT_PLANES_H

#include "data/dataset.h"

// Each different symbol of both sides has a number; bit b of the numbers of 32 neighbouring symbols is one word. Word
// w, plane b of a series of n symbols is at offset + w * bits + b. Symbol t is bit (t + unused) of the series'
// words, with unused = (-n) mod 32 zero bits at the beginning: series end where their words end. Channels computed
// separately follow each other.
typedef struct wwi_bit_planes {
    wwi_buffer *row_planes, *row_series; // entries like a dataset's: (offset in words, length | rank << 32)
    wwi_buffer *column_planes, *column_series;
    uint32_t bits; // planes: enough for the largest number, rounded up to limit the number of programs
    bool shared;   // the columns are the rows
} wwi_bit_planes;

// The symbols of two datasets of one context, precision and number of channels. A symbol is the value of a channel
// (`each`) or of all channels together. *planes is NULL, and the status WW_OK, where they are not possible: *why has
// the reason.
ww_status wwi_bit_planes_create(ww_dataset *rows, ww_dataset *columns, bool each, wwi_bit_planes **planes,
                                const char **why);
void wwi_bit_planes_destroy(wwi_bit_planes **planes);

#endif
