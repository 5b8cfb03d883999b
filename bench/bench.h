// SPDX-License-Identifier: Apache-2.0
// The bench: what is measured, how it is timed, and how it is checked. Uses only the public interface, and of the
// program the tables of options and the JSON.
#ifndef WAVEWARP_BENCH_H
#define WAVEWARP_BENCH_H

#include <stdbool.h>
#include <stdio.h>
#include <wavewarp/wavewarp.h>

#include "base/json.h"

typedef struct bench_options {
    const char *device;
    const char *filter; // part of a case's name; NULL: all
    const char *data;   // folder of real sets (GunPoint/GunPoint_TRAIN.ts ...); NULL: none
    const char *program, *svg;
    int engine;            // ww_engine
    double target_seconds; // one run's length; 0: by device
    uint64_t max_bytes;    // most bytes of series on the device; 0: by device
    bool quick, json, list;
} bench_options;

typedef enum bench_job { BENCH_MATRIX, BENCH_NEAREST, BENCH_PROGRAM, BENCH_CALL } bench_job;

// One case to measure. Rows are queries, columns are the series they are compared with.
typedef struct bench_case {
    char name[64]; // suite/detail
    bench_job job;
    ww_measure_id measure;
    ww_precision precision;
    double band;           // share of the length, Sakoe-Chiba; 0: none
    size_t rows;           // 0: as many as columns
    size_t columns;        // 0: as many as the target time needs
    size_t row_length;     // 0: as the columns
    size_t length;         // shortest column
    size_t max_length;     // longest column
    int quick;             // part of a quick run
    int no_bounds;         // nearest
    const char *gpu, *cpu; // "" when it can run on that kind of device, else why not
} bench_case;

// Times of several runs, in seconds.
typedef struct bench_times {
    double minimum, median;
    double spread; // (maximum - minimum) / median
    size_t count;
} bench_times;

typedef struct bench_result {
    const char *engine;
    size_t rows, columns;
    uint64_t cells;
    double upload;            // seconds; checks included
    double plan;              // seconds; compilation included
    bench_times device, wall; // device: no runs when the device does not say
    double cups;              // cells / median device time, or wall time without it
    double textbook;          // cells per second of textbook C on one core, 0 when not measured
    uint64_t pruned, abandoned;
    size_t verified; // pairs compared with the reference
    double error;    // largest relative error of these
    double allowed;
    char note[128];
} bench_result;

typedef struct bench_speeds bench_speeds; // of cases, for the picture

typedef struct bench {
    bench_options options;
    bench_speeds *speeds;
    ww_context *context;
    ww_device_info device;
} bench;

ww_status bench_measure(const bench_case *c, ww_measure *measure);
// Measures one case. WW_OK with result->error > result->allowed when the results are wrong.
ww_status bench_matrix(const bench *b, const bench_case *c, bench_result *result);
ww_status bench_nearest(const bench *b, const bench_case *c, bench_result *result);
// One call of ww_distance() for a pair, over and over.
ww_status bench_call(const bench *b, const bench_case *c, bench_result *result);
// 0: measured; else result->note says why not.
int bench_program(const bench *b, bench_result *result);

// Suites. Each runs (or, with options.list, names) its selected cases: how many there were. *failed becomes 1 when one
// is wrong.
size_t bench_series(const bench *b, int *failed); // pairs of series: the cases above
size_t bench_knn(const bench *b, int *failed);
size_t bench_search(const bench *b, int *failed);
size_t bench_lsh(const bench *b, int *failed);
size_t bench_index(const bench *b, int *failed);
size_t bench_profile(const bench *b, int *failed);
size_t bench_shapelets(const bench *b, int *failed);
size_t bench_gradient(const bench *b, int *failed);
size_t bench_channels(const bench *b, int *failed);
size_t bench_files(const bench *b, int *failed);
size_t bench_paths(const bench *b, int *failed);

// The timed runs of a case: at least three, then until the time is over or there are `most`.
typedef struct bench_runs {
    double device[50], wall[50], begin, seconds;
    size_t count, most;
} bench_runs;

// ---- bench_report.c

extern const cli_command bench_command;

// What a case's object says in its head and at its end.
typedef struct bench_report {
    const char *name;
    const ww_measure *measure; // NULL: none
    const char *metric;        // of points
    ww_precision precision;
    const char *engine; // NULL: none
    bench_times wall, device;
    double ratio; // to textbook C in the same run; 0: not measured
    size_t verified;
    double error, allowed;
} bench_report;

// Whether a case runs now: it is selected, and --list, which prints its name, was not given. Counts selected ones in
// *ran, and prints the table's header (NULL: none) before its first row.
bool bench_begin(const bench *b, const char *name, int quick, void (*print_header)(void), size_t *ran);
// Reports the library's last error; gives 1.
int bench_failure(const char *name, ww_status status);
// Says why a case can't run here; gives 0.
int bench_skipped(const bench *b, const bench_report *report, const char *why);
// Fills the report's times.
void bench_report_runs(bench_report *report, bench_runs *runs);
// The median on the device, else of the wall.
double bench_report_seconds(const bench_report *report);
// "12.3x", or "-" where it is not measured.
const char *bench_ratio(char *text, size_t size, double ratio);
bool bench_right(const bench_report *report); // no NaN, no error above what is allowed
// A table's row: name, engine, times, 10^9 a second, a figure of the suite's own, ratio, error.
void bench_row(const bench_report *report, int name_width, double rate, int own_width, double own);
// The head of the program's commands, with the case's name; the suite's own fields follow; then the times, what was
// verified, and the object's end.
void bench_json_begin(const bench *b, const bench_report *report, cli_json *json);
void bench_json_end(const bench_report *report, cli_json *json);

// ---- bench_picture.c: cells a second over the length

bench_speeds *bench_speeds_make(void); // NULL when there is no memory
void bench_speeds_free(bench_speeds *speeds);
// Notes a case's speed. Cases of one name but for their length are a line of the picture.
void bench_speeds_add(bench_speeds *speeds, const char *name, size_t length, double cups);
// CLI_GO_ON, or the exit code after the error was reported.
int bench_speeds_draw(const bench_speeds *speeds, const char *device, const char *path);

// ---- bench_bus.c

// Bytes a second from the host to the device; 0: not measured.
typedef struct bench_bus {
    double pinned, pageable;
} bench_bus;
bench_bus bench_bus_measure(const bench *b);

// ---- bench_data.c: series, and their expected results

// Series in the form of a view. A few hundred different ones are repeated for any number: each copy is uploaded
// separately.
typedef struct bench_data {
    ww_series_view view;
    size_t *lengths, *offsets;
    void *values;
    size_t total; // points of all series, as uploaded
} bench_data;

// Random walks, z-normalised, or so many symbols; lengths drawn evenly. 0 when there is no memory.
int bench_data_make(bench_data *data, size_t count, size_t min_length, size_t max_length, size_t symbols,
                    ww_precision precision, uint64_t seed);
// Value t of the first series, over and over.
double bench_data_value(const bench_data *data, size_t t);
void bench_data_free(bench_data *data);

// Compares a random sample of rows x columns results with the double reference. -1 when there is no memory.
int bench_verify(const bench_case *c, const ww_measure *measure, const bench_data *rows, const bench_data *columns,
                 const void *distances, bench_result *result);

// ---- bench_textbook.c

// Cells a second of textbook C on one core at these lengths; 0 when there is none, or no memory.
double bench_textbook(ww_measure_id id, const bench_data *data, size_t n, size_t m, double seconds);
// The same for warping paths under DTW: the matrix kept, and the walk back.
double bench_textbook_paths(const bench_data *data, size_t n, double seconds);
// A distance without a band, with the default parameters, in double. False for a measure that it does not know; a
// negative result when there is no memory.
bool bench_long_pair(ww_measure_id id, const double *x, size_t n, const double *y, size_t m, double *result);

// ---- bench_time.c

double bench_seconds(void);
// Sorts the samples.
bench_times bench_summary(double *samples, size_t count);
bench_runs bench_runs_begin(const bench *b, size_t most);
bool bench_runs_go_on(const bench_runs *runs);
void bench_runs_add(bench_runs *runs, double device, double wall);
// Random number from a state that is never 0.
uint64_t bench_random(uint64_t *state);

#endif
