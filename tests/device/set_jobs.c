// SPDX-License-Identifier: Apache-2.0
// See set_jobs.h. A set that can't be uploaded gives the upload's status.
#include "set_jobs.h"

static ww_status upload(ww_series_set *set, ww_precision precision, ww_dataset **data) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    options.precision = precision;
    *data = NULL;
    return set ? ww_dataset_create_from_set(wwt_context, set, &options, data) : WW_OK;
}

ww_dataset *wwt_upload(ww_series_set *set, ww_precision precision) {
    ww_dataset *data;
    wwt_ok(upload(set, precision, &data));
    return data;
}

ww_status wwt_set_matrix(const ww_measure *measure, ww_series_set *rows, ww_series_set *columns, ww_precision precision,
                         void *distances) {
    const ww_output to = WW_OUTPUT_HOST(distances);
    ww_dataset *a = NULL, *b = NULL;
    ww_status status = upload(rows, precision, &a);
    if (status == WW_OK && (status = upload(columns, precision, &b)) == WW_OK)
        status = ww_matrix(measure, a, b, &to);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    return status;
}

ww_status wwt_classify(const ww_measure *measure, ww_series_set *train, ww_series_set *test, ww_precision precision,
                       const ww_classify_options *options, ww_classification *result) {
    ww_dataset *a = NULL, *b = NULL;
    ww_status status = upload(train, precision, &a);
    if (status == WW_OK && (status = upload(test, precision, &b)) == WW_OK)
        status = ww_classify(measure, a, b, options, result);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    return status;
}

ww_status wwt_average(const ww_measure *measure, ww_series_set *set, ww_precision precision,
                      const ww_average_options *options, ww_average_result *result) {
    ww_dataset *data;
    ww_status status = upload(set, precision, &data);
    if (status == WW_OK)
        status = ww_average(measure, data, options, result);
    ww_dataset_destroy(&data);
    return status;
}

ww_status wwt_kmeans(const ww_measure *measure, ww_series_set *set, ww_precision precision, size_t k,
                     const ww_kmeans_options *options, int64_t *labels, double *distances, ww_series_set **centres,
                     ww_kmeans_info *info) {
    ww_dataset *data;
    ww_status status = upload(set, precision, &data);
    if (centres)
        *centres = NULL;
    if (status == WW_OK)
        status = ww_cluster_kmeans(measure, data, k, options, labels, distances, centres, info);
    ww_dataset_destroy(&data);
    return status;
}

ww_status wwt_shapelets(ww_series_set *train, const ww_shapelets_options *options, ww_shapelets **model) {
    ww_dataset *data;
    ww_status status = upload(train, WW_FLOAT, &data);
    if (status == WW_OK)
        status = ww_shapelets_create(data, options, model);
    ww_dataset_destroy(&data);
    return status;
}

ww_status wwt_predict(const ww_shapelets *model, ww_series_set *set, const ww_run_options *run, int64_t *classes,
                      double *distances) {
    ww_dataset *data;
    ww_status status = upload(set, WW_FLOAT, &data);
    if (status == WW_OK)
        status = ww_shapelets_predict(model, data, run, classes, distances);
    ww_dataset_destroy(&data);
    return status;
}

ww_status wwt_transform(const ww_shapelets *model, ww_series_set *set, const ww_run_options *run, size_t first,
                        size_t count, double *distances, uint64_t *starts) {
    ww_dataset *data;
    ww_status status = upload(set, WW_FLOAT, &data);
    if (status == WW_OK)
        status = ww_shapelets_transform(model, data, run, first, count, distances, starts);
    ww_dataset_destroy(&data);
    return status;
}
