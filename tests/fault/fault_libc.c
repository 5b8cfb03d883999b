// SPDX-License-Identifier: Apache-2.0
// Allocations and file operations that fail on demand: linked with -Wl,--wrap, so only calls from our own objects pass
// here. A file that is closed is closed even where the closing fails, as the system does it; removals never fail: there
// would be nothing a caller could do.
#include "fault_libc.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

atomic_long wwt_allocations, wwt_allocation_to_fail;
atomic_long wwt_file_operations, wwt_file_operation_to_fail;
const char *wwt_failed_operation;

static bool allocation_fails(const char *name) {
    if (atomic_fetch_add(&wwt_allocations, 1) + 1 != atomic_load(&wwt_allocation_to_fail))
        return false;
    wwt_failed_operation = name;
    return true;
}

// Every third time the disk is full.
static bool operation_fails(const char *name) {
    const long number = atomic_fetch_add(&wwt_file_operations, 1) + 1;
    if (number != atomic_load(&wwt_file_operation_to_fail))
        return false;
    wwt_failed_operation = name;
    errno = number % 3 ? EIO : ENOSPC;
    return true;
}

// ---- for processes that have no test in them

__attribute__((constructor)) static void obey(void) {
    const char *wish = getenv("WAVEWARP_FAULT");
    char what[16] = "";
    long number = 0;
    if (!wish || sscanf(wish, "%15s %ld", what, &number) != 2)
        return;
    if (strcmp(what, "allocation") == 0)
        atomic_store(&wwt_allocation_to_fail, number);
    if (strcmp(what, "file") == 0)
        atomic_store(&wwt_file_operation_to_fail, number);
}

FILE *__real_fopen(const char *path, const char *mode);
int __real_fclose(FILE *stream);

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("WAVEWARP_FAULT_COUNTS");
    FILE *file = path ? __real_fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "allocations %ld\nfiles %ld\n", atomic_load(&wwt_allocations), atomic_load(&wwt_file_operations));
    __real_fclose(file);
}

// ---- allocations

// The count of host memory (tests/device/host_memory.c), in programs that have it.
__attribute__((weak)) void *wwt_host_note(void *memory, size_t bytes, const void *caller);
__attribute__((weak)) void wwt_host_forget(const void *memory);

static void *noted(void *memory, const void *caller) {
    return wwt_host_note ? wwt_host_note(memory, memory ? malloc_usable_size(memory) : 0, caller) : memory;
}

#define ALLOCATION(name, parameters, arguments)                                                                        \
    void *__real_##name parameters;                                                                                    \
    void *__wrap_##name parameters;                                                                                    \
    void *__wrap_##name parameters {                                                                                   \
        return allocation_fails(#name) ? NULL : noted(__real_##name arguments, __builtin_return_address(0));           \
    }

ALLOCATION(malloc, (size_t bytes), (bytes))
ALLOCATION(calloc, (size_t count, size_t bytes), (count, bytes))
ALLOCATION(strdup, (const char *text), (text))
ALLOCATION(strndup, (const char *text, size_t bytes), (text, bytes))

void *__real_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes) {
    if (allocation_fails("realloc"))
        return NULL;
    if (wwt_host_forget)
        wwt_host_forget(old);
    void *made = __real_realloc(old, bytes);
    return made ? noted(made, __builtin_return_address(0)) : noted(old, __builtin_return_address(0));
}

// ---- files

#define OPERATION(type, failure, name, parameters, arguments)                                                          \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters {                                                                                    \
        return operation_fails(#name) ? (failure) : __real_##name arguments;                                           \
    }

// The stream whose error flag is to be seen as set.
static FILE *broken;

static bool stream_fails(const char *name, FILE *stream) {
    if (!operation_fails(name))
        return false;
    broken = stream;
    return true;
}

#define ON_STREAM(type, failure, name, parameters, arguments)                                                          \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters {                                                                                    \
        return stream_fails(#name, stream) ? (failure) : __real_##name arguments;                                      \
    }

// A third argument that open() was not given is not used by it.
OPERATION(int, -1, open, (const char *path, int flags, mode_t mode), (path, flags, mode))
OPERATION(int, -1, open64, (const char *path, int flags, mode_t mode), (path, flags, mode))
OPERATION(FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
OPERATION(FILE *, NULL, fopen64, (const char *path, const char *mode), (path, mode))
OPERATION(FILE *, NULL, fdopen, (int file, const char *mode), (file, mode))
OPERATION(ssize_t, -1, read, (int file, void *to, size_t bytes), (file, to, bytes))
OPERATION(ssize_t, -1, write, (int file, const void *from, size_t bytes), (file, from, bytes))
OPERATION(ssize_t, -1, pread64, (int file, void *to, size_t bytes, off_t at), (file, to, bytes, at))
OPERATION(ssize_t, -1, pwrite64, (int file, const void *from, size_t bytes, off_t at), (file, from, bytes, at))
OPERATION(off_t, -1, lseek64, (int file, off_t at, int from), (file, at, from))
OPERATION(int, -1, fsync, (int file), (file))
OPERATION(int, -1, fchmod, (int file, mode_t mode), (file, mode))
OPERATION(int, -1, ftruncate64, (int file, off_t bytes), (file, bytes))
OPERATION(int, -1, fallocate64, (int file, int mode, off_t at, off_t bytes), (file, mode, at, bytes))
OPERATION(int, -1, stat64, (const char *path, struct stat *about), (path, about))
OPERATION(int, -1, lstat64, (const char *path, struct stat *about), (path, about))
OPERATION(int, -1, fstat64, (int file, struct stat *about), (file, about))
OPERATION(int, -1, rename, (const char *from, const char *to), (from, to))
OPERATION(int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
OPERATION(int, -1, mkostemp64, (char *path, int flags), (path, flags))
OPERATION(DIR *, NULL, opendir, (const char *path), (path))
OPERATION(char *, NULL, realpath, (const char *path, char *to), (path, to))
ON_STREAM(size_t, 0, fread, (void *to, size_t size, size_t count, FILE *stream), (to, size, count, stream))
ON_STREAM(size_t, 0, fwrite, (const void *from, size_t size, size_t count, FILE *stream), (from, size, count, stream))
ON_STREAM(int, EOF, fputs, (const char *text, FILE *stream), (text, stream))
ON_STREAM(int, EOF, fflush, (FILE * stream), (stream))

int __real_close(int file);
int __wrap_close(int file);
int __wrap_close(int file) {
    const bool fails = operation_fails("close");
    const int error = errno, result = __real_close(file);
    errno = fails ? error : errno;
    return fails ? -1 : result;
}

int __wrap_fclose(FILE *stream);
int __wrap_fclose(FILE *stream) {
    const bool fails = operation_fails("fclose");
    if (stream == broken)
        broken = NULL;
    const int error = errno, result = __real_fclose(stream);
    errno = fails ? error : errno;
    return fails ? EOF : result;
}

int __real_ferror(FILE *stream);
int __wrap_ferror(FILE *stream);
int __wrap_ferror(FILE *stream) {
    return stream == broken || __real_ferror(stream);
}
