// SPDX-License-Identifier: Apache-2.0
// Bounds of the gains of a chunk's candidates, from their correlations in float, and those that are kept for the list
// (kernels_cl/shapelets/shapelet_prune.cl, shapelet_split.cl): where they pay, histograms take out what can't be the
// best; the rest is sorted and split.
#include <math.h>
#include <string.h>

#include "shapelets/shapelet_node.h"

enum { BINS = 16 }; // WW_BINS in kernels_cl/shapelets/shapelet_prune.cl

// Local memory of a group that prunes: counts, of two classes those of keys near edges too, and tables of sizes and
// classes.
static uint64_t prune_local(const wwi_node_search *s) {
    const uint64_t n = s->node->count, classes = s->node->class_count;
    return ((uint64_t)(BINS + (classes == 2)) * s->bounds.words * s->bounds.prune_group + 3 * n + 1 + classes) * 4;
}

// Local memory that a group may have.
static uint64_t local_memory(const wwi_shapelet_device *d) {
    const uint64_t bytes = wwi_context_info(d->context)->local_bytes, local = bytes > 1024 ? bytes - 1024 : 1;
    return d->gpu ? wwi_least(local, 49152 - 4096) : local;
}

static void choose_pruning(wwi_node_search *s) {
    wwi_node_bounds *b = &s->bounds;
    const uint64_t local = local_memory(s->device), group = wwi_context_info(s->device->context)->max_work_group;
    for (b->field = 1; s->node->count >> b->field;)
        b->field++;
    b->words = (uint32_t)wwi_ceil_div(s->node->class_count, 32 / b->field);
    b->prune_group = 128;
    while (b->prune_group > 32 && (b->prune_group > group || prune_local(s) > local))
        b->prune_group /= 2;
    b->prunes = s->device->gpu && s->options->quality == WW_SHAPELET_GAIN && prune_local(s) <= local &&
                b->prune_group <= group && (s->node->count >= 16 || wwi_shapelet_few(s->device));
}

// Candidates of a group, and its work-items. Returns how many vectors the candidates are.
static uint32_t choose_groups(wwi_node_search *s) {
    wwi_node_bounds *b = &s->bounds;
    const wwi_shapelet_device *d = s->device;
    const uint64_t local = local_memory(d), most_group = wwi_context_info(d->context)->max_work_group;
    const uint64_t counts = 2 * s->node->class_count * 4, each = s->node->count * 4 * d->vector + counts * d->vector;
    // Of many series few candidates fit a group, and more work-items go through each. Where candidates are pruned
    // first, there are few, and what takes time is the longest group.
    const uint32_t group = s->node->count <= 64 ? 32 : s->node->count <= 512 || most_group < 256 ? 128 : 256;
    b->split_group = d->gpu ? group : 1;
    const bool share = d->gpu && counts * b->split_group <= 8192; // each share of a candidate's keys has its own counts
    uint32_t across = !d->gpu ? 1 : wwi_shapelet_few(d) ? 8 : b->prunes && share ? 4 : 32;
    while (across > 1 && (each * across > local * 3 / 4 || (d->gpu && across > b->split_group)))
        across /= 2;
    b->keys_global = each * across > local;
    b->across = across * d->vector;
    b->shares = share && !b->keys_global ? b->split_group / across : 1;
    return across;
}

ww_status wwi_node_bounds_compile(wwi_node_search *s) {
    const wwi_shapelet_device *d = s->device;
    wwi_node_bounds *b = &s->bounds;
    choose_pruning(s);
    const uint32_t across = choose_groups(s);
    // Gains have 32 bits below the point, and above it those of count * log2(count): sums of these have a bit more.
    while (((uint64_t)s->gains->entropy[s->node->count] >> b->shift) >> 29)
        b->shift++;
    const wwi_program_parts split = {
        .texts = {"base/number.cl", "shapelets/shapelet_args.h", "shapelets/shapelet.cl",
                  "shapelets/shapelet_split.cl"},
        .defines = WWI_LIST({"WW_C", (int64_t)d->kind.channels}, {"WW_RAW", d->kind.raw}, {"WW_V", d->vector},
                            {"WW_WG", b->split_group}, {"WW_T", across}, {"WW_KEYS_GLOBAL", b->keys_global},
                            {"WW_LISTED", b->prunes}, {"WW_SHARES", b->shares}),
        .kernels = WWI_LIST({&b->split, "ww_shapelet_split"}, {&b->raise, "ww_shapelet_bound"},
                            {&b->rank, "ww_shapelet_rank"}, {&b->keep, "ww_shapelet_keep"}),
    };
    const wwi_program_parts prune = {
        .texts = {"base/number.cl", "shapelets/shapelet_args.h", "shapelets/shapelet.cl",
                  "shapelets/shapelet_prune.cl"},
        .defines = WWI_LIST({"WW_C", (int64_t)d->kind.channels}, {"WW_RAW", d->kind.raw}, {"WW_V", 1},
                            {"WW_WG", b->prune_group}, {"WW_TWO", s->node->class_count == 2}),
        .kernels = WWI_LIST({&b->prune, "ww_shapelet_prune"}, {&b->survive, "ww_shapelet_survive"}),
    };
    WWI_TRY(wwi_program_make(d->context, d->stream, &split, &b->split_program));
    return b->prunes ? wwi_program_make(d->context, d->stream, &prune, &b->prune_program) : WW_OK;
}

ww_status wwi_node_bounds_allocate(wwi_node_search *s, uint64_t columns) {
    struct wwi_shapelet_bounds_scratch *to = &s->scratch->bounds;
    wwi_node_bounds *b = &s->bounds;
    const uint64_t places = columns * s->job.count, units = wwi_compute_units(s->device->context);
    b->split_groups =
        (uint32_t)wwi_least(columns / b->across * s->job.count, units * (s->device->gpu && !b->keys_global ? 32 : 8));
    b->prune_groups = (uint32_t)(units * 32);
    const uint64_t keys = (s->node->count + 2 * s->node->class_count) * b->across * 4;
    return WWI_GROW(s->device->context, {&to->nearest, places * s->node->count * 4}, {&to->most_gain, places * 8},
                    {&to->most_gap, places * 4}, {&to->kept, places * 16}, {&to->kept_count, 4},
                    {&to->listed, b->prunes ? places * 4 : 4}, {&to->best, (uint64_t)b->split_groups * 16},
                    {&to->scratch, b->keys_global ? b->split_groups * keys : 4});
}

// Unsigned numbers in the order of floats, as in the kernels.
static uint64_t ordered(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

ww_status wwi_node_bounds_send(wwi_node_search *s) {
    uint64_t *bound = s->bounds.first;
    bound[0] = 1;
    bound[1] = 0;
    if (s->best_count == s->k) {
        const wwi_shapelet_score *last = &s->best_found[s->k - 1].score;
        const bool gains = s->options->quality == WW_SHAPELET_GAIN;
        bound[0] = last->key > 1 ? (uint64_t)last->key - (gains ? 0 : 2) : 1;
        bound[1] =
            gains && last->gap_key != INT64_MAX ? ordered((float)(last->gap - 1e-5 * (fabs(last->gap) + 1e-3))) : 0;
    }
    // Once in a search that goes ahead: there what is sent stays.
    return s->ahead ? wwi_buffer_send(s->scratch->bounds.bound, sizeof s->bounds.first, bound)
                    : wwi_buffer_write(s->scratch->bounds.bound, 0, sizeof s->bounds.first, bound);
}

// The k-th largest bound of those pruned: ranks are counted by comparing all with all.
static ww_status rank_pruned(wwi_node_search *s) {
    const wwi_node_bounds *b = &s->bounds;
    const uint32_t series = (uint32_t)s->node->count, k = (uint32_t)s->k;
    const bool ranks = k > 1 && s->options->quality == WW_SHAPELET_GAIN && k <= series && series <= 8192;
    return ranks ? WWI_LAUNCH(b->rank, 1, b->split_group, WWI_BUFFER(s->scratch->bounds.pruned), WWI_VALUE(series),
                              WWI_VALUE(k), WWI_VALUE(b->shift), WWI_BUFFER(s->scratch->bounds.bound))
                 : WW_OK;
}

// Groups that go through all places of a chunk in turn.
static uint64_t place_groups(const wwi_node_search *s) {
    const uint64_t places = (uint64_t)s->job.columns * s->job.count;
    return wwi_least(wwi_ceil_div(places, s->device->table_group), s->bounds.prune_groups);
}

static ww_status prune(wwi_node_search *s) {
    const wwi_node_bounds *b = &s->bounds;
    const wwi_shapelet_scratch *scratch = s->scratch;
    const uint32_t each = s->k > 1;
    const uint64_t groups = wwi_ceil_div((uint64_t)s->job.columns * s->job.count, b->prune_group);
    WWI_TRY(wwi_buffer_fill_u32(scratch->bounds.listed_count, 0, 4, 0));
    WWI_TRY(WWI_LAUNCH(
        b->prune, wwi_least(groups, b->prune_groups), b->prune_group, WWI_BUFFER(scratch->bounds.nearest),
        WWI_BUFFER(scratch->columns.norms), WWI_BUFFER(scratch->windows.constant), WWI_BUFFER(scratch->columns.reaches),
        WWI_BUFFER(scratch->columns.own), WWI_BUFFER(scratch->node.class_of), WWI_BUFFER(scratch->node.totals),
        WWI_BUFFER(scratch->node.before), WWI_BUFFER(scratch->node.entropy), WWI_BUFFER(scratch->bounds.most_gain),
        WWI_BUFFER(scratch->bounds.pruned), WWI_VALUE(b->shift), WWI_VALUE(each), WWI_VALUE(b->field),
        WWI_VALUE(b->words), WWI_LOCAL((size_t)prune_local(s)), WWI_VALUE(s->job)));
    WWI_TRY(rank_pruned(s));
    return WWI_LAUNCH(b->survive, place_groups(s), s->device->table_group, WWI_BUFFER(scratch->bounds.most_gain),
                      WWI_BUFFER(scratch->bounds.bound), WWI_BUFFER(scratch->bounds.pruned), WWI_VALUE(b->shift),
                      WWI_VALUE(each), WWI_BUFFER(scratch->bounds.listed), WWI_BUFFER(scratch->bounds.listed_count),
                      WWI_VALUE(s->job));
}

static ww_status split(wwi_node_search *s) {
    const wwi_node_bounds *b = &s->bounds;
    const wwi_shapelet_scratch *scratch = s->scratch;
    const uint32_t each = s->k > 1;
    const uint64_t counts = 2 * (uint64_t)s->node->class_count * b->shares;
    const uint64_t local = b->keys_global ? 4 : (s->node->count + counts) * b->across * 4;
    const uint32_t groups = (uint32_t)wwi_least((s->job.columns / b->across) * (uint64_t)s->job.count, b->split_groups);
    WWI_TRY(WWI_LAUNCH(
        b->split, groups, b->split_group, WWI_BUFFER(scratch->bounds.nearest), WWI_BUFFER(scratch->columns.norms),
        WWI_BUFFER(scratch->windows.constant), WWI_BUFFER(scratch->columns.reaches), WWI_BUFFER(scratch->columns.own),
        WWI_BUFFER(scratch->node.class_of), WWI_BUFFER(scratch->node.totals), WWI_BUFFER(scratch->node.before),
        WWI_BUFFER(scratch->node.steps), WWI_BUFFER(scratch->bounds.bound), WWI_BUFFER(scratch->bounds.most_gain),
        WWI_BUFFER(scratch->bounds.most_gap), WWI_BUFFER(scratch->bounds.best), WWI_BUFFER(scratch->bounds.scratch),
        WWI_BUFFER(scratch->bounds.listed), WWI_BUFFER(scratch->bounds.listed_count),
        WWI_BUFFER(scratch->bounds.pruned), WWI_VALUE(b->shift), WWI_VALUE(each), WWI_BUFFER(scratch->node.entropy),
        WWI_LOCAL(local), WWI_VALUE(s->job)));
    return each ? rank_pruned(s)
                : WWI_LAUNCH(b->raise, 1, b->split_group, WWI_BUFFER(scratch->bounds.best), WWI_VALUE(groups),
                             WWI_LOCAL((size_t)b->split_group * 16), WWI_BUFFER(scratch->bounds.bound));
}

static ww_status keep(wwi_node_search *s) {
    const wwi_node_bounds *b = &s->bounds;
    const struct wwi_shapelet_bounds_scratch *of = &s->scratch->bounds;
    const uint32_t capacity = (uint32_t)(wwi_buffer_bytes(of->kept) / 16);
    // Those of a list by the few that it has.
    const uint64_t groups = b->prunes ? wwi_least(place_groups(s), b->prune_groups / 8) : place_groups(s);
    return WWI_LAUNCH(b->keep, groups, s->device->table_group, WWI_BUFFER(of->most_gain), WWI_BUFFER(of->most_gap),
                      WWI_BUFFER(of->bound), WWI_BUFFER(s->scratch->columns.reaches), WWI_BUFFER(of->kept_count),
                      WWI_BUFFER(of->kept), WWI_VALUE(capacity), WWI_VALUE(s->shortlist.first),
                      WWI_VALUE(s->shortlist.columns), WWI_BUFFER(of->listed), WWI_BUFFER(of->listed_count),
                      WWI_VALUE(s->job));
}

ww_status wwi_node_bounds_find(wwi_node_search *s) {
    if (s->bounds.prunes)
        WWI_TRY(prune(s));
    WWI_TRY(split(s));
    if (!s->ahead)
        WWI_TRY(wwi_buffer_fill_u32(s->scratch->bounds.kept_count, 0, 4, 0));
    return keep(s);
}
