// SPDX-License-Identifier: Apache-2.0
/// \file
/// Devices, and the context from which everything else is created.
#ifndef WAVEWARP_CONTEXT_H
#define WAVEWARP_CONTEXT_H

#include <wavewarp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One OpenCL device opened for work, or several that share it: their queues, compiled programs and tuning parameters.
///
/// With several devices a dataset, points, hash tables, a plan, a search or a profile are on each of them, and a run
/// that writes to host memory is divided: each device has a thread of its own and takes parts of the work from one
/// counter, as large as it does in ww_context_options.tile_seconds at the rate that was measured. Devices of one kind
/// give the bytes that one of them gives; devices of different kinds differ in the last bits. A device that can't hold
/// the data, has no double where that is asked for, or fails in the middle leaves its part to the others; a job fails
/// with the last one's error when all are lost. What is not divided (averages, k-means' centres, memory of a device,
/// sums of gradients over pairs, a stream that is pushed) works on the first device. See docs/scale.md.
/// *Thread-safety*: any number of threads at once.
typedef struct ww_context ww_context;

typedef enum ww_device_type { WW_DEVICE_GPU = 0, WW_DEVICE_CPU = 1, WW_DEVICE_OTHER = 2 } ww_device_type;

/// An output: set struct_size first.
typedef struct ww_device_info {
    size_t struct_size;      ///< sizeof(ww_device_info)
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
    char uuid[40]; ///< 8-4-4-4-12 hexadecimal digits; empty where the driver does not say it
    char pci[32];  ///< domain:bus:device.function, "0000:3b:00.0"; empty where the driver does not say it
} ww_device_info;

#define WW_DEVICE_INFO_INIT                                                                                            \
    { sizeof(ww_device_info), 0, 0, "", "", "", "", "", WW_DEVICE_GPU, 0, 0, 0, 0, 0, 0, 0, 0, 0, "", "", "" }

/// The devices that the OpenCL loader found when the list was created. *Thread-safety*: it does not change; any number
/// of threads.
typedef struct ww_device_list ww_device_list;

/// Lists the devices that the OpenCL loader finds, and marks the one that ww_context_create() would choose.
/// \return WW_ERROR_NO_PLATFORM (the hint says what to install) or WW_ERROR_NO_DEVICE, WW_ERROR_OPENCL.
/// *Ownership*: the caller's; ww_device_list_destroy(). *Thread-safety*: any thread. *Blocking*: while drivers load.
WW_API_STATUS ww_device_list_create(ww_device_list **list);

/// Number of devices; 0 for NULL. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_device_list_count(const ww_device_list *list);

/// Describes device i. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_device_list_get_info(const ww_device_list *list, size_t i, ww_device_info *info);

/// Frees a list and stores NULL in *list. *Thread-safety*: when nobody uses it. *Blocking*: no.
WW_API void ww_device_list_destroy(ww_device_list **list);

/// Called with each log message (level 0 error, 1 warning, 2 information, 3 detail), by the thread that called the
/// library, during its call; never by a thread of the library's own. With several threads on one context it may be
/// called by several at once. `text` is valid during the call. It may call the library, also with the same context;
/// messages of those calls are dropped.
typedef void (*ww_log_fn)(void *user, int level, const char *text);

typedef struct ww_context_options {
    size_t struct_size; ///< sizeof(ww_context_options)
    /// NULL: $WAVEWARP_DEVICE, else the best; "gpu", "cpu", an index, "platform:device", a UUID, a PCI address, a part
    /// of a name, or "cuda:N" (docs/devices.md). Several devices: "all" is every usable one, "gpus" every GPU; "0,2" is
    /// a list of devices. "all" leaves out a device that another driver shows better, and a CPU of less than about a
    /// sixteenth of a GPU's speed.
    const char *device;
    const char *kernel_dir; ///< NULL: $WAVEWARP_KERNEL_DIR, the installed folder, else the built-in copy
    const char
        *tuning_file;    ///< NULL: $WAVEWARP_TUNING, else the user's file; then the installed, then the built-in one
    ww_log_fn log;       ///< NULL: silence. Of several devices their threads call it, too, and several at once
    void *log_user;      ///< must live as long as the context and everything created from it
    double tile_seconds; ///< several devices: what a part should last on its device, 1e-6 to 3600; 0: 0.5
    unsigned threads; ///< of a CPU, at most: a part of it is opened (a sub-device); 0, or as many as it has: all of it
    /// What jobs compute is kept there, and taken from there (store.h); NULL: it is not kept. When it is
    /// closed before the context, jobs fail.
    struct ww_store *store;
} ww_context_options;

#define WW_CONTEXT_OPTIONS_INIT                                                                                        \
    { sizeof(ww_context_options), NULL, NULL, NULL, NULL, NULL, 0.0, 0, NULL }

/// Opens a device, or several.
/// \param options read during the call only; NULL: all defaults.
/// \return WW_ERROR_NO_PLATFORM, WW_ERROR_NO_DEVICE (the message lists the devices there are), WW_ERROR_UNSUPPORTED
/// (`threads` of a device that is no CPU, or whose driver gives no part of it), WW_ERROR_KERNEL_SOURCE,
/// WW_ERROR_OPENCL, WW_ERROR_INVALID_ARGUMENT (a device named twice; tile_seconds). *Ownership*: the caller's. Datasets
/// and plans keep their context alive: it may be destroyed before them. *Thread-safety*: any thread. *Blocking*: while
/// drivers load and tiny kernels are tried.
WW_API_STATUS ww_context_create(const ww_context_options *options, ww_context **context);

/// Releases the caller's reference to a context and stores NULL in *context.
/// *Thread-safety*: any thread; other holders go on. *Blocking*: until its work is done, for the last holder.
WW_API void ww_context_destroy(ww_context **context);

/// Describes the context's device, of several the first. \return WW_ERROR_INVALID_ARGUMENT. *Thread-safety*: any
/// thread. *Blocking*: no.
WW_API_STATUS ww_context_get_device_info(const ww_context *context, ww_device_info *info);

/// Where the kernels come from: a folder's path, or "built in". *Ownership*: the context's, as long as it lives.
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API const char *ww_context_kernel_source(const ww_context *context);

/// Computes distances with known answers in every engine the device accepts.
/// \return WW_ERROR_INVALID_ARGUMENT (context is NULL), WW_ERROR_INTERNAL with what differed in the message, and what
/// plans return. *Thread-safety*: any thread. *Blocking*: until done: some seconds where kernels are compiled for the
/// first time.
WW_API_STATUS ww_context_self_test(ww_context *context);

/// Bytes of device memory this context's objects hold now. *Thread-safety*: any thread. *Blocking*: no.
WW_API uint64_t ww_context_bytes(const ww_context *context);

/// Programs this context has compiled or loaded since its creation. One program serves all values of a measure's
/// parameters and, in most engines, all lengths. *Thread-safety*: any thread. *Blocking*: no.
WW_API uint64_t ww_context_programs(const ww_context *context);

/// Number of devices of a context: 1, or more; 0 for NULL. *Thread-safety*: any thread. *Blocking*: no.
WW_API size_t ww_context_device_count(const ww_context *context);

/// The context of device i alone: itself, where there is one. For ww_context_get_device_info(), and for work that is
/// not to be divided. NULL when i is out of range. *Ownership*: the context's. *Thread-safety*: any thread.
/// *Blocking*: no.
WW_API ww_context *ww_context_device(ww_context *context, size_t i);

/// What a device of several did in the last job that has ended. An output: set struct_size first.
typedef struct ww_device_share {
    size_t struct_size; ///< sizeof(ww_device_share)
    uint64_t tiles;     ///< parts that it finished
    /// of these: points of the rows times points of the columns, without a band; knn: pairs x dimension; profile: pairs
    /// of windows; lsh: buckets looked into x functions x dimension; shapelets: candidates x windows
    double work;
    double seconds;    ///< it worked on them
    int lost;          ///< 1: it failed, and others did its work
    ww_status status;  ///< lost: why
    char message[512]; ///< lost: one sentence
} ww_device_share;

#define WW_DEVICE_SHARE_INIT                                                                                           \
    { sizeof(ww_device_share), 0, 0.0, 0.0, 0, WW_OK, "" }

/// Of device i; all 0 before a job, and of a context of one device. \return WW_ERROR_INVALID_ARGUMENT.
/// *Thread-safety*: any thread. *Blocking*: no.
WW_API_STATUS ww_context_get_share(const ww_context *context, size_t i, ww_device_share *share);

#ifdef __cplusplus
}
#endif
#endif
