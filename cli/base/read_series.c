// SPDX-License-Identifier: Apache-2.0
// Reading of series for all commands: options, notices, missing values.
#include <math.h>
#include <string.h>

#include "base/common.h"

static int report_missing(const char *path, const ww_series_set *set) {
    for (size_t i = 0; i < ww_series_set_count(set); i++) {
        const size_t length = ww_series_set_length(set, i);
        const double *values = ww_series_set_values(set, i);
        for (size_t t = 0; t < length * ww_series_set_channels(set); t++)
            if (isnan(values[t]))
                return cli_error(
                    "%s: series %zu has a missing value at position %zu of channel %zu, %zu in all "
                    "(counted from 0; --missing interpolate fills them in, --missing drop leaves the points out)",
                    strcmp(path, "-") == 0 ? "standard input" : path, i, t % length, t / length,
                    ww_series_set_missing(set));
    }
    return CLI_GO_ON;
}

const char *cli_notice_option(ww_notice kind) {
    switch (kind) {
    case WW_NOTICE_AXES:
        return "--axes nct or ntc";
    case WW_NOTICE_ROWS:
        return "--rows series or points";
    case WW_NOTICE_HEADER:
        return "--header yes or no";
    case WW_NOTICE_LABELS:
        return "--labels none, first, last or a column";
    case WW_NOTICE_COLUMNS:
        return "--columns";
    case WW_NOTICE_DISTANCES:
        return "--rows series; distances: cluster --distances FILE";
    }
    return "";
}

// All of a file in one line.
static void print_notices(const char *path, const ww_series_set *set) {
    char what[1024] = "", options[256] = "";
    const size_t count = ww_series_set_notice_count(set);
    for (size_t i = 0; i < count; i++) {
        ww_notice kind;
        const char *text = ww_series_set_notice(set, i, &kind), *option = cli_notice_option(kind);
        snprintf(what + strlen(what), sizeof what - strlen(what), "%s%s", i ? "; " : "", text);
        if (!strstr(options, option))
            snprintf(options + strlen(options), sizeof options - strlen(options), "%s%s", i ? "; " : "", option);
    }
    if (count)
        cli_note("note: %s: %s (settled by %s)", strcmp(path, "-") == 0 ? "standard input" : path, what, options);
}

static void take_labels(const char *labels, ww_read_options *read) {
    static const char *const places[] = {"auto", "first", "last", "none"};
    for (int i = 0; i < (int)CLI_COUNT_OF(places); i++)
        if (!labels || strcmp(labels, places[i]) == 0) {
            read->csv_label = i;
            return;
        }
    read->label_column = labels;
}

int cli_read(const char *path, const cli_read_options *options, int which, bool complete, ww_series_set **set) {
    ww_read_options read = WW_READ_OPTIONS_INIT;
    const cli_list *times = &options->times;
    if (times->count > 2)
        return cli_error("--times is given %zu times for at most two files", times->count);
    read.format = (ww_format)options->format;
    read.axes = (ww_axes)options->axes;
    read.rows = (ww_rows)options->rows;
    read.header = (ww_header)options->header;
    read.columns = options->columns;
    read.time_column = options->time_column;
    read.series_column = options->series_column;
    take_labels(options->labels, &read);
    if (options->missing > CLI_MISSING_ERROR)
        read.missing = (ww_missing)(options->missing - CLI_MISSING_ERROR);
    if (times->count)
        read.times = times->items[(size_t)which < times->count ? (size_t)which : times->count - 1];
    CLI_TRY(cli_status(ww_series_set_read(path, &read, set)));
    if (!options->quiet)
        print_notices(path, *set);
    if (ww_series_set_missing(*set) && (complete || options->znormalise || options->missing == CLI_MISSING_ERROR))
        return report_missing(path, *set);
    if (options->znormalise)
        CLI_TRY(cli_status(ww_series_set_znormalise(*set)));
    return cli_status(ww_series_set_embed(*set, (size_t)options->embed));
}

void cli_note_dropped(const ww_series_set *set, const char *path, int format) {
    const bool ts = format == WW_FORMAT_TS ||
                    (format == WW_FORMAT_AUTO && (cli_name_ends_with(path, ".ts") || strcmp(path, "-") == 0));
    const bool tsv =
        format == WW_FORMAT_TSV ||
        (format == WW_FORMAT_AUTO && (cli_name_ends_with(path, ".tsv") || cli_name_ends_with(path, ".txt")));
    if (ww_series_set_times(set, 0) && !ts)
        cli_note("note: the time stamps are dropped; .ts holds them");
    if (ww_series_set_class_count(set) && !ts && !tsv)
        cli_note("note: the labels are dropped; .ts and .tsv hold them");
}
