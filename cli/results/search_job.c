// SPDX-License-Identifier: Apache-2.0
// See search_job.h.
#include "results/search_job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/precision.h"
#include "results/stream_lines.h"

const char *const cli_search_kinds[] = {"open", "windows", "super", NULL};

int cli_search_options(const cli_search_wanted *wanted, bool znormalise, const cli_device_options *device,
                       ww_search_options *options) {
    *options = (ww_search_options)WW_SEARCH_OPTIONS_INIT;
    options->kind = wanted->kind ? (ww_search_kind)(wanted->kind - 1) : znormalise ? WW_SEARCH_WINDOWS : WW_SEARCH_OPEN;
    options->znormalise = znormalise;
    options->k = (size_t)wanted->k;
    options->exclusion = wanted->exclusion == UINT64_MAX ? WW_SEARCH_HALF : (size_t)wanted->exclusion;
    options->no_bounds = wanted->no_bounds;
    options->precision = cli_precision(device);
    if (!wanted->streams.count)
        return cli_usage("search", "--in STREAM is missing");
    if (znormalise && options->kind != WW_SEARCH_WINDOWS)
        return cli_usage("search", "--znorm normalises windows: it does not go with --kind %s",
                         cli_search_kinds[options->kind]);
    if (wanted->threshold && !cli_number(wanted->threshold, &options->threshold))
        return cli_usage("search", "--threshold '%s' is not a number", wanted->threshold);
    options->has_threshold = wanted->threshold != NULL;
    for (size_t i = 0; wanted->streams.count > 1 && i < wanted->streams.count; i++)
        if (cli_raw_named(wanted->streams.items[i]))
            return cli_usage("search", "one --in file of plain numbers at a time");
    return CLI_GO_ON;
}

// ---- reading

static int append(const char *path, const ww_series_set *set, ww_series_set *all) {
    if (ww_series_set_channels(all) != ww_series_set_channels(set))
        return cli_error("%s: %zu channels, the file before has %zu", path, ww_series_set_channels(set),
                         ww_series_set_channels(all));
    for (size_t i = 0; i < ww_series_set_count(set); i++)
        CLI_TRY(cli_status(ww_series_set_add(all, ww_series_set_length(set, i), ww_series_set_values(set, i),
                                             ww_series_set_label(set, i))));
    return CLI_GO_ON;
}

// Whether a file of queries names no columns.
static bool lacks_heading(const char *path, const cli_read_options *read) {
    ww_read_options options = WW_READ_OPTIONS_INIT;
    ww_read_info info = WW_READ_INFO_INIT;
    CLI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
    options.header = (ww_header)read->header;
    return strcmp(path, "-") != 0 && ww_series_set_read(path, &options, &set) == WW_OK &&
           ww_series_set_get_read_info(set, &info) == WW_OK && !info.heading;
}

int cli_search_read(const char *const *paths, size_t count, const cli_read_options *read, cli_search_files files,
                    ww_series_set **all) {
    cli_read_options plain = *read;
    const bool streams = files == CLI_STREAMS,
               may_lack = cli_columns_are_named(read->columns) || files == CLI_QUERIES_OF_LIVE;
    plain.znormalise = false; // every window is
    for (size_t i = 0; i < count; i++) {
        CLI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
        plain.columns = !streams && read->columns && may_lack && lacks_heading(paths[i], read) ? NULL : read->columns;
        CLI_TRY(cli_read(paths[i], &plain, streams ? 1 : 0, !streams, &set));
        if (*all)
            CLI_TRY(append(paths[i], set, *all));
        else
            *all = cli_taken(&set);
    }
    return CLI_GO_ON;
}

// ---- files of plain numbers

bool cli_raw_named(const char *path) {
    return cli_name_ends_with(path, ".f32") || cli_name_ends_with(path, ".f64");
}

// Called by several threads at once.
int cli_raw_read(void *user, uint64_t first, size_t count, void *values) {
    const cli_raw_stream *raw = user;
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

int cli_raw_open(const char *path, size_t channels, cli_raw_stream *raw) {
    *raw = (cli_raw_stream){.file = open(path, O_RDONLY | O_CLOEXEC), .source = WW_SEARCH_SOURCE_INIT};
    struct stat about;
    if (raw->file < 0 || fstat(raw->file, &about) != 0)
        return cli_error("%s: %s", path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return cli_error("%s: %s", path, strerror(EISDIR));
    ww_search_source *source = &raw->source;
    source->precision = cli_name_ends_with(path, ".f64") ? WW_DOUBLE : WW_FLOAT;
    source->channels = channels;
    source->read = cli_raw_read;
    source->concurrent = 1;
    source->user = raw;
    raw->bytes = channels * cli_value_bytes(source->precision);
    const off_t bytes = lseek(raw->file, 0, SEEK_END);
    if (bytes < 0)
        return cli_error("%s: plain numbers are read from a file, not from a pipe", path);
    if (bytes == 0)
        return cli_error("%s: no points", path);
    if ((uint64_t)bytes % raw->bytes != 0)
        return cli_error("%s: its size is no whole number of points of %zu bytes", path, raw->bytes);
    source->length = (uint64_t)bytes / raw->bytes;
    return CLI_GO_ON;
}

void cli_raw_close(cli_raw_stream *raw) {
    if (raw->file >= 0)
        close(raw->file);
    raw->file = -1;
}

int cli_raw_precision(cli_raw_stream *raw, cli_series_job *s, const char *path) {
    enum { PIECES = 64, PIECE = 1024 };
    const ww_search_source *source = &raw->source;
    const size_t each = source->length < PIECE ? (size_t)source->length : PIECE, size = each * source->channels;
    const size_t count = source->length / each < PIECES ? (size_t)(source->length / each) : PIECES;
    if (source->precision == WW_FLOAT || cli_precision(&s->device) == WW_DOUBLE)
        return CLI_GO_ON;
    CLI_FREES double *values = malloc(count * size * sizeof *values);
    ww_series_view view = WW_SERIES_VIEW_INIT;
    if (!values)
        return cli_error("not enough memory");
    for (size_t i = 0; i < count; i++) {
        const uint64_t first = count > 1 ? (source->length - each) / (count - 1) * i : 0;
        if (cli_raw_read(raw, first, each, values + i * size) != 0)
            return cli_error("%s: can't be read", path);
    }
    view.values = values;
    view.precision = WW_DOUBLE;
    view.count = count;
    view.channels = source->channels;
    view.length = each;
    view.strided = 1;
    view.series_stride = (int64_t)size;
    view.channel_stride = 1;
    view.time_stride = (int64_t)source->channels;
    cli_precision_of_view(&s->device, s->context, &view, path, s->read.quiet);
    return CLI_GO_ON;
}
