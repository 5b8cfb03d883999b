// SPDX-License-Identifier: Apache-2.0
// Matrix profiles of series whose parts differ by orders of magnitude: jumps, spikes, quiet parts far from 0. Random
// series against brute force in long double. For each window: the r-th distance is the r-th least, and that of the
// neighbour that is named.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/support.h"
#include "host.h"
#include "reference/profile_reference.h"
#include "reference/reference.h"

// ---- series

typedef enum kind {
    JUMP,     // another level from somewhere on
    LEVELS,   // levels of any height
    SPIKES,   // single points far away
    SCALES,   // parts of 1e-6 to 1e8
    PLATEAUS, // nearly constant, far from 0
    RAMPS,    // steep, with noise
    TRENDS,   // counters, time stamps and curves, with noise of 1 to 1e-11 of a step
    OUTLIER,  // one point of up to 1e60
    WHOLE,    // whole numbers with a period, a few changed
    MIXED,    // jumps and scales and spikes
    KINDS
} kind;

static double between(double least, double most) {
    return least + (most - least) * (wwt_random() + 1) / 2;
}

static double height(double least, double most) {
    return (wwt_random() < 0 ? -1 : 1) * pow(10, between(least, most));
}

// Windows that are nearly straight lines: counts that add up, steps that are not quite even, a slow curve.
static void fill_trend(double *x, size_t length) {
    const double slope = height(-3, 6), noise = fabs(slope) * pow(10, between(-11, 0)), bend = between(-2, 2);
    const int shape = (int)wwt_random_size(0, 3);
    double sum = 0;
    for (size_t t = 0; t < length; t++) {
        const double at = (double)t / (double)length;
        sum += slope + noise * wwt_random();
        x[t] = shape == 0   ? sum
               : shape == 1 ? slope * (double)t + noise * wwt_random()
               : shape == 2 ? slope * (double)length * (at + bend * at * at) + noise * wwt_random()
                            : slope * (double)length * exp(bend * at) + noise * wwt_random();
    }
}

static void fill(kind of, double *x, size_t length) {
    const size_t part = wwt_random_size(length / 20 + 2, length / 2), place = wwt_random_size(0, length - 1);
    const size_t period = wwt_random_size(3, 9);
    const double quiet = pow(10, between(-4, 0)), most = between(2, 9), slope = height(-3, 6);
    double level = 0, scale = quiet;
    if (of == TRENDS) {
        fill_trend(x, length);
        return;
    }
    for (size_t t = 0; t < length; t++) {
        if (t % part == 0) {
            level = of == LEVELS || of == MIXED || of == PLATEAUS ? height(0, most) : 0;
            if (of == SCALES || of == MIXED)
                scale = pow(10, between(-6, 8));
            else if (of == PLATEAUS)
                scale = fabs(level) * pow(10, between(-12, 0));
        }
        x[t] = level + scale * wwt_random();
        if (of == JUMP && t == place)
            level = height(1, 9);
        if ((of == SPIKES || of == MIXED) && wwt_random() > 1 - 6.0 / (double)length)
            x[t] += height(0, most);
        if (of == RAMPS)
            x[t] += slope * (double)(t % part);
        if (of == WHOLE)
            x[t] = t < period ? floor(between(-128, 128)) : x[t - period];
    }
    if (of == OUTLIER)
        x[place] = height(3, 60);
    for (size_t n = 0; of == WHOLE && n < 4; n++)
        x[wwt_random_size(0, length - 1)] += 1;
}

// ---- brute force

// Windows less their mean, by their deviation; constant: 0, and `flat` says so. [window][channel][point]
static double *normalised(const double *x, size_t length, size_t m, size_t channels, unsigned char *flat) {
    const size_t windows = length - m + 1;
    double *z = malloc(windows * channels * m * sizeof *z);
    for (size_t i = 0; i < windows; i++)
        for (size_t c = 0; c < channels; c++) {
            const double *a = x + c * length + i;
            double *to = z + (i * channels + c) * m, least = a[0], most = a[0], largest = 0;
            long double mean = 0, squares = 0;
            for (size_t t = 0; t < m; t++) {
                mean += ((long double)a[t] - a[0]) / (long double)m;
                least = fmin(least, a[t]);
                most = fmax(most, a[t]);
                largest = fmax(largest, fabs(a[t]));
            }
            for (size_t t = 0; t < m; t++) {
                const long double d = (long double)a[t] - a[0] - mean;
                squares += d * d;
            }
            const bool constant = most - least <= WWR_CONSTANT * largest;
            flat[i * channels + c] = constant;
            for (size_t t = 0; t < m; t++)
                to[t] = constant ? 0 : (double)(((long double)a[t] - a[0] - mean) / sqrtl(squares / (long double)m));
        }
    return z;
}

typedef struct job {
    size_t length, other, window, channels, k; // other 0: the series itself
    ww_precision precision;
    int left_right;
} job;

typedef struct brute {
    const job *job;
    double *x, *y; // values; y NULL: x
    double *own, *others;
    unsigned char *own_flat, *other_flat;
} brute;

static double distance(const brute *b, size_t i, size_t j) {
    const size_t m = b->job->window, channels = b->job->channels;
    double total = 0;
    for (size_t c = 0; c < channels; c++) {
        const double *p = b->own + (i * channels + c) * m, *q = b->others + (j * channels + c) * m;
        double sum = 0;
        if (b->own_flat[i * channels + c] || b->other_flat[j * channels + c])
            sum = b->own_flat[i * channels + c] == b->other_flat[j * channels + c] ? 0 : (double)m;
        else
            for (size_t t = 0; t < m; t++)
                sum += (p[t] - q[t]) * (p[t] - q[t]);
        total += sum;
    }
    return sqrt(total);
}

// side: -1 earlier windows alone, 1 later ones, 0 all.
static void check(const brute *b, size_t exclusion, int side, const double *distances, const int64_t *indices,
                  const char *what) {
    const job *j = b->job;
    const size_t m = j->window, windows = j->length - m + 1, others = (b->y ? j->other : j->length) - m + 1;
    const double root = sqrt((double)(m * j->channels)), bound = (j->precision == WW_DOUBLE ? 1e-10 : 1e-5) * root;
    for (size_t i = 0; i < windows; i++) {
        double best[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
        for (size_t o = 0; o < others; o++) {
            if (!b->y && ((i < o ? o - i : i - o) <= exclusion || (side < 0 && o > i) || (side > 0 && o < i)))
                continue;
            double d = distance(b, i, o);
            for (size_t r = 0; r < j->k; r++) {
                const double more = fmax(best[r], d);
                best[r] = fmin(best[r], d);
                d = more;
            }
        }
        for (size_t r = 0; r < j->k; r++) {
            const double given = distances[i * j->k + r];
            const int64_t id = indices[i * j->k + r];
            if (isinf(best[r])) {
                ck_assert_msg(isinf(given) && id == -1, "%s: window %zu has a neighbour", what, i);
                continue;
            }
            ck_assert_msg(id >= 0 && (size_t)id < others && fabs(given - best[r]) <= bound,
                          "%s: window %zu of %zu, neighbour %zu: %.15g (%ld), not %.15g; window %zu, channels %zu, "
                          "precision %d, %s",
                          what, i, windows, r, given, (long)id, best[r], m, j->channels, (int)j->precision,
                          b->y ? "two series" : "one series");
            const double own = distance(b, i, (size_t)id);
            // Straight lines are at 0 from each other; in float they are straight to 2.5e-6 of their deviation.
            const double off = given > 0 || j->precision == WW_DOUBLE ? 1e-10 : 5e-6;
            ck_assert_msg(fabs(own - given) <= off * root, "%s: window %zu: neighbour %ld is at %.15g, not %.15g", what,
                          i, (long)id, own, given);
        }
    }
}

// x and y (or NULL) are computed and compared with brute force.
static void compare(ww_context *context, const job *j, double *x, double *y, const char *what) {
    const size_t windows = j->length - j->window + 1, others = (y ? j->other : j->length) - j->window + 1;
    ww_series_view own = wwt_view_of(x, j->length, j->channels), other = wwt_view_of(y, j->other, j->channels);
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile_info info = WW_PROFILE_INFO_INIT;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    ww_profile *profile = NULL;
    double *distances[3];
    int64_t *indices[3];
    for (int i = 0; i < 3; i++) {
        distances[i] = malloc(windows * j->k * sizeof(double));
        indices[i] = malloc(windows * j->k * sizeof(int64_t));
    }
    options.k = j->k;
    options.precision = j->precision;
    options.left_right = j->left_right;
    output.distances = distances[0];
    output.indices = indices[0];
    if (j->left_right) {
        output.left_distances = distances[1];
        output.left_indices = indices[1];
        output.right_distances = distances[2];
        output.right_indices = indices[2];
    }
    wwt_ok(ww_profile_create(context, &own, 0, y ? &other : NULL, 0, j->window, &options, &profile));
    wwt_ok(ww_profile_run(profile, &output));
    wwt_ok(ww_profile_get_info(profile, &info));
    ww_profile_destroy(&profile);
    brute b = {j, x, y, NULL, NULL, malloc(windows * j->channels), malloc(others * j->channels)};
    b.own = normalised(x, j->length, j->window, j->channels, b.own_flat);
    b.others = normalised(y ? y : x, y ? j->other : j->length, j->window, j->channels, b.other_flat);
    check(&b, info.exclusion, 0, distances[0], indices[0], what);
    for (int side = 1; j->left_right && side <= 2; side++)
        check(&b, info.exclusion, side == 1 ? -1 : 1, distances[side], indices[side], what);
    for (int i = 0; i < 3; i++) {
        free(distances[i]);
        free(indices[i]);
    }
    free(b.own);
    free(b.others);
    free(b.own_flat);
    free(b.other_flat);
}

// ---- random series

// Few shapes: each takes programs of its own. `all`: also several channels and neighbours.
static void random_series(ww_context *context, kind of, bool has_double, bool all, int trials) {
    static const size_t windows[] = {3, 4, 8, 17, 32, 64};
    for (int n = 0; n < trials; n++) {
        const bool two = n % 3 == 2;
        job j = {.length = wwt_random_size(200, 500),
                 .other = two ? wwt_random_size(150, 500) : 0,
                 .window = windows[wwt_random_size(0, 5)],
                 .channels = all && n % 6 == 1 ? 3 : 1,
                 .k = all && n % 6 == 4 ? 3 : 1,
                 .precision = has_double && n / 3 % 2 ? WW_DOUBLE : WW_FLOAT,
                 .left_right = n % 3 == 0};
        const size_t own_count = j.length * j.channels, other_count = j.other * j.channels;
        double *x = malloc(own_count * sizeof *x), *y = two ? malloc(other_count * sizeof *y) : NULL;
        char what[80];
        for (size_t c = 0; c < j.channels; c++) {
            fill(of, x + c * j.length, j.length);
            if (two)
                fill(of, y + c * j.other, j.other);
        }
        snprintf(what, sizeof what, "kind %d, trial %d", (int)of, n);
        compare(context, &j, x, y, what);
        free(y);
        free(x);
    }
}

START_TEST(as_the_device_does_it) {
    wwt_seed(100 + (unsigned)_i);
    random_series(wwt_context, (kind)_i, wwt_device_has_double(), false, 48);
}
END_TEST

START_TEST(in_other_forms) {
    static const char *const forms[] = {
        "default form.profile 1\ndefault profile.rows 512\n",
        "default form.profile 1\ndefault profile.rows 64\ndefault profile.diagonals 2\n",
        "default form.profile 2\ndefault profile.rows 64\n", "default form.profile 3\n"};
    ww_context *context = wwt_context_tuned(forms[_i]);
    for (int of = 0; of < KINDS; of++) {
        wwt_seed(200 + (unsigned)(_i * KINDS + of));
        random_series(context, (kind)of, _i < 3 && wwi_context_info(context)->has_double, _i > 0, 18);
    }
    ww_context_destroy(&context);
}
END_TEST

// ---- known cases

// Counters and time stamps: correlations of their windows differ from 1 by less than float and its margin hold, and yet
// no more pairs are looked at than of a walk.
START_TEST(noisy_trends) {
    enum { LENGTH = 2500, WINDOW = 52, WINDOWS = LENGTH - WINDOW + 1, TRIED = 8 };
    static double x[LENGTH], distances[WINDOWS], expected[WINDOWS];
    static int64_t indices[WINDOWS], ids[WINDOWS];
    uint64_t of_walk = 0;
    if (_i && !wwt_device_has_double())
        return;
    wwt_seed(915);
    for (int trend = 0; trend <= TRIED; trend++) { // 0: a walk
        // From the 4th on noise upon a line, to what is still no straight line in double, in float.
        static const double steps[] = {0, 1e6, 1e4, -50, 1, 1, 1, -1, 1};
        static const double noises[] = {1, 1e3, 3, 1, 1e-3, 1e-5, 1e-6, 1e-7, 3e-9};
        ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
        ww_profile_info info = WW_PROFILE_INFO_INIT;
        ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
        ww_profile *profile = NULL;
        double sum = 0;
        for (size_t t = 0; t < LENGTH; t++) {
            sum += steps[trend] + noises[trend] * wwt_random();
            if (trend < 4)
                x[t] = sum;
            else
                x[t] = (trend == 4 ? 1.7e9 : 0) + steps[trend] * (double)t + noises[trend] * wwt_random();
        }
        const ww_series_view view = wwt_view_of(x, LENGTH, 1);
        options.precision = _i ? WW_DOUBLE : WW_FLOAT;
        wwt_ok(ww_profile_create(wwt_context, &view, 0, NULL, 0, WINDOW, &options, &profile));
        output.distances = distances;
        output.indices = indices;
        wwt_ok(ww_profile_run(profile, &output));
        wwt_ok(ww_profile_get_info(profile, &info));
        ww_profile_destroy(&profile);
        of_walk = trend ? of_walk : info.candidates;
        ck_assert_msg(info.candidates <= 3 * of_walk, "trend %d: %llu candidates, of a walk %llu", trend,
                      (unsigned long long)info.candidates, (unsigned long long)of_walk);
        wwr_profile(x, LENGTH, NULL, 0, WINDOW, 1, WINDOW / 4, WWR_PROFILE_ALL, 1, expected, ids);
        for (size_t i = 0; i < WINDOWS; i++)
            ck_assert_msg(fabs(distances[i] - expected[i]) <= (_i ? 1e-10 : 1e-5) * sqrt(WINDOW),
                          "trend %d, window %zu: %.12g, not %.12g", trend, i, distances[i], expected[i]);
    }
}
END_TEST

static void both_precisions(job j, double *x, double *y, const char *what) {
    for (int is_double = 0; is_double < wwt_precision_count(); is_double++) {
        j.precision = is_double ? WW_DOUBLE : WW_FLOAT;
        compare(wwt_context, &j, x, y, what);
    }
}

// A jump of 1e9 times the noise, in the second half of one series and the first half of the other.
START_TEST(a_jump_in_two_series) {
    enum { LENGTH = 300 };
    double x[LENGTH], y[LENGTH];
    wwt_seed(300);
    for (size_t t = 0; t < LENGTH; t++) {
        x[t] = 1e-3 * wwt_random() + (t < LENGTH / 2 ? 0 : 1e6);
        y[t] = 1e-3 * wwt_random() + (t < LENGTH / 2 ? 1e6 : 0);
    }
    both_precisions((job){LENGTH, LENGTH, 8, 1, 1, WW_FLOAT, 0}, x, y, "a jump");
}
END_TEST

// The second half is quiet and at another level.
START_TEST(a_quiet_half) {
    enum { LENGTH = 400 };
    double x[LENGTH];
    wwt_seed(310);
    for (size_t t = 0; t < LENGTH; t++)
        x[t] = t < LENGTH / 2 ? 3 * wwt_random() : 1000 + 1e-5 * wwt_random();
    both_precisions((job){LENGTH, 0, 4, 1, 1, WW_FLOAT, 0}, x, NULL, "a quiet half");
}
END_TEST

// A value that stands for a missing one, 1e10 to 1e120, in one channel or the other.
START_TEST(a_huge_value) {
    enum { LENGTH = 300 };
    static const double values[] = {1e10, -1e20, 9.96921e36, 1e50, -1e120};
    double x[2 * LENGTH], y[LENGTH];
    wwt_seed(320);
    for (size_t n = 0; n < sizeof values / sizeof *values; n++) {
        for (size_t t = 0; t < 2 * LENGTH; t++)
            x[t] = wwt_random();
        for (size_t t = 0; t < LENGTH; t++)
            y[t] = wwt_random();
        x[LENGTH / 2] = values[n];
        x[LENGTH + 40] = 2 * values[n];
        both_precisions((job){LENGTH, 0, 16, 1, 1, WW_FLOAT, 1}, x, NULL, "a huge value");
        both_precisions((job){LENGTH, 0, 16, 2, 2, WW_FLOAT, 0}, x, NULL, "a huge value in each channel");
        both_precisions((job){LENGTH, LENGTH, 16, 1, 1, WW_FLOAT, 0}, y, x, "a huge value in the other series");
    }
}
END_TEST

// What squares can't hold in double is refused; large or small values alone are not.
START_TEST(more_than_double_holds) {
    enum { LENGTH = 300, WINDOW = 16 };
    static const double scales[] = {1e300, 1e-300, 1e-310};
    double x[LENGTH], distances[LENGTH];
    int64_t indices[LENGTH];
    wwt_seed(330);
    for (size_t n = 0; n < sizeof scales / sizeof *scales; n++) {
        for (size_t t = 0; t < LENGTH; t++)
            x[t] = wwt_random() * scales[n];
        both_precisions((job){LENGTH, 0, WINDOW, 1, 1, WW_FLOAT, 0}, x, NULL, "huge or tiny values");
    }
    for (size_t t = 0; t < LENGTH; t++)
        x[t] = wwt_random();
    x[100] = 1e200;
    const ww_series_view view = wwt_view_of(x, LENGTH, 1);
    wwt_fails(ww_profile_find(wwt_context, &view, NULL, WINDOW, NULL, distances, indices), WW_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(ww_last_error()->hint, "NaN"));
    x[100] = NAN; // as the hint says
    wwt_ok(ww_profile_find(wwt_context, &view, NULL, WINDOW, NULL, distances, indices));
    ck_assert(isinf(distances[90]) && !isinf(distances[0]));
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("profile scales");
    TCase *own = wwt_case(suite, "own context", 300);
    wwt_add_to(own, in_other_forms, 0, 4);
    TCase *tcase = wwt_case(suite, "scales", 300);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, as_the_device_does_it, 0, KINDS);
    wwt_add_to(tcase, noisy_trends, 0, 2);
    wwt_add_to(tcase, a_jump_in_two_series, 0, 1);
    wwt_add_to(tcase, a_quiet_half, 0, 1);
    wwt_add_to(tcase, a_huge_value, 0, 1);
    wwt_add_to(tcase, more_than_double_holds, 0, 1);
    return wwt_run(suite);
}
