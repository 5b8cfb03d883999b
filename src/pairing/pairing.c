// SPDX-License-Identifier: Apache-2.0
// See pairing.h.
#include "pairing/pairing.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "data/transform.h"
#include "measure/band.h"
#include "measure/range.h"

static ww_status take_dataset(const ww_measure *measure, ww_dataset *given, bool derived, ww_dataset **taken) {
    if (derived)
        return wwi_dataset_derive(given, measure, taken);
    wwi_dataset_retain(given);
    *taken = given;
    return WW_OK;
}

// Symbols that float makes equal, and times that it rounds, would give wrong distances without an error.
static ww_status check_rounded(const ww_measure *measure, const ww_dataset *d) {
    const wwi_measure_row *row = wwi_measure_row_by_id(measure->id);
    const bool symbols = row->info.is_of_symbols != 0;
    const wwi_rounded *rounded = symbols ? &d->rounded_value : &d->rounded_time;
    if ((!symbols && row->transform != WWI_TRANSFORM_TIMES) || !rounded->any)
        return WW_OK;
    const bool too_large = symbols && fabs(rounded->value) >= WWI_MOST_WHOLE;
    wwi_fail(WW_ERROR_UNSUPPORTED, "%s does not hold the %s %.17g of series %zu at point %zu",
             too_large ? "double" : "float", symbols ? "symbol" : "time stamp", rounded->value, rounded->series,
             rounded->point);
    wwi_fail_hint(too_large ? "number the symbols from 0: double is exact up to 2^53"
                  : symbols ? "use double precision, or number the symbols from 0; float is exact up to 2^24"
                            : "use double precision, or count time from a later moment; float is exact up to 2^24");
    return wwi_fail_where((int64_t)rounded->series, (int64_t)rounded->point);
}

const char *wwi_pairing_precision(const wwi_pairing *p) {
    return p->rows->precision == WW_DOUBLE ? "double" : "float";
}

// Looks for values so large that results would be infinite, or wrong.
ww_status wwi_pairing_check_range(wwi_pairing *p) {
    const ww_dataset *rows = p->rows, *columns = p->columns;
    const uint32_t tallest = rows->rank_lengths[rows->rank_count - 1],
                   widest = columns->rank_lengths[columns->rank_count - 1];
    const wwi_range range = {.channels = rows->channels,
                             .largest = fmax(rows->largest_value, columns->largest_value),
                             .largest_time = fmax(rows->largest_time, columns->largest_time),
                             .longest = tallest > widest ? tallest : widest,
                             .precision = rows->precision};
    WWI_TRY(wwi_range_check_small(&p->measure, &range));
    p->limit = rows->unspecified || columns->unspecified ? (double)INFINITY : wwi_range_limit(&p->measure, &range);
    return p->limit > 0 ? WW_OK : wwi_range_too_large(&p->measure, &range);
}

// The datasets as the measure compares them.
static ww_status take_datasets(wwi_pairing *p, const ww_measure *measure, ww_dataset *rows, ww_dataset *columns) {
    const wwi_transform transform = wwi_measure_row_by_id(measure->id)->transform;
    bool derive_rows = transform != WWI_TRANSFORM_NONE, derive_columns = derive_rows;
    if (transform == WWI_TRANSFORM_TIMES) {
        // Where one side has time stamps, the other gets them.
        derive_rows = !rows->timed && columns->timed;
        derive_columns = rows->timed && !columns->timed;
    }
    WWI_TRY(take_dataset(measure, rows, derive_rows, &p->rows));
    if (columns != rows)
        return take_dataset(measure, columns, derive_columns, &p->columns);
    wwi_dataset_retain(p->rows);
    p->columns = p->rows;
    return WW_OK;
}

static ww_status check_sides(const ww_measure *measure, const ww_dataset *rows, const ww_dataset *columns) {
    if (columns->context != rows->context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the datasets belong to different contexts");
    if (columns->precision != rows->precision)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the datasets have different precisions");
    if (columns->channels != rows->channels) {
        wwi_fail(WW_ERROR_CHANNELS, "the rows have %zu channels, the columns %zu", rows->channels, columns->channels);
        return wwi_fail_hint("both sides of a distance need the same channels");
    }
    WWI_TRY(check_rounded(measure, rows));
    return check_rounded(measure, columns);
}

ww_status wwi_pairing_open(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, wwi_pairing *p) {
    ww_measure taken;
    memset(p, 0, sizeof *p);
    if (!rows)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the rows are NULL");
    columns = columns ? columns : rows;
    WWI_TRY(wwi_measure_take(measure, &taken));
    WWI_TRY(check_sides(&taken, rows, columns));
    p->context = rows->context;
    p->value_bytes = wwi_precision_bytes(rows->precision);
    WWI_TRY(wwi_stream_create(p->context, &p->stream));
    WWI_TRY(take_datasets(p, &taken, rows, columns));
    WWI_TRY(wwi_measure_own(&taken, &p->measure));
    WWI_TRY(wwi_pairing_check_range(p));
    wwi_recurrence_make(&p->measure, p->rows, p->columns, p->stream, &p->recurrence);
    return WW_OK;
}

void wwi_pairing_close(wwi_pairing *p) {
    wwi_slice_close(&p->slices[WWI_SIDE_ROW]);
    wwi_slice_close(&p->slices[WWI_SIDE_COLUMN]);
    wwi_stream_destroy(&p->stream);
    ww_dataset_destroy(&p->columns);
    ww_dataset_destroy(&p->rows);
    wwi_measure_disown(&p->measure);
}

ww_status wwi_pairing_no_path(const wwi_pairing *p, uint32_t n, uint32_t m) {
    if (p->measure.band.kind == WW_BAND_ROWS && p->measure.band.rows != n)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the band has %zu rows, a row series %" PRIu32 " points",
                        p->measure.band.rows, n);
    wwi_fail(WW_ERROR_NO_PATH, "the band leaves no path between series of %" PRIu32 " and %" PRIu32 " points", n, m);
    const bool open = wwi_measure_is_open(&p->measure), is_short = wwi_band_is_short(&p->measure.band, n, m);
    if (open && (!is_short || p->measure.id == WW_USER))
        return wwi_fail_hint("widen the band: with open ends, too, %s has to leave a path from corner to corner "
                             "(docs/measures.md says why)",
                             is_short ? "under a recurrence of your own it" : "a band of this kind");
    if (open)
        return wwi_fail_hint(n == 1 || m == 1 ? "widen the band: with an open begin, a series of one point needs a "
                                                "band that holds all of the longer series"
                                              : "widen the band, or let more of the longer series' end be skipped");
    return wwi_fail_hint("widen the band, or use the corner or slanted band, which always leave one");
}

ww_status wwi_pairing_slices(wwi_pairing *p, wwi_rectangle of, wwi_slice *rows, wwi_slice *columns) {
    WWI_TRY(wwi_dataset_slice(p->rows, of.row, of.rows, &p->slices[WWI_SIDE_ROW]));
    *rows = p->slices[WWI_SIDE_ROW];
    WWI_TRY(wwi_dataset_slice(p->columns, of.column, of.columns, &p->slices[WWI_SIDE_COLUMN]));
    *columns = p->slices[WWI_SIDE_COLUMN];
    return WW_OK;
}

wwi_rectangle wwi_pairing_all(const wwi_pairing *p) {
    return (wwi_rectangle){0, p->rows->count, 0, p->columns->count};
}

ww_status wwi_pairs_check(const size_t *row_index, const size_t *column_index, size_t count) {
    if (!row_index != !column_index)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "one of row_index and column_index is NULL, the other is not");
    if (count == 0)
        return wwi_fail(WW_ERROR_EMPTY, "there are no pairs");
    if (count > 0x7fffffffu)
        return wwi_fail(WW_ERROR_OVERFLOW, "%zu pairs; the most is 2^31-1", count);
    return WW_OK;
}

ww_status wwi_pairs_outside(size_t pair, size_t x, size_t y, size_t rows, size_t columns) {
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "pair %zu names series %zu and %zu of %zu and %zu", pair, x, y, rows, columns);
    return wwi_fail_where((int64_t)pair, -1);
}
