// SPDX-License-Identifier: Apache-2.0
// The devices that the OpenCL loader finds, and the choice of one.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "options.h"

#ifndef CL_PLATFORM_NOT_FOUND_KHR
#define CL_PLATFORM_NOT_FOUND_KHR (-1001)
#endif

double wwi_device_clocks(const ww_device_info *info) {
    const double units = info->compute_units > 0 ? (double)info->compute_units : 1;
    const double least = 100, clock = (double)info->clock_mhz > least ? (double)info->clock_mhz : least; // MHz
    return units * clock * 1e6;
}

bool wwi_text_contains(const char *text, const char *part) {
    return strcasestr(text, part) != NULL;
}

// Reads one text property; some drivers pad names with spaces.
static void device_text(cl_device_id id, cl_device_info what, char *target, size_t size) {
    char text[1024] = "";
    if (clGetDeviceInfo(id, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    char *start = text + strspn(text, " \t");
    size_t length = strlen(start);
    while (length > 0 && isspace((unsigned char)start[length - 1]))
        length--;
    if (length >= size)
        length = size - 1;
    memcpy(target, start, length);
    target[length] = '\0';
}

static uint64_t device_u64(cl_device_id id, cl_device_info what) {
    cl_ulong value = 0;
    return clGetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static uint64_t device_u32(cl_device_id id, cl_device_info what) {
    cl_uint value = 0;
    return clGetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static uint64_t device_max_work_group(cl_device_id id) {
    size_t total = 0, dimensions[8] = {0};
    if (clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof total, &total, NULL) != CL_SUCCESS)
        return 0;
    if (clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof dimensions, dimensions, NULL) == CL_SUCCESS &&
        dimensions[0] > 0 && dimensions[0] < total)
        total = dimensions[0];
    return total;
}

// A simulator that reports all types at once is of type `other`.
static ww_device_type device_type(cl_device_id id) {
    cl_device_type type = 0;
    if (clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL) != CL_SUCCESS)
        return WW_DEVICE_OTHER;
    type &= CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU;
    if (type == CL_DEVICE_TYPE_GPU)
        return WW_DEVICE_GPU;
    return type == CL_DEVICE_TYPE_CPU ? WW_DEVICE_CPU : WW_DEVICE_OTHER;
}

static bool host_is_little_endian(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

static const char *reason_unusable(cl_device_id id, const ww_device_info *info) {
    cl_device_type type = 0;
    unsigned major = 0, minor = 0;
    (void)clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (type & CL_DEVICE_TYPE_CUSTOM)
        return "it runs built-in kernels only";
    if (!device_u32(id, CL_DEVICE_AVAILABLE))
        return "its driver reports it as not available";
    if (!device_u32(id, CL_DEVICE_COMPILER_AVAILABLE))
        return "its driver has no OpenCL compiler";
    if (sscanf(info->version, "OpenCL %u.%u", &major, &minor) != 2 || major * 10 + minor < 12)
        return "its OpenCL is older than 1.2";
    if ((device_u32(id, CL_DEVICE_ENDIAN_LITTLE) != 0) != host_is_little_endian())
        return "its byte order is not the host's";
    if (info->max_work_group == 0 || info->max_buffer_bytes == 0)
        return "its driver does not state its limits";
    return NULL;
}

void wwi_device_describe(cl_platform_id platform, cl_device_id id, wwi_device *device) {
    ww_device_info *info = &device->info;
    memset(device, 0, sizeof *device);
    info->struct_size = sizeof *info;
    device->platform = platform;
    device->id = id;
    device_text(id, CL_DEVICE_NAME, info->name, sizeof info->name);
    device_text(id, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    device_text(id, CL_DEVICE_VERSION, info->version, sizeof info->version);
    device_text(id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof info->platform - 1, info->platform, NULL) != CL_SUCCESS)
        info->platform[0] = '\0';
    info->type = device_type(id);
    info->compute_units = device_u32(id, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->clock_mhz = device_u32(id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info->global_bytes = device_u64(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_buffer_bytes = device_u64(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_bytes = device_u64(id, CL_DEVICE_LOCAL_MEM_SIZE);
    info->max_work_group = device_max_work_group(id);
    info->has_double = device_u64(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    device->unified_memory = device_u32(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
    wwi_device_identify(id, info);
    const char *reason = reason_unusable(id, info);
    info->usable = reason == NULL;
    if (reason)
        (void)snprintf(info->why, sizeof info->why, "can't be used: %s", reason);
}

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

void wwi_opening_begin(void) {
    (void)pthread_mutex_lock(&opening);
}

void wwi_opening_end(void) {
    (void)pthread_mutex_unlock(&opening);
}

static ww_status append_platform(wwi_device_list *list, cl_platform_id platform, unsigned platform_index) {
    WWI_FREES cl_device_id *ids = NULL;
    cl_uint count = 0;

    // A platform whose driver finds no hardware returns an error; the other platforms are still listed.
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) != CL_SUCCESS || count == 0) {
        char name[128] = "";
        (void)clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        list->pocl_is_silent |= wwi_text_contains(name, WWI_POCL);
        return WW_OK;
    }
    WWI_TRY(wwi_new_zeroed(ids, count));
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL) != CL_SUCCESS)
        return WW_OK;
    wwi_device *devices = realloc(list->devices, (list->count + count) * sizeof *devices);
    if (!devices)
        return wwi_fail_memory((list->count + count) * sizeof *devices);
    list->devices = devices;
    for (cl_uint i = 0; i < count; i++) {
        wwi_device *device = &devices[list->count];
        wwi_device_describe(platform, ids[i], device);
        device->info.index = (unsigned)list->count++;
        device->info.platform_index = platform_index;
        device->in_platform = i;
    }
    return WW_OK;
}

// PoCL always has a device, unless its cache can't be used.
static bool fails_by_pocl(const wwi_device_list *list, ww_status *status) {
    char reason[400];
    if (!list->pocl_is_silent || !wwi_pocl_cache_fails(reason, sizeof reason))
        return false;
    (void)wwi_fail(WW_ERROR_NO_DEVICE, "no device: %s", reason);
    *status = wwi_fail_hint_pocl_cache();
    return true;
}

ww_status wwi_devices_find(wwi_device_list *list) {
    WWI_FREES cl_platform_id *platforms = NULL;
    ww_status status;
    cl_uint count = 0;

    *list = (wwi_device_list){NULL, 0, false};
    cl_int code = clGetPlatformIDs(0, NULL, &count);
    if (code == CL_PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && count == 0))
        return wwi_fail_no_platform();
    if (code != CL_SUCCESS)
        return wwi_fail_cl(NULL, code, "clGetPlatformIDs", "can't list the OpenCL platforms");
    WWI_TRY(wwi_new_zeroed(platforms, count));
    code = clGetPlatformIDs(count, platforms, NULL);
    if (code != CL_SUCCESS)
        return wwi_fail_cl(NULL, code, "clGetPlatformIDs", "can't list the OpenCL platforms");
    for (cl_uint i = 0; i < count; i++)
        WWI_TRY(append_platform(list, platforms[i], i));
    if (list->count > 0)
        return WW_OK;
    if (fails_by_pocl(list, &status))
        return status;
    (void)wwi_fail(WW_ERROR_NO_DEVICE, "OpenCL is installed, but none of its %u platforms has a device", count);
    return wwi_fail_hint("see `clinfo`; on a machine without a GPU install PoCL: `apt install pocl-opencl-icd`");
}

void wwi_devices_free(wwi_device_list *list) {
    free(list->devices);
    *list = (wwi_device_list){NULL, 0, false};
}

static bool is_stand_in(const ww_device_info *info) { // not the hardware vendor's own platform
    return wwi_text_contains(info->platform, WWI_POCL) || wwi_text_contains(info->platform, "rusticl") ||
           wwi_text_contains(info->platform, "Clover");
}

// Positive when a is the better choice: a GPU before a CPU, one with its own memory before an integrated one, then
// speed as reported by the driver; among CPUs PoCL, for which the library is tuned.
static int compare_devices(const wwi_device *a, const wwi_device *b) {
    const ww_device_info *x = &a->info, *y = &b->info;
    if (x->usable != y->usable)
        return x->usable - y->usable;
    if (x->type != y->type)
        return (int)y->type - (int)x->type;
    if (x->type == WW_DEVICE_CPU) {
        int pocl_x = wwi_text_contains(x->platform, WWI_POCL);
        int pocl_y = wwi_text_contains(y->platform, WWI_POCL);
        if (pocl_x != pocl_y)
            return pocl_x - pocl_y;
    } else if (a->unified_memory != b->unified_memory) {
        return (int)b->unified_memory - (int)a->unified_memory;
    }
    uint64_t speed_x = x->compute_units * x->clock_mhz, speed_y = y->compute_units * y->clock_mhz;
    if (speed_x != speed_y)
        return speed_x > speed_y ? 1 : -1;
    return (int)is_stand_in(y) - (int)is_stand_in(x);
}

typedef bool (*device_match)(const wwi_device *device, const char *wanted);

static bool match_any(const wwi_device *device, const char *wanted) {
    (void)device, (void)wanted;
    return true;
}

static bool match_type(const wwi_device *device, const char *wanted) {
    ww_device_type type = device->info.type;
    return (type == WW_DEVICE_GPU && strcasecmp(wanted, "gpu") == 0) ||
           (type == WW_DEVICE_CPU && strcasecmp(wanted, "cpu") == 0);
}

static bool match_index(const wwi_device *device, const char *wanted) {
    return device->info.index == strtoull(wanted, NULL, 10);
}

static bool match_pair(const wwi_device *device, const char *wanted) {
    return device->info.platform_index == strtoull(wanted, NULL, 10) &&
           device->in_platform == strtoull(strchr(wanted, ':') + 1, NULL, 10);
}

static bool match_identity(const wwi_device *device, const char *wanted) {
    return wwi_device_has_identity(&device->info, wanted);
}

static bool match_name(const wwi_device *device, const char *wanted) {
    return wwi_text_contains(device->info.name, wanted);
}

static bool match_origin(const wwi_device *device, const char *wanted) {
    return wwi_text_contains(device->info.platform, wanted) || wwi_text_contains(device->info.vendor, wanted);
}

static const wwi_device *best_match(const wwi_device_list *list, device_match match, const char *wanted) {
    const wwi_device *best = NULL;
    for (size_t i = 0; i < list->count; i++)
        if (match(&list->devices[i], wanted) && (!best || compare_devices(&list->devices[i], best) > 0))
            best = &list->devices[i];
    return best;
}

static bool is_number(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char)text[i]))
            return false;
    return length > 0;
}

static const wwi_device *find_wanted(const wwi_device_list *list, const char *wanted) {
    const char *colon = strchr(wanted, ':');
    if (strcasecmp(wanted, "gpu") == 0 || strcasecmp(wanted, "cpu") == 0)
        return best_match(list, match_type, wanted);
    if (is_number(wanted, strlen(wanted)))
        return best_match(list, match_index, wanted);
    if (colon && is_number(wanted, (size_t)(colon - wanted)) && is_number(colon + 1, strlen(colon + 1)))
        return best_match(list, match_pair, wanted);
    const device_match by_text[] = {match_identity, match_name, match_origin};
    const wwi_device *device = NULL;
    for (size_t i = 0; i < sizeof by_text / sizeof *by_text && !device; i++)
        device = best_match(list, by_text[i], wanted);
    return device;
}

static ww_status fail_unknown_device(const wwi_device_list *list, const char *wanted) {
    char names[400] = "";
    size_t length = 0;
    ww_status status;
    if (fails_by_pocl(list, &status))
        return status;
    for (size_t i = 0; i < list->count && length < sizeof names - 1; i++) {
        int more =
            snprintf(names + length, sizeof names - length, "%s%zu (%s)", i ? ", " : "", i, list->devices[i].info.name);
        length += more > 0 ? (size_t)more : 0;
    }
    (void)wwi_fail(WW_ERROR_NO_DEVICE, "no device matches \"%.60s\"; the device%s %s", wanted,
                   list->count == 1 ? " here is" : "s here are", names);
    return wwi_fail_hint("give \"gpu\", \"cpu\", an index from `wavewarp devices`, \"platform:device\", a UUID, a PCI "
                         "address or a part of a name; leave it out (and unset WAVEWARP_DEVICE) for the best one");
}

ww_status wwi_devices_choose(const wwi_device_list *list, const char *wanted, size_t *chosen) {
    bool named = wanted && wanted[0];
    const wwi_device *device = named ? find_wanted(list, wanted) : best_match(list, match_any, NULL);
    if (!device)
        return fail_unknown_device(list, named ? wanted : "");
    if (!device->info.usable) {
        (void)wwi_fail(WW_ERROR_NO_DEVICE, "device %u (%s) %s", device->info.index, device->info.name,
                       device->info.why);
        (void)wwi_fail_hint("choose another device, or install PoCL: `apt install pocl-opencl-icd`");
        return wwi_fail_device(device->info.name);
    }
    *chosen = (size_t)(device - list->devices);
    return WW_OK;
}

static void explain(wwi_device *device, const wwi_device *chosen, const char *wanted) {
    ww_device_info *info = &device->info;
    if (!info->usable)
        return;
    if (device == chosen && wanted) {
        (void)snprintf(info->why, sizeof info->why, "chosen by WAVEWARP_DEVICE=%s", wanted);
    } else if (device == chosen) {
        (void)snprintf(info->why, sizeof info->why, "chosen: the best usable device (a GPU before a CPU, then speed)");
    } else if (wanted) {
        (void)snprintf(info->why, sizeof info->why, "not chosen: WAVEWARP_DEVICE=%s asks for another", wanted);
    } else {
        (void)snprintf(info->why, sizeof info->why, "not chosen: device %u ranks before it", chosen->info.index);
    }
    info->chosen = device == chosen;
}

struct ww_device_list {
    wwi_device_list found;
};

bool wwi_are_several(const char *wanted) {
    return wanted && (strcmp(wanted, "all") == 0 || strcmp(wanted, "gpus") == 0 || strchr(wanted, ','));
}

void ww_device_list_destroy(ww_device_list **pointer) {
    ww_device_list *list = wwi_taken(pointer);
    if (list)
        wwi_devices_free(&list->found);
    free(list);
}

ww_status ww_device_list_create(ww_device_list **out) {
    WWI_ENDS(ww_device_list_destroy) ww_device_list *list = NULL;
    size_t chosen = 0;
    if (!out)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_device_list_create needs a place for the list");
    *out = NULL;
    WWI_TRY(wwi_check_first_use());
    WWI_TRY(wwi_new_zeroed(list, 1));
    wwi_opening_begin();
    const ww_status status = wwi_devices_find(&list->found);
    wwi_opening_end();
    WWI_TRY(status);
    wwi_device *devices = list->found.devices;
    const char *wanted = wwi_environment("WAVEWARP_DEVICE");
    if (wwi_are_several(wanted)) // of all of them the best one
        wanted = NULL;
    bool found = wwi_devices_choose(&list->found, wanted, &chosen) == WW_OK;
    for (size_t i = 0; i < list->found.count; i++) {
        if (found)
            explain(&devices[i], &devices[chosen], wanted);
        else if (devices[i].info.usable)
            (void)snprintf(devices[i].info.why, sizeof devices[i].info.why,
                           "not chosen: WAVEWARP_DEVICE=%s asks for another", wanted ? wanted : "");
    }
    *out = wwi_taken(&list);
    return WW_OK;
}

size_t ww_device_list_count(const ww_device_list *list) {
    return list ? list->found.count : 0;
}

ww_status ww_device_list_get_info(const ww_device_list *list, size_t i, ww_device_info *info) {
    if (!list || !info || i >= list->found.count)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the list or the record is NULL, or there is no device %zu", i);
    return wwi_struct_give(info, &list->found.devices[i].info, "ww_device_info");
}
