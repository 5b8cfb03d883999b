// SPDX-License-Identifier: Apache-2.0
// Matrix profiles of series in which rounding errors may repeat: periods, patterns, levels, quantised values, smooth
// curves, with a few points changed by little. The search in float against the one in double, and some windows against
// brute force in long double.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/support.h"
#include "host.h"

typedef enum kind {
    PERIOD,   // random values that repeat
    NEARLY,   // likewise, and noise of 1e-12 to 1e-7 everywhere
    PATTERNS, // levels, each for a while, that repeat
    SQUARE,   // two levels
    SUM,      // two periods
    SENSOR,   // a sine as 8 or 12 bits
    NOISY,    // a sine with noise as 8 or 12 bits
    SMOOTH,   // t^2, whole numbers
    DECAY,    // an exponential
    KINDS
} kind;

static double between(double least, double most) {
    return least + (most - least) * (wwt_random() + 1) / 2;
}

static void fill(kind of, size_t period, double *x, size_t length) {
    const size_t other = wwt_random_size(3, 40), hold = wwt_random_size(2, 7), bits = wwt_random() < 0 ? 7 : 11;
    const double noise = pow(10, between(-12, -7)), height = pow(2, (double)bits), turn = 2 * acos(-1.0);
    double pattern[2048], second[64];
    for (size_t t = 0; t < period; t++)
        pattern[t] = of == PATTERNS && t % hold != 0 ? pattern[t - 1] : floor(between(-128, 128));
    for (size_t t = 0; t < 64; t++)
        second[t] = wwt_random();
    for (size_t t = 0; t < length; t++) {
        const double phase = turn * (double)t / (double)period, u = (double)t;
        x[t] = pattern[t % period];
        if (of == PERIOD)
            x[t] *= 0.7371;
        else if (of == NEARLY)
            x[t] += noise * wwt_random();
        else if (of == SQUARE)
            x[t] = t % period < (period + 1) / 2;
        else if (of == SUM)
            x[t] += 30 * second[t % other];
        else if (of == SENSOR)
            x[t] = floor(height * sin(phase));
        else if (of == NOISY)
            x[t] = floor(height * (sin(phase) + 0.05 * wwt_random()));
        else if (of == SMOOTH)
            x[t] = u * u;
        else if (of == DECAY)
            x[t] = exp(-u / (double)length);
    }
    // A few points are changed by 1e-12 to 1e-3 of the range, or by a step of the sensor.
    const double range = of == SQUARE || of == DECAY ? 1 : 256;
    for (size_t n = wwt_random_size(2, 6); n-- > 0;)
        x[wwt_random_size(0, length - 1)] +=
            of == SENSOR || of == NOISY || of == SMOOTH ? 1 : range * pow(10, between(-12, -3));
}

typedef struct job {
    size_t length, other, window; // other 0: the series itself
} job;

static void run(ww_context *context, const job *j, const double *x, const double *y, ww_precision precision,
                double *distances, int64_t *indices) {
    const ww_series_view own = wwt_view_of(x, j->length, 1), other = wwt_view_of(y, j->other, 1);
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    options.precision = precision;
    wwt_ok(ww_profile_find(context, &own, y ? &other : NULL, j->window, &options, distances, indices));
}

// (x_t - mean) / deviation; 0 for a constant window.
static void normalise(const double *x, size_t m, long double *z) {
    long double mean = 0, squares = 0;
    for (size_t t = 0; t < m; t++)
        mean += ((long double)x[t] - x[0]) / (long double)m;
    for (size_t t = 0; t < m; t++) {
        z[t] = (long double)x[t] - x[0] - mean;
        squares += z[t] * z[t];
    }
    for (size_t t = 0; t < m; t++)
        z[t] = squares > 0 ? z[t] / sqrtl(squares / (long double)m) : 0;
}

// The least distance of one window, by all pairs. Constant windows (of whole numbers) are at the root of the window.
static double least(const job *j, const double *x, const double *y, size_t i) {
    const size_t m = j->window, others = (y ? j->other : j->length) - m + 1, exclusion = (m + 3) / 4;
    long double *a = malloc(2 * m * sizeof *a), *b = a + m, best = INFINITY;
    normalise(x + i, m, a);
    for (size_t o = 0; o < others; o++) {
        if (!y && (i < o ? o - i : i - o) <= exclusion)
            continue;
        normalise((y ? y : x) + o, m, b);
        long double sum = 0, own = 0, its = 0;
        for (size_t t = 0; t < m; t++) {
            sum += (a[t] - b[t]) * (a[t] - b[t]);
            own += a[t] * a[t];
            its += b[t] * b[t];
        }
        best = fminl(best, (own > 0) != (its > 0) ? (long double)m : sum);
    }
    free(a);
    return (double)sqrtl(best);
}

static void compare(ww_context *context, const job *j, const double *x, const double *y, bool has_double,
                    const char *what) {
    enum { TRIED = 12 };
    const size_t windows = j->length - j->window + 1;
    const double root = sqrt((double)j->window);
    double *distances = malloc(2 * windows * sizeof *distances);
    int64_t *indices = malloc(2 * windows * sizeof *indices);
    run(context, j, x, y, WW_FLOAT, distances, indices);
    if (has_double)
        run(context, j, x, y, WW_DOUBLE, distances + windows, indices + windows);
    for (size_t i = 0; has_double && i < windows; i++)
        ck_assert_msg(fabs(distances[i] - distances[windows + i]) <= 1e-5 * root,
                      "%s: window %zu of %zu: %.9g (%ld), in double %.9g (%ld)", what, i, windows, distances[i],
                      (long)indices[i], distances[windows + i], (long)indices[windows + i]);
    for (size_t n = 0; n < TRIED; n++) {
        const size_t i = wwt_random_size(0, windows - 1);
        const double right = least(j, x, y, i);
        ck_assert_msg(fabs(distances[i] - right) <= 1e-5 * root, "%s: window %zu of %zu: %.9g (%ld), not %.9g", what, i,
                      windows, distances[i], (long)indices[i], right);
    }
    free(distances);
    free(indices);
}

// In the daily run a third of the trials.
static void random_series(ww_context *context, kind of, unsigned seed, bool has_double, int trials, size_t longest) {
    static const size_t windows[] = {5, 9, 16, 22, 33, 64, 100};
    for (int n = 0; n < trials; n++) {
        if (!wwt_turn(n + (int)of, 3))
            continue;
        wwt_seed(seed + 1000 * (unsigned)n);
        const size_t period = wwt_random_size(3, n % 4 == 3 ? 300 : 40);
        const bool two = n % 3 == 2;
        const job j = {.length = wwt_random_size(4500, longest),
                       .other = two ? wwt_random_size(4500, longest) : 0,
                       .window = windows[wwt_random_size(0, 6)]};
        double *x = malloc(j.length * sizeof *x), *y = two ? malloc(j.other * sizeof *y) : NULL;
        char what[120];
        fill(of, period, x, j.length);
        for (size_t t = 0; two && t < j.other; t++) // the same values, so that windows have equal ones
            y[t] = t + period < j.length ? x[t + period] : x[t % period];
        for (size_t c = 0; two && c < 4; c++)
            y[wwt_random_size(0, j.other - 1)] += of == SENSOR || of == NOISY ? 1 : pow(10, between(-12, -2));
        snprintf(what, sizeof what, "kind %d, trial %d, period %zu, window %zu, %s", (int)of, n, period, j.window,
                 two ? "two series" : "one series");
        compare(context, &j, x, y, has_double, what);
        free(y);
        free(x);
    }
}

START_TEST(as_the_device_does_it) {
    // Of smooth series all windows are nearly equal, and all pairs are looked at.
    const bool smooth = _i >= SMOOTH;
    random_series(wwt_context, (kind)_i, 400 + (unsigned)_i, wwt_device_has_double(), smooth ? 3 : 9,
                  smooth ? 4600 : 9000);
}
END_TEST

START_TEST(in_other_forms) {
    static const char *const forms[] = {"default form.profile 1\ndefault profile.rows 2048\n",
                                        "default form.profile 2\ndefault profile.rows 2048\n",
                                        "default form.profile 3\n"};
    ww_context *context = wwt_context_tuned(forms[_i]);
    for (int of = PERIOD; of <= SUM; of++)
        random_series(context, (kind)of, 500 + (unsigned)(_i * KINDS + of),
                      _i < 2 && wwi_context_info(context)->has_double, _i < 2 ? 3 : 1, 5500);
    ww_context_destroy(&context);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("profile repeats");
    TCase *own = wwt_case(suite, "own context", 300);
    wwt_add_to(own, in_other_forms, 0, 3);
    TCase *tcase = wwt_case(suite, "repeats", 300);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, as_the_device_does_it, 0, KINDS);
    return wwt_run(suite);
}
