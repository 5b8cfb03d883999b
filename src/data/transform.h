// SPDX-License-Identifier: Apache-2.0
// Datasets made from datasets.
#ifndef WAVEWARP_DERIVE_H
#define WAVEWARP_DERIVE_H

#include "data/dataset.h"
#include "measure/measure_table.h"

// The measure's transform of a dataset with its present content. *Ownership*: the caller's.
ww_status wwi_dataset_derive(ww_dataset *source, const ww_measure *measure, ww_dataset **derived);

#endif
