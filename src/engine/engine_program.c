// SPDX-License-Identifier: Apache-2.0
// The texts and options of an engine's program.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/packed_items.h"
#include "engine/runner.h"

uint64_t wwi_runner_value_bytes(const wwi_runner *r) {
    return wwi_precision_bytes(r->of.precision);
}

static ww_status create_kernels(wwi_runner *r, wwi_variant *v) {
    const wwi_form *form = v->key.form;
    WWI_TRY(wwi_kernel_create(r->of.stream, v->program, form->kernel, &v->kernel));
    if (form->interleave)
        WWI_TRY(wwi_kernel_create(r->of.stream, v->program, form->interleave, &v->interleave));
    if (form->walk)
        WWI_TRY(wwi_kernel_create(r->of.stream, v->program, form->walk, &v->walk));
    const uint64_t most = wwi_kernel_max_work_group(v->kernel);
    if (most >= v->key.group)
        return WW_OK;
    wwi_fail(WW_ERROR_UNSUPPORTED, "%s takes work-groups of %" PRIu64 " here, engine %s needs %" PRIu32,
             wwi_context_info(r->of.context)->name, most, form->engine, v->key.group);
    return wwi_fail_hint("lower lanes.group in the tuning file");
}

// The texts of a program.
typedef struct texts {
    wwi_source sources[24];
    size_t count;
    char *cost; // the user's, in its frame
} texts;

static void texts_free(texts *t) {
    free(t->cost);
}

static void add_text(texts *t, const char *name) {
    t->sources[t->count++] = (wwi_source){name, NULL};
}

// Numbers, points and their local cost.
static ww_status add_points(const wwi_recurrence *of, texts *t) {
    add_text(t, "base/number.cl");
    add_text(t, "base/vendor.cl");
    if (wwi_measure_cost(&of->measure) == WW_COST_USER) {
        const char *frame = "WW_INLINE real ww_user_expression(real x, real y) {\n    return (real)(\n"
                            "#line 1 \"cost expression\"\n%s\n);\n}\n";
        const size_t bytes = strlen(frame) + strlen(of->measure.cost_expression) + 1;
        WWI_TRY(wwi_new(t->cost, bytes));
        snprintf(t->cost, bytes, frame, of->measure.cost_expression);
        t->sources[t->count++] = (wwi_source){"cost expression", t->cost};
    }
    add_text(t, "base/points.cl");
    return WW_OK;
}

// The texts up to the recurrence, into an empty list.
static ww_status begin_texts(const wwi_recurrence *of, texts *t, bool slopes) {
    if (of->parameters.text[0])
        t->sources[t->count++] = (wwi_source){"parameters", of->parameters.text};
    WWI_TRY(add_points(of, t));
    if (slopes)
        add_text(t, "base/slopes.cl");
    if (wwi_measure_has(&of->measure, WWI_MEASURE_OF_TEXT) && !of->parameters.fixed)
        add_text(t, "recurrence/user_parameters.cl");
    if (wwi_measure_has(&of->measure, WWI_MEASURE_OF_TEXT))
        t->sources[t->count++] = (wwi_source){of->measure.recurrence_name, of->measure.recurrence};
    add_text(t, of->row->recurrence);
    return WW_OK;
}

// What an engine's text stands on, where it has a recurrence: how neighbours are chosen, and the elements.
static void add_elements(texts *t) {
    add_text(t, "base/choose.cl");
    add_text(t, "base/elements.cl");
}

_Static_assert((int)WW_COST_SQUARED == WWK_COST_SQUARED && (int)WW_COST_ABSOLUTE == WWK_COST_ABSOLUTE &&
                   (int)WW_COST_EUCLIDEAN == WWK_COST_EUCLIDEAN && (int)WW_COST_USER == WWK_COST_USER,
               "WW_COST is a ww_cost");

static void write_options(const wwi_recurrence *of, const wwi_variant_key *key, int tiles, char *options,
                          size_t bytes) {
    // Four warps a scheduler: kernels_cl/engine/packed_soft.cl.
    const char *limit = tiles == 2 && of->exchange == WWI_EXCHANGE_NV_SHFL ? " -cl-nv-maxrregcount=128" : "";
    static const char *const forms[] = {"", " -DWW_SOFT_WIDE=0", " -DWW_SOFT_WIDE=1"};
    const bool any = key->tabled || key->summed; // any number of channels
    snprintf(options, bytes,
             "-DWWK_DOUBLE=%d -DWW_VECTOR=%d -DWW_CHANNELS=%" PRIu32
             " -DWW_POINT_REGISTERS=%d -DWW_TABLED=%d -DWW_SUMMED=%d -DWW_COST=%d "
             "-DWW_ROOT=%d -DWW_LIST=%d -DWW_BAND=%d -DWW_COLS=%" PRIu32 " -DWW_ROWS=%" PRIu32 " -DWW_WG=%" PRIu32
             " -DWW_EXCHANGE=%d"
             " -DWW_PACK=%d -DWW_BELOW=%" PRIu32 " -DWW_ABANDON=%d -DWW_EXTRA=%" PRIu32
             " -DWW_EXTRA_EACH=%d -DWW_ALL_CHANNELS=%" PRIu32 " -DWW_SELECT=%d -DWW_EMIT=%d%s%s",
             of->precision == WW_DOUBLE, key->vector, any ? 1 : of->channels, key->registers && !any, key->tabled,
             key->summed, (int)wwi_measure_cost(&of->measure), of->measure.root != 0, key->list, key->band,
             key->columns, key->rows, key->group, key->form && key->form->exchanges ? (int)of->exchange : 0,
             key->form && key->form->pack ? (int)key->form->pack : key->vector, key->below, key->abandon, of->extra,
             of->row->transform == WWI_TRANSFORM_ERP && of->passes > 1, any ? 1 : of->all_channels,
             key->form && key->form->select ? key->form->select : of->soft,
             of->open | (key->form ? key->form->emit : 0), forms[tiles], limit);
}

// Adds the option for a device whose pow() of vectors is wrong, where the program has one.
static ww_status choose_pow(const wwi_recurrence *of, const wwi_variant_key *key, char *options, size_t bytes) {
    const ww_measure *measure = &of->measure;
    const bool has_pow = wwi_measure_has_power(measure) ||
                         (measure->recurrence && strstr(measure->recurrence, "pow")) ||
                         (measure->cost_expression && strstr(measure->cost_expression, "pow"));
    bool by_lanes = false;
    if (key->vector == 1 || !has_pow)
        return WW_OK;
    WWI_TRY(wwi_context_pow_by_lanes(of->context, of->precision == WW_DOUBLE, key->vector, &by_lanes));
    if (by_lanes)
        snprintf(options + strlen(options), bytes - strlen(options), " -DWW_POW_BY_LANES=1");
    return WW_OK;
}

static void write_bits_options(const wwi_runner *r, const wwi_variant_key *key, char *options, size_t bytes) {
    const bool points = !r->planes;
    snprintf(options, bytes,
             "-DWWK_DOUBLE=%d -DWW_VECTOR=%d -DWW_COST=%d -DWW_ROOT=%d -DWW_LIST=%d -DWWK_LCS=%d -DWW_POINTS=%d "
             "-DWW_BITS=%" PRIu32 " -DWW_WORDS=%" PRIu32 " -DWW_ROWS=%" PRIu32 " -DWW_WG=%" PRIu32
             " -DWW_EXCHANGE=%d -DWW_UNROLL=%d -DWW_OWN_ROWS=%d",
             r->of.precision == WW_DOUBLE, key->vector, (int)wwi_measure_cost(&r->of.measure), r->of.measure.root != 0,
             key->list, wwi_measure_has(&r->of.measure, WWI_MEASURE_MATCHES), points, points ? 1 : r->planes->bits,
             key->columns, key->rows, key->group, key->form->exchanges ? (int)r->of.exchange : 0, r->gpu,
             key->list || key->form->own_rows);
}

// The program of the texts begun, `more` and options: those written, `own` ("": none), and what the device needs.
static ww_status get_program(const wwi_recurrence *of, const wwi_variant_key *key, texts *t, const char *const *more,
                             char *options, size_t bytes, const char *own, wwi_program **program) {
    const size_t written = strlen(options);
    for (; *more; more++)
        add_text(t, *more);
    const int added = snprintf(options + written, bytes - written, "%s%s", *own ? " " : "", own);
    if (added < 0 || (size_t)added >= bytes - written)
        return wwi_fail(WW_ERROR_INTERNAL, "the options of a program are too long");
    WWI_TRY(choose_pow(of, key, options, bytes));
    return wwi_stream_program(of->stream, of->context, t->sources, t->count, options, program);
}

static ww_status build(wwi_runner *r, wwi_variant *v) {
    const wwi_form *form = v->key.form;
    WWI_ENDS(texts_free) texts t = {.count = 0};
    char options[512];

    if (form->is_bits && r->planes) {
        // Symbols are numbers that are equal or not: there is no recurrence.
        add_text(&t, "base/number.cl");
        add_text(&t, "base/vendor.cl");
        add_text(&t, "base/points.cl");
    } else {
        WWI_TRY(begin_texts(&r->of, &t, false));
    }
    add_text(&t, "base/launch_args.h");
    add_text(&t, "base/tasks.cl");
    if (v->key.band)
        add_text(&t, "base/band.cl");
    if (!form->is_bits)
        add_elements(&t);
    if (form->is_bits)
        write_bits_options(r, &v->key, options, sizeof options);
    else
        write_options(&r->of, &v->key, form->tiles ? form->tiles(r) : 0, options, sizeof options);
    const bool ahead = form->copies_ahead && r->of.exchange == WWI_EXCHANGE_NV_SHFL && wwi_context_mma(r->of.context);
    WWI_TRY(get_program(&r->of, &v->key, &t, form->texts, options, sizeof options, ahead ? "-DWW_ASYNC=1" : "",
                        &v->program));
    return create_kernels(r, v);
}

void wwi_variant_end(wwi_variant *v) {
    WWI_KERNELS_DESTROY(&v->kernel, &v->interleave, &v->walk);
    wwi_program_release(&v->program);
}

ww_status wwi_runner_variant(wwi_runner *r, wwi_variant_key key, wwi_variant **found) {
    for (size_t i = 0; i < r->variant_count; i++)
        if (memcmp(&r->variants[i].key, &key, sizeof key) == 0) {
            *found = &r->variants[i];
            return WW_OK;
        }
    if (r->variant_count == VARIANTS) {
        // The driver keeps the kernels of launches in progress until these are done.
        wwi_variant_end(&r->variants[0]);
        memmove(&r->variants[0], &r->variants[1], (VARIANTS - 1) * sizeof *r->variants);
        r->variant_count--;
    }
    wwi_variant *v = &r->variants[r->variant_count];
    memset(v, 0, sizeof *v);
    v->key = key;
    const ww_status status = build(r, v);
    if (status != WW_OK) {
        wwi_variant_end(v);
        return status;
    }
    r->variant_count++;
    *found = v;
    return WW_OK;
}

enum { MOST_REPORTED = 6 };

// Runs a check's kernel, whose first argument is its report: `count` numbers, with room for some more.
static ww_status run_check(const wwi_recurrence *of, const texts *t, bool registers, const char *name, size_t count,
                           size_t spare, const wwi_arg *more, size_t more_count, double *values) {
    char options[512];
    WWI_ENDS(wwi_program_release) wwi_program *program = NULL;
    WWI_ENDS(wwi_kernel_destroy) wwi_kernel *kernel = NULL;
    WWI_ENDS(wwi_buffer_destroy) wwi_buffer *report = NULL;
    double reported[MOST_REPORTED] = {0}; // in the precision
    wwi_arg args[2];
    const wwi_variant_key key = {.vector = 1, .columns = 1, .rows = 1, .group = 1, .registers = registers};
    const uint64_t each = wwi_precision_bytes(of->precision);

    write_options(of, &key, 0, options, sizeof options);
    WWI_TRY(wwi_stream_program(of->stream, of->context, t->sources, t->count, options, &program));
    WWI_TRY(wwi_kernel_create(of->stream, program, name, &kernel));
    WWI_TRY(wwi_buffer_create(of->context, (count + spare) * each, &report));
    args[0] = WWI_BUFFER(report);
    if (more_count)
        args[1] = *more;
    WWI_TRY(wwi_launch(kernel, 1, 1, args, 1 + more_count));
    WWI_TRY(wwi_stream_read(of->stream, report, 0, count * each, reported));
    for (size_t i = 0; i < count; i++)
        values[i] = wwi_value_at(reported, of->precision, i);
    return WW_OK;
}

// By recurrence/cost_check.cl. A least cost would hide what is not a number.
static ww_status check_cost(const wwi_recurrence *of) {
    WWI_ENDS(texts_free) texts t = {.count = 0};
    double values[MOST_REPORTED] = {0};
    if (wwi_measure_cost(&of->measure) != WW_COST_USER)
        return WW_OK;
    WWI_TRY(begin_texts(of, &t, false));
    size_t count = 0; // up to the user's text
    while (count < t.count && (!t.cost || t.sources[count].text != t.cost))
        count++;
    t.count = count + 1;
    add_text(&t, "recurrence/cost_check.cl");
    WWI_TRY(run_check(of, &t, true, "ww_cost_check", 3, 0, NULL, 0, values));
    if (values[0] == 0)
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "the cost expression makes NaN of x %g, y %g", values[1], values[2]);
    return wwi_fail_hint("a cost is a number for all points; it may be infinite");
}

// By recurrence/user_check.cl.
ww_status wwi_recurrence_test(const wwi_recurrence *of) {
    enum { POINTS = 2 }; // room for the points that are not held in registers
    WWI_ENDS(texts_free) texts t = {.count = 0};
    double values[MOST_REPORTED] = {0};
    const int none = 0;
    WWI_TRY(check_cost(of));
    if (!wwi_measure_has(&of->measure, WWI_MEASURE_OF_TEXT))
        return WW_OK;
    WWI_TRY(begin_texts(of, &t, false));
    add_text(&t, "base/choose.cl");
    add_text(&t, "recurrence/user_check.cl");
    const wwi_arg given = {WWI_ARG_VALUE, of->parameters.bytes, &of->parameters.values};
    const wwi_arg parameters = of->parameters.bytes ? given : WWI_VALUE(none);
    WWI_TRY(run_check(of, &t, of->channels <= REGISTER_CHANNELS, "ww_user_check", MOST_REPORTED, POINTS, &parameters, 1,
                      values));
    if (values[0] == 0)
        return WW_OK;
    wwi_fail(WW_ERROR_INVALID_ARGUMENT, "%s: ww_user_cell() makes NaN of left %g, up %g, diagonal %g, x %g, y %g",
             of->measure.recurrence_name, values[1], values[2], values[3], values[4], values[5]);
    return wwi_fail_hint("neighbours may be infinite: the border is, unless the recurrence says otherwise");
}

ww_status wwi_recurrence_compile(const wwi_recurrence *of, const wwi_texts *wanted, wwi_program **program) {
    WWI_ENDS(texts_free) texts t = {.count = 0};
    char options[1024];
    const wwi_form form = {.exchanges = !wanted->vector || wanted->vector == 1};
    const wwi_variant_key key = {.form = &form,
                                 .list = 1,
                                 .band = (int)of->band,
                                 .vector = wanted->vector,
                                 .columns = wanted->columns,
                                 .rows = wanted->rows,
                                 .group = wanted->group,
                                 .registers = wanted->registers,
                                 .tabled = wanted->tabled};
    WWI_TRY(begin_texts(of, &t, wanted->slopes));
    add_text(&t, "base/launch_args.h");
    add_text(&t, "base/tasks.cl");
    if (key.band)
        add_text(&t, "base/band.cl");
    add_elements(&t);
    write_options(of, &key, 0, options, sizeof options);
    return get_program(of, &key, &t, wanted->texts, options, sizeof options, wanted->options, program);
}

void wwi_recurrence_of(ww_context *context, wwi_stream *stream, const ww_measure *measure, ww_precision precision,
                       size_t channels, wwi_recurrence *of) {
    const bool independent = measure->independent && channels > 1;
    memset(of, 0, sizeof *of);
    of->context = context;
    of->stream = stream;
    of->measure = *measure;
    of->row = wwi_measure_row_by_id(measure->id);
    of->precision = precision;
    of->banded = measure->band.kind != WW_BAND_NONE;
    of->band = wwi_band_form_of(&measure->band);
    of->soft = wwi_measure_is_soft(measure);
    of->open = wwi_measure_is_open(measure);
    of->exchange = wwi_context_exchange(context);
    of->all_channels = (uint32_t)channels;
    of->channels = independent ? 1 : of->all_channels;
    of->passes = independent ? of->all_channels : 1;
    wwi_parameters_make(measure, precision, &of->parameters);
}

void wwi_recurrence_make(const ww_measure *measure, const ww_dataset *rows, const ww_dataset *columns,
                         wwi_stream *stream, wwi_recurrence *of) {
    wwi_recurrence_of(rows->context, stream, measure, rows->precision, rows->channels, of);
    of->band = wwi_band_form_between(measure, rows, columns);
    of->extra = of->row->transform != WWI_TRANSFORM_NONE && rows->extra;
}

ww_status wwi_recurrence_program(const wwi_recurrence *of, int vector, const char *const *more, const char *own,
                                 wwi_program **program) {
    const wwi_form form = {.exchanges = vector == 1};
    const wwi_variant_key key = {.form = &form, .vector = vector, .registers = 1};
    WWI_ENDS(texts_free) texts t = {.count = 0};
    char options[1024];
    WWI_TRY(begin_texts(of, &t, false));
    add_elements(&t);
    snprintf(options, sizeof options,
             "-DWWK_DOUBLE=%d -DWW_VECTOR=%d -DWW_CHANNELS=%" PRIu32
             " -DWW_POINT_REGISTERS=1 -DWW_COST=%d -DWW_ROOT=%d "
             "-DWW_EXCHANGE=%d -DWW_EXTRA=%" PRIu32 " -DWW_EXTRA_EACH=%d -DWW_ALL_CHANNELS=%" PRIu32
             " -DWW_SELECT=%d -DWW_EMIT=%d",
             of->precision == WW_DOUBLE, vector, of->channels, (int)wwi_measure_cost(&of->measure),
             of->measure.root != 0, form.exchanges ? (int)of->exchange : 0, of->extra,
             of->row->transform == WWI_TRANSFORM_ERP && of->passes > 1, of->all_channels, of->soft, of->open);
    return get_program(of, &key, &t, more, options, sizeof options, own, program);
}

ww_status wwi_cost_program(const wwi_recurrence *of, const char *const *more, const char *own, wwi_program **program) {
    const wwi_variant_key key = {.vector = 1};
    WWI_ENDS(texts_free) texts t = {.count = 0};
    char options[256];
    WWI_TRY(add_points(of, &t));
    snprintf(options, sizeof options, "-DWWK_DOUBLE=%d -DWW_VECTOR=1 -DWW_COST=%d -DWW_EXCHANGE=0",
             of->precision == WW_DOUBLE, (int)wwi_measure_cost(&of->measure));
    return get_program(of, &key, &t, more, options, sizeof options, own, program);
}
