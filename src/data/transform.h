// SPDX-License-Identifier: Apache-2.0
// Datasets made from datasets.
#ifndef WAVEWARP_DERIVE_H
#define WAVEWARP_DERIVE_H

#include "data/dataset.h"
#include "measure/measure_table.h"

// The measure's transform of a dataset with its present content. *Ownership*: the caller's.
ww_status wwi_dataset_derive(ww_dataset *source, const ww_measure *measure, ww_dataset **derived);
// The values that `derived`, made by that, has for other values of the source, which are not changed.
void wwi_dataset_derive_values(const ww_dataset *source, const ww_measure *measure, void *values,
                               const ww_dataset *derived, void *target);

#endif
