// SPDX-License-Identifier: Apache-2.0
/// \file
/// Classification of series by their nearest neighbours.
#ifndef WAVEWARP_CLASSIFY_H
#define WAVEWARP_CLASSIFY_H

#include <wavewarp/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Two sets' copies on the device, for several classifications. *Thread-safety*: one thread at a time.
typedef struct ww_classify_data ww_classify_data;

typedef struct ww_classify_options {
    size_t struct_size; ///< sizeof(ww_classify_options)
    size_t k;           ///< neighbours that vote, default 1
    ww_precision precision;
    const ww_plan_options *plan; ///< of the search; NULL: all defaults
    ww_classify_data *data;      ///< the sets' copies; NULL: made for the call
} ww_classify_options;

#define WW_CLASSIFY_OPTIONS_INIT                                                                                       \
    { sizeof(ww_classify_options), 1, WW_FLOAT, NULL, NULL }

/// Fills options of `struct_size` bytes with the defaults. *Thread-safety*: any thread. *Blocking*: no.
WW_API void ww_classify_options_init(ww_classify_options *options, size_t struct_size);

/// Nothing is uploaded before a classification needs it; then it stays until the end: with it many measures, bands and
/// parameters are tried on sets that are uploaded once. \param train, test must live and not change until
/// ww_classify_data_destroy(). `test` NULL: only for leave-one-out; with it both kinds are allowed.
/// \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OUT_OF_MEMORY. *Ownership*: the caller's. *Thread-safety*: any thread.
/// *Blocking*: no.
WW_API_STATUS ww_classify_data_create(ww_context *context, const ww_series_set *train, const ww_series_set *test,
                                      ww_classify_data **data);

/// Frees the copies and stores NULL in *data. NULL and a pointer to NULL are allowed. *Thread-safety*: one thread at a
/// time. *Blocking*: no.
WW_API void ww_classify_data_destroy(ww_classify_data **data);

/// The result of a classification. An output: set struct_size first. Class numbers are those of the train set.
typedef struct ww_classification {
    size_t struct_size; ///< sizeof(ww_classification)
    size_t total;       ///< test series
    size_t labelled;    ///< test series with a label: those that count below
    size_t correct;     ///< predictions equal to the label
    int64_t *predicted; ///< total class numbers
    int64_t *actual;    ///< total class numbers; -1 no label, -2 a label the train set lacks
    size_t *confusion;  ///< classes x classes: row actual, column predicted
    size_t classes;
    double seconds_compute;   ///< wall time of the distances and the vote, without upload and compilation
    double seconds_total;     ///< wall time of the call
    ww_engine engine;         ///< of the search: as in ww_plan_info, and so the following
    uint64_t pairs;           ///< \copydoc ww_plan_info::pairs
    uint64_t cells;           ///< \copydoc ww_plan_info::cells
    uint64_t cells_done;      ///< \copydoc ww_plan_info::cells_done
    uint64_t pairs_pruned;    ///< \copydoc ww_plan_info::pairs_pruned
    uint64_t pairs_abandoned; ///< \copydoc ww_plan_info::pairs_abandoned
    uint64_t launches;        ///< \copydoc ww_plan_info::launches
    double seconds_device;    ///< \copydoc ww_plan_info::seconds_device
} ww_classification;

#define WW_CLASSIFICATION_INIT                                                                                         \
    { sizeof(ww_classification), 0, 0, 0, NULL, NULL, NULL, 0, 0.0, 0.0, WW_ENGINE_AUTO, 0, 0, 0, 0, 0, 0, 0.0 }

/// Fills an empty record of `struct_size` bytes. *Thread-safety*: any thread. *Blocking*: no.
WW_API void ww_classification_init(ww_classification *result, size_t struct_size);

/// k-nearest-neighbour classification: every test series gets the class most frequent among its k nearest training
/// series; a tie goes to the class with the nearest member.
///
/// In float, on a device that has double, rounding does not change the result: where the error of float (values and
/// sums; docs/nearest.md has the bound) could change the k nearest or their order, and the classes differ, those few
/// pairs are computed again in double, from the sets' own values. A user's cost is an exception: no bound of its error
/// is known.
/// \param train, test read during the call only. `test` NULL: leave-one-out, each training series among the others, to
/// choose a measure, its band and its parameters. \param options likewise; NULL: all defaults.
/// \return WW_ERROR_EMPTY; WW_ERROR_INVALID_ARGUMENT, also when options.data is of other sets or another context;
/// WW_ERROR_NO_LABELS when a training series has none, and what ww_plan_create_nearest() and ww_plan_run_nearest()
/// return. On an error the result holds nothing. *Ownership*: free what the result holds with ww_classification_free().
/// *Thread-safety*: any thread, while nobody changes the sets. *Blocking*: until done.
WW_API_STATUS ww_classify(ww_context *context, const ww_measure *measure, const ww_series_set *train,
                          const ww_series_set *test, const ww_classify_options *options, ww_classification *result);

/// Frees what a classification holds and makes it empty; the struct itself is the caller's. *Thread-safety*: one thread
/// at a time. *Blocking*: no.
WW_API void ww_classification_free(ww_classification *result);

#ifdef __cplusplus
}
#endif
#endif
