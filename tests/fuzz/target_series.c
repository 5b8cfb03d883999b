// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a file of series. WWT_KIND chooses what it is read as: 0 by content, 1 a row a point, 2 time stamps,
// else one format. The input's first byte chooses options, the rest is the file. Its last byte chooses more options,
// none where it is a line's end.
#include <stdlib.h>
#include <string.h>

#include "files/read.h"
#include "fuzz/fuzz.h"

enum { BY_CONTENT = 0, ROWS_ARE_POINTS = 1, TIME_STAMPS = 2, ONE_FORMAT = 3 };

// Two series of three points, which the time stamps are for.
static ww_series_set *make_series(void) {
    const double values[] = {1, 2, 3};
    ww_series_set *set = NULL;
    if (ww_series_set_create(1, &set) != WW_OK || ww_series_set_add(set, 3, values, NULL) != WW_OK ||
        ww_series_set_add(set, 3, values, NULL) != WW_OK)
        abort();
    return set;
}

static void choose_more(unsigned more, ww_read_options *options) {
    static const char *const columns[] = {NULL, "2", "t,1-2", "1-3"};
    options->axes = (ww_axes)((more & 3) % 3);
    options->header = (ww_header)((more >> 2 & 3) % 3);
    options->missing = (ww_missing)((more >> 3 & 3) % 3);
    options->columns = columns[more >> 5 & 3];
    options->rows = (ww_rows)((more >> 4 & 3) % 3);
    if (more & 128) {
        options->csv_label = 0;
        options->label_column = more & 1 ? "s" : "1";
    }
}

// What a set says of its file.
static void check_notices(const ww_series_set *set) {
    ww_read_info info = WW_READ_INFO_INIT;
    WWT_REQUIRE(ww_series_set_get_read_info(set, &info) == WW_OK);
    WWT_REQUIRE(info.format != WW_FORMAT_AUTO);
    WWT_REQUIRE(info.label_column <= info.columns && info.time_column <= info.columns &&
                info.series_column <= info.columns && info.left_out <= info.columns);
    for (size_t i = 0; i < ww_series_set_notice_count(set); i++) {
        ww_notice kind;
        const char *text = ww_series_set_notice(set, i, &kind);
        WWT_REQUIRE(text && *text && kind >= WW_NOTICE_AXES && kind <= WW_NOTICE_DISTANCES);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"a", "a.csv", "a.tsv", "a.npz:x"};
    static const char *const columns[] = {NULL, "t", "s", "2"};
    if (size < 1)
        return 0;
    const unsigned how = data[0];
    ww_read_options options = WW_READ_OPTIONS_INIT;
    options.csv_label = (int)((how >> 2 & 3) % 3);
    choose_more(data[size - 1] ^ (unsigned)'\n', &options);
    options.threads = how == 255 ? 3 : 1; // seldom: threads take longer to start than files to read
    ww_series_set *set = NULL;
    ww_status status;
    wwt_fuzz_file(data + 1, size - 1);
    if (WWT_KIND == TIME_STAMPS) {
        static ww_series_set *timed;
        if (!timed)
            timed = make_series();
        status = wwi_read_times("times", timed);
        wwt_fuzz_status(status);
        wwt_fuzz_set(timed);
        return 0;
    }
    {
        options.format = WWT_KIND == ONE_FORMAT ? WWT_FORMAT : WW_FORMAT_AUTO;
        if (WWT_KIND == ROWS_ARE_POINTS) {
            options.time_column = columns[how & 3];
            options.series_column = columns[how >> 4 & 3];
            if (!options.time_column && !options.series_column)
                options.time_column = "1";
            if (options.rows == WW_ROWS_SERIES)
                options.rows = WW_ROWS_POINTS; // they contradict each other
        }
        status = ww_series_set_read(names[WWT_KIND == ROWS_ARE_POINTS ? 1 : how & 3], &options, &set);
    }
    wwt_fuzz_status(status);
    WWT_REQUIRE(status != WW_ERROR_INVALID_ARGUMENT);
    WWT_REQUIRE((status == WW_OK) == (set != NULL));
    if (set) {
        wwt_fuzz_set(set);
        check_notices(set);
        WWT_REQUIRE(options.missing == WW_MISSING_KEEP || ww_series_set_missing(set) == 0);
    }
    ww_series_set_destroy(&set);
    return 0;
}
