// SPDX-License-Identifier: Apache-2.0
// Saving an index: the measure, what was promised, the series with time stamps and labels, the graph, removals.
#include <stdlib.h>
#include <string.h>

#include "data/dataset_host.h"
#include "index/index_file.h"

const wwi_seal wwi_index_seal = {"WWIDX\r\n\x1a", 1, "make it again with ww_index_save() or 'wavewarp index build'"};

static void put_text(wwi_sealed *b, const char *text) {
    const uint64_t length = text ? strlen(text) : WWI_INDEX_NO_TEXT;
    wwi_put_number(b, length, 4);
    if (text)
        wwi_put(b, text, length);
}

static void put_rows(wwi_sealed *b, const size_t *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        wwi_put_number(b, rows[i], 8);
}

static void put_measure(const ww_measure *m, wwi_sealed *b) {
    const bool rows = m->band.kind == WW_BAND_ROWS;
    wwi_put_number(b, (uint64_t)m->id, 4);
    wwi_put_number(b, (uint64_t)m->cost, 4);
    wwi_put_number(b, (uint64_t)(m->root != 0), 4);
    wwi_put_number(b, (uint64_t)(m->independent != 0), 4);
    wwi_put_number(b, (uint64_t)m->band.kind, 4);
    wwi_put_double(b, m->band.width);
    for (size_t i = 0; i < WW_MEASURE_PARAMETERS; i++)
        wwi_put_double(b, m->parameters[i]);
    wwi_put_number(b, m->relax_begin_x, 8);
    wwi_put_number(b, m->relax_end_x, 8);
    wwi_put_number(b, m->relax_begin_y, 8);
    wwi_put_number(b, m->relax_end_y, 8);
    wwi_put_double(b, m->gamma);
    put_text(b, m->cost_expression);
    put_text(b, m->recurrence);
    put_text(b, m->recurrence_name);
    wwi_put_number(b, rows ? m->band.rows : 0, 8);
    put_rows(b, m->band.lo, rows ? m->band.rows : 0);
    put_rows(b, m->band.hi, rows ? m->band.rows : 0);
}

static void put_promise(const ww_index *x, wwi_sealed *b) {
    const ww_index_info *i = &x->info;
    wwi_put_number(b, x->beam, 4);
    wwi_put_number(b, x->beam_k, 8);
    wwi_put_number(b, i->sample, 8);
    wwi_put_number(b, i->parts, 8);
    wwi_put_double(b, i->target_recall);
    wwi_put_double(b, i->recall);
    wwi_put_double(b, i->recall_low);
    wwi_put_double(b, i->recall_high);
    wwi_put_double(b, i->sample_examined);
}

static void put_values(wwi_sealed *b, const double *values, uint64_t count, ww_precision precision) {
    for (uint64_t i = 0; i < count; i++) {
        if (precision == WW_DOUBLE) {
            wwi_put_double(b, values[i]);
        } else {
            const float narrow = (float)values[i];
            wwi_put_array(b, &narrow, 1, sizeof narrow);
        }
    }
}

static ww_status put_series(const ww_index *x, wwi_sealed *b) {
    WWI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    WWI_TRY(wwi_dataset_series(x->base, &set));
    bool labelled = false;
    for (size_t i = 0; i < x->count; i++)
        labelled = labelled || ww_series_set_label(set, i);
    wwi_put_number(b, labelled, 4);
    for (size_t i = 0; i < x->count; i++)
        wwi_put_number(b, ww_series_set_length(set, i), 8);
    for (size_t i = 0; i < x->count; i++)
        put_values(b, ww_series_set_values(set, i), ww_series_set_length(set, i) * x->base->channels, x->precision);
    for (size_t i = 0; x->base->timed && i < x->count; i++)
        put_values(b, ww_series_set_times(set, i), ww_series_set_length(set, i), WW_DOUBLE);
    for (size_t i = 0; labelled && i < x->count; i++)
        put_text(b, ww_series_set_label(set, i));
    return WW_OK;
}

static ww_status put_all(const ww_index *x, wwi_sealed *b) {
    wwi_seal_begin(&wwi_index_seal, b);
    put_measure(&x->measure, b);
    wwi_put_number(b, (uint64_t)x->precision, 4);
    wwi_put_number(b, x->base->timed, 4);
    wwi_put_number(b, x->base->unspecified, 4);
    wwi_put_number(b, x->base->channels, 8);
    wwi_put_number(b, x->count, 8);
    wwi_put_number(b, x->degree, 4);
    wwi_put_number(b, x->neighbours, 4);
    wwi_put_number(b, x->seed, 8);
    wwi_put_number(b, x->entry_count, 8);
    wwi_put_number(b, x->must_count, 8);
    wwi_put_number(b, x->start_count, 8);
    wwi_put_number(b, x->removed != NULL, 4);
    put_promise(x, b);
    WWI_TRY(put_series(x, b));
    wwi_put_array(b, x->links, (uint64_t)x->count * x->degree, 4);
    wwi_put_array(b, x->entries, x->entry_count, 4);
    if (x->removed)
        wwi_put_array(b, x->removed, x->count / 32 + 1, 4);
    return WW_OK;
}

static ww_status save(const ww_index *x, const char *path, ww_write_fn write, void *user) {
    WWI_ENDS(wwi_sealed_free) wwi_sealed b = {0};
    WWI_TRY(put_all(x, &b));
    return wwi_seal_write(&b, path, write, user);
}

ww_status ww_index_save(const ww_index *x, const char *path) {
    WWI_NEEDS("index, path", x, path);
    return save(x, path, NULL, NULL);
}

ww_status ww_index_save_to(const ww_index *x, ww_write_fn write, void *user) {
    WWI_NEEDS("index, write", x, write);
    return save(x, NULL, write, user);
}
