// SPDX-License-Identifier: Apache-2.0
// Jobs on series sets: each makes the datasets for its call alone, so that a test may change a set between two of them.
#ifndef WAVEWARP_TEST_SET_JOBS_H
#define WAVEWARP_TEST_SET_JOBS_H

#include "support.h"

// The series of a set on the device, NULL for NULL; fails the test where that fails.
ww_dataset *wwt_upload(ww_series_set *set, ww_precision precision);

ww_status wwt_set_matrix(const ww_measure *measure, ww_series_set *rows, ww_series_set *columns, ww_precision precision,
                         void *distances);
ww_status wwt_classify(const ww_measure *measure, ww_series_set *train, ww_series_set *test, ww_precision precision,
                       const ww_classify_options *options, ww_classification *result);
ww_status wwt_average(const ww_measure *measure, ww_series_set *set, ww_precision precision,
                      const ww_average_options *options, ww_average_result *result);
ww_status wwt_kmeans(const ww_measure *measure, ww_series_set *set, ww_precision precision, size_t k,
                     const ww_kmeans_options *options, int64_t *labels, double *distances, ww_series_set **centres,
                     ww_kmeans_info *info);
ww_status wwt_shapelets(ww_series_set *train, const ww_shapelets_options *options, ww_shapelets **model);
ww_status wwt_predict(const ww_shapelets *model, ww_series_set *set, const ww_run_options *run, int64_t *classes,
                      double *distances);
ww_status wwt_transform(const ww_shapelets *model, ww_series_set *set, const ww_run_options *run, size_t first,
                        size_t count, double *distances, uint64_t *starts);

// `count` random walks, channel by channel, with a bump of their class at a random place, times `scale`, plus `offset`.
// At most 640 values each.
ww_series_set *wwt_set_of_bumps(size_t count, size_t channels, size_t least, size_t most, size_t classes, double scale,
                                double offset);
// The model's file; free() it.
unsigned char *wwt_model_bytes(const ww_shapelets *model, size_t *count);
// Their files are the same, byte for byte.
void wwt_same_model(const ww_shapelets *model, const ww_shapelets *whole);

#endif
