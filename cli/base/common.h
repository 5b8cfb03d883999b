// SPDX-License-Identifier: Apache-2.0
// What the commands share: option groups, reading, measures, contexts, progress, errors. JSON is in json.h.
#ifndef WAVEWARP_CLI_COMMON_H
#define WAVEWARP_CLI_COMMON_H

#include <stdio.h>
#include <wavewarp/wavewarp.h>

#include "base/arguments.h"
#include "base/release.h"

// Choices of options: names of the library's values, then NULL.
const char *const *cli_engines(void);
const char *const *cli_precisions(void);
const char *const *cli_costs(void);
const char *const *cli_formats(void);
const char *const *cli_qualities(void);
extern const char *const cli_rows[], *const cli_headers[], *const cli_axes[], *const cli_missing[];

// ---- option groups: a struct of values, and rows for a command's table

typedef struct cli_measure_options {
    const char *measure, *band, *cost_expression, *recurrence, *relax, *soft;
    int cost;
    bool root, independent, dependent;
    cli_list parameters;
} cli_measure_options;

#define CLI_MEASURE_OPTIONS(m)                                                                                         \
    CLI_OPTION("measure", 'm', CLI_TEXT, "NAME", "elastic measure, default dtw; see 'wavewarp measures'",              \
               &(m).measure),                                                                                          \
        CLI_OPTION("band", 'b', CLI_TEXT, "KIND:WIDTH",                                                                \
                   "sakoe-chiba:R or :P%, corner:R or :P%, slanted:F, itakura:S, rows:FILE", &(m).band),               \
        CLI_ONE_OF("cost", 'c', "COST", "cost of two points", &(m).cost, cli_costs()),                                 \
        CLI_OPTION("cost-expr", 0, CLI_TEXT, "EXPR", "cost of two points as OpenCL C over x and y: 'fabs(x - y)'",     \
                   &(m).cost_expression),                                                                              \
        CLI_OPTION("recurrence", 0, CLI_FILE, "FILE", "a recurrence of your own, in OpenCL C; see docs/kernels.md",    \
                   &(m).recurrence),                                                                                   \
        CLI_SWITCH("root", 0, "square root of the final value", &(m).root),                                            \
        CLI_SWITCH("independent", 0, "sum over channels of the measure of each channel alone", &(m).independent),      \
        CLI_SWITCH("dependent", 0, "a point is all its channels; default but for msm", &(m).dependent),                \
        CLI_OPTION("relax", 0, CLI_TEXT, "BX,EX,BY,EY",                                                                \
                   "open ends: points to skip at begin and end of x and y, or 'all'", &(m).relax),                     \
        CLI_OPTION("soft", 0, CLI_TEXT, "GAMMA", "the soft minimum: soft-DTW and its kin", &(m).soft),                 \
        CLI_OPTION("gamma", 0, CLI_TEXT, "GAMMA", "the same as --soft", &(m).soft),                                    \
        CLI_OPTION("param", 'p', CLI_LIST, "NAME=VALUE", "a parameter of the measure; may be given several times",     \
                   &(m).parameters)

typedef struct cli_device_options {
    const char *device, *kernel_dir, *tuning;
    int engine;
    int asked;     // for a precision: 0 none, 1 float, 2 double
    int precision; // WW_DOUBLE where the job is to be in double all the same
    uint64_t max_bytes, threads;
    bool verbose;
    ww_store *store; // what the context works with; NULL: none
} cli_device_options;

// In addition to CLI_DEVICE_OPTIONS, for commands that compare series.
#define CLI_ENGINE_OPTION(d) CLI_ONE_OF("engine", 'e', "E", "how a pair is computed", &(d).engine, cli_engines())

#define CLI_DEVICE_OPTIONS(d)                                                                                          \
    CLI_HEADING("Device"),                                                                                             \
        CLI_OPTION("device", 'd', CLI_TEXT, "D",                                                                       \
                   "gpu, cpu, a number from 'wavewarp devices', or part of a name; some commands also take all, gpus " \
                   "or a list",                                                                                        \
                   &(d).device),                                                                                       \
        CLI_ONE_OF_OR_NONE("precision", 0, "P",                                                                        \
                           "precision of the numbers; default: float, or double where float loses digits", &(d).asked, \
                           cli_precisions()),                                                                          \
        CLI_OPTION("max-bytes", 0, CLI_BYTES, "N", "device memory at most, such as 512M; default: as fits",            \
                   &(d).max_bytes),                                                                                    \
        CLI_NUMBER("threads", 0, "N", "processors of a CPU to use, default all", &(d).threads, 1),                     \
        CLI_OPTION("kernel-dir", 0, CLI_TEXT, "DIR", "folder of the kernels' sources", &(d).kernel_dir),               \
        CLI_OPTION("tuning", 0, CLI_FILE, "FILE", "file of tuning parameters", &(d).tuning),                           \
        CLI_SWITCH("verbose", 'v', "say on standard error what the library does", &(d).verbose)

typedef struct cli_read_options {
    int format, axes, rows, header, missing;
    bool znormalise, quiet; // quiet: without notices
    uint64_t embed;         // neighbours on each side that each point has as channels
    const char *labels, *columns, *time_column, *series_column;
    cli_list times;
} cli_read_options;

enum { CLI_MISSING_AUTO = 0, CLI_MISSING_ERROR = 1 }; // of cli_missing; then the library's but for WW_MISSING_KEEP

#define CLI_READ_OPTIONS(r)                                                                                            \
    CLI_HEADING("Files"),                                                                                              \
        CLI_ONE_OF("format", 0, "F", "format of what is read; auto goes by content", &(r).format, cli_formats()),      \
        CLI_ONE_OF("rows", 0, "WHAT", "what a line of .csv, .tsv or .txt is, or a row of a 2-D .npy", &(r).rows,       \
                   cli_rows),                                                                                          \
        CLI_OPTION("columns", 0, CLI_TEXT, "LIST", ".csv, .tsv: columns with values, by name or number: x,y or 2-13",  \
                   &(r).columns),                                                                                      \
        CLI_ONE_OF("header", 0, "IS", "whether the first line names the columns", &(r).header, cli_headers),           \
        CLI_OPTION("labels", 0, CLI_TEXT, "WHERE", "class labels in .csv, .tsv: auto, none, first, last, or a column", \
                   &(r).labels),                                                                                       \
        CLI_OPTION("csv-label", 0, CLI_TEXT, "WHERE", "the same as --labels", &(r).labels),                            \
        CLI_ONE_OF("axes", 0, "ORDER", "order of a 3-D .npy: n series, c channels, t points in time", &(r).axes,       \
                   cli_axes),                                                                                          \
        CLI_ONE_OF("missing", 0, "DO", "missing values are an error, are filled in, or their points are dropped",      \
                   &(r).missing, cli_missing),                                                                         \
        CLI_OPTION("times", 0, CLI_INPUTS, "FILE",                                                                     \
                   "time stamps: a row a series, or one for all; again for the second file", &(r).times),              \
        CLI_OPTION("time-column", 0, CLI_TEXT, "COL",                                                                  \
                   ".csv of a point a row: name or number of the time stamps' column", &(r).time_column),              \
        CLI_OPTION("series-column", 0, CLI_TEXT, "COL", ".csv of a point a row: the column that names the series",     \
                   &(r).series_column),                                                                                \
        CLI_SWITCH("znorm", 'z', "z-normalise every channel of every series", &(r).znormalise),                        \
        CLI_NUMBER("embed", 0, "R",                                                                                    \
                   "each point has the R points before and behind it as channels: shape DTW; after --znorm",           \
                   &(r).embed, 0)

#define CLI_COUNT_OF(array) (sizeof(array) / sizeof *(array))

// ---- functions. Those that return an int return CLI_GO_ON, or the exit code after the error was reported.

// Reports the library's last error; gives the exit code, or CLI_PART.
int cli_fail(void);
// Of a call of the library: reports its failure.
static inline int cli_status(ww_status status) {
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}
int cli_fail_with(const ww_error *error);
// The same; what is wrong in a series or a point follows the path of its file. `path` NULL: as cli_fail().
int cli_fail_in(const char *path);
// Reports an error of the program's own; gives CLI_FAILURE.
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Says what is no error.
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Reads the first (0) or second (1) file and, where asked, z-normalises; prints the notices, in one line. With
// `complete`, a missing value is an error unless an option says what to do.
int cli_read(const char *path, const cli_read_options *options, int which, bool complete, ww_series_set **set);
// Shifts the time stamps of two sets (the second may be NULL) to small values, which are exact in float; prints a note
// where the measure does not use them.
int cli_fit_times(const ww_measure *measure, ww_series_set *a, ww_series_set *b);

// Turns a width in percent into points: of the longest series of both sets, rounded down.
void cli_fit_band(const cli_measure_options *options, ww_measure *measure, const ww_series_set *a,
                  const ww_series_set *b);

// A measure from its options. cli_measure_free() frees what a band of rows holds.
int cli_measure_make(const char *command, const cli_measure_options *options, ww_measure *measure);
void cli_measure_free(ww_measure *measure);
// Whether larger means more similar.
bool cli_is_similarity(const ww_measure *measure);
// Refuses a similarity where distances are needed.
int cli_need_distances(const ww_measure *measure);
// Reports an unknown measure.
int cli_unknown_measure(const char *command, const char *name);

void cli_context_options(const cli_device_options *options, ww_context_options *open);
int cli_context_open(const cli_device_options *options, ww_context **context);
int cli_dataset_make(ww_context *context, const cli_device_options *options, const char *path, ww_series_set *set,
                     ww_dataset **dataset);
ww_precision cli_precision(const cli_device_options *options);
static inline size_t cli_value_bytes(ww_precision precision) {
    return precision == WW_DOUBLE ? sizeof(double) : sizeof(float);
}
// Memory for `a * b` values; reports the failure.
int cli_values_allocate(uint64_t a, uint64_t b, ww_precision precision, void **values);
double cli_value_at(const void *values, ww_precision precision, size_t i);
void cli_value_put(void *values, ww_precision precision, size_t i, double value);

// A context's log function: says on standard error what the program waits for while the library compiles, on a terminal
// as long as it lasts, else once when it takes seconds.
void cli_log_compiling(void *user, int level, const char *text);
// Progress: a bar on standard error where that is a terminal, else a line a minute. From cli_plan_options() to
// cli_progress_end() an interrupt (Ctrl-C) cancels the plan.
typedef struct cli_progress {
    double start, shown, interval;
    bool terminal;
    ww_run_options run; // options of plans and searches: must live as long as these
    const char *unit;   // of the rate; NULL: it is not told
    double each;        // what is counted, a unit
} cli_progress;
void cli_plan_options(const cli_device_options *options, cli_progress *progress, ww_plan_options *plan);
// After cli_plan_options(), for work that counts no cells: `unit` is `each` of what it counts, NULL if that is not one
// thing. Several devices, and those of a store, divide it by other numbers: then the rate is not told.
void cli_progress_unit(cli_progress *progress, const cli_device_options *options, const ww_context *context,
                       const char *unit, double each);
void cli_progress_end(void);

// ---- interrupts (interrupt.c): SIGINT, SIGTERM, SIGHUP end the program within a second, with 128 + the signal's
// number

void cli_interrupt_begin(void);               // at the program's start
int cli_interrupted(void);                    // the signal that came, 0 none
void cli_interrupt_cancels(bool does);        // whether work looks at cli_interrupted() and ends by itself
void cli_interrupt_says(const char *line);    // what an end on the spot says last, with its newline; NULL: nothing
void cli_interrupt_removes(const char *path); // what to remove where it is still empty; NULL: nothing
void cli_line_begin(void);                    // the terminal's line is a bar, which a message takes away first
void cli_line_clear(void);

double cli_seconds(void);                        // since the program started
double cli_rate(uint64_t cells, double seconds); // cells per second, 0 when it took no time

// Removes a file that is not finished.
void cli_array_drop(ww_array_file **file);
// A text file that gets its name only when complete ("-": standard output).
typedef struct cli_output {
    FILE *file;
    ww_file *target;
} cli_output;
int cli_output_open(const char *path, cli_output *output);
// Ends the stream and brings the file to the disk; what is left is its name.
int cli_output_finish(cli_output *output);
// Finishes it and gives it its name; where that fails it is removed.
int cli_output_close(cli_output *output);
void cli_output_drop(cli_output *output); // removes it

// Writes a line a series with its own and its predicted label (NULL: none), by tabs, or in .csv by commas; "-":
// standard output.
int cli_save_predictions(const char *path, size_t count, const char *(*label)(const void *user, size_t i),
                         const char *(*predicted)(const void *user, size_t i), const void *user);

// The option that settles what a notice is about.
const char *cli_notice_option(ww_notice kind);
// Says what a format drops of a set that is to be written; `format` as by cli_formats.
void cli_note_dropped(const ww_series_set *set, const char *path, int format);

// Text in memory of its own; NULL: not enough memory.
char *cli_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Whether a file's name has this ending, in upper or lower case.
bool cli_name_ends_with(const char *path, const char *ending);

#endif
