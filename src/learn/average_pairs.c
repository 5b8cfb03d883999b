// SPDX-License-Identifier: Apache-2.0
// Averages: the centre and the members on the device.
#include <stdlib.h>

#include "base/kit.h"
#include "data/dataset.h"
#include "learn/average.h"

ww_status wwi_average_pairs_make(const wwi_average *a, wwi_average_pairs *p) {
    ww_dataset_options make = WW_DATASET_OPTIONS_INIT;
    make.precision = a->precision;
    WWI_TRY(wwi_new_zeroed(p->rows, a->count));
    WWI_TRY(wwi_new(p->columns, a->count));
    WWI_TRY(wwi_new(p->weights, a->count * wwi_precision_bytes(a->precision)));
    for (size_t k = 0; k < a->count; k++) {
        p->columns[k] = k;
        wwi_set_value(p->weights, a->precision, k, a->weights[k]);
    }
    WWI_TRY(ww_dataset_create(a->context, &a->view, &make, &p->members));
    return wwi_dataset_of_doubles(a->context, a->precision, a->result.centre, 1, a->channels, a->length, &p->centre);
}

void wwi_average_pairs_free(wwi_average_pairs *p) {
    ww_dataset_destroy(&p->centre);
    ww_dataset_destroy(&p->members);
    free(p->rows);
    free(p->columns);
    free(p->weights);
}
