// SPDX-License-Identifier: Apache-2.0
// Functions for several commands: error reports, reading of series, choice of measures and devices. No command is here.
#include "base/common.h"

#include "base/division.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"

// The names of the library's values from 0 up, most of them; then NULL.
#define CHOICES(values, kind)                                                                                          \
    const char *const *values(void) {                                                                                  \
        static const char *names[MOST_CHOICES];                                                                        \
        for (unsigned i = 0; i + 1 < MOST_CHOICES; i++)                                                                \
            if (strcmp(names[i] = ww_word((kind), i), "unknown") == 0 || strcmp(names[i], "user") == 0) {              \
                names[i] = NULL;                                                                                       \
                break;                                                                                                 \
            }                                                                                                          \
        return names;                                                                                                  \
    }
enum { MOST_CHOICES = 16 };
CHOICES(cli_engines, WW_WORD_ENGINE)
CHOICES(cli_precisions, WW_WORD_PRECISION)
CHOICES(cli_costs, WW_WORD_COST) // but that of an expression, which has an option of its own
CHOICES(cli_formats, WW_WORD_FORMAT)
CHOICES(cli_qualities, WW_WORD_SHAPELET_QUALITY)
const char *const cli_rows[] = {"auto", "series", "points", NULL};
const char *const cli_headers[] = {"auto", "yes", "no", NULL};
const char *const cli_axes[] = {"auto", "nct", "ntc", NULL};
const char *const cli_missing[] = {"auto", "error", "interpolate", "drop", NULL};

// ---- errors

// `path` of the series or points, or NULL: it comes before what is wrong in one of them.
static int print_error(const char *path, const ww_error *error) {
    const bool build = error->status == WW_ERROR_BUILD;
    cli_line_clear();
    fputs("wavewarp: ", stderr);
    if (path && error->series >= 0) {
        cli_print_escaped(stderr, path, "");
        fputs(": ", stderr);
    }
    cli_print_escaped(stderr, error->message, "");
    if (error->cl_name[0] && !build)
        fprintf(stderr, ": %s gave %s", error->call[0] ? error->call : "OpenCL", error->cl_name);
    // The hint of a failed build refers to the library's log function; the program prints the log here instead.
    if (error->hint[0] && !build) {
        fputs(" (", stderr);
        cli_print_escaped(stderr, error->hint, "");
        fputs(")", stderr);
    }
    fputc('\n', stderr);
    if (build) {
        cli_print_escaped(stderr, ww_last_build_log(), "\n\t");
        fputc('\n', stderr);
    }
    return CLI_FAILURE;
}

static int fail(const char *path, const ww_error *error) {
    if (error->status == WW_ERROR_PART)
        return CLI_PART;
    if (cli_ranks_of_job && cli_ranks_of_job->failed())
        return CLI_FAILURE;
    // Also what failed otherwise: a driver's compiler that the signal reached loses its files.
    if (cli_interrupted()) {
        cli_line_clear();
        fputs("wavewarp: interrupted\n", stderr);
        return 128 + cli_interrupted();
    }
    return print_error(path, error);
}

int cli_fail_with(const ww_error *error) {
    return fail(NULL, error);
}

int cli_fail(void) {
    return fail(NULL, ww_last_error());
}

int cli_fail_in(const char *path) {
    return fail(path, ww_last_error());
}

int cli_error(const char *format, ...) {
    va_list arguments;
    cli_line_clear();
    va_start(arguments, format);
    cli_message(NULL, format, arguments);
    va_end(arguments);
    return CLI_FAILURE;
}

void cli_note(const char *format, ...) {
    va_list arguments;
    cli_line_clear();
    va_start(arguments, format);
    cli_message(NULL, format, arguments);
    va_end(arguments);
}

// ---- series

static double first_time(const ww_series_set *set) {
    double first = INFINITY;
    for (size_t i = 0; i < ww_series_set_count(set); i++)
        first = fmin(first, ww_series_set_times(set, i)[0]);
    return first;
}

int cli_fit_times(const ww_measure *measure, ww_series_set *a, ww_series_set *b) {
    const bool timed_a = ww_series_set_times(a, 0) != NULL, timed_b = b && ww_series_set_times(b, 0) != NULL;
    const ww_measure_info *info = ww_measure_info_by_id(measure->id);
    if (!timed_a && !timed_b)
        return CLI_GO_ON;
    if (!info->uses_times) {
        fprintf(stderr, "wavewarp: note: %s takes no notice of the time stamps; twed does\n", info->name);
        return CLI_GO_ON;
    }
    if (b && timed_a != timed_b) {
        fprintf(stderr,
                "wavewarp: note: only the %s file has time stamps; the points of the other are at 1, 2, 3, ...\n",
                timed_a ? "first" : "second");
        return CLI_GO_ON;
    }
    const double first = b ? fmin(first_time(a), first_time(b)) : first_time(a);
    CLI_TRY(cli_status(ww_series_set_shift_times(a, -first)));
    return b ? cli_status(ww_series_set_shift_times(b, -first)) : CLI_GO_ON;
}

// ---- measures

static const char *next_measure(void *walk) {
    size_t *at = walk;
    const ww_measure_info *info = ww_measure_info_at((*at)++);
    return info ? info->name : NULL;
}

int cli_unknown_measure(const char *command, const char *name) {
    static const struct {
        const char *name, *hint;
    } others[] = {
        {"euclidean", "-m dtw --band sakoe-chiba:0 --root, for series of one length"},
        {"euclid", "-m dtw --band sakoe-chiba:0 --root, for series of one length"},
        {"ed", "-m dtw --band sakoe-chiba:0 --root, for series of one length (edit distance: levenshtein, edr)"},
        {"soft-dtw", "-m dtw --soft GAMMA"},
        {"soft_dtw", "-m dtw --soft GAMMA"},
        {"softdtw", "-m dtw --soft GAMMA"},
    };
    size_t walk = 0;
    for (size_t i = 0; i < CLI_COUNT_OF(others); i++)
        if (strcasecmp(others[i].name, name) == 0)
            return cli_usage(command, "there is no measure '%s': it is %s", name, others[i].hint);
    const char *closest = cli_closest(name, next_measure, &walk);
    if (closest)
        return cli_usage(command, "unknown measure '%s'; did you mean '%s'?", name, closest);
    return cli_usage(command, "unknown measure '%s'; 'wavewarp measures' lists them", name);
}

// A band of rows from a file of lines "lo hi".
static int read_band_rows(const char *path, ww_band *band) {
    const cli_read_options plain = {.format = WW_FORMAT_CSV, .rows = WW_ROWS_SERIES, .labels = "none", .quiet = true};
    CLI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    CLI_TRY(cli_read(path, &plain, 0, true, &set));
    const size_t rows = ww_series_set_count(set);
    CLI_FREES size_t *lo = calloc(rows, sizeof *lo);
    CLI_FREES size_t *hi = calloc(rows, sizeof *hi);
    if (!lo || !hi)
        return cli_error("out of memory");
    for (size_t i = 0; i < rows; i++) {
        const double *interval = ww_series_set_values(set, i);
        if (ww_series_set_length(set, i) != 2 || !(interval[0] >= 0 && interval[0] <= interval[1]) ||
            interval[1] > 9e15 || interval[0] != floor(interval[0]) || interval[1] != floor(interval[1]))
            return cli_error("%s: row %zu is not two columns lo <= hi", path, i);
        lo[i] = (size_t)interval[0];
        hi[i] = (size_t)interval[1];
    }
    *band = (ww_band){WW_BAND_ROWS, 0.0, cli_taken(&lo), cli_taken(&hi), rows};
    return CLI_GO_ON;
}

// Another length than 0 stands for the longest series, which is not read yet: cli_fit_band().
static int parse_band(const char *command, const char *text, ww_band *band) {
    if (strncmp(text, "rows:", 5) == 0)
        return read_band_rows(text + 5, band);
    if (ww_band_parse(text, 1, band) == WW_OK)
        return CLI_GO_ON;
    const ww_error *error = ww_last_error();
    return cli_usage(command, "--band: %s%s%s%s", error->message, error->hint[0] ? " (" : "", error->hint,
                     error->hint[0] ? ")" : "");
}

void cli_fit_band(const cli_measure_options *options, ww_measure *measure, const ww_series_set *a,
                  const ww_series_set *b) {
    const size_t of_a = ww_series_set_max_length(a), of_b = b ? ww_series_set_max_length(b) : 0;
    // It was parsed before: a percentage is the one text that the length changes.
    if (options->band && measure->band.kind != WW_BAND_ROWS)
        (void)(ww_band_parse(options->band, of_a > of_b ? of_a : of_b, &measure->band) == WW_OK);
}

static int set_parameter(const char *command, ww_measure *measure, const char *text) {
    char name[64];
    double value;
    const size_t length = strcspn(text, "=");
    if (text[length] != '=' || length >= sizeof name || !cli_number(text + length + 1, &value))
        return cli_usage(command, "--param is '%s', but must be NAME=NUMBER", text);
    memcpy(name, text, length);
    name[length] = '\0';
    return cli_status(ww_measure_set(measure, name, value));
}

// A recurrence's text, whole.
static int read_recurrence(const char *path, ww_measure *measure) {
    enum { MOST = 1 << 20 };
    CLI_ENDS(cli_file_close) FILE *file = fopen(path, "rb");
    if (!file)
        return cli_error("%s: %s", path, strerror(errno));
    CLI_FREES char *text = malloc(MOST + 1);
    if (!text)
        return cli_error("out of memory");
    const size_t length = fread(text, 1, MOST, file);
    if (ferror(file))
        return cli_error("%s: %s", path, strerror(errno));
    text[length] = '\0';
    if (fgetc(file) != EOF || strlen(text) != length)
        return cli_error("%s: not a text of a recurrence: it is too long, or has a zero byte", path);
    measure->recurrence = cli_taken(&text);
    measure->recurrence_name = path;
    return CLI_GO_ON;
}

static int parse_relax(const char *command, const char *text, ww_measure *measure) {
    char word[256];
    const int length = snprintf(word, sizeof word, "relax=%s", text);
    if (length >= 0 && (size_t)length < sizeof word && ww_measure_set_text(measure, word, 0) == WW_OK)
        return CLI_GO_ON;
    return cli_usage(command, "--relax is '%s', but must be four counts BX,EX,BY,EY, each a number or all", text);
}

int cli_measure_make(const char *command, const cli_measure_options *options, ww_measure *measure) {
    memset(measure, 0, sizeof *measure);
    const char *name = options->measure ? options->measure : options->recurrence ? "user" : "dtw";
    const ww_measure_info *info = ww_measure_info_by_name(name);
    if (!info)
        return cli_unknown_measure(command, name);
    CLI_TRY(cli_status(ww_measure_init(measure, sizeof *measure, info->id)));
    measure->cost = (ww_cost)options->cost;
    if (options->cost_expression) {
        if (options->cost != 0)
            return cli_usage(command, "--cost and --cost-expr exclude each other");
        measure->cost = WW_COST_USER;
        measure->cost_expression = options->cost_expression;
    }
    if (options->recurrence) {
        if (measure->id != WW_USER)
            return cli_usage(command, "--recurrence and --measure exclude each other");
        CLI_TRY(read_recurrence(options->recurrence, measure));
    } else if (measure->id == WW_USER) {
        return cli_usage(command, "the measure 'user' needs --recurrence FILE");
    }
    measure->root = options->root;
    if (options->independent && options->dependent)
        return cli_usage(command, "--independent and --dependent exclude each other");
    if (options->independent || options->dependent)
        measure->independent = options->independent;
    if (options->soft && (!cli_number(options->soft, &measure->gamma) || !(measure->gamma > 0)))
        return cli_usage(command, "--soft is '%s', but must be a number above 0", options->soft);
    if (options->relax)
        CLI_TRY(parse_relax(command, options->relax, measure));
    for (size_t i = 0; i < options->parameters.count; i++)
        CLI_TRY(set_parameter(command, measure, options->parameters.items[i]));
    return options->band ? parse_band(command, options->band, &measure->band) : CLI_GO_ON;
}

void cli_measure_free(ww_measure *measure) {
    cli_free_taken(&measure->band.lo);
    cli_free_taken(&measure->band.hi);
    cli_free_taken(&measure->recurrence);
}

// ---- device

static void print_log(void *user, int level, const char *text) {
    static const char *const levels[] = {"error", "warning", "info", "detail"};
    (void)user;
    fprintf(stderr, "wavewarp: %s: ", levels[level < 0 ? 0 : level > 3 ? 3 : level]);
    cli_print_escaped(stderr, text, "\n\t");
    fputc('\n', stderr);
}

void cli_context_options(const cli_device_options *options, ww_context_options *open) {
    open->device = options->device;
    open->kernel_dir = options->kernel_dir;
    open->tuning_file = options->tuning;
    open->threads = options->threads < UINT_MAX ? (unsigned)options->threads : UINT_MAX;
    open->log = options->verbose ? print_log : cli_log_compiling;
    open->store = options->store;
}

int cli_context_open(const cli_device_options *options, ww_context **context) {
    ww_context_options open = WW_CONTEXT_OPTIONS_INIT;
    cli_context_options(options, &open);
    return cli_status(ww_context_create(&open, context));
}

ww_precision cli_precision(const cli_device_options *options) {
    return options->precision || options->asked > 1 ? WW_DOUBLE : WW_FLOAT;
}

int cli_dataset_make(ww_context *context, const cli_device_options *options, const char *path, ww_series_set *set,
                     ww_dataset **dataset) {
    ww_dataset_options make = WW_DATASET_OPTIONS_INIT;
    make.precision = cli_precision(options);
    make.max_bytes = options->max_bytes;
    return ww_dataset_create_from_set(context, set, &make, dataset) == WW_OK ? CLI_GO_ON : cli_fail_in(path);
}

int cli_values_allocate(uint64_t a, uint64_t b, ww_precision precision, void **values) {
    const uint64_t size = cli_value_bytes(precision);
    if (b && a > SIZE_MAX / size / b)
        return cli_error("%" PRIu64 " x %" PRIu64 " distances do not fit memory", a, b);
    *values = malloc(a && b ? (size_t)(a * b * size) : 1);
    if (!*values)
        return cli_error("%" PRIu64 " bytes of distances do not fit memory", a * b * size);
    return CLI_GO_ON;
}

double cli_value_at(const void *values, ww_precision precision, size_t i) {
    return precision == WW_DOUBLE ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

void cli_value_put(void *values, ww_precision precision, size_t i, double value) {
    if (precision == WW_DOUBLE)
        ((double *)values)[i] = value;
    else
        ((float *)values)[i] = (float)value;
}

void cli_array_drop(ww_array_file **file) {
    const ww_status removed = ww_array_file_close(file, WW_ARRAY_FILE_REMOVE);
    (void)removed; // there is nothing more to do
}

char *cli_text(const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    const bool full = vasprintf(&text, format, arguments) >= 0;
    va_end(arguments);
    return full ? text : NULL;
}

bool cli_name_ends_with(const char *path, const char *ending) {
    const size_t length = strlen(path), size = strlen(ending);
    return length >= size && strcasecmp(path + length - size, ending) == 0;
}

bool cli_is_similarity(const ww_measure *measure) {
    return ww_measure_is_similarity(measure);
}

int cli_need_distances(const ww_measure *measure) {
    if (!cli_is_similarity(measure))
        return CLI_GO_ON;
    return cli_error("%s is a similarity: clusters of it would join the series least alike; %s is a distance",
                     measure->id == WW_LCSS ? "lcss with similarity=1" : "lcs",
                     measure->id == WW_LCSS ? "lcss without it" : "levenshtein");
}
