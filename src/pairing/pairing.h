// SPDX-License-Identifier: Apache-2.0
// Two sets of series and a measure, as all that compares them needs them: the measure with copies of what it points to,
// both sides derived for it, a stream, and its recurrence for programs.
#ifndef WAVEWARP_PAIRING_H
#define WAVEWARP_PAIRING_H

#include "base/kit.h"
#include "engine/engine.h"

// Rows [row, row + rows) with columns [column, column + columns).
typedef struct wwi_rectangle {
    size_t row, rows, column, columns;
} wwi_rectangle;
static inline bool wwi_pair_is_in(const uint32_t *pair, wwi_rectangle of) {
    return pair[0] >= of.row && pair[0] - of.row < of.rows && pair[1] >= of.column && pair[1] - of.column < of.columns;
}

// Start with a zeroed one.
typedef struct wwi_pairing {
    ww_context *context;
    ww_measure measure;
    ww_dataset *rows, *columns;
    size_t value_bytes;
    wwi_stream *stream;
    wwi_slice slices[2]; // of the rows and the columns
    double limit;        // results above it have overflowed; INFINITY: none can
    wwi_recurrence recurrence;
} wwi_pairing;

// `columns` NULL: `rows` with itself. It is to be closed, also after a failure.
ww_status wwi_pairing_open(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, wwi_pairing *pairing);
void wwi_pairing_close(wwi_pairing *pairing);
const char *wwi_pairing_precision(const wwi_pairing *pairing); // its name
// Whether results can be infinite, or wrong, because values are so large: WW_ERROR_OVERFLOW where they must be.
ww_status wwi_pairing_check_range(wwi_pairing *pairing);
// Makes series of both sides available on the device. The slices are good until the next call.
ww_status wwi_pairing_slices(wwi_pairing *pairing, wwi_rectangle of, wwi_slice *rows, wwi_slice *columns);
// Of all series.
wwi_rectangle wwi_pairing_all(const wwi_pairing *pairing);
// Cells of a pair of lengths; and the failure of one without a path, which has none.
static inline uint64_t wwi_pairing_cells(const wwi_pairing *pairing, uint32_t n, uint32_t m) {
    return wwi_recurrence_cells(&pairing->recurrence, n, m);
}
ww_status wwi_pairing_no_path(const wwi_pairing *pairing, uint32_t n, uint32_t m);
// A list of pairs that a caller gives: both indices or none of them, and how many there are.
ww_status wwi_pairs_check(const size_t *row_index, const size_t *column_index, size_t count);
// Says that pair `pair` names a series that is not there.
ww_status wwi_pairs_outside(size_t pair, size_t x, size_t y, size_t rows, size_t columns);

#endif
