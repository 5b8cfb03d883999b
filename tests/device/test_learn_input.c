// SPDX-License-Identifier: Apache-2.0
// What jobs that learn are given: datasets of sets, of views with labels, and of blocks kept on the host give the same
// results; a set that a dataset holds does not change.
#include <stdlib.h>
#include <string.h>

#include "set_jobs.h"
#include "support.h"

enum { COUNT = 12, LENGTH = 24, CHANNELS = 2, CLASSES = 3 };

// Values that float holds, so that what is read back from the device is what went there.
typedef struct input {
    double values[COUNT][CHANNELS][LENGTH];
    float narrow[COUNT][CHANNELS][LENGTH];
    const char *labels[COUNT];
    int64_t numbers[COUNT];
    ww_series_set *set;
} input;

static void fill(input *in) {
    static const char *const names[CLASSES] = {"7", "-1", "30"};
    static const int64_t numbers[CLASSES] = {7, -1, 30};
    wwt_ok(ww_series_set_create(CHANNELS, &in->set));
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t c = 0; c < CHANNELS; c++)
            for (size_t t = 0; t < LENGTH; t++) {
                const double bump = t >= 4 * (i % CLASSES + 1) && t < 4 * (i % CLASSES + 1) + 6 ? 2 + (double)c : 0;
                in->narrow[i][c][t] = (float)(bump + 0.125 * wwt_random());
                in->values[i][c][t] = (double)in->narrow[i][c][t];
            }
        in->labels[i] = names[i % CLASSES];
        in->numbers[i] = numbers[i % CLASSES];
        wwt_ok(ww_series_set_add(in->set, LENGTH, &in->values[i][0][0], in->labels[i]));
    }
}

static ww_dataset *of_view(const input *in, ww_precision precision, ww_dataset_options options) {
    ww_dataset *data = NULL;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = precision == WW_DOUBLE ? (const void *)in->values : (const void *)in->narrow;
    view.precision = precision;
    view.count = COUNT;
    view.channels = CHANNELS;
    view.length = LENGTH;
    wwt_ok(ww_dataset_create(wwt_context, &view, &options, &data));
    return data;
}

// Everything that learns, on one dataset.
typedef struct answers {
    int64_t predicted[COUNT], clusters[COUNT], classes[COUNT];
    double centre[CHANNELS * LENGTH], distances[COUNT];
} answers;

static answers learn(ww_dataset *data) {
    answers a;
    memset(&a, 0, sizeof a);
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_classification result = WW_CLASSIFICATION_INIT;
    ww_average_result average = WW_AVERAGE_RESULT_INIT;
    ww_average_options averaging = WW_AVERAGE_OPTIONS_INIT;
    ww_kmeans_options clustering = WW_KMEANS_OPTIONS_INIT;
    ww_shapelets_options shapelets = WW_SHAPELETS_OPTIONS_INIT;
    ww_series_set *centres = NULL;
    ww_shapelets *model = NULL;
    averaging.iterations = clustering.iterations = 2;
    shapelets.min_length = 5;
    shapelets.max_length = 6;
    wwt_ok(ww_classify(&measure, data, NULL, NULL, &result));
    ck_assert_uint_eq(result.classes, CLASSES);
    memcpy(a.predicted, result.predicted, sizeof a.predicted);
    ww_classification_free(&result);
    wwt_ok(ww_average(&measure, data, &averaging, &average));
    ck_assert_uint_eq(average.length, LENGTH);
    memcpy(a.centre, average.centre, sizeof a.centre);
    ww_average_result_free(&average);
    wwt_ok(ww_cluster_kmeans(&measure, data, CLASSES, &clustering, a.clusters, a.distances, &centres, NULL));
    ww_series_set_destroy(&centres);
    wwt_ok(ww_shapelets_create(data, &shapelets, &model));
    wwt_ok(ww_shapelets_predict(model, data, NULL, a.classes, NULL));
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_int_eq(a.classes[i], ww_dataset_class(data, i));
    ww_shapelets_destroy(&model);
    return a;
}

START_TEST(views_and_sets) {
    input in;
    wwt_seed(0);
    fill(&in);
    for (int p = 0; p < wwt_precision_count(); p++) {
        const ww_precision precision = (ww_precision)p;
        ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
        ww_dataset *data = wwt_upload(in.set, precision);
        const answers expected = learn(data);
        ww_dataset_destroy(&data);
        options.precision = precision;
        // Names; numbers; numbers, and the values in blocks that are kept on the host.
        for (int how = 0; how < 3; how++) {
            options.labels = how == 0 ? in.labels : NULL;
            options.label_numbers = how == 0 ? NULL : in.numbers;
            options.max_bytes = how == 2 ? 3 * CHANNELS * LENGTH * 8 : 0;
            data = of_view(&in, how == 1 ? WW_DOUBLE : WW_FLOAT, options);
            ck_assert_uint_eq(ww_dataset_class_count(data), CLASSES);
            ck_assert_str_eq(ww_dataset_class_name(data, 1), "-1");
            ck_assert_ptr_null(ww_dataset_class_name(data, CLASSES));
            ck_assert_int_eq(ww_dataset_class(data, COUNT), -1);
            ww_series_set *series;
            wwt_ok(ww_dataset_series(data, &series));
            ck_assert_uint_eq(ww_series_set_count(series), COUNT);
            for (size_t i = 0; i < COUNT; i++) {
                const double *own = ww_series_set_values(in.set, i), *read = ww_series_set_values(series, i);
                ck_assert_mem_eq(own, read, CHANNELS * LENGTH * sizeof *own);
                ck_assert_str_eq(ww_series_set_label(series, i), in.labels[i]);
            }
            ww_series_set_destroy(&series);
            for (int again = 0; again < 2; again++) {
                const answers found = learn(data);
                ck_assert_int_eq(memcmp(&found, &expected, sizeof found), 0);
            }
            ww_dataset_destroy(&data);
        }
    }
    ww_series_set_destroy(&in.set);
}
END_TEST

START_TEST(labels) {
    input in;
    wwt_seed(1);
    fill(&in);
    const ww_measure measure = wwt_measure(WW_DTW);
    ww_classification result = WW_CLASSIFICATION_INIT;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_dataset *data = of_view(&in, WW_FLOAT, options), *none = NULL;
    ck_assert_uint_eq(ww_dataset_class_count(data), 0);
    ck_assert_int_eq(ww_dataset_class(data, 0), -1);
    wwt_fails(ww_classify(&measure, data, NULL, NULL, &result), WW_ERROR_NO_LABELS);
    ww_dataset_destroy(&data);
    in.labels[4] = NULL;
    options.labels = in.labels;
    data = of_view(&in, WW_FLOAT, options);
    wwt_fails(ww_classify(&measure, data, NULL, NULL, &result), WW_ERROR_NO_LABELS);
    ck_assert_int_eq(ww_last_error()->series, 4);
    ww_dataset_destroy(&data);
    wwt_fails(ww_dataset_create_from_set(wwt_context, in.set, &options, &none), WW_ERROR_INVALID_ARGUMENT);
    options.label_numbers = in.numbers;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = in.narrow;
    view.count = COUNT;
    view.length = LENGTH;
    wwt_fails(ww_dataset_create(wwt_context, &view, &options, &none), WW_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(none);
    ww_series_set_destroy(&in.set);
}
END_TEST

START_TEST(a_held_set_does_not_change) {
    input in;
    const double times[LENGTH] = {0};
    wwt_seed(2);
    fill(&in);
    ww_dataset *data = wwt_upload(in.set, WW_FLOAT);
    wwt_fails(ww_series_set_add(in.set, LENGTH, &in.values[0][0][0], NULL), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_series_set_set_times(in.set, 0, times), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_series_set_shift_times(in.set, 1), WW_ERROR_INVALID_ARGUMENT);
    wwt_fails(ww_series_set_znormalise(in.set), WW_ERROR_INVALID_ARGUMENT);
    ww_dataset_destroy(&data);
    wwt_ok(ww_series_set_znormalise(in.set));
    wwt_ok(ww_series_set_add(in.set, LENGTH, &in.values[0][0][0], NULL));
    // The dataset goes on without the caller's reference.
    data = wwt_upload(in.set, WW_FLOAT);
    ww_series_set_destroy(&in.set);
    ck_assert_ptr_null(in.set);
    ck_assert_str_eq(ww_dataset_class_name(data, 0), "7");
    ww_average_result average = WW_AVERAGE_RESULT_INIT;
    const ww_measure measure = wwt_measure(WW_DTW);
    wwt_ok(ww_average(&measure, data, NULL, &average));
    ww_average_result_free(&average);
    ww_dataset_destroy(&data);
}
END_TEST

int main(void) {
    int exit_code;
    if (!wwt_device_found(&exit_code))
        return exit_code;
    Suite *suite = suite_create("learn_input");
    wwt_add(suite, views_and_sets, 1);
    wwt_add(suite, labels, 1);
    wwt_add(suite, a_held_set_does_not_change, 1);
    return wwt_run(suite);
}
