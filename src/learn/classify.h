// SPDX-License-Identifier: Apache-2.0
// Classification by neighbours that several devices may find.
#ifndef WAVEWARP_CLASSIFY_INTERNAL_H
#define WAVEWARP_CLASSIFY_INTERNAL_H

#include <wavewarp/classify.h>

#include "learn/exact_neighbours.h"

// Fills what wwi_neighbours_find() does.
typedef ww_status (*wwi_neighbours_finder)(void *user, wwi_neighbours *neighbours);

// ww_classifier_run() with neighbours that `find` finds.
ww_status wwi_classifier_run(const ww_classifier *classifier, ww_dataset *test, wwi_neighbours_finder find, void *user,
                             ww_classification *result);

#endif
