// SPDX-License-Identifier: Apache-2.0
// Whether two names on a command line are of one file.
#ifndef WAVEWARP_CLI_SAME_FILE_H
#define WAVEWARP_CLI_SAME_FILE_H

#include <stdbool.h>

// A name as the command line has it; "-" is standard output where it is written, else standard input.
typedef struct cli_file_name {
    const char *path;
    bool is_written;
} cli_file_name;

// By device and number of the file, so also by links, or, of what does not exist yet, by its folder and its last part.
// There upper and lower case are the same: some file systems see it so. Devices and sockets are never the same.
bool cli_same_file(cli_file_name a, cli_file_name b);
// Whether a file that is there is one of a part of a job, such as 2-of-3.npy, in this folder.
bool cli_is_part(const char *path, const char *folder);

#endif
