// SPDX-License-Identifier: Apache-2.0
// See precision.h.
#include "base/precision.h"

#include <string.h>

// Takes double where float does not fit. path NULL: says nothing.
static bool take_double(cli_device_options *device, const ww_context *context, const char *path, ww_float_fit fit) {
    ww_device_info info = WW_DEVICE_INFO_INIT;
    if (fit == WW_FLOAT_FITS)
        return false;
    const bool has_double = ww_context_get_device_info(context, &info) == WW_OK && info.has_double;
    const bool takes = !device->asked && has_double;
    device->precision = takes ? WW_DOUBLE : device->precision;
    if (path)
        cli_note("note: %s: %s%s", strcmp(path, "-") == 0 ? "standard input" : path, ww_float_fit_text(fit),
                 takes        ? "; computed in double (--precision float takes float)"
                 : has_double ? "; --precision double does not"
                              : "");
    return true;
}

void cli_precision_of_view(cli_device_options *device, const ww_context *context, const ww_series_view *view,
                           const char *path, bool quiet) {
    if (cli_precision(device) == WW_FLOAT)
        (void)take_double(device, context, quiet ? NULL : path, ww_series_view_float_fit(view));
}

void cli_precision_unseen(cli_device_options *device, const ww_context *context) {
    (void)take_double(device, context, NULL, WW_FLOAT_LOSES);
}

void cli_precision_of_sets(cli_device_options *device, const ww_context *context, ww_series_set *const sets[2],
                           const char *const paths[2], bool quiet) {
    for (int i = 0; i < 2 && cli_precision(device) == WW_FLOAT; i++) {
        ww_series_view view = WW_SERIES_VIEW_INIT;
        if (sets[i] && ww_series_set_view(sets[i], &view) == WW_OK &&
            take_double(device, context, quiet ? NULL : paths[i], ww_series_view_float_fit(&view)))
            return;
    }
}

void cli_precision_of_points(cli_device_options *device, const ww_context *context, const ww_point_view views[2],
                             const char *const paths[2], bool quiet) {
    for (int i = 0; i < 2 && cli_precision(device) == WW_FLOAT; i++)
        if (take_double(device, context, quiet ? NULL : paths[i], ww_point_view_float_fit(&views[i])))
            return;
}
