// SPDX-License-Identifier: Apache-2.0
// All distances of a set with itself. The series are uploaded once; each measure is a plan on the same data.
#include <stdio.h>
#include <wavewarp/wavewarp.h>

#define TRY(call)                                                                                                      \
    if ((call) != WW_OK)                                                                                               \
    goto done

int main(void) {
    const float values[4][6] = {{0, 1, 2, 3, 2, 1}, {0, 0, 1, 2, 3, 2}, {5, 5, 4, 4, 5, 5}, {1, 1, 1, 1, 1, 1}};
    float distances[4][4];
    ww_context *context = NULL;
    ww_dataset *data = NULL;
    ww_plan *plan = NULL;
    int failed = 1;

    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = values;
    view.count = 4;
    view.length = 6;
    TRY(ww_context_create(NULL, &context));
    TRY(ww_dataset_create(context, &view, NULL, &data));
    for (int id = WW_DTW; id <= WW_FRECHET; id++) {
        ww_measure measure;
        TRY(ww_measure_init(&measure, sizeof measure, (ww_measure_id)id));
        measure.band.kind = WW_BAND_SAKOE_CHIBA;
        measure.band.width = 2;
        TRY(ww_plan_create_matrix(&measure, data, NULL, NULL, &plan));
        const ww_output to = WW_OUTPUT_HOST(distances);
        TRY(ww_plan_run(plan, &to));
        printf("%s\n", ww_measure_info_by_id(measure.id)->name);
        for (int i = 0; i < 4; i++)
            printf("%8g %8g %8g %8g\n", distances[i][0], distances[i][1], distances[i][2], distances[i][3]);
        ww_plan_destroy(&plan);
    }
    failed = 0;
done:
    if (failed)
        fprintf(stderr, "%s. %s\n", ww_last_error()->message, ww_last_error()->hint);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&data);
    ww_context_destroy(&context);
    return failed;
}
