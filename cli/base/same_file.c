// SPDX-License-Identifier: Apache-2.0
// See same_file.h.
#include "base/same_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_stream(cli_file_name name) {
    return strcmp(name.path, "-") == 0;
}

static bool look(cli_file_name name, struct stat *found) {
    if (is_stream(name))
        return fstat(name.is_written ? STDOUT_FILENO : STDIN_FILENO, found) == 0;
    return stat(name.path, found) == 0;
}

// The folder's own name without links, and what stands behind the last '/'.
static const char *split(const char *path, char folder[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char given[PATH_MAX] = ".";
    if (length >= sizeof given)
        return NULL;
    if (length) {
        memcpy(given, path, length);
        given[length] = '\0';
    }
    return realpath(given, folder) ? path + length : NULL;
}

bool cli_same_file(cli_file_name a, cli_file_name b) {
    struct stat of_a, of_b;
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    const bool there_a = look(a, &of_a), there_b = look(b, &of_b);
    if (there_a && there_b)
        return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino &&
               (S_ISREG(of_a.st_mode) || S_ISFIFO(of_a.st_mode)) && !(is_stream(a) && is_stream(b));
    if (there_a || there_b || is_stream(a) || is_stream(b))
        return false;
    const char *name_a = split(a.path, folder_a), *name_b = split(b.path, folder_b);
    if (!name_a || !name_b) // the folder is missing, which is said later
        return strcmp(a.path, b.path) == 0;
    return strcmp(folder_a, folder_b) == 0 && strcasecmp(name_a, name_b) == 0;
}

bool cli_is_part(const char *path, const char *folder) {
    char real[PATH_MAX], parts[PATH_MAX], point;
    unsigned long long part, count;
    if (!realpath(path, real) || !realpath(folder, parts))
        return false;
    char *slash = strrchr(real, '/');
    const bool named = slash && sscanf(slash + 1, "%llu-of-%llu%c", &part, &count, &point) == 3 && point == '.';
    if (slash)
        *slash = '\0';
    return named && strcmp(real, parts) == 0;
}
