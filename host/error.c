// SPDX-License-Identifier: Apache-2.0
// The thread's error record and build log, and OpenCL's codes by name.
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static _Thread_local ww_error record = {.struct_size = sizeof(ww_error), .series = -1, .position = -1, .channel = -1};

// The log's length is not limited, so it is on the heap and must be freed with its thread.
static pthread_once_t log_once = PTHREAD_ONCE_INIT;
static pthread_key_t log_key;
static bool log_key_made;

static void make_log_key(void) {
    log_key_made = pthread_key_create(&log_key, free) == 0;
}

// A program may unload the library while its threads live on: they must not call into it when they end.
__attribute__((destructor)) static void delete_log_key(void) {
    if (log_key_made)
        (void)pthread_key_delete(log_key);
}

void wwi_keep_build_log(const char *log) {
    (void)pthread_once(&log_once, make_log_key);
    if (!log_key_made)
        return;
    char *copy = strdup(log);
    free(pthread_getspecific(log_key));
    if (pthread_setspecific(log_key, copy) != 0)
        free(copy);
}

const char *ww_last_build_log(void) {
    (void)pthread_once(&log_once, make_log_key);
    const char *log = log_key_made ? pthread_getspecific(log_key) : NULL;
    return log ? log : "";
}

const ww_error *ww_last_error(void) {
    return &record;
}

// Cuts at the end of a UTF-8 character when the text is too long.
static void put_text(char *target, size_t size, const char *source) {
    size_t length = strlen(source);
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)source[length] & 0xC0) == 0x80)
            length--;
    }
    memmove(target, source, length);
    target[length] = '\0';
}

static void start_record(ww_status status, const char *file, int line) {
    const char *slash = strrchr(file, '/');
    memset(&record, 0, sizeof record);
    record.struct_size = sizeof record;
    record.status = status;
    record.series = -1;
    record.position = -1;
    record.channel = -1;
    put_text(record.file, sizeof record.file, slash ? slash + 1 : file);
    record.line = line;
}

ww_status wwi_fail_again(const ww_error *error, ww_status status) {
    record = *error;
    record.status = status;
    return status;
}

// Arguments may point into the record (an old message inside a new one), so the text is formatted in another buffer.
ww_status wwi_fail_at(ww_status status, const char *file, int line, const char *format, ...) {
    char text[sizeof record.message];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    start_record(status, file, line);
    put_text(record.message, sizeof record.message, text);
    return status;
}

ww_status wwi_fail_hint(const char *format, ...) {
    char text[sizeof record.hint];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_text(record.hint, sizeof record.hint, text);
    return record.status;
}

ww_status wwi_fail_channel(int64_t channel) {
    record.channel = channel;
    return record.status;
}

ww_status wwi_fail_where(int64_t series, int64_t position) {
    record.series = series;
    record.position = position;
    return record.status;
}

ww_status wwi_fail_memory_at(const char *file, int line, uint64_t bytes) {
    return wwi_fail_at(WW_ERROR_OUT_OF_MEMORY, file, line, "%llu bytes of host memory could not be had",
                       (unsigned long long)bytes);
}

ww_status wwi_needs(const char *file, int line, const char *names, const void *const *given, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(names, ",");
        if (!given[i])
            return wwi_fail_at(WW_ERROR_INVALID_ARGUMENT, file, line, "%.*s is NULL", (int)length, names);
        names += length + strspn(names + length, ", ");
    }
    return WW_OK;
}

ww_status wwi_fail_device(const char *name) {
    put_text(record.device, sizeof record.device, name);
    return record.status;
}

ww_status wwi_fail_restore(const ww_error *error, const char *build_log) {
    record = *error;
    if (build_log)
        wwi_keep_build_log(build_log);
    return record.status;
}

const char *wwi_cl_name(cl_int code) {
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
        {0, "CL_SUCCESS"},
        {-1, "CL_DEVICE_NOT_FOUND"},
        {-2, "CL_DEVICE_NOT_AVAILABLE"},
        {-3, "CL_COMPILER_NOT_AVAILABLE"},
        {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {-5, "CL_OUT_OF_RESOURCES"},
        {-6, "CL_OUT_OF_HOST_MEMORY"},
        {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
        {-8, "CL_MEM_COPY_OVERLAP"},
        {-9, "CL_IMAGE_FORMAT_MISMATCH"},
        {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
        {-11, "CL_BUILD_PROGRAM_FAILURE"},
        {-12, "CL_MAP_FAILURE"},
        {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
        {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {-15, "CL_COMPILE_PROGRAM_FAILURE"},
        {-16, "CL_LINKER_NOT_AVAILABLE"},
        {-17, "CL_LINK_PROGRAM_FAILURE"},
        {-18, "CL_DEVICE_PARTITION_FAILED"},
        {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
        {-30, "CL_INVALID_VALUE"},
        {-31, "CL_INVALID_DEVICE_TYPE"},
        {-32, "CL_INVALID_PLATFORM"},
        {-33, "CL_INVALID_DEVICE"},
        {-34, "CL_INVALID_CONTEXT"},
        {-35, "CL_INVALID_QUEUE_PROPERTIES"},
        {-36, "CL_INVALID_COMMAND_QUEUE"},
        {-37, "CL_INVALID_HOST_PTR"},
        {-38, "CL_INVALID_MEM_OBJECT"},
        {-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"},
        {-40, "CL_INVALID_IMAGE_SIZE"},
        {-41, "CL_INVALID_SAMPLER"},
        {-42, "CL_INVALID_BINARY"},
        {-43, "CL_INVALID_BUILD_OPTIONS"},
        {-44, "CL_INVALID_PROGRAM"},
        {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
        {-46, "CL_INVALID_KERNEL_NAME"},
        {-47, "CL_INVALID_KERNEL_DEFINITION"},
        {-48, "CL_INVALID_KERNEL"},
        {-49, "CL_INVALID_ARG_INDEX"},
        {-50, "CL_INVALID_ARG_VALUE"},
        {-51, "CL_INVALID_ARG_SIZE"},
        {-52, "CL_INVALID_KERNEL_ARGS"},
        {-53, "CL_INVALID_WORK_DIMENSION"},
        {-54, "CL_INVALID_WORK_GROUP_SIZE"},
        {-55, "CL_INVALID_WORK_ITEM_SIZE"},
        {-56, "CL_INVALID_GLOBAL_OFFSET"},
        {-57, "CL_INVALID_EVENT_WAIT_LIST"},
        {-58, "CL_INVALID_EVENT"},
        {-59, "CL_INVALID_OPERATION"},
        {-60, "CL_INVALID_GL_OBJECT"},
        {-61, "CL_INVALID_BUFFER_SIZE"},
        {-62, "CL_INVALID_MIP_LEVEL"},
        {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
        {-64, "CL_INVALID_PROPERTY"},
        {-65, "CL_INVALID_IMAGE_DESCRIPTOR"},
        {-66, "CL_INVALID_COMPILER_OPTIONS"},
        {-67, "CL_INVALID_LINKER_OPTIONS"},
        {-68, "CL_INVALID_DEVICE_PARTITION_COUNT"},
        {-69, "CL_INVALID_PIPE_SIZE"},
        {-70, "CL_INVALID_DEVICE_QUEUE"},
        {-71, "CL_INVALID_SPEC_ID"},
        {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
        {-9999, "illegal memory access (NVIDIA's own code)"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == code)
            return names[i].name;
    return "an unknown OpenCL code";
}

static ww_status status_of_code(cl_int code) {
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
        return WW_ERROR_DEVICE_MEMORY;
    case CL_OUT_OF_HOST_MEMORY:
        return WW_ERROR_OUT_OF_MEMORY;
    default:
        return WW_ERROR_OPENCL;
    }
}

static const char *hint_of_code(cl_int code) {
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
        return "the device is out of memory: close other programs that use it, or work in smaller blocks";
    case CL_OUT_OF_HOST_MEMORY:
        return "the driver found no host memory: close other programs, or work in smaller blocks";
    case CL_OUT_OF_RESOURCES:
    case -9999:
        return "a kernel needed more than the device has, ran too long for the system's watchdog, or went wrong; try "
               "another device or engine, and please report it";
    case CL_DEVICE_NOT_AVAILABLE:
        return "the device is lost, or taken by another program: nothing made on this context works any more; make a "
               "new context when `clinfo` shows the device again";
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
        return "the driver gave up this context, as after a kernel that went wrong; make a new context";
    case CL_COMPILER_NOT_AVAILABLE:
        return "the driver has no OpenCL compiler; install the vendor's full package";
    default:
        return "see `clinfo` for the driver's state; a newer driver may help";
    }
}

bool wwi_device_is_lost(const ww_error *error) {
    return error->cl_code == CL_DEVICE_NOT_AVAILABLE || error->cl_code == CL_INVALID_CONTEXT ||
           error->cl_code == CL_INVALID_COMMAND_QUEUE;
}

ww_status wwi_fail_cl_at(const char *file, int line, const ww_context *context, cl_int code, const char *call,
                         const char *format, ...) {
    char what[sizeof record.message];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    (void)wwi_fail_at(status_of_code(code), file, line, "%s: %s gave %s (%d)", what, call, wwi_cl_name(code), code);
    record.cl_code = code;
    put_text(record.cl_name, sizeof record.cl_name, wwi_cl_name(code));
    put_text(record.call, sizeof record.call, call);
    put_text(record.hint, sizeof record.hint, hint_of_code(code));
    return context ? wwi_fail_device(context->info.name) : record.status;
}

const char *ww_status_name(ww_status status) {
    static const char *const names[] = {
        [WW_OK] = "WW_OK",
        [WW_ERROR_INVALID_ARGUMENT] = "WW_ERROR_INVALID_ARGUMENT",
        [WW_ERROR_OUT_OF_MEMORY] = "WW_ERROR_OUT_OF_MEMORY",
        [WW_ERROR_DEVICE_MEMORY] = "WW_ERROR_DEVICE_MEMORY",
        [WW_ERROR_OVERFLOW] = "WW_ERROR_OVERFLOW",
        [WW_ERROR_EMPTY] = "WW_ERROR_EMPTY",
        [WW_ERROR_NOT_FINITE] = "WW_ERROR_NOT_FINITE",
        [WW_ERROR_CHANNELS] = "WW_ERROR_CHANNELS",
        [WW_ERROR_NO_PATH] = "WW_ERROR_NO_PATH",
        [WW_ERROR_NO_LABELS] = "WW_ERROR_NO_LABELS",
        [WW_ERROR_IO] = "WW_ERROR_IO",
        [WW_ERROR_FORMAT] = "WW_ERROR_FORMAT",
        [WW_ERROR_NO_PLATFORM] = "WW_ERROR_NO_PLATFORM",
        [WW_ERROR_NO_DEVICE] = "WW_ERROR_NO_DEVICE",
        [WW_ERROR_UNSUPPORTED] = "WW_ERROR_UNSUPPORTED",
        [WW_ERROR_KERNEL_SOURCE] = "WW_ERROR_KERNEL_SOURCE",
        [WW_ERROR_BUILD] = "WW_ERROR_BUILD",
        [WW_ERROR_OPENCL] = "WW_ERROR_OPENCL",
        [WW_ERROR_CANCELLED] = "WW_ERROR_CANCELLED",
        [WW_ERROR_INTERNAL] = "WW_ERROR_INTERNAL",
        [WW_ERROR_PART] = "WW_ERROR_PART",
    };
    size_t i = (size_t)status;
    return i < sizeof names / sizeof names[0] ? names[i] : "an unknown status";
}

void ww_free(void *pointer) {
    free(pointer);
}

_Static_assert(WW_API_VERSION == WWI_API_VERSION, "meson.build and status.h name the same version");

int ww_api_version(void) {
    return WW_API_VERSION;
}

const char *ww_version(void) {
    return WW_VERSION;
}
