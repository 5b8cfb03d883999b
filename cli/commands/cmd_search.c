// SPDX-License-Identifier: Apache-2.0
// wavewarp search: the best matches of queries in streams: files of series, files of plain numbers of any length, and
// standard input while it arrives.
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/precision.h"
#include "base/series_job.h"
#include "commands/commands.h"
#include "pictures/search_picture.h"
#include "results/search_job.h"
#include "results/stream_lines.h"

typedef struct job {
    cli_series_job s; // its sets: queries, and streams but where `raw` is
    const char *paths[CLI_MOST_QUERIES];
    size_t path_count;
    cli_search_wanted wanted;
    const char *svg;
    cli_raw_stream raw; // in place of the set; no file: there is a set
    ww_search *search;
    ww_search_stream *stream;
    ww_search_info did;
    cli_matches found;
} job;

static void job_end(job *j) {
    ww_search_destroy(&j->search);
    ww_search_stream_destroy(&j->stream);
    cli_raw_close(&j->raw);
    cli_matches_free(&j->found);
    cli_series_end(&j->s);
}

// ---- standard input

static int print_now(void *user, size_t query, const ww_match *m) {
    (void)user;
    printf("%zu\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.9g\n", query, m->stream, m->begin, m->end, m->distance);
    return fflush(stdout) != 0 || cli_interrupted() != 0;
}

// Whether more can be read without waiting: the end too.
static bool is_ready(int file) {
    struct pollfd wanted = {.fd = file, .events = POLLIN};
    return poll(&wanted, 1, 0) > 0;
}

// Reads points as they come, and searches what has come before it waits for more: all that is there in one block, up to
// ROOM points or so.
static int follow(job *j, const ww_search_options *options) {
    enum { ROOM = 1 << 16 };
    const size_t channels = ww_series_set_channels(j->s.sets[0]);
    ww_series_view view = WW_SERIES_VIEW_INIT;
    CLI_FREES double *values = malloc((ROOM + ROOM / 2 + 1) * channels * sizeof *values);
    CLI_FREES char *text = malloc(ROOM + 1);
    cli_stream_lines lines = {.read = &j->s.read, .channels = channels};
    size_t used = 0, count = 0;
    bool point;
    if (!values || !text)
        return cli_error("not enough memory");
    CLI_TRY(cli_status(ww_series_set_view(j->s.sets[0], &view)));
    CLI_TRY(cli_status(ww_search_stream_create(j->s.context, &j->s.measure, &view, options, &j->stream)));
    for (ssize_t more = 1; more != 0;) {
        int result = CLI_GO_ON;
        more = read(STDIN_FILENO, text + used, ROOM - used);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            result = cli_error("standard input can't be read: %s", strerror(errno));
        else
            used += (size_t)more;
        if (more == 0 && used)
            text[used++] = '\n'; // the last line has no end
        size_t from = 0;
        for (size_t at = 0; at < used && result == CLI_GO_ON; at++)
            if (text[at] == '\n') {
                text[at] = '\0';
                result = cli_stream_line(&lines, text + from, text + at, values + count * channels, &point);
                count += result == CLI_GO_ON && point;
                from = at + 1;
            }
        // What came before an error is searched too.
        if (count && (more <= 0 || result != CLI_GO_ON || count >= ROOM || !is_ready(STDIN_FILENO))) {
            CLI_TRY(cli_status(ww_search_stream_push(j->stream, values, WW_DOUBLE, count, print_now, j)));
            count = 0;
        }
        CLI_TRY(result);
        memmove(text, text + from, used - from);
        used -= from;
        if (used == ROOM)
            return cli_error("standard input, line %" PRIu64 " is too long", lines.number + 1);
    }
    return cli_status(ww_search_stream_finish(j->stream, print_now, j));
}

// ---- the search

static int read_streams(job *j, const ww_search_options *options) {
    const cli_list *streams = &j->wanted.streams;
    if (cli_raw_named(streams->items[0]))
        return cli_raw_open(streams->items[0], ww_series_set_channels(j->s.sets[0]), &j->raw);
    CLI_TRY(cli_search_read(streams->items, streams->count, &j->s.read, CLI_STREAMS, &j->s.sets[1]));
    const size_t longest = ww_series_set_max_length(j->s.sets[0]), room = ww_series_set_max_length(j->s.sets[1]);
    if (options->kind != WW_SEARCH_SUPER && longest > room)
        cli_note(
            "note: a query of %zu points is longer than every stream, of %zu at most; --kind super finds streams in "
            "queries",
            longest, room);
    return CLI_GO_ON;
}

// The matches in a view, or else in a source.
static ww_status run(job *j, const ww_series_view *streams) {
    ww_match *matches = j->found.matches;
    size_t *found = j->found.found;
    const ww_search_source *source = &j->raw.source;
    j->did = (ww_search_info)WW_SEARCH_INFO_INIT;
    const ww_status status = streams ? ww_search_run(j->search, streams, matches, found)
                                     : ww_search_run_source(j->search, source, matches, found);
    return status == WW_OK ? ww_search_get_info(j->search, &j->did) : status;
}

static int search(job *j, const ww_search_options *options) {
    ww_series_view queries = WW_SERIES_VIEW_INIT, streams = WW_SERIES_VIEW_INIT;
    CLI_TRY(cli_status(ww_series_set_view(j->s.sets[0], &queries)));
    CLI_TRY(cli_status(ww_search_create(j->s.context, &j->s.measure, &queries, options, &j->search)));
    j->found = (cli_matches){.queries = queries.count, .k = options->k, .precision = options->precision};
    CLI_TRY(cli_matches_allocate(&j->found)); // the search has checked k
    if (j->s.sets[1])
        CLI_TRY(cli_status(ww_series_set_view(j->s.sets[1], &streams)));
    return cli_status(run(j, j->s.sets[1] ? &streams : NULL));
}

static int compute(job *j, ww_search_options *options) {
    CLI_TRY(read_streams(j, options));
    cli_series_precision(&j->s);
    if (!j->s.sets[1])
        CLI_TRY(cli_raw_precision(&j->raw, &j->s, j->wanted.streams.items[0]));
    options->precision = cli_precision(&j->s.device);
    cli_plan_options(&j->s.device, &j->s.progress, &j->s.plan);
    cli_progress_unit(&j->s.progress, &j->s.device, j->s.context, "Gplaces", 1e9);
    options->run = j->s.plan.run;
    const int result = search(j, options);
    cli_progress_end();
    cli_shares_report(j->s.context);
    return result;
}

// ---- the picture

static int read_doubles(void *user, uint64_t first, size_t count, double *values) {
    cli_raw_stream *raw = user;
    const size_t all = count * raw->source.channels;
    if (cli_raw_read(raw, first, count, values) != 0)
        return 1;
    if (raw->source.precision == WW_FLOAT)
        for (size_t i = all; i-- > 0;) { // from the last on: a float lies before its double
            float value;
            memcpy(&value, (const char *)values + i * sizeof value, sizeof value);
            values[i] = (double)value;
        }
    return 0;
}

static int draw(job *j, const ww_search_options *options) {
    const cli_search_picture picture = {.path = j->svg,
                                        .queries = j->s.sets[0],
                                        .streams = j->s.sets[1],
                                        .read = read_doubles,
                                        .user = &j->raw,
                                        .length = j->s.sets[1] ? 0 : j->raw.source.length,
                                        .matches = j->found.matches,
                                        .found = j->found.found,
                                        .k = options->k,
                                        .super = options->kind == WW_SEARCH_SUPER,
                                        .znormalised = options->znormalise != 0};
    return cli_search_draw(&picture);
}

// ---- the report

static double share(uint64_t part, uint64_t all) {
    return all ? 100.0 * (double)part / (double)all : 0.0;
}

static void print_json(const job *j, const cli_command *command, const ww_search_options *options) {
    const ww_search_info *info = &j->did;
    cli_json json;
    cli_head head = cli_series_head(&j->s, j->wanted.output);
    head.counts[1] = j->s.sets[1] ? head.counts[1] : 1;
    head.precision = ww_word(WW_WORD_PRECISION, options->precision);
    head.seconds_compute = info->seconds_wall;
    head.seconds_device = info->seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_division_json(&json, &j->s.division);
    cli_json_text(&json, "kind", cli_search_kinds[options->kind]);
    cli_json_count(&json, "k", options->k);
    cli_shares_json(j->s.context, NULL, &json);
    cli_json_count(&json, "places", info->places);
    cli_json_count(&json, "excluded_kim", info->excluded_kim);
    cli_json_count(&json, "excluded_keogh", info->excluded_keogh);
    cli_json_count(&json, "excluded_keogh_turned", info->excluded_keogh_turned);
    cli_json_count(&json, "abandoned", info->abandoned);
    cli_json_count(&json, "cells", info->cells);
    cli_json_count(&json, "cells_started", info->cells_started);
    if (head.output)
        cli_json_null(&json, "matches");
    else
        cli_matches_json(&json, &j->found);
    cli_json_end(&json);
}

static int output(job *j, const cli_command *command, const ww_search_options *options, bool taken) {
    const ww_search_info *info = &j->did;
    if (isatty(STDERR_FILENO))
        fprintf(stderr,
                "%" PRIu64 " places in %.4g s; left out by LB_Kim %.4g %%, LB_Keogh %.4g %%, the other way %.4g %%; "
                "abandoned %.4g %%\n",
                info->places, info->seconds_wall, share(info->excluded_kim, info->places),
                share(info->excluded_keogh, info->places), share(info->excluded_keogh_turned, info->places),
                share(info->abandoned, info->places));
    if (j->wanted.output || !(j->wanted.json || taken))
        CLI_TRY(cli_matches_write(&j->found, j->wanted.output));
    if (j->wanted.json)
        print_json(j, command, options);
    return cli_division_finish(&j->s.division);
}

// ---- the command

static int check(const cli_command *command, job *j, bool follows) {
    const cli_search_wanted *w = &j->wanted;
    CLI_TRY(cli_division_check(command->name, &j->s.division, w->output || j->svg));
    if (follows && cli_divided(&j->s.division))
        return cli_usage(command->name,
                         "a stream that is followed (--in - --threshold D) has no parts and no checkpoint");
    if (follows && (w->json || j->svg || w->output || w->streams.count > 1))
        return cli_usage(
            command->name,
            "a stream that is followed (--in - --threshold D) is the only one, and takes no --output, --json or --svg");
    if (j->s.read.embed && (follows || cli_raw_named(j->s.paths[1])))
        return cli_usage(command->name, "--embed needs streams that are read as a whole: not one that is followed, nor "
                                        "a file of numbers alone (.f32, .f64)");
    if (!cli_divided(&j->s.division))
        return CLI_GO_ON;
    for (size_t i = 0; i < w->streams.count; i++)
        if (strcmp(w->streams.items[i], "-") == 0)
            return cli_usage(command->name, "--checkpoint and --part need streams in files: '-' can't be read again");
    return CLI_GO_ON;
}

int cmd_search(const cli_command *command, int argc, char **argv) {
    CLI_ENDS(job_end) job j = {.wanted = CLI_SEARCH_WANTED_INIT, .raw = {.file = -1}};
    ww_search_options search_options;
    const cli_option options[] = {
        CLI_SEARCH_OPTIONS(j.wanted),
        CLI_OPTION("svg", 0, CLI_OUTPUT, "FILE",
                   "draw the queries with their matches, and the streams with their places", &j.svg),
        CLI_DIVISION_OPTIONS(j.s.division),
        CLI_MEASURE_OPTIONS(j.s.measure_options),
        CLI_READ_OPTIONS(j.s.read),
        CLI_DEVICE_OPTIONS(j.s.device),
    };
    CLI_TRY(
        cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, CLI_MOST_QUERIES, &j.path_count));
    CLI_TRY(cli_search_options(&j.wanted, j.s.read.znormalise, &j.s.device, &search_options));
    j.s.paths[0] = j.paths[0];
    j.s.paths[1] = j.wanted.streams.items[0];
    const bool follows = strcmp(j.s.paths[1], "-") == 0 && j.wanted.threshold;
    CLI_TRY(check(command, &j, follows));
    CLI_TRY(cli_measure_make(command->name, &j.s.measure_options, &j.s.measure));
    CLI_TRY(
        cli_search_read(j.paths, j.path_count, &j.s.read, follows ? CLI_QUERIES_OF_LIVE : CLI_QUERIES, &j.s.sets[0]));
    cli_fit_band(&j.s.measure_options, &j.s.measure, j.s.sets[0], NULL);
    j.s.output = j.wanted.output;
    CLI_TRY(cli_series_open(&j.s));
    if (follows)
        cli_precision_unseen(&j.s.device, j.s.context);
    search_options.precision = cli_precision(&j.s.device);
    if (follows)
        return follow(&j, &search_options);
    CLI_TRY(cli_series_end_part(&j.s, command, j.wanted.json, compute(&j, &search_options)));
    if (j.svg)
        CLI_TRY(draw(&j, &search_options));
    return output(&j, command, &search_options, cli_writes_to_stdout(options, CLI_COUNT_OF(options)));
}
