// SPDX-License-Identifier: Apache-2.0
// The ways to correlate columns with windows, each with a program and tables of its own, and the choice of one. What is
// common to them is in shapelet_correlate.c.
#include <math.h>

#include "shapelets/shapelet_node.h"

enum { LEAST_SPARSE = 3 }; // the step from which lengths are sparse
#define LEAST_EXTENT 2e-5  // of three neighbours, in the largest of a series: below it ww_error() tells too little
enum { TENSOR_COLUMNS = 32, TENSOR_WINDOWS = 64, TENSOR_GROUP = 128 }; // kernels_cl/shapelets/shapelet_tensor.cl

uint64_t wwi_node_memory(const wwi_node_search *s) {
    const ww_run_options *run = s->options->run;
    // The buffers of an earlier search are used again.
    if (!s->device->bytes)
        s->device->bytes = wwi_context_bytes_free(s->device->context) / 2;
    // Of a GPU no more than the context keeps of released buffers: new memory takes longer than more chunks.
    const uint64_t least = UINT64_C(256) << 20;
    const uint64_t kept = wwi_context_info(s->device->context)->global_bytes / 64 * 3 / 4;
    const uint64_t most = s->device->gpu && kept > least ? kept : least;
    const uint64_t budget = wwi_least(s->device->bytes, most);
    return run && run->max_bytes ? wwi_least(budget, run->max_bytes) : budget;
}

// ---- by extension: of every length from that of a point less

static ww_status compile_extension(wwi_node_search *s) {
    const wwi_shapelet_device *d = s->device;
    wwi_node_correlator *c = &s->correlator;
    const int steps = s->job.single ? 2 : s->job.step == 1 ? 1 : 0;
    const uint32_t parts = steps == 1 ? d->parts : 1;
    c->group_items = d->group * parts;
    // Lengths whose best are in local memory at a time: 16 KiB of them.
    uint32_t lengths = 8;
    while (lengths > 1 && (uint64_t)lengths * c->group_items * d->columns * 4 > 16384)
        lengths /= 2;
    const wwi_program_parts program = {
        .texts = {"base/number.cl", "shapelets/shapelet_args.h", "shapelets/shapelet.cl",
                  "shapelets/shapelet_extend.cl"},
        .defines = WWI_LIST({"WW_C", (int64_t)d->kind.channels}, {"WW_RAW", d->kind.raw}, {"WW_V", d->vector},
                            {"WW_WG", c->group_items}, {"WW_S", d->columns}, {"WW_U", d->windows}, {"WW_STEP", steps},
                            {"WW_PARTS", parts}, {"WW_BLOCK", lengths}),
        .kernels = {{&c->kernel, "ww_shapelet_extend"}},
    };
    return wwi_program_make(d->context, d->stream, &program, &c->program);
}

static uint32_t extension_block(const wwi_node_search *s) {
    return s->device->columns * s->device->group * s->device->vector;
}

static uint64_t extension_bytes(const wwi_node_search *s) {
    return 4 * (uint64_t)s->data->channels * s->job.longest;
}

static ww_status allocate_extension(wwi_node_search *s, uint64_t columns) {
    return wwi_grow_buffer(s->device->context, &s->scratch->columns.a, columns * extension_bytes(s));
}

// Also by matrix units.
static ww_status extension_columns(wwi_node_search *s) {
    const struct wwi_shapelet_columns_scratch *to = &s->scratch->columns;
    const wwi_shapelet_kernels *k = &s->device->kernels;
    wwi_kernel *kernel = s->correlator.way->tile_windows ? k->tensor_columns : k->make_columns;
    if (!s->device->has_double)
        return wwi_node_host_columns(s);
    return WWI_LAUNCH_ITEMS(kernel, s->job.columns, s->device->table_group, WWI_BUFFER(s->data->device_values),
                            WWI_BUFFER(s->data->device_offsets), WWI_BUFFER(to->places), WWI_BUFFER(to->a),
                            WWI_BUFFER(to->norms), WWI_BUFFER(to->reaches), WWI_BUFFER(to->own),
                            WWI_VALUE(s->correlator.unit), WWI_VALUE(s->job));
}

static ww_status extension_windows(wwi_node_search *s) {
    const struct wwi_shapelet_windows_scratch *to = &s->scratch->windows;
    const wwi_shapelet_kernels *k = &s->device->kernels;
    const uint32_t tiles = (uint32_t)s->table.tile_count, tensor = s->correlator.way->tile_windows;
    wwi_kernel *kernel = tensor ? k->tensor_windows : k->make_windows;
    const uint32_t each = tensor ? tensor : s->device->windows;
    if (!s->device->has_double)
        return wwi_node_host_windows(s);
    return WWI_LAUNCH_ITEMS(kernel, (uint64_t)tiles * each, s->device->table_group, WWI_BUFFER(s->data->device_values),
                            WWI_BUFFER(s->data->device_offsets), WWI_BUFFER(s->scratch->node.ids),
                            WWI_BUFFER(to->tiles), WWI_BUFFER(to->b), WWI_BUFFER(to->constant),
                            WWI_VALUE(s->correlator.unit), WWI_VALUE(tiles), WWI_VALUE(s->job));
}

static ww_status launch_extension(wwi_node_search *s) {
    const wwi_shapelet_scratch *scratch = s->scratch;
    return WWI_LAUNCH(s->correlator.kernel, s->job.columns / extension_block(s) * (uint64_t)s->job.many,
                      s->correlator.group_items, WWI_BUFFER(scratch->columns.a), WWI_BUFFER(scratch->columns.norms),
                      WWI_BUFFER(scratch->windows.b), WWI_BUFFER(scratch->windows.tiles),
                      WWI_BUFFER(scratch->windows.first), WWI_BUFFER(scratch->columns.reaches),
                      WWI_BUFFER(scratch->bounds.nearest), WWI_VALUE(s->job));
}

// ---- by diagonals, on GPUs by rows: a cell from the one before on its diagonal

static ww_status compile_diagonals(wwi_node_search *s) {
    const wwi_shapelet_device *d = s->device;
    wwi_node_correlator *c = &s->correlator;
    // Where there is work for all: parts with a series each wait less for each other than those that share one.
    const uint32_t block = d->rows * d->row_group;
    const uint64_t items = wwi_ceil_div(s->candidates.count, block) * s->node->count;
    const long many = 80 * (long)wwi_compute_units(d->context);
    c->takes = d->gpu && d->row_parts == 4 && block <= 1024 && wwi_context_info(d->context)->local_bytes >= 49152 &&
                       items >= (uint64_t)wwi_forced(d->context, "form.rows", many, many)
                   ? 4
                   : 1;
    const wwi_program_parts program = {
        .texts = {"base/number.cl", "shapelets/shapelet_args.h", "shapelets/shapelet.cl",
                  d->gpu ? "shapelets/shapelet_rows.cl" : "shapelets/shapelet_diagonal.cl"},
        .defines =
            WWI_LIST({"WW_C", 1}, {"WW_RAW", 0}, {"WW_V", d->vector}, {"WW_WG", d->row_group}, {"WW_ROWS", d->rows},
                     {"WW_DIAGONALS", d->diagonals}, {"WW_PARTS", d->row_parts}, {"WW_SERIES", c->takes}),
        .kernels = {{&c->kernel, d->gpu ? "ww_shapelet_rows" : "ww_shapelet_diagonal"}},
    };
    return wwi_program_make(d->context, d->stream, &program, &c->program);
}

static uint32_t diagonals_block(const wwi_node_search *s) {
    return s->device->rows * s->correlator.lanes;
}

// Numbers of a first row of diagonals: the sums of each length, and what is added with it.
static uint64_t sums_of_rows(const wwi_node_search *s) {
    return 2 * ((s->job.least + 3) / 4 * 4 + (uint64_t)(s->job.count - 1) * ((s->job.step + 3) / 4 * 4) + s->job.count);
}

static uint64_t diagonals_bytes(const wwi_node_search *s) {
    return 4 * sums_of_rows(s) / s->device->rows + 8 * (uint64_t)s->job.count;
}

// On GPUs also what waits between two lengths in shapelet_rows.cl, for as many groups as may run at a time.
static ww_status allocate_diagonals(wwi_node_search *s, uint64_t columns) {
    wwi_node_correlator *c = &s->correlator;
    struct wwi_shapelet_columns_scratch *to = &s->scratch->columns;
    const uint64_t each = s->device->gpu ? (uint64_t)c->wide * s->device->row_group * c->takes * 4 : 1;
    const uint64_t items = columns / s->candidates.block * wwi_ceil_div(s->node->count, c->takes);
    const uint64_t most = wwi_least(wwi_compute_units(s->device->context) * 32, items);
    const uint64_t budget = wwi_node_memory(s) / 8 / each, rows = columns / s->device->rows, count = s->job.count;
    c->groups = budget < 1 ? 1 : (uint32_t)wwi_least(budget, most);
    c->group_room = c->wide * s->device->row_group;
    return WWI_GROW(s->device->context, {&s->scratch->windows.scratch, c->groups * each},
                    {&to->sums, rows * sums_of_rows(s) * 4}, {&to->increments, rows * count * 8},
                    {&to->steps, columns * count * 8}, {&to->lefts, columns / s->candidates.block * 4});
}

static ww_status diagonals_columns(wwi_node_search *s) {
    const struct wwi_shapelet_columns_scratch *to = &s->scratch->columns;
    const uint32_t block = s->candidates.block;
    const uint64_t rows = (uint64_t)s->job.columns / s->job.rows * s->job.count;
    WWI_TRY(wwi_buffer_copy(s->scratch->node.lefts, s->candidates.at / block * 4, to->lefts, 0,
                            s->job.columns / block * 4));
    WWI_TRY(WWI_LAUNCH_ITEMS(s->device->kernels.row_steps, s->job.columns, s->device->table_group,
                             WWI_BUFFER(s->data->device_values), WWI_BUFFER(s->data->device_offsets),
                             WWI_BUFFER(to->places), WWI_BUFFER(to->sums), WWI_BUFFER(to->increments),
                             WWI_BUFFER(to->steps), WWI_BUFFER(to->norms), WWI_BUFFER(to->reaches), WWI_BUFFER(to->own),
                             WWI_VALUE(s->correlator.lanes), WWI_VALUE(s->job)));
    return WWI_LAUNCH_ITEMS(s->device->kernels.row_conditions, rows, s->device->table_group, WWI_BUFFER(to->norms),
                            WWI_VALUE(s->correlator.lanes), WWI_VALUE(s->job));
}

static ww_status diagonals_windows(wwi_node_search *s) {
    const struct wwi_shapelet_windows_scratch *to = &s->scratch->windows;
    const uint32_t tiles = (uint32_t)s->table.tile_count;
    const uint32_t wide = s->correlator.wide, series = (uint32_t)s->table.count;
    WWI_TRY(WWI_LAUNCH_ITEMS(s->device->kernels.window_steps, (uint64_t)tiles * s->device->diagonals,
                             s->device->table_group, WWI_BUFFER(s->data->device_values),
                             WWI_BUFFER(s->data->device_offsets), WWI_BUFFER(s->scratch->node.ids),
                             WWI_BUFFER(to->tiles), WWI_BUFFER(to->differences),
                             WWI_VALUE(s->correlator.difference_count), WWI_BUFFER(to->constant), WWI_BUFFER(to->steps),
                             WWI_BUFFER(to->passed), WWI_VALUE(wide), WWI_VALUE(tiles), WWI_VALUE(s->job)));
    return WWI_LAUNCH_ITEMS(s->device->kernels.window_conditions, (uint64_t)series * s->job.count * wide,
                            s->device->table_group, WWI_BUFFER(s->scratch->node.points), WWI_BUFFER(to->steps),
                            WWI_BUFFER(to->passed), WWI_BUFFER(to->constant), WWI_VALUE(wide), WWI_VALUE(series),
                            WWI_VALUE(s->job));
}

static ww_status launch_diagonals(wwi_node_search *s) {
    const wwi_shapelet_scratch *scratch = s->scratch;
    const wwi_node_correlator *c = &s->correlator;
    const uint32_t blocks = s->job.columns / s->candidates.block;
    const uint32_t items = (uint32_t)(blocks * wwi_ceil_div(s->job.many, c->takes));
    if (!s->device->gpu)
        return WWI_LAUNCH(c->kernel, items, s->device->row_group, WWI_BUFFER(scratch->columns.sums),
                          WWI_BUFFER(scratch->columns.increments), WWI_BUFFER(scratch->columns.steps),
                          WWI_BUFFER(scratch->windows.differences), WWI_VALUE(c->difference_count),
                          WWI_BUFFER(scratch->columns.lefts), WWI_BUFFER(scratch->node.points),
                          WWI_BUFFER(scratch->windows.steps), WWI_VALUE(c->wide), WWI_BUFFER(scratch->bounds.nearest),
                          WWI_VALUE(s->job));
    return WWI_LAUNCH(
        c->kernel, wwi_least(items, c->groups), s->device->row_group * s->device->row_parts,
        WWI_BUFFER(scratch->columns.sums), WWI_BUFFER(scratch->columns.increments), WWI_BUFFER(scratch->columns.steps),
        WWI_BUFFER(scratch->columns.norms), WWI_BUFFER(scratch->windows.differences), WWI_VALUE(c->difference_count),
        WWI_BUFFER(scratch->columns.lefts), WWI_BUFFER(scratch->node.points), WWI_BUFFER(scratch->windows.steps),
        WWI_VALUE(c->wide), WWI_BUFFER(scratch->bounds.nearest), WWI_BUFFER(scratch->windows.scratch),
        WWI_VALUE(c->group_room), WWI_VALUE(items), WWI_VALUE(s->job));
}

// ---- by matrix units

static ww_status compile_tensor(wwi_node_search *s) {
    wwi_node_correlator *c = &s->correlator;
    ww_context *context = s->device->context;
    const wwi_program_parts program = {
        .texts = {"base/number.cl", "shapelets/shapelet_args.h", "shapelets/shapelet.cl", "base/vendor.cl",
                  "shapelets/shapelet_tensor.cl"},
        .defines = WWI_LIST({"WW_C", 1}, {"WW_RAW", 0}, {"WW_V", 1}, {"WW_WG", TENSOR_GROUP},
                            {"WW_MMA", wwi_context_mma(context)}, {"WW_EXCHANGE", wwi_context_mma(context)}),
        .kernels = WWI_LIST({&c->kernel, "ww_shapelet_tensor"}, {&c->clear, "ww_shapelet_clear"}),
    };
    return wwi_program_make(context, s->device->stream, &program, &c->program);
}

static uint32_t tensor_block(const wwi_node_search *s) {
    (void)s;
    return TENSOR_GROUP / 32 * TENSOR_COLUMNS;
}

// A kernel of our own: NVIDIA's fill takes twice as long.
static ww_status clear_nearest(wwi_node_search *s) {
    const uint64_t fours = (uint64_t)s->job.columns * s->job.count * s->node->count / 4;
    return WWI_LAUNCH(s->correlator.clear, s->bounds.prune_groups, TENSOR_GROUP, WWI_BUFFER(s->scratch->bounds.nearest),
                      WWI_VALUE(fours));
}

static ww_status launch_tensor(wwi_node_search *s) {
    const wwi_shapelet_scratch *scratch = s->scratch;
    const uint32_t *of = s->table.first_tile + s->job.first - s->table.first;
    const uint32_t first = of[0], tiles = of[s->job.many] - first;
    return WWI_LAUNCH(s->correlator.kernel, (uint64_t)tiles * (s->job.columns / s->candidates.block), TENSOR_GROUP,
                      WWI_BUFFER(scratch->columns.a), WWI_BUFFER(scratch->columns.norms),
                      WWI_BUFFER(scratch->windows.b), WWI_BUFFER(scratch->windows.tiles), WWI_VALUE(first),
                      WWI_BUFFER(scratch->columns.reaches), WWI_BUFFER(scratch->node.points),
                      WWI_BUFFER(scratch->bounds.nearest), WWI_VALUE(s->job));
}

// ---- the ways

static const wwi_shapelet_way by_extension =
    WWI_LIST(.compile = compile_extension, .block = extension_block, .column_bytes = extension_bytes,
             .allocate = allocate_extension, .make_columns = extension_columns, .make_windows = extension_windows,
             .launch = launch_extension);
static const wwi_shapelet_way by_diagonals =
    WWI_LIST(.diagonals = true, .compile = compile_diagonals, .block = diagonals_block, .column_bytes = diagonals_bytes,
             .allocate = allocate_diagonals, .make_columns = diagonals_columns, .make_windows = diagonals_windows,
             .launch = launch_diagonals);
static const wwi_shapelet_way by_matrix_units =
    WWI_LIST(.tile_windows = TENSOR_WINDOWS, .compile = compile_tensor, .block = tensor_block,
             .column_bytes = extension_bytes, .allocate = allocate_extension, .begin = clear_nearest,
             .make_columns = extension_columns, .make_windows = extension_windows, .launch = launch_tensor);

// Whether matrix units find the covariances: of every length, where no window varies so little beside the whole that
// halves lose it. Errors of q: of the sums up to 2^-24 for each point, since they are rounded towards zero; of numbers
// as two halves up to 2^-22, and where the low one is below the least normal half, of each number 2^-25.
static bool choose_tensor(wwi_node_search *s) {
    const wwi_shapelet_device *d = s->device;
    const bool wanted = wwi_forced(d->context, "form.tensor", 1, wwi_context_mma(d->context)) == 1;
    if (!wanted || !d->gpu || !d->kernels.tensor_columns || s->job.single || s->job.step != 1 || s->job.count == 1 ||
        s->job.least < 3 || !(s->data->widest > 0))
        return false;
    int exponent;
    frexp(65000 / s->data->widest, &exponent); // the largest half is 65504
    const double scale = ldexp(1, exponent - 1), least_norm = s->data->finest * sqrt(0.5) * scale;
    if (!(least_norm >= 1.0 / 256) || !(scale < 1e30 && scale > 1e-30))
        return false;
    s->correlator.unit = scale;
    s->job.gaps = 1;
    s->job.error += 4.0f / 16777216;
    s->job.error_root += (float)(ldexp(1, -25) / least_norm);
    s->job.error_each = 1.0f / 16777216;
    return true;
}

// Lengths far apart: a diagonal's cells follow from each other at less cost than lengths between that nobody needs. Not
// where a sum along a diagonal would keep the rounding of windows that vary much for those that hardly do.
static bool choose_diagonals(wwi_node_search *s) {
    const wwi_shapelet_device *d = s->device;
    wwi_node_correlator *c = &s->correlator;
    if (!d->kernels.row_steps || s->job.single || s->options->start_step != 1 || s->progress->deadline > 0 ||
        !(s->data->finest >= LEAST_EXTENT * s->data->widest) || (s->job.count != 1 && s->job.step < LEAST_SPARSE))
        return false;
    c->lanes = d->row_group * d->vector;
    for (size_t j = 0; j < s->node->count; j++) {
        const uint32_t windows = (uint32_t)wwi_shapelet_length(s->data, s->node->ids[j]) - s->job.least + 1 +
                                 2 * (d->rows - 1) + d->diagonals;
        const uint32_t wide = (uint32_t)wwi_ceil_div(windows, d->diagonals) * d->diagonals;
        c->wide = c->wide < wide ? wide : c->wide;
    }
    // Up to the longest window of the last place, four of them and a length's rest.
    c->difference_count = (c->wide + s->job.longest + 8) / 4 * 4;
    s->job.rows = d->rows;
    s->job.direct = d->gpu ? 0 : 3;
    return true;
}

void wwi_correlate_choose(wwi_node_search *s) {
    s->correlator.unit = s->data->centre;
    s->correlator.way = choose_tensor(s) ? &by_matrix_units : choose_diagonals(s) ? &by_diagonals : &by_extension;
}
