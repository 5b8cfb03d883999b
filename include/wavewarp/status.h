// SPDX-License-Identifier: Apache-2.0
/// \file
/// What every function returns, and the record of what went wrong.
#ifndef WAVEWARP_STATUS_H
#define WAVEWARP_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define WW_API
#elif defined(__GNUC__)
#define WW_API __attribute__((visibility("default")))
#else
#define WW_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// What a function returns. The numbers are part of the interface and never change.
typedef enum ww_status {
    WW_OK = 0,
    WW_ERROR_INVALID_ARGUMENT = 1, ///< an argument is outside its stated range
    WW_ERROR_OUT_OF_MEMORY = 2,    ///< host memory
    WW_ERROR_DEVICE_MEMORY = 3,    ///< device memory, or one buffer above the device's limit
    WW_ERROR_OVERFLOW = 4,         ///< a size does not fit its type, or a distance its precision
    WW_ERROR_EMPTY = 5,            ///< no series, or a series of length 0
    WW_ERROR_NOT_FINITE = 6,       ///< NaN or infinity in the input; the record names series and position
    WW_ERROR_CHANNELS = 7,         ///< channel counts that do not match
    WW_ERROR_NO_PATH = 8,          ///< the band leaves no path from corner to corner
    WW_ERROR_NO_LABELS = 9,        ///< class labels are needed and missing
    WW_ERROR_IO = 10,              ///< a file could not be opened, read or written
    WW_ERROR_FORMAT = 11,          ///< a file's content is damaged or not understood
    WW_ERROR_NO_PLATFORM = 12,     ///< no OpenCL platform is installed
    WW_ERROR_NO_DEVICE = 13,       ///< no device matches
    WW_ERROR_UNSUPPORTED = 14,     ///< the device (or the chosen engine) can't do this
    WW_ERROR_KERNEL_SOURCE = 15,   ///< a kernel source file can't be read
    WW_ERROR_BUILD = 16,           ///< a program did not compile; ww_last_build_log() has the compiler's words
    WW_ERROR_OPENCL = 17,          ///< an OpenCL call failed; the record holds its code
    WW_ERROR_CANCELLED = 18,       ///< the progress function asked to stop
    WW_ERROR_INTERNAL = 19         ///< a fault of this library; please report it
} ww_status;

/// What went wrong last on this thread. Text fields are always terminated.
typedef struct ww_error {
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
} ww_error;

/// The record of the last error on the calling thread (status WW_OK when there was none).
/// \return never NULL. *Ownership*: the library's, valid until the thread's next failing call.
/// *Thread-safety*: each thread has its own.
WW_API const ww_error *ww_last_error(void);

/// The whole build log of the last program that failed to compile on this thread.
/// \return never NULL, "" when there is none. *Ownership*: the library's, until the thread's next failing build.
WW_API const char *ww_last_build_log(void);

/// A status's name, for example "WW_ERROR_NO_PATH". Never NULL. *Thread-safety*: any thread.
WW_API const char *ww_status_name(ww_status status);

/// Frees what the library returned by pointer where a declaration says "free with ww_free". NULL is allowed.
WW_API void ww_free(void *pointer);

/// The library's version, for example "0.1.0".
WW_API const char *ww_version(void);

#ifdef __cplusplus
}
#endif
#endif
