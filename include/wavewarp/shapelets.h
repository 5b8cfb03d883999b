// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shapelets: the subsequences of labelled series that tell their classes apart. Discovery, decision trees on them,
/// prediction, and distances to them as features.
///
/// A candidate is a window of a training series. Its distance to a series is the least over that series' windows of the
/// same length: d^2 = mean over points and channels of (x - y)^2, each channel of each window z-normalised. A split at
/// a threshold puts a series on the left where d <= threshold; it lies between distances that differ by more than
/// rounding can make of them. docs/shapelets.md has the definitions in full.
#ifndef WAVEWARP_SHAPELETS_H
#define WAVEWARP_SHAPELETS_H

#include <wavewarp/dataset.h>
#include <wavewarp/file.h>
#include <wavewarp/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What makes a candidate good. Equal ones are ordered by the gap of their best split by gain, then the shorter, then
/// the lower series, then the lower start is better.
typedef enum ww_shapelet_quality {
    WW_SHAPELET_GAIN = 0,           ///< information gain of the best split, in whole numbers: exact on every device
    WW_SHAPELET_F = 1,              ///< F statistic of the distances by class
    WW_SHAPELET_KRUSKAL_WALLIS = 2, ///< Kruskal and Wallis' H of the distances' ranks by class
    WW_SHAPELET_MOOD = 3            ///< Mood's chi square: classes above and not above the median distance
} ww_shapelet_quality;

/// How the distance of a term is combined with that of the terms before it.
typedef enum ww_shapelet_op {
    WW_SHAPELET_AND = 0, ///< the larger: all are near
    WW_SHAPELET_OR = 1   ///< the smaller: one is near
} ww_shapelet_op;

typedef struct ww_shapelets_options {
    size_t struct_size; ///< sizeof(ww_shapelets_options)
    size_t min_length;  ///< of candidates, >= 2; 0: 3, or the shortest series where that is less
    size_t max_length;  ///< at most the length of the shortest series; 0: that
    size_t length_step; ///< from one length to the next, >= 1; 0: 1
    size_t start_step;  ///< from one start in a series to the next, >= 1; 0: 1
    size_t sample;      ///< so many candidates, drawn by `seed`, for each node; 0: all
    uint64_t seed;
    /// Seconds after which no further part of the candidates is begun: the best so far counts. The parts are then in an
    /// order drawn by `seed`. 0: none. Not in a context with a store.
    double seconds;
    ww_shapelet_quality quality;
    int raw;          ///< 1: windows as they are, not z-normalised
    int unscaled;     ///< 1: the sum over points in place of their mean: distances of long candidates are larger
    int no_tree;      ///< 1: only the `best`
    size_t best;      ///< so many of the best candidates of the whole set, for the transform; 0: none
    int fewer;        ///< 1: where there are fewer than `best` it is no error
    size_t max_depth; ///< of the tree: splits from the root to a leaf; 0: any number
    size_t min_size;  ///< a node with fewer series becomes a leaf; 0: 2
    size_t
        terms; ///< most shapelets of a node, joined by AND and OR (logical shapelets), 1 to 8; 0: 1. Not with unscaled
    const ww_run_options *run; ///< NULL: all defaults. Progress is in cells: candidates x windows; of all nodes so far
} ww_shapelets_options;

#define WW_SHAPELETS_OPTIONS_INIT                                                                                      \
    { sizeof(ww_shapelets_options), 0, 0, 0, 0, 0, 1, 0.0, WW_SHAPELET_GAIN, 0, 0, 0, 0, 0, 0, 0, 0, NULL }

/// What was learnt from a training set: a decision tree, the best shapelets, or both.
/// *Thread-safety*: it does not change after its creation; any number of threads.
typedef struct ww_shapelets ww_shapelets;

/// An output: set struct_size first.
typedef struct ww_shapelets_info {
    size_t struct_size; ///< sizeof(ww_shapelets_info)
    size_t classes;     ///< classes of the training set
    size_t channels;    ///< of its series
    size_t train;       ///< how many series it had
    size_t nodes;       ///< of the tree, leaves included; 0: no tree
    size_t shapelets;   ///< of the tree's nodes and the best together
    size_t best;        ///< how many of them are the best: shapelets 0 to best - 1
    size_t longest;     ///< length of the longest
    int raw;            ///< as in the options
    int unscaled;       ///< as in the options
    ww_shapelet_quality quality;
    int stopped;           ///< 1: the time given was over before all candidates were examined
    uint64_t candidates;   ///< examined, in all nodes; 0 for a model that was read, and so the following
    uint64_t cells;        ///< candidates x windows
    uint64_t examined;     ///< candidates computed again in double
    uint64_t launches;     ///< kernel launches
    double seconds_device; ///< device time of the kernels; 0 when the device does not say
    double seconds_wall;   ///< wall time of ww_shapelets_create()
} ww_shapelets_info;

#define WW_SHAPELETS_INFO_INIT                                                                                         \
    { sizeof(ww_shapelets_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, WW_SHAPELET_GAIN, 0, 0, 0, 0, 0, 0.0, 0.0 }

/// A shapelet. An output: set struct_size first.
typedef struct ww_shapelet {
    size_t struct_size;   ///< sizeof(ww_shapelet)
    size_t series;        ///< the training series it comes from, from 0
    size_t start;         ///< its first point there, from 0
    size_t length;        ///< points
    size_t label;         ///< class number of that series
    double quality;       ///< by the measure asked for; of a term after the first, of the terms so far together
    double gain;          ///< information gain of the split at the threshold, in bits
    double gap;           ///< mean distance of the right less that of the left
    double threshold;     ///< d <= threshold goes to the left
    const double *values; ///< channels x length, channel by channel, as in the series. Owned by the ww_shapelets
} ww_shapelet;

#define WW_SHAPELET_INIT                                                                                               \
    { sizeof(ww_shapelet), 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, NULL }

/// A node of the tree; node 0 is the root. An output: set struct_size first.
typedef struct ww_shapelet_node {
    size_t struct_size; ///< sizeof(ww_shapelet_node)
    size_t depth;       ///< of the root 0
    int64_t left;       ///< the nodes below, greater than this one's number; -1 for a leaf
    int64_t right;      ///< likewise
    size_t label;       ///< its most frequent class, of equal ones the lower: what a leaf predicts
    size_t series;      ///< training series that reach it
    size_t terms;       ///< shapelets of its test; 0 for a leaf
    size_t first;       ///< the first of them; the others follow. They are no other node's
    ww_shapelet_op op;  ///< how the last of them is joined to those before it
    double threshold;   ///< of the joined distance
    double gain;        ///< information gain, bits
    double gap;         ///< mean distance of the right less that of the left
} ww_shapelet_node;

#define WW_SHAPELET_NODE_INIT                                                                                          \
    { sizeof(ww_shapelet_node), 0, -1, -1, 0, 0, 0, 0, WW_SHAPELET_AND, 0.0, 0.0, 0.0 }

/// Finds shapelets: the tree, the best, or both. L. Ye and E. Keogh, Time series shapelets, KDD 2009; A. Mueen, E.
/// Keogh and N. Young, Logical-shapelets, KDD 2011; J. Hills et al., Data Mining and Knowledge Discovery 28, 2014.
///
/// All candidates are screened in float on the device; those that rounding leaves near the best are computed again in
/// double, and decide. So the result is that of an exhaustive search in double.
///
/// In a context with a store (store.h) the search of each node is a job that is kept: cancelled or ended at any time, a
/// search with the same options goes on from it. With no_tree it has parts: a part takes the candidates of some series,
/// whose distances are those to all series, and a sample is that of all candidates, as far as it is in the part.
/// \param train labelled series without missing values, of either precision. \param options read during the call only;
/// NULL: all defaults.
/// \return WW_ERROR_EMPTY (fewer than two series), WW_ERROR_NO_LABELS (a series without a label, or all of one class),
/// WW_ERROR_NOT_FINITE, WW_ERROR_INVALID_ARGUMENT (lengths above the shortest series, and the other ranges above;
/// more `best` than the candidates without overlap, of a gain above 0, but with `fewer`), WW_ERROR_DEVICE_MEMORY,
/// WW_ERROR_CANCELLED; with a store WW_ERROR_IO and WW_ERROR_FORMAT (of other series, labels or options, or damaged),
/// WW_ERROR_PART (the part is kept), WW_ERROR_UNSUPPORTED (`seconds`; a tree in parts). *Ownership*: the caller's;
/// ww_shapelets_destroy(). *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_shapelets_create(ww_dataset *train, const ww_shapelets_options *options, ww_shapelets **shapelets);

/// Frees them and stores NULL in *shapelets. *Thread-safety*: when nobody uses them. *Blocking*: no.
WW_API void ww_shapelets_destroy(ww_shapelets **shapelets);

/// Describes them. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_shapelets_get_info(const ww_shapelets *shapelets, ww_shapelets_info *info);

/// Describes shapelet i, or node i. \return WW_ERROR_INVALID_ARGUMENT (there is none of that number).
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_shapelets_get_shapelet(const ww_shapelets *shapelets, size_t i, ww_shapelet *shapelet);
WW_API_STATUS ww_shapelets_get_node(const ww_shapelets *shapelets, size_t i, ww_shapelet_node *node);

/// How shapelet i is joined to those before it in its node; WW_SHAPELET_AND for a first one. *Thread-safety*: any
/// thread. *Blocking*: no.
WW_API ww_shapelet_op ww_shapelets_get_op(const ww_shapelets *shapelets, size_t i);

/// Name of class k of the training set, NULL when out of range. *Ownership*: that of the ww_shapelets. *Thread-safety*:
/// any thread. *Blocking*: no.
WW_API const char *ww_shapelets_class_name(const ww_shapelets *shapelets, size_t k);

/// Class numbers that the tree predicts for the series of a dataset, in double. A series that is shorter than a
/// shapelet is infinitely far from it. \param run NULL: all defaults. \param classes one for each series. \param
/// distances of each series (rows) to each shapelet of the tree and the best (columns), or NULL. \return
/// WW_ERROR_INVALID_ARGUMENT (no tree), WW_ERROR_CHANNELS, WW_ERROR_NOT_FINITE, WW_ERROR_CANCELLED. *Thread-safety*:
/// any thread. *Blocking*: until done.
WW_API_STATUS ww_shapelets_predict(const ww_shapelets *shapelets, ww_dataset *series, const ww_run_options *run,
                                   int64_t *classes, double *distances);

/// The shapelet transform: the distances of each series (rows) to shapelets `first` to `first + count - 1` (columns),
/// in double, as features for any classifier. \param first, count 0 and info.best: the best. \param run NULL: all
/// defaults. \param distances series x count. \param starts where the nearest window of each begins, or NULL. \return
/// WW_ERROR_INVALID_ARGUMENT (there are none of these numbers), WW_ERROR_CHANNELS, WW_ERROR_NOT_FINITE,
/// WW_ERROR_CANCELLED. *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_shapelets_transform(const ww_shapelets *shapelets, ww_dataset *series, const ww_run_options *run,
                                     size_t first, size_t count, double *distances, uint64_t *starts);

/// Writes a model as JSON, which appears under its name only when complete; "-": standard output.
/// \return WW_ERROR_IO. *Thread-safety*: any thread. *Blocking*: while it writes.
WW_API_STATUS ww_shapelets_write(const ww_shapelets *shapelets, const char *path);

/// Gives the bytes of that file to a function. \return WW_ERROR_IO (also by `write`), WW_ERROR_OUT_OF_MEMORY.
/// *Thread-safety*: any thread; `write` is called by it. *Blocking*: until all are given.
WW_API_STATUS ww_shapelets_write_to(const ww_shapelets *shapelets, ww_write_fn write, void *user);

/// Reads a model that ww_shapelets_write() wrote; every number is checked against every other. "-": standard input.
/// \return WW_ERROR_IO, WW_ERROR_FORMAT (what is wrong, and where), WW_ERROR_UNSUPPORTED (this library was built
/// without jansson, or the file is of a later version). *Ownership*: the caller's. *Thread-safety*: any thread.
/// *Blocking*: while it reads.
WW_API_STATUS ww_shapelets_read(const char *path, ww_shapelets **shapelets);

/// Reads the same from a function. \return as ww_shapelets_read(); WW_ERROR_IO by `read`, WW_ERROR_INVALID_ARGUMENT
/// (`read` returned more than `room`). *Ownership*: the caller's. *Thread-safety*: any thread; `read` is called by it.
/// *Blocking*: until `read` is at its end.
WW_API_STATUS ww_shapelets_read_from(ww_read_fn read, void *user, ww_shapelets **shapelets);

#ifdef __cplusplus
}
#endif
#endif
