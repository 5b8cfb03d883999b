// SPDX-License-Identifier: Apache-2.0
// Times candidates of an engine's parameters on the device and writes the best ones to the tuning file.
#include <wavewarp/tune.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wavewarp/plan.h>

#include "base/kit.h"
#include "base/run.h"
#include "data/dataset.h"
#include "host.h"
#include "options.h"
#include "tuning_table.h"

#define CHECKED 4

// A parameter is named after its engine.
static bool engine_of(const wwi_tuning_entry *p, ww_engine *engine) {
    char name[16];
    const size_t length = strcspn(p->name, ".");
    if (length >= sizeof name)
        return false;
    memcpy(name, p->name, length);
    name[length] = '\0';
    unsigned found = 0;
    const bool known = ww_word_parse(WW_WORD_ENGINE, name, &found) == WW_OK;
    *engine = (ww_engine)found;
    return known;
}

static bool is_tried(const wwi_tuning_entry *p, bool gpu) {
    return gpu ? p->gpu : p->cpu;
}

// The workload for an engine's timing.
typedef struct workload {
    ww_dataset *rows, *columns;
    double *values; // rows' then columns'
    size_t row_count, column_count, length;
    double expected[CHECKED]; // of pairs (i, i)
    double *distances;        // room for them in either precision
} workload;

static void workload_free(workload *w) {
    ww_dataset_destroy(&w->rows);
    ww_dataset_destroy(&w->columns);
    free(w->values);
    free(w->distances);
}

// DTW with squared costs, two rows at a time.
static ww_status reference(const double *x, const double *y, size_t n, double *result) {
    WWI_FREES double *row = NULL;
    WWI_TRY(wwi_new(row, n + 1));
    for (size_t j = 0; j <= n; j++)
        row[j] = j ? INFINITY : 0;
    for (size_t i = 0; i < n; i++) {
        double diagonal = row[0];
        row[0] = INFINITY;
        for (size_t j = 0; j < n; j++) {
            const double t = x[i] - y[j], up = row[j + 1];
            row[j + 1] = t * t + fmin(fmin(row[j], up), diagonal);
            diagonal = up;
        }
    }
    *result = row[n];
    return WW_OK;
}

static ww_status workload_make(ww_context *context, ww_engine engine, ww_precision precision, workload *w) {
    const bool gpu = wwi_is_gpu(context);
    *w = (workload){.length = 240, .row_count = gpu ? 256 : 32, .column_count = gpu ? 8192 : 256};
    if (engine == WW_ENGINE_STRIPS)
        *w = (workload){.length = gpu ? 32768 : 4096, .row_count = 1, .column_count = 1};
    const size_t series = w->row_count + w->column_count;
    WWI_TRY(wwi_new(w->values, series * w->length));
    WWI_TRY(wwi_new(w->distances, w->row_count * w->column_count));
    uint64_t state = 1;
    for (size_t i = 0; i < series * w->length; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        w->values[i] = (float)((double)(state >> 40) / (double)(1 << 23) - 1); // the same in float and double
    }
    const double *columns = w->values + w->row_count * w->length;
    for (size_t i = 0; i < CHECKED && i < w->row_count; i++)
        WWI_TRY(reference(w->values + i * w->length, columns + i * w->length, w->length, &w->expected[i]));
    WWI_TRY(wwi_dataset_of_doubles(context, precision, w->values, w->row_count, 1, w->length, &w->rows));
    return wwi_dataset_of_doubles(context, precision, columns, w->column_count, 1, w->length, &w->columns);
}

static bool is_correct(const workload *w, ww_precision precision) {
    // Rounding grows with the length of the path.
    const double bound = (precision == WW_DOUBLE ? 1e-12 : 1e-5) * fmax(1, (double)w->length / 1024);
    for (size_t i = 0; i < CHECKED && i < w->row_count; i++) {
        const size_t at = i * w->column_count + i;
        const double value = wwi_value_at(w->distances, precision, at);
        if (!(fabs(value - w->expected[i]) <= bound * w->expected[i]))
            return false;
    }
    return true;
}

// A candidate that the device can't run is a result. Other failures would have met any candidate.
static ww_status judge(ww_status status) {
    const bool device = status == WW_ERROR_UNSUPPORTED || status == WW_ERROR_BUILD ||
                        status == WW_ERROR_DEVICE_MEMORY || status == WW_ERROR_OPENCL;
    return device && !wwi_device_is_lost(ww_last_error()) ? WW_OK : status;
}

// Runs the workload with the parameters as they stand. After a failure the result is as it was: nothing is known.
static ww_status measure(const workload *w, ww_engine engine, ww_precision precision, double seconds,
                         const ww_run_options *run, ww_tune_result *result) {
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    const ww_output to = WW_OUTPUT_HOST(w->distances);
    WWI_ENDS(ww_plan_destroy) ww_plan *plan = NULL;
    ww_measure dtw;
    ww_plan_info info = WW_PLAN_INFO_INIT;
    double fastest = 0;
    options.engine = engine;
    options.run = run;
    WWI_TRY(ww_measure_init(&dtw, sizeof dtw, WW_DTW));
    WWI_TRY(ww_plan_create_matrix(&dtw, w->rows, w->columns, &options, &plan));
    WWI_TRY(ww_plan_run(plan, &to));
    const bool correct = is_correct(w, precision);
    const double begin = wwi_seconds();
    do {
        WWI_TRY(wwi_interrupted());
        WWI_TRY(ww_plan_run(plan, &to));
        WWI_TRY(ww_plan_get_info(plan, &info));
        const double spent = info.seconds_device > 0 ? info.seconds_device : info.seconds_wall;
        fastest = fmax(fastest, (double)info.cells / spent);
    } while (wwi_seconds() - begin < seconds);
    result->correct = correct;
    result->cells_per_second = fastest;
    return WW_OK;
}

// How far tuning has come, in candidates.
typedef struct tuning {
    ww_context *context;
    const ww_tune_options *options;
    ww_run_options run, plan; // the caller's; the same for plans, without its progress
    uint64_t done, total;
} tuning;

static uint64_t count_candidates(const wwi_tuning_entry *p) {
    uint64_t count = 0;
    while (count < WWI_TUNING_CANDIDATES && p->candidates[count])
        count++;
    return count;
}

// Measures one candidate and tells the caller.
static ww_status try_one(tuning *t, const wwi_tuning_entry *p, const workload *w, ww_engine engine,
                         ww_tune_result *result) {
    const ww_tune_options *o = t->options;
    const char *kind = result->precision == WW_DOUBLE ? "f64" : "f32";
    WWI_TRY(wwi_tuning_try(t->context, p->name, kind, (long)result->value));
    WWI_TRY(judge(measure(w, engine, result->precision, o->seconds > 0 ? o->seconds : 0.2, &t->plan, result)));
    if (o->report && o->report(o->report_user, result) != 0)
        return wwi_fail(WW_ERROR_CANCELLED, "tuning was stopped");
    return wwi_run_report(t->run.progress, t->run.progress_user, ++t->done, t->total);
}

static ww_status tune_one(tuning *t, const wwi_tuning_entry *p, ww_precision precision) {
    ww_context *context = t->context;
    const ww_tune_options *o = t->options;
    workload w = {NULL, NULL, NULL, 0, 0, 0, {0}, NULL};
    const char *kind = precision == WW_DOUBLE ? "f64" : "f32";
    const wwi_tuning_tried *mark = wwi_tuning_mark(context);
    ww_tune_result best = {sizeof best, p->name, precision, 0, 0, 0, 1};
    ww_engine engine = WW_ENGINE_AUTO;
    if (!engine_of(p, &engine))
        return wwi_fail(WW_ERROR_INTERNAL, "no engine is called as the parameter %s", p->name);
    ww_status status = workload_make(context, engine, precision, &w);
    for (size_t c = 0; status == WW_OK && c < WWI_TUNING_CANDIDATES && p->candidates[c]; c++) {
        ww_tune_result result = {sizeof result, p->name, precision, p->candidates[c], 0, 0, 0};
        status = try_one(t, p, &w, engine, &result);
        if (status == WW_OK && result.correct && result.cells_per_second > best.cells_per_second) {
            best = result;
            best.chosen = 1;
        }
    }
    workload_free(&w);
    wwi_tuning_go_back(context, mark);
    if (status != WW_OK || !best.correct)
        return status;
    WWI_TRY(o->dry ? wwi_tuning_try(context, p->name, kind, (long)best.value)
                   : wwi_tuning_save(context, p->name, kind, (long)best.value));
    if (o->report && o->report(o->report_user, &best) != 0)
        return wwi_fail(WW_ERROR_CANCELLED, "tuning was stopped");
    return WW_OK;
}

ww_status ww_tune(ww_context *context, const ww_tune_options *options) {
    ww_tune_options o = WW_TUNE_OPTIONS_INIT;
    tuning t = {.context = wwi_context_first(context), .options = &o};
    WWI_NEEDS("context", context);
    context = t.context;
    WWI_TRY(wwi_options_take(&o, options, "ww_tune_options"));
    WWI_TRY(wwi_run_take(o.run, &t.run));
    t.plan = t.run;
    t.plan.progress = NULL;
    const ww_device_info *info = wwi_context_info(context);
    const bool gpu = info->type == WW_DEVICE_GPU;
    const int last = info->has_double ? WW_DOUBLE : WW_FLOAT;
    for (size_t i = 0; i < wwi_tuning_count(); i++)
        if (is_tried(wwi_tuning_at(i), gpu))
            t.total += count_candidates(wwi_tuning_at(i)) * (uint64_t)(last + 1);
    for (int precision = WW_FLOAT; precision <= last; precision++)
        for (size_t i = 0; i < wwi_tuning_count(); i++)
            if (is_tried(wwi_tuning_at(i), gpu))
                WWI_TRY(tune_one(&t, wwi_tuning_at(i), (ww_precision)precision));
    return WW_OK;
}

const char *ww_tuning_file(const ww_context *context) {
    return context ? wwi_tuning_file(wwi_context_first((ww_context *)(uintptr_t)context)) : "";
}

size_t ww_tune_parameter_count(void) {
    return wwi_tuning_count();
}

ww_status ww_tune_get_parameter(size_t i, ww_tune_parameter *parameter) {
    const wwi_tuning_entry *entry = wwi_tuning_at(i);
    if (!entry || !parameter)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, parameter ? "there is no parameter %zu" : "parameter is NULL", i);
    const ww_tune_parameter made = {
        .struct_size = sizeof made,
        .name = entry->name,
        .least = entry->least,
        .most = entry->most,
        .values = entry->kind == WWI_TUNING_POWER   ? "a power of two"
                  : entry->kind == WWI_TUNING_FOURS ? "a multiple of 4"
                                                    : "",
        .standard = entry->standard,
        .meaning = entry->meaning,
        .tuned = entry->gpu || entry->cpu,
    };
    return wwi_struct_give(parameter, &made, "ww_tune_parameter");
}
