// SPDX-License-Identifier: Apache-2.0
// Program binaries on disk, for the drivers that keep none themselves. No error here can fail a job: a file with any
// fault is ignored, and the program is built from source.
//
// A file: 8 bytes of magic, the SHA-256 of the key, the SHA-256 of the binary, the binary. Both sums are checked before
// a driver gets the binary, because some drivers crash on a damaged one. cache_bound.c limits the folder's size.
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

#define FORMAT "wwcache1"
enum { FORMAT_BYTES = sizeof FORMAT - 1, HEADER_BYTES = FORMAT_BYTES + 2 * 32 };
enum { MOST_MEGABYTES = 256, MOST_DAYS = 90 };

bool wwi_disk_cache_wanted(const ww_device_info *info) {
    static const char *const cached_by_driver[] = {WWI_POCL, "NVIDIA", "rusticl", "Clover", "Oclgrind"};
    const char *target = wwi_environment("WAVEWARP_PROGRAM_CACHE");
    if (target)
        return strcmp(target, "0") != 0;
    if (!info->platform[0]) // the driver did not report it: don't try
        return false;
    for (size_t i = 0; i < sizeof cached_by_driver / sizeof cached_by_driver[0]; i++)
        if (wwi_text_contains(info->platform, cached_by_driver[i]))
            return false;
    return true;
}

// Everything the binary depends on, each part terminated so that different keys give different texts.
static bool make_key(const ww_context *context, const char *source, const char *options, wwi_sha256_digest *key) {
    char platform_version[256] = "";
    (void)clGetPlatformInfo(context->platform, CL_PLATFORM_VERSION, sizeof platform_version - 1, platform_version,
                            NULL);
    const char *parts[] = {FORMAT,
                           WW_VERSION,
                           context->info.platform,
                           platform_version,
                           context->info.vendor,
                           context->info.name,
                           context->info.version,
                           context->info.driver,
                           options,
                           source};
    size_t bytes = 0, count = sizeof parts / sizeof parts[0];
    for (size_t i = 0; i < count; i++)
        bytes += strlen(parts[i]) + 1;
    WWI_FREES char *text = malloc(bytes);
    if (!text)
        return false;
    char *at = text;
    for (size_t i = 0; i < count; i++) {
        size_t part = strlen(parts[i]) + 1;
        memcpy(at, parts[i], part);
        at += part;
    }
    *key = wwi_sha256(text, bytes);
    return true;
}

static bool is_safe(const struct stat *about) {
    return about->st_uid == geteuid() && (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Only a folder that only this user can write is used, since a binary is code; and nobody else may put another in its
// place: each folder above is this user's or root's, and others can't write it, or, with the sticky bit, not rename
// there.
static bool is_private_folder(const char *path) {
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISDIR(about.st_mode) || !is_safe(&about))
        return false;
    WWI_FREES char *above = realpath(path, NULL);
    bool safe = above != NULL;
    for (char *slash; safe && (slash = strrchr(above, '/')) && above[1];) {
        slash[slash == above ? 1 : 0] = '\0';
        safe = stat(above, &about) == 0 && (about.st_uid == geteuid() || about.st_uid == 0) &&
               ((about.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (about.st_mode & S_ISVTX));
    }
    return safe;
}

// The file that was checked is the one that is read.
static char *read_private(const char *path, size_t *bytes) {
    struct stat about;
    char *content = NULL;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return NULL;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && is_safe(&about) && about.st_size > 0)
        content = malloc((size_t)about.st_size);
    *bytes = 0;
    while (content && *bytes < (size_t)about.st_size) {
        const ssize_t got = read(file, content + *bytes, (size_t)about.st_size - *bytes);
        if (got <= 0)
            break;
        *bytes += (size_t)got;
    }
    close(file);
    return content;
}

static char *cache_path(const wwi_sha256_digest *key, bool make) {
    char name[72], hex[65];
    WWI_FREES char *folder = wwi_user_folder("XDG_CACHE_HOME", ".cache");
    WWI_FREES char *programs = folder ? wwi_path_join(folder, "programs") : NULL;
    if (!programs || (make && wwi_make_folders(programs, 0700) != WW_OK) || !is_private_folder(programs))
        return NULL;
    wwi_sha256_hex(key, hex);
    (void)snprintf(name, sizeof name, "%s.bin", hex);
    return wwi_path_join(programs, name);
}

static bool is_intact(const uint8_t *file, size_t bytes, const wwi_sha256_digest *key) {
    if (bytes <= HEADER_BYTES || memcmp(file, FORMAT, FORMAT_BYTES) != 0 ||
        memcmp(file + FORMAT_BYTES, key->bytes, 32) != 0)
        return false;
    wwi_sha256_digest sum = wwi_sha256(file + HEADER_BYTES, bytes - HEADER_BYTES);
    return memcmp(file + FORMAT_BYTES + 32, sum.bytes, 32) == 0;
}

static cl_program from_binary(ww_context *context, const uint8_t *binary, size_t bytes, const char *options) {
    cl_int code = CL_SUCCESS, binary_status = CL_SUCCESS;
    const unsigned char *pointer = binary;
    cl_program program =
        clCreateProgramWithBinary(context->cl, 1, &context->device, &bytes, &pointer, &binary_status, &code);
    if (!program)
        return NULL;
    wwi_count_objects(1);
    if (binary_status == CL_SUCCESS && clBuildProgram(program, 1, &context->device, options, NULL, NULL) == CL_SUCCESS)
        return program;
    (void)clReleaseProgram(program);
    wwi_count_objects(-1);
    return NULL;
}

cl_program wwi_disk_cache_load(ww_context *context, const char *source, const char *options) {
    wwi_sha256_digest key;
    size_t bytes = 0;
    cl_program program = NULL;
    WWI_FREES char *path = make_key(context, source, options, &key) ? cache_path(&key, false) : NULL;
    WWI_FREES char *file = path ? read_private(path, &bytes) : NULL;
    if (!file)
        return NULL;
    if (is_intact((const uint8_t *)file, bytes, &key))
        program = from_binary(context, (const uint8_t *)file + HEADER_BYTES, bytes - HEADER_BYTES, options);
    if (program)
        wwi_cache_used(path);
    else
        (void)unlink(path); // damaged, or the driver does not accept it
    return program;
}

// The program may have several devices (a wrapped context): only this device's binary is needed.
static uint8_t *get_binary(const ww_context *context, cl_program program, size_t *bytes) {
    enum { MOST = 64 };
    cl_device_id devices[MOST];
    size_t sizes[MOST] = {0}, got = 0;
    unsigned char *binaries[MOST] = {NULL};
    WWI_FREES uint8_t *file = NULL;
    if (clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &got) != CL_SUCCESS ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL) != CL_SUCCESS)
        return NULL;
    for (size_t i = 0; i < got / sizeof devices[0]; i++) {
        if (devices[i] != context->device || sizes[i] == 0 || file)
            continue;
        file = malloc(HEADER_BYTES + sizes[i]);
        binaries[i] = file ? file + HEADER_BYTES : NULL;
        *bytes = sizes[i];
    }
    // Exactly as many pointers as devices: rusticl aborts on more.
    if (file && clGetProgramInfo(program, CL_PROGRAM_BINARIES, got / sizeof devices[0] * sizeof binaries[0], binaries,
                                 NULL) != CL_SUCCESS)
        return NULL;
    return wwi_taken(&file);
}

// A whole number of the environment, from 1 to 10^6.
static uint64_t limit(const ww_context *context, const char *variable, uint64_t standard) {
    const char *text = wwi_environment(variable);
    char *end = NULL;
    const unsigned long value = text && isdigit((unsigned char)text[0]) ? strtoul(text, &end, 10) : 0;
    if (value >= 1 && value <= 1000000 && *end == '\0')
        return value;
    if (text)
        wwi_log(context, 1, "%s=%.40s is not a whole number from 1 to 1000000; %llu is used", variable, text,
                (unsigned long long)standard);
    return standard;
}

// After each program that is stored: compiling took seconds, this only lists a folder.
static void bound(const ww_context *context, const char *path) {
    WWI_FREES char *folder = strdup(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (!slash)
        return;
    *slash = '\0';
    wwi_cache_bound(folder, limit(context, "WAVEWARP_PROGRAM_CACHE_MB", MOST_MEGABYTES) << 20,
                    limit(context, "WAVEWARP_PROGRAM_CACHE_DAYS", MOST_DAYS) * 24 * 3600);
}

void wwi_disk_cache_store(ww_context *context, const char *source, const char *options, cl_program program) {
    wwi_sha256_digest key;
    size_t bytes = 0;
    WWI_FREES char *path = make_key(context, source, options, &key) ? cache_path(&key, true) : NULL;
    WWI_FREES uint8_t *file = path ? get_binary(context, program, &bytes) : NULL;
    if (!file)
        return;
    wwi_sha256_digest sum = wwi_sha256(file + HEADER_BYTES, bytes);
    memcpy(file, FORMAT, FORMAT_BYTES);
    memcpy(file + FORMAT_BYTES, key.bytes, 32);
    memcpy(file + FORMAT_BYTES + 32, sum.bytes, 32);
    if (wwi_file_replace(path, file, HEADER_BYTES + bytes) == WW_OK)
        bound(context, path);
    else
        wwi_log(context, 3, "a program could not be cached: %s", ww_last_error()->message);
}
