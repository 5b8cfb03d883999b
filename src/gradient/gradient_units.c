// SPDX-License-Identifier: Apache-2.0
// Runs of gradients: of all pairs at once, or in runs of the list that several devices divide, each pair by itself.
// Sums over pairs are not divided, for their order is their bits, nor is what goes to a device's memory.
#include "base/run.h"
#include "gradient/gradient.h"
#include "measure/measure_table.h"
#include "options.h"

enum { VALUES, ROWS, COLUMNS, PARAMETERS, WEIGHTS, ALIGNMENT, OUTPUTS };

typedef struct job {
    ww_gradient *g;
    ww_gradient_outputs to;
    ww_output outputs[OUTPUTS]; // host NULL: not wanted
    uint64_t launches;
    double seconds_device;
} job;

// Where a pair's values begin; of the pair behind the last, how many there are.
static uint64_t place(const ww_gradient *g, int output, size_t pair) {
    const bool end = pair == g->count;
    switch (output) {
    case ROWS:
    case COLUMNS:
        if (end)
            return output == ROWS ? g->info.rows : g->info.columns;
        return g->sides[output == COLUMNS].offsets[pair];
    case PARAMETERS:
        return (uint64_t)pair * wwi_measure_row_by_id(g->pair.measure.id)->info.parameter_count;
    case WEIGHTS:
        return (uint64_t)pair * g->longest;
    case ALIGNMENT:
        return end ? g->info.alignment : g->alignment_offsets[pair];
    default:
        return pair;
    }
}

static double pair_work(const void *of, size_t pair) {
    const ww_gradient *g = ((const job *)of)->g;
    return (double)g->pair.rows->lengths[g->sides[0].of[pair]] * (double)g->pair.columns->lengths[g->sides[1].of[pair]];
}

static ww_status get_sides(const wwi_seat *seat, ww_dataset **rows, ww_dataset **columns) {
    const job *j = seat->of;
    WWI_TRY(wwi_dataset_on(j->g->sides[0].given, seat->device, rows));
    return wwi_dataset_on(j->g->sides[1].given, seat->device, columns);
}

static ww_status open_sides(wwi_seat *seat) {
    ww_dataset *rows, *columns;
    return get_sides(seat, &rows, &columns);
}

static ww_status run_pairs(const wwi_seat *seat, wwi_span pairs) {
    job *j = seat->of;
    const uint64_t size = j->g->pair.value_bytes;
    ww_dataset *rows, *columns;
    WWI_ENDS(ww_gradient_destroy) ww_gradient *part = NULL;
    ww_gradient_outputs to = WW_GRADIENT_OUTPUTS_INIT;
    ww_output outputs[OUTPUTS];
    const ww_output **wanted[OUTPUTS] = {&to.values, &to.rows, &to.columns, &to.parameters, &to.weights, &to.alignment};
    for (int o = 0; o < OUTPUTS; o++) {
        outputs[o] = j->outputs[o];
        if (!outputs[o].host)
            continue;
        outputs[o].host = (unsigned char *)outputs[o].host + place(j->g, o, pairs.first) * size;
        *wanted[o] = &outputs[o];
    }
    if (j->to.upstream)
        to.upstream = (const unsigned char *)j->to.upstream + pairs.first * size;
    WWI_TRY(get_sides(seat, &rows, &columns));
    WWI_TRY(wwi_gradient_create_part(j->g, rows, columns, pairs.first, pairs.count, &seat->team->own, &part));
    WWI_TRY(wwi_gradient_run_alone(part, &to));
    (void)pthread_mutex_lock(&seat->team->lock);
    j->launches += part->info.launches;
    j->seconds_device += part->info.seconds_device;
    (void)pthread_mutex_unlock(&seat->team->lock);
    return WW_OK;
}

// The values of an output that pairs have.
static size_t values_of(const ww_gradient *g, int output, wwi_span pairs) {
    return (size_t)(place(g, output, pairs.first + pairs.count) - place(g, output, pairs.first));
}

static ww_status give_pairs(const wwi_seat *seat, wwi_span pairs, wwi_bytes *to) {
    const job *j = seat->of;
    const size_t size = j->g->pair.value_bytes;
    for (int o = 0; o < OUTPUTS; o++)
        if (j->outputs[o].host)
            WWI_TRY(wwi_bytes_put(to, (const unsigned char *)j->outputs[o].host + place(j->g, o, pairs.first) * size,
                                  values_of(j->g, o, pairs) * size));
    return WW_OK;
}

static ww_status take_pairs(void *of, wwi_span pairs, wwi_taken_bytes *from) {
    const job *j = of;
    const size_t size = j->g->pair.value_bytes;
    for (int o = 0; o < OUTPUTS; o++)
        if (j->outputs[o].host)
            WWI_TRY(wwi_bytes_take(from, (unsigned char *)j->outputs[o].host + place(j->g, o, pairs.first) * size,
                                   values_of(j->g, o, pairs) * size));
    return WW_OK;
}

static void name_pairs(const void *of, FILE *to) {
    const job *j = of;
    const ww_gradient *g = j->g;
    const ww_gradient_options *o = &g->options;
    char sums[3][65] = {"", "", ""};
    for (int side = 0; side < 2; side++)
        wwi_checksum_text(g->sides[side].of, g->count * sizeof *g->sides[side].of, sums[side]);
    if (j->to.upstream)
        wwi_checksum_text(j->to.upstream, g->count * g->pair.value_bytes, sums[2]);
    fprintf(to, "gradient\npairs %zu %s %s upstream %s divergence %d outputs", g->count, sums[0], sums[1], sums[2],
            o->divergence);
    for (int output = 0; output < OUTPUTS; output++)
        fprintf(to, " %d", j->outputs[output].host != NULL);
    fprintf(to, " %s ", wwi_pairing_precision(&g->pair));
    wwi_measure_print(&g->pair.measure, to);
}

// Takes the outputs of a run that can be divided; *divided: whether it can.
static ww_status take_outputs(job *j, bool *divided) {
    const ww_gradient *g = j->g;
    const ww_gradient_outputs *to = &j->to;
    const ww_output *given[OUTPUTS] = {to->values, to->rows, to->columns, to->parameters, to->weights, to->alignment};
    const struct {
        const char *name;
        uint64_t values;
    } of[OUTPUTS] = {{"values", g->info.pairs},
                     {"gradients by rows", g->info.rows},
                     {"gradients by columns", g->info.columns},
                     {"gradients by parameters", g->options.parameters ? g->info.parameters : 0},
                     {"gradients by weights", g->options.weights ? g->info.weights : 0},
                     {"alignments", g->options.alignment ? g->info.alignment : 0}};
    bool any = false;
    *divided = g->team && !to->upstream_device && (g->options.per_pair || (!to->rows && !to->columns));
    for (int o = 0; o < OUTPUTS && *divided; o++) {
        wwi_buffer *device;
        if (!given[o])
            continue;
        j->outputs[o] = (ww_output)WW_OUTPUT_INIT;
        WWI_TRY(wwi_options_take(&j->outputs[o], given[o], "ww_output"));
        const wwi_result result = {of[o].name, 1, of[o].values, g->pair.value_bytes, false};
        // What is wrong with an output is said by a run of one device.
        *divided = j->outputs[o].host && of[o].values && j->outputs[o].layout == WW_LAYOUT_FULL &&
                   wwi_result_check(&j->outputs[o], g->pair.context, &result, &device) == WW_OK;
        j->outputs[o].bytes = 0; // checked as a whole
        any = true;
    }
    *divided = *divided && any;
    return WW_OK;
}

ww_status ww_gradient_run(ww_gradient *g, const ww_gradient_outputs *outputs) {
    static const wwi_job kind = {.work = pair_work,
                                 .open = open_sides,
                                 .run = run_pairs,
                                 .name = name_pairs,
                                 .give = give_pairs,
                                 .take = take_pairs};
    job j = {.g = g, .to = WW_GRADIENT_OUTPUTS_INIT};
    const double start = wwi_seconds();
    bool divided;
    WWI_NEEDS("gradient, outputs", g, outputs);
    WWI_TRY(wwi_options_take(&j.to, outputs, "ww_gradient_outputs"));
    WWI_TRY(take_outputs(&j, &divided));
    if (!divided) {
        WWI_TRY(wwi_team_refuse_part(g->team));
        return wwi_gradient_run_alone(g, &j.to);
    }
    WWI_TRY(wwi_team_run(g->team, &kind, &j, g->count));
    g->info.launches = j.launches;
    g->info.seconds_device = j.seconds_device;
    g->info.seconds_wall = wwi_seconds() - start;
    return WW_OK;
}
