// SPDX-License-Identifier: Apache-2.0
// wavewarp choose: band and parameters of a measure, by leave-one-out on the training set.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/series_job.h"
#include "commands/commands.h"
#include "pictures/choose_picture.h"
#include "results/euclid.h"

enum { MOST_CHOICES = 10000, MOST_TEXT = 64 };

// What is tried for one name: "band", or a parameter of the measure.
typedef struct axis {
    char name[MOST_TEXT];
    char (*values)[MOST_TEXT];
    size_t count;
} axis;

typedef struct choice {
    cli_series_job s;         // the training set and the test set; its measure: that of this choice
    cli_measure_options base; // what is given for all
    char parameters[32][2 * MOST_TEXT];
    const char *svg;
    cli_list tried;
    uint64_t k;
    bool json;
    axis axes[32];
    size_t axis_count, total, best;
    size_t *correct;           // of each combination
    ww_classification on_test; // of the best one
    ww_engine engine;
    double seconds;
    int64_t euclid, euclid_test; // correct ones by the plain distance
} choice;

// ---- what is tried

static int add_value(const cli_command *command, axis *a, const char *prefix, size_t prefix_length, const char *middle,
                     const char *suffix) {
    if (a->count == MOST_CHOICES)
        return cli_usage(command->name, "--try %s: more than %d values", a->name, MOST_CHOICES);
    char(*grown)[MOST_TEXT] = realloc(a->values, (a->count + 1) * sizeof *a->values);
    if (!grown)
        return cli_error("out of memory");
    a->values = grown;
    const int length = snprintf(a->values[a->count], MOST_TEXT, "%.*s%s%s", (int)prefix_length, prefix, middle, suffix);
    if (length < 0 || length >= MOST_TEXT)
        return cli_usage(command->name, "--try %s: a value is too long", a->name);
    a->count++;
    return CLI_GO_ON;
}

// One value, or FROM..TO or FROM..TO..STEP inside it: "sakoe-chiba:0..20%" is 21 values.
static int add_values(const cli_command *command, axis *a, char *text) {
    char *dots = strstr(text, "..");
    if (!dots)
        return add_value(command, a, "", 0, text, "");
    char *begin = dots, *end, *second = strstr(dots + 2, "..");
    while (begin > text && strchr("0123456789.+-eE", begin[-1]))
        begin--;
    if (second)
        *second = '\0'; // or the number before it ends with its first dot
    const double from = strtod(begin, NULL), to = strtod(dots + 2, &end);
    double step = 1;
    char *next = end;
    if (second) {
        *second = '.';
        step = end == second ? strtod(second + 2, &next) : 0;
    }
    if (begin == dots || end == dots + 2 || !isfinite(from) || !(to >= from) || !(step > 0) ||
        (to - from) / step > MOST_CHOICES)
        return cli_usage(command->name, "--try %s: '%s' is not FROM..TO or FROM..TO..STEP", a->name, text);
    for (size_t i = 0; from + (double)i * step <= to + 1e-9 * step; i++) {
        char number[32];
        snprintf(number, sizeof number, "%.10g", from + (double)i * step);
        CLI_TRY(add_value(command, a, text, (size_t)(begin - text), number, next));
    }
    return CLI_GO_ON;
}

static int add_axis(const cli_command *command, choice *c, const char *text) {
    axis *a = &c->axes[c->axis_count];
    const size_t length = strcspn(text, "=");
    if (text[length] != '=' || length == 0 || length >= sizeof a->name || !text[length + 1])
        return cli_usage(command->name, "--try is '%s', but must be NAME=VALUE,VALUE...", text);
    memcpy(a->name, text, length);
    c->axis_count++;
    CLI_FREES char *values = strdup(text + length + 1);
    if (!values)
        return cli_error("out of memory");
    for (char *rest = values, *value; (value = strsep(&rest, ","));)
        CLI_TRY(add_values(command, a, value));
    return CLI_GO_ON;
}

static int take_axes(const cli_command *command, choice *c) {
    if (c->tried.count == 0)
        CLI_TRY(add_axis(command, c, "band=sakoe-chiba:0..20%"));
    for (size_t i = 0; i < c->tried.count; i++)
        CLI_TRY(add_axis(command, c, c->tried.items[i]));
    c->total = 1;
    for (size_t i = 0; i < c->axis_count; i++) {
        c->total *= c->axes[i].count;
        if (c->total > MOST_CHOICES)
            return cli_usage(command->name, "more than %d combinations to try", MOST_CHOICES);
        if (strcmp(c->axes[i].name, "band") != 0 && c->base.parameters.count + i >= CLI_COUNT_OF(c->parameters))
            return cli_usage(command->name, "too many parameters");
    }
    return CLI_GO_ON;
}

// The value of an axis in combination `number`; the last axis changes fastest.
static const char *value_of(const choice *c, size_t number, size_t which) {
    for (size_t i = c->axis_count - 1; i > which; i--)
        number /= c->axes[i].count;
    return c->axes[which].values[number % c->axes[which].count];
}

static void name_combination(const void *user, size_t number, char *text, size_t size) {
    const choice *c = user;
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < c->axis_count && used < size; i++) {
        const int length =
            snprintf(text + used, size - used, "%s%s=%s", i ? "  " : "", c->axes[i].name, value_of(c, number, i));
        used += length > 0 ? (size_t)length : 0;
    }
}

static void print_combination(const choice *c, size_t number, FILE *file) {
    char text[CLI_COUNT_OF(c->axes) * (2 * MOST_TEXT + 4)];
    name_combination(c, number, text, sizeof text);
    cli_print_escaped(file, text, "");
}

static int make_measure(const cli_command *command, choice *c, size_t number) {
    c->s.measure_options = c->base;
    for (size_t i = 0; i < c->axis_count; i++) {
        if (strcmp(c->axes[i].name, "band") == 0) {
            c->s.measure_options.band = value_of(c, number, i);
        } else {
            char *text = c->parameters[c->s.measure_options.parameters.count];
            snprintf(text, sizeof c->parameters[0], "%s=%s", c->axes[i].name, value_of(c, number, i));
            c->s.measure_options.parameters.items[c->s.measure_options.parameters.count++] = text;
        }
    }
    cli_measure_free(&c->s.measure);
    CLI_TRY(cli_measure_make(command->name, &c->s.measure_options, &c->s.measure));
    cli_fit_band(&c->s.measure_options, &c->s.measure, c->s.sets[0], c->s.sets[1]);
    return CLI_GO_ON;
}

// ---- computing

// How well a combination does on the test set; `test` NULL: among the training series.
static int try_one(const cli_command *command, choice *c, const ww_classify_options *options, size_t i,
                   ww_dataset *test, ww_classification *found) {
    CLI_TRY(make_measure(command, c, i));
    CLI_TRY(cli_status(ww_classify(&c->s.measure, c->s.data[0], test, options, found)));
    c->engine = found->engine;
    return CLI_GO_ON;
}

static int try_each(const cli_command *command, choice *c, const ww_classify_options *options) {
    for (size_t i = 0; i < c->total; i++) {
        CLI_ENDS(ww_classification_free) ww_classification found = WW_CLASSIFICATION_INIT;
        CLI_TRY(try_one(command, c, options, i, NULL, &found));
        c->correct[i] = found.correct;
        if (found.correct > c->correct[c->best])
            c->best = i;
    }
    return c->s.data[1] ? try_one(command, c, options, c->best, c->s.data[1], &c->on_test) : CLI_GO_ON;
}

static int try_all(const cli_command *command, choice *c) {
    ww_classify_options options = WW_CLASSIFY_OPTIONS_INIT;
    const double begin = cli_seconds();
    c->correct = calloc(c->total, sizeof *c->correct);
    if (!c->correct)
        return cli_error("%zu combinations do not fit memory", c->total);
    CLI_TRY(cli_series_put(&c->s)); // once for all combinations
    cli_plan_options(&c->s.device, &c->s.progress, &c->s.plan);
    options.k = (size_t)c->k;
    options.plan = &c->s.plan;
    const int result = try_each(command, c, &options);
    cli_progress_end();
    CLI_TRY(result);
    c->seconds = cli_seconds() - begin;
    return make_measure(command, c, c->best);
}

// What the plain distance gives, for comparison.
static int compare_euclid(choice *c) {
    c->euclid = cli_euclid_correct(c->s.sets[0], NULL);
    c->euclid_test = c->s.sets[1] && !c->json ? cli_euclid_correct(c->s.sets[0], c->s.sets[1]) : CLI_EUCLID_NONE;
    const bool failed = c->euclid == CLI_EUCLID_NO_MEMORY || c->euclid_test == CLI_EUCLID_NO_MEMORY;
    return failed ? cli_error("out of memory") : CLI_GO_ON;
}

// ---- reports

static void print_text(const choice *c) {
    const size_t n = ww_series_set_count(c->s.sets[0]);
    printf("%9s %9s  tried on %zu training series, each among the others\n", "correct", "accuracy", n);
    if (c->euclid >= 0)
        printf("%9" PRId64 " %9.4f  Euclidean distance\n", c->euclid, (double)c->euclid / (double)n);
    for (size_t i = 0; i < c->total; i++) {
        printf("%9zu %9.4f  ", c->correct[i], (double)c->correct[i] / (double)n);
        print_combination(c, i, stdout);
        puts(i == c->best ? "  *" : "");
    }
    fputs("\nchosen    ", stdout);
    print_combination(c, c->best, stdout);
    putchar('\n');
    if (c->s.sets[1] && c->on_test.labelled)
        printf("test      %.4f (%zu of %zu)\n", (double)c->on_test.correct / (double)c->on_test.labelled,
               c->on_test.correct, c->on_test.labelled);
    if (c->euclid_test >= 0 && c->on_test.labelled)
        printf("euclidean %.4f (%" PRId64 " of %zu)\n", (double)c->euclid_test / (double)c->on_test.labelled,
               c->euclid_test, c->on_test.labelled);
    printf("seconds   %.4g computing, %.4g in all\n", c->seconds, cli_seconds());
}

static void json_combination(cli_json *json, const choice *c, size_t number) {
    for (size_t i = 0; i < c->axis_count; i++)
        cli_json_text(json, c->axes[i].name, value_of(c, number, i));
}

static void print_json(const choice *c, const cli_command *command) {
    const size_t n = ww_series_set_count(c->s.sets[0]);
    cli_json json;
    cli_head head = cli_series_head(&c->s, NULL);
    head.engine = ww_word(WW_WORD_ENGINE, c->engine);
    head.seconds_compute = c->seconds;
    cli_json_head(&json, stdout, command, &head);
    cli_json_count(&json, "k", c->k);
    cli_json_object(&json, "chosen");
    json_combination(&json, c, c->best);
    cli_json_end(&json);
    cli_json_number(&json, "accuracy", (double)c->correct[c->best] / (double)n, 10);
    cli_json_number(
        &json, "test_accuracy",
        c->s.sets[1] && c->on_test.labelled ? (double)c->on_test.correct / (double)c->on_test.labelled : NAN, 10);
    cli_json_number(&json, "euclidean_accuracy", c->euclid >= 0 ? (double)c->euclid / (double)n : NAN, 10);
    cli_json_array(&json, "tried");
    for (size_t i = 0; i < c->total; i++) {
        cli_json_line(&json);
        cli_json_object(&json, NULL);
        json_combination(&json, c, i);
        cli_json_count(&json, "correct", c->correct[i]);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

// ---- the picture

// The number in a value, and where it begins and ends; false: there is none.
static bool find_number(const char *value, size_t *begin, size_t *end, double *number) {
    char *after;
    *begin = strcspn(value, "0123456789+-."); // "sakoe-chiba:5%" has a minus before its number
    while (value[*begin] && (*number = strtod(value + *begin, &after), after == value + *begin))
        *begin += 1 + strcspn(value + *begin + 1, "0123456789+-.");
    *end = value[*begin] ? (size_t)(after - value) : 0;
    return value[*begin] != '\0' && isfinite(*number);
}

// The numbers of one name's values, which are the same text but for them; NULL: they are not.
static double *take_numbers(const choice *c, char *label, size_t size) {
    const axis *a = &c->axes[0];
    size_t begin, end, first_begin, first_end;
    CLI_FREES double *numbers = c->axis_count == 1 && a->count > 1 ? malloc(a->count * sizeof *numbers) : NULL;
    bool alike = numbers && find_number(a->values[0], &first_begin, &first_end, &numbers[0]);
    for (size_t i = 1; alike && i < a->count; i++)
        alike = find_number(a->values[i], &begin, &end, &numbers[i]) && begin == first_begin &&
                memcmp(a->values[i], a->values[0], begin) == 0 &&
                strcmp(a->values[i] + end, a->values[0] + first_end) == 0;
    if (!alike)
        return NULL;
    snprintf(label, size, "N of %s=%.*sN%s", a->name, (int)first_begin, a->values[0], a->values[0] + first_end);
    return cli_taken(&numbers);
}

static int draw(const choice *c) {
    const size_t n = ww_series_set_count(c->s.sets[0]);
    char label[4 * MOST_TEXT];
    CLI_FREES double *numbers = take_numbers(c, label, sizeof label);
    const cli_choose_picture picture = {.path = c->svg,
                                        .count = c->total,
                                        .best = c->best,
                                        .total = n,
                                        .correct = c->correct,
                                        .euclidean = c->euclid >= 0 ? (double)c->euclid / (double)n : NAN,
                                        .name = name_combination,
                                        .user = c,
                                        .numbers = numbers,
                                        .label = label};
    return cli_choose_draw(&picture);
}

// ---- the command

static void end(choice *c) {
    ww_classification_free(&c->on_test);
    cli_series_end(&c->s);
    for (size_t i = 0; i < c->axis_count; i++)
        free(c->axes[i].values);
    free(c->correct);
}

int cmd_choose(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(end) choice c = {.k = 1, .on_test = WW_CLASSIFICATION_INIT};
    const cli_option options[] = {
        CLI_OPTION(
            "try", 0, CLI_LIST, "NAME=VALUES",
            "values to try of 'band' or a parameter: V,V,FROM..TO,FROM..TO..STEP; several times: all combinations; "
            "default "
            "band=sakoe-chiba:0..20%",
            &c.tried),
        CLI_NUMBER("k", 'k', "K", "neighbours that vote, default 1", &c.k, 1),
        CLI_OPTION("svg", 0, CLI_OUTPUT, "FILE", "draw the accuracy of each candidate", &c.svg),
        CLI_SWITCH("json", 'j', "report as one JSON object", &c.json),
        CLI_GO_ON_OPTIONS(c.s.division),
        CLI_MEASURE_OPTIONS(c.base),
        CLI_ENGINE_OPTION(c.s.device),
        CLI_READ_OPTIONS(c.s.read),
        CLI_DEVICE_OPTIONS(c.s.device),
    };
    CLI_TRY(cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, c.s.paths, 1, 2, NULL));
    CLI_TRY(cli_division_check(command->name, &c.s.division, false));
    CLI_TRY(take_axes(command, &c));
    for (int i = 0; i < 2 && c.s.paths[i]; i++)
        CLI_TRY(cli_read(c.s.paths[i], &c.s.read, i, true, &c.s.sets[i]));
    CLI_TRY(make_measure(command, &c, 0));
    CLI_TRY(cli_fit_times(&c.s.measure, c.s.sets[0], c.s.sets[1]));
    c.s.output = c.svg;
    c.s.division.several = true;
    CLI_TRY(cli_series_open(&c.s));
    CLI_TRY(try_all(command, &c));
    CLI_TRY(cli_division_others_end(&c.s.division));
    CLI_TRY(compare_euclid(&c));
    if (c.svg)
        CLI_TRY(draw(&c));
    if (c.json)
        print_json(&c, command);
    else if (!cli_writes_to_stdout(options, CLI_COUNT_OF(options)))
        print_text(&c);
    return cli_division_finish(&c.s.division);
}
