// SPDX-License-Identifier: Apache-2.0
// The picture of wavewarp choose: the accuracy of each candidate.
#ifndef WAVEWARP_CLI_CHOOSE_PICTURE_H
#define WAVEWARP_CLI_CHOOSE_PICTURE_H

#include "base/common.h"

typedef struct cli_choose_picture {
    const char *path;
    size_t count, best, total;                                              // candidates; training series
    const size_t *correct;                                                  // of each candidate
    double euclidean;                                                       // accuracy, NAN: none
    void (*name)(const void *user, size_t number, char *text, size_t size); // of a candidate
    const void *user;
    // Candidates of one name with numbers: the number of each, and the name; NULL: they are in their order.
    const double *numbers;
    const char *label;
} cli_choose_picture;

int cli_choose_draw(const cli_choose_picture *p);

#endif
