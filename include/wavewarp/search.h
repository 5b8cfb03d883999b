// SPDX-License-Identifier: Apache-2.0
/// \file
/// Queries in streams: the best matches of short series in long ones, under any measure.
///
/// There are two kinds of search. With open ends a match is any part of the stream, of any length, as the measure warps
/// it (subsequence search); a search for whole streams in the queries is the other way round (supersequence search).
/// With windows a match has the query's length, and every window may be z-normalised before it is compared (the UCR
/// Suite's search). docs/search.md has the definitions, the order of matches and what the bounds do.
#ifndef WAVEWARP_SEARCH_H
#define WAVEWARP_SEARCH_H

#include <stdint.h>
#include <wavewarp/context.h>
#include <wavewarp/dataset.h>
#include <wavewarp/measure.h>
#include <wavewarp/run.h>
#include <wavewarp/series.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_search_kind {
    WW_SEARCH_OPEN = 0,    ///< parts of a stream of any length. Measures with open ends; no band
    WW_SEARCH_WINDOWS = 1, ///< windows of a stream as long as the query. Every measure and band
    WW_SEARCH_SUPER = 2    ///< whole streams in a part of the query, of any length. As WW_SEARCH_OPEN, exchanged
} ww_search_kind;

/// `exclusion`: half of the query's length, rounded up.
#define WW_SEARCH_HALF SIZE_MAX
/// The largest k of a search; with an exclusion of 0 or 1 the largest.
#define WW_SEARCH_MOST 4096
#define WW_SEARCH_MOST_PLACES 0x1000000
/// Parts of a stream for z-normalised windows begin at multiples of so many points.
#define WW_SEARCH_PART_POINTS 64

typedef struct ww_search_options {
    size_t struct_size; ///< sizeof(ww_search_options)
    ww_search_kind kind;
    /// Windows: 1: the query and every window have mean 0 and population deviation 1 in each channel; all 0 where it is
    /// constant (docs/search.md).
    int znormalise;
    size_t k; ///< matches for each query, 1 to WW_SEARCH_MOST (with an exclusion up to 1: WW_SEARCH_MOST_PLACES)
    /// Two matches of a query in one stream are no closer than this: the begins of windows, the ends of open matches.
    /// 0 or 1: they differ. WW_SEARCH_HALF: half of the query's length, at least 1.
    size_t exclusion;
    int has_threshold; ///< 1: only matches within `threshold`
    /// The largest distance of a match; of a similarity the smallest value. It is rounded to `precision`, as distances
    /// are, and compared with distances as they are computed: where it is a distance that another program computed, add
    /// what rounding makes.
    double threshold;
    int no_bounds; ///< 1: every window is computed in full. The matches are the same
    /// Of the values on the device, to which queries and streams are rounded first, and of every distance. In float a
    /// window that is the query, of values that float has (under WW_DDTW of any), has distance 0; z-normalised with the
    /// root about 1e-7 sqrt(m) for a query of m points.
    ww_precision precision;
    const ww_run_options *run; ///< NULL: all defaults. Progress is in places: points of the streams times queries
} ww_search_options;

#define WW_SEARCH_OPTIONS_INIT                                                                                         \
    { sizeof(ww_search_options), WW_SEARCH_OPEN, 0, 1, WW_SEARCH_HALF, 0, 0.0, 0, WW_FLOAT, NULL }

/// A match: points [begin, end) of a stream (WW_SEARCH_SUPER: of the query). This struct does not grow: the library
/// fills arrays of it.
typedef struct ww_match {
    int64_t stream; ///< which one; -1 where there are fewer matches than wanted
    int64_t begin, end;
    double distance; ///< +infinity where there are fewer (a similarity: minus infinity)
} ww_match;

/// A prepared search. *Thread-safety*: one thread at a time; different searches in any number of threads.
typedef struct ww_search ww_search;

/// Plans a search for queries. \param measure copied, with what it points to. Of its open ends relax_begin_x and
/// relax_end_x count for WW_SEARCH_OPEN: points of the query that may be skipped where a stream begins and where it
/// ends, each all but one at most (also where it is the length or more); the streams' own ends are open. \param queries
/// read during the call only, and rounded to the search's precision. \param options read during the call only; NULL:
/// all defaults.
/// \return WW_ERROR_INVALID_ARGUMENT (options, precisions), WW_ERROR_EMPTY, WW_ERROR_NOT_FINITE (queries),
/// WW_ERROR_UNSUPPORTED (open ends of a measure to which they mean nothing: WDTW, WDDTW, TWED, LCSS, LCS; of one
/// without them; with a band; points of the query skipped under ERP or MSM, or in WW_SEARCH_SUPER; relax_end_x of a
/// caller's recurrence; a device without double), WW_ERROR_NO_PATH (the band), WW_ERROR_CHANNELS (more than 64),
/// WW_ERROR_OVERFLOW, WW_ERROR_BUILD, WW_ERROR_DEVICE_MEMORY. *Ownership*: the caller's; keeps the context alive.
/// *Thread-safety*: any thread. *Blocking*: while the queries are uploaded.
WW_API_STATUS ww_search_create(ww_context *context, const ww_measure *measure, const ww_series_view *queries,
                               const ww_search_options *options, ww_search **search);

/// Finds the best matches in all these streams: smallest distance first (a similarity: largest), of equal ones the
/// lower stream and place. The matches go to host memory: the host chooses them among the candidates of each block, by
/// their places and the exclusion. A point that is NaN or infinite is part of no match. A stream shorter than a window
/// has none. \param streams any number of series in host memory. \param matches queries x k. \param found how many
/// there are for each query, or NULL. On any error the arrays' content is unspecified. \return
/// WW_ERROR_INVALID_ARGUMENT (a NULL, the streams' precision), WW_ERROR_NOT_FINITE (a number too large for float),
/// WW_ERROR_UNSUPPORTED (all too small for z-normalised windows), WW_ERROR_CHANNELS, WW_ERROR_EMPTY,
/// WW_ERROR_CANCELLED, WW_ERROR_DEVICE_MEMORY, WW_ERROR_OPENCL, WW_ERROR_OUT_OF_MEMORY. *Thread-safety*: one thread at
/// a time. *Blocking*: until done.
WW_API_STATUS ww_search_run(ww_search *search, const ww_series_view *streams, ww_match *matches, size_t *found);

/// The same in the series of a dataset, which stay on the device: nothing is uploaded, however many searches run. The
/// matches are those of a view of the same values. Not so under WW_DDTW and WW_WDDTW, in WW_SEARCH_SUPER, of values
/// that need not be finite, of streams of fewer than 4096 values in the mean and of a dataset that does not fit the
/// device: the values are then sent at every run, from host memory, which keeps a copy with the dataset (as for
/// learning). \param streams of the search's context and precision; time stamps are not used. \return as
/// ww_search_run(). *Thread-safety*: one thread at a time; any number of searches may use one dataset at once.
/// *Blocking*: until done.
WW_API_STATUS ww_search_run_dataset(ww_search *search, ww_dataset *streams, ww_match *matches, size_t *found);

/// Gives points [first, first+count) of a stream to a search: `count` x channels values, point by point. Return 0, or
/// anything else when they can't be read: the search ends with WW_ERROR_IO. A block and the points that it shares with
/// the one before are asked for in ascending order (with `concurrent` about so); the starts of open matches are looked
/// for again at the end.
typedef int (*ww_search_read_fn)(void *user, uint64_t first, size_t count, void *values);

/// A stream that is read in blocks while it is searched, of any length.
typedef struct ww_search_source {
    size_t struct_size; ///< sizeof(ww_search_source)
    uint64_t length;    ///< points, >= 1
    size_t channels;
    ww_precision precision; ///< of what `read` writes
    ww_search_read_fn read; ///< called by the thread that runs the search, unless `concurrent`
    void *user;             ///< passed to it
    /// 1: `read` may be called by several threads of the library at once, each for other points (pread() of a file, for
    /// example): so that the stream is read while the device works. It is not called after the search's return.
    int concurrent;
} ww_search_source;

#define WW_SEARCH_SOURCE_INIT                                                                                          \
    { sizeof(ww_search_source), 0, 1, WW_FLOAT, NULL, NULL, 0 }

/// The same in one stream that a function reads: its matches have stream 0. \return as ww_search_run();
/// WW_ERROR_IO; WW_ERROR_UNSUPPORTED for WW_SEARCH_SUPER. *Thread-safety*: one thread at a time. *Blocking*: until
/// done.
WW_API_STATUS ww_search_run_source(ww_search *search, const ww_search_source *source, ww_match *matches, size_t *found);

/// Where the streams of a search are in a whole that is searched in parts. See docs/scale.md.
typedef struct ww_search_part {
    size_t struct_size;     ///< sizeof(ww_search_part)
    uint64_t stream_offset; ///< number of the first stream among all streams: matches count from there
    uint64_t point_offset;  ///< of the first point of this first stream: its matches count from there
} ww_search_part;

#define WW_SEARCH_PART_INIT                                                                                            \
    { sizeof(ww_search_part), 0, 0 }

/// Says which part the streams of all later runs are.
///
/// Windows: a part begins in any point (z-normalised ones: in a multiple of WW_SEARCH_PART_POINTS points of the one
/// stream that is divided) and goes on into the next part for the longest query's length less 1. Open matches may be of
/// any length: their streams are not cut, but between missing points. Parts are searched for ww_search_places() places
/// with an exclusion of 0; ww_matches_merge() joins them, and ww_matches_choose() chooses the matches.
/// \param part read during the call only; NULL: the whole. \return WW_ERROR_INVALID_ARGUMENT (the begin of a part),
/// WW_ERROR_UNSUPPORTED (WW_SEARCH_SUPER), WW_ERROR_OVERFLOW. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_search_set_part(ww_search *search, const ww_search_part *part);

/// How many places of a part may be needed for k matches: (k - 1)(2 exclusion - 1) + 1. SIZE_MAX where that is too
/// large, 0 without matches. \param exclusion in points. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_search_places(size_t k, size_t exclusion);

/// Says that later calls of ww_search_run_part() are parts of these streams, until a run of another kind. Each part
/// then begins with what the parts before it tell of the k-th match, and the first with what windows all over the
/// streams tell, a small part of them, which this call searches: so less of every part is computed. The matches are the
/// same. Without this call each part is searched alone. \param streams NULL: `source`. \param source NULL: `streams`;
/// of one that is not `concurrent` nothing is read. \return as ww_search_run_part(). *Thread-safety*: one thread at a
/// time. *Blocking*: until these windows are searched.
WW_API_STATUS ww_search_begin_parts(ww_search *search, const ww_series_view *streams, const ww_search_source *source);

/// How a search for windows is divided, among devices and by the program: how many places each part is
/// searched for, of all queries at most 2^22. 0: their sum is larger, or the search is not for windows: divide the
/// queries, each with all streams. \param options NULL: all defaults. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_search_part_places(const ww_series_view *queries, const ww_search_options *options);

/// The windows that begin in a part of the streams and may be among the search's matches: among all their points, one
/// stream after the other with one point between two, in [first, first + count); also some of shorter queries that
/// begin in the points which the last one needs. ww_matches_choose() of the joined places of all parts gives the
/// matches of the whole, byte for byte, z-normalised or not. \param search for windows, with the whole's k and
/// exclusion. \param streams NULL: `source`. \param source NULL: `streams`. \param first a multiple of
/// WW_SEARCH_PART_POINTS. \param count points; what is beyond the last one is left out. \param matches queries x
/// places, the best first: as many as the query of these that needs most has by ww_search_places(), of an exclusion of
/// 0 k. \return as ww_search_run() and ww_search_run_source(); WW_ERROR_INVALID_ARGUMENT (both or none; the begin of
/// the part). *Thread-safety*: one thread at a time. *Blocking*: until done.
WW_API_STATUS ww_search_run_part(ww_search *search, const ww_series_view *streams, const ww_search_source *source,
                                 uint64_t first, uint64_t count, ww_match *matches);

/// Joins the places of two parts: for each query the best of both, by distance, then stream, then place. A place that
/// is in both is taken once. No device takes part. \param similarity not 0: larger is better. \param matches queries x
/// places: a part's, then the result. \param other the other part's. \return WW_ERROR_INVALID_ARGUMENT,
/// WW_ERROR_OVERFLOW, WW_ERROR_OUT_OF_MEMORY; then nothing is changed. *Thread-safety*: any thread. *Blocking*: until
/// done.
WW_API_STATUS ww_matches_merge(size_t queries, size_t places, int similarity, ww_match *matches, const ww_match *other);

/// Chooses the matches as the search of the whole does: the best place, then the best of those not closer than the
/// exclusion, and so on. \param matches queries x places, the best first. \param exclusions points, one for each query
/// (0: places differ; half of a query of n points is (n + 1) / 2). \param similarity as above. \param chosen queries x
/// k. \param found how many there are for each query, or NULL. \return WW_ERROR_INVALID_ARGUMENT, also for fewer places
/// than ww_search_places(). *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_matches_choose(size_t queries, size_t places, const ww_match *matches, size_t k,
                                const size_t *exclusions, int similarity, ww_match *chosen, size_t *found);

/// What a search's last run did; also so far, from its progress function. An output: set struct_size first.
typedef struct ww_search_info {
    size_t struct_size; ///< sizeof(ww_search_info)
    /// Of all queries: windows that have no missing value (n - m + 1 of a stream of n points without one, for a query
    /// of m), or ends of open matches: as many as points that are not missing (of derivatives: that have one).
    uint64_t places;
    uint64_t excluded_kim;          ///< windows that the first and last points excluded
    uint64_t excluded_keogh;        ///< by the query's envelope
    uint64_t excluded_keogh_turned; ///< by the stream's envelope
    uint64_t abandoned;             ///< windows given up on the way
    uint64_t cells;                 ///< of all places' matrices, inside the band
    uint64_t cells_started;         ///< of the places that no bound excluded
    uint64_t launches;              ///< kernel launches
    double seconds_device;          ///< device time of the kernels; 0 when the device does not say
    double seconds_wall;            ///< wall time, transfers included
} ww_search_info;

#define WW_SEARCH_INFO_INIT                                                                                            \
    { sizeof(ww_search_info), 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0 }

/// What the last run did. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: the search's thread, also in its progress
/// function. *Blocking*: no.
WW_API_STATUS ww_search_get_info(const ww_search *search, ww_search_info *info);

/// Frees a search and stores NULL in *search. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API void ww_search_destroy(ww_search **search);

/// A search that receives its stream point by point, and reports each match within the threshold once.
/// *Thread-safety*: one thread at a time.
typedef struct ww_search_stream ww_search_stream;

/// Receives a match of query `query`; `match->stream` is 0 and places count from the first point pushed. Valid during
/// the call. Return 0 to go on, anything else to end with WW_ERROR_CANCELLED.
typedef int (*ww_match_fn)(void *user, size_t query, const ww_match *match);

/// Plans it. A place is reported when its distance is at most `threshold` and no place closer than `exclusion` has a
/// smaller one (of equal ones the first is reported; equal are distances of the same bits, see docs/search.md).
/// \param options as of ww_search_create(), with a threshold; k is not used. \return as ww_search_create();
/// WW_ERROR_INVALID_ARGUMENT without a threshold; WW_ERROR_UNSUPPORTED for WW_SEARCH_SUPER and for relax_end_x: a
/// pushed stream has no end yet (relax_begin_x is taken). *Ownership*: the caller's; keeps the context alive.
/// *Thread-safety*: any thread. *Blocking*: while the queries are uploaded.
WW_API_STATUS ww_search_stream_create(ww_context *context, const ww_measure *measure, const ww_series_view *queries,
                                      const ww_search_options *options, ww_search_stream **stream);

/// Adds points to the stream and reports the matches that are now certain. Any number of points at a time; many at a
/// time cost less each. \param values `count` x channels, point by point, of type `precision`. \param report may be
/// NULL: then matches are dropped. \return WW_ERROR_DEVICE_MEMORY, WW_ERROR_OUT_OF_MEMORY, WW_ERROR_OPENCL: the stream
/// goes on from the ww_search_stream_points() that it has taken; push the others again. WW_ERROR_CANCELLED by `report`:
/// all points were taken; the matches that it was not given are reported by the next call. (By the progress function of
/// the options: as the errors.) *Thread-safety*: one thread at a time; `report` is called by it. *Blocking*: until the
/// points are searched.
WW_API_STATUS ww_search_stream_push(ww_search_stream *stream, const void *values, ww_precision precision, size_t count,
                                    ww_match_fn report, void *user);

/// The points that it has taken: all that were pushed, unless a push failed. Points go in parts of up to 65536; those
/// of a part that failed are not taken, those before are. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API uint64_t ww_search_stream_points(const ww_search_stream *stream);

/// The stream has ended: reports what was not yet certain. Only ww_search_stream_destroy() may follow. \return as
/// ww_search_stream_push(). *Thread-safety*: one thread at a time. *Blocking*: until done.
WW_API_STATUS ww_search_stream_finish(ww_search_stream *stream, ww_match_fn report, void *user);

/// How many points after the last point of a match it is reported at the latest: its exclusion less 1. 0 when there is
/// no such query. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_search_stream_delay(const ww_search_stream *stream, size_t query);

/// Frees a monitor and stores NULL in *stream. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API void ww_search_stream_destroy(ww_search_stream **stream);

#ifdef __cplusplus
}
#endif
#endif
