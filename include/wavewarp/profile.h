// SPDX-License-Identifier: Apache-2.0
/// \file
/// The matrix profile: the nearest neighbours of all windows of a series under z-normalised Euclidean distance, or as
/// they are under a p-norm, and motifs and discords from it.
#ifndef WAVEWARP_PROFILE_H
#define WAVEWARP_PROFILE_H

#include <wavewarp/context.h>
#include <wavewarp/dataset.h>
#include <wavewarp/run.h>
#include <wavewarp/series.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Limits of a profile: the shortest window, and the largest k.
#define WW_PROFILE_LEAST_WINDOW 3
#define WW_PROFILE_MOST 64
/// An exclusion that the library chooses: a quarter of the window, rounded up.
#define WW_PROFILE_EXCLUSION_AUTO SIZE_MAX

typedef struct ww_profile_options {
    size_t struct_size; ///< sizeof(ww_profile_options)
    size_t k;           ///< neighbours of each window, 1 to WW_PROFILE_MOST
    /// Windows of one series that begin this far apart or nearer are not neighbours. Not used for two series.
    size_t exclusion;
    int left_right; ///< 1: also the nearest among earlier and among later windows (one series)
    /// Of the search. float: a distance is right to 1e-5, relative to sqrt(window * channels); double: to 1e-10. The
    /// distances of the neighbours found are computed in double in both.
    ww_precision precision;
    const ww_run_options *run; ///< NULL: all defaults. Progress is in pairs of windows
    /// 0: all channels count. Else only so many do, for each pair of windows those in which it is nearest: of up to 32
    /// channels.
    size_t best_channels;
    /// 0: z-normalised windows. 1 or more, INFINITY too: windows as they are, and the p-norm of their difference.
    double p;
    /// Windows that count as constant besides those that are: whose deviation in a channel is below this; 0: none. And
    /// those with a value that is not 0, of each series: windows of channel 0, then of channel 1, and so on; NULL:
    /// none. Not with p. Read when the profile is created.
    double flat_below;
    const unsigned char *flat, *other_flat;
    /// Of best_channels these count in each pair of windows, and the nearest of the others: bit c is channel c.
    uint32_t forced_channels;
    /// Above 0 and below 1: about this share of the diagonals, spread evenly over all lags, in whole tiles of the
    /// device (64 to 1024 lags); the nearest lags are among them. Distances are then those of the nearest windows that
    /// were met: the profile's or larger. The diagonals of a share are among those of a larger one. 0, or 1: all. Which
    /// they are depends on the device.
    double share;
} ww_profile_options;

#define WW_PROFILE_OPTIONS_INIT                                                                                        \
    { sizeof(ww_profile_options), 1, WW_PROFILE_EXCLUSION_AUTO, 0, WW_FLOAT, NULL, 0, 0.0, 0.0, NULL, NULL, 0, 0.0 }

/// A prepared profile of one series with itself or with another one. *Thread-safety*: one thread at a time; different
/// profiles in any number of threads.
typedef struct ww_profile ww_profile;

/// Where results go: arrays of the caller's, windows x k values each, or NULL for what is not wanted. Nearest first; of
/// equal distances the lower index comes first. Where there are fewer than k: index -1, distance +infinity.
typedef struct ww_profile_output {
    size_t struct_size; ///< sizeof(ww_profile_output)
    double *distances;
    int64_t *indices;        ///< first points of the neighbours, from 0, in the other series where there is one
    double *left_distances;  ///< among earlier windows; needs options.left_right, as the next three
    int64_t *left_indices;   ///< likewise
    double *right_distances; ///< among later windows
    int64_t *right_indices;  ///< likewise
} ww_profile_output;

#define WW_PROFILE_OUTPUT_INIT                                                                                         \
    { sizeof(ww_profile_output), NULL, NULL, NULL, NULL, NULL, NULL }

/// What the last run did. An output: set struct_size first.
typedef struct ww_profile_info {
    size_t struct_size;    ///< sizeof(ww_profile_info)
    const char *form;      ///< the kernel: "items", "vector", "pairs" without double; "raw" of options.p
    size_t windows;        ///< of the series: its points - window + 1
    size_t other_windows;  ///< of the other series; of one series the same
    size_t exclusion;      ///< that was used; 0 for two series
    uint64_t pairs;        ///< pairs of windows to compare, each counted once
    uint64_t candidates;   ///< pairs that were near the best and were looked at again
    uint64_t slices;       ///< parts of a series on the device at a time: 1 where it fits as a whole
    uint64_t launches;     ///< kernel launches of the last run
    double seconds_device; ///< device time of the last run's kernels; 0 when the device does not say
    double seconds_wall;   ///< wall time of the last run, transfers included
} ww_profile_info;

#define WW_PROFILE_INFO_INIT                                                                                           \
    { sizeof(ww_profile_info), "", 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0 }

/// Plans the profile of a series: for each window of `window` points its k nearest windows, in the series itself but
/// for the exclusion, or in another series. The distance of windows x and y is
///
///     d = sqrt(sum over channels, t of (x'_t - y'_t)^2),    x'_t = (x_t - mean) / deviation    (population)
///
/// so that all channels count alike (with best_channels the sum has the least of the channels' parts alone). A channel
/// that is constant in a window (its range is at most 8 * 2^-52 of its largest absolute value) adds 0 with another
/// constant one and `window` with any other. With options.p windows are not normalised:
///
///     d = (sum over channels, t of |x_t - y_t|^p)^(1/p),    for p infinite the largest |x_t - y_t|
///
/// to a rounding of each difference in both precisions, so that equal windows have distance 0; differences below 1e-150
/// of the largest value count as 0. A window with NaN or infinity is nobody's neighbour and has none. \param
/// series, other views of one or more series each; copied. \param index, other_index which series of the view. \param
/// other NULL: the series itself. It has as many channels. \param window WW_PROFILE_LEAST_WINDOW to the length of each
/// series. \param options read during the call only; NULL: all defaults. \return WW_ERROR_INVALID_ARGUMENT (the window;
/// k; best_channels; forced_channels; p; flat_below; share; an exclusion that leaves no pair), WW_ERROR_EMPTY,
/// WW_ERROR_CHANNELS, WW_ERROR_UNSUPPORTED (precision double on a device without it; left_right of two series;
/// best_channels of more than 32; a window that is not constant, but whose range is below 1e-140 of its channel's
/// largest absolute value: the record names the window; with options.p windows of more than 2^20 points, or distances
/// that double does not hold), WW_ERROR_OVERFLOW, WW_ERROR_DEVICE_MEMORY. *Ownership*: the caller's. *Thread-safety*:
/// any thread. *Blocking*: while the tables of the windows are made and kernels are compiled. *Source*: C.-C. M. Yeh et
/// al., Matrix Profile I, ICDM 2016; Y. Zhu et al., Matrix Profile XI, ICDM 2018, whose SCRIMP++ is what `share` does.
WW_API_STATUS ww_profile_create(ww_context *context, const ww_series_view *series, size_t index,
                                const ww_series_view *other, size_t other_index, size_t window,
                                const ww_profile_options *options, ww_profile **profile);

/// The same of series of datasets, which may be gone afterwards. What a profile has on the device are tables of
/// windows, which are made on the host, in double: from the values of the set that a dataset was made from, else from
/// its values read back, once. The profile is that of a view of these values. \param options their precision is that of
/// the datasets. \return as ww_profile_create(); WW_ERROR_INVALID_ARGUMENT (datasets of different contexts, another
/// precision). *Ownership*: the caller's. *Thread-safety*: any thread. *Blocking*: as ww_profile_create().
WW_API_STATUS ww_profile_create_from_datasets(ww_dataset *series, size_t index, ww_dataset *other, size_t other_index,
                                              size_t window, const ww_profile_options *options, ww_profile **profile);

/// Computes it; any number of times, also without another upload where all windows fit the device at once. The results
/// go to host memory: indices have 64 bits, and without double on the device the host computes
/// the distances of the candidates again. On any error the arrays' content is unspecified. Results do not depend on the
/// device. \return WW_ERROR_INVALID_ARGUMENT (left or right without options.left_right), WW_ERROR_CANCELLED,
/// WW_ERROR_DEVICE_MEMORY, WW_ERROR_OPENCL. *Thread-safety*: one thread at a time. *Blocking*: until done.
WW_API_STATUS ww_profile_run(ww_profile *profile, ww_profile_output *output);

/// A part of the work, for several devices or machines: compares windows [row, row + rows) with windows [column, column
/// + columns) of the other series. Of one series such a pair makes each window a neighbour of the other, so that the
/// rectangles on and above the diagonal are the whole. See docs/scale.md.
/// \param output arrays for all windows, as of ww_profile_run(); windows without a neighbour in the rectangle have -1
/// and infinity. Distances are squares: ww_neighbours_merge() (wavewarp/topk.h, WW_DOUBLE) joins such parts, lists of
/// left and right neighbours apart, in the order of the whole, and the roots of what is joined are the whole's
/// distances, bit for bit. \return as ww_profile_run(); WW_ERROR_INVALID_ARGUMENT (a rectangle that is not inside);
/// WW_ERROR_UNSUPPORTED (options.p of values beyond 1e75 or all below 1e-75, whose squares double does not hold).
/// *Thread-safety*: one thread at a time. *Blocking*: until done.
WW_API_STATUS ww_profile_run_rectangle(ww_profile *profile, size_t row, size_t rows, size_t column, size_t columns,
                                       ww_profile_output *output);

/// The same, but the lists have all that the plan's earlier rectangles found, too, which leave out what can't be
/// nearer: many rectangles of one plan take less time so. Those since ww_profile_run() or ww_profile_run_rectangle(),
/// and what that found. No two may have a pair in common. \return as ww_profile_run_rectangle(). *Thread-safety*: one
/// thread at a time. *Blocking*: until done.
WW_API_STATUS ww_profile_add_rectangle(ww_profile *profile, size_t row, size_t rows, size_t column, size_t columns,
                                       ww_profile_output *output);

/// What the plan is and what the last run did. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a
/// time. *Blocking*: no.
WW_API_STATUS ww_profile_get_info(const ww_profile *profile, ww_profile_info *info);

/// The distances of one window to all windows of the other series (or of its own, those within the exclusion, and
/// windows with NaN, at +infinity). Computed by the host, in double.
/// \param distances as many values as the other series has windows.
/// \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_profile_get_distances(const ww_profile *profile, size_t window_index, double *distances);

/// The distances of two windows in each channel by itself, of which best_channels are the least. Computed by the host,
/// in double.
/// \param distances as many values as there are channels; infinity where a channel has NaN or infinity.
/// \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_profile_get_channels(const ww_profile *profile, size_t window_index, size_t other_index,
                                      double *distances);

/// Frees a profile and stores NULL in *profile. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API void ww_profile_destroy(ww_profile **profile);

/// Plans, computes and frees in one call: distances and indices as windows x k arrays. Parameters and statuses as
/// above. \return as ww_profile_create() and ww_profile_run(). *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_profile_find(ww_context *context, const ww_series_view *series, const ww_series_view *other,
                              size_t window, const ww_profile_options *options, double *distances, int64_t *indices);

// ---- streams

/// The profile of one series that grows. *Thread-safety*: one thread at a time.
typedef struct ww_profile_stream ww_profile_stream;

/// Begins an empty one. \param keep 0: all points stay. Else the last so many do, and older ones are forgotten one by
/// one: a window meets those that begin at most `keep - window` points before it, and its neighbours stay when they are
/// forgotten. At least window + exclusion + 1. \param options as of ww_profile_create(). \return as
/// ww_profile_create(). *Ownership*: the caller's; keeps the context alive. *Thread-safety*: any thread. *Blocking*:
/// while kernels are compiled. *Source*: C.-C. M. Yeh et al., Matrix Profile I, ICDM 2016 (STAMPI).
WW_API_STATUS ww_profile_stream_create(ww_context *context, size_t channels, size_t window, size_t keep,
                                       const ww_profile_options *options, ww_profile_stream **stream);

/// Adds points: new windows meet all others, and these meet them. Any number of points at a time, in time that is in
/// proportion to the points kept and those pushed; many at a time cost less each, and give the same. Where nothing is
/// forgotten the lists are those of ww_profile_run() on all points, bit for bit. \param values `count` x channels,
/// point by point; NaN and infinity are taken. \return as ww_profile_create() and ww_profile_run(); the stream then
/// goes on from the ww_profile_stream_points() that it has taken. *Thread-safety*: one thread at a time. *Blocking*:
/// until done.
WW_API_STATUS ww_profile_stream_push(ww_profile_stream *stream, const double *values, size_t count);

/// Points that it has taken; of them forgotten, which is also the index of the first window; windows that it has. 0 of
/// NULL. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API uint64_t ww_profile_stream_points(const ww_profile_stream *stream);
/// See ww_profile_stream_points(). *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API uint64_t ww_profile_stream_first(const ww_profile_stream *stream);
/// See ww_profile_stream_points(). *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API size_t ww_profile_stream_windows(const ww_profile_stream *stream);

/// The profile so far. \param output arrays of ww_profile_stream_windows() x k: the windows from
/// ww_profile_stream_first() on. Indices count from the stream's first point. \return WW_ERROR_INVALID_ARGUMENT (left
/// or right without options.left_right). *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_profile_stream_get(const ww_profile_stream *stream, ww_profile_output *output);

/// Frees a stream and stores NULL in *stream. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API void ww_profile_stream_destroy(ww_profile_stream **stream);

// ---- consensus

/// The consensus motif of 2 series or more: of all windows the one whose farthest nearest window in the other series is
/// the nearest, by the distance that ww_profile_create() says; that distance is its radius. Of equal radii the least
/// sum of distances, then the first. \param options NULL: all defaults. Without k, left_right, share and flat windows;
/// exclusion is not used; progress is of each two series in turn. \param of series of the consensus window. \param
/// windows where it is, and where its nearest are, a window for each series; NULL: not wanted. \param distances theirs;
/// 0 of its own; NULL: not wanted. \return what ww_profile_create() and ww_profile_run() return;
/// WW_ERROR_INVALID_ARGUMENT (fewer than 2 series, one that is shorter than the window, options as said, no window that
/// has neighbours in all). *Thread-safety*: any thread. *Blocking*: until done. *Source*: K. Kamgar et al., Matrix
/// Profile XV, ICDM 2019.
WW_API_STATUS ww_profile_find_consensus(ww_context *context, const ww_series_view *series, size_t window,
                                        const ww_profile_options *options, size_t *of, double *radius, int64_t *windows,
                                        double *distances);

// ---- regimes

/// The corrected arc curve: how many arcs, from each window to its nearest, pass over each window, by the number that
/// there would be of neighbours anywhere; 1 at most, and within 5 windows' points of both ends 1. It is low where a
/// series changes its regime, since arcs stay within one. \param indices windows x k, of which the first is taken; less
/// `first`, the index of the first window, they are places; others, and -1, are no arcs. \param later 1: they are right
/// neighbours, all behind their windows, as of a stream (FLOSS): expected are (n - 1 - t) sum over i <= t of
/// 1 / (n - 1 - i); 0: any (FLUSS): 2 t (n - t) / n. \param curve windows values. \return
/// WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OUT_OF_MEMORY. *Thread-safety*: any thread. *Blocking*: no. *Source*: S.
/// Gharghabi et al., Domain agnostic online semantic segmentation for multi-dimensional time series, DMKD 2018.
WW_API_STATUS ww_profile_get_arcs(size_t windows, size_t k, const int64_t *indices, uint64_t first, size_t window,
                                  int later, double *curve);

/// Where regimes change: the lowest places of an arc curve below 1, the lowest first; no two within `separation`.
/// \param separation points; usually 5 windows. \param places `count` places in the curve, filled up to *found. \return
/// WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OUT_OF_MEMORY. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_profile_find_regimes(size_t windows, const double *curve, size_t separation, size_t count,
                                      int64_t *places, size_t *found);

// ---- motifs and discords

/// A motif: two windows, and all others that are near one of them.
typedef struct ww_profile_motif {
    int64_t first, second; ///< the pair, first < second within one series
    double distance;       ///< between them
    size_t count;          ///< neighbours
    int64_t *neighbours;   ///< windows of the series, nearest first, without the pair
} ww_profile_motif;

/// A radius that the library chooses for near neighbours of a motif: the distance of windows of correlation 0.999,
/// sqrt(0.002 window channels), where only the best channels count: these. Of windows that are not normalised 0.
#define WW_PROFILE_WITHIN_AUTO (-1.0)

/// ww_profile_find_motifs_within() with WW_PROFILE_WITHIN_AUTO.
/// \param motifs `count` structs, filled up to *found. \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_UNSUPPORTED (two
/// series), WW_ERROR_OUT_OF_MEMORY. *Ownership*: the caller's; ww_profile_motifs_free() frees the neighbours.
/// *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_profile_find_motifs(const ww_profile *profile, const double *distances, const int64_t *indices,
                                     size_t separation, double radius, size_t count, ww_profile_motif *motifs,
                                     size_t *found);

/// The motifs of one series: the nearest pair, then the nearest of what is left, and so on. Neighbours of a motif are
/// the windows no farther from one of the two than `radius` times the pair's distance, or than `within`, whichever is
/// larger: a pair of equal windows has the distance 0. No two members begin within `separation` of each other. Windows
/// within `separation` of a motif's members are in no later motif.
/// \param distances, indices the profile that ww_profile_run() gave, windows x k. \param separation points;
/// WW_PROFILE_EXCLUSION_AUTO: the plan's exclusion. \param radius >= 0, usually 3; infinity: all windows; 0: `within`
/// alone, and where that is WW_PROFILE_WITHIN_AUTO or 0: pairs alone. \param within a distance >= 0, or
/// WW_PROFILE_WITHIN_AUTO.
/// \param motifs `count` structs, filled up to *found. \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_UNSUPPORTED (two
/// series), WW_ERROR_OUT_OF_MEMORY. *Ownership*: the caller's; ww_profile_motifs_free() frees the neighbours.
/// *Thread-safety*: any thread. *Blocking*: until done.
WW_API_STATUS ww_profile_find_motifs_within(const ww_profile *profile, const double *distances, const int64_t *indices,
                                            size_t separation, double radius, double within, size_t count,
                                            ww_profile_motif *motifs, size_t *found);

/// Frees what `count` motifs hold. *Thread-safety*: any thread. *Blocking*: no.
WW_API void ww_profile_motifs_free(ww_profile_motif *motifs, size_t count);

/// The discords: windows whose nearest neighbour is the farthest, the farthest first; of equal ones the lower index.
/// No two begin within `separation` of each other. Windows without a neighbour are left out.
/// \param distances the profile, windows x k. \param windows `count` indices, filled up to *found.
/// \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OUT_OF_MEMORY. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_profile_find_discords(const ww_profile *profile, const double *distances, size_t separation,
                                       size_t count, int64_t *windows, size_t *found);

#ifdef __cplusplus
}
#endif
#endif
