// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a file of series. WWT_KIND chooses what it is read as: 0 by content, 1 a row a point, 2 time stamps,
// else one format. The input's first byte chooses options, the rest is the file.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"a", "a.csv", "a.tsv", "a.npz:x"};
    static const char *const columns[] = {NULL, "t", "s", "2"};
    if (size < 1)
        return 0;
    const unsigned how = data[0];
    ww_read_options options = WW_READ_OPTIONS_INIT;
    options.csv_label = (int)((how >> 2 & 3) % 3);
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
        }
        status = ww_series_set_read(names[WWT_KIND == ROWS_ARE_POINTS ? 1 : how & 3], &options, &set);
    }
    wwt_fuzz_status(status);
    WWT_REQUIRE(status != WW_ERROR_INVALID_ARGUMENT);
    WWT_REQUIRE((status == WW_OK) == (set != NULL));
    if (set)
        wwt_fuzz_set(set);
    ww_series_set_destroy(&set);
    return 0;
}
