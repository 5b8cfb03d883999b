// SPDX-License-Identifier: Apache-2.0
// Matrix profiles of windows that are not normalised, against brute force: kinds of series, norms, forms of the kernel,
// parts, scales, and what is refused.
#include <float.h>
#include <math.h>
#include <string.h>

#include "device/support.h"
#include "host.h"
#include "reference/profile_reference.h"

enum { LENGTH = 420, OTHER = 300, MOST_K = 3 };

typedef enum kind { WALK, OFFSET, STEPS, HOLES, SPIKE, QUIET, KINDS } kind;

static double kind_value(kind of, size_t t, double walk) {
    switch (of) {
    case OFFSET:
        return 1e6 + 1e-3 * walk;
    case STEPS: // levels, of which many windows are equal
        return (double)(t / 60 % 3);
    case HOLES:
        return t % 130 == 77 ? (t % 260 == 77 ? NAN : -INFINITY) : walk;
    case SPIKE:
        return t == 200 ? 1e9 : wwt_random();
    case QUIET: // far from 0 within a part, and 10^-9 of it
        return t % 140 < 90 ? 1 + 1e-9 * walk : walk;
    default:
        return walk;
    }
}

// Channel by channel.
static double *make(kind of, size_t length, size_t channels, double scale) {
    double *values = malloc(length * channels * sizeof *values);
    for (size_t c = 0; c < channels; c++) {
        double walk = 0;
        for (size_t t = 0; t < length; t++) {
            walk += wwt_random();
            values[c * length + t] = scale * kind_value(of, t + 37 * c, walk);
        }
    }
    return values;
}

typedef struct job {
    kind kind;
    double p;
    size_t window, k, channels, best; // best 0: all
    bool two, left_right;
    ww_precision precision;
    double scale; // 0: 1
    uint64_t max_bytes;
} job;

typedef struct lists {
    double *distances[3];
    int64_t *indices[3];
} lists;

static lists make_lists(size_t count) {
    lists l;
    for (int i = 0; i < 3; i++) {
        l.distances[i] = malloc(count * sizeof(double));
        l.indices[i] = malloc(count * sizeof(int64_t));
    }
    return l;
}

static void free_lists(lists *l) {
    for (int i = 0; i < 3; i++) {
        free(l->distances[i]);
        free(l->indices[i]);
    }
}

static ww_profile_output output_of(lists *l, bool left_right) {
    ww_profile_output output = WW_PROFILE_OUTPUT_INIT;
    output.distances = l->distances[0];
    output.indices = l->indices[0];
    if (left_right) {
        output.left_distances = l->distances[1];
        output.left_indices = l->indices[1];
        output.right_distances = l->distances[2];
        output.right_indices = l->indices[2];
    }
    return output;
}

// The k nearest of a window by brute force: all, earlier or later ones.
static size_t nearest(const job *j, const double *x, const double *y, size_t i, size_t exclusion, int side,
                      double best[MOST_K], int64_t ids[MOST_K]) {
    const size_t others = (y ? OTHER : LENGTH) - j->window + 1;
    size_t found = 0;
    for (size_t o = 0; o < others; o++) {
        if ((!y && (i < o ? o - i : i - o) <= exclusion) || (side == 1 && o > i) || (side == 2 && o < i))
            continue;
        const double d = wwr_raw_distance(x, LENGTH, i, y ? y : x, y ? OTHER : LENGTH, o, j->window, j->channels,
                                          j->best ? j->best : j->channels, j->p);
        size_t at = found < j->k ? found : j->k;
        while (at > 0 && best[at - 1] > d)
            at--;
        if (at == j->k || !isfinite(d))
            continue;
        found += found < j->k;
        memmove(best + at + 1, best + at, (found - at - 1) * sizeof *best);
        memmove(ids + at + 1, ids + at, (found - at - 1) * sizeof *ids);
        best[at] = d;
        ids[at] = (int64_t)o;
    }
    return found;
}

static void check(const job *j, const double *x, const double *y, size_t exclusion, int side, const lists *l) {
    for (size_t i = 0; i < LENGTH - j->window + 1; i++) {
        double best[MOST_K];
        int64_t ids[MOST_K];
        const size_t found = nearest(j, x, y, i, exclusion, side, best, ids);
        for (size_t r = 0; r < j->k; r++) {
            const double d = l->distances[side][i * j->k + r];
            const int64_t id = l->indices[side][i * j->k + r];
            if (r >= found) {
                ck_assert_msg(isinf(d) && id == -1, "window %zu has neighbour %ld at %g", i, (long)id, d);
                continue;
            }
            ck_assert_msg(fabs(d - best[r]) <= 1e-13 * best[r], "kind %d, p %g, side %d, window %zu: %.17g, not %.17g",
                          j->kind, j->p, side, i, d, best[r]);
            const double own = id < 0 ? -1
                                      : wwr_raw_distance(x, LENGTH, i, y ? y : x, y ? OTHER : LENGTH, (size_t)id,
                                                         j->window, j->channels, j->best ? j->best : j->channels, j->p);
            ck_assert_msg(id == ids[r] || fabs(own - d) <= 1e-13 * d, "window %zu: %ld, not %ld", i, (long)id,
                          (long)ids[r]);
            // Of these norms equal distances are equal in the reference, too.
            ck_assert_msg(id == ids[r] || d > 0, "window %zu: of equal ones %ld, not %ld", i, (long)id, (long)ids[r]);
        }
    }
}

static ww_profile *plan(ww_context *context, const job *j, const double *x, const double *y) {
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_run_options limits = WW_RUN_OPTIONS_INIT;
    ww_profile *profile = NULL;
    const ww_series_view own = wwt_view_of(x, LENGTH, j->channels), other = wwt_view_of(y, OTHER, j->channels);
    limits.max_bytes = j->max_bytes;
    options.k = j->k;
    options.p = j->p;
    options.left_right = j->left_right;
    options.precision = j->precision;
    options.best_channels = j->best;
    options.run = &limits;
    wwt_ok(ww_profile_create(context, &own, 0, y ? &other : NULL, 0, j->window, &options, &profile));
    return profile;
}

static ww_profile_info run(ww_context *context, const job *j) {
    double *x = make(j->kind, LENGTH, j->channels, j->scale > 0 ? j->scale : 1);
    double *y = j->two ? make(j->kind, OTHER, j->channels, j->scale > 0 ? j->scale : 1) : NULL;
    ww_profile_info info = WW_PROFILE_INFO_INIT;
    if (y) // one is the same
        memcpy(y + 100, x + 150, j->window * sizeof *y);
    ww_profile *profile = plan(context, j, x, y);
    lists l = make_lists((LENGTH - j->window + 1) * j->k);
    ww_profile_output output = output_of(&l, j->left_right);
    for (int twice = 0; twice < 2; twice++)
        wwt_ok(ww_profile_run(profile, &output));
    wwt_ok(ww_profile_get_info(profile, &info));
    for (int side = 0; side < (j->left_right ? 3 : 1); side++)
        check(j, x, y, info.exclusion, side, &l);
    ww_profile_destroy(&profile);
    free_lists(&l);
    free(y);
    free(x);
    return info;
}

START_TEST(every_kind_of_series) {
    wwt_seed(100 + (unsigned)_i);
    const job one = {(kind)_i, 2, 40, 1, 1, 0, false, false, WW_FLOAT, 0, 0};
    const job two = {(kind)_i, INFINITY, 40, 1, 1, 0, true, false, WW_FLOAT, 0, 0};
    ck_assert_str_eq(run(wwt_context, &one).form, "raw");
    run(wwt_context, &two);
    if (!wwt_device_has_double())
        return;
    const job sides = {(kind)_i, 1, 40, 3, 1, 0, false, true, WW_DOUBLE, 0, 0};
    run(wwt_context, &sides);
}
END_TEST

// Of other norms the host compares; of a large p tiles have the largest difference.
START_TEST(other_norms) {
    wwt_seed(200 + (unsigned)_i);
    const job power = {(kind)_i, _i % 2 ? 3.5 : 3, 40, 1, 1, 0, false, false, WW_FLOAT, 0, 0};
    const job large = {(kind)_i, 40, 40, 1, 1, 0, false, false, WW_FLOAT, 0, 0};
    run(wwt_context, &power);
    run(wwt_context, &large);
}
END_TEST

START_TEST(channels) {
    wwt_seed(300 + (unsigned)_i);
    const job all = {(kind)_i, 2, 40, 1, 3, 0, false, false, WW_FLOAT, 0, 0};
    const job some = {(kind)_i, 2, 40, 1, 3, 2, false, false, WW_FLOAT, 0, 0};
    const job by_host = {(kind)_i, 3, 40, 1, 3, 2, false, false, WW_FLOAT, 0, 0};
    run(wwt_context, &all);
    run(wwt_context, &some);
    if (_i == HOLES)
        run(wwt_context, &by_host);
}
END_TEST

// Windows of few and of many blocks, and all scales that double has.
START_TEST(windows_and_scales) {
    wwt_seed(400);
    static const size_t windows[] = {3, 32, 63, 150};
    for (int i = 0; i < 4; i++) {
        const job j = {WALK, 2, windows[i], 1, 1, 0, false, false, WW_FLOAT, 0, 0};
        run(wwt_context, &j);
    }
    static const double scales[] = {1e-200, 1e200, 1e300};
    for (int i = 0; i < 3; i++) {
        const job j = {WALK, 2, 40, 1, 1, 0, false, false, WW_FLOAT, scales[i], 0};
        run(wwt_context, &j);
    }
}
END_TEST

// Tiles of a GPU, without and with the host's comparison; slices.
START_TEST(forms) {
    static const char *const tuned[] = {"default form.profile 1\ndefault profile.rows 64\n",
                                        "default form.profile 3\ndefault profile.rows 64\n"};
    wwt_seed(500);
    ww_context *context = wwt_context_tuned(tuned[_i]);
    for (int of = 0; of < KINDS; of++) {
        const job j = {(kind)of, 2, 40, 1, 1, 0, of == WALK, false, WW_FLOAT, 0, of == WALK ? 136000 : 0};
        const uint64_t slices = run(context, &j).slices;
        ck_assert_uint_eq(slices, of == WALK ? 2 : 1);
    }
    ww_context_destroy(&context);
}
END_TEST

// Rectangles joined are the whole, bit for bit.
START_TEST(parts) {
    wwt_seed(600);
    const job j = {(kind)_i, 2, 40, 1, 1, 0, false, false, WW_FLOAT, 0, 0};
    const size_t windows = LENGTH - 40 + 1, half = windows / 2;
    double *x = make(j.kind, LENGTH, 1, 1);
    ww_profile *profile = plan(wwt_context, &j, x, NULL);
    lists whole = make_lists(windows), part = make_lists(windows);
    ww_profile_output to = output_of(&whole, false), part_to = output_of(&part, false);
    wwt_ok(ww_profile_run(profile, &to));
    wwt_ok(ww_profile_run_rectangle(profile, 0, half, 0, half, &part_to));
    wwt_ok(ww_profile_add_rectangle(profile, 0, half, half, windows - half, &part_to));
    wwt_ok(ww_profile_add_rectangle(profile, half, windows - half, half, windows - half, &part_to));
    for (size_t i = 0; i < windows; i++) {
        ck_assert_int_eq(part.indices[0][i], whole.indices[0][i]);
        ck_assert_double_eq(sqrt(part.distances[0][i]), whole.distances[0][i]);
    }
    double *row = malloc(windows * sizeof *row);
    wwt_ok(ww_profile_get_distances(profile, 5, row));
    if (whole.indices[0][5] >= 0)
        ck_assert_double_eq(row[whole.indices[0][5]], whole.distances[0][5]);
    free(row);
    free_lists(&part);
    free_lists(&whole);
    ww_profile_destroy(&profile);
    free(x);
}
END_TEST

START_TEST(motifs_and_discords) {
    enum { WINDOW = 40, WINDOWS = LENGTH - WINDOW + 1 };
    double distances[WINDOWS];
    int64_t indices[WINDOWS], discord;
    size_t found;
    ww_profile_motif motif;
    const job j = {WALK, 2, WINDOW, 1, 1, 0, false, false, WW_FLOAT, 0, 0};
    wwt_seed(700);
    double *x = make(WALK, LENGTH, 1, 1);
    memcpy(x + 300, x + 30, WINDOW * sizeof *x);
    memcpy(x + 200, x + 30, WINDOW * sizeof *x);
    x[210] += 0.5; // the third is 0.5 away
    x[120] += 1e3;
    ww_profile *profile = plan(wwt_context, &j, x, NULL);
    ww_profile_output to = WW_PROFILE_OUTPUT_INIT;
    to.distances = distances;
    to.indices = indices;
    wwt_ok(ww_profile_run(profile, &to));
    wwt_ok(ww_profile_find_motifs(profile, distances, indices, WW_PROFILE_EXCLUSION_AUTO, 3, 1, &motif, &found));
    ck_assert(found == 1 && motif.first == 30 && motif.second == 300 && motif.distance == 0 && motif.count == 0);
    ww_profile_motifs_free(&motif, 1);
    wwt_ok(ww_profile_find_motifs_within(profile, distances, indices, WW_PROFILE_EXCLUSION_AUTO, 0, 0.5001, 1, &motif,
                                         &found));
    ck_assert(motif.count == 1 && motif.neighbours[0] == 200);
    ww_profile_motifs_free(&motif, 1);
    wwt_ok(ww_profile_find_discords(profile, distances, WW_PROFILE_EXCLUSION_AUTO, 1, &discord, &found));
    ck_assert(discord <= 120 && discord > 120 - WINDOW);
    ww_profile_destroy(&profile);
    free(x);
}
END_TEST

// Series of levels alone would have all pairs of windows as candidates.
START_TEST(equal_windows_take_no_time) {
    enum { N = 20000, WINDOW = 40, WINDOWS = N - WINDOW + 1 };
    static double x[N], distances[WINDOWS];
    static int64_t indices[WINDOWS];
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile_info info = WW_PROFILE_INFO_INIT;
    ww_profile_output to = WW_PROFILE_OUTPUT_INIT;
    ww_profile *profile = NULL;
    for (size_t t = 0; t < N; t++)
        x[t] = (double)(t / 1000 % 4);
    const ww_series_view view = wwt_view_of(x, N, 1);
    options.p = 2;
    wwt_ok(ww_profile_create(wwt_context, &view, 0, NULL, 0, WINDOW, &options, &profile));
    to.distances = distances;
    to.indices = indices;
    wwt_ok(ww_profile_run(profile, &to));
    wwt_ok(ww_profile_get_info(profile, &info));
    for (size_t i = 0; i < WINDOWS; i++)
        ck_assert(distances[i] == 0 && indices[i] < 8000);
    ck_assert_msg(info.candidates < 100 * (uint64_t)WINDOWS, "%lu candidates", (unsigned long)info.candidates);
    ww_profile_destroy(&profile);
}
END_TEST

// Channels that always count: every form of the kernels finds what the first does, which python/tests compare with
// brute force.
START_TEST(forced_channels) {
    enum { WINDOW = 20, WINDOWS = LENGTH - WINDOW + 1, CHANNELS = 4 };
    static const char *const tuned[] = {"", "default form.profile 1\n", "default form.profile 3\n"};
    static double distances[3][WINDOWS];
    static int64_t indices[3][WINDOWS];
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    options.p = _i ? 1 : 0;
    options.best_channels = 2;
    options.forced_channels = 4;
    wwt_seed(800);
    double *x = make(HOLES, LENGTH, CHANNELS, 1);
    const ww_series_view view = wwt_view_of(x, LENGTH, CHANNELS);
    for (int form = 0; form < 3; form++) {
        ww_context *context = wwt_context_tuned(tuned[form]);
        wwt_ok(ww_profile_find(context, &view, NULL, WINDOW, &options, distances[form], indices[form]));
        ck_assert(memcmp(distances[form], distances[0], sizeof *distances) == 0);
        ck_assert(memcmp(indices[form], indices[0], sizeof *indices) == 0);
        ww_context_destroy(&context);
    }
    options.forced_channels = 5;
    options.best_channels = 1;
    wwt_fails(ww_profile_find(wwt_context, &view, NULL, WINDOW, &options, distances[0], indices[0]),
              WW_ERROR_INVALID_ARGUMENT);
    free(x);
}
END_TEST

START_TEST(refusals) {
    static const double wrong[] = {-1, 0.5, NAN, -INFINITY};
    double x[100] = {0};
    ww_profile_options options = WW_PROFILE_OPTIONS_INIT;
    ww_profile_output to = WW_PROFILE_OUTPUT_INIT;
    ww_profile *profile = NULL;
    const ww_series_view view = wwt_view_of(x, 100, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.p = wrong[i];
        wwt_fails(ww_profile_create(wwt_context, &view, 0, NULL, 0, 10, &options, &profile), WW_ERROR_INVALID_ARGUMENT);
        ck_assert_ptr_null(profile);
    }
    options.p = 2;
    x[3] = DBL_MAX; // the distances have no double
    wwt_fails(ww_profile_create(wwt_context, &view, 0, NULL, 0, 10, &options, &profile), WW_ERROR_UNSUPPORTED);
    x[3] = 1e200; // the squares of parts have none
    wwt_ok(ww_profile_create(wwt_context, &view, 0, NULL, 0, 10, &options, &profile));
    wwt_fails(ww_profile_run_rectangle(profile, 0, 9, 0, 9, &to), WW_ERROR_UNSUPPORTED);
    ww_profile_destroy(&profile);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("profiles of windows that are not normalised");
    TCase *own = wwt_case(suite, "own context", 300);
    wwt_add_to(own, forms, 0, 2);
    TCase *tcase = wwt_case(suite, "raw", 300);
    tcase_add_checked_fixture(tcase, wwt_context_setup, wwt_context_teardown);
    wwt_add_to(tcase, every_kind_of_series, 0, KINDS);
    wwt_add_to(tcase, other_norms, 0, KINDS);
    wwt_add_to(tcase, channels, 0, KINDS);
    wwt_add_to(tcase, windows_and_scales, 0, 1);
    wwt_add_to(tcase, parts, 0, KINDS);
    wwt_add_to(tcase, motifs_and_discords, 0, 1);
    wwt_add_to(tcase, equal_windows_take_no_time, 0, 1);
    wwt_add_to(tcase, forced_channels, 0, 2);
    wwt_add_to(tcase, refusals, 0, 1);
    return wwt_run(suite);
}
