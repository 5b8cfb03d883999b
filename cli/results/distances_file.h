// SPDX-License-Identifier: Apache-2.0
// A matrix of distances from a file.
#ifndef WAVEWARP_CLI_DISTANCES_FILE_H
#define WAVEWARP_CLI_DISTANCES_FILE_H

#include "base/common.h"

// Reads the distances of a set with itself, as 'wavewarp matrix' writes them: square, checked for symmetry and a
// diagonal of zeros, or condensed; .npy or .csv. *condensed: count (count - 1) / 2 of them, for the caller to free.
int cli_distances_read(const char *path, size_t *count, double **condensed);

#endif
