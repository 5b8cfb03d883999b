// SPDX-License-Identifier: Apache-2.0
// How fast files of series are read, by one thread and by all. Every value is compared with strtod()'s; beside it what
// strtod() alone takes for the same numbers in memory.
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LENGTH = 500 };

typedef struct file_case {
    const char *name, *ending;
    int threads; // 0: all
    int quick;
} file_case;

static const file_case CASES[] = {
    {"read/ts/one", ".ts", 1, 1},       {"read/ts/all", ".ts", 0, 1},       {"read/csv/one", ".csv", 1, 1},
    {"read/csv/all", ".csv", 0, 0},     {"read/tsv/one", ".tsv", 1, 0},     {"read/tsv/all", ".tsv", 0, 0},
    {"read/points/one", ".long", 1, 0}, {"read/points/all", ".long", 0, 0},
};

// A file and the values that are in it.
typedef struct sample {
    char path[1024];
    size_t bytes, series;
    double *values;
    double strtod_seconds;
} sample;

static void write_sample(FILE *file, const char *ending, size_t series, uint64_t *state) {
    const bool points = strcmp(ending, ".long") == 0;
    if (strcmp(ending, ".ts") == 0)
        fputs("@univariate true\n@classLabel true a b\n@data\n", file);
    if (points)
        fputs("series,time,x,y,z,u\n", file);
    for (size_t i = 0; i < series; i++) {
        if (strcmp(ending, ".tsv") == 0)
            fprintf(file, "%zu\t", i % 2);
        for (size_t t = 0; t < LENGTH; t++) {
            if (points && t % 4 == 0)
                fprintf(file, "%zu,%zu,", i, t);
            const bool last = points ? t % 4 == 3 : t + 1 == LENGTH;
            fprintf(file, "%.7g", 8 * (double)(bench_random(state) >> 11) / 9007199254740992.0 - 4);
            fputs(!last                        ? strcmp(ending, ".tsv") == 0 ? "\t" : ","
                  : strcmp(ending, ".ts") == 0 ? i % 2 ? ":a\n" : ":b\n"
                                               : "\n",
                  file);
        }
    }
}

// The numbers of the file by strtod(), which finds the same ones from the first series on.
static bool read_back(sample *s, const char *ending) {
    FILE *file = fopen(s->path, "rb");
    char *text = malloc(s->bytes + 1);
    s->values = malloc(s->series * LENGTH * sizeof *s->values);
    bool good = file && text && s->values && fread(text, 1, s->bytes, file) == s->bytes;
    if (file)
        fclose(file);
    if (good) {
        const bool points = strcmp(ending, ".long") == 0, labelled = strcmp(ending, ".tsv") == 0;
        text[s->bytes] = '\0';
        char *at = strcmp(ending, ".ts") == 0 ? strstr(text, "@data\n") + 6 : points ? strchr(text, '\n') + 1 : text;
        const double start = bench_seconds();
        for (size_t i = 0; i < s->series; i++) {
            if (labelled)
                at = strchr(at, '\t') + 1;
            for (size_t t = 0; t < LENGTH; t++) {
                if (points && t % 4 == 0)
                    at = strchr(strchr(at, ',') + 1, ',') + 1;
                s->values[i * LENGTH + t] = strtod(at, &at);
                at++;
            }
            if (strcmp(ending, ".ts") == 0)
                at += 2; // its label
        }
        s->strtod_seconds = bench_seconds() - start;
    }
    free(text);
    return good;
}

static bool make(const bench *b, const file_case *c, sample *s) {
    const char *folder = getenv("TMPDIR");
    uint64_t state = 20240229;
    const bool points = strcmp(c->ending, ".long") == 0;
    memset(s, 0, sizeof *s);
    s->series = b->options.quick ? 4000 : 28000;
    snprintf(s->path, sizeof s->path, "%s/wavewarp-bench-XXXXXX%s", folder ? folder : "/tmp",
             points ? ".csv" : c->ending);
    const int descriptor = mkstemps(s->path, (int)strlen(points ? ".csv" : c->ending));
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file) {
        if (descriptor >= 0)
            close(descriptor);
        s->path[0] = '\0';
        return false;
    }
    write_sample(file, c->ending, s->series, &state);
    const long size = ftell(file);
    const bool good = !ferror(file) && size > 0;
    s->bytes = good ? (size_t)size : 0;
    return fclose(file) == 0 && good && read_back(s, c->ending);
}

// Values that are not what strtod() gives, to the last bit.
static size_t count_wrong(const sample *s, const ww_series_set *set) {
    size_t wrong = ww_series_set_count(set) != s->series;
    const size_t channels = ww_series_set_channels(set);
    for (size_t i = 0; !wrong && i < s->series; i++) {
        const double *values = ww_series_set_values(set, i);
        const size_t length = LENGTH / channels;
        for (size_t t = 0; t < LENGTH; t++)
            wrong +=
                memcmp(&values[t % channels * length + t / channels], &s->values[i * LENGTH + t], sizeof *values) != 0;
    }
    return wrong;
}

static int measure(const bench *b, const file_case *c, const sample *s) {
    enum { RUNS = 7 };
    double wall[RUNS];
    size_t wrong = 0;
    for (int k = -1; k < RUNS; k++) {
        ww_read_options options = WW_READ_OPTIONS_INIT;
        ww_series_set *set = NULL;
        options.threads = c->threads;
        if (strcmp(c->ending, ".long") == 0) {
            options.series_column = "series";
            options.time_column = "time";
        }
        const double start = bench_seconds();
        const ww_status status = ww_series_set_read(s->path, &options, &set);
        if (status != WW_OK)
            return bench_failure(c->name, status);
        if (k >= 0)
            wall[k] = bench_seconds() - start;
        wrong += count_wrong(s, set);
        ww_series_set_destroy(&set);
    }
    const double megabytes = 1e-6 * (double)s->bytes;
    const size_t values = s->series * LENGTH;
    const bench_report report = {.name = c->name,
                                 .precision = WW_DOUBLE,
                                 .wall = bench_summary(wall, RUNS),
                                 .verified = values,
                                 .error = (double)wrong};
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, &report, &json);
        cli_json_count(&json, "bytes", s->bytes);
        cli_json_count(&json, "values", values);
        cli_json_number(&json, "megabytes_per_second", megabytes / report.wall.median, 4);
        cli_json_number(&json, "strtod_seconds", s->strtod_seconds, 4);
        bench_json_end(&report, &json);
    } else {
        printf("%-28s %8.1f MB %9.1f ms wall %6.1f%%   %7.1f MB/s, strtod() alone %.1f MB/s  %s\n", c->name, megabytes,
               1e3 * report.wall.median, 100 * report.wall.spread, megabytes / report.wall.median,
               megabytes / s->strtod_seconds, wrong ? "WRONG" : "every value verified");
    }
    fflush(stdout);
    return wrong != 0;
}

size_t bench_files(const bench *b, int *failed) {
    size_t ran = 0;
    sample s = {.path = ""};
    const char *there = NULL; // the ending of the sample's file
    for (size_t i = 0; i < CLI_COUNT_OF(CASES); i++) {
        const file_case *c = &CASES[i];
        if (!bench_begin(b, c->name, c->quick, NULL, &ran))
            continue;
        bool good = there && strcmp(there, c->ending) == 0;
        if (!good) {
            if (s.path[0])
                unlink(s.path);
            free(s.values);
            good = make(b, c, &s);
            there = good ? c->ending : NULL;
        }
        if (!good)
            fprintf(stderr, "wavewarp-bench: %s: a file can't be made in the temporary folder\n", c->name);
        *failed |= good ? measure(b, c, &s) : 1;
    }
    if (s.path[0])
        unlink(s.path);
    free(s.values);
    return ran;
}
