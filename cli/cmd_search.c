// SPDX-License-Identifier: Apache-2.0
// wavewarp search: the best matches of queries in streams: files of series, files of plain numbers of any length, and
// standard input while it arrives.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "group_job.h"
#include "json.h"
#include "search_picture.h"

enum { MOST_QUERIES = 32 };

static const char *const kinds[] = {"open", "windows", "super", NULL};

typedef struct job {
    cli_measure_options measure_options;
    cli_device_options device;
    cli_read_options read;
    const char *paths[MOST_QUERIES];
    size_t path_count;
    cli_list streams;
    uint64_t k, exclusion;
    const char *threshold, *svg;
    int kind;
    bool json, no_bounds;
    ww_measure measure;
    ww_series_set *queries, *stream_set;
    ww_context *context;
    cli_progress progress;
    ww_group *group; // several devices; then there is neither a context nor a search
    ww_search *search;
    ww_search_stream *stream;
    ww_match *matches;
    size_t *found;
    size_t query_count;
} job;

static void job_end(job *j) {
    ww_search_destroy(&j->search);
    ww_search_stream_destroy(&j->stream);
    ww_group_destroy(&j->group);
    ww_context_destroy(&j->context);
    ww_series_set_destroy(&j->stream_set);
    ww_series_set_destroy(&j->queries);
    cli_measure_free(&j->measure);
    free(j->matches);
    free(j->found);
}

// Appends the series of a file.
static int read_into(job *j, const char *path, ww_series_set **all) {
    cli_read_options plain = j->read;
    ww_series_set *set = NULL;
    plain.znormalise = false; // every window is
    int result = cli_read(path, &plain, all == &j->queries ? 0 : 1, all == &j->queries, &set);
    if (result != CLI_GO_ON)
        return result;
    if (!*all) {
        *all = set;
        return CLI_GO_ON;
    }
    if (ww_series_set_channels(*all) != ww_series_set_channels(set))
        result = cli_error("%s: %zu channels, the file before has %zu", path, ww_series_set_channels(set),
                           ww_series_set_channels(*all));
    for (size_t i = 0; result == CLI_GO_ON && i < ww_series_set_count(set); i++)
        if (ww_series_set_add(*all, ww_series_set_length(set, i), ww_series_set_values(set, i),
                              ww_series_set_label(set, i)) != WW_OK)
            result = cli_fail();
    ww_series_set_destroy(&set);
    return result;
}

static int make_options(job *j, ww_search_options *options) {
    double threshold = 0;
    options->kind = (ww_search_kind)j->kind;
    options->znormalise = j->read.znormalise;
    if (j->read.znormalise)
        options->kind = WW_SEARCH_WINDOWS;
    options->k = (size_t)j->k;
    options->exclusion = j->exclusion == UINT64_MAX ? WW_SEARCH_HALF : (size_t)j->exclusion;
    options->no_bounds = j->no_bounds;
    options->precision = cli_precision(&j->device);
    if (j->threshold) {
        if (!cli_number(j->threshold, &threshold))
            return cli_usage("search", "--threshold '%s' is not a number", j->threshold);
        options->has_threshold = 1;
        options->threshold = threshold;
    }
    return CLI_GO_ON;
}

static void print_match(size_t query, const ww_match *m) {
    printf("%zu\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.9g\n", query, m->stream, m->begin, m->end, m->distance);
}

// ---- files of plain numbers

typedef struct raw_file {
    int file;
    size_t bytes; // of a point
} raw_file;

// Called by several threads at once.
static int read_raw(void *user, uint64_t first, size_t count, void *values) {
    const raw_file *raw = user;
    const size_t all = count * raw->bytes;
    for (size_t at = 0; at < all;) {
        const ssize_t more = pread(raw->file, (unsigned char *)values + at, all - at, (off_t)(first * raw->bytes + at));
        if (more > 0)
            at += (size_t)more;
        else if (more == 0 || errno != EINTR)
            return 1;
    }
    return 0;
}

// By its name: whether it is a file of plain numbers, and of which.
static ww_precision raw_precision(const char *path, bool *raw) {
    *raw = cli_name_ends_with(path, ".f32") || cli_name_ends_with(path, ".f64");
    return cli_name_ends_with(path, ".f64") ? WW_DOUBLE : WW_FLOAT;
}

// The matches in a view, or else in a source.
static ww_status run(job *j, const ww_series_view *queries, const ww_search_options *options,
                     const ww_series_view *streams, const ww_search_source *source) {
    if (j->group)
        return streams ? ww_group_search(j->group, &j->measure, queries, options, streams, j->matches, j->found)
                       : ww_group_search_source(j->group, &j->measure, queries, options, source, j->matches, j->found);
    return streams ? ww_search_run(j->search, streams, j->matches, j->found)
                   : ww_search_run_source(j->search, source, j->matches, j->found);
}

static int run_raw(job *j, const ww_series_view *queries, const ww_search_options *options, const char *path) {
    ww_search_source source = WW_SEARCH_SOURCE_INIT;
    bool raw_name;
    raw_file raw = {-1, 0};
    int result = CLI_GO_ON;
    source.precision = raw_precision(path, &raw_name);
    source.channels = ww_series_set_channels(j->queries);
    source.read = read_raw;
    source.concurrent = 1;
    source.user = &raw;
    raw.bytes = source.channels * cli_value_bytes(source.precision);
    raw.file = open(path, O_RDONLY | O_CLOEXEC);
    if (raw.file < 0)
        return cli_error("%s: %s", path, strerror(errno));
    const off_t bytes = lseek(raw.file, 0, SEEK_END);
    if (bytes < 0)
        result = cli_error("%s: plain numbers are read from a file, not from a pipe", path);
    else if (bytes == 0)
        result = cli_error("%s: no points", path);
    else if ((uint64_t)bytes % raw.bytes != 0)
        result = cli_error("%s: its size is no whole number of points of %zu bytes", path, raw.bytes);
    source.length = (uint64_t)bytes / raw.bytes;
    if (result == CLI_GO_ON && run(j, queries, options, NULL, &source) != WW_OK)
        result = cli_fail();
    close(raw.file);
    return result;
}

// ---- standard input

static int print_now(void *user, size_t query, const ww_match *match) {
    (void)user;
    print_match(query, match);
    return fflush(stdout) != 0 || cli_interrupted() != 0;
}

// A line with a point: its channels' numbers, separated by blanks or commas; "nan" is missing. An empty line is none.
// A zero is at `end`; one before it is no number's end.
static int take_line(const char *line, const char *end, size_t channels, uint64_t number, double *values,
                     size_t *count) {
    const char *at = line + strspn(line, " \t\r");
    if (at == end)
        return CLI_GO_ON;
    for (size_t c = 0; c < channels; c++) {
        char *after;
        at += strspn(at, " \t,;");
        values[c] = strtod(at, &after);
        if (after == at)
            return cli_error("standard input, line %" PRIu64 ": %zu numbers are expected", number, channels);
        at = after;
    }
    if (at + strspn(at, " \t,;\r") != end)
        return cli_error("standard input, line %" PRIu64 ": more than %zu numbers", number, channels);
    ++*count;
    return CLI_GO_ON;
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
    const size_t channels = ww_series_set_channels(j->queries);
    ww_series_view view = WW_SERIES_VIEW_INIT;
    double *values = malloc((ROOM + ROOM / 2 + 1) * channels * sizeof *values);
    char *text = malloc(ROOM + 1);
    size_t used = 0, count = 0;
    uint64_t number = 0;
    int result = CLI_GO_ON;
    if (!values || !text)
        result = cli_error("not enough memory");
    else if (ww_series_set_view(j->queries, &view) != WW_OK ||
             ww_search_stream_create(j->context, &j->measure, &view, options, &j->stream) != WW_OK)
        result = cli_fail();
    while (result == CLI_GO_ON) {
        const ssize_t more = read(STDIN_FILENO, text + used, ROOM - used);
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
                result = take_line(text + from, text + at, channels, ++number, values + count * channels, &count);
                from = at + 1;
            }
        const bool waits = more <= 0 || result != CLI_GO_ON || count >= ROOM || !is_ready(STDIN_FILENO);
        if (count && waits) {
            if (ww_search_stream_push(j->stream, values, WW_DOUBLE, count, print_now, j) != WW_OK)
                result = cli_fail();
            count = 0;
        }
        memmove(text, text + from, used - from);
        used -= from;
        if (result == CLI_GO_ON && used == ROOM)
            result = cli_error("standard input, line %" PRIu64 " is too long", number + 1);
        if (result == CLI_GO_ON && more == 0)
            result = CLI_OK;
    }
    if (result == CLI_OK && ww_search_stream_finish(j->stream, print_now, j) != WW_OK)
        result = cli_fail();
    free(text);
    free(values);
    return result;
}

// ---- the search

static int search(job *j, ww_search_options *options) {
    ww_plan_options plan = WW_PLAN_OPTIONS_INIT;
    ww_series_view queries = WW_SERIES_VIEW_INIT, streams = WW_SERIES_VIEW_INIT;
    bool raw = false;
    int result = CLI_GO_ON;
    (void)raw_precision(j->streams.items[0], &raw);
    if (raw && j->streams.count > 1)
        return cli_usage("search", "one --in file of plain numbers at a time");
    for (size_t i = 0; !raw && result == CLI_GO_ON && i < j->streams.count; i++)
        result = read_into(j, j->streams.items[i], &j->stream_set);
    if (result != CLI_GO_ON)
        return result;
    const size_t longest = ww_series_set_max_length(j->queries), room = ww_series_set_max_length(j->stream_set);
    if (!raw && options->kind != WW_SEARCH_SUPER && longest > room)
        cli_note(
            "note: a query of %zu points is longer than every stream, of %zu at most; --kind super finds streams in "
            "queries",
            longest, room);
    cli_plan_options(&j->device, &j->progress, &plan);
    options->run = plan.run;
    ww_status status = ww_series_set_view(j->queries, &queries);
    if (status == WW_OK && !j->group)
        status = ww_search_create(j->context, &j->measure, &queries, options, &j->search);
    if (status == WW_OK) {
        // The search has checked k, but for a group.
        j->matches = calloc(j->query_count * options->k, sizeof *j->matches);
        j->found = calloc(j->query_count, sizeof *j->found);
        if (!j->matches || !j->found)
            result = cli_error("not enough memory");
        else if (raw)
            result = run_raw(j, &queries, options, j->streams.items[0]);
        else if ((status = ww_series_set_view(j->stream_set, &streams)) == WW_OK)
            status = run(j, &queries, options, &streams, NULL);
    }
    cli_progress_end(&j->progress);
    cli_group_report(j->group);
    return status == WW_OK ? result : cli_fail();
}

// ---- the picture

typedef struct raw_stream {
    raw_file raw;
    size_t channels;
} raw_stream;

static int read_doubles(void *user, uint64_t first, size_t count, double *values) {
    raw_stream *stream = user;
    const size_t all = count * stream->channels;
    if (read_raw(&stream->raw, first, count, values) != 0)
        return 1;
    if (stream->raw.bytes / stream->channels == sizeof(float))
        for (size_t i = all; i-- > 0;) { // from the last on: a float lies before its double
            float value;
            memcpy(&value, (const char *)values + i * sizeof value, sizeof value);
            values[i] = (double)value;
        }
    return 0;
}

static int draw(const job *j, const ww_search_options *options) {
    bool raw = false;
    raw_stream stream = {{-1, 0}, ww_series_set_channels(j->queries)};
    cli_search_picture picture = {.path = j->svg,
                                  .queries = j->queries,
                                  .streams = j->stream_set,
                                  .read = read_doubles,
                                  .user = &stream,
                                  .matches = j->matches,
                                  .found = j->found,
                                  .k = options->k,
                                  .super = options->kind == WW_SEARCH_SUPER,
                                  .znormalised = j->read.znormalise};
    const char *path = j->streams.items[0];
    const ww_precision precision = raw_precision(path, &raw);
    if (!raw)
        return cli_search_draw(&picture);
    stream.raw = (raw_file){open(path, O_RDONLY | O_CLOEXEC), stream.channels * cli_value_bytes(precision)};
    const off_t bytes = stream.raw.file < 0 ? -1 : lseek(stream.raw.file, 0, SEEK_END);
    picture.length = bytes < 0 ? 0 : (uint64_t)bytes / stream.raw.bytes;
    const int result = bytes < 0 ? cli_error("%s: %s", path, strerror(errno)) : cli_search_draw(&picture);
    if (stream.raw.file >= 0)
        close(stream.raw.file);
    return result;
}

// ---- the report

static double share(uint64_t part, uint64_t all) {
    return all ? 100.0 * (double)part / (double)all : 0.0;
}

static void info_json(cli_json *json, const ww_search_info *info) {
    cli_json_count(json, "places", info->places);
    cli_json_count(json, "excluded_kim", info->excluded_kim);
    cli_json_count(json, "excluded_keogh", info->excluded_keogh);
    cli_json_count(json, "excluded_keogh_turned", info->excluded_keogh_turned);
    cli_json_count(json, "abandoned", info->abandoned);
    cli_json_count(json, "cells", info->cells);
    cli_json_count(json, "cells_started", info->cells_started);
}

static int output(const job *j, const cli_command *command, const ww_search_options *options, bool taken) {
    ww_search_info info = WW_SEARCH_INFO_INIT;
    if ((j->group ? ww_group_get_search_info(j->group, &info) : ww_search_get_info(j->search, &info)) != WW_OK)
        return cli_fail();
    if (isatty(STDERR_FILENO))
        fprintf(stderr,
                "%" PRIu64 " places in %.4g s; left out by LB_Kim %.4g %%, LB_Keogh %.4g %%, the other way %.4g %%; "
                "abandoned %.4g %%\n",
                info.places, info.seconds_wall, share(info.excluded_kim, info.places),
                share(info.excluded_keogh, info.places), share(info.excluded_keogh_turned, info.places),
                share(info.abandoned, info.places));
    if (!j->json) {
        for (size_t q = 0; q < j->query_count && !taken; q++)
            for (size_t i = 0; i < j->found[q]; i++)
                print_match(q, &j->matches[q * options->k + i]);
        return CLI_GO_ON;
    }
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
    head.files[0] = j->paths[0];
    head.counts[0] = j->query_count;
    head.files[1] = j->streams.items[0];
    head.counts[1] = j->stream_set ? ww_series_set_count(j->stream_set) : 1;
    head.measure = &j->measure;
    head.measure_options = &j->measure_options;
    head.read = &j->read;
    head.context = j->group ? ww_group_context(j->group, 0) : j->context;
    head.precision = ww_precision_name(cli_precision(&j->device));
    head.seconds_compute = info.seconds_wall;
    head.seconds_device = info.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_json_text(&json, "kind", kinds[options->kind]);
    cli_json_count(&json, "k", options->k);
    if (j->group)
        cli_group_json(j->group, NULL, &json);
    info_json(&json, &info);
    cli_json_array(&json, "matches");
    for (size_t q = 0; q < j->query_count; q++) {
        cli_json_array(&json, NULL);
        for (size_t i = 0; i < j->found[q]; i++) {
            const ww_match *m = &j->matches[q * options->k + i];
            cli_json_line(&json);
            cli_json_object(&json, NULL);
            cli_json_integer(&json, "stream", m->stream);
            cli_json_integer(&json, "begin", m->begin);
            cli_json_integer(&json, "end", m->end);
            cli_json_number(&json, "distance", m->distance, options->precision == WW_DOUBLE ? 17 : 9);
            cli_json_end(&json);
        }
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
    return CLI_GO_ON;
}

int cmd_search(const cli_command *command, int argc, char **argv) {
    job j;
    memset(&j, 0, sizeof j);
    j.k = 1;
    j.exclusion = UINT64_MAX;
    ww_search_options search_options = WW_SEARCH_OPTIONS_INIT;
    const cli_option options[] = {
        {"in", 'i', CLI_INPUTS, "STREAM", "where to search; may be given several times; '-' with --threshold: follows",
         &j.streams, 0, 0},
        {"k", 'k', CLI_COUNT, "N", "matches for each query, default 1", &j.k, 0, 1},
        {"kind", 0, CLI_CHOICE, "K", "matches: of any length, windows as long as the query, or streams in queries",
         &j.kind, kinds, 0},
        {"exclusion", 0, CLI_COUNT, "N", "least distance of two matches, default half of the query", &j.exclusion, 0,
         0},
        {"threshold", 0, CLI_TEXT, "D", "only matches with distances up to D", &j.threshold, 0, 0},
        {"no-bounds", 0, CLI_FLAG, NULL, "compute every window in full", &j.no_bounds, 0, 0},
        {"svg", 0, CLI_OUTPUT, "FILE", "draw the queries with their matches, and the streams with their places", &j.svg,
         0, 0},
        {"json", 'j', CLI_FLAG, NULL, "print one JSON object", &j.json, 0, 0},
        CLI_MEASURE_OPTIONS(j.measure_options),
        CLI_READ_OPTIONS(j.read),
        CLI_DEVICE_OPTIONS(j.device),
    };
    int result =
        cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 1, MOST_QUERIES, &j.path_count);
    if (result != CLI_GO_ON)
        return result;
    if (!j.streams.count)
        return cli_usage(command->name, "--in STREAM is missing");
    const bool follows = strcmp(j.streams.items[0], "-") == 0 && j.threshold;
    if (follows && (j.json || j.svg || j.streams.count > 1))
        return cli_usage(command->name, "a stream that is followed is alone, and printed as text");
    if (follows && cli_is_group(&j.device))
        return cli_usage(command->name, "a stream that is followed has one device");
    if (j.read.znormalise && j.kind == WW_SEARCH_SUPER)
        return cli_usage(command->name, "--znorm is for windows");
    if ((result = make_options(&j, &search_options)) != CLI_GO_ON)
        return result;
    result = cli_measure_make(command->name, &j.measure_options, &j.measure);
    for (size_t i = 0; result == CLI_GO_ON && i < j.path_count; i++)
        result = read_into(&j, j.paths[i], &j.queries);
    if (result == CLI_GO_ON) {
        cli_fit_band(&j.measure_options, &j.measure, j.queries, j.queries);
        j.query_count = ww_series_set_count(j.queries);
        result =
            cli_is_group(&j.device) ? cli_group_open(&j.device, &j.group) : cli_context_open(&j.device, &j.context);
    }
    if (result == CLI_GO_ON && follows) {
        result = follow(&j, &search_options);
    } else if (result == CLI_GO_ON) {
        result = search(&j, &search_options);
        if (result == CLI_GO_ON && j.svg)
            result = draw(&j, &search_options);
        if (result == CLI_GO_ON)
            result = output(&j, command, &search_options, cli_writes_to_stdout(options, CLI_COUNT_OF(options)));
        result = result == CLI_GO_ON ? CLI_OK : result;
    }
    job_end(&j);
    return result;
}
