// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target on the files of the folders it is given, where there is no libFuzzer. Prints TAP: a point a
// folder.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

// Size -1: it can't be read.
static long read_file(const char *path, uint8_t **bytes) {
    FILE *file = fopen(path, "rb");
    long size = -1;
    *bytes = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
        rewind(file);
        *bytes = malloc(size ? (size_t)size : 1);
        if (!*bytes || fread(*bytes, 1, (size_t)size, file) != (size_t)size)
            size = -1;
    }
    if (file)
        fclose(file);
    return size;
}

static int replay_folder(const char *folder) {
    DIR *entries = opendir(folder);
    int inputs = 0;
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[4096];
        uint8_t *bytes;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const long size = read_file(path, &bytes);
        if (size >= 0) {
            fprintf(stderr, "%s\n", path); // the last one named is the one that crashed
            LLVMFuzzerTestOneInput(bytes, (size_t)size);
            inputs++;
        }
        free(bytes);
    }
    if (entries)
        closedir(entries);
    return inputs;
}

int main(int argc, char **argv) {
    int failed = 0;
    printf("1..%d\n", argc - 1);
    for (int i = 1; i < argc; i++) {
        const int inputs = replay_folder(argv[i]);
        const char *name = strrchr(argv[i], '/');
        printf("%s %d - %s: %d inputs\n", inputs ? "ok" : "not ok", i, name ? name + 1 : argv[i], inputs);
        failed += !inputs;
    }
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
