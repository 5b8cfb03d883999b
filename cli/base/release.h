// SPDX-License-Identifier: Apache-2.0
// Variables whose objects end with their block, whichever way it is left: the library's host/ends.h says how they are
// used. The library's destroy functions fit as they are: CLI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
#ifndef WAVEWARP_CLI_RELEASE_H
#define WAVEWARP_CLI_RELEASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the pointer at `address` points to, which becomes NULL.
static inline void *cli_taken(void *address) {
    void *taken, *const none = NULL;
    memcpy(&taken, address, sizeof taken);
    memcpy(address, &none, sizeof none);
    return taken;
}

static inline void cli_free_taken(void *address) {
    free(cli_taken(address));
}

// Of files that are read.
static inline void cli_file_close(FILE **file) {
    if (*file)
        (void)fclose(*file);
}

// An attribute that gcc and clang have. `function` gets the variable's address and accepts what it holds at any time.
#define CLI_ENDS(function) __attribute__((cleanup(function)))
#define CLI_FREES CLI_ENDS(cli_free_taken)

#endif
