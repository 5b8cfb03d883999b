// SPDX-License-Identifier: Apache-2.0
// A folder of its own for each test, and files in it.
#ifndef WAVEWARP_IO_SUPPORT_H
#define WAVEWARP_IO_SUPPORT_H

#include <check.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wavewarp/series.h>

#include "files/number.h"

static char io_folder[256];

static void io_setup(void) {
    const char *parent = getenv("TMPDIR");
    snprintf(io_folder, sizeof io_folder, "%s/wavewarp-test-XXXXXX", parent ? parent : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(io_folder));
}

// Entries of the folder; removes them when asked.
static int io_entries(bool empty) {
    int count = 0;
    DIR *folder = opendir(io_folder);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", io_folder, entry->d_name);
        if (empty)
            unlink(path);
    }
    closedir(folder);
    return count;
}

static void io_teardown(void) {
    io_entries(true);
    rmdir(io_folder);
}

// A path in the folder. Four results stay valid at a time.
static inline const char *io_path(const char *name) {
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", io_folder, name);
    return path;
}

static inline const char *io_file(const char *name, const void *bytes, size_t size) {
    const char *path = io_path(name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
    return path;
}

static inline ww_series_set *io_read(const char *path) {
    ww_series_set *set = NULL;
    const ww_status status = ww_series_set_read(path, NULL, &set);
    ck_assert_msg(status == WW_OK, "%s", ww_last_error()->message);
    ck_assert_ptr_nonnull(set);
    return set;
}

static inline ww_series_set *io_read_text(const char *name, const char *content) {
    return io_read(io_file(name, content, strlen(content)));
}

// A copy with what the readers' texts have behind their end.
static inline char *io_padded(const char *text) {
    const size_t size = strlen(text);
    char *copy = calloc(size + 1 + WWI_NUMBER_SLACK, 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, size);
    return copy;
}

#endif
