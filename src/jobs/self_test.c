// SPDX-License-Identifier: Apache-2.0
// The self-test: known results on the context's device, in every engine.
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <wavewarp/plan.h>

#include "data/dataset.h"
#include "host.h"

// A case small enough to check by hand: squared cost 2, Frechet 1 (absolute differences); as symbols, 4 edits apart
// with 6 in common; TWED by cubes alone (no time, no deletion) 4.
static const double left[] = {0, 0, 1, 2, 1, 0, 1, 0, 0}, right[] = {0, 1, 2, 0, 0, 0, 0, 0, 0};
enum { POINTS = 9, COPIES = 33 };

typedef struct known {
    ww_measure_id id;
    ww_engine engine;
    ww_precision precision;
    double expected;
    bool cubed; // TWED by cubes alone: series scaled by s are s^3 as far apart, and the lanes of a vector differ
} known;

static double scale_of(const known *k, size_t copy) {
    return k->cubed ? 1 + 0.61 * (double)(copy % 7) : 1;
}

static ww_status make_measure(const known *k, ww_measure *measure) {
    ww_status status = ww_measure_init(measure, sizeof *measure, k->id);
    if (status == WW_OK && k->cubed) {
        status = ww_measure_set(measure, "nu", 0);
        status = status == WW_OK ? ww_measure_set(measure, "lambda", 0) : status;
        status = status == WW_OK ? ww_measure_set(measure, "degree", 3) : status;
        status = status == WW_OK ? ww_measure_set(measure, "no_root", 1) : status;
    }
    return status;
}

static ww_status check(ww_context *context, const known *k) {
    ww_status status;
    double rows[COPIES * POINTS], columns[COPIES * POINTS], distances[COPIES];
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    const ww_output to = WW_OUTPUT_HOST(distances);
    ww_dataset *a = NULL, *b = NULL;
    ww_plan *plan = NULL;
    ww_measure measure;
    for (size_t i = 0; i < COPIES * POINTS; i++) {
        rows[i] = left[i % POINTS] * scale_of(k, i / POINTS);
        columns[i] = right[i % POINTS] * scale_of(k, i / POINTS);
    }
    options.engine = k->engine;
    if ((status = make_measure(k, &measure)) != WW_OK ||
        (status = wwi_dataset_of_doubles(context, k->precision, rows, COPIES, 1, POINTS, &a)) != WW_OK ||
        (status = wwi_dataset_of_doubles(context, k->precision, columns, COPIES, 1, POINTS, &b)) != WW_OK)
        goto done;
    if ((status = ww_plan_create_pairs(&measure, a, b, NULL, NULL, COPIES, &options, &plan)) != WW_OK ||
        (status = ww_plan_run(plan, &to)) != WW_OK) {
        // An engine that is not used on this device needs no test.
        if (status == WW_ERROR_UNSUPPORTED && wwi_context_loses_arrays(context))
            status = WW_OK;
        goto done;
    }
    for (size_t i = 0; i < COPIES; i++) {
        const double scale = scale_of(k, i), expected = k->expected * scale * scale * scale;
        float narrow = 0;
        memcpy(&narrow, (const unsigned char *)distances + i * sizeof narrow, sizeof narrow);
        const double value = k->precision == WW_DOUBLE ? distances[i] : (double)narrow;
        if (!(fabs(value - expected) < (k->precision == WW_DOUBLE ? 1e-12 : 1e-5) * expected)) {
            wwi_fail(WW_ERROR_INTERNAL, "engine %s gives %s distance %g instead of %g", ww_engine_name(k->engine),
                     ww_measure_info_by_id(k->id)->name, value, expected);
            status = wwi_fail_hint("the driver compiles a kernel wrongly; try another engine or driver");
            goto done;
        }
    }
done:
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&a);
    ww_dataset_destroy(&b);
    return status;
}

ww_status ww_context_self_test(ww_context *context) {
    ww_status status = WW_OK;
    if (!context)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "ww_context_self_test: context is NULL");
    for (ww_engine engine = WW_ENGINE_LANES; status == WW_OK && engine <= WW_ENGINE_STRIPS; engine++)
        status = check(context, &(known){WW_DTW, engine, WW_FLOAT, 2, false});
    // Maxima.
    status = status == WW_OK ? check(context, &(known){WW_FRECHET, WW_ENGINE_PACKED, WW_FLOAT, 1, false}) : status;
    // pow() of vectors.
    const ww_precision widest = wwi_context_info(context)->has_double ? WW_DOUBLE : WW_FLOAT;
    for (ww_engine engine = WW_ENGINE_PACKED; status == WW_OK && engine <= WW_ENGINE_STRIPS; engine++)
        status = check(context, &(known){WW_TWED, engine, widest, 4, true});
    status = status == WW_OK ? check(context, &(known){WW_LEVENSHTEIN, WW_ENGINE_BITS, WW_FLOAT, 4, false}) : status;
    return status == WW_OK ? check(context, &(known){WW_LCS, WW_ENGINE_BITS, WW_FLOAT, 6, false}) : status;
}
