// SPDX-License-Identifier: Apache-2.0
/// \file
/// Series on the device: uploaded once, used by many plans.
#ifndef WAVEWARP_DATASET_H
#define WAVEWARP_DATASET_H

#include <wavewarp/context.h>
#include <wavewarp/series.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Series on the device. A dataset does not change after its creation.
/// *Thread-safety*: any number of plans and threads may use one at once.
typedef struct ww_dataset ww_dataset;

typedef struct ww_dataset_options {
    size_t struct_size;     ///< sizeof(ww_dataset_options)
    ww_precision precision; ///< of the values on the device, and of every distance computed from them
    int allow_not_finite;   ///< 1: NaN and infinity are accepted; results that depend on them are unspecified
    /// Most device bytes that the dataset may use at a time; 0: as many as fit. When the series need more, they are
    /// kept in host memory and uploaded block by block while a plan runs.
    uint64_t max_bytes;
    /// 1: the last channel of the series holds their time stamps, for measures that use them (TWED); they must not
    /// decrease. Without time stamps a point's time is its index, from 1. Other measures ignore them. Time stamps
    /// beyond 2^24 that float rounds are refused by plans that use them: use double, or count from a later origin.
    int times;
} ww_dataset_options;

#define WW_DATASET_OPTIONS_INIT                                                                                        \
    { sizeof(ww_dataset_options), WW_FLOAT, 0, 0, 0 }

/// Fills options of `struct_size` bytes with the defaults. *Thread-safety*: any thread. *Blocking*: no.
WW_API void ww_dataset_options_init(ww_dataset_options *options, size_t struct_size);

/// Copies series to the device.
/// \param view the series; read during the call only.
/// \param options read during the call only; NULL: all defaults.
/// \return WW_ERROR_EMPTY, WW_ERROR_NOT_FINITE (series and position in the record), WW_ERROR_OVERFLOW,
/// WW_ERROR_UNSUPPORTED (double on a device without it), WW_ERROR_DEVICE_MEMORY.
/// *Ownership*: the caller's; plans keep it alive. *Thread-safety*: any thread. *Blocking*: until it is uploaded.
WW_API_STATUS ww_dataset_create(ww_context *context, const ww_series_view *view, const ww_dataset_options *options,
                                ww_dataset **dataset);

/// The same from a series set, which is read during the call only. Time stamps of the set are uploaded too:
/// `options.times` stays 0. \return as ww_dataset_create(). *Ownership*: the caller's; plans keep it alive.
/// *Thread-safety*: any thread, while nobody changes the set. *Blocking*: until it is uploaded.
WW_API_STATUS ww_dataset_create_from_set(ww_context *context, const ww_series_set *set,
                                         const ww_dataset_options *options, ww_dataset **dataset);

/// Releases the caller's reference and stores NULL in *dataset. *Thread-safety*: any thread; other holders go on.
/// *Blocking*: no.
WW_API void ww_dataset_destroy(ww_dataset **dataset);

/// Number of series; number of channels, without time stamps; length of series i, 0 when i is out of range; precision
/// of the values. 0 for NULL. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_dataset_count(const ww_dataset *dataset);
WW_API size_t ww_dataset_channels(const ww_dataset *dataset);
WW_API size_t ww_dataset_length(const ww_dataset *dataset, size_t i);
WW_API ww_precision ww_dataset_precision(const ww_dataset *dataset);

#ifdef __cplusplus
}
#endif
#endif
