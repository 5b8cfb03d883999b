// SPDX-License-Identifier: Apache-2.0
// See set_jobs.h. A set that can't be uploaded gives the upload's status.
#include "set_jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

ww_series_set *wwt_set_of_bumps(size_t count, size_t channels, size_t least, size_t most, size_t classes, double scale,
                                double offset) {
    ww_series_set *set = NULL;
    wwt_ok(ww_series_set_create(channels, &set));
    for (size_t i = 0; i < count; i++) {
        char label[24];
        const size_t points = wwt_random_size(least, most), width = points / 3, of = i % classes;
        double values[640];
        for (size_t c = 0; c < channels; c++) {
            double at = 0;
            const size_t place = wwt_random_size(0, points - width);
            for (size_t t = 0; t < points; t++) {
                at += wwt_random();
                double v = 0.3 * at + 0.1 * wwt_random();
                if (t >= place && t < place + width)
                    v += 1.5 * sin((double)(of + 1) * 3 * (double)(t - place) / (double)width);
                values[c * points + t] = offset + scale * v;
            }
        }
        (void)snprintf(label, sizeof label, "c%zu", of);
        wwt_ok(ww_series_set_add(set, points, values, label));
    }
    return set;
}

typedef struct kept {
    unsigned char *bytes;
    size_t count;
} kept;

static int keep(void *user, const void *bytes, size_t count) {
    kept *k = user;
    k->bytes = realloc(k->bytes, k->count + count);
    ck_assert_ptr_nonnull(k->bytes);
    memcpy(k->bytes + k->count, bytes, count);
    k->count += count;
    return 0;
}

unsigned char *wwt_model_bytes(const ww_shapelets *model, size_t *count) {
    kept k = {NULL, 0};
    wwt_ok(ww_shapelets_write_to(model, keep, &k));
    *count = k.count;
    return k.bytes;
}

void wwt_same_model(const ww_shapelets *model, const ww_shapelets *whole) {
    size_t count[2];
    unsigned char *bytes[2] = {wwt_model_bytes(model, &count[0]), wwt_model_bytes(whole, &count[1])};
    ck_assert_uint_eq(count[0], count[1]);
    ck_assert(memcmp(bytes[0], bytes[1], count[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
}
