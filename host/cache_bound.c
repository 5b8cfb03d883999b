// SPDX-License-Identifier: Apache-2.0
// Limits the size of a folder of cached programs (disk_cache.c): removes files not used for a long time, and above a
// number of bytes the least recently used. A file's modification time is its last use. Several processes may do this at
// once, and use the files meanwhile: a process that has a file open can still read it, one that does not find it
// compiles. Only files with the cache's names are touched.
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

enum { DIGITS = 64, NAME = DIGITS + sizeof ".bin" - 1, TEMPORARY = NAME + sizeof ".XXXXXX" - 1, LEFT_SECONDS = 3600 };

typedef struct entry {
    char name[NAME + 1];
    uint64_t bytes;
    time_t used;
} entry;

typedef struct entries {
    entry *data;
    size_t count, capacity;
    uint64_t bytes;
} entries;

static bool is_ours(const char *name) {
    for (size_t i = 0; i < DIGITS; i++)
        if (!isxdigit((unsigned char)name[i]))
            return false;
    return strncmp(name + DIGITS, ".bin", 4) == 0;
}

// False: no host memory; then nothing is removed this time.
static bool add(entries *all, const char *name, const struct stat *about) {
    if (all->count == all->capacity) {
        const size_t capacity = all->capacity ? 2 * all->capacity : 64;
        entry *larger = realloc(all->data, capacity * sizeof *larger);
        if (!larger)
            return false;
        all->data = larger;
        all->capacity = capacity;
    }
    entry *e = &all->data[all->count++];
    memcpy(e->name, name, sizeof e->name);
    e->bytes = (uint64_t)about->st_size;
    e->used = about->st_mtime;
    all->bytes += e->bytes;
    return true;
}

static int by_use(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return x->used < y->used ? -1 : x->used > y->used ? 1 : strcmp(x->name, y->name);
}

void wwi_cache_bound(const char *folder, uint64_t most_bytes, uint64_t most_seconds) {
    entries all = {NULL, 0, 0, 0};
    const time_t now = time(NULL);
    DIR *files = opendir(folder);
    if (!files)
        return;
    const int at = dirfd(files);
    bool good = true;
    for (const struct dirent *file; good && (file = readdir(files));) {
        struct stat about;
        const size_t length = strlen(file->d_name);
        if ((length != NAME && length != TEMPORARY) || !is_ours(file->d_name) ||
            fstatat(at, file->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
            continue;
        // A file being written has another name until it is complete; an old one's process has ended.
        const uint64_t most = length == TEMPORARY ? LEFT_SECONDS : most_seconds;
        if (about.st_mtime < now && (uint64_t)(now - about.st_mtime) > most)
            (void)unlinkat(at, file->d_name, 0);
        else if (length == NAME)
            good = add(&all, file->d_name, &about);
    }
    if (good && all.count)
        qsort(all.data, all.count, sizeof *all.data, by_use);
    for (size_t i = 0; good && i < all.count && all.bytes > most_bytes; i++) {
        (void)unlinkat(at, all.data[i].name, 0);
        all.bytes -= all.data[i].bytes;
    }
    (void)closedir(files);
    free(all.data);
}

void wwi_cache_used(const char *path) {
    (void)utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}
