// SPDX-License-Identifier: Apache-2.0
// A condensed matrix: the values above the diagonal of a matrix of n rows, as a list, row after row.
#ifndef WAVEWARP_CLI_TRIANGLE_H
#define WAVEWARP_CLI_TRIANGLE_H

#include <stdint.h>

// How many values there are, and where the list has those of i and j.
uint64_t cli_condensed_count(uint64_t n);
uint64_t cli_condensed_at(uint64_t n, uint64_t i, uint64_t j);

#endif
