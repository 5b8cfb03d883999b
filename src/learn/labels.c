// SPDX-License-Identifier: Apache-2.0
// Numbers clusters by their items alone: the same grouping has the same labels, whatever found it.
#include "learn/labels.h"

size_t wwi_number_clusters(int64_t *labels, size_t count, size_t bound, size_t *number, size_t *order) {
    size_t found = 0;
    for (size_t c = 0; c < bound; c++)
        number[c] = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const size_t c = (size_t)labels[i];
        if (number[c] == SIZE_MAX) {
            if (order)
                order[found] = c;
            number[c] = found++;
        }
        labels[i] = (int64_t)number[c];
    }
    return found;
}
