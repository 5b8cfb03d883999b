// SPDX-License-Identifier: Apache-2.0
// Creates contexts: on a device chosen by the library, or on the caller's own OpenCL objects. Nothing else in host/
// calls this.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/cuda.h>
#include <wavewarp/opencl.h>

#include "internal.h"
#include "options.h"

#ifndef CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV
#define CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV 0x4001
#endif

// ---- options

// The structs only grow at their end: a longer struct of a later version is accepted if its unknown fields are zero.
static ww_status read_options(const ww_context_options *given, ww_context_options *options) {
    *options = (ww_context_options)WW_CONTEXT_OPTIONS_INIT;
    return wwi_options_take(options, given, "ww_context_options");
}

static ww_status set_kernel_folder(ww_context *context, const char *wanted) {
    if (!wanted || !wanted[0])
        wanted = wwi_environment("WAVEWARP_KERNEL_DIR");
    if (wanted) {
        context->kernel_folder_set = true;
        if (!wwi_is_folder(wanted)) {
            (void)wwi_fail(WW_ERROR_KERNEL_SOURCE, "the kernel folder %.300s can't be read", wanted);
            return wwi_fail_hint(
                "give the folder that holds base/vendor.cl, recurrence/ and engine/, or leave the kernel "
                "folder (and WAVEWARP_KERNEL_DIR) out");
        }
        context->kernel_folder = realpath(wanted, NULL);
        return context->kernel_folder ? WW_OK : wwi_fail_memory(strlen(wanted));
    }
    WWI_FREES char *installed = wwi_installed_folder();
    if (!installed)
        return WW_OK;
    context->kernel_folder = wwi_path_join(installed, "kernels_cl");
    if (!context->kernel_folder)
        return wwi_fail_memory(strlen(installed));
    if (!wwi_is_folder(context->kernel_folder))
        wwi_free_taken(&context->kernel_folder);
    return WW_OK;
}

// ---- making

static void find_architecture(ww_context *context) {
    cl_uint major = 0, minor = 0;
    const char *name = context->info.name;
    if (wwi_text_contains(context->info.vendor, "NVIDIA") &&
        clGetDeviceInfo(context->device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof major, &major, NULL) ==
            CL_SUCCESS &&
        clGetDeviceInfo(context->device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, sizeof minor, &minor, NULL) ==
            CL_SUCCESS) {
        (void)snprintf(context->arch, sizeof context->arch, "sm_%u%u", major, minor);
        return;
    }
    // AMD's driver names the device by its architecture, with features behind a colon ("gfx90a:sramecc+:xnack-").
    if (strncmp(name, "gfx", 3) == 0)
        (void)snprintf(context->arch, sizeof context->arch, "%.*s", (int)strcspn(name, ": "), name);
}

// Everything that does not depend on where the OpenCL objects come from.
static ww_status allocate(const ww_context_options *options, ww_context **context) {
    ww_context *made;
    WWI_TRY(wwi_new_zeroed(made, 1));
    atomic_init(&made->references, 1);
    atomic_init(&made->bytes, 0);
    made->generation = wwi_fork_generation();
    (void)pthread_mutex_init(&made->lock, NULL);
    (void)pthread_mutex_init(&made->pinned_lock, NULL);
    (void)pthread_cond_init(&made->built, NULL);
    made->log = options->log;
    made->log_user = options->log_user;
    made->exchange_width = 1;
    made->subgroup_standard = "CL1.2";
    *context = made;
    return WW_OK;
}

static ww_status prepare(ww_context *context, const ww_context_options *options) {
    WWI_TRY(set_kernel_folder(context, options->kernel_dir));
    WWI_TRY(wwi_tuning_load(context, options->tuning_file));
    find_architecture(context);
    context->disk_cache = wwi_disk_cache_wanted(&context->info);
    WWI_TRY(wwi_exchange_probe(context));
    wwi_log(context, 2, "device %u: %s (%s); kernels: %s", context->info.index, context->info.name,
            context->info.platform, ww_context_kernel_source(context));
    return WW_OK;
}

static ww_status make_queue(ww_context *context) {
    cl_int code = CL_SUCCESS;
    context->queue = clCreateCommandQueue(context->cl, context->device, CL_QUEUE_PROFILING_ENABLE, &code);
    if (!context->queue && (code == CL_INVALID_VALUE || code == CL_INVALID_QUEUE_PROPERTIES))
        context->queue = clCreateCommandQueue(context->cl, context->device, 0, &code);
    if (!context->queue)
        return wwi_fail_cl(context, code, "clCreateCommandQueue", "can't open a queue on the device");
    wwi_count_objects(1);
    return WW_OK;
}

// PoCL's threads let go of a command after whoever waited for it has gone on, and look at its device then: a part that
// was released meanwhile is freed memory (3.1). So its parts stay, and are made once for each number of threads.
enum { PARTS = 64 };
static struct {
    cl_device_id of, part;
    unsigned threads;
} parts[PARTS];
static pthread_mutex_t parts_lock = PTHREAD_MUTEX_INITIALIZER;

static cl_int make_part(const ww_context *context, unsigned threads, cl_device_id *part) {
    const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, (cl_device_partition_property)threads,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    return clCreateSubDevices(context->device, counts, 1, part, NULL);
}

static cl_int keep_part(const ww_context *context, unsigned threads, cl_device_id *part) {
    size_t at = 0;
    cl_int code = CL_SUCCESS;
    (void)pthread_mutex_lock(&parts_lock);
    while (at < PARTS && parts[at].part && !(parts[at].of == context->device && parts[at].threads == threads))
        at++;
    if (at < PARTS && parts[at].part)
        *part = parts[at].part;
    else if ((code = make_part(context, threads, part)) == CL_SUCCESS && at < PARTS) {
        parts[at].of = context->device;
        parts[at].threads = threads;
        parts[at].part = *part;
    }
    if (code == CL_SUCCESS && at < PARTS)
        code = clRetainDevice(*part); // the context's own
    (void)pthread_mutex_unlock(&parts_lock);
    return code;
}

// Makes a part of a CPU, with so many of its threads, the context's device.
static ww_status take_threads(ww_context *context, unsigned threads) {
    const ww_device_info *info = &context->info;
    if (threads == 0 || (info->type == WW_DEVICE_CPU && threads >= info->compute_units))
        return WW_OK;
    const bool stays = wwi_text_contains(info->platform, WWI_POCL);
    if (info->type != WW_DEVICE_CPU)
        (void)wwi_fail(WW_ERROR_UNSUPPORTED, "%u threads of %.100s, which is no CPU", threads, info->name);
    else if ((stays ? keep_part : make_part)(context, threads, &context->part) == CL_SUCCESS) {
        wwi_count_objects(1);
        context->device = context->part;
        context->info.compute_units = threads;
        return WW_OK;
    } else
        (void)wwi_fail(WW_ERROR_UNSUPPORTED, "the driver of %.100s gives no part of it", info->name);
    return wwi_fail_hint("leave ww_context_options.threads 0");
}

static ww_status open_device(ww_context *context, const wwi_device *device, unsigned threads) {
    cl_int code = CL_SUCCESS;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)device->platform, 0};
    context->platform = device->platform;
    context->device = device->id;
    context->info = device->info;
    context->info.chosen = 1;
    (void)snprintf(context->info.why, sizeof context->info.why, "in use");
    if (wwi_text_contains(context->info.platform, WWI_POCL))
        wwi_pocl_check_cache(context);
    WWI_TRY(take_threads(context, threads));
    context->cl = clCreateContext(properties, 1, &context->device, NULL, NULL, &code);
    if (!context->cl)
        return wwi_fail_cl(context, code, "clCreateContext", "can't open the device");
    wwi_count_objects(1);
    return make_queue(context);
}

static ww_status begin(const char *function, const ww_context_options *given, ww_context_options *options,
                       ww_context **out) {
    if (!out)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s needs a place for the context", function);
    *out = NULL;
    WWI_TRY(read_options(given, options));
    return wwi_check_first_use();
}

// Under the lock of opening.
static ww_status open_wanted(ww_context *context, const char *wanted, unsigned threads) {
    WWI_ENDS(wwi_devices_free) wwi_device_list list = {NULL, 0, false};
    size_t chosen = 0;
    WWI_TRY(wwi_devices_find(&list));
    WWI_TRY(wwi_devices_choose(&list, wanted, &chosen));
    return open_device(context, &list.devices[chosen], threads);
}

// "cuda", "cuda:1": CUDA's device 0, 1.
static bool is_of_cuda(const char *wanted, int *ordinal) {
    int end = 0;
    *ordinal = 0;
    if (!wanted || strncasecmp(wanted, "cuda", 4) != 0)
        return false;
    return wanted[4] == '\0' || (sscanf(wanted + 4, ":%d%n", ordinal, &end) == 1 && wanted[4 + end] == '\0');
}

static ww_status create_cuda(int ordinal, bool own_stream, void *stream, const ww_context_options *options,
                             ww_context **out) {
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    WWI_TRY(wwi_cuda_open(ordinal, own_stream, stream, &context, &queue));
    cl_device_id device = NULL;
    (void)clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(cl_device_id), &device, NULL);
    const ww_status status = ww_context_wrap(context, device, queue, options, out);
    (void)clReleaseCommandQueue(queue);
    (void)clReleaseContext(context);
    return status;
}

ww_status ww_context_create_cuda(int device, void *stream, const ww_context_options *given, ww_context **out) {
    ww_context_options options;
    WWI_TRY(begin("ww_context_create_cuda", given, &options, out));
    return create_cuda(device, false, stream, &options, out);
}

static ww_status create_one(const ww_context_options *options, const char *wanted, ww_context **out) {
    WWI_ENDS(ww_context_destroy) ww_context *context = NULL;
    int ordinal;
    if (is_of_cuda(wanted, &ordinal))
        return create_cuda(ordinal, true, NULL, options, out);
    WWI_TRY(allocate(options, &context));
    wwi_opening_begin();
    const ww_status status = open_wanted(context, wanted, options->threads);
    wwi_opening_end();
    WWI_TRY(status);
    WWI_TRY(prepare(context, options));
    *out = wwi_taken(&context);
    return WW_OK;
}

// ---- several devices

// Of one piece of hardware that several drivers show, the device that would be chosen alone stays, else the first in
// the list. A CPU is one, through whatever driver.
static bool is_twin(const ww_device_info *a, const ww_device_info *b) {
    if (a->platform_index == b->platform_index || a->type != b->type)
        return false;
    return a->type == WW_DEVICE_CPU || (a->pci[0] && strcmp(a->pci, b->pci) == 0);
}

static bool has_better_twin(const wwi_device_list *list, size_t i) {
    const ww_device_info *info = &list->devices[i].info;
    for (size_t j = 0; j < list->count; j++) {
        const ww_device_info *other = &list->devices[j].info;
        if (other->usable && is_twin(info, other) && (other->chosen || (!info->chosen && j < i)))
            return true;
    }
    return false;
}

// Work a second, about: a GPU's compute unit does twenty times as much in a clock as a CPU's.
static double speed_of(const ww_device_info *info) {
    return wwi_device_clocks(info) * (info->type == WW_DEVICE_GPU ? 20 : 1);
}

// Beside a GPU so much faster, a CPU does not make up for what the GPU's threads and its memory lose to it: PoCL on 16
// cores and an H200, 41 times as fast, took 1 to 4 % longer together than the H200 alone.
#define LEAST_SPEED 0.0625

static bool is_too_slow(const wwi_device_list *list, size_t i) {
    const ww_device_info *info = &list->devices[i].info;
    double fastest = 0;
    for (size_t j = 0; j < list->count; j++)
        if (list->devices[j].info.usable && list->devices[j].info.type == WW_DEVICE_GPU)
            fastest = fmax(fastest, speed_of(&list->devices[j].info));
    return info->type == WW_DEVICE_CPU && speed_of(info) < LEAST_SPEED * fastest;
}

static ww_status add_device(ww_context *all, const ww_context_options *options, const char *device) {
    ww_context **made = &all->devices[all->device_count];
    WWI_TRY(create_one(options, device, made));
    all->device_count++;
    for (size_t i = 0; i + 1 < all->device_count; i++)
        if (all->devices[i]->info.index == (*made)->info.index)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "device %u (%.100s) is named twice", (*made)->info.index,
                            (*made)->info.name);
    return WW_OK;
}

static ww_status add_listed(ww_context *all, const ww_context_options *options, const char *devices) {
    WWI_FREES char *names = strdup(devices);
    char *rest = names, *name;
    size_t most = 1;
    if (!names)
        return wwi_fail_memory(strlen(devices));
    for (const char *at = devices; *at; at++)
        most += *at == ',';
    WWI_TRY(wwi_new_zeroed(all->devices, most));
    while ((name = strsep(&rest, ",")))
        WWI_TRY(*name ? add_device(all, options, name)
                      : wwi_fail(WW_ERROR_INVALID_ARGUMENT, "\"%.100s\" has a device without a name", devices));
    return WW_OK;
}

static ww_status add_found(ww_context *all, const ww_context_options *options, bool gpus) {
    WWI_ENDS(wwi_devices_free) wwi_device_list list = {NULL, 0, false};
    size_t chosen;
    wwi_opening_begin();
    ww_status status = wwi_devices_find(&list);
    wwi_opening_end();
    WWI_TRY(status);
    if ((status = wwi_devices_choose(&list, NULL, &chosen)) == WW_OK)
        list.devices[chosen].info.chosen = 1;
    WWI_TRY(wwi_new_zeroed(all->devices, list.count));
    for (size_t i = 0; i < list.count; i++) {
        const ww_device_info *info = &list.devices[i].info;
        char index[16];
        if (!info->usable || (gpus && info->type != WW_DEVICE_GPU) || has_better_twin(&list, i) ||
            is_too_slow(&list, i))
            continue;
        (void)snprintf(index, sizeof index, "%u", info->index);
        WWI_TRY(add_device(all, options, index));
    }
    if (all->device_count > 0)
        return WW_OK;
    (void)wwi_fail(WW_ERROR_NO_DEVICE, gpus ? "there is no usable GPU" : "there is no usable device");
    return wwi_fail_hint("`wavewarp devices` lists what there is");
}

// Of the one device that is wanted.
static ww_status add_one(ww_context *all, const ww_context_options *options, const char *wanted) {
    ww_context_options own = *options;
    own.store = NULL;
    WWI_TRY(wwi_new_zeroed(all->devices, 1));
    WWI_TRY(create_one(&own, wanted, &all->devices[0]));
    all->device_count = 1;
    return WW_OK;
}

// Several devices, or one whose jobs are divided because a store keeps what their units give.
static ww_status create_divided(const ww_context_options *options, const char *wanted, ww_context **out) {
    WWI_ENDS(ww_context_destroy) ww_context *all = NULL;
    WWI_TRY(allocate(options, &all));
    all->tile_seconds = options->tile_seconds > 0 ? options->tile_seconds : 0.5;
    if ((all->store = (wwi_counted *)options->store))
        wwi_counted_retain(all->store);
    WWI_TRY(!wwi_are_several(wanted)      ? add_one(all, options, wanted)
            : strchr(wanted, ',') != NULL ? add_listed(all, options, wanted)
                                          : add_found(all, options, strcmp(wanted, "gpus") == 0));
    if (all->device_count == 1 && !all->store) {
        *out = wwi_taken(&all->devices[0]);
        all->device_count = 0;
        return WW_OK;
    }
    WWI_TRY(wwi_new(all->shares, all->device_count));
    for (size_t i = 0; i < all->device_count; i++)
        all->shares[i] = (ww_device_share)WW_DEVICE_SHARE_INIT;
    *out = wwi_taken(&all);
    return WW_OK;
}

ww_status ww_context_create(const ww_context_options *given, ww_context **out) {
    ww_context_options options;
    WWI_TRY(begin("ww_context_create", given, &options, out));
    if (options.tile_seconds != 0 && !(options.tile_seconds >= 1e-6 && options.tile_seconds <= 3600))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "tile_seconds is %g; 0.000001 to 3600", options.tile_seconds);
    const char *wanted = options.device && options.device[0] ? options.device : wwi_environment("WAVEWARP_DEVICE");
    return options.store || wwi_are_several(wanted) ? create_divided(&options, wanted, out)
                                                    : create_one(&options, wanted, out);
}

// ---- the caller's own objects

// A context of a device also serves its sub-devices; PoCL lists the whole device even for a context of a sub-device.
static bool context_has_device(cl_context cl, cl_device_id device) {
    cl_device_id devices[64];
    size_t bytes = 0;
    if (clGetContextInfo(cl, CL_CONTEXT_DEVICES, sizeof devices, devices, &bytes) != CL_SUCCESS)
        return false;
    while (device) {
        for (size_t i = 0; i < bytes / sizeof devices[0]; i++)
            if (devices[i] == device)
                return true;
        cl_device_id parent = NULL;
        if (clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof(cl_device_id), &parent, NULL) != CL_SUCCESS)
            return false;
        device = parent;
    }
    return false;
}

static ww_status check_wrapped(cl_context cl, cl_device_id device, cl_command_queue queue) {
    cl_command_queue_properties properties = 0;
    cl_context queue_context = NULL;
    cl_device_id queue_device = NULL;
    if (!cl || !device || !queue)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_context_wrap needs a context, a device and a queue");
    if (!context_has_device(cl, device))
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the device is not one of the OpenCL context's");
    if (clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &queue_context, NULL) != CL_SUCCESS ||
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &queue_device, NULL) != CL_SUCCESS ||
        clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL) != CL_SUCCESS ||
        queue_context != cl || queue_device != device)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the queue does not belong to that OpenCL context and device");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the queue runs out of order; an in-order queue is needed");
    return WW_OK;
}

// The places in the list of all devices; a sub-device is not in it.
static void find_places(cl_device_id device, ww_device_info *info) {
    WWI_ENDS(wwi_devices_free) wwi_device_list list = {NULL, 0, false};
    if (wwi_cuda_places(device, &info->index, &info->platform_index))
        return;
    info->index = info->platform_index = UINT32_MAX;
    wwi_opening_begin();
    if (wwi_devices_find(&list) == WW_OK)
        for (size_t i = 0; i < list.count; i++)
            if (list.devices[i].id == device) {
                info->index = list.devices[i].info.index;
                info->platform_index = list.devices[i].info.platform_index;
            }
    wwi_opening_end();
}

static void describe_wrapped(ww_context *context, cl_device_id device) {
    wwi_device described;
    cl_platform_id platform = NULL;
    (void)clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &platform, NULL);
    wwi_device_describe(platform, device, &described);
    find_places(device, &described.info);
    context->platform = platform;
    context->device = device;
    context->info = described.info;
}

static ww_status take_wrapped(ww_context *context, cl_context cl, cl_command_queue queue) {
    cl_int code = clRetainContext(cl);
    if (code != CL_SUCCESS)
        return wwi_fail_cl(context, code, "clRetainContext", "can't hold the caller's context");
    context->cl = cl;
    wwi_count_objects(1);
    code = clRetainCommandQueue(queue);
    if (code != CL_SUCCESS)
        return wwi_fail_cl(context, code, "clRetainCommandQueue", "can't hold the caller's queue");
    context->queue = queue;
    wwi_count_objects(1);
    return WW_OK;
}

ww_status ww_context_wrap(cl_context cl, cl_device_id device, cl_command_queue queue, const ww_context_options *given,
                          ww_context **out) {
    ww_context_options options;
    WWI_ENDS(ww_context_destroy) ww_context *context = NULL;
    WWI_TRY(begin("ww_context_wrap", given, &options, out));
    WWI_TRY(check_wrapped(cl, device, queue));
    if (options.threads)
        return wwi_fail(WW_ERROR_UNSUPPORTED,
                        "ww_context_options.threads is %u; a device of the caller's, or of CUDA's, "
                        "is not divided",
                        options.threads);
    if (options.store)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "a store with a device of the caller's");
    WWI_TRY(allocate(&options, &context));
    describe_wrapped(context, device);
    if (!context->info.usable)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "the device %.100s %s", context->info.name, context->info.why);
    context->info.chosen = 1;
    (void)snprintf(context->info.why, sizeof context->info.why, "in use: given by the caller");
    WWI_TRY(take_wrapped(context, cl, queue));
    WWI_TRY(prepare(context, &options));
    *out = wwi_taken(&context);
    return WW_OK;
}
