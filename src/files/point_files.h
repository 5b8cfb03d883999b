// SPDX-License-Identifier: Apache-2.0
// Points into an open file.
#ifndef WAVEWARP_POINT_FILES_H
#define WAVEWARP_POINT_FILES_H

#include <wavewarp/points.h>

#include "files/output.h"

// Checks a view; *taken: with the fields this library knows.
ww_status wwi_take_point_view(const ww_point_view *given, ww_point_view *taken);
// `path`: its ending says the format.
ww_status wwi_write_points(wwi_output *out, const char *path, const ww_point_view *view);

#endif
