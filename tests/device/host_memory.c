// SPDX-License-Identifier: Apache-2.0
// Counts host memory: the linker puts the functions of this file in the place of those that allocate, in the library's
// objects and in the test's. Programs with functions of their own in that place (limits, memory) are not counted here.
#include "host_memory.h"

#include <check.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/wavewarp.h>

// Where the program begins in memory, by the linker.
extern const char __executable_start;

// ---- what is allocated

typedef struct block {
    struct block *next;
    const void *memory;
    const void *caller;
    size_t bytes;
    uint64_t serial;
} block;

enum { LISTS = 1 << 16 };
static block *lists[LISTS];
static uint64_t serial, marked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// A child of fork() has the lock free.
static void before_fork(void) {
    (void)pthread_mutex_lock(&lock);
}
static void after_fork(void) {
    (void)pthread_mutex_unlock(&lock);
}
__attribute__((constructor)) static void watch_forks(void) {
    (void)pthread_atfork(before_fork, after_fork, after_fork);
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t bytes);
void __real_free(void *memory);

static block **list_of(const void *memory) {
    return &lists[((uintptr_t)memory >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 48];
}

void *wwt_host_note(void *memory, size_t bytes, const void *caller) {
    block *made = memory ? __real_malloc(sizeof *made) : NULL;
    if (!made)
        return memory;
    (void)pthread_mutex_lock(&lock);
    block **list = list_of(memory);
    *made = (block){*list, memory, caller, bytes, ++serial};
    *list = made;
    (void)pthread_mutex_unlock(&lock);
    return memory;
}

// Memory of another's, such as realpath()'s, is not there.
void wwt_host_forget(const void *memory) {
    block *found = NULL;
    (void)pthread_mutex_lock(&lock);
    for (block **at = list_of(memory); *at && !found; at = found ? at : &(*at)->next)
        if ((*at)->memory == memory) {
            found = *at;
            *at = found->next;
        }
    (void)pthread_mutex_unlock(&lock);
    __real_free(found);
}

// ---- in the place of the C library's

#define REPLACES __attribute__((weak))
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t bytes);
void __wrap_free(void *memory);

REPLACES void *__wrap_malloc(size_t bytes) {
    return wwt_host_note(__real_malloc(bytes), bytes, __builtin_return_address(0));
}

REPLACES void *__wrap_calloc(size_t count, size_t bytes) {
    return wwt_host_note(__real_calloc(count, bytes), count * bytes, __builtin_return_address(0));
}

REPLACES void *__wrap_realloc(void *old, size_t bytes) {
    wwt_host_forget(old);
    void *made = __real_realloc(old, bytes);
    return made ? wwt_host_note(made, bytes, __builtin_return_address(0))
                : wwt_host_note(old, 0, __builtin_return_address(0));
}

REPLACES char *__wrap_strdup(const char *text) {
    return wwt_host_note(__real_strdup(text), strlen(text) + 1, __builtin_return_address(0));
}

REPLACES char *__wrap_strndup(const char *text, size_t bytes) {
    return wwt_host_note(__real_strndup(text, bytes), bytes, __builtin_return_address(0));
}

REPLACES void __wrap_free(void *memory) {
    wwt_host_forget(memory);
    __real_free(memory);
}

// ---- the check

void wwt_host_mark(void) {
    (void)ww_last_error(); // a thread keeps its record too
    marked = serial;
}

void wwt_host_check(void) {
    char places[400] = "";
    size_t count = 0, bytes = 0, length = 0;
    (void)pthread_mutex_lock(&lock);
    for (size_t i = 0; i < LISTS; i++)
        for (const block *b = lists[i]; b; b = b->next)
            if (b->serial > marked && b->memory != ww_last_build_log()) { // a thread keeps its last one
                count++;
                bytes += b->bytes;
                if (length < sizeof places - 40)
                    length += (size_t)snprintf(places + length, 40, " %zu at %#tx", b->bytes,
                                               (const char *)b->caller - &__executable_start);
            }
    marked = serial;
    (void)pthread_mutex_unlock(&lock);
    ck_assert_msg(count == 0, "%zu blocks of host memory were not freed, %zu bytes (addr2line -e the test):%s", count,
                  bytes, places);
}
