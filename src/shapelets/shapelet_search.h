// SPDX-License-Identifier: Apache-2.0
// Shapelets inside the library: series on the device, exact distances of a few patterns, and the search of one node for
// its best candidates. The tree, its file and the public functions are in shapelet_tree.c and shapelet_file.c.
#ifndef WAVEWARP_SHAPELET_SEARCH_H
#define WAVEWARP_SHAPELET_SEARCH_H

#include <math.h>
#include <wavewarp/shapelets.h>

#include "base/pace.h"
#include "shapelets/shapelet_args.h"

// Series in double, channel by channel one after the other, on the host and on the device.
typedef struct wwi_shapelet_data {
    size_t count, channels;
    uint64_t *offsets;     // count + 1
    double *values;        // times 2^exponents[channel], so that double and float hold their squares
    int *exponents;        // a channel: 0 but at odd scales; all alike where windows are as they are
    double centre, range;  // middle and extent of all values
    double widest, finest; // one channel: the largest extent of a series, the least of three neighbours that differ
    double steepest;       // of all series: the largest value by the least extent of a window that is not flat
    size_t longest;
    wwi_buffer *device_values, *device_offsets; // NULL where the device has no double
} wwi_shapelet_data;

static inline size_t wwi_shapelet_length(const wwi_shapelet_data *data, size_t i) {
    const size_t values = (size_t)(data->offsets[i + 1] - data->offsets[i]);
    return data->channels == 1 ? values : values / data->channels;
}

// What a distance is.
typedef struct wwi_shapelet_kind {
    size_t channels;
    bool raw, unscaled;
} wwi_shapelet_kind;

// A distance, a threshold or a gap between distances as the caller's values have it.
static inline double wwi_shapelet_told(const wwi_shapelet_data *data, wwi_shapelet_kind kind, double distance) {
    return kind.raw ? ldexp(distance, -data->exponents[0]) : distance;
}

// Buffers of the search of a node, kept for the next one: of what the node is, of the tables of columns and of windows,
// of bounds and what they keep, of short candidates, and of distances in double.
typedef struct wwi_shapelet_scratch {
    struct wwi_shapelet_node_scratch {
        wwi_buffer *ids, *class_of, *totals, *points, *before, *so_far, *steps, *entropy, *columns, *lefts;
    } node;
    struct wwi_shapelet_columns_scratch {
        wwi_buffer *places, *reaches, *own, *a, *norms, *sums, *increments, *steps, *lefts;
    } columns;
    struct wwi_shapelet_windows_scratch {
        wwi_buffer *tiles, *first, *b, *constant, *steps, *passed, *differences, *scratch;
    } windows;
    struct wwi_shapelet_bounds_scratch {
        wwi_buffer *nearest, *bound, *pruned, *listed, *listed_count, *most_gain, *most_gap, *best, *scratch, *kept,
            *kept_count;
    } bounds;
    struct wwi_shapelet_brief_scratch {
        wwi_buffer *angles[2], *sorted[2], *counts[2], *fours;
    } brief;
    struct wwi_shapelet_exact_scratch {
        wwi_buffer *patterns, *places, *flats, *ids, *nearest, *at, *candidates, *statistics, *gains, *gaps;
    } exact;
} wwi_shapelet_scratch;

// The kernels of texts that use double.
typedef struct wwi_shapelet_kernels {
    wwi_kernel *exact, *statistics_of, *patterns_of, *near, *make_angles, *circle, *make_fours, *near_fours, *rescore,
        *make_columns, *make_windows, *tensor_columns, *tensor_windows, *row_steps, *window_steps, *row_conditions,
        *window_conditions;
} wwi_shapelet_kernels;

// A device's programs for one kind. It belongs to one thread at a time.
typedef struct wwi_shapelet_device {
    ww_context *context;
    wwi_stream *stream;
    wwi_shapelet_kind kind;
    bool gpu, has_double;
    uint32_t vector;                         // columns in a vector
    uint32_t group, columns, windows, parts; // of the extension: work-items, column vectors each, windows of a tile
    uint32_t rows, diagonals, row_group;     // of the diagonals: rows and diagonals of a work-item, lanes of a group
    uint32_t row_parts;                      // of a group that have the same rows
    uint32_t exact_group, table_group;
    wwi_program *double_program;
    wwi_shapelet_kernels kernels;
    wwi_shapelet_scratch scratch;
    uint64_t bytes; // that a search may use: half of what was free when the first began
} wwi_shapelet_device;

ww_status wwi_shapelet_device_open(ww_context *context, const ww_run_options *run, wwi_shapelet_kind kind,
                                   wwi_shapelet_device *device);
void wwi_shapelet_device_close(wwi_shapelet_device *device);
// form.few 1: few series and candidates go the way of many.
bool wwi_shapelet_few(const wwi_shapelet_device *device);

// Copies a set's series. WW_ERROR_EMPTY, WW_ERROR_NOT_FINITE (where is in the record).
ww_status wwi_shapelet_data_open(wwi_shapelet_device *device, const ww_series_set *set, wwi_shapelet_data *data);
// Scales a model's window as the series are that it is compared with; z-normalised ones each by themselves.
void wwi_shapelet_scale(const wwi_shapelet_data *data, wwi_shapelet_kind kind, double *values, size_t length);
void wwi_shapelet_data_close(wwi_shapelet_data *data);

// ---- exact distances (shapelet_exact.c)

// `channels` runs of `length` values, `stride` apart.
typedef struct wwi_shapelet_pattern {
    const double *values;
    size_t stride, length;
} wwi_shapelet_pattern;

typedef struct wwi_shapelet_place {
    uint32_t series, start, length; // series: of the data
} wwi_shapelet_place;

static inline wwi_shapelet_pattern wwi_shapelet_pattern_at(const wwi_shapelet_data *data,
                                                           const wwi_shapelet_place *place) {
    return (wwi_shapelet_pattern){data->values + data->offsets[place->series] + place->start,
                                  wwi_shapelet_length(data, place->series), place->length};
}
static inline double wwi_shapelet_join(ww_shapelet_op op, double a, double b) {
    return op == WW_SHAPELET_AND ? fmax(a, b) : fmin(a, b);
}

// The distance of each pattern to each of the series `ids` (count x series), infinite where the series is shorter, and
// the first window that has it (or NULL). count: 1 at least. WW_ERROR_UNSUPPORTED never: without double on the device
// the host computes.
ww_status wwi_shapelet_exact(wwi_shapelet_device *device, const wwi_shapelet_data *data, const uint32_t *ids,
                             size_t series, const wwi_shapelet_pattern *patterns, size_t count, double *distances,
                             uint32_t *at);

// ---- tables on the host, for devices without double (shapelet_tables.c): as the kernels of shapelet_tables.cl

typedef struct wwi_shapelet_column {
    uint32_t series, start, reach, own; // own: the series' place in the node
} wwi_shapelet_column;

typedef struct wwi_shapelet_tile {
    uint32_t series, first, lengths, row; // series: place in the node; row: the tile's first row in the table
} wwi_shapelet_tile;

// Floats of a row of the table of windows.
static inline size_t wwi_shapelet_row(wwi_shapelet_kind kind, uint32_t windows) {
    return (kind.raw ? kind.channels : kind.channels == 1 ? 2 : 2 * kind.channels + 1) * windows;
}

// ---- the quality of a split (shapelet_quality.c)

// k log2 k in whole numbers. The logarithms are sums of those of primes, so that gains that are equal in mathematics
// are equal here.
typedef struct wwi_shapelet_gains {
    size_t most;
    int64_t *entropy; // k log2 k, 0 to most, in units of 2^-WWI_GAIN_BITS
    int64_t *steps;   // entropy[k + 1] - entropy[k], 0 to most - 1
} wwi_shapelet_gains;
#define WWI_GAIN_BITS 32
ww_status wwi_shapelet_gains_open(size_t most, wwi_shapelet_gains *gains);
void wwi_shapelet_gains_close(wwi_shapelet_gains *gains);

typedef struct wwi_shapelet_score {
    int64_t key;     // what candidates are ordered by: series * gain, or the quality, in whole numbers
    int64_t gap_key; // the gap in units of 2^-32, by which equal ones are ordered
    double gain;     // bits
    double gap, threshold;
    double quality; // of the measure asked for
    size_t left;
} wwi_shapelet_score;

#define WWI_QUALITY_UNIT 1048576.0 // of keys that are not gains

// ---- the search of a node (shapelet_node.c)

typedef struct wwi_shapelet_found {
    wwi_shapelet_place place;
    wwi_shapelet_score score;
} wwi_shapelet_found;

// By key, gap, then the shorter, the lower series, the lower start. Negative: a is better.
int wwi_shapelet_compare(const wwi_shapelet_found *a, const wwi_shapelet_found *b);

typedef struct wwi_shapelet_node {
    const uint32_t *ids;     // its series
    const uint32_t *classes; // of each
    size_t count, class_count;
    const double *before;        // NULL, or the distances so far: the candidate's are combined with them
    const double *before_errors; // with `before`: their rounding
    ww_shapelet_op op;
    struct wwi_shapelet_after *after; // NULL, or what the search tells besides
    size_t part_first, part_count;    // candidates of so many of the series alone, by place; part_count 0: of all
} wwi_shapelet_node;

// The best split of the node's series by their distances: between such that differ by more than 1e-10 of the largest,
// and by more than the rounding of both: `errors` of each, or where that is NULL at most `most`. *told false: without
// `errors` it can't be told.
ww_status wwi_shapelet_split(const wwi_shapelet_gains *gains, const wwi_shapelet_node *node,
                             ww_shapelet_quality quality, const double *distances, double most, const double *errors,
                             wwi_shapelet_score *score, bool *told);
// The distances of the node's series to each candidate, 0 to its own; joined to those so far.
ww_status wwi_shapelet_distances(wwi_shapelet_device *device, const wwi_shapelet_data *data,
                                 const wwi_shapelet_node *node, const wwi_shapelet_place *places, size_t count,
                                 double *distances);

// The best of those that a search examined, and its distances to the node's series.
typedef struct wwi_shapelet_after {
    wwi_shapelet_found found; // its length is 0 before there is one
    double *distances;
} wwi_shapelet_after;

// ---- rounding (shapelet_rounding.c, whose comment has the bounds)

// Finds data->steepest.
void wwi_shapelet_find_steepest(wwi_shapelet_data *data);
// What no distance of candidates of this length, or shorter, is off by.
double wwi_shapelet_rounding_most(const wwi_shapelet_data *data, wwi_shapelet_kind kind, size_t length);
// What the distances of one candidate to the node's series are off by at most; 0 to its own.
ww_status wwi_shapelet_rounding(wwi_shapelet_device *device, const wwi_shapelet_data *data,
                                const wwi_shapelet_node *node, const wwi_shapelet_place *place, double *errors);
// The score of found->place by its distances to the node's series, which are joined to those before.
ww_status wwi_shapelet_judge(wwi_shapelet_device *device, const wwi_shapelet_data *data,
                             const wwi_shapelet_gains *gains, const ww_shapelets_options *options,
                             const wwi_shapelet_node *node, const double *distances, wwi_shapelet_found *found);

// What is told and asked.
typedef struct wwi_shapelet_progress {
    wwi_pace pace;
    double rate;                          // cells a second
    double deadline;                      // wwi_seconds() after which no new part is begun; 0: none
    uint64_t cells, candidates, examined; // so far; examined in double
    bool stopped;                         // the deadline passed
} wwi_shapelet_progress;

// The best candidates, best first, without overlap on one series. found: room for k; *count: how many there are. Those
// given are the start: of other parts.
ww_status wwi_shapelet_search(wwi_shapelet_device *device, const wwi_shapelet_data *data,
                              const wwi_shapelet_gains *gains, const ww_shapelets_options *options,
                              const wwi_shapelet_node *node, size_t k, wwi_shapelet_progress *progress,
                              wwi_shapelet_found *found, size_t *count);
// Cells of that search: candidates x windows. Of the node its series and its part count.
uint64_t wwi_shapelet_cells(const wwi_shapelet_data *data, const ww_shapelets_options *options,
                            const wwi_shapelet_node *node);
// The cells of all series of its part before each. before: one more than series.
void wwi_shapelet_cells_before(const wwi_shapelet_data *data, const ww_shapelets_options *options,
                               const wwi_shapelet_node *node, double *before);

// Puts one into the k best, in order, unless it is one of them.
void wwi_shapelet_insert(wwi_shapelet_found *best, size_t *count, size_t k, const wwi_shapelet_found *found);

#endif
