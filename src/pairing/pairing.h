// SPDX-License-Identifier: Apache-2.0
// Two sets of series and a measure, as all that compares them needs them: the measure with copies of what it points to,
// both sides derived for it, a stream, and its recurrence for programs.
#ifndef WAVEWARP_PAIRING_H
#define WAVEWARP_PAIRING_H

#include "base/kit.h"
#include "engine/engine.h"

// Start with a zeroed one.
typedef struct wwi_pairing {
    ww_context *context;
    ww_measure measure;
    ww_dataset *rows, *columns;
    wwi_stream *stream;
    wwi_slice slices[2]; // of the rows and the columns
    double limit;        // results above it have overflowed; INFINITY: none can
    wwi_recurrence recurrence;
} wwi_pairing;

// `columns` NULL: `rows` with itself. After a failure there is nothing to close.
ww_status wwi_pairing_open(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, wwi_pairing *pairing);
void wwi_pairing_close(wwi_pairing *pairing);
const char *wwi_pairing_precision(const wwi_pairing *pairing); // its name
// Whether results can be infinite, or wrong, because values are so large: WW_ERROR_OVERFLOW where they must be.
ww_status wwi_pairing_check_range(wwi_pairing *pairing);
// Makes series of one side available on the device. *slice is good until the next call for the same side.
ww_status wwi_pairing_slice(wwi_pairing *pairing, int side, size_t first, size_t count, wwi_slice *slice);
// Of both sides.
ww_status wwi_pairing_slices(wwi_pairing *pairing, size_t row, size_t rows, size_t column, size_t columns,
                             wwi_slice *row_slice, wwi_slice *column_slice);
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
