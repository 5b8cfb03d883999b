// SPDX-License-Identifier: Apache-2.0
// A view's values on their way to a dataset: converted, checked and sent in one pass, by several threads.
#ifndef WAVEWARP_VALUES_H
#define WAVEWARP_VALUES_H

#include "data/dataset.h"
#include "data/view.h"

// All values of a checked view to the dataset's buffer, or to its host memory where it has that. `times`: time stamps
// separate from the view, a value a point, series after series; or NULL. Of several values that are refused the first
// is reported, series after series and channel by channel. Sets the rounded and the largest values.
ww_status wwi_values_take(ww_dataset *dataset, const ww_series_view *view, const double *times);
// Other values of the same shape to the dataset's buffer, which has its old ones after a value that is refused.
ww_status wwi_values_update(ww_dataset *dataset, const ww_series_view *view);

// The line's values [begin, begin + count) in `precision` to `to`; NULL: they are only looked at. Returns the largest
// absolute value, or NaN where one is.
double wwi_line_take(wwi_line from, size_t begin, size_t count, ww_precision precision, void *to);
static inline wwi_line wwi_line_of(const void *values, ww_precision precision) {
    return (wwi_line){precision == WW_FLOAT ? values : NULL, precision == WW_DOUBLE ? values : NULL, 1};
}
// The largest absolute value of an array, or NaN where one is.
static inline double wwi_largest(const void *values, ww_precision precision, size_t count) {
    return wwi_line_take(wwi_line_of(values, precision), 0, count, precision, NULL);
}

#endif
