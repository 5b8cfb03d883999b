// SPDX-License-Identifier: Apache-2.0
// What the files of search/ share.
//
// A search walks over one long stream: the caller's streams one after the other, with a point that is not a number
// between them, so that nothing matches across (search_source.c). It does so in blocks. For each block a row of values
// a query comes to be on the device (search_windows.c, search_open.c), of which those that may belong to the k best are
// listed (search_collect.c) and kept (search_candidates.c).
#ifndef WAVEWARP_SEARCH_INTERNAL_H
#define WAVEWARP_SEARCH_INTERNAL_H

#include <stdatomic.h>
#include <wavewarp/search.h>

#include "base/pace.h"
#include "data/dataset.h"
#include "engine/engine.h"
#include "engine/parameters.h"
#include "measure/measure_table.h"
#include "search/search_args.h"
#include "work/team.h"

// A place that may be a match: its value (smaller is better), the place in the joined stream, and the row of the query
// in which it ends.
typedef struct wwi_candidate {
    double value;
    uint64_t place;
    uint32_t row;  // a pushed stream: 1 until it is decided
    int64_t start; // known beforehand; else -1
} wwi_candidate;

typedef struct wwi_query {
    size_t length;  // points given
    uint32_t n;     // points compared: fewer of derivatives
    uint32_t x;     // first value on the device
    uint32_t at;    // first point among those of all queries
    uint32_t reach; // of its band, to each side of the diagonal
    uint64_t exclusion;
    wwi_candidate *candidates;    // best first; of a pushed stream as they came
    size_t count, capacity, kept; // kept: as many of the best as may be needed
    bool full;                    // there are as many: a later one must be better than the worst
    double limit;                 // no match is above it
    uint64_t seen;                // a pushed stream: places before this one are known already
    double share;                 // of the windows of the last block that the bounds left
    uint32_t stages;              // of three bounds those that exclude enough
    double tried;                 // share of the windows for which all three are used
    size_t counted;        // of a part: the query of its length that has the count of windows without missing values
    bool in_part, bounded; // it has windows there; bounds were used
    bool idle;             // another device takes its sample
} wwi_query;

// The queries on the device: values; what bounds take of their points, largest first, and their bands, at wwi_query.at.
typedef struct wwi_query_buffers {
    wwi_buffer *x, *terms, *rows;
} wwi_query_buffers;

// What is known of a whole's matches, by all searches of its parts: a value for each query that its k-th match has at
// most, infinity while there is none; and from how many windows. Any number of threads use it at once.
typedef struct wwi_limits {
    size_t count;
    _Atomic double *values;
    _Atomic uint64_t windows;
} wwi_limits;

// The caller's streams as one.
typedef struct wwi_joined {
    const ww_series_view *view;   // or
    const ww_search_source *from; // or
    const ww_dataset *dataset;    // on the device, of the search's precision, all values finite
    size_t channels, count;
    uint64_t *begins;       // where each stream begins; the last is one after the separator of the last
    uint64_t shift;         // of a part of them: the place where it begins; its places count from there
    uint64_t part;          // its places, of which the last is no point; 0: all
    unsigned char *staging; // for `from`: points [staged_first, staged_first + staged_count) of it
    size_t staged;          // points that it has room for
    uint64_t staged_first, staged_count;
    _Atomic double largest; // absolute value of those that were read; of floats at least whether one is enough
} wwi_joined;

// A value of a stream in a search's precision: NaN where it is none. What is not 0 stays so in float: windows of it are
// not constant. WW_ERROR_NOT_FINITE: float has no such number; the stream and the point are told.
ww_status wwi_stream_value(ww_precision precision, double value, size_t stream, uint64_t point, double *taken);

// The queries of a search for whole streams.
struct wwi_super {
    double *values; // channel by channel
    size_t *lengths, *offsets, count, channels;
};

// A block: consecutive places of the joined streams.
typedef struct wwi_search_block {
    uint64_t first, places;                    // in which windows begin, or open matches end
    uint64_t stride;                           // values from one channel, and from one query's results, to the next
    uint64_t bytes;                            // of the device that blocks have taken, about
    uint32_t lead;                             // points before the first place: 1 with open ends
    wwi_buffer *values, *derived;              // its points; their derivatives, where these are compared
    wwi_buffer *out;                           // a row of results for each query
    unsigned char *host_values, *host_derived; // where the host makes the block
} wwi_search_block;

// Sends the next block to buffers of its own while one is searched.
typedef struct wwi_ahead {
    wwi_feed *feed;
    wwi_buffer *values, *derived;
} wwi_ahead;

struct ww_search {
    ww_context *context;
    wwi_stream *stream;
    ww_measure given;  // as it was given, with copies of what the caller's points to
    wwi_recurrence of; // the measure as it is searched
    ww_search_options options;
    ww_search_part part;
    ww_run_options run;
    ww_search_info info;
    wwi_pace pace;
    double rate; // cells a second
    uint64_t value_bytes;
    bool gpu, derivative, similarity, streaming;
    bool bounded, abandons; // bounds may exclude windows; a window may be given up
    int vector;             // windows, or rows of a query, that a work-item computes side by side
    wwi_query *queries;
    size_t query_count, most_points, least_points; // as compared
    wwi_query_buffers query_data;
    wwi_buffer *limits_sent;        // of each query, rounded up
    wwi_limits own_limits, *limits; // of the whole: its own, or those of a group
    wwi_joined joined;
    wwi_search_block block;
    wwi_ahead ahead;
    struct wwi_collect *collect;
    struct wwi_windows *windows; // one of these three
    struct wwi_open *open;
    struct wwi_super *super;
    // Several devices. `places` > 0: each has a search of all queries, and they divide the streams; these are the
    // places of a part. Else they divide the queries, of which this is a copy.
    wwi_team *team;
    size_t places;
    ww_series_view all;
    void *all_values;
    size_t *all_lengths;
    uint64_t *all_begins; // values before each query
};

// ---- values

// At the second of three points.
static inline double wwi_derivative(double before, double here, double after) {
    return ((here - before) + (after - before) / 2) / 2;
}

// Of the block, in the search's precision.
static inline double wwi_host_value(const ww_search *s, const void *values, size_t i) {
    return wwi_value_at(values, s->of.precision, i);
}

// The block's points as they are compared.
static inline wwi_buffer *wwi_block_compared(const ww_search *s) {
    return s->derivative ? s->block.derived : s->block.values;
}

static inline void wwi_buffers_swap(wwi_buffer **a, wwi_buffer **b) {
    wwi_buffer *kept = *a;
    *a = *b;
    *b = kept;
}

// ---- search_queries.c
enum { WWI_MOST_CORNERS = 4 };
// Corners of a query's matrix at each end that the first bound has.
static inline uint32_t wwi_bound_corners(const ww_search *s, uint32_t n) {
    return s->of.passes > 1 || n < 2 * WWI_MOST_CORNERS ? 1 : WWI_MOST_CORNERS;
}
// Points that are in no corner: each is a term of the other bounds.
static inline uint32_t wwi_bound_terms(const ww_search *s, uint32_t n) {
    const uint32_t corners = 2 * wwi_bound_corners(s, n);
    return n > corners ? n - corners : 0;
}
ww_status wwi_search_queries(ww_search *s, const ww_series_view *view);
void wwi_search_queries_destroy(ww_search *s);
// Sends values in the search's precision to a buffer of at least so many.
ww_status wwi_search_upload(ww_search *s, wwi_buffer **buffer, const double *values, size_t count);
double wwi_search_round(const ww_search *s, double value); // to the precision
// In float z-normalised windows of smaller values may have no deviation.
#define WWI_SEARCH_LEAST_FLOAT 0x1p-100

// Refuses z-normalised windows of streams whose largest absolute value is too small for them.
ww_status wwi_search_check_small(const ww_search *s, double largest);
// The largest value of a match: the options' threshold in the precision, as values are. Infinity: there is none.
double wwi_search_threshold(const ww_search *s);
ww_status wwi_super_make(ww_search *s, const ww_series_view *view);
void wwi_super_destroy(struct wwi_super **super);

// ---- search_source.c
// `streams` has one of view, from and dataset.
ww_status wwi_joined_open(wwi_joined *j, const wwi_joined *streams);
void wwi_joined_close(wwi_joined *j);
ww_status wwi_joined_check_channels(const wwi_joined *j, size_t queries);
uint64_t wwi_joined_length(const wwi_joined *j); // with the separators; of a part its own
// Places [first, first+count) of all channels, `stride` values apart, in the precision; NaN between the streams and for
// every value that is not finite. `derived` NULL: not wanted.
ww_status wwi_joined_read(wwi_joined *j, uint64_t first, size_t count, ww_precision precision, size_t stride,
                          void *values, void *derived);
// Reads the points of a source at these places; until the next call several threads may read the places by
// wwi_joined_read(). Nothing of a view or of a source that several threads may read.
ww_status wwi_joined_stage(wwi_joined *j, uint64_t first, uint64_t count);
// The derivatives of points of so many channels; the last two points have none: NaN.
void wwi_points_derive(ww_precision precision, size_t channels, size_t count, size_t stride, const void *values,
                       void *derived);
// Copies places [first, first + count) of a dataset's streams to `stride` values a channel of a buffer, from `at` on.
ww_status wwi_joined_copy(const wwi_joined *j, uint64_t first, uint64_t count, wwi_buffer *values, uint64_t stride,
                          uint64_t at);
// Which stream has a place; where it begins, counted from the first stream's begin, as is place + shift.
size_t wwi_joined_stream(const wwi_joined *j, uint64_t place, uint64_t *begin);

// ---- search_candidates.c
// Places that are not there; `found` is sorted. Any number of threads, each for queries of its own.
ww_status wwi_candidates_add(ww_search *s, wwi_query *q, wwi_candidate *found, size_t count);
// A place that may be there with another row of the query: the better of the two, of equal ones the new one.
ww_status wwi_candidates_add_row(ww_search *s, wwi_query *q, const wwi_candidate *found);
// The value that the k-th match has at most, of these places, which are sorted, and those kept. Threads: as above.
ww_status wwi_candidates_limit(ww_search *s, wwi_query *q, wwi_candidate *more, size_t count);
// The least value that a place needs not to have to be left out.
double wwi_candidates_bar(const ww_search *s, const wwi_query *q);
// The matches: `picked` has room for k candidates.
size_t wwi_candidates_pick(ww_search *s, wwi_query *q, wwi_candidate *picked);

// ---- search_limits.c
ww_status wwi_limits_make(wwi_limits *limits, size_t count);
void wwi_limits_free(wwi_limits *limits);
void wwi_limits_forget(wwi_limits *limits);
// Makes it at most `value`. Returns what it is then.
double wwi_limits_lower(wwi_limits *limits, size_t query, double value);

// ---- search_sample.c
// Limits from windows all over the streams, which are a small part of them. Nothing where limits are of no use, or a
// source can't be read in any order. `turn`: for each turn.count-th query, from turn.first on.
ww_status wwi_limits_sample(ww_search *s, const wwi_joined *streams, wwi_span turn);

// ---- search_collect.c
ww_status wwi_collect_prepare(ww_search *s);
void wwi_collect_destroy(struct wwi_collect **collect);
// Candidates among the block's places [first, first + count) of every row of results.
ww_status wwi_collect(ww_search *s, uint32_t first, uint32_t count);
// Takes the limits of the whole, gives it the search's own, and sends them.
ww_status wwi_collect_limits(ww_search *s);

// ---- search_windows.c
ww_status wwi_windows_prepare(ww_search *s);
void wwi_windows_destroy(struct wwi_windows **windows);
// Room for blocks of so many bytes, and counters at 0.
ww_status wwi_windows_begin(ww_search *s, uint64_t bytes);
// Windows that begin in the block, of whose points `points` are there.
ww_status wwi_windows_block(ww_search *s, uint32_t points);

// ---- search_open.c
ww_status wwi_open_prepare(ww_search *s);
// Columns [0, columns) of the block, which follows the one before.
ww_status wwi_open_block(ww_search *s, uint32_t columns);
void wwi_open_restart(ww_search *s);
void wwi_open_destroy(struct wwi_open **open);
// How a query's rows are divided.
typedef struct wwi_open_tiling {
    uint32_t group, chain, columns, pads, strips; // chain: groups of lanes one after the other
} wwi_open_tiling;
wwi_open_tiling wwi_open_tile(const ww_search *s, uint32_t n, uint64_t tasks, bool start);
// Launches all strips of the tasks, `count` of them, in groups of as many as wwi_open_together() says, whose tasks have
// the same number of columns.
typedef struct wwi_open_buffers {
    wwi_buffer *values, *ends, *starts, *states_in, *states_out, *starts_in, *starts_out;
    uint64_t stride;
    int32_t shift;
    uint32_t begin_x;
} wwi_open_buffers;
uint32_t wwi_open_begin_x(const ww_search *s); // rows that may be skipped at the begin of a stream
uint32_t wwi_open_together(const ww_search *s, const wwi_open_tiling *tiling);
ww_status wwi_open_launch(ww_search *s, const wwi_open_tiling *tiling, bool start, const ww_open_task *tasks,
                          size_t count, const wwi_open_buffers *buffers);
// ---- search_start.c
// Of `found` candidates of each query; those of a query stand k after those of the one before.
ww_status wwi_open_starts(ww_search *s, wwi_candidate *picked, const size_t *found);

// ---- search_parts.c
// The order of the choice: by distance, of equal ones the lower stream and place; 0: the same place.
int wwi_match_order(const ww_match *a, const ww_match *b, bool similarity);
// The worst distance that the k-th match can have, of places in order. NaN: there are too few of them.
double wwi_matches_limit(const ww_match *matches, size_t places, size_t k, size_t exclusion);

// ---- search_super.c
ww_status wwi_super_run(ww_search *s, const ww_series_view *streams, ww_match *matches, size_t *found);

// ---- search_make.c, search_run.c
ww_status wwi_search_make(ww_context *context, const ww_measure *measure, const ww_series_view *queries,
                          const ww_search_options *options, bool streaming, ww_search **search);
// Adds what a run did, but for its wall time.
void wwi_search_info_add(ww_search_info *sum, const ww_search_info *did);
// A run of any search but one for whole streams.
ww_status wwi_search_run(ww_search *s, const wwi_joined *streams, ww_match *matches, size_t *found);
ww_status wwi_search_check_options(const ww_search_options *options);
// Cells of a window under query i, inside the band.
uint64_t wwi_search_window_cells(const ww_search *s, size_t i);
// Later runs of places are parts of these streams. `limits`: what searches on other devices know too. `turn`: which of
// the first ones this device finds (wwi_limits_sample()).
ww_status wwi_search_begin_parts(ww_search *s, const wwi_joined *streams, wwi_limits *limits, wwi_span turn);
// Windows that begin in places [first, first + count) of the joined streams, which have one of view and from: those of
// the `places` best that the whole may need; where there are fewer, the one after them is none. Also some of shorter
// queries that begin in the points that the last one needs. z-normalised: `first` is a multiple of
// WW_SEARCH_PART_POINTS.
ww_status wwi_search_run_places(ww_search *s, const wwi_joined *streams, uint64_t first, uint64_t count, size_t places,
                                ww_match *matches);

// ---- search_units.c: by one device, or by several
ww_status wwi_search_open(ww_context *context, const ww_measure *measure, const ww_series_view *queries,
                          const ww_search_options *options, ww_search **search);
ww_status wwi_search_streams(ww_search *s, const wwi_joined *streams, ww_match *matches, size_t *found);

// ---- search_blocks.c
// Room for blocks of `stride` values a channel; `host`: also on the host, all zero.
ww_status wwi_block_allocate(ww_search *s, uint64_t stride, bool host);
void wwi_block_destroy(ww_search *s);
// Sends the host's block, `points` points behind its lead.
ww_status wwi_block_send(ww_search *s, uint32_t points);
// Room for the blocks of a stream of so many places, before shorter ones are searched.
ww_status wwi_search_reserve(ww_search *s, uint64_t length);
// Searches all blocks of the joined streams.
ww_status wwi_search_walk(ww_search *s);

#endif
