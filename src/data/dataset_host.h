// SPDX-License-Identifier: Apache-2.0
// What jobs that learn need of a dataset: its labels, and its series in double.
#ifndef WAVEWARP_DATASET_HOST_H
#define WAVEWARP_DATASET_HOST_H

#include "data/dataset.h"

// Labels of a dataset without any: names, or numbers; NULL both: none.
ww_status wwi_dataset_label(ww_dataset *dataset, const char *const *labels, const int64_t *numbers);
// WW_ERROR_NO_LABELS, with the series, unless all series have a label.
ww_status wwi_dataset_need_labels(const ww_dataset *dataset);
// The series in double in host memory: those that the dataset was made from, or its values read back. The caller's:
// ww_series_set_destroy().
ww_status wwi_dataset_series(ww_dataset *dataset, ww_series_set **set);
// The dataset in double, itself where it is; made of those series. The caller's: ww_dataset_destroy().
ww_status wwi_dataset_in_double(ww_dataset *dataset, ww_dataset **in_double);

#endif
