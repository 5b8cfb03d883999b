// SPDX-License-Identifier: Apache-2.0
/// \file
/// Series on the device, with labels: uploaded once, what every job takes.
#ifndef WAVEWARP_DATASET_H
#define WAVEWARP_DATASET_H

#include <wavewarp/context.h>
#include <wavewarp/output.h>
#include <wavewarp/series.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Series on the device. A dataset does not change after its creation, but for the values of one that was created to be
/// updated, or on a caller's buffer.
/// *Thread-safety*: any number of plans and threads may use one at once, while nobody changes its values.
typedef struct ww_dataset ww_dataset;

typedef struct ww_dataset_options {
    size_t struct_size; ///< sizeof(ww_dataset_options)
    /// Of the values on the device, and of every distance computed from them. Float rounds what is given in double:
    /// ww_series_view_float_fit() tells where that shows, and the context's log function hears of it.
    ww_precision precision;
    int allow_not_finite; ///< 1: NaN and infinity are accepted; results that depend on them are unspecified
    /// Most device bytes that the dataset may use at a time; 0: as many as fit. When the series need more, they are
    /// kept in host memory and uploaded block by block while a plan runs.
    uint64_t max_bytes;
    /// 1: the last channel of the series holds their time stamps, for measures that use them (TWED); they must not
    /// decrease. Without time stamps a point's time is its index, from 1. Other measures ignore them. Time stamps
    /// beyond 2^24 that float rounds are refused by plans that use them: use double, or count from a later origin.
    int times;
    int updates; ///< 1: ww_dataset_update() may give it other values. It has to fit the device as a whole
    /// Labels of series described by a view, for jobs that learn: a name for each series, NULL where it has none; or
    /// a number for each, whose label is its decimal digits. Copied. NULL both: no labels. Series sets have their own.
    const char *const *labels;
    const int64_t *label_numbers; ///< see labels; at most one of the two is given
} ww_dataset_options;

#define WW_DATASET_OPTIONS_INIT                                                                                        \
    { sizeof(ww_dataset_options), WW_FLOAT, 0, 0, 0, 0, NULL, NULL }

/// Copies series to the device.
/// \param view the series; read during the call only. Dense series of the dataset's precision, channel by channel, are
/// sent from where they are; of other layouts and precisions a copy is made on the host first.
/// \param options read during the call only; NULL: all defaults.
/// \return WW_ERROR_EMPTY, WW_ERROR_NOT_FINITE (series and position in the record), WW_ERROR_OVERFLOW,
/// WW_ERROR_UNSUPPORTED (double on a device without it), WW_ERROR_DEVICE_MEMORY.
/// *Ownership*: the caller's; plans keep it alive. *Thread-safety*: any thread. *Blocking*: until it is uploaded.
WW_API_STATUS ww_dataset_create(ww_context *context, const ww_series_view *view, const ww_dataset_options *options,
                                ww_dataset **dataset);

/// The same from a series set. Time stamps of the set are uploaded too, and its labels are the dataset's:
/// `options.times`, `.labels` and `.label_numbers` stay empty. The dataset holds the set, without a copy: what jobs
/// compute in double they compute from its values. ww_series_set_destroy() may be called at once; until the dataset is
/// gone too the set refuses to change (WW_ERROR_INVALID_ARGUMENT).
/// \return as ww_dataset_create(); WW_ERROR_INVALID_ARGUMENT for labels in the options. *Ownership*: the caller's;
/// plans keep it alive. *Thread-safety*: any thread, while nobody changes the set. *Blocking*: until it is uploaded.
WW_API_STATUS ww_dataset_create_from_set(ww_context *context, ww_series_set *set, const ww_dataset_options *options,
                                         ww_dataset **dataset);

/// Makes a dataset on device memory: `count` series of equal `length`, channel by channel, series after series, from
/// the buffer's beginning. Nothing is copied or checked: the buffer is kept alive, and holds values of `precision`, all
/// finite. Its content may change between runs, by ww_buffer_write() or a run into it: plans and gradients use what it
/// holds when they run, but for those that ww_dataset_update() names.
/// \return WW_ERROR_INVALID_ARGUMENT (a buffer too small, or of another context), WW_ERROR_EMPTY, WW_ERROR_OVERFLOW,
/// WW_ERROR_UNSUPPORTED. *Ownership*: the caller's; plans keep it alive. *Thread-safety*: any thread. *Blocking*: while
/// lengths are uploaded.
WW_API_STATUS ww_dataset_create_from_buffer(ww_context *context, ww_buffer *buffer, size_t count, size_t channels,
                                            size_t length, ww_precision precision, ww_dataset **dataset);

/// The same of series of unequal lengths: \param lengths of `count` series, of which each begins behind the one before.
/// \return as ww_dataset_create_from_buffer(). *Ownership*: the caller's; plans keep it alive; `lengths` is read.
/// *Thread-safety*: any thread. *Blocking*: while lengths are uploaded.
WW_API_STATUS ww_dataset_create_from_lengths(ww_context *context, ww_buffer *buffer, size_t count, size_t channels,
                                             const size_t *lengths, ww_precision precision, ww_dataset **dataset);

/// Gives a dataset other values, in place: no object is made anew, and plans, gradients and other datasets' pairs with
/// it stay as they are and use the new values from their next run on.
///
/// Not so where a plan computes on copies that were made when it was created: under WW_ERP, WW_DDTW and WW_WDDTW, under
/// WW_TWED where the other side has time stamps, and in engine `bits`. It goes on with the old values; create a new
/// one. Whether symbols and time stamps are exact in float is checked when a plan is created. \param dataset created
/// with options.updates, from a buffer, or by ww_dataset_wrap(). \param view as many series, channels (time stamps
/// included) and points of each as the dataset has; of any layout and precision; read during the call only. \return
/// WW_ERROR_INVALID_ARGUMENT (a dataset that is not to be updated, another shape), WW_ERROR_NOT_FINITE and what else
/// ww_dataset_create() says of values; then the old values stay. WW_ERROR_OPENCL. *Thread-safety*: one thread at a
/// time, while no run that uses the dataset is under way in another thread. *Blocking*: until the values are sent,
/// after all work that was enqueued before.
WW_API_STATUS ww_dataset_update(ww_dataset *dataset, const ww_series_view *view);

/// Releases the caller's reference and stores NULL in *dataset. *Thread-safety*: any thread; other holders go on.
/// *Blocking*: no.
WW_API void ww_dataset_destroy(ww_dataset **dataset);

/// Number of series; number of channels, without time stamps; length of series i, 0 when i is out of range; precision
/// of the values. 0 for NULL. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_dataset_count(const ww_dataset *dataset);
WW_API size_t ww_dataset_channels(const ww_dataset *dataset);
WW_API size_t ww_dataset_length(const ww_dataset *dataset, size_t i);
WW_API ww_precision ww_dataset_precision(const ww_dataset *dataset);

/// Class number of series i, -1 when it has no label; number of different labels; name of class k, NULL when out of
/// range. Class numbers count labels in order of first appearance. *Ownership*: the dataset's. *Thread-safety*: any
/// thread. *Blocking*: no.
WW_API int64_t ww_dataset_class(const ww_dataset *dataset, size_t i);
WW_API size_t ww_dataset_class_count(const ww_dataset *dataset);
WW_API const char *ww_dataset_class_name(const ww_dataset *dataset, size_t k);

/// The series in host memory, in double, with their labels and time stamps: the set that the dataset was made from, or
/// its values read back, rounded to the dataset's precision as they are. A dataset of that precision made from the set
/// has the same values. What is read back is kept, so that it is read once, unless the values may change.
/// \return WW_ERROR_OUT_OF_MEMORY, WW_ERROR_OPENCL. *Ownership*: the caller's; ww_series_set_destroy(). The dataset may
/// hold it too: until the dataset is gone it refuses to change. *Thread-safety*: any thread, while nobody changes the
/// dataset's values. *Blocking*: while values are read.
WW_API_STATUS ww_dataset_series(ww_dataset *dataset, ww_series_set **set);

#ifdef __cplusplus
}
#endif
#endif
