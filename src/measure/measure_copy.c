// SPDX-License-Identifier: Apache-2.0
// Measures that outlive the call which was given them: copies of texts and bands.
#include <stdlib.h>
#include <string.h>

#include "ends.h"
#include "host.h"
#include "measure/measure_table.h"

// NULL for NULL.
static ww_status copy(const void *source, size_t bytes, void *to) {
    void *made = NULL;
    if (source && !(made = malloc(bytes ? bytes : 1)))
        return wwi_fail_memory(bytes);
    if (source)
        memcpy(made, source, bytes);
    memcpy(to, &made, sizeof made);
    return WW_OK;
}

static ww_status copy_text(const char *source, const char **to) {
    return copy(source, source ? strlen(source) + 1 : 0, to);
}

ww_status wwi_measure_own(const ww_measure *measure, ww_measure *own) {
    const ww_measure m = *measure;
    *own = m;
    own->cost_expression = own->recurrence = own->recurrence_name = NULL;
    own->band.lo = own->band.hi = NULL;
    if (wwi_measure_cost(&m) == WW_COST_USER)
        WWI_TRY(copy_text(m.cost_expression, &own->cost_expression));
    if (m.id == WW_USER) {
        WWI_TRY(copy_text(m.recurrence_name ? m.recurrence_name : "recurrence", &own->recurrence_name));
        WWI_TRY(copy_text(m.recurrence, &own->recurrence));
    }
    if (m.band.kind != WW_BAND_ROWS)
        return WW_OK;
    WWI_TRY(copy(m.band.lo, m.band.rows * sizeof *m.band.lo, &own->band.lo));
    return copy(m.band.hi, m.band.rows * sizeof *m.band.hi, &own->band.hi);
}

void wwi_measure_disown(ww_measure *own) {
    wwi_free_taken(&own->cost_expression);
    wwi_free_taken(&own->recurrence);
    wwi_free_taken(&own->recurrence_name);
    wwi_free_taken(&own->band.lo);
    wwi_free_taken(&own->band.hi);
}
