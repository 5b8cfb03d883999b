// SPDX-License-Identifier: Apache-2.0
/// \file
/// Devices, and the context everything else is made from.
#ifndef WAVEWARP_CONTEXT_H
#define WAVEWARP_CONTEXT_H

#include <wavewarp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One OpenCL device opened for work: its queue, its compiled programs and its tuning parameters.
typedef struct ww_context ww_context;

typedef enum ww_device_type { WW_DEVICE_GPU = 0, WW_DEVICE_CPU = 1, WW_DEVICE_OTHER = 2 } ww_device_type;

typedef struct ww_device_info {
    unsigned index;          ///< position in the list of all devices: what `device = "2"` means
    unsigned platform_index; ///< position of its platform
    char name[256];
    char vendor[128];
    char platform[128];
    char version[128]; ///< OpenCL version of the device
    char driver[128];
    ww_device_type type;
    uint64_t compute_units;
    uint64_t clock_mhz;
    uint64_t global_bytes;     ///< device memory
    uint64_t max_buffer_bytes; ///< largest single buffer
    uint64_t local_bytes;      ///< local memory of a work-group
    uint64_t max_work_group;
    int has_double;
    int usable;    ///< 0: this library can't use it; why says the reason
    int chosen;    ///< 1: what ww_context_create() takes by default
    char why[256]; ///< one sentence: why it is or is not chosen
} ww_device_info;

/// Lists what the OpenCL loader sees, best first choice marked.
/// \param devices receives an array of *count; free with ww_free().
/// \return WW_ERROR_NO_PLATFORM (the hint says what to install) or WW_ERROR_NO_DEVICE.
/// *Thread-safety*: any thread.
WW_API ww_status ww_devices_list(ww_device_info **devices, size_t *count);

/// Called with each line the library has to say (level 0 error, 1 warning, 2 information, 3 detail).
typedef void (*ww_log_fn)(void *user, int level, const char *text);

typedef struct ww_context_options {
    size_t struct_size;     ///< sizeof(ww_context_options)
    const char *device;     ///< NULL: $WAVEWARP_DEVICE, else the best; "gpu", "cpu", an index, or a part of a name
    const char *kernel_dir; ///< NULL: $WAVEWARP_KERNEL_DIR, the installed folder, else the built-in copy
    const char
        *tuning_file; ///< NULL: $WAVEWARP_TUNING, else the user's file; then the installed, then the built-in one
    ww_log_fn log;    ///< NULL: silence
    void *log_user;
} ww_context_options;

#define WW_CONTEXT_OPTIONS_INIT                                                                                        \
    { sizeof(ww_context_options), NULL, NULL, NULL, NULL, NULL }

/// Opens a device.
/// \param options NULL: all defaults.
/// \return WW_ERROR_NO_PLATFORM, WW_ERROR_NO_DEVICE (the message lists the devices there are),
/// WW_ERROR_KERNEL_SOURCE, WW_ERROR_OPENCL.
/// *Ownership*: the caller's. Datasets and plans keep their context alive: it may be destroyed before them.
/// *Thread-safety*: a context may be used from several threads; one dataset or plan by one thread at a time.
WW_API ww_status ww_context_create(const ww_context_options *options, ww_context **context);

/// Gives up the caller's hold on a context and stores NULL in *context.
WW_API void ww_context_destroy(ww_context **context);

/// Describes the context's device.
WW_API ww_status ww_context_device(const ww_context *context, ww_device_info *info);

/// Where the kernels come from: a folder's path, or "built in". Valid as long as the context.
WW_API const char *ww_context_kernel_source(const ww_context *context);

/// Computes distances with known answers in every engine the device accepts.
/// \return WW_OK, or WW_ERROR_INTERNAL with what differed in the message.
WW_API ww_status ww_context_self_test(ww_context *context);

/// Bytes of device memory this context's objects hold now.
WW_API uint64_t ww_context_bytes(const ww_context *context);

#ifdef __cplusplus
}
#endif
#endif
