// SPDX-License-Identifier: Apache-2.0
// Soft barycentres, the series z that lower the sum of w_k V(z, x_k), V a measure with the soft minimum, by L-BFGS:
// values and gradients from the device (src/gradient/), the search on the host in double.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/gradient.h>

#include "base/kit.h"
#include "data/dataset.h"
#include "learn/average.h"
#include "learn/lbfgs.h"
#include "measure/measure_table.h"

typedef struct job {
    wwi_average *a;
    wwi_average_pairs pairs;
    ww_gradient *gradient;
    unsigned char *values, *slopes, *rounded; // of the datasets' precision
    size_t size;                              // bytes of a value
} job;

// The weighted sum of the values at a centre, and its gradient.
static ww_status evaluate(void *user, const double *at, size_t count, double *value, double *gradient) {
    job *j = user;
    ww_gradient_info info = WW_GRADIENT_INFO_INIT;
    const ww_output values = WW_OUTPUT_HOST(j->values), slopes = WW_OUTPUT_HOST(j->slopes);
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    to.upstream = j->pairs.weights;
    to.values = &values;
    to.rows = &slopes;
    for (size_t i = 0; i < count; i++) {
        wwi_set_value(j->rounded, j->a->precision, i, at[i]);
        if (!isfinite(wwi_value_at(j->rounded, j->a->precision, i))) {
            // Too far: no descent there.
            *value = (double)INFINITY;
            memset(gradient, 0, count * sizeof *gradient);
            return WW_OK;
        }
    }
    WWI_TRY(wwi_buffer_write(j->pairs.centre->values, 0, count * j->size, j->rounded));
    WWI_TRY(ww_gradient_run(j->gradient, &to));
    WWI_TRY(ww_gradient_get_info(j->gradient, &info));
    j->a->result.seconds_device += info.seconds_device;
    *value = 0;
    for (size_t k = 0; k < j->a->count; k++)
        *value += j->a->weights[k] * wwi_value_at(j->values, j->a->precision, k);
    for (size_t i = 0; i < count; i++)
        gradient[i] = wwi_value_at(j->slopes, j->a->precision, i);
    return WW_OK;
}

static bool note(void *user, size_t step, double value) {
    const wwi_average *a = ((job *)user)->a;
    a->result.objective[step] = value;
    if (step == 0)
        return false;
    const double before = a->result.objective[step - 1];
    return before - value <= a->options.tolerance * fabs(before);
}

static ww_status create(job *j) {
    const wwi_average *a = j->a;
    wwi_average_pairs *p = &j->pairs;
    ww_gradient_options options = WW_GRADIENT_OPTIONS_INIT;
    const size_t values = a->length * a->channels;
    options.run = a->options.plan ? a->options.plan->run : NULL;
    WWI_TRY(wwi_new(j->values, a->count * j->size));
    WWI_TRY(wwi_new(j->slopes, values * j->size));
    WWI_TRY(wwi_new(j->rounded, values * j->size));
    WWI_TRY(wwi_average_pairs_make(a, p));
    return ww_gradient_create_pairs(&a->measure, p->centre, p->members, p->rows, p->columns, a->count, &options,
                                    &j->gradient);
}

static void job_close(job *j) {
    ww_gradient_destroy(&j->gradient);
    wwi_average_pairs_free(&j->pairs);
    free(j->values);
    free(j->slopes);
    free(j->rounded);
}

// The centre's values are written to its dataset, of which a derived one would be a copy.
static ww_status check(const wwi_average *a) {
    if (!(a->measure.gamma > 0)) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "a soft barycentre needs the soft minimum");
        return wwi_fail_hint("set gamma (--soft GAMMA)");
    }
    const wwi_measure_row *row = wwi_measure_row_by_id(a->measure.id);
    if (row->slopes.any && row->transform == WWI_TRANSFORM_NONE)
        return WW_OK;
    wwi_fail(WW_ERROR_UNSUPPORTED, "there is no soft barycentre under %s", row->info.name);
    return wwi_fail_hint("dtw, wdtw, adtw and msm have one");
}

ww_status wwi_average_soft(wwi_average *a) {
    WWI_ENDS(job_close) job j = {.a = a, .size = wwi_precision_bytes(a->precision)};
    wwi_lbfgs_result found;
    const double begin = wwi_seconds();
    WWI_TRY(check(a));
    WWI_TRY(create(&j));
    WWI_TRY(wwi_lbfgs(evaluate, note, &j, a->result.centre, a->length * a->channels, a->options.iterations, &found));
    a->result.iterations = found.steps;
    a->result.converged = found.ended || found.stuck;
    a->result.seconds_wall = wwi_seconds() - begin;
    return WW_OK;
}
