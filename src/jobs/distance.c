// SPDX-License-Identifier: Apache-2.0
// The jobs in one call: short functions on top of datasets and plans. What a call for a pair has made is kept with the
// context, so that the next one with the same measure and lengths has only to send its values.
#include <wavewarp/distance.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/transform.h"
#include "jobs/plan.h"

// ---- a pair in objects of its own

static ww_status upload_pair(ww_context *context, const double *x, size_t n, const double *y, size_t m,
                             ww_precision precision, ww_dataset **rows, ww_dataset **columns) {
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    options.precision = precision;
    view.precision = WW_DOUBLE;
    view.count = 1;
    view.values = x;
    view.length = n;
    ww_status status = ww_dataset_create(context, &view, &options, rows);
    if (status != WW_OK)
        return status;
    view.values = y;
    view.length = m;
    return ww_dataset_create(context, &view, &options, columns);
}

static ww_status distance_once(ww_context *context, const ww_measure *measure, const double *x, size_t n,
                               const double *y, size_t m, double *distance) {
    ww_status status;
    ww_dataset *rows = NULL, *columns = NULL;
    ww_plan *plan = NULL;
    float narrow = 0;
    const ww_precision precision = wwi_context_info(context)->has_double ? WW_DOUBLE : WW_FLOAT;
    const ww_output to = WW_OUTPUT_HOST(precision == WW_DOUBLE ? (void *)distance : &narrow);
    if ((status = upload_pair(context, x, n, y, m, precision, &rows, &columns)) != WW_OK ||
        (status = ww_plan_create_pairs(measure, rows, columns, NULL, NULL, 1, NULL, &plan)) != WW_OK ||
        (status = ww_plan_run(plan, &to)) != WW_OK)
        goto done;
    if (precision == WW_FLOAT)
        *distance = (double)narrow;
done:
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&rows);
    ww_dataset_destroy(&columns);
    return status;
}

// ---- a pair in objects that are kept

#define MOST_VALUES 65536 // of a pair that is kept

typedef struct pair {
    wwi_kept kept;
    ww_measure measure;
    size_t n, m;
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

static bool same_measure(const ww_measure *a, const ww_measure *b) {
    return a->id == b->id && a->cost == b->cost && a->root == b->root && a->independent == b->independent &&
           a->band.kind == b->band.kind && memcmp(&a->band.width, &b->band.width, sizeof a->band.width) == 0 &&
           memcmp(a->parameters, b->parameters, sizeof a->parameters) == 0 && a->relax_begin_x == b->relax_begin_x &&
           a->relax_end_x == b->relax_end_x && a->relax_begin_y == b->relax_begin_y &&
           a->relax_end_y == b->relax_end_y && memcmp(&a->gamma, &b->gamma, sizeof a->gamma) == 0;
}

static bool pair_fits(const wwi_kept *kept, const void *user) {
    const pair *p = (const pair *)kept, *wanted = user;
    return p->n == wanted->n && p->m == wanted->m && same_measure(&p->measure, &wanted->measure);
}

// Whether a pair can be kept: nothing of the measure is the caller's memory, and the device has double.
static bool can_keep(const ww_context *context, const ww_measure *measure, size_t n, size_t m) {
    return wwi_context_info(context)->has_double && measure->id != WW_USER &&
           wwi_measure_cost(measure) != WW_COST_USER && measure->band.kind != WW_BAND_ROWS && n > 0 && m > 0 &&
           n <= MOST_VALUES && m <= MOST_VALUES - n;
}

// The largest absolute value; INFINITY where one is not finite.
static double largest_of(const double *x, size_t n, double largest) {
    for (size_t t = 0; t < n; t++)
        largest = fabs(x[t]) <= largest ? largest : isfinite(x[t]) ? fabs(x[t]) : (double)INFINITY;
    return largest;
}

static ww_status pair_create(ww_context *context, const pair *wanted, const double *x, const double *y, pair **made) {
    ww_status status;
    const size_t lengths[] = {wanted->n, wanted->m}, count = wanted->n + wanted->m, first = 0, second = 1;
    ww_dataset_options data = WW_DATASET_OPTIONS_INIT;
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    ww_series_view view = WW_SERIES_VIEW_INIT;
    pair *p = calloc(1, sizeof *p);
    *made = NULL;
    if (!p)
        return wwi_fail_memory(sizeof *p);
    *p = *wanted;
    p->kept.destroy = pair_destroy;
    // Behind the values of both series what a transform makes of them: at most a value more for each.
    p->values = malloc(3 * count * sizeof *p->values);
    if (!p->values) {
        status = wwi_fail_memory(3 * count * sizeof *p->values);
        goto done;
    }
    memcpy(p->values, x, p->n * sizeof *x);
    memcpy(p->values + p->n, y, p->m * sizeof *y);
    data.precision = WW_DOUBLE;
    view.precision = WW_DOUBLE;
    view.count = 2;
    view.lengths = lengths;
    view.values = p->values;
    // All lanes of a CPU's vector for the one pair. Engine bits has a copy of the symbols; the others give the same
    // whole numbers.
    if (wwi_context_info(context)->type == WW_DEVICE_CPU || wwi_measure_is_bits_of_symbols(&p->measure))
        options.engine = WW_ENGINE_STRIPS;
    if ((status = ww_dataset_create(context, &view, &data, &p->series)) != WW_OK)
        goto done;
    status = ww_plan_create_pairs(&p->measure, p->series, p->series, &first, &second, 1, &options, &p->plan);
    // pair_refill() changes the values: nothing that is made of them is kept.
    if (status == WW_OK)
        p->plan->rows->foreign = p->plan->columns->foreign = true;
done:
    if (status == WW_OK)
        *made = p;
    else
        pair_destroy(&p->kept);
    return status;
}

// Other values for the same plan.
static ww_status pair_refill(pair *p, const double *x, const double *y, double largest) {
    ww_status status;
    ww_dataset *used = p->plan->rows; // the series, or what the measure makes of them
    double *values = p->values;
    used->largest_value = largest;
    if ((status = wwi_plan_check_range(p->plan)) != WW_OK)
        return status;
    memcpy(values, x, p->n * sizeof *x);
    memcpy(values + p->n, y, p->m * sizeof *y);
    if (used != p->series) {
        values += p->n + p->m;
        wwi_dataset_derive_values(p->series, &p->measure, p->values, used, values);
    }
    return wwi_buffer_send(used->values, used->offsets[2] * sizeof *values, values);
}

ww_status ww_distance(ww_context *context, const ww_measure *measure, const double *x, size_t n, const double *y,
                      size_t m, double *distance) {
    ww_status status;
    pair wanted = {.n = n, .m = m};
    if (!context || !distance)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "context or distance is NULL");
    if ((status = wwi_measure_take(measure, &wanted.measure)) != WW_OK)
        return status;
    // What is wrong with a pair is found where nothing is kept.
    double largest = (double)INFINITY;
    if (x && y && can_keep(context, &wanted.measure, n, m))
        largest = largest_of(y, m, largest_of(x, n, 0));
    if (isinf(largest))
        return distance_once(context, measure, x, n, y, m, distance);
    pair *p = (pair *)wwi_context_take(context, pair_fits, &wanted);
    status = p ? pair_refill(p, x, y, largest) : pair_create(context, &wanted, x, y, &p);
    if (status == WW_OK) {
        const ww_output to = WW_OUTPUT_HOST(distance);
        status = ww_plan_run(p->plan, &to);
    }
    if (status == WW_OK) {
        wwi_context_keep(context, &p->kept);
    } else if (p) {
        wwi_buffer_settle(p->plan->rows->values); // it may still be sent
        pair_destroy(&p->kept);
    }
    return status;
}

ww_status ww_matrix(ww_context *context, const ww_measure *measure, const ww_series_set *rows,
                    const ww_series_set *columns, ww_precision precision, void *distances) {
    ww_status status;
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    const ww_output to = WW_OUTPUT_HOST(distances);
    ww_dataset *row_set = NULL, *column_set = NULL;
    ww_plan *plan = NULL;
    options.precision = precision;
    if ((status = ww_dataset_create_from_set(context, rows, &options, &row_set)) != WW_OK ||
        (columns && (status = ww_dataset_create_from_set(context, columns, &options, &column_set)) != WW_OK) ||
        (status = ww_plan_create_matrix(measure, row_set, column_set, NULL, &plan)) != WW_OK)
        goto done;
    status = ww_plan_run(plan, &to);
done:
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&row_set);
    ww_dataset_destroy(&column_set);
    return status;
}
