// SPDX-License-Identifier: Apache-2.0
// PoCL does not check what it reads from its cache: a damaged file ends the process, in this run and in every later
// one. So a process that uses PoCL leaves a mark in that folder, which its end removes. Where the mark of a process is
// found that is no more, the folder's files are checked for what a full disk or a lost machine leaves, and damaged ones
// are removed: PoCL makes them again. Nothing here can fail a job.
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

#define MARK "wavewarp-runs-"
#define ENDED "wavewarp-ended"
enum { DEEPEST = 8, MOST_BITCODE = 1 << 26 };

// ---- files

// A program for this machine, as far as its header and its table of sections tell.
static bool is_whole_program(int file, uint64_t size) {
    Elf64_Ehdr head;
    if (pread(file, &head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    const uint64_t table = (uint64_t)head.e_shnum * head.e_shentsize;
    return head.e_shoff <= size && table <= size - head.e_shoff;
}

// LLVM's bitcode: a magic number, then blocks, each with its length in words, to the end of the file.
static bool is_whole_bitcode(int file, uint64_t size) {
    uint32_t head[2];
    if (size < 8 || size % 4 || size > MOST_BITCODE || pread(file, head, 4, 0) != 4 || head[0] != 0xdec04342)
        return false;
    // A block begins with the number 1 in 2 bits, its kind in 8 bits and the width of its numbers in 4; then its
    // length.
    for (uint64_t at = 4; at < size; at += 8 + (uint64_t)head[1] * 4)
        if (size - at < 8 || pread(file, head, 8, (off_t)at) != 8 || (head[0] & 3) != 1 ||
            head[1] > (size - at - 8) / 4)
            return false;
    return true;
}

static bool ends_with(const char *name, const char *end) {
    const size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

static bool is_damaged(const char *path, const char *name) {
    const bool program = ends_with(name, ".so"), bitcode = ends_with(name, ".bc");
    struct stat about;
    if (!program && !bitcode)
        return false;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool regular = fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size >= 0;
    const uint64_t size = regular ? (uint64_t)about.st_size : 0;
    const bool damaged = regular && !(program ? is_whole_program(file, size) : is_whole_bitcode(file, size));
    (void)close(file);
    return damaged;
}

// Removes damaged files from a folder and those in it. Returns how many.
static size_t remove_damaged(const char *folder, int depth) {
    size_t removed = 0;
    DIR *open = depth < DEEPEST ? opendir(folder) : NULL;
    for (struct dirent *entry; open && (entry = readdir(open));) {
        struct stat about;
        if (entry->d_name[0] == '.')
            continue;
        WWI_FREES char *path = wwi_path_join(folder, entry->d_name);
        if (!path || lstat(path, &about) != 0)
            continue;
        if (S_ISDIR(about.st_mode))
            removed += remove_damaged(path, depth + 1);
        else if (is_damaged(path, entry->d_name) && unlink(path) == 0)
            removed++;
    }
    if (open)
        (void)closedir(open);
    return removed;
}

// ---- marks

// The process of a mark; 0: it is none, or this process'.
static pid_t marked(const char *name) {
    char *end = NULL;
    if (strncmp(name, MARK, sizeof MARK - 1) != 0)
        return 0;
    const long process = strtol(name + sizeof MARK - 1, &end, 10);
    return *end || process <= 0 || process == (long)getpid() ? 0 : (pid_t)process;
}

static bool is_gone(pid_t process) {
    return kill(process, 0) != 0 && errno == ESRCH;
}

// Whether a process uses the folder now. It may be writing a file, which is not whole then.
static bool is_in_use(DIR *open) {
    bool used = false;
    for (struct dirent *entry; !used && (entry = readdir(open));) {
        const pid_t process = marked(entry->d_name);
        used = process && !is_gone(process);
    }
    rewinddir(open);
    return used;
}

// Of processes that are no more: removes their marks, and returns whether there was one. None while another process
// uses the folder.
static bool take_marks(const char *folder) {
    bool found = false;
    DIR *open = opendir(folder);
    if (!open)
        return false;
    const bool used = is_in_use(open);
    for (struct dirent *entry; !used && (entry = readdir(open));) {
        const pid_t process = marked(entry->d_name);
        if (!process || !is_gone(process))
            continue;
        WWI_FREES char *path = wwi_path_join(folder, entry->d_name);
        found |= path && unlink(path) == 0;
    }
    (void)closedir(open);
    return found;
}

// In no memory that is to be freed: it lasts as long as the process.
static struct {
    char mark[4096], ended[4096]; // empty: none
    pid_t process;
} own;

// At exit, or when the library is unloaded: this process came to its end.
__attribute__((destructor)) static void end_mark(void) {
    if (own.mark[0] && own.process == getpid()) {
        (void)unlink(own.mark);
        (void)unlink(own.ended);
    }
}

static void make_mark(const char *folder) {
    own.process = getpid();
    const int mark = snprintf(own.mark, sizeof own.mark, "%s/" MARK "%ld", folder, (long)own.process);
    const int ended = snprintf(own.ended, sizeof own.ended, "%s/" ENDED, folder);
    const bool fits = mark > 0 && mark < (int)sizeof own.mark && ended > 0 && ended < (int)sizeof own.ended;
    const int file = fits ? open(own.mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;
    if (file >= 0)
        (void)close(file);
    else
        own.mark[0] = '\0';
}

// Another run in succession that did not come to its end, and nothing was found. Returns how many there are.
static long count_ended(const char *folder) {
    WWI_FREES char *path = wwi_path_join(folder, ENDED);
    const int file = path ? open(path, O_CREAT | O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    struct stat about = {.st_size = 0};
    if (file < 0)
        return 0;
    if (write(file, "x", 1) != 1 || fstat(file, &about) != 0)
        about.st_size = 0;
    (void)close(file);
    return (long)about.st_size;
}

void wwi_pocl_check_cache(const ww_context *context) {
    if (own.mark[0] && own.process == getpid())
        return;
    WWI_FREES char *folder = wwi_pocl_folder();
    struct stat about;
    if (!folder || stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        return;
    if (take_marks(folder)) {
        const size_t removed = remove_damaged(folder, 0);
        const long ended = removed ? 0 : count_ended(folder);
        if (removed)
            wwi_log(context, 1, "%zu damaged files were removed from PoCL's cache folder %.300s", removed, folder);
        if (ended > 1)
            wwi_log(
                context, 1,
                "the last %ld runs with PoCL did not come to their end: if they crash, remove its cache folder %.300s",
                ended, folder);
    }
    make_mark(folder);
}
