// SPDX-License-Identifier: Apache-2.0
// Views of foreign arrays: strides in all orders of the axes, backwards and repeated; pointers. Each gives to the bit
// what the same series give densely. Datasets whose values change.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { COUNT = 4, CHANNELS = 3, LENGTH = 9, PAIRS = COUNT * COUNT, ALL = COUNT * CHANNELS * LENGTH };

static double dense[ALL];

static void make_dense(void) {
    for (size_t i = 0; i < ALL; i++)
        dense[i] = wwt_random();
}

static ww_series_view dense_view(void) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = dense;
    view.precision = WW_DOUBLE;
    view.count = COUNT;
    view.channels = CHANNELS;
    view.length = LENGTH;
    return view;
}

// All distances of the series with themselves.
static void distances_of(ww_dataset *dataset, float *distances) {
    const ww_measure dtw = wwt_measure(WW_DTW);
    const ww_output to = WW_OUTPUT_HOST_BYTES(distances, PAIRS * sizeof *distances);
    ww_plan *plan = NULL;
    wwt_ok(ww_plan_create_matrix(&dtw, dataset, NULL, NULL, &plan));
    wwt_ok(ww_plan_run(plan, &to));
    ww_plan_destroy(&plan);
}

static void check_view(const ww_series_view *view, const float *wanted) {
    float found[PAIRS];
    ww_dataset *dataset = NULL;
    wwt_ok(ww_dataset_create(wwt_context, view, NULL, &dataset));
    distances_of(dataset, found);
    ck_assert(memcmp(found, wanted, sizeof found) == 0);
    ww_dataset_destroy(&dataset);
}

static void put(void *array, ww_precision precision, int64_t at, double value) {
    if (precision == WW_DOUBLE)
        ((double *)array)[at] = value;
    else
        ((float *)array)[at] = (float)value;
}

// Loops: the six orders of the axes, in float and double, forwards and with every axis backwards, tight and with gaps.
START_TEST(strides) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const size_t sizes[3] = {COUNT, CHANNELS, LENGTH};
    const int *order = orders[_i % 6];
    const ww_precision precision = _i / 6 % 2 ? WW_DOUBLE : WW_FLOAT;
    const bool backwards = _i / 12 % 2 != 0;
    const int64_t gap = _i / 24 + 1;
    int64_t steps[3], stride = gap, first = 0;
    double room[ALL * 16];
    float wanted[PAIRS];
    wwt_seed((unsigned)_i);
    make_dense();
    for (int axis = 2; axis >= 0; axis--) {
        steps[order[axis]] = backwards ? -stride : stride;
        if (backwards)
            first += stride * (int64_t)(sizes[order[axis]] - 1);
        stride *= (int64_t)sizes[order[axis]] * gap;
    }
    ck_assert_int_le(stride, 16 * ALL);
    for (size_t i = 0; i < ALL * 16; i++)
        put(room, precision, (int64_t)i, (double)NAN); // in none of the gaps anything is read
    for (size_t i = 0; i < COUNT; i++)
        for (size_t c = 0; c < CHANNELS; c++)
            for (size_t t = 0; t < LENGTH; t++)
                put(room, precision, first + (int64_t)i * steps[0] + (int64_t)c * steps[1] + (int64_t)t * steps[2],
                    dense[(i * CHANNELS + c) * LENGTH + t]);
    ww_series_view view = dense_view();
    ww_dataset *dataset = NULL;
    wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &dataset));
    distances_of(dataset, wanted);
    ww_dataset_destroy(&dataset);
    view.values = (char *)room + (size_t)first * (precision == WW_DOUBLE ? sizeof(double) : sizeof(float));
    view.precision = precision;
    view.strided = 1;
    view.series_stride = steps[0];
    view.channel_stride = steps[1];
    view.time_stride = steps[2];
    check_view(&view, wanted);
}
END_TEST

// Ragged series in arrays of their own, and at offsets; the series of a search; an axis that repeats.
START_TEST(pointers) {
    float wanted[PAIRS], found[PAIRS];
    const void *series[COUNT];
    double interleaved[ALL];
    size_t lengths[COUNT], offsets[COUNT];
    wwt_seed(3);
    make_dense();
    for (size_t i = 0; i < COUNT; i++) {
        lengths[i] = LENGTH - i;
        offsets[i] = i * CHANNELS * LENGTH;
        series[i] = dense + offsets[i];
    }
    ww_series_view view = dense_view();
    ww_dataset *dataset = NULL;
    view.lengths = lengths;
    view.offsets = offsets;
    wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &dataset));
    distances_of(dataset, wanted);
    ww_dataset_destroy(&dataset);
    view.values = NULL;
    view.offsets = NULL;
    view.series = series;
    check_view(&view, wanted);
    // Point by point: in the old words and in strides.
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t c = 0; c < CHANNELS; c++)
            for (size_t t = 0; t < lengths[i]; t++)
                interleaved[offsets[i] + t * CHANNELS + c] = dense[offsets[i] + c * lengths[i] + t];
        series[i] = interleaved + offsets[i];
    }
    view.time_major = 1;
    check_view(&view, wanted);
    view.time_major = 0;
    view.strided = 1;
    view.channel_stride = 1;
    view.time_stride = CHANNELS;
    check_view(&view, wanted);
    view.series = NULL;
    view.values = interleaved;
    view.offsets = offsets;
    check_view(&view, wanted);
    // One series, COUNT times.
    view = dense_view();
    view.strided = 1;
    view.channel_stride = LENGTH;
    view.time_stride = 1;
    wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &dataset));
    distances_of(dataset, found);
    for (size_t p = 0; p < PAIRS; p++)
        ck_assert(!(found[p] > 0) && !(found[p] < 0));
    ww_dataset_destroy(&dataset);
}
END_TEST

// Jobs that take a view without a dataset.
START_TEST(other_jobs) {
    enum { POINTS = 60, QUERY = 8 };
    double plain[2 * POINTS], strided[3 * POINTS];
    ww_match wanted[3], found[3];
    ww_search *searches[2] = {NULL, NULL};
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_series_view one = WW_SERIES_VIEW_INIT, other;
    const ww_measure dtw = wwt_measure(WW_DTW);
    double distances[2][POINTS];
    int64_t indices[2][POINTS];
    wwt_seed(4);
    for (size_t t = 0; t < POINTS; t++)
        plain[t] = strided[3 * t] = wwt_random();
    one.values = plain;
    one.precision = WW_DOUBLE;
    one.count = 1;
    one.length = QUERY;
    other = one;
    other.values = strided;
    other.strided = 1;
    other.time_stride = 3;
    options.kind = WW_SEARCH_WINDOWS;
    options.k = 3;
    wwt_ok(ww_search_create(wwt_context, &dtw, &one, &options, &searches[0]));
    wwt_ok(ww_search_create(wwt_context, &dtw, &other, &options, &searches[1]));
    one.length = other.length = POINTS;
    wwt_ok(ww_search_run(searches[0], &one, wanted, NULL));
    wwt_ok(ww_search_run(searches[1], &other, found, NULL));
    ck_assert(memcmp(wanted, found, sizeof found) == 0);
    ww_search_destroy(&searches[0]);
    ww_search_destroy(&searches[1]);
    wwt_ok(ww_profile_find(wwt_context, &one, NULL, QUERY, NULL, distances[0], indices[0]));
    wwt_ok(ww_profile_find(wwt_context, &other, NULL, QUERY, NULL, distances[1], indices[1]));
    ck_assert(memcmp(indices[0], indices[1], (POINTS - QUERY + 1) * sizeof(int64_t)) == 0);
    ck_assert(memcmp(distances[0], distances[1], (POINTS - QUERY + 1) * sizeof(double)) == 0);
    // What was not said to be strided has no strides.
    other.strided = 0;
    ww_search *search = NULL;
    ww_profile *profile = NULL;
    wwt_fails(ww_search_create(wwt_context, &dtw, &other, &options, &search), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_profile_create(wwt_context, &other, 0, NULL, 0, QUERY, NULL, &profile), WW_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(wrong_views) {
    ww_dataset *dataset = NULL;
    const void *series[COUNT] = {dense, dense, dense, dense};
    size_t offsets[COUNT] = {0, 1, 2, SIZE_MAX / 2};
    make_dense();
    for (int wrong = 0; wrong < 13; wrong++) {
        ww_series_view view = dense_view();
        ww_status wanted = WW_ERROR_INVALID_ARGUMENT;
        view.strided = wrong < 10;
        switch (wrong) {
        case 0:
            view.values = NULL;
            break;
        case 1:
            view.time_major = 1;
            break;
        case 2:
            view.time_stride = INT64_MAX;
            wanted = WW_ERROR_OVERFLOW;
            break;
        case 3:
            view.series_stride = INT64_MIN;
            wanted = WW_ERROR_OVERFLOW;
            break;
        case 4:
            view.channel_stride = INT64_MIN / 16;
            wanted = WW_ERROR_OVERFLOW;
            break;
        case 5:
            view.offsets = offsets;
            wanted = WW_ERROR_OVERFLOW;
            break;
        case 6:
            offsets[3] = 3;
            view.offsets = offsets;
            view.series_stride = 1;
            break;
        case 7:
            view.series = series; // together with values
            break;
        case 8:
            view.values = NULL;
            view.series = series;
            view.offsets = offsets;
            break;
        case 9:
            view.values = NULL;
            view.series = series;
            view.series_stride = 1;
            break;
        case 10:
            view.values = NULL;
            view.series = series;
            series[2] = NULL;
            break;
        case 11:
            view.time_stride = 1; // not strided
            break;
        default:
            view.length = 0;
            wanted = WW_ERROR_EMPTY;
            break;
        }
        const ww_status status = ww_dataset_create(wwt_context, &view, NULL, &dataset);
        ck_assert_msg(status == wanted, "%d: %s: %s", wrong, ww_status_name(status), ww_last_error()->message);
        ck_assert_ptr_null(dataset);
    }
    // The place of a value that is not finite.
    ww_series_view view = dense_view();
    view.strided = 1;
    view.series_stride = 1;
    view.time_stride = COUNT;
    view.channel_stride = COUNT * LENGTH;
    dense[2 * COUNT * LENGTH + 5 * COUNT + 3] = (double)INFINITY;
    wwt_fails(ww_dataset_create(wwt_context, &view, NULL, &dataset), WW_ERROR_NOT_FINITE);
    ck_assert_int_eq(ww_last_error()->series, 3);
    ck_assert_int_eq(ww_last_error()->position, 5);
    ck_assert_int_eq(ww_last_error()->channel, 2);
    wwt_fails(ww_dataset_create(NULL, &view, NULL, &dataset), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(ww_last_error()->channel, -1);
}
END_TEST

// ---- values that change

// Loops: updates of a dataset in float from double and from float, and of one in the caller's buffer.
START_TEST(updates) {
    const ww_measure measure = wwt_measure(WW_DTW);
    float narrow[ALL], wanted[PAIRS], found[PAIRS];
    ww_series_view view = dense_view();
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *dataset = NULL, *other = NULL;
    ww_buffer *buffer = NULL;
    ww_plan *plan = NULL;
    ww_gradient *gradient = NULL, *fresh = NULL;
    float slopes[2][ALL];
    ww_output to = WW_OUTPUT_HOST_BYTES(found, sizeof found),
              by_rows = WW_OUTPUT_HOST_BYTES(slopes[0], sizeof slopes[0]);
    ww_gradient_outputs outputs = WW_GRADIENT_OUTPUTS_INIT;
    outputs.rows = &by_rows;
    wwt_seed(5);
    make_dense();
    options.updates = 1;
    if (_i == 2) {
        wwt_ok(ww_buffer_create(wwt_context, sizeof narrow, &buffer));
        wwt_ok(ww_dataset_create_from_buffer(wwt_context, buffer, COUNT, CHANNELS, LENGTH, WW_FLOAT, &dataset));
        ww_buffer_destroy(&buffer); // the dataset keeps it
        wwt_ok(ww_dataset_update(dataset, &view));
    } else {
        wwt_ok(ww_dataset_create(wwt_context, &view, &options, &dataset));
    }
    wwt_ok(ww_plan_create_matrix(&measure, dataset, NULL, NULL, &plan));
    wwt_ok(ww_gradient_create_pairs(&measure, dataset, dataset, NULL, NULL, COUNT, NULL, &gradient));
    for (int round = 0; round < 3; round++) {
        make_dense();
        for (size_t i = 0; i < ALL; i++)
            narrow[i] = (float)dense[i];
        view.precision = _i == 1 ? WW_FLOAT : WW_DOUBLE;
        view.values = _i == 1 ? (void *)narrow : (void *)dense;
        wwt_ok(ww_dataset_update(dataset, &view));
        wwt_ok(ww_plan_run(plan, &to));
        by_rows.host = slopes[0];
        wwt_ok(ww_gradient_run(gradient, &outputs));
        wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &other));
        distances_of(other, wanted);
        ck_assert(memcmp(found, wanted, sizeof found) == 0);
        by_rows.host = slopes[1];
        wwt_ok(ww_gradient_create_pairs(&measure, other, other, NULL, NULL, COUNT, NULL, &fresh));
        wwt_ok(ww_gradient_run(fresh, &outputs));
        ck_assert(memcmp(slopes[0], slopes[1], sizeof slopes[0]) == 0);
        ww_gradient_destroy(&fresh);
        ww_dataset_destroy(&other);
    }
    // What is refused leaves the old values.
    double kept = dense[7];
    view = dense_view();
    dense[7] = (double)NAN;
    wwt_fails(ww_dataset_update(dataset, &view), WW_ERROR_NOT_FINITE);
    dense[7] = 1e300;
    wwt_fails(ww_dataset_update(dataset, &view), WW_ERROR_NOT_FINITE);
    dense[7] = kept;
    view.length--;
    wwt_fails(ww_dataset_update(dataset, &view), WW_ERROR_INVALID_ARGUMENT);
    view.length++;
    view.count--;
    wwt_fails(ww_dataset_update(dataset, &view), WW_ERROR_INVALID_ARGUMENT);
    view.count++;
    view.channels--;
    wwt_fails(ww_dataset_update(dataset, &view), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_dataset_update(dataset, NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_dataset_update(NULL, &view), WW_ERROR_INVALID_ARGUMENT);
    wwt_ok(ww_plan_run(plan, &to));
    ck_assert(memcmp(found, wanted, sizeof found) == 0);
    ww_gradient_destroy(&gradient);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&dataset);
    // A dataset that was not created for it, and one that is in host memory.
    view = dense_view();
    wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &dataset));
    wwt_fails(ww_dataset_update(dataset, &view), WW_ERROR_INVALID_ARGUMENT);
    ww_dataset_destroy(&dataset);
    options.max_bytes = CHANNELS * LENGTH * sizeof(float);
    wwt_fails(ww_dataset_create(wwt_context, &view, &options, &dataset), WW_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(dataset);
    options.updates = 0;
    wwt_ok(ww_dataset_create(wwt_context, &view, &options, &dataset));
    distances_of(dataset, found);
    ck_assert(memcmp(found, wanted, sizeof found) == 0);
    ww_dataset_destroy(&dataset);
}
END_TEST

// Series of unequal lengths, one behind the other in device memory.
START_TEST(lengths_in_a_buffer) {
    enum { SERIES = 4, VALUES = 2 * (5 + 1 + 9 + 3) };
    static const size_t lengths[SERIES] = {5, 1, 9, 3}, pairs[] = {0, 1, 2}, others[] = {3, 2, 1};
    float values[VALUES], found[2][3];
    ww_series_view view = WW_SERIES_VIEW_INIT;
    ww_dataset *dataset[2] = {NULL, NULL};
    ww_buffer *buffer = NULL;
    ww_measure measure = wwt_measure(WW_DTW);
    wwt_seed(6);
    for (size_t i = 0; i < VALUES; i++)
        values[i] = (float)wwt_random();
    view.values = values;
    view.precision = WW_FLOAT;
    view.count = SERIES;
    view.channels = 2;
    view.lengths = lengths;
    wwt_ok(ww_dataset_create(wwt_context, &view, NULL, &dataset[0]));
    wwt_ok(ww_buffer_create(wwt_context, sizeof values, &buffer));
    wwt_ok(ww_buffer_write(buffer, 0, sizeof values, values));
    wwt_ok(ww_dataset_create_from_lengths(wwt_context, buffer, SERIES, 2, lengths, WW_FLOAT, &dataset[1]));
    for (size_t i = 0; i < 2; i++) {
        ww_plan *plan = NULL;
        const ww_output to = WW_OUTPUT_HOST_BYTES(found[i], sizeof found[i]);
        wwt_ok(ww_plan_create_pairs(&measure, dataset[i], dataset[i], pairs, others, 3, NULL, &plan));
        wwt_ok(ww_plan_run(plan, &to));
        ww_plan_destroy(&plan);
        ww_dataset_destroy(&dataset[i]);
    }
    ck_assert_mem_eq(found[0], found[1], sizeof found[0]);
    const size_t none[] = {5, 0};
    wwt_fails(ww_dataset_create_from_lengths(wwt_context, buffer, SERIES, 3, lengths, WW_FLOAT, &dataset[0]),
              WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_dataset_create_from_lengths(wwt_context, buffer, 2, 1, none, WW_FLOAT, &dataset[0]), WW_ERROR_EMPTY);
    wwt_fails(ww_dataset_create_from_lengths(wwt_context, buffer, 2, 1, NULL, WW_FLOAT, &dataset[0]),
              WW_ERROR_INVALID_ARGUMENT);
    ww_buffer_destroy(&buffer);
}
END_TEST

START_TEST(wrong_buffers) {
    ww_buffer *buffer = NULL;
    ww_dataset *dataset = NULL;
    wwt_ok(ww_buffer_create(wwt_context, 40, &buffer));
    wwt_fails(ww_dataset_create_from_buffer(wwt_context, buffer, 1, 1, 11, WW_FLOAT, &dataset),
              WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_dataset_create_from_buffer(wwt_context, buffer, 0, 1, 1, WW_FLOAT, &dataset), WW_ERROR_EMPTY);
    wwt_fails(ww_dataset_create_from_buffer(wwt_context, buffer, 1, 1, 0, WW_FLOAT, &dataset), WW_ERROR_EMPTY);
    wwt_fails(ww_dataset_create_from_buffer(wwt_context, buffer, SIZE_MAX, 1, 1, WW_FLOAT, &dataset),
              WW_ERROR_OVERFLOW);
    wwt_fails(ww_dataset_create_from_buffer(wwt_context, NULL, 1, 1, 1, WW_FLOAT, &dataset), WW_ERROR_INVALID_ARGUMENT);
    wwt_ok(ww_dataset_create_from_buffer(wwt_context, buffer, 1, 2, 5, WW_FLOAT, &dataset));
    ww_dataset_destroy(&dataset);
    ww_buffer_destroy(&buffer);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("views");
    wwt_add(suite, strides, 48);
    wwt_add(suite, pointers, 1);
    wwt_add(suite, other_jobs, 1);
    wwt_add(suite, wrong_views, 1);
    wwt_add(suite, updates, 3);
    wwt_add(suite, lengths_in_a_buffer, 1);
    wwt_add(suite, wrong_buffers, 1);
    return wwt_run(suite);
}
