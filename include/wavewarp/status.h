// SPDX-License-Identifier: Apache-2.0
/// \file
/// Return values, the error record, and the rules that all structs follow.
///
/// **Structs that may grow** start with `size_t struct_size` and grow only at their end. Set it by the struct's
/// WW_..._INIT value or, where there are no macros, by ww_struct_init(); then change what you want.
/// Options: a struct shorter than the library's has the defaults for the fields it lacks; a longer one is accepted if
/// the fields that the library does not know are zero (else WW_ERROR_UNSUPPORTED). Outputs: the library fills the
/// fields that the caller's struct_size covers and zeroes those it does not know. Structs without struct_size never
/// change.
///
/// **Names**: ww_<noun>_<verb>: _create makes an object (_create_..., _read, _load, _generate, _wrap: from what; _from:
/// from a function's bytes),
/// _run does its work, _get_info describes what it did, _destroy releases it, stores NULL and accepts NULL.
#ifndef WAVEWARP_STATUS_H
#define WAVEWARP_STATUS_H

#include <stddef.h>
#include <stdint.h>

/// The release that this header is of, as numbers that #if compares. docs/interface.md says what a change of each
/// means.
#define WW_VERSION_MAJOR 0
#define WW_VERSION_MINOR 2
#define WW_VERSION_PATCH 0

/// The version of this interface. It changes when a program that was built against an earlier one could fail; the
/// library's file name (soname) ends with it. docs/interface.md lists the changes.
#define WW_API_VERSION 1

#if defined(__GNUC__) && !defined(_WIN32)
#define WW_API __attribute__((visibility("default")))
#else
#define WW_API
#endif
/// Like WW_API; the compiler warns where the status is not used.
#if defined(__GNUC__)
#define WW_API_STATUS WW_API __attribute__((warn_unused_result)) ww_status
#else
#define WW_API_STATUS WW_API ww_status
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// What a function returns. The numbers are part of the interface and never change.
typedef enum ww_status {
    WW_OK = 0,
    WW_ERROR_INVALID_ARGUMENT = 1, ///< an argument is outside its stated range; every function may return this
    WW_ERROR_OUT_OF_MEMORY = 2,    ///< host memory; every function that makes something may return this
    WW_ERROR_DEVICE_MEMORY = 3,    ///< device memory, or one buffer above the device's limit
    WW_ERROR_OVERFLOW = 4,         ///< a size does not fit its type, or a distance its precision
    WW_ERROR_EMPTY = 5,            ///< no series, or a series of length 0
    WW_ERROR_NOT_FINITE = 6,       ///< NaN or infinity in the input; the record names series and position
    WW_ERROR_CHANNELS = 7,         ///< channel counts that do not match
    WW_ERROR_NO_PATH = 8,          ///< the band contains no path from corner to corner
    WW_ERROR_NO_LABELS = 9,        ///< class labels are needed and missing
    WW_ERROR_IO = 10,              ///< a file could not be opened, read or written
    WW_ERROR_FORMAT = 11,          ///< a file's content is damaged or not understood
    WW_ERROR_NO_PLATFORM = 12,     ///< no OpenCL platform is installed
    WW_ERROR_NO_DEVICE = 13,       ///< no device matches
    WW_ERROR_UNSUPPORTED = 14,     ///< the device (or the chosen engine, or this version) can't do this
    WW_ERROR_KERNEL_SOURCE = 15,   ///< a kernel source file can't be read
    WW_ERROR_BUILD = 16,           ///< a program did not compile; ww_last_build_log() has the compiler's messages
    WW_ERROR_OPENCL = 17,    ///< an OpenCL call failed; the record holds its code. Any function that uses a device
    WW_ERROR_CANCELLED = 18, ///< the progress function, or the thread's interrupt function, asked to stop
    WW_ERROR_INTERNAL = 19,  ///< a fault of this library; please report it
    WW_ERROR_PART = 20       ///< a part of a job is done and kept in its store: there is no whole result (store.h)
} ww_status;

/// The last error on this thread. Text fields are always terminated. Filled only by the library; the fields that
/// `struct_size` covers exist.
typedef struct ww_error {
    size_t struct_size; ///< of the library's struct
    ww_status status;
    int cl_code;       ///< OpenCL's error code, 0 when none
    char cl_name[48];  ///< that code by name, "" when none
    char call[64];     ///< the call that failed, "" when none
    char file[64];     ///< source file of the library
    int line;          ///< line in it
    char device[128];  ///< name of the device concerned, "" when none
    char message[512]; ///< one sentence: what failed
    char hint[512];    ///< one sentence: what to do about it, "" when none
    int64_t series;    ///< the series concerned, -1 when none
    int64_t position;  ///< the position in it, -1 when none
    int64_t channel;   ///< the channel of that position, -1 when none
} ww_error;

/// The record of the last error on the calling thread (status WW_OK when there was none).
/// \return never NULL. *Ownership*: the library's, valid until the thread's next failing call.
/// *Thread-safety*: any thread; each has its own. *Blocking*: no.
WW_API const ww_error *ww_last_error(void);

/// The whole build log of the last program that failed to compile on this thread.
/// \return never NULL, "" when there is none. *Ownership*: the library's, until the thread's next failing build.
/// *Thread-safety*: any thread; each has its own. *Blocking*: no.
WW_API const char *ww_last_build_log(void);

/// A status's name, for example "WW_ERROR_NO_PATH". Never NULL. *Ownership*: static. *Thread-safety*: any thread.
/// *Blocking*: no.
WW_API const char *ww_status_name(ww_status status);

/// The enumerations whose values have words: those of the program's options and of its results.
typedef enum ww_word_kind {
    WW_WORD_AVERAGE_METHOD = 0, ///< ww_average_method: dba, soft
    WW_WORD_BAND_KIND = 1,      ///< ww_band_kind: none, sakoe-chiba, corner, slanted, itakura, rows
    WW_WORD_COST = 2,           ///< ww_cost: default, squared, absolute, euclidean, user
    WW_WORD_ENGINE = 3,         ///< ww_engine: auto, lanes, packed, strips, bits
    WW_WORD_FORMAT = 4,         ///< ww_format: auto, tsv, ts, csv, npy, text, arff, raw, fasta
    WW_WORD_GENERATOR = 5,      ///< ww_generator: cbf, two-patterns, synthetic-control, random-walk, sine
    WW_WORD_LINKAGE = 6,        ///< ww_linkage: single, complete, average, ward
    /// ww_metric: l2, l2-squared, l1, linf, cosine, inner-product, hamming, jaccard, jaccard-bits, minkowski, canberra,
    /// bray-curtis, correlation, nan-l2
    WW_WORD_METRIC = 7,
    WW_WORD_PRECISION = 8,       ///< ww_precision: float, double
    WW_WORD_SHAPELET_QUALITY = 9 ///< ww_shapelet_quality: gain, f, kruskal-wallis, mood
} ww_word_kind;

/// The word of a value: ww_word(WW_WORD_METRIC, WW_METRIC_L1) is "l1". "unknown" where there is none. *Ownership*:
/// static. *Thread-safety*: any thread. *Blocking*: no.
WW_API const char *ww_word(ww_word_kind kind, unsigned value);

/// The value of a word. \return WW_ERROR_INVALID_ARGUMENT (no such kind or word, the hint lists the words), which
/// leaves `value` as it was. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_word_parse(ww_word_kind kind, const char *word, unsigned *value);

/// Fills a struct with its defaults, as the macros WW_..._INIT do: for languages without macros, and for structs of the
/// size of another version. \param type the struct's name, for example "ww_plan_options"; all structs with a macro but
/// ww_measure (ww_measure_init()). \param given `struct_size` bytes. \return WW_ERROR_INVALID_ARGUMENT (no such struct;
/// a size that does not hold itself), which leaves it as it was. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_struct_init(const char *type, void *given, size_t struct_size);

/// Frees what the library returned by pointer where a declaration says "free with ww_free". NULL is allowed.
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API void ww_free(void *pointer);

/// The library's release, MAJOR.MINOR.PATCH as text, for example "0.2.0": the header's WW_VERSION_..., unless another
/// library was loaded than the one the program was built for. *Ownership*: static. *Thread-safety*: any thread.
/// *Blocking*: no.
WW_API const char *ww_version(void);

/// The library's WW_API_VERSION: the header's, unless another library was loaded than the one the program was built
/// for. *Thread-safety*: any thread. *Blocking*: no.
WW_API int ww_api_version(void);

#ifdef __cplusplus
}
#endif
#endif
