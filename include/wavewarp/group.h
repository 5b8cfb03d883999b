// SPDX-License-Identifier: Apache-2.0
/// \file
/// Several devices of one process do one job: each has a context and a thread of its own, and takes tiles of the work
/// from one counter, as large as it does in about half a second at the rate that was measured. Devices of one kind give
/// the bytes that one of them gives; devices of different kinds differ in the last bits. See docs/scale.md.
#ifndef WAVEWARP_GROUP_H
#define WAVEWARP_GROUP_H

#include <wavewarp/classify.h>
#include <wavewarp/gradient.h>
#include <wavewarp/knn.h>
#include <wavewarp/lsh.h>
#include <wavewarp/path.h>
#include <wavewarp/plan.h>
#include <wavewarp/profile.h>
#include <wavewarp/search.h>
#include <wavewarp/shapelets.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Devices that work together. *Thread-safety*: one job at a time.
typedef struct ww_group ww_group;

typedef struct ww_group_options {
    size_t struct_size; ///< sizeof(ww_group_options)
    /// NULL or "all": every usable device; "gpus": every GPU. Of a device that several drivers show, the best. Or a
    /// list of devices as ww_context_options.device names them, separated by commas: "0,2". A CPU of less than about a
    /// sixteenth of a GPU's speed is in reserve: it works when all GPUs are lost or can't do the job.
    const char *devices;
    /// Of every context, but for `device`. NULL: all defaults. Its log is called by the thread that calls the group and
    /// by the devices' threads, also by several at once.
    const ww_context_options *context;
    double tile_seconds; ///< what a tile should last on its device, 1e-6 to 3600; 0: 0.5
} ww_group_options;

#define WW_GROUP_OPTIONS_INIT                                                                                          \
    { sizeof(ww_group_options), NULL, NULL, 0.0 }

/// Fills options of `struct_size` bytes with the defaults. *Thread-safety*: any thread. *Blocking*: no.
WW_API void ww_group_options_init(ww_group_options *options, size_t struct_size);

/// Opens the devices.
/// \param options read during the call only; NULL: all defaults.
/// \return as ww_context_create(); WW_ERROR_NO_DEVICE (no GPU for "gpus"); WW_ERROR_INVALID_ARGUMENT (a device named
/// twice). *Ownership*: the caller's; datasets keep it alive. *Thread-safety*: any thread. *Blocking*: as
/// ww_context_create(), for one device after the other.
WW_API_STATUS ww_group_create(const ww_group_options *options, ww_group **group);

/// Releases the caller's reference and stores NULL in *group. *Thread-safety*: any thread, when no job runs.
/// *Blocking*: until its devices' work is done, for the last holder.
WW_API void ww_group_destroy(ww_group **group);

/// Number of devices; 0 for NULL. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_group_count(const ww_group *group);

/// The context of device i, for ww_context_get_device_info() and work of its own; NULL when i is out of range.
/// *Ownership*: the group's. *Thread-safety*: any thread. *Blocking*: no.
WW_API ww_context *ww_group_context(const ww_group *group, size_t i);

/// What a device did in the last job. An output: set struct_size first.
typedef struct ww_group_info {
    size_t struct_size; ///< sizeof(ww_group_info)
    uint64_t tiles;     ///< it finished
    /// of these: points of the rows times points of the columns, without a band; knn: pairs x dimension; profile: pairs
    /// of windows; lsh: buckets looked into x functions x dimension; shapelets: candidates x windows
    double work;
    double seconds;    ///< it worked on them
    int lost;          ///< 1: it failed, and others did its work
    ww_status status;  ///< lost: why
    char message[512]; ///< lost: one sentence
} ww_group_info;

#define WW_GROUP_INFO_INIT                                                                                             \
    { sizeof(ww_group_info), 0, 0.0, 0.0, 0, WW_OK, "" }

/// Fills an empty record of `struct_size` bytes. *Thread-safety*: any thread. *Blocking*: no.
WW_API void ww_group_info_init(ww_group_info *info, size_t struct_size);

/// \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: when no job runs. *Blocking*: no.
WW_API_STATUS ww_group_get_info(const ww_group *group, size_t i, ww_group_info *info);

/// Series on every device of a group. *Thread-safety*: as ww_dataset.
typedef struct ww_group_dataset ww_group_dataset;

/// Copies series to every device, as ww_dataset_create() and ww_dataset_create_from_set() do. A device that has not the
/// memory for them, or no double where that is asked for, takes no part in jobs with this dataset.
/// \return as ww_dataset_create(), when no device can take them. *Ownership*: the caller's; keeps the group alive.
/// *Thread-safety*: any thread. *Blocking*: until they are uploaded to one device after the other.
WW_API_STATUS ww_group_dataset_create(ww_group *group, const ww_series_view *view, const ww_dataset_options *options,
                                      ww_group_dataset **dataset);
WW_API_STATUS ww_group_dataset_create_from_set(ww_group *group, ww_series_set *set, const ww_dataset_options *options,
                                               ww_group_dataset **dataset);

/// Releases the caller's reference and stores NULL in *dataset. *Thread-safety*: any thread, when no job uses it.
/// *Blocking*: no.
WW_API void ww_group_dataset_destroy(ww_group_dataset **dataset);

/// ww_dataset_series() of a device that has them. \return as that. *Ownership*: the caller's; ww_series_set_destroy().
/// *Thread-safety*: any thread, when no job uses the dataset. *Blocking*: until the values are read back.
WW_API_STATUS ww_group_dataset_series(ww_group_dataset *dataset, ww_series_set **set);

/// All jobs: a device that fails in the middle gives its tile back, the others go on, and ww_group_get_info() says why
/// it was lost. When all are lost the job fails with the last one's error. What any device would find wrong in the
/// input ends the job at once. `options->run`: progress is called by the calling thread, several times a second, and
/// counts ww_group_info.work; the rest holds for each device. \return also what the plan's functions return.

/// All distances between the rows of one dataset and the columns of another, as ww_plan_create_matrix() and
/// ww_plan_run() give them. \param columns NULL: `rows` with itself; under a symmetric measure each pair is computed
/// once. \param options read during the call only; NULL: all defaults. \param output host memory, full layout.
/// \return WW_ERROR_INVALID_ARGUMENT (datasets of different groups; another kind of output), WW_ERROR_CANCELLED, and as
/// ww_plan_run(). *Thread-safety*: one job of a group at a time. *Blocking*: until done.
WW_API_STATUS ww_group_matrix(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                              const ww_plan_options *options, const ww_output *output);

/// The distances of listed pairs, as ww_plan_create_pairs() and ww_plan_run() give them: each device has all series and
/// a run of the pairs at a time. \param columns NULL: `rows`. \param row_index, column_index `count` indices each; NULL
/// both: the i-th row with the i-th column. \param output host memory, `count` values.
/// \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_EMPTY, WW_ERROR_CANCELLED, and as ww_plan_create_pairs().
/// *Thread-safety*: one job of a group at a time. *Blocking*: until done.
WW_API_STATUS ww_group_pairs(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                             const size_t *row_index, const size_t *column_index, size_t count,
                             const ww_plan_options *options, const ww_output *output);

/// The k nearest columns (base) of every row (query), as ww_plan_create_nearest() and ww_plan_run_nearest() give them:
/// every device has the whole base and a part of the queries at a time. \param base NULL: `queries` with itself, each
/// without itself. \param indices rows x k, -1 where there are fewer. \param distances rows x k of the datasets'
/// precision, or NULL. \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_CANCELLED, and as ww_plan_run_nearest().
/// *Thread-safety*: one job of a group at a time. *Blocking*: until done.
WW_API_STATUS ww_group_nearest(const ww_measure *measure, ww_group_dataset *queries, ww_group_dataset *base, size_t k,
                               const ww_plan_options *options, int64_t *indices, void *distances);

/// The warping paths of listed pairs, as ww_plan_create_paths() and ww_plan_run_paths() give them: each device has all
/// series and a run of the pairs at a time. \param columns NULL: `rows`. \param row_index, column_index `count` indices
/// each; NULL both: the i-th row with the i-th column. \param paths what it held is not freed; on any error it is
/// empty. \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_EMPTY, WW_ERROR_CANCELLED, and as ww_plan_create_paths() and
/// ww_plan_run_paths(). *Ownership*: free what the record holds with ww_paths_free(). *Thread-safety*: one job of a
/// group at a time. *Blocking*: until done.
WW_API_STATUS ww_group_paths(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                             const size_t *row_index, const size_t *column_index, size_t count,
                             const ww_plan_options *options, ww_paths *paths);

/// Values, alignments and gradients of listed pairs, as ww_gradient_create_pairs() and ww_gradient_run() give them:
/// each device has all series and a run of the pairs at a time. Sums over pairs are not divided, for their order is
/// their bits: gradients by series need options.per_pair. Soft-DTW on a GPU has last bits that depend on the pairs that
/// run beside a pair, here too. \param columns NULL: `rows`. \param row_index, column_index `count` indices each; NULL
/// both: the i-th row with the i-th column. \param outputs to host memory; `upstream` from it. \return
/// WW_ERROR_UNSUPPORTED (gradients by series without options.per_pair), WW_ERROR_INVALID_ARGUMENT (memory of a device;
/// no output), WW_ERROR_EMPTY, WW_ERROR_CANCELLED, and as ww_gradient_create_pairs() and ww_gradient_run().
/// *Thread-safety*: one job of a group at a time. *Blocking*: until done.
WW_API_STATUS ww_group_gradient(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                                const size_t *row_index, const size_t *column_index, size_t count,
                                const ww_gradient_options *options, const ww_gradient_outputs *outputs);

/// The sizes of these outputs, in values: pairs, rows and columns (as with options.per_pair), parameters, weights and
/// alignment of the record, whether they are asked for or not; the rest is 0. \param options NULL: all defaults.
/// \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_EMPTY, WW_ERROR_OVERFLOW. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_group_gradient_sizes(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                                      const size_t *row_index, const size_t *column_index, size_t count,
                                      const ww_gradient_options *options, ww_gradient_info *sizes);

/// Classifies as ww_classify() does, near ties decided in double: every device has the whole train set and a part of
/// the test series at a time. Where some devices have double and near ties are decided in it, the others take no part.
/// \param train labelled, or options.targets is set. \param test NULL: each training series among the others.
/// \param options as of ww_classifier_create(), read during the call only. \param result the engine is that of one of
/// the devices; the rest is of all. \return as ww_classify(); WW_ERROR_INVALID_ARGUMENT (datasets of different groups).
/// *Ownership*: free what the result holds with ww_classification_free(). *Thread-safety*: one job of a group at a
/// time. *Blocking*: until done.
WW_API_STATUS ww_group_classify(const ww_measure *measure, ww_group_dataset *train, ww_group_dataset *test,
                                const ww_classify_options *options, ww_classification *result);

/// Finds shapelets as ww_shapelets_create() does. The series of a node of the tree are divided: each device has all
/// series and takes the candidates of some at a time, from the best that all have found so far. Nodes that take one
/// device less than about a quarter of ww_group_options.tile_seconds are not divided, and no more is the rest: a node
/// follows the other. What a device did is the sum of all nodes. \param options as of ww_shapelets_create(), read
/// during the call only; its run options as ww_plan_options.run of the jobs above. A checkpoint also has the series of
/// an unfinished node whose candidates are done; a group goes on from one device's, and the other way round, where they
/// are of one kind. \return as ww_shapelets_create(). *Ownership*: the caller's; ww_shapelets_destroy().
/// *Thread-safety*: one job of a group at a time. *Blocking*: until done.
WW_API_STATUS ww_group_shapelets(ww_group_dataset *train, const ww_shapelets_options *options,
                                 ww_shapelets **shapelets);

/// The best matches of queries in streams, as ww_search_create() and ww_search_run() give them. Windows: each device
/// has all queries and takes parts of the streams; the places of all parts are joined, and chosen from once. Open ends,
/// WW_SEARCH_SUPER, and windows for so many matches, so far apart, that ww_search_places() is too large: each device
/// takes some of the queries at a time, through all streams. Series stay in host memory. \param options its run options
/// as ww_plan_options.run of the jobs above. \param matches queries x k. \param found how many there are for each
/// query, or NULL. On any error the arrays' content is unspecified. \return as ww_search_create() and ww_search_run().
/// *Thread-safety*: one job of a group at a time. *Blocking*: until done.
WW_API_STATUS ww_group_search(ww_group *group, const ww_measure *measure, const ww_series_view *queries,
                              const ww_search_options *options, const ww_series_view *streams, ww_match *matches,
                              size_t *found);

/// The same in one stream that a function reads, as ww_search_run_source(). \param source `concurrent`: every device's
/// thread reads. \return also WW_ERROR_INVALID_ARGUMENT where it is not concurrent; WW_ERROR_IO; WW_ERROR_UNSUPPORTED
/// for WW_SEARCH_SUPER. *Thread-safety*: one job of a group at a time. *Blocking*: until done.
WW_API_STATUS ww_group_search_source(ww_group *group, const ww_measure *measure, const ww_series_view *queries,
                                     const ww_search_options *options, const ww_search_source *source,
                                     ww_match *matches, size_t *found);

/// What the group's last search did, of all devices: all 0 before one. Bounds exclude less in parts of the streams than
/// in the whole, because more places are kept, and each part begins without any; with queries of unequal lengths some
/// places count in two parts. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: when no job runs. *Blocking*: no.
WW_API_STATUS ww_group_get_search_info(const ww_group *group, ww_search_info *info);

/// A prepared profile on every device of a group. *Thread-safety*: one job of a group at a time.
typedef struct ww_group_profile ww_group_profile;

/// Plans the profile of a series as ww_profile_create() does, on all devices at once: each plans the whole, which takes
/// host memory and the time of a processor for each. A device that can't, by its memory or without double where that is
/// asked for, takes no part. \param series, other views of one or more series each; other NULL: the series itself.
/// \param options read during the call only, its run options as ww_plan_options.run of the jobs above; NULL: all
/// defaults. \return as ww_profile_create(), when no device can. *Ownership*: the caller's; keeps the group alive.
/// *Thread-safety*: one job of a group at a time. *Blocking*: as ww_profile_create().
WW_API_STATUS ww_group_profile_create(ww_group *group, const ww_series_view *series, size_t index,
                                      const ww_series_view *other, size_t other_index, size_t window,
                                      const ww_profile_options *options, ww_group_profile **profile);

/// The same of series of datasets, as ww_profile_create_from_datasets(). \return also WW_ERROR_INVALID_ARGUMENT
/// (datasets of different groups). *Ownership*: the caller's; keeps the group alive. *Thread-safety*: one job of a
/// group at a time. *Blocking*: as ww_profile_create().
WW_API_STATUS ww_group_profile_create_from_datasets(ww_group_dataset *series, size_t index, ww_group_dataset *other,
                                                    size_t other_index, size_t window,
                                                    const ww_profile_options *options, ww_group_profile **profile);

/// Computes it as ww_profile_run() does; any number of times. The devices take ranges of diagonals (pairs of windows
/// that begin so many points apart), and the neighbours that they find are joined at the end. \param output as of
/// ww_profile_run(). On any error the arrays' content is unspecified. \return as ww_profile_run(). *Thread-safety*: one
/// job of a group at a time. *Blocking*: until done.
WW_API_STATUS ww_group_profile_run(ww_group_profile *profile, ww_profile_output *output);

/// What one of the devices planned, and what all did in the last run. \return WW_ERROR_INVALID_ARGUMENT.
/// *Thread-safety*: when no job runs. *Blocking*: no.
WW_API_STATUS ww_group_profile_get_info(const ww_group_profile *profile, ww_profile_info *info);

/// The plan of one of the devices, for ww_profile_find_motifs(), ww_profile_find_discords() and
/// ww_profile_get_distances(); NULL for NULL. *Ownership*: the profile's. *Thread-safety*: any thread. *Blocking*: no.
WW_API const ww_profile *ww_group_profile_plan(const ww_group_profile *profile);

/// Frees a profile and stores NULL in *profile. *Thread-safety*: any thread, when no job uses it. *Blocking*: no.
WW_API void ww_group_profile_destroy(ww_group_profile **profile);

/// Points on every device of a group. *Thread-safety*: as ww_points.
typedef struct ww_group_points ww_group_points;

/// Copies points to every device, as ww_points_create() does. A device that has not the memory for them, or no double
/// where that is asked for, takes no part in jobs with them. \return as ww_points_create(), when no device can take
/// them. *Ownership*: the caller's; keeps the group alive. *Thread-safety*: any thread. *Blocking*: until they are
/// uploaded to one device after the other.
WW_API_STATUS ww_group_points_create(ww_group *group, const ww_point_view *view, const ww_points_options *options,
                                     ww_group_points **points);

/// Releases the caller's reference and stores NULL in *points. *Thread-safety*: any thread, when no job uses it.
/// *Blocking*: no.
WW_API void ww_group_points_destroy(ww_group_points **points);

/// The k nearest points of the base for every query, as ww_knn_create() and ww_knn_run() give them: every device has
/// the whole base and a part of the queries at a time. \param queries NULL: the base's own points, each without itself.
/// \param options read during the call only, its run options as ww_plan_options.run of the jobs above; NULL: all
/// defaults. \param ids queries x k, -1 where there are fewer. \param distances queries x k of the points' precision,
/// or NULL. \return WW_ERROR_INVALID_ARGUMENT (points of different groups), WW_ERROR_CANCELLED, and as ww_knn_create()
/// and ww_knn_run(). *Thread-safety*: one job of a group at a time. *Blocking*: until done.
WW_API_STATUS ww_group_knn(ww_group_points *base, ww_group_points *queries, size_t k, const ww_knn_options *options,
                           int64_t *ids, void *distances);

/// Hash tables of points on every device of a group. *Thread-safety*: one job of a group at a time.
typedef struct ww_group_lsh ww_group_lsh;

/// Builds the tables as ww_lsh_create() does, on all devices at once: each has all of them, and the same, because they
/// follow from the seed. A device that can't, by its memory or without the points, takes no part. \param points kept
/// alive on the devices. \param options read during the call only, its run options as ww_plan_options.run of the jobs
/// above; NULL: all defaults. Progress of the build is in points that the slowest device entered into tables. \return
/// WW_ERROR_CANCELLED, and as ww_lsh_create(), when no device can. *Ownership*: the caller's; keeps the group alive.
/// *Thread-safety*: one job of a group at a time. *Blocking*: until built.
WW_API_STATUS ww_group_lsh_create(ww_group_points *points, const ww_lsh_options *options, ww_group_lsh **lsh);

/// Searches as ww_lsh_run() does: each device takes a part of the queries at a time. Only queries that find more than
/// options.candidates points (ww_lsh_info.capped) may differ from it. \param queries NULL: the tables' own points, each
/// without itself. \param ids queries x k, -1 where there are fewer. \param distances queries x k of the points'
/// precision, or NULL. \param found how many there are for each query, or NULL. \return WW_ERROR_INVALID_ARGUMENT
/// (queries of another group), WW_ERROR_CANCELLED, and as ww_lsh_run(). *Thread-safety*: one job of a group at a time.
/// *Blocking*: until done.
WW_API_STATUS ww_group_lsh_run(ww_group_lsh *lsh, ww_group_points *queries, size_t k, int64_t *ids, void *distances,
                               uint32_t *found);

/// What the tables of one of the devices are, and what the last search of all did. \return WW_ERROR_INVALID_ARGUMENT.
/// *Thread-safety*: when no job runs. *Blocking*: no.
WW_API_STATUS ww_group_lsh_get_info(const ww_group_lsh *lsh, ww_lsh_info *info);

/// The tables of one of the devices, for ww_lsh_save(), ww_lsh_get_options() and ww_lsh_count(); NULL for NULL.
/// *Ownership*: the group's. *Thread-safety*: when no job runs. *Blocking*: no.
WW_API const ww_lsh *ww_group_lsh_tables(const ww_group_lsh *lsh);

/// Frees the tables and stores NULL in *lsh. *Thread-safety*: any thread, when no job uses it. *Blocking*: no.
WW_API void ww_group_lsh_destroy(ww_group_lsh **lsh);

#ifdef __cplusplus
}
#endif
#endif
