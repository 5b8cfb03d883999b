// SPDX-License-Identifier: Apache-2.0
// What the jobs share: a plan's parts, the class of a job, and batches of results.
#ifndef WAVEWARP_PLAN_INTERNAL_H
#define WAVEWARP_PLAN_INTERNAL_H

#include <wavewarp/plan.h>

#include "pairing/pairing.h"

// What a result takes: `rows` rows of `columns` values.
typedef struct wwi_result {
    const char *name; // in messages
    uint64_t rows, columns, value_bytes;
    bool rows_may_be_apart; // a row_stride is allowed
} wwi_result;

// What a job does. One constant a job: matrix.c, pairs.c, nearest.c.
typedef struct wwi_job_class {
    const char *runs; // the function that runs its plans
    // What a run gives in a layout; WW_ERROR_INVALID_ARGUMENT where the job does not have it. NULL: the job has a
    // function of its own to run it.
    ww_status (*result)(const ww_plan *plan, ww_layout layout, wwi_result *result);
    // Enqueues all work and, for host memory, brings the results there. `device` NULL: to host memory.
    ww_status (*run)(ww_plan *plan, const ww_output *to, wwi_buffer *device);
    ww_status (*prepare)(ww_plan *plan); // NULL: nothing is left to prepare
    void (*destroy)(ww_plan *plan);      // what is the job's own; also of a plan half made. NULL: it has nothing
} wwi_job_class;

extern const wwi_job_class wwi_matrix_job, wwi_pairs_job, wwi_nearest_job;

struct ww_plan {
    const wwi_job_class *job;
    wwi_pairing pair;
    bool self; // one set with itself: columns == rows
    bool symmetric, zero_on_self;
    wwi_plan_settings options;
    wwi_runner *runner;
    wwi_buffer *out;
    wwi_work *whole;                // all results, where they are one batch; made once
    wwi_work *diagonal;             // matrix: what the half of a set with itself leaves out
    wwi_buffer *zeros;              // matrix: a diagonal for rectangles in device memory
    uint32_t *row_ids, *column_ids; // room for the ids of a batch
    uint32_t *pairs;                // pairs: `count` x (row, column, number of the result)
    wwi_buffer *radii;              // pairs: of a list that is made anew
    size_t count;                   // pairs; nearest: neighbours of a row
    wwi_team *team;                 // several devices: the plan on each of them
    void *own;                      // what the job has besides, for its class's destroy
    uint64_t square_cells;          // of all rows with all columns
    bool pending;                   // a run goes into device memory, which is not waited for
    uint64_t run_cells;             // that the run computes
    double start_seconds;
    ww_plan_info info;
};

// The part all ww_plan_create_...() share. `columns` NULL: `rows` with itself.
ww_status wwi_plan_create(const wwi_job_class *job, const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                          const ww_plan_options *options, ww_plan **plan);
// What a plan is created from.
typedef struct wwi_plan_creation {
    // On one device. `columns` NULL: `rows` with itself.
    ww_status (*create)(const struct wwi_plan_creation *from, ww_dataset *rows, ww_dataset *columns,
                        const ww_plan_options *options, ww_plan **plan);
    const ww_measure *measure;
    ww_dataset *rows, *columns;
    const size_t *row_index, *column_index; // pairs
    size_t count, k;
    const ww_nearest_shard *shard;
    ww_plan_options options; // for wwi_plan_spread() itself
} wwi_plan_creation;
// Creates a plan, on each device of a context where both datasets are on these.
ww_status wwi_plan_spread(wwi_plan_creation *from, const ww_plan_options *options, ww_plan **plan);

// Cells of all rows with all columns; of each series of a set with itself. WW_ERROR_NO_PATH.
ww_status wwi_plan_count_cells(ww_plan *plan, uint64_t *cells);
uint64_t wwi_plan_diagonal_cells(const ww_plan *plan);
// Cells of a rectangle.
ww_status wwi_plan_count_area(const ww_plan *plan, wwi_rectangle of, uint64_t *cells);

// Pairs: takes the caller's list, or the i-th row with the i-th column, into plan->pairs, and counts their cells.
ww_status wwi_plan_take_pairs(ww_plan *plan, const size_t *row_index, const size_t *column_index, size_t count);
// The cells of pairs [first, first + count) of those that were taken. WW_ERROR_NO_PATH.
ww_status wwi_plan_count_pairs(const ww_plan *plan, size_t first, size_t count, uint64_t *cells);
// Runs pairs [first, first + count) of a plan for pairs, which has them, into host memory.
ww_status wwi_plan_run_some_pairs(ww_plan *plan, size_t first, size_t count, void *distances);
// Pairs that a caller makes anew for each run: (row, column, number) each. Numbers are 0, 1, 2, ...; they are written
// anew where a list is computed in parts.
typedef struct wwi_list {
    uint32_t *pairs;
    const void *radii; // NULL, or a distance for each pair: one found to be farther may be given up, and is infinity
} wwi_list;
// Plans lists of any pairs of the two. *plan: on each device of a context where both are.
ww_status wwi_plan_create_lists(const ww_measure *measure, ww_dataset *rows, ww_dataset *columns,
                                const ww_plan_options *options, ww_plan **plan);
// Runs such a plan into host memory; the devices divide the list. Whether results have overflowed is the caller's to
// see: wwi_plan_check_results().
ww_status wwi_plan_run_list(ww_plan *plan, const wwi_list *list, size_t count, void *distances);
// The same on the plan's one device.
ww_status wwi_plan_list_alone(ww_plan *plan, const wwi_list *list, size_t count, void *distances);

// A list in device memory, into device memory: wwi_buffer of triples, of which the last is the place of the result. It
// is enqueued, between wwi_plan_start() and wwi_plan_end(), on the plan's own device; for plans that take such lists.
bool wwi_plan_takes_tasks(const ww_plan *plan);
ww_status wwi_plan_run_tasks(ww_plan *plan, wwi_buffer *tasks, size_t count, wwi_buffer *distances);

// What the public functions of these names do with a plan on one device (divide.c: on several).
ww_status wwi_plan_run_alone(ww_plan *plan, const ww_output *output);
ww_status wwi_plan_rectangle_alone(ww_plan *plan, wwi_rectangle of, const ww_output *output);
ww_status wwi_plan_blocks_alone(ww_plan *plan, ww_block_fn block, void *user);
ww_status wwi_plan_condensed_alone(ww_plan *plan, ww_condensed_fn values, void *user);
// A plan of ww_plan_create_nearest() on the device of these sets alone.
ww_status wwi_plan_create_nearest_alone(const ww_measure *measure, ww_dataset *queries, ww_dataset *base, size_t k,
                                        const ww_plan_options *options, ww_plan **plan);
ww_status wwi_plan_nearest_alone(ww_plan *plan, size_t row, size_t rows, int64_t *indices, void *distances);
// Prints what the results of a nearest plan depend on of its ww_nearest_shard.
void wwi_plan_print_shard(const ww_plan *plan, FILE *to);
// Checks what the caller wants of a plan: an output of a job, a rectangle of a matrix, rows of a nearest plan.
ww_status wwi_plan_check_output(const ww_plan *plan, const ww_output *output, ww_output *to, wwi_result *result,
                                wwi_buffer **device);
ww_status wwi_plan_check_rectangle(const ww_plan *plan, wwi_rectangle of, const ww_output *output, ww_output *to,
                                   wwi_buffer **device);
ww_status wwi_plan_check_nearest(const ww_plan *plan, size_t row, size_t rows, const int64_t *indices);
// The work of a pair of those taken, as devices divide it: points times points.
double wwi_plan_pair_work(const ww_plan *plan, size_t pair);
// Adds what a device's last run did to the sum of a divided one; under the team's lock.
void wwi_plan_add_info(ww_plan_info *sum, const ww_plan *did);
// The end of a divided run that began at `start`: the caller's plan tells the sum.
void wwi_plan_give_info(ww_plan *plan, const ww_plan_info *sum, double start);

// Says that `function` is not for the plan's job, and which function is.
ww_status wwi_plan_other_job(const ww_plan *plan, const char *function);
// Before and after a run; in between the job says how many cells it computes, which is what progress counts to. The end
// waits for all work.
void wwi_plan_start(ww_plan *plan);
void wwi_plan_expect(ww_plan *plan, uint64_t cells);
ww_status wwi_plan_end(ww_plan *plan, ww_status status);
// Bytes a batch of results may take on the device.
uint64_t wwi_plan_memory(const ww_plan *plan);
// Values of each of so many arrays of a batch: at least one, and what 31 bits count.
uint64_t wwi_plan_most_values(const ww_plan *plan, uint64_t arrays);
// Ids of [first, first+count) of a dataset by ascending length.
void wwi_plan_ids(const ww_dataset *dataset, size_t first, size_t count, uint32_t *ids);
// Computes a rectangle into plan->out, row after row.
ww_status wwi_plan_rectangle(ww_plan *plan, wwi_rectangle of);
// The batch of that, whose `out` is plan->out.
ww_status wwi_plan_batch(ww_plan *plan, wwi_rectangle of, wwi_batch *batch);
// Compiles, allocates and uploads what that needs from row and column 0 on; `work` may be NULL: wwi_runner_prepare().
ww_status wwi_plan_prepare_rectangle(ww_plan *plan, size_t row_count, size_t column_count, wwi_work **work);
// Listed pairs of all series, (row, column, number of the result) each, as a batch; then the same of them.
ww_status wwi_plan_list(ww_plan *plan, const uint32_t *pairs, size_t count, wwi_batch *batch);
ww_status wwi_plan_prepare_list(ww_plan *plan, const uint32_t *pairs, size_t count, wwi_work **work);
// Runs what `enqueue` enqueues into the device memory of an output.
ww_status wwi_plan_to_device(ww_plan *plan, const ww_output *to, wwi_buffer *device, const wwi_result *result,
                             ww_status (*enqueue)(ww_plan *, ww_layout, wwi_buffer *out));
// Copies a result from plan->out to its place in the device memory of an output.
ww_status wwi_plan_place(ww_plan *plan, const ww_output *to, wwi_buffer *device, const wwi_result *result);
// Brings the first `count` results of a buffer to host memory. Fails when one of them has overflowed:
// WW_ERROR_OVERFLOW.
ww_status wwi_plan_fetch(const ww_plan *plan, wwi_buffer *buffer, uint64_t count, void *results);
// Fails when one of these results has.
ww_status wwi_plan_check_results(const ww_plan *plan, const void *results, uint64_t count);
// Whether the series and `elements` results are on the device at once.
bool wwi_plan_is_one_batch(const ww_plan *plan, uint64_t elements);

// Device memory for results: wavewarp/output.h.
struct ww_buffer {
    ww_context *context;
    wwi_buffer *memory;
};
// Checks an output for a result before any work. *device: the memory that it names, NULL for host memory. A row_stride
// that is that of dense rows becomes 0. WW_ERROR_INVALID_ARGUMENT, WW_ERROR_OVERFLOW.
ww_status wwi_result_check(ww_output *to, const ww_context *context, const wwi_result *result, wwi_buffer **device);
// Of a cl_mem of the caller's.
ww_status wwi_output_wrap(ww_context *context, void *memory, ww_buffer **buffer);

#endif
