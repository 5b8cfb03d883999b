// SPDX-License-Identifier: Apache-2.0
// The jobs in one call: short functions on top of datasets and plans. What a call for a pair has made is kept with the
// context, so that the next one with the same measure and lengths has only to send its values.
#include <wavewarp/distance.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/transform.h"
#include "jobs/plan.h"

// A pair's values, each series channel by channel.
typedef struct operands {
    const double *x, *y;
    size_t n, m, channels;
} operands;

// ---- a pair in objects of its own

static ww_status distance_once(ww_context *context, const ww_measure *measure, const operands *v, double *distance) {
    WWI_ENDS(ww_dataset_destroy) ww_dataset *rows = NULL, *columns = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    float narrow = 0;
    const ww_precision precision = wwi_context_info(context)->has_double ? WW_DOUBLE : WW_FLOAT;
    const ww_output to = WW_OUTPUT_HOST(precision == WW_DOUBLE ? (void *)distance : &narrow);
    WWI_TRY(wwi_dataset_of_doubles(context, precision, v->x, 1, v->channels, v->n, &rows));
    WWI_TRY(wwi_dataset_of_doubles(context, precision, v->y, 1, v->channels, v->m, &columns));
    WWI_TRY(ww_plan_create_pairs(measure, rows, columns, NULL, NULL, 1, NULL, &plan));
    WWI_TRY(ww_plan_run(plan, &to));
    if (precision == WW_FLOAT)
        *distance = (double)narrow;
    return WW_OK;
}

// ---- a pair in objects that are kept

#define MOST_VALUES 65536 // of a pair that is kept

typedef struct pair {
    wwi_kept kept;
    ww_measure measure;
    size_t n, m, channels;
    ww_dataset *series; // both, one after the other
    ww_plan *plan;
    double *values; // room for them, and for what the measure makes of them
} pair;

static void pair_destroy(wwi_kept *kept) {
    pair *p = (pair *)kept;
    ww_plan_destroy(&p->plan);
    ww_dataset_destroy(&p->series);
    free(p->values);
    free(p);
}

// Its values may still be sent.
static void pair_end(pair **used) {
    pair *p = *used;
    if (p && p->plan)
        wwi_buffer_settle(p->plan->pair.rows->values);
    if (p)
        pair_destroy(&p->kept);
}

static bool same_measure(const ww_measure *a, const ww_measure *b) {
    return a->id == b->id && a->cost == b->cost && a->root == b->root && a->independent == b->independent &&
           a->band.kind == b->band.kind && memcmp(&a->band.width, &b->band.width, sizeof a->band.width) == 0 &&
           memcmp(a->parameters, b->parameters, sizeof a->parameters) == 0 && a->relax_begin_x == b->relax_begin_x &&
           a->relax_end_x == b->relax_end_x && a->relax_begin_y == b->relax_begin_y &&
           a->relax_end_y == b->relax_end_y && memcmp(&a->gamma, &b->gamma, sizeof a->gamma) == 0;
}

static bool pair_fits(const wwi_kept *kept, const void *user) {
    const pair *p = (const pair *)kept, *wanted = user;
    return kept->destroy == pair_destroy && p->n == wanted->n && p->m == wanted->m && p->channels == wanted->channels &&
           same_measure(&p->measure, &wanted->measure);
}

// Whether a pair can be kept: nothing of the measure is the caller's memory, and the device has double.
static bool can_keep(const ww_context *context, const ww_measure *measure, const operands *v) {
    return wwi_context_info(context)->has_double && !wwi_measure_has(measure, WWI_MEASURE_OF_TEXT) &&
           wwi_measure_cost(measure) != WW_COST_USER && measure->band.kind != WW_BAND_ROWS && v->n > 0 && v->m > 0 &&
           v->n <= MOST_VALUES && v->m <= MOST_VALUES - v->n && v->channels > 0 &&
           v->channels <= MOST_VALUES / (v->n + v->m);
}

// The largest absolute value; INFINITY where one is not finite.
static double largest_of(const double *x, size_t n, double largest) {
    for (size_t t = 0; t < n; t++)
        largest = fabs(x[t]) <= largest ? largest : isfinite(x[t]) ? fabs(x[t]) : (double)INFINITY;
    return largest;
}

// Both series one after the other.
static void copy_values(const operands *v, double *target) {
    memcpy(target, v->x, v->n * v->channels * sizeof *target);
    memcpy(target + v->n * v->channels, v->y, v->m * v->channels * sizeof *target);
}

static ww_status pair_create(ww_context *context, const pair *wanted, const operands *v, pair **made) {
    const size_t lengths[] = {wanted->n, wanted->m}, count = (v->n + v->m) * v->channels, first = 0, second = 1;
    ww_dataset_options data = WW_DATASET_OPTIONS_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    WWI_ENDS(pair_end) pair *p = NULL;
    WWI_TRY(wwi_new(p, 1));
    *p = *wanted;
    p->kept.destroy = pair_destroy;
    // Behind the values of both series what a transform makes of them: at most a value more for each value.
    WWI_TRY(wwi_new(p->values, 3 * count));
    copy_values(v, p->values);
    data.precision = WW_DOUBLE;
    view.precision = WW_DOUBLE;
    view.count = 2;
    view.channels = v->channels;
    view.lengths = lengths;
    view.values = p->values;
    // All lanes of a CPU's vector for the one pair. Engine bits has a copy of the symbols; the others give the same
    // whole numbers.
    if (wwi_context_info(context)->type == WW_DEVICE_CPU || wwi_measure_is_bits_of_symbols(&p->measure))
        options.engine = WW_ENGINE_STRIPS;
    WWI_TRY(ww_dataset_create(context, &view, &data, &p->series));
    WWI_TRY(ww_plan_create_pairs(&p->measure, p->series, p->series, &first, &second, 1, &options, &p->plan));
    // pair_refill() changes the values: nothing that is made of them is kept.
    p->plan->pair.rows->foreign = p->plan->pair.columns->foreign = true;
    *made = wwi_taken(&p);
    return WW_OK;
}

// Other values for the same plan.
static ww_status pair_refill(pair *p, const operands *v, double largest) {
    ww_dataset *used = p->plan->pair.rows; // the series, or what the measure makes of them
    double *values = p->values;
    used->largest_value = largest;
    WWI_TRY(wwi_pairing_check_range(&p->plan->pair));
    copy_values(v, values);
    if (used != p->series) {
        values += p->series->offsets[2];
        wwi_dataset_derive_values(p->series, &p->measure, p->values, used, values);
    }
    return wwi_buffer_send(used->values, used->offsets[2] * sizeof *values, values);
}

ww_status ww_distance(ww_context *context, const ww_measure *measure, const double *x, size_t n, const double *y,
                      size_t m, size_t channels, double *distance) {
    pair wanted = {.n = n, .m = m, .channels = channels};
    const operands v = {x, y, n, m, channels};
    WWI_NEEDS("context, distance", context, distance);
    context = wwi_context_first(context);
    WWI_TRY(wwi_measure_take(measure, &wanted.measure));
    // What is wrong with a pair is found where nothing is kept.
    double largest = (double)INFINITY;
    if (x && y && can_keep(context, &wanted.measure, &v))
        largest = largest_of(y, m * channels, largest_of(x, n * channels, 0));
    const bool symbols = wwi_measure_row_by_id(wanted.measure.id)->info.is_of_symbols != 0;
    if (isinf(largest) || (symbols && largest >= WWI_MOST_WHOLE))
        return distance_once(context, measure, &v, distance);
    const ww_output to = WW_OUTPUT_HOST(distance);
    WWI_ENDS(pair_end) pair *p = (pair *)wwi_context_take(context, pair_fits, &wanted);
    WWI_TRY(p ? pair_refill(p, &v, largest) : pair_create(context, &wanted, &v, &p));
    WWI_TRY(ww_plan_run(p->plan, &to));
    wwi_context_keep(context, wwi_taken(&p));
    return WW_OK;
}

ww_status ww_matrix(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns, const ww_output *output) {
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    WWI_TRY(ww_plan_create_matrix(measure, rows, columns, NULL, &plan));
    return ww_plan_run(plan, output);
}
