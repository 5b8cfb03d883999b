// SPDX-License-Identifier: Apache-2.0
// wavewarp-bench: measures everything, and verifies what it measures in the same run.
#include "bench.h"

#include <stdlib.h>
#include <string.h>

// The exit status that test drivers read as "skipped".
#define EXIT_NO_DEVICE 77

static const char HELP[] =
    "usage: wavewarp-bench [options]\n"
    "\n"
    "Times every case (warm-up, then at least 5 runs and 1 second), compares a random sample of\n"
    "the results with the double reference, and prints a table. On a CPU the same cells are also\n"
    "given to textbook C on one core. The exit status is 1 when a result is wrong,\n"
    "77 when there is no device.\n"
    "\n"
    "  --device NAME         \"gpu\", \"cpu\", an index, or a part of a name\n"
    "  --engine NAME         lanes, stencil, packed or strips for every case (default: chosen)\n"
    "  --filter TEXT         only cases whose name contains TEXT\n"
    "  --quick               a few cases, short runs\n"
    "  --list                names of the cases\n"
    "  --json                one JSON object a line instead of the table\n"
    "  --target-seconds S    length of one run (default: 0.03 on a GPU, 0.3 elsewhere)\n"
    "  --max-bytes N         most bytes of series on the device (default: 1 GiB or what fits)\n"
    "  --data FOLDER         real sets, for the whole program's start to accuracy\n"
    "  --program FILE        the wavewarp program (default: the one in the same build, else PATH)\n"
    "  --help, --version\n";

static void print_json_text(const char *name, const char *text) {
    printf("\"%s\": \"", name);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            printf("\\u%04x", (unsigned)(unsigned char)*text);
        else
            putchar(*text);
    }
    printf("\", ");
}

static void print_json_times(const char *name, const bench_times *times) {
    if (times->count)
        printf("\"%s\": {\"minimum\": %.9g, \"median\": %.9g, \"spread\": %.4g, \"runs\": %zu}, ", name, times->minimum,
               times->median, times->spread, times->count);
    else
        printf("\"%s\": null, ", name);
}

static void print_json(const bench *b, const bench_case *c, const bench_result *r) {
    printf("{");
    print_json_text("name", c->name);
    print_json_text("measure", ww_measure_info_by_id(c->measure)->name);
    print_json_text("precision", c->precision == WW_DOUBLE ? "double" : "float");
    print_json_text("device", b->device.name);
    print_json_text("platform", b->device.platform);
    print_json_text("driver", b->device.driver);
    print_json_text("version", ww_version());
    print_json_text("engine", r->engine);
    printf("\"rows\": %zu, \"columns\": %zu, \"cells\": %llu, ", r->rows, r->columns, (unsigned long long)r->cells);
    printf("\"seconds_upload\": %.6g, \"seconds_plan\": %.6g, ", r->upload, r->plan);
    print_json_times("seconds_device", &r->device);
    print_json_times("seconds_wall", &r->wall);
    printf("\"gcups\": %.6g, ", r->cups * 1e-9);
    if (r->textbook > 0)
        printf("\"textbook_gcups\": %.4g, \"times_textbook\": %.4g, ", r->textbook * 1e-9, r->cups / r->textbook);
    if (c->job == BENCH_NEAREST)
        printf("\"pairs_pruned\": %llu, \"pairs_abandoned\": %llu, ", (unsigned long long)r->pruned,
               (unsigned long long)r->abandoned);
    print_json_text("note", r->note);
    // JSON has no infinity.
    printf("\"verified\": %zu, \"error\": %.3g, \"allowed\": %.3g, \"right\": %s}\n", r->verified,
           r->error <= 1e300 ? r->error : 1e300, r->allowed, r->error <= r->allowed ? "true" : "false");
}

static void print_header(const bench *b) {
    printf("%s, %s, driver %s\n\n", b->device.name, b->device.platform, b->device.driver);
    printf("%-28s %-8s %10s %11s %11s %7s %10s %9s %9s  %s\n", "case", "engine", "cells", "device ms", "wall ms",
           "spread", "GCUPS", "textbook", "error", "");
}

static void print_row(const bench_case *c, const bench_result *r) {
    const bench_times *times = r->device.count ? &r->device : &r->wall;
    char device[32] = "-", textbook[32] = "-";
    if (r->device.count)
        snprintf(device, sizeof device, "%.3f", 1e3 * r->device.median);
    if (r->textbook > 0)
        snprintf(textbook, sizeof textbook, "%.1fx", r->cups / r->textbook);
    printf("%-28s %-8s %10.3g %11s %11.3f %6.1f%% %10.4g %9s %9.2g  %s%s\n", c->name, r->engine, (double)r->cells,
           device, 1e3 * r->wall.median, 100 * times->spread, r->cups * 1e-9, textbook, r->error,
           r->error <= r->allowed ? "" : "WRONG ", r->note);
}

static void print_skipped(const bench *b, const bench_case *c, const char *why) {
    if (b->options.json) {
        printf("{");
        print_json_text("name", c->name);
        print_json_text("skipped", why);
        printf("\"verified\": 0}\n");
    } else {
        printf("%-28s skipped: %s\n", c->name, why);
    }
}

// "" when the case can run here, else why not.
static const char *reason_to_skip(const bench *b, const bench_case *c) {
    if (c->precision == WW_DOUBLE && !b->device.has_double)
        return "the device has no double";
    return b->device.type == WW_DEVICE_CPU ? c->cpu : c->gpu;
}

// 0: right or skipped; 1: wrong or failed.
static int run_case(bench *b, const bench_case *c) {
    bench_result result = {.engine = ""};
    const char *why = reason_to_skip(b, c);
    ww_status status = WW_OK;

    if (*why) {
        print_skipped(b, c, why);
        return 0;
    }
    if (c->job == BENCH_PROGRAM) {
        if (bench_program(b, &result) != 0) {
            print_skipped(b, c, result.note);
            return 0;
        }
    } else {
        status = c->job == BENCH_NEAREST ? bench_nearest(b, c, &result)
                 : c->job == BENCH_CALL  ? bench_call(b, c, &result)
                                         : bench_matrix(b, c, &result);
    }
    if (status == WW_ERROR_UNSUPPORTED) {
        print_skipped(b, c, ww_last_error()->message);
        return 0;
    }
    if (status != WW_OK) {
        fprintf(stderr, "wavewarp-bench: %s: %s: %s. %s\n", c->name, ww_status_name(status), ww_last_error()->message,
                ww_last_error()->hint);
        return 1;
    }
    if (b->options.json)
        print_json(b, c, &result);
    else
        print_row(c, &result);
    fflush(stdout);
    return !(result.error <= result.allowed);
}

static int selected(const bench_options *options, const bench_case *c) {
    if (options->filter)
        return strstr(c->name, options->filter) != NULL;
    return !options->quick || c->quick;
}

// The program of the same build is in a folder next to the bench's; an installed one is found by PATH.
static const char *default_program(const char *self) {
    static char path[1024];
    const char *slash = strrchr(self, '/');
    if (slash) {
        snprintf(path, sizeof path, "%.*s/../cli/wavewarp", (int)(slash - self), self);
        FILE *file = fopen(path, "rb");
        if (file) {
            fclose(file);
            return path;
        }
    }
    return "wavewarp";
}

// 0: go on; 1: done; 2: usage error.
static int parse(int argc, char **argv, bench_options *options) {
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
            fputs(HELP, stdout);
            return 1;
        } else if (strcmp(name, "--version") == 0) {
            printf("wavewarp-bench %s\n", ww_version());
            return 1;
        } else if (strcmp(name, "--quick") == 0) {
            options->quick = 1;
        } else if (strcmp(name, "--json") == 0) {
            options->json = 1;
        } else if (strcmp(name, "--list") == 0) {
            options->list = 1;
        } else if (i + 1 == argc) {
            fprintf(stderr, "wavewarp-bench: unknown option or missing value: %s (--help lists them)\n", name);
            return 2;
        } else if (strcmp(name, "--device") == 0) {
            options->device = argv[++i];
        } else if (strcmp(name, "--filter") == 0) {
            options->filter = argv[++i];
        } else if (strcmp(name, "--data") == 0) {
            options->data = argv[++i];
        } else if (strcmp(name, "--program") == 0) {
            options->program = argv[++i];
        } else if (strcmp(name, "--target-seconds") == 0) {
            options->target_seconds = strtod(argv[++i], NULL);
        } else if (strcmp(name, "--max-bytes") == 0) {
            options->max_bytes = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(name, "--engine") == 0) {
            if (ww_engine_by_name(argv[++i], &options->engine) != WW_OK) {
                fprintf(stderr, "wavewarp-bench: %s\n", ww_last_error()->message);
                return 2;
            }
        } else {
            fprintf(stderr, "wavewarp-bench: unknown option %s (--help lists them)\n", name);
            return 2;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    bench b = {.options = {.program = default_program(argv[0])}};
    ww_context_options context_options = WW_CONTEXT_OPTIONS_INIT;
    size_t count, ran = 0;
    const bench_case *cases = bench_cases(&count);
    int failed = 0;

    int done = parse(argc, argv, &b.options);
    if (done)
        return done == 2 ? 2 : 0;
    if (b.options.list) {
        for (size_t i = 0; i < count; i++)
            if (selected(&b.options, &cases[i]))
                printf("%s\n", cases[i].name);
        bench_knn(&b, &failed);
        bench_search(&b, &failed);
        bench_lsh(&b, &failed);
        bench_files(&b, &failed);
        return 0;
    }
    context_options.device = b.options.device;
    ww_device_info_init(&b.device, sizeof b.device);
    ww_status status = ww_context_create(&context_options, &b.context);
    if (status == WW_OK)
        status = ww_context_get_device_info(b.context, &b.device);
    if (status != WW_OK) {
        fprintf(stderr, "wavewarp-bench: %s. %s\n", ww_last_error()->message, ww_last_error()->hint);
        ww_context_destroy(&b.context);
        return status == WW_ERROR_NO_PLATFORM || status == WW_ERROR_NO_DEVICE ? EXIT_NO_DEVICE : 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (!selected(&b.options, &cases[i]))
            continue;
        if (ran++ == 0 && !b.options.json)
            print_header(&b);
        failed |= run_case(&b, &cases[i]);
    }
    ran += bench_knn(&b, &failed);
    ran += bench_search(&b, &failed);
    ran += bench_lsh(&b, &failed);
    ran += bench_files(&b, &failed);
    ww_context_destroy(&b.context);
    if (ran == 0) {
        fprintf(stderr, "wavewarp-bench: no case's name contains \"%s\" (--list names them)\n", b.options.filter);
        return 2;
    }
    return failed;
}
