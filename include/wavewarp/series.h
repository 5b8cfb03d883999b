// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sets of time series in host memory: made by hand, read from files, or generated.
///
/// A set holds any number of series. All have the same number of channels; lengths may differ. A series is stored
/// channel by channel: value of channel c at time t is `values[c * length + t]`. Each series may have a class label
/// and, for the measures that use them (TWED), time stamps: one for each point, common to its channels, never
/// decreasing.
#ifndef WAVEWARP_SERIES_H
#define WAVEWARP_SERIES_H

#include <wavewarp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// *Thread-safety*: one thread at a time while it changes; any number while it does not.
typedef struct ww_series_set ww_series_set;

/// float: 4-byte values; double: 8-byte values.
typedef enum ww_precision { WW_FLOAT = 0, WW_DOUBLE = 1 } ww_precision;

/// Describes series in the caller's memory without copying them.
///
/// Series i has `lengths ? lengths[i] : length` points. Its first value is at element `offsets ? offsets[i]` or, when
/// `offsets` is NULL, right after series i-1. Within a series the value of channel c at time t is at
/// `c * length_i + t`, or `t * channels + c` when `time_major` is not 0.
typedef struct ww_series_view {
    size_t struct_size;     ///< sizeof(ww_series_view)
    const void *values;     ///< float or double, see precision
    ww_precision precision; ///< type of values
    size_t count;           ///< number of series, >= 1
    size_t channels;        ///< >= 1
    size_t length;          ///< length of every series when lengths is NULL
    const size_t *lengths;  ///< count lengths, each >= 1, or NULL
    const size_t *offsets;  ///< count offsets in elements, or NULL
    int time_major;         ///< 0: channel by channel; 1: point by point
    /// One pointer for each series, to its first value, instead of `values`, which is NULL then, as is `offsets`:
    /// series that are in arrays of their own.
    const void *const *series;
    /// 1: the three strides below say where values are, and time_major is 0: value (i, c, t) is at element
    /// `offsets[i]`, or i * series_stride without offsets, + c * channel_stride + t * time_stride of `values`; with
    /// pointers at element c * channel_stride + t * time_stride of series[i]. With pointers or offsets series_stride is
    /// 0.
    int strided;
    /// In elements. May be negative (an axis backwards: `values` points to the value with all indices 0) and 0 (an axis
    /// whose values are all the same ones).
    int64_t series_stride, channel_stride, time_stride;
} ww_series_view;

#define WW_SERIES_VIEW_INIT                                                                                            \
    { sizeof(ww_series_view), NULL, WW_FLOAT, 0, 1, 0, NULL, NULL, 0, NULL, 0, 0, 0, 0 }

/// Whether float holds what values in double differ by.
typedef enum ww_float_fit {
    WW_FLOAT_FITS = 0,
    WW_FLOAT_LOSES =
        1, ///< its rounding changes differences by more than 1e-4 of them: as of coordinates in metres, dates
    WW_FLOAT_SCALE = 2 ///< the largest value is above 1e17 or below 1e-15: float hardly holds squares of them
} ww_float_fit;

/// Says so of series, before a job takes them in float: what is computed in float does not tell. Where it is not
/// WW_FLOAT_FITS, double is right, as is a constant taken off each channel where the measure does not see it. Of more
/// than 2^22 values some series are looked at. Of a view that is not valid, or in float: WW_FLOAT_FITS.
/// *Thread-safety*: any thread. *Blocking*: while it reads.
WW_API ww_float_fit ww_series_view_float_fit(const ww_series_view *view);

/// What it says, in words, such as "float loses digits by which the values differ": the message that a context's log
/// function gets where a job takes such values in float begins with them. WW_FLOAT_FITS, or no value of it: "".
/// *Ownership*: static. *Thread-safety*: any thread. *Blocking*: no.
WW_API const char *ww_float_fit_text(ww_float_fit fit);

/// Makes an empty set whose series have `channels` channels (>= 1).
/// \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OUT_OF_MEMORY. *Ownership*: the caller's; ww_series_set_destroy().
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_series_set_create(size_t channels, ww_series_set **set);

/// Frees a set and stores NULL in *set. NULL and a pointer to NULL are allowed. *Thread-safety*: one thread at a time.
/// *Blocking*: no.
WW_API void ww_series_set_destroy(ww_series_set **set);

/// Appends a copy of a series: `channels x length` values, channel by channel.
/// \param length >= 1 (else WW_ERROR_EMPTY).
/// \param label its class, or NULL for none. Both are copied.
/// \return WW_ERROR_EMPTY, WW_ERROR_OVERFLOW, WW_ERROR_OUT_OF_MEMORY. *Thread-safety*: one thread at a time.
/// *Blocking*: no.
WW_API_STATUS ww_series_set_add(ww_series_set *set, size_t length, const double *values, const char *label);

/// Number of series; number of channels of each; 0 for NULL. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_series_set_count(const ww_series_set *set);
WW_API size_t ww_series_set_channels(const ww_series_set *set);

/// Appends a sequence of symbols: each Unicode code point of a text in UTF-8 is a point of one channel, whose value is
/// the code point's number. For WW_LEVENSHTEIN and WW_LCS; code points are exact in float.
/// \param text `bytes` bytes without a terminator; a zero byte is allowed. At least one (else WW_ERROR_EMPTY).
/// \return WW_ERROR_CHANNELS when the set's series have more than one channel; WW_ERROR_FORMAT when the text is not
/// UTF-8 (the record's position is the byte). *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_series_set_add_text(ww_series_set *set, const char *text, size_t bytes, const char *label);

/// Gives series i time stamps, which are copied: one for each of its points, finite, none less than the one before
/// (else WW_ERROR_NOT_FINITE or WW_ERROR_INVALID_ARGUMENT, with the position in the record). After the first call all
/// series of the set have time stamps: where none were given, also for series added later, they are 1, 2, 3, ...
/// \return those, WW_ERROR_OUT_OF_MEMORY. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_series_set_set_times(ww_series_set *set, size_t i, const double *times);

/// Time stamps of series i; NULL when the set has none or i is out of range. *Ownership*: the set's, until it is
/// changed or destroyed. *Thread-safety*: any thread, while nobody changes the set. *Blocking*: no.
WW_API const double *ww_series_set_times(const ww_series_set *set, size_t i);

/// Adds `shift` to every time stamp. TWED uses only differences of time: small numbers, such as seconds
/// since the earliest stamp of both sets, are exact in float where seconds since 1970 are not.
/// \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_NOT_FINITE. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_series_set_shift_times(ww_series_set *set, double shift);

/// Length of series i, 0 when i is out of range; the least and the greatest length. *Thread-safety*: any thread, while
/// nobody changes the set. *Blocking*: no.
WW_API size_t ww_series_set_length(const ww_series_set *set, size_t i);
WW_API size_t ww_series_set_min_length(const ww_series_set *set);
WW_API size_t ww_series_set_max_length(const ww_series_set *set);

/// Values of series i, channel by channel, NULL when i is out of range; its label, NULL when it has none. *Ownership*:
/// the set's, until it is changed or destroyed. *Thread-safety*: any thread, while nobody changes the set. *Blocking*:
/// no.
WW_API const double *ww_series_set_values(const ww_series_set *set, size_t i);
WW_API const char *ww_series_set_label(const ww_series_set *set, size_t i);

/// Number of different labels; class numbers count them in order of first appearance. *Thread-safety*: any thread,
/// while nobody changes the set. *Blocking*: no.
WW_API size_t ww_series_set_class_count(const ww_series_set *set);

/// Name of class k (0 <= k < class count), NULL when out of range. *Ownership*: the set's, until it is changed or
/// destroyed. *Thread-safety*: any thread, while nobody changes the set. *Blocking*: no.
WW_API const char *ww_series_set_class_name(const ww_series_set *set, size_t k);

/// Class number of series i, -1 when it has no label. *Thread-safety*: any thread, while nobody changes the set.
/// *Blocking*: no.
WW_API int64_t ww_series_set_class(const ww_series_set *set, size_t i);

/// Number of missing values (NaN) in the whole set. *Thread-safety*: any thread, while nobody changes the set.
/// *Blocking*: no.
WW_API size_t ww_series_set_missing(const ww_series_set *set);

/// Makes every channel of every series mean 0 and population standard deviation 1, in place, whatever its scale. A
/// constant channel (its range is at most 8 * 2^-52 of its largest absolute value, which rounding alone can make)
/// becomes all zero. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a
/// time. *Blocking*: no.
WW_API_STATUS ww_series_set_znormalise(ww_series_set *set);

/// Gives each point its neighbours as channels, in place: channel c becomes channels c (2 reach + 1) + k, k from 0 to
/// 2 reach, whose point t is point t + k - reach of before; before the first and behind the last point these repeat.
/// DTW of such series is shape DTW with the raw descriptor (J. Zhao, L. Itti, "shapeDTW: shape Dynamic Time Warping",
/// Pattern Recognition 74, 2018). Time and memory: 2 reach + 1 times the set's values. Reach 0 changes nothing. \return
/// WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OVERFLOW, WW_ERROR_OUT_OF_MEMORY; the set is then as it was. *Thread-safety*:
/// one thread at a time. *Blocking*: no.
WW_API_STATUS ww_series_set_embed(ww_series_set *set, size_t reach);

/// Describes the set's memory by a view (set its struct_size first), which is valid until the set is changed or
/// destroyed. \return WW_ERROR_EMPTY, WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any thread, while nobody changes the
/// set. *Blocking*: no.
WW_API_STATUS ww_series_set_view(const ww_series_set *set, ww_series_view *view);

/// File formats. WW_FORMAT_AUTO decides by the content (reading) or the name's ending (writing).
typedef enum ww_format {
    WW_FORMAT_AUTO = 0,
    WW_FORMAT_TSV = 1, ///< UCR archive: label, then values; tabs, blanks or commas; NaN at the end pads shorter series
    WW_FORMAT_TS = 2,  ///< sktime/aeon `.ts`: header, channels separated by ':', label last
    WW_FORMAT_CSV = 3, ///< one series a line, no label unless asked for
    /// NumPy array: (series, time) or (series, channel, time); float or double, either endianness. Of an archive `.npz`
    /// the only array, or that named by FILE.npz:NAME.
    WW_FORMAT_NPY = 4,
    WW_FORMAT_TEXT =
        5, ///< a sequence a line, each character (Unicode code point, UTF-8) a symbol; never chosen by AUTO
    WW_FORMAT_ARFF = 6, ///< UCR and UEA archives: the class a nominal attribute, channels a relation; read only
    /// Numbers of this machine alone: one series of one channel. Its name ends in .f32 (float) or .f64 (double).
    WW_FORMAT_RAW = 7,
    WW_FORMAT_FASTA = 8 ///< each sequence of letters a series of symbols, headings left out; read only
} ww_format;

/// The order of an array's axes. NumPy libraries use both: (series, channel, time) in aeon and sktime, (series, time,
/// channel) in tslearn and Keras.
typedef enum ww_axes {
    /// (series, channel, time), unless the last axis is 1 or the second at least 8 times as long as it: then (series,
    /// time, channel), with a notice. An array that ww_series_set_write() wrote keeps its axes.
    WW_AXES_AUTO = 0,
    WW_AXES_NCT = 1, ///< (series, channel, time)
    WW_AXES_NTC = 2  ///< (series, time, channel)
} ww_axes;

/// What a line of a .csv or of UCR text is, or a row of a 2-D array.
typedef enum ww_rows {
    /// A series; but a point where the file has one column, or a column of dates or named as time stamps are, with a
    /// notice. See docs/files.md.
    WW_ROWS_AUTO = 0,
    WW_ROWS_SERIES = 1, ///< a series, its columns the points
    WW_ROWS_POINTS = 2  ///< a point, its columns the channels; a series_column divides the rows in series
} ww_rows;

/// Whether the first line of a .csv or of UCR text names the columns.
typedef enum ww_header {
    WW_HEADER_AUTO = 0, ///< it does when no field is a number, or the numbers in it only count the columns
    WW_HEADER_YES = 1,
    WW_HEADER_NO = 2
} ww_header;

/// What becomes of missing values.
typedef enum ww_missing {
    WW_MISSING_KEEP = 0,        ///< NaN
    WW_MISSING_INTERPOLATE = 1, ///< on the line between the nearest values of the channel, in time where there is one
    WW_MISSING_DROP = 2         ///< the points that miss a value in any channel are left out
} ww_missing;

typedef struct ww_read_options {
    size_t struct_size; ///< sizeof(ww_read_options)
    ww_format format;   ///< WW_FORMAT_AUTO: by content
    /// The labels of a .csv or of UCR text. 0: of UCR text the first column, unless its numbers are no labels; of a
    /// .csv none, unless a column is text or is named as labels are. 1 the first column, 2 the last, 3 there are none.
    int csv_label;
    /// A file of time stamps for any format: a line (or row of a .npy array) for each series, or one for all, of which
    /// shorter series take the beginning. NULL: none.
    const char *times;
    /// csv whose rows are points: the column of the time stamps, by its name in the first line or its number from 1.
    /// The other columns are channels. NULL: none, or the one that is named so.
    const char *time_column;
    /// csv whose rows are points: the column that names the row's series; rows of one series are consecutive. NULL: the
    /// file is one series, when there is a time_column.
    const char *series_column;
    /// Threads that parse large text files, each a piece; the result is the same for any number. 0: what
    /// $WAVEWARP_READ_THREADS says, else the processors this process may use, at least 1 MiB of text for each.
    int threads;
    ww_axes axes;     ///< of a .npy array of 3 dimensions
    ww_rows rows;     ///< of .csv, UCR text, and .npy arrays of 2 dimensions
    ww_header header; ///< of .csv and UCR text
    /// csv and UCR text: the columns with values, by names or numbers from 1, with commas between them; `3-12` is a
    /// range. They are taken in the file's order. NULL: all that are nothing else.
    const char *columns;
    /// csv and UCR text: the column of the labels by its name or number, in place of csv_label. NULL: as that says.
    const char *label_column;
    ww_missing missing; ///< what becomes of missing values
} ww_read_options;

#define WW_READ_OPTIONS_INIT                                                                                           \
    {                                                                                                                  \
        sizeof(ww_read_options), WW_FORMAT_AUTO, 0, NULL, NULL, NULL, 0, WW_AXES_AUTO, WW_ROWS_AUTO, WW_HEADER_AUTO,   \
            NULL, NULL, WW_MISSING_KEEP                                                                                \
    }

/// Reads a set from a file, or from standard input when `path` is "-". Files of every format may be packed by gzip.
/// \param options NULL: all defaults.
/// \return WW_ERROR_IO when it can't be read; WW_ERROR_FORMAT with file, line and column in the message;
/// WW_ERROR_EMPTY when it holds no series, or ww_read_options.missing leaves nothing of one; WW_ERROR_OVERFLOW when a
/// packed file becomes more than 4 GiB, or what $WAVEWARP_UNPACK_LIMIT says; WW_ERROR_UNSUPPORTED for packed files
/// without zlib. Missing values ('?', empty or NaN) are kept as NaN: see ww_series_set_missing(). Time stamps are
/// numbers, or dates (2024-12-31 23:59:59.5, with T or a blank, a zone or UTC), which become seconds since 1970; one
/// that is less than the one before it is WW_ERROR_FORMAT. *Ownership*: the caller's. *Thread-safety*: any thread.
/// *Blocking*: while it reads.
WW_API_STATUS ww_series_set_read(const char *path, const ww_read_options *options, ww_series_set **set);

/// What a notice is about, which says the option that settles it: with that option set, there is no such notice.
typedef enum ww_notice {
    WW_NOTICE_AXES = 1,     ///< ww_read_options.axes
    WW_NOTICE_ROWS = 2,     ///< rows
    WW_NOTICE_HEADER = 3,   ///< header
    WW_NOTICE_LABELS = 4,   ///< csv_label or label_column
    WW_NOTICE_COLUMNS = 5,  ///< columns
    WW_NOTICE_DISTANCES = 6 ///< rows: the values look like a matrix of distances, not like series
} ww_notice;

/// Number of notices: what looked odd in the file that ww_series_set_read() read the set from, and how it was taken.
/// The library prints nothing; a program shows them to its user. 0 for NULL and for a set that was not read.
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_series_set_notice_count(const ww_series_set *set);

/// The text of notice i, without the file's name, which may hold any bytes of the file; NULL when i is out of range.
/// \param kind receives what it is about; NULL: not wanted. *Ownership*: the set's. *Thread-safety*: any thread.
/// *Blocking*: no.
WW_API const char *ww_series_set_notice(const ww_series_set *set, size_t i, ww_notice *kind);

/// How a file was taken. Columns count from 1; 0: there is none.
typedef struct ww_read_info {
    size_t struct_size;  ///< sizeof(ww_read_info)
    ww_format format;    ///< WW_FORMAT_AUTO: the set was not read from a file
    ww_axes axes;        ///< of an array of 3 dimensions, else WW_AXES_AUTO
    ww_rows rows;        ///< of .csv, UCR text and arrays of 2 dimensions, else WW_ROWS_AUTO
    const char *heading; ///< the line that names the columns, NULL when there is none; the set's
    size_t columns;      ///< of .csv and UCR text: of the first line
    size_t left_out;     ///< columns that are neither values nor time, series or label
    size_t label_column, time_column, series_column;
} ww_read_info;

#define WW_READ_INFO_INIT                                                                                              \
    { sizeof(ww_read_info), WW_FORMAT_AUTO, WW_AXES_AUTO, WW_ROWS_AUTO, NULL, 0, 0, 0, 0, 0 }

/// How the file was taken that the set was read from. \return WW_ERROR_INVALID_ARGUMENT. *Ownership*: the heading is
/// the set's, until it is destroyed. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_series_set_get_read_info(const ww_series_set *set, ww_read_info *info);

/// Fills in or leaves out what is missing, in place. A failure leaves the set as it was.
/// \param how WW_MISSING_INTERPOLATE: NaN becomes the value of the line between the nearest values before and after it
/// in its channel, by the time stamps where there are some, else by position; before the first and after the last
/// value, that value. WW_MISSING_DROP: points that miss a value in any channel are left out, with their time stamps.
/// \return WW_ERROR_EMPTY when a channel, or every point, of a series is missing; WW_ERROR_INVALID_ARGUMENT,
/// WW_ERROR_OUT_OF_MEMORY. *Thread-safety*: one thread at a time. *Blocking*: no.
WW_API_STATUS ww_series_set_fill_missing(ww_series_set *set, ww_missing how);

/// Writes a set to a file ("-": standard output). A file appears under its name only when complete.
/// npy: needs equal lengths, and drops labels. ts keeps time stamps; the others drop them. text: one channel of code
/// points, without labels; WW_FORMAT_AUTO never chooses it. raw: one series, point by point. `precision` is npy's
/// element type; raw has that of its name. The text formats write 9 or 17 significant digits, so that reading gives the
/// same float or double.
/// \return WW_ERROR_IO, WW_ERROR_UNSUPPORTED, WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any thread, while nobody
/// changes the set. *Blocking*: while it writes.
WW_API_STATUS ww_series_set_write(const ww_series_set *set, const char *path, ww_format format, ww_precision precision);

/// Kinds of generated series. All are reproducible from the seed on every machine.
typedef enum ww_generator {
    /// Cylinder-bell-funnel, 3 classes (Saito 1994): classes "cylinder", "bell", "funnel", in turn.
    WW_GENERATE_CBF = 0,
    /// Two patterns, 4 classes (Geurts 2001): "up-up", "up-down", "down-up", "down-down".
    WW_GENERATE_TWO_PATTERNS = 1,
    /// Synthetic control charts, 6 classes (Alcock and Manolopoulos 1999).
    WW_GENERATE_SYNTHETIC_CONTROL = 2,
    /// Gaussian random walk, no labels.
    WW_GENERATE_RANDOM_WALK = 3,
    /// Sine of random frequency and phase with Gaussian noise, no labels.
    WW_GENERATE_SINE = 4
} ww_generator;

typedef struct ww_generate_options {
    size_t struct_size; ///< sizeof(ww_generate_options)
    size_t count;       ///< number of series, >= 1
    size_t
        length; ///< shortest length, >= 1; 0: the kind's usual length (cbf 128, two patterns 128, control 60, else 128)
    size_t max_length; ///< longest length (uniformly drawn); 0: as length
    size_t channels;   ///< >= 1; channels are generated independently within the series' class
    uint64_t seed;
} ww_generate_options;

#define WW_GENERATE_OPTIONS_INIT                                                                                       \
    { sizeof(ww_generate_options), 100, 0, 0, 1, 1 }

/// Generates a set. \param options NULL: all defaults.
/// \return WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OVERFLOW, WW_ERROR_OUT_OF_MEMORY. *Ownership*: the caller's.
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_series_set_generate(ww_generator kind, const ww_generate_options *options, ww_series_set **set);

/// Writes a 2-D array of distances: rows x columns, row after row. By ending: `.npy`, `.csv`, anything else raw values
/// in native byte order; "-" is text on standard output. `columns` 0: a condensed (upper triangle, row after row) 1-D
/// array of `rows` values. \return WW_ERROR_IO, WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any thread. *Blocking*:
/// while it writes.
WW_API_STATUS ww_array_write(const char *path, const void *values, ww_precision precision, size_t rows, size_t columns);

/// A file of a 2-D array that is filled block by block, in any order, and appears under its name only when it is
/// complete and closed. *Thread-safety*: one thread at a time.
typedef struct ww_array_file ww_array_file;

/// Starts a file as ww_array_write() would write it, complete size reserved. WW_ERROR_IO when disk space is missing.
/// Text (`.csv`) and outputs without seek need their blocks in row order: whole rows, or parts of the same rows from
/// the left, which are kept until the rows are whole.
/// \return that, WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OVERFLOW. *Ownership*: the caller's; ww_array_file_close().
/// *Thread-safety*: any thread. *Blocking*: while it writes.
WW_API_STATUS ww_array_file_create(const char *path, ww_precision precision, size_t rows, size_t columns,
                                   ww_array_file **file);

/// Writes `row_count x column_count` values, row after row, at (row, column). \return WW_ERROR_IO,
/// WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: one thread at a time. *Blocking*: while it writes.
WW_API_STATUS ww_array_file_put(ww_array_file *file, size_t row, size_t row_count, size_t column, size_t column_count,
                                const void *values);

/// Of ww_array_file_close().
#define WW_ARRAY_FILE_REMOVE 0
#define WW_ARRAY_FILE_FINISH 1

/// Finishes (`keep` 1) or removes (`keep` 0) the file, and stores NULL in *file. \return WW_ERROR_IO (it is removed),
/// WW_ERROR_INVALID_ARGUMENT (not all values were put; it is removed). *Thread-safety*: one thread at a time.
/// *Blocking*: while it writes.
WW_API_STATUS ww_array_file_close(ww_array_file **file, int keep);

#ifdef __cplusplus
}
#endif
#endif
