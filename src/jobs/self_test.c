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
    WWI_TRY(ww_measure_init(measure, sizeof *measure, k->id));
    if (!k->cubed)
        return WW_OK;
    WWI_TRY(ww_measure_set(measure, "nu", 0));
    WWI_TRY(ww_measure_set(measure, "lambda", 0));
    WWI_TRY(ww_measure_set(measure, "degree", 3));
    return ww_measure_set(measure, "no_root", 1);
}

static ww_status check(ww_context *context, const known *k) {
    double rows[COPIES * POINTS], columns[COPIES * POINTS], distances[COPIES];
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    const ww_output to = WW_OUTPUT_HOST(distances);
    WWI_ENDS(ww_dataset_destroy) ww_dataset *a = NULL, *b = NULL;
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    ww_measure measure;
    for (size_t i = 0; i < COPIES * POINTS; i++) {
        rows[i] = left[i % POINTS] * scale_of(k, i / POINTS);
        columns[i] = right[i % POINTS] * scale_of(k, i / POINTS);
    }
    options.engine = k->engine;
    WWI_TRY(make_measure(k, &measure));
    WWI_TRY(wwi_dataset_of_doubles(context, k->precision, rows, COPIES, 1, POINTS, &a));
    WWI_TRY(wwi_dataset_of_doubles(context, k->precision, columns, COPIES, 1, POINTS, &b));
    ww_status status = ww_plan_create_pairs(&measure, a, b, NULL, NULL, COPIES, &options, &plan);
    if (status == WW_OK)
        status = ww_plan_run(plan, &to);
    // An engine that is not used on this device needs no test.
    if (status != WW_OK)
        return status == WW_ERROR_UNSUPPORTED && wwi_context_loses_arrays(context) ? WW_OK : status;
    for (size_t i = 0; i < COPIES; i++) {
        const double scale = scale_of(k, i), expected = k->expected * scale * scale * scale;
        float narrow = 0;
        memcpy(&narrow, (const unsigned char *)distances + i * sizeof narrow, sizeof narrow);
        const double value = k->precision == WW_DOUBLE ? distances[i] : (double)narrow;
        if (!(fabs(value - expected) < (k->precision == WW_DOUBLE ? 1e-12 : 1e-5) * expected)) {
            wwi_fail(WW_ERROR_INTERNAL, "engine %s gives %s distance %g instead of %g",
                     ww_word(WW_WORD_ENGINE, k->engine), ww_measure_info_by_id(k->id)->name, value, expected);
            return wwi_fail_hint("the driver compiles a kernel wrongly; try another engine or driver");
        }
    }
    return WW_OK;
}

static ww_status test_device(ww_context *context) {
    for (ww_engine engine = WW_ENGINE_LANES; engine <= WW_ENGINE_STRIPS; engine++)
        WWI_TRY(check(context, &(known){WW_DTW, engine, WW_FLOAT, 2, false}));
    // Maxima.
    WWI_TRY(check(context, &(known){WW_FRECHET, WW_ENGINE_PACKED, WW_FLOAT, 1, false}));
    // pow() of vectors.
    const ww_precision widest = wwi_context_info(context)->has_double ? WW_DOUBLE : WW_FLOAT;
    for (ww_engine engine = WW_ENGINE_PACKED; engine <= WW_ENGINE_STRIPS; engine++)
        WWI_TRY(check(context, &(known){WW_TWED, engine, widest, 4, true}));
    WWI_TRY(check(context, &(known){WW_LEVENSHTEIN, WW_ENGINE_BITS, WW_FLOAT, 4, false}));
    return check(context, &(known){WW_LCS, WW_ENGINE_BITS, WW_FLOAT, 6, false});
}

ww_status ww_context_self_test(ww_context *context) {
    WWI_NEEDS("context", context);
    for (size_t i = 0; i < ww_context_device_count(context); i++)
        WWI_TRY(test_device(wwi_context_on(context, i)));
    return WW_OK;
}
