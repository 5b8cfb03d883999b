// SPDX-License-Identifier: Apache-2.0
// The picture of wavewarp classify: the confusion of the classes as a heat map.
#ifndef WAVEWARP_CLI_CONFUSION_PICTURE_H
#define WAVEWARP_CLI_CONFUSION_PICTURE_H

#include "results/classified.h"

// Rows are the true classes, columns the predicted ones. There must be labels.
int cli_confusion_draw(const cli_classified *c, const char *path);

#endif
