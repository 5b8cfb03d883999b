// SPDX-License-Identifier: Apache-2.0
// One job in parts, as several devices or machines would share it: a matrix in rectangles, nearest series by shards of
// the base, a search in parts of a stream that is on the device. The parts together are compared with the whole. See
// docs/scale.md.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wavewarp/wavewarp.h>

#define TRY(call)                                                                                                      \
    if ((call) != WW_OK)                                                                                               \
    goto done

enum { COUNT = 50, LENGTH = 32, TILE = 20, SHARD = 20, K = 3 };

static float values[COUNT][LENGTH];
static float whole[COUNT][COUNT], tiled[COUNT][COUNT];

// Waves of different lengths.
static void make_series(void) {
    for (int i = 0; i < COUNT; i++)
        for (int t = 0; t < LENGTH; t++)
            values[i][t] = (float)(t * (i % 7 + 1) % 13) + (float)i / COUNT;
}

static ww_status upload(ww_context *context, size_t first, size_t count, ww_dataset **data) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = values[first];
    view.count = count;
    view.length = LENGTH;
    return ww_dataset_create(context, &view, NULL, data);
}

// The rectangles on and above the diagonal; what is below it is mirrored. Any worker may run any of them.
static ww_status run_tiles(ww_plan *plan) {
    ww_status status = WW_OK;
    uint64_t cells = 0, sum = 0;
    for (size_t row = 0; status == WW_OK && row < COUNT; row += TILE)
        for (size_t column = row; status == WW_OK && column < COUNT; column += TILE) {
            const size_t rows = COUNT - row < TILE ? COUNT - row : TILE;
            const size_t columns = COUNT - column < TILE ? COUNT - column : TILE;
            ww_output to = WW_OUTPUT_HOST(&tiled[row][column]);
            to.row_stride = COUNT;
            status = ww_plan_run_rectangle(plan, row, rows, column, columns, &to);
            if (status == WW_OK)
                status = ww_plan_cells(plan, row, rows, column, columns, &cells);
            sum += cells;
        }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < i; j++)
            tiled[i][j] = tiled[j][i];
    printf("matrix: %llu cells in rectangles, %s\n", (unsigned long long)sum,
           memcmp(whole, tiled, sizeof whole) == 0 ? "the same bytes" : "DIFFERENT");
    return status;
}

// All series as queries against one shard of them. `initial`: the k-th distances of the shards before, or NULL.
static ww_status run_shard(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t first,
                           const float *initial, int64_t *indices, float *distances) {
    ww_nearest_shard shard = WW_NEAREST_SHARD_INIT;
    ww_plan *plan = NULL;
    shard.base_offset = first;
    shard.exclude_self = 1;
    shard.initial = initial;
    ww_status status = ww_plan_create_nearest_shard(measure, queries, base, K, &shard, NULL, &plan);
    if (status == WW_OK)
        status = ww_plan_run_nearest(plan, indices, distances);
    ww_plan_destroy(&plan);
    return status;
}

static ww_status run_shards(ww_context *context, const ww_measure *measure, ww_dataset *data) {
    static int64_t indices[COUNT][K], found[COUNT][K], part[COUNT][K];
    static float distances[COUNT][K], near[COUNT][K], part_near[COUNT][K], last[COUNT];
    ww_plan *plan = NULL;
    ww_status status = ww_plan_create_nearest(measure, data, NULL, K, NULL, &plan);
    if (status == WW_OK)
        status = ww_plan_run_nearest(plan, &indices[0][0], &distances[0][0]);
    ww_plan_destroy(&plan);
    for (size_t first = 0; status == WW_OK && first < COUNT; first += SHARD) {
        ww_dataset *base = NULL;
        status = upload(context, first, COUNT - first < SHARD ? COUNT - first : SHARD, &base);
        for (size_t i = 0; i < COUNT; i++)
            last[i] = near[i][K - 1];
        if (status == WW_OK)
            status = run_shard(measure, data, base, first, first ? last : NULL, first ? &part[0][0] : &found[0][0],
                               first ? &part_near[0][0] : &near[0][0]);
        if (status == WW_OK && first)
            status =
                ww_neighbours_merge(COUNT, K, WW_FLOAT, 0, &found[0][0], &near[0][0], &part[0][0], &part_near[0][0]);
        ww_dataset_destroy(&base);
    }
    const int same = memcmp(indices, found, sizeof found) == 0 && memcmp(distances, near, sizeof near) == 0;
    printf("nearest: %d neighbours of %d series, %s\n", K, COUNT, same ? "the same bytes" : "DIFFERENT");
    return status;
}

enum { POINTS = COUNT * LENGTH, PART = 512, EXCLUSION = 9, PLACES = (K - 1) * (2 * EXCLUSION - 1) + 1 };

static ww_status upload_stream(ww_context *context, size_t first, size_t points, ww_dataset **stream) {
    ww_series_view view = WW_SERIES_VIEW_INIT;
    view.values = &values[0][0] + first;
    view.count = 1;
    view.length = points;
    return ww_dataset_create(context, &view, NULL, stream);
}

// A worker's part goes on into the next one, so that each window is whole in one of them.
static ww_status search_part(ww_context *context, ww_search *search, size_t first, size_t points, ww_match *places) {
    ww_search_part part = WW_SEARCH_PART_INIT;
    ww_dataset *stream = NULL;
    part.point_offset = first;
    ww_status status = upload_stream(context, first, points, &stream);
    if (status == WW_OK)
        status = ww_search_set_part(search, &part);
    if (status == WW_OK)
        status = ww_search_run_dataset(search, stream, places, NULL);
    ww_dataset_destroy(&stream);
    return status;
}

static ww_status run_search(ww_context *context, const ww_measure *measure) {
    static ww_match wanted[K], found[K], all[PLACES], places[PLACES];
    const size_t exclusion = EXCLUSION;
    ww_search_options options = WW_SEARCH_OPTIONS_INIT;
    ww_series_view query = WW_SERIES_VIEW_INIT;
    ww_search *search = NULL;
    ww_dataset *stream = NULL;
    query.values = values[17];
    query.count = 1;
    query.length = LENGTH;
    options.kind = WW_SEARCH_WINDOWS;
    options.znormalise = 1;
    options.k = K;
    options.exclusion = exclusion;
    ww_status status = upload_stream(context, 0, POINTS, &stream);
    if (status == WW_OK)
        status = ww_search_create(context, measure, &query, &options, &search);
    if (status == WW_OK)
        status = ww_search_run_dataset(search, stream, wanted, NULL);
    ww_search_destroy(&search);
    ww_dataset_destroy(&stream);
    options.k = ww_search_places(K, exclusion); // PLACES
    options.exclusion = 0;
    if (status == WW_OK)
        status = ww_search_create(context, measure, &query, &options, &search);
    for (size_t first = 0; status == WW_OK && first < POINTS; first += PART) {
        const size_t wide = PART + LENGTH - 1, points = POINTS - first < wide ? POINTS - first : wide;
        status = search_part(context, search, first, points, first ? places : all);
        if (status == WW_OK && first)
            status = ww_matches_merge(1, PLACES, 0, all, places);
    }
    if (status == WW_OK)
        status = ww_matches_choose(1, PLACES, all, K, &exclusion, 0, found, NULL);
    ww_search_destroy(&search);
    printf("search: %d matches in %d points, %s\n", K, POINTS,
           memcmp(wanted, found, sizeof found) == 0 ? "the same bytes" : "DIFFERENT");
    return status;
}

int main(void) {
    ww_context *context = NULL;
    ww_dataset *data = NULL;
    ww_plan *plan = NULL;
    ww_measure dtw;
    int failed = 1;

    make_series();
    TRY(ww_context_create(NULL, &context));
    TRY(upload(context, 0, COUNT, &data));
    TRY(ww_measure_parse(&dtw, sizeof dtw, "dtw,band=sakoe-chiba:4", LENGTH));
    TRY(ww_plan_create_matrix(&dtw, data, NULL, NULL, &plan));
    const ww_output to = WW_OUTPUT_HOST(whole);
    TRY(ww_plan_run(plan, &to));
    TRY(run_tiles(plan));
    TRY(run_shards(context, &dtw, data));
    TRY(run_search(context, &dtw));
    failed = 0;
done:
    if (failed)
        fprintf(stderr, "%s. %s\n", ww_last_error()->message, ww_last_error()->hint);
    ww_plan_destroy(&plan);
    ww_dataset_destroy(&data);
    ww_context_destroy(&context);
    return failed;
}
