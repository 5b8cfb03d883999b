// SPDX-License-Identifier: Apache-2.0
// Textbook C of the shapelets paper's recurrence (A. Mueen, E. Keogh and N. Young, KDD 2011): for a pair of series the
// sums of products along every diagonal, once; then for each length the distance of every two windows from differences
// of those and of running sums. In double, on one core.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_shapelets.h"

uint64_t bench_shapelets_pair(const double *x, const double *y, size_t points, size_t least, size_t step,
                              double *scratch, double *nearest) {
    const size_t side = points + 1;
    double *M = scratch, *sx = M + side * side, *qx = sx + side, *sy = qx + side, *qy = sy + side;
    uint64_t cells = 0;
    memset(M, 0, side * sizeof *M);
    for (size_t i = 0; i < points; i++) {
        M[(i + 1) * side] = 0;
        for (size_t j = 0; j < points; j++)
            M[(i + 1) * side + j + 1] = M[i * side + j] + x[i] * y[j];
    }
    sx[0] = qx[0] = sy[0] = qy[0] = 0;
    for (size_t i = 0; i < points; i++) {
        sx[i + 1] = sx[i] + x[i];
        qx[i + 1] = qx[i] + x[i] * x[i];
        sy[i + 1] = sy[i] + y[i];
        qy[i + 1] = qy[i] + y[i] * y[i];
    }
    for (size_t l = least; l <= points; l += step) {
        const double length = (double)l;
        for (size_t s = 0; s + l <= points; s++) {
            const double mean = (sx[s + l] - sx[s]) / length;
            const double deviation = sqrt(fmax((qx[s + l] - qx[s]) / length - mean * mean, 1e-300));
            double best = INFINITY;
            for (size_t u = 0; u + l <= points; u++) {
                const double other = (sy[u + l] - sy[u]) / length;
                const double spread = sqrt(fmax((qy[u + l] - qy[u]) / length - other * other, 1e-300));
                const double products = M[(s + l) * side + u + l] - M[s * side + u];
                const double distance =
                    sqrt(fmax(2 * (1 - (products - length * mean * other) / (length * deviation * spread)), 0));
                if (distance < best)
                    best = distance;
            }
            *nearest++ = best;
            cells += points - l + 1;
        }
    }
    return cells;
}
