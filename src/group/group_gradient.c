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
    ww_dataset *(*sides)[2]; // of each device
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
        if (!(j->at[listed[o]] = malloc((p->count + 1) * sizeof(uint64_t))))
            return wwi_fail_memory((p->count + 1) * sizeof(uint64_t));
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

static void close_outputs(job *j) {
    for (int o = 0; o < OUTPUTS; o++)
        free(j->at[o]);
    free(j->sides);
}

static ww_status take_output(job *j, int output, const ww_output *given, const char *name) {
    wwi_buffer *none;
    if (!given)
        return WW_OK;
    j->outputs[output] = (ww_output)WW_OUTPUT_INIT;
    WWI_TRY(wwi_options_take(&j->outputs[output], given, "ww_output"));
    if (!j->outputs[output].host || j->outputs[output].device || j->outputs[output].layout != WW_LAYOUT_FULL)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "a group writes %s in the full layout to host memory", name);
    const wwi_result result = {name, 1, place(j, output, j->pairs.count), j->pairs.value_bytes, false};
    const ww_status status = wwi_result_check(&j->outputs[output], NULL, &result, &none);
    j->outputs[output].bytes = 0; // checked as a whole
    return status;
}

static ww_status take_outputs(job *j, const ww_gradient_outputs *given) {
    j->to = (ww_gradient_outputs)WW_GRADIENT_OUTPUTS_INIT;
    ww_status status = wwi_options_take(&j->to, given, "ww_gradient_outputs");
    if (status != WW_OK)
        return status;
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
    for (int o = 0; o < OUTPUTS && status == WW_OK; o++) {
        any |= outputs[o].given != NULL;
        status = take_output(j, o, outputs[o].given, outputs[o].name);
    }
    return status != WW_OK || any ? status : wwi_fail(WW_ERROR_INVALID_ARGUMENT, "no output is set");
}

static ww_status begin_device(void *user, size_t device, void **own) {
    const job *j = user;
    ww_dataset **sides = j->sides[device];
    *own = sides;
    WWI_TRY(wwi_group_sides(&j->pairs, device, &sides[0], &sides[1]));
    if (!sides[1])
        sides[1] = sides[0];
    return WW_OK;
}

static ww_status run_pairs(void *user, void *own, size_t first, size_t count) {
    const job *j = user;
    ww_dataset **sides = own;
    ww_gradient *g = NULL;
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
    ww_status status = wwi_gradient_create_some(j->pairs.measure, sides[0], sides[1], j->pairs.row_index,
                                                j->pairs.column_index, first, count, j->longest, &j->options, &g);
    if (status == WW_OK)
        status = ww_gradient_run(g, &to);
    ww_gradient_destroy(&g);
    return status;
}

static ww_status begin_job(job *j, const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                           const ww_gradient_options *options) {
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    ww_measure checked;
    j->options = (ww_gradient_options)WW_GRADIENT_OPTIONS_INIT;
    ww_status status = wwi_options_take(&j->options, options, "ww_gradient_options");
    plan.run = j->options.run;
    if (status == WW_OK)
        status = wwi_group_job_begin(&j->pairs, measure, rows, columns, &plan);
    if (status == WW_OK)
        status = wwi_measure_take(measure, &checked);
    if (status == WW_OK)
        status = wwi_group_check_pairs(&j->pairs);
    j->options.run = &j->pairs.own;
    return status == WW_OK ? place_outputs(j) : status;
}

ww_status ww_group_gradient_sizes(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                                  const size_t *row_index, const size_t *column_index, size_t count,
                                  const ww_gradient_options *options, ww_gradient_info *sizes) {
    job j = {.pairs = {.row_index = row_index, .column_index = column_index, .count = count}};
    ww_gradient_info info = WW_GRADIENT_INFO_INIT;
    if (!sizes)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_group_gradient_sizes: the record is NULL");
    ww_status status = begin_job(&j, measure, rows, columns, options);
    if (status == WW_OK) {
        info.pairs = count;
        info.rows = place(&j, ROWS, count);
        info.columns = place(&j, COLUMNS, count);
        info.parameters = place(&j, PARAMETERS, count);
        info.weights = place(&j, WEIGHTS, count);
        info.alignment = place(&j, ALIGNMENT, count);
        status = wwi_struct_give(sizes, &info, "ww_gradient_info");
    }
    close_outputs(&j);
    return status;
}

ww_status ww_group_gradient(const ww_measure *measure, ww_group_dataset *rows, ww_group_dataset *columns,
                            const size_t *row_index, const size_t *column_index, size_t count,
                            const ww_gradient_options *options, const ww_gradient_outputs *outputs) {
    static const wwi_group_kind kind = {.begin = begin_device, .run = run_pairs, .work = wwi_group_pair_work};
    job j = {.pairs = {.row_index = row_index, .column_index = column_index, .count = count}};
    if (!outputs)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_group_gradient: the outputs are NULL");
    ww_status status = begin_job(&j, measure, rows, columns, options);
    if (status == WW_OK)
        status = take_outputs(&j, outputs);
    if (status == WW_OK && !(j.sides = calloc(j.pairs.group->count, sizeof *j.sides)))
        status = wwi_fail_memory(j.pairs.group->count * sizeof *j.sides);
    if (status == WW_OK)
        status = wwi_group_run_units(j.pairs.group, &kind, &j, count, &j.pairs.run);
    close_outputs(&j);
    return status;
}
