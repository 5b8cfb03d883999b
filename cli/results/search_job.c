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
#include "results/series_rows.h"

const char *const cli_search_kinds[] = {"open", "windows", "super", NULL};

int cli_search_options(const cli_search_wanted *wanted, bool znormalise, const cli_device_options *device,
                       ww_search_options *options) {
    *options = (ww_search_options)WW_SEARCH_OPTIONS_INIT;
    options->kind = znormalise ? WW_SEARCH_WINDOWS : (ww_search_kind)wanted->kind;
    options->znormalise = znormalise;
    options->k = (size_t)wanted->k;
    options->exclusion = wanted->exclusion == UINT64_MAX ? WW_SEARCH_HALF : (size_t)wanted->exclusion;
    options->no_bounds = wanted->no_bounds;
    options->precision = cli_precision(device);
    if (!wanted->streams.count)
        return cli_usage("search", "--in STREAM is missing");
    if (znormalise && wanted->kind == WW_SEARCH_SUPER)
        return cli_usage("search", "--znorm is for windows");
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

int cli_search_read(const char *const *paths, size_t count, const cli_read_options *read, bool queries,
                    ww_series_set **all) {
    cli_read_options plain = *read;
    plain.znormalise = false; // every window is
    for (size_t i = 0; i < count; i++) {
        CLI_ENDS(ww_series_set_destroy) ww_series_set *set = NULL;
        CLI_TRY(cli_read(paths[i], &plain, queries ? 0 : 1, queries, &set));
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

// Of its size and of blocks all over it: the whole of a long one takes longer to add up than to search.
static int sum_raw(cli_raw_stream *raw, char text[65]) {
    enum { BLOCKS = 256, BLOCK = 1 << 16 };
    const uint64_t length = raw->source.length, step = BLOCK / raw->bytes ? BLOCK / raw->bytes : 1;
    const uint64_t blocks = (length + step - 1) / step, count = blocks < BLOCKS ? blocks : BLOCKS;
    CLI_FREES char *sums = calloc((size_t)count + 1, 65);
    CLI_FREES void *values = malloc((size_t)step * raw->bytes);
    if (!sums || !values)
        return cli_error("not enough memory");
    snprintf(sums, 65, "%" PRIu64 " %zu", length, raw->bytes);
    for (uint64_t i = 0; i < count; i++) {
        // The first and the last are among them.
        const uint64_t block = count == blocks ? i : (uint64_t)((double)i * (double)(blocks - 1) / (double)(count - 1));
        const uint64_t left = length - block * step, points = left < step ? left : step;
        if (cli_raw_read(raw, block * step, (size_t)points, values) != 0)
            return cli_error("the stream can't be read: %s", strerror(errno));
        CLI_TRY(cli_status(ww_checksum(values, (size_t)points * raw->bytes, sums + 65 * (i + 1))));
    }
    return cli_status(ww_checksum(sums, 65 * ((size_t)count + 1), text));
}

// ---- units

enum { MOST_UNITS = 1024, MOST_BYTES = 1 << 28 }; // of all rows

static void note(cli_search_units *u, const ww_search *search) {
    ww_search_info did = WW_SEARCH_INFO_INIT;
    ww_search_info *sum = &u->did;
    if (ww_search_get_info(search, &did) != WW_OK)
        return;
    sum->places += did.places;
    sum->excluded_kim += did.excluded_kim;
    sum->excluded_keogh += did.excluded_keogh;
    sum->excluded_keogh_turned += did.excluded_keogh_turned;
    sum->abandoned += did.abandoned;
    sum->cells += did.cells;
    sum->cells_started += did.cells_started;
    sum->seconds_device += did.seconds_device;
    sum->seconds_wall += did.seconds_wall;
}

static double part_weight(void *user, uint64_t unit) {
    const cli_search_units *u = user;
    const uint64_t left = u->points - unit * u->step;
    return (double)(left < u->step ? left : u->step);
}

// What a run of units found is in the row of the first.
static int compute_parts(void *user, uint64_t first, uint64_t count, void *values) {
    cli_search_units *u = user;
    const cli_matches *shape = &u->shape;
    CLI_FREES ww_match *found = calloc(shape->queries * shape->places, sizeof *found);
    if (!found)
        return cli_error("not enough memory");
    CLI_TRY(cli_status_plainly(ww_search_run_part(u->search, u->raw ? NULL : &u->stream_view,
                                                  u->raw ? &u->raw->source : NULL, first * u->step, count * u->step,
                                                  found)));
    note(u, u->search);
    for (uint64_t i = 0; i < count; i++)
        cli_matches_pack(shape->queries, shape->places, u->exclusions, i ? NULL : found,
                         (double *)values + i * cli_matches_columns(shape));
    return CLI_GO_ON;
}

// Unit i is query i % queries in group i / queries of the streams.
static double query_weight(void *user, uint64_t unit) {
    const cli_search_units *u = user;
    const size_t group = (size_t)unit / u->shape.queries, query = (size_t)unit % u->shape.queries;
    double points = 0;
    for (size_t i = group ? u->group_ends[group - 1] : 0; u->groups > 1 && i < u->group_ends[group]; i++)
        points += (double)ww_series_set_length(u->s->sets[1], i);
    return (u->groups > 1 ? points : 1) * (double)ww_series_set_length(u->s->sets[0], query);
}

static int take_some(const ww_series_set *all, size_t first, size_t count, ww_series_set **some, ww_series_view *view) {
    CLI_TRY(cli_series_copy(all, first, count, some));
    return cli_status_plainly(ww_series_set_view(*some, view));
}

// Some queries in the streams from `begin` to `end`.
static int search_streams(cli_search_units *u, const ww_series_view *queries, size_t begin, size_t end,
                          ww_match *found) {
    CLI_ENDS(ww_series_set_destroy) ww_series_set *some = NULL;
    CLI_ENDS(ww_search_destroy) ww_search *search = NULL;
    ww_series_view streams = u->stream_view;
    if (!u->raw && (begin > 0 || end < ww_series_set_count(u->s->sets[1])))
        CLI_TRY(take_some(u->s->sets[1], begin, end - begin, &some, &streams));
    CLI_TRY(cli_status_plainly(ww_search_create(u->s->context, &u->s->measure, queries, u->options, &search)));
    CLI_TRY(cli_status_plainly(u->raw ? ww_search_run_source(search, &u->raw->source, found, NULL)
                                      : ww_search_run(search, &streams, found, NULL)));
    note(u, search);
    for (size_t i = 0; i < queries->count * u->shape.k; i++)
        found[i].stream += found[i].stream >= 0 ? (int64_t)begin : 0;
    return CLI_GO_ON;
}

// `groups` of the streams, or some queries of one. What is found is in the rows of the first group.
static int compute_groups(cli_search_units *u, size_t group, size_t groups, size_t query, size_t count,
                          double *values) {
    const size_t k = u->shape.k, begin = group ? u->group_ends[group - 1] : 0;
    CLI_ENDS(ww_series_set_destroy) ww_series_set *some = NULL;
    CLI_FREES ww_match *found = calloc(count * k, sizeof *found);
    ww_series_view view = WW_SERIES_VIEW_INIT;
    if (!found)
        return cli_error("not enough memory");
    CLI_TRY(take_some(u->s->sets[0], query, count, &some, &view));
    CLI_TRY(search_streams(u, &view, begin, u->group_ends[group + groups - 1], found));
    cli_matches_pack(count, k, NULL, found, values);
    for (size_t i = count; i < count * groups; i++)
        cli_matches_pack(1, k, NULL, NULL, values + i * cli_matches_columns(&u->shape));
    return CLI_GO_ON;
}

static int compute_queries(void *user, uint64_t first, uint64_t count, void *values) {
    cli_search_units *u = user;
    const size_t queries = u->shape.queries, columns = cli_matches_columns(&u->shape);
    double *row = values;
    for (size_t at = (size_t)first, end = at + (size_t)count, done; at < end; at += done, row += done * columns) {
        const size_t left = end - at, query = at % queries, rest = queries - query;
        const size_t groups = query == 0 && left >= queries ? left / queries : 1;
        const size_t some = left < rest ? left : rest;
        done = groups * some;
        CLI_TRY(compute_groups(u, at / queries, groups, query, some, row));
    }
    return CLI_GO_ON;
}

// Open ends and whole streams: groups of streams of about as many points, of which there are so many that all units
// are at most MOST_UNITS.
static int make_groups(cli_search_units *u) {
    const size_t streams = u->raw ? 1 : ww_series_set_count(u->s->sets[1]), queries = u->shape.queries;
    const double row_bytes = (double)cli_matches_columns(&u->shape) * sizeof(double);
    const double units = fmin((double)MOST_BYTES / row_bytes, MOST_UNITS) / (double)queries;
    const size_t most = units < 1 ? 1 : units < (double)streams ? (size_t)units : streams;
    u->group_ends = calloc(most, sizeof *u->group_ends);
    if (!u->group_ends)
        return cli_error("not enough memory");
    double all = 0, points = 0;
    for (size_t i = 0; i < streams; i++)
        all += u->raw ? 1 : (double)ww_series_set_length(u->s->sets[1], i);
    for (size_t i = 0; i < streams; i++) {
        points += u->raw ? 1 : (double)ww_series_set_length(u->s->sets[1], i);
        const bool due =
            most == streams || (u->groups + 1 < most && points * (double)most >= all * (double)(u->groups + 1));
        if (due || i + 1 == streams)
            u->group_ends[u->groups++] = i + 1;
    }
    return CLI_GO_ON;
}

// Windows: a part is much longer than what it reads of the next one, and there are not so many that their places need
// more room than MOST_BYTES.
static int make_parts(cli_search_units *u) {
    enum { LEAST_SHARE = 16, LEAST_UNITS = 16 };
    const size_t count = u->shape.queries;
    const double row_bytes = (double)cli_matches_columns(&u->shape) * sizeof(double);
    const double units = fmin(fmax((double)MOST_BYTES / row_bytes, LEAST_UNITS), MOST_UNITS);
    const uint64_t least = ww_series_set_max_length(u->s->sets[0]) * LEAST_SHARE / WW_SEARCH_PART_POINTS + 1;
    const uint64_t wanted = (uint64_t)((double)u->points / units) / WW_SEARCH_PART_POINTS + 1;
    u->step = (wanted < least ? least : wanted) * WW_SEARCH_PART_POINTS;
    u->exclusions = malloc(count * sizeof *u->exclusions);
    if (!u->exclusions)
        return cli_error("not enough memory");
    for (size_t q = 0; q < count; q++)
        u->exclusions[q] = u->options->exclusion == WW_SEARCH_HALF ? (ww_series_set_length(u->s->sets[0], q) + 1) / 2
                                                                   : u->options->exclusion;
    CLI_TRY(cli_status(ww_search_create(u->s->context, &u->s->measure, &u->query_view, u->options, &u->search)));
    CLI_TRY(
        cli_status(ww_search_begin_parts(u->search, u->raw ? NULL : &u->stream_view, u->raw ? &u->raw->source : NULL)));
    note(u, u->search);
    return CLI_GO_ON;
}

// What the matches depend on besides measure and precision.
static void say_more(cli_search_units *u) {
    const ww_search_options *o = u->options;
    cli_matches_shape(&u->shape, u->more, sizeof u->more);
    const size_t at = strlen(u->more);
    snprintf(u->more + at, sizeof u->more - at, " kind %d znormalise %d exclusion %" PRIu64 " threshold %d %.17g",
             o->kind, o->znormalise, o->exclusion == WW_SEARCH_HALF ? UINT64_MAX : (uint64_t)o->exclusion,
             o->has_threshold, o->threshold);
}

// The whole search's own errors (k, the measure, channels): the same that one run finds.
static int check(const cli_search_units *u) {
    CLI_ENDS(ww_search_destroy) ww_search *search = NULL;
    return cli_status(ww_search_create(u->s->context, &u->s->measure, &u->query_view, u->options, &search));
}

int cli_search_divide(cli_search_units *u, cli_row_job *job) {
    u->did = (ww_search_info)WW_SEARCH_INFO_INIT;
    ww_series_view_init(&u->query_view, sizeof u->query_view);
    ww_series_view_init(&u->stream_view, sizeof u->stream_view);
    if (ww_series_set_view(u->s->sets[0], &u->query_view) != WW_OK ||
        (!u->raw && ww_series_set_view(u->s->sets[1], &u->stream_view) != WW_OK))
        return cli_fail();
    u->shape = (cli_matches){.queries = ww_series_set_count(u->s->sets[0]),
                             .k = u->options->k,
                             .precision = u->options->precision,
                             .places = ww_search_part_places(&u->query_view, u->options),
                             .similarity = cli_is_similarity(&u->s->measure)};
    u->points = u->raw ? u->raw->source.length : 0;
    for (size_t i = 0; !u->raw && i < ww_series_set_count(u->s->sets[1]); i++)
        u->points += ww_series_set_length(u->s->sets[1], i) + (i > 0); // one between two
    const bool parts = u->shape.places != 0;
    CLI_TRY(check(u));
    CLI_TRY(parts ? make_parts(u) : make_groups(u));
    if (u->raw)
        CLI_TRY(sum_raw(u->raw, u->sum));
    say_more(u);
    job->name = "search";
    job->stream = u->raw ? u->sum : NULL;
    job->more = u->more;
    job->rows = parts ? (u->points - 1) / u->step + 1 : u->shape.queries * u->groups;
    job->columns = cli_matches_columns(&u->shape);
    job->weight = parts ? part_weight : query_weight;
    job->compute = parts ? compute_parts : compute_queries;
    job->user = u;
    return CLI_GO_ON;
}

void cli_search_units_end(cli_search_units *u) {
    ww_search_destroy(&u->search);
    free(u->group_ends);
    free(u->exclusions);
}
