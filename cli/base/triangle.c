// SPDX-License-Identifier: Apache-2.0
// See triangle.h.
#include "base/triangle.h"

// The even one of two neighbours is halved, before anything is multiplied.
uint64_t cli_condensed_count(uint64_t n) {
    return n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
}

uint64_t cli_condensed_at(uint64_t n, uint64_t i, uint64_t j) {
    const uint64_t low = i < j ? i : j, high = i < j ? j : i;
    return (low % 2 ? low * (n - (low + 1) / 2) : low / 2 * (2 * n - low - 1)) + high - low - 1;
}
