// SPDX-License-Identifier: Apache-2.0
/// \file
/// Points: vectors of numbers, strings of bits, and sets of integers; in host memory and on the device.
#ifndef WAVEWARP_POINTS_H
#define WAVEWARP_POINTS_H

#include <wavewarp/context.h>
#include <wavewarp/series.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of data of a point.
typedef enum ww_point_kind {
    WW_POINTS_NUMBERS = 0, ///< `dimension` floats or doubles
    WW_POINTS_BITS = 1,    ///< `dimension` bits, eight in a byte, the first in the lowest bit
    WW_POINTS_SETS = 2     ///< any number of different 32-bit integers, ascending
} ww_point_kind;

/// What the coordinates of numbers are stored in, in the caller's memory and on the device.
typedef enum ww_element {
    WW_ELEMENT_PRECISION = 0, ///< float or double, as the precision says
    WW_ELEMENT_UINT8 = 1,     ///< bytes from 0 to 255
    WW_ELEMENT_INT8 = 2,      ///< bytes from -128 to 127
    WW_ELEMENT_FLOAT16 = 3    ///< IEEE 754 binary16, 2 bytes
} ww_element;

/// Describes points in the caller's memory without copying them.
typedef struct ww_point_view {
    size_t struct_size; ///< sizeof(ww_point_view)
    ww_point_kind kind;
    const void *values;      ///< numbers: float or double; bits: bytes; sets: uint32_t
    ww_precision precision;  ///< numbers: type of values
    size_t count;            ///< number of points, >= 1
    size_t dimension;        ///< numbers and bits: >= 1; sets: not used
    int column_order;        ///< numbers: 0 point after point; 1 coordinate after coordinate, `count` values each
    const uint64_t *offsets; ///< sets: count + 1; set i is values[offsets[i]] to values[offsets[i + 1] - 1]
    /// Numbers: other than WW_ELEMENT_PRECISION, the values have this type, `precision` is not used, and points made of
    /// the view stay so on the device. Distances are, bit for bit, those of the same numbers given as float or double.
    ww_element element;
} ww_point_view;

#define WW_POINT_VIEW_INIT                                                                                             \
    { sizeof(ww_point_view), WW_POINTS_NUMBERS, NULL, WW_FLOAT, 0, 0, 0, NULL, WW_ELEMENT_PRECISION }

/// Whether float holds what points differ by: as ww_series_view_float_fit(), of all coordinates together. Of more than
/// 2^16 points some are looked at. *Thread-safety*: any thread. *Blocking*: while it reads.
WW_API ww_float_fit ww_point_view_float_fit(const ww_point_view *view);

/// Points in host memory, read from a file or the device. *Thread-safety*: it does not change; any number of threads.
typedef struct ww_point_set ww_point_set;

/// Reads points. By the name's ending: `.fvecs` (floats), `.bvecs` (bytes: numbers 0 to 255, or packed bits), `.ivecs`
/// (integers: numbers, or the members of sets), `.npy` (2-D; for bits: bytes), anything else text, one point a line
/// (numbers as in .csv, without labels; bits: words of 0 and 1; sets: integers).
/// \param kind how to interpret the file. Members of a set are sorted, and duplicates are removed.
/// \return WW_ERROR_IO, WW_ERROR_FORMAT (damaged, or points of unequal dimension), WW_ERROR_EMPTY,
/// WW_ERROR_UNSUPPORTED (a kind that the format does not hold). Floats stay floats; everything else becomes double,
/// except in `.bvecs`, whose numbers become floats.
/// *Ownership*: the caller's; free with ww_point_set_destroy(). *Thread-safety*: any thread. *Blocking*: while it
/// reads.
WW_API_STATUS ww_point_set_read(const char *path, ww_point_kind kind, ww_point_set **set);

/// The same, but numbers stay as the file has them: those of `.bvecs`, and of a `.npy` of uint8, int8 or float16, whose
/// view then has that element. \return as ww_point_set_read(). *Ownership*: the caller's. *Thread-safety*: any thread.
/// *Blocking*: while it reads.
WW_API_STATUS ww_point_set_read_narrow(const char *path, ww_point_kind kind, ww_point_set **set);

/// Describes the set's memory by a view (set its struct_size first), which is valid until the set is destroyed.
/// \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_point_set_view(const ww_point_set *set, ww_point_view *view);

/// Frees a set and stores NULL in *set. *Thread-safety*: when nobody uses it. *Blocking*: no.
WW_API void ww_point_set_destroy(ww_point_set **set);

/// The same sets as lists: for each point of bits the positions of its ones, counted from 0, ascending. `jaccard` on
/// them gives the same distances as `jaccard-bits` on the bits, and has a hash family.
/// \param bits read during the call only; bits after a point's last are ignored.
/// \return WW_ERROR_INVALID_ARGUMENT (not bits, or empty), WW_ERROR_OUT_OF_MEMORY. *Ownership*: the caller's; free with
/// ww_point_set_destroy(). *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_point_set_of_bits(const ww_point_view *bits, ww_point_set **set);

/// Writes points; the name's ending decides the format, as in reading. `.bvecs` and `.ivecs` take whole numbers in
/// their range only (else WW_ERROR_INVALID_ARGUMENT). A file appears under its name only when complete.
/// \return that, WW_ERROR_IO, WW_ERROR_UNSUPPORTED. *Thread-safety*: any thread. *Blocking*: while it writes.
WW_API_STATUS ww_point_view_write(const char *path, const ww_point_view *view);

/// Points on the device: uploaded once, used by many searches. They change by ww_points_add() and ww_points_remove()
/// alone, which no search of them may be alive for.
/// *Thread-safety*: any number of searches and threads may use them at once.
typedef struct ww_points ww_points;

typedef struct ww_points_options {
    size_t struct_size; ///< sizeof(ww_points_options)
    /// Of the values on the device, and of every distance computed from them. Those of bits and sets are float. Float
    /// rounds what is given in double: ww_point_view_float_fit() tells where that shows, and the context's log function
    /// hears of it.
    ww_precision precision;
    /// Most device bytes that the points may use; 0: as many as fit. When they need more, they stay in host memory and
    /// are uploaded block by block while a search runs.
    uint64_t max_bytes;
    int missing; ///< 1: NaN is a missing coordinate (numbers), for WW_METRIC_NAN_L2 alone; infinity is refused as ever
    /// The points' own ids, `count` of them, each 0 or more, read during the call only; NULL: they count from 0. A
    /// search of the points as a base (ww_knn) gives these ids. Several points may have the same one.
    const int64_t *ids;
} ww_points_options;

#define WW_POINTS_OPTIONS_INIT                                                                                         \
    { sizeof(ww_points_options), WW_FLOAT, 0, 0, NULL }

/// Copies points to the device.
/// \param view, options read during the call only. options NULL: all defaults.
/// \return WW_ERROR_EMPTY, WW_ERROR_NOT_FINITE (point and coordinate in the record), WW_ERROR_INVALID_ARGUMENT (a set
/// that does not ascend), WW_ERROR_OVERFLOW, WW_ERROR_UNSUPPORTED (double on a device without it),
/// WW_ERROR_DEVICE_MEMORY. *Ownership*: the caller's; searches keep it alive. *Thread-safety*: any thread.
/// *Blocking*: until they are uploaded.
WW_API_STATUS ww_points_create(ww_context *context, const ww_point_view *view, const ww_points_options *options,
                               ww_points **points);

/// Adds points behind the last: later searches find what they would find in points made of all from the start. Room
/// grows by half, so that many small additions move each point a few times in all.
/// \param more of the same context, kind, precision, element, dimension and kind of missing values; it stays as it is.
/// With own ids its points keep them; else theirs continue after the largest that there ever was. \return
/// WW_ERROR_INVALID_ARGUMENT (that; searches or tables that hold `points`: destroy them first), WW_ERROR_OVERFLOW,
/// WW_ERROR_DEVICE_MEMORY, WW_ERROR_OUT_OF_MEMORY, WW_ERROR_OPENCL. On an error nothing is changed. *Thread-safety*:
/// when nobody else uses `points`. *Blocking*: until done.
WW_API_STATUS ww_points_add(ww_points *points, ww_points *more);

/// Removes points; the others keep their ids and their order. Removing a point twice is no error.
/// \param ids `count` ids, 0 to the largest that there ever was (else WW_ERROR_INVALID_ARGUMENT). All points of an id
/// are removed. \return that, WW_ERROR_EMPTY (no point would be left), and as ww_points_add(). On an error nothing is
/// changed. *Thread-safety*: when nobody else uses `points`. *Blocking*: until done: the points that stay are copied.
WW_API_STATUS ww_points_remove(ww_points *points, const int64_t *ids, size_t count);

/// The points' ids, as many as ww_points_count() says. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any thread.
/// *Blocking*: no.
WW_API_STATUS ww_points_get_ids(const ww_points *points, int64_t *ids);

/// The same points in host memory, in the points' precision or element, in row order. \return
/// WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OUT_OF_MEMORY, WW_ERROR_OPENCL. *Ownership*: the caller's. *Thread-safety*: any
/// thread. *Blocking*: until they are read.
WW_API_STATUS ww_point_set_of_points(const ww_points *points, ww_point_set **set);

/// Releases the caller's reference and stores NULL in *points. *Thread-safety*: any thread; other holders go on.
/// *Blocking*: no.
WW_API void ww_points_destroy(ww_points **points);

/// Number of points; their dimension; their kind; precision of their distances; what stores their coordinates. 0 for
/// NULL. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_points_count(const ww_points *points);
WW_API size_t ww_points_dimension(const ww_points *points);
WW_API ww_point_kind ww_points_kind(const ww_points *points);
WW_API ww_precision ww_points_precision(const ww_points *points);
WW_API ww_element ww_points_element(const ww_points *points);

#ifdef __cplusplus
}
#endif
#endif
