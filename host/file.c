// SPDX-License-Identifier: Apache-2.0
// Files and folders: the installed data, the user's own, reading and writing of whole files.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install_paths.h"
#include "internal.h"

const char *wwi_environment(const char *name) {
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

char *wwi_path_join(const char *folder, const char *name) {
    size_t folder_bytes = strlen(folder), name_bytes = strlen(name);
    char *path = malloc(folder_bytes + name_bytes + 2);
    if (path) {
        memcpy(path, folder, folder_bytes);
        path[folder_bytes] = '/';
        memcpy(path + folder_bytes + 1, name, name_bytes + 1);
    }
    return path;
}

bool wwi_is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode) && access(path, R_OK | X_OK) == 0;
}

// The buffer grows while reading: the size from stat() may be out of date (and is always wrong for /dev/stdin).
static ww_status read_stream(FILE *stream, const char *path, ww_status failure, char **text, size_t *bytes) {
    size_t size = 0, capacity = 0, got;
    WWI_FREES char *content = NULL;
    do {
        if (capacity - size < 2) {
            const size_t more = capacity ? capacity * 2 : 16384;
            char *larger = realloc(content, more);
            if (!larger)
                return wwi_fail_memory(more);
            content = larger;
            capacity = more;
        }
        got = fread(content + size, 1, capacity - size - 1, stream);
        size += got;
    } while (got > 0);
    if (ferror(stream))
        return wwi_fail(failure, "%.200s can't be read: %s", path, strerror(errno));
    content[size] = '\0';
    *text = wwi_taken(&content);
    if (bytes)
        *bytes = size;
    return WW_OK;
}

ww_status wwi_file_read(const char *path, ww_status failure, char **text, size_t *bytes) {
    FILE *stream = fopen(path, "rbe");
    if (!stream)
        return wwi_fail(failure, "%.200s can't be opened: %s", path, strerror(errno));
    ww_status status = read_stream(stream, path, failure, text, bytes);
    (void)fclose(stream);
    return status;
}

bool wwi_write_all(int file, const char *data, size_t bytes) {
    while (bytes > 0) {
        ssize_t done = write(file, data, bytes);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        data += done;
        bytes -= (size_t)done;
    }
    return true;
}

ww_status wwi_file_replace(const char *path, const void *data, size_t bytes) {
    static const char suffix[] = ".XXXXXX";
    size_t length = strlen(path);
    WWI_FREES char *temporary = NULL;
    WWI_TRY(wwi_new(temporary, length + sizeof suffix));
    memcpy(temporary, path, length);
    memcpy(temporary + length, suffix, sizeof suffix);

    int file = mkostemp(temporary, O_CLOEXEC);
    bool good = file >= 0 && wwi_write_all(file, data, bytes);
    int error = errno;
    if (file >= 0 && close(file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        error = errno;
    }
    if (!good && file >= 0)
        (void)unlink(temporary);
    return good ? WW_OK : wwi_fail(WW_ERROR_IO, "%.200s can't be written: %s", path, strerror(error));
}

ww_status wwi_make_folders(const char *path, unsigned mode) {
    size_t length = strlen(path);
    WWI_FREES char *part = strdup(path);
    if (!part)
        return wwi_fail_memory(length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (part[i] != '/' && part[i] != '\0')
            continue;
        char end = part[i];
        part[i] = '\0';
        if (mkdir(part, (mode_t)mode) != 0 && errno != EEXIST)
            return wwi_fail(WW_ERROR_IO, "the folder %.200s can't be made: %s", part, strerror(errno));
        part[i] = end;
    }
    return WW_OK;
}

char *wwi_user_folder(const char *variable, const char *below_home) {
    const char *base = wwi_environment(variable);
    if (base && base[0] == '/') // the XDG rules: a relative path there is to be ignored
        return wwi_path_join(base, "wavewarp");
    const char *home = wwi_environment("HOME");
    if (!home)
        return NULL;
    WWI_FREES char *folder = wwi_path_join(home, below_home);
    return folder ? wwi_path_join(folder, "wavewarp") : NULL;
}

// The folder that holds the library's folder: /usr for /usr/lib/libwavewarp.so, also for Debian's /usr/lib/TRIPLET.
static char *installed_beside_library(void) {
    Dl_info about;
    if (dladdr((const void *)&wwi_embedded_count, &about) == 0 || !about.dli_fname)
        return NULL;
    WWI_FREES char *path = realpath(about.dli_fname, NULL);
    for (int up = 0; path && up < 3; up++) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            break;
        *slash = '\0';
        if (up == 0)
            continue; // the library's own folder: bin/, lib/
        WWI_FREES char *folder = wwi_path_join(path, "share/wavewarp");
        if (folder && wwi_is_folder(folder))
            return wwi_taken(&folder);
    }
    return NULL;
}

// A library that was never installed must not pick up the files of another that was. Editing an installed kernel is
// allowed: the version file describes the texts at build time.
static bool was_made_with_us(const char *folder) {
    WWI_FREES char *path = wwi_path_join(folder, "VERSION"), *text = NULL;
    return path && access(path, R_OK) == 0 && wwi_file_read(path, WW_ERROR_IO, &text, NULL) == WW_OK &&
           strcmp(text, wwi_embedded_version) == 0;
}

char *wwi_installed_folder(void) {
    if (!WWI_INSTALLED_KERNELS)
        return NULL;
    WWI_FREES char *beside = installed_beside_library();
    if (beside && was_made_with_us(beside))
        return wwi_taken(&beside);
    WWI_FREES char *built_in = wwi_path_join(WWI_DATA_DIR, "wavewarp");
    return built_in && wwi_is_folder(built_in) && was_made_with_us(built_in) ? wwi_taken(&built_in) : NULL;
}

const char *wwi_embedded_text(const char *name) {
    for (size_t i = 0; i < wwi_embedded_count; i++)
        if (strcmp(wwi_embedded_files[i].name, name) == 0)
            return wwi_embedded_files[i].text;
    return NULL;
}
