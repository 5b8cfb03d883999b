// SPDX-License-Identifier: Apache-2.0
// Series and points of many pieces, which several threads convert and send: every value arrives, in every precision and
// layout; the first value that is refused is named; what a cancelled or refused call leaves.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "data/points.h"
#include "support.h"

enum { COUNT = 700, CHANNELS = 2, LENGTH = 1201, ALL = COUNT * CHANNELS * LENGTH };

static double *doubles;
static float *floats;
static void *values[2]; // [WW_FLOAT], [WW_DOUBLE]

static void setup(void) {
    wwt_context_setup();
    wwt_seed(1);
    doubles = malloc(ALL * sizeof *doubles);
    floats = malloc(ALL * sizeof *floats);
    ck_assert(doubles && floats);
    for (size_t i = 0; i < ALL; i++)
        doubles[i] = floats[i] = (float)wwt_random();
    values[WW_FLOAT] = floats;
    values[WW_DOUBLE] = doubles;
}

static void teardown(void) {
    free(doubles);
    free(floats);
    wwt_context_teardown();
}

// Threads and the way: through a feed's memory, as to a GPU, or into the buffer itself.
static void choose(long threads, long fed) {
    wwt_ok(wwi_tuning_try(wwt_context, "send.threads", NULL, threads));
    wwt_ok(wwi_tuning_try(wwt_context, "form.fed", NULL, fed));
}

static ww_series_view view_of(ww_precision precision) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = values[precision];
    view.precision = precision;
    view.count = COUNT;
    view.channels = CHANNELS;
    view.length = LENGTH;
    return view;
}

static void put(size_t i, size_t channel, size_t t, double value) {
    const size_t at = (i * CHANNELS + channel) * LENGTH + t;
    doubles[at] = value;
    floats[at] = (float)value;
}

// Where value t of a channel of series i is in the arrays that the view describes.
static size_t place_in(int layout, size_t i, size_t channel, size_t t, size_t length) {
    const size_t first = i * CHANNELS * LENGTH;
    return layout == 1 ? first + t * CHANNELS + channel : first + channel * length + t;
}

static void check_values(const ww_dataset *d, ww_precision from, int layout) {
    const size_t bytes = d->offsets[d->count] * wwi_precision_bytes(d->precision);
    unsigned char *found = malloc(bytes);
    ck_assert_ptr_nonnull(found);
    if (d->host)
        memcpy(found, d->host, bytes);
    else
        wwt_ok(wwi_buffer_read(d->values, 0, bytes, found));
    double largest = 0;
    for (size_t i = 0; i < d->count; i++)
        for (size_t c = 0; c < CHANNELS; c++)
            for (size_t t = 0; t < d->lengths[i]; t++) {
                const double value = wwi_value_at(values[from], from, place_in(layout, i, c, t, d->lengths[i]));
                const double wanted = d->precision == WW_FLOAT ? (double)(float)value : value;
                const size_t at = d->offsets[i] + c * d->lengths[i] + t;
                if (wwi_value_at(found, d->precision, at) != wanted)
                    ck_abort_msg("series %zu, channel %zu, point %zu", i, c, t);
                largest = fmax(largest, fabs(value));
            }
    ck_assert(d->largest_value == largest);
    free(found);
}

// Loops: both precisions of both sides, three layouts, both ways.
START_TEST(values_arrive_whole) {
    const ww_precision from = _i % 2 ? WW_DOUBLE : WW_FLOAT, precision = _i / 2 % 2 ? WW_DOUBLE : WW_FLOAT;
    const int layout = _i / 4 % 3, fed = _i / 12 % 2;
    ww_series_view view = view_of(from);
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    static size_t lengths[COUNT];
    static const void *series[COUNT];
    options.precision = precision;
    put(COUNT / 2, 1, 77, -1234.5);
    view.time_major = layout == 1;
    for (size_t i = 0; i < COUNT; i++) {
        lengths[i] = LENGTH - i % 7;
        series[i] = (const char *)values[from] + i * CHANNELS * LENGTH * wwi_precision_bytes(from);
    }
    if (layout == 2) {
        view.lengths = lengths;
        view.series = series;
        view.values = NULL;
    }
    for (long threads = 1; threads <= 4; threads += 3)
        for (int host = 0; host < 2; host++) {
            ww_dataset *d = NULL;
            options.max_bytes = host ? 100000 : 0;
            choose(threads, fed);
            wwt_ok(ww_dataset_create(wwt_context, &view, &options, &d));
            ck_assert_int_eq(d->host != NULL, host);
            check_values(d, from, layout);
            ww_dataset_destroy(&d);
        }
}
END_TEST

static void check_refused(const ww_series_view *view, const ww_dataset_options *options, ww_status status, int64_t i,
                          int64_t t, const char *word) {
    for (int k = 0; k < 6; k++) {
        ww_dataset *d = NULL;
        choose(k % 3 + 1, k / 3);
        wwt_fails(ww_dataset_create(wwt_context, view, options, &d), status);
        ck_assert_ptr_null(d);
        ck_assert_int_eq(ww_last_error()->series, i);
        ck_assert_int_eq(ww_last_error()->position, t);
        ck_assert_ptr_nonnull(strstr(ww_last_error()->message, word));
    }
}

// Of several the first, series after series and channel by channel.
START_TEST(the_first_is_named) {
    ww_series_view view = view_of(WW_DOUBLE);
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    for (size_t i = COUNT - 1; i > COUNT - 400; i -= 3) {
        put(i, 1, LENGTH - 2, (double)NAN);
        if (i % 2)
            put(i, 1, 3, (double)-INFINITY);
        if (i % 50 == 0)
            check_refused(&view, &options, WW_ERROR_NOT_FINITE, (int64_t)i, LENGTH - 2, "NaN");
    }
    put(9, 1, LENGTH - 1, 1e300);
    check_refused(&view, &options, WW_ERROR_NOT_FINITE, 9, LENGTH - 1, "too large for float");
    ck_assert_int_eq(ww_last_error()->channel, 1);
    put(9, 1, 0, (double)INFINITY);
    check_refused(&view, &options, WW_ERROR_NOT_FINITE, 9, 0, "infinity");
    options.allow_not_finite = 1;
    for (int fed = 0; fed < 2; fed++) {
        ww_dataset *d = NULL;
        choose(4, fed);
        wwt_ok(ww_dataset_create(wwt_context, &view, &options, &d));
        ck_assert(isinf(d->largest_value));
        ww_dataset_destroy(&d);
    }
}
END_TEST

// Time stamps: the last channel. Also at the first value of a piece, which is compared with the one before it.
START_TEST(time_stamps) {
    ww_series_view view = view_of(WW_DOUBLE);
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *d = NULL;
    options.times = 1;
    for (size_t i = 0; i < COUNT; i++)
        for (size_t t = 0; t < LENGTH; t++)
            put(i, 1, t, 16777216.0 + (double)t);
    choose(4, 0);
    wwt_ok(ww_dataset_create(wwt_context, &view, &options, &d));
    ck_assert(d->largest_time == 16777216.0 + LENGTH - 1);
    ck_assert(d->largest_value <= 1);
    ck_assert(d->rounded_time.any && !d->rounded_value.any);
    ck_assert_uint_eq(d->rounded_time.series, 0);
    ck_assert_uint_eq(d->rounded_time.point, 1);
    ck_assert(d->rounded_time.value == 16777217.0);
    ww_dataset_destroy(&d);
    const size_t piece = WWI_SEND_PIECE / sizeof(float);
    for (size_t at = 5 * piece; at > 2 * piece; at -= piece) {
        const size_t i = at / (CHANNELS * LENGTH), inside = at % (CHANNELS * LENGTH);
        if (inside <= LENGTH)
            continue;
        put(i, 1, inside - LENGTH, 7);
        check_refused(&view, &options, WW_ERROR_INVALID_ARGUMENT, (int64_t)i, (int64_t)(inside - LENGTH), "decrease");
    }
}
END_TEST

// Also where the value that is refused is in the last piece.
START_TEST(refused_updates_change_nothing) {
    ww_series_view view = view_of(WW_FLOAT);
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    float *found = malloc(ALL * sizeof *found);
    ck_assert_ptr_nonnull(found);
    options.updates = 1;
    for (int fed = 0; fed < 2; fed++) {
        ww_dataset *d = NULL;
        choose(4, fed);
        wwt_ok(ww_dataset_create(wwt_context, &view, &options, &d));
        floats[0] = 5;
        floats[ALL - 1] = (float)NAN;
        wwt_fails(ww_dataset_update(d, &view), WW_ERROR_NOT_FINITE);
        ck_assert_int_eq(ww_last_error()->series, COUNT - 1);
        ck_assert_int_eq(ww_last_error()->position, LENGTH - 1);
        wwt_ok(wwi_buffer_read(d->values, 0, ALL * sizeof *found, found));
        ck_assert(found[0] != 5 && found[ALL - 1] < 2);
        floats[ALL - 1] = 3;
        wwt_ok(ww_dataset_update(d, &view));
        wwt_ok(wwi_buffer_read(d->values, 0, ALL * sizeof *found, found));
        ck_assert(memcmp(found, floats, ALL * sizeof *found) == 0);
        ww_dataset_destroy(&d);
        floats[0] = floats[ALL - 1] = 1;
    }
    free(found);
}
END_TEST

static int stop(void *user) {
    return ++*(int *)user > 0;
}

START_TEST(interrupts) {
    const ww_series_view view = view_of(WW_DOUBLE);
    for (int k = 0; k < 8; k++) {
        ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
        ww_dataset *d = NULL;
        int asked = 0;
        options.max_bytes = k & 4 ? 100000 : 0;
        choose(k & 1 ? 4 : 1, k & 2 ? 1 : 0);
        ww_thread_set_interrupt(stop, &asked);
        wwt_fails(ww_dataset_create(wwt_context, &view, &options, &d), WW_ERROR_CANCELLED);
        ww_thread_set_interrupt(NULL, NULL);
        ck_assert_ptr_null(d);
        ck_assert_int_gt(asked, 0);
        wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &d));
        ww_dataset_destroy(&d);
    }
}
END_TEST

// Loops: both precisions of both sides, row after row or column after column, at once or in slices.
START_TEST(points_arrive_whole) {
    enum { DIMENSION = 7, POINTS = ALL / DIMENSION };
    const ww_precision from = _i % 2 ? WW_DOUBLE : WW_FLOAT, precision = _i / 2 % 2 ? WW_DOUBLE : WW_FLOAT;
    const bool columns = _i / 4 % 2, slices = _i / 8 % 2;
    ww_point_view view = WW_POINT_VIEW_INIT;
    ww_points_options options = WW_POINTS_OPTIONS_INIT;
    view.kind = WW_POINTS_NUMBERS;
    view.precision = from;
    view.values = values[from];
    view.count = POINTS;
    view.dimension = DIMENSION;
    view.column_order = columns;
    options.precision = precision;
    options.max_bytes = slices ? 100000 : 0;
    const size_t bytes = (size_t)POINTS * DIMENSION * wwi_precision_bytes(precision);
    unsigned char *found = malloc(bytes);
    ck_assert_ptr_nonnull(found);
    for (int fed = 0; fed < 2; fed++) {
        ww_points *points = NULL;
        choose(4, fed);
        wwt_ok(ww_points_create(wwt_context, &view, &options, &points));
        ck_assert_int_eq(points->host != NULL, slices);
        wwt_ok(wwi_points_rows(points, 0, POINTS, found));
        for (size_t i = 0; i < POINTS; i++)
            for (size_t j = 0; j < DIMENSION; j++) {
                const double value = wwi_value_at(values[from], from, columns ? j * POINTS + i : i * DIMENSION + j);
                if (wwi_value_at(found, precision, i * DIMENSION + j) !=
                    (precision == WW_FLOAT ? (double)(float)value : value))
                    ck_abort_msg("point %zu, coordinate %zu", i, j);
            }
        ww_points_destroy(&points);
    }
    // The first that is refused; in a column of its own, so that the order does not matter.
    for (size_t i = POINTS - 3; i > POINTS / 3; i -= POINTS / 9) {
        const size_t at = columns ? 4 * POINTS + i : i * DIMENSION + 4;
        ww_points *points = NULL;
        doubles[at] = floats[at] = (float)INFINITY;
        wwt_fails(ww_points_create(wwt_context, &view, &options, &points), WW_ERROR_NOT_FINITE);
        ck_assert_ptr_null(points);
        ck_assert_int_eq(ww_last_error()->series, (int64_t)i);
        ck_assert_int_eq(ww_last_error()->position, 4);
    }
    free(found);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("sends");
    TCase *tests = wwt_case(suite, "sends", 300);
    tcase_add_checked_fixture(tests, setup, teardown);
    wwt_add_to(tests, values_arrive_whole, 0, 24);
    wwt_add_to(tests, the_first_is_named, 0, 1);
    wwt_add_to(tests, time_stamps, 0, 1);
    wwt_add_to(tests, refused_updates_change_nothing, 0, 1);
    wwt_add_to(tests, interrupts, 0, 1);
    wwt_add_to(tests, points_arrive_whole, 0, 16);
    return wwt_run(suite);
}
