// SPDX-License-Identifier: Apache-2.0
// The texts and options of an engine's program.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/packed_items.h"
#include "engine/runner.h"

uint64_t wwi_runner_value_bytes(const wwi_runner *r) {
    return wwi_precision_bytes(r->precision);
}

static ww_status create_kernels(wwi_runner *r, wwi_variant *v) {
    const wwi_form *form = v->key.form;
    ww_status status = wwi_kernel_create(r->stream, v->program, form->kernel, &v->kernel);
    if (status == WW_OK && form->interleave)
        status = wwi_kernel_create(r->stream, v->program, form->interleave, &v->interleave);
    if (status == WW_OK && form->walk)
        status = wwi_kernel_create(r->stream, v->program, form->walk, &v->walk);
    if (status == WW_OK && wwi_kernel_max_work_group(v->kernel) < v->key.group) {
        wwi_fail(WW_ERROR_UNSUPPORTED, "%s takes work-groups of %" PRIu64 " here, engine %s needs %" PRIu32,
                 wwi_context_info(r->context)->name, wwi_kernel_max_work_group(v->kernel), form->engine, v->key.group);
        status = wwi_fail_hint("lower lanes.group in the tuning file");
    }
    return status;
}

// The texts of a program up to the recurrence.
typedef struct texts {
    wwi_source sources[16];
    size_t count;
    char *cost; // the user's, in its frame
} texts;

static ww_status begin_texts(const wwi_runner *r, texts *t, bool slopes) {
    t->count = 0;
    t->cost = NULL;
    if (r->parameters.text[0])
        t->sources[t->count++] = (wwi_source){"parameters", r->parameters.text};
    t->sources[t->count++] = (wwi_source){"base/number.cl", NULL};
    t->sources[t->count++] = (wwi_source){"base/vendor.cl", NULL};
    if (wwi_measure_cost(&r->measure) == WW_COST_USER) {
        const char *frame = "WW_INLINE real ww_user_expression(real x, real y) {\n    return (real)(\n"
                            "#line 1 \"cost expression\"\n%s\n);\n}\n";
        const size_t bytes = strlen(frame) + strlen(r->measure.cost_expression) + 1;
        t->cost = malloc(bytes);
        if (!t->cost)
            return wwi_fail_memory(bytes);
        snprintf(t->cost, bytes, frame, r->measure.cost_expression);
        t->sources[t->count++] = (wwi_source){"cost expression", t->cost};
    }
    t->sources[t->count++] = (wwi_source){"base/points.cl", NULL};
    if (slopes)
        t->sources[t->count++] = (wwi_source){"base/slopes.cl", NULL};
    if (r->measure.id == WW_USER && !r->parameters.fixed)
        t->sources[t->count++] = (wwi_source){"recurrence/user_parameters.cl", NULL};
    if (r->measure.id == WW_USER)
        t->sources[t->count++] = (wwi_source){r->measure.recurrence_name, r->measure.recurrence};
    t->sources[t->count++] = (wwi_source){r->recurrence->recurrence, NULL};
    return WW_OK;
}

static void write_options(const wwi_runner *r, const wwi_variant_key *key, char *options, size_t bytes) {
    snprintf(
        options, bytes,
        "-DWWK_DOUBLE=%d -DWW_VECTOR=%d -DWW_CHANNELS=%" PRIu32 " -DWW_POINT_REGISTERS=%d -DWW_COST=%d -DWW_ROOT=%d "
        "-DWW_LIST=%d -DWW_BAND=%d -DWW_COLS=%" PRIu32 " -DWW_ROWS=%" PRIu32 " -DWW_WG=%" PRIu32 " -DWW_EXCHANGE=%d"
        " -DWW_PACK=%d -DWW_BELOW=%" PRIu32 " -DWW_ABANDON=%d -DWW_EXTRA=%" PRIu32
        " -DWW_EXTRA_EACH=%d -DWW_ALL_CHANNELS=%zu -DWW_SELECT=%d -DWW_EMIT=%d%s",
        r->precision == WW_DOUBLE, key->vector, r->channels, key->registers, (int)wwi_measure_cost(&r->measure),
        r->measure.root != 0, key->list, key->band, key->columns, key->rows, key->group,
        key->form && key->form->exchanges ? (int)r->exchange : 0,
        key->form && key->form->pack ? (int)key->form->pack : key->vector, key->below, key->abandon, r->extra,
        r->recurrence->transform == WWI_TRANSFORM_ERP && r->passes > 1, r->rows->channels,
        key->form && key->form->select ? key->form->select : r->soft, r->open | (key->form ? key->form->emit : 0),
        wwi_soft_tiles(r) == 2 ? " -DWW_SOFT_WIDE=1" : "");
}

// Adds the option for a device whose pow() of vectors is wrong, where the program has one.
static ww_status choose_pow(const wwi_runner *r, const wwi_variant_key *key, char *options, size_t bytes) {
    const ww_measure *measure = &r->measure;
    const bool has_pow = (measure->id == WW_TWED && measure->parameters[2] != 1 && measure->parameters[2] != 2) ||
                         (measure->recurrence && strstr(measure->recurrence, "pow")) ||
                         (measure->cost_expression && strstr(measure->cost_expression, "pow"));
    bool by_lanes = false;
    if (key->vector == 1 || !has_pow)
        return WW_OK;
    const ww_status status = wwi_context_pow_by_lanes(r->context, r->precision == WW_DOUBLE, key->vector, &by_lanes);
    if (by_lanes)
        snprintf(options + strlen(options), bytes - strlen(options), " -DWW_POW_BY_LANES=1");
    return status;
}

static void write_bits_options(const wwi_runner *r, const wwi_variant_key *key, char *options, size_t bytes) {
    const bool points = !r->planes;
    snprintf(options, bytes,
             "-DWWK_DOUBLE=%d -DWW_VECTOR=%d -DWW_COST=%d -DWW_ROOT=%d -DWW_LIST=%d -DWWK_LCS=%d -DWW_POINTS=%d "
             "-DWW_BITS=%" PRIu32 " -DWW_WORDS=%" PRIu32 " -DWW_ROWS=%" PRIu32 " -DWW_WG=%" PRIu32
             " -DWW_EXCHANGE=%d -DWW_UNROLL=%d -DWW_OWN_ROWS=%d",
             r->precision == WW_DOUBLE, key->vector, (int)wwi_measure_cost(&r->measure), r->measure.root != 0,
             key->list, r->measure.id == WW_LCS || r->measure.id == WW_LCSS, points, points ? 1 : r->planes->bits,
             key->columns, key->rows, key->group, key->form->exchanges ? (int)r->exchange : 0, r->gpu,
             key->list || key->form->own_rows);
}

static ww_status build(wwi_runner *r, wwi_variant *v) {
    ww_status status;
    const wwi_form *form = v->key.form;
    texts t = {.count = 0};
    char options[512];

    if (form->is_bits && r->planes) {
        // Symbols are numbers that are equal or not: there is no recurrence.
        t.sources[t.count++] = (wwi_source){"base/number.cl", NULL};
        t.sources[t.count++] = (wwi_source){"base/vendor.cl", NULL};
        t.sources[t.count++] = (wwi_source){"base/points.cl", NULL};
    } else if ((status = begin_texts(r, &t, false)) != WW_OK) {
        return status;
    }
    t.sources[t.count++] = (wwi_source){"base/tasks.cl", NULL};
    if (v->key.band)
        t.sources[t.count++] = (wwi_source){"base/band.cl", NULL};
    if (!form->is_bits) {
        t.sources[t.count++] = (wwi_source){"base/choose.cl", NULL};
        t.sources[t.count++] = (wwi_source){"base/elements.cl", NULL};
    }
    for (const char *const *text = form->texts; *text; text++)
        t.sources[t.count++] = (wwi_source){*text, NULL};
    if (form->is_bits)
        write_bits_options(r, &v->key, options, sizeof options);
    else
        write_options(r, &v->key, options, sizeof options);
    if ((status = choose_pow(r, &v->key, options, sizeof options)) == WW_OK &&
        (status = wwi_program_get(r->context, t.sources, t.count, options, &v->program)) == WW_OK)
        status = create_kernels(r, v);
    free(t.cost);
    return status;
}

ww_status wwi_runner_variant(wwi_runner *r, wwi_variant_key key, wwi_variant **found) {
    for (size_t i = 0; i < r->variant_count; i++)
        if (memcmp(&r->variants[i].key, &key, sizeof key) == 0) {
            *found = &r->variants[i];
            return WW_OK;
        }
    if (r->variant_count == VARIANTS) {
        // The driver keeps the kernels of launches in progress until these are done.
        wwi_kernel_destroy(&r->variants[0].kernel);
        wwi_kernel_destroy(&r->variants[0].interleave);
        wwi_kernel_destroy(&r->variants[0].walk);
        wwi_program_release(&r->variants[0].program);
        memmove(&r->variants[0], &r->variants[1], (VARIANTS - 1) * sizeof *r->variants);
        r->variant_count--;
    }
    wwi_variant *v = &r->variants[r->variant_count];
    memset(v, 0, sizeof *v);
    v->key = key;
    const ww_status status = build(r, v);
    if (status != WW_OK) {
        wwi_kernel_destroy(&v->kernel);
        wwi_kernel_destroy(&v->interleave);
        wwi_kernel_destroy(&v->walk);
        wwi_program_release(&v->program);
        return status;
    }
    r->variant_count++;
    *found = v;
    return WW_OK;
}

// By recurrence/cost_check.cl. A least cost would hide what is not a number.
static ww_status check_cost(wwi_runner *r) {
    enum { REPORT = 3 };
    ww_status status;
    texts t;
    char options[512];
    wwi_program *program = NULL;
    wwi_kernel *kernel = NULL;
    wwi_buffer *report = NULL;
    double values[REPORT] = {0};
    float narrow[REPORT] = {0};
    const wwi_variant_key key = {.vector = 1, .columns = 1, .rows = 1, .group = 1, .registers = 1};
    const uint64_t bytes = REPORT * wwi_runner_value_bytes(r);

    if (wwi_measure_cost(&r->measure) != WW_COST_USER)
        return WW_OK;
    if ((status = begin_texts(r, &t, false)) != WW_OK)
        return status;
    size_t count = 0; // up to the user's text
    while (count < t.count && (!t.cost || t.sources[count].text != t.cost))
        count++;
    t.sources[++count] = (wwi_source){"recurrence/cost_check.cl", NULL};
    write_options(r, &key, options, sizeof options);
    if ((status = wwi_program_get(r->context, t.sources, count + 1, options, &program)) != WW_OK ||
        (status = wwi_kernel_create(r->stream, program, "ww_cost_check", &kernel)) != WW_OK ||
        (status = wwi_buffer_create(r->context, bytes, &report)) != WW_OK)
        goto done;
    const wwi_arg args[] = {WWI_BUFFER(report)};
    if ((status = wwi_launch(kernel, 1, 1, args, 1)) != WW_OK ||
        (status = wwi_stream_read(r->stream, report, 0, bytes, r->precision == WW_DOUBLE ? (void *)values : narrow)) !=
            WW_OK)
        goto done;
    for (size_t i = 0; i < REPORT && r->precision == WW_FLOAT; i++)
        values[i] = (double)narrow[i];
    if (values[0] != 0) {
        status =
            wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the cost expression makes NaN of x %g, y %g", values[1], values[2]);
        wwi_fail_hint("a cost is a number for all points; it may be infinite");
    }
done:
    wwi_buffer_destroy(&report);
    wwi_kernel_destroy(&kernel);
    wwi_program_release(&program);
    free(t.cost);
    return status;
}

// By recurrence/user_check.cl.
ww_status wwi_runner_check_user(wwi_runner *r) {
    enum { REPORT = 6, POINTS = 2 }; // the report, and room for the points that are not held in registers
    ww_status status;
    texts t;
    char options[512];
    wwi_program *program = NULL;
    wwi_kernel *kernel = NULL;
    wwi_buffer *report = NULL;
    double values[REPORT] = {0};
    float narrow[REPORT] = {0};
    const int none = 0;
    const wwi_variant_key key = {
        .vector = 1, .columns = 1, .rows = 1, .group = 1, .registers = r->channels <= REGISTER_CHANNELS};
    const uint64_t bytes = REPORT * wwi_runner_value_bytes(r);

    if ((status = check_cost(r)) != WW_OK || r->measure.id != WW_USER)
        return status;
    if ((status = begin_texts(r, &t, false)) != WW_OK)
        return status;
    t.sources[t.count++] = (wwi_source){"base/choose.cl", NULL};
    t.sources[t.count++] = (wwi_source){"recurrence/user_check.cl", NULL};
    write_options(r, &key, options, sizeof options);
    if ((status = wwi_program_get(r->context, t.sources, t.count, options, &program)) != WW_OK ||
        (status = wwi_kernel_create(r->stream, program, "ww_user_check", &kernel)) != WW_OK ||
        (status = wwi_buffer_create(r->context, bytes / REPORT * (REPORT + POINTS), &report)) != WW_OK)
        goto done;
    const wwi_arg given = {WWI_ARG_VALUE, r->parameters.bytes, &r->parameters.values};
    const wwi_arg args[] = {WWI_BUFFER(report), r->parameters.bytes ? given : WWI_VALUE(none)};
    if ((status = wwi_launch(kernel, 1, 1, args, 2)) != WW_OK ||
        (status = wwi_stream_read(r->stream, report, 0, bytes, r->precision == WW_DOUBLE ? (void *)values : narrow)) !=
            WW_OK)
        goto done;
    for (size_t i = 0; i < REPORT && r->precision == WW_FLOAT; i++)
        values[i] = (double)narrow[i];
    if (values[0] != 0) {
        status = wwi_fail(WW_ERROR_INVALID_ARGUMENT,
                          "%s: ww_user_cell() makes NaN of left %g, up %g, diagonal %g, x %g, y %g",
                          r->measure.recurrence_name, values[1], values[2], values[3], values[4], values[5]);
        wwi_fail_hint("neighbours may be infinite: the border is, unless the recurrence says otherwise");
    }
done:
    wwi_buffer_destroy(&report);
    wwi_kernel_destroy(&kernel);
    wwi_program_release(&program);
    free(t.cost);
    return status;
}

size_t wwi_runner_parameters(const wwi_runner *r, wwi_parameter_values *values) {
    *values = r->parameters.values;
    return r->parameters.bytes;
}

ww_status wwi_runner_compile(wwi_runner *r, const wwi_texts *wanted, wwi_program **program) {
    ww_status status;
    texts t;
    char options[1024];
    const wwi_form form = {.exchanges = !wanted->vector || wanted->vector == 1};
    wwi_variant_key key;
    memset(&key, 0, sizeof key);
    key.form = &form;
    key.list = 1;
    key.band = (int)wwi_band_form_of(&r->measure.band);
    key.vector = wanted->vector;
    key.columns = wanted->columns;
    key.rows = wanted->rows;
    key.group = wanted->group;
    key.registers = wanted->registers;
    if ((status = begin_texts(r, &t, wanted->slopes)) != WW_OK)
        return status;
    t.sources[t.count++] = (wwi_source){"base/tasks.cl", NULL};
    if (key.band)
        t.sources[t.count++] = (wwi_source){"base/band.cl", NULL};
    t.sources[t.count++] = (wwi_source){"base/choose.cl", NULL};
    t.sources[t.count++] = (wwi_source){"base/elements.cl", NULL};
    for (const char *const *text = wanted->texts; *text; text++)
        t.sources[t.count++] = (wwi_source){*text, NULL};
    write_options(r, &key, options, sizeof options);
    snprintf(options + strlen(options), sizeof options - strlen(options), " %s", wanted->options);
    if ((status = choose_pow(r, &key, options, sizeof options)) == WW_OK)
        status = wwi_program_get(r->context, t.sources, t.count, options, program);
    free(t.cost);
    return status;
}

// The part of a runner that the texts and options of a program are made from.
static wwi_runner runner_of(const wwi_recurrence_program *wanted, ww_dataset *series) {
    wwi_runner r;
    memset(&r, 0, sizeof r);
    series->channels = wanted->all_channels;
    r.context = wanted->context;
    r.stream = wanted->stream;
    r.measure = *wanted->measure;
    r.recurrence = wwi_measure_row_by_id(wanted->measure->id);
    r.precision = wanted->precision;
    r.channels = wanted->channels;
    r.passes = wanted->channels < wanted->all_channels ? wanted->all_channels : 1;
    r.extra = wanted->extra;
    r.soft = wwi_measure_is_soft(wanted->measure);
    r.open = wanted->ends;
    r.exchange = wwi_context_exchange(wanted->context);
    r.rows = series;
    wwi_parameters_make(wanted->measure, wanted->precision, &r.parameters);
    return r;
}

ww_status wwi_recurrence_program_get(const wwi_recurrence_program *wanted, wwi_program **program) {
    ww_dataset series;
    memset(&series, 0, sizeof series);
    wwi_runner r = runner_of(wanted, &series);
    const wwi_form form = {.exchanges = wanted->exchanges};
    const wwi_variant_key key = {.form = &form, .vector = wanted->vector, .registers = 1};
    texts t = {.count = 0};
    char options[1024];
    ww_status status = WW_OK;

    if (wanted->plain) {
        t.sources[t.count++] = (wwi_source){"base/number.cl", NULL};
        t.sources[t.count++] = (wwi_source){"base/points.cl", NULL};
    } else if ((status = begin_texts(&r, &t, false)) != WW_OK) {
        return status;
    } else {
        t.sources[t.count++] = (wwi_source){"base/choose.cl", NULL};
        t.sources[t.count++] = (wwi_source){"base/elements.cl", NULL};
    }
    for (const char *const *text = wanted->texts; *text; text++)
        t.sources[t.count++] = (wwi_source){*text, NULL};
    // The texts' own sizes are theirs.
    const int written = snprintf(
        options, sizeof options,
        "-DWWK_DOUBLE=%d -DWW_VECTOR=%d -DWW_CHANNELS=%" PRIu32 " -DWW_POINT_REGISTERS=1 -DWW_COST=%d -DWW_ROOT=%d "
        "-DWW_EXCHANGE=%d -DWW_EXTRA=%" PRIu32 " -DWW_EXTRA_EACH=%d -DWW_ALL_CHANNELS=%" PRIu32
        " -DWW_SELECT=%d -DWW_EMIT=%d %s",
        r.precision == WW_DOUBLE, wanted->vector, r.channels, (int)wwi_measure_cost(&r.measure), r.measure.root != 0,
        wanted->exchanges ? (int)r.exchange : 0, r.extra, r.recurrence->transform == WWI_TRANSFORM_ERP && r.passes > 1,
        wanted->all_channels, r.soft, r.open, wanted->options);
    if (written < 0 || (size_t)written >= sizeof options)
        status = wwi_fail(WW_ERROR_INTERNAL, "the options of a program are too long");
    else if ((status = choose_pow(&r, &key, options, sizeof options)) == WW_OK)
        status = wwi_program_get(wanted->context, t.sources, t.count, options, program);
    free(t.cost);
    return status;
}

ww_status wwi_recurrence_check(const wwi_recurrence_program *wanted) {
    ww_dataset series;
    memset(&series, 0, sizeof series);
    wwi_runner r = runner_of(wanted, &series);
    r.open = false;
    return wwi_runner_check_user(&r);
}
