// SPDX-License-Identifier: Apache-2.0
// A recurrence of one's own, here amerced DTW, and the library's measure of that name: the same distances.
#include <stdio.h>
#include <wavewarp/wavewarp.h>

#define TRY(call)                                                                                                      \
    if ((call) != WW_OK)                                                                                               \
    goto done

static const char text[] =
    "real ww_user_cell(real left, real up, real diagonal, ww_point x, ww_point y, real ahead) {\n"
    "    return ww_cost(x, y) + fmin(diagonal, fmin(left, up) + WW_P_p0);\n"
    "}\n";

int main(void) {
    const float values[3][6] = {{0, 1, 2, 3, 2, 1}, {0, 0, 1, 2, 3, 2}, {5, 5, 4, 4, 5, 5}};
    float distances[3][3];
    ww_context *context = NULL;
    ww_dataset *data = NULL;
    ww_plan *plan = NULL;
    int failed = 1;

    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = values;
    view.count = 3;
    view.length = 6;
    TRY(ww_context_create(NULL, &context));
    TRY(ww_dataset_create(context, &view, NULL, &data));
    for (int own = 0; own <= 1; own++) {
        ww_measure measure;
        TRY(ww_measure_init(&measure, sizeof measure, own ? WW_USER : WW_ADTW));
        if (own)
            measure.recurrence = text;
        TRY(ww_measure_set(&measure, own ? "p0" : "penalty", 0.5));
        TRY(ww_plan_create_matrix(&measure, data, NULL, NULL, &plan));
        const ww_output to = WW_OUTPUT_HOST(distances);
        TRY(ww_plan_run(plan, &to));
        printf("%s\n", ww_measure_info_by_id(measure.id)->name);
        for (int i = 0; i < 3; i++)
            printf("%8g %8g %8g\n", distances[i][0], distances[i][1], distances[i][2]);
        ww_plan_destroy(&plan);
    }
    failed = 0;
done:
    if (failed)
        fprintf(stderr, "%s. %s\n%s\n", ww_last_error()->message, ww_last_error()->hint,
                ww_last_error()->status == WW_ERROR_BUILD ? ww_last_build_log() : "");
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&data);
    ww_context_destroy(&context);
    return failed;
}
