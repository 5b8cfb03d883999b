// SPDX-License-Identifier: Apache-2.0
/// \file
/// Classification of series by their nearest neighbours.
#ifndef WAVEWARP_CLASSIFY_H
#define WAVEWARP_CLASSIFY_H

#include <wavewarp/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How the k nearest vote.
typedef enum ww_vote {
    WW_VOTE_UNIFORM = 0, ///< one vote each
    /// 1/distance each; where some are at distance 0, one vote each of these. WW_ERROR_UNSUPPORTED for similarities and
    /// soft measures.
    WW_VOTE_DISTANCE = 1
} ww_vote;

typedef struct ww_classify_options {
    size_t struct_size;          ///< sizeof(ww_classify_options)
    size_t k;                    ///< neighbours that vote, default 1
    const ww_plan_options *plan; ///< of the search; NULL: all defaults
    ww_vote vote;
    int want_neighbours;    ///< 1: the result has `neighbours` and `distances`
    int want_probabilities; ///< 1: the result has `probabilities`
    /// Regression: a number for each training series, finite; copied. The result has `values`, and labels are not
    /// needed. NULL: classes.
    const double *targets;
} ww_classify_options;

#define WW_CLASSIFY_OPTIONS_INIT                                                                                       \
    { sizeof(ww_classify_options), 1, NULL, WW_VOTE_UNIFORM, 0, 0, NULL }

/// Classes of a confusion matrix that is made: its memory is their square.
#define WW_CLASSIFY_MOST_CONFUSED 1000

/// The result of a classification or regression. An output: set struct_size first. Class numbers are those of the train
/// set. What was not asked for is NULL.
typedef struct ww_classification {
    size_t struct_size; ///< sizeof(ww_classification)
    size_t total;       ///< test series
    size_t labelled;    ///< test series with a label: those that count below
    size_t correct;     ///< predictions equal to the label
    int64_t *predicted; ///< total class numbers
    int64_t *actual;    ///< total class numbers; -1 no label, -2 a label the train set lacks
    size_t
        *confusion; ///< classes x classes: row actual, column predicted. NULL above WW_CLASSIFY_MOST_CONFUSED classes
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
    size_t k;                 ///< columns of neighbours and distances
    int64_t *neighbours;      ///< total x k indices of training series, nearest first; -1 where there are fewer
    double *distances;        ///< total x k, as ww_nearest() has them
    double *probabilities;    ///< total x classes: the share of the votes
    double *values;           ///< regression: total means of the targets, weighted by the votes
} ww_classification;

#define WW_CLASSIFICATION_INIT                                                                                         \
    {                                                                                                                  \
        sizeof(ww_classification), 0, 0, 0, NULL, NULL, NULL, 0, 0.0, 0.0, WW_ENGINE_AUTO, 0, 0, 0, 0, 0, 0, 0.0, 0,   \
            NULL, NULL, NULL, NULL                                                                                     \
    }

/// A k-nearest-neighbour classifier, or regressor: a measure, training series and options, for any number of test sets.
/// *Thread-safety*: it does not change after its creation; any number of threads may run it at once.
typedef struct ww_classifier ww_classifier;

/// Makes a classifier. Nothing is computed.
/// \param measure copied, with what it points to. \param train kept alive; labelled, or options.targets is set.
/// \param options copied, with the targets; the plan and run options that they point to too. NULL: all defaults.
/// \return WW_ERROR_NO_LABELS, WW_ERROR_INVALID_ARGUMENT (k is 0), WW_ERROR_NOT_FINITE (a target),
/// WW_ERROR_UNSUPPORTED (votes by distance under a similarity or a soft measure), WW_ERROR_OUT_OF_MEMORY.
/// *Ownership*: the caller's; ww_classifier_destroy(). *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_classifier_create(const ww_measure *measure, ww_dataset *train, const ww_classify_options *options,
                                   ww_classifier **classifier);

/// Classifies: every test series gets the class with the largest vote among its k nearest training series; a tie goes
/// to the class with the nearest member. T. Cover and P. Hart, Nearest neighbor pattern classification, IEEE
/// Transactions on Information Theory 13, 1967; votes by distance: S. Dudani, IEEE Transactions on Systems, Man, and
/// Cybernetics 6, 1976 (here 1/d).
///
/// In float, on a device that has double, rounding does not change the result: where the error of float (values and
/// sums; docs/nearest.md has the bound) could change the k nearest or their order, and that could change what is asked
/// for, those few pairs are computed again in double, from the values that the datasets were made from (of a dataset of
/// a set; of others from the float values). A user's cost is an exception: no bound of its error is known. What is
/// uploaded in double for it stays with the dataset, for the next call.
/// \param test of the train set's context and precision; its labels, where it has any, are compared with the
/// predictions. NULL: leave-one-out, each training series among the others, to choose a measure, its band and its
/// parameters.
/// \return WW_ERROR_EMPTY (one series alone), WW_ERROR_INVALID_ARGUMENT, and what ww_plan_create_nearest() and
/// ww_plan_run_nearest() return. On an error the result holds nothing. *Ownership*: free what the result holds with
/// ww_classification_free(). *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_classifier_run(const ww_classifier *classifier, ww_dataset *test, ww_classification *result);

/// Frees a classifier and stores NULL in *classifier. NULL and a pointer to NULL are allowed. *Thread-safety*: when
/// nobody uses it. *Blocking*: no.
WW_API void ww_classifier_destroy(ww_classifier **classifier);

/// A classifier that is made, run once and destroyed. \return as ww_classifier_create() and ww_classifier_run().
/// *Ownership*: free what the result holds with ww_classification_free(). *Thread-safety*: any thread. *Blocking*:
/// until done.
WW_API_STATUS ww_classify(const ww_measure *measure, ww_dataset *train, ww_dataset *test,
                          const ww_classify_options *options, ww_classification *result);

/// Frees what a classification holds and makes it empty; the struct itself is the caller's. *Thread-safety*: one thread
/// at a time. *Blocking*: no.
WW_API void ww_classification_free(ww_classification *result);

#ifdef __cplusplus
}
#endif
#endif
