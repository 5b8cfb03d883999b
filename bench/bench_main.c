// SPDX-License-Identifier: Apache-2.0
// wavewarp-bench: measures everything, and verifies what it measures in the same run. Options and the order of suites.
#include <string.h>

#include "bench.h"

// The exit status that test drivers read as "skipped".
#define EXIT_NO_DEVICE 77

typedef size_t bench_suite(const bench *b, int *failed);

static bench_suite *const SUITES[] = {bench_series,   bench_knn,     bench_search,    bench_lsh,
                                      bench_index,    bench_profile, bench_shapelets, bench_gradient,
                                      bench_channels, bench_files,   bench_paths};

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

static int parse(int argc, char **argv, bench_options *o) {
    const char *seconds = NULL;
    const cli_option options[] = {
        CLI_OPTION("device", 'd', CLI_TEXT, "D", "gpu, cpu, a number from 'wavewarp devices', or part of a name",
                   &o->device),
        CLI_ONE_OF("engine", 'e', "E", "how every pair is computed", &o->engine, cli_engines()),
        CLI_OPTION("filter", 0, CLI_TEXT, "TEXT", "only cases whose name contains TEXT", &o->filter),
        CLI_SWITCH("quick", 0, "a few cases, short runs", &o->quick),
        CLI_SWITCH("list", 0, "names of the cases", &o->list),
        CLI_SWITCH("json", 'j', "one JSON object a line instead of the tables", &o->json),
        CLI_OPTION("svg", 0, CLI_OUTPUT, "FILE", "draw cells a second over the length, of cases of series", &o->svg),
        CLI_OPTION("target-seconds", 0, CLI_TEXT, "S", "length of one run; default: 0.03 on a GPU, 0.3 elsewhere",
                   &seconds),
        CLI_OPTION("max-bytes", 0, CLI_BYTES, "N", "bytes of series on the device at most; default: 1G or what fits",
                   &o->max_bytes),
        CLI_OPTION("data", 0, CLI_TEXT, "FOLDER",
                   "the archive's sets, to time the program from its start to the accuracy", &o->data),
        CLI_OPTION("program", 0, CLI_TEXT, "FILE",
                   "the wavewarp program; default: the one of this build, else the one in PATH", &o->program),
    };
    const int result = cli_parse(&bench_command, options, CLI_COUNT_OF(options), argc, argv, NULL, 0, 0, NULL);
    if (result == CLI_GO_ON && seconds && (!cli_number(seconds, &o->target_seconds) || !(o->target_seconds > 0)))
        return cli_usage(bench_command.name, "--target-seconds is '%s', but must be a number above 0", seconds);
    return result;
}

static int open_device(bench *b) {
    ww_context_options options = WW_CONTEXT_OPTIONS_INIT;
    options.device = b->options.device;
    b->device = (ww_device_info)WW_DEVICE_INFO_INIT;
    ww_status status = ww_context_create(&options, &b->context);
    if (status == WW_OK)
        status = ww_context_get_device_info(b->context, &b->device);
    if (status == WW_OK)
        return CLI_OK;
    cli_fail();
    ww_context_destroy(&b->context);
    return status == WW_ERROR_NO_PLATFORM || status == WW_ERROR_NO_DEVICE ? EXIT_NO_DEVICE : CLI_FAILURE;
}

int main(int argc, char **argv) {
    bench b = {.options = {.program = default_program(argv[0])}};
    size_t ran = 0;
    int failed = 0;

    cli_seconds(); // starts the clock
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("wavewarp-bench %s\n", ww_version());
        return CLI_OK;
    }
    const int done = parse(argc, argv, &b.options);
    if (done != CLI_GO_ON)
        return done;
    const int opened = b.options.list ? CLI_OK : open_device(&b);
    if (opened != CLI_OK)
        return opened;
    if (b.options.svg && !b.options.list && !(b.speeds = bench_speeds_make()))
        return cli_error("not enough memory");
    for (size_t i = 0; i < CLI_COUNT_OF(SUITES); i++)
        ran += SUITES[i](&b, &failed);
    if (b.speeds && ran > 0 && bench_speeds_draw(b.speeds, b.device.name, b.options.svg) != CLI_GO_ON)
        failed = 1;
    bench_speeds_free(b.speeds);
    ww_context_destroy(&b.context);
    if (ran == 0 && b.options.filter)
        return cli_usage(bench_command.name, "no case's name contains '%s' (--list names them)", b.options.filter);
    return failed;
}
