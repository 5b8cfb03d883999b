// SPDX-License-Identifier: Apache-2.0
// One OpenCL context a device for the whole test program, behind every ww_context that its tests open one after
// another: PoCL reads its library of built-in functions anew for each context, two thirds of the cost of a program.
// Linked by
// --wrap. With WAVEWARP_TEST_PROGRAMS=FILE each program that is built adds a line there: its hash and its seconds.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

cl_context __real_clCreateContext(const cl_context_properties *, cl_uint, const cl_device_id *,
                                  void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *, cl_int *);
cl_context __wrap_clCreateContext(const cl_context_properties *, cl_uint, const cl_device_id *,
                                  void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *, cl_int *);
cl_int __real_clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *,
                             void(CL_CALLBACK *)(cl_program, void *), void *);
cl_int __wrap_clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *,
                             void(CL_CALLBACK *)(cl_program, void *), void *);

enum { MOST_DEVICES = 16 };

static struct {
    cl_device_id device;
    cl_context context;
} kept[MOST_DEVICES];
static int kept_count;
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

cl_context __wrap_clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                                  void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
                                  cl_int *code) {
    if (count != 1 || notify)
        return __real_clCreateContext(properties, count, devices, notify, user, code);
    cl_context context = NULL;
    (void)pthread_mutex_lock(&kept_lock);
    for (int i = 0; i < kept_count && !context; i++)
        if (kept[i].device == devices[0] && (*code = clRetainContext(kept[i].context)) == CL_SUCCESS)
            context = kept[i].context;
    if (!context) {
        context = __real_clCreateContext(properties, count, devices, notify, user, code);
        if (context && kept_count < MOST_DEVICES && clRetainContext(context) == CL_SUCCESS) {
            kept[kept_count].device = devices[0];
            kept[kept_count++].context = context;
        }
    }
    (void)pthread_mutex_unlock(&kept_lock);
    return context;
}

static double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// FNV-1a
static uint64_t hash_text(const char *text, size_t length, uint64_t hash) {
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

static void note_program(const char *file, cl_program program, const char *options, double seconds) {
    size_t bytes = 0;
    char *source = NULL, line[1200];
    uint64_t hash = hash_text(options, strlen(options), 0xcbf29ce484222325u);
    if (clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &bytes) == CL_SUCCESS && (source = malloc(bytes)) &&
        clGetProgramInfo(program, CL_PROGRAM_SOURCE, bytes, source, NULL) == CL_SUCCESS)
        hash = hash_text(source, bytes, hash);
    free(source);
    const int length =
        snprintf(line, sizeof line, "%016llx %.3f %.1100s\n", (unsigned long long)hash, seconds, options);
    const int out = open(file, O_WRONLY | O_APPEND | O_CREAT, 0644);
    if (out < 0 || write(out, line, (size_t)length) != length) // in one piece: other programs write there, too
        fprintf(stderr, "can't write to %s\n", file);
    if (out >= 0)
        (void)close(out);
}

cl_int __wrap_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                             void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
    const double start = seconds_now();
    const cl_int code = __real_clBuildProgram(program, count, devices, options, notify, user);
    const char *file = getenv("WAVEWARP_TEST_PROGRAMS");
    if (file && options)
        note_program(file, program, options, seconds_now() - start);
    return code;
}
