// SPDX-License-Identifier: Apache-2.0
// Texts as series of symbols.
#ifndef WAVEWARP_SYMBOLS_H
#define WAVEWARP_SYMBOLS_H

#include "files/output.h"
#include "files/read.h"

// The code point at `at`, and its bytes; 0 bytes where there is none. Strict: shortest forms only, no surrogates.
size_t wwi_utf8_decode(const unsigned char *at, size_t left, uint32_t *point);

// A sequence a line, without labels.
ww_status wwi_read_symbols(wwi_text *text, ww_series_set **set);
// FASTA: lines that begin with '>' are headings and left out, the lines behind one are one sequence.
ww_status wwi_read_fasta(wwi_text *text, ww_series_set **set);
// Whether every value is a code point that a line can hold: WW_ERROR_UNSUPPORTED.
ww_status wwi_check_symbols(const ww_series_set *set, const char *path);
void wwi_write_symbols(wwi_output *output, const ww_series_set *set);

#endif
