// SPDX-License-Identifier: Apache-2.0
// The labels of a dataset: its own, or those of the series that it was made from.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/dataset_host.h"
#include "host.h"

ww_status wwi_dataset_label(ww_dataset *d, const char *const *labels, const int64_t *numbers) {
    if (!labels && !numbers)
        return WW_OK;
    if (labels && numbers)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "options.labels and options.label_numbers are both given");
    WWI_TRY(wwi_new(d->classes, d->count));
    for (size_t i = 0; i < d->count; i++) {
        char digits[24];
        if (numbers)
            snprintf(digits, sizeof digits, "%" PRId64, numbers[i]);
        d->classes[i] = -1;
        if (numbers || labels[i])
            WWI_TRY(wwi_class_of_label(&d->names, numbers ? digits : labels[i], &d->classes[i]));
    }
    return WW_OK;
}

int64_t ww_dataset_class(const ww_dataset *d, size_t i) {
    if (!d || i >= d->count)
        return -1;
    return d->classes ? d->classes[i] : ww_series_set_class(atomic_load(&d->set), i);
}

size_t ww_dataset_class_count(const ww_dataset *d) {
    if (!d)
        return 0;
    return d->classes ? d->names.count : ww_series_set_class_count(atomic_load(&d->set));
}

const char *ww_dataset_class_name(const ww_dataset *d, size_t k) {
    if (!d)
        return NULL;
    if (!d->classes)
        return ww_series_set_class_name(atomic_load(&d->set), k);
    return k < d->names.count ? d->names.names[k] : NULL;
}

ww_status wwi_dataset_need_labels(const ww_dataset *d) {
    for (size_t i = 0; i < d->count; i++)
        if (ww_dataset_class(d, i) < 0) {
            wwi_fail(WW_ERROR_NO_LABELS, "series %zu of the train set has no label", i);
            wwi_fail_hint("every series to learn from needs its class; is the label column read?");
            return wwi_fail_where((int64_t)i, -1);
        }
    return WW_OK;
}
