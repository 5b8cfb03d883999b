// SPDX-License-Identifier: Apache-2.0
// A search of windows in a stream of several blocks, which threads send ahead, for the test in which every call fails
// once.
#include <stdlib.h>
#include <wavewarp/search.h>

#include "host.h"
#include "scenarios.h"

enum { LENGTH = 6000, N = 8, PLACE = 4090 }; // in two blocks

static ww_status search(ww_context *context, float *stream) {
    const float query[N] = {0, 3, 1, 4, 1, 5, 9, 2};
    ww_series_view queries = WW_SERIES_VIEW_INIT, streams = WW_SERIES_VIEW_INIT;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_search *prepared = NULL;
    ww_measure measure;
    ww_match match;
    for (size_t t = 0; t < LENGTH; t++)
        stream[t] = 20 + (float)(t * 7 % 13);
    for (size_t t = 0; t < N; t++)
        stream[PLACE + t] = query[t];
    queries.values = query;
    queries.count = streams.count = 1;
    queries.length = N;
    streams.values = stream;
    streams.length = LENGTH;
    options.kind = WW_SEARCH_WINDOWS;
    options.no_bounds = 1; // a program less to be compiled each time
    ww_status status = ww_measure_init(&measure, sizeof measure, WW_DTW);
    if (status == WW_OK)
        status = ww_search_create(context, &measure, &queries, &options, &prepared);
    if (status == WW_OK)
        status = ww_search_run(prepared, &streams, &match, NULL);
    if (status == WW_OK && (match.begin != PLACE || match.distance != 0))
        status = wwi_fail(WW_ERROR_INTERNAL, "the match is at %d", (int)match.begin);
    ww_search_destroy(&prepared);
    return status;
}

ww_status wwt_scenario_search(void) {
    ww_context *context = NULL;
    float *stream = malloc(LENGTH * sizeof *stream);
    ww_status status = stream ? ww_context_create(NULL, &context) : wwi_fail_memory(LENGTH * sizeof *stream);
    if (status == WW_OK)
        status = wwi_tuning_try(context, "search.loaders", NULL, 2);
    if (status == WW_OK)
        status = wwi_tuning_try(context, "search.block", NULL, 4096);
    if (status == WW_OK)
        status = search(context, stream);
    ww_context_destroy(&context);
    free(stream);
    return status;
}
