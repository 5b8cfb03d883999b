// SPDX-License-Identifier: Apache-2.0
// wavewarp path: warping paths as lists of index pairs, and a picture of one of them.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "json.h"
#include "picture.h"

typedef struct job {
    cli_measure_options measure_options;
    cli_device_options device;
    cli_read_options read;
    const char *paths[2];
    const char *output, *svg;
    uint64_t drawn; // the pair in the picture
    bool json;
    ww_measure measure;
    ww_context *context;
    ww_series_set *sets[2];
    ww_dataset *data[2];
    ww_plan *plan;
    ww_plan_info info;
    cli_progress progress;
    size_t count;
    ww_paths found;
} job;

// Series of a set that belongs to a pair: one series is in all pairs.
static size_t member(const job *j, int side, size_t pair) {
    return ww_series_set_count(j->sets[side]) == 1 ? 0 : pair;
}

static int load(job *j, const char *command) {
    int result = cli_measure_make(command, &j->measure_options, &j->measure);
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        result = cli_read(j->paths[i], &j->read, i, true, &j->sets[i]);
    if (result != CLI_GO_ON)
        return result;
    const size_t a = ww_series_set_count(j->sets[0]), b = ww_series_set_count(j->sets[1]);
    if (a != b && a != 1 && b != 1)
        return cli_error("%s has %zu series and %s has %zu: paths need equal numbers, or one series on a side",
                         j->paths[0], a, j->paths[1], b);
    j->count = a > b ? a : b;
    if (j->svg && j->drawn >= j->count)
        return cli_error("--pair %" PRIu64 ": there are %zu pairs, counted from 0", j->drawn, j->count);
    result = cli_fit_times(&j->measure, j->sets[0], j->sets[1]);
    if (result == CLI_GO_ON)
        cli_fit_band(&j->measure_options, &j->measure, j->sets[0], j->sets[1]);
    return result;
}

static int compute(job *j) {
    ww_plan_options options;
    size_t *index[2] = {malloc(j->count * sizeof **index), malloc(j->count * sizeof **index)};
    int result = index[0] && index[1] ? cli_context_open(&j->device, &j->context)
                                      : cli_error("a list of %zu pairs does not fit memory", j->count);
    for (int i = 0; result == CLI_GO_ON && i < 2; i++)
        result = cli_dataset_make(j->context, &j->device, j->sets[i], &j->data[i]);
    if (result != CLI_GO_ON)
        goto done;
    for (size_t p = 0; p < j->count; p++)
        for (int i = 0; i < 2; i++)
            index[i][p] = member(j, i, p);
    cli_plan_options(&j->device, &j->progress, &options);
    ww_status status =
        ww_plan_create_paths(&j->measure, j->data[0], j->data[1], index[0], index[1], j->count, &options, &j->plan);
    if (status == WW_OK)
        status = ww_plan_run_paths(j->plan, &j->found);
    cli_progress_end(&j->progress);
    if (status == WW_OK)
        status = ww_plan_get_info(j->plan, &j->info);
    result = status == WW_OK ? CLI_GO_ON : cli_fail();
done:
    free(index[0]);
    free(index[1]);
    return result;
}

// ---- files

static int write_array(const job *j) {
    const size_t total = (size_t)j->found.offsets[j->count];
    double *rows = malloc((total ? total : 1) * 3 * sizeof *rows);
    if (!rows)
        return cli_error("%zu cells do not fit memory", total);
    for (size_t p = 0; p < j->count; p++)
        for (uint64_t c = j->found.offsets[p]; c < j->found.offsets[p + 1]; c++) {
            rows[3 * c] = (double)p;
            rows[3 * c + 1] = j->found.cells[2 * c];
            rows[3 * c + 2] = j->found.cells[2 * c + 1];
        }
    const ww_status status = ww_array_write(j->output, rows, WW_DOUBLE, total, 3);
    free(rows);
    return status == WW_OK ? CLI_GO_ON : cli_fail();
}

static int write_text(const job *j) {
    cli_output output;
    if (cli_output_open(j->output ? j->output : "-", &output) != CLI_GO_ON)
        return CLI_FAILURE;
    FILE *file = output.file;
    fputs("pair,i,j\n", file);
    for (size_t p = 0; p < j->count; p++)
        for (uint64_t c = j->found.offsets[p]; c < j->found.offsets[p + 1]; c++)
            fprintf(file, "%zu,%" PRId32 ",%" PRId32 "\n", p, j->found.cells[2 * c], j->found.cells[2 * c + 1]);
    return cli_output_close(&output);
}

static void print_json(const job *j, const cli_command *command) {
    cli_json json;
    cli_head head = CLI_HEAD_INIT;
    for (int i = 0; i < 2; i++) {
        head.files[i] = j->paths[i];
        head.counts[i] = ww_series_set_count(j->sets[i]);
    }
    head.output = j->output;
    head.measure = &j->measure;
    head.measure_options = &j->measure_options;
    head.read = &j->read;
    head.context = j->context;
    head.precision = cli_precisions[j->device.precision];
    head.engine = ww_engine_name(j->info.engine);
    head.seconds_compute = j->info.seconds_wall;
    head.seconds_device = j->info.seconds_device;
    cli_json_head(&json, stdout, command, &head);
    cli_json_plan(&json, &j->info);
    cli_json_values(&json, "distances", j->found.distances, WW_DOUBLE, j->count);
    cli_json_array(&json, "paths");
    for (size_t p = 0; p < j->count; p++) {
        cli_json_line(&json);
        cli_json_object(&json, NULL);
        cli_json_count(&json, "length", j->found.offsets[p + 1] - j->found.offsets[p]);
        cli_json_array(&json, "cells");
        for (uint64_t c = j->found.offsets[p]; !j->output && c < j->found.offsets[p + 1]; c++) {
            cli_json_array(&json, NULL);
            cli_json_integer(&json, NULL, j->found.cells[2 * c]);
            cli_json_integer(&json, NULL, j->found.cells[2 * c + 1]);
            cli_json_end(&json);
        }
        cli_json_end(&json);
        cli_json_end(&json);
    }
    cli_json_end(&json);
    cli_json_end(&json);
}

// ---- the picture

enum { WIDTH = 980, HEIGHT = 470, MOST_LINKS = 160, MOST_BAND_ROWS = 240 };
enum { LOOK_X = 0, LOOK_Y = 1, LOOK_PATH = 3 };

typedef struct drawing {
    const job *job;
    cli_picture picture;
    const double *values[2];
    size_t lengths[2];
    double least, most; // of both series
    const int32_t *cells;
    size_t count; // of cells
} drawing;

static cli_panel panel_of(drawing *d, double left, double top, double width, double height) {
    return (cli_panel){&d->picture, left, top, width, height, 0, 1, d->least, d->most, false, false};
}

// All channels of a series.
static void draw_series(const drawing *d, const cli_panel *panel, int side, int look) {
    for (size_t c = 0; c < ww_series_set_channels(d->job->sets[side]); c++)
        cli_panel_line(panel, d->values[side] + c * d->lengths[side], d->lengths[side], 1, 0, 1, look, c ? 0.7 : 1.6);
}

// One series above the other, and lines between matched points of their first channels.
static void draw_links(drawing *d) {
    cli_panel upper = panel_of(d, 60, 40, 390, 165), lower = panel_of(d, 60, 255, 390, 165);
    cli_panel all = {&d->picture, 60, 40, 390, 380, 0, 1, 0, 380, false, false};
    const size_t longer = d->lengths[0] > d->lengths[1] ? d->lengths[0] : d->lengths[1];
    upper.x_to = lower.x_to = all.x_to = longer > 1 ? (double)(longer - 1) : 1;
    cli_panel_axes(&upper, NULL, "x");
    cli_panel_axes(&lower, "time", "y");
    const size_t step = (d->count + MOST_LINKS - 1) / MOST_LINKS;
    for (size_t c = 0; c < d->count; c += step) {
        const int32_t i = d->cells[2 * c], j = d->cells[2 * c + 1];
        if (i < 0 || j < 0)
            continue;
        cli_panel_segment(&all, i, 420 - cli_panel_y(&upper, d->values[0][i]), j,
                          420 - cli_panel_y(&lower, d->values[1][j]), CLI_FAINT, false);
    }
    draw_series(d, &upper, 0, LOOK_X);
    draw_series(d, &lower, 1, LOOK_Y);
}

// The band as one area for some rows.
static void draw_band(const drawing *d, const cli_panel *panel) {
    const ww_measure *measure = &d->job->measure;
    const bool derived = measure->id == WW_DDTW || measure->id == WW_WDDTW;
    const size_t off = derived ? 1 : 0, n = d->lengths[0] - 2 * off, m = d->lengths[1] - 2 * off;
    size_t *lo = malloc(n * sizeof *lo), *hi = malloc(n * sizeof *hi);
    if (measure->band.kind != WW_BAND_NONE && lo && hi && ww_band_rows(&measure->band, n, m, lo, hi) == WW_OK) {
        const size_t step = (n + MOST_BAND_ROWS - 1) / MOST_BAND_ROWS;
        for (size_t i = 0; i < n; i += step) {
            const size_t end = i + step < n ? i + step : n;
            cli_panel_area(panel, (double)(lo[i] + off) - 0.5, (double)(i + off) - 0.5,
                           (double)(hi[end - 1] + off) - 0.5, (double)(end + off) - 0.5, CLI_INK, 0.12);
        }
    }
    free(lo);
    free(hi);
}

// The matrix, the series at its sides.
static int draw_matrix(drawing *d) {
    cli_panel matrix = {
        &d->picture, 610, 110, 310, 310, -0.5, (double)d->lengths[1] - 0.5, -0.5, (double)d->lengths[0] - 0.5,
        false,       true};
    cli_panel above = panel_of(d, 610, 40, 310, 60);
    double *xs = malloc((d->count + d->lengths[0] + 1) * sizeof *xs),
           *ys = malloc((d->count + d->lengths[0] + 1) * sizeof *ys);
    if (!xs || !ys) {
        free(xs);
        free(ys);
        return cli_error("the picture does not fit memory");
    }
    above.x_from = matrix.x_from;
    above.x_to = matrix.x_to;
    draw_series(d, &above, 1, LOOK_Y);
    // x downwards at the left: its values go to the left.
    cli_panel beside = {&d->picture, 500, 110, 60, 310, -d->most, -d->least, matrix.y_from, matrix.y_to, false, true};
    for (size_t i = 0; i < d->lengths[0]; i++) {
        xs[i] = -d->values[0][i];
        ys[i] = (double)i;
    }
    cli_panel_points_line(&beside, xs, ys, d->lengths[0], LOOK_X, 1.6);
    cli_panel_axes(&matrix, "j, points of y", "i, points of x");
    draw_band(d, &matrix);
    for (size_t c = 0; c < d->count; c++) {
        xs[c] = d->cells[2 * c + 1] < 0 ? -0.5 : d->cells[2 * c + 1];
        ys[c] = d->cells[2 * c] < 0 ? -0.5 : d->cells[2 * c];
    }
    cli_panel_points_line(&matrix, xs, ys, d->count, LOOK_PATH, 2);
    if (d->count) {
        cli_panel_dot(&matrix, xs[0], ys[0], 3, LOOK_PATH, "the beginning of the path");
        cli_panel_dot(&matrix, xs[d->count - 1], ys[d->count - 1], 3, LOOK_PATH, "the end of the path");
    }
    free(xs);
    free(ys);
    return CLI_GO_ON;
}

static int draw(const job *j) {
    const size_t pair = (size_t)j->drawn;
    drawing d = {.job = j, .least = INFINITY, .most = -INFINITY};
    char title[160];
    const uint64_t first = j->found.offsets[pair];
    d.cells = j->found.cells + 2 * first;
    d.count = (size_t)(j->found.offsets[pair + 1] - first);
    for (int i = 0; i < 2; i++) {
        d.values[i] = ww_series_set_values(j->sets[i], member(j, i, pair));
        d.lengths[i] = ww_series_set_length(j->sets[i], member(j, i, pair));
        cli_range_add(d.values[i], d.lengths[i] * ww_series_set_channels(j->sets[i]), 1, &d.least, &d.most);
    }
    cli_range_finish(0.05, &d.least, &d.most);
    int result = cli_picture_open(j->svg, WIDTH, HEIGHT, "Warping path", &d.picture);
    if (result != CLI_GO_ON)
        return result;
    snprintf(title, sizeof title, "%s of pair %zu: %.6g, a path of %zu cells",
             ww_measure_info_by_id(j->measure.id)->name, pair, j->found.distances[pair], d.count);
    cli_picture_text(&d.picture, 60, 22, "start", CLI_INK, title);
    double next = cli_picture_key(&d.picture, 610, 22, LOOK_X, "x");
    next = cli_picture_key(&d.picture, next, 22, LOOK_Y, "y");
    (void)cli_picture_key(&d.picture, next, 22, LOOK_PATH, "path");
    draw_links(&d);
    result = draw_matrix(&d);
    const int closed = cli_picture_close(&d.picture);
    return result == CLI_GO_ON ? closed : result;
}

// ---- the command

int cmd_path(const cli_command *command, int argc, char **argv) {
    job j;
    memset(&j, 0, sizeof j);
    ww_paths_init(&j.found, sizeof j.found);
    ww_plan_info_init(&j.info, sizeof j.info);
    const cli_option options[] = {
        {"output", 'o', CLI_OUTPUT, "FILE", "where to: .npy (pair, i, j), else lines 'pair,i,j'; default '-'",
         &j.output, 0, 0},
        {"json", 'j', CLI_FLAG, NULL, "print one JSON object; the paths are in it, or in --output", &j.json, 0, 0},
        {"svg", 0, CLI_OUTPUT, "FILE", "draw a pair: both series, their links, the matrix with band and path", &j.svg,
         0, 0},
        {"pair", 0, CLI_COUNT, "N", "the pair that is drawn, from 0; default 0", &j.drawn, 0, 0},
        CLI_MEASURE_OPTIONS(j.measure_options),
        CLI_ENGINE_OPTION(j.device),
        CLI_READ_OPTIONS(j.read),
        CLI_DEVICE_OPTIONS(j.device),
    };
    int result = cli_parse(command, options, CLI_COUNT_OF(options), argc, argv, j.paths, 2, 2, NULL);
    if (result != CLI_GO_ON)
        return result;
    result = load(&j, command->name);
    if (result == CLI_GO_ON)
        result = compute(&j);
    if (result == CLI_GO_ON && j.svg)
        result = draw(&j);
    if (result == CLI_GO_ON && j.output && cli_name_ends_with(j.output, ".npy"))
        result = write_array(&j);
    else if (result == CLI_GO_ON && (j.output || (!j.json && !j.svg)))
        result = write_text(&j);
    if (result == CLI_GO_ON && j.json)
        print_json(&j, command);
    if (result == CLI_GO_ON)
        result = CLI_OK;
    ww_paths_free(&j.found);
    ww_plan_destroy(&j.plan);
    for (int i = 1; i >= 0; i--) {
        ww_dataset_destroy(&j.data[i]);
        ww_series_set_destroy(&j.sets[i]);
    }
    ww_context_destroy(&j.context);
    cli_measure_free(&j.measure);
    return result;
}
