// SPDX-License-Identifier: Apache-2.0
// See windows.h.
#include "windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

wwr_form wwr_normalise(const double *x, size_t length, double *to) {
    long double sum = 0, squares = 0; // of the differences to the first value
    double low = x[0], high = x[0];
    for (size_t t = 0; t < length; t++) {
        if (!isfinite(x[t]))
            return WWR_MISSING;
        sum += (long double)x[t] - x[0];
        low = fmin(low, x[t]);
        high = fmax(high, x[t]);
    }
    if (high - low <= WWR_CONSTANT * fmax(fabs(low), fabs(high)))
        return WWR_FLAT;
    const long double mean = sum / (long double)length;
    for (size_t t = 0; t < length; t++) {
        const long double apart = (long double)x[t] - x[0] - mean;
        squares += apart * apart;
    }
    const long double deviation = sqrtl(squares / (long double)length);
    for (size_t t = 0; t < length; t++)
        to[t] = (double)(((long double)x[t] - x[0] - mean) / deviation);
    return WWR_VARIES;
}

wwr_windows wwr_windows_make(const double *series, size_t stride, size_t first, size_t count, size_t length,
                             size_t channels, bool raw) {
    wwr_windows w = {count, length, channels, NULL, NULL};
    w.values = malloc((count * channels * length + 1) * sizeof *w.values);
    w.forms = malloc((count * channels + 1) * sizeof *w.forms);
    if (!w.values || !w.forms)
        abort();
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < channels; c++) {
            const double *x = series + c * stride + first + i;
            double *to = w.values + (i * channels + c) * length;
            w.forms[i * channels + c] = raw ? WWR_VARIES : wwr_normalise(x, length, to);
            if (raw)
                memcpy(to, x, length * sizeof *to);
        }
    return w;
}

void wwr_windows_free(wwr_windows *windows) {
    free(windows->values);
    free(windows->forms);
}

static double square_distance(const double *a, const double *b, size_t m) {
    double sums[4] = {0, 0, 0, 0}; // four chains of additions: each alone waits for the last
    size_t t = 0;
    for (; t + 4 <= m; t += 4)
        for (int s = 0; s < 4; s++)
            sums[s] += (a[t + (size_t)s] - b[t + (size_t)s]) * (a[t + (size_t)s] - b[t + (size_t)s]);
    for (; t < m; t++)
        sums[0] += (a[t] - b[t]) * (a[t] - b[t]);
    return sums[0] + sums[1] + sums[2] + sums[3];
}

double wwr_windows_channel(const wwr_windows *x, size_t i, const wwr_windows *y, size_t j, size_t channel) {
    const size_t a = i * x->channels + channel, b = j * y->channels + channel;
    if (x->forms[a] == WWR_MISSING || y->forms[b] == WWR_MISSING)
        return NAN;
    if (x->forms[a] == WWR_VARIES && y->forms[b] == WWR_VARIES)
        return square_distance(x->values + a * x->length, y->values + b * y->length, x->length);
    return x->forms[a] == y->forms[b] ? 0 : (double)x->length;
}

double wwr_windows_distance(const wwr_windows *x, size_t i, const wwr_windows *y, size_t j) {
    double sum = 0;
    for (size_t c = 0; c < x->channels; c++)
        sum += wwr_windows_channel(x, i, y, j, c);
    return sum;
}
