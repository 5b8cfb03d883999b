// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a plan's distances go: host memory or device memory, by the same call.
#ifndef WAVEWARP_OUTPUT_H
#define WAVEWARP_OUTPUT_H

#include <wavewarp/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Device memory: for results, upstream factors and series (wavewarp/dataset.h). *Thread-safety*: the object does not
/// change; the caller orders the accesses to its content.
typedef struct ww_buffer ww_buffer;

/// Makes a buffer of `bytes` >= 1 bytes, of unspecified content. wavewarp/opencl.h wraps an OpenCL buffer of the
/// caller.
/// \return WW_ERROR_DEVICE_MEMORY, WW_ERROR_OPENCL.
/// *Ownership*: the caller's; keeps its context alive. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_buffer_create(ww_context *context, uint64_t bytes, ww_buffer **buffer);

/// Releases the caller's reference and stores NULL in *buffer. Work in progress that writes to it continues.
/// *Thread-safety*: any thread; plans that write to it hold a reference. *Blocking*: no.
WW_API void ww_buffer_destroy(ww_buffer **buffer);

/// Bytes of a buffer; 0 for NULL. *Thread-safety*: any thread. *Blocking*: no.
WW_API uint64_t ww_buffer_bytes(const ww_buffer *buffer);

/// Copies `bytes` bytes, starting at `offset`, to host memory.
/// \return WW_ERROR_INVALID_ARGUMENT (beyond its end), WW_ERROR_OPENCL. *Thread-safety*: any thread.
/// *Blocking*: until the work that was enqueued before it, and the copy, are done. It does not report whether that work
/// failed: ww_plan_finish() does.
WW_API_STATUS ww_buffer_read(const ww_buffer *buffer, uint64_t offset, uint64_t bytes, void *target);

/// Copies `bytes` bytes from host memory to the buffer, from `offset` on.
/// \param source may be reused when the call returns. \return WW_ERROR_INVALID_ARGUMENT (beyond its end),
/// WW_ERROR_OPENCL. *Thread-safety*: any thread; the caller orders the accesses to the content. *Blocking*: until the
/// work that was enqueued before it, and the copy, are done.
WW_API_STATUS ww_buffer_write(ww_buffer *buffer, uint64_t offset, uint64_t bytes, const void *source);

typedef enum ww_layout {
    WW_LAYOUT_FULL = 0, ///< rows x columns, row after row; of pairs: one value each
    /// A set with itself: the upper triangle without its diagonal, row after row, count*(count-1)/2 values. Of a
    /// measure that is not symmetric see ww_plan_options.one_way.
    WW_LAYOUT_CONDENSED = 1
} ww_layout;

/// Either `host` or `device` is set, the other is NULL. A run to the host waits for its result, one to the device only
/// enqueues its work: ww_plan_run() names what it still waits for.
///
/// Sizes are checked before any work: a result that needs more than `bytes`, or than the buffer has, is
/// WW_ERROR_INVALID_ARGUMENT; one whose bytes 64 bits do not count is WW_ERROR_OVERFLOW.
typedef struct ww_output {
    size_t struct_size; ///< sizeof(ww_output)
    void *host;         ///< values of the datasets' precision
    ww_buffer *device;  ///< the same in device memory
    uint64_t offset;    ///< device: bytes before the first value, a multiple of a value's bytes
    ww_layout layout;
    /// Bytes that may be written, from `host` or, on the device, from `offset` on; 0: not known. Device memory is
    /// checked against its buffer too.
    uint64_t bytes;
    /// Elements from a row's first value to the next row's, at least the number of columns; what is between two rows is
    /// not written. 0: rows follow one another. For matrices in the full layout alone.
    uint64_t row_stride;
} ww_output;

#define WW_OUTPUT_INIT                                                                                                 \
    { sizeof(ww_output), NULL, NULL, 0, WW_LAYOUT_FULL, 0, 0 }
/// A full layout at `pointer` in host memory: `const ww_output to = WW_OUTPUT_HOST(distances);`
#define WW_OUTPUT_HOST(pointer)                                                                                        \
    { sizeof(ww_output), (pointer), NULL, 0, WW_LAYOUT_FULL, 0, 0 }
/// The same, for memory of a known size.
#define WW_OUTPUT_HOST_BYTES(pointer, size)                                                                            \
    { sizeof(ww_output), (pointer), NULL, 0, WW_LAYOUT_FULL, (size), 0 }

#ifdef __cplusplus
}
#endif
#endif
