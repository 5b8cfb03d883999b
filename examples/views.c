// SPDX-License-Identifier: Apache-2.0
// Series where they are: an array of (time, series, channel), of which every second point is used, in reverse; and
// series in arrays of their own. Nothing is rearranged by the program.
#include <stdio.h>
#include <wavewarp/wavewarp.h>

#define TRY(call)                                                                                                      \
    if ((call) != WW_OK)                                                                                               \
    goto done

enum { TIMES = 8, COUNT = 3, CHANNELS = 2 };

int main(void) {
    double array[TIMES][COUNT][CHANNELS];
    const float a[] = {0, 1, 2, 3}, b[] = {0, 0, 1, 2, 3, 2}, c[] = {3, 2, 1};
    const void *const ragged[COUNT] = {a, b, c};
    const size_t lengths[COUNT] = {4, 6, 3};
    double distances[COUNT][COUNT + 1]; // rows of a wider array
    ww_context *context = NULL;
    ww_dataset *data = NULL;
    ww_plan *plan = NULL;
    ww_measure dtw;
    int failed = 1;
    for (int t = 0; t < TIMES; t++)
        for (int i = 0; i < COUNT; i++)
            for (int k = 0; k < CHANNELS; k++)
                array[t][i][k] = (t * (i + 1) + k) % 5;

    // NumPy: array[::-2].transpose(1, 2, 0): the strides are NumPy's, divided by the bytes of a value.
    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = array[TIMES - 1];
    view.precision = WW_DOUBLE;
    view.count = COUNT;
    view.channels = CHANNELS;
    view.length = TIMES / 2;
    view.strided = 1;
    view.series_stride = CHANNELS;
    view.channel_stride = 1;
    view.time_stride = -2 * COUNT * CHANNELS;
    TRY(ww_context_create(NULL, &context));
    TRY(ww_measure_parse(&dtw, sizeof dtw, "dtw,root,band=sakoe-chiba:50%", TIMES / 2));
    TRY(ww_dataset_create(context, &view, NULL, &data));
    TRY(ww_plan_create_matrix(&dtw, data, NULL, NULL, &plan));
    // sizeof (float) * 3 * 4 bytes, 4 values from row to row.
    float floats[COUNT][COUNT + 1] = {{0}};
    ww_output to = WW_OUTPUT_HOST_BYTES(floats, sizeof floats);
    to.row_stride = COUNT + 1;
    TRY(ww_plan_run(plan, &to));
    for (int i = 0; i < COUNT; i++)
        printf("%8g %8g %8g\n", (double)floats[i][0], (double)floats[i][1], (double)floats[i][2]);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&data);

    // Lists of unequal length, in double on the device.
    ww_series_view lists = WW_SERIES_VIEW_INIT;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    lists.series = ragged;
    lists.count = COUNT;
    lists.lengths = lengths;
    options.precision = WW_DOUBLE;
    TRY(ww_measure_parse(&dtw, sizeof dtw, "dtw", 0));
    TRY(ww_dataset_create(context, &lists, &options, &data));
    TRY(ww_plan_create_matrix(&dtw, data, NULL, NULL, &plan));
    to = (ww_output)WW_OUTPUT_HOST_BYTES(distances, sizeof distances);
    to.row_stride = COUNT + 1;
    TRY(ww_plan_run(plan, &to));
    for (int i = 0; i < COUNT; i++)
        printf("%8g %8g %8g\n", distances[i][0], distances[i][1], distances[i][2]);
    failed = 0;
done:
    if (failed)
        fprintf(stderr, "%s. %s\n", ww_last_error()->message, ww_last_error()->hint);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&data);
    ww_context_destroy(&context);
    return failed;
}
