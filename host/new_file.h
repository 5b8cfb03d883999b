// SPDX-License-Identifier: Apache-2.0
// Files that get their name when they are complete. All files that the library writes for its callers are made here.
#ifndef WAVEWARP_NEW_FILE_H
#define WAVEWARP_NEW_FILE_H

#include <stdbool.h>
#include <wavewarp/status.h>

typedef struct wwi_new_file {
    char *path;      // final name, links followed
    char *temporary; // NULL: written directly (a device, a pipe)
    int descriptor;  // -1: not open
    int slot;        // in the list of parts; -1: none
} wwi_new_file;

// Opens `path` for writing; what ended processes left beside it is told first. A link is followed; one that leads
// nowhere is refused. A file that is replaced hands on its mode, and its owner and group where that is allowed.
ww_status wwi_new_file_open(const char *path, wwi_new_file *file);
// What was written is on disk; after that only the renaming can fail.
ww_status wwi_new_file_sync(wwi_new_file *file);
// `keep`: syncs, renames, syncs the folder; else, or where that fails, removes the part. Closes the descriptor.
ww_status wwi_new_file_close(wwi_new_file *file, bool keep);
// The folder of `path` is on disk, with the file's name.
void wwi_folder_sync(const char *path);

#endif
