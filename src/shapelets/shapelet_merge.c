// SPDX-License-Identifier: Apache-2.0
// The best shapelets of parts of the candidates, joined. A part has whole series, and shapelets leave each other out
// within a series alone: so what the whole takes of a part's series is what the part takes first, and the best of all
// parts' best are the whole's.
//
// A model has no keys, by which candidates are ordered, but what they are made of or give, to the last bit, also in its
// file. The gap's key, and that of a quality that is not the gain, are made of these numbers as the search made them.
// The gain is the key, below 2^53, divided by 2^32 and the number of series, rounded once: multiplied again it is off
// by at most 2^-52 of the key, which is less than a half below 2^51. No split in two has more than one bit, so that the
// key is at most about 2^32 for each series.
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "shapelets/shapelet_model.h"

#define MOST_SERIES (UINT32_C(1) << 18)

typedef struct merged {
    wwi_shapelet_found found; // what it is ordered by
    const wwi_shapelet *of;
    size_t part;
} merged;

static bool alike(const ww_shapelets *a, const ww_shapelets *b) {
    if (a->class_count != b->class_count || a->channels != b->channels || a->train != b->train || a->raw != b->raw ||
        a->unscaled != b->unscaled || a->quality != b->quality)
        return false;
    for (size_t k = 0; k < a->class_count; k++)
        if (strcmp(a->names[k], b->names[k]) != 0)
            return false;
    return true;
}

static ww_status check_parts(const ww_shapelets *const *parts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!parts[i])
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "part %zu is NULL", i);
        if (parts[i]->node_count)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "part %zu has a tree; parts have the best shapelets alone", i);
        if (!alike(parts[0], parts[i]))
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "part %zu is of another training set or quality than part 0", i);
    }
    if (parts[0]->quality == WW_SHAPELET_GAIN && parts[0]->train > MOST_SERIES)
        return wwi_fail(WW_ERROR_UNSUPPORTED, "gains of %zu series: above %u their order can't be told from models",
                        parts[0]->train, (unsigned)MOST_SERIES);
    return WW_OK;
}

static int by_rank(const void *a, const void *b) {
    return wwi_shapelet_compare(&((const merged *)a)->found, &((const merged *)b)->found);
}

static int by_series(const void *a, const void *b) {
    const merged *x = a, *y = b;
    if (x->found.place.series != y->found.place.series)
        return x->found.place.series < y->found.place.series ? -1 : 1;
    return x->part < y->part ? -1 : x->part > y->part;
}

static ww_status rank_all(const ww_shapelets *const *parts, size_t count, merged *all, size_t total) {
    for (size_t i = 0, at = 0; i < count; i++)
        for (size_t k = 0; k < parts[i]->best; k++) {
            const wwi_shapelet *s = &parts[i]->shapelets[k];
            merged *m = &all[at++];
            *m = (merged){.of = s, .part = i};
            m->found.place = (wwi_shapelet_place){(uint32_t)s->series, (uint32_t)s->start, (uint32_t)s->length};
            wwi_shapelet_score_keys(parts[i]->quality, parts[i]->train, s->quality, s->gap, &m->found.score);
        }
    qsort(all, total, sizeof *all, by_series);
    for (size_t i = 1; i < total; i++)
        if (all[i].found.place.series == all[i - 1].found.place.series && all[i].part != all[i - 1].part)
            return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "parts %zu and %zu both have candidates of series %zu",
                            all[i - 1].part, all[i].part, all[i].of->series);
    qsort(all, total, sizeof *all, by_rank);
    return WW_OK;
}

static ww_status copy_model(const ww_shapelets *from, ww_shapelets *to) {
    to->class_count = from->class_count;
    to->channels = from->channels;
    to->train = from->train;
    to->raw = from->raw;
    to->unscaled = from->unscaled;
    to->quality = from->quality;
    WWI_TRY(wwi_new_zeroed(to->names, from->class_count));
    for (size_t k = 0; k < from->class_count; k++)
        if (!(to->names[k] = strdup(from->names[k])))
            return wwi_fail_memory(strlen(from->names[k]));
    return WW_OK;
}

static ww_status copy_shapelets(const merged *all, size_t count, ww_shapelets *to) {
    WWI_TRY(wwi_new_zeroed(to->shapelets, count ? count : 1));
    to->shapelet_capacity = count;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = to->channels * all[i].of->length * sizeof *all[i].of->values;
        to->shapelets[i] = *all[i].of;
        WWI_TRY(wwi_new(to->shapelets[i].values, to->channels * all[i].of->length));
        memcpy(to->shapelets[i].values, all[i].of->values, bytes);
        to->shapelet_count = to->best = i + 1;
    }
    return WW_OK;
}

static void add_info(ww_shapelets_info *sum, const ww_shapelets_info *part) {
    sum->stopped |= part->stopped;
    sum->candidates += part->candidates;
    sum->cells += part->cells;
    sum->examined += part->examined;
    sum->launches += part->launches;
    sum->seconds_device += part->seconds_device;
    sum->seconds_wall += part->seconds_wall;
}

ww_status ww_shapelets_merge(const ww_shapelets *const *parts, size_t count, size_t best, ww_shapelets **shapelets) {
    if (shapelets)
        *shapelets = NULL;
    if (!parts || !shapelets || count == 0 || best == 0)
        return wwi_fail(WW_ERROR_INVALID_ARGUMENT, "parts or shapelets is NULL, or count or best is 0");
    WWI_TRY(check_parts(parts, count));
    WWI_ENDS(ww_shapelets_destroy) ww_shapelets *made = NULL;
    WWI_FREES merged *all = NULL;
    size_t total = 0;
    WWI_TRY(wwi_new_zeroed(made, 1));
    made->info = (ww_shapelets_info)WW_SHAPELETS_INFO_INIT;
    for (size_t i = 0; i < count; i++) {
        total += parts[i]->best;
        add_info(&made->info, &parts[i]->info);
    }
    if (total < best && !made->info.stopped)
        return wwi_shapelet_fail_few(best, total);
    WWI_TRY(wwi_new(all, total + 1));
    WWI_TRY(rank_all(parts, count, all, total));
    WWI_TRY(copy_model(parts[0], made));
    WWI_TRY(copy_shapelets(all, (size_t)wwi_least(total, best), made));
    *shapelets = wwi_taken(&made);
    return WW_OK;
}
