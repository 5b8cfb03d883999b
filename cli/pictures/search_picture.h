// SPDX-License-Identifier: Apache-2.0
// wavewarp search: what the command and its picture share.
#ifndef WAVEWARP_CLI_SEARCH_PICTURE_H
#define WAVEWARP_CLI_SEARCH_PICTURE_H

#include "base/common.h"

typedef struct cli_search_picture {
    const char *path;
    const ww_series_set *queries, *streams; // streams NULL: one stream, of read()
    // Points [first, first + count) of the stream, channel after channel in each point. 0, or 1: can't be read.
    int (*read)(void *user, uint64_t first, size_t count, double *values);
    void *user;
    uint64_t length; // of that stream
    const ww_match *matches;
    const size_t *found; // of each query
    size_t k;
    bool super, znormalised;
} cli_search_picture;

int cli_search_draw(const cli_search_picture *p);

#endif
