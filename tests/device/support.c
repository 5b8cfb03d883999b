// SPDX-License-Identifier: Apache-2.0
// Device, random series, guarded results, comparison with the reference, and the choice of cases for all device tests.
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"
#include "host_memory.h"

// ---- the program

typedef struct probe_report {
    ww_status status;
    int has_double, is_gpu;
    char device[256];
    char message[512];
} probe_report;

static probe_report probe;

// In the child: opens the device and reports the result.
static void probe_child(int out) {
    probe_report report;
    memset(&report, 0, sizeof(report));
    ww_context *context = NULL;
    ww_device_info info = WW_DEVICE_INFO_INIT;
    report.status = ww_context_create(NULL, &context);
    if (report.status == WW_OK)
        report.status = ww_context_get_device_info(context, &info);
    if (report.status == WW_OK) {
        report.has_double = info.has_double;
        report.is_gpu = info.type == WW_DEVICE_GPU;
        snprintf(report.device, sizeof(report.device), "%s", info.name);
    } else {
        snprintf(report.message, sizeof(report.message), "%s", ww_last_error()->message);
    }
    ww_context_destroy(&context);
    if (write(out, &report, sizeof(report)) != (ssize_t)sizeof(report))
        _exit(EXIT_FAILURE);
    _exit(EXIT_SUCCESS);
}

static bool probe_device(void) {
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        probe_child(ends[1]);
    close(ends[1]);
    ssize_t got = child > 0 ? read(ends[0], &probe, sizeof(probe)) : -1;
    close(ends[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    return got == (ssize_t)sizeof(probe) && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

bool wwt_device_found(int *exit_code) {
    const char *require = getenv("WAVEWARP_TEST_REQUIRE_DEVICE");
    bool required = require && strcmp(require, "1") == 0;
    if (!probe_device()) {
        printf("Bail out! opening the device ended the process\n");
        *exit_code = EXIT_FAILURE;
        return false;
    }
    if (probe.status == WW_OK) {
        // On stderr: Check's own lines start the TAP stream.
        fprintf(stderr, "device: %s\n", probe.device);
        return true;
    }
    bool missing = probe.status == WW_ERROR_NO_PLATFORM || probe.status == WW_ERROR_NO_DEVICE;
    if (missing && !required) {
        printf("1..0 # SKIP no device: %s\n", probe.message);
        *exit_code = EXIT_SUCCESS;
    } else {
        printf("Bail out! %s: %s\n", ww_status_name(probe.status), probe.message);
        *exit_code = EXIT_FAILURE;
    }
    return false;
}

bool wwt_device_has_double(void) {
    return probe.has_double != 0;
}

bool wwt_device_is_gpu(void) {
    return probe.is_gpu != 0;
}

int wwt_precision_count(void) {
    return probe.has_double ? 2 : 1;
}

// ---- the context

ww_context *wwt_context;

void wwt_context_setup(void) {
    wwt_host_mark();
    wwt_ok(ww_context_create(NULL, &wwt_context));
}

void wwt_context_teardown(void) {
    ww_context_destroy(&wwt_context);
    ck_assert_ptr_null(wwt_context);
    ck_assert_int_eq(wwi_live_objects(), 0);
    wwt_host_check();
}

ww_context *wwt_context_tuned(const char *text) {
    char path[] = "/tmp/wavewarp-tuned-XXXXXX";
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    ww_context *context = NULL;
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    options.tuning_file = path;
    wwt_ok(ww_context_create(&options, &context));
    unlink(path);
    return context;
}

// ---- random numbers

static uint64_t random_state;

void wwt_seed(unsigned salt) {
    const char *text = getenv("WAVEWARP_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 20240229;
    if (text)
        fprintf(stderr, "WAVEWARP_TEST_SEED=%s\n", text);
    random_state = seed * 0x9e3779b97f4a7c15u + salt;
}

// splitmix64 (Steele, Lea, Flood 2014)
static uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t random_bits(void) {
    return mixed(random_state += 0x9e3779b97f4a7c15u);
}

double wwt_random(void) {
    return (double)(random_bits() >> 44) / (double)(1 << 19) - 1.0;
}

size_t wwt_random_size(size_t least, size_t most) {
    return least + (size_t)(random_bits() % (most - least + 1));
}

// ---- which cases are run

bool wwt_all_cases(void) {
    const char *text = getenv("WAVEWARP_TEST_EXHAUSTIVE");
    return wwt_device_is_gpu() || (text && strcmp(text, "1") == 0);
}

// The number that chooses what the daily run leaves out: tools/test makes it of the tree, so that the same change is
// tested the same way, and the next one another.
static uint64_t rotation(void) {
    static int told;
    const char *text = getenv("WAVEWARP_TEST_ROTATION");
    if (text && !told++)
        fprintf(stderr, "WAVEWARP_TEST_ROTATION=%s\n", text);
    return text ? strtoull(text, NULL, 0) : 0;
}

bool wwt_turn(int number, int turns) {
    return wwt_all_cases() || ((uint64_t)number + mixed(rotation())) % (uint64_t)turns == 0;
}

// WAVEWARP_TEST_DAILY_PARTS, or 1.
static int daily_parts(void) {
    const char *text = getenv("WAVEWARP_TEST_DAILY_PARTS");
    return text && atoi(text) > 0 ? atoi(text) : 1;
}

bool wwt_in_part(int number, int count) {
    static int test;
    int part, parts;
    const char *text = getenv("WAVEWARP_TEST_PART");
    if (text) {
        if (sscanf(text, "%d/%d", &part, &parts) != 2 || parts <= 0) {
            fprintf(stderr, "WAVEWARP_TEST_PART is %s, not I/N\n", text);
            exit(1);
        }
        return test++ % parts == part;
    }
    parts = daily_parts() < count ? daily_parts() : count;
    return wwt_turn(number, parts);
}

enum { MOST_CASES = 2048, MOST_VALUES = 32, PAIRS_A_DAY = 3 };
typedef struct coverage {
    bool values[WWT_MOST_OPTIONS][MOST_VALUES];
    bool pairs[WWT_MOST_OPTIONS][WWT_MOST_OPTIONS][MOST_VALUES][MOST_VALUES];
} coverage;

static void values_of(const wwt_product *product, int number, int *values) {
    for (int option = 0; option < product->options; number /= product->counts[option++])
        values[option] = number % product->counts[option];
}

// Whether the pair of values is none of today's.
static bool rests(int a, int b, int of_a, int of_b) {
    const uint64_t pair = (uint64_t)(((a * WWT_MOST_OPTIONS + b) * MOST_VALUES + of_a) * MOST_VALUES + of_b);
    return mixed(pair * 0x9e3779b97f4a7c15u + rotation()) % (uint64_t)(PAIRS_A_DAY * daily_parts()) != 0;
}

// The number of values, and of pairs of them, of case `number` that are not covered yet; `take`: marks them as covered.
static int count_new(const wwt_product *product, int number, coverage *covered, bool take) {
    int values[WWT_MOST_OPTIONS], count = 0;
    values_of(product, number, values);
    for (int a = 0; a < product->options; a++) {
        bool *value = &covered->values[a][values[a]];
        count += !*value;
        *value = *value || take;
        for (int b = a + 1; b < product->options; b++) {
            bool *pair = &covered->pairs[a][b][values[a]][values[b]];
            count += !*pair;
            *pair = *pair || take;
        }
    }
    return count;
}

// Greedy: always the case with the most that is new, of equals the first from a random one on.
static void cover(const wwt_product *product, bool *chosen) {
    static coverage covered;
    const uint64_t state = random_state;
    int cases = 1;
    memset(&covered, 0, sizeof covered);
    for (int option = 0; option < product->options; option++) {
        cases *= product->counts[option];
        if (product->counts[option] > MOST_VALUES || cases > MOST_CASES)
            abort(); // not a failure for Check: no test runs yet
    }
    for (int a = 0; a < product->options; a++)
        for (int b = a + 1; b < product->options; b++)
            for (int of_a = 0; of_a < product->counts[a]; of_a++)
                for (int of_b = 0; of_b < product->counts[b]; of_b++)
                    covered.pairs[a][b][of_a][of_b] = rests(a, b, of_a, of_b);
    wwt_seed((unsigned)mixed(rotation()));
    for (;;) {
        const int start = (int)wwt_random_size(0, (size_t)cases - 1);
        int best = -1, most = 0;
        for (int i = 0; i < cases; i++) {
            const int number = (start + i) % cases, count = count_new(product, number, &covered, false);
            if (count > most) {
                most = count;
                best = number;
            }
        }
        if (best < 0)
            break;
        chosen[best] = true;
        count_new(product, best, &covered, true);
    }
    random_state = state;
}

bool wwt_covers(const wwt_product *product, const int *values) {
    static wwt_product known; // one after another: a program has one or two
    static bool chosen[MOST_CASES];
    if (wwt_all_cases())
        return true;
    if (memcmp(&known, product, sizeof known) != 0) {
        memset(chosen, 0, sizeof chosen);
        cover(product, chosen);
        known = *product;
    }
    int number = 0;
    for (int option = product->options - 1; option >= 0; option--)
        number = number * product->counts[option] + values[option];
    return chosen[number];
}

// ---- sets of series

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

// A walk that is drawn back to zero, rounded to float: both precisions then get the same input.
static void random_walk(double *values, size_t length) {
    double at = 0.0;
    for (size_t t = 0; t < length; t++) {
        at = (double)(float)(0.9 * at + wwt_random());
        values[t] = at;
    }
}

wwt_set wwt_set_make(size_t channels, const size_t *lengths, size_t count) {
    wwt_set set = {count, channels, allocate(count, sizeof(size_t)), allocate(count, sizeof(size_t)), NULL};
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        set.lengths[i] = lengths[i];
        set.offsets[i] = total;
        total += lengths[i] * channels;
    }
    set.values = allocate(total, sizeof(double));
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < channels; c++)
            random_walk(set.values + set.offsets[i] + c * lengths[i], lengths[i]);
    return set;
}

wwt_set wwt_set_random(size_t channels, size_t least, size_t most, size_t count) {
    size_t *lengths = allocate(count, sizeof(size_t));
    for (size_t i = 0; i < count; i++)
        lengths[i] = wwt_random_size(least, most);
    wwt_set set = wwt_set_make(channels, lengths, count);
    free(lengths);
    return set;
}

void wwt_set_free(wwt_set *set) {
    free(set->lengths);
    free(set->offsets);
    free(set->values);
    memset(set, 0, sizeof(*set));
}

wwr_series wwt_series(const wwt_set *set, size_t i) {
    wwr_series series = {set->values + set->offsets[i], set->lengths[i], set->channels};
    return series;
}

ww_series_view wwt_view(const wwt_set *set) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = set->values;
    view.precision = WW_DOUBLE;
    view.count = set->count;
    view.channels = set->channels;
    view.lengths = set->lengths;
    return view;
}

ww_series_view wwt_view_of(const double *values, size_t length, size_t channels) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = values;
    view.precision = WW_DOUBLE;
    view.count = 1;
    view.channels = channels;
    view.length = length;
    return view;
}

ww_dataset *wwt_dataset(const wwt_set *set, ww_precision precision) {
    ww_series_view view = wwt_view(set);
    ww_dataset_options options = WW_DATASET_OPTIONS_INIT;
    options.precision = precision;
    ww_dataset *dataset = NULL;
    wwt_ok(ww_dataset_create(wwt_context, &view, &options, &dataset));
    return dataset;
}

// ---- results

// A guarded array: count and precision, guard, values, guard.
enum { GUARD_BYTES = 256, GUARD_BYTE = 0xA5 };

typedef struct guarded {
    size_t bytes;
    unsigned char front[GUARD_BYTES];
    double values[]; // and the guard behind
} guarded;

static size_t value_bytes(ww_precision precision) {
    return precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
}

void *wwt_guarded(size_t count, ww_precision precision) {
    size_t bytes = count * value_bytes(precision);
    guarded *g = allocate(1, sizeof(*g) + bytes + GUARD_BYTES);
    g->bytes = bytes;
    memset(g->front, GUARD_BYTE, GUARD_BYTES);
    memset(g->values, 0xFF, bytes); // NaN in both precisions
    memset((unsigned char *)g->values + bytes, GUARD_BYTE, GUARD_BYTES);
    return g->values;
}

void wwt_guarded_free(void *values) {
    if (!values)
        return;
    guarded *g = (guarded *)(void *)((unsigned char *)values - offsetof(guarded, values));
    const unsigned char *behind = (const unsigned char *)values + g->bytes;
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        ck_assert_msg(g->front[i] == GUARD_BYTE, "written %zu bytes before a result", GUARD_BYTES - i);
        ck_assert_msg(behind[i] == GUARD_BYTE, "written %zu bytes behind a result", i + 1);
    }
    free(g);
}

double wwt_value(const void *values, ww_precision precision, size_t i) {
    return precision == WW_DOUBLE ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

bool wwt_same(const void *a, const void *b, size_t count, ww_precision precision) {
    return memcmp(a, b, count * value_bytes(precision)) == 0;
}

double wwt_tolerance(ww_precision precision) {
    return precision == WW_DOUBLE ? 1e-12 : 1e-5;
}

bool wwt_close(double value, double expected, ww_precision precision) {
    return value == expected || fabs(value - expected) <= wwt_tolerance(precision) * fabs(expected);
}

// ---- jobs

ww_measure wwt_measure(ww_measure_id id) {
    ww_measure measure;
    wwt_ok(ww_measure_init(&measure, sizeof measure, id));
    return measure;
}

ww_plan_options wwt_engine(ww_engine engine) {
    ww_plan_options options = WW_PLAN_OPTIONS_INIT;
    options.engine = engine;
    return options;
}

ww_status wwt_plan_run(ww_plan *plan, void *values) {
    const ww_output to = WW_OUTPUT_HOST(values);
    return ww_plan_run(plan, &to);
}

ww_status wwt_plan_run_condensed(ww_plan *plan, void *values) {
    ww_output to = WW_OUTPUT_HOST(values);
    to.layout = WW_LAYOUT_CONDENSED;
    return ww_plan_run(plan, &to);
}

// A forced engine may return WW_ERROR_UNSUPPORTED; AUTO always finds one.
static bool plan_made(ww_status status, const ww_plan_options *options) {
    if (status == WW_ERROR_UNSUPPORTED && options && options->engine != WW_ENGINE_AUTO)
        return false;
    wwt_ok(status);
    return true;
}

static void check_engine(const ww_plan *plan, const ww_plan_options *options) {
    ww_plan_info info = WW_PLAN_INFO_INIT;
    wwt_ok(ww_plan_get_info(plan, &info));
    if (options && options->engine != WW_ENGINE_AUTO)
        ck_assert_int_eq(info.engine, options->engine);
}

void *wwt_matrix(const ww_measure *measure, const wwt_set *rows, const wwt_set *columns, ww_precision precision,
                 const ww_plan_options *options) {
    ww_dataset *a = wwt_dataset(rows, precision);
    ww_dataset *b = columns ? wwt_dataset(columns, precision) : NULL;
    ww_plan *plan = NULL;
    void *values = NULL;
    if (plan_made(ww_plan_create_matrix(measure, a, b, options, &plan), options)) {
        check_engine(plan, options);
        values = wwt_guarded(rows->count * (columns ? columns : rows)->count, precision);
        wwt_ok(wwt_plan_run(plan, values));
    }
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
    return values;
}

void *wwt_pairs(const ww_measure *measure, const wwt_set *rows, const wwt_set *columns, ww_precision precision,
                const ww_plan_options *options) {
    ww_dataset *a = wwt_dataset(rows, precision), *b = wwt_dataset(columns, precision);
    ww_plan *plan = NULL;
    void *values = NULL;
    if (plan_made(ww_plan_create_pairs(measure, a, b, NULL, NULL, rows->count, options, &plan), options)) {
        check_engine(plan, options);
        values = wwt_guarded(rows->count, precision);
        wwt_ok(wwt_plan_run(plan, values));
    }
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&b);
    ww_dataset_destroy(&a);
    return values;
}

static void check_one(const ww_measure *measure, wwr_value_cost user, const wwt_set *rows, size_t i,
                      const wwt_set *columns, size_t j, double value, ww_precision precision, ww_engine engine) {
    wwr_series x = wwt_series(rows, i), y = wwt_series(columns, j);
    double expected = wwr_distance(measure, user, &x, &y);
    ck_assert_msg(wwt_close(value, expected, precision),
                  "%s %s %s cost %d band %d (%g) channels %zu: (%zu,%zu) of %zu x %zu is %.17g, reference %.17g",
                  ww_measure_info_by_id(measure->id)->name, ww_word(WW_WORD_ENGINE, engine),
                  precision == WW_DOUBLE ? "double" : "float", (int)measure->cost, (int)measure->band.kind,
                  measure->band.width, x.channels, i, j, x.length, y.length, value, expected);
}

bool wwt_check_matrix(const ww_measure *measure, wwr_value_cost user, const wwt_set *rows, const wwt_set *columns,
                      ww_precision precision, ww_engine engine) {
    ww_plan_options options = wwt_engine(engine);
    void *values = wwt_matrix(measure, rows, columns, precision, &options);
    const wwt_set *across = columns ? columns : rows;
    for (size_t i = 0; values && i < rows->count; i++)
        for (size_t j = 0; j < across->count; j++)
            check_one(measure, user, rows, i, across, j, wwt_value(values, precision, i * across->count + j), precision,
                      engine);
    bool done = values != NULL;
    wwt_guarded_free(values);
    return done;
}

bool wwt_check_pairs(const ww_measure *measure, wwr_value_cost user, const wwt_set *rows, const wwt_set *columns,
                     ww_precision precision, ww_engine engine) {
    ww_plan_options options = wwt_engine(engine);
    void *values = wwt_pairs(measure, rows, columns, precision, &options);
    for (size_t i = 0; values && i < rows->count; i++)
        check_one(measure, user, rows, i, columns, i, wwt_value(values, precision, i), precision, engine);
    bool done = values != NULL;
    wwt_guarded_free(values);
    return done;
}

void wwt_check_half(const ww_measure *measure, const wwt_set *set, ww_engine engine) {
    const size_t n = set->count;
    ww_dataset *dataset = wwt_dataset(set, WW_FLOAT);
    const ww_plan_options options = wwt_engine(engine);
    ww_plan *plan = NULL;
    float *condensed = malloc(n * n * sizeof *condensed), *whole = malloc(n * n * sizeof *whole);
    ck_assert(condensed && whole);
    wwt_ok(ww_plan_create_matrix(measure, dataset, NULL, &options, &plan));
    wwt_ok(wwt_plan_run_condensed(plan, condensed));
    wwt_ok(wwt_plan_run(plan, whole));
    for (size_t i = 0, at = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++, at++) {
            wwr_series x = wwt_series(set, i), y = wwt_series(set, j);
            const double expected = wwr_distance(measure, NULL, &x, &y);
            ck_assert(wwt_close((double)condensed[at], expected, WW_FLOAT));
            ck_assert(wwt_close((double)whole[i * n + j], expected, WW_FLOAT));
            ck_assert(wwt_close((double)whole[j * n + i], expected, WW_FLOAT));
        }
    free(condensed);
    free(whole);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&dataset);
}
