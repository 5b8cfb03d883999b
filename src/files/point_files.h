// SPDX-License-Identifier: Apache-2.0
// Sets of points, and points into an open file.
#ifndef WAVEWARP_POINT_FILES_H
#define WAVEWARP_POINT_FILES_H

#include <wavewarp/points.h>

#include "base/element.h"
#include "base/kit.h"
#include "files/output.h"

struct ww_point_set {
    ww_point_kind kind;
    ww_precision precision;
    ww_element element;
    size_t count, dimension;
    void *values;
    uint64_t *offsets; // sets: count + 1
};

// Coordinate j of point i, of a view of numbers.
static inline double wwi_point_value(const ww_point_view *view, size_t i, size_t j) {
    const size_t at = view->column_order ? j * view->count + i : i * view->dimension + j;
    return wwi_element_at(view->values, view->element, view->precision, at);
}

// Checks a view; *taken: with the fields this library knows.
ww_status wwi_take_point_view(const ww_point_view *given, ww_point_view *taken);
// `path`: its ending says the format.
ww_status wwi_write_points(wwi_output *out, const char *path, const ww_point_view *view);

#endif
