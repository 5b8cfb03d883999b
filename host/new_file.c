// SPDX-License-Identifier: Apache-2.0
// Files that get their name when they are complete: made beside it, exclusively, on disk before they are renamed. The
// parts of a process are listed in memory that a signal handler may read. Parts that ended processes left are found by
// their locks.
#include "new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wavewarp/file.h>

#include "internal.h"

// ---- the list of parts

enum { SLOTS = 64 };
enum { FREE, TAKEN, LISTED };

static struct {
    atomic_int state;
    char path[PATH_MAX];
} parts[SLOTS];

static int list_part(const char *path) {
    for (int i = 0; i < SLOTS && strlen(path) < PATH_MAX; i++) {
        int expected = FREE;
        if (!atomic_compare_exchange_strong(&parts[i].state, &expected, TAKEN))
            continue;
        strcpy(parts[i].path, path);
        atomic_store(&parts[i].state, LISTED);
        return i;
    }
    return -1; // more at once than anyone has: only a signal would leave it behind
}

static void unlist_part(int slot) {
    if (slot >= 0)
        atomic_store(&parts[slot].state, FREE);
}

void ww_unfinished_files_remove(void) {
    const int error = errno;
    for (int i = 0; i < SLOTS; i++)
        if (atomic_load(&parts[i].state) == LISTED)
            (void)unlink(parts[i].path);
    errno = error;
}

// ---- parts that were left behind

static ww_unfinished_file_found *notice;
static void *notice_user;

void ww_unfinished_files_notice(ww_unfinished_file_found *found, void *user) {
    notice = found;
    notice_user = user;
}

// Whether `name` is a part of `base`: by whom it was made.
static bool is_part(const char *name, const char *base, long *process) {
    const size_t length = strlen(base);
    long number;
    int end = 0;
    if (strncmp(name, base, length) != 0)
        return false;
    return sscanf(name + length, ".part-%ld-%ld%n", process, &number, &end) == 2 && name[length + (size_t)end] == '\0';
}

// Nobody holds its lock. Between a part's creation and its lock its process tells.
static bool is_left(int folder, const char *name, long process) {
    if (process != (long)getpid() && (kill((pid_t)process, 0) == 0 || errno != ESRCH))
        return false;
    struct stat about;
    const int descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool left = descriptor >= 0 && fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) &&
                      flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return left;
}

static void find_left(const char *path) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    WWI_FREES char *found = malloc(strlen(path) + NAME_MAX + 2);
    if (!found)
        return;
    snprintf(found, strlen(path) + 2, "%.*s", slash ? (int)(base - path) : 1, slash ? path : ".");
    DIR *folder = opendir(found);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        long process;
        if (!is_part(entry->d_name, base, &process) || !is_left(dirfd(folder), entry->d_name, process))
            continue;
        snprintf(found, strlen(path) + NAME_MAX + 2, "%.*s%s", slash ? (int)(base - path) : 0, path, entry->d_name);
        notice(notice_user, found);
    }
    if (folder)
        closedir(folder);
}

// ---- a file

static ww_status fail_write(const char *path) {
    const int error = errno;
    wwi_fail(WW_ERROR_IO, "%s: can't be written: %s", path, strerror(error));
    return error == ENOSPC ? wwi_fail_hint("the disk is full") : WW_ERROR_IO;
}

// A new file in the folder of the final one. Never one that is there, nor through a link.
static ww_status create_beside(wwi_new_file *file, const struct stat *replaced) {
    const size_t size = strlen(file->path) + 48;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    WWI_TRY(wwi_new(file->temporary, size));
    for (long attempt = 0; file->descriptor < 0 && attempt < 100; attempt++) {
        snprintf(file->temporary, size, "%s.part-%ld-%ld", file->path, (long)getpid(), now.tv_nsec + attempt);
        // Listed first: a signal may come as soon as it is there.
        file->slot = list_part(file->temporary);
        file->descriptor =
            open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, replaced ? 0600 : 0666);
        if (file->descriptor >= 0)
            break;
        unlist_part(file->slot);
        file->slot = -1;
        if (errno != EEXIST)
            break;
    }
    if (file->descriptor < 0) {
        wwi_free_taken(&file->temporary);
        return fail_write(file->path);
    }
    // Held until it is closed, or its process ends; a file system without locks does no harm.
    (void)flock(file->descriptor, LOCK_EX | LOCK_NB);
    if (replaced) {
        // Owner and group where that is allowed. Then the mode, so that nobody reads it whom the old file kept out.
        const bool owned = fchown(file->descriptor, replaced->st_uid, replaced->st_gid) == 0 ||
                           fchown(file->descriptor, (uid_t)-1, replaced->st_gid) == 0;
        const mode_t mode = replaced->st_mode & (owned ? 0777 : 0707);
        if (fchmod(file->descriptor, mode) != 0)
            return fail_write(file->path);
    }
    return WW_OK;
}

static ww_status open_new(const char *path, wwi_new_file *file) {
    struct stat about, link;
    const bool exists = stat(path, &about) == 0;
    if (exists && S_ISDIR(about.st_mode))
        return wwi_fail(WW_ERROR_IO, "%s: is a folder", path);
    if (!exists && lstat(path, &link) == 0 && S_ISLNK(link.st_mode)) {
        wwi_fail(WW_ERROR_IO, "%s: is a link to a file that is not there", path);
        return wwi_fail_hint("remove the link, or name the file itself");
    }
    // Renaming over a link would replace the link, not what it points to.
    const bool replaces = exists && S_ISREG(about.st_mode);
    file->path = replaces ? realpath(path, NULL) : strdup(path);
    if (!file->path)
        return replaces ? fail_write(path) : wwi_fail_memory(strlen(path) + 1);
    if (!exists || replaces) {
        if (notice)
            find_left(file->path);
        return create_beside(file, replaces ? &about : NULL);
    }
    // A device or a pipe must be written itself: renaming over it would take its place. It need not have another name
    // (/dev/stdout).
    file->descriptor = open(file->path, O_WRONLY | O_CLOEXEC);
    return file->descriptor < 0 ? fail_write(path) : WW_OK;
}

ww_status wwi_new_file_open(const char *path, wwi_new_file *file) {
    *file = (wwi_new_file){.descriptor = -1, .slot = -1};
    const ww_status status = open_new(path, file);
    if (status != WW_OK)
        (void)wwi_new_file_close(file, false);
    return status;
}

ww_status wwi_new_file_sync(wwi_new_file *file) {
    // File systems that have nothing to do say EINVAL.
    if (!file->temporary || fsync(file->descriptor) == 0 || errno == EINVAL || errno == ENOTSUP)
        return WW_OK;
    return fail_write(file->path);
}

// The new name is on disk when the folder is. It has the file already: what fails here is no reason to report.
void wwi_folder_sync(const char *path) {
    WWI_FREES char *folder = strdup(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[slash == folder ? 1 : 0] = '\0';
    const int descriptor = folder ? open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

ww_status wwi_new_file_close(wwi_new_file *file, bool keep) {
    ww_status status = keep ? wwi_new_file_sync(file) : WW_OK;
    if (file->descriptor >= 0 && close(file->descriptor) != 0 && keep && status == WW_OK)
        status = fail_write(file->path);
    if (file->temporary) {
        if (keep && status == WW_OK && rename(file->temporary, file->path) != 0)
            status = fail_write(file->path);
        if (keep && status == WW_OK)
            wwi_folder_sync(file->path);
        else
            unlink(file->temporary);
    }
    unlist_part(file->slot);
    free(file->temporary);
    free(file->path);
    *file = (wwi_new_file){.descriptor = -1, .slot = -1};
    return status;
}
