// SPDX-License-Identifier: Apache-2.0
// A training loop: a series is moved down the gradient of the sum of its soft-DTW distances to others. All objects are
// made once; each step sends the series, runs, and reads values and gradient.
#include <stdio.h>
#include <wavewarp/wavewarp.h>

#define TRY(call)                                                                                                      \
    if ((call) != WW_OK)                                                                                               \
    goto done

enum { COUNT = 32, LENGTH = 100, STEPS = 40 };

int main(void) {
    static float series[COUNT][LENGTH], model[LENGTH], slope[LENGTH], values[COUNT];
    ww_context *context = NULL;
    ww_dataset *data = NULL, *moved = NULL;
    ww_gradient *gradient = NULL;
    ww_measure soft;
    double first = 0, last = 0;
    int failed = 1;
    for (int i = 0; i < COUNT; i++)
        for (int t = 0; t < LENGTH; t++)
            series[i][t] = (float)((t + i / 2) % 40 < 20 ? (t + i / 2) % 40 : 40 - (t + i / 2) % 40) / 10;

    ww_series_view view = WW_SERIES_VIEW_INIT, of_model = WW_SERIES_VIEW_INIT;
    view.values = series;
    view.count = COUNT;
    view.length = of_model.length = LENGTH;
    of_model.values = model;
    of_model.count = 1;
    ww_dataset_options updated = WW_DATASET_OPTIONS_INIT;
    updated.updates = 1;
    const ww_output to_values = WW_OUTPUT_HOST_BYTES(values, sizeof values);
    const ww_output to_slope = WW_OUTPUT_HOST_BYTES(slope, sizeof slope);
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    to.values = &to_values;
    to.rows = &to_slope;
    TRY(ww_context_create(NULL, &context));
    TRY(ww_measure_parse(&soft, sizeof soft, "dtw,gamma=0.1", 0));
    TRY(ww_dataset_create(context, &view, NULL, &data));
    TRY(ww_dataset_create(context, &of_model, &updated, &moved));
    TRY(ww_gradient_create_matrix(&soft, moved, data, NULL, &gradient));
    for (int step = 0; step < STEPS; step++) {
        TRY(ww_dataset_update(moved, &of_model));
        TRY(ww_gradient_run(gradient, &to));
        last = 0;
        for (int i = 0; i < COUNT; i++)
            last += (double)values[i];
        first = step ? first : last;
        for (int t = 0; t < LENGTH; t++)
            model[t] -= 0.005f * slope[t];
    }
    printf("sum of distances: %.2g, after %d steps %.2g\n", first, STEPS, last);
    failed = !(last < first);
done:
    if (ww_last_error()->status != WW_OK)
        fprintf(stderr, "%s. %s\n", ww_last_error()->message, ww_last_error()->hint);
    ww_gradient_destroy(&gradient);
    ww_dataset_destroy(&moved);
    ww_dataset_destroy(&data);
    ww_context_destroy(&context);
    return failed;
}
