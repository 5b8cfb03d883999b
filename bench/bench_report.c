// SPDX-License-Identifier: Apache-2.0
// What all suites do alike: which cases run, the JSON of a case, the report of a failure. The tables are the suites'
// own.
#include <inttypes.h>
#include <string.h>

#include "bench.h"

const cli_command bench_command = {
    "bench", "", "Times every case and compares its results with the double reference.",
    "Warm-up, then at least five runs and one second a case; a random sample of the results is verified in the same\n"
    "run, and on a CPU the same cells are also computed by textbook C on one core. The exit status is 1 when a result\n"
    "is wrong, 77 when there is no device. The program is wavewarp-bench; 'wavewarp bench' runs it.",
    NULL};

bool bench_begin(const bench *b, const char *name, int quick, void (*print_header)(void), size_t *ran) {
    const bench_options *o = &b->options;
    if (o->filter ? !strstr(name, o->filter) : o->quick && !quick)
        return false;
    if (o->list)
        puts(name);
    else if (*ran == 0 && !o->json && print_header)
        print_header();
    ++*ran;
    return !o->list;
}

int bench_failure(const char *name, ww_status status) {
    fprintf(stderr, "wavewarp-bench: %s: %s: %s. %s\n", name, ww_status_name(status), ww_last_error()->message,
            ww_last_error()->hint);
    return 1;
}

int bench_skipped(const bench *b, const bench_report *report, const char *why) {
    if (b->options.json) {
        cli_json json;
        bench_json_begin(b, report, &json);
        cli_json_text(&json, "skipped", why);
        cli_json_end(&json);
    } else {
        printf("%-28s skipped: %s\n", report->name, why);
    }
    return 0;
}

const char *bench_ratio(char *text, size_t size, double ratio) {
    if (!(ratio > 0))
        return "-";
    snprintf(text, size, "%.1fx", ratio);
    return text;
}

void bench_report_runs(bench_report *report, bench_runs *runs) {
    report->wall = bench_summary(runs->wall, runs->count);
    report->device = bench_summary(runs->device, runs->count && runs->device[0] > 0 ? runs->count : 0);
}

double bench_report_seconds(const bench_report *report) {
    return report->device.median > 0 ? report->device.median : report->wall.median;
}

bool bench_right(const bench_report *report) {
    return report->error <= report->allowed;
}

void bench_row(const bench_report *r, int name_width, double rate, int own_width, double own) {
    char ratio[32];
    printf("%-*s %-7s %11.3f %11.3f %6.1f%% %10.4g %*.4g %9s %9.2g  %s\n", name_width, r->name, r->engine,
           1e3 * r->device.median, 1e3 * r->wall.median, 100 * r->wall.spread, rate * 1e-9, own_width, own,
           bench_ratio(ratio, sizeof ratio, r->ratio), r->error, bench_right(r) ? "" : "WRONG");
}

void bench_json_begin(const bench *b, const bench_report *report, cli_json *json) {
    char band[] = "sakoe-chiba:"; // the only band that is measured
    const cli_measure_options options = {.band = band};
    cli_head head = CLI_HEAD_INIT;
    head.measure = report->measure;
    head.measure_options = &options;
    head.metric = report->metric;
    head.context = b->context;
    head.precision = ww_word(WW_WORD_PRECISION, report->precision);
    head.engine = report->engine;
    if (report->wall.count)
        head.seconds_compute = report->wall.median;
    if (report->device.count)
        head.seconds_device = report->device.median;
    cli_json_head(json, stdout, &bench_command, &head);
    cli_json_text(json, "driver", b->device.driver);
    cli_json_text(json, "name", report->name);
}

static void write_times(cli_json *json, const char *name, const bench_times *times) {
    if (!times->count) {
        cli_json_null(json, name);
        return;
    }
    cli_json_object(json, name);
    cli_json_number(json, "minimum", times->minimum, 9);
    cli_json_number(json, "median", times->median, 9);
    cli_json_number(json, "spread", times->spread, 4);
    cli_json_count(json, "runs", times->count);
    cli_json_end(json);
}

void bench_json_end(const bench_report *report, cli_json *json) {
    write_times(json, "wall", &report->wall);
    write_times(json, "on_device", &report->device);
    cli_json_number(json, "times_textbook", report->ratio > 0 ? report->ratio : NAN, 4);
    cli_json_count(json, "verified", report->verified);
    cli_json_number(json, "error", report->error, 3); // null: beyond all bounds
    cli_json_number(json, "allowed", report->allowed, 3);
    cli_json_flag(json, "right", bench_right(report));
    cli_json_end(json);
}
