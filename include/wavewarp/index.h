// SPDX-License-Identifier: Apache-2.0
/// \file
/// Approximate nearest series under any measure: a proximity graph of the series, with recall promised.
///
/// Each series of a base is linked to some of its nearest. A search walks along the links, from series that are spread
/// over the base to those nearest to the query, and keeps the `beam` nearest seen so far. How wide a beam reaches a
/// recall is measured on a sample against the exact search. The measure need not be a metric. Method: docs/index.md.
#ifndef WAVEWARP_INDEX_H
#define WAVEWARP_INDEX_H

#include <wavewarp/file.h>
#include <wavewarp/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Most links of a series, and most neighbours that the build looks for.
#define WW_INDEX_MOST_DEGREE 128
/// The widest beam, and the largest k.
#define WW_INDEX_MOST_BEAM 4096

/// What a promise of recall is about. docs/index.md, "Recall".
typedef struct ww_index_target {
    size_t struct_size; ///< sizeof(ww_index_target)
    size_t k;           ///< neighbours of a query, 1 to WW_INDEX_MOST_BEAM; more than there are series count as all
    double recall;      ///< share of the k nearest to be found, above 0 and below 1
    size_t sample;      ///< queries to measure with; 0: 512
    uint64_t seed;      ///< of the sample
    /// Series like those that will ask; a sample of them is taken. NULL: series of the base, each without itself. Read
    /// during the call only.
    ww_dataset *asking;
} ww_index_target;

#define WW_INDEX_TARGET_INIT                                                                                           \
    { sizeof(ww_index_target), 10, 0.95, 0, 1, NULL }

typedef struct ww_index_options {
    size_t struct_size;  ///< sizeof(ww_index_options)
    uint32_t degree;     ///< most links of a series, 4 to WW_INDEX_MOST_DEGREE: 4 bytes each
    uint32_t neighbours; ///< that the build looks for, degree / 2 to WW_INDEX_MOST_DEGREE
    uint64_t seed;       ///< the same seed gives the same graph on every device and with any number of threads
    /// Width of the beam, 1 to WW_INDEX_MOST_BEAM; 0: chosen for `target`, as ww_index_choose() does.
    uint32_t beam;
    const ww_index_target *target; ///< NULL: all defaults. Not used where a beam is given
    /// NULL: all defaults. Progress is in series, of all steps of a build or of the queries of a search.
    const ww_run_options *run;
} ww_index_options;

#define WW_INDEX_OPTIONS_INIT                                                                                          \
    { sizeof(ww_index_options), 32, 48, 1, 0, NULL, NULL }

/// An index of series. *Thread-safety*: one thread at a time.
typedef struct ww_index ww_index;

/// What an index is and did. An output: set struct_size first.
typedef struct ww_index_info {
    size_t struct_size;       ///< sizeof(ww_index_info)
    size_t series;            ///< that searches find: those added, without those removed
    size_t removed;           ///< series that were removed
    uint64_t links;           ///< of all series
    size_t parts;             ///< parts of the graph that had to be joined so that every series can be reached
    size_t entries;           ///< series that each search begins with
    uint64_t host_bytes;      ///< host memory of the graph
    uint32_t beam;            ///< of a search for target_k neighbours
    int exact;                ///< 1: searches are exact: the recall costs more than that, or can't be reached
    size_t target_k;          ///< of the last choice; 0: none was made, and the next four are 0 or NaN
    double target_recall;     ///< what was asked for
    double recall;            ///< measured on the sample
    double recall_low;        ///< lower end of its 95 % confidence interval
    double recall_high;       ///< upper end
    size_t sample;            ///< queries it was measured with
    double sample_examined;   ///< mean distances of such a query; exact: of the widest beam tried
    uint64_t examined;        ///< distances of the last search
    uint64_t build_distances; ///< distances of the build or of the last ww_index_add()
    double seconds_build;     ///< wall time of ww_index_create(), ww_index_load() or the last ww_index_add()
    double seconds_choose;    ///< of it, or of the last ww_index_choose(): measuring the recall
    double seconds_search;    ///< wall time of the last search, transfers included
    uint32_t degree;          ///< as in the options
    uint32_t neighbours;      ///< as in the options
} ww_index_info;

#define WW_INDEX_INFO_INIT                                                                                             \
    { sizeof(ww_index_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0, 0.0, 0, 0, 0.0, 0.0, 0.0, 0, 0 }

/// Builds an index by nearest-neighbour descent (W. Dong, M. Charikar, K. Li: Efficient k-nearest neighbor graph
/// construction for generic similarity measures, WWW 2011): neighbours of neighbours are compared until few are nearer;
/// links over which another link leads are left out (CAGRA: H. Ootomo and others, ICDE 2024); every series can be
/// reached from the entries. Bases of at most 4096 series are searched exactly for their links.
/// \param measure copied, with what it points to; any measure. A distance is that of the query (x) to a series of the
/// base (y); between two of the base, that of the series that has the link to the one it leads to. Under a similarity
/// the largest are the nearest.
/// \param base kept alive, of 1 to 2^31 - 1 series. Series that the device does not hold are uploaded block by block.
/// \param options read during the call only; NULL: all defaults.
/// \return WW_ERROR_INVALID_ARGUMENT (an option out of range), WW_ERROR_CHANNELS, WW_ERROR_NO_PATH (two lengths that
/// the band separates), WW_ERROR_BUILD, WW_ERROR_UNSUPPORTED, WW_ERROR_OVERFLOW, WW_ERROR_DEVICE_MEMORY,
/// WW_ERROR_CANCELLED: as ww_plan_create_nearest(). *Ownership*: the caller's. *Thread-safety*: any thread.
/// *Blocking*: until done.
WW_API_STATUS ww_index_create(const ww_measure *measure, ww_dataset *base, const ww_index_options *options,
                              ww_index **index);

/// Adds series, whose numbers continue after the last. The base is copied together with them; a promise of recall was
/// made for what there was before, see ww_index_choose(). Where as many are added as there are, the graph is built
/// anew. \param series of the same context, precision and channels, with time stamps where the base has them; read
/// during the call only. \return WW_ERROR_INVALID_ARGUMENT, and as ww_index_create(); then nothing is added.
/// *Thread-safety*: one thread at a time. *Blocking*: until done.
WW_API_STATUS ww_index_add(ww_index *index, ww_dataset *series);

/// Removes series: no search finds them any more. Walks still go over them. Other numbers do not change. Removing a
/// series twice is no error. \param ids `count` numbers of series that were added (else WW_ERROR_INVALID_ARGUMENT, and
/// none is removed). \return that. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_index_remove(ww_index *index, const int64_t *ids, size_t count);

/// Chooses beam and entries: those of least work with which the lower end of the 95 % confidence interval of the
/// recall, measured on a sample, reaches the target. Where none does, or it would take more work than the exact search
/// of this device, later searches are exact, and ww_index_info.exact says so. \param target NULL: all defaults. \return
/// WW_ERROR_INVALID_ARGUMENT, WW_ERROR_EMPTY (all series are removed), and as ww_index_search(). *Thread-safety*: one
/// thread at a time. *Blocking*: until done.
WW_API_STATUS ww_index_choose(ww_index *index, const ww_index_target *target);

/// Sets the beam, 1 to WW_INDEX_MOST_BEAM, of later searches; 0: they are exact. No recall is promised then. \return
/// WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_index_set_beam(ww_index *index, uint32_t beam);

/// Searches: the k nearest found for each query, smallest distance first (a similarity: largest), ties to the lower
/// number. The distance of each is that of ww_plan_create_nearest(); some neighbours may be missing. For more than
/// the target's the beam is as much wider; it is never narrower than k.
/// \param queries of the base's context, precision and channels; NULL: the base itself, each series without itself (a
/// removed one finds nothing). \param k 1 to WW_INDEX_MOST_BEAM. \param ids queries x k, -1 where there are fewer.
/// \param distances queries x k of the base's precision, or NULL; infinity (a similarity: minus infinity) where there
/// are fewer. On any error their content is unspecified. \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_CHANNELS,
/// WW_ERROR_NO_PATH, WW_ERROR_OVERFLOW, WW_ERROR_DEVICE_MEMORY, WW_ERROR_CANCELLED. *Thread-safety*: one thread at a
/// time. *Blocking*: until done.
WW_API_STATUS ww_index_search(ww_index *index, ww_dataset *queries, size_t k, int64_t *ids, void *distances);

/// What the index is and what was done last. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time.
/// *Blocking*: no.
WW_API_STATUS ww_index_get_info(const ww_index *index, ww_index_info *info);

/// The measure. NULL for NULL. *Ownership*: the index's, with what it points to. *Thread-safety*: one thread at a time.
/// *Blocking*: no.
WW_API const ww_measure *ww_index_measure(const ww_index *index);

/// The precision of the series and of distances; WW_FLOAT for NULL. *Thread-safety*: one thread at a time. *Blocking*:
/// no.
WW_API ww_precision ww_index_precision(const ww_index *index);

/// All series that were ever added, removed ones too. NULL for NULL. *Ownership*: the index's, until the next
/// ww_index_add(). *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API ww_dataset *ww_index_base(const ww_index *index);

/// Sets limits and progress of later calls; NULL: the defaults. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one
/// thread at a time. *Blocking*: no.
WW_API_STATUS ww_index_set_run(ww_index *index, const ww_run_options *run);

/// Frees an index and stores NULL in *index. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API void ww_index_destroy(ww_index **index);

/// Writes measure, series with labels and time stamps, links, removals and what was promised. Format: docs/index.md. A
/// file appears under its name only when complete. \return WW_ERROR_IO, WW_ERROR_OPENCL. *Thread-safety*: one thread at
/// a time. *Blocking*: while it writes.
WW_API_STATUS ww_index_save(const ww_index *index, const char *path);

/// Gives the bytes of that file to a function. \return WW_ERROR_IO (also by `write`), WW_ERROR_OPENCL.
/// *Thread-safety*: one thread at a time; `write` is called by it. *Blocking*: until all are given.
WW_API_STATUS ww_index_save_to(const ww_index *index, ww_write_fn write, void *user);

/// Reads what ww_index_save() wrote, on any machine. A cost or a recurrence of the user's that the file has is compiled
/// when the first search needs it. \param run as in the options; NULL: all defaults. \return WW_ERROR_IO,
/// WW_ERROR_FORMAT (not such a file, of another version, damaged or cut short), and what ww_dataset_create() returns.
/// *Ownership*: the caller's. *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_index_load(ww_context *context, const char *path, const ww_run_options *run, ww_index **index);

/// Reads the same from a function. \return as ww_index_load(); WW_ERROR_IO by `read`, WW_ERROR_INVALID_ARGUMENT (`read`
/// returned more than `room`). *Ownership*: the caller's. *Thread-safety*: any thread; `read` is called by it.
/// *Blocking*: until done.
WW_API_STATUS ww_index_load_from(ww_context *context, ww_read_fn read, void *user, const ww_run_options *run,
                                 ww_index **index);

#ifdef __cplusplus
}
#endif
#endif
