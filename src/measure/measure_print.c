// SPDX-License-Identifier: Apache-2.0
// A measure as one line of text that has all that values depend on.
#include <inttypes.h>
#include <string.h>

#include "host.h"
#include "measure/measure_table.h"

static void print_sum(FILE *to, const char *name, const void *bytes, size_t size) {
    char sum[65];
    if (!bytes)
        return;
    wwi_checksum_text(bytes, size, sum);
    fprintf(to, " %s %s", name, sum);
}

void wwi_measure_print(const ww_measure *m, FILE *to) {
    const ww_measure_info *info = ww_measure_info_by_id(m->id);
    fprintf(to, "measure %s cost %s root %d independent %d gamma %.17g", info ? info->name : "unknown",
            ww_word(WW_WORD_COST, m->cost), m->root != 0, m->independent != 0, m->gamma);
    for (size_t i = 0; info && i < info->parameter_count; i++)
        fprintf(to, " %s %.17g", info->parameters[i].name, m->parameters[i]);
    fprintf(to, " relax %zu %zu %zu %zu band %s %.17g", m->relax_begin_x, m->relax_end_x, m->relax_begin_y,
            m->relax_end_y, ww_word(WW_WORD_BAND_KIND, m->band.kind), m->band.width);
    print_sum(to, "first", m->band.lo, m->band.rows * sizeof *m->band.lo);
    print_sum(to, "end", m->band.hi, m->band.rows * sizeof *m->band.hi);
    print_sum(to, "expression", m->cost_expression, m->cost_expression ? strlen(m->cost_expression) : 0);
    print_sum(to, "recurrence", m->recurrence, m->recurrence ? strlen(m->recurrence) : 0);
}
