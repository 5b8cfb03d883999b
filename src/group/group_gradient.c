// SPDX-License-Identifier: Apache-2.0
// Gradients of listed pairs on a group of devices, in runs of the list: what is of one pair alone.
#include <stdlib.h>
#include <string.h>

#include "gradient/gradient.h"
#include "group/group.h"
#include "measure/measure_table.h"
#include "options.h"

enum { VALUES, ROWS, COLUMNS, PARAMETERS, WEIGHTS, ALIGNMENT, OUTPUTS };

typedef struct job {
    wwi_group_job pairs;
    ww_gradient_options options;
    ww_gradient_outputs to;
    ww_output outputs[OUTPUTS]; // host NULL: not wanted
    uint64_t *at[OUTPUTS];      // where each pair's values begin, and the end: rows, columns, alignment
    uint64_t each[OUTPUTS];     // of a pair, of the others
    uint32_t longest;
} job;

static uint32_t length_of(const ww_group_dataset *d, size_t i) {
    return (uint32_t)(d->points[i + 1] - d->points[i]);
}

// Sizes of the outputs of all pairs, whose indices are there.
static ww_status place_outputs(job *j) {
    const wwi_group_job *p = &j->pairs;
    const wwi_measure_row *row = wwi_measure_row_by_id(p->measure->id);
    const uint32_t less = row->transform == WWI_TRANSFORM_DERIVATIVE ? 2 : 0;
    static const int listed[] = {ROWS, COLUMNS, ALIGNMENT};
    for (int o = 0; o < 3; o++) {
        WWI_TRY(wwi_new(j->at[listed[o]], p->count + 1));
        j->at[listed[o]][0] = 0;
    }
    for (size_t i = 0; i < p->count; i++) {
        const uint32_t n = length_of(p->rows, p->row_index ? p->row_index[i] : i),
                       m = length_of(p->columns, p->column_index ? p->column_index[i] : i);
        const uint32_t longer = n > m ? n : m;
        j->longest = longer - less > j->longest ? longer - less : j->longest;
        j->at[ROWS][i + 1] = j->at[ROWS][i] + n * (uint64_t)p->rows->channels;
        j->at[COLUMNS][i + 1] = j->at[COLUMNS][i] + m * (uint64_t)p->columns->channels;
        j->at[ALIGNMENT][i + 1] = j->at[ALIGNMENT][i] + (uint64_t)(n - less) * (m - less);
    }
    j->each[VALUES] = 1;
    j->each[PARAMETERS] = row->info.parameter_count;
    j->each[WEIGHTS] = j->longest;
    return WW_OK;
}

static uint64_t place(const job *j, int output, size_t pair) {
    return j->at[output] ? j->at[output][pair] : pair * j->each[output];
}

static void job_close(job *j) {
    for (int o = 0; o < OUTPUTS; o++)
        free(j->at[o]);
}

static ww_status take_outputs(job *j, const ww_gradient_outputs *given) {
    j->to = (ww_gradient_outputs)WW_GRADIENT_OUTPUTS_INIT;
    WWI_TRY(wwi_options_take(&j->to, given, "ww_gradient_outputs"));
    if (j->to.upstream_device)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a group reads its upstream from host memory");
    if (!j->options.per_pair && (j->to.rows || j->to.columns)) {
        (void)wwi_fail(WW_ERROR_UNSUPPORTED, "sums of gradients over pairs are not divided among devices");
        return wwi_fail_hint("set per_pair, or use one device: the order of a sum is its bits");
    }
    const struct {
        const ww_output *given;
        const char *name;
    } outputs[OUTPUTS] = {{j->to.values, "values"},
                          {j->to.rows, "gradients by rows"},
                          {j->to.columns, "gradients by columns"},
                          {j->to.parameters, "gradients by parameters"},
                          {j->to.weights, "gradients by weights"},
                          {j->to.alignment, "alignments"}};
    bool any = false;
    for (int o = 0; o < OUTPUTS; o++) {
        const char *name = outputs[o].name;
        const wwi_result result = {name, 1, place(j, o, j->pairs.count), j->pairs.value_bytes, false};
        if (!outputs[o].given)
            continue;
        any = true;
        WWI_TRY(wwi_group_take_output(&j->outputs[o], outputs[o].given, name, &result));
    }
    return any ? WW_OK : wwi_fail(WW_ERROR_INVALID_ARGUMENT, "no output is set");
}

static ww_status begin_device(wwi_group_seat *seat) {
    ww_dataset *rows, *columns;
    return wwi_group_sides(seat->job, seat->device, &rows, &columns);
}

static ww_status run_pairs(const wwi_group_seat *seat, size_t first, size_t count) {
    const job *j = seat->job;
    ww_dataset *rows, *columns;
    WWI_ENDS(ww_gradient_destroy) ww_gradient *g = NULL;
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    ww_output outputs[OUTPUTS];
    const ww_output **wanted[OUTPUTS] = {&to.values, &to.rows, &to.columns, &to.parameters, &to.weights, &to.alignment};
    for (int o = 0; o < OUTPUTS; o++) {
        outputs[o] = j->outputs[o];
        if (!outputs[o].host)
            continue;
        outputs[o].host = (unsigned char *)outputs[o].host + place(j, o, first) * j->pairs.value_bytes;
        *wanted[o] = &outputs[o];
    }
    if (j->to.upstream)
        to.upstream = (const unsigned char *)j->to.upstream + first * j->pairs.value_bytes;
    WWI_TRY(wwi_group_sides(&j->pairs, seat->device, &rows, &columns));
    WWI_TRY(wwi_gradient_create_some(j->pairs.measure, rows, columns ? columns : rows, j->pairs.row_index,
                                     j->pairs.column_index, first, count, j->pairs.count, j->longest, &j->options, &g));
    return ww_gradient_run(g, &to);
}

static ww_status begin_job(job *j, const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                           const ww_gradient_options *options) {
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    ww_measure checked;
    j->options = (ww_gradient_options)WW_GRADIENT_OPTIONS_INIT;
    WWI_TRY(wwi_options_take(&j->options, options, "ww_gradient_options"));
    plan.run = j->options.run;
    WWI_TRY(wwi_group_job_begin(&j->pairs, measure, rows, columns, &plan));
    j->options.run = &j->pairs.own;
    WWI_TRY(wwi_measure_take(measure, &checked));
    WWI_TRY(wwi_group_check_pairs(&j->pairs));
    return place_outputs(j);
}

ww_status ww_group_gradient_sizes(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                                  const size_t *row_index, const size_t *column_index, size_t count,
                                  const ww_gradient_options *options, ww_gradient_info *sizes) {
    WWI_ENDS(job_close) job j = {.pairs = {.row_index = row_index, .column_index = column_index, .count = count}};
    ww_gradient_info info = WW_GRADIENT_INFO_INIT;
    WWI_NEEDS("sizes", sizes);
    WWI_TRY(begin_job(&j, measure, rows, columns, options));
    info.pairs = count;
    info.rows = place(&j, ROWS, count);
    info.columns = place(&j, COLUMNS, count);
    info.parameters = place(&j, PARAMETERS, count);
    info.weights = place(&j, WEIGHTS, count);
    info.alignment = place(&j, ALIGNMENT, count);
    return wwi_struct_give(sizes, &info, "ww_gradient_info");
}

ww_status ww_group_gradient(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                            const size_t *row_index, const size_t *column_index, size_t count,
                            const ww_gradient_options *options, const ww_gradient_outputs *outputs) {
    static const wwi_group_kind kind = {.begin = begin_device, .run = run_pairs, .work = wwi_group_pair_work};
    WWI_ENDS(job_close) job j = {.pairs = {.row_index = row_index, .column_index = column_index, .count = count}};
    if (!outputs)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_group_gradient: the outputs are NULL");
    WWI_TRY(begin_job(&j, measure, rows, columns, options));
    WWI_TRY(take_outputs(&j, outputs));
    return wwi_group_run_units(j.pairs.group, &kind, &j, count, &j.pairs.run);
}
