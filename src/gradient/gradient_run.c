// SPDX-License-Identifier: Apache-2.0
// The programs of gradients, and the launches of a batch: forward, back, sums (kernels_cl/gradient/).
#include <stdio.h>
#include <string.h>

#include "gradient/gradient.h"
#include "measure/measure_table.h"

#define SUM_GROUP_GPU 64
#define SUM_GROUP_CPU 16
#define SUM_SLICES 8          // on a GPU
#define SUM_VALUES 4          // of a work-item (gradient_sums.cl)
#define GPU_POINT_CHANNELS 4  // most channels of a point in registers
#define CPU_POINT_CHANNELS 64 // likewise in private memory
#define SUMMED_CHANNELS 4     // whose slopes are summed in one launch, where points stay in memory
// Beyond so many channels costs come from a table: else both passes are run again for each SUMMED_CHANNELS; by tiles
// that do not hold points of several.
#define FEW_CHANNELS 12
#define FEW_BY_TILES 4
// Tiles hold points of up to FEW_CHANNELS in 48 KiB of local memory, and beside them the slopes of so many.
#define TILE_LOCAL_BYTES 49152
#define TILE_SLOPES 7
// Blocks of tiles (gradient_soft_places.cl), parts of them, and the row-steps of a chunk on a diagonal and of one of a
// whole pair.
#define TILE_ROWS 4
#define TILE_COLUMNS 16
#define TILE_PART 8
#define TILE_NOTED (TILE_COLUMNS + TILE_ROWS * (TILE_COLUMNS / TILE_PART))
#define TILE_CHUNK 4
#define TILE_RESIDENT 256 // work-items of the pass back a compute unit
// By waves (gradient_wave.cl): most points of a series, rows of a wave, columns of which a pair has whole ones; and up
// to how many rows of all pairs it is faster than the other forms (H200; 64 to 1000 points): than tiles of one channel,
// of up to FEW_BY_TILES, of more, and than blocks, which were slower as far as was measured.
#define WAVE_POINTS 1024
#define WAVE_ROWS 32
#define WAVE_COLUMNS 4
#define WAVE_SMALL 256 // a group whose work-items have registers for more channels
#define WAVE_SMALL_CHANNELS 8
#define WAVE_MANY (1u << 20)
#define WAVE_MANY_SEVERAL (3u << 18)
#define WAVE_MANY_TABLED (1u << 17)
#define WAVE_MANY_BLOCKS (1u << 22)
#define WAVE_REGISTERS " -cl-nv-maxrregcount=64 -DWW_WAVE_LIMITED=1"
// Of the pass forward: 16 warps a compute unit; 9 with the costs of a block, which have no room in 128 registers.
#define TILE_REGISTERS " -cl-nv-maxrregcount=128"
#define TILE_REGISTERS_COSTS " -cl-nv-maxrregcount=224"

// A kernel has as many parameters as its measure.
#define ARGS(g, args) ((wwi_arg){WWI_ARG_VALUE, (g)->form.args_bytes, &(args)})

static uint32_t sum_group(const ww_gradient *g) {
    return wwi_is_gpu(g->pair.context) ? SUM_GROUP_GPU : SUM_GROUP_CPU;
}

// Copies to local memory that a kernel does not wait for, and the fences of a group that waits for another.
static bool asynchronous(const ww_gradient *g) {
    return g->pair.recurrence.exchange == WWI_EXCHANGE_NV_SHFL && wwi_context_mma(g->pair.context);
}

// Whether tiles hold points of several channels: on NVIDIA's GPUs (others have not been measured).
static bool holds_several(const ww_gradient *g) {
    const bool nvidia = g->pair.recurrence.exchange == WWI_EXCHANGE_NV_SHFL;
    return g->form.channels > 1 && g->form.channels <= FEW_CHANNELS && g->form.parts == g->form.channels &&
           wwi_forced(g->pair.context, "form.several", 1, nvidia) &&
           wwi_context_info(g->pair.context)->local_bytes >= TILE_LOCAL_BYTES;
}

static int tiles_of(const ww_gradient *g, bool tabled) {
    const bool many = tabled || holds_several(g);
    if ((g->form.parts != 1 && !many) || g->options.alignment || (many && g->options.weights))
        return 0;
    return wwi_soft_tiles_tuned(&g->pair.recurrence, many,
                                !wwi_is_gpu(g->pair.context)               ? 0
                                : wwi_context_fast_double(g->pair.context) ? 2
                                                                           : 1);
}

// Most channels of a point in registers by waves.
static uint32_t wave_channels(uint32_t group) {
    return group <= WAVE_SMALL ? WAVE_SMALL_CHANNELS : FEW_BY_TILES;
}

// Work-items of the group that has a pair's rows by waves; 0: other forms are taken. The number of all pairs decides,
// also where these are a part of them.
static uint32_t wave_of(const ww_gradient *g) {
    const ww_device_info *device = wwi_context_info(g->pair.context);
    const uint64_t size = g->pair.value_bytes;
    const bool nvidia = g->pair.recurrence.exchange == WWI_EXCHANGE_NV_SHFL;
    const long wanted = wwi_forced(g->pair.context, "form.wave", 2, nvidia); // 2: of any number
    const uint64_t most = size == sizeof(double)            ? WAVE_MANY_BLOCKS
                          : g->form.channels > FEW_BY_TILES ? WAVE_MANY_TABLED
                          : !tiles_of(g, false)             ? WAVE_MANY_BLOCKS
                          : g->form.channels > 1            ? WAVE_MANY_SEVERAL
                                                            : WAVE_MANY;
    const bool few = (uint64_t)g->all * g->longest <= most || wanted == 2;
    uint32_t group = WAVE_ROWS;
    if (!wwi_soft_plain(&g->pair.recurrence) || g->options.alignment || g->options.weights || g->form.parameters ||
        g->longest > WAVE_POINTS || !wanted || !few)
        return 0;
    while (group < g->longest)
        group *= 2;
    // Local memory: two lines where there is no exchange, else a ring for each wave and one above the first.
    const uint64_t values = g->form.channels > wave_channels(group) ? 2 : 1 + g->form.channels;
    const uint64_t local = ((nvidia ? group + WAVE_ROWS : 2 * group) * (values > 2 ? values : 2) + 2) * size;
    const uint64_t notes = 2 * size * group * (g->longest + WAVE_COLUMNS + WWI_WAVE_BESIDE);
    return group <= device->max_work_group && local <= device->local_bytes &&
                   notes <= wwi_table_budget(g->pair.context, g->max_bytes)
               ? group
               : 0;
}

// Whether costs come from a table: that of the largest task takes no more than half of the memory for all.
static bool tabled(const ww_gradient *g) {
    uint64_t most = 0;
    const uint32_t few = g->form.wave                             ? wave_channels(g->form.group)
                         : tiles_of(g, true) && !holds_several(g) ? FEW_BY_TILES
                                                                  : FEW_CHANNELS;
    if (!wwi_has_tables(&g->pair.recurrence, few))
        return false;
    for (size_t t = 0; t < g->task_count; t++) {
        const uint64_t values = (uint64_t)g->tasks[t].n * (g->tasks[t].m + 3ull);
        most = values > most ? values : most;
        if (g->tasks[t].m + 4ull >= WWI_TABLE_WIDEST)
            return false;
    }
    return (most + WWI_TABLE_SLACK) * g->pair.value_bytes <= wwi_table_budget(g->pair.context, g->max_bytes);
}

// Whether each output is one task's: by pairs, or where pair p alone has series p of both sides.
static bool is_direct(const ww_gradient *g) {
    if (g->options.divergence || g->form.passes != 1 || !wwi_soft_plain(&g->pair.recurrence) ||
        wwi_measure_row_by_id(g->pair.measure.id)->transform != WWI_TRANSFORM_NONE)
        return false;
    for (size_t k = 0; k < 2 && !g->options.per_pair; k++) {
        if (g->count != g->sides[k].given->count)
            return false;
        for (size_t p = 0; p < g->count; p++)
            if (g->sides[k].of[p] != p)
                return false;
    }
    return true;
}

// The sizes of a block, and what of a point is in registers.
static int choose_sizes(ww_gradient *g, bool waves) {
    g->form.group = waves ? wave_of(g) : 0;
    g->form.wave = g->form.group > 0;
    g->form.tabled = tabled(g);
    if (g->form.wave && !g->form.tabled && g->form.channels > wave_channels(g->form.group)) {
        g->form.wave = false;
        g->form.tabled = tabled(g);
    }
    g->form.weighed = g->form.tabled;
    g->form.across = g->form.channels > WWI_SLOPE_CHANNELS / 2 ? WWI_SLOPE_CHANNELS : WWI_SLOPE_CHANNELS / 2;
    if (g->form.tabled)
        g->form.parts = 0; // no point is brought together
    if (g->form.wave) {
        g->form.rows = WAVE_ROWS;
        g->form.columns = WAVE_COLUMNS;
        g->form.vector = 1;
        g->form.slope_channels = g->form.channels;
        g->form.direct = is_direct(g);
        return 1;
    }
    if ((g->form.tiles = tiles_of(g, g->form.tabled)) != 0) {
        g->form.rows = TILE_ROWS;
        g->form.columns = TILE_COLUMNS;
        g->form.chunk = TILE_CHUNK;
        g->form.noted = TILE_NOTED;
        g->form.may_chain = asynchronous(g) && wwi_forced(g->pair.context, "form.chain", 1, 1);
        g->form.vector = 1;
        g->form.group = 32;
        g->form.slope_channels = g->form.channels;
        g->form.weighed = g->form.tabled || g->form.channels > TILE_SLOPES;
        g->form.direct = is_direct(g);
        return 1;
    }
    const bool gpu = wwi_is_gpu(g->pair.context),
               wide = g->pair.rows->precision == WW_DOUBLE || g->form.channels > 1 || g->form.before;
    const bool registers = g->form.tabled || g->form.channels <= (gpu ? GPU_POINT_CHANNELS : CPU_POINT_CHANNELS);
    g->form.rows = gpu && wide ? 4 : 8;
    g->form.columns = g->form.rows;
    g->form.vector = gpu || !registers
                         ? 1
                         : (uint32_t)wwi_tuning_for(g->pair.context, g->pair.rows->precision, "packed.vector",
                                                    g->pair.rows->precision == WW_DOUBLE ? 8 : 16);
    g->form.group = gpu ? 32 : 1;
    g->form.noted = g->form.rows + g->form.columns + 1;
    g->form.slope_channels = g->form.tabled || g->form.channels <= SUMMED_CHANNELS ? g->form.channels : SUMMED_CHANNELS;
    return registers;
}

static void write_options(const ww_gradient *g, uint32_t stride, bool chained, char *options, size_t bytes) {
    // On x86 CPUs denormal numbers take a hundred cycles, and most of A is one where gamma is small beside the costs.
    const char *denormals = g->pair.measure.gamma > 0 ? " -cl-denorms-are-zero" : "";
    const bool nvidia = g->form.tiles && g->pair.recurrence.exchange == WWI_EXCHANGE_NV_SHFL;
    // In double two groups of 16 waves a compute unit, where their values have room.
    const bool narrow = g->form.wave && g->pair.recurrence.exchange == WWI_EXCHANGE_NV_SHFL && g->form.group == 512 &&
                        g->pair.value_bytes == sizeof(double) && (g->form.tabled || g->form.channels == 1);
    const bool derived = wwi_measure_row_by_id(g->pair.measure.id)->transform == WWI_TRANSFORM_DERIVATIVE;
    snprintf(options, bytes,
             "-DWW_PARTED=1 -DWW_SLOPE_CHANNELS=%u -DWW_WANT_PARAMETERS=%d -DWW_WANT_LAGS=%d -DWW_WANT_ALIGNMENT=%d "
             "-DWW_SUM_WG=%u -DWW_SUM_SLICES=%d -DWW_DERIVED=%d -DWW_SIDE_BY_SIDE=%u -DWW_SOFT_WIDE=%d -DWW_PART=%d "
             "-DWW_ASYNC=%d -DWW_CHAINED=%d -DWW_WEIGHTS_TABLED=%d -DWW_IN_FOURS=%d%s%s",
             g->form.tabled ? 1 : g->form.slope_channels, g->options.parameters && g->form.parameters,
             g->options.weights, g->options.alignment, sum_group(g), wwi_is_gpu(g->pair.context) ? SUM_SLICES : 1,
             derived, stride, g->form.tiles == 2, TILE_PART, nvidia && asynchronous(g), chained, g->form.weighed,
             g->form.tiles > 0, denormals,
             nvidia   ? (g->form.channels > 1 ? TILE_REGISTERS_COSTS : TILE_REGISTERS)
             : narrow ? WAVE_REGISTERS
                      : "");
}

ww_status wwi_gradient_passes(ww_gradient *g, uint32_t stride, bool chained) {
    char options[512];
    static const char *const texts[] = {"gradient/gradient_args.h", "gradient/gradient_blocks.cl",
                                        "gradient/gradient_forward.cl", "gradient/gradient_backward.cl", NULL};
    static const char *const tiles[] = {"gradient/gradient_args.h",           "engine/soft_tiles.cl",
                                        "gradient/gradient_soft_places.cl",   "gradient/gradient_soft_forward.cl",
                                        "gradient/gradient_soft_backward.cl", NULL};
    static const char *const wave[] = {"gradient/gradient_args.h", "gradient/gradient_wave.cl", NULL};
    const wwi_texts wanted = {g->form.wave    ? wave
                              : g->form.tiles ? tiles
                                              : texts,
                              true,
                              (int)g->form.vector,
                              g->form.rows,
                              g->form.columns,
                              g->form.group,
                              g->form.registers,
                              g->form.tabled,
                              options};
    wwi_gradient_program *p = &g->blocks[chained ? 2 : stride > 1];
    if (p->backward || (p->forward && g->form.wave))
        return WW_OK;
    write_options(g, stride, chained, options, sizeof options);
    const wwi_named_kernel kernels[] = {
        {p->forward ? NULL : &p->forward, g->form.wave    ? "ww_gradient_wave"
                                          : g->form.tiles ? "ww_soft_forward"
                                                          : "ww_gradient_forward"},
        {g->form.wave ? NULL : &p->backward, g->form.tiles ? "ww_soft_backward" : "ww_gradient_backward"},
        {NULL, NULL}};
    if (!p->program)
        WWI_TRY(wwi_recurrence_compile(&g->pair.recurrence, &wanted, &p->program));
    return wwi_kernels_make(g->pair.stream, p->program, kernels);
}

// The kernels around the table of costs.
static ww_status build_table(ww_gradient *g) {
    char options[96];
    static const char *const texts[] = {"base/launch_args.h",
                                        "engine/cost_table_args.h",
                                        "engine/cost_sum.cl",
                                        "engine/cost_table.cl",
                                        "gradient/gradient_args.h",
                                        "gradient/gradient_table.cl",
                                        NULL};
    const wwi_named_kernel kernels[] = {{&g->fill, "ww_cost_table"}, {&g->slopes, "ww_table_slopes"}, {NULL, NULL}};
    (void)wwi_table_options(g->pair.rows->precision, true, options, sizeof options);
    const size_t used = strlen(options);
    (void)snprintf(options + used, sizeof options - used, " -DWW_SLOPES_DIRECT=%d -DWW_SLOPE_TILE=%u", g->form.direct,
                   g->form.across);
    WWI_TRY(wwi_cost_program(&g->pair.recurrence, texts, options, &g->table_program));
    return wwi_kernels_make(g->pair.stream, g->table_program, kernels);
}

// By waves where the kernel takes such groups: fewer than the device's in NVIDIA's OpenCL, which has 256 for it where
// CUDA has as many as it asks for.
static ww_status choose_form(ww_gradient *g) {
    wwi_gradient_program *wave = &g->blocks[0];
    g->form.args_bytes = wwi_args_bytes(&g->pair.recurrence.parameters, offsetof(ww_gradient_args, parameters));
    const wwi_gradient_form before = g->form;
    g->form.registers = choose_sizes(g, true);
    if (!g->form.wave)
        return WW_OK;
    WWI_TRY(wwi_gradient_passes(g, 1, false));
    if (wwi_kernel_max_work_group(wave->forward) >= g->form.group)
        return WW_OK;
    wwi_kernel_destroy(&wave->forward);
    wwi_program_release(&wave->program);
    g->form = before;
    g->form.registers = choose_sizes(g, false);
    return WW_OK;
}

ww_status wwi_gradient_build(ww_gradient *g) {
    char options[512];
    static const char *const texts[] = {"gradient/gradient_args.h", "gradient/gradient_sums.cl", NULL};
    WWI_TRY(choose_form(g));
    if (g->form.direct && (g->form.wave || g->form.tabled)) // no series is packed, none summed
        return g->form.weighed ? build_table(g) : WW_OK;
    write_options(g, 1, false, options, sizeof options);
    const wwi_texts wanted = {.texts = texts,
                              .slopes = true,
                              .vector = 1,
                              .rows = g->form.rows,
                              .columns = g->form.columns,
                              .group = g->form.group,
                              .registers = g->form.registers,
                              .tabled = g->form.tabled,
                              .options = options};
    const wwi_named_kernel kernels[] = {{&g->pack, "ww_gradient_pack"},
                                        {g->form.direct ? &g->by_single : NULL, "ww_gradient_single"},
                                        {g->form.direct ? NULL : &g->by_series, "ww_gradient_series"},
                                        {g->form.direct ? NULL : &g->by_pairs, "ww_gradient_pairs"},
                                        {g->form.border ? &g->by_border : NULL, "ww_gradient_border"},
                                        {NULL, NULL}};
    WWI_TRY(wwi_recurrence_compile(&g->pair.recurrence, &wanted, &g->sums));
    if (g->form.weighed)
        WWI_TRY(build_table(g));
    return wwi_kernels_make(g->pair.stream, g->sums, kernels);
}

// Counts cells that were enqueued, and looks at the clock when they should have taken as long as a launch may.
static ww_status enqueued(ww_gradient *g, double cells, bool more) {
    g->waiting += cells;
    if (more && g->waiting < g->rate * g->pace.aim)
        return WW_OK;
    const double work = g->waiting;
    g->waiting = 0;
    return wwi_pace_launched(&g->pace, &g->rate, work, more);
}

// A pass over columns of blocks [begin, end), by diagonals or by pairs.
typedef struct pass {
    const wwi_gradient_batch *batch;
    wwi_kernel *kernel;
    ww_gradient_args args;
    wwi_arg all[12]; // of the kernel; the first is for `args`
    size_t count;
    double cells; // of the pass
    bool slopes;
} pass;

static ww_status launch(ww_gradient *g, pass *p, uint64_t items) {
    p->all[0] = ARGS(g, p->args);
    return wwi_launch_items(p->kernel, wwi_ceil_div(items, g->form.vector), g->form.group, p->all, p->count);
}

static ww_status run_pairs(ww_gradient *g, pass *p) {
    const size_t count = p->batch->count;
    const double each = p->cells / (double)count;
    // Whole packs; of vectors one for each core.
    const uint64_t packs = g->form.vector > 1 ? g->form.vector * wwi_compute_units(g->pair.context) : 64;
    for (size_t at = 0, take; at < count; at += take) {
        take = (size_t)wwi_pace_units(&g->pace, g->rate, count - at, each);
        if (g->form.tiles && !p->slopes) {
            // As many as are resident at once: a few more would take as long again.
            const uint64_t most = wwi_compute_units(g->pair.context) * WWI_TILE_AHEAD;
            take = wwi_least(take, wwi_ceil_div(count - at, wwi_ceil_div(count - at, most)));
        }
        take = wwi_least(wwi_ceil_div(take, packs) * packs, count - at);
        p->args.first = (uint32_t)at;
        p->args.count = (uint32_t)take;
        // By tiles a work-item of the pass back takes the next pair when it is through with one.
        const bool pulls = g->form.tiles && p->slopes;
        const uint64_t resident = wwi_compute_units(g->pair.context) * TILE_RESIDENT;
        if (pulls)
            WWI_TRY(wwi_buffer_fill_u32(g->scratch.adjoints, 0, sizeof(uint32_t), 0));
        WWI_TRY(launch(g, p, pulls ? wwi_least(take, resident) : take));
        WWI_TRY(enqueued(g, each * (double)take, true));
    }
    return WW_OK;
}

static ww_status run_diagonals(ww_gradient *g, pass *p) {
    const uint32_t tall = (uint32_t)wwi_ceil_div(p->batch->tall, g->form.tiles ? g->form.chunk : 1);
    const uint32_t wide = p->args.column_end - p->args.column_begin;
    const uint32_t least = tall < wide ? tall : wide, all = tall + wide - 1;
    const uint32_t last_channel = (g->form.channels - 1) / g->form.slope_channels * g->form.slope_channels;
    p->args.first = 0;
    p->args.count = (uint32_t)p->batch->count;
    p->args.last_slope_channel = last_channel;
    // Where lanes are pairs side by side, whole packs.
    const uint32_t pack = p->batch->stride > 1 ? g->form.vector : 1;
    const uint64_t across = wwi_ceil_div(p->batch->count, pack) * pack;
    for (uint32_t d = 0; d < all; d++) {
        uint32_t turns = d + 1 < all - d ? d + 1 : all - d;
        turns = turns < least ? turns : least;
        p->args.diagonal = d;
        p->args.turns = turns;
        for (uint32_t c = 0; c <= (p->slopes ? last_channel : 0); c += g->form.slope_channels) {
            p->args.slope_channel = c;
            WWI_TRY(launch(g, p, across * turns));
        }
        WWI_TRY(enqueued(g, p->cells / all, true));
    }
    return WW_OK;
}

// All strips in one launch: a strip's work-item waits for that of the strip before, `head` has how far each is.
static ww_status run_chained(ww_gradient *g, pass *p, wwi_buffer *head) {
    const uint64_t packs = wwi_ceil_div(p->batch->count, p->batch->stride);
    p->args.first = 0;
    p->args.count = (uint32_t)p->batch->count;
    WWI_TRY(wwi_buffer_fill_u32(head, 0, p->batch->head * sizeof(uint32_t), 0));
    WWI_TRY(launch(g, p, packs * p->batch->stride * p->batch->wide));
    return enqueued(g, p->cells, true);
}

static ww_status run_pass(ww_gradient *g, pass *p, uint32_t begin, uint32_t end) {
    p->args.column_begin = begin;
    p->args.column_end = end;
    const bool chained = p->batch->chained[p->slopes], whole = p->batch->whole && !chained;
    p->args.whole = whole;
    p->args.chunk = whole || chained ? p->batch->tall : g->form.chunk;
    p->args.backward = p->slopes;
    p->cells = (double)p->batch->cells * (end - begin) / p->batch->wide;
    return chained ? run_chained(g, p, p->slopes ? g->scratch.adjoints : g->scratch.carried)
           : whole ? run_pairs(g, p)
                   : run_diagonals(g, p);
}

static ww_status grow_buffers(ww_gradient *g, const wwi_gradient_batch *b) {
    const uint64_t size = g->pair.value_bytes;
    return WWI_GROW(g->pair.context, {&g->scratch.packed, b->packed * size}, {&g->scratch.carried, b->carried * size},
                    {&g->scratch.adjoints, b->carried * size}, {&g->scratch.checkpoints, b->checkpoints * size},
                    {&g->scratch.edges, b->edges * size}, {&g->scratch.more_checkpoints, b->more_checkpoints * size},
                    {&g->scratch.slopes, b->slopes * size}, {&g->scratch.sums, b->sums * size},
                    {&g->scratch.ends, (g->form.direct ? g->count : b->count) * size},
                    {&g->scratch.table, g->form.tabled ? (b->table + WWI_TABLE_SLACK) * size : 0},
                    {&g->scratch.weights, g->form.weighed && (g->form.tiles || g->form.wave) ? b->table * size : 0});
}

static ww_status pack_series(ww_gradient *g, const wwi_gradient_batch *b, ww_gradient_args args) {
    wwi_slice x, y;
    WWI_TRY(wwi_pairing_slices(&g->pair, wwi_pairing_all(&g->pair), &x, &y));
    args.count = (uint32_t)b->count;
    // Where series lie together a group writes one.
    const uint64_t groups = args.stride == 1 ? 2 * b->count : wwi_ceil_div(2 * b->count, g->form.group);
    return WWI_LAUNCH(g->pack, groups, g->form.group, ARGS(g, args), WWI_BUFFER(b->tasks), WWI_BUFFER(x.values),
                      WWI_BUFFER(x.series), WWI_BUFFER(y.values), WWI_BUFFER(y.series), WWI_BUFFER(g->scratch.packed));
}

// ---- the table of costs

// Launches tiles of one of its kernels, as many at a time as last as long as a launch may; `work`: differences of a
// tile.
static ww_status run_table(ww_gradient *g, const wwi_gradient_batch *b, int which, uint64_t group, double work,
                           const wwi_arg *more, size_t count) {
    wwi_kernel *kernel = which ? g->slopes : g->fill;
    ww_table_args args = {.units = b->tiles[which], .rows = (uint32_t)b->count, .channels = g->form.channels};
    wwi_arg all[16];
    wwi_slice x, y;
    WWI_TRY(wwi_pairing_slices(&g->pair, wwi_pairing_all(&g->pair), &x, &y));
    const double rate = wwi_pace_guess(wwi_context_info(g->pair.context), wwi_is_gpu(g->pair.context) ? 32 : 2);
    while (args.unit_begin < args.units) {
        const uint64_t take = wwi_pace_units(&g->pace, rate, args.units - args.unit_begin, work);
        const wwi_arg common[] = {WWI_VALUE(args),      WWI_BUFFER(x.values), WWI_BUFFER(x.series),
                                  WWI_BUFFER(y.values), WWI_BUFFER(y.series), WWI_BUFFER(b->table_order)};
        memcpy(all, common, sizeof common);
        memcpy(all + 6, more, count * sizeof *more);
        WWI_TRY(wwi_launch(kernel, take, group, all, 6 + count));
        args.unit_begin += (uint32_t)take;
        if (args.unit_begin < args.units) {
            WWI_TRY(wwi_finish(g->pair.stream));
            WWI_TRY(wwi_pace_report(&g->pace, 0));
        }
    }
    return WW_OK;
}

static ww_status fill_table(ww_gradient *g, const wwi_gradient_batch *b) {
    char options[96];
    const uint32_t group = wwi_table_options(g->pair.rows->precision, true, options, sizeof options);
    const wwi_arg more[] = {WWI_BUFFER(b->table_order), WWI_BUFFER(b->table_tiles[0]), WWI_BUFFER(b->table_tiles[0]),
                            WWI_BUFFER(b->table_places), WWI_BUFFER(g->scratch.table)};
    return run_table(g, b, 0, group, (double)WWI_TABLE_TILE * WWI_TABLE_TILE * g->form.channels, more, 5);
}

// Slopes by the points of the sides that are wanted. A series with itself has both in one output.
static ww_status sum_table(ww_gradient *g, const wwi_gradient_batch *b, uint32_t stride,
                           const wwi_gradient_targets *to) {
    const uint32_t scaled = to->upstream != NULL;
    for (uint32_t column = 0; column < 2; column++) {
        if (!g->options.divergence && !(column ? to->columns : to->rows))
            continue;
        const wwi_arg more[] = {WWI_BUFFER(b->table_tiles[1 + column]),
                                WWI_BUFFER(b->table_places),
                                WWI_BUFFER(g->form.tiles || g->form.wave ? g->scratch.weights : g->scratch.table),
                                WWI_BUFFER(b->tasks),
                                WWI_BUFFER(!g->form.direct ? g->scratch.slopes
                                           : column        ? to->columns
                                                           : to->rows),
                                WWI_VALUE(column),
                                WWI_VALUE(stride),
                                WWI_BUFFER(to->upstream),
                                WWI_VALUE(scaled)};
        const double work = (double)WWI_TABLE_TILE * g->form.across * g->longest;
        WWI_TRY(run_table(g, b, 1 + (int)column, WWI_TABLE_TILE, work, more, sizeof more / sizeof *more));
    }
    return WW_OK;
}

static wwi_buffer *last_checkpoints(const ww_gradient *g, const wwi_gradient_batch *b) {
    return b->more_checkpoints ? g->scratch.more_checkpoints : g->scratch.checkpoints;
}

static pass pass_ahead(const ww_gradient *g, const wwi_gradient_batch *b, ww_gradient_args args) {
    return (pass){.batch = b,
                  .kernel = g->blocks[b->chained[0] ? 2 : b->stride > 1].forward,
                  .args = args,
                  .all = {[1] = WWI_BUFFER(b->tasks),
                          WWI_BUFFER(b->band),
                          WWI_BUFFER(g->scratch.packed),
                          WWI_BUFFER(g->scratch.carried),
                          WWI_BUFFER(g->scratch.checkpoints),
                          WWI_BUFFER(g->scratch.edges),
                          WWI_BUFFER(g->scratch.ends),
                          WWI_BUFFER(g->form.tiles ? last_checkpoints(g, b) : g->scratch.table),
                          WWI_BUFFER(g->scratch.table)},
                  .count = g->form.tiles && g->form.tabled   ? 10
                           : g->form.tiles || g->form.tabled ? 9
                                                             : 8};
}

// The pass forward; with one segment its checkpoints are those of the pass back.
static ww_status run_ahead(ww_gradient *g, const wwi_gradient_batch *b, ww_gradient_args args, bool back,
                           wwi_buffer *values) {
    pass ahead = pass_ahead(g, b, args);
    if (g->form.direct && values)
        ahead.all[7] = WWI_BUFFER(values);
    ahead.args.segment_columns = b->segments > 1 ? b->segment : 0;
    ahead.args.checkpoint_columns = b->segment;
    ahead.args.keep = back && b->segments == 1;
    return run_pass(g, &ahead, 0, b->wide);
}

static ww_status run_back(ww_gradient *g, const wwi_gradient_batch *b, ww_gradient_args args, wwi_buffer *alignment) {
    const uint64_t size = g->pair.value_bytes;
    pass ahead = pass_ahead(g, b, args);
    pass back = {.batch = b,
                 .kernel = g->blocks[b->chained[1] ? 2 : b->stride > 1].backward,
                 .args = args,
                 .all = {[1] = WWI_BUFFER(b->tasks),
                         WWI_BUFFER(b->band),
                         WWI_BUFFER(g->scratch.packed),
                         WWI_BUFFER(g->scratch.checkpoints),
                         WWI_BUFFER(g->scratch.adjoints),
                         WWI_BUFFER(g->scratch.slopes),
                         WWI_BUFFER(g->scratch.sums),
                         WWI_BUFFER(alignment ? alignment : g->scratch.ends),
                         WWI_BUFFER(g->form.tiles ? last_checkpoints(g, b) : g->scratch.table),
                         WWI_BUFFER(g->form.tabled ? g->scratch.table : g->scratch.weights),
                         WWI_BUFFER(g->scratch.weights)},
                 .count = g->form.tiles    ? 10u + g->form.tabled + g->form.weighed
                          : g->form.tabled ? 10
                                           : 9,
                 .slopes = true};
    WWI_TRY(wwi_buffer_fill_u32(g->scratch.adjoints, 0, b->carried * size, 0));
    WWI_TRY(wwi_buffer_fill_u32(g->scratch.slopes, 0, b->slopes * size, 0));
    WWI_TRY(wwi_buffer_fill_u32(g->scratch.sums, 0, b->sums * size, 0));
    if (g->form.tiles && g->form.weighed) // what is not followed has none
        WWI_TRY(wwi_buffer_fill_u32(g->scratch.weights, 0, b->table * size, 0));
    ahead.args.keep = 1;
    ahead.args.segment_columns = back.args.segment_columns = b->segments > 1 ? b->segment : 0;
    ahead.args.checkpoint_columns = back.args.checkpoint_columns = b->segment;
    for (uint32_t s = b->segments; s-- > 0;) {
        const uint32_t begin = s * b->segment, end = begin + b->segment < b->wide ? begin + b->segment : b->wide;
        ahead.args.segment = back.args.segment = s;
        if (b->segments > 1)
            WWI_TRY(run_pass(g, &ahead, begin, end));
        WWI_TRY(run_pass(g, &back, begin, end));
    }
    return WW_OK;
}

static ww_status sum_series(ww_gradient *g, const wwi_gradient_batch *b, ww_gradient_args args,
                            const wwi_gradient_list *list, wwi_buffer *upstream, wwi_buffer *out) {
    if (!out || list->count == 0)
        return WW_OK;
    const uint32_t group = sum_group(g), slices = list->many && wwi_is_gpu(g->pair.context) ? SUM_SLICES : 1;
    const uint32_t chunks =
        (uint32_t)wwi_ceil_div((uint64_t)list->most * g->form.channels, group / slices * SUM_VALUES);
    return WWI_LAUNCH(g->by_series, (uint64_t)list->count * chunks, group, ARGS(g, args), WWI_BUFFER(b->tasks),
                      WWI_BUFFER(g->scratch.slopes), WWI_BUFFER(g->scratch.ends), WWI_BUFFER(list->entries),
                      WWI_BUFFER(list->begins), WWI_BUFFER(list->outputs),
                      WWI_BUFFER(upstream ? upstream : g->scratch.ends), WWI_BUFFER(out), WWI_VALUE(chunks),
                      WWI_VALUE(slices), WWI_VALUE(g->form.channels));
}

// By tiles, of outputs that are one task's each.
static ww_status place_slopes(ww_gradient *g, const wwi_gradient_batch *b, ww_gradient_args args, wwi_buffer *upstream,
                              wwi_buffer *out, uint32_t column) {
    if (!out)
        return WW_OK;
    return WWI_LAUNCH(g->by_single, b->count, sum_group(g), ARGS(g, args), WWI_BUFFER(b->tasks),
                      WWI_BUFFER(g->scratch.slopes), WWI_BUFFER(upstream), WWI_BUFFER(out), WWI_VALUE(column));
}

static ww_status sum_pairs(ww_gradient *g, const wwi_gradient_batch *b, ww_gradient_args args,
                           const wwi_gradient_targets *to) {
    if (!to->values && !to->parameters && !to->weights)
        return WW_OK;
    const uint32_t group = sum_group(g), longest = g->longest, wanted = to->values != NULL;
    const uint32_t parameters = (uint32_t)wwi_measure_row_by_id(g->pair.measure.id)->info.parameter_count;
    return WWI_LAUNCH(g->by_pairs, b->pairs.count, group, ARGS(g, args), WWI_BUFFER(b->tasks),
                      WWI_BUFFER(g->scratch.sums), WWI_BUFFER(g->scratch.ends), WWI_BUFFER(b->pairs.entries),
                      WWI_BUFFER(b->pairs.begins), WWI_BUFFER(b->pairs.outputs),
                      WWI_BUFFER(to->upstream ? to->upstream : g->scratch.ends),
                      WWI_BUFFER(to->values ? to->values : g->scratch.ends), WWI_BUFFER(to->parameters),
                      WWI_BUFFER(to->weights), WWI_VALUE(parameters), WWI_VALUE(longest), WWI_VALUE(wanted));
}

static ww_gradient_args args_of(const ww_gradient *g, const wwi_gradient_batch *b, bool scaled) {
    const ww_band *band = &g->pair.measure.band;
    const uint32_t width = band->width < 0x7fffffff ? (uint32_t)band->width : 0x7fffffff;
    return (ww_gradient_args){.stride = g->form.tiles ? 1 : b->stride,
                              .scaled = scaled,
                              .band_width = g->pair.recurrence.band == WWI_BAND_DIAGONAL ? width : 0,
                              .corner = band->kind == WW_BAND_CORNER,
                              .parameters = g->pair.recurrence.parameters.values};
}

static ww_status add_border(ww_gradient *g, const wwi_gradient_batch *b, ww_gradient_args args) {
    if (!g->form.border)
        return WW_OK;
    return WWI_LAUNCH_ITEMS(g->by_border, 2 * b->count, g->form.group, ARGS(g, args), WWI_BUFFER(b->tasks),
                            WWI_BUFFER(g->scratch.packed), WWI_BUFFER(g->scratch.adjoints),
                            WWI_BUFFER(g->scratch.slopes), WWI_BUFFER(g->scratch.sums));
}

// Both passes by waves. What is summed later is computed of both sides.
static ww_status run_wave(ww_gradient *g, const wwi_gradient_batch *b, ww_gradient_args args, bool back,
                          const wwi_gradient_targets *to) {
    const bool direct = g->form.direct;
    const double each = (back ? 2.0 : 1.0) * (double)b->cells / (double)b->count;
    wwi_slice x, y;
    WWI_TRY(wwi_pairing_slices(&g->pair, wwi_pairing_all(&g->pair), &x, &y));
    args.keep = back;
    args.direct = direct;
    args.wanted = direct ? (to->rows ? 1u : 0u) | (to->columns ? 2u : 0u) : 3u;
    wwi_buffer *rows = direct ? to->rows : g->scratch.slopes, *columns = direct ? to->columns : g->scratch.slopes;
    wwi_arg all[] = {ARGS(g, args),
                     WWI_BUFFER(b->tasks),
                     WWI_BUFFER(x.values),
                     WWI_BUFFER(x.series),
                     WWI_BUFFER(y.values),
                     WWI_BUFFER(y.series),
                     WWI_BUFFER(g->scratch.checkpoints),
                     WWI_BUFFER(direct && to->values ? to->values : g->scratch.ends),
                     WWI_BUFFER(rows),
                     WWI_BUFFER(columns),
                     WWI_BUFFER(to->upstream),
                     WWI_BUFFER(g->scratch.table),
                     WWI_BUFFER(g->scratch.weights)};
    const size_t count = sizeof all / sizeof *all - (g->form.tabled ? 0 : 2);
    for (size_t at = 0, take; at < b->count; at += take) {
        take = (size_t)wwi_pace_units(&g->pace, g->rate, b->count - at, each);
        args.first = (uint32_t)at;
        WWI_TRY(wwi_launch(g->blocks[0].forward, take, g->form.group, all, count));
        WWI_TRY(enqueued(g, each * (double)take, true));
    }
    return WW_OK;
}

// One channel, or all together: forward, back, sums.
static ww_status run_channel(ww_gradient *g, const wwi_gradient_batch *b, ww_gradient_args args,
                             const wwi_gradient_targets *to) {
    const bool back = to->rows || to->columns || to->parameters || to->weights || to->alignment;
    if (g->form.tabled)
        WWI_TRY(fill_table(g, b));
    if (g->form.wave) {
        WWI_TRY(run_wave(g, b, args, back, to));
    } else {
        if (!g->form.tabled)
            WWI_TRY(pack_series(g, b, args));
        WWI_TRY(run_ahead(g, b, args, back, to->values));
        if (back)
            WWI_TRY(run_back(g, b, args, to->alignment));
    }
    if (back && g->form.weighed && (to->rows || to->columns))
        WWI_TRY(sum_table(g, b, args.stride, to));
    if (g->form.direct && (g->form.wave || g->form.weighed))
        return WW_OK;
    if (g->form.direct) {
        WWI_TRY(place_slopes(g, b, args, to->upstream, to->rows, 0));
        return place_slopes(g, b, args, to->upstream, to->columns, 1);
    }
    args.count = (uint32_t)b->count;
    if (back)
        WWI_TRY(add_border(g, b, args));
    WWI_TRY(sum_series(g, b, args, &b->rows, to->upstream, to->rows));
    WWI_TRY(sum_series(g, b, args, &b->columns, to->upstream, to->columns));
    return sum_pairs(g, b, args, to);
}

ww_status wwi_gradient_batch_run(ww_gradient *g, const wwi_gradient_batch *b, const wwi_gradient_targets *to) {
    ww_gradient_args args = args_of(g, b, to->upstream != NULL);
    WWI_TRY(grow_buffers(g, b));
    for (; args.channel < g->form.passes; args.channel++)
        WWI_TRY(run_channel(g, b, args, to));
    return enqueued(g, 0, false);
}
