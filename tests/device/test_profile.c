// SPDX-License-Identifier: Apache-2.0
// Matrix profiles against brute force: kinds of series, forms of the kernel, slices, several neighbours, motifs and
// discords, and what is refused.
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/support.h"
#include "host.h"
#include "reference/profile_reference.h"
#include "reference/windows.h"

// ---- series

typedef enum kind { WALK, OFFSET, SMALL, JUMPS, BURSTS, FLATS, HOLES, SINE, KINDS } kind;

static double kind_value(kind of, size_t t, double walk) {
    const double noise = wwt_random();
    switch (of) {
    case OFFSET:
        return walk * 0.5 + 1e6;
    case SMALL:
        return 1e-3 * noise + 1e6;
    case JUMPS:
        return walk + (t / 150 % 2 ? 1e6 : 0);
    case BURSTS:
        return noise * (t % 200 < 5 ? 1e4 : 1);
    case FLATS:
        return t % 170 < 60 ? 3.0 : noise;
    case HOLES:
        return t % 130 == 77 ? (t % 260 == 77 ? NAN : INFINITY) : noise;
    case SINE:
        return sin((double)t * 0.05) + 1e-4 * noise;
    default:
        return walk;
    }
}

// Channel by channel.
static double *make(kind of, size_t length, size_t channels) {
    double *values = malloc(length * channels * sizeof *values);
    for (size_t c = 0; c < channels; c++) {
        double walk = 0;
        for (size_t t = 0; t < length; t++) {
            walk += wwt_random();
            values[c * length + t] = kind_value(of, t, walk);
        }
    }
    return values;
}

// ---- one profile

typedef struct job {
    kind kind;
    size_t length, other, window, k, channels; // other 0: the series itself
    ww_precision precision;
    int left_right;
    size_t exclusion;
    uint64_t max_bytes;
} job;

// Distances are right, sorted, and those of the indices; of the same windows the lower comes first.
static void check(const job *j, const double *x, const double *y, size_t exclusion, wwr_profile_side side,
                  const double *distances, const int64_t *indices, const char *what) {
    const size_t windows = j->length - j->window + 1;
    double *expected = malloc(windows * j->k * sizeof *expected);
    int64_t *ids = malloc(windows * j->k * sizeof *ids);
    const double tolerance = (j->precision == WW_DOUBLE ? 1e-10 : 1e-5) * sqrt((double)(j->window * j->channels));
    wwr_profile(x, j->length, y, j->other, j->window, j->channels, exclusion, side, j->k, expected, ids);
    for (size_t i = 0; i < windows * j->k; i++) {
        if (isinf(expected[i])) {
            ck_assert_msg(isinf(distances[i]) && indices[i] == -1, "%s: %zu has a neighbour", what, i);
            continue;
        }
        ck_assert_msg(fabs(distances[i] - expected[i]) <= tolerance, "%s: kind %d, window %zu of %zu: %.12g, not %.12g",
                      what, j->kind, i / j->k, windows, distances[i], expected[i]);
        const double own = wwr_profile_distance(x, j->length, i / j->k, y ? y : x, y ? j->other : j->length,
                                                (size_t)indices[i], j->window, j->channels);
        ck_assert_msg(fabs(own - distances[i]) <= 1e-10 * sqrt((double)(j->window * j->channels)),
                      "%s: window %zu: the neighbour %ld is at %.12g, not %.12g", what, i / j->k, (long)indices[i], own,
                      distances[i]);
        if (i % j->k > 0) {
            ck_assert(distances[i - 1] <= distances[i]);
            ck_assert(distances[i - 1] < distances[i] || indices[i - 1] < indices[i]);
        }
    }
    free(ids);
    free(expected);
}

static ww_profile_info run(ww_context *context, const job *j) {
    double *x = make(j->kind, j->length, j->channels), *y = NULL;
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_run_options limits = WW_RUN_OPTIONS_INIT;
    ww_profile_info info = WW_PROFILE_INFO_INIT;
    ww_profile *profile = NULL;
    ww_series_view own = wwt_view_of(x, j->length, j->channels), other = own;
    if (j->other) {
        y = make(j->kind, j->other, j->channels);
        memcpy(y + (j->other - j->window) / 3, x + (j->length - j->window) / 2,
               j->window * sizeof *y); // one is the same
        other = wwt_view_of(y, j->other, j->channels);
    }
    limits.max_bytes = j->max_bytes;
    options.k = j->k;
    options.precision = j->precision;
    options.left_right = j->left_right;
    options.exclusion = j->exclusion;
    options.run = &limits;
    wwt_ok(ww_profile_create(context, &own, 0, y ? &other : NULL, 0, j->window, &options, &profile));
    const size_t count = (j->length - j->window + 1) * j->k;
    double *distances[3];
    int64_t *indices[3];
    for (int i = 0; i < 3; i++) {
        distances[i] = malloc(count * sizeof(double));
        indices[i] = malloc(count * sizeof(int64_t));
    }
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    output.distances = distances[0];
    output.indices = indices[0];
    if (j->left_right) {
        output.left_distances = distances[1];
        output.left_indices = indices[1];
        output.right_distances = distances[2];
        output.right_indices = indices[2];
    }
    for (int twice = 0; twice < 2; twice++)
        wwt_ok(ww_profile_run(profile, &output));
    wwt_ok(ww_profile_get_info(profile, &info));
    check(j, x, y, info.exclusion, WWR_PROFILE_ALL, distances[0], indices[0], "all");
    if (j->left_right) {
        check(j, x, y, info.exclusion, WWR_PROFILE_LEFT, distances[1], indices[1], "left");
        check(j, x, y, info.exclusion, WWR_PROFILE_RIGHT, distances[2], indices[2], "right");
    }
    for (int i = 0; i < 3; i++) {
        free(distances[i]);
        free(indices[i]);
    }
    ww_profile_destroy(&profile);
    free(y);
    free(x);
    return info;
}

#define AUTO WW_PROFILE_EXCLUSION_AUTO

START_TEST(every_kind_of_series) {
    wwt_seed(100 + (unsigned)_i);
    const job one = {(kind)_i, 900, 0, 40, 1, 1, WW_FLOAT, 0, AUTO, 0};
    const job three = {(kind)_i, 700, 0, 25, 3, 1, WW_FLOAT, 1, 11, 0};
    run(wwt_context, &one);
    run(wwt_context, &three);
}
END_TEST

START_TEST(double_is_right_to_ten_digits) {
    wwt_seed(200);
    if (!wwt_device_has_double())
        return;
    for (int i = 0; i < KINDS; i++) {
        const job one = {(kind)i, 700, 0, 33, 1, 1, WW_DOUBLE, 0, AUTO, 0};
        run(wwt_context, &one);
    }
}
END_TEST

START_TEST(two_series) {
    wwt_seed(300);
    static const kind kinds[] = {WALK, BURSTS, FLATS, HOLES};
    for (int i = 0; i < 4; i++) {
        const job wide = {kinds[i], 300, 700, 20, 1, 1, WW_FLOAT, 0, AUTO, 0};
        const job tall = {kinds[i], 700, 150, 20, 1, 1, WW_FLOAT, 0, AUTO, 0};
        run(wwt_context, &wide);
        run(wwt_context, &tall);
    }
    const job one_window = {WALK, 20, 100, 20, 1, 1, WW_FLOAT, 0, AUTO, 0};
    const job against_one = {WALK, 100, 20, 20, 1, 1, WW_FLOAT, 0, AUTO, 0};
    run(wwt_context, &one_window);
    run(wwt_context, &against_one);
}
END_TEST

START_TEST(many_channels) {
    wwt_seed(400);
    static const kind kinds[] = {WALK, HOLES, FLATS};
    for (int i = 0; i < 3; i++) {
        const job j = {kinds[i], 500, 0, 30, 2, 3, WW_FLOAT, 0, AUTO, 0};
        run(wwt_context, &j);
    }
}
END_TEST

START_TEST(small_shapes) {
    wwt_seed(500);
    static const size_t lengths[] = {5, 6, 8, 67, 68, 131, 600};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const job all = {WALK, lengths[i], 0, 3, 1, 1, WW_FLOAT, 0, 0, 0};
        const job few = {WALK, lengths[i], 0, 3, 1, 1, WW_FLOAT, 0, lengths[i] - 4, 0}; // one pair
        run(wwt_context, &all);
        run(wwt_context, &few);
    }
    const job more_than_there_are = {WALK, 30, 0, 5, 64, 1, WW_FLOAT, 0, 2, 0};
    run(wwt_context, &more_than_there_are);
}
END_TEST

// ---- other forms of the kernels

// Work-groups with local memory.
START_TEST(items) {
    wwt_seed(600);
    ww_context *context =
        wwt_context_tuned("default form.profile 1\ndefault profile.rows 64\ndefault profile.diagonals 2\n");
    const job jobs[] = {{JUMPS, 1500, 0, 40, 1, 1, WW_FLOAT, 0, AUTO, 0},
                        {BURSTS, 1300, 0, 70, 1, 1, WW_FLOAT, 1, AUTO, 0},
                        {FLATS, 700, 0, 30, 2, 3, WW_FLOAT, 0, AUTO, 0},
                        {WALK, 300, 1400, 65, 1, 1, WW_FLOAT, 0, AUTO, 0}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        ck_assert_str_eq(run(context, &jobs[i]).form, wwi_context_info(context)->has_double ? "items" : "pairs");
    ww_context_destroy(&context);
}
END_TEST

// Memory that was used before holds anything: nothing behind a table may count. A tile reaches far behind it here. New
// buffers of a CPU's driver hold large floats (0x7f7f7f7f), those of a GPU what released ones held.
START_TEST(what_lies_behind_the_tables) {
    enum { BUFFERS = 64, LARGEST = 64 * BUFFERS };
    wwt_seed(620);
    ww_context *context = wwt_context_tuned("default form.profile 1\ndefault profile.group 64\n"
                                            "default profile.diagonals 2\ndefault profile.rows 512\n");
    const job j = {WALK, 300, 0, 12, 1, 1, WW_FLOAT, 0, AUTO, 0};
    wwi_buffer *buffers[BUFFERS];
    float values[LARGEST / sizeof(float)];
    for (size_t i = 0; i < LARGEST / sizeof(float); i++)
        values[i] = INFINITY;
    for (size_t i = 0; i < BUFFERS; i++) {
        wwt_ok(wwi_buffer_create(context, 64 * (i + 1), &buffers[i]));
        wwt_ok(wwi_buffer_write(buffers[i], 0, 64 * (i + 1), values));
    }
    for (size_t i = 0; i < BUFFERS; i++)
        wwi_buffer_destroy(&buffers[i]);
    (void)mallopt(M_PERTURB, 0x80); // a sanitizer's memory has no such option
    run(context, &j);
    (void)mallopt(M_PERTURB, 0);
    ww_context_destroy(&context);
}
END_TEST

// Devices without double: covariances in pairs of floats, and the host compares.
START_TEST(without_double) {
    wwt_seed(650 + (unsigned)_i);
    ww_context *context = wwt_context_tuned("default form.profile 3\ndefault profile.rows 64\n");
    const job jobs[] = {{(kind)_i, 900, 0, 40, 1, 1, WW_FLOAT, 0, AUTO, 0},
                        {(kind)_i, 500, 0, 25, 3, 2, WW_FLOAT, 1, 11, 0},
                        {(kind)_i, 300, 500, 20, 2, 1, WW_FLOAT, 0, AUTO, 0},
                        {(kind)_i, 2000, 0, 30, 1, 1, WW_FLOAT, 0, AUTO, 250000}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        ck_assert_str_eq(run(context, &jobs[i]).form, "pairs");
    double x[50] = {0};
    const ww_series_view view = wwt_view_of(x, 50, 1);
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile *profile = NULL;
    options.precision = WW_DOUBLE;
    wwt_fails(ww_profile_create(context, &view, 0, NULL, 0, 10, &options, &profile), WW_ERROR_UNSUPPORTED);
    ww_context_destroy(&context);
}
END_TEST

// Of the channels only the nearest count, by brute force over channels, in each form of the kernels.
START_TEST(best_channels) {
    enum { LENGTH = 260, WINDOW = 20, WINDOWS = LENGTH - WINDOW + 1, CHANNELS = 4 };
    static const char *const forms[] = {
        "default profile.rows 64\n", "default profile.rows 64\ndefault form.profile 1\ndefault profile.diagonals 2\n",
        "default profile.rows 64\ndefault form.profile 3\n"};
    static const kind kinds[] = {FLATS, HOLES, BURSTS};
    static const size_t counts[] = {1, 2, 2};
    static double distances[WINDOWS * 2];
    static int64_t indices[WINDOWS * 2];
    wwt_seed(670 + (unsigned)_i);
    ww_context *context = wwt_context_tuned(forms[_i]);
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++) {
        const size_t best = counts[n];
        double *x = make(kinds[n], LENGTH, CHANNELS);
        // Channels of their own: holes in one, the same window twice in another.
        for (size_t t = 0; t < WINDOW; t++)
            x[LENGTH + 200 + t] = x[LENGTH + 30 + t];
        // A hole in one or two channels takes these out of a window, not the window.
        for (size_t t = 0; kinds[n] == HOLES && t < 3; t++)
            x[2 * LENGTH + 110 + t] = x[3 * LENGTH + 115 + t] = t == 1 ? INFINITY : NAN;
        const ww_series_view view = wwt_view_of(x, LENGTH, CHANNELS);
        ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
        options.k = 2;
        options.best_channels = best;
        wwt_ok(ww_profile_find(context, &view, NULL, WINDOW, &options, distances, indices));
        wwr_windows windows = wwr_windows_make(x, LENGTH, 0, WINDOWS, WINDOW, CHANNELS, false);
        for (size_t i = 0; i < WINDOWS; i++) {
            double nearest[2] = {INFINITY, INFINITY};
            for (size_t j = 0; j < WINDOWS; j++) {
                double squares[CHANNELS], sum = 0;
                if ((i < j ? j - i : i - j) <= (WINDOW + 3) / 4)
                    continue;
                for (size_t c = 0; c < CHANNELS; c++) {
                    const double found = wwr_windows_channel(&windows, i, &windows, j, c);
                    const double square = isnan(found) ? INFINITY : found;
                    size_t at = c;
                    for (; at > 0 && squares[at - 1] > square; at--)
                        squares[at] = squares[at - 1];
                    squares[at] = square;
                }
                for (size_t c = 0; c < best; c++)
                    sum += squares[c];
                if (sum < nearest[0]) {
                    nearest[1] = nearest[0];
                    nearest[0] = sum;
                } else if (sum < nearest[1]) {
                    nearest[1] = sum;
                }
            }
            for (size_t r = 0; r < 2; r++)
                ck_assert_msg(isinf(nearest[r])
                                  ? isinf(distances[2 * i + r])
                                  : fabs(distances[2 * i + r] - sqrt(nearest[r])) <= 1e-5 * sqrt(WINDOW * (double)best),
                              "form %d, kind %d, best %zu, window %zu: %.12g, not %.12g", _i, kinds[n], best, i,
                              distances[2 * i + r], sqrt(nearest[r]));
        }
        wwr_windows_free(&windows);
        free(x);
    }
    double x[2 * 50] = {0};
    const ww_series_view view = wwt_view_of(x, 50, 2);
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    options.best_channels = 3;
    wwt_fails(ww_profile_find(context, &view, NULL, 10, &options, distances, indices), WW_ERROR_INVALID_ARGUMENT);
    ww_context_destroy(&context);
}
END_TEST

// Series longer than what may be on the device, and candidates that do not fit their room.
START_TEST(in_slices) {
    wwt_seed(700 + (unsigned)_i);
    ww_context *context = wwt_context_tuned("default profile.rows 64\n");
    static const kind kinds[] = {WALK, JUMPS, FLATS};
    static const uint64_t bytes[] = {400000, 250000, 400000};
    const job self = {kinds[_i], 3000, 0, 30, 1, 1, WW_FLOAT, _i == 1, AUTO, bytes[_i]};
    const job two = {kinds[_i], 1500, 2500, 30, 1, 1, WW_FLOAT, 0, AUTO, bytes[_i]};
    ww_device_info device = WW_DEVICE_INFO_INIT;
    wwt_ok(ww_context_get_device_info(context, &device));
    if (device.type == WW_DEVICE_CPU) {
        ck_assert_uint_gt(run(context, &self).slices, 1);
        run(context, &two);
    }
    ww_context_destroy(&context);
}
END_TEST

// ---- rules

// Whole numbers with a period: many windows are the same, and the first of them is taken.
START_TEST(ties_go_to_the_lower_index) {
    enum { LENGTH = 600, PERIOD = 37, WINDOW = 16 };
    double x[LENGTH], distances[LENGTH];
    int64_t indices[LENGTH];
    wwt_seed(800);
    for (size_t t = 0; t < LENGTH; t++)
        x[t] = t < PERIOD ? floor(wwt_random() * 50) + 0.1 : x[t - PERIOD];
    const ww_series_view view = wwt_view_of(x, LENGTH, 1);
    wwt_ok(ww_profile_find(wwt_context, &view, NULL, WINDOW, NULL, distances, indices));
    for (size_t i = 0; i + WINDOW <= LENGTH; i++) {
        const size_t first = i < PERIOD ? i + PERIOD : i % PERIOD;
        ck_assert_double_eq(distances[i], 0);
        ck_assert_int_eq(indices[i], (int64_t)first);
    }
}
END_TEST

START_TEST(constant_and_empty_of_numbers) {
    enum { LENGTH = 100, WINDOW = 10 };
    double x[LENGTH], distances[LENGTH];
    int64_t indices[LENGTH];
    for (size_t t = 0; t < LENGTH; t++)
        x[t] = 1e6 + 0.1;
    const ww_series_view view = wwt_view_of(x, LENGTH, 1);
    wwt_ok(ww_profile_find(wwt_context, &view, NULL, WINDOW, NULL, distances, indices));
    for (size_t i = 0; i + WINDOW <= LENGTH; i++) {
        ck_assert_double_eq(distances[i], 0);
        ck_assert_int_eq(indices[i], i <= 3 ? (int64_t)i + 4 : 0);
    }
    for (size_t t = 0; t < LENGTH; t++)
        x[t] = t % 5 == 0 ? NAN : (double)t;
    wwt_ok(ww_profile_find(wwt_context, &view, NULL, WINDOW, NULL, distances, indices));
    for (size_t i = 0; i + WINDOW <= LENGTH; i++)
        ck_assert(isinf(distances[i]) && indices[i] == -1);
}
END_TEST

// Ramps: all their windows are alike but for rounding. Their neighbours are the first that rise or fall as they do, and
// no other pair of them is looked at.
START_TEST(lines) {
    enum { LENGTH = 3000, WINDOW = 20, WINDOWS = LENGTH - WINDOW + 1 };
    static double x[LENGTH], distances[WINDOWS], expected[WINDOWS];
    static int64_t indices[WINDOWS], ids[WINDOWS];
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile_info info = WW_PROFILE_INFO_INIT;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    ww_profile *profile = NULL;
    if (_i && !wwt_device_has_double())
        return;
    wwt_seed(910);
    // A ramp of 0.1 a point, noise, one that falls, and a faster one that rises.
    for (size_t t = 0; t < LENGTH; t++)
        x[t] = t < 1000   ? 100 + 0.1 * (double)t
               : t < 1200 ? wwt_random()
               : t < 2000 ? -3.0 * (double)t
                          : 7.3 * (double)t;
    const ww_series_view view = wwt_view_of(x, LENGTH, 1);
    options.precision = _i ? WW_DOUBLE : WW_FLOAT;
    wwt_ok(ww_profile_create(wwt_context, &view, 0, NULL, 0, WINDOW, &options, &profile));
    output.distances = distances;
    output.indices = indices;
    wwt_ok(ww_profile_run(profile, &output));
    wwt_ok(ww_profile_get_info(profile, &info));
    ww_profile_destroy(&profile);
    wwr_profile(x, LENGTH, NULL, 0, WINDOW, 1, WINDOW / 4, WWR_PROFILE_ALL, 1, expected, ids);
    for (size_t i = 0; i < WINDOWS; i++) {
        const size_t first = i + WINDOW <= 1000 ? (i <= WINDOW / 4 ? i + WINDOW / 4 + 1 : 0) : 0;
        ck_assert_msg(fabs(distances[i] - expected[i]) <= (_i ? 1e-10 : 1e-5) * sqrt(WINDOW), "window %zu: %g, not %g",
                      i, distances[i], expected[i]);
        if (i + WINDOW <= 1000)
            ck_assert_int_eq(indices[i], (int64_t)first);
        else if (i >= 1200 && i + WINDOW <= 2000)
            ck_assert_int_eq(indices[i], i <= 1200 + WINDOW / 4 ? (int64_t)i + WINDOW / 4 + 1 : 1200);
        else if (i >= 2000)
            ck_assert_int_eq(indices[i], 0);
    }
    ck_assert_uint_le(info.candidates, 100 * WINDOWS);
}
END_TEST

// A series of a set, time by time, in float, scaled by powers of ten: the same profile.
START_TEST(views_and_scales) {
    enum { LENGTH = 200, WINDOW = 12, WINDOWS = LENGTH - WINDOW + 1 };
    double x[2 * LENGTH], distances[WINDOWS], others[WINDOWS];
    float y[30 + 2 * LENGTH];
    int64_t indices[WINDOWS], other_indices[WINDOWS];
    const size_t lengths[] = {10, LENGTH}, offsets[] = {5, 30};
    ww_profile *profile = NULL;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    wwt_seed(900);
    for (size_t c = 0; c < 2; c++)
        for (size_t t = 0; t < LENGTH; t++) {
            x[c * LENGTH + t] = wwt_random();
            y[30 + t * 2 + c] = (float)x[c * LENGTH + t] * (c ? 0x1p100f : 0x1p-100f);
        }
    ww_series_view view = wwt_view_of(x, LENGTH, 2);
    wwt_ok(ww_profile_find(wwt_context, &view, NULL, WINDOW, NULL, distances, indices));
    view.values = y;
    view.precision = WW_FLOAT;
    view.count = 2;
    view.lengths = lengths;
    view.offsets = offsets;
    view.time_major = 1;
    wwt_ok(ww_profile_create(wwt_context, &view, 1, NULL, 0, WINDOW, NULL, &profile));
    output.distances = others;
    output.indices = other_indices;
    wwt_ok(ww_profile_run(profile, &output));
    for (size_t i = 0; i < WINDOWS; i++) {
        ck_assert_double_eq_tol(distances[i], others[i], 1e-9);
        ck_assert_int_eq(indices[i], other_indices[i]);
    }
    ww_profile_destroy(&profile);
}
END_TEST

// ---- progress

typedef struct watch {
    uint64_t last, total;
    int calls, stop_at;
} watch;

static int watch_progress(void *user, uint64_t done, uint64_t total) {
    watch *w = user;
    if (total <= 1) // a compile, before the work is counted
        return 0;
    ck_assert_uint_ge(done, w->last);
    ck_assert_uint_le(done, total);
    w->last = done;
    w->total = total;
    return ++w->calls == w->stop_at;
}

START_TEST(progress_and_cancel) {
    enum { WINDOW = 30 };
    const bool fast = wwt_device_is_gpu(); // whose first launch would do all of a small matrix
    const size_t LENGTH = fast ? 60000 : 3000, WINDOWS = LENGTH - WINDOW + 1;
    wwt_seed(1000);
    double *x = make(WALK, LENGTH, 1), *distances = malloc(WINDOWS * sizeof *distances);
    watch w = {0, 0, 0, 0};
    ww_run_options limits = WW_RUN_OPTIONS_INIT;
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    ww_profile_info info = WW_PROFILE_INFO_INIT;
    ww_profile *profile = NULL;
    limits.progress = watch_progress;
    limits.progress_user = &w;
    limits.launch_seconds = 1e-4;
    options.run = &limits;
    output.distances = distances;
    const ww_series_view view = wwt_view_of(x, LENGTH, 1);
    wwt_ok(ww_profile_create(wwt_context, &view, 0, NULL, 0, WINDOW, &options, &profile));
    wwt_ok(ww_profile_run(profile, &output));
    wwt_ok(ww_profile_get_info(profile, &info));
    ck_assert_int_gt(w.calls, 1);
    ck_assert_uint_eq(w.last, info.pairs);
    ck_assert_uint_eq(w.total, info.pairs);
    ck_assert_uint_eq(info.pairs, (uint64_t)(WINDOWS - 9) * (WINDOWS - 8) / 2);
    const double first = distances[0];
    w = (watch){0, 0, 0, 2};
    wwt_fails(ww_profile_run(profile, &output), WW_ERROR_CANCELLED);
    ck_assert_int_eq(w.calls, 2);
    w = (watch){0, 0, 0, 0};
    wwt_ok(ww_profile_run(profile, &output)); // as if nothing had been
    ck_assert_double_eq(distances[0], first);
    ww_profile_destroy(&profile);
    free(distances);
    free(x);
}
END_TEST

// ---- motifs and discords

START_TEST(planted_motifs_and_discords) {
    enum { LENGTH = 900, WINDOW = 50, WINDOWS = LENGTH - WINDOW + 1, MOST = 3 };
    static const size_t places[] = {100, 300, 700}, others[] = {200, 600};
    double x[LENGTH], distances[WINDOWS], row[WINDOWS];
    int64_t indices[WINDOWS], discords[MOST];
    ww_profile *profile = NULL;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    ww_profile_motif motifs[MOST];
    size_t found;
    wwt_seed(1100);
    for (size_t t = 0; t < LENGTH; t++)
        x[t] = sin((double)t * 0.7) + 0.2 * wwt_random();
    for (size_t p = 0; p < 3; p++)
        for (size_t t = 0; t < WINDOW; t++)
            x[places[p] + t] = (double)((t * t) % 11) + 1e-3 * (double)p * wwt_random();
    for (size_t p = 0; p < 2; p++)
        for (size_t t = 0; t < WINDOW; t++)
            x[others[p] + t] = 3 * (double)((t * 7) % 13) + 0.05 * wwt_random();
    for (size_t t = 0; t < 12; t++)
        x[450 + t] += (double)(t % 3) * 4; // nothing else is like this
    const ww_series_view view = wwt_view_of(x, LENGTH, 1);
    wwt_ok(ww_profile_create(wwt_context, &view, 0, NULL, 0, WINDOW, NULL, &profile));
    output.distances = distances;
    output.indices = indices;
    wwt_ok(ww_profile_run(profile, &output));
    wwt_ok(ww_profile_find_motifs(profile, distances, indices, WINDOW, 50, MOST, motifs, &found));
    ck_assert_uint_ge(found, 2);
    ck_assert_int_eq(motifs[0].first, 100);
    ck_assert_int_eq(motifs[0].second, 300);
    ck_assert_uint_ge(motifs[0].count, 1);
    ck_assert_int_eq(motifs[0].neighbours[0], 700);
    wwt_ok(ww_profile_get_distances(profile, 100, row));
    ck_assert_double_eq(motifs[0].distance, row[300]);
    ck_assert_double_eq(motifs[0].distance, distances[100]);
    ck_assert(isinf(row[100 + 13]) && isinf(row[100 - 13]) && !isinf(row[100 + 14]));
    ck_assert(labs((long)motifs[1].first - 200) <= WINDOW && labs((long)motifs[1].second - 600) <= WINDOW);
    ww_profile_motifs_free(motifs, found);
    wwt_ok(ww_profile_find_motifs(profile, distances, indices, AUTO, 0, 1, motifs, &found));
    ck_assert_uint_eq(found, 1);
    ck_assert_ptr_null(motifs[0].neighbours);
    wwt_ok(ww_profile_find_discords(profile, distances, WINDOW, MOST, discords, &found));
    ck_assert_uint_eq(found, MOST);
    ck_assert(discords[0] > 450 - WINDOW && discords[0] < 462);
    ck_assert(labs((long)(discords[0] - discords[1])) > WINDOW);
    for (size_t i = 0; i < WINDOWS; i++)
        ck_assert(distances[i] <= distances[discords[0]]);
    wwt_ok(ww_profile_find_discords(profile, distances, LENGTH, MOST, discords, &found));
    ck_assert_uint_eq(found, 1);
    wwt_fails(ww_profile_find_motifs(profile, distances, NULL, AUTO, 3, 1, motifs, &found), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_find_motifs(profile, distances, indices, AUTO, -1, 1, motifs, &found),
              WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_find_discords(NULL, distances, 1, 1, discords, &found), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_get_distances(profile, WINDOWS, row), WW_ERROR_INVALID_ARGUMENT);
    ww_profile_destroy(&profile);
}
END_TEST

// ---- refusals

static ww_status make_profile(const ww_series_view *view, size_t index, const ww_series_view *other, size_t window,
                              const ww_profile_options *options) {
    ww_profile *profile = NULL;
    const ww_status status = ww_profile_create(wwt_context, view, index, other, 0, window, options, &profile);
    ck_assert((status == WW_OK) == (profile != NULL));
    ww_profile_destroy(&profile);
    return status;
}

START_TEST(refusals) {
    double x[40] = {0};
    for (size_t t = 0; t < 40; t++)
        x[t] = sin((double)(t * t));
    const ww_series_view view = wwt_view_of(x, 40, 1), one = wwt_view_of(x, 1, 1), pair = wwt_view_of(x, 20, 2);
    ww_series_view none = wwt_view_of(x, 40, 1);
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    ww_run_options limits = WW_RUN_OPTIONS_INIT;
    ww_profile *profile = NULL;
    double distances[40];
    none.count = 0;
    wwt_fails(make_profile(&view, 0, NULL, 2, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(make_profile(&view, 0, NULL, 41, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(make_profile(&view, 0, NULL, 40, NULL), WW_ERROR_INVALID_ARGUMENT); // no pair
    wwt_fails(make_profile(&view, 0, NULL, 33, NULL), WW_ERROR_INVALID_ARGUMENT); // 8 windows, exclusion 9
    ck_assert_ptr_nonnull(strstr(ww_last_error()->message, "no pair"));
    wwt_fails(make_profile(&one, 0, NULL, 3, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(make_profile(&view, 1, NULL, 5, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(make_profile(&none, 0, NULL, 5, NULL), WW_ERROR_EMPTY);
    wwt_fails(make_profile(&view, 0, &pair, 5, NULL), WW_ERROR_CHANNELS);
    wwt_fails(make_profile(&view, 0, &one, 5, NULL), WW_ERROR_INVALID_ARGUMENT);
    options.k = 0;
    wwt_fails(make_profile(&view, 0, NULL, 5, &options), WW_ERROR_INVALID_ARGUMENT);
    options.k = WW_PROFILE_MOST + 1;
    wwt_fails(make_profile(&view, 0, NULL, 5, &options), WW_ERROR_INVALID_ARGUMENT);
    options.k = 1;
    options.left_right = 1;
    wwt_fails(make_profile(&view, 0, &view, 5, &options), WW_ERROR_UNSUPPORTED);
    options.left_right = 0;
    options.precision = (ww_precision)7;
    wwt_fails(make_profile(&view, 0, NULL, 5, &options), WW_ERROR_INVALID_ARGUMENT);
    options.precision = WW_FLOAT;
    options.run = &limits;
    limits.max_bytes = 10;
    double *large = make(WALK, 5000, 1);
    const ww_series_view large_view = wwt_view_of(large, 5000, 1);
    wwt_fails(make_profile(&large_view, 0, NULL, 5, &options), WW_ERROR_DEVICE_MEMORY);
    free(large);
    options.run = NULL;
    wwt_ok(ww_profile_create(wwt_context, &view, 0, NULL, 0, 5, &options, &profile));
    output.left_distances = distances;
    wwt_fails(ww_profile_run(profile, &output), WW_ERROR_INVALID_ARGUMENT);
    ww_profile_destroy(&profile);
    wwt_fails(ww_profile_run(NULL, &output), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("profile");
    TCase *own = wwt_case(suite, "own context", 60);
    wwt_add_to(own, items, 0, 1);
    wwt_add_to(own, what_lies_behind_the_tables, 0, 1);
    wwt_add_to(own, without_double, 0, KINDS);
    wwt_add_to(own, best_channels, 0, 3);
    wwt_add_to(own, in_slices, 0, 3);
    TCase *tcase = wwt_case(suite, "profile", 60);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, every_kind_of_series, 0, KINDS);
    wwt_add_to(tcase, double_is_right_to_ten_digits, 0, 1);
    wwt_add_to(tcase, two_series, 0, 1);
    wwt_add_to(tcase, many_channels, 0, 1);
    wwt_add_to(tcase, small_shapes, 0, 1);
    wwt_add_to(tcase, ties_go_to_the_lower_index, 0, 1);
    wwt_add_to(tcase, constant_and_empty_of_numbers, 0, 1);
    wwt_add_to(tcase, lines, 0, 2);
    wwt_add_to(tcase, views_and_scales, 0, 1);
    wwt_add_to(tcase, progress_and_cancel, 0, 1);
    wwt_add_to(tcase, planted_motifs_and_discords, 0, 1);
    wwt_add_to(tcase, refusals, 0, 1);
    return wwt_run(suite);
}
